"""What is printed: card faces and backs, ArUco markers, felt, rail and floor.

Faces are drawn here from lines and circles, so that they are nobody's property; a folder of pictures (`Ah.png`, …,
`back.png`) can take their place.

Does not model: worn or marked cards, indices of other languages, jokers.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.camera_place import CARD_MM, HALF_LENGTH, HALF_WIDTH, MARKER_MM, RAIL, markers
from hw_sim.errors import ConfigError
from hw_sim.world import CARD_NAMES

Picture = npt.NDArray[np.uint8]

_FINE: Final = 8  # pixels per mm while drawing
_RED: Final = (40, 30, 200)
_BLACK: Final = (25, 25, 25)
_COURT: Final = {"J": (190, 120, 40), "Q": (60, 60, 200), "K": (40, 150, 190)}
_PIPS: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "A": ((0, 0),),
    "2": ((0, -1), (0, 1)),
    "3": ((0, -1), (0, 0), (0, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "7": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    "8": ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    "9": ((-1, -1), (1, -1), (-1, -0.33), (1, -0.33), (0, 0), (-1, 0.33), (1, 0.33), (-1, 1), (1, 1)),
    "T": (
        *((-1, -1), (1, -1), (0, -0.66), (-1, -0.33), (1, -0.33)),
        *((-1, 0.33), (1, 0.33), (0, 0.66), (-1, 1), (1, 1)),
    ),
}


def _suit_outline(suit: str) -> list[npt.NDArray[np.float64]]:
    """The suit's sign as outlines in a box from -1 to 1, y down."""
    turn = np.linspace(0, 2 * math.pi, 60)
    if suit == "h":
        x = 16 * np.sin(turn) ** 3
        y = -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn))
        return [np.stack([x / 16, y / 16], axis=1)]
    if suit == "d":
        return [np.array([[0, -1.1], [0.75, 0], [0, 1.1], [-0.75, 0]], dtype=np.float64)]
    stem = np.array([[0.0, 0.1], [0.3, 1.0], [-0.3, 1.0]])
    if suit == "s":
        x = 16 * np.sin(turn) ** 3
        y = 13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)
        return [np.stack([x / 16, y / 16 - 0.15], axis=1), stem]
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1) * 0.46
    return [circle + np.array([0, -0.5]), circle + np.array([-0.5, 0.2]), circle + np.array([0.5, 0.2]), stem]


def _sign(
    canvas: Picture, suit: str, x: float, y: float, size: float, colour: tuple[int, int, int], down: bool
) -> None:
    for outline in _suit_outline(suit):
        points = outline * (-size if down else size) / 2
        points = (points + np.array([x, y])) * _FINE
        cv2.fillPoly(canvas, [np.round(points).astype(np.int32)], colour, cv2.LINE_AA)


def _index(canvas: Picture, rank: str, suit: str, colour: tuple[int, int, int]) -> None:
    text = "10" if rank == "T" else rank
    scale, thick = 0.048 * _FINE * 5, int(1.3 * _FINE)
    if rank == "T":
        scale *= 0.72
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    at = (int(8 * _FINE - width / 2), int(5 * _FINE + height))
    cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA)
    _sign(canvas, suit, 8, 24, 8, colour, False)


def draw_face(name: str) -> Picture:
    """The face of a card at `_FINE` pixels a millimetre."""
    rank, suit = name[0], name[1]
    colour = _RED if suit in "hd" else _BLACK
    width, height = (int(side * _FINE) for side in CARD_MM)
    canvas: Picture = np.full((height, width, 3), (250, 252, 252), dtype=np.uint8)
    for _ in range(2):
        _index(canvas, rank, suit, colour)
        canvas = np.ascontiguousarray(canvas[::-1, ::-1])
    if rank in _PIPS:
        size = 24.0 if rank == "A" else 11.5
        for px, py in _PIPS[rank]:
            _sign(canvas, suit, CARD_MM[0] / 2 + px * 12.5, CARD_MM[1] / 2 + py * 29, size, colour, py > 0)
        return canvas
    _court(canvas, rank, suit, colour)
    return canvas


