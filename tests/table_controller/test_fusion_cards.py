"""What cards on antennas tell: clean deals, late reads, folds; and what they must never tell."""

from __future__ import annotations

import itertools

import pytest

from engine import events as ev
from table_controller import messages as m
from table_controller import notes
from tests.table_controller.rig import HOLES, Rig, called_round, card_uid, dealt

DEAL_4 = [("deck", f"seat{seat}") for seat in (1, 2, 3, 4)] * 2


# -- the deal ----------------------------------------------------------------------------------------------


def test_a_clean_deal_is_one_event_a_card_in_order_and_nothing_else() -> None:
    rig = dealt(Rig(4))
    assert rig.moves() == DEAL_4
    assert rig.running.ruled == (-1, ())
    assert rig.running.doubts == ()
    assert [event.card for event in rig.of(ev.CardMoved)] == [None] * 8
    assert not rig.told(m.Incident) and not rig.told(m.Doubt)


@pytest.mark.parametrize("button", [1, 3, 4])
def test_the_deal_begins_at_the_buttons_left(button: int) -> None:
    rig = dealt(Rig(4, button=button))
    assert [int(to[4:]) for _, to in rig.moves()] == rig.order * 2
    assert rig.order[-1] == button


def test_ten_seats_with_holes_between_them() -> None:
    rig = dealt(Rig([2, 3, 5, 6, 8, 9, 10], button=5))
    assert [int(to[4:]) for _, to in rig.moves()] == [6, 8, 9, 10, 2, 3, 5] * 2


def test_two_cards_in_one_cycle_share_a_group_and_come_in_the_expected_order() -> None:
    rig = Rig(4)
    rig.start()
    for turn in (0, 1):
        for pair in ((1, 2), (3, 4)):
            # laid the wrong way round within one cycle: nobody can know
            for seat in reversed(pair):
                rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0)
            rig.scan(chips=False)
            rig.wait(0.4)
    moves = rig.of(ev.CardMoved)
    assert rig.moves() == DEAL_4
    groups = [event.group for event in moves]
    assert all(groups) and [groups[n] == groups[n + 1] for n in range(0, 8, 2)] == [True] * 4
    assert len(set(groups)) == 4
    assert rig.state.phase == "preflop" and not rig.told(m.Incident)


def test_a_whole_round_in_one_cycle_is_a_clean_deal() -> None:
    rig = Rig(6)
    rig.start()
    for turn in (0, 1):
        for seat in reversed(rig.order):
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0)
        rig.scan(chips=False)
        rig.wait(0.5)
    assert [int(to[4:]) for _, to in rig.moves()] == rig.order * 2
    assert rig.state.phase == "preflop" and not rig.told(m.Incident)


