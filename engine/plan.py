"""The cure at work: acts still to be done, in order, fulfilled by what happens at the table.

Another route to the same physical result is accepted: whoever moves on makes an act that was
still to be done pointless, and it is dropped without a word.
"""

from typing import Final

from engine.events import CardMoved
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS, seat_of

# Acts that nothing at the table tells of: they are shown with the next one and then forgotten.
_UNSEEN: Final = frozenset({"announce", "mix", "draw", "find", "button", "count", "clock", "wait"})
# Acts that need no hand of the dealer's to be proved: later play proves them.
_SOFT: Final = frozenset({*_UNSEEN, "muck", "show", "return_chips", "move"})


def observable(order: Order) -> bool:
    """Whether an event can tell that this act was done."""
    return order.order not in _UNSEEN


def shown(d: HandState) -> tuple[Order, ...]:
    """Give the acts of the cure to show now: up to the first that an event can tell of."""
    for place, order in enumerate(d.plan):
        if observable(order):
            return d.plan[: place + 1]
    return d.plan


def fulfil(d: HandState, event: CardMoved) -> bool:
    """Take a movement as an act of the cure, when it is one; tell whether it was."""
    for place, order in enumerate(d.plan):
        if _same_move(order, event):
            d.plan = _seen(d.plan[:place]) + d.plan[place + 1 :]
            _keep(d, order, event)
            return True
    for place, (_, order) in enumerate(d.later):
        if _same_move(order, event):
            d.later = d.later[:place] + d.later[place + 1 :]
            _keep(d, order, event)
            return True
    return False


def _seen(orders: tuple[Order, ...]) -> tuple[Order, ...]:
    """What is still to be done of acts that stood before one that was done."""
    return tuple(order for order in orders if observable(order))


def _same_move(order: Order, event: CardMoved) -> bool:
    if order.order != "move" or order.from_ not in (event.from_, None):
        return False
    if order.card is not None and event.card is not None and order.card != event.card:
        return False
    # A card meant for the top of the deck, to be burned next, may go to the burns directly.
    return order.to == event.to or (
        order.to == "deck" and event.to == "burn" and event.from_.startswith("seat")
    )


def _keep(d: HandState, order: Order, event: CardMoved) -> None:
    card = event.card or order.card
    if event.to == "deck":
        d.on_top += (card,)
        d.held_out = tuple(held for held in d.held_out if held != card)
    elif order.to == "deck" and event.to == "burn":
        d.burns += (card,)
        d.burned += 1


def done(d: HandState, name: str) -> None:
    """A shuffle or a cut was made: the first of its kind still to be done is done."""
    for place, order in enumerate(d.plan):
        if order.order == name:
            # Who shuffles or cuts has done what stood before it.
            d.plan = d.plan[place + 1 :]
            return
    for place, (_, order) in enumerate(d.later):
        if order.order == name:
            d.later = d.later[:place] + d.later[place + 1 :]
            return


def moved_on(d: HandState, *, board: bool) -> None:
    """The dealer burned or dealt: what was still to be done before is done or pointless.

    What is kept for a street stays to be done when the street comes before its time.
    """
    d.plan = ()
    if board and d.later and d.to_act is None:
        coming = d.coming()
        d.later = tuple(item for item in d.later if item[0] != coming)
        if coming in d.no_burn_before:
            d.held_out = ()


def drop(d: HandState, name: str, to: str | None = None) -> None:
    """Take the first act of this name (and target) out of the plan."""
    for place, order in enumerate(d.plan):
        if order.order == name and (to is None or order.to == to):
            d.plan = d.plan[:place] + d.plan[place + 1 :]
            return


def prune(d: HandState) -> None:
    """No card is owed any more to a hand that is out, nor to any once the board is complete."""
    if not any(order.order == "deal" for order in d.plan):
        return
    played = d.phase == "dealing" or d.phase in STREETS
    d.plan = tuple(order for order in d.plan if order.order != "deal" or (played and _owed(d, order)))


def _owed(d: HandState, order: Order) -> bool:
    number = seat_of(order.to or "")
    return number in d.seats and d.seats[number].live


def drop_soft(d: HandState) -> None:
    """Play goes on: acts that it proves done, or makes pointless, are dropped.

    Cards that came to the board too early lie there whatever players do: they are to be taken back before the next street.
    """
    if d.plan:
        d.plan = tuple(order for order in d.plan if order.order not in _SOFT or order.from_ == "board")
