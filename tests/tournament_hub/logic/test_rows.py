"""Rows of the rules on button, blinds and the tournament that meet in the hub, by preset and article."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.seating import Positions
from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.logic import balance, proposals, seating, targets
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place

BOOKS = ("standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026")
LEVELS = tuple(clocks.Stage(600.0, m.Level(n=n, small_blind=50 * n, big_blind=100 * n)) for n in range(1, 5))


def preset(name: str) -> Preset:
    return preset_of(load_book(name))


def arrives(hall: Any, seat: int) -> Any:
    """Somebody comes to a free seat of a table that has played: the positions of its next hand."""
    hall.seat({"t1": 5, "t2": 3})
    hall.button("t1", 1, 2, 3)
    hall.say(
        ev.MovePlanned(move="m1", entry="b1", target=Place("t1", seat)),
        ev.MoveLeft(move="m1", stack=1000),
        ev.MoveArrived(move="m1", counted=1000),
    )
    return seating.next_hand(hall.state.tables["t1"], hall.preset)


# -- §9 button and blinds ------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOOKS)
def test_newcomer_elsewhere_plays_at_once(halls: Callable, name: str) -> None:
    positions = arrives(halls(name), 6)
    assert 6 in positions.players and positions.waiting == ()


@pytest.mark.parametrize(
    ("name", "waits"),
    [("ppc2011", True), ("standard", False), ("stars", False), ("ropta", False), ("tda2024", False)],
)
def test_ppc_9_newcomer_between_button_and_big_blind_waits_by_tda_8_a_only_up_to_the_small_blind(
    halls: Callable, name: str, waits: bool
) -> None:
    hall = halls(name)
    hall.seat({"t1": 6, "t2": 3})
    hall.say(ev.Busted(table="t1", entries=("a4",)))
    hall.button(
        "t1", 1, 2, 3
    )  # next hand: button 2, small blind 3, big blind 5; the free seat lies between the blinds
    hall.say(
        ev.MovePlanned(move="m1", entry="b1", target=Place("t1", 4)),
        ev.MoveLeft(move="m1", stack=1000),
        ev.MoveArrived(move="m1", counted=1000),
    )
    positions = seating.next_hand(hall.state.tables["t1"], hall.preset)
    assert (4 in positions.waiting) is waits and (4 in positions.players) is not waits


@pytest.mark.parametrize("name", BOOKS)
@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("a2", (2, 3, 4)),  # small blind out: dead button
        ("a3", (2, 3, 4)),  # big blind out: the old small blind has the button, the small blind is dead
        ("a5", (2, 3, 4)),
    ],
)
def test_ropta_dead_button_whoever_is_out_the_next_big_blind_is_never_skipped(
    halls: Callable, name: str, out: str, expected: tuple[int, int, int]
) -> None:
    hall = halls(name).seat({"t1": 6})
    hall.button("t1", 1, 2, 3)
    hall.say(ev.Busted(table="t1", entries=(out,)))
    positions = seating.next_hand(hall.state.tables["t1"], hall.preset)
    assert (positions.button, positions.small_blind, positions.big_blind) == expected
    assert (positions.small_blind_seat is None) == (out == "a3")


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_both_blinds_out_utg_posts_the_big_blind_alone(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 6})
    hall.button("t1", 1, 2, 3)
    hall.say(ev.Busted(table="t1", entries=("a2", "a3")))
    positions = seating.next_hand(hall.state.tables["t1"], hall.preset)
    assert positions.big_blind == 4 and positions.small_blind_seat is None and positions.button == 2


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_heads_up_the_button_has_the_small_blind_and_nobody_pays_the_big_blind_twice(
    halls: Callable, name: str
) -> None:
    hall = halls(name).seat({"t1": 3})
    hall.button("t1", 1, 2, 3)
    hall.say(ev.Busted(table="t1", entries=("a2",)))
    positions = seating.next_hand(hall.state.tables["t1"], hall.preset)
    assert positions.big_blind == 1 and positions.button == positions.small_blind == 3


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_button_a_wrong_button_stands_and_is_not_made_good_later(halls: Callable, name: str) -> None:
    """The hub takes the table's actual button; the next hand follows from it."""
    hall = halls(name).seat({"t1": 5})
    hall.button("t1", 1, 2, 3)
    actual = Positions(4, 5, 1, (5, 1, 2, 3, 4))
    hall.say(ev.HandStarted(table="t1", hand=1, positions=actual), ev.HandEnded(table="t1", hand=1))
    assert seating.next_hand(hall.state.tables["t1"], hall.preset).button == 5


