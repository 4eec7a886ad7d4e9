"""A table with a device that never confirms a halt: one question after a deadline, and the room goes on by its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from maldonne.tournament_play import check, structure
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic import stopping, undo
from tournament_hub.logic.proposals import Proposal, proposals
from tournament_hub.logic.refusal import Refused


def asked(hall: Any) -> list[Proposal]:
    return [p for p in proposals(hall.state, hall.preset, hall.at) if p.kind == "stop"]


def answer(hall: Any, name: str) -> ev.Record:
    (question,) = asked(hall)
    (event,) = next(choice for choice in question.alternatives if choice.name == name).events
    found = ev.Record(n=1, at=hall.at, event=event, undo=undo.inverse(hall.state, event, hall.at))
    hall.say(event)
    return found


def announced(halls: Callable) -> Any:
    """Hand-for-hand is announced while two of three tables are in a hand; one of them says nothing more."""
    hall = halls("tda2024", stages=structure(10.0), places_paid=8, capacity=4, tables_confirm=True)
    hall.seat({"t1": 3, "t2": 3, "t3": 3})
    hall.say(ev.HandStarted(table="t1", hand=1), ev.HandStarted(table="t2", hand=1))
    hall.at = 100.0
    hall.say(ev.HandForHandAnnounced(), ev.HandEnded(table="t1", hand=1))
    hall.say(ev.HandDone(table="t1"), ev.HandDone(table="t3"))
    return hall


def test_every_wait_has_a_deadline_the_announcement_is_asked_about_once_and_not_before(
    halls: Callable,
) -> None:
    hall = announced(halls)
    hall.at = 100.0 + stopping.CONFIRM_S - 1.0
    assert asked(hall) == []
    hall.at += 1.0
    (question,) = asked(hall)
    assert question.question and question.values["table"] == "t2"
    assert [choice.name for choice in question.alternatives] == ["still_plays", "stopped", "excuse"]
    hall.at += 50.0
    assert [p.id for p in asked(hall)] == [question.id]  # the same question, not one more


def test_it_has_stopped_lets_the_round_begin_and_what_the_table_tells_later_still_counts(
    halls: Callable,
) -> None:
    hall = announced(halls)
    hall.at = 1000.0
    answer(hall, "stopped")
    assert hfh.blocks(hall.state) == () and asked(hall) == []
    assert next(p.kind for p in proposals(hall.state, hall.preset, hall.at)) == "round"
    hall.say(ev.HandEnded(table="t2", hand=1, stacks={"b1": 2000, "b2": 1000}, busts={"b3": 1000}))
    assert hall.state.entries["b3"].where == "out"
    (group,) = hall.state.groups
    assert group.key.startswith("round#") and group.announced
    assert check(hall.state) == []


def test_yes_it_still_plays_asks_again_only_after_another_deadline(halls: Callable) -> None:
    hall = announced(halls)
    hall.at = 500.0
    answer(hall, "still_plays")
    assert asked(hall) == [] and hfh.blocks(hall.state) == ("waits:t2",)
    hall.at = 500.0 + stopping.CONFIRM_S
    assert len(asked(hall)) == 1
    hall.say(ev.HandEnded(table="t2", hand=1), ev.HandDone(table="t2"))
    assert asked(hall) == [] and hall.state.stops == {}


def test_a_wrong_word_is_taken_back_and_the_table_is_waited_for_again(halls: Callable) -> None:
    hall = announced(halls)
    hall.at = 500.0
    told = answer(hall, "stopped")
    hall.say(*undo.compensation(hall.state, told, hall.preset))
    assert hfh.blocks(hall.state) == ("waits:t2",) and asked(hall) == []
    with pytest.raises(Refused) as refused:
        undo.compensation(hall.state, told, hall.preset)
    assert refused.value.code == "undone"


def test_a_round_whose_hand_is_never_told_as_over(halls: Callable) -> None:
    hall = announced(halls)
    hall.say(ev.HandEnded(table="t2", hand=1), ev.HandDone(table="t2"), ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    for table in ("t1", "t3"):
        hall.hand(table, gate=gate)
    hall.say(ev.HandStarted(table="t2", hand=2, gate=gate))
    hall.at = 100.0 + stopping.CONFIRM_S
    before = clocks.left(hall.state.clock, hall.at)
    answer(hall, "stopped")
    assert (
        before - clocks.left(hall.state.clock, hall.at) == 120.0
    )  # the round is over, its minutes come off once
    hall.say(ev.RoundReleased(round=2))
    assert hfh.waiting_for(hall.state.hand_for_hand) == ["t1", "t2", "t3"]
    assert not hall.state.tables["t2"].stopped  # the word was for that round


def test_a_hand_that_waits_cards_down_was_told_to_wait(halls: Callable) -> None:
    hall = announced(halls)
    hall.say(ev.HandEnded(table="t2", hand=1), ev.HandDone(table="t2"), ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.say(
        ev.HandStarted(table="t2", hand=2, gate=gate), ev.RunoutPending(table="t2", hand=2, seats=(1, 2))
    )
    hall.hand("t3", gate=gate)
    hall.at = 5000.0
    assert [p.values["table"] for p in asked(hall)] == ["t1"]


def due(halls: Callable, **settings: object) -> Any:
    """The level before a break is over; one table is in a hand of which nobody tells the end."""
    hall = halls(stages=structure(10.0), **settings).seat({"t1": 3, "t2": 3})
    hall.say(ev.Clocked(act=clocks.Set(3)), ev.HandStarted(table="t2", hand=1))
    hall.at = 601.0
    hall.say(ev.Clocked(act=clocks.Ticked(hands_running=True)))
    assert hall.state.clock.due
    return hall


def tick(hall: Any) -> None:
    running = any(stopping.holds_up(hall.state, t) for t in hall.state.tables.values() if t.seats)
    hall.say(ev.Clocked(act=clocks.Ticked(hands_running=running)))


def test_a_break_waits_for_a_table_no_longer_than_until_somebody_has_looked(halls: Callable) -> None:
    hall = due(halls)
    hall.at += stopping.CONFIRM_S
    tick(hall)
    assert hall.state.clock.due
    (question,) = asked(hall)
    assert [choice.name for choice in question.alternatives] == ["still_plays", "stopped"]
    answer(hall, "stopped")
    tick(hall)
    assert clocks.state(hall.state.clock, hall.state.settings.stages) == "break"
    hall.say(ev.HandEnded(table="t2", hand=1))
    assert not hall.state.tables["t2"].stopped and check(hall.state) == []


def test_a_break_that_waits_for_a_table_that_is_not_heard_is_asked_about_too(halls: Callable) -> None:
    hall = due(halls)
    hall.say(ev.HandEnded(table="t2", hand=1), ev.Heard(table="t1", heard=False))
    hall.at += stopping.CONFIRM_S
    assert [p.values["table"] for p in asked(hall)] == ["t1"]
    answer(hall, "stopped")
    tick(hall)
    assert not hall.state.clock.due


def test_a_hold_is_asked_about_only_while_a_hand_is_known_to_run(halls: Callable) -> None:
    hall = halls().seat({"t1": 3, "t2": 3})
    hall.say(ev.HandStarted(table="t1", hand=1), ev.Held(table="t1", reason="floor"))
    hall.say(ev.Held(table="t2", reason="floor"))
    hall.at = stopping.CONFIRM_S
    assert [p.values["table"] for p in asked(hall)] == ["t1"]
    hall.say(ev.HandEnded(table="t1", hand=1))
    assert asked(hall) == []
    hall.say(ev.HandStarted(table="t1", hand=2))  # it deals although it is held: asked at once
    assert len(asked(hall)) == 1
    hall.say(ev.Released(table="t1", reason="floor"))
    assert asked(hall) == []


def test_tables_without_a_device_are_asked_about_as_before_and_nobody_waits_for_others(
    halls: Callable,
) -> None:
    hall = halls(places_paid=5).seat({"t1": 3, "t2": 3}, device=False)
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    hall.at = 5000.0
    assert asked(hall) == []
    found = [p.kind for p in proposals(hall.state, hall.preset, hall.at)]
    assert found[:2] == ["hand_done", "hand_done"] and found.count("hand_done") == 2
    with pytest.raises(Refused) as refused:
        hall.say(ev.StopTold(table="t1", stopped=True))
    assert refused.value.code == "not-waited"


def test_a_block_that_a_person_has_passed_is_waited_for_no_more(halls: Callable) -> None:
    hall = announced(halls)
    hall.at = 5000.0
    hall.say(ev.Passed(block="waits:t2", reason="vu"))
    assert asked(hall) == []
    assert next(p.kind for p in proposals(hall.state, hall.preset, hall.at)) == "round"
