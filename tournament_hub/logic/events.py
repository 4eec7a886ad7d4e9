"""What happens in a tournament, as events: what tables report, what people tell, what the director decides.

A decision is never edited: it is undone by further events (``undo``), which name it. A record says when, by whom, and
from what cause (a floor call's id), so that undoing a ruling undoes all that came of it. Results of draws stand in the
event with their seed, so a replay never draws again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from engine.seating import Positions
from tournament_hub.logic.clock import Act, Stage
from tournament_hub.logic.floor_events import CallAnswered as CallAnswered
from tournament_hub.logic.floor_events import CallGone as CallGone
from tournament_hub.logic.floor_events import CallOpened as CallOpened
from tournament_hub.logic.floor_events import CallTold as CallTold
from tournament_hub.logic.floor_events import RebuyAsked as RebuyAsked
from tournament_hub.logic.floor_events import RebuyDeclined as RebuyDeclined
from tournament_hub.logic.happened import Happened
from tournament_hub.logic.penalties import Fault, Kind
from tournament_hub.logic.round_events import Excused as Excused
from tournament_hub.logic.round_events import HandDone as HandDone
from tournament_hub.logic.round_events import HandForHandAnnounced as HandForHandAnnounced
from tournament_hub.logic.round_events import HandForHandEnded as HandForHandEnded
from tournament_hub.logic.round_events import RoundReleased as RoundReleased
from tournament_hub.logic.round_events import RunoutPending as RunoutPending
from tournament_hub.logic.round_events import RunoutReleased as RunoutReleased
from tournament_hub.logic.round_events import StopTold as StopTold
from tournament_hub.logic.state import Place, Settings

# -- setting up ----------------------------------------------------------------------


class Opened(Happened, frozen=True, kw_only=True, tag="opened"):
    """The tournament exists, or its settings are others. ``filed``: as the file has them, where it was taken over."""

    settings: Settings
    filed: Settings | None = None


class Registered(Happened, frozen=True, kw_only=True, tag="registered"):
    """An entry signs in (``absent``: it is only announced) and waits for a seat; ``locked``: it must get this one.

    ``new``: with it the person's name came onto the club's list, and goes from it again when it is undone.
    """

    entry: str
    player: str = ""
    absent: bool = False
    locked: Place | None = None
    stack: int | None = None
    new: bool = False


class Withdrawn(Happened, frozen=True, kw_only=True, tag="withdrawn"):
    """An entry never was: it leaves with its chips, without a place. For a wrong registration."""

    entry: str


class TableOpened(Happened, frozen=True, kw_only=True, tag="table_opened"):
    """A table joins, last in the order of breaking, or opens again. ``device``: a program plays it."""

    table: str
    capacity: int = 9
    device: bool = True


class TableClosed(Happened, frozen=True, kw_only=True, tag="table_closed"):
    """A table without players is not played any more."""

    table: str


class OrderPosted(Happened, frozen=True, kw_only=True, tag="order_posted"):
    """In which order the tables will be broken."""

    order: tuple[str, ...]


class Seating(Struct, frozen=True):
    """Who gets which seat."""

    entry: str
    place: Place


class Drawn(Happened, frozen=True, kw_only=True, tag="drawn"):
    """Seats are given to those who wait; ``how``: ``drawn imported director``; ``seed``: of the draw."""

    seats: tuple[Seating, ...]
    how: str = "drawn"
    seed: str = ""


class Undrawn(Happened, frozen=True, kw_only=True, tag="undrawn"):
    """A draw is taken back before anybody played; these wait again."""

    entries: tuple[str, ...]


class ButtonSet(Happened, frozen=True, kw_only=True, tag="button_set"):
    """Where the button is for the next hand at a table; ``how``: ``drawn high_card first_seat director``.

    ``positions``: the table's last hand, where the button is only set right; else a new draw.
    """

    table: str
    button: int | None = None
    positions: Positions | None = None
    how: str = "drawn"
    seed: str = ""


class Started(Happened, frozen=True, kw_only=True, tag="started"):
    """The first hands may be dealt."""


class Unstarted(Happened, frozen=True, kw_only=True, tag="unstarted"):
    """The start is taken back before a hand was played: tables wait, the clock stands before its first level again.

    ``pauses``: who held the clock before the start; None: it ran already, and stays as it is.
    """

    pauses: tuple[str, ...] | None = None


class Clocked(Happened, frozen=True, kw_only=True, tag="clocked"):
    """The clock is moved; ``at`` of the record is its time."""

    act: Act


class LevelsSet(Happened, frozen=True, kw_only=True, tag="levels_set"):
    """Levels and breaks are others. ``stage``, ``remaining``: the clock is put there with them, else it stays in its level.

    ``why``: ``finish`` (to be done in time), ``break``, ``director``, ``undo``.
    """

    stages: tuple[Stage, ...]
    stage: int | None = None
    remaining: float | None = None
    why: str = "director"


# -- entries while it runs -------------------------------------------------------------


class LateEntered(Happened, frozen=True, kw_only=True, tag="late_entered"):
    """A late or renewed entry: registered and seated in one. ``missed``: chips taken for blinds that have passed.

    ``new``: as in ``Registered``.
    """

    entry: str
    player: str = ""
    place: Place | None = None
    stack: int | None = None
    missed: int = 0
    again: bool = False
    new: bool = False


class Seated(Happened, frozen=True, kw_only=True, tag="seated"):
    """Somebody who waits gets a seat."""

    entry: str
    place: Place


class Presence(Happened, frozen=True, kw_only=True, tag="presence"):
    """An entry is away or back. ``declared``: it said so."""

    entry: str
    absent: bool
    declared: bool = False


class ChipsAdded(Happened, frozen=True, kw_only=True, tag="chips_added"):
    """A rebuy or an add-on; negative: it is taken back."""

    entry: str
    chips: int
    kind: Literal["rebuy", "add_on"] = "rebuy"


class Counted(Happened, frozen=True, kw_only=True, tag="counted"):
    """Somebody has counted a stack."""

    entry: str
    stack: int | None


class Busted(Happened, frozen=True, kw_only=True, tag="busted"):
    """A person says who is out, several of one hand together; for a table without a device, or one that is not heard."""

    table: str
    entries: tuple[str, ...]
    start_stacks: dict[str, int] = field(default_factory=dict)


class Disqualified(Happened, frozen=True, kw_only=True, tag="disqualified"):
    """An entry's chips are out of play, its place is that of this moment. ``left``: not a penalty, it has gone home."""

    entry: str
    reason: str = ""
    left: bool = False


