"""What only people can see to, said with its article at the moment at which it applies, once: decks, antes, who is back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from table_controller import messages as m
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import undo
from tournament_hub.logic.proposals import Proposal, may_start, proposals

BOOKS = ("standard", "ppc2011", "stars", "ropta", "tda2024", "wsop2026")


def levels(kind: str) -> tuple[clocks.Stage, ...]:
    ante = m.Ante(kind=kind, amount=100)
    return (
        clocks.Stage(600.0, m.Level(n=1, small_blind=50, big_blind=100)),
        clocks.Stage(300.0),
        clocks.Stage(600.0, m.Level(n=2, small_blind=50, big_blind=100, ante=ante)),
    )


def said(hall: Any, *kinds: str) -> list[Proposal]:
    return [p for p in proposals(hall.state, hall.preset, hall.at) if p.kind in kinds]


def do(hall: Any, proposal: Proposal) -> ev.Record:
    (event,) = proposal.effects
    found = ev.Record(n=1, at=hall.at, event=event, undo=undo.inverse(hall.state, event, hall.at))
    hall.say(event)
    return found


# -- same_decks -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_two_decks_the_director_is_told_before_the_start_and_once(halls: Callable, name: str) -> None:
    hall = halls(name).seat({"t1": 3, "t2": 3}, start=False, device=False)
    told, start = proposals(hall.state, hall.preset)
    assert (told.kind, start.kind) == ("decks", "start")
    assert told.article == hall.preset.article("same_decks") and told.values == {"tables": ("t1", "t2")}
    record = do(hall, told)
    assert said(hall, "decks") == []
    hall.say(*undo.compensation(hall.state, record, hall.preset))
    assert len(said(hall, "decks")) == 1


def test_ropta_two_decks_a_new_table_is_told_of_and_a_broken_one_is_not(halls: Callable) -> None:
    hall = halls("ropta").seat({"t1": 4, "t2": 4, "t3": 1})
    do(hall, said(hall, "decks")[0])
    hall.say(ev.TableOpened(table="t4"), ev.Busted(table="t3", entries=("c1",)), ev.TableClosed(table="t3"))
    assert said(hall, "decks") == []  # nobody plays there yet
    move = ev.MovePlanned(move="m1", entry="a1", target=hall.state.entries["a1"].place.__class__("t4", 1))
    hall.say(move, ev.MoveLeft(move="m1"), ev.MoveArrived(move="m1"))
    (told,) = said(hall, "decks")
    assert told.effects == (ev.Noted(notes=("decks:t4",)),)


def test_one_table_alone_or_a_book_without_the_rule_says_nothing(halls: Callable) -> None:
    assert said(halls("ropta").seat({"t1": 6}), "decks") == []
    hall = halls("ropta").seat({"t1": 3, "t2": 3})
    hall.preset = msgspec.structs.replace(hall.preset, same_decks=False)
    assert said(hall, "decks") == []


# -- ante_dead_button, ante_short, ante_heads_up ------------------------------------------------


@pytest.mark.parametrize("name", BOOKS)
def test_ropta_antes_no_button_ante_with_a_dead_button_is_told_where_no_device_knows_it(
    halls: Callable, name: str
) -> None:
    hall = halls(name, stages=levels("button")).seat({"t1": 3, "t2": 3}, device=False)
    assert said(hall, "ante_button") == []  # no ante at this level
    hall.say(ev.Clocked(act=clocks.Set(2)))
    (told,) = said(hall, "ante_button")
    assert told.article == hall.preset.article("ante_dead_button") and told.values == {"amount": 100}
    do(hall, told)
    assert said(hall, "ante_button") == []


@pytest.mark.parametrize(("name", "kind"), [("ppc2011", "ante_out"), ("ropta", "ante_all_in")])
def test_ppc_8_4_ropta_antes_a_stack_below_a_classic_ante(halls: Callable, name: str, kind: str) -> None:
    hall = halls(name, stages=levels("classic")).seat({"t1": 3, "t2": 3}, device=False)
    hall.say(ev.Clocked(act=clocks.Set(2)))
    (told,) = said(hall, "ante_out", "ante_all_in")
    assert told.kind == kind and told.article == hall.preset.article("ante_short")


def test_ropta_antes_heads_up_is_told_when_two_are_left(halls: Callable) -> None:
    hall = halls("ropta", stages=levels("big_blind")).seat({"t1": 3}, device=False)
    hall.say(ev.Clocked(act=clocks.Set(2)))
    assert said(hall, "ante_heads_up") == []
    hall.say(ev.Busted(table="t1", entries=("a1",)))
    (told,) = said(hall, "ante_heads_up")
    assert told.article == "ROPTA antes"


def test_where_every_table_has_a_device_nobody_is_told_of_antes(halls: Callable) -> None:
    for kind in ("button", "classic", "big_blind"):
        hall = halls("ropta", stages=levels(kind)).seat({"t1": 2, "t2": 3})
        hall.say(ev.Clocked(act=clocks.Set(2)))
        assert said(hall, "ante_button", "ante_all_in", "ante_heads_up") == []


# -- restart_players ------------------------------------------------------------------------------


def after_a_break(halls: Callable, need: int = 2, **tables: int) -> Any:
    hall = halls("ropta", stages=levels("none"))
    hall.preset = msgspec.structs.replace(hall.preset, restart_players=need)
    hall.seat(tables or {"t1": 4, "t2": 3})
    for name in hall.state.tables:
        hall.hand(name)
    hall.at = 600.0
    hall.say(ev.Clocked(act=clocks.Ticked()))
    return hall


def over(hall: Any) -> None:
    hall.at += 300.0
    hall.say(ev.Clocked(act=clocks.Ticked()))


def test_ropta_start_after_a_break_a_table_goes_on_with_so_many_back_in_their_seats(halls: Callable) -> None:
    hall = after_a_break(halls)
    hall.say(ev.Presence(entry="b1", absent=True), ev.Presence(entry="b2", absent=True))
    assert said(hall, "restart") == []  # they have until its end
    over(hall)
    (told,) = said(hall, "restart")
    assert told.question and told.values == {"table": "t2", "players": 1, "need": 2}
    assert told.article == "ROPTA start"
    assert may_start(hall.state, "t2") == ("players",) and may_start(hall.state, "t1") == ()
    hall.say(ev.Presence(entry="b1", absent=False))
    assert may_start(hall.state, "t2") == () and said(hall, "restart") == []


def test_it_is_the_first_hand_that_needs_them_and_a_person_may_let_it_go_on(halls: Callable) -> None:
    hall = after_a_break(halls)
    over(hall)
    hall.hand("t2")
    hall.say(ev.Presence(entry="b1", absent=True), ev.Presence(entry="b2", absent=True))
    assert may_start(hall.state, "t2") == ()
    other = after_a_break(halls, 4)
    over(other)
    (told,) = said(other, "restart")
    assert told.values == {"table": "t2", "players": 3, "need": 4}
    (choice,) = told.alternatives
    other.say(*choice.events)
    assert may_start(other.state, "t2") == () and other.state.passed["restart:t2"]
    other.say(ev.Clocked(act=clocks.Set(1)))  # the next break asks anew
    assert "restart:t2" not in other.state.passed


def test_the_last_table_always_goes_on(halls: Callable) -> None:
    hall = after_a_break(halls, t1=2)
    hall.say(ev.Presence(entry="a1", absent=True))
    over(hall)
    assert may_start(hall.state, "t1") == () and said(hall, "restart") == []


def test_a_person_who_is_told_out_at_a_table_without_a_device_shows_that_it_plays(halls: Callable) -> None:
    hall = after_a_break(halls, 4)
    over(hall)
    hall.say(ev.Busted(table="t2", entries=("b1",)))
    assert said(hall, "restart") == []
