"""One simulated table of the demo, in a process of its own: hardware, people and the real controller.

Its task is one JSON document, its only argument; it reports one JSON line a hand on standard output. It ends when its hands are played, when it is told to, or when the program that started it is gone (its standard
input closes).
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from hw_sim.bench import Bench
from hw_sim.config import BenchConfig, Mqtt, layout, random_table
from hw_sim.errors import SimError
from hw_sim.script import Stakes
from hw_sim.slips import Slips
from maldonne.director import Director, typed
from table_controller.config import load_config
from table_controller.table import Table

_LOOK_S: Final = 0.5
"""Seconds between two looks at the people while nothing ends."""
_LAST_WORD_S: Final = 10.0
"""Seconds that the hub gets to commit the last events."""


class Task(msgspec.Struct, frozen=True):
    """What one table is to play."""

    directory: str
    table: str
    club: str
    port: int
    seed: int
    hands: int
    speed: float
    rulebook: str
    lang: str
    seats: tuple[int, ...]
    stack: int
    small_blind: int
    big_blind: int
    ante: int
    layout: str
    errors: float = 0.0


class Played(msgspec.Struct, frozen=True, tag="played"):
    """One hand is over: chips by seat as they lie and as they should lie."""

    table: str
    hand: int
    right: bool
    virtual_s: float


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The table has ended; ``error`` says why it could not go on, if it could not."""

    table: str
    hands: int
    error: str | None = None


class Again(msgspec.Struct, frozen=True, tag="again"):
    """The people could not go on; the table begins again with new stacks."""

    table: str
    why: str


Report = Played | Ended | Again


def entry(table: str, seat: int) -> str:
    """The entry id of a seat, the same for hub and table."""
    return f"{table}-{seat}"


def main() -> int:
    """Play the task."""
    logging.basicConfig(level=logging.ERROR, format="%(message)s", stream=sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the demo tells its tables to stop, in its own order
    task = msgspec.json.decode(sys.argv[1], type=Task)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.set())
    threading.Thread(target=_until_alone, args=(stopping,), name="parent", daemon=True).start()
    hands = rounds = 0
    error: str | None = None
    # A table where one player has everything, or that is stuck, begins again with new stacks.
    while error is None and not stopping.is_set() and (not task.hands or hands < task.hands):
        try:
            hands += _evening(task, rounds, hands, stopping)
        except SimError as failure:
            if task.hands:
                error = str(failure)
            else:
                _say(Again(task.table, str(failure)))
        except (OSError, RuntimeError) as failure:
            error = str(failure)
        rounds += 1
    _say(Ended(task.table, hands, error))
    return 1 if error else 0


def _until_alone(stopping: threading.Event) -> None:
    # Unbuffered: a buffered reader would be locked when the interpreter ends.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    stopping.set()


def _say(report: Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def _bench_config(task: Task, number: int, hands: int) -> BenchConfig:
    directory = Path(task.directory) / str(number)
    directory.mkdir(parents=True)
    return random_table(
        directory,
        seats=dict.fromkeys(task.seats, task.stack),
        stakes=Stakes(
            task.small_blind,
            task.big_blind,
            "big_blind" if task.ante else "none",
            task.ante,
            smallest_chip=task.small_blind,
        ),
        seed=f"{task.seed}/{task.table}/{number}",
        count=task.hands - hands if task.hands else None,
        speed=task.speed,
        layout=layout(task.layout),
        rulebook=task.rulebook,
        entries={seat: entry(task.table, seat) for seat in task.seats},
        mqtt=Mqtt(port=task.port, club=task.club, table=task.table),
        slips=Slips(str(task.errors) if task.errors else "", f"{task.seed}/{task.table}/{number}"),
    )


def _evening(task: Task, number: int, hands: int, stopping: threading.Event) -> int:
    """Play until the hands are played or one player has everything; tell how many hands there were."""
    config = _bench_config(task, number, hands)
    tables: list[Table] = []
    config = replace(config, page=lambda said: typed(tables[0], said))
    with Bench(config, settled=lambda: bool(tables) and tables[0].settled) as bench:
        table = Table(load_config(config.directory / "table.toml"), lang=task.lang)
        tables.append(table)
        failures: list[BaseException] = []
        watcher = threading.Thread(
            target=_watch, args=(task, bench, table, stopping, failures), name="watch", daemon=True
        )
        with table:
            if task.errors:
                Director(table)
            bench.start()
            watcher.start()
            table.run()
            watcher.join()
        if failures:
            raise failures[0]
        return len(bench.results)


def _watch(
    task: Task, bench: Bench, table: Table, stopping: threading.Event, failures: list[BaseException]
) -> None:
    told = 0
    try:
        while not stopping.is_set():
            over = bench.wait(_LOOK_S)
            for result in bench.results[told:]:
                told += 1
                _say(Played(task.table, result.number, result.ok, result.ended - result.began))
            if over:
                break
    except BaseException as error:
        failures.append(error)
    finally:
        # What the hub has not yet committed stays in the journal; a demo waits for its last word.
        journal = table.journal
        until = time.monotonic() + _LAST_WORD_S
        while journal.hub_ack < journal.head_seq and time.monotonic() < until and not stopping.wait(0.02):
            pass
        table.stop()


if __name__ == "__main__":
    sys.exit(main())
