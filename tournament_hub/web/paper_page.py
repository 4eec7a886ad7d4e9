"""The sheets of paper on a page to print, and drawn for the files in the data folder."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tournament_hub.paper_files import ALL, ROOM, PaperWriter
from tournament_hub.paper_view import Paper, paper
from tournament_hub.web.clock_page import wall_seconds
from tournament_hub.web.floor import Floor
from tournament_hub.web.plan import Shown
from webkit.language import number
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Role

STYLE: Final = (Path(__file__).parent / "static" / "paper.css").read_text(encoding="utf-8")


def today() -> str:
    """The day by this machine's clock, as both languages write it."""
    return datetime.date.today().strftime("%d/%m/%Y")


class PaperPages:
    """The pages under ``/paper``, and the files that say the same.

    Args:
        floor: what is shown.
        folder: where the files are kept; one folder a tournament.
        language: of the files.
        tell: told when the files cannot be written (empty: they can again); any thread.
        day: the time of day in seconds.
    """

    def __init__(
        self,
        floor: Floor,
        folder: Path,
        language: str,
        tell: Callable[[str], object],
        day: Callable[[], float] = wall_seconds,
    ) -> None:
        self._floor = floor
        self._folder = folder
        self._day = day
        self._site: Callable[[], Site] | None = None
        self._writer: PaperWriter[Shown] = PaperWriter(folder, partial(self.files, language=language), tell)

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [Page("/paper/{tournament}", self._show, Role.DIRECTOR)]

    def changed(self, tournament: str) -> None:
        """This tournament reads differently now: its files are written again; from any thread."""
        shown = self._floor.tournament(tournament)
        if shown is not None:
            self._writer.put(tournament, shown)

    def close(self) -> None:
        """Write what waits and end the writing."""
        self._writer.close()

    def files(self, shown: Shown, language: str) -> dict[str, str]:
        """Every file of a tournament: the room, each table, and all on one."""
        held = self._paper(shown)
        room, tables = self._sheets(held, language)
        files = {
            f"table-{table.id}.html": self._file(held, language, [sheet])
            for table, sheet in zip(held.tables, tables, strict=True)
        }
        files[ALL] = self._file(held, language, [room, *tables])
        files[ROOM] = self._file(held, language, [room])
        return files

    def _paper(self, shown: Shown) -> Paper:
        now = self._floor.clock() + shown.offset
        return paper(shown.state, shown.names, now, self._day(), today())

    def _sheets(self, held: Paper, language: str) -> tuple[str, list[str]]:
        site = self._told()
        values: dict[str, Any] = {"paper": held, "chips": lambda amount: number(amount, language)}
        tables = [site.fragment("paper_table.html", language, table=table, **values) for table in held.tables]
        return site.fragment("paper_room.html", language, **values), tables

    def _file(self, held: Paper, language: str, sheets: Sequence[str]) -> str:
        title = f"{held.title} · {self._told().text(language, 'paper.title')}"
        return self._told().fragment("paper_file.html", language, title=title, style=STYLE, sheets=sheets)

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        shown = self._floor.tournament(request.path_params["tournament"])
        if shown is None:
            raise HTTPException(404)
        held = self._paper(shown)
        room, tables = self._sheets(held, visitor.language)
        return self._told().page(
            request,
            visitor,
            "paper.html",
            paper=held,
            sheets=[room, *tables],
            fault=self._writer.fault,
            folder=str(self._folder / shown.id),
        )

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()
