"""Chips that move without being an act, and what rulings do with bets.

Sources: ROPTA 9.17, ROPTA protection, PPC 5.2, TDA 15-B, 29, 65-A.
"""

from engine import pots, showdown
from engine.betting import round
from engine.events import ChipsMoved, Counted, PotTaken
from engine.judging import Court
from engine.state import HandState, Seat
from engine.vocabulary import STREETS


def chips_moved(d: HandState, event: ChipsMoved, court: Court) -> None:
    """Take a movement of chips: it pays what is owed, gathers, gives back or is mere change."""
    origin, target = event.from_, event.to
    if origin.startswith("bet") and target == "pot":
        if d.to_act is None and d.phase != "dealing":
            pots.gather(d)
        return
    if origin == "pot" and target.startswith("stack"):
        number = int(target[5:])
        if any(seat == number for _, seat, _ in d.awards):
            showdown.taken(d, PotTaken(seat=number, amount=event.amount), court)
        return
    if d.chips != "sensed":
        return
    if origin.startswith("stack") and (target.startswith("bet") or target == "pot"):
        seat = d.seats.get(int(origin[5:]))
        if seat is not None and seat.owed > 0:
            seat.owed -= min(seat.owed, event.amount)
    elif target.startswith("stack") and origin.startswith("bet"):
        seat = d.seats.get(int(target[5:]))
        if seat is not None and seat.owed < 0:
            seat.owed += min(-seat.owed, event.amount)


def counted(d: HandState, event: Counted) -> None:
    """A person counted a stack: what he counted is true from now on."""
    seat = d.seats.get(event.seat)
    if seat is None or d.betting != "amounts":
        return
    if seat.stack is not None and seat.start is not None:
        seat.start += event.amount - seat.stack
    elif seat.start is None:
        seat.start = event.amount + seat.paid
    seat.stack = event.amount
    if event.amount:
        seat.all_in = False
    elif seat.bet and d.phase not in ("over", "void"):
        seat.all_in = True


def contributed(d: HandState, number: int) -> int:
    """What a player put in during the hand, antes paid for the table included."""
    seat = d.seats[number]
    if seat.start is not None and seat.stack is not None:
        return max(seat.start - seat.stack, 0)
    return seat.paid


def uncalled(d: HandState, number: int) -> int:
    """What nobody called of a player's bet or raise: all of a bet, a raise less the bet before it."""
    seat = d.seats[number]
    others = max((other.bet for n, other in d.seats.items() if n != number), default=0)
    return max(seat.bet - others, 0)


def refund(d: HandState, number: int, amount: int) -> int:
    """Give chips back to a player from his bet, then from the pot; tell how many there were."""
    seat = d.seats[number]
    if d.betting != "amounts" or amount <= 0:
        return 0
    from_bet = min(amount, seat.bet)
    from_pot = max(min(amount - from_bet, d.pot or 0, contributed(d, number) - from_bet), 0)
    given = from_bet + from_pot
    seat.bet -= from_bet
    paid = min(seat.paid, given)
    seat.paid -= paid
    d.dead_money -= min(given - paid, d.dead_money)
    if from_pot:
        d.pot = (d.pot or 0) - from_pot
    if seat.stack is not None:
        seat.stack += given
    if seat.stack != 0:
        seat.all_in = False
    if d.chips == "sensed":
        seat.owed -= from_bet
    d.motion = None
    d.awards = ()
    return given


def kill(d: HandState, number: int) -> bool:
    """Kill a hand: what it put in stays; the turn goes on. Tell whether there was one to kill."""
    seat = d.seats[number]
    if seat.folded:
        return False
    fresh = not seat.dead or bool(seat.cards)
    seat.dead = True
    seat.early = seat.parked = None
    seat.incomplete = False
    d.replacements = tuple(n for n in d.replacements if n != number)
    d.motion = None
    d.awards = ()
    if d.to_act is not None and d.phase in STREETS:
        # Whoever was to act stays so unless his own hand died or nobody is left to bet against.
        before = d.order[d.order.index(d.to_act) - 1]
        round.advance(d, number if d.to_act == number else before)
    return fresh


def check_for(d: HandState, number: int) -> None:
    """Let a player check by a ruling (his time ran out with nothing to call, TDA 29)."""
    if d.to_act != number:
        return
    seat = d.seats[number]
    seat.acted = True
    seat.acted_at = d.price
    d.acts += "k"
    d.motion = d.returned = None
    round.finish(d, seat)


def set_bet(d: HandState, number: int, total: int) -> None:
    """Let the director's amount be a player's total of the round; his turn is over if it was his."""
    seat = d.seats[number]
    if d.betting != "amounts" or not seat.live or d.phase not in STREETS:
        return
    total = min(total, round.reach(seat))
    price = d.price
    seat.paid = max(seat.paid + total - seat.bet, 0)
    if seat.stack is not None:
        seat.stack -= total - seat.bet
        seat.all_in = seat.stack == 0
    seat.bet = total
    seat.early = seat.parked = None
    d.motion = None
    highest = max((other.bet for other in d.seats.values()), default=0)
    if total > price:
        _raised(d, seat, total)
    elif d.aggressor == number and total < price:
        d.price = max(highest, d.big_blind if d.phase == "preflop" else 0)
    if d.to_act == number:
        seat.acted = True
        seat.acted_at = d.price
        d.acts += "R" if total > price else ("C" if total else "k")
        round.finish(d, seat)
    elif d.to_act is None:
        round.advance(d, number)


def _raised(d: HandState, seat: Seat, total: int) -> None:
    size = total - d.price
    d.price = total
    d.aggressor = seat.seat
    if size >= d.last_raise:
        d.last_raise = size
        d.raises += 1
        for other in d.seats.values():
            if other is not seat:
                other.acted = False
    seat.acted = True
    seat.acted_at = total
