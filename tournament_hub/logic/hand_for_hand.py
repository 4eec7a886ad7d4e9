"""Hand-for-hand: a gate that every table may pass once per round, and run-outs that wait for the other tables.

Gate values only go up in a tournament, over all its phases of hand-for-hand; a table may start one hand per value, so
nothing that is lost, doubled or late on the wire can start two. A table that is not heard is shown; a person excuses it
or waits, never the program. Each function applies one event to a draft.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import HandForHand, State, Table, open_moves

_replace = msgspec.structs.replace

WITHHELD: Final = "round"
"""Why a table is held that had not begun when a round was called back."""


def announced(d: Draft, event: ev.HandForHandAnnounced) -> None:
    """Round 0: every table with two players or more waits after its hand; who has none running waits already."""
    if d.hand_for_hand is not None:
        raise Refused("hand-for-hand", "it is hand-for-hand already", where="room", hint="nothing to do")
    waits = _roster(d)
    d.last_gate += 1
    d.hand_for_hand = HandForHand(round=0, gate=d.last_gate, roster=waits)
    for name in waits:
        d.set_table(name, begun=None)  # whoever waits for the others has not begun a hand
        if not d.tables[name].running and d.tables[name].trusted and not _confirms(d, name):
            park(d, name)


def _roster(d: Draft) -> tuple[str, ...]:
    return roster(d.tables[name] for name in d.order)


def roster(tables: Iterable[Table]) -> tuple[str, ...]:
    """Tables that play: open, with two entries or more; a table of one player waits for nothing."""
    return tuple(table.id for table in tables if table.status == "open" and len(table.seats) >= 2)


def yet_to_begin(state: State, name: str) -> bool:
    """Whether a table has not, as far as is known, begun its hand of the round that was let go."""
    held, table = state.hand_for_hand, state.tables.get(name)
    if held is None or table is None or name not in held.roster or held.round == 0:
        return False
    return not table.running and name not in held.parked and table.gate_used != held.gate


def _confirms(d: Draft, name: str) -> bool:
    """Whether a table says itself that it waits: only then is it certain that no further hand is on its way here."""
    return d.settings.tables_confirm and d.tables[name].device


def park(d: Draft, name: str) -> None:
    """A table has played its hand of the round and waits; the first one stops the clock, the last one ends the round."""
    held = d.hand_for_hand
    if held is None or name not in held.roster or name in held.parked:
        return
    if not held.parked and held.round > 0:
        d.act(clocks.Paused(clocks.HAND_FOR_HAND))
    held = d.hand_for_hand = _replace(held, parked=(*held.parked, name))
    if d.tables[name].runout:
        d.set_table(name, runout=())
    _if_all(d, held)


def unpark(d: Draft, name: str) -> None:
    """Somebody has said that a table waits, and it does not; a round's minutes are taken off once all the same."""
    held = d.hand_for_hand
    if held is not None:
        d.hand_for_hand = _replace(held, parked=tuple(other for other in held.parked if other != name))


def _if_all(d: Draft, held: HandForHand) -> None:
    """The last one is parked: the round's minutes come off the clock, once."""
    if held.round > 0 and held.roster and not waiting_for(held):
        d.act(clocks.Paused(clocks.HAND_FOR_HAND))
        d.act(clocks.RoundPlayed(held.gate, d.preset.hand_for_hand_minutes_off))


def waiting_for(held: HandForHand) -> list[str]:
    """Tables whose hand of this round is not told as finished, and that nobody excused."""
    return [name for name in held.roster if name not in held.parked and name not in held.excused]


def hand_over(d: Draft, name: str, gate: int | None, *, void: bool) -> None:
    """A hand is over at a table: of this round it parks it; a hand that does not count is played again."""
    held = d.hand_for_hand
    if held is None or name not in held.roster:
        return
    if (held.round == 0 and not _confirms(d, name)) or (held.round > 0 and gate == held.gate and not void):
        park(d, name)


def check_not_ahead(d: Draft, name: str, gate: int | None) -> None:
    """A table must not deal without the gate, nor twice through it: that is told to a person at once."""
    held = d.hand_for_hand
    if held is None or name not in held.roster:
        return
    if held.round == 0 and name not in held.parked and _confirms(d, name):
        return  # begun before the table heard of it
    if gate != held.gate or held.round == 0 or name in held.parked:
        d.discrepancies[f"ahead:{name}"] = f"{gate}"


def round_released(d: Draft, event: ev.RoundReleased) -> None:
    """One hand for everybody.

    Raises:
        Refused: somebody is not done, a table is held, a call is open, a move is under way, it is a break; each may
            be passed by a person.
    """
    held = d.hand_for_hand
    if held is None:
        raise Refused("no-hand-for-hand", "it is not hand-for-hand", where="room", hint="announce it first")
    if event.round != held.round + 1:
        raise Refused("round", f"the next round is {held.round + 1}", where="room", hint="look again")
    against = blocks(d.freeze())
    if against:
        raise Refused("blocked", ", ".join(against), where="room", hint="settle it, or pass it with a reason")
    d.last_gate += 1
    # A table that a person did not wait for in this round is waited for in the next.
    d.passed = {block: why for block, why in d.passed.items() if not block.startswith("waits:")}
    d.hand_for_hand = HandForHand(
        round=event.round,
        gate=d.last_gate,
        roster=_roster(d),
        excused={name: why for name, why in held.excused.items() if name in _roster(d)},
    )


