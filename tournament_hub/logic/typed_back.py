"""An evening that was finished on paper, typed back in: who went out in which order, who sits where with how much.

What people wrote down becomes ordinary events, checked as a whole first: every mistake is found with the line that it
stands in, and with one mistake nothing is done. Pure. The order of going out is a number from 1; those of one hand at
one table have the same number. A stack that nobody wrote down is unknown from now on, never what it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Entry, Place, State, chips_due, free_seats, open_moves

MOST_CHIPS: Final = 10**12
"""No stack is larger."""


class Row(Struct, frozen=True):
    """What paper says of one entry that was still in.

    Attributes:
        entry: who.
        out: the how-manieth to go out since the hub was left, from 1; None: still in.
        place: where he sits now, or went out; None: where he sat.
        stack: his chips now; of one who is out, those at the start of his last hand; None: nobody wrote it down.
    """

    entry: str
    out: int | None = None
    place: Place | None = None
    stack: int | None = None


class Sheet(Struct, frozen=True):
    """All of it. ``stage``, ``seconds``: where the clock is to stand; ``buttons``: of the next hand, table → seat."""

    rows: tuple[Row, ...]
    stage: int | None = None
    seconds: float | None = None
    buttons: Mapping[str, int] = {}


class Mistake(Struct, frozen=True):
    """What does not fit: a slug of ``paper.mistake.…``, who it is about, and what fills the text."""

    code: str
    entry: str | None = None
    values: Mapping[str, object] = {}


class Told(Struct, frozen=True):
    """The events to be taken, or why none is; ``out``, ``moved``: how many."""

    events: tuple[ev.Event, ...]
    mistakes: tuple[Mistake, ...]
    out: int = 0
    moved: int = 0


def typed_back(state: State, preset: Preset, sheet: Sheet, at: float) -> Told:
    """Make events of what paper says.

    Args:
        state: the tournament as the hub left it.
        preset: what its rulebook decides.
        sheet: what people wrote.
        at: seconds on the tournament's clock.
    """
    mistakes = tuple(_mistakes(state, sheet))
    if mistakes:
        return Told((), mistakes)
    work = _Work(state, preset, at)
    try:
        outs, moved = _events(work, sheet)
    except Refused as refused:
        return Told((), (Mistake("refused", None, {"what": refused.what, "where": refused.where}),))
    return Told(tuple(work.events), (), outs, moved)


# -- what does not fit ---------------------------------------------------------------------


def _mistakes(state: State, sheet: Sheet) -> Iterable[Mistake]:
    if not state.started or state.over:
        yield Mistake("over" if state.over else "not_started")
        return
    rows: dict[str, Row] = {}
    for row in sheet.rows:
        entry = state.entries.get(row.entry)
        if entry is None or entry.where == "out":
            yield Mistake("unknown" if entry is None else "out_before", row.entry)
        elif row.entry in rows:
            yield Mistake("twice", row.entry)
        else:
            rows[row.entry] = row
    left = [e for e in state.entries.values() if e.where != "out"]
    survivors = [e for e in left if rows.get(e.id, Row(e.id)).out is None]
    if not survivors:
        yield Mistake("nobody_left")
    yield from _order_mistakes(state, rows)
    yield from _seat_mistakes(state, rows, survivors)
    yield from _chip_mistakes(state, rows, survivors)
    yield from _other_mistakes(state, sheet, rows, survivors)


def _order_mistakes(state: State, rows: Mapping[str, Row]) -> Iterable[Mistake]:
    numbers = sorted({row.out for row in rows.values() if row.out is not None})
    for expected, number in enumerate(numbers, 1):
        if number != expected:
            yield Mistake("gap", None, {"missing": expected, "number": number})
            break
    for number in numbers:
        together = [row for row in rows.values() if row.out == number]
        tables = {_table(state, row) for row in together}
        if len(tables) > 1:
            named = ", ".join(sorted(table or "—" for table in tables))
            yield Mistake("two_tables", together[0].entry, {"number": number, "tables": named})


def _table(state: State, row: Row) -> str | None:
    if row.place is not None:
        return row.place.table
    place = state.entries[row.entry].place
    return None if place is None else place.table


def _seat_mistakes(state: State, rows: Mapping[str, Row], survivors: list[Entry]) -> Iterable[Mistake]:
    taken: dict[Place, str] = {}
    for row in rows.values():
        if row.place is None:
            continue
        table = state.tables.get(row.place.table)
        values = {"table": row.place.table, "seat": row.place.seat}
        if table is None or table.status == "closed":
            yield Mistake("no_table", row.entry, values)
        elif not 1 <= row.place.seat <= table.capacity:
            yield Mistake("no_seat", row.entry, values)
    for entry in survivors:
        place = rows.get(entry.id, Row(entry.id)).place or _sits(entry)
        if place is None:
            yield Mistake("no_place", entry.id)
        elif place in taken:
            values = {"table": place.table, "seat": place.seat, "other": taken[place]}
            yield Mistake("seat_twice", entry.id, values)
        else:
            taken[place] = entry.id


def _sits(entry: Entry) -> Place | None:
    return entry.place if entry.where == "seated" else None


def _chip_mistakes(state: State, rows: Mapping[str, Row], survivors: list[Entry]) -> Iterable[Mistake]:
    for row in rows.values():
        if row.stack is None:
            continue
        if row.stack > MOST_CHIPS or row.stack < 0:
            yield Mistake("chips_size", row.entry)
        elif row.stack == 0 and row.out is None:
            yield Mistake("zero", row.entry)
    if state.settings.starting_stack is None:
        return
    due = chips_due(state)
    told = [one.stack for entry in survivors if (one := rows.get(entry.id)) and one.stack is not None]
    found = sum(told)
    if len(told) == len(survivors) and found != due:
        code = "chips_missing" if found < due else "chips_over"
        yield Mistake(code, None, {"found": found, "due": due, "diff": abs(due - found)})
    elif found > due:
        yield Mistake("chips_over", None, {"found": found, "due": due, "diff": found - due})


def _other_mistakes(
    state: State, sheet: Sheet, rows: Mapping[str, Row], survivors: list[Entry]
) -> Iterable[Mistake]:
    places = {rows.get(entry.id, Row(entry.id)).place or _sits(entry) for entry in survivors}
    for table, seat in sheet.buttons.items():
        held = state.tables.get(table)
        if held is None or not 1 <= seat <= held.capacity:
            yield Mistake("button", None, {"table": table, "seat": seat})
        elif all(place is None or place.table != table for place in places):
            yield Mistake("button_empty", None, {"table": table})
    if sheet.stage is not None and not 0 <= sheet.stage < len(state.settings.stages):
        yield Mistake("level")
    if sheet.seconds is not None and not 0 <= sheet.seconds <= 86400:
        yield Mistake("time_left")


# -- what is done -----------------------------------------------------------------------------


class _Work:
    """The tournament as it becomes, event by event."""

    def __init__(self, state: State, preset: Preset, at: float) -> None:
        self.state = state
        self.events: list[ev.Event] = []
        self._preset = preset
        self._at = at

    def do(self, event: ev.Event) -> None:
        """One more event.

        Raises:
            Refused: it does not fit.
        """
        self.state = machine.apply(self.state, event, self._preset, self._at)
        self.events.append(event)

    def put(self, entry: str, place: Place) -> None:
        """Sit somebody down, from wherever he is."""
        if self.state.entries[entry].where == "seated":
            self.do(ev.Reseated(entry=entry, place=place))
        else:
            self.do(ev.Seated(entry=entry, place=place))

    def free(self, table: str | None = None) -> Place | None:
        """A free seat, at this table if one is named."""
        for name, held in self.state.tables.items():
            if held.status == "open" and table in (None, name):
                for seat in free_seats(self.state, held):
                    return Place(name, seat)
        return None


def _events(work: _Work, sheet: Sheet) -> tuple[int, int]:
    """How many went out, how many sit elsewhere."""
    _settle(work)
    rows = {row.entry: row for row in sheet.rows}
    out = _out(work, sheet.rows)
    survivors = [entry.id for entry in work.state.entries.values() if entry.where != "out"]
    moved = _sit(work, {e: place for e in survivors if (place := rows.get(e, Row(e)).place) is not None})
    if work.state.settings.starting_stack is not None:
        _count(work, {e: rows.get(e, Row(e)).stack for e in survivors})
    played = [t for t in work.state.tables.values() if t.status == "open" and t.seats]
    for table in list(work.state.tables.values()):
        if table.status != "closed" and not table.seats and played:
            work.do(ev.TableClosed(table=table.id))
    for name, seat in sheet.buttons.items():
        work.do(ev.ButtonSet(table=name, button=seat, how="director"))
    if len(survivors) == 1:
        work.do(ev.Finished())
    elif sheet.stage is not None:
        work.do(ev.Clocked(act=clocks.Set(sheet.stage, sheet.seconds)))
    return out, moved


def _settle(work: _Work) -> None:
    """Hands, rounds and moves that were under way are over: paper says how things stand."""
    for table in list(work.state.tables.values()):
        if table.running:
            work.do(ev.HandEnded(table=table.id, hand=table.hand))
    if work.state.hand_for_hand is not None:
        work.do(ev.HandForHandEnded())
    for table in list(work.state.tables.values()):
        if table.status == "breaking":
            work.do(ev.BreakCancelled(table=table.id))
    for move in list(open_moves(work.state)):
        work.do(ev.MoveCancelled(move=move.id, reason="paper"))


def _out(work: _Work, rows: Iterable[Row]) -> int:
    groups: dict[int, list[Row]] = {}
    for row in rows:
        if row.out is not None:
            groups.setdefault(row.out, []).append(row)
    for _, together in sorted(groups.items()):
        table = _common_table(work, together)
        for row in together:
            entry = work.state.entries[row.entry]
            if entry.where != "seated" or entry.place is None or entry.place.table != table:
                seat = work.free(table)
                if seat is None:
                    raise Refused("no-seat", "no seat is free to go out from", where=row.entry, hint="")
                work.put(row.entry, seat)
        starts = {row.entry: row.stack for row in together if row.stack is not None}
        work.do(ev.Busted(table=table, entries=tuple(r.entry for r in together), start_stacks=starts))
    return sum(map(len, groups.values()))


def _common_table(work: _Work, together: list[Row]) -> str:
    """Where this hand was played. One alone goes out where he is: which table it was changes no place."""
    entry = work.state.entries[together[0].entry]
    if len(together) == 1 and entry.where == "seated" and entry.place is not None:
        return entry.place.table
    named = _table(work.state, together[0])
    if named is not None and work.state.tables[named].status == "open":
        return named
    anywhere = work.free()
    if anywhere is None:
        raise Refused("no-seat", "no seat is free to go out from", where=together[0].entry, hint="")
    return anywhere.table


def _sit(work: _Work, wanted: Mapping[str, Place]) -> int:
    """Everybody to his place, however they exchange seats; how many moved."""
    left = {
        entry: place
        for entry, place in wanted.items()
        if _sits(work.state.entries[entry]) != place or work.state.entries[entry].where != "seated"
    }
    moved = len(left)
    while left:
        ready = [e for e, place in left.items() if place.seat not in work.state.tables[place.table].seats]
        for entry in ready:
            place = left.pop(entry)
            work.put(entry, place)
        if not ready:  # a ring of people on each other's seats: one steps aside
            entry = next(iter(left))
            aside = work.free()
            if aside is None:
                raise Refused("no-seat", "no seat is free to exchange seats", where=entry, hint="")
            work.put(entry, aside)
    return moved


def _count(work: _Work, stacks: Mapping[str, int | None]) -> None:
    for entry, stack in stacks.items():
        if work.state.entries[entry].stack != stack:
            work.do(ev.Counted(entry=entry, stack=stack))
    if all(stack is not None for stack in stacks.values()):
        loose = {table.id: 0 for table in work.state.tables.values() if table.loose}
        if loose:
            work.do(ev.LooseTold(loose=loose))
