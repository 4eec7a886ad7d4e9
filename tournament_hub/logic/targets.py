"""What tables and displays are told of a tournament: the whole of it, never a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from engine.seating import first_positions
from table_controller import messages as m
from table_controller.messages.tournament import Info, Move, Moves, Standing, Standings
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposals import may_start
from tournament_hub.logic.ranking import Place
from tournament_hub.logic.seating import next_hand
from tournament_hub.logic.state import OPEN_MOVES, State, Table, alive, chips_found, open_moves
from tournament_hub.logic.state import Move as Moved

ROWS: Final = 80
"""Rows of one page of the standings: the longest ids still fit into a message."""
PUBLIC_ROWS: Final = 40
"""The same with names."""
BEGUN_S: Final = 180.0
"""Seconds after a pot in which a table's next hand counts as begun (ours: longer than any shuffle); then it stands idle."""
MOVES: Final = 40
"""Moves that are told at most."""
DECISIONS: Final = 12
"""Rulings that a target carries at most, the newest: a message holds no more with long notes."""
_M = TypeVar("_M", Move, Moved)
REASONS: Final = frozenset(
    (
        "not_started",
        "over",
        "breaking",
        "closed",
        "players",
        "hand_for_hand",
        "move",
        "call",
        "break",
        "short",
        hfh.WITHHELD,
    )
)
"""Holds that the tournament sets and takes away itself; others in a target are people's."""


def target(state: State, preset: Preset, name: str, before: m.Desired) -> dict[str, object]:
    """What a table's target says of the tournament.

    Args:
        state: the tournament.
        preset: what the rulebook decides.
        name: the table.
        before: its present target: holds of people in it stay.
    """
    table = state.tables[name]
    reasons = may_start(state, name)
    kept = tuple(reason for reason in before.hold if reason not in REASONS and reason not in reasons)
    stages = state.settings.stages
    level, coming = before.level, before.next_level
    if stages:
        level, coming = _levels(state, preset, table, free=not reasons)
    seats = []
    for seat, entry_id in sorted(table.seats.items()):
        entry = state.entries[entry_id]
        seats.append(
            m.DesiredSeat(
                seat=seat,
                entry=entry.id,
                stack=entry.stack if entry.fresh else None,
                absent=entry.absent,
                penalty=entry.penalty or None,
            )
        )
    held = state.hand_for_hand
    return {
        "tournament": state.settings.tournament,
        "rulebook": state.settings.rulebook,
        "limit": state.settings.limit,
        "smallest_chip": state.settings.smallest_chip,
        "level": level,
        "next_level": coming,
        "seats": tuple(seats),
        "button": _button(state, preset, name),
        "gate": held.gate if held is not None and held.round > 0 and name in held.roster else None,
        "hold": tuple(dict.fromkeys((*kept, *reasons))),
        "moves_in": tuple(_coming(state, name)),
        "moves_out": tuple(_going(state, name)),
        "decisions": _decisions(state, name, before),
    }


def _levels(state: State, preset: Preset, table: Table, *, free: bool) -> tuple[m.Level, m.Level | None]:
    """What a table's next hand is played at, and what comes after it.

    Where a hand begins when the pot before is awarded (ROPTA levels), a level that changes after that is for the hand after
    the next; not where the table was kept from its next hand, in hand-for-hand, or has stood idle: then no hand had begun.
    """
    clock, stages = state.clock, state.settings.stages
    now, coming = clocks.level_now(clock, stages), clocks.next_level(clock, stages)
    begun = table.begun if free and not table.running and state.hand_for_hand is None else None
    if begun is None or clock.began - begun > BEGUN_S:
        return now, coming
    mine = clocks.level_of_hand(clock, stages, preset, first_card=clock.began, pot_awarded=begun)
    return (now, coming) if mine == now else (mine, now)


def _decisions(state: State, name: str, before: m.Desired) -> tuple[m.Decision, ...]:
    """What was ruled on calls of this table and is not obeyed there yet; what others have decided stays."""
    calls = [call for call in state.calls.values() if call.table == name and call.origin]
    mine = {call.origin for call in calls}
    told = [call.decision for call in calls if call.decision is not None and not call.obeyed]
    return (*(held for held in before.decisions if held.call not in mine), *told)[-DECISIONS:]


