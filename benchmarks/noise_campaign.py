"""Plays seeded hands under sensor noise, human slips and neglect, and scores what the table makes of them against the truth.

    python -m benchmarks.noise_campaign [--hands N] [--seed S] [--miss RATE] [--layout NAME] [--plot DIRECTORY]

A hand is played through the simulated board's own bytes, the driver's decoder, fusion, engine and journal, in one process and
in virtual time. The rates are assumptions to be calibrated on a real table.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.memory_table import MemoryPlay
from benchmarks.noise_plot import write_measured, write_page
from benchmarks.noise_score import Score, Watch
from hw_sim.antennas import Rates
from hw_sim.config import BenchConfig, layout, random_table
from hw_sim.errors import SimulationStuck
from hw_sim.faults import Faults
from hw_sim.neglect import Neglect
from hw_sim.script import Stakes
from hw_sim.slips import Slips

SESSION: Final = 25
"""Hands that are played at one table before another, with a seed of its own, is opened."""
MISSES: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
SLIP_RATE: Final = 0.01
LIES: Final = "metal=0.02,edge=0.05"
"""How cards come to lie: a guard on some hands, which misses nearly all until somebody slides it, and cards at the rim."""
GUARD: Final = "metal@seat3=1"
"""One player puts his guard on every hand of the evening."""
TELLS: Final = 0.7
FINDINGS: Final = 100
_SEATS: Final = {"chips+cards": 6, "cards": 9, "seven": 10}
_STACK: Final = 20_000
_STAKES: Final = Stakes(50, 100, smallest_chip=50)


class Task(msgspec.Struct, frozen=True):
    """One table of the campaign."""

    seed: str
    hands: int
    layout: str = "chips+cards"
    miss: float = 0.05
    ghost: float = 0.01
    bleed: float = 0.001
    slips: float = SLIP_RATE
    neglect: bool = True
    lies: str = LIES
    rulebook: str = "ropta"


def rates(task: Task) -> Rates:
    """The antennas of this task: misses in bursts of 1.5 s, metal until it is slid, the rest in proportion."""
    if not (task.miss or task.ghost or task.bleed):
        return Rates()
    return Rates(
        centre=task.miss,
        edge=max(0.15, task.miss),
        metal=0.95,
        hand=max(0.05, task.miss),
        overlapped=min(0.05, task.miss),
        ghost=task.ghost,
        bleed=task.bleed,
    )


def table_of(task: Task, directory: Path) -> BenchConfig:
    """The simulated table of a task."""
    return random_table(
        directory,
        seats=dict.fromkeys(range(1, _SEATS[task.layout] + 1), _STACK),
        stakes=_STAKES,
        seed=task.seed,
        count=task.hands,
        layout=layout(task.layout),
        rates=rates(task),
        faults=Faults.parse(task.lies if task.miss else ""),
        slips=Slips(str(task.slips) if task.slips else "", task.seed, tells=TELLS),
        neglect=Neglect.usual() if task.neglect else Neglect(),
        rulebook=task.rulebook,
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What a table logs of a noisy evening is scored, not read."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def run(task: Task) -> Score:
    """Play one table to its end, or to where its people cannot go on, and score it."""
    began = time.process_time()
    with _quiet(), tempfile.TemporaryDirectory(prefix="maldonne-noise-") as directory:
        watch = Watch()
        stuck = ""
        with MemoryPlay(table_of(task, Path(directory)), watch.look) as play:
            try:
                play.play()
            except SimulationStuck as failure:
                stuck = " — ".join(str(failure).split("; ")[:2])
            results, hours = play.bench.results, play.now / 3600.0
            number = play.bench.table.number
        score = watch.score(Path(directory), results, stuck, number, task.seed)
    score.seconds, score.hours = time.process_time() - began, hours
    return score


def campaign(task: Task, workers: int = 2) -> Score:
    """Play the hands of a task over several tables, in so many processes; where one stops early another is opened."""
    total = Score()
    number = 0
    with contextlib.ExitStack() as closing:
        several = workers > 1 and task.hands > SESSION
        play = closing.enter_context(ProcessPoolExecutor(workers)).map if several else map
        while total.hands < task.hands:
            tasks: list[Task] = []
            left = task.hands - total.hands
            while left > 0:
                hands = min(SESSION, left)
                tasks.append(msgspec.structs.replace(task, seed=f"{task.seed}/{number}", hands=hands))
                left -= hands
                number += 1
            for score in play(run, tasks):
                total.add(score)
                if sys.stderr.isatty():
                    print(f"\r{total.hands}/{task.hands} hands", end="", file=sys.stderr)
    return total


def report(title: str, score: Score, spent: float) -> None:
    """Print one score."""
    print(f"{title}: {score.hands} hands in {spent:.0f} s, {score.hands / max(spent, 1e-9):.1f} hands/s")
    for name, value in score.lines():
        print(f"  {name:<52}{value}")
    for finding in score.findings[:FINDINGS]:
        print(f"    {finding}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--miss", type=float, default=0.05)
    parser.add_argument("--layout", choices=tuple(_SEATS), action="append")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--guard",
        action="store_true",
        help="one player with a metal guard on all of his hands, else nothing wrong",
    )
    parser.add_argument("--clean", action="store_true", help="no slips and no neglect")
    parser.add_argument(
        "--plot", type=Path, metavar="DOCS", help="instead: miss rate against errors, into this folder"
    )
    parser.add_argument(
        "--into", type=Path, metavar="DOCS", help="write the counts into noise.md of this folder"
    )
    options = parser.parse_args(arguments)
    slips = 0.0 if options.clean else SLIP_RATE
    if options.plot is not None:
        return _plot(options)
    layouts = options.layout or ["cards" if options.guard else "chips+cards", "seven"]
    share = max(1, options.hands // len(layouts))
    columns = []
    for name in layouts:
        began = time.monotonic()
        task = Task(options.seed, share, name, options.miss, slips=slips, neglect=not options.clean)
        if options.guard:
            task = msgspec.structs.replace(task, slips=0.0, neglect=False, lies=GUARD)
        score = campaign(task, options.workers)
        title = f"{name}, {options.miss:.0%} misses"
        report(title, score, time.monotonic() - began)
        columns.append((title, list(score.lines())))
    if options.into is not None:
        write_measured(options.into, columns)
    return 0


def _plot(options: argparse.Namespace) -> int:
    """Miss rate against wrong, asked and held hands."""
    rows: list[tuple[float, Counter[str]]] = []
    for miss in MISSES:
        began = time.monotonic()
        task = Task(options.seed, options.hands, miss=miss, slips=0.0, neglect=False, lies="")
        if not miss:
            task = msgspec.structs.replace(task, ghost=0.0, bleed=0.0)
        score = campaign(task, options.workers)
        report(f"{miss:.0%} misses", score, time.monotonic() - began)
        rows.append((miss, score.plotted()))
    write_page(options.plot, rows, options.hands, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
