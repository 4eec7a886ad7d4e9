"""Devices for the contract: simulated ones always, real ones where an environment variable names them.

    MALDONNE_TEST_MCU=/dev/serial/by-id/…      a table board
    MALDONNE_TEST_READER=/dev/serial/by-id/…   a PN532 reader; MALDONNE_TEST_UID=04… says which tag lies on it
    MALDONNE_TEST_GPIO=20,21                   two pins of this Pi tied together: output, input (BCM numbers)

Real boards are only lit and sounded: nothing here moves a motor.
"""

import fcntl
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from firmware_bridge.card_reader import CardReader, ReaderSettings
from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.mcu import Mcu
from firmware_bridge.panel import LampPins, Panel, PanelSettings
from hw_sim.antennas import Field, Rates
from hw_sim.clock import Agenda
from hw_sim.config import antennas_for
from hw_sim.crew import Crew
from hw_sim.drive import Drive
from hw_sim.errors import SimError
from hw_sim.faults import Faults
from hw_sim.gpio import Header, Pins
from hw_sim.line import Line
from hw_sim.mcu import Board
from hw_sim.mcu import Mcu as SimulatedMcu
from hw_sim.pn532 import Pad, Pn532
from hw_sim.world import World, make_deck

BAUD = 921_600
TAG = "04A1B2C3D4E5F6"
OUTPUT, INPUT = 20, 21
VARIABLES = {"mcu": "MALDONNE_TEST_MCU", "reader": "MALDONNE_TEST_READER", "panel": "MALDONNE_TEST_GPIO"}


class Health(Protocol):
    """What every driver's health has."""

    name: str
    path: str
    state: str
    code: str
    connections: int


class Driver(Protocol):
    """What every driver can do."""

    name: str

    def start(self) -> None: ...
    def close(self) -> None: ...
    def wait_ready(self, within: float) -> None: ...
    def health(self) -> Any: ...


@dataclass
class Rig:
    """One device and how to drive it.

    Attributes:
        path: Of its port; empty for a panel.
        make: A driver for it, not started, with the table's queue and clock.
        away: A driver for a device of its kind that is not there; None where there can be none.
        uid: A tag that lies on it, where one is known.
    """

    kind: str
    real: bool
    path: str
    make: Callable[[Sink, TableClock], Driver]
    away: Callable[[Sink], Driver] | None
    uid: str = ""
    _made: list[Driver] = field(default_factory=list)

    def driver(self, out: Sink, clock: TableClock | None = None) -> Any:
        """A driver that is started, and closed when the rig is."""
        made = self.make(out, clock or TableClock())
        self._made.append(made)
        made.start()
        return made

    def close(self) -> None:
        """Close every driver that was made."""
        for made in self._made:
            made.close()


@contextmanager
def real_device(kind: str) -> Iterator[str]:
    """The value of the variable that names a real device, which is held for this test alone.

    Skips where none is named, or where another run has it.
    """
    variable = VARIABLES[kind]
    value = os.environ.get(variable, "")
    if not value:
        pytest.skip(f"no real device: set {variable}")
    path = Path(tempfile.gettempdir()) / f"maldonne-test-{kind}.lock"
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pytest.skip(f"another test run has the device of {variable} ({path})")
        yield value


@contextmanager
def rig_of(kind: str, real: bool, folder: Path) -> Iterator[Rig]:
    """A device of a kind, simulated or real."""
    with ExitStack() as stack:
        value = stack.enter_context(real_device(kind)) if real else ""
        if kind == "mcu":
            path = value or str(stack.enter_context(_simulated_board(folder)))
            rig = Rig(kind, real, path, _mcu(path), lambda out: Mcu(f"{folder}/none", BAUD, "gone", out))
        elif kind == "reader":
            path = value or str(stack.enter_context(Pn532(folder / "reader", Pad(TAG), timed=True)).path)
            uid = os.environ.get("MALDONNE_TEST_UID", "").upper() if real else TAG
            away = ReaderSettings("gone", f"{folder}/none")
            rig = Rig(kind, real, path, _reader(path), lambda out: CardReader(away, out), uid)
        else:
            pins = tuple(int(pin) for pin in value.split(",")) if real else (OUTPUT, INPUT)
            if len(pins) != 2:
                pytest.fail(f"MALDONNE_TEST_GPIO={value}: two pins, output and input, as 20,21")
            if not real:
                header = Header("pi5")
                header.wire(*pins)
                stack.enter_context(Pins(header))
            rig = Rig(kind, real, "", _panel(*pins), None)
        stack.callback(rig.close)
        yield rig


def _mcu(path: str) -> Callable[[Sink, TableClock], Driver]:
    return lambda out, clock: Mcu(path, BAUD, "board", out, clock=clock)


def _reader(path: str) -> Callable[[Sink, TableClock], Driver]:
    return lambda out, clock: CardReader(ReaderSettings("reader", path, targets=2), out, clock=clock)


def _panel(output: int, to: int) -> Callable[[Sink, TableClock], Driver]:
    # lit is low: the lamp's wire closes the button's contact to ground
    settings = PanelSettings("panel", {1: to}, {1: LampPins(red=output)}, active_high=False)
    return lambda out, clock: Panel(settings, out, clock=clock)


@contextmanager
def _simulated_board(folder: Path) -> Iterator[Path]:
    """A table board with all its antennas, living in real time."""
    agenda, rng, line = Agenda(), random.Random("contract"), Line(folder / "board")
    world = World({"A": make_deck("A", 7, rng)}, [], seed="contract")
    for card, place in zip(world.decks["A"], ("seat1", "seat1", "board", "burn"), strict=False):
        world.move_card(card, place, face="down")
    mcu = SimulatedMcu(
        agenda,
        line,
        Field(world, antennas_for(), Rates(), "contract"),
        board=Board(),
        faults=Faults(),
        seed="contract",
        monotonic=time.monotonic,
        on_orders=lambda orders: None,
    )
    drive = Drive(
        agenda,
        line,
        mcu.link,
        Crew(agenda),
        speed=1.0,
        settle_s=0.0,
        contact_s=60.0,
        settled=None,
        lost=lambda what: SimError(what),
    )
    stopping = threading.Event()

    def live() -> None:
        mcu.power_on()
        drive.set_speed(1.0)
        while not stopping.is_set():
            drive.turn()

    line.plug()
    thread = threading.Thread(target=live, name="simulated board", daemon=True)
    thread.start()
    yield line.path
    stopping.set()
    drive.call(lambda: None)
    thread.join(10)
    line.close()
    drive.close()
