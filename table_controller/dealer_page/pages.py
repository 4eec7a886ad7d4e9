"""The routes and fragments of the dealer's page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp

from table_controller.config import TableConfig
from table_controller.dealer_page import sheets
from table_controller.dealer_page.decks_page import DecksPage
from table_controller.dealer_page.desk import Outcome, Wish
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import Sheet, View
from table_controller.dealer_page.settings_page import SettingsPage
from table_controller.dealer_page.view import build
from table_controller.journal import JournalError
from webkit.broadcast import Broadcast
from webkit.guard import LANGUAGE_COOKIE
from webkit.language import LANGUAGES, Catalogue
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Pairing, Role

HERE: Final = Path(__file__).parent
ANSWER_DEADLINE: Final = 10.0
"""Seconds that a tap may take to be on the disk."""
PARTS: Final = ("head", "now", "taps", "table", "menu")
SUIT_SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


class DealerPages:
    """The page as an ASGI application.

    Args:
        config: What the club has set.
        pairing: Who may act.
        picture: Gives the table as it is.
        wish: Does what a tap asks for, in the table's thread.
        settings: The page "Réglage", served beside this one.
        decks: The page "Paquets", likewise.
    """

    def __init__(
        self,
        config: TableConfig,
        pairing: Pairing,
        picture: Callable[[], Picture],
        wish: Callable[[Wish], Future[Outcome]],
        settings: SettingsPage,
        decks: DecksPage,
    ) -> None:
        self._config = config
        self._picture = picture
        self._wish = wish
        self._channel = Broadcast(self._part, whole=PARTS)
        self._views: dict[str, tuple[Picture, View]] = {}
        page = config.page
        self._site = Site(
            pairing,
            [
                Page("/", self._whole, Role.DEALER),
                Page("/live", self._live, Role.DEALER),
                Page("/sheet/{name}", self._sheet, Role.DEALER),
                Page("/do/{deed}", self._do, Role.DEALER, ("POST",)),
                *settings.pages(),
                *decks.pages(),
            ],
            name=config.mqtt.table,
            bound_to=page.host,
            names=frozenset(page.names),
            templates=[HERE / "templates"],
            static=[HERE / "static"],
            catalogues=[Catalogue(HERE / "locales"), settings.catalogue, decks.catalogue],
            at_the_machine=Role.DEALER,
        )
        settings.attach(self._site, self._language)
        decks.attach(self._site, self._language)
        self.app: ASGIApp = self._site.app

    def changed(self) -> None:
        """The table looks different now; from any thread."""
        self._channel.changed(*PARTS)

    def close(self) -> None:
        """End every screen's stream."""
        self._channel.close()

    # -- what is shown ---------------------------------------------------------------------------------------

    async def _whole(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        visitor = Visitor(visitor.device, visitor.role, lang)
        parts = {name: self._part(name, lang) for name in PARTS}
        return self._site.page(request, visitor, "dealer.html", parts=parts, rotate=self._config.page.rotate)

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        return self._channel.response(self._language(request, visitor))

    def _language(self, request: Request, visitor: Visitor) -> str:
        """What the screen has chosen, else what the club has set: the browser of a kiosk has no say."""
        for wish in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
            if wish in LANGUAGES:
                return str(wish)
        return self._config.page.language

    def _view(self, lang: str) -> View:
        picture = self._picture()
        held = self._views.get(lang)
        if held is None or held[0] is not picture:
            held = picture, build(picture, lang, self._text(lang))
            self._views[lang] = held
        return held[1]

    def _text(self, lang: str) -> Callable[..., str]:
        def text(name: str, count: int | None = None, **values: object) -> str:
            return self._site.text(lang, name, count, **values)

        return text

    def _part(self, name: str, lang: str) -> str | None:
        if name not in PARTS:
            return None
        view = self._view(lang)
        return self._site.fragment(f"{name}.html", lang, view=view, face=_face, table=self._config.mqtt.table)

    # -- sheets and taps -------------------------------------------------------------------------------------

    async def _sheet(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        query = dict(request.query_params)
        sheet = sheets.make(request.path_params["name"], self._picture(), lang, self._text(lang), query)
        if sheet is None:
            raise HTTPException(404)
        return _fragment(self._put(sheet, lang))

    def _put(self, sheet: Sheet, lang: str) -> str:
        return self._site.fragment("sheet.html", lang, sheet=sheet)

    async def _do(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        form = await read_form(request)
        by = visitor.device.name if visitor.device is not None else "screen"
        wish = Wish(request.path_params["deed"], form, form.pop("turn", ""), by)
        try:
            outcome = await asyncio.wait_for(asyncio.wrap_future(self._wish(wish)), ANSWER_DEADLINE)
        except TimeoutError as late:
            raise HTTPException(503) from late
        except JournalError:
            outcome = Outcome(False, "disk")
        return _fragment(self._after(outcome, lang))

    def _after(self, outcome: Outcome, lang: str) -> str:
        """The answer to a tap: no sheet any more, or why it was not done; and the screen as it is now."""
        text = self._text(lang)
        said = ""
        if not outcome.done and outcome.reason != "changed":
            said = text(f"refused.{outcome.reason}", **outcome.values)
        parts = {name: self._part(name, lang) for name in PARTS}
        return self._site.fragment("after.html", lang, said=said, parts=parts, done=outcome.done)


def _fragment(html: str) -> HTMLResponse:
    return HTMLResponse(html, headers={"cache-control": "no-store"})


def _face(card: str) -> dict[str, Any]:
    """A card as it is drawn: rank, suit sign, suit."""
    if card == "?":
        return {"rank": "?", "sign": "", "suit": "unread"}
    if not card:
        return {"rank": "", "sign": "", "suit": "none"}
    return {"rank": card[0].replace("T", "10"), "sign": SUIT_SIGNS[card[1]], "suit": card[1]}
