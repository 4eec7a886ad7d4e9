"""The table's public event stream: one envelope, one body per type.

Faces appear only in `board`, `tabled` and where a card lay open for all (`incident`, an order of a `ruling`).
No body carries a name, a tag, or a card that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from table_controller.messages.errors import MessageError, MessageMalformed, WrongVersion
from table_controller.messages.parts import Level, Order, Part, SeatStack
from table_controller.messages.vocabulary import (
    MAJOR,
    Boot,
    Card,
    Chips,
    Count,
    DeviceState,
    EntryId,
    Hash,
    Id,
    Label,
    Life,
    Place,
    Seat,
    Seconds,
    Seq,
    Slug,
    Street,
    Text,
    Utc,
)
from table_controller.messages.wire import as_written, chain_hash, decode, encode, fill, plain, within_limits


class HandStart(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A hand begins: the level stamped on it, the button, who is dealt in, and the gate value it used.

    `sb` and `bb` are seats; null is a dead blind. `button` may be an empty seat (dead button).
    """

    hand: Count
    level: Level
    button: Seat
    sb: Seat | None
    bb: Seat | None
    seats: tuple[SeatStack, ...]
    gate: Count | None = None


class Post(Part, frozen=True, kw_only=True):
    """A seat puts in a blind, an ante or a straddle, in chips."""

    seat: Seat
    kind: Literal["small_blind", "big_blind", "ante", "straddle"]
    amount: Chips


class Dealt(Part, frozen=True, kw_only=True):
    """A seat has `n` cards now; which ones, nobody says."""

    seat: Seat
    n: Count


class Burned(Part, frozen=True, kw_only=True):
    """`n` cards are burned now."""

    n: Count


