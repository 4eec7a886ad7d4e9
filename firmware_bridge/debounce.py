"""One button's contact: bounces, glitches and lost edges in, presses out, each once. No thread, no pins.

A line that moves is believed again when it has been still for the debounce time. A contact that was closed for a moment
inside such a burst was a short press, not a bounce. A line that never comes to rest, or never opens, is a
button out of order: it presses nothing until it has been open and still for a while. The level is also read from time to
time, so that an edge that nobody was told of is found.
"""

from typing import Final, Literal

import msgspec

_COUNTS: Final = 0x10000


class ContactTiming(msgspec.Struct, frozen=True):
    """When a contact is believed (seconds of real time).

    Attributes:
        debounce: Still for so long: the burst is over. Contacts bounce for up to 20 ms.
        shortest: Closed for so long inside a burst that ends open: a short press. Bounces of a press that stays do not
            need it; shorter closures are disturbances.
        chatter: A burst of this length is none, but a bad contact.
        stuck: Closed for so long: held by more than a finger.
        calm: Open and still for so long: a button out of order is believed again.
    """

    debounce: float = 0.025
    shortest: float = 0.005
    chatter: float = 1.0
    stuck: float = 10.0
    calm: float = 1.0


class Change(msgspec.Struct, frozen=True):
    """The button is down or up now.

    Attributes:
        pressed: Down.
        count: Changes since the contact was first looked at, modulo 65536.
        gap: It was found by looking: the edge that belongs to it was never told.
    """

    pressed: bool
    count: int
    gap: bool


class Trouble(msgspec.Struct, frozen=True):
    """The button is out of order from now on: `held` or `chatter`."""

    what: Literal["held", "chatter"]


class Cured(msgspec.Struct, frozen=True):
    """The button is in order again."""


News = Change | Trouble | Cured


class Contact:
    """What one button's line has done and what of it counts. Its time is real time (seconds), given with each call."""

    def __init__(self, timing: ContactTiming) -> None:
        self._timing = timing
        # a debounce longer than that needs more time to tell a bad contact
        self._chatter = max(timing.chatter, 4 * timing.debounce)
        self._told = False
        self._count = 0
        self._closed = False
        self._since = 0.0
        self._burst: float | None = None
        self._moved = 0.0
        self._tapped = False
        self._gap = False
        self._trouble: Trouble | None = None

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the button now."""
        return self._trouble

    def begin(self, now: float, closed: bool) -> list[News]:
        """Look at the line for the first time, or again after the pins were away.

        A line that is closed now was closed by nobody who was watched: it presses nothing until it was let go.
        """
        self._closed, self._since, self._moved, self._burst = closed, now, now, None
        news: list[News] = []
        if closed:
            if self._trouble is None:
                self._trouble = Trouble("held")
                news.append(self._trouble)
        elif self._told and self._trouble is None:
            news.append(self._change(False, True))
        return news

    def edge(self, now: float, closed: bool, stamp: float | None = None) -> None:
        """The pins tell that the line moved.

        Args:
            now: When it was heard.
            closed: The contact closed.
            stamp: When it happened, on any clock that these stamps share; None where it is not known.
        """
        if self._burst is None:
            self._burst, self._tapped, self._gap = now, False, False
        self._moved = now
        at = now if stamp is None else stamp
        if closed != self._closed:
            if not closed and at - self._since >= self._timing.shortest:
                self._tapped = True
            self._closed, self._since = closed, at

    def look(self, now: float, closed: bool) -> list[News]:
        """The line's level was read; give what counts by now."""
        if closed != self._closed:
            at_rest = self._burst is None
            self.edge(now, closed)
            self._gap = self._gap or at_rest
        if self._burst is None:
            return self._rest(now)
        # compared as `due` reckons, so that a look at that very moment is not too early
        if now < self._moved + self._timing.debounce:
            if self._trouble is None and now >= self._burst + self._chatter:
                self._trouble = Trouble("chatter")
                return [self._trouble]
            return []
        self._burst = None
        if self._trouble is not None:
            return []
        if closed != self._told:
            return [self._change(closed, self._gap)]
        if not closed and self._tapped:
            return [self._change(True, self._gap), self._change(False, self._gap)]
        return []

    def due(self) -> float | None:
        """When the line must be looked at again; None when nothing is expected of it."""
        timing = self._timing
        if self._burst is not None:
            still = self._moved + timing.debounce
            return still if self._trouble is not None else min(still, self._burst + self._chatter)
        if self._trouble is not None:
            return None if self._closed else self._moved + timing.calm
        return self._moved + timing.stuck if self._told else None

    def _rest(self, now: float) -> list[News]:
        if self._trouble is not None:
            if self._closed or now < self._moved + self._timing.calm:
                return []
            self._trouble = None
            news: list[News] = [self._change(False, self._gap)] if self._told else []
            return [*news, Cured()]
        if self._told and now >= self._moved + self._timing.stuck:
            self._trouble = Trouble("held")
            return [self._trouble]
        return []

    def _change(self, pressed: bool, gap: bool) -> Change:
        self._told = pressed
        self._count = (self._count + 1) % _COUNTS
        return Change(pressed, self._count, gap)
