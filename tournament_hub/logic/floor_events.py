"""Calls of the floor as events of a tournament: opened, told more of, answered, gone from the table; rebuys asked for."""

from __future__ import annotations

from typing import Literal

from table_controller import messages as m
from tournament_hub.logic.happened import Happened


class CallOpened(Happened, frozen=True, kw_only=True, tag="call_opened"):
    """Somebody calls the floor; ``hold``: the table deals no further hand until it is closed.

    ``origin``: how the table itself names it; its decision goes back to it under this name. ``declared``, ``counted``:
    chips that somebody has said and that were found, where the two are what it is about.
    """

    call: str
    kind: str
    table: str | None = None
    seat: int | None = None
    hold: bool = False
    origin: str = ""
    hand: int | None = None
    incident: str = ""
    declared: int | None = None
    counted: int | None = None


class CallTold(Happened, frozen=True, kw_only=True, tag="call_told"):
    """The table says what a call is about: what was declared, what was counted."""

    call: str
    declared: int | None = None
    counted: int | None = None


class CallAnswered(Happened, frozen=True, kw_only=True, tag="call_answered"):
    """A call is acknowledged, ruled or closed; ``rev`` is the revision that whoever answers has seen.

    ``decision``: what the table where it was made must know of it; it stands in its target until it is obeyed.
    """

    call: str
    rev: int
    state: Literal["open", "acknowledged", "ruled", "closed"]
    code: str = ""
    text: str = ""
    article: str = ""
    decision: m.Decision | None = None


class CallGone(Happened, frozen=True, kw_only=True, tag="call_gone"):
    """At the table this call is closed: by the decision that was sent, or by people there."""

    call: str


class RebuyAsked(Happened, frozen=True, kw_only=True, tag="rebuy_asked"):
    """An entry would like a rebuy; a director says yes or no, never the program."""

    entry: str
    table: str = ""


class RebuyDeclined(Happened, frozen=True, kw_only=True, tag="rebuy_declined"):
    """The director says no, or it is not wanted any more."""

    entry: str
