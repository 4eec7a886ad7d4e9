"""The door of a tournament on a phone: three letters of a name, one tap; the draw, the seats, lists in and out.

The whole list of the club's people is on the page and the browser narrows it, so that typing waits for nothing. Every act
is answered with what was done, in words, and with the rows that read differently; the other phones at the door get the
same rows by the live channel.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from tournament_hub.config import HubConfig
from tournament_hub.errors import HubError, UnknownTournament
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place, posted
from tournament_hub.room import Room
from tournament_hub.store_people import Person, people
from tournament_hub.web import sign_in_draw as draws
from tournament_hub.web.deciding import Decide, by_whom, decided
from tournament_hub.web.floor import Floor
from tournament_hub.web.season_results import season_name
from tournament_hub.web.sign_in_acts import Door, Notice, Offer
from tournament_hub.web.sign_in_lists import Fault, How, entries_csv, people_csv, take_in
from tournament_hub.web.sign_in_view import (
    LastAct,
    Row,
    by_name,
    changed_rows,
    counts_of,
    last_acts,
    rows_of,
    table_label,
    tables_of,
)
from webkit.broadcast import Broadcast
from webkit.language import LANGUAGES, Catalogue
from webkit.pages import Page, Site, Visitor, read_form, read_upload
from webkit.pairing import Role

WHOLE: Final = ("head", "people")
SEPARATORS: Final = {"fr": ";", "en": ","}
"""What a spreadsheet in this language expects between columns."""
_ANYWAY: Final = {"late-closed": "arrive", "too-few": "start"}
"""Refusals that the director may pass at the door, and the act that is done then."""


class Seen(Struct, frozen=True):
    """What the door shows beside the tournament itself: the club's people, the last acts."""

    people: tuple[Person, ...]
    last: tuple[LastAct, ...]


