"""Disputes that came up at live tables, told event by event; each with what the texts give.

The cases are those of the shared collection (``cases/disputes.yaml``), named by their letter and number
and told here in our own words. ``tda2024`` gives what the TDA rules say, or calls the floor where they say nothing; where
the case names another book's answer, that book is asked too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DISPUTES = Path(__file__).resolve().parents[3] / "shared" / "data" / "cases" / "disputes.yaml"
FLOP = "Td9h8c"

# What this engine does not play, and why it is left out.
NOT_EXPRESSED = {
    "A12": "Omaha high-low with fixed limits: four cards a hand; only its surplus turn card is tried here",
}


def hands_of(script, players, button, **start):
    return script(players, button, **start)


# A: burns and board -----------------------------------------------------------------------------


def a01(script):
    """Nine players; four cards come on the flop and the whole table sees it."""
    return hands_of(script, 9, 1).deal().limp().burn().board(FLOP + "2c")


def test_a01_four_card_flop_is_mixed_and_the_floor_draws_the_turns_burn(script):
    hand = a01(script)
    result = hand.run("tda2024")
    assert result.cites == [("burn_assigned", "TDA 39-A")]
    assert [order.order for order in result.rulings[0].orders] == ["mix", "draw", "wait"]
    assert result.rulings[0].cards == ()
    hand.add("floor_decided", choice="burn_assigned", cards=["9h"], by="floor").move("board", "burn", "9h")
    result = hand.checked().board("3c").run("tda2024")
    assert result.summary.board == ("Td", "8c", "2c", "3c")
    assert result.summary.phase == "turn"
    assert len(result.rulings) == 1


def test_a01_under_roberts_rules_the_whole_flop_comes_again(script):
    assert a01(script).run("pokernews").cites == [("street_redealt", "PN errors 4")]


def a03(script):
    """Button on 9; seat 1 checks, seat 7 bets, two call, and the turn comes before seat 1 has answered."""
    hand = hands_of(script, 9, 9).deal()
    hand.act("3 fold, 4 fold, 5 fold, 6 fold, 7 raise 300, 8 call, 9 call, 1 call, 2 fold").burn().board(FLOP)
    return hand.act("1 check, 7 bet 500, 8 call, 9 call").burn().board("2c")


def test_a03_the_turn_goes_back_and_who_owes_a_decision_may_raise(script):
    hand = a03(script)
    result = hand.run("tda2024")
    assert result.cites == [("street_redealt", "TDA RP-5")]
    assert result.summary.board == ("Td", "9h", "8c")
    assert result.summary.to_act == 1
    hand.move("board", "deck", "2c").act("1 raise 2000, 7 fold, 8 fold, 9 call")
    hand.add("deck_shuffled").add("deck_cut").board("Kc")
    result = hand.run("tda2024")
    assert len(result.rulings) == 1
    assert result.summary.board == ("Td", "9h", "8c", "Kc")
    assert len(result.summary.burns) == 2
    assert result.summary.pot == 1300 + 2000 + 500 + 500 + 2000


def test_a03_under_roberts_rules_the_card_may_not_be_used_though_players_fold(script):
    hand = a03(script)
    result = hand.run("pokernews")
    assert result.cites == [("card_held_out", "PN errors 6")]
    hand.move("board", "aside", "2c").act("1 raise 2000, 7 fold, 8 fold, 9 fold")
    result = hand.run("pokernews")
    assert result.summary.board == ("Td", "9h", "8c")
    assert result.summary.held_out == ("2c",)


def four_on_an_unburned_flop(script):
    """Four players; the flop came without a burn, though one was reported."""
    hand = hands_of(script, 6, 6).deal()
    return hand.act("3 fold, 4 call, 5 call, 6 fold, 1 call, 2 check").burn().board(FLOP)


def test_a05_found_after_a_bet_and_a_raise_the_flop_stands(script):
    hand = four_on_an_unburned_flop(script).act("1 bet 200, 2 fold, 4 raise 600")
    hand.claim("no_burn", facts={"identified": True})
    for book, article in (("tda2024", "TDA 39-B"), ("ropta", "ROPTA SA")):
        assert hand.run(book).cites == [("play_on", article)]
    result = hand.act("5 fold, 1 call").burn().board("2c").run("tda2024")
    assert result.summary.phase == "turn"
    assert len(result.rulings) == 1


def test_a05_one_check_is_enough(script):
    hand = four_on_an_unburned_flop(script).act("1 check").claim("no_burn", facts={"identified": True})
    assert hand.run("tda2024").cites == [("play_on", "TDA 39-B")]


def test_a06_found_before_any_act_one_of_three_is_the_burn_and_the_next_card_completes(script):
    hand = hands_of(script, 6, 6).deal().act("3 fold, 4 call, 5 call, 6 fold, 1 call, 2 check").board(FLOP)
    assert hand.run("tda2024").cites == [("burn_assigned", "TDA 39-B")]
    hand.add("floor_decided", choice="burn_assigned", cards=["Td"], by="floor")
    result = hand.move("board", "burn", "Td").board("Kc").run("tda2024")
    assert result.summary.board == ("9h", "8c", "Kc")
    assert result.summary.burns == ("Td",)
    assert result.summary.phase == "flop"


def test_a08_two_burns_found_when_the_board_is_complete_the_board_stands(script):
    hand = hands_of(script, 9, 9).deal(up={5: "3c"}).card(5).move("seat5", "burn", "3c").limp().board(FLOP)
    hand.checked().burn().board("2c").checked().burn().board("Kc").act("1 bet 400, 2 call, 3 fold")
    hand.claim(
        "double_burn",
        facts={"street": "flop", "flop_turned": True, "identified": True, "sa_since": True},
    )
    for book, article in (("tda2024", "TDA 35-D"), ("standard", "ROPTA SA"), ("ropta", "ROPTA SA")):
        result = hand.run(book)
        assert result.cites[-1] == ("play_on", article)
        assert result.summary.board == ("Td", "9h", "8c", "2c", "Kc")
    assert hand.run("ltpq").names[-1] == "call_floor"


@pytest.mark.parametrize(("book", "article"), [("tda2024", "TDA RP-5"), ("pokernews", "PN errors 6")])
def test_a10_a_river_before_the_turns_betting_is_over(script, book, article):
    hand = script().to_flop().checked().burn().board("2c").act("1 check, 2 bet 300").burn().board("Kc")
    result = hand.run(book)
    assert result.cites == [("street_redealt", article)]
    assert result.summary.board == ("Td", "9h", "8c", "2c")
    assert result.summary.to_act == 3
    hand.move("board", "deck", "Kc").act("3 call, 4 fold, 5 fold, 6 fold, 1 fold")
    result = hand.add("deck_shuffled").add("deck_cut").board("3d").run(book)
    assert result.summary.board == ("Td", "9h", "8c", "2c", "3d")
    assert result.summary.phase == "river"
    assert len(result.summary.burns) == 3


def test_a12_a_surplus_card_under_the_turn_is_written_nowhere(script):
    result = script().to_flop().checked().burn().board("Tc2h").run("tda2024")
    assert result.cites == [("call_floor", "TDA 1")]


# B: the deal ------------------------------------------------------------------------------------


def test_b01_one_card_exposed_in_the_first_round_of_a_self_dealt_hand(script):
    hand = hands_of(script, 9, 9, dealer_seat=9).deal(up={5: "3h"})
    result = hand.run("tda2024")
    assert result.cites == [("card_replaced", "PN errors 2"), ("burn_assigned", "PN errors 2")]
    assert {ruling.rulebook for ruling in result.rulings} == {"standard"}
    assert result.next.to == "seat5"
    result = hand.card(5).move("seat5", "deck", "3h").limp().burn().board(FLOP).run("tda2024")
    assert result.summary.burns == ("3h",)
    assert len(result.rulings) == 2


def b03(script):
    """The button's second card is exposed; three call before his replacement comes, exposed as well."""
    return hands_of(script, 9, 9).deal(up={18: "3h"}).act("3 call, 4 call, 5 call").card(9, "4h")


