"""The clock in the director's hand: every button is an event of the tournament, and each can be taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest

from table_controller import messages as m
from tournament_hub.hub import Hub
from tournament_hub.logic import clock as clocks
from tournament_hub.logic.clock import Clock, Stage
from tournament_hub.logic.events import Drawn, Registered, Seating, Started
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, Settings, State
from tournament_hub.web import clock_page
from tournament_hub.web.clock_view import act_events, clock_view
from tournament_hub.web.plan import Shown

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["1"]
starting_stack = 20000
levels = [
  { minutes = 20, small_blind = 100, big_blind = 200 },
  { minutes = 20, small_blind = 200, big_blind = 400 },
  { minutes = 10 },
  { minutes = 20, small_blind = 500, big_blind = 1000 },
  { minutes = 20, small_blind = 1000, big_blind = 2000 },
  { minutes = 20, small_blind = 2000, big_blind = 4000 },
]
"""
NINE = 21 * 3600.0
"""Nine in the evening, in seconds."""


@pytest.fixture
def evening(hubs: Callable, wait: Callable, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """A room with six at a table; the wall clock stands at nine."""
    monkeypatch.setattr(clock_page.ClockPages.__init__, "__defaults__", (lambda: NINE,))
    hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and shown.state.tables, "tables are set up")

    def sit(room: object, now: float) -> None:
        tournament = room.tournaments["main"]  # type: ignore[attr-defined]
        for number in range(1, 7):
            tournament.say(Registered(entry=f"e{number}", player=f"p{number}"), "Anne", now, room.utc)  # type: ignore[attr-defined]
        seats = tuple(Seating(f"e{number}", Place("1", number)) for number in range(1, 7))
        tournament.say(Drawn(seats=seats), "Anne", now, room.utc)  # type: ignore[attr-defined]

    hub.decide(sit).result(10)
    return hub


@pytest.fixture
def director(evening: Hub) -> Iterator[httpx.Client]:
    """The director's phone."""
    link = evening.director_link()
    assert link is not None
    with httpx.Client(base_url=evening.url, timeout=15) as client:
        client.post(link.removeprefix(evening.url), data={"device": "Anne"})
        yield client


def press(client: httpx.Client, act: str, **fields: str) -> int:
    return client.post(f"/clock/main/{act}", data=fields or {"x": "1"}).status_code


def state(hub: Hub) -> State:
    return hub.decide(lambda room, now: room.tournaments["main"].state).result(10)


def test_every_button_moves_the_clock_and_is_taken_back(evening: Hub, director: httpx.Client) -> None:
    assert "Commencer le tournoi" in director.get("/clock/main").text
    assert press(director, "next") == 409
    assert press(director, "start") == 303
    assert "Arrêter l'horloge" in director.get("/clock/main").text.replace("&#39;", "'")
    assert press(director, "stop") == 303
    assert state(evening).clock.pauses == ("director",)
    assert "Relancer l&#39;horloge" in director.get("/clock/main").text
    assert press(director, "go_on") == 303
    assert state(evening).clock.running_since is not None
    assert press(director, "next") == 303
    assert state(evening).clock.stage == 1
    assert press(director, "plus") == 303
    assert 1255 < state(evening).clock.remaining <= 1260
    assert press(director, "minus") == 303
    assert press(director, "set", minutes="7:30") == 303
    assert state(evening).clock.remaining == 450.0
    assert press(director, "set", minutes="soon") == 409
    page = director.get("/clock/main").text
    number = re.search(r'Horloge mise à l&#39;étape 2[^<]*7:30.*?name="n" value="(\d+)"', page, re.DOTALL)
    assert number is not None
    assert press(director, "undo", n=number[1]) == 303
    assert 1190 < state(evening).clock.remaining <= 1200
    assert press(director, "back") == 303
    assert (state(evening).clock.stage, state(evening).clock.remaining) == (0, 1200.0)
    assert press(director, "unheard_of") == 409
    assert press(director, "undo", n="999") == 409


def test_a_break_now_begins_at_once_and_ends_by_the_button(
    evening: Hub, director: httpx.Client, wait: Callable
) -> None:
    press(director, "start")
    press(director, "stop")
    assert press(director, "break", minutes="15") == 303
    wait(lambda: evening.floor.tournament("main").state.clock.stage == 1, "no hand runs: the break begins")
    held = state(evening)
    assert held.settings.stages[1] == Stage(900.0)
    page = director.get("/clock/main").text
    assert "Finir la pause" in page
    assert "Pause maintenant" not in page
    assert press(director, "break", minutes="15") == 409
    assert press(director, "next") == 303
    after = state(evening)
    assert after.settings.stages[2].level == after.settings.stages[0].level
    assert after.clock.pauses == ()


