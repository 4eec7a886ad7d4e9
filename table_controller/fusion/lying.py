"""Where tags lie now: what each antenna reads, since when, and what it no longer reads.

Level, not edge: an inventory says the whole present set of one antenna. A tag that is not in it was not read, which
proves nothing; only its age counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from table_controller.fusion.coverage import AntennaKey

NEVER: Final = -1e9
_ROUND: Final = 3.0  # the longest round over all antennas of one sort (seconds)
BLINK: Final = 6.0
"""A tag that is read again on its antenna within so many seconds, and nowhere else meanwhile, never left it."""


@dataclass(slots=True)
class Seen:
    """One tag on one antenna: since when it is read there without a gap, and in which scan cycle it came."""

    since: float
    group: str


@dataclass(slots=True)
class Spot:
    """One tag and the antennas that read it.

    Attributes:
        told: Where the engine has it; None: in the deck, or in the bank.
        here: The antennas that read it now.
        away: When an antenna that had read it first read without it.
        faded: What an antenna that reads it no longer had of it.
        stayed: For how long at a stretch each antenna has read it at most (s), as of when it read without it.
    """

    uid: str
    told: str | None = None
    here: dict[AntennaKey, Seen] = field(default_factory=dict)
    away: dict[AntennaKey, float] = field(default_factory=dict)
    faded: dict[AntennaKey, Seen] = field(default_factory=dict)
    stayed: dict[AntennaKey, float] = field(default_factory=dict)


class Lying:
    """All tags of one sort and the antennas that read them."""

    def __init__(self) -> None:
        self.spots: dict[str, Spot] = {}
        self.places: dict[AntennaKey, tuple[str, ...]] = {}
        self._antennas: dict[str, list[AntennaKey]] = {}
        self._read_at: dict[AntennaKey, float] = {}

    def read(
        self, antenna: AntennaKey, places: tuple[str, ...], uids: Iterable[str], t: float, group: str
    ) -> set[str]:
        """Take an antenna's whole present set; give the tags whose presence there changed."""
        if antenna not in self.places:
            self.places[antenna] = places
            for place in places:
                self._antennas.setdefault(place, []).append(antenna)
        self._read_at[antenna] = t
        now = set(uids)
        changed: set[str] = set()
        for uid in now:
            spot = self.spots.get(uid)
            if spot is None:
                spot = self.spots[uid] = Spot(uid)
            if antenna not in spot.here:
                spot.here[antenna] = self._back(spot, antenna, t) or Seen(t, group)
                changed.add(uid)
        for uid, spot in self.spots.items():
            if antenna in spot.here and uid not in now:
                seen = spot.faded[antenna] = spot.here.pop(antenna)
                spot.stayed[antenna] = max(spot.stayed.get(antenna, 0.0), t - seen.since)
                spot.away[antenna] = t
                changed.add(uid)
        return changed

    def _back(self, spot: Spot, antenna: AntennaKey, t: float) -> Seen | None:
        """What the antenna had of a tag that it lost for a moment only."""
        lost = spot.away.get(antenna, NEVER)
        if t - lost > BLINK:
            return None
        others = (*spot.here.values(), *(seen for at, seen in spot.faded.items() if at != antenna))
        # another antenna may have had it up to a round before this one read without it
        return None if any(seen.since > lost - _ROUND for seen in others) else spot.faded.get(antenna)

    def rests(self, spot: Spot, now: float) -> tuple[AntennaKey, Seen] | None:
        """Where a tag that is read nowhere was read last, a moment ago; None when it is read, or long gone."""
        if spot.here or not spot.faded:
            return None
        antenna = max(spot.faded, key=lambda at: spot.away.get(at, NEVER))
        return (antenna, spot.faded[antenna]) if now - spot.away.get(antenna, NEVER) <= BLINK else None

    def read_since(self, place: str, t: float) -> bool:
        """Whether every antenna of a place has read it after a moment; a place that none sees has nothing to wait for."""
        return all(self._read_at.get(antenna, NEVER) > t for antenna in self._antennas.get(place, ()))

    def at(self, spot: Spot, place: str) -> Seen | None:
        """Since when the tag is read at a place, None when it is not read there now."""
        for antenna in self._antennas.get(place, ()):
            seen = spot.here.get(antenna)
            if seen is not None:
                return seen
        return None

    def away_since(self, spot: Spot, place: str) -> float:
        """Since when a tag is no longer read at a place; the beginning of time where it never was."""
        return max(
            (spot.away.get(antenna, NEVER) for antenna in self._antennas.get(place, ())), default=NEVER
        )

    def unread_for(self, spot: Spot, place: str, now: float) -> float:
        """For how many seconds a tag has not been read at a place; 0 while it is."""
        return 0.0 if self.at(spot, place) is not None else now - self.away_since(spot, place)

    def stayed(self, spot: Spot, place: str, now: float) -> float:
        """For how many seconds at a stretch a tag was read at a place at most, since its card was told somewhere."""
        antennas = self._antennas.get(place, ())
        past = max((spot.stayed.get(antenna, 0.0) for antenna in antennas), default=0.0)
        seen = self.at(spot, place)
        return past if seen is None else max(past, now - seen.since)

    def told_at(self, place: str) -> list[Spot]:
        """The tags that the engine has at a place."""
        return [spot for spot in self.spots.values() if spot.told == place]
