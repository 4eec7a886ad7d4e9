"""The generator of training scenes: what it says of a scene is what is in it."""

import cv2
import numpy as np
import pytest

from vision.training.art import HEIGHT, WIDTH, Art
from vision.training.close import close_crop
from vision.training.courts import PRINTED, Redrawing
from vision.training.decks import Deck, make_back, make_deck
from vision.training.names import OTHER, OTHER_RANKS, RANKS, SUITS, rank_class, suit_class
from vision.training.pips import draw_pips
from vision.training.samples import card_crops, finder_maps, index_crops
from vision.training.scenes import Laid, Scene, make_scene, moved
from vision.training.vary import quarter_turns, vary_crops


def drawn(word: str) -> np.ndarray:
    """Draw a word as a mask cut to its ink."""
    canvas = np.zeros((80, 40 * len(word) + 40), np.uint8)
    cv2.putText(canvas, word, (6, 60), cv2.FONT_HERSHEY_SIMPLEX, 2.0, 255, 4)
    rows, columns = np.where(canvas > 0)
    return canvas[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


@pytest.fixture(scope="module")
def art() -> Art:
    """Art without the package: letters by OpenCV, four plain shapes as pips."""
    letters = {name: drawn("10" if name == "T" else name) for name in (*RANKS, *OTHER_RANKS)}
    pips = {suit: drawn(sign) for suit, sign in zip(SUITS, "#VO%", strict=True)}
    face = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    styles = ("2color", "4color", "2color-bf", "4color-bf")
    cards = {style: {rank + suit: face for rank in RANKS for suit in SUITS} for style in styles}
    return Art(cards, [letters], [pips], face)


@pytest.fixture(scope="module")
def decks(art: Art) -> list[Deck]:
    return [make_deck(art, np.random.default_rng(seed)) for seed in range(3)]


def test_a_deck_has_fifty_two_faces_and_the_same_seed_prints_it_again(art: Art, decks: list[Deck]) -> None:
    again = make_deck(art, np.random.default_rng(1))
    assert len(again.faces) == 52
    assert all(np.array_equal(again.faces[card].image, decks[1].faces[card].image) for card in again.faces)


def test_a_back_looks_like_no_face_and_has_no_index(art: Art) -> None:
    back = make_back(art, np.random.default_rng(5))
    assert back.card is None
    assert back.indices == ()
    assert back.image.shape == (HEIGHT, WIDTH, 4)


def test_scenes_come_out_the_same_again_and_say_what_shows(decks: list[Deck]) -> None:
    first = make_scene(decks, np.random.default_rng(7), 160)
    again = make_scene(decks, np.random.default_rng(7), 160)
    assert np.array_equal(first.image, again.image)
    rng = np.random.default_rng(8)
    scenes = [make_scene(decks, rng, 160) for _ in range(12)]
    shares = [card.visible for scene in scenes for card in scene.cards]
    assert min(shares) >= 0 and max(shares) <= 1
    assert any(share > 0.95 for share in shares) and any(share < 0.6 for share in shares)


def test_maps_have_a_peak_at_every_card_that_shows(decks: list[Deck]) -> None:
    rng = np.random.default_rng(9)
    for _ in range(8):
        scene = make_scene(decks, rng, 160)
        maps, weights = finder_maps(scene)
        for card in scene.cards:
            x, y = card.quad.mean(axis=0) / 4
            if card.visible >= 0.3 and 0 <= x < 40 and 0 <= y < 40:
                assert maps[0, int(y), int(x)] == 1
                assert weights[0, int(y), int(x)] == 1
        for row, column in zip(*np.where(maps[7] == 1), strict=True):
            assert np.hypot(*maps[10:12, row, column]) == pytest.approx(1, abs=1e-3)


def test_crops_carry_their_cards_and_strangers_no_name(decks: list[Deck]) -> None:
    rng = np.random.default_rng(11)
    kinds = set()
    for _ in range(25):
        scene = make_scene(decks, rng, 160)
        for crop, kind, rank, suit in card_crops(scene, rng):
            assert crop.shape == (96, 64, 3)
            kinds.add(kind)
            if kind != 1:
                assert (rank, suit) == (-1, -1)
        for patch, rank, suit in index_crops(scene, rng):
            assert patch.shape == (48, 36, 3)
            assert -1 <= suit < 4 and 0 <= rank <= OTHER
    assert kinds == {0, 1, 2}
    assert rank_class("Td") == 8 and suit_class("Td") == 2
    assert rank_class("B?h") == OTHER and rank_class("joker") == OTHER and suit_class("joker") == 4


def test_the_cells_around_a_wide_peak_point_to_its_middle(decks: list[Deck]) -> None:
    rng = np.random.default_rng(12)
    checked = 0
    for _ in range(12):
        scene = make_scene(decks, rng, 160, least=90)
        maps, weights = finder_maps(scene)
        if len([card for card in scene.cards if card.visible >= 0.3]) != 1:
            continue
        (card,) = (card for card in scene.cards if card.visible >= 0.3)
        middle = card.quad.mean(axis=0) / 4
        for row, column in zip(*np.where(weights[0] > 0), strict=True):
            told = np.array([column, row]) + 0.5 + maps[1:3, row, column]
            assert np.abs(told - middle).max() < 0.01
            checked += 1
    assert checked >= 25


def test_motion_smears_along_the_way_and_keeps_the_light() -> None:
    picture = np.zeros((41, 41, 3), np.uint8)
    picture[20, 20] = 200
    smeared = moved(picture, 8.0, 0.0).astype(int)
    assert smeared[20, :, 0].sum() == pytest.approx(200, abs=12)
    assert np.count_nonzero(smeared[20, :, 0] > 5) in (8, 9, 10, 11)
    assert smeared[10].sum() == 0
    assert np.array_equal(moved(picture, 0.0, 1.0), picture)


def test_a_scene_turned_by_a_quarter_has_the_maps_of_the_turned_scene(decks: list[Deck]) -> None:
    rng = np.random.default_rng(13)
    checked = 0
    for _ in range(10):
        scene = make_scene(decks, rng, 160, least=40)
        maps, weights = finder_maps(scene)
        images, turned, counted = quarter_turns(scene.image[None], maps[None], weights[None], 1)
        assert np.array_equal(images[0], cv2.rotate(scene.image, cv2.ROTATE_90_COUNTERCLOCKWISE))
        there = Scene(
            images[0],
            tuple(
                Laid(
                    card.side,
                    np.stack([card.quad[:, 1], 159 - card.quad[:, 0]], axis=1),
                    card.visible,
                    tuple((y, 159 - x, up_y, -up_x) for x, y, up_x, up_y in card.indices),
                )
                for card in scene.cards
            ),
        )
        wanted, _ = finder_maps(there)
        for peak, first in ((0, 1), (7, 8)):
            for row, column in zip(*np.where(wanted[peak] == 1), strict=True):
                place = np.array([column, row]) + wanted[first : first + 2, row, column]
                if counted[0, peak // 7, row, column] == 0:
                    continue
                told = np.array([column, row]) + turned[0, first : first + 2, row, column]
                if np.abs(told - place).max() > 0.01:
                    continue  # a neighbour's numbers stand here
                last = first + (6 if peak == 0 else 5)
                assert turned[0, first + 2 : last, row, column] == pytest.approx(
                    wanted[first + 2 : last, row, column], abs=1e-4
                )
                checked += 1
    assert checked >= 15


def test_no_sample_is_learnt_from_twice_alike_but_a_seed_gives_the_same(decks: list[Deck]) -> None:
    rng = np.random.default_rng(14)
    crops = np.stack([crop for _ in range(4) for crop, *_ in card_crops(make_scene(decks, rng, 160), rng)])
    first = vary_crops(crops, np.random.default_rng(1), 63.5, turn=True)
    again = vary_crops(crops, np.random.default_rng(1), 63.5, turn=True)
    other = vary_crops(crops, np.random.default_rng(2), 63.5, turn=True)
    assert first.shape == crops.shape and first.dtype == np.uint8
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.abs(first.astype(int) - crops).mean() > 1


def test_drawn_suits_are_another_makers_each_time_and_a_spade_is_no_club() -> None:
    first, again, other = (draw_pips(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert set(first) == set(SUITS)
    assert all(np.array_equal(first[suit], again[suit]) for suit in SUITS)
    assert any(first[suit].shape != other[suit].shape for suit in SUITS)
    for seed in range(20):
        pips = draw_pips(np.random.default_rng(seed))
        assert all(pip.max() == 255 and pip[0].max() > 40 and pip[:, 0].max() > 40 for pip in pips.values())
        # A tenth from its top a spade is a point, a club as wide as its upper leaf.
        widths = {suit: int((pip[len(pip) // 10] > 127).sum()) / pip.shape[1] for suit, pip in pips.items()}
        assert widths["s"] < 0.24 < widths["c"]


def test_a_single_small_card_carries_its_name_and_most_are_courts_and_black(decks: list[Deck]) -> None:
    rng = np.random.default_rng(15)
    crops = [close_crop(decks[0], rng) for _ in range(200)]
    assert all(crop.shape == (96, 64, 3) for crop, *_ in crops)
    named = [(rank, suit) for _, kind, rank, suit in crops if kind == 1 and rank < OTHER]
    courts = sum(RANKS[rank] in "JQK" for rank, _ in named)
    black = sum(SUITS[suit] in "sc" for _, suit in named)
    assert 130 < len(named) < 180
    assert courts > 0.4 * len(named) and 0.5 < black / len(named) < 0.8
    assert {kind for _, kind, *_ in crops} == {0, 1, 2}
    assert any(kind == 1 and rank == OTHER for _, kind, rank, _ in crops)
    assert all((rank, suit) == (-1, -1) for _, kind, rank, suit in crops if kind != 1)
    again = close_crop(decks[0], np.random.default_rng(16))
    assert np.array_equal(again[0], close_crop(decks[0], np.random.default_rng(16))[0])


def test_a_redrawn_court_has_other_inks_and_still_looks_the_same_from_both_ends() -> None:
    figure = np.zeros((210, 137, 3), np.uint8)
    for row, ink in enumerate(PRINTED):
        figure[row * 21 : row * 21 + 21] = ink
    figure[105:] = figure[:105][::-1, ::-1]
    hand = Redrawing(np.random.default_rng(6))
    drawn_anew = hand.draw(figure)
    assert drawn_anew.shape == figure.shape
    assert np.abs(drawn_anew.astype(int) - figure).mean() > 5
    middles = [drawn_anew[row * 21 + 10, 68].astype(float) for row in range(5)]
    assert all(np.abs(middle - ink).max() < 40 for middle, ink in zip(middles, hand.inks, strict=True))
    turned = drawn_anew[::-1, ::-1].astype(int)
    assert np.abs(turned[4:-4, 4:-4] - drawn_anew[4:-4, 4:-4]).mean() < 12
