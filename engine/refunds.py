"""What rulings do to a player's chips and hand: kill it, give chips back, let him check.

Sources: PPC 5.2, ROPTA protection, TDA 15-B, 29, 65-A.
"""

from engine.betting import round as betting_round
from engine.state import HandState

PLAYED = ("preflop", "flop", "turn", "river")


def contributed(d: HandState, number: int) -> int:
    """What the seat has put in during the hand, antes included."""
    seat = d.seats[number]
    if seat.start is None or seat.stack is None:
        return 0
    return max(seat.start - seat.stack, 0)


def uncalled(d: HandState, number: int) -> int:
    """The part of the seat's bet of this round that nobody has called."""
    bet = d.seats[number].bet
    others = max((seat.bet for n, seat in d.seats.items() if n != number), default=0)
    return max(bet - others, 0)


def refund(d: HandState, number: int, amount: int) -> int:
    """Give chips back to the seat, bets in front first, then from the pot; tell how many."""
    seat = d.seats[number]
    if seat.stack is None or amount <= 0:
        return 0
    from_bet = min(amount, seat.bet)
    seat.bet -= from_bet
    from_pot = min(amount - from_bet, d.pot or 0)
    if from_pot and d.pot is not None:
        d.pot -= from_pot
    given = from_bet + from_pot
    seat.paid = max(seat.paid - given, 0)
    seat.stack += given
    seat.all_in = False
    return given


def kill(d: HandState, number: int) -> bool:
    """The hand is dead; the turn passes on. Tell whether it was alive before."""
    seat = d.seats[number]
    if seat.folded:
        return False
    fresh = not seat.dead or bool(seat.cards)
    seat.dead = True
    seat.early = None
    seat.incomplete = False
    d.replacements = tuple(n for n in d.replacements if n != number)
    if d.phase in PLAYED and d.to_act is not None and (d.to_act == number or len(d.in_hand()) <= 1):
        betting_round.advance(d, number)
    return fresh
