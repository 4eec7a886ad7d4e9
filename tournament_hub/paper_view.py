"""The evening on paper, should the hub fall silent: one sheet for the room and one a table, as things stand now.

Pure. With these sheets and a pen the evening can be finished: seats, counts, button, level with the hour at which it
ends, the levels after it, the places reached, and blanks for what happens from here on.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from engine.seating import Positions
from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import ranking
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.state import State, Table, alive, chips_due, open_moves

LEVELS_SHOWN = 12
BLANKS_MOST = 30
"""Lines for those who will go out, on the sheet of the room."""


class Line(Struct, frozen=True):
    """One seat of a table. ``name`` empty: nobody sits there. ``marks``: ``button small_blind big_blind absent``."""

    seat: int
    entry: str
    name: str
    stack: int | None
    marks: tuple[str, ...]
    penalty: int
    to: str


class TableSheet(Struct, frozen=True, kw_only=True):
    """One table. ``button``: seat of the last hand; ``drawn``: of the next one, where it was drawn; ``hand``: played."""

    id: str
    lines: tuple[Line, ...]
    players: int
    button: int | None
    drawn: int | None
    hand: int | None
    held: bool
    breaking: bool
    chips: int | None


class Coming(Struct, frozen=True):
    """A level or a break (``level`` None): its minutes and the hour at which it is foreseen to begin."""

    level: m.Level | None
    minutes: str
    begins: str
    colour_up: tuple[int, ...]


class Reached(Struct, frozen=True):
    """A place that somebody has; ``last`` differs from ``place`` where several share."""

    place: int
    last: int
    name: str
    open: bool


class Paper(Struct, frozen=True, kw_only=True):
    """All sheets of a tournament, at one moment.

    Attributes:
        at: hour of writing; ``date``: day of it.
        stands: of the clock; ``left``: minutes and seconds of the level; ``ends``: its hour, where the clock runs.
        level, coming: blinds now and the stages that follow.
        late_until: last level of late entry, None where it is over.
        chips: that must be in play, None where stacks are not recorded.
        waiting: names of those without a seat; ``moves``: open ones in words (name, from, to).
        order: tables in the order of breaking; ``reached``: places, best first; ``next_place``: of who goes out next.
    """

    id: str
    title: str
    at: str
    date: str
    stands: str
    left: str
    ends: str
    level: m.Level | None
    coming: tuple[Coming, ...]
    late_until: int | None
    players: int
    entries: int
    paid: int
    chips: int | None
    tables: tuple[TableSheet, ...]
    waiting: tuple[str, ...]
    moves: tuple[tuple[str, str, str], ...]
    order: tuple[str, ...]
    reached: tuple[Reached, ...]
    round: int | None

    @property
    def blanks(self) -> tuple[int, ...]:
        """The places that are still to be reached, the next one first."""
        return tuple(range(self.players, max(0, self.players - BLANKS_MOST), -1))


@cache
def preset_for(rulebook: str) -> Preset:
    """What a rulebook decides of the tournament."""
    return preset_of(load_book(rulebook))


def hour(seconds: float) -> str:
    """An hour on the wall.

    >>> hour(86400 + 300)
    '00:05'
    """
    minutes = round(seconds / 60) % 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


def span(seconds: float) -> str:
    """A length of time in minutes and seconds.

    >>> span(754.2), span(1200)
    ('12:34', '20')
    """
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02}" if rest else str(whole)


def paper(state: State, names: Mapping[str, str], now: float, day: float, date: str) -> Paper:
    """Write the sheets of a tournament.

    Args:
        state: the tournament.
        names: entry → what people are called; an entry without a name is written by its id.
        now: seconds on the tournament's clock.
        day: the time of day, seconds.
        date: the day as people write it.
    """
    stages, clock = state.settings.stages, state.clock
    preset = preset_for(state.settings.rulebook)
    stands = "over" if state.over else clocks.state(clock, stages) if stages else "before"
    stage = stages[clock.stage] if stages else None
    left = (clocks.left(clock, now) if clock.started else stage.seconds) if stage else 0.0
    late = bool(stages) and clocks.late_entry_open(clock, stages, preset.late_levels)

    def called(entry: str) -> str:
        return names.get(entry, entry)

    reached = ranking.places(state.entries.keys(), state.groups, preset, over=state.over)
    return Paper(
        id=state.settings.tournament,
        title=state.settings.title or state.settings.tournament,
        at=hour(day),
        date=date,
        stands=stands,
        left=span(left),
        ends=hour(day + left) if clock.running_since is not None else "",
        level=stage.level if stage else None,
        coming=_coming(state, day + left),
        late_until=preset.late_levels if late and not state.over else None,
        players=alive(state),
        entries=len(state.entries),
        paid=state.settings.places_paid,
        chips=None if state.settings.starting_stack is None else chips_due(state),
        tables=tuple(
            _table(state, state.tables[name], names)
            for name in state.order
            if name in state.tables and state.tables[name].status != "closed"
        ),
        waiting=tuple(called(e.id) for e in state.entries.values() if e.where == "waiting"),
        moves=tuple(
            (
                called(held.entry),
                _at(held.origin.table, held.origin.seat),
                _at(held.target.table, held.target.seat),
            )
            for held in open_moves(state)
        ),
        order=tuple(name for name in state.order if state.tables[name].status != "closed"),
        reached=tuple(Reached(p.place, p.last, called(p.entry), p.open is not None) for p in reached),
        round=None if state.hand_for_hand is None else state.hand_for_hand.round,
    )


def _at(table: str, seat: int) -> str:
    return f"{table}-{seat}"


def _coming(state: State, begins: float) -> tuple[Coming, ...]:
    found = []
    at = begins
    stages = state.settings.stages
    for stage in stages[state.clock.stage + 1 :][:LEVELS_SHOWN]:
        begin = hour(at) if state.clock.running_since is not None else ""
        found.append(Coming(stage.level, span(stage.seconds), begin, stage.colour_up))
        at += stage.seconds
    return tuple(found)


def _table(state: State, table: Table, names: Mapping[str, str]) -> TableSheet:
    leaving = {held.entry: _at(held.target.table, held.target.seat) for held in open_moves(state)}
    lines = []
    for seat in range(1, table.capacity + 1):
        entry = table.seats.get(seat)
        held = state.entries[entry] if entry is not None else None
        lines.append(
            Line(
                seat,
                entry or "",
                names.get(entry, entry) if entry else "",
                held.stack if held else None,
                (*_marks(table.positions, seat), *(("absent",) if held and held.absent else ())),
                held.penalty if held else 0,
                leaving.get(entry, "") if entry else "",
            )
        )
    stacks = [state.entries[entry].stack for entry in table.seats.values()]
    known = [stack for stack in stacks if stack is not None]
    return TableSheet(
        id=table.id,
        lines=tuple(lines),
        players=len(table.seats),
        button=table.positions.button if table.positions else None,
        drawn=table.first_button,
        hand=table.hand,
        held=bool(table.hold),
        breaking=table.status == "breaking",
        chips=sum(known) + table.loose if len(known) == len(stacks) and known else None,
    )


def _marks(positions: Positions | None, seat: int) -> tuple[str, ...]:
    if positions is None:
        return ()
    told = (
        ("button", positions.button),
        ("small_blind", positions.small_blind),
        ("big_blind", positions.big_blind),
    )
    return tuple(mark for mark, where in told if where == seat)
