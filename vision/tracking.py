"""Cards followed from picture to picture, in millimetres, on the camera's clock; what is worth telling of them.

A card that lies still and is not found where something moves keeps its last state: a hand is before it. A card's
identity is voted over pictures and told only when two of them were sure of it and nine tenths of the votes agree.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from vision.sightings import Kind, Sighting
from vision.zones import Zones

STILL: Final = 9.0
"""A card that moves less than this between pictures lies still (mm)."""
JITTER: Final = 14.0
"""Once it lay still in two pictures it still does while it is seen so near to where it stopped (mm)."""
REST_AFTER: Final = 0.3
"""It is at rest after so long (s), and three still pictures."""
REST_PICTURES: Final = 3
SURE: Final = 0.98
AGREED: Final = 0.9
NAMED: Final = 0.9
"""So sure of a card's name must two pictures be: many that are half sure agree only in what the reader mistakes."""
LIKELIER: Final = 0.5
NAMED_FLYING: Final = 0.95
"""The same for a card on its way, whose pictures are few and blurred."""
READABLE: Final = 4.0
"""A card that travels further than this while the shutter is open shows its face, but not which one (mm)."""
FASTEST: Final = 4500.0
"""Nobody throws a card faster (mm/s)."""
COVERED_AFTER: Final = 2.0
GONE_AFTER: Final = 0.8
_NEAR: Final = 34.0
_REACH: Final = 90.0
_LOST_AFTER: Final = 0.45
_EACH: Final = 0.8
_BACK_DROPPED: Final = 0.95
"""Least mean certainty of three pictures: what looks like a back in one of them (a wrist, a chip) does so in the next."""
_UNSEARCHED: Final = 2.0
"""A card that is not at rest yet is followed for so long though nobody looked where it was (s): few pictures come."""
_BACKGROUND_S: Final = 0.7
_TAKEN: Final = 120.0
_OTHER_SIDE: Final = 60.0
_MOVED: Final = 60.0
"""A card so far from where it lay does not lie there any more (mm)."""
_WAY_OFF: Final = 200.0
"""A card that flies off the table has been followed for so far (mm)."""


@dataclass(frozen=True)
class CardAt:
    """One card in one picture: its middle and long side's direction (mm, rad), which side is up, what it may be.

    Attributes:
        card: Its identity with its probability; None when nobody can say.
        confidence: That it is a card with that side up.
        fresh: Whether the place looks other than the empty table does: nothing comes that changes nothing.
        alone: Whether the empty table lies round most of it, as round a card that was dropped, and not more of what
            came with it: what looks like a back may be a wrist, and an arm goes on beyond it.
    """

    x: float
    y: float
    angle: float
    up: bool
    confidence: float
    card: tuple[str, float] | None = None
    visible: float = 1.0
    fresh: bool = True
    alone: bool = True


def _from_way(to: tuple[float, float], way: tuple[float, float]) -> float:
    """How far a point lies from where a card may be by now: anywhere on its way, for it may have stopped (mm)."""
    length = way[0] ** 2 + way[1] ** 2
    share = min(1.0, max(0.0, (to[0] * way[0] + to[1] * way[1]) / length)) if length > 0 else 0.0
    return math.hypot(to[0] - share * way[0], to[1] - share * way[1])


def _apart(card: CardAt, x: float, y: float, angle: float) -> tuple[float, float]:
    """How far a card lies from a place (mm), and the same with how far it is turned counted in."""
    off = math.hypot(card.x - x, card.y - y)
    return off, off + 40.0 * abs((card.angle - angle + math.pi / 2) % math.pi - math.pi / 2)


