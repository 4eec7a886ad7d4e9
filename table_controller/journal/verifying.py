"""The proof that a journal is whole: every row, every link of every chain, and the seal over them.

What it cannot see: a file that somebody rewrote completely, with all hashes made anew, or an old copy put back.
The hub's copy of the event chain shows those.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from table_controller.journal import schema
from table_controller.journal.errors import JournalError
from table_controller.journal.records import Problem
from table_controller.journal.schema import Head, Seal, row_hash
from table_controller.messages import GENESIS, Desired, MessageError, chain_hash, decode_event


def verify(db: sqlite3.Connection) -> list[Problem]:
    """Reads the whole file in one consistent view and lists what is wrong with it; empty when it is whole."""
    problems: list[Problem] = []
    try:
        db.execute("BEGIN")
        try:
            problems.extend(_pages(db))
            problems.extend(_verify(db))
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
    except schema.STORE_ERRORS as error:
        problems.append(Problem(table="file", where="pages", what=f"cannot be read: {error}"))
    except JournalError as error:
        problems.append(Problem(table="file", where=error.where, what=error.what))
    except (
        TypeError,
        ValueError,
    ) as error:  # damage can turn a column into another type than its table allows
        problems.append(Problem(table="file", where="rows", what=f"a row holds what nobody wrote: {error}"))
    return problems


def _pages(db: sqlite3.Connection) -> Iterator[Problem]:
    for (line,) in db.execute("PRAGMA integrity_check(20)").fetchall():
        if line != "ok":
            yield Problem(table="file", where="pages", what=str(line))


def _verify(db: sqlite3.Connection) -> Iterator[Problem]:
    header = schema.read_header(db, "header")
    seal = schema.read_seal(db, header.life, "seal")
    if schema.tables_hash(db) != seal.tables:
        yield Problem(
            table="file", where="tables", what="a table's definition was changed: no row can be believed"
        )
        return
    if schema.header_hash(header) != seal.header:
        yield Problem(table="header", where="", what="was changed")
    yield from _chained(db, "boots", "boot", "boot, utc, software, engine, first", seal.boots)
    yield from _chained(db, "entries", "idx", "idx, boot, t, utc, hand, kind", seal.entries, body="body")
    yield from _chained(db, "rulings", "n", "n, entry", seal.rulings, body="body")
    yield from _hands(db, seal)
    yield from _texts(db, seal)
    yield from _times(db, seal)
    yield from _stream(db, seal, header.life)
    yield from _desired(db, seal)


def _chained(
    db: sqlite3.Connection,
    table: str,
    key: str,
    fields: str,
    head: Head,
    *,
    body: str = "x''",
    gapless: bool = True,
) -> Iterator[Problem]:
    """Follows one chain; after a break it goes on from the stored hash, so that one fault is told once."""
    prev, expected, count = GENESIS, 1, 0
    for row in db.execute(f"SELECT {fields}, {body}, hash FROM {table} ORDER BY {key}"):
        *values, blob, stored = row
        where = f"{key} {values[0]}"
        count += 1
        if gapless and values[0] != expected:
            yield Problem(table=table, where=where, what=f"{expected} is missing before it")
        if not isinstance(blob, bytes) or row_hash(prev, values, blob) != stored:
            yield Problem(table=table, where=where, what="was changed, or is not where it was written")
        prev, expected = str(stored), values[0] + 1
    yield from _against(table, head, count, prev)


def _against(table: str, head: Head, count: int, last: str) -> Iterator[Problem]:
    if count != head.count:
        yield Problem(table=table, where="all", what=f"{count} rows, {head.count} were written")
    elif last != head.hash:
        yield Problem(table=table, where="last row", what="is not the one that was written last")


def _hands(db: sqlite3.Connection, seal: Seal) -> Iterator[Problem]:
    yield from _chained(db, "hands", "start", "start, hand, rulebook, text_hash", seal.hands, gapless=False)
    sql = "SELECT start, hand FROM hands WHERE start NOT IN (SELECT idx FROM entries)"
    for start, hand in db.execute(sql):
        yield Problem(table="hands", where=f"hand {hand}", what=f"its first entry {start} is missing")
    sql = "SELECT hand, text_hash FROM hands WHERE text_hash NOT IN (SELECT hash FROM texts)"
    for hand, digest in db.execute(sql):
        yield Problem(table="hands", where=f"hand {hand}", what=f"its rulebook {digest[:12]} is missing")


def _texts(db: sqlite3.Connection, seal: Seal) -> Iterator[Problem]:
    count = 0
    for digest, text in db.execute("SELECT hash, text FROM texts"):
        count += 1
        if not isinstance(text, str) or schema.text_hash(text) != digest:
            yield Problem(table="texts", where=str(digest)[:12], what="was changed")
    if count != seal.texts:
        yield Problem(table="texts", where="all", what=f"{count} rows, {seal.texts} were written")


def _times(db: sqlite3.Connection, seal: Seal) -> Iterator[Problem]:
    sql = "SELECT idx, t, lag(t) OVER (ORDER BY idx) AS before FROM entries"
    for idx, t, before in db.execute(f"SELECT idx, t, before FROM ({sql}) WHERE before > t"):
        yield Problem(table="entries", where=f"idx {idx}", what=f"time ran backwards, {before} then {t}")
    last = db.execute("SELECT max(t) FROM entries").fetchone()[0]
    if last is not None and last > seal.last_t:
        yield Problem(
            table="entries", where="last row", what=f"is later ({last}) than the seal ({seal.last_t})"
        )


def _stream(db: sqlite3.Connection, seal: Seal, life: str) -> Iterator[Problem]:
    prev, expected, count = GENESIS, 1, 0
    columns = "seq, topic, payload, prev"
    sql = f"SELECT {columns}, 1 FROM outbox UNION ALL SELECT {columns}, 0 FROM published ORDER BY seq"
    for seq, topic, payload, stored_prev, held in db.execute(sql):
        where = f"seq {seq}"
        count += 1
        if seq != expected:
            yield Problem(table="outbox", where=where, what=f"{expected} is missing, or stands twice")
        if topic != schema.EVENT_TOPIC:
            yield Problem(table="outbox", where=where, what=f"goes to {topic!r}, where no event goes")
        payload = schema.blob(payload, f"outbox {where}")
        yield from _event(payload, seq, prev, stored_prev, life)
        if bool(held) != (seq > seal.hub_ack):
            what = "is acknowledged and still held" if held else "was never acknowledged"
            yield Problem(table="outbox", where=where, what=what)
        prev, expected = chain_hash(prev, payload), seq + 1
    yield from _against("outbox", seal.outbox, count, prev)


def _event(payload: bytes, seq: int, prev: str, stored_prev: Any, life: str) -> Iterator[Problem]:
    where = f"seq {seq}"
    try:
        event = decode_event(payload)
    except MessageError as error:
        yield Problem(table="outbox", where=where, what=f"is no event: {error}")
        return
    if (event.seq, event.life) != (seq, life):
        yield Problem(table="outbox", where=where, what=f"holds event {event.seq} of life {event.life}")
    if event.prev != prev or stored_prev != prev:
        yield Problem(table="outbox", where=where, what="does not follow the event before it")


def _desired(db: sqlite3.Connection, seal: Seal) -> Iterator[Problem]:
    row = db.execute("SELECT value FROM meta WHERE key = 'desired'").fetchone()
    digest = "" if row is None else chain_hash(GENESIS, schema.blob(row[0], "meta desired"))
    if digest != seal.desired:
        yield Problem(table="meta", where="desired", what="was changed")
        return
    if row is not None:
        try:
            version = msgspec.json.decode(row[0], type=Desired).version
        except msgspec.MsgspecError as error:
            yield Problem(table="meta", where="desired", what=f"cannot be read: {error}")
            return
        if version != seal.desired_version:
            yield Problem(table="meta", where="desired", what=f"is {version}, not {seal.desired_version}")
    extra = db.execute("SELECT count(*) FROM meta WHERE key <> 'desired'").fetchone()[0]
    if extra:
        yield Problem(table="meta", where="all", what=f"{extra} rows that nobody wrote")
