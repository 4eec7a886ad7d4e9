"""Hands out of the record: page by page and one by one, found by table and number, however many there are.

No question here reads more than it shows: hands are found by their results, which are kept in the order of the stream,
and the events of a hand lie between two results. What is read is public by nature: no table ever sent a card that
nobody had seen.
"""

from __future__ import annotations

import msgspec

from tournament_hub.projection import Result
from tournament_hub.store_events import EventStore

PAGE = 25
"""Hands on one page."""
LONGEST = 4000
"""Events of one hand that are read at most: a table that repeats itself must not fill the memory."""


class Ended(msgspec.Struct, frozen=True):
    """A hand that was finished: where it stands in the stream, and its result. ``seq`` is that of the result."""

    table: str
    life: str
    seq: int
    hand: int
    void: bool
    utc: str
    result: Result


class Place(msgspec.Struct, frozen=True):
    """Where a page of hands goes on: everything before this result."""

    life: str
    seq: int


class Stretch(msgspec.Struct, frozen=True):
    """Some hands of one table, newest first, with the events around them as they were published.

    Attributes:
        hands: the results.
        payloads: life → the events from before the oldest to the newest of these hands.
        next: where older ones begin; None: there are none.
    """

    hands: tuple[Ended, ...]
    payloads: dict[str, tuple[bytes, ...]]
    next: Place | None


class Found(msgspec.Struct, frozen=True):
    """The events of one hand and what else happened while it ran, as they were published. ``over``: it has a result."""

    table: str
    life: str
    hand: int
    payloads: tuple[bytes, ...]
    over: bool
    before: int | None
    after: int | None


