"""A table's own page: what anybody sees who walks round, and a director's two taps at a table without any device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from table_controller import messages as m
from tests.tournament_hub.phone import phone
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place, State
from tournament_hub.room import Room
from tournament_hub.store_people import Person, save_person

UTC = "2024-05-01T20:00:00Z"
TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
tables = ["t1"]
without_device = ["2", "3"]
seats = 6
starting_stack = 20000
levels = [{ minutes = 20, small_blind = 100, big_blind = 200 }]
"""
FORM = re.compile(r'<form[^>]* action="([^"]+)">(.*?)</form>', re.S)
FIELD = re.compile(r'name="([a-z_]+)" value="([^"]*)"')


def buttons(page: str) -> list[tuple[str, dict[str, str], str]]:
    """Every button: where it goes, its fields, its words."""
    return [
        (act, dict(FIELD.findall(body)), re.sub(r"<[^>]+>", "", body).strip())
        for act, body in FORM.findall(page)
    ]


def press(client: httpx.Client, page: str, act: str, words: str = "") -> httpx.Response:
    """Press the first such button of a page."""
    for found, fields, said in buttons(page):
        if found.endswith(act) and words in said:
            return client.post(found, data=fields)
    raise AssertionError(f"no button {act} {words!r}: {buttons(page)}")


def say(hub: Hub, *events: ev.Event) -> None:
    def decide(room: Room, now: float) -> None:
        for event in events:
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(decide).result(20)


def state(hub: Hub) -> State:
    found: State = hub.decide(lambda room, now: room.tournaments["main"].state).result(20)
    return found


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """Twelve players at three tables, two of which nobody but the director's phone knows of; it has started."""
    hub: Hub = hubs(TOURNAMENT)
    wait(
        lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 3, "tables are set up"
    )
    say(hub, *[ev.Registered(entry=f"e{n}", player=f"p{n}") for n in range(1, 14)])
    seats = [ev.Seating(f"e{n}", Place("t1" if n <= 4 else "2" if n <= 8 else "3", n)) for n in range(1, 5)]
    seats += [ev.Seating(f"e{n}", Place("2", n - 4)) for n in range(5, 9)]
    seats += [ev.Seating(f"e{n}", Place("3", n - 8)) for n in range(9, 13)]
    say(
        hub,
        ev.Drawn(seats=tuple(seats)),
        ev.ButtonSet(table="t1", button=1),
        ev.Passed(block="start", reason="test"),
        ev.Started(),
    )
    return hub


# -- without any device ---------------------------------------------------------------------


def test_player_is_out_in_two_taps_from_the_floor_page_and_back_in_one(evening: Hub) -> None:
    with phone(evening) as client:
        floor = client.get("/").text
        assert "/tables/2?seat=3#seat" in floor  # first tap: his seat, on the floor page itself
        sheet = client.get("/tables/2?seat=3").text
        answer = press(client, sheet, "/tables/2/out", "Sorti")  # second tap
        assert answer.status_code == 303 and answer.headers["location"] == "/tables/2"
        assert state(evening).entries["e7"].where == "out"
        floor = client.get("/").text
        assert "e7" in floor.partition('class="done"')[2]  # the undo stands on the floor page
        assert press(client, floor, "/tournaments/main/undo").status_code == 303
        back = state(evening).entries["e7"]
        assert back.where == "seated" and back.place == Place("2", 3)


@pytest.mark.parametrize(("table", "seat", "entry"), [("t1", 2, "e2"), ("2", 1, "e5"), ("3", 4, "e12")])
def test_two_taps_are_enough_at_every_table(evening: Hub, table: str, seat: int, entry: str) -> None:
    with phone(evening) as client:
        press(client, client.get(f"/tables/{table}?seat={seat}").text, "/out", "Sorti")
        assert state(evening).entries[entry].where == "out"


def test_two_of_one_hand_are_one_elimination_and_are_asked_for_their_order(evening: Hub) -> None:
    with phone(evening) as client:
        press(client, client.get("/tables/2?seat=1").text, "/out", "Sorti")
        sheet = client.get("/tables/2?seat=2").text
        press(client, sheet, "/out", "même main que e5")
        groups = state(evening).groups
        assert [sorted(bust.entry for bust in group.busts) for group in groups] == [["e5", "e6"]]
        floor = client.get("/").text
        assert "e5" in floor.partition('class="proposal question"')[2]
        press(client, floor, "/undo")
        assert [state(evening).entries[name].where for name in ("e5", "e6")] == ["seated", "seated"]


