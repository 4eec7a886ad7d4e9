"""Colour-up on the director's phone, by the book of the tournament: said in the break, run at the table, taken back."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest

from tests.tournament_hub.test_calls import phone, state
from tournament_hub.hub import Hub
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.proposals import chips_agree
from tournament_hub.logic.state import Place
from tournament_hub.room import Room

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
without_device = ["1"]
seats = 6
starting_stack = 2000
levels = [{ minutes = 20, small_blind = 25, big_blind = 50 }, { minutes = 10, colour_up = [25] },
          { minutes = 20, small_blind = 100, big_blind = 200 }]
"""
AT = "/colour-up/main/1"
STACKS = {"t1": "5075", "t2": "900", "t3": "2025"}


def started(hubs: Callable, wait: Callable, text: str = TOURNAMENT) -> Hub:
    hub: Hub = hubs(text)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 1, "set up")
    seats = tuple(ev.Seating(f"e{n}", Place("1", n)) for n in (1, 2, 3))
    say(hub, *(ev.Registered(entry=f"e{n}") for n in (1, 2, 3)), ev.Drawn(seats=seats), ev.Started())
    return hub


def say(hub: Hub, *events: ev.Event) -> None:
    def job(room: Room, now: float) -> None:
        for event in events:
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(job).result(20)


def stacks(hub: Hub) -> list[int | None]:
    return [state(hub).entries[f"e{n}"].stack for n in (1, 2, 3)]


def text_of(answer: httpx.Response) -> str:
    return (
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)).replace("\u202f", "").replace("\u00a0", " ")
    )


def test_ropta_colour_up_is_said_in_its_break_and_the_race_is_shown_before_it_is_run(
    hubs: Callable, wait: Callable
) -> None:
    hub = started(hubs, wait)
    with phone(hub) as client:
        assert "Retirer les jetons" not in client.get("/").text
        say(hub, ev.Clocked(act=clocks.Set(1)))
        page = text_of(client.get("/"))
        assert "Retirer les jetons de 25" in page and "(ROPTA colour-up)" in page
        assert 'value="25"' in client.get(AT).text  # the value that leaves is filled in
        form = {"old": "25", "new": "100", "c1": "3", "c2": "4", "c3": "1", **STACKS}
        race = client.post(AT, data=form)
        assert race.status_code == 200 and stacks(hub) == [2000, 2000, 2000]
        assert "La course donne 1 jeton de 100" in text_of(race) and "3 cartes" in text_of(race)
        assert 'name="d1"' in race.text and 'name="d2"' not in race.text and 'name="d3"' in race.text
        wrong = client.post(AT, data={**form, "d1": "9h Td", "d3": "As"})
        assert wrong.status_code == 409 and "recomptez" in wrong.text and stacks(hub) == [2000, 2000, 2000]
        done = client.post(AT, data={**form, "d1": "9h Td 2c", "d3": "A♠"})
        assert done.status_code == 200 and stacks(hub) == [5000, 900, 2100]
        assert "5 075 → 5 000" in text_of(done) and "1 × 25 1 × 100 2 025 → 2 100" in text_of(done)
        assert chips_agree(state(hub)) is not False
        told = re.search(
            r"Table 1 : jetons échangés.*?name=\"n\" value=\"(\d+)\"", client.get("/").text, re.S
        )
        assert told is not None
        client.post("/tournaments/main/undo", data={"n": told[1]})
        assert stacks(hub) == [5075, 900, 2025]


def test_ppc_2_1_only_in_a_break_ppc_10_3_three_for_one_without_any_race(
    hubs: Callable, wait: Callable
) -> None:
    hub = started(hubs, wait, TOURNAMENT.replace('"ropta"', '"ppc2011"'))
    form = {"old": "25", "new": "100", "c1": "3", "c2": "4", "c3": "1", **STACKS}
    with phone(hub) as client:
        early = client.post(AT, data=form)
        assert early.status_code == 409 and "seulement pendant une pause" in early.text
        assert stacks(hub) == [2000, 2000, 2000]
        say(hub, ev.Clocked(act=clocks.Set(1)))
        assert "puis trois pour un" in client.get("/").text
        assert client.post(AT, data=form).status_code == 200
        assert stacks(hub) == [5100, 900, 2000]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"new": "110"}, "recomptez"),
        ({"c1": "x"}, "recomptez"),
        ({"c2": "400"}, "recomptez"),
        ({"d1": "9h Zz"}, "9h ou Td"),
    ],
)
def test_what_does_not_fit_changes_nothing_and_says_why(
    hubs: Callable, wait: Callable, change: dict[str, str], said: str
) -> None:
    hub = started(hubs, wait)
    with phone(hub) as client:
        answer = client.post(AT, data={"old": "25", "new": "100", "c1": "3", **STACKS, **change})
        assert answer.status_code == 409 and said in answer.text and stacks(hub) == [2000, 2000, 2000]
        assert (
            client.get("/colour-up/main/9").status_code == client.get("/colour-up/other").status_code == 404
        )
    assert httpx.post(hub.url + AT, data={"old": "25"}).status_code == 403


def test_a_reminder_is_done_once_for_each_break(hubs: Callable, wait: Callable) -> None:
    hub = started(hubs, wait)
    say(hub, ev.Clocked(act=clocks.Set(1)))
    with phone(hub) as client:
        client.post("/tournaments/main/do", data={"proposal": "colour_up:1:25"})
        page = client.get("/").text
        assert "Retirer les jetons" not in page and "Petits jetons retirés" in page
