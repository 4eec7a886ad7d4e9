"""What a single PN532 reader promises."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rigs import Rig
from scripted_board import Heard

from firmware_bridge.observations import DeviceState, Inventory

KINDS = ("reader",)
UID = re.compile(r"(?:[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})")
ROOT = Path(__file__).parents[2]
CHILD = ROOT / "tests" / "firmware_bridge" / "reader_child.py"


def test_tells_what_lies_on_it(rig: Rig, heard: Heard) -> None:
    """It should tell the level of its antenna again and again, with well-formed UIDs, two at most, and its quality."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    levels = [heard.next(Inventory) for _ in range(2)]
    for level in levels:
        assert len(level.uids) <= 2
        assert all(UID.fullmatch(uid) for uid in level.uids)
        assert 0 < level.quality <= 100
    assert device.health().firmware.startswith("PN5")
    assert device.health().failed == 0


def test_reads_the_tag_that_lies_there(rig: Rig, heard: Heard) -> None:
    """It should read a tag that is known to lie on it, in every level."""
    if not rig.uid:
        pytest.skip("no tag is known to lie on the reader: set MALDONNE_TEST_UID")
    rig.driver(heard.out)
    assert all(rig.uid in heard.next(Inventory).uids for _ in range(2))


def test_opens_after_its_program_was_killed(rig: Rig, heard: Heard) -> None:
    """It should be ready again although the last program was killed while it read."""
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as program:
            told, said = program.stdin, program.stdout
            assert told is not None
            assert said is not None
            told.write(f"{rig.path}\n")
            told.flush()
            opened = said.readline().split()
            assert opened[0] == "open", opened
            assert said.readline() == ".\n"
            os.kill(int(opened[1]), signal.SIGKILL)
            told.close()
            assert said.read().endswith("gone\n")
    device = rig.driver(heard.out)
    device.wait_ready(15)
    assert [item.state for item in heard.drain() if isinstance(item, DeviceState)] == ["ready"]
