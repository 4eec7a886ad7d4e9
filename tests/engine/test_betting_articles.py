"""What was said and put forward, article by article (rules.md §7), in turn."""

from __future__ import annotations

import pytest

ROPTA_LIKE = ("standard", "ropta", "pokernews", "stars")


def flop(script, first="1 bet 325", seats=6, **start):
    return script(seats, **start).to_flop().act(first)


def chips(hand, seat, *values, **more):
    return hand.add("acted", seat=seat, chips=list(values), **more)


# Unannounced raise below the minimum --------------------------------------------------------


def test_ppc_6_5_unannounced_raise_below_minimum_is_a_call(script):
    hand = chips(flop(script), 2, 500, 100).run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.5")]
    assert hand.rulings[0].amounts == {"2": 325}
    assert hand.summary.bets["2"] == 325
    assert hand.summary.to_act == 3


@pytest.mark.parametrize("book", ROPTA_LIKE)
def test_ropta_50_percent_half_of_the_raise_must_be_completed(script, book):
    hand = chips(flop(script), 2, 100, 100, 100, 100, 100).run(book)
    assert hand.cites == [("amount_corrected", "ROPTA 50%")]
    assert hand.summary.bets["2"] == 650


@pytest.mark.parametrize("book", ROPTA_LIKE)
def test_ropta_50_percent_less_than_half_is_a_call(script, book):
    hand = chips(flop(script), 2, 100, 100, 100, 100, 25, 25, 25).run(book)
    assert hand.cites == [("amount_corrected", "ROPTA 50%")]
    assert hand.summary.bets["2"] == 325


def test_ropta_50_percent_exactly_half_must_be_completed(script):
    hand = chips(flop(script, "1 bet 400"), 2, 100, 100, 100, 100, 100, 100).run("ropta")
    assert hand.summary.bets["2"] == 800


def test_ropta_9_24_chips_for_change_are_an_incomplete_raise(script):
    hand = chips(flop(script), 2, 500, 25).run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA 9.24")]
    assert hand.rulings[0].amounts == {"2": 650}
    assert hand.rulings[0].orders[0].amount == 125


def test_tda_61_silent_525_into_325_is_a_raise_to_650(script):
    hand = chips(flop(script), 2, 500, 25).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 61")]
    assert hand.summary.bets["2"] == 650


def test_tda_43_a_half_of_the_raise_must_be_completed(script):
    hand = chips(flop(script), 2, 100, 100, 100, 100, 100).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 43-A")]
    assert hand.summary.bets["2"] == 650


def test_tda_43_a_less_than_half_is_a_call(script):
    hand = chips(flop(script), 2, 100, 100, 100, 100, 25, 25).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 43-A")]
    assert hand.summary.bets["2"] == 325


def test_ltpq_doubt_the_director_reads_the_act(script):
    hand = chips(flop(script), 2, 500, 25).run("ltpq")
    assert hand.cites == [("call_floor", "LTPQ doubt")]
    assert "2" not in hand.summary.bets
    assert hand.rulings[0].suggestions
    decided = chips(flop(script), 2, 500, 25)
    decided.add("floor_decided", choice="amount_corrected", amounts={"2": 325}, by="director")
    result = decided.run("ltpq")
    assert result.summary.bets["2"] == 325
    assert result.summary.to_act == 3


def test_a_silent_raise_of_the_minimum_is_clean(script):
    hand = chips(flop(script), 2, 500, 100, 50).run("ppc2011")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 650


# One chip, several chips --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 6.8"),
        ("ropta", "ROPTA one chip"),
        ("tda2024", "TDA 44"),
        ("pokernews", "ROPTA one chip"),
    ],
)
def test_ppc_6_8_ropta_one_chip_tda_44_one_oversized_chip_facing_a_bet_is_a_call(script, book, article):
    hand = chips(flop(script), 2, 5000).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.rulings[0].amounts == {"2": 325}
    assert hand.summary.bets["2"] == 325


