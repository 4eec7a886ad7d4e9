"""The deck itself and dead hands, article by article (rules.md §5, §6)."""

from __future__ import annotations

import pytest

FLOP = "Td9h8c"
ALL = ("standard", "ppc2011", "pokernews", "ltpq", "ropta", "stars", "tda2024")


def to_turn(script):
    return script().to_flop().checked().burn().board("3c")


def to_river(script):
    return to_turn(script).checked().burn().board("4c")


# The deck ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["ropta", "standard", "ppc2011", "pokernews"])
@pytest.mark.parametrize("event", ["duplicate_card", "foreign_card"])
def test_ropta_fouled_deck_voids_the_hand_turn_and_river_included(script, book, event):
    for hand in (script().to_flop(), to_turn(script), to_river(script)):
        result = hand.add(event, at="board", card="Td").run(book)
        assert result.cites == [("hand_void", "ROPTA fouled deck")]
        assert set(result.summary.stacks.values()) == {10000}
        assert result.summary.phase == "void"


def test_ropta_fouled_deck_before_the_first_act_is_a_misdeal(script):
    result = script().deal(until=8).add("foreign_card", at="seat3", kind="joker").run("ropta")
    assert result.cites == [("misdeal", "ROPTA fouled deck")]


def test_tda_35_e_two_cards_of_one_rank_and_suit_at_any_time(script):
    assert to_river(script).add("duplicate_card", at="board", card="Td").run("tda2024").cites == [
        ("hand_void", "TDA 35-E")
    ]


def test_tda_35_a6_a_joker_before_substantial_action(script):
    result = script().deal().add("foreign_card", at="seat3", kind="joker").run("tda2024")
    assert result.cites == [("misdeal", "TDA 35-A6")]


def test_tda_35_d_a_joker_on_the_flop_is_a_scrap_of_paper(script):
    hand = script().deal().limp().burn().board("TdQh").add("foreign_card", at="board", kind="joker")
    result = hand.run("tda2024")
    assert result.cites == [("card_set_aside", "TDA 35-D")]
    assert result.next.order == "move"
    result = hand.board("3c").run("tda2024")
    assert result.summary.phase == "flop"
    assert result.summary.board == ("Td", "Qh", "3c")


def test_ropta_two_decks_found_at_the_flop(script):
    hand = script().to_flop().add("foreign_card", at="board", kind="other_deck")
    result = hand.run("ropta")
    assert result.cites == [("bets_returned", "ROPTA two decks"), ("street_redealt", "ROPTA two decks")]
    assert result.summary.board == ()
    for card in ("Td", "9h", "8c"):
        hand.move("board", "aside", card)
    result = hand.board("2c3c4c").run("ropta")
    assert result.summary.phase == "flop"
    assert len(result.rulings) == 2


def test_ropta_two_decks_bets_of_the_street_go_back(script):
    hand = script().to_flop().act("1 bet 300, 2 call").add("foreign_card", at="board", kind="other_deck")
    result = hand.run("ropta")
    assert set(result.summary.stacks.values()) == {9900}
    assert result.summary.bets == {}


@pytest.mark.parametrize("hand", [to_turn, to_river])
def test_ropta_two_decks_found_at_turn_or_river_voids(script, hand):
    result = hand(script).add("foreign_card", at="board", kind="other_deck").run("ropta")
    assert result.cites == [("hand_void", "ROPTA two decks")]


def test_ropta_two_decks_found_after_the_pot_was_taken_stands(script):
    hand = script().deal().act("3 fold, 4 fold, 5 fold, 6 fold, 1 fold").add("pot_taken", seat=2, amount=150)
    result = hand.add("hand_ended").add("foreign_card", at="seat2", kind="other_deck").run("ropta")
    assert result.cites == [("play_on", "ROPTA two decks")]
    assert result.summary.stacks["2"] == 10050


@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011", "standard"])
def test_a_deck_that_is_not_52_is_not_put_in_play(script, book):
    hand = script()
    hand.events.insert(0, {"event": "deck_counted", "missing": ["7d"]})
    result = hand.run(book)
    assert result.names == ["start_refused"]
    assert result.rulings[0].cards == ("7d",)


