"""The showdown: who shows, who wins, the odd chip, the pots taken (rules.md §8)."""

from __future__ import annotations

import pytest

from engine import showdown
from engine.state import HandState, Seat

BOARD = "Td9h8c2s2d"


def river(script, seats=3, board=BOARD, acts="", **start):
    """Checked down to the end of the river's betting."""
    hand = script(seats, **start).deal().limp()
    hand.burn().board(board[:6]).checked().burn().board(board[6:8]).checked().burn().board(board[8:])
    return hand.act(acts) if acts else hand.checked()


def show(hand, **hands):
    for seat, cards in hands.items():
        hand.add("hand_shown", seat=int(seat[1:]), to="table", cards=[cards[:2], cards[2:]])
    return hand


def shows(result):
    return [order.seat for order in result.expected[-1] if order.order == "show"]


def pushes(result):
    return [(o.seat, o.amount) for o in result.expected[-1] if o.order == "push_pot"]


# Order of showing ---------------------------------------------------------------------------


def test_ropta_showdown_the_last_aggressor_shows_first(script):
    hand = river(script, acts="1 check, 2 bet 300, 3 call, 1 call").run("ropta")
    assert hand.summary.phase == "showdown"
    assert shows(hand) == [2, 3, 1]


def test_ropta_showdown_without_a_bet_the_first_left_of_the_button(script):
    assert shows(river(script).run("ropta")) == [1, 2, 3]


def test_tda_17_a_the_last_aggressor_of_the_last_street(script):
    assert shows(river(script, acts="1 bet 100, 2 raise 300, 3 call, 1 call").run("tda2024")) == [2, 3, 1]


def test_ltpq_showdown_always_left_of_the_dealer(script):
    hand = river(script, acts="1 check, 2 bet 300, 3 call, 1 call").run("ltpq")
    assert shows(hand) == [1, 2, 3]


@pytest.mark.parametrize("book", ["ppc2011", "ropta", "tda2024"])
def test_ppc_8_3_ropta_all_in_tda_16_no_more_betting_all_hands_face_up(script, book):
    hand = script(3, stacks={1: 500}).deal().act("3 raise 900, 1 all_in, 2 fold").run(book)
    assert sorted(shows(hand)) == [1, 3]
    shown = show(script(3, stacks={1: 500}).deal().act("3 raise 900, 1 all_in, 2 fold"), s1="AhAd", s3="KhKd")
    assert shown.run(book).next.order in ("gather", "burn")


def test_tda_16_two_who_may_still_bet_do_not_show(script):
    hand = script(3, stacks={1: 500}).deal().act("3 raise 900, 1 all_in, 2 call").run("tda2024")
    assert shows(hand) == []


# Who wins -----------------------------------------------------------------------------------


