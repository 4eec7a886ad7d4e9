"""Pictures of tables that never were: cards thrown, laid and fanned over backgrounds, then spoilt."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.art import HEIGHT, WIDTH
from vision.training.decks import INKS, Deck, Side
from vision.training.names import Floats, Generator, Image

CORNERS = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)


@dataclass(frozen=True)
class Laid:
    """One card of a scene: its side, outline, the part of it that shows, and the indices that show.

    An index is (x, y, up x, up y): its centre and the vector to its top, pixels.
    """

    side: Side
    quad: Floats
    visible: float
    indices: tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True)
class Scene:
    """A picture and everything that lies in it; of chips the centre and radius in pixels."""

    image: Image
    cards: tuple[Laid, ...]
    chips: tuple[tuple[float, float, float], ...] = ()


def background(rng: Generator, size: int) -> Image:
    """Draw wood, cloth, carpet, stone, paper or plain plastic."""
    base = rng.integers(10, 246, 3).astype(np.float32)
    if rng.random() < 0.4:
        base[:] = base.mean() + rng.uniform(-15, 15, 3)
    if rng.random() < 0.2:
        base[:] = rng.uniform(185, 250) + rng.uniform(-18, 10, 3)
    canvas = np.empty((size, size, 3), np.float32)
    canvas[:] = base
    strength = float(rng.choice([0, 6, 14, 30, 50], p=[0.2, 0.25, 0.25, 0.2, 0.1]))
    stretch = int(rng.choice([1, 1, 8]))
    for octave in (2, 4, 8, 16, 40, 100, 200):
        if rng.random() < 0.6:
            noise = rng.normal(
                0, 1, (octave, max(1, octave // stretch), 1 if rng.random() < 0.7 else 3)
            ).astype(np.float32)
            grown = cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC)
            canvas += (grown if grown.ndim == 3 else grown[..., None]) * strength * 0.6
    if rng.random() < 0.25:
        step = float(rng.uniform(3, 60))
        y, x = np.mgrid[0:size, 0:size]
        canvas *= 1 + 0.12 * (np.sin((x * rng.uniform(-1, 1) + y) * 6.28 / step) > 0.6)[..., None]
    picture = np.clip(canvas, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 3))):
            corners = rng.uniform(-0.2, 1.2, (4, 2)) * size
            cv2.fillConvexPoly(
                picture,
                cv2.convexHull(corners.astype(np.int32)),
                tuple(int(v) for v in rng.integers(0, 256, 3)),
            )
    if stretch == 8 and rng.random() < 0.5:
        picture = np.ascontiguousarray(picture.transpose(1, 0, 2))
    return picture


def _chip(picture: Image, x: int, y: int, r: int, rng: Generator) -> None:
    """Draw one chip: a colour, spots on its edge, an inlay."""
    colour = tuple(int(v) for v in rng.integers(0, 256, 3))
    spot = (235, 235, 235) if rng.random() < 0.7 else tuple(int(v) for v in rng.integers(0, 256, 3))
    cv2.circle(picture, (x, y), r, colour, -1, cv2.LINE_AA)
    start, spots = int(rng.integers(0, 60)), int(rng.choice([4, 6, 6, 8]))
    for turn in range(start, start + 360, 360 // spots):
        cv2.ellipse(picture, (x, y), (r, r), turn, 0, 110 // spots, spot, max(1, r // 4), cv2.LINE_AA)
    inner = max(1, int(r * rng.uniform(0.5, 0.7)))
    if rng.random() < 0.5:
        light = tuple(int(v) for v in np.clip(np.array(colour) + rng.integers(-50, 80), 0, 255))
        cv2.circle(picture, (x, y), inner, light, -1, cv2.LINE_AA)
    cv2.circle(picture, (x, y), inner, spot, 1, cv2.LINE_AA)
    if rng.random() < 0.5:
        word = str(int(rng.choice([1, 5, 10, 25, 50, 100, 500])))
        size = 0.03 * r
        cv2.putText(
            picture,
            word,
            (int(x - 9 * len(word) * size), int(y + 10 * size)),
            cv2.FONT_HERSHEY_SIMPLEX,
            size,
            spot,
            1,
            cv2.LINE_AA,
        )


def _things(picture: Image, rng: Generator, front: bool) -> list[tuple[float, float, float]]:
    """Lay chips, sheets with print, cables and (in front) fingers; give the chips."""
    size = picture.shape[0]
    chips: list[tuple[float, float, float]] = []
    for _ in range(int(rng.integers(0, 4))):
        x, y = (int(v) for v in rng.integers(0, size, 2))
        kind = rng.random()
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        if kind < 0.5:
            r = max(4, int(rng.uniform(0.02, 0.09) * size))
            for _each in range(int(rng.choice([1, 1, 3, 5]))):
                _chip(picture, x, y, r, rng)
                chips.append((float(x), float(y), float(r)))
                x, y = (int(v + rng.normal(0, 1.6 * r)) for v in (x, y))
        elif front:
            if kind < 0.75:
                skin = np.array([120, 155, 205]) * rng.uniform(0.35, 1.1)
                end = (x + int(rng.integers(-80, 81)), y + int(rng.integers(-80, 81)))
                cv2.line(
                    picture,
                    (x, y),
                    end,
                    tuple(int(v) for v in np.clip(skin, 0, 255)),
                    int(rng.uniform(0.02, 0.08) * size),
                    cv2.LINE_AA,
                )
        elif kind < 0.85:
            rect = (
                (float(x), float(y)),
                (float(rng.uniform(0.1, 0.6) * size), float(rng.uniform(0.1, 0.6) * size)),
                float(rng.uniform(0, 180)),
            )
            white = colour if rng.random() < 0.4 else (int(rng.integers(190, 255)),) * 3
            box = cv2.boxPoints(rect)
            cv2.fillConvexPoly(picture, box.astype(np.int32), white, cv2.LINE_AA)
            for _line in range(int(rng.integers(0, 9))):
                at = rng.uniform(0, 1, 2)
                p = box[0] + (box[1] - box[0]) * at[0] + (box[3] - box[0]) * at[1]
                text = "".join(chr(int(c)) for c in rng.integers(48, 91, 8))
                cv2.putText(
                    picture,
                    text,
                    (int(p[0]), int(p[1])),
                    cv2.FONT_HERSHEY_SIMPLEX,
                    float(rng.uniform(0.2, 0.7)),
                    INKS[int(rng.integers(len(INKS)))],
                    1,
                    cv2.LINE_AA,
                )
        else:
            cv2.line(
                picture,
                (x, y),
                tuple(int(v) for v in rng.integers(0, size, 2)),
                colour,
                int(rng.integers(1, 8)),
                cv2.LINE_AA,
            )
    return chips


def _poses(rng: Generator, size: int, width: float) -> list[tuple[float, float, float]]:
    """Choose centres and angles: scattered, in a row, as pairs, as a fan, in a grid."""
    height = width * 1.4
    kind = rng.random()
    turn = (
        float(rng.uniform(0, 2 * np.pi))
        if rng.random() < 0.6
        else float(rng.choice([0, np.pi / 2, np.pi]) + rng.normal(0, 0.05))
    )
    cx, cy = rng.uniform(0.2, 0.8, 2) * size
    poses: list[tuple[float, float, float]] = []
    ax, ay = np.cos(turn), np.sin(turn)
    if kind < 0.3:
        count = int(rng.integers(1, 2 + max(1, min(9, int((size / height) ** 2)))))
        return [
            (*(rng.uniform(0.02, 0.98, 2) * size), float(rng.uniform(0, 2 * np.pi))) for _ in range(count)
        ]
    if kind < 0.55:
        step = width * rng.uniform(1.01, 1.35)
        rows = int(rng.integers(1, 3))
        count = int(rng.integers(2, 7))
        for row in range(rows):
            for n in range(count):
                along, down = (n - (count - 1) / 2) * step, row * height * rng.uniform(1.02, 1.2)
                poses.append(
                    (
                        cx + along * ax - down * ay,
                        cy + along * ay + down * ax,
                        turn + float(rng.normal(0, 0.04)),
                    )
                )
        return poses
    if kind < 0.8:
        for _ in range(int(rng.integers(1, 2 + max(1, min(6, int((size / height) ** 2 / 2)))))):
            x, y = rng.uniform(0.08, 0.92, 2) * size
            t = float(rng.uniform(0, 2 * np.pi))
            for _card in range(int(rng.choice([1, 2, 2, 3]))):
                poses.append((x, y, t))
                shift = rng.uniform(0.08, 0.75) * width
                side = (
                    t
                    + float(rng.normal(0, 0.5))
                    + (0 if rng.random() < 0.7 else np.pi / 2)
                    + (np.pi if rng.random() < 0.5 else 0)
                )
                x, y, t = x + shift * np.cos(side), y + shift * np.sin(side), t + float(rng.normal(0, 0.25))
        return poses
    count = int(rng.integers(3, 8))
    spread = float(rng.uniform(0.05, 0.3))
    shift = float(rng.uniform(0.1, 0.4)) * width
    for n in range(count):
        poses.append((cx + n * shift * ax, cy + n * shift * ay, turn + n * spread))
    return poses


def place(side: Side, quad: Floats, size: int) -> tuple[Image, Floats]:
    """Give a card's picture warped into the scene, and its homography from the drawn card."""
    matrix = cv2.getPerspectiveTransform(CORNERS, quad).astype(np.float32)
    shrink = float(np.hypot(*(quad[1] - quad[0]))) / WIDTH
    source, warp = side.image, matrix
    if shrink < 0.7:
        small = (max(8, round(WIDTH * shrink)), max(11, round(HEIGHT * shrink)))
        source = cv2.resize(source, small, interpolation=cv2.INTER_AREA).astype(np.uint8)
        start = np.array([[0, 0], [small[0], 0], [small[0], small[1]], [0, small[1]]], np.float32)
        warp = cv2.getPerspectiveTransform(start, quad).astype(np.float32)
    return cv2.warpPerspective(source, warp, (size, size), flags=cv2.INTER_LINEAR).astype(np.uint8), matrix


