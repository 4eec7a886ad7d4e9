"""The level clock of a table without a hub: levels and breaks one after the other, counted in table time.

Pure: every function takes the time (s) and gives a new clock. The level that a hand is played at is the one that
runs when it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from table_controller import messages as m


class Stage(Struct, frozen=True, kw_only=True):
    """One level, or a break where ``level`` is None; ``minutes`` long."""

    minutes: Annotated[float, Meta(gt=0, le=100_000)]
    level: m.Level | None = None


class LevelClock(Struct, frozen=True, omit_defaults=True):
    """Where the structure stands.

    Attributes:
        place: The stage, from 0.
        left: Seconds that were left of it at ``since``.
        since: Table time from which it runs; None while it stands still.
    """

    place: int = 0
    left: float = 0.0
    since: float | None = None


def begin(stages: Sequence[Stage], place: int = 0) -> LevelClock:
    """A clock at the start of a stage, standing still.

    >>> begin([Stage(minutes=20)]).left
    1200.0
    """
    return LevelClock(place, stages[place].minutes * 60.0)


def read(stages: Sequence[Stage], clock: LevelClock, t: float) -> LevelClock:
    """The clock as it stands at time ``t``: rolled on through the stages that have passed.

    The last stage goes on for ever, with nothing left.

    >>> stages = [Stage(minutes=1), Stage(minutes=2)]
    >>> read(stages, LevelClock(0, 60.0, since=0.0), 70.0)
    LevelClock(place=1, left=110.0, since=70.0)
    >>> read(stages, LevelClock(1, 120.0, since=0.0), 500.0).left
    0.0
    """
    place = min(clock.place, len(stages) - 1)
    if clock.since is None:
        return clock if place == clock.place else begin(stages, place)
    left = clock.left - (t - clock.since)
    while left <= 0 and place + 1 < len(stages):
        place += 1
        left += stages[place].minutes * 60
    return LevelClock(place, max(left, 0.0), t)


def start(stages: Sequence[Stage], clock: LevelClock, t: float) -> LevelClock:
    """Let the clock run from ``t`` on."""
    now = read(stages, clock, t)
    return LevelClock(now.place, now.left, t)


def stop(stages: Sequence[Stage], clock: LevelClock, t: float) -> LevelClock:
    """Let the clock stand still from ``t`` on."""
    now = read(stages, clock, t)
    return LevelClock(now.place, now.left, None)


def move(stages: Sequence[Stage], clock: LevelClock, t: float, by: int) -> LevelClock:
    """Go to the start of another stage, ``by`` places on or back; running or not stays as it was."""
    now = read(stages, clock, t)
    fresh = begin(stages, min(max(now.place + by, 0), len(stages) - 1))
    return msgspec.structs.replace(fresh, since=None if now.since is None else t)


def level_at(stages: Sequence[Stage], place: int) -> m.Level | None:
    """The level that a hand beginning at this stage is played at: in a break the one before it.

    None where no level has come yet.
    """
    found = (stage.level for stage in reversed(stages[: place + 1]) if stage.level is not None)
    return next(found, None)


def next_level(stages: Sequence[Stage], place: int) -> m.Level | None:
    """The level that comes after this stage; None after the last."""
    return next((stage.level for stage in stages[place + 1 :] if stage.level is not None), None)
