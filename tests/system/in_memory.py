"""A whole table in one thread: simulated people and board, the real driver, senses, engine and journal.

The bytes of the serial line go from one to the other in memory and every clock is virtual, so that a run is the same
every time and the program may be killed after any commit. Nothing sleeps.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.memory_table import MemoryTable, TimedBench, Wire
from hw_sim.config import BenchConfig
from hw_sim.play import HandResult
from table_controller.journal import Batch, Committed

_READY_S: Final = 1.5
_LINGER_S: Final = 6.0
_ROUNDS: Final = 200


class Killed(Exception):
    """The program dies here."""


class MortalTable(MemoryTable):
    """A table's program that dies after one of its commits."""

    def __init__(self, path: Path, wire: Wire, now: Callable[[], float], die_at: int | None) -> None:
        super().__init__(path, wire, now)
        self.die_at = die_at
        self.commits = 0
        self.open()
        commit = self.journal.commit

        def dying(batch: Batch) -> Committed:
            done = commit(batch)
            self.commits += 1
            if self.commits == self.die_at:
                raise Killed
            return done

        self.journal.commit = dying  # type: ignore[method-assign]


class World:
    """A table that is played to its end, with the program killed once on the way.

    Args:
        config: What is played.
        kill_at: After this commit, before anything of it is shown; None: never.
        kill_when: At this virtual time; None: never.
        down: For how long nobody runs (virtual seconds).
    """

    def __init__(
        self,
        config: BenchConfig,
        *,
        kill_at: int | None = None,
        kill_when: float | None = None,
        down: float = 2.0,
    ) -> None:
        self.config = config
        self.wire = Wire()
        self.kill_at = kill_at
        self.kill_when = kill_when
        self.down = down
        self.kills = 0
        self.killed_at: float | None = None
        self._back_at: float | None = None
        self.bench = TimedBench(config, self.wire)
        self.table: MortalTable | None = None

    @property
    def now(self) -> float:
        return self.bench.agenda.now

    def _start(self) -> None:
        die_at = self.kill_at if not self.kills else None
        self.table = MortalTable(
            self.config.directory / "table.toml", self.wire, lambda: self.bench.agenda.now, die_at
        )
        self._back_at = None

    def _die(self) -> None:
        assert self.table is not None
        self.table.close()
        self.table = None
        self.kills += 1
        self.killed_at = self.now
        self._back_at = self.now + self.down

    def _settle(self) -> None:
        """Let both ends and the people do everything that takes no time."""
        link, crew = self.bench.mcu.link, self.bench.table.crew
        for _ in range(_ROUNDS):
            moved = False
            if self.table is not None:
                try:
                    moved = self.table.work()
                except Killed:
                    self._die()
            moved = link.pump() or moved
            due = link.next_deadline()
            if due is not None and self.now >= due:
                link.tend()
            crew.look()
            if not moved:
                return
        raise AssertionError("the line never comes to rest")

    def _turn(self) -> None:
        self._settle()
        agenda = self.bench.agenda
        if self._back_at is not None and self.now >= self._back_at:
            self._start()
            return
        if self.kill_when is not None and not self.kills and self.now >= self.kill_when:
            self._die()
            return
        agenda.run_next()

    def play(self) -> list[HandResult]:
        """Play all hands."""
        bench = self.bench
        bench.mcu.power_on()
        self._start()
        while self.now < _READY_S:
            self._turn()
        bench.people.begin()
        while not bench.people.finished:
            bench.people.check()
            self._turn()
        end = self.now + _LINGER_S
        while self.now < end or self._back_at is not None:
            self._turn()
        self._settle()
        return bench.results

    def close(self) -> None:
        if self.table is not None:
            self.table.close()
        self.bench.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
