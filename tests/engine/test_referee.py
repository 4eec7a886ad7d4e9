"""The pocket referee: every row is reached, in at most five answers, and real disputes are answered."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine import cases, referee
from engine.referee import GROUPS, QUESTIONS, Answer, BadAnswer, Pick, Question, consult, name_of, picks
from engine.rulebook import Row, load
from engine.rulings import INCIDENTS
from table_controller.rulebook_files import available, load_book

BOOKS = available()
DISPUTES = Path(__file__).resolve().parents[3] / "shared" / "data" / "cases" / "disputes.yaml"


def ways(book: str, answers: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Answer]]:
    """Every way from these answers to what the book says."""
    asked = consult(load_book(book), answers, ())
    if isinstance(asked, Answer):
        yield answers, asked
        return
    names = (
        asked.choices
        if isinstance(asked, Pick)
        else [name_of(asked.fact, option) for option in asked.options]
    )
    for name in names:
        yield from ways(book, (*answers, name))


@cache
def every_way(book: str) -> list[tuple[tuple[str, ...], Answer]]:
    return list(ways(book, ()))


# What may be picked -----------------------------------------------------------------------------


def test_there_are_twelve_groups_and_every_incident_is_in_one() -> None:
    assert len(GROUPS) == 12
    members = [incident for group in GROUPS.values() for incident in group]
    assert sorted(members) == sorted(INCIDENTS)
    for incident in INCIDENTS:
        assert incident in GROUPS[referee.group_of(incident) or ""]
    assert referee.group_of("no_such_incident") is None


def test_an_incident_with_variants_may_be_picked_with_or_without_one() -> None:
    book = load_book("ropta")
    assert "no_burn.turn" in picks("burn")
    assert "no_burn" not in picks("burn")
    plain = consult(book, ["burn", "no_burn"], ())
    assert isinstance(plain, Question)
    assert "street" in {plain.fact} | set(cases.Cases(book, "no_burn").unknown({}))
    turn = consult(book, ["burn", "no_burn.turn", "no"], ())
    assert isinstance(turn, Answer)
    assert turn.known == {"street": "turn", "sa_since": False}
    assert turn.cases[0].row is book.floor


# Every row, few questions -----------------------------------------------------------------------


@pytest.mark.parametrize("book", BOOKS)
def test_every_answer_comes_after_at_most_five_answers(book: str) -> None:
    seen = 0
    for answers, found in every_way(book):
        assert len(answers) <= 5, answers
        assert len(found.cases) == 1, answers
        seen += 1
    assert seen >= sum(len(picks(group)) for group in GROUPS)


@pytest.mark.parametrize("book", BOOKS)
def test_every_row_is_reached(book: str) -> None:
    reached = {
        (found.incident.partition(".")[0], cases.answer(found.cases[0].row)) for _, found in every_way(book)
    }
    loaded = load_book(book)
    for incident in INCIDENTS:
        for row in cases.effective(loaded, incident):
            assert (incident, cases.answer(row)) in reached, (incident, row.when)


@pytest.mark.parametrize("book", BOOKS)
def test_no_packaged_book_has_a_row_that_can_never_answer(book: str) -> None:
    assert [(row.incident, row.line) for row in cases.never_used(load_book(book))] == []


@pytest.mark.parametrize("book", BOOKS)
def test_the_answer_is_the_engines_whatever_the_facts_that_were_not_asked(book: str) -> None:
    loaded = load_book(book)
    for _, found in every_way(book):
        incident = found.incident.partition(".")[0]
        told = cases.Cases(loaded, incident, limit=True)
        for last in (0, -1):
            facts = told.complete(found.known)
            while told.unknown(facts):
                fact = told.unknown(facts)[0]
                facts = told.complete({**facts, fact: told.options(fact, facts)[last].value})
            row = loaded.find(incident, facts)
            if isinstance(row, Row) and "misdeal" in row.ruling:
                # Past the book's limit there is no misdeal any more.
                late = loaded.find("error_after_limit", facts)
                row = late if isinstance(late, Row) and late is not loaded.floor else row
            assert isinstance(row, Row)
            assert cases.answer(row) == cases.answer(found.cases[0].row), (found.incident, facts)


def test_past_the_limit_of_the_book_there_is_no_misdeal() -> None:
    for book, article in (("ppc2011", "PPC 4.6"), ("ropta", "ROPTA SA"), ("tda2024", "TDA 35-D")):
        found = consult(load_book(book), ["wrong_deal", "card_to_wrong_seat", "yes"], ())
        assert isinstance(found, Answer)
        assert (found.cases[0].row.ruling, found.cases[0].row.article) == (("play_on",), article)
        assert found.cases[0].row.incident == "card_to_wrong_seat"


# How it asks ------------------------------------------------------------------------------------


def test_a_fact_that_changes_nothing_is_not_asked() -> None:
    # PPC 4.7 kills the hand before and after the limit.
    found = consult(load_book("ppc2011"), ["wrong_deal", "wrong_card_count"], ())
    assert isinstance(found, Answer)
    assert found.cases[0].row.article == "PPC 4.7"


def test_what_follows_from_an_answer_is_not_asked() -> None:
    ways_of_acting = [found.known for _, found in ways("ropta", ("turn", "out_of_turn"))]
    assert ways_of_acting
    for known in ways_of_acting:
        assert not {"unchanged", "raised_between"} <= set(known)
        assert known.get("his_turn") is True or "barred" not in known


def test_values_that_a_book_does_not_tell_apart_are_one_answer() -> None:
    asked = consult(load_book("pokernews"), ["exposed_card", "card_exposed_in_deal"], ())
    assert isinstance(asked, Question)
    assert [option.values for option in asked.options] == [("dealer", "deck"), ("player",)]
    by_deck = consult(load_book("pokernews"), ["exposed_card", "card_exposed_in_deal", "deck"], ())
    assert isinstance(by_deck, Answer)
    assert by_deck.cases[0].row.article == "PN errors 2"


def test_a_number_is_answered_with_itself() -> None:
    book = load_book("ppc2011")
    for text, ruling in (("0", "play_on"), ("2", "play_on"), ("3", "hand_dead"), ("9", "hand_dead")):
        found = consult(book, ["turn", "player_skipped", text], ())
        assert isinstance(found, Answer)
        assert found.cases[0].row.ruling == (ruling,)
    for text in ("-1", "three", "", "1.5", "²"):
        with pytest.raises(BadAnswer):
            consult(book, ["turn", "player_skipped", text], ())


def test_the_answers_alone_are_the_state_so_that_going_back_is_leaving_one_out() -> None:
    book = load_book("tda2024")
    answers = ["turn", "out_of_turn", "yes", "no", "no"]
    steps = [consult(book, answers[:count], ()) for count in range(len(answers) + 1)]
    assert [type(step) for step in steps] == [Pick, Pick, Question, Question, Question, Answer]
    assert [consult(book, answers[:count], ()) for count in range(len(answers) + 1)] == steps


@pytest.mark.parametrize(
    ("answers", "place", "hint"),
    [
        (["nothing"], 0, "exposed_card"),
        (["burn", "undercall"], 1, "no_burn.flop"),
        (["burn", "no_burn.preflop"], 1, "no_burn.turn"),
        (["exposed_card", "card_exposed_in_deal", "unknown"], 2, "dealer"),
        (["stub", "dealer_repeats", "yes"], 2, "leave it out"),
    ],
)
def test_an_answer_that_was_not_offered_is_named(answers: list[str], place: int, hint: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        consult(load_book("pokernews"), answers, ())
    assert refused.value.place == place
    assert hint in refused.value.hint


# Other books ------------------------------------------------------------------------------------


def test_other_books_are_compared_on_the_same_case() -> None:
    others = [load_book(name) for name in BOOKS]
    found = consult(load_book("ropta"), ["exposed_card", "first_card_exposed", "no"], others)
    assert isinstance(found, Answer)
    said = {book: other.cases for other in found.others for book in other.books}
    assert "ropta" not in said
    assert said["ppc2011"][0].row.article == "PPC 4.3"
    assert said["ltpq"][0].row.ruling == ("call_floor",)
    # What PokerNews says hangs on who turned it, which ROPTA never asks.
    assert [(case.row.ruling, case.when) for case in said["pokernews"]] == [
        (("misdeal",), {"by": ["dealer", "deck"]}),
        (("card_kept",), {"by": "player"}),
    ]


def test_books_that_say_the_same_stand_together_and_silent_ones_last() -> None:
    others = [load_book(name) for name in BOOKS if name != "wsop2026"]  # it says nothing of a hand
    found = consult(load_book("ppc2011"), ["boxed_card", "boxed_card"], others)
    assert isinstance(found, Answer)
    assert set(found.others[0].books) == {"pokernews", "ropta", "standard", "stars"}
    assert set(found.others[-1].books) == {"ltpq", "tda2024"}


# A club's book that asks too much ---------------------------------------------------------------

CLUB = """id = "club"
name = "Club"
version = "1"
date = "2026-01-01"
source = "club"
floor = { article = "C 0" }
"""
FIVE_FACTS = "".join(
    f"""
