"""The controller killed in the middle of a hand goes on, and the hand ends the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine import machine
from engine.events import decode
from hw_sim.bench import Bench
from hw_sim.config import BenchConfig, Mqtt, layout, random_table
from hw_sim.play import HandResult, Manners
from hw_sim.script import Stakes
from table_controller.errors import TableError
from table_controller.journal import Reading
from table_controller.rulebook_files import load_book
from tests.system.in_memory import World

STACK = 5000
TABLES = {
    "chips+cards": ("kill/1", (1, 2, 3, 4)),
    "cards": ("kill/2", (1, 2, 3, 4, 5)),
    "seven": ("kill/3", (1, 2, 5, 8, 9, 10)),
}
DOWN_S = (0.2, 3.0, 20.0)
"""For how long nobody runs; a board sends a frame without an answer again for 0.4 s."""


def table(
    directory: Path, name: str, *, seed: str = "", count: int = 1, speed: float = 0.0, contact_s: float = 60.0
) -> BenchConfig:
    usual, seats = TABLES[name]
    directory.mkdir(parents=True)
    return random_table(
        directory,
        seats=dict.fromkeys(seats, STACK),
        stakes=Stakes(50, 100, smallest_chip=50),
        seed=seed or usual,
        count=count,
        speed=speed,
        layout=layout(name),
        mqtt=Mqtt(port=9),
        contact_s=contact_s,
    )


def stacks(path: Path) -> dict[str, int | None]:
    """What every seat has at the end of the journal."""
    with Reading.of(path) as journal:
        assert journal.verify() == []
        events = [decode(entry.body) for entry in journal.entries() if entry.kind != "note"]
    book = load_book("standard")
    return machine.summary(machine.replay(events, book).state, book).stacks


def outcome(results: list[HandResult]) -> list[tuple[object, ...]]:
    return [(hand.ok, hand.after, hand.board, hand.folds, hand.winners) for hand in results]


def survives(
    config: BenchConfig, due: list[tuple[object, ...]], where: str, *, down: float, **kill: float | int
) -> None:
    """Play the table with one kill; it ends like the one that nobody killed."""
    with World(config, down=down, **kill) as world:  # type: ignore[arg-type]
        results = world.play()
        assert world.kills == 1, where
        assert outcome(results) == due, where
        last = results[-1]
    if config.layout.manners.chips:
        assert stacks(config.directory / "journal.db") == {str(s): c for s, c in last.after.items()}, where


def undisturbed(config: BenchConfig) -> tuple[list[tuple[object, ...]], int, float]:
    """What comes of the table when nobody kills anything, in how many commits and seconds."""
    with World(config) as world:
        results = world.play()
        assert all(result.ok for result in results)
        assert world.table is not None
        return outcome(results), world.table.commits, world.now


@pytest.mark.parametrize("name", TABLES)
def test_killed_after_any_commit_the_hand_ends_the_same(tmp_path, name):
    due, commits, _ = undisturbed(table(tmp_path / "whole", name))
    # each commit once; for how long nobody runs changes from one to the next
    for at in range(1, commits + 1):
        down = DOWN_S[at % len(DOWN_S)]
        config = table(tmp_path / f"after{at}", name)
        survives(config, due, f"{name}: killed after commit {at} for {down} s", down=down, kill_at=at)


@pytest.mark.faults
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("down", DOWN_S)
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", TABLES)
def test_killed_after_any_commit_or_in_any_motion(tmp_path, name, seed, down):
    """Several hands: after every commit, and in every motion of a card, a chip or a finger."""
    case = {"seed": f"kill/{seed}", "count": 3}
    due, commits, ends = undisturbed(table(tmp_path / "whole", name, **case))
    for at in range(1, commits + 1):
        config = table(tmp_path / f"after{at}", name, **case)
        survives(config, due, f"killed after commit {at}", down=down, kill_at=at)
    step = 0.37
    for number in range(int((ends - 10.0) / step)):
        when = 2.0 + number * step
        config = table(tmp_path / f"at{number}", name, **case)
        survives(config, due, f"killed at {when:.2f} s", down=down, kill_when=when)


def entries(path: Path) -> int:
    """What the journal holds by now; 0 while it is being made."""
    if not path.exists():
        return 0
    try:
        with Reading.of(path) as journal:
            return sum(1 for _ in journal.entries())
    except TableError:
        return 0


PATIENT = Manners(stuck_real_s=240.0)
"""People who wait for a program to start, however busy the machine is."""


@pytest.mark.timeout(900)
def test_a_killed_process_goes_on(tmp_path, program, wait_until: Callable[..., None]):
    """The real program under SIGKILL, on a pseudo-terminal, between journal entries as they come."""
    config = replace(
        table(tmp_path / "table", "chips+cards", count=1, speed=8.0, contact_s=240.0),
        layout=layout("chips+cards", PATIENT),
    )
    journal = config.directory / "journal.db"
    start = ("table", "--config", str(config.directory / "table.toml"))
    with Bench(config) as bench:
        bench.start()
        for more in (6, 9, 12):
            wanted = entries(journal) + more
            running = program(*start, log=tmp_path / "log")
            wait_until(
                lambda wanted=wanted: entries(journal) >= wanted or bench.finished.is_set(),
                "the table goes on",
                240.0,
            )
            running.kill()
        last = program(*start, log=tmp_path / "log")
        try:
            assert bench.wait(600)
            assert [result.ok for result in bench.results] == [True]
            due = {str(seat): chips for seat, chips in bench.results[-1].after.items()}
            wait_until(lambda: stacks(journal) == due, f"the journal ends with {due}", 240.0)
        finally:
            last.end()
    with Reading.of(journal) as reading:
        assert reading.verify() == []
        assert len(list(reading.boots())) >= 3
