"""Entries from signing in to going out: registration, seats, late and renewed entries, absence, busts, returns.

Each function applies one event to a draft.
"""

from __future__ import annotations

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import ranking
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.penalties import Fault
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Entry


def registered(d: Draft, event: ev.Registered) -> None:
    """Sign an entry in before the start."""
    if d.started:
        raise Refused("started", "play has begun", where=event.entry, hint="enter it as a late entry")
    _new(d, event.entry, event.player)
    if event.locked is not None:
        clash = next((e.id for e in d.entries.values() if e.locked == event.locked), None)
        if clash is not None:
            raise Refused(
                "seat-taken", f"the seat is locked for {clash}", where=event.entry, hint="choose another seat"
            )
    stack = d.settings.starting_stack if event.stack is None else event.stack
    d.issued += stack or 0
    d.entries[event.entry] = Entry(
        id=event.entry,
        player=event.player or event.entry,
        stack=stack,
        absent=event.absent,
        absent_since=d.at if event.absent else None,
        locked=event.locked,
    )


def _new(d: Draft, name: str, player: str) -> list[Entry]:
    """The earlier entries of this person, all of them out."""
    if name in d.entries:
        raise Refused("entry-known", "this entry exists already", where=name, hint="give it another id")
    before = [entry for entry in d.entries.values() if entry.player == (player or name)]
    if any(entry.where != "out" for entry in before):
        raise Refused("player-in", "this person is in already", where=name, hint="one entry at a time")
    return before


def withdrawn(d: Draft, event: ev.Withdrawn) -> None:
    """Take a registration back: no place, no chips."""
    entry = d.entry(event.entry)
    if entry.where == "out" or (entry.where == "seated" and not entry.fresh):
        raise Refused(
            "played", "this entry has played", where=entry.id, hint="take its chips out of play instead"
        )
    d.drop_move(entry.id)
    if entry.where == "seated":
        d.stand(entry.id)
    d.issued -= entry.stack or 0
    del d.entries[entry.id]


def late_entered(d: Draft, event: ev.LateEntered) -> None:
    """Register and seat in one; without a free seat it waits."""
    before = _new(d, event.entry, event.player)
    if event.again and not before:
        raise Refused("no-entry", "this person was not in yet", where=event.entry, hint="enter it as late")
    if before and len(before) > d.settings.re_entries and "re_entry" not in d.passed:
        raise Refused(
            "no-re-entry",
            f"{d.settings.re_entries} renewed entries are allowed",
            where=event.entry,
            hint="pass it with a reason, or change the settings",
        )
    if d.over:
        raise Refused("over", "the tournament is over", where=event.entry, hint="undo its end first")
    stages = d.settings.stages
    if (
        stages
        and d.started
        and "late" not in d.passed
        and not clocks.late_entry_open(d.clock, stages, d.preset.late_levels)
    ):
        raise Refused(
            "late-closed",
            f"late entry ended after level {d.preset.late_levels} ({d.preset.article('late_levels')})",
            where=event.entry,
            hint="pass it with a reason",
        )
    full = d.settings.starting_stack if event.stack is None else event.stack
    stack = None if full is None else max(0, full - event.missed)
    d.issued += stack or 0
    d.entries[event.entry] = Entry(
        id=event.entry, player=event.player or event.entry, stack=stack, number=len(before) + 1
    )
    if event.place is not None:
        d.sit(event.entry, event.place)


def drawn(d: Draft, event: ev.Drawn) -> None:
    """Give seats to those who wait, all of them or none."""
    seen: set[str] = set()
    for seating in event.seats:
        entry = d.entry(seating.entry)
        if entry.where != "waiting" or entry.id in seen:
            raise Refused("not-waiting", "it has a seat already", where=entry.id, hint="undo the draw first")
        seen.add(entry.id)
        d.sit(entry.id, seating.place)


