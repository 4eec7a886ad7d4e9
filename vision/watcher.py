"""One camera over one table: pictures in, sightings and the camera's state out. No thread, no process, no clock.

The markers on the rail are looked at five times a second, where they should be; when they are not, the camera is told
as moved, and as soon as two looks over the whole picture agree, the plane is made anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec
import numpy as np

from vision.calibration import (
    ALARM,
    ENOUGH,
    Calibration,
    Found,
    Markers,
    Plane,
    drift,
    in_a_row,
    marker_corners,
    solve_plane,
)
from vision.detect import SeenCard
from vision.frames import Frame, Image
from vision.gate import Gate, Region
from vision.health import Health
from vision.sightings import CameraState, Message, Sighting
from vision.tracking import CardAt, Tracker
from vision.zones import FLOOR

LOOK_EVERY: Final = 0.2
"""The markers are looked at so often (s); the whole picture is searched for them once a second at most."""
_ANEW_EVERY: Final = 0.4
_AGREE_MM: Final = 1.5
_BEAT: Final = 1.0
_BUSY_MM: Final = 75.0
_CARD_MM: Final = 50.0
_ENOUGH_SEEN: Final = 2
_EDGE_PX: Final = 3.0
FLIES_AT: Final = 20.0
"""A dealt card flies somewhere between the felt and twice so high (mm)."""
_FRESH_BACK: Final = 0.4
_FRESH_FACE: Final = 0.25
_FRESH_ON_MARKER: Final = 0.55
"""A back that lies on a marker hides most of it; of one half under a sleeve, whose rest looks like a back, less is new."""
_ALONE: Final = 0.5
"""What has more than this of its edge beside something else that came does not lie there by itself."""
_HALF_CARD_MM: Final = 55.0
_AGAIN_EVERY: Final = 0.25
_MOST_AGAIN: Final = 4
_MOST_SPOTS: Final = 1000


class Find(Protocol):
    """Finds cards in a picture (`vision.detect.find_cards`)."""

    def __call__(
        self, frame: Image, *, scale_mm: float | None = None, regions: Sequence[Region] | None = None
    ) -> Sequence[SeenCard]: ...


class MarkerWatch:
    """Whether the camera still looks at the table as it did.

    Attributes:
        plane: Pixels and millimetres as they are now.
        off: How far the markers lie from where they should (mm); None while none is seen.
        moved: Whether the camera was moved and the plane is not yet made anew.
        note: Why it cannot be made anew, for the technician; empty otherwise.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._markers = Markers()
        self.plane: Plane = calibration.plane()
        self.off: float | None = None
        self.moved = False
        self.note = ""
        self._looked_at = self._searched_at = -math.inf
        self._half = 0
        self._unseen = 0
        self._candidate: Plane | None = None
        self._expect()

    def _expect(self) -> None:
        side = self._calibration.marker_mm
        self._expected: dict[int, np.ndarray] = {
            marker.id: self.plane.to_pixels(marker_corners(marker, side))
            for marker in self._calibration.markers
        }

    def is_marker(self, x: float, y: float) -> bool:
        """Whether what looks like a card at a point (mm) is one of the printed markers, white square that it is."""
        reach = 0.6 * self._calibration.marker_mm
        return any(math.hypot(x - each.x, y - each.y) < reach for each in self._calibration.markers)

    def look(self, image: Image, t: float) -> bool:
        """Look at the markers when it is time to.

        Returns:
            Whether the plane was made anew in this picture.
        """
        if t - self._looked_at < LOOK_EVERY - 1e-6 or not self._expected:
            return False
        self._looked_at = t
        if not self.moved:
            numbers = sorted(self._expected)[self._half :: 2]
            self._half = 1 - self._half
            found = self._markers.find_near(image, {number: self._expected[number] for number in numbers})
            if len(found) >= _ENOUGH_SEEN:
                self._unseen = 0
                self.off = drift(found, self._calibration.markers, self.plane)
                self.moved = self.off is not None and self.off > ALARM
            else:
                self._unseen += 1
            if not self.moved and self._unseen < 2:
                return False
        return self._search(image, t)

    def _search(self, image: Image, t: float) -> bool:
        """Search the whole picture for the markers; two looks that agree make the plane anew."""
        if t - self._searched_at < _ANEW_EVERY:
            return False
        self._searched_at = t
        found: Found = self._markers.find(image)
        calibration = self._calibration
        self.off = drift(found, calibration.markers, self.plane)
        if self.off is not None and self.off <= ALARM:
            self.moved, self._unseen, self._candidate, self.note = False, 0, None, ""
            return False
        self.moved = self.moved or self.off is not None
        solved = solve_plane(found, calibration.markers, calibration.marker_mm, calibration.lens)
        if solved is None:
            self._candidate, self.note = None, self._why(found)
            return False
        plane, _ = solved
        before, self._candidate = self._candidate, plane
        if before is None or _apart(before, plane, image) > _AGREE_MM:
            return False
        self.plane, self._candidate = plane, None
        self.moved, self._unseen, self.off = False, 0, drift(found, calibration.markers, plane)
        self.note = ""
        self._expect()
        return True

    def _why(self, found: Found) -> str:
        """Why these markers do not give the plane again."""
        known = [marker for marker in self._calibration.markers if marker.id in found]
        if not self.moved:
            return ""
        if len(known) < ENOUGH:
            return f"{len(known)} markers seen, {ENOUGH} are needed: take away what lies over them"
        if in_a_row(known):
            return f"the {len(known)} markers seen lie in a row: take away what lies over the others"
        return "the markers seen contradict one another: was one of them shifted?"


