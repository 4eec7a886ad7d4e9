"""What each antenna makes of the tags that lie near it: misses in bursts, ghosts, bleed, inventory times.

The rates are assumptions to calibrate, as every table and every felt differs; by default the world is clean.
Each tag on each antenna has random numbers of its own, so one table's noise does not depend on the order in
which antennas are asked.

Does not model: collisions of 16-slot rounds beyond their mean time, gain and tuning, tags of two standards
on one antenna, an antenna that reads a place only now and then because of its wiring.
"""

import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hw_sim.errors import ConfigError
from hw_sim.world import CARD_PLACES, CHIP_PLACES, NO_ANTENNA, World

KINDS: Final = {
    "deck": 1,
    "seat": 2,
    "board": 3,
    "burn": 4,
    "muck": 5,
    "bet": 6,
    "stack": 7,
    "pot": 8,
    "bank": 9,
}
CHIP_KINDS: Final = frozenset({6, 7, 8, 9})

# 16-slot inventory: milliseconds for so many tags; beyond 16 more masked rounds at the same slope.
_INVENTORY_TAGS: Final = (0, 2, 5, 16)
_INVENTORY_MS: Final = (10.0, 18.0, 30.0, 75.0)


def inventory_seconds(tags: int) -> float:
    """How long one inventory takes with so many tags in the field, in seconds."""
    at = min(bisect_right(_INVENTORY_TAGS, tags), len(_INVENTORY_TAGS) - 1)
    low, high = _INVENTORY_TAGS[at - 1], _INVENTORY_TAGS[at]
    slope = (_INVENTORY_MS[at] - _INVENTORY_MS[at - 1]) / (high - low)
    return (_INVENTORY_MS[at - 1] + (tags - low) * slope) / 1000.0


@dataclass(frozen=True)
class Antenna:
    """One antenna by its number on the wire and the place or places under which it lies."""

    id: int
    places: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.id <= 254 or not self.places:
            raise ConfigError(
                f"antenna {self.id} with places {self.places}", hint="0 to 254, one place or more"
            )
        for place in self.places:
            if place in NO_ANTENNA or place not in (*CARD_PLACES, *CHIP_PLACES):
                raise ConfigError(f"antenna {self.id}: no antenna can lie at {place!r}")
        if len({kind_of(place) in CHIP_KINDS for place in self.places}) > 1:
            raise ConfigError(f"antenna {self.id} would read cards and chips: {', '.join(self.places)}")

    @property
    def kind(self) -> int:
        """The kind that HELLO tells: that of its first place."""
        return kind_of(self.places[0])

    @property
    def index(self) -> int:
        """The seat that HELLO tells, 0 where there is none."""
        digits = "".join(filter(str.isdigit, self.places[0]))
        return int(digits) if digits else 0

    @property
    def reads_chips(self) -> bool:
        """Whether chips, not cards, lie on it."""
        return self.kind in CHIP_KINDS


def kind_of(place: str) -> int:
    """The kind of antenna that a place has."""
    return KINDS[place.rstrip("0123456789")]


