"""Blinds, antes and straddles: who posts what when a hand starts.

Sources: ROPTA heads-up, ROPTA antes, ROPTA all-in, PPC 8.1–8.4, TDA 32, 34-B, RP-11, PN round 1.
"""

import msgspec

from engine.events import HandStarted
from engine.judging import Court
from engine.rulebook import Unknown
from engine.state import HandState, Incident, Seat


def post(d: HandState, event: HandStarted, court: Court) -> None:
    """Post antes, blinds and straddles of a hand that was laid out; set what the round costs.

    A player who has less posts what he has. The price is the full big blind even when the big
    blind is short (term ``short_big_blind_price``).
    """
    d.small_blind_seat, d.big_blind_seat = places(d, event)
    d.raises = 1
    if d.betting != "amounts":
        d.pot = None
        d.price = 1
        posted = d.straddles[-1].seat if d.straddles else d.big_blind_seat
        for number, seat in d.seats.items():
            seat.acted_at = 1 if number == posted else 0
        return
    smallest = max(d.smallest_chip, 1)
    kind = d.ante.kind
    before = kind == "big_blind" and court.book.term("big_blind_ante_first") == "ante"
    if kind == "classic":
        _classic_antes(d, court)
    elif kind == "button" and d.button in d.seats:
        _table_ante(d, d.seats[d.button])
    elif before and d.big_blind_seat is not None:
        _table_ante(d, d.seats[d.big_blind_seat])
    if d.small_blind_seat is not None:
        _bet(d.seats[d.small_blind_seat], d.small_blind)
    d.price = d.big_blind
    d.last_raise = max(d.big_blind, smallest)
    if d.big_blind_seat is not None:
        _big_blind(d, d.seats[d.big_blind_seat], court)
    if kind == "big_blind" and not before and d.big_blind_seat is not None:
        _table_ante(d, d.seats[d.big_blind_seat])
    for straddle in d.straddles:
        _bet(d.seats[straddle.seat], straddle.amount)
        if straddle.amount > d.price:
            d.price = d.last_raise = straddle.amount
    for seat in d.seats.values():
        if seat.stack == 0:
            seat.all_in = True


def places(d: HandState, event: HandStarted) -> tuple[int | None, int | None]:
    """Tell who posts the small and the big blind; None for a dead small blind.

    Left of the button sits the small blind, then the big blind; heads-up the small blind is on
    the button (ROPTA heads-up, TDA 34-B).
    """
    order = d.order
    if not order:
        return None, None
    given = event.small_blind_seat
    small: int | None
    if isinstance(given, msgspec.UnsetType):
        if len(order) == 1:
            small = None
        elif len(order) == 2 and d.button in d.seats:
            small = d.button
        else:
            small = order[0]
        if small is not None and small == event.big_blind_seat:
            small = None
    else:
        small = given
    big = event.big_blind_seat
    if big is None:
        first = order.index(small) + 1 if small is not None else 0
        big = order[first % len(order)]
    return small, big


def _bet(seat: Seat, amount: int) -> None:
    """Put a blind in front of the player, or what he has."""
    if seat.stack is not None:
        amount = min(amount, seat.stack)
        seat.stack -= amount
    seat.bet += amount
    seat.paid += amount


def _big_blind(d: HandState, seat: Seat, court: Court) -> None:
    _bet(seat, d.big_blind)
    if seat.bet >= d.big_blind or court.book.term("short_big_blind_price") != "posted":
        short = seat.bet < d.big_blind
    else:
        d.price = max((other.bet for other in d.seats.values()), default=0)
        short = True
    if short and court.book.candidates("short_blind"):
        court.judge(
            d, Incident("short_blind", seat=seat.seat, facts={"all_in": True, "big_blind_short": True})
        )


def _classic_antes(d: HandState, court: Court) -> None:
    """Everybody antes; the short player puts in what he has (ROPTA antes) or is out (PPC 8.4)."""
    amount = d.ante.amount
    out = court.book.candidates("ante_eliminated")
    for number in d.order:
        seat = d.seats[number]
        paid = amount if seat.stack is None else min(amount, seat.stack)
        if seat.stack is not None:
            seat.stack -= paid
            if out and seat.stack == 0 and amount:
                incident = Incident("ante_eliminated", seat=number, facts={"all_in": True})
                row = court.look_up(d, incident)
                # A book that lets him play for the ante has nothing to rule on.
                if isinstance(row, Unknown) or row.ruling != ("play_on",):
                    court.judge(d, incident)
        if seat.dead and seat.stack == 0:
            d.dead_money += paid
        else:
            seat.paid += paid
        d.pot = (d.pot or 0) + paid


def _table_ante(d: HandState, seat: Seat) -> None:
    """One player pays the ante for the table: dead money of the main pot."""
    amount = d.ante.amount
    if seat.stack is not None:
        amount = min(amount, seat.stack)
        seat.stack -= amount
    d.dead_money += amount
    d.pot = (d.pot or 0) + amount
