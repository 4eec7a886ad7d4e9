"""What each rulebook answers to each incident of deal, burns, board, deck and hands: the whole matrix.

One row is one case: an incident and its facts, and for each book the rulings with the beginning of
the article. The engine's scripts test how a case comes about; here the books alone are asked.
"""

from __future__ import annotations

import pytest

from engine.referee import GROUPS
from engine.rulebook import Row
from table_controller.rulebook_files import load_book
from tests.engine.matrix_board import BURNS_AND_BOARD
from tests.engine.matrix_case import BOOKS, Case
from tests.engine.matrix_deal import DEAL
from tests.engine.matrix_hands import DECK, HANDS

MATRIX = (*DEAL, *BURNS_AND_BOARD, *DECK, *HANDS)


def _name(case: Case) -> str:
    return f"{case.incident}-{'-'.join(f'{name}={value}' for name, value in case.facts.items())}"


@pytest.mark.parametrize("case", MATRIX, ids=_name)
@pytest.mark.parametrize("book", BOOKS)
def test_a_cell_of_the_matrix(case: Case, book: str) -> None:
    rulings, article = case.expected(book)
    row = load_book(book).find(case.incident, case.facts)
    assert isinstance(row, Row), f"{book} asks for {row.fact}"
    assert list(row.ruling) == rulings
    assert row.article.startswith(article)


def test_every_incident_of_deal_burns_board_deck_and_hands_is_in_the_matrix() -> None:
    groups = ("exposed_card", "wrong_deal", "boxed_card", "burn", "too_soon", "board", "stub", "deck", "hand")
    wanted = {incident for group in groups for incident in GROUPS[group]} | {"player_skipped", "time_expired"}
    assert {case.incident for case in MATRIX} == wanted


def test_no_case_stands_twice() -> None:
    names = [_name(case) for case in MATRIX]
    assert len(names) == len(set(names))
    assert len(MATRIX) >= 100


@pytest.mark.parametrize("book", BOOKS)
def test_a_ruling_says_whose_row_it_rests_on(book: str) -> None:
    loaded = load_book(book)
    for case in MATRIX:
        row = loaded.find(case.incident, case.facts)
        assert isinstance(row, Row)
        assert row.rulebook in loaded.lineage


def test_ltpq_calls_the_floor_for_every_irregularity() -> None:
    book = load_book("ltpq")
    for case in MATRIX:
        assert book.find(case.incident, case.facts) is book.floor
