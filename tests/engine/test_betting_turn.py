"""Acts that do not come in turn: out of turn, skipped, before the card, second motions."""

from __future__ import annotations

import pytest

from engine import betting, cures
from engine import events as ev
from engine.judging import Court
from engine.state import FloorCall, Incident


def flop(script, seats=6, **start):
    return script(seats, **start).to_flop()


def names(result, incident):
    return [(r.ruling, r.article) for r in result.rulings if r.incident == incident]


# Out of turn --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"),
    [
        ("ppc2011", "PPC 6.1"),
        ("ropta", "ROPTA out of turn"),
        ("tda2024", "TDA 53-A"),
        ("standard", "ROPTA out of turn"),
    ],
)
def test_ppc_6_1_ropta_out_of_turn_tda_53_a_it_binds_when_nothing_changed(script, book, article):
    hand = flop(script).act("1 check, 3 bet 400")
    kept = hand.run(book)
    assert ("play_on", article) in kept.cites
    assert kept.summary.to_act == 2
    assert kept.summary.bets == {}
    result = hand.act("2 check").run(book)
    assert result.cites[-1] == ("action_bound", article)
    assert result.rulings[-1].seats == (3,)
    assert result.summary.bets == {"3": 400}
    assert result.summary.to_act == 4


@pytest.mark.parametrize("book", ["ropta", "tda2024"])
def test_ropta_out_of_turn_tda_53_a_a_bet_between_frees_him(script, book):
    hand = flop(script).act("1 check, 3 check, 2 bet 300").run(book)
    assert hand.cites[-1][0] == "action_refused"
    assert hand.next.seat == 3
    assert hand.next.options == ("fold", "call", "raise", "all_in")


def test_ppc_6_1_after_a_raise_between_he_may_call_or_fold_but_not_raise(script):
    hand = flop(script).act("1 bet 200, 3 raise 600, 2 raise 1000")
    result = hand.run("ppc2011")
    assert result.cites[-1] == ("action_refused", "PPC 6.1")
    assert result.next.seat == 3
    assert result.next.options == ("fold", "call")
    raised = hand.act("3 raise 3000").run("ppc2011")
    assert raised.cites[-2:] == [("action_refused", "PPC 6.1"), ("amount_corrected", "PPC 6.1")]
    assert raised.summary.bets["3"] == 1000


@pytest.mark.parametrize("book", ["ppc2011", "ropta", "tda2024"])
def test_a_call_between_changes_nothing(script, book):
    hand = flop(script).act("1 bet 200, 3 call, 2 call").run(book)
    assert hand.cites[-1][0] == "action_bound"
    assert hand.summary.bets == {"1": 200, "2": 200, "3": 200}


@pytest.mark.parametrize("book", ["ropta", "tda2024", "ppc2011"])
def test_ropta_out_of_turn_tda_53_a_ppc_6_1_an_announced_fold_binds_at_once(script, book):
    hand = flop(script).act("1 check, 3 fold").run(book)
    assert hand.rulings[0].ruling == "action_bound"
    assert hand.summary.folded_seats == (3,)
    assert hand.summary.to_act == 2


def test_a_fold_out_of_turn_heads_up_ends_the_hand(script):
    hand = script(2).deal().act("1 fold").run("ropta")
    assert hand.summary.phase == "showdown"
    assert hand.next.seat == 2


def test_tda_53_a_acting_out_of_turn_is_reported(script):
    hand = flop(script).act("1 check, 3 check").run("tda2024")
    assert ("penalty_reported", "TDA 53-A") in hand.cites


def test_ltpq_doubt_an_act_out_of_turn_is_for_the_director(script):
    hand = flop(script).act("1 check, 3 bet 400").run("ltpq")
    assert hand.cites == [("call_floor", "LTPQ doubt")]


def test_ltpq_the_director_may_bind_him(script):
    hand = flop(script).act("1 check, 3 bet 400").run("ltpq")
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.decided(draft, "action_bound", FloorCall("out_of_turn", 3, None, 0), court)
    assert draft.seats[3].early is not None
    betting.acted(draft, ev.Acted(seat=2, said="check"), court)
    assert [(r.ruling, r.article) for r in court.rulings] == [("action_bound", "LTPQ doubt")]
    assert draft.seats[3].bet == 400


def test_several_out_of_turn_take_effect_in_order(script):
    hand = flop(script).act("1 check, 3 bet 400").act("4 call, 2 check").run("ropta")
    bound = [r.seats for r in hand.rulings if r.ruling == "action_bound" and r.incident == "out_of_turn"]
    assert bound == [(3,), (4,)]
    assert hand.summary.bets == {"3": 400, "4": 400}
    assert hand.summary.to_act == 5


def test_only_the_first_act_out_of_turn_counts(script):
    hand = flop(script).act("1 check, 3 check, 3 bet 400, 2 check").run("ropta")
    assert hand.summary.bets == {}
    assert hand.summary.to_act == 4