def test_b03_a_replacement_exposed_once_the_hand_is_under_way_is_the_floors(script):
    result = b03(script).run("tda2024")
    assert result.rulings[-1].ruling == "call_floor"
    assert result.rulings[-1].article == "TDA 35-A7, 35-D"
    assert "misdeal" not in result.names


@pytest.mark.parametrize(
    ("choice", "phase", "next_deal"), [("card_replaced", "preflop", "seat9"), ("misdeal", "void", None)]
)
def test_b03_either_opinion_can_be_carried_out(script, choice, phase, next_deal):
    hand = b03(script).add("floor_decided", choice=choice, seats=[9], cards=["4h"], by="floor")
    result = hand.run("tda2024")
    assert result.summary.phase == phase
    deals = [order.to for order in result.expected[-1] if order.order == "deal"]
    assert deals == ([next_deal] if next_deal else [])


def test_b05_one_boxed_card_is_not_in_the_text_two_in_the_deal_are_a_misdeal(script):
    hand = script().deal(until=4).add("card_exposed", card="3c", at="deck", by="deck")
    assert hand.run("tda2024").cites == [("call_floor", "TDA 1")]
    hand.add("floor_decided", choice="card_set_aside", cards=["3c"], by="floor")
    hand.move("deck", "aside", "3c", "up").deal(start=5, until=7)
    hand.add("card_exposed", card="9c", at="deck", by="deck")
    assert hand.run("tda2024").cites[-1] == ("misdeal", "TDA 35-A1")


