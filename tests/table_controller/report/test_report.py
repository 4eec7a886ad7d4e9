"""The printable report of an incident, from a real journal: what was sensed, expected, ruled and decided."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import events as ev
from maldonne.cli import main
from table_controller.journal import Journal, Reading
from table_controller.report.gathering import Incident, incidents
from tests.table_controller.rig import Rig

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
UTC = "2024-01-01T00:00:00Z"


def written(rig: Rig, path: Path) -> Path:
    """The rig's record as a journal on the disk."""
    rig.collect()
    with Journal.open(path, club="lyon", table="t4", utc=UTC, engine="1", software="maldonne") as journal:
        for batch in rig.batches:
            journal.commit(batch)
    return path


def hand_with_incidents() -> Rig:
    """A flop without a burn that sensors saw and a person confirmed; one they denied; a call of the floor, ruled."""
    rig = Rig(4, book="ropta")
    rig.start()
    rig.deal()
    for word in ("CALL", "CALL", "CALL", "CHECK"):
        rig.press(word)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board")
    rig.wait(9.0)
    assert rig.running.question is not None
    rig.press("YES")
    rig.running.say(ev.Claimed(claim="hand_shown", seat=3, facts={"notice": True}), "page:tablette 1")
    rig.running.say(
        ev.FloorDecided(choice="play_on", by="Mme Leroy", note="Les cartes sont lisibles."), "page:tablette 1"
    )
    rig.wait(1.0)
    return rig


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return written(hand_with_incidents(), tmp_path / "table.journal")


def of(path: Path, hand: int = 1) -> list[Incident]:
    with Reading.of(path) as reading:
        return incidents(reading, hand)


def test_a_confirmed_question_of_the_sensors_has_everything(journal: Path) -> None:
    first = of(journal)[0]
    assert (first.name, first.number, first.phase) == ("no_burn", 1, "preflop")
    assert first.places == ("board",) and first.evidence == ("antenna",)
    assert [(answer.value, answer.by) for answer in first.answers] == [("yes", "panel:YES")]
    assert first.expected[0].order == "burn"
    assert {ruling.article for ruling in first.rulings} <= {
        row.article for row in first.book.candidates("no_burn")
    }
    (read,) = [read for read in first.reads if read.place == "board"]
    assert read.cards == 3 and read.age is not None and 0 <= read.age < 1.0


def test_what_people_said_names_who_and_the_floors_decision_its_reason(journal: Path) -> None:
    found = of(journal)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    decided = [one for one in found if one.decision is not None]
    assert [one.decision.by for one in decided if one.decision] == ["Mme Leroy"]
    told = [one for one in found if one.name == "hand_shown"]
    assert [one.told_by for one in told] == ["page:tablette 1"]


def test_a_denied_question_is_reported_without_a_ruling(tmp_path: Path) -> None:
    rig = Rig(4, book="ropta")
    rig.start()
    rig.deal()
    for word in ("CALL", "CALL", "CALL", "CHECK"):
        rig.press(word)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board")
    rig.wait(9.0)
    rig.press("NO")
    (one,) = of(written(rig, tmp_path / "j"))
    assert (one.name, one.rulings) == ("no_burn", ())
    assert [(answer.value, answer.by) for answer in one.answers] == [("no", "panel:NO")]


def test_what_was_undone_says_so(tmp_path: Path) -> None:
    rig = Rig(4, book="ropta")
    rig.start()
    rig.card(rig.holes(1)[0], "seat1")
    rig.running.say(ev.CardExposed(card="2h", at="seat1", by="dealer"), "page:x")
    rig.press("UNDO")
    (one,) = of(written(rig, tmp_path / "j"))
    assert one.undone


def test_no_report_names_a_card_that_nobody_has_seen(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("--text", "--html"):
        assert main(["journal", "report", str(journal), "--hand", "1", "--lang", "en", form]) == 0
    printed = capsys.readouterr().out
    # hole cards are 2h 3h …, burns and the stub are spades; the flop of clubs was open
    assert not re.search(r"\b([2-9TJQKA]|10)([♥♦♠]|[hds]\b)", printed)
    assert "04A1" not in printed


@pytest.mark.parametrize("form", ["text", "html"])
@pytest.mark.parametrize("lang", ["fr", "en"])
def test_reports_read_word_for_word(
    journal: Path, capsys: pytest.CaptureFixture[str], lang: str, form: str
) -> None:
    assert main(["journal", "report", str(journal), "--hand", "1", "--lang", lang, f"--{form}"]) == 0
    golden = GOLDEN / f"incidents.{lang}.{'txt' if form == 'text' else 'html'}"
    assert capsys.readouterr().out == golden.read_text(encoding="utf-8")


def test_one_incident_alone_and_what_is_not_there(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "report", str(journal), "--hand", "1", "--incident", "2", "--lang", "fr"]) == 0
    assert "incident n° 2" in capsys.readouterr().out
    for wrong in (["--hand", "7"], ["--hand", "1", "--incident", "9"]):
        assert main(["journal", "report", str(journal), *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
