"""The same rules at odd tables: two players, ten, absent and all-in ones, who deals himself, what is recorded."""

from __future__ import annotations

import pytest

from tests.engine.obedience import RESHUFFLED, TAKEN_BACK, obey

FLOP = "Td9h8c"
FOUR = ("ppc2011", "pokernews", "ropta", "tda2024")
FIVE = (*FOUR, "standard")
PREMATURE = {
    "ppc2011": "PPC 4.8",
    "pokernews": "PN errors 5",
    "ropta": "ROPTA premature flop",
    "tda2024": "TDA RP-5",
}
LIMIT = {"ppc2011": "PPC 4.6", "ropta": "ROPTA SA", "tda2024": "TDA 35-D", "pokernews": "ROPTA SA"}

# Two players ------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", FIVE)
def test_heads_up_the_cards_begin_with_the_big_blind_and_end_with_the_button(script, book):
    hand = script(2, 2)
    order = []
    for seat in (1, 2, 1, 2):
        order.append(hand.run(book).next.to)
        hand.card(seat)
    assert order == ["seat1", "seat2", "seat1", "seat2"]
    result = hand.run(book)
    assert result.summary.to_act == 2
    assert result.state.big_blind_seat == 1


@pytest.mark.parametrize(
    ("book", "misdeals"), [("ppc2011", set()), ("pokernews", {1}), ("ropta", {1, 2}), ("tda2024", {1, 2})]
)
def test_heads_up_each_of_the_four_cards_exposed(script, book, misdeals):
    for place in (1, 2, 3, 4):
        hand = script(2, 2).deal(up={place: "3c"})
        owner = 1 if place % 2 else 2
        if place in misdeals:
            assert hand.run(book).summary.phase == "void"
        else:
            assert obey(hand, book)[:1] == [f"deal seat{owner}"]
            assert hand.run(book).summary.phase == "preflop"


@pytest.mark.parametrize(
    ("book", "name"),
    [("ppc2011", "hand_dead"), ("pokernews", "misdeal"), ("ropta", "play_on"), ("tda2024", "play_on")],
)
def test_heads_up_the_button_lacks_his_second_card(script, book, name):
    hand = script(2, 2).deal(until=3).act("2 call")
    assert hand.run(book).names[0] == name


def test_heads_up_under_tda_he_says_so_before_acting_and_gets_it(script):
    # His opponent has nothing to do before he acts: only a claim can come first.
    hand = script(2, 2).deal(until=3).claim("wrong_card_count", seat=2)
    result = hand.run("tda2024")
    assert result.cites == [("play_on", "TDA 37")]
    assert obey(hand, "tda2024") == ["deal seat2"]
    result = hand.act("2 call, 1 check").burn().board(FLOP).run("tda2024")
    assert result.summary.phase == "flop"
    assert result.summary.dead_seats == ()
    assert len(result.rulings) == 1


@pytest.mark.parametrize("book", FOUR)
def test_heads_up_a_flop_before_the_big_blind_has_spoken(script, book):
    hand = script(2, 2).deal().act("2 call").burn().board(FLOP)
    assert obey(hand, book) == TAKEN_BACK
    hand.act("1 raise 400, 2 call")
    assert obey(hand, book) == [*RESHUFFLED, "board 3"]
    result = hand.run(book)
    assert result.summary.pot == 800
    assert result.summary.to_act == 1


# Ten seats --------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", FOUR)
def test_at_a_full_table_the_replacement_waits_for_the_twentieth_card(script, book):
    hand = script(10, 3).deal(up={13: "3c"}, until=19)
    assert hand.run(book).next.to == "seat3"
    hand.deal(start=20)
    done = obey(hand, book)
    assert done[0] == "deal seat6"
    result = hand.run(book)
    assert result.summary.phase == "preflop"
    assert all(len(seat.cards) == 2 for seat in result.state.seats.values())
    hand.limp()
    obey(hand, book)
    assert hand.run(book).summary.phase == "flop"
    assert len(hand.run(book).rulings) == 2


@pytest.mark.parametrize(
    ("book", "name"),
    [("ppc2011", "hand_dead"), ("pokernews", "misdeal"), ("ropta", "misdeal"), ("tda2024", "play_on")],
)
def test_at_a_full_table_the_button_is_passed_over_in_the_first_round(script, book, name):
    """TDA 35-B and 37: he is short of one card and is completed; the others call it a seat left out."""
    hand = script(10, 10).deal(skip=[10])
    result = hand.run(book)
    assert result.names == [name]
    if name == "play_on":
        assert obey(hand, book) == ["deal seat10"]
        assert len(hand.run(book).state.seats[10].cards) == 2