def undrawn(d: Draft, event: ev.Undrawn) -> None:
    """Take a draw back before anybody played."""
    for name in event.entries:
        if name not in d.entries:
            continue
        entry = d.entry(name)
        if entry.where != "seated" or not entry.fresh:
            raise Refused("played", "play has begun", where=name, hint="move single entries instead")
        d.drop_move(name)
        d.stand(name)
        d.set_entry(name, where="waiting", place=None)


def seated(d: Draft, event: ev.Seated) -> None:
    """Give a seat to one who waits."""
    if d.entry(event.entry).where != "waiting":
        raise Refused("not-waiting", "it does not wait for a seat", where=event.entry, hint="plan a move")
    d.sit(event.entry, event.place)


def presence(d: Draft, event: ev.Presence) -> None:
    """Somebody is away or back."""
    entry = d.entry(event.entry)
    since = (d.at if entry.absent_since is None else entry.absent_since) if event.absent else None
    d.set_entry(entry.id, absent=event.absent, absent_since=since, declared=event.absent and event.declared)


def chips_added(d: Draft, event: ev.ChipsAdded) -> None:
    """A rebuy or an add-on, or one taken back. Who has just gone out sits again with it."""
    entry = d.entry(event.entry)
    bought = 1 if event.chips > 0 else -1
    if event.kind == "rebuy":
        if bought > 0 and entry.rebuys >= d.settings.rebuys and "rebuy" not in d.passed:
            raise Refused("no-rebuy", "no further rebuy", where=entry.id, hint="pass it with a reason")
        changes = {"rebuys": entry.rebuys + bought}
    else:
        if bought > 0 and (entry.add_ons or not d.settings.add_on) and "add_on" not in d.passed:
            raise Refused("no-add-on", "no add-on", where=entry.id, hint="pass it with a reason")
        changes = {"add_ons": entry.add_ons + bought}
    if entry.where == "out":
        if event.kind != "rebuy" or bought < 0 or entry.disqualified or entry.place is None:
            raise Refused("out", "it is out", where=entry.id, hint="let it come back first")
        d.sit(entry.id, entry.place)
        d.groups = ranking.without(d.groups, entry.id)
        entry = d.set_entry(entry.id, stack=0 if d.settings.starting_stack is not None else None)
    if entry.stack is not None:
        if entry.stack + event.chips < 0:
            raise Refused("chips-gone", "these chips are lost", where=entry.id, hint="correct its stack")
        changes["stack"] = entry.stack + event.chips
        d.issued += event.chips
    d.set_entry(entry.id, **changes)
    if event.kind == "rebuy":
        d.rebuys_asked = tuple(name for name in d.rebuys_asked if name != entry.id)


def counted(d: Draft, event: ev.Counted) -> None:
    """A stack is another than was known: the difference is somewhere at the same table."""
    entry = d.entry(event.entry)
    if entry.where == "out":
        raise Refused("out", "it is out", where=entry.id, hint="let it come back first")
    known = d.settings.starting_stack is not None
    if known and entry.where != "waiting" and entry.place is not None:
        d.loosen(entry.place.table, (entry.stack or 0) - (event.stack or 0))
    elif known:
        d.book("count", (event.stack or 0) - (entry.stack or 0), entry=entry.id)
    d.set_entry(entry.id, stack=event.stack)


def busted(d: Draft, event: ev.Busted) -> None:
    """A person says who is out; what they had is still at the table."""
    table = d.table(event.table)
    if not event.entries:
        raise Refused("nobody", "nobody is named", where=table.id, hint="name who is out")
    lost = []
    for name in event.entries:
        entry = d.entry(name)
        if entry.where != "seated" or entry.place is None or entry.place.table != table.id:
            raise Refused("not-there", "it does not sit at this table", where=name, hint="look where it is")
        lost.append(ranking.Bust(name, table.id, event.start_stacks.get(name)))
    d.set_table(table.id, needs=0)  # a hand was played there
    d.loosen(table.id, sum(d.entry(name).stack or 0 for name in event.entries))
    for name in event.entries:
        if d.entry(name).stack is not None:
            d.set_entry(name, stack=0)
    hand_for_hand = d.hand_for_hand
    if hand_for_hand is not None and table.id in hand_for_hand.roster:
        d.eliminate(f"round#{hand_for_hand.gate}", lost, announced=hand_for_hand.round == 0)
    else:
        d.eliminate(f"{table.id}!{d.rev}", lost)
    d.close_if_empty(table.id)


