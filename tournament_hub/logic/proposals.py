"""What the hub proposes; the director disposes: do it, do otherwise, or later.

Every plan is a proposal with its reason and article; where a fact is missing it is one question instead, with the
answers as events. ``proposals`` is a pure function of the tournament, so it is always right for what is shown.
"""

from __future__ import annotations

import msgspec

from tournament_hub.logic import balance, penalties, ranking, reminders, seating, stopping
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposal import Choice as Choice
from tournament_hub.logic.proposal import Proposal as Proposal
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import (
    State,
    alive,
    chips_found,
    open_moves,
    open_tables,
    short_of_restart,
    size,
)


def proposals(state: State, preset: Preset, at: float = 0.0) -> tuple[Proposal, ...]:
    """Everything that waits for the director, most urgent first, "later" last.

    Args:
        state: the tournament.
        preset: what the rulebook decides.
        at: seconds on the hub's clock.
    """
    if state.over:
        found = _orders(state, preset)
    elif not state.started:
        found = _before(state, preset)
    else:
        found = [
            *_discrepancies(state),
            *_mismatches(state),
            *_orders(state, preset),
            *_finish(state),
            *_hand_for_hand(state, preset),
            *stopping.questions(state, at),
            *_seat(state, preset),
            *_tables(state, preset),
            *_halts(state, preset),
            *_absences(state, preset, at),
            *_rebuys(state, preset),
            *reminders.colour_ups(state, preset),
            *reminders.restarts(state, preset),
            *reminders.decks(state, preset),
            *reminders.antes(state, preset),
        ]
    marked = [msgspec.structs.replace(p, later=p.id in state.postponed) for p in found]
    return tuple(sorted(marked, key=lambda p: p.later))


# -- before the start --------------------------------------------------------------------


def _before(state: State, preset: Preset) -> list[Proposal]:
    found = []
    waiting = seating.to_seat(state)
    if waiting and open_tables(state):
        seed = f"{state.settings.seed}/draw/{state.rev}"
        try:
            drawn = seating.draw(state, seed)
        except Refused as refused:
            choice = Choice("open_table", {}, ())
            return [
                Proposal(
                    id="no_room",
                    kind="no_room",
                    values={"players": len(waiting), "why": refused.what},
                    alternatives=(choice,),
                    question=True,
                )
            ]
        found.append(
            Proposal(id="draw", kind="draw", values={"players": len(waiting), "seed": seed}, effects=(drawn,))
        )
    elif state.entries and not waiting:
        found += _buttons(state, preset)
        if not found:
            found += [*reminders.decks(state, preset), *reminders.antes(state, preset)]
            found.append(Proposal(id="start", kind="start", effects=(ev.Started(),)))
    return found


def _buttons(state: State, preset: Preset) -> list[Proposal]:
    found = []
    for table in open_tables(state):
        if len(table.seats) < 2 or table.running or not table.device:
            continue
        if table.positions is None and table.first_button is None and table.big_blind_next is None:
            seed = f"{state.settings.seed}/button/{table.id}/{state.rev}"
            found.append(
                Proposal(
                    id=f"button:{table.id}",
                    kind="button",
                    values={"table": table.id},
                    article=preset.article("button_draw"),
                    effects=(seating.draw_button(table, preset, seed),),
                )
            )
    return found


# -- what does not fit, what is missing ---------------------------------------------------------


def _discrepancies(state: State) -> list[Proposal]:
    found = []
    for key, detail in state.discrepancies.items():
        kind, _, name = key.partition(":")
        choices = [Choice("looked", {}, (ev.Looked(discrepancy=key),))]
        if kind == "zero" and name in state.entries and state.entries[name].where == "seated":
            choices.insert(
                0,
                Choice(
                    "is_out",
                    {"entry": name},
                    (ev.Busted(table=detail, entries=(name,)), ev.Looked(discrepancy=key)),
                ),
            )
        found.append(
            Proposal(
                id=f"discrepancy:{key}",
                kind="discrepancy",
                values={"what": kind, "name": name, "detail": detail},
                alternatives=tuple(choices),
                question=True,
            )
        )
    return found


def _mismatches(state: State) -> list[Proposal]:
    found = []
    for move in open_moves(state):
        if move.state != "mismatch":
            continue
        choices = tuple(
            Choice(name, {"chips": stack}, (ev.MoveSettled(move=move.id, stack=stack),))
            for name, stack in (("source_right", move.stack), ("destination_right", move.counted))
        )
        found.append(
            Proposal(
                id=f"mismatch:{move.id}",
                kind="mismatch",
                values={"entry": move.entry, "said": move.stack, "counted": move.counted},
                alternatives=choices,
                question=True,
            )
        )
    return found


