"""Every payload but the events: what is retained, asked, answered, ordered and acknowledged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from table_controller.messages.parts import Level, Order, Part
from table_controller.messages.vocabulary import (
    Boot,
    Card,
    Chips,
    Conn,
    Count,
    DeviceState,
    EntryId,
    Id,
    Label,
    Life,
    LifeState,
    Limit,
    Phase,
    Place,
    Seat,
    Seconds,
    Seq,
    Slug,
    Text,
    Utc,
)

# ------------------------------------------------------------------ the hub's own


class HubStatus(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Whether the tournament room is there; `online: false` is also its last will."""

    online: bool
    epoch: Count
    conn: Conn
    utc: Utc


class HubAck(Part, frozen=True, kw_only=True):
    """Every event of `life` up to `upto_seq` is committed at the hub: the table may clear them."""

    life: Life
    upto_seq: Count


# ------------------------------------------------------------------ the table's retained state


class TableStatus(Part, frozen=True, kw_only=True):
    """Whether the table is there. `lost` is its last will; believed only of the current (life, boot, conn)."""

    state: LifeState
    life: Life
    boot: Boot
    conn: Conn


class Device(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A device of the table and its health."""

    name: Label
    state: DeviceState
    code: Slug | None = None
    firmware: Label | None = None


class OutboxSpan(Part, frozen=True, kw_only=True):
    """Events that the hub has not acknowledged: the first one's number and the last one's; `first = last + 1` is none."""

    first: Seq
    last: Count


class BirthSeat(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A seat of the table, who sits there, and what the table can sense of it."""

    seat: Seat
    entry: EntryId | None = None
    covered: tuple[Slug, ...] = ()


class Birth(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Who the table is: said once per connection, before anything else."""

    life: Life
    boot: Boot
    conn: Conn
    software: Label
    schema_minor: Count
    firmware: Label | None
    devices: tuple[Device, ...]
    seats: tuple[BirthSeat, ...]
    outbox: OutboxSpan
    t: Seconds | None = None
    utc: Utc | None = None


class StateSeat(Part, frozen=True, kw_only=True):
    """A seat of the snapshot; `cards` is how many it holds, null where not covered."""

    seat: Seat
    entry: EntryId | None = None
    absent: bool = False
    cards: Count | None = None
    folded: bool = False
    dead: bool = False
    all_in: bool = False


class Pot(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A pot and who plays for it; null chips where betting is not recorded."""

    amount: Chips | None
    seats: tuple[Seat, ...]


class DoubtAt(Part, frozen=True, kw_only=True):
    """A place that the sensors are not sure of, and why."""

    place: Place
    reason: Slug


class TableState(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The table's full public snapshot: what a display needs to draw it from nothing.

    `seq` is the last event in it, `rev` counts snapshots of this life. `stacks` and `bets` are by seat.
    """

    rev: Count
    seq: Count
    hand: Count | None
    phase: Phase
    button: Seat | None
    blinds: Level | None
    seats: tuple[StateSeat, ...]
    stacks: dict[Seat, Chips | None]
    bets: dict[Seat, Chips]
    pots: tuple[Pot, ...]
    board: tuple[Card | None, ...]
    to_act: Seat | None
    expects: tuple[Order, ...]
    doubts: tuple[DoubtAt, ...]
    gate_used: Count | None
    desired_rev: Count | None
    desired_epoch: Count | None = None
    life: Life | None = None
    boot: Boot | None = None
    parked: bool = False
    hold: tuple[Slug, ...] = ()
    calls: tuple[Id, ...] = ()
    tournament: Id | None = None
    rulebook: Label | None = None
    hand_began_t: Seconds | None = None
    t: Seconds | None = None
    utc: Utc | None = None


class Heartbeat(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The table's sign of life, every 5 s. `devices` are ages of the last reading, in seconds, null: never read.

    `synced`: the wall clock was set by a time server. `temperature` in degrees Celsius, `load` of one minute.
    """

    life: Life
    boot: Boot
    conn: Conn
    seq: Count
    t: Seconds
    synced: bool
    devices: dict[Label, Seconds | None]
    load: float | None
    temperature: float | None
    utc: Utc | None = None
    unacked: Count | None = None


class Words(Part, frozen=True, kw_only=True):
    """A text for people in both languages."""

    fr: Text
    en: Text


AlertKind = Literal[
    "ruling",
    "pot_dispute",
    "count",
    "clock",
    "misdeal",
    "device_fault",
    "behaviour",
    "chips",
    "medical",
    "protocol",
    "journal",
    "other",
]


class Alert(Part, frozen=True, kw_only=True):
    """An irregularity or fault that needs a person. An empty payload on the topic: somebody has taken it.

    `hold` stops the next hand until it is closed; `rev` is the optimistic lock of two people at once.
    """

    id: Id
    kind: AlertKind
    text: Words
    t: Seconds
    utc: Utc
    rev: Count = 1
    hold: bool = False
    hand: Count | None = None
    seat: Seat | None = None
    seq: Seq | None = None
    incident: Slug | None = None
    rulebook: Label | None = None
    article: Label | None = None
    device: Label | None = None
    code: Slug | None = None
    acknowledged_by: Label | None = None


# ------------------------------------------------------------------ what the hub wants


class DesiredSeat(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Who is to sit where. `stack` counts only for an entry new at the table; `penalty`: hands still to miss."""

    seat: Seat
    entry: EntryId
    stack: Chips | None = None
    absent: bool = False
    penalty: Count | None = None


class Buttons(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Seats of button and blinds for the next hand; null is a dead small blind."""

    button: Seat
    small_blind_seat: Seat | None
    big_blind_seat: Seat | None


class TableSeat(Part, frozen=True, kw_only=True):
    """A seat at some table."""

    table: Id
    seat: Seat | None = None


class MoveIn(Part, frozen=True, kw_only=True):
    """An entry on its way to this table."""

    move: Id
    entry: EntryId
    seat: Seat
    stack: Chips | None = None
    origin: TableSeat | None = msgspec.field(default=None, name="from")


class MoveOut(Part, frozen=True, kw_only=True):
    """An entry that is to leave this table between hands; without `to` it is out of the tournament."""

    move: Id
    entry: EntryId
    seat: Seat
    to: TableSeat | None = None
    reason: Slug | None = None


class Decision(Part, frozen=True, kw_only=True):
    """A director's ruling on an open call; it travels in the desired document so that it cannot be lost.

    `undone`: it was taken back; where the table has obeyed it in this hand, it did not happen, and the call is open again.
    """

    call: Id
    choice: Label
    by: Label
    seats: tuple[Seat, ...] = ()
    cards: tuple[Card, ...] = ()
    amounts: dict[Label, int] | None = None
    to_act: Seat | None = None
    note: Text | None = None
    undone: bool = False


class Desired(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The whole target of a table, never a difference. A lower (epoch, rev) than the one held is ignored.

    `gate`: the hand-for-hand value that the next hand may use, null where there is no gate. `hold`: reasons not
    to start a hand. `limit`, `smallest_chip` and `rulebook` as in `hand_started`.
    """

    epoch: Count
    rev: Count
    tournament: Id | None
    rulebook: Label
    level: Level | None
    seats: tuple[DesiredSeat, ...]
    limit: Limit = "no_limit"
    smallest_chip: Chips = 1
    next_level: Level | None = None
    button: Buttons | None = None
    gate: Count | None = None
    hold: tuple[Slug, ...] = ()
    moves_in: tuple[MoveIn, ...] = msgspec.field(default=(), name="in")
    moves_out: tuple[MoveOut, ...] = msgspec.field(default=(), name="out")
    decisions: tuple[Decision, ...] = ()

    @property
    def version(self) -> tuple[int, int]:
        """What decides between two documents: the later (epoch, rev)."""
        return self.epoch, self.rev


# ------------------------------------------------------------------ asked and answered


RequestKind = Literal[
    "floor",
    "count_dispute",
    "pot_dispute",
    "seat_arrived",
    "seat_departed",
    "seat_empty",
    "clock",
    "absent",
    "present",
    "rebuy",
]


class Request(Part, frozen=True, kw_only=True):
    """What the table asks of the hub; `tx` names it in the response. The kind stands in the topic."""

    tx: Id
    t: Seconds
    utc: Utc
    seat: Seat | None = None
    entry: EntryId | None = None
    move: Id | None = None
    hand: Count | None = None
    call: Id | None = None
    declared: Chips | None = None
    counted: Chips | None = None
    by: Label | None = None
    note: Text | None = None


class Response(Part, frozen=True, kw_only=True):
    """What the hub answers: done or not, and why not."""

    tx: Id
    ok: bool
    code: Slug | None = None
    hint: Text | None = None
    seat: Seat | None = None
    entry: EntryId | None = None
    move: Id | None = None
    stack: Chips | None = None


class Replay(Part, frozen=True, kw_only=True):
    """Send the event stream again from this number on."""

    tx: Id
    start: Seq = msgspec.field(name="from")


class Identify(Part, frozen=True, kw_only=True):
    """Show people which table this is: lamps and display."""

    tx: Id


class Reprint(Part, frozen=True, kw_only=True):
    """Say the present orders again on display and page."""

    tx: Id


class RunoutRelease(Part, frozen=True, kw_only=True):
    """All-in hands may be shown and run out. A command for another hand than the present one does nothing."""

    tx: Id
    hand: Count


Command = Replay | Identify | Reprint | RunoutRelease

#: The form of each command, by the verb of its topic.
COMMAND_FORMS: Final[Mapping[str, type[Replay] | type[Identify] | type[Reprint] | type[RunoutRelease]]] = {
    "replay": Replay,
    "identify": Identify,
    "reprint": Reprint,
    "runout_release": RunoutRelease,
}


class Reply(Part, frozen=True, kw_only=True):
    """What the table says to a command. For `replay`: the span that follows now."""

    tx: Id
    ok: bool
    code: Slug | None = None
    hint: Text | None = None
    first: Seq | None = None
    last: Count | None = None
