"""The clock in the director's hand: start, stop, levels and minutes, a break now, and to be done at a given time."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from urllib.parse import urlencode

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from tournament_hub.errors import HubError
from tournament_hub.logic import events as ev
from tournament_hub.logic import finish
from tournament_hub.logic.clock import Clock, Stage, seconds_until
from tournament_hub.logic.refusal import Refused
from tournament_hub.room import Room
from tournament_hub.web.clock_view import (
    ClockView,
    act_events,
    chips_of,
    clock_view,
    minutes_of,
    time_of_day,
)
from tournament_hub.web.deciding import Decide, by_whom, decided, tournament_of
from tournament_hub.web.floor import Floor
from tournament_hub.web.plan import Shown
from tournament_hub.wording import Wording
from tournament_hub.wording_tournament import say_decision
from webkit.broadcast import Broadcast
from webkit.language import LANGUAGES, number
from webkit.pages import Page, Site, Visitor, read_form
from webkit.pairing import Role

DONE_SHOWN = 5
TROUBLES = frozenset(
    (
        "level-gone",
        "in-break",
        "not-started",
        "stages",
        "too-few",
        "undone",
        "length",
        "time",
        "over",
        "hand-played",
    )
)
"""Refusals that have words of their own."""


class Offer(Struct, frozen=True):
    """One way to be done in time, as the page shows it; ``value``: what the button sends back."""

    kind: str
    end: str
    fits: bool
    lines: tuple[tuple[int, str, str], ...]
    gone: tuple[int, ...]
    value: str


class Finishing(Struct, frozen=True):
    """What the page answers to "be done at": the end as it is, and what may be done about it."""

    wanted: str
    end: str
    in_time: bool
    offers: tuple[Offer, ...]


def wall_seconds() -> float:
    """The time of day by this machine's wall clock, in seconds."""
    now = datetime.datetime.now()
    return now.hour * 3600.0 + now.minute * 60.0 + now.second


