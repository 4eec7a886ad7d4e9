"""What a director does at a table from his phone, on the hub's thread: out, seated, closed, broken, hand done, next big blind.

Each act is checked as a whole before any of it is recorded, and all that came of it has one cause. An act names the entry
that whoever tapped has seen, so a tap on an old picture is refused and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from tournament_hub.directing import Directing
from tournament_hub.errors import UnknownTable
from tournament_hub.logic import balance, machine
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place
from tournament_hub.room import Room


def directing_of(room: Room, table: str) -> Directing:
    """The tournament that is played at a table.

    Raises:
        UnknownTable: none is.
    """
    for directing in room.tournaments.values():
        if table in directing.state.tables:
            return directing
    raise UnknownTable("no tournament is played there", where=table, hint="look at the floor page")


def tell(
    directing: Directing,
    events: Iterable[ev.Event],
    by: str,
    now: float,
    utc: str,
    *,
    cause: str | None = None,
    undoes: int | None = None,
) -> None:
    """Record these events, all or none.

    Raises:
        Refused: one of them does not fit.
    """
    said = tuple(events)
    state, at = directing.state, directing.time(now)
    for event in said:
        state = machine.apply(state, event, directing.preset, at)
    for event in said:
        directing.say(event, by, now, utc, cause=cause, undoes=undoes)


def out(room: Room, table: str, entry: str, by: str, now: float, *, with_last: bool = False) -> None:
    """Somebody is out; ``with_last``: in the same hand as who went out here before him.

    Raises:
        Refused: he does not sit there, or nobody went out here before.
    """
    directing = directing_of(room, table)
    if not with_last:
        tell(directing, (ev.Busted(table=table, entries=(entry,)),), by, now, room.utc)
        return
    undone = {record.undoes for record in directing.log}
    for record in reversed(directing.log):
        event = record.event
        if isinstance(event, ev.Busted) and event.table == table and record.n not in undone:
            break
    else:
        raise Refused("nobody", "nobody went out here before", where=table, hint="say it of him alone")
    # One hand, one group: who went out before him is taken back and both are told together.
    cause = f"out:{len(directing.log) + 1}"
    state, at = directing.state, directing.time(now)
    back = tuple(record.undo)
    both = ev.Busted(table=table, entries=(*event.entries, entry), start_stacks=event.start_stacks)
    for each in (*back, both):
        state = machine.apply(state, each, directing.preset, at)
    for each in back:
        directing.say(each, by, now, room.utc, cause=cause, undoes=record.n)
    directing.say(both, by, now, room.utc, cause=cause)


def seat(room: Room, table: str, entry: str, number: int, by: str, now: float) -> None:
    """Somebody who waits sits down."""
    tell(directing_of(room, table), (ev.Seated(entry=entry, place=Place(table, number)),), by, now, room.utc)


def presence(room: Room, table: str, entry: str, absent: bool, by: str, now: float) -> None:
    """Somebody is away from his seat, or back."""
    directing = directing_of(room, table)
    if entry not in directing.state.tables[table].seats.values():
        raise Refused("not-there", "it does not sit at this table", where=entry, hint="look where it is")
    tell(directing, (ev.Presence(entry=entry, absent=absent),), by, now, room.utc)


def big_blind(room: Room, table: str, number: int, by: str, now: float) -> None:
    """This seat has the next big blind."""
    directing = directing_of(room, table)
    if number not in directing.state.tables[table].seats:
        raise Refused("no-seat", "nobody sits there", where=f"{table} {number}", hint="look again")
    tell(directing, (ev.BigBlindTold(table=table, seat=number),), by, now, room.utc)


def hand_done(room: Room, table: str, by: str, now: float) -> None:
    """The table has finished its hand of hand-for-hand."""
    tell(directing_of(room, table), (ev.HandDone(table=table),), by, now, room.utc)


def close(room: Room, table: str, by: str, now: float) -> None:
    """An empty table is not played any more."""
    tell(directing_of(room, table), (ev.TableClosed(table=table),), by, now, room.utc)


def reopen(room: Room, table: str, by: str, now: float) -> None:
    """A closed table is played again."""
    directing = directing_of(room, table)
    held = directing.state.tables[table]
    event = ev.TableOpened(table=table, capacity=held.capacity, device=held.device)
    tell(directing, (event,), by, now, room.utc)


def break_up(room: Room, table: str, by: str, now: float) -> None:
    """Everybody here gets a seat elsewhere, as the rulebook draws it.

    Raises:
        Refused: there are not enough seats elsewhere.
    """
    directing = directing_of(room, table)
    plan = balance.plan_break(directing.state, directing.preset, directing.state.tables[table])
    if plan is None:
        raise Refused("no-room", "not enough free seats elsewhere", where=table, hint="open a table first")
    event = ev.TableBreaking(table=plan.table, moves=plan.moves, final=plan.final, seed=plan.seed)
    tell(directing, (event,), by, now, room.utc)