@dataclass(frozen=True)
class Rates:
    """How badly antennas read, as probabilities per read; all 0 is a clean world.

    Attributes:
        centre, edge, metal, hand: Long-run share of reads in which a tag that lies so is missed.
        overlapped: Added for each of two cards that lie on one another at a seat.
        burst_s: Mean length of a run of misses, in seconds; position causes them, so they come in runs.
        bleed: A tag on a neighbouring antenna shows up here.
        ghost: A UID that does not exist shows up.
        merge: Two tags are read as one UID that does not exist.
        cut: A 7-byte UID is read as its first cascade level only.
        echo: An antenna that reads nothing repeats what the one before it read.
        piles: Share of piles (three cards or more, or the deck) that answer nothing at all.
        by_place: Other values of `centre` for single places (a weak spot).
    """

    centre: float = 0.0
    edge: float = 0.0
    metal: float = 0.0
    hand: float = 0.0
    overlapped: float = 0.0
    burst_s: float = 1.5
    bleed: float = 0.0
    ghost: float = 0.0
    merge: float = 0.0
    cut: float = 0.0
    echo: float = 0.0
    piles: float = 0.0
    by_place: Mapping[str, float] | None = None

    @classmethod
    def typical(cls) -> "Rates":
        """The starting rates of the documentation, to be calibrated on the real table."""
        return cls(centre=0.01, edge=0.15, metal=0.95, hand=0.05, overlapped=0.05, bleed=0.001, ghost=0.0001)

    @property
    def clean(self) -> bool:
        """Whether nothing can go wrong."""
        lying = (self.centre, self.edge, self.metal, self.hand, self.overlapped, self.piles)
        wrong = (self.bleed, self.ghost, self.merge, self.cut, self.echo)
        return not any((*lying, *wrong, *(self.by_place or {}).values()))

    def missing(self, spot: str, place: str, overlapped: bool) -> float:
        """Share of reads in which this tag is not seen, at most 0.99."""
        base = {"edge": self.edge, "metal": self.metal, "hand": self.hand}.get(spot)
        if base is None:
            base = (self.by_place or {}).get(place, self.centre)
        return min(0.99, base + (self.overlapped if overlapped else 0.0))

    def with_miss(self, rate: float) -> "Rates":
        """The same with another rate of centred misses."""
        return replace(self, centre=rate)


@dataclass(frozen=True)
class Reading:
    """What one antenna read in one turn: the UIDs, sorted, and how good the read was (0 to 100)."""

    uids: tuple[str, ...]
    quality: int


class _Burst:
    """Two states, read and not read, each lasting a random time: misses that come in runs."""

    def __init__(self, rng: random.Random, rate: float, burst_s: float, now: float) -> None:
        self._rng = rng
        self.rate = rate
        self._burst_s = burst_s
        self.bad = rng.random() < rate
        self._until = now + self._length()

    def _length(self) -> float:
        mean = self._burst_s if self.bad else self._burst_s * (1.0 - self.rate) / self.rate
        return self._rng.expovariate(1.0 / mean)

    def missed(self, now: float) -> bool:
        """Whether the tag is in a run of misses at this time."""
        while now >= self._until:
            self.bad = not self.bad
            self._until += self._length()
        return self.bad


