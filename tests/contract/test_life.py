"""What every device promises: it says who it is, says when it is not there, ends when it is told to, comes again."""

import pytest
from rigs import Rig
from scripted_board import Heard, open_files

from firmware_bridge.clock import TableClock
from firmware_bridge.errors import DEFINED, NotReady
from firmware_bridge.observations import DeviceState

READY_WITHIN = 15.0


def test_says_that_it_is_ready(rig: Rig, heard: Heard) -> None:
    """It should be ready within seconds, tell the table so once, and know its own name and port."""
    device = rig.driver(heard.out)
    device.wait_ready(READY_WITHIN)
    said = heard.next(DeviceState, state="ready")
    assert (said.device, said.code) == (device.name, "")
    health = device.health()
    assert (health.name, health.state, health.code, health.connections) == (device.name, "ready", "", 1)
    assert rig.path in health.path
    assert "lost" not in [item.state for item in heard.all if isinstance(item, DeviceState)]


def test_ends_and_comes_again(rig: Rig, heard: Heard) -> None:
    """It should leave no file open, and be there for the next driver, three times over."""
    before = open_files()
    for _ in range(3):
        device = rig.driver(heard.out)
        device.wait_ready(READY_WITHIN)
        device.start()
        device.close()
        device.close()
        assert open_files() == before


def test_ends_while_it_still_looks(rig: Rig, heard: Heard) -> None:
    """It should end at once when it is closed before it is ready."""
    before = open_files()
    rig.driver(heard.out).close()
    assert open_files() == before


def test_goes_on_where_the_tables_clock_is(rig: Rig, heard: Heard) -> None:
    """It should never tell a time before that of the table."""
    device = rig.driver(heard.out, TableClock(5000.0))
    device.wait_ready(READY_WITHIN)
    assert heard.next(DeviceState, state="ready").t >= 5000.0


def test_second_driver_is_told_that_it_is_taken(rig: Rig, heard: Heard) -> None:
    """It should be one program's at a time: the second is told who to look for, and the first is not disturbed."""
    first = rig.driver(heard.out)
    first.wait_ready(READY_WITHIN)
    other = Heard()
    second = rig.driver(other.out)
    state = other.next(DeviceState)
    assert state.state == "lost"
    assert state.code in ("port-busy", "gpio-busy")
    with pytest.raises(NotReady, match=state.code):
        second.wait_ready(0)
    second.close()
    assert first.health().state == "ready"
    assert first.health().connections == 1


def test_device_that_is_not_there(rig: Rig, heard: Heard) -> None:
    """It should say what is missing and what to do, from the table of errors."""
    if rig.away is None:
        pytest.skip("a panel has no port that could be absent")
    device = rig.away(heard.out)
    device.start()
    state = heard.next(DeviceState)
    device.close()
    assert (state.state, state.code) == ("lost", "port-absent")
    assert state.hint == DEFINED[state.code].hint
    assert device.health().state == "lost"