def disqualified(d: Draft, event: ev.Disqualified) -> None:
    """Chips out of play, with a line in the ledger; also for who goes home and whose stack is taken off."""
    entry = d.entry(event.entry)
    if entry.where == "out":
        raise Refused("out", "it is out already", where=entry.id, hint="look at the places")
    d.book("left" if event.left else "disqualified", -(entry.stack or 0), entry=entry.id)
    table = entry.place.table if entry.place is not None else ""
    d.eliminate(f"{'left' if event.left else 'dq'}!{d.rev}", [ranking.Bust(entry.id, table, entry.stack)])
    d.set_entry(entry.id, stack=None if entry.stack is None else 0, disqualified=not event.left)
    if table:
        d.close_if_empty(table)


def returned(d: Draft, event: ev.Returned) -> None:
    """Somebody is in after all; every place after his is derived anew."""
    entry = d.entry(event.entry)
    if entry.where != "out":
        raise Refused("in", "it is in", where=entry.id, hint="look where it is")
    if event.stack is not None and event.chips_from == "table" and entry.place is not None:
        d.loosen(entry.place.table, -event.stack)
    elif event.stack is not None:
        d.book("returned", event.stack, entry=entry.id)
    d.groups = ranking.without(d.groups, entry.id)
    d.over = False
    if event.place is not None:
        d.sit(entry.id, event.place, stack=event.stack, disqualified=False)
    else:
        d.set_entry(entry.id, where="waiting", place=None, stack=event.stack, disqualified=False, fresh=True)


def penalty_set(d: Draft, event: ev.PenaltySet) -> None:
    """How many hands must be missed; it travels with the entry."""
    if event.hands < 0 or event.warnings < 0:
        raise Refused("below-zero", "less than nothing", where=event.entry, hint="give a whole number")
    faults = d.entry(event.entry).faults if event.faults is None else event.faults
    if event.kind:
        faults = (*faults, Fault(event.offence, event.kind))
    d.set_entry(event.entry, penalty=event.hands, warnings=event.warnings, faults=faults)


def penalty_served(d: Draft, event: ev.PenaltyServed) -> None:
    """One hand less to miss; told twice counts once, an old word never brings hands back."""
    entry = d.entry(event.entry)
    d.set_entry(entry.id, penalty=min(entry.penalty, max(0, event.left)))


def group_ordered(d: Draft, event: ev.GroupOrdered) -> None:
    """Who of those that went out together is above whom."""
    if all(group.key != event.group for group in d.groups):
        raise Refused("no-group", "no such elimination", where=event.group, hint="look at the places")
    try:
        d.groups = ranking.decided(d.groups, event.group, event.order)
    except ValueError as error:
        raise Refused(
            "not-of-group", str(error), where=event.group, hint="name those who went out"
        ) from error


def stack_told(d: Draft, event: ev.StackTold) -> None:
    """What somebody who is out had when his last hand began."""
    if d.entry(event.entry).where != "out":
        raise Refused("in", "it is in", where=event.entry, hint="count its stack instead")
    found = []
    for group in d.groups:
        busts = tuple(
            ranking.Bust(bust.entry, bust.table, event.start_stack) if bust.entry == event.entry else bust
            for bust in group.busts
        )
        found.append(ranking.Group(group.key, busts, group.bubble, group.announced, group.order))
    d.groups = tuple(found)
