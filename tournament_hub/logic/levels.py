"""Other levels and breaks while the tournament runs, the clock staying where it is or being put elsewhere with them."""

from __future__ import annotations

import msgspec

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import finish
from tournament_hub.logic.draft import Draft
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State


def levels_set(d: Draft, event: ev.LevelsSet) -> None:
    """Take the row; without a stage of its own the clock stays in the level that runs, wherever that stands by now."""
    if not any(stage.level is not None for stage in event.stages):
        raise Refused("stages", "a structure needs a level", where="levels", hint="keep one")
    before = d.settings.stages
    place = event.stage
    if place is None and d.clock.started and before:
        place = finish.place_of(before[d.clock.stage], event.stages, d.clock.stage)
        if place is None:
            raise Refused("stages", "the level that runs is missing", where="levels", hint="keep it")
    if place is not None and not 0 <= place < len(event.stages):
        raise Refused("stages", "there is no such level", where=f"stage {place}", hint="choose another")
    d.settings = msgspec.structs.replace(d.settings, stages=event.stages)
    if not d.clock.started:
        return
    if event.stage is None:
        d.act(clocks.Restructured(place))
    else:
        d.act(clocks.Set(event.stage, event.remaining))


def undo_levels(state: State, event: ev.LevelsSet, at: float | None) -> tuple[ev.Event, ...]:
    """The row as it was; where the clock was put with the new one, it goes back too."""
    held = state.clock
    old = state.settings.stages
    if not old:
        return ()
    if event.stage is None or not held.started:
        return (ev.LevelsSet(stages=old, why="undo"),)
    return (ev.LevelsSet(stages=old, stage=held.stage, remaining=_left(held, at), why="undo"),)


def undo_clock(state: State, event: ev.Clocked, at: float | None) -> tuple[ev.Event, ...]:
    """What takes a person's act on the clock back; time that passed by itself is no decision."""
    held = state.clock
    match event.act:
        case clocks.Paused(owner):
            return () if owner in held.pauses else (ev.Clocked(act=clocks.Released(owner)),)
        case clocks.Released(owner) if owner != clocks.BREAK:
            return (ev.Clocked(act=clocks.Paused(owner)),) if owner in held.pauses else ()
        case clocks.Set() | clocks.Released() | clocks.RoundPlayed() if held.started:
            return (ev.Clocked(act=clocks.Set(held.stage, _left(held, at))),)
    return ()


def _left(held: clocks.Clock, at: float | None) -> float:
    return held.remaining if at is None else clocks.left(held, at)
