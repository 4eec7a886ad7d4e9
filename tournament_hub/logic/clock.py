"""The tournament clock: which level is played, how much of it is left, who has stopped it, when it will be over.

One function moves it (``moved``); everything else only reads. Times are seconds on the hub's monotonic clock, handed
in: the wall clock may be set forward or back without moving anything. A structure is a row of stages, levels and
breaks; the last level never ends. A break begins when no table has a hand running.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from table_controller import messages as m
from table_controller.messages.tournament import Clock as ClockMessage
from table_controller.messages.tournament import Structure, StructureLevel
from tournament_hub.logic.presets import Preset

BREAK: Final = "break"
HAND_FOR_HAND: Final = "hand_for_hand"
END_BIG_BLINDS: Final = 20
"""A tournament is about over in the level in which all chips together are so many big blinds (ours: a club's rule of
thumb, heads-up with ten big blinds each)."""
WALL_STEP_S: Final = 1.0
"""How far wall clock and monotonic clock may part before displays are told anew."""


class Stage(Struct, frozen=True):
    """A level, or a break (``level`` None) with the chips to be coloured up in it."""

    seconds: float
    level: m.Level | None = None
    colour_up: tuple[int, ...] = ()


class Clock(Struct, frozen=True):
    """Where the clock stands.

    Attributes:
        stage: index of the stage in the structure.
        remaining: seconds left of it, at ``running_since``, or now when that is None.
        running_since: when it began to count down, monotonic; None = stopped.
        pauses: who holds it, each must release; ``break`` while a break lasts.
        rev: goes up with everything that displays must know.
        due: the level is over and a break waits for hands still running.
        rounds: the last hand-for-hand round whose minutes were taken off.
        began: when the stage began; ``before``: the stage before it (None: there was none).
    """

    stage: int = 0
    remaining: float = 0.0
    running_since: float | None = None
    pauses: tuple[str, ...] = ()
    rev: int = 0
    started: bool = False
    over: bool = False
    due: bool = False
    rounds: int = 0
    began: float = 0.0
    before: int | None = None


class Started(Struct, frozen=True, tag="started"):
    """The first level begins. A clock that runs already is not started again."""


class Unstarted(Struct, frozen=True, tag="unstarted"):
    """The start is taken back: before the first level again, held by these alone."""

    pauses: tuple[str, ...] = ()


class Paused(Struct, frozen=True, tag="paused"):
    """Somebody stops the clock: ``director``, ``hand_for_hand``, …"""

    owner: str


class Released(Struct, frozen=True, tag="released"):
    """One owner lets go; the clock runs when nobody holds it any more. ``break`` ends a break early."""

    owner: str


class RoundPlayed(Struct, frozen=True, tag="round_played"):
    """A hand-for-hand round is over: its minutes come off, once, whatever is said again (TDA RP-8)."""

    round: int
    minutes: int


class Set(Struct, frozen=True, tag="set"):
    """The director puts the clock: another stage, or other seconds left. Always published, also when nothing differs."""

    stage: int
    remaining: float | None = None


class Ticked(Struct, frozen=True, tag="ticked"):
    """Time has passed; ``hands_running``: some table is in a hand (a table that was not heard counts as one)."""

    hands_running: bool = False


class Restarted(Struct, frozen=True, tag="restarted"):
    """The hub was started again: its monotonic clock is another one. ``was``: the last time that it knew, on the old."""

    was: float


class Restructured(Struct, frozen=True, tag="restructured"):
    """Coming stages have other lengths or blinds; what is left of this one stays, ``stage`` is where it stands now."""

    stage: int | None = None


class Ended(Struct, frozen=True, tag="ended"):
    """The tournament is over: the clock stands for good."""


Act = Started | Unstarted | Paused | Released | RoundPlayed | Set | Ticked | Restarted | Restructured | Ended


def left(clock: Clock, now: float) -> float:
    """Seconds left of the stage, never below 0."""
    if clock.running_since is None:
        return max(0.0, clock.remaining)
    return max(0.0, clock.remaining - max(0.0, now - clock.running_since))


def state(clock: Clock, stages: Sequence[Stage]) -> Literal["before", "running", "paused", "break", "over"]:
    """How the clock stands, in the word that displays know."""
    if clock.over:
        return "over"
    if not clock.started:
        return "before"
    if stages[clock.stage].level is None:
        return "break"
    return "paused" if clock.running_since is None and not clock.due else "running"


def moved(clock: Clock, stages: Sequence[Stage], act: Act, now: float) -> Clock:
    """The only way in which the clock changes. The same object comes back when there is nothing to publish.

    Args:
        clock: as it stands.
        stages: the structure.
        act: what happens.
        now: seconds, monotonic.

    Raises:
        ValueError: a stage that the structure does not have, or a structure without a level.
    """
    if not any(stage.level is not None for stage in stages):
        raise ValueError("a structure needs a level")
    if clock.over and not isinstance(act, Set | Restarted):
        return clock
    match act:
        case Started():
            if clock.started:
                return clock
            first = msgspec.structs.replace(clock, started=True)
            return _published(_enter(first, stages, 0, now))
        case Unstarted(pauses):
            if not clock.started:
                return clock
            return _published(Clock(pauses=pauses, rev=clock.rev, rounds=clock.rounds))
        case Paused(owner):
            if owner in clock.pauses:
                return clock
            return _published(_held(clock, stages, (*clock.pauses, owner), now))
        case Released(owner):
            return _released(clock, stages, owner, now)
        case RoundPlayed(number, minutes):
            if not clock.started or number <= clock.rounds:
                return clock
            shorter = _shortened(_stopped(clock, now), stages, 60.0 * minutes, now)
            return _published(_run(msgspec.structs.replace(shorter, rounds=number), stages, now))
        case Set(stage, remaining):
            if not 0 <= stage < len(stages):
                raise ValueError(f"stage {stage} of {len(stages)}")
            put = _enter(msgspec.structs.replace(clock, started=True, over=False), stages, stage, now)
            if remaining is not None:
                put = msgspec.structs.replace(put, remaining=max(0.0, remaining))
            return _published(put)
        case Ticked(hands_running):
            return _ticked(clock, stages, hands_running, now)
        case Restarted(was):
            began = now - max(0.0, was - clock.began)
            stopped = msgspec.structs.replace(_stopped(clock, was), began=began)
            return _published(_run(stopped, stages, now) if not clock.over else stopped)
        case Restructured(stage):
            return _published(clock if stage is None else msgspec.structs.replace(clock, stage=stage))
        case Ended():
            return _published(msgspec.structs.replace(_stopped(clock, now), over=True, due=False))


def _published(clock: Clock) -> Clock:
    return msgspec.structs.replace(clock, rev=clock.rev + 1)


def _stopped(clock: Clock, now: float) -> Clock:
    return msgspec.structs.replace(clock, remaining=left(clock, now), running_since=None)


def _run(clock: Clock, stages: Sequence[Stage], now: float) -> Clock:
    """Let the stage count down unless somebody holds it; a break is not held by hand-for-hand, which stops levels."""
    in_break = stages[clock.stage].level is None
    holding = [owner for owner in clock.pauses if not (in_break and owner in (BREAK, HAND_FOR_HAND))]
    runs = clock.started and not holding and not clock.due
    return msgspec.structs.replace(clock, running_since=now if runs else None)


def _held(clock: Clock, stages: Sequence[Stage], pauses: tuple[str, ...], now: float) -> Clock:
    stopped = _stopped(clock, now)
    return _run(msgspec.structs.replace(stopped, pauses=pauses), stages, now)


def _enter(clock: Clock, stages: Sequence[Stage], stage: int, now: float, over: float = 0.0) -> Clock:
    """Begin a stage; ``over``: seconds of it that have passed already."""
    pauses = tuple(owner for owner in clock.pauses if owner != BREAK)
    if stages[stage].level is None:
        pauses = (*pauses, BREAK)
    began = msgspec.structs.replace(
        clock,
        stage=stage,
        remaining=stages[stage].seconds - over,
        running_since=None,
        pauses=pauses,
        due=False,
        began=now - over,
        before=clock.stage if clock.rev else None,
    )
    return _run(began, stages, now)


def _released(clock: Clock, stages: Sequence[Stage], owner: str, now: float) -> Clock:
    if owner not in clock.pauses:
        return clock
    if owner == BREAK:
        following = clock.stage + 1
        if following >= len(stages):
            return clock
        return _published(_enter(clock, stages, following, now))
    return _published(_held(clock, stages, tuple(held for held in clock.pauses if held != owner), now))


def _shortened(clock: Clock, stages: Sequence[Stage], seconds: float, now: float) -> Clock:
    """Take time off a stopped clock: levels go on, a break is never cut or passed by it."""
    if stages[clock.stage].level is None or clock.due:
        return clock
    rest = clock.remaining - seconds
    while rest <= 0:
        following = clock.stage + 1
        if following >= len(stages):
            return msgspec.structs.replace(clock, remaining=0.0)
        if stages[following].level is None:
            return msgspec.structs.replace(clock, remaining=0.0, due=True)
        clock = _stopped(_enter(clock, stages, following, now), now)
        rest += stages[following].seconds
    return msgspec.structs.replace(clock, remaining=rest)


def _ticked(clock: Clock, stages: Sequence[Stage], hands_running: bool, now: float) -> Clock:
    if clock.due:
        return clock if hands_running else _published(_enter(clock, stages, clock.stage + 1, now))
    changed = False
    while clock.running_since is not None and left(clock, now) <= 0:
        following = clock.stage + 1
        if following >= len(stages):
            if stages[clock.stage].level is None or not clock.remaining:
                return _published(clock) if changed else clock
            return _published(msgspec.structs.replace(clock, remaining=0.0, running_since=now))
        over = max(0.0, now - clock.running_since - clock.remaining)
        if stages[following].level is None and hands_running:
            waiting = msgspec.structs.replace(clock, remaining=0.0, running_since=None, due=True)
            return _published(waiting)
        if stages[following].level is None or stages[clock.stage].level is None:
            over = 0.0  # a break is whole, and the level after it, however late the hub looks
        clock = _enter(clock, stages, following, now, over)
        changed = True
    return _published(clock) if changed else clock


# -- which level ------------------------------------------------------------------


def level_now(clock: Clock, stages: Sequence[Stage]) -> m.Level:
    """The level that a hand started now is played at; in a break and before the start, the one that comes."""
    return _level(stages, clock.stage)


def _level(stages: Sequence[Stage], stage: int) -> m.Level:
    for coming in (*stages[stage:], *reversed(stages[:stage])):
        if coming.level is not None:
            return coming.level
    raise ValueError("a structure needs a level")


def next_level(clock: Clock, stages: Sequence[Stage]) -> m.Level | None:
    """The level after the present one, None in the last."""
    levels = [stage.level for stage in stages[clock.stage :] if stage.level is not None]
    return levels[1] if len(levels) > 1 else None


def level_of_hand(
    clock: Clock,
    stages: Sequence[Stage],
    preset: Preset,
    *,
    first_card: float,
    riffle: float | None = None,
    pot_awarded: float | None = None,
) -> m.Level:
    """The level that a hand is stamped with: that of the moment at which it begins by the preset.

    A level that ends while a hand runs does not touch it; the new one applies to the next hand.

    Args:
        clock: as it stands.
        stages: the structure.
        preset: ``hand_begins`` is when the pot before was awarded (ROPTA levels) or the first riffle (TDA 23).
        first_card: when the hand's first card was dealt.
        riffle: when its shuffle began, if that is known.
        pot_awarded: when the hand before was over, None for a table's first.
    """
    begun = pot_awarded if preset.hand_begins == "pot_awarded" else riffle
    moment = first_card if begun is None else begun
    if moment < clock.began and clock.before is not None and stages[clock.before].level is not None:
        return _level(stages, clock.before)
    return _level(stages, clock.stage)


def late_entry_open(clock: Clock, stages: Sequence[Stage], last_level: int) -> bool:
    """Whether a newcomer may still be registered: until the level after ``last_level`` starts, breaks included."""
    if clock.over:
        return False
    if not clock.started:
        return True
    stage = stages[clock.stage].level
    if stage is not None:
        return stage.n <= last_level
    before = [held.level.n for held in stages[: clock.stage] if held.level is not None]
    return not before or before[-1] <= last_level


# -- when it will be over ------------------------------------------------------------


def seconds_to_break(clock: Clock, stages: Sequence[Stage], now: float) -> float | None:
    """Seconds of play until the next break begins; None when none comes."""
    if stages[clock.stage].level is None:
        return None
    total = left(clock, now) if clock.started else stages[clock.stage].seconds
    for stage in stages[clock.stage + 1 :]:
        if stage.level is None:
            return total
        total += stage.seconds
    return None


def last_stage(stages: Sequence[Stage], chips: int) -> int:
    """The level in which the tournament is likely to end: all chips together are few big blinds."""
    for number, stage in enumerate(stages):
        if stage.level is not None and chips <= END_BIG_BLINDS * stage.level.big_blind:
            return number
    return max(number for number, stage in enumerate(stages) if stage.level is not None)


def foreseen_end(clock: Clock, stages: Sequence[Stage], chips: int, now: float) -> float:
    """Seconds from now until the likely end, breaks included; pauses that will come are not foreseen.

    Args:
        clock: as it stands.
        stages: the structure.
        chips: all chips in play.
        now: seconds, monotonic.
    """
    if clock.over:
        return 0.0
    last = max(clock.stage, last_stage(stages, chips))
    first = left(clock, now) if clock.started else stages[clock.stage].seconds
    return first + sum(stage.seconds for stage in stages[clock.stage + 1 : last + 1])


class Proposal(Struct, frozen=True):
    """Shorter levels so that the end comes in time: what would be changed, and what it does.

    ``before`` and ``after``: the foreseen end, in seconds from now; ``fits``: whether ``after`` is in time;
    ``changed``: index, seconds before and after of each level that differs.
    """

    stages: tuple[Stage, ...]
    before: float
    after: float
    fits: bool
    changed: tuple[tuple[int, float, float], ...]


def finish_in(
    clock: Clock,
    stages: Sequence[Stage],
    chips: int,
    now: float,
    seconds: float,
    *,
    shortest: float = 300.0,
) -> Proposal:
    """Propose shorter coming levels so that the likely end comes within ``seconds``; a person decides.

    The level that runs and the breaks stay as they were announced. Levels become whole minutes, none shorter than
    ``shortest`` and none longer than it was; minutes left over go to the first of them.
    """
    before = foreseen_end(clock, stages, chips, now)
    last = max(clock.stage, last_stage(stages, chips))
    coming = [number for number in range(clock.stage + 1, last + 1) if stages[number].level is not None]
    fixed = before - sum(stages[number].seconds for number in coming)
    lengths = {number: stages[number].seconds for number in coming}
    room = seconds - fixed
    if before > seconds and coming:
        share = max(0.0, room) / sum(lengths.values())
        for number in coming:
            whole = 60.0 * int(lengths[number] * share // 60)
            lengths[number] = min(stages[number].seconds, max(shortest, whole))
        for number in coming:
            if sum(lengths.values()) + 60.0 <= room and lengths[number] + 60.0 <= stages[number].seconds:
                lengths[number] += 60.0
    changed = tuple(
        (number, stages[number].seconds, length)
        for number, length in lengths.items()
        if length != stages[number].seconds
    )
    after = fixed + sum(lengths.values())
    new = tuple(
        msgspec.structs.replace(stage, seconds=lengths.get(number, stage.seconds))
        for number, stage in enumerate(stages)
    )
    return Proposal(new, before, after, after <= seconds, changed)


def seconds_until(time: str, seconds_of_day: float) -> float:
    """Seconds from now until a time of day that people name, today or, when it has passed, tomorrow.

    >>> seconds_until("23:30", 20 * 3600), seconds_until("00:30", 23 * 3600)
    (12600.0, 5400.0)

    Args:
        time: ``HH:MM``, as the club's wall clock shows it.
        seconds_of_day: what it shows now, in seconds since midnight.

    Raises:
        ValueError: no time of day.
    """
    found = re.fullmatch(r"([01]?\d|2[0-3])[:hH]([0-5]\d)", time.strip())
    if found is None:
        raise ValueError(f"{time!r} is no time of day: write 23:30")
    return (int(found[1]) * 3600 + int(found[2]) * 60 - seconds_of_day) % 86400.0


# -- on the wire ---------------------------------------------------------------------


def message(
    clock: Clock,
    stages: Sequence[Stage],
    *,
    now: float,
    utc: str,
    epoch: int,
    hand_for_hand: bool = False,
    round: int | None = None,
) -> ClockMessage:
    """What is published: what is left at this moment, so that no earlier wall clock matters to who counts down."""
    return ClockMessage(
        epoch=epoch,
        rev=clock.rev,
        level=_level(stages, clock.stage),
        remaining_s=left(clock, now) if clock.started else stages[clock.stage].seconds,
        running_since=utc if clock.running_since is not None else None,
        utc=utc,
        state=state(clock, stages),
        next_level=next_level(clock, stages),
        next_break_s=seconds_to_break(clock, stages, now),
        pauses=clock.pauses,
        hand_for_hand=hand_for_hand,
        round=round,
    )


def wall_stepped(mono_passed: float, wall_passed: float) -> bool:
    """Whether the wall clock was set between two looks: the message is to be published again, the clock is not moved."""
    return abs(mono_passed - wall_passed) > WALL_STEP_S


def stages_of(structure: Structure) -> tuple[Stage, ...]:
    """The stages of a structure as it is published."""
    return tuple(Stage(60.0 * row.minutes, row.level, row.colour_up) for row in structure.levels)


def structure_of(stages: Sequence[Stage], late_entry_until_level: int | None = None) -> Structure:
    """A structure as it is published."""
    rows = tuple(
        StructureLevel(minutes=stage.seconds / 60, level=stage.level, colour_up=stage.colour_up)
        for stage in stages
    )
    return Structure(levels=rows, late_entry_until_level=late_entry_until_level)
