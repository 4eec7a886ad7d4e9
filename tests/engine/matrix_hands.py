"""The matrix of the deck and of dead hands, cell by cell."""

from __future__ import annotations

from tests.engine.matrix_case import AFTER, BEFORE, SILENT, Case

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
