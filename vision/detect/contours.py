"""Four-sided outlines in a picture: the candidates that classical image work finds exactly.

Nothing here decides that an outline is a card; the reader does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.detect.geometry import card_sized, ordered, plausible, sides
from vision.detect.seen import Frame, Quad

SHORTEST_MM, LONGEST_MM = 55.0, 160.0
"""Longer side of the upright box around a card, however it is turned."""
NARROWEST_MM = 40.0
SAME_BOX = 4
"""Pixels by which the boxes of one card in two views differ at most."""
MIN_SIDE = 14.0
"""Shortest side of a candidate, pixels: below it nothing can be read."""


def _binaries(frame: Frame, quick: bool) -> Iterator[Frame]:
    """Give the black-and-white views in which a card is one white patch; the two most useful ones when quick.

    Bright against its surroundings (global, local), colourless against a coloured ground, and inside
    closed edges when neither holds (a white card on a white table).
    """
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    smooth = cv2.GaussianBlur(grey, (5, 5), 0)
    if not quick:
        _, bright = cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        yield bright.astype(np.uint8)
        window = max(31, (max(grey.shape) // 12) | 1)
        yield cv2.adaptiveThreshold(
            smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, -8
        ).astype(np.uint8)
    # The weakest channel: white stays bright in it, anything coloured does not.
    blue, green, red = cv2.split(frame)
    weakest = cv2.GaussianBlur(cv2.min(cv2.min(blue, green), red), (5, 5), 0)
    _, colourless = cv2.threshold(weakest, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    yield colourless.astype(np.uint8)
    median = _median(smooth)
    edges = cv2.Canny(smooth, max(10.0, 0.35 * median), max(30.0, 0.8 * median))
    edges = cv2.dilate(edges, np.ones((3, 3), np.uint8))
    yield cv2.bitwise_not(edges).astype(np.uint8)


def _median(grey: np.ndarray) -> float:
    """Give the middle brightness, by counting: sorting takes fifty times as long."""
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256]).ravel().cumsum()
    return float(np.searchsorted(counts, counts[-1] / 2))


def _quad_of(contour: np.ndarray, scale_mm: float | None) -> Quad | None:
    """Fit four sides to a contour, or say that it has no four sides, or not a card's.

    Corners of cards are round: the sides are fitted as lines to the middle of each side, and the
    corner is where they cross.
    """
    hull = cv2.convexHull(contour)
    area = float(cv2.contourArea(hull))
    if area < MIN_SIDE * MIN_SIDE * 1.4:
        return None
    perimeter = float(cv2.arcLength(hull, True))
    for tolerance in (0.02, 0.035, 0.05, 0.07):
        rough = cv2.approxPolyDP(hull, tolerance * perimeter, True)
        if len(rough) == 4:
            break
    else:
        return None
    corners = rough.reshape(4, 2).astype(np.float32)
    if float(cv2.contourArea(corners)) < 0.80 * area:
        return None
    if scale_mm is not None and not card_sized(ordered(corners), scale_mm):
        return None
    refined = _refine(hull.reshape(-1, 2).astype(np.float32), contour, corners)
    return ordered(refined if refined is not None else corners)


def _refine(hull: np.ndarray, contour: np.ndarray, corners: np.ndarray) -> np.ndarray | None:
    """Cross the lines fitted to the four sides (total least squares, middle 70 % of each side)."""
    points = contour.reshape(-1, 2).astype(np.float32)
    lines = []
    for index in range(4):
        start, end = corners[index], corners[(index + 1) % 4]
        along = end - start
        length = float(np.hypot(*along))
        if length < 4:
            return None
        along = along / length
        normal = np.array([-along[1], along[0]], np.float32)
        offset = points - start
        place = offset @ along
        near = (
            (place > 0.15 * length)
            & (place < 0.85 * length)
            & (np.abs(offset @ normal) < 0.05 * length + 1.5)
        )
        if int(near.sum()) < 6:
            return None
        side = points[near]
        side = side[:: max(1, len(side) // 60)]
        vx, vy, x, y = (float(value) for value in cv2.fitLine(side, cv2.DIST_L1, 0, 0.01, 0.01).ravel())
        lines.append((vx, vy, x, y))
    crossed = []
    for index in range(4):
        ax, ay, apx, apy = lines[index - 1]
        bx, by, bpx, bpy = lines[index]
        cross = ax * by - ay * bx
        if abs(cross) < 0.2:
            return None
        along_a = ((bpx - apx) * by - (bpy - apy) * bx) / cross
        crossed.append((apx + along_a * ax, apy + along_a * ay))
    result = np.array(crossed, np.float32)
    moved = float(np.hypot(*(result - corners).T).max())
    return result if moved < 0.15 * float(sides(corners).max()) else None


def _may_be_card(contour: np.ndarray, scale_mm: float, width: int, height: int) -> bool:
    """Say whether a patch's box is as large as a card's, and whole inside the picture."""
    left, top, wide, high = cv2.boundingRect(contour)
    if left <= 0 or top <= 0 or left + wide >= width or top + high >= height:
        return False
    return SHORTEST_MM < max(wide, high) * scale_mm < LONGEST_MM and min(wide, high) * scale_mm > NARROWEST_MM


def contour_quads(frame: Frame, scale_mm: float | None = None, *, quick: bool = False) -> list[Quad]:
    """Find the four-sided patches of a picture.

    Args:
        frame: A picture, or the part of one that has changed.
        scale_mm: Millimetres per pixel, when known: patches of another size than a card's are left out early.
        quick: Look at two views of the picture instead of four.

    Returns:
        Outlines in pixels of the frame, several of the same card among them.
    """
    found: list[Quad] = []
    boxes: list[Sequence[int]] = []
    for binary in _binaries(frame, quick):
        contours, _ = cv2.findContours(binary, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) < 4 * MIN_SIDE:
                continue
            if scale_mm is not None and not _may_be_card(contour, scale_mm, frame.shape[1], frame.shape[0]):
                continue
            box = cv2.boundingRect(contour)
            if quick and any(_same_box(box, other) for other in boxes):
                continue
            quad = _quad_of(contour, scale_mm)
            if quad is not None and plausible(quad):
                found.append(quad)
                boxes.append(box)
    return found


def _same_box(first: Sequence[int], second: Sequence[int]) -> bool:
    """Say whether two patches are one, seen in two views (the edges' view is smaller by its lines)."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = first, second
    return max(abs(ax - bx), abs(ay - by), abs(ax + aw - bx - bw), abs(ay + ah - by - bh)) <= SAME_BOX
