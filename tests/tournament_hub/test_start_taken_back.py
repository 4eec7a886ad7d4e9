"""The start of a tournament is undone like any other decision, as long as no hand is known of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from table_controller.messages.tournament import Announcement, Clock
from tests.tournament_hub.phone import phone
from tests.tournament_hub.test_directing import CONFIG, Room3
from tournament_hub.config import parse_config
from tournament_hub.effects import Effects
from tournament_hub.hub import Hub
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused

BARE = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
without_device = ["1"]
seats = 9
starting_stack = 20000
levels = [{ minutes = 20, small_blind = 100, big_blind = 200 }]
"""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    hall.begin()
    yield hall
    hall.store.close()


def the_start(hall: Room3) -> ev.Record:
    found = ev.beginning(hall.tournament.log)
    assert found is not None
    return found


def undo(hall: Room3, n: int) -> None:
    with hall.store.transaction():
        hall.tournament.undo(n, "Anne", hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    hall.sent = hall.room.take()


def said(effects: Effects, part: str) -> list[bytes]:
    return [out.payload for out in effects.outbound if out.topic.endswith(f"/tournament/main/{part}")]


def code_of(hall: Room3, n: int) -> str:
    before = hall.tournament.state
    with pytest.raises(Refused) as refused:
        undo(hall, n)
    assert hall.tournament.state is before
    assert "\n" not in str(refused.value)
    return refused.value.code


def test_tournament_md_undo_of_any_decision_the_start_goes_back_with_clock_targets_and_seats(
    hall: Room3,
) -> None:
    seats = {name: table.seats for name, table in hall.tournament.state.tables.items()}
    hall.pass_time(95.0)
    assert hall.desired("t1").hold == ()
    undo(hall, the_start(hall).n)
    state = hall.tournament.state
    assert not state.started and {name: table.seats for name, table in state.tables.items()} == seats
    assert all("not_started" in hall.desired(name).hold for name in ("t1", "t2"))
    clock = m.decode(said(hall.sent, "clock")[-1], Clock)
    assert (clock.state, clock.remaining_s, clock.running_since, clock.pauses) == ("before", 600.0, None, ())
    told = m.decode(said(hall.sent, "announce")[-1], Announcement)
    assert told.text.fr.startswith("Départ annulé") and told.text.en.startswith("Start taken back")
    assert [p.kind for p in hall.tournament.proposals(hall.now)][-1] == "start"
    hall.pass_time(500.0)  # a clock that stands does not go on by itself
    assert hall.tournament.state.clock.running_since is None


def test_a_start_after_the_undo_begins_with_the_whole_first_level_and_a_restart_knows_it(hall: Room3) -> None:
    hall.pass_time(95.0)
    undo(hall, the_start(hall).n)
    hall.restart()
    hall.pass_time()
    assert not hall.tournament.state.started
    hall.say(ev.Started())
    assert clocks.left(hall.tournament.state.clock, hall.tournament.time(hall.now)) == 600.0
    assert the_start(hall).n == len(hall.tournament.log)
    hall.pass_time()
    assert hall.desired("t1").hold == ()
    hall.play("t1")
    assert hall.tournament.state.tables["t1"].hands == 1


def test_after_the_first_hand_is_reported_the_start_stands_and_one_line_says_why(hall: Room3) -> None:
    start = the_start(hall).n
    hall.play("t2")
    assert code_of(hall, start) == "hand-played"


def test_somebody_out_at_a_table_without_a_device_is_a_hand_too_until_that_is_undone(hall: Room3) -> None:
    start = the_start(hall).n
    entry = next(iter(hall.tournament.state.tables["t3"].seats.values()))
    (out,) = hall.say(ev.Busted(table="t3", entries=(entry,)))
    assert code_of(hall, start) == "hand-played"
    undo(hall, out.n)
    undo(hall, start)
    assert not hall.tournament.state.started


def test_twice_is_told_and_what_was_done_to_the_clock_since_puts_no_level_back(hall: Room3) -> None:
    start = the_start(hall).n
    (put,) = hall.say(ev.Clocked(act=clocks.Set(2)))
    hall.say(ev.HandForHandAnnounced())
    undo(hall, start)
    assert hall.tournament.state.hand_for_hand is None
    assert code_of(hall, start) == "undone"
    assert code_of(hall, put.n) == "undone"
    assert not hall.tournament.state.clock.started


def test_a_clock_that_somebody_held_before_the_start_is_held_again(tmp_path: Path) -> None:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    hall.pass_time()
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(1, 11)])
    hall.do_all("draw", "button")
    hall.say(ev.Clocked(act=clocks.Paused("director")))
    hall.say(
        ev.Passed(block="start", reason="test"), ev.Started(), ev.Clocked(act=clocks.Released("director"))
    )
    undo(hall, the_start(hall).n)
    assert hall.tournament.state.clock.pauses == ("director",)
    hall.store.close()


# -- on the pages -----------------------------------------------------------------------------


def test_floor_page_clock_page_and_door_offer_it_and_say_why_not(hubs: Callable, wait: Callable) -> None:
    hub: Hub = hubs(BARE)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 1, "set up")

    def state() -> object:
        return hub.decide(lambda room, now: room.tournaments["main"].state).result(20)

    def sign_in(room: object, now: float) -> None:
        directing = room.tournaments["main"]  # type: ignore[attr-defined]
        for number in range(1, 5):
            directing.say(ev.Registered(entry=f"e{number}", player=f"p{number}"), "Anne", now, "")
        directing.draw("Anne", now, "")

    hub.decide(sign_in).result(20)
    with phone(hub) as client:
        client.post("/sign-in/main/draw", data={"do": "start"})
        assert state().started  # type: ignore[attr-defined]
        door = client.get("/sign-in/main").text
        cause = re.search(
            r'name="cause" value="([^"]+)"><button name="do" value="undo" aria-label="([^"]+)"', door
        )
        assert cause is not None and "Le tournoi commence" in cause[2]
        client.post("/sign-in/main/act", data={"do": "undo", "cause": cause[1]})
        assert not state().started  # type: ignore[attr-defined]
        client.post("/clock/main/start")
        assert state().started  # type: ignore[attr-defined]
        undo_it = re.search(
            r'action="/clock/main/undo">.*?name="n" value="(\d+)"', client.get("/clock/main").text, re.S
        )
        assert undo_it is not None
        hub.decide(
            lambda room, now: room.tournaments["main"].say(
                ev.Busted(table="1", entries=("e1",)), "Anne", now, ""
            )
        ).result(20)
        refused = client.post("/clock/main/undo", data={"n": undo_it[1]})
        assert refused.status_code == 409 and "Une main est déjà jouée" in refused.text
        refused = client.post("/tournaments/main/undo", data={"n": undo_it[1]})
        assert refused.status_code == 409 and "Une main est déjà jouée" in refused.text
        assert (
            "A hand has been played"
            in client.post("/tournaments/main/undo?lang=en", data={"n": undo_it[1]}).text
        )
