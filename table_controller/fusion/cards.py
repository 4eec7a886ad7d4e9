"""Cards on antennas: the deal, burns, board, folds, and cards that moved where nobody expected them.

A card that was on no antenna comes from the deck. Of several cards in one scan cycle, and of cards read late, the
expected order is taken; what does not fit the order waits, so that a late read cannot become an irregularity. A
place without an antenna gets its card when a later one in the order has come, or by a press.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine import dealing
from engine.events import CardExposed, CardMoved, ForeignCard
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import NEXT_STREET, SEAT_PLACES, By, seat_place
from firmware_bridge.observations import Inventory
from table_controller.config import Timing
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.deal import behind, coming, completes
from table_controller.fusion.lying import NEVER, Lying, Seen, Spot
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.inventory import CardAccount, HiddenCard, Tags

_HAND: Final = 2
_FOLLOWS: Final = 1.0
"""A card is on its way from a player to the muck, and read there, for no longer (seconds)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A tag that is read where the engine does not have it."""

    spot: Spot
    places: tuple[str, ...]
    since: float
    group: str


class Cards:
    """All cards on the table, as their tags tell.

    Attributes:
        account: The cards of the deck in play that were read since the shuffle.
        doubts: Places whose card should be read and is not, as of the last `next`.
    """

    def __init__(self, tags: Tags, coverage: Coverage, timing: Timing) -> None:
        self.account = CardAccount()
        self.doubts: tuple[DoubtAt, ...] = ()
        self._tags = tags
        self._coverage = coverage
        self._timing = timing
        self._lying = Lying()
        self._moving: set[str] = set()
        self._mucked: dict[str, Seen] = {}  # cards of a seat that passed the muck, and when
        self._thrown_in: list[tuple[str, float]] = []  # cards of unknown origin in the muck, and when
        self._owed = (
            0,
            NEVER,
        )  # cards of a fold that people told, still on their way to the muck, and since when
        self._stale: set[str] = set()  # left lying since before the hand
        self._blind: set[str] = set()  # places whose card people say is there though it is not read
        self._restarting = False
        self._began_anew = False  # the program started again inside this hand
        self._passed: set[int] = set()  # seats whose cards passed the muck before a restart
        self._restarted_at: float | None = None  # when the muck was read first after a restart
        self._strangers: dict[str, tuple[str, float]] = {}
        self._told_strangers: set[str] = set()

    # -- what is read ------------------------------------------------------------------------------------

    def read(self, inventory: Inventory, places: tuple[str, ...]) -> None:
        """Take what one card antenna reads."""
        antenna = (inventory.device, inventory.antenna)
        group = f"{inventory.device}:{inventory.cycle}"
        known: list[str] = []
        strange: set[str] = set()
        for uid in inventory.uids:
            if self._tags.card(uid) is not None:
                known.append(uid)
            elif self._tags.chip(uid) is None:
                strange.add(uid)
        if self._restarting and "muck" in places:
            self._restarting, self._restarted_at = False, inventory.t
        for uid in self._lying.read(antenna, places, known, inventory.t, group):
            self._note(uid, places, inventory.t, group)
        for uid in strange:
            self._strangers.setdefault(uid, (places[0], inventory.t))
        for uid in [
            u for u, (place, _) in self._strangers.items() if place == places[0] and u not in strange
        ]:
            del self._strangers[uid]

    def _note(self, uid: str, places: tuple[str, ...], t: float, group: str) -> None:
        """Keep whether the tag may have moved, and whether it passed the muck."""
        spot = self._lying.spots[uid]
        if any(spot.told not in self._lying.places[antenna] for antenna in spot.here):
            self._moving.add(uid)
        elif spot.told is None or self._lying.at(spot, spot.told) is not None or uid not in self._mucked:
            self._moving.discard(uid)
        if spot.told in SEAT_PLACES:
            if "muck" in places and self._lying.at(spot, "muck") is not None:
                self._mucked[uid] = Seen(t, group)
                self._moving.add(uid)
            elif self._lying.at(spot, spot.told) is not None:
                self._mucked.pop(uid, None)

    def hand_started(self) -> None:
        """A new deal: every card counts as in the deck; what still lies somewhere is left over."""
        self.account.shuffled()
        self._moving.clear()
        self._mucked.clear()
        self._thrown_in.clear()
        self._owed = (0, NEVER)
        self._restarting, self._restarted_at = False, None
        self._passed.clear()
        self._began_anew = False
        self._blind.clear()
        self._told_strangers.clear()
        self._stale.clear()
        self.doubts = ()
        for uid, spot in self._lying.spots.items():
            spot.told = None
            if spot.here:
                self._moving.add(uid)
            if any("deck" not in self._lying.places[antenna] for antenna in spot.here):
                self._stale.add(uid)

    def restarted(self, state: HandState, passing: frozenset[int]) -> None:
        """The program starts again inside a hand: what lies in the muck at the first reading was told before.

        Args:
            state: The engine's state.
            passing: Seats of which a card had passed the muck, with nothing told of it yet.
        """
        self._restarting = state.muck > 0 or bool(passing)
        self._passed = set(passing)
        self._began_anew = True

    @property
    def passing(self) -> frozenset[int]:
        """Seats of which a card has passed the muck, with nothing told of it yet."""
        told = (self._lying.spots[uid].told for uid in self._mucked)
        return frozenset(SEAT_PLACES[place] for place in told if place in SEAT_PLACES) | self._passed

    # -- what may be said of it --------------------------------------------------------------------------

    def hand(self, seat: int) -> tuple[HiddenCard, ...]:
        """The cards that lie at a seat, as far as they were read."""
        cards = [self._tags.card(spot.uid) for spot in self._lying.told_at(seat_place(seat))]
        return tuple(card for card in cards if card is not None)

    def readable(self, seat: int, now: float) -> int:
        """How many cards of a seat are read now (a miss of a moment counts as read)."""
        place = seat_place(seat)
        return sum(
            self._lying.unread_for(spot, place, now) <= self._timing.gone_after
            for spot in self._lying.told_at(place)
        )

    def reads(self, place: str) -> int:
        """How many cards of the deck in play the antennas of a place read now."""
        return sum(
            1
            for uid, spot in self._lying.spots.items()
            if self._lying.at(spot, place) is not None
            and (card := self._tags.card(uid)) is not None
            and self.account.plays(card)
        )

    def lies(self, name: str) -> frozenset[str]:
        """The places whose antennas read the card of this name of the deck in play now."""
        return frozenset(
            place
            for uid, spot in self._lying.spots.items()
            if spot.here
            and (card := self._tags.card(uid)) is not None
            and card.reveal() == name
            and self.account.plays(card)
            for antenna in spot.here
            for place in self._lying.places[antenna]
        )

    def resting_deck(self, place: str) -> frozenset[str]:
        """The names of cards of the resting deck that are read at a place now; empty where none are."""
        return frozenset(
            card.reveal()
            for uid, spot in self._lying.spots.items()
            if self._lying.at(spot, place) is not None
            and (card := self._tags.card(uid)) is not None
            and not self.account.plays(card)
        )

    def owner_on_reader(self, place: str, seat: int) -> bool:
        """Whether a card that belongs to a seat lies on the antenna of a place now (for `find`)."""
        return any(self._lying.at(spot, place) is not None for spot in self._lying.told_at(seat_place(seat)))

    # -- what happened -----------------------------------------------------------------------------------

    def next(self, state: HandState, expects: tuple[Order, ...], now: float, *, quiet: bool) -> Offer | None:
        """The next act that the cards tell, None when they tell nothing (yet).

        Args:
            state: The engine's state.
            expects: What it expects next.
            now: Table time (s).
            quiet: No chips of the player to act are on their way: an act out of order is not just a late one.
        """
        doubts: list[DoubtAt] = []
        nothing = not (
            self._moving or self._strangers or self._thrown_in or self._passed or self._waits(state)
        )
        if state.phase in ("over", "void") or nothing:
            self.doubts = ()
            return None
        arrivals = self._arrivals(state, now)
        offer = self._sort(state, expects, now, arrivals, doubts, quiet)
        self.doubts = tuple(doubts)
        return offer

    def _waits(self, state: HandState) -> bool:
        return state.phase == "dealing" and bool(self.doubts)

    def _sort(
        self,
        state: HandState,
        expects: tuple[Order, ...],
        now: float,
        arrivals: list[Arrival],
        doubts: list[DoubtAt],
        quiet: bool,
    ) -> Offer | None:
        fresh = [a for a in arrivals if a.spot.told is None]
        cure = self._cure(expects, arrivals)
        if cure is not None:
            return cure
        at_seats = [a for a in fresh if self._seat(a) is not None]
        offer = self._deal(state, at_seats, now, doubts) if at_seats else None
        if offer is None:
            offer = self._street(state, expects, fresh, now, doubts, quiet)
        if offer is None:
            offer = self._fold(state, now, quiet) or self._passed_before(state, now)
        if offer is None:
            offer = self._unseen_fold(state, now) or self._elsewhere(state, arrivals, now)
        return offer or self._stranger(now)

    def _arrivals(self, state: HandState, now: float) -> list[Arrival]:
        """Tags that are read where the engine does not have them, the first come first."""
        found: list[Arrival] = []
        for uid in sorted(self._moving):
            spot = self._lying.spots[uid]
            if uid in self._stale:
                gone = max(spot.away.values(), default=NEVER)
                if spot.here or now - gone < self._timing.gone_after:
                    continue
                self._stale.discard(uid)
            if spot.told is not None and not self._left(spot, spot.told, now):
                continue
            for antenna, seen in spot.here.items():
                places = self._lying.places[antenna]
                if spot.told in places or "deck" in places:
                    continue
                if spot.told is not None and now - seen.since < self._timing.moved_after:
                    continue
                card = self._tags.card(uid)
                if card is None or not self.account.plays(card):
                    continue
                if spot.told is None and self._known_already(state, spot, places):
                    continue
                found.append(Arrival(spot, places, seen.since, seen.group))
        found.sort(key=lambda arrival: (arrival.since, arrival.spot.uid))
        return found

    def _left(self, spot: Spot, told: str, now: float) -> bool:
        """Whether a card is no longer read where it lay, and not just for a moment."""
        return self._lying.unread_for(spot, told, now) >= self._timing.moved_after

    def _known_already(self, state: HandState, spot: Spot, places: tuple[str, ...]) -> bool:
        """Take a tag that the engine has counted before it was read (inferred, or before a restart)."""
        for place in places:
            told = self._lying.told_at(place)
            seat = SEAT_PLACES.get(place)
            if seat is not None:
                engine_has = len(state.seats[seat].cards) if seat in state.seats else 0
            elif place == "burn":
                engine_has = len(state.burns)
            elif place == "muck" and "burn" not in places and self._before_restart(spot):
                engine_has = 52
            elif place == "muck" and "burn" not in places:
                # nobody knows whose it was; for a seat without an antenna it may be a fold
                self._throw_in(spot.uid, min(seen.since for seen in spot.here.values()))
                engine_has = 52
            elif place == "board":
                card = self._tags.card(spot.uid)
                if card is None or card.reveal() not in state.board:
                    continue
                engine_has = 52
            else:
                continue
            if len(told) < engine_has:
                self._settle(spot, place)
                return True
        return False

    def _throw_in(self, uid: str, since: float) -> None:
        """Keep a card of unknown origin in the muck, unless it follows a fold that people have told."""
        owed, told = self._owed
        if owed and since - told <= self._timing.same_act + _FOLLOWS:
            self._owed = (owed - 1, told)
        else:
            self._thrown_in.append((uid, since))

    def folded(self, seat: int, now: float) -> None:
        """People said that this seat folds: cards of unknown origin that came to the muck were his, or are to come."""
        mine = len(self._thrown_in) + len(self._lying.told_at(seat_place(seat)))
        self._thrown_in.clear()
        self._passed.discard(seat)
        self._owed = (max(0, _HAND - mine), now)

    def _before_restart(self, spot: Spot) -> bool:
        """Whether a card lay in the muck when it was read first after a restart: it was told before."""
        began = self._restarted_at
        return began is not None and any(seen.since <= began for seen in spot.here.values())

    def _settle(self, spot: Spot, place: str) -> None:
        spot.told = place
        self._moving.discard(spot.uid)
        self._mucked.pop(spot.uid, None)
        card = self._tags.card(spot.uid)
        if card is not None:
            self.account.saw(spot.uid, card)

    def _seat(self, arrival: Arrival) -> int | None:
        return next((SEAT_PLACES[place] for place in arrival.places if place in SEAT_PLACES), None)

    def _unseen(self, place: str) -> bool:
        """Whether a card at this place cannot be read: no antenna, or people say so."""
        return not self._coverage.covers(place) or place in self._blind

    # -- the deal ----------------------------------------------------------------------------------------

    def _deal(
        self, state: HandState, arrivals: list[Arrival], now: float, doubts: list[DoubtAt]
    ) -> Offer | None:
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
                rest = [one for one in left_out if one != seat and not self._unseen(seat_place(one))]
                if rest and completes(state, seat):
                    return self._last_card(by_seat[seat], seat, rest, now, doubts)
                return self._dealt(by_seat[seat], seat)
        for seat in left_out:
            if self._unseen(seat_place(seat)):
                return self._inferred_deal(seat)
        if order and order[0] in by_seat:
            arrival = by_seat[order[0]]
            if left_out and completes(state, order[0]):
                return self._last_card(arrival, order[0], left_out, now, doubts)
            return self._dealt(arrival, order[0])
        passed: list[int] = []
        for seat in order:
            if seat in by_seat:
                break
            passed.append(seat)
        else:
            return self._surplus(state, by_seat, now)
        lacking = [seat for seat in passed if not self._unseen(seat_place(seat))]
        if not lacking:
            return self._inferred_deal(passed[0])
        lacking += [seat for seat in left_out if seat not in lacking]
        return self._out_of_order(state, by_seat, passed, lacking, now, doubts)

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
        if waited < self._timing.patience:
            return None
        doubts.extend(DoubtAt(seat_place(one), "card_not_read") for one in lacking)
        judged = state.off_deck == 0 or completes(state, seat)
        if state.order[-1] in lacking and state.deal_round == 1 and waited < self._timing.doubt_after:
            return None  # past him a round ends: his first card would be taken for his last
        if not judged:
            return (
                self._inferred_deal(passed[0])
                if passed[0] not in lacking
                else self._dealt(by_seat[seat], seat)
            )
        if passed[0] not in lacking:
            return self._inferred_deal(passed[0])
        if waited < self._timing.doubt_after:
            return None
        return self._dealt(by_seat[seat], seat, alone=True, blind=tuple(seat_place(one) for one in lacking))

    def _last_card(
        self, arrival: Arrival, seat: int, left_out: list[int], now: float, doubts: list[DoubtAt]
    ) -> Offer | None:
        """The card that ends the deal waits while a card that was passed over may still be read."""
        waited = now - arrival.since
        if waited >= self._timing.patience:
            doubts.extend(DoubtAt(seat_place(one), "card_not_read") for one in left_out)
        if waited < self._timing.doubt_after:
            return None
        return self._dealt(arrival, seat, blind=tuple(seat_place(one) for one in left_out))

    def _surplus(self, state: HandState, by_seat: dict[int, Arrival], now: float) -> Offer | None:
        """A card at a seat that has all of its cards: believed only when it stays."""
        for seat, arrival in by_seat.items():
            if now - arrival.since < self._timing.doubt_after:
                continue
            owner = state.seats.get(seat)
            return self._dealt(arrival, seat, alone=owner is None)
        return None

    def _dealt(
        self, arrival: Arrival, seat: int, *, alone: bool = False, blind: tuple[str, ...] = ()
    ) -> Offer:
        place = seat_place(seat)
        event = CardMoved(card=None, from_="deck", to=place, group=None if alone else arrival.group)
        return Offer((event,), "antenna", place, cards=((arrival.spot.uid, place),), blind=blind)

    def _inferred_deal(self, seat: int) -> Offer:
        place = seat_place(seat)
        return Offer((CardMoved(card=None, from_="deck", to=place, by="dealer"),), "inferred", place)

    # -- burns and board ---------------------------------------------------------------------------------

    def _street(
        self,
        state: HandState,
        expects: tuple[Order, ...],
        fresh: list[Arrival],
        now: float,
        doubts: list[DoubtAt],
        quiet: bool,
    ) -> Offer | None:
        burns = [a for a in fresh if "burn" in a.places]
        boards = [a for a in fresh if "board" in a.places]
        if not burns and not boards:
            return None
        expected = _street_due(state, expects)
        for burn in burns[:1]:
            stayed = now - burn.since >= self._timing.doubt_after
            if expected == "burn" or (quiet and stayed and "muck" not in burn.places):
                return self._burned(burn)
            if stayed and "muck" in burn.places:
                self._settle(burn.spot, "muck")
        if not boards:
            return None
        unread = state.board.count(None)
        if unread and len(self._lying.told_at("board")) < len(state.board):
            return self._named(boards[0])
        if expected == "board":
            return self._laid(boards[:1], state)
        if expected == "burn":
            if self._unseen("burn"):
                self._blind.discard("burn")
                event = CardMoved(card=None, from_="deck", to="burn")
                return Offer((event,), "inferred", "burn")
            if now - boards[0].since >= self._timing.patience:
                doubts.append(DoubtAt("burn", "card_not_read"))
        if not quiet or now - boards[0].since < self._timing.doubt_after:
            return None
        return self._laid(boards, state, blind=("burn",) if expected == "burn" else ())

    def _burned(self, arrival: Arrival) -> Offer:
        event = CardMoved(card=None, from_="deck", to="burn", group=arrival.group)
        return Offer((event,), "antenna", "burn", cards=((arrival.spot.uid, "burn"),))

    def _laid(self, arrivals: list[Arrival], state: HandState, *, blind: tuple[str, ...] = ()) -> Offer:
        events = tuple(
            CardMoved(card=self._name(a.spot), from_="deck", to="board", face="up", group=a.group)
            for a in arrivals
        )
        return Offer(
            events, "antenna", "board", cards=tuple((a.spot.uid, "board") for a in arrivals), blind=blind
        )

    def _named(self, arrival: Arrival) -> Offer:
        """A board card that lay there unread has a name now."""
        event = CardExposed(card=self._name(arrival.spot), at="board", by="dealer")
        return Offer((event,), "antenna", "board", cards=((arrival.spot.uid, "board"),))

    def _name(self, spot: Spot) -> str | None:
        card = self._tags.card(spot.uid)
        return card.reveal() if card is not None else None

    # -- folds and other movements -----------------------------------------------------------------------

    def _fold(self, state: HandState, now: float, quiet: bool) -> Offer | None:
        """Both cards of a seat over the muck are a fold; one of them with the other gone from the seat as well."""
        seats: dict[int, list[Spot]] = {}
        for uid in self._mucked:
            spot = self._lying.spots[uid]
            if spot.told in SEAT_PLACES and self._left(spot, spot.told, now):
                seats.setdefault(SEAT_PLACES[spot.told], []).append(spot)
        for seat, gone in sorted(
            seats.items(), key=lambda item: min(self._mucked[s.uid].since for s in item[1])
        ):
            place = seat_place(seat)
            rest = [spot for spot in self._lying.told_at(place) if spot not in gone]
            first = min(self._mucked[spot.uid].since for spot in gone)
            owner = state.seats.get(seat)
            unread = max(0, (len(owner.cards) if owner else 0) - len(gone) - len(rest))
            whole = all(self._lying.unread_for(spot, place, now) >= self._timing.gone_after for spot in rest)
            if not whole and now - first < self._timing.doubt_after:
                continue
            live = owner is not None and owner.live
            in_turn = state.to_act == seat or not live or state.phase == "showdown"
            if not in_turn and not (quiet and now - first >= self._timing.doubt_after):
                continue
            spots = gone + rest if whole else gone
            return self._thrown(seat, spots, unread if whole else 0, "player" if live else "dealer")
        return None

    def _forgot(self, seat: int, now: float) -> bool:
        """Whether the cards of a seat may have gone while the program was not there to see whose they were."""
        return self._began_anew and not self.readable(seat, now)

    def _passed_before(self, state: HandState, now: float) -> Offer | None:
        """Cards that were passing the muck when the program stopped are not at their seat any more: a fold."""
        for seat in sorted(self._passed):
            place = seat_place(seat)
            if seat not in state.seats or not state.seats[seat].live or self.readable(seat, now):
                self._passed.discard(seat)
                continue
            began = self._restarted_at
            if state.to_act == seat and began is not None and now - began >= self._timing.gone_after:
                self._passed.discard(seat)
                events = tuple(
                    CardMoved(card=None, from_=place, to="muck", by="player", group=f"muck:{began}")
                    for _ in range(_HAND)
                )
                return Offer(events, "antenna", "muck")
        return None

    def _unseen_fold(self, state: HandState, now: float) -> Offer | None:
        """Two cards that nobody had read came to the muck while a seat without an antenna was to act: his."""
        seat = state.to_act
        unknown = seat is not None and (self._unseen(seat_place(seat)) or self._forgot(seat, now))
        if seat is None or not unknown:
            self._thrown_in.clear()
            return None
        if not self._thrown_in:
            return None
        waited = now - self._thrown_in[0][1]
        if len(self._thrown_in) < _HAND and waited < self._timing.doubt_after:
            return None
        place = seat_place(seat)
        events = tuple(
            CardMoved(card=None, from_=place, to="muck", by="player", group=f"muck:{self._thrown_in[0][1]}")
            for _ in range(_HAND)
        )
        cards = tuple((uid, "muck") for uid, _ in self._thrown_in)
        return Offer(events, "antenna", "muck", cards=cards)

    def _thrown(self, seat: int, spots: list[Spot], unread: int, by: By) -> Offer:
        place = seat_place(seat)
        group = next((self._mucked[spot.uid].group for spot in spots if spot.uid in self._mucked), "")
        count = min(max(len(spots) + unread, 1), max(_HAND, len(spots)))
        events = tuple(CardMoved(card=None, from_=place, to="muck", by=by, group=group) for _ in range(count))
        return Offer(events, "antenna", "muck", cards=tuple((spot.uid, "muck") for spot in spots))

    def _cure(self, expects: tuple[Order, ...], arrivals: list[Arrival]) -> Offer | None:
        """The movement that a ruling asked for."""
        order = next((order for order in expects if order.order == "move"), None)
        if order is None or order.to is None:
            return None
        for arrival in arrivals:
            named = self._tags.card(arrival.spot.uid)
            if (arrival.spot.told or "deck") != order.from_ or order.to not in arrival.places:
                continue
            if order.card is not None and named is not None and named.reveal() != order.card:
                continue
            event = CardMoved(card=order.card, from_=order.from_, to=order.to, group=arrival.group)
            return Offer((event,), "antenna", order.to, cards=((arrival.spot.uid, order.to),))
        return None

    def _elsewhere(self, state: HandState, arrivals: list[Arrival], now: float) -> Offer | None:
        """A card that lay at one place is read at another: it moved there."""
        for arrival in arrivals:
            told = arrival.spot.told
            if told is None or ("muck" in arrival.places and told in SEAT_PLACES):
                continue
            if now - arrival.since < self._timing.doubt_after:
                continue
            to = arrival.places[0]
            known = self._name(arrival.spot) if told == "board" else None
            event = CardMoved(card=known, from_=told, to=to, by="unknown", group=arrival.group)
            return Offer((event,), "antenna", to, cards=((arrival.spot.uid, to),))
        return None

    def _stranger(self, now: float) -> Offer | None:
        """A tag that nobody has taught the table lies still on an antenna."""
        for uid, (place, since) in sorted(self._strangers.items()):
            if uid in self._told_strangers or place == "deck" or now - since < self._timing.stranger:
                continue
            return Offer((ForeignCard(at=place),), "antenna", place, stranger=uid)
        return None

    # -- what became of it -------------------------------------------------------------------------------

    def accept(self, offer: Offer) -> None:
        """The engine took the act: the tags lie where it has them now."""
        for uid, place in offer.cards:
            self._settle(self._lying.spots[uid], place)
            self._thrown_in = [thrown for thrown in self._thrown_in if thrown[0] != uid]
        if offer.stranger:
            self._told_strangers.add(offer.stranger)

    def deny(self, offer: Offer) -> None:
        """People say that it was not so: what was not read lies there, or the tag where it is read means nothing."""
        if offer.blind:
            self._blind.update(offer.blind)
        else:
            self.accept(offer)

    def confirmed(self, seats: Iterator[int]) -> None:
        """People say that these seats have their card although it is not read."""
        self._blind.update(seat_place(seat) for seat in seats)


def _street_due(state: HandState, expects: tuple[Order, ...]) -> str:
    """Whether a burn or a board card is due by the cards alone: bets may still wait to be gathered."""
    shown = next((order.order for order in expects if order.order in ("burn", "board")), "")
    if shown:
        return shown
    if state.plan or state.to_act is not None or state.phase not in NEXT_STREET:
        return ""
    due = dealing.expected(state)
    return due[0].order if due else ""
