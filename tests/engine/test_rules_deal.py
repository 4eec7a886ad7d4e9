"""The initial deal, article by article (rules.md §3). Each test is named by what it cites."""

from __future__ import annotations

import pytest

# First and second card off the deck -------------------------------------------------------------


@pytest.mark.parametrize("book", ["pokernews", "ropta", "tda2024", "standard", "stars"])
def test_first_card_exposed_is_a_misdeal(script, book):
    article = {"pokernews": "PN errors 1", "tda2024": "TDA 35-A7"}.get(book, "ROPTA misdeal a")
    result = script().deal(up={1: "Ah"}, until=1).run(book)
    assert result.cites == [("misdeal", article)]
    assert result.summary.phase == "void"


def test_ppc_4_3_first_card_exposed_is_replaced_like_any_other(script):
    result = script().deal(up={1: "Ah"}).run("ppc2011")
    assert result.cites == [("card_replaced", "PPC 4.3"), ("burn_skipped", "PPC 4.3")]
    assert result.next.order == "deal"
    assert result.next.to == "seat1"


def test_ropta_misdeal_a_second_card_exposed(script):
    assert script().deal(up={2: "Ah"}, until=2).run("ropta").cites == [("misdeal", "ROPTA misdeal a")]


def test_tda_35_a7_second_card_exposed(script):
    assert script().deal(up={2: "Ah"}, until=2).run("tda2024").cites == [("misdeal", "TDA 35-A7")]


@pytest.mark.parametrize(("book", "article"), [("pokernews", "PN errors 2"), ("ppc2011", "PPC 4.3")])
def test_second_card_exposed_is_replaced(script, book, article):
    result = script().deal(up={2: "Ah"}, until=2).run(book)
    assert result.cites[0] == ("card_replaced", article)
    assert "misdeal" not in result.names


@pytest.mark.parametrize("place", [1, 2, 5, 12])
def test_ltpq_doubt_every_exposed_card_goes_to_the_director(script, place):
    result = script().deal(up={place: "Ah"}).run("ltpq")
    assert set(result.cites) == {("call_floor", "LTPQ doubt")}
    assert result.summary.phase == "floor"
    assert result.rulings[0].suggestions


# One later card exposed -------------------------------------------------------------------------


def test_ppc_4_3_exposed_card_is_dead_in_view_and_nothing_is_burned_before_the_flop(script):
    hand = script().deal(up={5: "3c"})
    result = hand.run("ppc2011")
    assert result.cites == [("card_replaced", "PPC 4.3"), ("burn_skipped", "PPC 4.3")]
    assert result.next.to == "seat5"
    hand.card(5).move("seat5", "aside", "3c", "up").limp()
    result = hand.run("ppc2011")
    assert [order.order for order in result.expected[-1]] == ["gather"]
    result = hand.add("chips_moved", from_="bet1", to="pot", amount=600).board("Td9h8c").run("ppc2011")
    assert len(result.rulings) == 2
    assert result.summary.phase == "flop"


def test_ppc_4_10_a_burn_before_the_flop_after_an_exposed_card_is_one_too_many(script):
    result = script().deal(up={5: "3c"}).card(5).limp().burn().run("ppc2011")
    assert "double_burn" in result.incidents


def test_pn_errors_2_exposed_card_goes_on_top_and_is_the_flops_burn(script):
    hand = script().deal(up={5: "3c"})
    result = hand.run("pokernews")
    assert result.cites == [("card_replaced", "PN errors 2"), ("burn_assigned", "PN errors 2")]
    assert [order.order for order in result.rulings[0].orders] == ["deal", "move"]
    assert result.next.to == "seat5"
    result = hand.card(5).run("pokernews")
    assert (result.next.order, result.next.card, result.next.to) == ("move", "3c", "deck")
    result = hand.move("seat5", "deck", "3c").limp().burn().board("Td9h8c").run("pokernews")
    assert len(result.rulings) == 2
    assert result.summary.burns == ("3c",)
    assert result.summary.phase == "flop"


