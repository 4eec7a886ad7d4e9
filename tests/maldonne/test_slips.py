"""Recorded hands with a dealer who slips: each cure is worked off to the end, under every book."""

import json
from pathlib import Path

import pytest

from maldonne.cli import main
from maldonne.errors import InputError
from maldonne.phh import RecordedHand, parse, read
from maldonne.play import play_with_slips
from maldonne.slips import ALONE, OF_A_STREET, OF_THE_DEAL, Slip, parse_slips
from table_controller.rulebook_files import load_book

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "phh"
FILES = [file for file in sorted(DATA.glob("hands/*.phh"))[::9] if len(read(file).seats) > 2]
BOOKS = ("standard", "ropta", "ppc2011", "pokernews", "tda2024", "ltpq")
SLIPS = [f"{name}:{number}" for name in OF_THE_DEAL for number in (1, 2, 3, 6)]
SLIPS += [f"{name}:{street}" for name in OF_A_STREET for street in ("flop", "turn", "river")]
SLIPS += [*ALONE, "expose:2,expose:4", "drop:3,double_burn:flop"]

SIX = """variant = "NT"
antes = [0, 0, 0, 0, 0, 0]
blinds_or_straddles = [5, 10, 0, 0, 0, 0]
min_bet = 10
starting_stacks = [100, 100, 100, 100, 100, 100]
actions = [
  "p3 f", "p4 f", "p5 f", "p6 cc", "p1 f", "p2 cc", "d db 2c3d4h", "p2 cc", "p6 cc", "d db 9s", "p2 cc",
  "p6 cc", "d db Jh", "p2 cc", "p6 cc", "p2 sm AsAd", "p6 sm KsKd",
]
finishing_stacks = [95, 115, 100, 100, 100, 90]
"""


@pytest.fixture
def hand() -> RecordedHand:
    """Six players; the big blind's aces win a checked pot against the button's kings."""
    return parse(SIX, "six.phh")


def rulings(hand: RecordedHand, spec: str, book: str) -> list[str]:
    """Play it; the hand must end as recorded, or be told otherwise."""
    outcome = play_with_slips(hand, load_book(book), parse_slips(spec, hand, 1), "en")
    assert outcome.ok, outcome.differences
    return [ruling.ruling for ruling in outcome.rulings]


@pytest.mark.parametrize(
    ("spec", "book", "wanted"),
    [
        ("expose:1", "ropta", ["misdeal"]),
        ("expose:1", "ppc2011", ["card_replaced", "burn_skipped"]),
        ("expose:2", "pokernews", ["card_replaced", "burn_assigned"]),
        ("expose:7", "ropta", ["card_replaced", "burn_assigned"]),
        ("expose:7", "tda2024", ["card_replaced", "burn_assigned"]),
        ("expose:7", "ltpq", ["call_floor"]),
        ("drop:5", "ropta", ["card_replaced", "burn_assigned"]),
        ("boxed:5", "ropta", ["card_set_aside"]),
        ("skip:4", "ropta", ["misdeal"]),
        ("extra", "pokernews", ["card_returned", "burn_assigned"]),
        ("double_burn:flop", "ropta", ["card_kept", "burn_assigned"]),
        ("no_burn:flop", "ropta", ["burn_assigned"]),
        ("premature:flop", "ppc2011", ["street_redealt"]),
        ("premature:turn", "pokernews", ["card_held_out"]),
        ("premature:turn", "tda2024", ["street_redealt"]),
        ("too_many:flop", "ropta", ["burn_assigned"]),
        ("show_burn:turn", "ropta", ["play_on"]),
    ],
)
def test_a_slip_is_ruled_and_cured_and_the_hand_ends_as_recorded(
    hand: RecordedHand, spec: str, book: str, wanted: list[str]
) -> None:
    given = rulings(hand, spec, book)
    assert set(given) & set(wanted) and given[0] in wanted, given


@pytest.mark.skipif(not FILES, reason="the shared hands are not here")
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("spec", SLIPS)
def test_no_slip_hangs_a_hand_or_loses_a_chip(spec: str, book: str) -> None:
    rules = load_book(book)
    for file in FILES:
        subject = read(file)
        last = 2 * len(subject.seats)
        slips = [slip for slip in parse_slips(spec, subject, 1) if slip.number <= last]
        outcome = play_with_slips(subject, rules, slips, "en")
        assert sum(stack or 0 for stack in outcome.finishing_stacks) == sum(subject.stacks), file.name
        assert not [text for text in outcome.differences if "not finished" in text], (file.name, outcome)


def test_a_slip_that_the_hand_never_comes_to_does_not_happen() -> None:
    short = parse(
        SIX.replace('"p6 cc", "p1 f", "p2 cc", ', '"p6 f", "p1 f", ').partition('"d db')[0] + "]", "x"
    )
    assert rulings(short, "double_burn:river", "ropta") == []


def test_a_rate_is_drawn_by_the_seed(hand: RecordedHand) -> None:
    assert parse_slips("0", hand, 1) == ()
    assert len(parse_slips("1", hand, 1)) == 12 + 3
    assert parse_slips("0.3", hand, 1) == parse_slips("0.3", hand, 1) != parse_slips("0.3", hand, 2)


def test_slips_are_read_in_a_row(hand: RecordedHand) -> None:
    assert parse_slips("expose:7, premature:turn,extra", hand, 1) == (
        Slip("expose", number=7),
        Slip("premature", street="turn"),
        Slip("extra"),
    )


@pytest.mark.parametrize(
    "text", ["", "expose", "expose:0", "expose:13", "expose:flop", "burn:flop", "2", "extra:3"]
)
def test_an_unknown_slip_is_refused_with_those_that_exist(text: str, hand: RecordedHand) -> None:
    with pytest.raises(InputError) as raised:
        parse_slips(text, hand, 1)
    assert raised.value.exit_status == 2 and raised.value.hint


def test_the_command_takes_slips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "six.phh"
    file.write_text(SIX)
    arguments = ["play", str(file), "--engine", "--json", "--rulebook", "ropta", "--errors"]
    assert main([*arguments, "expose:7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] and found["rulings"][0]["article"].startswith("ROPTA exposed")
    assert main([*arguments, "exposee:7"]) == 2
    assert main([*arguments[:-1], "--faults", "miss=0.1"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 2
