"""Burns, board and stub, article by article (rules.md §4)."""

from __future__ import annotations

import pytest

FLOP = "Td9h8c"


def orders(result):
    return [order.order for order in result.rulings[0].orders]


def no_burn(script):
    return script().deal().limp().board(FLOP)


@pytest.mark.parametrize("book", ["ropta", "standard", "ppc2011", "pokernews", "stars"])
def test_ropta_no_burn_first_flop_card_is_the_burn_and_a_fourth_completes(script, book):
    hand = no_burn(script)
    result = hand.run(book)
    assert result.cites == [("burn_assigned", "ROPTA no-burn")]
    assert orders(result) == ["move", "board"]
    assert result.summary.board == ("9h", "8c")
    assert result.summary.burns == ("Td",)
    hand.move("board", "burn", "Td")
    result = hand.run(book)
    assert (result.next.order, result.next.count) == ("board", 1)
    result = hand.board("2c").run(book)
    assert len(result.rulings) == 1
    assert result.summary.board == ("9h", "8c", "2c")
    assert result.summary.phase == "flop"
    result = hand.checked().burn().board("3c").run(book)
    assert len(result.rulings) == 1
    assert result.summary.phase == "turn"


def test_ropta_no_burn_not_identifiable_calls_the_floor(script):
    result = script().deal().limp().board(FLOP, group=7).run("ropta")
    assert not result.rulings
    assert (result.next.order, result.next.fact) == ("ask", "identified")
    hand = script().deal().limp().board(FLOP, group=7).add("answered", fact="identified", value=False)
    assert hand.run("ropta").cites == [("call_floor", "ROPTA no-burn")]


def test_tda_39_b_no_burn_before_any_act_three_are_mixed_and_one_drawn(script):
    hand = no_burn(script)
    result = hand.run("tda2024")
    assert result.cites == [("burn_assigned", "TDA 39-B")]
    assert orders(result)[:2] == ["mix", "draw"]
    assert result.rulings[0].orders[-1].order == "wait"
    hand.add("floor_decided", choice="burn_assigned", cards=["9h"], by="TD")
    result = hand.run("tda2024")
    assert result.summary.burns == ("9h",)
    assert result.summary.board == ("Td", "8c")
    result = hand.move("board", "burn", "9h").board("2c").run("tda2024")
    assert result.summary.phase == "flop"
    assert len(result.rulings) == 1


def test_tda_39_b_after_one_check_the_flop_stands(script):
    hand = script().to_flop().act("1 check").claim("no_burn", facts={"identified": True})
    assert hand.run("tda2024").cites == [("play_on", "TDA 39-B")]


def test_ropta_sa_no_burn_found_after_substantial_action_since(script):
    hand = script().to_flop().act("1 check, 2 check, 3 check").claim("no_burn", facts={"identified": True})
    assert hand.run("ropta").cites == [("play_on", "ROPTA SA")]


@pytest.mark.parametrize("book", ["ropta", "tda2024", "pokernews", "ppc2011"])
def test_no_burn_on_the_turn_is_written_nowhere(script, book):
    result = script().to_flop().checked().board("3c").run(book)
    assert result.names == ["call_floor"]


def test_ppc_4_10_no_burn_after_an_exposed_card_is_right(script):
    assert "no_burn" not in script().deal(up={5: "3c"}).card(5).limp().board(FLOP).run("ppc2011").incidents


# Two burns --------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["ropta", "standard", "ppc2011", "pokernews"])
def test_ropta_double_burn_found_before_the_flop_is_turned(script, book):
    hand = script().deal().limp().burn().burn()
    result = hand.run(book)
    assert result.cites == [("burn_assigned", "ROPTA double-burn")]
    assert orders(result) == ["move", "board"]
    result = hand.move("burn", "board", "Td", "up").run(book)
    assert (result.next.order, result.next.count) == ("board", 2)
    hand.board("9h8c").checked()
    result = hand.run(book)
    assert result.summary.board == ("Td", "9h", "8c")
    assert result.next.order == "burn"
    assert len(hand.burn().board("3c").run(book).rulings) == 1


