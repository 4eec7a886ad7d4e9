"""From scenes to what the three networks learn: maps for the finder, crops for the two readers."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detect.geometry import overlap, straighten
from vision.training.names import (
    BACK,
    FACE,
    IGNORED,
    NOT_A_CARD,
    OTHER,
    Floats,
    Generator,
    Image,
    rank_class,
    suit_class,
)
from vision.training.scenes import Laid, Scene

STRIDE = 4
MAPS = 13
"""Of the finder: card heat; its centre's x, y, cos and sin of the doubled angle, log width, log height;
index heat; its centre's x, y, cos, sin, log half height."""


def _heat(plane: Floats, x: float, y: float, radius: float) -> None:
    """Draw a soft peak that is exactly one in its own cell."""
    size = plane.shape[0]
    cx, cy = int(x), int(y)
    if not (0 <= cx < size and 0 <= cy < size):
        return
    reach = max(1, int(3 * radius))
    y0, y1, x0, x1 = (
        max(0, cy - reach),
        min(size, cy + reach + 1),
        max(0, cx - reach),
        min(size, cx + reach + 1),
    )
    gy, gx = np.mgrid[y0:y1, x0:x1]
    peak = np.exp(-((gx - cx) ** 2 + (gy - cy) ** 2) / (2 * radius * radius)).astype(np.float32)
    plane[y0:y1, x0:x1] = np.maximum(plane[y0:y1, x0:x1], peak)


def _values(
    maps: Floats, weights: Floats, first: int, place: tuple[float, float], radius: float, rest: list[float]
) -> None:
    """Write the numbers that a peak's cells must say: its cell and those around, more of them for a wide peak.

    A wide peak's highest cell is not always its middle; its neighbours point to it, too.
    """
    size = maps.shape[1]
    x, y = place
    reach = max(1, int(radius))
    share = 3.2 / ((2 * reach + 1) ** 2 - 1)
    for cy in range(int(y) - reach, int(y) + reach + 1):
        for cx in range(int(x) - reach, int(x) + reach + 1):
            if 0 <= cx < size and 0 <= cy < size:
                weight = 1.0 if (cx, cy) == (int(x), int(y)) else share
                if weight >= weights[cy, cx]:
                    maps[first : first + 2 + len(rest), cy, cx] = [x - cx - 0.5, y - cy - 0.5, *rest]
                    weights[cy, cx] = weight


def finder_maps(scene: Scene) -> tuple[Floats, Floats]:
    """Give a scene's target maps and, for cards and indices, where their numbers count."""
    size = scene.image.shape[0] // STRIDE
    maps = np.zeros((MAPS, size, size), np.float32)
    weights = np.zeros((2, size, size), np.float32)
    for card in scene.cards:
        if card.visible >= 0.3:
            centre = card.quad.mean(axis=0)
            x, y = float(centre[0]) / STRIDE, float(centre[1]) / STRIDE
            up = (card.quad[0] + card.quad[1] - card.quad[2] - card.quad[3]) / 2
            right = (card.quad[1] + card.quad[2] - card.quad[0] - card.quad[3]) / 2
            w, h = float(np.hypot(*right)), float(np.hypot(*up))
            angle = 2 * float(np.arctan2(up[1], up[0]))
            radius = max(0.8, w / STRIDE / 9)
            _heat(maps[0], x, y, radius)
            _values(
                maps,
                weights[0],
                1,
                (x, y),
                radius,
                [np.cos(angle), np.sin(angle), np.log(w / 50), np.log(h / 70)],
            )
        for ix, iy, ux, uy in card.indices:
            length = float(np.hypot(ux, uy))
            x, y = ix / STRIDE, iy / STRIDE
            radius = max(0.7, length / STRIDE / 4)
            _heat(maps[7], x, y, radius)
            _values(maps, weights[1], 8, (x, y), radius, [ux / length, uy / length, np.log(length / 10)])
    return maps, weights


def jittered(quad: Floats, rng: Generator, much: float) -> Floats:
    """Misplace an outline as a finder does."""
    width = float(np.hypot(*(quad[1] - quad[0])))
    centre = quad.mean(axis=0)
    turn = float(rng.normal(0, 0.6 * much))
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    moved = (quad - centre) @ rotation * rng.normal(1, much, 2) + centre
    out: Floats = (
        moved + rng.normal(0, much * 0.5 * width, (4, 2)) + rng.normal(0, much * 0.6 * width, 2)
    ).astype(np.float32)
    return out