def test_cards_speak(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c").run("ropta")
    assert pushes(hand) == [(2, 300)]


def test_best_five_of_seven_the_board_may_play(script):
    hand = show(river(script, board="AhKhQhJhTh"), s1="2c3c", s2="4d5d", s3="6s7s").run("standard")
    assert sorted(pushes(hand)) == [(1, 100), (2, 100), (3, 100)]


def test_the_pot_is_credited_when_it_is_taken(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c")
    taken = hand.add("pot_taken", seat=2, amount=300).run("ropta")
    assert taken.summary.stacks == {"1": 9900, "2": 10200, "3": 9900}
    assert taken.summary.pot == 0
    assert not taken.expected[-1]


def test_the_end_of_the_hand_pays_what_nobody_confirmed(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c").add("hand_ended").run("ropta")
    assert hand.summary.stacks["2"] == 10200
    assert hand.summary.phase == "over"


def test_ltpq_showdown_others_may_muck_unseen(script):
    hand = show(river(script), s1="AhKh").act("2 fold, 3 fold").run("ltpq")
    assert not hand.rulings
    assert pushes(hand) == [(1, 300)]


def test_the_last_hand_cannot_be_thrown_away(script):
    hand = river(script).act("2 fold, 3 fold, 1 fold").run("ropta")
    assert pushes(hand) == [(1, 300)]


def test_ropta_showdown_an_uncalled_winner_need_not_show(script):
    hand = river(script, acts="1 bet 300, 2 fold, 3 fold").run("ropta")
    assert shows(hand) == []
    assert pushes(hand) == [(1, 300)]


def test_tda_15_a_one_card_shown_does_not_table_the_hand(script):
    hand = river(script).add("hand_shown", seat=1, to="table", cards=["Ah"]).run("tda2024")
    assert 1 in shows(hand)


def test_cards_that_do_not_tell_wait_for_the_winners(script):
    hand = river(script)
    for seat in (1, 2, 3):
        hand.add("hand_shown", seat=seat, to="table", cards=[None, None])
    waiting = hand.run("ropta")
    assert [(o.order, o.for_) for o in waiting.expected[-1]] == [("wait", "winners")]
    named = hand.add("winners", pot=0, seats=[2, 3]).run("ropta")
    assert sorted(pushes(named)) == [(2, 150), (3, 150)]


def test_a_card_shown_twice_does_not_decide(script):
    hand = show(river(script), s1="AhKh", s2="TdTs", s3="2c3c").run("ropta")
    assert [o.order for o in hand.expected[-1]] == ["wait"]


def test_without_amounts_the_cards_speak_too(script):
    hand = script(2, betting="words").deal().act("2 call, 1 check").burn().board("Td9h8c")
    hand.act("1 check, 2 check").burn().board("2s").act("1 check, 2 check").burn().board("2d")
    hand = show(hand.act("1 check, 2 check"), s1="AhKh", s2="7d6d")
    assert pushes(hand.run("standard")) == [(2, None)]
    assert not hand.add("pot_taken", seat=2, amount=0).run("standard").expected[-1]


def test_tda_13_a_tabled_winner_is_not_lost_by_the_dealer(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c")
    hand.move("seat2", "muck", "7d", "up").move("seat2", "muck", "6d", "up")
    assert pushes(hand.run("tda2024")) == [(2, 300)]


@pytest.mark.parametrize("book", ["tda2024", "ropta", "ppc2011", "ltpq"])
def test_tda_17_b_the_last_live_hand_need_not_show(script, book):
    hand = river(script, acts="1 check, 2 bet 300, 3 fold, 1 fold").run(book)
    assert shows(hand) == []
    assert pushes(hand) == [(2, 300)]


def test_ropta_showdown_one_winning_card_shown_the_other_is_asked_for(script):
    hand = river(script).add("hand_shown", seat=1, to="table", cards=["Ah"]).run("ropta")
    assert shows(hand)[0] == 1


def test_ppc_11_3_a_tabled_hand_speaks_for_itself(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c").run("ppc2011")
    assert pushes(hand) == [(2, 300)]


# Side pots ----------------------------------------------------------------------------------


def side(script):
    hand = script(3, stacks={1: 500}).deal().act("3 raise 900, 1 all_in, 2 call").burn().board("Td9h8c")
    hand.act("2 check, 3 check").burn().board("2s").act("2 check, 3 check").burn().board("2d")
    return hand.act("2 check, 3 check")


def test_ropta_side_pots_are_awarded_from_the_outermost_in(script):
    hand = show(side(script), s1="7d6d", s2="AhKh", s3="AcQc").run("ropta")
    assert pushes(hand) == [(2, 800), (1, 1500)]


def test_tda_21_each_pot_is_split_by_itself(script):
    hand = show(side(script), s1="AhKh", s2="AcKc", s3="4c3c").run("tda2024")
    assert pushes(hand) == [(2, 800), (1, 750), (2, 750)]


def test_the_side_pots_sole_player_need_not_wait(script):
    hand = show(side(script), s1="7d6d", s2="AhKh").act("3 fold").run("ropta")
    assert pushes(hand) == [(2, 800), (1, 1500)]


# The odd chip -------------------------------------------------------------------------------


@pytest.mark.parametrize("book", ["ppc2011", "ropta", "tda2024"])
def test_ppc_7_2_ropta_odd_chip_tda_20_to_the_first_winner_left_of_the_button(script, book):
    hand = script(3, small_blind=25, big_blind=75, smallest_chip=25).deal().act("3 call, 1 fold, 2 check")
    for cards in ("Td9h8c", "2s", "2d"):
        hand.burn().board(cards).act("2 check, 3 check")
    result = show(hand, s2="AhKh", s3="AcKc").run(book)
    # 175 in chips of 25: seat 2 sits left of the button.
    assert pushes(result) == [(2, 100), (3, 75)]


def split(amount, winners, chip=1):
    d = HandState(smallest_chip=chip, seats={n: Seat(seat=n) for n in winners}, order=tuple(winners))
    return showdown.split(d, amount, list(winners))


def test_several_odd_chips_go_one_each():
    assert split(1007, (4, 7, 2), 1) == [(4, 336), (7, 336), (2, 335)]
    assert split(200, (4, 7, 2), 25) == [(4, 75), (7, 75), (2, 50)]


def test_chips_smaller_than_the_smallest_go_to_the_first():
    assert split(110, (4, 7), 25) == [(4, 60), (7, 50)]


# Pots taken ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "article"), [("ropta", "ROPTA wrong pot"), ("tda2024", "TDA 22")])
def test_ropta_wrong_pot_tda_22_corrected_until_the_cards_are_gathered(script, book, article):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c").add("pot_taken", seat=1, amount=300).run(book)
    assert hand.cites == [("amount_corrected", article)]
    assert hand.rulings[0].amounts == {"2": 300}
    assert [o.order for o in hand.rulings[0].orders] == ["return_chips", "push_pot"]
    assert hand.summary.stacks["1"] == 9900
    assert pushes(hand) == [(2, 300)]


def test_more_than_his_share_is_a_wrong_pot_for_the_rest(script):
    hand = show(river(script, board="AhKhQhJhTh"), s1="2c3c", s2="4d5d", s3="6s7s")
    result = hand.add("pot_taken", seat=1, amount=300).run("ropta")
    assert result.incidents == ["wrong_pot"]
    assert result.summary.stacks["1"] == 10000


@pytest.mark.parametrize(
    ("book", "answer"),
    [
        ("ppc2011", ("play_on", "PPC 11.3")),
        ("ropta", ("play_on", "ROPTA wrong pot")),
        ("tda2024", ("call_floor", "TDA 22")),
        ("ltpq", ("call_floor", "LTPQ doubt")),
    ],
)
def test_ppc_11_3_ropta_wrong_pot_tda_22_once_the_cards_are_gathered(script, book, answer):
    hand = river(script).claim("wrong_pot", seat=1, facts={"cards_gathered": True}).run(book)
    assert hand.cites == [answer]


def test_who_takes_a_pot_that_nobody_could_award_has_won_it(script):
    hand = river(script)
    for seat in (1, 2, 3):
        hand.add("hand_shown", seat=seat, to="table", cards=[None, None])
    taken = hand.add("pot_taken", seat=3, amount=300).run("ropta")
    assert taken.summary.stacks["3"] == 10200
    assert not taken.rulings


def test_chips_pushed_from_the_pot_pay_the_winner(script):
    hand = show(river(script), s1="AhKh", s2="7d6d", s3="2c3c")
    result = hand.add("chips_moved", seat=2, from_="pot", to="stack2", amount=300).run("ropta")
    assert result.summary.stacks["2"] == 10200


# Asking to see ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "called", "answer"),
    [
        ("ropta", True, ("play_on", "ROPTA asking to see")),
        ("ropta", False, ("action_refused", "ROPTA asking to see")),
        ("tda2024", True, ("play_on", "TDA 18")),
        ("tda2024", False, ("call_floor", "TDA 18")),
        ("ltpq", True, ("call_floor", "LTPQ doubt")),
    ],
)
def test_ropta_asking_to_see_tda_18_only_who_called_on_the_river(script, book, called, answer):
    hand = river(script, acts="1 check, 2 bet 300, 3 call, 1 fold")
    result = hand.claim("see_hand", seat=2, facts={"asker_called": called}).run(book)
    assert result.cites == [answer]


@pytest.mark.parametrize("called", [True, False])
def test_ropta_asking_to_see_a_clear_suspicion_is_for_an_official(script, called):
    hand = river(script, acts="1 check, 2 bet 300, 3 call, 1 fold")
    facts = {"suspicion": True, "asker_called": called}
    result = hand.claim("see_hand", seat=2, facts=facts).run("ropta")
    assert result.cites == [("call_floor", "ROPTA asking to see")]


@pytest.mark.parametrize("book", ["ppc2011", "ropta", "tda2024"])
def test_ropta_side_pots_the_smallest_stack_makes_the_main_pot(script, book):
    hand = script(4, stacks={1: 300, 2: 700}).deal().act("3 raise 1000, 4 call, 1 all_in, 2 all_in")
    result = hand.burn().board("Td9h8c").run(book)
    assert [(p.amount, p.seats) for p in result.summary.pots] == [
        (1200, (1, 2, 3, 4)),
        (1200, (2, 3, 4)),
        (600, (3, 4)),
    ]


def test_ropta_asking_to_see_puts_the_cards_back_in_play(script):
    hand = (
        show(river(script, acts="1 check, 2 bet 300, 3 call, 1 fold"), s3="AhKh").act("2 fold").run("ropta")
    )
    assert pushes(hand) == [(3, 900)]
    draft = hand.state.thaw()
    assert showdown.back_in_play(draft, 2)
    assert [o.seat for o in showdown.orders(draft, hand.book)] == [2]
    assert not showdown.back_in_play(draft, 1), "a fold in play stays a fold"


def test_a_shown_board_that_cannot_be_read_splits_the_pot(script):
    hand = script(3).deal().limp().burn().board("Td9h8c").add("board_disturbed", readable=False).run("ropta")
    assert sorted(pushes(hand)) == [(1, 100), (2, 100), (3, 100)]
