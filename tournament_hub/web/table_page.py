"""A table's own page: the hand as anybody walking round sees it, its rulings, doubts and devices, its last hands; and,
for a director, what he may do there in two taps.

A page that is open is live: the hub's thread is asked for the running hand whenever the table has said something, and
only while somebody looks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tournament_hub.errors import HubError
from tournament_hub.logic import events as ev
from tournament_hub.room import Room
from tournament_hub.store_history import Found, History, Stretch
from tournament_hub.web import table_page_acts as acts
from tournament_hub.web.calls import CallPages
from tournament_hub.web.calls_view import KINDS
from tournament_hub.web.deciding import Decide, by_whom, decided
from tournament_hub.web.floor import Floor
from tournament_hub.web.history import HistoryPages
from tournament_hub.web.history_view import hand_view, rows_of
from tournament_hub.web.plan import Shown, done_of
from tournament_hub.web.refusals import Refusals, floor_texts
from tournament_hub.web.table_page_view import TableView, table_view
from tournament_hub.wording import Wording
from webkit.broadcast import Broadcast
from webkit.language import LANGUAGES, chips_shown
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Role

LAST_HANDS = 6
FRAGMENTS = ("calls", "tile", "roster", "record")
Draw = Callable[[str, str], "str | None"]


class Record(Struct, frozen=True):
    """What the record says of a table now: the newest hand and the last ones before it."""

    serial: int
    hand: Found | None
    last: Stretch


class TablePages:
    """The pages under ``/tables/{table}``.

    Args:
        floor: the present picture of the room.
        decide: does or asks something on the hub's thread.
        wording: French and English.
        history: puts hands into words.
        tile: draws a table's tile for the floor page.
        calls: draws its calls of the floor.
        refusals: says why something was not done.
    """

    def __init__(
        self,
        floor: Floor,
        decide: Decide,
        wording: Wording,
        history: HistoryPages,
        tile: Draw,
        calls: CallPages,
        refusals: Refusals,
    ) -> None:
        self._floor = floor
        self._decide = decide
        self._wording = wording
        self._history = history
        self._tile = tile
        self._calls = calls
        self._refusals = refusals
        self._lock = threading.Lock()
        self._channels: dict[str, Broadcast] = {}
        self._records: dict[str, Record] = {}
        self._asking: set[str] = set()
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        acting = (
            ("out", self._out),
            ("seat", self._seat),
            ("presence", self._presence),
            ("big-blind", self._big_blind),
            ("hand-done", self._hand_done),
            ("close", self._close),
            ("reopen", self._reopen),
            ("break", self._break),
            ("undo", self._undo),
        )
        return [
            Page("/tables/{table}", self._show, Role.DISPLAY),
            Page("/tables/{table}/live", self._live, Role.DISPLAY),
            *(Page(f"/tables/{{table}}/{act}", do, Role.DIRECTOR, ("POST",)) for act, do in acting),
        ]

    def changed(self, fragment: str) -> None:
        """This fragment of the floor reads differently; from any thread, most often the hub's."""
        if not self._channels:
            return
        kind, _, name = fragment.partition("-")
        with self._lock:
            channels = dict(self._channels)
        if kind == "tile" and name in channels:
            self._refresh(name, channels[name])
        elif kind in ("plan", "tables"):
            for each, channel in channels.items():
                self._refresh(each, channel)

    def close(self) -> None:
        """End every screen's stream."""
        with self._lock:
            channels = list(self._channels.values())
        for channel in channels:
            channel.close()

    # -- live ------------------------------------------------------------------------------

    def _refresh(self, name: str, channel: Broadcast) -> None:
        """Show what has changed; the running hand is asked for only where somebody looks."""
        if not channel.screens:
            return
        channel.changed("calls", "tile", "roster")
        tile = self._floor.tile(name)
        held = self._records.get(name)
        if tile is None or (held is not None and held.serial == tile.picture.serial):
            return
        with self._lock:
            if name in self._asking:
                return
            self._asking.add(name)
        self._decide(lambda room, now: read_record(room, name)).add_done_callback(
            lambda answer: self._answered(name, channel, answer)
        )

    def _answered(self, name: str, channel: Broadcast, answer: Future[Any]) -> None:
        with self._lock:
            self._asking.discard(name)
        if answer.cancelled() or answer.exception() is not None:
            return
        self._records[name] = answer.result()
        channel.changed("record")

    def _channel(self, name: str) -> Broadcast:
        with self._lock:
            channel = self._channels.get(name)
            if channel is None:
                channel = self._channels[name] = Broadcast(
                    lambda fragment, variant: self._fragment(name, fragment, variant), whole=FRAGMENTS
                )
            return channel

    # -- what is shown ------------------------------------------------------------------------

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        name = request.path_params["table"]
        view = self._view(name)
        if view is None:
            raise HTTPException(404)
        self._records[name] = await decided(self._decide, lambda room, now: read_record(room, name))
        asked = request.query_params.get("seat", "")
        chosen = view.seat(int(asked)) if asked.isdigit() and len(asked) <= 2 else None
        variant = _variant(visitor)
        return self._told().page(
            request,
            visitor,
            "table_page.html",
            table=view,
            chosen=chosen,
            parts={part: self._fragment(name, part, variant) or "" for part in FRAGMENTS},
        )

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        name = request.path_params["table"]
        if self._view(name) is None:
            raise HTTPException(404)
        return self._channel(name).response(_variant(visitor))

    def _view(self, name: str) -> TableView | None:
        return table_view(name, self._floor.tile(name), self._floor.tournaments())

    def _fragment(self, name: str, fragment: str, variant: str) -> str | None:
        language, _, role = variant.partition(".")
        directs = role == Role.DIRECTOR.value
        match fragment:
            case "calls":
                return self._calls.fragment(language, directs, name)
            case "tile":
                return self._tile(name, language) or ""
            case "roster":
                return self._roster(name, language, directs)
            case "record":
                return self._record(name, language)
            case _:
                return None

    def _roster(self, name: str, language: str, directs: bool) -> str | None:
        view = self._view(name)
        if view is None:
            return None
        tile = self._floor.tile(name)
        shown = next((each for each in self._floor.tournaments() if each.id == view.tournament), None)
        done = (
            []
            if shown is None
            else list(done_of(_of_table(shown, name), self._wording, language, shown.names))
        )
        return self._told().fragment(
            "table_roster.html",
            language,
            table=view,
            directs=directs,
            done=done,
            kinds=KINDS,
            holdable=tile is not None and tile.directed,
            held=tile is not None and "floor" in tile.hold,
            chips=lambda value: chips_shown(value, language),
            reason=lambda slug: hold_text(slug, language),
        )

    def _record(self, name: str, language: str) -> str:
        tile, held = self._floor.tile(name), self._records.get(name)
        values: dict[str, Any] = {"hand": None, "rows": ""}
        if held is not None:
            names = self._history.names()
            if held.hand is not None:
                values["hand"] = self._history.hand_values(hand_view(held.hand, names), language)
            values["rows"] = self._history.rows(name, rows_of(held.last, names), language)
        age = None
        if tile is not None and tile.heard_at is not None:
            age = max(0.0, self._floor.clock() - tile.heard_at)
        return self._told().fragment(
            "table_record.html",
            language,
            name=name,
            tile=tile,
            age=age,
            covered=[
                (seat, [self._told().text(language, f"table.kind.{kind}") for kind in kinds])
                for seat, kinds in (tile.covered if tile is not None else ())
            ],
            word=lambda slug: self._wording.word(slug, language),
            place=lambda place: self._wording.word(f"place.{place}", language),
            **values,
        )

    # -- what a director does -----------------------------------------------------------------

    async def _out(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        entry, together = form.get("entry", ""), form.get("with_last") == "yes"
        return await self._do(
            request,
            visitor,
            lambda room, table, by, now: acts.out(room, table, entry, by, now, with_last=together),
        )

    async def _seat(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        entry, seat = form.get("entry", ""), _seat_of(form)
        return await self._do(
            request, visitor, lambda room, table, by, now: acts.seat(room, table, entry, seat, by, now)
        )

    async def _presence(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        entry, absent = form.get("entry", ""), form.get("absent") == "yes"
        return await self._do(
            request, visitor, lambda room, table, by, now: acts.presence(room, table, entry, absent, by, now)
        )

    async def _big_blind(self, request: Request, visitor: Visitor) -> Response:
        seat = _seat_of(await read_form(request))
        return await self._do(
            request, visitor, lambda room, table, by, now: acts.big_blind(room, table, seat, by, now)
        )

    async def _hand_done(self, request: Request, visitor: Visitor) -> Response:
        await read_form(request)
        return await self._do(request, visitor, acts.hand_done)

    async def _close(self, request: Request, visitor: Visitor) -> Response:
        await read_form(request)
        return await self._do(request, visitor, acts.close)

    async def _reopen(self, request: Request, visitor: Visitor) -> Response:
        await read_form(request)
        return await self._do(request, visitor, acts.reopen)

    async def _break(self, request: Request, visitor: Visitor) -> Response:
        await read_form(request)
        return await self._do(request, visitor, acts.break_up)

    async def _undo(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        n = int(form["n"]) if form.get("n", "").isdigit() else 0
        return await self._do(
            request,
            visitor,
            lambda room, table, by, now: acts.directing_of(room, table).undo(n, by, now, room.utc),
        )

    async def _do(
        self, request: Request, visitor: Visitor, act: Callable[[Room, str, str, float], Any]
    ) -> Response:
        """Do it, then show the table again, or say why it was not done."""
        table, by = request.path_params["table"], by_whom(visitor)
        back = f"/tables/{quote(table, safe='')}"
        try:
            await decided(self._decide, lambda room, now: act(room, table, by, now))
        except HubError as refused:
            return self._refusals.page(request, visitor, refused, back)
        return self._refusals.back(back)

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


def read_record(room: Room, table: str) -> Record:
    """What the record says of a table now; on the hub's thread."""
    history = History(room.store)
    known = room.tables.get(table)
    if known is None:
        return Record(-1, None, Stretch((), {}, None))
    picture = room.tile(table).picture
    hand = None if picture.hand is None else history.hand(table, picture.hand)
    return Record(picture.serial, hand, history.page(table, None, LAST_HANDS))


def _of_table(shown: Shown, table: str) -> list[Any]:
    """The decisions about one table that can be taken back."""
    return [record for record in shown.decisions if table_of(shown, record.event) == table]


def table_of(shown: Shown, event: ev.Event) -> str | None:
    """The table that a decision is about; None: about none, or all of them."""
    if isinstance(event, ev.CallAnswered):
        call = shown.state.calls.get(event.call)
        return None if call is None else call.table
    named = getattr(event, "table", None)
    if isinstance(named, str):
        return named
    place = getattr(event, "place", None) or getattr(event, "target", None)
    if place is None:
        entry = shown.state.entries.get(getattr(event, "entry", ""))
        place = None if entry is None else entry.place
    return None if place is None else place.table


def hold_text(slug: str, language: str) -> str:
    """Why a table deals no hand; a reason that somebody typed is shown as it is."""
    name = f"hold.{slug}"
    return floor_texts().text(language, name) if name in floor_texts() else slug.replace("_", " ")


def _seat_of(form: dict[str, str]) -> int:
    text = form.get("seat", "")
    return int(text) if text.isdigit() and len(text) <= 2 else 0


def _variant(visitor: Visitor) -> str:
    language = visitor.language if visitor.language in LANGUAGES else LANGUAGES[0]
    return f"{language}.{Role.DIRECTOR.value}" if visitor.may(Role.DIRECTOR) else language