def test_pn_errors_2_the_exposed_card_may_be_put_on_the_burns_directly(script):
    result = (
        script()
        .deal(up={5: "3c"})
        .card(5)
        .move("seat5", "burn", "3c")
        .limp()
        .board("Td9h8c")
        .run("pokernews")
    )
    assert len(result.rulings) == 2
    assert result.summary.burns == ("3c",)


def test_ropta_exposed_card_takes_the_burns_place(script):
    hand = script().deal(up={5: "3c"})
    result = hand.run("ropta")
    assert result.cites == [("card_replaced", "ROPTA exposed"), ("burn_assigned", "ROPTA exposed")]
    assert result.summary.burns == ("3c",)
    hand.card(5).move("seat5", "burn", "3c", "up").limp().board("Td9h8c")
    result = hand.run("ropta")
    assert len(result.rulings) == 2
    assert result.summary.phase == "flop"
    assert result.summary.burns == ("3c",)


def test_tda2024_writes_no_replacement_and_says_whose_rule_it_takes(script):
    result = script().deal(up={5: "3c"}).run("tda2024")
    assert [(r.ruling, r.rulebook) for r in result.rulings] == [
        ("card_replaced", "standard"),
        ("burn_assigned", "standard"),
    ]


def test_ropta_exposed_the_replacement_comes_after_the_last_seat_not_before(script):
    for until in range(5, 12):
        result = script().deal(up={5: "3c"}, until=until).run("ropta")
        assert result.next.to == f"seat{until % 6 + 1}"


@pytest.mark.parametrize(
    ("book", "name", "article"),
    [
        ("ppc2011", "card_replaced", "PPC 4.3"),
        ("pokernews", "card_kept", "RRoP 119"),
        ("standard", "card_kept", "RRoP 119"),
        ("tda2024", "card_kept", "RRoP 119"),
        ("ropta", "card_replaced", "ROPTA exposed"),
    ],
)
def test_card_turned_by_a_player_in_the_deal(script, book, name, article):
    hand = script().deal(until=7).add("card_exposed", card="3c", at="seat5", by="player").deal(start=8)
    assert hand.run(book).cites[0] == (name, article)


def test_unknown_hand_is_the_dealers_while_the_deal_lasts(script):
    hand = script().deal(until=7).add("card_exposed", card="3c", at="seat5", by="unknown").deal(start=8)
    assert hand.run("pokernews").cites[0] == ("card_replaced", "PN errors 2")


# Flashed ----------------------------------------------------------------------------------------


def flashed(script, seen_by):
    return (
        script()
        .deal(until=5)
        .add("card_exposed", card="3c", at="seat5", by="dealer", seen_by=seen_by)
        .deal(start=6)
    )


def test_ppc_4_4_a_flashed_card_counts_as_turned(script):
    for seen_by in ("some", "majority"):
        result = flashed(script, seen_by).run("ppc2011")
        assert result.cites == [("card_replaced", "PPC 4.4"), ("burn_skipped", "PPC 4.4")]


def test_pn_errors_2_a_flashed_card_counts_as_exposed(script):
    assert flashed(script, "some").run("pokernews").cites[0] == ("card_replaced", "PN errors 2")


def test_ropta_flashed_seen_by_a_majority_is_burned(script):
    result = flashed(script, "majority").run("ropta")
    assert result.cites == [("card_replaced", "ROPTA flashed"), ("burn_assigned", "ROPTA flashed")]


def test_ropta_flashed_seen_by_some_changes_nothing(script):
    result = flashed(script, "some").run("ropta")
    assert result.cites == [("play_on", "ROPTA flashed")]
    assert result.rulings[0].cards == ()
    assert result.next.order == "act"


def test_ropta_flashed_who_saw_it_is_asked_when_nobody_said(script):
    hand = script().deal(until=5).claim("card_seen", seat=5, card="3c")
    result = hand.run("ropta")
    assert not result.rulings
    assert (result.next.order, result.next.fact) == ("ask", "seen_by")
    result = hand.add("answered", fact="seen_by", value="some").run("ropta")
    assert result.cites == [("play_on", "ROPTA flashed")]