def _through(matrix: Floats, x: float, y: float) -> Floats:
    point = matrix @ np.array([x, y, 1.0], np.float32)
    out: Floats = (point[:2] / point[2]).astype(np.float32)
    return out


def make_scene(decks: list[Deck], rng: Generator, size: int = 288, least: float = 20.0) -> Scene:
    """Lay a scene by chance; the last card laid lies on top, none is narrower than `least` pixels."""
    deck = decks[int(rng.integers(len(decks)))]
    picture = background(rng, size)
    chips = _things(picture, rng, False)
    width = float(np.exp(rng.uniform(np.log(least), np.log(150))))
    owner = np.full((size, size), -1, np.int16)
    placed: list[tuple[Side, Floats, Floats, float]] = []
    tilt = rng.normal(0, 0.05, 2) * (rng.random() < 0.6)
    backs = float(rng.choice([0.0, 0.12, 0.6]))
    names = list(deck.faces)
    ratio = float(rng.uniform(1.36, 1.56))
    for x, y, turn in [] if rng.random() < 0.04 else _poses(rng, size, width)[:14]:
        chance = rng.random()
        side = deck.back if chance < backs else deck.faces[names[int(rng.integers(52))]]
        if chance > 0.95:
            side = deck.strangers[int(rng.integers(len(deck.strangers)))]
        half = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * [width, width * ratio]
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        corners = half @ rotation
        corners = corners / (1 + (corners @ tilt[:, None]) / width) + [x, y]
        quad = (corners + rng.normal(0, 0.008 * width, (4, 2))).astype(np.float32)
        warped, matrix = place(side, quad, size)
        opacity = warped[..., 3:].astype(np.float32) / 255
        if not opacity.any():
            continue
        if rng.random() < 0.6:
            shift = rng.normal(0, 0.02 * width, 2)
            shadow = cv2.warpAffine(
                warped[..., 3], np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32), (size, size)
            )
            shadow = cv2.GaussianBlur(shadow, (0, 0), max(0.6, 0.025 * width))
            dark = shadow[..., None].astype(np.float32) / 255 * rng.uniform(0.1, 0.5)
            picture = (picture * (1 - dark)).astype(np.uint8)
        picture = (picture * (1 - opacity) + warped[..., :3] * opacity).astype(np.uint8)
        owner[warped[..., 3] > 127] = len(placed)
        placed.append((side, quad, matrix, float(abs(cv2.contourArea(quad)))))
    if rng.random() < 0.35:
        before = picture.copy()
        chips += _things(picture, rng, True)
        owner[(before != picture).any(axis=2)] = -2
    cards = []
    for number, (side, quad, matrix, full) in enumerate(placed):
        mine = owner == number
        visible = min(1.0, float(mine.sum()) / max(full * 0.985, 1.0))
        cards.append(Laid(side, quad, visible, _showing(side, matrix, mine)))
    return Scene(spoil(picture, rng, width), tuple(cards), tuple(chips))