def test_ropta_double_burn_found_when_the_flop_lies(script):
    hand = script().to_flop().claim("double_burn")
    result = hand.run("ropta")
    assert result.cites == [("burn_assigned", "ROPTA double-burn")]
    assert orders(result) == ["move", "move"]
    hand.move("burn", "board", "2c", "up").move("board", "burn", "8c")
    result = hand.run("ropta")
    assert result.summary.board == ("2c", "Td", "9h")
    assert result.summary.phase == "flop"
    result = hand.checked().board("3c").run("ropta")
    assert result.summary.phase == "turn"
    assert len(result.rulings) == 1


def test_ropta_double_burn_on_turn_is_silent(script):
    assert script().to_flop().checked().burn().burn().run("ropta").names == ["call_floor"]


def test_tda2024_is_silent_on_a_double_burn(script):
    assert script().deal().limp().burn().burn().run("tda2024").cites == [("call_floor", "TDA 1")]


def test_an_early_burn_alone_raises_nothing(script):
    for book in ("ropta", "tda2024", "ltpq"):
        result = script().deal().limp(but=2).burn().act("2 check").board(FLOP).run(book)
        assert result.rulings == []
        assert result.summary.phase == "flop"


# Flop with too many cards -----------------------------------------------------------------------


def four(script):
    return script().deal().limp().burn().board(FLOP + "2c")


@pytest.mark.parametrize("book", ["pokernews", "ppc2011", "standard"])
def test_pn_errors_4_flop_with_four_cards_is_redealt_without_a_burn(script, book):
    hand = four(script)
    result = hand.run(book)
    assert result.cites == [("street_redealt", "PN errors 4")]
    assert orders(result) == ["move"] * 4 + ["shuffle", "cut", "board"]
    assert result.summary.board == ()
    for card in ("Td", "9h", "8c", "2c"):
        hand.move("board", "deck", card)
    hand.add("deck_shuffled").add("deck_cut")
    result = hand.run(book)
    assert (result.next.order, result.next.count) == ("board", 3)
    result = hand.board("3c4c5c").run(book)
    assert result.summary.board == ("3c", "4c", "5c")
    assert result.next.order == "act"
    assert len(result.rulings) == 1


def test_ropta_four_card_flop_the_last_is_the_turns_burn(script):
    hand = four(script)
    result = hand.run("ropta")
    assert result.cites == [("burn_assigned", "ROPTA four-card flop")]
    assert result.summary.board == ("Td", "9h", "8c")
    assert result.summary.burns[-1] == "2c"
    hand.move("board", "burn", "2c").checked().board("3c")
    result = hand.run("ropta")
    assert result.summary.phase == "turn"
    assert len(result.rulings) == 1


def test_ropta_five_card_flop_is_silent(script):
    result = script().deal().limp().burn().board(FLOP + "2c3c").run("ropta")
    assert result.cites[-1][0] == "call_floor"


def test_tda_39_a_four_are_mixed_and_one_drawn_is_the_next_burn(script):
    hand = four(script)
    result = hand.run("tda2024")
    assert result.cites == [("burn_assigned", "TDA 39-A")]
    hand.add("floor_decided", choice="burn_assigned", cards=["9h"], by="TD")
    result = hand.run("tda2024")
    assert result.summary.board == ("Td", "8c", "2c")
    assert result.summary.burns[-1] == "9h"
    hand.move("board", "burn", "9h").checked().board("3c")
    result = hand.run("tda2024")
    assert result.summary.phase == "turn"
    assert len(result.rulings) == 1


def test_tda2024_five_card_flop_is_silent(script):
    assert script().deal().limp().burn().board(FLOP + "2c3c").run("tda2024").names[-1] == "call_floor"


