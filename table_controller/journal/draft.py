"""One transaction in the making: every row that it adds is chained, and the seal follows."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import msgspec

from table_controller.journal import schema
from table_controller.journal.errors import JournalRefused
from table_controller.journal.records import HandOpening, NewEntry, NewEvent, NewRuling, OutboxRow
from table_controller.journal.schema import Head, Seal, row_hash
from table_controller.messages import GENESIS, Desired, Event, chain_hash, encode_event


class Draft:
    """A transaction in the making: what the seal will be when it is committed."""

    def __init__(self, db: sqlite3.Connection, seal: Seal, where: str) -> None:
        self._db = db
        self._where = where
        self.seal = seal
        #: Pages that this transaction adds to the log, roughly: one for each place that it writes to, and its bytes.
        self.pages = 2

    def add_entry(self, entry: NewEntry) -> None:
        """Chains an entry to the one before it."""
        t = float(entry.t)
        if not math.isfinite(t) or t < self.seal.last_t:
            raise self._refused(f"time ran backwards: {entry.t} after {self.seal.last_t}")
        self._require_json(entry.body)
        head = self.seal.entries
        fields = [head.count + 1, self.seal.boots.count, t, entry.utc, entry.hand, entry.kind]
        digest = row_hash(head.hash, fields, entry.body)
        self._insert("entries", (*fields, entry.body, digest), entry.body)
        self.seal = msgspec.structs.replace(self.seal, entries=Head(head.count + 1, digest), last_t=t)

    def open_hand(self, opening: HandOpening, first: int, count: int) -> None:
        """Notes where a hand begins, and keeps its rulebook's text once."""
        start = self._entry_of(opening.of, first, count, "the hand's first entry")
        digest = schema.text_hash(opening.text)
        texts = self.seal.texts
        if self._db.execute("SELECT 1 FROM texts WHERE hash = ?", (digest,)).fetchone() is None:
            self._insert("texts", (digest, opening.text), opening.text.encode("utf-8"))
            texts += 1
        head = self.seal.hands
        fields = [start, opening.hand, opening.rulebook, digest]
        chained = row_hash(head.hash, fields)
        self._insert("hands", (*fields, chained))
        self.seal = msgspec.structs.replace(self.seal, hands=Head(head.count + 1, chained), texts=texts)

    def add_ruling(self, ruling: NewRuling, first: int, count: int) -> None:
        """Chains a ruling to the one before it."""
        entry = self._entry_of(ruling.of, first, count, "the entry of a ruling")
        self._require_json(ruling.body)
        head = self.seal.rulings
        fields = [head.count + 1, entry]
        digest = row_hash(head.hash, fields, ruling.body)
        self._insert("rulings", (*fields, ruling.body, digest), ruling.body)
        self.seal = msgspec.structs.replace(self.seal, rulings=Head(head.count + 1, digest))

    def add_event(self, event: NewEvent, life: str) -> OutboxRow:
        """Gives a public event its number and its place in the chain."""
        head = self.seal.outbox
        if event.amends is not None and event.amends > head.count:
            raise self._refused(f"event {head.count + 1} amends {event.amends}, which was never given")
        payload = encode_event(
            Event(
                life=life,
                boot=self.seal.boots.count,
                seq=head.count + 1,
                hand=event.hand,
                t=float(event.t),
                utc=event.utc,
                cause=event.cause,
                body=event.body,
                prev=head.hash,
                amends=event.amends,
            )
        )
        row = OutboxRow(seq=head.count + 1, topic=schema.EVENT_TOPIC, payload=payload, prev=head.hash)
        self._insert("outbox", (row.seq, row.topic, payload, row.prev), payload)
        self.seal = msgspec.structs.replace(self.seal, outbox=Head(row.seq, chain_hash(head.hash, payload)))
        return row

    def put_desired(self, desired: Desired) -> None:
        """Takes over the hub's document; a lower one than the one held is refused."""
        held = self.seal.desired_version
        if held is not None and desired.version < held:
            raise self._refused(f"the hub's document {desired.version} is older than the one held, {held}")
        document = msgspec.json.encode(desired)
        self._db.execute("INSERT OR REPLACE INTO meta VALUES ('desired', ?)", (document,))
        self.pages += 1 + len(document) // 4096
        self.seal = msgspec.structs.replace(
            self.seal, desired=chain_hash(GENESIS, document), desired_version=desired.version
        )

    def clear_outbox(self, upto_seq: int) -> None:
        """Moves what the hub has from the outbox to the published stream."""
        self._db.execute("INSERT INTO published SELECT * FROM outbox WHERE seq <= ?", (upto_seq,))
        self._db.execute("DELETE FROM outbox WHERE seq <= ?", (upto_seq,))
        self.pages += 2 + (upto_seq - self.seal.hub_ack) // 4
        self.seal = msgspec.structs.replace(self.seal, hub_ack=upto_seq)

    def _insert(self, table: str, values: tuple[Any, ...], body: bytes = b"") -> None:
        self._db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
        self.pages += 1 + len(body) // 4096

    def _entry_of(self, place: int, first: int, count: int, what: str) -> int:
        if not -count <= place < count:
            raise self._refused(f"{what} is number {place} of {count} in the batch")
        return first + place % count

    def _require_json(self, body: bytes) -> None:
        try:
            value = msgspec.json.decode(body)
        except msgspec.MsgspecError as error:
            raise self._refused(f"a body is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise self._refused("a body is not one JSON object")

    def _refused(self, what: str) -> JournalRefused:
        return JournalRefused(what, where=self._where)