def _showing(side: Side, matrix: Floats, mine: np.ndarray) -> tuple[tuple[float, float, float, float], ...]:
    """Give the indices of a card that nothing covers."""
    size = mine.shape[0]
    showing = []
    for cx, cy, half in side.indices:
        middle = _through(matrix, cx * WIDTH, cy * HEIGHT)
        top = _through(matrix, cx * WIDTH, (cy - half) * HEIGHT)
        up = top - middle
        length = float(np.hypot(*up))
        across = np.array([-up[1], up[0]]) * 0.38
        points = [middle + up * a + across * b for a in (-0.9, -0.45, 0, 0.45, 0.9) for b in (-1, 0, 1)]
        inside = [
            0 <= int(p[0]) < size and 0 <= int(p[1]) < size and bool(mine[int(p[1]), int(p[0])])
            for p in points
        ]
        if sum(inside) >= 14 and length >= 3.5:
            showing.append((float(middle[0]), float(middle[1]), float(up[0]), float(up[1])))
    return tuple(showing)


def moved(picture: Image, length: float, angle: float) -> Image:
    """Blur a picture along a straight way, as a card that flies while the shutter is open.

    Args:
        picture: Any picture.
        length: Of the way, pixels (parts of one count).
        angle: Of the way, radians.
    """
    reach = max(1, int(np.ceil(length / 2)))
    places = np.arange(-reach, reach + 1, dtype=np.float32)
    x, y = np.meshgrid(places, places)
    along, across = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    inside = np.clip((length + 1) / 2 - np.abs(along), 0, 1) * np.clip(1 - np.abs(across), 0, 1)
    return cv2.filter2D(picture, -1, inside / inside.sum(), borderType=cv2.BORDER_REPLICATE).astype(np.uint8)


