"""The table's side of the link: what its thread may call. Each call leaves a wish under the lock and returns.

The journal belongs to the table's thread, which alone reads the outbox. So rows are handed over: the link says what
it can take (`wants`), the table reads those rows and gives them (`offer`); `hand_over` does both. When the link has
room again it puts `OutboxWanted` on the queue. Between the two calls the connection may have broken or a replay may
have moved the cursor: the want carries a generation, and a stale offer is refused, never mixed in.

What is retained (status, birth, state, alerts) is kept here in its last form and sent whole on every connection, so
that a broker that forgot everything is right again at once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from table_controller import messages as m
from table_controller.journal import OutboxRow
from table_controller.mqtt_link.documents import Documents
from table_controller.mqtt_link.line import Wake
from table_controller.mqtt_link.news import LinkHealth
from table_controller.mqtt_link.settings import LinkSettings
from table_controller.mqtt_link.window import SendWindow, Want


class Outbox(Protocol):
    """What `hand_over` reads: the journal."""

    @property
    def head_seq(self) -> int:
        """The last event's number."""

    def outbox_after(self, seq: int, limit: int) -> Sequence[OutboxRow]:
        """The next events in order."""


class Pending(msgspec.Struct):
    """A request that waits for its answer."""

    kind: str
    request: m.Request
    until: float
    sent_on: int = 0


class Loose(NamedTuple):
    """A message that is sent now or not at all."""

    topic: str
    payload: bytes
    qos: int
    expiry: int | None