def test_surplus_turn_card_is_written_nowhere(script):
    for book in ("ropta", "tda2024", "pokernews"):
        result = script().to_flop().checked().burn().board("3c4c").run(book)
        assert [(r.ruling, r.incident) for r in result.rulings] == [("call_floor", "street_too_many_cards")]


# Premature streets ------------------------------------------------------------------------------


def premature_flop(script):
    return script().deal().limp(but=2).burn().board(FLOP)


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.8"),
        ("pokernews", "PN errors 5"),
        ("ropta", "ROPTA premature flop"),
        ("tda2024", "TDA RP-5"),
        ("standard", "PN errors 5"),
    ],
)
def test_a_premature_flop_goes_back_and_comes_again_without_a_burn(script, book, article):
    hand = premature_flop(script)
    result = hand.run(book)
    assert result.cites == [("street_redealt", article)]
    assert orders(result) == ["move"] * 3 + ["shuffle", "cut", "board"]
    assert result.summary.board == ()
    for card in ("Td", "9h", "8c"):
        hand.move("board", "deck", card)
    result = hand.run(book)
    assert (result.next.order, result.next.seat) == ("act", 2)
    hand.act("2 check")
    result = hand.run(book)
    assert result.next.order in ("gather", "shuffle")
    hand.add("deck_shuffled").add("deck_cut").board("2c3c4c")
    result = hand.run(book)
    assert len(result.rulings) == 1
    assert result.summary.phase == "flop"
    assert len(result.summary.burns) == 1


@pytest.mark.parametrize("book", ["ppc2011", "pokernews", "ropta", "tda2024", "standard"])
def test_premature_cards_are_taken_back_though_the_round_ends_meanwhile(script, book):
    hand = premature_flop(script).move("board", "deck", "9h").act("2 check")
    result = hand.run(book)
    assert (result.next.order, result.next.card) == ("move", "Td")
    hand.move("board", "deck", "Td").move("board", "deck", "8c")
    assert hand.run(book).next.order in ("gather", "shuffle")
    # and whoever shuffles has done it
    hand = premature_flop(script).act("2 check").add("deck_shuffled").add("deck_cut").board("2c3c4c")
    assert hand.run(book).summary.phase == "flop"


def test_ppc_4_8_the_card_goes_back_even_if_the_forgotten_player_passed(script):
    hand = (
        premature_flop(script).act("2 fold")
        if False
        else script().deal().act("3 call, 4 call, 5 call, 6 call").burn().board(FLOP)
    )
    hand.act("1 fold, 2 check").add("deck_shuffled").add("deck_cut").board("2c3c4c")
    result = hand.run("ppc2011")
    assert result.cites == [("street_redealt", "PPC 4.8")]
    assert result.summary.board == ("2c", "3c", "4c")


def test_premature_flop_dealt_in_the_third_card_or_at_the_next_act(script):
    hand = script().deal().limp(but=2).burn().board("Td9h")
    assert hand.run("ropta").rulings == []
    result = hand.act("2 check").run("ropta")
    assert result.incidents == ["premature_flop"]


def test_ltpq_doubt_a_premature_flop_goes_to_the_director_and_any_choice_continues(script):
    hand = premature_flop(script)
    result = hand.run("ltpq")
    assert result.cites == [("call_floor", "LTPQ doubt")]
    redealt = premature_flop(script).add("floor_decided", choice="street_redealt", by="TD").run("ltpq")
    assert redealt.summary.board == ()
    stands = premature_flop(script).add("floor_decided", choice="play_on", by="TD").act("2 check").run("ltpq")
    assert stands.summary.phase == "flop"
    assert stands.summary.board == ("Td", "9h", "8c")


def premature_turn(script):
    return script().to_flop().checked(but=6).burn().board("3c")


