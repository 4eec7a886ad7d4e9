"""Tables that are told to stop, and whether they have: after a deadline a person is asked once, and the room goes on.

A table with a device confirms by what it says: its hand is over, it waits for hand-for-hand. One that never does so (a
hand of which nobody tells the end, a controller that is stuck) would hold up a round or a break for ever. A table without
a device is asked about at once elsewhere: its only word is that of people.
"""

from __future__ import annotations

from typing import Final

from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.proposal import Choice, Proposal
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State, Stop, Table

CONFIRM_S: Final = 300.0
"""Seconds after which a table that was told to stop and has not confirmed it is asked about (ours: longer than nearly
every hand, so that nobody is asked about a hand that is simply played)."""


def settle(d: Draft) -> None:
    """Note since when, and why, each table with a device is to stop; what no longer stops it is forgotten."""
    for table in d.tables.values():
        cause = _cause(d, table)
        held = d.stops.get(table.id)
        if cause is None:
            if held is not None:
                d.stops.pop(table.id)
        elif held is None or held.cause != cause:
            d.stops[table.id] = Stop(cause, d.at)
            if table.stopped:
                d.set_table(table.id, stopped=False)


def _cause(d: Draft, table: Table) -> str | None:
    """Why this table is to stop now: ``round:7`` (the gate), ``break:4`` (the stage), ``breaking``, ``hold``."""
    if not table.device or table.status == "closed" or not table.seats or not d.started or d.over:
        return None
    held = d.hand_for_hand
    if held is not None and table.id in hfh.waiting_for(held):
        # A hand that waits, cards down, for the other tables waits because it was told to.
        return None if table.runout and not table.runout_released else f"round:{held.gate}"
    if d.clock.due:
        return f"break:{d.clock.stage}"
    if table.status == "breaking":
        return "breaking"
    return "hold" if table.hold else None


def may_matter(d: Draft, event: ev.Event) -> bool:
    """Whether an event can change which tables are to stop: most of an evening's cannot."""
    if d.stops or d.hand_for_hand is not None or d.clock.due:
        return True
    return isinstance(event, ev.Held | ev.TableBreaking)


def holds_up(state: State, table: Table) -> bool:
    """Whether a break must wait for this table: a hand runs there as far as anybody knows, or it is not heard."""
    held = state.hand_for_hand
    if table.stopped or (held is not None and table.id in held.parked):
        return False
    return table.running or not table.trusted


def unconfirmed(state: State, at: float) -> list[tuple[Table, Stop]]:
    """Tables that should have stopped by now and have not said so.

    Args:
        state: the tournament.
        at: seconds on its clock.
    """
    found = []
    for name, stop in state.stops.items():
        table = state.tables[name]
        if table.stopped or at - stop.since < CONFIRM_S:
            continue
        kind = stop.cause.partition(":")[0]
        if kind == "round":
            open_ = table.trusted  # one that is not heard is asked about at once (``lost``)
        elif kind == "break":
            open_ = holds_up(state, table)
        else:
            open_ = table.running
        if open_ and f"waits:{name}" not in state.passed:
            found.append((table, stop))
    return found


def questions(state: State, at: float) -> list[Proposal]:
    """One question for each of them: is a hand still played there?"""
    found = []
    for table, stop in unconfirmed(state, at):
        name = table.id
        choices = [
            Choice("still_plays", {"table": name}, (ev.StopTold(table=name, stopped=False),)),
            Choice("stopped", {"table": name}, (ev.StopTold(table=name, stopped=True, reason="told"),)),
        ]
        if stop.cause.startswith("round:"):
            excuse = ev.Excused(table=name, reason="not_confirmed")
            choices.append(Choice("excuse", {"table": name}, (excuse,)))
        found.append(
            Proposal(
                id=f"stop:{name}:{stop.cause}:{int(stop.since)}",
                kind="stop",
                values={"table": name, "minutes": int(CONFIRM_S // 60)},
                alternatives=tuple(choices),
                question=True,
            )
        )
    return found


def stop_told(d: Draft, event: ev.StopTold) -> None:
    """A person's word for a table that says nothing: it has stopped (nobody waits for it), or its hand goes on.

    Raises:
        Refused: nobody has told this table to stop.
    """
    table = d.table(event.table)
    held = d.hand_for_hand
    if event.stopped:
        if table.id not in d.stops:
            raise Refused("not-waited", "nobody waits for this table", where=table.id, hint="nothing to do")
        d.set_table(table.id, stopped=True)
        if held is not None and table.id in hfh.waiting_for(held):
            hfh.park(d, table.id)
        return
    if table.stopped and held is not None and table.id in held.parked:  # the word is taken back
        hfh.unpark(d, table.id)
    d.set_table(table.id, stopped=False)
    stop = d.stops.get(table.id)
    if stop is not None:
        d.stops[table.id] = Stop(stop.cause, d.at)