def test_wrong_bust_many_decisions_ago_is_undone_in_three_taps(evening: Hub) -> None:
    say(evening, ev.Busted(table="2", entries=("e7",)))
    for turn in range(6):
        say(evening, ev.Presence(entry="e9", absent=turn % 2 == 0))
    with phone(evening) as client:
        floor = client.get("/").text
        assert "e7" not in floor.partition('class="done"')[2].partition("</ol>")[0]
        assert '"/tournaments/main/decisions"' in floor  # first tap
        page = client.get("/tournaments/main/decisions").text
        line = next(part for part in page.split("<li>") if "e7" in part)
        assert press(client, line, "/undo", "Annuler").status_code == 303  # second tap
        assert state(evening).entries["e7"].place == Place("2", 3)
        assert client.get("/tournaments/other/decisions").status_code == 404


def test_old_picture_of_a_seat_changes_nothing_and_says_so(evening: Hub) -> None:
    with phone(evening) as client:
        sheet = client.get("/tables/2?seat=1").text
        press(client, sheet, "/out", "Sorti")
        again = press(client, sheet, "/out", "Sorti")
        assert again.status_code == 409 and "plus à cette table" in again.text
        english = client.post("/tables/2/out?lang=en", data={"entry": "e5"})
        assert "not at this table any more" in english.text
        assert len(state(evening).groups) == 1


def test_who_waits_is_seated_from_the_free_seat(evening: Hub) -> None:
    with phone(evening) as client:
        sheet = client.get("/tables/3?seat=6").text
        assert "Qui s" in sheet
        assert press(client, sheet, "/seat", "e13").status_code == 303
        assert state(evening).entries["e13"].place == Place("3", 6)
        assert "Personne n" in client.get("/tables/3?seat=5").text


def test_floor_page_says_how_the_tournament_stands(evening: Hub, voices: Callable, wait: Callable) -> None:
    table = voices()
    table.beat()
    wait(lambda: (t := evening.floor.tile("t1")) and t.heard_at is not None, "the table is heard")
    say(evening, *[ev.Busted(table="3", entries=(f"e{n}",)) for n in (9, 10)])
    page = httpx.get(evening.url).text
    stand = page.partition('<dl class="stand">')[2].partition("</dl>")[0]
    for text in ("Niveau 1", "100 / 200", 'data-counting="1"', "Tapis moyen", "Sans place"):
        assert text in stand, text
    assert re.search(r'data-remaining="1[12]\d\d\.\d"', stand)  # of twenty minutes
    tile = page.partition('id="table-t1"')[2].partition("</article>")[0]
    assert '<span class="count short0">4 joueurs' in tile
    third = page.partition('aria-label="Table 3"')[2].partition("</article>")[0]
    assert '<span class="count short1">2 joueurs (−2)' in third  # two fewer than at the fullest table
    english = httpx.get(evening.url + "/?lang=en").text
    assert "Without a seat" in english and "4 players" in english


def test_age_of_the_hand_and_a_table_that_waits_are_told(
    evening: Hub, voices: Callable, wait: Callable
) -> None:
    table = voices()
    table.beat()
    stream = table.stream
    table.send(*stream.play_hand({1: 20000, 4: 18000}))
    table.wait_acked()
    stream.hand = 2
    level = m.Level(n=1, small_blind=100, big_blind=200)
    seats = (m.SeatStack(seat=1, entry="e1", stack=20000), m.SeatStack(seat=4, entry="e4", stack=20000))
    table.send(stream.event(m.HandStart(hand=2, level=level, button=1, sb=1, bb=4, seats=seats)))
    table.wait_acked()
    wait(lambda: (t := evening.floor.tile("t1")) and t.picture.hand == 2, "the hand runs")
    page = httpx.get(evening.url).text
    assert re.search(r'Main 2 <small class="dim" data-age="\d', page)
    assert (
        "les comptes ne concordent pas" in page
    )  # the hand before brought chips from nowhere: that is asked
    table.send(stream.event(m.HandEnd(stacks=seats)))
    table.show(hand=2, phase="over", parked=True, hold=("hand_for_hand",))
    say(evening, ev.HandForHandAnnounced())
    wait(lambda: "Main finie, la table attend" in httpx.get(evening.url).text, "the tile says that it waits")
    assert not re.search(r"Main 2 <small", httpx.get(evening.url).text)


