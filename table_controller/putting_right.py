"""Put right a hand that the table has lost: from what people say of it to the events of a hand that stands so.

People say the street, who is in, the button and, where amounts are recorded, the pot. The hand is laid out again in
the shortest way that leads there; stacks stay as they were last known. What lies open on the board stays open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from engine import dealing, machine
from engine.events import Acted, Ante, CardMoved, HandStarted, RoundClosed, SeatEntry, TableEvent
from engine.rulebook import Rulebook
from engine.seating import Positions
from engine.state import HandState
from engine.vocabulary import STREET_CARDS, STREETS, seat_place

TARGETS: Final = (*STREETS, "showdown")
_BEHIND: Final = 10**12
"""More chips than any pot: stacks while the way is being looked for."""
_STEPS: Final = 600
_TRIES: Final = 4


class CannotBe(Exception):
    """No hand can stand as people say.

    Attributes:
        reason: ``street``, ``players`` (fewer than two in), ``seats`` (somebody who was not dealt in), ``stacks``
            (amounts are recorded but a stack is not known) or ``pot``.
        least: The smallest pot that could be, for ``pot``.
    """

    def __init__(self, reason: str, least: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.least = least


class Layout(Struct, frozen=True):
    """The hand laid out again: how it begins, and what leads to where it stands."""

    event: HandStarted
    positions: Positions
    events: tuple[TableEvent, ...]


def pot_of(state: HandState) -> int | None:
    """All chips that are in the middle or before the players, as the table has them; None where none are kept."""
    if state.pot is None:
        return None
    return state.pot + sum(seat.bet for seat in state.seats.values())


def lay_out(
    base: HandStarted,
    positions: Positions,
    state: HandState,
    book: Rulebook,
    *,
    street: str,
    live: frozenset[int],
    pot: int | None,
) -> Layout:
    """Lay a hand out as people say that it stands.

    Args:
        base: How the hand began, as far as the table knows.
        positions: Button and blinds as they really are.
        state: The hand as the table has it: stacks and open board cards are taken from it.
        book: The rulebook in force.
        street: The betting round that begins, or ``showdown``.
        live: Seats that are in.
        pot: All chips in the middle; None: as many as there were.

    Raises:
        CannotBe: No hand can stand so.
    """
    if street not in TARGETS:
        raise CannotBe("street")
    if len(live) < 2:
        raise CannotBe("players")
    if not live <= {entry.seat for entry in base.seats}:
        raise CannotBe("seats")
    board = state.board if not state.surplus else ()
    start = msgspec.structs.replace(
        base,
        t=None,
        group=None,
        button=positions.button,
        small_blind_seat=positions.small_blind_seat,
        big_blind_seat=positions.big_blind,
        ante=Ante(),
        straddles=(),
        seats=tuple(_entry(entry, _BEHIND, live) for entry in base.seats),
    )
    if base.betting != "amounts":
        start = msgspec.structs.replace(start, seats=tuple(_entry(e, None, live) for e in base.seats))
        _, events = _play(start, book, street, live, board)
        return Layout(start, positions, events)
    return _with_chips(start, positions, state, book, street, live, pot, board)


def _with_chips(
    start: HandStarted,
    positions: Positions,
    state: HandState,
    book: Rulebook,
    street: str,
    live: frozenset[int],
    pot: int | None,
    board: tuple[str | None, ...],
) -> Layout:
    """Choose the stacks at the start so that stacks and pot come out as they are."""
    behind = {number: seat.stack for number, seat in state.seats.items()}
    known = pot_of(state)
    if known is None or any(behind.get(entry.seat) is None for entry in start.seats):
        raise CannotBe("stacks")
    after, _ = _play(start, book, street, live, board)
    paid = {number: _BEHIND - (seat.stack or 0) for number, seat in after.seats.items()}
    said = known if pot is None else pot
    if said < sum(paid.values()):
        if pot is not None:
            raise CannotBe("pot", sum(paid.values()))
        # More has been put in than the table knows of: it comes from the stacks that the hand began with.
        said = sum(paid.values())
        behind = {number: max((seat.start or 0) - paid[number], 0) for number, seat in state.seats.items()}
    stacks = {number: (behind[number] or 0) + paid[number] for number in paid}
    dead = said - sum(paid.values())
    payer = positions.big_blind

    def attempt() -> tuple[Layout, dict[int, int]]:
        entries = tuple(
            _entry(e, stacks[e.seat] + (dead if e.seat == payer else 0), live, all_in=not behind[e.seat])
            for e in start.seats
        )
        # What folded players left in the pot is put there by one hand: nobody has a claim on it.
        ante = Ante("big_blind", dead) if dead else Ante()
        tried = msgspec.structs.replace(start, ante=ante, seats=entries)
        after, events = _play(tried, book, street, live, board)
        surplus = {n: (after.seats[n].stack or 0) - (behind[n] or 0) for n in stacks}
        return Layout(tried, positions, events), surplus

    first, surplus = attempt()
    layout = first
    for _ in range(_TRIES):
        if not any(surplus.values()):
            return layout
        # A bet that a short stack could not call came back to who had made it.
        stacks = {number: stacks[number] - surplus[number] for number in stacks}
        dead += sum(surplus.values())
        layout, surplus = attempt()
    # A blind that was not paid in full: what came back of it cannot be told from the pot.
    return first


def _entry(entry: SeatEntry, stack: int | None, live: frozenset[int], *, all_in: bool = False) -> SeatEntry:
    # Who is all-in has no turn in which he could fold: if he is out all the same, his hand is dead.
    absent = (entry.absent or all_in) and entry.seat not in live
    return msgspec.structs.replace(entry, stack=stack, absent=absent)


def _play(
    start: HandStarted, book: Rulebook, street: str, live: frozenset[int], board: tuple[str | None, ...]
) -> tuple[HandState, tuple[TableEvent, ...]]:
    """Lead the hand to the street, everybody else folding on the way."""
    state = machine.step(machine.start(), start, book).state
    events: list[TableEvent] = []
    for _ in range(_STEPS):
        if _there(state, street, live):
            return state, tuple(events)
        for event in _next(state, live, board, book):
            state = machine.step(state, event, book).state
            events.append(event)
    raise CannotBe("street")


def _there(state: HandState, street: str, live: frozenset[int]) -> bool:
    if state.phase == "showdown":
        return True
    return state.phase == street and all(seat in live for seat in state.in_hand())


def _next(
    state: HandState, live: frozenset[int], board: tuple[str | None, ...], book: Rulebook
) -> Iterator[TableEvent]:
    if state.phase == "dealing":
        seat = dealing.next_seat(state)
        if seat is None:
            raise CannotBe("seats")
        yield CardMoved(card=None, from_="deck", to=seat_place(seat))
    elif state.betting == "rounds" and state.to_act is not None:
        folding = [seat for seat in state.in_hand() if seat not in live]
        yield Acted(seat=folding[0], said="fold") if folding else RoundClosed()
    elif state.to_act is not None:
        yield _act(state, state.to_act, live, book)
    elif state.burned < state.burn_due and not state.street_laid:
        yield CardMoved(card=None, from_="deck", to="burn")
    else:
        coming = state.coming()
        if coming is None:
            raise CannotBe("street")
        lying = len(state.board)
        for place in range(lying, lying + STREET_CARDS[coming]):
            card = board[place] if place < len(board) else None
            yield CardMoved(card=card, from_="deck", to="board", face="up")


def _act(state: HandState, seat: int, live: frozenset[int], book: Rulebook) -> Acted:
    """The shortest act: out, or in for what it costs; where the big blind is out, a raise lets him fold."""
    if seat not in live:
        return Acted(seat=seat, said="fold")
    raised = any(letter in "BRA" for letter in state.acts)
    if not state.board and state.big_blind_seat not in live and not raised:
        return Acted(
            seat=seat, said="raise", amount=2 * state.big_blind if state.betting == "amounts" else None
        )
    options = machine.expects(state, book)[0].options or ()
    return Acted(seat=seat, said="check" if "check" in options else "call")
