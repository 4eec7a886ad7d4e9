"""What the floor page shows: written by the hub's thread, read by the page server's.

Everything on it is immutable and replaced whole, so a reader never sees half a change.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from table_controller import messages as m
from tournament_hub.store import Alarm
from tournament_hub.tables import Tile
from tournament_hub.web.plan import Shown
from tournament_hub.wording import Line


class Broker(Enum):
    """How the hub's own line stands."""

    UP = "up"
    DOWN = "down"
    REFUSED = "refused"


class Floor:
    """The present picture of the room.

    Args:
        clock: seconds, the same as the hub's.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._tiles: dict[str, Tile] = {}
        self._order: tuple[str, ...] = ()
        self._changes: dict[str, None] = {}
        self._lines: tuple[Line, ...] = ()
        self._tournaments: dict[str, Shown] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._hand_since: dict[str, tuple[int | None, float]] = {}
        self._alarms: tuple[Alarm, ...] | None = None
        self._broker = Broker.DOWN
        self._store_fault = False

    def put(self, tile: Tile) -> None:
        """Show a table as it is now."""
        with self._lock:
            before = self._tiles.get(tile.name)
            self._tiles[tile.name] = tile
            if before is not None and before.picture.hand != tile.picture.hand:
                self._hand_since[tile.name] = (tile.picture.hand, self.clock())
            if before is None:
                self._order = tuple(sorted(self._tiles, key=lambda name: _natural(self._tiles[name].title)))
                self._changes |= {"tables": None, "bar": None, "calls": None}
                return
            self._changes[f"tile-{tile.name}"] = None
            if before.alerts != tile.alerts:
                self._changes |= {"bar": None, "calls": None}
            if (before.hold, before.broken, before.directed) != (tile.hold, tile.broken, tile.directed):
                self._changes[f"acts-{tile.name}"] = None

    def take_changes(self) -> tuple[str, ...]:
        """The fragments that read differently since the last question."""
        with self._lock:
            changes, self._changes = self._changes, {}
            if "tables" in changes:  # holds every tile
                changes = {name: None for name in changes if not name.startswith(("tile-", "acts-"))}
            return tuple(changes)

    def tile(self, name: str) -> Tile | None:
        """One table, if the room has it."""
        with self._lock:
            return self._tiles.get(name)

    def tiles(self) -> list[Tile]:
        """All tables in the order of their names, 2 before 10."""
        with self._lock:
            return [self._tiles[name] for name in self._order]

    def size(self, table: str) -> tuple[int, int] | None:
        """How many sit at a table, and at the fullest one of its tournament; None: it plays in none."""
        return self._sizes.get(table)

    def hand_age(self, name: str) -> float | None:
        """Seconds since a table's running hand began, as far as it was heard here; None: not known."""
        tile, held = self._tiles.get(name), self._hand_since.get(name)
        if tile is None or held is None or not tile.picture.running or held[0] != tile.picture.hand:
            return None
        return max(0.0, self.clock() - held[1])

    def put_tournament(self, shown: Shown) -> None:
        """Show a tournament as it is now."""
        sizes = {table.id: len(table.seats) for table in shown.state.tables.values()}
        fullest = max(sizes.values(), default=0)
        with self._lock:
            self._sizes |= {name: (size, fullest) for name, size in sizes.items()}
            before = self._tournaments.get(shown.id)
            self._tournaments = {**self._tournaments, shown.id: shown}
            if (
                before is None
                or before.proposals != shown.proposals
                or before.state is not shown.state
                or before.names != shown.names
            ):
                self._changes |= {"plan": None, "byhand": None, f"hall-{shown.id}": None}
                if before is None or before.state.calls != shown.state.calls:
                    self._changes |= {"calls": None, "bar": None}

    def tournaments(self) -> list[Shown]:
        """The tournaments, in the order of the configuration."""
        return list(self._tournaments.values())

    def tournament(self, ident: str) -> Shown | None:
        """One tournament, if there is such a one."""
        return self._tournaments.get(ident)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The log, oldest line first."""
        return self._lines

    @lines.setter
    def lines(self, lines: tuple[Line, ...]) -> None:
        with self._lock:
            if (lines[-1:] or None) != (self._lines[-1:] or None):
                self._changes["log"] = None
            self._lines = lines

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """What nobody has looked at yet."""
        return self._alarms or ()

    @alarms.setter
    def alarms(self, alarms: tuple[Alarm, ...]) -> None:
        with self._lock:
            self._changes |= {"alarms": None, "bar": None}
            self._alarms = alarms

    @property
    def alarms_known(self) -> bool:
        """Whether the alarms were read from the record yet."""
        return self._alarms is not None

    @property
    def broker(self) -> Broker:
        """How the hub's own line stands."""
        return self._broker

    @broker.setter
    def broker(self, broker: Broker) -> None:
        with self._lock:
            if broker is not self._broker:
                self._changes["bar"] = None
            self._broker = broker

    @property
    def store_fault(self) -> bool:
        """Whether the disk refuses to be written."""
        return self._store_fault

    @store_fault.setter
    def store_fault(self, fault: bool) -> None:
        with self._lock:
            if fault is not self._store_fault:
                self._changes["bar"] = None
            self._store_fault = fault


