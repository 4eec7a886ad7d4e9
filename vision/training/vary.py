"""Small changes made to every sample each time it is learnt from, so that no pass is like another."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detect.geometry import CARD_WIDTH_MM
from vision.training.names import Floats, Generator, Image
from vision.training.scenes import moved

HALF_PIXEL = 0.25
"""What turning about pixels instead of their edges moves a place, in cells of the finder's maps."""


def vary_crops(images: Image, rng: Generator, width_mm: float, turn: bool) -> Image:
    """Turn, shift, move, coarsen and recolour crops.

    Args:
        images: n × rows × columns × 3.
        rng: Where chance comes from.
        width_mm: What a crop's width shows of a card, millimetres.
        turn: Whether either end may be up.
    """
    height, width = images.shape[1:3]
    per_mm = width / width_mm
    out = np.empty_like(images)
    for place, source in enumerate(images):
        image = source
        if turn and rng.random() < 0.5:
            image = np.ascontiguousarray(image[::-1, ::-1])
        if rng.random() < 0.7:
            matrix = cv2.getRotationMatrix2D(
                (width / 2, height / 2), float(rng.normal(0, 1.2)), float(rng.normal(1, 0.015))
            )
            matrix[:, 2] = matrix[:, 2] + rng.normal(0, 0.012 * width, 2)
            image = cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(
                np.uint8
            )
        if rng.random() < 0.45:
            image = moved(image, float(rng.uniform(0.5, 4.8)) * per_mm, float(rng.uniform(0, np.pi)))
        if rng.random() < 0.45:
            # As seen from further away: the whole card 24 to 60 pixels wide.
            share = float(np.exp(rng.uniform(np.log(24), np.log(60)))) / (CARD_WIDTH_MM * per_mm)
            if share < 1:
                small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
                image = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
        if rng.random() < 0.7:
            gain = rng.uniform(0.8, 1.2) * rng.normal(1, 0.05, 3)
            image = np.clip(image * gain + rng.uniform(-15, 15), 0, 255).astype(np.uint8)
        if rng.random() < 0.2:
            image = np.clip(image + rng.normal(0, rng.uniform(1, 5), image.shape), 0, 255).astype(np.uint8)
        out[place] = image
    return out


def vary_scenes(images: Image, rng: Generator) -> Image:
    """Recolour scenes."""
    gain = (
        rng.uniform(0.8, 1.2, (len(images), 1, 1, 1)) * rng.normal(1, 0.05, (len(images), 1, 1, 3))
    ).astype(np.float32)
    out: Image = np.clip(images * gain, 0, 255).astype(np.uint8)
    return out


def quarter_turns(images: Image, maps: Floats, weights: Floats, turns: int) -> tuple[Image, Floats, Floats]:
    """Turn scenes and their maps by quarters, counter-clockwise as seen.

    Args:
        images: n × rows × columns × 3.
        maps: n × 13 × rows / 4 × columns / 4.
        weights: n × 2 × rows / 4 × columns / 4.
        turns: 0 to 3.
    """
    for _ in range(turns):
        images, maps, weights = (
            np.rot90(images, axes=(1, 2)),
            np.rot90(maps, axes=(2, 3)),
            np.rot90(weights, axes=(2, 3)),
        )
        maps = np.stack(
            [
                maps[:, 0], maps[:, 2], -maps[:, 1] - HALF_PIXEL, -maps[:, 3], -maps[:, 4], maps[:, 5], maps[:, 6],
                maps[:, 7], maps[:, 9], -maps[:, 8] - HALF_PIXEL, maps[:, 11], -maps[:, 10], maps[:, 12],
            ],
            axis=1,
        )  # fmt: skip
    return np.ascontiguousarray(images), np.ascontiguousarray(maps), np.ascontiguousarray(weights)