class History:
    """Reads hands; on the hub's thread.

    Args:
        store: the record.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._db = store.database

    def lives(self, table: str) -> list[str]:
        """The lives of a table, the one heard last first."""
        self._store.settle()
        ordered = []
        for life, seq in self._store.lives(table).items():
            row = self._db.execute(
                "SELECT receipt FROM events WHERE tbl = ? AND life = ? AND seq = ?", (table, life, seq)
            ).fetchone()
            ordered.append((0 if row is None else int(row[0]), life))
        return [life for _, life in sorted(ordered, reverse=True)]

    def known(self, table: str) -> bool:
        """Whether the record has anything of this table."""
        return bool(self._store.lives(table))

    def page(self, table: str, before: Place | None = None, count: int = PAGE) -> Stretch:
        """Some hands that count or were void, newest first.

        Args:
            table: whose.
            before: only what is older; None: from the newest on.
            count: how many at most.
        """
        found: list[Ended] = []
        lives = self.lives(table)
        if before is not None:
            lives = lives[lives.index(before.life) :] if before.life in lives else []
        for life in lives:
            top = before.seq if before is not None and before.life == life else None
            found += self._ended(table, life, top, count + 1 - len(found))
            if len(found) > count:
                break
        shown = found[:count]
        payloads = {}
        for life in dict.fromkeys(each.life for each in shown):
            seqs = [each.seq for each in shown if each.life == life]
            start = self._result_before(table, life, min(seqs), shown[-1].hand if shown else None)
            payloads[life] = self._payloads(table, life, start, max(seqs) + 1, PAGE * LONGEST)
        more = Place(shown[-1].life, shown[-1].seq) if len(found) > count else None
        return Stretch(tuple(shown), payloads, more)

    def hand(self, table: str, number: int, life: str | None = None) -> Found | None:
        """One hand with all that was said of it, corrections included; None: the record has no such hand.

        Args:
            table: whose.
            number: the hand's number.
            life: of which journal of the table (its first letters are enough); None: of the newest that has it.
        """
        for each in self.lives(table):
            if life is not None and not each.startswith(life):
                continue
            found = self._hand(table, each, number)
            if found is not None:
                return found
        return None

    # -- smaller questions ----------------------------------------------------------------

    def _ended(self, table: str, life: str, top: int | None, count: int) -> list[Ended]:
        rows = self._db.execute(
            "SELECT r.seq, r.hand, r.void, e.received_utc, r.body FROM results r JOIN events e"
            " ON e.tbl = r.tbl AND e.life = r.life AND e.seq = r.seq"
            " WHERE r.tbl = ? AND r.life = ? AND r.seq < ? AND r.amended_by IS NULL AND r.hand IS NOT NULL"
            " ORDER BY r.seq DESC LIMIT ?",
            (table, life, top if top is not None else 2**62, count),
        )
        return [
            Ended(table, life, seq, hand, bool(void), utc, msgspec.json.decode(body, type=Result))
            for seq, hand, void, utc, body in rows
        ]

    def _hand(self, table: str, life: str, number: int) -> Found | None:
        row = self._db.execute(
            "SELECT min(seq), max(seq) FROM results WHERE tbl = ? AND life = ? AND hand = ?",
            (table, life, number),
        ).fetchone()
        if row is None or row[0] is None:
            return self._running(table, life, number)
        first, last = int(row[0]), int(row[1])
        start = self._result_before(table, life, first, number)
        end = self._one(
            "SELECT min(seq) FROM results WHERE tbl = ? AND life = ? AND seq > ? AND hand <> ?",
            (table, life, last, number),
        )
        payloads = self._payloads(table, life, start, end if end is not None else 2**62, LONGEST)
        return Found(
            table,
            life,
            number,
            _own(payloads, number),
            True,
            self._beside(table, life, number, "max(hand)", "<"),
            self._beside(table, life, number, "min(hand)", ">"),
        )

    def _running(self, table: str, life: str, number: int) -> Found | None:
        """A hand without a result can only be the last one."""
        start = self._one("SELECT max(seq) FROM results WHERE tbl = ? AND life = ?", (table, life)) or 0
        payloads = self._payloads(table, life, start, 2**62, LONGEST)
        if not any(_hand_of(payload) == number for payload in payloads):
            return None
        before = self._beside(table, life, number, "max(hand)", "<")
        return Found(table, life, number, _own(payloads, number), False, before, None)

    def _beside(self, table: str, life: str, number: int, which: str, side: str) -> int | None:
        return self._one(
            f"SELECT {which} FROM results WHERE tbl = ? AND life = ? AND hand {side} ?",
            (table, life, number),
        )

    def _result_before(self, table: str, life: str, seq: int, number: int | None) -> int:
        """The last result before this one that is of another hand: a hand's events begin after it."""
        found = self._one(
            "SELECT max(seq) FROM results WHERE tbl = ? AND life = ? AND seq < ? AND hand <> ?",
            (table, life, seq, -1 if number is None else number),
        )
        return found or 0

    def _payloads(self, table: str, life: str, after: int, until: int, count: int) -> tuple[bytes, ...]:
        """Events between two places of a stream, both left out."""
        rows = self._db.execute(
            "SELECT payload FROM events WHERE tbl = ? AND life = ? AND seq > ? AND seq < ?"
            " ORDER BY seq LIMIT ?",
            (table, life, after, until, count),
        )
        return tuple(bytes(row[0]) for row in rows)

    def _one(self, sql: str, values: tuple[object, ...]) -> int | None:
        row = self._db.execute(sql, values).fetchone()
        return None if row is None or row[0] is None else int(row[0])


class _Number(msgspec.Struct):
    hand: int | None = None


def _own(payloads: tuple[bytes, ...], number: int) -> tuple[bytes, ...]:
    """What is of this hand, and what came in between without a number of its own."""
    numbers = [_hand_of(payload) for payload in payloads]
    mine = [place for place, found in enumerate(numbers) if found == number]
    if not mine:
        return ()
    inside = range(mine[0], mine[-1] + 1)
    return tuple(payloads[place] for place in inside if numbers[place] in (number, None))


def _hand_of(payload: bytes) -> int | None:
    return msgspec.json.decode(payload, type=_Number).hand
