"""A table, a hub and others at a real broker, as the tests of the link need them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from maldonne.broker import Broker, find_mosquitto
from table_controller import messages as m
from table_controller.journal import Batch, Journal, NewEvent
from table_controller.mqtt_link import (
    Connected,
    HeartbeatDue,
    HubAcked,
    LinkAlarm,
    LinkNews,
    LinkSettings,
    MqttLink,
    OutboxWanted,
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
