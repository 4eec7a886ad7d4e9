"""One table's tile of the floor page, and how little of it is drawn again when something changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from table_controller import messages as m
from tournament_hub.web.floor import Floor, SeatView, board_slots, level_of, seat_views, urgency
from tournament_hub.wording import Wording, face, say_alert, with_faces
from webkit.language import chips_shown
from webkit.pages import Site

PARTS_KEPT = 40_000
"""Seats kept as they were last drawn: a hall of 1,000 tables in both languages, twice over; a few hundred bytes each."""
MIDDLES_KEPT = 4_000
"""Boards with their pots and blinds, the same."""


class DrawnTiles:
    """Draws tiles. With an event a seat or two of ten change, or the board does: the rest is not drawn again.

    Args:
        floor: the present picture of the room.
        wording: French and English.
        site: the pages whose templates are filled in.
    """

    def __init__(self, floor: Floor, wording: Wording, site: Callable[[], Site]) -> None:
        self._floor = floor
        self._wording = wording
        self._site = site
        self._seat = lru_cache(PARTS_KEPT)(self._drawn_seat)
        self._middle = lru_cache(MIDDLES_KEPT)(self._drawn_middle)

    def tile(self, name: str, language: str) -> str | None:
        """A table's tile; None when the room has no such table."""
        tile = self._floor.tile(name)
        if tile is None:
            return None
        age = None if tile.heard_at is None else max(0.0, self._floor.clock() - tile.heard_at)
        state = tile.state
        ruling = tile.ruling
        order = state.expects[0] if state is not None and state.expects else None
        return self._site().fragment(
            "tile.html",
            language,
            tile=tile,
            state=state,
            urgency=urgency(tile),
            hand=state.hand if state is not None else tile.picture.hand,
            age=age,
            size=self._floor.size(name),
            hand_age=self._floor.hand_age(name),
            middle=self._middle(
                tuple(board_slots(tile)),
                state.phase if state is not None else None,
                state.pots if state is not None else (),
                # Where chips are recorded an empty middle is a pot of nothing; elsewhere it is unknown.
                0
                if state is not None and any(stack is not None for stack in state.stacks.values())
                else None,
                level_of(tile),
                language,
            ),
            seats="".join([self._seat(name, view, language) for view in seat_views(tile)]),
            place=lambda place: self._wording.word(f"place.{place}", language),
            word=lambda slug: self._wording.word(slug, language),
            order=self._wording.order(order, language) if order is not None else None,
            alerts=[self._wording.value(say_alert(alert), language) for alert in tile.alerts],
            ruling=with_faces(self._wording.ruling(ruling.ruling, language)) if ruling is not None else None,
        )

    def _drawn_middle(
        self,
        board: tuple[tuple[str, str | None], ...],
        phase: str | None,
        pots: tuple[m.Pot, ...],
        nothing: int | None,
        level: m.Level | None,
        language: str,
    ) -> str:
        return self._site().fragment(
            "tile_middle.html",
            language,
            board=board,
            face=face,
            phase=phase,
            pots=pots,
            nothing=nothing,
            level=level,
            chips=lambda value: chips_shown(value, language),
            word=lambda slug: self._wording.word(slug, language),
        )

    def _drawn_seat(self, table: str, seat: SeatView, language: str) -> str:
        return self._site().fragment(
            "seat.html", language, table=table, seat=seat, chips=lambda value: chips_shown(value, language)
        )
