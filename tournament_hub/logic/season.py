"""A season: points for places by a table or a formula, the best results that count, attendance, teams, standings.

A tournament and an evening of Sit & Gos are both *events*; each row of results is one player in one of them. Points that a
tie shares are the mean of its places, so that a tie gives away no more than its places. Money is no matter here.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from tournament_hub.errors import HubError
from tournament_hub.logic.formula import Formula, rounded

NAMES: Final = ("place", "entries", "table_size", "knockouts")
"""What a formula may name: the place, how many played the event, seats of the table, players put out."""
COLUMNS: Final = ("date", "event", "player", "place", "entries", "table_size", "knockouts", "team")
_NEEDED: Final = ("event", "player", "place")
MOST_ROWS: Final = 200_000

Whole = Annotated[int, Meta(ge=0, le=1_000_000)]
Points = Annotated[float, Meta(ge=-1e6, le=1e6)]


class SeasonError(HubError):
    """A season's settings or a file of results cannot be used; names file, line and what is wrong."""

    code = "hub-season"


class PointsRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points by place: a table, or a formula.

    ``beyond``: points of places after the table. ``scale``: by seats of the table (Sit & Go), what points are multiplied by;
    a size that is not named counts fully. ``minimum``: nobody who played gets less.
    """

    table: tuple[Points, ...] = ()
    formula: str = ""
    beyond: Points = 0
    scale: dict[str, Annotated[float, Meta(ge=0, le=1000)]] = {}
    minimum: Points | None = None


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a season is made of.

    Attributes:
        name: the season's.
        best: so many best results count, 0 = all.
        attendance: points for every event played, beside the results.
        qualify: events that must be played to be ranked; who has fewer stands after the others, unranked.
        decimals: of points, halves up.
        team_best: of a team, so many of its members' best totals count, 0 = all.
        points: for events that have no rule of their own.
        kinds: rules by the beginning of an event's name: ``[kinds."Sit & Go"]``.
        teams: team by player; a team in the results counts before.
    """

    name: str
    best: Whole = 0
    attendance: Points = 0
    qualify: Whole = 0
    decimals: Annotated[int, Meta(ge=0, le=4)] = 0
    team_best: Whole = 0
    points: PointsRule
    kinds: dict[str, PointsRule] = {}
    teams: dict[str, tuple[str, ...]] = {}


class Result(Struct, frozen=True):
    """One player in one event. ``entries`` 0: as many as the event's rows show. ``line``: where it stands in its file."""

    event: str
    player: str
    place: int
    date: str = ""
    entries: int = 0
    table_size: int = 0
    knockouts: int = 0
    team: str = ""
    line: int = 0


class Scored(Struct, frozen=True):
    """A result with its points; ``counts``: it is among the best that count."""

    result: Result
    points: float
    counts: bool


class Standing(Struct, frozen=True):
    """A player's season. ``rank`` None: too few events. Equal totals, wins and best results share a rank."""

    player: str
    rank: int | None
    total: float
    attendance: float
    played: int
    counted: int
    wins: int
    best_place: int
    team: str
    results: tuple[Scored, ...]


class TeamStanding(Struct, frozen=True):
    """A team's season: the totals of its members that count."""

    team: str
    rank: int
    total: float
    members: tuple[str, ...]
    counted: int


class Season(Struct, frozen=True):
    """The standings, best first, and those of the teams."""

    name: str
    players: tuple[Standing, ...]
    teams: tuple[TeamStanding, ...]


