"""Recorded hands: who pays what, which cards are drawn, which events a record makes."""

from pathlib import Path

import pytest

from engine.events import Acted, CardExposed, CardMoved, FloorDecided, HandShown, HandStarted
from engine.vocabulary import DECK_SET
from maldonne.phh import RecordedHand, complete, parse, read, whole_stacks
from maldonne.recorded import table_events

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "phh"
FILES = sorted(DATA.glob("*/*.phh"))


def hand(actions: str = "", **fields: str) -> RecordedHand:
    """A three-handed record with other fields where they are given."""
    written = {
        "variant": '"NT"',
        "antes": "[0, 0, 0]",
        "blinds_or_straddles": "[5, 10, 0]",
        "min_bet": "10",
        "starting_stacks": "[100, 200, 300]",
        "actions": f"[{actions}]",
        **fields,
    }
    return parse("\n".join(f"{key} = {value}" for key, value in written.items() if value), "hand.phh")


def test_p1_is_the_small_blind_and_the_last_player_has_the_button() -> None:
    subject = hand(seats="[4, 7, 2]")
    assert subject.button == 2
    started = table_events(subject, 1)[0]
    assert isinstance(started, HandStarted)
    assert (started.small_blind_seat, started.big_blind_seat) == (4, 7)
    assert [entry.stack for entry in started.seats] == [100, 200, 300]


@pytest.mark.parametrize("written", ["[5, 10]", "[10, 5]"])
def test_heads_up_p1_is_the_big_blind_whatever_the_order_of_the_blinds(written: str) -> None:
    subject = hand(antes="[0, 0]", starting_stacks="[100, 100]", blinds_or_straddles=written)
    assert (subject.small_blind, subject.big_blind) == (5, 10)
    assert (subject.small_blind_player, subject.big_blind_player) == (1, 0)


@pytest.mark.parametrize(
    ("antes", "kind"),
    [("[0, 0, 0]", "none"), ("[2, 2, 2]", "classic"), ("[0, 10, 0]", "big_blind"), ("[0, 0, 10]", "button")],
)
def test_the_kind_of_ante_is_read_from_who_pays_it(antes: str, kind: str) -> None:
    assert hand(antes=antes).ante.kind == kind


def test_a_dead_small_blind_and_a_straddle() -> None:
    dead = hand(blinds_or_straddles="[0, 10, 0]")
    assert (dead.small_blind_player, dead.big_blind_player) == (None, 1)
    alone = hand(blinds_or_straddles="[10, 0, 0]")
    assert (alone.small_blind_player, alone.big_blind_player) == (None, 0)
    straddled = hand(blinds_or_straddles="[5, 10, 20]")
    assert [(s.seat, s.amount) for s in straddled.straddles] == [(3, 20)]


def test_unknown_cards_are_drawn_from_the_unused_ones_by_the_seed() -> None:
    subject = hand('"d dh p1 AsKs", "d dh p2 ????", "d dh p3 Qh??", "d db 2c3c4c"')
    one, two = complete(subject, 1), complete(subject, 2)
    assert one == complete(subject, 1) and one.hole != two.hole
    for cards in (one, two):
        assert set(cards.deck) == DECK_SET and len(cards.deck) == 52
        assert cards.hole[0] == ("As", "Ks") and cards.hole[2][0] == "Qh"
        first_round, second_round, rest = cards.deck[:3], cards.deck[3:6], cards.deck[6:]
        assert tuple(zip(first_round, second_round, strict=True)) == cards.hole
        assert rest[0] == cards.burns[0] and rest[1:4] == ("2c", "3c", "4c") == cards.board


def test_a_shown_hand_makes_unknown_cards_known() -> None:
    subject = hand('"d dh p1 ????", "d dh p2 Kd??", "p1 sm AsAd", "p2 sm KcKd"')
    assert subject.hole[:2] == (("As", "Ad"), ("Kd", "Kc"))


def test_the_deal_goes_round_twice_and_hides_every_face() -> None:
    moves = [
        e for e in table_events(hand('"d dh p1 AsKs"', seats="[4, 7, 2]"), 1) if isinstance(e, CardMoved)
    ]
    assert [move.to for move in moves] == ["seat4", "seat7", "seat2"] * 2
    assert all(move.card is None and move.face == "down" and move.from_ == "deck" for move in moves)


def test_acts_are_said_as_at_a_table() -> None:
    subject = hand('"p3 cbr 30", "p1 f", "p2 cc", "d db 2c3c4c", "p2 cc", "p3 cbr 50", "p2 cbr 170", "p3 f"')
    acts = [(e.seat, e.said, e.amount) for e in table_events(subject, 1) if isinstance(e, Acted)]
    assert acts == [
        (3, "raise", 30),
        (1, "fold", None),
        (2, "call", None),
        (2, "check", None),
        (3, "bet", 50),
        (2, "all_in", 170),
        (3, "fold", None),
    ]


