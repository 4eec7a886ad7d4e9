"""Moves: a seat is reserved, the source confirms the stack, the destination counts; only then it is done.

One transaction keyed by the entry, which is in exactly one place at every step. Each function applies one event to a
draft.
"""

from __future__ import annotations

import msgspec

from tournament_hub.logic import events as ev
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import OPEN_MOVES, Call, Entry, Move

_replace = msgspec.structs.replace


def planned(d: Draft, event: ev.MovePlanned) -> None:
    """Reserve the seat. Nobody is moved twice at once."""
    entry = d.entry(event.entry)
    if entry.where != "seated" or entry.place is None:
        raise Refused("not-seated", "it does not sit anywhere", where=entry.id, hint="give it a seat")
    if entry.move is not None:
        raise Refused("moving", "it is being moved already", where=entry.id, hint="cancel that move first")
    if event.move in d.moves:
        raise Refused("move-known", "there is such a move already", where=event.move, hint="look at it")
    d.check_free(event.target)
    d.moves[event.move] = Move(
        id=event.move,
        entry=entry.id,
        origin=entry.place,
        target=event.target,
        reason=event.reason,
        planned_at=d.at,
    )
    d.set_entry(entry.id, move=event.move)


def left(d: Draft, event: ev.MoveLeft) -> None:
    """The entry has gone with its chips, between two hands."""
    move = d.move(event.move, "planned")
    table = d.table(move.origin.table)
    if table.running:
        raise Refused("hand-running", "a hand runs at the table", where=table.id, hint="wait for its end")
    entry = d.entry(move.entry)
    stack = entry.stack if event.stack is None else event.stack
    if stack is not None and entry.stack is not None:
        d.loosen(table.id, entry.stack - stack)  # what is not carried is still at the table
    d.stand(entry.id)
    d.set_entry(entry.id, where="in_transit", place=move.target, stack=stack)
    d.moves[move.id] = _replace(
        move, state="in_transit", stack=stack, confirmed_by=(*move.confirmed_by, event.by)
    )
    d.close_if_empty(table.id)
    if move.early is not None:
        arrived(d, ev.MoveArrived(move=move.id, counted=move.counted, by=move.early))


def arrived(d: Draft, event: ev.MoveArrived) -> None:
    """The destination has counted: equal, or not recorded, commits; another number calls the floor."""
    move = d.move(event.move, "planned", "in_transit")
    if move.state == "planned":  # the word of the new table is here before that of the old one
        d.moves[move.id] = _replace(move, early=event.by, counted=event.counted)
        return
    by = (*move.confirmed_by, event.by)
    if event.counted is not None and move.stack is not None and event.counted != move.stack:
        d.moves[move.id] = _replace(move, state="mismatch", counted=event.counted, confirmed_by=by)
        call = call_of(move.id)
        d.calls[call] = Call(
            id=call,
            kind="chips",
            table=move.target.table,
            seat=move.target.seat,
            hold=True,
            opened_at=d.at,
            code="move_count",
        )
        return
    stack = move.stack if event.counted is None else event.counted
    d.moves[move.id] = _replace(move, counted=event.counted, confirmed_by=by)
    _commit(d, move.id, stack)


def call_of(move: str) -> str:
    """The floor call of a move whose counts differ."""
    return f"count-{move}"


def settled(d: Draft, event: ev.MoveSettled) -> None:
    """The director says the number; the difference is booked and the floor call is closed."""
    move = d.move(event.move, "mismatch", "in_transit")
    if event.stack is not None and move.stack is not None:
        d.book("move_count", event.stack - move.stack, entry=move.entry, table=move.target.table)
    call = d.calls.get(call_of(move.id))
    if call is not None and call.state != "closed":
        d.calls[call.id] = _replace(call, state="closed", rev=call.rev + 1, text=event.reason)
    _commit(d, move.id, event.stack)


def _commit(d: Draft, name: str, stack: int | None) -> None:
    move = d.moves[name] = _replace(d.moves[name], state="done")
    entry = d.entry(move.entry)
    d.sit(entry.id, move.target, stack=stack, moves=entry.moves + 1)


