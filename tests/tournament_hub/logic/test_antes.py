"""Antes: none, classic, big blind, button; short stacks, dead buttons, heads-up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.logic.antes import Posted, owed, posted, suggested
from tournament_hub.logic.presets import Preset, preset_of


def preset(name: str) -> Preset:
    return preset_of(load_book(name))


ROPTA, PPC = preset("ropta"), preset("ppc2011")
STACKS = {1: 5000, 3: 5000, 5: 5000, 8: 5000}


def level(kind: Any, amount: int = 200) -> m.Level:
    return m.Level(n=4, small_blind=100, big_blind=200, ante=m.Ante(kind=kind, amount=amount))


def put(
    kind: Any, stacks: dict[int, int], *, book: Preset = ROPTA, amount: int = 200, **more: Any
) -> dict[int, Posted]:
    return posted(book, level(kind, amount), stacks, button=1, small_blind=3, big_blind=5, **more)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("none", {}),
        ("classic", {1: 25, 3: 25, 5: 25, 8: 25}),
        ("big_blind", {5: 25}),
        ("button", {1: 25}),
    ],
)
def test_ropta_antes_who_pays(kind: Any, expected: dict[int, int]) -> None:
    assert owed(ROPTA, m.Ante(kind=kind, amount=25), STACKS, button=1, big_blind=5) == expected


def test_ropta_antes_no_button_ante_with_a_dead_button() -> None:
    assert owed(ROPTA, m.Ante(kind="button", amount=25), STACKS, button=2, big_blind=5) == {}


@pytest.mark.parametrize("kind", ["classic", "big_blind", "button"])
def test_ropta_antes_due_heads_up(kind: Any) -> None:
    assert owed(ROPTA, m.Ante(kind=kind, amount=25), {1, 5}, button=1, big_blind=5)


def test_ropta_antes_a_short_big_blind_pays_its_blind_first() -> None:
    assert put("big_blind", {**STACKS, 5: 300})[5] == Posted(200, 100)
    assert put("big_blind", {**STACKS, 5: 150})[5] == Posted(150, 0)
    assert put("big_blind", {**STACKS, 5: 300}, first="ante")[5] == Posted(100, 200)


def test_ropta_antes_a_short_player_of_a_classic_ante_puts_in_what_he_has() -> None:
    assert put("classic", {**STACKS, 8: 15}, amount=25)[8] == Posted(0, 15)


@pytest.mark.parametrize(("stack", "out"), [(20, True), (25, True), (26, False)])
def test_ppc_8_4_who_cannot_pay_or_has_not_one_chip_to_bet_is_out(stack: int, out: bool) -> None:
    found = put("classic", {**STACKS, 8: stack}, book=PPC, amount=25)[8]
    assert (found.eliminated, found.ante) == (out, min(stack, 25))
    assert not put("classic", {**STACKS, 8: stack}, amount=25)[8].eliminated


def test_a_dead_small_blind_is_not_posted() -> None:
    found = posted(ROPTA, level("none"), STACKS, button=1, small_blind=None, big_blind=5)
    assert found == {5: Posted(200, 0)}


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["none", "classic", "big_blind", "button"]),
    st.dictionaries(st.integers(1, 10), st.integers(1, 600), min_size=2),
    st.integers(0, 300),
    st.data(),
)
def test_nobody_puts_in_more_than_he_has_or_owes(
    kind: Any, stacks: dict[int, int], amount: int, data: Any
) -> None:
    seats = sorted(stacks)
    big = data.draw(st.sampled_from(seats))
    small = data.draw(st.sampled_from([None, *[seat for seat in seats if seat != big]]))
    for book in (ROPTA, PPC):
        found = posted(book, level(kind, amount), stacks, button=seats[0], small_blind=small, big_blind=big)
        for seat, paid in found.items():
            assert 0 <= paid.all <= stacks[seat]
            assert paid.ante <= amount and paid.blind <= 200
        assert sum(paid.ante > 0 for paid in found.values()) <= (len(seats) if kind == "classic" else 1)


def test_suggested_antes() -> None:
    assert [suggested(kind, 400, 25).amount for kind in ("none", "classic", "big_blind", "button")] == [
        0,
        25,
        400,
        400,
    ]
