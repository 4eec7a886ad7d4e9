"""Hands written as PHH: other programs read them, and this one plays them again exactly."""

import tomllib
import warnings
from pathlib import Path

import pytest

from engine import machine
from engine.events import (
    Acted,
    CardMoved,
    HandEnded,
    HandShown,
    HandStarted,
    PotTaken,
    SeatEntry,
    TableEvent,
    Undone,
)
from engine.rulebook import Rulebook
from maldonne.errors import InputError
from maldonne.phh import RecordedHand, parse, read
from maldonne.phh_writer import write
from maldonne.recorded import table_events
from table_controller.rulebook_files import load_book

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "phh"
HANDS = sorted((DATA / "hands").glob("*.phh"))
BETTING = ("fold", "call", "raise")


def ended(events: list[TableEvent], book: Rulebook) -> list[TableEvent]:
    """Let the winners take their pots and the hand end."""
    events = list(events)
    state = machine.replay(events, book).state
    while state.phase != "over":
        orders = machine.expects(state, book)
        event: TableEvent = HandEnded()
        if orders and orders[0].order == "push_pot":
            event = PotTaken(seat=orders[0].seat or 0, amount=orders[0].amount or 0)
        events.append(event)
        state = machine.step(state, event, book).state
    return events


def pokerkit_finish(text: str) -> list[int]:
    """Load the text with PokerKit and give the stacks that it reaches."""
    pokerkit = pytest.importorskip("pokerkit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        states = list(pokerkit.HandHistory.loads(text))
    assert not states[-1].status, "the hand is over"
    return [int(stack) for stack in states[-1].stacks]


def bets(hand: RecordedHand) -> list[tuple[str, int, int]]:
    return [(act.kind, act.player, act.amount) for act in hand.acts if act.kind in BETTING]


@pytest.mark.skipif(not HANDS, reason="the shared hands are not here")
@pytest.mark.parametrize("file", HANDS, ids=lambda file: file.stem)
def test_a_real_hand_comes_out_as_it_went_in(file: Path) -> None:
    book = load_book("standard")
    original = read(file)
    events = ended(table_events(original, 1), book)
    text = write(events, book)
    again = parse(text, file.name)
    assert list(again.journal) == events
    assert bets(again) == bets(original)
    assert again.board == original.board
    for field in ("seats", "stacks", "ante", "small_blind", "big_blind", "button", "straddles"):
        assert getattr(again, field) == getattr(original, field), field
    assert pokerkit_finish(text) == list(again.finishing_stacks or ())


def started(*, button: int = 3, stack: int = 1000) -> HandStarted:
    seats = tuple(SeatEntry(seat, stack, entry=f"e{seat}") for seat in (1, 2, 3))
    return HandStarted(hand=7, button=button, seats=seats, small_blind=5, big_blind=10)


def moved(card: str | None, to: str, face: str = "down") -> CardMoved:
    return CardMoved(card=card, from_="deck", to=to, face="up" if face == "up" else "down")


def deal() -> list[TableEvent]:
    return [moved(None, f"seat{seat}") for seat in (1, 2, 3, 1, 2, 3)]


def test_an_exposed_card_stands_in_a_comment_and_the_rest_is_a_plain_hand() -> None:
    book = load_book("ropta")
    events = [started(), *deal(), Acted(seat=3, said="fold"), Acted(seat=1, said="fold")]
    events[3] = moved("Ah", "seat3", "up")
    events.insert(7, moved(None, "seat3"))
    text = write(ended(events, book), book)
    assert "# ruling card_replaced: card_exposed_in_deal, ROPTA exposed, seat 3" in text
    assert '# maldonne {\\"event\\":\\"card_moved\\",\\"card\\":\\"Ah\\"' in text
    assert bets(parse(text, "x")) == [("fold", 2, 0), ("fold", 0, 0)]
    assert pokerkit_finish(text) == [995, 1005, 1000]


def test_chips_without_a_word_are_written_as_what_they_count() -> None:
    """A single big chip facing the blind is a call (ROPTA)."""
    book = load_book("ropta")
    events = [started(), *deal(), Acted(seat=3, chips=(100,)), Acted(seat=1, said="fold")]
    hand = parse(write([*events, Acted(seat=2, said="check")], book), "x")
    assert bets(hand) == [("call", 2, 0), ("fold", 0, 0), ("call", 1, 0)]


def test_a_killed_hand_folds_where_its_turn_would_have_been() -> None:
    book = load_book("standard")
    seats = tuple(SeatEntry(seat, 1000, absent=seat == 3) for seat in (1, 2, 3, 4))
    first = HandStarted(hand=7, button=4, seats=seats, small_blind=5, big_blind=10)
    dealt = [moved(None, f"seat{seat}") for seat in (1, 2, 3, 4, 1, 2, 3, 4)]
    events = [first, *dealt, Acted(seat=4, said="fold"), Acted(seat=1, said="fold")]
    text = write(ended(events, book), book)
    assert bets(parse(text, "x")) == [("fold", 2, 0), ("fold", 3, 0), ("fold", 0, 0)]
    assert pokerkit_finish(text) == [995, 1005, 1000, 1000]


def test_a_flop_that_was_taken_back_is_not_the_board() -> None:
    book = load_book("ropta")
    events: list[TableEvent] = [started(), *deal(), Acted(seat=3, said="call"), Acted(seat=1, said="call")]
    events += [moved(None, "burn"), *(moved(card, "board", "up") for card in ("2c", "3c", "4c"))]
    events += [CardMoved(card=card, from_="board", to="deck", face="down") for card in ("2c", "3c", "4c")]
    events += [Acted(seat=2, said="check")]
    events += [moved(card, "board", "up") for card in ("Ks", "Qs", "Js")]
    events += [Acted(seat=1, said="bet", amount=50), Acted(seat=2, said="fold"), Acted(seat=3, said="fold")]
    text = write(ended(events, book), book)
    hand = parse(text, "x")
    assert hand.board == ("Ks", "Qs", "Js")
    assert "# ruling street_redealt: premature_flop" in text
    assert pokerkit_finish(text) == [1020, 990, 990]


def test_a_voided_deal_keeps_every_chip() -> None:
    book = load_book("ropta")
    text = write([started(), moved("Ah", "seat1", "up")], book)
    data = tomllib.loads(text)
    assert data["finishing_stacks"] == data["starting_stacks"] == [1000, 1000, 1000]
    assert "# ruling misdeal: first_card_exposed, ROPTA misdeal a" in data["actions"][1]
    assert not [action for action in data["actions"] if not action.startswith("#")]


def test_the_file_knows_no_card_that_nobody_saw() -> None:
    book = load_book("standard")
    events = [started(), *deal(), Acted(seat=3, said="fold"), Acted(seat=1, said="call")]
    events += [Acted(seat=2, said="check"), moved(None, "burn")]
    events += [moved(card, "board", "up") for card in ("Ks", "Qs", "Js")]
    events += [Acted(seat=1, said="check"), Acted(seat=2, said="check"), moved(None, "burn")]
    events += [moved("2s", "board", "up"), Acted(seat=1, said="check"), Acted(seat=2, said="check")]
    events += [moved(None, "burn"), moved("2h", "board", "up")]
    events += [Acted(seat=1, said="check"), Acted(seat=2, said="check")]
    events += [HandShown(seat=1, to="table", cards=("As", "Ts"))]
    events += [CardMoved(card=None, from_="seat2", to="muck", face="down", by="player")] * 2
    data = tomllib.loads(write(ended(events, book), book))
    assert data["actions"][:3] == ["d dh p1 AsTs", "d dh p2 ????", "d dh p3 ????"]
    assert data["actions"][-2:] == ["p1 sm AsTs", "p2 sm"]
    assert data["players"] == ["e1", "e2", "e3"] and data["finishing_stacks"] == [1010, 990, 1000]


def test_what_was_taken_back_is_told_and_not_played() -> None:
    book = load_book("standard")
    events = [started(), *deal(), Acted(seat=3, said="raise", amount=40), Undone(index=7)]
    events += [Acted(seat=3, said="fold"), Acted(seat=1, said="fold")]
    text = write(ended(events, book), book)
    assert "# taken back: " in text
    assert bets(parse(text, "x")) == [("fold", 2, 0), ("fold", 0, 0)]


def test_texts_that_toml_would_misread_are_quoted() -> None:
    text = write([started()], load_book("standard"), {"event": 'Le "Main" \\ \x7f d\'été', "day": 3})
    assert tomllib.loads(text)["event"] == 'Le "Main" \\ \x7f d\'été'
    assert tomllib.loads(text)["day"] == 3


def test_a_hand_without_stacks_cannot_be_written() -> None:
    seats = (SeatEntry(1, None), SeatEntry(2, None))
    silent = HandStarted(hand=7, button=1, seats=seats, small_blind=5, big_blind=10, betting="words")
    for events in ([silent], [], [HandEnded()]):
        with pytest.raises(InputError) as raised:
            write(events, load_book("standard"))
        assert raised.value.hint
