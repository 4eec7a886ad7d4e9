"""Find the cards in one picture."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.detect.contours import contour_quads
from vision.detect.geometry import area, card_sized, intersection, overlap, straighten
from vision.detect.seen import Frame, Quad, SeenCard

Region = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""


def find_cards(
    frame: Frame,
    *,
    scale_mm: float | None = None,
    regions: Sequence[Region] | None = None,
    deck: object | None = None,
) -> tuple[SeenCard, ...]:
    """Find the cards in a picture, each with its outline, the side that is up and its identity.

    Args:
        frame: The picture, blue-green-red.
        scale_mm: Millimetres per pixel when the camera is calibrated: what is not card-sized is left out.
        regions: The parts to search (left, top, width, height); None searches the whole picture.
        deck: The enrolled deck in play.

    Returns:
        Cards, the surest first. `card` is None where a face could not be read surely enough.
    """
    height, width = frame.shape[:2]
    quads: list[Quad] = []
    for left, top, wide, high in regions if regions is not None else [(0, 0, width, height)]:
        x0, y0 = max(0, left), max(0, top)
        part = frame[y0 : min(height, top + high), x0 : min(width, left + wide)]
        if min(part.shape[:2], default=0) < 16:
            continue
        shift = np.array([x0, y0], np.float32)
        quads += [quad + shift for quad in contour_quads(part)]
    if scale_mm is not None:
        quads = [quad for quad in quads if card_sized(quad, scale_mm)]
    return _without_doubles([seen for quad in quads if (seen := _judge(frame, quad)) is not None])


def _judge(frame: Frame, quad: Quad) -> SeenCard | None:
    """Judge an outline by its rim: printed cards have a white one; a face is white inside, too."""
    crop = cv2.cvtColor(straighten(frame, quad, 64, 96), cv2.COLOR_BGR2HSV)
    white = (crop[..., 1] < 90) & (crop[..., 2] > 110)
    rim = np.ones(white.shape, bool)
    rim[5:-5, 4:-4] = False
    inside = ~rim
    if float(white[rim].mean()) < 0.6:
        return None
    face = float(white[inside].mean()) > 0.35
    return SeenCard(quad, face, None, float(white[rim].mean()) * 0.8, 1.0)


def _without_doubles(cards: list[SeenCard]) -> tuple[SeenCard, ...]:
    """Keep the surest of outlines that are of the same card."""
    kept: list[SeenCard] = []
    for card in sorted(cards, key=lambda one: (-round(one.confidence, 1), -area(one.quad))):
        doubled = any(
            overlap(card.quad, other.quad) > 0.4
            or intersection(card.quad, other.quad) > 0.7 * min(area(card.quad), area(other.quad))
            for other in kept
        )
        if not doubled:
            kept.append(card)
    return tuple(kept)