def test_a_whole_deck_is_silent(script):
    assert script().add("deck_counted").run("ropta").rulings == []


def test_ropta_shuffle_cut_not_the_same_person(script):
    hand = script()
    hand.events[:0] = [{"event": "deck_shuffled", "by_seat": 3}, {"event": "deck_cut", "by_seat": 3}]
    assert hand.run("ropta").cites == [("penalty_reported", "ROPTA shuffle/cut")]
    hand.events[1]["by_seat"] = 4
    assert hand.run("ropta").rulings == []


# Hands ------------------------------------------------------------------------------------------


def out_of_turn_muck(script, by="player"):
    hand = script().deal().act("3 raise 300")
    return hand.move("seat6", "muck", by=by).move("seat6", "muck", by=by)


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 5.1"),
        ("pokernews", "PN muck"),
        ("ropta", "ROPTA muck"),
    ],
)
def test_a_hand_that_touched_the_muck_is_dead(script, book, article):
    result = out_of_turn_muck(script).run(book)
    assert result.cites == [("hand_dead", article)]
    assert result.summary.dead_seats == (6,)


def test_ppc_5_1_even_the_last_raiser_who_thought_he_was_alone(script):
    hand = (
        script()
        .deal()
        .act("3 raise 300, 4 fold, 5 fold, 6 fold, 1 fold")
        .move("seat3", "muck", by="player")
        .move("seat3", "muck", by="player")
    )
    result = hand.run("ppc2011")
    assert result.cites == [("hand_dead", "PPC 5.1")]
    pushed = {order.seat: order.amount for order in result.expected[-1] if order.order == "push_pot"}
    assert pushed == {2: 450}


def test_both_cards_to_the_muck_in_turn_are_a_fold(script):
    hand = script().deal().move("seat3", "muck", by="player").move("seat3", "muck", by="player")
    for book in ALL:
        result = hand.run(book)
        assert result.rulings == []
        assert result.summary.folded_seats == (3,)


def test_one_card_over_the_muck_is_not_yet_a_fold(script):
    result = script().deal().move("seat3", "muck", by="player").run("ropta")
    assert result.summary.folded_seats == ()
    assert result.summary.to_act == 3


def test_tda_65_b_a_hand_the_dealer_mucked_is_live_when_identified(script):
    result = out_of_turn_muck(script, by="dealer").run("tda2024")
    assert result.cites == [("play_on", "TDA 65-B")]
    assert result.summary.dead_seats == ()
    assert all(order.card is None for order in result.rulings[0].orders)


def test_tda_58_a_fold_out_of_turn_is_binding(script):
    assert out_of_turn_muck(script).run("tda2024").cites == [("hand_dead", "TDA 58")]


def test_tda_15_b_an_uncalled_raiser_who_mucks_gets_the_uncalled_part_back(script):
    hand = script().deal().act("3 raise 300, 4 fold, 5 fold, 6 fold, 1 raise 1200, 2 fold")
    hand.move("seat1", "muck", by="player").move("seat1", "muck", by="player")
    result = hand.run("tda2024")
    assert result.cites == [("hand_dead", "TDA 15-B"), ("bets_returned", "TDA 15-B")]
    assert result.summary.stacks["1"] == 9700


@pytest.mark.parametrize(
    ("protected", "identified", "cites"),
    [
        (False, None, [("hand_dead", "PPC 5.2")]),
        (True, True, [("play_on", "PPC 5.2")]),
        (True, False, [("bets_returned", "PPC 5.2"), ("hand_dead", "PPC 5.2")]),
    ],
)
def test_ppc_5_2_a_hand_fouled_by_a_discard(script, protected, identified, cites):
    facts = {"protected": protected} | ({} if identified is None else {"identified": identified})
    hand = script().deal().act("3 raise 300, 4 call").claim("foul_hand", seat=4, facts=facts)
    result = hand.run("ppc2011")
    assert result.cites == cites
    if len(cites) == 2:
        assert result.summary.stacks["4"] == 10000


