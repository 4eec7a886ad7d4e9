"""Table time: the one place where a board's ticks become `t`.

Three clocks exist. `ticks_ms` is a board's own, milliseconds in 32 bits, starts at 0 when the board does. `t` is the
table's monotonic clock in seconds, a float with whole milliseconds; it goes on where the journal ended. UTC is for people
and does not occur here. `t` follows the boards' stamps, not the arrival of bytes: a slow line or a simulation at ten
times the pace gives the same times.
"""

import threading
from collections.abc import Callable
from typing import Final, Protocol

from firmware_bridge.observations import Observation, Tick

TICK_MS: Final = 100
TICKS_AT_ONCE: Final = 600
"""More full tenths than these (a minute) are a leap: only the last is told."""
LAG_LIMIT_MS: Final = 1000
"""A board further behind than this has been away; nearer, it was only late on the line."""
_WRAP: Final = 2**32


class Sink(Protocol):
    """Where observations go: a `queue.SimpleQueue`, or anything with `put`."""

    def put(self, item: Observation, /) -> None:
        """Take one observation, never blocking."""


class TableClock:
    """The time of one table, driven by the stamps of its devices.

    It is the furthest time that any device has told, so it never goes back. All devices of a table share one clock;
    publishing under its lock keeps the queue in order of `t`.
    """

    def __init__(self, start: float = 0.0) -> None:
        """Begin at `start` seconds: the last `t` of the journal, 0 for a new table."""
        self._now_ms = round(start * 1000)
        self._lock = threading.Lock()

    @property
    def now(self) -> float:
        """The last time told (seconds)."""
        return self._now_ms / 1000

    @property
    def now_ms(self) -> int:
        """The last time told (milliseconds)."""
        return self._now_ms

    def publish(
        self,
        out: Sink,
        build: Callable[[float], Observation] | None,
        board: "DeviceClock | None" = None,
        ticks_ms: int | None = None,
    ) -> float:
        """Put an observation on the queue with its time, and before it a tick for each tenth passed.

        Args:
            out: The table's queue.
            build: Makes the observation of its `t`; None only moves the clock.
            board: The clock of the board that stamped it.
            ticks_ms: The stamp; None for what carries none: it gets the time last told.

        Returns:
            The time given to the observation (seconds).
        """
        with self._lock:
            if board is not None and ticks_ms is not None:
                self._reach(out, board.read(ticks_ms, self._now_ms))
            t = self._now_ms / 1000
            if build is not None:
                out.put(build(t))
            return t

    def advance(self, out: Sink, elapsed_ms: int) -> None:
        """Let time pass that no board has stamped: the host's own clock stands in."""
        with self._lock:
            self._reach(out, self._now_ms + elapsed_ms)

    def _reach(self, out: Sink, now_ms: int) -> None:
        first, last = self._now_ms // TICK_MS + 1, now_ms // TICK_MS
        if last - first >= TICKS_AT_ONCE:
            first = last
        for tenth in range(first, last + 1):
            out.put(Tick(t=tenth * TICK_MS / 1000, device="table"))
        self._now_ms = max(self._now_ms, now_ms)


class DeviceClock:
    """One board's ticks on the table's clock.

    The first stamp after the board started is "now" on the table; later ones follow the board's own clock through its wrap
    of 32 bits. Boards' crystals differ: one that falls behind is led back by at most a thousandth of its own pace.
    """

    def __init__(self) -> None:
        self._last_ticks: int | None = None
        self._position_us = 0

    def restarted(self) -> None:
        """The board has a new boot id: its ticks began again, the table's time goes on where it was."""
        self._last_ticks = None

    def read(self, ticks_ms: int, now_ms: int) -> int:
        """Table time (ms) of a stamp, given the time last told (ms); never less than that.

        A stamp older than the board's last one (a frame that was sent again) gets the time last told.
        """
        if self._last_ticks is None:
            self._last_ticks = ticks_ms
            self._position_us = now_ms * 1000
            return now_ms
        passed_ms = (ticks_ms - self._last_ticks + _WRAP // 2) % _WRAP - _WRAP // 2
        if passed_ms < 0:
            return now_ms
        self._last_ticks = ticks_ms
        self._position_us += passed_ms * 1000
        lag_us = now_ms * 1000 - self._position_us
        if lag_us > LAG_LIMIT_MS * 1000:
            self._position_us = now_ms * 1000
        elif lag_us > 0:
            self._position_us += min(lag_us, passed_ms)
        return max(now_ms, self._position_us // 1000)


class HostTime:
    """Keeps the table's time moving while no board stamps it, from the host's own monotonic clock.

    A table whose only board is unplugged goes on by panel and page, and its deadlines must still fire. As long as boards
    stamp, this adds nothing.
    """

    def __init__(self, clock: TableClock, patience: float) -> None:
        """Stand in once no stamp has moved the clock for `patience` seconds; 0 for a table without boards."""
        self._clock = clock
        self._patience = patience
        self._seen_ms = clock.now_ms
        self._moved_at: float | None = None
        self._fed_at = 0.0

    def feed(self, host: float, out: Sink) -> None:
        """Tell the host's monotonic time (seconds); call it about ten times a second."""
        if self._moved_at is None or self._clock.now_ms != self._seen_ms:
            self._seen_ms = self._clock.now_ms
            self._moved_at = self._fed_at = host
        elif host - self._moved_at < self._patience:
            self._fed_at = host
        else:
            elapsed_ms = int((host - self._fed_at) * 1000)
            self._fed_at += elapsed_ms / 1000
            self._clock.advance(out, elapsed_ms)
            self._seen_ms = self._clock.now_ms
