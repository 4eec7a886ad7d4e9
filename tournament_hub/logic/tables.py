"""Tables from opening to closing, and the hands played at them; what a table reports is a fact and is never refused.

What does not fit together (a stack of nobody, a sum that differs, a hand ahead of the others) is kept as a discrepancy
until a person has looked. Each function applies one event to a draft.
"""

from __future__ import annotations

import msgspec

from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic import penalties, ranking
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import OPEN_MOVES, Place, Table

_replace = msgspec.structs.replace


def opened(d: Draft, event: ev.TableOpened) -> None:
    """A table joins, or one that was closed opens again."""
    if not 2 <= event.capacity <= 10:
        raise Refused("capacity", "a table has 2 to 10 seats", where=event.table, hint="correct the number")
    table = d.tables.get(event.table)
    if table is not None and table.status != "closed":
        raise Refused("table-open", "the table is open", where=event.table, hint="nothing to do")
    if table is None:
        d.tables[event.table] = Table(id=event.table, capacity=event.capacity, device=event.device)
        d.order = (*d.order, event.table)
    else:
        d.set_table(
            event.table,
            status="open",
            capacity=event.capacity,
            device=event.device,
            positions=None,
            first_button=None,
            running=False,
            left=(),
            hold=(),
            waived=None,
            stopped=False,
            needs=0,
            begun=None,
        )


def closed(d: Draft, event: ev.TableClosed) -> None:
    """An empty table is not played any more."""
    table = d.table(event.table)
    coming = any(m.state in OPEN_MOVES and m.target.table == table.id for m in d.moves.values())
    if table.seats or coming:
        raise Refused("not-empty", "somebody sits there", where=table.id, hint="break it instead")
    d.set_table(table.id, status="closed", hold=())


def order_posted(d: Draft, event: ev.OrderPosted) -> None:
    """The order of breaking, every table once."""
    if sorted(event.order) != sorted(d.tables):
        raise Refused("order", "every table must be named once", where="order", hint="name all tables")
    d.order = event.order


def button_set(d: Draft, event: ev.ButtonSet) -> None:
    """A new draw of the button, or the last hand's positions set right."""
    table = d.table(event.table)
    if table.running:
        raise Refused("hand-running", "a hand runs", where=table.id, hint="wait for its end")
    if event.positions is not None:
        d.set_table(table.id, positions=event.positions, first_button=None, big_blind_next=None)
    else:
        d.set_table(table.id, positions=None, first_button=event.button, big_blind_next=None)


def big_blind_told(d: Draft, event: ev.BigBlindTold) -> None:
    """Who has the next big blind, by a person's word."""
    d.set_table(event.table, big_blind_next=event.seat)


def heard(d: Draft, event: ev.Heard) -> None:
    """The line to a table is whole again, or is not."""
    table = d.table(event.table)
    d.set_table(table.id, heard=event.heard, vouched=False if event.heard else table.vouched)


def dealer_told(d: Draft, event: ev.DealerTold) -> None:
    """Who deals changes nothing of the tournament; the log keeps it."""
    d.table(event.table)


def vouched(d: Draft, event: ev.Vouched) -> None:
    """A person says that what is known is right."""
    d.set_table(event.table, vouched=event.vouched)


# -- hands ---------------------------------------------------------------------------


def hand_started(d: Draft, event: ev.HandStarted) -> None:
    """A hand is dealt: who is dealt in is not new there any more."""
    table = d.table(event.table)
    anew = table.hand is not None and event.hand < table.hand
    if event.positions is not None:
        for seat in event.positions.players:
            name = table.seats.get(seat)
            if name is not None and d.entries[name].fresh:
                d.set_entry(name, fresh=False)
    else:
        for name in table.seats.values():
            if d.entries[name].fresh:
                d.set_entry(name, fresh=False)
    level_hands = dict(table.level_hands)
    level_hands[event.level] = level_hands.get(event.level, 0) + 1
    d.tables[table.id] = _replace(
        table,
        hand=event.hand,
        series=table.series + anew,
        running=True,
        positions=event.positions if event.positions is not None else table.positions,
        first_button=None,
        big_blind_next=None,
        gate_running=event.gate,
        level_hands=level_hands,
        runout=(),
        runout_released=False,
        left=(),
        stopped=False,
        needs=0,
        begun=None,
    )
    hfh.check_not_ahead(d, table.id, event.gate)


def hand_ended(d: Draft, event: ev.HandEnded) -> None:
    """A hand's result: stacks, who is out, and whether the others wait for this table no more."""
    table = d.table(event.table)
    number = event.hand if event.hand is not None else table.hand
    key = f"{table.id}.{table.series}#{number}"
    gate = table.gate_running
    announced = False
    held = d.hand_for_hand
    if held is not None and table.id in held.roster and table.running:
        announced = held.round == 0 and gate is None
        if announced or gate is not None:
            key = f"round#{held.gate if announced else gate}"
    if event.amends:
        key = _corrected(d, table, event, key)
    _stacks(d, table, event)
    _busts(d, table, event, key, announced)
    if not event.amends:
        if event.void:
            _missed_again(d, table)
        table = d.table(event.table)
        counts = not event.void
        d.tables[table.id] = _replace(
            table,
            running=False,
            hands=table.hands + counts,
            gate_used=gate if counts and gate is not None else table.gate_used,
            gate_running=None,
            runout=(),
            runout_released=False,
            stopped=False,
            begun=d.at,
        )
        d.close_if_empty(table.id)
        hfh.hand_over(d, table.id, gate, void=event.void)


