"""A whole table in one thread: simulated people and board, the real driver, senses, engine and journal.

The bytes of the serial line go from one to the other in memory and every clock is virtual, so that a run is the same
every time and the program may be killed after any commit. Nothing sleeps.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from firmware_bridge.clock import TableClock
from firmware_bridge.devices import Devices
from firmware_bridge.link import Link
from firmware_bridge.mcu import Mcu
from hw_sim.bench import Bench
from hw_sim.config import BenchConfig
from hw_sim.play import HandResult
from table_controller.config import load_config
from table_controller.journal import Batch, Committed
from table_controller.table import Table

_READY_S: Final = 1.5
_LINGER_S: Final = 6.0
_ROUNDS: Final = 200


class Killed(Exception):
    """The program dies here."""


class Wire:
    """Two ends of a serial line in memory; where nobody listens the bytes are lost."""

    def __init__(self) -> None:
        self.to_program = bytearray()
        self.to_board = bytearray()
        self.open = False
        self.lost_bytes = 0

    # the end of the simulated board (`hw_sim.line.Line`)
    plugged = True
    unread = 0
    path = Path("memory")

    def plug(self) -> None:
        """The cable is always in."""

    unplug = close = flush = plug

    def write(self, data: bytes) -> None:
        if self.open:
            self.to_program += data

    def read(self) -> bytes:
        data = bytes(self.to_board)
        self.to_board.clear()
        return data


class MemoryMcu(Mcu):
    """The driver of a board without its thread and its port."""

    def __init__(self, wire: Wire, clock: TableClock, out: Any, now: Callable[[], float]) -> None:
        super().__init__("memory", 921600, "mcu", out, clock=clock, monotonic=now)
        self._wire = wire
        self._now = now
        self._line = Link(self.outbox, self._timing, self._counters, 7)
        wire.open = True
        self._board.begin(self._line, now())

    def pump(self) -> bool:
        """Take what has come and send what waits; whether anything moved."""
        data = bytes(self._wire.to_program)
        self._wire.to_program.clear()
        now = self._now()
        if data:
            self._take(self._line, data, now)
        self._board.watch(now)
        out = self._line.poll(now, self.path)
        self._wire.to_board += out
        return bool(data or out)

    def close(self) -> None:
        self._wire.open = False
        self._wire.to_program.clear()
        self._wire.to_board.clear()


class MemoryTable(Table):
    """The table's program, its loop called from outside."""

    def __init__(self, path: Path, wire: Wire, now: Callable[[], float], die_at: int | None) -> None:
        super().__init__(load_config(path), online=False)
        self._wire = wire
        self._virtual = now
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

    def _open_devices(self, start: float) -> Devices:
        clock = TableClock(start)
        self.mcu = MemoryMcu(self._wire, clock, self._queue, self._virtual)
        devices = Devices([self.mcu], clock, self._queue, None)
        self._closing.callback(devices.close)
        return devices

    def work(self) -> bool:
        """Do everything that can be done now; whether anything was."""
        moved = self.mcu.pump()
        while not self._queue.empty():
            self.step(0.0)
            moved = True
        return moved


class _Timed(Bench):
    """A bench that is driven from outside, all of its clocks virtual."""

    def __init__(self, config: BenchConfig, wire: Wire) -> None:
        self._wire = wire
        super().__init__(config, monotonic=lambda: self.agenda.now)

    def _build(self) -> None:
        super()._build()
        self.line.close()
        self.line = self.mcu.line = self.mcu.link._line = self._wire  # type: ignore[assignment]


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
        self.bench = _Timed(config, self.wire)
        self.table: MemoryTable | None = None

    @property
    def now(self) -> float:
        return self.bench.agenda.now

    def _start(self) -> None:
        die_at = self.kill_at if not self.kills else None
        self.table = MemoryTable(
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