class ClockPages:
    """The pages under ``/clock``.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
        wording: French and English.
        day: the time of day in seconds.
    """

    def __init__(
        self, floor: Floor, decide: Decide, wording: Wording, day: Callable[[], float] = wall_seconds
    ) -> None:
        self._floor = floor
        self._decide = decide
        self._wording = wording
        self._day = day
        self._channels: dict[str, Broadcast] = {}
        self._kinds: dict[str, object] = {}
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [
            Page("/clock/{tournament}", self._show, Role.DIRECTOR),
            Page("/clock/{tournament}/live", self._live, Role.DIRECTOR),
            Page("/clock/{tournament}/{act}", self._act, Role.DIRECTOR, ("POST",)),
        ]

    def changed(self, tournament: str) -> None:
        """This tournament reads differently now; from any thread. Buttons are drawn again only when others are due."""
        channel, shown = self._channels.get(tournament), self._floor.tournament(tournament)
        if channel is None or shown is None:
            return
        view = self._view(shown)
        kind = (view.kind if view else None, tuple(record.n for record in shown.clock))
        channel.changed("time") if self._kinds.get(tournament) == kind else channel.changed("time", "acts")
        self._kinds[tournament] = kind

    def close(self) -> None:
        """End every screen's stream."""
        for channel in self._channels.values():
            channel.close()

    # -- what is shown ---------------------------------------------------------------

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        return self._page(request, visitor)

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        ident = self._shown(request).id
        channel = self._channels.get(ident)
        if channel is None:
            channel = self._channels[ident] = Broadcast(
                lambda fragment, language: self._fragment(ident, fragment, language), whole=("time", "acts")
            )
        return channel.response(visitor.language if visitor.language in LANGUAGES else LANGUAGES[0])

    def _page(self, request: Request, visitor: Visitor, trouble: str = "", status: int = 200) -> Response:
        shown = self._shown(request)
        at = request.query_params.get("at", "")
        finishing = None
        if at:
            try:
                finishing = self._finishing(shown, at)
            except ValueError:
                trouble, status = "time", 422
        return self._told().page(
            request,
            visitor,
            "clock.html",
            status,
            tournament=shown.id,
            title=shown.state.settings.title or shown.id,
            parts={name: self._fragment(shown.id, name, visitor.language) for name in ("time", "acts")},
            trouble=trouble if trouble in TROUBLES or not trouble else "other",
            finishing=finishing,
            at=at,
        )

    def _fragment(self, ident: str, fragment: str, language: str) -> str | None:
        shown = self._floor.tournament(ident)
        if shown is None:
            return None
        done = []
        for record in shown.clock[:DONE_SHOWN]:
            saying = say_decision(record.event)
            if saying is not None:
                done.append((record.n, self._wording.say(saying, language), record.by))
        return self._told().fragment(
            f"clock_{fragment}.html",
            language,
            view=self._view(shown),
            tournament=ident,
            done=done,
            chips=lambda amount: number(amount, language),
        )

    def _view(self, shown: Shown) -> ClockView | None:
        return clock_view(shown, self._floor.clock() + shown.offset, self._day())

    def _finishing(self, shown: Shown, at: str) -> Finishing:
        """What "be done at" would take.

        Raises:
            ValueError: no time of day.
        """
        day, now = self._day(), self._floor.clock() + shown.offset
        clock, stages = shown.state.clock, shown.state.settings.stages
        seconds = seconds_until(at.replace(" ", ""), day)
        if not stages:
            raise ValueError("there are no levels")
        last = finish.expected_last(clock, stages, chips_of(shown.state))
        end = finish.end_of(clock, stages, last, now)
        found = finish.remedies(clock, stages, last, now, seconds)
        offers = tuple(
            Offer(
                remedy.kind,
                time_of_day(day + remedy.after),
                remedy.fits,
                tuple((n, minutes_of(old), minutes_of(new)) for n, old, new in remedy.changed),
                remedy.gone,
                ",".join(f"{n}:{new / 60:g}" for n, _, new in remedy.changed)
                or ",".join(map(str, remedy.gone)),
            )
            for remedy in found
        )
        return Finishing(time_of_day(day + seconds), time_of_day(day + end), end <= seconds, offers)

    # -- what is done ---------------------------------------------------------------------

    async def _act(self, request: Request, visitor: Visitor) -> Response:
        name, by = request.path_params["act"], by_whom(visitor)
        ident = self._shown(request).id
        form = await read_form(request)

        def work(room: Room, now: float) -> None:
            tournament = tournament_of(room, ident)
            if name == "undo":
                tournament.undo(int(form["n"]) if form.get("n", "").isdigit() else 0, by, now, room.utc)
                return
            state, at = tournament.state, tournament.time(now)
            events: tuple[ev.Event, ...]
            if name == "finish":
                events = (_finish_event(form, state.clock, state.settings.stages),)
            else:
                events = act_events(name, state, at, minutes=_minutes(form.get("minutes", "")))
            for event in events:
                tournament.say(event, by, now, room.utc)

        try:
            await decided(self._decide, work)
        except Refused as refused:
            return self._page(request, visitor, refused.code, 409)
        except HubError as refused:
            raise HTTPException(409) from refused
        return RedirectResponse(f"/clock/{ident}", status_code=303)

    def _shown(self, request: Request) -> Shown:
        shown = self._floor.tournament(request.path_params["tournament"])
        if shown is None:
            raise HTTPException(404)
        return shown

    def _told(self) -> Site:
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


def _finish_event(form: dict[str, str], clock: Clock, stages: tuple[Stage, ...]) -> ev.LevelsSet:
    """Exactly what the page showed, however much time has passed since."""
    try:
        if form.get("kind") == "shorter":
            pairs = [part.split(":") for part in form.get("levels", "").split(",")]
            row = finish.with_lengths(clock, stages, {int(n): float(minutes) for n, minutes in pairs})
        else:
            row = finish.without(clock, stages, [int(n) for n in form.get("levels", "").split(",")])
    except ValueError as error:
        raise Refused("stages", "no levels", where="clock", hint="look at the page again") from error
    return ev.LevelsSet(stages=row, why="finish")


def _minutes(text: str) -> float | None:
    """Minutes as people type them: ``12``, ``12:30``, ``12,5``; None when it is none of these.

    >>> _minutes("12:30"), _minutes("7,5"), _minutes("x")
    (12.5, 7.5, None)
    """
    whole, colon, rest = text.strip().replace(",", ".").partition(":")
    try:
        found = float(whole) + (int(rest) / 60 if colon else 0.0)
    except ValueError:
        return None
    return found if 0 <= found <= 1000 else None


def clock_address(tournament: str, at: str = "") -> str:
    """Where a tournament's clock is; ``at``: with what it takes to be done then.

    >>> clock_address("main", "00:45")
    '/clock/main?at=00%3A45'
    """
    return f"/clock/{tournament}" + (f"?{urlencode({'at': at})}" if at else "")
