"""The parts of the table that the camera watches, in millimetres, and which cards may lie there which way up.

The table's middle is the origin; x goes to the right and y towards the dealer, as in the picture. A point belongs to
the first zone of the list that contains it; outside all of them is the floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import cv2
import msgspec
import numpy as np
from msgspec import Meta

NAMES: Final = (
    "deck",
    "burn",
    "muck",
    "board",
    *(f"seat{n}" for n in range(1, 11)),
    "corridor",
    "felt",
    "rail",
    "floor",
)
Millimetres = Annotated[float, Meta(ge=-10_000, le=10_000)]


class Zone(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One part of the table.

    Attributes:
        name: deck, burn, muck, board, seat1…seat10, corridor, felt, rail or floor.
        corners: Its outline in mm, in order; empty only for the floor, which is all the rest.
        face_up: Whether a card may lie there face up.
        face_down: Whether a card may lie there face down.
        card: Whether a card may lie there at all.
    """

    name: str
    corners: tuple[tuple[Millimetres, Millimetres], ...] = ()
    face_up: bool = False
    face_down: bool = False
    card: bool = False


FLOOR: Final = Zone(name="floor")
POLICY: Final = {
    "deck": (False, True, True),
    "burn": (False, True, True),
    "muck": (False, True, True),
    "board": (True, False, True),
    "seat": (False, True, True),
    "corridor": (False, False, False),
    "felt": (False, False, False),
    "rail": (False, False, False),
    "floor": (False, False, False),
}


def zone(name: str, corners: Iterable[tuple[float, float]]) -> Zone:
    """A zone with the policy that its name has.

    >>> zone("board", [(0, 0), (1, 0), (1, 1)]).face_up
    True
    """
    up, down, card = POLICY[name.rstrip("0123456789")]
    rounded = tuple((round(x, 1), round(y, 1)) for x, y in corners)
    return Zone(name=name, corners=rounded, face_up=up, face_down=down, card=card)


class Zones:
    """All zones of a table: which one a point lies in."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self.zones = tuple(zones)
        self.by_name = {each.name: each for each in zones} | {"floor": FLOOR}
        self._outlines = [
            (each, np.array(each.corners, dtype=np.float32).reshape(-1, 1, 2))
            for each in zones
            if each.corners
        ]

    def at(self, x: float, y: float) -> Zone:
        """The zone of a point (mm)."""
        for each, outline in self._outlines:
            if cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0:
                return each
        return FLOOR

    def depth(self, name: str, x: float, y: float) -> float:
        """How far a point lies inside a zone (mm, negative outside)."""
        for each, outline in self._outlines:
            if each.name == name:
                return float(cv2.pointPolygonTest(outline, (float(x), float(y)), True))
        return -math.inf

    def nearest_seat(self, x: float, y: float) -> int | None:
        """The seat whose zone is nearest to a point."""
        seats = [(self.depth(name, x, y), int(name[4:])) for name in self.by_name if name.startswith("seat")]
        return max(seats)[1] if seats else None


def along(length: float, width: float, inset: float, share: float) -> tuple[float, float, float]:
    """A point of a stadium's outline moved inwards, and the direction outwards there (rad).

    Args:
        length, width: Of the stadium (mm).
        inset: How far inside (mm).
        share: How far round from before the dealer, clockwise as seen from above (0–1).
    """
    radius = max(width / 2 - inset, 1.0)
    half = max(length - width, 0.0) / 2
    bow = math.pi * radius
    way = (share % 1.0) * (4 * half + 2 * bow)
    if way < half:
        return -way, radius, math.pi / 2
    way -= half
    if way < bow:
        turn = math.pi / 2 + way / radius
        return -half + radius * math.cos(turn), radius * math.sin(turn), turn
    way -= bow
    if way < 2 * half:
        return -half + way, -radius, -math.pi / 2
    way -= 2 * half
    if way < bow:
        turn = -math.pi / 2 + way / radius
        return half + radius * math.cos(turn), radius * math.sin(turn), turn
    return half - (way - bow), radius, math.pi / 2


def _outline(length: float, width: float, inset: float, steps: int = 64) -> list[tuple[float, float]]:
    return [along(length, width, inset, step / steps)[:2] for step in range(steps)]


def _box(x: float, y: float, half_x: float, half_y: float) -> list[tuple[float, float]]:
    return [
        (x - half_x, y - half_y),
        (x + half_x, y - half_y),
        (x + half_x, y + half_y),
        (x - half_x, y + half_y),
    ]


def _strip(
    length: float, width: float, first: float, last: float, share: float, half: float
) -> list[tuple[float, float]]:
    """A piece of the ring between two insets, for one seat."""
    steps = (-1.0, -0.5, 0.0, 0.5, 1.0)
    outer = [along(length, width, first, share + half * step)[:2] for step in steps]
    inner = [along(length, width, last, share + half * step)[:2] for step in reversed(steps)]
    return outer + inner


def standard_zones(length: float, width: float, *, seats: int = 10, rail: float = 110.0) -> tuple[Zone, ...]:
    """The zones of an oval table before anybody has adjusted them.

    Args:
        length, width: Of the felt (mm).
        seats: Places beside the dealer's.
        rail: Width of the rail (mm).
    """
    down = width / 2
    found = [
        zone("deck", _box(120, down - 155, 85, 85)),
        zone("burn", _box(-110, down - 140, 75, 70)),
        zone("muck", _box(0, down - 262, 130, 62)),
        zone("board", _box(0, 10, 265, 70)),
    ]
    for seat in range(1, seats + 1):
        found.append(
            zone(f"seat{seat}", _strip(length, width, 25, 205, seat / (seats + 1), 0.42 / (seats + 1)))
        )
    found.append(zone("corridor", _outline(length, width, 205)))
    found.append(zone("felt", _outline(length, width, 0)))
    found.append(zone("rail", _outline(length, width, -rail)))
    return tuple(found)
