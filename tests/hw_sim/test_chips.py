"""Exact amounts from real chips."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.chips import (
    DENOMINATIONS,
    break_down,
    clear_raise,
    denominations_for,
    exact,
    fewest,
    is_clear,
    needs_tidying,
)
from hw_sim.errors import WorldError
from hw_sim.world import Chip, make_chips


def chips_of(values: list[int]) -> list[Chip]:
    return [Chip(f"E0{n:014X}", value) for n, value in enumerate(values)]


def test_denominations_divide_everything() -> None:
    assert denominations_for([10000, 50, 100, 375])[0] == 25
    assert denominations_for([19425000, 75000])[0] == 25000
    assert denominations_for([7])[0] == 1
    for small, large in pairwise(DENOMINATIONS):
        assert large % small == 0


@given(st.integers(1, 5_000_000))
def test_a_broken_down_stack_is_worth_its_amount_and_pays_small_sums(amount: int) -> None:
    chips = chips_of(break_down(amount, DENOMINATIONS))
    assert sum(chip.value for chip in chips) == amount
    assert len(chips) < 90
    assert not needs_tidying(chips, DENOMINATIONS)
    for part in {1, amount // 3, amount // 2, amount - 1} - {0}:
        chosen = exact(chips, part)
        assert chosen is not None
        assert sum(chip.value for chip in chosen) == part


@given(st.lists(st.sampled_from(DENOMINATIONS[:7]), min_size=1, max_size=12), st.data())
def test_an_exact_payment_is_found_whenever_there_is_one(values: list[int], data: st.DataObject) -> None:
    chips = chips_of(values)
    part = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True, min_size=1))
    amount = sum(values[i] for i in part)
    chosen = exact(chips, amount)
    assert chosen is not None
    assert sum(chip.value for chip in chosen) == amount


def test_no_exact_payment_gives_none() -> None:
    assert exact(chips_of([100, 100]), 50) is None
    assert exact(chips_of([25]), 50) is None


def test_a_silent_raise_is_never_one_chip_nor_a_call_with_one_more() -> None:
    stack = chips_of([1000, 500, 500, 100, 100, 100, 100, 100, 25, 25, 25, 25])
    assert not is_clear(chips_of([1000]), 0, 100)
    assert not is_clear(chips_of([500, 500]), 0, 600)
    assert is_clear(chips_of([1000]), 0, 0)  # nothing to call: it is a bet
    for amount, bet, price in ((1000, 0, 100), (1000, 0, 600), (500, 100, 100), (450, 50, 100)):
        chosen = clear_raise(stack, amount, bet, price)
        assert chosen is not None
        assert sum(chip.value for chip in chosen) == amount
        assert is_clear(chosen, bet, price)
    assert clear_raise(chips_of([1000, 1000]), 1000, 0, 100) is None


def test_change_is_made_with_the_fewest_chips() -> None:
    assert fewest(1330, (5, 25, 100, 500, 1000)) == [1000, 100, 100, 100, 25, 5]


def test_stacks_are_tidied_when_small_chips_run_out_or_too_many_pile_up() -> None:
    assert needs_tidying(chips_of([1000] * 5), (25, 100, 500, 1000))
    assert needs_tidying(chips_of([25] * 200), (25, 100, 500, 1000))
    assert not needs_tidying(chips_of([25] * 3), (25, 100, 500, 1000))


def test_an_amount_below_the_smallest_chip_is_refused() -> None:
    with pytest.raises(WorldError, match="cannot be made"):
        break_down(130, (25, 100))


def test_chips_have_tags_of_their_own() -> None:
    chips = make_chips({25: 300, 100: 300}, random.Random(1))
    assert len({chip.uid for chip in chips}) == 600