class SignInPages:
    """The pages under ``/sign-in``.

    Args:
        config: the club's settings.
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
        today: the day by the wall clock, ``2026-05-01``.
    """

    def __init__(
        self,
        config: HubConfig,
        floor: Floor,
        decide: Decide,
        today: Callable[[], str] = lambda: datetime.date.today().isoformat(),
    ) -> None:
        self._floor = floor
        self._decide = decide
        self.season = season_name(config.season, today())
        self._label = table_label(config.table_name)
        self._channels: dict[str, Broadcast] = {}
        self._seen: dict[str, Seen] = {}
        self._rows: dict[str, tuple[object, object, dict[str, Row]]] = {}
        self._shown: dict[str, dict[str, Row]] = {}
        self._site: Callable[[], Site] | None = None

    def pages(self, site: Callable[[], Site]) -> list[Page]:
        """The routes; ``site`` is asked for only when a page is shown."""
        self._site = site
        return [
            Page("/sign-in", self._first, Role.DIRECTOR),
            Page("/sign-in/{tournament}", self._show, Role.DIRECTOR),
            Page("/sign-in/{tournament}/live", self._live, Role.DIRECTOR),
            Page("/sign-in/{tournament}/act", self._act, Role.DIRECTOR, ("POST",)),
            Page("/sign-in/{tournament}/draw", self._draw, Role.DIRECTOR, ("GET", "POST")),
            Page("/sign-in/{tournament}/seats", self._seats, Role.DISPLAY),
            *ListPages(self).pages(),
        ]

    def changed(self, tournament: str) -> None:
        """This tournament reads differently now; from any thread. Only rows that changed go to the phones."""
        channel = self._channels.get(tournament)
        if channel is None or tournament not in self._seen or self._floor.tournament(tournament) is None:
            return
        after = self._rows_of(tournament)
        names = changed_rows(self._shown.get(tournament, {}), after)
        self._shown[tournament] = after
        channel.changed("head", *(["people"] if names is None else [f"row-{name}" for name in names]))

    def close(self) -> None:
        """End every phone's stream."""
        for channel in self._channels.values():
            channel.close()

    # -- the door ----------------------------------------------------------------------

    async def _first(self, request: Request, visitor: Visitor) -> Response:
        shown = self._floor.tournaments()
        if not shown:
            raise HTTPException(404)
        return RedirectResponse(f"/sign-in/{shown[0].id}", status_code=303)

    async def _show(self, request: Request, visitor: Visitor) -> Response:
        tournament = request.path_params["tournament"]
        await self.at_door(tournament, visitor, lambda door: None)
        return self._page(request, visitor, tournament, None)

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        tournament = request.path_params["tournament"]
        if tournament not in self._seen:
            await self.at_door(tournament, visitor, lambda door: None)
        channel = self._channels.get(tournament)
        if channel is None:
            channel = Broadcast(lambda name, language: self._part(tournament, name, language), whole=WHOLE)
            self._shown[tournament] = self._rows_of(tournament)
            self._channels[tournament] = channel
        return channel.response(visitor.language if visitor.language in LANGUAGES else LANGUAGES[0])

    async def _act(self, request: Request, visitor: Visitor) -> Response:
        tournament, form = request.path_params["tournament"], await read_form(request)
        before = self._seen.get(tournament)
        notice = await self._done(tournament, visitor, form, lambda door: act(door, form))
        # Who is new is known here only now: the hub's own word came with the list as it was. Without this a phone on which
        # an earlier list is still on its way would lose him again.
        self.changed(tournament)
        if request.headers.get("hx-request") != "true":
            return self._page(request, visitor, tournament, notice)
        known = before is not None and any(p.person == notice.person for p in before.people)
        html = self.site().fragment(
            "sign_in_answer.html",
            visitor.language,
            notice=self.said(notice, visitor.language),
            head=self._part(tournament, "head", visitor.language),
            person=notice.person if known else None,
            row=self._part(tournament, f"row-{notice.person}", visitor.language) if known else None,
            people=None if known or not notice.person else self._part(tournament, "people", visitor.language),
            tournament=tournament,
        )
        return HTMLResponse(html, headers={"cache-control": "no-store"})

    def _page(self, request: Request, visitor: Visitor, tournament: str, notice: Notice | None) -> Response:
        status = 409 if notice is not None and notice.tone == "bad" else 200
        return self.site().page(
            request,
            visitor,
            "sign_in.html",
            status,
            tournament=tournament,
            title=self.title(tournament),
            notice=None if notice is None else self.said(notice, visitor.language),
            head=self._part(tournament, "head", visitor.language),
            people=self._part(tournament, "people", visitor.language),
        )

    def _part(self, tournament: str, fragment: str, language: str) -> str | None:
        shown, site = self._floor.tournament(tournament), self.site()
        if shown is None:
            return None
        rows = self._rows_of(tournament)
        started = shown.state.started
        if fragment == "head":
            seen = self._seen[tournament]
            named = {row.person: row.name for row in rows.values()}
            last = [
                (act.cause, self._last(act, named, language), self._place(act.place, language), act.by)
                for act in seen.last
            ]
            counts = counts_of(shown.state)
            return site.fragment(
                "sign_in_head.html", language, counts=counts, last=last, tournament=tournament
            )
        if fragment == "people":
            parts = [(row, self._row(row, started, tournament, language)) for row in rows.values()]
            return site.fragment("sign_in_people.html", language, rows=parts)
        row = rows.get(fragment.removeprefix("row-"))
        return None if row is None else self._row(row, started, tournament, language)

    def _row(self, row: Row, started: bool, tournament: str, language: str) -> str:
        return self.site().fragment(
            "sign_in_row.html",
            language,
            row=row,
            started=started,
            tournament=tournament,
            place=self._place(row.place, language),
        )

    def _last(self, act: LastAct, named: Mapping[str, str], language: str) -> str:
        person = self._label(act.person) if act.name == "table" else named.get(act.person, act.person)
        return self.site().text(language, f"sign_in.last.{act.name}", act.count, who=person)

    # -- the draw ------------------------------------------------------------------------

    async def _draw(self, request: Request, visitor: Visitor) -> Response:
        tournament, notice = request.path_params["tournament"], None
        if request.method == "POST":
            form = await read_form(request)
            notice = await self._done(tournament, visitor, form, lambda door: act(door, form))
            if notice.tone == "good":
                return RedirectResponse(f"/sign-in/{tournament}/draw", status_code=303)
        view = await self.at_door(tournament, visitor, draws.draw_view)
        shown = self._floor.tournament(tournament)
        if shown is None:
            raise HTTPException(404)
        trouble = None
        if view.trouble is not None:
            trouble = self.said(refusal(view.trouble), visitor.language)
        return self.site().page(
            request,
            visitor,
            "sign_in_draw.html",
            409 if notice is not None else 200,
            tournament=tournament,
            title=self.title(tournament),
            notice=None if notice is None else self.said(notice, visitor.language),
            trouble=trouble,
            view=view,
            state=shown.state,
            counts=counts_of(shown.state),
            tables=tables_of(shown.state, shown.names, view.proposed),
            label=self._label,
        )

    async def _seats(self, request: Request, visitor: Visitor) -> Response:
        tournament = request.path_params["tournament"]
        shown = self._floor.tournament(tournament)
        if shown is None:
            raise HTTPException(404)
        tables = tables_of(shown.state, shown.names)
        return self.site().page(
            request,
            visitor,
            "sign_in_seats.html",
            tournament=tournament,
            title=self.title(tournament),
            tables=tables,
            names=by_name(tables),
            order=[self._label(table) for table in posted(shown.state)],
            label=self._label,
        )

    # -- smaller steps -------------------------------------------------------------------

    async def _done(
        self, tournament: str, visitor: Visitor, form: Mapping[str, str], what: Callable[[Door], Notice]
    ) -> Notice:
        """An act; what does not fit comes back as a notice."""
        try:
            found: Notice = await self.at_door(tournament, visitor, what)
        except Refused as refused:
            return refusal(refused, form)
        return found

    async def at_door(self, tournament: str, visitor: Visitor, what: Callable[[Door], Any]) -> Any:
        """Do or read something at the door, and see how it stands afterwards."""
        by, season = by_whom(visitor), self.season

        def job(room: Room, now: float) -> tuple[Any, Seen]:
            door = Door(room, tournament, by, now, season)
            answer = what(door)
            seen = Seen(tuple(people(door.store)), last_acts(door.directing.log, door.state))
            self._rename(seen.people)
            return answer, seen

        try:
            answer, seen = await decided(self._decide, job)
        except UnknownTournament as unknown:
            raise HTTPException(404) from unknown
        except Refused:
            raise
        except HubError as error:
            raise HTTPException(503) from error
        if self._seen.get(tournament) != seen:
            self._seen[tournament] = seen
            self.changed(tournament)
            for other in self._seen.keys() - {tournament}:  # people are the club's, not the tournament's
                self._seen[other] = Seen(seen.people, self._seen[other].last)
                self.changed(other)
        return answer

    def _rename(self, known: tuple[Person, ...]) -> None:
        """A corrected name is right on every page at once; on the hub's thread, which alone puts tournaments there."""
        names = {person.person: person.name for person in known}
        for shown in self._floor.tournaments():
            entries = shown.state.entries.values()
            now = {entry.id: names[entry.player] for entry in entries if entry.player in names}
            if now != dict(shown.names):
                self._floor.put_tournament(msgspec.structs.replace(shown, names=now))

    def _rows_of(self, tournament: str) -> dict[str, Row]:
        shown, seen = self._floor.tournament(tournament), self._seen[tournament]
        if shown is None:
            return {}
        held = self._rows.get(tournament)
        if held is None or held[0] is not shown.state or held[1] is not seen.people:
            rows = rows_of(shown.state, seen.people, self.season)
            held = self._rows[tournament] = (shown.state, seen.people, rows)
        return held[2]

    def said(self, notice: Notice, language: str) -> dict[str, Any]:
        """A notice in words."""
        site = self.site()
        values: dict[str, Any] = dict(notice.values)
        place = values.pop("place", None)
        if "utc" in values:
            values["time"] = local_time(str(values.pop("utc")))
        if notice.name == "sign_in.said.table":
            values["table"] = self._label(str(values["table"]))
        name = notice.name if knows(notice.name) else "sign_in.refused.other"
        return {
            "text": site.text(language, name, notice.count, **values),
            "place": self._place(place if isinstance(place, Place) else None, language),
            "tone": notice.tone,
            "offers": [(site.text(language, o.name, None, **o.values), o.fields) for o in notice.offers],
        }

    def _place(self, place: Place | None, language: str) -> str:
        if place is None:
            return ""
        return self.site().text(language, "sign_in.place", table=self._label(place.table), seat=place.seat)

    def title(self, tournament: str) -> str:
        """What people call a tournament."""
        shown = self._floor.tournament(tournament)
        return (shown.state.settings.title or tournament) if shown is not None else tournament

    def site(self) -> Site:
        """Where the pages are."""
        if self._site is None:
            raise TypeError("pages() was not called")
        return self._site()


