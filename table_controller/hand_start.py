"""How a hand starts: composed by the table from the hub's document or its own file, never from card movements.

Level, seats and absences come from the document; stacks from the table's own last hand, the document's only for
an entry that is new at the table; button and blinds from the document, else from the dead-button rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from engine import seating
from engine.events import Ante, HandStarted, SeatEntry
from engine.seating import Positions
from engine.state import HandState
from engine.vocabulary import Betting, Chips
from table_controller import messages as m

# Why no hand starts, in the order in which a person can do something about it.
REASONS: Final = ("hold", "gate", "level", "players")


class NotNow(Struct, frozen=True):
    """No hand starts now: why (a slug of ``REASONS``), and the hub's own reasons for a hold."""

    reason: str
    because: tuple[str, ...] = ()


class LastHand(Struct, frozen=True):
    """What a hand leaves for the next one.

    Attributes:
        hand: Its number, 0 before the first.
        void: It is dealt again: number, button, seats and stacks stay.
        positions: Its button and blinds; None before the first.
        stacks: Chips of every entry that has ever been known at this table, None where they are not recorded.
        gate_used: The last hand-for-hand value used.
        started: The event that began it; None before the first.
    """

    hand: int = 0
    void: bool = False
    positions: Positions | None = None
    stacks: dict[str, int | None] = {}
    gate_used: int | None = None
    started: HandStarted | None = None


class Way(Struct, frozen=True):
    """How this table plays, from its own file."""

    betting: Betting
    chips: str
    button: int | None = None
    self_dealt: bool = False


class Started(Struct, frozen=True):
    """A hand that may start: the event, its positions, the level and gate stamped on it."""

    event: HandStarted
    positions: Positions
    level: m.Level
    gate: int | None


def compose(
    desired: m.Desired, last: LastHand, way: Way, deals_for: Mapping[int, int] = {}
) -> Started | NotNow:
    """Make the next hand, or say why there is none.

    Args:
        desired: The hub's document, or the table's own in the same form.
        last: What the last hand left.
        way: How this table plays.
        deals_for: On a self-dealt table: seats that deal in place of others.
    """
    if desired.hold:
        return NotNow("hold", desired.hold)
    gate = desired.gate
    if gate is not None and last.gate_used is not None and gate <= last.gate_used and not last.void:
        return NotNow("gate")
    level = desired.level
    if level is None:
        return NotNow("level")
    if last.void and last.started is not None and last.positions is not None:
        return Started(last.started, last.positions, _level_of(last.started, level), last.gate_used)
    seats = {seat.seat: seat for seat in desired.seats}
    stacks = {number: _stack(seat, last, way) for number, seat in seats.items()}
    occupied = [n for n, stack in stacks.items() if way.betting != "amounts" or (stack or 0) > 0]
    if len(occupied) < 2:
        return NotNow("players")
    positions = _positions(desired, last, way, occupied, seats)
    entries = tuple(
        SeatEntry(
            seat=n,
            stack=stacks[n] if way.betting == "amounts" else None,
            absent=seats[n].absent or bool(seats[n].penalty),
            entry=seats[n].entry,
        )
        for n in sorted(positions.players)
    )
    event = HandStarted(
        hand=last.hand + 1,
        button=positions.button,
        seats=entries,
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        ante=Ante(level.ante.kind, level.ante.amount),
        small_blind_seat=positions.small_blind_seat,
        big_blind_seat=positions.big_blind,
        dealer_seat=_dealer(positions, deals_for) if way.self_dealt else None,
        limit=desired.limit,
        smallest_chip=max(1, desired.smallest_chip),
        betting=way.betting,
        chips="sensed" if way.chips == "sensed" else "declared",
        rulebook=desired.rulebook,
    )
    return Started(event, positions, level, gate)


def _dealer(positions: Positions, deals_for: Mapping[int, int]) -> int | None:
    """Who deals where the players do: the button, for a dead button the player at its right (ROPTA self-deal)."""
    players = positions.players
    turn = positions.button if positions.button in players else seating.preceding(positions.button, players)
    dealer = deals_for.get(turn, turn)
    return dealer if dealer in players else turn


def _level_of(started: HandStarted, level: m.Level) -> m.Level:
    """A hand that is dealt again keeps its blinds, whatever the clock says meanwhile."""
    return m.Level(
        n=level.n,
        small_blind=started.small_blind,
        big_blind=started.big_blind,
        ante=m.Ante(kind=started.ante.kind, amount=started.ante.amount),
    )


def _stack(seat: m.DesiredSeat, last: LastHand, way: Way) -> Chips | None:
    if way.betting != "amounts":
        return None
    known = last.stacks.get(seat.entry)
    return seat.stack if known is None else known


def _positions(
    desired: m.Desired,
    last: LastHand,
    way: Way,
    occupied: list[int],
    seats: Mapping[int, m.DesiredSeat],
) -> Positions:
    given = desired.button
    if given is not None and given.big_blind_seat in occupied:
        small = given.small_blind_seat
        order = sorted(occupied, key=lambda seat: (seat - given.button - 1) % 10)
        place = small if small is not None else (given.big_blind_seat - 2) % 10 + 1
        return Positions(given.button, place, given.big_blind_seat, tuple(order))
    if last.positions is None:
        first = way.button if way.button is not None else max(occupied)
        return seating.first_positions(first, occupied)
    newcomers = [n for n in occupied if seats[n].entry not in last.stacks]
    return seating.next_positions(last.positions, occupied, newcomers=newcomers)


def leave(state: HandState, before: LastHand, started: Started | None) -> LastHand:
    """What a hand leaves, once it is over or void."""
    stacks = dict(before.stacks)
    void = state.phase == "void"
    for seat in state.seats.values():
        if seat.entry is not None:
            stacks[seat.entry] = seat.stack
    return LastHand(
        hand=state.hand,
        void=void,
        positions=started.positions if started is not None else before.positions,
        stacks=stacks,
        gate_used=started.gate if started is not None and started.gate is not None else before.gate_used,
        started=started.event if started is not None else before.started,
    )
