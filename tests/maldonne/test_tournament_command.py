"""``maldonne tournament simulate``: what it prints, and that the same seed gives the same tournament."""

from __future__ import annotations

import json

import pytest

from maldonne.cli import main

FEW = ("tournament", "simulate", "--entries", "21", "--seed", "4", "--late", "2")


def test_json_has_every_place_once_and_prizes_that_sum_to_the_pool(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*FEW, "--money", "--json", "--rulebook", "stars"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["violations"] == [] and facts["hands"] > 20 and facts["moves"] > 0
    assert sorted(row["entry"] for row in facts["places"]) == sorted(
        f"e{n}" for n in range(1, facts["entries"] + 1)
    )
    assert facts["places"][0]["place"] == 1
    assert sum(row["amount"] for row in facts["payouts"]) == 5000 * facts["entries"]


def test_same_seed_same_tournament_and_no_payouts_without_money(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        assert main([*FEW, "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and json.loads(said[0])["payouts"] == []


@pytest.mark.parametrize(
    ("language", "word"), [("fr_FR", "Le tournoi est terminé"), ("en_GB", "The tournament is over")]
)
def test_words_in_both_languages(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str, word: str
) -> None:
    monkeypatch.setenv("LC_ALL", language)
    assert main([*FEW, "--rulebook", "tda2024"]) == 0
    out = capsys.readouterr().out
    assert word in out and "{" not in out
    assert "   1. e" in out


@pytest.mark.parametrize("wrong", [("--entries", "1"), ("--entries", "9", "--seats", "11")])
def test_numbers_that_no_tournament_has(capsys: pytest.CaptureFixture[str], wrong: tuple[str, ...]) -> None:
    assert main(["tournament", "simulate", *wrong]) == 2
    assert wrong[-2] in capsys.readouterr().err
