"""What a message from a table means to the room: no thread, no socket; time is handed in.

``feed`` takes one message, ``tick`` lets time pass; both must be called inside the store's transaction. What must be
sent, what became visible and what the log says is collected until ``take``, which the hub calls after the commit: so
nothing leaves before it is on the disk.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import msgspec

from table_controller import messages as m
from table_controller.messages.topics import Kind
from tournament_hub.config import HubConfig
from tournament_hub.errors import UnknownTable
from tournament_hub.store import Store, Verdict
from tournament_hub.tables import REPLAY_PATIENCE, Identity, Table, Tile
from tournament_hub.wording import Line, Saying, Word, say_alert, say_event

LOG_LENGTH = 200
MAX_HELD = 256
"""Events of one table that are held while earlier ones are missing; later ones are sent again anyway."""
HUB = ""
"""Stands in place of a table for what concerns the hub itself."""


@dataclass(frozen=True)
class Inbound:
    """A message as it came; ``conn`` and ``mid`` are for its acknowledgement at the broker."""

    topic: str
    payload: bytes
    retain: bool = False
    qos: int = 1
    mid: int = 0
    conn: int = 0


@dataclass(frozen=True)
class Outbound:
    """A message to be sent; how it travels follows from its kind."""

    topic: str
    payload: bytes
    kind: Kind


@dataclass
class Effects:
    """What came of some messages: to be sent and shown after the commit."""

    outbound: list[Outbound] = field(default_factory=list)
    changed: dict[str, None] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    alarms: bool = False


class Room:
    """All the tables of one club.

    Args:
        store: the record.
        config: the club's settings.
    """

    def __init__(self, store: Store, config: HubConfig) -> None:
        self._store = store
        self._config = config
        self._club = config.club.id
        self._effects = Effects()
        self._acks: dict[str, str] = {}
        self._lines_said = 0
        self._tx = 0
        self.tables: dict[str, Table] = {}
        for name in config.tables:
            self._table(name)
        for name, identity in store.identities().items():
            self._table(name).identity = Identity(*identity)
        with store.transaction():
            for name in config.tables:
                self._take_over(name)
        self.lines: deque[Line] = deque(maxlen=LOG_LENGTH)
        for recorded in store.latest(LOG_LENGTH):
            self._say_event(recorded.table, recorded.event)
        self._effects = Effects(changed=dict.fromkeys(self.tables), alarms=True)

    # -- the hub's thread ---------------------------------------------------------

    def take(self) -> Effects:
        """What is to be sent and shown now; call it after the commit."""
        effects, self._effects = self._effects, Effects()
        for name, life in self._acks.items():
            ack = m.HubAck(life=life, upto_seq=self._store.head(name, life).seq)
            effects.outbound.append(self._out("hub_ack", m.topics.hub_ack(self._club, name), ack))
        self._acks.clear()
        return effects

    def forget(self) -> None:
        """The transaction failed: nothing of it is sent or shown. What was not recorded will be asked for again."""
        self._effects = Effects(changed=dict.fromkeys(self.tables))
        self._acks.clear()
        for table in self.tables.values():
            table.held.clear()

    def connected(self) -> list[Outbound]:
        """The broker is reached (again): everything that it should keep, whole."""
        found = []
        for name, table in self.tables.items():
            document = self._store.desired(name)
            if document is not None:
                found.append(self._out("desired", m.topics.desired(self._club, name), document))
            if table.identity is not None:
                head = self._store.head(name, table.identity.life)
                ack = m.HubAck(life=table.identity.life, upto_seq=head.seq)
                found.append(self._out("hub_ack", m.topics.hub_ack(self._club, name), ack))
        return found

    def feed(self, message: Inbound, now: float, utc: str) -> None:
        """One message of a table.

        Args:
            message: as it came.
            now: seconds, monotonic.
            utc: wall clock, a label for people.
        """
        try:
            address = m.topics.parse(message.topic)
        except m.BadTopic as error:
            self.alarm(HUB, "bad_topic", str(error), utc)
            return
        if address.club != self._club or (not message.payload and address.kind != "alert"):
            return
        if message.retain and not m.DELIVERY[address.kind].retain:
            self.alarm(address.table, "retained_refused", f"{address.kind} {address.leaf}".strip(), utc)
            return
        try:
            self._dispatch(address, message, now, utc)
        except m.MessageError as error:
            self.alarm(
                address.table, "message_refused", f"{address.kind}: {error.code}: {error.what}"[:300], utc
            )

    def tick(self, now: float) -> None:
        """Time passes: missing events are asked for, silent tables are noticed."""
        for table in self.tables.values():
            if self._ask_replay(table, now):
                self._touch(table.name)
            self._follow_link(table, now)

    # -- decisions of people ---------------------------------------------------------

    def change(self, name: str, by: str, reason: str, **fields: object) -> m.Desired:
        """A new revision of a table's target; inside ``transaction``.

        Args:
            name: the table.
            by: who wants it.
            reason: why, one word.
            fields: what is different (``level``, ``hold``, ``seats``, …).

        Raises:
            UnknownTable: the room has no target for such a table.
        """
        before = self._store.desired(name)
        if before is None:
            raise UnknownTable("no target is set for it", where=name, hint="name it in the configuration")
        fields |= {"epoch": self._store.epoch, "rev": before.rev + 1}
        document = msgspec.structs.replace(before, **fields)
        self._store.save_desired(name, document, by, reason)
        self._effects.outbound.append(self._out("desired", m.topics.desired(self._club, name), document))
        self._touch(name)
        return document

    def hold(self, name: str, reason: str, by: str) -> None:
        """The table starts no hand until this reason is released; inside ``transaction``."""
        before = self._store.desired(name)
        if before is None or reason not in before.hold:
            self.change(name, by, "hold", hold=(*(before.hold if before else ()), reason))
            self._say(name, None, "warn", Saying("log.hold", {"by": by}))

    def release(self, name: str, reason: str, by: str) -> None:
        """One reason to hold is gone; inside ``transaction``."""
        before = self._store.desired(name)
        if before is None or reason in before.hold:
            rest = tuple(held for held in before.hold if held != reason) if before else ()
            self.change(name, by, "release", hold=rest)
            self._say(name, None, "good", Saying("log.release", {"by": by}))

    def take_alarm(self, ident: int, by: str) -> bool:
        """A person has looked at an alarm; inside ``transaction``. False when somebody was faster."""
        alarm = self._store.take_alarm(ident, by)
        if alarm is not None:
            word = Word(f"alarm.{alarm.code}")
            self._say(alarm.table, None, "plain", Saying("log.alarm_taken", {"alarm": word, "by": by}))
            self._effects.alarms = True
            if alarm.table in self.tables:
                self._touch(alarm.table)
        return alarm is not None

    def accept_chain(self, name: str, by: str, now: float) -> bool:
        """A person accepts that the table's record does not continue ours; it is taken from there on.

        Returns:
            False when the chain is not broken.

        Raises:
            UnknownTable: no such table.
        """
        table = self.tables.get(name)
        if table is None:
            raise UnknownTable("the room has no such table", where=name, hint="look at the floor page")
        if not table.broken or table.identity is None:
            return False
        table.adopt_at = self._store.head(name, table.identity.life).seq + 1
        table.asked_at = None
        self._say(name, None, "warn", Saying("log.chain_accepted", {"by": by}))
        self._ask_replay(table, now)
        self._touch(name)
        return True

    def trusted(self, name: str) -> bool:
        """Whether a decision may rest on this table: it was heard, and nothing of it is missing or in doubt."""
        table = self.tables.get(name)
        if table is None or table.identity is None or table.heard_at is None or table.broken:
            return False
        return table.heard_seq <= self._store.head(name, table.identity.life).seq

    def tile(self, name: str) -> Tile:
        """What the floor page shows of a table; never changes afterwards."""
        table = self.tables[name]
        life = table.identity.life if table.identity else ""
        return table.tile(self._store.head(name, life), self._store.desired(name))

    # -- each kind of message -----------------------------------------------------------

    def _dispatch(self, address: m.Address, message: Inbound, now: float, utc: str) -> None:
        payload = message.payload
        match address.kind:
            case "event":
                self._event(self._table(address.table), m.decode_event(payload), payload, now, utc)
            case "heartbeat":
                self._heartbeat(self._table(address.table), m.decode(payload, m.Heartbeat), now, utc)
            case "state":
                self._state(self._table(address.table), m.decode(payload, m.TableState))
            case "status":
                self._status(self._table(address.table), m.decode(payload, m.TableStatus), now, utc)
            case "birth":
                self._birth(self._table(address.table), m.decode(payload, m.Birth), utc)
            case "alert":
                self._alert(self._table(address.table), address.leaf, payload)
            case "request":
                self._request(self._table(address.table), address.leaf, payload)
            case "reply" if address.leaf == "replay":
                self._replay_reply(self._table(address.table), m.decode(payload, m.Reply), utc)
            case "hub_status":
                self._other_hub(m.decode(payload, m.HubStatus), utc)
            case _:
                return

    def _event(self, table: Table, event: m.Event, payload: bytes, now: float, utc: str) -> None:
        self._meet(table, Identity(event.life, event.boot, 0), utc)
        current = table.identity is not None and table.identity.life == event.life
        if current and table.adopt_at == event.seq:
            head = self._store.head(table.name, event.life)
            self.alarm(table.name, "history_adopted", f"{head.seq + 1}…{event.seq}", utc)
            self._store.adopt(table.name, event.life, event.seq - 1, event.prev)
            table.adopt_at = None
        verdict = self._store.offer(table.name, event, payload, utc)
        if current:
            table.heard_seq = max(table.heard_seq, event.seq)
        match verdict:
            case Verdict.RECORDED:
                self._recorded(table, event, current)
                if current:
                    self._release_held(table, utc)
            case Verdict.REPEATED:
                self._acks[table.name] = event.life
            case Verdict.CONFLICT:
                self._acks[table.name] = event.life
                self.alarm(table.name, "other_body", f"{event.life[:8]} {event.seq}", utc)
            case Verdict.GAP if current and len(table.held) < MAX_HELD:
                if table.held.setdefault(event.seq, (event, payload))[1] != payload:
                    self.alarm(table.name, "other_body", f"{event.life[:8]} {event.seq}", utc)
            case Verdict.BROKEN if current:
                if not table.broken:
                    table.broken = True
                    self._touch(table.name)
                self.alarm(table.name, "chain_broken", f"{event.life[:8]} {event.seq}", utc)
        if current and table.missing_since(self._head_seq(table), now):
            self._touch(table.name)

    def _recorded(self, table: Table, event: m.Event, current: bool) -> None:
        self._acks[table.name] = event.life
        table.progressed()
        self._say_event(table.name, event)
        if current:
            self._touch(table.name)

    def _release_held(self, table: Table, utc: str) -> None:
        """Events that waited for the one just recorded."""
        while True:
            seq = self._head_seq(table) + 1
            for old in [held for held in table.held if held < seq]:
                del table.held[old]
            waiting = table.held.pop(seq, None)
            if waiting is None:
                return
            event, payload = waiting
            verdict = self._store.offer(table.name, event, payload, utc)
            if verdict is not Verdict.RECORDED:
                table.broken = True
                self.alarm(table.name, "chain_broken", f"{event.life[:8]} {event.seq}", utc)
                return
            self._recorded(table, event, True)

    def _heartbeat(self, table: Table, beat: m.Heartbeat, now: float, utc: str) -> None:
        if not self._meet(table, Identity(beat.life, beat.boot, beat.conn), utc):
            return
        table.heartbeat = beat
        table.heard_at = now
        if table.status == "lost":  # its own will came late: the table lives
            table.status = "ready"
        table.heard_seq = max(table.heard_seq, beat.seq)
        table.missing_since(self._head_seq(table), now)
        self._follow_link(table, now)
        if beat.unacked and self._head_seq(table) >= beat.seq:
            self._acks[table.name] = beat.life
        self._touch(table.name)

    def _state(self, table: Table, state: m.TableState) -> None:
        identity = table.identity
        if state.life is not None and identity is not None and state.life != identity.life:
            return
        held = table.state
        if held is not None and held.life == state.life and (held.boot, held.rev) > (state.boot, state.rev):
            return
        table.state = state
        if state.life is not None:
            table.heard_seq = max(table.heard_seq, state.seq)
        self._touch(table.name)

    def _status(self, table: Table, status: m.TableStatus, now: float, utc: str) -> None:
        who = Identity(status.life, status.boot, status.conn)
        if status.state in ("lost", "disconnected") and not table.is_now(who):
            return  # of an earlier connection or life: it says nothing about the present one
        if not self._meet(table, who, utc):
            return
        table.status = status.state
        self._follow_link(table, now)
        self._touch(table.name)

    def _birth(self, table: Table, birth: m.Birth, utc: str) -> None:
        if not self._meet(table, Identity(birth.life, birth.boot, birth.conn), utc):
            return
        table.birth = birth
        table.reborn()
        table.heard_seq = max(table.heard_seq, birth.outbox.last)
        self._acks[table.name] = birth.life
        self._touch(table.name)

    def _alert(self, table: Table, ident: str, payload: bytes) -> None:
        held = table.alerts.get(ident)
        if not payload:
            if table.alerts.pop(ident, None) is not None and held is not None:
                self._say(table.name, held.hand, "good", Saying("log.alert_over", {"alert": say_alert(held)}))
                self._touch(table.name)
            return
        alert = m.decode(payload, m.Alert)
        if held == alert:
            return
        table.alerts[ident] = alert
        self._say(table.name, alert.hand, "bad", Saying("log.alert", {"alert": say_alert(alert)}))
        self._touch(table.name)

    def _request(self, table: Table, kind: str, payload: bytes) -> None:
        request = m.decode(payload, m.Request)
        response = self._store.answered(table.name, kind, request.tx)
        if response is None:
            noted = kind in ("floor", "pot_dispute", "count_dispute", "clock")
            answer = m.Response(
                tx=request.tx,
                ok=noted,
                code=None if noted else "no_tournament",
                seat=request.seat,
                entry=request.entry,
            )
            response = m.encode(answer)
            self._store.save_request(table.name, kind, request.tx, payload, response)
            values = {"request": Word(f"request.{kind}"), "seat": request.seat or "—"}
            self._say(table.name, request.hand, "warn", Saying("log.request", values))
            self._touch(table.name)
        topic = m.topics.response(self._club, table.name, kind)
        self._effects.outbound.append(Outbound(topic, response, "response"))

    def _replay_reply(self, table: Table, reply: m.Reply, utc: str) -> None:
        if reply.tx != table.asked_tx:
            return
        table.asked_tx = None
        if not reply.ok:
            self.alarm(table.name, "replay_refused", reply.code or "", utc)
        elif reply.first is not None and reply.first > self._head_seq(table) + 1:
            table.adopt_at = reply.first  # nobody has what was before: go on from here, and say so

    def _other_hub(self, status: m.HubStatus, utc: str) -> None:
        if status.online and status.epoch > self._store.epoch:
            self.alarm(HUB, "newer_hub", f"{status.epoch} > {self._store.epoch}", utc)

    # -- smaller steps ------------------------------------------------------------------

    def _meet(self, table: Table, who: Identity, utc: str) -> bool:
        """Whether this is the table's present life and connection; a later one replaces it."""
        held = table.identity
        if held is not None and who.life == held.life and (who.boot, who.conn) <= (held.boot, held.conn):
            return who.boot == held.boot and who.conn in (0, held.conn)
        if held is not None and who.life != held.life:
            if who.life in table.former:
                if who.conn == 0:
                    return False  # a late event of a life that is over
                self.alarm(table.name, "two_lives", f"{held.life[:8]} {who.life[:8]}", utc)
            else:
                self.alarm(table.name, "new_life", f"{held.life[:8]} → {who.life[:8]}", utc)
            table.former.add(held.life)
            table.former.discard(who.life)
            table.begin_life()
        table.identity = who
        self._store.save_identity(table.name, who.life, who.boot, who.conn)
        return True

    def _ask_replay(self, table: Table, now: float) -> bool:
        """Ask for what is missing, when it has been missing long enough; whether something visible changed."""
        head = self._head_seq(table)
        changed = table.missing_since(head, now)
        if table.identity is None or table.gap_since is None or now - table.gap_since < REPLAY_PATIENCE:
            return changed
        if table.asked_at is not None and now - table.asked_at < table.ask_pause:
            return changed
        self._tx += 1
        table.asked(now, f"replay-{self._store.epoch}-{self._tx}")
        command = m.Replay(tx=table.asked_tx or "", start=head + 1)
        self._effects.outbound.append(
            self._out("command", m.topics.command(self._club, table.name, "replay"), command)
        )
        return True

    def _head_seq(self, table: Table) -> int:
        return self._store.head(table.name, table.identity.life).seq if table.identity else 0

    def _table(self, name: str) -> Table:
        table = self.tables.get(name)
        if table is None:
            table = self.tables[name] = Table(name, self._config.table_name(name))
            self._touch(name)
        return table

    def _take_over(self, name: str) -> None:
        """At each start: a new epoch of the target; the file's part of it only when the file has changed."""
        wanted = self._config.desired(name)
        before = self._store.desired(name)
        if before is None or self._store.configured(name) != wanted:
            kept = (
                {}
                if before is None
                else {"hold": before.hold, "gate": before.gate, "decisions": before.decisions}
            )
            document = msgspec.structs.replace(wanted, **kept)
            self._store.save_configured(name, wanted)
        else:
            document = before
        rev = 1 if before is None else before.rev + 1
        document = msgspec.structs.replace(document, epoch=self._store.epoch, rev=rev)
        self._store.save_desired(name, document, "hub", "start")

    def _out(self, kind: Kind, topic: str, message: msgspec.Struct) -> Outbound:
        return Outbound(topic, m.encode(message), kind)

    def _touch(self, name: str) -> None:
        self._effects.changed[name] = None

    def alarm(self, name: str, code: str, detail: str, utc: str) -> None:
        """Something needs a person: kept until somebody takes it by name; inside ``transaction``."""
        self._effects.alarms = True
        if self._store.alarm(name, code, detail, utc):
            self._say(
                name, None, "bad", Saying("log.alarm", {"alarm": Word(f"alarm.{code}"), "detail": detail})
            )
        if name in self.tables:
            self._touch(name)

    def _follow_link(self, table: Table, now: float) -> None:
        """Say it when the line to a table stands otherwise than before."""
        link = table.link_at(now)
        if link != table.link:
            table.link = link
            self._say_link(table, link)
            self._touch(table.name)

    def _say_link(self, table: Table, link: str) -> None:
        tone = {"online": "good", "lost": "bad", "silent": "bad", "fault": "bad"}.get(link, "plain")
        if link != "unheard":
            self._say(table.name, None, tone, Saying(f"log.link.{link}", {}))

    def _say_event(self, name: str, event: m.Event) -> None:
        for tone, saying in say_event(event):
            self._say(name, event.hand, tone, saying)

    def _say(self, name: str, hand: int | None, tone: str, saying: Saying) -> None:
        self._lines_said += 1
        shown = self.tables[name].title if name in self.tables else name
        line = Line(number=self._lines_said, table=name, title=shown, hand=hand, tone=tone, saying=saying)
        self.lines.append(line)
        self._effects.lines.append(line)
