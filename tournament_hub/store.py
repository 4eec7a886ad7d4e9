"""The hub's record: every event of every table once, on the disk before anybody is told that it arrived.

SQLite in WAL mode with ``synchronous=FULL``, one process, one connection, one thread. Many messages share one
transaction; what is acknowledged is always committed. A place in a table's stream is (table, life, seq): it is filled
once and never again, whatever arrives later.

What a table's events add up to (``projection.Picture``) and the results of its hands are written in the same
transaction as the events, so they cannot disagree with them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import msgspec

from table_controller import messages as m
from tournament_hub.errors import StoreFault, StoreFormat, StoreInUse
from tournament_hub.projection import Picture, reduce_event, result_of

FORMAT = 1

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE events (
    receipt INTEGER PRIMARY KEY AUTOINCREMENT,
    tbl TEXT NOT NULL, life TEXT NOT NULL, seq INTEGER NOT NULL,
    received_utc TEXT NOT NULL, hash TEXT NOT NULL, payload BLOB NOT NULL,
    UNIQUE (tbl, life, seq));
CREATE TABLE heads (
    tbl TEXT NOT NULL, life TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, picture BLOB NOT NULL,
    PRIMARY KEY (tbl, life));
CREATE TABLE tables (
    tbl TEXT PRIMARY KEY, life TEXT NOT NULL, boot INTEGER NOT NULL, conn INTEGER NOT NULL);
CREATE TABLE results (
    tbl TEXT NOT NULL, life TEXT NOT NULL, seq INTEGER NOT NULL, hand INTEGER, void INTEGER NOT NULL,
    body BLOB NOT NULL, amended_by INTEGER,
    PRIMARY KEY (tbl, life, seq));
CREATE TABLE desired (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tbl TEXT NOT NULL, epoch INTEGER NOT NULL, rev INTEGER NOT NULL, document BLOB NOT NULL,
    said_by TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE (tbl, epoch, rev));
CREATE TABLE configured (tbl TEXT PRIMARY KEY, document BLOB NOT NULL);
CREATE TABLE alarms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tbl TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, times INTEGER NOT NULL, utc TEXT NOT NULL,
    taken_by TEXT);
CREATE TABLE requests (
    tbl TEXT NOT NULL, kind TEXT NOT NULL, tx TEXT NOT NULL, payload BLOB NOT NULL, response BLOB NOT NULL,
    PRIMARY KEY (tbl, kind, tx));
"""


class Verdict(Enum):
    """What became of an event that was offered."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    """It is in the record already, byte for byte: acknowledge it again."""
    CONFLICT = "conflict"
    """Its place is filled with another body: an alarm, never an overwrite."""
    GAP = "gap"
    """Events before it are missing."""
    BROKEN = "broken"
    """It is the next one, but does not continue the chain."""


class Head(msgspec.Struct):
    """The end of one table's stream of one life: last event, its hash, and what all events add up to."""

    seq: int = 0
    hash: str = m.GENESIS
    picture: Picture = Picture()


class Alarm(msgspec.Struct, frozen=True):
    """Something that a person must look at; ``times`` it was seen. Taken away only by name."""

    ident: int
    table: str
    code: str
    detail: str
    times: int
    utc: str


class Recorded(msgspec.Struct, frozen=True):
    """An event of the record, in the hub's order of receipt."""

    receipt: int
    table: str
    event: m.Event


