"""In the room: a break that waits for a table which never tells the end of its hand begins once a director has said so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from tests.tournament_hub.test_directing import CONFIG, Room3
from tournament_hub.config import parse_config
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import stopping
from tournament_hub.logic.proposals import Proposal
from tournament_hub.wording import Wording
from tournament_hub.wording_tournament import say_choice, say_proposal


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    hall.begin()
    yield hall
    hall.store.close()


def stands(hall: Room3) -> str:
    state = hall.tournament.state
    return clocks.state(state.clock, state.settings.stages)


def asked(hall: Room3) -> list[Proposal]:
    return [p for p in hall.tournament.proposals(hall.now) if p.kind == "stop"]


def test_break_begins_by_the_directors_word_and_the_hand_is_taken_when_it_is_told(hall: Room3) -> None:
    seats = hall.tournament.state.tables["t1"].seats
    stacks = tuple(m.SeatStack(seat=seat, entry=seats[seat], stack=1000) for seat in sorted(seats))
    order = [seat.seat for seat in stacks]
    level = m.Level(n=1, small_blind=50, big_blind=100)
    hall.voices["t1"].hand = 1
    hall.tell(
        "t1", m.HandStart(hand=1, level=level, button=order[0], sb=order[1], bb=order[-1], seats=stacks)
    )
    hall.pass_time(600.0)
    assert hall.tournament.state.clock.due and asked(hall) == []
    hall.restart()  # the deadline is the tournament's, whatever the hub's clock was
    hall.pass_time()
    hall.pass_time(stopping.CONFIRM_S)
    (question,) = asked(hall)
    said = [
        Wording().say(saying, "fr")
        for saying in (say_proposal(question), *map(say_choice, question.alternatives))
    ]
    assert (
        "t1" in said[0]
        and "5 minutes" in said[0]
        and said[1:] == ["Oui, elle joue encore", "Elle est arrêtée"]
    )
    with hall.store.transaction():
        hall.tournament.do(question.id, "Anne", hall.now, hall.utc, 1)
    hall.pass_time()
    assert stands(hall) == "break" and asked(hall) == []
    hall.tell("t1", m.HandEnd(stacks=stacks))
    assert not hall.tournament.state.tables["t1"].running and hall.tournament.state.tables["t1"].hands == 1


def test_a_tables_own_word_that_it_waits_is_a_fact_and_a_persons_word_is_a_decision(hall: Room3) -> None:
    hall.say(ev.HandForHandAnnounced())
    hall.show("t1")
    hall.show("t2")
    hall.say(ev.RoundReleased(round=1), ev.HandDone(table="t3"))
    told = [r for r in hall.tournament.log if isinstance(r.event, ev.HandDone)]
    assert [(record.by, bool(record.undo)) for record in told] == [
        ("t1", False),
        ("t2", False),
        ("director", True),
    ]
    lines = [line.saying for line in hall.room.lines if line.saying.name == "log.decision"]
    done = [saying for saying in lines if getattr(saying.values["what"], "name", "") == "decision.hand_done"]
    assert [saying.values["by"] for saying in done] == ["director"]
    with hall.store.transaction():
        hall.tournament.undo(told[2].n, "Anne", hall.now, hall.utc)
    held = hall.tournament.state.hand_for_hand
    assert held is not None and held.parked == ()