def _orders(state: State, preset: Preset) -> list[Proposal]:
    """Places that only people can tell apart: a larger stack that nobody recorded, or a heads-up between them."""
    found = []
    orders = {group.key: group.order for group in state.groups}
    for key, entries, how in ranking.undecided(state.groups, preset):
        rest = [name for name in entries if name not in orders[key]]
        choices = []
        for first in rest:  # the best first, then the next, until one is left
            last = [name for name in rest if name != first] if len(rest) == 2 else []
            order = (*orders[key], first, *last)
            choices.append(Choice("above", {"entry": first}, (ev.GroupOrdered(group=key, order=order),)))
        found.append(
            Proposal(
                id=f"order:{key}:{len(rest)}",
                kind="heads_up" if how == "heads_up" else "order",
                values={"entries": tuple(rest)},
                article=preset.article("tie"),
                alternatives=tuple(choices),
                question=True,
            )
        )
    return found


def _ask_blind(state: State, name: str) -> Proposal:
    table = state.tables[name]
    choices = tuple(
        Choice("seat", {"seat": seat}, (ev.BigBlindTold(table=name, seat=seat),))
        for seat in sorted(table.seats)
    )
    return Proposal(
        id=f"next_big_blind:{name}",
        kind="next_big_blind",
        values={"table": name},
        alternatives=choices,
        question=True,
    )


def _ask_unheard(name: str) -> Proposal:
    return Proposal(
        id=f"unheard:{name}",
        kind="unheard",
        values={"table": name},
        alternatives=(Choice("all_right", {"table": name}, (ev.Vouched(table=name),)),),
        question=True,
    )


def _finish(state: State) -> list[Proposal]:
    if alive(state) > 1:
        return []
    unheard = balance.unheard(state)
    if unheard:
        return [_ask_unheard(name) for name in unheard]
    return [Proposal(id="finish", kind="finish", effects=(ev.Finished(),))]


# -- hand-for-hand ---------------------------------------------------------------------------------


def _hand_for_hand(state: State, preset: Preset) -> list[Proposal]:
    held = state.hand_for_hand
    article = preset.article("hand_for_hand_near")
    if held is None:
        if not near(state, preset):
            return []
        unheard = balance.unheard(state)
        if unheard:
            return [_ask_unheard(name) for name in unheard]
        return [
            Proposal(
                id=f"hand_for_hand:{alive(state)}",
                kind="hand_for_hand",
                values={"left": alive(state)},
                article=article,
                effects=(ev.HandForHandAnnounced(),),
            )
        ]
    found = []
    for name in held.roster:
        table = state.tables[name]
        if table.runout and not table.runout_released:
            others = hfh.others_running(state, name)
            if not others or preset.hand_for_hand_all_in == "face_up":
                found.append(
                    Proposal(
                        id=f"runout:{name}:{table.hand}",
                        kind="runout",
                        values={"table": name},
                        article=preset.article("hand_for_hand_all_in"),
                        effects=(ev.RunoutReleased(table=name),),
                    )
                )
    waiting = [name for name in hfh.waiting_for(held) if f"waits:{name}" not in state.passed]
    for name in waiting:
        table = state.tables[name]
        if not table.device:
            found.append(
                Proposal(
                    id=f"hand_done:{name}:{held.gate}",
                    kind="hand_done",
                    values={"table": name},
                    alternatives=(Choice("hand_done", {"table": name}, (ev.HandDone(table=name),)),),
                    question=True,
                )
            )
        elif not table.trusted:
            found.append(
                Proposal(
                    id=f"lost:{name}:{held.gate}",
                    kind="lost",
                    values={"table": name},
                    alternatives=(
                        Choice("excuse", {"table": name}, (ev.Excused(table=name, reason="not_heard"),)),
                        Choice("hand_done", {"table": name}, (ev.HandDone(table=name),)),
                    ),
                    question=True,
                )
            )
    if waiting:
        return found
    if not near(state, preset) or len(held.roster) < 2:
        found.append(
            Proposal(
                id=f"end_hand_for_hand:{held.gate}",
                kind="end_hand_for_hand",
                article=article,
                effects=(ev.HandForHandEnded(),),
            )
        )
    elif not hfh.blocks(state) and not _to_move(state, preset):
        found.append(
            Proposal(
                id=f"round:{held.gate}",
                kind="round",
                values={"round": held.round + 1},
                article=article,
                effects=(ev.RoundReleased(round=held.round + 1),),
                alternatives=(Choice("end", {}, (ev.HandForHandEnded(),)),),
            )
        )
    return found


