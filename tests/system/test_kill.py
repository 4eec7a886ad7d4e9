"""The controller killed in the middle of a hand goes on, and the hand ends the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine import machine
from engine.events import decode
from hw_sim.bench import Bench
from hw_sim.config import Mqtt, layout, random_table
from hw_sim.script import Stakes
from table_controller.errors import TableError
from table_controller.journal import Reading
from table_controller.rulebook_files import load_book

SEATS = dict.fromkeys((1, 2, 3, 4), 5000)


def entries(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        with Reading.of(path) as journal:
            return sum(1 for _ in journal.entries())
    except TableError:
        return 0  # it is being made


def stacks(path: Path) -> dict[str, int | None]:
    with Reading.of(path) as journal:
        events = [decode(entry.body) for entry in journal.entries() if entry.kind != "note"]
    book = load_book("standard")
    return machine.summary(machine.replay(events, book).state, book).stacks


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_controller_killed_at_any_event_goes_on(tmp_path, program, wait_until, full, seed):
    rng = random.Random(seed)
    config = random_table(
        tmp_path / "table",
        seats=SEATS,
        stakes=Stakes(50, 100, smallest_chip=50),
        seed=f"kill/{seed}",
        count=2,
        speed=20.0,
        layout=layout("chips+cards"),
        mqtt=Mqtt(port=9),
        contact_s=120.0,
    )
    config.directory.mkdir()
    journal = config.directory / "journal.db"
    kills = 8 if full else 3
    with Bench(config) as bench:
        bench.start()
        for _ in range(kills):
            before = entries(journal)
            table = program("table", "--config", str(config.directory / "table.toml"), log=tmp_path / "log")
            wanted = before + rng.randint(4, 14)
            wait_until(
                lambda wanted=wanted: entries(journal) >= wanted or bench.finished.is_set(),
                "the table goes on",
            )
            table.kill()
            if bench.finished.is_set():
                break
        table = program("table", "--config", str(config.directory / "table.toml"), log=tmp_path / "log")
        try:
            assert bench.wait(120)
            results = bench.results
            assert [result.ok for result in results] == [True, True]
            due = {str(seat): chips for seat, chips in results[-1].after.items()}
            wait_until(lambda: stacks(journal) == due, f"the journal ends with {due}")
        finally:
            table.end()
    with Reading.of(journal) as reading:
        assert reading.verify() == []
        assert len(list(reading.boots())) >= 3
