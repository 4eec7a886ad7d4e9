"""The dealing shoe, where a table has one: the engine's orders drive it, the sensors say that each card has come.

One card at a time. The next one is fed only when the engine has taken the card before (an antenna has read it, or
people have said so), and no card is ever fed twice: whatever goes wrong while a card is under way (jam, double feed,
line, restart), people deal that card by hand and the shoe goes on with the next. Without ``[shoe] on = true`` there is
no such object, and nothing arms or mentions a shoe.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct

from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES
from firmware_bridge.errors import CommandQueueFull
from firmware_bridge.observations import CommandRefused, DeviceState, Inventory
from firmware_bridge.observations import Shoe as ShoeSaid
from table_controller.equipment import ShoeSetting
from table_controller.fusion import Coverage
from table_controller.fusion.offers import DoubtAt

BOARD: Final = 11
BURN: Final = 12
_ALARM_MS: Final = 300
_CLEAN: Final = frozenset({"ready", "disarmed"})
_FLOP: Final = 3
TROUBLES: Final[Mapping[str, str]] = {
    "jam": "shoe_jam",
    "double_feed": "shoe_double_feed",
    "empty": "shoe_empty",
    "door": "shoe_door",
    "misaligned": "shoe_misaligned",
    "unknown": "shoe_silent",
}
"""What the shoe says of itself, and the doubt that people read."""

Key = tuple[int, int, str, int, int]
"""Hand, misdeals before, kind, seat and how much of that kind was dealt before: one card or one street, no other."""


class Feeding(Protocol):
    """What of the devices moves a shoe."""

    def arm(self, armed: bool) -> None:
        """Let the shoe move, or stop it."""

    def feed(self, target: int, command_id: int) -> None:
        """Feed one card."""

    def buzz(self, duration_ms: int) -> None:
        """Sound the buzzer."""


class Wanted(Struct, frozen=True):
    """The next card that the engine expects from the deck.

    Attributes:
        target: Where the shoe sends it.
        place: The same as a place of the table.
        key: What it is a part of.
        need: Cards that belong to the key.
        laid: Cards of it that the engine has taken.
    """

    target: int
    place: str
    key: Key
    need: int = 1
    laid: int = 0


class _Card:
    """A card that was asked for: ``asked``, ``out`` of the shoe, or left to people (``by_hand``)."""

    def __init__(self, wanted: Wanted, command_id: int, t: float, lying: frozenset[str]) -> None:
        self.wanted = wanted
        self.command_id = command_id
        self.since = t
        self.lying = lying
        self.state: Literal["asked", "out", "by_hand"] = "asked"
        self.reason = ""


class Feeder:
    """Feeds what the engine expects. In the table's thread; its time is the table's.

    Attributes:
        doubts: What stands in the way, for people.
        fed: Cards that it has asked the shoe for.
    """

    def __init__(self, devices: Feeding, coverage: Coverage, setting: ShoeSetting, first_id: int) -> None:
        """Begin with nothing known of the shoe.

        Args:
            devices: What moves it.
            coverage: Where arriving cards are read.
            setting: How long it waits.
            first_id: No command id from here on was ever used.
        """
        self.doubts: tuple[DoubtAt, ...] = ()
        self.fed = 0
        self._devices = devices
        self._coverage = coverage
        self._setting = setting
        self._next_id = first_id
        self._device = ""
        self._state = ""
        self._card: _Card | None = None
        self._armed = False
        self._lying: dict[str, frozenset[str]] = {}
        self._asked: dict[Key, int] = {}
        self._first = True
        self._woken: float | None = None

    # -- what it hears -------------------------------------------------------------------------------------

    def hear(self, seen: object) -> None:
        """Take what a device said, if it concerns the shoe or a place that it feeds."""
        if isinstance(seen, ShoeSaid):
            self._said(seen)
        elif isinstance(seen, CommandRefused) and seen.command == "FEED":
            self._refused(seen)
        elif isinstance(seen, Inventory):
            for place in self._coverage.places(seen):
                self._lying[place] = frozenset(seen.uids)
        elif isinstance(seen, DeviceState) and seen.device == self._device and seen.state == "lost":
            self._state, self._armed = "", False
            self._by_hand("shoe_silent")

    def _said(self, seen: ShoeSaid) -> None:
        self._device, self._state, self._woken = seen.device, seen.state, None
        if seen.state in TROUBLES:
            self._armed = False
            self._by_hand(TROUBLES[seen.state])
            return
        card = self._card
        if card is None or card.state != "asked" or card.command_id != seen.command_id:
            return
        if seen.state in _CLEAN:
            card.state, card.since = "out", seen.t

    def _refused(self, seen: CommandRefused) -> None:
        card = self._card
        if card is not None and card.command_id == seen.command_id and card.state == "asked":
            self._by_hand(TROUBLES.get(self._state, "shoe_silent"))

    def _by_hand(self, reason: str) -> None:
        """The card under way, if there is one, is people's from now on."""
        card = self._card
        if card is not None and card.state != "by_hand":
            card.state, card.reason = "by_hand", reason
            self._devices.buzz(_ALARM_MS)

    # -- what it does ---------------------------------------------------------------------------------------

    def step(self, now: float, state: HandState, expects: tuple[Order, ...]) -> None:
        """Look at what is expected now, and feed it if that may be; called when all that was heard is written.

        Args:
            now: Table time (s).
            state: The engine's state.
            expects: What people are shown, a question of the sensors first.
        """
        wanted = wanted_of(state, expects)
        if self._first:
            self._first = False
            if wanted is not None and (state.off_deck or state.phase != "dealing"):
                # the program was away inside a hand: nobody knows whether this card was under way
                self._card = self._new(wanted, now)
                self._by_hand("shoe_restart")
        card = self._card
        if card is not None and (_beyond(state, expects) if wanted is None else self._arrived(card, wanted)):
            card = self._card = None
        if card is not None:
            self._watch(card, now)
        elif wanted is not None and self._given(wanted) < wanted.need:
            if self._state in _CLEAN:
                self._feed(wanted, now)
            elif not self._state:
                self._wake(now)
        if wanted is None or (card is not None and card.state == "by_hand"):
            self._disarm()
        self._tell(wanted, now)

    def _given(self, wanted: Wanted) -> int:
        """Cards of this key that the shoe was asked for, or that people have dealt instead."""
        if any(key[:2] != wanted.key[:2] for key in self._asked):
            self._asked.clear()
        return max(self._asked.get(wanted.key, 0), wanted.laid)

    def _arrived(self, card: _Card, wanted: Wanted) -> bool:
        """Whether that card is done with: the engine has taken it, or the street has one card more.

        While a question or a call of the floor is open nothing is wanted and the card stays what it is.
        """
        if wanted.key != card.wanted.key or wanted.laid > card.wanted.laid:
            return True
        if card.wanted.target != BOARD:
            return False
        if not self._coverage.covers("board"):
            return card.state == "out"
        return bool(self._lying.get("board", frozenset()) - card.lying)

    def _watch(self, card: _Card, now: float) -> None:
        if card.state == "asked" and now - card.since > self._setting.answer:
            self._by_hand("shoe_silent")
        elif card.state == "out" and now - card.since > self._setting.arrive:
            covered = self._coverage.covers(card.wanted.place)
            card.reason = "shoe_not_arrived" if covered else "shoe_say_arrived"

    def _new(self, wanted: Wanted, now: float) -> _Card:
        command_id, self._next_id = self._next_id, (self._next_id + 1) & 0xFFFFFFFF
        self._asked[wanted.key] = self._given(wanted) + 1
        return _Card(wanted, command_id, now, self._lying.get(wanted.place, frozenset()))

    def _feed(self, wanted: Wanted, now: float) -> None:
        self._card = card = self._new(wanted, now)
        self._armed = True
        self._devices.arm(True)
        try:
            self._devices.feed(wanted.target, card.command_id)
            self.fed += 1
        except CommandQueueFull:
            self._by_hand("shoe_silent")

    def _wake(self, now: float) -> None:
        """Nothing is known of the shoe: arming it makes it say how it is."""
        if self._woken is None:
            self._woken = now
        if not self._armed:
            self._armed = True
            self._devices.arm(True)

    def _disarm(self) -> None:
        if self._armed:
            self._armed = False
            self._devices.arm(False)

    def _tell(self, wanted: Wanted | None, now: float) -> None:
        found: set[DoubtAt] = set()
        card = self._card
        if card is not None and card.reason:
            found.add(DoubtAt(card.wanted.place, card.reason))
        elif wanted is not None and self._state in TROUBLES:
            found.add(DoubtAt("deck", TROUBLES[self._state]))
        elif wanted is not None and self._woken is not None and now - self._woken > self._setting.answer:
            found.add(DoubtAt(wanted.place, "shoe_silent"))
        elif card is None and wanted is not None and wanted.need == 1 and self._given(wanted):
            # undone and expected again: the card that was fed lies somewhere
            found.add(DoubtAt(wanted.place, "shoe_by_hand"))
        self.doubts = tuple(sorted(found))