def _court(canvas: Picture, rank: str, suit: str, colour: tuple[int, int, int]) -> None:
    """A court card: a framed figure of plain shapes, the same upside down."""
    f = _FINE
    left, right, top, bottom = 14, int(CARD_MM[0]) - 14, 8, int(CARD_MM[1]) - 8
    cloth, middle = _COURT[rank], (int(CARD_MM[0] / 2 * f), int(CARD_MM[1] / 2 * f))
    cv2.rectangle(canvas, (left * f, top * f), (right * f, bottom * f), (225, 240, 246), -1)
    half = canvas[: middle[1]]
    robe = np.array([[left, 44], [left + 6, 30], [right - 6, 30], [right, 44]]) * f
    cv2.fillPoly(half, [robe.astype(np.int32)], cloth, cv2.LINE_AA)
    cv2.circle(half, (middle[0], 23 * f), 6 * f, (170, 205, 235), -1, cv2.LINE_AA)
    crown = [[24, 17], [25, 10], [29, 14], [31.5, 9], [34, 14], [38, 10], [39, 17]]
    cv2.fillPoly(half, [(np.array(crown) * f).astype(np.int32)], (40, 190, 230), cv2.LINE_AA)
    for step in range(left + 4, right - 2, 5):
        cv2.line(half, (step * f, 32 * f), ((step + 3) * f, 44 * f), (20, 20, 20), f // 2, cv2.LINE_AA)
    _sign(canvas, suit, left + 6, 16, 8, colour, False)
    canvas[canvas.shape[0] - middle[1] :] = half[::-1, ::-1]
    cv2.rectangle(canvas, (left * f, top * f), (right * f, bottom * f), (120, 60, 30), f // 2, cv2.LINE_AA)


def draw_back(colour: tuple[int, int, int]) -> Picture:
    """A back: a white border round a pattern of diamonds."""
    width, height = (int(side * _FINE) for side in CARD_MM)
    canvas: Picture = np.full((height, width, 3), 245, dtype=np.uint8)
    edge = 4 * _FINE
    canvas[edge:-edge, edge:-edge] = colour
    pale = tuple(min(255, int(part * 0.55 + 110)) for part in colour)
    step = 5 * _FINE
    for shift in range(-height, width + height, step):
        for way in (1, -1):
            start = (shift, 0) if way > 0 else (shift + height, 0)
            cv2.line(canvas, start, (start[0] + way * height, height), pale, _FINE // 2, cv2.LINE_AA)
    border: Picture = np.full_like(canvas, 245)
    border[edge:-edge, edge:-edge] = canvas[edge:-edge, edge:-edge]
    return border


def _round_corners(height: int, width: int, radius: int) -> Picture:
    mask: Picture = np.zeros((height, width), dtype=np.uint8)
    cv2.rectangle(mask, (radius, 0), (width - radius, height), 255, -1)
    cv2.rectangle(mask, (0, radius), (width, height - radius), 255, -1)
    for x in (radius, width - radius - 1):
        for y in (radius, height - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return mask


class Art:
    """All cards as small pictures with transparent corners, premultiplied, at the camera's scale.

    Args:
        scale: Pixels a millimetre of the small pictures.
        decks: Names of the decks; each has a back of its own colour.
        folder: Pictures to take instead of the drawn ones; what it lacks is drawn.
    """

    BACKS: Final = ((170, 60, 40), (50, 40, 170), (60, 120, 50), (40, 40, 40))

    def __init__(self, scale: float, decks: tuple[str, ...], folder: Path | None = None) -> None:
        self.scale = scale
        self._folder = folder
        self._faces: dict[str, npt.NDArray[np.float32]] = {}
        self._backs: dict[str, npt.NDArray[np.float32]] = {}
        for number, deck in enumerate(decks):
            drawn = self._given(f"back-{deck}") if folder else None
            if drawn is None and number == 0:
                drawn = self._given("back")
            self._backs[deck] = self._small(drawn if drawn is not None else draw_back(self.BACKS[number % 4]))

    def face(self, name: str) -> npt.NDArray[np.float32]:
        """The face of a card: rows × columns × blue, green, red, cover (0 to 1)."""
        if name not in self._faces:
            if name not in CARD_NAMES:
                raise ConfigError(f"{name!r} is no card")
            given = self._given(name)
            self._faces[name] = self._small(given if given is not None else draw_face(name))
        return self._faces[name]

    def back(self, deck: str) -> npt.NDArray[np.float32]:
        """The back of a deck's cards."""
        return self._backs[deck]

    def _given(self, stem: str) -> Picture | None:
        if self._folder is None:
            return None
        path = self._folder / f"{stem}.png"
        if not path.is_file():
            return None
        read = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if read is None:
            raise ConfigError("cannot be read as a picture", where=str(path))
        width, height = (int(side * _FINE) for side in CARD_MM)
        return np.asarray(cv2.resize(read, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _small(self, drawn: Picture) -> npt.NDArray[np.float32]:
        height, width = drawn.shape[:2]
        cover = _round_corners(height, width, 3 * _FINE)
        size = (round(CARD_MM[0] * self.scale), round(CARD_MM[1] * self.scale))
        colour = cv2.resize(
            drawn.astype(np.float32) * (cover[..., None] / 255.0), size, interpolation=cv2.INTER_AREA
        )
        alpha = cv2.resize(cover.astype(np.float32) / 255.0, size, interpolation=cv2.INTER_AREA)
        return np.dstack([colour, alpha]).astype(np.float32)


TABLE_SPAN: Final = (3000.0, 1800.0)
"""What of the room's floor and table is drawn (mm)."""


def table_top(
    seed: int, *, scale: float = 1.0, marked: bool = True, felt: tuple[int, int, int] = (70, 105, 30)
) -> Picture:
    """Floor, rail with its markers and felt as seen straight from above.

    Args:
        seed: Of the grain.
        scale: Pixels a millimetre.
        marked: Whether the markers lie on the rail.
        felt: Its colour.
    """
    rng = np.random.default_rng(seed)
    width, height = int(TABLE_SPAN[0] * scale), int(TABLE_SPAN[1] * scale)
    canvas: Picture = np.full((height, width, 3), (85, 95, 105), dtype=np.uint8)
    plank = max(2, int(120 * scale))
    for number, x in enumerate(range(0, width, plank)):
        tone = 12 * ((number * 7) % 5 - 2)
        canvas[:, x : x + plank] = np.clip(np.array([70, 88, 112]) + tone, 0, 255)
    _stadium(canvas, -RAIL, (38, 34, 36), scale)
    _stadium(canvas, 0.0, felt, scale)
    _stadium(canvas, 190.0, tuple(min(255, part + 45) for part in felt), scale, thick=max(1, int(5 * scale)))
    grain = rng.normal(0, 7, (height, width, 1)).astype(np.float32)
    soft = cv2.GaussianBlur(rng.normal(0, 60, (height, width)).astype(np.float32), (0, 0), 12 * scale)
    canvas = np.clip(canvas.astype(np.float32) + grain + soft[..., None], 0, 255).astype(np.uint8)
    if marked:
        for marker in markers():
            _print_marker(canvas, marker.id, (marker.x, marker.y), marker.angle, scale)
    return canvas


def marker_sheet(scale: float = 1.0) -> tuple[Picture, Picture]:
    """The markers alone, as they lie on the rail seen straight from above, and where they cover what is below (0 or 255)."""
    width, height = int(TABLE_SPAN[0] * scale), int(TABLE_SPAN[1] * scale)
    printed: Picture = np.zeros((height, width, 3), dtype=np.uint8)
    cover: Picture = np.zeros((height, width, 3), dtype=np.uint8)
    white: Picture = np.full((240, 240, 3), 255, dtype=np.uint8)
    for marker in markers():
        at = (marker.x, marker.y)
        _print_marker(printed, marker.id, at, marker.angle, scale)
        _print(cover, white, at, marker.angle, scale)
    return printed, cover


def _stadium(canvas: Picture, inset: float, colour: Any, scale: float, thick: int = -1) -> None:
    height, width = canvas.shape[:2]
    radius = (HALF_WIDTH - inset) * scale
    straight = (HALF_LENGTH - HALF_WIDTH) * scale
    turn = np.linspace(-math.pi / 2, math.pi / 2, 90)
    right = np.stack([straight + radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    left = np.stack([-straight - radius * np.cos(turn), -radius * np.sin(turn)], axis=1)
    points = np.round(np.concatenate([right, left]) + np.array([width / 2, height / 2])).astype(np.int32)
    if thick < 0:
        cv2.fillPoly(canvas, [points], colour, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [points], True, colour, thick, cv2.LINE_AA)


def marker_picture(number: int, pixels: int = 240) -> Picture:
    """One marker of DICT_4X4_50 with the white edge that it needs; its black square is 4/5 of the picture's side."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    edge = pixels // 10
    drawn = cv2.aruco.generateImageMarker(dictionary, number, pixels - 2 * edge)
    return np.asarray(
        cv2.copyMakeBorder(drawn, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=255), dtype=np.uint8
    )


def _print_marker(canvas: Picture, number: int, at: tuple[float, float], angle: float, scale: float) -> None:
    drawn = np.asarray(cv2.cvtColor(marker_picture(number), cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    _print(canvas, drawn, at, angle, scale)


def _print(canvas: Picture, drawn: Picture, at: tuple[float, float], angle: float, scale: float) -> None:
    side = MARKER_MM * 1.25 * scale
    height, width = canvas.shape[:2]
    c, s = math.cos(angle) * side / 240, math.sin(angle) * side / 240
    x, y = at[0] * scale + width / 2, at[1] * scale + height / 2
    middle = 119.5
    turn = np.array([[c, -s, x - c * middle + s * middle], [s, c, y - s * middle - c * middle]])
    cv2.warpAffine(
        drawn, turn, (width, height), dst=canvas, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )
