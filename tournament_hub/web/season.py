"""The season's page: standings, teams, the evenings that count; as CSV too."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tournament_hub.config import SeasonSetting
from tournament_hub.errors import HubError
from tournament_hub.logic.season import Result, Rules, Season, standings, write_results, write_standings
from tournament_hub.room import Room
from tournament_hub.store_people import people
from tournament_hub.web.deciding import Decide, decided
from tournament_hub.web.season_results import (
    Evening,
    Unread,
    distinct_names,
    evening_of,
    foreign_results,
    lengths,
    results_of,
    rules_of,
)
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Role


class Reckoned(Struct, frozen=True):
    """A season as it stands. ``unread``: tournaments that cannot be counted. ``plain``: by the rules of nobody's file."""

    season: Season
    rules: Rules
    results: tuple[Result, ...]
    unread: tuple[str, ...]
    plain: bool


class SeasonPages:
    """The pages under ``/season``.

    Args:
        setting: the season's part of the club's file.
        decide: reads the record on the hub's thread.
        today: the day by the wall clock, ``2026-05-01``.
    """

    def __init__(
        self,
        setting: SeasonSetting,
        decide: Decide,
        today: Callable[[], str] = lambda: datetime.date.today().isoformat(),
    ) -> None:
        self._setting = setting
        self._decide = decide
        self._today = today
        self._evenings: dict[str, tuple[int, Evening | Unread | None]] = {}

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""

        async def show(request: Request, visitor: Visitor) -> Response:
            return await self._show(site(), request, visitor)

        return [
            Page("/season", show, Role.DISPLAY),
            Page("/season/standings.csv", self._standings, Role.DISPLAY),
            Page("/season/results.csv", self._results, Role.DISPLAY),
        ]

    async def _show(self, site: Site, request: Request, visitor: Visitor) -> Response:
        try:
            reckoned = await self.reckon()
        except HubError as error:  # the file of rules or of results: its author reads the line
            trouble = f"{error.where}: {error.what} ({error.hint})"
            return site.page(request, visitor, "season.html", reckoned=None, trouble=trouble)
        events = {(result.date, result.event): result.entries for result in reckoned.results}
        return site.page(
            request,
            visitor,
            "season.html",
            reckoned=reckoned,
            trouble=None,
            events=sorted(events.items(), reverse=True),
            points=lambda value: points(value, visitor.language),
        )

    async def _standings(self, request: Request, visitor: Visitor) -> Response:
        return await self._file("standings.csv", lambda reckoned: write_standings(reckoned.season))

    async def _results(self, request: Request, visitor: Visitor) -> Response:
        return await self._file("results.csv", lambda reckoned: write_results(reckoned.results))

    async def _file(self, name: str, write: Callable[[Reckoned], str]) -> Response:
        try:
            reckoned = await self.reckon()
        except HubError as error:  # the page says why
            raise HTTPException(409) from error
        return _file(write(reckoned), name)

    async def reckon(self) -> Reckoned:
        """The standings now. Tournaments are played again beside the hub's thread, and only when their log has grown.

        Raises:
            HubError: rules or results cannot be used.
        """

        def look(room: Room, now: float) -> tuple[dict[str, int], dict[str, str]]:
            return lengths(room.store), distinct_names(people(room.store))

        held, names = await decided(self._decide, look)
        for tournament, length in held.items():
            if self._evenings.get(tournament, (0, None))[0] != length:
                raw = await decided(self._decide, _reading(tournament))
                evening = await asyncio.to_thread(evening_of, tournament, raw)
                self._evenings[tournament] = (length, evening)
        found = [self._evenings[tournament][1] for tournament in held]
        own = results_of((e for e in found if isinstance(e, Evening)), names, self._setting)
        return await asyncio.to_thread(
            self._stand, own, tuple(e.tournament for e in found if isinstance(e, Unread))
        )

    def _stand(self, own: list[Result], unread: tuple[str, ...]) -> Reckoned:
        rules = rules_of(self._setting, self._today())
        results = (*foreign_results(self._setting), *own)
        return Reckoned(standings(rules, results), rules, results, unread, self._setting.rules is None)


def _reading(tournament: str) -> Callable[[Room, float], list[bytes]]:
    return lambda room, now: room.store.records(tournament)


def _file(text: str, name: str) -> Response:
    return Response(
        "\ufeff" + text,
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
    )


def points(value: float, language: str) -> str:
    """Points as people read them.

    >>> points(12.5, "fr"), points(12.0, "en")
    ('12,5', '12')
    """
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if language == "fr" else text
