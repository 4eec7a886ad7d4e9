"""Outlines of cards as geometry: order of corners, size, overlap, straightening."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.detect.seen import Frame, Quad

CARD_WIDTH_MM = 63.5
CARD_HEIGHT_MM = 88.9
"""A poker card; a bridge card is 57 mm wide and as high."""

Floats = npt.NDArray[np.float32]
_NEXT = np.array([1, 2, 3, 0])


def sides(quad: npt.ArrayLike) -> Floats:
    """Give the lengths of the four sides in pixels, the first from corner 0 to corner 1."""
    corners = np.asarray(quad, np.float32)
    along = corners[_NEXT] - corners
    lengths: Floats = np.sqrt((along * along).sum(axis=1)).astype(np.float32)
    return lengths


def ordered(quad: npt.ArrayLike) -> Quad:
    """Put corners clockwise as seen, a short side first."""
    corners = np.asarray(quad, np.float32).reshape(4, 2)
    x, y = corners[:, 0], corners[:, 1]
    doubled_area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    if doubled_area < 0:
        corners = corners[::-1]
    lengths = sides(corners)
    if lengths[0] + lengths[2] > lengths[1] + lengths[3]:
        corners = np.roll(corners, -1, axis=0)
    return np.ascontiguousarray(corners, np.float32)


def card_size(quad: Quad) -> tuple[float, float]:
    """Give width and height in pixels of an ordered outline."""
    first, second, third, fourth = sides(quad).tolist()
    return (first + third) / 2, (second + fourth) / 2


def plausible(quad: Quad) -> bool:
    """Say whether a card seen under any usual angle can have this outline."""
    lengths = sides(quad)
    if float(lengths.min()) < 12:
        return False
    width, height = card_size(quad)
    if not 1.0 <= height / width <= 2.4:
        return False
    opposite = np.maximum(lengths[:2], lengths[2:]) / np.minimum(lengths[:2], lengths[2:])
    return float(opposite.max()) < 1.8 and bool(cv2.isContourConvex(quad.reshape(-1, 1, 2)))


def card_sized(quad: Quad, scale_mm: float) -> bool:
    """Say whether an outline has a card's size.

    Args:
        quad: An ordered outline.
        scale_mm: Millimetres per pixel.
    """
    width, height = card_size(quad)
    return 40 <= width * scale_mm <= 90 and 62 <= height * scale_mm <= 120


def overlap(first: Quad, second: Quad) -> float:
    """Give intersection over union of two convex outlines (0–1)."""
    shared = intersection(first, second)
    if shared <= 0:
        return 0.0
    union = area(first) + area(second) - shared
    return shared / union if union > 0 else 0.0


def intersection(first: Quad, second: Quad) -> float:
    """Give the area that two convex outlines share, square pixels."""
    ax, ay, aw, ah = cv2.boundingRect(first)
    bx, by, bw, bh = cv2.boundingRect(second)
    if ax > bx + bw or bx > ax + aw or ay > by + bh or by > ay + ah:
        return 0.0
    shared, _ = cv2.intersectConvexConvex(first, second)
    return float(shared)


def area(quad: Quad) -> float:
    """Give the area of an outline in square pixels."""
    return float(abs(cv2.contourArea(quad)))


def straighten(frame: Frame, quad: Quad, width: int, height: int) -> Frame:
    """Cut one card out and lay it upright.

    Args:
        frame: The picture.
        quad: The card's outline, corners in the order top left, top right, bottom right, bottom left.
        width: Of the result, pixels.
        height: Of the result, pixels.
    """
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    # A card much larger than the result would alias: read it from a smaller picture.
    shrink = float(sides(quad).max()) / (1.6 * height)
    source, corners = frame, quad
    if shrink > 1.5:
        x0, y0 = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 2, 0)
        x1, y1 = np.ceil(quad.max(axis=0)).astype(int) + 2
        part = frame[y0:y1, x0:x1]
        if part.size:
            size = (max(1, round(part.shape[1] / shrink)), max(1, round(part.shape[0] / shrink)))
            source = cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
            ratio = np.array([size[0] / part.shape[1], size[1] / part.shape[0]], np.float32)
            corners = ((quad - np.array([x0, y0], np.float32)) * ratio).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    return cv2.warpPerspective(
        source, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.uint8)