class ListPages:
    """Lists at the door, in and out.

    Args:
        door: whose tournaments.
    """

    def __init__(self, door: SignInPages) -> None:
        self._door = door

    def pages(self) -> list[Page]:
        """The routes."""
        return [
            Page("/sign-in/{tournament}/lists", self._lists, Role.DIRECTOR, ("GET", "POST")),
            Page("/sign-in/{tournament}/entries.csv", self._entries, Role.DIRECTOR),
            Page("/sign-in/{tournament}/people.csv", self._people, Role.DIRECTOR),
        ]

    async def _lists(self, request: Request, visitor: Visitor) -> Response:
        tournament, at, language = request.path_params["tournament"], self._door, visitor.language
        faults: tuple[Fault, ...] = ()
        notice = None
        if request.method == "POST":
            form, files = await read_upload(request)
            data, how = files.get("file"), _how(form.get("how", ""))
            if data is None:
                faults = (Fault(0, "no_file"),)
            else:
                answer = await at.at_door(tournament, visitor, lambda door: take_in(door, data, how))
                if isinstance(answer, Notice):
                    notice = at.said(answer, language)
                else:
                    faults = answer
        else:
            await at.at_door(tournament, visitor, lambda door: None)
        site = at.site()
        return site.page(
            request,
            visitor,
            "sign_in_lists.html",
            409 if faults else 200,
            tournament=tournament,
            title=at.title(tournament),
            notice=notice,
            faults=[
                (f.line, site.text(language, f"sign_in.fault.{f.name}", None, **f.values)) for f in faults
            ],
        )

    async def _entries(self, request: Request, visitor: Visitor) -> Response:
        tournament, language, site = request.path_params["tournament"], visitor.language, self._door.site()
        words = ("name", "number", "standing", "table", "seat", "stack", "rank")
        heading = [site.text(language, f"sign_in.column.{word}") for word in words]
        standing = {w: site.text(language, f"sign_in.state.{w}") for w in ("expected", "arrived", "out")}
        text = await self._door.at_door(
            tournament, visitor, lambda door: entries_csv(door, heading, standing, SEPARATORS[language])
        )
        return _file(text, f"{tournament}.csv")

    async def _people(self, request: Request, visitor: Visitor) -> Response:
        tournament, language, site = request.path_params["tournament"], visitor.language, self._door.site()
        words = ("name", "number", "paid", "adult")
        heading = [site.text(language, f"sign_in.column.{word}") for word in words]
        yes, season = site.text(language, "sign_in.yes"), self._door.season
        text = await self._door.at_door(
            tournament,
            visitor,
            lambda door: people_csv(people(door.store), heading, season, yes, SEPARATORS[language]),
        )
        return _file(text, "people.csv")


