"""Suits drawn by chance: what makes a spade no club is its shape, and no two makers draw it alike."""

from __future__ import annotations

import cv2
import numpy as np

from vision.training.names import Generator, Mask

_SIDE = 100
_FINE = 4
"""Drawn so many times larger, for soft edges."""


def draw_pips(rng: Generator) -> dict[str, Mask]:
    """Draw the four suits as one maker would: a mask of each, cut to its ink."""
    stem, foot = float(rng.uniform(1.5, 5)), float(rng.uniform(9, 24))
    pips = {"s": _spade(rng, stem, foot), "h": _heart(rng), "d": _diamond(rng), "c": _club(rng, stem, foot)}
    slim = float(rng.uniform(0.82, 1.1))
    for suit, mask in pips.items():
        size = (max(8, round(mask.shape[1] * slim)), mask.shape[0])
        pips[suit] = cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return pips


def _canvas() -> Mask:
    return np.zeros((_SIDE * _FINE, _SIDE * _FINE), np.uint8)


def _disc(canvas: Mask, x: float, y: float, radius: float) -> None:
    cv2.circle(canvas, (round(x * _FINE), round(y * _FINE)), round(radius * _FINE), 255, -1)


def _fill(canvas: Mask, points: list[tuple[float, float]]) -> None:
    cv2.fillPoly(canvas, [np.round(np.array(points) * _FINE).astype(np.int32)], 255)


def _cut(canvas: Mask) -> Mask:
    """Shrink to the real size and cut to the ink."""
    small = cv2.resize(canvas, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    rows, columns = np.where(small > 40)
    cut: Mask = small[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].astype(np.uint8)
    return cut


def _bow(
    start: tuple[float, float], over: tuple[float, float], end: tuple[float, float]
) -> list[tuple[float, float]]:
    """A curve from a point to another, drawn towards a third."""
    curve = []
    for t in np.linspace(0, 1, 12):
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
        curve.append(
            (float(a * start[0] + b * over[0] + c * end[0]), float(a * start[1] + b * over[1] + c * end[1]))
        )
    return curve


def _leaf(canvas: Mask, rng: Generator) -> None:
    """A spade's leaf, point up: two lobes and the bows from them to the point."""
    radius, apart, height = (
        float(rng.uniform(17, 25)),
        float(rng.uniform(17, 25)),
        float(rng.uniform(54, 68)),
    )
    for side in (-1, 1):
        _disc(canvas, 50 + side * apart, height, radius)
        outer = (50 + side * (apart + 0.92 * radius), height - 0.38 * radius)
        over = (50 + side * float(rng.uniform(8, 24)), float(rng.uniform(24, 38)))
        _fill(canvas, [*_bow((50, 3), over, outer), (50 + side * apart, height + 0.5 * radius), (50, height)])


def _stem(canvas: Mask, top: float, stem: float, foot: float) -> None:
    left, right = (
        _bow((50 - stem, top), (50 - stem, 90), (50 - foot, 98)),
        _bow((50 + foot, 98), (50 + stem, 90), (50 + stem, top)),
    )
    _fill(canvas, [*left, *right])


def _spade(rng: Generator, stem: float, foot: float) -> Mask:
    canvas = _canvas()
    _leaf(canvas, rng)
    _stem(canvas, 55, stem, foot)
    return _cut(canvas)


def _heart(rng: Generator) -> Mask:
    canvas = _canvas()
    _leaf(canvas, rng)
    return _cut(canvas[::-1])


def _diamond(rng: Generator) -> Mask:
    canvas = _canvas()
    wide, hollow = float(rng.uniform(30, 44)), float(rng.uniform(0, 7))
    points: list[tuple[float, float]] = []
    for x, y in ((1, -1), (1, 1), (-1, 1), (-1, -1)):
        along = [(50.0, 50.0 + 48 * y), (50 + wide * x, 50.0)]
        start, end = along if x == y * -1 else along[::-1]
        middle = (50 + x * (wide / 2 - hollow), 50 + y * (24.0 - hollow))
        points += _bow(start, middle, end)
    _fill(canvas, points)
    return _cut(canvas)


def _club(rng: Generator, stem: float, foot: float) -> Mask:
    canvas = _canvas()
    radius = float(rng.uniform(17, 24))
    apart, height = float(rng.uniform(0.95, 1.25)) * radius, float(rng.uniform(56, 66))
    _disc(canvas, 50, 4 + radius, radius)
    for side in (-1, 1):
        _disc(canvas, 50 + side * apart, height, radius)
    _disc(canvas, 50, height - 0.5 * radius, float(rng.uniform(0.3, 0.6)) * radius)
    _stem(canvas, height - radius / 2, stem, foot)
    return _cut(canvas)