def test_ppc_5_2_whether_it_was_protected_is_asked(script):
    result = script().deal().act("3 raise 300, 4 call").claim("foul_hand", seat=4).run("ppc2011")
    assert (result.next.order, result.next.fact, result.next.seat) == ("ask", "protected", 4)


def test_ropta_fouled_identified_stays_in_play_and_its_owner_is_penalised(script):
    hand = script().deal().act("3 raise 300, 4 call").claim("foul_hand", seat=4, facts={"identified": True})
    result = hand.run("ropta")
    assert result.cites == [("play_on", "ROPTA fouled"), ("penalty_reported", "ROPTA fouled")]
    assert result.rulings[0].orders[0].order == "find"
    assert result.rulings[0].orders[0].card is None


def test_ropta_fouled_not_identified_is_dead(script):
    hand = script().deal().act("3 raise 300, 4 call").claim("foul_hand", seat=4, facts={"identified": False})
    assert hand.run("ropta").cites == [("hand_dead", "ROPTA fouled")]


def test_ropta_protection_nothing_put_in_nothing_back(script):
    result = script().deal().act("3 raise 300").claim("unprotected_hand_killed", seat=6).run("ropta")
    assert result.cites == [("hand_dead", "ROPTA protection")]


def test_ropta_protection_an_uncalled_bet_goes_back(script):
    hand = script().to_flop().act("1 bet 400").claim("unprotected_hand_killed", seat=1)
    result = hand.run("ropta")
    assert result.cites == [("hand_dead", "ROPTA protection"), ("bets_returned", "ROPTA protection")]
    assert result.summary.stacks["1"] == 9900


def test_ropta_protection_an_uncalled_raise_gets_raise_minus_last_bet_back(script):
    hand = script().to_flop().act("1 bet 400, 2 raise 1000").claim("unprotected_hand_killed", seat=2)
    result = hand.run("ropta")
    assert result.cites[-1] == ("bets_returned", "ROPTA protection")
    assert result.summary.stacks["2"] == 9900 - 400


def test_ppc_gives_nothing_back_for_an_unprotected_hand(script):
    hand = script().to_flop().act("1 bet 400").claim("unprotected_hand_killed", seat=1)
    assert hand.run("ppc2011").names == ["hand_dead"]


def test_ropta_mixed_a_dead_card_mixed_in_kills_that_hand_only(script):
    result = script().to_flop().claim("hand_mixed", seat=3).run("ropta")
    assert result.cites == [("hand_dead", "ROPTA mixed")]
    assert result.summary.dead_seats == (3,)
    assert result.next.order == "muck"


def test_ppc_4_10_a_hand_shown_to_one_person_on_purpose_counts_as_burned(script):
    hand = script().to_flop().add("hand_shown", seat=3, to="one", cards=["As", "Ac"])
    assert hand.run("ppc2011").cites == [("hand_dead", "PPC 4.10")]


def test_ropta_exposing_shown_to_one_is_shown_to_all_at_the_end(script):
    hand = script().to_flop().add("hand_shown", seat=3, to="one", cards=["As", "Ac"])
    result = hand.run("ropta")
    assert result.cites == [("penalty_reported", "ROPTA exposing")]
    assert result.rulings[0].penalty == "warning"


def test_ropta_exposing_to_a_player_in_the_hand_is_shown_at_once_and_heavier(script):
    hand = script().to_flop().add("hand_shown", seat=3, to="one", to_seat=4, cards=["As", "Ac"])
    result = hand.run("ropta")
    assert result.rulings[0].penalty == "heavier"
    assert result.next.order == "show"


@pytest.mark.parametrize(
    ("book", "article"), [("ppc2011", "PPC 11.4"), ("ropta", "ROPTA exposing"), ("tda2024", "TDA 68")]
)
def test_a_hand_tabled_too_early_is_alive_and_penalised(script, book, article):
    hand = script().to_flop().act("1 bet 400").add("hand_shown", seat=2, to="table", cards=["As", "Ac"])
    result = hand.run(book)
    assert result.cites == [("play_on", article), ("penalty_reported", article)]
    assert result.summary.dead_seats == ()
    assert result.summary.to_act == 2


