"""Bad input: one clear line naming file, line and reason, exit status 2, and nothing half-done."""

import re
from pathlib import Path

import pytest

from maldonne.cli import main

START = '{"event":"hand_started","hand":1,"button":2,"small_blind":5,"big_blind":10,"seats":[{"seat":1,"stack":90},{"seat":2,"stack":90}]}'
SHUFFLED = '{"event":"deck_shuffled"}'

# text of the file -> (line that must be named, what must be said)
EVENTS = {
    "empty": ("", 1, "no event"),
    "not json": (START + "\n{nonsense", 2, "malformed"),
    "no object": (START + "\n[1, 2]", 2, "array"),
    "cut off": (START + '\n{"event":"deck_cut"', 2, "truncated"),
    "no kind": ('{"hand": 1}', 1, "event"),
    "unknown kind": (START + '\n\n{"event":"card_flew"}', 3, "card_flew"),
    "unknown field": ('{"event":"deck_shuffled","by_hand":1}', 1, "by_hand"),
    "missing field": ('{"event":"acted","said":"fold"}', 1, "seat"),
    "no such card": (SHUFFLED + '\n{"event":"card_moved","card":"1h","from":"deck","to":"board"}', 2, "card"),
    "no such place": ('{"event":"card_moved","card":null,"from":"deck","to":"seat11"}', 1, "to"),
    "seat 0": ('{"event":"acted","seat":0,"said":"fold"}', 1, "seat"),
    "fraction of a chip": ('{"event":"acted","seat":1,"said":"bet","amount":2.5}', 1, "amount"),
    "negative chips": ('{"event":"counted","seat":1,"amount":-1,"by":"floor"}', 1, "amount"),
    "seat twice": (START.replace('"seat":2', '"seat":1'), 1, "twice"),
    "blind of nobody": (START.replace('"hand"', '"big_blind_seat":7,"hand"'), 1, "7"),
    "unknown word": ('{"event":"acted","seat":1,"said":"shove"}', 1, "shove"),
    "no such claim": ('{"event":"claimed","claim":"misdeel"}', 1, "misdeel"),
    "no such rulebook": (START.replace('"hand"', '"rulebook":"roptaa","hand"'), 1, "roptaa"),
    "deep": ("[" * 5000, 1, "array"),
    "not text": ('{"event":"\udcff"}', 1, "utf"),
}

HAND = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 100, 100]
actions = [
  "d dh p1 AsKs",
  "d dh p2 ????",
  "d dh p3 QhQd",
  "p3 cbr 30", # he's "in"
  "p1 cc",
  "p2 f",
  "d db 2c3c4c",
]
"""
HANDS = {
    "not toml": (HAND.replace("= 10", "="), 4, "value"),
    "not text": ("\udcff\n" + HAND, 1, "utf-8"),
    "deep": ("x = " + "[" * 5000, 1, "deeply"),
    "other game": (HAND.replace('"NT"', '"PO"'), 1, "PO"),
    "field missing": (HAND.replace("antes", "# antes"), 1, "antes"),
    "minimum missing": (HAND.replace("min_bet = 10\n", ""), 1, "min_bet"),
    "stacks of two": (HAND.replace("[100, 100, 100]", "[100, 100]"), 2, "antes"),
    "one player": (HAND.replace("[100, 100, 100]", "[100]"), 5, "1 players"),
    "empty stack": (HAND.replace("[100, 100, 100]", "[100, 0, 100]"), 5, "0"),
    "half a chip": (HAND.replace("[5, 10, 0]", "[5, 10.5, 0]"), 3, "10.5"),
    "negative ante": (HAND.replace("[0, 0, 0]", "[0, -1, 0]"), 2, "-1"),
    "text for chips": (HAND.replace("[5, 10, 0]", '["5", 10, 0]'), 3, "'5'"),
    "true for chips": (HAND.replace("[5, 10, 0]", "[5, true, 0]"), 3, "true"),
    "no blinds": (HAND.replace("[5, 10, 0]", "[0, 0, 0]"), 3, "blind"),
    "blinds upside down": (HAND.replace("[5, 10, 0]", "[10, 5, 0]"), 3, "above"),
    "antes of some": (HAND.replace("[0, 0, 0]", "[1, 2, 0]"), 2, "antes"),
    "seat 11": (HAND + "seats = [9, 10, 11]\n", 15, "seats"),
    "seats against the clock": (HAND + "seats = [3, 2, 1]\n", 15, "clockwise"),
    "names of two": (HAND + 'players = ["a", "b"]\n', 15, "players"),
    "finish of two": (HAND + "finishing_stacks = [1, 2]\n", 15, "finishing_stacks"),
    "number for an action": (HAND.replace('"p2 f"', "7"), 12, "7"),
    "unknown verb": (HAND.replace("p2 f", "p2 fold"), 12, "p2 fold"),
    "unknown player": (HAND.replace("p2 f", "p4 f"), 12, "p4"),
    "bet of nothing": (HAND.replace("cbr 30", "cbr 0"), 10, "bets"),
    "no such card": (HAND.replace("2c3c4c", "2c3c4x"), 13, "4x"),
    "one card in two hands": (HAND.replace("????", "As2d"), 9, "two hands"),
    "card again on the board": (HAND.replace("2c3c4c", "2c3cAs"), 13, "As"),
    "flop of two": (HAND.replace("2c3c4c", "2c3c"), 13, "2 board"),
    "third card": (HAND.replace("????", "2h3h4h"), 8, "third"),
    "folds twice": (HAND.replace('"d db', '"p2 f", "d db'), 13, "p2"),
    "bad event inside": (HAND.replace('"d db', '"# maldonne {}", "d db'), 13, "event"),
    "bad journal": (HAND + '[_maldonne]\nevents = [\n\'{"event":"x"}\',\n]\n', 17, "x"),
    "journal of tomorrow": (HAND + "[_maldonne]\nversion = 2\n", 15, "version"),
}

BOOK = """id = "club"
name = "Club"
version = "1"
date = "2026-01-01"
source = "club"
extends = "standard"

