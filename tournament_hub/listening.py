"""Each kind of message of a table and what it means to the room; nothing of it is believed before it was looked at.

All of it inside the store's transaction; time is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from table_controller import messages as m
from tournament_hub.directing import Directing
from tournament_hub.effects import Inbound, Notebook, Outbound
from tournament_hub.store import Store
from tournament_hub.streams import Streams
from tournament_hub.table_reports import CALLS
from tournament_hub.tables import Identity, Table
from tournament_hub.wording import Saying, Word, say_alert

HUB = ""
"""Stands in place of a table for what concerns the hub itself."""


class Listening:
    """Takes messages.

    Args:
        store: the record.
        notes: collects what is to be sent and said.
        club: whose topics.
        streams: takes events.
        table: a table by its name, made when it is new.
        tournaments: those that run, by id.
    """

    def __init__(
        self,
        store: Store,
        notes: Notebook,
        club: str,
        streams: Streams,
        table: Callable[[str], Table],
        tournaments: Mapping[str, Directing],
    ) -> None:
        self._store = store
        self._notes = notes
        self._club = club
        self._streams = streams
        self._table = table
        self._tournaments = tournaments

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

    def _dispatch(self, address: m.Address, message: Inbound, now: float, utc: str) -> None:
        payload = message.payload
        match address.kind:
            case "event":
                self._streams.event(self._table(address.table), m.decode_event(payload), payload, now, utc)
            case "heartbeat":
                self._heartbeat(self._table(address.table), m.decode(payload, m.Heartbeat), now, utc)
            case "state":
                self._state(self._table(address.table), m.decode(payload, m.TableState), now, utc)
            case "status":
                self._status(self._table(address.table), m.decode(payload, m.TableStatus), now, utc)
            case "birth":
                self._birth(self._table(address.table), m.decode(payload, m.Birth), utc)
            case "alert":
                self._alert(self._table(address.table), address.leaf, payload, now, utc)
            case "request":
                self._request(self._table(address.table), address.leaf, payload, now, utc)
            case "reply" if address.leaf == "replay":
                self._streams.answer(self._table(address.table), m.decode(payload, m.Reply), utc)
            case "hub_status":
                self._other_hub(m.decode(payload, m.HubStatus), utc)
            case _:
                return

    # -- each kind of message -----------------------------------------------------------

    def _heartbeat(self, table: Table, beat: m.Heartbeat, now: float, utc: str) -> None:
        if not self._streams.meet(table, Identity(beat.life, beat.boot, beat.conn), utc):
            return
        table.heartbeat = beat
        table.heard_at = now
        if table.status == "lost":  # its own will came late: the table lives
            table.status = "ready"
        table.heard_seq = max(table.heard_seq, beat.seq)
        table.missing_since(self._streams.head(table), now)
        self.follow_link(table, now)
        if beat.unacked and self._streams.head(table) >= beat.seq:
            self._notes.acknowledge(table.name, beat.life)
        self._notes.touch(table.name)

    def _state(self, table: Table, state: m.TableState, now: float, utc: str) -> None:
        identity = table.identity
        if state.life is not None and identity is not None and state.life != identity.life:
            return
        held = table.state
        if held is not None and held.life == state.life and (held.boot, held.rev) > (state.boot, state.rev):
            return
        table.state = state
        if state.life is not None:
            table.heard_seq = max(table.heard_seq, state.seq)
        whole = (
            identity is not None and state.life == identity.life and self._streams.head(table) >= state.seq
        )
        for tournament in self._tournaments.values():
            tournament.reports.snapshot(table.name, state, whole, now, utc)
        self._notes.touch(table.name)

    def _status(self, table: Table, status: m.TableStatus, now: float, utc: str) -> None:
        who = Identity(status.life, status.boot, status.conn)
        if status.state in ("lost", "disconnected") and not table.is_now(who):
            return  # of an earlier connection or life: it says nothing about the present one
        if not self._streams.meet(table, who, utc):
            return
        table.status = status.state
        self.follow_link(table, now)
        self._notes.touch(table.name)

    def _birth(self, table: Table, birth: m.Birth, utc: str) -> None:
        if not self._streams.meet(table, Identity(birth.life, birth.boot, birth.conn), utc):
            return
        table.birth = birth
        table.reborn()
        table.heard_seq = max(table.heard_seq, birth.outbox.last)
        self._notes.acknowledge(table.name, birth.life)
        self._notes.touch(table.name)

    def _alert(self, table: Table, ident: str, payload: bytes, now: float, utc: str) -> None:
        held = table.alerts.get(ident)
        if not payload:
            table.numbers.pop(ident, None)
            if table.alerts.pop(ident, None) is not None and held is not None:
                self._notes.say(
                    table.name, held.hand, "good", Saying("log.alert_over", {"alert": say_alert(held)})
                )
                self._notes.touch(table.name)
            for tournament in self._tournaments.values():
                tournament.reports.alert_gone(table.name, ident, now, utc)
            return
        alert = m.decode(payload, m.Alert)
        if held == alert:
            return
        table.alerts[ident] = alert
        self._notes.say(table.name, alert.hand, "bad", Saying("log.alert", {"alert": say_alert(alert)}))
        for tournament in self._tournaments.values():
            tournament.reports.alert(table.name, alert, now, utc)
        self._notes.touch(table.name)

    def _request(self, table: Table, kind: str, payload: bytes, now: float, utc: str) -> None:
        request = m.decode(payload, m.Request)
        if request.call is not None and (request.declared, request.counted) != (None, None):
            table.numbers[request.call] = (request.declared, request.counted)
        response = self._store.answered(table.name, kind, request.tx)
        if response is None:
            asked = (
                tournament.reports.request(table.name, kind, request, now, utc)
                for tournament in self._tournaments.values()
            )
            known = next((answer for answer in asked if answer is not None), None)
            noted = kind in CALLS
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

    # -- the line to a table --------------------------------------------------------------

    def follow_link(self, table: Table, now: float) -> None:
        """Say it when the line to a table stands otherwise than before."""
        link = table.link_at(now)
        if link == table.link:
            return
        table.link = link
        tone = {"online": "good", "lost": "bad", "silent": "bad", "fault": "bad"}.get(link, "plain")
        if link != "unheard":
            self._notes.say(table.name, None, tone, Saying(f"log.link.{link}", {}))
        self._notes.touch(table.name)
