"""Single cards as the reader finds them hardest: small, moved, and mostly courts and black suits.

Among them stand cards of other countries, backs, and outlines that are no card's: else a reader taught by
these would guess.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.detect.geometry import straighten
from vision.training.decks import Deck, Side
from vision.training.names import (
    BACK,
    FACE,
    IGNORED,
    NOT_A_CARD,
    Floats,
    Generator,
    Image,
    rank_class,
    suit_class,
)
from vision.training.samples import contrast, jittered, wrong_outline
from vision.training.scenes import Laid, Scene, background, place, spoil

NARROWEST, WIDEST = 28.0, 64.0
"""Width of the cards, pixels: from what is just read upwards."""
COURTS, ACES = 0.5, 0.12
"""Share of courts, and of aces, among the cards drawn; the rest are any of the deck."""
STRANGERS, BACKS, WRONG = 0.1, 0.2, 0.1
"""Share of cards that are none of the fifty-two, of backs, and of outlines that are no card's."""


def _drawn(rng: Generator) -> str:
    suit = "shdc"[int(rng.choice(4, p=[0.32, 0.18, 0.18, 0.32]))]
    chance = rng.random()
    if chance < COURTS:
        return "JQK"[int(rng.integers(3))] + suit
    if chance < COURTS + ACES:
        return "A" + suit
    return "23456789TJQKA"[int(rng.integers(13))] + suit


def _outline(rng: Generator, width: float, ratio: float, turn: float, middle: Floats) -> Floats:
    half = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * [width, width * ratio]
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = half @ rotation
    tilt = rng.normal(0, 0.06, 2) * (rng.random() < 0.6)
    corners = corners / (1 + (corners @ tilt[:, None]) / width) + middle
    outline: Floats = (corners + rng.normal(0, 0.006 * width, (4, 2))).astype(np.float32)
    return outline


def _laid(picture: Image, side: Side, quad: Floats, rng: Generator) -> Image:
    warped, _ = place(side, quad, picture.shape[0])
    opacity = warped[..., 3:].astype(np.float32) / 255
    if rng.random() < 0.5:
        dark = cv2.GaussianBlur(opacity, (0, 0), float(rng.uniform(0.7, 2.5)))[..., None]
        picture = (picture * (1 - dark * rng.uniform(0.1, 0.5))).astype(np.uint8)
    return np.asarray(picture * (1 - opacity) + warped[..., :3] * opacity).astype(np.uint8)


def _side(deck: Deck, rng: Generator) -> Side:
    chance = rng.random()
    if chance < STRANGERS:
        return deck.strangers[int(rng.integers(len(deck.strangers)))]
    return deck.back if chance < STRANGERS + BACKS else deck.faces[_drawn(rng)]


def close_crop(deck: Deck, rng: Generator) -> tuple[Image, int, int, int]:
    """Lay one card, another beside it at times, photograph it badly; give the crop, kind, rank and suit."""
    width = float(np.exp(rng.uniform(np.log(NARROWEST), np.log(WIDEST))))
    ratio = float(rng.uniform(1.36, 1.5))
    size = int(width * 2.1)
    side = _side(deck, rng)
    picture = background(rng, size)
    middle = np.array([size / 2, size / 2], np.float32) + rng.uniform(-0.5, 0.5, 2).astype(np.float32)
    turn = float(rng.uniform(0, 2 * np.pi))
    quad = _outline(rng, width, ratio, turn, middle)
    if rng.random() < 0.3:
        other = list(deck.faces)[int(rng.integers(52))]
        aside = (quad[1] - quad[0]) * rng.uniform(0.9, 1.3) * rng.choice([-1, 1])
        picture = _laid(picture, deck.faces[other], (quad + aside).astype(np.float32), rng)
    picture = _laid(picture, side, quad, rng)
    picture = spoil(picture, rng, width)
    wrong = None
    if rng.random() < WRONG:
        wrong = wrong_outline(Scene(picture, (Laid(side, quad, 1.0, ()),)), rng)
    outline = jittered(quad, rng, float(rng.choice([0.006, 0.015, 0.025]))) if wrong is None else wrong
    if rng.random() < 0.5:
        outline = np.roll(outline, 2, axis=0)
    crop = contrast(straighten(picture, np.ascontiguousarray(outline), 64, 96), rng)
    if wrong is not None:
        return crop, NOT_A_CARD, IGNORED, IGNORED
    if side.card is None:
        return crop, BACK, IGNORED, IGNORED
    return crop, FACE, rank_class(side.card), suit_class(side.card)
