"""Pots: what lies in the middle, who can win which part of it, what nobody called.

A pot is a layer of what the players put in during the hand: up to the smallest all-in everybody
contributes, above it only those who have more. Chips of folded and dead hands stay where they
were put. Sources: ROPTA 9.17, ROPTA side pots, PPC 6.9, TDA 21.
"""

from engine.rulings import PotSummary
from engine.state import HandState


def gather(d: HandState) -> None:
    """Move every bet in front of the players into the pot; it is complete for good (ROPTA 9.17)."""
    gathered = 0
    for seat in d.seats.values():
        if seat.bet:
            gathered += seat.bet
            seat.bet = 0
        if seat.owed:
            seat.owed = 0
    d.motion = None
    if gathered and d.pot is not None:
        d.pot += gathered


def return_uncalled(d: HandState) -> None:
    """Give the part of the highest bet that nobody called back to its owner.

    What a folded or dead hand put in counts as called; a dead hand's own surplus stays for the
    rule that killed it.
    """
    top = second = 0
    owner = None
    for seat in d.seats.values():
        paid = seat.paid
        if paid > top:
            top, second, owner = paid, top, seat
        elif paid > second:
            second = paid
    if owner is None or owner.folded or owner.dead:
        return
    surplus = min(top - second, owner.bet)
    if surplus <= 0 or owner.stack is None:
        return
    owner.bet -= surplus
    owner.paid -= surplus
    owner.stack += surplus
    owner.all_in = False
    if d.chips == "sensed":
        owner.owed -= surplus
    d.returned = (owner.seat, surplus)


def layers(d: HandState) -> tuple[PotSummary, ...]:
    """Give the gathered pots, the main pot first; bets still in front of players are left out."""
    whole = d.pot
    if not whole:
        return ()
    live: list[tuple[int, int, bool]] = []
    all_in = False
    highest = 0
    for number in sorted(d.seats):
        seat = d.seats[number]
        if seat.folded or seat.dead:
            continue
        put_in = seat.paid - seat.bet
        live.append((number, put_in, seat.all_in))
        all_in = all_in or seat.all_in
        if put_in > highest:
            highest = put_in
    if not live:
        return (PotSummary(whole, ()),)
    if not all_in:
        return (PotSummary(whole, tuple(number for number, _, _ in live)),)
    levels = sorted({put_in for _, put_in, covered in live if covered and put_in < highest} | {highest})
    contributions = [seat.paid - seat.bet for seat in d.seats.values()]
    pots: list[PotSummary] = []
    below = 0
    left = whole
    for level in levels:
        amount = sum(min(put_in, level) - min(put_in, below) for put_in in contributions)
        if not pots:
            amount += d.dead_money
        seats = tuple(number for number, put_in, covered in live if not covered or put_in >= level)
        if level == highest:
            # Whatever else lies there (a folded hand's surplus) goes to the outermost pot.
            amount = left
        amount = min(amount, left)
        if amount:
            pots.append(PotSummary(amount, seats))
            left -= amount
        below = level
    return tuple(pots)
