"""Taking the evening back from paper: who went out in which order, seats, counts, button, level; checked as a whole.

The page sends one text with a line for each player (``e12 ; 3 ; 1-4 ; 34 500``), which a person may also type as it is.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlencode

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tournament_hub.directing import Directing
from tournament_hub.errors import HubError
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, undo
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, State
from tournament_hub.logic.typed_back import Mistake, Row, Sheet, Told, typed_back
from tournament_hub.paper_view import span
from tournament_hub.room import Room
from tournament_hub.web.deciding import by_whom, decided, tournament_of
from tournament_hub.web.plan import Shown
from tournament_hub.web.tournament_pages import TournamentPages
from webkit.language import number
from webkit.pages import Page, Visitor, read_form
from webkit.pairing import Role

CAUSE: Final = "paper-"
"""What the causes of all that was typed back begin with."""
BUTTON: Final = "="
"""A line that begins with it says a table's button: ``= 1 ; 5``."""
_GROUPED: Final = re.compile(r"[\s.,'\u00a0\u202f]")


class Typed(Struct, frozen=True):
    """One row of the form as it was typed."""

    entry: str
    name: str
    where: str
    held: int | None
    out: str = ""
    place: str = ""
    stack: str = ""
    wrong: bool = False


class PaperBackPages(TournamentPages):
    """The pages under ``/paper/{tournament}/back``.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
    """

    def routes(self) -> list[Page]:
        """Its pages."""
        return [
            Page("/paper/{tournament}/back", self._show, Role.DIRECTOR),
            Page("/paper/{tournament}/back", self._take, Role.DIRECTOR, ("POST",)),
            Page("/paper/{tournament}/back/undo", self._undo, Role.DIRECTOR, ("POST",)),
        ]

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        return self._page(request, visitor, {}, ())

    async def _take(self, request: Request, visitor: Visitor) -> Response:
        form, by = await read_form(request), by_whom(visitor)
        ident = self.shown(request).id
        sheet, mistakes = read_sheet(form)
        if mistakes:
            return self._page(request, visitor, form, mistakes, 422)

        def work(room: Room, now: float) -> tuple[Told, str]:
            tournament = tournament_of(room, ident)
            told = typed_back(tournament.state, tournament.preset, sheet, tournament.time(now))
            cause = f"{CAUSE}{len(tournament.log) + 1}"
            for event in told.events:
                tournament.say(event, by, now, room.utc, cause=cause)
            return told, cause

        try:
            told, cause = await decided(self._decide, work)
        except HubError as refused:
            raise HTTPException(409) from refused
        if told.mistakes:
            return self._page(request, visitor, form, told.mistakes, 422)
        query = urlencode({"cause": cause, "out": told.out, "moved": told.moved})
        return RedirectResponse(f"/paper/{ident}/back?{query}", status_code=303)

    async def _undo(self, request: Request, visitor: Visitor) -> Response:
        form, by = await read_form(request), by_whom(visitor)
        ident, cause = self.shown(request).id, form.get("cause", "")

        def work(room: Room, now: float) -> None:
            take_back(tournament_of(room, ident), cause, by, now, room.utc)

        try:
            await decided(self._decide, work)
        except Refused as refused:
            values = {"what": refused.what, "where": refused.where}
            return self._page(request, visitor, {}, (Mistake("refused", None, values),), 409)
        except HubError as refused:
            raise HTTPException(409) from refused
        return RedirectResponse(f"/paper/{ident}/back", status_code=303)

    # -- the page ---------------------------------------------------------------------

    def _page(
        self,
        request: Request,
        visitor: Visitor,
        form: dict[str, str],
        mistakes: tuple[Mistake, ...],
        status: int = 200,
    ) -> Response:
        shown = self.shown(request)
        state, language = shown.state, visitor.language
        query = request.query_params
        wrong = {mistake.entry for mistake in mistakes}
        typed = _typed(form.get("rows", ""))
        tables = [
            (name, rows, _button(form, name))
            for name, rows in _tables(shown, typed, wrong).items()
            if rows or name
        ]
        stages = state.settings.stages
        now = self._floor.clock() + shown.offset
        return self.site.page(
            request,
            visitor,
            "paper_back.html",
            status,
            tournament=shown.id,
            title=state.settings.title or shown.id,
            ready=state.started and not state.over,
            over=state.over,
            recorded=state.settings.starting_stack is not None,
            tables=tables,
            stages=list(enumerate(stages)),
            stage=form.get("stage") or str(state.clock.stage),
            left=form.get("left", _left(state, now)),
            mistakes=[self._mistake(mistake, shown, language) for mistake in mistakes],
            text=form.get("rows") or _text(tables),
            cause=query.get("cause", "") if query.get("cause", "").startswith(CAUSE) else "",
            out=_count(query.get("out")),
            moved=_count(query.get("moved")),
            chips=lambda amount: number(amount, language),
        )

    def _mistake(self, mistake: Mistake, shown: Shown, language: str) -> str:
        values: dict[str, Any] = {"who": shown.names.get(mistake.entry or "", mistake.entry or "")}
        for key, value in mistake.values.items():
            values[key] = (
                number(value, language)
                if isinstance(value, int) and value >= 1000
                else shown.names.get(str(value), value)
            )
        return self.site.text(language, f"back.mistake.{mistake.code}", **values)


