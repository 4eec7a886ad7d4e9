"""The tournaments' part of the floor page: do what is proposed, do otherwise, later, pass a block with a reason, undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tournament_hub.errors import HubError
from tournament_hub.logic.events import OrderPosted, Passed, Postponed
from tournament_hub.room import Room
from tournament_hub.web.deciding import Decide, by_whom, decided, tournament_of
from tournament_hub.web.floor import Floor
from tournament_hub.web.hall_view import hall_view
from tournament_hub.web.moves import event_of
from tournament_hub.web.plan import done_of, plan_of
from tournament_hub.web.refusals import REASONS, Again, Refusals, floor_texts
from tournament_hub.wording import Wording
from webkit.language import number
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Role

REASON_LENGTH = 200
ORDER_LENGTH = 4000


class PlanPages:
    """The fragment ``plan`` and the buttons under ``/tournaments/{tournament}``.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread.
        wording: French and English.
        refusals: says why something was not done.
        site: asked for only when a page is shown.
    """

    def __init__(
        self,
        floor: Floor,
        decide: Decide,
        wording: Wording,
        refusals: Refusals,
        site: Callable[[], Site],
    ) -> None:
        self._floor = floor
        self._decide = decide
        self._wording = wording
        self._refusals = refusals
        self._site = site

    def pages(self) -> list[Page]:
        """The routes."""
        acting = (
            ("do", self._do),
            ("later", self._later),
            ("undo", self._undo),
            ("pass", self._pass),
            ("move", self._move),
            ("order", self._order),
        )
        return [
            Page("/tournaments/{tournament}/decisions", self._decisions, Role.DIRECTOR),
            *(Page(f"/tournaments/{{tournament}}/{act}", do, Role.DIRECTOR, ("POST",)) for act, do in acting),
        ]

    def fragment(self, language: str, directs: bool) -> str:
        """What to do now, and the last decisions, each with its undo."""
        site = self._site()
        do = site.text(language, "plan.do")
        running, now = self._floor.tournaments(), self._floor.clock()
        plans = [plan_of(shown, self._wording, language, do) for shown in running]
        walls = {shown.id: hall_view(shown.state, shown.names, now + shown.offset) for shown in running}
        return site.fragment(
            "plan.html",
            language,
            plans=plans,
            walls=walls,
            chips=lambda amount: number(amount, language),
            directs=directs,
            reasons=REASONS,
            block=lambda name: self._block(name, language),
        )

    async def _decisions(self, request: Request, visitor: Visitor) -> Response:
        """What was decided lately, each with its undo: further back than the floor page shows."""
        shown = self._floor.tournament(request.path_params["tournament"])
        if shown is None:
            raise HTTPException(404)
        done = done_of(shown.decisions, self._wording, visitor.language, shown.names)
        title = shown.state.settings.title or shown.id
        return self._site().page(
            request, visitor, "decisions.html", tournament=shown.id, title=title, done=list(done)
        )

    def _block(self, block: str, language: str) -> str:
        kind, _, name = block.partition(":")
        known = next(
            (found for found in (f"block.{kind}", f"money.block.{kind}") if found in floor_texts()), None
        )
        return block if known is None else self._site().text(language, known, where=name)

    async def _do(self, request: Request, visitor: Visitor) -> Response:
        form = await read_form(request)
        proposal, choice = form.get("proposal", ""), _number(form.get("choice"))
        tournament, by = request.path_params["tournament"], by_whom(visitor)
        fields = {name: value for name, value in form.items() if name in ("proposal", "choice")}
        again = Again(f"/tournaments/{tournament}/pass", fields)
        return await self._decided(
            request,
            visitor,
            lambda room, now: tournament_of(room, tournament).do(proposal, by, now, room.utc, choice),
            again,
        )

    async def _later(self, request: Request, visitor: Visitor) -> Response:
        tournament, by, form = request.path_params["tournament"], by_whom(visitor), await read_form(request)
        event = Postponed(proposal=form.get("proposal", ""))
        return await self._decided(
            request,
            visitor,
            lambda room, now: tournament_of(room, tournament).say(event, by, now, room.utc),
        )

    async def _undo(self, request: Request, visitor: Visitor) -> Response:
        tournament, by, form = request.path_params["tournament"], by_whom(visitor), await read_form(request)
        number = _number(form.get("n")) or 0
        return await self._decided(
            request,
            visitor,
            lambda room, now: tournament_of(room, tournament).undo(number, by, now, room.utc),
        )

    async def _move(self, request: Request, visitor: Visitor) -> Response:
        """Somebody who is moved has left, has come, or stays: said by the director."""
        tournament, by, form = request.path_params["tournament"], by_whom(visitor), await read_form(request)
        act, move, counted = form.get("act", ""), form.get("move", ""), _number(form.get("counted"))

        def moving(room: Room, now: float) -> None:
            tournament_of(room, tournament).say(event_of(act, move, counted, by), by, now, room.utc)

        return await self._decided(request, visitor, moving)

    async def _order(self, request: Request, visitor: Visitor) -> Response:
        """Another order of breaking: the tables named come first, the others after them as they stood."""
        tournament, by, form = request.path_params["tournament"], by_whom(visitor), await read_form(request)
        named = tuple(form.get("tables", "")[:ORDER_LENGTH].replace(",", " ").split())

        def ordering(room: Room, now: float) -> None:
            directing = tournament_of(room, tournament)
            rest = (name for name in directing.state.order if name not in named)
            directing.say(OrderPosted(order=(*named, *rest)), by, now, room.utc)

        return await self._decided(request, visitor, ordering)

    async def _pass(self, request: Request, visitor: Visitor) -> Response:
        """Pass a block with a reason, and do what it stood against, if it is known."""
        tournament, by, form = request.path_params["tournament"], by_whom(visitor), await read_form(request)
        reason = form.get("note", "").strip()[:REASON_LENGTH]
        short = form.get("reason", "")
        if not reason and short in REASONS and short != "other":
            reason = self._site().text(visitor.language, f"reason.{short}")
        block = form.get("block", "")
        proposal, choice = form.get("proposal", ""), _number(form.get("choice"))

        def passing(room: Room, now: float) -> None:
            directing = tournament_of(room, tournament)
            directing.say(Passed(block=block, reason=reason), by, now, room.utc)
            if proposal:
                directing.do(proposal, by, now, room.utc, choice)

        if not reason or not block:
            return self._refusals.page(
                request, visitor, HubError("no reason", where=block, hint="say why"), "/", code="no-reason"
            )
        return await self._decided(request, visitor, passing)

    async def _decided(
        self,
        request: Request,
        visitor: Visitor,
        what: Callable[[Room, float], Any],
        again: Again | None = None,
    ) -> Response:
        try:
            await decided(self._decide, what)
        except HubError as refused:
            return self._refusals.page(request, visitor, refused, "/", again)
        return self._refusals.back("/")


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) <= 9 else None
