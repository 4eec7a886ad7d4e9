"""Where an act comes in: in turn, out of turn, as a second motion, or read by the director."""

from engine import showdown
from engine.betting import acts, early, round, words
from engine.events import Acted
from engine.judging import Court
from engine.state import FloorCall, HandState, Seat


def acted(d: HandState, event: Acted, court: Court) -> None:
    """Take what a player said or put forward.

    In turn it is read as an action. From the player who acted last it is a second motion; from
    anybody else it is out of turn. Folded and dead hands have nothing to say.
    """
    seat = d.seats.get(event.seat)
    if seat is None or seat.folded or seat.dead:
        return
    if d.phase == "showdown":
        if event.said == "fold":
            showdown.mucked(d, event.seat, court)
        return
    if d.betting == "rounds":
        words.in_rounds(d, seat, event)
    elif event.seat != d.to_act:
        early.not_in_turn(d, seat, event, court)
    elif event.conditional:
        acts.conditional(d, seat, event, court)
    else:
        acts.play(d, seat, event, court)
    if event.group != d.act_group:
        d.act_group = event.group
    early.resume(d, court)


def decided(d: HandState, choice: str, call: FloorCall, court: Court) -> None:
    """The director reads an act that waited for him.

    ``action_refused`` drops it; ``action_bound`` lets it count as it lies, also out of turn;
    ``play_on`` (and free text) lets an act in turn count as it lies.
    """
    seat = d.seats.get(call.seat) if call.seat is not None else None
    if seat is None:
        return
    event = seat.parked
    seat.parked = None
    if choice == "action_refused":
        seat.early = None
        return
    if choice == "action_bound" and seat.early is not None:
        seat.early_as = ""
    elif event is not None and d.to_act == seat.seat and seat.live:
        _as_it_lies(d, seat, event, court)
    early.resume(d, court)


def _as_it_lies(d: HandState, seat: Seat, event: Acted, court: Court) -> None:
    """Count what was said or put in, whether or not the book would have it so."""
    if event.said == "fold":
        round.fold(d, seat, event)
        return
    if d.betting != "amounts":
        reading = "call" if event.said in ("call", "check", None) else "minimum_raise"
        words.carry_out(d, seat, event, reading, "")
        return
    price = round.call_price(d, seat)
    if event.said == "check":
        total = seat.bet
    elif event.said == "call":
        total = price
    elif event.said == "all_in" and seat.stack is not None:
        total = round.reach(seat)
    elif event.amount is not None:
        total = event.amount
    elif event.chips:
        total = acts.put_forward(seat, event)
    else:
        total = round.minimum(d, court.book)
    acts.settle(d, seat, event, court, min(max(total, seat.bet), round.reach(seat)))