def test_ropta_9_18_acts_of_one_cycle_are_taken_in_order(script):
    hand = flop(script).add("acted", seat=1, said="check", group=7)
    hand.add("acted", seat=3, said="check", group=7)
    assert names(hand.run("ropta"), "simultaneous") == [("play_on", "ROPTA 9.18")]
    done = hand.act("2 check").run("ropta")
    assert names(done, "simultaneous")[-1] == ("action_bound", "ROPTA 9.18")


def test_an_all_in_player_has_nothing_more_to_say(script):
    hand = flop(script, stacks={1: 500}).act("1 all_in, 2 call, 1 fold").run("ropta")
    assert hand.summary.folded_seats == ()


# Skipped ------------------------------------------------------------------------------------


def test_ppc_4_9_three_acted_after_him_his_hand_is_dead(script):
    hand = flop(script).act("1 check, 3 check, 4 check, 5 check").run("ppc2011")
    assert names(hand, "player_skipped") == [("hand_dead", "PPC 4.9")]
    assert hand.summary.dead_seats == (2,)


def test_ropta_forgotten_after_substantial_action_he_may_only_fold_or_call(script):
    hand = flop(script).act("1 bet 200, 3 call, 4 call")
    result = hand.run("ropta")
    assert names(result, "player_skipped") == [("action_bound", "ROPTA forgotten")]
    assert result.next.seat == 2
    assert result.next.options == ("fold", "call")


def test_ropta_forgotten_before_substantial_action_he_has_full_rights(script):
    hand = flop(script).act("1 bet 200, 3 call").run("ropta")
    assert names(hand, "player_skipped") == []
    assert "raise" in hand.next.options


def test_tda_53_b_the_floor_decides_when_he_had_time_to_speak(script):
    hand = flop(script).act("1 bet 200, 3 call, 4 call")
    asked = hand.run("tda2024")
    assert (asked.next.order, asked.next.fact) == ("ask", "time_to_speak")
    told = hand.add("answered", fact="time_to_speak", value=True).run("tda2024")
    assert names(told, "player_skipped") == [("call_floor", "TDA 53-B")]


def test_tda_53_b_without_time_to_speak_he_has_full_rights(script):
    hand = flop(script).act("1 bet 200, 3 call, 4 call")
    hand.add("answered", fact="time_to_speak", value=False)
    result = hand.run("tda2024")
    assert names(result, "player_skipped") == [("play_on", "TDA 53-B")]
    assert "raise" in result.next.options


def test_ropta_the_skipped_player_calls_and_the_others_are_bound(script):
    hand = flop(script).act("1 bet 200, 3 call, 4 call, 2 call").run("ropta")
    assert hand.summary.bets == {"1": 200, "2": 200, "3": 200, "4": 200}
    assert hand.summary.to_act == 5


# Before the card ----------------------------------------------------------------------------


def test_ropta_blind_a_bet_before_the_card_is_allowed(script):
    hand = flop(script, 3).checked().act("1 bet 300")
    kept = hand.run("ropta")
    assert kept.cites[-1] == ("play_on", "ROPTA blind")
    assert kept.summary.bets == {}
    hand.burn().board("7c")
    result = hand.run("ropta")
    draft = result.state.thaw()
    court = Court(result.book, draft.events, cures.STEPS)
    betting.resume(draft, court)
    assert draft.seats[1].bet == 300
    assert draft.to_act == 2


def test_tda_is_silent_on_a_bet_before_the_card(script):
    hand = flop(script, 3).checked().act("1 bet 300").run("tda2024")
    assert hand.cites == [("call_floor", "TDA 1")]


def test_ropta_utg_a_blind_posted_before_the_deal_goes_back(script):
    hand = script(6).run("ropta")
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.acted(draft, ev.Acted(seat=3, chips=(100,)), court)
    assert [(r.ruling, r.article) for r in court.rulings] == [
        ("bets_returned", "ROPTA UTG"),
        ("penalty_reported", "ROPTA UTG"),
    ]
    assert draft.seats[3].bet == 0


# A second motion ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "article"), [("ppc2011", "PPC 6.3"), ("ropta", "ROPTA bets"), ("tda2024", "TDA 56")]
)
def test_ppc_6_3_ropta_bets_tda_56_only_the_first_motion_counts(script, book, article):
    hand = flop(script).act("1 bet 300").add("acted", seat=2, chips=[100, 100, 100])
    hand.add("acted", seat=2, chips=[500])
    result = hand.run(book)
    assert result.cites == [("amount_corrected", article)]
    assert result.rulings[0].amounts == {"2": 300}
    assert result.summary.bets["2"] == 300
    assert result.summary.to_act == 3


def test_ropta_call_then_raise_is_a_call(script):
    hand = flop(script).act("1 bet 300, 2 call, 2 raise 900").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA bets")]
    assert hand.summary.bets["2"] == 300


def test_ropta_raise_announced_then_chips_in_one_motion_is_clean(script):
    hand = flop(script).act("1 bet 300, 2 raise").add("acted", seat=2, chips=[500, 500]).run("ropta")
    assert not hand.rulings
    assert hand.summary.bets["2"] == 1000
    assert hand.state.last_raise == 700


