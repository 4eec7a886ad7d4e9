"""The whole hub on a real broker: copies, reordering, losses, restarts; and nothing left behind."""

from __future__ import annotations

import gc
import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from table_controller import messages as m
from tournament_hub.config import HubConfig
from tournament_hub.errors import StoreInUse
from tournament_hub.hub import Hub
from tournament_hub.store import Store
from tournament_hub.web.floor import Broker
from webkit.errors import AddressInUse

STACKS = {1: 20000, 4: 18000}


def recorded(folder: Path, life: str, table: str = "t1") -> list[bytes]:
    """What the record holds, read after the hub has ended."""
    store = Store(folder / "data" / "hub.sqlite3")
    try:
        return store.payloads(table, life)
    finally:
        store.close()


def test_events_are_committed_then_acknowledged(hubs: Callable, voices: Callable, tmp_path: Path) -> None:
    hub = hubs()
    table = voices()
    table.say()
    table.send(*table.stream.play_hand(STACKS))
    table.wait_acked()
    hub.close()
    assert recorded(tmp_path, table.stream.life) == table.stream.payloads


def test_copies_losses_and_reordering_give_every_event_once(
    hubs: Callable, voices: Callable, tmp_path: Path
) -> None:
    hub = hubs()
    table = voices()
    table.say()
    rng = random.Random(7)
    for _ in range(12):
        table.stream.play_hand(STACKS)
    sent = [payload for payload in table.stream.payloads if rng.random() > 0.2]  # some are lost
    sent += rng.choices(table.stream.payloads, k=30)  # some come twice
    for start in range(0, len(sent), 7):  # and in a wrong order
        part = sent[start : start + 7]
        rng.shuffle(part)
        table.send(*part)
    table.beat()
    table.wait_acked()
    assert table.replays, "what was lost was asked for"
    hub.close()
    assert recorded(tmp_path, table.stream.life) == table.stream.payloads


def test_hub_that_starts_late_gets_what_was_said_before(
    hubs: Callable, voices: Callable, tmp_path: Path
) -> None:
    table = voices()
    table.say()
    table.send(*table.stream.play_hand(STACKS))
    table.beat()
    hub = hubs()
    table.say()  # its birth tells how much there is
    table.wait_acked()
    hub.close()
    assert recorded(tmp_path, table.stream.life) == table.stream.payloads


@pytest.mark.parametrize(
    "forgets", [False, True], ids=["broker keeps its files", "broker forgets everything"]
)
def test_broker_restart_loses_nothing(
    hubs: Callable, voices: Callable, mosquitto: Any, tmp_path: Path, wait: Callable, forgets: bool
) -> None:
    hub = hubs()
    table = voices()
    table.say()
    table.send(*table.stream.play_hand(STACKS))
    table.wait_acked()
    mosquitto.stop()
    wait(lambda: hub.floor.broker is Broker.DOWN, "the page says that the broker is away")
    if forgets:
        for file in (tmp_path / "mosquitto").glob("*.db"):
            file.unlink()
    table.stream.play_hand(STACKS)  # played while nobody listens, sent by nobody
    mosquitto.start()
    wait(lambda: hub.floor.broker is Broker.UP, "the hub has found the broker again")
    wait(lambda: table.client.is_connected(), "the table has found the broker again")
    table.beat()
    table.wait_acked()
    wait(lambda: table.desired and table.desired[-1].seats[0].entry == "e1", "the target is there again")
    hub.close()
    assert recorded(tmp_path, table.stream.life) == table.stream.payloads


def test_retained_event_is_refused_live_and_from_the_brokers_memory(
    hubs: Callable, voices: Callable, tmp_path: Path, wait: Callable
) -> None:
    table = voices()
    first, second, *_ = table.stream.play_hand(STACKS)
    table.publish("event", first, retain=True)
    hub = hubs()
    wait(
        lambda: [alarm.code for alarm in hub.floor.alarms] == ["retained_refused"], "refused at subscription"
    )
    table.publish("event", first, retain=True)
    wait(lambda: hub.floor.alarms[0].times >= 2, "refused when it comes live")
    table.send(first, second)
    table.wait_acked(2)
    hub.close()
    assert recorded(tmp_path, table.stream.life) == [first, second]