@dataclass
class _Track:
    number: int
    x: float
    y: float
    angle: float
    t: float
    born: float
    origin: str
    vx: float = 0.0
    vy: float = 0.0
    still_since: float = 0.0
    still_count: int = 0
    stopped: tuple[float, float] = (0.0, 0.0)
    faces: deque[tuple[bool, float]] = field(default_factory=lambda: deque(maxlen=3))
    alone: deque[bool] = field(default_factory=lambda: deque(maxlen=3))
    votes: dict[str, float] = field(default_factory=dict)
    surest: dict[str, tuple[float, float]] = field(default_factory=dict)
    lately: deque[tuple[str, float]] = field(default_factory=lambda: deque(maxlen=3))
    visible: float = 1.0
    rest_zone: str = ""
    rest_up: bool | None = None
    rest_at: tuple[float, float] = (0.0, 0.0)
    rest_angle: float = 0.0
    rest_since: float = 0.0
    told_flight: bool = False
    told_covered: bool = False
    held_since: float | None = None
    missing_since: float | None = None
    from_start: bool = False
    known: float = 0.0
    seen: int = 0
    doubt: float = 0.0
    first: tuple[float, float] = (0.0, 0.0)

    @property
    def resting(self) -> bool:
        return self.rest_up is not None

    @property
    def away(self) -> bool:
        """Whether it was seen somewhere else than where it lay."""
        return math.hypot(self.x - self.rest_at[0], self.y - self.rest_at[1]) > _MOVED

    def vote(self, name: str, weight: float) -> None:
        """Count one picture's reading."""
        self.lately.append((name, weight))
        self.votes[name] = self.votes.get(name, 0.0) + weight
        first, second = self.surest.get(name, (0.0, 0.0))
        self.surest[name] = (max(first, weight), max(second, min(first, weight)))

    def identity(self, least: float) -> tuple[str | None, float]:
        """Which card the votes say, and how well they agree.

        None unless two pictures were at least so sure of it and none of the last three rather shows another: then the
        reader mistakes one of them, or it is another card that came where this one was.
        """
        total = math.fsum(self.votes.values())
        if total <= 0.0:
            return None, 0.0
        best = max(self.votes, key=lambda name: self.votes[name])
        share = self.votes[best] / total
        other = any(name != best and weight >= LIKELIER for name, weight in self.lately)
        told = share >= AGREED and self.surest[best][1] >= least and not other
        return (best if told else None), share


