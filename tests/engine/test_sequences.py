"""Errors that come together: two in one hand, one while another is put right, at the edge of a limit.

``obey`` does what ``expects`` asks for, act by act, until a player or the floor must speak; what it did is
the cure as a dealer would live it.
"""

from __future__ import annotations

import pytest

from tests.engine.obedience import RESHUFFLED, TAKEN_BACK, flop_back, obey

FLOP = "Td9h8c"
FOUR = ("ppc2011", "pokernews", "ropta", "tda2024")
FIVE = (*FOUR, "standard")
# Two errors in one hand -------------------------------------------------------------------------

PREMATURE = {
    "ppc2011": "PPC 4.8",
    "pokernews": "PN errors 5",
    "ropta": "ROPTA premature flop",
    "tda2024": "TDA RP-5",
}
EXPOSED = {
    "ppc2011": "PPC 4.3",
    "pokernews": "PN errors 2",
    "ropta": "ROPTA exposed",
    "tda2024": "PN errors 2",
}
# Where the exposed card goes, and what lies on the burns before the flop.
ASIDE = {"ppc2011": "aside", "pokernews": "deck", "ropta": "burn", "tda2024": "deck"}


def exposed_then(script, book, *, but=None):
    """A card exposed and put right, the betting before the flop, and the flop's burn if the book wants one."""
    hand = script().deal(up={5: "3c"})
    assert obey(hand, book) == ["deal seat5", f"3c seat5 to {ASIDE[book]}"]
    hand.limp(but=but)
    state = hand.run(book).state
    return hand.burn() if state.burned < state.burn_due else hand


@pytest.mark.parametrize("book", FOUR)
def test_an_exposed_card_and_a_premature_flop(script, book):
    hand = exposed_then(script, book, but=2).board(FLOP)
    assert obey(hand, book) == TAKEN_BACK
    hand.act("2 check")
    assert obey(hand, book) == [*RESHUFFLED, "board 3"]
    result = hand.run(book)
    assert [(ruling.incident, ruling.article) for ruling in result.rulings] == [
        ("card_exposed_in_deal", EXPOSED[book]),
        ("card_exposed_in_deal", EXPOSED[book]),
        ("premature_flop", PREMATURE[book]),
    ]
    assert result.summary.phase == "flop"
    # Only the exposed card was ever burned: the flop comes again without a burn.
    assert result.summary.burns == (() if book == "ppc2011" else ("3c",))


@pytest.mark.parametrize("book", ["ppc2011", "pokernews"])
def test_an_exposed_card_and_a_flop_of_four_that_is_redealt(script, book):
    hand = exposed_then(script, book).board(FLOP + "2c")
    assert obey(hand, book) == [*flop_back("Td", "9h", "8c", "2c"), *RESHUFFLED, "board 3"]
    result = hand.run(book)
    assert result.rulings[-1].article == "PN errors 4"
    assert result.summary.burns == (() if book == "ppc2011" else ("3c",))
    hand.checked()
    assert obey(hand, book) == ["burn", "board 1"]


def test_an_exposed_card_and_a_flop_of_four_under_ropta(script):
    hand = exposed_then(script, "ropta").board(FLOP + "2c")
    assert obey(hand, "ropta") == ["2c board to burn"]
    hand.checked()
    assert obey(hand, "ropta") == ["board 1"]
    assert hand.run("ropta").summary.burns == ("3c", "2c")


def test_an_exposed_card_and_a_flop_of_four_under_tda(script):
    hand = exposed_then(script, "tda2024").board(FLOP + "2c")
    assert obey(hand, "tda2024") == []
    hand.add("floor_decided", choice="burn_assigned", cards=["9h"], by="floor")
    assert obey(hand, "tda2024") == ["9h board to burn"]
    hand.checked()
    assert obey(hand, "tda2024") == ["board 1"]
    result = hand.run("tda2024")
    assert result.summary.burns == ("3c", "9h")
    assert result.summary.phase == "turn"


@pytest.mark.parametrize("book", FOUR)
def test_a_premature_flop_and_then_a_premature_turn(script, book):
    hand = script().deal().limp(but=2).burn().board(FLOP)
    assert obey(hand, book) == TAKEN_BACK
    hand.act("2 check")
    assert obey(hand, book) == [*RESHUFFLED, "board 3"]
    hand.checked(but=6).burn().board("Kc")
    held = book == "pokernews"
    assert obey(hand, book) == [f"Kc board to {'aside' if held else 'deck'}"]
    hand.act("6 check")
    assert obey(hand, book) == (["burn", "board 1"] if held else [*RESHUFFLED, "board 1"])
    result = hand.run(book)
    assert result.incidents == ["premature_flop", "premature_turn"]
    assert result.summary.held_out == (("Kc",) if held else ())
    hand.checked()
    assert obey(hand, book) == (["Kc aside to deck", *RESHUFFLED, "board 1"] if held else ["burn", "board 1"])
    result = hand.run(book)
    assert result.summary.phase == "river"
    assert len(result.summary.burns) == 3
    assert len(set(result.summary.board)) == 5