def cancelled(d: Draft, event: ev.MoveCancelled) -> None:
    """The move is off; who has left goes back, or waits when his seat is gone."""
    move = d.move(event.move, *OPEN_MOVES)
    entry = d.entry(move.entry)
    d.moves[move.id] = _replace(move, state="cancelled")
    d.set_entry(entry.id, move=None)
    call = d.calls.get(call_of(move.id))
    if call is not None and call.state != "closed":
        d.calls[call.id] = _replace(call, state="closed", rev=call.rev + 1)
    if move.state == "planned":
        return
    try:
        d.sit(entry.id, move.origin)
    except Refused:
        d.set_entry(entry.id, where="waiting", place=None)


def reseated(d: Draft, event: ev.Reseated) -> None:
    """Sit elsewhere at once, chips and all."""
    entry = d.entry(event.entry)
    if entry.where != "seated" or entry.place is None:
        raise Refused("not-seated", "it does not sit anywhere", where=entry.id, hint="give it a seat")
    for name in {entry.place.table, event.place.table}:
        if d.table(name).running:
            raise Refused("hand-running", "a hand runs at the table", where=name, hint="wait for its end")
    d.drop_move(entry.id)
    d.check_free(event.place, entry=entry.id)
    source = entry.place.table
    d.stand(entry.id)
    d.sit(entry.id, event.place)
    d.close_if_empty(source)


# -- breaking ---------------------------------------------------------------------------


def breaking(d: Draft, event: ev.TableBreaking) -> None:
    """Stop a table and plan a move for everybody at it."""
    table = d.table(event.table)
    if table.status != "open":
        raise Refused("table-closed", "the table is not open", where=table.id, hint="nothing to break")
    if round_runs(d) and "break" not in d.passed:
        raise Refused(
            "hand-for-hand",
            "a hand-for-hand round runs",
            where=table.id,
            hint="wait until every table is parked, or pass it with a reason",
        )
    if any(m.state in OPEN_MOVES and m.target.table == table.id for m in d.moves.values()):
        raise Refused("coming", "somebody is on the way there", where=table.id, hint="finish that move first")
    gone = {move.entry for move in event.moves}
    if gone != {name for name in table.seats.values() if d.entry(name).move is None}:
        raise Refused("not-all", "the plan is older than the table", where=table.id, hint="plan it again")
    d.set_table(table.id, status="breaking")
    for move in event.moves:
        planned(d, move)
    if event.final:
        d.final = next((name for name, t in d.tables.items() if t.status == "open"), None)
        d.redrawn = False
    d.close_if_empty(table.id)


def round_runs(d: Draft) -> bool:
    """Whether a table of the hand-for-hand roster has yet to play its hand."""
    held = d.hand_for_hand
    return held is not None and any(t not in held.parked and t not in held.excused for t in held.roster)


def break_cancelled(d: Draft, event: ev.BreakCancelled) -> None:
    """The table is played again; moves that have not begun are off."""
    table = d.table(event.table)
    if table.status == "open":
        raise Refused("table-open", "the table is open", where=table.id, hint="nothing to do")
    d.set_table(table.id, status="open")
    for move in list(d.moves.values()):
        if move.state == "planned" and move.origin.table == table.id:
            d.moves[move.id] = _replace(move, state="cancelled")
            d.set_entry(move.entry, move=None)
    if d.final is not None:
        d.final = None


def redrawn(d: Draft, event: ev.Redrawn) -> None:
    """The seats of the final table anew, everybody at it at once; the button is drawn after it."""
    table = d.table(event.table)
    if table.running:
        raise Refused("hand-running", "a hand runs at the table", where=table.id, hint="wait for its end")
    if any(m.state in OPEN_MOVES and table.id in (m.origin.table, m.target.table) for m in d.moves.values()):
        raise Refused("moving", "somebody is still on the way", where=table.id, hint="finish the moves first")
    seats = {seating.place.seat: seating.entry for seating in event.seats}
    if (
        len(seats) != len(event.seats)
        or sorted(seats.values()) != sorted(table.seats.values())
        or any(not 1 <= seat <= table.capacity for seat in seats)
    ):
        raise Refused("not-all", "the draw is older than the table", where=table.id, hint="draw again")
    d.tables[table.id] = _replace(
        table, seats=seats, positions=None, first_button=None, big_blind_next=None, left=()
    )
    for seating in event.seats:
        entry: Entry = d.entry(seating.entry)
        d.set_entry(entry.id, place=seating.place)
    d.final = table.id
    d.redrawn = True
