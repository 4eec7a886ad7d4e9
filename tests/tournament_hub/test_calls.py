"""Calls of the floor on the director's phone: from a table's request to its next act, and two directors at once."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.events import Acted, CardMoved, Claimed
from table_controller import messages as m
from table_controller.config import parse_config
from table_controller.table import Table
from tournament_hub.errors import ConfigError
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place, State
from tournament_hub.room import Room
from tournament_hub.web.calls_players import Players, Plays
from webkit.pairing import Role

UTC = "2024-05-01T20:00:00Z"
TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
tables = ["t1"]
without_device = ["2"]
seats = 6
starting_stack = 20000
levels = [{ minutes = 60, small_blind = 100, big_blind = 200 }]
"""
FORM = re.compile(r'<form[^>]* action="([^"]+)">(.*?)</form>', re.S)
FIELD = re.compile(r'<input type="hidden" name="([a-z_0-9]+)" value="([^"]*)"')


def buttons(page: str) -> list[tuple[str, dict[str, str], str]]:
    """Every button: where it goes, its hidden fields, its words."""
    return [
        (act, dict(FIELD.findall(body)), re.sub(r"<[^>]+>", "", body).strip())
        for act, body in FORM.findall(page)
    ]


def press(client: httpx.Client, page: str, act: str, words: str = "", **more: str) -> httpx.Response:
    """Press the first such button of a page."""
    for found, fields, said in buttons(page):
        if found.endswith(act) and words in said:
            return client.post(found, data=fields | more)
    raise AssertionError(f"no button {act} {words!r}: {buttons(page)}")


def state(hub: Hub) -> State:
    found: State = hub.decide(lambda room, now: room.tournaments["main"].state).result(20)
    return found


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """Eight players at two tables; it has started."""
    hub: Hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "set up")
    seats = tuple(
        ev.Seating(f"e{n}", Place("t1" if n <= 4 else "2", n if n <= 4 else n - 4)) for n in range(1, 9)
    )

    def begin(room: Room, now: float) -> None:
        for event in (
            *(ev.Registered(entry=f"e{n}", player=f"p{n}") for n in range(1, 9)),
            ev.Drawn(seats=seats),
            ev.ButtonSet(table="t1", button=1),
            ev.Passed(block="start", reason="test"),
            ev.Started(),
        ):
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(begin).result(20)
    return hub


@contextlib.contextmanager
def phone(hub: Hub, name: str = "Anne") -> Iterator[httpx.Client]:
    """A director's phone."""
    token = hub._pairing.invite(Role.DIRECTOR).token
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        client.post(f"/pair/{token}", data={"device": name})
        yield client


def ask(table: Any, call: str = "f1", kind: str = "floor", seat: int = 3) -> None:
    """People at the table call: the request, and the alert that stays."""
    request = m.Request(tx=f"tx{call}", t=1.0, utc=UTC, seat=seat, hand=5, call=call, by="page")
    table.publish(f"request/{kind}", m.encode(request))
    alert = m.Alert(
        id=call,
        kind="ruling",
        text=m.Words(fr="La table appelle l'arbitre", en="The table calls the floor"),
        t=1.0,
        utc=UTC,
        hand=5,
        seat=seat,
        rulebook="ropta",
    )
    table.publish(f"alert/{call}", m.encode(alert), retain=True)


@pytest.fixture
def called(evening: Hub, voices: Callable, wait: Callable) -> Any:
    """A table whose player in seat 3 disputes a ruling; the table's voice."""
    table = voices()
    table.say()
    table.beat()
    table.stream.hand = 5
    seats = tuple(m.SeatStack(seat=n, entry=f"e{n}", stack=20000) for n in range(1, 5))
    level = m.Level(n=1, small_blind=100, big_blind=200)
    table.send(
        table.stream.event(m.HandStart(hand=5, level=level, button=1, sb=2, bb=3, seats=seats)),
        table.stream.event(
            m.Ruling(
                ruling="hand_dead",
                incident="hand_touched_muck",
                rulebook="ropta",
                article="ROPTA muck",
                seats=(3,),
            )
        ),
    )
    table.wait_acked()
    ask(table)
    wait(lambda: [c for c in state(evening).calls.values() if c.origin == "f1"], "the call is open")
    wait(lambda: (t := evening.floor.tile("t1")) and t.alerts, "the alert is shown")
    return table


# -- by age, proposed, taken, ruled ------------------------------------------------------------


