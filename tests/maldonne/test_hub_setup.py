"""The first start on a terminal: Enter keeps, a wrong answer is asked again, an earlier file is kept beside the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from maldonne import hub_setup
from maldonne.cli import main
from maldonne.errors import CommandError, InputError
from tournament_hub.config import load_config
from tournament_hub.first_settings import Answers


def typing(*lines: str) -> tuple[Callable[[str], str], list[str]]:
    """Somebody who types these lines, and what was asked."""
    left: Iterator[str] = iter(lines)
    asked: list[str] = []

    def read(question: str) -> str:
        asked.append(question)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read, asked


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")


def test_five_questions_and_enter_keeps(capsys: pytest.CaptureFixture[str]) -> None:
    read, asked = typing("", "", "", "", "")
    assert hub_setup.ask(read) == Answers(name="Poker club", language="en")
    assert [question[:2] for question in asked] == ["1.", "2.", "3.", "4.", "5."]
    assert "[20000 / 20]" in asked[3]
    assert "ropta" in capsys.readouterr().out


def test_a_wrong_answer_says_why_and_is_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    read, asked = typing("Lyon", "none", "3", "9", "8000/10", "ropta")
    answers = hub_setup.ask(read)
    assert (answers.name, answers.tables, answers.stack, answers.rulebook) == ("Lyon", 3, 8000, "ropta")
    assert len(asked) == 6
    assert "A number of tables, 1 to 200." in capsys.readouterr().out


@pytest.mark.parametrize("lines", [("Lyon",), ("Lyon", "x", "x", "x", "x", "x")])
def test_nobody_or_nonsense_ends_with_one_line(lines: tuple[str, ...]) -> None:
    read, _ = typing(*lines)
    with pytest.raises(InputError):
        hub_setup.ask(read)


def test_the_file_is_whole_and_an_earlier_one_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "club" / "hub.toml"
    hub_setup.write(file, Answers(name="Lyon"), None)
    first = file.read_text(encoding="utf-8")
    assert load_config(file).club.name == "Lyon"
    hub_setup.write(file, Answers(name="Paris"), 0)
    assert load_config(file).club.name == "Paris"
    assert file.with_name("hub.toml.before").read_text(encoding="utf-8") == first
    assert sorted(path.name for path in file.parent.iterdir()) == ["hub.toml", "hub.toml.before"]


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "club").write_text("a file")
    with pytest.raises(CommandError) as told:
        hub_setup.write(tmp_path / "club" / "hub.toml", Answers(), None)
    assert "cannot be written" in told.value.what


def test_a_port_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hub", "--port", "70000"]) == 2
    assert "no port" in capsys.readouterr().err