def test_a_misdeal_keeps_button_and_blinds_and_is_no_hand(halls: Callable) -> None:
    hall = halls("ropta", stages=LEVELS).seat({"t1": 5})
    positions = Positions(1, 2, 3, (2, 3, 4, 5, 1))
    hall.say(
        ev.HandStarted(table="t1", hand=1, positions=positions), ev.HandEnded(table="t1", hand=1, void=True)
    )
    held = hall.state.tables["t1"]
    assert (held.hands, held.positions) == (0, positions)


# -- §10 the tournament -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_start_a_table_starts_with_three_or_a_person_says_why_not(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 4, "t2": 2}, start=False)
    with pytest.raises(Refused) as refused:
        hall.say(ev.Started())
    assert refused.value.code == "too-few" and hall.preset.article("start_players") in str(refused.value)
    hall.say(ev.Passed(block="start", reason="deux en retard"), ev.Started())
    assert hall.state.started


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_start_after_a_break_two_are_enough(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 4, "t2": 2})
    assert hall.preset.restart_players == 2
    assert "players" not in proposals.may_start(hall.state, "t2")


@pytest.mark.parametrize(
    ("name", "stack"), [("ppc2011", 700), ("ropta", 1000), ("stars", 1000), ("tda2024", 1000)]
)
def test_ppc_3_3_the_blinds_that_have_passed_come_off_a_late_stack(
    halls: Callable, name: str, stack: int
) -> None:
    hall = halls(name, stages=LEVELS).seat({"t1": 4})
    for hand in range(1, 9):  # two rounds of four at level 1
        hall.say(ev.HandStarted(table="t1", hand=hand, level=1), ev.HandEnded(table="t1", hand=hand))
    late = seating.late_entry(hall.state, hall.preset, "z1", "z1", "seed")
    hall.say(late)
    assert hall.state.entries["z1"].stack == stack


@pytest.mark.parametrize("name", ["ppc2011", "ropta"])
def test_ppc_3_3_ropta_late_after_two_levels_nobody_comes_in(halls: Callable, name: str) -> None:
    hall = halls(name, stages=LEVELS).seat({"t1": 4})
    hall.say(ev.Clocked(act=clocks.Set(2)))
    with pytest.raises(Refused) as refused:
        hall.say(ev.LateEntered(entry="z1"))
    assert refused.value.code == "late-closed" and hall.preset.article("late_levels") in str(refused.value)


@pytest.mark.parametrize("name", BOOKS)
def test_absent_entries_stay_in_the_target_as_absent_stars_absent(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 3})
    hall.say(ev.Presence(entry="a2", absent=True))
    before = m.Desired(epoch=1, rev=1, tournament=None, rulebook=name, level=None, seats=())
    seats = targets.target(hall.state, hall.preset, "t1", before)["seats"]
    assert [(seat.seat, seat.absent) for seat in seats] == [(1, False), (2, True), (3, False)]  # type: ignore[attr-defined]


def test_ropta_penalties_missed_hands_are_in_the_target_of_whichever_table(halls: Callable) -> None:
    hall = halls("ropta").seat({"t1": 4, "t2": 3})
    hall.say(
        ev.PenaltySet(entry="a1", hands=4),
        ev.MovePlanned(move="m1", entry="a1", target=Place("t2", 7)),
        ev.MoveLeft(move="m1", stack=1000),
        ev.MoveArrived(move="m1", counted=1000),
    )
    before = m.Desired(epoch=1, rev=1, tournament=None, rulebook="ropta", level=None, seats=())
    seats = targets.target(hall.state, hall.preset, "t2", before)["seats"]
    assert {seat.entry: seat.penalty for seat in seats}["a1"] == 4  # type: ignore[attr-defined]
    hall.say(ev.PenaltyServed(entry="a1", left=3))
    assert hall.state.entries["a1"].penalty == 3


