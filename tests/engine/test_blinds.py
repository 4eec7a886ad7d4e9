"""Blinds, antes and straddles (rules.md §9)."""

from __future__ import annotations

import pytest

from engine.betting import contributed


def test_left_of_the_button_sits_the_small_blind_then_the_big_blind(script):
    hand = script([2, 5, 9], button=5).run("standard")
    assert hand.summary.bets == {"2": 100, "9": 50}
    assert hand.state.small_blind_seat == 9
    assert hand.summary.stacks == {"2": 9900, "5": 10000, "9": 9950}


def test_ropta_heads_up_the_small_blind_is_on_the_button(script):
    hand = script([3, 7], button=3).run("ropta")
    assert hand.summary.bets == {"3": 50, "7": 100}


@pytest.mark.parametrize("book", ["standard", "ppc2011"])
def test_ppc_8_2_the_small_blind_may_be_dead(script, book):
    hand = script([1, 3, 4], button=1, small_blind_seat=None, big_blind_seat=3).run(book)
    assert hand.summary.bets == {"3": 100}
    assert hand.state.small_blind_seat is None


def test_a_dead_button_is_no_seat(script):
    hand = script([1, 3, 4], button=9, small_blind_seat=1, big_blind_seat=3).deal().run("standard")
    assert hand.summary.bets == {"1": 50, "3": 100}
    assert hand.summary.to_act == 4


def test_heads_up_given_blinds_are_taken_as_given(script):
    hand = script([1, 2], button=1, small_blind_seat=1, big_blind_seat=2).run("standard")
    assert hand.summary.bets == {"1": 50, "2": 100}


def test_ropta_antes_classic_everybody_pays_and_the_short_player_what_he_has(script):
    hand = script(3, ante={"kind": "classic", "amount": 25}, stacks={3: 10}).run("ropta")
    assert hand.summary.pot == 60
    assert hand.summary.stacks == {"1": 9925, "2": 9875, "3": 0}
    assert hand.state.seats[3].all_in
    assert not hand.rulings


def test_ropta_antes_are_due_heads_up_too(script):
    hand = script(2, ante={"kind": "big_blind", "amount": 100}).run("ropta")
    assert hand.summary.pot == 100


def test_ropta_antes_big_blind_pays_for_the_table_blind_first(script):
    hand = script(3, ante={"kind": "big_blind", "amount": 100}, stacks={2: 130}).run("ropta")
    assert hand.summary.bets == {"1": 50, "2": 100}
    assert hand.summary.pot == 30
    assert hand.summary.stacks["2"] == 0


def test_the_big_blind_ante_is_dead_money_of_the_main_pot(script):
    hand = script(3, ante={"kind": "big_blind", "amount": 100}, stacks={1: 300, 2: 10000})
    hand.deal().act("3 raise 900, 1 all_in, 2 call")
    result = hand.burn().board("Td9h8c").run("standard")
    assert [(p.amount, p.seats) for p in result.summary.pots] == [(1000, (1, 2, 3)), (1200, (2, 3))]


def test_ropta_antes_button_ante_and_none_with_a_dead_button(script):
    ante = {"kind": "button", "amount": 100}
    assert script(3, ante=ante).run("ropta").summary.stacks["3"] == 9900
    dead = script([1, 2, 4], button=9, ante=ante).run("ropta")
    assert dead.summary.pot == 0


def test_ppc_8_4_who_has_not_one_chip_beyond_the_ante_is_out(script):
    hand = script(4, ante={"kind": "classic", "amount": 25}, stacks={4: 25, 3: 10}).run("ppc2011")
    assert hand.cites == [("hand_dead", "PPC 8.4"), ("hand_dead", "PPC 8.4")]
    assert hand.summary.dead_seats == (3, 4)
    assert hand.summary.pot == 85


def test_ppc_8_4_his_ante_is_in_the_main_pot(script):
    hand = script(4, ante={"kind": "classic", "amount": 25}, stacks={4: 25})
    hand.deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c")
    result = hand.run("ppc2011")
    assert [(p.amount, p.seats) for p in result.summary.pots] == [(400, (1, 2, 3))]


def test_ropta_all_in_a_short_big_blind_does_not_lower_the_price(script):
    hand = script(4, stacks={2: 60}).deal().run("ropta")
    assert hand.cites == [("play_on", "ROPTA all-in")]
    assert (hand.next.call, hand.next.min) == (100, 200)
    assert hand.summary.bets == {"1": 50, "2": 60}


def test_heads_up_nobody_pays_for_chips_that_the_short_big_blind_lacks(script):
    hand = script(2, stacks={1: 60}).deal().run("ropta")
    assert (hand.next.seat, hand.next.call) == (2, 10)
    called = script(2, stacks={1: 60}).deal().act("2 call").run("ropta")
    assert called.summary.bets == {"1": 60, "2": 60}


def test_a_short_small_blind_is_all_in(script):
    hand = script(4, stacks={1: 20}).deal().act("3 call, 4 call, 2 check").run("standard")
    assert hand.summary.to_act is None
    assert hand.summary.bets == {"1": 20, "2": 100, "3": 100, "4": 100}


