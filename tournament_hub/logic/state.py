"""The whole of a tournament at one moment, frozen: who sits where, what each table does, who is out and in which group.

The entry is the unit, not the seat and not the person: each is in exactly one of seated, in transit, out, waiting.
Chips are whole; None is a stack that nobody recorded, never zero. Dictionaries in here are never changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct, field

from engine.seating import Positions
from table_controller import messages as m
from tournament_hub.logic.clock import Clock, Stage
from tournament_hub.logic.penalties import Fault
from tournament_hub.logic.ranking import Group

Where = Literal["waiting", "seated", "in_transit", "out"]
MoveState = Literal["planned", "in_transit", "mismatch", "done", "cancelled"]
CallState = Literal["open", "acknowledged", "ruled", "closed"]
OPEN_MOVES: Final = ("planned", "in_transit", "mismatch")


class Place(Struct, frozen=True, order=True):
    """A seat at a table."""

    table: str
    seat: int


class Settings(Struct, frozen=True, kw_only=True):
    """What a director sets before the first card.

    Attributes:
        tournament: id; ``title``: what people call it.
        capacity: seats of a table in the draw (a table of its own number: ``Table.capacity``).
        starting_stack: chips of a new entry; None: stacks are not recorded, and counts on moves are off.
        seed: of every draw, logged.
        final_seats: at how many left the last table is formed; None: as the preset says.
        places_paid: how many places win something (0: not known or none).
        re_entries, rebuys: how often one may; ``add_on``: whether there is one. All off by default.
        stages: levels and breaks.
        automatic: kinds of proposals that the hub does by itself, without asking.
        break_order: in which order tables will be broken, where the club has written one; those that join later are last.
        tables_confirm: what tables report comes late: one waits for hand-for-hand only when it says so itself
            (``HandDone``), not when its last result is here: it may have begun another hand that nobody knows of yet.
    """

    tournament: str
    title: str = ""
    rulebook: str = "standard"
    capacity: int = 9
    starting_stack: int | None = 20000
    seed: int = 0
    final_seats: int | None = None
    places_paid: int = 0
    re_entries: int = 0
    rebuys: int = 0
    rebuy_stack: int = 0
    add_on: bool = False
    add_on_stack: int = 0
    smallest_chip: int = 1
    limit: Literal["no_limit", "pot_limit", "fixed_limit"] = "no_limit"
    stages: tuple[Stage, ...] = ()
    automatic: tuple[str, ...] = ()
    tables_confirm: bool = False
    break_order: tuple[str, ...] = ()


class Entry(Struct, frozen=True, kw_only=True):
    """One paid place in the tournament. A person who comes again has another entry, with the same ``player``.

    Attributes:
        id: never a name. ``player``: pseudonym that several entries of one person share.
        where: ``waiting seated in_transit out``.
        place: his seat; in transit, the reserved one; out, the last one.
        stack: chips, None where not recorded. In transit: as the source confirmed.
        absent_since: seconds on the hub's clock; ``declared``: he said that he leaves.
        penalty: hands still to miss; ``warnings``: so far.
        moves: how often he was moved; ``move``: the open one.
        locked: the seat that a draw must give him.
        faults: what he was reported for, oldest first.
        fresh: not dealt in yet at this table.
        number: which entry of this player it is, from 1; ``rebuys``, ``add_ons``: taken so far.
    """

    id: str
    player: str
    where: Where = "waiting"
    place: Place | None = None
    stack: int | None = None
    absent: bool = False
    absent_since: float | None = None
    declared: bool = False
    penalty: int = 0
    warnings: int = 0
    moves: int = 0
    move: str | None = None
    locked: Place | None = None
    fresh: bool = True
    number: int = 1
    rebuys: int = 0
    add_ons: int = 0
    disqualified: bool = False
    faults: tuple[Fault, ...] = ()


class Table(Struct, frozen=True, kw_only=True):
    """One table of the tournament.

    Attributes:
        device: whether a program plays it; without one the director's phone says what happens.
        status: ``open``; ``breaking``: its players are being moved; ``closed``.
        seats: seat → entry, of those that sit there.
        positions: button and blinds of the last hand; None: not known. ``first_button``: drawn, not played yet.
        big_blind_next: the seat that a person named as the next big blind; good until a hand is told.
        hand, running: number of the hand that runs or was last; ``series``: goes up when the numbers begin anew.
        hands: how many were played here.
        level_hands: level → hands played in it.
        hold: why no hand may start. ``waived``: the shortage at which the halt was waived.
        heard: everything that it said is here; ``vouched``: a person says that what is known is right.
        gate_used: hand-for-hand value of its last finished hand; ``gate_running``: of the hand that runs.
        runout: seats that wait, cards down, for the other tables; ``runout_released``: they may go on.
        loose: chips known to be at the table but not at which seat.
        left: seats that became empty since the last hand began.
        stopped: a person says that it has stopped, until it says something of a hand itself.
        begun: when the pot of its last hand was awarded, while nothing has kept it from the next one since.
        needs: how many must be back in their seats for its first hand after a break; 0: there was none since its last.
    """

    id: str
    capacity: int = 9
    device: bool = True
    status: Literal["open", "breaking", "closed"] = "open"
    seats: dict[int, str] = field(default_factory=dict)
    positions: Positions | None = None
    first_button: int | None = None
    big_blind_next: int | None = None
    hand: int | None = None
    series: int = 0
    running: bool = False
    hands: int = 0
    level_hands: dict[int, int] = field(default_factory=dict)
    hold: tuple[str, ...] = ()
    waived: int | None = None
    heard: bool = True
    vouched: bool = False
    gate_used: int | None = None
    gate_running: int | None = None
    runout: tuple[int, ...] = ()
    runout_released: bool = False
    loose: int = 0
    left: tuple[int, ...] = ()
    stopped: bool = False
    needs: int = 0
    begun: float | None = None

    @property
    def trusted(self) -> bool:
        """Whether a decision may rest on what is known of this table: heard, vouched for, or told by people anyway."""
        return self.heard or self.vouched or not self.device


class Stop(Struct, frozen=True):
    """Why a table with a device is to stop (``round:7 break:4 breaking hold``), and since when."""

    cause: str
    since: float


class Move(Struct, frozen=True, kw_only=True):
    """An entry's way from one seat to another; one transaction, keyed by the entry.

    ``early``: who has welcomed him already, before the source has told that he left.
    ``stack``: as the source confirmed; ``counted``: as the destination found. ``reason``: ``balance breaking final
    director``. ``confirmed_by``: source, then destination.
    """

    id: str
    entry: str
    origin: Place
    target: Place
    state: MoveState = "planned"
    reason: str = "balance"
    stack: int | None = None
    counted: int | None = None
    confirmed_by: tuple[str, ...] = ()
    planned_at: float = 0.0
    early: str | None = None


class HandForHand(Struct, frozen=True, kw_only=True):
    """Every table plays one hand, then waits. ``round`` 0: announced, nobody has a new hand yet.

    ``gate``: value that the next hand may use; it only ever goes up in a tournament. ``parked``: tables that have
    played their hand; ``excused``: tables that a person lets be, with the reason.
    """

    round: int
    gate: int
    roster: tuple[str, ...]
    parked: tuple[str, ...] = ()
    excused: dict[str, str] = field(default_factory=dict)


class Call(Struct, frozen=True, kw_only=True):
    """A floor call; ``rev`` is what two people at once are kept apart by.

    ``origin``: its name at the table; ``decision``: what the table must know; ``obeyed``: closed there too.
    ``declared``, ``counted``: chips that were said and that were found; None: it is not about that, or not known.
    """

    id: str
    kind: str
    table: str | None = None
    seat: int | None = None
    hold: bool = False
    rev: int = 1
    state: CallState = "open"
    by: str = ""
    code: str = ""
    text: str = ""
    article: str = ""
    opened_at: float = 0.0
    origin: str = ""
    hand: int | None = None
    incident: str = ""
    decision: m.Decision | None = None
    obeyed: bool = False
    declared: int | None = None
    counted: int | None = None


class Booked(Struct, frozen=True, kw_only=True):
    """A line of the chip ledger: chips that came into play or left it for another reason than an entry's start."""

    code: str
    amount: int
    table: str | None = None
    entry: str | None = None


