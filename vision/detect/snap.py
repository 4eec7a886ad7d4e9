"""Draw an outline that is nearly right onto the card's real edges."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.detect.geometry import Floats, card_size, ordered, plausible
from vision.detect.seen import Frame, Quad

ALONG = 20
ACROSS = 25
AT_ONCE = 100
REACH = 0.14
"""How far from the given side an edge is looked for, in card widths."""


def snap(frame: Frame, quad: Quad) -> Quad | None:
    """Move each side of one outline to the strongest straight edge near it (see `snap_all`)."""
    return snap_all(frame, [quad])[0]


def snap_all(frame: Frame, quads: Sequence[Quad]) -> list[Quad | None]:
    """Move each side to the strongest straight edge near it.

    Args:
        frame: The picture.
        quads: Ordered outlines, off by no more than a seventh of their width.

    Returns:
        The outlines on the edges, in the same order; None where they make no card.
    """
    snapped: list[Quad | None] = []
    for start in range(0, len(quads), AT_ONCE):
        snapped += _snap(frame, np.stack(quads[start : start + AT_ONCE]).astype(np.float32))
    return snapped


def _snap(frame: Frame, quads: Floats) -> list[Quad | None]:
    count = len(quads)
    reach = np.array([max(2.0, REACH * card_size(quad)[0]) for quad in quads], np.float32)
    steps = reach[:, None] * np.linspace(-1, 1, ACROSS, dtype=np.float32)
    share = np.linspace(0.1, 0.9, ALONG, dtype=np.float32)
    starts, ends = quads, np.roll(quads, -1, axis=1)
    along = ends - starts
    length = np.maximum(np.hypot(along[..., 0], along[..., 1])[..., None], 1e-3)
    normals = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length
    points = starts[:, :, None, :] + share[:, None] * along[:, :, None, :]
    places = points[:, :, :, None, :] + steps[:, None, None, :, None] * normals[:, :, None, None, :]
    flat = places.reshape(count * 4 * ALONG, ACROSS, 2).astype(np.float32)
    profiles = cv2.remap(frame, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profiles = cv2.GaussianBlur(profiles.astype(np.float32), (3, 1), 0)
    change = np.abs(np.diff(profiles, axis=1)).sum(axis=2).reshape(count, 4 * ALONG, ACROSS - 1)
    # The given place counts for something: a neighbour's edge is not nearer because it is stronger.
    middle = (steps[:, :-1] + steps[:, 1:]) / 2
    change = change * np.exp(-((middle / (0.7 * reach[:, None])) ** 2))[:, None, :]
    strongest = change.argmax(axis=2)
    found = np.take_along_axis(middle, strongest, axis=1).reshape(count, 4, ALONG)
    strength = change.max(axis=2).reshape(count, 4, ALONG)
    offsets = _lines(share, found.astype(np.float32), strength.astype(np.float32), reach)
    # Two points of each side, moved by its line's offsets at its two ends.
    lines = np.stack([starts + offsets[..., :1] * normals, ends + offsets[..., 1:] * normals], axis=2).astype(
        np.float32
    )
    return [_outline(four) for four in lines]


def _lines(share: Floats, offsets: Floats, strength: Floats, reach: Floats) -> Floats:
    """Fit a line to each side's offsets, four times, each time without what is far off; give its two ends."""
    weights = strength + np.float32(1e-3)
    slope, start = _fitted(share, offsets, weights)
    still = np.ones(offsets.shape[:2], bool)
    for _ in range(3):
        off = np.abs(offsets - (slope[..., None] * share + start[..., None]))
        near = (
            off
            <= np.maximum(0.15 * reach[:, None], np.partition(off, ALONG // 2, axis=2)[..., ALONG // 2])[
                ..., None
            ]
        )
        still &= near.sum(axis=2) >= 5
        new_slope, new_start = _fitted(share, offsets, weights * near)
        slope, start = np.where(still, new_slope, slope), np.where(still, new_start, start)
    ends: Floats = np.stack([start, start + slope], axis=2).astype(np.float32)
    return ends


def _fitted(share: Floats, offsets: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Give slope and start of the lines with the least weighted squares."""
    total = np.maximum(weights.sum(axis=2), 1e-6)
    x, y = (weights * share).sum(axis=2) / total, (weights * offsets).sum(axis=2) / total
    aside = share - x[..., None]
    slope = (weights * aside * offsets).sum(axis=2) / np.maximum((weights * aside**2).sum(axis=2), 1e-6)
    return slope.astype(np.float32), (y - slope * x).astype(np.float32)


def _outline(lines: Floats) -> Quad | None:
    """Give the card that four lines make, if they make one."""
    corners = [_cross(lines[side - 1], lines[side]) for side in range(4)]
    if any(corner is None for corner in corners):
        return None
    moved = ordered(np.array(corners, np.float32))
    return moved if plausible(moved) else None


def _cross(first: Floats, second: Floats) -> Floats | None:
    """Give the point where two lines (two points each) cross."""
    a, b = first[1] - first[0], second[1] - second[0]
    determinant = float(a[0] * b[1] - a[1] * b[0])
    if abs(determinant) < 0.2 * float(np.hypot(*a) * np.hypot(*b)):
        return None
    gap = second[0] - first[0]
    along = float(gap[0] * b[1] - gap[1] * b[0]) / determinant
    point: Floats = (first[0] + along * a).astype(np.float32)
    return point
