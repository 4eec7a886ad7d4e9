"""Lists at the door, in and out, as CSV: the club's people, who is awaited, a draw that was made elsewhere.

A list is taken whole or not at all: every line that cannot be taken is named, with what is wrong and what to do. Comma,
semicolon or tab; UTF-8 with or without a byte order mark, UTF-16, or the old Western page (Windows-1252), as spreadsheets
and other tournament programs write them.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic import ranking
from tournament_hub.logic.lists import HEADINGS, table_id
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, State, free_seats
from tournament_hub.store_people import Person, people, save_person
from tournament_hub.web.sign_in_acts import (
    NAME_LENGTH,
    NUMBER_LENGTH,
    Door,
    Notice,
    distinct,
    entry_of,
    folded,
    new_person,
    next_entry,
    tidy,
)

How = Literal["people", "expected", "arrived"]
MOST_ROWS: Final = 2_000
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": HEADINGS["name"],
    "first": HEADINGS["first"],
    "last": ("lastname", "surname", "nomdefamille"),
    "number": (
        "number",
        "no",
        "numero",
        "clubnumber",
        "numerodeclub",
        "nodeclub",
        "licence",
        "license",
        "adherent",
        "membership",
    ),
    "table": HEADINGS["table"],
    "seat": (*HEADINGS["seat"], "location", "seating", "tableseat", "tablesiege", "tableetsiege"),
    "stack": HEADINGS["stack"],
}
_SEAT_WORD: Final = re.compile(r"^(?:seat|si[eè]ge|place|s|#)[ .:]*(?=[0-9])", re.IGNORECASE)
_BOTH: Final = re.compile(
    r"(?:table|t)?[ .:#]*([0-9]{1,3})[ ,./:;-]+(?:seat|si[eè]ge|place|s)?[ .:#]*([0-9]{1,2})", re.IGNORECASE
)
_replace = msgspec.structs.replace


class Fault(Struct, frozen=True):
    """A line that cannot be taken: its number in the file (0: the whole file), the text ``sign_in.fault.…``."""

    line: int
    name: str
    values: Mapping[str, object] = {}


class Line(Struct, frozen=True):
    """One line of a list, read. ``table`` as it is written there."""

    line: int
    name: str
    number: str = ""
    table: str = ""
    seat: int | None = None
    stack: int | None = None


class Plan(Struct, frozen=True):
    """What a list does: rows of people to keep, and events."""

    people: tuple[Person, ...]
    events: tuple[ev.Event, ...]
    new: int
    seats: int


# -- in ----------------------------------------------------------------------------------------


def decoded(data: bytes) -> str:
    """A file's text, in whichever of the usual ways it is written."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def read(text: str) -> tuple[tuple[Line, ...], tuple[Fault, ...]]:
    """Read a list: its lines, and what is wrong with it by itself."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first = next((line for line in text.split("\n") if line.strip()), "")
    if not first:
        return (), (Fault(0, "empty"),)
    separator = max(";\t,", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    lines: list[Line] = []
    faults: list[Fault] = []
    columns: dict[str, int] | None = None
    at = 1
    try:
        for row in reader:
            line, at = at, reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _columns(row)
                if not columns.keys() & {"name", "first", "last"}:
                    return (), (Fault(line, "heading", {"found": separator.join(row)[:80]}),)
                continue
            if len(lines) + len(faults) >= MOST_ROWS:
                return (), (Fault(line, "too_many", {"most": MOST_ROWS}),)
            found = _line(row, columns, line)
            if isinstance(found, Fault):
                faults.append(found)
            else:
                lines.append(found)
    except csv.Error:
        faults.append(Fault(at, "not_csv"))
    if not lines and not faults:
        faults.append(Fault(0, "empty"))
    return tuple(lines), (*faults, *_twice(lines))


def _columns(heading: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, cell in enumerate(heading):
        bare = unicodedata.normalize("NFKD", cell.replace("°", "o").lower())
        word = "".join(c for c in bare if c.isascii() and c.isalnum())
        for name, words in _COLUMNS.items():
            if word in words and name not in found:
                found[name] = number
                break
    return found


def _line(row: Sequence[str], columns: Mapping[str, int], line: int) -> Line | Fault:
    def cell(name: str) -> str:
        at = columns.get(name)
        text = row[at].strip() if at is not None and at < len(row) else ""
        return text[1:] if re.match(r"'[=+\-@]", text) else text

    whole = cell("name")
    parts = [cell("first"), cell("last")]
    if "last" not in columns and "first" in columns:
        parts, whole = [cell("first"), whole], ""
    name = tidy(" ".join(part for part in parts if part) or whole, NAME_LENGTH)
    if not any(c.isalpha() for c in name):
        return Fault(line, "no_name")
    table, stack = cell("table"), _whole(cell("stack"))
    both = _BOTH.fullmatch(cell("seat")) if not table else None  # other programs write both in one cell
    if both is not None:
        table = both[1]
    seat = int(both[2]) if both is not None else _whole(_SEAT_WORD.sub("", cell("seat")))
    if seat is False:
        return Fault(line, "seat", {"who": name, "found": cell("seat")})
    if stack is False:
        return Fault(line, "stack", {"who": name, "found": cell("stack")})
    if bool(table) != (seat is not None):
        return Fault(line, "half_place", {"who": name})
    if seat is not None and not 1 <= seat <= 10:
        return Fault(line, "seat_range", {"who": name, "seat": seat})
    return Line(line, name, tidy(cell("number"), NUMBER_LENGTH), table, seat, stack)


def _whole(text: str) -> int | None | Literal[False]:
    """A number; None: nothing stands there; False: something else does."""
    digits = re.sub(r"[\s\u00a0\u202f']", "", text)
    if not digits:
        return None
    return int(digits) if re.fullmatch(r"[0-9]{1,12}", digits) else False


def _twice(lines: Iterable[Line]) -> list[Fault]:
    faults: list[Fault] = []
    seats: dict[tuple[str, int], int] = {}
    names: dict[tuple[str, str], int] = {}
    numbers: dict[str, int] = {}
    for row in lines:
        who = (folded(row.name), row.number)
        if who in names:
            faults.append(Fault(row.line, "name_twice", {"who": row.name, "before": names[who]}))
        elif row.number and row.number in numbers:
            values = {"who": row.name, "number": row.number, "before": numbers[row.number]}
            faults.append(Fault(row.line, "number_twice", values))
        names.setdefault(who, row.line)
        if row.number:
            numbers.setdefault(row.number, row.line)
        if row.seat is None:
            continue
        seat = (table_id(row.table), row.seat)
        if seat in seats:
            values = {"who": row.name, "table": row.table, "seat": row.seat, "before": seats[seat]}
            faults.append(Fault(row.line, "seat_twice", values))
        seats.setdefault(seat, row.line)
    return faults


def take_in(door: Door, data: bytes, how: How) -> Notice | tuple[Fault, ...]:
    """Take a list in, whole; the faults when any line of it cannot be taken, and then nothing has changed."""
    lines, faults = read(decoded(data))
    planned = plan(door.state, people(door.store), lines, how, door.elsewhere)
    if isinstance(planned, Plan) and not faults:
        try:
            door.say(planned.events)
        except Refused as refused:
            return (Fault(0, "refused", {"what": f"{refused.where}: {refused.what}", "todo": refused.hint}),)
        for person in planned.people:
            save_person(door.store, person, door.utc)
        values = {"new": planned.new, "seats": planned.seats}
        return Notice(name=f"sign_in.said.list_{how}", values=values, count=len(lines))
    more = () if isinstance(planned, Plan) else planned
    return tuple(sorted((*faults, *more), key=lambda fault: fault.line))


def plan(
    state: State, known: Sequence[Person], lines: Sequence[Line], how: How, elsewhere: Collection[str] = ()
) -> Plan | tuple[Fault, ...]:
    """What a list does as things stand, or why it cannot be taken. ``elsewhere``: tables that play something else."""
    if how != "people" and (state.started or state.over):
        return (Fault(0, "started"),)
    faults: list[Fault] = []
    kept: dict[str, Person] = {}
    listed = list(known)
    found: list[tuple[Line, str]] = []
    new: set[str] = set()
    for row in lines:
        person = _who(row, listed)
        if isinstance(person, Fault):
            faults.append(person)
            continue
        if person is None:
            person = Person(new_person(listed), distinct(row.name, listed), number=row.number)
            new.add(person.person)
            listed.append(person)
            kept[person.person] = person
        elif (row.number and person.number != row.number) or how != "people":
            kept[person.person] = _replace(person, number=row.number or person.number)
        found.append((row, person.person))
    events: tuple[ev.Event, ...] = ()
    seats = 0
    if how != "people":
        entered = _entered(state, found, how, elsewhere, new)
        if isinstance(entered, list):
            faults += entered
        else:
            events, seats = entered
    if faults:
        return tuple(faults)
    return Plan(tuple(kept.values()), events, len(new), seats)


def _who(row: Line, known: Sequence[Person]) -> Person | Fault | None:
    """The person of a line: by number, else by name; None: somebody new."""
    if row.number:
        mine = next((person for person in known if person.number == row.number), None)
        if mine is not None:
            if folded(mine.name) == folded(row.name):
                return mine
            return Fault(
                row.line, "number_other", {"who": row.name, "number": row.number, "other": mine.name}
            )
    same = [p for p in known if folded(p.name) == folded(row.name)]
    if row.number:
        same = [person for person in same if not person.number]
    if len(same) > 1:
        return Fault(row.line, "several", {"who": row.name, "found": len(same)})
    return same[0] if same else None


def _entered(
    state: State,
    found: Sequence[tuple[Line, str]],
    how: How,
    elsewhere: Collection[str],
    new: Collection[str],
) -> tuple[tuple[ev.Event, ...], int] | list[Fault]:
    faults: list[Fault] = []
    tables = _tables(state, [row for row, _ in found])
    number = int(next_entry(state)[1:])
    registered: list[ev.Event] = []
    seats: list[ev.Seating] = []
    for row, person in found:
        entry = entry_of(state, person)
        name = f"e{number}" if entry is None else entry.id
        if entry is None:
            number += 1
            registered.append(
                ev.Registered(
                    entry=name,
                    player=person,
                    absent=how == "expected",
                    stack=row.stack,
                    new=person in new,
                )
            )
        elif how == "arrived" and entry.absent:
            registered.append(ev.Presence(entry=name, absent=False))
        if row.seat is None:
            continue
        place = Place(tables[row.table], row.seat)
        if entry is not None and entry.place == place:
            continue
        fault = _unfit(state, row, place, entry is not None and entry.where != "waiting", elsewhere)
        if fault is not None:
            faults.append(fault)
        seats.append(ev.Seating(name, place))
    if faults:
        return faults
    needed = dict.fromkeys(place.place.table for place in seats if place.place.table not in state.tables)
    opened = [
        ev.TableOpened(
            table=table,
            capacity=max(state.settings.capacity, *(s.place.seat for s in seats if s.place.table == table)),
            device=False,
        )
        for table in needed
    ]
    drawn = [ev.Drawn(seats=tuple(seats), how="imported")] if seats else []
    return (*opened, *registered, *drawn), len(seats)


def _unfit(state: State, row: Line, place: Place, seated: bool, elsewhere: Collection[str]) -> Fault | None:
    values: dict[str, object] = {"who": row.name, "table": row.table, "seat": row.seat}
    if seated:
        return Fault(row.line, "seated", values)
    if place.table in elsewhere:
        return Fault(row.line, "table_elsewhere", values)
    table = state.tables.get(place.table)
    if table is None:
        return None
    if table.status != "open":
        return Fault(row.line, "table_closed", values)
    if place.seat > table.capacity:
        return Fault(row.line, "seat_none", values | {"capacity": table.capacity})
    return None if place.seat in free_seats(state, table) else Fault(row.line, "seat_taken", values)


def _tables(state: State, rows: Iterable[Line]) -> dict[str, str]:
    """What a list calls a table → its id here: the same name, else the same number, else a new one."""
    found: dict[str, str] = {}
    for row in rows:
        if not row.table or row.table in found:
            continue
        digits = re.findall(r"[0-9]+", row.table)
        same = [t for t in state.tables if digits and re.findall(r"[0-9]+", t) == [str(int(digits[-1]))]]
        mine = row.table if row.table in state.tables else (same or [table_id(row.table)])[0]
        found[row.table] = mine
    return found


# -- out ---------------------------------------------------------------------------------------


def entries_csv(door: Door, heading: Sequence[str], standing: Mapping[str, str], separator: str) -> str:
    """The tournament's entries: name, number, what they are, table, seat, stack, place. Names of the club's list.

    Args:
        door: the tournament.
        heading: the columns' names, in this order.
        standing: words for ``expected arrived out``.
        separator: between columns.
    """
    state = door.state
    named = {person.person: person for person in people(door.store)}
    groups, preset = state.groups, door.directing.preset
    places = {p.entry: p.place for p in ranking.places(state.entries.keys(), groups, preset, over=state.over)}
    rows: list[Sequence[object]] = []
    for entry in state.entries.values():
        person = named.get(entry.player)
        what = "out" if entry.where == "out" else "expected" if entry.absent else "arrived"
        place = entry.place if entry.where in ("seated", "in_transit") else None
        rows.append(
            (
                person.name if person is not None else entry.player,
                person.number if person is not None else "",
                standing[what],
                place.table if place is not None else "",
                place.seat if place is not None else "",
                "" if entry.stack is None else entry.stack,
                places.get(entry.id, ""),
            )
        )
    rows.sort(key=lambda row: (row[6] == "", row[6] or 0, folded(str(row[0]))))
    return written(heading, rows, separator)


def people_csv(known: Iterable[Person], heading: Sequence[str], season: str, yes: str, separator: str) -> str:
    """The club's list: name, number, in order this season, of age."""
    rows = [
        (person.name, person.number, yes if person.paid_up == season else "", yes if person.adult else "")
        for person in known
    ]
    return written(heading, rows, separator)


def written(heading: Sequence[str], rows: Iterable[Sequence[object]], separator: str) -> str:
    """CSV that a spreadsheet opens with its accents; a text that it would take for a formula is made plain."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(heading)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return "\ufeff" + out.getvalue()


def _plain(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


__all__ = ["Fault", "Line", "Plan", "decoded", "entries_csv", "people_csv", "plan", "read", "take_in"]