def test_call_shows_table_seat_age_and_the_ruling_on_record_with_its_article(
    called: Any, evening: Hub
) -> None:
    with phone(evening) as client:
        page = client.get("/").text
        part = page.partition('class="calls"')[2].partition('id="plan"')[0]
        for text in (
            "1 appel à l",
            "siège 3",
            "e3",
            "data-age=",
            "La décision tient",
            "ROPTA muck",
            "J'arrive",
        ):
            assert text.replace("'", "&#39;") in part or text in part, text
        english = client.get("/?lang=en").text
        assert "The ruling stands" in english and "As proposed" in english
    display = httpx.get(evening.url).text
    assert "siège 3" in display and "/calls/" not in display
    assert httpx.get(evening.url + "/calls/main/x").status_code == 403


def test_calls_stand_by_age_the_oldest_first(called: Any, evening: Hub, wait: Callable) -> None:
    with phone(evening) as client:
        made = client.post("/calls/new", data={"table": "2", "kind": "behaviour", "seat": "2"})
        assert made.status_code == 303 and made.headers["location"].startswith("/calls/main/")
        page = client.get("/").text
        assert page.index('id="call-t1-5-f1"') < page.index("conduite")
        assert "2 appels à l" in page
        assert client.post("/calls/new", data={"table": "2", "kind": "nothing"}).status_code == 400
        assert client.post("/calls/new", data={"table": "9", "kind": "clock"}).status_code == 409


def test_ruling_goes_to_the_table_and_stays_there_until_it_is_obeyed(
    called: Any, evening: Hub, wait: Callable
) -> None:
    with phone(evening) as client:
        assert press(client, client.get("/").text, "/come").status_code == 303
        assert "Anne arrive" in client.get("/").text
        assert press(client, client.get("/").text, "/rule", "Comme proposé").status_code == 303
        wait(lambda: called.desired[-1].decisions, "the table is told")
        decision = called.desired[-1].decisions[0]
        assert (decision.call, decision.choice, decision.by, decision.seats) == (
            "f1",
            "play_on",
            "Anne",
            (3,),
        )
        assert decision.note == "ROPTA muck"
        assert 'class="calls"' not in client.get("/").text
        assert "Appel tranché" in client.get("/").text
    called.publish("alert/f1", b"", retain=True)
    wait(lambda: called.desired[-1].decisions == (), "it is obeyed: it need not be said any more")


def test_slower_one_of_two_directors_is_told_and_changes_nothing(called: Any, evening: Hub) -> None:
    with phone(evening) as anne, phone(evening, "Bob") as bob:
        seen = bob.get("/").text
        assert press(anne, anne.get("/").text, "/come").status_code == 303
        late = press(bob, seen, "/come")
        assert late.status_code == 409 and "Quelqu" in late.text and "entre-temps" in late.text
        assert press(bob, seen, "/rule").status_code == 409
        call = state(evening).calls["t1-5-f1"]
        assert (call.state, call.rev) == ("acknowledged", 2)
        assert press(bob, bob.get("/").text, "/rule").status_code == 303
        assert state(evening).calls["t1-5-f1"].state == "closed"
        gone = press(anne, seen, "/rule")
        assert gone.status_code == 409


def test_ruling_in_own_words_with_amount_and_penalty_and_its_undo(
    called: Any, evening: Hub, wait: Callable
) -> None:
    with phone(evening) as client:
        sheet = client.get("/calls/main/t1-5-f1").text
        assert "La décision tient" in sheet and "Disqualification".casefold() in sheet
        rev = state(evening).calls["t1-5-f1"].rev
        address = "/calls/main/t1-5-f1/rule"
        assert "siège concerné" in client.post(address, data={"rev": rev, "code": "hand_dead"}).text
        missing = client.post(address, data={"rev": rev, "code": "amount_corrected", "s3": "on"})
        assert missing.status_code == 409 and "montant" in missing.text
        assert client.post(address, data={"rev": rev, "code": "nonsense"}).status_code == 400
        assert client.post(address, data={"rev": rev}).status_code == 409
        odd = client.post(address, data={"rev": rev, "code": "burn_assigned", "cards": "9h Zz"})
        assert odd.status_code == 409 and "9h" in odd.text
        ruled = client.post(
            address,
            data={
                "rev": rev,
                "cards": "10d A♠",
                "code": "amount_corrected",
                "text": "Il avait dit 600",
                "article": "TDA 45",
                "s3": "on",
                "amount": "600",
                "to_act": "4",
                "penalty": "orbit",
            },
        )
        assert ruled.status_code == 303
        wait(lambda: called.desired[-1].decisions, "the table is told")
        decision = called.desired[-1].decisions[0]
        assert (decision.choice, decision.amounts, decision.to_act) == ("amount_corrected", {"3": 600}, 4)
        assert decision.note == "Il avait dit 600; TDA 45" and decision.cards == ("Td", "As")
        assert state(evening).entries["e3"].penalty == 4
        page = client.get("/").text
        done = page.partition('class="done"')[2]
        assert "Appel tranché" in done
        ruling = next(
            f for a, f, _ in buttons(page) if a.endswith("/undo") and _before(page, f["n"], "Appel tranché")
        )
        assert client.post("/tournaments/main/undo", data=ruling).status_code == 303
        assert state(evening).entries["e3"].penalty == 0  # its effects are gone with it
        assert state(evening).calls["t1-5-f1"].state == "open"
        wait(lambda: called.desired[-1].decisions[0].undone, "the table learns that it is taken back")