@pytest.mark.parametrize("book", FIVE)
def test_at_a_full_table_nine_all_ins_and_a_flop_without_a_burn(script, book):
    hand = script(10, 10, stacks={n: 1000 * n for n in range(1, 11)}).deal()
    hand.act(", ".join(f"{n} all_in" for n in range(3, 11))).act("1 all_in, 2 all_in").board(FLOP)
    result = hand.run(book)
    assert result.rulings[-1].incident == "no_burn"
    assert result.names[-1] == "burn_assigned"
    assert sum(pot.amount for pot in result.summary.pots) + sum(
        stack or 0 for stack in result.summary.stacks.values()
    ) == sum(1000 * n for n in range(1, 11))


# Absent and all-in players ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "dead"), [("ppc2011", "PPC 4.2"), ("ropta", "ROPTA absent"), ("pokernews", "ROPTA absent")]
)
def test_a_card_exposed_at_an_absent_seat_is_replaced_and_the_hand_is_dead_all_the_same(script, book, dead):
    hand = script(absent=[4]).deal(up={10: "3c"})
    result = hand.run(book)
    assert result.cites[0] == ("hand_dead", dead)
    assert result.names[1] == "card_replaced"
    done = obey(hand, book)
    assert done[0] == "deal seat4"
    assert done[-1] == "muck 4"
    result = hand.run(book)
    assert result.summary.dead_seats == (4,)
    assert result.summary.to_act == 3


def test_under_tda_30_the_last_card_decides_and_a_replacement_is_part_of_the_deal(script):
    hand = script(absent=[4]).deal(up={10: "3c"})
    assert "hand_dead" not in hand.run("tda2024").names
    back = hand.add("presence", seat=4, present=True).card(4).run("tda2024")
    assert back.summary.dead_seats == ()


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "pokernews", "standard"])
def test_the_stub_is_shown_when_all_are_all_in(script, book):
    hand = script(3, 3).deal().act("3 all_in, 1 all_in, 2 call").burn().board(FLOP)
    for card in ("2c", "3c"):
        hand.add("card_exposed", card=card, at="deck", by="dealer")
    result = hand.run(book)
    assert result.cites == [("stub_rebuilt", "ROPTA stub shown")]
    assert obey(hand, book) == RESHUFFLED
    hand.burn().board("Kc").burn().board("Kd")
    result = hand.run(book)
    assert result.summary.phase == "showdown"
    assert len(result.rulings) == 1


@pytest.mark.parametrize(
    ("book", "cite"),
    [
        ("ropta", ("pot_split", "ROPTA board")),
        ("pokernews", ("pot_split", "ROPTA board")),
        ("tda2024", ("call_floor", "TDA 1")),
    ],
)
def test_the_board_is_swept_away_when_all_are_all_in(script, book, cite):
    hand = script(3, 3).deal().act("3 all_in, 1 all_in, 2 fold").burn().board(FLOP)
    result = hand.add("board_disturbed", readable=False).run(book)
    assert result.cites == [cite]
    if cite[0] == "pot_split":
        pushed = {order.seat: order.amount for order in result.expected[-1] if order.order == "push_pot"}
        assert pushed == {1: 10050, 3: 10050}


@pytest.mark.parametrize(
    ("book", "name"), [("ropta", "play_on"), ("ppc2011", "play_on"), ("tda2024", "penalty_reported")]
)
def test_an_all_in_player_may_leave_his_seat(script, book, name):
    hand = script().deal().act("3 all_in, 4 call").add("presence", seat=3, present=False)
    result = hand.run(book)
    assert result.names == [name]
    assert result.summary.dead_seats == ()


# Tables that deal themselves --------------------------------------------------------------------


@pytest.mark.parametrize(("dealer", "right"), [(6, 5), (4, 3), (1, 6)])
@pytest.mark.parametrize("book", ["ropta", "ppc2011"])
def test_the_player_at_the_right_of_who_deals_cuts(script, book, dealer, right):
    hand = script(dealer_seat=dealer).to_flop().act("1 all_in, 2 call, 3 fold, 4 fold, 5 fold, 6 fold")
    for card in ("2c", "3c"):
        hand.add("card_exposed", card=card, at="deck", by="dealer")
    cuts = [order.by_seat for order in hand.run(book).rulings[0].orders if order.order == "cut"]
    assert cuts == [right]


