"""What tagged chips tell: one motion is one act, what is owed comes first, the pot goes to who takes it."""

from __future__ import annotations

import pytest

from engine import events as ev
from table_controller import messages as m
from table_controller import notes
from tests.table_controller.rig import STACK, Rig, chip_uid


def started(players: int = 3, *, blinds: bool = True, **more: object) -> Rig:
    """A hand whose first round of betting begins, blinds in front of their players."""
    rig = Rig(players, chips=True, **more)  # type: ignore[arg-type]
    rig.start()
    if blinds:
        rig.bet(rig.order[0], 50)
        rig.bet(rig.order[1], 100)
    rig.deal()
    assert rig.state.phase == "preflop"
    return rig


def to_flop(rig: Rig) -> Rig:
    """Three players limp in, bets are gathered, the flop lies."""
    rig.bet(3, 100)
    rig.bet(1, 50)
    rig.press("CHECK")
    rig.gather()
    rig.street("2c", "3c", "4c", burn="Ks")
    assert rig.state.phase == "flop"
    return rig


def chips_of(rig: Rig) -> list[tuple[int, tuple[int, ...] | None]]:
    return [(event.seat, event.chips) for event in rig.of(ev.Acted)]


# -- blinds and bets ---------------------------------------------------------------------------------------


def test_blinds_put_in_are_paid_and_are_no_act() -> None:
    rig = started()
    assert [(e.seat, e.from_, e.to, e.amount) for e in rig.of(ev.ChipsMoved)] == [
        (1, "stack1", "bet1", 50),
        (2, "stack2", "bet2", 100),
    ]
    assert rig.acts() == [] and rig.state.to_act == 3
    assert [rig.running.fusion.balance(rig.state, seat) for seat in rig.seats] == [0, 0, 0]


def test_a_blind_that_is_not_put_in_is_still_owed() -> None:
    rig = started(blinds=False)
    assert [rig.running.fusion.balance(rig.state, seat) for seat in rig.seats] == [-50, -100, 0]


def test_chips_at_rest_are_one_motion() -> None:
    rig = started()
    rig.bet(3, 100, 100, 100)
    assert chips_of(rig) == [(3, (100, 100, 100))]
    assert [(act.kind, act.to) for act in rig.told(m.Action)] == [("raise", 300)]
    assert rig.state.to_act == 1


def test_nothing_is_told_before_the_chips_have_rested() -> None:
    rig = started()
    rig.put(rig.pick(3, 100), "bet3")
    rig.scan(cards=False)
    rig.wait(1.4)
    assert rig.acts() == []
    rig.wait(2.0)
    assert chips_of(rig) == [(3, (100,))]


def test_chips_that_follow_within_the_rest_are_the_same_motion() -> None:
    rig = started()
    for value in (100, 100, 50):
        rig.put(rig.pick(3, value), "bet3")
        rig.scan(cards=False)
        rig.wait(1.0)
    assert rig.acts() == []
    rig.wait(3.0)
    assert [(seat, sum(chips or ())) for seat, chips in chips_of(rig)] == [(3, 250)]


def test_a_call_is_the_exact_amount() -> None:
    rig = started()
    rig.bet(3, 100)
    assert [(act.seat, act.kind, act.to) for act in rig.told(m.Action)] == [(3, "call", 100)]
    rig.bet(1, 50)
    assert [(act.seat, act.kind, act.to) for act in rig.told(m.Action)][1:] == [(1, "call", 100)]
    assert not rig.told(m.Incident)


def test_a_small_blind_not_yet_paid_is_paid_by_the_call() -> None:
    rig = started(blinds=False)
    rig.bet(3, 100)
    rig.bet(1, 100)
    assert {e.seat for e in rig.of(ev.ChipsMoved)} == {1}
    assert rig.running.fusion.balance(rig.state, 1) == 0
    assert [(act.seat, act.kind, act.to) for act in rig.told(m.Action)] == [
        (3, "call", 100),
        (1, "call", 100),
    ]


def test_chips_that_fall_back_to_their_stack_are_nothing() -> None:
    rig = started()
    uids = rig.pick(3, 100)
    rig.put(uids, "bet3")
    rig.wait(1.0)
    rig.put(uids, "stack3")
    rig.wait(12.0)
    assert rig.acts() == [] and rig.state.to_act == 3


def test_a_stack_read_badly_is_no_bet() -> None:
    rig = started()
    rig.unread.update(rig.pick(3, 1000, 100, 100))
    rig.wait(20.0)
    rig.unread.clear()
    rig.wait(5.0)
    assert rig.acts() == [] and rig.state.seats[3].stack == STACK


