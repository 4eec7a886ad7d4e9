"""What a tournament tells: targets of tables, the parts of ``tournament/<id>/…``, the same for displays under ``public/…``.

Only what has changed goes out; after the line to the broker was down, all of it. Names of people stand under ``public/…``
alone, and only where the club shows them. Everything in here runs on the hub's thread, inside the store's transaction.
"""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable, Mapping

import msgspec

from table_controller import messages as m
from table_controller.messages import tournament as forms
from tournament_hub.effects import Outbound, Ways, outbound
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import targets
from tournament_hub.logic.state import State
from tournament_hub.tournament_log import TournamentLog
from tournament_hub.wording import Saying, Wording
from tournament_hub.wording_tournament import say_announcement

NAME = 40
"""Letters of a name on a display at most."""
PAGES_S = 60.0
"""Seconds after which a part of several pages is told again: a broker keeps the first of them, who comes later needs all."""
AGAIN_S = 5.0
"""Seconds after which a table that has not gone on is told again that it may."""


class Publisher:
    """Tells tables and displays of one tournament.

    Args:
        log: the tournament.
        ways: the room's targets and messages.
        payouts: what is published of prizes now, page by page; nothing where money is off.
        names: entry → what people are called, where displays may read it; None: they may not.
    """

    def __init__(
        self,
        log: TournamentLog,
        ways: Ways,
        payouts: Callable[[], list[forms.Payouts]],
        names: Callable[[], Mapping[str, str]] | None,
    ) -> None:
        self._log = log
        self._ways = ways
        self._payouts = payouts
        self._names = names
        self._told_rev = -1
        self._clock_rev = -1
        self._clock_due = False
        self._wall: tuple[float, float] | None = None
        self._asked: dict[str, float] = {}
        self._sent: dict[str, list[msgspec.Struct]] = {}
        self._paged: set[str] = set()
        self._paged_at: float | None = None
        self._wording: Wording | None = None
        self._utc = ""
        log.follow(self._announce)

    def forget(self) -> None:
        """A transaction failed: nobody knows what was sent."""
        self._told_rev = self._clock_rev = -1
        self._sent.clear()

    def publish(self, now: float, utc: str, *, whole: bool = False) -> None:
        """Send what has changed; ``whole``: all of it."""
        log = self._log
        self._utc = utc
        stepped, self._clock_due = self._clock_due, False
        if log.state.rev == self._told_rev and not whole and not stepped:
            return
        self._told_rev = log.state.rev
        self._targets()
        if whole:
            self._sent.clear()
        state = log.state
        places = log.places()
        self._send("info", [targets.info(state)])
        self._send("moves", [targets.moves(state)])
        self._send("standings", list(targets.standings(state, places)))
        self._send("payouts", list(self._payouts()))
        stages = state.settings.stages
        if stages and (state.clock.rev != self._clock_rev or whole or stepped):
            self._clock_rev = state.clock.rev
            held = state.hand_for_hand
            message = clocks.message(
                state.clock,
                stages,
                now=log.time(now),
                utc=utc,
                epoch=self._ways.store.epoch,
                hand_for_hand=held is not None,
                round=None if held is None else held.round,
            )
            self._send("clock", [message])
            self._send("structure", [clocks.structure_of(stages, log.preset.late_levels)])

    def _targets(self) -> None:
        log, ways = self._log, self._ways
        for table in log.state.tables.values():
            if table.device:
                before = ways.target(table.id)
                wanted = targets.target(log.state, log.preset, table.id, before)
                if any(getattr(before, key) != value for key, value in wanted.items()):
                    try:
                        ways.change(table.id, "hub", "tournament", **wanted)
                    except m.MessageError as error:
                        ways.notes.alarm(
                            table.id, "message_refused", f"desired: {error.what}"[:300], self._utc
                        )

    # -- parts -----------------------------------------------------------------------------

    def _send(self, part: str, pages: list[msgspec.Struct]) -> None:
        """One part; of several pages the first goes last, so that it is the one that is kept for who comes later."""
        if self._sent.get(part, []) == pages:
            return
        self._sent[part] = pages
        self._try(part, pages)

    def _try(self, part: str, pages: list[msgspec.Struct]) -> None:
        try:
            self._send_pages(part, pages)
        except m.MessageError as error:  # more than a message holds: said to people, and the room goes on
            self._ways.notes.alarm("", "message_refused", f"{part}: {error.what}"[:300], self._utc)

    def _send_pages(self, part: str, pages: list[msgspec.Struct]) -> None:
        names = self._names() if self._names is not None else {}
        for page in reversed(pages):
            topic = m.topics.tournament(self._ways.club, self._log.id, part)
            self._ways.notes.send(outbound("tournament", topic, page))
        shown = _public(pages, names)
        self._paged = self._paged - {part} | ({part} if len(shown) > 1 else set())
        for page in reversed(shown):
            topic = m.topics.public(self._ways.club, self._log.id, part)
            self._ways.notes.send(outbound("public", topic, page))
        if not pages:  # there was one: prizes that are none any more
            for kind, topic in (
                ("tournament", m.topics.tournament(self._ways.club, self._log.id, part)),
                ("public", m.topics.public(self._ways.club, self._log.id, part)),
            ):
                self._ways.notes.send(Outbound(topic, b"", "public" if kind == "public" else "tournament"))

    def _announce(self, before: State, after: State, record: ev.Record) -> None:
        """Say it to the room, once: a level, a break, hand-for-hand, a table that is broken, the end."""
        for kind, saying in say_announcement(before, after, record.event, self._log.preset):
            words = self._words(saying)
            table = getattr(record.event, "table", None) or None
            message = forms.Announcement(
                id=f"n{record.n}", text=words, utc=record.utc or "—", kind=kind, table=table
            )
            for family, topic in (
                ("tournament", m.topics.tournament(self._ways.club, self._log.id, "announce")),
                ("public", m.topics.public(self._ways.club, self._log.id, "announce")),
            ):
                self._ways.notes.send(
                    outbound("public" if family == "public" else "tournament", topic, message, once=True)
                )

    def _words(self, saying: Saying) -> m.Words:
        if self._wording is None:
            self._wording = Wording()
        return m.Words(fr=self._wording.say(saying, "fr"), en=self._wording.say(saying, "en"))

    # -- time ----------------------------------------------------------------------------

    def tick(self, now: float, utc: str) -> None:
        """Time passes: held hands that may go on are told so again, a wall clock that was set is noticed."""
        wall = seconds_of(utc)
        if wall is not None:
            last, self._wall = self._wall, (now, wall)
            if last is not None and clocks.wall_stepped(now - last[0], wall - last[1]):
                self._clock_due = True
        if self._paged_at is None or now - self._paged_at >= PAGES_S:
            if self._paged_at is not None:
                for part in sorted(self._paged & self._sent.keys()):
                    self._try(part, self._sent[part])
            self._paged_at = now
        for table in self._log.state.tables.values():
            if not (table.device and table.runout and table.runout_released and table.hand is not None):
                self._asked.pop(table.id, None)
                continue
            if now - self._asked.get(table.id, -AGAIN_S) >= AGAIN_S:  # a command may be lost
                self._asked[table.id] = now
                command = m.RunoutRelease(tx=f"runout-{self._log.state.rev}", hand=table.hand)
                topic = m.topics.command(self._ways.club, table.id, "runout_release")
                self._ways.notes.send(outbound("command", topic, command))


