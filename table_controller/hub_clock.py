"""The tournament's clock as a table has it: what the hub said last, counted on in table time. Pure.

The hub tells changes only. Between them, and without it, the table counts down by itself; what it then shows is
marked as not confirmed.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from table_controller import messages as m

_EARLY = 2.0
"""A wall clock may be behind the hub's by so many seconds and still be taken for set."""


class HubClock(Struct, frozen=True):
    """What the hub has said of the clock, and when.

    Attributes:
        said: The message.
        left: Seconds that were left of the level at ``t``.
        t: Table time at which it came (s).
        sure: The wall clock here agreed with the hub's, so it is known how long the message had been on its way.
    """

    said: m.Clock
    left: float
    t: float
    sure: bool


class ClockNow(Struct, frozen=True):
    """The clock as it stands.

    Attributes:
        level: The level that runs; in a break the one before it.
        following: The level after it.
        left: Seconds left of the level or break.
        runs: Whether the time runs.
        state: ``before``, ``running``, ``paused``, ``break`` or ``over``.
        confirmed: The hub is there and says so; else it is what the table has counted by itself.
    """

    level: m.Level | None
    following: m.Level | None
    left: float
    runs: bool
    state: str
    confirmed: bool


def hear(said: m.Clock, t: float, utc: str) -> HubClock:
    """Take a message of the hub.

    Args:
        said: What it says; kept by the broker, so it may be old.
        t: Table time (s).
        utc: The wall clock here, a label that may be wrong: a machine without a battery starts in the past.
    """
    now, published = _seconds(utc), _seconds(said.utc)
    sure = now >= published - _EARLY
    left = said.remaining_s
    if said.running_since is not None:
        left -= max((now if sure else published) - _seconds(said.running_since), 0.0)
    return HubClock(said, max(left, 0.0), t, sure)


def newer(said: m.Clock, held: HubClock | None) -> bool:
    """Whether a message is not older than the one held: a second hub or an old backup says nothing."""
    return held is None or (said.epoch, said.rev) >= (held.said.epoch, held.said.rev)


def read(clock: HubClock, t: float, *, hub: bool) -> ClockNow:
    """The clock at table time ``t``; ``hub``: it is connected and says that it is there."""
    said = clock.said
    runs = said.running_since is not None
    left = clock.left - (t - clock.t) if runs else clock.left
    return ClockNow(said.level, said.next_level, max(left, 0.0), runs, said.state, hub and clock.sure)


def _seconds(utc: str) -> float:
    return datetime.fromisoformat(utc).timestamp()
