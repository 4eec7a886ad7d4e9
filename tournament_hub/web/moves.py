"""Moves under way on the floor page: who goes where, what both tables have said, and the same said by the director.

Dealers say it on their own pages; where a table has no device, or its dealer forgets, the director says it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State, open_moves

SHOWN: Final = 12


class MoveLine(Struct, frozen=True):
    """One move under way.

    Attributes:
        id: Of the move.
        name: Who, as the club shows people.
        origin, target: Table and seat, as people read them.
        state: ``planned`` (still at the old table), ``in_transit`` or ``mismatch`` (counts differ).
        act: What can be said next: ``left``, ``arrived``, or nothing while counts differ.
        stack: Chips that he takes along; None where nobody keeps stacks.
        hand: A hand still runs at the old table: he goes after it.
        said_by: Who has confirmed so far.
    """

    id: str
    name: str
    origin: str
    target: str
    state: str
    act: str
    stack: int | None
    hand: bool
    said_by: tuple[str, ...]


def moves_of(state: State, names: Mapping[str, str]) -> tuple[MoveLine, ...]:
    """The open moves, the oldest first."""
    found = []
    for move in sorted(open_moves(state), key=lambda each: (each.planned_at, each.id)):
        table = state.tables.get(move.origin.table)
        planned = move.state == "planned"
        found.append(
            MoveLine(
                move.id,
                names.get(move.entry, move.entry),
                f"{move.origin.table} · {move.origin.seat}",
                f"{move.target.table} · {move.target.seat}",
                move.state,
                "left" if planned else "arrived" if move.state == "in_transit" else "",
                state.entries[move.entry].stack if planned else move.stack,
                planned and table is not None and table.running,
                move.confirmed_by,
            )
        )
    return tuple(found[:SHOWN])


def event_of(act: str, move: str, counted: int | None, by: str) -> ev.Event:
    """What a director's button says of a move.

    Raises:
        Refused: no such button.
    """
    match act:
        case "left":
            return ev.MoveLeft(move=move, stack=counted, by=by)
        case "arrived":
            return ev.MoveArrived(move=move, counted=counted, by=by)
        case "cancel":
            return ev.MoveCancelled(move=move)
    raise Refused("move-state", "nothing of the kind can be said of a move", where=act, hint="look again")
