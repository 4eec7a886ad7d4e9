"""Who does what on a table where the players deal: who deals, who cuts, who shuffles the other deck. Pure.

The button deals; the player at his right cuts. While a hand is played the player at the dealer's right shuffles the
other deck: he is not the one who will cut it, since by then the deal has moved on by one (ROPTA shuffle/cut: never one
person for both).
"""

from __future__ import annotations

from msgspec import Struct

from engine import seating
from table_controller.dealer_page.picture import Picture


class Helpers(Struct, frozen=True):
    """Seats: who deals, cuts, and shuffles the other deck; ``turn`` is whose turn it is to deal."""

    turn: int
    deals: int
    cuts: int
    shuffles: int


def _next_turn(picture: Picture, players: list[int]) -> int:
    """Whose turn it will be to deal the next hand."""
    if picture.here.button is not None:
        return picture.here.button
    given = picture.desired.button
    if given is not None:
        return given.button
    last = picture.last
    if last.positions is None:
        return seating.first_positions(picture.settings.button or max(players), players).button
    if last.void:
        return last.positions.button
    return seating.next_positions(last.positions, players).button


def helpers(picture: Picture) -> Helpers | None:
    """Who deals, cuts and shuffles: in the running hand, or in the next one between two.

    None where somebody deals who does not play, or nobody can.
    """
    if not picture.settings.self_dealt or picture.here.croupier:
        return None
    state = picture.state
    running = state.phase not in ("over", "void") and bool(state.hand)
    known = picture.settings.betting == "amounts"
    players = [
        seat.seat
        for seat in picture.desired.seats
        if not known or picture.last.stacks.get(seat.entry, seat.stack)
    ]
    if running:
        players = sorted(state.seats)
    if len(players) < 2:
        return None
    turn = state.button if running else _next_turn(picture, players)
    if turn not in players:
        turn = seating.preceding(turn, players)  # dead button: the player at its right (ROPTA self-deal)
    deals = state.dealer_seat if running else dict(picture.here.deals_for).get(turn, turn)
    if deals is None or deals not in players:
        deals = turn
    right = seating.preceding(deals, [seat for seat in players if seat != deals])
    return Helpers(turn=turn, deals=deals, cuts=right, shuffles=right)


def dealer_of(picture: Picture) -> int | None:
    """The seat that deals; None where no player does."""
    found = helpers(picture)
    return None if found is None else found.deals