class Returned(Happened, frozen=True, kw_only=True, tag="returned"):
    """Somebody who was out is in after all; without a place he waits for one. ``chips_from``: where they come from."""

    entry: str
    place: Place | None = None
    stack: int | None = None
    chips_from: Literal["table", "ledger"] = "table"


class PenaltySet(Happened, frozen=True, kw_only=True, tag="penalty_set"):
    """How many hands an entry must still miss, and how many warnings it has.

    ``offence``, ``kind``: what for, and what it came to; it is remembered. ``faults``: all that is remembered, where a
    penalty is taken back.
    """

    entry: str
    hands: int
    warnings: int = 0
    offence: str = ""
    article: str = ""
    kind: Kind | Literal[""] = ""
    faults: tuple[Fault, ...] | None = None


class PenaltyServed(Happened, frozen=True, kw_only=True, tag="penalty_served"):
    """A hand of a penalty was missed."""

    entry: str
    left: int


# -- hands -----------------------------------------------------------------------------


class HandStarted(Happened, frozen=True, kw_only=True, tag="hand_started"):
    """A table is dealt a hand. ``positions`` None: not known."""

    table: str
    hand: int
    level: int = 0
    positions: Positions | None = None
    gate: int | None = None


class HandEnded(Happened, frozen=True, kw_only=True, tag="hand_ended"):
    """A hand is over. ``stacks``: by entry, None not recorded; ``busts``: entry → stack at the hand's start.

    ``amends``: an earlier result of this hand is replaced.
    """

    table: str
    hand: int | None = None
    stacks: dict[str, int | None] = field(default_factory=dict)
    busts: dict[str, int | None] = field(default_factory=dict)
    void: bool = False
    amends: bool = False


class BigBlindTold(Happened, frozen=True, kw_only=True, tag="big_blind_told"):
    """A person says who has the next big blind at a table."""

    table: str
    seat: int | None


class Heard(Happened, frozen=True, kw_only=True, tag="heard"):
    """All that a table said is here (again), or not any more."""

    table: str
    heard: bool


class DealerTold(Happened, frozen=True, kw_only=True, tag="dealer_told"):
    """Who deals at a table from now on, for the director's own figures; empty: nobody in particular."""

    table: str
    dealer: str


class Vouched(Happened, frozen=True, kw_only=True, tag="vouched"):
    """A person says that what is known of a table is right, until it is heard again."""

    table: str
    vouched: bool = True


class LooseTold(Happened, frozen=True, kw_only=True, tag="loose_told"):
    """Every stack was counted: by table, the chips that lie there without a seat; what is found or lost is booked."""

    loose: dict[str, int]


class ColouredUp(Happened, frozen=True, kw_only=True, tag="coloured_up"):
    """Stacks after a colour-up at a table; what came or went is in the ledger."""

    table: str
    stacks: dict[str, int]


# -- moves -----------------------------------------------------------------------------


class MovePlanned(Happened, frozen=True, kw_only=True, tag="move_planned"):
    """A seat is reserved; slip and both dealers' screens say it."""

    move: str
    entry: str
    target: Place
    reason: str = "balance"


class MoveLeft(Happened, frozen=True, kw_only=True, tag="move_left"):
    """The source confirms the stack; the entry is on its way. None: stacks are not recorded."""

    move: str
    stack: int | None = None
    by: str = ""


class MoveArrived(Happened, frozen=True, kw_only=True, tag="move_arrived"):
    """The destination has counted: the same commits the move, another number is a floor call."""

    move: str
    counted: int | None = None
    by: str = ""


class MoveSettled(Happened, frozen=True, kw_only=True, tag="move_settled"):
    """The director says what a moved stack is; the difference goes into the ledger."""

    move: str
    stack: int | None
    reason: str = ""


