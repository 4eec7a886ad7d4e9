"""The sheets of paper on a page to print, and drawn for the files in the data folder."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
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


class _Drawn(Struct):
    """A table's sheet as it was last drawn, alone and as a whole file; ``of``: what it was drawn from."""

    of: tuple[object, ...]
    sheet: str
    file: str


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
        self._drawn: dict[str, dict[str, _Drawn]] = {}
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
        """Every file of a tournament: the room, each table, and all on one.

        A table's sheet says when it was written and when the level ends: while nothing else changes it stays right, and
        is not drawn again. On the writer's thread.
        """
        held = self._paper(shown)
        clock = (held.stands, held.level, held.ends, held.ends or held.left, held.coming, held.title)
        files: dict[str, str] = {}
        sheets: list[str] = []
        drawn: dict[str, _Drawn] = {}
        for table in held.tables:
            before = self._drawn.get(shown.id, {}).get(table.id)
            if before is None or before.of != (table, clock):
                sheet = self._sheet(held, language, "paper_table.html", table=table)
                before = _Drawn((table, clock), sheet, self._file(held, language, [sheet]))
            drawn[table.id] = before
            sheets.append(before.sheet)
            files[f"table-{table.id}.html"] = before.file
        self._drawn[shown.id] = drawn
        room = self._sheet(held, language, "paper_room.html")
        files[ALL] = self._file(held, language, [room, *sheets])
        files[ROOM] = self._file(held, language, [room])
        return files

    def _paper(self, shown: Shown) -> Paper:
        now = self._floor.clock() + shown.offset
        return paper(shown.state, shown.names, now, self._day(), today())

    def _sheet(self, held: Paper, language: str, template: str, **values: Any) -> str:
        return self._told().fragment(
            template, language, paper=held, chips=lambda amount: number(amount, language), **values
        )

    def _file(self, held: Paper, language: str, sheets: Sequence[str]) -> str:
        title = f"{held.title} · {self._told().text(language, 'paper.title')}"
        return self._told().fragment("paper_file.html", language, title=title, style=STYLE, sheets=sheets)

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        shown = self._floor.tournament(request.path_params["tournament"])
        if shown is None:
            raise HTTPException(404)
        held = self._paper(shown)
        language = visitor.language
        tables = [self._sheet(held, language, "paper_table.html", table=table) for table in held.tables]
        return self._told().page(
            request,
            visitor,
            "paper.html",
            paper=held,
            sheets=[self._sheet(held, language, "paper_room.html"), *tables],
            fault=self._writer.fault,
            folder=str(self._folder / shown.id),
        )

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()
