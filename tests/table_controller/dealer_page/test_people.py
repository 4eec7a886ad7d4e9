"""A long press on a seat: away, back, late, new, out, penalised, counted; who deals; an evening begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import events as ev
from table_controller import messages as m
from table_controller.dealer_page.conduct import REASONS

Make = Callable[..., Any]


def seat(view: Any, number: int) -> Any:
    return next(one for one in view.seats if one.seat == number)


def fold_to_the_end(thumb: Any) -> None:
    """Everybody folds to the last one, who takes the pot."""
    if thumb.running.state.phase == "dealing":
        thumb.tap("done")
    while thumb.running.state.to_act is not None:
        thumb.tap("done" if "done" in thumb.names() else "fold")
    thumb.tap("pots")
    assert thumb.running.state.phase == "over"


def test_sheet_of_a_seat_offers_all_that_may_be_said_of_it(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    names = [tap.name for tap in subject.sheet("seat?seat=3").taps]
    assert names == ["absent", "hand", "penalty", "stack", "out"]
    free = subject.sheet("seat?seat=9")
    assert free.form.deed == "arrived"
    assert subject.sheet("seat?seat=77").taps == ()


def test_absent_player_is_dealt_in_and_dead_until_he_is_back(thumb: Make) -> None:
    subject = thumb(players=4)
    assert subject.do("absent", {"seat": "3"}).done
    assert subject.asked == [("absent", 3)]
    assert "absent" in seat(subject.view(), 3).words
    subject.tap("next")
    subject.tap("done")
    state = subject.running.state
    assert 3 in state.seats and not state.seats[3].live
    assert subject.view().say == "Mettez la main du siège 3 à la défausse"
    assert subject.sheet("seat?seat=3").taps[0].name == "back"
    assert subject.do("back", {"seat": "3"}).done
    assert not subject.running.state.seats[3].live  # back too late for this hand (ROPTA absent)
    fold_to_the_end(subject)
    subject.tap("next")
    subject.tap("done")
    assert subject.running.state.seats[3].live


def test_who_is_back_before_the_first_card_plays_the_hand(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.do("absent", {"seat": "3"})
    subject.tap("next")
    assert subject.do("back", {"seat": "3"}).done
    assert subject.running.state.hand == 1
    subject.tap("done")
    assert subject.running.state.seats[3].live


def test_who_leaves_during_the_hand_is_the_books_affair(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    assert subject.do("absent", {"seat": "2"}).done
    assert any("ROPTA absent" in sentence for sentence in subject.view().why)


def test_who_sits_down_after_the_first_card_plays_from_the_next_hand(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    assert subject.do("arrived", {"seat": "5", "stack": "8000"}).done
    assert 5 not in subject.running.state.seats
    assert seat(subject.view(), 5).words == ("joue la main suivante",)
    assert "après la première carte" in subject.sheet("seat?seat=5").lines[0]
    fold_to_the_end(subject)
    subject.tap("next")
    assert subject.running.state.seats[5].start == 8000


def test_who_sits_down_before_the_first_card_is_dealt_in(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    assert subject.do("arrived", {"seat": "5", "stack": "8000"}).done
    assert subject.running.state.seats[5].start == 8000
    assert subject.running.state.hand == 1


def test_newcomer_needs_a_stack_and_a_free_seat(thumb: Make) -> None:
    subject = thumb(players=3)
    assert subject.do("arrived", {"seat": "5"}).reason == "stack"
    assert subject.do("arrived", {"seat": "2", "stack": "500"}).reason == "seat_taken"
    assert subject.do("arrived", {"seat": "11", "stack": "500"}).reason == "seat"
    assert subject.do("absent", {"seat": "9"}).reason == "nobody_there"


def test_a_second_player_in_a_seat_gets_chips_of_his_own(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    fold_to_the_end(subject)
    subject.do("out", {"seat": "3"})
    assert subject.do("arrived", {"seat": "3", "stack": "4000"}).done
    subject.tap("next")
    assert subject.running.state.seats[3].start == 4000


def test_late_player_is_dealt_in_absent(thumb: Make) -> None:
    subject = thumb(players=3)
    assert subject.do("late", {"seat": "6", "stack": "5000"}).done
    subject.tap("next")
    assert subject.running.state.seats[6].absent


@pytest.mark.parametrize(
    ("fields", "hands"), [({"hands": "1"}, 1), ({"orbits": "2"}, 8), ({"hands": "0", "orbits": "0"}, None)]
)
def test_penalty_counts_hands_or_orbits_of_the_table(thumb: Make, fields: dict[str, str], hands: int) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    assert subject.do("penalty", {"seat": "2", "reason": "telephone", **fields}).done
    word = next(s for s in subject.running.effective.seats if s.seat == 2)
    assert word.penalty == hands
    conduct = [
        ev.decode(entry.body)
        for draft in subject.running.take_drafts()
        for entry in draft.entries
        if b'"conduct"' in entry.body
    ]
    assert [(one.seat, one.reason, one.article) for one in conduct] == [(2, "telephone", "ROPTA telephone")]


def test_penalty_is_served_hand_by_hand_and_can_be_lifted(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.do("penalty", {"seat": "2", "reason": "delay", "hands": "2"})
    for left in (1, None):
        subject.tap("next")
        assert subject.running.state.seats[2].absent
        subject.tap("done")
        assert not subject.running.state.seats[2].live
        fold_to_the_end(subject)
        assert next(s for s in subject.running.effective.seats if s.seat == 2).penalty == left
    served = [
        event.body.left
        for draft in subject.running.take_drafts()
        for event in draft.events
        if isinstance(event.body, m.PenaltyServed)
    ]
    assert served == [1, 0]
    subject.tap("next")
    assert not subject.running.state.seats[2].absent
    subject.do("penalty", {"seat": "3", "reason": "delay", "hands": "5"})
    assert "pardon" in {tap.name for tap in subject.sheet("seat?seat=3").taps}
    assert subject.do("pardon", {"seat": "3"}).done
    assert next(s for s in subject.running.effective.seats if s.seat == 3).penalty is None


def test_every_reason_for_a_penalty_has_its_article_and_words(thumb: Make) -> None:
    subject = thumb(players=3)
    for lang in ("fr", "en"):
        sheet = subject.sheet("penalty?seat=2", lang)
        assert len(sheet.taps) == len(REASONS)
        for tap, (name, article) in zip(sheet.taps, REASONS.items(), strict=True):
            assert tap.name == name and article in tap.label
            measures = subject.sheet(tap.sheet, lang)
            assert measures.taps[0].name == "warning-0"
    assert subject.do("penalty", {"seat": "2", "reason": "being_tall", "hands": "1"}).reason == "reason"


@pytest.mark.parametrize("moment", ["before", "within", "after"])
def test_stack_that_was_counted_is_true_from_now_on(thumb: Make, moment: str) -> None:
    subject = thumb(players=3)
    if moment != "before":
        subject.tap("next")
        subject.tap("done")
    if moment == "after":
        fold_to_the_end(subject)
    assert subject.do("stack", {"seat": "1", "amount": "7 775"}).done
    if moment == "within":
        assert subject.running.state.seats[1].stack == 7775
        fold_to_the_end(subject)
    subject.tap("next")
    assert subject.running.state.seats[1].start == 7775


def test_out_player_leaves_a_dead_button_behind(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    fold_to_the_end(subject)
    subject.do("out", {"seat": "2"})  # the next button
    subject.tap("next")
    assert subject.running.state.button == 2
    assert 2 not in subject.running.state.seats
    gone = seat(subject.view(), 2)
    assert not gone.taken  # an empty place


def test_self_dealt_table_names_who_deals_cuts_and_shuffles(thumb: Make) -> None:
    subject = thumb(players=4, page="self_dealt = true")
    view = subject.view()
    assert "Siège 1 donne · siège 4 coupe · siège 4 mélange" in view.then
    subject.tap("next")
    assert subject.running.state.dealer_seat == 1
    assert seat(subject.view(), 1).deals
    fold_to_the_end(subject)
    # the player who cuts is never the one who shuffled: he has dealt the hand before
    assert "Siège 2 donne · siège 1 coupe · siège 1 mélange" in subject.view().then


def test_one_tap_lets_somebody_else_deal(thumb: Make) -> None:
    subject = thumb(players=4, page="self_dealt = true")
    tap = next(tap for tap in subject.sheet("seat?seat=3").taps if tap.name == "deals")
    assert tap.label == "Siège 3 donne à la place du siège 1"
    assert subject.do(tap.deed, dict(tap.fields)).done
    assert "Siège 3 donne · siège 2 coupe" in subject.view().then
    subject.tap("next")
    assert subject.running.state.dealer_seat == 3
    # it holds whenever it is his turn, until he deals himself again
    himself = subject.sheet("deals").taps[0]
    assert himself.label == "Siège 1 donne lui-même"
    assert subject.do(himself.deed, dict(himself.fields)).done
    assert subject.running.state.dealer_seat == 1  # no card was dealt yet


def test_croupier_comes_and_goes_with_one_tap(thumb: Make) -> None:
    subject = thumb(players=4, page="self_dealt = true")
    here = next(tap for tap in subject.sheet("more").taps if tap.name == "croupier")
    assert here.label == "Croupier arrivé"
    assert subject.do(here.deed, dict(here.fields)).done
    subject.tap("next")
    assert subject.running.state.dealer_seat is None
    gone = next(tap for tap in subject.sheet("more").taps if tap.name == "croupier")
    assert gone.label == "Croupier parti"


def test_self_dealt_screen_shows_exact_chips_only_after_a_count_for_the_player_to_act(thumb: Make) -> None:
    subject = thumb(players=3, page="self_dealt = true")
    subject.tap("next")
    subject.tap("done")
    view = subject.view()
    assert all(not one.stack for one in view.seats)
    assert view.pot == ""
    assert view.then == "payer 100, relancer, tapis"
    assert seat(view, 3).bet == "100"  # what lies before a player everybody sees
    assert subject.sheet("raise?seat=1").form.parts[0].presets == ()
    assert subject.sheet("stack?seat=2").lines == ()
    assert subject.sheet("counts").lines == ()
    assert "150" not in subject.sheet("right").form.parts[-1].label
    subject.tap("count")
    view = subject.view()
    assert seat(view, 1).stack == "10\u202f000"
    assert view.pot == "150"
    assert len(subject.sheet("raise?seat=1").form.parts[0].presets) == 3
    subject.tap("call")  # it was his count: with his act it is over
    assert subject.view().pot == ""


def test_evening_begins_with_the_seats_that_were_touched(thumb: Make) -> None:
    subject = thumb(players=3, levels="[[levels]]\nminutes = 1\nsmall_blind = 25\nbig_blind = 50\n")
    subject.tap("next")
    fold_to_the_end(subject)
    form = subject.sheet("evening").form
    assert [part.name for part in form.parts] == ["seats", "stack", "button"]
    assert form.hold  # it ends the evening before
    assert subject.do("evening", {"seats": "1"}).reason == "players"
    assert subject.do("evening", {"seats": "1,4,6"}).reason == "stack"
    fields = {"seats": "1,4,6", "stack": "3000", "button": "6"}
    assert subject.do("evening", fields).done
    subject.tap("next")
    state = subject.running.state
    assert sorted(state.seats) == [1, 4, 6]
    assert {one.start for one in state.seats.values()} == {3000}
    assert (state.button, state.hand) == (6, 2)
    assert subject.do("evening", fields).reason == "hand_is_running"


def test_table_without_any_player_asks_who_plays(thumb: Make) -> None:
    subject = thumb(players=2)
    subject.do("out", {"seat": "1"})
    view = subject.view()
    assert view.say == "Dites qui joue ce soir"
    assert [tap.name for tap in view.taps] == ["evening"]
