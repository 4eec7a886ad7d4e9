"""The table board on its serial port: one thread that reads, answers and sends, and comes back after every loss."""

import logging
import os
import select
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import serial

from firmware_bridge import codes
from firmware_bridge.board import Board
from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.commands import Commands
from firmware_bridge.errors import (
    DEFINED,
    BadCommand,
    CloseStalled,
    DeviceError,
    DriverFailed,
    NotReady,
    PeerLost,
    Unplugged,
    port_error,
)
from firmware_bridge.framing import VERSION
from firmware_bridge.link import Counters, Link, Timing
from firmware_bridge.ports import BY_ID, find_port, wait_for_port

LOGGER: Final = logging.getLogger(__name__)
BAUD: Final = 921_600
PROTOCOL: Final = (VERSION, VERSION)
"""The first and the last version of the line that this program speaks."""
CLOSE_WITHIN: Final = 5.0
_LINE_ERRORS: Final = (serial.SerialException, OSError, termios.error)


class Health(msgspec.Struct, frozen=True):
    """How a device is, for `doctor`, the dealer's page and metrics.

    Attributes:
        name: Its name in the table's configuration.
        path: Where it is plugged in.
        state: `found`, `ready`, `degraded` or `lost`.
        code: Slug of the defined error behind the state, empty when there is none.
        last_seen: Seconds (real) since its last whole frame; None when there was none yet.
        firmware: What it said it runs.
        serial: Its serial number.
        restarts: How often it restarted while it was watched.
        connections: How often its port was opened.
        received: Whole frames from it.
        sent: Frames sent to it, each counted once.
        bad_frames: Broken frames from it.
        resends: Frames sent to it again.
        duplicates: Frames from it that had come before.
        refused: Frames that it refused.
        peer_bad_frames: Broken frames that it has counted.
        peer_resends: Frames that it has sent again.
        peer_lost: Frames that it gave up.
        supply: Volts at the board; None before its first heartbeat.
    """

    name: str
    path: str
    state: str
    code: str
    last_seen: float | None
    firmware: str
    serial: str
    restarts: int
    connections: int
    received: int
    sent: int
    bad_frames: int
    resends: int
    duplicates: int
    refused: int
    peer_bad_frames: int
    peer_resends: int
    peer_lost: int
    supply: float | None