def test_every_street_has_its_burn() -> None:
    subject = hand('"d db 2c3c4c", "d db 5c", "d db 6c"')
    places = [e.to for e in table_events(subject, 1)[7:] if isinstance(e, CardMoved)]
    assert places == ["burn", "board", "board", "board", "burn", "board", "burn", "board"]


def test_an_all_in_player_who_folds_is_away_and_his_hand_dead() -> None:
    """He posted his last chips; the record folds him when his turn comes."""
    subject = hand('"p3 cc", "p1 cc", "p2 f"', starting_stacks="[100, 8, 300]")
    events = table_events(subject, 1)
    started = events[0]
    assert isinstance(started, HandStarted)
    assert [entry.absent for entry in started.seats] == [False, True, False]
    assert not [e for e in events if isinstance(e, Acted) and e.seat == 2]


def test_an_all_in_player_who_folds_later_has_his_hand_killed() -> None:
    subject = hand('"p3 cc", "p1 cbr 100", "p2 cc", "p3 cc", "d db 2c3c4c", "p1 f"')
    assert FloorDecided(choice="hand_dead", by="record", seats=(1,)) in table_events(subject, 1)


def test_all_in_hands_are_turned_up_before_the_board_is_run_out() -> None:
    subject = hand(
        '"d dh p1 AsAd", "d dh p2 ????", "d dh p3 KsKd", "p3 cbr 300", "p1 cc", "p2 f", '
        '"d db 2c3c4c", "d db 5d", "d db 6d", "p1 sm AsAd", "p3 sm KsKd"'
    )
    kinds = [type(e) for e in table_events(subject, 1)]
    assert kinds.count(HandShown) == 2
    assert kinds.index(HandShown) == kinds.index(Acted) + 3, "right after the last act"


def test_hands_are_shown_or_mucked_after_the_river_otherwise() -> None:
    subject = hand(
        '"p3 cc", "p1 cc", "p2 cc", "d db 2c3c4c", "d db 5d", "d db 6d", "p1 sm AsAd", "p2 sm", "p3 sm -"'
    )
    last = table_events(subject, 1)[-5:]
    assert last[0] == HandShown(seat=1, to="table", cards=("As", "Ad"))
    assert [(e.from_, e.to) for e in last[1:] if isinstance(e, CardMoved)] == [
        ("seat2", "muck"),
        ("seat2", "muck"),
        ("seat3", "muck"),
        ("seat3", "muck"),
    ]


def test_a_comment_action_carries_an_irregularity_at_its_place() -> None:
    event = r"{\"event\":\"card_exposed\",\"card\":\"Kh\",\"at\":\"seat1\",\"by\":\"dealer\"}"
    subject = hand(f'"d dh p1 KhAs", "# maldonne {event}", "d dh p2 ????", "d dh p3 ????", "# a remark"')
    exposed = CardExposed(card="Kh", at="seat1", by="dealer")
    assert table_events(subject, 1)[2] == exposed, "after his first card"
    later = hand(f'"d dh p1 KhAs", "d dh p2 ????", "d dh p3 ????", "p3 f", "# maldonne {event}", "p1 f"')
    events = table_events(later, 1)
    assert events.index(exposed) == 8


def test_a_remark_after_an_action_changes_nothing() -> None:
    assert table_events(hand('"p3 f # sighs"'), 1) == table_events(hand('"p3 f"'), 1)


@pytest.mark.parametrize(
    ("stacks", "whole"),
    [
        ([9950.0, 10137.5, 10000.0, 10000.0, 9775.0, 10137.5], (9950, 10138, 10000, 10000, 9775, 10137)),
        ([9950, 9900, 10000, 10187.5, 10187.5, 9775], (9950, 9900, 10000, 10188, 10187, 9775)),
        ([1, 2, 3], (1, 2, 3)),
    ],
)
def test_halves_of_a_chip_go_to_the_first_winner_left_of_the_button(
    stacks: list[float], whole: tuple[int, ...]
) -> None:
    assert whole_stacks(stacks) == whole


@pytest.mark.skipif(not FILES, reason="the shared hands are not here")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_hands_make_the_same_events_whatever_is_drawn(file: Path) -> None:
    subject = read(file)
    events = table_events(subject, 1)
    assert events == table_events(subject, 2)
    laid = [e.card for e in events if isinstance(e, CardMoved) and e.to == "board"]
    assert tuple(laid) == subject.board