def _apart(first: Plane, second: Plane, image: Image) -> float:
    """How far two planes put the same pixels from one another (mm)."""
    height, width = image.shape[:2]
    points = [[width * x, height * y] for x in (0.25, 0.75) for y in (0.25, 0.75)]
    return float(np.hypot(*(first.to_mm(points) - second.to_mm(points)).T).max())


class Watcher:
    """Watches one table.

    Attributes:
        health: Whether the camera can be believed.
    """

    def __init__(
        self, calibration: Calibration | None, find: Find, *, live: bool = True, exposure: float = 0.004
    ) -> None:
        """Begin to watch.

        Args:
            calibration: None only watches the camera's health: without millimetres nothing can be told of cards.
            find: Finds the cards in a picture.
            live: Whether the pictures come from a camera.
            exposure: Seconds that its shutter is open.
        """
        self._sharp, self._live = (calibration.sharpness if calibration is not None else None), live
        self.health = Health(self._sharp, live=live)
        self._find = find
        self._marks = MarkerWatch(calibration) if calibration is not None else None
        self._zones = calibration.all_zones() if calibration is not None else None
        self._tracker = Tracker(self._zones, exposure) if self._zones is not None else None
        self._gate = Gate()
        self._missed_at = -math.inf
        self._spots: dict[tuple[float, float], tuple[float, float]] = {}
        self._spots_of: Plane | None = None
        self._told = "?"
        self._told_at = -math.inf
        self._count = 0
        self._work = 0.0
        self._last_t = -math.inf

    @property
    def plane(self) -> Plane | None:
        """Pixels and millimetres as they are now."""
        return self._marks.plane if self._marks is not None else None

    def feed(self, frame: Frame, *, took: float = 0.0) -> list[Message]:
        """Work on one picture.

        Args:
            frame: The picture.
            took: Seconds that the picture before took to work on, for the camera's state.

        Returns:
            What is new of the cards, and the camera's state when it changed or a second has passed.
        """
        t = frame.t
        if t < self._last_t:
            self._restart()  # the camera was switched off and on: its clock begins anew
        self._last_t = t
        self._count += 1
        self._work += took
        told: list[Message] = []
        anew = self._marks.look(frame.image, t) if self._marks is not None else False
        moved = self._marks is not None and self._marks.moved
        before = self.health.trouble
        trouble = self.health.feed(frame.image, t, moved=moved)
        if anew or (trouble and not before):
            self._restart()
        if not trouble and not moved:
            told += self._look_at_cards(frame)
        return told + self._state(t)

    def idle(self, now: float) -> list[Message]:
        """No picture came: `now` is what the camera's clock should show by now."""
        self.health.tick(now)
        if self.health.trouble == "stale":
            self._restart()
        return self._state(now)

    def lost(self) -> None:
        """The camera is gone: what comes next is new, and its clock may begin anew."""
        self._restart()
        self._told, self._last_t = "?", -math.inf
        self.health = Health(self._sharp, live=self._live)

    def _restart(self) -> None:
        self._gate = Gate()
        self._missed_at = -math.inf
        if self._tracker is not None:
            self._tracker.forget()

    def _look_at_cards(self, frame: Frame) -> list[Message]:
        marks, tracker = self._marks, self._tracker
        if marks is None or tracker is None:
            return []
        plane, image = marks.plane, frame.image
        gated = self._gate.feed(image, frame.t)
        regions = gated.regions
        if gated.relit:
            tracker.relit(frame.t)
        height, width = image.shape[:2]
        scale = plane.mm_per_pixel(width / 2, height / 2)
        if regions is not None:
            regions = (*regions, *self._again(regions, plane, scale, frame.t))
        seen: Sequence[SeenCard] = ()
        if regions is None or regions:
            seen = self._find(image, scale_mm=scale, regions=regions)
        cards = [
            card
            for each in seen
            if (card := self._in_mm(each, plane, (width, height))) is not None
            and (card.fresh or not marks.is_marker(card.x, card.y))
        ]

        half = _HALF_CARD_MM / scale
        pixel = self._pixel

        def searched(x: float, y: float) -> bool:
            """Whether a card at this place (mm) was wholly in what was searched."""
            if regions is None:
                return True
            return _inside(pixel(plane, x, y), regions, half)

        def near(look: Callable[[float, float, float], bool], mm: float) -> Callable[[float, float], bool]:
            def answer(x: float, y: float) -> bool:
                return look(*pixel(plane, x, y), mm / scale)

            return answer

        told = tracker.feed(
            cards,
            frame.t,
            searched=searched,
            moving=near(self._gate.moving_at, _BUSY_MM),
            changed=near(self._gate.changed_at, _CARD_MM / 2),
            stirred=near(self._gate.moving_at, _CARD_MM / 2),
        )
        return [self._lowered(each, plane) if each.kind == "exposed_in_flight" else each for each in told]

    def _pixel(self, plane: Plane, x: float, y: float) -> tuple[float, float]:
        """Where a point of the table (mm) is in the picture; most cards lie where they lay, and are asked after again."""
        if plane is not self._spots_of or len(self._spots) > _MOST_SPOTS:
            self._spots, self._spots_of = {}, plane
        at = self._spots.get((x, y))
        if at is None:
            ((px, py),) = plane.to_pixels([[x, y]])
            at = self._spots[x, y] = (float(px), float(py))
        return at

    def _lowered(self, sighting: Sighting, plane: Plane) -> Sighting:
        """A card on its way is above the felt: it is nearer to what the camera hangs over than it looks.

        Beyond the rail it falls, and nobody knows how far it has: there it is where it looks to be.
        """
        x, y = plane.lowered(sighting.x, sighting.y, FLIES_AT)
        zone = self._zones.at(x, y).name if self._zones is not None else sighting.zone
        if zone == FLOOR.name:
            return sighting
        return msgspec.structs.replace(sighting, x=round(x, 1), y=round(y, 1), zone=zone)

    def _in_mm(self, seen: SeenCard, plane: Plane, size: tuple[int, int]) -> CardAt | None:
        """A found card on the table; one that the picture's edge cuts is no card yet."""
        quad = np.asarray(seen.quad, dtype=np.float64)
        if quad.min() < _EDGE_PX or (quad > np.array(size) - _EDGE_PX).any():
            return None
        corners = plane.to_mm(quad)
        x, y = corners.mean(axis=0)
        fresh = _FRESH_FACE if seen.face else _FRESH_BACK
        if not seen.face and self._marks is not None and self._marks.is_marker(float(x), float(y)):
            fresh = _FRESH_ON_MARKER
        long_side = corners[2] - corners[1]
        guess = (seen.card, seen.confidence) if seen.card is not None else seen.guess
        return CardAt(
            float(x),
            float(y),
            math.atan2(float(long_side[1]), float(long_side[0])),
            seen.face,
            max(seen.confidence, 0.5) if seen.card is None else max(seen.confidence, 0.9),
            guess if seen.face else None,
            seen.visible,
            self._gate.changed_share(quad) >= fresh,
            seen.face or self._gate.changed_around(quad) < _ALONE,
        )

    def _again(self, regions: Sequence[Region], plane: Plane, scale: float, t: float) -> list[Region]:
        """What the gate leaves out and must be looked at: cards not yet at rest, and those that were not found again."""
        tracker = self._tracker
        if tracker is None:
            return []
        places = tracker.settling()
        if t - self._missed_at >= _AGAIN_EVERY - 1e-6:
            missing = tracker.missing()
            if missing:
                self._missed_at = t
            places += missing
        if not places:
            return []
        reach = int(2 * _HALF_CARD_MM / scale)
        pixels = [(int(x), int(y)) for x, y in plane.to_pixels(places)]
        left = [at for at in pixels if not _inside(at, regions, _HALF_CARD_MM / scale)]
        return [(x - reach, y - reach, 2 * reach, 2 * reach) for x, y in left[:_MOST_AGAIN]]

    def _state(self, t: float) -> list[Message]:
        trouble: str = self.health.trouble or ("uncalibrated" if self._marks is None else "")
        passed = t - self._told_at
        if trouble == self._told and 0 <= passed < _BEAT:
            return []
        fps = self._count / passed if 0 < passed < 60 else 0.0
        busy = min(1.0, self._work / passed) if 0 < passed < 60 else 0.0
        self._told, self._told_at, self._count, self._work = trouble, t, 0, 0.0
        off = self._marks.off if self._marks is not None else None
        return [
            CameraState(
                trouble=trouble,
                at=round(t, 4),
                fps=round(fps, 1),
                busy=round(busy, 3),
                off_mm=None if off is None else round(off, 2),
                detail=self._marks.note if self._marks is not None else "",
            )
        ]


def _inside(at: tuple[float, float], regions: Sequence[Region], room: float) -> bool:
    """Whether a point (pixels) lies in one of the regions with so much room around it."""
    x, y = at
    return any(
        left + room <= x <= left + wide - room and top + room <= y <= top + high - room
        for left, top, wide, high in regions
    )
