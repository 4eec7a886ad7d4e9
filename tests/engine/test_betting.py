"""Clean betting: turn, price, minimum, all-ins, limits, tables that record less."""

from __future__ import annotations

import pytest

BOOKS = ("standard", "ppc2011", "pokernews", "ltpq", "ropta", "stars", "tda2024")


def options(result):
    order = result.next
    assert order is not None
    assert order.order == "act", order
    return order


def to_call(order):
    return (order.call, order.min, order.max)


# Turn and price -----------------------------------------------------------------------------


@pytest.mark.parametrize("book", BOOKS)
def test_left_of_the_big_blind_acts_first_and_may_fold_call_or_raise(script, book):
    order = options(script(6).deal().run(book))
    assert order.seat == 3
    assert order.options == ("fold", "call", "raise", "all_in")
    assert to_call(order) == (100, 200, 10000)


def test_the_small_blind_completes_and_the_big_blind_has_the_option(script):
    hand = script(3).deal().act("3 call")
    assert to_call(options(hand.run("standard"))) == (50, 200, 10000)
    order = options(hand.act("1 call").run("standard"))
    assert order.seat == 2
    assert order.options == ("check", "raise", "all_in")
    assert to_call(order) == (None, 200, 10000)


def test_the_big_blind_may_raise_when_everybody_called(script):
    hand = script(3).deal().act("3 call, 1 call, 2 raise 400").run("standard")
    assert not hand.rulings
    assert hand.summary.to_act == 3
    assert to_call(options(hand)) == (300, 700, 10000)


def test_heads_up_the_button_acts_first_before_the_flop_and_last_after_it(script):
    hand = script([4, 9], button=9).deal()
    assert options(hand.run("standard")).seat == 9
    hand.act("9 call, 4 check").burn().board("Td9h8c")
    assert options(hand.run("standard")).seat == 4


def test_after_the_flop_the_first_live_seat_left_of_the_button_acts(script):
    hand = script(6).deal().act("3 fold, 4 call, 5 fold, 6 call, 1 fold, 2 check")
    hand = hand.burn().board("Td9h8c").run("standard")
    assert options(hand).seat == 2
    assert options(hand).options == ("check", "bet", "all_in")
    assert to_call(options(hand)) == (None, 100, 9900)


def test_a_round_ends_when_everybody_has_put_in_the_same(script):
    hand = script(3).deal().act("3 raise 300, 1 call, 2 call").run("standard")
    assert hand.summary.to_act is None
    assert hand.summary.bets == {"1": 300, "2": 300, "3": 300}
    assert hand.next.order == "gather"


def test_a_raise_asks_everybody_again(script):
    hand = script(3).deal().act("3 raise 300, 1 raise 900, 2 fold").run("standard")
    assert hand.summary.to_act == 3
    assert to_call(options(hand)) == (600, 1500, 10000)


def test_the_least_raise_adds_the_last_one(script):
    hand = script(6).to_flop().act("1 bet 250, 2 raise 900").run("standard")
    assert to_call(options(hand)) == (900, 1550, 9900)


def test_bets_go_to_the_pot_with_the_next_card(script):
    hand = script(3).deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c").run("standard")
    assert hand.summary.pot == 300
    assert hand.summary.bets == {}
    assert hand.summary.pots[0].seats == (1, 2, 3)


def test_a_bet_or_raise_without_an_amount_is_the_least_one(script):
    hand = script(3).deal().act("3 raise").run("standard")
    assert hand.summary.bets["3"] == 200
    assert not hand.rulings


def test_one_live_hand_left_wins_and_what_nobody_called_comes_back(script):
    hand = script(3).deal().act("3 raise 900, 1 fold, 2 fold").run("standard")
    assert hand.summary.phase == "showdown"
    assert hand.summary.stacks["3"] == 9900
    assert hand.summary.pot == 250
    assert (hand.next.order, hand.next.seat, hand.next.amount) == ("push_pot", 3, 250)


def test_acts_of_folded_hands_count_for_nothing(script):
    hand = script(3).deal().act("3 fold, 3 raise 900").run("standard")
    assert hand.summary.bets == {"1": 50, "2": 100}
    assert hand.summary.to_act == 1


# All-in -------------------------------------------------------------------------------------


def test_an_all_in_call_for_less_is_no_undercall(script):
    hand = script(3, stacks={1: 250}).deal().act("3 raise 900, 1 all_in, 2 fold").run("standard")
    assert [r.incident for r in hand.rulings] == []
    assert hand.summary.bets == {"1": 250, "2": 100, "3": 250}
    assert hand.summary.stacks["3"] == 9750