def take_back(tournament: Directing, cause: str, by: str, now: float, utc: str) -> int:
    """Undo all that one typing brought, the last first, all of it or nothing; how many events that takes.

    Raises:
        Refused: something of it cannot be taken back any more, or nothing is left to be taken back.
    """
    undone = {record.undoes for record in tournament.log}
    mine = [r for r in tournament.log if r.cause == cause and r.n not in undone and r.undo]
    state, at = tournament.state, tournament.time(now)
    back: list[tuple[ev.Event, int]] = []
    for record in reversed(mine):
        for event in undo.compensation(state, record, tournament.preset):
            state = machine.apply(state, event, tournament.preset, at)
            back.append((event, record.n))
    if not back or not cause.startswith(CAUSE):
        raise Refused("undone", "it is undone already", where=cause or "paper", hint="nothing to do")
    for event, n in back:
        tournament.say(event, by, now, utc, cause=f"{cause}-undo", undoes=n)
    return len(back)


# -- what was typed ------------------------------------------------------------------------


def read_sheet(form: dict[str, str]) -> tuple[Sheet, tuple[Mistake, ...]]:
    """Read the form; every line that is not understood is a mistake of its own."""
    rows: list[Row] = []
    buttons: dict[str, int] = {}
    mistakes: list[Mistake] = []
    for count, line in enumerate(form.get("rows", "").splitlines(), 1):
        bare = line.strip()
        if not bare:
            continue
        parts = [part.strip() for part in bare.removeprefix(BUTTON).split(";")]
        values: dict[str, object] = {"line": count, "text": bare[:60]}
        if bare.startswith(BUTTON):
            if len(parts) == 2 and parts[1].isascii() and parts[1].isdigit():
                buttons[parts[0]] = int(parts[1])
            elif len(parts) != 2 or parts[1]:
                mistakes.append(Mistake("line", None, values))
            continue
        row = _row(parts)
        if row is None:
            mistakes.append(Mistake("line", parts[0], values))
        else:
            rows.append(row)
    stage = form.get("stage", "")
    seconds = _seconds(form.get("left", ""))
    if form.get("left", "").strip() and seconds is None:
        mistakes.append(Mistake("time_left"))
    sheet = Sheet(tuple(rows), int(stage) if stage.isascii() and stage.isdigit() else None, seconds, buttons)
    return sheet, tuple(mistakes)


def _row(parts: list[str]) -> Row | None:
    """``entry ; out ; table-seat ; chips``; None when it is not understood."""
    if not 1 <= len(parts) <= 4 or not parts[0]:
        return None
    entry, out, place, stack = (*parts, "", "", "")[:4]
    table, dash, seat = place.rpartition("-")
    stack = _GROUPED.sub("", stack)
    if any(text and not (text.isascii() and text.isdigit() and len(text) < 16) for text in (out, stack)):
        return None
    if out and int(out) < 1:
        return None
    if place and (not dash or not table or not (seat.isascii() and seat.isdigit() and len(seat) < 4)):
        return None
    return Row(
        entry,
        int(out) if out else None,
        Place(table, int(seat)) if place else None,
        int(stack) if stack else None,
    )


def _seconds(text: str) -> float | None:
    """``12:30`` or ``12``: minutes, and seconds after a colon."""
    found = re.fullmatch(r"(\d{1,4})(?:[:.,hm](\d{1,2}))?", text.strip())
    return None if found is None else 60.0 * int(found[1]) + int(found[2] or 0)


def _typed(text: str) -> dict[str, list[str]]:
    """What was typed of each entry, to be shown again."""
    found = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(";")]
        if not line.strip().startswith(BUTTON) and parts[0]:
            found[parts[0]] = ([*parts[1:], "", "", ""])[:3]
    return found


def _button(form: dict[str, str], table: str) -> str:
    for line in form.get("rows", "").splitlines():
        name, _, seat = line.strip().removeprefix(BUTTON).partition(";")
        if line.strip().startswith(BUTTON) and name.strip() == table:
            return seat.strip()
    return ""


def _tables(shown: Shown, typed: dict[str, list[str]], wrong: set[str | None]) -> dict[str, list[Typed]]:
    """Who was still in, by the table where the hub last knew him; ``""``: those without a seat."""
    state = shown.state
    found: dict[str, list[Typed]] = {
        name: [] for name in state.order if state.tables[name].status != "closed"
    }
    still = [entry for entry in state.entries.values() if entry.where != "out"]
    for entry in sorted(still, key=lambda e: (e.place is None, e.place or Place("", 0), e.id)):
        place = entry.place if entry.where != "waiting" else None
        sits = f"{place.table}-{place.seat}" if place is not None else ""
        out, at, stack = typed.get(entry.id, ["", sits, ""])
        row = Typed(
            entry.id,
            shown.names.get(entry.id, entry.id),
            sits,
            entry.stack,
            out,
            at,
            stack,
            entry.id in wrong,
        )
        found.setdefault(place.table if place is not None else "", []).append(row)
    return found


def _text(tables: list[tuple[str, list[Typed], str]]) -> str:
    """The form as one text, for who would rather type."""
    lines = []
    for _, rows, _ in tables:
        lines += [f"{row.entry} ; {row.out} ; {row.place} ; {row.stack}" for row in rows]
    return "\n".join(lines)


def _left(state: State, now: float) -> str:
    return span(clocks.left(state.clock, now)) if state.settings.stages and state.clock.started else ""


def _count(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 0
