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
    """The card drawn (or named) is the burn; the street is completed from the deck if short."""
    d.plan = tuple(order for order in d.plan if order.order not in _AWAITING)
    drawn = event.cards[0] if event.cards else None
    if drawn is None:
        return
    pool = (*d.board, *d.surplus)
    if drawn not in pool:
        d.burns += (drawn,)
        d.burned += 1
        return
    street = d.coming() if d.street_laid else d.street()
    if d.surplus or call.incident == "flop_too_many_cards":
        d.board = tuple(card for card in pool if card != drawn)
        d.surplus = ()
        d.burned = max(d.burned + 1, d.burn_due)
    else:
        d.board = tuple(card for card in d.board if card != drawn)
        if street in STREET_CARDS:
            cures.reopen(d, street)
            d.street_laid = max(STREET_CARDS[street] - 1, 0)
            d.burned = d.burn_due = 1
    d.burns += (drawn,)
    d.plan += (Order("move", card=drawn, from_="board", to="burn", face="down"),)