def test_the_second_card_flashed_to_some_is_no_misdeal(script):
    hand = script().deal(until=2).add("card_exposed", card="3c", at="seat2", by="dealer", seen_by="some")
    assert hand.run("ropta").cites == [("play_on", "ROPTA flashed")]


# Several ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.5"),
        ("pokernews", "PN errors 3"),
        ("ropta", "ROPTA misdeal b"),
        ("tda2024", "TDA 35-A7"),
    ],
)
def test_two_cards_exposed_are_a_misdeal(script, book, article):
    result = script().deal(up={5: "3c", 8: "9h"}, until=8).run(book)
    assert result.cites[-1] == ("misdeal", article)
    assert result.summary.phase == "void"
    assert result.summary.misdeals == 1


def test_ppc_4_5_the_first_two_cards_exposed(script):
    assert script().deal(up={1: "3c", 2: "9h"}, until=2).run("ppc2011").cites[-1] == ("misdeal", "PPC 4.5")


def test_tda_35_a7_cards_turned_by_a_player_do_not_add_up(script):
    hand = (
        script()
        .deal(up={5: "3c"}, until=8)
        .add("card_exposed", card="9h", at="seat6", by="player")
        .deal(start=9)
    )
    assert "misdeal" not in hand.run("tda2024").names


def test_ropta_misdeal_b_a_dropped_card_is_the_second_dead_one(script):
    hand = script().deal(up={5: "3c"}, until=7).move("deck", "off_table", "9h", "up")
    assert hand.run("ropta").cites[-1] == ("misdeal", "ROPTA misdeal b")


# Dropped ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.3"),
        ("pokernews", "PN errors 2"),
        ("ropta", "ROPTA dropped"),
        ("tda2024", "PN errors 2"),
    ],
)
def test_card_dropped_by_the_dealer_is_as_exposed(script, book, article):
    hand = script().deal(until=4).move("deck", "off_table", "3c", "up").deal(start=6)
    result = hand.run(book)
    assert result.cites[0] == ("card_replaced", article)
    assert result.next.to == "seat5"
    result = hand.card(5).run(book)
    assert len(result.rulings) == 2
    assert len(result.state.seats[5].cards) == 2


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 11.4"),
        ("ropta", "ROPTA dropped"),
        ("pokernews", "ROPTA dropped"),
        ("tda2024", "ROPTA dropped"),
    ],
)
def test_card_dropped_by_the_player_after_the_deal_must_be_played(script, book, article):
    hand = (
        script().deal().move("seat4", "off_table", "3c", "up", by="player").move("off_table", "seat4", "3c")
    )
    result = hand.run(book)
    assert result.cites == [("card_kept", article)]
    assert not result.state.seats[4].dead


# Wrong seats ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("standard", "ROPTA misdeal c"),
        ("ppc2011", "ROPTA misdeal c"),
        ("pokernews", "ROPTA misdeal c"),
        ("ropta", "ROPTA misdeal c"),
        ("tda2024", "TDA 35-A3"),
    ],
)
def test_a_card_to_a_seat_not_entitled_is_a_misdeal(script, book, article):
    assert script().deal(until=3).card(9).run(book).cites == [("misdeal", article)]


def test_tda_35_a2_the_first_card_to_the_wrong_seat_is_a_misdeal(script):
    result = script().card(3).run("tda2024")
    assert result.names == ["misdeal"]
    assert result.rulings[0].article.startswith("TDA 35-A")


# Absent -----------------------------------------------------------------------------------------


def test_ppc_4_2_absent_player_is_dealt_in_and_dead_no_misdeal(script):
    result = script(absent=[4]).deal().run("ppc2011")
    assert result.cites == [("hand_dead", "PPC 4.2")]
    assert result.summary.dead_seats == (4,)


def test_ropta_absent_at_the_first_card_is_dead_even_if_he_comes_back(script):
    hand = script(absent=[4]).deal(until=1).add("presence", seat=4, present=True).deal(start=2)
    result = hand.run("ropta")
    assert result.cites == [("hand_dead", "ROPTA absent")]
    assert result.rulings[0].event == 1


