"""What the eyes say of one card in one picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Frame: TypeAlias = npt.NDArray[np.uint8]
"""A picture: rows × columns × blue, green, red, 8 bits each."""

Quad: TypeAlias = npt.NDArray[np.float32]
"""Four corners (4 × 2, x then y, pixels), clockwise as seen, beginning at a corner before a short side."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenCard:
    """One card lying (or flying) in one picture.

    Attributes:
        quad: Its outline, 4 × 2 pixels of the given frame, clockwise; the first side is a short one.
            Of a covered card it is the outline that it must have, covered part included.
        face: True when its face is up, False when its back is.
        card: Which card ("Ah"), or None: face down, or not read with enough certainty.
        confidence: Of the identity when `card` is given, else of its being a card with that side up (0–1).
        visible: The part of the outline that is not covered by another card or cut off by the frame (0–1).
        guess: The best reading and its probability even when it is not good enough to be told
            (`card` is None); for voting over frames. None when face down.
    """

    quad: Quad
    face: bool
    card: str | None
    confidence: float
    visible: float
    guess: tuple[str, float] | None = field(default=None)
