"""Corners of a printed square to a few hundredths of a pixel: where the lines through its four edges meet.

A corner that is looked for by itself lies too far inside, for the lens rounds it: by an eighth of a pixel for markers
forty pixels wide, which makes a table seven thousandths too large. An edge is blurred to both sides alike.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SHARE: Final = 0.085
"""An edge is looked for within this share of the side: the black border is a sixth of it, the white margin an eighth."""
_REACH: Final = (1.5, 4.0)
"""An edge is looked for within so many pixels at least and at most."""
_STEPS: Final = 33
_PLACES: Final = np.linspace(0.15, 0.85, 15)
_CONTRAST: Final = 25.0
"""Grey levels between black and white of an edge that can be measured."""
_STRAY: Final = 0.35
_ENOUGH: Final = 8
_FARTHEST: Final = 1.0


def refined(grey: npt.NDArray[Any], quad: Floats) -> Floats:
    """Move a black square's corners to where the lines through its edges meet.

    Args:
        grey: The picture.
        quad: Its corners as found (4 × 2, pixels), clockwise.

    Returns:
        The corners; those that were found where its edges are no straight lines, or lie far from them.
    """
    after = np.roll(quad, -1, axis=0)
    way = after - quad
    length = np.hypot(way[:, 0], way[:, 1])
    if length.min() < 2 * _REACH[0]:
        return quad
    reach = float(np.clip(_SHARE * length.min(), *_REACH))
    outwards = np.stack([way[:, 1], -way[:, 0]], axis=1) / length[:, None]
    outwards *= np.sign(np.sum(outwards * (quad + after - 2 * quad.mean(axis=0)), axis=1))[:, None]
    on = quad[:, None] + way[:, None] * _PLACES[:, None]  # side × place × 2
    steps = np.linspace(-reach, reach, _STEPS)
    at = (on[:, :, None] + outwards[:, None, None] * steps[:, None]).astype(np.float32)
    flat = at.reshape(4, -1, 2)
    values = cv2.remap(grey, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = values.astype(np.float64).reshape(4, len(_PLACES), _STEPS)
    end = max(2, _STEPS // 6)
    black, white = profile[..., :end].mean(axis=2), profile[..., -end:].mean(axis=2)
    contrast = white - black
    # As much of the way is black as the edge lies out.
    share = (white[..., None] - profile).mean(axis=2) / np.maximum(contrast, 1.0)
    off = 2 * reach * share - reach
    lines: list[tuple[Floats, Floats]] = []
    for side in range(4):
        good = contrast[side] > _CONTRAST
        if np.count_nonzero(good) < _ENOUGH:
            return quad
        middle = float(np.median(off[side][good]))
        slope = _PLACES - _PLACES.mean()
        good &= np.abs(off[side] - middle) < _STRAY + np.abs(slope)
        if np.count_nonzero(good) < _ENOUGH:
            return quad
        tilt, base = np.polyfit(_PLACES[good], off[side][good], 1)
        first = quad[side] + outwards[side] * base
        lines.append((first, after[side] + outwards[side] * (base + tilt) - first))
    corners = np.array([_meet(*lines[number - 1], *lines[number]) for number in range(4)])
    if not np.isfinite(corners).all() or np.hypot(*(corners - quad).T).max() > _FARTHEST:
        return quad
    return corners


def _meet(first: Floats, along: Floats, second: Floats, across: Floats) -> Floats:
    """Where two lines meet; not a number when they are parallel."""
    below = along[0] * across[1] - along[1] * across[0]
    if abs(below) < 1e-9:
        return np.full(2, np.nan)
    gap = second - first
    meeting: Floats = first + along * ((gap[0] * across[1] - gap[1] * across[0]) / below)
    return meeting
