"""docs/rulebooks.md names everything that a row may be made of, and shows what the commands print."""

import re
import shlex
import tomllib
from collections.abc import Collection
from pathlib import Path

import pytest

from engine.advice import STEPS_OF
from engine.cures import STEP_NAMES
from engine.facts import FACTS
from engine.readings import READINGS
from engine.referee import GROUPS
from engine.rulebook import TERMS
from engine.rulings import ASKABLE, INCIDENTS, RULINGS
from maldonne.cli import main
from table_controller.rulebook_files import load_book

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "rulebooks.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")


def section(title: str) -> str:
    """One section of the document, from its heading to the next of the same level or higher."""
    start = re.search(rf"^(#+) (?:\d+\. )?{re.escape(title)}$", TEXT, re.MULTILINE)
    assert start, title
    level = len(start[1])
    end = re.search(rf"^#{{1,{level}}} ", TEXT[start.end() :], re.MULTILINE)
    return TEXT[start.end() : start.end() + end.start()] if end else TEXT[start.end() :]


def first_column(title: str) -> list[str]:
    """The names in the first column of a section's table."""
    rows = [line for line in section(title).splitlines() if line.startswith("| ")][1:]
    return [name for row in rows for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Terms", TERMS),
        ("Facts", FACTS),
        ("Rulings", RULINGS),
        ("Steps", STEP_NAMES),
        ("How a betting act counts", READINGS),
    ],
)
def test_the_document_names_each_one_and_nothing_that_does_not_exist(
    title: str, names: Collection[str]
) -> None:
    listed = first_column(title)
    assert sorted(listed) == sorted(names)


def test_every_incident_stands_in_its_group() -> None:
    listed = first_column("Incidents")
    assert set(listed) == INCIDENTS | set(GROUPS)
    expected = [name for group, members in GROUPS.items() for name in (group, *members)]
    assert listed == expected


def test_the_facts_beside_an_incident_exist() -> None:
    named = re.findall(r"`([a-z_]+)`", section("Incidents"))
    assert set(named) <= INCIDENTS | set(GROUPS) | set(FACTS)


def test_every_value_of_a_fact_or_term_is_given_and_what_may_be_asked_is_marked() -> None:
    facts = section("Facts")
    for fact, (kind, _) in FACTS.items():
        row = next(line for line in facts.splitlines() if line.startswith(f"| `{fact}`"))
        assert ("?" in row.split("|")[1]) == (fact in ASKABLE)
        if not isinstance(kind, str):
            assert all(f"`{word}`" in row for word in kind)
    terms = section("Terms")
    for allowed in TERMS.values():
        if isinstance(allowed, tuple):
            assert all(f"`{word}`" in terms for word in allowed)


def test_the_step_that_does_a_ruling_stands_beside_it() -> None:
    rows = {
        line.split("|")[1].strip(" `"): line.split("|")[3]
        for line in section("Rulings").splitlines()
        if line.startswith("| `")
    }
    for ruling in RULINGS:
        named = set(re.findall(r"`([a-z_]+)`", rows[ruling])) & STEP_NAMES
        assert named >= set(STEPS_OF.get(ruling, ())), ruling


def test_the_rows_that_the_document_shows_can_be_loaded(tmp_path: Path) -> None:
    shown = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    row, head = shown
    assert set(tomllib.loads(row)) == {"hand"}
    file = tmp_path / "club.toml"
    file.write_text(head + row, encoding="utf-8")
    book = load_book(str(file))
    assert book.rows["no_burn"][0].article == "QN 7a"
    assert book.terms["clock_seconds"].value == 20


def test_what_the_console_shows_is_what_the_commands_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    monkeypatch.setenv("COLUMNS", "100")
    (console,) = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    commands = re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]
    assert len(commands) == 2
    for command in commands:
        line, _, expected = command.partition("\n")
        assert main(shlex.split(line)[1:]) == 0
        printed = capsys.readouterr().out.replace("\u00a0", " ").replace("\u202f", " ").lstrip("\n")
        assert printed.startswith(expected), line


def test_a_slip_is_answered_as_the_document_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = re.search(r"^ +maldonne: club\.toml:23: (.*)$", TEXT, re.MULTILINE)
    assert said
    text = (ROOT / "docs" / "examples" / "club.toml").read_text(encoding="utf-8")
    file = tmp_path / "club.toml"
    file.write_text(text.replace('incident = "no_burn"', 'incident = "doble_burn"', 1), encoding="utf-8")
    assert main(["rulebooks", "check", str(file)]) == 2
    line = text[: text.index('incident = "no_burn"')].count("\n") + 1
    assert f":{line}: {said[1]}" in capsys.readouterr().err


def test_no_line_of_the_document_leads_nowhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (DOCUMENT.parent / target).exists(), target
