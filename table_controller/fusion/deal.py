"""The order of the deal as fusion needs it: who comes next, who is behind, which card ends it.

The engine owns the deal (``engine.dealing``); this only looks ahead in its state.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.dealing import HOLE_CARDS
from engine.state import HandState


def coming(state: HandState) -> Iterator[int]:
    """Give the seats that still get a card in this deal, in order, from the engine's position on."""
    if state.phase != "dealing":
        return
    dealt = {number: seat.dealt for number, seat in state.seats.items()}
    at, turn = state.deal_at, state.deal_round
    while turn <= HOLE_CARDS:
        for seat in state.order[at + 1 :]:
            if dealt[seat] < turn:
                dealt[seat] += 1
                yield seat
        at, turn = -1, turn + 1
    yield from state.replacements


def behind(state: HandState, seat: int) -> bool:
    """Whether a seat was passed over and lacks a card that it should have by now."""
    if seat not in state.seats or state.phase != "dealing" or not state.off_deck:
        return False
    passed = state.order.index(seat) <= state.deal_at
    return state.seats[seat].dealt < state.deal_round - (0 if passed else 1)


def completes(state: HandState, seat: int) -> bool:
    """Whether a card to this seat would end the deal, so that it is judged."""
    last = state.order[-1] if state.order else None
    if seat == last and (state.deal_round == HOLE_CARDS or state.deal_at >= len(state.order) - 1):
        return True
    return all(
        other.dealt + (1 if number == seat else 0) >= HOLE_CARDS for number, other in state.seats.items()
    )
