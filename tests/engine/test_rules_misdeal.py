"""Misdeals, an article each: until when one may be declared, and what it does."""

from __future__ import annotations

import pytest

# The limit --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"), [("ppc2011", "PPC 4.6"), ("ropta", "ROPTA SA"), ("tda2024", "TDA 35-D")]
)
def test_a_misdeal_found_after_the_limit_is_played_on(script, book, article):
    hand = script().deal().act("3 call, 4 call, 5 call").claim("several_cards_exposed_in_deal")
    assert hand.run(book).cites == [("play_on", article)]


def test_ppc_4_6_two_acts_with_chips_are_not_yet_the_limit(script):
    hand = script().deal().act("3 call, 4 call").claim("several_cards_exposed_in_deal")
    assert hand.run("ppc2011").names == ["misdeal"]
    assert hand.run("ropta").names == ["play_on"]


def test_tda_36_two_folds_are_no_substantial_action(script):
    hand = script().deal().act("3 fold, 4 fold").claim("several_cards_exposed_in_deal")
    assert hand.run("tda2024").names == ["misdeal"]


def test_ropta_repetition_is_reported(script):
    assert script().deal().claim("dealer_repeats").run("ropta").cites == [
        ("penalty_reported", "ROPTA repetition")
    ]


# What a misdeal does ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ante",
    [
        {"kind": "none", "amount": 0},
        {"kind": "classic", "amount": 10},
        {"kind": "big_blind", "amount": 100},
        {"kind": "button", "amount": 100},
    ],
)
def test_a_misdeal_gives_every_chip_back_and_keeps_the_button(script, ante):
    result = script(ante=ante, dealer="D7").deal(up={1: "3c"}, until=1).run("ropta")
    assert set(result.summary.stacks.values()) == {10000}
    assert result.summary.bets == {}
    assert result.summary.pot == 0
    kinds = [order.order for order in result.rulings[0].orders]
    assert kinds[0] == "return_cards"
    assert kinds[-2:] == ["shuffle", "cut"]
    assert result.state.button == 6
    assert result.state.dealer_misdeals == (("D7", 1),)


def test_a_misdeal_is_dealt_again_under_the_same_number(script):
    hand = script(dealer="D7").deal(up={1: "3c"}, until=1).add("deck_shuffled").add("deck_cut")
    hand.events.append(hand.start)
    result = hand.deal().run("ropta")
    assert result.names == ["misdeal"]
    assert result.summary.phase == "preflop"
    assert result.summary.misdeals == 1


def test_between_hands_no_movement_raises_anything(script):
    hand = script().deal().act("3 fold, 4 fold, 5 fold, 6 fold, 1 fold")
    hand.add("pot_taken", seat=2, amount=150).add("hand_ended")
    hand.move("seat2", "deck").move("deck", "off_table", "3c", "up").card(9, "4c").burn()
    assert hand.run("ropta").rulings == []


def test_a_flashed_card_told_of_after_the_deal_is_replaced_at_once(script):
    hand = script().deal().claim("card_seen", seat=4, card="3c", seen_by="majority")
    result = hand.run("ropta")
    assert result.cites[0] == ("card_replaced", "ROPTA flashed")
    assert (result.next.order, result.next.to) == ("deal", "seat4")
    result = hand.card(4).move("seat4", "burn", "3c", "up").limp().board("Td9h8c").run("ropta")
    assert result.summary.phase == "flop"
    assert len(result.rulings) == 2


def test_a_street_that_does_not_lie_there_was_not_premature(script):
    for book in ("ropta", "pokernews", "tda2024"):
        result = script().to_flop().claim("premature_turn", seat=3).run(book)
        assert result.names == ["call_floor"]
        assert result.summary.board == ("Td", "9h", "8c")


def test_a_card_missed_during_a_hand_is_the_directors(script):
    for book in ("ropta", "tda2024"):
        assert script().to_flop().claim("missing_card", card="Js").run(book).names == ["call_floor"]


def test_after_a_misdeal_the_acts_are_worked_off_one_by_one(script):
    hand = script().deal(up={1: "3c"}, until=1)
    assert hand.run("ropta").next.order == "return_cards"
    assert hand.add("deck_shuffled").run("ropta").next.order == "cut"
    assert hand.add("deck_cut").run("ropta").next is None
