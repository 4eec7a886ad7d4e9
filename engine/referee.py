"""The pocket referee: what happened, at most four questions, what the book says.

Needs no hand and no device: the questions come from the conditions of the book's own rows, so a
club's file is asked about as well as ours.
"""

from typing import Final

from msgspec import Struct

from engine.facts import FACTS, holds
from engine.rulebook import Facts, Row, Rulebook

# Twelve groups in the order in which a dealer meets them; every incident is in one.
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "exposed_card": (
        "card_exposed_in_deal",
        "first_card_exposed",
        "second_card_exposed",
        "several_cards_exposed_in_deal",
        "card_flashed_in_deal",
        "card_dropped_by_dealer",
        "card_dropped_by_player",
    ),
    "wrong_deal": (
        "wrong_card_count",
        "seat_skipped",
        "card_to_wrong_seat",
        "extra_card",
        "several_extra_cards",
        "dealer_short",
        "absent_dealt_in",
        "error_after_limit",
    ),
    "boxed_card": ("boxed_card", "several_boxed_cards"),
    "burn": ("no_burn", "double_burn", "burn_exposed"),
    "too_soon": ("premature_flop", "premature_turn", "premature_river"),
    "board": ("flop_too_many_cards", "street_too_many_cards", "board_disturbed"),
    "stub": ("stub_dropped", "stub_exposed", "shuffle_cut_one_person", "dealer_repeats"),
    "deck": ("duplicate_card", "foreign_card", "wrong_deck", "missing_card"),
    "hand": (
        "hand_touched_muck",
        "unprotected_hand_fouled",
        "unprotected_hand_killed",
        "hand_mixed",
        "hand_shown",
        "tabled_early",
        "left_table",
        "open_muck",
    ),
    "turn": (
        "out_of_turn",
        "player_skipped",
        "time_expired",
        "simultaneous",
        "conditional_word",
        "bet_before_card",
        "wrong_button",
        "utg_posted",
        "short_blind",
        "ante_eliminated",
    ),
    "amount": (
        "below_minimum_raise",
        "oversized_chip",
        "several_chips",
        "smaller_chip",
        "word_against_chips",
        "string_bet",
        "call_without_bet",
        "check_facing_bet",
        "underbet",
        "undercall",
        "underraise",
        "short_all_in",
        "reopened",
    ),
    "showdown": ("wrong_pot", "asked_to_see", "hidden_chips"),
}

# What the referee takes for granted: somebody spoke up, in no-limit, for the first time.
TAKEN: Final[dict[str, bool | int | str]] = {"notice": True, "limit": "no_limit", "again": False}


class Question(Struct, frozen=True):
    """One question: a fact and its possible answers (``other`` stands for any other number)."""

    fact: str
    options: tuple[bool | int | str, ...]


class Answer(Struct, frozen=True):
    """What the book says: the row that answers, and what the other books say of the same case."""

    row: Row
    others: tuple[Row, ...]


OTHER: Final = "other"


def group_of(incident: str) -> str | None:
    """Give the group that an incident is found under."""
    return next((name for name, members in GROUPS.items() if incident in members), None)


def ask(book: Rulebook, incident: str, known: Facts) -> Question | Answer:
    """Give the next question about an incident, or the answer once nothing more can change it."""
    facts: dict[str, bool | int | str | None] = {**TAKEN, **known}
    question = _next(book, incident, facts)
    return (
        question
        if question is not None
        else Answer(_decide(book, incident, facts), _others(book, incident, facts))
    )


def _open_rows(book: Rulebook, incident: str, facts: Facts) -> list[Row]:
    """The rows that the facts do not exclude, down to the first that holds for certain."""
    rows: list[Row] = []
    for row in book.candidates(incident):
        missing = row.unknown(facts)
        if missing is False:
            continue
        rows.append(row)
        if missing is None:
            break
    return rows


def _next(book: Rulebook, incident: str, facts: Facts) -> Question | None:
    rows = _open_rows(book, incident, facts)
    unknown = [name for row in rows for name in row.when if facts.get(name) is None]
    if not unknown:
        return None
    # The fact that most rows wait for splits them best; between equals the earlier row's.
    fact = max(dict.fromkeys(unknown), key=unknown.count)
    return Question(fact, _options(fact, rows))


def _options(fact: str, rows: list[Row]) -> tuple[bool | int | str, ...]:
    kind = FACTS[fact][0]
    if kind == "flag":
        return (True, False)
    conditions = [row.when[fact] for row in rows if fact in row.when]
    if kind == "number":
        numbers: list[bool | int | str] = []
        for condition in conditions:
            if isinstance(condition, dict):
                numbers += [
                    bound for bound in (condition.get("min"), condition.get("max")) if bound is not None
                ][:1]
            else:
                numbers += condition if isinstance(condition, list) else [condition]
        return (*dict.fromkeys(numbers), OTHER)
    words = [word for word in kind if any(holds(condition, word) for condition in conditions)]
    rest = [word for word in kind if word not in words]
    return (*words, *rest)


def _decide(book: Rulebook, incident: str, facts: Facts) -> Row:
    for row in book.candidates(incident):
        if row.unknown(facts) is None:
            return row
    return book.floor


def _others(book: Rulebook, incident: str, facts: Facts) -> tuple[Row, ...]:
    found: list[Row] = []
    for other in book.others:
        row = _decide(other, incident, facts)
        if "call_floor" not in row.ruling and row not in found:
            found.append(row)
    return tuple(found)
