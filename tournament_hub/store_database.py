"""Where a hub's record lies: the few things that the store needs of a database, and the tables in it.

Statements are written once, with ``?`` for a value, in the part of SQL that SQLite and PostgreSQL share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tournament_hub.errors import StoreFault, StoreFormat

FORMAT = 3

TABLES = (
    "meta",
    "events",
    "heads",
    "tables",
    "results",
    "desired",
    "configured",
    "alarms",
    "requests",
    "records",
    "people",
)

# {serial}: a number that the database gives, rising; {blob}: bytes; {int}: 64 bits.
SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value {int} NOT NULL)",
    "CREATE TABLE events (receipt {serial}, tbl TEXT NOT NULL, life TEXT NOT NULL, seq {int} NOT NULL,"
    " received_utc TEXT NOT NULL, hash TEXT NOT NULL, payload {blob} NOT NULL,"
    " redacted {int} NOT NULL DEFAULT 0, UNIQUE (tbl, life, seq))",
    "CREATE TABLE heads (tbl TEXT NOT NULL, life TEXT NOT NULL, seq {int} NOT NULL, hash TEXT NOT NULL,"
    " picture {blob} NOT NULL, PRIMARY KEY (tbl, life))",
    "CREATE TABLE tables (tbl TEXT PRIMARY KEY, life TEXT NOT NULL, boot {int} NOT NULL, conn {int} NOT NULL)",
    "CREATE TABLE results (tbl TEXT NOT NULL, life TEXT NOT NULL, seq {int} NOT NULL, hand {int},"
    " void {int} NOT NULL, body {blob} NOT NULL, amended_by {int}, PRIMARY KEY (tbl, life, seq))",
    "CREATE TABLE desired (id {serial}, tbl TEXT NOT NULL, epoch {int} NOT NULL, rev {int} NOT NULL,"
    " document {blob} NOT NULL, said_by TEXT NOT NULL, reason TEXT NOT NULL, utc TEXT NOT NULL DEFAULT '',"
    " UNIQUE (tbl, epoch, rev))",
    "CREATE TABLE configured (tbl TEXT PRIMARY KEY, document {blob} NOT NULL)",
    "CREATE TABLE alarms (id {serial}, tbl TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL,"
    " times {int} NOT NULL, utc TEXT NOT NULL, taken_by TEXT)",
    "CREATE TABLE requests (tbl TEXT NOT NULL, kind TEXT NOT NULL, tx TEXT NOT NULL, payload {blob} NOT NULL,"
    " response {blob} NOT NULL, utc TEXT NOT NULL DEFAULT '', PRIMARY KEY (tbl, kind, tx))",
    "CREATE TABLE records (tournament TEXT NOT NULL, n {int} NOT NULL, utc TEXT NOT NULL,"
    " payload {blob} NOT NULL, PRIMARY KEY (tournament, n))",
    "CREATE TABLE people (person TEXT PRIMARY KEY, name TEXT NOT NULL, details TEXT NOT NULL DEFAULT '',"
    " added_utc TEXT NOT NULL, seen_utc TEXT NOT NULL, number TEXT NOT NULL DEFAULT '',"
    " paid_up TEXT NOT NULL DEFAULT '', adult {int} NOT NULL DEFAULT 0)",
)
# What makes a question about one hand quick, however many there are; older programs do not mind it.
INDEXES = ("CREATE INDEX IF NOT EXISTS results_hand ON results (tbl, life, hand)",)
# What a record of format 1 lacks.
_FROM_1 = (
    "ALTER TABLE events ADD COLUMN redacted {int} NOT NULL DEFAULT 0",
    "ALTER TABLE desired ADD COLUMN utc TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE requests ADD COLUMN utc TEXT NOT NULL DEFAULT ''",
    SCHEMA[-2],
    SCHEMA[-1],
)
# What a record of format 2 lacks.
_FROM_2 = (
    "ALTER TABLE people ADD COLUMN number TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE people ADD COLUMN paid_up TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE people ADD COLUMN adult {int} NOT NULL DEFAULT 0",
)


KINDS = {
    "n": "int8",
    "seq": "int8",
    "hand": "int8",
    "void": "int8",
    "payload": "bytea",
    "picture": "bytea",
    "body": "bytea",
}
"""What columns that are written many at once hold; the others hold text."""


class Rows(Protocol):
    """What a statement gives back."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> Any:
        """The next row, None after the last."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Row by row."""


class Database(Protocol):
    """One open database, held by this process alone.

    ``where`` is how to call it in a message, without any password; ``failures`` is what it raises when it fails.
    """

    where: str
    failures: tuple[type[Exception], ...]
    words: dict[str, str]

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """Run one statement."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many rows."""

    def insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], key: Sequence[str] = ()
    ) -> None:
        """Put many rows into a table at once; ``key``: columns by which a row that is there already is replaced.

        No two of the rows may have the same key.
        """

    def together(self) -> AbstractContextManager[Any]:
        """What is said inside needs no answer of its own: one wait for all of it, at the end."""

    def begin(self) -> bool:
        """Begin a transaction; True when the line was lost since the last one and made again."""

    def commit(self) -> None:
        """End it: on the disk when this returns."""

    def rollback(self) -> None:
        """End it: nothing of it happened."""

    def version(self) -> int | None:
        """The record's format; None: there is none yet. Raises ``StoreFormat`` where something else lies."""

    def set_version(self, version: int) -> None:
        """Write down the format; inside a transaction."""

    def check(self) -> str | None:
        """What is damaged, None when nothing is."""

    def purge(self) -> None:
        """Let nothing that was deleted stay readable on the disk; outside a transaction."""

    def close(self) -> None:
        """Let go; may be called twice."""


def prepare(database: Database) -> None:
    """Make the tables, or bring an older record to the present format.

    Raises:
        StoreFormat: it is of a later program, or none of ours.
        StoreFault: it is damaged.
    """
    version = database.version()
    if version is not None and version > FORMAT:
        raise StoreFormat(
            f"format {version}, this program knows {FORMAT}", where=database.where, hint="update the program"
        )
    if version != FORMAT:
        database.begin()
        for statement in SCHEMA if version is None else {1: _FROM_1, 2: _FROM_2}[version]:
            database.execute(statement.format(**database.words))
        database.set_version(FORMAT)
        database.commit()
    database.begin()
    for statement in INDEXES:
        database.execute(statement)
    database.commit()
    damage = database.check()
    if damage is not None:
        raise StoreFault(
            f"damaged: {damage}", where=database.where, hint="restore a backup, tables send the rest"
        )


def replacing(columns: Sequence[str], key: Sequence[str]) -> str:
    """The end of an INSERT that replaces a row of the same key; nothing without a key."""
    if not key:
        return ""
    rest = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in key)
    return f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {rest}"
