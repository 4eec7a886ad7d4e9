"""What the table asks of the hub and what the hub tells it beside the document: a call of the floor, the clock."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Protocol

from table_controller import hub_clock
from table_controller import messages as m
from table_controller.hub_clock import ClockNow, HubClock
from table_controller.mqtt_link import (
    Connected,
    Disconnected,
    HubSeen,
    LinkNews,
    RequestExpired,
    ResponseArrived,
    TournamentSaid,
)
from table_controller.running import Running


class Asking(Protocol):
    """The line, as far as it is needed here."""

    def request(self, kind: str, request: m.Request) -> None:
        """Asks the hub."""

    def follow(self, tournament: str | None) -> None:
        """Reads the parts of this tournament; None: of none."""


class HubSide:
    """The hub as one table knows it. In the table's thread.

    Attributes:
        move_answer: Told whether the hub has taken what was said of a move.
        floor_answer: Told what became of a call of the floor: ``heard``, or ``silent`` when nobody answered in time.
    """

    def __init__(self, running: Running, line: Asking | None, utc: Callable[[], str]) -> None:
        """``line`` is None where the table has no broker."""
        self.floor_answer: Callable[[str], None] = lambda answer: None
        self.move_answer: Callable[[str, bool], None] = lambda told, taken: None
        self._running = running
        self._line = line
        self._utc = utc
        self._clock: HubClock | None = None
        self._there = False
        self._followed: str | None = None
        self._calls: set[str] = set()
        self._moves: dict[str, str] = {}

    @property
    def there(self) -> bool:
        """Whether the hub is reached and says that it is there."""
        return self._there

    def clock(self) -> ClockNow | None:
        """The tournament's clock now; None where the hub has told none."""
        if self._clock is None:
            return None
        return hub_clock.read(self._clock, self._running.now, hub=self._there)

    def follow(self) -> None:
        """Listen to the tournament that the document names."""
        wanted = self._running.desired.tournament
        if self._line is None or wanted == self._followed:
            return
        self._followed, self._clock = wanted, None
        self._line.follow(wanted)

    def ask(self, kind: str, seat: int | None, entry: str | None) -> None:
        """Tell the hub what people at the table want or have seen; without one nobody needs to know."""
        running = self._running
        if self._line is None:
            return
        if entry is None and seat is not None and seat in running.state.seats:
            entry = running.state.seats[seat].entry
        request = m.Request(
            tx=f"p{secrets.token_hex(8)}",
            t=running.now,
            utc=self._utc(),
            seat=seat,
            entry=entry,
            hand=running.state.hand or None,
            call=running.here.call if kind == "floor" else None,
            by="page",
        )
        if kind == "floor":
            self._calls = {request.tx}
        self._line.request(kind, request)

    def ask_move(self, kind: str, move: str, seat: int, counted: int | None) -> None:
        """Tell the hub that somebody has left (``seat_departed``) or come (``seat_arrived``) by a move, and with what."""
        told = move if kind == "seat_departed" else f"+{move}"
        if self._line is None:
            self.move_answer(told, False)
            return
        request = m.Request(
            tx=f"m{secrets.token_hex(8)}",
            t=self._running.now,
            utc=self._utc(),
            seat=seat,
            move=move,
            counted=counted,
            by="page",
        )
        self._moves[request.tx] = told
        self._line.request(kind, request)

    def hear(self, news: LinkNews) -> None:
        """Take what the line brought."""
        if isinstance(news, HubSeen):
            self._there = news.status.online
        elif isinstance(news, (Connected, Disconnected)):
            self._there = False  # once the line is back, the hub's own word comes again
        elif isinstance(news, ResponseArrived) and news.response.tx in self._calls:
            self.floor_answer("heard" if news.response.ok else "silent")
        elif isinstance(news, RequestExpired) and news.request.tx in self._calls:
            self.floor_answer("silent")
        elif isinstance(news, ResponseArrived) and news.response.tx in self._moves:
            self.move_answer(self._moves.pop(news.response.tx), news.response.ok)
        elif isinstance(news, RequestExpired) and news.request.tx in self._moves:
            self.move_answer(self._moves.pop(news.request.tx), False)
        elif isinstance(news, TournamentSaid) and news.tournament == self._followed:
            said = news.message
            if isinstance(said, m.Clock) and hub_clock.newer(said, self._clock):
                self._clock = hub_clock.hear(said, self._running.now, self._utc())