def test_nobody_acts_once_all_but_one_are_all_in_and_called(script):
    hand = script(3, stacks={1: 500, 2: 700}).deal().act("3 raise 900, 1 all_in, 2 all_in").run("standard")
    assert hand.summary.to_act is None
    assert {o.seat for o in hand.expected[-1] if o.order == "show"} == {1, 2, 3}


def test_who_covers_everybody_has_no_raise(script):
    hand = script(2, stacks={1: 500}).deal().act("2 call, 1 all_in").run("standard")
    order = options(hand)
    assert order.options == ("fold", "call")
    assert to_call(order) == (400, None, None)


def test_an_all_in_below_the_least_raise_is_offered_as_all_in_only(script):
    hand = script(3, stacks={1: 450}).deal().act("3 raise 300").run("standard")
    order = options(hand)
    assert order.options == ("fold", "call", "all_in")
    assert to_call(order) == (250, None, None)


def test_an_all_in_over_players_who_are_covered_is_taken_as_made(script):
    hand = script(3, stacks={1: 300, 2: 250}).deal().act("3 raise 5000").run("standard")
    assert not hand.rulings
    assert hand.summary.bets["3"] == 5000


# Limits -------------------------------------------------------------------------------------


def test_pot_limit_the_most_is_the_pot_after_the_call(script):
    hand = script(3, limit="pot_limit").deal().run("pokernews")
    # 50 + 100 lie there, a call adds 100, the raise may be as much again: 100 + 250.
    assert to_call(options(hand)) == (100, 200, 350)


def test_pot_limit_short_blinds_count_in_full(script):
    hand = script(3, limit="pot_limit", stacks={1: 20}).deal().run("standard")
    assert options(hand).max == 350


def test_pot_limit_the_word_pot_is_the_most(script):
    hand = script(3, limit="pot_limit").deal().add("acted", seat=3, said="pot").run("standard")
    assert hand.summary.bets["3"] == 350
    assert not hand.rulings


def test_pot_limit_more_than_the_pot_is_cut_down_to_it(script):
    hand = script(3, limit="pot_limit").deal().act("3 raise 2000").run("pokernews")
    assert hand.cites == [("amount_corrected", "PN round 1")]
    assert hand.rulings[0].amounts == {"3": 350}
    assert hand.summary.bets["3"] == 350


def test_pn_fixed_limit_doubles_from_the_turn(script):
    hand = script(3, limit="fixed_limit").deal()
    assert to_call(options(hand.run("pokernews"))) == (100, 200, 200)
    hand.act("3 call, 1 call, 2 check").burn().board("Td9h8c")
    assert to_call(options(hand.run("pokernews"))) == (None, 100, 100)
    hand.act("1 check, 2 check, 3 check").burn().board("7c")
    assert to_call(options(hand.run("pokernews"))) == (None, 200, 200)


def test_pn_fixed_limit_raises_are_capped(script):
    hand = script(3, limit="fixed_limit").deal().act("3 raise 200, 1 raise 300, 2 raise 400")
    order = options(hand.run("pokernews"))
    assert order.options == ("fold", "call")
    again = hand.act("3 raise 500").run("pokernews")
    assert again.cites == [("action_refused", "PN round 1"), ("amount_corrected", "PN round 1")]
    assert again.summary.bets["3"] == 400


def test_ropta_no_cap_on_raises_in_no_limit(script):
    hand = script(2).deal()
    total = 200
    for place in range(8):
        hand.act(f"{2 - place % 2} raise {total}")
        total += 100
    result = hand.run("ropta")
    assert not result.rulings
    assert "raise" in options(result).options


# Tables that record less --------------------------------------------------------------------


def test_words_keep_the_turn_without_numbers(script):
    hand = script(4, betting="words").deal().act("3 call, 4 raise, 1 fold").run("standard")
    order = options(hand)
    assert order.seat == 2
    assert to_call(order) == (None, None, None)
    assert order.options == ("fold", "call", "raise", "all_in")
    assert hand.summary.pot is None
    assert hand.summary.stacks == {"1": None, "2": None, "3": None, "4": None}
    assert hand.summary.bets == {}


