"""What every page with buttons needs: to have something done on the hub's thread, and to know who wanted it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from starlette.exceptions import HTTPException

from tournament_hub.directing import Directing
from tournament_hub.errors import UnknownTournament
from tournament_hub.room import Room
from webkit.pages import Visitor

ANSWER_DEADLINE: Final = 10.0
"""Seconds that a decision may take to be on the disk."""

Decide = Callable[[Callable[[Room, float], Any]], "Future[Any]"]


async def decided(decide: Decide, what: Callable[[Room, float], Any]) -> Any:
    """Have it done in a transaction of its own and wait until it is on the disk.

    Raises:
        HubError: it was refused, and nothing has changed.
        HTTPException: no answer in time (503).
    """
    try:
        return await asyncio.wait_for(asyncio.wrap_future(decide(what)), ANSWER_DEADLINE)
    except TimeoutError as late:
        raise HTTPException(503) from late


def tournament_of(room: Room, ident: str) -> Directing:
    """A tournament of the room.

    Raises:
        UnknownTournament: there is none of that name.
    """
    found = room.tournaments.get(ident)
    if found is None:
        raise UnknownTournament(
            "there is no such tournament", where=ident, hint="look at the floor page again"
        )
    return found


def by_whom(visitor: Visitor) -> str:
    """Who decides, as the log names him: his device."""
    return visitor.device.name if visitor.device is not None else "?"
