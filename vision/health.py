"""Whether the camera can be believed: black, over-exposed, frozen, blurred, moved and stale pictures, within a second.

Pure: pictures and times go in, the name of the fault comes out. A fault must last for `PATIENCE` seconds before it is
told, so that a sleeve before the lens is none, and must be gone as long before the camera is well again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.frames import Image

Trouble = Literal["", "black", "overexposed", "frozen", "blurred", "moved", "stale"]

PATIENCE: Final = 0.45
"""A fault is believed when it has lasted so long (seconds of the camera's clock)."""
FROZEN: Final = 0.6
"""A live picture in which not one pixel changes for so long is no live picture (seconds)."""
STALE: Final = 0.7
"""No new picture for so long (seconds)."""
SELDOM: Final = 0.9
"""Three pictures or fewer in so long are as good as none, of a camera that gives eight a second or more (seconds)."""
_OFTEN: Final = 0.125
_SMALL: Final = (320, 180)
_DARK: Final = 14.0
_FLAT: Final = 10.0
_WHITE: Final = 250
_BURNT_SHARE: Final = 0.45
_BLURRED: Final = 0.35
_LEARNING: Final = 8


@dataclass(frozen=True)
class Look:
    """What one picture looks like by itself."""

    mean: float
    spread: float
    burnt: float
    sharpness: float


def look_at(image: Image) -> Look:
    """Measure a picture (a third of a millisecond at 1280×720).

    Sharpness is the share of fine detail in all detail: it does not depend on how much there is to be seen.
    """
    small = cv2.resize(image, _SMALL, interpolation=cv2.INTER_NEAREST)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    mean, spread = cv2.meanStdDev(grey)
    height = image.shape[0]
    # Detail is looked for at full resolution, in bands across the picture.
    bands = cv2.cvtColor(np.concatenate([image[y : y + 24] for y in _rows(height)]), cv2.COLOR_BGR2GRAY)
    fine = cv2.absdiff(bands[:, 2:], bands[:, :-2])
    counts = cv2.calcHist([fine], [0], None, [256], [0, 256]).ravel().cumsum()
    strong = float(np.searchsorted(counts, 0.995 * counts[-1]))
    return Look(
        float(mean[0, 0]),
        float(spread[0, 0]),
        float(np.count_nonzero(grey >= _WHITE)) / grey.size,
        strong,
    )


def _rows(height: int) -> list[int]:
    return [
        int(height * (number + 0.5) / 8) for number in range(8) if height * (number + 0.5) / 8 + 24 <= height
    ]


class Health:
    """The camera's health over time.

    Attributes:
        trouble: What is wrong now; empty when nothing is.
        since: Since when (camera's clock).
    """

    def __init__(self, sharpness: float | None = None, *, live: bool = True) -> None:
        """Begin well.

        Args:
            sharpness: What a sharp picture of this table had when it was calibrated; None learns it from the first
                pictures.
            live: Whether the pictures come from a camera: a recording may stand still.
        """
        self.trouble: Trouble = ""
        self.since = 0.0
        self._sharp = sharpness
        self._first: list[float] = []
        self._live = live
        self._before: Image | None = None
        self._changed_at: float | None = None
        self._suspect: Trouble = ""
        self._suspect_since = 0.0
        self._newest: float | None = None
        self._usual: float | None = None
        self._times: deque[float] = deque(maxlen=4)

    def feed(self, image: Image, t: float, *, moved: bool = False) -> Trouble:
        """Take a picture.

        Args:
            image: The picture.
            t: When it was taken.
            moved: Whether the markers on the rail are not where they were.

        Returns:
            What is wrong.
        """
        if self._newest is not None and t > self._newest:
            gap = t - self._newest
            self._usual = (
                gap if self._usual is None else self._usual + 0.1 * (min(gap, 2 * self._usual) - self._usual)
            )
        self._newest = t
        self._times.append(t)
        found = self._judge(look_at(image), image, t, moved)
        if found in ("frozen", "moved"):
            # both were looked at more than once already
            self._set(found, t)
            self._suspect, self._suspect_since = found, t
        elif found != self._suspect:
            self._suspect, self._suspect_since = found, t
        if t - self._suspect_since >= PATIENCE or (self.trouble == "stale" and found == ""):
            self._set(self._suspect, t)
        return self.trouble

    def tick(self, now: float) -> Trouble:
        """No picture came: tell the camera's clock as it goes on meanwhile."""
        if self._newest is None:
            self._newest = now
        elif now - self._newest >= STALE or self._seldom(now):
            self._set("stale", now)
        return self.trouble

    def _seldom(self, now: float) -> bool:
        """Whether nearly all pictures of a camera that used to give many are lost."""
        full = len(self._times) == self._times.maxlen and self._usual is not None and self._usual <= _OFTEN
        return full and now - self._times[0] >= SELDOM

    def _set(self, trouble: Trouble, t: float) -> None:
        if trouble != self.trouble:
            self.trouble, self.since = trouble, t

    def _judge(self, look: Look, image: Image, t: float, moved: bool) -> Trouble:
        if self._live and self._is_frozen(image, t):
            return "frozen"
        if look.mean < _DARK and look.spread < _FLAT:
            return "black"
        if look.burnt > _BURNT_SHARE:
            return "overexposed"
        if self._is_blurred(look):
            return "blurred"
        return "moved" if moved else ""

    def _is_blurred(self, look: Look) -> bool:
        if self._sharp is None:
            self._first.append(look.sharpness)
            if len(self._first) < _LEARNING:
                return False
            self._sharp = float(np.median(self._first))
        if look.sharpness > self._sharp:
            self._sharp += 0.01 * (look.sharpness - self._sharp)
        return look.sharpness < _BLURRED * self._sharp

    def _is_frozen(self, image: Image, t: float) -> bool:
        """A sensor is never without noise: two pictures without one changed pixel are one picture."""
        size = (image.shape[1] // 3, image.shape[0] // 3)
        sample = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)
        before, self._before = self._before, sample
        if before is None or before.shape != sample.shape or not np.array_equal(before, sample):
            self._changed_at = t
            return False
        return self._changed_at is not None and t - self._changed_at >= FROZEN
