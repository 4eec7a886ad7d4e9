"""A call of the floor and the tournament's clock as the page has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from table_controller import messages as m
from table_controller.hub_clock import hear, read

Make = Callable[..., Any]
LEVEL = m.Level(n=4, small_blind=200, big_blind=400, ante=m.Ante(kind="none", amount=0))
RUNS = m.Clock(
    epoch=1,
    rev=3,
    level=LEVEL,
    remaining_s=600.0,
    running_since="2024-05-01T20:00:00Z",
    utc="2024-05-01T20:00:00Z",
    state="running",
)


def test_a_call_is_withdrawn_and_stops_nothing_any_more(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    assert not subject.do("withdraw").done
    assert subject.tap("floor").done
    assert subject.view().then.startswith("Appelez-le de vive voix")  # there is no hub
    assert "withdraw" in subject.names()
    assert subject.tap("withdraw").done
    assert not subject.running.here.floor
    assert subject.view().say.startswith("Donnez")


def test_each_call_has_its_own_name_and_the_hubs_decision_closes_it_alone(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("floor")
    first = subject.running.here.call
    subject.tap("withdraw")
    subject.tap("floor")
    second = subject.running.here.call
    assert first != second
    hub = replace(subject.running.desired, epoch=1, rev=1)
    decision = m.Decision(call=first, choice="play_on", by="Mme Leroy")
    subject.running.direct(replace(hub, decisions=(decision,)))
    assert subject.running.here.call == second
    decision = m.Decision(call=second, choice="play_on", by="Mme Leroy")
    subject.running.direct(replace(hub, rev=2, decisions=(decision,)))
    assert subject.running.here.call is None


def test_the_page_shows_the_hubs_clock_and_its_break(thumb: Make) -> None:
    subject = thumb(players=3)
    clock = hear(replace(RUNS, state="break"), 0.0, RUNS.utc)
    subject.desk.hub_clock = lambda: read(clock, 5.0, hub=False)
    view = subject.view()
    assert (view.left, view.runs) == (595, True)
    assert view.level.startswith("Niveau 4") and view.clock == "pause · ≈ sans la salle"
    subject.desk.hub_clock = lambda: read(hear(RUNS, 0.0, RUNS.utc), 5.0, hub=True)
    assert subject.view().clock == ""
