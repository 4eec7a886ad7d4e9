"""What the page is made of: everything that it may show, taken in the table's thread, read in the page server's.

A picture holds the engine's state and what people have set, never what the antennas read: a card that lies face down
has no name here because the engine has none for it.
"""

from __future__ import annotations

from binascii import crc32

import msgspec
from msgspec import Struct

from engine import machine
from engine.events import TableEvent
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from table_controller import messages as m
from table_controller.hand_start import LastHand, NotNow
from table_controller.here import Here
from table_controller.hub_clock import ClockNow
from table_controller.level_clock import LevelClock, Stage


class Asked(Struct, frozen=True):
    """A question of the sensors: the irregularity that they think they saw, and where."""

    incident: str
    seats: tuple[int, ...]
    place: str


class Settings(Struct, frozen=True):
    """How the table is set up, for the page."""

    name: str
    self_dealt: bool
    rotate: int
    stages: tuple[Stage, ...] = ()
    betting: str = "amounts"
    hub: bool = False
    button: int | None = None


class Picture(Struct, frozen=True):
    """One moment of the table.

    Attributes:
        settings: How the table is set up.
        state: The engine's state.
        book: The rulebook in force.
        expects: The next acts, those left out that people have said they have seen to.
        asked: A question of the sensors.
        refused: Why no hand begins.
        ruled: The last rulings of the hand that people have not put away.
        here: What the people at the table have set.
        desired: The document in force with that over it.
        last: What the last hand left.
        clock: The level clock now; None without a structure.
        t: Table time (s).
        light: Light mode.
        cards_seen: Places whose cards are read by antennas.
        out_of_step: The table understands too little of the hand: it says nothing and offers to be put right.
        undoable: What would be undone.
        called: Table time at which a player's time was asked for; None while nobody's runs.
        counted: Stacks and pot may be shown exactly: the player to act has asked (self-dealt tables).
        doubts: What the sensors are not sure of.
        floor: How far the floor has heard a call of the people here (`Desk.floor_heard`); empty: none is open.
        notices: What became of presses that meant nothing.
        hub_clock: The tournament's clock; None where no hub tells it.
        told_moves: Moves of which the hub was told and has not answered: who has left by the move, ``+`` and it who came.
    """

    settings: Settings
    state: HandState
    book: Rulebook
    expects: tuple[Order, ...]
    asked: Asked | None
    refused: NotNow | None
    ruled: tuple[Ruling, ...]
    here: Here
    desired: m.Desired
    last: LastHand
    clock: LevelClock | None
    t: float
    light: bool
    cards_seen: frozenset[str]
    out_of_step: bool
    undoable: tuple[TableEvent, ...]
    called: float | None
    counted: bool
    doubts: tuple[m.DoubtAt, ...]
    notices: tuple[str, ...]
    floor: str = ""
    hub_clock: ClockNow | None = None
    told_moves: frozenset[str] = frozenset()

    @property
    def blind(self) -> bool:
        """Whether nobody and nothing tells the table what happens inside a hand."""
        return self.light and not self.cards_seen

    @property
    def open_to_all(self) -> bool:
        """Whether exact stacks, pot and raises may be shown: everywhere but on a self-dealt table before a count."""
        return self.counted or not self.settings.self_dealt or self.here.croupier

    @property
    def turn(self) -> str:
        """Names what is asked of people now: a tap counts only while it still is what its screen has shown."""
        state = self.state
        facts = (
            state.hand,
            state.misdeals,
            state.phase,
            state.to_act,
            len(state.acts),
            tuple((order.order, order.to, order.seat, order.fact, order.for_) for order in self.expects),
            self.asked,
            len(state.calls),
            self.told_moves,
        )
        return f"{crc32(repr(facts).encode()):08x}"

    def same(self, other: Picture) -> bool:
        """Whether a screen would show the same; times that only run on do not count."""
        return (
            self.state is other.state
            and self.book is other.book
            and self.here is other.here
            and self.desired == other.desired
            and (self.expects, self.asked, self.refused, self.ruled)
            == (other.expects, other.asked, other.refused, other.ruled)
            and (self.clock and self.clock.place) == (other.clock and other.clock.place)
            and _still(self.hub_clock) == _still(other.hub_clock)
            and self.told_moves == other.told_moves
            and (self.out_of_step, self.called, self.counted, self.doubts, self.notices, self.floor)
            == (other.out_of_step, other.called, other.counted, other.doubts, other.notices, other.floor)
        )


def _still(clock: ClockNow | None) -> ClockNow | None:
    """A clock without the time that only runs on."""
    if clock is None or not clock.runs:
        return clock
    return msgspec.structs.replace(clock, left=1.0 if clock.left else 0.0)


def clock_on(state: HandState) -> Order | None:
    """The clock that runs on the player to act."""
    return next((o for o in state.plan if o.order == "clock" and o.seat == state.to_act), None)


def due(state: HandState, book: Rulebook, seen_to: frozenset[Order]) -> tuple[Order, ...]:
    """The next acts once people have seen to these acts of the cure, of which no event tells."""
    if seen_to.isdisjoint(state.plan):
        return machine.expects(state, book)
    draft = state.thaw()
    draft.plan = tuple(order for order in draft.plan if order not in seen_to)
    return machine.expects(draft, book)
