"""The hub's record: events taken in groups, and everything made again from events alone; SQLite and PostgreSQL.

Groups are of 256 messages, as the hub's thread takes them at most; each group is one synced transaction. The figures are
those of this disk. Events come from many tables in turn, as at a big tournament.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from table_controller import messages as m
from tests.tournament_hub.postgres_server import Server, program
from tournament_hub.hub import BATCH
from tournament_hub.store import Store, Verdict

TABLES = 50
EVENTS = 100_000
UTC = "2024-05-01T20:00:00Z"


def table_events(count: int, life: str) -> list[tuple[m.Event, bytes]]:
    """A table's stream: hands of twelve events, chained and read as the link reads them."""
    seats = tuple(m.SeatStack(seat=seat, entry=f"e{seat}", stack=20_000) for seat in range(1, 10))
    level = m.Level(n=1, small_blind=100, big_blind=200)
    found: list[tuple[m.Event, bytes]] = []
    prev, hand = m.GENESIS, 0
    while len(found) < count:
        hand += 1
        bodies: list[m.EventBody] = [m.HandStart(hand=hand, level=level, button=1, sb=2, bb=3, seats=seats)]
        bodies += [m.Action(seat=seat, kind="fold") for seat in range(4, 10)]
        bodies += [
            m.Action(seat=1, kind="call", to=200),
            m.Action(seat=2, kind="fold"),
            m.Action(seat=3, kind="check"),
        ]
        bodies += [m.Award(pot=0, seats=(3,), amounts=(500,)), m.HandEnd(stacks=seats)]
        for body in bodies:
            event = m.Event(
                life=life,
                boot=1,
                seq=len(found) + 1,
                hand=hand,
                t=float(len(found)),
                utc=UTC,
                body=body,
                prev=prev,
            )
            payload = m.encode_event(event)
            prev = m.chain_hash(prev, payload)
            found.append((m.decode_event(payload), payload))
    return found[:count]


def ingest(store: Store, streams: dict[str, list[tuple[m.Event, bytes]]]) -> tuple[float, float]:
    """Offer everything, tables in turn, in groups; events a second, and a second of this process's own work."""
    mixed = [
        (table, *pair)
        for row in zip(*streams.values(), strict=True)
        for table, pair in zip(streams, row, strict=True)
    ]
    begun, worked = time.perf_counter(), time.process_time()
    for start in range(0, len(mixed), BATCH):
        with store.transaction():
            for table, event, payload in mixed[start : start + BATCH]:
                if store.offer(table, event, payload, UTC) is not Verdict.RECORDED:
                    raise RuntimeError(f"{table} {event.seq} was not recorded")
    return len(mixed) / (time.perf_counter() - begun), len(mixed) / (time.process_time() - worked)


@contextlib.contextmanager
def records(folder: Path) -> Iterator[list[tuple[str, Path | str]]]:
    """What can be measured here."""
    found: list[tuple[str, Path | str]] = [("SQLite, WAL, synchronous=FULL", folder / "hub.sqlite3")]
    server = Server(fsync=True) if program("initdb") and program("pg_ctl") else None
    try:
        if server is None:
            print("hub's record in PostgreSQL: left out, no server on this machine (apt install postgresql)")
        else:
            found.append(("PostgreSQL, synchronous_commit=on", server.database("bench")))
        yield found
    finally:
        if server is not None:
            server.close()


def main(events: int = EVENTS) -> None:
    """Take, close, open, make again; print the figures."""
    each = events // TABLES
    streams = {f"t{number}": table_events(each, f"{number:032x}") for number in range(TABLES)}
    with tempfile.TemporaryDirectory() as directory, records(Path(directory)) as places:
        for name, place in places:
            store = Store(place)
            rate, own = ingest(store, streams)
            store.close()
            store = Store(place)
            begun, worked = time.perf_counter(), time.process_time()
            count = store.rebuild()
            seconds, work = time.perf_counter() - begun, time.process_time() - worked
            store.close()
            print(f"hub's record, {name}: {rate:,.0f} events/s in groups of {BATCH} (bar 10,000);", end=" ")
            print(
                f"{own:,.0f} a second of its own work; {count:,} events made again in {seconds:.1f} s",
                end=" ",
            )
            print(f"(bar 5 s), {work:.1f} s of its own work")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
