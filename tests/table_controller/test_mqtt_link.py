"""The table's link on real brokers that come, go, forget and die."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from maldonne.broker import Broker, find_mosquitto, start_broker
from table_controller import messages as m
from table_controller.journal import Batch, Journal, NewEvent
from table_controller.mqtt_link import (
    CommandArrived,
    Connected,
    DesiredArrived,
    Disconnected,
    HeartbeatDue,
    HubAcked,
    LinkAlarm,
    LinkNews,
    LinkSettings,
    MqttLink,
    OutboxWanted,
    RequestExpired,
    ResponseArrived,
    TournamentSaid,
    hand_over,
)

UTC = "2026-05-01T19:30:00Z"
CLUB, TABLE = "lyon", "t1"
DEADLINE_S = 30.0
LEVEL = m.Level(n=1, small_blind=25, big_blind=50)
BROKERS = ["mosquitto", "iotcore"] if find_mosquitto() else ["iotcore"]
needs_mosquitto = pytest.mark.skipif(find_mosquitto() is None, reason="mosquitto is not installed")


def until(true: Callable[[], bool], what: str, wait: Callable[[float], Any] | None = None) -> None:
    """Waits on a condition; fails by name when it does not come."""
    end = time.monotonic() + DEADLINE_S
    pause = wait if wait is not None else threading.Event().wait
    while not true():
        assert time.monotonic() < end, f"never came: {what}"
        pause(0.01)


class Peer:
    """A client of the other side: sees everything of the club, says what a hub would say."""

    def __init__(self, broker: Broker, name: str, *, user: str | None = None, manual: bool = False) -> None:
        self.changed = threading.Condition()
        self.seen: list[paho.MQTTMessage] = []
        self.subscribed = 0
        self.client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv5, manual_ack=manual
        )
        if user is not None:
            self.client.username_pw_set(user, f"secret of {user}")
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda *_: self.client.subscribe(
            f"maldonne/1/{CLUB}/#", options=SubscribeOptions(qos=1)
        )
        self.client.on_subscribe = self._on_subscribe
        self.client.on_message = self._on_message
        self.client.connect(broker.host, broker.port, 10)
        self.client.loop_start()
        self.wait(lambda: self.subscribed > 0, f"{name} is there")

    def _on_subscribe(self, *_: Any) -> None:
        with self.changed:
            self.subscribed += 1
            self.changed.notify_all()

    def _on_message(self, client: Any, data: Any, message: paho.MQTTMessage) -> None:
        with self.changed:
            self.seen.append(message)
            self.changed.notify_all()

    def wait(self, true: Callable[[], bool], what: str) -> None:
        with self.changed:
            assert self.changed.wait_for(true, DEADLINE_S), f"never came: {what}"

    def payloads(self, topic: str) -> list[bytes]:
        return [bytes(message.payload) for message in list(self.seen) if message.topic == topic]

    def last(self, topic: str) -> bytes | None:
        found = self.payloads(topic)
        return found[-1] if found else None

    def say(self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None) -> None:
        properties = None
        if expiry is not None:
            properties = Properties(PacketTypes.PUBLISH)
            properties.MessageExpiryInterval = expiry
        info = self.client.publish(topic, payload, 1, retain, properties)
        info.wait_for_publish(DEADLINE_S)

    def command(self, verb: str, command: Any, *, retain: bool = False, expiry: int | None = 20) -> None:
        self.say(m.topics.command(CLUB, TABLE, verb), m.encode(command), retain=retain, expiry=expiry)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        del self.client  # paho lets its own pair of sockets go with the object


class Hub(Peer):
    """Keeps each event once by (life, seq), commits before it acknowledges, asks for nothing: the least a hub does."""

    def __init__(self, broker: Broker, *, user: str | None = None, ack_every: int = 1) -> None:
        self.ack_every = ack_every
        self.store: dict[tuple[str, int], bytes] = {}
        self.order: list[int] = []
        self.conflicts: list[int] = []
        self.deliveries = 0
        self.deaf = False
        self.forgets = 0
        self.head = 0
        super().__init__(broker, "hub-like", user=user, manual=True)

    def _on_subscribe(self, *arguments: Any) -> None:
        super()._on_subscribe(*arguments)
        self.online(True)

    def online(self, online: bool) -> None:
        status = m.HubStatus(online=online, epoch=1, conn=1, utc=UTC)
        self.client.publish(m.topics.hub_status(CLUB), m.encode(status), 1, True)

    def _on_message(self, client: Any, data: Any, message: paho.MQTTMessage) -> None:
        if message.topic == m.topics.event(CLUB, TABLE):
            self._event(bytes(message.payload))
        super()._on_message(client, data, message)
        client.ack(message.mid, message.qos)

    def _event(self, payload: bytes) -> None:
        with self.changed:
            self.deliveries += 1
            if self.deaf:
                return
            if self.forgets > 0:
                self.forgets -= 1
                return
            event = m.decode_event(payload)
            known = self.store.setdefault((event.life, event.seq), payload)
            if known != payload:
                self.conflicts.append(event.seq)
            self.order.append(event.seq)
            while (event.life, self.head + 1) in self.store:
                self.head += 1
            if self.head % self.ack_every:
                return
            ack = m.HubAck(life=event.life, upto_seq=self.head)
            self.client.publish(m.topics.hub_ack(CLUB, TABLE), m.encode(ack), 1, True)


class Table:
    """A table's loop in small: journal, link, one queue, one thread (the test's)."""

    def __init__(self, path: Path, broker: Broker, **options: Any) -> None:
        self.journal = Journal.open(path, club=CLUB, table=TABLE, utc=UTC)
        self.inbox: queue.Queue[LinkNews] = queue.Queue()
        self.news: list[LinkNews] = []
        settings = {
            "host": broker.host,
            "port": broker.port,
            "club": CLUB,
            "table": TABLE,
            "heartbeat_s": 0.2,
        }
        self.link = MqttLink(
            LinkSettings(**{**settings, **options}),
            life=self.journal.life,
            boot=self.journal.boot,
            incoming=self.inbox,
            acked=self.journal.hub_ack,
            head=self.journal.head_seq,
            desired_version=self.journal.desired_version,
        )
        self.link.set_birth(
            m.Birth(
                life=self.journal.life,
                boot=self.journal.boot,
                conn=1,
                software="maldonne 0.1",
                schema_minor=m.SCHEMA_MINOR,
                firmware=None,
                devices=(m.Device(name="mcu", state="ok"),),
                seats=(m.BirthSeat(seat=1),),
                outbox=m.OutboxSpan(first=1, last=0),
            )
        )
        self.link.set_status("ready")
        self.link.set_state(self.snapshot(0))
        self.beats = True

    def snapshot(self, rev: int) -> m.TableState:
        return m.TableState(
            rev=rev,
            seq=self.journal.head_seq,
            hand=None,
            phase="idle",
            button=None,
            blinds=LEVEL,
            seats=(),
            stacks={},
            bets={},
            pots=(),
            board=(),
            to_act=None,
            expects=(),
            doubts=(),
            gate_used=None,
            desired_rev=None,
        )

    def play(self, count: int) -> None:
        """Events with a commit each, handed over as a table does."""
        for _ in range(count):
            n = self.journal.head_seq + 1
            self.journal.commit(Batch(events=(NewEvent(body=m.Burned(n=n), t=float(n), utc=UTC, hand=1),)))
            hand_over(self.link, self.journal)

    def turn(self, wait_s: float) -> None:
        """One turn of the loop."""
        try:
            news = self.inbox.get(timeout=wait_s)
        except queue.Empty:
            return
        self.news.append(news)
        match news:
            case OutboxWanted() | Connected():
                hand_over(self.link, self.journal)
            case HubAcked(upto):
                self.journal.ack(upto)
            case HeartbeatDue() if self.beats:
                self.link.beat(
                    m.Heartbeat(
                        life=self.journal.life,
                        boot=self.journal.boot,
                        conn=1,
                        seq=self.journal.head_seq,
                        t=1.0,
                        synced=True,
                        devices={"mcu": 0.1},
                        load=None,
                        temperature=None,
                    )
                )

    def until(self, true: Callable[[], bool], what: str) -> None:
        until(true, what, self.turn)

    def until_news(self, kind: type[Any], what: str = "") -> Any:
        """The next news of a kind that has not been looked at yet."""
        found: list[Any] = []

        def look() -> bool:
            for n, news in enumerate(self.news):
                if isinstance(news, kind):
                    found.append(self.news.pop(n))
                    return True
            return False

        self.until(look, what or kind.__name__)
        return found[0]

    def alarms(self) -> list[str]:
        return [news.code for news in self.news if isinstance(news, LinkAlarm)]

    def connected(self) -> None:
        self.until(lambda: self.link.health().connected, "connection")

    def delivered(self, hub: Hub) -> None:
        """Until the hub has everything and the table knows it."""
        self.until(
            lambda: hub.head == self.journal.head_seq == self.journal.hub_ack,
            f"all {self.journal.head_seq} events",
        )

    def close(self) -> None:
        self.link.close()
        self.journal.close()


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    with start_broker(kind=request.param) as running:
        yield running


@pytest.fixture
def mosquitto() -> Iterator[Broker]:
    with start_broker(kind="mosquitto") as running:
        yield running


@pytest.fixture
def closing() -> Iterator[list[Any]]:
    """What is to be closed at the end, last first."""
    things: list[Any] = []
    yield things
    while things:
        things.pop().close()


@pytest.fixture
def make(closing: list[Any], tmp_path: Path) -> Callable[..., Any]:
    """Makes tables, hubs and peers that are closed at the end."""

    def build(kind: type[Any], broker: Broker, *arguments: Any, **options: Any) -> Any:
        if kind is Table:
            thing = Table(tmp_path / "journal.db", broker, *arguments, **options)
        else:
            thing = kind(broker, *arguments, **options)
        closing.append(thing)
        return thing

    return build


Make = Callable[..., Any]
STATUS, BIRTH = m.topics.status(CLUB, TABLE), m.topics.birth(CLUB, TABLE)
STATE, EVENT = m.topics.state(CLUB, TABLE), m.topics.event(CLUB, TABLE)


def check_record(hub: Hub, table: Table) -> None:
    """Once each, in an unbroken chain, byte for byte what the journal holds."""
    life = table.journal.life
    rows = list(table.journal.messages())
    assert [hub.store[life, row.seq] for row in rows] == [row.payload for row in rows]
    assert len(hub.store) == len(rows)
    assert hub.conflicts == []
    prev = m.GENESIS
    for row in rows:
        assert m.decode_event(hub.store[life, row.seq]).prev == prev
        prev = m.event_hash(row.payload)
    assert table.journal.verify() == []


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


# ------------------------------------------------------------------ what the hub says


def desired(epoch: int, rev: int, **fields: Any) -> bytes:
    base = {
        "epoch": epoch,
        "rev": rev,
        "tournament": None,
        "rulebook": "standard",
        "level": LEVEL,
        "seats": (),
    }
    return m.encode(m.Desired(**{**base, **fields}))


def test_the_hubs_document_is_taken_and_never_rolled_back(broker: Broker, make: Make) -> None:
    topic = m.topics.desired(CLUB, TABLE)
    peer = make(Peer, broker, "hub")
    peer.say(topic, desired(2, 5), retain=True)
    table = make(Table, broker)
    table.link.start()
    assert table.until_news(DesiredArrived).desired.version == (2, 5)
    for epoch, rev in ((2, 4), (1, 99), (2, 5), (2, 6)):
        peer.say(topic, desired(epoch, rev), retain=True)
    assert table.until_news(DesiredArrived).desired.version == (2, 6), "the lower ones were ignored"
    peer.say(topic, desired(2, 6, rulebook="ropta"), retain=True)
    assert table.until_news(LinkAlarm).code == "desired_conflict"
    peer.say(topic, b'{"epoch":3,"rev":1}', retain=True)
    assert table.until_news(LinkAlarm).code == "message_malformed"
    peer.say(topic, b"", retain=True)
    peer.say(topic, desired(3, 1), retain=True)
    assert table.until_news(DesiredArrived).desired.version == (3, 1)


def test_a_document_that_the_journal_holds_is_not_told_again_after_a_restart(
    broker: Broker, make: Make
) -> None:
    topic = m.topics.desired(CLUB, TABLE)
    peer = make(Peer, broker, "hub")
    peer.say(topic, desired(2, 5), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.journal.commit(Batch(desired=table.until_news(DesiredArrived).desired))
    table.close()
    again = make(Table, broker)
    again.link.start()
    peer.say(topic, desired(2, 6), retain=True)
    assert again.until_news(DesiredArrived).desired.version == (2, 6)


def test_a_thousand_retained_commands_move_nothing_and_are_one_alarm_each_kind(
    mosquitto: Broker, make: Make
) -> None:
    peer = make(Peer, mosquitto, "villain")
    verbs = ("runout_release", "identify", "reprint", "replay")
    for n in range(250):
        for verb in verbs:
            payload = b'{"tx":"x%d","hand":1,"from":1}' % n
            peer.client.publish(m.topics.command(CLUB, TABLE, verb), payload, 1, True)
    peer.say(m.topics.public(CLUB, "mark"), b"{}")
    table = make(Table, mosquitto)
    table.link.start()
    table.until(lambda: table.link.health().refused >= len(verbs), "refused")
    for n in range(3):
        peer.command("identify", m.Identify(tx=f"live{n}"), retain=True)
    peer.command("identify", m.Identify(tx="fresh"))
    assert table.until_news(CommandArrived).command == m.Identify(tx="fresh"), "the first one that is obeyed"
    assert table.alarms() == ["command_retained"] * len(verbs)
    assert table.link.health().refused == len(verbs) + 3, "also those that came while the table was there"


def test_a_retained_command_is_refused_by_every_broker_when_the_table_comes(
    broker: Broker, make: Make
) -> None:
    peer = make(Peer, broker, "villain")
    peer.command("runout_release", m.RunoutRelease(tx="x", hand=1), retain=True)
    table = make(Table, broker)
    table.link.start()
    alarm = table.until_news(LinkAlarm)
    assert (alarm.code, alarm.where) == ("command_retained", m.topics.command(CLUB, TABLE, "runout_release"))
    assert not [news for news in table.news if isinstance(news, CommandArrived)]


def test_a_command_is_done_once_however_often_it_is_delivered(broker: Broker, make: Make) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("runout_release", m.RunoutRelease(tx="a1", hand=4))
    arrived = table.until_news(CommandArrived)
    assert (arrived.verb, arrived.command) == ("runout_release", m.RunoutRelease(tx="a1", hand=4))
    table.link.reply("runout_release", m.Reply(tx="a1", ok=True))
    topic = m.topics.reply(CLUB, TABLE, "runout_release")
    for times in (2, 3):
        peer.command("runout_release", m.RunoutRelease(tx="a1", hand=4))
        table.until(lambda times=times: len(peer.payloads(topic)) == times, "the same answer again")
    assert set(peer.payloads(topic)) == {m.encode(m.Reply(tx="a1", ok=True))}
    assert not [news for news in table.news if isinstance(news, CommandArrived)]


@pytest.mark.parametrize("expiry", [None, 3600])
def test_a_command_that_could_come_hours_late_is_refused(
    broker: Broker, make: Make, expiry: int | None
) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("identify", m.Identify(tx="a1"), expiry=expiry)
    assert table.until_news(LinkAlarm).code == "command_no_expiry"
    topic = m.topics.reply(CLUB, TABLE, "identify")
    table.until(lambda: peer.last(topic) is not None, "a reply")
    assert m.decode(peer.last(topic) or b"", m.Reply).code == "command_no_expiry"


@pytest.mark.parametrize(
    ("verb", "payload", "code"),
    [
        ("identify", b"{", "message_malformed"),
        ("identify", b'{"tx":"a","tx":"b"}', "message_duplicate_key"),
        ("identify", b'{"tx":NaN}', "message_not_finite"),
        ("identify", b'{"tx":"a","x":[[[[[[[[1]]]]]]]]}', "message_too_deep"),
        ("identify", b"\xff\xfe", "message_malformed"),
        ("replay", b'{"tx":"a","from":0}', "message_malformed"),
        ("deal", b'{"tx":"a"}', "message_topic"),
    ],
)
def test_what_is_malformed_is_refused_with_its_name_and_the_link_goes_on(
    broker: Broker, make: Make, verb: str, payload: bytes, code: str
) -> None:
    table = make(Table, broker)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.say(m.topics.command(CLUB, TABLE, verb), payload, expiry=20)
    assert table.until_news(LinkAlarm).code == code
    peer.command("identify", m.Identify(tx="good"))
    assert table.until_news(CommandArrived).command == m.Identify(tx="good")


def test_replay_sends_the_stream_again_also_what_was_acknowledged_long_ago(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker)
    table.link.start()
    hub = make(Hub, broker)
    table.play(50)
    table.delivered(hub)
    table.journal.flush()
    before = len(hub.order)
    hub.command("replay", m.Replay(tx="r1", start=11))
    table.until(lambda: len(hub.order) == before + 40, "forty again")
    assert hub.order[before:] == list(range(11, 51))
    topic = m.topics.reply(CLUB, TABLE, "replay")
    hub.wait(lambda: hub.last(topic) is not None, "the answer")
    assert m.decode(hub.last(topic) or b"", m.Reply) == m.Reply(tx="r1", ok=True, first=11, last=50)
    hub.command("replay", m.Replay(tx="r2", start=99))
    table.until(lambda: len(hub.payloads(topic)) == 2, "the second answer")
    assert m.decode(hub.last(topic) or b"", m.Reply).code == "replay_beyond"
    table.play(1)
    table.delivered(hub)
    check_record(hub, table)


def test_an_acknowledgement_of_another_life_clears_nothing(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "hub")
    peer.say(m.topics.hub_ack(CLUB, TABLE), m.encode(m.HubAck(life="ee" * 16, upto_seq=500)), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.play(5)
    table.until(lambda: len(peer.payloads(EVENT)) == 5, "all five are sent")
    assert table.journal.hub_ack == 0
    assert not [news for news in table.news if isinstance(news, HubAcked)]


def test_a_request_is_answered_once_or_expires_by_name(broker: Broker, make: Make) -> None:
    table = make(Table, broker, request_deadline_s=1.0)
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    asked = m.Request(tx="q1", t=1.0, utc=UTC, seat=4)
    table.link.request("floor", asked)
    topic = m.topics.request(CLUB, TABLE, "floor")
    table.until(lambda: peer.last(topic) is not None, "the request")
    assert m.decode(peer.last(topic) or b"", m.Request) == asked
    answer = m.encode(m.Response(tx="q1", ok=True))
    for _ in range(3):
        peer.say(m.topics.response(CLUB, TABLE, "floor"), answer)
    assert table.until_news(ResponseArrived).response == m.Response(tx="q1", ok=True)
    table.link.request("floor", m.Request(tx="q2", t=2.0, utc=UTC))
    assert table.until_news(RequestExpired).request.tx == "q2"
    assert not [news for news in table.news if isinstance(news, ResponseArrived)], "the repeats were not told"


def test_a_request_without_a_broker_expires_too(broker: Broker, make: Make) -> None:
    broker.kill()
    table = make(Table, broker, request_deadline_s=0.3)
    table.link.start()
    table.link.request("floor", m.Request(tx="q1", t=1.0, utc=UTC))
    assert table.until_news(RequestExpired).request.tx == "q1"


def test_a_table_reads_the_tournament_that_it_plays_and_no_other(broker: Broker, make: Make) -> None:
    peer = make(Peer, broker, "hub")
    for name in ("friday", "sunday"):
        said = m.Announcement(id=name, text=m.Words(fr="Pause", en="Break"), utc=UTC)
        peer.say(m.topics.tournament(CLUB, name, "announce"), m.encode(said), retain=True)
    table = make(Table, broker)
    table.link.start()
    table.link.follow("sunday")
    told = table.until_news(TournamentSaid)
    assert (told.tournament, told.part, told.message.id) == ("sunday", "announce", "sunday")
    table.link.follow("friday")
    assert table.until_news(TournamentSaid).tournament == "friday"
    assert not [news for news in table.news if isinstance(news, TournamentSaid)]


# ------------------------------------------------------------------ faults of our own


def test_an_exception_in_a_callback_is_an_alarm_and_the_line_lives(broker: Broker, make: Make) -> None:
    table = make(Table, broker)

    def broken(message: Any) -> None:
        if b"lost" in message.payload:
            raise ZeroDivisionError("planted")
        really(message)

    really = table.link._reception.take
    table.link._reception.take = broken
    table.link.start()
    table.connected()
    peer = make(Peer, broker, "hub")
    peer.command("identify", m.Identify(tx="lost"))
    alarm = table.until_news(LinkAlarm)
    assert (alarm.code, alarm.where) == ("link_fault", "on_message")
    assert "planted" in alarm.what
    peer.command("identify", m.Identify(tx="good"))
    assert table.until_news(CommandArrived).command.tx == "good"
    assert table.link.health().conn == 1, "the connection held"


def test_an_exception_anywhere_in_the_links_thread_costs_a_connection_not_the_thread(
    broker: Broker, make: Make
) -> None:
    table = make(Table, broker, retry_max_s=0.3)
    really = table.link._pump
    broken = [True, True]

    def pump(*arguments: Any) -> None:
        if broken:
            broken.pop()
            raise ZeroDivisionError("planted")
        really(*arguments)

    table.link._pump = pump
    table.link.start()
    assert table.until_news(LinkAlarm).code == "link_fault"
    hub = make(Hub, broker)
    table.play(5)
    table.delivered(hub)
    assert table.link.health().conn == 3
    check_record(hub, table)


def test_a_link_that_never_starts_can_be_closed(make: Make, tmp_path: Path) -> None:
    inbox: queue.Queue[LinkNews] = queue.Queue()
    link = MqttLink(
        LinkSettings(host="127.0.0.1", port=9, club=CLUB, table=TABLE), life="ab" * 16, boot=1, incoming=inbox
    )
    link.close()
    link.close()
    assert inbox.empty()


def test_a_password_is_not_shown() -> None:
    assert "hunter2" not in repr(LinkSettings(host="h", port=1, club=CLUB, table=TABLE, password="hunter2"))
