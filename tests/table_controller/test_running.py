"""A table's hands one after the other: sensors propose and people rule, words are undone, a restart goes on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import events as ev
from table_controller import messages as m
from table_controller import notes
from table_controller.journal import Journal
from table_controller.rulebook_files import load_resolved
from tests.table_controller.rig import Rig, card_uid


def flop_due(**more: Any) -> Rig:
    """Everybody has limped in; the burn comes next."""
    rig = Rig(4, **more)
    rig.start()
    rig.deal()
    for word in ("CALL", "CALL", "CALL", "CHECK"):
        rig.press(word)
    assert rig.state.to_act is None and rig.state.phase == "preflop"
    return rig


def without_burn(rig: Rig) -> Rig:
    """The flop is laid and no burn is read: what a table could take for an irregularity."""
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board")
    rig.wait(9.0)
    return rig


def incidents(rig: Rig) -> list[str]:
    return [body.incident for body in rig.told(m.Incident)]


# -- sensors propose, people rule --------------------------------------------------------------------------


def test_ask_a_sensed_irregularity_is_a_question_before_it_is_anything() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    question = rig.running.question
    assert question is not None and question.ruling.incident == "no_burn"
    assert [(o.order, o.fact, o.options) for o in rig.running.expects] == [("ask", "no_burn", ("yes", "no"))]
    assert [(note.incident, note.place) for note in rig.noted(notes.Asked)] == [("no_burn", "board")]
    assert incidents(rig) == [] and rig.running.ruled == (-1, ())
    assert not any(to == "board" for _, to in rig.moves())


def test_ask_yes_is_ruled() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    rig.press("YES")
    assert incidents(rig) == ["no_burn"]
    assert [ruling.incident for ruling in rig.running.ruled[1]] == ["no_burn"]
    assert [note.answer for note in rig.noted(notes.AskedEnd)] == ["yes"]
    assert rig.running.unexplained == 0


def test_ask_no_plays_on() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    rig.press("NO")
    assert incidents(rig) == [] and rig.state.phase == "flop" and rig.state.to_act == 1
    assert [note.answer for note in rig.noted(notes.AskedEnd)] == ["no"]
    assert rig.running.unexplained == 1
    rig.press("CHECK")
    assert rig.state.to_act == 2


def test_ask_unanswered_plays_on_and_is_in_the_record() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    assert rig.running.question is not None
    since = rig.running.question.since
    rig.wait(since + 19.5 - rig.t)
    assert rig.running.question is not None
    rig.wait(2.0)
    assert rig.running.question is None
    assert [note.answer for note in rig.noted(notes.AskedEnd)] == ["unanswered"]
    assert incidents(rig) == [] and rig.state.phase == "flop" and rig.state.to_act == 1


def test_ask_the_next_act_answers_by_going_on() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    rig.press("CHECK")
    assert rig.running.question is None
    assert [note.answer for note in rig.noted(notes.AskedEnd)] == ["unanswered"]
    assert incidents(rig) == [] and rig.state.phase == "flop"


def test_ask_the_page_answers_as_the_panel_does() -> None:
    rig = without_burn(flop_due(sensors="ask"))
    rig.running.answer("yes")
    rig.collect()
    assert incidents(rig) == ["no_burn"]
    rig.running.answer("yes")
    rig.collect()
    assert incidents(rig) == ["no_burn"]


def test_tell_is_ruled_at_once() -> None:
    rig = without_burn(flop_due(sensors="tell"))
    assert incidents(rig) == ["no_burn"]
    assert rig.running.question is None and rig.noted(notes.Asked) == []


def test_silent_is_a_note_and_nothing_else() -> None:
    rig = without_burn(flop_due(sensors="silent"))
    assert rig.running.question is None
    assert incidents(rig) == [] and rig.state.phase == "flop"
    assert [note.incident for note in rig.noted(notes.Asked)] == ["no_burn"]
    assert [note.answer for note in rig.noted(notes.AskedEnd)] == ["silent"]


@pytest.mark.parametrize("sensors", ["ask", "silent", "tell"])
def test_what_people_say_is_ruled_whatever_the_sensors_may(sensors: str) -> None:
    rig = Rig(4, sensors=sensors)
    rig.start()
    rig.card(rig.holes(1)[0], "seat1")
    rig.running.say(ev.CardExposed(card="2h", at="seat1", by="dealer"), "page")
    rig.collect()
    assert incidents(rig) == ["first_card_exposed"]
    assert rig.running.question is None


@pytest.mark.parametrize("sensors", ["ask", "silent", "tell"])
def test_a_clean_hand_asks_nothing_however_the_table_speaks(sensors: str) -> None:
    rig = flop_due(sensors=sensors)
    rig.street("2c", "3c", "4c", burn="Ks")
    assert rig.noted(notes.Asked) == [] and incidents(rig) == []
    assert rig.state.phase == "flop"


def test_an_answer_with_no_question_open_changes_nothing() -> None:
    rig = flop_due()
    before = len(rig.entries)
    rig.running.answer("yes")
    rig.collect()
    assert len(rig.entries) == before


# -- undone ------------------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_word() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.press("FOLD")
    rig.press("UNDO")
    assert rig.state.to_act == 3 and not rig.state.seats[3].folded
    assert len(rig.of(ev.Undone)) == 1
    assert [type(event.body) for event in rig.public][-1] is m.Annulled
    rig.press("CALL")
    assert rig.state.to_act == 4 and rig.acts() == [(3, "fold"), (3, "call")]


def test_undo_again_takes_back_the_word_before() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    for name in ("CALL", "FOLD", "UNDO", "UNDO"):
        rig.press(name)
    assert rig.state.to_act == 3
    assert rig.state.acts == ""


def test_undo_leaves_what_sensors_saw() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.muck(3)
    rig.press("UNDO")
    assert rig.state.seats[3].folded and rig.of(ev.Undone) == []
    assert "nothing_to_undo" in rig.running.notices


def test_all_events_of_one_deed_are_undone_together() -> None:
    rig = Rig(4, blind=("seat1", "seat2", "seat3", "seat4"))
    rig.start()
    rig.press("YES")
    assert rig.state.phase == "preflop"
    assert len(rig.running.undoable) == 8
    rig.press("UNDO")
    assert rig.state.phase == "dealing" and rig.state.off_deck == 0
    assert len(rig.of(ev.Undone)) == 8


def test_undo_does_not_reach_into_the_hand_before() -> None:
    rig = Rig(2)
    rig.start()
    rig.deal()
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(1.0)
    rig.press("NEXT_HAND")
    assert rig.state.hand == 2
    rig.press("UNDO")
    assert rig.state.hand == 2 and rig.of(ev.Undone) == []


def test_a_pot_taken_by_mistake_is_given_back_by_undo() -> None:
    rig = Rig(2, betting="amounts")
    rig.start()
    rig.deal()
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(1.0)
    assert rig.state.phase == "over"
    rig.press("UNDO")
    assert rig.state.phase == "showdown" and rig.state.awards


# -- the floor ---------------------------------------------------------------------------------------------


def called_floor() -> Rig:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.running.say(ev.Claimed(claim="wrong_pot"), "page")
    rig.collect()
    if not rig.state.calls:
        rig.running.say(ev.BoardDisturbed(readable=False), "page")
        rig.collect()
    return rig


def test_a_directors_decision_in_the_document_closes_its_call_once() -> None:
    rig = called_floor()
    calls = [call.event for call in rig.state.calls]
    assert calls
    decision = m.Decision(call=f"c{calls[0]}", choice="play_on", by="td")
    for rev in (1, 2):
        rig.running.direct(replace(rig.desired, epoch=1, rev=rev, decisions=(decision,)))
        rig.collect()
    assert [event.choice for event in rig.of(ev.FloorDecided)] == ["play_on"]
    assert calls[0] not in {call.event for call in rig.state.calls}


def test_a_decision_on_another_call_changes_nothing() -> None:
    rig = called_floor()
    decision = m.Decision(call="c9999", choice="misdeal", by="td")
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, decisions=(decision,)))
    rig.collect()
    assert rig.of(ev.FloorDecided) == [] and rig.state.calls


def test_a_decision_that_is_taken_back_did_not_happen_and_may_be_given_again() -> None:
    rig = called_floor()
    (first, *_) = [call.event for call in rig.state.calls]
    decision = m.Decision(call=f"c{first}", choice="hand_dead", by="td", seats=(3,))
    rev = 0

    def told(*decisions: m.Decision) -> None:
        nonlocal rev
        rev += 1
        rig.running.direct(replace(rig.desired, epoch=1, rev=rev, decisions=decisions))
        rig.collect()

    told(replace(decision, undone=True))  # nothing was decided yet: nothing happens
    assert first in {call.event for call in rig.state.calls}
    told(decision)
    assert rig.state.seats[3].dead and first not in {call.event for call in rig.state.calls}
    for _ in range(2):
        told(replace(decision, undone=True))
        assert not rig.state.seats[3].dead and first in {call.event for call in rig.state.calls}
    told(replace(decision, choice="play_on", seats=()))
    assert not rig.state.seats[3].dead and first not in {call.event for call in rig.state.calls}


# -- light mode --------------------------------------------------------------------------------------------


def test_in_light_mode_the_next_street_ends_the_round() -> None:
    rig = Rig(4, betting="rounds", light=True)
    rig.start()
    rig.deal()
    rig.street("2c", "3c", "4c", burn="Ks")
    rig.wait(9.0)
    assert len(rig.of(ev.RoundClosed)) == 1
    assert rig.state.phase == "flop" and incidents(rig) == []


def test_in_light_mode_the_next_hand_ends_the_last_wherever_it_is() -> None:
    rig = Rig(4, betting="rounds", light=True)
    rig.start()
    rig.deal()
    rig.press("NEXT_HAND")
    assert [event.hand for event in rig.of(ev.HandStarted)] == [1, 2]
    assert [event.button for event in rig.of(ev.HandStarted)] == [4, 1]


# -- hand for hand -----------------------------------------------------------------------------------------


def test_all_in_hands_stay_down_until_the_hub_lets_them_be_shown() -> None:
    rig = Rig(2)
    rig.running.direct(replace(rig.desired, epoch=1, rev=1, gate=1))
    rig.start()
    rig.deal()
    rig.press("ALL_IN")
    rig.press("CALL")
    assert [(order.order, order.for_) for order in rig.running.expects] == [("wait", "runout")]
    assert not rig.running.release(99)
    assert rig.running.runout_held
    assert rig.running.release(1)
    assert rig.expected() != "wait"


# -- after a restart ---------------------------------------------------------------------------------------


def journal_at(path: Path) -> Journal:
    return Journal.open(
        path, club="lyon", table="t1", utc="2024-01-01T00:00:00Z", software="maldonne", engine="maldonne"
    )


def restarted(rig: Rig, path: Path) -> Rig:
    """All that the table wrote goes through a journal into a new program; the cards lie as they lay."""
    with closing(journal_at(path)) as journal:
        for batch in rig.batches:
            journal.commit(batch)
    again = Rig(len(rig.seats))
    with closing(journal_at(path)) as journal:
        again.running.recover(journal.recover(), load_resolved)
    again.t = rig.t + 1.0
    again.lie = {place: set(uids) for place, uids in rig.lie.items()}
    return again


def test_a_restart_goes_on_where_the_record_ends(tmp_path: Path) -> None:
    rig = flop_due()
    rig.street("2c", "3c", "4c", burn="Ks")
    rig.press("CHECK")
    again = restarted(rig, tmp_path / "table.journal")
    assert again.state == rig.state
    assert again.running.expects == rig.running.expects
    # the antennas read the same table again: nothing has happened
    again.wait(12.0)
    assert again.events == [] and again.running.question is None
    again.press("CHECK")
    assert again.acts() == [(2, "check")]


def test_after_a_restart_the_antennas_give_the_hands_back(tmp_path: Path) -> None:
    rig = flop_due()
    again = restarted(rig, tmp_path / "table.journal")
    again.wait(3.0)
    assert [again.running.fusion.readable(seat) for seat in again.seats] == [2, 2, 2, 2]
    again.street("2c", "3c", "4c", burn="Ks")
    again.press("RAISE")
    again.put([card_uid(card) for card in again.holes(2)], "muck")
    again.wait(3.0)
    assert again.state.seats[2].folded and again.state.to_act == 3
    assert not again.told(m.Incident)


def test_a_restart_between_hands_keeps_button_and_stacks(tmp_path: Path) -> None:
    rig = Rig(3)
    rig.start()
    rig.deal()
    for name in ("FOLD", "FOLD", "POT"):
        rig.press(name)
    rig.wait(1.0)
    assert rig.state.phase == "over"
    again = restarted(rig, tmp_path / "table.journal")
    again.lie = {place: set() for place in again.lie}
    again.press("NEXT_HAND")
    assert [(event.hand, event.button) for event in again.of(ev.HandStarted)] == [(2, 1)]


def test_a_word_undone_before_a_restart_stays_undone(tmp_path: Path) -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.press("FOLD")
    rig.press("UNDO")
    again = restarted(rig, tmp_path / "table.journal")
    assert again.state == rig.state and again.state.to_act == 3


def one_cycle_flop_without_burn(sensors: str) -> Rig:
    """The flop's three cards come in one scan cycle and no burn is read: the book would ask which came first."""
    rig = flop_due(sensors=sensors)
    rig.put([card_uid(card) for card in ("2c", "3c", "4c")], "board")
    rig.wait(9.0)
    return rig