def test_a_bet_that_closed_the_round_can_still_get_its_chips(script):
    hand = (
        script(2).to_flop().act("1 bet 300, 2 call").add("acted", seat=2, chips=[100, 100, 100]).run("ropta")
    )
    assert not hand.rulings
    assert hand.summary.bets == {"1": 300, "2": 300}
    assert hand.summary.to_act is None


def test_saying_again_what_he_did_is_no_second_motion(script):
    hand = (
        flop(script).act("1 bet 300").add("acted", seat=2, chips=[500, 500]).act("2 raise 1000").run("ropta")
    )
    assert not hand.rulings
    assert hand.summary.bets["2"] == 1000


@pytest.mark.parametrize("book", ["ropta", "ppc2011", "tda2024"])
def test_a_claimed_string_bet_takes_the_act_back_to_its_first_motion(script, book):
    hand = flop(script).act("1 bet 300").add("acted", seat=2, chips=[500, 500]).run(book)
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.rule(draft, Incident("string_bet", seat=2, facts={"notice": True}), court)
    assert court.rulings[0].ruling == "amount_corrected"
    assert court.rulings[0].amounts == {"2": 300}
    assert draft.seats[2].bet == 300
    assert draft.price == 300
    assert draft.to_act == 3


def test_a_claimed_string_bet_with_the_first_motion_named(script):
    hand = flop(script).add("acted", seat=1, chips=[500, 500]).run("ropta")
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.rule(draft, Incident("string_bet", seat=1, facts={"amount": 500}), court)
    assert draft.seats[1].bet == 500
    assert draft.price == 500


def test_a_claim_that_comes_too_late_is_for_the_floor(script):
    hand = flop(script).act("1 bet 300, 2 raise 900, 3 call").run("ropta")
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.rule(draft, Incident("string_bet", seat=2), court)
    assert court.rulings[0].ruling == "call_floor"
    assert draft.seats[2].bet == 900


# The director reads an act ------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "bet"), [("play_on", 525), ("action_bound", 525), ("action_refused", 0)])
def test_the_director_lets_an_act_stand_or_refuses_it(script, choice, bet):
    hand = flop(script).act("1 bet 325").add("acted", seat=2, chips=[500, 25]).run("ltpq")
    draft = hand.state.thaw()
    court = Court(hand.book, draft.events, cures.STEPS)
    betting.decided(draft, choice, FloorCall("below_minimum_raise", 2, None, 0), court)
    assert draft.seats[2].bet == bet
    assert draft.to_act == (3 if bet else 2)


# Without amounts ----------------------------------------------------------------------------


def words(script, seats=6):
    return script(seats, betting="words").deal().limp().burn().board("Td9h8c")


def test_words_an_act_out_of_turn_binds_when_nothing_changed(script):
    hand = words(script).act("1 check, 3 bet, 2 check").run("ropta")
    assert hand.cites[-1] == ("action_bound", "ROPTA out of turn")
    assert hand.next.seat == 4
    assert hand.next.options == ("fold", "call", "raise", "all_in")


def test_words_a_bet_between_frees_him(script):
    hand = words(script).act("1 check, 3 check, 2 bet").run("ropta")
    assert hand.cites[-1] == ("action_refused", "ROPTA out of turn")
    assert hand.next.seat == 3


def test_words_ppc_6_1_bars_the_raise(script):
    hand = words(script).act("1 bet, 3 raise, 2 raise, 3 raise").run("ppc2011")
    assert hand.cites[-2:] == [("action_refused", "PPC 6.1"), ("amount_corrected", "PPC 6.1")]
    assert hand.next.seat == 4


def test_words_ppc_4_9_skipped(script):
    hand = words(script).act("1 check, 3 check, 4 check, 5 check").run("ppc2011")
    assert names(hand, "player_skipped") == [("hand_dead", "PPC 4.9")]


def test_words_call_then_raise_is_a_call(script):
    hand = words(script).act("1 bet, 2 call, 2 raise").run("tda2024")
    assert hand.cites == [("amount_corrected", "TDA 56")]
    assert hand.next.seat == 3
    assert hand.state.price == 1


def test_words_call_without_a_bet_is_a_check(script):
    hand = words(script).act("1 call").run("ropta")
    assert hand.cites == [("amount_corrected", "ROPTA call")]
    assert hand.next.options == ("check", "bet", "all_in")


def test_words_time_expired(script):
    hand = words(script).act("1 bet").add("time_expired", seat=2).run("tda2024")
    assert hand.cites == [("hand_dead", "TDA 29")]
    hand = words(script).add("time_expired", seat=1).run("tda2024")
    assert hand.next.seat == 2


def test_words_one_live_hand_left_wins(script):
    hand = words(script, 3).act("1 bet, 2 fold, 3 fold").run("ropta")
    assert hand.summary.phase == "showdown"
    assert (hand.next.order, hand.next.seat) == ("push_pot", 1)
