"""The page "Paquets": the club's decks at this table, put away, taken, counted; a card that gets a new tag."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from engine.vocabulary import DECK
from engine.wording import say_card, say_place
from table_controller.decks import DeckCare, DeckRefused, Work
from table_controller.journal import JournalError
from webkit.language import Catalogue
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Role

HERE: Final = Path(__file__).parent
ANSWER_DEADLINE: Final = 10.0
Carry = Callable[[Callable[[], None]], "Future[DeckRefused | None]"]
"""Does a deed in the table's thread; gives why not once all that it did is written, None: it is done."""


class DecksPage:
    """The routes of the page; they are served by the dealer's own site."""

    def __init__(self, care: DeckCare, carry: Carry) -> None:
        """Show what ``care`` knows; ``carry`` does a deed."""
        self._care = care
        self._carry = carry
        self._site: Site | None = None
        self._language: Callable[[Request, Visitor], str] = lambda request, visitor: visitor.language
        self.catalogue = Catalogue(HERE / "decks_page_locales")

    def pages(self) -> list[Page]:
        """What the site serves."""
        return [
            Page("/decks", self._whole, Role.DEALER),
            Page("/decks/rows", self._rows, Role.DEALER),
            Page("/decks/do", self._do, Role.DEALER, ("POST",)),
        ]

    def attach(self, site: Site, language: Callable[[Request, Visitor], str]) -> None:
        """The site that fills in the templates, and how a screen's language is found."""
        self._site, self._language = site, language

    async def _whole(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        visitor = Visitor(visitor.device, visitor.role, lang)
        return self._served.page(request, visitor, "decks_page.html", rows=self._fragment(lang, ""))

    async def _rows(self, request: Request, visitor: Visitor) -> Response:
        return _answer(self._fragment(self._language(request, visitor), ""))

    async def _do(self, request: Request, visitor: Visitor) -> Response:
        lang = self._language(request, visitor)
        form = await read_form(request)
        by = visitor.device.name if visitor.device is not None else "screen"
        deed = self._deed(form, f"page:{by}")
        if deed is None:
            raise HTTPException(404)
        said = ""
        try:
            refused = await asyncio.wait_for(asyncio.wrap_future(self._carry(deed)), ANSWER_DEADLINE)
            if refused is not None:
                said = self._served.text(lang, f"decks.refused.{refused.code}", None, what=refused.what)
        except JournalError:
            said = self._served.text(lang, "decks.refused.disk", None)
        except TimeoutError as late:
            raise HTTPException(503) from late
        return _answer(self._fragment(lang, said))

    def _deed(self, form: dict[str, str], source: str) -> Callable[[], None] | None:
        care, deck = self._care, form.get("deck", "")
        deeds: dict[str, Callable[[], None]] = {
            "put_away": lambda: care.put_away(deck, source),
            "take_up": lambda: care.take_up(deck, source),
            "count": lambda: care.count(deck),
            "missing": care.ask_missing,
            "conclude": lambda: care.conclude(source, others_are_in=form.get("others") == "yes"),
            "replace": lambda: care.replace(deck, form.get("card", "")),
            "right": lambda: care.confirm(right=True),
            "wrong": lambda: care.confirm(right=False),
            "stop": care.stop,
        }
        return deeds.get(form.get("deed", ""))

    @property
    def _served(self) -> Site:
        if self._site is None:
            raise RuntimeError("the page is not part of a site")
        return self._site

    def _fragment(self, lang: str, said: str) -> str:
        view = self._care.view
        told = ""
        if view.said is not None:
            slug, values = view.said
            count = values.get("count")
            shown = {
                name: self._shown(name, value, lang) for name, value in values.items() if name != "count"
            }
            told = self._served.text(
                lang, f"decks.said.{slug}", count if isinstance(count, int) else None, **shown
            )
        return self._served.fragment(
            "decks_page_rows.html",
            lang,
            view=view,
            told=told,
            said=said,
            missing=self._missing(view.work, lang),
            others=", ".join(
                f"{say_card(card, lang)} ({deck})" for card, deck in (view.work.others if view.work else ())
            ),
            card=say_card(view.work.card, lang) if view.work and view.work.card else "",
            places=", ".join(say_place(place, lang) for place in view.places),
            suits=[[(card, say_card(card, lang)) for card in DECK if card[1] == suit] for suit in "shdc"],
        )

    def _missing(self, work: Work | None, lang: str) -> list[tuple[str, str]] | None:
        if work is None or work.missing is None:
            return None
        return [(card, say_card(card, lang)) for card in work.missing]

    def _shown(self, name: str, value: str | int, lang: str) -> str | int:
        return say_card(str(value), lang) if name == "card" else value


def _answer(html: str) -> HTMLResponse:
    return HTMLResponse(html, headers={"cache-control": "no-store"})
