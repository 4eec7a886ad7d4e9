"""What the player to act may do, and what the clock gives him."""

from typing import Final

from engine.betting import round
from engine.rulebook import Rulebook
from engine.rulings import Order
from engine.state import HandState

_WAIT: Final = Order("wait", for_="betting")


def legal(d: HandState, book: Rulebook) -> Order:
    """Give the ``act`` order of the player to act.

    ``call`` is what he has to add; ``min`` and ``max`` are totals ("raise to"), null where he
    may not bet or raise other than all-in. Folding where he could check is not offered
    (ROPTA 9.22). Without amounts there are no numbers.
    """
    number = d.to_act
    if number is None:
        return _WAIT
    if d.betting == "rounds":
        return Order("wait", for_="round_closed")
    seat = d.seats[number]
    if d.betting == "words":
        return _in_words(d, number, book)
    price = round.call_price(d, seat)
    bet = seat.bet
    need = price - bet
    most = round.reach(seat)
    least: int | None = None
    highest: int | None = None
    if most > price and round.may_raise(d, seat, book):
        least = round.minimum(d, book)
        highest = most if d.limit == "no_limit" else round.maximum(d, seat, book)
        all_in = highest >= most
        if least > highest:
            least = highest = None
    else:
        all_in = need > 0 and most <= price
    if need > 0:
        options = _FACING[least is not None, all_in]
        call: int | None = min(need, most - bet)
    elif d.price:
        options = _OPTION[least is not None, all_in]
        call = None
    else:
        options = _OPENING[least is not None, all_in]
        call = None
    return Order("act", seat=number, options=options, call=call, min=least, max=highest)


_FACING: Final = {
    (True, True): ("fold", "call", "raise", "all_in"),
    (True, False): ("fold", "call", "raise"),
    (False, True): ("fold", "call", "all_in"),
    (False, False): ("fold", "call"),
}
_OPTION: Final = {
    (True, True): ("check", "raise", "all_in"),
    (True, False): ("check", "raise"),
    (False, True): ("check", "all_in"),
    (False, False): ("check",),
}
_OPENING: Final = {
    (True, True): ("check", "bet", "all_in"),
    (True, False): ("check", "bet"),
    (False, True): ("check", "all_in"),
    (False, False): ("check",),
}


def _in_words(d: HandState, number: int, book: Rulebook) -> Order:
    seat = d.seats[number]
    open_to_him = round.may_raise(d, seat, book)
    key = (open_to_him, open_to_him)
    if round.facing(d, seat):
        options = _FACING[open_to_him, True]
    elif d.price:
        options = _OPTION[key]
    else:
        options = _OPENING[key]
    return Order("act", seat=number, options=options)


def clock(d: HandState, number: int, book: Rulebook) -> Order:
    """Give the clock on a player: the time to decide, the count aloud included.

    Sources: PPC 11.6, ROPTA time, TDA 29.
    """
    seconds = 0
    for name in ("clock_seconds", "clock_countdown_seconds"):
        value = book.term(name)
        if isinstance(value, int):
            seconds += value
    return Order("clock", seat=number, seconds=seconds)


def to_gather(d: HandState) -> bool:
    """Whether the round is over and its bets still lie in front of the players."""
    return d.to_act is None and d.betting == "amounts" and any(s.bet for s in d.seats.values())
