"""A floor director for plays that nobody watches: he decides what the table calls him for.

Where another rulebook has an answer he follows the first one that the table suggests, else he lets play go on. Cards
that are mixed and drawn are drawn by the people at the table; their word is the decision.
"""

from __future__ import annotations

from typing import Final

from engine.events import FloorDecided
from table_controller.table import Table

_COMES_S: Final = 3.0
"""Seconds of table time from the call to the decision."""
_BY: Final = "director"
# A suggestion that needs more than its name to be carried out.
_NEEDS_MORE: Final = frozenset({"burn_assigned", "call_floor", "amount_corrected", "bets_returned"})


class Director:
    """Answers the open calls of one table, one after the other. Made in the thread that opened the table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._called: tuple[int, float] | None = None  # the call waited on, and since when
        self.decisions = 0
        table.watch(self._look)

    def _look(self) -> None:
        running = self._table.running
        calls = running.state.calls
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

    def _choice(self) -> str:
        for ruling in self._table.running.ruled[1]:
            if ruling.ruling == "call_floor":
                for suggestion in ruling.suggestions or ():
                    if suggestion.ruling and suggestion.ruling[0] not in _NEEDS_MORE:
                        return suggestion.ruling[0]
        return "play_on"
