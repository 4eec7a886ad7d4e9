"""Pots: layers, side pots, uncalled chips, dead money."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import pots
from engine.state import HandState, Seat


def state(*players, pot=None, dead_money=0):
    """Players as (paid, "live" | "all_in" | "folded" | "dead")."""
    seats = {}
    for number, (paid, status) in enumerate(players, start=1):
        seats[number] = Seat(
            seat=number,
            start=paid + 100,
            stack=0 if status == "all_in" else 100,
            paid=paid,
            folded=status == "folded",
            dead=status == "dead",
            all_in=status == "all_in",
        )
    whole = sum(paid for paid, _ in players) + dead_money
    return HandState(
        phase="river",
        seats=seats,
        order=tuple(seats),
        pot=whole if pot is None else pot,
        dead_money=dead_money,
    )


def layers(d):
    return [(pot.amount, pot.seats) for pot in pots.layers(d)]


def test_everybody_in_for_the_same_is_one_pot():
    assert layers(state((300, "live"), (300, "live"), (300, "live"))) == [(900, (1, 2, 3))]


def test_ropta_side_pots_from_the_smallest_stack_up():
    d = state((100, "all_in"), (300, "all_in"), (500, "live"), (500, "live"))
    assert layers(d) == [(400, (1, 2, 3, 4)), (600, (2, 3, 4)), (400, (3, 4))]


def test_equal_all_ins_make_one_pot():
    d = state((300, "all_in"), (300, "all_in"), (300, "live"))
    assert layers(d) == [(900, (1, 2, 3))]


def test_chips_of_folded_and_dead_hands_stay_where_they_were_put():
    d = state((200, "folded"), (100, "all_in"), (500, "live"), (500, "live"), (350, "dead"))
    assert layers(d) == [(500, (2, 3, 4)), (1150, (3, 4))]


def test_a_folded_hands_surplus_goes_to_the_outermost_pot():
    d = state((500, "folded"), (100, "all_in"), (300, "all_in"), (300, "live"))
    assert layers(d) == [(400, (2, 3, 4)), (800, (3, 4))]


def test_dead_money_is_in_the_main_pot_alone():
    d = state((100, "all_in"), (300, "live"), (300, "live"), dead_money=40)
    assert layers(d) == [(340, (1, 2, 3)), (400, (2, 3))]


def test_who_is_all_in_for_the_ante_of_the_table_plays_for_it():
    d = state((0, "all_in"), (300, "live"), (300, "live"), dead_money=100)
    assert layers(d) == [(100, (1, 2, 3)), (600, (2, 3))]


def test_bets_in_front_of_players_are_not_in_the_pots_yet():
    d = state((300, "live"), (200, "live"))
    d.seats[1].bet = 100
    d.pot = 400
    assert layers(d) == [(400, (1, 2))]


def test_without_amounts_there_are_no_pots():
    d = state((0, "live"), (0, "live"))
    d.pot = None
    assert pots.layers(d) == ()


def test_uncalled_chips_go_back_at_once():
    d = state((100, "all_in"), (500, "live"), pot=0)
    d.seats[1].bet, d.seats[2].bet = 100, 500
    pots.return_uncalled(d)
    assert d.seats[2].stack == 500
    assert d.seats[2].bet == 100


def test_what_a_folded_player_put_in_counts_as_called():
    d = state((300, "folded"), (100, "all_in"), (500, "live"), pot=0)
    for seat in d.seats.values():
        seat.bet = seat.paid
    pots.return_uncalled(d)
    assert d.seats[3].bet == 300
    pots.gather(d)
    assert layers(d) == [(300, (2, 3)), (400, (3,))]


def test_a_bet_that_was_called_does_not_come_back():
    d = state((500, "live"), (500, "live"), pot=0)
    for seat in d.seats.values():
        seat.bet = 500
    pots.return_uncalled(d)
    assert d.seats[1].bet == d.seats[2].bet == 500


def test_ropta_9_17_gathered_chips_are_the_pot():
    d = state((500, "live"), (500, "live"), pot=0)
    d.seats[1].bet = d.seats[2].bet = 500
    d.seats[1].owed = 50
    pots.gather(d)
    assert d.pot == 1000
    assert d.seats[1].bet == d.seats[1].owed == 0


@settings(max_examples=200, deadline=None)
@given(
    players=st.lists(
        st.tuples(st.integers(0, 50), st.sampled_from(["live", "all_in", "folded", "dead"])),
        min_size=2,
        max_size=10,
    ),
    dead_money=st.integers(0, 30),
)
def test_the_pots_are_what_was_put_in_and_nobody_wins_more_than_he_matched(players, dead_money):
    # Whoever is live without being all-in has matched the highest.
    highest = max(paid for paid, _ in players)
    players = [(highest if status == "live" else paid, status) for paid, status in players]
    d = state(*players, dead_money=dead_money)
    found = pots.layers(d)
    assert sum(pot.amount for pot in found) == d.pot
    if not any(status in ("live", "all_in") for _, status in players):
        return
    assert all(pot.amount > 0 and pot.seats for pot in found)
    assert all(set(inner.seats) < set(outer.seats) for outer, inner in pairwise(found))
    for number, seat in d.seats.items():
        if seat.live:
            won = sum(pot.amount for pot in found if number in pot.seats)
            others = [other.paid for n, other in d.seats.items() if n != number]
            matched = seat.paid + sum(min(paid, seat.paid) for paid in others) + dead_money
            best = max(s.paid for s in d.seats.values() if s.live)
            assert won <= matched or seat.paid == best
