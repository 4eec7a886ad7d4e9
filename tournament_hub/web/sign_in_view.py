"""What the door sees: one row a person, the counts, the last acts, the seats by table and by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Entry, Place, State, open_tables
from tournament_hub.store_people import Person
from tournament_hub.web.sign_in_acts import CAUSE, folded

LAST_SHOWN: Final = 3
Standing = Literal["none", "expected", "arrived", "out"]
Label = Callable[[str], str]


class Row(Struct, frozen=True):
    """One person at the door.

    Attributes:
        fold: what is searched: name without accents, number in the club.
        standing: ``none expected arrived out``.
        place: his seat, once drawn.
        locked: the seat that he must get.
        paid, adult: known to hold. ``known``: he is on the club's list (else only an entry).
    """

    person: str
    name: str
    number: str
    fold: str
    standing: Standing
    place: Place | None
    locked: Place | None
    paid: bool
    adult: bool
    known: bool


class Counts(Struct, frozen=True):
    """How many are here, are awaited, and find a seat at the tables that are open."""

    arrived: int
    expected: int
    seats: int
    started: bool


class LastAct(Struct, frozen=True):
    """An act of the door that can be taken back: text, how many, about whom."""

    cause: str
    name: str
    count: int
    person: str
    place: Place | None
    by: str


class TableList(Struct, frozen=True):
    """A table's seats in order: seat, name, whether he is still awaited."""

    table: str
    button: int | None
    seats: tuple[tuple[int, str, bool], ...]


def rows_of(state: State, people: Sequence[Person], season: str) -> dict[str, Row]:
    """Everybody on the club's list, and whoever is in the tournament without being on it; by name."""
    entries: dict[str, Entry] = {}
    for entry in state.entries.values():
        before = entries.get(entry.player)
        if before is None or before.where == "out":
            entries[entry.player] = entry
    known = [_row(person, entries.get(person.person), season) for person in people]
    named = {person.person for person in people}
    rest = [_row(None, entry, season) for player, entry in sorted(entries.items()) if player not in named]
    return {row.person: row for row in [*known, *rest]}


def _row(person: Person | None, entry: Entry | None, season: str) -> Row:
    standing: Standing = "none"
    if entry is not None:
        standing = "out" if entry.where == "out" else "expected" if entry.absent else "arrived"
    ident = person.person if person is not None else entry.player if entry is not None else ""
    name = person.name if person is not None else ident
    number = person.number if person is not None else ""
    inside = entry is not None and entry.where in ("seated", "in_transit")
    return Row(
        person=ident,
        name=name,
        number=number,
        fold=f"{folded(name)} {folded(number)}".strip(),
        standing=standing,
        place=entry.place if entry is not None and inside else None,
        locked=entry.locked if entry is not None else None,
        paid=person is not None and bool(season) and person.paid_up == season,
        adult=person is not None and person.adult,
        known=person is not None,
    )


def counts_of(state: State) -> Counts:
    """The figures at the head of the page."""
    inside = [entry for entry in state.entries.values() if entry.where != "out"]
    return Counts(
        arrived=sum(not entry.absent for entry in inside),
        expected=sum(entry.absent for entry in inside),
        seats=sum(min(table.capacity, state.settings.capacity) for table in open_tables(state)),
        started=state.started,
    )


def last_acts(log: Sequence[ev.Record], state: State) -> tuple[LastAct, ...]:
    """The door's newest acts that were not taken back, newest first."""
    undone = {record.undoes for record in log}
    found: dict[str, list[ev.Record]] = {}
    for record in reversed(log):
        cause = record.cause or ""
        if not cause.startswith(CAUSE) or record.n in undone or record.undoes is not None or not record.undo:
            continue
        if cause not in found and len(found) == LAST_SHOWN:
            break
        found.setdefault(cause, []).append(record)
    return tuple(_act(cause, records, state) for cause, records in found.items())


def _act(cause: str, records: Sequence[ev.Record], state: State) -> LastAct:
    """``records``: of one act, newest first."""
    entered = [r.event for r in records if isinstance(r.event, (ev.Registered, ev.LateEntered, ev.Presence))]
    if len(entered) > 1 and any(isinstance(r.event, ev.Registered) for r in records[:-1]):
        return LastAct(cause, "list", len(entered), "", None, records[0].by)
    for record in reversed(records):
        match record.event:
            case ev.Registered(entry=entry, absent=absent) | ev.Presence(entry=entry, absent=absent):
                what = "expected" if absent else "arrived"
            case ev.LateEntered(entry=entry):
                what = "arrived"
            case ev.Withdrawn(entry=entry):
                what = "withdrawn"
            case ev.Drawn(seats=seats):
                return LastAct(cause, "drawn", len(seats), "", None, record.by)
            case ev.ButtonSet():
                return LastAct(cause, "buttons", len(records), "", None, record.by)
            case ev.Started():
                return LastAct(cause, "started", 1, "", None, record.by)
            case ev.TableOpened(table=table):
                return LastAct(cause, "table", 1, table, None, record.by)
            case _:
                continue
        held = state.entries.get(entry)
        if held is None:
            gone = next(
                (e for r in records for e in r.undo if isinstance(e, (ev.Registered, ev.LateEntered))), None
            )
            return LastAct(cause, what, 1, gone.player if gone is not None else entry, None, record.by)
        place = held.place if held.where == "seated" else None
        return LastAct(cause, what, 1, held.player, place, record.by)
    return LastAct(cause, "other", len(records), "", None, records[0].by)


def tables_of(
    state: State, names: Mapping[str, str], drawn: Iterable[ev.Seating] = ()
) -> tuple[TableList, ...]:
    """Seats by table, in the posted order; with those of a draw that is only proposed."""
    seats: dict[str, dict[int, str]] = {name: dict(table.seats) for name, table in state.tables.items()}
    for seating in drawn:
        seats.setdefault(seating.place.table, {})[seating.place.seat] = seating.entry
    order = [name for name in state.order if name in seats] or list(seats)
    return tuple(
        TableList(
            name,
            state.tables[name].first_button if name in state.tables else None,
            tuple(
                (seat, names.get(entry, entry), state.entries[entry].absent)
                for seat, entry in sorted(seats[name].items())
            ),
        )
        for name in order
        if seats[name]
    )


def by_name(tables: Iterable[TableList]) -> list[tuple[str, str, int]]:
    """Name, table, seat: in the order of names, accents not counted."""
    found = [(name, table.table, seat) for table in tables for seat, name, _ in table.seats]
    return sorted(found, key=lambda row: (folded(row[0]), row[0]))


def changed_rows(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[str] | None:
    """Who reads differently; None: the list itself is another one."""
    if before.keys() != after.keys():
        return None
    return [person for person, row in after.items() if row != before[person]]


def table_label(title: Callable[[str], str]) -> Label:
    """How a table is called: as the club's file names it, else ``Table 3`` for ``t3`` and ``3``."""

    def label(table: str) -> str:
        named = title(table)
        if named != table:
            return named
        number = re.fullmatch(r"t?([0-9]+)", table)
        return f"Table {number[1]}" if number else table

    return label
