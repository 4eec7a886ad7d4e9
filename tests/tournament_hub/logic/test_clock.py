"""The clock: one function moves it, two owners of a pause, levels stamped at the hand's start, and what others got wrong."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller import messages as m
from table_controller.messages.tournament import Clock as ClockMessage
from table_controller.rulebook_files import load_book
from tournament_hub.logic.clock import (
    BREAK,
    HAND_FOR_HAND,
    Act,
    Clock,
    Ended,
    Paused,
    Released,
    Restarted,
    Restructured,
    RoundPlayed,
    Set,
    Stage,
    Started,
    Ticked,
    finish_in,
    foreseen_end,
    last_stage,
    late_entry_open,
    left,
    level_now,
    level_of_hand,
    message,
    moved,
    next_level,
    seconds_to_break,
    seconds_until,
    stages_of,
    state,
    structure_of,
    wall_stepped,
)
from tournament_hub.logic.presets import Preset, preset_of

UTC = "2024-05-01T20:00:00Z"


def level(n: int, seconds: float = 1200) -> Stage:
    return Stage(seconds, m.Level(n=n, small_blind=50 * n, big_blind=100 * n))


PAUSE = Stage(600)
STAGES = (level(1), level(2), PAUSE, level(3), level(4))


def run(*acts: tuple[float, Act], start: Clock | None = None, stages: Any = STAGES) -> Clock:
    """Acts with their moments, one after another."""
    clock = start or Clock()
    for now, act in acts:
        clock = moved(clock, stages, act, now)
    return clock


STARTED = run((100.0, Started()))


def preset(name: str) -> Preset:
    return preset_of(load_book(name))


def test_level_counts_down_from_the_start_and_the_next_begins_by_itself() -> None:
    assert state(Clock(), STAGES) == "before"
    assert (state(STARTED, STAGES), left(STARTED, 400)) == ("running", 900)
    clock = moved(STARTED, STAGES, Ticked(), 1300.25)
    assert (clock.stage, left(clock, 1300.25)) == (1, 1199.75)
    assert level_now(clock, STAGES).n == 2


def test_ticks_that_change_nothing_give_nothing_to_publish() -> None:
    assert moved(STARTED, STAGES, Ticked(), 500.0) is STARTED
    assert moved(STARTED, STAGES, Started(), 500.0) is STARTED
    assert moved(STARTED, STAGES, Released("nobody"), 500.0) is STARTED


def test_levels_do_not_drift_however_seldom_the_hub_looks() -> None:
    often, seldom = STARTED, STARTED
    for second in range(101, 2400):
        often = moved(often, STAGES, Ticked(), float(second))
    seldom = moved(seldom, STAGES, Ticked(), 2399.0)
    assert (often.stage, left(often, 2399)) == (seldom.stage, left(seldom, 2399)) == (1, 101.0)


def test_each_owner_of_a_pause_must_release_it() -> None:
    clock = run((200, Paused(HAND_FOR_HAND)), (210, Paused("director")), start=STARTED)
    assert (left(clock, 5000), state(clock, STAGES)) == (1100, "paused")
    clock = moved(clock, STAGES, Released("director"), 300)
    assert left(clock, 400) == 1100
    clock = moved(clock, STAGES, Released(HAND_FOR_HAND), 500)
    assert left(clock, 510) == 1090


def test_a_break_waits_for_the_hands_that_run_and_is_whole() -> None:
    clock = run((1300, Ticked()), (2500, Ticked(hands_running=True)), start=STARTED)
    assert clock.due and left(clock, 2600) == 0 and state(clock, STAGES) == "running"
    assert moved(clock, STAGES, Ticked(hands_running=True), 2600) is clock
    clock = moved(clock, STAGES, Ticked(), 2620)
    assert (state(clock, STAGES), left(clock, 2620), clock.pauses) == ("break", 600, (BREAK,))
    assert level_now(clock, STAGES).n == 3
    clock = moved(clock, STAGES, Ticked(), 3225)
    assert (clock.stage, left(clock, 3225), clock.pauses) == (3, 1200, ())


def test_break_and_hand_for_hand_must_both_release_before_a_level_runs() -> None:
    """Nothing is dealt through a break, and no timer of the level is armed in it."""
    clock = run((1300, Ticked()), (2400, Paused(HAND_FOR_HAND)), start=STARTED)
    clock = moved(clock, STAGES, RoundPlayed(1, 2), 2450)  # 100 s were left: the break is due
    clock = moved(clock, STAGES, Ticked(), 2460)
    assert state(clock, STAGES) == "break" and set(clock.pauses) == {HAND_FOR_HAND, BREAK}
    assert left(clock, 2700) == 360  # the break itself goes on
    clock = moved(clock, STAGES, Ticked(), 3100)
    assert (clock.stage, clock.pauses, left(clock, 9000)) == (3, (HAND_FOR_HAND,), 1200)
    clock = moved(clock, STAGES, Released(HAND_FOR_HAND), 9000)
    assert left(clock, 9100) == 1100


def test_hand_for_hand_released_in_a_break_does_not_start_the_level() -> None:
    clock = run((1300, Ticked()), (2500, Ticked()), (2550, Paused(HAND_FOR_HAND)), start=STARTED)
    clock = moved(clock, STAGES, Released(HAND_FOR_HAND), 2600)
    assert (state(clock, STAGES), clock.pauses, left(clock, 2600)) == ("break", (BREAK,), 500)


def test_a_director_stops_and_shortens_a_break() -> None:
    clock = run((1300, Ticked()), (2500, Ticked()), (2600, Paused("director")), start=STARTED)
    assert left(clock, 9999) == 500
    clock = run((9999, Released("director")), (10010, Released(BREAK)), start=clock)
    assert (clock.stage, left(clock, 10010), clock.pauses) == (3, 1200, ())


def test_two_minutes_come_off_for_each_round_once() -> None:
    """ROPTA hand-for-hand, TDA RP-8; said again (a replay, a second click) nothing more comes off."""
    clock = run((200, Paused(HAND_FOR_HAND)), start=STARTED)
    off = preset("ropta").hand_for_hand_minutes_off
    for _ in range(3):
        clock = moved(clock, STAGES, RoundPlayed(1, off), 300)
    assert left(clock, 300) == 1100 - 120
    clock = moved(clock, STAGES, RoundPlayed(2, off), 400)
    assert left(clock, 400) == 1100 - 240


def test_rounds_carry_the_clock_into_the_next_level() -> None:
    """TDA RP-8: levels go on."""
    clock = run((1250, Paused(HAND_FOR_HAND)), (1250, RoundPlayed(1, 2)), start=STARTED)
    assert (clock.stage, left(clock, 1250), clock.pauses) == (1, 1130, (HAND_FOR_HAND,))


def test_a_level_that_ends_in_a_hand_applies_to_the_next_one() -> None:
    clock = moved(STARTED, STAGES, Ticked(), 1300)  # level 2 began at 1300
    ropta, tda = preset("ropta"), preset("tda2024")
    started = {"first_card": 1310.0, "riffle": 1301.0, "pot_awarded": 1295.0}
    assert (
        level_of_hand(clock, STAGES, ropta, **started).n == 1
    )  # ROPTA levels: begun when the pot was awarded
    assert level_of_hand(clock, STAGES, tda, **started).n == 2  # TDA 23: begun at the first riffle
    assert level_of_hand(clock, STAGES, tda, first_card=1310.0, riffle=1299.0).n == 1
    assert level_of_hand(clock, STAGES, ropta, first_card=1310.0).n == 2  # a table's first hand
    assert level_of_hand(clock, STAGES, ropta, first_card=1400.0, pot_awarded=1390.0).n == 2


def test_a_hand_after_a_break_is_at_the_new_level_whenever_the_pot_before_was_awarded() -> None:
    clock = run((1300, Ticked()), (2500, Ticked()), (3100, Ticked()), start=STARTED)
    assert level_of_hand(clock, STAGES, preset("ropta"), first_card=3110.0, pot_awarded=2490.0).n == 3


def test_a_reset_is_always_published() -> None:
    clock = moved(STARTED, STAGES, Set(0), 100.0)
    assert left(clock, 100) == 1200 and clock.rev == STARTED.rev + 1
    clock = moved(clock, STAGES, Set(3, 45.0), 200)
    assert (level_now(clock, STAGES).n, left(clock, 210), clock.rev) == (3, 35.0, STARTED.rev + 2)
    with pytest.raises(ValueError, match="stage 9 of 5"):
        moved(clock, STAGES, Set(9), 200)


def test_a_reset_keeps_the_pause_of_others() -> None:
    clock = run((200, Paused(HAND_FOR_HAND)), (300, Set(1)), start=STARTED)
    assert (left(clock, 9000), clock.pauses) == (1200, (HAND_FOR_HAND,))


@pytest.mark.parametrize("hours", [-6, 6])
def test_a_wall_clock_that_is_set_moves_nothing_and_is_told_anew(hours: int) -> None:
    """Only the label changes: what is left is that of the moment of publication."""
    earlier = message(STARTED, STAGES, now=400.0, utc=UTC, epoch=1)
    stepped = "2024-05-02T02:00:10Z" if hours > 0 else "2024-05-01T14:00:10Z"
    assert wall_stepped(10.0, 10.0 + hours * 3600) and not wall_stepped(10.0, 10.02)
    later = message(STARTED, STAGES, now=410.0, utc=stepped, epoch=1)
    assert (earlier.remaining_s, later.remaining_s) == (900.0, 890.0)
    assert later.running_since == later.utc == stepped
    assert moved(STARTED, STAGES, Ticked(), 410.0) is STARTED


def test_after_a_restart_the_clock_goes_on_from_the_last_moment_known() -> None:
    """The new program's monotonic clock may begin at any number."""
    clock = run((700.0, Paused("director")), (800.0, Released("director")), start=STARTED)
    after = moved(clock, STAGES, Restarted(was=900.0), 12.5)
    assert (left(after, 12.5), left(after, 22.5)) == (500.0, 490.0)
    held = run((850.0, Paused("director")), start=clock)
    assert left(moved(held, STAGES, Restarted(was=900.0), 12.5), 99.0) == 550.0