@pytest.mark.parametrize("book", FOUR)
def test_a_premature_turn_and_then_a_premature_river(script, book):
    hand = script().to_flop().checked(but=6).burn().board("2c")
    held = book == "pokernews"
    assert obey(hand, book) == [f"2c board to {'aside' if held else 'deck'}"]
    hand.act("6 check")
    assert obey(hand, book) == (["burn", "board 1"] if held else [*RESHUFFLED, "board 1"])
    hand.checked(but=6)
    if not held:
        hand.burn()
    hand.board("Kc")
    assert obey(hand, book) == ["Kc board to deck"]
    hand.act("6 check")
    # Under PokerNews the card held out goes into the stub as well, once.
    assert obey(hand, book) == [*(["2c aside to deck"] if held else []), *RESHUFFLED, "board 1"]
    result = hand.run(book)
    assert result.incidents == ["premature_turn", "premature_river"]
    assert result.summary.phase == "river"
    assert result.summary.held_out == ()
    assert len(result.summary.burns) == 3


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "pokernews"])
def test_two_burns_before_the_flop_and_a_premature_river(script, book):
    hand = script().deal().limp().burn().burn()
    assert obey(hand, book) == ["card burn to board", "board 2"]
    hand.checked().burn().board("2s").checked(but=6).burn().board("Kc")
    assert obey(hand, book) == ["Kc board to deck"]
    hand.act("6 check")
    assert obey(hand, book) == [*RESHUFFLED, "board 1"]
    result = hand.run(book)
    assert result.incidents == ["double_burn", "premature_river"]
    assert len(result.summary.burns) == 3


@pytest.mark.parametrize("book", FIVE)
def test_an_exposed_card_and_a_boxed_card_in_one_deal_are_two_single_errors(script, book):
    hand = script().deal(up={5: "3c"}, until=7).add("card_exposed", card="9c", at="deck", by="deck")
    hand.move("deck", "aside", "9c", "up").deal(start=8)
    result = hand.run(book)
    assert "misdeal" not in result.names
    assert result.incidents == ["card_exposed_in_deal", "boxed_card"]
    assert result.names[-1] == ("call_floor" if book == "tda2024" else "card_set_aside")


@pytest.mark.parametrize("book", ["ropta", "tda2024", "standard"])
def test_a_card_flashed_to_some_does_not_add_up_with_an_exposed_one(script, book):
    hand = script().deal(until=5).add("card_exposed", card="3c", at="seat5", by="dealer", seen_by="some")
    result = hand.deal(start=6, up={8: "9c"}).run(book)
    assert result.names == ["play_on", "card_replaced", "burn_assigned"]


@pytest.mark.parametrize(("book", "article"), [("ppc2011", "PPC 4.5"), ("pokernews", "PN errors 3")])
def test_where_a_flashed_card_counts_as_turned_it_adds_up(script, book, article):
    hand = script().deal(until=5).add("card_exposed", card="3c", at="seat5", by="dealer", seen_by="some")
    assert hand.deal(start=6, up={8: "9c"}, until=8).run(book).cites[-1] == ("misdeal", article)


@pytest.mark.parametrize(
    ("book", "last"),
    [
        ("ppc2011", ("misdeal", "PPC 4.5")),
        ("ropta", ("misdeal", "ROPTA misdeal b")),
        ("pokernews", ("card_kept", "RRoP 119")),
        ("tda2024", ("card_kept", "RRoP 119")),
    ],
)
def test_one_card_turned_by_the_dealer_and_one_by_a_player(script, book, last):
    hand = script().deal(up={5: "3c"}, until=8).add("card_exposed", card="9c", at="seat2", by="player")
    assert hand.run(book).cites[-1] == last


@pytest.mark.parametrize("book", FOUR)
def test_a_misdeal_a_redeal_and_the_next_error_is_judged_afresh(script, book):
    hand = script(dealer="D7").deal(up={5: "3c", 8: "9h"}, until=8).add("deck_shuffled").add("deck_cut")
    hand.events.append(hand.start)
    hand.deal(up={6: "Kd"})
    result = hand.run(book)
    assert result.names.count("misdeal") == 1
    assert result.names[-2] == "card_replaced"
    assert result.summary.misdeals == 1
    assert obey(hand, book)[0] == "deal seat6"


