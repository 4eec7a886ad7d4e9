"""The record in one SQLite file: WAL with ``synchronous=FULL``, one process, one connection."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tournament_hub.errors import StoreFault, StoreFormat, StoreInUse
from tournament_hub.store_database import Rows, replacing


class SqliteDatabase:
    """A file that this process holds.

    Args:
        path: the database; made with its folder when missing.

    Raises:
        StoreInUse: another process has it open.
        StoreFault: it cannot be opened.
    """

    failures: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        self.path = path
        self.where = str(path)
        self.words = {"serial": "INTEGER PRIMARY KEY AUTOINCREMENT", "blob": "BLOB", "int": "INTEGER"}
        self._lock = take_lock(path)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
        except sqlite3.Error as error:
            self._lock.close()
            raise StoreFault(str(error), where=self.where, hint="check the folder") from error
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._db.execute("PRAGMA secure_delete=ON")
        except sqlite3.Error as error:
            self.close()
            raise StoreFault(
                str(error), where=self.where, hint="check the disk and its free space"
            ) from error

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """Run one statement."""
        return self._db.execute(sql, values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many rows."""
        self._db.executemany(sql, rows)

    def insert(
        self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], key: Sequence[str] = ()
    ) -> None:
        """Put many rows into a table at once; ``key``: a row that is there already is replaced."""
        marks = ", ".join("?" * len(columns))
        self._db.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}){replacing(columns, key)}",
            rows,
        )

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Nothing to wait for: the file is here."""
        return contextlib.nullcontext()

    def begin(self) -> bool:
        """Begin a transaction that writes."""
        self._db.execute("BEGIN IMMEDIATE")
        return False

    def commit(self) -> None:
        """End it: synced to the disk."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """End it: nothing of it happened."""
        with contextlib.suppress(sqlite3.Error):  # a failed COMMIT may have rolled back by itself
            self._db.execute("ROLLBACK")

    def version(self) -> int | None:
        """The format that the file says, None when it is new."""
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version:
            return version
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreFormat("not a hub's record", where=self.where, hint="choose another file")
        return None

    def set_version(self, version: int) -> None:
        """Write the format into the file's head."""
        self._db.execute(f"PRAGMA user_version={version:d}")

    def check(self) -> str | None:
        """A quick look through the whole file."""
        found = str(self._db.execute("PRAGMA quick_check(1)").fetchone()[0])
        return None if found == "ok" else found

    def purge(self) -> None:
        """Write the file anew without its free pages, and empty the write-ahead file.

        Raises:
            StoreFault: a reader holds the write-ahead file; try again when it has gone.
        """
        self._db.execute("VACUUM")
        busy = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreFault(
                "somebody is reading it", where=self.where, hint="end the backup that runs, then try again"
            )

    def close(self) -> None:
        """Close the file; leaves no write-ahead file behind."""
        self._db.close()
        self._lock.close()


def take_lock(path: Path) -> sqlite3.Connection:
    """Hold the record for this process; the system lets go when the process ends, however it ends.

    The lock is SQLite's own, on an empty file beside the record: it is the same on Linux, macOS and Windows.

    Raises:
        StoreInUse: another process holds it.
        StoreFault: the folder cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = sqlite3.connect(
            path.with_name(path.name + ".lock"), isolation_level=None, check_same_thread=False, timeout=0.0
        )
    except (OSError, sqlite3.Error) as error:
        raise StoreFault(f"cannot be opened: {error}", where=str(path), hint="check the folder") from error
    try:
        held.execute("PRAGMA journal_mode=MEMORY")
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        held.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise StoreInUse(
                "another hub has it open", where=str(path), hint="stop the other hub first"
            ) from error
        raise StoreFault(f"cannot be opened: {error}", where=str(path), hint="check the folder") from error
    return held
