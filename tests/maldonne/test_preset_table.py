"""``maldonne rulebooks``: the tournament part shown, compared and checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maldonne.cli import main

CLUB = 'id = "club"\nname = "Club"\nversion = "1"\ndate = "2026-01-01"\nsource = "test"\nextends = "ropta"\n\n[tournament]\n'


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def test_show_has_the_settings_with_their_articles_and_marks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rulebooks", "show", "wsop2026"]) == 0
    out = capsys.readouterr().out
    assert "TOURNAMENT" in out
    assert "Difference allowed when there are many tables : 2 (WSOP balance)" in out
    assert "Same hand, equal stacks : same place (STARS ranking†)" in out
    assert "dodging a blind → penalty (WSOP blinds)" in out


def test_diff_has_the_settings_that_differ(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rulebooks", "diff", "ppc2011", "ropta"]) == 0
    out = capsys.readouterr().out
    assert "heads-up between them (PPC 8.5)" in out and "same place (ROPTA elimination)" in out
    assert main(["rulebooks", "diff", "ppc2011", "ropta", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["tournament"]
    assert told["tie"] == ["heads_up", "shared"] and told["offence_advice"] == ["warning", None]
    assert "money" not in told


def test_books_that_differ_only_in_the_tournament_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rulebooks", "diff", "stars", "standard"]) == 0
    assert "who has moved least" in capsys.readouterr().out
    assert main(["rulebooks", "diff", "pokernews", "pokernews"]) == 0
    assert "TOURNAMENT" not in capsys.readouterr().out


def test_check_answers_a_slip_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("club.toml").write_text(CLUB + 'ties = { is = "shared", article = "C 1" }\n', encoding="utf-8")
    assert main(["rulebooks", "check", "club.toml"]) == 2
    assert (
        capsys.readouterr().err
        == "maldonne: club.toml:9: no such tournament setting: ties (did you mean tie?)\n"
    )
    Path("club.toml").write_text(CLUB + 'money = { is = "on", article = "C 2" }\n', encoding="utf-8")
    assert main(["rulebooks", "check", "club.toml"]) == 0