@pytest.mark.parametrize("missed", range(8))
def test_a_card_read_one_cycle_late_is_no_irregularity(missed: int) -> None:
    rig = Rig(4)
    rig.start()
    for place, seat in enumerate(rig.order * 2):
        card = rig.holes(seat)[place // 4]
        rig.card(card, f"seat{seat}", then=0)
        if place == missed:
            rig.unread.add(card_uid(card))
            rig.wait(0.8)
            rig.unread.clear()
        else:
            rig.wait(0.5)
    rig.wait(1.0)
    assert rig.moves() == DEAL_4
    assert rig.running.question is None and not rig.told(m.Incident)


@pytest.mark.parametrize("seat", [1, 2, 3, 4])
def test_two_cards_on_one_antenna_may_flicker(seat: int) -> None:
    rig = dealt(Rig(4))
    uids = [card_uid(card) for card in rig.holes(seat)]
    for hidden in ([], uids[:1], uids, uids[1:], uids, [], uids[:1]) * 2:
        rig.unread = set(hidden)
        rig.wait(0.4)
    rig.unread.clear()
    rig.wait(10.0)
    assert rig.moves() == DEAL_4
    assert rig.running.question is None


def test_a_card_that_is_never_read_is_doubt_first_and_a_question_of_people_at_last() -> None:
    rig = Rig(4)
    rig.start()
    rig.unread.add(card_uid(rig.holes(2)[1]))
    rig.deal()
    rig.wait(3.0)
    assert m.DoubtAt(place="seat2", reason="card_not_read") in rig.running.doubts
    assert m.Doubt(place="seat2", reason="card_not_read") in rig.told(m.Doubt)
    assert rig.running.question is None and not rig.told(m.Incident)
    rig.unread.clear()
    rig.wait(1.0)
    assert rig.running.doubts == ()
    assert m.Doubt(place="seat2", reason="card_not_read", resolved=True) in rig.told(m.Doubt)
    assert sorted(rig.moves()) == sorted(DEAL_4)
    assert rig.state.phase == "preflop" and not rig.told(m.Incident)


def test_a_card_that_stays_unread_is_asked_about_and_taken_as_there_when_denied() -> None:
    rig = Rig(4)
    rig.start()
    rig.unread.add(card_uid(rig.holes(2)[1]))
    rig.deal()
    rig.wait(9.0)
    assert rig.running.question is not None
    assert rig.expected() == "ask"
    rig.press("NO")
    assert rig.state.phase == "preflop"
    assert [len(rig.state.seats[seat].cards) for seat in rig.seats] == [2, 2, 2, 2]
    assert not rig.told(m.Incident)


def test_a_seat_without_an_antenna_is_not_seen_and_never_missing() -> None:
    rig = Rig(4, blind=("seat2",))
    rig.start()
    rig.deal()
    assert rig.moves() == DEAL_4
    assert rig.running.fusion.readable(2) is None
    assert rig.running.fusion.readable(1) == 2
    rig.wait(10.0)
    assert rig.running.doubts == () and rig.running.question is None


def test_a_ghost_of_one_cycle_means_nothing() -> None:
    rig = dealt(Rig(4))
    for place in ("seat1", "board", "muck", "burn"):
        rig.put(["DEADBEEF"], place)
        rig.scan(chips=False)
        rig.put(["DEADBEEF"], None)
        rig.wait(1.0)
    assert rig.moves() == DEAL_4 and not rig.of(ev.ForeignCard)


def test_a_stranger_that_lies_still_is_asked_about_once() -> None:
    rig = dealt(Rig(4, sensors="tell"))
    rig.put(["DEADBEEF"], "seat1")
    rig.wait(2.5)
    assert not rig.of(ev.ForeignCard)
    rig.wait(6.0)
    assert [event.at for event in rig.of(ev.ForeignCard)] == ["seat1"]
    assert b"DEADBEEF" not in rig.everything()


def test_a_neighbours_antenna_that_reads_a_card_too_moves_nothing() -> None:
    rig = dealt(Rig(4))
    rig.lie["seat2"].add(card_uid(rig.holes(1)[0]))
    rig.wait(12.0)
    assert rig.moves() == DEAL_4 and rig.running.question is None


def test_the_resting_deck_is_silent_at_every_antenna() -> None:
    rig = Rig(4)
    rig.start()
    for seat in (1, 2):
        rig.card(rig.holes(seat)[0], f"seat{seat}")
    before = rig.moves()
    for place in ("seat3", "board", "burn", "muck", "seat1"):
        for card in ("2h", "As", "Kd"):
            rig.card(card, place, then=0, deck="blue")
        rig.wait(12.0)
    assert rig.moves() == before
    assert rig.running.question is None and rig.running.doubts == ()
    assert not rig.of(ev.ForeignCard) and not rig.of(ev.DuplicateCard)


def test_cards_alone_start_no_hand() -> None:
    rig = Rig(4)
    rig.deal()
    assert rig.events == [] and rig.state.phase == "over"


def test_cards_left_from_the_hand_before_are_not_dealt_again() -> None:
    rig = Rig(4)
    for seat in (1, 2):
        rig.card(HOLES[10 + seat], f"seat{seat}", then=0)
    rig.start()
    rig.wait(3.0)
    assert rig.moves() == []
    for seat in (1, 2):
        rig.card(HOLES[10 + seat], None, then=0)
    rig.wait(3.0)
    rig.deal()
    assert rig.moves() == DEAL_4 and rig.state.phase == "preflop"


# -- folds -------------------------------------------------------------------------------------------------


def test_both_cards_over_the_muck_in_turn_are_a_fold() -> None:
    rig = dealt(Rig(4))
    rig.muck(3)
    assert rig.moves()[8:] == [("seat3", "muck")] * 2
    assert rig.state.seats[3].folded and rig.state.to_act == 4
    assert [(act.seat, act.kind) for act in rig.told(m.Action)] == [(3, "fold")]
    assert [event.card for event in rig.of(ev.CardMoved)[8:]] == [None, None]
    assert len({event.group for event in rig.of(ev.CardMoved)[8:]}) == 1


def test_a_fold_whose_second_card_is_buried_unread_is_a_fold() -> None:
    rig = dealt(Rig(4))
    rig.unread.add(card_uid(rig.holes(3)[1]))
    rig.muck(3)
    rig.wait(3.0)
    assert rig.moves()[8:] == [("seat3", "muck")] * 2
    assert rig.state.seats[3].folded


def test_the_muck_pile_is_taken_away_and_nothing_comes_back() -> None:
    rig = dealt(Rig(4))
    rig.muck(3)
    rig.put([card_uid(card) for card in rig.holes(3)], None)
    rig.wait(12.0)
    assert rig.moves()[8:] == [("seat3", "muck")] * 2 and rig.running.question is None


def test_cards_of_unknown_origin_in_the_muck_are_no_fold_until_a_person_says_whose() -> None:
    rig = dealt(Rig(4, blind=("seat3",)))
    rig.muck(3)
    rig.wait(20.0)
    assert not rig.state.seats[3].folded and rig.state.to_act == 3
    assert m.DoubtAt(place="seat3", reason="fold_not_seen") in rig.running.doubts
    rig.press("FOLD")
    assert rig.state.seats[3].folded and rig.state.to_act == 4
    assert rig.running.doubts == ()


def test_the_cards_of_one_seat_without_an_antenna_never_fold_another() -> None:
    """Seat 4 throws his cards in too soon, while seat 3 is to act: neither seat has an antenna."""
    rig = Rig(4, blind=("seat3", "seat4"))
    rig.start()
    rig.deal()
    rig.press("YES")
    assert rig.state.to_act == 3
    rig.muck(4)
    rig.wait(20.0)
    assert rig.state.in_hand() == [1, 2, 3, 4]
    rig.press("CALL")
    assert rig.state.to_act == 4 and not rig.state.seats[3].folded


def test_a_neighbours_antenna_that_reads_a_card_once_gives_it_to_nobody() -> None:
    """The first card of seat 1 is not read there yet, and seat 2, whose card is missed, reads seat 1's second card."""
    rig = Rig(4, button=2)
    rig.start()
    mine, late = card_uid(rig.holes(1)[0]), card_uid(rig.holes(2)[0])
    rig.unread.add(late)
    for seat in rig.order[:2]:
        rig.card(rig.holes(seat)[0], f"seat{seat}")
    rig.card(rig.holes(1)[0], "seat1", then=0.8)
    rig.card(rig.holes(2)[0], "seat2", then=0)
    rig.lie["seat2"].add(card_uid(rig.holes(3)[0]))
    rig.scan("seat2")
    rig.lie["seat2"].discard(card_uid(rig.holes(3)[0]))
    rig.wait(1.0)
    rig.unread.clear()
    rig.wait(1.0)
    for seat in rig.order:
        rig.card(rig.holes(seat)[1], f"seat{seat}", then=1.0)
    rig.wait(3.0)
    assert rig.state.phase == "preflop" and rig.running.question is None
    assert [len(rig.running.fusion.hand(seat)) for seat in (1, 2, 3, 4)] == [2, 2, 2, 2]
    for seat in rig.seats:
        assert set(rig.running.fusion.hand(seat)) == set(rig.holes(seat))
    assert mine


def test_a_card_that_people_say_went_back_to_the_deck_is_new_when_it_comes_again() -> None:
    rig = called_round(dealt(Rig(4, book="ropta")))
    rig.street("2c", "3c", "4c", burn="Ks")
    rig.press("CHECK")
    rig.card("Kc", "burn", then=0.8)
    rig.card("5c", "board", then=12.0)
    rig.press("YES")
    assert rig.of(ev.CardMoved)[-1].card == "5c"
    assert "premature_turn" in {incident.incident for incident in rig.told(m.Incident)}
    assert [(o.order, o.from_, o.to) for o in rig.running.expects[:1]] == [("move", "board", "deck")]
    rig.card("5c", None)
    rig.press("YES")
    while rig.state.to_act is not None:
        rig.press("CHECK")
    rig.press("SHUFFLED")
    rig.press("CUT")
    assert rig.expected() == "board"
    rig.card("5c", "board", then=1.0)
    assert rig.state.board == ("2c", "3c", "4c", "5c")
    assert rig.state.phase == "turn"


def test_what_was_undone_is_told_again_once_it_happens_again() -> None:
    rig = dealt(Rig(4))
    rig.press("FOLD")
    assert rig.state.seats[3].folded
    rig.press("UNDO")
    assert not rig.state.seats[3].folded
    rig.muck(3)
    assert rig.state.seats[3].folded


@pytest.mark.parametrize("gone", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("seat", [1, 3])
def test_absence_is_never_a_fold(seat: int, gone: tuple[int, ...]) -> None:
    rig = dealt(Rig(4))
    rig.put([card_uid(rig.holes(seat)[place]) for place in gone], None)
    rig.wait(40.0)
    assert rig.moves() == DEAL_4
    assert not any(s.folded or s.dead for s in rig.state.seats.values())
    assert rig.running.question is None
    assert rig.running.fusion.readable(seat) == 2 - len(gone)
    assert rig.state.to_act == 3


def test_absence_of_everybody_is_never_a_fold_either() -> None:
    rig = dealt(Rig(4))
    rig.put([card_uid(card) for seat in rig.seats for card in rig.holes(seat)], None)
    rig.wait(40.0)
    assert rig.moves() == DEAL_4 and rig.state.in_hand() == [1, 2, 3, 4]


def test_a_board_that_is_unplugged_folds_nobody() -> None:
    rig = dealt(Rig(4))
    rig.device("lost")
    rig.t += 60.0
    rig.device("ready")
    rig.wait(5.0)
    assert rig.moves() == DEAL_4 and rig.state.in_hand() == [1, 2, 3, 4]


def test_a_device_that_is_lost_is_told() -> None:
    rig = dealt(Rig(4))
    rig.device("lost")
    rig.wait(0.2)
    assert [doubt.reason for doubt in rig.running.doubts] == ["device_lost"]
    rig.device("ready")
    rig.wait(0.2)
    assert rig.running.doubts == ()


def test_a_hand_looked_at_and_put_back_is_nothing() -> None:
    rig = dealt(Rig(4))
    uids = [card_uid(card) for card in rig.holes(3)]
    for _ in range(3):
        rig.put(uids, None)
        rig.wait(5.0)
        rig.put(uids, "seat3")
        rig.wait(2.0)
    assert rig.moves() == DEAL_4 and rig.running.question is None


def test_one_card_over_the_muck_with_the_other_at_its_place_is_no_fold() -> None:
    rig = dealt(Rig(4))
    rig.put([card_uid(rig.holes(3)[0])], "muck")
    rig.wait(4.0)
    assert rig.moves() == DEAL_4 and not rig.state.seats[3].folded
    rig.put([card_uid(rig.holes(3)[0])], "seat3")
    rig.wait(12.0)
    assert rig.moves() == DEAL_4 and not rig.state.seats[3].folded


# -- secrecy -----------------------------------------------------------------------------------------------


def test_no_name_of_a_card_that_lies_face_down_is_in_anything_that_leaves() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.street("2c", "3c", "4c", burn="Ks")
    rig.press("CHECK")
    rig.press("FOLD")
    rig.put([card_uid(card) for card in rig.holes(2)], "muck")
    rig.wait(3.0)
    hidden = {card for seat in rig.seats for card in rig.holes(seat)} | {"Ks"}
    told = rig.everything().decode()
    assert [card for card in sorted(hidden) if f'"{card}"' in told or f"'{card}'" in told] == []
    assert not any(card_uid(card) in told for card in hidden)
    assert '"2c"' in told


def test_what_fusion_offers_does_not_print_a_tag() -> None:
    rig = Rig(4)
    rig.start()
    rig.card(HOLES[0], "seat1", then=0)
    fusion = rig.running.fusion
    from firmware_bridge.observations import Inventory

    uid = card_uid(HOLES[0])
    fusion.feed(
        Inventory(t=rig.t, device="board", antenna=0, kind="seat", index=1, uids=(uid,), quality=100, cycle=9)
    )
    offer = fusion.next(rig.state, rig.running.engine_expects)
    assert offer is not None and offer.place == "seat1"
    assert uid not in repr(offer) and HOLES[0] not in repr(offer)


def test_the_order_in_which_antennas_are_read_changes_nothing() -> None:
    told = set()
    for zones in itertools.islice(itertools.permutations(("seat1", "seat2", "seat3", "board")), 0, 24, 5):
        rig = called_round(dealt(Rig(3, places=[*zones, "deck", "burn", "muck"])))
        rig.street("2c", "3c", "4c", burn="Ks")
        told.add(tuple(rig.moves()))
    assert told == {
        tuple([("deck", f"seat{n}") for n in (1, 2, 3)] * 2 + [("deck", "burn")] + [("deck", "board")] * 3)
    }


def test_the_last_seat_read_late_in_the_first_round_makes_no_misdeal() -> None:
    """His first card is not read while the second round goes on: it must not be taken for his last."""
    rig = Rig(6)
    late = {card_uid(rig.holes(6)[0]), card_uid(rig.holes(1)[1])}
    rig.unread.update(late)
    rig.start()
    for turn in (0, 1):
        for seat in rig.order[: 6 - turn]:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0.8)
    rig.unread.discard(card_uid(rig.holes(6)[0]))
    rig.wait(1.0)
    rig.card(rig.holes(6)[1], "seat6", then=1.0)
    rig.unread.clear()
    rig.wait(3.0)
    assert rig.state.phase == "preflop" and rig.running.question is None
    assert not rig.told(m.Incident) and not rig.noted(notes.Asked)


def test_who_tells_of_the_last_card_of_the_deal_says_that_the_others_are_dealt() -> None:
    """The last card falls off the table while another seat's is not read yet: that is no seat left out."""
    rig = Rig(4, book="ropta")
    late = card_uid(rig.holes(2)[1])
    rig.unread.add(late)
    rig.start()
    for turn in (0, 1):
        for seat in rig.order[: 4 - turn]:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0.8)
    rig.wait(2.0)
    rig.running.say(ev.CardMoved(card="As", from_="deck", to="off_table", face="up", by="dealer"), "page")
    rig.collect()
    assert [i.incident for i in rig.told(m.Incident)] == ["card_dropped_by_dealer"]
    rig.unread.clear()
    rig.card(rig.holes(4)[1], "seat4", then=1.0)
    assert all(len(rig.running.fusion.hand(seat)) == 2 for seat in rig.seats)
    assert rig.running.question is None


