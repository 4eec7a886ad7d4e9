"""From "it is done" to what happened: the events of an act that the page has asked for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from engine.events import (
    CardMoved,
    ChipsMoved,
    DeckCut,
    DeckShuffled,
    HandShown,
    RoundClosed,
    TableEvent,
)
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS, Card, Face, seat_place
from table_controller.fusion.deal import coming

Hand = Callable[[int], tuple[Card | None, ...]]
# Acts that only a player or the floor can do, or that have buttons of their own.
_OTHERS: Final = frozenset({"act", "ask", "wait", "push_pot", "clock"})


def shown_act(expects: Collection[Order]) -> Order | None:
    """The act that the page asks for: the first that is done by hand and has no buttons of its own.

    >>> shown_act((Order("post", seat=2, amount=50), Order("burn"))).order
    'burn'
    """
    return next((order for order in expects if order.order not in _OTHERS and order.order != "post"), None)


def unseen_deal(state: HandState, covered: Collection[str]) -> tuple[int, ...]:
    """The seats of the deal's next cards up to the first one that an antenna will read."""
    seats: list[int] = []
    for seat in coming(state):
        if seat_place(seat) in covered:
            break
        seats.append(seat)
    return tuple(seats)


def done(order: Order, state: HandState, covered: Collection[str], hand: Hand) -> tuple[TableEvent, ...]:
    """What happened when this act was done as shown; empty where no event tells of it.

    Args:
        order: The act.
        state: The engine's state.
        covered: Places whose cards are read by antennas.
        hand: The cards of a seat that shows them now, as far as they are known.
    """
    kind = order.order
    if kind == "deal":
        seats = unseen_deal(state, covered) if state.phase == "dealing" else ()
        places = [seat_place(seat) for seat in seats] or [order.to or "felt"]
        return tuple(CardMoved(card=None, from_="deck", to=place) for place in places)
    if kind == "burn":
        return (CardMoved(card=None, from_="deck", to="burn"),)
    if kind == "board":
        return tuple(
            CardMoved(card=None, from_="deck", to="board", face="up") for _ in range(order.count or 1)
        )
    if kind == "show" and order.seat is not None:
        return _shown(order.seat, state, hand)
    if kind == "gather":
        return tuple(
            ChipsMoved(from_=f"bet{number}", to="pot", amount=seat.bet, seat=number)
            for number, seat in sorted(state.seats.items())
            if seat.bet
        )
    if kind == "move" and order.from_ is not None and order.to is not None:
        face: Face | None = "up" if order.face == "up" else "down" if order.face == "down" else None
        return tuple(
            CardMoved(card=order.card, from_=order.from_, to=order.to, face=face)
            for _ in range(order.count or 1)
        )
    if kind == "shuffle":
        return (DeckShuffled(),)
    if kind == "cut":
        return (DeckCut(by_seat=order.by_seat),)
    return ()


def _shown(seat: int, state: HandState, hand: Hand) -> tuple[TableEvent, ...]:
    """One hand at the showdown; all of them where all are turned up because nobody can bet any more."""
    seats = [seat]
    if state.phase in STREETS:
        seats += [n for n in state.in_hand() if n != seat and not state.seats[n].shown]
    return tuple(HandShown(seat=n, to="table", cards=hand(n)) for n in seats)


def closed(state: HandState) -> tuple[TableEvent, ...]:
    """The betting round is over, where only rounds are recorded."""
    if state.betting == "amounts" or state.to_act is None or state.phase not in STREETS:
        return ()
    return (RoundClosed(),)
