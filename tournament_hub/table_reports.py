"""What tables report of a tournament: hands, results, counts, moves and what people at them ask, as its events.

Everything in here runs on the hub's thread, inside the store's transaction.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.seating import Positions
from table_controller import messages as m
from tournament_hub.effects import Ways
from tournament_hub.logic import events as ev
from tournament_hub.logic.refusal import Refused
from tournament_hub.tournament_log import TournamentLog

CALLS: Final = {"floor": "ruling", "pot_dispute": "pot_dispute", "count_dispute": "count", "clock": "clock"}
"""Requests that call the floor, and what kind of call each is."""
ALERTS: Final = frozenset(
    ("ruling", "pot_dispute", "count", "clock", "misdeal", "device_fault", "behaviour", "chips", "medical")
)
"""Alerts of tables that are calls of the floor."""
BETWEEN: Final = frozenset(("over", "void", "idle"))
"""Phases of a table that plays no hand."""
NO_HOLD: Final = frozenset(("clock", "device_fault"))
"""Calls that do not keep a table from its next hand."""
DISPUTES: Final = frozenset(("ruling", "pot_dispute", "count", "chips"))
"""Calls that may be about what was declared and what was counted."""


class _Count(msgspec.Struct, frozen=True):
    """A count at a table that gave another number than was declared."""

    hand: int | None
    seat: int
    declared: int
    counted: int

    def concerns(self, hand: int | None, seat: int | None) -> bool:
        """Whether a call of this hand and seat may be about it."""
        return (hand is None or hand == self.hand) and (seat is None or seat == self.seat)


class TableReports:
    """Takes what the tables of one tournament say.

    Args:
        log: the tournament.
        ways: the room's record and words.
    """

    def __init__(self, log: TournamentLog, ways: Ways) -> None:
        self._log = log
        self._ways = ways
        calls = log.state.calls.values()
        self._from_before = {call.id for call in calls if call.origin and not call.obeyed}
        self._counts: dict[str, _Count] = {}

    def event(self, name: str, event: m.Event, now: float, utc: str) -> None:
        """One event of a table's stream, once and in order."""
        log = self._log
        if name not in log.state.tables or log.state.over:
            return
        table = log.state.tables[name]
        match event.body:
            case m.HandStart() as start:
                told = ev.HandStarted(
                    table=name,
                    hand=start.hand,
                    level=start.level.n,
                    positions=positions_of(start, table.seats),
                    gate=start.gate,
                )
                log.report(told, name, now, utc)
                self._calls_over(name, start.hand, now, utc)
            case m.AllinPending(seats=seats):
                log.report(ev.RunoutPending(table=name, hand=event.hand, seats=seats), name, now, utc)
            case m.HandEnd() as end:
                ended = ev.HandEnded(
                    table=name,
                    hand=event.hand,
                    stacks={seat.entry: seat.stack for seat in end.stacks if seat.entry is not None},
                    busts={bust.entry: bust.start_stack for bust in end.busts},
                    void=end.void,
                    amends=event.amends is not None,
                )
                log.report(ended, name, now, utc)
            case m.Counted(seat=seat, declared=declared, counted=counted):
                entry = table.seats.get(seat)
                if entry is not None:
                    log.report(ev.Counted(entry=entry, stack=counted), name, now, utc)
                if declared is not None and declared != counted:
                    self._counts[name] = _Count(event.hand, seat, declared, counted)
                    self._tell_count(name, now, utc)
            case m.Depart(move=str(move), stack=stack) if move in log.state.moves:
                if log.state.moves[move].state == "planned":
                    log.report(ev.MoveLeft(move=move, stack=stack, by=name), name, now, utc)
            case m.Arrive(move=str()) as arrive:
                self._arrived(name, arrive, now, utc)
            case m.PenaltyServed(entry=entry, left=left) if entry in log.state.entries:
                log.report(ev.PenaltyServed(entry=entry, left=left), name, now, utc)

    def _tell_count(self, name: str, now: float, utc: str) -> None:
        """What a count has given belongs to the open calls that are about it."""
        count = self._counts[name]
        for call in list(self._log.state.calls.values()):
            open_ = call.table == name and call.state != "closed" and call.kind in DISPUTES
            if open_ and count.concerns(call.hand, call.seat):
                told = ev.CallTold(call=call.id, declared=count.declared, counted=count.counted)
                self._log.report(told, name, now, utc)

    def _counted_before(self, name: str, opened: ev.CallOpened) -> ev.CallOpened:
        """A call that follows a count of the same hand is about its numbers, unless it brings others."""
        count = self._counts.get(name)
        if count is None or opened.kind not in DISPUTES or (opened.declared, opened.counted) != (None, None):
            return opened
        if opened.hand is None or not count.concerns(opened.hand, opened.seat):
            return opened
        return msgspec.structs.replace(opened, declared=count.declared, counted=count.counted)

    def _arrived(self, name: str, arrive: m.Arrive, now: float, utc: str) -> None:
        """Somebody has sat down; the word of the new table may be here before that of the old one."""
        log = self._log
        move = log.state.moves.get(arrive.move or "")
        if move is None or move.state not in ("planned", "in_transit"):
            return
        source = log.state.tables[move.origin.table]
        if move.state == "planned" and not source.running and not source.device:
            log.report(ev.MoveLeft(move=move.id, by=name), name, now, utc)
        log.report(ev.MoveArrived(move=move.id, counted=arrive.stack, by=name), name, now, utc)

    def snapshot(self, name: str, state: m.TableState, whole: bool, now: float, utc: str) -> None:
        """A table's retained picture: it waits for hand-for-hand, or ``gate_used`` says which hand of it it has played.

        The announcement finds tables that have begun a hand of which nobody knows yet: a table waits when it has the
        target that says so and plays no hand. Later results come by the event stream; ``gate_used`` is for what the
        stream has lost for good (a journal that is gone), and for a table that is ahead of everybody.

        Args:
            name: the table.
            state: as retained.
            whole: every event that the picture rests on is here.
            now: seconds on the hub's clock.
            utc: a label for people.
        """
        log = self._log
        held = log.state.hand_for_hand
        table = log.state.tables.get(name)
        self._calls_since(name, state, now, utc)
        if held is None or table is None or state.tournament not in (None, log.id):
            return
        if state.gate_used is not None and state.gate_used > held.gate:
            self._ways.notes.alarm(name, "gate_ahead", f"{state.gate_used} > {held.gate}", utc)
            return
        if whole and not table.running and name in held.roster and name not in held.parked:
            waits = self._waits(name, state)
            if waits if held.round == 0 else state.gate_used == held.gate and state.phase in BETWEEN:
                log.report(ev.HandDone(table=name), name, now, utc)

    def _waits(self, name: str, state: m.TableState) -> bool:
        """Whether a table has the newest target, is between two hands and deals no other: it has heard of the halt."""
        version = (state.desired_epoch or 0, state.desired_rev or 0)
        obeys = version == self._ways.target(name).version and "hand_for_hand" in state.hold
        return obeys and state.phase in BETWEEN

    # -- what people at a table ask -------------------------------------------------------------

    def request(self, name: str, kind: str, request: m.Request, now: float, utc: str) -> m.Response | None:
        """What a table asks; None: it does not concern the tournament."""
        log = self._log
        if name not in log.state.tables:
            return None
        entry = request.entry or log.state.tables[name].seats.get(request.seat or 0)
        event = self._asked(name, kind, request, entry)
        if event is None:
            return None
        if isinstance(event, ev.CallOpened):
            event = self._first_or_more(name, event)
        try:
            if event is not None:
                log.say(event, name, now, utc)
        except Refused as refused:
            code = refused.code.replace("-", "_")
            return m.Response(tx=request.tx, ok=False, code=code, hint=refused.hint[:400])
        return m.Response(tx=request.tx, ok=True, seat=request.seat, entry=entry, move=request.move)

    def _first_or_more(self, name: str, opened: ev.CallOpened) -> ev.Event | None:
        """The alert of the same call may have come first: then the request brings its numbers, or nothing new."""
        held = self._log.state.calls.get(opened.call)
        if held is None:
            return self._counted_before(name, opened)
        told = (opened.declared, opened.counted)
        if held.state == "closed" or told in ((None, None), (held.declared, held.counted)):
            return None
        return ev.CallTold(call=opened.call, declared=opened.declared, counted=opened.counted)

    def _asked(self, name: str, kind: str, request: m.Request, entry: str | None) -> ev.Event | None:
        match kind:
            case "floor" | "pot_dispute" | "count_dispute" | "clock":
                origin = request.call or ""
                call = call_of(name, request.hand, origin) if origin else f"{name}-{request.tx}"[:64]
                return ev.CallOpened(
                    call=call,
                    kind=CALLS[kind],
                    table=name,
                    seat=request.seat,
                    hold=kind not in NO_HOLD,
                    origin=origin,
                    hand=request.hand,
                    declared=request.declared,
                    counted=request.counted,
                )
            case "absent" | "present" if entry is not None:
                return ev.Presence(entry=entry, absent=kind == "absent", declared=kind == "absent")
            case "seat_departed" if request.move is not None:
                return ev.MoveLeft(move=request.move, stack=request.counted, by=name)
            case "seat_arrived" if request.move is not None:
                return ev.MoveArrived(move=request.move, counted=request.counted, by=name)
            case "seat_empty" if entry is not None and not self._counted(name, entry):
                # where nobody records stacks the dealer's word is the only one there is; it can be taken back
                return ev.Busted(table=name, entries=(entry,))
            case "seat_empty" if entry is not None:
                return ev.CallOpened(
                    call=f"{name}-{request.tx}"[:64], kind="chips", table=name, seat=request.seat, hold=False
                )
            case "rebuy" if entry is not None:
                return ev.RebuyAsked(entry=entry, table=name)
        return None

    def _counted(self, name: str, entry: str) -> bool:
        """Whether a table knows that somebody still has chips: it has reported stacks, and his is one of them.

        At a table that counts none a stack is known at most from where somebody came from.
        """
        state = self._log.state
        held, table = state.entries.get(entry), state.tables[name]
        if held is None or held.where != "seated" or not held.stack:
            return False
        others = [state.entries[other].stack for other in table.seats.values() if other != entry]
        return table.hands > 0 and bool(others) and None not in others

    # -- calls of the floor, as tables show them --------------------------------------------------

    def alert(self, name: str, alert: m.Alert, now: float, utc: str) -> None:
        """A table shows that it needs somebody: an open call, until the alert is gone."""
        log = self._log
        if name not in log.state.tables or log.state.over or alert.kind not in ALERTS:
            return
        call = call_of(name, alert.hand, alert.id)
        if call in log.state.calls:
            return
        opened = ev.CallOpened(
            call=call,
            kind=alert.kind,
            table=name,
            seat=alert.seat,
            hold=alert.hold or alert.kind not in NO_HOLD,
            origin=alert.id,
            hand=alert.hand,
            incident=alert.incident or "",
        )
        log.report(self._counted_before(name, opened), name, now, utc)

    def alert_gone(self, name: str, ident: str, now: float, utc: str) -> None:
        """A table does not need anybody any more: obeyed, or settled there."""
        for call in list(self._log.state.calls.values()):
            if call.table == name and call.origin == ident and not call.obeyed:
                self._log.report(ev.CallGone(call=call.id), name, now, utc)

    def _calls_since(self, name: str, state: m.TableState, now: float, utc: str) -> None:
        """The first picture after a start of the hub: what people have settled there meanwhile is not open any more."""
        for call in [self._log.state.calls[ident] for ident in sorted(self._from_before)]:
            if call.table == name:
                self._from_before.discard(call.id)
                if call.origin not in state.calls:
                    self._log.report(ev.CallGone(call=call.id), name, now, utc)

    def _calls_over(self, name: str, hand: int, now: float, utc: str) -> None:
        """A table plays another hand: rulings on earlier ones are of no use there, a name of a call may come again."""
        for call in list(self._log.state.calls.values()):
            past = call.hand is not None and call.hand != hand
            if call.table == name and call.origin and past and call.state == "closed" and not call.obeyed:
                self._log.report(ev.CallGone(call=call.id), name, now, utc)


def call_of(table: str, hand: int | None, origin: str) -> str:
    """The hub's name of a table's own call."""
    return f"{table}-{hand or 0}-{origin}"[:64]


def positions_of(start: m.HandStart, seats: dict[int, str]) -> Positions | None:
    """Button and blinds as a table's hand had them; None when it does not say who had the big blind."""
    dealt = [seat.seat for seat in start.seats]
    if start.bb is None or len(dealt) < 2:
        return None
    small = (start.bb - 2) % 10 + 1 if start.sb is None else start.sb
    order = sorted(dealt, key=lambda seat: (seat - start.button - 1) % 10)
    waiting = tuple(sorted(seat for seat in seats if seat not in dealt))
    return Positions(start.button, small, start.bb, tuple(order), waiting)
