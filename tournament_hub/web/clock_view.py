"""What a director sees of the clock: where it stands, all levels with their lengths, what was done to it, when it ends.

Pure. Times of day are seconds since midnight by the club's wall clock, handed in; a display counts down by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from table_controller import messages as m
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import finish
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State, chips_due, chips_found
from tournament_hub.web.plan import Shown

BREAK_S = 600.0
"""Length of a break that nobody gave a length (seconds)."""


class Row(Struct, frozen=True):
    """A level or a break (``level`` None): its length, when it is foreseen to begin, whether it runs or has passed."""

    level: m.Level | None
    minutes: str
    begins: str
    now: bool
    past: bool
    ends_here: bool


class ClockView(Struct, frozen=True, kw_only=True):
    """The clock of one tournament.

    Attributes:
        stands: in the word that displays know; ``stopped``: a director holds it; ``held``: hand-for-hand does.
        remaining: seconds left; ``counting`` down now or not; ``waits``: a break waits for hands that run.
        end: time of day of the foreseen end; ``last``: the level in which it is expected; ``by_chips``: because the
            chips say so, not because the row ends there.
    """

    id: str
    title: str
    stands: str
    stopped: bool
    held: bool
    remaining: float
    counting: bool
    waits: bool
    level: m.Level | None
    next: m.Level | None
    rows: tuple[Row, ...]
    end: str | None
    last: int | None
    by_chips: bool

    @property
    def kind(self) -> tuple[object, ...]:
        """What the buttons depend on; while it is the same they need not be drawn again."""
        return (self.stands, self.stopped, self.waits, self.level, len(self.rows))


def time_of_day(seconds: float) -> str:
    """As a clock on the wall shows it, to the nearest minute.

    >>> time_of_day(86400 + 45 * 60)
    '00:45'
    """
    minutes = round(seconds / 60) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def minutes_of(seconds: float) -> str:
    """A length in minutes as people write it.

    >>> minutes_of(1200), minutes_of(754)
    ('20', '12:34')
    """
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02}" if rest else str(whole)


def chips_of(state: State) -> int | None:
    """All chips in play: as found at the tables, else as given out; None where stacks are not recorded."""
    if state.settings.starting_stack is None:
        return None
    return chips_found(state) or chips_due(state) or None


def clock_view(shown: Shown, now: float, day: float) -> ClockView | None:
    """Draw up a tournament's clock; None when it has no levels.

    Args:
        shown: the tournament.
        now: seconds on its own clock.
        day: time of day, seconds.
    """
    state = shown.state
    stages, clock = state.settings.stages, state.clock
    if not stages:
        return None
    stands = "over" if state.over else clocks.state(clock, stages)
    chips = chips_of(state)
    last = finish.expected_last(clock, stages, chips)
    left = clocks.left(clock, now) if clock.started else stages[clock.stage].seconds
    here = stages[last].level
    return ClockView(
        id=shown.id,
        title=state.settings.title or shown.id,
        stands=stands,
        stopped="director" in clock.pauses,
        held=clocks.HAND_FOR_HAND in clock.pauses,
        remaining=left,
        counting=clock.running_since is not None and stands != "over",
        waits=clock.due,
        level=stages[clock.stage].level,
        next=clocks.next_level(clock, stages)
        if stages[clock.stage].level
        else clocks.level_now(clock, stages),
        rows=_rows(clock, stages, last, left, day, over=stands == "over"),
        end=None if stands == "over" else time_of_day(day + finish.end_of(clock, stages, last, now)),
        last=None if here is None else here.n,
        by_chips=chips is not None,
    )


def _rows(
    clock: clocks.Clock, stages: Sequence[clocks.Stage], last: int, left: float, day: float, *, over: bool
) -> tuple[Row, ...]:
    found = []
    at = day + left
    for place, stage in enumerate(stages):
        begins = ""
        if place > clock.stage and not over:
            begins = time_of_day(at)
            at += stage.seconds
        running = place == clock.stage and clock.started and not over
        past = over or place < clock.stage
        found.append(Row(stage.level, minutes_of(stage.seconds), begins, running, past, place == last))
    return tuple(found)


def act_events(name: str, state: State, now: float, *, minutes: float | None = None) -> tuple[ev.Event, ...]:
    """What a button of the clock's page does.

    Args:
        name: ``start stop go_on next back plus minus set break``.
        state: as things stand.
        now: seconds on the tournament's clock.
        minutes: for ``set`` what is left, for ``break`` how long it is.

    Raises:
        Refused: it does not fit how the clock stands.
    """
    clock, stages = state.clock, state.settings.stages
    if not stages:
        raise Refused("no-structure", "there are no levels", where="clock", hint="set the structure first")
    if name == "start":
        return (ev.Started(),)
    if not clock.started or state.over:
        raise Refused("not-started", "the clock does not run", where="clock", hint="start the tournament")
    left = clocks.left(clock, now)
    match name:
        case "stop":
            return (ev.Clocked(act=clocks.Paused("director")),)
        case "go_on":
            return (ev.Clocked(act=clocks.Released("director")),)
        case "next":
            if clock.stage + 1 >= len(stages):
                raise Refused("stages", "it is the last level", where="clock", hint="play on")
            return (ev.Clocked(act=clocks.Set(clock.stage + 1)),)
        case "back":
            return (ev.Clocked(act=clocks.Set(max(0, clock.stage - 1))),)
        case "plus":
            return (ev.Clocked(act=clocks.Set(clock.stage, left + 60.0)),)
        case "minus":
            return (ev.Clocked(act=clocks.Set(clock.stage, max(0.0, left - 60.0))),)
        case "set" if minutes is not None and 0 <= minutes <= 1000:
            return (ev.Clocked(act=clocks.Set(clock.stage, 60.0 * minutes)),)
        case "break":
            seconds = BREAK_S if minutes is None else 60.0 * minutes
            row = finish.with_break(clock, stages, seconds, now)
            told = ev.LevelsSet(stages=row, stage=clock.stage, remaining=0.0, why="break")
            free = (ev.Clocked(act=clocks.Released("director")),) if "director" in clock.pauses else ()
            return (*free, told)
    raise Refused("no-act", "nothing that the clock knows", where=name, hint="look at the page again")
