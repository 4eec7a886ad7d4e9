"""Taking decisions back: what undoes an event as things stood, and what undoes it by now.

``inverse`` is made when a decision is taken and kept with it; ``compensation`` fits it to the present: somebody who
comes back finds his seat taken or his table broken and gets another one. Places are derived, so they follow by
themselves. A bust is undone in two taps: the line in the list of decisions, and "undo".
"""

from __future__ import annotations

import msgspec

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand, levels, seating
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, State, free_seats, open_tables, size

_replace = msgspec.structs.replace


def inverse(state: State, event: ev.Event, at: float | None = None) -> tuple[ev.Event, ...]:
    """What takes an event back, made from the state before it; empty: a fact, or a decision that others followed.

    ``at``: seconds on the hub's clock, for what the clock goes back to; None: what was left when it was last moved.
    """
    match event:
        case ev.Clocked():
            return levels.undo_clock(state, event, at)
        case ev.LevelsSet():
            return levels.undo_levels(state, event, at)
        case ev.Started() if not state.started:
            return (ev.Unstarted(pauses=None if state.clock.started else state.clock.pauses),)
        case ev.Unstarted() if state.started:
            return (ev.Started(),)
    for family in (_of_entries, _of_tables, _of_moves, _of_rounds):
        found = family(state, event)
        if found:
            return found
    return ()


def _of_entries(state: State, event: ev.Event) -> tuple[ev.Event, ...]:
    match event:
        case ev.Opened():
            return (ev.Opened(settings=state.settings),)
        case ev.Registered(entry=entry) | ev.LateEntered(entry=entry):
            return (ev.Withdrawn(entry=entry),)
        case ev.Withdrawn(entry=name) if name in state.entries:
            gone = state.entries[name]
            if state.started:
                return (ev.LateEntered(entry=name, player=gone.player, place=gone.place, stack=gone.stack),)
            back: list[ev.Event] = [
                ev.Registered(
                    entry=name,
                    player=gone.player,
                    absent=gone.absent,
                    locked=gone.locked,
                    stack=gone.stack,
                )
            ]
            if gone.place is not None:
                back.append(ev.Seated(entry=name, place=gone.place))
            return tuple(back)
        case ev.Drawn(seats=seats):
            return (ev.Undrawn(entries=tuple(seating.entry for seating in seats)),)
        case ev.Seated(entry=name):
            return (ev.Undrawn(entries=(name,)),)
        case ev.Undrawn(entries=names):
            pairs = [(name, state.entries[name].place) for name in names if name in state.entries]
            return (
                ev.Drawn(seats=tuple(ev.Seating(n, p) for n, p in pairs if p is not None), how="director"),
            )
        case ev.Presence(entry=name) if name in state.entries:
            held = state.entries[name]
            return (ev.Presence(entry=name, absent=held.absent, declared=held.declared),)
        case ev.ChipsAdded(entry=name, chips=chips, kind=kind):
            return (ev.ChipsAdded(entry=name, chips=-chips, kind=kind),)
        case ev.Counted(entry=name) if name in state.entries:
            return (ev.Counted(entry=name, stack=state.entries[name].stack),)
        case ev.Busted(entries=names):
            return tuple(_back(state, name) for name in names if name in state.entries)
        case ev.Disqualified(entry=name) if name in state.entries:
            return (_replace(_back(state, name), chips_from="ledger"),)
        case ev.HandEnded(busts=busts) if busts:
            return tuple(
                _replace(_back(state, name), chips_from="ledger", stack=None)
                for name in busts
                if name in state.entries
            )
        case ev.Returned(entry=name):
            places = [(g, b) for g in state.groups for b in g.busts if b.entry == name]
            start = {name: places[0][1].stack} if places and places[0][1].stack is not None else {}
            table = state.entries[name].place if name in state.entries else None
            if table is None:
                return ()
            return (
                ev.Busted(
                    table=table.table,
                    entries=(name,),
                    start_stacks={key: value for key, value in start.items() if value is not None},
                ),
            )
        case ev.PenaltySet(entry=name) if name in state.entries:
            held = state.entries[name]
            return (
                ev.PenaltySet(entry=name, hands=held.penalty, warnings=held.warnings, faults=held.faults),
            )
        case ev.GroupOrdered(group=key):
            return tuple(
                ev.GroupOrdered(group=key, order=group.order) for group in state.groups if group.key == key
            )
        case ev.StackTold(entry=name):
            return tuple(
                ev.StackTold(entry=name, start_stack=bust.stack)
                for group in state.groups
                for bust in group.busts
                if bust.entry == name
            )
    return ()


def _back(state: State, name: str) -> ev.Returned:
    entry = state.entries[name]
    return ev.Returned(entry=name, place=entry.place, stack=entry.stack)


