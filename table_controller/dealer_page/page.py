"""The dealer's page as one thing of the table: opened with it, closed with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from table_controller.dealer_page.decks_page import DecksPage
from table_controller.dealer_page.deeds import perform
from table_controller.dealer_page.desk import Outcome, Wish
from table_controller.dealer_page.pages import DealerPages
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.settings_page import SettingsPage
from table_controller.decks import DeckRefused
from table_controller.running import Running
from table_controller.table import Table
from webkit.pairing import Pairing, Role
from webkit.server import WebServer, is_loopback


class DealerPage:
    """One table's page: its server, and its place in the table's thread.

    Attributes:
        desk: What the page keeps of the table; in the table's thread only.
    """

    def __init__(self, table: Table) -> None:
        """Describe the page of an open table; `start` serves it. In the table's thread."""
        config = table.config
        self._table = table
        self.desk = table.desk
        self._lock = threading.Lock()
        self._picture = self.desk.latest
        self._pairing = Pairing(Path(config.page.folder))
        self._pages = DealerPages(
            config,
            self._pairing,
            lambda: self.picture,
            self._wish,
            SettingsPage(table.measuring, table.rates_file),
            DecksPage(table.decks, self._with_deck),
        )
        self._web = WebServer(
            self._pages.app,
            host=config.page.host,
            port=config.page.port,
            before_close=self._pages.close,
        )

    def start(self) -> None:
        """Serve the page.

        Raises:
            WebkitError: It cannot be served there.
        """
        self._table.watch(self.look)
        self._web.start()

    def close(self) -> None:
        """End every screen and the server; may be called twice."""
        self._web.close()

    @property
    def url(self) -> str:
        """Where a browser on the machine finds it."""
        return self._web.url

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._web.port

    @property
    def only_here(self) -> bool:
        """Whether only a browser on the machine itself can reach it."""
        return is_loopback(self._table.config.page.host)

    def invitation(self) -> str | None:
        """A link that lets the first tablet in as the table's director; None when one is in, or none can be."""
        if self.only_here or self._pairing.has(Role.DIRECTOR):
            return None
        return f"{self.url}/pair/{self._pairing.invite(Role.DIRECTOR, lifetime=None).token}"

    @property
    def picture(self) -> Picture:
        """The table as it was after the last step that was written."""
        with self._lock:
            return self._picture

    def look(self) -> None:
        """Take a new picture and tell the screens, if they would show something else. In the table's thread."""
        picture = self.desk.latest
        with self._lock:
            same = picture.same(self._picture)
            self._picture = picture
        if not same:
            self._pages.changed()

    # -- inside ----------------------------------------------------------------------------------------------

    def _with_deck(self, deed: Callable[[], None]) -> Future[DeckRefused | None]:
        """From the server's thread: something done with a deck, or why not; answered once it is on the disk."""

        def work(running: Running) -> DeckRefused | None:
            try:
                deed()
            except DeckRefused as refused:
                return refused
            return None

        return self._table.do(work)

    def _wish(self, wish: Wish) -> Future[Outcome]:
        """From the server's thread: a tap, answered once what it did is on the disk."""

        def work(running: Running) -> Outcome:
            return perform(self.desk, wish)

        return self._table.do(work)