def _before(page: str, n: str, words: str) -> bool:
    """Whether the line with this undo says these words."""
    return words in page[: page.index(f'name="n" value="{n}"')].rpartition("<li>")[2]


def test_director_notes_a_call_of_a_table_without_device_and_rules(evening: Hub) -> None:
    with phone(evening) as client:
        assert "/calls/new" in client.get("/tables/2").text
        made = client.post(
            "/calls/new", data={"table": "2", "kind": "pot_dispute", "seat": "1", "hold": "on"}
        )
        sheet = client.get(made.headers["location"]).text
        assert "pot contesté" in sheet and "e5" in sheet
        assert press(client, sheet, "/rule", "Réglé sur place").status_code == 303
        (call,) = state(evening).calls.values()
        assert (call.state, call.text) == ("closed", "Réglé sur place")


def test_table_without_tournament_is_answered_through_its_target_all_the_same(
    hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub, table = hubs(), voices()
    table.say()
    ask(table, "f7", seat=4)
    wait(lambda: (t := hub.floor.tile("t1")) and t.alerts, "the alert is shown")
    with phone(hub) as client:
        sheet = client.get("/calls/-/t1~f7").text
        answer = press(
            client, sheet, "/rule", "Rendre la décision", text="Le pot est partagé", code="pot_split"
        )
        assert answer.status_code == 303
        wait(lambda: table.desired and table.desired[-1].decisions, "the table is told")
        decision = table.desired[-1].decisions[0]
        assert (decision.call, decision.choice, decision.note) == ("f7", "pot_split", "Le pot est partagé")
        assert press(client, sheet, "/rule", "Réglé sur place").status_code == 409


# -- a director who plays -------------------------------------------------------------------------


def test_ruling_at_his_own_table_is_marked(called: Any, evening: Hub, wait: Callable) -> None:
    with phone(evening) as client:
        assert client.post("/me", data={"entry": "main/e2"}).status_code == 303
        assert "Vous jouez : table t1, siège 2" in client.get("/").text.replace("\u00a0", " ")
        sheet = client.get("/calls/main/t1-5-f1").text
        assert "Vous jouez à cette table" in sheet
        assert press(client, sheet, "/rule", "Comme proposé").status_code == 303
    wait(lambda: called.desired[-1].decisions, "the table is told")
    assert called.desired[-1].decisions[0].by == "Anne (joueur de la table)"


def test_ruling_at_his_own_table_is_left_to_another_director_if_there_is_one(
    called: Any, evening: Hub
) -> None:
    with phone(evening) as anne, phone(evening, "Bob"), phone(evening, "Chloé") as chloe:
        anne.post("/me", data={"entry": "main/e2"})
        chloe.post("/me", data={"entry": "main/e4"})  # plays at the same table: no deputy
        sheet = anne.get("/calls/main/t1-5-f1").text
        assert "Bob" in sheet and "Chloé" not in sheet
        first = press(anne, sheet, "/rule", "Comme proposé")
        assert first.status_code == 409 and "Bob" in first.text
        assert state(evening).calls["t1-5-f1"].state == "open"
        ((address, fields, _),) = buttons(first.text)
        assert anne.post(address, data=fields).status_code == 303
        assert state(evening).calls["t1-5-f1"].decision is not None


def test_player_who_directs_takes_his_seat_along_and_is_free_when_he_is_out(evening: Hub) -> None:
    with phone(evening) as client:
        client.post("/me", data={"entry": "main/e2"})
        hub_say(evening, ev.MovePlanned(move="m1", entry="e2", target=Place("2", 6)))
        hub_say(evening, ev.MoveLeft(move="m1", stack=20000), ev.MoveArrived(move="m1", counted=20000))
        assert "table 2, siège 6" in client.get("/me").text
        hub_say(evening, ev.Busted(table="2", entries=("e2",)))
        assert "Vous ne jouez plus" in client.get("/me").text
        client.post("/me", data={"entry": ""})
        assert "à aucun joueur" in client.get("/me").text


def hub_say(hub: Hub, *events: ev.Event) -> None:
    def decide(room: Room, now: float) -> None:
        for event in events:
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(decide).result(20)


def test_playing_director_sees_no_more_than_a_display(called: Any, evening: Hub) -> None:
    called.send(
        called.stream.event(m.Dealt(seat=2, n=2)), called.stream.event(m.Tabled(seat=3, cards=("As", "Kd")))
    )
    called.wait_acked()
    with phone(evening) as client:
        client.post("/me", data={"entry": "main/e2"})
        for address in ("/", "/tables/t1", "/hands/t1/5", "/calls/main/t1-5-f1"):
            mine, theirs = client.get(address), httpx.get(evening.url + address)
            faces = set(re.findall(r'<span class="face [shdc]">([^<]+)', mine.text))
            assert faces <= {"A♠", "K♦"}, address
            if theirs.status_code == 200:
                assert faces == set(re.findall(r'<span class="face [shdc]">([^<]+)', theirs.text)), address


def test_list_of_players_survives_a_restart_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    file = tmp_path / "players.json"
    Players(file).set("d1", Plays("main", "e2"))
    again = Players(file)
    assert again.of("d1") == Plays("main", "e2") and again.of("d2") is None
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    again.set("d1", None)
    assert Players(file).of("d1") is None
    file.write_text("[")
    with pytest.raises(ConfigError, match="say again who plays"):
        Players(file)


# -- with a real table ---------------------------------------------------------------------------------

TABLE = """
[game]
rulebook = "ropta"
betting = "amounts"
small_blind = 100
big_blind = 200
button = 1
seats = []
[page]
on = true
port = 0
[mqtt]
host = "127.0.0.1"
port = {port}
club = "test"
table = "t1"
"""


@pytest.fixture
def table(tmp_path: Path, mosquitto: Any) -> Iterator[Table]:
    """The real program of a table without any sensor, on the broker."""
    folder = tmp_path / "table"
    folder.mkdir()
    made = Table(parse_config(TABLE.format(port=mosquitto.port), "table.toml", folder))
    made.start(within=30.0)
    yield made
    made.close()
    made.check()


def picture(table: Table) -> Any:
    assert table.page is not None
    return table.page.picture


def tap(table: Table, deed: str, **fields: str) -> None:
    """A tap on the dealer's page."""
    assert table.page is not None
    fields.setdefault("turn", picture(table).turn)
    httpx.post(f"{table.page.url}/do/{deed}", data=fields, timeout=15)


def dealt(table: Table, wait: Callable) -> None:
    """A hand is dealt and the first player is to act."""
    wait(lambda: picture(table).desired.tournament == "main", "the table has its target")
    wait(lambda: not picture(table).desired.hold, "it may deal")
    tap(table, "next")
    wait(lambda: picture(table).state.phase == "dealing", "the hand has begun")
    for _ in range(2):
        for seat in (2, 3, 4, 1):
            table.submit(CardMoved(card=None, from_="deck", to=f"seat{seat}"), "page:test")
    wait(lambda: picture(table).state.phase == "preflop", "the cards are dealt")


def test_dispute_opened_on_the_dealers_page_is_answered_on_the_phone_and_the_table_goes_on(
    evening: Hub, table: Table, wait: Callable
) -> None:
    dealt(table, wait)
    tap(table, "floor")
    wait(lambda: picture(table).here.floor, "the floor is called")
    wait(lambda: picture(table).floor == "heard", "the dealer reads that the room has heard it")
    with phone(evening) as client:
        wait(lambda: "/come" in client.get("/").text, "the phone shows it")
        press(client, client.get("/").text, "/come")
        sheet = client.get("/").text
        address = re.search(r'class="choice" href="(/calls/[^"]+)"', sheet)
        assert address is not None
        answer = press(
            client, client.get(address[1]).text, "/rule", "Rendre la décision", text="La donne est bonne."
        )
        assert answer.status_code == 303
    wait(lambda: not picture(table).here.floor, "the table's call is closed by it")
    wait(lambda: not evening.floor.tile("t1").alerts, "the room's alert is gone")
    wait(lambda: all(call.obeyed for call in state(evening).calls.values()), "the ruling is obeyed")
    table.submit(Acted(seat=4, said="fold"), "page:test")
    wait(lambda: picture(table).state.seats[4].folded, "the hand goes on")


def test_engine_that_leaves_it_to_the_floor_goes_on_by_the_ruling_from_the_phone(
    evening: Hub, table: Table, wait: Callable
) -> None:
    dealt(table, wait)
    table.submit(Claimed(claim="hidden_chips", seat=2), "page:test")
    wait(lambda: picture(table).state.calls, "the engine calls the floor")
    with phone(evening) as client:
        wait(lambda: "/come" in client.get("/").text, "the phone shows it")
        page = client.get("/").text
        part = page.partition('class="calls"')[2].partition('id="plan"')[0]
        assert "ROPTA 9.23" in part  # the book's own article for it, though it leaves the choice to a person
        address = re.search(r'class="choice" href="(/calls/[^"]+)"', page)
        assert address is not None
        press(
            client,
            client.get(address[1]).text,
            "/rule",
            "Rendre la décision",
            code="hand_dead",
            s2="on",
            text="Caché",
        )
    wait(lambda: not picture(table).state.calls, "the engine's call is closed")
    wait(lambda: picture(table).state.seats[2].dead, "the hand of seat 2 is dead")
    wait(lambda: not evening.floor.tile("t1").alerts, "the room's alert is gone")
    assert picture(table).state.to_act == 4


def test_ruling_taken_back_on_the_phone_did_not_happen_at_the_table_either(
    evening: Hub, table: Table, wait: Callable
) -> None:
    dealt(table, wait)
    table.submit(Claimed(claim="hidden_chips", seat=2), "page:test")
    wait(lambda: picture(table).state.calls, "the engine calls the floor")
    with phone(evening) as client:
        wait(lambda: "/come" in client.get("/").text, "the phone shows it")
        sheet = client.get(_sheet(client)).text
        press(client, sheet, "/rule", "Rendre la décision", code="hand_dead", s2="on", penalty="warning")
        wait(lambda: picture(table).state.seats[2].dead, "the hand of seat 2 is dead")
        wait(
            lambda: all(call.obeyed for call in state(evening).calls.values()),
            "the room knows that it is obeyed",
        )
        assert state(evening).entries["e2"].warnings == 1
        assert "Appel tranché" in client.get("/").text
        page = client.get("/").text
        mine = next(
            f for a, f, _ in buttons(page) if a.endswith("/undo") and _before(page, f["n"], "Appel tranché")
        )
        assert client.post("/tournaments/main/undo", data=mine).status_code == 303
        assert state(evening).entries["e2"].warnings == 0
        wait(lambda: not picture(table).state.seats[2].dead, "it is alive again")
        assert picture(table).state.calls
        wait(lambda: 'class="calls"' in client.get("/").text, "the call is open again")
        press(client, client.get(_sheet(client)).text, "/rule", "Rendre la décision", code="play_on")
    wait(lambda: not picture(table).state.calls, "another ruling closes it")
    assert not picture(table).state.seats[2].dead and picture(table).state.to_act == 4


def _sheet(client: httpx.Client) -> str:
    found = re.search(r'class="choice" href="(/calls/[^"]+)"', client.get("/").text)
    assert found is not None
    return found[1]


def test_call_of_people_is_open_again_when_its_ruling_is_taken_back(
    evening: Hub, table: Table, wait: Callable
) -> None:
    dealt(table, wait)
    tap(table, "floor")
    wait(lambda: picture(table).here.floor, "the floor is called")
    name = picture(table).here.call
    with phone(evening) as client:
        wait(lambda: "/come" in client.get("/").text, "the phone shows it")
        press(client, client.get(_sheet(client)).text, "/rule", "Réglé sur place")
        wait(lambda: not picture(table).here.floor, "the call is closed")
        press(client, client.get("/").text, "/undo")
        wait(lambda: picture(table).here.call == name, "the same call is open again")
        press(client, client.get(_sheet(client)).text, "/rule", "Réglé sur place")
        wait(lambda: not picture(table).here.floor, "and closed again")
