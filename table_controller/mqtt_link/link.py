"""The link's thread: one connection at a time, tried again for ever, and everything that is due on it.

The thread never calls the table or the engine: what comes in goes on the table's queue as typed objects. An
exception in it becomes an alarm on the queue, the connection is made anew, and the thread lives on.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from table_controller import messages as m
from table_controller.mqtt_link.errors import LinkStuck
from table_controller.mqtt_link.line import Incoming, Line
from table_controller.mqtt_link.news import (
    Connected,
    Disconnected,
    HeartbeatDue,
    Inbox,
    OutboxWanted,
    RequestExpired,
)
from table_controller.mqtt_link.reception import Alarms, Reception
from table_controller.mqtt_link.settings import LinkSettings
from table_controller.mqtt_link.table_side import TableSide

#: The link looks round at least this often, in seconds.
_TICK_S: Final = 1.0
#: A connection that held this long was a good one: the next pause is short again.
_GOOD_AFTER_S: Final = 5.0
#: So many short connections in a row are no accident.
_FLAPPING: Final = 5
#: After the broker refused an event, this long before the next try.
_BLOCKED_S: Final = 5.0
_JOIN_DEADLINE_S: Final = 30.0


class MqttLink(TableSide):
    """The table's link. `start` returns at once, with or without a broker; `close` says good-bye.

    Args:
        settings: Where and who.
        life, boot: The journal's identity.
        incoming: The table's queue; its `put` must not block.
        acked: What the hub is known to have (`journal.hub_ack`).
        head: The table's last event (`journal.head_seq`).
        desired_version: The (epoch, rev) that the journal holds.
        clock: Seconds that only move on; for deadlines of the line, never for the game.

    Raises:
        LinkMisconfigured: Certificates cannot be read.
        BadTopic: The club's or table's id may not stand in a topic.
    """

    def __init__(
        self,
        settings: LinkSettings,
        *,
        life: str,
        boot: int,
        incoming: Inbox,
        acked: int = 0,
        head: int = 0,
        desired_version: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if settings.tls is not None:
            settings.tls.context()
        super().__init__(settings, life, boot, acked, head, clock)
        self._inbox = incoming
        self._alarms = Alarms(incoming, clock)
        self._reception = Reception(
            settings.club, settings.table, life, boot, desired_version, incoming, self._alarms, self
        )
        self._event_topic = m.topics.event(settings.club, settings.table)
        self._subscribed: str | None = None
        self._beat_at = 0.0
        self._blocked_until = 0.0
        self._pause = settings.retry_min_s
        self._short_ones = 0
        self._told_down = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to connect in the background."""
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(
                target=self._run, name=f"mqtt-link-{self.settings.table}", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Says `disconnected`, ends the connection and joins the thread; may be called twice.

        Raises:
            LinkStuck: The thread did not end in time.
        """
        if self._closing:
            return
        self.set_status("disconnected")
        self._closing = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join(_JOIN_DEADLINE_S)
            if self._thread.is_alive():
                raise LinkStuck(f"the link did not end within {_JOIN_DEADLINE_S:g} s", where=self._where)
        self._wake.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ the thread

    @property
    def _where(self) -> str:
        return f"{self.settings.host}:{self.settings.port}"

    def _run(self) -> None:
        while not self._closing:
            began = self._clock()
            try:
                self._attempt()
            except Exception as error:  # the thread must live: a person hears of it, and we connect again
                self.on_fault("link", error)
            if self._clock() - began >= _GOOD_AFTER_S:
                self._pause = self.settings.retry_min_s
                self._short_ones = 0
            until = self._clock() + self._pause
            self._pause = min(self._pause * 2, self.settings.retry_max_s)
            while not self._closing and (left := until - self._clock()) > 0:
                self._wake.wait(min(left, _TICK_S))
                self._expire_requests()

    def _attempt(self) -> None:
        """One connection from its first packet to its last."""
        with self._lock:
            self._conn += 1
            self._loose.clear()
            conn = self._conn
            will = self._documents.status_topic, self._documents.will(conn)
        try:
            line = Line(self.settings, will, self, self._wake)
        except (OSError, ValueError) as error:
            self._tell_down(f"no broker at {self._where}: {error}")
            return
        try:
            self._serve(line, conn)
        finally:
            line.close()
            with self._lock:
                self._connected = False
                self._window.connection_lost()
        if line.refused:
            hint = "check the table's account and password, and the broker's acl"
            self._alarms.tell("mqtt_refused", line.ended, self._where, hint)
        if line.taken_over:
            hint = "two programs use this table's id: stop one of them"
            self._alarms.tell(
                "mqtt_taken_over", "the broker gave our place to another program", self._where, hint
            )
            self._pause = self.settings.retry_max_s
        if not self._closing:
            self._tell_down(line.ended)
            self._watch_flapping(line)

    def _watch_flapping(self, line: Line) -> None:
        """Two programs with one id throw each other out for ever, and not every broker says why."""
        self._short_ones += line.was_connected
        if self._short_ones >= _FLAPPING:
            self._alarms.tell(
                "mqtt_flapping",
                f"the broker has ended {self._short_ones} connections after a moment each",
                self._where,
                "see whether a second program uses this table's id, and what the broker's log says",
            )

    def _serve(self, line: Line, conn: int) -> None:
        if not self._came(line, lambda: line.connected):
            return
        self._subscribe(line, conn)
        if not self._came(line, lambda: line.subscribed):
            return
        self._announce(conn)
        goodbye_by = math.inf
        while not line.ended:
            self._pump(line, conn)
            if self._closing:
                goodbye_by = min(goodbye_by, self._clock() + self.settings.close_s)
                if self._clock() >= goodbye_by or self._documents.settled:
                    break
            line.run_once(self._idle_s())
        if not line.ended:
            line.say_goodbye()
            while not line.ended and self._clock() < goodbye_by + 1.0:
                line.run_once(0.1)

    def _came(self, line: Line, true: Callable[[], bool]) -> bool:
        """Waits for an answer of the broker, with a deadline; whether it came."""
        answer_by = self._clock() + self.settings.connect_timeout_s
        while not line.ended and not true():
            if self._closing or self._clock() >= answer_by:
                line.ended = f"no answer from {self._where}"
                return False
            line.run_once(min(_TICK_S, answer_by - self._clock()))
        return not line.ended

    def _subscribe(self, line: Line, conn: int) -> None:
        """Asks for everything again; only when the broker has taken that do we say that we are there."""
        club, table = self.settings.club, self.settings.table
        self._reception.conn = conn
        self._subscribed = None
        line.subscribe(
            [
                (m.topics.desired(club, table), 1, False),
                (m.topics.command(club, table, m.ANY), 1, False),
                (m.topics.response(club, table, m.ANY), 1, False),
                (m.topics.hub_status(club), 1, False),
                (m.topics.hub_ack(club, table), 1, False),
                (m.topics.alert(club, table, m.ANY), 1, False),
                (self._documents.status_topic, 1, True),
            ]
        )

    def _announce(self, conn: int) -> None:
        """Everything retained is to be sent: birth, status, state, alerts."""
        self._beat_at = self._clock()
        with self._lock:
            self._documents.everything_again()
            self._connected = True
        self._told_down = False
        self._inbox.put(Connected(conn))

    def _pump(self, line: Line, conn: int) -> None:
        """Sends what is due, in this order: documents, answers, requests, events."""
        now = self._clock()
        self._expire_requests()
        with self._lock:
            self._send_documents(line, conn)
            while self._loose:
                message = self._loose.popleft()
                line.publish(message.topic, message.payload, message.qos, False, message.expiry)
            self._send_requests(line, conn, now)
            if self._window.resend_when_stalled(now, self._reception.hub_online):
                self._rows_asked = False
            if now >= self._blocked_until:
                while (row := self._window.next_row()) is not None:
                    self._window.sent(line.publish(self._event_topic, row.payload, 1, False))
            ask_rows = self._window.hungry and not self._rows_asked
            self._rows_asked = self._rows_asked or ask_rows
            ask_beat = now >= self._beat_at and not self._beat_asked
            self._beat_asked = self._beat_asked or ask_beat
            self._hub_online, self._refused = self._reception.hub_online, self._reception.refused
            followed = self._followed
        if now >= self._beat_at:
            self._beat_at = now + self.settings.heartbeat_s
        self._follow(line, followed)
        if ask_rows:
            self._inbox.put(OutboxWanted())
        if ask_beat:
            self._inbox.put(HeartbeatDue())

    def _send_documents(self, line: Line, conn: int) -> None:
        span = m.OutboxSpan(first=self._window.acked + 1, last=self._window.head)
        while (document := self._documents.next(conn, span)) is not None:
            self._documents.sent(line.publish(*document, 1, True), document)

    def _send_requests(self, line: Line, conn: int, now: float) -> None:
        for pending in self._requests.values():
            if pending.sent_on != conn:
                pending.sent_on = conn
                topic = m.topics.request(self.settings.club, self.settings.table, pending.kind)
                expiry = max(1, math.ceil(pending.until - now))
                line.publish(topic, m.encode(pending.request), 1, False, expiry)

    def _follow(self, line: Line, followed: str | None) -> None:
        if followed == self._subscribed:
            return
        if self._subscribed is not None:
            line.unsubscribe(m.topics.tournament(self.settings.club, self._subscribed, m.ANY))
        if followed is not None:
            line.subscribe([(m.topics.tournament(self.settings.club, followed, m.ANY), 1, False)])
        self._subscribed = followed

    def _idle_s(self) -> float:
        now = self._clock()
        due = [now + _TICK_S, self._beat_at]
        if self._blocked_until > now:
            due.append(self._blocked_until)
        return max(0.0, min(due) - now)

    def _expire_requests(self) -> None:
        now = self._clock()
        with self._lock:
            expired = [pending for pending in self._requests.values() if now >= pending.until]
            for pending in expired:
                del self._requests[pending.request.tx]
        for pending in expired:
            self._inbox.put(RequestExpired(pending.kind, pending.request))

    def _tell_down(self, reason: str) -> None:
        if not self._told_down:
            self._told_down = True
            self._inbox.put(Disconnected(reason))

    # ------------------------------------------------------------------ what the line and the reception call

    def on_message(self, message: Incoming) -> None:
        """A message came."""
        self._reception.take(message)

    def on_confirmed(self, mid: int, refused: str) -> None:
        """PUBACK: of an event it moves the send cursor and nothing else."""
        if refused:
            self._alarms.tell(
                "mqtt_not_taken", f"the broker refuses a message: {refused}", self._where, "check its acl"
            )
        with self._lock:
            if self._documents.confirmed(mid) or self._window.in_flight(mid) is None:
                return
            if refused:
                self._blocked_until = self._clock() + _BLOCKED_S
                self._window.connection_lost()
            else:
                self._window.puback(mid)

    def on_fault(self, where: str, error: Exception) -> None:
        """Something raised that should not have."""
        what = f"{type(error).__name__}: {error}"
        self._alarms.tell(
            "link_fault", what[:300], where, "the link goes on; report this with the program's version"
        )

    def reply(self, verb: str, reply: m.Reply) -> None:
        """Answers a command, and remembers the answer for the case that it is delivered twice."""
        self._reception.answered(reply)
        super().reply(verb, reply)
