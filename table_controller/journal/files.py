"""The journal's file: one holder, opened so that a commit is on the disk, and what each failure means."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import sqlite3
from pathlib import Path
from typing import IO

from table_controller.journal import schema
from table_controller.journal.errors import (
    JournalBusy,
    JournalCorrupt,
    JournalError,
    JournalFailed,
    JournalFull,
    JournalIO,
    JournalLocked,
    JournalMismatch,
    JournalReadOnly,
)
from table_controller.journal.records import Header
from table_controller.journal.schema import Seal


def writing_failure(error: Exception, path: Path) -> JournalError:
    """What SQLite's error means for the table."""
    name = getattr(error, "sqlite_errorname", "") or type(error).__name__
    what, where = f"{error} ({name})", str(path)
    if name.startswith("SQLITE_FULL"):
        return JournalFull(f"no space left on the disk (ENOSPC): {what}", where=where)
    damaged = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CONSTRAINT", "UnicodeDecode")
    if name.startswith(damaged) or "decode to UTF-8" in str(error):
        return JournalCorrupt(f"the file is damaged: {what}", where=where)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return JournalReadOnly(f"the file cannot be written: {what}", where=where)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return JournalLocked(f"another program holds the file: {what}", where=where)
    if name.startswith("SQLITE_IOERR"):
        return JournalIO(f"the disk failed: {what}", where=where)
    return JournalFailed(what, where=where)


def take_lock(path: Path) -> IO[str]:
    """One controller per journal: the lock goes with the process, however that ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = Path(f"{path}.lock").open("a+", encoding="ascii")  # noqa: SIM115 - held until the journal closes
    except OSError as error:
        raise _os_failure(error, path) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.seek(0)
        lock.truncate()
        lock.write(f"{os.getpid()}\n")
        lock.flush()
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read(20).strip() or "unknown"
        lock.close()
        raise JournalBusy(f"process {holder} has this journal open", where=str(path)) from None
    except OSError as error:
        lock.close()
        raise _os_failure(error, path) from error
    return lock


def _os_failure(error: OSError, path: Path) -> JournalError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return JournalFull(f"no space left on the disk (ENOSPC): {error}", where=str(path))
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST):
        return JournalReadOnly(f"the file cannot be written: {error}", where=str(path))
    return JournalIO(f"the disk failed: {error}", where=str(path))


def connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=2.0)
    try:
        mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        for pragma in (
            "synchronous = FULL",
            "fullfsync = 1",
            "wal_autocheckpoint = 0",
            "trusted_schema = OFF",
        ):
            db.execute(f"PRAGMA {pragma}")
        level = db.execute("PRAGMA synchronous").fetchone()[0]
        if mode != "wal" or level != 2:
            raise JournalIO(f"this disk allows no synced log (mode {mode}, level {level})", where=str(path))
    except BaseException:
        db.close()
        raise
    return db


def ready(db: sqlite3.Connection, path: Path, wanted: tuple[str, str, str, str]) -> tuple[Header, Seal]:
    """Makes a new journal, or checks that an old one is this table's and that its end is the one that was written."""
    club, table, engine, utc = wanted
    where = str(path)
    db.execute("BEGIN IMMEDIATE")
    try:
        if schema.is_new(db):
            life = secrets.token_hex(16)
            new = Header(format=schema.FORMAT, life=life, club=club, table=table, engine=engine, created=utc)
            schema.create(db, new)
        else:
            schema.upgrade(db, schema.check_file(db, where))
        header = schema.read_header(db, where)
        if (header.club, header.table) != (club, table):
            raise JournalMismatch(
                f"this is the journal of {header.club}/{header.table}, not of {club}/{table}", where=where
            )
        seal = schema.read_seal(db, header.life, where)
        schema.check_ends(db, header, seal, where)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return header, seal


def sync_directory(path: Path) -> None:
    """The file's name must survive too."""
    try:
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise _os_failure(error, path) from error