def test_tda_30_absent_when_the_last_card_falls_is_dead(script):
    result = script(absent=[4]).deal().run("tda2024")
    assert result.cites == [("hand_dead", "TDA 30")]


def test_tda_30_back_before_the_last_card_is_alive(script):
    hand = script(absent=[4]).deal(until=9).add("presence", seat=4, present=True).deal(start=10)
    assert hand.run("tda2024").rulings == []


# Counts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "cite"),
    [
        ("standard", ("misdeal", "ROPTA misdeal d")),
        ("pokernews", ("misdeal", "ROPTA misdeal d")),
        ("ropta", ("misdeal", "ROPTA misdeal d")),
        ("tda2024", ("misdeal", "TDA 35-A4")),
        ("ppc2011", ("hand_dead", "PPC 4.7")),
        ("ltpq", ("call_floor", "LTPQ doubt")),
    ],
)
def test_a_seat_left_out(script, book, cite):
    assert script().deal(skip=[4, 10]).run(book).cites == [cite]


def test_a_seat_left_out_is_judged_when_the_last_seat_was_passed(script):
    for until in range(4, 12):
        assert script().deal(skip=[4], until=until).run("ropta").rulings == []


def test_a_seat_passed_over_and_served_after_all_is_no_incident(script):
    hand = script().deal(until=5, skip=[4]).card(4).deal(start=6)
    assert hand.run("ropta").rulings == []


def three_cards(script):
    return script().deal(until=4).card(4).deal(start=5)


def test_ropta_misdeal_e_needs_the_players_notice(script):
    hand = three_cards(script)
    result = hand.run("ropta")
    assert result.cites == [("play_on", "ROPTA misdeal e")]
    assert result.next.text == "count_your_cards"
    result = hand.claim("wrong_card_count", seat=4).run("ropta")
    assert result.cites[-1] == ("misdeal", "ROPTA misdeal e")


@pytest.mark.parametrize(
    ("book", "cite"),
    [
        ("standard", ("misdeal", "ROPTA misdeal e")),
        ("pokernews", ("misdeal", "ROPTA misdeal e")),
        ("tda2024", ("misdeal", "TDA 35-A5")),
        ("ppc2011", ("hand_dead", "PPC 4.7")),
    ],
)
def test_a_wrong_count_sensed_before_substantial_action(script, book, cite):
    assert three_cards(script).run(book).cites == [cite]


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.7"),
        ("tda2024", "TDA 35-D"),
        ("pokernews", "TDA 35-D"),
        ("ropta", "ROPTA SA"),
    ],
)
def test_a_wrong_count_after_substantial_action_kills_the_hand(script, book, article):
    hand = (
        script()
        .deal()
        .act("3 call, 4 raise 300, 5 call")
        .claim("wrong_card_count", seat=6, facts={"count": 3})
    )
    result = hand.run(book)
    assert ("hand_dead", article) in result.cites
    assert result.summary.dead_seats == (6,)
    assert "misdeal" not in result.names


def test_tda_38_the_surplus_card_of_a_dead_hand_is_no_burn(script):
    hand = script().deal().act("3 call, 4 call, 5 call").claim("wrong_card_count", seat=5, facts={"count": 3})
    hand.act("6 call, 1 call, 2 check").burn().board("Td9h8c")
    result = hand.run("tda2024")
    assert result.summary.phase == "flop"
    assert result.incidents == ["wrong_card_count"]


def test_ropta_dealer_short_may_complete_before_his_turn(script):
    hand = script(dealer_seat=6).deal(until=11).act("3 call")
    result = hand.run("ropta")
    assert result.cites == [("play_on", "ROPTA dealer short")]
    assert (result.next.order, result.next.to) == ("deal", "seat6")
    result = hand.card(6).act("4 fold, 5 fold, 6 call").run("ropta")
    assert result.summary.dead_seats == ()
    assert len(result.rulings) == 1


def test_ropta_dealer_short_playing_on_with_one_card_is_dead(script):
    result = script(dealer_seat=6).deal(until=11).act("3 call, 4 fold, 5 fold, 6 call").run("ropta")
    assert result.cites[-1] == ("hand_dead", "ROPTA dealer short")
    assert result.summary.dead_seats == (6,)