def test_a_chip_on_two_antennas_is_where_it_was() -> None:
    rig = started()
    rig.lie["bet1"].update(rig.pick(3, 100))
    rig.wait(12.0)
    assert rig.acts() == [] and rig.running.question is None


def test_the_word_before_the_chips_is_in_the_same_act() -> None:
    rig = started()
    rig.press("RAISE")
    assert rig.acts() == []
    rig.bet(3, 100, 100, 100)
    assert rig.acts() == [(3, "raise")]
    assert chips_of(rig) == [(3, (100, 100, 100))]


@pytest.mark.parametrize("gap", [1.0, 1.5])
def test_a_press_within_two_seconds_of_the_sensed_chips_is_the_same_act(gap: float) -> None:
    rig = started()
    rig.put(rig.pick(3, 100), "bet3")
    waited = 0.0
    while not rig.acts() and waited < 6.0:
        rig.wait(0.1)
        waited += 0.1
    assert len(rig.acts()) == 1
    rig.wait(gap)
    rig.press("CALL")
    rig.wait(12.0)
    assert [act.seat for act in rig.told(m.Action)] == [3]
    assert rig.state.to_act == 1


def test_all_in_by_chips_is_all_he_has() -> None:
    rig = started()
    rig.put(sorted(rig.lie["stack3"]), "bet3")
    rig.wait(4.0)
    assert [(act.seat, act.kind, act.to, act.all_in) for act in rig.told(m.Action)] == [
        (3, "raise", STACK, True)
    ]
    assert rig.state.seats[3].stack == 0


def test_a_check_is_a_press_and_moves_no_chips() -> None:
    rig = to_flop(started())
    before = len(rig.of(ev.ChipsMoved))
    rig.press("CHECK")
    assert rig.acts()[-1] == (1, "check")
    assert len(rig.of(ev.ChipsMoved)) == before and rig.state.to_act == 2


# -- gathering and the pot ---------------------------------------------------------------------------------


def test_bets_brought_in_are_gathered_seat_by_seat() -> None:
    rig = to_flop(started())
    gathered = [(e.seat, e.from_, e.amount) for e in rig.of(ev.ChipsMoved) if e.to == "pot"]
    assert gathered == [(1, "bet1", 100), (2, "bet2", 100), (3, "bet3", 100)]
    assert rig.state.pot == 300
    assert not rig.told(m.Incident)


def test_the_last_man_takes_the_pot_and_the_hand_is_over() -> None:
    rig = to_flop(started())
    rig.press("CHECK")
    rig.press("CHECK")
    rig.bet(3, 100, 100)
    rig.press("FOLD")
    rig.press("FOLD")
    assert rig.state.phase == "showdown"
    rig.put(sorted(rig.lie["bet3"] | rig.lie["pot"]), "stack3")
    rig.wait(8.0)
    taken = [(event.seat, event.amount) for event in rig.of(ev.PotTaken)]
    assert taken == [(3, 300)]
    assert rig.state.phase == "over"
    assert {s.seat: s.stack for s in rig.told(m.HandEnd)[-1].stacks} == {1: 1900, 2: 1900, 3: 2200}


def test_the_pot_by_one_press() -> None:
    rig = to_flop(started())
    rig.press("CHECK")
    rig.press("CHECK")
    rig.bet(3, 100, 100)
    rig.press("FOLD")
    rig.press("FOLD")
    rig.put(sorted(rig.lie["bet3"]), "stack3")
    rig.wait(4.0)
    rig.press("POT")
    rig.wait(1.0)
    assert [(event.seat, event.amount) for event in rig.of(ev.PotTaken)] == [(3, 300)]
    assert rig.state.phase == "over"


def test_no_chip_is_made_or_lost_in_a_hand() -> None:
    rig = to_flop(started())
    rig.press("CHECK")
    rig.bet(2, 100, 100)
    rig.bet(3, 100, 100)
    rig.press("FOLD")
    rig.gather()
    state = rig.state
    assert state.pot + sum(s.stack + s.bet for s in state.seats.values()) == 3 * STACK
    assert state.pot == 700
    for seat in rig.seats:
        lying = sum(rig.values[uid] for uid in rig.lie[f"stack{seat}"])
        assert lying == state.seats[seat].stack


def test_a_bet_zone_without_a_stack_zone_is_enough() -> None:
    rig = Rig(3, chips=True, unseen_stacks=True)
    rig.start()
    rig.deal()
    rig.put([chip_uid(3, 100, 0)], "bet3")
    rig.wait(12.0)
    assert [(act.seat, act.kind, act.to) for act in rig.told(m.Action)] == [(3, "call", 100)]