def test_acts_obeyed_again_at_a_restart_change_nothing() -> None:
    """A retained command that comes a second time: started, paused, released, a round taken off."""
    acts: list[Act] = [Started(), Paused(HAND_FOR_HAND), RoundPlayed(1, 2)]
    clock = run(*((100.0, act) for act in acts))
    assert run(*((500.0, act) for act in acts), start=clock) is clock


def test_the_last_level_does_not_end_and_is_told_once() -> None:
    clock = run((0, Started()), (0, Set(4)), (1300, Ticked()))
    assert (clock.stage, left(clock, 1300), level_now(clock, STAGES).n) == (4, 0, 4)
    assert moved(clock, STAGES, Ticked(), 5000) is clock
    assert next_level(clock, STAGES) is None


def test_a_tournament_that_is_over_stands_still() -> None:
    clock = run((200, Ended()), start=STARTED)
    assert (state(clock, STAGES), left(clock, 900)) == ("over", 1100)
    for act in (Ticked(), Paused("x"), Started(), RoundPlayed(1, 2), Restructured()):
        assert moved(clock, STAGES, act, 999) is clock


def test_late_entry_is_open_until_the_level_after_the_last_begins() -> None:
    """PPC 3.3, ROPTA late: two levels; the break after them still counts."""
    levels = preset("ropta").late_levels
    clock = Clock()
    for moment, act in ((100, Started()), (1300, Ticked()), (2500, Ticked())):
        assert late_entry_open(clock, STAGES, levels)
        clock = moved(clock, STAGES, act, moment)
    assert state(clock, STAGES) == "break" and late_entry_open(clock, STAGES, levels)
    assert not late_entry_open(moved(clock, STAGES, Ticked(), 3100), STAGES, levels)
    assert not late_entry_open(moved(STARTED, STAGES, Ended(), 200), STAGES, levels)


