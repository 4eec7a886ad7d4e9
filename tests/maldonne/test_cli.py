"""The one program: its table of commands, help, exit statuses, and the rulebooks command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cases import effective
from engine.events import HandEnded, encode
from maldonne import cli
from maldonne.cli import COMMANDS, main
from table_controller.rulebook_files import available, load_book


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(command: cli.Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command.name, "--help"])
    assert left.value.code == 0
    assert f"usage: maldonne {command.name}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    out = capsys.readouterr().out
    assert left.value.code == 0 and all(command.name in out for command in COMMANDS)


def test_the_program_runs_as_a_module(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(encode(HandEnded()))
    done = subprocess.run(
        [sys.executable, "-m", "maldonne", "adjudicate", str(file), "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and json.loads(done.stdout)["state"]["phase"] == "over"
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    """As in ``maldonne rulebooks show ropta | head -1``."""
    done = subprocess.run(
        f"{sys.executable} -m maldonne rulebooks show ropta | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""


def test_list_names_every_packaged_book(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run(capsys, "rulebooks", "list", "--json"))
    assert [book["id"] for book in listed] == list(available())
    plain = run(capsys, "rulebooks", "list")
    assert all(name in plain for name in available())


@pytest.mark.parametrize("name", available())
def test_show_gives_every_answer_with_its_article(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(run(capsys, "rulebooks", "show", name, "--json"))
    book = load_book(name)
    assert set(shown["rows"]) == set(book.rows)
    assert all(row["article"] and row["rulebook"] for rows in shown["rows"].values() for row in rows)
    plain = run(capsys, "rulebooks", "show", name)
    assert all(f"[{incident}]" in plain for incident in book.rows)
    assert all(row.article in plain for incident in book.rows for row in effective(book, incident))


def test_show_leaves_out_rows_that_can_never_answer(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(run(capsys, "rulebooks", "show", "ppc2011", "--json"))
    for rows in shown["rows"].values():
        assert all("when" in row for row in rows[:-1])
    # PPC 4.7 answers before and after the limit: what the common denominator says of the dealer is never used.
    assert [row["article"] for row in shown["rows"]["dealer_short"]] == ["PPC 4.7", "PPC 4.7"]


def test_diff_puts_two_books_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "rulebooks", "diff", "ropta", "ppc2011", "--json"))
    assert found["books"] == ["ropta", "ppc2011"]
    one, two = found["incidents"]["first_card_exposed"]
    assert one[0]["ruling"] == ["misdeal"] and two[0]["ruling"] != ["misdeal"]
    assert found["terms"]["substantial_action"] == ["two_with_chips_or_three", "three_acted"]
    plain = run(capsys, "rulebooks", "diff", "ropta", "ppc2011")
    assert "ROPTA misdeal a" in plain and "PPC 4.3" in plain


def test_diff_of_a_book_with_itself_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "rulebooks", "diff", "ropta", "ropta", "--json"))
    assert found["incidents"] == {} and found["terms"] == {}
    assert len(run(capsys, "rulebooks", "diff", "ropta", "ropta").splitlines()) == 1


def test_check_says_what_a_good_file_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "club.toml"
    file.write_text(
        'id = "club"\nname = "C"\nversion = "1"\ndate = "2026-01-01"\nsource = "s"\nextends = "ropta"\n'
        '[[hand]]\nincident = "boxed_card"\nruling = "play_on"\narticle = "C 1"\n'
    )
    found = json.loads(run(capsys, "rulebooks", "check", str(file), "--json"))
    assert found["ok"] and found["own_rows"] == 1 and found["lineage"] == ["club", "ropta", "standard"]
    assert found["remarks"] == []
    assert "club < ropta < standard" in run(capsys, "rulebooks", "check", str(file))


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr_FR", "ajoutez à do : void_deal"), ("en_GB", "add to do: void_deal")],
)
def test_check_remarks_on_what_can_be_used_but_hardly_means_this(
    language: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    file = tmp_path / "club.toml"
    file.write_text(
        'id = "club"\nname = "C"\nversion = "1"\ndate = "2026-01-01"\nsource = "s"\nextends = "ropta"\n'
        '[[hand]]\nincident = "boxed_card"\nruling = "misdeal"\narticle = "C 1"\n'
        '[[hand]]\nincident = "boxed_card"\nwhen = { protected = true }\nruling = "play_on"\narticle = "C 2"\n'
    )
    found = json.loads(run(capsys, "rulebooks", "check", str(file), "--json"))
    assert [(remark["code"], remark["line"]) for remark in found["remarks"]] == [
        ("no-step", 7),
        ("never-used", 11),
    ]
    plain = " ".join(run(capsys, "rulebooks", "check", str(file)).split())
    assert words in plain
    assert f"{file}:11" in plain