def test_words_the_big_blind_has_the_option(script):
    hand = script(3, betting="words").deal().act("3 call, 1 call").run("standard")
    assert options(hand).seat == 2
    assert options(hand).options == ("check", "raise", "all_in")
    done = script(3, betting="words").deal().act("3 call, 1 call, 2 check").run("standard")
    assert done.summary.to_act is None
    assert done.next.order == "burn"


def test_words_a_check_facing_a_bet_is_refused(script):
    hand = script(3, betting="words").deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c")
    result = hand.act("1 bet, 2 check").run("ropta")
    assert result.cites == [("action_refused", "ROPTA check")]
    assert result.summary.to_act == 2


def test_words_an_all_in_that_opens_the_round_is_a_bet_that_somebody_must_answer(script):
    """Its size is not known, yet it is no call for less: a street dealt before the last answer is premature."""
    hand = script(3, betting="words").deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c")
    hand.act("1 check, 2 all_in, 3 fold")
    assert (hand.run("standard").next.order, hand.run("standard").next.seat) == ("act", 1)
    early = hand.burn().board("2c").run("standard")
    assert early.incidents == ["premature_turn"]
    # over a bet it may be a call for less: nobody can say that the street came too early
    over = script(3, betting="words").deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c")
    over.act("1 bet, 2 all_in, 3 fold").burn().board("2c")
    assert over.run("standard").incidents == []


def test_words_an_all_in_of_unknown_size_leaves_the_price_open(script):
    hand = script(3, betting="words").deal().act("3 all_in, 1 call, 2 call").run("standard")
    assert not hand.rulings
    assert hand.state.unknown_price
    assert hand.summary.to_act is None


def test_rounds_only_folds_and_the_closing_word(script):
    hand = script(4, betting="rounds").deal().act("3 fold, 1 fold")
    assert hand.run("standard").summary.folded_seats == (1, 3)
    closed = hand.add("round_closed").burn().board("Td9h8c").run("standard")
    assert not closed.rulings
    assert closed.summary.phase == "flop"


def test_rounds_the_last_hand_wins(script):
    hand = script(3, betting="rounds").deal().act("3 fold, 1 fold").run("standard")
    assert hand.summary.phase == "showdown"
    assert (hand.next.order, hand.next.seat) == ("push_pot", 2)


# Sensed chips -------------------------------------------------------------------------------


def test_a_word_without_chips_owes_them(script):
    hand = script(3, chips="sensed").deal().act("3 call")
    assert hand.run("standard").summary.owed == {"3": 100}
    paid = hand.add("chips_moved", seat=3, from_="stack3", to="bet3", amount=60).run("standard")
    assert paid.summary.owed == {"3": 40}
    assert paid.summary.bets["3"] == 100


def test_chips_that_pay_what_is_owed_are_no_second_motion(script):
    hand = script(3, chips="sensed").deal().act("3 call").add("acted", seat=3, chips=[100]).run("standard")
    assert not hand.rulings
    assert hand.summary.owed == {}
    assert hand.summary.bets["3"] == 100


def test_a_raise_made_up_to_the_minimum_owes_the_rest(script):
    hand = script(6, chips="sensed").to_flop().act("1 bet 325").add("acted", seat=2, chips=[500, 25])
    result = hand.run("ropta")
    assert result.summary.bets["2"] == 650
    assert result.summary.owed["2"] == 125


def test_an_oversized_chip_read_as_a_call_gives_change(script):
    hand = script(6, chips="sensed").to_flop().add("acted", seat=1, said="bet", amount=325, chips=[325])
    hand.add("acted", seat=2, chips=[500])
    assert hand.run("ropta").summary.owed == {"2": -175}
    back = hand.add("chips_moved", seat=2, from_="bet2", to="stack2", amount=175).run("ropta")
    assert back.summary.owed == {}
    assert back.summary.bets["2"] == 325


def test_declared_chips_owe_nothing(script):
    hand = script(6).to_flop().act("1 bet 325").add("acted", seat=2, chips=[500, 25]).run("ropta")
    assert hand.summary.owed == {}


def test_a_count_by_a_person_is_true_from_then_on(script):
    hand = script(3).deal().add("counted", seat=3, amount=9000, by="floor").act("3 all_in").run("standard")
    assert hand.summary.bets["3"] == 9000


# The clock ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "seconds"), [("ppc2011", 70), ("ropta", 30), ("tda2024", 30)])
def test_the_clock_runs_as_the_book_says(script, book, seconds):
    hand = script(3).deal().claim("time", seat=3).run(book)
    order = hand.next
    assert (order.order, order.seat, order.seconds) == ("clock", 3, seconds)