def test_both_blinds_short_and_all_in_there_is_nothing_to_decide_for_one(script):
    hand = script(3, stacks={1: 20, 2: 60}).deal().act("3 fold").run("standard")
    assert hand.summary.to_act is None
    assert hand.summary.stacks["2"] == 40


def test_pn_round_1_the_straddle_is_the_price_and_acts_last(script):
    hand = script(5, straddles=[{"seat": 3, "amount": 200}]).deal().run("pokernews")
    assert hand.next.seat == 4
    assert (hand.next.call, hand.next.min) == (200, 400)
    done = script(5, straddles=[{"seat": 3, "amount": 200}]).deal().act("4 call, 5 call, 1 call, 2 call")
    assert done.run("pokernews").next.seat == 3


def test_absent_players_post_too(script):
    hand = script(3, absent=[2]).deal().run("standard")
    assert hand.summary.bets == {"1": 50, "2": 100}
    assert 2 in hand.summary.dead_seats


def test_words_post_nothing(script):
    hand = script(3, betting="words").run("standard")
    assert hand.summary.pot is None
    assert hand.summary.bets == {}


def test_what_was_put_in_includes_the_ante_for_the_table(script):
    hand = script(3, ante={"kind": "big_blind", "amount": 100}).run("standard")
    assert contributed(hand.state, 2) == 200


def test_a_lone_player_posts_the_big_blind(script):
    hand = script([4], button=4).run("standard")
    assert hand.summary.bets == {"4": 100}


# A blind posted by mistake (ROPTA UTG) -------------------------------------------------------


def test_ropta_utg_after_the_cards_the_chips_are_his_action(script):
    hand = script(6).deal().add("acted", seat=3, chips=[100]).run("ropta")
    assert not hand.rulings
    assert hand.summary.bets["3"] == 100
    assert hand.summary.to_act == 4


@pytest.mark.parametrize("before_deal", [True, False])
def test_ropta_utg_said_after_substantial_action_or_posted_after_the_deal_it_stays(script, before_deal):
    hand = script(6).deal().add("acted", seat=3, chips=[100]).act("4 call, 5 call")
    result = hand.claim("utg_posted", seat=3, facts={"before_deal": before_deal}).run("ropta")
    assert result.cites == [("action_bound", "ROPTA UTG")]
    assert result.summary.bets["3"] == 100


def test_tda_and_ltpq_do_not_write_of_a_blind_posted_by_mistake(script):
    for book, article in (("tda2024", "TDA 1"), ("ltpq", "LTPQ doubt")):
        hand = script(6).deal().claim("utg_posted", seat=3, facts={"before_deal": True}).run(book)
        assert hand.cites == [("call_floor", article)]


# TDA ----------------------------------------------------------------------------------------


def test_tda_34_b_heads_up_the_small_blind_is_the_button_and_gets_the_last_card(script):
    hand = script([3, 7], button=3).run("tda2024")
    assert hand.summary.bets == {"3": 50, "7": 100}
    assert (hand.next.order, hand.next.to) == ("deal", "seat7")
    dealt = script([3, 7], button=3).deal()
    assert dealt.run("tda2024").next.seat == 3
    assert dealt.act("3 call, 7 check").burn().board("Td9h8c").run("tda2024").next.seat == 7


def test_ropta_heads_up_the_cards_start_with_the_big_blind(script):
    hand = script([3, 7], button=3).run("ropta")
    assert (hand.next.order, hand.next.to) == ("deal", "seat7")


@pytest.mark.parametrize("stack", [100, 130, 199, 200])
def test_tda_rp_11_the_big_blind_is_paid_before_its_ante(script, stack):
    ante = {"kind": "big_blind", "amount": 100}
    hand = script(4, ante=ante, stacks={2: stack}).run("tda2024")
    assert hand.summary.bets == {"1": 50, "2": 100}
    assert hand.summary.pot == stack - 100
    assert hand.state.seats[2].all_in


def test_tda_51_b_a_short_big_blind_does_not_lower_the_price(script):
    hand = script(4, stacks={2: 60}).deal().run("tda2024")
    assert hand.cites == [("play_on", "TDA 51-B")]
    assert (hand.next.call, hand.next.min) == (100, 200)


def test_ppc_6_6_a_short_big_blind_does_not_lower_the_price(script):
    hand = script(4, stacks={2: 60}).deal().run("ppc2011")
    assert hand.cites == [("play_on", "PPC 6.6")]
    assert (hand.next.call, hand.next.min) == (100, 200)


def test_ltpq_writes_nothing_of_a_short_big_blind(script):
    hand = script(4, stacks={2: 60}).deal().run("ltpq")
    assert not hand.rulings
    assert hand.next.call == 100


def test_ropta_antes_who_can_pay_the_ante_and_no_more_plays_for_the_pot(script):
    hand = script(4, ante={"kind": "classic", "amount": 25}, stacks={4: 25}).deal().run("ropta")
    assert not hand.rulings
    assert hand.summary.dead_seats == ()