class TableSide:
    """What the table wants said, and what the hub has not acknowledged yet."""

    def __init__(
        self, settings: LinkSettings, life: str, boot: int, acked: int, head: int, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self._state_topic = m.topics.state(settings.club, settings.table)
        self._clock = clock
        self._lock = threading.Lock()
        self._wake = Wake()
        self._window = SendWindow(
            acked, in_flight=settings.window, buffered=settings.buffer, stall_s=settings.stall_s
        )
        self._window.head = max(acked, head)
        self._documents = Documents(settings.club, settings.table, life, boot)
        self._loose: deque[Loose] = deque(maxlen=200)
        self._requests: dict[str, Pending] = {}
        self._followed: str | None = None
        self._rows_asked = False
        self._beat_asked = False
        self._conn = 0
        self._connected = False
        self._hub_online = False
        self._refused = 0

    # ------------------------------------------------------------------ what is retained

    def set_status(self, state: m.LifeState) -> None:
        """Says how the table stands: `init`, `ready`, `fault` or `sleeping`. `lost` is the broker's word for us."""
        with self._lock:
            self._documents.set_standing(state)
        self._wake.set()

    def set_birth(self, birth: m.Birth) -> None:
        """Says who the table is; connection number and outbox are filled in when it is sent.

        Raises:
            MessageError: It is out of bounds.
        """
        m.encode(birth)
        with self._lock:
            self._documents.set_birth(birth)
        self._wake.set()

    def set_state(self, state: m.TableState) -> None:
        """Says the table's public snapshot; only the latest is sent when the line is slow.

        Raises:
            MessageError: It is out of bounds.
        """
        self._keep(self._state_topic, m.encode(state))

    def set_alert(self, alert: m.Alert) -> None:
        """Raises or changes an alert; it stands until `clear_alert`.

        Raises:
            MessageError: It is out of bounds.
        """
        self._keep(self._alert_topic(alert.id), m.encode(alert))

    def clear_alert(self, alert_id: str) -> None:
        """Somebody has taken it: the topic is emptied, now or when the broker is back."""
        self._keep(self._alert_topic(alert_id), b"")

    def _keep(self, topic: str, payload: bytes) -> None:
        with self._lock:
            self._documents.keep(topic, payload)
        self._wake.set()

    def _alert_topic(self, alert_id: str) -> str:
        return m.topics.alert(self.settings.club, self.settings.table, alert_id)

    # ------------------------------------------------------------------ what is said once

    def beat(self, heartbeat: m.Heartbeat) -> None:
        """Answers `HeartbeatDue`: the table's loop lives. Connection number and backlog are filled in here.

        Raises:
            MessageError: It is out of bounds.
        """
        with self._lock:
            self._beat_asked = False
            window, conn = self._window, self._conn
            unacked = max(0, window.head - window.acked)
        payload = m.encode(msgspec.structs.replace(heartbeat, conn=max(1, conn), unacked=unacked))
        topic = m.topics.heartbeat(self.settings.club, self.settings.table)
        self._say(Loose(topic, payload, m.DELIVERY["heartbeat"].qos, None))

    def reply(self, verb: str, reply: m.Reply) -> None:
        """Answers a command.

        Raises:
            MessageError: It is out of bounds.
        """
        topic = m.topics.reply(self.settings.club, self.settings.table, verb)
        self._say(Loose(topic, m.encode(reply), m.DELIVERY["reply"].qos, m.COMMAND_EXPIRY_S))

    def request(self, kind: str, request: m.Request) -> None:
        """Asks the hub; `ResponseArrived` or, after the deadline, `RequestExpired` comes on the queue.

        Raises:
            MessageError: It is out of bounds.
        """
        m.encode(request)
        m.topics.request(self.settings.club, self.settings.table, kind)
        with self._lock:
            until = self._clock() + self.settings.request_deadline_s
            self._requests[request.tx] = Pending(kind, request, until)
        self._wake.set()

    def follow(self, tournament: str | None) -> None:
        """Reads the parts of this tournament; None: of none."""
        if tournament is not None:
            m.topics.tournament(self.settings.club, tournament, m.ANY)
        with self._lock:
            self._followed = tournament
        self._wake.set()

    def _say(self, message: Loose) -> None:
        with self._lock:
            self._loose.append(message)
        self._wake.set()

    # ------------------------------------------------------------------ the outbox, handed over

    def wants(self, head: int) -> Want | None:
        """What the link can take now; None when it has all, has no room, or has no broker.

        Args:
            head: The table's last event (`journal.head_seq`).
        """
        with self._lock:
            self._rows_asked = False
            want = self._window.wants(head)
            return want if self._connected else None

    def offer(self, want: Want, rows: Sequence[OutboxRow]) -> bool:
        """Gives the rows that were wanted; False when they are not wanted any more: ask `wants` again."""
        with self._lock:
            taken = self._window.offer(want, rows)
        self._wake.set()
        return taken

    # ------------------------------------------------------------------ what the other side's word moves

    def replay(self, command: m.Replay) -> m.Reply:
        """Moves the send cursor back; the rows come from the journal, also those acknowledged long ago."""
        with self._lock:
            head = self._window.head
            if command.start > head + 1:
                what = f"the last event is {head}"
                return m.Reply(tx=command.tx, ok=False, code="replay_beyond", hint=what, last=head)
            self._window.rewind(command.start - 1)
            self._rows_asked = False
        return m.Reply(tx=command.tx, ok=True, first=command.start, last=head)

    def hub_has(self, upto_seq: int) -> None:
        """Moves the send window on; never beyond what this journal has given."""
        with self._lock:
            self._window.hub_has(min(upto_seq, self._window.head))

    def contradict(self) -> None:
        """Says our status again."""
        with self._lock:
            self._documents.contradict()

    def sweep_alert(self, alert_id: str) -> None:
        """Empties an alert of an earlier start that nobody here has raised again."""
        with self._lock:
            self._documents.sweep(self._alert_topic(alert_id))

    def settle(self, kind: str, response: m.Response) -> bool:
        """Takes a response; False when nobody waits for it."""
        with self._lock:
            pending = self._requests.get(response.tx)
            if pending is None or pending.kind != kind:
                return False
            del self._requests[response.tx]
        return True

    # ------------------------------------------------------------------ how it stands

    def health(self) -> LinkHealth:
        """How the link stands."""
        with self._lock:
            window = self._window
            return LinkHealth(
                connected=self._connected,
                conn=self._conn,
                hub_online=self._connected and self._hub_online,
                head=window.head,
                sent_upto=window.confirmed,
                acked_upto=window.acked,
                resent=window.resent,
                refused=self._refused,
            )


def hand_over(link: TableSide, journal: Outbox) -> int:
    """Gives the link what it can take; the table calls it after each commit and on `OutboxWanted`.

    Returns:
        How many rows were handed over.
    """
    given = 0
    while (want := link.wants(journal.head_seq)) is not None:
        rows = journal.outbox_after(want.after, want.limit)
        if not rows:
            break
        if link.offer(want, rows):
            given += len(rows)
    return given
