"""Which table is broken, who is moved where, which table is stopped: plans as a pure function of the tournament.

Break first, then balance; the plan for a snapshot is always the same. Nothing is planned on tables that were not heard
(unknown is not zero): whoever asks is told which ones, and a person may vouch for them.
"""

from __future__ import annotations

from msgspec import Struct

from engine.seating import hands_to_big_blind
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.seating import (
    Chance,
    any_seat,
    final_size,
    next_hand,
    same_seat,
    worst_seat,
)
from tournament_hub.logic.state import Place, State, Table, alive, free_seats, open_moves, open_tables, sizes


class BreakPlan(Struct, frozen=True):
    """A table to break and a seat for everybody at it; ``final``: into the last table."""

    table: str
    moves: tuple[ev.MovePlanned, ...]
    final: bool
    seed: str


class BalancePlan(Struct, frozen=True):
    """One move. ``unknown``: a table whose next big blind is not known: it is asked first."""

    source: str
    destination: str
    entry: str | None = None
    target: Place | None = None
    unknown: str | None = None


class Short(Struct, frozen=True):
    """A table with too few players. ``by``: how many fewer than the fullest; ``affected``: its blinds are (TDA 11-D)."""

    table: str
    by: int
    affected: bool


def unheard(state: State) -> list[str]:
    """Open tables of which not everything is known and that nobody vouched for."""
    return [t.id for t in state.tables.values() if t.status != "closed" and not t.trusted]


def break_due(state: State, preset: Preset) -> bool:
    """Whether everybody left fits at one table fewer."""
    opened = open_tables(state)
    if len(opened) < 2:
        return False
    if len(opened) == 2:
        return alive(state) <= final_size(state, preset)
    capacity = state.settings.capacity
    return alive(state) <= sum(sorted(min(t.capacity, capacity) for t in opened)[1:])


def next_to_break(state: State, preset: Preset) -> Table | None:
    """The next table of the posted order; by lot where the preset says so. One at a time.

    The last two tables make the final table at the one that would be broken last.
    """
    if any(table.status == "breaking" for table in state.tables.values()):
        return None
    opened = open_tables(state)
    if len(opened) < 2:
        return None
    if preset.break_order == "drawn" and not state.settings.break_order and len(opened) > 2:
        return Chance(f"{state.settings.seed}/break/{len(opened)}").one(opened)
    return opened[0]


def plan_break(state: State, preset: Preset, table: Table) -> BreakPlan | None:
    """Seats for everybody at a table that is broken: by lot, so that the others differ by one at most afterwards.

    None: the others have no room, or somebody is still on the way to it.
    """
    seed = f"{state.settings.seed}/break/{table.id}/{len(state.moves)}"
    chance = Chance(seed)
    others = [other for other in open_tables(state) if other.id != table.id]
    if any(move.target.table == table.id for move in open_moves(state)):
        return None
    free = {other.id: chance.shuffled(free_seats(state, other)) for other in others}
    players = sizes(state)
    staying = [name for name in table.seats.values() if state.entries[name].move is None]
    moves: list[ev.MovePlanned] = []
    final = len(others) == 1
    for name in chance.shuffled(sorted(staying)):
        with_room = [other for other in others if free[other.id]]
        if not with_room:
            return None
        fewest = min(players[other.id] for other in with_room)
        target = chance.one([other for other in with_room if players[other.id] == fewest])
        players[target.id] += 1
        moves.append(
            ev.MovePlanned(
                move=move_id(state, len(moves)),
                entry=name,
                target=Place(target.id, free[target.id].pop()),
                reason="final" if final else "breaking",
            )
        )
    return BreakPlan(table.id, tuple(moves), final, seed)


def move_id(state: State, further: int = 0) -> str:
    """The next move's id; ``further``: of several planned together, from 0."""
    return f"m{len(state.moves) + 1 + further}"


def tolerance(state: State, preset: Preset) -> int:
    """By how many tables may differ."""
    many = len(open_tables(state)) > preset.many_tables_above and preset.many_tables_above > 0
    return preset.tolerance_many_tables if many else preset.tolerance


