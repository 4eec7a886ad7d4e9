"""The plots of a tournament, for its director: players left, stacks, hands an hour, incidents; also by dealer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tournament_hub.errors import HubError
from tournament_hub.logic import events as ev
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.state import Settings
from tournament_hub.room import Room
from tournament_hub.store_incidents import CHUNK, Told
from tournament_hub.web import plots as draw
from tournament_hub.web.deciding import by_whom, decided, tournament_of
from tournament_hub.web.plots_data import Count, Curve, Plots, plots
from tournament_hub.web.tournament_pages import TournamentPages
from webkit.language import number
from webkit.pages import Page, Visitor, read_form
from webkit.pairing import Role

MOST_READS = 200_000 // CHUNK
"""Readings of the record for one showing; what is left is read at the next."""
LONGEST_NAME = 40


class _Taken(Struct):
    """What one look on the hub's thread gives."""

    settings: Settings
    log: tuple[ev.Record, ...]
    preset: Preset
    at: float
    incidents: tuple[Told, ...]


class PlotsPages(TournamentPages):
    """The pages under ``/plots``.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
    """

    def routes(self) -> list[Page]:
        """Its pages."""
        return [
            Page("/plots/{tournament}", self._show, Role.DIRECTOR),
            Page("/plots/{tournament}/dealer", self._dealer, Role.DIRECTOR, ("POST",)),
        ]

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        shown = self.shown(request)
        try:
            taken = await self._take(shown.id, tuple(t.id for t in shown.state.tables.values() if t.device))
        except HubError as refused:
            raise HTTPException(409) from refused
        data = await run_in_threadpool(
            plots, taken.settings, taken.log, taken.preset, shown.names, taken.incidents, taken.at
        )
        site = self.site
        return site.page(
            request,
            visitor,
            "plots.html",
            tournament=shown.id,
            title=shown.state.settings.title or shown.id,
            begun=bool(data.players.points),
            drawn=self._drawn(data, visitor.language),
            dealers=[_row(count, visitor.language) for count in data.dealers],
            tables=[t.id for t in shown.state.tables.values() if t.status != "closed"],
            dealing=_dealing(taken.log),
        )

    async def _take(self, ident: str, tables: tuple[str, ...]) -> _Taken:
        """The log and the incidents; a long record is read in pieces, so that nobody waits for it."""
        for _ in range(MOST_READS):
            if not await decided(self._decide, lambda room, now: room.incidents.read(tables)):
                break

        def work(room: Room, now: float) -> _Taken:
            tournament = tournament_of(room, ident)
            log = tuple(tournament.log)
            first = next((r.event.settings for r in log if isinstance(r.event, ev.Opened)), None)
            return _Taken(
                first if first is not None else tournament.state.settings,
                log,
                tournament.preset,
                tournament.time(now),
                room.incidents.of(tables),
            )

        found: _Taken = await decided(self._decide, work)
        return found

    def _drawn(self, data: Plots, language: str) -> list[tuple[str, Any]]:
        """Heading and picture of each plot; None: nothing is known for it."""
        site = self.site

        def t(name: str, **values: object) -> str:
            return site.text(language, name, None, **values)

        def chips(value: float) -> str:
            return number(round(value), language)

        hours, average = t("plots.hours"), data.average
        if average is not None:
            average = Curve(t("plots.average"), average.points)
        players = draw.curves(
            [data.players],
            title=t("plots.players"),
            across=hours,
            up=t("plots.players_unit"),
            number=chips,
            hours=data.hours,
            steps=True,
        )
        stacks = draw.curves(
            data.stacks,
            title=t("plots.stacks"),
            across=hours,
            up=t("plots.chips_unit"),
            number=chips,
            hours=data.hours,
            average=average,
        )
        hourly = draw.bars(
            [(c.name, c.hourly, f"{c.hourly:.0f}" if c.hourly is not None else "") for c in data.tables],
            title=t("plots.hourly"),
            across=t("plots.hourly_unit"),
            nothing=t("plots.too_short"),
        )
        incidents = draw.bars(
            [(c.name, float(c.incidents), _of_hands(c, t, language)) for c in data.tables],
            title=t("plots.incidents"),
            across=t("plots.incidents_unit"),
        )
        return [
            (t("plots.players"), players),
            (t("plots.stacks"), stacks if data.stacks or data.average else None),
            (t("plots.hourly"), hourly if data.tables else None),
            (t("plots.incidents"), incidents if data.tables else None),
        ]

    async def _dealer(self, request: Request, visitor: Visitor) -> Response:
        form, by = await read_form(request), by_whom(visitor)
        ident = request.path_params["tournament"]
        who = " ".join(form.get("dealer", "").split())[:LONGEST_NAME]
        event = ev.DealerTold(table=form.get("table", ""), dealer=who)
        try:
            await decided(
                self._decide, lambda room, now: tournament_of(room, ident).say(event, by, now, room.utc)
            )
        except HubError as refused:
            raise HTTPException(409) from refused
        return RedirectResponse(f"/plots/{ident}#dealers", status_code=303)


def _decimal(value: float, language: str) -> str:
    """One place after the point, or the comma.

    >>> _decimal(2.55, "fr"), _decimal(2.0, "en")
    ('2,5', '2.0')
    """
    text = f"{value:.1f}"
    return text.replace(".", ",") if language == "fr" else text


def _of_hands(count: Count, t: Callable[..., str], language: str) -> str:
    """``3 (2,5 / 100)``: how many, and in a hundred hands."""
    if count.per_hundred is None:
        return str(count.incidents)
    return t("plots.of_hands", number=count.incidents, rate=_decimal(count.per_hundred, language))


def _dealing(log: Sequence[ev.Record]) -> dict[str, str]:
    """Who deals where now."""
    found: dict[str, str] = {}
    for record in log:
        if isinstance(record.event, ev.DealerTold):
            found[record.event.table] = record.event.dealer
    return found


def _row(count: Count, language: str) -> tuple[str, str, str, str, str]:
    """A dealer's row: name, hands, hands an hour, incidents, in a hundred hands."""
    hourly = "—" if count.hourly is None else f"{count.hourly:.0f}"
    rate = "—" if count.per_hundred is None else _decimal(count.per_hundred, language)
    return count.name, number(count.hands, language), hourly, str(count.incidents), rate
