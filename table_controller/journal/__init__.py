"""The table's record: what happened, what was ruled, what is still to be sent. Nothing leaves before it is here.

One SQLite file (WAL, every commit synced), one connection, one process. A step of the table is one `Batch` in one
transaction: events, rulings and the messages that follow from them. After a stop, `recover()` gives it back.

    journal = Journal.open(path, club="lyon", table="t1", utc=utc)
    written = journal.commit(Batch(entries=(...), rulings=(...), events=(...)))
    for row in journal.outbox_after(0, 20): ...
    journal.ack(upto_seq)

The journal holds no card that nobody has seen, because nobody hands it one.
"""

from __future__ import annotations

from table_controller.journal.errors import (
    JournalBehindHub,
    JournalBusy,
    JournalClosed,
    JournalCorrupt,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalIO,
    JournalLocked,
    JournalMismatch,
    JournalReadOnly,
    JournalRefused,
    JournalTooNew,
)
from table_controller.journal.reading import Reading
from table_controller.journal.records import (
    Batch,
    BootRow,
    Committed,
    Entry,
    EntryKind,
    HandOpening,
    HandRow,
    Header,
    NewEntry,
    NewEvent,
    NewRuling,
    OutboxRow,
    Problem,
    Recovery,
    RulingRow,
)
from table_controller.journal.schema import FORMAT
from table_controller.journal.store import RESERVE_BYTES, Journal

__all__ = [
    "FORMAT",
    "RESERVE_BYTES",
    "Batch",
    "BootRow",
    "Committed",
    "Entry",
    "EntryKind",
    "HandOpening",
    "HandRow",
    "Header",
    "Journal",
    "JournalBehindHub",
    "JournalBusy",
    "JournalClosed",
    "JournalCorrupt",
    "JournalError",
    "JournalFailed",
    "JournalFull",
    "JournalIO",
    "JournalLocked",
    "JournalMismatch",
    "JournalReadOnly",
    "JournalRefused",
    "JournalTooNew",
    "NewEntry",
    "NewEvent",
    "NewRuling",
    "OutboxRow",
    "Problem",
    "Reading",
    "Recovery",
    "RulingRow",
]
