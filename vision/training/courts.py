"""Court pictures as other makers print them: the same kings, queens and jacks, drawn and coloured anew.

Nearly every deck with international indices has the figures of the English pattern. One maker's differ from
another's in their colours, in how thick the lines are, and in small shifts of every part: that is what is
changed here, so that a reader learns the figures and not one drawing of them.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.names import Floats, Generator, Image

PRINTED = np.array([[255, 255, 255], [10, 10, 10], [20, 20, 240], [90, 190, 240], [240, 90, 90]], np.float32)
"""What the art is printed in, blue-green-red: white, black, red, gold, blue."""
NEARNESS = 2600.0
"""How far apart two colours may be and still be one ink, squared."""
COARSE = 7
"""Points across a figure that are shifted on their own."""


class Redrawing:
    """One maker's hand: chosen once for a deck, then every court of it is redrawn by it."""

    def __init__(self, rng: Generator) -> None:
        """Choose inks, the thickness of the lines and how far parts are shifted."""
        self.rng = rng
        self.inks = self._inks(rng)
        self.thick = float(rng.choice([0.0, 0.4, 0.8, 1.0]))
        self.wide = int(rng.choice([2, 2, 3]))
        self.shift = float(rng.uniform(1.0, 6.0))
        self.mirrored = rng.random() < 0.12

    @staticmethod
    def _inks(rng: Generator) -> Floats:
        """Choose what stands for white, black, red, gold and blue; blue is black or grey with some makers."""
        white = np.full(3, rng.uniform(225, 256)) + rng.uniform(-12, 6, 3)
        black = rng.uniform(5, 55, 3)
        red = np.array([rng.uniform(15, 80), rng.uniform(15, 90), rng.uniform(150, 245)])
        gold = np.array([rng.uniform(10, 120), rng.uniform(130, 215), rng.uniform(180, 250)])
        blue = np.array([rng.uniform(110, 240), rng.uniform(50, 130), rng.uniform(20, 110)])
        chance = rng.random()
        if chance < 0.25:
            blue = rng.uniform(10, 90, 3)
        elif chance < 0.35:
            blue = np.array([rng.uniform(40, 110), rng.uniform(90, 150), rng.uniform(20, 80)])
        elif chance < 0.45:
            blue = np.full(3, rng.uniform(90, 190))
        if rng.random() < 0.12:
            gold = white * rng.uniform(0.75, 1.0)
        if rng.random() < 0.08:
            red, gold = gold, red
        if rng.random() < 0.06:
            red = rng.uniform(10, 90, 3)
        inks: Floats = np.clip(np.stack([white, black, red, gold, blue]), 0, 255).astype(np.float32)
        return inks

    def draw(self, figure: Image) -> Image:
        """Redraw one figure; its lower half stays the upper one turned round.

        Args:
            figure: Blue, green, red, as the art has it.
        """
        inked = self._coloured(self._shifted(figure))
        if self.thick > 0:
            heavy = cv2.erode(inked, np.ones((self.wide, self.wide), np.uint8))
            inked = cv2.addWeighted(heavy, self.thick, inked, 1 - self.thick, 0).astype(np.uint8)
        return np.ascontiguousarray(inked[:, ::-1]) if self.mirrored else inked

    def _shifted(self, figure: Image) -> Image:
        height, width = figure.shape[:2]
        field = self.rng.normal(0, self.shift, (COARSE, COARSE, 2)).astype(np.float32)
        field = (field - field[::-1, ::-1]) / np.float32(np.sqrt(2))
        grown = cv2.resize(field, (width, height), interpolation=cv2.INTER_CUBIC)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        return cv2.remap(
            figure, x + grown[..., 0], y + grown[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ).astype(np.uint8)

    def _coloured(self, figure: Image) -> Image:
        """Print in these inks what was printed in the art's."""
        apart = ((figure[:, :, None, :].astype(np.float32) - PRINTED) ** 2).sum(axis=3)
        share = np.exp(-(apart - apart.min(axis=2, keepdims=True)) / NEARNESS)
        share /= share.sum(axis=2, keepdims=True)
        printed: Image = np.clip(share @ self.inks, 0, 255).astype(np.uint8)
        return printed
