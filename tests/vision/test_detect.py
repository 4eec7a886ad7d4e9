"""Cards in a rendered picture, and in real photos when they are there."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.detect import SeenCard, find_cards
from vision.detect.contours import contour_quads
from vision.detect.geometry import card_size, card_sized, ordered, overlap, plausible

HERE = Path(__file__).parent
PHOTOS = HERE.parents[2] / "shared" / "data" / "photos"


@pytest.fixture(scope="module")
def board() -> Any:
    return cv2.imread(str(HERE / "pictures" / "board.jpg"))


@pytest.fixture(scope="module")
def truth() -> list[dict[str, Any]]:
    return list(json.loads((HERE / "pictures" / "board.json").read_text(encoding="utf-8")))


def at(cards: tuple[SeenCard, ...], quad: list[list[float]]) -> SeenCard | None:
    """Find the detection that lies on a true outline."""
    there = ordered(quad)
    return next((card for card in cards if overlap(card.quad, there) > 0.8), None)


def test_every_card_of_a_board_is_named_where_it_lies(board: Any, truth: list[dict[str, Any]]) -> None:
    cards = find_cards(board)
    for entry in truth:
        seen = at(cards, entry["quad"])
        assert seen is not None, entry
        assert seen.face is (entry["card"] is not None)
        assert seen.card == entry["card"]
    assert len([card for card in cards if card.card]) == 7


def test_with_a_scale_other_sizes_are_no_cards(board: Any) -> None:
    assert len(find_cards(board, scale_mm=63.5 / 90)) == 8
    assert find_cards(board, scale_mm=63.5 / 20) == ()


def test_only_the_region_is_searched(board: Any, truth: list[dict[str, Any]]) -> None:
    cards = find_cards(board, regions=[(20, 50, 126, 190)])
    assert [card.card for card in cards] == ["Ah"]
    assert overlap(cards[0].quad, ordered(truth[0]["quad"])) > 0.8


def test_nothing_is_read_into_an_empty_table() -> None:
    rng = np.random.default_rng(3)
    felt = np.clip(rng.normal(90, 8, (360, 640, 3)), 0, 255).astype(np.uint8)
    assert [card for card in find_cards(felt) if card.card] == []
    assert find_cards(felt, regions=[(0, 0, 5, 5), (700, 0, 20, 20)]) == ()


def test_a_white_patch_gives_its_four_corners() -> None:
    picture = np.full((300, 300, 3), 60, np.uint8)
    corners = np.array([[80, 60], [180, 75], [160, 215], [60, 200]], np.int32)
    cv2.fillConvexPoly(picture, corners, (240, 240, 240))
    best = max(overlap(quad, ordered(corners)) for quad in contour_quads(picture))
    assert best > 0.95


def test_corners_are_put_clockwise_with_a_short_side_first() -> None:
    counter = [[0, 0], [0, 140], [100, 140], [100, 0]]
    width, height = card_size(ordered(counter))
    assert (width, height) == pytest.approx((100, 140))
    assert cv2.contourArea(ordered(counter), True) > 0
    assert cv2.contourArea(ordered(counter[::-1]), True) > 0


def test_size_and_shape_rule_out_what_is_no_card() -> None:
    card = ordered([[0, 0], [100, 0], [100, 140], [0, 140]])
    strip = ordered([[0, 0], [30, 0], [30, 140], [0, 140]])
    assert plausible(card) and not plausible(strip)
    assert card_sized(card, 0.63) and not card_sized(card, 0.2) and not card_sized(card, 2.0)


@pytest.mark.skipif(not (PHOTOS / "labels.json").exists(), reason="the photos are not here")
def test_ten_real_photos() -> None:
    labels = json.loads((PHOTOS / "labels.json").read_text(encoding="utf-8"))
    chosen = [entry for entry in labels if entry["file"][:2] in {"ed", "fc", "rd"}][::13][:10]
    wanted = right = told = 0
    for entry in chosen:
        found = [card.card for card in find_cards(cv2.imread(str(PHOTOS / entry["file"]))) if card.card]
        names = list(entry["cards"])
        wanted, told = wanted + len(names), told + len(found)
        for name in found:
            if name in names:
                names.remove(name)
                right += 1
    assert len(chosen) == 10
    assert right >= 0.6 * wanted
    assert right >= 0.9 * told