def test_pn_errors_6_premature_turn_is_held_out_until_the_river(script):
    hand = premature_turn(script)
    result = hand.run("pokernews")
    assert result.cites == [("card_held_out", "PN errors 6")]
    assert result.summary.held_out == ("3c",)
    assert result.summary.board == ("Td", "9h", "8c")
    hand.move("board", "aside", "3c", "up").act("6 check")
    result = hand.run("pokernews")
    assert result.next.order == "burn"
    hand.burn().board("4c").checked()
    result = hand.run("pokernews")
    assert result.summary.phase == "turn"
    assert (result.next.order, result.next.card, result.next.to) == ("move", "3c", "deck")
    hand.move("aside", "deck", "3c").add("deck_shuffled").add("deck_cut")
    result = hand.run("pokernews")
    assert (result.next.order, result.next.count) == ("board", 1)
    assert result.summary.held_out == ()
    result = hand.board("5c").run("pokernews")
    assert result.summary.phase == "river"
    assert len(result.rulings) == 1


def test_pn_errors_6_the_card_stays_out_even_if_a_player_folds_because_of_it(script):
    hand = premature_turn(script).act("6 fold").burn().board("4c")
    result = hand.run("pokernews")
    assert result.summary.held_out == ("3c",)
    assert result.summary.board[-1] == "4c"


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.8"),
        ("ropta", "ROPTA premature turn/river"),
        ("tda2024", "TDA RP-5"),
    ],
)
def test_a_premature_turn_is_shuffled_back(script, book, article):
    hand = premature_turn(script)
    assert hand.run(book).cites == [("street_redealt", article)]
    hand.move("board", "deck", "3c").act("6 check").add("deck_shuffled").add("deck_cut").board("4c")
    result = hand.run(book)
    assert len(result.rulings) == 1
    assert result.summary.board == ("Td", "9h", "8c", "4c")
    assert len(result.summary.burns) == 2


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("pokernews", "PN errors 6"),
        ("ppc2011", "PPC 4.8"),
        ("ropta", "ROPTA premature turn/river"),
        ("tda2024", "TDA RP-5"),
    ],
)
def test_a_premature_river_is_shuffled_back(script, book, article):
    hand = script().to_flop().checked().burn().board("3c").checked(but=6).burn().board("4c")
    assert hand.run(book).cites == [("street_redealt", article)]
    hand.move("board", "deck", "4c").act("6 check").add("deck_shuffled").add("deck_cut").board("5c")
    result = hand.run(book)
    assert len(result.rulings) == 1
    assert result.summary.board[-1] == "5c"
    assert result.summary.phase == "river"


def test_ropta_sa_a_premature_turn_noticed_after_substantial_action_stands(script):
    hand = (
        script()
        .to_flop()
        .checked()
        .burn()
        .board("3c")
        .act("1 check, 2 check, 3 check")
        .claim("premature_turn", seat=6)
    )
    assert hand.run("ropta").cites == [("play_on", "ROPTA SA")]


# Stub and board ---------------------------------------------------------------------------------


def test_ropta_stub_order_known_is_rebuilt(script):
    result = script().to_flop().add("stub_dropped", order_known=True).run("ropta")
    assert result.cites == [("stub_rebuilt", "ROPTA stub")]
    assert orders(result) == ["announce"]


def test_ropta_stub_a_new_one_comes_from_its_own_cards_only(script):
    hand = script().to_flop().add("stub_dropped", order_known=False, mixed_with=["muck"])
    result = hand.run("ropta")
    assert result.cites == [("stub_rebuilt", "ROPTA stub")]
    assert [(o.order, o.what) for o in result.rulings[0].orders] == [
        ("mix", "stub"),
        ("shuffle", "stub"),
        ("cut", None),
    ]


def test_the_order_of_a_dropped_stub_is_asked(script):
    hand = script().to_flop().move("deck", "off_table").move("deck", "off_table")
    result = hand.run("ropta")
    assert (result.next.order, result.next.fact) == ("ask", "order_known")
    assert hand.add("answered", fact="order_known", value=True).run("ropta").names == ["stub_rebuilt"]