def plan_balance(state: State, preset: Preset) -> BalancePlan | None:
    """The next single move that brings the tables closer; None: they are balanced, or nobody can be moved.

    The fullest table gives (of equals, the first in the posted order), the shortest takes.
    """
    opened = open_tables(state)
    if len(opened) < 2:
        return None
    players = sizes(state)
    fullest = max(opened, key=lambda t: (players[t.id], -state.order.index(t.id)))
    takers = [t for t in opened if free_seats(state, t)]
    if not takers:
        return None
    shortest = min(takers, key=lambda t: (players[t.id], -state.order.index(t.id)))
    if players[fullest.id] - players[shortest.id] <= tolerance(state, preset):
        return None
    entry, unknown = choose_mover(state, preset, fullest)
    if unknown:
        return BalancePlan(fullest.id, shortest.id, unknown=fullest.id)
    if entry is None:
        return None
    seat = choose_seat(state, preset, fullest, entry, shortest)
    if seat is None:
        return BalancePlan(fullest.id, shortest.id, entry=entry, unknown=shortest.id)
    return BalancePlan(fullest.id, shortest.id, entry, Place(shortest.id, seat))


def choose_mover(state: State, preset: Preset, table: Table) -> tuple[str | None, bool]:
    """Who leaves a table; True: it depends on the next big blind, which is not known."""
    free = [seat for seat, name in table.seats.items() if state.entries[name].move is None]
    if not free:
        return None, False
    if preset.balance_mover == "least_moved":
        chance = Chance(f"{state.settings.seed}/mover/{table.id}/{len(state.moves)}")
        names = chance.shuffled(sorted(table.seats[seat] for seat in free))
        return min(names, key=lambda n: (not state.entries[n].absent, state.entries[n].moves)), False
    positions = next_hand(table, preset)
    if positions is None:
        return (None, True) if len(table.seats) > 1 else (table.seats[free[0]], False)
    return table.seats[min(free, key=lambda seat: hands_to_big_blind(positions, seat))], False


def choose_seat(state: State, preset: Preset, source: Table, entry: str, destination: Table) -> int | None:
    """The mover's new seat; None: the destination's blinds are not known."""
    if len(destination.seats) < 2 and destination.positions is None and destination.big_blind_next is None:
        return any_seat(state, destination, f"{state.settings.seed}/seat/{destination.id}/{len(state.moves)}")
    place = state.entries[entry].place
    before = next_hand(source, preset)
    if preset.balance_seat == "same_position" and before is not None and place is not None:
        return same_seat(state, destination, preset, hands_to_big_blind(before, place.seat))
    found = worst_seat(state, destination, preset)
    if found is None and next_hand(destination, preset) is not None:
        return any_seat(state, destination, f"{state.settings.seed}/seat/{destination.id}/{len(state.moves)}")
    return found


# -- tables that are short ---------------------------------------------------------------


def halt_at(state: State, preset: Preset) -> int:
    """How many players short a table is stopped."""
    few = len(open_tables(state)) <= preset.few_tables_up_to
    return preset.halt_short_few_tables if few else preset.halt_short


def short_tables(state: State, preset: Preset) -> list[Short]:
    """Tables that are to be stopped: short by the preset, their blinds affected, and nobody has waived it."""
    opened = open_tables(state)
    if len(opened) < 2:
        return []
    players, limit = sizes(state), halt_at(state, preset)
    fullest = max(players[table.id] for table in opened)
    found = []
    for table in opened:
        by = fullest - players[table.id]
        if by < limit or (table.waived is not None and by <= table.waived):
            continue
        found.append(Short(table.id, by, blinds_affected(table)))
    return found


def blinds_affected(table: Table) -> bool:
    """Whether one who left since the last hand began would have paid a blind in the next, or the blinds are not known."""
    last = table.positions
    if last is None:
        return True
    before = {*table.seats, *table.left, last.big_blind}
    following_blind = min(before, key=lambda seat: (seat - last.big_blind - 1) % 10)
    return last.big_blind not in table.seats or following_blind not in table.seats
