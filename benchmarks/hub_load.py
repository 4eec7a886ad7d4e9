"""A hall of 1,000 tables at one hub: nothing lost, how late the floor page is, a backlog drained; beside the bare broker.

Every part is a process of its own, as in a club: mosquitto, `maldonne hub`, a screen on the floor page's live channel,
and the tables (their events come over a few connections, each event with its table's own numbers and chain). Times
are the machine's monotonic clock, which all processes share.

    python -m benchmarks.hub_load --tables 1000 --seconds 600 --backlog 200000

A table's event is late by the time from its publication to the moment at which the screen holds the tile that shows
it. The bare broker is measured in the same run: the same events, from the same sender, to one subscriber.
"""

from __future__ import annotations

import argparse
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from maldonne.broker import Broker, start_broker
from table_controller import messages as m

CLUB: Final = "bench"
UTC: Final = "2026-01-01T20:00:00Z"
CONNECTIONS: Final = 4
DEADLINE_S: Final = 900.0
LINE_DEADLINE_S: Final = 30.0
WINDOW: Final = 20
"""Events of one table that may be on their way without the hub's acknowledgement, as at a real table."""


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--backlog", type=int, default=200_000)
    options = parser.parse_args(arguments)
    print(
        f"{options.tables} tables, one event a second each, {options.seconds} s, 1 screen on the floor page"
    )
    with tempfile.TemporaryDirectory() as directory:
        lost = _steady(Path(directory), options.tables, options.seconds)
    if options.backlog:
        with tempfile.TemporaryDirectory() as directory:
            lost += _drain(Path(directory), options.tables, options.backlog)
    return 1 if lost else 0


class Tables:
    """The tables' side of the line: streams of events with their numbers and chains, over a few connections."""

    def __init__(self, port: int, count: int) -> None:
        self._names = [f"t{number}" for number in range(count)]
        self._lives = [f"{number + 1:032x}" for number in range(count)]
        self._chains = [m.GENESIS] * count
        self._seqs = [0] * count
        self.acked = [0] * count
        self.moved = threading.Event()
        self._clients = [self._connect(port, place) for place in range(CONNECTIONS)]

    def _connect(self, port: int, place: int) -> mqtt.Client:
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=f"tables-{place}", protocol=mqtt.MQTTv5)
        there = threading.Event()
        acks = f"{m.topics.root(CLUB)}/hub/ack/+" if place == 0 else f"{m.topics.root(CLUB)}/hub/nothing"
        client.on_connect = lambda client, *_: client.subscribe(acks, 1)
        client.on_subscribe = lambda *_: there.set()
        client.on_message = self._on_ack
        client.max_inflight_messages_set(2000)
        client.on_socket_open = lambda client, data, line: line.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )
        client.connect("127.0.0.1", port)
        client.loop_start()
        if not there.wait(LINE_DEADLINE_S):
            raise TimeoutError(
                "the tables' line: no answer of the broker; is port 1883 of this machine held back?"
            )
        return client

    def _on_ack(self, client: mqtt.Client, userdata: object, message: mqtt.MQTTMessage) -> None:
        ack = m.decode(message.payload, m.HubAck)
        table = int(ack.life, 16) - 1
        self.acked[table] = max(self.acked[table], ack.upto_seq)
        self.moved.set()

    def make(self, table: int) -> bytes:
        """The next event of a table: a hand begins, ten seats."""
        self._seqs[table] += 1
        seq = self._seqs[table]
        body = m.HandStart(
            hand=seq,
            level=m.Level(n=1, small_blind=100, big_blind=200),
            button=1,
            sb=2,
            bb=3,
            seats=tuple(
                m.SeatStack(seat=seat, entry=f"e{table}-{seat}", stack=20000) for seat in range(1, 11)
            ),
        )
        event = m.Event(
            life=self._lives[table],
            boot=1,
            seq=seq,
            hand=seq,
            t=float(seq),
            utc=UTC,
            body=body,
            prev=self._chains[table],
            amends=None,
        )
        payload = m.encode_event(event)
        self._chains[table] = m.chain_hash(self._chains[table], payload)
        return payload

    def send(self, table: int, payload: bytes) -> None:
        """Publish an event at quality 1."""
        client = self._clients[table % CONNECTIONS]
        client.publish(m.topics.event(CLUB, self._names[table]), payload, 1)

    def head(self, table: int) -> int:
        """How many events a table has made."""
        return self._seqs[table]

    def close(self) -> None:
        """Leave."""
        for client in self._clients:
            client.disconnect()
            client.loop_stop()


def _steady(directory: Path, count: int, seconds: int) -> int:
    with start_broker() as broker:
        bare = _with_bare_broker(broker, count, min(seconds, 60))
    with start_broker() as broker, _Hub(directory, broker.port) as hub:
        tables = Tables(broker.port, count)
        screen = _Screen(hub.port)
        try:
            sent = _play(tables, count, seconds)
            _wait(lambda: sum(tables.acked) >= count * seconds, "the hub has acknowledged every event")
            _wait(lambda: screen.shown(count, seconds), "the screen shows the last event of every table")
            late = sorted(seen - sent[key] for key, seen in screen.seen.items() if key in sent)
        finally:
            screen.close()
            tables.close()
        cpu = hub.cpu_s()
    kept = _stored(directory)
    total = count * seconds
    print(f"events sent {total}, in the hub's record {kept}, lost {total - kept}")
    print(f"shown one by one {len(late)} (the others were overtaken by the table's next event)")
    print(f"to the floor page: {_percentiles(late)}")
    print(f"to a bare subscriber of the broker: {_percentiles(bare)}")
    print(f"p99 against the bare broker: {_at(late, 0.99) / max(_at(bare, 0.99), 1e-9):.1f} times")
    print(f"hub: {cpu / seconds * 100:.0f} % of one core")
    return total - kept


