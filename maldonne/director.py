"""A floor director for plays that nobody watches: he decides what the table calls him for.

Where another rulebook has an answer he follows the first one that the table suggests, else he lets play go on. Cards
that are mixed and drawn are drawn by the people at the table; their word is the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.events import Answered, FloorDecided, decode
from table_controller.table import Table

_COMES_S: Final = 3.0
"""Seconds of table time from the call to the decision."""
_TWO: Final = 2
_BY: Final = "director"
# A suggestion that needs more than its name to be carried out.
_NEEDS_MORE: Final = frozenset({"burn_assigned", "call_floor", "amount_corrected", "bets_returned"})


def typed(table: Table, said: Mapping[str, Any]) -> None:
    """From any thread: somebody at the simulated table types on the dealer's page what has happened.

    Args:
        table: The table.
        said: An event of the contract, in its JSON form.
    """
    table.submit(decode(msgspec.json.encode(said)), "page")


class Director:
    """Answers the open calls of one table, one after the other. Made in the thread that opened the table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._called: tuple[int, float] | None = None  # the call waited on, and since when
        self._asked: tuple[str, float] | None = None  # the fact asked for, and since when
        self.decisions = 0
        table.watch(self._look)

    def _look(self) -> None:
        running = self._table.running
        calls = running.state.calls
        self._answer()
        if not calls:
            self._called = None
            return
        call = calls[0]
        if self._called is None or self._called[0] != call.event:
            self._called = (call.event, running.now)
            return
        if running.now - self._called[1] < _COMES_S:
            return
        if any(order.order == "draw" for order in running.state.plan):
            return
        self._called = (call.event, running.now)
        self.decisions += 1
        seats = (call.seat,) if call.seat is not None else None
        self._table.submit(FloorDecided(choice=self._choice(), by=_BY, seats=seats), "floor:director")

    def _answer(self) -> None:
        """Answer a fact that the book asks for and that a panel of two buttons cannot tell: its first answer."""
        running = self._table.running
        asked = running.engine_expects[0] if running.engine_expects else None
        if asked is None or asked.order != "ask" or asked.fact is None or len(asked.options or ()) <= _TWO:
            self._asked = None
        elif self._asked is None or self._asked[0] != asked.fact:
            self._asked = (asked.fact, running.now)
        elif running.now - self._asked[1] >= _COMES_S:
            self._asked = (asked.fact, running.now)
            said = Answered(fact=asked.fact, value=(asked.options or ("",))[0], seat=asked.seat)
            self._table.submit(said, "floor:director")

    def _choice(self) -> str:
        for ruling in self._table.running.ruled[1]:
            if ruling.ruling == "call_floor":
                for suggestion in ruling.suggestions or ():
                    if suggestion.ruling and suggestion.ruling[0] not in _NEEDS_MORE:
                        return suggestion.ruling[0]
        return "play_on"
