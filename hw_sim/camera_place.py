"""Where things lie on the simulated felt, in millimetres, and how a camera above it sees a point.

The table's middle is the origin; x goes to the right, y towards the dealer, z up. The dealer sits at the lower side
of the picture, seat 1 at his left hand, the others clockwise as seen from above.

Does not model: tables of other shapes, cards that hang over the rail, a lens that breathes.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.errors import ConfigError

Floats = npt.NDArray[np.float64]

CARD_MM: Final = (63.0, 88.0)
CHIP_MM: Final = 39.0
HALF_LENGTH: Final = 920.0
"""Half of the felt's length; its ends are half circles."""
HALF_WIDTH: Final = 470.0
RAIL: Final = 110.0
_CARDS_INSIDE: Final = 110.0
DEALER: Final = (0.0, HALF_WIDTH)
MARKER_MM: Final = 70.0
_MARKERS: Final = 8
_SPACING: Final = 76.0


@dataclass(frozen=True)
class Pose:
    """How a card lies: its middle in mm, its long side turned by `angle` (rad, clockwise in the picture), height z."""

    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0


@dataclass(frozen=True)
class Marker:
    """One printed ArUco marker on the rail: its number and its middle in mm, turned by `angle` (rad)."""

    id: int
    x: float
    y: float
    angle: float


def along(inset: float, share: float) -> tuple[float, float, float]:
    """A point of the felt's outline moved inwards, and the direction outwards there.

    Args:
        inset: How far inside the felt's edge (mm); negative is outside, on the rail.
        share: How far round, 0 to 1, from before the dealer clockwise as seen from above.

    Returns:
        x, y and the angle outwards (rad).
    """
    radius = HALF_WIDTH - inset
    straight = HALF_LENGTH - HALF_WIDTH
    bow = math.pi * radius
    way = (share % 1.0) * (4 * straight + 2 * bow)
    if way < straight:
        return -way, radius, math.pi / 2
    way -= straight
    if way < bow:
        turn = math.pi / 2 + way / radius
        return -straight + radius * math.cos(turn), radius * math.sin(turn), turn
    way -= bow
    if way < 2 * straight:
        return -straight + way, -radius, -math.pi / 2
    way -= 2 * straight
    if way < bow:
        turn = -math.pi / 2 + way / radius
        return straight + radius * math.cos(turn), radius * math.sin(turn), turn
    return straight - (way - bow), radius, math.pi / 2


def markers() -> tuple[Marker, ...]:
    """The markers on the rail; number 0 is at the dealer's right hand, the others follow clockwise."""
    found: list[Marker] = []
    for number in range(_MARKERS):
        x, y, out = along(-RAIL / 2, -0.055 + number / _MARKERS)
        found.append(Marker(number, x, y, out - math.pi / 2))
    return tuple(found)


def seat_spot(seat: int) -> tuple[float, float, float]:
    """Where a seat's cards lie: x, y and the angle outwards."""
    return along(_CARDS_INSIDE, seat / 11)


def luck(uid: str, what: str) -> float:
    """A number from 0 to 1 that is always the same for this tag and this question."""
    return int.from_bytes(hashlib.blake2b(f"{uid}/{what}".encode(), digest_size=4).digest(), "big") / 2**32


_FIXED: Final[Mapping[str, tuple[float, float]]] = {
    "deck": (130.0, 330.0),
    "hand": (105.0, 300.0),
    "burn": (-130.0, 330.0),
    "muck": (0.0, 215.0),
    "aside": (330.0, 130.0),
}


def lies_at(place: str, index: int, uid: str) -> Pose | None:
    """How the card with this index at a place lies; None where the camera cannot see it."""
    wobble = (luck(uid, "angle") - 0.5) * 0.14
    if place.startswith("seat"):
        x, y, out = seat_spot(int(place[4:]))
        side, back = (index - 0.5) * 46.0, (luck(uid, "back") - 0.5) * 16.0
        x += -math.sin(out) * side + math.cos(out) * back
        y += math.cos(out) * side + math.sin(out) * back
        return Pose(x, y, out - math.pi / 2 + wobble)
    if place == "board":
        return Pose(
            (index - 2) * _SPACING + (luck(uid, "x") - 0.5) * 6, 10 + (luck(uid, "y") - 0.5) * 6, wobble / 3
        )
    if place == "burn":
        x, y = _FIXED[place]
        return Pose(x + index * 9.0, y, wobble)
    if place == "muck":
        x, y = _FIXED[place]
        return Pose(
            x + (luck(uid, "x") - 0.5) * 90, y + (luck(uid, "y") - 0.5) * 30, (luck(uid, "angle") - 0.5) * 3
        )
    if place in ("deck", "hand"):
        x, y = _FIXED[place]
        return Pose(x, y, 0.15, z=0.3 * index)
    if place == "aside":
        x, y = _FIXED[place]
        return Pose(x + (index % 4) * 70.0, y, wobble)
    if place == "felt":
        return Pose(-420 + 840 * luck(uid, "x"), -150 + 40 * luck(uid, "y"), (luck(uid, "angle") - 0.5) * 3)
    if place == "off_table":
        side = -1.0 if luck(uid, "side") < 0.5 else 1.0
        far = 1.0 if luck(uid, "far") < 0.5 else -1.0
        return Pose(
            side * (1010 + 60 * luck(uid, "x")),
            far * (530 + 20 * luck(uid, "y")),
            3 * luck(uid, "angle"),
            z=-20,
        )
    return None