def test_ppc_6_2_one_oversized_chip_before_the_flop_is_a_call(script):
    hand = chips(script(6).deal(), 3, 1000).run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.2")]
    assert hand.summary.bets["3"] == 100


def test_ppc_6_2_one_chip_that_opens_a_later_street_is_worth_its_value(script):
    hand = chips(script(6).to_flop(), 1, 1000).run("ppc2011")
    assert not hand.rulings
    assert hand.summary.bets["1"] == 1000


def test_ropta_one_chip_after_a_raise_is_a_call_too(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 800"), 3, 5000).run("ropta")
    assert hand.summary.bets["3"] == 800


def test_tda_44_the_word_before_the_chip_makes_it_a_raise_of_its_value(script):
    hand = chips(flop(script), 2, 1000, said="raise", word="before").run("tda2024")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 1000


@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011", "standard"])
def test_the_word_after_the_chip_counts_for_nothing(script, book):
    hand = chips(flop(script), 2, 1000).add("acted", seat=2, said="raise", word="after").run(book)
    refused = next(r for r in hand.rulings if r.incident == "word_against_chips")
    assert refused.ruling == "action_refused"
    assert hand.summary.bets["2"] == 325


@pytest.mark.parametrize(
    ("book", "article"),
    [("ppc2011", "PPC 6.3"), ("ropta", "ROPTA several chips"), ("tda2024", "TDA 45")],
)
def test_ppc_6_3_ropta_several_chips_tda_45_a_call_when_without_the_smallest_they_do_not_call(
    script, book, article
):
    hand = chips(flop(script), 2, 100, 100, 500).run(book)
    assert hand.summary.bets["2"] != 325  # without a 100 there is still a call: a raise was meant
    hand = chips(flop(script), 2, 300, 100).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.summary.bets["2"] == 325


def test_tda_45_last_chips_not_needed_for_the_call_are_an_all_in(script):
    hand = chips(flop(script, stacks={2: 500}), 2, 100, 100, 100, 50, 50).run("tda2024")
    assert [r.incident for r in hand.rulings] == ["short_all_in"]
    assert hand.summary.bets["2"] == 400


# One smaller chip, undercall ----------------------------------------------------------------


def test_ropta_smaller_chip_heads_up_is_a_call_to_be_completed(script):
    hand = chips(script(2).to_flop().act("1 bet 325"), 2, 100).run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA smaller chip")]
    assert hand.summary.bets["2"] == 325


def test_ropta_smaller_chip_among_three_is_for_the_director(script):
    hand = chips(flop(script), 2, 100).run("ropta")
    assert hand.cites == [("call_floor", "ROPTA smaller chip")]
    assert hand.summary.to_act == 2
    assert "2" not in hand.summary.bets


def test_tda_51_b_undercall_of_the_opening_bet_must_be_completed(script):
    hand = chips(flop(script), 2, 100, 100).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 51-B")]
    assert hand.summary.bets["2"] == 325


def test_tda_51_b_undercall_of_a_raise_among_three_is_at_discretion(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 900"), 3, 100, 100).run("tda2024")
    assert hand.cites == [("call_floor", "TDA 51-B")]


def test_tda_51_a_the_word_call_binds_to_the_full_call(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 900"), 3, 100, 100, said="call").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 51-A")]
    assert hand.summary.bets["3"] == 900


@pytest.mark.parametrize("book", ["ropta", "standard", "ppc2011", "pokernews"])
def test_ropta_undercall_of_two_players_or_of_the_first_bet_must_be_completed(script, book):
    hand = chips(script(2).to_flop().act("1 bet 325"), 2, 100, 100).run(book)
    assert hand.cites == [("amount_corrected", "ROPTA undercall")]
    hand = chips(flop(script), 2, 100, 100).run(book)
    assert hand.cites == [("amount_corrected", "ROPTA undercall")]
    assert hand.summary.bets["2"] == 325


def test_ropta_undercall_of_a_raise_is_for_the_director(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 900"), 3, 100, 100).run("ropta")
    assert hand.cites == [("call_floor", "ROPTA undercall")]


def test_an_undercall_that_is_all_in_is_a_call(script):
    hand = chips(flop(script, stacks={2: 300}), 2, 100, 100).run("ropta")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 200


# Word against chips -------------------------------------------------------------------------


def test_ppc_6_2_the_word_wins_before_the_flop(script):
    hand = chips(script(6).deal(), 3, 500, 100, said="raise", amount=400).run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.2")]
    assert hand.rulings[0].amounts == {"3": 400}
    assert hand.summary.bets["3"] == 400


def test_ppc_6_2_the_chips_win_after_the_flop(script):
    hand = chips(flop(script), 2, 1000, said="raise", amount=800).run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.2")]
    assert hand.rulings[0].amounts == {"2": 1000}
    assert hand.summary.bets["2"] == 1000


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA word"), ("tda2024", "TDA 40")])
@pytest.mark.parametrize("word", ["before", "with"])
def test_ropta_word_tda_40_the_word_wins_before_or_with_the_chips(script, book, article, word):
    hand = chips(flop(script), 2, 1000, said="raise", amount=800, word=word).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.summary.bets["2"] == 800


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_ropta_word_tda_40_words_after_chips_count_for_nothing(script, book):
    hand = chips(flop(script), 2, 500, 500, said="raise", amount=800, word="after").run(book)
    assert hand.summary.bets["2"] == 1000
    assert [r.ruling for r in hand.rulings] == ["action_refused", "amount_corrected"]
    assert hand.rulings[1].amounts == {"2": 1000}


def test_ropta_word_call_with_a_big_chip_is_a_call(script):
    hand = chips(flop(script), 2, 1000, said="call").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA word")]
    assert hand.rulings[0].orders[0].order == "return_chips"
    assert hand.rulings[0].orders[0].amount == 675
    assert hand.summary.bets["2"] == 325


def test_ppc_6_8_call_said_with_a_big_chip_after_the_flop_is_a_call(script):
    hand = chips(flop(script), 2, 1000, said="call").run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.8")]
    assert hand.summary.bets["2"] == 325


def test_more_than_he_has_is_all_in(script):
    hand = flop(script, stacks={2: 1000}).act("2 raise 5000").run("ropta")
    assert hand.cites == [("amount_corrected", "STD table stakes")]
    assert hand.summary.bets["2"] == 900


def test_all_in_said_is_everything_whatever_chips_go_with_it(script):
    hand = chips(flop(script), 2, 1000, said="all_in").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 40")]
    assert hand.summary.bets["2"] == 9900
    quiet = chips(flop(script), 2, 1000, said="all_in").run("ltpq")
    assert not quiet.rulings
    assert quiet.summary.bets["2"] == 9900


# Announced amounts --------------------------------------------------------------------------


def test_ropta_raise_4000_means_to_4000(script):
    hand = flop(script).act("2 raise 4000").run("ropta")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 4000


def test_tda_43_b_raise_8000_is_the_total(script):
    hand = flop(script).act("2 raise 8000").run("tda2024")
    assert hand.summary.bets["2"] == 8000


@pytest.mark.parametrize("book", ROPTA_LIKE)
def test_ropta_underbet_is_raised_to_the_big_blind(script, book):
    hand = script(6).to_flop().act("1 bet 50").run(book)
    assert hand.cites == [("amount_corrected", "ROPTA underbet")]
    assert hand.summary.bets["1"] == 100


def test_ropta_the_small_blind_is_no_bet(script):
    hand = chips(script(6).to_flop(), 1, 50).run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA underbet")]


def test_tda_52_a_underbet_is_brought_to_the_minimum(script):
    hand = script(6).to_flop().act("1 bet 50").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 52-A")]
    assert hand.summary.bets["1"] == 100


def test_ropta_underraise_half_is_completed_less_is_a_call(script):
    hand = flop(script).act("2 raise 500").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA underraise")]
    assert hand.summary.bets["2"] == 650
    hand = flop(script).act("2 raise 400").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA underraise")]
    assert hand.summary.bets["2"] == 325


def test_tda_52_a_underraise_is_always_lifted_to_the_minimum(script):
    hand = flop(script).act("2 raise 400").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 52-A")]
    assert hand.summary.bets["2"] == 650


def test_ppc_6_5_a_raise_is_at_least_the_raise_before(script):
    hand = flop(script).act("2 raise 650, 3 raise 975").run("ppc2011")
    assert not hand.rulings


def test_pn_round_1_a_raise_is_at_least_double_the_one_before(script):
    hand = flop(script).act("2 raise 650").run("pokernews")
    assert hand.next.min == 1300


def test_ltpq_flow_the_opening_raise_is_two_big_blinds(script):
    hand = script(6).deal().run("ltpq")
    assert hand.next.min == 200


# Words out of place -------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA call"), ("tda2024", "TDA 55")])
def test_ropta_call_tda_55_call_without_a_bet_is_a_check(script, book, article):
    hand = script(6).to_flop().act("1 call").run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.summary.bets == {}
    assert hand.summary.to_act == 2


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA check"), ("tda2024", "TDA 55")])
def test_ropta_check_tda_55_check_facing_a_bet_is_taken_back_and_bars_a_raise(script, book, article):
    hand = flop(script).act("2 check")
    result = hand.run(book)
    assert result.cites == [("action_refused", article)]
    assert result.next.seat == 2
    assert result.next.options == ("fold", "call")
    raised = hand.act("2 raise 900").run(book)
    assert raised.cites[1:] == [("action_refused", article), ("amount_corrected", article)]
    assert raised.summary.bets["2"] == 325


def test_tda_55_raise_without_a_bet_is_a_minimum_bet(script):
    hand = script(6).to_flop().act("1 raise").run("tda2024")
    assert not hand.rulings
    assert hand.summary.bets["1"] == 100


def test_ropta_9_19_conditional_words_are_not_allowed(script):
    hand = flop(script).add("acted", seat=2, said="fold", conditional=True).run("ropta")
    assert hand.cites == [("action_refused", "ROPTA 9.19"), ("penalty_reported", "ROPTA 9.19")]
    assert hand.summary.to_act == 2
    assert hand.summary.folded_seats == ()


def test_tda_59_conditional_statements_are_at_discretion(script):
    hand = flop(script).add("acted", seat=2, said="call", conditional=True).run("tda2024")
    assert hand.cites == [("call_floor", "TDA 59")]


def test_ropta_betting_the_pot_is_not_valid_in_no_limit(script):
    hand = flop(script).add("acted", seat=2, said="pot").run("ropta")
    assert hand.cites == [("action_refused", "ROPTA pot bet")]
    assert hand.summary.to_act == 2


def test_tda_54_d_pot_in_no_limit_binds_to_a_valid_bet(script):
    hand = flop(script).add("acted", seat=2, said="pot").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 54-D")]
    assert hand.summary.bets["2"] == 650


@pytest.mark.parametrize(
    ("book", "article"), [("ropta", "ROPTA 9.22"), ("tda2024", "TDA 58"), ("ppc2011", "ROPTA 9.22")]
)
def test_ropta_9_22_tda_58_open_muck_is_penalised_and_the_fold_stands(script, book, article):
    hand = script(6).to_flop().act("1 fold").run(book)
    assert hand.cites == [("penalty_reported", article)]
    assert hand.summary.folded_seats == (1,)


def test_ltpq_has_no_rule_against_folding_where_one_could_check(script):
    hand = script(6).to_flop().act("1 fold").run("ltpq")
    assert not hand.rulings


# Short all-ins ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [("ppc2011", "PPC 6.6"), ("ropta", "ROPTA 9.21"), ("tda2024", "TDA 47"), ("standard", "ROPTA 9.21")],
)
def test_ppc_6_6_ropta_9_21_tda_47_a_short_all_in_does_not_reopen_for_who_has_acted(script, book, article):
    hand = flop(script, "1 bet 300, 2 call", stacks={3: 500})
    hand.act("3 all_in, 4 fold, 5 fold, 6 fold")
    result = hand.run(book)
    assert result.cites == [("play_on", article)]
    assert result.next.seat == 1
    assert result.next.options == ("fold", "call")
    raised = hand.act("1 raise 900").run(book)
    assert raised.cites[1:] == [("action_refused", article), ("amount_corrected", article)]
    assert raised.summary.bets["1"] == 400


@pytest.mark.parametrize("book", ["ppc2011", "ropta", "tda2024"])
def test_ppc_6_7_ropta_9_21_tda_47_those_still_to_act_may_raise_by_the_last_full_bet(script, book):
    hand = flop(script, "1 bet 300", stacks={2: 500}).act("2 all_in").run(book)
    assert hand.next.seat == 3
    assert (hand.next.call, hand.next.min) == (400, 700)


def test_ropta_9_21_a_full_raise_after_it_reopens(script):
    hand = flop(script, "1 bet 300", stacks={2: 500}).act("2 all_in, 3 raise 800, 4 fold, 5 fold, 6 fold")
    assert "raise" in hand.run("ropta").next.options


def test_tda_47_short_all_ins_that_add_up_reopen(script):
    hand = flop(script, "1 bet 300", stacks={2: 550, 3: 750})
    hand.act("2 all_in, 3 all_in, 4 call, 5 fold, 6 fold")
    assert "raise" in hand.run("tda2024").next.options
    for book in ("ropta", "ppc2011"):
        assert hand.run(book).next.options == ("fold", "call")


def test_ropta_all_in_below_the_big_blind_before_the_flop(script):
    hand = script(6, stacks={3: 60}).deal().act("3 all_in").run("ropta")
    assert not hand.rulings
    assert (hand.next.call, hand.next.min) == (100, 200)


def test_ropta_all_in_below_the_big_blind_opening_a_later_street(script):
    hand = script(6, stacks={1: 140}).to_flop().act("1 all_in").run("ropta")
    assert hand.cites == [("play_on", "ROPTA all-in")]
    assert (hand.next.call, hand.next.min) == (40, 100)


@pytest.mark.parametrize(("book", "article"), [("ppc2011", "PPC 6.6"), ("tda2024", "TDA 47")])
def test_ppc_6_6_tda_51_b_all_in_below_the_big_blind_costs_the_big_blind(script, book, article):
    hand = script(6, stacks={1: 140}).to_flop().act("1 all_in").run(book)
    assert hand.cites == [("play_on", article)]
    assert (hand.next.call, hand.next.min) == (100, 200)


def test_ropta_who_checked_may_bet_after_a_short_opening_all_in(script):
    hand = script(6, stacks={2: 140}).to_flop().act("1 check, 2 all_in, 3 fold, 4 fold, 5 fold, 6 call")
    order = hand.run("ropta").next
    assert order.seat == 1
    assert "raise" in order.options


# Time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"), [("ppc2011", "PPC 11.6"), ("ropta", "ROPTA time"), ("tda2024", "TDA 29")]
)
def test_time_expired_facing_a_bet_the_hand_is_dead(script, book, article):
    hand = flop(script).add("time_expired", seat=2).run(book)
    assert hand.cites == [("hand_dead", article)]
    assert hand.summary.dead_seats == (2,)
    assert hand.summary.to_act == 3


def test_tda_29_time_expired_without_a_bet_is_a_check(script):
    hand = script(6).to_flop().add("time_expired", seat=1).run("tda2024")
    assert hand.cites == [("action_bound", "TDA 29")]
    assert hand.summary.dead_seats == ()
    assert hand.summary.to_act == 2


def test_time_expired_of_another_seat_means_nothing(script):
    hand = flop(script).add("time_expired", seat=5).run("ropta")
    assert not hand.rulings


# Chips found behind -------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA 9.23"), ("tda2024", "TDA 62")])
def test_ropta_9_23_tda_62_hidden_chips_are_for_the_director_alone(script, book, article):
    hand = flop(script).claim("hidden_chips", seat=2).run(book)
    assert hand.cites == [("call_floor", article)]
