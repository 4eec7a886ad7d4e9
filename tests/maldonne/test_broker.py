"""Our own broker, and the rights and settings of a club's."""

from __future__ import annotations

import datetime
import ipaddress
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from maldonne import broker as brokers
from maldonne.broker import ACL, MOSQUITTO_SETTINGS, Broker, BrokerError, find_mosquitto, start_broker
from table_controller import messages as m
from table_controller.journal import OutboxRow
from table_controller.mqtt_link import (
    Connected,
    DesiredArrived,
    Disconnected,
    LinkAlarm,
    LinkMisconfigured,
    LinkNews,
    LinkSettings,
    MqttLink,
    TlsFiles,
    hand_over,
)

ROOT = Path(__file__).parents[2]
DEADLINE_S = 30.0
UTC = "2026-05-01T19:30:00Z"
CLUB = "lyon"
USERS = {name: f"secret of {name}" for name in ("hub", "display", "t1", "t2")}
KINDS = ["mosquitto", "iotcore"] if find_mosquitto() else ["iotcore"]
needs_mosquitto = pytest.mark.skipif(find_mosquitto() is None, reason="mosquitto is not installed")


class Client:
    """A client that tells what the broker allows it."""

    def __init__(
        self, broker: Broker, name: str, user: str | None = None, password: str | None = None
    ) -> None:
        self.changed = threading.Condition()
        self.got: list[tuple[str, bytes]] = []
        self.codes: dict[tuple[str, int], int] = {}
        self.connack: int | None = None
        self.client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv5, reconnect_on_failure=False
        )
        if user is not None:
            self.client.username_pw_set(user, password if password is not None else USERS.get(user))
        self.client.on_connect = lambda c, u, flags, reason, p: self._note("connack", reason.value)
        self.client.on_publish = lambda c, u, mid, reason, p: self._note(("publish", mid), reason.value)
        self.client.on_subscribe = lambda c, u, mid, reasons, p: self._note(
            ("subscribe", mid), reasons[0].value
        )
        self.client.on_message = lambda c, u, message: self._note("message", (message.topic, message.payload))
        self.client.connect(broker.host, broker.port, 20)
        self.client.loop_start()
        self.wait(lambda: self.connack is not None, "an answer of the broker")

    def _note(self, key: Any, value: Any) -> None:
        with self.changed:
            if key == "connack":
                self.connack = value
            elif key == "message":
                self.got.append(value)
            else:
                self.codes[key] = value
            self.changed.notify_all()

    def wait(self, true: Callable[[], bool], what: str) -> None:
        with self.changed:
            assert self.changed.wait_for(true, DEADLINE_S), f"never came: {what}"

    def may_publish(self, topic: str, payload: bytes = b"{}", *, retain: bool = False) -> bool:
        mid = self.client.publish(topic, payload, 1, retain).mid
        self.wait(lambda: ("publish", mid) in self.codes, f"the answer to {topic}")
        return self.codes["publish", mid] < 0x80

    def subscribe(self, topic: str) -> bool:
        _, mid = self.client.subscribe(topic, qos=1)
        self.wait(lambda: ("subscribe", mid) in self.codes, f"the answer to {topic}")
        return self.codes["subscribe", mid or 0] < 0x80

    def topics(self) -> set[str]:
        return {topic for topic, _ in self.got}

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
        del self.client


@pytest.fixture
def club() -> Iterator[Broker]:
    with start_broker(kind="mosquitto", users=USERS) as running:
        yield running


@pytest.fixture
def connect(club: Broker, closing: list[Any]) -> Callable[..., Client]:
    def build(user: str, name: str = "") -> Client:
        closing.append(Client(club, name or f"client-{user}", user))
        return closing[-1]

    return build


# ------------------------------------------------------------------ starting and ending