def test_ropta_absent_who_leaves_the_table_in_a_hand_is_mucked(script):
    result = script().to_flop().add("presence", seat=3, present=False).run("ropta")
    assert result.cites == [("hand_dead", "ROPTA absent")]


def test_ropta_absent_unless_all_in(script):
    hand = script().deal().act("3 all_in, 4 call").add("presence", seat=3, present=False)
    result = hand.run("ropta")
    assert result.cites[-1] == ("play_on", "ROPTA absent")
    assert result.summary.dead_seats == ()


def test_tda_31_leaving_the_table_is_a_penalty(script):
    result = script().to_flop().add("presence", seat=3, present=False).run("tda2024")
    assert result.cites == [("penalty_reported", "TDA 31")]


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_wrong_button_is_corrected_before_substantial_action_only(script, book):
    early = script().deal().claim("wrong_button").run(book)
    assert early.next.text == "button_corrected"
    late = script().deal().act("3 call, 4 call").claim("wrong_button").run(book)
    assert late.names == ["play_on"]
    assert late.next.order == "act"


def test_where_only_rounds_are_recorded_cards_over_the_muck_are_a_fold(script):
    hand = (
        script(betting="rounds").deal().move("seat6", "muck", by="player").move("seat6", "muck", by="player")
    )
    result = hand.run("ropta")
    assert result.rulings == []
    assert result.summary.folded_seats == (6,)


def river_called(script):
    hand = script([1, 2, 3], button=3).deal().act("3 call, 1 call, 2 check").burn().board("Td9h8c").checked()
    hand.burn().board("3c").checked().burn().board("4c")
    return hand.act("1 bet 400, 2 call, 3 fold")


def test_ropta_asking_to_see_who_called_on_the_river_puts_the_hand_back_in_play(script):
    hand = river_called(script).act("1 fold").claim("see_hand", seat=2)
    result = hand.run("ropta")
    assert result.cites == [("play_on", "ROPTA asking to see")]
    assert result.rulings[0].seats == (1,)
    assert (result.next.order, result.next.seat) == ("show", 1)
    hand.add("hand_shown", seat=1, to="table", cards=["As", "Ac"])
    hand.add("hand_shown", seat=2, to="table", cards=["Ks", "Kc"])
    result = hand.run("ropta")
    assert [(order.order, order.seat) for order in result.expected[-1]] == [("push_pot", 1)]


def test_ropta_asking_to_see_is_refused_to_who_did_not_call(script):
    hand = river_called(script).claim("see_hand", seat=3)
    assert hand.run("ropta").cites == [("action_refused", "ROPTA asking to see")]


@pytest.mark.parametrize("book", ["ropta", "standard", "tda2024"])
@pytest.mark.parametrize("mixed", [(), ("muck", "burn")])
def test_a_stub_that_falls_while_it_is_to_be_shuffled_is_shuffled_once(script, book, mixed):
    """The premature flop's cards lie in the stub that fell: one shuffle serves both."""
    hand = script().deal().limp(but=2).burn().board(FLOP)
    for card in ("Td", "9h", "8c"):
        hand.move("board", "deck", card)
    hand.add("stub_dropped", order_known=False, mixed_with=mixed)
    assert hand.run(book).next.order == "mix"
    hand.add("deck_shuffled").add("deck_cut").act("2 check")
    result = hand.run(book)
    assert [ruling.incident for ruling in result.rulings] == ["premature_flop", "stub_dropped"]
    assert result.next.order in ("gather", "board")
    assert hand.board("2c3c4c").run(book).summary.phase == "flop"


def test_a_stub_that_falls_twice_before_it_is_shuffled_is_shuffled_once(script):
    hand = script().to_flop().add("stub_dropped", order_known=False, mixed_with=("muck", "burn"))
    hand.add("stub_dropped", order_known=False, mixed_with=())
    result = hand.run("tda2024")
    assert (result.next.order, result.next.what) == ("mix", "stub_muck_burns")
    hand.add("deck_shuffled").add("deck_cut")
    assert hand.run("tda2024").next.order == "act"
