"""What has happened? Twelve groups, an incident, a seat, questions, the book's answer, its cure; and the floor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import referee
from engine.rulings import INCIDENTS
from table_controller.dealer_page.claiming import OF_A_SEAT

Make = Callable[..., Any]


def walk(thumb: Any, *path: str) -> Any:
    """Open "what happened", follow these buttons, the first answer to every question after them; give the last sheet."""
    sheet = thumb.sheet("what")
    todo = list(path)
    for _ in range(8):
        names = [tap.name for tap in sheet.taps]
        if "apply" in names:
            assert not todo, f"not needed: {todo}"
            return sheet
        wanted = todo.pop(0) if todo else names[0]
        assert wanted in names, f"{wanted!r} is not on {sheet.title!r}: {names}"
        tap = sheet.taps[names.index(wanted)]
        sheet = thumb.sheet(tap.sheet)
    raise AssertionError("more questions than a table waits for")


def apply(thumb: Any, *path: str) -> Any:
    """The same, and it is said to have happened."""
    sheet = walk(thumb, *path)
    tap = sheet.taps[0]
    outcome = thumb.do(tap.deed, dict(tap.fields))
    assert outcome.done, outcome
    return sheet


def to_flop(thumb: Any) -> None:
    """Play up to the flop's burn: bets gathered, nothing burned."""
    thumb.tap("next")
    thumb.tap("done")
    while thumb.running.state.to_act is not None:
        thumb.tap("check" if "check" in thumb.names() else "call")
    thumb.tap("done")
    assert thumb.view().say == "Brûlez une carte"


def follow_cure(thumb: Any) -> list[str]:
    """Do what the page says until it is a player's turn or the hand is void."""
    lines = []
    for _ in range(20):
        view = thumb.view()
        if thumb.running.state.phase == "void" or "à lui de parler" in view.say:
            return lines
        lines.append(view.say)
        names = [tap.name for tap in view.taps]
        assert "done" in names or names[0].startswith("answer"), (view.say, names)
        thumb.tap("done" if "done" in names else names[0])
    raise AssertionError(lines)


def test_all_twelve_groups_are_there_and_every_incident_is_within_five_answers(thumb: Make) -> None:
    subject = thumb(players=6)
    subject.tap("next")
    first = subject.sheet("what")
    assert [tap.name for tap in first.taps] == list(referee.GROUPS)
    found = set()
    for group, members in referee.GROUPS.items():
        for pick in referee.picks(group):
            path = [group, pick]
            if pick.partition(".")[0] in OF_A_SEAT:
                path.append("seat-3")
            sheet = walk(subject, *path)
            assert sheet.lines, pick
        found |= set(members)
    assert found == INCIDENTS
    assert OF_A_SEAT <= INCIDENTS


@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011", "pokernews", "ltpq", "stars", "standard"])
@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_incident_has_words_under_every_book(thumb: Make, book: str, lang: str) -> None:
    subject = thumb(players=4, book=book)
    for group in referee.GROUPS:
        for pick in referee.picks(group):
            sheet = subject.sheet(f"what?group={group}&pick={pick}&seat=2", lang)
            assert sheet.title and (sheet.taps or sheet.lines)


