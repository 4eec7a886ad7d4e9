"""The hall display: one page a tournament, legible at ten metres, live, spoken where a browser can speak."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tournament_hub.web.hall_view import HallView
from webkit.broadcast import Broadcast
from webkit.language import LANGUAGES, number
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Role

View = Callable[[str], "HallView | None"]


class HallPages:
    """The pages under ``/hall``.

    Args:
        tournaments: the ids of those that are shown, in order.
        view: what a tournament's display shows now, None when there is no such tournament; any thread.
    """

    def __init__(self, tournaments: Callable[[], Sequence[str]], view: View) -> None:
        self._tournaments = tournaments
        self._view = view
        self._channels: dict[str, Broadcast] = {}
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [
            Page("/hall", self._first, Role.DISPLAY),
            Page("/hall/{tournament}", self._show, Role.DISPLAY),
            Page("/hall/{tournament}/live", self._live, Role.DISPLAY),
        ]

    def changed(self, tournament: str) -> None:
        """This tournament reads differently now; from any thread."""
        channel = self._channels.get(tournament)
        if channel is not None:
            channel.changed("hall")

    def close(self) -> None:
        """End every display's stream."""
        for channel in self._channels.values():
            channel.close()

    async def _first(self, request: Request, visitor: Visitor) -> Response:
        names = self._tournaments()
        if not names:
            raise HTTPException(404)
        return self._page(request, visitor, names[0])

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        return self._page(request, visitor, request.path_params["tournament"])

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        tournament = request.path_params["tournament"]
        if self._view(tournament) is None:
            raise HTTPException(404)
        channel = self._channels.get(tournament)
        if channel is None:
            channel = self._channels[tournament] = Broadcast(
                lambda fragment, language: self._fragment(tournament, language), whole=("hall",)
            )
        return channel.response(visitor.language if visitor.language in LANGUAGES else LANGUAGES[0])

    def _page(self, request: Request, visitor: Visitor, tournament: str) -> Response:
        html = self._fragment(tournament, visitor.language)
        if html is None:
            raise HTTPException(404)
        return self._told().page(request, visitor, "hall.html", tournament=tournament, hall=html)

    def _fragment(self, tournament: str, language: str) -> str | None:
        view = self._view(tournament)
        if view is None:
            return None
        return self._told().fragment(
            "hall_board.html",
            language,
            view=view,
            chips=lambda amount: number(amount, language),
            announce=spoken(view, self._told(), language),
        )

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


def spoken(view: HallView, site: Site, language: str) -> str:
    """What the hall hears when ``announcement`` changes; empty when nothing is said."""
    kind = view.announcement.partition(".")[0]
    if kind == "break":
        return site.text(language, "hall.say.break", minutes=round(view.remaining / 60))
    if kind == "over":
        return site.text(language, "hall.say.over")
    if kind == "running" and view.level is not None:
        return site.text(
            language,
            "hall.say.level",
            small=number(view.level.small_blind, language),
            big=number(view.level.big_blind, language),
        )
    return ""
