"""A tournament that runs: what tables report becomes its events, what it decides becomes targets, clock and commands.

Its record is the log of its events in the hub's store, written in the same transaction as the tables' events that caused
them; after a restart the log is played again. Its time goes on from the last record, so that the hours in which no hub
ran do not count. Everything in here runs on the hub's thread, inside the store's transaction; time is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from engine.seating import Positions
from table_controller import messages as m
from tournament_hub.config import TournamentSetting
from tournament_hub.effects import Notebook, outbound
from tournament_hub.logic import clock as clocks
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine, ranking, targets, undo
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.proposals import Proposal, proposals
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Settings, State
from tournament_hub.store import Store
from tournament_hub.wording import Saying
from tournament_hub.wording_tournament import say_decision

REMEMBER_S = 30.0
"""Seconds of the clock that a power cut may cost at most."""
AGAIN_S = 5.0
"""Seconds after which a table that has not gone on is told again that it may."""


class Directing:
    """One tournament as it runs.

    Args:
        settings: from the configuration.
        devices: its tables; True: a program plays it.
        preset: what its rulebook decides.
        store: the record.
        notes: collects what is to be sent and said.
        club: whose topics.
        change: makes a new revision of a table's target.
        target: the present target of a table.
    """

    def __init__(
        self,
        settings: Settings,
        devices: dict[str, bool],
        preset: Preset,
        store: Store,
        notes: Notebook,
        club: str,
        change: Callable[..., object],
        target: Callable[[str], m.Desired],
    ) -> None:
        self.id = settings.tournament
        self.preset = preset
        self._settings = settings
        self._devices = devices
        self._store = store
        self._notes = notes
        self._club = club
        self._change = change
        self._target = target
        self._offset: float | None = None
        self._told_rev = -1
        self._clock_rev = -1
        self._asked: dict[str, float] = {}
        self._sent: dict[str, msgspec.Struct] = {}
        self._waiting: list[tuple[str, m.Arrive]] = []
        self.log: list[ev.Record] = []
        self.state: State = machine.start(settings)
        self.reload()

    def reload(self) -> None:
        """Play the log again: at the start, and after a transaction that failed."""
        self.log = [msgspec.json.decode(raw, type=ev.Record) for raw in self._store.records(self.id)]
        first = self.log[0].event if self.log else None
        began = first.settings if isinstance(first, ev.Opened) else self._settings
        self.state = machine.replay(began, self.log, self.preset)
        self._told_rev = self._clock_rev = -1
        self._sent.clear()

    def time(self, now: float) -> float:
        """The tournament's own seconds: they go on where the last record was made, whatever the hub's clock was."""
        if self._offset is None:
            self._offset = (self.log[-1].at if self.log else 0.0) - now
        return now + self._offset

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
        at = self.time(now)
        inverse = undo.inverse(self.state, event, at)
        state = machine.apply(self.state, event, self.preset, at)
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
        self._store.add_record(self.id, record.n, msgspec.json.encode(record), utc)
        self.state = state
        self.log.append(record)
        saying = say_decision(event)
        if saying is not None:
            name = getattr(event, "table", "") or ""
            self._notes.say(name, None, "plain", Saying("log.decision", {"what": saying, "by": by}))
        return record

    def do(self, proposal: str, by: str, now: float, utc: str, choice: int | None = None) -> int:
        """Do what is proposed, or one of its alternatives; how many events came of it. One transaction.

        Raises:
            Refused: it is not proposed any more.
        """
        found = next((p for p in self.proposals(now) if p.id == proposal), None)
        if found is None or (choice is not None and choice >= len(found.alternatives)):
            raise Refused("not-proposed", "this is not proposed any more", where=proposal, hint="look again")
        effects = found.effects if choice is None else found.alternatives[choice].events
        self._all_or_nothing(effects, now)
        for event in effects:
            self.say(event, by, now, utc, cause=proposal)
        return len(effects)

    def _all_or_nothing(self, events: Iterable[ev.Event], now: float) -> None:
        state, at = self.state, self.time(now)
        for event in events:
            state = machine.apply(state, event, self.preset, at)

    def proposals(self, now: float) -> tuple[Proposal, ...]:
        """What waits for the director now."""
        return proposals(self.state, self.preset, self.time(now))

    def undo(self, n: int, by: str, now: float, utc: str) -> int:
        """Take a decision back; how many events that takes.

        Raises:
            Refused: it cannot be taken back, with what to do instead.
        """
        if not 1 <= n <= len(self.log):
            raise Refused("no-record", "there is no such decision", where=f"no. {n}", hint="look again")
        back = undo.compensation(self.state, self.log[n - 1], self.preset)
        self._all_or_nothing(back, now)
        for event in back:
            self.say(event, by, now, utc, undoes=n)
        return len(back)

    def undo_cause(self, cause: str, by: str, now: float, utc: str) -> int:
        """Take back all that came of a floor call's ruling or of one proposal, last first."""
        undone = {record.undoes for record in self.log}
        mine = [r for r in self.log if r.cause == cause and r.n not in undone and r.undo]
        return sum(self.undo(record.n, by, now, utc) for record in reversed(mine))

    # -- what tables report --------------------------------------------------------------

    def _report(self, name: str, event: ev.Event, now: float, utc: str) -> bool:
        try:
            self.say(event, name, now, utc)
        except Refused as refused:
            self._notes.alarm(name, "tournament_refused", f"{refused.code}: {refused.what}"[:300], utc)
            return False
        return True

    def event(self, name: str, event: m.Event, now: float, utc: str) -> None:
        """One event of a table's stream, once and in order."""
        if name not in self.state.tables or self.state.over:
            return
        match event.body:
            case m.HandStart() as start:
                positions = positions_of(start, self.state.tables[name].seats)
                told = ev.HandStarted(
                    table=name, hand=start.hand, level=start.level.n, positions=positions, gate=start.gate
                )
                self._report(name, told, now, utc)
            case m.AllinPending(seats=seats):
                self._report(name, ev.RunoutPending(table=name, hand=event.hand, seats=seats), now, utc)
            case m.HandEnd() as end:
                ended = ev.HandEnded(
                    table=name,
                    hand=event.hand,
                    stacks={seat.entry: seat.stack for seat in end.stacks if seat.entry is not None},
                    busts={bust.entry: bust.start_stack for bust in end.busts},
                    void=end.void,
                    amends=event.amends is not None,
                )
                self._report(name, ended, now, utc)
            case m.Counted(seat=seat, counted=counted):
                entry = self.state.tables[name].seats.get(seat)
                if entry is not None:
                    self._report(name, ev.Counted(entry=entry, stack=counted), now, utc)
            case m.Depart(move=str(move), stack=stack) if move in self.state.moves:
                if self.state.moves[move].state == "planned":
                    self._report(name, ev.MoveLeft(move=move, stack=stack, by=name), now, utc)
            case m.Arrive(move=str()) as arrive:
                self._waiting.append((name, arrive))
            case m.PenaltyServed(entry=entry, left=left) if entry in self.state.entries:
                self._report(name, ev.PenaltyServed(entry=entry, left=left), now, utc)
        self._arrivals(now, utc)

    def _arrivals(self, now: float, utc: str) -> None:
        """Who has sat down; the word of the new table may be here before that of the old one."""
        rest = []
        for name, arrive in self._waiting:
            move = self.state.moves.get(arrive.move or "")
            if move is None or move.state not in ("planned", "in_transit"):
                continue
            if move.state == "planned":
                source = self.state.tables[move.origin.table]
                if source.running or source.device:
                    rest.append((name, arrive))
                    continue
                self._report(name, ev.MoveLeft(move=move.id, by=name), now, utc)
            self._report(name, ev.MoveArrived(move=move.id, counted=arrive.stack, by=name), now, utc)
        self._waiting = rest

    def request(self, name: str, kind: str, request: m.Request, now: float, utc: str) -> m.Response | None:
        """What a table asks; None: it does not concern the tournament."""
        if name not in self.state.tables:
            return None
        event: ev.Event | None = None
        entry = request.entry or self.state.tables[name].seats.get(request.seat or 0)
        match kind:
            case "floor" | "pot_dispute" | "count_dispute" | "clock":
                call = f"{name}-{request.tx}"[:64]
                event = ev.CallOpened(
                    call=call,
                    kind={"floor": "ruling", "count_dispute": "count"}.get(kind, kind),
                    table=name,
                    seat=request.seat,
                    hold=kind != "clock",
                )
            case "absent" | "present" if entry is not None:
                event = ev.Presence(entry=entry, absent=kind == "absent", declared=kind == "absent")
            case "seat_departed" if request.move is not None:
                event = ev.MoveLeft(move=request.move, stack=request.counted, by=name)
            case "seat_arrived" if request.move is not None:
                event = ev.MoveArrived(move=request.move, counted=request.counted, by=name)
            case "rebuy" if entry is not None:
                event = ev.ChipsAdded(entry=entry, chips=self.state.settings.rebuy_stack)
            case _:
                return None
        try:
            self.say(event, name, now, utc)
        except Refused as refused:
            code = refused.code.replace("-", "_")
            return m.Response(tx=request.tx, ok=False, code=code, hint=refused.hint[:400])
        return m.Response(tx=request.tx, ok=True, seat=request.seat, entry=entry, move=request.move)

    # -- time ------------------------------------------------------------------------------

    def tick(self, now: float, utc: str, heard: Callable[[str], bool]) -> None:
        """Time passes: the level, tables that fall silent, what the hub does by itself, what must be said again."""
        if not self.log:
            self._open(now, utc)
        for table in list(self.state.tables.values()):
            if table.device and table.status != "closed" and heard(table.id) != table.heard:
                self.say(ev.Heard(table=table.id, heard=not table.heard), "hub", now, utc)
        stages = self.state.settings.stages
        if stages and self.state.started and not self.state.over:
            running = any(t.running or not t.trusted for t in self.state.tables.values() if t.seats)
            act = clocks.Ticked(hands_running=running)
            moved = clocks.moved(self.state.clock, stages, act, self.time(now)) is not self.state.clock
            if moved or self.time(now) - self.log[-1].at >= REMEMBER_S:
                self.say(ev.Clocked(act=act), "hub", now, utc)
        self._automatic(now, utc)
        self._runouts(now)
        self.publish(now, utc)

    def _open(self, now: float, utc: str) -> None:
        self.say(ev.Opened(settings=self._settings), "hub", now, utc)
        for name, device in self._devices.items():
            capacity = self._settings.capacity
            self.say(ev.TableOpened(table=name, capacity=capacity, device=device), "hub", now, utc)

    def _automatic(self, now: float, utc: str) -> None:
        done: set[str] = set()
        for _ in range(20):
            found = next(
                (
                    p
                    for p in self.proposals(now)
                    if p.kind in self.state.settings.automatic and not p.question and p.id not in done
                ),
                None,
            )
            if found is None:
                return
            done.add(found.id)
            for event in found.effects:
                self._report("hub", event, now, utc)

    def _runouts(self, now: float) -> None:
        """A command may be lost: it is said again until the table has gone on."""
        for table in self.state.tables.values():
            if not (table.device and table.runout and table.runout_released and table.hand is not None):
                self._asked.pop(table.id, None)
                continue
            if now - self._asked.get(table.id, -AGAIN_S) >= AGAIN_S:
                self._asked[table.id] = now
                command = m.RunoutRelease(tx=f"runout-{self.state.rev}", hand=table.hand)
                topic = m.topics.command(self._club, table.id, "runout_release")
                self._notes.send(outbound("command", topic, command))

    # -- what others must know -----------------------------------------------------------------

    def publish(self, now: float, utc: str, *, whole: bool = False) -> None:
        """Send what has changed: targets of tables, clock, moves, standings; ``whole``: all of it."""
        if self.state.rev == self._told_rev and not whole:
            return
        self._told_rev = self.state.rev
        for table in self.state.tables.values():
            if table.device:
                before = self._target(table.id)
                wanted = targets.target(self.state, self.preset, table.id, before)
                if any(getattr(before, key) != value for key, value in wanted.items()):
                    self._change(table.id, "hub", "tournament", **wanted)
        if whole:
            self._sent.clear()
        self._send("info", targets.info(self.state))
        self._send("moves", targets.moves(self.state))
        self._send("standings", targets.standings(self.state, self._places())[0])
        stages = self.state.settings.stages
        if stages and (self.state.clock.rev != self._clock_rev or whole):
            self._clock_rev = self.state.clock.rev
            held = self.state.hand_for_hand
            self._send(
                "clock",
                clocks.message(
                    self.state.clock,
                    stages,
                    now=self.time(now),
                    utc=utc,
                    epoch=self._store.epoch,
                    hand_for_hand=held is not None,
                    round=None if held is None else held.round,
                ),
            )
            self._send("structure", clocks.structure_of(stages, self.preset.late_levels))

    def _places(self) -> tuple[ranking.Place, ...]:
        return ranking.places(self.state.entries.keys(), self.state.groups, self.preset, over=self.state.over)

    def _send(self, part: str, message: msgspec.Struct) -> None:
        if self._sent.get(part) != message:
            self._sent[part] = message
            topic = m.topics.tournament(self._club, self.id, part)
            self._notes.send(outbound("tournament", topic, message))


