"""Put right: the hand stands as people say, in at most five taps, as a correction; out of step never blocks anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from engine import events as ev
from engine import machine
from engine.seating import first_positions
from engine.state import HandState
from table_controller.fusion import Offer
from table_controller.putting_right import TARGETS, CannotBe, lay_out, pot_of
from table_controller.rulebook_files import resolve

Make = Callable[..., Any]
BOOK, _ = resolve("ropta")


def replayed(event: ev.HandStarted, events: tuple[ev.TableEvent, ...]) -> tuple[HandState, list[str]]:
    state = machine.step(machine.start(), event, BOOK).state
    incidents: list[str] = []
    for each in events:
        step = machine.step(state, each, BOOK)
        state = step.state
        incidents += [ruling.incident for ruling in step.rulings]
    return state, incidents


@given(data=strategies.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_hand_can_be_laid_out_again_without_an_irregularity(data: strategies.DataObject) -> None:
    seats = sorted(data.draw(strategies.sets(strategies.integers(1, 10), min_size=2, max_size=10)))
    betting = data.draw(strategies.sampled_from(["amounts", "words", "rounds"]))
    positions = first_positions(data.draw(strategies.sampled_from(seats)), seats)
    stacks = {n: data.draw(strategies.integers(1, 500)) * 25 for n in seats}
    base = ev.HandStarted(
        hand=3,
        button=positions.button,
        seats=tuple(
            ev.SeatEntry(
                seat=n,
                stack=stacks[n] if betting == "amounts" else None,
                absent=data.draw(strategies.booleans()),
                entry=f"e{n}",
            )
            for n in seats
        ),
        small_blind=50,
        big_blind=100,
        small_blind_seat=positions.small_blind_seat,
        big_blind_seat=positions.big_blind,
        betting=betting,
    )
    before = machine.step(machine.start(), base, BOOK).state
    live = frozenset(data.draw(strategies.sets(strategies.sampled_from(seats), min_size=2)))
    street = data.draw(strategies.sampled_from(TARGETS))
    pot = data.draw(strategies.integers(0, 400)) * 25 + 4000 if betting == "amounts" else None
    layout = lay_out(base, positions, before, BOOK, street=street, live=live, pot=pot)
    state, incidents = replayed(layout.event, layout.events)
    assert set(incidents) <= {"absent_dealt_in"}
    # where nobody can bet any more the river leads to the showdown by itself
    assert state.phase == street or (state.phase == "showdown" and len(state.can_bet()) <= 1)
    assert set(state.in_hand()) == live
    assert state.button == positions.button
    if betting == "amounts":
        off = {n: state.seats[n].stack - before.seats[n].stack for n in seats}
        if all(seat.stack for seat in before.seats.values()):
            assert (pot_of(state), set(off.values())) == (pot, {0})
        else:  # a blind that was not paid in full: what came back of it cannot be told from the pot
            assert abs(pot_of(state) - pot) <= 100
            assert max(map(abs, off.values())) <= 100


def test_what_cannot_be_is_refused_and_says_why(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    right = {"street": "flop", "in": "1,2,3", "button": "1"}
    for change, reason in (
        ({"street": "fifth"}, "right_street"),
        ({"in": "1"}, "right_players"),
        ({"in": "1,9"}, "right_seats"),
        ({"pot": "100"}, "right_pot"),
    ):
        outcome = subject.do("right", {**right, **change})
        assert (outcome.done, outcome.reason) == (False, reason)
    assert subject.do("right", {**right, "pot": "100"}).values == {"least": 300}
    assert subject.running.state.phase == "preflop"


def test_table_out_of_step_is_put_right_as_a_correction(thumb: Make) -> None:
    subject = thumb(players=5)
    subject.tap("next")
    subject.tap("done")
    subject.running.take_drafts()
    outcome = subject.do("right", {"street": "turn", "in": "2,4", "button": "1", "pot": "1500"})
    assert outcome.done
    state = subject.running.state
    assert (state.phase, state.hand, len(state.board), state.to_act) == ("turn", 1, 4, 2)
    assert state.in_hand() == [2, 4]
    assert subject.view().pot == "1\u202f500"
    drafts = subject.running.take_drafts()
    entries = [entry for draft in drafts for entry in draft.entries]
    assert {entry.kind for entry in entries} == {"note", "correction"}
    assert any(b'"put_right"' in entry.body for entry in entries)
    told = [type(event.body).__name__ for draft in drafts for event in draft.events]
    assert told == ["Annulled"]  # nothing of the way there is told as having happened
    # and the hand goes on from there to its end
    subject.tap("check")
    subject.tap("check")
    assert subject.view().say == "Brûlez une carte"


def test_button_may_be_put_right_with_the_hand(thumb: Make) -> None:
    subject = thumb(players=5)
    subject.tap("next")
    subject.tap("done")
    assert subject.do("right", {"street": "flop", "in": "1,2,3,4,5", "button": "3"}).done
    assert subject.running.state.button == 3
    assert subject.running.state.to_act == 4
    while subject.running.state.phase != "showdown":
        subject.tap("check" if subject.running.state.to_act is not None else "done")
    # the next hand goes on from the button as it really was
    subject.tap("wins-1")
    subject.tap("pots")
    subject.tap("next")
    assert subject.running.state.button == 4


def test_between_hands_only_the_button_is_asked_for(thumb: Make) -> None:
    subject = thumb(players=4)
    form = subject.sheet("right").form
    assert [part.name for part in form.parts] == ["button"]
    assert subject.do("right", {"button": "3"}).done
    subject.tap("next")
    assert subject.running.state.button == 3


def test_sheet_starts_from_the_tables_best_guess(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    subject.tap("fold")
    street, inside, button, pot = subject.sheet("right").form.parts
    assert [value for value, _, on in street.options if on] == ["preflop"]
    assert [n for n, on in inside.seats if on] == [1, 2, 3]
    assert [n for n, on in button.seats if on] == [1]
    assert "150" in pot.label


def test_after_three_unexplained_events_the_page_falls_silent_and_offers_to_be_put_right(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    running = subject.running

    def strange() -> None:
        events = (ev.CardMoved(card="9h", from_="deck", to="board", face="up"),) * 4
        running._judge(Offer(events, "antenna", "board"))

    for number in (1, 2, 3):
        strange()
        assert running.question is not None
        view = subject.view()
        assert view.say.endswith("?") and view.tone == "ask"
        assert subject.tap("no").done
        assert running.unexplained == number
    view = subject.view()
    assert view.say == "Je ne suis plus le coup"
    assert [tap.name for tap in view.taps] == ["right"]
    strange()
    assert running.question is None  # it asks no more
    # being out of step blocks nothing: words still count
    assert subject.do("act", {"seat": "4", "said": "call"}).done
    assert subject.do("right", {"street": "flop", "in": "1,2,3,4", "button": "1"}).done
    assert not running.out_of_step
    assert subject.view().say == "Siège 2\xa0: à lui de parler"


def test_question_of_the_sensors_says_what_was_seen_and_a_yes_applies_the_rule(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    running = subject.running
    event = ev.CardMoved(card="9h", from_="deck", to="seat2", face="up", by="dealer")
    running._judge(Offer((event,), "camera", "seat2"))
    view = subject.view()
    assert view.say.startswith("Première carte de la donne retournée")
    assert "siège 2" in view.say
    assert subject.tap("yes").done
    assert running.state.phase == "void"


def test_whoever_plays_on_leaves_the_question_unanswered(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    events = (ev.CardMoved(card="9h", from_="deck", to="board", face="up"),) * 4
    subject.running._judge(Offer(events, "antenna", "board"))
    view = subject.view()
    assert [tap.name for tap in view.taps][:3] == ["yes", "no", "call"]
    assert "Siège 4\xa0: à lui de parler" in view.then
    assert subject.tap("call").done
    assert subject.running.question is None
    assert subject.running.state.acts == "C"
    notes = [e.body for d in subject.running.take_drafts() for e in d.entries if e.kind == "note"]
    assert any(b'"unanswered"' in note for note in notes)


def test_unanswered_question_lets_play_go_on(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    event = ev.CardMoved(card="9h", from_="deck", to="seat2", face="up", by="dealer")
    subject.running._judge(Offer((event,), "camera", "seat2"))
    subject.pass_time(30.0)
    subject.running._advance()
    assert subject.running.question is None
    assert subject.running.state.phase == "dealing"


def test_laying_out_needs_stacks_where_amounts_are_kept() -> None:
    base = ev.HandStarted(
        hand=1,
        button=1,
        seats=(ev.SeatEntry(1, None), ev.SeatEntry(2, 500)),
        small_blind=50,
        big_blind=100,
    )
    state = machine.step(machine.start(), base, BOOK).state
    positions = first_positions(1, {1, 2})
    with pytest.raises(CannotBe) as raised:
        lay_out(base, positions, state, BOOK, street="flop", live=frozenset({1, 2}), pot=None)
    assert raised.value.reason == "stacks"
