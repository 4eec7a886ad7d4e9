"""Five answers make a file that the hub can use, whatever a club is called and however large it is."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.rulebook_files import hand_books
from tournament_hub.config import HubConfig, parse_config
from tournament_hub.first_settings import (
    BREAK_EVERY,
    FIELDS,
    Answers,
    Field,
    NotAnAnswer,
    all_answered,
    answered,
    config_text,
    defaults,
    small_blinds,
)


def config(answers: Answers, port: int | None = None) -> HubConfig:
    return parse_config(config_text(answers, seed=7, port=port), "hub.toml", Path("/club"))


def test_the_defaults_are_a_whole_evening() -> None:
    held = config(defaults("fr"))
    tournament = held.tournament["main"]
    assert (held.club.name, held.club.data, held.club.language) == ("Club de poker", "/club/.", "fr") or (
        Path(held.club.data) == Path("/club")
    )
    assert (tournament.without_device, tournament.seats, tournament.starting_stack) == (("1", "2"), 9, 20000)
    levels = [row for row in tournament.levels if row.big_blind is not None]
    assert (levels[0].small_blind, levels[0].big_blind, levels[0].minutes) == (100, 200, 20)
    assert levels[-1].big_blind is not None and levels[-1].big_blind * 20 >= 18 * 20000
    pauses = [place for place, row in enumerate(tournament.levels) if row.big_blind is None]
    assert pauses[0] == BREAK_EVERY
    assert (held.tables, tournament.tables, tournament.seed, held.web.port) == ({}, (), 7, 8080)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        Answers,
        name=st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60),
        tables=st.integers(1, 200),
        seats=st.integers(2, 10),
        stack=st.integers(20, 10**9),
        minutes=st.integers(1, 600),
        rulebook=st.sampled_from([book.id for book in hand_books()]),
        language=st.sampled_from(["fr", "en"]),
    )
)
def test_every_club_gets_a_file_that_can_be_read(answers: Answers) -> None:
    held = config(answers, 0)
    assert (held.club.name, held.web.port) == (answers.name, 0)
    assert len(held.tournament["main"].without_device) == answers.tables
    blinds = small_blinds(answers)
    assert blinds == sorted(set(blinds)) and blinds[0] >= 1
    assert all(later <= 2 * earlier for earlier, later in itertools.pairwise(blinds))


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        ("name", "  Poker   Club d'Été ", "Poker Club d'Été"),
        ("tables", "12", 12),
        ("seats", " 8 ", 8),
        ("rulebook", "ROPTA", "ropta"),
    ],
)
def test_answers_are_taken_as_people_type_them(field: Field, typed: str, value: object) -> None:
    assert getattr(answered(Answers(), field, typed), field) == value


def test_stack_and_minutes_are_one_answer() -> None:
    assert answered(Answers(), "pace", "30 000 / 15") == Answers(stack=30000, minutes=15)
    assert answered(Answers(minutes=12), "pace", "1.500") == Answers(stack=1500, minutes=12)
    assert answered(Answers(), "pace", "") == Answers()


def test_a_rulebook_may_be_named_by_its_number() -> None:
    assert answered(Answers(), "rulebook", "1").rulebook == hand_books()[0].id


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("name", "x" * 61),
        ("name", "a\u0007b"),
        ("tables", "0"),
        ("tables", "two"),
        ("tables", "201"),
        ("seats", "1"),
        ("seats", "11"),
        ("pace", "20000/"),
        ("pace", "5/20"),
        ("pace", "20000 / 0"),
        ("rulebook", "99"),
        ("rulebook", "poker"),
    ],
)
def test_what_is_no_answer_says_which_question(field: Field, typed: str) -> None:
    with pytest.raises(NotAnAnswer) as wrong:
        answered(Answers(), field, typed)
    assert wrong.value.code == field


def test_a_form_is_checked_as_a_whole() -> None:
    answers, wrong = all_answered({"name": "Lyon", "tables": "x", "seats": "99", "pace": "9000"}, Answers())
    assert wrong == {"tables": "tables", "seats": "seats"}
    assert (answers.name, answers.tables, answers.stack) == ("Lyon", 2, 9000)
    assert set(FIELDS) >= set(wrong)
