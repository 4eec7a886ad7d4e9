"""The event streams of the tables: each event once, in order, from the life that speaks now; what is missing is asked for.

All of it inside the store's transaction; time is handed in.
"""

from __future__ import annotations

from collections.abc import Callable

from table_controller import messages as m
from tournament_hub.effects import Notebook, outbound
from tournament_hub.store import Store, Verdict
from tournament_hub.tables import REPLAY_PATIENCE, Identity, Table

Told = Callable[[str, m.Event], None]
MAX_HELD = 256
"""Events of one table that are held while earlier ones are missing; later ones are sent again anyway."""


class Streams:
    """Takes events into the record.

    Args:
        store: the record.
        notes: collects what is to be sent and said.
        club: whose topics.
        told: called with each new event of a table's present life, in order, inside the transaction.
    """

    def __init__(self, store: Store, notes: Notebook, club: str, told: Told) -> None:
        self._store = store
        self._notes = notes
        self._club = club
        self._told = told
        self._tx = 0

    def head(self, table: Table) -> int:
        """The last recorded event of a table's present life."""
        return self._store.head(table.name, table.identity.life).seq if table.identity else 0

    def meet(self, table: Table, who: Identity, utc: str) -> bool:
        """Whether this is the table's present life and connection; a later one replaces it."""
        held = table.identity
        if held is not None and who.life == held.life and (who.boot, who.conn) <= (held.boot, held.conn):
            return who.boot == held.boot and who.conn in (0, held.conn)
        if held is not None and who.life != held.life:
            if who.life in table.former:
                if who.conn == 0:
                    return False  # a late event of a life that is over
                self._notes.alarm(table.name, "two_lives", f"{held.life[:8]} {who.life[:8]}", utc)
            else:
                self._notes.alarm(table.name, "new_life", f"{held.life[:8]} → {who.life[:8]}", utc)
            table.former.add(held.life)
            table.former.discard(who.life)
            table.begin_life()
        table.identity = who
        self._store.save_identity(table.name, who.life, who.boot, who.conn)
        return True

    def event(self, table: Table, event: m.Event, payload: bytes, now: float, utc: str) -> None:
        """One event as it came: recorded, acknowledged again, held, or refused with an alarm."""
        self.meet(table, Identity(event.life, event.boot, 0), utc)
        current = table.identity is not None and table.identity.life == event.life
        if current:
            if table.adopt_at == event.seq:
                self._adopt(table, event, utc)
            table.heard_seq = max(table.heard_seq, event.seq)
        self._judge(table, event, payload, current, utc)
        if current and table.missing_since(self.head(table), now):
            self._notes.touch(table.name)

    def ask(self, table: Table, now: float) -> bool:
        """Ask for what is missing, when it has been missing long enough; whether something visible changed."""
        head = self.head(table)
        changed = table.missing_since(head, now)
        if table.identity is None or table.gap_since is None:
            return changed
        if now - table.gap_since < REPLAY_PATIENCE and table.adopt_at is None:
            return changed
        if table.asked_at is not None and now - table.asked_at < table.ask_pause:
            return changed
        self._tx += 1
        tx = f"replay-{self._store.epoch}-{self._tx}"
        table.asked(now, tx)
        topic = m.topics.command(self._club, table.name, "replay")
        self._notes.send(outbound("command", topic, m.Replay(tx=tx, start=head + 1)))
        return True

    def answer(self, table: Table, reply: m.Reply, utc: str) -> None:
        """What the table says to our question: what follows now, or that nobody has it any more."""
        if reply.tx != table.asked_tx:
            return
        table.asked_tx = None
        if not reply.ok:
            self._notes.alarm(table.name, "replay_refused", reply.code or "", utc)
        elif reply.first is not None and reply.first > self.head(table) + 1:
            table.adopt_at = reply.first  # nobody has what was before: go on from here, and say so

    def accept(self, table: Table, now: float) -> bool:
        """A person accepts that the stream does not continue our record; False when it does."""
        if not table.broken:
            return False
        table.adopt_at = self.head(table) + 1
        table.reborn()
        self.ask(table, now)
        return True

    def _adopt(self, table: Table, event: m.Event, utc: str) -> None:
        """Go on from this event, whatever was before it; a person must know."""
        first = self._store.head(table.name, event.life).seq + 1
        self._notes.alarm(table.name, "history_adopted", f"{first}…{event.seq}", utc)
        self._store.adopt(table.name, event.life, event.seq - 1, event.prev)
        table.adopt_at = None

    def _judge(self, table: Table, event: m.Event, payload: bytes, current: bool, utc: str) -> None:
        which = f"{event.life[:8]} {event.seq}"
        match self._store.offer(table.name, event, payload, utc):
            case Verdict.RECORDED:
                self._recorded(table, event, current)
                if current:
                    self._release_held(table, utc)
            case Verdict.REPEATED:
                self._notes.acknowledge(table.name, event.life)
            case Verdict.CONFLICT:
                self._notes.acknowledge(table.name, event.life)
                self._notes.alarm(table.name, "other_body", which, utc)
            case Verdict.GAP if current and len(table.held) < MAX_HELD:
                if table.held.setdefault(event.seq, (event, payload))[1] != payload:
                    self._notes.alarm(table.name, "other_body", which, utc)
            case Verdict.BROKEN if current:
                self._broken(table, which, utc)

    def _broken(self, table: Table, which: str, utc: str) -> None:
        table.broken = True
        self._notes.alarm(table.name, "chain_broken", which, utc)

    def _recorded(self, table: Table, event: m.Event, current: bool) -> None:
        self._notes.acknowledge(table.name, event.life)
        self._notes.say_event(table.name, event)
        if current:
            table.progressed()
            self._told(table.name, event)
            self._notes.touch(table.name)

    def _release_held(self, table: Table, utc: str) -> None:
        """Events that waited for the one just recorded."""
        while True:
            seq = self.head(table) + 1
            for old in [held for held in table.held if held < seq]:
                del table.held[old]
            waiting = table.held.pop(seq, None)
            if waiting is None:
                return
            event, payload = waiting
            if self._store.offer(table.name, event, payload, utc) is not Verdict.RECORDED:
                self._broken(table, f"{event.life[:8]} {event.seq}", utc)
                return
            self._recorded(table, event, True)
