"""The floor page's routes and fragments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tournament_hub.config import HubConfig
from tournament_hub.errors import HubError
from tournament_hub.room import Room
from tournament_hub.web.calls import CallPages
from tournament_hub.web.deciding import Decide, by_whom, decided
from tournament_hub.web.evening import EveningPages
from tournament_hub.web.floor import Broker, Floor
from tournament_hub.web.hall import HallPages
from tournament_hub.web.hall_view import HallView, hall_view
from tournament_hub.web.history import HistoryPages
from tournament_hub.web.plan import named
from tournament_hub.web.plan_pages import PlanPages
from tournament_hub.web.referee import RefereePage
from tournament_hub.web.refusals import Refusals, floor_texts
from tournament_hub.web.season import SeasonPages
from tournament_hub.web.sign_in import SignInPages, door_texts
from tournament_hub.web.table_page import TablePages
from tournament_hub.web.table_page_view import table_view
from tournament_hub.web.tiles import DrawnTiles
from tournament_hub.wording import Wording, with_faces
from webkit.broadcast import Broadcast
from webkit.language import LANGUAGES
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Pairing, Role

HERE = Path(__file__).parent
HOLD_REASON = "floor"
LOG_SHOWN = 80
SAYINGS_KEPT = 4 * LOG_SHOWN
"""Lines of the log kept in words: with every event one is new and the others only move down."""
WHOLE = ("bar", "calls", "plan", "alarms", "tables", "byhand", "log")


class FloorPages:
    """The floor page as an ASGI application.

    Args:
        config: the club's settings.
        pairing: who may look and act.
        floor: what is shown.
        wording: French and English.
        decide: does something on the hub's thread, in a transaction.
    """

    def __init__(
        self, config: HubConfig, pairing: Pairing, floor: Floor, wording: Wording, decide: Decide
    ) -> None:
        self._floor = floor
        self._wording = wording
        self._decide = decide
        self._tiles = DrawnTiles(floor, wording, lambda: self._site)
        self._said: dict[tuple[int, str], str] = {}
        self._names_said: dict[str, str] = {}
        self._hall = HallPages(lambda: [shown.id for shown in floor.tournaments()], self._wall)
        self._evening = EveningPages(config, floor, decide, wording)
        self._door = SignInPages(config, floor, decide)
        self._refusals = Refusals(lambda: self._site)
        self._plan = PlanPages(floor, decide, wording, self._refusals, lambda: self._site)
        self._history = HistoryPages(floor, decide, wording)
        self._calls = CallPages(config, pairing, floor, decide, wording, self._refusals)
        self._tables = TablePages(
            floor, decide, wording, self._history, self._tiles.tile, self._calls, self._refusals
        )
        self._channel = Broadcast(self._render, whole=WHOLE)
        self._site = Site(
            pairing,
            [
                Page("/", self._page, Role.DISPLAY),
                Page("/live", self._live, Role.DISPLAY),
                Page("/tables/{table}/hold", self._hold, Role.DIRECTOR, ("POST",)),
                Page("/tables/{table}/release", self._release, Role.DIRECTOR, ("POST",)),
                Page("/tables/{table}/accept", self._accept, Role.DIRECTOR, ("POST",)),
                Page("/alarms/{ident:int}/take", self._take_alarm, Role.DIRECTOR, ("POST",)),
                *self._plan.pages(),
                *self._calls.pages(lambda: self._site),
                *self._history.pages(lambda: self._site),
                *self._tables.pages(lambda: self._site),
                *self._hall.pages(lambda: self._site),
                *self._evening.pages(lambda: self._site),
                *self._door.pages(lambda: self._site),
                *SeasonPages(config.season, decide).pages(lambda: self._site),
                *RefereePage(config.game.rulebook).pages(lambda: self._site),
            ],
            name=config.club.name,
            bound_to=config.web.host,
            names=frozenset(config.web.names),
            templates=[HERE / "templates"],
            static=[HERE / "static"],
            catalogues=[wording.catalogue, floor_texts(), door_texts()],
        )
        self.app: ASGIApp = self._site.app

    @property
    def pages(self) -> Sequence[Page]:
        """Every route with the role that it needs."""
        return self._site.pages

    def changed(self, fragments: Sequence[str]) -> None:
        """These fragments read differently now; from any thread."""
        for name in fragments:
            if name.startswith("hall-"):
                self._hall.changed(name.removeprefix("hall-"))
                self._evening.changed(name.removeprefix("hall-"))
                self._door.changed(name.removeprefix("hall-"))
            else:
                self._tables.changed(name)
        mine = [name for name in fragments if not name.startswith("hall-")]
        if mine:
            self._channel.changed(*mine)

    def close(self) -> None:
        """End every screen's stream."""
        self._channel.close()
        self._hall.close()
        self._tables.close()
        self._evening.close()
        self._door.close()

    # -- what is shown -------------------------------------------------------------

    async def _page(self, request: Request, visitor: Visitor) -> Response:
        variant = _variant(visitor)
        parts = {name: self._render(name, variant) for name in WHOLE}
        return self._site.page(
            request, visitor, "floor.html", parts=parts, plays=self._calls.seat_of(visitor)
        )

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        return self._channel.response(_variant(visitor))

    def _render(self, fragment: str, variant: str) -> str | None:
        language, _, role = variant.partition(".")
        directs = role == Role.DIRECTOR.value
        match fragment.partition("-"):
            case ("bar", _, _):
                return self._bar(language)
            case ("alarms", _, _):
                return self._alarms(language, directs)
            case ("tables", _, _):
                tiles = [
                    (
                        tile.name,
                        self._tiles.tile(tile.name, language),
                        self._acts(tile.name, language, directs),
                    )
                    for tile in self._floor.tiles()
                ]
                return self._site.fragment("tables.html", language, tiles=tiles)
            case ("calls", _, _):
                return self._calls.fragment(language, directs)
            case ("plan", _, _):
                return self._plan.fragment(language, directs)
            case ("byhand", _, _):
                return self._byhand(language)
            case ("log", _, _):
                return self._log(language)
            case ("tile", _, name):
                return self._tiles.tile(name, language)
            case ("acts", _, name):
                return self._acts(name, language, directs)
            case _:
                return None

    def _bar(self, language: str) -> str:
        floor = self._floor
        tiles = floor.tiles()
        return self._site.fragment(
            "bar.html",
            language,
            # A room that no device belongs to needs no broker: that is no fault.
            broker="none" if floor.broker is Broker.DOWN and not tiles else floor.broker.value,
            store_fault=floor.store_fault,
            tables=len(tiles),
            calls=self._calls.count(),
        )

    def _byhand(self, language: str) -> str:
        """Tables that no program plays: who sits where, each seat two taps from being out."""
        shown = self._floor.tournaments()
        names = [
            table.id
            for each in shown
            for table in each.state.tables.values()
            if not table.device and (table.status != "closed" or not each.state.started)
        ]
        views = (table_view(name, None, shown, whole=False) for name in names)
        tables = [view for view in views if view is not None]
        return self._site.fragment(
            "byhand.html", language, tables=tables, sizes=lambda name: self._floor.size(name) or (0, 0)
        )

    def _wall(self, tournament: str) -> HallView | None:
        shown = self._floor.tournament(tournament)
        if shown is None:
            return None
        return hall_view(shown.state, shown.names, self._floor.clock() + shown.offset)

    def _alarms(self, language: str, directs: bool) -> str:
        rows = []
        for alarm in self._floor.alarms:
            tile = self._floor.tile(alarm.table)
            where = tile.title if tile else alarm.table or self._site.text(language, "page.hub")
            what = self._wording.word(f"alarm.{alarm.code}", language)
            text = self._site.text(
                language, "page.alarm", alarm.times, where=where, what=what, detail=alarm.detail
            )
            rows.append((alarm.ident, text))
        return self._site.fragment("alarms.html", language, rows=rows, directs=directs)

    def _log(self, language: str) -> str:
        lines = self._floor.lines[-LOG_SHOWN:]
        names = self._history.names()
        if names != self._names_said:
            self._names_said, self._said = names, {}
        elif len(self._said) > SAYINGS_KEPT:
            self._said = {key: words for key, words in self._said.items() if key[0] >= lines[0].number}
        rows = []
        for line in reversed(lines):
            words = self._said.get((line.number, language))
            if words is None:
                words = with_faces(self._wording.say(named(line.saying, names), language))
                self._said[line.number, language] = words
            hand = self._site.text(language, "log.hand", hand=line.hand) if line.hand is not None else ""
            rows.append((line.tone, line.title or self._site.text(language, "page.hub"), hand, words))
        return self._site.fragment("log.html", language, rows=rows)

    def _acts(self, name: str, language: str, directs: bool) -> str | None:
        """A director's buttons, apart from the tile: they must not move while it changes under the finger."""
        tile = self._floor.tile(name)
        return (
            None if tile is None else self._site.fragment("acts.html", language, tile=tile, directs=directs)
        )

    # -- what a director does ------------------------------------------------------------

    async def _hold(self, request: Request, visitor: Visitor) -> Response:
        table, by = request.path_params["table"], by_whom(visitor)
        return await self._done(request, visitor, lambda room, now: room.hold(table, HOLD_REASON, by))

    async def _release(self, request: Request, visitor: Visitor) -> Response:
        table, by = request.path_params["table"], by_whom(visitor)
        return await self._done(request, visitor, lambda room, now: room.release(table, HOLD_REASON, by))

    async def _accept(self, request: Request, visitor: Visitor) -> Response:
        table, by = request.path_params["table"], by_whom(visitor)
        return await self._done(request, visitor, lambda room, now: room.accept_chain(table, by, now))

    async def _take_alarm(self, request: Request, visitor: Visitor) -> Response:
        ident, by = request.path_params["ident"], by_whom(visitor)
        return await self._done(request, visitor, lambda room, now: room.take_alarm(ident, by))

    async def _done(
        self, request: Request, visitor: Visitor, decide: Callable[[Room, float], Any]
    ) -> Response:
        """A button without any words of its own: wait until it is on the disk, then show the floor again."""
        await read_form(request)
        try:
            await decided(self._decide, decide)
        except HubError as refused:
            return self._refusals.page(request, visitor, refused, "/")
        return self._refusals.back("/")


def _variant(visitor: Visitor) -> str:
    """Directors see buttons, everybody else does not; both languages: so few texts, however many screens."""
    language = visitor.language if visitor.language in LANGUAGES else LANGUAGES[0]
    return f"{language}.{Role.DIRECTOR.value}" if visitor.may(Role.DIRECTOR) else language
