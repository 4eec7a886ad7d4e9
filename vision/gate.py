"""What of a picture is worth searching: where something moved just now, and the rest of it a piece at a time.

A running mean of the empty table at 640×360 is compared with each picture. The mean stands still under whatever differs
from it, so that cards and hands never sink into it; when the light changes everywhere, it begins anew.

The first picture is searched whole. After that a picture's search has a budget: what moves comes first, the smallest
first (a card, before the arm that threw it), then one tile of the picture that looks other than when it was searched
last. So a whole look is spread over pictures, and a table on which nothing happens costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.frames import Image

Region = tuple[int, int, int, int]

WHOLE_EVERY: Final = 0.5
"""A tile that has changed is searched again so often (seconds of the camera's clock)."""
AT_LEAST: Final = 5.0
"""A tile in which nothing has changed is searched again all the same after so long (s)."""
COOL_EVERY: Final = 0.12
"""What moved a moment ago and lies still now is searched so often (s): more pictures a second show nothing new of it."""
HOT: Final = 0.15
"""Every picture is searched only where something has moved for no longer ago than this (s), not the whole way it came."""
BUDGET: Final = 0.2
"""Share of a picture that is searched at once."""
TILES: Final = (4, 3)
TILE_EVERY: Final = 0.06
"""A tile is searched at most so often (s): the more pictures a second, the fewer of them pay for one."""
TILE_WAITS: Final = 0.25
"""While much of the picture moves a tile waits, but no longer than this (s)."""
_SIZE: Final = (640, 360)
_TILE_MARGIN: Final = 60
_CHANGED: Final = 20.0
_MOVING: Final = 16
_RATE: Final = 0.04
_WARM: Final = 0.6
_MARGIN: Final = 14
_PUT_OFF: Final = 2
_RING: Final = (2, 6)
_OTHER: Final = 24
_OTHER_IN_BLOCK: Final = 3
_BLOCK: Final = 10
_EVERYWHERE: Final = 0.5


@dataclass(frozen=True)
class Gated:
    """What to search: regions in pixels of the picture; None is all of it."""

    regions: tuple[Region, ...] | None
    relit: bool = False


class Gate:
    """The gate of one camera."""

    def __init__(self) -> None:
        self._mean: np.ndarray | None = None
        self._before: Image | None = None
        self._warm: np.ndarray | None = None
        self._changed: np.ndarray | None = None
        self._moving: np.ndarray | None = None
        self._looked: Image | None = None
        self._looked_at = np.zeros(TILES[0] * TILES[1])
        self._scale = 1.0
        self._shape = (0, 0)
        self._cool_at = -1e9
        self._put_off = 0
        self._tiled_at = -1e9
        self._t = 0.0

    def feed(self, image: Image, t: float) -> Gated:
        """Take a picture; say what of it is to be searched."""
        self._shape = image.shape[:2]
        self._scale = image.shape[1] / _SIZE[0]
        small = cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA)
        colour = np.asarray(cv2.blur(small, (3, 3)), dtype=np.uint8)
        grey = np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        if self._mean is None or self._before is None or self._warm is None:
            self._begin(colour, grey, t)
            return Gated(None, relit=True)
        mean = cv2.convertScaleAbs(self._mean)
        blue, green, red = cv2.split(cv2.absdiff(colour, mean))
        changed = np.asarray(cv2.max(cv2.max(blue, green), red) > _CHANGED)
        if np.count_nonzero(changed) > _EVERYWHERE * changed.size:
            self._begin(colour, grey, t)
            return Gated(None, relit=True)
        moving = (cv2.absdiff(grey, self._before) > _MOVING).astype(np.uint8)
        moving = np.asarray(cv2.morphologyEx(moving, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)))
        self._before, self._moving, self._changed = grey, moving, changed
        still = cv2.erode((~changed).astype(np.uint8), np.ones((9, 9), np.uint8))
        cv2.accumulateWeighted(colour, self._mean, _RATE, mask=still)
        passed = max(0.0, t - self._t)
        self._t = t
        np.subtract(self._warm, np.float32(passed), out=self._warm)
        self._warm[moving > 0] = _WARM
        cool = t - self._cool_at >= COOL_EVERY - 1e-6
        regions, left = self._choose(self._regions(self._warm > (0.0 if cool else _WARM - HOT)), cool)
        if cool:
            self._cool_at = t
        for x, y, wide, high in regions:
            part = np.s_[self._small(y) : self._small(y + high), self._small(x) : self._small(x + wide)]
            if self._looked is not None:
                self._looked[part] = grey[part]
        tile = self._tile(grey, t) if self._affords(left, t) else None
        return Gated(tuple(regions) if tile is None else (*regions, tile))

    def moving_at(self, x: float, y: float, radius: float) -> bool:
        """Whether anything moves within so many pixels of a point of the picture."""
        return self._any(self._moving, x, y, radius)

    def changed_at(self, x: float, y: float, radius: float) -> bool:
        """Whether most of what is around a point is not the empty table."""
        part = self._part(self._changed, x, y, radius)
        return part is not None and part.size > 0 and float(np.mean(part)) > 0.3

    def changed_share(self, quad: np.ndarray) -> float:
        """How much of what an outline (pixels of the picture) encloses is not the empty table (0–1)."""
        changed = self._changed
        if changed is None:
            return 1.0
        small = np.round(np.asarray(quad) / self._scale).astype(np.int32)
        x0, y0 = np.maximum(small.min(axis=0), 0)
        x1, y1 = np.minimum(small.max(axis=0) + 1, (_SIZE[0], _SIZE[1]))
        if x1 <= x0 or y1 <= y0:
            return 0.0
        inside = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
        cv2.fillConvexPoly(inside, small - np.array([x0, y0], np.int32), 1)
        return float(changed[y0:y1, x0:x1][inside > 0].mean())

    def changed_around(self, quad: np.ndarray) -> float:
        """How much of a narrow ring round an outline (pixels of the picture) is not the empty table (0–1).

        Little of it round a card that lies by itself; most of it where an arm goes on beyond what looks like a card.
        """
        changed = self._changed
        if changed is None:
            return 0.0
        small = np.round(np.asarray(quad) / self._scale).astype(np.int32)
        x0, y0 = np.maximum(small.min(axis=0) - _RING[1], 0)
        x1, y1 = np.minimum(small.max(axis=0) + _RING[1] + 1, (_SIZE[0], _SIZE[1]))
        if x1 <= x0 or y1 <= y0:
            return 0.0
        inside = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
        cv2.fillConvexPoly(inside, small - np.array([x0, y0], np.int32), 1)
        inner, outer = (cv2.dilate(inside, np.ones((2 * n + 1, 2 * n + 1), np.uint8)) for n in _RING)
        ring = (outer > 0) & (inner == 0)
        return float(changed[y0:y1, x0:x1][ring].mean()) if ring.any() else 0.0

    def _begin(self, colour: Image, grey: Image, t: float) -> None:
        self._mean = colour.astype(np.float32)
        self._before, self._looked = grey, grey.copy()
        self._warm = np.zeros(grey.shape, dtype=np.float32)
        self._changed = np.zeros(grey.shape, dtype=bool)
        self._moving = np.zeros(grey.shape, dtype=np.uint8)
        self._looked_at[:] = self._t = t

    def _choose(self, regions: list[Region], cool: bool) -> tuple[list[Region], float]:
        """Which of the warm regions are searched now, and what is left of the budget (pixels)."""
        budget = BUDGET * self._shape[0] * self._shape[1]
        chosen: list[Region] = []
        put_off = False
        for region in sorted(regions, key=lambda one: one[2] * one[3]):
            if not cool and not self._moves_in(region):
                continue
            size = region[2] * region[3]
            if size <= budget:
                budget -= size
            elif self._put_off < _PUT_OFF:
                put_off = True  # too large for every picture: an arm, a person
                continue
            else:
                budget = 0.0
            chosen.append(region)
        self._put_off = self._put_off + 1 if put_off else 0
        return chosen, budget

    def _affords(self, left: float, t: float) -> bool:
        """Whether a tile is searched in this picture, too, of whose budget so much is left (pixels)."""
        whole = BUDGET * self._shape[0] * self._shape[1]
        wait = TILE_EVERY if left >= whole / 2 else TILE_WAITS
        return left > 0 and t - self._tiled_at >= wait - 1e-6

    def _small(self, pixels: float) -> int:
        return max(0, int(pixels / self._scale))

    def _moves_in(self, region: Region) -> bool:
        left, top, width, height = (int(value / self._scale) for value in region)
        moving = self._moving
        if moving is None:
            return False
        return bool(np.any(moving[max(0, top) : top + height, max(0, left) : left + width]))

    def _tile(self, grey: Image, t: float) -> Region | None:
        """The tile that has waited longest of those that look other than when they were searched, if one has."""
        if self._looked is None:
            return None
        other = cv2.absdiff(grey, self._looked) > _MOVING
        columns, rows = TILES
        wide, high = _SIZE[0] // columns, _SIZE[1] // rows
        counts = other.reshape(rows, high, columns, wide).sum(axis=(1, 3)).ravel()
        waited = t - self._looked_at
        due = np.where(counts > _OTHER, waited >= WHOLE_EVERY - 1e-6, waited >= AT_LEAST)
        if not due.any():
            return None
        number = int(np.argmax(np.where(due, waited, -1.0)))
        row, column = divmod(number, columns)
        y, x = row * high, column * wide
        self._looked[y : y + high, x : x + wide] = grey[y : y + high, x : x + wide]
        self._looked_at[number] = self._tiled_at = t
        scale = self._scale
        if counts[number] > _OTHER:
            # Only around what looks other: what lies beside it has been read before.
            blocks = other[y : y + high, x : x + wide].reshape(high // _BLOCK, _BLOCK, wide // _BLOCK, _BLOCK)
            down, across = np.where(blocks.sum(axis=(1, 3)) > _OTHER_IN_BLOCK)
            if len(down):
                y, high = y + int(down.min()) * _BLOCK, int(np.ptp(down) + 1) * _BLOCK
                x, wide = x + int(across.min()) * _BLOCK, int(np.ptp(across) + 1) * _BLOCK
        left, top = int(x * scale) - _TILE_MARGIN, int(y * scale) - _TILE_MARGIN
        return (left, top, int(wide * scale) + 2 * _TILE_MARGIN, int(high * scale) + 2 * _TILE_MARGIN)

    def _part(self, mask: np.ndarray | None, x: float, y: float, radius: float) -> np.ndarray | None:
        if mask is None:
            return None
        x, y, r = x / self._scale, y / self._scale, max(1.0, radius / self._scale)
        return mask[max(0, int(y - r)) : max(0, int(y + r) + 1), max(0, int(x - r)) : max(0, int(x + r) + 1)]

    def _any(self, mask: np.ndarray | None, x: float, y: float, radius: float) -> bool:
        part = self._part(mask, x, y, radius)
        return part is not None and int(np.count_nonzero(part)) > 3

    def _regions(self, warm: np.ndarray) -> list[Region]:
        small = cv2.dilate(warm[::2, ::2].astype(np.uint8), np.ones((9, 9), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(small, connectivity=8)
        factor = 2 * self._scale
        regions: list[Region] = []
        for left, top, width, height, area in stats[1:count]:
            if area < 30:
                continue
            x, y = (left * factor) - _MARGIN, (top * factor) - _MARGIN
            regions.append(
                (int(x), int(y), int(width * factor) + 2 * _MARGIN, int(height * factor) + 2 * _MARGIN)
            )
        return regions
