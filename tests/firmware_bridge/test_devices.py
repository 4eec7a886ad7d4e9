"""A table's devices together: one clock, one queue, one command for all."""

import threading
from collections.abc import Callable, Iterator

import msgspec
import pytest
from scripted_board import PATIENT, Heard, Peer

from firmware_bridge import frames, framing
from firmware_bridge.clock import TableClock
from firmware_bridge.devices import Devices, HostTicker, McuSettings, open_devices
from firmware_bridge.errors import NameTaken, NotReady
from firmware_bridge.observations import CommandRefused, DeviceState, Inventory, Tick

CARDS = frames.HelloFrame(1, 1, "cards", 21, "C", 0, (frames.AntennaInfo(1, 2, 1),), (), ())
PANEL = frames.HelloFrame(1, 1, "panel", 22, "P", 0b1011, (), (1, 2), (1, 2))


@pytest.fixture
def table(heard: Heard, make_peer: Callable[[str], Peer]) -> Iterator[tuple[Devices, Peer, Peer]]:
    """Two boards on one table, greeted."""
    cards, panel = make_peer("cards"), make_peer("panel")
    settings = [
        McuSettings("cards", str(cards.link), scan=((1, 30),)),
        McuSettings("panel", str(panel.link)),
    ]
    with open_devices(settings, heard.out, start=50.0, timing=PATIENT, host_time=False) as devices:
        cards.expect(frames.HelloRequestFrame())
        cards.tell(CARDS)
        cards.expect(frames.ScanFrame((frames.ScanEntry(1, 30),)))
        cards.expect(frames.InventoryRequestFrame(255))
        panel.expect(frames.HelloRequestFrame())
        panel.tell(PANEL)
        devices.wait_ready(10)
        yield devices, cards, panel


def test_two_boards_share_the_time(table: tuple[Devices, Peer, Peer], heard: Heard) -> None:
    """It should put the stamps of both on one clock that begins where the journal ended."""
    devices, cards, panel = table
    cards.send(frames.HeartbeatFrame(1000, 0, 0, 0, 5000, 20))
    cards.tell(framing.split_inventory(1, 1, 3000, 90, ["AA"])[0])
    panel.tell(frames.ButtonFrame(1, True, 70, 1))
    panel.tell(frames.ButtonFrame(1, False, 170, 2))
    assert heard.next(Inventory).t == 52.0
    assert heard.next(Tick).t == 52.1
    assert devices.clock.now == 52.1
    assert devices.names == ["cards", "panel"]
    assert [health.firmware for health in devices.health()] == ["cards", "panel"]


def test_commands_reach_the_board_that_can(table: tuple[Devices, Peer, Peer], heard: Heard) -> None:
    """It should show lamps, text and feeds where they exist, and orders everywhere."""
    devices, cards, panel = table
    devices.set_lamp(2, "green")
    panel.expect(frames.LampFrame(2, 3, 0))
    devices.set_display(0, "Brûlez")
    panel.expect(frames.DisplayFrame(0, "Brûlez"))
    devices.send_orders([("burn", "burn", 0)])
    for peer in (cards, panel):
        peer.expect(frames.OrderFrame((frames.OrderEntry(1, 12, 0),)))
    devices.arm(True)
    panel.expect(frames.ArmFrame(True))
    devices.feed(2, 4)
    panel.expect(frames.FeedFrame(2, 4))
    devices.buzz(5)
    devices.request_inventory()
    for peer in (cards, panel):
        peer.expect(frames.InventoryRequestFrame(255))
    devices.arm(False)
    panel.expect(frames.ArmFrame(False))


def test_feed_while_the_shoe_is_away(table: tuple[Devices, Peer, Peer], heard: Heard) -> None:
    """It should say that the shoe is away, not that there is none; the other board goes on."""
    devices, cards, panel = table
    panel.unplug()
    heard.next(DeviceState, device="panel", state="lost")
    devices.feed(1, 9)
    refused = heard.next(CommandRefused)
    assert (refused.reason, refused.command_id) == ("not-connected", 9)
    cards.tell(framing.split_inventory(1, 1, 3000, 90, ["AA"])[0])
    assert heard.next(Inventory).device == "cards"
    with pytest.raises(NotReady, match="unplugged"):
        devices.mcus["panel"].wait_ready(0)


def test_feed_on_a_table_without_a_shoe(heard: Heard, peer: Peer) -> None:
    """It should say that there is none."""
    bare = msgspec.structs.replace(PANEL, capabilities=3)
    settings = [McuSettings("felt", str(peer.link))]
    with open_devices(settings, heard.out, timing=PATIENT) as devices:
        peer.expect(frames.HelloRequestFrame())
        peer.tell(bare)
        devices.wait_ready(10)
        devices.feed(1, 9)
        assert heard.next(CommandRefused).reason == "not-fitted"


def test_two_devices_of_one_name(heard: Heard) -> None:
    """It should refuse them before anything is started."""
    threads = threading.active_count()
    with pytest.raises(NameTaken) as caught:
        open_devices([McuSettings("felt", "/a"), McuSettings("felt", "/b")], heard.out)
    assert caught.value.where == "felt"
    assert threading.active_count() == threads


def test_table_without_boards_has_time(heard: Heard) -> None:
    """It should tick by the host's clock, so that deadlines fire on a table that has only a page."""
    with open_devices([], heard.out, start=7.0) as devices:
        assert [heard.next(Tick).t for _ in range(3)] == [7.1, 7.2, 7.3]
        assert devices.health() == []
        devices.wait_ready(0)


def test_host_ticker_ends(heard: Heard) -> None:
    """It should join its thread, and close twice."""
    threads = threading.active_count()
    subject = HostTicker(TableClock(), heard.out, 0.0)
    subject.close()
    subject = HostTicker(TableClock(), heard.out, 0.0)
    subject.start()
    subject.start()
    heard.next(Tick)
    subject.close()
    subject.close()
    assert threading.active_count() == threads
