"""What each rulebook answers to each incident of deal, burns, board, deck and hands: the whole matrix.

One row is one case: an incident and its facts, and for each book the rulings with the beginning of
the article. The engine's scripts test how a case comes about; here the books alone are asked.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from engine.referee import GROUPS
from engine.rulebook import Row
from table_controller.rulebook_files import load_book

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

DEAL = (
    Case(
        "first_card_exposed",
        {"by": "dealer"},
        PPC_REPLACED,
        "misdeal: PN errors 1",
        "misdeal: ROPTA misdeal a",
        "misdeal: TDA 35",
        "misdeal: ROPTA misdeal a",
    ),
    Case(
        "second_card_exposed",
        {"by": "dealer"},
        PPC_REPLACED,
        REPLACED + "PN errors 2",
        "misdeal: ROPTA misdeal a",
        "misdeal: TDA 35",
        REPLACED + "PN errors 2",
    ),
    Case(
        "card_exposed_in_deal",
        {"by": "dealer"},
        PPC_REPLACED,
        REPLACED + "PN errors 2",
        REPLACED + "ROPTA exposed",
        REPLACED + "PN errors 2",
        REPLACED + "PN errors 2",
    ),
    Case(
        "card_exposed_in_deal",
        {"by": "player"},
        PPC_REPLACED,
        "card_kept: RRoP 119",
        REPLACED + "ROPTA exposed",
        "card_kept: RRoP 119",
        "card_kept: RRoP 119",
    ),
    *(
        Case(
            "card_flashed_in_deal",
            {"by": "dealer", "seen_by": seen_by, "notice": True},
            "card_replaced + burn_skipped: PPC 4.4",
            REPLACED + "PN errors 2",
            ropta,
            REPLACED + tda,
            standard,
        )
        for seen_by, ropta, tda, standard in (
            ("all", REPLACED + "ROPTA flashed", "PN errors 2", REPLACED + "PN errors 2"),
            ("majority", REPLACED + "ROPTA flashed", "PN errors 2", REPLACED + "PN errors 2"),
            ("some", "play_on: ROPTA flashed", "RRoP 119", "play_on: ROPTA flashed"),
        )
    ),
    Case(
        "several_cards_exposed_in_deal",
        {"by": "dealer"},
        "misdeal: PPC 4.5",
        "misdeal: PN errors 3",
        "misdeal: ROPTA misdeal b",
        "misdeal: TDA 35",
        "misdeal: PN errors 3",
    ),
    Case(
        "card_dropped_by_dealer",
        {"by": "dealer"},
        PPC_REPLACED,
        REPLACED + "PN errors 2",
        REPLACED + "ROPTA dropped",
        REPLACED + "PN errors 2",
        REPLACED + "PN errors 2",
    ),
    Case(
        "card_dropped_by_player",
        {"by": "player"},
        "card_kept: PPC 11.4",
        "card_kept: ROPTA dropped",
        "card_kept: ROPTA dropped",
        "card_kept: ROPTA dropped",
        "card_kept: ROPTA dropped",
    ),
    Case(
        "card_to_wrong_seat",
        BEFORE | {"first_seat": False},
        "misdeal: ROPTA misdeal c",
        "misdeal: ROPTA misdeal c",
        "misdeal: ROPTA misdeal c",
        "misdeal: TDA 35-A",
        "misdeal: ROPTA misdeal c",
    ),
    Case(
        "absent_dealt_in",
        {"absent": True},
        "hand_dead: PPC 4.2",
        "hand_dead: ROPTA absent",
        "hand_dead: ROPTA absent",
        "hand_dead: TDA 30",
        "hand_dead: ROPTA absent",
    ),
    Case(
        "seat_skipped",
        BEFORE | {"button_short": False, "his_turn_passed": False, "notice": False},
        "hand_dead: PPC 4.7",
        "misdeal: ROPTA misdeal d",
        "misdeal: ROPTA misdeal d",
        "misdeal: TDA 35-A4",
        "misdeal: ROPTA misdeal d",
    ),
    Case(
        "seat_skipped",
        AFTER | {"button_short": False, "his_turn_passed": False, "notice": False},
        "hand_dead: PPC 4.7",
        DEAD_ON,
        "play_on + hand_dead: ROPTA SA",
        DEAD_ON,
        DEAD_ON,
    ),
    Case(
        "wrong_card_count",
        BEFORE | {"button_short": False, "notice": True},
        "hand_dead: PPC 4.7",
        "misdeal: ROPTA misdeal e",
        "misdeal: ROPTA misdeal e",
        "misdeal: TDA 35-A5",
        "misdeal: ROPTA misdeal e",
    ),
    Case(
        "wrong_card_count",
        BEFORE | {"button_short": False, "notice": False},
        "hand_dead: PPC 4.7",
        "misdeal: ROPTA misdeal e",
        "play_on: ROPTA misdeal e",
        "misdeal: TDA 35-A5",
        "misdeal: ROPTA misdeal e",
    ),
    Case(
        "wrong_card_count",
        AFTER | {"button_short": False, "notice": True},
        "hand_dead: PPC 4.7",
        DEAD_ON,
        "play_on + hand_dead: ROPTA SA",
        DEAD_ON,
        DEAD_ON,
    ),
    *(
        Case(
            "wrong_card_count",
            sa | {"button_short": True, "his_turn_passed": passed, "notice": True},
            "hand_dead: PPC 4.7",
            others,
            ropta,
            tda,
            others,
        )
        for sa, passed, others, ropta, tda in (
            (BEFORE, False, "misdeal: ROPTA misdeal e", "misdeal: ROPTA misdeal e", "play_on: TDA 37"),
            (AFTER, False, DEAD_ON, "play_on + hand_dead: ROPTA SA", "play_on: TDA 37"),
            (AFTER, True, DEAD_ON, "play_on + hand_dead: ROPTA SA", "hand_dead: TDA 37"),
        )
    ),
    Case(
        "dealer_short",
        BEFORE | {"button_short": False, "his_turn_passed": False, "player_dealer": True},
        "hand_dead: PPC 4.7",
        "play_on: ROPTA dealer short",
        "play_on: ROPTA dealer short",
        "misdeal: TDA 35-A5",
        "play_on: ROPTA dealer short",
    ),
    Case(
        "dealer_short",
        AFTER | {"button_short": False, "his_turn_passed": True, "player_dealer": True},
        "hand_dead: PPC 4.7",
        "hand_dead: ROPTA dealer short",
        "hand_dead: ROPTA dealer short",
        DEAD_ON,
        "hand_dead: ROPTA dealer short",
    ),
    Case(
        "extra_card",
        BEFORE | {"first_seat": True},
        "card_returned + burn_assigned: PN errors 7",
        "card_returned + burn_assigned: PN errors 7",
        "misdeal: ROPTA misdeal e",
        "misdeal: TDA 35-A5",
        "card_returned + burn_assigned: PN errors 7",
    ),
    Case(
        "several_extra_cards",
        BEFORE | {"count": 2},
        "misdeal: PN errors 7",
        "misdeal: PN errors 7",
        "misdeal: ROPTA misdeal e",
        "misdeal: TDA 35-A5",
        "misdeal: PN errors 7",
    ),
    *(
        Case(incident, AFTER, DEAD_ON, DEAD_ON, "play_on + hand_dead: ROPTA SA", DEAD_ON, DEAD_ON)
        for incident in ("extra_card", "several_extra_cards")
    ),
    Case(
        "boxed_card",
        {"in_deal": True},
        "card_set_aside: ROPTA boxed",
        "card_set_aside: ROPTA boxed",
        "card_set_aside: ROPTA boxed",
        SILENT,
        "card_set_aside: ROPTA boxed",
    ),
    Case(
        "several_boxed_cards",
        {"in_deal": True, "betting_open": True},
        "misdeal: ROPTA boxed",
        "misdeal: ROPTA boxed",
        "misdeal: ROPTA boxed",
        "misdeal: TDA 35-A1",
        "misdeal: ROPTA boxed",
    ),
    Case(
        "several_boxed_cards",
        {"in_deal": False, "betting_open": True},
        "hand_void: ROPTA replay",
        "hand_void: ROPTA replay",
        "hand_void: ROPTA replay",
        SILENT,
        "hand_void: ROPTA replay",
    ),
    Case(
        "error_after_limit",
        AFTER,
        "play_on: PPC 4.6",
        "play_on: ROPTA SA",
        "play_on: ROPTA SA",
        "play_on: TDA 35-D",
        "play_on: ROPTA SA",
    ),
    Case("dealer_repeats", {}, *["penalty_reported: ROPTA repetition"] * 5),
)

BURNS_AND_BOARD = (
    Case(
        "no_burn",
        NOW | {"street": "flop", "identified": True},
        "burn_assigned: ROPTA no-burn",
        "burn_assigned: ROPTA no-burn",
        "burn_assigned: ROPTA no-burn",
        "burn_assigned: TDA 39-B",
        "burn_assigned: ROPTA no-burn",
    ),
    Case(
        "no_burn",
        NOW | {"street": "flop", "identified": False},
        SILENT,
        SILENT,
        "call_floor: ROPTA no-burn",
        "burn_assigned: TDA 39-B",
        SILENT,
    ),
    Case(
        "no_burn",
        ONE_CHECK | {"street": "flop", "identified": True},
        "burn_assigned: ROPTA no-burn",
        "burn_assigned: ROPTA no-burn",
        "burn_assigned: ROPTA no-burn",
        "play_on: TDA 39-B",
        "burn_assigned: ROPTA no-burn",
    ),
    *(
        Case(
            "no_burn",
            LATER | {"street": "flop", "identified": identified},
            "play_on: ROPTA SA",
            "play_on: ROPTA SA",
            "play_on: ROPTA SA",
            "play_on: TDA 39-B",
            "play_on: ROPTA SA",
        )
        for identified in (True, False)
    ),
    *(
        Case("no_burn", NOW | {"street": street, "identified": True}, *[SILENT] * 5)
        for street in ("turn", "river")
    ),
    *(
        Case(
            "double_burn",
            NOW | {"street": "flop", "flop_turned": turned, "identified": True},
            "burn_assigned: ROPTA double-burn",
            "burn_assigned: ROPTA double-burn",
            "burn_assigned: ROPTA double-burn",
            SILENT,
            "burn_assigned: ROPTA double-burn",
        )
        for turned in (True, False)
    ),
    Case("double_burn", NOW | {"street": "flop", "flop_turned": True, "identified": False}, *[SILENT] * 5),
    *(
        Case("double_burn", NOW | {"street": street, "flop_turned": True, "identified": True}, *[SILENT] * 5)
        for street in ("turn", "river")
    ),
    Case(
        "double_burn",
        LATER | {"street": "flop", "flop_turned": True, "identified": True},
        "play_on: ROPTA SA",
        "play_on: ROPTA SA",
        "play_on: ROPTA SA",
        "play_on: TDA 35-D",
        "play_on: ROPTA SA",
    ),
    Case(
        "flop_too_many_cards",
        NOW | {"count": 4, "identified": True},
        "street_redealt: PN errors 4",
        "street_redealt: PN errors 4",
        "burn_assigned: ROPTA four-card flop",
        "burn_assigned: TDA 39-A",
        "street_redealt: PN errors 4",
    ),
    Case(
        "flop_too_many_cards",
        NOW | {"count": 4, "identified": False},
        "street_redealt: PN errors 4",
        "street_redealt: PN errors 4",
        "call_floor: ROPTA four-card flop",
        "burn_assigned: TDA 39-A",
        "street_redealt: PN errors 4",
    ),
    Case(
        "flop_too_many_cards",
        NOW | {"count": 5, "identified": True},
        "street_redealt: PN errors 4",
        "street_redealt: PN errors 4",
        "call_floor: ROPTA four-card flop",
        SILENT,
        "street_redealt: PN errors 4",
    ),
    Case(
        "flop_too_many_cards",
        LATER | {"count": 4, "identified": True},
        "play_on: ROPTA SA",
        "street_redealt: PN errors 4",
        "play_on: ROPTA SA",
        "burn_assigned: TDA 39-A",
        "play_on: ROPTA SA",
    ),
    Case("street_too_many_cards", NOW | {"count": 2, "identified": True}, *[SILENT] * 5),
    Case(
        "premature_flop",
        NOW | {"identified": False},
        "street_redealt: PPC 4.8",
        "street_redealt: PN errors 5",
        "call_floor: ROPTA premature flop",
        "street_redealt: TDA RP-5",
        "street_redealt: PN errors 5",
    ),
    # The forgotten player has folded or checked meanwhile: the card goes back all the same.
    *(
        Case(
            incident,
            since | {"identified": True},
            "street_redealt: PPC 4.8",
            pokernews,
            ropta,
            "street_redealt: TDA RP-5",
            pokernews,
        )
        for incident, pokernews, article in (
            ("premature_flop", "street_redealt: PN errors 5", "ROPTA premature flop"),
            ("premature_turn", "card_held_out: PN errors 6", "ROPTA premature turn/river"),
            ("premature_river", "street_redealt: PN errors 6", "ROPTA premature turn/river"),
        )
        for since, ropta in (
            (NOW, f"street_redealt: {article}"),
            (ONE_CHECK, f"street_redealt: {article}"),
            (LATER, "play_on: ROPTA SA"),
        )
    ),
    Case(
        "stub_dropped",
        {"order_known": True, "mixed_with": "none"},
        "stub_rebuilt: ROPTA stub",
        "stub_rebuilt: ROPTA stub",
        "stub_rebuilt: ROPTA stub",
        "stub_rebuilt: TDA RP-4",
        "stub_rebuilt: ROPTA stub",
    ),
    *(
        Case(
            "stub_dropped",
            {"order_known": False, "mixed_with": mixed},
            "stub_rebuilt: ROPTA stub",
            "stub_rebuilt: ROPTA stub",
            "stub_rebuilt: ROPTA stub",
            "stub_rebuilt: TDA RP-4",
            "stub_rebuilt: ROPTA stub",
        )
        for mixed in ("none", "muck", "burn", "both")
    ),
    Case(
        "stub_exposed",
        {"betting_open": False, "count": 2},
        "stub_rebuilt: ROPTA stub shown",
        "stub_rebuilt: ROPTA stub shown",
        "stub_rebuilt: ROPTA stub shown",
        SILENT,
        "stub_rebuilt: ROPTA stub shown",
    ),
    Case("stub_exposed", {"betting_open": True, "count": 2}, *[SILENT] * 5),
    *(
        Case("board_disturbed", NOW | {"readable": readable}, told, told, told, SILENT, told)
        for readable, told in ((True, "play_on: ROPTA board"), (False, "pot_split: ROPTA board"))
    ),
    Case(
        "burn_exposed",
        {},
        "play_on: STD burn exposed",
        "play_on: STD burn exposed",
        "play_on: STD burn exposed",
        SILENT,
        "play_on: STD burn exposed",
    ),
)

DECK = (
    *(
        Case(
            "duplicate_card",
            sa | {"pot_taken": False, "card_kind": "duplicate", "street": street},
            "hand_void: ROPTA fouled deck",
            "hand_void: ROPTA fouled deck",
            "hand_void: ROPTA fouled deck",
            "hand_void: TDA 35-E",
            "hand_void: ROPTA fouled deck",
        )
        for sa, street in ((BEFORE, "preflop"), (AFTER, "turn"), (AFTER, "river"))
    ),
    *(
        Case(
            "foreign_card",
            sa | {"pot_taken": False, "card_kind": kind, "street": street},
            "hand_void: ROPTA fouled deck",
            "hand_void: ROPTA fouled deck",
            "hand_void: ROPTA fouled deck",
            tda,
            "hand_void: ROPTA fouled deck",
        )
        for kind in ("joker", "unknown", "other_back")
        for sa, street, tda in (
            (BEFORE, "preflop", "misdeal: TDA 35-A6"),
            (AFTER, "river", "card_set_aside: TDA 35-D"),
        )
    ),
    Case("missing_card", {"count": 51, "before_deal": True}, *["start_refused: STD deck count"] * 5),
    Case("missing_card", {"count": 51, "before_deal": False}, *[SILENT] * 5),
    Case(
        "wrong_deck",
        AFTER | {"pot_taken": False, "street": "flop", "card_kind": "other_deck"},
        "bets_returned + street_redealt: ROPTA two decks",
        "bets_returned + street_redealt: ROPTA two decks",
        "bets_returned + street_redealt: ROPTA two decks",
        "card_set_aside: TDA 35-D",
        "bets_returned + street_redealt: ROPTA two decks",
    ),
    *(
        Case(
            "wrong_deck",
            AFTER | {"pot_taken": False, "street": street, "card_kind": "other_deck"},
            "hand_void: ROPTA two decks",
            "hand_void: ROPTA two decks",
            "hand_void: ROPTA two decks",
            "card_set_aside: TDA 35-D",
            "hand_void: ROPTA two decks",
        )
        for street in ("turn", "river")
    ),
    *(
        Case(
            incident,
            AFTER | {"pot_taken": True, "street": "river"},
            "play_on: ROPTA two decks",
            "play_on: ROPTA two decks",
            "play_on: ROPTA two decks",
            "play_on: TDA 22",
            "play_on: ROPTA two decks",
        )
        for incident in ("wrong_deck", "duplicate_card", "foreign_card")
    ),
    Case("shuffle_cut_one_person", {}, *["penalty_reported: ROPTA shuffle/cut"] * 5),
)

HANDS = (
    *(
        Case(
            "hand_touched_muck",
            {"thrown_by": by, "identified": identified, "bet_called": called},
            "hand_dead: PPC 5.1",
            "hand_dead: PN muck",
            "hand_dead: ROPTA muck",
            tda,
            "hand_dead: ROPTA muck",
        )
        for by, identified, called, tda in (
            ("dealer", True, "nothing", "play_on: TDA 65-B"),
            ("player", True, "called", "play_on: TDA 65-B"),
            ("unknown", True, "uncalled_raise", "play_on: TDA 65-B"),
            ("dealer", False, "called", "hand_dead: TDA 65-A"),
            ("dealer", False, "uncalled_bet", "hand_dead + bets_returned: TDA 65-A"),
            # docs/decisions/0005: who throws his own hand away has folded.
            ("owner", True, "nothing", "hand_dead: TDA 58"),
            ("owner", False, "uncalled_raise", "hand_dead + bets_returned: TDA 15-B"),
        )
    ),
    *(
        Case(
            "unprotected_hand_fouled",
            {"protected": protected, "identified": identified, "bet_called": "nothing"},
            ppc,
            standard,
            standard,
            tda,
            standard,
        )
        for protected, identified, ppc, standard, tda in (
            (
                False,
                True,
                "hand_dead: PPC 5.2",
                "play_on + penalty_reported: ROPTA fouled",
                "play_on: TDA 65-B",
            ),
            (False, False, "hand_dead: PPC 5.2", "hand_dead: ROPTA fouled", "hand_dead: TDA 65-A"),
            (
                True,
                True,
                "play_on: PPC 5.2",
                "play_on + penalty_reported: ROPTA fouled",
                "play_on: TDA 65-B",
            ),
            (
                True,
                False,
                "bets_returned + hand_dead: PPC 5.2",
                "hand_dead: ROPTA fouled",
                "hand_dead: TDA 65-A",
            ),
        )
    ),
    *(
        Case(
            "unprotected_hand_killed",
            {"bet_called": called, "identified": identified, "thrown_by": "dealer"},
            "hand_dead: PPC 5.1",
            "hand_dead: PN muck",
            f"{back}: ROPTA protection",
            "play_on: TDA 65-B" if identified else f"{back}: TDA 65-A",
            f"{back}: ROPTA protection",
        )
        for called, back in (
            ("nothing", "hand_dead"),
            ("called", "hand_dead"),
            ("uncalled_bet", "hand_dead + bets_returned"),
            ("uncalled_raise", "hand_dead + bets_returned"),
        )
        for identified in (True, False)
    ),
    Case("hand_mixed", {}, *["hand_dead: ROPTA mixed"] * 5),
    *(
        Case(
            "hand_shown",
            {"shown_to": to, "on_purpose": on_purpose},
            ppc,
            "penalty_reported: ROPTA exposing",
            "penalty_reported: ROPTA exposing",
            "penalty_reported: TDA 68",
            "penalty_reported: ROPTA exposing",
        )
        for to, on_purpose, ppc in (
            ("one", True, "hand_dead: PPC 4.10"),
            ("player_in_hand", True, "hand_dead: PPC 4.10"),
            ("table", True, "penalty_reported: PPC 11.4"),
            ("one", False, "penalty_reported: PPC 11.4"),
        )
    ),
    Case(
        "tabled_early",
        {"by": "player", "shown_to": "table"},
        "play_on + penalty_reported: PPC 11.4",
        "play_on + penalty_reported: ROPTA exposing",
        "play_on + penalty_reported: ROPTA exposing",
        "play_on + penalty_reported: TDA 68",
        "play_on + penalty_reported: ROPTA exposing",
    ),
    *(
        Case(
            "player_skipped",
            {"acted_count": count, "sa_since": sa, "time_to_speak": spoke, "barred": False},
            ppc,
            standard,
            standard,
            tda,
            standard,
        )
        for count, sa, spoke, ppc, standard, tda in (
            (1, False, True, "play_on: PPC 4.9", "play_on: ROPTA forgotten", "play_on: TDA 53-B"),
            (2, True, True, "play_on: PPC 4.9", "action_bound: ROPTA forgotten", "call_floor: TDA 53-B"),
            (3, True, True, "hand_dead: PPC 4.9", "action_bound: ROPTA forgotten", "call_floor: TDA 53-B"),
            (3, True, False, "hand_dead: PPC 4.9", "action_bound: ROPTA forgotten", "play_on: TDA 53-B"),
        )
    ),
    *(
        Case(
            "time_expired",
            {"facing_bet": facing},
            "hand_dead: PPC 11.6",
            "hand_dead: ROPTA time",
            "hand_dead: ROPTA time",
            tda,
            "hand_dead: ROPTA time",
        )
        for facing, tda in ((True, "hand_dead: TDA 29"), (False, "action_bound: TDA 29"))
    ),
    *(
        Case(
            "left_table",
            {"all_in": all_in},
            told,
            told,
            told,
            "penalty_reported: TDA 31",
            told,
        )
        for all_in, told in ((False, "hand_dead: ROPTA absent"), (True, "play_on: ROPTA absent"))
    ),
    Case(
        "open_muck",
        {"facing_bet": False},
        "penalty_reported: ROPTA 9.22",
        "penalty_reported: ROPTA 9.22",
        "penalty_reported: ROPTA 9.22",
        "penalty_reported: TDA 58",
        "penalty_reported: ROPTA 9.22",
    ),
)

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
