"""What a press means: a word of the player to act, "done" for the act shown, or nothing."""

from __future__ import annotations

import pytest

from engine import events as ev
from engine.vocabulary import SEAT_PLACES
from table_controller import messages as m
from table_controller.config import Timing
from tests.table_controller.rig import Rig, called_round, card_uid, dealt


def checked_down(rig: Rig) -> Rig:
    """All cards are out and nobody bets: hands are to be shown."""
    called_round(rig)
    for cards, burn in ((("2c", "7c", "Ts"), "Ks"), (("5c",), "Qs"), (("8s",), "Js")):
        rig.street(*cards, burn=burn)
        while rig.state.to_act is not None:
            rig.press("CHECK")
    assert rig.state.phase == "showdown"
    return rig


# -- words of the player to act ----------------------------------------------------------------------------


def test_a_word_is_of_the_player_to_act() -> None:
    rig = dealt(Rig(4))
    rig.press("CALL")
    rig.press("FOLD")
    rig.press("ALL_IN")
    assert rig.acts() == [(3, "call"), (4, "fold"), (1, "all_in")]
    assert [event.cause for event in rig.public if type(event.body) is m.Action] == [
        "panel:CALL",
        "panel:FOLD",
        "panel:ALL_IN",
    ]


def test_one_press_is_one_check() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.street("2c", "3c", "4c", burn="Ks")
    before = len(rig.acts())
    rig.press("CHECK")
    assert rig.acts()[before:] == [(1, "check")]
    assert rig.state.to_act == 2


def test_a_raise_that_nobody_has_bet_before_is_a_bet() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.street("2c", "3c", "4c", burn="Ks")
    rig.press("RAISE")
    rig.press("RAISE")
    assert rig.acts()[-2:] == [(1, "bet"), (2, "raise")]


def test_a_fold_by_press_needs_no_cards() -> None:
    rig = Rig(4, blind=("seat1", "seat2", "seat3", "seat4", "muck"))
    rig.start()
    rig.press("YES")
    rig.press("FOLD")
    assert rig.acts() == [(3, "fold")] and rig.state.seats[3].folded and rig.state.to_act == 4


def test_a_fold_is_not_believed_of_a_seat_whose_cards_lie_there_while_others_went_to_the_muck() -> None:
    rig = Rig(4, blind=("seat4",))
    rig.start()
    rig.deal()
    rig.card(rig.holes(4)[0], "muck", then=0.4)  # nobody has heard seat 3
    rig.card(rig.holes(4)[1], "muck", then=0.0)
    rig.press("FOLD", then=1.5)
    assert rig.acts() == [] and not rig.state.seats[3].folded and rig.state.to_act == 3
    assert "fold_cards_there" in rig.running.notices
    rig.press("CALL")
    rig.press("FOLD", then=1.5)
    assert rig.acts() == [(3, "call"), (4, "fold")]


def test_a_fold_said_again_counts_whatever_is_read() -> None:
    rig = Rig(4, blind=("seat4",))
    rig.start()
    rig.deal()
    rig.card(rig.holes(4)[0], "muck", then=0.4)
    rig.press("FOLD", then=3.0)
    assert rig.acts() == []
    rig.press("FOLD", then=1.0)
    assert rig.acts() == [(3, "fold")]


def test_a_fold_of_a_seat_nobody_sees_is_said_twice_when_somebody_spoke_whose_cards_lie_nowhere() -> None:
    rig = Rig(6, blind=("seat5", "seat6"))
    rig.start()
    rig.deal()
    for card in rig.holes(3):
        rig.card(card, None, then=0.2)  # thrown beside the muck: nobody has told of it
    rig.wait(3.0)
    rig.press("CALL")  # seat 4's; the table takes it for seat 3's
    rig.press("CALL")  # seat 5's
    rig.card(rig.holes(6)[0], "muck", then=0.4)
    rig.card(rig.holes(6)[1], "muck", then=0.0)
    rig.press("FOLD", then=3.0)  # seat 6's
    assert rig.acts() == [(3, "call"), (4, "call")] and not rig.state.seats[5].folded
    assert "fold_of_whom" in rig.running.notices
    rig.press("FOLD", then=1.0)
    assert rig.acts()[-1] == (5, "fold")