class MoveCancelled(Happened, frozen=True, kw_only=True, tag="move_cancelled"):
    """A move is off: the entry stays, or goes back to where it came from."""

    move: str
    reason: str = ""


class Reseated(Happened, frozen=True, kw_only=True, tag="reseated"):
    """An entry sits elsewhere at once, chips and all; takes a finished move back."""

    entry: str
    place: Place


class TableBreaking(Happened, frozen=True, kw_only=True, tag="table_breaking"):
    """A table is broken: no new hand, and a move for everybody at it. ``final``: the last table is formed."""

    table: str
    moves: tuple[MovePlanned, ...]
    final: bool = False
    seed: str = ""


class BreakCancelled(Happened, frozen=True, kw_only=True, tag="break_cancelled"):
    """A broken table is played again; whoever has not left stays."""

    table: str


class Redrawn(Happened, frozen=True, kw_only=True, tag="redrawn"):
    """The final table's seats are drawn anew."""

    table: str
    seats: tuple[Seating, ...]
    seed: str = ""


# -- stopping and waiting -----------------------------------------------------------------


class Held(Happened, frozen=True, kw_only=True, tag="held"):
    """A table starts no hand until this reason is gone."""

    table: str
    reason: str


class Released(Happened, frozen=True, kw_only=True, tag="released"):
    """A reason to hold is gone."""

    table: str
    reason: str


class HaltWaived(Happened, frozen=True, kw_only=True, tag="halt_waived"):
    """The director lets a short table play on at this shortage; None: he does not any more."""

    table: str
    short: int | None


class GroupOrdered(Happened, frozen=True, kw_only=True, tag="group_ordered"):
    """Who of one group is ranked above whom, best first, by a person's word or a heads-up. Empty: by the stacks again."""

    group: str
    order: tuple[str, ...] = ()


class StackTold(Happened, frozen=True, kw_only=True, tag="stack_told"):
    """How many chips somebody who is out had at the start of his last hand."""

    entry: str
    start_stack: int | None


class Passed(Happened, frozen=True, kw_only=True, tag="passed"):
    """A person passes a block and says why; an empty reason takes it back."""

    block: str
    reason: str


class Postponed(Happened, frozen=True, kw_only=True, tag="postponed"):
    """ "Later": a proposal is put behind the others; ``again``: not after all."""

    proposal: str
    again: bool = False


class Noted(Happened, frozen=True, kw_only=True, tag="noted"):
    """A person has seen to what the book asks of people; ``again``: not yet after all, it is said again."""

    notes: tuple[str, ...]
    again: bool = False


class Looked(Happened, frozen=True, kw_only=True, tag="looked"):
    """A person has seen what does not fit together; ``detail``: he has not after all, and this is what it was."""

    discrepancy: str
    detail: str | None = None


class Finished(Happened, frozen=True, kw_only=True, tag="finished"):
    """One is left, or the director ends it; ``again``: it goes on after all."""

    again: bool = False


Event = (
    Opened
    | Registered
    | Withdrawn
    | TableOpened
    | TableClosed
    | OrderPosted
    | Drawn
    | Undrawn
    | ButtonSet
    | Started
    | Unstarted
    | Clocked
    | LevelsSet
    | LateEntered
    | Seated
    | Presence
    | ChipsAdded
    | Counted
    | Busted
    | Disqualified
    | Returned
    | PenaltySet
    | PenaltyServed
    | HandStarted
    | HandEnded
    | BigBlindTold
    | Heard
    | DealerTold
    | Vouched
    | LooseTold
    | ColouredUp
    | MovePlanned
    | MoveLeft
    | MoveArrived
    | MoveSettled
    | MoveCancelled
    | Reseated
    | TableBreaking
    | BreakCancelled
    | Redrawn
    | Held
    | Released
    | HaltWaived
    | HandForHandAnnounced
    | RoundReleased
    | HandDone
    | Excused
    | StopTold
    | RunoutPending
    | RunoutReleased
    | HandForHandEnded
    | GroupOrdered
    | StackTold
    | Passed
    | Postponed
    | Noted
    | Looked
    | Finished
    | CallOpened
    | CallTold
    | CallAnswered
    | CallGone
    | RebuyAsked
    | RebuyDeclined
)


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event as it is kept.

    Attributes:
        n: place in the tournament's log, from 1, gapless.
        at: seconds on the hub's clock.
        by: who; a table's id for what a table reports.
        cause: the floor call or decision that it came of.
        undoes: the record that it takes back.
        undo: what takes it back, as things stood when it was decided; empty: it cannot be undone.
        utc: a label for people.
    """

    n: int
    at: float
    event: Event
    by: str = ""
    cause: str | None = None
    undoes: int | None = None
    undo: tuple[Event, ...] = ()
    utc: str = ""


def beginning(log: Iterable[Record]) -> Record | None:
    """The start that counts: the first one that was not taken back; None: it has not started."""
    found: Record | None = None
    for record in log:
        if isinstance(record.event, Started):
            found = found or record
        elif isinstance(record.event, Unstarted):
            found = None
    return found
