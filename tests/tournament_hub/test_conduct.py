"""Penalties from the director's phone: what the book has for a reason, by its degree and by what there was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from table_controller.rulebook_files import load_book
from tests.tournament_hub.logic.conftest import halls as halls
from tests.tournament_hub.test_calls import TOURNAMENT, buttons, phone, state
from tests.tournament_hub.test_calls import evening as evening
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.penalties import Fault
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.state import Place
from tournament_hub.room import Room
from tournament_hub.web.calls_acts import PENALTIES, penalties_of


def give(client: httpx.Client, offence: str = "", seat: int = 2, **fields: str) -> httpx.Response:
    """A call noted at the table without a device, and ruled with this reason."""
    made = client.post("/calls/new", data={"table": "2", "kind": "behaviour", "seat": str(seat)})
    data = {"rev": "1", f"s{seat}": "on", "offence": offence, **fields}
    return client.post(f"{made.headers['location']}/rule", data=data)


def test_ropta_degrees_a_warning_then_a_hand_then_orbits_counted_per_person(evening: Hub) -> None:
    with phone(evening) as client:
        assert give(client, "open_muck").status_code == 303
        held = state(evening).entries["e6"]
        assert (held.warnings, held.penalty, held.faults) == (1, 0, (Fault("open_muck", "warning"),))
        assert give(client, "out_of_turn").status_code == 303  # whatever it was for
        assert state(evening).entries["e6"].penalty == 1
        assert give(client, "open_muck").status_code == 303
        held = state(evening).entries["e6"]
        assert held.penalty == 1 + 2 * 4 and [fault.kind for fault in held.faults] == [
            "warning",
            "hands",
            "orbits",
        ]
        article = evening.decide(
            lambda room, now: list(room.tournaments["main"].state.calls.values())[-1].article
        )
        assert article.result(10) == "ROPTA 9.22; ROPTA penalties"
        made = client.post("/calls/new", data={"table": "2", "kind": "behaviour", "seat": "1"})
        sheet = client.get(made.headers["location"]).text
        assert (
            "déjà signalé 3 fois" in sheet
            and "jeter ses cartes au lieu de parole (avertissement, ROPTA 9.22)" in sheet
        )


def test_collusion_is_disqualification_and_the_undo_gives_chips_and_memory_back(evening: Hub) -> None:
    with phone(evening) as client:
        give(client, "open_muck")
        assert give(client, "collusion").status_code == 303
        assert state(evening).entries["e6"].where == "out"
        page = client.get("/").text
        done = [fields for act, fields, _ in buttons(page) if act.endswith("/undo")]
        number = evening.decide(
            lambda room, now: next(
                r.n for r in reversed(room.tournaments["main"].log) if isinstance(r.event, ev.CallAnswered)
            )
        ).result(10)
        assert {"n": str(number)} in done
        assert client.post("/tournaments/main/undo", data={"n": str(number)}).status_code == 303
        held = state(evening).entries["e6"]
        assert held.where == "seated" and held.faults == (Fault("open_muck", "warning"),)
        first = evening.decide(
            lambda room, now: next(
                r.n for r in room.tournaments["main"].log if isinstance(r.event, ev.PenaltySet)
            )
        ).result(10)
        assert client.post("/tournaments/main/undo", data={"n": str(first)}).status_code == 303
        assert (state(evening).entries["e6"].faults, state(evening).entries["e6"].warnings) == ((), 0)


def test_the_director_may_choose_otherwise_within_the_book(evening: Hub) -> None:
    with phone(evening) as client:
        assert give(client, "open_muck", penalty="three_orbits").status_code == 303
        assert state(evening).entries["e6"].penalty == 12
        nothing = give(client, "", penalty="book", text="?")
        assert nothing.status_code == 409 and "Choisissez le motif" in nothing.text
        nobody = client.post("/calls/new", data={"table": "2", "kind": "behaviour"}).headers["location"]
        assert (
            "siège concerné" in client.post(f"{nobody}/rule", data={"rev": "1", "offence": "open_muck"}).text
        )


def test_ppc_12_2_knows_no_penalty_of_less_than_an_orbit(hubs: Callable, wait: Callable) -> None:
    hub: Hub = hubs(TOURNAMENT.replace('"ropta"', '"ppc2011"'))
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "set up")
    seats = tuple(ev.Seating(f"e{n}", Place("2", n)) for n in range(1, 5))

    def begin(room: Room, now: float) -> None:
        for event in (
            *(ev.Registered(entry=f"e{n}") for n in range(1, 5)),
            ev.Drawn(seats=seats),
            ev.Started(),
        ):
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(begin).result(20)
    with phone(hub) as client:
        refused = give(client, "hand_exposed", penalty="hand")
        assert refused.status_code == 409 and "ne connaît pas cette pénalité" in refused.text
        for count in (1, 2):
            give(client, "hand_exposed")
            assert state(hub).entries["e2"].warnings == count
        give(client, "hand_exposed")
        assert state(hub).entries["e2"].penalty == 4


@pytest.mark.parametrize("name", ["standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026"])
def test_what_is_offered_is_what_the_book_knows(name: str) -> None:
    preset = preset_of(load_book(name))
    offered = penalties_of(preset)
    assert ("hand" in offered) is preset.short_penalty and set(offered) <= set(PENALTIES)
    narrow = msgspec.structs.replace(preset, penalty_orbits_min=2, penalty_orbits_max=3)
    assert [p for p in penalties_of(narrow) if "orbit" in p] == ["two_orbits", "three_orbits"]


@pytest.mark.parametrize(("redeal", "left"), [("one_hand", 4), ("every_deal", 3)])
def test_tda_35_c_a_hand_that_is_dealt_again_counts_as_the_book_says(
    halls: Any, redeal: str, left: int
) -> None:
    hall = halls("tda2024").seat({"t1": 4})
    hall.preset = msgspec.structs.replace(hall.preset, penalty_redeal=redeal)
    hall.say(ev.PenaltySet(entry="a1", hands=4), ev.HandStarted(table="t1", hand=1))
    hall.say(ev.HandEnded(table="t1", hand=1, void=True))
    assert hall.state.entries["a1"].penalty == left
