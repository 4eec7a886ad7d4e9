"""What of a picture is searched: what moved, and all of it twice a second; cards never sink into the felt."""

from __future__ import annotations

import numpy as np

from vision.gate import WHOLE_EVERY, Gate

FELT = np.full((720, 1280, 3), (60, 100, 40), np.uint8)


def with_card(x: int, y: int) -> np.ndarray:
    image = FELT.copy()
    image[y : y + 48, x : x + 34] = 245
    return image


def test_only_what_moves_is_searched_and_the_whole_twice_a_second() -> None:
    gate = Gate()
    wholes = regions = 0
    for number in range(60):
        gated = gate.feed(with_card(100 + 8 * number, 300), number / 15)
        if gated.regions is None:
            wholes += 1
        elif number > 1:
            regions += 1
            assert any(x <= 100 + 8 * number and y + h > 300 for x, y, w, h in gated.regions)
            assert sum(w * h for _, _, w, h in gated.regions) < 0.2 * 1280 * 720
    assert 60 / 15 / WHOLE_EVERY <= wholes <= 60 / 15 / WHOLE_EVERY + 2 and regions > 40


def test_a_still_table_is_not_searched_between_whole_looks() -> None:
    gate = Gate()
    searched = [gate.feed(FELT, number / 15).regions for number in range(40)]
    assert all(regions in (None, ()) for regions in searched)


def test_a_card_that_lies_for_a_minute_is_still_no_felt() -> None:
    gate = Gate()
    gate.feed(FELT, 0.0)
    for number in range(1, 900):
        gate.feed(with_card(600, 300), number / 15)
    assert gate.changed_at(617, 324, 15) and not gate.changed_at(200, 200, 15)
    assert not gate.moving_at(617, 324, 40)


def test_light_that_is_switched_on_begins_anew() -> None:
    gate = Gate()
    for number in range(10):
        gate.feed(FELT, number / 15)
    bright = np.clip(FELT.astype(int) + 60, 0, 255).astype(np.uint8)
    assert gate.feed(bright, 1.0).relit
    assert not gate.feed(bright, 1.1).relit and not gate.changed_at(640, 360, 30)
