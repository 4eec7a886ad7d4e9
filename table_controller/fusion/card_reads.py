"""Where the cards lie: what the antennas read of their tags, and where the engine was told that each one is.

A card once seen at a seat is held to be there until it is read elsewhere or people say that it went. What was told
wrongly, taken back or undone is forgotten as soon as the card is no longer read there. One read is enough to count a
card, as one was due; which card it is is known after two: a neighbour's antenna may have read it once by mistake.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, seat_place
from firmware_bridge.observations import Inventory
from table_controller.config import Timing
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.lying import NEVER, Lying, Seen, Spot
from table_controller.inventory import CardAccount, HiddenCard, Tags

_EVERY: Final = 52
TWO_READS: Final = 0.6
"""A tag that an antenna has read for longer than one scan cycle was read there twice (seconds)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A tag that is read where the engine does not have it.

    Attributes:
        twice: It is read at another place as well: which of them is right is not known.
    """

    spot: Spot
    places: tuple[str, ...]
    since: float
    group: str
    twice: bool = False


class CardReads:
    """All tags of cards on the table.

    Attributes:
        account: The cards of the deck in play that were read since the shuffle.
        lying: What each antenna reads.
        mucked: Cards of a seat that passed the muck, and when.
        loose: Cards of unknown origin in the muck that nobody has looked at, and since when.
        strangers: Tags that nobody has taught the table: where, and since when.
        blind: Places whose card people say is there though it is not read.
        denied: Places without an antenna of which people deny that a card came there: nothing is inferred there any more.
        stale: Cards left lying since before the hand.
        restarted_at: When the muck was read first after a restart inside this hand.
        began_anew: The program started again inside this hand.
    """

    def __init__(self, tags: Tags, coverage: Coverage, timing: Timing) -> None:
        self.account = CardAccount()
        self.lying = Lying()
        self.mucked: dict[str, Seen] = {}
        self.loose: list[tuple[str, float]] = []
        self.strangers: dict[str, tuple[str, float]] = {}
        self.blind: set[str] = set()
        self.denied: set[str] = set()
        self.stale: set[str] = set()
        self.restarted_at: float | None = None
        self.began_anew = False
        self.timing = timing
        self._tags = tags
        self._coverage = coverage
        self._moving: set[str] = set()
        self._restarting = False
        self._state: HandState | None = None
        self._now = 0.0
        self._beyond: set[str] = set()  # told at a place where the engine has fewer cards than were told

    # -- what is read ------------------------------------------------------------------------------------

    def read(self, inventory: Inventory, places: tuple[str, ...]) -> None:
        """Take what one card antenna reads."""
        antenna = (inventory.device, inventory.antenna)
        group = f"{inventory.device}:{inventory.cycle}"
        self._now = max(self._now, inventory.t)
        known: list[str] = []
        strange: set[str] = set()
        for uid in inventory.uids:
            if self._tags.card(uid) is not None:
                known.append(uid)
            elif self._tags.chip(uid) is None:
                strange.add(uid)
        if self._restarting and "muck" in places:
            self._restarting, self.restarted_at = False, inventory.t
        for uid in self.lying.read(antenna, places, known, inventory.t, group):
            self._note(uid, places, inventory.t, group)
        for uid in strange:
            self.strangers.setdefault(uid, (places[0], inventory.t))
        gone = [u for u, (place, _) in self.strangers.items() if place == places[0] and u not in strange]
        for uid in gone:
            del self.strangers[uid]

    def _note(self, uid: str, places: tuple[str, ...], t: float, group: str) -> None:
        """Keep whether the tag may have moved, and whether it passed the muck."""
        spot = self.lying.spots[uid]
        if any(spot.told not in self.lying.places[antenna] for antenna in spot.here):
            self._moving.add(uid)
        elif spot.told is None or self.lying.at(spot, spot.told) is not None or uid not in self.mucked:
            self._moving.discard(uid)
        if spot.told in SEAT_PLACES:
            if "muck" in places and self.lying.at(spot, "muck") is not None:
                self.mucked[uid] = Seen(t, group)
                self._moving.add(uid)
            elif self.lying.at(spot, spot.told) is not None:
                self.mucked.pop(uid, None)

    def hand_started(self) -> None:
        """A new deal: every card counts as in the deck; what still lies somewhere is left over."""
        self.account.shuffled()
        self._moving.clear()
        self.mucked.clear()
        self.loose.clear()
        self._restarting, self.restarted_at = False, None
        self.began_anew = False
        self.blind.clear()
        self.denied.clear()
        self.stale.clear()
        self._beyond.clear()
        for uid, spot in self.lying.spots.items():
            spot.told = None
            spot.stayed.clear()
            if spot.here:
                self._moving.add(uid)
            if any("deck" not in self.lying.places[antenna] for antenna in spot.here):
                self.stale.add(uid)

    def restart(self, *, passing: bool) -> None:
        """The program starts again inside a hand; ``passing``: cards lie in the muck that were told before."""
        self._restarting = passing
        self.began_anew = True

    # -- what may be said of it --------------------------------------------------------------------------

    def hand(self, seat: int) -> tuple[HiddenCard, ...]:
        """The cards that lie at a seat, as far as they were read there more than once."""
        place = seat_place(seat)
        spots = [spot for spot in self.lying.told_at(place) if self._proved(spot, place)]
        cards = [self._tags.card(spot.uid) for spot in spots]
        return tuple(card for card in cards if card is not None)

    def _proved(self, spot: Spot, place: str) -> bool:
        """Whether a card was read at a place more than once."""
        return self.lying.stayed(spot, place, self._now) >= TWO_READS

    def readable(self, seat: int, now: float) -> int:
        """How many cards of a seat are read now (a miss of a moment counts as read)."""
        place = seat_place(seat)
        return sum(
            self.lying.unread_for(spot, place, now) <= self.timing.gone_after
            for spot in self.lying.told_at(place)
        )

    def reads(self, place: str) -> int:
        """How many cards of the deck in play the antennas of a place read now."""
        return sum(self.plays(spot) for spot in self._read_at(place))

    def lies(self, name: str) -> frozenset[str]:
        """The places whose antennas read the card of this name of the deck in play now."""
        return frozenset(
            place
            for spot in self.lying.spots.values()
            if spot.here and self.name(spot) == name and self.plays(spot)
            for antenna in spot.here
            for place in self.lying.places[antenna]
        )

    def resting_deck(self, place: str) -> frozenset[str]:
        """The names of cards of the resting deck that are read at a place now; empty where none are."""
        resting = (spot for spot in self._read_at(place) if not self.plays(spot))
        return frozenset(name for spot in resting if (name := self.name(spot)) is not None)

    def owner_on_reader(self, place: str, seat: int) -> bool:
        """Whether a card that belongs to a seat lies on the antenna of a place now (for `find`)."""
        return any(self.lying.at(spot, place) is not None for spot in self.lying.told_at(seat_place(seat)))

    def _read_at(self, place: str) -> Iterable[Spot]:
        return (spot for spot in self.lying.spots.values() if self.lying.at(spot, place) is not None)

    def plays(self, spot: Spot) -> bool:
        """Whether a tag's card may be of the deck in play."""
        card = self._tags.card(spot.uid)
        return card is not None and self.account.plays(card)

    def name(self, spot: Spot) -> str | None:
        """The card of a tag; it may be said of cards that the whole table sees only."""
        card = self._tags.card(spot.uid)
        return card.reveal() if card is not None else None

    def twins(self, one: Spot, other: Spot) -> bool:
        """Whether two tags are taught as one card of one deck."""
        cards = self._tags.card(one.uid), self._tags.card(other.uid)
        return (
            cards[0] is not None
            and cards[1] is not None
            and cards[0].deck == cards[1].deck
            and cards[0].same_as(cards[1])
        )

    def unseen(self, place: str) -> bool:
        """Whether a card at this place cannot be read: no antenna, or people say so."""
        return not self._coverage.covers(place) or place in self.blind

    def left(self, spot: Spot, told: str, now: float) -> bool:
        """Whether a card is no longer read where it lay, and not just for a moment."""
        return self.lying.unread_for(spot, told, now) >= self.timing.moved_after

    @property
    def quiet(self) -> bool:
        """Whether every tag is read where the engine has it, or nowhere."""
        return not (self._moving or self.strangers or self.loose)

    # -- what came where ---------------------------------------------------------------------------------

    def settle(self, spot: Spot, place: str) -> None:
        """The engine has the card there now."""
        spot.told = None if place == "deck" else place
        self._beyond.discard(spot.uid)
        self._moving.discard(spot.uid)
        self.mucked.pop(spot.uid, None)
        card = self._tags.card(spot.uid)
        if card is not None:
            self.account.saw(spot.uid, card)

    def forget_taken_back(self, state: HandState, now: float) -> None:
        """Cards that the engine no longer has where they were told are of the deck again, once they are not read there."""
        self._now = max(self._now, now)
        if state is not self._state:
            self._state = state
            self._beyond = set(self._told_beyond(state))
        for uid in sorted(self._beyond):
            spot = self.lying.spots[uid]
            if spot.told is None:
                self._beyond.discard(uid)
            elif spot.told == "board" and None in state.board and self.lying.at(spot, "board") is not None:
                self._beyond.discard(uid)
                spot.told = None  # it lies there still, or again: the card that nobody has read
                self._moving.add(uid)
            elif self.left(spot, spot.told, now):
                self._beyond.discard(uid)
                spot.told = None
                self.mucked.pop(uid, None)
                if spot.here:
                    self._moving.add(uid)

    def _told_beyond(self, state: HandState) -> Iterable[str]:
        if state.phase in ("over", "void"):
            return
        by_place: dict[str, list[Spot]] = {}
        for spot in self.lying.spots.values():
            if spot.told is not None:
                by_place.setdefault(spot.told, []).append(spot)
        for place, spots in by_place.items():
            seat = SEAT_PLACES.get(place)
            if seat is not None:
                has = len(state.seats[seat].cards) if seat in state.seats else 0
            elif place == "burn":
                has = len(state.burns)
            elif place == "board":
                open_here = {*state.board, *state.surplus}
                spots = [spot for spot in spots if self.name(spot) not in open_here]
                has = 0
            else:
                continue
            if len(spots) > has:
                yield from (spot.uid for spot in spots)

    def arrivals(self, state: HandState, now: float) -> list[Arrival]:
        """Tags that are read where the engine does not have them, the first come first."""
        found: list[Arrival] = []
        for uid in sorted(self._moving):
            spot = self.lying.spots[uid]
            if uid in self.stale:
                gone = max(spot.away.values(), default=NEVER)
                if spot.here or now - gone < self.timing.gone_after:
                    continue
                self.stale.discard(uid)
            if spot.told in SEAT_PLACES and spot.here and not self._proved(spot, spot.told):
                self._misread(spot)
            if spot.told is not None and not self.left(spot, spot.told, now):
                continue
            if self.plays(spot) and not self._twin_lies(spot):
                found += self._arrivals_of(spot, state, now)
        found.sort(key=lambda arrival: (arrival.since, arrival.spot.uid))
        return found

    def _arrivals_of(self, spot: Spot, state: HandState, now: float) -> Iterable[Arrival]:
        first = min(seen.since for seen in spot.here.values()) if spot.here else now
        twice = len({self.lying.places[antenna] for antenna in spot.here}) > 1
        for antenna, seen in list(spot.here.items()):
            places = self.lying.places[antenna]
            if spot.told in places or "deck" in places:
                continue
            if spot.told is None and seen.since - first >= TWO_READS:
                continue  # it lies where it was read before
            if spot.told is not None and now - seen.since < self.timing.moved_after:
                continue
            if spot.told is None and self._of_folded(state, places):
                continue  # a hand that is gone gets no card: a neighbour's is read there
            if spot.told is None and self._known_already(state, spot, places):
                return
            yield Arrival(spot, places, seen.since, seen.group, twice)

    @staticmethod
    def _of_folded(state: HandState, places: tuple[str, ...]) -> bool:
        seats = [state.seats.get(SEAT_PLACES[place]) for place in places if place in SEAT_PLACES]
        return bool(seats) and all(seat is not None and seat.folded for seat in seats)

    def _misread(self, spot: Spot) -> None:
        """A card that was read once where it was told, and is read elsewhere now, never lay there."""
        if self.lying.at(spot, spot.told or "") is None:
            spot.told = None
            self.mucked.pop(spot.uid, None)

    def _twin_lies(self, spot: Spot) -> bool:
        """Whether another tag that is taught as the same card has its place in this hand already: one of them is wrong."""
        return spot.told is None and any(
            other.told is not None and other is not spot and self.twins(spot, other)
            for other in self.lying.spots.values()
        )

    def _known_already(self, state: HandState, spot: Spot, places: tuple[str, ...]) -> bool:
        """Take a tag that the engine has counted before it was read (inferred, or before a restart)."""
        for place in places:
            told = len(self.lying.told_at(place))
            seat = SEAT_PLACES.get(place)
            if seat is not None:
                has = len(state.seats[seat].cards) if seat in state.seats else 0
            elif place == "burn":
                has = len(state.burns)
            elif place == "muck" and "burn" not in places:
                if not self._before_restart(spot):
                    # nobody knows whose it was
                    self.loose.append((spot.uid, min(seen.since for seen in spot.here.values())))
                has = _EVERY
            elif place == "board":
                if self.name(spot) not in state.board:
                    continue
                has = _EVERY
            else:
                continue
            if told < has or (seat is not None and self._makes_room(place)):
                self.settle(spot, place)
                return True
        return False

    def _makes_room(self, place: str) -> bool:
        """Whether a card that was read once at a place, and not since, gives way to one that is read there."""
        for other in self.lying.told_at(place):
            if self.lying.at(other, place) is None and not self._proved(other, place):
                other.told = None
                return True
        return False

    def _before_restart(self, spot: Spot) -> bool:
        """Whether a card lay in the muck when it was read first after a restart: it was told before."""
        began = self.restarted_at
        return began is not None and any(seen.since <= began for seen in spot.here.values())
