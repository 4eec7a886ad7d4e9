"""What hangs on the wall of the hall: the clock, who is left, who moves where; derived from the tournament, nothing else.

Pure. A display counts down by itself from what it is told: ``remaining`` seconds at the moment of the telling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from table_controller import messages as m
from tournament_hub.logic import clock as clocks
from tournament_hub.logic.state import OPEN_MOVES, Place, State, alive, chips_found, posted

MOVES_SHOWN = 10
"""Everybody of a broken table."""
Stands = Literal["before", "running", "paused", "break", "over"]


class Moving(Struct, frozen=True):
    """Somebody who changes seats. ``name``: as the club shows people, else the entry's number."""

    name: str
    origin: Place
    target: Place
    done: bool


class HallView(Struct, frozen=True, kw_only=True):
    """One tournament on the wall.

    Attributes:
        stands: how the clock stands; ``remaining`` seconds of the level or break; ``counting`` down now or not.
        waits: the level is over and the break waits for hands that still run.
        level, next: blinds now and after; ``colour_up``: chips that leave in the break.
        to_break: seconds of play until the next break, None without one.
        left, entries: players in, entries in all; ``average``: of the stacks, None where they are not recorded.
        end: seconds until the foreseen end, None where it cannot be told.
        moves: the open ones first; ``breaking``: the tables being broken. ``order``: in which tables will be broken,
            before the start and in breaks, while nothing more urgent needs the room.
        round: of hand-for-hand, None without it.
        next_minutes: how long the next level is.
        announcement: a slug of the stage; what belongs to it is spoken once when it changes, not when a pause ends.
    """

    title: str
    stands: Stands
    remaining: float
    counting: bool
    waits: bool
    level: m.Level | None
    next: m.Level | None
    next_minutes: float | None
    colour_up: tuple[int, ...]
    to_break: float | None
    left: int
    entries: int
    average: int | None
    end: float | None
    moves: tuple[Moving, ...]
    breaking: tuple[str, ...]
    round: int | None
    announcement: str
    order: tuple[str, ...] = ()


def hall_view(state: State, names: Mapping[str, str], now: float) -> HallView:
    """Draw up the display of a tournament.

    Args:
        state: the tournament.
        names: entry → what people are called on displays; an entry without a name is shown by its id.
        now: seconds on the hub's clock.
    """
    stages = state.settings.stages
    clock = state.clock
    players = alive(state)
    chips = chips_found(state)
    stands: Stands = "over" if state.over else clocks.state(clock, stages) if stages else "before"
    stage = stages[clock.stage] if stages else None
    in_break = stage is not None and stage.level is None
    timed = bool(stages) and stands != "over"
    round_ = state.hand_for_hand.round if state.hand_for_hand is not None else None
    moves = _moves(state, names)
    breaking = tuple(name for name in state.order if state.tables[name].status == "breaking")
    calm = stands in ("before", "break") and not (moves or breaking or round_ is not None)
    return HallView(
        title=state.settings.title or state.settings.tournament,
        stands=stands,
        remaining=_remaining(state, now),
        counting=clock.running_since is not None and stands != "over",
        waits=clock.due,
        level=None if in_break or stage is None else stage.level,
        next=_next(state, in_break),
        next_minutes=_next_minutes(state),
        colour_up=stage.colour_up if stage is not None else (),
        to_break=clocks.seconds_to_break(clock, stages, now) if timed else None,
        left=players,
        entries=len(state.entries),
        average=chips // players if chips and players else None,
        end=clocks.foreseen_end(clock, stages, chips, now) if timed and chips else None,
        moves=moves,
        breaking=breaking,
        round=round_,
        announcement=_announcement(stands, clock),
        order=posted(state) if calm else (),
    )


def _remaining(state: State, now: float) -> float:
    if not state.settings.stages or state.over:
        return 0.0
    if not state.clock.started:
        return state.settings.stages[state.clock.stage].seconds
    return clocks.left(state.clock, now)


def _next(state: State, in_break: bool) -> m.Level | None:
    if not state.settings.stages:
        return None
    if in_break:
        return clocks.level_now(state.clock, state.settings.stages)
    return clocks.next_level(state.clock, state.settings.stages)


def _moves(state: State, names: Mapping[str, str]) -> tuple[Moving, ...]:
    """Those under way, then the last ones done; the newest first in each."""
    told = sorted(
        (move for move in state.moves.values() if move.state != "cancelled"),
        key=lambda move: (move.state in OPEN_MOVES, move.planned_at),
        reverse=True,
    )
    return tuple(
        Moving(names.get(move.entry, move.entry), move.origin, move.target, move.state == "done")
        for move in told[:MOVES_SHOWN]
    )


def _announcement(stands: Stands, clock: clocks.Clock) -> str:
    """What the stage is called; a clock that stands is in the same stage as one that runs."""
    if stands in ("running", "paused"):
        return f"running.{clock.stage}"
    return f"break.{clock.stage}" if stands == "break" else stands


def _next_minutes(state: State) -> float | None:
    """Length of the next level in minutes; levels made shorter to be done in time are seen here."""
    coming = (
        stage.seconds for stage in state.settings.stages[state.clock.stage + 1 :] if stage.level is not None
    )
    seconds = next(coming, None)
    return None if seconds is None else seconds / 60