def seconds_of(utc: str) -> float | None:
    """Seconds since 1970 of a label of the wall clock; None when it is no such label."""
    try:
        return float(calendar.timegm(time.strptime(utc, "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return None


def _public(pages: list[msgspec.Struct], names: Mapping[str, str]) -> list[msgspec.Struct]:
    """The same for displays, with names where there are any."""
    found: list[msgspec.Struct] = []
    for page in pages:
        match page:
            case forms.Standings(first=first, total=total, rows=rows):
                shown = tuple(
                    forms.PublicStanding(
                        entry=row.entry,
                        place=row.place,
                        stack=row.stack,
                        table=row.table,
                        seat=row.seat,
                        name=_name(names, row.entry),
                    )
                    for row in rows
                )
                for start in range(0, max(1, len(shown)), targets.PUBLIC_ROWS):
                    part = shown[start : start + targets.PUBLIC_ROWS]
                    found.append(forms.PublicStandings(first=first + start, total=total, rows=part))
            case forms.Moves(rows=moves):  # the newest: a message does not hold as many with names
                found.append(
                    forms.PublicMoves(
                        rows=tuple(
                            forms.PublicMove(
                                move=row.move,
                                entry=row.entry,
                                origin=row.origin,
                                target=row.target,
                                state=row.state,
                                stack=row.stack,
                                utc=row.utc,
                                name=_name(names, row.entry),
                            )
                            for row in targets.newest(moves, targets.PUBLIC_ROWS // 2)
                        )
                    )
                )
            case forms.Payouts() as prizes:
                won = tuple(
                    forms.PublicPayout(
                        place=row.place,
                        amount=row.amount,
                        entry=row.entry,
                        name=_name(names, row.entry) if row.entry is not None else None,
                    )
                    for row in prizes.rows
                )
                for start in range(0, max(1, len(won)), targets.PUBLIC_ROWS):
                    found.append(
                        forms.PublicPayouts(
                            currency=prizes.currency,
                            pool=prizes.pool,
                            rows=won[start : start + targets.PUBLIC_ROWS],
                            first=prizes.first + start,
                            total=prizes.total,
                        )
                    )
            case _:
                found.append(page)
    return found


def _name(names: Mapping[str, str], entry: str) -> str | None:
    name = names.get(entry)
    return None if name is None else name[:NAME]
