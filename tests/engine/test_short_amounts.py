"""Amounts spoken in short, read by the size of the pot (ROPTA amount, TDA 57)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.betting import amounts

BLINDS = {"small_blind": 200, "big_blind": 400, "smallest_chip": 100}
ROPTA_LIKE = ("ropta", "standard", "ppc2011", "pokernews", "stars")


def table(script, seats=6, **more):
    return script(seats, **{**BLINDS, "stacks": dict.fromkeys(range(1, seats + 1), 100000), **more})


def pot(script, size, **more):
    """A flop with three players and this pot; seat 1 is first to act."""
    hand = table(script, 3, **more).deal().act(f"3 raise {size // 3}, 1 call, 2 call")
    return hand.burn().board("Td9h8c")


def spoken(hand, seat, amount, said=None, **more):
    return hand.add("acted", seat=seat, amount=amount, **({"said": said} if said else {}), **more)


CASES = [("tda2024", "TDA 57"), *((book, "ROPTA amount") for book in ROPTA_LIKE)]


@pytest.mark.parametrize("said", [None, "bet"])
@pytest.mark.parametrize(("book", "article"), CASES)
def test_tda_57_ropta_amount_five_is_500_in_a_pot_under_5000(script, book, article, said):
    hand = spoken(pot(script, 4800), 1, 5, said).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.incidents == ["underbet"]
    assert hand.rulings[0].amounts == {"1": 500}
    assert hand.summary.bets == {"1": 500}
    assert hand.summary.to_act == 2


@pytest.mark.parametrize(("book", "article"), CASES)
@pytest.mark.parametrize("size", [5001, 6000])
def test_tda_57_ropta_amount_five_is_5000_in_a_pot_of_5000_or_more(script, book, article, size):
    hand = spoken(pot(script, size, smallest_chip=1), 1, 5, "bet").run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.summary.bets == {"1": 5000}


def test_tda_57_a_pot_of_exactly_the_amount_is_enough(script):
    hand = table(script, 4).deal().act("3 raise 1500, 4 call, 1 call, 2 fold").burn().board("Td9h8c")
    assert hand.run("tda2024").summary.pot == 4900
    hand = table(script, 2).deal().act("2 raise 2500, 1 call").burn().board("Td9h8c")
    assert hand.run("tda2024").summary.pot == 5000
    assert spoken(hand, 1, 5, "bet").run("tda2024").summary.bets == {"1": 5000}


def test_tda_57_no_reading_within_the_pot_is_the_least(script):
    hand = spoken(table(script).deal(), 3, 9, "raise").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 57")]
    assert hand.summary.bets["3"] == 900


@pytest.mark.parametrize(("book", "article"), CASES)
def test_ropta_amount_a_raise_in_short(script, book, article):
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 25, "raise").run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.incidents == ["underraise"]
    assert hand.summary.bets["2"] == 2500


@pytest.mark.parametrize(("book", "article"), CASES)
def test_ropta_amount_a_bare_amount_facing_a_bet(script, book, article):
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 25).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.incidents == ["underraise"]
    assert hand.summary.bets["2"] == 2500


def test_tda_57_a_bare_amount_that_reads_as_the_call_is_a_call(script):
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 8).run("tda2024")
    assert hand.summary.bets["2"] == 800
    # As a raise it can only be more.
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 8, "raise").run("tda2024")
    assert hand.summary.bets["2"] == 8000


@pytest.mark.parametrize(("book", "article"), CASES)
def test_ropta_amount_of_the_blinds_with_chips_in_front(script, book, article):
    small = spoken(table(script, 3).deal().act("3 call"), 1, 12).run(book)
    assert small.cites == [("amount_corrected", article)]
    assert small.summary.bets["1"] == 1200
    big = spoken(table(script, 3).deal().act("3 call, 1 call"), 2, 12).run(book)
    assert big.cites == [("amount_corrected", article)]
    assert big.summary.bets["2"] == 1200


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_ropta_amount_mille_cinq_is_1500(script, book):
    hand = spoken(pot(script, 3000).act("1 bet 750"), 2, 1005, "raise").run(book)
    assert hand.rulings[0].article in ("ROPTA amount", "TDA 57")
    assert hand.summary.bets["2"] == 1500


def test_ltpq_an_amount_in_short_is_for_the_director(script):
    hand = spoken(pot(script, 4800), 1, 5, "bet").run("ltpq")
    assert hand.cites == [("call_floor", "LTPQ doubt")]
    assert hand.summary.bets == {}


# What is not spoken in short ----------------------------------------------------------------


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA underbet"), ("tda2024", "TDA 52-A")])
@pytest.mark.parametrize("amount", [100, 200, 300])
def test_a_small_bet_of_chips_in_play_is_an_underbet(script, book, article, amount):
    hand = spoken(pot(script, 4800), 1, amount, "bet").run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.summary.bets == {"1": 400}


def test_a_small_raise_is_an_underraise(script):
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 900, "raise").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 52-A")]


def test_chips_put_forward_are_no_amount_spoken(script):
    hand = pot(script, 4800).add("acted", seat=1, chips=[100, 100]).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 52-A")]


def test_a_call_with_an_amount_in_short_is_a_call(script):
    hand = spoken(pot(script, 3000).act("1 bet 800"), 2, 8, "call").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 51-A")]
    assert hand.summary.bets["2"] == 800


def test_an_amount_no_reading_of_which_he_has_is_no_short_one(script):
    hand = spoken(pot(script, 2400, stacks={1: 1250, 2: 9000, 3: 9000}), 1, 5, "bet").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 52-A")]
    assert hand.summary.bets == {"1": 400}


def test_a_player_whose_betting_is_closed_does_not_raise_in_short(script):
    hand = table(script, 3, stacks={1: 100_000, 2: 1500, 3: 100_000}).deal()
    hand.act("3 raise 1200, 1 call, 2 all_in")
    closed = spoken(hand, 3, 5, "raise").run("ropta")
    assert "ROPTA amount" not in [article for _, article in closed.cites]
    assert closed.summary.bets["3"] <= 1500


# Chips that go with it ----------------------------------------------------------------------


@pytest.mark.parametrize("book", [*ROPTA_LIKE, "tda2024", "ltpq"])
@pytest.mark.parametrize("chips", [[500], [5000]])
def test_chips_that_go_with_the_word_tell_what_it_means(script, book, chips):
    hand = spoken(pot(script, 4800), 1, 5, "bet", chips=chips, word="with").run(book)
    assert not hand.rulings
    assert hand.summary.bets == {"1": sum(chips)}


@pytest.mark.parametrize("chips", ["declared", "sensed"])
def test_chips_that_follow_the_ruling_are_measured_by_it(script, chips):
    hand = spoken(pot(script, 4800, chips=chips), 1, 5, "bet")
    right = hand.add("acted", seat=1, chips=[500]).run("tda2024")
    assert right.cites == [("amount_corrected", "TDA 57")]
    assert right.summary.bets == {"1": 500}
    assert "1" not in right.summary.owed
    more = spoken(pot(script, 4800, chips=chips), 1, 5, "bet").add("acted", seat=1, chips=[5000])
    more = more.run("tda2024")
    assert more.cites == [("amount_corrected", "TDA 57"), ("amount_corrected", "TDA 40")]
    assert more.summary.bets == {"1": 500}


@pytest.mark.parametrize("again", [5, 500, None])
def test_saying_it_again_in_short_or_in_full_is_no_second_motion(script, again):
    hand = spoken(pot(script, 4800), 1, 5, "bet")
    hand.add("acted", seat=1, said="bet", **({"amount": again} if again else {}))
    assert hand.run("tda2024").cites == [("amount_corrected", "TDA 57")]


def test_a_claim_tells_no_amount_and_is_for_the_floor(script):
    hand = pot(script, 4800).act("1 bet 500").claim("underbet", seat=1, facts={"abbreviated": True})
    result = hand.run("tda2024")
    assert [name for name, _ in result.cites] == ["call_floor"]
    assert result.summary.bets == {"1": 500}


@pytest.mark.parametrize(
    ("said", "first", "same"),
    [(5, 500, True), (None, 500, True), (500, 500, True), (500, 5, False), (6, 500, False), (0, 500, False)],
)
def test_the_same_amount_said_again(said, first, same):
    assert amounts.same(said, first) is same


def test_the_same_amount_where_none_was_said():
    assert not amounts.same(5, None)


# The fixture is a class: nothing of it is kept between examples.
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    book=st.sampled_from((*ROPTA_LIKE, "tda2024")),
    size=st.integers(1000, 60_000),
    amount=st.integers(1, 1200),
    bet=st.sampled_from([0, 400, 900, 2500]),
    said=st.sampled_from([None, "bet", "raise"]),
    chip=st.sampled_from([1, 25, 100]),
)
def test_whatever_is_spoken_what_counts_is_legal_and_no_less_than_was_said(
    script, book, size, amount, bet, said, chip
):
    hand = pot(script, max(size, 2400), smallest_chip=chip)
    seat = 1
    if bet:
        hand.act(f"1 bet {bet}")
        seat = 2
    order = hand.run(book).next
    call = order.call or 0
    result = spoken(hand, seat, amount, said).run(book)
    counts = result.summary.bets.get(str(seat), 0)
    short = [r for r in result.rulings if r.article in ("ROPTA amount", "TDA 57")]
    if short:
        assert counts == call or order.min <= counts <= order.max
        assert counts > amount
        assert counts % chip == 0
        assert amount < 400 or amount > 1000
        assert short[0].amounts == {str(seat): counts}
    if order.min <= amount <= order.max or (said is None and amount == call):
        assert not result.rulings
        assert counts == amount