class Field:
    """All antennas over one world: give what each reads at a virtual time."""

    def __init__(self, world: World, antennas: Sequence[Antenna], rates: Rates, seed: str) -> None:
        if len({antenna.id for antenna in antennas}) != len(antennas):
            raise ConfigError("two antennas have the same number")
        self.world = world
        self.antennas = {antenna.id: antenna for antenna in antennas}
        self.rates = rates
        self._seed = seed
        self._clean_cache: dict[int, tuple[tuple[int, ...], Reading]] = {}
        self._bursts: dict[tuple[int, str], _Burst] = {}
        self._random = {a.id: random.Random(f"{seed}/antenna/{a.id}") for a in antennas}
        self._neighbours = {a.id: self._beside(a) for a in antennas}
        self._polls: dict[tuple[int, str], int] = {}
        self._buffer: tuple[str, ...] = ()

    def set_rates(self, rates: Rates) -> None:
        """Read otherwise from now on; runs of misses begin anew."""
        self.rates = rates
        self._bursts.clear()

    def covered(self, place: str) -> bool:
        """Whether any antenna lies under this place."""
        return any(place in antenna.places for antenna in self.antennas.values())

    def best(self, antenna_id: int) -> Reading:
        """What the antenna would read if nothing was missed; the same object while nothing moves."""
        antenna = self.antennas[antenna_id]
        versions = tuple(self.world.versions[place] for place in antenna.places)
        cached = self._clean_cache.get(antenna_id)
        if cached is not None and cached[0] == versions:
            return cached[1]
        uids = sorted(uid for place in antenna.places for uid in self.world.readable(place))
        reading = Reading(tuple(uids), 100)
        self._clean_cache[antenna_id] = (versions, reading)
        return reading

    def read(self, antenna_id: int, now: float) -> Reading:
        """What the antenna reads at this virtual time, noise included."""
        best = self.best(antenna_id)
        rates = self.rates
        if rates.clean and not self.world.spotted:
            return best
        rng = self._random[antenna_id]
        seen = [uid for uid in best.uids if not self._missed(antenna_id, uid, now)]
        if rates.piles:
            seen = [uid for uid in seen if not self._in_silent_pile(uid)]
        read = len(seen)
        if rates.bleed:
            for beside in self._neighbours[antenna_id]:
                for uid in self.best(beside).uids:
                    if rng.random() < rates.bleed and uid not in seen:
                        seen.append(uid)
        if rates.ghost and rng.random() < rates.ghost:
            seen.append((b"\x04" + rng.randbytes(6)).hex().upper())
        if rates.merge and len(seen) >= 2 and rng.random() < rates.merge:
            seen = _merged(seen)
        if rates.cut:
            seen = [_cut(uid) if rng.random() < rates.cut else uid for uid in seen]
        if rates.echo and not seen and rng.random() < rates.echo:
            seen = list(self._buffer)
        self._buffer = tuple(seen)
        quality = 100 if not best.uids else round(100 * read / len(best.uids))
        return Reading(tuple(sorted(set(seen))), quality)

    def _missed(self, antenna_id: int, uid: str, now: float) -> bool:
        world = self.world
        place, spot = world.where(uid), world.spot(uid)
        if spot == "held":
            return True
        if spot == "flicker":
            polls = self._polls[antenna_id, uid] = self._polls.get((antenna_id, uid), 0) + 1
            if polls % 2 == 0:
                return True
        rate = self.rates.missing(spot, place, world.overlapped(place))
        if not rate:
            return False
        burst = self._bursts.get((antenna_id, uid))
        if burst is None or burst.rate != rate:
            version = world.versions[place]
            rng = random.Random(f"{self._seed}/burst/{antenna_id}/{uid}/{version}")
            burst = self._bursts[antenna_id, uid] = _Burst(rng, rate, self.rates.burst_s, now)
        return burst.missed(now)

    def _in_silent_pile(self, uid: str) -> bool:
        """Whether it lies in a pile that answers nothing; drawn anew whenever the pile changes."""
        place = self.world.where(uid)
        if place != "deck" and not self.world.piled(place):
            return False
        rng = random.Random(f"{self._seed}/pile/{place}/{self.world.versions[place]}")
        return rng.random() < self.rates.piles

    def _beside(self, antenna: Antenna) -> tuple[int, ...]:
        if antenna.kind not in (KINDS["seat"], KINDS["bet"], KINDS["stack"]):
            return ()
        alike = sorted((a.index, a.id) for a in self.antennas.values() if a.kind == antenna.kind)
        if len(alike) < 2:
            return ()
        at = alike.index((antenna.index, antenna.id))
        beside = {alike[at - 1][1], alike[(at + 1) % len(alike)][1]}
        return tuple(sorted(beside - {antenna.id}))


def _merged(uids: Sequence[str]) -> list[str]:
    """The first two UIDs of one length come as one, their ones laid over each other."""
    for at, one in enumerate(uids):
        for other in uids[at + 1 :]:
            if len(one) == len(other):
                rest = [uid for uid in uids if uid not in (one, other)]
                return [*rest, f"{int(one, 16) | int(other, 16):0{len(one)}X}"]
    return list(uids)


def _cut(uid: str) -> str:
    """A 7-byte UID as a reader gives it that ends after the first cascade level."""
    return "88" + uid[:6] if len(uid) == 14 else uid
