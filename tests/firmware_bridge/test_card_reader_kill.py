"""A reader whose program was killed in the middle of a command opens again, every time (nfcpy issues 203, 68, 38)."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted_board import Heard

from firmware_bridge.card_reader import CardReader, ReaderSettings
from firmware_bridge.observations import DeviceState, Inventory
from hw_sim.pn532 import Pad, Pn532

A = "04A1B2C3D4E5F6"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def kill_once() -> Iterator[Callable[[Path, int], None]]:
    """Lets another process open the reader and read, and kills it after so many reads."""
    program = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("reader_child.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    told, heard = program.stdin, program.stdout
    assert told is not None
    assert heard is not None

    def kill_once(path: Path, reads: int) -> None:
        told.write(f"{path}\n")
        told.flush()
        opened = heard.readline().split()
        assert opened[0] == "open", opened
        for _ in range(reads):
            assert heard.readline() == ".\n"
        os.kill(int(opened[1]), signal.SIGKILL)
        while (line := heard.readline()) != "gone\n":
            assert line == ".\n"

    yield kill_once
    told.close()
    program.wait(20)
    heard.close()


def rounds(kill_once: Callable[[Path, int], None], chip: Pn532, heard: Heard, times: int) -> None:
    rng = random.Random(times)
    for _ in range(times):
        kill_once(chip.path, rng.randrange(6))
        assert (chip.chip.asleep, chip.chip.baud) == (False, 921600)
    with CardReader(ReaderSettings("desk", str(chip.path)), heard.out) as reader:
        assert heard.next(DeviceState).state == "ready"
        assert heard.next(Inventory).uids == (A,)
        assert reader.health().connections == 1
    # every round but the first met a chip at the wrong speed
    assert chip.counts.garbled > 0
    assert chip.counts.commands["SetSerialBaudrate"] >= 2 * times


def test_killed_in_the_middle_of_reading(
    tmp_path: Path, heard: Heard, kill_once: Callable[[Path, int], None]
) -> None:
    """It should open at the first try after each of 12 kills at random points of a read."""
    with Pn532(tmp_path / "desk", Pad(A), timed=True) as chip:
        rounds(kill_once, chip, heard, 12)


@pytest.mark.faults
def test_killed_a_hundred_times(
    tmp_path: Path,
    heard: Heard,
    kill_once: Callable[[Path, int], None],
    request: pytest.FixtureRequest,
) -> None:
    """It should open 100 times out of 100."""
    if request.config.option.markexpr != "faults":
        pytest.skip("half a minute: run by `make test-faults`")
    with Pn532(tmp_path / "desk", Pad(A), timed=True) as chip:
        rounds(kill_once, chip, heard, 100)
