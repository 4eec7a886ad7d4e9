"""``maldonne play --engine``: real hands through the engine alone, compared with their records."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import machine
from maldonne.cli import main
from maldonne.oracle import pokerkit_stacks
from maldonne.outcome import recorded_winners
from maldonne.phh import parse, read, whole_stacks
from maldonne.play import play_hand
from table_controller.rulebook_files import available, load_book

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "phh"
HANDS = sorted((DATA / "hands").glob("*.phh"))
WRONG = sorted((DATA / "pokerkit_wrong").glob("*.phh"))
needs_hands = pytest.mark.skipif(not HANDS, reason="the shared hands are not here")


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> list[dict[str, Any]]:
    assert main(["play", *arguments, "--engine", "--json"]) == status
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@needs_hands
@pytest.mark.parametrize("file", HANDS, ids=lambda file: file.stem)
def test_a_real_hand_ends_as_the_site_or_broadcast_recorded(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = expected(DATA.parent / "phh")["hands"][file.name]
    stacks = wanted["finishing_stacks_source"] or wanted["finishing_stacks_pokerkit"]
    (found,) = run(capsys, str(file))
    assert found["finishing_stacks"] == list(whole_stacks(stacks))
    assert found["board"] == wanted["board"]
    assert found["ok"] and found["differences"] == [] and found["file"] == str(file)
    assert sum(found["finishing_stacks"]) == sum(wanted["starting_stacks"])
    assert not {r["ruling"] for r in found["rulings"]} - {"play_on"}, "a clean hand needs no cure"


@needs_hands
@pytest.mark.parametrize("file", WRONG, ids=lambda file: file.stem)
def test_a_real_hand_that_pokerkit_gets_wrong_ends_as_the_site_says(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = expected(DATA / "pokerkit_wrong")[file.name]
    assert pokerkit_stacks(file) != tuple(wanted["finishing_stacks_site"]), "else the case is no case"
    (found,) = run(capsys, str(file))
    assert found["finishing_stacks"] == wanted["finishing_stacks_site"]
    assert found["ok"] and found["expected_stacks"] == wanted["finishing_stacks_site"]


@needs_hands
@pytest.mark.parametrize("book", available())
def test_every_book_brings_every_hand_to_its_end(book: str) -> None:
    """A book may read an act otherwise than the site; all chips are still there at the end."""
    rules = load_book(book)
    for file in HANDS[::6] + WRONG:
        hand = read(file)
        outcome = play_hand(hand, rules, 1, "en")
        assert None not in outcome.finishing_stacks
        assert sum(stack or 0 for stack in outcome.finishing_stacks) == sum(hand.stacks), file.name


@needs_hands
def test_the_seed_of_unknown_cards_changes_no_byte(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(file) for file in HANDS[::7]]
    first = run(capsys, *files, "--seed", "1")
    assert first == run(capsys, *files, "--seed", "2")


HAND = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [100, 100, 100]
actions = [{actions}]
"""
CHECKS = '"p1 cc", "p2 cc", "p3 cc"'
SHOWDOWN = f'"p3 cc", "p1 cc", "p2 cc", "d db 2c3c4h", {CHECKS}, "d db 9d", {CHECKS}, "d db Jh", {CHECKS}'


def test_winners_come_from_the_record_when_nobody_showed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions=SHOWDOWN) + "finishing_stacks = [105, 90, 105]\n")
    (found,) = run(capsys, str(file))
    assert found["ok"] and found["finishing_stacks"] == [105, 90, 105]


def test_a_record_that_does_not_tell_its_end_is_not_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions=SHOWDOWN))
    (found,) = run(capsys, str(file), status=1)
    assert not found["ok"] and len(found["differences"]) == 1
    assert found["expected_stacks"] is None, "nobody knows"


def test_side_pots_without_cards_are_explained_by_the_gains() -> None:
    """p1 is all-in for 50 and wins the main pot, p3 the side pot."""
    actions = '"p3 cbr 100", "p1 cc", "p2 cc", "d db 2c3c4h", "d db 9d", "d db Jh"'
    text = HAND.format(actions=actions).replace("[100, 100, 100]", "[50, 100, 100]")
    hand = parse(text + "finishing_stacks = [150, 0, 100]\n", "hand.phh")
    outcome = play_hand(hand, load_book("standard"), 1, "en")
    assert outcome.ok, outcome.differences


def test_gains_that_no_pot_explains_name_no_winner() -> None:
    hand = parse(HAND.format(actions=SHOWDOWN) + "finishing_stacks = [999, 90, 105]\n", "hand.phh")
    assert recorded_winners(hand, machine.summary(machine.start(), load_book("standard"))) == {}


def test_a_difference_is_said_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions='"p3 f", "p1 f"') + "finishing_stacks = [95, 106, 99]\n")
    (found,) = run(capsys, str(file), status=1)
    assert found["finishing_stacks"] == [95, 105, 100] and found["expected_stacks"] == [95, 106, 99]
    assert [("105" in d, "99" in d) for d in found["differences"]] == [(True, False), (False, True)]


def test_without_finishing_stacks_the_oracle_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pokerkit")
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions='"d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 f", "p1 f"'))
    assert run(capsys, str(file))[0]["expected_stacks"] == [95, 105, 100]


def test_a_dealers_slip_in_the_record_is_ruled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first card is turned up: the deal is void, every chip goes back."""
    slip = '\'# maldonne {"event":"card_exposed","card":"Ah","at":"seat1","by":"dealer"}\''
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions=f'"d dh p1 AhKh", {slip}, "d dh p2 ????", "d dh p3 ????"'))
    status = main(["play", str(file), "--engine", "--json", "--rulebook", "ropta"])
    found = json.loads(capsys.readouterr().out)
    assert status in (0, 1)
    assert [r["ruling"] for r in found["rulings"]] == ["misdeal"]
    assert found["finishing_stacks"] == [100, 100, 100]


@pytest.mark.parametrize(("lang", "word"), [("fr_FR", "conforme"), ("en_GB", "as recorded")])
def test_people_read_it_in_their_language(
    lang: str,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LC_ALL", lang)
    file = tmp_path / "hand.phh"
    file.write_text(HAND.format(actions='"p3 f", "p1 f"') + "finishing_stacks = [95, 105, 100]\n")
    assert main(["play", str(file), str(file), "--engine"]) == 0
    assert capsys.readouterr().out.count(word) == 3
