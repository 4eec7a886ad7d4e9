"""The betting round itself: whose turn it is, what it costs, the least raise, who may raise.

Nothing here rules on anything. Sources: PPC 6.5–6.7, PN round 1, ROPTA 9.21, ROPTA all-in,
TDA 43-A, 47, 54-B.
"""

from typing import Final

from engine import pots
from engine.events import Acted
from engine.rulebook import Rulebook
from engine.state import HandState, Motion, Seat

NO_LIMIT: Final = 2**53  # what a stack that nobody counted may reach


def unit(d: HandState) -> int:
    """The least opening bet of the street: the big blind, doubled late in fixed limit (PN turn)."""
    base = max(d.big_blind, d.smallest_chip)
    if d.limit == "fixed_limit" and d.street() in ("turn", "river"):
        return 2 * base
    return base


def reach(seat: Seat) -> int:
    """The player's total of the round if he puts everything in."""
    return NO_LIMIT if seat.stack is None else seat.bet + seat.stack


def call_price(d: HandState, seat: Seat) -> int:
    """The total that a call costs: no more than the others can win or lose.

    Facing only players who are all-in, nobody pays for chips that no one has put in.
    """
    top = 0
    for other in d.seats.values():
        if other is not seat and not other.folded and not other.dead:
            if not other.all_in:
                return d.price
            if other.bet > top:
                top = other.bet
    return top if top < d.price else d.price


def facing(d: HandState, seat: Seat) -> bool:
    """Whether there is something to call."""
    if d.betting == "amounts":
        return call_price(d, seat) > seat.bet
    return seat.acted_at < d.price


def next_to_act(d: HandState, after: int | None) -> int | None:
    """The next seat clockwise after ``after`` that has a decision to make, None when all have made it."""
    order, seats, price = d.order, d.seats, d.price
    start = order.index(after) + 1 if after in seats else 0
    found: Seat | None = None
    bettors = 0
    for number in order[start:] + order[:start]:
        seat = seats[number]
        if seat.folded or seat.dead or seat.all_in:
            continue
        bettors += 1
        if found is None and (not seat.acted or seat.acted_at < price):
            found = seat
    if found is None or (bettors == 1 and not facing(d, found)):
        return None
    return found.seat


def minimum(d: HandState, book: Rulebook) -> int:
    """The least total of a bet or raise that is not all-in."""
    base = unit(d)
    if d.raises == 0:
        return base if d.price < base else d.price + d.last_raise
    if d.limit == "fixed_limit":
        return d.price + base
    if book.term("minimum_raise") == "double":
        return 2 * d.price
    return d.price + d.last_raise


def maximum(d: HandState, seat: Seat, book: Rulebook) -> int:
    """The greatest total the player may bet or raise to."""
    most = reach(seat)
    if d.limit == "pot_limit":
        return min(most, pot_total(d, seat))
    if d.limit == "fixed_limit":
        return min(most, minimum(d, book))
    return most


def pot_total(d: HandState, seat: Seat) -> int:
    """A bet of the pot as a total: call, then raise by everything that lies there.

    Short or dead blinds count in full (TDA 54-B).
    """
    lying = d.pot or 0
    for other in d.seats.values():
        lying += other.bet
    if d.street() == "preflop":
        small = d.seats[d.small_blind_seat].paid if d.small_blind_seat in d.seats else 0
        big = d.seats[d.big_blind_seat].paid if d.big_blind_seat in d.seats else 0
        lying += max(d.small_blind - small, 0) + max(d.big_blind - big, 0)
    return max(2 * d.price - seat.bet + lying, unit(d))


def may_raise(d: HandState, seat: Seat, book: Rulebook) -> bool:
    """Whether the betting is open to the player and anybody could answer a raise."""
    if seat.barred or (seat.acted and not _reopened(d, seat, book)):
        return False
    if d.limit == "fixed_limit":
        cap = book.term("raise_cap")
        if isinstance(cap, int) and cap and d.raises >= cap:
            return False
    for other in d.seats.values():
        if other is not seat and not other.folded and not other.dead and not other.all_in:
            return True
    return False


def _reopened(d: HandState, seat: Seat, book: Rulebook) -> bool:
    """Several short all-ins that add up to a full raise reopen under some books (TDA 47)."""
    return book.term("reopening") == "adds_up" and over_full_raise(d, seat)


def over_full_raise(d: HandState, seat: Seat) -> bool:
    """Whether the price went up by a full bet or raise, in one or several steps, since he acted."""
    return seat.acted and d.price - seat.acted_at >= d.last_raise


def adds_up(d: HandState, raiser: Seat) -> bool:
    """Whether short all-ins together make a full raise for anybody who has acted (TDA 47)."""
    return any(
        over_full_raise(d, seat)
        for seat in d.seats.values()
        if seat is not raiser and seat.live and not seat.all_in
    )


def big_blind_short(d: HandState) -> bool:
    """Whether the big blind of this hand could not post in full, while its blinds lie there."""
    blind = d.seats.get(d.big_blind_seat) if d.big_blind_seat is not None else None
    return d.street() == "preflop" and blind is not None and blind.all_in and blind.bet < d.big_blind


