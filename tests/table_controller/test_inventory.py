"""The club's tags: whole decks, no tag twice, strangers are ordinary, and a card never prints its name."""

from __future__ import annotations

import copy
import io
import json
import logging
import pickle
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.vocabulary import DECK
from table_controller.inventory import (
    CardAccount,
    HiddenCard,
    InventoryError,
    Tags,
    denominations,
    normal_uid,
    read_chips,
    read_deck,
)

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def deck_rows(name: str = "red", prefix: str = "04A1B2C3D4") -> list[str]:
    return [f"{prefix}{place:04X},{card},{name}" for place, card in enumerate(DECK)]


def deck_text(*rows: str) -> str:
    return "\n".join(("uid,card,deck", *rows)) + "\n"


def refused(path: Path, read: Callable[[Path], object] = read_deck) -> InventoryError:
    with pytest.raises(InventoryError) as caught:
        read(path)
    return caught.value


# -- decks -------------------------------------------------------------------------------------------------


def test_a_whole_deck_is_read(write: Write) -> None:
    cards = read_deck(write("deck.csv", deck_text(*deck_rows())))
    assert sorted(card.reveal() for card in cards.values()) == sorted(DECK)
    assert {card.deck for card in cards.values()} == {"red"}


def test_decks_come_in_pairs_that_take_turns(write: Write) -> None:
    both = deck_text(*deck_rows("red"), *deck_rows("blue", "04B1B2C3D4"))
    tags = Tags.load(write("deck.csv", both), None)
    assert tags.decks == ("red", "blue")
    red, blue = tags.card("04A1B2C3D40000"), tags.card("04B1B2C3D40000")
    assert red is not None and blue is not None
    assert red.same_as(blue) and red.deck != blue.deck


def test_spelling_of_the_file_is_free(write: Write) -> None:
    rows = [
        f" {card} , {':'.join(row[i : i + 2] for i in range(0, 14, 2)).lower()} ,red"
        for row, card in zip(deck_rows(), DECK, strict=True)
    ]
    text = "\ufeff# our red deck\n\nCard,UID,Deck\n" + "\n".join(rows) + "\n"
    cards = read_deck(write("deck.csv", text))
    assert cards["04A1B2C3D40000"].reveal() == DECK[0]
    assert len(cards) == 52


def test_a_tag_that_stands_twice_names_both_lines(write: Write) -> None:
    rows = deck_rows()
    rows[40] = rows[7].split(",")[0] + "," + rows[40].split(",", 1)[1]
    path = write("deck.csv", deck_text(*rows))
    error = refused(path)
    assert error.where == f"{path}:42"
    assert "line 9" in error.what


def test_a_card_that_stands_twice_in_a_deck_names_both_lines(write: Write) -> None:
    rows = deck_rows()
    rows[51] = rows[51].split(",")[0] + f",{DECK[0]},red"
    path = write("deck.csv", deck_text(*rows))
    error = refused(path)
    assert error.where == f"{path}:53"
    assert f"{DECK[0]} twice" in error.what and "line 2" in error.what


