"""What the table shows its people: the next acts as codes for the panel, two lines of text, a lamp for each seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engine.rulings import ORDERS, Order
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES
from engine.wording import short_order

MOST_ORDERS: Final = 85
WIDTH: Final = 40
_PLACES: Final = {"board": 11, "burn": 12, "muck": 13, "deck": 14, "pot": 15, "aside": 16}
_LARGEST: Final = 2**32 - 1
_WITH_PLACE: Final = {"burn": 12, "board": 11, "gather": 15}
_HAND: Final = 2

Code = tuple[int, int, int]


class Display(Protocol):
    """The devices that people look at: lamps, lines, the list of acts."""

    def set_lamp(self, lamp: int, colour: int | str, *, blink: bool = False) -> None:
        """Show a colour on a lamp."""

    def set_display(self, line: int, text: str) -> None:
        """Show a text on a line."""

    def send_orders(self, orders: Sequence[tuple[int | str, int | str, int]]) -> None:
        """Show the next acts."""


def code_of(order: Order) -> Code:
    """One act as the serial line has it: order, place, argument."""
    place = order.seat or 0
    if order.to is not None:
        place = SEAT_PLACES.get(order.to, _PLACES.get(order.to, place))
        if order.to.startswith(("stack", "bet")):
            place = int(order.to.removeprefix("stack").removeprefix("bet"))
    place = place or _WITH_PLACE.get(order.order, 0) or (order.by_seat or 0)
    if order.order == "act":
        arg = order.call or 0
    else:
        arg = order.count or order.amount or order.seconds or 0
    return ORDERS.index(order.order), place, min(arg, _LARGEST)


def acts(state: HandState, expects: tuple[Order, ...], balance: Callable[[int], int]) -> tuple[Order, ...]:
    """Everything that is to be done now: chips that go back or are still owed, a cure's acts, what the engine expects.

    Args:
        state: The engine's state.
        expects: What the engine expects.
        balance: Chips that a seat has put in beyond what counts (+) or still has to put in (-).
    """
    if expects and expects[0].order in ("ask", "wait") and expects[0].for_ not in ("winners", "round_closed"):
        return expects
    found: list[Order] = []
    betting = state.to_act is not None
    for seat in state.order:
        over = balance(seat)
        if over > 0 and not betting:
            found.append(Order("return_chips", to=f"stack{seat}", seat=seat, amount=over))
        elif over < 0 and state.phase not in ("over", "void"):
            found.append(Order("post", seat=seat, amount=-over))
    sensed = state.chips == "sensed"
    found += [order for order in expects if not (sensed and order.order in ("return_chips", "post"))]
    if expects and expects[0].for_ == "winners" and state.pot is None:
        # no amounts, and no cards that tell: the winner takes the pot, one press says so
        found = [order for order in found if order.order != "wait"]
        found.append(Order("push_pot"))
    return tuple(found[:MOST_ORDERS])


def lines(order: Order | None, lang: str, extra: str = "") -> tuple[str, str]:
    """The two lines of the display: the first act in words, or what stands in the way."""
    if extra:
        return extra[:WIDTH], ""
    if order is None:
        return "", ""
    text = short_order(order, lang, WIDTH)
    return text[0], text[1] if len(text) > 1 else ""


def lamp_of(state: HandState, seat: int, readable: int | None, *, doubt: bool) -> str:
    """The colour of a seat's lamp: off folded or empty, red no card, amber one card or doubt, green all cards."""
    owner = state.seats.get(seat)
    if owner is None or not owner.live or state.phase in ("over", "void") or readable is None:
        return "off"
    if doubt:
        return "amber"
    if readable == 0:
        return "red"
    return "green" if readable >= max(_HAND if state.phase != "dealing" else 1, len(owner.cards)) else "amber"