def test_b05_a_second_boxed_card_on_the_turn_is_not_in_the_text(script):
    hand = script().deal(until=4).add("card_exposed", card="3c", at="deck", by="deck")
    hand.add("floor_decided", choice="card_set_aside", cards=["3c"], by="floor")
    hand.move("deck", "aside", "3c", "up").deal(start=5).limp().burn().board(FLOP).checked().burn()
    hand.add("card_exposed", card="9c", at="deck", by="deck")
    result = hand.run("tda2024")
    assert "misdeal" not in result.names
    assert result.names[-1] == "call_floor"


def test_b06_three_cards_noticed_before_substantial_action(script):
    sensed = script().deal(until=5).card(5).deal(start=6)
    told = script().deal().act("3 fold, 4 fold").claim("wrong_card_count", seat=5, facts={"count": 3})
    for hand in (sensed, told):
        assert hand.run("tda2024").cites == [("misdeal", "TDA 35-A5")]
        assert hand.run("ppc2011").cites == [("hand_dead", "PPC 4.7")]


def test_b06_three_cards_noticed_on_the_flop(script):
    hand = script().deal().act("3 call, 4 fold, 5 raise 300, 6 call, 1 fold, 2 fold, 3 call").burn()
    hand.board(FLOP).claim("wrong_card_count", seat=5, facts={"count": 3})
    result = hand.run("tda2024")
    assert result.cites == [("hand_dead", "TDA 35-D"), ("play_on", "TDA 35-D")]
    assert result.summary.dead_seats == (5,)
    assert result.summary.stacks["5"] == 9700
    assert hand.run("ppc2011").cites == [("hand_dead", "PPC 4.7")]
    result = hand.act("3 check, 6 check").burn().board("2c").run("tda2024")
    assert len(result.summary.burns) == 2


def test_b08_a_hand_of_three_played_blind_is_dead_and_its_card_is_no_burn(script):
    hand = hands_of(script, 9, 7, stacks=dict.fromkeys(range(1, 10), 3000)).deal()
    hand.act("1 call, 2 fold, 3 call, 4 call, 5 call, 6 fold, 7 fold, 8 call, 9 all_in")
    hand.act("1 all_in, 3 all_in, 4 all_in, 5 all_in").claim("wrong_card_count", seat=8, facts={"count": 3})
    result = hand.run("tda2024")
    assert ("hand_dead", "TDA 35-D") in result.cites
    assert result.summary.dead_seats == (8,)
    assert result.summary.stacks["8"] == 2900
    assert all(8 not in pot.seats for pot in result.summary.pots)
    result = hand.burn().board(FLOP).run("tda2024")
    assert result.summary.burns == (None,)
    assert "double_burn" not in result.incidents


def test_b10_a_button_that_raises_on_one_card_is_dead(script):
    hand = script().deal(until=11).act("3 call, 4 call, 5 fold, 6 raise 400, 1 fold, 2 fold, 3 call")
    result = hand.claim("wrong_card_count", seat=6).run("tda2024")
    assert ("hand_dead", "TDA 37") in result.cites
    assert result.summary.dead_seats == (6,)


