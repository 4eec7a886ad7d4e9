"""A tournament as a log that grows: a decision is checked, written down with what takes it back, and then it counts.

The log lies in the hub's store, each record written in the transaction of what caused it; after a restart it is played
again. The tournament's time goes on from the last record, so that the hours in which no hub ran do not count. Everything
in here runs on the hub's thread, inside the store's transaction; time is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from tournament_hub.effects import Ways
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, ranking, undo
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposals import Proposal, proposals
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Settings, State
from tournament_hub.wording import Saying
from tournament_hub.wording_tournament import say_decision

Told = Callable[[State, State, ev.Record], None]


class TournamentLog:
    """One tournament's record and what it makes.

    Args:
        settings: from the configuration.
        devices: its tables; True: a program plays it.
        preset: what its rulebook decides.
        ways: the room's record, targets and words.
    """

    def __init__(self, settings: Settings, devices: dict[str, bool], preset: Preset, ways: Ways) -> None:
        self.id = settings.tournament
        self.preset = preset
        self.configured = settings
        """As the configuration file has it now; ``state.settings`` is what is played."""
        self._devices = devices
        self._ways = ways
        self._offset: float | None = None
        self._told: list[Told] = []
        self._taken_over: Settings | None = None
        self._foreseen: tuple[State, int, tuple[Proposal, ...]] | None = None
        self.log: list[ev.Record] = []
        self.state: State = machine.start(settings)
        self.reload()

    def reload(self) -> None:
        """Play the log again: at the start, and after a transaction that failed."""
        self.log = [msgspec.json.decode(raw, type=ev.Record) for raw in self._ways.store.records(self.id)]
        first = next((r.event for r in self.log if isinstance(r.event, ev.Opened)), None)
        began = self.configured if first is None else first.settings
        self.state = machine.replay(began, self.log, self.preset)
        self._foreseen = None
        told = [r.event for r in self.log if r.by == "hub" and isinstance(r.event, ev.Opened)]
        self._taken_over = (told[-1].filed or told[-1].settings) if told else None

    def time(self, now: float) -> float:
        """The tournament's own seconds: they go on where the last record was made, whatever the hub's clock was."""
        if self._offset is None:
            self._offset = (self.log[-1].at if self.log else 0.0) - now
        return now + self._offset

    def follow(self, told: Told) -> None:
        """Tell this of every record: the tournament before it, after it, and the record."""
        self._told.append(told)

    # -- decisions ---------------------------------------------------------------------

    def say(
        self,
        event: ev.Event,
        by: str,
        now: float,
        utc: str,
        *,
        cause: str | None = None,
        undoes: int | None = None,
    ) -> ev.Record:
        """Take a decision or a report into the log; inside ``transaction``.

        Raises:
            Refused: it does not fit how things stand; nothing has changed.
        """
        if not self.log and not isinstance(event, ev.Opened):
            self.open(now, utc)
        at = self.time(now)
        before = self.state
        own = isinstance(event, ev.HandDone) and by == event.table  # a table's word of itself is a fact
        inverse = () if own else undo.inverse(before, event, at)
        state = machine.apply(before, event, self.preset, at)
        record = ev.Record(
            n=len(self.log) + 1,
            at=at,
            event=event,
            by=by,
            cause=cause,
            undoes=undoes,
            undo=inverse,
            utc=utc,
        )
        self._ways.store.add_record(self.id, record.n, msgspec.json.encode(record), utc)
        self.state = state
        self.log.append(record)
        saying = None if own else say_decision(event)
        if saying is not None:
            name = getattr(event, "table", "") or ""
            self._ways.notes.say(name, None, "plain", Saying("log.decision", {"what": saying, "by": by}))
        for told in self._told:
            told(before, state, record)
        return record

    def say_all(
        self, events: Iterable[ev.Event], by: str, now: float, utc: str, *, cause: str | None = None
    ) -> list[ev.Record]:
        """Take several together, all or none.

        Raises:
            Refused: one of them does not fit; nothing has changed.
        """
        wanted = list(events)
        if wanted and not self.log:
            self.open(now, utc)
        self.check(wanted, now)
        return [self.say(event, by, now, utc, cause=cause) for event in wanted]

    def do(self, proposal: str, by: str, now: float, utc: str, choice: int | None = None) -> int:
        """Do what is proposed, or one of its alternatives; how many events came of it. One transaction.

        Raises:
            Refused: it is not proposed any more.
        """
        found = next((p for p in self.proposals(now) if p.id == proposal), None)
        if found is None or (choice is not None and choice >= len(found.alternatives)):
            raise Refused("not-proposed", "this is not proposed any more", where=proposal, hint="look again")
        effects = found.effects if choice is None else found.alternatives[choice].events
        return len(self.say_all(effects, by, now, utc, cause=proposal))

    def check(self, events: Iterable[ev.Event], now: float) -> None:
        """Whether all of these can be taken, one after the other.

        Raises:
            Refused: one of them does not fit.
        """
        state, at = self.state, self.time(now)
        for event in events:
            state = machine.apply(state, event, self.preset, at)

    def proposals(self, now: float) -> tuple[Proposal, ...]:
        """What waits for the director now; some of it comes by time alone (an absence that has lasted)."""
        at = self.time(now)
        held = self._foreseen
        if held is None or held[0] is not self.state or held[1] != int(at):
            held = self._foreseen = (self.state, int(at), proposals(self.state, self.preset, at))
        return held[2]

    def places(self) -> tuple[ranking.Place, ...]:
        """Who has which place by now, best first."""
        return ranking.places(self.state.entries.keys(), self.state.groups, self.preset, over=self.state.over)

    # -- taking back ----------------------------------------------------------------------

    def undo(self, n: int, by: str, now: float, utc: str) -> int:
        """Take a decision back, and with a ruling all that came of it; how many events that takes.

        Raises:
            Refused: it cannot be taken back, with what to do instead.
        """
        if not 1 <= n <= len(self.log):
            raise Refused("no-record", "there is no such decision", where=f"no. {n}", hint="look again")
        record = self.log[n - 1]
        count = 0
        if isinstance(record.event, ev.CallAnswered):
            count = self.undo_cause(record.event.call, by, now, utc, after=n)
        back = undo.compensation(self.state, record, self.preset)
        self.check(back, now)
        for event in back:
            self.say(event, by, now, utc, undoes=n)
        return count + len(back)

    def undo_cause(self, cause: str, by: str, now: float, utc: str, *, after: int = 0) -> int:
        """Take back all that came of a floor call's ruling or of one proposal, last first.

        Args:
            cause: the call or proposal.
            by: who.
            now: seconds on the hub's clock.
            utc: a label for people.
            after: only what came after this record.
        """
        undone = {record.undoes for record in self.log}
        mine = [r for r in self.log[after:] if r.cause == cause and r.n not in undone and r.undo]
        return sum(self.undo(record.n, by, now, utc) for record in reversed(mine))

    # -- the configuration ------------------------------------------------------------------

    def open(self, now: float, utc: str) -> None:
        """Take over what the file says: settings that are new in it, tables that it names and the tournament lacks.

        What people have set since stays, where the file says the same as before.
        """
        before, self._taken_over = self._taken_over, self.configured
        if before is None:
            self.report(ev.Opened(settings=self.configured), "hub", now, utc)
        elif before != self.configured:
            names = self.configured.__struct_fields__
            new = {n: getattr(self.configured, n) for n in names}
            new = {n: value for n, value in new.items() if value != getattr(before, n)}
            settings = msgspec.structs.replace(self.state.settings, **new)
            self.report(ev.Opened(settings=settings, filed=self.configured), "hub", now, utc)
        known = len(self.state.tables)
        for name, device in self._devices.items():
            if name not in self.state.tables and not self.state.over:
                capacity = self.configured.capacity
                self.report(ev.TableOpened(table=name, capacity=capacity, device=device), "hub", now, utc)
        written = before is None or before.break_order != self.configured.break_order
        if written or len(self.state.tables) != known:
            self._post_order(now, utc)

    def _post_order(self, now: float, utc: str) -> None:
        """The order of breaking as the club has written it; tables that it does not name stay behind, as they stand."""
        wanted = [name for name in self.configured.break_order if name in self.state.tables]
        order = (*wanted, *(name for name in self.state.order if name not in wanted))
        if wanted and order != self.state.order:
            self.report(ev.OrderPosted(order=order), "hub", now, utc)

    def report(self, event: ev.Event, name: str, now: float, utc: str) -> bool:
        """Take what a table says (``name``), or what the hub does by itself; what does not fit is an alarm, and False.

        Args:
            event: what is said.
            name: the table, or ``hub``.
            now: seconds on the hub's clock.
            utc: a label for people.
        """
        try:
            self.say(event, name, now, utc)
        except Refused as refused:
            where = "" if name == "hub" else name
            self._ways.notes.alarm(where, "tournament_refused", f"{refused.code}: {refused.what}"[:300], utc)
            return False
        return True