def test_a_raise_word_whose_chips_never_come_is_no_act() -> None:
    rig = started()
    rig.press("RAISE")
    rig.wait(35.0)
    assert rig.acts() == [] and rig.state.to_act == 3
    assert "raise_without_chips" in rig.running.notices


def test_a_call_word_whose_chips_never_come_stands_alone() -> None:
    rig = started()
    rig.press("CALL")
    rig.wait(9.0)
    assert rig.acts() == [(3, "call")] and rig.state.to_act == 1


def test_chips_of_the_next_player_too_early_wait_for_the_turn() -> None:
    rig = started()
    rig.put(rig.pick(1, 50), "bet1")
    rig.wait(4.0)
    assert rig.acts() == []
    rig.bet(3, 100)
    rig.wait(2.0)
    assert [(act.seat, act.kind, act.to) for act in rig.told(m.Action)] == [
        (3, "call", 100),
        (1, "call", 100),
    ]
    assert not rig.told(m.Incident) and rig.running.question is None


def test_a_word_for_the_next_player_is_not_taken_for_the_chips_before() -> None:
    """RAISE within two seconds of a sensed call is the next player's: a call is no raise."""
    rig = started()
    rig.put(rig.pick(3, 100), "bet3")
    while not rig.acts():
        rig.wait(0.1)
    rig.wait(0.8)
    rig.press("RAISE")
    rig.bet(1, 1000)
    assert [(act.seat, act.kind) for act in rig.told(m.Action)] == [(3, "call"), (1, "raise")]
    assert rig.state.price == 1050


# -- change at the bank ------------------------------------------------------------------------------------


def test_a_chip_that_was_at_the_bank_comes_back_with_what_is_due() -> None:
    """Of the two chips that go back one was his before it was changed: nothing of what is due is missed."""
    rig = started()
    was_his = rig.pick(3, 100)
    rig.put(was_his, None)
    rig.wait(15.0)
    rig.bet(3, 100, 100, 100)
    rig.muck(1)
    rig.muck(2)
    assert rig.state.to_act is None and rig.running.fusion.balance(rig.state, 3) == 200
    back = rig.pick(3, 100, 100, place="bet3")
    rig.put(back[:1], None)
    rig.put([*was_his, *back[1:]], "stack3")
    rig.wait(8.0)
    assert rig.running.fusion.balance(rig.state, 3) == 0
    assert rig.of(ev.ChipsMoved)[-1].amount == 200
    rig.gather()
    rig.put(sorted(rig.lie["pot"]), "stack3")
    rig.wait(8.0)
    assert rig.state.phase == "over" and rig.state.seats[3].stack == STACK + 150
    assert not rig.told(m.Incident)


def test_chips_read_again_in_a_stack_are_no_payment_while_the_pot_still_lies_there() -> None:
    """Hidden for a while, seen once by the neighbour, and worth just what is due: nothing has been paid."""
    rig = started()
    hidden = rig.pick(3, 100, 100, 100, 100, 50)
    rig.unread.update(hidden)
    rig.wait(15.0)
    rig.put([uid for uid in rig.pick(3, *[100] * 7) if uid not in hidden][:3], "bet3")
    rig.wait(35.0)
    rig.muck(1)
    rig.muck(2)
    assert rig.running.fusion.balance(rig.state, 3) == 200 and rig.state.awards
    rig.lie["stack2"].update(hidden)
    rig.lie["stack3"].difference_update(hidden)
    rig.unread.clear()
    rig.wait(1.0)
    rig.put(hidden, "stack3")
    rig.wait(20.0)
    assert not rig.of(ev.PotTaken) and rig.running.fusion.balance(rig.state, 3) == 200


def test_a_bet_read_before_an_empty_seat_for_a_moment_stays_where_it_was() -> None:
    """A neighbour's antenna reads a chip while its own misses it: no act out of turn comes of it."""
    seats = (1, 2, 3)
    zones = [f"{kind}{seat}" for kind in ("seat", "bet", "stack") for seat in (*seats, 4)]
    rig = started(3, places=[*zones, "deck", "board", "burn", "muck", "pot"])
    rig.bet(3, 100, 100, 100)
    rig.wait(8.0)
    acts = len(rig.acts())
    strays = rig.pick(3, 100, place="bet3")
    rig.put(strays, "bet4")
    rig.wait(1.2)
    rig.put(strays, None)
    rig.wait(3.0)
    rig.put(strays, "bet3")
    rig.wait(20.0)
    assert len(rig.acts()) == acts and rig.running.question is None
    assert not rig.noted(notes.Asked)
    rig.muck(1)
    rig.muck(2)
    assert rig.running.fusion.balance(rig.state, 3) == 200