class Tracker:
    """All cards that one camera sees.

    Args:
        zones: The parts of the table.
        exposure: Seconds that the shutter is open: a card that moves far meanwhile cannot be read.
    """

    def __init__(self, zones: Zones, exposure: float = 0.004) -> None:
        self._zones = zones
        self._readable = READABLE / max(exposure, 1e-4)
        self._tracks: list[_Track] = []
        self._number = 0
        self._began: float | None = None

    def feed(
        self,
        cards: Sequence[CardAt],
        t: float,
        *,
        searched: Callable[[float, float], bool] = lambda x, y: True,
        moving: Callable[[float, float], bool] = lambda x, y: False,
        changed: Callable[[float, float], bool] = lambda x, y: False,
        stirred: Callable[[float, float], bool] | None = None,
    ) -> list[Sighting]:
        """Take what was found in one picture.

        Args:
            cards: All cards found.
            t: The camera's clock (s), never going back.
            searched: Whether a point (mm) was searched in this picture.
            moving: Whether something moves around a point now: perhaps a hand.
            changed: Whether what is around a point is not the empty table.
            stirred: Whether something moves at this very point, not beside it; None takes `moving` for it.

        Returns:
            What is new.
        """
        if self._began is None:
            self._began = t
        told: list[Sighting] = []
        for track, card in self._match(cards, t, stirred or moving):
            if track is None:
                if not card.fresh and t - self._began >= _BACKGROUND_S:
                    continue
                track = self._new(card, t)
            self._update(track, card, t)
            told += self._say(track, t)
        for track in [each for each in self._tracks if each.t < t]:
            told += self._unseen(track, t, searched, moving, changed)
        return told

    def relit(self, t: float) -> None:
        """The light has changed: for a moment what is there belongs to the table, as at the beginning."""
        self._began = t
        for track in self._tracks:
            track.from_start = track.from_start or track.resting

    def forget(self) -> None:
        """Begin anew: the camera could not be believed meanwhile."""
        self._tracks.clear()
        self._began = None

    @property
    def following(self) -> int:
        """How many cards are followed."""
        return len(self._tracks)

    def settling(self) -> list[tuple[float, float]]:
        """Where cards (mm) seem to have come to rest and must be seen again to be sure."""
        return [(each.x, each.y) for each in self._tracks if not each.resting and each.still_count > 0]

    def missing(self) -> list[tuple[float, float]]:
        """Where cards lay (mm) that were not found again: worth another look."""
        return [
            (each.x, each.y)
            for each in self._tracks
            if each.resting and each.missing_since is not None and not each.told_covered
        ]

    # -- which card is which ---------------------------------------------------------------------------------

    def _match(
        self, cards: Sequence[CardAt], t: float, gone: Callable[[float, float], bool]
    ) -> list[tuple[_Track | None, CardAt]]:
        free = list(self._tracks)
        left = list(cards)
        found: list[tuple[_Track | None, CardAt]] = []
        for way in (self._still_cost, self._moving_cost):
            pairs: list[tuple[float, int, int]] = []
            for i, track in enumerate(free):
                for j, card in enumerate(left):
                    cost = way(track, card, t)
                    if cost is not None:
                        pairs.append((cost, i, j))
            taken_i: set[int] = set()
            taken_j: set[int] = set()
            for _, i, j in sorted(pairs):
                if i not in taken_i and j not in taken_j:
                    taken_i.add(i)
                    taken_j.add(j)
                    found.append((free[i], left[j]))
            # A card that lay still has only been taken away if something moves where it lay, and not only beside it.
            free = [
                track
                for i, track in enumerate(free)
                if i not in taken_i and (not track.resting or track.away or gone(track.x, track.y))
            ]
            left = [card for j, card in enumerate(left) if j not in taken_j]
        found += [(None, card) for card in left]
        return found

    def _still_cost(self, track: _Track, card: CardAt, t: float) -> float | None:
        passed = t - track.t
        lies = track.resting and not track.away
        if not lies and track.still_count < 2 and not track.from_start and passed <= _LOST_AFTER:
            return None  # perhaps on its way: the second look tells
        if not card.fresh and not track.from_start:
            return None
        poses = [(track.x, track.y, track.angle)]
        if lies:
            # What passed over it may have been taken for it: where it lay itself counts as well.
            poses.append((*track.rest_at, track.rest_angle))
        off, cost = min((_apart(card, *pose) for pose in poses), key=lambda one: one[1])
        return cost if off <= _NEAR else None

    def _moving_cost(self, track: _Track, card: CardAt, t: float) -> float | None:
        passed = t - track.known
        if not card.fresh or (passed > _LOST_AFTER and not track.resting):
            return None
        ahead = min(passed, 0.15)
        off = _from_way((card.x - track.x, card.y - track.y), (track.vx * ahead, track.vy * ahead))
        far = math.hypot(card.x - track.x, card.y - track.y)
        reach = _REACH + FASTEST * min(passed, 0.12)
        if off > reach or far > reach or (track.resting and passed > 1.0 and off > 150.0):
            return None
        # A moving card carries on, or stops; one that lay still may have been taken, and shows the side it showed.
        if not track.resting or track.still_count <= 1:
            return off
        return off + _TAKEN + (0.0 if card.up == track.rest_up else _OTHER_SIDE)

    def _new(self, card: CardAt, t: float) -> _Track:
        self._number += 1
        zone = self._zones.at(card.x, card.y).name
        near_deck = self._zones.depth("deck", card.x, card.y) > -450.0
        origin = "deck" if near_deck and not zone.startswith("seat") else ""
        track = _Track(self._number, card.x, card.y, card.angle, t, t, origin, still_since=t)
        track.from_start = self._began is not None and t - self._began < _BACKGROUND_S
        track.first = track.stopped = (card.x, card.y)
        self._tracks.append(track)
        return track

    def _update(self, track: _Track, card: CardAt, t: float) -> None:
        passed = t - track.t
        off = math.hypot(card.x - track.x, card.y - track.y)
        if passed > 0:
            track.vx, track.vy = (card.x - track.x) / passed, (card.y - track.y) / passed
        # Outlines of a card that stopped may differ by a little more, where it lies on something printed.
        from_stop = math.hypot(card.x - track.stopped[0], card.y - track.stopped[1])
        jitter = track.still_count > 1 and from_stop <= JITTER
        if off > STILL and t > track.born and not jitter:
            if track.resting and track.still_count > 1:
                track.faces.clear()  # what it showed while it lay is no face on its way
                track.alone.clear()
            track.still_since, track.still_count, track.stopped = t, 0, (card.x, card.y)
            track.from_start = track.from_start and not card.fresh
        track.still_count += 1
        track.x, track.y, track.angle, track.t = card.x, card.y, card.angle, t
        track.known = t
        track.visible = card.visible
        track.held_since = track.missing_since = None
        track.told_covered = False
        track.faces.append((card.up, card.confidence))
        track.alone.append(card.alone)
        track.seen += 1
        track.doubt += 1.0 - card.confidence
        slow = passed > 0 and off / passed <= self._readable
        if card.card is not None and card.up and slow:
            track.vote(*card.card)

    # -- what is told ----------------------------------------------------------------------------------------

    def _say(self, track: _Track, t: float) -> list[Sighting]:
        ups = sum(1 for up, _ in track.faces if up)
        at_rest = t - track.still_since >= REST_AFTER - 1e-6 and track.still_count >= REST_PICTURES
        if not at_rest:
            if (
                track.still_count > 1
                or track.told_flight
                or ups < 2
                or not track.faces[-1][0]
                or t == track.born
            ):
                return []
            track.told_flight = True
            sure = 1.0 - math.prod(1.0 - c for up, c in track.faces if up)
            return [self._sighting("exposed_in_flight", track, t, "up", sure)]
        if len(track.faces) < REST_PICTURES or len({up for up, _ in track.faces}) > 1:
            return []
        up = track.faces[-1][0]
        zone = self._zones.at(track.x, track.y)
        if track.rest_up == up and track.rest_zone == zone.name and not track.away:
            return []
        sure = 1.0 - math.prod(1.0 - c for _, c in track.faces)
        mean = math.fsum(c for _, c in track.faces) / len(track.faces)
        stray_back = not (up or zone.card)
        if sure < SURE or mean < (_BACK_DROPPED if stray_back else _EACH):
            return []
        if stray_back and not all(track.alone):
            return []  # a hand that goes takes its wrist along; a card stays, and is told then
        kind: Kind
        turned = track.rest_up is not None and track.rest_up != up and track.rest_zone == zone.name
        if turned:
            kind = "turned"
        elif track.from_start and track.rest_up is None:
            kind = "arrived"  # it lay there when the camera began to look: nobody has just done it
        elif not zone.card:
            kind = "dropped"
        elif up and not zone.face_up:
            kind = "exposed_at_rest"
        else:
            kind = "arrived"
        told = self._sighting(kind, track, t, "up" if up else "down", sure)
        if track.rest_zone != zone.name or track.rest_up is None:
            track.rest_since = t
        track.rest_up, track.rest_zone, track.rest_at = up, zone.name, (track.x, track.y)
        track.rest_angle = track.angle
        track.origin, track.told_flight = zone.name, False
        return [told]

    def _unseen(
        self,
        track: _Track,
        t: float,
        searched: Callable[[float, float], bool],
        moving: Callable[[float, float], bool],
        changed: Callable[[float, float], bool],
    ) -> list[Sighting]:
        if not track.resting:
            gone = t - track.t
            if gone <= _LOST_AFTER or (gone <= _UNSEARCHED and not searched(track.x, track.y)):
                return []
            self._tracks.remove(track)
            return self._flew_off(track, t)
        if moving(track.x, track.y):
            track.missing_since = None  # a hand may be before it: the last state holds
            return []
        if not searched(track.x, track.y):
            if track.missing_since is None:
                track.known = t  # nothing has changed there since it was seen
            return []
        if track.missing_since is None:
            track.missing_since = t
        missing = t - track.missing_since
        # On its way from where it lay it was lost, turned over perhaps: nothing lies over it there.
        if track.away or not changed(track.x, track.y) or track.from_start:
            if missing < GONE_AFTER:
                return []
            self._tracks.remove(track)
            return (self._flew_off(track, t) if track.away else []) or [self._left(track, t)]
        if missing >= COVERED_AFTER and not track.told_covered:
            track.told_covered = True
            return [self._sighting("covered", track, t, self._side(track), 1.0)]
        return []

    def _left(self, track: _Track, t: float) -> Sighting:
        """It is not where it lay."""
        x, y = track.rest_at
        told = self._sighting("left", track, t, self._side(track), 1.0)
        return msgspec.structs.replace(told, x=round(x, 1), y=round(y, 1), zone=track.rest_zone)

    def _flew_off(self, track: _Track, t: float) -> list[Sighting]:
        """A card that was on its way outwards when it was last seen is on the floor."""
        zone = self._zones.at(track.x, track.y).name
        way = math.hypot(track.x - track.first[0], track.y - track.first[1])
        if track.seen < 3 or way < _WAY_OFF or track.doubt > 0.1 * track.seen:
            return []
        if math.hypot(track.vx, track.vy) < 200.0:
            return []
        ahead = self._zones.at(track.x + track.vx * 0.15, track.y + track.vy * 0.15).name
        outside = ("rail", "floor")
        if zone not in outside or ahead not in outside:
            return []
        ups = sum(1 for up, _ in track.faces if up)
        face: Literal["up", "down"] = "up" if 2 * ups > len(track.faces) else "down"
        if face == "down" and 2 * sum(track.alone) < len(track.alone):
            return []  # an arm that was pulled back
        told = self._sighting("dropped", track, t, face, 0.9)
        return [msgspec.structs.replace(told, zone="floor")]

    def _side(self, track: _Track) -> Literal["up", "down"]:
        return "up" if track.rest_up else "down"

    def _sighting(
        self, kind: Kind, track: _Track, t: float, face: Literal["up", "down"], sure: float
    ) -> Sighting:
        least = NAMED_FLYING if kind == "exposed_in_flight" else NAMED
        card, _ = track.identity(least) if face == "up" else (None, 0.0)
        return Sighting(
            kind=kind,
            track=track.number,
            at=round(t, 4),
            x=round(track.x, 1),
            y=round(track.y, 1),
            zone=self._zones.at(track.x, track.y).name,
            origin=track.rest_zone or track.origin,
            face=face,
            card=card,
            confidence=round(min(sure, 1.0), 4),
            rested=round(t - track.rest_since, 3) if track.resting else 0.0,
            visible=round(track.visible, 2),
        )
