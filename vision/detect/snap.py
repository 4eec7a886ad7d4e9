"""Draw an outline that is nearly right onto the card's real edges."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detect.geometry import Floats, card_size, ordered, plausible
from vision.detect.seen import Frame, Quad

ALONG = 20
ACROSS = 25
REACH = 0.14
"""How far from the given side an edge is looked for, in card widths."""


def snap(frame: Frame, quad: Quad) -> Quad | None:
    """Move each side to the strongest straight edge near it.

    Args:
        frame: The picture.
        quad: An ordered outline, off by no more than a seventh of its width.

    Returns:
        The outline on the edges; None where they make no card.
    """
    width, _ = card_size(quad)
    reach = max(2.0, REACH * width)
    steps = np.linspace(-reach, reach, ACROSS, dtype=np.float32)
    share = np.linspace(0.1, 0.9, ALONG, dtype=np.float32)
    starts, ends = quad, np.roll(quad, -1, axis=0)
    along = ends - starts
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(np.hypot(*along.T)[:, None], 1e-3)
    points = starts[:, None, :] + share[None, :, None] * along[:, None, :]
    places = points[:, :, None, :] + steps[None, None, :, None] * normals[:, None, None, :]
    flat = places.reshape(4 * ALONG, ACROSS, 2).astype(np.float32)
    profiles = cv2.remap(frame, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profiles = cv2.GaussianBlur(profiles.astype(np.float32), (3, 1), 0)
    change = np.abs(np.diff(profiles, axis=1)).sum(axis=2)
    # The given place counts for something: a neighbour's edge is not nearer because it is stronger.
    middle = (steps[:-1] + steps[1:]) / 2
    change = change * np.exp(-((middle / (0.7 * reach)) ** 2))[None, :]
    found = middle[change.argmax(axis=1)].reshape(4, ALONG)
    strength = change.max(axis=1).reshape(4, ALONG)
    lines: list[Floats] = []
    for side in range(4):
        line = _line(share, found[side], strength[side], reach)
        # Two points of the side, moved by the line's offsets at its two ends.
        lines.append(np.stack([starts[side] + line[0] * normals[side], ends[side] + line[1] * normals[side]]))
    corners = [_cross(lines[side - 1], lines[side]) for side in range(4)]
    if any(corner is None for corner in corners):
        return None
    moved = ordered(np.array(corners, np.float32))
    return moved if plausible(moved) else None


def _line(share: Floats, offsets: Floats, strength: Floats, reach: float) -> tuple[float, float]:
    """Fit a line to a side's offsets, twice, the second time without what is far off."""
    weights = np.sqrt(strength + 1e-3)
    slope, start = np.polyfit(share, offsets, 1, w=weights)
    for _ in range(3):
        off = np.abs(offsets - (slope * share + start))
        near = off <= max(0.15 * reach, float(np.median(off)))
        if int(near.sum()) < 5:
            break
        slope, start = np.polyfit(share[near], offsets[near], 1, w=weights[near])
    return float(start), float(start + slope)


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