@pytest.mark.parametrize(
    ("book", "cite"),
    [
        ("ropta", ("play_on", "ROPTA dealer short")),
        ("pokernews", ("play_on", "ROPTA dealer short")),
        ("ppc2011", ("hand_dead", "PPC 4.7")),
        ("tda2024", ("play_on", "TDA 37")),
    ],
)
def test_who_deals_forgets_his_own_second_card(script, book, cite):
    hand = script(dealer_seat=6).deal(until=11).act("3 call")
    assert hand.run(book).cites == [cite]
    if cite[0] == "play_on":
        assert obey(hand, book) == ["deal seat6"]
        result = hand.act("4 fold, 5 fold, 6 call").run(book)
        assert result.summary.dead_seats == ()


def test_somebody_elses_second_card_is_not_his(script):
    hand = script(dealer_seat=3).deal(until=11).act("3 call")
    assert hand.run("ropta").incidents == ["wrong_card_count"]
    assert hand.run("tda2024").cites == [("play_on", "TDA 37")]


@pytest.mark.parametrize("book", FOUR)
def test_who_deals_may_not_shuffle_and_cut(script, book):
    hand = script(dealer_seat=6)
    hand.events[:0] = [{"event": "deck_shuffled", "by_seat": 6}, {"event": "deck_cut", "by_seat": 6}]
    result = hand.deal().run(book)
    assert result.cites == [("penalty_reported", "ROPTA shuffle/cut")]
    assert result.summary.phase == "preflop"


# What is recorded of the betting makes no difference to the cards -------------------------------

LEVELS = ("amounts", "words", "rounds")


def at_level(script, level):
    stack = 10000 if level == "amounts" else None
    return script(betting=level, stacks=dict.fromkeys(range(1, 7), stack))


def around(hand, level, *, but=None):
    """The betting before the flop as each level tells it."""
    if level != "rounds":
        return hand.limp(but=but)
    return hand if but else hand.add("round_closed")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("book", FOUR)
def test_errors_of_the_deal_are_ruled_at_every_level(script, book, level):
    expected = {
        "ppc2011": ["card_replaced", "burn_skipped"],
        "pokernews": ["misdeal"],
        "ropta": ["misdeal"],
        "tda2024": ["misdeal"],
    }
    assert at_level(script, level).deal(up={1: "3c"}).run(book).names[: len(expected[book])] == expected[book]
    hand = at_level(script, level).deal(up={5: "3c"})
    assert obey(hand, book)[0] == "deal seat5"
    skipped = at_level(script, level).deal(skip=[4]).run(book)
    assert skipped.names == (["hand_dead"] if book == "ppc2011" else ["misdeal"])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("book", FOUR)
def test_errors_of_burns_are_ruled_at_every_level(script, book, level):
    without = around(at_level(script, level).deal(), level).board(FLOP)
    assert without.run(book).cites == [
        ("burn_assigned", "TDA 39-B" if book == "tda2024" else "ROPTA no-burn")
    ]
    double = around(at_level(script, level).deal(), level).burn().burn()
    assert double.run(book).names == (["call_floor"] if book == "tda2024" else ["burn_assigned"])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("book", FOUR)
def test_errors_of_the_board_are_ruled_at_every_level(script, book, level):
    early = around(at_level(script, level).deal(), level, but=2).burn().board(FLOP)
    assert early.run(book).cites == [("street_redealt", PREMATURE[book])]
    assert obey(early, book) == TAKEN_BACK
    around(early, level) if level == "rounds" else early.act("2 check")
    assert obey(early, book) == [*RESHUFFLED, "board 3"]
    four = around(at_level(script, level).deal(), level).burn().board(FLOP + "2c")
    assert four.run(book).incidents == ["flop_too_many_cards"]
    fouled = around(at_level(script, level).deal(), level).burn().board(FLOP)
    fouled.add("duplicate_card", at="board", card="Td")
    assert fouled.run(book).names == ["hand_void"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("book", FOUR)
def test_the_limit_of_misdeals_is_known_at_every_level(script, book, level):
    hand = around(at_level(script, level).deal(), level).burn().board(FLOP)
    result = hand.claim("several_cards_exposed_in_deal").run(book)
    assert result.cites == [("play_on", LIMIT[book])]
