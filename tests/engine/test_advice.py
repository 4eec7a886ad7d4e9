"""Remarks on a club's book: what can be used but hardly means this."""

from __future__ import annotations

import pytest

from engine import advice, cures
from engine.rulebook import load
from engine.rulings import RULINGS
from table_controller.rulebook_files import available, load_book

HEAD = """id = "club"
name = "Club"
version = "1"
date = "2026-01-01"
source = "club"
floor = { article = "C 0" }
"""


def row(incident: str, ruling: str, **more: str) -> str:
    lines = [f'incident = "{incident}"', f'ruling = "{ruling}"', 'article = "C 1"']
    return "\n[[hand]]\n" + "\n".join([*lines, *(f"{key} = {value}" for key, value in more.items())]) + "\n"


@pytest.mark.parametrize("book", available())
def test_the_packaged_books_leave_nothing_to_remark(book: str) -> None:
    assert advice.remarks(load_book(book)) == ()


def test_a_ruling_without_the_step_that_does_it() -> None:
    book = load(HEAD + row("boxed_card", "misdeal"), "club.toml")
    (remark,) = advice.remarks(book)
    assert (remark.code, remark.incident, remark.line, remark.ruling) == (
        "no-step",
        "boxed_card",
        8,
        "misdeal",
    )
    assert remark.names == ("void_deal",)


def test_a_step_that_does_it_or_a_reading_is_enough() -> None:
    rows = row("boxed_card", "misdeal", do='["void_deal"]') + row(
        "undercall", "chips_forfeited", read_as='"call"'
    )
    assert advice.remarks(load(HEAD + rows, "club.toml")) == ()


@pytest.mark.parametrize("ruling", ["play_on", "card_kept", "call_floor", "penalty_reported"])
def test_what_needs_no_hand_needs_no_step(ruling: str) -> None:
    assert advice.remarks(load(HEAD + row("boxed_card", ruling), "club.toml")) == ()


def test_a_row_that_never_answers_is_named_by_its_line() -> None:
    rows = row("boxed_card", "play_on") + row("boxed_card", "card_kept", when="{ protected = true }")
    (remark,) = advice.remarks(load(HEAD + rows, "club.toml"))
    assert (remark.code, remark.line) == ("never-used", 13)


def test_an_inherited_row_that_never_answers_is_no_remark() -> None:
    base = load(HEAD + row("boxed_card", "card_kept", when="{ protected = true }"), "base.toml")
    text = HEAD.replace('"club"', '"new"', 1) + row("boxed_card", "play_on")
    book = load('extends = "club"\n' + text, "new.toml", parent=lambda name: base)
    assert len(book.rows["boxed_card"]) == 2
    assert advice.remarks(book) == ()


def test_more_questions_than_the_pocket_referee_asks() -> None:
    facts = ("protected", "readable", "on_purpose", "identified")
    rows = "".join(row("boxed_card", "play_on", when=f"{{ {fact} = true }}") for fact in facts)
    rows = rows.replace('"C 1"', '"C 9"', 1).replace('"C 1"', '"C 8"', 1).replace('"C 1"', '"C 7"', 1)
    (remark,) = advice.remarks(load(HEAD + rows, "club.toml"))
    assert (remark.code, remark.names) == ("many-questions", ("4",))


def test_the_steps_named_for_a_ruling_exist() -> None:
    assert set(advice.STEPS_OF) <= RULINGS
    for steps in advice.STEPS_OF.values():
        assert set(steps) <= cures.STEP_NAMES