def test_being_done_in_time_shows_its_effect_and_does_what_it_showed(
    evening: Hub, director: httpx.Client
) -> None:
    press(director, "start")
    early = director.get("/clock/main?at=23:59").text
    assert "rien à changer" in early and "/clock/main/finish" not in early
    page = director.get("/clock/main?at=22:10").text
    assert "Fin prévue sans rien changer : 22:50." in page.replace("\u00a0", " ")
    assert "Niveau 2 : 20 → 10 min" in page.replace("\u00a0", " ")
    assert re.search(r"Nouvelle fin prévue\s:\s22:10", page.replace("\u00a0", " "))
    assert "Sauter des niveaux" in page
    forms = re.findall(r'name="kind" value="(\w+)"><input type="hidden" name="levels" value="([^"]+)"', page)
    assert [kind for kind, _ in forms] == ["shorter", "left_out"]
    assert press(director, "finish", kind="shorter", levels=forms[0][1]) == 303
    rows = state(evening).settings.stages
    assert [stage.seconds for stage in rows[:3]] == [1200.0, 600.0, 600.0]
    assert "22:10" in director.get("/clock/main").text
    number = re.search(
        r'Niveaux changés pour finir.*?name="n" value="(\d+)"', director.get("/clock/main").text, re.DOTALL
    )
    assert number is not None
    assert press(director, "undo", n=number[1]) == 303
    assert state(evening).settings.stages[1].seconds == 1200.0
    assert press(director, "finish", kind="left_out", levels=forms[1][1]) == 303
    assert len(state(evening).settings.stages) < 6


def test_levels_that_were_changed_are_still_so_after_a_restart(
    evening: Hub, director: httpx.Client, hubs: Callable
) -> None:
    press(director, "start")
    assert press(director, "finish", kind="shorter", levels="2:12,3:11") == 303
    evening.close()
    again = hubs(TOURNAMENT)
    held = state(again)
    assert [stage.seconds for stage in held.settings.stages[:4]] == [1200.0, 720.0, 600.0, 660.0]
    assert held.clock.stage == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "shorter", "levels": "1:10"},
        {"kind": "shorter", "levels": "2"},
        {"kind": "shorter", "levels": "2:x"},
        {"kind": "left_out", "levels": "1"},
        {"kind": "left_out", "levels": ""},
        {"kind": "left_out", "levels": "2,3,4,5"},
        {},
    ],
)
def test_levels_that_do_not_fit_change_nothing(
    evening: Hub, director: httpx.Client, fields: dict[str, str]
) -> None:
    press(director, "start")
    before = state(evening).settings
    assert press(director, "finish", **fields) == 409
    assert state(evening).settings == before


def test_a_wrong_time_of_day_is_said(director: httpx.Client) -> None:
    answer = director.get("/clock/main?at=25:99&lang=en")
    assert answer.status_code == 422
    assert "Write the time as 00:45." in answer.text
    assert director.get("/clock/other").status_code == 404
    assert director.post("/clock/other/stop", data={"x": "1"}).status_code == 404


def test_the_clock_is_the_directors_alone(evening: Hub) -> None:
    assert httpx.get(evening.url + "/clock/main").status_code == 403
    assert httpx.post(evening.url + "/clock/main/stop", data={"x": "1"}).status_code == 403


def test_two_phones_see_the_same_clock(evening: Hub, director: httpx.Client) -> None:
    press(director, "start")
    with director.stream("GET", "/clock/main/live?lang=en") as stream:
        lines = stream.iter_lines()
        seen = ""
        for line in lines:
            seen += line
            if "Stop the clock" in seen:
                break
        press(director, "stop")
        for line in lines:
            seen += line
            if "Let the clock go on" in line:
                break
        assert "Clock stopped" in seen


LEVEL = m.Level(n=1, small_blind=100, big_blind=200)
ROW = (Stage(1200.0, LEVEL), Stage(600.0), Stage(1200.0, m.Level(n=2, small_blind=500, big_blind=1000)))


def shown(clock: Clock, **settings: object) -> Shown:
    held = State(settings=Settings(tournament="main", stages=ROW, **settings), started=True, clock=clock)  # type: ignore[arg-type]
    return Shown("main", held, (), (), 0.0, {})


def test_coming_levels_have_their_hour() -> None:
    running = Clock(stage=0, remaining=600.0, running_since=100.0, started=True)
    view = clock_view(shown(running, starting_stack=None), 400.0, NINE)
    assert view is not None
    assert [row.begins for row in view.rows] == ["", "21:05", "21:15"]
    assert (view.end, view.last, view.by_chips) == ("21:35", 2, False)
    assert view.rows[0].now and not view.rows[0].past and view.rows[2].ends_here


def test_without_levels_there_is_no_clock() -> None:
    bare = Shown("main", State(settings=Settings(tournament="main")), (), (), 0.0, {})
    assert clock_view(bare, 0.0, NINE) is None
    with pytest.raises(Refused):
        act_events("start", bare.state, 0.0)
    assert act_events("start", shown(Clock()).state, 0.0) == (Started(),)


def test_in_a_break_the_next_button_ends_it() -> None:
    pause = Clock(stage=1, remaining=300.0, running_since=0.0, started=True, pauses=(clocks.BREAK,))
    view = clock_view(shown(pause), 100.0, NINE)
    assert view is not None and view.next is not None
    assert (view.stands, view.level, view.next.n) == ("break", None, 2)
