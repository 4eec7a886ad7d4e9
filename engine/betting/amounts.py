"""Amounts spoken in short: "five" at blinds of 200 and 400 is 500, or 5,000 when the pot is that large.

Sources: ROPTA amount, TDA 57. What was said is read only where it cannot be meant as it stands.
"""

from typing import Final

from engine.betting import round
from engine.events import Acted
from engine.rulebook import Rulebook
from engine.state import HandState, Seat

TENTH: Final = 10
THOUSAND: Final = 1000
HUNDRED: Final = 100


def readings(d: HandState, seat: Seat, event: Acted, book: Rulebook) -> tuple[int, ...]:
    """Give the totals that an amount spoken in short may stand for, the least first.

    Short is an amount below the least that the player may make it and either below a tenth of the
    big blind or not payable with the chips in play: an ordinary small bet, the small blind or
    half of a raise is neither. It stands for tens, hundreds, thousands … of itself, and "mille
    cinq" for 1,500, as far as the player may bet, raise or (not with the word "raise") call that.
    """
    said = event.amount
    if d.betting != "amounts" or not said or event.said not in (None, "bet", "raise"):
        return ()
    chip = max(d.smallest_chip, 1)
    least = round.minimum(d, book)
    if said >= least or said == round.reach(seat):
        return ()
    call = round.call_price(d, seat)
    if said == call > seat.bet:
        return ()
    thousands, rest = divmod(said, THOUSAND)
    if thousands and 0 < rest < TENTH and said % chip:
        meant = [thousands * THOUSAND + rest * HUNDRED]
    elif said < d.big_blind and (said % chip or said * TENTH < d.big_blind):
        meant = _tens(said, round.reach(seat))
    else:
        return ()
    highest = round.maximum(d, seat, book)
    raises = round.may_raise(d, seat, book)
    calls = event.said != "raise" and call > seat.bet
    return tuple(
        total
        for total in meant
        if total % chip == 0
        and total <= round.reach(seat)
        and ((raises and least <= total <= highest) or (calls and total == call))
    )


def _tens(said: int, most: int) -> list[int]:
    found = []
    said *= TENTH
    while said <= most:
        found.append(said)
        said *= TENTH
    return found


def by_pot(d: HandState, seat: Seat, event: Acted, book: Rulebook) -> int | None:
    """Give the highest reading that is not above the pot, bets in front included; else the least."""
    found = readings(d, seat, event, book)
    if not found:
        return None
    pot = (d.pot or 0) + sum(other.bet for other in d.seats.values())
    return max((total for total in found if total <= pot), default=found[0])


def same(said: int | None, first: int | None) -> bool:
    """Whether an amount says the first one again, in full or in short.

    >>> same(5, 500), same(500, 5), same(None, 500)
    (True, False, True)
    """
    if said is None or said == first:
        return True
    if first is None or said <= 0:
        return False
    while said < first:
        said *= TENTH
    return said == first
