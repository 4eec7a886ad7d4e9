"""The table's link on real brokers that come, go, forget and die."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maldonne.broker import Broker
from table_controller import messages as m
from table_controller.journal import Batch, NewEvent
from table_controller.mqtt_link import (
    Disconnected,
    HeartbeatDue,
    LinkAlarm,
    LinkNews,
    LinkSettings,
    MqttLink,
    RequestExpired,
)
from tests.table_controller.link_rig import (
    BIRTH,
    CLUB,
    EVENT,
    STATE,
    STATUS,
    TABLE,
    UTC,
    Hub,
    Make,
    Peer,
    Table,
    check_record,
)

# ------------------------------------------------------------------ coming and going


def test_birth_status_and_state_are_kept_by_the_broker_for_whoever_comes_later(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    table.play(3)
    table.link.set_state(table.snapshot(7))
    early = make(Peer, broker, "early")
    early.wait(lambda: b'"rev":7' in (early.last(STATE) or b""), "the last state")
    late = make(Peer, broker, "late")
    late.wait(lambda: all(late.last(topic) for topic in (STATUS, BIRTH, STATE)), "everything retained")
    status = m.decode(late.last(STATUS) or b"", m.TableStatus)
    birth = m.decode(late.last(BIRTH) or b"", m.Birth)
    assert status == m.TableStatus(state="ready", life=table.journal.life, boot=1, conn=1)
    assert (birth.life, birth.boot, birth.conn) == (table.journal.life, 1, 1)
    assert m.decode(late.last(STATE) or b"", m.TableState).rev == 7
    assert all(message.retain for message in late.seen if message.topic in (STATUS, BIRTH, STATE))
    assert late.payloads(EVENT) == [], "events are never kept"


def test_without_a_broker_the_table_plays_and_the_broker_may_come_later(broker: Broker, make: Make) -> None:
    broker.kill()
    table = make(Table, broker, retry_max_s=0.3)
    table.link.start()
    assert "no broker" in table.until_news(Disconnected).reason
    table.play(40)
    assert table.link.health().connected is False
    broker.start()
    hub = make(Hub, broker)
    table.delivered(hub)
    assert hub.order[:40] == list(range(1, 41)), "in order, from the first"
    check_record(hub, table)
    table.until(lambda: hub.last(BIRTH) is not None, "birth")
    assert [type(news) for news in table.news].count(Disconnected) == 0, "told once"


def test_a_broker_that_dies_again_and_again_loses_and_doubles_nothing(broker: Broker, make: Make) -> None:
    """It should hold over five deaths in the middle of play, and every connection has a number of its own."""
    table = make(Table, broker, retry_max_s=0.3, stall_s=0.5)
    table.link.start()
    hub = make(Hub, broker)
    for _ in range(5):
        table.play(25)
        table.until(lambda: hub.deliveries > 0, "something")
        broker.kill()
        table.play(15)
        broker.start()
        table.connected()
    table.delivered(hub)
    check_record(hub, table)
    conns = [m.decode(payload, m.Birth).conn for payload in hub.payloads(BIRTH)]
    assert conns == sorted(conns)
    assert table.link.health().conn >= 6


def test_after_the_broker_forgot_everything_the_retained_state_is_right_again(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker, retry_max_s=0.3)
    table.link.start()
    table.connected()
    table.link.set_alert(alert("deck-short"))
    table.link.set_state(table.snapshot(12))
    broker.kill()
    for left in broker.directory.glob("mosquitto.db*"):
        left.unlink()
    table.until_news(Disconnected)
    broker.start()
    late = make(Peer, broker, "late")
    topics = (STATUS, BIRTH, STATE, m.topics.alert(CLUB, TABLE, "deck-short"))
    table.until(lambda: all(late.last(topic) for topic in topics), "everything retained")
    assert m.decode(late.last(STATE) or b"", m.TableState).rev == 12
    assert m.decode(late.last(STATUS) or b"", m.TableStatus).conn >= 2


def test_three_thousand_events_of_an_evening_without_broker_arrive_in_order(
    broker: Broker, make: Make
) -> None:
    broker.kill()
    table = make(Table, broker, retry_max_s=0.3)
    many = tuple(NewEvent(body=m.Burned(n=n), t=1.0, utc=UTC, hand=1) for n in range(3000))
    table.journal.commit(Batch(events=many))
    table.link.start()
    broker.start()
    hub = make(Hub, broker, ack_every=50)
    table.delivered(hub)
    assert hub.order == list(range(1, 3001)), "in order, and none twice"
    check_record(hub, table)
    assert table.journal.outbox_after(3000, 1) == []


def test_a_hub_that_is_away_for_three_thousand_events_gets_them_all(mosquitto: Broker, make: Make) -> None:
    """It should not matter that brokers drop what queues up for an absent client: nothing leaves the outbox."""
    table = make(Table, mosquitto, stall_s=0.3)
    many = tuple(NewEvent(body=m.Burned(n=n), t=1.0, utc=UTC, hand=1) for n in range(3000))
    table.journal.commit(Batch(events=many))
    table.link.start()
    table.until(lambda: table.link.health().sent_upto == 3000, "the broker took all")
    assert table.journal.hub_ack == 0
    assert len(table.journal.outbox_after(0, 5000)) == 3000, "PUBACK clears nothing"
    hub = make(Hub, mosquitto, ack_every=50)
    table.delivered(hub)
    check_record(hub, table)


def test_a_restarted_table_sends_what_the_hub_has_not_and_nothing_else(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    hub = make(Hub, broker)
    table.play(20)
    table.delivered(hub)
    hub.deaf = True
    table.play(10)
    table.until(lambda: hub.deliveries >= 30, "the deaf hub has been sent ten")
    table.close()
    hub.deaf, hub.deliveries = False, 0
    again = make(Table, broker)
    again.link.start()
    again.delivered(hub)
    assert hub.deliveries == 10
    check_record(hub, again)
    status = m.decode(hub.last(STATUS) or b"", m.TableStatus)
    assert (status.state, status.boot) == ("ready", 2)


def test_what_a_broker_lost_after_its_acknowledgement_is_sent_again(broker: Broker, make: Make) -> None:
    table = make(Table, broker, stall_s=0.3)
    table.link.start()
    hub = make(Hub, broker)
    hub.forgets = 30
    table.play(30)
    table.delivered(hub)
    assert table.link.health().resent >= 1
    check_record(hub, table)


def test_a_line_that_is_dead_without_a_word_is_noticed(mosquitto: Broker, make: Make) -> None:
    table = make(Table, mosquitto, keepalive_s=1, retry_max_s=0.3)
    table.link.start()
    table.connected()
    assert mosquitto.pid is not None
    os.kill(mosquitto.pid, signal.SIGSTOP)
    try:
        table.play(3)
        table.until_news(Disconnected, "the silence is noticed")
    finally:
        os.kill(mosquitto.pid, signal.SIGCONT)
    hub = make(Hub, mosquitto)
    table.delivered(hub)
    check_record(hub, table)


# ------------------------------------------------------------------ being there

_CHILD = """
import queue, sys
from table_controller.mqtt_link import Connected, LinkSettings, MqttLink
inbox = queue.Queue()
link = MqttLink(LinkSettings(host=sys.argv[1], port=int(sys.argv[2]), club="lyon", table="t1"),
                life="ab" * 16, boot=3, incoming=inbox)
