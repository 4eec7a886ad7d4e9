"""The page "Réglage": what each antenna reads now, and the guided walk that measures it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from table_controller.doctor.rates import STEPS, Measuring, RatesError
from webkit.language import Catalogue
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Role

HERE: Final = Path(__file__).parent


class SettingsPage:
    """The routes of the page; they are served by the dealer's own site."""

    def __init__(self, measuring: Measuring, path: Path) -> None:
        """Show what ``measuring`` knows; ``path`` is where the walk's results are kept."""
        self._measuring = measuring
        self._path = path
        self._site: Site | None = None
        self._language: Callable[[Request, Visitor], str] = lambda request, visitor: visitor.language
        self.catalogue = Catalogue(HERE / "settings_page_locales")

    def pages(self) -> list[Page]:
        """What the site serves."""
        return [
            Page("/settings", self._whole, Role.DEALER),
            Page("/settings/rows", self._rows, Role.DEALER),
            Page("/settings/measure", self._measure, Role.DEALER, ("POST",)),
        ]

    def attach(self, site: Site, language: Callable[[Request, Visitor], str]) -> None:
        """The site that fills in the templates, and how a screen's language is found."""
        self._site, self._language = site, language

    async def _whole(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        visitor = Visitor(visitor.device, visitor.role, lang)
        return self._served.page(
            request, visitor, "settings_page.html", rows=self._fragment(lang, ""), file=self._path.name
        )

    async def _rows(self, request: Request, visitor: Visitor) -> Response:
        return _answer(self._fragment(self._language(request, visitor), ""))

    async def _measure(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        form = await read_form(request)
        said = ""
        try:
            self._measuring.measure(form.get("antenna", ""), form.get("step", ""))
        except RatesError as error:
            said = self._served.text(lang, "settings.refused", None, what=error.what, hint=error.hint)
        return _answer(self._fragment(lang, said))

    @property
    def _served(self) -> Site:
        if self._site is None:
            raise RuntimeError("the page is not part of a site")
        return self._site

    def _fragment(self, lang: str, said: str) -> str:
        trouble = self._measuring.trouble
        if not said and trouble is not None:
            said = self._served.text(lang, "settings.refused", None, what=trouble.what, hint=trouble.hint)
        return self._served.fragment(
            "settings_page_rows.html", lang, rows=self._measuring.rows(), steps=tuple(STEPS), said=said
        )


def _answer(html: str) -> HTMLResponse:
    return HTMLResponse(html, headers={"cache-control": "no-store"})
