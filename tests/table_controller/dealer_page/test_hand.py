"""A whole hand by the page alone: what the screen says, what its buttons do, what is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import events as ev

Make = Callable[..., Any]


def lead(thumb: Any, until: Callable[[Any], bool], most: int = 80) -> list[str]:
    """Do what the page says, always the first and largest button; give the lines that were read."""
    lines = []
    for _ in range(most):
        if until(thumb):
            return lines
        view = thumb.view()
        lines.append(view.say)
        main = [tap for tap in view.taps if tap.look == "main"] or list(view.taps)
        assert main, f"nothing to tap on {view.say!r}"
        outcome = thumb.do(main[0].deed, dict(main[0].fields))
        assert outcome.done, (view.say, outcome)
        thumb.taps += 1
    raise AssertionError(f"never came: {lines[-5:]}")


def over(thumb: Any) -> bool:
    return thumb.running.state.phase == "over" and bool(thumb.running.state.hand)


@pytest.mark.parametrize("betting", ["amounts", "words", "rounds"])
@pytest.mark.parametrize("players", [2, 3, 9, 10])
def test_page_alone_leads_a_hand_from_the_deck_to_the_pot(thumb: Make, betting: str, players: int) -> None:
    subject = thumb(players=players, betting=betting, game="light = false")
    assert subject.tap("next").done
    lines = lead(subject, over)
    text = " / ".join(lines)
    for said in ("Donnez deux cartes à chacun", "Brûlez une carte", "le flop", "la turn", "la river"):
        assert said in text
    assert text.count("Brûlez une carte") == 3
    assert len(subject.running.state.board) == 5
    if betting == "amounts":
        stacks = [seat.stack for seat in subject.running.state.seats.values()]
        assert sum(stacks) == players * 10000
        assert max(stacks) == 10000 + 100 * (players - 1)
    assert subject.tap("next").done
    assert subject.running.state.hand == 2
    assert "Donnez deux cartes à chacun" in subject.view().say


def test_deal_line_names_the_first_seat_and_the_blinds(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    view = subject.view()
    assert "le siège 2 d'abord" in view.say
    assert view.then == "Siège 2 pose 50, siège 3 pose 100"
    assert view.pot == "150"
    seats = {seat.seat: seat for seat in view.seats}
    assert (seats[1].mark, seats[2].mark, seats[3].mark) == ("D", "PB", "GB")
    assert seats[2].bet == "50"
    english = subject.view("en")
    assert "seat 2 first" in english.say
    assert english.then == "Seat 2 posts 50, seat 3 posts 100"


def test_turn_has_the_words_of_the_player_as_buttons(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    view = subject.view()
    assert view.say == "Siège 1\xa0: à lui de parler"
    assert [tap.label for tap in view.taps][:4] == ["Payé 100", "Relance…", "Tapis", "Passe"]
    sheet = subject.sheet(subject.find("raise").sheet)
    presets = dict(sheet.form.parts[0].presets)
    assert list(presets.values()) == [200, 350, 10000]
    assert subject.do("act", {"seat": "1", "said": "raise", "amount": "300"}).done
    assert "payer 250" in subject.view().then
    assert subject.find("call").label == "Payé 250"


def test_a_tap_for_a_turn_that_has_passed_does_nothing(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    call = subject.find("call")
    shown = subject.picture.turn
    assert subject.do(call.deed, dict(call.fields), shown).done
    again = subject.do(call.deed, dict(call.fields), shown)
    assert (again.done, again.reason) == (False, "changed")
    assert subject.running.state.acts == "C"


def test_raise_without_an_amount_is_asked_for(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    outcome = subject.do("act", {"seat": "1", "said": "raise"})
    assert (outcome.done, outcome.reason) == (False, "amount")
    assert subject.running.state.acts == ""


def test_undo_takes_back_the_last_deed_and_can_go_on_back(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    subject.tap("call")
    subject.tap("call")
    assert subject.sheet("undo").lines == ("Siège 2 paie",)
    assert subject.tap("undo", "undo-it").done
    assert subject.running.state.to_act == 2
    assert subject.tap("undo", "undo-it").done
    assert subject.running.state.to_act == 1
    # the deal was one tap of six cards: it is one undoing
    assert "6 cartes" in subject.sheet("undo").lines[0]
    assert subject.tap("undo", "undo-it").done
    assert subject.running.state.off_deck == 0
    assert "Donnez deux cartes" in subject.view().say
    assert subject.sheet("undo").lines == ("Il n'y a rien à annuler dans ce coup.",)
    corrections = [entry.kind for draft in subject.running.take_drafts() for entry in draft.entries].count(
        "correction"
    )
    assert corrections == 1 + 1 + 6


def test_undo_of_something_else_than_was_shown_is_refused(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    subject.tap("call")
    shown = subject.sheet("undo").taps[0]
    subject.tap("call")
    outcome = subject.do("undo", dict(shown.fields))
    assert (outcome.done, outcome.reason) == (False, "changed")


def test_pot_that_was_taken_by_mistake_is_given_back_and_the_hand_goes_on(thumb: Make) -> None:
    subject = thumb(players=2)
    subject.tap("next")
    lead(subject, lambda t: t.running.state.phase == "showdown")
    subject.tap("wins-1")
    subject.tap("pots")
    assert over(subject)
    assert subject.tap("undo", "undo-it").done
    assert subject.running.state.phase == "showdown"
    assert subject.tap("undo", "undo-it").done
    subject.tap("wins-2")
    subject.tap("pots")
    assert {n: s.stack for n, s in subject.running.state.seats.items()} == {1: 9900, 2: 10100}
    assert subject.running.last.stacks == {"e1": 9900, "e2": 10100}


def test_side_pots_are_asked_for_from_the_outermost_in(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.running.set_here(subject.running.here, "")
    for seat, stack in ((2, "500"), (3, "2000")):
        assert subject.do("stack", {"seat": str(seat), "amount": stack}).done
    subject.tap("next")
    subject.tap("done")
    for _ in range(3):
        subject.tap("all_in" if "all_in" in subject.names() else "call")
    assert subject.tap("done").done  # bets gathered
    lead(subject, lambda t: t.running.state.phase == "showdown", most=20)
    view = subject.view()
    assert view.say == "Qui gagne le pot extérieur n° 1\u202f?"
    assert {tap.name for tap in view.taps} == {"wins-3", "wins-1", "split"}
    subject.tap("wins-3")
    assert subject.view().say == "Qui gagne le pot\u202f?"
    subject.tap("wins-2")
    subject.tap("pots")
    stacks = {n: s.stack for n, s in subject.running.state.seats.items()}
    assert stacks == {1: 8000, 2: 1500, 3: 3000}


def test_all_in_and_called_turns_every_hand_up_with_one_tap(thumb: Make) -> None:
    subject = thumb(players=2)
    subject.tap("next")
    subject.tap("done")
    subject.tap("all_in")
    subject.tap("call")
    lead(subject, lambda t: "retourne sa main" in t.view().say, most=4)
    assert [tap.label for tap in subject.view().taps] == ["Toutes les mains sont retournées"]
    subject.tap("done")
    assert subject.view().say == "Rassemblez les mises"


def test_clock_on_a_player_counts_down_and_ends_his_hand_only_when_held(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    assert subject.tap("time").done
    view = subject.view()
    assert view.say == "Siège 1\xa0: décidez"
    assert view.seconds == 30  # ROPTA time
    subject.pass_time(12.0)
    assert subject.view().seconds == 18
    expired = subject.find("expired")
    assert expired.hold
    subject.pass_time(40.0)
    assert subject.view().seconds == 0
    assert subject.do(expired.deed, dict(expired.fields)).done
    assert subject.running.state.seats[1].dead
    assert subject.view().seconds is None
    assert any("ROPTA time" in sentence for sentence in subject.view().why)


def test_chips_without_a_word_are_read_by_the_rulebook(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    # ROPTA one chip: a single oversized chip is a call
    assert subject.do("chips", {"seat": "1", "chips": "500"}).done
    assert subject.running.state.seats[1].bet == 100
    assert any("ROPTA one chip" in sentence for sentence in subject.view().why)
    assert "understood" in subject.names()
    subject.tap("understood")
    assert subject.view().why == ()


def test_word_before_his_turn_is_kept_and_binds(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    assert subject.running.state.to_act == 4
    assert subject.do("early", {"seat": "1", "said": "call"}).done
    subject.tap("call")
    assert subject.running.state.seats[1].bet == 100  # its turn came: the word has bound it
    assert subject.running.state.to_act == 2


def test_notices_of_a_press_that_meant_nothing_are_shown_until_a_tap_means_something(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.running.notices.append("press_again")
    assert subject.view().remarks == ("Appuyez encore une fois",)
    subject.tap("done")
    assert subject.view().remarks == ()


def test_every_tap_is_written_with_the_screen_that_made_it(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    subject.tap("call")
    drafts = subject.running.take_drafts()
    causes = {event.cause for draft in drafts for event in draft.events if event.cause}
    assert causes == {"page:thumb"}
    events = [ev.decode(e.body) for d in drafts for e in d.entries if e.kind == "event"]
    assert [type(event).__name__ for event in events] == ["HandStarted", *["CardMoved"] * 6, "Acted"]