def test_a_winner_whose_blind_was_never_read_is_paid_out() -> None:
    """His blind went in unseen and was changed: nothing lies in the middle any more, so he has the pot."""
    rig = Rig(3, chips=True)
    rig.start()
    rig.bet(1, 50)
    blind = rig.pick(2, 100)
    rig.put(blind, None)
    rig.deal()
    rig.muck(3)
    rig.muck(1)
    assert rig.state.phase == "showdown" and rig.running.fusion.balance(rig.state, 2) < 0
    rig.put(sorted(rig.lie["bet1"]), "pot")
    rig.wait(4.0)
    rig.put(sorted(rig.lie["pot"]), "stack2")
    rig.wait(10.0)
    assert rig.state.phase == "over"
    assert rig.state.seats[2].stack == STACK + 50


# -- asked once, and what was put in unseen --------------------------------------------------------------------


def limped(rig: Rig) -> Rig:
    """Blinds and cards lie; seat 3 is to act."""
    rig.start()
    rig.bet(1, 50, then=1.0)
    rig.bet(2, 100, then=1.0)
    rig.deal()
    rig.wait(2.0)
    assert rig.state.to_act == 3
    return rig


def asked_of(rig: Rig) -> list[str]:
    return [note.incident for note in rig.noted(notes.Asked)]


def test_what_people_denied_is_not_asked_again_while_nothing_moves() -> None:
    rig = limped(Rig(4, chips=True, book="ropta"))
    rig.bet(3, 50, then=15.0)
    assert rig.running.question is not None
    rig.press("NO")
    rig.wait(120.0)
    assert len(asked_of(rig)) == 1 and rig.state.to_act == 3
    assert m.DoubtAt(place="bet3", reason="chips_not_read") in rig.running.doubts
    rig.put(rig.pick(3, 50), "bet3")
    rig.wait(4.0)
    assert rig.state.seats[3].bet == 100 and rig.state.to_act == 4
    assert len(asked_of(rig)) == 1


def test_a_call_is_whole_though_the_blind_was_put_in_unseen() -> None:
    """The small blind's chip was never read before him: his call is not taken for the blind and a part of a call."""
    rig = Rig(4, chips=True, book="ropta")
    rig.start()
    blind = rig.pick(1, 50)
    rig.put(blind, None)
    rig.bet(2, 100, then=1.0)
    rig.deal()
    rig.wait(2.0)
    rig.bet(3, 100, 100, 100)
    rig.bet(4, 100, 100, 100)
    rig.bet(1, 100, 100, 50, then=8.0)
    assert rig.state.seats[1].bet == 300 and rig.state.to_act == 2
    assert asked_of(rig) == []


def test_bets_raked_before_the_last_of_them_was_read_are_that_players_act() -> None:
    rig = limped(Rig(4, chips=True))
    rig.bet(3, 100, 100, 100)
    rig.bet(4, 100, 100, 100)
    rig.bet(1, 100, 100, 50)
    assert rig.state.to_act == 2
    last = rig.pick(2, 100, 100)
    rig.put([*last, *(uid for seat in rig.seats for uid in sorted(rig.lie[f"bet{seat}"]))], "pot")
    rig.wait(15.0)
    assert rig.state.pot == 4 * 300 and rig.expected() == "burn"
    assert rig.state.acts[-1] == "C"
    assert asked_of(rig) == []
    assert [rig.running.fusion.balance(rig.state, seat) for seat in rig.seats] == [0, 0, 0, 0]


@pytest.mark.parametrize(("own", "bank"), [((), (100, 100)), ((100,), (50, 50))])
def test_a_call_in_chips_of_the_bank_raked_at_once_is_paid(
    own: tuple[int, ...], bank: tuple[int, ...]
) -> None:
    """He changes a chip, puts the change in, and it is raked before it was read at his place: who owes it paid it."""
    rig = limped(Rig(4, chips=True))
    rig.bet(3, 100, 100, 100)
    rig.bet(4, 100, 100, 100)
    rig.bet(1, 100, 100, 50)
    changed = [f"E0FF0000003200{number:02}" for number in range(len(bank))]
    rig.values |= dict(zip(changed, bank, strict=True))
    rig.running.fusion._chips._tags._chips.update(rig.values)  # type: ignore[union-attr]
    mine = rig.pick(2, *own)
    rig.put(rig.pick(2, 1000), None)
    rig.put([*mine, *changed, *(uid for seat in rig.seats for uid in sorted(rig.lie[f"bet{seat}"]))], "pot")
    rig.wait(1.0)
    rig.running.say(ev.Acted(seat=2, said="call"), "page")
    rig.wait(12.0)
    assert rig.state.pot == 4 * 300 and rig.expected() == "burn"
    assert [rig.running.fusion.balance(rig.state, seat) for seat in rig.seats] == [0, 0, 0, 0]
    assert asked_of(rig) == []