def test_b10_had_he_spoken_before_acting_he_would_have_got_his_card_though_many_had_acted(script):
    hand = script().deal(until=11).act("3 call, 4 call, 5 call")
    result = hand.run("tda2024")
    assert result.cites == [("play_on", "TDA 37")]
    assert result.next.to == "seat6"
    result = hand.card(6).act("6 raise 400").run("tda2024")
    assert result.summary.dead_seats == ()


def test_b12_a_button_moved_twice_stands_once_the_hand_is_under_way(script):
    hand = script().deal().act("3 call, 4 call").claim("wrong_button")
    result = hand.run("tda2024")
    assert result.cites == [("play_on", "TDA 34-A")]
    assert result.summary.bets["3"] == 100


# C: the deck ------------------------------------------------------------------------------------


def test_c01_a_hand_with_one_card_twice_gives_every_bet_back_to_who_folded_too(script):
    hand = script(3, 3, stacks={1: 5000, 2: 5000, 3: 5000}).deal().act("3 call, 1 call, 2 check").burn()
    hand.board("9h7s4c").act("1 bet 300, 2 raise 600, 3 call, 1 call").burn().board("2c")
    hand.act("1 bet 1200, 2 all_in, 3 fold, 1 call")
    hand.add("hand_shown", seat=2, to="table", cards=["Td", "Td"]).add(
        "duplicate_card", at="seat2", card="Td"
    )
    result = hand.run("tda2024")
    assert result.cites == [("hand_void", "TDA 35-E")]
    assert set(result.summary.stacks.values()) == {5000}
    assert result.summary.pot == 0


def test_c03_a_second_six_of_diamonds_on_the_river_voids_the_hand(script):
    hand = script(2, 2).deal().act("2 call, 1 check").burn().board("6sKcQh").act("1 all_in, 2 call").burn()
    hand.board("2c").burn().board("6d").add("duplicate_card", at="seat1", card="6d")
    for book, article in (("tda2024", "TDA 35-E"), ("ropta", "ROPTA fouled deck")):
        result = hand.run(book)
        assert result.cites[-1] == ("hand_void", article)
        assert set(result.summary.stacks.values()) == {10000}


def c05(script):
    """Two are all-in before the flop; the flop brings a queen, a three and a joker."""
    hand = script(2, 2).deal().act("2 all_in, 1 call").burn().board("Qh3d")
    return hand.add("foreign_card", at="board", kind="joker")


def test_c05_a_joker_after_substantial_action_is_a_scrap_of_paper(script):
    hand = c05(script)
    result = hand.run("tda2024")
    assert result.cites == [("card_set_aside", "TDA 35-D")]
    result = hand.move("board", "aside").board("8c").run("tda2024")
    assert result.summary.board == ("Qh", "3d", "8c")
    assert result.summary.phase == "flop"


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "standard"])
def test_c05_elsewhere_the_hand_is_void(script, book):
    result = c05(script).run(book)
    assert result.cites == [("hand_void", "ROPTA fouled deck")]
    assert set(result.summary.stacks.values()) == {10000}


def test_c05_before_substantial_action_it_is_a_misdeal(script):
    result = script().deal(until=7).add("foreign_card", at="seat1", kind="joker").run("tda2024")
    assert result.cites == [("misdeal", "TDA 35-A6")]


def test_c07_a_card_found_under_the_table_is_the_floors(script):
    hand = script().deal().act("3 fold, 4 fold, 5 fold, 6 call, 1 fold, 2 check").burn().board("9h7s4c")
    hand.act("2 check, 6 check").burn().board("2c").claim("missing_card", card="Js")
    result = hand.run("tda2024")
    assert result.cites == [("call_floor", "TDA 1")]
    assert result.summary.pot == 250


# D: hands and acts ------------------------------------------------------------------------------


def d01(script):
    """Seat 1 bets 4,800; while seat 2 thinks, seat 3 is all-in out of turn for his whole stack."""
    hand = script(6, 6, stacks={3: 25100}).deal().act("3 call, 4 fold, 5 fold, 6 fold, 1 call, 2 check")
    return hand.burn().board("9h7s4c").act("1 bet 4800, 3 all_in")


@pytest.mark.parametrize("answer", ["2 call", "2 fold"])
def test_d01_a_call_or_a_fold_changes_nothing_and_the_all_in_binds(script, answer):
    hand = d01(script)
    result = hand.run("tda2024")
    assert result.summary.to_act == 2
    assert result.cites == [("play_on", "TDA 53-A"), ("penalty_reported", "TDA 53-A")]
    result = hand.act(answer).run("tda2024")
    assert result.cites[-1] == ("action_bound", "TDA 53-A")
    assert result.summary.bets["3"] == 25000
    assert result.summary.to_act == 1


