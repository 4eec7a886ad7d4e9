"""Whoever knows no poker deals an evening by lamps, two lines and buttons alone; any subset of the buttons will do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

from firmware_bridge.codes import BUTTONS
from table_controller.panel.layout import lacks, layout_of
from tests.table_controller.panel.novice import ON_PAGE, WAITING, Novice, Offered

Make = Callable[..., Any]


def test_twenty_hands_with_five_irregularities_by_lamps_and_buttons_alone(panel_table: Make) -> None:
    table = panel_table(players=5)
    novice = Novice(table, "evening")
    for number in range(20):
        novice.hand(irregular=number % 4 == 2)
        assert table.state.phase == "over"
        assert table.shown.startswith(WAITING), table.shown
    assert table.state.hand == 20
    assert novice.applied >= 5
    assert novice.on_page == 0


@pytest.mark.parametrize("betting", ["amounts", "rounds"])
def test_other_tables_are_led_by_the_panel_too(panel_table: Make, betting: str) -> None:
    table = panel_table(players=4, betting=betting, game="light = false")
    novice = Novice(table, f"{betting}")
    for number in range(6):
        novice.hand(irregular=number == 2)
    assert novice.on_page == 0
    if betting == "amounts":
        assert sum(stack or 0 for stack in table.running.last.stacks.values()) == 20000


@pytest.mark.parametrize(
    ("buttons", "presses"), [(("NEXT_HAND",), 30), (("CUT", "NEXT_HAND", "FLOOR"), 30), (("YES", "PLUS"), 59)]
)
def test_thirty_clean_hands_in_light_mode(panel_table: Make, buttons: tuple[str, ...], presses: int) -> None:
    table = panel_table(players=9, betting=None, buttons=buttons)
    for number in range(1, 31):
        for meaning in ("main", "prendre"):
            offered = Offered(table.shown)
            if meaning in offered:
                button, held = offered.what[meaning]
                table.press(button, held=1.2 if held else 0.15)
        assert table.state.hand == number, table.shown
    assert table.presses == presses


def subsets() -> list[tuple[str, ...]]:
    """Each button away in turn, some pairs and single ones, and any others."""
    every = tuple(BUTTONS.values())
    found = [tuple(name for name in every if name != gone) for gone in every]
    found += [(), *((name,) for name in every)]
    found += list(itertools.combinations(("PLUS", "MINUS", "SEAT", "YES", "NO"), 2))
    found.append(("FOLD", "CHECK", "CALL", "RAISE", "ALL_IN", "NEXT_HAND", "CUT"))
    rng = random.Random("subsets")
    found += [
        tuple(name for name in every if rng.random() < share) for share in (0.2, 0.5) for _ in range(12)
    ]
    return found


@pytest.mark.parametrize("buttons", subsets(), ids=lambda buttons: "+".join(buttons) or "none")
def test_no_subset_of_the_buttons_is_a_dead_end(panel_table: Make, buttons: tuple[str, ...]) -> None:
    table = panel_table(players=3, buttons=buttons, page=True)
    alone = not lacks(layout_of(buttons), betting="words", light=False, chips=False, deal_seen=False)
    novice = Novice(table, "subset")
    for number in range(2):
        novice.hand(irregular=number == 1 and layout_of(buttons).next is not None)
    if layout_of(buttons).next is not None:
        assert novice.on_page == 0, novice.seen
    elif not alone:
        assert novice.on_page > 0, novice.seen
    else:  # only a question of the rulebook is left to the page
        asked = [line for line in novice.seen if ON_PAGE in line]
        assert all("?" in line for line in asked), asked
    assert bool(table.panel.shortcomings()) == (not alone or layout_of(buttons).next is None)