def test_an_unanswered_question_calls_the_floor_when_play_goes_on(script):
    hand = script().to_flop().add("stub_dropped").checked().burn()
    assert hand.run("ropta").names == ["call_floor"]


def test_tda_rp_4_cards_mixed_with_muck_or_burns_are_shuffled_in(script):
    hand = script().to_flop().add("stub_dropped", order_known=False, mixed_with=["muck", "burn"])
    result = hand.run("tda2024")
    assert result.cites == [("stub_rebuilt", "TDA RP-4")]
    assert result.rulings[0].orders[0].what == "stub_muck_burns"


def all_in(script):
    hand = script([1, 2, 3], button=3).deal().act("3 fold, 1 all_in, 2 call")
    return hand.add("hand_shown", seat=1, to="table", cards=["As", "Ac"]).add(
        "hand_shown", seat=2, to="table", cards=["Ks", "Kc"]
    )


def test_ropta_stub_shown_is_reshuffled_and_cut_at_the_dealers_right(script):
    hand = (
        all_in(script)
        .add("card_exposed", card="2c", at="deck", by="dealer")
        .add("card_exposed", card="3c", at="deck", by="dealer")
    )
    result = hand.run("ropta")
    assert result.cites == [("stub_rebuilt", "ROPTA stub shown")]
    assert [(o.order, o.by_seat) for o in result.rulings[0].orders] == [("shuffle", None), ("cut", 2)]


def test_stub_shown_while_betting_is_possible_calls_the_floor(script):
    hand = (
        script()
        .to_flop()
        .add("card_exposed", card="2c", at="deck", by="dealer")
        .add("card_exposed", card="3c", at="deck", by="dealer")
    )
    assert hand.run("ropta").names == ["call_floor"]


def test_ropta_board_readable_play_on(script):
    assert script().to_flop().add("board_disturbed", readable=True).run("ropta").cites == [
        ("play_on", "ROPTA board")
    ]


def test_ropta_board_unreadable_pot_is_split_among_those_in_the_hand(script):
    hand = (
        script()
        .to_flop()
        .act("1 check, 2 bet 100, 3 fold, 4 fold, 5 fold, 6 fold, 1 call")
        .add("board_disturbed", readable=False)
    )
    result = hand.run("ropta")
    assert result.cites == [("pot_split", "ROPTA board")]
    pushed = {order.seat: order.amount for order in result.expected[-1] if order.order == "push_pot"}
    assert pushed == {1: 400, 2: 400}


def test_tda2024_is_silent_on_a_disturbed_board(script):
    assert script().to_flop().add("board_disturbed", readable=False).run("tda2024").cites == [
        ("call_floor", "TDA 1")
    ]


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "pokernews"])
def test_an_exposed_burn_stays_the_burn(script, book):
    hand = script().deal().limp().burn().add("card_exposed", card="2c", at="burn", by="dealer").board(FLOP)
    result = hand.run(book)
    assert result.cites == [("play_on", "STD burn exposed")]
    assert result.summary.phase == "flop"


def test_pn_errors_6_a_premature_turn_told_of_in_the_turns_betting_is_held_out_too(script):
    hand = script().to_flop().checked().burn().board("3c").act("1 check").claim("premature_turn", seat=6)
    result = hand.run("pokernews")
    assert result.cites == [("card_held_out", "PN errors 6")]
    hand.move("board", "aside", "3c", "up").burn().board("4c").checked()
    result = hand.run("pokernews")
    assert result.summary.board == ("Td", "9h", "8c", "4c")
    hand.move("aside", "deck", "3c").add("deck_shuffled").add("deck_cut").board("5c")
    result = hand.run("pokernews")
    assert result.summary.phase == "river"
    assert result.next.order == "act"


def test_a_burn_drawn_where_no_board_card_is_recorded_is_taken(script):
    hand = script(betting="rounds").deal().claim("flop_too_many_cards", facts={"count": 4})
    hand.add("floor_decided", choice="burn_assigned", by="TD")
    assert hand.run("tda2024").summary.burns == (None,)