def load_rules(text: str, where: str = "season.toml") -> Rules:
    """Read a season's settings.

    Raises:
        SeasonError: naming file, line and key.
        FormulaError: a formula that cannot be read.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        place = f"{where}:{found[1]}" if found else where
        raise SeasonError(f"not TOML: {error}", where=place, hint="correct the line") from None
    try:
        rules = msgspec.convert(data, Rules)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        keys = re.findall(r"[^.\[\]`]+", path) or re.findall(r"`([^`]+)`", what)
        key = next((name for name in reversed(keys) if not name.isdigit() and name != "..."), "")
        raise SeasonError(
            f"{key}: {what}" if key else what,
            where=f"{where}:{_line_of(text, key)}",
            hint="see docs/tournament-records.md",
        ) from None
    for kind, rule in {"": rules.points, **rules.kinds}.items():
        heading = f'kinds."{kind}"' if kind else "points"
        if bool(rule.table) == bool(rule.formula):
            raise SeasonError(
                f"{heading}: either a table or a formula",
                where=f"{where}:{_line_of(text, heading)}",
                hint="write one of the two",
            )
        _formula(rule, f"{where}:{_line_of(text, 'formula')}")
        for size in rule.scale:
            if not size.isdigit():
                raise SeasonError(
                    f"{heading}.scale: {size!r} is no number of seats",
                    where=f"{where}:{_line_of(text, size)}",
                    hint='write "6" = 0.8',
                )
    return rules


def read_results(text: str, where: str = "results.csv") -> tuple[Result, ...]:
    """Read results: a heading with the columns' names, one row a player and event. Comma, semicolon or tab.

    Columns: ``event player place`` and, where there is any, ``date entries table_size knockouts team``; others are left.

    Raises:
        SeasonError: naming file and line.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines:
        raise SeasonError("it is empty", where=f"{where}:1", hint="the first line names the columns")
    delimiter = max(",;\t", key=lines[0].count)
    reader = csv.reader(lines, delimiter=delimiter)
    found: list[Result] = []
    head: list[str] = []
    try:
        for row in reader:
            line = reader.line_num
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not head:
                head = [cell.lower() for cell in cells]
                _check_head(head, f"{where}:{line}")
                continue
            if len(found) >= MOST_ROWS:
                raise SeasonError(f"more than {MOST_ROWS} rows", where=f"{where}:{line}", hint="split it")
            found.append(_result(dict(zip(head, cells, strict=False)), line, f"{where}:{line}"))
    except csv.Error as error:
        raise SeasonError(str(error), where=f"{where}:{reader.line_num}", hint="is this CSV?") from None
    seen: dict[tuple[str, str, str], int] = {}
    for result in found:
        key = (result.date, result.event, result.player)
        if key in seen:
            raise SeasonError(
                f"{result.player} stands twice in {result.event}, also on line {seen[key]}",
                where=f"{where}:{result.line}",
                hint="a re-entry counts with its best place only",
            )
        seen[key] = result.line
    return tuple(found)


def write_results(results: Iterable[Result]) -> str:
    """Results as CSV, as ``read_results`` takes them."""
    return _csv(COLUMNS, ([getattr(result, name) or "" for name in COLUMNS] for result in results))


def standings(rules: Rules, results: Sequence[Result]) -> Season:
    """Reckon a season.

    Raises:
        SeasonError: a place beyond the number of entries.
        FormulaError: a formula has no value for one of the results.
    """
    scored = _scored(rules, results)
    teams = {player: team for team, players in rules.teams.items() for player in players}
    players: dict[str, list[tuple[Result, float]]] = {}
    for result, points in scored:
        players.setdefault(result.player, []).append((result, points))
        if result.team:
            teams[result.player] = result.team
    rows = [_standing(rules, player, own, teams.get(player, "")) for player, own in players.items()]
    ranked = [row for row in rows if row.played >= rules.qualify]
    rest = [row for row in rows if row.played < rules.qualify]
    ranked.sort(key=lambda row: (*_order(row), row.player))
    rest.sort(key=lambda row: (*_order(row), row.player))
    found: list[Standing] = []
    for number, row in enumerate(ranked, 1):
        same = found and _order(found[-1]) == _order(row)
        found.append(msgspec.structs.replace(row, rank=found[-1].rank if same else number))
    return Season(rules.name, (*found, *rest), _team_standings(rules, found))


def write_standings(season: Season) -> str:
    """The standings as CSV."""
    return _csv(
        ("rank", "player", "team", "total", "attendance", "played", "counted", "wins", "best_place"),
        (
            [
                "" if row.rank is None else row.rank,
                row.player,
                row.team,
                _number(row.total),
                _number(row.attendance),
                row.played,
                row.counted,
                row.wins,
                row.best_place,
            ]
            for row in season.players
        ),
    )


def _scored(rules: Rules, results: Sequence[Result]) -> list[tuple[Result, float]]:
    events: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        events.setdefault((result.date, result.event), []).append(result)
    found = {}
    formulas: dict[str, Formula] = {}
    for (_, event), rows in events.items():
        kinds = sorted((kind for kind in rules.kinds if event.startswith(kind)), key=len)
        rule = rules.kinds[kinds[-1]] if kinds else rules.points
        tied: dict[int, int] = {}
        for row in rows:
            tied[row.place] = tied.get(row.place, 0) + 1
        seen = max(len(rows), *(place + count - 1 for place, count in tied.items()))
        for row in rows:
            entries = row.entries or seen
            last = row.place + tied[row.place] - 1
            if last > entries:
                raise SeasonError(
                    f"{row.player}: place {last} of {entries} in {event}",
                    where=f"line {row.line}",
                    hint="correct place or entries",
                )
            filled = [_points(rule, formulas, row, place, entries) for place in range(row.place, last + 1)]
            found[id(row)] = rounded(sum(filled) / len(filled), rules.decimals)
    return [(result, found[id(result)]) for result in results]


