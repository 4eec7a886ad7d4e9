"""Help never leaks: no name of a card that not everybody has seen, no winner where the book lets the players read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine import events as ev
from table_controller.dealer_page.sheets import SHEETS
from table_controller.rulebook_files import load_resolved, resolve

Make = Callable[..., Any]
SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
WORDS = {
    "h": ("cœur", "heart"),
    "s": ("pique", "spade"),
    "d": ("carreau", "diamond"),
    "c": ("trèfle", "club"),
}


def everything(thumb: Any) -> str:
    """All that any screen could be shown now: both languages, every sheet, every question of the referee."""
    told = []
    for lang in ("fr", "en"):
        told.append(msgspec.json.encode(thumb.view(lang)).decode())
        for name in SHEETS:
            addresses = [name, *(f"{name}?seat={seat}" for seat in range(1, 11))]
            if name == "what":
                addresses += ["what?group=hand&pick=hand_touched_muck&seat=2"]
            told += [msgspec.json.encode(thumb.sheet(address, lang)).decode() for address in addresses]
    return "\n".join(told)


def names(card: str) -> tuple[str, ...]:
    rank = card[0].replace("T", "10")
    return (card, rank + SIGNS[card[1]])


def hidden(thumb: Any, *cards: str) -> None:
    text = everything(thumb)
    for card in cards:
        for name in names(card):
            assert f'"{name}"' not in text and f" {name}" not in text, f"{name} is shown"


def test_card_that_some_have_seen_is_named_nowhere(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.running.say_all(
        (
            ev.CardMoved(card=None, from_="deck", to="seat2"),
            ev.CardExposed(card="Kh", at="seat2", by="dealer", seen_by="some"),
        ),
        "test",
    )
    hidden(subject, "Kh")
    subject.tap("done")
    hidden(subject, "Kh")


def test_mucked_hands_and_hands_shown_to_one_are_named_nowhere(thumb: Make) -> None:
    subject = thumb(players=4)
    subject.tap("next")
    subject.tap("done")
    running = subject.running
    running.say_all((ev.HandShown(seat=3, to="one", to_seat=2, cards=("Qd", "Qs")),), "test")
    hidden(subject, "Qd", "Qs")
    for _ in range(2):
        running.say_all((ev.CardMoved(card="7c", from_="seat4", to="muck", by="player"),), "test")
    hidden(subject, "7c", "Qd", "Qs")


def test_burns_are_drawn_nowhere_and_board_cards_are(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    while subject.running.state.to_act is not None:
        subject.tap("check" if "check" in subject.names() else "call")
    subject.running.say_all((ev.CardMoved(card="2d", from_="deck", to="burn"),), "test")
    for card in ("9h", "7s", "4c"):
        subject.running.say_all((ev.CardMoved(card=card, from_="deck", to="board", face="up"),), "test")
    hidden(subject, "2d")
    assert subject.view().board == ("9h", "7s", "4c", "", "")


def test_board_card_that_nobody_could_read_is_a_question_mark_not_a_guess(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    while subject.running.state.to_act is not None:
        subject.tap("check" if "check" in subject.names() else "call")
    for _ in range(3):
        subject.tap("done")
    assert subject.view().board == ("?", "?", "?", "", "")


def test_hand_that_was_thrown_away_at_the_showdown_is_not_ranked(thumb: Make) -> None:
    subject = thumb(players=3)
    subject.tap("next")
    subject.tap("done")
    board = ["9h", "7s", "4c", "2d", "Jc"]
    while subject.running.state.phase != "showdown":
        if subject.running.state.to_act is not None:
            subject.tap("check" if "check" in subject.names() else "call")
        elif "tableau" in subject.view().say:
            for _ in range(3 if not subject.running.state.board else 1):
                move = ev.CardMoved(card=board.pop(0), from_="deck", to="board", face="up")
                subject.running.say_all((move,), "test")
        else:
            subject.tap("done")
    subject.running.say_all((ev.HandShown(seat=2, to="table", cards=("Ah", "Ad")),), "test")
    assert subject.view().hands == ((2, ("Ah", "Ad")),)
    assert subject.view().say == "Siège 3\xa0: il montre sa main à toute la table"
    assert "pots" not in subject.names()  # nobody wins while hands are hidden
    subject.tap("mucked")
    subject.tap("mucked")
    assert subject.view().say == "Poussez 300 au siège 2"


@pytest.mark.parametrize("announce", ["tabled", "never"])
def test_book_decides_whether_the_winner_is_named(thumb: Make, announce: str) -> None:
    _, text = resolve("ropta")
    if announce == "never":
        text = text.replace('announce_winner = { is = "tabled"', 'announce_winner = { is = "never"')
    subject = thumb(players=2)
    subject.tap("next")
    subject.running.book = load_resolved(text)
    subject.tap("done")
    board = ["9h", "7s", "4c", "2d", "Jc"]
    while subject.running.state.phase != "showdown":
        if subject.running.state.to_act is not None:
            subject.tap("check" if "check" in subject.names() else "call")
        elif "tableau" in subject.view().say:
            for _ in range(3 if not subject.running.state.board else 1):
                move = ev.CardMoved(card=board.pop(0), from_="deck", to="board", face="up")
                subject.running.say_all((move,), "test")
        else:
            subject.tap("done")
    for seat, cards in ((1, ("Ah", "Ad")), (2, ("3c", "5h"))):
        subject.running.say_all((ev.HandShown(seat=seat, to="table", cards=cards),), "test")
    view = subject.view()
    named = {
        "tabled": "Poussez 200 au siège 1",
        "never": "Les joueurs lisent les mains\xa0: donnez le pot au gagnant",
    }
    assert view.say == named[announce]
    assert ("siège 1" in view.say + view.then) is (announce == "tabled")
