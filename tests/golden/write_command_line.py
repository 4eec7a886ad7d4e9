"""What commands print, word for word: ``python tests/golden/write_command_line.py`` writes the files again.

A file changes when a text or a rulebook changes: read the difference as a director would, then commit it.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from maldonne.cli import main

FOLDER = Path(__file__).parent / "command_line"
CLUB = str(Path("docs", "examples", "club.toml"))


class Run(NamedTuple):
    """One command: the file that holds what it prints, the reader's language, arguments, what is typed."""

    name: str
    language: str
    arguments: tuple[str, ...]
    typed: str = ""


def _both(name: str, *arguments: str, typed: str = "") -> Iterator[Run]:
    for language in ("fr", "en"):
        yield Run(f"{name}.{language}.txt", language, arguments, typed)


RUNS = (
    *_both("diff_ppc2011_ropta", "rulebooks", "diff", "ppc2011", "ropta"),
    *_both("diff_tda2024_ropta", "rulebooks", "diff", "tda2024", "ropta"),
    *_both("diff_club_ropta", "rulebooks", "diff", CLUB, "ropta"),
    *_both("show_pokernews", "rulebooks", "show", "pokernews"),
    *_both("list", "rulebooks", "list"),
    *_both("check_club", "rulebooks", "check", CLUB),
    *_both("ask_typed", "ask", "--rulebook", "pokernews", typed="1\n99\nr\n1\n1\n1\n"),
    *_both("ask_first_card", "ask", "--rulebook", "ropta", "--answers", "exposed_card,first_card_exposed,no"),
    *_both("ask_premature_turn", "ask", "--rulebook", "pokernews", "--answers", "too_soon,premature_turn"),
    *_both("ask_turned_by_a_player", "ask", "--rulebook", "ropta", "--answers", "1,1,2"),
    *_both("ask_silent", "ask", "--rulebook", "ltpq", "--answers", "burn,double_burn.turn"),
    *_both("ask_counted", "ask", "--rulebook", "ppc2011", typed="10\n2\nmany\n3\n"),
    Run(
        "ask_question.fr.jsonl",
        "fr",
        ("ask", "--rulebook", "ppc2011", "--json", "--answers", "turn,player_skipped"),
    ),
    Run("ask_lines.en.jsonl", "en", ("ask", "--rulebook", "tda2024", "--json"), "board\nflop\n1\nr\n1\n4\n"),
    Run("ask_lines.fr.jsonl", "fr", ("ask", "--rulebook", "tda2024", "--json"), "board\nflop\n1\nr\n1\n4\n"),
)


def printed(run: Run) -> str:
    """Run a command as somebody of that language at a terminal of 100 columns and give what it prints."""
    out = io.StringIO()
    before = {name: os.environ.get(name) for name in ("LC_ALL", "COLUMNS")}
    stdin = sys.stdin
    os.environ |= {"LC_ALL": f"{run.language}_XX.UTF-8", "COLUMNS": "100"}
    sys.stdin = io.StringIO(run.typed)
    try:
        with contextlib.redirect_stdout(out):
            status = main(run.arguments)
    finally:
        sys.stdin = stdin
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    if status:
        raise SystemExit(f"{run.name}: exit status {status}")
    return out.getvalue()


if __name__ == "__main__":
    for run in RUNS:
        (FOLDER / run.name).write_text(printed(run), encoding="utf-8")
        print(FOLDER / run.name)
