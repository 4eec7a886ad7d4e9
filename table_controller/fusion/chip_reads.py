"""Where tagged chips lie: every chip is followed by its tag, and what is on its way is gathered into motions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

from engine.events import TableEvent
from firmware_bridge.observations import Inventory
from table_controller.config import Timing
from table_controller.fusion.coverage import AntennaKey
from table_controller.fusion.ledger import Ledger
from table_controller.fusion.lying import NEVER, Lying, Seen, Spot
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.inventory import Tags

MARGIN: Final = 0.2
LOST: Final = 30.0
"""A chip that left a stack and is not read for so long (seconds) does not hold a motion open."""
_STEADY: Final = 8.0
"""A chip that was told as missing is back when it is read for so long (seconds) in one piece."""
_FORGOTTEN: Final = 12.0
"""A chip that is read nowhere for so long (seconds) may have been changed at the bank."""
FRESH: Final = 6.0
"""Change from the bank and the chips that it replaces are read within so long (seconds)."""


@dataclass(slots=True)
class Motion:
    """Chips that came to one place: where from, since when."""

    to: str
    spots: list[Spot] = field(default_factory=list)
    origins: set[str] = field(default_factory=set)
    first: float = 0.0
    last: float = 0.0
    group: str = ""


class ChipReads:
    """All tags of chips on the table.

    Attributes:
        ledger: What the engine was told of chips in this hand.
        doubts: Places where a chip should be read and is not.
    """

    def __init__(self, tags: Tags, covers: Callable[[str], bool], timing: Timing) -> None:
        self.ledger = Ledger()
        self.doubts: tuple[DoubtAt, ...] = ()
        self._tags = tags
        self._covers = covers
        self._timing = timing
        self._lying = Lying()
        self._moving: set[str] = set()
        self._fresh: list[tuple[float, str, int]] = []  # when, place, value: came from nowhere (the bank)
        # chips lost sight of that lie in their stack again, since when
        self._came_back: dict[str, float] = {}
        self._lacking: tuple[DoubtAt, ...] = ()
        # chips told as missing, and of which place, until they lie there steadily
        self._lost: dict[str, str] = {}
        self._once: dict[str, str] = {}  # where chips lay that were then read nowhere for long
        self._looked = NEVER
        self._restarted = False  # inside this hand: what was told before lies somewhere, unknown

    # -- what is read ------------------------------------------------------------------------------------

    def read(self, inventory: Inventory, places: tuple[str, ...]) -> None:
        """Take what one chip antenna reads."""
        antenna = (inventory.device, inventory.antenna)
        known = [uid for uid in inventory.uids if self._tags.chip(uid) is not None]
        group = f"{inventory.device}:{inventory.t}"
        changed = self._lying.read(antenna, places, known, inventory.t, group)
        for uid in changed:
            spot = self._lying.spots[uid]
            self._lost_sight_of(spot, antenna, inventory.t)
            if any(spot.told not in self._lying.places[a] for a in spot.here):
                self._moving.add(uid)
            elif spot.here:
                self._moving.discard(uid)

    def _lost_sight_of(self, spot: Spot, antenna: AntennaKey, t: float) -> None:
        """A chip that was read nowhere for a while may have been at the bank: it need not come from where it was told."""
        seen = spot.here.get(antenna)
        if spot.told is None or seen is None or seen.since != t or len(spot.here) > 1:
            self._came_back.pop(spot.uid, None)
        elif spot.told not in self._lying.places[antenna]:
            gone = max(spot.away.values(), default=t)
            if t - gone > _FORGOTTEN:
                self._once[spot.uid] = spot.told
                spot.told = None
        elif spot.told.startswith("stack") and self._lying.away_since(spot, spot.told) > NEVER:
            self._came_back[spot.uid] = t

    def hand_started(self) -> None:
        """A new hand: what lies before a player already is put in now, all else lies where it is read."""
        for uid, spot in self._lying.spots.items():
            if self._at_home(spot):
                continue
            place = self._place(spot)
            if place is None:
                spot.told = None
            elif place.startswith("bet"):
                # posted before the hand was started
                spot.told = f"stack{place[3:]}"
                self._moving.add(uid)
            else:
                self._settle(spot, place)
        self._restarted = False
        self._came_back.clear()
        self._once.clear()

    def restarted(self, events: Iterable[TableEvent]) -> None:
        """The program starts again inside a hand: what was told is known, where each chip lies is read anew."""
        self.ledger.restore(events)
        self._restarted = True

    def _find_again(self, now: float) -> None:
        """Of the chips read after a restart, as many lie at their places already as were told before.

        They must have been read there for longer than a neighbour's antenna reads them by mistake.
        """
        settled = now - self._timing.chip_cycle - MARGIN
        unknown: dict[str, list[Spot]] = {}
        for uid in sorted(self._moving):
            spot = self._lying.spots[uid]
            place, seen = self._lies(spot, now)
            if spot.told is None and place is not None and seen is not None and seen.since <= settled:
                unknown.setdefault(place, []).append(spot)
        for place, spots in unknown.items():
            told = self.ledger.lies(place)
            room = inf if told is None else told - self._value(self._lying.told_at(place))
            for spot in sorted(spots, key=lambda s: (-(self._tags.chip(s.uid) or 0), s.uid)):
                value = self._tags.chip(spot.uid) or 0
                if value <= room:
                    room -= value
                    self._settle(spot, place)

    # -- where it lies -----------------------------------------------------------------------------------

    def moving_for(self, seat: int) -> bool:
        """Whether chips of this seat are on their way to a bet."""
        for uid in self._moving:
            spot = self._lying.spots[uid]
            place = self._place(spot)
            if place == f"bet{seat}" or (place == "pot" and spot.told == f"stack{seat}"):
                return True
        return False

    def _missing(self, now: float) -> tuple[DoubtAt, ...]:
        """Where chips were read last that are read nowhere, while less lies there than was put there by all that was told."""
        if self._restarted or now - self._looked < self._timing.chip_cycle:
            return self._lacking
        self._looked = now
        gone = {spot.uid: spot.told for spot in self._lying.spots.values() if self._gone(spot, now)}
        found: list[DoubtAt] = []
        lost: dict[str, str] = {}
        for place in sorted({place for place in gone.values() if place is not None}):
            told = self.ledger.lies(place)
            there = self._lying.told_at(place)
            # one that is missed for a moment lies there: it says nothing of one that is gone
            held = (spot for spot in there if spot.uid not in gone and (not spot.here or self._at_home(spot)))
            if told is not None and self._value(held) < told:
                found.append(DoubtAt(place, "chips_missing"))
                lost |= {spot.uid: place for spot in there if spot.uid in gone}
        self._lost = lost
        self._lacking = tuple(found)
        return self._lacking

    def _gone(self, spot: Spot, now: float) -> bool:
        """Whether a chip is not read where it was told; one that was missed must be read there steadily to be back.

        A chip under metal is read once in a while: people would see the hint come and go.
        """
        if spot.told is None:
            return False
        missed = self._lost.get(spot.uid) == spot.told
        if not spot.here:
            return missed or now - self._lying.away_since(spot, spot.told) >= LOST
        seen = self._lying.at(spot, spot.told)
        return missed and seen is not None and now - seen.since < _STEADY

    def _motions(self, now: float) -> list[Motion]:
        """Chips on their way, one motion for each place that they came to (and stack, for the pot)."""
        found: dict[tuple[str, str], Motion] = {}
        for uid in sorted(self._moving):
            spot = self._lying.spots[uid]
            if self._at_home(spot):
                # read in both places: a neighbour's antenna
                continue
            place, seen = self._lies(spot, now)
            if place is None or seen is None or place == spot.told:
                if not spot.here:
                    self._moving.discard(uid)
                continue
            if self._strays(spot, place, now - seen.since):
                continue
            origin = self._origin(spot, place)
            key = (place, origin if place == "pot" and origin.startswith("stack") else "")
            motion = found.get(key)
            if motion is None:
                motion = found[key] = Motion(place, first=seen.since, group=seen.group)
            motion.spots.append(spot)
            motion.origins.add(origin)
            motion.first = min(motion.first, seen.since)
            motion.last = max(motion.last, seen.since)
        return sorted(found.values(), key=lambda motion: (motion.last, motion.to))

    def _strays(self, spot: Spot, place: str, since: float) -> bool:
        """Whether a bet's chip is read before another player, as a neighbour's antenna may: it must stay there."""
        own = spot.told or ""
        moved = own.startswith("bet") and place.startswith("bet")
        return moved and not (spot.here and self._stays(since))

    def _origin(self, spot: Spot, place: str) -> str:
        """Where a chip came from; a stack's chip goes to its own bet, anything else has been at the bank."""
        told = spot.told or ""
        if not told.startswith("stack") or place == f"bet{told[5:]}":
            return told
        return told if place == "pot" and not self._covers(f"bet{told[5:]}") else ""

    def _value(self, spots: Iterable[Spot]) -> int:
        return sum(self._tags.chip(spot.uid) or 0 for spot in spots)

    def _at_home(self, spot: Spot) -> bool:
        """Whether a chip is read where it was told."""
        return spot.told is not None and self._lying.at(spot, spot.told) is not None

    def _lies(self, spot: Spot, now: float) -> tuple[str | None, Seen | None]:
        """Where a chip lies by what is read now, or was a moment ago, and since when.

        Read at two new places it lies before its own player, or nobody can tell yet.
        """
        blinked = self._lying.rests(spot, now)
        here = list(spot.here.items()) or ([blinked] if blinked is not None else [])
        found: list[tuple[str | None, Seen | None]] = []
        for antenna, seen in here:
            at = self._lying.places[antenna]
            found.append((spot.told if spot.told in at else at[0], seen))
        elsewhere = [lies for lies in found if lies[0] != spot.told] or found
        if len(elsewhere) > 1:
            own = f"bet{(spot.told or '')[5:]}"
            elsewhere = [lies for lies in elsewhere if lies[0] == own] or [(None, None)]
        return elsewhere[0] if elsewhere else (None, None)

    def _place(self, spot: Spot) -> str | None:
        """Where a chip is read now, a place other than where it was told first."""
        return self._lies(spot, inf)[0]

    def _stays(self, quiet: float) -> bool:
        """Whether chips have lain somewhere longer than a neighbour's antenna shows them by mistake."""
        return quiet >= self._timing.chip_cycle + self._timing.rest

    # -- what became of it -------------------------------------------------------------------------------

    def _offer(self, motion: Motion, events: Sequence[TableEvent]) -> Offer:
        chips = tuple((spot.uid, motion.to) for spot in motion.spots)
        return Offer(tuple(events), "antenna", motion.to, chips=chips, since=motion.first)

    def _settle(self, spot: Spot, place: str) -> None:
        spot.told = place
        if spot.here and not self._at_home(spot):
            self._moving.add(spot.uid)  # it was there unseen, and has gone on
        else:
            self._moving.discard(spot.uid)

    def _settle_all(self, motion: Motion) -> None:
        for spot in motion.spots:
            self._settle(spot, motion.to)
        if len(self._fresh) > 400:
            del self._fresh[:200]

    def _is_change(self, motion: Motion, total: int, *, partly: bool = False) -> bool:
        """Take chips that replace others of the same place, worth the same: change was made at the bank.

        With ``partly`` less will do: the rest of the change has gone on already.
        """
        gone = [
            spot
            for spot in self._lying.told_at(motion.to)
            if not spot.here and abs(self._lying.away_since(spot, motion.to) - motion.first) < FRESH
        ]
        if not gone or any(o.startswith("stack") for o in motion.origins):
            return False
        missing = self._value(gone)
        if total != missing and not (partly and total < missing):
            return False
        if total == missing:
            for spot in gone:
                spot.told = None
        self._settle_all(motion)
        return True
