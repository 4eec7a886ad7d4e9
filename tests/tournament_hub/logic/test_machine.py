"""Entries, moves, results, hand-for-hand and undo: what may happen, what is refused, what is a discrepancy."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest

from maldonne.tournament_play import check, structure
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic import machine, ranking, undo
from tournament_hub.logic.proposals import may_start, proposals
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, chips_due, chips_found


def code_of(hall: object, *events: ev.Event) -> str:
    with pytest.raises(Refused) as refused:
        hall.say(*events)  # type: ignore[attr-defined]
    return refused.value.code


def record(hall: object, event: ev.Event) -> ev.Record:
    state = hall.state  # type: ignore[attr-defined]
    found = ev.Record(n=1, at=0.0, event=event, undo=undo.inverse(state, event))
    hall.say(event)  # type: ignore[attr-defined]
    return found


def take_back(hall: object, found: ev.Record) -> None:
    hall.say(*undo.compensation(hall.state, found, hall.preset))  # type: ignore[attr-defined]


# -- entries ------------------------------------------------------------------------------


def test_one_person_is_in_once_and_re_entries_are_off_by_default(halls: Callable) -> None:
    hall = halls().seat({"t1": 3})
    assert code_of(hall, ev.LateEntered(entry="x", player="a1")) == "player-in"
    hall.say(ev.Busted(table="t1", entries=("a1",)))
    assert code_of(hall, ev.LateEntered(entry="x", player="a1", again=True)) == "no-re-entry"
    hall.say(ev.Passed(block="re_entry", reason="the director"))
    hall.say(ev.LateEntered(entry="x", player="a1", again=True, place=Place("t1", 1)))
    assert hall.state.entries["x"].number == 2 and check(hall.state) == []


@pytest.mark.parametrize("name", ["standard", "ppc2011", "ropta"])
def test_late_entry_closes_at_the_start_of_the_level_after_the_last(halls: Callable, name: str) -> None:
    hall = halls(name, stages=structure(10.0)).seat({"t1": 4})
    hall.at = 1199.0
    hall.say(ev.Clocked(act=clocks.Ticked()), ev.LateEntered(entry="in", place=Place("t1", 8)))
    hall.at = 1200.0
    hall.say(ev.Clocked(act=clocks.Ticked()))
    assert code_of(hall, ev.LateEntered(entry="out", place=Place("t1", 9))) == "late-closed"
    hall.say(ev.Passed(block="late", reason="traffic"), ev.LateEntered(entry="out", place=Place("t1", 9)))
    assert hall.state.entries["out"].where == "seated"


def test_rebuys_and_add_ons_are_off_until_set_and_undone_chip_by_chip(halls: Callable) -> None:
    hall = halls().seat({"t1": 3})
    assert code_of(hall, ev.ChipsAdded(entry="a1", chips=500)) == "no-rebuy"
    assert code_of(hall, ev.ChipsAdded(entry="a1", chips=500, kind="add_on")) == "no-add-on"
    rich = halls(rebuys=1, add_on=True).seat({"t1": 3})
    bought = record(rich, ev.ChipsAdded(entry="a1", chips=500))
    assert code_of(rich, ev.ChipsAdded(entry="a1", chips=500)) == "no-rebuy"
    assert rich.state.entries["a1"].stack == 1500 and chips_due(rich.state) == 3500
    take_back(rich, bought)
    assert chips_due(rich.state) == 3000 == chips_found(rich.state)
    rich.say(ev.Busted(table="t1", entries=("a2",)), ev.ChipsAdded(entry="a2", chips=1000))
    assert rich.state.entries["a2"].where == "seated" and rich.state.groups == ()


def test_disqualified_chips_are_out_of_play_with_a_line_in_the_ledger(halls: Callable) -> None:
    hall = halls().seat({"t1": 3})
    found = record(hall, ev.Disqualified(entry="a2", reason="collusion"))
    assert chips_due(hall.state) == 2000 == chips_found(hall.state)
    take_back(hall, found)
    assert chips_due(hall.state) == 3000 == chips_found(hall.state) and check(hall.state) == []


@pytest.mark.parametrize(
    ("name", "minutes", "gone"), [("ppc2011", 29, False), ("ppc2011", 30, True), ("stars", 300, False)]
)
def test_absence_ppc_34_and_stars(halls: Callable, name: str, minutes: int, gone: bool) -> None:
    hall = halls(name).seat({"t1": 4})
    hall.say(ev.Presence(entry="a1", absent=True))
    found = [p for p in proposals(hall.state, hall.preset, 60.0 * minutes) if p.kind == "absence"]
    assert bool(found) == gone
    if gone:
        hall.say(*found[0].effects)
        assert hall.state.entries["a1"].where == "out" and chips_due(hall.state) == 3000


def test_declared_leave_takes_the_stack_off_ppc_34_but_not_by_stars(halls: Callable) -> None:
    for name, removed in (("ppc2011", True), ("ropta", True), ("stars", False)):
        hall = halls(name).seat({"t1": 4})
        hall.say(ev.Presence(entry="a1", absent=True, declared=True))
        assert any(p.kind == "absence" for p in proposals(hall.state, hall.preset)) == removed


def test_penalty_travels_with_the_entry_and_an_old_word_brings_no_hand_back(halls: Callable) -> None:
    hall = halls().seat({"t1": 4, "t2": 3})
    hall.say(ev.PenaltySet(entry="a1", hands=4), ev.PenaltyServed(entry="a1", left=3))
    hall.say(ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 9)))
    hall.say(ev.MoveLeft(move="m1"), ev.MoveArrived(move="m1"), ev.PenaltyServed(entry="a1", left=3))
    assert hall.state.entries["a1"].penalty == 3


# -- results --------------------------------------------------------------------------------


def test_failed_count_read_as_zero_eliminates_nobody(halls: Callable) -> None:
    hall = halls(places_paid=3).seat({"t1": 4})
    hall.say(ev.HandStarted(table="t1", hand=1))
    hall.say(ev.HandEnded(table="t1", hand=1, stacks={"a1": 0, "a2": 1000, "a3": 1000, "a4": 1000}))
    assert hall.state.entries["a1"].where == "seated" and hall.state.entries["a1"].stack == 1000
    (asked,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "discrepancy"]
    assert asked.question and [c.name for c in asked.alternatives] == ["is_out", "looked"]
    hall.say(*asked.alternatives[0].events)
    assert hall.state.entries["a1"].where == "out" and hall.state.discrepancies == {}


def test_sum_that_differs_is_booked_and_a_person_must_look(halls: Callable) -> None:
    hall = halls().seat({"t1": 3})
    hall.say(ev.HandStarted(table="t1", hand=1))
    hall.say(ev.HandEnded(table="t1", hand=1, stacks={"a1": 900, "a2": 1000, "a3": 1000}))
    assert hall.state.discrepancies == {"chips:t1": "-100"}
    assert chips_due(hall.state) == 2900 == chips_found(hall.state)


def test_stack_that_nobody_recorded_is_unknown_not_zero(halls: Callable) -> None:
    hall = halls(starting_stack=None).seat({"t1": 3, "t2": 3}, device=False)
    assert chips_found(hall.state) is None
    hall.say(ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 8)))
    hall.say(ev.MoveLeft(move="m1"), ev.MoveArrived(move="m1"))
    assert hall.state.entries["a1"].stack is None and hall.state.moves["m1"].state == "done"
    hall.say(ev.Busted(table="t2", entries=("b1", "b2")))
    (asked,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "order"]
    hall.say(*asked.alternatives[1].events)
    places = ranking.places(hall.state.entries.keys(), hall.state.groups, hall.preset)
    assert {place.entry: place.place for place in places} == {"b2": 5, "b1": 6}


def test_three_whose_stacks_nobody_knows_are_told_one_after_the_other(halls: Callable) -> None:
    hall = halls(starting_stack=None).seat({"t1": 5}, device=False)
    hall.say(ev.Busted(table="t1", entries=("a1", "a2", "a3")))
    for best in ("a2", "a3"):
        (asked,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "order"]
        choice = next(c for c in asked.alternatives if c.values["entry"] == best)
        hall.say(*choice.events)
    assert not [p for p in proposals(hall.state, hall.preset) if p.kind == "order"]
    places = ranking.places(hall.state.entries.keys(), hall.state.groups, hall.preset)
    assert {place.entry: place.place for place in places} == {"a2": 3, "a3": 4, "a1": 5}


def test_corrected_result_gives_an_entry_back_and_takes_another(halls: Callable) -> None:
    hall = halls().seat({"t1": 4})
    hall.hand("t1", "a4", winner="a1")
    stacks = {"a1": 2000, "a2": 1000, "a4": 1000}
    hall.say(ev.HandEnded(table="t1", hand=1, stacks=dict(stacks), busts={"a3": 1000}, amends=True))
    where = {name: entry.where for name, entry in hall.state.entries.items()}
    assert where == {"a1": "seated", "a2": "seated", "a3": "out", "a4": "seated"}
    assert check(hall.state) == [] and hall.state.tables["t1"].hands == 1


# -- moves ------------------------------------------------------------------------------------


def test_move_is_one_transaction_and_never_leaves_during_a_hand(halls: Callable) -> None:
    hall = halls().seat({"t1": 4, "t2": 3})
    hall.say(ev.HandStarted(table="t1", hand=1), ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 9)))
    assert code_of(hall, ev.MoveLeft(move="m1")) == "hand-running"
    assert code_of(hall, ev.MovePlanned(move="m2", entry="a1", target=Place("t2", 8))) == "moving"
    assert code_of(hall, ev.MovePlanned(move="m2", entry="a2", target=Place("t2", 9))) == "seat-taken"
    hall.say(ev.HandEnded(table="t1", hand=1), ev.MoveLeft(move="m1", stack=1000, by="t1"))
    assert hall.state.entries["a1"].where == "in_transit" and chips_found(hall.state) == 7000
    hall.say(ev.MoveArrived(move="m1", counted=1000, by="t2"))
    assert hall.state.entries["a1"].place == Place("t2", 9) and hall.state.entries["a1"].moves == 1
    assert code_of(hall, ev.MoveArrived(move="m1", counted=1000)) == "move-state"  # said twice


def test_count_that_differs_calls_the_floor_and_holds_the_table(halls: Callable) -> None:
    hall = halls().seat({"t1": 4, "t2": 3})
    hall.say(ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 9)), ev.MoveLeft(move="m1", stack=1000))
    hall.say(ev.MoveArrived(move="m1", counted=900))
    assert hall.state.entries["a1"].where == "in_transit" and "call" in may_start(hall.state, "t2")
    (asked,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "mismatch"]
    hall.say(*asked.alternatives[1].events)
    assert hall.state.entries["a1"].stack == 900 and may_start(hall.state, "t2") == ()
    assert chips_due(hall.state) == 6900 == chips_found(hall.state)


def test_bust_during_a_planned_move_frees_the_reserved_seat(halls: Callable) -> None:
    hall = halls().seat({"t1": 4, "t2": 3})
    hall.say(ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 9)))
    hall.hand("t1", "a1")
    assert hall.state.moves["m1"].state == "cancelled"
    hall.say(ev.MovePlanned(move="m2", entry="a2", target=Place("t2", 9)))


# -- undo -----------------------------------------------------------------------------------------


def test_wrong_bust_is_undone_two_moves_later_and_places_follow(halls: Callable) -> None:
    hall = halls().seat({"t1": 5, "t2": 4}, device=False)
    wrong = record(hall, ev.Busted(table="t1", entries=("a1",)))
    hall.say(ev.Busted(table="t2", entries=("b1",)))
    for number, entry in ((1, "a2"), (2, "a3")):
        target = Place("t2", 8 + number)
        hall.say(ev.MovePlanned(move=f"m{number}", entry=entry, target=target))
        hall.say(ev.MoveLeft(move=f"m{number}"), ev.MoveArrived(move=f"m{number}"))
    take_back(hall, wrong)
    assert hall.state.entries["a1"].place == Place("t1", 1) and hall.state.entries["a1"].stack == 1000
    places = ranking.places(hall.state.entries.keys(), hall.state.groups, hall.preset)
    assert [(p.entry, p.place) for p in places] == [("b1", 9)]
    assert check(hall.state) == []


def test_undone_bust_gets_another_seat_when_his_table_is_gone(halls: Callable) -> None:
    hall = halls().seat({"t1": 2, "t2": 4})
    wrong = record(hall, ev.Busted(table="t1", entries=("a1",)))
    hall.say(ev.MovePlanned(move="m", entry="a2", target=Place("t2", 9)), ev.MoveLeft(move="m"))
    hall.say(ev.MoveArrived(move="m"), ev.TableClosed(table="t1"))
    take_back(hall, wrong)
    held = hall.state.entries["a1"]
    assert held.where == "seated" and held.place is not None and held.place.table == "t2"


def decisions() -> list[tuple[str, tuple[ev.Event, ...], ev.Event]]:
    move = ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 9))
    left = ev.MoveLeft(move="m1", stack=1000)
    return [
        ("presence", (), ev.Presence(entry="a1", absent=True)),
        ("counted", (), ev.Counted(entry="a1", stack=700)),
        ("penalty", (), ev.PenaltySet(entry="a1", hands=3, warnings=1)),
        ("busted", (), ev.Busted(table="t1", entries=("a1", "a2"))),
        ("late", (), ev.LateEntered(entry="new", place=Place("t1", 9))),
        ("planned", (), move),
        ("left", (move,), left),
        ("arrived", (move, left), ev.MoveArrived(move="m1", counted=1000)),
        ("held", (), ev.Held(table="t1", reason="floor")),
        ("released", (ev.Held(table="t1", reason="floor"),), ev.Released(table="t1", reason="floor")),
        ("waived", (), ev.HaltWaived(table="t1", short=3)),
        ("announced", (), ev.HandForHandAnnounced()),
        ("blind", (), ev.BigBlindTold(table="t1", seat=2)),
        ("button", (), ev.ButtonSet(table="t1", button=2)),
        ("vouched", (), ev.Vouched(table="t1")),
        ("passed", (), ev.Passed(block="x", reason="y")),
        ("order", (), ev.OrderPosted(order=("t2", "t1"))),
        ("opened", (), ev.TableOpened(table="t3")),
        ("colour", (), ev.ColouredUp(table="t1", stacks={"a1": 1025})),
    ]


@pytest.mark.parametrize(("name", "before", "event"), decisions(), ids=[row[0] for row in decisions()])
def test_every_decision_has_an_undo(
    halls: Callable, name: str, before: tuple[ev.Event, ...], event: ev.Event
) -> None:
    hall = halls().seat({"t1": 4, "t2": 3})
    hall.say(*before)
    was = hall.state
    found = record(hall, event)
    assert msgspec.json.decode(msgspec.json.encode(found), type=ev.Record) == found
    take_back(hall, found)
    for entry, held in was.entries.items():
        now = hall.state.entries[entry]
        if name == "left":  # back at his seat; the move is off
            assert (now.where, now.place, now.stack) == ("seated", held.place, held.stack)
        elif name == "arrived":
            assert (now.where, now.stack) == ("seated", 1000)
        else:
            assert (now.where, now.place, now.stack, now.absent, now.penalty, now.move) == (
                held.where,
                held.place,
                held.stack,
                held.absent,
                held.penalty,
                held.move,
            )
    if name == "arrived":
        assert hall.state.entries["a1"].place == Place("t1", 1)
    assert "new" not in hall.state.entries
    assert (hall.state.hand_for_hand, hall.state.passed, hall.state.groups) == (None, was.passed, ())
    assert hall.state.order[:2] == was.order[:2] and check(hall.state) == []


def test_later_and_seen_are_taken_back(halls: Callable) -> None:
    hall = halls(places_paid=6).seat({"t1": 4, "t2": 3})
    (first, *_) = proposals(hall.state, hall.preset)
    later = record(hall, ev.Postponed(proposal=first.id))
    assert proposals(hall.state, hall.preset)[-1].later
    take_back(hall, later)
    assert not any(p.later for p in proposals(hall.state, hall.preset))
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1), ev.HandStarted(table="t1", hand=1, gate=9))
    told = dict(hall.state.discrepancies)
    assert told == {"ahead:t1": "9"}
    seen = record(hall, ev.Looked(discrepancy="ahead:t1"))
    assert hall.state.discrepancies == {}
    take_back(hall, seen)
    assert hall.state.discrepancies == told
    for found in (later, seen):
        assert msgspec.json.decode(msgspec.json.encode(found), type=ev.Record) == found
        with pytest.raises(Refused) as refused:
            take_back(hall, found)
        assert refused.value.code == "undone"


def test_report_of_a_table_is_corrected_there_not_undone(halls: Callable) -> None:
    hall = halls().seat({"t1": 4})
    with pytest.raises(Refused) as refused:
        take_back(hall, record(hall, ev.HandStarted(table="t1", hand=1)))
    assert refused.value.code == "no-undo"


def test_two_people_at_one_call_the_second_is_told(halls: Callable) -> None:
    hall = halls().seat({"t1": 4})
    hall.say(ev.CallOpened(call="c1", kind="ruling", table="t1", hold=True))
    hall.say(ev.CallAnswered(call="c1", rev=1, state="acknowledged"))
    assert code_of(hall, ev.CallAnswered(call="c1", rev=1, state="ruled")) == "call-changed"


# -- hand-for-hand -----------------------------------------------------------------------------------


def test_round_waits_for_all_and_the_clock_loses_two_minutes_tda_rp8(halls: Callable) -> None:
    hall = halls("tda2024", stages=structure(10.0)).seat({"t1": 3, "t2": 3})
    hall.say(ev.HandStarted(table="t1", hand=1), ev.HandForHandAnnounced())
    assert hfh.blocks(hall.state) == ("waits:t1",)
    assert code_of(hall, ev.RoundReleased(round=1)) == "blocked"
    hall.say(ev.HandEnded(table="t1", hand=1), ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.at = 60.0
    hall.hand("t1", gate=gate)
    assert hall.state.clock.pauses == ("hand_for_hand",)
    hall.at = 90.0
    hall.hand("t2", gate=gate)
    assert clocks.left(hall.state.clock, 500.0) == 600.0 - 60.0 - 120.0
    hall.say(ev.HandForHandEnded())
    assert hall.state.clock.running_since == 90.0


def test_second_hand_through_one_gate_is_told_at_once(halls: Callable) -> None:
    hall = halls().seat({"t1": 3, "t2": 3})
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.hand("t1", gate=gate)
    hall.say(ev.HandStarted(table="t1", hand=2, gate=gate))
    assert "ahead:t1" in hall.state.discrepancies


def test_round_called_back_holds_who_has_not_begun_and_one_tap_lets_them_go_on(halls: Callable) -> None:
    hall = halls(places_paid=9).seat({"t1": 3, "t2": 3, "t3": 4})
    hall.say(ev.HandForHandAnnounced())
    released = record(hall, ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.hand("t1", gate=gate)
    hall.say(ev.HandStarted(table="t2", hand=1, gate=gate))
    take_back(hall, released)
    assert [name for name in ("t1", "t2", "t3") if "round" in may_start(hall.state, name)] == ["t3"]
    hall.say(ev.HandEnded(table="t2", hand=1))
    assert hfh.blocks(hall.state) == ("waits:t3", "hold:t3")
    (on,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "round_on"]
    assert on.values == {"tables": ("t3",)}
    hall.say(*on.effects)
    assert may_start(hall.state, "t3") == () and hall.state.last_gate == gate
    hall.hand("t3", gate=gate)
    assert hfh.blocks(hall.state) == ()
    with pytest.raises(Refused) as refused:
        take_back(hall, released)
    assert refused.value.code == "round-begun"


def test_hand_for_hand_that_ends_lets_a_withheld_table_go(halls: Callable) -> None:
    hall = halls().seat({"t1": 3, "t2": 3})
    hall.say(ev.HandForHandAnnounced())
    take_back(hall, record(hall, ev.RoundReleased(round=1)))
    assert "round" in may_start(hall.state, "t1")
    hall.say(ev.HandForHandEnded())
    assert may_start(hall.state, "t1") == ()


def test_run_out_told_to_a_table_without_a_device_is_held_again(halls: Callable) -> None:
    hall = halls().seat({"t1": 3, "t2": 3}, device=False)
    hall.say(ev.HandForHandAnnounced(), ev.HandDone(table="t1"), ev.HandDone(table="t2"))
    held = ev.RunoutPending(table="t1", hand=None, seats=(1, 2))
    hall.say(ev.RoundReleased(round=1), held, ev.HandDone(table="t2"))
    released = record(hall, ev.RunoutReleased(table="t1"))
    assert hall.state.tables["t1"].runout_released
    take_back(hall, released)
    assert (hall.state.tables["t1"].runout, hall.state.tables["t1"].runout_released) == ((1, 2), False)
    with pytest.raises(Refused) as refused:
        take_back(hall, released)
    assert refused.value.code == "undone"


def test_broken_table_leaves_the_roster_and_a_table_of_one_is_never_in_it(halls: Callable) -> None:
    hall = halls().seat({"t1": 3, "t2": 3, "t3": 2, "t4": 1})
    hall.say(ev.HandForHandAnnounced())
    assert hall.state.hand_for_hand.roster == ("t1", "t2", "t3")
    hall.say(ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.hand("t1", gate=gate)
    hall.hand("t2", gate=gate)
    assert hfh.waiting_for(hall.state.hand_for_hand) == ["t3"]
    hall.hand("t3", "c2", gate=gate)
    assert hall.state.hand_for_hand.roster == ("t1", "t2") and hfh.blocks(hall.state) == ()


def test_break_may_not_begin_in_a_round_and_round_not_in_a_break(halls: Callable) -> None:
    hall = halls(stages=structure(10.0)).seat({"t1": 3, "t2": 3, "t3": 3})
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    assert code_of(hall, ev.TableBreaking(table="t1", moves=())) == "hand-for-hand"
    gate = hall.state.last_gate
    for table in ("t1", "t2", "t3"):
        hall.hand(table, gate=gate)
    hall.say(ev.Clocked(act=clocks.Set(4)))
    assert hfh.blocks(hall.state) == ("break",)
    assert code_of(hall, ev.RoundReleased(round=2)) == "blocked"
    hall.say(ev.Passed(block="break", reason="agreed"), ev.RoundReleased(round=2))


def test_lost_table_is_excused_by_a_person_never_by_the_program(halls: Callable) -> None:
    hall = halls(places_paid=7).seat({"t1": 4, "t2": 4})
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    hall.hand("t1", gate=hall.state.last_gate)
    hall.say(ev.Heard(table="t2", heard=False))
    assert "waits:t2" in hfh.blocks(hall.state)
    (asked,) = [p for p in proposals(hall.state, hall.preset, 1e6) if p.kind == "lost"]
    hall.say(*asked.alternatives[0].events)
    assert hfh.blocks(hall.state) == ()


def test_busts_of_a_round_are_one_group_across_tables_stars_hfh(halls: Callable) -> None:
    hall = halls("stars", places_paid=6).seat({"t1": 4, "t2": 4})
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    gate = hall.state.last_gate
    hall.hand("t2", "b1", gate=gate)
    hall.hand("t1", "a1", gate=gate)
    (group,) = hall.state.groups
    assert group.bubble and {bust.entry for bust in group.busts} == {"a1", "b1"}


def test_lossy_doubling_reordering_links_never_start_two_hands(halls: Callable) -> None:
    """Targets are retained documents that may be lost, doubled and late; results come once but at any time."""
    for seed in range(12):
        chance = random.Random(seed)
        hall = halls("tda2024", places_paid=11).seat({f"t{n}": 3 for n in range(1, 5)})
        hall.say(ev.HandForHandAnnounced())
        rev, gates = 0, dict.fromkeys(hall.state.tables, (0, 0))
        used = dict.fromkeys(hall.state.tables, 0)
        wire: list[tuple[str, tuple[int, int]]] = []
        reports: list[tuple[str, ev.Event]] = []
        for rev in range(1, 1501):
            held = hall.state.hand_for_hand
            if not hfh.blocks(hall.state) and not reports:
                assert all(used[name] == held.gate or held.round == 0 for name in held.roster)
                hall.say(ev.RoundReleased(round=held.round + 1))
            gate = hall.state.hand_for_hand.gate if hall.state.hand_for_hand.round else 0
            for name in gates:
                wire += [(name, (rev, gate))] * chance.choice((0, 1, 1, 2))
            chance.shuffle(wire)
            for name, document in wire[: len(wire) // 2]:
                gates[name] = max(gates[name], document)  # a lower revision is ignored
            del wire[: len(wire) // 2]
            for name, (_, open_gate) in gates.items():
                if open_gate > used[name] and chance.random() < 0.5:
                    used[name] = open_gate
                    number = hall.state.tables[name].hands + 1
                    reports.append((name, ev.HandStarted(table=name, hand=number, gate=open_gate)))
                    reports.append((name, ev.HandEnded(table=name, hand=number)))
            for name in gates:  # each table's own events stay in order
                mine = [report for report in reports if report[0] == name]
                if mine and chance.random() < 0.5:
                    hall.say(mine[0][1])
                    reports.remove(mine[0])
            assert max(used.values()) <= hall.state.last_gate
            assert not [key for key in hall.state.discrepancies if key.startswith("ahead")]
        assert hall.state.hand_for_hand.round > 20


# -- the log -------------------------------------------------------------------------------------------


def test_log_gives_the_same_tournament_again(halls: Callable) -> None:
    hall = halls().seat({"t1": 5, "t2": 4})
    hall.hand("t1", "a1")
    hall.say(ev.Presence(entry="a2", absent=True))
    log = [ev.Record(n=n, at=0.0, event=event) for n, event in enumerate(hall.log, 1)]
    raw = msgspec.json.encode(log)
    again = machine.replay(hall.state.settings, msgspec.json.decode(raw, type=list[ev.Record]), hall.preset)
    assert again == hall.state


def test_apply_leaves_the_state_before_as_it_was(halls: Callable) -> None:
    hall = halls().seat({"t1": 5})
    before = hall.state
    raw = msgspec.json.encode(before)
    hall.hand("t1", "a1")
    assert msgspec.json.encode(before) == raw != msgspec.json.encode(hall.state)
