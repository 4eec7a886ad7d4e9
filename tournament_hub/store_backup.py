"""Backups of the hub's record: taken while the hub runs, one consistent moment, always an SQLite file.

The same file is made from SQLite and from PostgreSQL and can be restored into either, so it is also the way from one to the
other. It holds names: keep it where names may lie, or leave them out (``names=False``).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from tournament_hub.errors import HubError, StoreFault, StoreFormat
from tournament_hub.store import Store
from tournament_hub.store_database import FORMAT, SCHEMA, TABLES
from tournament_hub.store_postgres import is_url
from tournament_hub.store_sqlite import SqliteDatabase

EPOCHS_AHEAD: Final = 1000
"""How many starts a restored record is put ahead, so that tables never take it for older than what they have obeyed."""
_PAGES: Final = 512
_BATCH: Final = 2000


class BackupError(HubError):
    """A backup cannot be taken or restored; nothing was changed."""

    code = "hub-backup"


class Contents(Struct, frozen=True):
    """What a backup holds."""

    path: str
    events: int
    tournaments: int
    people: int
    epoch: int


def backup(place: Path | str, target: Path, *, names: bool = True) -> Contents:
    """Copy the record as it is at one moment; a hub may run with it.

    Args:
        place: file or address of the record.
        target: the new file; must not exist.
        names: whether the table of names is copied.

    Raises:
        BackupError: the target exists or cannot be written, or there is no record.
        StoreFault: the record cannot be read.
    """
    if target.exists():
        raise BackupError("exists already", where=str(target), hint="choose another name")
    fresh = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise BackupError(
            f"cannot be written: {error.strerror}", where=str(target), hint="check the folder"
        ) from error
    try:
        with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            if isinstance(place, str) and is_url(place):
                _from_postgres(place, copy)
            else:
                _from_file(Path(place), copy)
            if not names:
                copy.execute("PRAGMA secure_delete=ON")
                copy.execute("DELETE FROM people")
                copy.execute("VACUUM")
            copy.execute("PRAGMA journal_mode=DELETE")
            contents = _contents(copy, target)
        descriptor = os.open(fresh, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fresh.replace(target)
    except (sqlite3.Error, OSError) as error:
        raise StoreFault(str(error), where=str(place), hint="check the disk and its free space") from error
    finally:
        fresh.unlink(missing_ok=True)
    return contents


def restore(source: Path, place: Path | str, *, replace: bool = False) -> Contents:
    """Put a backup in the place of the record, prove it event by event, and put its epoch ahead.

    Args:
        source: a backup.
        place: file or address of the record; no hub may run with it.
        replace: whether a record that is there may be overwritten. It is kept as ``….before`` where it is a file.

    Raises:
        BackupError: no backup, or a record is there and may not be overwritten.
        StoreFault: the backup is damaged, or a hub runs.
    """
    if not source.is_file():
        raise BackupError("there is no such file", where=str(source), hint="check the path")
    with contextlib.closing(_read_only(source)) as copy:
        version = _check_backup(copy, source)
        epoch = EPOCHS_AHEAD + max(_epoch(copy), _present_epoch(place, replace))
        if isinstance(place, str) and is_url(place):
            _into_postgres(copy, place, version)
        else:
            _into_file(copy, Path(place))
        contents = _contents(copy, source)
    store = Store(place, starting=False)
    try:
        with store.transaction():
            store.database.execute("UPDATE meta SET value = ? WHERE key = 'epoch'", (epoch,))
        store.rebuild()
    finally:
        store.close()
    return contents


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=5.0)


def _from_file(path: Path, copy: sqlite3.Connection) -> None:
    if not path.is_file():
        raise BackupError("there is no record yet", where=str(path), hint="start the hub once")
    with contextlib.closing(_read_only(path)) as db:
        # One transaction that reads: what the hub commits meanwhile is not in it, and does not begin it anew.
        db.execute("BEGIN")
        if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meta'").fetchone()[0]:
            raise BackupError("is no hub's record", where=str(path), hint="check the path")
        db.backup(copy, pages=_PAGES)
        db.execute("ROLLBACK")


def _from_postgres(url: str, copy: sqlite3.Connection) -> None:
    for statement in SCHEMA:
        copy.execute(statement.format(serial="INTEGER PRIMARY KEY AUTOINCREMENT", blob="BLOB", int="INTEGER"))
    copy.execute(f"PRAGMA user_version={FORMAT}")
    copy.execute("BEGIN")
    with _postgres(url) as db:
        for table in TABLES:
            with db.cursor(name=f"backup_{table}") as cursor:
                cursor.execute(f"SELECT {', '.join(_columns(copy, table))} FROM {table}")
                while rows := cursor.fetchmany(_BATCH):
                    marks = ", ".join("?" * len(rows[0]))
                    copy.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    copy.execute("DELETE FROM meta WHERE key = 'format'")
    copy.execute("COMMIT")


@contextlib.contextmanager
def _postgres(url: str) -> Iterator[Any]:
    """A line that only reads, one moment of the record throughout."""
    try:
        import psycopg
    except ImportError:
        raise StoreFault(
            "psycopg is not installed", where="postgresql", hint="pip install maldonne[postgres]"
        ) from None
    try:
        with psycopg.connect(url, connect_timeout=5) as db:
            db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield db
    except psycopg.Error as error:
        raise StoreFault(
            " ".join(str(error).split()), where="postgresql", hint="is the server running?"
        ) from None


def _check_backup(copy: sqlite3.Connection, source: Path) -> int:
    try:
        version = int(copy.execute("PRAGMA user_version").fetchone()[0])
        known = {row[0] for row in copy.execute("SELECT name FROM sqlite_master")}
        damage = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise StoreFault(f"damaged: {error}", where=str(source), hint="try an older backup") from error
    if not version or "events" not in known:
        raise StoreFormat("not a hub's record", where=str(source), hint="check the path")
    if version > FORMAT:
        raise StoreFormat(
            f"format {version}, this program knows {FORMAT}", where=str(source), hint="update the program"
        )
    if damage != "ok":
        raise StoreFault(f"damaged: {damage}", where=str(source), hint="try an older backup")
    return version


def _epoch(copy: sqlite3.Connection) -> int:
    row = copy.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
    return 0 if row is None else int(row[0])


def _present_epoch(place: Path | str, replace: bool) -> int:
    """The epoch of the record that is there, 0 when none is; proves that no hub runs with it."""
    if not (isinstance(place, str) and is_url(place)) and not Path(place).exists():
        return 0
    if isinstance(place, str) and is_url(place):
        store = Store(place, starting=False)
        try:
            used = store.epoch > 0
            epoch = store.epoch
        finally:
            store.close()
    else:
        SqliteDatabase(Path(place)).close()  # StoreInUse when a hub runs
        used, epoch = True, 0
        with contextlib.suppress(HubError, sqlite3.Error), contextlib.closing(_read_only(Path(place))) as db:
            epoch = _epoch(db)
    if used and not replace:
        raise BackupError(
            "a record is there already", where=str(place), hint="say --replace; it is kept beside"
        )
    return epoch


def _into_file(copy: sqlite3.Connection, path: Path) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as new:
        copy.backup(new)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if path.exists():
        path.replace(path.with_name(path.name + ".before"))
    fresh.replace(path)


def _into_postgres(copy: sqlite3.Connection, url: str, version: int) -> None:
    store = Store(url, starting=False)
    try:
        db = store.database
        with store.transaction():
            for table in TABLES:
                db.execute(f"DELETE FROM {table}")
                columns = _columns(copy, table)
                if not columns:
                    continue  # a table that the backup's format does not have
                marks = ", ".join("?" * len(columns))
                rows = copy.execute(f"SELECT {', '.join(columns)} FROM {table}")
                while batch := rows.fetchmany(_BATCH):
                    db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", batch)
            for table, column in (("events", "receipt"), ("desired", "id"), ("alarms", "id")):
                db.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'),"
                    f" (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"
                )
            db.set_version(FORMAT)
            store.reload()
    finally:
        store.close()


def _columns(copy: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in copy.execute(f"PRAGMA table_info({table})")]


def _contents(copy: sqlite3.Connection, path: Path) -> Contents:
    def count(sql: str) -> int:
        try:
            return int(copy.execute(sql).fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # a table that its format does not have

    return Contents(
        path=str(path),
        events=count("SELECT count(*) FROM events"),
        tournaments=count("SELECT count(DISTINCT tournament) FROM records"),
        people=count("SELECT count(*) FROM people"),
        epoch=_epoch(copy),
    )
