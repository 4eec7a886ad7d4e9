"""Colour-up at one table from the director's phone: chips of each seat in, the cards of the race, who gives and gets what.

The rule is the tournament's (``colour_up``, ``colour_up_when``, ``raced_out``); what comes of it goes into the record with
its ledger. A race is shown before it is run: how many cards each seat is dealt, how many chips there are to win.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tournament_hub.errors import HubError
from tournament_hub.logic import colour_up
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import State, Table
from tournament_hub.paper_view import preset_for
from tournament_hub.preset_wording import say_setting, say_value
from tournament_hub.room import Room
from tournament_hub.web.calls_acts import cards_of
from tournament_hub.web.deciding import by_whom, decided, tournament_of
from tournament_hub.web.plan import Shown
from tournament_hub.web.tournament_pages import TournamentPages
from webkit.language import chips_shown
from webkit.pages import Page, Visitor, read_form
from webkit.pairing import Role

TROUBLES: Final = frozenset(
    ("colour-up", "colour-up-when", "stack-unknown", "no-table", "no-card", "hand-running")
)
"""Refusals that have words of their own."""


class Asked(Struct, frozen=True, kw_only=True):
    """What was typed: the value that goes, the one that comes, by seat the chips, stacks that were counted, the race's cards."""

    old: int
    new: int
    chips: Mapping[int, int]
    totals: Mapping[int, int]
    dealt: Mapping[int, Sequence[str]]


class Line(Struct, frozen=True):
    """A seat of the form: who sits there, his stack as known, what was typed; ``cards`` that he is dealt in the race."""

    seat: int
    name: str
    stack: int | None
    chips: str = ""
    total: str = ""
    cards: int = 0
    dealt: str = ""


class ColourUpPages(TournamentPages):
    """The pages under ``/colour-up``.

    Args:
        floor: what is shown.
        decide: does something on the hub's thread, in a transaction.
    """

    def routes(self) -> list[Page]:
        """Its pages."""
        return [
            Page("/colour-up/{tournament}", self._tables, Role.DIRECTOR),
            Page("/colour-up/{tournament}/{table}", self._table, Role.DIRECTOR, ("GET", "POST")),
        ]

    async def _tables(self, request: Request, visitor: Visitor) -> Response:
        """Which values leave, and the tables."""
        return self._page(request, visitor, self.shown(request), None)

    async def _table(self, request: Request, visitor: Visitor) -> Response:
        shown = self.shown(request)
        table = shown.state.tables.get(request.path_params["table"])
        if table is None or not table.seats:
            raise HTTPException(404)
        if request.method == "GET":
            return self._page(request, visitor, shown, table)
        form, preset = await read_form(request), preset_for(shown.state.settings.rulebook)
        try:
            asked = _asked(form)
            race = _race(shown.state, table, preset, asked)
            if race is not None and race.cards and not asked.dealt:
                return self._page(request, visitor, shown, table, form=form, race=race)
            told = await decided(self._decide, _job(shown.id, table, asked, by_whom(visitor)))
        except Refused as refused:
            return self._page(request, visitor, shown, table, form=form, trouble=refused.code, status=409)
        except HubError as error:
            raise HTTPException(409) from error
        return self._page(request, visitor, shown, table, told=told)

    def _page(
        self,
        request: Request,
        visitor: Visitor,
        shown: Shown,
        table: Table | None,
        *,
        form: Mapping[str, str] | None = None,
        race: colour_up.Race | None = None,
        told: colour_up.TableLog | None = None,
        trouble: str = "",
        status: int = 200,
    ) -> Response:
        language, preset, state = visitor.language, preset_for(shown.state.settings.rulebook), shown.state
        typed = form or {}
        lines = () if table is None else tuple(_lines(shown, table, typed, race))
        due = due_now(state)
        return self.site.page(
            request,
            visitor,
            "colour_up.html",
            status,
            tournament=shown.id,
            title=state.settings.title or shown.id,
            table=table,
            tables=[held for held in (state.tables[name] for name in state.order) if held.seats],
            due=due,
            rule=(say_setting("colour_up", language), say_value(preset, "colour_up", language)),
            article=preset.article("colour_up"),
            lines=lines,
            old=typed.get("old") or (str(due[0]) if due else ""),
            new=typed.get("new", ""),
            race=race,
            to_win=0 if race is None else race.prizes,
            told=told,
            names=shown.names,
            recorded=state.settings.starting_stack is not None,
            trouble=trouble if trouble in TROUBLES or not trouble else "other",
            chips=lambda value: chips_shown(value, language),
        )


def due_now(state: State) -> tuple[int, ...]:
    """Values that leave in the break that runs, else in the next one."""
    stages = state.settings.stages
    return next((stage.colour_up for stage in stages[state.clock.stage :] if stage.colour_up), ())


def _lines(
    shown: Shown, table: Table, typed: Mapping[str, str], race: colour_up.Race | None
) -> Sequence[Line]:
    return [
        Line(
            seat,
            shown.names.get(entry, entry),
            shown.state.entries[entry].stack,
            typed.get(f"c{seat}", ""),
            typed.get(f"t{seat}", ""),
            0 if race is None else race.cards.get(seat, 0),
            typed.get(f"d{seat}", ""),
        )
        for seat, entry in sorted(table.seats.items())
    ]


def _asked(form: Mapping[str, str]) -> Asked:
    """What was typed.

    Raises:
        Refused: a number or a card that is none.
    """

    def whole(name: str) -> int | None:
        text = form.get(name, "").replace(" ", "").replace("\u202f", "")
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 12):
            raise Refused("colour-up", "this is no number", where=name, hint="type a whole number")
        return int(text)

    seats = range(1, 11)
    chips = {seat: found for seat in seats if (found := whole(f"c{seat}")) is not None}
    totals = {seat: found for seat in seats if (found := whole(f"t{seat}")) is not None}
    dealt = {seat: cards for seat in seats if (cards := cards_of(form.get(f"d{seat}", "")[:60]))}
    return Asked(old=whole("old") or 0, new=whole("new") or 0, chips=chips, totals=totals, dealt=dealt)


def _race(state: State, table: Table, preset: Preset, asked: Asked) -> colour_up.Race | None:
    """The race that this table needs; None: the book has none.

    Raises:
        Refused: the numbers do not fit.
    """
    if preset.colour_up != "race_cards":
        return None
    stacks = []
    for seat, entry in table.seats.items():
        total = asked.totals.get(seat, state.entries[entry].stack)
        if total is None:
            raise Refused("stack-unknown", "its stack is not known", where=entry, hint="count it first")
        stacks.append(colour_up.Stack(seat, entry, total, asked.chips.get(seat, 0)))
    try:
        return colour_up.race(asked.old, asked.new, stacks)
    except ValueError as error:
        raise Refused("colour-up", str(error), where=table.id, hint="count again") from error


def _job(tournament: str, table: Table, asked: Asked, by: str) -> Callable[[Room, float], colour_up.TableLog]:
    def job(room: Room, now: float) -> colour_up.TableLog:
        directing = tournament_of(room, tournament)
        held = directing.state.tables[table.id]
        if held.running or held.seats != table.seats:
            raise Refused("hand-running", "the table has changed", where=table.id, hint="look again")
        of = held.seats
        return directing.colour_up(
            table.id,
            asked.old,
            asked.new,
            {of[seat]: count for seat, count in asked.chips.items() if seat in of},
            by,
            now,
            room.utc,
            dealt=asked.dealt,
            totals={of[seat]: total for seat, total in asked.totals.items() if seat in of},
        )

    return job
