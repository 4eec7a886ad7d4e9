"""``maldonne season``: standings as text, CSV and JSON; a wrong file is one line and status 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maldonne.cli import main

RULES = """name = "Saison 2026"
best = 2
attendance = 1
decimals = 1
qualify = 2
[points]
formula = "10 * sqrt(entries / place)"
[kinds."SNG"]
table = [10, 6, 4]
[kinds."SNG".scale]
"6" = 0.5
[teams]
Rouge = ["Léa", "Paul"]
"""
RESULTS = "event;player;place;table_size\nT1;Léa;1\nT1;Paul;2\nSNG 1;Paul;1;6\nSNG 1;Léa;2;6\nSNG 1;Zoé;3;6\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    Path("season.toml").write_text(RULES, encoding="utf-8")
    Path("results.csv").write_text(RESULTS, encoding="utf-8")
    return tmp_path


def test_standings_for_people(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["season", "standings", "season.toml", "results.csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Saison 2026",
        "rang  joueur  points  jouées  victoires",
        "────  ──────  ──────  ──────  ─────────",
        "   1  Léa       19,1       2          1",
        "   2  Paul        17       2          1",
        "   –  Zoé          3       1          0",
        "– : pas assez d'épreuves jouées pour être classé.",
        "",
        "rang  équipe  points",
        "────  ──────  ──────",
        "   1  Rouge     36,1",
    ]


def test_standings_for_machines_and_spreadsheets(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["season", "standings", "--json", "season.toml", "results.csv"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["player"], row["rank"], row["total"]) for row in told["players"]] == [
        ("Léa", 1, 19.1),
        ("Paul", 2, 17.0),
        ("Zoé", None, 3.0),
    ]
    assert main(["season", "standings", "--csv", "season.toml", "results.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1,Léa,Rouge,19.1,2,2,2,1,1"


def test_results_may_come_in_several_files_and_as_old_spreadsheets_write_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("more.csv").write_bytes("event;player;place\nT2;Zoé;1\n".encode("cp1252"))
    assert main(["season", "standings", "--csv", "season.toml", "results.csv", "more.csv"]) == 0
    assert "Zoé" in capsys.readouterr().out.splitlines()[3]


def test_settings_are_checked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["season", "check", "season.toml"]) == 0
    assert "Saison 2026" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("season.toml", RULES.replace("entries / place", "entries / (place"), "season.toml:7: syntax"),
        (
            "season.toml",
            RULES.replace("best", "bests"),
            "season.toml:2: bests: Object contains unknown field",
        ),
        ("results.csv", RESULTS.replace("T1;Paul;2", "T1;Paul;two"), "results.csv:3: place is 'two'"),
    ],
)
def test_a_wrong_file_is_one_line_and_status_2(
    files: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, told: str
) -> None:
    Path(name).write_text(text, encoding="utf-8")
    assert main(["season", "standings", "season.toml", "results.csv"]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and told in err


def test_a_file_that_is_not_there(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["season", "standings", "season.toml", "none.csv"]) == 2
    assert "none.csv: cannot be read" in capsys.readouterr().err