def spoil(picture: Image, rng: Generator, width: float) -> Image:
    """Light it badly and photograph it with a cheap camera; blur in proportion to the cards."""
    size = picture.shape[0]
    light = picture.astype(np.float32)
    light *= rng.uniform(0.88, 1.12, 3).astype(np.float32) if rng.random() < 0.7 else 1.0
    if rng.random() < 0.2:
        light *= np.array([rng.uniform(0.45, 0.8), rng.uniform(0.7, 0.9), 1.0], np.float32)
    light *= float(np.exp(rng.normal(-0.15, 0.3)))
    if rng.random() < 0.5:
        field = cv2.resize(rng.uniform(0.45, 1.1, (2, 2)).astype(np.float32), (size, size))
        light *= field[..., None]
    if rng.random() < 0.25:
        mask = np.zeros((size, size), np.float32)
        corners = cv2.convexHull((rng.uniform(-0.2, 1.2, (4, 2)) * size).astype(np.int32))
        cv2.fillConvexPoly(mask, corners, 1.0)
        soft_edge = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.8, 12)))
        light *= 1 - soft_edge[..., None] * float(rng.uniform(0.2, 0.6))
    if rng.random() < 0.25:
        y, x = np.mgrid[0:size, 0:size].astype(np.float32)
        gx, gy = rng.uniform(0, size, 2)
        wide = rng.uniform(0.05, 0.25) * size
        light += np.exp(-((x - gx) ** 2 + ((y - gy) * rng.uniform(0.5, 2)) ** 2) / wide**2)[
            ..., None
        ] * rng.uniform(40, 190)
    spoilt = np.clip(light, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        spoilt = cv2.GaussianBlur(
            spoilt, (0, 0), float(rng.uniform(0.3, np.clip(width / 36, 0.6, 2.0)))
        ).astype(np.uint8)
    if rng.random() < 0.3:
        # As far as a card travels while it can still be read (4 mm), seldom twice that.
        travel = rng.uniform(0.5, 4.5) if rng.random() < 0.8 else rng.uniform(4.5, 9.0)
        spoilt = moved(spoilt, travel / 63.5 * width, float(rng.uniform(0, np.pi)))
    if rng.random() < 0.25:
        soft = cv2.GaussianBlur(spoilt, (0, 0), 1.0)
        spoilt = cv2.addWeighted(spoilt, 1.7, soft, -0.7, 0).astype(np.uint8)
    noisy = spoilt.astype(np.float32) + rng.normal(0, rng.choice([1, 3, 7]), spoilt.shape).astype(np.float32)
    spoilt = np.clip(noisy, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        _, data = cv2.imencode(".jpg", spoilt, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))])
        spoilt = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return spoilt
