"""Betting cells and TDA numbers that no other test of the betting covers (rules.md §7, TDA 40–62)."""

from __future__ import annotations

import pytest

from table_controller.rulebook_files import load_book


def flop(script, first="1 bet 325", seats=6, **start):
    return script(seats, **start).to_flop().act(first)


def chips(hand, seat, *values, **more):
    return hand.add("acted", seat=seat, chips=list(values), **more)


# PPC ----------------------------------------------------------------------------------------


def test_ppc_6_5_silent_525_into_325_is_a_call(script):
    hand = chips(flop(script), 2, 500, 25).run("ppc2011")
    assert hand.cites == [("amount_corrected", "PPC 6.5")]
    assert hand.summary.bets["2"] == 325


@pytest.mark.parametrize("book", ["ppc2011", "tda2024"])
def test_ppc_6_6_tda_51_b_all_in_below_the_big_blind_before_the_flop(script, book):
    hand = script(6, stacks={3: 60}).deal().act("3 all_in").run(book)
    assert not hand.rulings
    assert (hand.next.call, hand.next.min) == (100, 200)


def test_ppc_6_9_chips_stay_in_front_until_the_round_is_over(script):
    hand = script(3).deal().act("3 raise 300, 1 call")
    early = hand.add("chips_moved", seat=1, from_="bet1", to="pot", amount=300).run("ppc2011")
    assert early.summary.bets == {"1": 300, "2": 100, "3": 300}
    assert early.summary.pot == 0
    done = script(3).deal().act("3 raise 300, 1 call, 2 call")
    assert done.run("ppc2011").next.order == "gather"
    gathered = done.add("chips_moved", seat=1, from_="bet1", to="pot", amount=300).run("ppc2011")
    assert gathered.summary.pot == 900


# ROPTA --------------------------------------------------------------------------------------


def test_ropta_bets_change_only_for_an_amount_that_was_said(script):
    said = chips(flop(script), 2, 1000, said="raise", amount=800).run("ropta")
    assert [(o.order, o.seat, o.amount) for o in said.rulings[0].orders] == [("return_chips", 2, 200)]
    silent = chips(flop(script), 2, 500, 500).run("ropta")
    assert not silent.rulings
    assert silent.summary.bets["2"] == 1000


# LTPQ ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "act",
    [
        {"said": "call", "conditional": True},
        {"said": "pot"},
        {"said": "check"},
        {"chips": [5000]},
        {"chips": [300, 100]},
        {"chips": [100]},
        {"chips": [100, 100]},
        {"said": "raise", "amount": 400},
        {"said": "raise", "amount": 800, "chips": [1000]},
    ],
    ids=lambda act: "-".join(map(str, act.values())),
)
def test_ltpq_doubt_every_act_that_is_not_clean_is_the_directors(script, act):
    hand = flop(script, "1 bet 325, 6 fold" if act.get("chips") == [100] else "1 bet 325")
    result = hand.add("acted", seat=2, **act).run("ltpq")
    assert result.cites[-1] == ("call_floor", "LTPQ doubt")
    assert result.summary.to_act == 2
    assert "2" not in result.summary.bets


# TDA 40–46 ----------------------------------------------------------------------------------


def test_tda_40_a_bare_amount_is_pushing_that_amount(script):
    clean = flop(script).add("acted", seat=2, amount=800).run("tda2024")
    assert not clean.rulings
    assert clean.summary.bets["2"] == 800
    short = flop(script).add("acted", seat=2, amount=500).run("tda2024")
    assert short.cites == [("amount_corrected", "TDA 43-A")]
    assert short.summary.bets["2"] == 650


def test_tda_40_a_contradictory_words_are_for_the_floor(script):
    hand = flop(script, "1 bet 400").act("2 call 2900").run("tda2024")
    assert hand.cites == [("call_floor", "TDA 40-A")]
    assert hand.summary.to_act == 2