def _how(word: str) -> How:
    match word:
        case "people" | "expected" | "arrived":
            return word
    raise HTTPException(400)


def act(door: Door, form: Mapping[str, str]) -> Notice:
    """One button of the door or of the draw's page.

    Raises:
        Refused: it does not fit; nothing has changed.
    """
    person, anyway = form.get("person", ""), form.get("anyway") == "1"
    match form.get("do", ""):
        case "arrive":
            return door.arrive(person, anyway=anyway)
        case "all":
            return door.arrive(person, complete=True, anyway=anyway)
        case "expect":
            return door.expect(person)
        case "withdraw":
            return door.withdraw(person)
        case "paid.1" | "paid.0" as fact:
            return door.fact(person, "paid", fact.endswith("1"))
        case "adult.1" | "adult.0" as fact:
            return door.fact(person, "adult", fact.endswith("1"))
        case "strike":
            return door.strike(person)
        case "lock":
            seat = form.get("seat", "")
            return door.lock(
                person, int(seat) if seat.isascii() and seat.isdigit() and int(seat) <= 10 else 0
            )
        case "correct":
            return door.correct(person, form.get("name", ""), form.get("number", ""))
        case "walk_in":
            return door.walk_in(form.get("name", ""), another=form.get("another") == "1", anyway=anyway)
        case "undo":
            return door.undo(form.get("cause", ""))
        case "draw":
            return draws.draw(door, form.get("seed", ""), form.get("digest", ""))
        case "undraw":
            return draws.undo_draw(door)
        case "buttons":
            return draws.buttons(door)
        case "start":
            return draws.start(door, anyway=anyway)
        case "table":
            return draws.open_table(door)
        case _:
            return Notice(name="sign_in.refused.other", tone="bad")


def refusal(refused: Refused, form: Mapping[str, str] | None = None) -> Notice:
    """Why it was not done; what the director may pass is offered."""
    offers: tuple[Offer, ...] = ()
    asked = _ANYWAY.get(refused.code)
    if form is not None and asked is not None and form.get("do") in (asked, "all", "walk_in", "start"):
        offers = (Offer("sign_in.anyway", {**form, "anyway": "1"}),)
    return Notice(
        name=f"sign_in.refused.{refused.code}", values={"where": refused.where}, tone="bad", offers=offers
    )


def local_time(utc: str) -> str:
    """Hours and minutes of this machine's wall clock; a label."""
    try:
        return datetime.datetime.fromisoformat(utc).astimezone().strftime("%H:%M")
    except ValueError:
        return "—"


@cache
def door_texts() -> Catalogue:
    """The texts of the door's and the season's pages."""
    return Catalogue(Path(__file__).parents[1] / "locales" / "door")


def knows(name: str) -> bool:
    """Whether there is such a text."""
    return name in door_texts()


def _file(text: str, name: str) -> Response:
    return Response(
        text.encode("utf-8"),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
    )


__all__ = ["Seen", "SignInPages", "act", "door_texts"]