def test_who_bets_after_chips_that_are_still_on_their_way_is_not_out_of_turn() -> None:
    """Seat 3 has put in his call, and nobody reads one chip of it: seat 4's call waits for it."""
    rig = limped(Rig(4, chips=True))
    mine = rig.pick(3, 100, 100)
    rig.unread.add(mine[0])
    rig.put(mine, "bet3")
    rig.wait(2.0)
    rig.bet(4, 100, 100, then=14.0)
    assert asked_of(rig) == []
    rig.unread.clear()
    rig.wait(6.0)
    assert asked_of(rig) == []
    assert (rig.state.seats[3].bet, rig.state.seats[4].bet) == (200, 200)


def half_read(rig: Rig) -> Rig:
    """Seat 3 raises to 400, and one of its four chips was missed in his stack already and is read nowhere."""
    bet = rig.pick(3, 100, 100, 100, 100)
    rig.unread.add(bet[3])
    rig.wait(4.0)
    rig.put(bet, "bet3")
    rig.wait(40.0)
    assert rig.state.seats[3].bet == 300 and rig.state.to_act == 4
    return rig


def test_a_chip_read_late_that_left_with_the_bet_is_of_the_bet() -> None:
    """No string bet, and nobody is asked."""
    rig = half_read(limped(Rig(4, chips=True)))
    rig.unread.clear()
    rig.wait(10.0)
    assert rig.state.seats[3].bet == 400 and rig.state.to_act == 4
    assert asked_of(rig) == []
    assert rig.running.fusion.balance(rig.state, 3) == 0


def test_what_people_denied_means_something_else_at_another_price() -> None:
    """Seat 4 calls 400 while 300 were read; no raise, people say. Once the bet is read whole, it is the call."""
    rig = half_read(limped(Rig(4, chips=True, book="ropta")))
    rig.bet(4, 100, 100, 100, 100, then=15.0)
    assert asked_of(rig) == ["below_minimum_raise"]
    rig.press("NO")
    rig.unread.clear()
    rig.wait(25.0)
    assert rig.state.price == 400 and rig.state.seats[4].bet == 400 and rig.state.to_act != 4
    assert len(asked_of(rig)) == 1


def test_a_bet_of_free_size_waits_until_his_stack_was_read_again() -> None:
    """The last chip of a bet is missed for a moment: it belongs to the bet, not to a second motion."""
    rig = limped(Rig(4, chips=True))
    bet = rig.pick(3, 1000, 100)
    rig.put(bet[:1], "bet3")
    rig.scan("bet3", cards=False)
    rig.put(bet[1:], "bet3")
    rig.unread.add(bet[1])
    rig.wait(2.0)
    rig.unread.clear()
    rig.wait(5.0)
    assert [event.chips for event in rig.of(ev.Acted) if event.seat == 3][-1] == (1000, 100)
    assert asked_of(rig) == []


def test_a_fold_waits_for_the_same_players_bet_that_is_on_its_way() -> None:
    """Seat 3 bets (a chip of it is not read yet), seat 4 raises, seat 3 folds: the bet comes first, then the raise."""
    rig = limped(Rig(4, chips=True))
    bet = rig.pick(3, 100, 100)
    rig.unread.add(bet[1])
    rig.put(bet, "bet3")
    rig.wait(2.0)
    rig.bet(4, 100, 100, 100, 100)
    rig.bet(1, 100, 100, 100, 50, then=1.0)
    rig.bet(2, 100, 100, 100, then=1.0)
    rig.muck(3)
    rig.wait(4.0)
    assert not rig.state.seats[3].folded
    rig.unread.clear()
    rig.wait(12.0)
    assert rig.state.seats[3].folded and rig.state.seats[3].paid == 200
    assert rig.state.price == 400 and asked_of(rig) == []


def test_raise_said_for_the_next_turn_is_not_the_last_bet_told_again() -> None:
    rig = limped(Rig(4, chips=True, book="ropta"))
    rig.bet(3, 100, 100, then=4.0)
    assert rig.state.to_act == 4
    rig.press("RAISE", then=0.2)
    rig.bet(4, 1000, then=4.0)
    assert rig.state.price == 1000 and rig.state.aggressor == 4
    assert asked_of(rig) == []
