"""The history: every hand of every table, found by table and number, told as it was heard at the table.

Hands are read from the record page by page on the hub's thread; putting them into words is the page server's work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from engine import referee
from table_controller import messages as m
from tournament_hub.store_history import History, Place
from tournament_hub.web.deciding import Decide, decided
from tournament_hub.web.floor import Floor
from tournament_hub.web.history_view import HandView, Ruled, clock_time, hand_view, rows_of
from tournament_hub.web.plan import named
from tournament_hub.wording import Wording, face, with_faces
from webkit.language import chips_shown
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Role

LATEST = 5
"""Hands of each table on the first page of the history."""
TABLES_SHOWN = 40
_LIFE = re.compile(r"[0-9a-f]{8,32}")
_BEFORE = re.compile(r"([0-9a-f]{32})-([0-9]{1,12})")


class HistoryPages:
    """The pages ``/hands``, ``/tables/{table}/hands`` and ``/hands/{table}/{hand}``.

    Args:
        floor: for what tables and people are called.
        decide: asks something on the hub's thread.
        wording: French and English.
    """

    def __init__(self, floor: Floor, decide: Decide, wording: Wording) -> None:
        self._floor = floor
        self._decide = decide
        self._wording = wording
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [
            Page("/hands", self._search, Role.DISPLAY),
            Page("/tables/{table}/hands", self._list, Role.DISPLAY),
            Page("/hands/{table}/{hand:int}", self._hand, Role.DISPLAY),
        ]

    # -- the three pages ---------------------------------------------------------------

    async def _search(self, request: Request, visitor: Visitor) -> Response:
        table, wanted = request.query_params.get("table", ""), request.query_params.get("hand", "").strip()
        if table and wanted.isdigit() and len(wanted) <= 9:
            found = await decided(
                self._decide, lambda room, now: History(room.store).hand(table, int(wanted))
            )
            if found is not None:
                return RedirectResponse(f"/hands/{quote(table, safe='')}/{int(wanted)}", status_code=303)
        elif table and not wanted:
            return RedirectResponse(f"/tables/{quote(table, safe='')}/hands", status_code=303)
        tiles = self._floor.tiles()
        shown = [tile for tile in tiles if tile.picture.hand is not None][:TABLES_SHOWN]
        stretches = await decided(
            self._decide,
            lambda room, now: [History(room.store).page(tile.name, None, LATEST) for tile in shown],
        )
        names, language = self.names(), visitor.language
        listed = [
            (tile.name, tile.title, self.rows(tile.name, rows_of(stretch, names), language))
            for tile, stretch in zip(shown, stretches, strict=True)
        ]
        return self._told().page(
            request,
            visitor,
            "history.html",
            404 if table and wanted else 200,
            tables=[(tile.name, tile.title) for tile in tiles],
            listed=listed,
            table=table,
            wanted=wanted[:9],
        )

    async def _list(self, request: Request, visitor: Visitor) -> Response:
        table = request.path_params["table"]
        asked = _BEFORE.fullmatch(request.query_params.get("before", ""))
        before = None if asked is None else Place(asked[1], int(asked[2]))
        known, stretch = await decided(
            self._decide,
            lambda room, now: (History(room.store).known(table), History(room.store).page(table, before)),
        )
        if not known and self._floor.tile(table) is None:
            raise HTTPException(404)
        rows = self.rows(table, rows_of(stretch, self.names()), visitor.language)
        older = None
        if stretch.next is not None:
            query = urlencode({"before": f"{stretch.next.life}-{stretch.next.seq}"})
            older = f"/tables/{quote(table, safe='')}/hands?{query}"
        return self._told().page(
            request,
            visitor,
            "history_table.html",
            table=table,
            title=self.title(table),
            rows=rows,
            older=older,
            newest=before is None,
        )

    async def _hand(self, request: Request, visitor: Visitor) -> Response:
        table, wanted = request.path_params["table"], request.path_params["hand"]
        life = request.query_params.get("life")
        if life is not None and not _LIFE.fullmatch(life):
            raise HTTPException(404)
        found = None
        if wanted < 10**9:
            found = await decided(
                self._decide, lambda room, now: History(room.store).hand(table, wanted, life)
            )
        if found is None:
            raise HTTPException(404)
        view = hand_view(found, self.names())
        suffix = f"?life={life}" if life is not None else ""
        beside = {
            side: None if n is None else f"/hands/{quote(table, safe='')}/{n}{suffix}"
            for side, n in (("before", found.before), ("after", found.after))
        }
        return self._told().page(
            request,
            visitor,
            "hand.html",
            title=self.title(table),
            beside=beside,
            **self.hand_values(view, visitor.language),
        )

    # -- for other pages -----------------------------------------------------------------

    def names(self) -> dict[str, str]:
        """Entry → what people are called, of every tournament."""
        return {entry: name for shown in self._floor.tournaments() for entry, name in shown.names.items()}

    def title(self, table: str) -> str:
        """What people call a table."""
        tile = self._floor.tile(table)
        return tile.title if tile is not None else table

    def rows(self, table: str, rows: list[Any], language: str) -> str:
        """A list of hands, newest first, each a link."""
        seen = rows[0].life if rows else ""
        addresses = []
        for row in rows:
            suffix = "" if row.life == seen else f"?life={row.life[:8]}"
            addresses.append((f"/hands/{quote(table, safe='')}/{row.number}{suffix}", row))
        return self._told().fragment(
            "history_rows.html",
            language,
            rows=addresses,
            face=face,
            chips=lambda value: chips_shown(value, language),
            time=clock_time,
        )

    def hand_values(self, view: HandView, language: str) -> dict[str, Any]:
        """What the templates of a hand are filled with."""
        names = self.names()
        return {
            "view": view,
            "face": face,
            "chips": lambda value: chips_shown(value, language),
            "street": lambda name: self._wording.word(
                f"phase.{name}" if name in ("preflop", "showdown") else f"street.{name}", language
            ).capitalize(),
            "line": lambda told: with_faces(self._wording.say(named(told.saying, names), language)),
            "time": clock_time(view.began),
            "rulings": [self.ruling(each, language) for each in view.rulings],
        }

    def ruling(self, ruled: Ruled, language: str) -> dict[str, Any]:
        """A ruling in words: the sentence with its article, the steps, who decided, where the book says it."""
        given = ruled.ruling
        said = with_faces(self._wording.ruling(given, language))
        steps = [with_faces(self._wording.order(order, language)) for order in given.orders]
        return {
            "said": said,
            "steps": [step for step in steps if step],
            "official": given.official,
            "by": decided_by(ruled.cause),
            "gone": ruled.gone,
            "book": book_address(given),
        }

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


def decided_by(cause: str | None) -> str:
    """Who said it, where a person did: the page's device, the panel, the room.

    >>> decided_by("page:Anne"), decided_by("decision:c5"), decided_by(None)
    ('Anne', 'room', '')
    """
    kind, _, who = (cause or "").partition(":")
    if kind == "page":
        return who
    return {"panel": "panel", "decision": "room"}.get(kind, "")


def book_address(ruling: m.Ruling) -> str | None:
    """Where the pocket referee tells the whole case; None where it has no such case."""
    group = referee.group_of(ruling.incident)
    if group is None:
        return None
    picked = next((each for each in referee.picks(group) if each.partition(".")[0] == ruling.incident), None)
    book = quote(ruling.rulebook, safe="")
    return None if picked is None or not book else f"/referee/{book}/{group}/{picked}"