def near(state: State, preset: Preset) -> bool:
    """Whether it is hand-for-hand time: one from the money, or by the preset one from the final table."""
    left = alive(state)
    if len(open_tables(state)) < 2:
        return False
    if state.settings.places_paid and left == state.settings.places_paid + 1:
        return True
    if preset.hand_for_hand_near == "bubble":
        return False
    return len(open_tables(state)) == 2 and left == seating.final_size(state, preset) + 1


def _to_move(state: State, preset: Preset) -> bool:
    return balance.break_due(state, preset) or balance.plan_balance(state, preset) is not None


# -- seats, breaking, balancing --------------------------------------------------------------------------


def _seat(state: State, preset: Preset) -> list[Proposal]:
    found = []
    for entry in seating.to_seat(state)[:1]:
        place = seating.late_place(state, preset, f"{state.settings.seed}/seat/{entry.id}")
        if place is not None:
            found.append(
                Proposal(
                    id=f"seat:{entry.id}",
                    kind="seat",
                    values={"entry": entry.id, "table": place.table, "seat": place.seat},
                    article=preset.article("late_seat"),
                    effects=(ev.Seated(entry=entry.id, place=place),),
                )
            )
    return found


def _tables(state: State, preset: Preset) -> list[Proposal]:
    """Break first, then balance, then the final table's draw; one thing at a time."""
    if any(table.status == "breaking" for table in state.tables.values()):
        return []
    held = state.hand_for_hand
    running = held is not None and bool(hfh.waiting_for(held))
    if not running and balance.break_due(state, preset):
        return _break(state, preset)
    if not running:
        plan = balance.plan_balance(state, preset)
        if plan is not None:
            return _balance(state, preset, plan)
    found = _redraw(state, preset)
    return found or _buttons(state, preset)


def _break(state: State, preset: Preset) -> list[Proposal]:
    unheard = balance.unheard(state)
    if unheard:
        return [_ask_unheard(name) for name in unheard]
    table = balance.next_to_break(state, preset)
    if table is None or any(True for _ in open_moves(state)):
        return []
    plan = balance.plan_break(state, preset, table)
    others = []
    for other in open_tables(state):
        instead = balance.plan_break(state, preset, other) if other.id != table.id else None
        if instead is not None:
            others.append(Choice("break_instead", {"table": other.id}, (_breaking(instead),)))
    if plan is None:
        return []
    return [
        Proposal(
            id=f"break:{table.id}",
            kind="final" if plan.final else "break",
            values={"table": table.id, "players": len(plan.moves)},
            article=preset.article("final_table_seats" if plan.final else "break_order"),
            effects=(_breaking(plan),),
            alternatives=tuple(others),
        )
    ]


def _breaking(plan: balance.BreakPlan) -> ev.TableBreaking:
    return ev.TableBreaking(table=plan.table, moves=plan.moves, final=plan.final, seed=plan.seed)


def _balance(state: State, preset: Preset, plan: balance.BalancePlan) -> list[Proposal]:
    unheard = [name for name in (plan.source, plan.destination) if not state.tables[name].trusted]
    if unheard:
        return [_ask_unheard(name) for name in unheard]
    if plan.unknown is not None:
        return [_ask_blind(state, plan.unknown)]
    if plan.entry is None or plan.target is None:
        return []
    others = []
    source = state.tables[plan.source]
    for name in source.seats.values():
        if name != plan.entry and state.entries[name].move is None:
            move = ev.MovePlanned(move=balance.move_id(state), entry=name, target=plan.target)
            others.append(Choice("move_instead", {"entry": name}, (move,)))
    effect = ev.MovePlanned(
        move=balance.move_id(state), entry=plan.entry, target=plan.target, reason="balance"
    )
    return [
        Proposal(
            id=f"balance:{plan.entry}:{plan.destination}",
            kind="balance",
            values={
                "entry": plan.entry,
                "source": plan.source,
                "table": plan.destination,
                "seat": plan.target.seat,
            },
            article=preset.article("balance_mover"),
            effects=(effect,),
            alternatives=tuple(others),
        )
    ]


