"""Reading a journal: for recovery, for the record of a table, for the proof that it is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from table_controller.journal import schema
from table_controller.journal.errors import JournalCorrupt, JournalIO, JournalMismatch
from table_controller.journal.records import BootRow, Entry, HandRow, Header, OutboxRow, Problem, RulingRow
from table_controller.journal.verifying import verify
from table_controller.messages import Desired

_ENTRY = "SELECT idx, boot, t, utc, hand, kind, body, hash FROM entries"
_OUTBOX = "SELECT seq, topic, payload, prev FROM"


class Reading:
    """A journal that is only read; the table's program may be writing to it at the same time.

    Use `Reading.of(path)`; iterators read from the disk as they go.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, header: Header) -> None:
        self._db = db
        self.path = path
        self.header = header

    @classmethod
    def of(cls, path: str | Path) -> Reading:
        """Opens a journal without changing anything in it.

        Raises:
            JournalMismatch: There is no such file, or it is no journal.
            JournalTooNew, JournalCorrupt, JournalIO: See each.
        """
        path = Path(path)
        if not path.is_file():
            raise JournalMismatch("there is no such file", where=str(path))
        db: sqlite3.Connection | None = None
        try:
            db = _connect_read_only(path)
            found = schema.check_file(db, str(path))
            if found < schema.FORMAT:
                copy = sqlite3.connect(":memory:", isolation_level=None)
                db.backup(copy)
                db.close()
                db = copy
                schema.upgrade(db, found)
            return cls(path, db, schema.read_header(db, str(path)))
        except BaseException as error:
            if db is not None:
                db.close()
            if isinstance(error, schema.STORE_ERRORS):
                raise reading_failure(error, path) from error
            raise

    @property
    def life(self) -> str:
        """The journal's own id."""
        return self.header.life

    def entries(self, first: int = 1, last: int | None = None) -> Iterator[Entry]:
        """The entries in order, from one number to another, both included."""
        sql = f"{_ENTRY} WHERE idx >= ? AND (? IS NULL OR idx <= ?) ORDER BY idx"
        for row in self._rows(sql, (first, last, last)):
            yield Entry(
                idx=row[0],
                boot=row[1],
                t=row[2],
                utc=row[3],
                hand=row[4],
                kind=row[5],
                body=self._blob(row[6]),
                hash=row[7],
            )

    def rulings(self, first: int = 1, last: int | None = None) -> Iterator[RulingRow]:
        """The rulings that answer these entries, in the order in which they were given."""
        sql = "SELECT n, entry, body FROM rulings WHERE entry >= ? AND (? IS NULL OR entry <= ?) ORDER BY n"
        for row in self._rows(sql, (first, last, last)):
            yield RulingRow(n=row[0], entry=row[1], body=self._blob(row[2]))

    def hands(self) -> Iterator[HandRow]:
        """Every hand in order; one that was dealt again stands here again."""
        for row in self._rows("SELECT start, hand, rulebook, text_hash FROM hands ORDER BY start", ()):
            yield HandRow(start=row[0], hand=row[1], rulebook=row[2], text_hash=row[3])

    def boots(self) -> Iterator[BootRow]:
        """Every start of the table's program."""
        for row in self._rows("SELECT boot, utc, software, engine, first FROM boots ORDER BY boot", ()):
            yield BootRow(boot=row[0], utc=row[1], software=row[2], engine=row[3], first=row[4])

    def text(self, digest: str) -> str | None:
        """A resolved rulebook by its hash."""
        for row in self._rows("SELECT text FROM texts WHERE hash = ?", (digest,)):
            return str(row[0])
        return None

    def messages(self, after: int = 0, limit: int | None = None) -> Iterator[OutboxRow]:
        """The public events in order, whether the hub has them or not: the stream that anybody can verify."""
        left = -1 if limit is None else limit
        for table in ("published", "outbox"):
            for row in self._rows(f"{_OUTBOX} {table} WHERE seq > ? ORDER BY seq LIMIT ?", (after, left)):
                after, left = row[0], left - 1 if left > 0 else left
                yield OutboxRow(seq=row[0], topic=row[1], payload=self._blob(row[2]), prev=row[3])
            if left == 0:
                return

    def stored_desired(self) -> Desired | None:
        """The last document of the hub that the table took over."""
        for row in self._rows("SELECT value FROM meta WHERE key = 'desired'", ()):
            try:
                return msgspec.json.decode(self._blob(row[0]), type=Desired)
            except msgspec.MsgspecError as error:
                raise JournalCorrupt(
                    f"the desired document cannot be read: {error}", where=str(self.path)
                ) from None
        return None

    def verify(self) -> list[Problem]:
        """Everything in the file that is not as it was written; empty when it is whole."""
        return verify(self._db)

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _blob(self, value: Any) -> bytes:
        return schema.blob(value, str(self.path))

    def _rows(self, sql: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._db.execute(sql, values)
        except schema.STORE_ERRORS as error:
            raise reading_failure(error, self.path) from error


def reading_failure(error: Exception, path: Path) -> JournalIO | JournalCorrupt:
    """What a failed read means."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "UnicodeDecode")) or "decode to UTF-8" in str(
        error
    ):
        return JournalCorrupt(f"the file is damaged: {error}", where=str(path))
    return JournalIO(f"reading failed: {error} ({name})", where=str(path))


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """A file on a medium that cannot be written has no place for the shared memory of a live journal."""
    uri = path.absolute().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=5)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        wal = Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size > 0:
            raise
        db = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return db
