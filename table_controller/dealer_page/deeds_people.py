"""Taps about people: who is away, back, late, new, out, penalised; stacks; who deals on a self-dealt table."""

from __future__ import annotations

import msgspec

from engine import events as ev
from engine.vocabulary import MAX_SEAT
from table_controller import here as h
from table_controller import messages as m
from table_controller.dealer_page.conduct import REASONS
from table_controller.dealer_page.desk import Desk, Outcome, Refused, Wish


def _entry(desk: Desk, seat: int) -> h.SeatWord:
    """What is said of who sits there.

    Raises:
        Refused: Nobody does.
    """
    running = desk.running
    entry = next((one.entry for one in running.effective.seats if one.seat == seat), None)
    word = None if entry is None else h.seat_word(running.here, running.desired, entry)
    if word is None:
        raise Refused("nobody_there")
    return word


def _set(desk: Desk, wish: Wish, word: h.SeatWord) -> None:
    running = desk.running
    running.set_here(h.say(running.here, word), wish.source)


def _presence(desk: Desk, wish: Wish, seat: int, *, present: bool) -> None:
    """Who is in the running hand and goes or comes back is the hand's affair too."""
    state = desk.running.state
    if state.phase not in ("over", "void") and seat in state.seats:
        desk.running.say_all((ev.Presence(seat=seat, present=present),), wish.source)


def absent(desk: Desk, wish: Wish) -> Outcome:
    """He is not at his seat."""
    word = _entry(desk, wish.seat())
    _set(desk, wish, msgspec.structs.replace(word, absent=True))
    _presence(desk, wish, word.seat, present=False)
    desk.ask_hub("absent", word.seat, word.entry)
    return Outcome()


def back(desk: Desk, wish: Wish) -> Outcome:
    """He is at his seat again; who sat down after the first card is not in the running hand."""
    word = _entry(desk, wish.seat())
    _set(desk, wish, msgspec.structs.replace(word, absent=False))
    if not desk.running.begin_again(wish.source):
        _presence(desk, wish, word.seat, present=True)
    desk.ask_hub("present", word.seat, word.entry)
    return Outcome()


def arrived(desk: Desk, wish: Wish) -> Outcome:
    """Somebody has sat down: dealt in from the next hand, or from this one before its first card."""
    running = desk.running
    seat = wish.seat()
    if any(one.seat == seat for one in running.effective.seats):
        raise Refused("seat_taken")
    stack = wish.number("stack")
    if desk.settings.betting == "amounts" and not stack:
        raise Refused("stack")
    word = h.SeatWord(_new_entry(desk, seat), seat, stack)
    _set(desk, wish, word)
    running.begin_again(wish.source)
    desk.ask_hub("seat_arrived", seat, word.entry)
    return Outcome()


def late(desk: Desk, wish: Wish) -> Outcome:
    """He plays but is not there yet: dealt in and absent."""
    running = desk.running
    seat = wish.seat()
    if any(one.seat == seat for one in running.effective.seats):
        return absent(desk, wish)
    stack = wish.number("stack")
    if desk.settings.betting == "amounts" and not stack:
        raise Refused("stack")
    _set(desk, wish, h.SeatWord(_new_entry(desk, seat), seat, stack, absent=True))
    return Outcome()


def _new_entry(desk: Desk, seat: int) -> str:
    """A name for somebody who came to this seat: never one that the table has known before."""
    running = desk.running
    known = {one.entry for one in running.desired.seats} | {word.entry for word in running.here.seats}
    known |= set(running.last.stacks)
    number = 1
    while f"s{seat}-{number}" in known:
        number += 1
    return f"s{seat}-{number}"


def out(desk: Desk, wish: Wish) -> Outcome:
    """He is out of the game, or has left it; from the next hand on."""
    word = _entry(desk, wish.seat())
    _set(desk, wish, msgspec.structs.replace(word, out=True))
    desk.ask_hub("seat_empty", word.seat, word.entry)
    return Outcome()


def departed(desk: Desk, wish: Wish) -> Outcome:
    """Somebody who is moved has left with his chips."""
    return _moved(desk, wish, "seat_departed", "")


def came(desk: Desk, wish: Wish) -> Outcome:
    """Somebody who was moved here has sat down with his chips."""
    return _moved(desk, wish, "seat_arrived", "+")


def _moved(desk: Desk, wish: Wish, kind: str, sign: str) -> Outcome:
    desired, move = desk.running.desired, wish.fields.get("move", "")
    known = desired.moves_in if sign else desired.moves_out
    if not any(each.move == move for each in known) or f"{sign}{move}" in desk.told_moves:
        raise Refused("no_move")
    counted = wish.number("counted")
    if wish.fields.get("counted", "") and counted is None:
        raise Refused("amount")
    desk.told_moves |= {f"{sign}{move}"}
    desk.ask_move(kind, move, wish.seat(), counted)
    return Outcome()


def stack(desk: Desk, wish: Wish) -> Outcome:
    """A stack was counted: what people have counted is true from now on."""
    seat, amount = wish.seat(), wish.number("amount")
    if amount is None:
        raise Refused("amount")
    running = desk.running
    state = running.state
    if seat in state.seats and state.hand:
        running.say_all((ev.Counted(seat=seat, amount=amount, by=wish.by),), wish.source)
    else:
        word = _entry(desk, seat)
        _set(desk, wish, msgspec.structs.replace(word, stack=amount))
    return Outcome()


def penalty(desk: Desk, wish: Wish) -> Outcome:
    """A warning or hands to miss, for a reason with its article."""
    word = _entry(desk, wish.seat())
    reason = wish.fields.get("reason", "")
    article = REASONS.get(reason)
    if article is None:
        raise Refused("reason")
    running = desk.running
    hands = wish.number("hands") or 0
    orbits = wish.number("orbits") or 0
    # Hands of an orbit: players at the table when it is given (rules of all books).
    hands += orbits * len(running.effective.seats)
    if hands > 500:
        raise Refused("amount")
    if hands:
        _set(desk, wish, msgspec.structs.replace(word, penalty=(word.penalty or 0) + hands))
    running.say_all((ev.Conduct(seat=word.seat, reason=reason, article=article, by=wish.by),), wish.source)
    return Outcome()


def pardon(desk: Desk, wish: Wish) -> Outcome:
    """A penalty is lifted."""
    _set(desk, wish, msgspec.structs.replace(_entry(desk, wish.seat()), penalty=None))
    return Outcome()


def deals(desk: Desk, wish: Wish) -> Outcome:
    """X deals in place of Y, or Y deals himself again (self-dealt tables)."""
    running = desk.running
    dealer, turn = wish.seat(), wish.seat("turn")
    others = tuple(pair for pair in running.here.deals_for if pair[0] != turn)
    pairs = others if dealer == turn else (*others, (turn, dealer))
    running.set_here(msgspec.structs.replace(running.here, deals_for=pairs), wish.source)
    running.begin_again(wish.source)
    return Outcome()


def croupier(desk: Desk, wish: Wish) -> Outcome:
    """Somebody who does not play has come to deal, or has gone."""
    running = desk.running
    there = wish.fields.get("there") == "yes"
    running.set_here(msgspec.structs.replace(running.here, croupier=there), wish.source)
    running.begin_again(wish.source)
    return Outcome()


def seats_of(desired: m.Desired) -> dict[int, m.DesiredSeat]:
    """Who sits where, every place of the table by its number."""
    return {seat.seat: seat for seat in desired.seats if 1 <= seat.seat <= MAX_SEAT}
