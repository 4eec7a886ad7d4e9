"""A whole table in one thread, for campaigns: simulated people and board, the real driver, senses, engine and journal.

The bytes of the serial line go from one end to the other in memory and every clock is virtual: nothing sleeps, and one
seed gives one play. What a person would type on the dealer's page, and what a director decides, comes in as on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from firmware_bridge.clock import TableClock
from firmware_bridge.devices import Devices
from firmware_bridge.link import Link
from firmware_bridge.mcu import Mcu
from hw_sim.bench import Bench
from hw_sim.config import BenchConfig
from maldonne.director import Director, typed
from table_controller.config import load_config
from table_controller.table import Table

_READY_S: Final = 1.5
_ROUNDS: Final = 400
_SLIDES_S: Final = 2.0
"""So long after the table has said that a card is not read somebody has slid it (virtual seconds)."""


class Wire:
    """Two ends of a serial line in memory; where nobody listens the bytes are lost."""

    plugged = True
    unread = 0
    path = Path("memory")

    def __init__(self) -> None:
        self.to_program = bytearray()
        self.to_board = bytearray()
        self.open = False
        self.lost_bytes = 0

    def plug(self) -> None:
        """The cable is always in."""

    unplug = close = flush = plug

    def write(self, data: bytes) -> None:
        """The board's end sends."""
        if self.open:
            self.to_program += data

    def read(self) -> bytes:
        """The board's end takes what has come."""
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
        """Nobody listens any more; what is under way is lost."""
        self._wire.open = False
        self._wire.to_program.clear()
        self._wire.to_board.clear()


class MemoryTable(Table):
    """The table's program, its loop called from outside."""

    def __init__(self, path: Path, wire: Wire, now: Callable[[], float]) -> None:
        super().__init__(load_config(path), online=False)
        self._wire = wire
        self._virtual = now

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


class TimedBench(Bench):
    """A bench that is driven from outside, all of its clocks virtual."""

    def __init__(self, config: BenchConfig, wire: Wire) -> None:
        self._wire = wire
        super().__init__(config, monotonic=lambda: self.agenda.now)

    def _build(self) -> None:
        super()._build()
        self.line.close()
        self.line = self.mcu.line = self.mcu.link._line = self._wire  # type: ignore[assignment]


class MemoryPlay:
    """One simulated table and its controller, played to the end of its hands. A context manager.

    Args:
        config: What is played; its directory takes table.toml, the tags and the journal.
        look: Called after everything that took no time is done, at every moment at which something happened.
    """

    def __init__(self, config: BenchConfig, look: Callable[[MemoryPlay], None] | None = None) -> None:
        self.wire = Wire()
        self._look = look
        config = replace(config, page=lambda said: typed(self.table, said))
        self.bench = TimedBench(config, self.wire)
        self.table = MemoryTable(config.directory / "table.toml", self.wire, lambda: self.bench.agenda.now)
        self.table.open()
        self.director = Director(self.table)
        self._sliding: set[str] = set()

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self.bench.agenda.now

    def settle(self) -> None:
        """Let both ends and the people do everything that takes no time.

        Raises:
            RuntimeError: They never come to rest.
        """
        link, crew = self.bench.mcu.link, self.bench.table.crew
        for _ in range(_ROUNDS):
            moved = self.table.work()
            moved = link.pump() or moved
            due = link.next_deadline()
            if due is not None and self.now >= due:
                link.tend()
            crew.look()
            if not moved:
                return
        raise RuntimeError("the line never comes to rest")

    def _mind(self) -> None:
        """Who is told that his card is not read slides it."""
        for doubt in self.table.running.doubts:
            if doubt.reason == "card_not_read" and doubt.place not in self._sliding:
                self._sliding.add(doubt.place)
                self.bench.agenda.after(_SLIDES_S, partial(self._slide, doubt.place))

    def _slide(self, place: str) -> None:
        self._sliding.discard(place)
        self.bench.lying.slide(place)

    def turn(self) -> None:
        """Everything that takes no time, then the next thing that is due."""
        self.settle()
        self._mind()
        if self._look is not None:
            self._look(self)
        self.bench.agenda.run_next()

    def play(self, linger_s: float = 3.0) -> None:
        """Play all hands.

        Raises:
            SimulationStuck: The people could not go on.
        """
        bench = self.bench
        bench.mcu.power_on()
        while self.now < _READY_S:
            self.turn()
        bench.people.begin()
        bench.schedule_faults()
        while not bench.people.finished:
            bench.people.check()
            self.turn()
        end = self.now + linger_s
        while self.now < end:
            self.turn()

    def close(self) -> None:
        """Put everything away."""
        self.table.close()
        self.bench.close()

    def __enter__(self) -> MemoryPlay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
