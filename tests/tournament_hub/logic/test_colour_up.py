"""Colour-up by preset: equal value first, then the race or the rule; nobody raced out; totals add up and are logged."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.rulebook_files import load_book
from tournament_hub.logic.colour_up import RANKS, SUITS, Stack, TableLog, allowed, colour_up, race, winners
from tournament_hub.logic.presets import Preset, preset_of


def preset(name: str, **other: Any) -> Preset:
    return msgspec.structs.replace(preset_of(load_book(name)), **other)


ROPTA, PPC, TDA = preset("ropta"), preset("ppc2011"), preset("tda2024")


def seat(number: int, chips: int, old: int, rest: int = 5000) -> Stack:
    return Stack(number, f"e{number}", rest + chips * old, chips)


def after(log: TableLog) -> dict[int, int]:
    return {found.seat: found.after - found.before for found in log.seats}


# -- the race (ROPTA colour-up, TDA 24) -----------------------------------------------------


@pytest.mark.parametrize("book", [ROPTA, TDA])
def test_one_card_a_left_over_chip_highest_wins_one_chip_at_most(book: Preset) -> None:
    stacks = [seat(1, 7, 25), seat(4, 2, 25), seat(9, 4, 25)]
    found = race(25, 100, stacks)
    assert (found.cards, found.prizes) == ({1: 3, 4: 2}, 1)
    log = colour_up(book, "t1", 25, 100, stacks, dealt={1: ["Ac", "Ad", "Kh"], 4: ["As", "2c"]})
    assert after(log) == {1: -75, 4: 50, 9: 0}
    assert [(s.equal, s.extra) for s in log.seats] == [(1, 0), (0, 1), (1, 0)]
    assert (log.before, log.after, log.rescued, log.removed) == (15_325, 15_300, 50, 75)


@pytest.mark.parametrize(("left", "prizes"), [(1, 0), (2, 1), (3, 1), (5, 1), (6, 2)])
def test_ropta_colour_up_rounded_up_from_half_a_higher_chip(left: int, prizes: int) -> None:
    spread = [seat(number, 1, 25) for number in range(1, left + 1)]
    assert race(25, 100, spread).prizes == prizes


def test_ropta_colour_up_equal_ranks_go_spades_hearts_diamonds_clubs() -> None:
    dealt = {1: ["Ad"], 2: ["Ac"], 3: ["As"], 4: ["Ah"]}
    assert winners(dealt, 4) == (3, 4, 1, 2)


def test_only_the_cards_of_the_race_are_taken() -> None:
    stacks = [seat(1, 1, 25), seat(2, 1, 25)]
    for dealt in (None, {1: ["Ac"]}, {1: ["Ac", "Kc"], 2: ["2c"]}):
        with pytest.raises(ValueError, match="the race deals"):
            colour_up(ROPTA, "t1", 25, 100, stacks, dealt=dealt)
    with pytest.raises(ValueError, match="dealt twice"):
        colour_up(ROPTA, "t1", 25, 100, stacks, dealt={1: ["Ac"], 2: ["Ac"]})
    with pytest.raises(ValueError, match="no card"):
        colour_up(ROPTA, "t1", 25, 100, stacks, dealt={1: ["Ac"], 2: ["1c"]})


@pytest.mark.parametrize("book", [ROPTA, TDA])
def test_tda_24_nobody_is_raced_out(book: Preset) -> None:
    stacks = [seat(1, 3, 25), seat(2, 1, 25, rest=0)]
    log = colour_up(book, "t1", 25, 100, stacks, dealt={1: ["Ac", "2c", "3c"], 2: ["Kc"]})
    assert after(log) == {1: 25, 2: 75}
    assert (log.rescued, log.removed) == (100, 0)


# -- three for one (PPC) ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chips", "change"), [(1, -100), (2, -200), (3, 200), (4, 100), (5, 0), (7, -200), (8, 200)]
)
def test_ppc_10_3_three_of_100_give_one_of_500(chips: int, change: int) -> None:
    log = colour_up(PPC, "t1", 100, 500, [seat(1, chips, 100)])
    assert after(log) == {1: change} and log.article == "PPC 10.3"


@pytest.mark.parametrize(("old", "new"), [(25, 50), (50, 100)])
def test_ppc_10_2_the_odd_chip_of_half_the_value_is_rounded_up(old: int, new: int) -> None:
    assert after(colour_up(PPC, "t1", old, new, [seat(1, 3, old)])) == {1: old}


@pytest.mark.parametrize("chips", [1, 2])
def test_ppc_7_3_nobody_is_eliminated_by_it(chips: int) -> None:
    log = colour_up(PPC, "t1", 100, 500, [seat(1, chips, 100, rest=0)])
    assert log.seats[0].after == 500 and not log.seats[0].eliminated


def test_ppc_10_2_save_when_the_replacement_is_worth_the_ante() -> None:
    stacks = [seat(1, 1, 50, rest=0), seat(2, 1, 50)]
    log = colour_up(PPC, "t1", 50, 100, stacks, ante=100)
    assert [(s.after, s.eliminated) for s in log.seats] == [(0, True), (5100, False)]
    assert (log.rescued, log.removed) == (50, 50)
    assert not colour_up(PPC, "t1", 50, 100, stacks, ante=50).seats[0].eliminated
    assert (
        not colour_up(preset("ppc2011", raced_out="never"), "t1", 50, 100, stacks, ante=100)
        .seats[0]
        .eliminated
    )


def test_ppc_2_1_only_in_breaks() -> None:
    assert allowed(PPC, in_break=True) and not allowed(PPC, in_break=False)
    assert allowed(ROPTA, in_break=False)


# -- rounding, for a club's own book -------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "changes"), [("round_half_up", {1: -25, 2: 50, 3: 25}), ("round_up", {1: 75, 2: 50, 3: 25})]
)
def test_rounding(rule: str, changes: dict[int, int]) -> None:
    stacks = [seat(1, 1, 25), seat(2, 2, 25), seat(3, 3, 25)]
    assert after(colour_up(preset("ropta", colour_up=rule), "t1", 25, 100, stacks)) == changes


# -- what is refused, and what always holds --------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "stacks", "told"),
    [
        (25, 60, [seat(1, 1, 25)], "60 is no multiple of 25"),
        (100, 25, [seat(1, 1, 100)], "25 is no multiple"),
        (0, 25, [], "no multiple of 0"),
        (25, 100, [seat(1, 1, 25), seat(1, 2, 25)], "a seat is there twice"),
        (25, 100, [Stack(2, "e2", 40, 2)], "seat 2: 2 chips of 25 in a stack of 40"),
    ],
)
def test_what_cannot_be_is_refused(old: int, new: int, stacks: list[Stack], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        colour_up(PPC, "t1", old, new, stacks)


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from(["race_cards", "three_for_one", "round_half_up", "round_up"]),
    st.sampled_from([(25, 50), (25, 100), (100, 500), (1, 5)]),
    st.dictionaries(
        st.integers(1, 10), st.tuples(st.integers(0, 14), st.sampled_from([0, 100, 5000])), max_size=10
    ),
    st.randoms(use_true_random=False),
    st.integers(0, 500),
)
def test_total_after_is_total_before_plus_rescued_minus_removed(
    rule: Any, values: tuple[int, int], held: dict[int, tuple[int, int]], random: Any, ante: int
) -> None:
    old, new = values
    book = preset("ropta", colour_up=rule)
    stacks = [seat(number, chips, old, rest) for number, (chips, rest) in held.items() if chips or rest]
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    random.shuffle(deck)
    dealt = {
        number: [deck.pop() for _ in range(count)] for number, count in race(old, new, stacks).cards.items()
    }
    log = colour_up(book, "t1", old, new, stacks, dealt=dealt, ante=ante)
    assert log.after == log.before + log.rescued - log.removed
    assert sum(s.total for s in stacks) == log.before
    for found in log.seats:
        assert found.after > 0 and not found.eliminated
        assert found.extra <= 1 and abs(found.after - found.before) < new
        assert (found.after - found.before) == found.rescued - found.removed
        assert (found.after - (found.before - found.given * old)) % new == 0
