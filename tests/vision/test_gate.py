"""What of a picture is searched: what moved, and the rest in pieces; cards never sink into the felt."""

from __future__ import annotations

import numpy as np

from vision.gate import BUDGET, TILE_EVERY, Gate

FELT = np.full((720, 1280, 3), (60, 100, 40), np.uint8)


def with_card(x: int, y: int) -> np.ndarray:
    image = FELT.copy()
    image[y : y + 48, x : x + 34] = 245
    return image


def test_the_first_picture_is_searched_whole_and_then_only_what_moves() -> None:
    gate = Gate()
    assert gate.feed(with_card(100, 300), 0.0).regions is None
    for number in range(1, 60):
        regions = gate.feed(with_card(100 + 8 * number, 300), number / 15).regions
        assert regions is not None
        assert any(x <= 100 + 8 * number and y + h > 300 for x, y, w, h in regions)
        tiles = [each for each in regions if each[2] > 400]
        assert len(tiles) <= 1
        assert sum(w * h for x, y, w, h in regions if w <= 400) < BUDGET * 1280 * 720


def test_a_still_table_is_searched_again_in_pieces_every_five_seconds() -> None:
    gate = Gate()
    searched = [gate.feed(FELT, number / 15).regions or () for number in range(15 * 9)]
    assert not any(searched[1:70])
    looked = [region for regions in searched for region in regions]
    assert len(looked) == 12 and all(len(regions) <= 1 for regions in searched)
    covered = np.zeros((720, 1280), bool)
    for x, y, w, h in looked:
        covered[max(0, y) : y + h, max(0, x) : x + w] = True
    assert covered.all()


def test_what_comes_too_slowly_to_move_is_searched_all_the_same() -> None:
    gate = Gate()
    found = None
    for number in range(120):
        image = FELT.copy()
        image[300:348, 600:634] += np.uint8(min(number, 100))
        regions = gate.feed(image, number / 15).regions
        if number and any(
            x <= 600 and x + w >= 634 and y <= 300 and y + h >= 348 for x, y, w, h in regions or ()
        ):
            found = number / 15
            break
    assert found is not None and found < 3.0


def test_at_many_pictures_a_second_not_each_of_them_pays_for_a_tile() -> None:
    gate = Gate()
    gate.feed(FELT, 0.0)
    times = []
    for number in range(1, 120):
        image = FELT.copy()
        image[:, ::2] += np.uint8(min(number, 100))  # the light goes up: every tile looks other than before
        if any(w > 400 for _, _, w, _ in gate.feed(image, number / 30).regions or ()):
            times.append(number / 30)
    assert len(times) > 12
    assert np.diff(times).min() >= TILE_EVERY


def test_the_way_that_a_card_came_is_not_searched_in_every_picture() -> None:
    gate = Gate()
    gate.feed(FELT, 0.0)
    widths = []
    for number in range(1, 31):
        x = 100 + 30 * number
        regions = gate.feed(with_card(x, 300), number / 30).regions or ()
        around = [w for left, top, w, h in regions if left <= x and left + w >= x + 34]
        assert around
        widths.append(min(around))
    assert sorted(widths)[len(widths) // 2] < 300


def test_an_arm_is_searched_now_and_then_and_a_card_always() -> None:
    gate = Gate()
    gate.feed(FELT, 0.0)
    arms = cards = 0
    for number in range(1, 31):
        image = with_card(100 + 10 * number, 100)
        image[260:700, 300 + 10 * number : 800 + 10 * number] = (90 + number, 120, 170)
        image[260:700, 300 + 10 * number : 800 + 10 * number : 24] = 20
        regions = gate.feed(image, number / 15).regions or ()
        arms += any(w > 420 and y + h > 690 for x, y, w, h in regions)
        cards += any(x <= 100 + 10 * number and y <= 100 and w < 400 for x, y, w, h in regions)
    assert cards == 30 and 8 <= arms <= 20


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


def test_a_card_lies_by_itself_and_a_wrist_is_part_of_an_arm() -> None:
    outline = np.array([[600, 300], [634, 300], [634, 348], [600, 348]], np.float32)
    card, arm = Gate(), Gate()
    for gate in (card, arm):
        gate.feed(FELT, 0.0)
    sleeve = FELT.copy()
    sleeve[330:720, 585:650] = (90, 60, 45)
    sleeve[200:348, 600:634] = (125, 160, 205)
    card.feed(with_card(600, 300), 0.1)
    arm.feed(sleeve, 0.1)
    assert card.changed_around(outline) < 0.1
    assert arm.changed_around(outline) > 0.5
    assert card.changed_share(outline) > 0.9 and arm.changed_share(outline) > 0.9