def test_log_and_pages_call_people_by_their_names(evening: Hub) -> None:
    def named(room: Room, now: float) -> None:
        save_person(room.store, Person("p7", "Hélène", "", UTC, UTC), UTC)
        room.tournaments["main"].say(ev.Busted(table="2", entries=("e7",)), "Anne", now, room.utc)

    evening.decide(named).result(20)
    page = httpx.get(evening.url).text
    assert "Hélène" in page.partition('class="log-sheet"')[2]
    assert "Hélène" in page.partition('class="done"')[2].partition("</ol>")[0]


def test_absent_and_back(evening: Hub) -> None:
    with phone(evening) as client:
        press(client, client.get("/tables/3?seat=1").text, "/presence", "Absent")
        assert state(evening).entries["e9"].absent
        sheet = client.get("/tables/3?seat=1").text
        assert "absent" in sheet
        press(client, sheet, "/presence", "De retour")
        assert not state(evening).entries["e9"].absent


def test_table_is_broken_closed_and_opened_again(evening: Hub) -> None:
    with phone(evening) as client:
        assert press(client, client.get("/tables/3").text, "/break").status_code == 303
        broken = state(evening)
        assert broken.tables["3"].status == "breaking" and len(broken.moves) == 4
        page = client.get("/tables/3").text
        assert "en cours de fermeture" in page and "part vers" in page
        press(client, page, "/undo")
        assert state(evening).tables["3"].status == "open"
        say(evening, *[ev.Busted(table="3", entries=(f"e{n}",)) for n in (9, 10, 11)])
        say(evening, ev.MovePlanned(move="m9", entry="e12", target=Place("2", 5)))
        say(evening, ev.MoveLeft(move="m9", stack=20000), ev.MoveArrived(move="m9", counted=20000))
        page = client.get("/tables/3").text
        if state(evening).tables["3"].status == "open":
            assert press(client, page, "/close").status_code == 303
        assert state(evening).tables["3"].status == "closed"
        assert press(client, client.get("/tables/3").text, "/reopen").status_code == 303
        assert state(evening).tables["3"].status == "open"


def test_hand_done_and_next_big_blind_are_told_for_a_table_without_device(evening: Hub) -> None:
    say(evening, ev.HandStarted(table="2", hand=1), ev.HandForHandAnnounced())
    with phone(evening) as client:
        page = client.get("/tables/2").text
        assert "sa main est attendue" in client.get("/").text
        assert press(client, page, "/hand-done", "Main finie").status_code == 303
        held = state(evening).hand_for_hand
        assert held is not None and "2" in held.parked
        press(client, client.get("/tables/2?seat=2").text, "/big-blind")
        assert state(evening).tables["2"].big_blind_next == 2
        refused = client.post("/tables/2/big-blind", data={"seat": "6"})
        assert refused.status_code == 409


def test_next_hand_that_is_blocked_says_by_what_and_is_passed_with_a_reason(evening: Hub) -> None:
    say(evening, ev.HandForHandAnnounced(), ev.HandDone(table="2"), ev.HandDone(table="3"))
    say(evening, ev.CallOpened(call="c9", kind="ruling", table="2", hold=True))
    with phone(evening) as client:
        page = client.get("/").text
        assert "un appel à l" in page.partition('class="blocks"')[2]
        (fields,) = [
            fields for act, fields, _ in buttons(page) if act.endswith("/pass") and "c9" in fields["block"]
        ]
        address = "/tournaments/main/pass"
        assert client.post(address, data={"block": fields["block"], "reason": "other"}).status_code == 409
        assert state(evening).passed == {"start": "test"}
        passed = client.post(
            address, data={"block": fields["block"], "reason": "other", "note": "Jean est prévenu"}
        )
        assert passed.status_code == 303
        assert state(evening).passed[fields["block"]] == "Jean est prévenu"
        page = client.get("/").text
        assert "Jean est prévenu" in page
        client.post(address, data={"block": "call:c8", "reason": "seen"})
        assert state(evening).passed["call:c8"] == "Vérifié sur place"


def test_block_of_a_proposal_is_passed_and_done_in_one_tap(hubs: Callable, wait: Callable) -> None:
    hub: Hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 3, "set up")
    say(hub, *[ev.Registered(entry=f"e{n}") for n in range(1, 5)])
    places = ev.Drawn(seats=tuple(ev.Seating(f"e{n}", Place("2" if n < 3 else "3", n)) for n in range(1, 5)))
    say(hub, places)
    with phone(hub) as client:
        press(client, client.get("/").text, "/do", "Faire")  # as many decks at each table
        refused = press(client, client.get("/").text, "/do", "Faire")
        assert refused.status_code == 409 and "trop peu de joueurs" in refused.text
        ((address, fields, _),) = buttons(refused.text)
        fields |= {"reason": "agreed"}
        fields.pop("note", None)
        assert client.post(address, data=fields).status_code == 303
        assert state(hub).started and state(hub).passed == {"start": "Tout le monde est d'accord"}


