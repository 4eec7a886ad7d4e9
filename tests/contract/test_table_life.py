"""What a whole table promises over its own wires when a device fails in the middle of a hand: the hand ends as it was recorded."""

from pathlib import Path

import pytest

from maldonne.cli import main

HAND = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [5000, 5000, 5000]
actions = [
  'd dh p1 2c7d', 'd dh p2 AhKh', 'd dh p3 QsQc', 'p3 cbr 300', 'p1 f', 'p2 cc',
  'd db Th9h2s', 'p2 cc', 'p3 cbr 400', 'p2 cc',
  'd db 5h', 'p2 cc', 'p3 cbr 800', 'p2 cc',
  'd db 3d', 'p2 cc', 'p3 cc', 'p2 sm AhKh', 'p3 sm QsQc',
]
"""
OTHERS = (
    "unplug",
    "midframe",
    "reboot",
    "stall",
    "thief",
    "metal@seat2,metal@seat3",
    "late_reply=0.1,garbage=0.05",
)
FAULTS = (
    "rename",
    *(pytest.param(name, marks=pytest.mark.faults) for name in OTHERS),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_middle_of_a_hand(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It should play the hand to its recorded end by the real programs, whatever happens to the board on the way."""
    record = tmp_path / "hand.phh"
    record.write_text(HAND, encoding="utf-8")
    code = main(["play", str(record), "--faults", fault])
    said = capsys.readouterr()
    assert (code, "hand.phh: as recorded" in said.out) == (0, True), said.out + said.err