# An error while another is put right ------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 4.5"),
        ("pokernews", "PN errors 3"),
        ("ropta", "ROPTA misdeal b"),
        ("tda2024", "TDA 35-A7"),
    ],
)
def test_the_replacement_is_exposed_as_well(script, book, article):
    result = script().deal(up={5: "3c"}).card(5, "4c").run(book)
    assert result.names[:1] == ["card_replaced"]
    assert result.cites[-1] == ("misdeal", article)
    assert result.summary.phase == "void"


@pytest.mark.parametrize("book", FIVE)
def test_the_stub_falls_while_a_premature_flop_is_shuffled_in(script, book):
    hand = script().deal().limp(but=2).burn().board(FLOP)
    assert obey(hand, book) == TAKEN_BACK
    hand.act("2 check").add("stub_dropped", order_known=False, mixed_with=[])
    result = hand.run(book)
    assert result.rulings[-1].ruling == "stub_rebuilt"
    done = obey(hand, book)
    assert done[:2] == RESHUFFLED
    assert done[-1] == "board 3"
    result = hand.run(book)
    assert result.summary.phase == "flop"
    assert len(result.summary.burns) == 1


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "pokernews"])
def test_two_cards_where_one_completes_a_flop_without_a_burn(script, book):
    hand = script().deal().limp().board(FLOP).move("board", "burn", "Td").board("2c3c")
    result = hand.run(book)
    assert result.incidents == ["no_burn", "flop_too_many_cards"]
    if book == "ropta":
        assert obey(hand, book) == ["3c board to burn"]
        assert hand.run(book).summary.board == ("9h", "8c", "2c")
    else:
        assert obey(hand, book) == [*flop_back("9h", "8c", "2c", "3c"), *RESHUFFLED, "board 3"]
    result = hand.run(book)
    assert result.summary.phase == "flop"
    assert result.summary.burns[0] == "Td"


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "pokernews"])
def test_three_cards_where_two_complete_a_flop_begun_with_the_second_burn(script, book):
    hand = script().deal().limp().burn().burn().move("burn", "board", "Td", "up").board("9h8c2c")
    result = hand.run(book)
    assert result.incidents == ["double_burn", "flop_too_many_cards"]
    done = obey(hand, book)
    assert done == (
        ["2c board to burn"]
        if book == "ropta"
        else [*flop_back("Td", "9h", "8c", "2c"), *RESHUFFLED, "board 3"]
    )
    assert hand.run(book).summary.phase == "flop"


def test_while_the_floor_is_called_what_the_book_decides_is_still_ruled(script):
    hand = (
        script()
        .deal(until=4)
        .add("card_exposed", card="3c", at="deck", by="deck")
        .deal(start=5, up={8: "9c"})
    )
    result = hand.run("tda2024")
    assert result.names == ["call_floor", "card_replaced", "burn_assigned"]
    assert [order.order for order in result.expected[-1]] == ["wait"]
    hand.add("floor_decided", choice="card_set_aside", by="floor")
    assert obey(hand, "tda2024") == ["3c seat5 to aside", "deal seat2", "9c seat2 to deck"]
    assert hand.run("tda2024").summary.phase == "preflop"


@pytest.mark.parametrize("book", FIVE)
def test_nothing_that_goes_back_after_a_misdeal_is_an_error(script, book):
    hand = script().deal(up={5: "3c", 8: "4c"}, until=8)
    before = len(hand.run(book).rulings)
    hand.add("foreign_card", at="deck", kind="joker").move("seat1", "deck").burn().board("2c").card(9)
    assert len(hand.run(book).rulings) == before


@pytest.mark.parametrize("book", FOUR)
def test_a_dealer_who_takes_another_way_to_the_same_end_is_not_corrected(script, book):
    """He gathers the flop card by card and deals on without waiting for the shuffle to be seen."""
    hand = script().deal().limp(but=2).burn().board(FLOP).act("2 check").board("2c3d4h")
    result = hand.run(book)
    assert result.incidents == ["premature_flop"]
    assert result.summary.board == ("2c", "3d", "4h")
    assert result.summary.phase == "flop"


# The last moment before the limit and the first after it ------------------------------------------

LIMIT = {"ppc2011": "PPC 4.6", "ropta": "ROPTA SA", "tda2024": "TDA 35-D", "pokernews": "ROPTA SA"}
TWO_WITH_CHIPS = ("ropta", "tda2024", "pokernews")


