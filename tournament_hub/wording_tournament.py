"""The tournament's decisions and proposals in plain words, French and English: what was done, what is proposed and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposals import Choice, Proposal
from tournament_hub.logic.state import State
from tournament_hub.wording import Chips, Saying, Word

MONEY: Final = frozenset(("rebuy",))
"""Proposals that exist only where a club plays for money."""

LEVEL_TOLD: Final = {
    "pot_awarded": "announce.level_pot_awarded",
    "first_riffle": "announce.level_first_riffle",
}
"""A level that comes while tables play, by what a book takes for the beginning of a hand."""
LEVELS_SET = {"break": "decision.levels_break", "undo": "decision.levels_undo"}
"""Why levels are others; else to be done in time."""


def say_decision(event: ev.Event) -> Saying | None:
    """One line for the log; None for what the log says otherwise (hands) or not at all."""
    match event:
        case ev.Drawn(seats=seats):
            return Saying("decision.drawn", {}, count=len(seats))
        case ev.Started():
            return Saying("decision.started", {})
        case ev.Unstarted():
            return Saying("decision.unstarted", {})
        case ev.Clocked(act=act):
            return _say_clock(act)
        case ev.LevelsSet(why=why):
            return Saying(LEVELS_SET.get(why, "decision.levels_finish"), {})
        case ev.LateEntered(entry=entry, place=place):
            if place is None:
                return Saying("decision.late_waits", {"entry": entry})
            return Saying("decision.late", {"entry": entry, "table": place.table, "seat": place.seat})
        case ev.Busted(entries=names, table=table):
            return Saying("decision.busted", {"entries": ", ".join(names), "table": table})
        case ev.HandEnded(busts=busts, table=table) if busts:
            return Saying("decision.busted", {"entries": ", ".join(busts), "table": table})
        case ev.Returned(entry=entry):
            return Saying("decision.returned", {"entry": entry})
        case ev.Disqualified(entry=entry, left=left):
            return Saying("decision.left" if left else "decision.disqualified", {"entry": entry})
        case ev.MovePlanned(entry=entry, target=target):
            return Saying("decision.move", {"entry": entry, "table": target.table, "seat": target.seat})
        case ev.MoveSettled(move=move, stack=stack):
            return Saying("decision.settled", {"move": move, "stack": Chips(stack)})
        case ev.TableBreaking(table=table, final=final):
            return Saying("decision.final" if final else "decision.break", {"table": table})
        case ev.Held(table=table, reason="short"):
            return Saying("decision.halt", {"table": table})
        case ev.Redrawn():
            return Saying("decision.redrawn", {})
        case ev.HandForHandAnnounced():
            return Saying("decision.hand_for_hand", {})
        case ev.RoundReleased(round=number):
            return Saying("decision.round", {"round": number})
        case ev.Held(table=table, reason="round"):
            return Saying("decision.withheld", {"table": table})
        case ev.RunoutReleased(table=table):
            return Saying("decision.runout", {"table": table})
        case ev.HandForHandEnded():
            return Saying("decision.hand_for_hand_over", {})
        case ev.Finished(again=False):
            return Saying("decision.finished", {})
    return _say_told(event)


def _say_told(event: ev.Event) -> Saying | None:
    """What a director tells from his phone: seats, absence, tables, penalties, calls ruled, blocks passed."""
    match event:
        case ev.Seated(entry=entry, place=place):
            return Saying("decision.seated", {"entry": entry, "table": place.table, "seat": place.seat})
        case ev.Presence(entry=entry, absent=absent):
            return Saying("decision.absent" if absent else "decision.back", {"entry": entry})
        case ev.BigBlindTold(table=table, seat=int(seat)):
            return Saying("decision.big_blind", {"table": table, "seat": seat})
        case ev.TableClosed(table=table):
            return Saying("decision.closed", {"table": table})
        case ev.OrderPosted(order=order):
            return Saying("decision.order", {"tables": ", ".join(order)})
        case ev.PenaltySet(entry=entry, hands=hands, warnings=warnings):
            return Saying("decision.penalty", {"entry": entry, "hands": hands, "warnings": warnings})
        case ev.Passed(reason=reason) if reason:
            return Saying("decision.passed", {"reason": reason})
        case ev.Noted(notes=(note, *_), again=False):
            return Saying(f"decision.noted.{note.partition(':')[0]}", {})
        case ev.HandDone(table=table, again=again):
            return Saying("decision.hand_not_done" if again else "decision.hand_done", {"table": table})
        case ev.Excused(table=table, reason=reason):
            return Saying("decision.excused" if reason is not None else "decision.waited", {"table": table})
        case ev.HaltWaived(table=table, short=int()):
            return Saying("decision.waived", {"table": table})
        case ev.Released(table=table, reason="short"):
            return Saying("decision.resumed", {"table": table})
        case ev.Released(table=table, reason="round"):
            return Saying("decision.round_on", {"table": table})
        case ev.ButtonSet(table=table, button=int(seat)):
            return Saying("decision.button", {"table": table, "seat": seat})
        case ev.Postponed(again=False):
            return Saying("decision.later", {})
        case ev.Looked(detail=None):
            return Saying("decision.looked", {})
        case ev.ChipsAdded(entry=entry, chips=chips) if chips > 0:
            return Saying("money.decision.chips", {"entry": entry, "chips": Chips(chips)})
        case ev.RebuyDeclined(entry=entry):
            return Saying("money.decision.declined", {"entry": entry})
        case ev.Vouched(table=table, vouched=True):
            return Saying("decision.vouched", {"table": table})
        case ev.GroupOrdered(order=(first, *_)):
            return Saying("decision.above", {"entry": first})
        case ev.BreakCancelled(table=table):
            return Saying("decision.break_cancelled", {"table": table})
        case ev.ColouredUp(table=table):
            return Saying("decision.coloured_up", {"table": table})
        case ev.StopTold(table=table, stopped=stopped):
            return Saying("decision.stopped" if stopped else "decision.still_plays", {"table": table})
        case ev.CallAnswered(state="closed", code=code, text=text) if code or text:
            ruling: object = Word(f"ruling.{code}") if code and (code != "play_on" or not text) else text
            return Saying("decision.ruled", {"ruling": ruling})
    return None


def _say_clock(act: clocks.Act) -> Saying | None:
    """What people do to the clock; that time passes is not said."""
    match act:
        case clocks.Paused(owner="director"):
            return Saying("decision.clock_stopped", {})
        case clocks.Released(owner="director"):
            return Saying("decision.clock_goes_on", {})
        case clocks.Released(owner=clocks.BREAK):
            return Saying("decision.break_over", {})
        case clocks.Set(stage=stage, remaining=remaining):
            if remaining is None:
                return Saying("decision.clock_stage", {"stage": stage + 1})
            minutes, seconds = divmod(round(remaining), 60)
            return Saying("decision.clock_set", {"stage": stage + 1, "time": f"{minutes}:{seconds:02}"})
    return None


def say_announcement(
    before: State, after: State, event: ev.Event, preset: Preset
) -> Iterator[tuple[str, Saying]]:
    """What the whole room is told of an event, each with its kind: ``start level break hand_for_hand table over``.

    A level is told with the hand from which it counts, as the book has it: no program can see every riffle.
    """
    match event:
        case ev.HandForHandAnnounced():
            yield "hand_for_hand", Saying("decision.hand_for_hand", {})
        case ev.HandForHandEnded():
            yield "hand_for_hand", Saying("decision.hand_for_hand_over", {})
        case ev.TableBreaking(table=table, final=final):
            yield "table", Saying("decision.final" if final else "decision.break", {"table": table})
        case ev.Finished(again=False):
            yield "over", Saying("decision.finished", {})
        case ev.Started():
            yield "start", Saying("decision.started", {})
        case ev.Unstarted():
            yield "start", Saying("decision.unstarted", {})
    old, new = before.clock, after.clock
    stages = after.settings.stages
    moved = old.started and (old.stage != new.stage or before.settings.stages is not stages)
    if not moved or after.over or new.stage >= len(stages) or old.stage >= len(before.settings.stages):
        return
    stage = stages[new.stage]
    if before.settings.stages[old.stage].level == stage.level:
        return
    if stage.level is None:
        yield "break", Saying("announce.break", {"minutes": round(stage.seconds / 60)})
    else:
        blinds = {"small": Chips(stage.level.small_blind), "big": Chips(stage.level.big_blind)}
        playing = before.settings.stages[old.stage].level is not None
        yield (
            "level",
            Saying(
                LEVEL_TOLD[preset.hand_begins] if playing else "announce.level",
                {"n": stage.level.n, **blinds},
            ),
        )


def say_proposal(proposal: Proposal) -> Saying:
    """What is proposed or asked."""
    values = {key: "—" if value is None else _shown(value) for key, value in proposal.values.items()}
    family = "money" if proposal.kind in MONEY else "proposal"
    return Saying(f"{family}.{proposal.kind}", values)


def say_choice(choice: Choice) -> Saying:
    """One of the alternatives or answers."""
    values = {key: "—" if value is None else _shown(value) for key, value in choice.values.items()}
    return Saying(f"choice.{choice.name}", values)


def _shown(value: object) -> object:
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else value