def blocks(state: State) -> tuple[str, ...]:
    """What stands against the next round, each by its name; those that a person passed are left out.

    ``waits:t3`` its hand is not finished · ``unheard:t3`` not all that it said is here · ``hold:t3`` somebody holds it ·
    ``call:c1`` an open floor call · ``move:m1`` somebody is on the way · ``break`` it is a break.
    """
    held = state.hand_for_hand
    if held is None:
        return ()
    found = [f"waits:{name}" for name in waiting_for(held)]
    for name in held.roster:
        table = state.tables[name]
        if name in held.excused:
            continue
        if not table.trusted and not table.stopped:
            found.append(f"unheard:{name}")
        if table.hold:
            found.append(f"hold:{name}")
    found += [f"call:{call.id}" for call in state.calls.values() if call.hold and call.state != "closed"]
    found += [f"move:{move.id}" for move in open_moves(state)]
    stages = state.settings.stages
    if stages and clocks.state(state.clock, stages) == "break":
        found.append("break")
    return tuple(block for block in found if block not in state.passed)


def hand_done(d: Draft, event: ev.HandDone) -> None:
    """A person says that a table is done: for tables without a device."""
    held = d.hand_for_hand
    if held is None or event.table not in held.roster:
        raise Refused("not-waited", "nobody waits for this table", where=event.table, hint="nothing to do")
    table = d.table(event.table)
    if event.again:
        unpark(d, table.id)
        return
    d.set_table(
        table.id,
        running=False,
        gate_running=None,
        gate_used=held.gate if held.round else table.gate_used,
        needs=0 if held.round else table.needs,
    )
    park(d, table.id)


def excused(d: Draft, event: ev.Excused) -> None:
    """Nobody waits for this table, or everybody does again."""
    held = d.hand_for_hand
    if held is None or event.table not in held.roster:
        raise Refused("not-waited", "nobody waits for this table", where=event.table, hint="nothing to do")
    rest = {name: why for name, why in held.excused.items() if name != event.table}
    if event.reason is not None:
        rest[event.table] = event.reason
    held = d.hand_for_hand = _replace(held, excused=rest)
    _if_all(d, held)


def runout_pending(d: Draft, event: ev.RunoutPending) -> None:
    """All-in and call: the cards stay down."""
    table = d.table(event.table)
    if event.hand is not None and table.hand is not None and event.hand != table.hand:
        return  # of a hand that is over
    d.set_table(table.id, runout=event.seats or (0,), runout_released=False)


def runout_released(d: Draft, event: ev.RunoutReleased) -> None:
    """The held hand may be shown.

    Raises:
        Refused: another table is still in its hand.
    """
    table = d.table(event.table)
    if not table.runout:
        raise Refused("no-runout", "no hand is held there", where=table.id, hint="nothing to do")
    rest = others_running(d.freeze(), table.id)
    if rest and d.preset.hand_for_hand_all_in == "face_down" and f"runout:{table.id}" not in d.passed:
        raise Refused(
            "others-play",
            f"{', '.join(rest)} still in a hand ({d.preset.article('hand_for_hand_all_in')})",
            where=table.id,
            hint="wait, excuse the table, or pass it with a reason",
        )
    d.set_table(table.id, runout_released=True)


def others_running(state: State, name: str) -> list[str]:
    """Tables of the roster that have not finished their hand and do not wait with one themselves."""
    held = state.hand_for_hand
    if held is None:
        return []
    return [other for other in waiting_for(held) if other != name and not state.tables[other].runout]


def ended(d: Draft, event: ev.HandForHandEnded) -> None:
    """Everybody plays on; the clock is let go, a break keeps it."""
    if d.hand_for_hand is None:
        raise Refused("no-hand-for-hand", "it is not hand-for-hand", where="room", hint="nothing to do")
    d.hand_for_hand = None
    for table in list(d.tables.values()):
        rest = tuple(reason for reason in table.hold if reason != WITHHELD)
        shown = table.runout_released or bool(table.runout)
        d.set_table(table.id, begun=None, runout_released=shown, hold=rest)
    d.act(clocks.Released(clocks.HAND_FOR_HAND))


def settle_roster(d: Draft) -> None:
    """A table that was broken, or is left with one player, leaves the roster, once; the others may be complete then."""
    held = d.hand_for_hand
    if held is None:
        return
    gone = [
        name
        for name in held.roster
        if d.tables[name].status != "open" or (len(d.tables[name].seats) < 2 and not d.tables[name].running)
    ]
    if gone:
        held = d.hand_for_hand = _replace(
            held,
            roster=tuple(name for name in held.roster if name not in gone),
            parked=tuple(name for name in held.parked if name not in gone),
            excused={name: why for name, why in held.excused.items() if name not in gone},
        )
        _if_all(d, held)
