"""Turns a recorded hand into the table events that it would have made at a live table.

The deal goes card by card, each street has its burn, an all-in hand is turned up before the
rest of the board comes. Cards that the record does not know are drawn by the seed; the engine
never sees them, because every event passes a ``Veil`` first.
"""

from collections.abc import Iterator

from engine.events import (
    Acted,
    CardMoved,
    FloorDecided,
    HandShown,
    HandStarted,
    SeatEntry,
    TableEvent,
    Veil,
)
from engine.vocabulary import By, Said, seat_place
from maldonne.phh import Cards, RecordedAct, RecordedHand, complete


def table_events(hand: RecordedHand, seed: int) -> list[TableEvent]:
    """Give the hand's events up to the showdown, as a table would send them to the engine."""
    if hand.journal:
        return list(hand.journal)
    veil = Veil()
    return [veil.hide(event) for event in Course(hand, complete(hand, seed)).events()]


def hand_started(hand: RecordedHand, absent: frozenset[int]) -> HandStarted:
    """Give the hand's first event; the players in ``absent`` are away and their hands dead."""
    small = hand.small_blind_player
    return HandStarted(
        hand=hand.hand,
        button=hand.button,
        seats=tuple(
            SeatEntry(seat, stack, absent=player in absent)
            for player, (seat, stack) in enumerate(zip(hand.seats, hand.stacks, strict=True))
        ),
        small_blind=hand.small_blind,
        big_blind=hand.big_blind,
        ante=hand.ante,
        small_blind_seat=None if small is None else hand.seats[small],
        big_blind_seat=hand.seats[hand.big_blind_player],
        straddles=hand.straddles,
        limit=hand.limit,
    )


