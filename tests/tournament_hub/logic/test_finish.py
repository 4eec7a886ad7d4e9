"""To be done in time: what is proposed fits, changes nothing that runs, and everything can be taken back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic import finish, machine, undo
from tournament_hub.logic.clock import Clock, Paused, Released, Restructured, Set, Stage, Ticked, moved
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Settings, State


def level(n: int, minutes: float = 20.0) -> Stage:
    return Stage(60.0 * minutes, m.Level(n=n, small_blind=100 * n, big_blind=200 * n))


ROW = (level(1), level(2), Stage(600.0), level(3), level(4), level(5), level(6))
RUNNING = Clock(stage=1, remaining=900.0, running_since=100.0, started=True, rev=3)


def state_of(clock: Clock = RUNNING) -> State:
    return State(settings=Settings(tournament="main", stages=ROW), started=True, clock=clock)


@pytest.fixture
def preset() -> Preset:
    return preset_of(load_book("standard"))


def test_in_time_nothing_is_proposed() -> None:
    end = finish.end_of(RUNNING, ROW, 6, 100.0)
    assert end == 900 + 600 + 4 * 1200
    assert finish.remedies(RUNNING, ROW, 6, 100.0, end) == ()


def test_shorter_levels_or_fewer_bring_the_end_in_time() -> None:
    shorter, fewer = finish.remedies(RUNNING, ROW, 6, 100.0, 5000.0)
    assert shorter.kind == "shorter" and shorter.fits and shorter.after <= 5000.0
    assert shorter.changed == ((3, 1200.0, 900.0), (4, 1200.0, 900.0), (5, 1200.0, 840.0), (6, 1200.0, 840.0))
    assert shorter.stages[:3] == ROW[:3]
    assert fewer.kind == "left_out" and fewer.fits and fewer.after == 900 + 600 + 2 * 1200
    assert len(fewer.gone) == 2 and 6 not in fewer.gone
    assert fewer.stages[:3] == ROW[:3]


def test_what_cannot_be_done_in_time_says_how_near_it_comes() -> None:
    shorter, fewer = finish.remedies(RUNNING, ROW, 6, 100.0, 60.0)
    assert (shorter.fits, shorter.after) == (False, 900 + 600 + 4 * finish.SHORTEST_S)
    assert (fewer.fits, fewer.gone) == (False, (3, 4, 5))


def test_in_the_last_level_nothing_can_be_changed() -> None:
    assert finish.remedies(replace(RUNNING, stage=6), ROW, 6, 100.0, 60.0) == ()


@given(
    st.lists(st.integers(5, 40), min_size=2, max_size=12),
    st.sets(st.integers(0, 10), max_size=3),
    st.integers(0, 30_000),
)
def test_whatever_is_proposed_keeps_breaks_the_running_level_and_the_last(
    minutes: list[int], breaks: set[int], seconds: int
) -> None:
    row: list[Stage] = []
    for number, length in enumerate(minutes, 1):
        row.append(level(number, length))
        if number in breaks and number < len(minutes):
            row.append(Stage(600.0))
    clock = replace(RUNNING, stage=0, remaining=row[0].seconds)
    last = finish.expected_last(clock, row, None)
    for remedy in finish.remedies(clock, row, last, 100.0, float(seconds)):
        assert remedy.after < remedy.before
        assert remedy.fits == (remedy.after <= seconds)
        assert remedy.stages[0] == row[0]
        assert [s for s in remedy.stages if s.level is None] == [s for s in row if s.level is None]
        levels = [s.level.n for s in remedy.stages if s.level is not None]
        assert levels[-1] == len(minutes) and sorted({*levels, *remedy.gone}) == list(
            range(1, len(minutes) + 1)
        )
        new_last = finish.expected_last(clock, remedy.stages, None)
        assert finish.end_of(clock, remedy.stages, new_last, 100.0) == pytest.approx(remedy.after)


def test_the_last_level_is_that_of_the_chips_and_never_one_that_has_passed() -> None:
    assert finish.expected_last(RUNNING, ROW, 20 * 600) == 3
    assert finish.expected_last(RUNNING, ROW, 100) == 1
    assert finish.expected_last(replace(RUNNING, stage=2), ROW, 100) == 3
    assert finish.expected_last(RUNNING, ROW, None) == 6


def test_a_break_now_cuts_the_level_and_its_rest_follows() -> None:
    row = finish.with_break(RUNNING, ROW, 600.0, 400.0)
    assert [stage.seconds for stage in row[1:4]] == [600.0, 600.0, 600.0]
    assert row[1].level == row[3].level == ROW[1].level and row[2].level is None
    assert row[4:] == ROW[2:]
    put = moved(RUNNING, row, Set(1, 0.0), 400.0)
    waiting = moved(put, row, Ticked(hands_running=True), 401.0)
    assert waiting.due
    pause = moved(waiting, row, Ticked(), 430.0)
    assert (pause.stage, pause.remaining) == (2, 600.0)
    assert moved(pause, row, Ticked(), 1031.0).remaining == 600.0


@pytest.mark.parametrize(
    "clock", [replace(RUNNING, stage=2), replace(RUNNING, due=True), Clock(), replace(RUNNING, over=True)]
)
def test_no_break_in_a_break_or_before_the_start(clock: Clock) -> None:
    with pytest.raises(Refused):
        finish.with_break(clock, ROW, 600.0, 400.0)


def test_lengths_and_levels_that_do_not_come_any_more_are_refused() -> None:
    assert finish.with_lengths(RUNNING, ROW, {3: 15.0})[3].seconds == 900.0
    assert [s.level.n for s in finish.without(RUNNING, ROW, [4]) if s.level] == [1, 2, 3, 5, 6]
    for numbers in ([2], [9], [3, 4, 5, 6]):
        with pytest.raises(Refused):
            finish.without(RUNNING, ROW, numbers)
    for minutes in ({2: 15.0}, {3: 0.5}, {3: float("nan")}):
        with pytest.raises(Refused):
            finish.with_lengths(RUNNING, ROW, minutes)


def test_levels_left_out_keep_the_clock_in_its_level_and_come_back(preset: Preset) -> None:
    state = state_of(replace(RUNNING, stage=4))
    new = (*ROW[:1], *ROW[3:])
    told = ev.LevelsSet(stages=new, why="finish")
    after = machine.apply(state, told, preset, 130.0)
    assert new[after.clock.stage].level == ROW[4].level
    assert (after.clock.remaining, after.clock.running_since, after.clock.rev) == (900.0, 100.0, 4)
    (back,) = undo.inverse(state, told, 130.0)
    restored = machine.apply(after, back, preset, 150.0)
    assert (restored.settings.stages, restored.clock.stage) == (ROW, 4)


def test_a_row_without_the_level_that_runs_is_refused(preset: Preset) -> None:
    for event in (
        ev.LevelsSet(stages=ROW[2:]),
        ev.LevelsSet(stages=(Stage(60.0),)),
        ev.LevelsSet(stages=ROW, stage=9),
    ):
        with pytest.raises(Refused):
            machine.apply(state_of(), event, preset, 130.0)


def test_acts_on_the_clock_are_taken_back_with_the_time_that_was_left_then(preset: Preset) -> None:
    state = state_of()
    step = ev.Clocked(act=Set(3))
    after = machine.apply(state, step, preset, 400.0)
    (back,) = undo.inverse(state, step, 400.0)
    assert machine.apply(after, back, preset, 405.0).clock.remaining == 600.0
    pause = ev.Clocked(act=Paused("director"))
    assert undo.inverse(state, pause, 400.0) == (ev.Clocked(act=Released("director")),)
    stopped = machine.apply(state, pause, preset, 400.0)
    assert undo.inverse(stopped, ev.Clocked(act=Released("director")), 500.0) == (pause,)
    assert undo.inverse(stopped, pause, 500.0) == ()
    assert undo.inverse(state, ev.Clocked(act=Ticked()), 400.0) == ()
    assert undo.inverse(state, ev.Clocked(act=Restructured()), 400.0) == ()


def test_a_break_now_is_taken_back_while_it_lasts(preset: Preset) -> None:
    state = state_of()
    told = ev.LevelsSet(
        stages=finish.with_break(RUNNING, ROW, 600.0, 400.0), stage=1, remaining=0.0, why="break"
    )
    (back,) = undo.inverse(state, told, 400.0)
    paused = machine.apply(machine.apply(state, told, preset, 400.0), ev.Clocked(act=Ticked()), preset, 401.0)
    assert paused.clock.stage == 2
    again = machine.apply(paused, back, preset, 420.0)
    assert (again.settings.stages, again.clock.stage, again.clock.remaining) == (ROW, 1, 600.0)
    assert again.clock.pauses == ()