@pytest.mark.parametrize(
    ("name", "tables", "limit"),
    [
        ("ropta", 5, 3),
        ("ropta", 3, 2),
        ("standard", 5, 3),
        ("tda2024", 5, 3),
        ("tda2024", 3, 3),
        ("wsop2026", 5, 3),
    ],
)
def test_ropta_halt_tda_11_d_how_short_a_table_is_stopped(
    halls: Callable, name: str, tables: int, limit: int
) -> None:
    hall = halls(name).seat({f"t{n}": 9 for n in range(1, tables + 1)})
    assert balance.halt_at(hall.state, hall.preset) == limit


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_closing_order_is_posted_and_the_director_may_change_it(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 6, "t2": 6, "t3": 6})
    assert hall.state.order == ("t1", "t2", "t3")
    for entry in ("a1", "a2", "b1", "b2", "c1"):
        hall.say(ev.Busted(table={"a": "t1", "b": "t2", "c": "t3"}[entry[0]], entries=(entry,)))
    if hall.preset.break_order == "posted":
        hall.say(ev.OrderPosted(order=("t3", "t1", "t2")))
        table = balance.next_to_break(hall.state, hall.preset)
        assert table is not None and table.id == "t3"


@pytest.mark.parametrize(
    ("name", "left", "near"),
    [
        ("stars", 10, False),
        ("tda2024", 10, True),
        ("ropta", 10, True),
        ("stars", 6, True),
        ("ropta", 6, True),
    ],
)
def test_ropta_hand_for_hand_near_the_bubble_or_one_from_the_final_table(
    halls: Callable, name: str, left: int, near: bool
) -> None:
    hall = halls(name, places_paid=5).seat({"t1": left - left // 2, "t2": left // 2})
    assert proposals.near(hall.state, hall.preset) is near


@pytest.mark.parametrize("name", BOOKS)
def test_hand_for_hand_takes_the_books_minutes_off_the_clock_once_a_round(halls: Callable, name: str) -> None:
    hall = halls(name, stages=LEVELS, places_paid=9).seat({"t1": 5, "t2": 5})
    hall.say(ev.HandForHandAnnounced(), ev.RoundReleased(round=1))
    held = hall.state.hand_for_hand
    before = clocks.left(hall.state.clock, hall.at)
    for table in ("t1", "t2"):
        hall.hand(table, gate=held.gate)
    assert before - clocks.left(hall.state.clock, hall.at) == 60.0 * hall.preset.hand_for_hand_minutes_off
    assert clocks.HAND_FOR_HAND in hall.state.clock.pauses


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_levels_a_level_applies_to_the_next_hand_through_the_target(halls: Callable, name: str) -> None:
    hall = halls(name, stages=LEVELS).seat({"t1": 4})
    before = m.Desired(epoch=1, rev=1, tournament=None, rulebook=name, level=None, seats=())
    hall.at = 601.0
    hall.say(ev.HandStarted(table="t1", hand=1, level=1), ev.Clocked(act=clocks.Ticked(hands_running=True)))
    level = targets.target(hall.state, hall.preset, "t1", before)["level"]
    assert (
        isinstance(level, m.Level) and level.n == 2
    )  # for the next hand; the one that runs has its own stamped on it


@pytest.mark.parametrize("name", BOOKS)
def test_only_the_director_disqualifies_and_the_chips_leave_with_a_line(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 4})
    assert not [p for p in proposals.proposals(hall.state, hall.preset, hall.at) if "disqual" in p.kind]
    hall.say(ev.Disqualified(entry="a1", reason="collusion"))
    assert [(line.code, line.amount) for line in hall.state.ledger] == [("disqualified", -1000)]
    assert proposals.chips_agree(hall.state)


def test_a_colour_up_that_rescues_is_in_the_ledger_and_the_sum_agrees(halls: Callable) -> None:
    hall = halls("tda2024", starting_stack=1025).seat({"t1": 3})
    hall.say(ev.ColouredUp(table="t1", stacks={"a1": 1100, "a2": 1000, "a3": 1000}))
    assert [(line.code, line.amount) for line in hall.state.ledger] == [("colour_up", 25)]
    assert proposals.chips_agree(hall.state)
    with pytest.raises(Refused) as refused:
        hall.say(ev.ColouredUp(table="t1", stacks={"a2": 0}))
    assert refused.value.code == "raced-out"


def test_every_setting_decides_something() -> None:
    root = Path(__file__).resolve().parents[3]
    files = [*(root / "tournament_hub").rglob("*.py"), *(root / "maldonne").glob("*.py")]
    source = "\n".join(f.read_text(encoding="utf-8") for f in files if "preset" not in f.name)
    names = {field.name for field in msgspec.structs.fields(Preset)} - {"rulebook", "articles", "offences"}
    assert {name for name in names if f"preset.{name}" not in source} == set()


def level_for(hall: Any, table: str) -> tuple[int, int | None]:
    """The level of a table's next hand, and the one after it, as its target has them."""
    before = m.Desired(epoch=1, rev=1, tournament=None, rulebook="ropta", level=None, seats=())
    told = targets.target(hall.state, hall.preset, table, before)
    level, coming = told["level"], told["next_level"]
    assert isinstance(level, m.Level)
    return level.n, coming.n if isinstance(coming, m.Level) else None


def at_the_change(halls: Callable, name: str, ended: float = 590.0) -> Any:
    """A table whose pot was awarded just before the level changed, and one whose hand runs over the change."""
    hall = halls(name, stages=LEVELS).seat({"t1": 4, "t2": 4})
    hall.say(ev.HandStarted(table="t1", hand=1, level=1), ev.HandStarted(table="t2", hand=1, level=1))
    hall.at = ended
    hall.say(ev.HandEnded(table="t1", hand=1))
    hall.at = 600.0
    hall.say(ev.Clocked(act=clocks.Ticked(hands_running=True)))
    return hall


@pytest.mark.parametrize(("name", "level"), [("ropta", 1), ("standard", 1), ("tda2024", 2)])
def test_ropta_levels_a_hand_begins_with_the_pot_before_tda_23_with_the_riffle(
    halls: Callable, name: str, level: int
) -> None:
    hall = at_the_change(halls, name)
    assert level_for(hall, "t1") == (level, level + 1)
    assert level_for(hall, "t2") == (2, 3)  # its hand runs: the next one begins after the change
    hall.say(ev.HandStarted(table="t1", hand=2, level=level))
    hall.say(ev.HandEnded(table="t1", hand=2), ev.HandEnded(table="t2", hand=1))
    assert level_for(hall, "t1") == level_for(hall, "t2") == (2, 3)


def test_no_hand_has_begun_at_a_table_that_is_kept_from_it_or_stands_idle(halls: Callable) -> None:
    for what in (
        (ev.Held(table="t1", reason="floor"), ev.Released(table="t1", reason="floor")),
        (ev.HandForHandAnnounced(), ev.HandForHandEnded()),
        (ev.HandForHandAnnounced(),),
        (
            ev.CallOpened(call="c1", kind="ruling", table="t1", hold=True),
            ev.CallAnswered(call="c1", rev=1, state="closed"),
        ),
    ):
        hall = at_the_change(halls, "ropta")
        assert level_for(hall, "t1") == (1, 2)
        hall.say(*what)
        assert level_for(hall, "t1") == (2, 3)
    assert level_for(at_the_change(halls, "ropta", 600.0 - targets.BEGUN_S - 1.0), "t1") == (2, 3)
    hall = halls("ropta", stages=(LEVELS[0], clocks.Stage(300.0), *LEVELS[1:])).seat({"t1": 4})
    hall.hand("t1")
    for hall.at in (600.0, 900.0):
        hall.say(ev.Clocked(act=clocks.Ticked()))
    assert level_for(hall, "t1") == (2, 3)  # a break lies between
