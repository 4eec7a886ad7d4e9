"""A real broker, and a table's voice on it: the hub is tested at the other end of its wires."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from table_controller import messages as m
from tournament_hub.config import HubConfig, parse_config
from tournament_hub.hub import Hub
from tournament_hub.web.floor import Broker

DEADLINE = 20.0
CLUB = "test"
UTC = "2024-05-01T20:00:00Z"


def wait_until(condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
    """Wait for a condition; the test fails when it does not come."""
    end = time.monotonic() + deadline
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {deadline} s: {what}")
        pause.wait(0.01)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A real broker with the settings of the club's."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {folder}/\nautosave_interval 1\nmax_queued_messages 100000\n"
            "message_size_limit 20480\nset_tcp_nodelay true\nlog_type error\nuser root\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self._process = subprocess.Popen(
            [program, "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._answers, "mosquitto listens")

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
            return True
        return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that runs; may be stopped and started again."""
    broker = Mosquitto(tmp_path / "mosquitto")
    broker.start()
    yield broker
    broker.stop()


class Stream:
    """A table's event stream without a wire: numbers, chain and outbox as a journal gives them."""

    def __init__(self, life: str = "a" * 32, boot: int = 1) -> None:
        self.life = life
        self.boot = boot
        self.seq = 0
        self.hand = 0
        self.prev = m.GENESIS
        self.payloads: list[bytes] = []

    def event(self, body: m.EventBody, hand: int | None = None, amends: int | None = None) -> bytes:
        """The next event, as it will be published."""
        self.seq += 1
        payload = m.encode_event(
            m.Event(
                life=self.life,
                boot=self.boot,
                seq=self.seq,
                hand=self.hand or None if hand is None else hand,
                t=float(self.seq),
                utc=UTC,
                body=body,
                prev=self.prev,
                amends=amends,
            )
        )
        self.prev = m.chain_hash(self.prev, payload)
        self.payloads.append(payload)
        return payload

    def play_hand(self, stacks: dict[int, int]) -> list[bytes]:
        """A whole short hand: start, two acts, award, end."""
        self.hand += 1
        seats = tuple(m.SeatStack(seat=seat, entry=f"e{seat}", stack=stack) for seat, stack in stacks.items())
        first, second = seats[0].seat, seats[1].seat
        bodies: list[m.EventBody] = [
            m.HandStart(
                hand=self.hand,
                level=m.Level(n=1, small_blind=100, big_blind=200),
                button=first,
                sb=first,
                bb=second,
                seats=seats,
            ),
            m.Action(seat=first, kind="raise", to=650),
            m.Action(seat=second, kind="fold"),
            m.Award(pot=0, seats=(first,), amounts=(850,)),
            m.HandEnd(stacks=seats),
        ]
        return [self.event(body) for body in bodies]


