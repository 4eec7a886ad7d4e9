"""Decks that never existed: fonts, pips, courts, index sizes and backs mixed by a seed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.training.art import HEIGHT, WIDTH, Art
from vision.training.courts import Redrawing
from vision.training.names import OTHER_RANKS, RANKS, SUITS, Generator, Image, Mask
from vision.training.pips import draw_pips

PLACES = {
    "A": [(0.5, 0.5)],
    "2": [(0.5, 0.0), (0.5, 1.0)],
    "3": [(0.5, 0.0), (0.5, 0.5), (0.5, 1.0)],
    "4": [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)],
    "5": [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)] + [(0.5, 0.5)],
    "6": [(x, y) for x in (0.0, 1.0) for y in (0.0, 0.5, 1.0)],
    "7": [(x, y) for x in (0.0, 1.0) for y in (0.0, 0.5, 1.0)] + [(0.5, 0.25)],
    "8": [(x, y) for x in (0.0, 1.0) for y in (0.0, 0.5, 1.0)] + [(0.5, 0.25), (0.5, 0.75)],
    "9": [(x, y) for x in (0.0, 1.0) for y in (0.0, 1 / 3, 2 / 3, 1.0)] + [(0.5, 0.5)],
    "T": [(x, y) for x in (0.0, 1.0) for y in (0.0, 1 / 3, 2 / 3, 1.0)] + [(0.5, 1 / 6), (0.5, 5 / 6)],
}
"""Where a number card's pips stand inside their field."""


@dataclass(frozen=True)
class Side:
    """One side of one card, drawn.

    Attributes:
        image: Blue-green-red and opacity, 280 × 200.
        card: "Ah", another deck's index and suit ("Bh", "joker"), or None for a back.
        indices: Centre x, centre y, half height (upwards, in card heights; the suit below the rank):
            relative to width and height; the sign of the third is negative where it stands on its head.
    """

    image: Image
    card: str | None
    indices: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Deck:
    """Fifty-two faces, some cards that do not belong, a back."""

    faces: dict[str, Side]
    strangers: tuple[Side, ...]
    back: Side


