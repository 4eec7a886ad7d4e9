"""A dealing shoe behind the microcontroller: one command id is at most one card, whatever is lost on the line.

It moves only while armed, and disarms itself after two seconds without ARM. What it has fed it remembers over a restart; a feed
that was cut short comes back as a jam.

Does not model: double feeds, doors, a carriage that sticks, an empty shoe, the opening that clears a jam.
"""

from collections.abc import Callable
from typing import Final

from hw_sim.clock import Agenda
from hw_sim.codec import NAK_BUSY, NAK_NOT_ARMED, NAK_OUT_OF_RANGE, Fields

READY, FEEDING, JAM, DISARMED = 0, 1, 3, 7
ARMED_S: Final = 2.0
FEED_S: Final = 0.6
_TARGETS: Final = range(1, 13)


class Shoe:
    """The shoe.

    Attributes:
        steps: What its motor has done: (command id, target) of each card that came out.
    """

    def __init__(self, agenda: Agenda, changed: Callable[[], None]) -> None:
        self.steps: list[tuple[int, int]] = []
        self.moving: tuple[int, int] | None = None
        self.jammed = False
        self._agenda = agenda
        self._changed = changed
        self._armed_until = 0.0
        self._known: set[int] = set()
        self._last = (0, 0)
        self._life = object()

    @property
    def armed(self) -> bool:
        """Whether it may move."""
        return self._agenda.now < self._armed_until

    def fields(self) -> Fields:
        """The fields of SHOE."""
        state = DISARMED if not self.armed else READY
        state = FEEDING if self.moving is not None else JAM if self.jammed else state
        command_id, target = self._last
        return {"state": state, "cards_out": len(self.steps), "target": target, "command_id": command_id}

    def power_off(self) -> None:
        """The supply goes: a card that is half out is a jam."""
        self._life = object()
        self.jammed = self.jammed or self.moving is not None
        self.moving = None
        self._armed_until = 0.0

    def arm(self, armed: bool) -> int | None:
        """ARM: it may move for two seconds, or stops; the code to refuse it with."""
        if self.jammed:
            return NAK_NOT_ARMED
        before = self.armed
        self._armed_until = self._agenda.now + ARMED_S if armed else 0.0
        if before != self.armed:
            self._changed()
        return None

    def feed(self, target: int, command_id: int) -> int | None:
        """FEED: one card for this id, now or never; the code to refuse it with."""
        if command_id in self._known:
            return None
        if target not in _TARGETS:
            return NAK_OUT_OF_RANGE
        if not self.armed or self.jammed:
            return NAK_NOT_ARMED
        if self.moving is not None:
            return NAK_BUSY
        self._known.add(command_id)
        self._last = self.moving = (command_id, target)
        # the rollers have begun: from here on the card counts as fed
        self.steps.append((command_id, target))
        life = self._life

        def out() -> None:
            if self._life is life:
                self.moving = None
                self._changed()

        self._agenda.after(FEED_S, out)
        self._changed()
        return None