def test_strangers_and_displays_see_a_table_and_no_button(evening: Hub) -> None:
    page = httpx.get(evening.url + "/tables/2?seat=1").text
    assert "e5" in page and buttons(page) == []
    assert httpx.post(evening.url + "/tables/2/out", data={"entry": "e5"}).status_code == 403
    assert httpx.get(evening.url + "/tables/nowhere").status_code == 404
    assert httpx.get(evening.url + "/tables/nowhere/live").status_code == 404
    assert state(evening).entries["e5"].where == "seated"


# -- with a device ------------------------------------------------------------------------------


def test_page_shows_rulings_with_articles_doubts_devices_and_the_last_hands(
    hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub = hubs()
    table = voices()
    table.say()
    birth = m.Birth(
        life=table.stream.life,
        boot=1,
        conn=1,
        software="maldonne 0.1.0",
        schema_minor=0,
        firmware=None,
        devices=(m.Device(name="board", state="ok"), m.Device(name="camera", state="lost", code="no_frames")),
        seats=(m.BirthSeat(seat=1, entry="e1", covered=("seat", "stack")),),
        outbox=m.OutboxSpan(first=1, last=0),
    )
    table.publish("birth", m.encode(birth), retain=True)
    table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
    table.send(*table.stream.play_hand({1: 20650, 4: 17350}))
    ruling = m.Ruling(
        ruling="card_replaced",
        incident="card_exposed_in_deal",
        rulebook="ropta",
        article="ROPTA exposed",
        seats=(4,),
        orders=(m.Order(order="deal", to="seat4"),),
    )
    table.send(table.stream.event(ruling))
    table.show(
        seats=(m.StateSeat(seat=1, entry="e1"), m.StateSeat(seat=4, entry="e4")),
        stacks={1: 20650, 4: None},
        doubts=(m.DoubtAt(place="seat4", reason="not_read"),),
    )
    table.wait_acked()
    wait(lambda: (t := hub.floor.tile("t1")) and t.state and t.equipment, "all has arrived")
    page = httpx.get(hub.url + "/tables/t1").text
    for text in (
        "Carte du siège 4 morte, remplacée à la fin de la donne",
        "(ROPTA exposed)",
        "<li>Donnez la carte du dessus au siège 4</li>",
        "/referee/ropta/",
        "carte non lue",
        "no_frames",
        "siège 1 (cartes, tapis)",
        "maldonne 0.1.0",
        '<a href="/hands/t1/1">',
        "/tables/t1/hands",
    ):
        assert text in page, text
    english = httpx.get(hub.url + "/tables/t1?lang=en").text
    assert "Devices and doubts" in english and "seat 1 (cards, stacks)" in english


def test_open_page_follows_the_hand(hubs: Callable, voices: Callable) -> None:
    hub = hubs()
    table = voices()
    table.beat()
    with httpx.stream("GET", hub.url + "/tables/t1/live?lang=en", timeout=15) as stream:
        lines = stream.iter_lines()
        first = [line for line in _until(lines, "event: record") if line.startswith("event:")]
        assert first == ["event: pulse", "event: calls", "event: tile", "event: roster", "event: record"]
        table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
        assert any("seat 1 wins 850" in line for line in _until(lines, "seat 1 wins 850"))


def _until(lines: Iterator[str], text: str) -> list[str]:
    found = []
    for line in lines:
        found.append(line)
        if text in line:
            return found
    raise AssertionError(f"never came: {text}")


def test_no_face_down_card_can_be_on_a_tables_page(hubs: Callable, voices: Callable) -> None:
    hub = hubs()
    table = voices()
    table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
    table.send(
        table.stream.event(m.Dealt(seat=4, n=2)),
        table.stream.event(m.Burned(n=1)),
        table.stream.event(m.Tabled(seat=4, cards=("As", "Kd"))),
    )
    table.wait_acked()
    for address in ("/tables/t1", "/hands/t1/1"):
        page = httpx.get(hub.url + address).text
        faces = re.findall(r'<span class="face ([shdc])">', page)
        assert sorted(set(faces)) == ["d", "s"]  # of the hand that was shown, nothing else