def _beyond(state: HandState, expects: tuple[Order, ...]) -> bool:
    """Whether play has gone on to something that is no card, and is not held up by a question or the floor."""
    return bool(expects) and expects[0].order not in ("ask", "wait") and not state.calls


def wanted_of(state: HandState, expects: tuple[Order, ...]) -> Wanted | None:
    """The card that a shoe may feed now; None while anything else comes first."""
    if not expects or state.calls:
        return None
    first, hand = expects[0], (state.hand, state.misdeals)
    if first.order == "deal" and first.to in SEAT_PLACES:
        seat = SEAT_PLACES[first.to]
        served = state.seats.get(seat)
        if served is None:
            return None
        # a card that was exposed and is replaced is another card of the same seat
        before = 10 * served.dealt + sum(1 for replaced, _ in state.dead_exposed if replaced == seat)
        return Wanted(seat, first.to, (*hand, "deal", seat, before))
    if first.order == "burn":
        return Wanted(BURN, "burn", (*hand, "burn", 0, len(state.burns)))
    if first.order == "board":
        before = len(state.board) - state.street_laid
        return Wanted(BOARD, "board", (*hand, "board", 0, before), 1 if before else _FLOP, state.street_laid)
    return None


def first_id(life: str, boot: int) -> int:
    """Where the command ids of one run of the program begin: far from those of any other run.

    >>> first_id("a", 1) != first_id("a", 2)
    True
    """
    return zlib.crc32(f"{life}/{boot}".encode())
