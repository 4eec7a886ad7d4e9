"""The card finder: a small network that looks at the whole picture at several sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.detect.geometry import CARD_WIDTH_MM, Floats, ordered, plausible
from vision.detect.seen import Frame, Quad
from vision.models import run

STRIDE: Final = 4
SIZES: Final = (1280, 800, 480, 288)
"""Long sides at which a picture is searched: cards of 20 to 150 pixels in one of them."""
CARD_HEAT: Final = 0.25
INDEX_HEAT: Final = 0.3
CARD_WIDTH: Final = 64.0
"""Pixels that a card is wide in the one size that is searched when the scale is known."""
SMALLEST: Final = 16.0
LARGEST: Final = 190.0
"""Widths of cards, in pixels of the searched size, that the network was taught."""


@dataclass(frozen=True, slots=True)
class Index:
    """A corner index: its centre, the vector to its top (pixels of the frame), and the network's heat."""

    x: float
    y: float
    up_x: float
    up_y: float
    heat: float

    def patch(self, size: float = 1.0) -> Quad:
        """Give the outline of what the index reader looks at, or one that is larger or smaller."""
        up = np.array([self.up_x, self.up_y], np.float32) * (1.35 * size)
        right = np.array([-self.up_y, self.up_x], np.float32) * (1.05 * size)
        centre = np.array([self.x, self.y], np.float32)
        return np.array(
            [centre + up - right, centre + up + right, centre - up + right, centre - up - right], np.float32
        )

    @property
    def half_height(self) -> float:
        """Half of the height of rank and suit together, pixels."""
        return float(np.hypot(self.up_x, self.up_y))


def _peaks(heat: Floats, least: float) -> list[tuple[int, int]]:
    """Give rows and columns of the local maxima."""
    around = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.where((heat >= around) & (heat > least))
    strongest = np.argsort(-heat[rows, columns])[:160]
    return [(int(rows[n]), int(columns[n])) for n in strongest]


def _at_size(frame: Frame, factor: float) -> tuple[list[tuple[Quad, float]], list[Index]]:
    """Search the picture at one size."""
    picture = frame
    if factor != 1.0:
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
        picture = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=how).astype(np.uint8)
    height, width = picture.shape[:2]
    picture = cv2.copyMakeBorder(picture, 0, -height % 32, 0, -width % 32, cv2.BORDER_REPLICATE).astype(
        np.uint8
    )
    maps = run("finder", picture[None])["maps"][0]
    card_heat = (1 / (1 + np.exp(-maps[0]))).astype(np.float32)
    index_heat = (1 / (1 + np.exp(-maps[7]))).astype(np.float32)
    cards, indices = [], []
    for row, column in _peaks(card_heat, CARD_HEAT):
        dx, dy, cos, sin, wide, high = (float(value) for value in maps[1:7, row, column])
        w, h = 50 * float(np.exp(np.clip(wide, -3, 3))), 70 * float(np.exp(np.clip(high, -3, 3)))
        if not SMALLEST <= w <= LARGEST:
            continue
        angle = float(np.arctan2(sin, cos)) / 2
        along = np.array([np.cos(angle), np.sin(angle)]) * h / 2
        across = np.array([-np.sin(angle), np.cos(angle)]) * w / 2
        centre = np.array([column + 0.5 + dx, row + 0.5 + dy]) * STRIDE
        corners = np.array(
            [
                centre - along - across,
                centre - along + across,
                centre + along + across,
                centre + along - across,
            ]
        )
        quad = ordered(corners / factor)
        if plausible(quad):
            cards.append((quad, float(card_heat[row, column])))
    for row, column in _peaks(index_heat, INDEX_HEAT):
        dx, dy, cos, sin, size = (float(value) for value in maps[8:13, row, column])
        length = 10 * float(np.exp(np.clip(size, -2, 3)))
        norm = max(float(np.hypot(cos, sin)), 1e-3)
        x, y = (column + 0.5 + dx) * STRIDE, (row + 0.5 + dy) * STRIDE
        scale = length / norm / factor
        indices.append(
            Index(x / factor, y / factor, cos * scale, sin * scale, float(index_heat[row, column]))
        )
    return cards, indices


def search(
    frame: Frame, scale_mm: float | None = None, card_width: float = CARD_WIDTH
) -> tuple[list[tuple[Quad, float]], list[Index]]:
    """Find cards and corner indices.

    Args:
        frame: A picture or a part of one.
        scale_mm: Millimetres per pixel, when known: then one size is enough.
        card_width: Pixels to which a card's width is reduced then, when it is larger.

    Returns:
        Outlines with the network's heat, and indices; the same card several times when several sizes show it.
    """
    longest = max(frame.shape[:2])
    if scale_mm is not None:
        factors = [min(1.0, card_width * scale_mm / CARD_WIDTH_MM)]
    else:
        factors = sorted({min(1.0, size / longest) for size in SIZES}, reverse=True)
        if longest < 700:
            factors.insert(0, 2.0)
    cards: list[tuple[Quad, float]] = []
    indices: list[Index] = []
    for factor in factors:
        more_cards, more_indices = _at_size(frame, factor)
        cards += more_cards
        indices += more_indices
    return cards, _distinct(indices)


def _distinct(indices: list[Index]) -> list[Index]:
    """Keep the strongest of indices in one place."""
    kept: list[Index] = []
    for index in sorted(indices, key=lambda one: -one.heat):
        near = any(
            np.hypot(index.x - other.x, index.y - other.y)
            < 0.8 * min(index.half_height, other.half_height) + 2
            for other in kept
        )
        if not near:
            kept.append(index)
    return kept