def _button(state: State, preset: Preset, name: str) -> m.Buttons | None:
    """Only where the table cannot know: a first hand, a button drawn anew, a big blind that a person named."""
    table = state.tables[name]
    if table.running or len(table.seats) < 2:
        return None
    if table.big_blind_next is None and (table.positions is not None or table.first_button is None):
        return None
    positions = next_hand(table, preset)
    if positions is None and table.first_button is not None:
        positions = first_positions(table.first_button, table.seats.keys())
    if positions is None:
        return None
    return m.Buttons(
        button=positions.button,
        small_blind_seat=positions.small_blind_seat,
        big_blind_seat=positions.big_blind,
    )


def _coming(state: State, name: str) -> Iterator[m.MoveIn]:
    for move in open_moves(state):
        if move.target.table == name:
            yield m.MoveIn(
                move=move.id,
                entry=move.entry,
                seat=move.target.seat,
                stack=move.stack,
                origin=m.TableSeat(table=move.origin.table, seat=move.origin.seat),
            )


def _going(state: State, name: str) -> Iterator[m.MoveOut]:
    for move in open_moves(state):
        if move.origin.table == name and move.state == "planned":
            yield m.MoveOut(
                move=move.id,
                entry=move.entry,
                seat=move.origin.seat,
                to=m.TableSeat(table=move.target.table, seat=move.target.seat),
                reason=move.reason,
            )


def info(state: State) -> Info:
    """The tournament in a few figures."""
    left = alive(state)
    chips = chips_found(state)
    total = chips if chips is not None else state.issued
    return Info(
        title=state.settings.title or state.settings.tournament,
        rulebook=state.settings.rulebook,
        tables=tuple(name for name in state.order if state.tables[name].status != "closed"),
        entries=len(state.entries),
        alive=left,
        chips=total,
        average=total // left if left and state.settings.starting_stack is not None else None,
        money_line=left <= state.settings.places_paid if state.settings.places_paid else None,
        places_paid=state.settings.places_paid or None,
    )


def moves(state: State) -> Moves:
    """Open and recent moves, newest first."""
    return Moves(
        rows=tuple(
            Move(
                move=move.id,
                entry=move.entry,
                origin=m.TableSeat(table=move.origin.table, seat=move.origin.seat),
                target=m.TableSeat(table=move.target.table, seat=move.target.seat),
                state="in_transit" if move.state == "mismatch" else move.state,
                stack=move.stack,
            )
            for move in newest(list(reversed(state.moves.values())), MOVES)
        )
    )


def newest(told: Sequence[_M], most: int) -> list[_M]:
    """So many moves as a message holds, newest first; an open one is not pushed out by those that are over."""
    kept = list(told[:most])
    for late in (move for move in told[most:] if move.state in OPEN_MOVES):
        over = next(
            (place for place in range(len(kept) - 1, -1, -1) if kept[place].state not in OPEN_MOVES), None
        )
        if over is None:
            break
        del kept[over]
        kept.append(late)
    return kept


def standings(state: State, places: Sequence[Place]) -> list[Standings]:
    """Who plays, the largest stacks first, then the places; so many rows a page that a message holds them."""
    playing = sorted(
        (entry for entry in state.entries.values() if entry.where != "out"),
        key=lambda entry: (-(entry.stack or 0), entry.id),
    )
    won = {place.entry: place.place for place in places}
    rows = [
        Standing(
            entry=entry.id,
            place=won.get(entry.id),
            stack=entry.stack,
            table=entry.place.table if entry.place is not None else None,
            seat=entry.place.seat if entry.place is not None else None,
        )
        for entry in playing
    ]
    alive_ids = {entry.id for entry in playing}
    rows += [
        Standing(entry=place.entry, place=place.place) for place in places if place.entry not in alive_ids
    ]
    total = len(rows)
    return [
        Standings(first=first, total=total, rows=tuple(rows[first : first + ROWS]))
        for first in range(0, max(1, total), ROWS)
    ]
