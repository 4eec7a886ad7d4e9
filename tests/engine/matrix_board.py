"""The matrix of burns and board, cell by cell."""

from __future__ import annotations

from tests.engine.matrix_case import LATER, NOW, ONE_CHECK, SILENT, Case

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
