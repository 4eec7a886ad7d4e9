"""To be done in time: what shorter levels, or levels left out, do to the foreseen end; and a break put in now.

Pure, like the clock that it reads: stages in, stages out. A person decides; what was done is a ``LevelsSet``. The stage
that runs is never changed by a proposal, breaks stay as they were announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from tournament_hub.logic import clock as clocks
from tournament_hub.logic.clock import Clock, Stage
from tournament_hub.logic.refusal import Refused

SHORTEST_S: Final = 300.0
"""No level is proposed shorter than this (seconds)."""
LONGEST_S: Final = 100_000 * 60.0
"""No stage is longer than a structure on the wire may say (seconds)."""


class Remedy(Struct, frozen=True):
    """One way to be done in time.

    Attributes:
        kind: ``shorter`` levels, or some ``left_out``.
        stages: the whole row as it would be.
        before, after: the foreseen end, seconds from now, as it is and as it would be.
        fits: whether ``after`` is in time.
        changed: number of the level, seconds before, seconds after.
        gone: numbers of the levels left out.
    """

    kind: Literal["shorter", "left_out"]
    stages: tuple[Stage, ...]
    before: float
    after: float
    fits: bool
    changed: tuple[tuple[int, float, float], ...] = ()
    gone: tuple[int, ...] = ()


def expected_last(clock: Clock, stages: Sequence[Stage], chips: int | None) -> int:
    """The stage in which the end is expected: by the chips in play, else the last level of the row.

    Args:
        clock: as it stands; a level that has passed is never the last.
        stages: the structure.
        chips: all chips in play; None: not recorded.
    """
    levels = [number for number, stage in enumerate(stages) if stage.level is not None]
    last = levels[-1] if chips is None else clocks.last_stage(stages, chips)
    return max(last, next((number for number in levels if number >= clock.stage), levels[-1]))


def end_of(clock: Clock, stages: Sequence[Stage], last: int, now: float) -> float:
    """Seconds from now until the end of stage ``last``, breaks included; pauses that will come are not foreseen."""
    first = clocks.left(clock, now) if clock.started else stages[clock.stage].seconds
    return first + sum(stage.seconds for stage in stages[clock.stage + 1 : last + 1])


def remedies(
    clock: Clock, stages: Sequence[Stage], last: int, now: float, seconds: float
) -> tuple[Remedy, ...]:
    """What would bring the end of stage ``last`` within ``seconds``; none when it is in time already.

    Args:
        clock: as it stands.
        stages: the structure.
        last: the stage in which the end is expected.
        now: seconds on the hub's clock.
        seconds: time that is left.
    """
    if end_of(clock, stages, last, now) <= seconds:
        return ()
    found = (_shorter(clock, stages, last, now, seconds), _left_out(clock, stages, last, now, seconds))
    return tuple(remedy for remedy in found if remedy.changed or remedy.gone)


def _coming(clock: Clock, stages: Sequence[Stage], last: int) -> list[int]:
    return [number for number in range(clock.stage + 1, last + 1) if stages[number].level is not None]


def _shorter(clock: Clock, stages: Sequence[Stage], last: int, now: float, seconds: float) -> Remedy:
    """Whole minutes, none shorter than ``SHORTEST_S`` and none longer than it was; what is over goes to the first."""
    before = end_of(clock, stages, last, now)
    coming = _coming(clock, stages, last)
    lengths = {number: stages[number].seconds for number in coming}
    room = seconds - (before - sum(lengths.values()))
    if coming:
        share = max(0.0, room) / sum(lengths.values())
        for number in coming:
            whole = 60.0 * int(lengths[number] * share // 60)
            lengths[number] = min(stages[number].seconds, max(SHORTEST_S, whole))
        for number in coming:
            if sum(lengths.values()) + 60.0 <= room and lengths[number] + 60.0 <= stages[number].seconds:
                lengths[number] += 60.0
    new = tuple(
        msgspec.structs.replace(stage, seconds=lengths.get(number, stage.seconds))
        for number, stage in enumerate(stages)
    )
    changed = tuple(
        (stage.level.n, stage.seconds, lengths[number])
        for number, stage in enumerate(stages)
        if stage.level is not None and lengths.get(number, stage.seconds) != stage.seconds
    )
    after = end_of(clock, new, last, now)
    return Remedy("shorter", new, before, after, after <= seconds, changed)


def _left_out(clock: Clock, stages: Sequence[Stage], last: int, now: float, seconds: float) -> Remedy:
    """Leave out those levels first after whose going the blinds rise least at once; the last one stays."""
    before = end_of(clock, stages, last, now)
    row = list(enumerate(stages))
    gone: list[int] = []
    after = before
    while after > seconds:
        candidates = [place for place in _coming(clock, stages, last)[:-1] if place not in gone]
        if not candidates:
            break
        gone.append(min(candidates, key=lambda place: (_rise(row, gone, place), -stages[place].seconds)))
        after = before - sum(stages[place].seconds for place in gone)
    new = tuple(stage for place, stage in row if place not in gone)
    numbers = tuple(level.n for place in sorted(gone) if (level := stages[place].level) is not None)
    return Remedy("left_out", new, before, after, after <= seconds, gone=numbers)


def _rise(row: Sequence[tuple[int, Stage]], gone: Sequence[int], without: int) -> float:
    """By what factor the big blind rises where this level would be missing."""
    levels = [(place, stage.level.big_blind) for place, stage in row if stage.level and place not in gone]
    before = [big for place, big in levels if place < without]
    after = [big for place, big in levels if place > without]
    return after[0] / before[-1] if before and after and before[-1] else float("inf")


def with_lengths(clock: Clock, stages: Sequence[Stage], minutes: dict[int, float]) -> tuple[Stage, ...]:
    """The row with other lengths for coming levels (by their number).

    Raises:
        Refused: such a level does not come any more, or a length is none.
    """
    coming = {
        level.n: place for place in range(clock.stage + 1, len(stages)) if (level := stages[place].level)
    }
    new = list(stages)
    for number, length in minutes.items():
        if number not in coming:
            raise Refused(
                "level-gone", "this level does not come", where=f"level {number}", hint="look again"
            )
        if not 60.0 <= 60.0 * length <= LONGEST_S:
            raise Refused("length", "a level lasts a minute at least", where=f"level {number}", hint="longer")
        place = coming[number]
        new[place] = msgspec.structs.replace(new[place], seconds=60.0 * length)
    return tuple(new)


def without(clock: Clock, stages: Sequence[Stage], numbers: Sequence[int]) -> tuple[Stage, ...]:
    """The row without these coming levels.

    Raises:
        Refused: such a level does not come any more, or no level would be left to come.
    """
    coming = {
        level.n: place for place in range(clock.stage + 1, len(stages)) if (level := stages[place].level)
    }
    missing = [number for number in numbers if number not in coming]
    if missing:
        raise Refused(
            "level-gone", "this level does not come", where=f"level {missing[0]}", hint="look again"
        )
    drop = {coming[number] for number in numbers}
    if drop == set(coming.values()):
        raise Refused("stages", "no level would come", where="levels", hint="keep the last one")
    return tuple(stage for place, stage in enumerate(stages) if place not in drop)


def with_break(clock: Clock, stages: Sequence[Stage], seconds: float, now: float) -> tuple[Stage, ...]:
    """The row with a break after what has been played of this level; the rest of the level follows it.

    Raises:
        Refused: the clock does not run a level, or a break is coming anyway.
    """
    if not clock.started or clock.over:
        raise Refused("not-started", "the clock has not begun", where="clock", hint="start the tournament")
    stage = stages[clock.stage]
    if stage.level is None or clock.due:
        raise Refused("in-break", "it is a break already", where="clock", hint="wait for its end")
    if not 60.0 <= seconds <= LONGEST_S:
        raise Refused("length", "a break lasts a minute at least", where="clock", hint="longer")
    rest = clocks.left(clock, now)
    played = msgspec.structs.replace(stage, seconds=max(1.0, stage.seconds - rest))
    rows = [*stages[: clock.stage], played, Stage(seconds)]
    if rest >= 1.0:
        rows.append(msgspec.structs.replace(stage, seconds=rest))
    return (*rows, *stages[clock.stage + 1 :])


def place_of(stage: Stage, stages: Sequence[Stage], near: int) -> int | None:
    """Where the stage that runs stands in another row: the same level, or a break, nearest to where it was."""
    same = [place for place, other in enumerate(stages) if other.level == stage.level]
    return min(same, key=lambda place: abs(place - near)) if same else None
