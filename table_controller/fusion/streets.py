"""Burns and board cards as their antennas tell them."""

from __future__ import annotations

from engine import dealing
from engine.events import CardExposed, CardMoved
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import NEXT_STREET
from table_controller.fusion.card_reads import TWO_READS, Arrival, CardReads
from table_controller.fusion.offers import DoubtAt, Offer


class Streets:
    """Burn and board.

    Attributes:
        unsure: The hand is said to be over, and a card that has just come to burn or board was read once only.
    """

    def __init__(self, cards: CardReads) -> None:
        self._cards = cards
        self._timing = cards.timing
        self.unsure = False
        self._ends = False

    def look(self, *, ends: bool) -> None:
        """Notice whether somebody has said that the hand is over."""
        self._ends, self.unsure = ends, False

    def next(
        self,
        state: HandState,
        expects: tuple[Order, ...],
        fresh: list[Arrival],
        now: float,
        doubts: list[DoubtAt],
        *,
        quiet: bool,
    ) -> Offer | None:
        """The next burn or board card.

        Args:
            state: The engine's state.
            expects: What it expects next.
            fresh: Cards from the deck that are read somewhere.
            now: Table time (s).
            doubts: Takes the burn, where its card should be read and is not.
            quiet: No chips of the player to act are on their way.
        """
        burns = [a for a in fresh if "burn" in a.places]
        boards = [a for a in fresh if "board" in a.places]
        if not burns and not boards:
            return None
        expected = _due(state, expects)
        for burn in burns[:1]:
            stayed = self._stayed(burn, now)
            if expected == "burn" or (quiet and stayed and "muck" not in burn.places and not burn.twice):
                return _burned(burn)
            if stayed and "muck" in burn.places:
                self._cards.settle(burn.spot, "muck")
        if not boards:
            return None
        unread = state.board.count(None)
        if unread and len(self._cards.lying.told_at("board")) < len(state.board):
            return self._named(boards[0])
        if expected == "board":
            second = self._second_burn(burns, boards[0])
            if second is None:
                return self._laid(boards[:1])
            # the first card of the street waits for the next read of the burns: what is done differs with the order
            return _burned(second) if now - second.since >= TWO_READS else None
        if expected == "burn":
            if self._cards.unseen("burn") and "burn" not in self._cards.denied:
                self._cards.blind.discard("burn")
                event = CardMoved(card=None, from_="deck", to="burn")
                return Offer((event,), "inferred", "burn")
            if now - boards[0].since >= self._timing.patience:
                doubts.append(DoubtAt("burn", "card_not_read"))
        if not quiet or any(board.twice for board in boards):
            return None
        if not self._stayed(boards[0], now):
            return None
        return self._laid(boards, blind=("burn",) if expected == "burn" else ())

    def _stayed(self, arrival: Arrival, now: float) -> bool:
        """Whether a card that is not due has lain there for long enough to be told."""
        long_enough = TWO_READS if self._ends else self._timing.doubt_after
        stayed = now - arrival.since >= long_enough
        self.unsure = self.unsure or (self._ends and not stayed)
        return stayed

    @staticmethod
    def _second_burn(burns: list[Arrival], board: Arrival) -> Arrival | None:
        """A further burn that lay there before this board card did."""
        return next(
            (
                burn
                for burn in burns
                if burn.since < board.since and "muck" not in burn.places and not burn.twice
            ),
            None,
        )

    def _laid(self, arrivals: list[Arrival], *, blind: tuple[str, ...] = ()) -> Offer:
        events = tuple(
            CardMoved(card=self._cards.name(a.spot), from_="deck", to="board", face="up", group=a.group)
            for a in arrivals
        )
        cards = tuple((a.spot.uid, "board") for a in arrivals)
        return Offer(events, "antenna", "board", cards=cards, blind=blind)

    def _named(self, arrival: Arrival) -> Offer:
        """A board card that lay there unread has a name now."""
        event = CardExposed(card=self._cards.name(arrival.spot), at="board", by="dealer")
        return Offer((event,), "antenna", "board", cards=((arrival.spot.uid, "board"),))


def _burned(arrival: Arrival) -> Offer:
    event = CardMoved(card=None, from_="deck", to="burn", group=arrival.group)
    return Offer((event,), "antenna", "burn", cards=((arrival.spot.uid, "burn"),))


def _due(state: HandState, expects: tuple[Order, ...]) -> str:
    """Whether a burn or a board card is due by the cards alone: bets may still wait to be gathered."""
    shown = next((order.order for order in expects if order.order in ("burn", "board")), "")
    if shown:
        return shown
    if state.plan or state.to_act is not None or state.phase not in NEXT_STREET:
        return ""
    due = dealing.expected(state)
    return due[0].order if due else ""