class TableVoice:
    """What a table says on the wire: status with will, birth, state, events with an outbox, heartbeats, replays."""

    def __init__(self, port: int, name: str, stream: Stream | None = None, *, conn: int = 1) -> None:
        self.name = name
        self.stream = stream or Stream()
        self.conn = conn
        self.acked = 0
        self.rev = 0
        self.replays: list[int] = []
        self.desired: list[m.Desired] = []
        self.responses: list[m.Response] = []
        self.first_kept = 1
        """Events before this one are gone for good (a journal that was cut)."""
        self._closed = False
        self._lock = threading.Lock()
        self._connected = threading.Event()
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=f"table-{name}", protocol=mqtt.MQTTv5)
        client.on_connect = self._on_connect
        client.on_message = self._on_message
        client.on_subscribe = lambda *_: self._connected.set()
        client.will_set(self._topic("status"), self._status("lost"), qos=1, retain=True)
        client.reconnect_delay_set(1, 1)
        client.max_inflight_messages_set(20)
        self.client = client
        client.connect("127.0.0.1", port, 20)
        client.loop_start()
        if not self._connected.wait(DEADLINE):
            raise AssertionError("the table was not connected")

    def _topic(self, word: str, *rest: str) -> str:
        return "/".join((m.topics.root(CLUB), "table", self.name, word, *rest))

    def _status(self, state: Any) -> bytes:
        return m.encode(
            m.TableStatus(state=state, life=self.stream.life, boot=self.stream.boot, conn=self.conn)
        )

    def _on_connect(self, client: mqtt.Client, *_: Any) -> None:
        client.subscribe(
            [
                (m.topics.hub_ack(CLUB, self.name), 1),
                (self._topic("command", "+"), 1),
                (self._topic("desired"), 1),
                (self._topic("response", "+"), 1),
            ]
        )

    def _on_message(self, client: mqtt.Client, userdata: Any, message: mqtt.MQTTMessage) -> None:
        address = m.topics.parse(message.topic)
        if address.kind == "hub_ack":
            ack = m.decode(message.payload, m.HubAck)
            if ack.life == self.stream.life:
                with self._lock:
                    self.acked = max(self.acked, ack.upto_seq)
        elif address.kind == "desired":
            self.desired.append(m.decode(message.payload, m.Desired))
        elif address.kind == "response":
            self.responses.append(m.decode(message.payload, m.Response))
        elif address.leaf == "replay":
            command = m.decode(message.payload, m.Replay)
            self.replays.append(command.start)
            first = max(command.start, self.first_kept)
            reply = m.Reply(tx=command.tx, ok=True, first=first, last=self.stream.seq)
            client.publish(self._topic("reply", "replay"), m.encode(reply), 1)
            for payload in self.stream.payloads[first - 1 :]:
                client.publish(self._topic("event"), payload, 1)

    def say(self, state: Any = "ready") -> None:
        """Status and birth, as after every connection."""
        self.publish("status", self._status(state), retain=True)
        birth = m.Birth(
            life=self.stream.life,
            boot=self.stream.boot,
            conn=self.conn,
            software="test",
            schema_minor=0,
            firmware=None,
            devices=(),
            seats=(),
            outbox=m.OutboxSpan(first=max(1, self.acked + 1), last=self.stream.seq),
        )
        self.publish("birth", m.encode(birth), retain=True)

    def publish(self, word: str, payload: bytes, *, retain: bool = False, qos: int = 1) -> None:
        """Anything, on one of the table's own topics."""
        self.client.publish(self._topic(*word.split("/")), payload, qos, retain)

    def send(self, *payloads: bytes) -> None:
        """Events, in the order given."""
        for payload in payloads:
            self.publish("event", payload)

    def beat(self, seq: int | None = None) -> None:
        """A heartbeat."""
        beat = m.Heartbeat(
            life=self.stream.life,
            boot=self.stream.boot,
            conn=self.conn,
            seq=self.stream.seq if seq is None else seq,
            t=1.0,
            synced=True,
            devices={},
            load=None,
            temperature=None,
            unacked=self.stream.seq - self.acked,
        )
        self.publish("heartbeat", m.encode(beat), qos=0)

    def show(self, **fields: Any) -> None:
        """The table's snapshot."""
        self.rev += 1
        base: dict[str, Any] = {
            "rev": self.rev,
            "seq": self.stream.seq,
            "hand": self.stream.hand or None,
            "phase": "idle",
            "button": None,
            "blinds": None,
            "seats": (),
            "stacks": {},
            "bets": {},
            "pots": (),
            "board": (),
            "to_act": None,
            "expects": (),
            "doubts": (),
            "gate_used": None,
            "desired_rev": None,
            "life": self.stream.life,
            "boot": self.stream.boot,
        }
        self.publish("state", m.encode(m.TableState(**{**base, **fields})), retain=True)

    def wait_acked(self, seq: int | None = None) -> None:
        """The hub has said that it has committed up to here."""
        wanted = self.stream.seq if seq is None else seq
        wait_until(
            lambda: self.acked >= wanted, f"{self.name} is acknowledged up to {wanted}, is {self.acked}"
        )

    def drop(self) -> None:
        """The line breaks without a word: the broker publishes the will."""
        sock = self.client.socket()
        if sock is not None:
            sock.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Leave; the client is let go, it closes its last sockets only then."""
        if not self._closed:
            self._closed = True
            self.client.disconnect()
            self.client.loop_stop()
            del self.client


@pytest.fixture
def voices(mosquitto: Mosquitto) -> Iterator[Callable[..., TableVoice]]:
    """Makes tables; all are closed at the end."""
    made: list[TableVoice] = []

    def make(name: str = "t1", stream: Stream | None = None, *, conn: int = 1) -> TableVoice:
        made.append(TableVoice(mosquitto.port, name, stream, conn=conn))
        return made[-1]

    yield make
    for voice in made:
        voice.close()


def hub_config(folder: Path, broker_port: int, more: str = "") -> HubConfig:
    """A club's file with free ports."""
    text = f"""
[club]
id = "{CLUB}"
name = "Club d'essai"
data = "data"
[broker]
port = {broker_port}
[web]
port = 0
[game]
small_blind = 100
big_blind = 200
{more}
"""
    return parse_config(text, "hub.toml", folder)


TABLES = """
[tables.t1]
name = "Table 1"
seats = [{ seat = 1, entry = "e1", stack = 20000 }, { seat = 4, entry = "e4", stack = 20000 }]
"""


@pytest.fixture
def hubs(tmp_path: Path, mosquitto: Mosquitto) -> Iterator[Callable[..., Hub]]:
    """Makes and starts hubs on the broker; all are closed at the end."""
    made: list[Hub] = []

    def make(more: str = TABLES, **options: Any) -> Hub:
        hub = Hub(hub_config(tmp_path, mosquitto.port, more), **options)
        made.append(hub)
        hub.start()
        wait_until(lambda: hub.floor.broker is Broker.UP, "the hub has reached the broker")
        return hub

    yield make
    for hub in made:
        hub.close()


@pytest.fixture
def wait() -> Callable[..., Any]:
    """Wait for a condition with a deadline."""
    return wait_until


@pytest.fixture
def streams() -> Callable[..., Stream]:
    """Makes event streams."""
    return Stream


@pytest.fixture
def config(tmp_path: Path) -> HubConfig:
    """The settings of a room with one table."""
    return hub_config(tmp_path, 1883, TABLES)


@pytest.fixture
def shared_sources() -> Callable[[], str]:
    """Every line of the hub's programs and templates."""
    folder = Path(__file__).resolve().parents[2] / "tournament_hub"
    files = [*folder.rglob("*.py"), *folder.rglob("*.html")]
    return lambda: "\n".join(file.read_text(encoding="utf-8") for file in files)
