"""The five questions on a page, before there is a hub: served on this machine only, answered once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from table_controller.rulebook_files import hand_books
from tournament_hub.first_settings import Answers, Field, all_answered, defaults
from tournament_hub.wording import Wording
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Pairing, Role
from webkit.server import WebServer

HERE: Final = Path(__file__).parent
YEAR: Final = 31_536_000


class SetupServer:
    """A page server that asks and then is done.

    Whoever answers sits at the machine itself: his browser is let in as the director's.

    Args:
        folder: the hub's data folder; pairing secrets are kept there already.
        port: of the page; 0 takes a free one.
        keep: told the answers once, on the server's thread, before the page says that it is ready.
    """

    def __init__(self, folder: Path, port: int, keep: Callable[[Answers], object]) -> None:
        self._pairing = Pairing(folder / "web")
        self._keep = keep
        self._site = Site(
            self._pairing,
            [
                Page("/", self._first, Role.DIRECTOR),
                Page("/setup", self._show, Role.DIRECTOR),
                Page("/setup", self._take, Role.DIRECTOR, ("POST",)),
            ],
            name="maldonne",
            templates=[HERE / "templates"],
            static=[HERE / "static"],
            catalogues=[Wording().catalogue],
            at_the_machine=Role.DIRECTOR,
        )
        self._server = WebServer(self._site.app, host="127.0.0.1", port=port)
        self._lock = threading.Lock()
        self.answered = threading.Event()
        """Set when the answers were kept."""
        self.waits = threading.Event()
        """Set when the browser has all that it needs and looks for the hub by itself."""

    def start(self) -> None:
        """Serve the page.

        Raises:
            WebkitError: the address is taken or refused.
        """
        self._server.start()

    def close(self) -> None:
        """End the server; may be called twice."""
        self._server.close()

    @property
    def url(self) -> str:
        """Where the questions are."""
        return f"{self._server.url}/setup"

    async def _first(self, request: Request, visitor: Visitor) -> Response:
        return RedirectResponse("/setup", status_code=303)

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        if self.answered.is_set():
            self.waits.set()
        return self._page(request, visitor, {}, {})

    async def _take(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        answers, wrong = all_answered(form, _defaults(visitor))
        if wrong:
            return self._page(request, visitor, form, wrong, 422)
        with self._lock:
            if not self.answered.is_set():
                self._keep(answers)
                self.answered.set()
        response = self._site.page(request, visitor, "setup_done.html", answers=answers)
        invitation = self._pairing.invite(Role.DIRECTOR)
        device = self._pairing.redeem_token(
            invitation.token, self._site.text(visitor.language, "setup.device")
        )
        response.set_cookie(
            self._pairing.cookie,
            self._pairing.cookie_value(device),
            max_age=YEAR,
            httponly=True,
            samesite="lax",
        )
        return response

    def _page(
        self,
        request: Request,
        visitor: Visitor,
        typed: dict[str, str],
        wrong: Mapping[Field, str],
        status: int = 200,
    ) -> Response:
        start = _defaults(visitor)
        stack, _, minutes = typed.get("pace", start.shown("pace")).partition("/")
        return self._site.page(
            request,
            visitor,
            "setup.html",
            status,
            name_typed=typed.get("name", start.name),
            tables=typed.get("tables", str(start.tables)),
            seats=typed.get("seats", str(start.seats)),
            pace=f"{stack.strip()} / {minutes.strip()}" if minutes else stack.strip(),
            rulebook=typed.get("rulebook", start.rulebook),
            books=[(book.id, book.name) for book in hand_books()],
            wrong=wrong,
        )


def _defaults(visitor: Visitor) -> Answers:
    return defaults("en" if visitor.language == "en" else "fr")