def positions_of(start: m.HandStart, seats: dict[int, str]) -> Positions | None:
    """Button and blinds as a table's hand had them; None when it does not say who had the big blind."""
    dealt = [seat.seat for seat in start.seats]
    if start.bb is None or len(dealt) < 2:
        return None
    small = (start.bb - 2) % 10 + 1 if start.sb is None else start.sb
    order = sorted(dealt, key=lambda seat: (seat - start.button - 1) % 10)
    waiting = tuple(sorted(seat for seat in seats if seat not in dealt))
    return Positions(start.button, small, start.bb, tuple(order), waiting)


def settings_of(ident: str, setting: TournamentSetting) -> Settings:
    """A tournament's settings as the configuration file says them."""
    stages, number = [], 0
    for row in setting.levels:
        level = None
        if row.small_blind is not None and row.big_blind is not None:
            number += 1
            ante = m.Ante(kind=row.ante.kind, amount=row.ante.amount)
            level = m.Level(n=number, small_blind=row.small_blind, big_blind=row.big_blind, ante=ante)
        stages.append(clocks.Stage(60.0 * row.minutes, level, row.colour_up))
    return Settings(
        tournament=ident,
        title=setting.title,
        rulebook=setting.rulebook,
        capacity=setting.seats,
        starting_stack=setting.starting_stack,
        seed=setting.seed,
        final_seats=setting.final_seats,
        places_paid=setting.places_paid,
        re_entries=setting.re_entries,
        rebuys=setting.rebuys,
        rebuy_stack=setting.rebuy_stack,
        add_on=setting.add_on,
        add_on_stack=setting.add_on_stack,
        smallest_chip=setting.smallest_chip,
        limit=setting.limit,
        stages=tuple(stages),
        automatic=setting.automatic,
    )