class Course:
    """Walks through one record and keeps the chips, to know a call from a check.

    Chips are followed only as far as the record's own short form needs it; what counts is what
    the engine makes of the events.
    """

    def __init__(self, hand: RecordedHand, cards: Cards) -> None:
        """Post the antes and blinds of ``hand``; ``cards`` has every identity."""
        self.hand = hand
        self.cards = cards
        self.left = list(hand.stacks)
        self.bets = [0] * len(hand.seats)
        self.price = hand.big_blind
        self.out: set[int] = set()
        self.shown: set[int] = set()
        self._board = 0
        self._street = 0
        self._post()
        self.absent = frozenset(self._folds_all_in_from_the_start())

    def _put(self, player: int, amount: int, *, bet: bool) -> None:
        paid = min(amount, self.left[player])
        self.left[player] -= paid
        if bet:
            self.bets[player] += paid

    def _post(self) -> None:
        hand = self.hand
        if hand.ante.kind == "classic":
            for player in range(len(hand.seats)):
                self._put(player, hand.ante.amount, bet=False)
        if hand.small_blind_player is not None:
            self._put(hand.small_blind_player, hand.small_blind, bet=True)
        self._put(hand.big_blind_player, hand.big_blind, bet=True)
        for straddle in hand.straddles:
            self._put(hand.seats.index(straddle.seat), straddle.amount, bet=True)
            self.price = max(self.price, straddle.amount)
        if hand.ante.kind == "big_blind":
            self._put(hand.big_blind_player, hand.ante.amount, bet=False)
        elif hand.ante.kind == "button":
            self._put(len(hand.seats) - 1, hand.ante.amount, bet=False)

    def _folds_all_in_from_the_start(self) -> Iterator[int]:
        """The players whom blind or ante put all-in and who fold all the same: they are away."""
        for player, left in enumerate(self.left):
            acts = [a for a in self.hand.acts if a.player == player and a.kind in ("fold", "call", "raise")]
            if left == 0 and acts and acts[0].kind == "fold":
                yield player

    def events(self) -> Iterator[TableEvent]:
        """Give the events in the order of the table, unveiled."""
        acts = self.hand.acts
        yield hand_started(self.hand, self.absent)
        yield from self._deal()
        for index, act in enumerate(acts):
            if act.kind == "event" and act.event is not None:
                if not any(later.kind == "hole" for later in acts[index:]):
                    yield act.event
            elif act.kind == "board":
                yield from self._lay()
            elif act.kind in ("fold", "call", "raise"):
                yield from self._act(act)
                if not any(later.kind in ("fold", "call", "raise") for later in acts[index + 1 :]):
                    yield from self._all_in_hands()
            elif act.kind == "show" and act.player not in self.shown:
                yield from self._show(act)
            elif act.kind == "muck":
                yield from self._muck(act.player)

    def _move(self, card: str, place: str, *, up: bool = False) -> CardMoved:
        return CardMoved(card=card, from_="deck", to=place, face="up" if up else "down")

    def _deal(self) -> Iterator[TableEvent]:
        """Deal two rounds from the button's left.

        An event that the record puts between two hands comes after the first card of the hand
        before it.
        """
        between: dict[int, list[TableEvent]] = {}
        last = -1
        for index, act in enumerate(self.hand.acts):
            if act.kind == "hole":
                last = act.player
            elif act.kind == "event" and any(later.kind == "hole" for later in self.hand.acts[index:]):
                between.setdefault(last, []).extend([act.event] if act.event is not None else [])
        yield from between.get(-1, ())
        for turn in (0, 1):
            for player, seat in enumerate(self.hand.seats):
                yield self._move(self.cards.hole[player][turn], seat_place(seat))
                if turn == 0:
                    yield from between.get(player, ())

    def _lay(self) -> Iterator[TableEvent]:
        size = 3 if self._street == 0 else 1
        yield self._move(self.cards.burns[self._street], "burn")
        for card in self.cards.board[self._board : self._board + size]:
            yield self._move(card, "board", up=True)
        self._board += size
        self._street += 1
        self.bets = [0] * len(self.bets)
        self.price = 0

    def _act(self, act: RecordedAct) -> Iterator[TableEvent]:
        player, seat = act.player, self.hand.seats[act.player]
        said: Said
        if act.kind == "fold":
            self.out.add(player)
            if player in self.absent:
                return
            if self.left[player] == 0:
                yield FloorDecided(choice="hand_dead", by="record", seats=(seat,))
                return
            yield Acted(seat=seat, said="fold")
            return
        if act.kind == "call":
            said = "call" if self.price > self.bets[player] else "check"
            self._put(player, max(0, self.price - self.bets[player]), bet=True)
            yield Acted(seat=seat, said=said)
            return
        said = "bet" if self.price == 0 else "raise"
        if act.amount - self.bets[player] >= self.left[player]:
            said = "all_in"
        self._put(player, act.amount - self.bets[player], bet=True)
        self.price = max(self.price, self.bets[player])
        yield Acted(seat=seat, said=said, amount=act.amount)

    def _all_in_hands(self) -> Iterator[TableEvent]:
        """Turn the hands up when somebody is all-in and nobody can bet any more (TDA 16)."""
        live = [p for p in range(len(self.left)) if p not in self.out and p not in self.absent]
        can_bet = [player for player in live if self.left[player] > 0]
        if len(live) < 2 or len(can_bet) > 1 or self._street == 3:
            return
        for act in self.hand.acts:
            if act.kind == "show":
                yield from self._show(act)

    def _show(self, act: RecordedAct) -> Iterator[TableEvent]:
        if None in act.cards:
            return
        self.shown.add(act.player)
        yield HandShown(seat=self.hand.seats[act.player], to="table", cards=act.cards)

    def _muck(self, player: int) -> Iterator[TableEvent]:
        """Throw a hand away unseen at the showdown."""
        by: By = "player"
        for card in self.cards.hole[player]:
            yield CardMoved(
                card=card, from_=seat_place(self.hand.seats[player]), to="muck", face="down", by=by
            )
