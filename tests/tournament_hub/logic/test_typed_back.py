"""An evening finished on paper is typed back in: places are right, chips are kept, and a mistake changes nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, ranking, undo
from tournament_hub.logic.clock import Stage
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.state import Place, Settings, State, chips_due, chips_found
from tournament_hub.logic.typed_back import Row, Sheet, Told, typed_back

PRESET: Preset = preset_of(load_book("standard"))


def evening(*sizes: int, stack: int | None = 1000, stages: tuple[Stage, ...] = ()) -> State:
    """Tables "1", "2", … with so many players; entries are 1a, 1b, … by table and seat."""
    state = machine.start(Settings(tournament="t", starting_stack=stack, stages=stages))
    seats = []
    for number, size in enumerate(sizes, 1):
        state = say(state, ev.TableOpened(table=str(number), device=False))
        for seat in range(1, size + 1):
            name = f"{number}{'abcdefghij'[seat - 1]}"
            state = say(state, ev.Registered(entry=name))
            seats.append(ev.Seating(name, Place(str(number), seat)))
    state = say(state, ev.Drawn(seats=tuple(seats)))
    return say(state, ev.Passed(block="start", reason="few"), ev.Started())


def say(state: State, *events: ev.Event) -> State:
    for event in events:
        state = machine.apply(state, event, PRESET, 10.0)
    return state


def told(state: State, *rows: Row, **fields: object) -> Told:
    return typed_back(state, PRESET, Sheet(rows, **fields), 10.0)  # type: ignore[arg-type]


def places(state: State) -> dict[str, int]:
    found = ranking.places(state.entries.keys(), state.groups, PRESET, over=state.over)
    return {place.entry: place.place for place in found}


def codes(result: Told) -> list[str]:
    return [mistake.code for mistake in result.mistakes]


def test_the_order_of_going_out_gives_the_places() -> None:
    state = evening(3, 3)
    result = told(
        state,
        Row("1a", 3),
        Row("2b", 1),
        Row("1c", 2),
        Row("1b", None, Place("2", 2), 2500),
        Row("2a", None, Place("2", 1), 1500),
        Row("2c", None, Place("2", 3), 2000),
    )
    assert result.mistakes == ()
    assert (result.out, result.moved) == (3, 1)
    after = say(state, *result.events)
    assert places(after) == {"2b": 6, "1c": 5, "1a": 4}
    assert after.tables["1"].status == "closed"
    assert after.tables["2"].seats == {1: "2a", 2: "1b", 3: "2c"}
    assert chips_found(after) == chips_due(after) == 6000
    assert {t.loose for t in after.tables.values()} == {0}
    assert after.ledger == ()


def test_two_of_one_hand_are_ranked_by_what_they_had() -> None:
    state = evening(4)
    result = told(state, Row("1a", 1, None, 400), Row("1b", 1, None, 900), Row("1c"), Row("1d"))
    assert places(say(state, *result.events)) == {"1a": 4, "1b": 3}
    shared = told(state, Row("1a", 1, None, 400), Row("1b", 1, None, 400))
    assert places(say(state, *shared.events)) == {"1a": 3, "1b": 3}


def test_one_who_moved_on_paper_goes_out_with_another_at_his_new_table() -> None:
    state = evening(4, 4)
    result = told(state, Row("1a", 1, Place("2", 9), 300), Row("2a", 1, None, 500))
    after = say(state, *result.events)
    assert places(after) == {"1a": 8, "2a": 7}
    assert len(after.groups) == 1


def test_the_last_one_is_the_winner() -> None:
    state = evening(3)
    result = told(state, Row("1a", 1), Row("1b", 2), Row("1c", None, None, 3000))
    after = say(state, *result.events)
    assert after.over
    assert places(after) == {"1c": 1, "1b": 2, "1a": 3}


def test_people_on_each_others_seats_exchange_them_at_full_tables() -> None:
    state = evening(9, 9)
    ring = {"1a": Place("2", 1), "2a": Place("1", 2), "1b": Place("1", 1)}
    result = told(state, Row("2i", 1), *(Row(entry, None, place) for entry, place in ring.items()))
    after = say(state, *result.events)
    assert {entry: after.entries[entry].place for entry in ring} == ring
    assert result.moved == 3


def test_stacks_that_nobody_wrote_down_are_unknown() -> None:
    state = evening(3)
    after = say(state, *told(state, Row("1a", None, None, 1200), Row("1b")).events)
    assert [after.entries[name].stack for name in ("1a", "1b", "1c")] == [1200, None, None]
    assert chips_due(after) == 3000
    unrecorded = evening(3, stack=None)
    assert [type(event) for event in told(unrecorded, Row("1a", 1)).events] == [ev.Busted]


def test_level_button_and_what_was_under_way_are_settled() -> None:
    stages = tuple(Stage(600.0, m.Level(n=n, small_blind=n, big_blind=2 * n)) for n in (1, 2, 3))
    state = evening(4, 3, stages=stages)
    state = say(
        state,
        ev.HandStarted(table="1", hand=7),
        ev.MovePlanned(move="m1", entry="2a", target=Place("1", 7)),
        ev.MovePlanned(move="m2", entry="1a", target=Place("2", 7)),
        ev.MoveLeft(move="m1"),
        ev.HandForHandAnnounced(),
    )
    assert codes(told(state, Row("1b", 1))) == ["no_place"]
    there = Row("2a", None, Place("1", 7))
    result = told(state, Row("1b", 1), there, stage=2, seconds=90.0, buttons={"1": 3, "2": 1})
    assert result.mistakes == ()
    after = say(state, *result.events)
    assert (after.clock.stage, after.clock.remaining) == (2, 90.0)
    assert after.clock.pauses == ()
    assert (after.tables["1"].first_button, after.tables["2"].first_button) == (3, 1)
    assert not after.tables["1"].running
    assert after.hand_for_hand is None
    assert {move.state for move in after.moves.values()} == {"cancelled"}
    assert (after.entries["2a"].place, after.entries["1a"].place) == (Place("1", 7), Place("1", 1))
    assert places(after) == {"1b": 7}


@pytest.mark.parametrize(
    ("rows", "fields", "code"),
    [
        ([Row("9z")], {}, "unknown"),
        ([Row("1c", 1)], {}, "out_before"),
        ([Row("1a"), Row("1a", 1)], {}, "twice"),
        ([Row("1a", 2)], {}, "gap"),
        ([Row("1a", 1), Row("1b", 3)], {}, "gap"),
        ([Row("1a", 1), Row("2a", 1)], {}, "two_tables"),
        ([Row("1a", 1), Row("1b", 2), Row("2a", 3), Row("2b", 4)], {}, "nobody_left"),
        ([Row("1a", None, Place("1", 2))], {}, "seat_twice"),
        ([Row("1a", None, Place("7", 2))], {}, "no_table"),
        ([Row("1a", None, Place("1", 10))], {}, "no_seat"),
        ([Row("1a", None, None, 0)], {}, "zero"),
        ([Row("1a", None, None, 10**15)], {}, "chips_size"),
        ([Row(e, None, None, 1200) for e in ("1a", "1b", "2a", "2b")], {}, "chips_missing"),
        ([Row(e, None, None, 1300) for e in ("1a", "1b", "2a", "2b")], {}, "chips_over"),
        ([Row("1a", None, None, 5001)], {}, "chips_over"),
        ([], {"buttons": {"1": 12}}, "button"),
        ([], {"buttons": {"9": 1}}, "button"),
        ([Row("1a", 1), Row("1b", 2)], {"buttons": {"1": 1}}, "button_empty"),
        ([], {"stage": 4}, "level"),
        ([], {"seconds": -1.0}, "time_left"),
    ],
)
def test_each_mistake_has_its_line_and_nothing_is_done(
    rows: list[Row], fields: dict[str, object], code: str
) -> None:
    state = say(evening(3, 2), ev.Busted(table="1", entries=("1c",)))
    result = told(state, *rows, **fields)
    assert code in codes(result)
    assert result.events == ()


def test_nothing_can_be_typed_before_the_start_or_after_the_end() -> None:
    waiting = machine.start(Settings(tournament="t"))
    assert codes(told(waiting)) == ["not_started"]
    state = evening(2)
    over = say(state, *told(state, Row("1a", 1)).events)
    assert codes(told(over)) == ["over"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, 10**6), st.lists(st.integers(2, 9), min_size=1, max_size=4).filter(lambda s: sum(s) > 2)
)
def test_whatever_was_played_on_paper_comes_back_and_can_be_taken_back(seed: int, sizes: list[int]) -> None:
    """Half an evening at random: who is out, new seats and counts; then all of it undone."""
    chance = random.Random(seed)
    state = evening(*sizes)
    entries = list(state.entries)
    chance.shuffle(entries)
    full = int(all(size == 9 for size in sizes))  # not one free seat to step aside to, and nobody out
    outs = entries[: chance.randrange(full, len(entries))]
    left = entries[len(outs) :]
    tables = sorted(state.tables)[: -(-len(left) // 9)]
    free = [Place(table, seat) for table in tables for seat in range(1, 10)]
    chance.shuffle(free)
    cuts = sorted(chance.sample(range(1, chips_due(state)), len(left) - 1))
    stacks = [b - a for a, b in zip([0, *cuts], [*cuts, chips_due(state)], strict=True)]
    rows = [Row(entry, number) for number, entry in enumerate(outs, 1)]
    rows += [Row(entry, None, free.pop(), stack) for entry, stack in zip(left, stacks, strict=True)]
    chance.shuffle(rows)
    result = told(state, *rows)
    assert result.mistakes == ()
    wanted = {entry: len(entries) - number for number, entry in enumerate(outs)}
    after, records = state, []
    for event in result.events:
        records.append(ev.Record(n=1, at=10.0, event=event, undo=undo.inverse(after, event, 10.0)))
        after = say(after, event)
    if len(left) == 1:
        wanted[left[0]] = 1
        assert after.over
    assert places(after) == wanted
    assert {e: after.entries[e].stack for e in left} == dict(zip(left, stacks, strict=True))
    assert chips_found(after) == chips_due(after)
    assert all(not table.loose for table in after.tables.values())
    for record in reversed(records):
        if record.undo:
            after = say(after, *undo.compensation(after, record, PRESET))
    assert places(after) == {}
    assert {e: (h.place, h.stack) for e, h in after.entries.items()} == {
        e: (h.place, h.stack) for e, h in state.entries.items()
    }
