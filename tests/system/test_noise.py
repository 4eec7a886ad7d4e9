"""Noise, slips and neglect against the whole table in memory; the large campaign is `make noise`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from benchmarks.memory_table import MemoryPlay
from benchmarks.noise_campaign import GUARD, Task, campaign, run, table_of
from benchmarks.noise_plot import svg, write_measured, write_page
from benchmarks.noise_score import Score
from engine.rulings import Ruling
from hw_sim.config import layout, random_table
from hw_sim.neglect import Neglect
from hw_sim.script import Stakes
from hw_sim.slips import INCIDENTS, Slips
from table_controller.journal import Reading

SEATS = dict.fromkeys(range(1, 7), 10_000)
STAKES = Stakes(50, 100, smallest_chip=50)


def played(
    directory: Path, slips: str, *, equipment: str = "cards", hands: int = 1, tells: float = 1.0, **more
):
    """Play random hands with these slips; give the bench's results, the rulings, the truth."""
    config = random_table(
        directory,
        seats=SEATS,
        stakes=STAKES,
        seed="t2",
        count=hands,
        layout=layout(equipment),
        slips=Slips(slips, "t", tells=tells),
        rulebook="ropta",
        **more,
    )
    with MemoryPlay(config) as play:
        play.play()
        results = list(play.bench.results)
    with Reading.of(directory / "journal.db") as journal:
        rulings = [msgspec.json.decode(row.body, type=Ruling) for row in journal.rulings()]
    truth = [
        json.loads(line) for line in (directory / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return results, rulings, truth


@pytest.mark.parametrize(
    ("slip", "rulings"),
    [
        ("expose:1", {"misdeal"}),
        ("expose:5", {"card_replaced", "burn_assigned"}),
        ("drop:6", {"card_replaced", "burn_assigned"}),
        ("boxed:4", {"card_set_aside"}),
        ("skip:3", {"misdeal"}),
        ("extra", {"misdeal"}),
        ("drop_stub:flop", {"stub_rebuilt"}),
        ("show_burn:flop", {"play_on"}),
    ],
)
def test_a_slip_is_ruled_and_its_cure_is_played_to_the_hands_end(tmp_path, slip, rulings):
    results, found, truth = played(tmp_path, slip)
    assert [fact["at"] for fact in truth if fact["what"] == "slip"] == [slip]
    own = INCIDENTS[slip.partition(":")[0]]
    assert {ruling.ruling for ruling in found if ruling.incident in own} == rulings
    assert {ruling.incident for ruling in found} <= own
    assert [result.ok for result in results] == [True]
    assert any(fact["what"] == "void" for fact in truth) is ("misdeal" in rulings)


def test_after_a_misdeal_everybody_has_his_chips_and_the_same_hand_is_dealt_again(tmp_path):
    results, found, truth = played(tmp_path, "skip:3", equipment="chips+cards")
    begins = [fact for fact in truth if fact["what"] == "hand_begin"]
    assert [(fact["hand"], fact["again"]) for fact in begins] == [(1, False), (1, True)]
    assert begins[0]["stacks"] == begins[1]["stacks"]
    assert [ruling.ruling for ruling in found].count("misdeal") == 1
    assert [result.ok for result in results] == [True]
    assert sum(results[0].after.values()) == sum(SEATS.values())


def test_what_nobody_tells_is_not_ruled(tmp_path):
    results, found, truth = played(tmp_path, "expose:5", tells=0.0)
    assert [fact["told"] for fact in truth if fact["what"] == "slip"] == [False]
    assert found == []
    assert [result.ok for result in results] == [True]


@pytest.mark.parametrize("kind", ["silent_check", "lifted", "flying", "beside_muck", "held_stub"])
def test_neglect_never_becomes_a_ruling(tmp_path, kind):
    results, found, truth = played(tmp_path, "", hands=2, neglect=Neglect(**{kind: 0.5}))
    assert found == []
    assert [result.ok for result in results] == [True, True]
    told = {fact.get("kind") for fact in truth if fact["what"] == "neglect"}
    held = any(fact.get("held_stub") for fact in truth)
    assert told == {kind} if kind != "held_stub" else held


def test_no_card_is_told_at_a_wrong_seat_and_no_fold_is_invented_under_noise():
    score = run(Task("sample", 6, "cards", miss=0.05, slips=0.0, neglect=False))
    assert score.hands >= 1
    assert (score.wrong_cards, score.invented_folds, score.false_misdeals) == (0, 0, 0), score.findings


def guarded(hands: int) -> Score:
    """An evening on which one player has a metal guard on every hand, and nothing else is wrong."""
    guard = Task(
        "guard", hands, "cards", miss=1e-9, ghost=0.0, bleed=0.0, slips=0.0, neglect=False, lies=GUARD
    )
    return run(guard)


def one_question_an_hour(score: Score) -> bool:
    return score.questions + score.doubts <= score.hours


def test_a_metal_guard_on_every_hand_of_a_player_is_no_reason_to_ask():
    score = guarded(4)
    assert (score.hands, score.clean_hands, score.held_hands) == (4, 4, 0)
    assert score.questions + score.doubts == 0, score.findings


@pytest.mark.faults
@pytest.mark.timeout(2400)
def test_a_metal_guard_a_whole_evening():
    score = guarded(150)
    assert score.hours > 3.5 and score.held_hands == 0
    assert one_question_an_hour(score), score.findings


def test_a_clean_table_is_never_asked_anything():
    score = run(Task("clean", 8, miss=0.0, ghost=0.0, bleed=0.0, slips=0.0, neglect=False))
    assert (score.hands, score.clean_hands, score.held_hands) == (8, 8, 0)
    assert (score.asked_hands, score.false_rulings, score.false_misdeals, score.wrong_stacks) == (0, 0, 0, 0)
    assert score.findings == []


def test_one_seed_gives_one_play(tmp_path):
    truths = []
    for name in ("one", "other"):
        task = Task("twice", 1, miss=0.1, slips=0.05)
        with MemoryPlay(table_of(task, tmp_path / name)) as play:
            play.play()
        truths.append((tmp_path / name / "truth.jsonl").read_bytes())
    assert truths[0] == truths[1]


def test_the_plot_shows_every_rate_and_the_page_its_numbers(tmp_path):
    rows = [
        (0.0, Score(hands=10).plotted()),
        (0.3, Score(hands=10, wrong_cards=1, asked_hands=2, held_hands=3).plotted()),
    ]
    page = tmp_path / "noise.md"
    page.write_text("# Noise\n<!-- plot -->\nold\n<!-- /plot -->\nkept\n", encoding="utf-8")
    write_page(tmp_path, rows, 10, "1")
    picture = (tmp_path / "images" / "noise.svg").read_text(encoding="utf-8")
    assert picture == svg(rows)
    assert picture.count("<circle") == 6
    assert "30 %" in picture or "30%" in picture
    written = page.read_text(encoding="utf-8")
    assert "| 30% | 10 | 1 | 2 | 3 |" in written
    assert "old" not in written and written.endswith("<!-- /plot -->\nkept\n")


def test_the_page_of_a_campaign_has_a_column_for_each_table(tmp_path):
    page = tmp_path / "noise.md"
    page.write_text("<!-- measured -->\n<!-- /measured -->\n", encoding="utf-8")
    write_measured(tmp_path, [("one", list(Score(hands=7).lines())), ("other", list(Score(hands=9).lines()))])
    assert "| hands | 7 | 9 |" in page.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="no marks"):
        write_page(tmp_path, [(0.0, Score(hands=1).plotted())], 1, "1")


@pytest.mark.faults
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("equipment", ["chips+cards", "cards", "seven"])
def test_campaign(equipment):
    hands = int(os.environ.get("MALDONNE_NOISE_HANDS", "100"))
    score = campaign(Task("campaign", hands, equipment))
    assert score.hands > 0
    assert (score.wrong_cards, score.invented_folds, score.false_misdeals) == (0, 0, 0), score.findings
