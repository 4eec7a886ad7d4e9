"""The streams of the tables in the record: each event once, in order, with what all of them add up to.

A place in a table's stream is (table, life, seq): it is filled once and never again, whatever arrives later. What a table's
events add up to (``projection.Picture``) and the results of its hands are written in the same transaction as the events, so
they cannot disagree with them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from table_controller import messages as m
from table_controller.messages.events import AmendingEnvelope
from table_controller.messages.wire import fill
from tournament_hub.errors import StoreFault
from tournament_hub.projection import Picture, reduce_event, result_of
from tournament_hub.store_database import Database, prepare
from tournament_hub.store_postgres import PostgresDatabase, is_url
from tournament_hub.store_sqlite import SqliteDatabase

_HEAD = tuple(name for name in AmendingEnvelope.__struct_fields__ if name != "body")


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


class Recorded(msgspec.Struct, frozen=True):
    """An event of the record, in the hub's order of receipt."""

    receipt: int
    table: str
    event: m.Event


class EventStore:
    """One hub's record, as far as it is made of what tables said.

    Args:
        place: the database's file, made with its folder when missing; or the address of a PostgreSQL database.
        starting: a hub starts with it, and what tables obey begins a new epoch.

    Raises:
        StoreInUse: another process has it open.
        StoreFormat: it is not ours or of a later program.
        StoreFault: it cannot be opened or is damaged.
    """

    def __init__(self, place: Path | str, *, starting: bool = True) -> None:
        self._heads: dict[tuple[str, str], Head] = {}
        self._dirty: set[tuple[str, str]] = set()
        self._new_events: list[tuple[Any, ...]] = []
        self._new_results: list[tuple[Any, ...]] = []
        self._utc = ""
        self._db: Database
        if isinstance(place, str) and is_url(place):
            self._db = PostgresDatabase(place)
        else:
            self._db = SqliteDatabase(Path(place))
        try:
            self._open(starting)
        except Exception as error:
            self.close()
            if isinstance(error, (*self._db.failures, msgspec.MsgspecError)):
                raise self._fault(error) from error
            raise

    def _open(self, starting: bool) -> None:
        prepare(self._db)
        if starting:
            with self.transaction():
                self._db.execute(
                    "INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT (key) DO UPDATE SET value = meta.value + 1"
                )
        row = self._db.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
        self.epoch: int = 0 if row is None else row[0]
        """Which start of the hub this is, from 1: what the tables obey is ordered by it."""
        self.reload()

    @property
    def database(self) -> Database:
        """Where it lies, for what is no business of tables: people, backups."""
        return self._db

    def reload(self) -> None:
        """Read the ends of all streams again; after a transaction that failed."""
        self._dirty.clear()
        self._new_events.clear()
        self._new_results.clear()
        self._heads = {
            (table, life): Head(seq, hash_, msgspec.json.decode(picture, type=Picture))
            for table, life, seq, hash_, picture in self._db.execute(
                "SELECT tbl, life, seq, hash, picture FROM heads"
            )
        }

    def close(self) -> None:
        """Let go of the database; may be called twice. Leaves no write-ahead file behind."""
        self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; on the disk when it ends.

        Raises:
            StoreFault: the disk or the server is full or fails: nothing of it happened, or (a line lost at the very
                end) all of it; what the record says then is read again.
        """
        try:
            if self._db.begin():
                self.reload()
            try:
                yield
                with self._db.together():
                    self._flush()
                    self._write_heads()
                    self._db.commit()
            except BaseException:
                self._db.rollback()
                self._new_events.clear()
                self._new_results.clear()
                self.reload()
                raise
        except self._db.failures as error:
            raise self._fault(error) from error

    def _write_heads(self) -> None:
        rows = []
        for key in self._dirty:
            head = self._heads[key]
            rows.append((*key, head.seq, head.hash, msgspec.json.encode(head.picture)))
        if rows:
            self._db.insert("heads", ("tbl", "life", "seq", "hash", "picture"), rows, key=("tbl", "life"))
        self._dirty.clear()

    def _flush(self) -> None:
        """Write the events of this transaction so far, all at once: a row each costs a round to a server."""
        if self._new_events:
            columns = ("tbl", "life", "seq", "received_utc", "hash", "payload")
            self._db.insert("events", columns, self._new_events)
            self._new_events.clear()
        if self._new_results:
            columns = ("tbl", "life", "seq", "hand", "void", "body")
            self._db.insert("results", columns, self._new_results)
            self._new_results.clear()

    def settle(self) -> None:
        """Write what this transaction has taken so far, for whoever reads the record in the middle of it."""
        self._flush()

    def lives(self, table: str) -> dict[str, int]:
        """Every life of a table's journal that the record has, with its last event."""
        return {life: head.seq for (name, life), head in self._heads.items() if name == table}

    def _fault(self, error: Exception) -> StoreFault:
        return StoreFault(str(error), where=self._db.where, hint="check the disk and its free space")

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
        self._flush()
        row = self._db.execute(
            "SELECT hash FROM events WHERE tbl = ? AND life = ? AND seq = ?",
            (table, event.life, event.seq),
        ).fetchone()
        # None: given up by adopt(), a late copy changes nothing. The hash is of what came, also where a name was blacked.
        return row is None or row[0] == m.chain_hash(event.prev, payload)

    def _take(self, table: str, event: m.Event, payload: bytes, utc: str, head: Head) -> None:
        link = m.chain_hash(event.prev, payload)
        self._utc = utc
        self._new_events.append((table, event.life, event.seq, utc, link, payload))
        self._keep_result(table, event)
        self._heads[(table, event.life)] = Head(event.seq, link, reduce_event(head.picture, event))
        self._dirty.add((table, event.life))

    def _keep_result(self, table: str, event: m.Event) -> None:
        result = result_of(event)
        if result is not None:
            self._new_results.append(
                (table, event.life, event.seq, result.hand, int(result.void), msgspec.json.encode(result))
            )
        if event.amends is not None:
            self._flush()
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
                "SELECT tbl, life, seq, hash, payload, redacted FROM events ORDER BY tbl, life, seq"
            )
            for table, life, seq, link, payload, redacted in rows.fetchall():
                event = _recorded(payload)
                head = self.head(table, life)
                if (not redacted and m.chain_hash(event.prev, payload) != link) or (
                    head.seq + 1 == seq and head.hash != event.prev
                ):
                    raise StoreFault(
                        f"event {seq} of {table} does not continue the chain",
                        where=self._db.where,
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
            "SELECT hand FROM results WHERE tbl = ? AND void = 0 AND amended_by IS NULL ORDER BY life, seq",
            (table,),
        )
        return [row[0] for row in rows]


def _recorded(payload: bytes) -> m.Event:
    """An event of the record: its limits were looked at when it was taken, and are not looked at again."""
    head = fill(payload, AmendingEnvelope, where="event")
    form = m.EVENT_BODIES.get(head.type)
    if form is None or head.v != m.MAJOR:
        return m.decode_event(payload)
    fields = {name: getattr(head, name) for name in _HEAD}
    return m.Event(**fields, body=fill(bytes(head.body), form, where=head.type))