@pytest.mark.parametrize(
    ("away", "acts"), [(3.0, [(3, "call"), (4, "call"), (5, "fold")]), (12.0, [(3, "call"), (4, "call")])]
)
def test_a_fold_of_a_seat_nobody_sees_is_said_twice_when_cards_of_one_who_spoke_are_gone_for_long(
    away: float, acts: list[tuple[int, str]]
) -> None:
    """Cards that are looked at for a moment cast no doubt; cards beside the muck, of which nobody told, do."""
    rig = Rig(6, blind=("seat5", "seat6"))
    rig.start()
    rig.deal()
    for card in rig.holes(3):
        rig.card(card, None, then=0.0)
    rig.wait(away)
    rig.press("CALL")
    rig.press("CALL")
    rig.press("FOLD", then=1.0)
    assert rig.acts() == acts
    if len(acts) == 2:
        assert "fold_of_whom" in rig.running.notices
        rig.press("FOLD", then=1.0)
        assert rig.acts() == [*acts, (5, "fold")]


@pytest.mark.parametrize("refused", [False, True])
def test_a_fold_of_a_seat_whose_cards_lie_there_is_said_twice_once_a_word_was_refused(refused: bool) -> None:
    """The word that was refused was somebody's: each one since may be the next player's."""
    rig = Rig(4)
    rig.start()
    if refused:
        rig.press("CALL", then=3.0)
        assert "nobody_to_act" in rig.running.notices
    rig.deal()
    rig.press("CALL")
    rig.press("FOLD", then=1.0)
    assert rig.acts() == ([(3, "call")] if refused else [(3, "call"), (4, "fold")])
    if refused:
        assert rig.running.notices[-1] == "fold_cards_there"
        rig.press("FOLD", then=1.0)
        assert rig.acts() == [(3, "call"), (4, "fold")]


def test_a_fold_whose_cards_are_taken_is_not_asked_for_again() -> None:
    rig = Rig(4)
    rig.start()
    rig.press("CALL", then=3.0)
    rig.deal()
    rig.card(rig.holes(3)[0], "muck", then=0.4)
    rig.press("FOLD", then=0.2)
    rig.card(rig.holes(3)[1], "muck", then=1.5)
    assert rig.state.seats[3].folded and "fold_cards_there" not in rig.running.notices


def test_the_fold_before_the_round_is_closed_belongs_to_that_round() -> None:
    rig = dealt(Rig(4))
    for word in ("CALL", "RAISE", "CALL", "CALL"):
        rig.press(word)
    for card in rig.holes(3):
        rig.card(card, "muck", then=0.4)
    rig.press("YES", then=0.0)
    assert rig.state.phase == "preflop" and rig.state.to_act == 3
    rig.wait(2.0)
    assert rig.state.seats[3].folded and rig.expected() == "burn"
    assert not rig.of(ev.RoundClosed) and not rig.told(m.Incident)


def test_a_word_close_behind_a_fold_is_the_next_players() -> None:
    rig = dealt(Rig(4))
    rig.press("FOLD", then=0.0)
    rig.press("CALL", then=1.0)
    assert rig.acts() == [(3, "fold"), (4, "call")]


def test_a_press_for_a_turn_that_has_just_come_is_not_of_it() -> None:
    rig = dealt(Rig(4))
    rig.press("CALL", then=0)
    rig.t -= 0.15  # the second finger came before the new turn could be seen
    rig.press("CHECK", then=0.5)
    assert rig.acts() == [(3, "call")]
    assert "press_again" in rig.running.notices


