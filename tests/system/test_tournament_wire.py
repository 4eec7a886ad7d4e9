"""The tournament room and a table that has nothing but its page, joined by a real broker: calls, rulings, hand-for-hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from maldonne.broker import Broker, find_mosquitto, start_broker
from table_controller.config import parse_config
from table_controller.table import Table
from tournament_hub.config import parse_config as parse_hub
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.hand_for_hand import blocks
from tournament_hub.logic.state import Place, State
from tournament_hub.room import Room

pytestmark = pytest.mark.system
CLUB = "lyon"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    if find_mosquitto() is None:
        pytest.skip("mosquitto is not installed (make system-packages)")
    with start_broker(kind="mosquitto", directory=tmp_path / "broker") as made:
        yield made


@pytest.fixture
def hub(tmp_path: Path, broker: Broker) -> Iterator[Hub]:
    text = f"""
[club]
id = "{CLUB}"
data = "data"
[broker]
port = {broker.port}
[web]
port = 0
[tournament.main]
rulebook = "tda2024"
tables = ["t1"]
without_device = ["t2"]
seats = 3
levels = [{{ minutes = 60, small_blind = 100, big_blind = 200 }}]
"""
    made = Hub(parse_hub(text, "hub.toml", tmp_path))
    made.start()
    yield made
    made.close()


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Table]:
    text = f"""
[game]
rulebook = "tda2024"
seats = []
[files]
journal = "journal.db"
[page]
on = true
port = 0
[mqtt]
host = "127.0.0.1"
port = {broker.port}
club = "{CLUB}"
table = "t1"
"""
    made = Table(parse_config(text, "table.toml", tmp_path))
    made.start()
    yield made
    made.close()
    made.check()


def tap(table: Table, deed: str) -> None:
    """Somebody taps the table's page."""
    assert table.page is not None
    fields = {"turn": table.page.picture.turn}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    request = Request(f"{table.page.url}/do/{deed}", data=urlencode(fields).encode(), headers=headers)
    with urlopen(request, timeout=10) as answer:
        answer.read()


def desired(table: Table) -> Any:
    assert table.page is not None
    return table.page.picture.desired


def state(hub: Hub) -> State:
    return hub.decide(lambda room, now: room.tournaments["main"].state).result(20)


def say(hub: Hub, *events: ev.Event) -> None:
    def decide(room: Room, now: float) -> None:
        room.tournaments["main"].say_all(events, "Mme Leroy", now, room.utc)

    hub.decide(decide).result(20)


def begin(hub: Hub, table: Table, wait_until: Callable[..., None]) -> None:
    """Three players at the table with a page, three at the one without anything."""
    say(hub, *[ev.Registered(entry=f"e{n}") for n in range(1, 7)])
    seats = tuple(ev.Seating(f"e{n}", Place("t1" if n < 4 else "t2", n)) for n in range(1, 4)) + tuple(
        ev.Seating(f"e{n}", Place("t2", n - 3)) for n in range(4, 7)
    )
    say(hub, ev.Drawn(seats=seats, how="director"), ev.ButtonSet(table="t1", button=1), ev.Started())
    wait_until(lambda: desired(table).tournament == "main" and not desired(table).hold, "the table may deal")


def test_a_call_at_the_table_is_ruled_on_the_floor_and_closed_at_both_ends(
    hub: Hub, table: Table, wait_until: Callable[..., None]
) -> None:
    begin(hub, table, wait_until)
    tap(table, "next")
    tap(table, "floor")
    wait_until(lambda: bool(state(hub).calls), "the call is on the floor")
    wait_until(lambda: "call" in desired(table).hold, "and the table deals no further hand")
    (call,) = state(hub).calls.values()
    assert call.table == "t1" and call.origin.startswith("f") and call.state == "open"
    entry = state(hub).tables["t1"].seats[1]

    def rule(room: Room, now: float) -> int:
        effects = (ev.PenaltySet(entry=entry, hands=3, offence="abuse"),)
        return room.tournaments["main"].calls.answer_call(
            call.id, call.rev, "Mme Leroy", now, room.utc, text="un tour", article="TDA 71", effects=effects
        )

    assert hub.decide(rule).result(20) == 2
    wait_until(lambda: state(hub).calls[call.id].obeyed, "the table has closed its call too")
    wait_until(lambda: desired(table).decisions == () and not desired(table).hold, "nothing is left of it")
    assert {seat.entry: seat.penalty for seat in desired(table).seats}[entry] == 3


def test_hand_for_hand_waits_for_the_tables_own_word_and_gives_one_hand_a_round(
    hub: Hub, table: Table, wait_until: Callable[..., None]
) -> None:
    begin(hub, table, wait_until)
    tap(table, "next")
    wait_until(lambda: state(hub).tables["t1"].running, "the hand has begun")
    say(hub, ev.HandForHandAnnounced())
    wait_until(lambda: "hand_for_hand" in desired(table).hold, "the table has heard of it")
    held = state(hub).hand_for_hand
    assert held is not None and "t1" not in held.parked  # it plays its hand
    tap(table, "next")  # the dealer would like to go on: the hand ends, no other begins
    wait_until(lambda: "t1" in state(hub).hand_for_hand.parked, "the table says that it waits")  # type: ignore[union-attr]
    assert table.running.state.hand == 1
    say(hub, *[ev.HandDone(table=name) for name in ("t2",) if name not in state(hub).hand_for_hand.parked])  # type: ignore[union-attr]
    for number in (1, 2):
        wait_until(lambda: not blocks(state(hub)), "nothing stands against the round")
        say(hub, ev.RoundReleased(round=number))
        gate = state(hub).last_gate
        wait_until(lambda gate=gate: desired(table).gate == gate, "the gate is open")
        tap(table, "next")
        wait_until(lambda number=number: state(hub).tables["t1"].hand == 1 + number, "the hand of the round")
        tap(table, "next")
        wait_until(lambda: "t1" in state(hub).hand_for_hand.parked, "is over, and no other begins")  # type: ignore[union-attr]
        tap(table, "next")
        assert table.running.state.hand == 1 + number
        say(hub, ev.HandDone(table="t2"))
    assert not state(hub).discrepancies