def test_tda_41_a_tiny_chip_against_a_raise_may_be_ruled_a_full_call(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 900"), 3, 25)
    result = hand.run("tda2024")
    assert result.cites == [("call_floor", "TDA 41")]
    ruled = hand.add("floor_decided", choice="amount_corrected", amounts={"3": 900}, by="floor").run(
        "tda2024"
    )
    assert ruled.summary.bets["3"] == 900
    assert ruled.summary.to_act == 4


@pytest.mark.parametrize(("seats", "first"), [(2, "1 bet 325"), (2, "1 check, 2 bet 325"), (6, "1 bet 325")])
def test_tda_51_b_one_smaller_chip_heads_up_or_facing_the_opening_bet_is_a_full_call(script, seats, first):
    caller = 1 if "2 bet" in first else 2
    hand = chips(flop(script, first, seats), caller, 100).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 51-B")]
    assert hand.summary.bets == {"1": 325, "2": 325}


def test_tda_51_b_one_smaller_chip_facing_the_posted_big_blind_is_a_full_call(script):
    hand = chips(script(6).deal(), 3, 25).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 51-B")]
    assert hand.summary.bets["3"] == 100


@pytest.mark.parametrize("mode", ["declared", "sensed"])
def test_tda_42_a_raise_in_one_motion(script, mode):
    hand = chips(flop(script, chips=mode), 2, 500, 500).run("tda2024")
    assert hand.summary.bets["2"] == 1000
    two = chips(chips(flop(script, chips=mode), 2, 325), 2, 500).run("tda2024")
    assert two.cites == [("amount_corrected", "TDA 56")]
    assert two.summary.bets["2"] == 325


@pytest.mark.parametrize("book", ["tda2024", "ropta", "ppc2011", "ltpq"])
def test_tda_42_once_the_full_amount_is_declared_the_chips_may_come_in_parts(script, book):
    hand = flop(script, chips="sensed").act("2 raise 900")
    part = chips(hand, 2, 500).run(book)
    assert not part.rulings
    assert part.summary.owed["2"] == 400
    whole = chips(hand, 2, 100, 100, 100, 100).run(book)
    assert not whole.rulings
    assert "2" not in whole.summary.owed
    assert whole.summary.bets["2"] == 900


def test_a_call_may_be_paid_in_parts_too(script):
    hand = flop(script, chips="sensed").act("2 call")
    hand = chips(chips(hand, 2, 100, 100), 2, 100, 25).run("tda2024")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 325
    assert "2" not in hand.summary.owed


def test_tda_44_one_chip_facing_no_bet_is_worth_its_value(script):
    hand = chips(script(6).to_flop(), 1, 1000).run("tda2024")
    assert not hand.rulings
    assert hand.summary.bets == {"1": 1000}


def test_tda_44_one_chip_facing_the_blind_is_a_call(script):
    hand = chips(script(6).deal(), 3, 1000).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 44")]
    assert hand.summary.bets["3"] == 100


def prior(script, *values, **start):
    """Seat 1 bet 300, was raised to 900 and adds chips to his 300 without a word."""
    hand = flop(script, "1 bet 300, 2 raise 900, 3 fold, 4 fold, 5 fold, 6 fold", **start)
    return chips(hand, 1, *values).run("tda2024")


def test_tda_46_one_new_chip_on_prior_chips_is_a_call(script):
    hand = prior(script, 1000)
    assert hand.cites == [("amount_corrected", "TDA 44")]
    assert hand.summary.bets == {"1": 900, "2": 900}


def test_tda_46_several_new_chips_that_are_all_needed_are_a_call(script):
    hand = prior(script, 500, 500)
    assert hand.cites == [("amount_corrected", "TDA 45")]
    assert hand.summary.bets == {"1": 900, "2": 900}


@pytest.mark.parametrize(("values", "total"), [((500, 100, 100), 900), ((500, 100, 100, 100, 100), 1500)])
def test_tda_46_else_the_50_percent_rule_decides_on_the_total(script, values, total):
    hand = prior(script, *values)
    assert hand.cites == [("amount_corrected", "TDA 43-A")]
    assert hand.summary.bets["1"] == total


@pytest.mark.parametrize("values", [(500, 100), (500, 500, 100, 100)])
def test_tda_46_prior_and_new_chips_that_make_the_price_or_a_raise_are_clean(script, values):
    hand = prior(script, *values)
    assert not hand.rulings
    assert hand.summary.bets["1"] == 300 + sum(values)


def test_tda_46_the_big_blinds_chips_are_prior_chips(script):
    hand = chips(script(3).deal().act("3 raise 300, 1 fold"), 2, 500).run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 44")]
    assert hand.summary.bets["2"] == 300


def test_tda_46_a_chip_drawn_back_alone_is_no_act(script):
    hand = flop(script, "1 bet 300, 2 raise 900, 3 fold, 4 fold, 5 fold, 6 fold", chips="sensed")
    hand.add("chips_moved", seat=1, from_="bet1", to="stack1", amount=300)
    result = hand.run("tda2024")
    assert result.summary.to_act == 1
    assert result.summary.bets["1"] == 300


# TDA 47–52 ----------------------------------------------------------------------------------


@pytest.fixture
def telling(tmp_path):
    """A book whose articles tell the facts on which they were given."""
    path = tmp_path / "telling.toml"
    path.write_text(
        """
id = "telling"
name = "Telling"
version = "1"
date = "2026-01-01"
source = "a test"
extends = "ropta"

[[hand]]
incident = "short_all_in"
when = { adds_up = true, big_blind_short = false }
ruling = "play_on"
article = "T adds up"

[[hand]]
incident = "short_all_in"
when = { adds_up = false, big_blind_short = true }
ruling = "play_on"
article = "T blind short"

[[hand]]
incident = "short_all_in"
when = { adds_up = false, big_blind_short = false }
ruling = "play_on"
article = "T alone"

[[hand]]
incident = "short_blind"
when = { big_blind_short = true }
ruling = "play_on"
article = "T short blind"

[[hand]]
incident = "reopened"
when = { adds_up = true }
ruling = "amount_corrected"
read_as = "minimum_raise"
article = "T reopened"
""",
        encoding="utf-8",
    )
    load_book(str(path))
    return str(path)


def test_tda_47_whether_short_all_ins_add_up_is_a_fact_of_the_case(script, telling):
    hand = flop(script, "1 bet 300", stacks={2: 550, 3: 750}).act("2 all_in, 3 all_in, 4 fold")
    result = hand.run(telling)
    assert result.cites == [("play_on", "T alone"), ("play_on", "T adds up")]
    hand.act("5 fold, 6 fold, 1 raise 2000")
    # 2 and 3 are all-in: what is above the call would come back, so nothing is reopened.
    assert hand.run(telling).cites[2:] == []


def test_the_fact_holds_for_who_raises_although_the_betting_is_closed(script, telling):
    hand = flop(script, "1 bet 300", stacks={2: 550, 3: 750}).act(
        "2 all_in, 3 all_in, 4 call, 5 fold, 6 fold"
    )
    result = hand.act("1 raise 2000").run(telling)
    assert result.cites[2:] == [("amount_corrected", "T reopened")]
    alone = flop(script, "1 bet 300", stacks={2: 550}).act("2 all_in, 3 call, 4 fold, 5 fold, 6 fold")
    result = alone.act("1 raise 2000").run(telling)
    assert result.cites[1:] == [("action_refused", "ROPTA 9.21"), ("amount_corrected", "ROPTA 9.21")]


def test_a_short_big_blind_is_a_fact_of_the_case(script, telling):
    hand = script(4, stacks={2: 60, 4: 150}).deal()
    assert hand.run(telling).cites == [("play_on", "T short blind")]
    hand.act("3 call, 4 all_in")
    assert hand.run(telling).cites[1:] == [("play_on", "T blind short")]


@pytest.mark.parametrize("said", [None, 1000, 4000])
def test_tda_49_the_caller_is_bound_to_the_true_amount(script, said):
    hand = flop(script, "1 all_in", stacks={1: 5000})
    hand.add("acted", seat=2, said="call", **({"amount": said} if said else {}))
    result = hand.run("tda2024")
    assert result.summary.bets["2"] == 4900
    assert result.cites == ([("amount_corrected", "TDA 51-A")] if said else [])


def test_tda_51_c_a_chain_of_undercalls_stops_at_the_first(script):
    hand = chips(flop(script, "1 bet 325, 2 raise 900"), 3, 100, 100)
    hand = chips(chips(hand, 4, 100, 100), 5, 100, 100)
    waiting = hand.run("tda2024")
    assert waiting.cites[0] == ("call_floor", "TDA 51-B")
    assert waiting.summary.to_act == 3
    assert waiting.summary.bets == {"1": 325, "2": 900}
    hand.add("floor_decided", choice="amount_corrected", amounts={"3": 900}, by="floor")
    ruled = hand.run("tda2024")
    assert ruled.summary.bets["3"] == 900
    assert ruled.summary.to_act not in (1, 2, 3)


@pytest.mark.parametrize("said", ["bet", None])
def test_tda_52_a_an_underbet_is_lifted_whoever_bets_in_whatever_way(script, said):
    hand = script(6).to_flop().act("1 check, 2 check")
    hand.add("acted", seat=3, amount=60, **({"said": said} if said else {}))
    result = hand.run("tda2024")
    assert result.cites == [("amount_corrected", "TDA 52-A")]
    assert result.summary.bets == {"3": 100}


def test_tda_52_a_found_after_others_have_acted_it_is_for_the_floor(script):
    hand = flop(script, "1 bet 325, 2 raise 650, 3 call, 4 call").claim("underraise", seat=2).run("tda2024")
    assert hand.rulings[-1].ruling == "call_floor"
    assert hand.summary.bets["4"] == 650


# TDA 54–60 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stacks", [{}, {1: 20}, {2: 60}, {1: 20, 2: 60}])
def test_tda_54_b_short_blinds_do_not_lower_the_pot_limit(script, stacks):
    hand = script(4, limit="pot_limit", stacks=stacks).deal().run("tda2024")
    assert hand.next.max == 350


def test_tda_54_b_a_dead_small_blind_does_not_lower_the_pot_limit(script):
    hand = script([1, 3, 4], button=1, limit="pot_limit", small_blind_seat=None, big_blind_seat=3)
    assert hand.deal().run("tda2024").next.max == 350


def test_tda_58_a_fold_out_of_turn_binds_and_is_penalised(script):
    hand = flop(script).act("3 fold").run("tda2024")
    assert hand.cites == [("action_bound", "TDA 53-A"), ("penalty_reported", "TDA 53-A")]
    assert hand.summary.folded_seats == (3,)


def test_tda_60_a_count_never_changes_what_an_all_in_costs(script):
    hand = flop(script, "1 all_in", stacks={1: 5000, 2: 7000})
    before = hand.run("tda2024").next
    after = hand.add("counted", seat=2, amount=6900, by="dealer").run("tda2024").next
    assert (before.seat, before.call) == (after.seat, after.call) == (2, 4900)


# Before the card, simultaneous --------------------------------------------------------------


def test_ropta_blind_any_number_may_bet_before_the_card(script):
    hand = script(3).to_flop().checked().act("1 check, 2 bet 300, 3 call")
    kept = hand.run("ropta")
    assert kept.summary.bets == {}
    assert [c for c in kept.cites if c[1] == "ROPTA blind"] == [("play_on", "ROPTA blind")] * 3
    done = hand.burn().board("7c").run("ropta")
    assert done.summary.bets == {"2": 300, "3": 300}
    assert done.summary.to_act == 1


def test_a_word_more_of_who_acted_last_is_a_second_motion_while_nobody_else_spoke(script):
    hand = script(3).to_flop().checked().act("3 bet 300").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA bets")]


# Every short amount that goes out of turn is read when its turn has come --------------------


def test_tda_57_an_amount_in_short_out_of_turn_is_read_in_turn(script):
    hand = script(6, smallest_chip=25).to_flop().add("acted", seat=2, said="bet", amount=5)
    kept = hand.run("tda2024")
    assert kept.summary.bets == {}
    result = hand.act("1 check").run("tda2024")
    assert result.cites[-2:] == [("action_bound", "TDA 53-A"), ("amount_corrected", "TDA 57")]
    assert result.summary.bets == {"2": 500}


def test_a_call_out_of_turn_of_an_amount_in_short_out_of_turn_binds(script):
    hand = script(6, smallest_chip=25).to_flop().add("acted", seat=2, said="bet", amount=5)
    result = hand.act("3 call, 1 check").run("ropta")
    assert result.summary.bets == {"2": 500, "3": 500}
    assert result.summary.to_act == 4


@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011"])
def test_words_an_amount_means_nothing_where_no_amounts_are_recorded(script, book):
    hand = script(6, betting="words").deal().add("acted", seat=3, said="raise", amount=5).run(book)
    assert not hand.rulings
    assert hand.summary.to_act == 4


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_fixed_limit_an_amount_in_short_is_the_limit(script, book):
    hand = script(6, limit="fixed_limit", smallest_chip=25).deal()
    result = hand.add("acted", seat=3, said="raise", amount=2).run(book)
    assert [name for name, _ in result.cites] == ["amount_corrected"]
    assert result.summary.bets["3"] == 200


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_pot_limit_an_amount_in_short_stays_within_the_pot(script, book):
    hand = script(6, limit="pot_limit", smallest_chip=25).to_flop()
    result = hand.add("acted", seat=1, said="bet", amount=5).run(book)
    assert result.summary.pot == 600
    assert result.summary.bets["1"] == 500
