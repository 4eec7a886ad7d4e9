"""What every family of pages under a tournament's name has in common: the floor, the hub's thread, the site."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tournament_hub.web.deciding import Decide
from tournament_hub.web.floor import Floor
from tournament_hub.web.plan import Shown
from webkit.pages import Page, Site


class TournamentPages(ABC):
    """Pages whose address names a tournament.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
    """

    def __init__(self, floor: Floor, decide: Decide) -> None:
        self._floor = floor
        self._decide = decide
        self._asked: Callable[[], Site] | None = None

    @abstractmethod
    def routes(self) -> Sequence[Page]:
        """The pages of this family."""

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._asked = site
        return list(self.routes())

    @property
    def site(self) -> Site:
        """The site that serves them.

        Raises:
            TypeError: ``pages`` was not called.
        """
        if self._asked is None:
            raise TypeError("pages() was not called")
        return self._asked()

    def shown(self, request: Request) -> Shown:
        """The tournament that the address names; nobody knows it: 404."""
        shown = self._floor.tournament(request.path_params["tournament"])
        if shown is None:
            raise HTTPException(404)
        return shown