class State(Struct, frozen=True, kw_only=True):
    """A tournament.

    Attributes:
        rev: how many events made it.
        order: tables in the order in which they will be broken, posted beforehand.
        moves: all moves, by id; ``groups``: who went out together, in order.
        last_gate: the highest hand-for-hand value ever given.
        issued: chips given to entries; with the ledger's sum, what must be in play.
        passed: block → reason, for blocks that a person passes.
        postponed: proposal → revision at which somebody said "later".
        discrepancies: what does not fit together, by key, until a person has looked.
        final: the table that was formed as the last one; ``redrawn``: its seats were drawn anew.
        rebuys_asked: entries that would like a rebuy and have no answer yet.
        stops: tables with a device that were told to stop, each with why and since when.
        noted: instructions of the book that somebody has carried out.
    """

    settings: Settings
    rev: int = 0
    started: bool = False
    over: bool = False
    entries: dict[str, Entry] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    clock: Clock = Clock()
    moves: dict[str, Move] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    hand_for_hand: HandForHand | None = None
    last_gate: int = 0
    calls: dict[str, Call] = field(default_factory=dict)
    ledger: tuple[Booked, ...] = ()
    issued: int = 0
    passed: dict[str, str] = field(default_factory=dict)
    postponed: dict[str, int] = field(default_factory=dict)
    discrepancies: dict[str, str] = field(default_factory=dict)
    final: str | None = None
    redrawn: bool = False
    rebuys_asked: tuple[str, ...] = ()
    stops: dict[str, Stop] = field(default_factory=dict)
    noted: tuple[str, ...] = ()


