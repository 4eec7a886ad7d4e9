"""Recorded hands through every layer: tags, frames on a pty, driver, fusion, engine, journal, MQTT, hub."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maldonne import cli

# Hands that between them have side pots, split pots, odd chips, antes, short blinds, heads-up, ten seats.
SAMPLE = (
    "pluribus-91-43",
    "ps-99632717091",
    "wsop2023-43-d5-h04",
    "ps-57039811101",
    "ps-12638043864",
    "fulltilt2009-dwan-ivey",
)


def hands(folder: Path, full: bool) -> list[str]:
    files = sorted((folder / "phh" / "hands").glob("*.phh"))
    return [str(file) for file in files if full or file.stem in SAMPLE]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("equipment", ["chips+cards", "cards", "seven"])
def test_recorded_hands_end_right_through_the_wires(shared_data, full, capsys, equipment):
    files = hands(shared_data, full)
    status = cli.main(["play", *files, "--table", equipment, "--json"])
    outcomes = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(outcomes) == len(files)
    assert [(outcome["file"], outcome["differences"]) for outcome in outcomes if not outcome["ok"]] == []
    assert status == 0
    for outcome in outcomes:
        assert outcome["wrong_cards"] == []
        if equipment == "chips+cards":
            assert outcome["finishing_stacks"] == outcome["expected_stacks"]
