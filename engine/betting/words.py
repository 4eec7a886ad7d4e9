"""Betting without amounts: who checks, calls, raises, folds (``words``), or rounds only.

The price is a count of bets and raises; bets, stacks and pot stay empty.
"""

from engine.betting import acts, round
from engine.events import Acted
from engine.judging import Court
from engine.state import HandState, Incident, Motion, Seat


def play(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Read a word spoken in turn; chips without a word tell nothing here."""
    said = event.said
    facing = round.facing(d, seat)
    if said == "fold":
        if not facing and court.book.candidates("open_muck"):
            incident = Incident("open_muck", seat=seat.seat, facts={"facing_bet": False, "said": "fold"})
            court.judge(d, incident)
        acts.fold(d, seat, event)
    elif said == "check":
        if facing:
            acts.deviate(d, seat, event, court, "check_facing_bet", put=0)
        else:
            count(d, seat, event, "k")
    elif said == "call":
        if facing:
            count(d, seat, event, "C")
        else:
            acts.deviate(d, seat, event, court, "call_without_bet", put=0)
    elif said == "all_in":
        count(d, seat, event, "A")
    elif said == "pot" and d.limit != "pot_limit":
        acts.deviate(d, seat, event, court, "conditional_word", put=0)
    elif said is not None:
        if round.may_raise(d, seat, court.book):
            count(d, seat, event, "R" if d.price else "B")
        elif acts.only_all_ins(d, seat):
            count(d, seat, event, "C" if facing else "k")
        else:
            acts.deviate(d, seat, event, court, "reopened", put=0)


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
        d.unknown_price = True
    seat.acted = True
    seat.acted_at = d.price
    round.finish(d, seat)


def carry_out(d: HandState, seat: Seat, event: Acted, reading: str) -> None:
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


def in_rounds(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
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
    d.to_act = None
    d.motion = None
    for seat in d.seats.values():
        seat.acted = True
        seat.acted_at = d.price
        seat.early = None
