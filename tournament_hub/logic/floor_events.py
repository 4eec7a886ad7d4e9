"""Calls of the floor as events of a tournament: opened, told more of, answered, gone from the table."""

from __future__ import annotations

from typing import Literal

from table_controller import messages as m
from tournament_hub.logic.happened import Happened


class CallOpened(Happened, frozen=True, kw_only=True, tag="call_opened"):
    """Somebody calls the floor; ``hold``: the table deals no further hand until it is closed.

    ``origin``: how the table itself names it; its decision goes back to it under this name.
    """

    call: str
    kind: str
    table: str | None = None
    seat: int | None = None
    hold: bool = False
    origin: str = ""
    hand: int | None = None
    incident: str = ""


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
