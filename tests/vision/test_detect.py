"""Cards in a rendered picture, and in real photos when they are there."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.detect import SeenCard, find, find_cards
from vision.detect.contours import contour_quads
from vision.detect.covered import covered_cards, paired_outline
from vision.detect.finder import Index
from vision.detect.geometry import card_size, card_sized, ordered, overlap, plausible
from vision.detect.snap import snap_all
from vision.recognise import CARDS, read_crops

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


def test_a_card_of_which_the_region_shows_a_piece_is_none_of_its_cards(
    board: Any, truth: list[dict[str, Any]]
) -> None:
    corners = np.array(truth[0]["quad"])
    left, top = (int(value) for value in corners.min(axis=0))
    wide, high = (int(value) for value in np.ptp(corners, axis=0))
    for part in (0.3, 0.5, 0.8):
        piece = (left - 20, top - 20, wide + 40, int(high * part) + 20)
        cards = find_cards(board, scale_mm=63.5 / 90, regions=[piece])
        assert all(card.visible == 0.25 for card in cards)  # by its corner, and told as one


def test_an_outline_of_another_size_than_a_cards_is_worth_less() -> None:
    card = ordered([[0, 0], [63.5, 0], [63.5, 88.9], [0, 88.9]])
    assert find.misfit(card, 1.0) == find.misfit(card * np.array([57 / 63.5, 1]), 1.0) == 0
    assert find.misfit(card * 1.04, 1.0) < 0.01  # nearer to the camera, or blurred
    assert 0.1 < find.misfit(card * 1.15, 1.0) < find.misfit(card * 1.2, 1.0) <= 0.5
    assert find.misfit(card * 0.7, 1.0) > 0.3


def test_live_regions_show_the_same_cards_with_a_fraction_of_the_reading(
    board: Any, truth: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(crops: Any) -> Any:
        read.append(len(crops))
        return read_crops(crops)

    monkeypatch.setattr(find, "read_crops", counted)
    high, wide = board.shape[:2]
    find_cards(board, scale_mm=63.5 / 90)
    whole = sum(read)
    read.clear()
    cards = find_cards(board, scale_mm=63.5 / 90, regions=[(0, 0, wide, high)])
    assert sum(read) < 0.75 * whole
    for entry in truth:
        seen = at(cards, entry["quad"])
        assert seen is not None and seen.card == entry["card"]
    assert len(cards) == 8


def test_two_indices_a_diagonal_apart_are_one_cards_corners() -> None:
    card = ordered([[100, 50], [200, 50], [200, 190], [100, 190]])
    first, second = Index(110, 67, 0, -12, 0.9), Index(190, 173, 0, 12, 0.8)
    outline = paired_outline(first, second)
    assert outline is not None and overlap(outline, card) > 0.9
    upright = Index(190, 173, 0, -12, 0.8)
    assert paired_outline(first, upright) is None
    assert paired_outline(first, Index(400, 173, 0, 12, 0.8)) is None
    assert paired_outline(first, Index(190, 173, 0, 30, 0.8)) is None


def test_both_corners_of_a_card_found_by_its_indices_alone_make_one_card() -> None:
    table = np.full(53, 0.0005, np.float32)
    table[CARDS.index("Qd")] = 0.97
    first, second = Index(110, 67, 0, -12, 0.9), Index(190, 173, 0, 12, 0.8)
    (card,) = covered_cards([(first, table), (second, table)], ())
    assert card.card == "Qd" and card.visible > 0.5
    assert overlap(card.quad, ordered([[100, 50], [200, 50], [200, 190], [100, 190]])) > 0.9
    stray = Index(500, 400, 12, 0, 0.7)
    assert len(covered_cards([(first, table), (stray, table)], ())) == 1


def candidate(quad: list[list[float]], name: str | None, sure: float, heat: float = 0.5) -> find._Candidate:
    """Make an outline that was read as a card, or as a back."""
    table = np.full(53, 0.0005, np.float32)
    if name is not None:
        table[CARDS.index(name)] = 0.97
    return find._Candidate(ordered(quad), name is not None, sure, table, heat)


def square(x: float, y: float, width: float) -> list[list[float]]:
    return [[x, y], [x + width, y], [x + width, y + 1.4 * width], [x, y + 1.4 * width]]


def test_a_back_inside_a_face_is_a_part_of_its_picture() -> None:
    court, part = candidate(square(0, 0, 100), "Qd", 0.8), candidate(square(25, 30, 50), None, 0.99)
    assert find._whole_faces_first([part, court]) == [court]
    beside = candidate(square(150, 30, 50), None, 0.99)
    assert find._whole_faces_first([beside, court]) == [beside, court]
    # Two cards taken for one do not swallow the card that is read surely.
    both, one = candidate(square(0, 0, 200), "3c", 0.6), candidate(square(10, 10, 100), "Ah", 0.99)
    assert find._whole_faces_first([both, one]) == [both, one]


def test_what_is_half_the_size_of_the_cards_that_are_read_is_no_card() -> None:
    row = [candidate(square(120 * n, 0, 100), name, 0.99) for n, name in enumerate(("Ah", "7c", "2d"))]
    chip = candidate(square(50, 300, 48), "4d", 0.97)
    assert find._of_one_size([*row, chip]) == row
    unsure = candidate(square(50, 300, 48), "4d", 0.85)
    assert find._of_one_size([*row[:2], unsure]) == [*row[:2], unsure]


def test_an_outline_that_is_a_little_off_is_drawn_onto_the_edges() -> None:
    picture = np.full((300, 300, 3), 60, np.uint8)
    corners = np.array([[80, 60], [180, 75], [160, 215], [60, 200]], np.int32)
    cv2.fillConvexPoly(picture, corners, (240, 240, 240))
    off = (ordered(corners) + np.array([6, -5], np.float32)).astype(np.float32)
    first, nothing = snap_all(picture, [off, ordered([[5, 5], [45, 5], [45, 62], [5, 62]])])
    assert first is not None and overlap(first, ordered(corners)) > 0.96
    assert nothing is None or overlap(nothing, ordered(corners)) < 0.2
    assert snap_all(picture, []) == []


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


@pytest.mark.parametrize(
    ("own", "live", "told"), [(0.6, True, True), (0.05, True, False), (0.05, False, True)]
)
def test_in_live_pictures_an_index_alone_does_not_name_a_card(own: float, live: bool, told: bool) -> None:
    """A queen that the whole card's reading takes for none surely, and of whose Q a few pixels are read as a 9."""
    card, index = np.full(53, 0.005, np.float32), np.full(53, 0.0005, np.float32)
    nine, king = CARDS.index("9d"), CARDS.index("Kd")
    card[nine], card[king] = own, 0.4
    index[nine] = 0.974
    joined = find._joined(card, index, live=live)
    assert int(joined.argmax()) == nine
    assert bool(joined[nine] >= 0.9) is told
