"""Calls of the floor: what a table shows is an open call, a ruling goes back to it, its effects are undone with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller import messages as m
from tests.tournament_hub.test_directing import CONFIG, Room3
from tournament_hub.config import parse_config
from tournament_hub.effects import Effects, Inbound
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Call


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Room3]:
    hall = Room3(tmp_path, parse_config(CONFIG, "hub.toml", tmp_path))
    hall.begin()
    yield hall
    hall.store.close()


def hear(hall: Room3, topic: str, payload: bytes) -> Effects:
    with hall.store.transaction():
        hall.room.feed(Inbound(topic, payload, retain=True), hall.now, hall.utc)
        hall.room.publish(hall.now, hall.utc)
    hall.sent = hall.room.take()
    return hall.sent


def alert(hall: Room3, ident: str = "c12", hand: int = 1, **fields: object) -> None:
    shown = m.Alert(
        id=ident,
        kind="ruling",
        text=m.Words(fr="?", en="?"),
        t=1.0,
        utc=hall.utc,
        hand=hand,
        seat=2,
        incident="stub_dropped",
        **fields,  # type: ignore[arg-type]
    )
    hear(hall, m.topics.alert("test", "t1", ident), m.encode(shown))


def gone(hall: Room3, ident: str = "c12") -> None:
    hear(hall, m.topics.alert("test", "t1", ident), b"")


def picture(hall: Room3, calls: tuple[str, ...] = (), **fields: object) -> None:
    hall.show("t1", calls=calls, **fields)


def the_call(hall: Room3) -> Call:
    (call,) = hall.tournament.state.calls.values()
    return call


def rule(hall: Room3, call: Call, **fields: object) -> int:
    with hall.store.transaction():
        count = hall.tournament.calls.answer_call(
            call.id,
            call.rev,
            "Anne",
            hall.now,
            hall.utc,
            **fields,  # type: ignore[arg-type]
        )
        hall.room.publish(hall.now, hall.utc)
    hall.sent = hall.room.take()
    return count


def test_an_alert_is_an_open_call_once_and_keeps_the_next_hand(hall: Room3) -> None:
    alert(hall)
    alert(hall)
    call = the_call(hall)
    assert (call.kind, call.table, call.seat, call.incident) == ("ruling", "t1", 2, "stub_dropped")
    assert "call" in hall.desired("t1").hold and hall.tournament.calls.open() == (call,)


def test_a_ruling_stands_in_the_tables_target_until_the_table_has_obeyed(hall: Room3) -> None:
    alert(hall)
    with hall.store.transaction():
        hall.tournament.calls.come(the_call(hall).id, 1, "Anne", hall.now, hall.utc)
    call = the_call(hall)
    assert call.state == "acknowledged"
    rule(hall, call, code="hand_dead", text="cartes mêlées", article="ROPTA mixed", seats=(2,))
    (decision,) = hall.desired("t1").decisions
    assert (decision.call, decision.choice, decision.seats, decision.by) == ("c12", "hand_dead", (2,), "Anne")
    assert decision.note == "cartes mêlées; ROPTA mixed" and "call" not in hall.desired("t1").hold
    hall.restart()  # a hub that is started again says it again
    hall.pass_time()
    assert len(hall.desired("t1").decisions) == 1
    gone(hall)
    assert hall.desired("t1").decisions == () and the_call(hall).obeyed


def test_the_name_of_a_call_in_a_later_hand_is_another_call(hall: Room3) -> None:
    alert(hall)
    rule(hall, the_call(hall), code="play_on")
    hall.play(
        "t1"
    )  # the next hand begins: the old ruling leaves the target, also if the alert was never emptied
    hall.play("t1")
    assert hall.desired("t1").decisions == ()
    alert(hall, hand=2)
    assert [call.state for call in hall.tournament.state.calls.values()] == ["closed", "open"]
    assert hall.desired("t1").decisions == ()


def test_a_request_and_the_alert_of_one_call_are_one(hall: Room3) -> None:
    for first in ("request", "alert"):
        ident = "f1" if first == "request" else "f2"
        request = m.Request(tx=f"p{ident}", t=1.0, utc=hall.utc, hand=1, call=ident)
        topic = m.topics.request("test", "t1", "floor")
        for what in ("request", "alert") if first == "request" else ("alert", "request"):
            if what == "alert":
                alert(hall, ident)
            else:
                with hall.store.transaction():
                    hall.room.feed(Inbound(topic, m.encode(request)), hall.now, hall.utc)
                (answer,) = [o for o in hall.room.take().outbound if o.kind == "response"]
                assert m.decode(answer.payload, m.Response).ok
    assert [call.origin for call in hall.tournament.state.calls.values()] == ["f1", "f2"]


def test_what_people_at_the_table_settle_is_closed_here_too(hall: Room3) -> None:
    alert(hall)
    gone(hall)
    assert (the_call(hall).state, the_call(hall).code) == ("closed", "at_table")
    assert "call" not in hall.desired("t1").hold


def test_settled_while_no_hub_ran_it_is_closed_at_the_next_start(hall: Room3) -> None:
    alert(hall)
    hall.restart()
    hall.pass_time()
    picture(hall, calls=("c12",))
    assert the_call(hall).state == "open"
    hall.restart()
    hall.pass_time()
    picture(hall)
    assert the_call(hall).state == "closed"


def test_undoing_a_ruling_undoes_all_that_came_of_it_and_the_table_is_told(hall: Room3) -> None:
    entry = hall.tournament.state.tables["t1"].seats[min(hall.tournament.state.tables["t1"].seats)]
    alert(hall)
    count = rule(
        hall,
        the_call(hall),
        code="hand_dead",
        effects=(ev.PenaltySet(entry=entry, hands=4), ev.Disqualified(entry=entry, reason="collusion")),
    )
    assert count == 3 and hall.tournament.state.entries[entry].where == "out"
    answer = next(r for r in hall.tournament.log if isinstance(r.event, ev.CallAnswered))
    with hall.store.transaction():
        assert hall.tournament.undo(answer.n, "Anne", hall.now, hall.utc) == 3
        hall.room.publish(hall.now, hall.utc)
    held = hall.tournament.state.entries[entry]
    assert (held.where, held.stack, held.penalty) == ("seated", 1000, 0)
    assert the_call(hall).state == "open"
    assert [(held.call, held.undone) for held in hall.desired("t1").decisions] == [("c12", True)]


def test_two_at_once_one_rules_and_an_effect_that_does_not_fit_leaves_nothing(hall: Room3) -> None:
    alert(hall)
    call = the_call(hall)
    before = hall.tournament.state
    with pytest.raises(Refused) as refused:
        rule(hall, call, code="play_on", effects=(ev.Busted(table="t1", entries=("nobody",)),))
    assert refused.value.code == "no-entry" and hall.tournament.state is before
    rule(hall, call, code="play_on")
    for fields in ({"code": "misdeal"}, {"text": "autre"}):
        with pytest.raises(Refused) as refused:
            rule(hall, call, **fields)
        assert refused.value.code == "call-changed"


def test_a_ruling_needs_words_or_a_code(hall: Room3) -> None:
    alert(hall)
    with pytest.raises(Refused) as refused:
        rule(hall, the_call(hall))
    assert refused.value.code == "no-ruling"
    rule(hall, the_call(hall), text="chacun garde ses cartes")
    assert hall.desired("t1").decisions[0].choice == "play_on"


def test_the_floor_notes_a_call_of_its_own_at_a_table_without_a_device(hall: Room3) -> None:
    with hall.store.transaction():
        ident = hall.tournament.calls.make(
            "behaviour", "Anne", hall.now, hall.utc, table="t3", seat=1, hold=True
        )
    call = hall.tournament.state.calls[ident]
    assert call.kind == "behaviour" and call.origin == ""
    assert rule(hall, call, text="avertissement") == 1


def test_decisions_of_others_stay_in_the_target(hall: Room3) -> None:
    other = m.Decision(call="c99", choice="play_on", by="Paul")
    with hall.store.transaction():
        hall.room.change("t1", "Paul", "ruling", decisions=(other,))
    alert(hall)
    rule(hall, the_call(hall), code="play_on")
    assert [held.call for held in hall.desired("t1").decisions] == ["c99", "c12"]
    gone(hall)
    assert hall.desired("t1").decisions == (other,)


# -- what a table retains of hand-for-hand ------------------------------------------------------


def parked(hall: Room3) -> tuple[str, ...]:
    held = hall.tournament.state.hand_for_hand
    assert held is not None
    return held.parked


def test_a_table_waits_when_it_says_so_itself_not_when_nothing_is_known_of_a_hand(hall: Room3) -> None:
    hall.say(ev.HandForHandAnnounced())
    assert not {"t1", "t2"} & set(parked(hall))  # a hand may have begun that is still on its way here
    old = hall.desired("t1")
    picture(hall, desired_rev=old.rev - 1)
    picture(hall, hold=())
    picture(hall, phase="flop")
    picture(hall, seq=hall.voices["t1"].seq + 1)
    assert "t1" not in parked(hall)
    hall.play("t1")  # it had begun one: not ahead of anybody
    assert "t1" not in parked(hall) and not hall.tournament.state.discrepancies
    picture(hall)
    assert "t1" in parked(hall) and hall.tournament.log[-1].by == "t1"
    hall.play("t1")  # and another against its own word: that is
    assert "ahead:t1" in hall.tournament.state.discrepancies


def test_gate_used_parks_a_table_whose_result_is_lost_for_good(hall: Room3) -> None:
    hall.say(ev.HandForHandAnnounced())
    hall.all_wait()
    hall.say(ev.RoundReleased(round=1))
    gate = hall.tournament.state.hand_for_hand.gate
    assert "t1" not in parked(hall)
    picture(hall, gate_used=gate - 1)
    assert "t1" not in parked(hall)
    picture(hall, gate_used=gate, seq=hall.voices["t1"].seq + 3)  # events are missing: not yet
    assert "t1" not in parked(hall)
    picture(hall, gate_used=gate)
    assert "t1" in parked(hall) and hall.tournament.log[-1].by == "t1"


def test_a_table_that_says_it_is_ahead_is_an_alarm(hall: Room3) -> None:
    hall.say(ev.HandForHandAnnounced())
    picture(hall, gate_used=hall.tournament.state.hand_for_hand.gate + 1)
    assert [alarm.code for alarm in hall.store.alarms()] == ["gate_ahead"]
    assert "t1" not in parked(hall)  # nothing follows from it


def test_a_table_that_has_played_its_round_is_held_too_should_it_lose_its_own_record(hall: Room3) -> None:
    hall.say(ev.HandForHandAnnounced())
    hall.all_wait()
    hall.say(ev.RoundReleased(round=1))
    gate = hall.desired("t1").gate
    assert gate is not None and hall.desired("t1").hold == ()
    hall.play("t1", gate=gate)
    assert "hand_for_hand" in hall.desired("t1").hold and "hand_for_hand" not in hall.desired("t2").hold
    hall.play("t2", gate=gate)
    hall.say(ev.HandDone(table="t3"), ev.RoundReleased(round=2))
    assert hall.desired("t1").hold == () and hall.desired("t1").gate == gate + 1
