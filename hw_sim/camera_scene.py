"""The picture that a camera over the simulated table takes, and what truly is in it.

What lies still is drawn once and kept until the world changes; cards in the air, hands and what they hide are drawn for
each picture. A card in the air is blurred by its way during the exposure.

Does not model: reflections of one thing in another, rolling shutter, colour of the light that changes, sleeves,
cards that bend, chips in true perspective.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from hw_sim.camera_art import TABLE_SPAN, Art, Picture, marker_sheet, table_top
from hw_sim.camera_place import (
    CHIP_MM,
    DEALER,
    HALF_WIDTH,
    Floats,
    Lens,
    Mount,
    Pose,
    along,
    between,
    card_corners,
    lies_at,
    luck,
    seat_spot,
)
from hw_sim.world import CARD_PLACES, Card, Flight, World

_SKIN: Final = (125, 160, 205)
_SLEEVE: Final = (90, 60, 45)
_SUB_PX: Final = 3.0
_MOST_SUBS: Final = 8
_CHIP_COLOURS: Final = ((60, 60, 200), (70, 140, 60), (40, 40, 40), (190, 130, 60), (160, 60, 150))


@dataclass(frozen=True)
class Hand:
    """A hand over the felt: it comes from outside and its palm is at (x, y) mm.

    Attributes:
        fromx, fromy: Where the arm comes in.
        x, y: The middle of the palm.
        since, until: From when to when it is there (virtual seconds).
    """

    fromx: float
    fromy: float
    x: float
    y: float
    since: float
    until: float


@dataclass(frozen=True)
class Light:
    """How the table is lit.

    Attributes:
        level: 1 is right, 0 dark, 3 over-exposed.
        falloff: How much darker the corners are.
        glare: Spots as (x mm, y mm, radius mm, strength 0 to 1).
        noise: Standard deviation of the sensor's noise (grey levels).
    """

    level: float = 1.0
    falloff: float = 0.25
    glare: tuple[tuple[float, float, float, float], ...] = ((-520.0, -60.0, 170.0, 0.18),)
    noise: float = 3.0


FELT: Final = (70, 105, 30)
MOUNT: Final = Mount()
LIGHT: Final = Light()


@dataclass(frozen=True)
class TrueCard:
    """A card as it truly is in a picture.

    Attributes:
        card: Its name, also when its face is down.
        uid: Its tag.
        face_up: Whether its face can be seen.
        quad: Its corners in pixels, the upper left of the print first, clockwise.
        x, y: Its middle in mm.
        visible: The share of it that nothing hides.
        moving: Whether it is in the air.
    """

    card: str
    uid: str
    face_up: bool
    quad: Floats
    x: float
    y: float
    visible: float
    moving: bool


@dataclass
class _Drawn:
    card: Card
    pose: Pose
    flip: float
    moving: bool = False
    subs: list[tuple[Pose, float]] = field(default_factory=list)

    @property
    def face_up(self) -> bool:
        return math.cos(self.flip) < 0


class Scene:
    """One camera's view of one world.

    Attributes:
        hands: Hands over the felt; add to it.
        lies: Cards that lie elsewhere than their place says, by tag.
        over: Things laid over the felt as (x mm, y mm, radius mm).
    """

    def __init__(
        self,
        world: World,
        *,
        mount: Mount = MOUNT,
        light: Light = LIGHT,
        exposure: float = 0.004,
        seed: int = 1,
        marked: bool = True,
        art: Path | None = None,
        backdrop: Picture | None = None,
        felt: tuple[int, int, int] = FELT,
    ) -> None:
        """Look at a world.

        Args:
            world: What lies where.
            mount: How the camera hangs.
            light: The light.
            exposure: Seconds that the shutter is open.
            seed: Of grain and noise.
            marked: Whether markers lie on the rail.
            art: A folder with pictures of cards.
            backdrop: A picture to take in place of the drawn table; the markers lie on it all the same.
            felt: Colour of the drawn felt (blue, green, red).
        """
        self.world = world
        self.lens = Lens(mount)
        self.light = light
        self.exposure = exposure
        self.hands: list[Hand] = []
        self.lies: dict[str, Pose] = {}
        self.over: list[tuple[float, float, float]] = []
        self._art = Art(1.6 * self.lens.pixels_per_mm(), tuple(world.decks), art)
        self._rng = np.random.default_rng(seed)
        self._empty, self._gain = _empty_table(mount, light, seed, marked, felt)
        if backdrop is not None:
            ground = np.asarray(cv2.resize(backdrop, mount.size), dtype=np.uint8)
            if marked:
                ground = _with_markers(ground, mount)
            self._empty = np.clip(ground * self._gain, 0, 255).astype(np.uint8)
        width, height = mount.size
        noise = self._rng.normal(128.0, max(light.noise, 0.0), (height + 97, width + 131, 3))
        self._noise: Picture = np.clip(np.round(noise), 0, 255).astype(np.uint8)
        self._still: tuple[object, Picture] | None = None

    # -- what is there -------------------------------------------------------------------------------

    def _lying(self) -> Iterator[_Drawn]:
        for place in CARD_PLACES:
            if place in ("air", "rest"):
                continue
            cards = self.world.cards(place)
            if place in ("deck", "hand", "burn") and len(cards) > 12:
                cards = cards[-2:]
            for index, card in enumerate(cards):
                pose = self.lies.get(card.uid) or lies_at(place, index, card.uid)
                if pose is not None:
                    yield _Drawn(card, pose, math.pi if self.world.face(card) == "up" else 0.0)

    def _flying(self, t: float) -> Iterator[_Drawn]:
        for card, flight in self.world.flights.copy().values():
            start, end = self._ends(card, flight)
            if start is None or end is None:
                continue
            share = _share(flight, t)
            subs = self._subs(card, flight, start, end, t)
            pose, flip = _underway(card, flight, start, end, share)
            yield _Drawn(card, pose, flip, True, subs)

    def _ends(self, card: Card, flight: Flight) -> tuple[Pose | None, Pose | None]:
        """Where a card in the air comes from and where it will lie."""
        start = lies_at(flight.origin, flight.index, card.uid)
        end = self.lies.get(card.uid) or lies_at(flight.to, len(self.world.cards(flight.to)), card.uid)
        return start, end

    def _subs(self, card: Card, flight: Flight, start: Pose, end: Pose, t: float) -> list[tuple[Pose, float]]:
        """The card's places while the shutter is open."""
        first, last = _share(flight, t - self.exposure / 2), _share(flight, t + self.exposure / 2)
        way = math.hypot(end.x - start.x, end.y - start.y) * (last - first) * 1.2
        count = 1 + min(_MOST_SUBS - 1, int(way * self.lens.pixels_per_mm() / _SUB_PX))
        if count == 1:
            return [_underway(card, flight, start, end, (first + last) / 2)]
        return [
            _underway(card, flight, start, end, first + (last - first) * step / (count - 1))
            for step in range(count)
        ]

    # -- the picture ---------------------------------------------------------------------------------

    def picture(self, t: float) -> Picture:
        """What the camera sees at a virtual time."""
        frame = self._still_picture().copy()
        for drawn in self._flying(t):
            self._stamp(frame, drawn)
        for hand in self._hands(t):
            self._draw_hand(frame, hand)
        if self.light.level != 1.0:
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=self.light.level, beta=0), dtype=np.uint8)
        if self.light.noise > 0:
            row, column = int(self._rng.integers(97)), int(self._rng.integers(131))
            height, width = frame.shape[:2]
            noise = self._noise[row : row + height, column : column + width]
            cv2.addWeighted(frame, 1.0, noise, 1.0, -128.0, dst=frame)
        return frame

    def _hands(self, t: float) -> list[Hand]:
        if len(self.hands) > 16:
            self.hands = [hand for hand in self.hands if hand.until > t - 1.0]
        return [hand for hand in self.hands if hand.since <= t <= hand.until]

    def _still_picture(self) -> Picture:
        world = self.world
        state = (tuple(world.versions.values()), tuple(self.lies.items()), tuple(self.over))
        if self._still is None or self._still[0] != state:
            frame = self._empty.copy()
            for place, chips in self._chips():
                self._draw_chips(frame, place, chips)
            for drawn in self._lying():
                self._stamp(frame, drawn)
                self._draw_cover(frame, drawn)
            for x, y, radius in self.over:
                self._disc(frame, x, y, radius, (60, 70, 80))
            self._still = (state, frame)
        return self._still[1]

    def _chips(self) -> Iterator[tuple[str, int]]:
        for seat in range(1, 11):
            for kind in ("stack", "bet"):
                count = len(self.world.chips(f"{kind}{seat}"))
                if count:
                    yield f"{kind}{seat}", count
        if self.world.chips("pot"):
            yield "pot", len(self.world.chips("pot"))

    def _draw_chips(self, frame: Picture, place: str, count: int) -> None:
        if place == "pot":
            x, y, out = 0.0, -150.0, 0.0
        else:
            x, y, out = along(30.0 if place.startswith("stack") else 250.0, int(place.lstrip("stackbe")) / 11)
        for number in range(min(4, 1 + count // 8)):
            side = (number - 1.5) * (CHIP_MM + 3) + (95 if place.startswith("stack") else 0)
            self._disc(
                frame,
                x - math.sin(out) * side,
                y + math.cos(out) * side,
                CHIP_MM / 2,
                _CHIP_COLOURS[number % len(_CHIP_COLOURS)],
            )

    def _disc(self, frame: Picture, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
        (px, py), (qx, _) = self.lens.pixels([[x, y, 5.0], [x + radius, y, 5.0]])
        size = max(2, int(abs(qx - px)))
        at = (round(px), round(py))
        cv2.circle(frame, (at[0] + 2, at[1] + 2), size, (30, 40, 25), -1, cv2.LINE_AA)
        cv2.circle(frame, at, size, colour, -1, cv2.LINE_AA)
        cv2.circle(frame, at, max(1, size - size // 4), (225, 225, 225), max(1, size // 8), cv2.LINE_AA)

    def _draw_cover(self, frame: Picture, drawn: _Drawn) -> None:
        """What lies on a card: a coin, a hand that rests on it."""
        spot = self.world.spot(drawn.card.uid)
        if spot == "metal":
            self._disc(frame, drawn.pose.x, drawn.pose.y, 20.0, (120, 160, 175))
        elif spot == "hand":
            x, y = drawn.pose.x, drawn.pose.y
            reach = math.hypot(x, y) or 1.0
            self._draw_hand(frame, Hand(x + 350 * x / reach, y + 350 * y / reach, x, y, 0, 0))

    def _draw_hand(self, frame: Picture, hand: Hand) -> None:
        points = [[hand.fromx, hand.fromy, 60.0], [hand.x, hand.y, 40.0]]
        (ax, ay), (px, py) = self.lens.pixels(points)
        scale = self.lens.pixels_per_mm()
        way = np.array([px - ax, py - ay])
        length = float(np.hypot(*way)) or 1.0
        unit = way / length
        side = np.array([-unit[1], unit[0]])
        palm = np.array([px, py])
        cv2.line(
            frame, _point((ax, ay)), _point(palm - unit * 130 * scale), _SLEEVE, int(95 * scale), cv2.LINE_AA
        )
        cv2.line(frame, _point(palm - unit * 150 * scale), _point(palm), _SKIN, int(60 * scale), cv2.LINE_AA)
        axes = (int(50 * scale), int(42 * scale))
        cv2.ellipse(
            frame,
            _point(palm),
            axes,
            math.degrees(math.atan2(unit[1], unit[0])),
            0,
            360,
            _SKIN,
            -1,
            cv2.LINE_AA,
        )
        for finger in range(4):
            root = palm + side * (finger - 1.5) * 19 * scale
            tip = root + unit * (85 - abs(finger - 1.5) * 9) * scale
            cv2.line(frame, _point(root), _point(tip), _SKIN, max(2, int(17 * scale)), cv2.LINE_AA)
        thumb = palm + side * 55 * scale + unit * 35 * scale
        cv2.line(frame, _point(palm), _point(thumb), _SKIN, max(2, int(20 * scale)), cv2.LINE_AA)

    def _stamp(self, frame: Picture, drawn: _Drawn) -> None:
        """Lay a card into the picture, its shadow first."""
        card = drawn.card
        subs = drawn.subs or [(drawn.pose, drawn.flip)]
        quads = [self.lens.pixels(card_corners(pose, flip)) for pose, flip in subs]
        every = np.concatenate(quads)
        height, width = frame.shape[:2]
        x0, y0 = (int(v) for v in np.floor(every.min(axis=0)) - 6)
        x1, y1 = (int(v) for v in np.ceil(every.max(axis=0)) + 8)
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(width, x1), min(height, y1)
        if x1 - x0 < 2 or y1 - y0 < 2:
            return
        layer = np.zeros((y1 - y0, x1 - x0, 4), dtype=np.float32)
        for (_, flip), quad in zip(subs, quads, strict=True):
            print_ = self._art.face(card.name) if math.cos(flip) < 0 else self._art.back(card.deck)
            rows, columns = print_.shape[:2]
            source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32) - 0.5
            target = (quad - np.array([x0, y0])).astype(np.float32)
            if abs(_signed_area(target)) < 4.0:
                continue
            turn = cv2.getPerspectiveTransform(source, target)
            layer += cv2.warpPerspective(print_, turn, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        layer /= len(subs)
        cover = layer[..., 3:]
        drop = 2 + int(drawn.pose.z * 0.12)
        shade = cv2.GaussianBlur(np.roll(cover[..., 0], (drop, drop), (0, 1)), (5, 5), 0) * 0.35
        part = frame[y0:y1, x0:x1]
        lit = part * (1.0 - shade[..., None]) * (1.0 - cover) + layer[..., :3] * self._gain[y0:y1, x0:x1]
        frame[y0:y1, x0:x1] = np.clip(lit, 0, 255)

    # -- the truth -----------------------------------------------------------------------------------

    def truth(self, t: float) -> tuple[TrueCard, ...]:
        """Every card in the picture of a virtual time; of a squared pile the top card only."""
        seen = [*self._lying(), *self._flying(t)]
        width, height = self.lens.mount.size
        labels = np.zeros((height // 2, width // 2), dtype=np.uint8)
        quads = [self.lens.pixels(card_corners(drawn.pose, drawn.flip)) for drawn in seen]
        for number, quad in enumerate(quads, 1):
            cv2.fillConvexPoly(labels, np.round(quad / 2).astype(np.int32), min(number, 254))
        hands = self._hands(t)
        if hands or self.over:
            blank = np.zeros((height, width, 3), dtype=np.uint8)
            for hand in hands:
                self._draw_hand(blank, hand)
            for x, y, radius in self.over:
                self._disc(blank, x, y, radius, (255, 255, 255))
            blue, green, red = cv2.split(np.ascontiguousarray(blank[::2, ::2]))
            hidden = cv2.max(cv2.max(blue, green), red)
            labels[hidden[: height // 2, : width // 2] > 0] = 255
        counts = np.bincount(labels.ravel(), minlength=256)
        found: list[TrueCard] = []
        for number, (drawn, quad) in enumerate(zip(seen, quads, strict=True), 1):
            area = max(1.0, abs(_signed_area(quad)) / 4)
            visible = min(1.0, float(counts[min(number, 254)]) / area)
            inside = bool(((quad >= 0) & (quad < np.array([width, height]))).all())
            found.append(
                TrueCard(
                    drawn.card.name,
                    drawn.card.uid,
                    drawn.face_up,
                    quad,
                    drawn.pose.x,
                    drawn.pose.y,
                    visible if inside else min(visible, 0.5),
                    drawn.moving,
                )
            )
        return tuple(found)


@lru_cache(maxsize=4)
def _empty_table(
    mount: Mount, light: Light, seed: int, marked: bool, felt: tuple[int, int, int]
) -> tuple[Picture, npt.NDArray[np.float32]]:
    """The empty table as the camera sees it, and how bright each pixel is lit; neither is ever written to."""
    x, y = Lens(mount).table_of_pixels()
    drawn = table_top(seed, marked=marked, felt=felt)
    top = cv2.remap(
        drawn,
        x + TABLE_SPAN[0] / 2,
        y + TABLE_SPAN[1] / 2,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    gain = 1.0 - light.falloff * (x * x + y * y) / (1300.0**2)
    for spot_x, spot_y, radius, strength in light.glare:
        gain += strength * np.exp(-((x - spot_x) ** 2 + (y - spot_y) ** 2) / (2 * radius * radius))
    lit = np.asarray(np.clip(gain, 0.2, 1.6)[..., None], dtype=np.float32)
    return np.clip(top * lit, 0, 255).astype(np.uint8), lit


def _with_markers(ground: Picture, mount: Mount) -> Picture:
    """The markers laid over a picture, as the camera sees them."""
    x, y = Lens(mount).table_of_pixels()
    printed, cover = (
        cv2.remap(sheet, x + TABLE_SPAN[0] / 2, y + TABLE_SPAN[1] / 2, cv2.INTER_LINEAR)
        for sheet in marker_sheet()
    )
    share = cover.astype(np.float32) / 255
    return np.asarray(ground * (1 - share) + printed * share, dtype=np.uint8)


def dealer_hand(x: float, y: float, since: float, until: float) -> Hand:
    """The dealer's hand over a point."""
    return Hand(DEALER[0] + 0.3 * x, HALF_WIDTH + 350.0, x, y, since, until)


def player_hand(seat: int, x: float, y: float, since: float, until: float) -> Hand:
    """A player's hand over a point."""
    seat_x, seat_y, out = seat_spot(seat)
    return Hand(seat_x + 500 * math.cos(out), seat_y + 500 * math.sin(out), x, y, since, until)


def _share(flight: Flight, t: float) -> float:
    return min(1.0, max(0.0, (t - flight.began) / max(flight.lasts, 1e-6)))


def _underway(card: Card, flight: Flight, start: Pose, end: Pose, share: float) -> tuple[Pose, float]:
    """Where a card in the air is, and how far it has turned over."""
    spin = (luck(card.uid, "spin") - 0.5) * 1.2
    pose = between(start, end, share, spin)
    up_first, up_last = flight.face_before == "up", flight.face_after == "up"
    if flight.shows and not up_first and not up_last:
        turn = math.pi * (_ramp(share, 0.1, 0.35) + _ramp(share, 0.75, 0.95))
    elif up_first != up_last:
        turn = math.pi * (_ramp(share, 0.1, 0.4) if flight.shows or up_last else _ramp(share, 0.4, 0.9))
    else:
        turn = 0.0
    return pose, turn + (math.pi if up_first else 0.0)


def _ramp(share: float, first: float, last: float) -> float:
    return min(1.0, max(0.0, (share - first) / (last - first)))


def _point(at: npt.NDArray[np.float64] | tuple[float, float]) -> tuple[int, int]:
    return round(float(at[0])), round(float(at[1]))


def _signed_area(quad: npt.NDArray[np.float32] | Floats) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