def _stamp(
    canvas: Image, mask: Mask, x: float, y: float, size: tuple[float, float], colour: np.ndarray, turned: bool
) -> None:
    """Print a mask in one colour with its centre at x, y."""
    width, height = max(2, round(size[0])), max(2, round(size[1]))
    ink = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    if turned:
        ink = ink[::-1, ::-1]
    left, top = round(x - width / 2), round(y - height / 2)
    x0, y0, x1, y1 = (
        max(0, left),
        max(0, top),
        min(canvas.shape[1], left + width),
        min(canvas.shape[0], top + height),
    )
    if x1 <= x0 or y1 <= y0:
        return
    part = ink[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    area = canvas[y0:y1, x0:x1, :3]
    area[:] = (area * (1 - part) + colour * part).astype(np.uint8)


def _rounded(width: int, height: int, radius: float) -> Mask:
    """Draw a card's shape."""
    shape = np.zeros((height * 4, width * 4), np.uint8)
    r = max(1, round(radius * 4))
    cv2.rectangle(shape, (r, 0), (width * 4 - r - 1, height * 4 - 1), 255, -1)
    cv2.rectangle(shape, (0, r), (width * 4 - 1, height * 4 - r - 1), 255, -1)
    for cx in (r, width * 4 - r - 1):
        for cy in (r, height * 4 - r - 1):
            cv2.circle(shape, (cx, cy), r, 255, -1)
    return cv2.resize(shape, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)


def _both_ways(image: Image) -> Image:
    """Make the lower half the upper one turned round, as courts and backs are."""
    half = image.shape[0] // 2
    image[-half:] = image[:half][::-1, ::-1]
    return image


def _laced(mask: Mask, rng: Generator) -> Mask:
    """Print an ace's large pip as makers do: as it is, on its head, in stripes, as an outline or as lace."""
    kind = rng.random()
    if rng.random() < 0.25:
        mask = np.ascontiguousarray(mask[::-1])
    if kind < 0.4:
        return mask
    height, width = mask.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = np.abs(x - width / 2) / height, y / height
    if kind < 0.6:
        pattern = np.sin(y * float(rng.uniform(30, 110))) > rng.uniform(-0.6, 0.3)
    elif kind < 0.8:
        a, b, c = (float(v) for v in rng.uniform(15, 60, 3))
        pattern = np.sin(a * x + c * y * y) * np.cos(b * y - a * x * y) > rng.uniform(-0.4, 0.2)
    else:
        pattern = np.zeros(mask.shape, bool)
    thick = max(2, int(height * rng.uniform(0.05, 0.14)))
    inner = cv2.erode(mask, np.ones((thick, thick), np.uint8))
    return np.where(pattern | (inner < 128), mask, mask // 12).astype(np.uint8)


def _colour(values: np.ndarray) -> tuple[int, int, int]:
    blue, green, red = (int(value) for value in values)
    return blue, green, red


def _scribble(
    rng: Generator, width: int, height: int, colours: list[tuple[int, int, int]], count: int
) -> Image:
    """Draw a busy picture of patches and lines: a court by somebody else."""
    image = np.full((height, width, 3), rng.integers(200, 256), np.uint8)
    for _ in range(count):
        colour = colours[int(rng.integers(len(colours)))]
        kind = rng.random()
        a = rng.integers(0, [width, height], 2)
        b = rng.integers(0, [width, height], 2)
        if kind < 0.35:
            points = (a + rng.integers(-30, 31, (int(rng.integers(3, 7)), 2))).astype(np.int32)
            cv2.fillPoly(image, [points], colour)
        elif kind < 0.6:
            axes = (int(rng.integers(3, 24)), int(rng.integers(3, 24)))
            cv2.ellipse(
                image,
                (int(a[0]), int(a[1])),
                axes,
                float(rng.uniform(0, 180)),
                0,
                360,
                colour,
                int(rng.choice([-1, 1, 2])),
            )
        else:
            cv2.line(
                image,
                (int(a[0]), int(a[1])),
                (int(b[0]), int(b[1])),
                colour,
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
    return _both_ways(image)


INKS = [
    (20, 20, 20),
    (30, 30, 200),
    (190, 90, 30),
    (40, 180, 230),
    (240, 240, 240),
    (60, 60, 60),
    (60, 120, 40),
]


def make_back(art: Art, rng: Generator) -> Side:
    """Draw a back: a frame or none, and a pattern that looks the same from both ends."""
    base = [
        (150, 60, 20),
        (40, 30, 170),
        (60, 100, 20),
        (30, 30, 30),
        (120, 40, 110),
        (40, 110, 190),
        (140, 120, 30),
    ]
    ink = np.clip(np.array(base[int(rng.integers(len(base)))]) + rng.integers(-30, 50, 3), 0, 255)
    paper = np.clip(rng.integers(215, 256) + rng.integers(-8, 9, 3), 0, 255)
    image = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    image[:] = paper
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    period = float(rng.uniform(5, 26))
    kind = int(rng.integers(8))
    if kind == 0:
        pattern = np.sin((x + y) * 6.28 / period) * np.sin((x - y) * 6.28 / period) > rng.uniform(-0.3, 0.3)
    elif kind == 1:
        pattern = np.sin(x * 6.28 / period) * np.sin(y * 6.28 / period) > rng.uniform(-0.2, 0.5)
    elif kind == 2:
        pattern = np.sin(np.hypot(x - WIDTH / 2, y - HEIGHT / 2) * 6.28 / period) > rng.uniform(-0.6, 0.4)
    elif kind == 3:
        pattern = np.sin((x + (y if rng.random() < 0.5 else 0)) * 6.28 / period) > rng.uniform(-0.7, 0.4)
    elif kind == 4:
        pattern = np.ones(x.shape, bool)
    elif kind == 5:
        noise = cv2.resize(rng.random((HEIGHT // 10, WIDTH // 10)).astype(np.float32), (WIDTH, HEIGHT))
        pattern = (noise + noise[:, ::-1] + noise[::-1] + noise[::-1, ::-1]) > 2
    else:
        angle = np.arctan2(y - HEIGHT / 2, x - WIDTH / 2)
        radius = np.hypot(x - WIDTH / 2, y - HEIGHT / 2)
        pattern = (
            np.sin(angle * int(rng.integers(4, 16)) + np.sin(radius / period * 3)) * np.sin(radius / period)
            > -0.2
        )
    light = paper if rng.random() < 0.75 else np.clip(ink + rng.integers(20, 70), 0, 255)
    dark = ink if rng.random() < 0.85 else np.clip(paper - 60, 0, 255)
    field = np.where(pattern[..., None], dark, light).astype(np.uint8)
    if rng.random() < 0.35:
        # A picture in the middle, as clubs print.
        w, h = int(rng.uniform(40, 140)), int(rng.uniform(40, 160))
        picture = _scribble(rng, w, h, [_colour(ink), _colour(paper)], 25)
        left, top = (WIDTH - w) // 2, (HEIGHT - h) // 2
        field[top : top + h, left : left + w] = picture
    margin = int(rng.choice([0, 5, 8, 12, 16, 28, 42], p=[0.2, 0.1, 0.15, 0.25, 0.15, 0.08, 0.07]))
    if margin:
        image[margin:-margin, margin:-margin] = field[margin:-margin, margin:-margin]
        if rng.random() < 0.4:
            frame = tuple(int(v) for v in ink)
            cv2.rectangle(
                image, (margin, margin), (WIDTH - margin, HEIGHT - margin), frame, int(rng.integers(1, 4))
            )
    else:
        image = field
    if rng.random() < 0.05:
        image = art.back[..., :3].copy()
    shape = _rounded(WIDTH, HEIGHT, float(rng.uniform(6, 13)))
    return Side(np.dstack([image, shape]), None, ())


class DeckPress:
    """Prints one deck: its choices are made once, then each card is drawn by them."""

    def __init__(self, art: Art, rng: Generator) -> None:
        """Choose fonts, pips, colours and sizes of a deck."""
        self.art, self.rng = art, rng
        self.letters = art.letters[int(rng.integers(len(art.letters)))]
        own = rng.random() < 0.5
        self.pips = draw_pips(rng) if own else art.pips[int(rng.integers(len(art.pips)))]
        self.big_pips = self.pips if rng.random() < 0.7 else art.pips[int(rng.integers(len(art.pips)))]
        self.jumbo = rng.random() < 0.3
        self.rank_height = (
            float(rng.uniform(0.15, 0.24) if self.jumbo else rng.uniform(0.075, 0.135)) * HEIGHT
        )
        self.squeeze = float(rng.uniform(0.5, 1.1))
        # The two digits of the ten are set as narrow as one letter by most makers.
        self.ten_squeeze = float(rng.uniform(0.5, 0.75) if rng.random() < 0.65 else rng.uniform(0.75, 1.0))
        self.suit_height = self.rank_height * float(rng.uniform(0.55, 1.0))
        self.gap = self.rank_height * float(rng.uniform(0.05, 0.25))
        self.margin_x = float(rng.uniform(0.015, 0.06)) * WIDTH
        self.margin_y = float(rng.uniform(0.025, 0.075)) * HEIGHT
        self.corners = 4 if rng.random() < 0.15 else 2
        self.pip_height = HEIGHT * (
            float(rng.uniform(0.08, 0.12)) if self.jumbo else float(rng.uniform(0.12, 0.19))
        )
        self.field = (
            float(rng.uniform(0.36, 0.4) if self.jumbo else rng.uniform(0.27, 0.33)),
            float(rng.uniform(0.15, 0.2)),
        )
        self.radius = float(rng.uniform(6, 14))
        self.paper = np.clip(np.array([rng.uniform(232, 256)] * 3) + rng.uniform(-10, 6, 3), 0, 255)
        black = rng.uniform(5, 60, 3)
        red = np.array([rng.uniform(10, 60), rng.uniform(10, 60), rng.uniform(170, 240)])
        four = rng.random() < 0.15
        green, blue = np.array([30.0, 120.0, 20.0]), np.array([200.0, 70.0, 30.0])
        self.colours = {"s": black, "h": red, "d": blue if four else red, "c": green if four else black}
        self.court = rng.choice(
            ["art", "tinted", "redrawn", "mixed", "scribble"], p=[0.1, 0.15, 0.5, 0.1, 0.15]
        )
        self.redrawing = Redrawing(rng)
        self.framed = rng.random() < 0.75

    def _indices(self, canvas: Image, name: str, suit: str | None) -> tuple[tuple[float, float, float], ...]:
        """Print the corner indices and say where they are."""
        letter = self.letters[name]
        height = self.rank_height
        squeeze = self.squeeze * (self.ten_squeeze if name == "T" else 1.0)
        width = min(letter.shape[1] / letter.shape[0] * height * squeeze, height * 0.95)
        colour = self.colours.get(suit or "s", self.colours["s"])
        pip = self.pips.get(suit or "")
        pip_size = (0.0, 0.0)
        if pip is not None:
            pip_size = (pip.shape[1] / pip.shape[0] * self.suit_height, self.suit_height)
        wide = max(width, pip_size[0])
        x = self.margin_x + max(wide, height * 0.62) / 2
        top = self.margin_y
        total = height + (self.gap + pip_size[1] if pip is not None else 0)
        corners = [(False, False), (True, True)] + (
            [(True, False), (False, True)] if self.corners == 4 else []
        )
        places = []
        for right, bottom in corners:
            cx = WIDTH - x if right else x
            for mask, size, y in (
                (letter, (width, height), top + height / 2),
                (pip, pip_size, top + height + self.gap + pip_size[1] / 2),
            ):
                if mask is not None:
                    _stamp(canvas, mask, cx, HEIGHT - y if bottom else y, size, colour, bottom)
            cy = top + total / 2
            half = total / 2 / HEIGHT
            places.append((cx / WIDTH, (HEIGHT - cy if bottom else cy) / HEIGHT, -half if bottom else half))
        return tuple(places) if pip is not None else ()

    def _paper(self) -> Image:
        canvas = np.empty((HEIGHT, WIDTH, 3), np.uint8)
        canvas[:] = self.paper
        return canvas

    def _done(self, canvas: Image, card: str, places: tuple[tuple[float, float, float], ...]) -> Side:
        return Side(np.dstack([canvas, _rounded(WIDTH, HEIGHT, self.radius)]), card, places)

    def number(self, rank: str, suit: str) -> Side:
        """Print an ace or a number card."""
        canvas = self._paper()
        fx, fy = self.field
        mask = self.big_pips[suit]
        height = self.pip_height
        if rank == "A":
            height *= float(self.rng.uniform(1.0, 1.6))
            if suit == "s" and self.rng.random() < 0.6:
                height = HEIGHT * float(self.rng.uniform(0.3, 0.5))
                mask = _laced(mask, self.rng)
        low, high = (fy, 1 - fy) if not self.jumbo or self.rng.random() < 0.5 else (0.25, 0.75)
        for px, py in PLACES[rank]:
            x, y = (fx + px * (1 - 2 * fx)) * WIDTH, (low + py * (high - low)) * HEIGHT
            size = (mask.shape[1] / mask.shape[0] * height, height)
            _stamp(canvas, mask, x, y, size, self.colours[suit], py > 0.51)
        if rank == "A":
            self._ornament(canvas, height)
        return self._done(canvas, rank + suit, self._indices(canvas, rank, suit))

    def _ornament(self, canvas: Image, height: float) -> None:
        """Put what makers print on an ace: a lighter figure in the pip, lines of small text."""
        rng = self.rng
        if height > 0.25 * HEIGHT:
            w, h = max(6, int(height * 0.3)), max(6, int(height * 0.35))
            figure = _scribble(rng, w, h, INKS, 12)
            top, left = int(HEIGHT / 2 - h / 2), int(WIDTH / 2 - w / 2)
            canvas[top : top + h, left : left + w] = np.maximum(
                canvas[top : top + h, left : left + w], figure
            )
        if rng.random() < 0.4:
            for line in range(int(rng.integers(1, 4))):
                at = (int(rng.uniform(50, 80)), int(HEIGHT * rng.choice([0.2, 0.75]) + 9 * line))
                cv2.putText(
                    canvas, "PLAYING CARDS", at, cv2.FONT_HERSHEY_SIMPLEX, 0.3, (60, 60, 60), 1, cv2.LINE_AA
                )

    def court_card(self, rank: str, suit: str) -> Side:
        """Print a king, queen or jack."""
        rng = self.rng
        canvas = self._paper()
        x0, x1 = int(0.157 * WIDTH), int(0.843 * WIDTH)
        y0, y1 = int(0.112 * HEIGHT), int(0.888 * HEIGHT)
        # Mixed courts are drawn as others of their suit: what a card is called stands in its corner alone.
        figure_of = str(rng.choice(list("JQK"))) if self.court == "mixed" else rank
        source = self.art.cards["2color"][figure_of + suit]
        opaque = source[..., 3:].astype(np.float32) / 255
        figure = (source[..., :3] * opaque + 255 * (1 - opaque)).astype(np.uint8)[y0:y1, x0:x1]
        if self.court == "redrawn" or (self.court == "mixed" and rng.random() < 0.5):
            figure = self.redrawing.draw(figure)
        elif self.court in ("tinted", "mixed"):
            hsv = cv2.cvtColor(figure, cv2.COLOR_BGR2HSV).astype(np.int32)
            hsv[..., 0] = (hsv[..., 0] + int(rng.integers(-18, 19))) % 180
            hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.3, 1.2), 0, 255)
            hsv[..., 2] = np.clip(hsv[..., 2] * rng.uniform(0.6, 1.05), 0, 255)
            figure = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.uint8)
            if rng.random() < 0.5:
                figure = figure[:, ::-1].copy()
        elif self.court == "scribble":
            figure = _scribble(rng, x1 - x0, y1 - y0, INKS, 90)
            pip = self.big_pips[suit]
            h = self.pip_height * 0.7
            for px, py, turned in ((0.16, 0.1, False), (0.84, 0.9, True)):
                size = (pip.shape[1] / pip.shape[0] * h, h)
                at = (px * (x1 - x0), py * (y1 - y0))
                _stamp(figure, pip, *at, (size[0] * 1.5, size[1] * 1.5), np.array([240.0] * 3), turned)
                _stamp(figure, pip, *at, size, self.colours[suit], turned)
        shrink = float(rng.uniform(0.66, 0.8)) if self.jumbo else float(rng.uniform(0.86, 1.14))
        w, h_ = int((x1 - x0) * shrink), int((y1 - y0) * min(1.05, shrink + 0.08))
        w, h_ = min(w, WIDTH - 8), min(h_, HEIGHT - 8)
        figure = cv2.resize(figure, (w, h_), interpolation=cv2.INTER_AREA).astype(np.uint8)
        left, top = (WIDTH - w) // 2, (HEIGHT - h_) // 2
        canvas[top : top + h_, left : left + w] = figure
        if self.framed:
            cv2.rectangle(canvas, (left, top), (left + w, top + h_), (90, 40, 40), 1, cv2.LINE_AA)
        if not self.jumbo:
            self._clear_corners(canvas)
        return self._done(canvas, rank + suit, self._indices(canvas, rank, suit))

    def _clear_corners(self, canvas: Image) -> None:
        """Leave white behind the indices where the picture is wide."""
        w = int(self.margin_x + self.rank_height * 0.75)
        h = int(self.margin_y + self.rank_height + self.gap + self.suit_height)
        for right, bottom in ((False, False), (True, True), (True, False), (False, True))[: self.corners]:
            xs = slice(WIDTH - w, None) if right else slice(0, w)
            ys = slice(HEIGHT - h, None) if bottom else slice(0, h)
            canvas[ys, xs] = self.paper

    def stranger(self) -> Side:
        """Print a card that is none of the fifty-two: another country's court, a joker, a blank."""
        rng = self.rng
        canvas = self._paper()
        if rng.random() < 0.7:
            name = OTHER_RANKS[int(rng.integers(len(OTHER_RANKS)))]
            suit = SUITS[int(rng.integers(4))]
            if rng.random() < 0.7:
                w, h = int(WIDTH * rng.uniform(0.6, 0.75)), int(HEIGHT * rng.uniform(0.7, 0.85))
                left, top = (WIDTH - w) // 2, (HEIGHT - h) // 2
                canvas[top : top + h, left : left + w] = _scribble(rng, w, h, INKS, 80)
                if not self.jumbo:
                    self._clear_corners(canvas)
            return self._done(canvas, f"{name}?{suit}", self._indices(canvas, name, suit))
        if rng.random() < 0.6:
            w, h = int(rng.uniform(60, 140)), int(rng.uniform(90, 220))
            left, top = (WIDTH - w) // 2, (HEIGHT - h) // 2
            canvas[top : top + h, left : left + w] = _scribble(rng, w, h, INKS, 50)
        for row, letter in enumerate("JOKER"):
            for x, y in ((4, 22 + 17 * row), (WIDTH - 18, HEIGHT - 90 + 17 * row)):
                cv2.putText(
                    canvas, letter, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (30, 30, 30), 2, cv2.LINE_AA
                )
        return self._done(canvas, "joker", ())


def _packaged(art: Art, rng: Generator) -> dict[str, Side]:
    """Take one of the package's decks as it is, its print colour shifted."""
    style = str(rng.choice(["2color", "4color", "2color-bf", "4color-bf"], p=[0.4, 0.1, 0.35, 0.15]))
    cx, cy, half = (0.1375, 0.235, 0.2) if style.endswith("bf") else (0.09, 0.131, 0.096)
    gain = rng.uniform(0.9, 1.0, 3)
    faces = {}
    for rank in RANKS:
        for suit in SUITS:
            image = art.cards[style][rank + suit].copy()
            image[..., :3] = np.clip(image[..., :3] * gain + rng.uniform(0, 25), 0, 255)
            faces[rank + suit] = Side(image, rank + suit, ((cx, cy, half), (1 - cx, 1 - cy, -half)))
    return faces


def make_deck(art: Art, rng: Generator) -> Deck:
    """Print a deck by chance."""
    press = DeckPress(art, rng)
    if rng.random() < 0.2:
        faces = _packaged(art, rng)
    else:
        faces = {
            rank + suit: press.court_card(rank, suit) if rank in "JQK" else press.number(rank, suit)
            for rank in RANKS
            for suit in SUITS
        }
    return Deck(faces, tuple(press.stranger() for _ in range(8)), make_back(art, rng))
