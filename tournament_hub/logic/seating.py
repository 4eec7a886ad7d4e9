"""Draws and seats: who sits where at the start, where the button begins, which free seat a newcomer gets.

Pure: chance comes from a seed that is logged with the result. ``Chance`` uses only the generator's ``random()``, whose
numbers are the same in every version of Python.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeVar

from engine.seating import Positions, clockwise, first_positions, hands_to_big_blind, next_positions
from engine.seating import SeatingError as EngineSeatingError
from tournament_hub.logic import events as ev
from tournament_hub.logic.draft import final_seats
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Entry, Place, State, Table, free_seats, open_tables, size

_T = TypeVar("_T")
RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
"""Clubs below diamonds below hearts below spades: ties between equal ranks in a draw for high card."""


class Chance:
    """A seeded draw.

    Args:
        seed: any text; the same text gives the same draws.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def below(self, count: int) -> int:
        """A number from 0 to ``count`` - 1."""
        return min(count - 1, int(self._random.random() * count))

    def shuffled(self, things: Sequence[_T]) -> list[_T]:
        """Fisher–Yates."""
        found = list(things)
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]
        return found

    def one(self, things: Sequence[_T]) -> _T:
        """Any of them."""
        return things[self.below(len(things))]


def tables_needed(entries: int, capacity: int) -> int:
    """How many tables a draw uses: no more than it must.

    >>> tables_needed(10, 9), tables_needed(9, 9)
    (2, 1)
    """
    return -(-entries // capacity)


def sizes(entries: int, capacities: Sequence[int]) -> list[int]:
    """Share players out over tables so that sizes differ by one at most, as far as the tables hold them.

    >>> sizes(20, [9, 9, 9])
    [7, 7, 6]

    Raises:
        Refused: there are more players than seats.
    """
    if entries > sum(capacities):
        raise Refused(
            "no-room",
            f"{entries} players, {sum(capacities)} seats",
            where="draw",
            hint="open another table",
        )
    found = [0] * len(capacities)
    for _ in range(entries):
        smallest = min((n for n in range(len(found)) if found[n] < capacities[n]), key=lambda n: found[n])
        found[smallest] += 1
    return found


def draw(state: State, seed: str) -> ev.Drawn:
    """Draw seats for everybody who waits: as few tables as needed, sizes that differ by one at most, locked seats kept.

    Raises:
        Refused: too few seats, or a locked seat that does not exist or is taken.
    """
    waiting = sorted(entry.id for entry in state.entries.values() if entry.where == "waiting")
    opened = open_tables(state)
    seated = sum(size(state, table) for table in opened)
    locked = {e: state.entries[e].locked for e in waiting if state.entries[e].locked is not None}
    wanted = {place.table for place in locked.values() if place is not None}
    needed, room = [], 0
    for table in sorted(opened, key=lambda t: (t.id not in wanted and not t.seats, state.order.index(t.id))):
        if room >= seated + len(waiting) and table.id not in wanted and not table.seats:
            break
        needed.append(table)
        room += min(table.capacity, state.settings.capacity)
    chance = Chance(seed)
    free = {table.id: chance.shuffled(free_seats(state, table)) for table in needed}
    found = []
    for name, place in locked.items():
        if place is None or place.seat not in free.get(place.table, ()):
            raise Refused(
                "seat-taken",
                f"its locked seat is not free: {place}",
                where=name,
                hint="unlock it, or free the seat",
            )
        free[place.table].remove(place.seat)
        found.append(ev.Seating(name, place))
    held = {
        t.id: size(state, t) + sum(p is not None and p.table == t.id for p in locked.values()) for t in needed
    }
    rest = chance.shuffled([name for name in waiting if name not in locked])
    for name in rest:
        with_room = [t for t in needed if free[t.id]]
        if not with_room:
            raise Refused("no-room", f"{len(waiting)} players wait", where="draw", hint="open another table")
        fewest = min(held[t.id] for t in with_room)
        table = next(t for t in with_room if held[t.id] == fewest)
        held[table.id] += 1
        found.append(ev.Seating(name, Place(table.id, free[table.id].pop())))
    return ev.Drawn(seats=tuple(found), seed=seed)


# -- the button -----------------------------------------------------------------------


def draw_button(table: Table, preset: Preset, seed: str) -> ev.ButtonSet:
    """Where the first button is, by the preset: drawn, high card, or the first seat with chips.

    Raises:
        Refused: fewer than two players.
    """
    occupied = sorted(table.seats)
    if len(occupied) < 2:
        raise Refused("too-few", "a hand needs two", where=table.id, hint="seat somebody")
    if preset.button_draw == "first_seat":
        return ev.ButtonSet(table=table.id, button=occupied[0], how="first_seat", seed=seed)
    chance = Chance(seed)
    if preset.button_draw == "high_card":
        cards = high_card(occupied, seed)
        best = max(occupied, key=lambda seat: _height(cards[seat]))
        return ev.ButtonSet(table=table.id, button=best, how="high_card", seed=seed)
    return ev.ButtonSet(table=table.id, button=chance.one(occupied), how="drawn", seed=seed)


def high_card(seats: Sequence[int], seed: str) -> Mapping[int, str]:
    """One card for each seat of a shuffled deck, all open."""
    deck = Chance(seed).shuffled([rank + suit for rank in RANKS for suit in SUITS])
    return dict(zip(seats, deck, strict=False))


def _height(card: str) -> tuple[int, int]:
    return RANKS.index(card[0]), SUITS.index(card[1])


def next_hand(table: Table, preset: Preset, *, also: Collection[int] = ()) -> Positions | None:
    """Button and blinds of a table's next hand as things stand; None when they are not known, or it cannot be dealt.

    Args:
        table: as it is.
        preset: where newcomers wait.
        also: seats that will be occupied by then.
    """
    occupied = {*table.seats, *also}
    if len(occupied) < 2:
        return None
    try:
        if table.big_blind_next is not None:
            return _told(table.big_blind_next, occupied)
        if table.positions is None:
            return None if table.first_button is None else first_positions(table.first_button, occupied)
        dealt = {*table.positions.players, *table.positions.waiting}
        newcomers = {seat for seat in occupied if seat not in dealt or seat in also}
        return next_positions(table.positions, occupied, newcomers=newcomers, entry=preset.newcomer_waits)
    except EngineSeatingError:
        return None


def _told(big_blind: int, occupied: Collection[int]) -> Positions | None:
    """The positions of a hand whose big blind a person named."""
    if big_blind not in occupied or len(occupied) < 2:
        return None
    around = sorted(occupied, key=lambda seat: clockwise(big_blind, seat), reverse=True)
    before = [seat for seat in around if seat != big_blind]
    if len(before) == 1:
        return first_positions(before[0], occupied)
    return first_positions(before[1], occupied)


def blinds_known(table: Table, preset: Preset) -> bool:
    """Whether the next big blind of a table is known."""
    return next_hand(table, preset) is not None


# -- a free seat ----------------------------------------------------------------------


def worst_seat(state: State, table: Table, preset: Preset) -> int | None:
    """The free seat with the fewest hands to the big blind, never the small blind, seats that wait last (TDA 11-A).

    None: nothing is free, or the blinds are not known.
    """
    best: tuple[tuple[bool, int, int], int] | None = None
    for seat in free_seats(state, table):
        positions = next_hand(table, preset, also=(seat,))
        if positions is None:
            return None
        if positions.small_blind == seat and len({*table.seats, seat}) > 2:
            continue
        waits = seat in positions.waiting
        ahead = hands_to_big_blind(positions, seat)
        key = (waits, ahead, clockwise(positions.big_blind, seat))
        if best is None or key < best[0]:
            best = (key, seat)
    return None if best is None else best[1]


def same_seat(state: State, table: Table, preset: Preset, ahead: int) -> int | None:
    """The free seat whose place relative to the button is nearest to ``ahead`` hands to the big blind (STARS)."""
    best: tuple[tuple[bool, int, int], int] | None = None
    for seat in free_seats(state, table):
        positions = next_hand(table, preset, also=(seat,))
        if positions is None:
            return None
        key = (
            seat in positions.waiting,
            abs(hands_to_big_blind(positions, seat) - ahead),
            clockwise(positions.button, seat),
        )
        if best is None or key < best[0]:
            best = (key, seat)
    return None if best is None else best[1]


def any_seat(state: State, table: Table, seed: str) -> int | None:
    """A free seat by chance."""
    free = free_seats(state, table)
    return Chance(seed).one(free) if free else None


def late_place(state: State, preset: Preset, seed: str) -> Place | None:
    """The seat of a late entry: at a table with the fewest, drawn or soonest to the big blind; None: nothing is free."""
    with_room = [table for table in open_tables(state) if free_seats(state, table)]
    with_room = [t for t in with_room if size(state, t) < state.settings.capacity] or with_room
    if not with_room:
        return None
    fewest = min(size(state, table) for table in with_room)
    table = Chance(seed).one([table for table in with_room if size(state, table) == fewest])
    seat = worst_seat(state, table, preset) if preset.late_seat == "soonest_big_blind" else None
    if seat is None:
        seat = any_seat(state, table, seed)
    return None if seat is None else Place(table.id, seat)


def passed_blinds(state: State, table: Table) -> int:
    """Chips of the blinds and antes that have passed a seat of this table: whole rounds, level by level (PPC 3.3).

    Rounds are hands played at the table by its players now; what is left of a round is carried to the next level.
    """
    players = max(2, len(table.seats))
    levels = {s.level.n: s.level for s in state.settings.stages if s.level is not None}
    total, carried = 0, 0
    for number, hands in sorted(table.level_hands.items()):
        level = levels.get(number)
        rounds, carried = divmod(hands + carried, players)
        if level is None:
            continue
        total += rounds * (level.small_blind + level.big_blind)
        if level.ante.kind == "classic":
            total += hands * level.ante.amount
        elif level.ante.kind == "big_blind":
            total += rounds * level.ante.amount
    return total


def late_entry(
    state: State, preset: Preset, entry: str, player: str, seed: str, *, again: bool = False
) -> ev.LateEntered:
    """The whole of a late entry: seat, stack and what the blinds that have passed take from it."""
    place = late_place(state, preset, seed)
    missed = 0
    if preset.late_stack == "less_passed_blinds" and place is not None and state.started:
        missed = passed_blinds(state, state.tables[place.table])
    return ev.LateEntered(entry=entry, player=player, place=place, missed=missed, again=again)


def redraw(state: State, table: Table, seed: str) -> ev.Redrawn:
    """The final table's seats anew."""
    chance = Chance(seed)
    seats = chance.shuffled(range(1, table.capacity + 1))
    names = chance.shuffled(sorted(table.seats.values()))
    pairs = zip(names, seats, strict=False)
    return ev.Redrawn(
        table=table.id,
        seats=tuple(ev.Seating(name, Place(table.id, seat)) for name, seat in pairs),
        seed=seed,
    )


def final_size(state: State, preset: Preset) -> int:
    """At how many left the final table is formed."""
    return final_seats(state.settings.final_seats, state.settings.capacity, preset)


def to_seat(state: State) -> list[Entry]:
    """Who waits for a seat, in the order of registration."""
    return [entry for entry in state.entries.values() if entry.where == "waiting"]
