"""The pages with which a director runs the evening beside the floor: clock, paper sheets and back, plots, colour-up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from tournament_hub.config import HubConfig
from tournament_hub.errors import HubError
from tournament_hub.room import HUB, Room
from tournament_hub.web.clock_page import ClockPages
from tournament_hub.web.colour_up_page import ColourUpPages
from tournament_hub.web.deciding import Decide
from tournament_hub.web.floor import Floor
from tournament_hub.web.paper_back import PaperBackPages
from tournament_hub.web.paper_page import PaperPages
from tournament_hub.web.plots_page import PlotsPages
from tournament_hub.wording import Wording
from webkit.pages import Page, Site

_LOG = logging.getLogger("maldonne.hub.paper")


class EveningPages:
    """All of them, and the sheets that are kept as files.

    Args:
        config: the club's settings.
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
        wording: French and English.
    """

    def __init__(self, config: HubConfig, floor: Floor, decide: Decide, wording: Wording) -> None:
        self._decide = decide
        self._clock = ClockPages(floor, decide, wording)
        folder = Path(config.club.data) / "paper"
        self._paper = PaperPages(floor, folder, config.club.language, self._fault)
        self._back = PaperBackPages(floor, decide)
        self._plots = PlotsPages(floor, decide)
        self._colour_up = ColourUpPages(floor, decide)

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        families = (self._clock, self._paper, self._back, self._plots, self._colour_up)
        return [page for family in families for page in family.pages(site)]

    def changed(self, tournament: str) -> None:
        """This tournament reads differently now; from any thread."""
        self._clock.changed(tournament)
        self._paper.changed(tournament)

    def close(self) -> None:
        """End every screen's stream, and the writing of sheets."""
        self._clock.close()
        self._paper.close()

    def _fault(self, fault: str) -> None:
        """The sheets cannot be written: a person must know; their old ones stay where they are."""
        if not fault:
            return
        _LOG.warning("paper sheets: %s", fault)

        def alarm(room: Room, now: float) -> None:
            room.alarm(HUB, "paper", fault[:300], room.utc)

        try:
            self._decide(alarm)
        except HubError:  # the hub is closing
            return
