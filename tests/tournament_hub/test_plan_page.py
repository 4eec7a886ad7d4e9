"""What to do now, on the floor page: a proposal is done, put off or answered, and every decision has its undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from tournament_hub.hub import Hub
from tournament_hub.logic.events import Registered

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
without_device = ["1", "2"]
seats = 9
starting_stack = 20000
seed = 5
levels = [{ minutes = 20, small_blind = 100, big_blind = 200 }, { minutes = 20, small_blind = 200, big_blind = 400 }]
"""
FORM = re.compile(r'<form method="post" action="/tournaments/main/(\w+)">(.*?)</form>', re.DOTALL)
FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """A room with twelve entries signed in and nobody seated."""
    hub = hubs(TOURNAMENT)
    wait(
        lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables are set up"
    )

    def sign_in(room: object, now: float) -> None:
        for number in range(1, 13):
            event = Registered(entry=f"e{number}", player=f"p{number}")
            room.tournaments["main"].say(event, "Anne", now, "")  # type: ignore[attr-defined]

    hub.decide(sign_in).result(10)
    return hub


@pytest.fixture
def director(evening: Hub) -> Iterator[httpx.Client]:
    """The director's phone."""
    link = evening.director_link()
    assert link is not None
    with httpx.Client(base_url=evening.url, timeout=15) as client:
        client.post(link.removeprefix(evening.url), data={"device": "Anne"})
        yield client


def buttons(page: str) -> list[tuple[str, dict[str, str], str]]:
    """Every button of the plan: what it does, its fields, its words."""
    return [
        (act, dict(FIELD.findall(body)), re.sub(r"<[^>]+>", "", body).strip())
        for act, body in FORM.findall(page)
    ]


def press(client: httpx.Client, act: str, words: str = "") -> int:
    """Press the first such button."""
    for found, fields, said in buttons(client.get("/").text):
        if found == act and words in said:
            return client.post(f"/tournaments/main/{act}", data=fields).status_code
    raise AssertionError(f"no button {act} {words!r}")


def test_two_taps_draw_the_seats_and_two_more_take_them_back(director: httpx.Client) -> None:
    page = director.get("/").text
    assert "12 joueurs sur 12" in page
    assert press(director, "do", "Faire") == 303
    drawn = director.get("/").text
    assert '<li><span>12 places tirées au sort <small class="dim">Anne</small></span>' in drawn
    assert press(director, "undo") == 303
    assert director.get("/").text.count("▶ ") == page.count("▶ ")


def test_later_puts_a_proposal_behind_the_others(director: httpx.Client) -> None:
    before = director.get("/").text.count('class="proposal')
    assert press(director, "later") == 303
    page = director.get("/").text
    waiting = page.partition('class="otherwise rest"')
    assert waiting[0].count('class="proposal') == before - 1
    assert "… et encore 1" in page
    assert waiting[2].count('class="proposal') == 1  # it can be looked up and done all the same


def test_who_only_looks_sees_the_plan_and_no_button(evening: Hub) -> None:
    page = httpx.get(evening.url).text
    assert "12 joueurs sur 12" in page
    assert buttons(page) == []
    answer = httpx.post(evening.url + "/tournaments/main/do", data={"proposal": "draw"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("act", "fields"),
    [("do", {"proposal": "nothing"}), ("undo", {"n": "99"}), ("undo", {"n": "x"})],
)
def test_what_is_not_proposed_any_more_changes_nothing(
    director: httpx.Client, act: str, fields: dict[str, str]
) -> None:
    before = director.get("/").text
    assert director.post(f"/tournaments/main/{act}", data=fields).status_code == 409
    assert director.post("/tournaments/other/do", data={"proposal": "draw"}).status_code == 409
    assert buttons(director.get("/").text) == buttons(before)


def test_the_wall_shows_the_tournament_and_follows_it(director: httpx.Client, evening: Hub) -> None:
    wall = httpx.get(evening.url + "/hall").text
    assert "Vendredi" in wall
    assert "Avant le départ" in wall
    press(director, "do", "Faire")
    for _ in range(6):
        if "En jeu" in httpx.get(evening.url + "/hall/main").text:
            break
        press(director, "do", "Faire")
    wall = httpx.get(evening.url + "/hall/main?lang=en").text
    assert "Playing" in wall
    assert "100 / 200" in wall
    assert 'data-counting="1"' in wall
