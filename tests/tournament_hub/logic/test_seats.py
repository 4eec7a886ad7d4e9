"""Draws, free seats, who is moved and which table is broken or stopped: by preset, with the article."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tournament_hub.logic import balance, seating
from tournament_hub.logic import events as ev
from tournament_hub.logic.proposals import proposals
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, size

BOOKS = ("standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026")


@pytest.mark.parametrize("entries", [2, 9, 10, 19, 100, 181])
def test_draw_uses_as_few_tables_as_needed_and_sizes_differ_by_one(halls: Callable, entries: int) -> None:
    hall = halls()
    for number in range(25):
        hall.say(ev.TableOpened(table=f"t{number}"))
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(entries)])
    hall.say(seating.draw(hall.state, "seed"))
    sizes = [len(table.seats) for table in hall.state.tables.values() if table.seats]
    assert len(sizes) == seating.tables_needed(entries, 9)
    assert sum(sizes) == entries and max(sizes) - min(sizes) <= 1


def test_draw_is_the_seeds_and_locked_seats_stay(halls: Callable) -> None:
    hall = halls()
    hall.say(ev.TableOpened(table="t1"), ev.TableOpened(table="t2"))
    hall.say(ev.Registered(entry="vip", locked=Place("t2", 5)))
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(11)])
    one, same, other = (seating.draw(hall.state, seed) for seed in ("a", "a", "b"))
    assert one == same != other
    for drawn in (one, other):
        assert ev.Seating("vip", Place("t2", 5)) in drawn.seats


def test_every_seat_is_as_likely(halls: Callable) -> None:
    hall = halls(capacity=4)
    hall.say(ev.TableOpened(table="t1", capacity=4))
    hall.say(*[ev.Registered(entry=f"e{number}") for number in range(4)])
    found = Counter(
        seating_.place.seat
        for seed in range(800)
        for seating_ in seating.draw(hall.state, str(seed)).seats
        if seating_.entry == "e0"
    )
    assert sorted(found) == [1, 2, 3, 4] and min(found.values()) > 140


def test_draw_without_room_is_refused(halls: Callable) -> None:
    hall = halls()
    hall.say(ev.TableOpened(table="t1", capacity=2), *[ev.Registered(entry=f"e{n}") for n in range(3)])
    with pytest.raises(Refused) as refused:
        seating.draw(hall.state, "x")
    assert refused.value.code == "no-room"
    assert proposals(hall.state, hall.preset)[0].kind == "no_room"


def test_mover_is_the_next_big_blind_to_the_worst_seat_tda_11a(halls: Callable) -> None:
    hall = halls("tda2024").seat({"t1": 8, "t2": 6}).button("t1", 2, 3, 4).button("t2", 1, 2, 3)
    plan = balance.plan_balance(hall.state, hall.preset)
    assert plan is not None and plan.entry == "a5"  # seat 5 has the next big blind
    # t2: the big blind goes to seat 4; seats 7 to 10 are free, the nearest to the big blind is the last but small blind
    assert plan.target is not None and plan.target.table == "t2"
    positions = seating.next_hand(hall.state.tables["t2"], hall.preset, also=(plan.target.seat,))
    assert positions is not None and positions.small_blind != plan.target.seat
    assert plan.target.seat == 7


def test_worst_seat_is_the_single_big_blind_even_twice_never_the_small_tda_11a(halls: Callable) -> None:
    hall = halls("tda2024").seat({"t1": 6})
    hall.say(ev.Busted(table="t1", entries=("a4",)))
    hall.button("t1", 1, 2, 3)
    assert (
        seating.worst_seat(hall.state, hall.state.tables["t1"], hall.preset) == 4
    )  # posts the big blind at once
    small = halls("tda2024").seat({"t1": 6})
    small.button("t1", 1, 2, 3)
    small.say(ev.Busted(table="t1", entries=("a3",)))
    assert seating.worst_seat(small.state, small.state.tables["t1"], small.preset) != 3  # the small blind's


def test_stars_moves_who_moved_least_or_is_absent_to_the_same_position(halls: Callable) -> None:
    hall = halls("stars").seat({"t1": 7, "t2": 5}).button("t1", 2, 3, 4).button("t2", 1, 2, 3)
    hall.say(ev.Presence(entry="a6", absent=True))
    plan = balance.plan_balance(hall.state, hall.preset)
    assert plan is not None and plan.entry == "a6"
    assert plan.target is not None and plan.target.table == "t2"


@pytest.mark.parametrize(
    ("name", "expected"), [("wsop2026", 2), ("standard", 1), ("tda2024", 1), ("ropta", 2)]
)
def test_tolerance_with_many_tables(halls: Callable, name: str, expected: int) -> None:
    hall = halls(name).seat({f"t{n}": 5 for n in range(14)})
    assert balance.tolerance(hall.state, hall.preset) == expected


def test_next_big_blind_that_nobody_knows_is_one_question(halls: Callable) -> None:
    hall = halls("tda2024").seat({"t1": 7, "t2": 5}, device=False)
    found = [p for p in proposals(hall.state, hall.preset) if p.kind == "next_big_blind"]
    assert [p.values["table"] for p in found] == ["t1"] and found[0].question
    hall.say(*found[0].alternatives[3].events)
    assert hall.state.tables["t1"].big_blind_next == 4
    found = [p for p in proposals(hall.state, hall.preset) if p.kind == "next_big_blind"]
    assert [p.values["table"] for p in found] == ["t2"]
    hall.say(*found[0].alternatives[0].events)
    plan = balance.plan_balance(hall.state, hall.preset)
    assert plan is not None and plan.entry == "a4"


@pytest.mark.parametrize("name", BOOKS)
def test_break_comes_before_balance_one_table_at_a_time_in_the_posted_order(
    halls: Callable, name: str
) -> None:
    hall = halls(name).seat({"t1": 6, "t2": 5, "t3": 7, "t4": 9})
    hall.say(ev.OrderPosted(order=("t3", "t1", "t2", "t4")))
    found = [p for p in proposals(hall.state, hall.preset) if p.kind in ("break", "balance")]
    assert [p.id for p in found] == ["break:t3"]
    assert found[0].article == hall.preset.article("break_order")
    hall.say(*found[0].effects)
    sizes = [size(hall.state, hall.state.tables[table]) for table in ("t1", "t2", "t4")]
    assert max(sizes) - min(sizes) <= 1 and sum(sizes) == 27
    assert not any(p.kind in ("break", "balance") for p in proposals(hall.state, hall.preset))


def test_no_break_on_a_table_that_was_not_heard_but_a_question(halls: Callable) -> None:
    hall = halls().seat({"t1": 4, "t2": 5, "t3": 5})
    hall.say(ev.Heard(table="t2", heard=False))
    found = proposals(hall.state, hall.preset)
    assert "unheard:t2" in [p.id for p in found] and not any(p.kind == "break" for p in found)
    hall.say(*next(p for p in found if p.id == "unheard:t2").alternatives[0].events)
    assert any(p.kind == "break" for p in proposals(hall.state, hall.preset))
    hall.say(ev.Heard(table="t2", heard=True))
    assert not hall.state.tables["t2"].vouched


@pytest.mark.parametrize(("name", "at"), [("ropta", 2), ("tda2024", 3), ("standard", 2), ("stars", 2)])
def test_table_that_is_short_is_stopped_and_the_halt_may_be_waived(
    halls: Callable, name: str, at: int
) -> None:
    hall = halls(name, capacity=10).seat({"t1": 9, "t2": 9})
    hall.button("t2", 1, 2, 3)
    for seat in range(4, 4 + at):
        hall.say(ev.Busted(table="t2", entries=(f"b{seat}",)))
    found = [p for p in proposals(hall.state, hall.preset) if p.kind == "halt"]
    assert [p.id for p in found] == [f"halt:t2:{at}"]
    hall.say(*found[0].alternatives[0].events)
    assert not [p for p in proposals(hall.state, hall.preset) if p.kind == "halt"]
    hall.say(ev.Busted(table="t2", entries=("b9",)))  # one more: armed again
    assert [p.id for p in proposals(hall.state, hall.preset) if p.kind == "halt"] == [f"halt:t2:{at + 1}"]


def test_blinds_not_affected_no_halt_tda_11d(halls: Callable) -> None:
    hall = halls("tda2024", capacity=10).seat({"t1": 9, "t2": 9})
    hall.button("t2", 1, 2, 3)
    hall.say(ev.Busted(table="t2", entries=("b7", "b8", "b9")))
    assert not [p for p in proposals(hall.state, hall.preset) if p.kind == "halt"]


@pytest.mark.parametrize(("name", "left"), [("ropta", 9), ("tda2024", 9), ("stars", 9)])
def test_final_table_is_formed_and_redrawn(halls: Callable, name: str, left: int) -> None:
    hall = halls(name).seat({"t1": 5, "t2": 5})
    assert not balance.break_due(hall.state, hall.preset)
    hall.say(ev.Busted(table="t2", entries=("b5",)))
    (final,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "final"]
    hall.say(*final.effects)
    for move in list(hall.state.moves):
        hall.say(ev.MoveLeft(move=move), ev.MoveArrived(move=move))
    assert hall.state.final == "t2" and len(hall.state.tables["t2"].seats) == left
    (redraw,) = [p for p in proposals(hall.state, hall.preset) if p.kind == "redraw"]
    assert redraw.article == hall.preset.article("final_table_redraw")
    before = set(hall.state.tables["t2"].seats.values())
    hall.say(*redraw.effects)
    assert set(hall.state.tables["t2"].seats.values()) == before
    assert [p.kind for p in proposals(hall.state, hall.preset)] == ["button"]


def test_an_even_final_table_is_made_odd_ropta(halls: Callable) -> None:
    assert seating.final_size(halls("ropta", capacity=8).state, halls("ropta").preset) == 7
    assert seating.final_size(halls("tda2024", capacity=8).state, halls("tda2024").preset) == 8


def test_passed_blinds_come_off_a_late_stack_ppc_33(halls: Callable) -> None:
    from maldonne.tournament_play import structure

    hall = halls("ppc2011", stages=structure(10.0)).seat({"t1": 5})
    for number in range(1, 12):
        hall.say(ev.HandStarted(table="t1", hand=number, level=1), ev.HandEnded(table="t1", hand=number))
    entry = seating.late_entry(hall.state, hall.preset, "late", "", "x")
    assert entry.missed == 2 * (50 + 100)  # eleven hands of five players: two whole rounds of level 1
    hall.say(entry)
    assert hall.state.entries["late"].stack == 1000 - 300
    full = halls("tda2024", stages=structure(10.0)).seat({"t1": 5})
    assert seating.late_entry(full.state, full.preset, "late", "", "x").missed == 0


@pytest.mark.parametrize("how", ["drawn", "high_card", "first_seat"])
def test_button_draw(halls: Callable, how: str) -> None:
    import msgspec

    hall = halls().seat({"t1": 6})
    preset = msgspec.structs.replace(hall.preset, button_draw=how)
    found = seating.draw_button(hall.state.tables["t1"], preset, "seed")
    assert found.how == how and found.button in range(1, 7)
    if how == "first_seat":
        assert found.button == 1
    if how == "high_card":
        cards = seating.high_card(range(1, 7), "seed")
        highest = max(
            cards.values(), key=lambda card: ("23456789TJQKA".index(card[0]), "cdhs".index(card[1]))
        )
        assert cards[found.button or 0] == highest


@pytest.mark.parametrize("name", BOOKS)
def test_table_of_one_player_does_not_stop_the_breaking(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 1, "t2": 6, "t3": 6})
    (found,) = [p for p in proposals(hall.state, hall.preset) if p.kind in ("break", "balance")]
    assert found.id == "break:t1"
    hall.say(*found.effects)
    (move,) = hall.state.moves
    hall.say(ev.MoveLeft(move=move), ev.MoveArrived(move=move))
    assert hall.state.tables["t1"].status == "closed"


def test_table_that_has_only_one_left_after_a_bust_gets_somebody(halls: Callable) -> None:
    hall = halls("tda2024", capacity=4).seat({"t1": 2, "t2": 4, "t3": 4})
    hall.button("t2", 1, 2, 3)
    hall.hand("t1", "a2")
    kinds = [p.kind for p in proposals(hall.state, hall.preset)]
    assert "balance" in kinds and "halt" in kinds
