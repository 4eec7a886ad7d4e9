"""Incidents out of the record: at which table, in which hand, which one; read on from where the last reading ended."""

from __future__ import annotations

from typing import Final

import msgspec

from tournament_hub.store_events import EventStore

CHUNK: Final = 4000
"""Events that one reading looks at: the hub's thread does nothing else meanwhile."""
_MARK: Final = b'"incident"'


class Told(msgspec.Struct, frozen=True):
    """One incident. ``hand`` None: between hands."""

    table: str
    hand: int | None
    incident: str


class _Body(msgspec.Struct):
    incident: str = ""


class _Event(msgspec.Struct):
    type: str
    body: _Body
    hand: int | None = None


class Incidents:
    """All incidents of the tables, kept in memory as they are read.

    Args:
        store: the record; used on the hub's thread only.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._read: dict[tuple[str, str], int] = {}
        self._found: dict[str, list[Told]] = {}

    def read(self, tables: tuple[str, ...]) -> bool:
        """Read on; False when nothing was left to be read. At most ``CHUNK`` events are looked at."""
        left = CHUNK
        for table in tables:
            rows = self._store.database.execute("SELECT DISTINCT life FROM events WHERE tbl = ?", (table,))
            for (life,) in rows.fetchall():
                left -= self._on(table, life, left)
                if left <= 0:
                    return True
        return False

    def _on(self, table: str, life: str, most: int) -> int:
        after = self._read.get((table, life), 0)
        rows = self._store.database.execute(
            "SELECT seq, payload FROM events WHERE tbl = ? AND life = ? AND seq > ? ORDER BY seq LIMIT ?",
            (table, life, after, most),
        ).fetchall()
        for _, payload in rows:
            if _MARK in bytes(payload):
                event = msgspec.json.decode(bytes(payload), type=_Event)
                if event.type == "incident":
                    self._found.setdefault(table, []).append(Told(table, event.hand, event.body.incident))
        if rows:
            self._read[(table, life)] = rows[-1][0]
        return len(rows)

    def of(self, tables: tuple[str, ...]) -> tuple[Told, ...]:
        """What was read of these tables so far."""
        return tuple(told for table in tables for told in self._found.get(table, ()))
