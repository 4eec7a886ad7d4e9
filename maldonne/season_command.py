"""``maldonne season``: points of a season reckoned from files of results, players and teams."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec

from maldonne.errors import InputError
from maldonne.texts import chosen_language, say
from tournament_hub.errors import HubError
from tournament_hub.logic import season
from tournament_hub.logic.season import Rules, Season

_LARGEST = 1 << 24
_encoder = msgspec.json.Encoder(order="deterministic")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    table = actions.add_parser("standings", help="the season's ranking, players and teams")
    table.add_argument("rules", metavar="SEASON.toml", help="points, best results, attendance")
    table.add_argument("results", metavar="RESULTS.csv", nargs="+", help="one row a player and event")
    form = table.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--csv", action="store_true", help="for a spreadsheet")
    check = actions.add_parser("check", help="whether a season's settings can be used")
    check.add_argument("rules", metavar="SEASON.toml")
    check.add_argument("--json", action="store_true", help="for machines")


def run(options: argparse.Namespace) -> int:
    """Do the action that was asked for.

    Raises:
        InputError: a file cannot be used; names file, line and reason.
    """
    language = chosen_language()
    try:
        rules = season.load_rules(_read(options.rules), options.rules)
        lines = (
            _check(rules, options, language)
            if options.action == "check"
            else _standings(rules, options, language)
        )
        for line in lines:
            print(line)
    except HubError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from None
    return 0


def _read(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=name, hint="check the path") from None
    if len(raw) > _LARGEST:
        raise InputError("is larger than 16 MiB", where=name, hint="is this the right file?")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")  # what spreadsheets of this country still write


def _check(rules: Rules, options: argparse.Namespace, language: str) -> Iterator[str]:
    if options.json:
        yield _encoder.encode({"ok": True, "name": rules.name}).decode()
        return
    yield say(language, "season.checked", season=rules.name)


def _standings(rules: Rules, options: argparse.Namespace, language: str) -> Iterator[str]:
    results = [row for name in options.results for row in season.read_results(_read(name), name)]
    found = season.standings(rules, results)
    if options.json:
        yield _encoder.encode(found).decode()
    elif options.csv:
        yield season.write_standings(found).rstrip("\n")
    else:
        yield from _told(found, language)


def _told(found: Season, language: str) -> Iterator[str]:
    yield found.name
    if not found.players:
        yield say(language, "season.nobody")
        return
    heads = [say(language, f"season.head.{name}") for name in ("rank", "player", "points", "played", "wins")]
    rows = [
        [
            "–" if row.rank is None else str(row.rank),
            row.player,
            _points(row.total, language),
            str(row.played),
            str(row.wins),
        ]
        for row in found.players
    ]
    yield from _table(heads, rows)
    if any(row.rank is None for row in found.players):
        yield say(language, "season.unranked")
    if found.teams:
        yield ""
        heads = [say(language, f"season.head.{name}") for name in ("rank", "team", "points")]
        yield from _table(heads, [[str(t.rank), t.team, _points(t.total, language)] for t in found.teams])


def _points(value: float, language: str) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if language == "fr" else text


def _table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Columns under their headings; texts to the left, numbers to the right."""
    table = [heads, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(heads))]
    for number, row in enumerate(table):
        cells = [
            cell.ljust(width) if place == 1 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
        if not number:
            yield "  ".join("─" * width for width in widths)
