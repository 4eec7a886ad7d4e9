"""A dealer who does as he is told: the acts that ``expects`` asks for, one by one."""

from __future__ import annotations

from typing import Any

# Acts that nothing at the table proves: they are shown with the next one.
UNSEEN = frozenset({"announce", "mix", "draw", "find", "button", "count", "clock"})
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def unused(hand: Any, count: int) -> str:
    """Name board cards that the hand has not seen yet."""
    seen = {event.get("card") for event in hand.events}
    return "".join([card for card in DECK if card not in seen][:count])


def obey(hand: Any, book: str) -> list[str]:
    """Do what is expected of the dealer until a player, the floor or an answer is waited for."""
    done: list[str] = []
    for _ in range(30):
        orders = [order for order in hand.run(book).expected[-1] if order.order not in UNSEEN]
        if not orders or orders[0].order in ("act", "wait", "ask", "show", "push_pot", "return_cards"):
            return done
        order = orders[0]
        name = order.order
        if name == "deal":
            hand.card(int(order.to.removeprefix("seat")))
            done.append(f"deal {order.to}")
        elif name == "burn":
            hand.burn()
            done.append("burn")
        elif name == "board":
            hand.board(unused(hand, order.count))
            done.append(f"board {order.count}")
        elif name == "move":
            hand.move(order.from_, order.to, order.card, order.face)
            done.append(f"{order.card or 'card'} {order.from_} to {order.to}")
        elif name == "shuffle":
            hand.add("deck_shuffled")
            done.append("shuffle")
        elif name == "cut":
            hand.add("deck_cut", **({"by_seat": order.by_seat} if order.by_seat else {}))
            done.append("cut")
        elif name == "gather":
            hand.add("chips_moved", from_="bet1", to="pot", amount=1)
        elif name == "muck":
            hand.move(f"seat{order.seat}", "muck").move(f"seat{order.seat}", "muck")
            done.append(f"muck {order.seat}")
        else:
            raise AssertionError(f"nobody can obey {order}")
    raise AssertionError(f"{book} never stops: {done}")


def flop_back(*cards: str) -> list[str]:
    return [f"{card} board to deck" for card in cards]


RESHUFFLED = ["shuffle", "cut"]
TAKEN_BACK = flop_back("Td", "9h", "8c")