def _of_tables(state: State, event: ev.Event) -> tuple[ev.Event, ...]:
    match event:
        case ev.TableOpened(table=name):
            return (ev.TableClosed(table=name),)
        case ev.TableClosed(table=name) if name in state.tables:
            held = state.tables[name]
            return (ev.TableOpened(table=name, capacity=held.capacity, device=held.device),)
        case ev.OrderPosted():
            return (ev.OrderPosted(order=state.order),)
        case ev.ButtonSet(table=name) if name in state.tables:
            held = state.tables[name]
            return (
                ev.ButtonSet(table=name, button=held.first_button, positions=held.positions, how="director"),
            )
        case ev.BigBlindTold(table=name) if name in state.tables:
            return (ev.BigBlindTold(table=name, seat=state.tables[name].big_blind_next),)
        case ev.Vouched(table=name) if name in state.tables:
            return (ev.Vouched(table=name, vouched=state.tables[name].vouched),)
        case ev.LooseTold(loose=loose):
            return (ev.LooseTold(loose={t: state.tables[t].loose for t in loose if t in state.tables}),)
        case ev.ColouredUp(table=name, stacks=stacks):
            before = {who: state.entries[who].stack for who in stacks if who in state.entries}
            return (
                ev.ColouredUp(
                    table=name, stacks={who: held for who, held in before.items() if held is not None}
                ),
            )
        case ev.Held(table=name, reason=reason):
            return (ev.Released(table=name, reason=reason),)
        case ev.Released(table=name, reason=reason):
            return (ev.Held(table=name, reason=reason),)
        case ev.HaltWaived(table=name) if name in state.tables:
            return (ev.HaltWaived(table=name, short=state.tables[name].waived),)
    return ()


def _of_moves(state: State, event: ev.Event) -> tuple[ev.Event, ...]:
    match event:
        case ev.MovePlanned(move=move):
            return (ev.MoveCancelled(move=move),)
        case ev.MoveLeft(move=move):
            return (ev.MoveCancelled(move=move),)
        case ev.MoveArrived(move=move) | ev.MoveSettled(move=move) if move in state.moves:
            held = state.moves[move]
            return (ev.Reseated(entry=held.entry, place=held.origin),)
        case ev.Reseated(entry=name) if name in state.entries:
            place = state.entries[name].place
            return () if place is None else (ev.Reseated(entry=name, place=place),)
        case ev.TableBreaking(table=name):
            return (ev.BreakCancelled(table=name),)
        case ev.Redrawn(table=name) if name in state.tables:
            seats = tuple(
                ev.Seating(who, Place(name, seat)) for seat, who in state.tables[name].seats.items()
            )
            return (ev.Redrawn(table=name, seats=seats),)
    return ()


def _of_rounds(state: State, event: ev.Event) -> tuple[ev.Event, ...]:
    match event:
        case ev.HandForHandAnnounced():
            return (ev.HandForHandEnded(),)
        case ev.HandForHandEnded():
            return (ev.HandForHandAnnounced(),)
        case ev.Excused(table=name) if state.hand_for_hand is not None:
            return (ev.Excused(table=name, reason=state.hand_for_hand.excused.get(name)),)
        case ev.RoundReleased():
            # A gate only goes up: what was let go is not taken back, who has not begun yet is held.
            roster = hand_for_hand.roster(state.tables.values())
            return tuple(ev.Held(table=name, reason=hand_for_hand.WITHHELD) for name in roster)
        case ev.RunoutReleased(table=name) if name in state.tables and not state.tables[name].device:
            held_table = state.tables[name]
            return (ev.RunoutPending(table=name, hand=held_table.hand, seats=held_table.runout),)
        case ev.Noted(notes=notes, again=again):
            return (ev.Noted(notes=notes, again=not again),)
        case ev.Postponed(proposal=proposal, again=again):
            return (ev.Postponed(proposal=proposal, again=not again),)
        case ev.Looked(discrepancy=key, detail=None) if key in state.discrepancies:
            return (ev.Looked(discrepancy=key, detail=state.discrepancies[key]),)
        case ev.HandDone(table=name, again=again):
            held_up = state.hand_for_hand
            done = held_up is not None and name in held_up.parked
            return () if done and not again else (ev.HandDone(table=name, again=not again),)
        case ev.StopTold(table=name, stopped=True):
            return (ev.StopTold(table=name, stopped=False),)
        case ev.Passed(block=block):
            return (ev.Passed(block=block, reason=state.passed.get(block, "")),)
        case ev.Finished():
            return (ev.Finished(again=not event.again),)
        case ev.RebuyDeclined(entry=name) if name in state.rebuys_asked:
            return (ev.RebuyAsked(entry=name),)
        case ev.CallOpened(call=call):
            return (ev.CallAnswered(call=call, rev=1, state="closed"),)
        case ev.CallAnswered(call=call) if call in state.calls:
            held = state.calls[call]
            return (ev.CallAnswered(call=call, rev=held.rev + 1, state=held.state),)
    return ()