@pytest.mark.parametrize("kind", KINDS)
def test_it_answers_when_start_returns_and_is_gone_when_stop_returns(kind: Any) -> None:
    with start_broker(kind=kind) as running:
        assert (running.kind, running.host, running.is_running) == (kind, "127.0.0.1", True)
        pid, directory = running.pid, running.directory
        client = Client(running, "one")
        assert client.connack == 0
        client.close()
        listening = [
            c.laddr.ip for c in psutil.Process(pid).net_connections() if c.status == psutil.CONN_LISTEN
        ]
        assert set(listening) == {"127.0.0.1"}, "on this machine only"
    assert not psutil.pid_exists(pid or 0)
    assert not directory.exists()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((running.host, running.port), 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_broker_starts_again_at_the_same_place(kind: Any) -> None:
    with start_broker(kind=kind) as running:
        port = running.port
        for _ in range(3):
            running.kill()
            assert not running.is_running
            running.start()
            assert (running.is_running, running.port) == (True, port)


@needs_mosquitto
def test_what_was_retained_survives_a_proper_restart(tmp_path: Path, closing: list[Any]) -> None:
    with start_broker(kind="mosquitto", directory=tmp_path / "b") as running:
        first = Client(running, "first")
        assert first.may_publish("maldonne/1/lyon/hub/status", b"kept", retain=True)
        first.close()
    assert (tmp_path / "b").is_dir(), "a directory of the caller's stays"
    with start_broker(kind="mosquitto", directory=tmp_path / "b") as again:
        second = Client(again, "second")
        closing.append(second)
        assert second.subscribe("maldonne/1/lyon/hub/status")
        second.wait(lambda: second.got == [("maldonne/1/lyon/hub/status", b"kept")], "the retained message")


@pytest.mark.parametrize("kind", KINDS)
def test_a_port_in_use_is_named_and_nothing_is_left_running(kind: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BrokerError, match=f"port {port} is in use") as caught:
            start_broker(port, kind=kind)
    assert "--broker-port" in caught.value.hint


@needs_mosquitto
def test_a_broker_that_ends_at_once_is_reported_with_its_last_words(tmp_path: Path) -> None:
    broken = Broker("mosquitto", tmp_path, 1, None)
    (tmp_path / "mosquitto.conf").write_text("no_such_setting 1\n", encoding="utf-8")
    with pytest.raises(BrokerError, match="no_such_setting"):
        broken.start()
    assert not broken.is_running
    broken.stop()


def test_without_any_broker_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "find_mosquitto", lambda: None)
    assert brokers.available() == "iotcore"
    monkeypatch.setattr(brokers.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BrokerError) as caught:
        start_broker()
    assert "apt install mosquitto" in caught.value.hint
    with pytest.raises(BrokerError, match="not installed"):
        start_broker(kind="iotcore")
    with pytest.raises(BrokerError, match="not installed"):
        start_broker(kind="mosquitto")
    with pytest.raises(BrokerError, match="no accounts"):
        start_broker(kind="iotcore", users=USERS)


