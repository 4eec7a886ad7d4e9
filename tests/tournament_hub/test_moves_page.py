"""Moves on the floor page: said by the director where no dealer says them, with the count, and called off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place, State

TOURNAMENT = """
[tournament.main]
rulebook = "tda2024"
without_device = ["t1", "t2"]
seats = 6
starting_stack = 2000
levels = [{ minutes = 20, small_blind = 50, big_blind = 100 }]
"""


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """Two tables of four; e1 is to go from t1 to t2."""
    hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables are there")
    places = {f"e{n}": Place("t1" if n <= 4 else "t2", n if n <= 4 else n - 4) for n in range(1, 9)}

    def begin(room: object, now: float) -> None:
        events: list[ev.Event] = [ev.Registered(entry=entry) for entry in places]
        events.append(ev.Drawn(seats=tuple(ev.Seating(entry, place) for entry, place in places.items())))
        events += [ev.Passed(block="start", reason="test"), ev.Started()]
        events.append(ev.MovePlanned(move="m1", entry="e1", target=Place("t2", 6), reason="balance"))
        for event in events:
            room.tournaments["main"].say(event, "Anne", now, room.utc)  # type: ignore[attr-defined]

    hub.decide(begin).result(10)
    return hub


@pytest.fixture
def director(evening: Hub) -> Iterator[httpx.Client]:
    link = evening.director_link()
    assert link is not None
    with httpx.Client(base_url=evening.url, timeout=15) as client:
        client.post(link.removeprefix(evening.url), data={"device": "Anne"})
        yield client


def state(hub: Hub) -> State:
    return hub.decide(lambda room, now: room.tournaments["main"].state).result(10)


def moving(client: httpx.Client) -> str:
    """The moves on the page, as text."""
    found = re.search(r'<section class="moving".*?</section>', client.get("/").text, re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[0])).strip() if found else ""


def say(client: httpx.Client, act: str, **fields: str) -> int:
    return client.post("/tournaments/main/move", data={"move": "m1", "act": act, **fields}).status_code


def test_left_and_arrived_are_two_taps(evening: Hub, director: httpx.Client) -> None:
    assert moving(director) == "Déplacements e1 t1 · 1 → t2 · 6 encore à sa table Il est parti Annuler"
    assert say(director, "left", counted="2000") == 303
    assert moving(director) == "Déplacements e1 t1 · 1 → t2 · 6 en chemin Il est arrivé Annuler"
    assert say(director, "arrived", counted="2000") == 303
    assert moving(director) == ""
    found = state(evening)
    assert found.tables["t2"].seats[6] == "e1"
    assert found.moves["m1"].confirmed_by == ("Anne", "Anne")


def test_another_count_is_a_call_and_says_so(evening: Hub, director: httpx.Client) -> None:
    say(director, "left", counted="2000")
    assert say(director, "arrived", counted="1900") == 303
    assert "les comptes diffèrent" in moving(director)
    assert state(evening).calls["count-m1"].state != "closed"


def test_a_move_is_called_off(evening: Hub, director: httpx.Client) -> None:
    say(director, "left")
    assert say(director, "cancel") == 303
    assert moving(director) == ""
    assert state(evening).tables["t1"].seats[1] == "e1"


def test_the_word_of_the_new_table_may_come_first(evening: Hub, director: httpx.Client) -> None:
    assert say(director, "arrived") == 303
    assert state(evening).moves["m1"].state == "planned"  # until the old one has told too
    assert say(director, "left") == 303
    assert state(evening).moves["m1"].state == "done"


def test_what_cannot_be_said_is_refused(evening: Hub, director: httpx.Client) -> None:
    assert say(director, "eaten") >= 400
    assert director.post("/tournaments/main/move", data={"move": "m7", "act": "left"}).status_code >= 400
    assert state(evening).moves["m1"].state == "planned"


def test_who_does_not_direct_sees_the_moves_without_buttons(evening: Hub) -> None:
    with httpx.Client(base_url=evening.url, timeout=15) as display:
        page = display.get("/?lang=en").text
        assert "still at his table" in page
        assert "/tournaments/main/move" not in page
        assert display.post("/tournaments/main/move", data={"move": "m1", "act": "left"}).status_code == 403