def _missed_again(d: Draft, table: Table) -> None:
    """A hand that is dealt again: the table counts it once; where the book counts every deal, this one counts too."""
    for name in table.seats.values():
        held = d.entries[name]
        left = penalties.left_after_hand(d.preset, held.penalty, void=True)
        if left != held.penalty:
            d.set_entry(name, penalty=left)


def _corrected(d: Draft, table: Table, event: ev.HandEnded, key: str) -> str:
    """Who was out by the earlier result and is not by this one comes back; returns the group of that hand."""
    named = set(event.busts)
    for group in d.groups:
        here = {bust.entry for bust in group.busts if bust.table == table.id}
        if group.key == key or (group.key.startswith("round#") and here & (named | set(event.stacks))):
            for name in here - named:
                stack = event.stacks.get(name)
                if stack == 0:
                    continue
                entry = d.entry(name)
                d.groups = ranking.without(d.groups, name)
                d.over = False
                place = entry.place
                if place is not None and _is_free(d, place):
                    # his chips come with the corrected stacks
                    d.sit(name, place, stack=None if entry.stack is None else 0)
                else:
                    d.set_entry(name, where="waiting", place=None, stack=stack)
                    d.loosen(table.id, -(stack or 0))
            return group.key
    return key


def _is_free(d: Draft, place: Place) -> bool:
    try:
        d.check_free(place)
    except Refused:
        return False
    return True


def _stacks(d: Draft, table: Table, event: ev.HandEnded) -> None:
    here = set(d.table(table.id).seats.values())
    old: int | None = d.table(table.id).loose
    new: int | None = 0
    for name in here:
        stack = d.entries[name].stack
        old = None if old is None or stack is None else old + stack
        told = event.stacks.get(name, 0 if name in event.busts else stack)
        if told == 0 and name not in event.busts and (stack or stack is None):
            # Nothing left, and yet not out: a count that failed must not eliminate anybody.
            d.discrepancies[f"zero:{name}"] = table.id
            told = stack
        new = None if new is None or told is None else new + told
        if told != stack:
            d.set_entry(name, stack=told)
    for name in event.stacks:
        if name not in here and name not in event.busts and (event.stacks[name] or 0) > 0:
            gone = d.entries.get(name)
            if gone is None or gone.where == "out" or (gone.where == "seated" and not event.amends):
                d.discrepancies[f"stranger:{name}"] = table.id
    if not event.stacks:
        return
    if old is not None and new is not None:
        if new != old:
            d.book("table_count", new - old, table=table.id)
            d.discrepancies[f"chips:{table.id}"] = str(new - old)
        d.set_table(table.id, loose=0)


def _busts(d: Draft, table: Table, event: ev.HandEnded, key: str, announced: bool) -> None:
    out = []
    for name, start in event.busts.items():
        entry = d.entries.get(name)
        if entry is None or entry.where == "waiting" or (entry.where != "out" and not _sits(d, name, table)):
            d.discrepancies[f"stranger:{name}"] = table.id
        elif entry.where == "seated":
            if (event.stacks.get(name) or 0) > 0:
                d.discrepancies[f"bust:{name}"] = table.id  # out, and yet with chips: a person must say which
                continue
            d.set_entry(name, stack=None if entry.stack is None else 0)
            out.append(ranking.Bust(name, table.id, start))
    if out:
        d.eliminate(key, out, announced=announced)


def _sits(d: Draft, name: str, table: Table) -> bool:
    place = d.entries[name].place
    return place is not None and place.table == table.id


def loose_told(d: Draft, event: ev.LooseTold) -> None:
    """What lies at tables without a seat; between tables it only changes place, beyond that it is in the ledger."""
    before = sum(d.table(name).loose for name in event.loose)
    for name, amount in event.loose.items():
        d.set_table(name, loose=amount)
    d.book("recount", sum(event.loose.values()) - before)


def coloured_up(d: Draft, event: ev.ColouredUp) -> None:
    """Stacks after a race; what was rounded up or taken off is in the ledger."""
    table = d.table(event.table)
    change = 0
    for name, stack in event.stacks.items():
        if name not in table.seats.values():
            raise Refused("not-there", "it does not sit at this table", where=name, hint="look where it is")
        if stack <= 0:
            raise Refused(
                "raced-out",
                f"nobody is eliminated by a race ({d.preset.article('raced_out')})",
                where=name,
                hint="give it one of the lowest chips left",
            )
        change += stack - (d.entries[name].stack or 0)
        d.set_entry(name, stack=stack)
    d.book("colour_up", change, table=table.id)


# -- holding -----------------------------------------------------------------------------


def held(d: Draft, event: ev.Held) -> None:
    """One more reason not to deal."""
    table = d.table(event.table)
    if event.reason not in table.hold:
        d.set_table(table.id, hold=(*table.hold, event.reason), begun=None)


def released(d: Draft, event: ev.Released) -> None:
    """One reason less."""
    table = d.table(event.table)
    d.set_table(table.id, hold=tuple(reason for reason in table.hold if reason != event.reason))


def halt_waived(d: Draft, event: ev.HaltWaived) -> None:
    """A short table plays on; a larger shortage arms the halt again."""
    table = d.table(event.table)
    rest = tuple(reason for reason in table.hold if reason != "short")
    d.set_table(table.id, waived=event.short, hold=rest if event.short is not None else table.hold)
