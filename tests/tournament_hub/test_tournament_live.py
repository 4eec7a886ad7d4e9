"""A tournament on a real broker: the whole hub, a table on the wire, a display that reads, a restart in the middle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from table_controller import messages as m
from table_controller.messages.tournament import Clock, Info, Standings
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place
from tournament_hub.room import Room

TOURNAMENT = """
[tournament.main]
rulebook = "ropta"
tables = ["t1"]
without_device = ["t2"]
seats = 6
starting_stack = 20000
levels = [{ minutes = 60, small_blind = 100, big_blind = 200 }]
"""


class Display:
    """Keeps the newest message of every topic of a tournament."""

    def __init__(self, port: int) -> None:
        self.seen: dict[str, bytes] = {}
        self._lock = threading.Lock()
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="display", protocol=mqtt.MQTTv5)
        client.on_connect = lambda c, *_: c.subscribe(m.topics.tournament("test", "main", "+"), 1)
        client.on_message = self._on_message
        client.connect("127.0.0.1", port, 20)
        client.loop_start()
        self.client: mqtt.Client | None = client

    def _on_message(self, client: mqtt.Client, userdata: Any, message: mqtt.MQTTMessage) -> None:
        with self._lock:
            self.seen[message.topic.rpartition("/")[2]] = bytes(message.payload)

    def read(self, part: str, form: Any) -> Any:
        with self._lock:
            payload = self.seen.get(part)
        return None if payload is None else m.decode(payload, form)

    def close(self) -> None:
        if self.client is not None:
            self.client.disconnect()
            self.client.loop_stop()
            self.client = None


@pytest.fixture
def displays(mosquitto: Any) -> Iterator[Callable[[], Display]]:
    made: list[Display] = []

    def make() -> Display:
        made.append(Display(mosquitto.port))
        return made[-1]

    yield make
    for display in made:
        display.close()


def say(hub: Hub, *events: ev.Event) -> None:
    def decide(room: Room, now: float) -> None:
        for event in events:
            room.tournaments["main"].say(event, "director", now, room.utc)

    hub.decide(decide).result(20)


def test_table_hub_and_display_play_one_tournament_over_a_restart(
    hubs: Callable, voices: Callable, displays: Callable, wait: Callable
) -> None:
    hub = hubs(TOURNAMENT)
    table, display = voices(), displays()
    table.say()
    table.beat()
    wait(lambda: table.desired and table.desired[-1].tournament == "main", "the table has its target")
    assert "not_started" in table.desired[-1].hold
    say(hub, *[ev.Registered(entry=f"e{n}") for n in range(1, 7)])
    places = {n: Place("t1" if n <= 4 else "t2", n) for n in range(1, 7)}
    say(hub, ev.Drawn(seats=tuple(ev.Seating(f"e{n}", place) for n, place in places.items())))
    say(hub, ev.ButtonSet(table="t1", button=2), ev.Passed(block="start", reason="test"), ev.Started())
    wait(lambda: table.desired[-1].hold == (), "the table may deal")
    assert [seat.stack for seat in table.desired[-1].seats] == [20000] * 4
    clock = wait(lambda: display.read("clock", Clock), "the clock is published")
    assert clock.level.big_blind == 200

    stream = table.stream
    stream.hand = 1
    seats = tuple(m.SeatStack(seat=n, entry=f"e{n}", stack=20000) for n in range(1, 5))
    level = m.Level(n=1, small_blind=100, big_blind=200)
    after = (*seats[1:3], m.SeatStack(seat=4, entry="e4", stack=40000))
    start = stream.event(m.HandStart(hand=1, level=level, button=2, sb=3, bb=4, seats=seats))
    end = stream.event(m.HandEnd(stacks=after, busts=(m.Bust(entry="e1", start_stack=20000),)))
    table.send(end, start, end, start)  # in a wrong order, and twice
    table.wait_acked()
    info = wait(
        lambda: (display.read("info", Info) or clock) if _alive(display) == 5 else None, "five are left"
    )
    assert info.entries == 6 and info.chips == 120000
    before = hub.decide(lambda room, now: room.tournaments["main"].state).result(20)
    epoch = table.desired[-1].epoch
    hub.close()

    again = hubs(TOURNAMENT)
    wait(lambda: table.desired[-1].epoch == epoch + 1, "the target is that of the new start")
    state = again.decide(lambda room, now: room.tournaments["main"].state).result(20)
    assert state.entries == before.entries and state.groups == before.groups
    table.send(end)  # once more, to the new hub
    say(again, ev.Busted(table="t2", entries=("e6",)))
    wait(lambda: _alive(display) == 4, "four are left")

    def places() -> dict[str, int | None]:
        return {row.entry: row.place for row in display.read("standings", Standings).rows if row.place}

    wait(lambda: places() == {"e6": 5, "e1": 6}, "the places follow")
    with pytest.raises(Refused, match="not sit"):
        say(again, ev.Busted(table="t2", entries=("e6",)))


def _alive(display: Display) -> int | None:
    info = display.read("info", Info)
    return None if info is None else int(info.alive)
