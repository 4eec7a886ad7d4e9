"""A tournament while an event is being applied: the same parts as ``State``, thawed for one step or for a whole replay.

Private to the logic: whoever holds a ``State`` never sees it change.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tournament_hub.logic import clock as clocks
from tournament_hub.logic import ranking
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import OPEN_MOVES, Booked, Entry, Move, Place, State, Table

_replace = msgspec.structs.replace


class Draft:
    """A state that may be changed.

    Args:
        state: what to begin with; it stays as it is.
        preset: what the rulebook decides.
        at: seconds on the hub's clock.
    """

    def __init__(self, state: State, preset: Preset, at: float) -> None:
        self.preset = preset
        self.at = at
        self.settings = state.settings
        self.rev = state.rev
        self.started = state.started
        self.over = state.over
        self.entries = dict(state.entries)
        self.tables = dict(state.tables)
        self.order = state.order
        self.clock = state.clock
        self.moves = dict(state.moves)
        self.groups = state.groups
        self.hand_for_hand = state.hand_for_hand
        self.last_gate = state.last_gate
        self.calls = dict(state.calls)
        self.ledger = state.ledger
        self.issued = state.issued
        self.passed = dict(state.passed)
        self.postponed = dict(state.postponed)
        self.discrepancies = dict(state.discrepancies)
        self.final = state.final
        self.redrawn = state.redrawn
        self.rebuys_asked = state.rebuys_asked
        self.stops = dict(state.stops)
        self.noted = state.noted

    def freeze(self) -> State:
        """The state as it is now; the draft must not be used after it."""
        return State(
            settings=self.settings,
            rev=self.rev,
            started=self.started,
            over=self.over,
            entries=self.entries,
            tables=self.tables,
            order=self.order,
            clock=self.clock,
            moves=self.moves,
            groups=self.groups,
            hand_for_hand=self.hand_for_hand,
            last_gate=self.last_gate,
            calls=self.calls,
            ledger=self.ledger,
            issued=self.issued,
            passed=self.passed,
            postponed=self.postponed,
            discrepancies=self.discrepancies,
            final=self.final,
            redrawn=self.redrawn,
            rebuys_asked=self.rebuys_asked,
            stops=self.stops,
            noted=self.noted,
        )

    # -- entries and tables ------------------------------------------------------------

    def entry(self, name: str) -> Entry:
        """An entry that must exist."""
        entry = self.entries.get(name)
        if entry is None:
            raise Refused("no-entry", "there is no such entry", where=name, hint="register it first")
        return entry

    def table(self, name: str) -> Table:
        """A table that must exist."""
        table = self.tables.get(name)
        if table is None:
            raise Refused("no-table", "the tournament has no such table", where=name, hint="open it first")
        return table

    def set_entry(self, name: str, **changes: Any) -> Entry:
        """Change an entry."""
        entry = self.entries[name] = _replace(self.entry(name), **changes)
        return entry

    def set_table(self, name: str, **changes: Any) -> Table:
        """Change a table."""
        table = self.tables[name] = _replace(self.table(name), **changes)
        return table

    def alive(self) -> int:
        """Entries that are still in."""
        return sum(entry.where != "out" for entry in self.entries.values())

    # -- seats --------------------------------------------------------------------------

    def check_free(self, place: Place, *, entry: str | None = None) -> Table:
        """A seat that exists at an open table, where nobody else sits or is on his way to.

        Raises:
            Refused: naming what is in the way.
        """
        table = self.table(place.table)
        where = f"{place.table} seat {place.seat}"
        if table.status != "open":
            raise Refused("table-closed", "the table is not open", where=where, hint="choose another table")
        if not 1 <= place.seat <= table.capacity:
            raise Refused("no-seat", "the table has no such seat", where=where, hint="choose another seat")
        taken = table.seats.get(place.seat)
        if taken is None:
            taken = next(
                (m.entry for m in self.moves.values() if m.state in OPEN_MOVES and m.target == place), None
            )
        if taken is not None and taken != entry:
            raise Refused("seat-taken", f"{taken} has this seat", where=where, hint="choose another seat")
        return table

    def sit(self, name: str, place: Place, **changes: Any) -> None:
        """Put an entry on a seat."""
        table = self.check_free(place, entry=name)
        self.tables[table.id] = _replace(table, seats={**table.seats, place.seat: name})
        self.set_entry(name, where="seated", place=place, move=None, fresh=True, **changes)

    def stand(self, name: str) -> None:
        """Take an entry from its seat; where it is afterwards is the caller's to say."""
        place = self.entry(name).place
        if place is None:
            return
        table = self.tables[place.table]
        if table.seats.get(place.seat) == name:
            seats = {seat: who for seat, who in table.seats.items() if seat != place.seat}
            self.tables[table.id] = _replace(table, seats=seats, left=(*table.left, place.seat))

    def close_if_empty(self, name: str) -> None:
        """A table that was broken is closed when the last one has left."""
        table = self.tables[name]
        if table.status == "breaking" and not table.seats:
            self.tables[name] = _replace(table, status="closed", hold=())

    def drop_move(self, name: str) -> None:
        """An entry's open move is off."""
        move = self.entry(name).move
        if move is not None:
            self.moves[move] = _replace(self.moves[move], state="cancelled")
            self.set_entry(name, move=None)

    def move(self, name: str, *states: str) -> Move:
        """A move that must exist and stand so."""
        move = self.moves.get(name)
        if move is None:
            raise Refused("no-move", "there is no such move", where=name, hint="look at the open moves")
        if states and move.state not in states:
            raise Refused(
                "move-state", f"the move is {move.state}", where=name, hint="look at the open moves"
            )
        return move

    # -- chips and places -------------------------------------------------------------------

    def book(self, code: str, amount: int, *, table: str | None = None, entry: str | None = None) -> None:
        """Chips came into play or left it: a line in the ledger, unless nothing did."""
        if amount:
            self.ledger = (*self.ledger, Booked(code=code, amount=amount, table=table, entry=entry))

    def loosen(self, table: str, amount: int) -> None:
        """Chips at a table of which nobody knows the seat."""
        if amount:
            self.set_table(table, loose=self.table(table).loose + amount)

    def eliminate(self, key: str, busts: list[ranking.Bust], *, announced: bool = False) -> None:
        """These are out, together; they must be in the tournament. Their open moves are off."""
        before = self.alive()
        for bust in busts:
            self.drop_move(bust.entry)
            self.stand(bust.entry)
            self.set_entry(bust.entry, where="out", move=None)
        now = self.alive()
        goals = [self.settings.places_paid]
        if len([t for t in self.tables.values() if t.status == "open"]) > 1:
            goals.append(final_seats(self.settings.final_seats, self.settings.capacity, self.preset))
        bubble = any(before > goal >= now for goal in goals if goal)
        self.groups = ranking.added(self.groups, key, busts, bubble=bubble, announced=announced)

    def act(self, act: clocks.Act) -> None:
        """Move the clock, if the tournament has one; a break that begins asks who is back after it."""
        stages = self.settings.stages
        if not stages:
            return
        before, self.clock = self.clock, clocks.moved(self.clock, stages, act, self.at)
        in_break = self.clock.started and stages[self.clock.stage].level is None
        if in_break and (before.stage != self.clock.stage or not before.started):
            self._rest()

    def _rest(self) -> None:
        """A break: its tables go on afterwards with so many in their seats as the book says, whatever was passed before."""
        self.passed = {block: why for block, why in self.passed.items() if not block.startswith("restart:")}
        for table in list(self.tables.values()):
            if table.status == "open":
                self.set_table(table.id, needs=self.preset.restart_players, begun=None)


def final_seats(wanted: int | None, capacity: int, preset: Preset) -> int:
    """At how many left the final table is formed: as set, else as the preset says, never more than a table holds."""
    if wanted is not None:
        return wanted
    seats = min(preset.final_table_seats, capacity)
    if preset.final_table_odd and seats > 2 and seats % 2 == 0:
        seats -= 1
    return seats