def test_d01_after_which_the_bettor_folds_and_the_caller_calls(script):
    result = d01(script).act("2 call, 1 fold, 2 call").run("tda2024")
    assert result.summary.folded_seats == (1, 4, 5, 6)
    assert result.summary.stacks["2"] == 0
    assert result.names.count("action_bound") == 1


def test_d01_a_raise_frees_who_acted_too_early(script):
    result = d01(script).act("2 raise 9600").run("tda2024")
    assert result.cites[-1] == ("action_refused", "TDA 53-A")
    assert result.summary.to_act == 3
    assert "3" not in result.summary.bets
    assert {"fold", "call"} <= set(result.next.options)


def test_d01_under_ppc_he_may_then_only_call_or_fold(script):
    result = d01(script).act("2 raise 9600").run("ppc2011")
    assert result.cites[-1] == ("action_refused", "PPC 6.1")
    assert result.next.options == ("fold", "call")


def d03(script):
    """Blinds 200/400; the big blind is all-in for 2,900 out of turn; seat 5 says "call the all-in, 2,900"."""
    hand = (
        script(6, 6, small_blind=200, big_blind=400, stacks={2: 2900}).deal().act("2 all_in, 3 fold, 4 fold")
    )
    return hand.add("acted", seat=5, said="call", amount=2900)


def test_d03_words_that_contradict_each_other_are_the_floors(script):
    result = d03(script).run("tda2024")
    assert result.cites[-1] == ("call_floor", "TDA 40-A")
    assert result.summary.phase == "floor"
    assert result.summary.bets.get("5", 0) == 0


@pytest.mark.parametrize(("total", "name"), [(400, "action_bound"), (2900, "action_refused")])
def test_d03_what_the_floor_makes_of_it_binds_or_frees_the_big_blind(script, total, name):
    hand = d03(script).add(
        "floor_decided", choice="amount_corrected", seats=[5], amounts={"5": total}, by="floor"
    )
    result = hand.act("6 fold, 1 fold").run("tda2024")
    assert result.cites[-1] == (name, "TDA 53-A")
    assert result.summary.bets["5"] == total
    assert result.summary.bets["2"] == (2900 if name == "action_bound" else 400)


def d05(script):
    """The cutoff calls; the button is distracted and both blinds act behind him."""
    return script().deal().act("3 fold, 4 fold, 5 call, 1 call, 2 check")


def test_d05_whether_the_skipped_player_had_time_to_speak_is_asked(script):
    result = d05(script).run("tda2024")
    assert (result.next.order, result.next.fact, result.next.seat) == ("ask", "time_to_speak", 6)


@pytest.mark.parametrize(
    ("had_time", "cite"), [(True, ("call_floor", "TDA 53-B")), (False, ("play_on", "TDA 53-B"))]
)
def test_d05_with_time_it_is_the_floors_without_he_acts_as_if_nothing_had_been(script, had_time, cite):
    hand = d05(script).add("answered", fact="time_to_speak", value=had_time)
    assert hand.run("tda2024").cites[-1] == cite
    if not had_time:
        result = hand.act("6 raise 400").run("tda2024")
        assert result.summary.bets["6"] == 400


def test_d05_two_acts_behind_him_cost_the_hand_nothing_under_ppc_three_kill_it(script):
    assert "hand_dead" not in d05(script).run("ppc2011").names
    hand = script(7, 7).deal().act("3 fold, 4 fold, 6 call, 7 call, 1 call")
    result = hand.run("ppc2011")
    assert ("hand_dead", "PPC 4.9") in result.cites
    assert result.summary.dead_seats == (5,)


def d07(script):
    """All-in under the gun, chips on his cards; the dealer lifts them and pulls the cards in with the muck."""
    hand = hands_of(script, 9, 9).deal()
    hand.act("3 all_in, 4 fold, 5 fold, 6 fold, 7 fold, 8 fold, 9 fold, 1 fold")
    return hand.move("seat3", "muck").move("seat3", "muck")


