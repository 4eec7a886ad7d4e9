"""Cards under other cards: known by the corner index that still shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from vision.detect.finder import Index
from vision.detect.geometry import CARD_HEIGHT_MM, Floats, card_size, ordered
from vision.detect.seen import Quad, SeenCard
from vision.recognise.cards import TOLD, best, combined

STANDARD_HALF: Final = 0.1
"""Half height of an ordinary index, in card heights."""
SMALLEST_HALF: Final = 0.055
LARGEST_HALF: Final = 0.24
"""Of any deck's index, jumbo ones included, with the finder's error."""
RATIO: Final = 1.42
"""Height of a card over its width, between poker and bridge cards."""


def own_index(quad: Quad, index: Index) -> bool:
    """Say whether an index stands where a card's own indices stand: in a corner, upright towards it."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, square)
    points = np.array([[[index.x, index.y]], [[index.x + index.up_x, index.y + index.up_y]]], np.float32)
    (x, y), (top_x, top_y) = cv2.perspectiveTransform(points, matrix).reshape(2, 2)
    if y > 0.5:
        x, y, top_x, top_y = 1 - x, 1 - y, 1 - top_x, 1 - top_y
    straight = top_y < y and abs(top_x - x) * card_size(quad)[0] < 0.6 * abs(top_y - y) * card_size(quad)[1]
    return bool(-0.04 < y < 0.36 and (-0.04 < x < 0.3 or 0.7 < x < 1.04) and straight)


def _inside(quad: Quad, x: float, y: float) -> bool:
    return cv2.pointPolygonTest(quad.reshape(-1, 1, 2), (x, y), False) >= 0


def _outline(index: Index, sizes: Sequence[tuple[float, float]], scale_mm: float | None) -> Quad | None:
    """Give the outline that a card with this index in its top left corner must have.

    None where no card of the known size has an index of this size.
    """
    half = index.half_height
    height = half / STANDARD_HALF
    if scale_mm is not None:
        height = CARD_HEIGHT_MM / scale_mm
        if not SMALLEST_HALF * height <= half <= LARGEST_HALF * height:
            return None
    elif sizes:
        # Cards of one deck are of one size: that of the others beats the size of print.
        height = float(np.median([high for _, high in sizes]))
    up = np.array([index.up_x, index.up_y], np.float32) / max(half, 1e-3)
    right = np.array([-up[1], up[0]], np.float32)
    width = height / RATIO
    corner = np.array([index.x, index.y], np.float32) + up * (half + 0.035 * height) - right * 0.1 * width
    corners = [corner, corner + right * width, corner + right * width - up * height, corner - up * height]
    return ordered(np.array(corners, np.float32))


def covered_cards(
    free: Sequence[tuple[Index, Floats]], seen: Sequence[SeenCard], scale_mm: float | None = None
) -> list[SeenCard]:
    """Make cards of the indices that belong to no card found whole.

    Args:
        free: Indices and their readings (53 probabilities).
        seen: The cards found whole.
        scale_mm: Millimetres per pixel, when known.

    Returns:
        Covered cards, only those that are read surely: an index that cannot be read is no card.
    """
    sizes = [card_size(card.quad) for card in seen]
    made: list[tuple[Index, Floats, Quad]] = []
    for index, table in sorted(free, key=lambda one: -best(one[1])[1]):
        name, likely = best(table)
        if name is None or likely < TOLD:
            continue
        if any(card.face and card.visible > 0.6 and _inside(card.quad, index.x, index.y) for card in seen):
            continue
        outline = _outline(index, sizes, scale_mm)
        if outline is None:
            continue
        # A corner alone never tells a card that is seen whole elsewhere: a deck has it once.
        if any(card.card == name for card in seen):
            continue
        near = max(card_size(outline)) * 1.15
        twin = next(
            (
                n
                for n, (other, other_table, _) in enumerate(made)
                if best(other_table)[0] == name and np.hypot(other.x - index.x, other.y - index.y) < near
            ),
            None,
        )
        if twin is None:
            made.append((index, table, outline))
        else:
            other, other_table, other_outline = made[twin]
            made[twin] = (other, combined(other_table, table), other_outline)
    cards = []
    for _, table, outline in made:
        name, likely = best(table)
        if name is not None:
            cards.append(SeenCard(outline, True, name, likely, 0.25, (name, likely)))
    return cards