def test_desired_documents_reach_the_table_and_a_director_can_hold_it(
    hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub = hubs()
    table = voices()
    wait(lambda: table.desired, "the target is retained for a table that comes later")
    assert [seat.entry for seat in table.desired[-1].seats] == ["e1", "e4"]
    hub.decide(lambda room, now: room.hold("t1", "floor", "Anne")).result(10)
    wait(lambda: table.desired[-1].hold == ("floor",), "the hold arrives")
    hub.decide(lambda room, now: room.release("t1", "floor", "Anne")).result(10)
    wait(lambda: table.desired[-1].hold == (), "the release arrives")
    versions = [document.version for document in table.desired]
    assert versions == sorted(set(versions))


def test_request_is_answered(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hubs()
    table = voices()
    request = m.encode(m.Request(tx="r1", t=1.0, utc="2024-05-01T20:00:00Z", seat=4))
    table.publish("request/floor", request)
    table.publish("request/floor", request)
    wait(lambda: len(table.responses) == 2, "both copies are answered")
    assert table.responses[0] == table.responses[1] and table.responses[0].ok


def test_lost_table_is_shown_and_found_again(hubs: Callable, voices: Callable, wait: Callable) -> None:
    hub = hubs()
    table = voices()
    table.say()
    table.beat()

    def link() -> str:
        tile = hub.floor.tile("t1")
        return tile.link if tile else ""

    wait(lambda: link() == "online", "the table is online")
    table.drop()
    wait(lambda: link() == "lost", "its will is believed")
    again = voices("t1", table.stream, conn=2)
    again.say()
    again.beat()
    wait(lambda: link() == "online", "the table is online again")


def test_status_of_the_hub_tells_epoch_and_departure(hubs: Callable, mosquitto: Any, wait: Callable) -> None:
    heard: list[m.HubStatus] = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.on_connect = lambda *_: client.subscribe(m.topics.hub_status("test"), 1)
    client.on_message = lambda c, u, message: heard.append(m.decode(message.payload, m.HubStatus))
    client.connect("127.0.0.1", mosquitto.port)
    client.loop_start()
    try:
        first = hubs()
        wait(lambda: heard and heard[-1].online, "online")
        first.close()
        wait(lambda: not heard[-1].online, "gone")
        second = hubs()
        wait(lambda: heard[-1].online, "online again")
        second.close()
        wait(lambda: not heard[-1].online, "gone again")
        assert [(status.epoch, status.online) for status in heard] == [
            (1, True),
            (1, False),
            (2, True),
            (2, False),
        ]
    finally:
        client.disconnect()
        client.loop_stop()


def test_many_tables_at_once(hubs: Callable, voices: Callable, tmp_path: Path) -> None:
    hub = hubs()
    tables = [voices(f"t{number}", None) for number in range(8)]
    for _ in range(5):
        for table in tables:
            table.send(*table.stream.play_hand(STACKS))
    for table in tables:
        table.wait_acked()
    hub.close()
    for table in tables:
        assert recorded(tmp_path, table.stream.life, table.name) == table.stream.payloads


def test_starts_without_a_broker_and_closes_at_once(config: HubConfig) -> None:
    hub = Hub(config)
    hub.start()
    try:
        with socket.create_connection(("127.0.0.1", hub.port), 5):
            assert hub.floor.broker is Broker.DOWN
        assert hub.decide(lambda room, now: sorted(room.tables)).result(10) == ["t1"]
    finally:
        hub.close()


def test_leaves_no_thread_and_no_file_open(mosquitto: Any, config: HubConfig, voices: Callable) -> None:
    from msgspec.structs import replace

    settings = replace(config, broker=replace(config.broker, port=mosquitto.port))

    def once() -> None:
        hub = Hub(settings)
        hub.start()
        table.beat()
        hub.decide(lambda room, now: None).result(10)
        hub.close()
        hub.close()

    table = voices()
    once()
    gc.collect()
    threads = {thread.name for thread in threading.enumerate()}
    files = sorted(path.name for path in Path("/proc/self/fd").iterdir())
    once()
    gc.collect()
    assert {thread.name for thread in threading.enumerate()} == threads
    assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == files


def test_two_hubs_on_one_record_or_one_port_are_refused(
    hubs: Callable, config: HubConfig, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    hub = hubs()
    with pytest.raises(StoreInUse):
        Hub(config)
    other = replace(
        config,
        club=replace(config.club, data=str(tmp_path / "other")),
        web=replace(config.web, port=hub.port),
    )
    second = Hub(other)
    with pytest.raises(AddressInUse):
        second.start()
    third = Hub(other)  # the failed start left nothing behind
    third.close()


def test_decision_after_the_end_is_refused(config: HubConfig) -> None:
    hub = Hub(config)
    hub.start()
    hub.close()
    with pytest.raises(Exception, match="closed"):
        hub.decide(lambda room, now: None).result(10)
