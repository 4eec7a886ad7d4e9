"""Cards under other cards: known by the corner index that still shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from vision.detect.finder import Index
from vision.detect.geometry import CARD_HEIGHT_MM, Floats, card_size, card_sized, ordered
from vision.detect.seen import Quad, SeenCard
from vision.recognise.cards import TOLD, best, combined

STANDARD_HALF: Final = 0.1
"""Half height of an ordinary index, in card heights."""
SMALLEST_HALF: Final = 0.055
LARGEST_HALF: Final = 0.24
"""Of any deck's index, jumbo ones included, with the finder's error."""
INDEX_FROM_SIDE: Final = 0.1
INDEX_FROM_TOP: Final = 0.035
"""Of an index's middle from the card's side, in widths, and of its top from the card's, in heights."""
MOST_PAIRED: Final = 48
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


def paired_outline(first: Index, second: Index) -> Quad | None:
    """Give the outline of the card that has these two indices in corners a diagonal apart.

    None where no card can have them: they must stand on their heads to one another, be of one size, and lie
    as far apart as a card's corners.
    """
    half = (first.half_height + second.half_height) / 2
    if not 0.7 < first.half_height / max(second.half_height, 1e-3) < 1.43:
        return None
    up = np.array([first.up_x - second.up_x, first.up_y - second.up_y], np.float32) / 2
    length = float(np.hypot(*up))
    if length < 0.97 * half:
        return None
    up = up / max(length, 1e-3)
    right = np.array([-up[1], up[0]], np.float32)
    apart = np.array([second.x - first.x, second.y - first.y], np.float32)
    across, down = abs(float(apart @ right)), -float(apart @ up)
    width, height = across / (1 - 2 * INDEX_FROM_SIDE), (down + 2 * half) / (1 - 2 * INDEX_FROM_TOP)
    if not (1.15 * width < height < 1.9 * width and SMALLEST_HALF * height < half < LARGEST_HALF * height):
        return None
    centre = np.array([first.x + second.x, first.y + second.y], np.float32) / 2
    x, y = right * width / 2, up * height / 2
    return ordered(np.array([centre - x + y, centre + x + y, centre + x - y, centre - x - y], np.float32))


def paired_outlines(indices: Sequence[Index]) -> list[tuple[Quad, float]]:
    """Give the outlines that pairs of indices make, with half of the weaker one's heat."""
    strongest = sorted(indices, key=lambda one: -one.heat)[:MOST_PAIRED]
    return [
        (outline, 0.5 * second.heat)
        for place, second in enumerate(strongest)
        for first in strongest[:place]
        if (outline := paired_outline(first, second)) is not None
    ]


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
    corner = (
        np.array([index.x, index.y], np.float32)
        + up * (half + INDEX_FROM_TOP * height)
        - right * INDEX_FROM_SIDE * width
    )
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
    made: dict[str, tuple[Index, Floats, Quad, float]] = {}
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
        if name not in made:
            made[name] = (index, table, outline, 0.25)
            continue
        # A deck has it once: the weaker reading is of the same card's other corner, or wrong.
        first, first_table, _, _ = made[name]
        whole = paired_outline(first, index)
        if whole is not None and (scale_mm is None or card_sized(whole, scale_mm)):
            made[name] = (first, combined(first_table, table), whole, 0.7)
    cards = []
    for name, (_, table, outline, visible) in made.items():
        likely = best(table)[1]
        cards.append(SeenCard(outline, True, name, likely, visible, (name, likely)))
    return cards