class Mcu(Commands):
    """A table board: start it, read the queue, give it commands, close it.

    Its thread opens the port, asks the board who it is, keeps the line's promises and puts observations on the queue. When
    the line breaks it says so once and tries the same path again, waiting longer each time, but not past the moment at which
    something is plugged in. A board that comes back under another name is found by the serial number that it has told.
    """

    def __init__(
        self,
        path: str,
        baud: int,
        name: str,
        out: Sink,
        *,
        clock: TableClock | None = None,
        scan: Sequence[tuple[int, int]] | None = None,
        protocol: tuple[int, int] = PROTOCOL,
        timing: Timing | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        by_id: Path = BY_ID,
    ) -> None:
        """Describe the board; nothing is opened before `start`.

        Args:
            path: A stable path: `/dev/serial/by-id/…`, or any link that is set to the device.
            baud: Bits per second: 921,600, or 115,200 for a board with cards only.
            name: Its name in observations.
            out: The table's queue.
            clock: The table's clock; None for a clock of its own that begins at 0.
            scan: Scan plan as (antenna, dwell in ms); None for every antenna that the board has.
            protocol: First and last version of the line that may be spoken.
            timing: Waits and numbers of tries.
            monotonic: Real time in seconds, for resends and silences.
            by_id: Folder of the system's links by serial number.

        Raises:
            BadCommand: The baud rate or the scan plan is out of range.
        """
        if baud <= 0:
            raise BadCommand(f"a baud rate of {baud}", where=name)
        self.name = name
        self.path = path
        self._baud = baud
        self._timing = timing or Timing()
        self._monotonic = monotonic
        self._by_id = by_id
        self._counters = Counters()
        self._port: Any = None
        self._port_guard = threading.Lock()
        self._woken = False
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._connections = 0
        self._heard_at: float | None = None
        table_clock = clock or TableClock()
        super().__init__(name, table_clock, out, scan, self._wake_reader)
        self._board = Board(name, path, table_clock, out, self, self._timing, protocol, self._counters)

    def start(self) -> None:
        """Begin to look for the board; returns at once, whether or not it is there."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"mcu {self.name}", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Disarm the shoe, close the port and end the thread; a second call does nothing.

        Raises:
            CloseStalled: The thread did not end within five seconds.
        """
        self._stop.set()
        self._wake_reader()
        if self._thread is not None:
            self._thread.join(CLOSE_WITHIN)
            if self._thread.is_alive():
                raise CloseStalled(where=self.name)
            self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def idle(self) -> bool:
        """Whether the board has answered everything that it was told."""
        return self.outbox.idle

    @property
    def antennas(self) -> tuple[tuple[int, str, int], ...]:
        """Number, kind and index of every antenna, as the board said at its last HELLO."""
        hello = self._board.hello
        return tuple(
            (each.id, codes.ANTENNA_KINDS.get(each.kind, "unknown"), each.index)
            for each in (hello.antennas if hello is not None else ())
        )

    def wait_ready(self, within: float) -> None:
        """Wait until the board has said who it is.

        Raises:
            NotReady: It was not ready within so many seconds; says what stood in the way.
        """
        if not self._ready.wait(within):
            code = self._board.code
            row = DEFINED.get(code)
            reason = f" ({code}: {row.what})" if row is not None else ""
            raise NotReady(
                f"not ready within {within:g} s{reason}", where=self.path, hint=row.hint if row else ""
            )

    def health(self) -> Health:
        """How the board is now."""
        board, counters = self._board, self._counters
        beat, hello, heard_at = board.heartbeat, board.hello, self._heard_at
        return Health(
            name=self.name,
            path=self.path,
            state=board.state,
            code=board.code,
            last_seen=None if heard_at is None else max(0.0, self._monotonic() - heard_at),
            firmware=hello.firmware if hello else "",
            serial=hello.serial if hello else "",
            restarts=board.restarts,
            connections=self._connections,
            received=counters.received,
            sent=counters.sent,
            bad_frames=counters.bad,
            resends=counters.resent,
            duplicates=counters.duplicates,
            refused=counters.refused,
            peer_bad_frames=beat.bad_crc if beat else 0,
            peer_resends=beat.resent if beat else 0,
            peer_lost=beat.lost if beat else 0,
            supply=beat.supply_mv / 1000 if beat else None,
        )

    def _run(self) -> None:
        wait = self._timing.backoff_first
        while not self._stop.is_set():
            try:
                self._converse(self._open())
            except DeviceError as error:
                self._lost(error)
            except _LINE_ERRORS as error:
                self._lost(Unplugged(f"the line broke: {error}", where=self.path))
            except Exception as error:
                # a fault of ours: the table must learn that this device is gone before the thread ends loudly
                self._lost(DriverFailed(f"{type(error).__name__}: {error}", where=self.path))
                raise
            finally:
                was_ready = self._ready.is_set()
                self._ready.clear()
                self._close_port()
            wait = self._timing.backoff_first if was_ready else min(wait * 2, self._timing.backoff_most)
            wait_for_port(self._stop, self.path, wait, self._by_id)

    def _lost(self, error: DeviceError) -> None:
        LOGGER.warning("%s", error)
        self._board.lost(error)

    def _open(self) -> Any:
        hello = self._board.hello
        path = find_port(self.path, hello.serial if hello is not None else "", self._by_id)
        if path != self.path:
            LOGGER.warning("%s: the board is at %s now", self.name, path)
        try:
            port = serial.Serial(path, self._baud, timeout=self._timing.read, write_timeout=0, exclusive=True)
        except _LINE_ERRORS as error:
            raise port_error(error, path) from error
        with self._port_guard:
            self._port, self._woken = port, False
        self._connections += 1
        return port

    def _close_port(self) -> None:
        with self._port_guard:
            port, self._port = self._port, None
        if port is not None:
            try:
                port.close()
            except _LINE_ERRORS as error:
                LOGGER.debug("%s: closing a broken port: %s", self.name, error)

    def _wake_reader(self) -> None:
        with self._port_guard:
            if self._port is not None and not self._woken:
                self._woken = True
                self._port.cancel_read()

    def _converse(self, port: Any) -> None:
        """Talk with whatever is at the port until it goes or the driver is closed."""
        link = Link(self.outbox, self._timing, self._counters, int.from_bytes(os.urandom(2)))
        now = self._monotonic()
        self._board.begin(link, now)
        # the 00 closes whatever half a frame the board's decoder may hold
        unsent, moved_at = b"\x00", now
        while not self._stop.is_set():
            data = port.read(max(1, port.in_waiting))
            self._woken = False
            now = self._monotonic()
            try:
                if data:
                    self._take(link, data, now)
                self._board.watch(now)
                rest = _write(port, unsent)
                if len(rest) < len(unsent) or not rest:
                    moved_at = now
                elif now - moved_at > self._timing.resend * (self._timing.resends + 1):
                    raise PeerLost("the board takes no bytes", where=self.path)
                unsent = rest or _write(port, link.poll(now, self.path))
            except PeerLost as error:
                self._restart(link, error, now)
        self.keep_armed(float("inf"))
        _write(port, unsent + link.poll(now, self.path))

    def _take(self, link: Link, data: bytes, now: float) -> None:
        before = self._counters.received
        for frame in link.feed(data, now):
            self._board.take(frame, now)
        if self._counters.received > before:
            self._heard_at = now
            self._board.heard(now)
        if link.contradicted:
            link.contradicted = False
            self._board.ask_hello(now)
        refusals, link.refusals = link.refusals, []
        for waiting, code in refusals:
            self.refused(waiting, code)
        if link.known:
            self._ready.set()

    def _restart(self, link: Link, error: PeerLost, now: float) -> None:
        """Begin again on the open port, so that nothing the board has sent is thrown away."""
        if not link.known:
            link.drop_under_way()
            self._board.ask_hello(now)
            return
        self._ready.clear()
        self._lost(error)
        self._board.begin(link, now)


def _write(port: Any, unsent: bytes) -> bytes:
    """Write as much as the port takes without waiting; give what is left."""
    # pyserial spins on a full port when told not to wait: ask first
    if unsent and select.select([], [port.fileno()], [], 0)[1]:
        return unsent[port.write(unsent) or 0 :]
    return unsent