def alive(state: State) -> int:
    """How many entries are still in: seated, on the way, or waiting for a seat."""
    return sum(entry.where != "out" for entry in state.entries.values())


def faults_of(state: State, entry: Entry) -> tuple[Fault, ...]:
    """What a person was reported for, in this entry and earlier ones, oldest first."""
    mine = (held for held in state.entries.values() if held.player == entry.player)
    return tuple(fault for held in mine for fault in held.faults)


def open_tables(state: State) -> list[Table]:
    """Tables that are played, those being broken not counted, in the posted order."""
    found = [state.tables[name] for name in state.order if name in state.tables]
    return [table for table in found if table.status == "open"]


def posted(state: State) -> tuple[str, ...]:
    """The order of breaking as it is shown to people; empty where one table alone is left, or it is over."""
    found = tuple(name for name in state.order if state.tables[name].status != "closed")
    return found if len(found) > 1 and not state.over else ()


def open_moves(state: State) -> Iterator[Move]:
    """Moves that are not finished."""
    return (move for move in state.moves.values() if move.state in OPEN_MOVES)


def reserved(state: State, table: str) -> dict[int, str]:
    """Seats of a table that somebody is on his way to: seat → entry."""
    return {move.target.seat: move.entry for move in open_moves(state) if move.target.table == table}


def free_seats(state: State, table: Table) -> list[int]:
    """Seats where nobody sits and nobody is on his way to."""
    taken = reserved(state, table.id)
    return [seat for seat in range(1, table.capacity + 1) if seat not in table.seats and seat not in taken]


def size(state: State, table: Table) -> int:
    """How many play at a table once all open moves are done."""
    leaving = sum(1 for entry in table.seats.values() if state.entries[entry].move is not None)
    return len(table.seats) - leaving + len(reserved(state, table.id))


def sizes(state: State) -> dict[str, int]:
    """``size`` of every table at once."""
    found = {table.id: len(table.seats) for table in state.tables.values()}
    for move in open_moves(state):
        found[move.target.table] += 1
        if move.state == "planned":
            found[move.origin.table] -= 1
    return found


def short_of_restart(state: State, table: Table) -> int:
    """How many are missing at a table for its first hand after a break; 0: it may go on, or a person has let it.

    The last table always goes on: who is away is blinded off there.
    """
    if not table.needs or f"restart:{table.id}" in state.passed or len(open_tables(state)) < 2:
        return 0
    present = sum(not state.entries[name].absent for name in table.seats.values())
    return max(0, table.needs - present)


def chips_due(state: State) -> int:
    """Chips that must be in play: given out, plus what the ledger added or took."""
    return state.issued + sum(line.amount for line in state.ledger)


def chips_found(state: State) -> int | None:
    """Chips at all tables and on the way; None when a stack is not recorded."""
    total = sum(table.loose for table in state.tables.values())
    for entry in state.entries.values():
        if entry.where == "out":
            continue
        if entry.stack is None:
            return None
        total += entry.stack
    return total