[[hand]]
incident = "boxed_card"
when = {{ {fact} = true }}
ruling = "play_on"
article = "C {place}"
"""
    for place, fact in enumerate(
        ("protected", "readable", "on_purpose", "identified", "order_known"), start=1
    )
)


def test_where_more_questions_would_be_needed_the_cases_left_are_given_with_their_conditions() -> None:
    book = load(CLUB + FIVE_FACTS, "club.toml")
    assert referee.deepest(book, "boxed_card") > QUESTIONS
    found = consult(book, ["boxed_card", "boxed_card", "no", "no", "no"], ())
    assert isinstance(found, Answer)
    assert [(case.row.article, case.when) for case in found.cases] == [
        ("C 4", {"identified": True}),
        ("C 5", {"order_known": True}),
        ("C 0", {}),
    ]


def test_a_book_with_a_dozen_facts_in_one_incident_is_still_asked_about_at_once() -> None:
    facts = (
        "protected readable on_purpose identified order_known short absent all_in heads_up again opening "
        "first_seat player_dealer"
    ).split()
    rows = "".join(
        f"""
[[hand]]
incident = "boxed_card"
when = {{ {facts[place]} = true, {facts[place - 1]} = false, {facts[place - 2]} = true }}
ruling = "play_on"
article = "C {place}"
"""
        for place in range(len(facts))
    )
    book = load(CLUB + rows, "club.toml")
    assert referee.deepest(book, "boxed_card") == len(facts)
    asked = consult(book, ["boxed_card", "boxed_card"], ())
    assert isinstance(asked, Question)
    found = consult(book, ["boxed_card", "boxed_card", "no", "no", "no"], ())
    assert isinstance(found, Answer)
    assert len(found.cases) > 1


def test_a_row_behind_one_that_always_answers_is_never_used() -> None:
    rows = """
