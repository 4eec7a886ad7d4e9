"""docs/tournament-records.md names every setting and word, and what it shows can be used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from table_controller.rulebook_files import load_book
from tournament_hub.config import parse_config
from tournament_hub.logic.formula import FUNCTIONS
from tournament_hub.logic.presets import SETTINGS, Step, preset_of
from tournament_hub.logic.season import COLUMNS, NAMES, load_rules
from tournament_hub.store_people import Keep

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "tournament-records.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
HEAD = 'id = "club"\nname = "Club"\nversion = "1"\ndate = "2026-01-01"\nsource = "test"\nextends = "ropta"\n'


def test_every_setting_stands_in_its_row_with_its_words_and_no_other() -> None:
    rows = {
        row.split("|")[1].strip(" `"): row.split("|")[2]
        for row in TEXT.splitlines()
        if row.startswith("| `") and row.count("|") == 4
    }
    assert list(rows) == list(SETTINGS)
    for name, form in SETTINGS.items():
        words = [word for word in get_args(form) if isinstance(word, str)]
        assert re.findall(r"`([a-z_]+)`", rows[name]) == words
    assert all(f"`{step}`" in TEXT for step in get_args(Step))


@pytest.mark.parametrize("number", [0, 1])
def test_the_parts_of_a_book_that_it_shows_can_be_loaded(tmp_path: Path, number: int) -> None:
    file = tmp_path / "club.toml"
    file.write_text(HEAD + SHOWN[number], encoding="utf-8")
    preset = preset_of(load_book(str(file)), str(file))
    assert (preset.tie, preset.money) == [("heads_up", "off"), ("shared", "on")][number]


def test_the_money_that_it_shows_can_be_set(tmp_path: Path) -> None:
    money = parse_config(SHOWN[2], "hub.toml", tmp_path).tournament["main"].money
    assert money is not None and (money.prize, money.shares, money.unit) == (1000, (50, 30, 20), 500)


def test_the_season_that_it_shows_can_be_loaded() -> None:
    rules = load_rules(SHOWN[3])
    assert (rules.best, rules.kinds["Sit & Go"].scale) == (8, {"6": 0.7})
    assert all(f"`{name}`" in TEXT for name in NAMES)
    assert ",".join(COLUMNS) in TEXT and " ".join(sorted(FUNCTIONS)) in TEXT


def test_the_settings_of_a_hub_that_it_shows_are_the_usual_ones(tmp_path: Path) -> None:
    config = parse_config(SHOWN[4], "hub.toml", tmp_path)
    assert config.keep == Keep()
    assert config.record == "postgresql://maldonne@db.local/club"
