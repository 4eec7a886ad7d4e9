"""What a message from a table means to the room: no thread, no socket; time is handed in.

``feed`` takes one message, ``tick`` lets time pass; both must be called inside the store's transaction. What must be
sent, what became visible and what the log says is collected until ``take``, which the hub calls after the commit: so
nothing leaves before it is on the disk.
"""

from __future__ import annotations

from collections import deque

import msgspec

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.config import HubConfig, TournamentSetting
from tournament_hub.directing import Directing, settings_of
from tournament_hub.effects import LOG_LENGTH, Effects, Inbound, Notebook, Outbound, outbound
from tournament_hub.errors import UnknownTable
from tournament_hub.logic.presets import preset_of
from tournament_hub.store import Store
from tournament_hub.store_history import History
from tournament_hub.streams import Streams
from tournament_hub.tables import Identity, Table, Tile
from tournament_hub.wording import Line, Saying, Word, say_alert

HUB = ""
"""Stands in place of a table for what concerns the hub itself."""


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
        self.tables: dict[str, Table] = {}
        self.history = History(store)
        """Every hand of the record."""
        self._notes = Notebook(store, self._club, self.tables)
        self._streams = Streams(store, self._notes, self._club, self._told)
        for name in config.tables:
            self._table(name)
        for name, identity in store.identities().items():
            self._table(name).identity = Identity(*identity)
        with store.transaction():
            for name in config.tables:
                self._take_over(name)
            for setting in config.tournament.values():
                for name in setting.tables:
                    self._begin_epoch(name)
        for recorded in store.latest(LOG_LENGTH):
            self._notes.say_event(recorded.table, recorded.event)
        self._now = 0.0
        self.utc = ""
        """The wall clock of what is being worked on: a label for decisions."""
        self.tournaments: dict[str, Directing] = {
            ident: self._directing(ident, setting) for ident, setting in config.tournament.items()
        }
        self._notes.begin()

    @property
    def store(self) -> Store:
        """The record, for what a person decides or asks; only on the hub's thread, inside ``transaction``."""
        return self._store

    @property
    def lines(self) -> deque[Line]:
        """The log's newest lines, oldest of them first."""
        return self._notes.lines

    # -- the hub's thread ---------------------------------------------------------

    def take(self) -> Effects:
        """What is to be sent and shown now; call it after the commit."""
        return self._notes.take()

    def forget(self) -> None:
        """The transaction failed: nothing of it is sent or shown. What was not recorded will be asked for again."""
        self._notes.forget()
        for table in self.tables.values():
            table.held.clear()
        for tournament in self.tournaments.values():
            tournament.reload()

    def connected(self) -> list[Outbound]:
        """The broker is reached (again): everything that it should keep, whole."""
        found = []
        for name, table in self.tables.items():
            document = self._store.desired(name)
            if document is not None:
                found.append(outbound("desired", m.topics.desired(self._club, name), document))
            if table.identity is not None:
                head = self._store.head(name, table.identity.life)
                ack = m.HubAck(life=table.identity.life, upto_seq=head.seq)
                found.append(outbound("hub_ack", m.topics.hub_ack(self._club, name), ack))
        return found

    def begin(self, now: float, utc: str) -> None:
        """Whatever comes next, comes now."""
        self._now, self.utc = now, utc

    def feed(self, message: Inbound, now: float, utc: str) -> None:
        """One message of a table.

        Args:
            message: as it came.
            now: seconds, monotonic.
            utc: wall clock, a label for people.
        """
        self.begin(now, utc)
        try:
            address = m.topics.parse(message.topic)
        except m.BadTopic as error:
            self._notes.alarm(HUB, "bad_topic", str(error), utc)
            return
        if address.club != self._club or (not message.payload and address.kind != "alert"):
            return
        if message.retain and not m.DELIVERY[address.kind].retain:
            self._notes.alarm(
                address.table, "retained_refused", f"{address.kind} {address.leaf}".strip(), utc
            )
            return
        try:
            self._dispatch(address, message, now, utc)
        except m.MessageError as error:
            self._notes.alarm(
                address.table, "message_refused", f"{address.kind}: {error.code}: {error.what}"[:300], utc
            )

    def alarm(self, name: str, code: str, detail: str, utc: str) -> None:
        """Something needs a person: kept until somebody takes it by name; inside ``transaction``."""
        self._notes.alarm(name, code, detail, utc)

    def tick(self, now: float, utc: str = "") -> None:
        """Time passes: missing events are asked for, silent tables are noticed, tournaments go on.

        With a tournament it must be called inside ``transaction``.
        """
        self.begin(now, utc)
        for table in self.tables.values():
            if self._streams.ask(table, now):
                self._notes.touch(table.name)
            self._follow_link(table, now)
        for tournament in self.tournaments.values():
            tournament.tick(now, utc, lambda name: self.heard(name, now))

    def publish(self, now: float, utc: str, *, whole: bool = False) -> None:
        """Tournaments tell what has changed; inside ``transaction``, after the messages of a batch."""
        for tournament in self.tournaments.values():
            tournament.publish(now, utc, whole=whole)

    def heard(self, name: str, now: float) -> bool:
        """Whether a table is on the line and all that it said is here."""
        return self.trusted(name) and self.tables[name].link_at(now) == "online"

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
        self._notes.send(outbound("desired", m.topics.desired(self._club, name), document))
        self._notes.touch(name)
        return document

    def hold(self, name: str, reason: str, by: str) -> None:
        """The table starts no hand until this reason is released; inside ``transaction``."""
        before = self._store.desired(name)
        if before is None or reason not in before.hold:
            self.change(name, by, "hold", hold=(*(before.hold if before else ()), reason))
            self._notes.say(name, None, "warn", Saying("log.hold", {"by": by}))

    def release(self, name: str, reason: str, by: str) -> None:
        """One reason to hold is gone; inside ``transaction``."""
        before = self._store.desired(name)
        if before is None or reason in before.hold:
            rest = tuple(held for held in before.hold if held != reason) if before else ()
            self.change(name, by, "release", hold=rest)
            self._notes.say(name, None, "good", Saying("log.release", {"by": by}))

    def take_alarm(self, ident: int, by: str) -> bool:
        """A person has looked at an alarm; inside ``transaction``. False when somebody was faster."""
        alarm = self._store.take_alarm(ident, by)
        if alarm is not None:
            word = Word(f"alarm.{alarm.code}")
            self._notes.say(alarm.table, None, "plain", Saying("log.alarm_taken", {"alarm": word, "by": by}))
            self._notes.alarms_changed()
            if alarm.table in self.tables:
                self._notes.touch(alarm.table)
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
        if not self._streams.accept(table, now):
            return False
        self._notes.say(name, None, "warn", Saying("log.chain_accepted", {"by": by}))
        self._notes.touch(name)
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
                self._streams.event(self._table(address.table), m.decode_event(payload), payload, now, utc)
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
                self._request(self._table(address.table), address.leaf, payload, now, utc)
            case "reply" if address.leaf == "replay":
                self._streams.answer(self._table(address.table), m.decode(payload, m.Reply), utc)
            case "hub_status":
                self._other_hub(m.decode(payload, m.HubStatus), utc)
            case _:
                return

    def _heartbeat(self, table: Table, beat: m.Heartbeat, now: float, utc: str) -> None:
        if not self._streams.meet(table, Identity(beat.life, beat.boot, beat.conn), utc):
            return
        table.heartbeat = beat
        table.heard_at = now
        if table.status == "lost":  # its own will came late: the table lives
            table.status = "ready"
        table.heard_seq = max(table.heard_seq, beat.seq)
        table.missing_since(self._streams.head(table), now)
        self._follow_link(table, now)
        if beat.unacked and self._streams.head(table) >= beat.seq:
            self._notes.acknowledge(table.name, beat.life)
        self._notes.touch(table.name)

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
        self._notes.touch(table.name)

    def _status(self, table: Table, status: m.TableStatus, now: float, utc: str) -> None:
        who = Identity(status.life, status.boot, status.conn)
        if status.state in ("lost", "disconnected") and not table.is_now(who):
            return  # of an earlier connection or life: it says nothing about the present one
        if not self._streams.meet(table, who, utc):
            return
        table.status = status.state
        self._follow_link(table, now)
        self._notes.touch(table.name)

    def _birth(self, table: Table, birth: m.Birth, utc: str) -> None:
        if not self._streams.meet(table, Identity(birth.life, birth.boot, birth.conn), utc):
            return
        table.birth = birth
        table.reborn()
        table.heard_seq = max(table.heard_seq, birth.outbox.last)
        self._notes.acknowledge(table.name, birth.life)
        self._notes.touch(table.name)

    def _alert(self, table: Table, ident: str, payload: bytes) -> None:
        held = table.alerts.get(ident)
        if not payload:
            if table.alerts.pop(ident, None) is not None and held is not None:
                self._notes.say(
                    table.name, held.hand, "good", Saying("log.alert_over", {"alert": say_alert(held)})
                )
                self._notes.touch(table.name)
            return
        alert = m.decode(payload, m.Alert)
        if held == alert:
            return
        table.alerts[ident] = alert
        self._notes.say(table.name, alert.hand, "bad", Saying("log.alert", {"alert": say_alert(alert)}))
        self._notes.touch(table.name)

    def _request(self, table: Table, kind: str, payload: bytes, now: float, utc: str) -> None:
        request = m.decode(payload, m.Request)
        response = self._store.answered(table.name, kind, request.tx)
        if response is None:
            given = (t.request(table.name, kind, request, now, utc) for t in self.tournaments.values())
            known = next((answer for answer in given if answer is not None), None)
            noted = kind in ("floor", "pot_dispute", "count_dispute", "clock")
            answer = m.Response(
                tx=request.tx,
                ok=noted,
                code=None if noted else "no_tournament",
                seat=request.seat,
                entry=request.entry,
            )
            response = m.encode(known or answer)
            self._store.save_request(table.name, kind, request.tx, payload, response)
            values = {"request": Word(f"request.{kind}"), "seat": request.seat or "—"}
            self._notes.say(table.name, request.hand, "warn", Saying("log.request", values))
            self._notes.touch(table.name)
        topic = m.topics.response(self._club, table.name, kind)
        self._notes.send(Outbound(topic, response, "response"))

    def _other_hub(self, status: m.HubStatus, utc: str) -> None:
        if status.online and status.epoch > self._store.epoch:
            self._notes.alarm(HUB, "newer_hub", f"{status.epoch} > {self._store.epoch}", utc)

    # -- tournaments ---------------------------------------------------------------------

    def _told(self, name: str, event: m.Event) -> None:
        for tournament in self.tournaments.values():
            tournament.event(name, event, self._now, self.utc)

    def _directing(self, ident: str, setting: TournamentSetting) -> Directing:
        devices = dict.fromkeys(setting.tables, True) | dict.fromkeys(setting.without_device, False)
        for name in setting.tables:
            self._table(name)
        return Directing(
            settings_of(ident, setting),
            devices,
            preset_of(load_book(setting.rulebook)),
            self._store,
            self._notes,
            self._club,
            self.change,
            self._target,
        )

    def _target(self, name: str) -> m.Desired:
        """A table's present target; one that no file names begins with what the room plays."""
        found = self._store.desired(name)
        if found is None:
            rulebook = self._config.game.rulebook
            found = m.Desired(
                epoch=self._store.epoch, rev=0, tournament=None, rulebook=rulebook, level=None, seats=()
            )
            self._store.save_desired(name, found, "hub", "start")
        return found

    # -- smaller steps ------------------------------------------------------------------

    def _table(self, name: str) -> Table:
        table = self.tables.get(name)
        if table is None:
            table = self.tables[name] = Table(name, self._config.table_name(name))
            self._notes.touch(name)
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

    def _begin_epoch(self, name: str) -> None:
        """A tournament's table that no part of the file names: its target goes on in the new epoch."""
        before = self._store.desired(name)
        if before is not None and before.epoch < self._store.epoch:
            document = msgspec.structs.replace(before, epoch=self._store.epoch, rev=before.rev + 1)
            self._store.save_desired(name, document, "hub", "start")

    def _follow_link(self, table: Table, now: float) -> None:
        """Say it when the line to a table stands otherwise than before."""
        link = table.link_at(now)
        if link != table.link:
            table.link = link
            self._say_link(table, link)
            self._notes.touch(table.name)

    def _say_link(self, table: Table, link: str) -> None:
        tone = {"online": "good", "lost": "bad", "silent": "bad", "fault": "bad"}.get(link, "plain")
        if link != "unheard":
            self._notes.say(table.name, None, tone, Saying(f"log.link.{link}", {}))