def test_exposed_card_is_replaced_at_the_end_of_the_deal(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    sheet = apply(subject, "exposed_card", "card_exposed_in_deal", "seat-3")
    assert any("ROPTA exposed" in line for line in sheet.lines)
    assert any("Carte du siège 3 morte" in sentence for sentence in subject.view().why)
    assert subject.tap("done").done  # the rest of the deal, with the replacement last
    assert subject.running.state.phase == "preflop"
    assert len(subject.running.state.seats[3].cards) == 2
    lines = follow_cure(subject)
    assert lines == ["Posez la carte du siège 3 avec les brûlées, face visible"]


def test_first_card_exposed_is_a_misdeal_that_must_be_held(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    sheet = apply(subject, "exposed_card", "first_card_exposed", "seat-2")
    assert sheet.taps[0].hold
    view = subject.view()
    assert view.say == "Reprenez tout et redonnez"
    assert view.tone == "grave"
    assert any("Fausse donne" in sentence and "ROPTA misdeal a" in sentence for sentence in view.why)
    assert subject.tap("redeal").done
    state = subject.running.state
    assert (state.hand, state.phase, state.misdeals, state.button) == (1, "dealing", 1, 1)


def test_second_exposed_card_in_one_deal_is_a_misdeal(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    apply(subject, "exposed_card", "card_exposed_in_deal", "seat-3")
    apply(subject, "exposed_card", "card_exposed_in_deal", "seat-4")
    assert subject.running.state.phase == "void"
    assert any("ROPTA misdeal b" in sentence for sentence in subject.view().why)


@pytest.mark.parametrize(
    ("path", "article", "cure"),
    [
        (
            ("burn", "no_burn.flop"),
            "ROPTA no-burn",
            ["Posez la carte du tableau avec les brûlées, face cachée", "Retournez une carte au tableau"],
        ),
        (
            ("burn", "double_burn.flop"),
            "ROPTA double-burn",
            [
                "Posez la carte brûlée au tableau, face visible",
                "Retournez deux cartes au tableau pour compléter le flop",
            ],
        ),
        (
            ("board", "flop_too_many_cards"),
            "ROPTA four-card flop",
            ["Posez la carte du tableau avec les brûlées, face cachée"],
        ),
    ],
)
def test_wrong_burn_or_flop_is_cured_card_by_card(
    thumb: Make, path: tuple[str, ...], article: str, cure: list[str]
) -> None:
    subject = thumb(players=4)
    to_flop(subject)
    apply(subject, *path)
    assert any(article in sentence for sentence in subject.view().why)
    lines = follow_cure(subject)
    assert [line for line in lines if line.startswith(("Posez", "Retournez"))][: len(cure)] == [
        *cure[:1],
        *[line for line in lines[1:] if line.startswith(("Posez", "Retournez"))][: len(cure) - 1],
    ]
    assert len(subject.running.state.board) == 3
    assert subject.running.state.phase == "flop"


def test_premature_flop_goes_back_and_comes_again_without_a_burn(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    subject.tap("call")
    apply(subject, "too_soon", "premature_flop")
    assert any("ROPTA premature flop" in sentence for sentence in subject.view().why)
    said = []
    for _ in range(30):
        view = subject.view()
        if subject.running.state.phase == "flop":
            break
        said.append(view.say)
        main = [tap for tap in view.taps if tap.look == "main"]
        subject.tap(main[0].name)
    assert "Mélangez" in " ".join(said)
    assert "Brûlez une carte" not in said
    assert len(subject.running.state.board) == 3


def test_questions_are_only_those_whose_answer_the_table_does_not_know(thumb: Make) -> None:
    subject = thumb(players=4)
    to_flop(subject)
    sheet = subject.sheet("what?group=stub&pick=stub_dropped")
    assert "Peut-on remettre le talon dans son ordre" in sheet.title
    known = subject.sheet("what?group=burn&pick=no_burn.flop")
    assert [tap.name for tap in known.taps] == ["apply"]  # street and acts are known


def test_answers_can_be_taken_back_one_by_one(thumb: Make) -> None:
    subject = thumb(players=4)
    to_flop(subject)
    asked = subject.sheet("what?group=stub&pick=stub_dropped")
    following = subject.sheet(asked.taps[1].sheet)
    assert following.back == "what?group=stub&pick=stub_dropped"
    assert subject.sheet(following.back).title == asked.title
    # an answer that was never offered leads back to the choice, never to an error
    assert subject.sheet("what?group=stub&pick=stub_dropped&answers=perhaps").taps[0].name == "stub_dropped"


def test_question_of_the_engine_is_answered_with_a_button(thumb: Make) -> None:
    subject = thumb(players=4, book="tda2024")
    subject.tap("next")
    subject.tap("done")
    assert subject.do("claim", {"incident": "hand_touched_muck", "seat": "3", "facts": "{}"}).done
    view = subject.view()
    assert view.say.startswith("Siège 3\xa0: peut-on dire à coup sûr")
    assert view.tone == "ask"
    assert subject.tap("answer-no").done
    assert subject.running.state.seats[3].dead


def test_what_a_book_does_not_say_calls_the_floor_and_its_decision_is_entered(thumb: Make) -> None:
    subject = thumb(players=4, book="ltpq")
    subject.tap("next")
    subject.tap("done")
    apply(subject, "hand", "hand_touched_muck", "seat-3")
    view = subject.view()
    assert view.say == "L'arbitre est appelé\xa0: attendez-le"
    assert "main entrée dans la défausse" in view.then.lower()
    assert view.taps[0].name == "decide"
    sheet = subject.sheet("decide")
    assert {"play_on", "hand_dead", "hand_void", "note"} <= {tap.name for tap in sheet.taps}
    assert next(tap for tap in sheet.taps if tap.name == "hand_void").hold
    asked = subject.sheet("decide?choice=hand_dead")
    assert asked.form.hold
    outcome = subject.do("decide", {"choice": "hand_dead"})
    assert outcome.reason == "seat"
    assert subject.do("decide", {"choice": "hand_dead", "seats": "3"}).done
    assert subject.running.state.seats[3].dead
    assert subject.view().say == "Mettez la main du siège 3 à la défausse"
    subject.tap("done")
    assert subject.view().say == "Siège 4\xa0: à lui de parler"


def test_anybody_may_call_the_floor_and_free_words_are_a_decision(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    assert subject.tap("floor").done
    assert subject.asked == [("floor", 4)]
    assert subject.view().say == "L'arbitre est appelé\xa0: attendez-le"
    assert subject.do("decide", {}).reason == "choice"
    assert subject.do("decide", {"note": "On continue, dernier avertissement"}).done
    assert subject.view().say == "Siège 4\xa0: à lui de parler"
    assert not subject.running.here.floor


def test_decision_of_the_floor_may_correct_an_amount(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    subject.do("act", {"seat": "1", "said": "raise", "amount": "300"})
    subject.tap("floor")
    assert subject.do("decide", {"choice": "amount_corrected", "seats": "1"}).reason == "amount"
    assert subject.do("decide", {"choice": "amount_corrected", "seats": "1", "amount": "400"}).done
    assert subject.running.state.seats[1].bet == 400


def test_betting_irregularity_sends_to_the_chips_while_they_are_not_told(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    sheet = subject.sheet("what?group=amount&pick=oversized_chip&seat=1")
    assert [tap.name for tap in sheet.taps] == ["chips"]
    assert sheet.taps[0].sheet == "chips?seat=1"


@pytest.mark.parametrize("incident", sorted(INCIDENTS))
@pytest.mark.parametrize("moment", ["deal", "preflop", "burn", "flop", "over"])
def test_any_claim_at_any_moment_leaves_a_table_that_says_what_to_do(
    thumb: Make, incident: str, moment: str
) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    if moment != "deal":
        subject.tap("done")
    if moment in ("burn", "flop"):
        while subject.running.state.to_act is not None:
            subject.tap("check" if "check" in subject.names() else "call")
        subject.tap("done")
    if moment == "flop":
        subject.tap("done")
        subject.tap("done")
    if moment == "over":
        for _ in range(3):
            subject.tap("fold")
        subject.tap("pots")
    fields = {"incident": incident, "facts": "{}", **({"seat": "3"} if incident in OF_A_SEAT else {})}
    assert subject.do("claim", fields).done
    for lang in ("fr", "en"):
        view = subject.view(lang)
        assert view.say
        assert view.taps, (view.say, incident, moment)


def test_claim_of_nothing_is_refused(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    assert subject.do("claim", {"incident": "bad_luck"}).reason == "claim"
    assert subject.do("claim", {"incident": "boxed_card", "facts": "["}).reason == "claim"
    assert subject.do("claim", {"incident": "boxed_card", "facts": '{"by": [1]}'}).reason == "claim"
    assert subject.do("nonsense").reason == "unknown"
