"""The deal, the burns and the board: what is expected next and how it is kept.

Cards go one at a time, clockwise from the button's left (the small blind; heads-up the big
blind), the button last. Sources: PN deal, LTPQ flow, ROPTA heads-up.
"""

from engine import betting, pots
from engine.events import HandStarted
from engine.judging import Court
from engine.rulings import Order
from engine.state import HandState, Incident, Seat
from engine.vocabulary import MAX_SEAT, NEXT_STREET, STREET_CARDS, seat_place

HOLE_CARDS = 2


def deal_order(button: int, seats: list[int]) -> tuple[int, ...]:
    """Give the seats in the order of the deal, from the button's left.

    >>> deal_order(6, [1, 2, 6])
    (1, 2, 6)
    >>> deal_order(3, [2, 5, 9])
    (5, 9, 2)
    """
    return tuple(sorted(seats, key=lambda seat: (seat - button - 1) % MAX_SEAT))


def begin(d: HandState, event: HandStarted) -> None:
    """Lay out a new hand: seats, order, stakes; a redeal of the same hand keeps its count."""
    again = d.phase == "void" and event.hand == d.hand
    fresh = HandState(
        events=d.events,
        misdeals=d.misdeals if again else 0,
        dealer_misdeals=d.dealer_misdeals,
        phase="dealing",
        hand=event.hand,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        ante=event.ante,
        straddles=event.straddles,
        dealer_seat=event.dealer_seat,
        dealer=event.dealer,
        deck=event.deck,
        limit=event.limit,
        smallest_chip=event.smallest_chip,
        betting=event.betting,
        chips=event.chips,
        rulebook=event.rulebook,
        pot=0 if event.betting == "amounts" else None,
        shuffled_by=d.shuffled_by,
    )
    known = event.betting == "amounts"
    fresh.seats = {
        entry.seat: Seat(
            seat=entry.seat,
            entry=entry.entry,
            start=entry.stack if known else None,
            stack=entry.stack if known else None,
            absent=entry.absent,
        )
        for entry in event.seats
    }
    fresh.order = deal_order(event.button, list(fresh.seats))
    for name in d.__struct_fields__:
        setattr(d, name, getattr(fresh, name))


def next_seat(d: HandState) -> int | None:
    """Tell which seat the next card of the deal goes to, None when the deal is complete."""
    seats, order = d.seats, d.order
    for place in range(d.deal_at + 1, len(order)):
        if seats[order[place]].dealt < d.deal_round:
            return order[place]
    if d.deal_round < HOLE_CARDS:
        for seat in order:
            if seats[seat].dealt < d.deal_round + 1:
                return seat
    if d.replacements:
        return d.replacements[0]
    return None


def serve(d: HandState, seat: int) -> None:
    """Keep that ``seat`` was served one card of the deal (dead or alive)."""
    place = d.order.index(seat)
    served = d.seats[seat]
    if place > d.deal_at:
        skipped = d.order[d.deal_at + 1 : place]
    elif served.dealt < d.deal_round:
        # A seat passed over gets its card after all.
        skipped = ()
        d.passed_over = tuple(s for s in d.passed_over if s != seat)
        served.dealt += 1
        return
    elif d.deal_round < HOLE_CARDS and place < d.deal_at:
        skipped = d.order[d.deal_at + 1 :]
        d.deal_round += 1
        d.passed_over += tuple(s for s in skipped if d.seats[s].dealt < d.deal_round - 1)
        skipped = d.order[:place]
    else:
        served.dealt += 1
        return
    d.passed_over += tuple(s for s in skipped if d.seats[s].dealt < d.deal_round)
    d.deal_at = place
    served.dealt += 1


def served_all(d: HandState) -> bool:
    """Whether the last seat was passed in the last round."""
    last_passed = d.deal_round == HOLE_CARDS and d.deal_at == len(d.order) - 1
    if last_passed:
        return True
    return all(d.seats[seat].dealt >= HOLE_CARDS for seat in d.order)


def finish(d: HandState, court: Court) -> None:
    """The deal is complete: the first betting round opens."""
    if d.phase != "dealing":
        return
    d.phase = d.last_street = "preflop"
    d.boxed = 0
    d.plan += tuple(order for when, order in d.later if when == "deal")
    d.plan += tuple(Order("muck", seat=n) for n in d.order if d.seats[n].absent and d.seats[n].dead)
    d.later = tuple(item for item in d.later if item[0] != "deal")
    betting.open_round(d)


def kill_absent(d: HandState, court: Court, moment: str) -> None:
    """An absent player's hand is dead from the first or the last card, as the book says.

    Sources: PPC 4.2, ROPTA absent, TDA 30.
    """
    if court.book.term("absent_from") != moment:
        return
    for number in d.order:
        seat = d.seats[number]
        if seat.absent and not seat.dead:
            court.judge(d, Incident("absent_dealt_in", seat=number, facts={"absent": True}))
            seat.dead = True


def complete_street(d: HandState) -> None:
    """The coming street lies complete: its betting round opens."""
    coming = d.coming()
    if coming is None:
        return
    pots.gather(d)
    d.street_laid = 0
    d.phase = d.last_street = coming
    d.burned = d.surplus_laid = 0
    following = NEXT_STREET.get(coming)
    d.burn_due = 0 if following in d.no_burn_before else 1
    d.street_acts = len(d.acts)
    betting.open_round(d)


def expected(d: HandState) -> tuple[Order, ...]:
    """Give the next act of deal, burn or board; empty when it is not the dealer's turn."""
    if d.phase == "dealing":
        seat = next_seat(d)
        return (Order("deal", to=seat_place(seat)),) if seat is not None else ()
    coming = d.coming()
    if coming is None or d.to_act is not None or d.phase not in NEXT_STREET:
        return ()
    waiting = tuple(order for when, order in d.later if when == coming)
    if waiting:
        return waiting[:1]
    if d.burned < d.burn_due and not d.street_laid:
        return (Order("burn"),)
    return (Order("board", count=STREET_CARDS[coming] - d.street_laid),)