class Store:
    """One hub's record.

    Args:
        path: the database; made with its folder when missing.

    Raises:
        StoreInUse: another process has it open.
        StoreFormat: it is not ours or of a later program.
        StoreFault: it cannot be opened or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._heads: dict[tuple[str, str], Head] = {}
        self._dirty: set[tuple[str, str]] = set()
        self._lock = _take_lock(path)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
        except sqlite3.Error as error:
            os.close(self._lock)
            raise self._fault(error) from error
        try:
            self._open()
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            self.close()
            raise self._fault(error) from error
        except StoreFault:
            self.close()
            raise

    def _open(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA foreign_keys=ON")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise StoreFormat(
                f"format {version}, this program knows {FORMAT}",
                where=str(self._path),
                hint="update the program",
            )
        if version == 0:
            if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise StoreFormat("not a hub's record", where=str(self._path), hint="choose another file")
            self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={FORMAT}; COMMIT;")
        damage = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise StoreFault(
                f"damaged: {damage}", where=str(self._path), hint="restore a backup, tables send the rest"
            )
        with self.transaction():
            self._db.execute(
                "INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
            )
        self.epoch: int = self._db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()[0]
        """Which start of the hub this is, from 1: what the tables obey is ordered by it."""
        self.reload()

    def reload(self) -> None:
        """Read the ends of all streams again; after a transaction that failed."""
        self._dirty.clear()
        self._heads = {
            (table, life): Head(seq, hash_, msgspec.json.decode(picture, type=Picture))
            for table, life, seq, hash_, picture in self._db.execute("SELECT * FROM heads")
        }

    def close(self) -> None:
        """Close the file; may be called twice. Leaves no write-ahead file behind."""
        self._db.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; on the disk when it ends.

        Raises:
            StoreFault: the disk is full or fails: nothing of it happened.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._write_heads()
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a failed COMMIT may have rolled back by itself
                    self._db.execute("ROLLBACK")
                self.reload()
                raise
        except sqlite3.Error as error:
            raise self._fault(error) from error

    def _write_heads(self) -> None:
        rows = []
        for key in self._dirty:
            head = self._heads[key]
            rows.append((*key, head.seq, head.hash, msgspec.json.encode(head.picture)))
        self._db.executemany("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?)", rows)
        self._dirty.clear()

    def _fault(self, error: Exception) -> StoreFault:
        return StoreFault(str(error), where=str(self._path), hint="check the disk and its free space")

    # -- events --------------------------------------------------------------

    def head(self, table: str, life: str) -> Head:
        """The end of a stream; before its first event, zero and the genesis hash."""
        return self._heads.get((table, life)) or Head()

    def offer(self, table: str, event: m.Event, payload: bytes, utc: str) -> Verdict:
        """Take an event if it is new and the next one; must be called inside ``transaction``.

        Args:
            table: whose topic it came on.
            event: the same, read.
            payload: as published: these bytes are kept.
            utc: the hub's clock, a label for people.
        """
        head = self.head(table, event.life)
        if event.seq <= head.seq:
            return Verdict.REPEATED if self._same(table, event, payload) else Verdict.CONFLICT
        if event.seq > head.seq + 1:
            return Verdict.GAP
        if event.prev != head.hash:
            return Verdict.BROKEN
        self._take(table, event, payload, utc, head)
        return Verdict.RECORDED

    def adopt(self, table: str, life: str, seq: int, prev: str) -> None:
        """Continue a stream after events that nobody has any more; inside ``transaction``. A person must know.

        Args:
            table: whose stream.
            life: which life.
            seq: the last event that is given up.
            prev: the hash that the next event names as its predecessor's.
        """
        head = self.head(table, life)
        self._heads[(table, life)] = Head(max(seq, head.seq), prev, head.picture)
        self._dirty.add((table, life))

    def _same(self, table: str, event: m.Event, payload: bytes) -> bool:
        row = self._db.execute(
            "SELECT payload FROM events WHERE tbl = ? AND life = ? AND seq = ?",
            (table, event.life, event.seq),
        ).fetchone()
        return row is None or row[0] == payload  # None: given up by adopt(), a late copy changes nothing

    def _take(self, table: str, event: m.Event, payload: bytes, utc: str, head: Head) -> None:
        link = m.chain_hash(event.prev, payload)
        self._db.execute(
            "INSERT INTO events (tbl, life, seq, received_utc, hash, payload) VALUES (?, ?, ?, ?, ?, ?)",
            (table, event.life, event.seq, utc, link, payload),
        )
        self._keep_result(table, event)
        self._heads[(table, event.life)] = Head(event.seq, link, reduce_event(head.picture, event))
        self._dirty.add((table, event.life))

    def _keep_result(self, table: str, event: m.Event) -> None:
        result = result_of(event)
        if result is not None:
            self._db.execute(
                "INSERT INTO results (tbl, life, seq, hand, void, body) VALUES (?, ?, ?, ?, ?, ?)",
                (table, event.life, event.seq, result.hand, result.void, msgspec.json.encode(result)),
            )
        if event.amends is not None:
            self._db.execute(
                "UPDATE results SET amended_by = ? WHERE tbl = ? AND life = ? AND seq = ?",
                (event.seq, table, event.life, event.amends),
            )

    def rebuild(self) -> int:
        """Make every picture and result again from the events alone and put them in place; how many events were read.

        Raises:
            StoreFault: a chain in the record is broken: the file was altered.
        """
        count = 0
        with self.transaction():
            self._db.execute("DELETE FROM results")
            kept = dict(self._heads)
            self._heads = {}
            rows = self._db.execute(
                "SELECT tbl, life, seq, hash, payload FROM events ORDER BY tbl, life, seq"
            )
            for table, life, seq, link, payload in rows.fetchall():
                event = m.decode_event(payload)
                head = self.head(table, life)
                if m.chain_hash(event.prev, payload) != link or (
                    head.seq + 1 == seq and head.hash != event.prev
                ):
                    raise StoreFault(
                        f"event {seq} of {table} does not continue the chain",
                        where=str(self._path),
                        hint="restore a backup, tables send the rest",
                    )
                self._keep_result(table, event)
                self._heads[(table, life)] = Head(seq, link, reduce_event(head.picture, event))
                count += 1
            for key, head in kept.items():  # a stream that was adopted but has no event yet
                self._heads.setdefault(key, head)
            self._dirty.update(self._heads)
        return count

    def latest(self, count: int) -> list[Recorded]:
        """The newest events, oldest of them first."""
        rows = self._db.execute(
            "SELECT receipt, tbl, payload FROM events ORDER BY receipt DESC LIMIT ?", (count,)
        )
        return [Recorded(receipt, table, m.decode_event(payload)) for receipt, table, payload in rows][::-1]

    def payloads(self, table: str, life: str) -> list[bytes]:
        """A table's stream as it was published."""
        rows = self._db.execute(
            "SELECT payload FROM events WHERE tbl = ? AND life = ? ORDER BY seq", (table, life)
        )
        return [row[0] for row in rows]

    def hands(self, table: str) -> list[int | None]:
        """The numbers of the hands whose result counts, in order."""
        rows = self._db.execute(
            "SELECT hand FROM results WHERE tbl = ? AND NOT void AND amended_by IS NULL ORDER BY life, seq",
            (table,),
        )
        return [row[0] for row in rows]

    # -- who the tables are ----------------------------------------------------

    def identities(self) -> dict[str, tuple[str, int, int]]:
        """The current (life, boot, conn) of every table that was ever heard."""
        return {row[0]: (row[1], row[2], row[3]) for row in self._db.execute("SELECT * FROM tables")}

    def save_identity(self, table: str, life: str, boot: int, conn: int) -> None:
        """This is who the table is now; inside ``transaction``."""
        self._db.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)", (table, life, boot, conn))

    # -- what the tables should be -----------------------------------------------

    def desired(self, table: str) -> m.Desired | None:
        """The newest target of a table."""
        row = self._db.execute(
            "SELECT document FROM desired WHERE tbl = ? ORDER BY id DESC LIMIT 1", (table,)
        ).fetchone()
        return None if row is None else m.decode(row[0], m.Desired)

    def save_desired(self, table: str, document: m.Desired, by: str, reason: str) -> None:
        """Keep a new revision with who wanted it and why; inside ``transaction``. Earlier ones stay."""
        self._db.execute(
            "INSERT INTO desired (tbl, epoch, rev, document, said_by, reason) VALUES (?, ?, ?, ?, ?, ?)",
            (table, document.epoch, document.rev, m.encode(document), by, reason),
        )

    def configured(self, table: str) -> m.Desired | None:
        """What the configuration file said of a table when it was last taken over."""
        row = self._db.execute("SELECT document FROM configured WHERE tbl = ?", (table,)).fetchone()
        return None if row is None else m.decode(row[0], m.Desired)

    def save_configured(self, table: str, document: m.Desired) -> None:
        """Remember what the configuration file says; inside ``transaction``."""
        self._db.execute("INSERT OR REPLACE INTO configured VALUES (?, ?)", (table, m.encode(document)))

    # -- what needs a person ---------------------------------------------------------

    def alarm(self, table: str, code: str, detail: str, utc: str) -> bool:
        """Something is wrong; inside ``transaction``. True when it is new; a known one is only counted."""
        known = self._db.execute(
            "UPDATE alarms SET times = times + 1 WHERE tbl = ? AND code = ? AND taken_by IS NULL",
            (table, code),
        ).rowcount
        if known:
            return False
        self._db.execute(
            "INSERT INTO alarms (tbl, code, detail, times, utc) VALUES (?, ?, ?, 1, ?)",
            (table, code, detail, utc),
        )
        return True

    def alarms(self) -> list[Alarm]:
        """All that nobody has taken yet, oldest first."""
        rows = self._db.execute(
            "SELECT id, tbl, code, detail, times, utc FROM alarms WHERE taken_by IS NULL ORDER BY id"
        )
        return [Alarm(*row) for row in rows]

    def take_alarm(self, ident: int, by: str) -> Alarm | None:
        """A person takes an alarm; inside ``transaction``. None when somebody was faster."""
        for alarm in self.alarms():
            if alarm.ident == ident:
                self._db.execute("UPDATE alarms SET taken_by = ? WHERE id = ?", (by, ident))
                return alarm
        return None

    # -- what tables asked -------------------------------------------------------------

    def answered(self, table: str, kind: str, tx: str) -> bytes | None:
        """The response that this request already got."""
        row = self._db.execute(
            "SELECT response FROM requests WHERE tbl = ? AND kind = ? AND tx = ?", (table, kind, tx)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def save_request(self, table: str, kind: str, tx: str, payload: bytes, response: bytes) -> None:
        """Keep a request with its response, so that a copy of it is answered alike; inside ``transaction``."""
        self._db.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (table, kind, tx, payload, response))


def _take_lock(path: Path) -> int:
    """Hold the record for this process; the kernel lets go when the process ends, however it ends."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(
            path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        raise StoreFault(
            f"cannot be opened: {error.strerror}", where=str(path), hint="check the folder"
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise StoreInUse(
            "another hub has it open", where=str(path), hint="stop the other hub first"
        ) from error
    return descriptor