def test_a_deck_that_is_not_whole_names_what_is_missing(write: Write) -> None:
    path = write("deck.csv", deck_text(*deck_rows("red"), *deck_rows("blue", "04B1B2C3D4")[2:]))
    error = refused(path)
    assert error.where == str(path)
    assert "blue has 50 cards of 52" in error.what
    assert all(card in error.what for card in DECK[:2])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("04A1B2C3D4FFFF,10d,red", "'10d' is no card"),
        ("04A1B2C3D4FFFF,Ah,", "deck has no name"),
        ("04A1,Ah,red", "'04A1' is no UID"),
        ("04A1B2C3D4FFXX,Ah,red", "is no UID"),
        ("04A1B2C3D4FFFF,Ah", "2 columns instead of 3"),
        ("04A1B2C3D4FFFF,Ah,red,old", "4 columns instead of 3"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(write: Write, row: str, said: str) -> None:
    path = write("deck.csv", deck_text(*deck_rows()[:3], row))
    error = refused(path)
    assert said in error.what
    assert error.where == f"{path}:5"
    assert error.code == "table_inventory"


def test_a_file_without_its_heading_is_refused(write: Write) -> None:
    path = write("deck.csv", "\n".join(deck_rows()))
    error = refused(path)
    assert "uid, card, deck" in error.what and error.where == f"{path}:1"


def test_a_file_without_cards_is_refused(write: Write) -> None:
    assert "names no card" in refused(write("deck.csv", "uid,card,deck\n")).what


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.csv")
    assert "cannot be read" in error.what and error.where == str(tmp_path / "none.csv")


def test_a_file_that_is_no_text_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_bytes(b"uid,card,deck\n\xff\xfe\n")
    assert refused(path).where == f"{path}:2"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_bytes(b"x" * ((4 << 20) + 1))
    assert "larger than 4 MiB" in refused(path).what


# -- chips -------------------------------------------------------------------------------------------------


def test_chips_are_read_and_counted(write: Write) -> None:
    chips = read_chips(
        write("chips.csv", "uid,denomination\nE0040100AAAAAA01,25\nE0040100AAAAAA02,25\n04AABBCC,100\n")
    )
    assert chips == {"E0040100AAAAAA01": 25, "E0040100AAAAAA02": 25, "04AABBCC": 100}
    assert denominations(chips) == {25: 2, 100: 1}


def test_a_table_without_tagged_chips_may_have_an_empty_file(write: Write) -> None:
    assert read_chips(write("chips.csv", "uid,denomination\n")) == {}


@pytest.mark.parametrize("value", ["0", "-5", "2.5", "many", "", "9" * 14])
def test_a_denomination_is_a_whole_number_above_nothing(write: Write, value: str) -> None:
    path = write("chips.csv", f"uid,denomination\n04AABBCC,{value}\n")
    error = refused(path, read_chips)
    assert "no denomination" in error.what and error.where == f"{path}:2"


def test_a_chip_that_stands_twice_names_both_lines(write: Write) -> None:
    path = write("chips.csv", "uid,denomination\n04AABBCC,25\n04:aa:bb:cc,100\n")
    error = refused(path, read_chips)
    assert error.where == f"{path}:3" and "line 2" in error.what


def test_one_tag_cannot_be_a_card_and_a_chip(write: Write) -> None:
    deck = write("deck.csv", deck_text(*deck_rows()))
    chips = write("chips.csv", "uid,denomination\n04AABBCC,25\n04A1B2C3D40000,100\n")
    with pytest.raises(InventoryError, match="a card and a chip") as caught:
        Tags.load(deck, chips)
    assert caught.value.where == f"{chips}:3"


# -- strangers ---------------------------------------------------------------------------------------------


def test_a_tag_that_nobody_taught_is_an_ordinary_stranger(write: Write) -> None:
    tags = Tags.load(
        write("deck.csv", deck_text(*deck_rows())), write("chips.csv", "uid,denomination\n04AABBCC,25\n")
    )
    for uid in ("DEADBEEF", "E004010012345678", ""):
        assert tags.card(uid) is None and tags.chip(uid) is None
    assert tags.card("04AABBCC") is None and tags.chip("04AABBCC") == 25
    assert tags.chip("04A1B2C3D40000") is None


def test_a_table_without_files_knows_no_tag() -> None:
    tags = Tags.load(None, None)
    assert tags.decks == () and tags.card("04AABBCC") is None and tags.chip("04AABBCC") is None


@pytest.mark.parametrize(
    ("text", "uid"),
    [
        ("04a1b2c3", "04A1B2C3"),
        ("04:a1:b2:c3:d4:e5:f6", "04A1B2C3D4E5F6"),
        ("E0-04 01 00-12 34 56 78", "E004010012345678"),
        ("04A1B2C3D4", None),
        ("04A1B2C3D", None),
        ("04A1B2CG", None),
        ("", None),
    ],
)
def test_a_uid_is_four_seven_or_eight_bytes(text: str, uid: str | None) -> None:
    assert normal_uid(text) == uid


# -- secrecy -----------------------------------------------------------------------------------------------


def test_nothing_that_prints_a_card_shows_it() -> None:
    card = HiddenCard("Ah", "red")
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logger = logging.Logger("table")
    logger.addHandler(handler)
    logger.warning("card %s %r", card, card)
    told = [repr(card), str(card), f"{card}", f"{card:>10}", f"{[card]}", log.getvalue()]
    assert all("Ah" not in text and "card" in text for text in told)
    assert card.reveal() == "Ah"


def test_nothing_that_stores_a_card_takes_it() -> None:
    card = HiddenCard("Ah", "red")
    for store in (
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        msgspec.json.encode,
        msgspec.to_builtins,
    ):
        with pytest.raises(TypeError) as caught:
            store(card)
        assert "Ah" not in str(caught.value)


def test_an_error_that_holds_a_card_does_not_show_it() -> None:
    card = HiddenCard("Ah", "red")
    assert not hasattr(card, "__dict__")
    assert "Ah" not in str(KeyError(card))


def test_the_tags_print_only_how_many_they_are(write: Write) -> None:
    tags = Tags.load(write("deck.csv", deck_text(*deck_rows())), None)
    assert repr(tags) == "Tags(<52 cards>, <0 chips>)"


# -- the account -------------------------------------------------------------------------------------------


def test_the_first_card_says_which_deck_is_in_play_until_the_shuffle() -> None:
    account = CardAccount()
    red, blue = HiddenCard("Ah", "red"), HiddenCard("Ah", "blue")
    assert account.plays(red) and account.plays(blue)
    account.saw("A", red)
    assert account.plays(red) and not account.plays(blue)
    account.saw("A", red)
    assert len(account) == 1
    account.shuffled()
    assert account.plays(blue) and len(account) == 0


def test_the_account_prints_no_card() -> None:
    account = CardAccount()
    account.saw("04A1B2C3", HiddenCard("Ah", "red"))
    assert "Ah" not in repr(account) and "04A1" not in repr(account)
