"""What goes into a journal and what comes out, as frozen records."""

from __future__ import annotations

from typing import Literal

import msgspec

from table_controller.messages import Desired, EventBody

#: `event`: what happened, the engine's input. `correction`: what a person changed afterwards, a new entry, never an
#: edit. `note`: what the table wants to remember and the engine does not read (a question left unanswered).
EntryKind = Literal["event", "correction", "note"]


class NewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry to be written: `body` is one JSON object, kept byte for byte.

    Attributes:
        t: Seconds on the table's monotonic clock; never less than the entry before.
        utc: The wall clock as a label.
        hand: The hand's number, None between hands.
    """

    body: bytes
    t: float
    utc: str
    hand: int | None = None
    kind: EntryKind = "event"


class NewRuling(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling to be written, as JSON; `of` is the place in the batch of the entry that it answers."""

    body: bytes
    of: int = -1


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A public event to be sent: the journal gives it its number and its place in the chain."""

    body: EventBody
    t: float
    utc: str
    hand: int | None = None
    cause: str | None = None
    amends: int | None = None


class HandOpening(msgspec.Struct, frozen=True, kw_only=True):
    """A hand begins at an entry of this batch, under a rulebook whose resolved text is kept."""

    hand: int
    rulebook: str
    text: str
    of: int = 0


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one step of the table changes: all of it is on the disk, or nothing."""

    entries: tuple[NewEntry, ...] = ()
    rulings: tuple[NewRuling, ...] = ()
    events: tuple[NewEvent, ...] = ()
    opening: HandOpening | None = None
    desired: Desired | None = None


class OutboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """A public event as it is sent: `payload` never changes, however often it goes out."""

    seq: int
    topic: str
    payload: bytes
    prev: str


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch became. `first > last`: it had no entries."""

    first: int
    last: int
    rows: tuple[OutboxRow, ...]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as it stands in the journal."""

    idx: int
    boot: int
    t: float
    utc: str
    hand: int | None
    kind: EntryKind
    body: bytes
    hash: str


class RulingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling and the entry that it answers."""

    n: int
    entry: int
    body: bytes


class HandRow(msgspec.Struct, frozen=True, kw_only=True):
    """Where a hand begins. A hand that is dealt again after a misdeal has a row of its own.

    Attributes:
        start: Its first entry.
        hand: Its number.
        rulebook: The rulebook's name.
        text_hash: SHA-256 of the resolved rulebook's text.
    """

    start: int
    hand: int
    rulebook: str
    text_hash: str


class BootRow(msgspec.Struct, frozen=True, kw_only=True):
    """A start of the table's program."""

    boot: int
    utc: str
    software: str
    engine: str
    first: int


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Whose journal this is. `format` is what the file was made with, before any upgrade."""

    format: int
    life: str
    club: str
    table: str
    engine: str
    created: str


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What a table needs to go on after a stop.

    Attributes:
        boot: This start's number.
        clean: Whether the program before this one closed the journal properly.
        last_t: Where the table's clock stood; the new one goes on from here.
        hand: The last hand, None if there was none.
        rulebook_text: That hand's resolved rulebook.
        entries: Everything since that hand's first entry, in order.
        rulings: What was ruled in it.
        desired: The last document of the hub that the table took over.
        head_seq: The last public event's number.
        hub_ack: Up to where the hub has them.
    """

    boot: int
    clean: bool
    last_t: float
    hand: HandRow | None
    rulebook_text: str | None
    entries: tuple[Entry, ...]
    rulings: tuple[RulingRow, ...]
    desired: Desired | None
    head_seq: int
    hub_ack: int


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the file that is not as it was written."""

    table: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.table} {self.where}: {self.what}"