class SeatView(NamedTuple):
    """One seat of a tile. ``stack`` None = not known; ``bet`` None = nothing put forward, or not known."""

    seat: int
    entry: str | None
    stack: int | None
    bet: int | None
    marks: tuple[str, ...]
    words: tuple[str, ...]
    turn: bool
    doubt: bool
    out: bool


def seat_views(tile: Tile) -> list[SeatView]:
    """The seats of a table: from its snapshot, else from its events. What is not known stays unknown."""
    state, picture = tile.state, tile.picture
    if state is None:
        return [
            SeatView(
                held.seat, held.entry, held.stack, None, _marks(tile, held.seat), (), False, False, False
            )
            for held in picture.seats
        ]
    doubted = {doubt.place for doubt in state.doubts}
    found = []
    for seat in state.seats:
        told = (
            ("folded", seat.folded),
            ("dead", seat.dead),
            ("all_in", seat.all_in),
            ("absent", seat.absent),
        )
        found.append(
            SeatView(
                seat=seat.seat,
                entry=seat.entry,
                stack=state.stacks.get(seat.seat),
                bet=state.bets.get(seat.seat) or None,
                marks=_marks(tile, seat.seat),
                words=tuple(word for word, said in told if said),
                turn=state.to_act == seat.seat,
                doubt=f"seat{seat.seat}" in doubted,
                out=seat.folded or seat.dead or seat.absent,
            )
        )
    return found


def _marks(tile: Tile, seat: int) -> tuple[str, ...]:
    """Button and blinds: the button from the snapshot; the blinds only when the hand is the one that the events tell."""
    state, picture = tile.state, tile.picture
    button = state.button if state is not None else picture.button
    same_hand = state is None or state.hand == picture.hand
    told = (
        ("button", button),
        ("small_blind", picture.small_blind_seat if same_hand else None),
        ("big_blind", picture.big_blind_seat if same_hand else None),
    )
    return tuple(mark for mark, where in told if where == seat)


def board_slots(tile: Tile) -> list[tuple[str, str | None]]:
    """Five places of the board: (``face``, card), (``unread``, None) or (``none``, None)."""
    cards: tuple[str | None, ...] = tile.state.board if tile.state is not None else tile.picture.board
    slots: list[tuple[str, str | None]] = [
        ("unread", None) if card is None else ("face", card) for card in cards
    ]
    return slots + [("none", None)] * (5 - len(slots))


def level_of(tile: Tile) -> m.Level | None:
    """The blinds that are played: as the table says, else as its last hand began, else as it should."""
    if tile.state is not None and tile.state.blinds is not None:
        return tile.state.blinds
    return tile.picture.level or tile.level


def urgency(tile: Tile) -> str:
    """``good``, ``warn`` or ``bad``: the frame of a tile; the words in it say the same."""
    if tile.link in ("lost", "silent", "fault") or tile.broken or tile.alerts:
        return "bad"
    doubts = bool(tile.state and tile.state.doubts)
    if tile.link != "online" or doubts or tile.missing or tile.hold or tile.devices:
        return "warn"
    return "good"


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part.casefold()) for part in re.split(r"(\d+)", text)]
