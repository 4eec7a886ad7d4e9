"""Betting without amounts: who checks, calls, raises, folds (``words``), or rounds only.

The price is a count of bets and raises; bets, stacks and pot stay empty.
"""

from engine.betting import round
from engine.events import Acted
from engine.state import HandState, Motion, Seat


def count(d: HandState, seat: Seat, event: Acted, letter: str) -> None:
    """Let a word count as check (k), call (C), bet (B), raise (R) or an all-in of unknown size (A)."""
    raised = letter in "BRA"
    others = tuple(n for n, other in d.seats.items() if raised and other.acted and other is not seat)
    d.motion = Motion(
        seat.seat,
        event,
        seat.bet,
        seat.owed,
        d.price,
        d.last_raise,
        d.raises,
        d.aggressor,
        others,
        seat.acted,
        seat.acted_at,
        seat.barred,
        len(d.acts),
    )
    d.acts += letter
    if raised:
        d.price += 1
        d.raises += 1
        d.aggressor = seat.seat
        for number in others:
            d.seats[number].acted = False
    if letter == "A":
        seat.all_in = True
        # Over a bet it may be a call for less; the first chips of a round are a bet, whatever their number.
        d.unknown_price = d.unknown_price or d.motion.price > 0
    seat.acted = True
    seat.acted_at = d.price
    round.finish(d, seat)


def carry_out(d: HandState, seat: Seat, event: Acted, reading: str, name: str) -> None:
    """Let a word count as the rulebook reads it."""
    if reading in ("call", "as_said", "as_put", "chip_value"):
        count(d, seat, event, "C" if round.facing(d, seat) else "k")
    elif reading == "check":
        count(d, seat, event, "k")
    elif reading == "minimum_raise":
        count(d, seat, event, "R" if d.price else "B")
    elif reading == "all_in":
        count(d, seat, event, "A")
    elif reading == "call_or_fold":
        seat.barred = True
        seat.barred_as = name


def in_rounds(d: HandState, seat: Seat, event: Acted) -> None:
    """Only folds are recorded: in any order, the round closes when somebody says so."""
    if event.said != "fold":
        return
    seat.folded = True
    seat.acts += 1
    d.acts += "f"
    d.last_actor = seat.seat
    if len(d.in_hand()) <= 1:
        d.to_act = None
    elif d.to_act == seat.seat:
        d.to_act = round.next_to_act(d, seat.seat)


def close_round(d: HandState) -> None:
    """The round is over because somebody says so (tables that do not record every act)."""
    if d.betting == "amounts":
        return
    if d.betting == "rounds" and d.to_act is not None:
        # Everybody who could has acted, unseen; before the flop at least one of them put chips in.
        unseen = "k" * len(d.can_bet())
        d.acts += "C" + unseen[1:] if d.street() == "preflop" else unseen
    d.to_act = None
    d.motion = None
    for seat in d.seats.values():
        seat.acted = True
        seat.acted_at = d.price
        seat.early = None