link.set_status("ready")
link.start()
while True:
    if isinstance(inbox.get(timeout=30), Connected):
        print("up", flush=True)
"""


def test_a_table_that_dies_is_reported_lost_with_its_identity(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "watcher")
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, broker.host, str(broker.port)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        peer.wait(lambda: b'"ready"' in (peer.last(STATUS) or b""), "ready")
    finally:
        child.kill()
        child.communicate(timeout=30)
    peer.wait(lambda: b'"lost"' in (peer.last(STATUS) or b""), "lost")
    lost = m.decode(peer.last(STATUS) or b"", m.TableStatus)
    assert lost == m.TableStatus(state="lost", life="ab" * 16, boot=3, conn=1)
    late = make(Peer, broker, "late")
    late.wait(lambda: b'"lost"' in (late.last(STATUS) or b""), "lost is kept")


def test_a_table_that_leaves_properly_says_so_and_no_will_follows(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "watcher")
    table.link.close()
    peer.wait(lambda: b"disconnected" in (peer.last(STATUS) or b""), "disconnected")
    peer.say(m.topics.public(CLUB, "mark"), b"{}")
    peer.wait(lambda: peer.last(m.topics.public(CLUB, "mark")) is not None, "a later message")
    assert b"lost" not in b"".join(peer.payloads(STATUS))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("mqtt-link")]


def test_a_late_will_is_contradicted_at_once(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "watcher")
    old = m.TableStatus(state="lost", life=table.journal.life, boot=1, conn=1)
    for _ in range(2):
        peer.say(STATUS, m.encode(old), retain=True)
        table.until(lambda: b'"ready"' in (peer.last(STATUS) or b""), "ready again")
    peer.say(STATUS, b"", retain=True)
    table.until(lambda: b'"ready"' in (peer.last(STATUS) or b""), "ready again")


def test_a_second_program_that_speaks_for_the_table_is_an_alarm(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "other")
    peer.wait(lambda: peer.last(STATUS) is not None, "our status")
    peer.say(STATUS, m.encode(m.TableStatus(state="ready", life="cd" * 16, boot=9, conn=1)))
    assert table.until_news(LinkAlarm).code == "table_twice"


def test_what_an_earlier_start_left_is_no_alarm(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "other")
    peer.say(STATUS, m.encode(m.TableStatus(state="ready", life="cd" * 16, boot=9, conn=1)), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.until(lambda: table.journal.life.encode() in (peer.last(STATUS) or b""), "our status")
    table.link.request("floor", m.Request(tx="q1", t=1.0, utc=UTC))
    table.until(lambda: peer.last(m.topics.request(CLUB, TABLE, "floor")) is not None, "a later message")
    assert table.alarms() == []


@pytest.mark.parametrize("life", ["cd" * 16, None], ids=["other journal", "copied journal"])
def test_two_controllers_with_one_id_are_told_by_an_alarm(
    broker: Broker, make: Make, life: str | None
) -> None:
    first = make(Table, broker, retry_max_s=0.3)
    first.link.start()
    first.connected()
    inbox: queue.Queue[LinkNews] = queue.Queue()
    settings = LinkSettings(host=broker.host, port=broker.port, club=CLUB, table=TABLE, retry_min_s=0.1)
    with MqttLink(settings, life=life or first.journal.life, boot=1 if life else 2, incoming=inbox) as second:
        second.set_status("ready")
        assert first.until_news(LinkAlarm).code in ("table_twice", "mqtt_taken_over", "mqtt_flapping")


def test_the_heartbeat_comes_from_the_tables_loop_and_stops_with_it(broker: Broker, make: Make) -> None:
    table = make(Table, broker, request_deadline_s=1.0)
    peer = make(Peer, broker, "watcher")
    table.link.start()
    topic = m.topics.heartbeat(CLUB, TABLE)
    table.until(lambda: len(peer.payloads(topic)) >= 3, "three heartbeats")
    beat = m.decode(peer.last(topic) or b"", m.Heartbeat)
    assert (beat.life, beat.conn, beat.unacked, beat.devices) == (table.journal.life, 1, 0, {"mcu": 0.1})
    table.beats = False
    table.until_news(HeartbeatDue)
    table.news.clear()
    table.link.request("floor", m.Request(tx="clock", t=1.0, utc=UTC))
    table.until_news(RequestExpired, "five heartbeats' time")
    assert [type(news) for news in table.news].count(HeartbeatDue) <= 1, "asked once, not piled up"


def test_alerts_stand_until_taken_and_those_of_an_earlier_start_are_swept(broker: Broker, make: Make) -> None:
    topic, stale = m.topics.alert(CLUB, TABLE, "deck-short"), m.topics.alert(CLUB, TABLE, "old")
    peer = make(Peer, broker, "watcher")
    peer.say(stale, m.encode(alert("old")), retain=True)
    table = make(Table, broker)
    table.link.set_alert(alert("deck-short"))
    table.link.start()
    table.until(lambda: peer.last(stale) == b"", "the old one is swept")
    table.until(lambda: bool(peer.last(topic)), "the new one stands")
    table.link.clear_alert("deck-short")
    table.until(lambda: peer.last(topic) == b"", "taken")
    late = make(Peer, broker, "late")
    late.wait(lambda: late.last(STATUS) is not None, "the retained ones")
    assert not late.last(topic)
    assert not late.last(stale)


def alert(name: str) -> m.Alert:
    words = m.Words(fr="Il manque une carte", en="A card is missing")
    return m.Alert(id=name, kind="chips", text=words, t=1.0, utc=UTC)