def open_round(d: HandState) -> None:
    """Open the betting round of the street that is complete; nobody acts when no bet is possible."""
    if d.phase == "preflop":
        if d.straddles:
            last: int | None = d.straddles[-1].seat
        else:
            last = d.big_blind_seat
    else:
        last = None
        pots.gather(d)
        d.price = d.raises = 0
        d.last_raise = max(d.big_blind, d.smallest_chip)
        d.aggressor = None
        d.unknown_price = False
        words = d.betting != "amounts"
        for seat in d.seats.values():
            seat.acted = seat.barred = False
            seat.acted_at = 0 if words else -1
    d.motion = d.returned = None
    d.skipped_acts = ""
    d.to_act = next_to_act(d, last)
    if d.to_act is None:
        pots.return_uncalled(d)


def commit(d: HandState, seat: Seat, event: Acted, total: int, book: Rulebook) -> bool:
    """Let the player's total of the round be ``total``; the turn is passed by ``finish``.

    Returns:
        Whether the price went up by less than a full bet or raise.
    """
    price = d.price
    added = total - seat.bet
    raised = total > price
    full = raised and total >= minimum(d, book)
    had_acted: tuple[int, ...] = ()
    if full or (raised and not d.raises):
        # Who has only checked may still bet: a short all-in that opens bars nobody (ROPTA all-in).
        had_acted = tuple([n for n, other in d.seats.items() if other.acted and other is not seat])
    d.motion = Motion(
        seat.seat,
        event,
        seat.bet,
        seat.owed,
        price,
        d.last_raise,
        d.raises,
        d.aggressor,
        had_acted,
        seat.acted,
        seat.acted_at,
        seat.barred,
        len(d.acts),
    )
    d.returned = None
    if added:
        seat.bet = total
        seat.paid += added
        if seat.stack is not None:
            seat.stack -= added
            if not seat.stack:
                seat.all_in = True
    if not raised:
        d.acts += "C" if added > 0 else "k"
    else:
        d.acts += "R" if price else "B"
        d.aggressor = seat.seat
        if full:
            d.last_raise = total - price if d.raises else max(total - price, unit(d))
            d.price = total
            d.raises += 1
        else:
            opening = not d.raises and total < unit(d)
            d.price = total
            if opening and book.term("short_open_price") == "big_blind":
                d.price = d.last_raise = unit(d)
                d.raises = 1
        for number in had_acted:
            d.seats[number].acted = False
    seat.acted = True
    seat.acted_at = d.price
    return raised and not full


def leave_in(d: HandState, seat: Seat, total: int) -> None:
    """What the player put forward stays in the pot; it is still his turn, to complete the call or fold."""
    added = total - seat.bet
    seat.bet = total
    seat.paid += added
    if seat.stack is not None:
        seat.stack -= added
    seat.barred = True
    d.motion = d.returned = None


def revert(d: HandState) -> Seat | None:
    """Take the last act of the round back as if it had not been made; None when that is too late."""
    before = d.motion
    if before is None:
        return None
    seat = d.seats[before.seat]
    if d.returned is not None:
        number, amount = d.returned
        owner = d.seats[number]
        owner.bet += amount
        owner.paid += amount
        if owner.stack is not None:
            owner.stack -= amount
            owner.all_in = owner.stack == 0
        if d.chips == "sensed":
            owner.owed += amount
    added = seat.bet - before.bet
    seat.bet = before.bet
    seat.paid -= added
    if seat.stack is not None:
        seat.stack += added
    if seat.stack != 0:
        seat.all_in = False
    seat.owed = before.owed
    seat.acted = before.had_acted
    seat.acted_at = before.acted_at
    seat.barred = before.barred
    seat.acts -= 1
    d.price, d.last_raise, d.raises = before.price, before.last_raise, before.raises
    d.aggressor = before.aggressor
    for number in before.acted:
        d.seats[number].acted = True
    d.acts = d.acts[: before.acts]
    d.to_act = seat.seat
    d.motion = d.returned = None
    return seat


def fold(d: HandState, seat: Seat, event: Acted) -> None:
    """The player gives his hand up."""
    seat.folded = True
    seat.early = seat.parked = None
    if d.chips == "sensed":
        seat.owed -= sum(event.chips or ())
    d.acts += "f"
    d.motion = d.returned = None
    finish(d, seat)


def finish(d: HandState, seat: Seat) -> None:
    """The player has acted: the turn goes on, or the round is over."""
    d.last_actor = seat.seat
    seat.acts += 1
    if seat.barred:
        seat.barred = False
        seat.barred_as = ""
    d.skipped_acts = ""
    advance(d, seat.seat)


def advance(d: HandState, after: int | None) -> None:
    """Find whose turn it is after ``after``; close the round when everybody has acted."""
    aggressor = d.seats.get(d.aggressor) if d.aggressor is not None else None
    if aggressor is not None and aggressor.dead and aggressor.bet < d.price and d.betting == "amounts":
        # His bet went back to him: the others face what was there before it.
        d.price = max(other.bet for other in d.seats.values())
        if d.phase == "preflop":
            d.price = max(d.price, d.big_blind)
    live = 0
    for other in d.seats.values():
        if not other.folded and not other.dead:
            live += 1
            if live > 1:
                d.to_act = next_to_act(d, after)
                break
    else:
        d.to_act = None
    if d.to_act is None:
        pots.return_uncalled(d)