def compensation(state: State, record: ev.Record, preset: Preset) -> tuple[ev.Event, ...]:
    """The events that take a decision back as things stand by now.

    Args:
        state: the present.
        record: the decision.
        preset: chooses the seat of somebody who comes back.

    Raises:
        Refused: it cannot be taken back, with what to do instead.
    """
    if not record.undo:
        raise Refused(
            "no-undo",
            "this is what a table reported",
            where=f"no. {record.n}",
            hint="correct it at the table",
        )
    found: list[ev.Event] = []
    taken: set[Place] = set()
    for event in record.undo:
        fitted = _fitted(state, event, preset, taken)
        if fitted is not None:
            found.append(fitted)
    if not found:
        if any(
            isinstance(event, ev.Held) and event.reason == hand_for_hand.WITHHELD for event in record.undo
        ):
            raise Refused(
                "round-begun",
                "every table plays its hand of this round",
                where="room",
                hint="let it be played",
            )
        raise Refused("undone", "it is undone already", where=f"no. {record.n}", hint="nothing to do")
    return tuple(found)


def _fitted(state: State, event: ev.Event, preset: Preset, taken: set[Place]) -> ev.Event | None:
    match event:
        case ev.Returned(entry=name, place=place):
            entry = state.entries.get(name)
            if entry is None or entry.where != "out":
                return None
            if place is None or place in taken or not is_free(state, place):
                place = _other_seat(state, preset, taken, place)
            if place is not None:
                taken.add(place)
            return _replace(event, place=place)
        case ev.Reseated(entry=name, place=place):
            entry = state.entries.get(name)
            if entry is None or entry.where != "seated" or entry.place == place:
                return None
            if not is_free(state, place):
                raise Refused(
                    "seat-taken", "its old seat is not free", where=name, hint="move it to another seat"
                )
            return event
        case ev.Unstarted() if not state.started:
            return None
        case ev.HandDone(table=name, again=True):
            now = state.hand_for_hand
            return event if now is not None and name in now.parked else None
        case ev.Held(table=name, reason=hand_for_hand.WITHHELD):
            return event if hand_for_hand.yet_to_begin(state, name) else None
        case ev.RunoutPending(table=name, hand=hand):
            now_there = state.tables.get(name)
            open_still = now_there is not None and now_there.runout_released and now_there.hand == hand
            return event if open_still else None
        case ev.Looked(discrepancy=key, detail=str()):
            return None if key in state.discrepancies else event
        case ev.Postponed(proposal=proposal, again=True):
            return event if proposal in state.postponed else None
        case ev.Noted(notes=notes, again=True):
            return event if set(notes) & set(state.noted) else None
        case ev.StopTold(table=name, stopped=False):
            return event if name in state.tables and state.tables[name].stopped else None
        case ev.Clocked(act=clocks.Set()) if not state.started and not state.clock.started:
            return None  # its start was taken back: there is no level to go back to
        case ev.LevelsSet(stage=int()) if not state.started and not state.clock.started:
            return _replace(event, stage=None, remaining=None)
        case ev.MoveCancelled(move=move):
            held = state.moves.get(move)
            if held is not None and held.state == "done":
                return _fitted(state, ev.Reseated(entry=held.entry, place=held.origin), preset, taken)
            return None if held is None or held.state == "cancelled" else event
        case ev.CallAnswered(call=call):
            current = state.calls.get(call)
            if current is None:
                return None
            told = current.decision  # the table may have obeyed it: it must learn that it is taken back
            back = None if told is None else _replace(told, undone=event.state != "closed")
            return _replace(event, rev=current.rev, decision=back)
    return event


def is_free(state: State, place: Place) -> bool:
    """Whether somebody may sit down there now."""
    table = state.tables.get(place.table)
    return table is not None and table.status == "open" and place.seat in free_seats(state, table)


def _other_seat(state: State, preset: Preset, taken: set[Place], place: Place | None) -> Place | None:
    """Another seat for somebody who comes back: at the same table if it is played, else where the fewest are."""
    opened = open_tables(state)
    opened.sort(key=lambda t: (place is None or t.id != place.table, size(state, t)))
    for table in opened:
        free = [seat for seat in free_seats(state, table) if Place(table.id, seat) not in taken]
        if free:
            worst = seating.worst_seat(state, table, preset)
            return Place(table.id, worst if worst in free and worst is not None else free[0])
    return None