@dataclass(frozen=True)
class Mount:
    """How the camera hangs.

    Attributes:
        size: Pixels of its picture, width and height.
        above: Its height over the felt (mm).
        x, y: What it hangs over (mm).
        span: Millimetres that the picture's width shows at the table's middle.
        bend: First coefficient of the lens (barrel below 0).
    """

    size: tuple[int, int] = (1280, 720)
    above: float = 1900.0
    x: float = 0.0
    y: float = 260.0
    span: float = 2440.0
    bend: float = -0.06

    def __post_init__(self) -> None:
        if min(self.size) < 64 or self.above <= 0 or self.span <= 0:
            raise ConfigError(f"a camera of {self.size} pixels at {self.above} mm", hint="at least 64 pixels")


class Lens:
    """The way from millimetres over the table to pixels."""

    def __init__(self, mount: Mount) -> None:
        self.mount = mount
        eye = np.array([mount.x, mount.y, mount.above])
        forward = -eye / np.linalg.norm(eye)
        left = np.cross(forward, np.array([0.0, -1.0, 0.0]))  # y points down the picture: a left-handed frame
        left /= np.linalg.norm(left)
        down = np.cross(forward, left)
        self._turn: Floats = np.stack([-left, down, forward])
        self._eye = eye
        width, height = mount.size
        self.focal = width * float(np.linalg.norm(eye)) / mount.span
        self.centre = (width / 2 - 0.5, height / 2 - 0.5)

    @property
    def matrix(self) -> Floats:
        """The camera matrix."""
        return np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1.0]])

    @property
    def distortion(self) -> Floats:
        """The lens's five coefficients."""
        return np.array([self.mount.bend, 0.0, 0.0, 0.0, 0.0])

    def pixels(self, points: Any) -> Floats:
        """Points in mm (n × 3) as pixels (n × 2)."""
        seen = (np.asarray(points, dtype=np.float64) - self._eye) @ self._turn.T
        flat = seen[:, :2] / seen[:, 2:3]
        flat = flat * (1.0 + self.mount.bend * np.sum(flat * flat, axis=1, keepdims=True))
        pixels: Floats = flat * self.focal + np.array(self.centre)
        return pixels

    def table_of_pixels(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """For every pixel the point of the table's plane that it shows: x and y in mm."""
        width, height = self.mount.size
        columns, rows = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        points = np.stack([columns.ravel(), rows.ravel()], axis=1).reshape(-1, 1, 2)
        flat = cv2.undistortPoints(points, self.matrix, self.distortion).reshape(-1, 2)
        rays = np.concatenate([flat, np.ones((len(flat), 1))], axis=1) @ self._turn
        reach = -self._eye[2] / rays[:, 2]
        x = (self._eye[0] + rays[:, 0] * reach).reshape(height, width)
        y = (self._eye[1] + rays[:, 1] * reach).reshape(height, width)
        return x.astype(np.float32), y.astype(np.float32)

    def pixels_per_mm(self) -> float:
        """How many pixels a millimetre has at the table's middle."""
        return self.mount.size[0] / self.mount.span


def card_corners(pose: Pose, flip: float = 0.0) -> Floats:
    """The four corners of a card in mm (4 × 3): its print's upper left first, clockwise in the print.

    Args:
        pose: Where its middle is.
        flip: How far it is turned about its long side (rad); 0 back up, pi face up.
    """
    half_x, half_y = CARD_MM[0] / 2, CARD_MM[1] / 2
    lean, lift = math.cos(flip), abs(math.sin(flip)) * half_x
    # What is printed on the side that shows reads the right way round from above.
    side = 1.0 if lean >= 0 else -1.0
    raw = np.array([[-half_x, -half_y], [half_x, -half_y], [half_x, half_y], [-half_x, half_y]])
    z = pose.z + lift + raw[:, 0] * side * math.sin(flip)
    x = raw[:, 0] * abs(lean)
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    return np.stack([pose.x + c * x - s * raw[:, 1], pose.y + s * x + c * raw[:, 1], z], axis=1)


def between(first: Pose, second: Pose, share: float, spin: float = 0.0) -> Pose:
    """A card on its way, a little faster at first; it flies low over the felt."""
    way = share * (1.25 - 0.25 * share)
    turn = (second.angle - first.angle + math.pi) % (2 * math.pi) - math.pi
    return Pose(
        first.x + (second.x - first.x) * way,
        first.y + (second.y - first.y) * way,
        first.angle + (turn + spin) * share,
        first.z + (second.z - first.z) * share + 25.0 * math.sin(math.pi * share),
    )


def quad_area(quad: Sequence[Sequence[float]] | Floats) -> float:
    """The area that four corners enclose."""
    x, y = np.asarray(quad)[:, 0], np.asarray(quad)[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)