def _points(rule: PointsRule, formulas: dict[str, Formula], row: Result, place: int, entries: int) -> float:
    if rule.formula:
        formula = formulas.get(rule.formula)
        if formula is None:
            formula = formulas[rule.formula] = Formula(rule.formula, NAMES)
        values = {
            "place": place,
            "entries": entries,
            "table_size": row.table_size,
            "knockouts": row.knockouts,
        }
        points = formula.value(values)
    else:
        points = rule.table[place - 1] if place <= len(rule.table) else rule.beyond
    points *= rule.scale.get(str(row.table_size), 1.0)
    return points if rule.minimum is None else max(points, rule.minimum)


def _standing(rules: Rules, player: str, own: list[tuple[Result, float]], team: str) -> Standing:
    by_points = sorted(own, key=lambda scored: (-scored[1], scored[0].place, scored[0].date, scored[0].event))
    counted = by_points[: rules.best] if rules.best else by_points
    attendance = rules.attendance * len(own)
    counts = {id(result) for result, _ in counted}
    return Standing(
        player=player,
        rank=None,
        total=rounded(sum(points for _, points in counted) + attendance, rules.decimals),
        attendance=rounded(attendance, rules.decimals),
        played=len(own),
        counted=len(counted),
        wins=sum(result.place == 1 for result, _ in own),
        best_place=min(result.place for result, _ in own),
        team=team,
        results=tuple(Scored(result, points, id(result) in counts) for result, points in own),
    )


def _order(row: Standing) -> tuple[float, int, int]:
    return -row.total, -row.wins, row.best_place


def _team_standings(rules: Rules, ranked: Sequence[Standing]) -> tuple[TeamStanding, ...]:
    teams: dict[str, list[Standing]] = {}
    for row in ranked:
        if row.team:
            teams.setdefault(row.team, []).append(row)
    totals = []
    for team, members in teams.items():
        counted = members[: rules.team_best] if rules.team_best else members
        total = rounded(sum(member.total for member in counted), rules.decimals)
        totals.append((total, team, tuple(member.player for member in members), len(counted)))
    totals.sort(key=lambda row: (-row[0], row[1]))
    found: list[TeamStanding] = []
    for number, (total, team, members_, count) in enumerate(totals, 1):
        rank = found[-1].rank if found and found[-1].total == total else number
        found.append(TeamStanding(team, rank, total, members_, count))
    return tuple(found)


def _formula(rule: PointsRule, where: str) -> None:
    if rule.formula:
        Formula(rule.formula, NAMES, where)


def _check_head(head: list[str], where: str) -> None:
    missing = [name for name in _NEEDED if name not in head]
    if missing:
        raise SeasonError(f"no column {missing[0]}", where=where, hint=f"columns: {', '.join(COLUMNS)}")
    double = [name for name in head if name and head.count(name) > 1]
    if double:
        raise SeasonError(f"two columns {double[0]}", where=where, hint="take one away")


def _result(row: Mapping[str, str], line: int, where: str) -> Result:
    def number(name: str, least: int) -> int:
        text = row.get(name, "")
        if not text and least == 0:
            return 0
        if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < least:
            raise SeasonError(f"{name} is {text!r}", where=where, hint=f"a whole number from {least}")
        return int(text)

    for name in ("event", "player"):
        if not row.get(name):
            raise SeasonError(f"no {name}", where=where, hint="fill it in, or take the line away")
    date = row.get("date", "")
    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise SeasonError(f"date is {date!r}", where=where, hint="write 2026-05-01")
    return Result(
        event=row["event"],
        player=row["player"],
        place=number("place", 1),
        date=date,
        entries=number("entries", 0),
        table_size=number("table_size", 0),
        knockouts=number("knockouts", 0),
        team=row.get("team", ""),
        line=line,
    )


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return out.getvalue()


def _safe(cell: Any) -> Any:
    """A text that a spreadsheet would take for a formula is made plain."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _line_of(text: str, key: str) -> int:
    name = re.escape(key)
    found = re.search(rf'^[ \t]*(?:\[{name}[\].]|"?{name}"?\s*=)', text, re.MULTILINE) if key else None
    return text.count("\n", 0, found.start()) + 1 if found else 1
