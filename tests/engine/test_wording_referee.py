"""The referee's words: groups, picks, steps, readings, answers and whole rows, in both languages."""

from typing import Any

import pytest

from engine import wording
from engine.cases import Cases, effective
from engine.cures import STEP_NAMES
from engine.readings import READINGS
from engine.referee import GROUPS, QUESTIONS, Answer, consult, picks
from engine.rulebook import Row
from engine.wording import NotWorded
from table_controller.rulebook_files import available, hand_books, load_book
from tests.engine.wording_cases import LANGS, well_formed

ALL_PICKS = [name for group in GROUPS for name in picks(group)]


@pytest.mark.parametrize("lang", LANGS)
def test_every_group_pick_step_and_reading_has_words_of_its_own(lang: str) -> None:
    for names, say in (
        (GROUPS, wording.say_group),
        (ALL_PICKS, wording.say_pick),
        (STEP_NAMES, wording.say_step),
        (READINGS, wording.say_reading),
    ):
        texts = [say(name, lang) for name in names]
        for text in texts:
            well_formed(text)
            assert not text.endswith(".")
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("lang", LANGS)
def test_steps_are_told_to_a_dealer_and_fit_two_lines_of_a_phone(lang: str) -> None:
    for step in STEP_NAMES:
        text = wording.say_step(step, lang)
        assert text[0].isupper()
        assert len(text) <= 180, text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", available())
def test_every_row_of_every_book_is_a_sentence_with_its_article_and_something_to_do(
    name: str, lang: str
) -> None:
    book = load_book(name)
    for incident in [*book.rows, "reopened"]:
        for row in (*effective(book, incident), book.floor):
            text = wording.say_row(row, lang, picked=incident, sa="three_acted")
            well_formed(text)
            assert row.article in text
            steps = wording.say_steps(row, lang)
            assert len(steps) >= max(1, len(row.do))
            for step in steps:
                well_formed(step)
            well_formed(wording.say_rulings(row, lang))


@pytest.mark.parametrize("lang", LANGS)
def test_the_answers_to_a_question_differ(lang: str) -> None:
    for name in available():
        book = load_book(name)
        for incident in book.rows:
            cases = Cases(book, incident)
            for fact in cases.unknown({}):
                labels = [wording.say_option(fact, option, lang) for option in cases.options(fact, {})]
                assert len(labels) == len(set(labels)), (name, incident, fact)
                for label in labels:
                    well_formed(label)


def test_conditions_of_a_row_are_a_list_of_clauses() -> None:
    when: dict[str, Any] = {"protected": True, "acted_count": {"min": 3}}
    assert wording.say_conditions(when, "en") == "hand protected, players who acted since: at least 3"
    assert wording.say_conditions({}, "fr") == ""
    assert wording.say_conditions({"sa": False}, "en", sa="three_acted").startswith(
        "before substantial action ("
    )


def test_what_is_unanswered_is_said_to_be_so() -> None:
    silent = Row("*", ("call_floor",), "LTPQ doubt", "ltpq")
    written = Row("undercall", ("call_floor",), "TDA 51-B", "tda2024", read_as="director")
    assert "says nothing" in wording.say_row(silent, "en", picked="undercall")
    assert "says nothing" not in wording.say_row(written, "en")


def test_books_are_listed_by_name() -> None:
    assert wording.say_books(["ropta", "ppc2011"], "en") == "ROPTA and PPC 2011"


@pytest.mark.parametrize("say", [wording.say_group, wording.say_step, wording.say_reading])
def test_a_name_that_does_not_exist_is_refused_with_the_nearest(say: Any) -> None:
    known = next(iter({wording.say_group: GROUPS, wording.say_step: ["void_deal"]}.get(say, READINGS)))
    with pytest.raises(NotWorded) as refused:
        say(known + "x", "fr")
    assert known in refused.value.hint


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", available())
def test_every_consultation_of_every_book_is_said_in_full(name: str, lang: str) -> None:
    book = load_book(name)
    for group in GROUPS:
        for picked in picks(group):
            answers = [group, picked]
            for _ in range(QUESTIONS + 1):
                asked = consult(book, answers, hand_books())
                if isinstance(asked, Answer):
                    break
                well_formed(wording.say_asked(asked, lang, sa="three_acted"))
                choices = wording.say_choices(asked, lang)
                assert len({label for _, label in choices}) == len(choices) > 1
                answers.append(choices[-1][0])
            assert isinstance(asked, Answer)
            said = wording.say_answer(asked, lang, sa=wording.spoken_term(book), books=hand_books())
            assert [bool(case.condition) for case in said.cases] == [len(said.cases) > 1] * len(said.cases)
            for case in said.cases:
                well_formed(case.text)
                assert case.steps
                assert bool(case.reading) == any(
                    row.row.reading for row in asked.cases if row.row.article in case.text
                )
            assert len(said.others) == len(asked.others)
            for other in said.others:
                assert other.books[0].isupper()
                assert all(bool(condition) == (len(other.told) > 1) for condition, _ in other.told)