def test_yes_for_the_last_seats_without_antennas_deals_one_that_is_not_read_yet_as_well() -> None:
    """Seat 1's second card lies under a guard, seats 3 and 4 have no antenna: YES ends the deal, and nobody was left out."""
    rig = Rig(4, book="ropta", blind=("seat3", "seat4"))
    rig.unread.add(card_uid(rig.holes(1)[1]))
    rig.start()
    for turn in (0, 1):
        for seat in rig.order:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0.8)
    rig.wait(2.0)
    rig.press("YES")
    assert rig.state.phase == "preflop"
    assert not rig.told(m.Incident) and rig.running.question is None


@pytest.mark.parametrize("word", ["CALL", "FOLD"])
def test_a_word_that_ends_the_deal_leaves_nobody_out(word: str) -> None:
    rig = Rig(4, book="ropta", blind=("seat3", "seat4"))
    rig.unread.add(card_uid(rig.holes(1)[1]))
    rig.start()
    for turn in (0, 1):
        for seat in rig.order:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0.8)
    rig.wait(2.0)
    rig.press(word)
    assert not rig.told(m.Incident)


@pytest.mark.parametrize("late_s", [2.0, 5.0, 7.0, 9.0])
def test_a_card_of_the_first_round_read_late_is_no_misdeal_where_seats_behind_it_cannot_be_seen(
    late_s: float,
) -> None:
    rig = Rig(10, button=9, blind=("seat8", "seat9", "seat10"))
    rig.start()
    late, since = card_uid(rig.holes(7)[0]), 0.0
    rig.unread.add(late)
    for turn in (0, 1):
        for seat in rig.order:
            rig.card(rig.holes(seat)[turn], f"seat{seat}", then=0.65)
            since = since or (rig.t if seat == 7 else 0.0)
            if since and rig.t - since > late_s:
                rig.unread.discard(late)
    rig.wait(3.0)
    rig.unread.discard(late)
    rig.wait(2.0)
    rig.press("YES")  # of the last seat nobody has read anything
    assert rig.state.phase == "preflop" and rig.running.question is None
    assert {seat.dealt for seat in rig.state.seats.values()} == {2}


@pytest.mark.parametrize("unread", [(6,), (6, 7), (2, 7), (1, 6, 7)])
def test_what_is_inferred_and_denied_is_not_inferred_for_ever(unread: tuple[int, ...]) -> None:
    rig = Rig(10, button=9, blind=("seat8", "seat9", "seat10"), sensors="silent")
    rig.start()
    rig.unread.update(card_uid(rig.holes(seat)[1]) for seat in unread)
    rig.deal()
    rig.wait(30.0)
    rig.press("CALL", then=5.0)
    assert len(rig.noted(notes.Asked)) <= len(unread) + 3