[[hand]]
incident = "boxed_card"
when = { protected = true }
ruling = "play_on"
article = "C 1"

[[hand]]
incident = "boxed_card"
when = { protected = false }
ruling = "misdeal"
article = "C 2"

[[hand]]
incident = "boxed_card"
when = { readable = true }
ruling = "hand_dead"
article = "C 3"
"""
    book = load(CLUB + rows, "club.toml")
    assert [row.article for row in cases.effective(book, "boxed_card")] == ["C 1", "C 2"]
    assert [(row.article, row.line) for row in cases.never_used(book)] == [("C 3", 20)]


def test_bounds_of_a_number_are_answers_of_their_own() -> None:
    rows = """
[[hand]]
incident = "flop_too_many_cards"
when = { count = { min = 4, max = 5 } }
ruling = "street_redealt"
article = "C 1"

[[hand]]
incident = "flop_too_many_cards"
when = { count = [6, 8] }
ruling = "misdeal"
article = "C 2"
"""
    asked = consult(load(CLUB + rows, "club.toml"), ["board", "flop_too_many_cards"], ())
    assert isinstance(asked, Question)
    assert [name_of("count", option) for option in asked.options] == ["4-5", "other", "other"]
    assert [option.spans for option in asked.options] == [
        ((4, 5),),
        ((6, 6), (8, 8)),
        ((0, 3), (7, 7), (9, None)),
    ]


# Real disputes ----------------------------------------------------------------------------------

# Which answers a person gives for each dispute of the shared cases, and what the text gives.
ASKED: dict[str, tuple[str, list[str], tuple[str, ...], str]] = {
    "A01": ("tda2024", ["board", "flop_too_many_cards", "4"], ("burn_assigned",), "TDA 39-A"),
    "A01 rrop": ("pokernews", ["board", "flop_too_many_cards"], ("street_redealt",), "PN errors 4"),
    "A03": ("tda2024", ["too_soon", "premature_turn"], ("street_redealt",), "TDA RP-5"),
    "A03 rrop": ("pokernews", ["too_soon", "premature_turn"], ("card_held_out",), "PN errors 6"),
    "A05": ("tda2024", ["burn", "no_burn.flop", "yes"], ("play_on",), "TDA 39-B"),
    "A06": ("tda2024", ["burn", "no_burn.flop", "no"], ("burn_assigned",), "TDA 39-B"),
    "A08": ("standard", ["burn", "double_burn.flop", "yes"], ("play_on",), "ROPTA SA"),
    "A08 tda": ("tda2024", ["burn", "double_burn.flop", "yes"], ("play_on",), "TDA 35-D"),
    "A10": ("tda2024", ["too_soon", "premature_river"], ("street_redealt",), "TDA RP-5"),
    "A10 rrop": ("pokernews", ["too_soon", "premature_river"], ("street_redealt",), "PN errors 6"),
    "A12": ("tda2024", ["board", "street_too_many_cards"], ("call_floor",), "TDA 1"),
    "B01": (
        "tda2024",
        ["exposed_card", "card_exposed_in_deal", "dealer"],
        ("card_replaced", "burn_assigned"),
        "PN",
    ),
    "B03": (
        "tda2024",
        ["exposed_card", "several_cards_exposed_in_deal", "yes", "no"],
        ("call_floor",),
        "TDA 35-A7, 35-D",
    ),
    "B03 before": (
        "tda2024",
        ["exposed_card", "several_cards_exposed_in_deal", "no"],
        ("misdeal",),
        "TDA 35-A7",
    ),
    "B03 late": ("tda2024", ["wrong_deal", "error_after_limit"], ("play_on",), "TDA 35-D"),
    "B05": ("tda2024", ["boxed_card", "boxed_card"], ("call_floor",), "TDA 1"),
    "B05 two": ("tda2024", ["boxed_card", "several_boxed_cards", "yes"], ("misdeal",), "TDA 35-A1"),
    "B06 a": ("tda2024", ["wrong_deal", "wrong_card_count", "no", "no"], ("misdeal",), "TDA 35-A5"),
    "B06 b": (
        "tda2024",
        ["wrong_deal", "wrong_card_count", "no", "yes"],
        ("hand_dead", "play_on"),
        "TDA 35-D",
    ),
    "B06 ppc": ("ppc2011", ["wrong_deal", "wrong_card_count"], ("hand_dead",), "PPC 4.7"),
    "B08": ("tda2024", ["wrong_deal", "wrong_card_count", "no", "yes"], ("hand_dead", "play_on"), "TDA 35-D"),
    "B10": ("tda2024", ["wrong_deal", "wrong_card_count", "yes", "yes"], ("hand_dead",), "TDA 37"),
    "B10 in time": ("tda2024", ["wrong_deal", "wrong_card_count", "yes", "no"], ("play_on",), "TDA 37"),
    "B12": ("tda2024", ["turn", "wrong_button", "yes"], ("play_on",), "TDA 34-A"),
    "C01": ("tda2024", ["deck", "duplicate_card", "no"], ("hand_void",), "TDA 35-E"),
    "C03": ("tda2024", ["deck", "duplicate_card", "no"], ("hand_void",), "TDA 35-E"),
    "C05": ("tda2024", ["deck", "foreign_card", "no", "yes"], ("card_set_aside",), "TDA 35-D"),
    "C05 before": ("tda2024", ["deck", "foreign_card", "no", "no"], ("misdeal",), "TDA 35-A6"),
    "C05 ropta": ("ropta", ["deck", "foreign_card", "no"], ("hand_void",), "ROPTA fouled deck"),
    "C05 ppc": ("ppc2011", ["deck", "foreign_card", "no"], ("hand_void",), "ROPTA fouled deck"),
    "C07": ("tda2024", ["deck", "missing_card", "no"], ("call_floor",), "TDA 1"),
    "D01": ("tda2024", ["turn", "out_of_turn", "yes", "yes", "no"], ("action_bound",), "TDA 53-A"),
    "D01 raised": ("tda2024", ["turn", "out_of_turn", "yes", "no", "no"], ("action_refused",), "TDA 53-A"),
    "D03": ("tda2024", ["turn", "out_of_turn", "no", "all_in"], ("play_on", "penalty_reported"), "TDA 53-A"),
    "D05": ("tda2024", ["turn", "player_skipped", "yes", "yes", "no"], ("call_floor",), "TDA 53-B"),
    "D07": ("tda2024", ["hand", "unprotected_hand_killed", "yes"], ("play_on",), "TDA 65-B"),
    "D07 lost": ("tda2024", ["hand", "unprotected_hand_killed", "no", "nothing"], ("hand_dead",), "TDA 65-A"),
    "D09": (
        "tda2024",
        ["hand", "hand_touched_muck", "owner", "uncalled_raise"],
        ("hand_dead", "bets_returned"),
        "TDA 15-B",
    ),
    "D09 ppc": ("ppc2011", ["hand", "hand_touched_muck"], ("hand_dead",), "PPC 5.1"),
    "D09 ropta": (
        "ropta",
        ["hand", "unprotected_hand_killed", "uncalled_raise"],
        ("hand_dead", "bets_returned"),
        "ROPTA protection",
    ),
    "D11": ("tda2024", ["hand", "tabled_early", "player"], ("play_on", "penalty_reported"), "TDA 68"),
    "D11 ppc": ("ppc2011", ["hand", "tabled_early", "player"], ("play_on", "penalty_reported"), "PPC 11.4"),
    "D11 one": ("ppc2011", ["hand", "hand_shown", "yes", "one"], ("hand_dead",), "PPC 4.10"),
}


@pytest.mark.parametrize("dispute", ASKED)
def test_a_real_dispute_is_answered_in_at_most_five_answers(dispute: str) -> None:
    name, answers, rulings, article = ASKED[dispute]
    found = consult(load_book(name), answers, ())
    assert isinstance(found, Answer), found
    assert len(answers) <= 5
    row = found.cases[0].row
    assert row.ruling == rulings
    assert row.article.startswith(article)


@pytest.mark.skipif(not DISPUTES.exists(), reason="the shared cases are not here")
def test_every_shared_dispute_is_among_them() -> None:
    yaml: Any = pytest.importorskip("yaml")
    ids = {case["id"] for case in yaml.safe_load(DISPUTES.read_text(encoding="utf-8"))}
    assert ids == {name.split()[0] for name in ASKED}