def _redraw(state: State, preset: Preset) -> list[Proposal]:
    opened = open_tables(state)
    if state.final is None or state.redrawn or not preset.final_table_redraw or len(opened) != 1:
        return []
    table = opened[0]
    if table.running or len(table.seats) < 2 or any(True for _ in open_moves(state)):
        return []
    seed = f"{state.settings.seed}/final/{state.rev}"
    return [
        Proposal(
            id="redraw",
            kind="redraw",
            values={"table": table.id},
            article=preset.article("final_table_redraw"),
            effects=(seating.redraw(state, table, seed),),
        )
    ]


def _halts(state: State, preset: Preset) -> list[Proposal]:
    found = []
    short = {item.table: item for item in balance.short_tables(state, preset)}
    for item in short.values():
        table = state.tables[item.table]
        if "short" in table.hold or not item.affected:
            continue
        found.append(
            Proposal(
                id=f"halt:{item.table}:{item.by}",
                kind="halt",
                values={"table": item.table, "short": item.by},
                article=preset.article(
                    "halt_short_few_tables"
                    if len(open_tables(state)) <= preset.few_tables_up_to
                    else "halt_short"
                ),
                effects=(ev.Held(table=item.table, reason="short"),),
                alternatives=(Choice("waive", {}, (ev.HaltWaived(table=item.table, short=item.by),)),),
            )
        )
    for table in open_tables(state):
        if "short" in table.hold and table.id not in short:
            found.append(
                Proposal(
                    id=f"resume:{table.id}",
                    kind="resume",
                    values={"table": table.id, "players": size(state, table)},
                    effects=(ev.Released(table=table.id, reason="short"),),
                )
            )
    withheld = tuple(table.id for table in state.tables.values() if hfh.WITHHELD in table.hold)
    if withheld:
        go_on = tuple(ev.Released(table=name, reason=hfh.WITHHELD) for name in withheld)
        found.append(Proposal(id="round_on", kind="round_on", values={"tables": withheld}, effects=go_on))
    return found


def _absences(state: State, preset: Preset, at: float) -> list[Proposal]:
    """Stacks that are taken off: who has said that he leaves, or has been away for too long (PPC 3.4)."""
    found = []
    for entry in state.entries.values():
        if not entry.absent or entry.where != "seated":
            continue
        late = entry.absent_since is not None and penalties.absence_over(preset, entry.absent_since, at)
        gone = entry.declared and preset.declared_leave == "stack_removed"
        if late or gone:
            found.append(
                Proposal(
                    id=f"absence:{entry.id}",
                    kind="absence",
                    values={"entry": entry.id},
                    article=preset.article("declared_leave" if gone else "absence_minutes"),
                    effects=(ev.Disqualified(entry=entry.id, left=True, reason="absent"),),
                )
            )
    return found


def _rebuys(state: State, preset: Preset) -> list[Proposal]:
    """Somebody has asked for chips: a director says yes or no."""
    if preset.money != "on":
        return []
    return [
        Proposal(
            id=f"rebuy:{name}",
            kind="rebuy",
            values={"entry": name, "chips": state.settings.rebuy_stack},
            effects=(ev.ChipsAdded(entry=name, chips=state.settings.rebuy_stack),),
            alternatives=(Choice("decline", {}, (ev.RebuyDeclined(entry=name),)),),
        )
        for name in state.rebuys_asked
    ]


def may_start(state: State, name: str) -> tuple[str, ...]:
    """Why a table must not begin a hand now, empty: it may. The same reasons go to the table as its holds.

    ``not_started over closed breaking players short hand_for_hand move call break`` and reasons of people.
    """
    table = state.tables[name]
    found = list(table.hold)
    if not state.started:
        found.append("not_started")
    if state.over:
        found.append("over")
    if table.status != "open":
        found.append(table.status)
    if len(table.seats) < 2 or short_of_restart(state, table):
        found.append("players")
    held = state.hand_for_hand
    if held is not None and (name not in held.roster or held.round == 0 or name in held.parked):
        found.append("hand_for_hand")  # the gate alone would do, but for a table that has lost its own record
    if any(state.entries[entry].move is not None for entry in table.seats.values()):
        found.append("move")
    if any(c.table == name and c.hold and c.state != "closed" for c in state.calls.values()):
        found.append("call")
    stages = state.settings.stages
    if stages and clocks.state(state.clock, stages) == "break":
        found.append("break")
    if state.clock.due:
        found.append("break")
    return tuple(dict.fromkeys(found))


def chips_agree(state: State) -> bool | None:
    """Whether all chips are where they must be; None: not all stacks are recorded."""
    found = chips_found(state)
    if found is None:
        return None
    return found == state.issued + sum(line.amount for line in state.ledger)