def test_what_displays_are_told() -> None:
    told = message(STARTED, STAGES, now=400.0, utc=UTC, epoch=3)
    assert (told.state, told.level, told.next_level) == ("running", STAGES[0].level, STAGES[1].level)
    assert (told.next_break_s, told.rev, told.epoch, told.pauses) == (2100.0, STARTED.rev, 3, ())
    stopped = message(run((200, Paused("director")), start=STARTED), STAGES, now=900.0, utc=UTC, epoch=3)
    assert (stopped.running_since, stopped.remaining_s, stopped.state) == (None, 1100.0, "paused")
    assert m.decode(m.encode(told), ClockMessage) == told
    assert seconds_to_break(run((0, Started()), (0, Set(3))), STAGES, 0.0) is None
    assert stages_of(structure_of(STAGES)) == STAGES


def test_a_structure_needs_a_level() -> None:
    with pytest.raises(ValueError, match="needs a level"):
        moved(Clock(), (PAUSE,), Started(), 0)


LONG = tuple(level(n) for n in range(1, 11))
"""Ten levels of twenty minutes."""


def test_the_likely_end_is_in_the_level_where_all_chips_are_few_blinds() -> None:
    assert last_stage(LONG, 14000) == 6
    assert last_stage(LONG, 10**9) == 9
    clock = run((0, Started()), stages=LONG)
    assert foreseen_end(clock, LONG, 14000, 300.0) == 7 * 1200 - 300


