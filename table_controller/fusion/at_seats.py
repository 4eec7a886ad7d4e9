"""Cards that come to seats: the deal in its order, cards read late, cards too many.

Of several cards in one scan cycle, and of cards read late, the expected order is taken; what does not fit the order
waits, so that a late read cannot become an irregularity. A seat without an antenna gets its card when a later one in
the order has come, or by a press.
"""

from __future__ import annotations

from engine.events import CardMoved
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, seat_place
from table_controller.fusion.card_reads import Arrival, CardReads
from table_controller.fusion.deal import behind, coming, completes
from table_controller.fusion.offers import DoubtAt, Offer


class AtSeats:
    """The deal as the antennas of the seats tell it."""

    def __init__(self, cards: CardReads) -> None:
        self._cards = cards
        self._timing = cards.timing

    def next(
        self, state: HandState, arrivals: list[Arrival], now: float, doubts: list[DoubtAt]
    ) -> Offer | None:
        """The next card of the deal, or one too many.

        Args:
            state: The engine's state.
            arrivals: Cards from the deck that are read at seats.
            now: Table time (s).
            doubts: Takes the seats whose card should be read and is not.
        """
        by_seat: dict[int, Arrival] = {}
        for arrival in arrivals:
            for place in arrival.places:
                if place in SEAT_PLACES:
                    by_seat.setdefault(SEAT_PLACES[place], arrival)
        if state.phase != "dealing":
            return self._surplus(state, by_seat, now)
        order = list(coming(state))
        left_out = [seat for seat in state.order if behind(state, seat)]
        for seat in by_seat:
            if behind(state, seat):
                rest = [one for one in left_out if one != seat and not self._unseen(one)]
                if rest and completes(state, seat):
                    return self._last_card(by_seat[seat], seat, rest, now, doubts)
                return _dealt(by_seat[seat], seat)
        for seat in left_out:
            if self._unseen(seat):
                return _inferred(seat)
        if order and order[0] in by_seat:
            arrival = by_seat[order[0]]
            if left_out and completes(state, order[0]):
                return self._last_card(arrival, order[0], left_out, now, doubts)
            return _dealt(arrival, order[0])
        passed: list[int] = []
        for seat in order:
            if seat in by_seat:
                break
            passed.append(seat)
        else:
            return self._surplus(state, by_seat, now)
        lacking = [seat for seat in passed if not self._unseen(seat)]
        if not lacking:
            return _inferred(passed[0])
        lacking += [seat for seat in left_out if seat not in lacking]
        return self._out_of_order(state, by_seat, passed, lacking, now, doubts)

    def _unseen(self, seat: int) -> bool:
        place = seat_place(seat)
        return self._cards.unseen(place) and place not in self._cards.denied

    def _out_of_order(
        self,
        state: HandState,
        by_seat: dict[int, Arrival],
        passed: list[int],
        lacking: list[int],
        now: float,
        doubts: list[DoubtAt],
    ) -> Offer | None:
        """Cards came further on while a seat before them has none that is read: it is late, or was left out."""
        seat = next(seat for seat in coming(state) if seat in by_seat)
        waited = now - min(arrival.since for arrival in by_seat.values())
        if waited < self._timing.patience or by_seat[seat].twice:
            return None
        doubts.extend(DoubtAt(seat_place(one), "card_not_read") for one in lacking)
        judged = state.off_deck == 0 or completes(state, seat)
        if state.order[-1] in lacking and state.deal_round == 1 and waited < self._timing.doubt_after:
            return None  # past him a round ends: his first card would be taken for his last
        if not judged:
            # those whom nobody can see first: a card told after this one would count in its round;
            # but not the last of the deal, with which it is judged
            unseen = next((one for one in passed if one not in lacking and not completes(state, one)), None)
            return _dealt(by_seat[seat], seat) if unseen is None else _inferred(unseen)
        if passed[0] not in lacking:
            return _inferred(passed[0])
        if waited < self._timing.doubt_after:
            return None
        return _dealt(by_seat[seat], seat, alone=True, blind=tuple(seat_place(one) for one in lacking))

    def _last_card(
        self, arrival: Arrival, seat: int, left_out: list[int], now: float, doubts: list[DoubtAt]
    ) -> Offer | None:
        """The card that ends the deal waits while a card that was passed over may still be read."""
        waited = now - arrival.since
        if waited >= self._timing.patience:
            doubts.extend(DoubtAt(seat_place(one), "card_not_read") for one in left_out)
        if waited < self._timing.doubt_after:
            return None
        return _dealt(arrival, seat, blind=tuple(seat_place(one) for one in left_out))

    def _surplus(self, state: HandState, by_seat: dict[int, Arrival], now: float) -> Offer | None:
        """A card at a seat that has all of its cards: believed only when it stays, and is read nowhere else."""
        for seat, arrival in by_seat.items():
            if now - arrival.since < self._timing.doubt_after or arrival.twice:
                continue
            owner = state.seats.get(seat)
            return _dealt(arrival, seat, alone=owner is None)
        return None


def _dealt(arrival: Arrival, seat: int, *, alone: bool = False, blind: tuple[str, ...] = ()) -> Offer:
    place = seat_place(seat)
    event = CardMoved(card=None, from_="deck", to=place, group=None if alone else arrival.group)
    return Offer((event,), "antenna", place, cards=((arrival.spot.uid, place),), blind=blind)


def _inferred(seat: int) -> Offer:
    place = seat_place(seat)
    return Offer((CardMoved(card=None, from_="deck", to=place, by="dealer"),), "inferred", place)