def card_crops(scene: Scene, rng: Generator) -> list[tuple[Image, int, int, int]]:
    """Give crops with kind, rank, suit: the cards, and outlines that are no card's."""
    crops = []
    for card in scene.cards:
        if card.visible < 0.35:
            continue
        quad = jittered(card.quad, rng, float(rng.choice([0.012, 0.03])))
        if rng.random() < 0.5:
            quad = np.roll(quad, 2, axis=0)
        readable = card.visible > 0.8 or len(card.indices) > 0
        if card.side.card is None:
            label = (BACK, IGNORED, IGNORED)
        elif readable:
            label = (FACE, rank_class(card.side.card), suit_class(card.side.card))
        else:
            label = (FACE, IGNORED, IGNORED)
        if card.visible < 0.55 and not readable:
            continue
        crops.append((straighten(scene.image, np.ascontiguousarray(quad), 64, 96), *label))
    for _ in range(max(2, len(scene.cards) // 2)):
        wrong = wrong_outline(scene, rng)
        if wrong is not None:
            crops.append((straighten(scene.image, wrong, 64, 96), NOT_A_CARD, IGNORED, IGNORED))
    return crops


def _upright(width: float, rng: Generator) -> Floats:
    """Make an outline of a card's shape about the origin, turned by chance."""
    turn = float(rng.uniform(0, 6.28))
    local = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * width / 2
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    outline: Floats = (local @ rotation).astype(np.float32)
    return outline


def wrong_outline(scene: Scene, rng: Generator) -> Floats | None:
    """Make an outline that is no card's: inner frames, halves, neighbours together, chips, anything."""
    size = scene.image.shape[0]
    if scene.chips and rng.random() < 0.35:
        x, y, r = scene.chips[int(rng.integers(len(scene.chips)))]
        quad = _upright(float(rng.uniform(1.2, 2.2)) * r, rng) + np.array([x, y]) + rng.normal(0, 0.2 * r, 2)
    elif scene.cards and rng.random() < 0.25:
        # A piece of a card: courts and aces hold much that looks like a small back.
        card = scene.cards[int(rng.integers(len(scene.cards)))]
        at = rng.uniform(0.15, 0.85, 2)
        a, b = card.quad[1] - card.quad[0], card.quad[3] - card.quad[0]
        quad = (
            _upright(float(rng.uniform(0.12, 0.5) * np.hypot(*a)), rng) + card.quad[0] + at[0] * a + at[1] * b
        )
    elif scene.cards and rng.random() < 0.8:
        card = scene.cards[int(rng.integers(len(scene.cards)))]
        centre = card.quad.mean(axis=0)
        choice = rng.random()
        if choice < 0.4:
            scale = rng.uniform(0.35, 0.8, 2) if rng.random() < 0.6 else np.full(2, rng.uniform(0.5, 0.76))
            a, b = card.quad[1] - card.quad[0], card.quad[3] - card.quad[0]
            local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * scale / 2
            quad = (
                centre
                + local[:, :1] * a
                + local[:, 1:] * b
                + (rng.normal(0, 0.1, 2) * np.hypot(*a) if rng.random() < 0.4 else 0)
            )
        elif choice < 0.7:
            shift = rng.uniform(0.35, 0.9) * np.array([np.cos(t := rng.uniform(0, 6.28)), np.sin(t)])
            quad = card.quad + shift * np.hypot(*(card.quad[3] - card.quad[0]))
        elif choice < 0.85:
            quad = centre + (card.quad - centre) * rng.uniform(1.3, 2.0)
        else:
            quad = centre + (np.roll(card.quad, 1, axis=0) - centre) * rng.uniform(0.7, 1.2)
    else:
        quad = _upright(float(np.exp(rng.uniform(np.log(16), np.log(150)))), rng) + rng.uniform(0, size, 2)
    outline: Floats = np.ascontiguousarray(quad, np.float32)
    if any(overlap(outline, card.quad) > 0.52 for card in scene.cards):
        return None
    return outline


def index_quad(x: float, y: float, ux: float, uy: float) -> Floats:
    """Give the outline of the patch that the index reader sees, its top where the index's top is."""
    up, right = np.array([ux, uy]) * 1.35, np.array([-uy, ux]) * 1.05
    centre = np.array([x, y])
    corners: Floats = np.array(
        [centre + up - right, centre + up + right, centre - up + right, centre - up - right], np.float32
    )
    return corners


def index_crops(scene: Scene, rng: Generator) -> list[tuple[Image, int, int]]:
    """Give patches around indices with rank and suit; rank 13 where there is no index to read."""
    patches = []
    for card in scene.cards:
        for ix, iy, ux, uy in card.indices:
            length = float(np.hypot(ux, uy))
            scale, turn = float(np.exp(rng.normal(0, 0.09))), float(rng.normal(0, 0.1))
            vx, vy = (
                (ux * np.cos(turn) - uy * np.sin(turn)) * scale,
                (ux * np.sin(turn) + uy * np.cos(turn)) * scale,
            )
            dx, dy = rng.normal(0, 0.09, 2) * length
            name = str(card.side.card)
            label = (rank_class(name), suit_class(name))
            if rng.random() < 0.12:
                vx, vy, label = -vx, -vy, (OTHER, IGNORED)
            patches.append((_patch(scene.image, index_quad(ix + dx, iy + dy, vx, vy)), *label))
        if rng.random() < 0.3:
            patches.append(_elsewhere(scene, card, rng))
    return patches


def _elsewhere(scene: Scene, card: Laid, rng: Generator) -> tuple[Image, int, int]:
    """Take a patch of a card, or beside it, that is no index."""
    at = rng.uniform(-0.1, 1.1, 2)
    if at[0] < 0.3 or at[0] > 0.7:
        at[1] = rng.uniform(0.42, 0.58)
    point = card.quad[0] + (card.quad[1] - card.quad[0]) * at[0] + (card.quad[3] - card.quad[0]) * at[1]
    up = (card.quad[0] - card.quad[3]) * rng.uniform(0.06, 0.14) * rng.choice([-1, 1])
    patch = _patch(scene.image, index_quad(float(point[0]), float(point[1]), float(up[0]), float(up[1])))
    return patch, OTHER, IGNORED


def _patch(image: Image, quad: Floats) -> Image:
    return straighten(image, quad, 36, 48)


def contrast(image: Image, rng: Generator) -> Image:
    """Change a crop's brightness a little, once more."""
    table = np.clip(np.arange(256) * rng.uniform(0.8, 1.2) + rng.uniform(-15, 15), 0, 255).astype(np.uint8)
    return cv2.LUT(image, table).astype(np.uint8)
