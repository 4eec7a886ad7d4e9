"""Which place lies above which antenna: the configuration's word, else the board's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firmware_bridge.observations import Inventory

AntennaKey = tuple[str, int]
"""A device's name and the number of the antenna on it."""

CARD_KINDS: Final = frozenset({"deck", "seat", "board", "burn", "muck"})
_PER_SEAT: Final = frozenset({"seat", "bet", "stack"})


class Coverage:
    """The places of the table that are covered; any other place is not seen, which is never "missing".

    Places of antennas that the configuration does not name are learned from the board, where there is no
    ``[antennas]`` at all.
    """

    def __init__(
        self,
        antennas: Mapping[str, tuple[str, ...]] | None,
        device: str = "",
        *,
        apart: frozenset[str] = frozenset(),
    ) -> None:
        """Take the antennas of the configuration.

        Args:
            antennas: Number, or ``device:number``, to places; None: believe the boards.
            device: The board meant by a bare number; empty means whichever says it.
            apart: Single readers and panels: without one of them only the places above it are in doubt.
        """
        self._apart = apart
        self._learn = antennas is None
        self._places: dict[AntennaKey, tuple[str, ...]] = {}
        self._any_board: dict[int, tuple[str, ...]] = {}
        self._covered: set[str] = set()
        for key, places in (antennas or {}).items():
            board, _, number = key.rpartition(":")
            if board or device:
                self._places[board or device, int(number)] = tuple(places)
            else:
                self._any_board[int(number)] = tuple(places)
            self._covered.update(places)

    def places(self, inventory: Inventory) -> tuple[str, ...]:
        """The place or places above the antenna that spoke; empty when it is none of the table's."""
        key = (inventory.device, inventory.antenna)
        known = self._places.get(key)
        if known is not None:
            return known
        if self._learn:
            place = place_of(inventory.kind, inventory.index)
            places: tuple[str, ...] = (place,) if place else ()
            self._covered.update(places)
        else:
            places = self._any_board.get(inventory.antenna, ())
        self._places[key] = places
        return places

    def covers(self, place: str) -> bool:
        """Whether an antenna lies under this place."""
        return place in self._covered

    def without(self, device: str) -> tuple[str, ...]:
        """The places that are in doubt while a device is away: for a table board it is the deck, for all it reads."""
        if device not in self._apart:
            return ("deck",)
        return tuple(
            place for (name, _), places in self._places.items() if name == device for place in places
        )

    def of_seat(self, seat: int) -> tuple[str, ...]:
        """What of a seat is covered: its cards, its bet, its stack."""
        return tuple(kind for kind in ("seat", "bet", "stack") if f"{kind}{seat}" in self._covered)


def place_of(kind: str, index: int) -> str:
    """Name the place of an antenna as its board describes it; empty when no table has such a place.

    >>> place_of("seat", 3), place_of("board", 0), place_of("unknown", 1)
    ('seat3', 'board', '')
    """
    if kind in _PER_SEAT:
        return f"{kind}{index}" if 1 <= index <= 10 else ""
    return kind if kind in CARD_KINDS or kind in ("pot", "bank") else ""
