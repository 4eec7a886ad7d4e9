"""A whole simulated board, alive in a thread of its own in real time, for the real driver at the other end of a real pty."""

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hw_sim.antennas import Field, Rates
from hw_sim.breaking import Breaker
from hw_sim.clock import Agenda
from hw_sim.config import antennas_for
from hw_sim.crew import Crew
from hw_sim.drive import Drive
from hw_sim.errors import SimError
from hw_sim.faults import Faults
from hw_sim.line import Line
from hw_sim.lying import Lying
from hw_sim.mcu import Board, Mcu
from hw_sim.truth import TruthLog
from hw_sim.world import CARD_NAMES, World, make_deck

DEADLINE = 20.0


class TappedLine(Line):
    """A line on which a test decides, frame by frame, what goes on to the Pi and to the board."""

    def __init__(self, path: Path, device: Path | None = None) -> None:
        super().__init__(path, device)
        self.tap: Callable[[bytes], bytes] = lambda frame: frame
        self.tap_down: Callable[[bytes], bytes] = lambda frame: frame
        self._half = b""

    def write(self, data: bytes) -> None:
        super().write(self.tap(data))

    def read(self) -> bytes:
        *whole, self._half = (self._half + super().read()).split(b"\x00")
        return b"".join(self.tap_down(frame + b"\x00") if frame else b"\x00" for frame in whole)


class SimBoard:
    """The board, its antennas, its cards and its faults. A context manager.

    Everything that touches it from a test goes through `do`, which runs in the board's own thread.
    """

    def __init__(
        self,
        folder: Path,
        *,
        faults: str = "",
        shoe: bool = False,
        seats: tuple[int, ...] = (1, 2, 3),
        seed: str = "sim board",
        speed: float = 1.0,
        serial: str = "SIM-0001",
    ) -> None:
        self.agenda = Agenda()
        self.world = World({"A": make_deck("A", 7, random.Random(seed))}, [], seed=seed)
        self.world.stack_deck("A", CARD_NAMES)
        broken = Faults.parse(faults)
        self.tags = Field(self.world, antennas_for(seats, chips=False), broken.worsen(Rates()), seed)
        by_id = folder / "by-id" / f"usb-maldonne_board_{serial}-if00"
        self.line = TappedLine(by_id, folder / "ttyACM0")
        self.by_id = by_id.parent
        self.truth = TruthLog()
        self.mcu = Mcu(
            self.agenda,
            self.line,
            self.tags,
            board=Board(shoe=shoe, serial=serial),
            faults=broken,
            seed=seed,
            monotonic=time.monotonic,
            on_orders=lambda orders: None,
        )
        lying = Lying(self.world, self.agenda, self.truth, broken, seed)
        self.breaker = Breaker(self.agenda, self.mcu, self.tags, lying, self.truth, broken, Rates(), seed)
        self.drive = Drive(
            self.agenda,
            self.line,
            self.mcu.link,
            Crew(self.agenda),
            speed=speed,
            settle_s=0.0,
            contact_s=600.0,
            settled=None,
            lost=lambda what: SimError(what),
        )
        self._speed = speed
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Plug it in and let it live."""
        self.line.plug()
        self._thread = threading.Thread(target=self._live, name="sim board", daemon=True)
        self._thread.start()

    def _live(self) -> None:
        self.mcu.power_on()
        self.drive.set_speed(self._speed)
        while not self._stopping.is_set():
            self.drive.turn()

    def close(self) -> None:
        """End its thread and put everything away."""
        if self._thread is not None:
            self._stopping.set()
            self.drive.call(lambda: None)
            self._thread.join(DEADLINE)
            assert not self._thread.is_alive()
        self.breaker.close()
        self.line.close()
        self.drive.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def do(self, what: Callable[[], Any]) -> Any:
        """Let something happen in the board's own thread; gives what it gives."""
        found: list[Any] = []
        done = threading.Event()

        def act() -> None:
            try:
                found.append(what())
            finally:
                done.set()

        self.drive.call(act)
        assert done.wait(DEADLINE), "the simulated board does not answer"
        return found[0]

    def deal(self, to: str) -> str:
        """Lay the next card somewhere; gives its UID."""

        def move() -> str:
            card = self.world.top()
            self.world.move_card(card, to, face="down")
            return card.uid

        uid: str = self.do(move)
        return uid

    def pull(self) -> None:
        """Pull the cable, and with it the supply."""

        def away() -> None:
            self.mcu.power_off()
            self.line.unplug()

        self.do(away)

    def put_back(self, *, renamed: bool = False) -> None:
        """Put the cable back; the board starts."""

        def back() -> None:
            if renamed:
                self.line.rename()
            self.line.plug()
            self.mcu.power_on()

        self.do(back)


def wait_for(done: Callable[[], bool], within: float = DEADLINE) -> float:
    """Wait until something is so, and give how long it took; fails after the deadline."""
    began = time.monotonic()
    pause = threading.Event()
    while not done():
        assert time.monotonic() - began < within, f"waited {within} s in vain"
        pause.wait(0.002)
    return time.monotonic() - began


def pause(seconds: float) -> None:
    """Let a moment of real time pass: what is tried happens at no moment in particular."""
    threading.Event().wait(seconds)
