"""What was declared and what was counted reaches the director's phone with the call, and goes back with his decision."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.events import FloorDecided
from table_controller import messages as m
from tests.table_controller.test_running import called_floor
from tests.tournament_hub.test_calls import buttons, phone, press, state
from tests.tournament_hub.test_calls import called as called
from tests.tournament_hub.test_calls import evening as evening
from tests.tournament_hub.test_directing import CLUB, CONFIG, Room3
from tournament_hub.config import parse_config
from tournament_hub.effects import Inbound
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Call

UTC = "2024-05-01T20:00:00Z"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    hall.begin()
    yield hall
    hall.store.close()


def ask(hall: Room3, kind: str = "count_dispute", tx: str = "r1", **fields: Any) -> None:
    request = m.Request(tx=tx, t=1.0, utc=UTC, hand=1, **fields)
    with hall.store.transaction():
        hall.room.feed(Inbound(m.topics.request(CLUB, "t1", kind), m.encode(request)), hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    hall.sent = hall.room.take()


def alert(hall: Room3, ident: str, kind: str = "count", seat: int | None = 2) -> None:
    shown = m.Alert(
        id=ident,
        kind=kind,
        text=m.Words(fr="?", en="?"),
        t=1.0,
        utc=UTC,
        hand=1,
        seat=seat,  # type: ignore[arg-type]
    )
    with hall.store.transaction():
        hall.room.feed(
            Inbound(m.topics.alert(CLUB, "t1", ident), m.encode(shown), retain=True), hall.now, hall.utc
        )
    hall.sent = hall.room.take()


def numbers(hall: Room3) -> tuple[int | None, int | None]:
    (call,) = hall.tournament.state.calls.values()
    return call.declared, call.counted


def start(hall: Room3) -> None:
    """A hand runs at the first table."""
    table = hall.tournament.state.tables["t1"]
    seats = tuple(
        m.SeatStack(seat=seat, entry=entry, stack=1000) for seat, entry in sorted(table.seats.items())
    )
    order = [seat.seat for seat in seats]
    level = m.Level(n=1, small_blind=50, big_blind=100)
    hall.voices["t1"].hand = 1
    hall.tell("t1", m.HandStart(hand=1, level=level, button=order[0], sb=order[1], bb=order[-1], seats=seats))


def test_a_request_brings_its_numbers_also_after_the_alert_of_the_same_call(hall: Room3) -> None:
    alert(hall, "f1")
    assert numbers(hall) == (None, None)
    ask(hall, call="f1", seat=2, declared=600, counted=650)
    assert numbers(hall) == (600, 650)
    count = len(hall.tournament.log)
    ask(hall, tx="r2", call="f1", seat=2, declared=600, counted=650)  # said again: nothing new
    assert len(hall.tournament.log) == count


def test_a_request_alone_is_a_call_with_its_numbers(hall: Room3) -> None:
    ask(hall, "pot_dispute", counted=1250)
    assert numbers(hall) == (None, 1250)
    hall.restart()
    hall.pass_time()
    assert numbers(hall) == (None, 1250)


@pytest.mark.parametrize("first", ["count", "call"])
def test_the_tables_own_count_of_the_hand_belongs_to_the_call_whichever_comes_first(
    hall: Room3, first: str
) -> None:
    start(hall)
    seat = min(hall.tournament.state.tables["t1"].seats)
    if first == "call":
        alert(hall, "f1", "ruling", seat)
    hall.tell("t1", m.Counted(seat=seat, declared=1000, counted=900, by="Anne"))
    if first == "count":
        alert(hall, "f1", "ruling", seat)
    assert numbers(hall) == (1000, 900)


def test_another_seats_count_another_hand_or_another_kind_is_none_of_its_business(hall: Room3) -> None:
    start(hall)
    one, other = sorted(hall.tournament.state.tables["t1"].seats)[:2]
    hall.tell("t1", m.Counted(seat=one, declared=1000, counted=900, by="Anne"))
    alert(hall, "f1", "count", other)
    assert numbers(hall) == (None, None)
    alert(hall, "f2", "medical", one)
    hall.tell("t1", m.Counted(seat=one, declared=900, counted=900, by="Anne"))  # as declared: no dispute
    assert all((c.declared, c.counted) == (None, None) for c in hall.tournament.state.calls.values())


# -- on the director's phone ------------------------------------------------------------------


def dispute(called: Any, evening: Hub, wait: Any, kind: str = "count_dispute", **fields: Any) -> Call:
    request = m.Request(tx="tx9", t=1.0, utc=UTC, hand=5, call="f9", by="page", **fields)
    called.publish(f"request/{kind}", m.encode(request))
    return wait(lambda: state(evening).calls.get("t1-5-f9"), "the dispute is open")  # type: ignore[no-any-return]


def test_the_phone_shows_both_and_one_tap_lets_the_count_stand(called: Any, evening: Hub, wait: Any) -> None:
    dispute(called, evening, wait, seat=3, declared=6000, counted=6500)
    with phone(evening) as client:
        assert "Annoncé 6\u202f000, compté 6\u202f500" in client.get("/").text
        assert "Declared 6,000, counted 6,500" in client.get("/?lang=en").text
        sheet = client.get("/calls/main/t1-5-f9?lang=fr").text
        words = [unescape(said) for _, fields, said in buttons(sheet) if "stands" in fields]
        assert words == ["Le compte vaut : 6\u202f500", "L'annonce vaut : 6\u202f000"]
        assert press(client, sheet, "/rule", "compte vaut").status_code == 303
    wait(lambda: called.desired[-1].decisions, "the table is told")
    decision = called.desired[-1].decisions[0]
    assert (decision.call, decision.choice, decision.amounts, decision.seats) == (
        "f9",
        "play_on",
        {"3": 6500},
        (3,),
    )
    assert decision.note == "Siège 3 : 6\u202f500 jetons"
    assert state(evening).calls["t1-5-f9"].state == "closed"
    assert state(evening).entries["e3"].stack == 20000  # a table with a device tells its own stacks


def test_a_disputed_pot_goes_back_as_the_pot(called: Any, evening: Hub, wait: Any) -> None:
    dispute(called, evening, wait, "pot_dispute", declared=1200, counted=1250)
    with phone(evening) as client:
        sheet = client.get("/calls/main/t1-5-f9?lang=en").text
        assert press(client, sheet, "/rule", "declaration stands").status_code == 303
    wait(lambda: called.desired[-1].decisions, "the table is told")
    assert called.desired[-1].decisions[0].amounts == {"pot": 1200}


def test_a_ruled_count_at_a_table_without_a_device_is_the_stack_and_its_undo_takes_it_back(
    evening: Hub,
) -> None:
    with phone(evening) as client:
        made = client.post("/calls/new", data={"table": "2", "kind": "count", "seat": "2"})
        address = made.headers["location"]
        data = {"rev": "1", "code": "play_on", "text": "recompté", "s2": "on", "amount": "18500"}
        assert client.post(f"{address}/rule", data=data).status_code == 303
        assert state(evening).entries["e6"].stack == 18500
        number = evening.decide(
            lambda room, now: next(
                r.n for r in reversed(room.tournaments["main"].log) if isinstance(r.event, ev.CallAnswered)
            )
        ).result(20)
        assert client.post("/tournaments/main/undo", data={"n": str(number)}).status_code == 303
        assert state(evening).entries["e6"].stack == 20000


def test_a_table_that_plays_in_no_tournament_has_its_numbers_on_the_phone_too(
    hubs: Any, voices: Any, wait: Any
) -> None:
    hub: Hub = hubs()
    table = voices()
    table.say()
    table.beat()
    request = m.Request(tx="tx1", t=1.0, utc=UTC, call="f1", seat=4, declared=600, counted=650, by="page")
    table.publish("request/count_dispute", m.encode(request))
    shown = m.Alert(
        id="f1", kind="count", text=m.Words(fr="?", en="?"), t=1.0, utc=UTC, seat=4, rulebook="ropta"
    )
    table.publish("alert/f1", m.encode(shown), retain=True)
    wait(lambda: (tile := hub.floor.tile("t1")) and tile.alerts, "the alert is shown")
    with phone(hub) as client:
        assert "Annoncé 600, compté 650" in client.get("/").text
        assert press(client, client.get("/calls/-/t1~f1").text, "/rule", "compte vaut").status_code == 303
    wait(lambda: table.desired[-1].decisions, "the table is told")
    assert table.desired[-1].decisions[0].amounts == {"4": 650}
    table.publish("alert/f1", b"", retain=True)
    wait(lambda: (tile := hub.floor.tile("t1")) and tile.numbers == (), "it is over")


@pytest.mark.parametrize("amounts", [{"3": 6500}, {"pot": 1200}])
def test_a_real_table_closes_its_call_with_the_numbers_and_no_bet_of_its_hand_changes(
    amounts: dict[str, int],
) -> None:
    rig = called_floor()
    (call, *_) = [call.event for call in rig.state.calls]
    bets = {number: (seat.bet, seat.stack) for number, seat in rig.state.seats.items()}
    decision = m.Decision(
        call=f"c{call}", choice="play_on", by="Anne", amounts=amounts, note="Pot : 1 200 jetons"
    )
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, decisions=(decision,)))
    rig.collect()
    (told,) = rig.of(FloorDecided)
    assert (told.amounts, told.note) == (amounts, "Pot : 1 200 jetons")
    assert call not in {held.event for held in rig.state.calls}
    assert {number: (seat.bet, seat.stack) for number, seat in rig.state.seats.items()} == bets
