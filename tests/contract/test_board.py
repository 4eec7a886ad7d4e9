"""What a table board promises over the serial line."""

import re

from rigs import Rig
from scripted_board import Heard

from firmware_bridge import codes
from firmware_bridge.observations import CommandRefused, DeviceState, Fault, Heartbeat, Inventory

KINDS = ("mcu",)
UID = re.compile(r"(?:[0-9A-F]{2}){4,10}")


def test_says_what_it_is(rig: Rig, heard: Heard) -> None:
    """It should give its firmware and its serial number."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    health = device.health()
    assert health.firmware
    assert health.serial
    assert health.bad_frames == 0


def test_beats(rig: Rig, heard: Heard) -> None:
    """It should beat, with a supply that a board can live on, and move the table's time on."""
    rig.driver(heard.out)
    first, second = heard.next(Heartbeat), heard.next(Heartbeat)
    assert 0.3 <= second.t - first.t <= 1.0
    assert 2.5 <= second.supply <= 6.0
    assert not [said for said in heard.all if isinstance(said, Fault)]


def test_tells_what_lies_on_its_antennas(rig: Rig, heard: Heard) -> None:
    """It should give whole sets with places, qualities and well-formed UIDs, and again when asked."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    first = heard.next(Inventory)
    device.request_inventory(first.antenna)
    heard.next(Inventory, antenna=first.antenna)
    known = {*codes.ANTENNA_KINDS.values(), "unknown"}
    for said in heard.all:
        if isinstance(said, Inventory):
            assert said.kind in known
            assert 0 <= said.quality <= 100
            assert list(said.uids) == sorted(set(said.uids))
            assert all(UID.fullmatch(uid) for uid in said.uids)


def test_takes_what_it_is_to_show(rig: Rig, heard: Heard) -> None:
    """It should take lamps, display, orders and a short buzz; what it has not is left aside, not refused."""
    device = rig.driver(heard.out)
    device.wait_ready(15)
    device.set_lamp(1, "green")
    device.set_display(0, "Contrat")
    device.send_orders([("wait", "none", 0)])
    device.buzz(20)
    first = heard.next(Heartbeat)
    heard.next(Heartbeat)
    device.set_lamp(1, "off")
    last = heard.next(Heartbeat)
    said = [item for item in heard.all if isinstance(item, CommandRefused)]
    assert said == []
    assert "lost" not in [item.state for item in heard.all if isinstance(item, DeviceState)]
    # the board counts since it started, which may be long ago
    assert (last.lost, last.bad_frames) == (first.lost, first.bad_frames)
    assert device.health().refused == 0
