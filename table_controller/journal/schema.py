"""The file's form: tables, the seal over all of them, and how older formats become the present one.

Every table only grows. Each row's `hash` chains it to the row before; the seal holds, for every table, how many
rows there are and the last hash, and a hash of itself. So a row that was changed, lost or moved is found, also
the last one. The seal is no secret: it finds accidents and clumsy hands, not someone who recomputes everything;
against him the hub holds the event chain.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from table_controller.journal.errors import JournalCorrupt, JournalMismatch, JournalTooNew
from table_controller.journal.records import Header
from table_controller.messages import GENESIS, chain_hash

#: What SQLite's binding raises for a bad disk and for a bad file; the text of a damaged file may not even be UTF-8.
STORE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
#: "MALD": tells our file from any other SQLite file.
APPLICATION_ID: Final = 0x4D414C44
#: The present format; kept as the file's `user_version`.
FORMAT: Final = 1

#: What the outbox holds: rows of the event stream. Everything else that a table sends is state, or is asked again.
EVENT_TOPIC: Final = "event"

_TABLES: Final = """
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE seal (id INTEGER PRIMARY KEY CHECK (id = 1), document BLOB NOT NULL, digest TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE boots (
    boot INTEGER PRIMARY KEY, utc TEXT NOT NULL, software TEXT NOT NULL, engine TEXT NOT NULL,
    first INTEGER NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE hands (
    start INTEGER PRIMARY KEY, hand INTEGER NOT NULL, rulebook TEXT NOT NULL, text_hash TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE entries (
    idx INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t REAL NOT NULL, utc TEXT NOT NULL, hand INTEGER,
    kind TEXT NOT NULL CHECK (kind IN ('event', 'correction', 'note')), body BLOB NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE rulings (
    n INTEGER PRIMARY KEY, entry INTEGER NOT NULL, body BLOB NOT NULL, hash TEXT NOT NULL
);
CREATE INDEX rulings_entry ON rulings (entry);
CREATE TABLE outbox (seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, payload BLOB NOT NULL, prev TEXT NOT NULL);
CREATE TABLE published (seq INTEGER PRIMARY KEY, topic TEXT NOT NULL, payload BLOB NOT NULL, prev TEXT NOT NULL);
"""

_HEADER_KEYS: Final = ("format", "life", "club", "table", "engine", "created")


class Head(msgspec.Struct, frozen=True, array_like=True):
    """How many rows a table has, and the hash of its last one."""

    count: int = 0
    hash: str = GENESIS


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What must be true of the whole file after a commit."""

    header: str
    tables: str
    boots: Head = Head()
    texts: int = 0
    hands: Head = Head()
    entries: Head = Head()
    rulings: Head = Head()
    outbox: Head = Head()
    hub_ack: int = 0
    desired: str = ""
    desired_version: tuple[int, int] | None = None
    last_t: float = 0.0
    clean: bool = False


def row_hash(prev: str, fields: Sequence[Any], body: bytes = b"") -> str:
    """The hash of a row: over the row before, its fields and its body."""
    return chain_hash(prev, msgspec.json.encode(list(fields)) + b"\n" + body)


def text_hash(text: str) -> str:
    """The name of a text: SHA-256 of it, hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def blob(value: Any, where: str) -> bytes:
    """A column of bytes; SQLite would give back text if somebody had put text there.

    Raises:
        JournalCorrupt: It is something else.
    """
    if not isinstance(value, bytes):
        raise JournalCorrupt(f"bytes were written, {type(value).__name__} is there", where=where)
    return value


def write_seal(db: sqlite3.Connection, life: str, seal: Seal) -> None:
    """Puts the seal in place of the old one, inside the caller's transaction."""
    document = msgspec.json.encode(seal)
    db.execute("INSERT OR REPLACE INTO seal VALUES (1, ?, ?)", (document, chain_hash(life, document)))


def read_seal(db: sqlite3.Connection, life: str, where: str) -> Seal:
    """The seal of the file.

    Raises:
        JournalCorrupt: There is none, or it was changed.
    """
    row = db.execute("SELECT document, digest FROM seal WHERE id = 1").fetchone()
    if row is None:
        raise JournalCorrupt("the seal is missing", where=where)
    document = blob(row[0], where)
    if chain_hash(life, document) != row[1]:
        raise JournalCorrupt("the seal was changed", where=where)
    try:
        return msgspec.json.decode(document, type=Seal)
    except msgspec.MsgspecError as error:
        raise JournalCorrupt(f"the seal cannot be read: {error}", where=where) from None


def header_hash(header: Header) -> str:
    """The hash of the header that the seal holds."""
    return row_hash(GENESIS, [getattr(header, key) for key in _HEADER_KEYS])


def tables_hash(db: sqlite3.Connection) -> str:
    """The hash of the tables' own definitions: a damaged one would make SQLite read the rows otherwise."""
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    return row_hash(GENESIS, [list(row) for row in rows])


def is_new(db: sqlite3.Connection) -> bool:
    """Whether the file holds nothing at all yet."""
    return bool(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0)


def create(db: sqlite3.Connection, header: Header) -> None:
    """Makes all tables, inside the caller's transaction."""
    for statement in _TABLES.split(";"):
        if statement.strip():
            db.execute(statement)
    db.executemany(
        "INSERT INTO header VALUES (?, ?)", [(key, str(getattr(header, key))) for key in _HEADER_KEYS]
    )
    write_seal(db, header.life, Seal(header=header_hash(header), tables=tables_hash(db)))
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {FORMAT}")


def check_file(db: sqlite3.Connection, where: str) -> int:
    """The file's format, once it is known to be a journal that this program can read.

    Raises:
        JournalMismatch: It is some other SQLite file.
        JournalTooNew: A later program wrote it.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise JournalMismatch("this file is no journal of a table", where=where)
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > FORMAT:
        raise JournalTooNew(f"the file has format {found}, this program reads up to {FORMAT}", where=where)
    return found


def read_header(db: sqlite3.Connection, where: str) -> Header:
    """Whose journal the file is.

    Raises:
        JournalCorrupt: A line of the header is missing or is not what it must be.
    """
    found = dict(db.execute("SELECT key, value FROM header").fetchall())
    try:
        return msgspec.convert({key: found[key] for key in _HEADER_KEYS}, Header, strict=False)
    except (KeyError, msgspec.ValidationError) as error:
        raise JournalCorrupt(f"the header is damaged: {error}", where=where) from None


def check_ends(db: sqlite3.Connection, header: Header, seal: Seal, where: str) -> None:
    """Compares each table's last row with the seal: quick enough for every start. `verify` looks at all rows.

    Raises:
        JournalCorrupt: Rows were added, lost or changed at an end.
    """
    if header_hash(header) != seal.header:
        raise JournalCorrupt("the header was changed", where=where)
    if tables_hash(db) != seal.tables:
        raise JournalCorrupt("a table's definition was changed", where=where)
    for table, key, head in (
        ("boots", "boot", seal.boots),
        ("entries", "idx", seal.entries),
        ("rulings", "n", seal.rulings),
    ):
        row = db.execute(f"SELECT {key}, hash FROM {table} ORDER BY {key} DESC LIMIT 1").fetchone()
        if (row or (0, GENESIS)) != (head.count, head.hash):
            raise JournalCorrupt(f"the end of {table} is not the one that was written", where=where)
    for table, upto in (("outbox", seal.outbox.count), ("published", seal.hub_ack)):
        last = db.execute(f"SELECT max(seq) FROM {table}").fetchone()[0]
        if last is None and table == "outbox" and seal.hub_ack == seal.outbox.count:
            continue
        if (last or 0) != upto:
            raise JournalCorrupt(f"the end of {table} is not the one that was written", where=where)


#: From each older format to the next, inside one transaction. The file itself is upgraded when a table opens it for
#: writing; a reading command upgrades a copy in memory.
UPGRADES: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = {}


def upgrade(db: sqlite3.Connection, found: int) -> None:
    """Brings an older file to the present format, inside the caller's transaction."""
    if found == FORMAT:
        return
    for step in range(found, FORMAT):
        UPGRADES[step](db)
    db.execute(f"PRAGMA user_version = {FORMAT}")
    life = read_header(db, "header").life
    seal = read_seal(db, life, "seal")
    write_seal(db, life, msgspec.structs.replace(seal, tables=tables_hash(db)))
