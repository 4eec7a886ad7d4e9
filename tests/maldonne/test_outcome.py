"""A played board beside its record: which differences are none, and which are."""

from __future__ import annotations

import pytest

from maldonne.outcome import lying_as

FLOP = ("Qd", "4d", "9c")


def test_the_flop_has_no_order() -> None:
    assert lying_as(("9c", "Qd", "4d", "8d"), (*FLOP, "8d")) == (*FLOP, "8d")


@pytest.mark.parametrize(
    "found",
    [
        ("9c", "Qd", "8d", "4d"),  # a card of the flop lies as the turn
        ("9c", "Qd", "5d", "8d"),  # another card was read
        ("9c", "Qd", None, "8d"),  # one was not read
        ("9c", "Qd", "Qd", "8d"),  # one was read twice
        ("9c", "4d"),
    ],
)
def test_every_other_difference_stands(found: tuple[str | None, ...]) -> None:
    assert lying_as(found, (*FLOP, "8d")) == found