def test_a_question_of_the_book_is_asked_as_an_irregularity_first() -> None:
    rig = one_cycle_flop_without_burn("ask")
    assert rig.running.question is not None and rig.running.question.ruling.incident == "no_burn"
    assert not rig.state.questions
    rig.press("NO")
    assert rig.state.phase == "flop" and not rig.state.questions and incidents(rig) == []


def test_silent_sensors_open_no_question_of_the_book() -> None:
    rig = one_cycle_flop_without_burn("silent")
    assert rig.running.question is None
    assert not rig.state.questions and incidents(rig) == []


def test_a_fold_with_nothing_to_call_is_a_fold_whatever_the_book_says_of_it() -> None:
    rig = flop_due(sensors="silent")
    rig.street("2c", "3c", "4c", burn="Ks")
    first = rig.state.to_act
    assert first is not None
    rig.put([card_uid(card) for card in rig.holes(first)], "muck")
    rig.wait(5.0)
    assert rig.state.seats[first].folded


def test_the_clock_on_a_player_runs_in_table_time_and_expires() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    first = rig.state.to_act
    assert first is not None
    rig.press("CLOCK")
    order = rig.running.expects[0]
    assert (order.order, order.seat) == ("clock", first)
    rig.wait(29.0)
    assert rig.of(ev.TimeExpired) == []
    rig.wait(2.0)
    assert [event.seat for event in rig.of(ev.TimeExpired)] == [first]
    assert rig.state.seats[first].dead and rig.state.to_act != first


def test_a_player_who_acts_in_time_stops_the_clock() -> None:
    rig = Rig(4)
    rig.start()
    rig.deal()
    rig.press("CLOCK")
    rig.wait(20.0)
    rig.press("CALL")
    rig.wait(60.0)
    assert rig.of(ev.TimeExpired) == []
