"""The director's choice: it closes the oldest open call and goes on, whatever it is."""

from typing import Final

from engine import betting, cures
from engine.events import FloorDecided
from engine.incidents import board
from engine.judging import Court
from engine.rulings import Order
from engine.state import FloorCall, HandState, Incident
from engine.vocabulary import STREET_CARDS

PLAYED: Final = ("preflop", "flop", "turn", "river")
_AWAITING: Final = ("mix", "draw", "wait")


def decided(d: HandState, event: FloorDecided, court: Court) -> None:
    """Take the director's choice: a ruling's name is carried out, free text is play on."""
    call = d.calls[0] if d.calls else FloorCall("", None, None, court.event)
    d.calls = d.calls[1:]
    if d.phase not in ("over", "void"):
        _carry_out(d, event, call)
        if d.phase in PLAYED:
            betting.decided(d, event.choice, call, court)
    if (
        event.to_act is not None
        and event.to_act in d.seats
        and d.seats[event.to_act].live
        and d.phase in PLAYED
    ):
        d.to_act = event.to_act
    if d.phase in PLAYED and d.to_act is None:
        board.settle_street(d)


def _carry_out(d: HandState, event: FloorDecided, call: FloorCall) -> None:
    choice = event.choice
    seats = tuple(n for n in event.seats or () if n in d.seats)
    seat = seats[0] if seats else call.seat
    card = event.cards[0] if event.cards else call.card
    at = f"seat{seat}" if seat is not None else None
    incident = Incident(
        call.incident or choice, seat=seat, card=card, at=at, seats=seats, cards=event.cards or ()
    )
    if choice == "burn_assigned":
        _assign_burn(d, event, call, incident)
    elif choice == "amount_corrected":
        for key, amount in (event.amounts or {}).items():
            if key.isdigit() and int(key) in d.seats:
                betting.set_bet(d, int(key), amount)
    elif choice == "bets_returned" and event.amounts:
        _return(d, event.amounts)
    elif choice == "play_on" or choice not in _CHOICES:
        _drop_cure(d)
    else:
        for name in _CHOICES[choice]:
            cures.STEPS[name](d, incident)


# What each ruling does when a director gives it without a row of the book.
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "misdeal": ("void_deal",),
    "hand_void": ("void_deal",),
    "card_replaced": ("replace_at_end", "exposed_on_deck"),
    "burn_skipped": ("no_flop_burn",),
    "card_returned": ("extra_on_deck",),
    "card_kept": (),
    "card_set_aside": ("set_boxed_aside",),
    "card_held_out": ("hold_out",),
    "street_redealt": ("street_redealt",),
    "stub_rebuilt": ("new_stub",),
    "hand_dead": ("kill_hand",),
    "bets_returned": ("street_bets_back",),
    "chips_forfeited": ("forfeit",),
    "pot_split": ("split_pot",),
    "action_bound": (),
    "action_refused": (),
    "penalty_reported": ("penalty_later",),
    "start_refused": ("refuse_deck",),
}


def _drop_cure(d: HandState) -> None:
    """Play on: the acts that only waited for the director are pointless now."""
    d.plan = tuple(order for order in d.plan if order.order not in _AWAITING)
    d.surplus = ()


def _return(d: HandState, amounts: dict[str, int]) -> None:
    for key, amount in amounts.items():
        if key.isdigit() and int(key) in d.seats and betting.refund(d, int(key), amount):
            d.plan += (Order("return_chips", to=f"stack{key}", amount=amount),)


def _assign_burn(d: HandState, event: FloorDecided, call: FloorCall, incident: Incident) -> None:
    """The card drawn (or named) is the burn; the street is completed from the deck if short.

    Drawn from cards mixed face down it may have no name: then it is the card that nobody had seen,
    or, where all had been seen, the street has no names until its cards are turned again.
    """
    awaited = any(order.order == "draw" for order in d.plan)
    d.plan = tuple(order for order in d.plan if order.order not in _AWAITING)
    drawn = event.cards[0] if event.cards else None
    pool = (*d.board, *d.surplus)
    if drawn not in pool and not (awaited and None in pool):
        if drawn is None:
            if not awaited:
                return
            pool = _unnamed(d, pool)
        else:
            d.burns += (drawn,)
            d.burned += 1
            return
    if drawn not in pool and None not in pool:
        # Nothing lies on the board by the record: the card drawn is the burn all the same.
        d.burns += (drawn,)
        d.burned += 1
        return
    place = pool.index(drawn) if drawn in pool else pool.index(None)
    left = (*pool[:place], *pool[place + 1 :])
    street = d.coming() if d.street_laid else d.street()
    if call.incident == "no_burn" and d.surplus:
        # The burn is that of the street that lies there: it was completed by the card added.
        d.board, d.surplus = left, ()
    elif d.surplus or call.incident == "flop_too_many_cards":
        d.board, d.surplus = left, ()
        d.burned = max(d.burned + 1, d.burn_due)
    else:
        d.board = left
        if street in STREET_CARDS:
            cures.reopen(d, street)
            d.street_laid = max(STREET_CARDS[street] - 1, 0)
            d.burned = d.burn_due = 1
    d.burns += (drawn,)
    d.plan += (Order("move", card=drawn, from_="board", to="burn", face="down"),)


def _unnamed(d: HandState, pool: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The street's cards lie face down in an order that nobody knows."""
    street = d.coming() if d.street_laid else d.street()
    mixed = min(len(pool), STREET_CARDS.get(street or "", 0) + len(d.surplus))
    return (*pool[: len(pool) - mixed], *([None] * mixed))