[terms]
odd_chip = { is = "left_of_button", article = "C 1" }

[[hand]]
incident = "boxed_card"
ruling = "play_on"
article = "C 2"
"""
BOOKS = {
    "not toml": (BOOK.replace('"club"', "", 1), 1, "value"),
    "not text": ("# \udcff\n" + BOOK, 1, "utf-8"),
    "field missing": (BOOK.replace('version = "1"\n', ""), 1, "version"),
    "unknown field": (BOOK.replace("ruling =", "rulling ="), 11, "rulling"),
    "extends nobody": (BOOK.replace('"standard"', '"standart"'), 6, "standard"),
    "id taken": (BOOK.replace('id = "club"', 'id = "ropta"'), 1, "ropta"),
    "no such incident": (BOOK.replace("boxed_card", "boxed_cart"), 12, "boxed_card"),
    "no such ruling": (BOOK.replace("play_on", "play_onn"), 13, "play_on"),
    "no such fact": (BOOK + 'when = { street_ = "flop" }\n', 15, "street"),
    "no such value": (BOOK + 'when = { street = "fourth" }\n', 15, "fourth"),
    "no such step": (BOOK + 'do = ["void_the_deal"]\n', 15, "step"),
    "no such reading": (BOOK + 'read_as = "calls"\n', 15, "did you mean call"),
    "nothing ruled": (BOOK.replace('"play_on"', "[]"), 11, "ruling"),
    "no article": (BOOK.replace("C 2", " "), 14, "article"),
    "no such term": (BOOK.replace("odd_chip", "odd_chips"), 9, "odd_chip"),
    "no such setting": (BOOK.replace("left_of_button", "right"), 9, "right"),
    "inherits nothing known": (BOOK.replace("extends", 'inherit = ["box"]\nextends'), 6, "box"),
    "deep": ("x = " + "[" * 5000, 1, "deeply"),
    "no floor": (BOOK.replace('extends = "standard"\n', ""), 1, "floor"),
}


def complaint(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Run the program on bad input and give its one line."""
    status = main(arguments)
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == "", "nothing half-done"
    assert printed.err.endswith("\n") and printed.err.count("\n") == 1, printed.err
    return printed.err


def write(file: Path, text: str) -> str:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(file)


def check(line: str, file: str, number: int, reason: str) -> None:
    assert f"{file}:{number}" in line, line
    assert re.search(rf"{re.escape(file)}:{number}\b", line), line
    assert reason.lower() in line.lower().replace(file.lower(), ""), line


@pytest.mark.parametrize("case", EVENTS)
def test_bad_events(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, number, reason = EVENTS[case]
    file = write(tmp_path / "events.jsonl", text)
    check(complaint(capsys, ["adjudicate", file, "--json"]), file, number, reason)


@pytest.mark.parametrize("case", HANDS)
def test_bad_hands(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, number, reason = HANDS[case]
    good = write(tmp_path / "good.phh", HAND)
    file = write(tmp_path / "bad.phh", text)
    check(complaint(capsys, ["play", good, file, "--engine", "--json"]), file, number, reason)


@pytest.mark.parametrize("case", BOOKS)
def test_bad_rulebooks(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, number, reason = BOOKS[case]
    file = write(tmp_path / "club.toml", text)
    check(complaint(capsys, ["rulebooks", "check", file]), file, number, reason)


def test_the_good_ones_are_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adjudicate", write(tmp_path / "events.jsonl", START + "\n" + SHUFFLED), "--json"]) == 0
    assert main(["rulebooks", "check", write(tmp_path / "club.toml", BOOK)]) == 0
    assert main(["play", write(tmp_path / "hand.phh", HAND), "--engine", "--json"]) in (0, 1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["adjudicate", "/nowhere/events.jsonl"],
        ["adjudicate", "/"],
        ["adjudicate", "/dev/null", "--rulebook", "roptaa"],
        ["play", "/nowhere/hand.phh", "--engine"],
        ["rulebooks", "check", "/nowhere/club.toml"],
        ["rulebooks", "show", "nobody"],
    ],
)
def test_what_is_not_there(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(capsys, arguments)
    assert arguments[-1] in line or arguments[1] in line


@pytest.mark.parametrize(
    "arguments",
    [[], ["adjudicat"], ["adjudicate"], ["play", "x.phh", "--seed", "one"], ["rulebooks", "shew"]],
)
def test_bad_options_are_one_line_too(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    printed = capsys.readouterr()
    assert left.value.code == 2 and printed.err.count("\n") == 1


def test_a_club_book_that_extends_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    write(one, BOOK.replace('"standard"', '"two.toml"'))
    write(two, BOOK.replace('"standard"', '"one.toml"').replace("club", "other"))
    assert "extends itself" in complaint(capsys, ["rulebooks", "check", str(one)])
