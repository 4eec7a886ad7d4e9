"""Folds: cards of a seat that pass the muck. Absence is no fold, and cards of unknown origin are nobody's.

Two cards that come to the muck and were never read before may be of a seat without an antenna: a person says so.
"""

from __future__ import annotations

from typing import Final

from engine.events import CardMoved
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, By, seat_place
from table_controller.fusion.card_reads import CardReads
from table_controller.fusion.lying import NEVER, Spot
from table_controller.fusion.offers import DoubtAt, Offer

_HAND: Final = 2
_FOLLOWS: Final = 1.0
"""A card is on its way from a player to the muck, and read there, for no longer (seconds)."""
_READ_LATE: Final = 0.6
"""A card in the muck is read this much after it came there at the latest, if it is read at all (seconds)."""
_ACT_FIRST: Final = 32.0
"""For so long a fold waits for chips of the same player that are on their way (seconds): as long as a bet waits for a chip."""
_CROSSING: Final = 1.5
"""A card on its way is read by two antennas for no longer than two scan cycles (seconds)."""


class Mucking:
    """Which hands went to the muck."""

    def __init__(self, cards: CardReads) -> None:
        self._cards = cards
        self._timing = cards.timing
        self._thrown_in: list[tuple[str, float]] = []  # cards of unknown origin in the muck, and when
        self._strange: list[float] = []  # when such cards came that no fold told by people explains
        self._rest = (0, NEVER)
        # cards of a fold that people told, still on their way to the muck, and since when
        self._owed = (0, NEVER)
        self._passed: set[int] = set()  # seats whose cards passed the muck before a restart

    def hand_started(self) -> None:
        """A new deal: nobody has folded."""
        self._thrown_in.clear()
        self._strange.clear()
        self._owed = (0, NEVER)
        self._passed.clear()

    def restart(self, passing: frozenset[int]) -> None:
        """The program starts again: of these seats a card had passed the muck, with nothing told of it yet."""
        self._passed = set(passing)

    @property
    def passing(self) -> frozenset[int]:
        """Seats of which a card has passed the muck, with nothing told of it yet."""
        told = (self._cards.lying.spots[uid].told for uid in self._cards.mucked)
        return frozenset(SEAT_PLACES[place] for place in told if place in SEAT_PLACES) | self._passed

    @property
    def waits(self) -> bool:
        """Whether something lies in the muck of which nothing was told."""
        return bool(self._thrown_in or self._passed)

    def look(self) -> None:
        """Take cards of unknown origin in the muck, save those that follow a fold which people have told."""
        for uid, since in self._cards.loose:
            owed, told = self._owed
            if owed and since - told <= self._timing.same_act + _FOLLOWS:
                self._owed = (owed - 1, told)
            else:
                self._thrown_in.append((uid, since))
                left, told = self._rest
                if left and since - told <= _FOLLOWS:
                    self._rest = (left - 1, told)  # the other card of a hand that people were told of
                else:
                    self._strange.append(since)
        self._cards.loose.clear()

    def others(self, t: float, now: float) -> bool | None:
        """Whether cards of unknown origin came to the muck at about this time (s); None while they may still be read."""
        if any(abs(came - t) <= self._timing.same_act for came in self._strange):
            return True
        return None if now - t < _READ_LATE else False

    def others_told(self, now: float) -> None:
        """People are told of these cards: only further ones count again."""
        self._rest = (max(0, _HAND - len(self._strange)), now)
        self._strange.clear()

    def folded(self, seat: int, now: float) -> None:
        """People said that this seat folds: cards of unknown origin that came to the muck were his, or are to come."""
        self._strange.clear()
        mine = len(self._thrown_in) + len(self._cards.lying.told_at(seat_place(seat)))
        self._thrown_in.clear()
        self._passed.discard(seat)
        self._owed = (max(0, _HAND - mine), now)

    def next(self, state: HandState, now: float, doubts: list[DoubtAt], *, quiet: bool) -> Offer | None:
        """The next fold that the muck tells.

        Args:
            state: The engine's state.
            now: Table time (s).
            doubts: Takes the seat that a person must say has folded.
            quiet: No chips of the player to act are on their way: a fold out of turn is not just a late one.
        """
        offer = self._fold(state, now, quiet=quiet) or self._passed_before(state, now)
        return offer or self._nobodys(state, now, doubts)

    def _fold(self, state: HandState, now: float, *, quiet: bool) -> Offer | None:
        """Both cards of a seat over the muck are a fold; one of them with the other gone from the seat as well."""
        lying, mucked = self._cards.lying, self._cards.mucked
        seats: dict[int, list[Spot]] = {}
        for uid in mucked:
            spot = lying.spots[uid]
            if spot.told in SEAT_PLACES and self._went(spot, spot.told, now):
                seats.setdefault(SEAT_PLACES[spot.told], []).append(spot)
        for seat, gone in sorted(seats.items(), key=lambda item: min(mucked[s.uid].since for s in item[1])):
            place = seat_place(seat)
            rest = [spot for spot in lying.told_at(place) if spot not in gone]
            first = min(mucked[spot.uid].since for spot in gone)
            owner = state.seats.get(seat)
            unread = max(0, (len(owner.cards) if owner else 0) - len(gone) - len(rest))
            whole = all(lying.unread_for(spot, place, now) >= self._timing.gone_after for spot in rest)
            if not whole and now - first < self._timing.doubt_after:
                continue
            live = owner is not None and owner.live
            in_turn = state.to_act == seat or not live or state.phase == "showdown"
            if not in_turn and not (quiet and now - first >= self._timing.doubt_after):
                continue
            if state.to_act == seat and not quiet and now - first < _ACT_FIRST:
                continue  # chips of his are on their way: he has bet, others act, and he folds on his next turn
            spots = gone + rest if whole else gone
            return self._thrown(seat, spots, unread if whole else 0, "player" if live else "dealer")
        return None

    def _went(self, spot: Spot, place: str, now: float) -> bool:
        """Whether a card went from its seat to the muck; read by both for long, it must stay away from the seat for long."""
        lying = self._cards.lying
        both = lying.away_since(spot, place) - self._cards.mucked[spot.uid].since
        least = self._timing.moved_after if both <= _CROSSING else self._timing.doubt_after
        return lying.unread_for(spot, place, now) >= least

    def _thrown(self, seat: int, spots: list[Spot], unread: int, by: By) -> Offer:
        mucked = self._cards.mucked
        group = next((mucked[spot.uid].group for spot in spots if spot.uid in mucked), "")
        count = min(max(len(spots) + unread, 1), max(_HAND, len(spots)))
        event = CardMoved(card=None, from_=seat_place(seat), to="muck", by=by, group=group)
        came = min(mucked[spot.uid].since for spot in spots if spot.uid in mucked)
        cards = tuple((spot.uid, "muck") for spot in spots)
        return Offer((event,) * count, "antenna", "muck", cards=cards, since=came)

    def _passed_before(self, state: HandState, now: float) -> Offer | None:
        """Cards that were passing the muck when the program stopped are not at their seat any more: a fold."""
        for seat in sorted(self._passed):
            if seat not in state.seats or not state.seats[seat].live or self._cards.readable(seat, now):
                self._passed.discard(seat)
                continue
            began = self._cards.restarted_at
            if state.to_act == seat and began is not None and now - began >= self._timing.gone_after:
                self._passed.discard(seat)
                return Offer(_both(seat, f"muck:{began}"), "antenna", "muck")
        return None

    def _nobodys(self, state: HandState, now: float, doubts: list[DoubtAt]) -> Offer | None:
        """Cards that nobody had read came to the muck: his, where only he can have thrown them; else people are asked."""
        seat = state.to_act
        if seat is None:
            self._thrown_in.clear()
            return None
        if not self._thrown_in:
            return None
        if self._cards.unseen(seat_place(seat)):
            if now - self._thrown_in[0][1] >= self._timing.patience:
                doubts.append(DoubtAt(seat_place(seat), "fold_not_seen"))
            return None
        if not self._cards.began_anew or self._cards.readable(seat, now):
            self._thrown_in.clear()
            return None
        # they may have gone while the program was not there to see whose they were
        since = self._thrown_in[0][1]
        if len(self._thrown_in) < _HAND and now - since < self._timing.doubt_after:
            return None
        cards = tuple((uid, "muck") for uid, _ in self._thrown_in)
        return Offer(_both(seat, f"muck:{since}"), "antenna", "muck", cards=cards)

    def accepted(self, offer: Offer) -> None:
        """The engine took the act: of these cards something was told."""
        told = {uid for uid, _ in offer.cards}
        if offer.place == "muck" and len(offer.events) > len(told):
            # his other card was never read before: it was among them
            del self._strange[: len(offer.events) - len(told)]
        self._thrown_in = [thrown for thrown in self._thrown_in if thrown[0] not in told]


def _both(seat: int, group: str) -> tuple[CardMoved, ...]:
    event = CardMoved(card=None, from_=seat_place(seat), to="muck", by="player", group=group)
    return (event,) * _HAND
