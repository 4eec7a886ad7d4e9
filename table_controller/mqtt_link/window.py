"""The send window: which events are under way. Pure, without a thread or a socket.

Three cursors, all event numbers: `taken` (the link holds the row or has sent it), `confirmed` (the broker has it,
PUBACK), `acked` (the hub has committed it). Rows go out strictly in order, few at a time, because a broker drops
silently what it cannot queue. PUBACK moves `confirmed` and nothing else; only the hub's own acknowledgement lets
the table forget a row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from table_controller.journal import OutboxRow

IN_FLIGHT: Final = 16
BUFFERED: Final = 64
#: A silent hub is given this long at most before everything is sent once more.
LONGEST_STALL_S: Final = 600.0


class Want(NamedTuple):
    """What the link can take: rows after `after`, at most `limit`. `generation` tells a stale answer from a fresh one."""

    after: int
    limit: int
    generation: int


class SendWindow:
    """What is under way, for one table and one life.

    Args:
        acked: What the hub is known to have.
        in_flight: Rows at most that the broker has not confirmed.
        buffered: Rows at most that wait in memory.
        stall_s: Seconds without progress of an online hub before the rows are sent again.
    """

    def __init__(
        self, acked: int, *, in_flight: int = IN_FLIGHT, buffered: int = BUFFERED, stall_s: float = 10.0
    ) -> None:
        self.acked = acked
        self.confirmed = acked
        self.taken = acked
        self.head = acked
        self.resent = 0
        self._hub_level = acked
        self._in_flight_limit = in_flight
        self._buffer_limit = buffered
        self._rows: deque[OutboxRow] = deque()
        self._in_flight: dict[int, int] = {}
        self._done: set[int] = set()
        self._generation = 0
        self._stall_s = self._patience = stall_s
        self._quiet_since: float | None = None
        self._replay_until = 0

    # ------------------------------------------------------------------ the table's side

    def wants(self, head: int) -> Want | None:
        """What could be taken now, None when there is nothing or no room; `head` is the table's last event."""
        self.head = max(self.head, head)
        room = self._buffer_limit - len(self._rows)
        if room <= 0 or self.taken >= self.head:
            return None
        return Want(self.taken, room, self._generation)

    def offer(self, want: Want, rows: Sequence[OutboxRow]) -> bool:
        """Takes the rows, unless the cursor has moved since they were asked for.

        Raises:
            ValueError: The rows are not the next ones in order.
        """
        if want.generation != self._generation or want.after != self.taken:
            return False
        for row in rows:
            if row.seq != self.taken + 1:
                raise ValueError(f"event {row.seq} offered after {self.taken}")
            self._rows.append(row)
            self.taken = row.seq
        return True

    # ------------------------------------------------------------------ the broker's side

    @property
    def hungry(self) -> bool:
        """Whether the table should hand over more rows."""
        return self.taken < self.head and len(self._rows) <= self._buffer_limit // 2

    def next_row(self) -> OutboxRow | None:
        """The row to send now, None when the window is full or nothing waits."""
        if not self._rows or len(self._in_flight) >= self._in_flight_limit:
            return None
        return self._rows[0]

    def sent(self, mid: int) -> None:
        """The row of `next_row` went out under this message id."""
        self._in_flight[mid] = self._rows.popleft().seq

    def puback(self, mid: int) -> bool:
        """The broker has one; whether it was one of ours. `confirmed` moves only over what is complete."""
        if mid not in self._in_flight:
            return False
        self._done.add(mid)
        for first in list(self._in_flight):
            if first not in self._done:
                break
            self._done.discard(first)
            self.confirmed = max(self.confirmed, self._in_flight.pop(first))
        return True

    def in_flight(self, mid: int) -> int | None:
        """The event that went out under this message id."""
        return self._in_flight.get(mid)

    def connection_lost(self) -> None:
        """What the broker has not confirmed is sent again on the next connection."""
        self._move(self.confirmed)

    def rewind(self, after: int) -> None:
        """Sends everything after this event again, whatever the hub is known to have: it asked for it."""
        self._move(after)
        self._replay_until = self.head

    def _move(self, after: int) -> None:
        self.confirmed = self.taken = after
        self._rows.clear()
        self._in_flight.clear()
        self._done.clear()
        self._generation += 1
        self._quiet_since = None

    # ------------------------------------------------------------------ the hub's side

    def hub_has(self, upto: int) -> None:
        """The hub's acknowledgement: what it has need not be sent."""
        if upto != self._hub_level:
            self._hub_level = upto
            self._patience = self._stall_s
            self._quiet_since = None
        self.acked = max(self.acked, upto)
        if self.confirmed < self._replay_until:
            return
        if upto > self.taken:
            self._move(upto)
        elif upto > self.confirmed:
            self.confirmed = upto
            while self._rows and self._rows[0].seq <= upto:
                self._rows.popleft()

    def resend_when_stalled(self, now: float, hub_online: bool) -> bool:
        """Sends again when the broker has everything, the hub is there and yet does not move.

        A broker that lost its queue, or a hub that was set back to an older copy, is healed by this alone. The
        patience doubles each time, so that a hub that does not want this table is not flooded.
        """
        idle = self.taken == self.confirmed == self.head and not self._in_flight
        if not hub_online or not idle or self._hub_level >= self.confirmed:
            self._quiet_since = None
            return False
        if self._quiet_since is None:
            self._quiet_since = now
        if now - self._quiet_since < self._patience:
            return False
        self._patience = min(self._patience * 2, LONGEST_STALL_S)
        self.resent += 1
        self._move(self._hub_level)
        return True