def test_d07_a_hand_that_the_muck_antenna_names_lives(script):
    result = d07(script).run("tda2024")
    assert result.cites == [("play_on", "TDA 65-B")]
    assert result.summary.dead_seats == ()
    assert [order.order for order in result.rulings[0].orders] == ["find", "move"]
    assert all(order.card is None for order in result.rulings[0].orders)


def test_d07_not_told_apart_it_is_dead_and_the_uncalled_bet_goes_back(script):
    hand = hands_of(script, 9, 9).deal()
    hand.act("3 all_in, 4 fold, 5 fold, 6 fold, 7 fold, 8 fold, 9 fold, 1 fold")
    hand.claim("unprotected_hand_killed", seat=3, facts={"identified": False})
    result = hand.run("tda2024")
    assert result.cites == [("hand_dead", "TDA 65-A"), ("bets_returned", "TDA 65-A")]
    assert result.summary.stacks["3"] == 9900


def d09(script):
    """A raise, folds, the small blind is all-in for far more, the big blind folds, and the small blind throws
    his hand away, believing that he is alone."""
    hand = script(6, 6, stacks={1: 1200000, 3: 600000}).deal()
    hand.act("3 raise 60000, 4 fold, 5 fold, 6 fold, 1 all_in, 2 fold")
    return hand


def thrown(hand):
    return hand.move("seat1", "muck", by="player").move("seat1", "muck", by="player")


def test_d09_he_pays_the_raise_and_keeps_the_rest(script):
    result = thrown(d09(script)).run("tda2024")
    assert result.cites == [("hand_dead", "TDA 15-B"), ("bets_returned", "TDA 15-B")]
    assert result.summary.stacks["1"] == 1200000 - 60000
    assert result.summary.pot == 60000 + 60000 + 100


def test_d09_under_ppc_the_pot_is_lost(script):
    result = thrown(d09(script)).run("ppc2011")
    assert result.cites == [("hand_dead", "PPC 5.1")]
    assert result.summary.stacks["1"] == 0


def test_d09_under_ropta_an_unprotected_hand_gets_raise_minus_last_bet_back(script):
    hand = d09(script).claim("unprotected_hand_killed", seat=1)
    result = hand.run("ropta")
    assert result.cites == [("hand_dead", "ROPTA protection"), ("bets_returned", "ROPTA protection")]
    assert result.summary.stacks["1"] == 1200000 - 60000


def d11(script):
    """River; seat 1 bets into the big blind, who turns his hand face up to see how he reacts."""
    hand = script().deal().act("3 fold, 4 fold, 5 fold, 6 fold, 1 call, 2 check").burn().board(FLOP)
    hand.act("1 check, 2 check").burn().board("2c").act("1 check, 2 check").burn().board("Kc")
    return hand.act("1 bet 4000").add("hand_shown", seat=2, to="table", cards=["As", "Ac"])


@pytest.mark.parametrize(("book", "article"), [("tda2024", "TDA 68"), ("ppc2011", "PPC 11.4")])
def test_d11_his_hand_lives_he_still_decides_and_a_penalty_follows(script, book, article):
    hand = d11(script)
    result = hand.run(book)
    assert result.cites == [("play_on", article), ("penalty_reported", article)]
    assert result.summary.to_act == 2
    assert result.summary.dead_seats == ()
    result = hand.act("2 call").run(book)
    assert result.summary.phase == "showdown"
    assert result.summary.pot == 8200


def test_d11_shown_to_one_person_only_it_is_dead_under_ppc(script):
    hand = script().to_flop().act("1 bet 400").add("hand_shown", seat=2, to="one", cards=["As", "Ac"])
    assert hand.run("ppc2011").cites == [("hand_dead", "PPC 4.10")]


# All of them ------------------------------------------------------------------------------------


@pytest.mark.skipif(not DISPUTES.exists(), reason="the shared cases are not here")
def test_every_shared_dispute_is_told_here() -> None:
    yaml: Any = pytest.importorskip("yaml")
    ids = {case["id"] for case in yaml.safe_load(DISPUTES.read_text(encoding="utf-8"))}
    told = {
        name.split("_")[1].upper() for name in globals() if name.startswith("test_") and name[6:8].isdigit()
    }
    assert ids == told
    assert set(NOT_EXPRESSED) <= ids


def test_a_dispute_that_is_left_out_says_why() -> None:
    assert all(len(reason) > 20 for reason in NOT_EXPRESSED.values())
