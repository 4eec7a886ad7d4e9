"""The form of a cell of the rules' matrix: a case, and what each book answers to it."""

from __future__ import annotations

from typing import NamedTuple

BOOKS = ("ppc2011", "pokernews", "ropta", "tda2024", "ltpq", "standard")
FLOORS = {
    "ppc2011": "PPC 12.1",
    "pokernews": "STD floor",
    "ropta": "ROPTA director",
    "tda2024": "TDA 1",
    "ltpq": "LTPQ doubt",
    "standard": "STD floor",
}
SILENT = ""


class Case(NamedTuple):
    """One line of the matrix: ``"ruling + ruling: article"`` for each book, empty where it calls the floor."""

    incident: str
    facts: dict[str, bool | int | str]
    ppc2011: str
    pokernews: str
    ropta: str
    tda2024: str
    standard: str
    ltpq: str = SILENT

    def expected(self, book: str) -> tuple[list[str], str]:
        told = getattr(self, book) or f"call_floor: {FLOORS[book]}"
        rulings, _, article = told.partition(": ")
        return rulings.split(" + "), article


REPLACED = "card_replaced + burn_assigned: "
PPC_REPLACED = "card_replaced + burn_skipped: PPC 4.3"
DEAD_ON = "hand_dead + play_on: TDA 35-D"
BEFORE = {"sa": False}
AFTER = {"sa": True}
NOW = {"sa_since": False, "acted_since": False, "acted_count": 0}
ONE_CHECK = {"sa_since": False, "acted_since": True, "acted_count": 1}
LATER = {"sa_since": True, "acted_since": True, "acted_count": 3}