def _with_bare_broker(broker: Broker, count: int, seconds: int) -> list[float]:
    """How late the same events are at a subscriber that does nothing with them."""
    command = [sys.executable, "-m", "benchmarks.hub_load_listener", str(broker.port), CLUB]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        output = _out(listener)
        output.readline()
        heard: list[str] = []
        reader = threading.Thread(target=lambda: heard.extend(iter(output.readline, "")), daemon=True)
        reader.start()
        tables = Tables(broker.port, count)
        sent = _play(tables, count, seconds)
        _wait(lambda: len(heard) >= count * seconds, "the bare subscriber has every event")
        tables.close()
        listener.terminate()
        reader.join(LINE_DEADLINE_S)
    late = []
    for line in heard:
        name, seq, when = line.split()
        late.append(float(when) - sent[int(name), int(seq)])
    return sorted(late)


def _play(tables: Tables, count: int, seconds: int) -> dict[tuple[int, int], float]:
    """One event a second from every table, spread over the second; when each was published."""
    sent: dict[tuple[int, int], float] = {}
    pause = threading.Event()
    begin = time.monotonic() + 0.5
    for second in range(seconds):
        for table in range(count):
            due = begin + second + table / count
            early = due - time.monotonic()
            if early > 0.002:
                pause.wait(early)
            payload = tables.make(table)
            sent[table, second + 1] = time.monotonic()
            tables.send(table, payload)
    return sent


def _drain(directory: Path, count: int, backlog: int) -> int:
    """Every table has an outbox full: how long until the hub has it all."""
    each = backlog // count
    with start_broker() as broker, _Hub(directory, broker.port) as hub:
        tables = Tables(broker.port, count)
        screen = _Screen(hub.port)
        try:
            begin = time.monotonic()
            left = set(range(count))
            while left:
                if time.monotonic() > begin + DEADLINE_S:
                    raise TimeoutError(f"{len(left)} tables still have events after {DEADLINE_S:.0f} s")
                idle = True
                for table in tuple(left):
                    while tables.head(table) < each and tables.head(table) - tables.acked[table] < WINDOW:
                        tables.send(table, tables.make(table))
                        idle = False
                    if tables.acked[table] >= each:
                        left.discard(table)
                if idle:
                    tables.moved.wait(1.0)
                    tables.moved.clear()
            took = time.monotonic() - begin
        finally:
            screen.close()
            tables.close()
    kept = _stored(directory)
    total = each * count
    print(f"backlog of {total} events: drained in {took:.1f} s ({total / took:.0f}/s), lost {total - kept}")
    return total - kept


class _Hub:
    """`maldonne hub` as a process."""

    def __init__(self, directory: Path, broker: int) -> None:
        self._config = directory / "hub.toml"
        self._config.write_text(
            f'[club]\nid = "{CLUB}"\ndata = "data"\n[broker]\nport = {broker}\n[web]\nport = 0\n',
            encoding="utf-8",
        )
        self.port = 0

    def __enter__(self) -> _Hub:
        command = [sys.executable, "-m", "maldonne", "hub", "--config", str(self._config)]
        self._log = self._config.with_name("hub.log").open("wb")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        for line in _out(self._process):
            if line.startswith("hub: "):
                self.port = int(line.strip().rsplit(":", 1)[1])
                break
        # Whatever the hub goes on to print is taken off its hands, as a terminal would.
        self._reader = threading.Thread(target=_out(self._process).read, daemon=True)
        self._reader.start()
        return self

    def cpu_s(self) -> float:
        """Processor seconds that it has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(LINE_DEADLINE_S)
        self._reader.join(LINE_DEADLINE_S)
        _out(self._process).close()
        self._log.close()


class _Screen:
    """A screen on the floor page's live channel, in a process of its own."""

    def __init__(self, port: int) -> None:
        command = [sys.executable, "-m", "benchmarks.hub_load_screen", str(port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.seen: dict[tuple[int, int], float] = {}
        self._last: dict[int, int] = {}
        _out(self._process).readline()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in _out(self._process):
            table, hand, when = line.split()
            self.seen.setdefault((int(table), int(hand)), float(when))
            self._last[int(table)] = int(hand)

    def shown(self, count: int, hand: int) -> bool:
        """Whether every table's tile has come to this hand."""
        return sum(last >= hand for last in tuple(self._last.values())) >= count

    def close(self) -> None:
        """Turn it off."""
        self._process.terminate()
        self._process.wait(LINE_DEADLINE_S)
        self._reader.join(LINE_DEADLINE_S)
        _out(self._process).close()


def _out(process: subprocess.Popen[str]) -> IO[str]:
    if process.stdout is None:
        raise TypeError("the process was started without a pipe")
    return process.stdout


def _stored(directory: Path) -> int:
    with sqlite3.connect(directory / "data" / "hub.sqlite3") as store:
        (count,) = store.execute("SELECT count(*) FROM events").fetchone()
    return int(count)


def _wait(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {DEADLINE_S:.0f} s: {what}")
        pause.wait(0.05)


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _percentiles(ordered: list[float]) -> str:
    return ", ".join(
        f"{name} {_at(ordered, share) * 1000:.0f} ms"
        for name, share in (("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("worst", 1.0))
    )


if __name__ == "__main__":
    sys.exit(main())
