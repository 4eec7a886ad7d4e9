"""Cards on antennas: the deal, burns, board, folds, and cards that moved where nobody expected them.

A card that was on no antenna comes from the deck. Nothing is concluded from a card that is not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.events import CardMoved, ForeignCard
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, seat_place
from table_controller.config import Timing
from table_controller.fusion.at_seats import AtSeats
from table_controller.fusion.card_reads import Arrival, CardReads
from table_controller.fusion.conflicts import Conflicts
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.mucking import Mucking
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.fusion.streets import Streets
from table_controller.inventory import Tags


class Cards(CardReads):
    """All cards on the table, as their tags tell.

    Attributes:
        doubts: Places whose card should be read and is not, or is read where it cannot be, as of the last `next`.
    """

    def __init__(self, tags: Tags, coverage: Coverage, timing: Timing) -> None:
        super().__init__(tags, coverage, timing)
        self.doubts: tuple[DoubtAt, ...] = ()
        self._seats = AtSeats(self)
        self._streets = Streets(self)
        self._mucking = Mucking(self)
        self._conflicts = Conflicts(self)
        self._told_strangers: set[str] = set()

    def hand_started(self) -> None:
        """A new deal: every card counts as in the deck; what still lies somewhere is left over."""
        super().hand_started()
        self._mucking.hand_started()
        self._told_strangers.clear()
        self.doubts = ()

    def restarted(self, state: HandState, passing: frozenset[int]) -> None:
        """The program starts again inside a hand: what lies in the muck at the first reading was told before.

        Args:
            state: The engine's state.
            passing: Seats of which a card had passed the muck, with nothing told of it yet.
        """
        self.restart(passing=state.muck > 0 or bool(passing))
        self._mucking.restart(passing)

    @property
    def passing(self) -> frozenset[int]:
        """Seats of which a card has passed the muck, with nothing told of it yet."""
        return self._mucking.passing

    # -- what happened -----------------------------------------------------------------------------------

    @property
    def street_unsure(self) -> bool:
        """Whether a card has come to burn or board that was read once: the next read says whether it lies there."""
        return self._streets.unsure

    def next(
        self, state: HandState, expects: tuple[Order, ...], now: float, *, quiet: bool, ends: bool = False
    ) -> Offer | None:
        """The next act that the cards tell, None when they tell nothing (yet).

        Args:
            state: The engine's state.
            expects: What it expects next.
            now: Table time (s).
            quiet: No chips of the player to act are on their way: an act out of order is not just a late one.
            ends: Somebody has said that the hand is over: no card is waited for any more.
        """
        self._streets.look(ends=ends)
        self.forget_taken_back(state, now)
        waits = self._mucking.waits or (state.phase == "dealing" and bool(self.doubts))
        if state.phase in ("over", "void") or (self.quiet and not waits):
            self.doubts = ()
            return None
        doubts: list[DoubtAt] = []
        arrivals = self.arrivals(state, now)
        self._mucking.look()
        offer = self._sort(state, expects, now, arrivals, doubts, quiet=quiet)
        doubts += self._conflicts.now(expects, now)
        self.doubts = tuple(doubts)
        return offer

    def _sort(
        self,
        state: HandState,
        expects: tuple[Order, ...],
        now: float,
        arrivals: list[Arrival],
        doubts: list[DoubtAt],
        *,
        quiet: bool,
    ) -> Offer | None:
        cure = self._cure(expects, arrivals)
        if cure is not None:
            return cure
        fresh = [a for a in arrivals if a.spot.told is None]
        at_seats = [a for a in fresh if any(place in SEAT_PLACES for place in a.places)]
        offer = self._seats.next(state, at_seats, now, doubts) if at_seats else None
        if offer is None:
            offer = self._streets.next(state, expects, fresh, now, doubts, quiet=quiet)
        if offer is None:
            offer = self._mucking.next(state, now, doubts, quiet=quiet)
        return offer or self._elsewhere(arrivals, now) or self._stranger(now)

    def _cure(self, expects: tuple[Order, ...], arrivals: list[Arrival]) -> Offer | None:
        """The movement that a ruling asked for."""
        order = next((order for order in expects if order.order == "move"), None)
        if order is None or order.to is None:
            return None
        for arrival in arrivals:
            if (arrival.spot.told or "deck") != order.from_ or order.to not in arrival.places:
                continue
            if order.card is not None and self.name(arrival.spot) != order.card:
                continue
            event = CardMoved(card=order.card, from_=order.from_, to=order.to, group=arrival.group)
            return Offer((event,), "antenna", order.to, cards=((arrival.spot.uid, order.to),))
        return None

    def _elsewhere(self, arrivals: list[Arrival], now: float) -> Offer | None:
        """A card that lay at one place is read at another, and no more where it lay: it moved there."""
        for arrival in arrivals:
            told = arrival.spot.told
            if told is None or arrival.twice or ("muck" in arrival.places and told in SEAT_PLACES):
                continue
            since = max(arrival.since, self.lying.away_since(arrival.spot, told))
            if now - since < self.timing.doubt_after:
                continue
            to = arrival.places[0]
            known = self.name(arrival.spot) if told == "board" else None
            event = CardMoved(card=known, from_=told, to=to, by="unknown", group=arrival.group)
            return Offer((event,), "antenna", to, cards=((arrival.spot.uid, to),))
        return None

    def _stranger(self, now: float) -> Offer | None:
        """A tag that nobody has taught the table lies still on an antenna."""
        for uid, (place, since) in sorted(self.strangers.items()):
            if uid in self._told_strangers or place == "deck" or now - since < self.timing.stranger:
                continue
            return Offer((ForeignCard(at=place),), "antenna", place, stranger=uid)
        return None

    # -- what became of it -------------------------------------------------------------------------------

    def accept(self, offer: Offer) -> None:
        """The engine took the act: the tags lie where it has them now."""
        for uid, place in offer.cards:
            self.settle(self.lying.spots[uid], place)
        self._mucking.accepted(offer)
        if offer.stranger:
            self._told_strangers.add(offer.stranger)

    def deny(self, offer: Offer) -> None:
        """People say that it was not so: what was not read lies there, or the tag where it is read means nothing."""
        if offer.source == "inferred":
            self.denied.add(offer.place)
        elif offer.blind and not self.denied.intersection(offer.blind):
            self.blind.update(offer.blind)
        else:
            self.accept(offer)

    def folded(self, seat: int, now: float) -> None:
        """People said that this seat folds: cards of unknown origin that came to the muck were his, or are to come."""
        self._mucking.folded(seat, now)

    def others_folded(self, t: float, now: float) -> bool | None:
        """Whether cards of unknown origin came to the muck at about this time (s); None while they may still be read."""
        return self._mucking.others(t, now) if self._coverage.covers("muck") else False

    def others_told(self, now: float) -> None:
        """People are told of the cards of unknown origin in the muck: only further ones count again."""
        self._mucking.others_told(now)

    def gone(self, seat: int, now: float) -> float:
        """For how long the cards of a seat, which were read there, have lain nowhere (s): held in a hand, or thrown in unseen."""
        place = seat_place(seat)
        known = self.lying.told_at(place)
        if not known or seat in self.passing or self.readable(seat, now):
            return 0.0
        return min(self.lying.unread_for(spot, place, now) for spot in known)

    def confirmed(self, seats: Iterator[int]) -> None:
        """People say that these seats have their card although it is not read."""
        self.blind.update(seat_place(seat) for seat in seats)
