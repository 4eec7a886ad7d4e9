"""How fast the tournament's logic is: a log of 100,000 events played again, events taken in groups, a random campaign."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from engine.seating import first_positions
from maldonne.tournament_play import Play, rough
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.state import Place, Settings
from tournament_hub.store import Store

EVENTS = 100_000
TABLES = 56
GROUP = 256
"""Events that share one transaction, as in the hub."""
TOURNAMENTS = 30
BOOKS = ("standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026")


def long_log(count: int) -> list[ev.Record]:
    """A tournament of 500 entries at 56 tables that plays hand after hand."""
    events: list[ev.Event] = [ev.TableOpened(table=f"t{n}") for n in range(TABLES)]
    names = [f"e{n}" for n in range(500)]
    events += [ev.Registered(entry=name) for name in names]
    places = [Place(f"t{n % TABLES}", n // TABLES + 1) for n in range(500)]
    events.append(ev.Drawn(seats=tuple(ev.Seating(a, b) for a, b in zip(names, places, strict=True))))
    events += [ev.Passed(block="start", reason="benchmark"), ev.Started()]
    events += _hands(names, places, count - len(events))
    return [ev.Record(n=n, at=float(n), event=event) for n, event in enumerate(events, 1)]


def _hands(names: list[str], places: list[Place], count: int) -> Iterator[ev.Event]:
    seats: dict[str, dict[int, str]] = {}
    for name, place in zip(names, places, strict=True):
        seats.setdefault(place.table, {})[place.seat] = name
    stacks = {table: dict.fromkeys(held.values(), 20000) for table, held in seats.items()}
    made = 0
    hand = 0
    while True:
        hand += 1
        for table, held in seats.items():
            own = stacks[table]
            winner, loser = list(own)[hand % len(own)], list(own)[(hand + 1) % len(own)]
            chips = min(100, own[loser] - 1)
            own[winner] += chips
            own[loser] -= chips
            positions = first_positions(sorted(held)[hand % len(held)], held.keys())
            yield ev.HandStarted(table=table, hand=hand, level=1, positions=positions)
            yield ev.HandEnded(table=table, hand=hand, stacks=dict(own))
            made += 2
            if made >= count:
                return


def rebuild(preset: Preset) -> tuple[int, float]:
    """Read and replay a kept log; events and seconds."""
    log = long_log(EVENTS)
    raw = [msgspec.json.encode(record) for record in log]
    began = time.perf_counter()
    records = [msgspec.json.decode(line, type=ev.Record) for line in raw]
    state = machine.replay(Settings(tournament="b"), records, preset)
    took = time.perf_counter() - began
    return state.rev, took


def ingest(preset: Preset, count: int = 20_000) -> float:
    """Apply events one by one, keep them in groups on the disk; events per second."""
    log = long_log(count)
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "hub.sqlite3")
        try:
            state = machine.start(Settings(tournament="b"))
            began = time.perf_counter()
            for first in range(0, len(log), GROUP):
                with store.transaction():
                    for record in log[first : first + GROUP]:
                        state = machine.apply(state, record.event, preset, record.at)
                        store.add_record("b", record.n, msgspec.json.encode(record), "")
            return len(log) / (time.perf_counter() - began)
        finally:
            store.close()


def campaign(count: int) -> tuple[int, int, float]:
    """Whole random tournaments; hands, violations, seconds."""
    presets = [(name, preset_of(load_book(name))) for name in BOOKS]
    hands = wrong = 0
    began = time.perf_counter()
    for seed in range(count):
        name, preset = presets[seed % len(presets)]
        entries = 10 + seed * 37 % 90
        told = Play(rough(entries, seed), preset, name).run()
        hands += told.hands
        wrong += len(told.violations)
    return hands, wrong, time.perf_counter() - began


def main(count: int = TOURNAMENTS) -> int:
    """Print the figures."""
    preset = preset_of(load_book("tda2024"))
    events, took = rebuild(preset)
    print(f"tournament: rebuilt from {events} events in {took:.2f} s (bar 5 s)")
    print(f"tournament: {ingest(preset):.0f} events/s ingested in groups of {GROUP} (bar 10,000)")
    hands, wrong, seconds = campaign(count)
    print(f"tournament: {count} random tournaments, {hands} hands, {wrong} violations, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TOURNAMENTS))