def test_tda_37_the_button_is_completed_even_after_substantial_action(script):
    hand = script().deal(until=11).act("3 call, 4 call, 5 call").card(6).act("6 call")
    result = hand.run("tda2024")
    assert result.cites == [("play_on", "TDA 37")]
    assert result.summary.dead_seats == ()


def test_tda_37_the_button_that_plays_on_short_is_dead(script):
    result = script().deal(until=11).act("3 call, 4 call, 5 call, 6 call").run("tda2024")
    assert result.cites[-1] == ("hand_dead", "TDA 37")


# Extra cards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["pokernews", "ppc2011", "standard"])
def test_pn_errors_7_an_extra_card_goes_back_and_is_the_flops_burn(script, book):
    hand = script().deal().card(1)
    result = hand.run(book)
    assert result.cites == [("card_returned", "PN errors 7"), ("burn_assigned", "PN errors 7")]
    assert (result.next.order, result.next.from_, result.next.to) == ("move", "seat1", "deck")
    hand.move("seat1", "deck").limp().burn().board("Td9h8c")
    result = hand.run(book)
    assert len(result.rulings) == 2
    assert result.summary.phase == "flop"
    assert len(result.state.seats[1].cards) == 2


def test_pn_errors_7_several_extra_cards_are_a_misdeal(script):
    for seat in (1, 2):
        result = script().deal().card(1).card(seat).run("pokernews")
        assert result.names == ["card_returned", "burn_assigned", "misdeal"]
        assert result.cites[-1] == ("misdeal", "PN errors 7")
        assert result.summary.phase == "void"


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA misdeal e"), ("tda2024", "TDA 35-A5")])
def test_an_extra_card_is_a_misdeal_before_substantial_action(script, book, article):
    assert script().deal().card(1).run(book).cites == [("misdeal", article)]


# Boxed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["ropta", "standard", "pokernews", "ppc2011"])
def test_ropta_boxed_one_card_is_shown_and_set_aside(script, book):
    hand = script().deal(until=4).add("card_exposed", card="3c", at="deck", by="deck")
    result = hand.run(book)
    assert result.cites == [("card_set_aside", "ROPTA boxed")]
    assert (result.next.order, result.next.to) == ("move", "aside")
    result = hand.move("deck", "aside", "3c", "up").deal(start=5).run(book)
    assert len(result.rulings) == 1
    assert result.summary.phase == "preflop"


def test_tda2024_is_silent_on_one_boxed_card(script):
    result = script().deal(until=4).add("card_exposed", card="3c", at="deck", by="deck").run("tda2024")
    assert result.cites == [("call_floor", "TDA 1")]
    assert result.rulings[0].suggestions[0].article == "ROPTA boxed"


@pytest.mark.parametrize(
    ("book", "article"), [("ropta", "ROPTA boxed"), ("tda2024", "TDA 35-A1"), ("pokernews", "ROPTA boxed")]
)
def test_two_boxed_cards_in_the_deal_are_a_misdeal(script, book, article):
    hand = (
        script()
        .deal(until=4)
        .add("card_exposed", card="3c", at="deck", by="deck")
        .move("deck", "aside", "3c", "up")
    )
    hand.deal(start=5, until=7).add("card_exposed", card="9c", at="deck", by="deck")
    assert hand.run(book).cites[-1] == ("misdeal", article)


def test_ropta_replay_two_boxed_cards_later_void_the_hand_while_betting_is_possible(script):
    hand = script().to_flop()
    for card in ("3c", "4c"):
        hand.add("card_exposed", card=card, at="deck", by="deck")
    result = hand.run("ropta")
    assert result.cites[-1] == ("hand_void", "ROPTA replay")
    assert set(result.summary.stacks.values()) == {10000}


def test_tda2024_is_silent_on_boxed_cards_after_the_deal(script):
    hand = script().to_flop()
    for card in ("3c", "4c"):
        hand.add("card_exposed", card=card, at="deck", by="deck")
    assert hand.run("tda2024").names == ["call_floor", "call_floor"]