def test_to_finish_at_a_time_shorter_levels_are_proposed_with_their_effect() -> None:
    clock = run((0, Started()), stages=LONG)
    found = finish_in(clock, LONG, 14000, 0.0, 6000.0)
    assert (found.before, found.after, found.fits) == (8400.0, 6000.0, True)
    assert found.stages[0] == LONG[0] and found.stages[7:] == LONG[7:]
    assert [new for _, _, new in found.changed] == [780.0 + 60 * (k < 2) for k in range(6)]
    assert all(new % 60 == 0 and new < old for _, old, new in found.changed)


def test_what_cannot_be_finished_in_time_is_said() -> None:
    clock = run((0, Started()), stages=LONG)
    found = finish_in(clock, LONG, 14000, 0.0, 1800.0)
    assert not found.fits and found.after == 1200 + 6 * 300
    assert finish_in(clock, LONG, 14000, 0.0, 9000.0).changed == ()


def test_finish_at_a_time_of_day() -> None:
    assert seconds_until("23h30", 23.25 * 3600) == 900.0
    assert seconds_until("1:00", 23 * 3600) == 7200.0
    for wrong in ("24:00", "12:60", "noon", "12"):
        with pytest.raises(ValueError, match="no time of day"):
            seconds_until(wrong, 0.0)


def test_a_new_structure_is_published_and_the_running_level_stays() -> None:
    clock = run((0, Started()), stages=LONG)
    proposal = finish_in(clock, LONG, 14000, 0.0, 6000.0)
    after = moved(clock, proposal.stages, Restructured(), 100.0)
    assert (after.rev, left(after, 100.0)) == (clock.rev + 1, 1100.0)
    assert foreseen_end(after, proposal.stages, 14000, 0.0) == proposal.after


OWNERS = st.sampled_from(["director", HAND_FOR_HAND, "floor"])
ACTS = st.one_of(
    st.just(Started()),
    OWNERS.map(Paused),
    OWNERS.map(Released),
    st.just(Released(BREAK)),
    st.builds(RoundPlayed, st.integers(1, 6), st.just(2)),
    st.booleans().map(Ticked),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 900), ACTS), max_size=40))
def test_whatever_happens_the_clock_is_sane(steps: list[tuple[float, Act]]) -> None:
    clock, now = Clock(), 0.0
    for passed, act in steps:
        now += passed
        before = clock
        clock = moved(before, STAGES, act, now)
        assert 0 <= left(clock, now) <= STAGES[clock.stage].seconds
        assert clock.stage >= before.stage and clock.rev >= before.rev
        assert (clock is before) == (clock.rev == before.rev)
        in_break = STAGES[clock.stage].level is None
        assert in_break == (BREAK in clock.pauses)
        if clock.running_since is not None:
            assert clock.started and not clock.due
            assert in_break or not clock.pauses
        told = message(clock, STAGES, now=now, utc=UTC, epoch=1)
        assert m.decode(m.encode(told), ClockMessage) == told
        assert msgspec.convert(msgspec.to_builtins(clock), Clock) == clock


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 400), ACTS), max_size=30), st.floats(-1e6, 1e6))
def test_time_is_only_ever_a_difference(steps: list[tuple[float, Act]], shift: float) -> None:
    """The same acts on a clock that began at another number leave the same time (to a millisecond)."""
    one, two, now = Clock(), Clock(), 0.0
    for passed, act in steps:
        now += round(passed, 2)
        one = moved(one, STAGES, act, now)
        two = moved(two, STAGES, act, now + round(shift))
        assert (one.stage, one.pauses, one.due, one.rev) == (two.stage, two.pauses, two.due, two.rev)
        assert left(one, now) == pytest.approx(left(two, now + round(shift)), abs=1e-3)
