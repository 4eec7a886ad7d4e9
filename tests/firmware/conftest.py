"""The firmware package under CPython, and boards that run it under real MicroPython on a pty."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from firmware_rig import PATIENT, Heard, Rig

from firmware_bridge.mcu import Mcu


@pytest.fixture
def heard() -> Heard:
    """The table's queue."""
    return Heard()


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    """Makes boards; switched off and checked at the end."""
    made: list[Rig] = []

    def make(**settings: Any) -> Rig:
        rig = Rig(tmp_path, settings)
        made.append(rig)
        rig.power_on()
        return rig

    yield make
    for rig in made:
        rig.close()


@pytest.fixture
def connect(heard: Heard) -> Iterator[Callable[..., Mcu]]:
    """Starts the real driver on a board and waits until it is ready; closed before the board is."""
    made: list[Mcu] = []

    def start(rig: Rig, **options: Any) -> Mcu:
        options.setdefault("timing", PATIENT)
        mcu = Mcu(str(rig.path), 921_600, "felt", heard.out, **options)
        made.append(mcu)
        mcu.start()
        mcu.wait_ready(10.0)
        return mcu

    yield start
    for mcu in made:
        mcu.close()