@pytest.mark.parametrize("acts", ["", "3 call", "3 fold, 4 fold"])
@pytest.mark.parametrize("book", TWO_WITH_CHIPS)
def test_before_two_acts_with_chips_or_three_acts_a_misdeal_is_still_one(script, book, acts):
    hand = script().deal()
    hand = (hand.act(acts) if acts else hand).claim("several_cards_exposed_in_deal")
    result = hand.run(book)
    assert result.names == ["misdeal"]
    assert not any(summary for summary in [result.summary.bets, result.summary.pot])


@pytest.mark.parametrize("acts", ["3 call, 4 fold", "3 fold, 4 call", "3 fold, 4 fold, 5 fold"])
@pytest.mark.parametrize("book", TWO_WITH_CHIPS)
def test_after_them_the_hand_goes_on(script, book, acts):
    hand = script().deal().act(acts).claim("several_cards_exposed_in_deal")
    result = hand.run(book)
    assert result.cites == [("play_on", LIMIT[book])]
    assert result.summary.substantial_action
    assert result.summary.phase == "preflop"


@pytest.mark.parametrize("acts", ["3 call, 4 call", "3 raise 300, 4 call", "3 fold, 4 fold"])
def test_under_ppc_two_acts_are_not_the_limit_whatever_they_are(script, acts):
    hand = script().deal().act(acts).claim("several_cards_exposed_in_deal")
    assert hand.run("ppc2011").names == ["misdeal"]


@pytest.mark.parametrize("acts", ["3 call, 4 call, 5 call", "3 fold, 4 fold, 5 fold"])
def test_under_ppc_the_third_act_is(script, acts):
    hand = script().deal().act(acts).claim("several_cards_exposed_in_deal")
    assert hand.run("ppc2011").cites == [("play_on", "PPC 4.6")]


@pytest.mark.parametrize("book", FOUR)
def test_posted_blinds_antes_and_straddles_are_no_action(script, book):
    hand = script(ante={"kind": "classic", "amount": 10}, straddles=[{"seat": 3, "amount": 200}]).deal()
    result = hand.act("4 call").claim("card_to_wrong_seat").run(book)
    assert result.names == ["misdeal"]
    assert set(result.summary.stacks.values()) == {10000}


@pytest.mark.parametrize(
    ("acts", "cite"),
    [
        ("1 check, 2 check", ("burn_assigned", "ROPTA no-burn")),
        ("1 bet 200", ("burn_assigned", "ROPTA no-burn")),
        ("1 check, 2 bet 200", ("play_on", "ROPTA SA")),
        ("1 check, 2 check, 3 check", ("play_on", "ROPTA SA")),
    ],
)
def test_for_an_error_of_the_board_only_acts_since_it_count(script, acts, cite):
    hand = script().to_flop().act(acts).claim("no_burn", facts={"identified": True})
    assert hand.run("ropta").cites == [cite]


@pytest.mark.parametrize(("acts", "name"), [("", "burn_assigned"), ("1 check", "play_on")])
def test_under_tda_39_b_one_act_is_enough(script, acts, name):
    hand = script().to_flop()
    hand = (hand.act(acts) if acts else hand).claim("no_burn", facts={"identified": True})
    assert hand.run("tda2024").cites == [(name, "TDA 39-B")]


@pytest.mark.parametrize(
    ("book", "acts", "name"),
    [
        ("ropta", "4 fold, 5 fold", None),
        ("ropta", "4 call, 5 fold", "action_bound"),
        ("ropta", "4 fold, 5 fold, 6 fold", "action_bound"),
        ("ppc2011", "4 call, 5 call", None),
        ("ppc2011", "4 call, 5 call, 6 call", "hand_dead"),
        ("ppc2011", "4 fold, 5 fold, 6 fold", "hand_dead"),
    ],
)
def test_how_many_may_act_behind_a_player_before_it_costs_him(script, book, acts, name):
    result = script(8, 8).deal().act(acts).run(book)
    told = [ruling.ruling for ruling in result.rulings if ruling.incident == "player_skipped"]
    assert told == ([name] if name else [])
    assert (3 in result.summary.dead_seats) == (name == "hand_dead")


@pytest.mark.parametrize("book", FOUR)
def test_a_wrong_count_on_either_side_of_the_limit(script, book):
    for acts, late in (("3 call", False), ("3 call, 4 call, 5 call", True)):
        hand = script().deal().act(acts).claim("wrong_card_count", seat=6, facts={"count": 3})
        result = hand.run(book)
        dead = late or book == "ppc2011"
        assert ("hand_dead" in result.names) is dead
        assert ("misdeal" in result.names) is not dead
