"""Lists of players from a file: who plays, and where, if the seats are drawn already.

CSV with a heading, separated by comma, semicolon or tab, in French or English: exports of a spreadsheet, or the seat
list of another tournament program. Names stay with the caller (the hub's one table of names); the tournament gets ids.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from typing import Final

from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, State

HEADINGS: Final = {
    "name": ("name", "player", "playername", "nom", "joueur", "nomdujoueur", "pseudo", "nickname"),
    "first": ("firstname", "prenom"),
    "entry": ("entry", "id", "entryid", "inscription", "numero", "number", "no"),
    "table": ("table", "tableno", "tablenumber", "tablename"),
    "seat": ("seat", "siege", "place", "seatno", "seatnumber"),
    "stack": ("stack", "chips", "chipcount", "tapis", "jetons"),
}
"""What a column may be called, without accents, blanks and capitals."""


class Listed(Struct, frozen=True):
    """One row: the person, and the seat and stack if the list has them. ``line``: in the file, from 1."""

    line: int
    name: str
    entry: str
    place: Place | None = None
    stack: int | None = None


def read_list(text: str, where: str = "list") -> tuple[Listed, ...]:
    """Read a list of players.

    Args:
        text: the file's contents; a byte order mark is passed over.
        where: how to call it in an error.

    Raises:
        Refused: no heading that names people, a seat that is no number or given twice, an entry twice; with its line.
    """
    text = text.lstrip("\ufeff")
    first = text.partition("\n")[0]
    separator = max(";\t,", key=first.count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if not rows:
        raise Refused("list", "it is empty", where=where, hint="choose another file")
    columns = _columns(rows[0])
    if "name" not in columns and "entry" not in columns:
        raise Refused("list", "no column names the players", where=f"{where}:1", hint="head it Name or Nom")
    found: list[Listed] = []
    seats: dict[Place, int] = {}
    entries: dict[str, int] = {}
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        listed = _row(row, columns, line, len(found) + 1, f"{where}:{line}")
        if listed.entry in entries:
            raise _twice(where, line, listed.entry, entries[listed.entry])
        if listed.place is not None and listed.place in seats:
            seat = f"{listed.place.table} seat {listed.place.seat}"
            raise _twice(where, line, seat, seats[listed.place])
        entries[listed.entry] = line
        if listed.place is not None:
            seats[listed.place] = line
        found.append(listed)
    return tuple(found)


def _twice(where: str, line: int, what: str, before: int) -> Refused:
    return Refused(
        "list", f"{what} stands on line {before} already", where=f"{where}:{line}", hint="correct the list"
    )


def _columns(heading: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, cell in enumerate(heading):
        word = _plain(cell)
        for name, words in HEADINGS.items():
            if word in words and name not in found:
                found[name] = number
    return found


def _plain(word: str) -> str:
    bare = unicodedata.normalize("NFKD", word)
    return "".join(c for c in bare.lower() if c.isascii() and c.isalnum())


def _row(row: list[str], columns: dict[str, int], line: int, number: int, where: str) -> Listed:
    def cell(name: str) -> str:
        at = columns.get(name)
        return row[at].strip() if at is not None and at < len(row) else ""

    name = " ".join(part for part in (cell("first"), cell("name")) if part)
    entry = _id(cell("entry")) if cell("entry") else f"e{number}"
    place = None
    if cell("table") and cell("seat"):
        seat = _number(cell("seat"), where, "seat")
        if not 1 <= seat <= 10:
            raise Refused("list", f"there is no seat {seat}", where=where, hint="seats are 1 to 10")
        place = Place(table_id(cell("table")), seat)
    stack = _number(cell("stack"), where, "stack") if cell("stack") else None
    return Listed(line, name, entry, place, stack)


def table_id(name: str) -> str:
    """A table's id as the hub writes it.

    >>> table_id("12"), table_id("Table 3"), table_id("Feature")
    ('t12', 't3', 'feature')
    """
    digits = "".join(c for c in name if c.isdigit())
    return f"t{int(digits)}" if digits else _id(name).lower() or "t1"


def _id(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    kept = "".join(c for c in plain if c.isascii() and (c.isalnum() or c in "-_"))[:32].lstrip("-_")
    return f"e{kept}" if kept.isdigit() else kept


def _number(text: str, where: str, what: str) -> int:
    digits = text.replace(" ", "").replace("\u00a0", "").replace("\u202f", "")
    if not (digits.isascii() and digits.isdigit()):
        raise Refused("list", f"{what} {text!r} is no number", where=where, hint="correct the list")
    return int(digits)


def imported(state: State, rows: tuple[Listed, ...]) -> tuple[ev.Event, ...]:
    """The events of a list: tables that are missing, entries that are new, seats that are given."""
    found: list[ev.Event] = []
    tables = dict.fromkeys(row.place.table for row in rows if row.place is not None)
    capacity = {
        name: max(
            state.settings.capacity,
            *(r.place.seat for r in rows if r.place is not None and r.place.table == name),
        )
        for name in tables
    }
    found += [
        ev.TableOpened(table=n, capacity=capacity[n], device=False) for n in tables if n not in state.tables
    ]
    found += [
        ev.Registered(entry=row.entry, stack=row.stack) for row in rows if row.entry not in state.entries
    ]
    seats = tuple(ev.Seating(row.entry, row.place) for row in rows if row.place is not None)
    if seats:
        found.append(ev.Drawn(seats=seats, how="imported"))
    return tuple(found)
