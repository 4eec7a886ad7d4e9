"""Calls of the floor on the director's phone: who comes, what is ruled, and who may rule at his own table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from engine.wording import say_incident, say_ruling_name
from tournament_hub.config import HubConfig
from tournament_hub.errors import HubError
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import faults_of
from tournament_hub.paper_view import preset_for
from tournament_hub.preset_wording import say_offence, say_step
from tournament_hub.web import calls_acts as acts
from tournament_hub.web.calls_players import Players, Plays, everybody
from tournament_hub.web.calls_view import (
    CHOICES,
    KINDS,
    NEEDS_SEAT,
    CallView,
    Option,
    calls_of,
    options_of,
    proposed,
)
from tournament_hub.web.deciding import Decide, by_whom, decided
from tournament_hub.web.floor import Floor
from tournament_hub.web.refusals import Again, Refusals
from tournament_hub.wording import Wording, with_faces
from webkit.language import chips_shown, number
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Pairing, Role

NOTE_LENGTH = 300


class CallPages:
    """The fragment ``calls``, the pages under ``/calls`` and ``/me``.

    Args:
        config: the club's settings.
        pairing: who else could rule.
        floor: what is shown.
        decide: does something on the hub's thread.
        wording: French and English.
        refusals: says why something was not done.
    """

    def __init__(
        self,
        config: HubConfig,
        pairing: Pairing,
        floor: Floor,
        decide: Decide,
        wording: Wording,
        refusals: Refusals,
    ) -> None:
        self._pairing = pairing
        self._floor = floor
        self._decide = decide
        self._wording = wording
        self._refusals = refusals
        self._language = config.club.language
        self._players = Players(Path(config.club.data) / "web" / "players.json")
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [
            Page("/calls/new", self._new, Role.DIRECTOR, ("POST",)),
            Page("/calls/{tournament}/{call}", self._show, Role.DIRECTOR),
            Page("/calls/{tournament}/{call}/come", self._come, Role.DIRECTOR, ("POST",)),
            Page("/calls/{tournament}/{call}/rule", self._rule, Role.DIRECTOR, ("POST",)),
            Page("/me", self._me, Role.DIRECTOR, ("GET", "POST")),
        ]

    # -- what is shown -----------------------------------------------------------------------

    def fragment(self, language: str, directs: bool, table: str | None = None) -> str:
        """The calls that are not closed, the oldest first; of one table only, or of all."""
        views = [view for view in self._views() if table is None or view.table == table]
        rows = [
            (
                view,
                self._told_of(view, language),
                self._proposed(view, language),
                self._on_record(view, language),
            )
            for view in views
        ]
        return self._told().fragment(
            "calls.html", language, rows=rows, directs=directs, chips=_chips(language)
        )

    def count(self) -> int:
        """How many calls are not closed."""
        return len(self._views())

    def _views(self) -> list[CallView]:
        return calls_of(self._floor.tiles(), self._floor.tournaments(), self._floor.clock())

    def _told_of(self, view: CallView, language: str) -> str:
        """What it is about: the incident, or what the table says of it."""
        if view.incident:
            return say_incident(view.incident, language)
        if view.text is not None and view.kind not in ("pot_dispute", "count", "clock"):
            return view.text[0 if language == "fr" else 1]
        return self._told().text(language, f"call.kind.{view.kind}")

    def _on_record(self, view: CallView, language: str) -> str | None:
        """The newest ruling of the same hand, with its article."""
        return None if view.ruling is None else with_faces(self._wording.ruling(view.ruling, language))

    def _proposed(self, view: CallView, language: str) -> Option | None:
        upheld = ""
        if view.ruling is not None:
            said = self._wording.ruling(view.ruling, language)
            upheld = self._told().text(language, "call.upheld", ruling=said)
        return proposed(view, language, upheld)

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        view = self._view(request)
        language = visitor.language
        shown = self._floor.tournament(view.tournament)
        preset = None if shown is None else preset_for(shown.state.settings.rulebook)
        return self._told().page(
            request,
            visitor,
            "call.html",
            view=view,
            told=self._told_of(view, language),
            proposed=self._proposed(view, language),
            options=options_of(view.incident, view.book, language) if view.incident else (),
            ruling=self._on_record(view, language),
            choices=[(code, say_ruling_name(code, language)) for code in CHOICES],
            penalties=() if preset is None else acts.penalties_of(preset),
            offences=() if preset is None else _offences(preset, language),
            before=self._before(view),
            own=self._own(visitor, view.table),
            others=self._others(visitor, view.table),
            needs_seat=NEEDS_SEAT,
            chips=_chips(language),
        )

    def _before(self, view: CallView) -> list[tuple[int, str, int]]:
        """Who of the table was reported before, wherever it was: seat, name, how often."""
        shown = self._floor.tournament(view.tournament)
        table = None if shown is None else shown.state.tables.get(view.table)
        if shown is None or table is None:
            return []
        names = dict(view.seats)
        counts = (
            (seat, names.get(seat, entry), len(faults_of(shown.state, shown.state.entries[entry])))
            for seat, entry in sorted(table.seats.items())
        )
        return [line for line in counts if line[2]]

    def _view(self, request: Request) -> CallView:
        tournament, call = request.path_params["tournament"], request.path_params["call"]
        for view in self._views():
            if (view.tournament, view.call) == (tournament, call):
                return view
        raise HTTPException(404)

    # -- what a director does --------------------------------------------------------------------

    async def _come(self, request: Request, visitor: Visitor) -> Response:
        form, by = await read_form(request), by_whom(visitor)
        tournament, call = request.path_params["tournament"], request.path_params["call"]
        rev = _number(form.get("rev")) or 0
        return await self._do(
            request, visitor, lambda room, now: acts.come(room, tournament, call, rev, by, now)
        )

    async def _rule(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        tournament, call = request.path_params["tournament"], request.path_params["call"]
        rev = _number(form.get("rev")) or 0
        try:
            ruling = self._ruling(form, visitor.language)
        except Refused as refused:
            return self._refusals.page(request, visitor, refused, request.url.path.removesuffix("/rule"))
        view = next((v for v in self._views() if (v.tournament, v.call) == (tournament, call)), None)
        by = by_whom(visitor)
        if view is not None and self._own(visitor, view.table):
            others = self._others(visitor, view.table)
            if others and form.get("own") != "yes":
                own = Refused("own-table", "he plays there", where=", ".join(others), hint="ask another one")
                again = Again(request.url.path, {**form, "own": "yes"})
                return self._refusals.page(request, visitor, own, "/", again)
            mark = self._told().text(self._language, "call.by_player")
            by = f"{by} ({mark})"
        return await self._do(
            request, visitor, lambda room, now: acts.rule(room, tournament, call, rev, ruling, by, now)
        )

    def _ruling(self, form: dict[str, str], language: str) -> acts.Ruling:
        code, text = form.get("code", ""), form.get("text", "").strip()[:NOTE_LENGTH]
        if code and code != "play_on" and code not in CHOICES:
            raise HTTPException(400)
        if form.get("settled") == "yes" and not text:
            code, text = "", self._told().text(language, "call.settled")
        amount = _number(form.get("amount"))
        seats = tuple(seat for seat in range(1, 11) if form.get(f"s{seat}") == "on")
        stands = form.get("stands") == "yes" and amount is not None
        if stands and not text:  # what was counted, or declared, is right: play goes on with it
            code, said = "play_on", number(amount or 0, language)
            text = self._told().text(language, "call.stood_pot", amount=said)
            if seats:
                text = self._told().text(language, "call.stood_seat", seat=seats[0], amount=said)
        offence = form.get("offence", "").strip()[:60]
        if offence and not code and not text:  # the reason is said, and play goes on
            text = say_offence(offence, language)
        penalty: acts.Penalty = next((known for known in acts.PENALTIES if known == form.get("penalty")), "")
        return acts.Ruling(
            code=code,
            text=text,
            article=form.get("article", "").strip()[:120],
            seats=seats,
            amount=amount,
            pot=stands and not seats,
            to_act=_number(form.get("to_act")),
            cards=acts.cards_of(form.get("cards", "")[:40]),
            penalty=penalty,
            offence=offence,
        )

    async def _new(self, request: Request, visitor: Visitor) -> Response:
        form, by = await read_form(request), by_whom(visitor)
        table, kind, seat = form.get("table", ""), form.get("kind", ""), _number(form.get("seat"))
        if kind not in KINDS:
            raise HTTPException(400)
        hold = form.get("hold") == "on"
        back = f"/tables/{quote(table, safe='')}"
        try:
            made = await decided(
                self._decide, lambda room, now: acts.note_call(room, table, kind, seat, hold, by, now)
            )
        except HubError as refused:
            return self._refusals.page(request, visitor, refused, back)
        return self._refusals.back("/calls/" + "/".join(quote(part, safe="") for part in made))

    async def _do(self, request: Request, visitor: Visitor, what: Callable[..., Any]) -> Response:
        try:
            await decided(self._decide, what)
        except HubError as refused:
            return self._refusals.page(request, visitor, refused, "/")
        return self._refusals.back("/")

    # -- a director who plays -------------------------------------------------------------------

    def seat_of(self, visitor: Visitor) -> tuple[str, int] | None:
        """Where the owner of this device plays now; None: he does not."""
        if visitor.device is None:
            return None
        return self._players.table_of(visitor.device.ident, self._floor.tournaments())

    def _own(self, visitor: Visitor, table: str) -> bool:
        seat = self.seat_of(visitor)
        return seat is not None and seat[0] == table

    def _others(self, visitor: Visitor, table: str) -> list[str]:
        mine = visitor.device.ident if visitor.device is not None else ""
        return self._players.others(mine, table, self._pairing.devices(), self._floor.tournaments())

    async def _me(self, request: Request, visitor: Visitor) -> Response:
        if visitor.device is None:
            raise HTTPException(403)
        device = visitor.device.ident
        if request.method == "POST":
            form = await read_form(request)
            tournament, _, entry = form.get("entry", "").partition("/")
            shown = self._floor.tournament(tournament)
            known = shown is not None and entry in shown.state.entries
            self._players.set(device, Plays(tournament, entry) if known else None)
            return self._refusals.back("/me")
        plays = self._players.of(device)
        return self._told().page(
            request,
            visitor,
            "me.html",
            tournaments=everybody(self._floor.tournaments()),
            plays=plays,
            seat=self.seat_of(visitor),
        )

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


def _offences(preset: Preset, language: str) -> list[tuple[str, str, str]]:
    """Reasons for a penalty in the book, in words: name, what it is, what usually follows with its article."""
    found = [
        (name, say_offence(name, language), f"{say_step(held.step, language)}, {held.article}")
        for name, held in preset.offences.items()
    ]
    return sorted(found, key=lambda line: line[1].casefold())


def _chips(language: str) -> Callable[[int | None], str]:
    """Amounts as people read them; what is not known is a dash."""
    return lambda value: chips_shown(value, language)


def _number(text: str | None) -> int | None:
    cleaned = (text or "").replace(" ", "").replace("\u202f", "")
    return int(cleaned) if cleaned.isascii() and cleaned.isdigit() and len(cleaned) <= 12 else None
