"""The tournament as a machine: ``apply(state, event, preset) -> state``; the same log gives the same state, always.

A step is thaw, apply, freeze; ``replay`` thaws once. A decision that does not fit raises and changes nothing; what a
table reports is a fact and is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import entries, hand_for_hand, levels, moves, stopping, tables
from tournament_hub.logic import events as ev
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Call, Settings, State

AT_TABLE: Final = "at_table"
"""What a call is closed with that people at the table have settled."""
_replace = msgspec.structs.replace


def start(settings: Settings) -> State:
    """A tournament before anything has happened."""
    return State(settings=settings)


def apply(state: State, event: ev.Event, preset: Preset, at: float = 0.0) -> State:
    """The tournament after one more event; ``state`` stays as it was.

    Args:
        state: how things stand.
        event: what happens.
        preset: what the rulebook decides.
        at: seconds on the hub's clock.

    Raises:
        Refused: the decision does not fit how things stand.
    """
    draft = Draft(state, preset, at)
    _step(draft, event)
    return draft.freeze()


def replay(settings: Settings, log: Iterable[ev.Record], preset: Preset, state: State | None = None) -> State:
    """The tournament that a log makes.

    Raises:
        Refused: a record does not fit: the log was altered.
    """
    draft = Draft(state if state is not None else start(settings), preset, 0.0)
    for record in log:
        draft.at = record.at
        _step(draft, record.event)
    return draft.freeze()


def _step(draft: Draft, event: ev.Event) -> None:
    draft.rev += 1
    HANDLERS[type(event)](draft, event)
    if draft.hand_for_hand is not None:
        hand_for_hand.settle_roster(draft)
    if stopping.may_matter(draft, event):
        stopping.settle(draft)


# -- what is short enough to stand here ---------------------------------------------------


def _opened(d: Draft, event: ev.Opened) -> None:
    before = d.settings
    if d.started and (event.settings.starting_stack is None) != (before.starting_stack is None):
        raise Refused(
            "started", "stacks are recorded or not from the start", where="settings", hint="leave it"
        )
    d.settings = event.settings
    if before.stages != event.settings.stages and d.clock.started:
        if d.clock.stage >= len(event.settings.stages):
            raise Refused("stages", "the level that runs is missing", where="settings", hint="keep it")
        d.act(clocks.Restructured())


def _started(d: Draft, event: ev.Started) -> None:
    short = [t.id for t in d.tables.values() if t.seats and len(t.seats) < d.preset.start_players]
    if short and len([t for t in d.tables.values() if t.seats]) > 1 and "start" not in d.passed:
        raise Refused(
            "too-few",
            f"a table starts with {d.preset.start_players} players ({d.preset.article('start_players')})",
            where=short[0],
            hint="balance it, or pass it with a reason",
        )
    if sum(len(t.seats) for t in d.tables.values()) < 2:
        raise Refused("too-few", "nobody sits", where="room", hint="draw the seats first")
    d.started = True
    d.act(clocks.Started())


def _unstarted(d: Draft, event: ev.Unstarted) -> None:
    """Only as long as no hand is known of: what was played cannot be taken back by taking the start back."""
    if not d.started:
        raise Refused("undone", "it has not started", where="start", hint="nothing to do")
    played = [t.id for t in d.tables.values() if t.running or t.hands or t.hand is not None]
    played += [bust.table for group in d.groups for bust in group.busts]
    if played:
        raise Refused(
            "hand-played",
            "a hand has been played",
            where=played[0] or "room",
            hint="play on, or end the tournament",
        )
    d.started = False
    if d.hand_for_hand is not None:
        d.hand_for_hand = None
        d.act(clocks.Released(clocks.HAND_FOR_HAND))
    if event.pauses is not None:
        d.act(clocks.Unstarted(event.pauses))


def _clocked(d: Draft, event: ev.Clocked) -> None:
    if not d.settings.stages:
        raise Refused("no-structure", "there are no levels", where="clock", hint="set the structure first")
    try:
        d.act(event.act)
    except ValueError as error:
        raise Refused("stages", str(error), where="clock", hint="choose a level of the structure") from error


def _passed(d: Draft, event: ev.Passed) -> None:
    if event.reason:
        d.passed[event.block] = event.reason
    else:
        d.passed.pop(event.block, None)


def _postponed(d: Draft, event: ev.Postponed) -> None:
    if event.again:
        d.postponed.pop(event.proposal, None)
    else:
        d.postponed[event.proposal] = d.rev


def _looked(d: Draft, event: ev.Looked) -> None:
    if event.detail is None:
        d.discrepancies.pop(event.discrepancy, None)
    else:
        d.discrepancies[event.discrepancy] = event.detail


def _noted(d: Draft, event: ev.Noted) -> None:
    rest = tuple(note for note in d.noted if note not in event.notes)
    d.noted = rest if event.again else (*rest, *event.notes)


def _finished(d: Draft, event: ev.Finished) -> None:
    if not event.again and d.alive() > 1 and "finish" not in d.passed:
        raise Refused(
            "several", f"{d.alive()} are still in", where="room", hint="pass it with a reason, or play on"
        )
    if event.again and d.over and d.settings.stages:
        d.act(clocks.Set(d.clock.stage, d.clock.remaining))
    d.over = not event.again
    if d.over:
        d.hand_for_hand = None
        d.act(clocks.Ended())


def _call_opened(d: Draft, event: ev.CallOpened) -> None:
    if event.call in d.calls:
        raise Refused("call-known", "there is such a call", where=event.call, hint="look at it")
    if event.table is not None and event.hold:
        d.set_table(event.table, begun=None)
    elif event.table is not None:
        d.table(event.table)
    d.calls[event.call] = Call(
        id=event.call,
        kind=event.kind,
        table=event.table,
        seat=event.seat,
        hold=event.hold,
        opened_at=d.at,
        origin=event.origin,
        hand=event.hand,
        incident=event.incident,
        declared=event.declared,
        counted=event.counted,
    )


def _call_told(d: Draft, event: ev.CallTold) -> None:
    call = d.calls.get(event.call)
    if call is None:
        raise Refused("no-call", "there is no such call", where=event.call, hint="look at the open calls")
    d.calls[call.id] = _replace(call, declared=event.declared, counted=event.counted)


def _call_answered(d: Draft, event: ev.CallAnswered) -> None:
    call = d.calls.get(event.call)
    if call is None:
        raise Refused("no-call", "there is no such call", where=event.call, hint="look at the open calls")
    if call.rev != event.rev:
        raise Refused("call-changed", f"it is {call.state} by now", where=event.call, hint="look at it again")
    d.calls[call.id] = _replace(
        call,
        rev=call.rev + 1,
        state=event.state,
        code=event.code or call.code,
        text=event.text or call.text,
        article=event.article or call.article,
        decision=event.decision,
        obeyed=call.obeyed and event.decision is None,
    )


def _call_gone(d: Draft, event: ev.CallGone) -> None:
    call = d.calls.get(event.call)
    if call is None or call.obeyed:
        return
    if call.state == "closed":
        d.calls[call.id] = _replace(call, obeyed=True)
    else:
        d.calls[call.id] = _replace(
            call, obeyed=True, state="closed", rev=call.rev + 1, code=call.code or AT_TABLE
        )


def _rebuy_asked(d: Draft, event: ev.RebuyAsked) -> None:
    entry = d.entry(event.entry)
    if d.preset.money != "on" or entry.rebuys >= d.settings.rebuys:
        raise Refused("no-rebuy", "no further rebuy", where=entry.id, hint="a director may pass it")
    if entry.id not in d.rebuys_asked:
        d.rebuys_asked = (*d.rebuys_asked, entry.id)


def _rebuy_declined(d: Draft, event: ev.RebuyDeclined) -> None:
    d.rebuys_asked = tuple(name for name in d.rebuys_asked if name != event.entry)


HANDLERS: Final[dict[type[Any], Callable[[Draft, Any], None]]] = {
    ev.Opened: _opened,
    ev.Registered: entries.registered,
    ev.Withdrawn: entries.withdrawn,
    ev.TableOpened: tables.opened,
    ev.TableClosed: tables.closed,
    ev.OrderPosted: tables.order_posted,
    ev.Drawn: entries.drawn,
    ev.Undrawn: entries.undrawn,
    ev.ButtonSet: tables.button_set,
    ev.Started: _started,
    ev.Unstarted: _unstarted,
    ev.Clocked: _clocked,
    ev.LevelsSet: levels.levels_set,
    ev.LateEntered: entries.late_entered,
    ev.Seated: entries.seated,
    ev.Presence: entries.presence,
    ev.ChipsAdded: entries.chips_added,
    ev.Counted: entries.counted,
    ev.Busted: entries.busted,
    ev.Disqualified: entries.disqualified,
    ev.Returned: entries.returned,
    ev.PenaltySet: entries.penalty_set,
    ev.PenaltyServed: entries.penalty_served,
    ev.HandStarted: tables.hand_started,
    ev.HandEnded: tables.hand_ended,
    ev.BigBlindTold: tables.big_blind_told,
    ev.Heard: tables.heard,
    ev.DealerTold: tables.dealer_told,
    ev.Vouched: tables.vouched,
    ev.LooseTold: tables.loose_told,
    ev.ColouredUp: tables.coloured_up,
    ev.MovePlanned: moves.planned,
    ev.MoveLeft: moves.left,
    ev.MoveArrived: moves.arrived,
    ev.MoveSettled: moves.settled,
    ev.MoveCancelled: moves.cancelled,
    ev.Reseated: moves.reseated,
    ev.TableBreaking: moves.breaking,
    ev.BreakCancelled: moves.break_cancelled,
    ev.Redrawn: moves.redrawn,
    ev.Held: tables.held,
    ev.Released: tables.released,
    ev.HaltWaived: tables.halt_waived,
    ev.HandForHandAnnounced: hand_for_hand.announced,
    ev.RoundReleased: hand_for_hand.round_released,
    ev.HandDone: hand_for_hand.hand_done,
    ev.Excused: hand_for_hand.excused,
    ev.StopTold: stopping.stop_told,
    ev.RunoutPending: hand_for_hand.runout_pending,
    ev.RunoutReleased: hand_for_hand.runout_released,
    ev.HandForHandEnded: hand_for_hand.ended,
    ev.GroupOrdered: entries.group_ordered,
    ev.StackTold: entries.stack_told,
    ev.Passed: _passed,
    ev.Postponed: _postponed,
    ev.Noted: _noted,
    ev.Looked: _looked,
    ev.Finished: _finished,
    ev.CallOpened: _call_opened,
    ev.CallTold: _call_told,
    ev.CallAnswered: _call_answered,
    ev.CallGone: _call_gone,
    ev.RebuyAsked: _rebuy_asked,
    ev.RebuyDeclined: _rebuy_declined,
}
