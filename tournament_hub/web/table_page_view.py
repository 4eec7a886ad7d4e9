"""One table as its page shows it: who sits where, what is free, what a director may do there. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic import hand_for_hand as hfh
from tournament_hub.logic.proposals import may_start
from tournament_hub.logic.state import State, Table, open_moves, reserved
from tournament_hub.tables import Tile
from tournament_hub.web.floor import seat_views
from tournament_hub.web.plan import Shown

WAITING_SHOWN = 40


class SeatLine(Struct, frozen=True, kw_only=True):
    """One seat in the list of a table's page.

    Attributes:
        entry: who sits there; None: nobody. ``name``: what people call him.
        stack: None = not known.
        words: slugs of ``absent penalty moving coming``.
        penalty: hands still to miss. ``to``: where he is on his way to, or where he comes from.
        big_blind: a person named him as the next big blind.
    """

    seat: int
    entry: str | None = None
    name: str = ""
    stack: int | None = None
    words: tuple[str, ...] = ()
    penalty: int = 0
    to: str = ""
    big_blind: bool = False


class TableView(Struct, frozen=True, kw_only=True):
    """One table.

    Attributes:
        tournament: whose; None: the room knows it, no tournament plays there.
        device: whether a program plays it. ``status``: ``open breaking closed``.
        holds: why it deals no hand. ``waits``: the room waits for its hand of hand-for-hand.
        waiting: entries that have no seat, with what they are called.
        last_out: who went out here last and can still be joined by somebody of the same hand.
        started: whether cards are in the air. ``others``: whether there is another table to break it into.
    """

    id: str
    title: str
    tournament: str | None = None
    device: bool = True
    status: str = "open"
    seats: tuple[SeatLine, ...] = ()
    holds: tuple[str, ...] = ()
    waits: bool = False
    hand_for_hand: bool = False
    waiting: tuple[tuple[str, str], ...] = ()
    last_out: tuple[tuple[str, str], ...] = ()
    started: bool = False
    others: bool = False

    def seat(self, number: int) -> SeatLine | None:
        """One of its seats."""
        return next((line for line in self.seats if line.seat == number), None)

    @property
    def players(self) -> int:
        """How many sit here."""
        return sum(line.entry is not None for line in self.seats)


def table_view(
    name: str, tile: Tile | None, tournaments: Sequence[Shown], *, whole: bool = True
) -> TableView | None:
    """Draw up a table; None: nobody knows it.

    Args:
        name: its id.
        tile: what it says itself, where a program plays it.
        tournaments: those that run.
        whole: also who waits for a seat and who went out last; for one table, not for a hall of them.
    """
    title = tile.title if tile is not None else name
    shown = next((each for each in tournaments if name in each.state.tables), None)
    if shown is None:
        if tile is None:
            return None
        seats = tuple(
            SeatLine(
                seat=view.seat,
                entry=view.entry,
                name=view.entry or "",
                stack=view.stack,
                words=tuple(word for word in view.words if word == "absent"),
            )
            for view in seat_views(tile)
        )
        return TableView(id=name, title=title, seats=seats, holds=tile.hold)
    state = shown.state
    table = state.tables[name]
    held = state.hand_for_hand
    return TableView(
        id=name,
        title=title,
        tournament=shown.id,
        device=table.device,
        status=table.status,
        seats=tuple(_seats(state, table, shown.names)),
        holds=may_start(state, name) if state.started and not state.over else (),
        waits=held is not None and name in hfh.waiting_for(held),
        hand_for_hand=held is not None and name in held.roster,
        waiting=tuple(
            (entry.id, shown.names.get(entry.id, entry.id))
            for entry in state.entries.values()
            if entry.where == "waiting"
        )[:WAITING_SHOWN]
        if whole
        else (),
        last_out=_last_out(shown, name) if whole else (),
        started=state.started and not state.over,
        others=sum(other.status == "open" for other in state.tables.values()) > 1,
    )


def _seats(state: State, table: Table, names: Mapping[str, str]) -> Iterator[SeatLine]:
    coming = reserved(state, table.id)
    moves = {move.entry: move for move in open_moves(state)}
    for seat in range(1, max([table.capacity, *table.seats]) + 1):
        mine = table.seats.get(seat)
        if mine is None:
            on_way = coming.get(seat)
            if on_way is None:
                yield SeatLine(seat=seat)
            else:
                origin = moves[on_way].origin
                told = f"{origin.table} · {origin.seat}"
                yield SeatLine(seat=seat, name=names.get(on_way, on_way), words=("coming",), to=told)
            continue
        entry = state.entries[mine]
        words, told = [], ""
        if entry.absent:
            words.append("absent")
        if entry.penalty:
            words.append("penalty")
        if mine in moves:
            words.append("moving")
            told = f"{moves[mine].target.table} · {moves[mine].target.seat}"
        yield SeatLine(
            seat=seat,
            entry=mine,
            name=names.get(mine, mine),
            stack=entry.stack,
            words=tuple(words),
            penalty=entry.penalty,
            to=told,
            big_blind=table.big_blind_next == seat,
        )


def _last_out(shown: Shown, table: str) -> tuple[tuple[str, str], ...]:
    """Who went out last at this table by a person's word, while nothing else was decided there since."""
    for record in shown.decisions:
        event = record.event
        if isinstance(event, ev.Busted) and event.table == table:
            return tuple((entry, shown.names.get(entry, entry)) for entry in event.entries)
        if getattr(event, "table", None) == table:
            return ()
    return ()