def test_a_word_before_anybody_is_to_act_waits_for_the_last_card() -> None:
    rig = Rig(4)
    rig.start()
    for place, seat in enumerate((rig.order * 2)[:-1]):
        rig.card(rig.holes(seat)[place // 4], f"seat{seat}")
    rig.press("CALL", then=0.2)
    assert rig.acts() == []
    rig.wait(3.0)
    assert rig.acts() == [] and "nobody_to_act" in rig.running.notices


def test_a_word_said_before_the_last_card_is_read_is_the_first_players() -> None:
    rig = Rig(4)
    rig.start()
    cards = [(rig.holes(seat)[place // 4], seat) for place, seat in enumerate(rig.order * 2)]
    for card, seat in cards[:-1]:
        rig.card(card, f"seat{seat}")
    rig.press("CALL", then=0.3)
    rig.press("FOLD", then=0.3)  # nobody looks at the display
    assert rig.acts() == []
    rig.card(cards[-1][0], f"seat{cards[-1][1]}", then=2.0)
    assert rig.acts() == [(3, "call"), (4, "fold")]


def test_a_word_ends_a_deal_that_nobody_can_see() -> None:
    rig = Rig(4, blind=("seat1", "seat2", "seat3", "seat4"))
    rig.start()
    rig.press("CALL")
    assert [to for _, to in rig.moves()] == [f"seat{seat}" for seat in rig.order * 2]
    assert rig.state.to_act == 3 or rig.acts() == [(3, "call")]
    assert not rig.told(m.Incident)


def test_a_word_before_the_hand_is_of_no_meaning_in_it() -> None:
    rig = Rig(4)
    rig.press("FOLD")
    rig.start()
    rig.deal()
    rig.wait(5.0)
    assert rig.acts() == [] and rig.state.to_act == 3


def test_a_button_that_the_panel_does_not_have_is_no_button() -> None:
    rig = dealt(Rig(4, panel=("CUT", "CALL")))
    rig.press("FOLD")
    assert rig.acts() == []
    rig.press("CALL")
    assert rig.acts() == [(3, "call")]


# -- a press and a sensed act ------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.1, 0.5])
def test_the_press_first_and_the_cards_after_it_are_one_fold(gap: float) -> None:
    rig = dealt(Rig(4))
    rig.press("FOLD", then=gap)
    rig.muck(3)
    rig.wait(12.0)
    assert rig.state.seats[3].folded
    assert [act.seat for act in rig.told(m.Action)] == [3]
    assert rig.state.to_act == 4 and rig.state.in_hand() == [1, 2, 4]
    assert rig.running.question is None


@pytest.mark.parametrize("gap", [1.5, 1.8, 2.5])
def test_the_cards_first_and_the_press_after_them_are_one_fold(gap: float) -> None:
    rig = dealt(Rig(4))
    rig.put([card_uid(card) for card in rig.holes(3)], "muck")
    rig.wait(gap)
    assert rig.state.seats[3].folded
    rig.press("FOLD")
    rig.wait(3.0)
    assert rig.acts() == [] and rig.state.in_hand() == [1, 2, 4]
    assert rig.state.to_act == 4


def test_a_press_long_after_a_sensed_fold_is_the_next_players() -> None:
    rig = dealt(Rig(4))
    rig.muck(3)
    rig.wait(4.0)
    rig.press("FOLD")
    assert rig.acts() == [(4, "fold")] and rig.state.in_hand() == [1, 2]


def test_a_press_soon_after_a_sensed_fold_is_of_the_next_player_whose_seat_nobody_can_see() -> None:
    rig = Rig(4, blind=("seat4",))
    rig.start()
    rig.deal()
    rig.muck(3)
    rig.wait(1.2)
    rig.press("FOLD", then=1.0)  # the table noticed the fold of seat 3 less than two seconds ago
    assert rig.state.seats[3].folded
    assert rig.acts() == [(4, "fold")]


def test_a_word_while_the_cards_of_the_player_to_act_go_to_the_muck_is_the_next_players() -> None:
    rig = dealt(Rig(4))
    rig.put([card_uid(card) for card in rig.holes(3)], "muck")
    rig.wait(0.6)
    assert not rig.state.seats[3].folded  # not sure yet
    rig.press("RAISE", then=2.0)
    assert rig.state.seats[3].folded and rig.acts() == [(4, "raise")]


def test_another_word_within_two_seconds_is_the_next_players() -> None:
    rig = dealt(Rig(4))
    rig.muck(3)
    rig.press("CALL")
    assert rig.acts() == [(4, "call")]


# -- "done" ------------------------------------------------------------------------------------------------


def test_yes_does_the_act_that_is_shown() -> None:
    rig = Rig(4, blind=("seat1", "seat2", "seat3", "seat4", "burn", "board", "muck"))
    rig.start()
    rig.press("YES")
    assert rig.state.phase == "preflop"
    called_round(rig)
    rig.press("YES")
    rig.press("YES")
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert rig.state.board == (None, None, None) and rig.state.phase == "flop"


def test_yes_for_one_seat_that_is_not_read_deals_it_alone() -> None:
    rig = Rig(4, blind=("seat1",))
    rig.start()
    rig.press("YES")
    assert rig.moves() == [("deck", "seat1")]


def test_a_board_confirmed_unread_gets_its_names_when_it_is_read() -> None:
    rig = called_round(dealt(Rig(4)))
    cards = ("2c", "3c", "4c")
    rig.card("Ks", "burn", then=1.0)
    rig.unread.update(card_uid(card) for card in cards)
    for card in cards:
        rig.card(card, "board", then=0)
    rig.wait(1.0)
    rig.press("YES")
    assert rig.state.board == (None, None, None)
    rig.unread.clear()
    rig.wait(2.0)
    assert set(rig.state.board) == set(cards)
    assert not rig.told(m.Incident)


def test_no_without_a_question_means_nothing() -> None:
    rig = dealt(Rig(4))
    rig.press("NO")
    assert rig.running.notices == ["press_means_nothing"] and rig.acts() == []


def test_clock_asks_for_time_on_the_player_to_act() -> None:
    rig = dealt(Rig(4))
    rig.press("CLOCK")
    assert [(claim.claim, claim.seat) for claim in rig.of(ev.Claimed)] == [("time", 3)]


def test_seen_in_the_deal_is_the_card_dealt_last() -> None:
    rig = Rig(4)
    rig.start()
    for seat in (1, 2):
        rig.card(rig.holes(seat)[0], f"seat{seat}")
    rig.press("SEEN")
    assert [(claim.claim, claim.seat) for claim in rig.of(ev.Claimed)] == [("card_seen", 2)]


# -- showdown ----------------------------------------------------------------------------------------------


def test_a_hand_confirmed_as_shown_gives_its_cards_and_no_other() -> None:
    rig = checked_down(dealt(Rig(3)))
    assert rig.expected() == "show"
    seat = rig.running.expects[0].seat
    assert seat is not None
    before = rig.everything().decode()
    rig.press("YES")
    shown = rig.of(ev.HandShown)
    assert [(event.seat, event.to) for event in shown] == [(seat, "table")]
    assert sorted(card or "" for card in shown[0].cards) == sorted(rig.holes(seat))
    assert [(body.seat, sorted(body.cards)) for body in rig.told(m.Tabled)] == [
        (seat, sorted(rig.holes(seat)))
    ]
    told = rig.everything().decode()
    assert not any(f'"{card}"' in before for card in rig.holes(seat))
    for other in rig.seats:
        if other != seat:
            assert not any(f'"{card}"' in told for card in rig.holes(other))


def test_a_hand_shown_of_which_one_card_is_not_read_gives_none() -> None:
    rig = Rig(3)
    rig.start()
    rig.deal()
    checked_down(rig)
    seat = rig.running.expects[0].seat
    assert seat is not None
    rig.running.fusion._cards.lying.spots[card_uid(rig.holes(seat)[0])].told = None
    rig.press("YES")
    assert rig.of(ev.HandShown)[0].cards == (None, None)


def test_no_event_names_a_card_before_it_is_shown_and_none_that_was_thrown_away() -> None:
    rig = checked_down(dealt(Rig(3)))
    rig.press("YES")
    shown = {card for event in rig.of(ev.HandShown) for card in event.cards}
    seats = [order.seat for order in rig.running.expects if order.order == "show"]
    assert seats and seats[0] is not None
    loser = seats[0]
    rig.put([card_uid(card) for card in rig.holes(loser)], "muck")
    rig.wait(3.0)
    named = {event.card for event in rig.of(ev.CardMoved) if event.card is not None}
    assert named == {"2c", "7c", "Ts", "5c", "8s"}
    assert not {event.card for event in rig.of(ev.CardMoved) if event.from_ in SEAT_PLACES} - {None}
    told = rig.everything().decode()
    assert not any(f'"{card}"' in told for card in set(rig.holes(loser)) - shown)


def test_one_press_takes_all_pots_where_no_amounts_are_kept() -> None:
    rig = dealt(Rig(3))
    rig.press("FOLD")
    rig.press("FOLD")
    rig.press("POT")
    rig.wait(1.0)
    assert rig.state.phase == "over"
    assert len(rig.of(ev.HandEnded)) == 1


def test_a_yes_belongs_to_what_was_shown_when_it_was_pressed() -> None:
    rig = called_round(dealt(Rig(4, blind=("board",))))
    assert rig.expected().startswith("burn")
    rig.put([card_uid("Ks")], "burn")
    rig.scan("burn")
    assert rig.expected().startswith("board")
    rig.t = round(rig.t + 0.3, 3)
    rig.press("YES")
    assert rig.state.board == (), "the press was for the burn"
    rig.press("YES")
    assert rig.state.board == (None, None, None)


def test_how_fast_people_read_is_set_by_the_club() -> None:
    rig = called_round(dealt(Rig(4, blind=("board",), timing=Timing(reaction=0.1))))
    rig.put([card_uid("Ks")], "burn")
    rig.scan("burn")
    rig.t = round(rig.t + 0.3, 3)
    rig.press("YES")
    assert rig.state.board == (None, None, None)


@pytest.mark.parametrize("name", ["YES", "NO"])
def test_a_press_for_the_act_shown_before_is_no_answer_to_a_question(name: str) -> None:
    rig = called_round(dealt(Rig(4)))
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board", then=0)
    while rig.running.question is None:
        rig.wait(0.1)
    rig.press(name, then=0)
    assert rig.running.question is not None and rig.running.notices == ["press_again"]
    rig.wait(0.5)
    rig.press(name)
    assert rig.running.question is None


def test_a_word_that_ends_a_deal_nobody_sees_is_the_first_players() -> None:
    rig = Rig(4, blind=("seat1", "seat2", "seat3", "seat4"))
    rig.start()
    rig.wait(4.0)
    rig.press("FOLD")
    assert rig.state.phase == "preflop" and rig.acts() == [(3, "fold")]
    assert rig.running.notices == []
    rig.press("CALL")
    assert rig.acts() == [(3, "fold"), (4, "call")]


def test_cards_that_follow_a_pressed_fold_fold_nobody_else() -> None:
    """Neither seat is read: what comes to the muck within a moment of the press was the folder's."""
    rig = Rig(5, blind=("seat3", "seat4"))
    rig.start()
    rig.deal()
    rig.wait(3.0)
    rig.press("FOLD", then=0.4)
    assert rig.acts() == [(3, "fold")]
    rig.put([card_uid(card) for card in rig.holes(3)], "muck")
    rig.wait(12.0)
    assert rig.acts() == [(3, "fold")]
    assert rig.state.in_hand() == [1, 2, 4, 5] and rig.state.to_act == 4


def test_cards_that_came_before_a_pressed_fold_fold_nobody_else() -> None:
    """Only one of his two cards was read in the muck, then somebody pressed: the next player has his cards."""
    rig = Rig(5, blind=("seat3", "seat4"))
    rig.start()
    rig.deal()
    rig.wait(3.0)
    rig.put([card_uid(rig.holes(3)[0])], "muck")
    rig.wait(3.0)
    rig.press("FOLD")
    assert rig.acts() == [(3, "fold")]
    rig.wait(15.0)
    assert rig.acts() == [(3, "fold")] and rig.state.to_act == 4


def test_a_hand_shown_unread_has_its_names_once_it_is_read() -> None:
    """One of his cards was under metal all along; slid at the showdown, it tells who won."""
    rig = Rig(3)
    rig.unread.add(card_uid(rig.holes(1)[0]))
    rig.start()
    rig.deal()
    rig.wait(15.0)
    if rig.running.question is not None:
        rig.press("NO")
    checked_down(rig)
    while rig.expected().startswith("show"):
        rig.press("YES")
    assert [order.for_ for order in rig.running.expects] == ["winners"]
    rig.wait(5.0)
    assert rig.state.seats[1].hand == () and not rig.state.awards
    rig.unread.clear()
    rig.wait(2.0)
    assert sorted(rig.state.seats[1].hand) == sorted(rig.holes(1))
    assert rig.state.awards and not rig.told(m.Incident) and rig.running.question is None


def test_yes_for_the_last_card_deals_those_too_whose_card_is_not_read() -> None:
    """Whoever says that the deal is done says it of all: a card under metal makes no misdeal."""
    rig = Rig(4)
    rig.unread.update({card_uid(rig.holes(1)[1]), card_uid(rig.holes(4)[1])})
    rig.start()
    rig.deal()
    rig.wait(4.0)
    assert rig.state.phase == "dealing"
    rig.press("YES")
    assert rig.state.phase == "preflop" and not rig.told(m.Incident)
    assert [seat.dealt for seat in rig.state.seats.values()] == [2, 2, 2, 2]