class Action(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A seat acts. `to` is its total of this round in chips, null where amounts are not recorded."""

    seat: Seat
    kind: Literal["fold", "check", "call", "bet", "raise"]
    to: Chips | None = None
    all_in: bool = False


class Board(Part, frozen=True, kw_only=True):
    """Cards lie on the board for a street; null for one that no sensor could read."""

    street: Street
    cards: tuple[Card | None, ...]


class Incident(Part, frozen=True, kw_only=True):
    """Something went otherwise than the rules expect. `cards` only where they lay open for all."""

    incident: Slug
    seats: tuple[Seat, ...] = ()
    place: Place | None = None
    cards: tuple[Card, ...] = ()
    facts: dict[Slug, bool | int | Label] = msgspec.field(default_factory=dict)


class Ruling(Part, frozen=True, kw_only=True):
    """What the rulebook, or the director, says of an incident, and the cure as physical acts."""

    ruling: Slug
    incident: Slug
    rulebook: Label
    article: Label
    seats: tuple[Seat, ...] = ()
    amounts: dict[Label, int] | None = None
    penalty: Label | None = None
    official: Label | None = None
    orders: tuple[Order, ...] = ()


class Doubt(Part, frozen=True, kw_only=True):
    """A place where the sensors do not agree or do not know; `resolved` when they do again."""

    place: Place
    reason: Slug
    resolved: bool = False


class AllinPending(Part, frozen=True, kw_only=True):
    """All-in and call: cards stay down until the hub releases the run-out."""

    seats: tuple[Seat, ...]


class Tabled(Part, frozen=True, kw_only=True):
    """A seat shows its hand to the table."""

    seat: Seat
    cards: tuple[Card, ...]


class Award(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A pot goes to its winners: `amounts` in the order of `seats`, null where not recorded."""

    pot: Count
    seats: tuple[Seat, ...]
    amounts: tuple[Chips | None, ...]
    odd_chip_seat: Seat | None = None


class Bust(Part, frozen=True, kw_only=True, omit_defaults=False):
    """An entry without chips, with the stack that it had at the hand's start."""

    entry: EntryId
    start_stack: Chips | None


class HandEnd(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The hand is over: the stacks, who is out, and whether it counts at all."""

    stacks: tuple[SeatStack, ...]
    busts: tuple[Bust, ...] = ()
    void: bool = False


class Misdeal(Part, frozen=True, kw_only=True):
    """All cards back, the hand is dealt again."""

    reason: Slug


class Counted(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A stack was counted by hand, in chips."""

    seat: Seat
    declared: Chips | None
    counted: Chips
    by: Label


class Arrive(Part, frozen=True, kw_only=True, omit_defaults=False):
    """An entry has sat down with its chips; `move` is the hub's move that sent it."""

    entry: EntryId
    move: Id | None
    stack: Chips | None
    seat: Seat | None = None


class Depart(Part, frozen=True, kw_only=True, omit_defaults=False):
    """An entry has left with its chips; `move` is the hub's move that took it."""

    entry: EntryId
    move: Id | None
    stack: Chips | None
    seat: Seat | None = None


class PenaltyServed(Part, frozen=True, kw_only=True):
    """An entry has missed a hand; `left` hands are still to be missed."""

    entry: EntryId
    left: Count


class DeviceChange(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A device of the table was lost, came back, or has a fault."""

    name: Label
    state: DeviceState
    code: Slug | None = None


class Annulled(Part, frozen=True, kw_only=True):
    """The event that `amends` names did not happen: it was undone and nothing stands in its place."""

    reason: Text


EventBody: TypeAlias = (
    HandStart
    | Post
    | Dealt
    | Burned
    | Action
    | Board
    | Incident
    | Ruling
    | Doubt
    | AllinPending
    | Tabled
    | Award
    | HandEnd
    | Misdeal
    | Counted
    | Arrive
    | Depart
    | PenaltyServed
    | DeviceChange
    | Annulled
)

#: The body of each event type.
EVENT_BODIES: Final[Mapping[str, type[EventBody]]] = {
    "hand_start": HandStart,
    "post": Post,
    "dealt": Dealt,
    "burned": Burned,
    "action": Action,
    "board": Board,
    "incident": Incident,
    "ruling": Ruling,
    "doubt": Doubt,
    "allin_pending": AllinPending,
    "tabled": Tabled,
    "award": Award,
    "hand_end": HandEnd,
    "misdeal": Misdeal,
    "count": Counted,
    "arrive": Arrive,
    "depart": Depart,
    "penalty_served": PenaltyServed,
    "device": DeviceChange,
    "annulled": Annulled,
}
#: The type of each body.
EVENT_TYPES: Final[Mapping[type[EventBody], str]] = {body: name for name, body in EVENT_BODIES.items()}


class UnknownBody(msgspec.Struct, frozen=True):
    """The body of a type that this version does not know: it is kept and counted, not understood."""

    fields: dict[str, Any]


class Envelope(Part, frozen=True, kw_only=True, omit_defaults=False):
    """What every event carries on the wire, around a body that is not read yet."""

    v: Count
    life: Life
    boot: Boot
    seq: Seq
    hand: Count | None
    type: Slug
    t: Seconds
    utc: Utc
    cause: Label | None
    body: msgspec.Raw
    prev: Hash


class AmendingEnvelope(Envelope, frozen=True, kw_only=True, omit_defaults=False):
    """The envelope of a correction: a new event that names the one it corrects."""

    amends: Seq | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a table's public stream.

    Attributes:
        life, boot, seq: Identity; `seq` is gapless per life.
        hand: The hand's number, null between hands.
        t: Seconds on the table's monotonic clock.
        utc: A label for people.
        cause: What brought it about: `panel:FLOOR`, `page`, `decision:<call>`, null when sensed.
        body: What happened.
        prev: `chain_hash` of the previous event, `GENESIS` for the first.
        amends: The event that this one corrects.
    """

    life: str
    boot: int
    seq: int
    hand: int | None
    t: float
    utc: str
    body: EventBody | UnknownBody
    prev: str
    type: str = ""
    cause: str | None = None
    amends: int | None = None
    v: int = MAJOR


def encode_event(event: Event) -> bytes:
    """Writes an event as it will be published, stored and hashed: these bytes never change again.

    Raises:
        MessageError: A value is out of bounds, or the body has no type.
    """
    body = event.body
    if isinstance(body, UnknownBody):
        raise MessageMalformed("a body of unknown type cannot be sent", where=event.type)
    name = EVENT_TYPES[type(body)]
    if event.type not in ("", name):
        raise MessageMalformed(f"a {name} body in an event of type {event.type!r}", where="event")
    if event.v != MAJOR:
        raise WrongVersion(f"version {event.v}, this is {MAJOR}", where="event")
    fields: dict[str, Any] = {
        "v": event.v,
        "life": event.life,
        "boot": event.boot,
        "seq": event.seq,
        "hand": event.hand,
        "type": name,
        "t": event.t,
        "utc": event.utc,
        "cause": event.cause,
        "body": msgspec.Raw(encode(body, where=f"event.{name}")),
        "prev": event.prev,
    }
    if event.amends is not None:
        return encode(AmendingEnvelope(**fields, amends=event.amends), where=f"event.{name}")
    return encode(Envelope(**fields), where=f"event.{name}")


def decode_event(data: bytes | bytearray | memoryview, *, strict: bool = False) -> Event:
    """Reads an event; a type of a later minor version gives an `UnknownBody`, so that the chain goes on.

    Raises:
        WrongVersion: The sender speaks another major version.
        MessageError: Any other of the tree; the event is to be refused with an alarm.
    """
    written = _as_written(bytes(data)) if not strict else None
    if written is not None:
        return written
    head = decode(data, AmendingEnvelope, where="event")
    if head.v != MAJOR:
        raise WrongVersion(f"version {head.v}, this is {MAJOR}", where="event")
    where = f"event.{head.type}"
    form = EVENT_BODIES.get(head.type)
    body: EventBody | UnknownBody
    if form is not None:
        # The limits were those of the whole event: its body is not read twice for them.
        if strict:
            body = decode(bytes(head.body), form, strict=True, where=where)
        else:
            body = fill(bytes(head.body), form, where=where)
    else:
        fields = plain(bytes(head.body), where=where)
        if strict or not isinstance(fields, dict):
            raise MessageMalformed("unknown type" if strict else "the body is no object", where=where)
        body = UnknownBody(fields)
    return _event(head, body, head.amends)


def _event(head: Envelope, body: EventBody | UnknownBody, amends: int | None = None) -> Event:
    """An event of its envelope and the body that was read."""
    return Event(
        v=head.v,
        life=head.life,
        boot=head.boot,
        seq=head.seq,
        hand=head.hand,
        type=head.type,
        t=head.t,
        utc=head.utc,
        cause=head.cause,
        body=body,
        prev=head.prev,
        amends=amends,
    )


def _as_written(data: bytes) -> Event | None:
    """An event of this version as our own writer writes it, which is nearly every one; else None."""
    within_limits(data, "event")
    head = as_written(data, Envelope)
    form = EVENT_BODIES.get(head.type) if head is not None else None
    if head is None or form is None or head.v != MAJOR:
        return None
    body = as_written(bytes(head.body), form)
    if body is None:
        return None
    return _event(head, body)


def event_hash(payload: bytes) -> str:
    """The `prev` of the event that follows this one.

    Raises:
        MessageError: The payload is no event.
    """
    return chain_hash(decode(payload, Envelope, where="event").prev, payload)


def is_event(data: bytes) -> bool:
    """Whether a payload can be read as an event."""
    try:
        decode_event(data)
    except MessageError:
        return False
    return True
