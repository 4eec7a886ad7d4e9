"""What of a picture is worth searching: where something moved just now, and the whole of it twice a second.

A running mean of the empty table at 640×360 is compared with each picture. The mean stands still under whatever differs
from it, so that cards and hands never sink into it; when the light changes everywhere, it begins anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.frames import Image

Region = tuple[int, int, int, int]

WHOLE_EVERY: Final = 0.5
"""The whole picture is searched so often (seconds of the camera's clock)."""
_SIZE: Final = (640, 360)
_CHANGED: Final = 20.0
_MOVING: Final = 16
_RATE: Final = 0.04
_WARM: Final = 0.6
_MARGIN: Final = 14
_MOST: Final = 10
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
        self._scale = 1.0
        self._whole_at = -1e9
        self._t = 0.0

    def feed(self, image: Image, t: float) -> Gated:
        """Take a picture; say what of it is to be searched."""
        self._scale = image.shape[1] / _SIZE[0]
        small = cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA)
        colour = np.asarray(cv2.blur(small, (3, 3)), dtype=np.uint8)
        grey = np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        if self._mean is None or self._before is None or self._warm is None:
            self._begin(colour, grey, t)
            return Gated(None, relit=True)
        mean = cv2.convertScaleAbs(self._mean)
        apart = cv2.absdiff(colour, mean)
        changed = np.asarray(np.maximum(np.maximum(apart[..., 0], apart[..., 1]), apart[..., 2]) > _CHANGED)
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
        self._warm = np.maximum(self._warm - passed, moving * _WARM).astype(np.float32)
        if t - self._whole_at >= WHOLE_EVERY:
            self._whole_at = t
            return Gated(None)
        regions = self._regions(self._warm > 0)
        return Gated(None if len(regions) > _MOST else regions)

    def moving_at(self, x: float, y: float, radius: float) -> bool:
        """Whether anything moves within so many pixels of a point of the picture."""
        return self._any(self._moving, x, y, radius)

    def changed_at(self, x: float, y: float, radius: float) -> bool:
        """Whether most of what is around a point is not the empty table."""
        part = self._part(self._changed, x, y, radius)
        return part is not None and part.size > 0 and float(np.mean(part)) > 0.3

    def _begin(self, colour: Image, grey: Image, t: float) -> None:
        self._mean = colour.astype(np.float32)
        self._before = grey
        self._warm = np.zeros(grey.shape, dtype=np.float32)
        self._changed = np.zeros(grey.shape, dtype=bool)
        self._moving = np.zeros(grey.shape, dtype=np.uint8)
        self._whole_at = self._t = t

    def _part(self, mask: np.ndarray | None, x: float, y: float, radius: float) -> np.ndarray | None:
        if mask is None:
            return None
        x, y, r = x / self._scale, y / self._scale, max(1.0, radius / self._scale)
        return mask[max(0, int(y - r)) : max(0, int(y + r) + 1), max(0, int(x - r)) : max(0, int(x + r) + 1)]

    def _any(self, mask: np.ndarray | None, x: float, y: float, radius: float) -> bool:
        part = self._part(mask, x, y, radius)
        return part is not None and int(np.count_nonzero(part)) > 3

    def _regions(self, warm: np.ndarray) -> tuple[Region, ...]:
        small = cv2.dilate(warm.astype(np.uint8)[::2, ::2], np.ones((9, 9), np.uint8))
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
        return tuple(regions)
