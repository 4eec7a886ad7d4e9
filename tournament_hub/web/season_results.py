"""The season out of the hub's own record: every tournament that is over, with results from elsewhere, by its rules.

Points go by name, as rules and files of results name people; pseudonyms are turned into names only here, in memory.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from engine.errors import EngineError
from table_controller.rulebook_files import load_book
from tournament_hub.config import SeasonSetting
from tournament_hub.errors import HubError
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, ranking
from tournament_hub.logic.presets import preset_of
from tournament_hub.logic.season import Result, Rules, SeasonError, load_rules, read_results
from tournament_hub.store import Store

PLAIN_RULES: Final = 'name = "{name}"\n[points]\nformula = "entries - place + 1"\n'
"""Without a file of rules: a point for everybody left behind, and one."""
FIRST_MONTH: Final = 9


class Evening(Struct, frozen=True):
    """A tournament that is over: pseudonym → best place, and what points may depend on."""

    tournament: str
    date: str
    title: str
    entries: int
    table_size: int
    places: Mapping[str, int]


class Unread(Struct, frozen=True):
    """A tournament that cannot be counted, and why."""

    tournament: str
    why: str


def lengths(store: Store) -> dict[str, int]:
    """Every tournament of the record with the number of its records: tells whether one must be reckoned again."""
    rows = store.database.execute("SELECT tournament, max(n) FROM records GROUP BY tournament ORDER BY 1")
    return {row[0]: int(row[1]) for row in rows}


def evening_of(tournament: str, raw: Sequence[bytes]) -> Evening | Unread | None:
    """One tournament's log played again; None: it is not over. Slow: not on the hub's thread."""
    try:
        log = [msgspec.json.decode(payload, type=ev.Record) for payload in raw]
        first = next((record.event for record in log if isinstance(record.event, ev.Opened)), None)
        if first is None:
            return None
        preset = preset_of(load_book(first.settings.rulebook))
        state = machine.replay(first.settings, log, preset)
    except (msgspec.DecodeError, EngineError, HubError) as error:
        return Unread(tournament, str(error))
    if not state.over:
        return None
    best: dict[str, int] = {}
    for found in ranking.places(state.entries.keys(), state.groups, preset, over=True):
        player = state.entries[found.entry].player
        best[player] = min(found.place, best.get(player, found.place))
    start = ev.beginning(log)
    began = start.utc if start is not None else log[-1].utc
    settings = state.settings
    return Evening(
        tournament=tournament,
        date=began[:10],
        title=settings.title or tournament,
        entries=len(state.entries),
        table_size=settings.capacity,
        places=best,
    )


def results_of(evenings: Iterable[Evening], names: Mapping[str, str], setting: SeasonSetting) -> list[Result]:
    """Results by name, oldest evening first; two events of one name on one day are told apart by their ids."""
    inside = sorted(
        (
            evening
            for evening in evenings
            if (setting.since or "") <= evening.date and (not setting.until or evening.date <= setting.until)
        ),
        key=lambda evening: (evening.date, evening.tournament),
    )
    titles = [(evening.date, evening.title) for evening in inside]
    found = []
    for evening, key in zip(inside, titles, strict=True):
        event = evening.title if titles.count(key) == 1 else f"{evening.title} ({evening.tournament})"
        for player, place in sorted(evening.places.items(), key=lambda held: held[1]):
            found.append(
                Result(
                    event,
                    names.get(player, player),
                    place,
                    evening.date,
                    max(evening.entries, place),
                    evening.table_size,
                )
            )
    return found


def rules_of(setting: SeasonSetting, today: str) -> Rules:
    """The season's rules, or the plain ones.

    Raises:
        SeasonError: the file cannot be read or used.
    """
    if setting.rules is None:
        return load_rules(PLAIN_RULES.format(name=sports_year(today)))
    return load_rules(_read(Path(setting.rules)), Path(setting.rules).name)


def foreign_results(setting: SeasonSetting) -> list[Result]:
    """Results from elsewhere.

    Raises:
        SeasonError: a file cannot be read or used.
    """
    return [result for path in map(Path, setting.results) for result in read_results(_read(path), path.name)]


def season_name(setting: SeasonSetting, today: str) -> str:
    """The season for which membership is asked: as its rules call it, else the sports year."""
    try:
        return rules_of(setting, today).name
    except HubError:
        return sports_year(today)


def sports_year(today: str) -> str:
    """From September to August.

    >>> sports_year("2026-08-31"), sports_year("2026-09-01")
    ('2025-2026', '2026-2027')
    """
    day = datetime.date.fromisoformat(today[:10])
    first = day.year if day.month >= FIRST_MONTH else day.year - 1
    return f"{first}-{first + 1}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SeasonError(f"cannot be read: {error}", where=path.name, hint="check the path") from error


def distinct_names(people: Iterable[Any]) -> dict[str, str]:
    """Pseudonym → name; two people of one name are told apart."""
    found: dict[str, str] = {}
    taken: dict[str, int] = {}
    for person in people:
        count = taken[person.name] = taken.get(person.name, 0) + 1
        found[person.person] = person.name if count == 1 else f"{person.name} [{person.person}]"
    return found