_PARENT = """
import sys
from maldonne.broker import start_broker
running = start_broker(kind=sys.argv[1])
print(running.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not brokers._ends_with_us(), reason="setpriv is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_it_ends_with_the_program_that_started_it_also_when_that_is_killed(kind: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, kind], stdout=subprocess.PIPE, stdin=subprocess.PIPE, cwd=ROOT
    )
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
    finally:
        parent.kill()
        parent.communicate(timeout=DEADLINE_S)
    psutil.wait_procs([child], timeout=DEADLINE_S)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


# ------------------------------------------------------------------ rights

T1, T2 = f"maldonne/1/{CLUB}/table/t1", f"maldonne/1/{CLUB}/table/t2"
OWN = ("status", "birth", "state", "event", "heartbeat", "alert/a", "request/floor", "reply/replay")


def test_the_deployed_rights_are_those_that_are_tested_here() -> None:
    assert (ROOT / "deploy" / "acl").read_text(encoding="utf-8") == ACL


@needs_mosquitto
def test_a_table_writes_what_is_its_own_and_nothing_else(connect: Callable[..., Client]) -> None:
    table = connect("t1")
    for topic in OWN:
        assert table.may_publish(f"{T1}/{topic}"), topic
    forbidden = [f"{T2}/{topic}" for topic in OWN]
    forbidden += [
        f"{T1}/{topic}" for topic in ("desired", "command/replay", "response/floor", "event/x", "other")
    ]
    forbidden += [
        f"maldonne/1/{CLUB}/{topic}"
        for topic in ("hub/status", "hub/ack/t1", "public/x", "tournament/f/clock")
    ]
    forbidden += [
        f"maldonne/2/{CLUB}/table/t1/event",
        "t1",
        "$SYS/x",
        "$CONTROL/dynamic-security/v1",
        "other/t1",
    ]
    for topic in forbidden:
        assert not table.may_publish(topic), topic


@needs_mosquitto
def test_a_table_reads_what_is_meant_for_it_and_no_wildcard_shows_it_more(
    connect: Callable[..., Client],
) -> None:
    table, hub = connect("t1"), connect("hub")
    for topic in (
        "#",
        "maldonne/#",
        "+/+/+/+/+/+",
        f"maldonne/1/{CLUB}/table/+/event",
        f"{T2}/desired",
        "$SYS/#",
    ):
        table.subscribe(topic)
    said = [f"{t}/{w}" for t in (T1, T2) for w in (*OWN, "desired", "command/replay", "response/floor")]
    said += [
        f"maldonne/1/{CLUB}/{w}"
        for w in ("hub/status", "hub/ack/t1", "hub/ack/t2", "tournament/f/clock", "public/x")
    ]
    for topic in said:
        assert hub.may_publish(topic), topic
    allowed = {f"{T1}/{w}" for w in ("status", "alert/a", "desired", "command/replay", "response/floor")}
    allowed |= {f"maldonne/1/{CLUB}/{w}" for w in ("hub/status", "hub/ack/t1", "tournament/f/clock")}
    table.wait(lambda: allowed <= table.topics(), "all that is allowed")
    assert table.topics() == allowed


@needs_mosquitto
def test_a_display_reads_what_is_public_and_writes_nothing_that_counts(
    connect: Callable[..., Client],
) -> None:
    display, hub = connect("display"), connect("hub")
    display.subscribe("#")
    own = "maldonne/1/lyon/table/display"
    for topic in (
        f"{T1}/event",
        f"{T1}/state",
        "maldonne/1/lyon/tournament/f/clock",
        "maldonne/1/lyon/hub/status",
    ):
        assert hub.may_publish(topic)
        assert not display.may_publish(topic)
    assert not display.may_publish("maldonne/1/lyon/public/f/clock")
    assert not display.may_publish(f"{own}/event"), "it is no table"
    assert hub.may_publish("maldonne/1/lyon/public/f/clock")
    display.wait(lambda: bool(display.got), "what is public")
    assert display.topics() == {"maldonne/1/lyon/public/f/clock"}


@needs_mosquitto
@pytest.mark.parametrize(
    ("user", "password"), [(None, None), ("t1", "wrong"), ("nobody", "x"), ("+", "x"), ("#", "x")]
)
def test_nobody_else_gets_in(
    club: Broker, closing: list[Any], user: str | None, password: str | None
) -> None:
    client = Client(club, "stranger", user, password)
    closing.append(client)
    assert client.connack in (0x86, 0x87)


@needs_mosquitto
def test_the_passwords_stand_nowhere_in_clear(club: Broker) -> None:
    for path in club.directory.iterdir():
        assert b"secret of" not in path.read_bytes(), path.name
    assert (club.directory / "passwords").stat().st_mode & 0o077 == 0
    assert "secret of" not in " ".join(psutil.Process(club.pid).cmdline())


# ------------------------------------------------------------------ a table on a club's broker


class _Outbox:
    """An outbox in memory, of events that were encoded once."""

    def __init__(self, life: str, count: int) -> None:
        self._rows: list[OutboxRow] = []
        prev = m.GENESIS
        for seq in range(1, count + 1):
            made = m.Event(
                life=life, boot=1, seq=seq, hand=1, t=1.0, utc=UTC, body=m.Burned(n=seq), prev=prev
            )
            payload = m.encode_event(made)
            self._rows.append(OutboxRow(seq=seq, topic="event", payload=payload, prev=prev))
            prev = m.event_hash(payload)

    @property
    def head_seq(self) -> int:
        return len(self._rows)

    def outbox_after(self, seq: int, limit: int) -> list[OutboxRow]:
        return self._rows[seq : seq + limit]


def _until(inbox: queue.Queue[LinkNews], kind: type[Any], seen: list[LinkNews]) -> Any:
    while True:
        news = inbox.get(timeout=DEADLINE_S)
        seen.append(news)
        if isinstance(news, kind):
            return news


def _table_at_work(settings: LinkSettings, hub: Client) -> None:
    """Everything that a table does is allowed to it: no alarm, events arrive, documents come."""
    life = "ab" * 16
    inbox: queue.Queue[LinkNews] = queue.Queue()
    seen: list[LinkNews] = []
    assert hub.subscribe("maldonne/1/lyon/#")
    desired = m.Desired(epoch=1, rev=1, tournament="f", rulebook="standard", level=None, seats=())
    assert hub.may_publish(m.topics.desired(CLUB, "t1"), m.encode(desired), retain=True)
    with MqttLink(settings, life=life, boot=1, incoming=inbox) as link:
        link.set_status("ready")
        link.follow("f")
        link.set_alert(m.Alert(id="a", kind="other", text=m.Words(fr="", en=""), t=1.0, utc=UTC))
        link.request("floor", m.Request(tx="q", t=1.0, utc=UTC))
        _until(inbox, Connected, seen)
        assert _until(inbox, DesiredArrived, seen).desired == desired
        outbox = _Outbox(life, 50)
        assert hand_over(link, outbox) == 50
        event = m.topics.event(CLUB, "t1")
        hub.wait(lambda: len([t for t, _ in hub.got if t == event]) == 50, "fifty events")
        wanted = {
            m.topics.status(CLUB, "t1"),
            m.topics.alert(CLUB, "t1", "a"),
            m.topics.request(CLUB, "t1", "floor"),
        }
        hub.wait(lambda: wanted <= hub.topics(), "status, alert, request")
    hub.wait(lambda: b"disconnected" in dict(hub.got)[m.topics.status(CLUB, "t1")], "good-bye")
    while not inbox.empty():
        seen.append(inbox.get_nowait())
    assert [news for news in seen if isinstance(news, LinkAlarm)] == []


@needs_mosquitto
def test_a_table_with_its_account_does_all_its_work_within_its_rights(
    club: Broker, connect: Callable[..., Client]
) -> None:
    settings = LinkSettings(
        host=club.host, port=club.port, club=CLUB, table="t1", username="t1", password=USERS["t1"]
    )
    _table_at_work(settings, connect("hub"))


@needs_mosquitto
def test_a_table_that_writes_under_another_name_is_told_so(
    club: Broker, connect: Callable[..., Client]
) -> None:
    hub, inbox, seen = connect("hub"), queue.Queue[LinkNews](), list[LinkNews]()
    assert hub.subscribe(f"{T2}/#")
    settings = LinkSettings(
        host=club.host, port=club.port, club=CLUB, table="t2", username="t1", password=USERS["t1"]
    )
    with MqttLink(settings, life="ab" * 16, boot=1, incoming=inbox) as link:
        link.set_status("ready")
        alarm = _until(inbox, LinkAlarm, seen)
        while alarm.code != "mqtt_not_taken":
            alarm = _until(inbox, LinkAlarm, seen)
        assert "acl" in alarm.hint
    assert hub.may_publish(f"{T2}/command/identify")
    hub.wait(
        lambda: hub.topics() == {f"{T2}/command/identify"}, "the hub's own word and nothing of the table's"
    )


@needs_mosquitto
def test_a_wrong_password_is_told_and_tried_again(club: Broker) -> None:
    inbox, seen = queue.Queue[LinkNews](), list[LinkNews]()
    settings = LinkSettings(
        host=club.host,
        port=club.port,
        club=CLUB,
        table="t1",
        username="t1",
        password="wrong",
        retry_max_s=0.3,
    )
    with MqttLink(settings, life="ab" * 16, boot=1, incoming=inbox) as link:
        alarm = _until(inbox, LinkAlarm, seen)
        assert (alarm.code, alarm.where) == ("mqtt_refused", f"{club.host}:{club.port}")
        assert _until(inbox, Disconnected, seen)
        assert not link.health().connected


# ------------------------------------------------------------------ the deployed configuration


def _settings(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_the_deployed_configuration_keeps_what_ours_keeps_and_lets_nobody_in_unasked() -> None:
    deployed = _settings((ROOT / "deploy" / "mosquitto.conf").read_text(encoding="utf-8"))
    assert set(_settings(MOSQUITTO_SETTINGS)) <= set(deployed)
    assert {"allow_anonymous false", "listener 8883"} <= set(deployed)
    assert {"max_queued_messages 100000", "autosave_interval 1", "set_tcp_nodelay true"} <= set(deployed)


def _certificates(folder: Path) -> None:
    """A club's own authority and the broker's certificate, as the deployed configuration names them."""
    now = datetime.datetime.now(datetime.UTC)

    def made(name: str, issuer: str, key: Any, signer: Any, *, authority: bool) -> x509.Certificate:
        builder = x509.CertificateBuilder(
            issuer_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]),
            subject_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]),
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - datetime.timedelta(days=1),
            not_valid_after=now + datetime.timedelta(days=1),
        )

        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        )
        issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
        builder = builder.add_extension(issuer_key, critical=False)
        usage = x509.KeyUsage(True, False, False, False, False, authority, authority, False, False)
        return builder.add_extension(usage, critical=True).sign(signer, hashes.SHA256())

    authority, broker = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    pem = serialization.Encoding.PEM
    ca = made("club", "club", authority, authority, authority=True)
    own = made("broker", "club", broker, authority, authority=False)
    (folder / "ca.crt").write_bytes(ca.public_bytes(pem))
    (folder / "broker.crt").write_bytes(own.public_bytes(pem))
    (folder / "broker.key").write_bytes(
        broker.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


@pytest.fixture
def deployed(tmp_path: Path, closing: list[Any]) -> Iterator[tuple[Broker, int]]:
    """mosquitto on the very file of `deploy/`, with its paths and port moved; beside it a plain door for the test."""
    folder = tmp_path / "etc"
    folder.mkdir()
    with start_broker(kind="mosquitto", users=USERS) as prepared:
        (folder / "maldonne.passwd").write_bytes((prepared.directory / "passwords").read_bytes())
    (folder / "maldonne.acl").write_bytes((ROOT / "deploy" / "acl").read_bytes())
    _certificates(folder)
    running = Broker("mosquitto", tmp_path, _free(), None)
    port = _free()
    text = (ROOT / "deploy" / "mosquitto.conf").read_text(encoding="utf-8")
    text = text.replace("/etc/mosquitto/certs/", f"{folder}/").replace("/etc/mosquitto/", f"{folder}/")
    text = text.replace("/var/lib/mosquitto/", f"{tmp_path}/").replace(
        "listener 8883", f"listener {port} 127.0.0.1"
    )
    text = text.replace("log_dest syslog", "log_dest stderr")
    assert "/etc/" not in _settings(text.replace(str(folder), ""))
    (tmp_path / "mosquitto.conf").write_text(
        f"{text}\nuser root\nlistener {running.port} 127.0.0.1\n", encoding="utf-8"
    )
    with running:
        yield running, port


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@needs_mosquitto
def test_a_table_works_over_tls_on_the_deployed_configuration(
    deployed: tuple[Broker, int], tmp_path: Path, closing: list[Any]
) -> None:
    running, port = deployed
    hub = Client(running, "hub", "hub")
    closing.append(hub)
    settings = LinkSettings(
        host="127.0.0.1",
        port=port,
        club=CLUB,
        table="t1",
        username="t1",
        password=USERS["t1"],
        tls=TlsFiles(ca=tmp_path / "etc" / "ca.crt"),
    )
    _table_at_work(settings, hub)


@needs_mosquitto
def test_a_broker_with_another_authoritys_certificate_is_not_believed(
    deployed: tuple[Broker, int], tmp_path: Path
) -> None:
    _, port = deployed
    other = tmp_path / "other"
    other.mkdir()
    _certificates(other)
    inbox, seen = queue.Queue[LinkNews](), list[LinkNews]()
    settings = LinkSettings(
        host="127.0.0.1",
        port=port,
        club=CLUB,
        table="t1",
        tls=TlsFiles(ca=other / "ca.crt"),
        password="p",
        username="t1",
    )
    with MqttLink(settings, life="ab" * 16, boot=1, incoming=inbox):
        assert "certificate" in _until(inbox, Disconnected, seen).reason.lower()


def test_a_missing_certificate_is_named_before_anything_starts(tmp_path: Path) -> None:
    settings = LinkSettings(host="h", port=1, club=CLUB, table="t1", tls=TlsFiles(ca=tmp_path / "absent.crt"))
    with pytest.raises(LinkMisconfigured, match=r"absent\.crt"):
        MqttLink(settings, life="ab" * 16, boot=1, incoming=queue.Queue())


@needs_mosquitto
def test_a_payload_beyond_the_limit_goes_nowhere(connect: Callable[..., Client]) -> None:
    hub, table = connect("hub"), connect("t1")
    assert hub.subscribe(f"{T1}/state")
    for size in (m.MAX_BYTES, m.MAX_BYTES + 1):
        table.client.publish(f"{T1}/state", b"x" * size, 0)
    assert table.may_publish(f"{T1}/state", b"last")
    hub.wait(lambda: (f"{T1}/state", b"last") in hub.got, "the last one")
    assert [len(payload) for _, payload in hub.got] == [m.MAX_BYTES, 4]
