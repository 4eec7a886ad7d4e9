"""Single card readers: the enrolment desk, and zones with one antenna. Each has its own thread and its own port.

A reader says UIDs only. Its thread asks the chip again and again, tells the level of its antenna, and
when the reader fails or goes says so once and tries the same path again, waiting longer each time.
"""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import msgspec

from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.device_errors import ReaderFailed, ReaderFailing
from firmware_bridge.errors import (
    DEFINED,
    BadCommand,
    CloseStalled,
    DeviceError,
    DriverFailed,
    NotReady,
)
from firmware_bridge.observations import Inventory
from firmware_bridge.pn532 import Pn532, check_path
from firmware_bridge.ports import wait_for_port
from firmware_bridge.reading import REPEAT, WINDOW, Level, Reading
from firmware_bridge.standing import Standing

LOGGER: Final = logging.getLogger(__name__)
CLOSE_WITHIN: Final = 5.0


class ReaderTiming(msgspec.Struct, frozen=True):
    """How often a reader is asked, and how long it may fail (seconds of real time).

    Attributes:
        interval: From the end of one read to the next.
        window: What was read within this is the level.
        repeat: An unchanged level is told again after this.
        degraded: After so many failed reads in a row the reader is degraded.
        recovered: After so many good ones in a row it is ready again.
        lost: After so many failed ones in a row it is closed and opened anew.
        backoff_first: First wait before it is opened again.
        backoff_most: The wait doubles up to this.
    """

    interval: float = 0.05
    window: float = WINDOW
    repeat: float = REPEAT
    degraded: int = 2
    recovered: int = 10
    lost: int = 5
    backoff_first: float = 0.1
    backoff_most: float = 2.0


class ReaderSettings(msgspec.Struct, frozen=True):
    """One single reader in the table's configuration.

    Attributes:
        name: What people call it; the `device` of its observations.
        path: A stable path: `/dev/serial/by-id/…`.
        targets: 1, or 2 for a zone on which two cards lie; no PN532 reads more.
        antenna: Number of its antenna in observations.
        kind: What it lies under (`seat`, `burn`, …); `unknown` leaves it to `[antennas]` of the configuration.
        index: Which of its kind, 0 where there is one only.
    """

    name: str
    path: str
    targets: int = 1
    antenna: int = 0
    kind: str = "unknown"
    index: int = 0


class ReaderHealth(msgspec.Struct, frozen=True):
    """How a reader is, for `doctor`, the dealer's page and metrics.

    Attributes:
        name: Its name in the table's configuration.
        path: Where it is plugged in.
        state: `found`, `ready`, `degraded` or `lost`.
        code: Slug of the defined error behind the state, empty when there is none.
        last_seen: Seconds (real) since its last good read; None when there was none yet.
        firmware: What its chip said it is.
        connections: How often it was opened.
        reads: Good reads.
        failed: Reads that went wrong.
        quality: Of the last level told, 0 to 100; None when none was told since it was opened.
    """

    name: str
    path: str
    state: str
    code: str
    last_seen: float | None
    firmware: str
    connections: int
    reads: int
    failed: int
    quality: int | None


class CardReader:
    """One PN532 reader: start it, read the queue, close it."""

    def __init__(
        self,
        settings: ReaderSettings,
        out: Sink,
        *,
        clock: TableClock | None = None,
        timing: ReaderTiming | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Describe the reader; nothing is opened before `start`.

        Args:
            settings: Name, path and place.
            out: The table's queue.
            clock: The table's clock, which gives `t`: a reader stamps nothing itself. None for a clock that stands at 0.
            timing: Waits and numbers of tries.
            monotonic: Real time in seconds.

        Raises:
            BadReaderPath: The path is not a plain one.
            BadCommand: The number of targets is neither 1 nor 2.
        """
        check_path(settings.path)
        if settings.targets not in (1, 2):
            raise BadCommand(f"a reader of {settings.targets} targets", where=settings.name, hint="1 or 2")
        self.name = settings.name
        self.path = settings.path
        self._settings = settings
        self._out = out
        self._clock = clock or TableClock()
        self._timing = timing or ReaderTiming()
        self._monotonic = monotonic
        self._standing = Standing(settings.name, self._clock, out)
        self._reading = Reading(self._timing.window, self._timing.repeat)
        self._ask = threading.Event()
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._chip = ""
        self._connections = 0
        self._reads = 0
        self._failed = 0
        self._good_at: float | None = None
        self._quality: int | None = None

    def start(self) -> None:
        """Begin to look for the reader; returns at once, whether or not it is there."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"reader {self.name}", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Put the reader to sleep, close its port and end the thread; a second call does nothing.

        Raises:
            CloseStalled: The thread did not end within five seconds.
        """
        self._stop.set()
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

    def request_inventory(self) -> None:
        """Tell what lies on the antenna with the next read, whether or not it changed."""
        self._ask.set()

    def wait_ready(self, within: float) -> None:
        """Wait until the reader answers.

        Raises:
            NotReady: It did not within so many seconds; says what stood in the way.
        """
        if not self._ready.wait(within):
            row = DEFINED.get(self._standing.code)
            reason = f" ({row.code}: {row.what})" if row is not None else ""
            raise NotReady(
                f"not ready within {within:g} s{reason}", where=self.path, hint=row.hint if row else ""
            )

    def health(self) -> ReaderHealth:
        """How the reader is now."""
        good_at = self._good_at
        return ReaderHealth(
            name=self.name,
            path=self.path,
            state=self._standing.state,
            code=self._standing.code,
            last_seen=None if good_at is None else max(0.0, self._monotonic() - good_at),
            firmware=self._chip,
            connections=self._connections,
            reads=self._reads,
            failed=self._failed,
            quality=self._quality,
        )

    def _run(self) -> None:
        wait = self._timing.backoff_first
        while not self._stop.is_set():
            try:
                self._serve()
            except DeviceError as error:
                self._standing.fault("lost", error)
            except Exception as error:
                # a fault of ours: the table must learn that this reader is gone before the thread ends loudly
                self._standing.fault(
                    "lost", DriverFailed(f"{type(error).__name__}: {error}", where=self.path)
                )
                raise
            finally:
                was_ready = self._ready.is_set()
                self._ready.clear()
            wait = self._timing.backoff_first if was_ready else min(wait * 2, self._timing.backoff_most)
            wait_for_port(self._stop, self.path, wait)

    def _serve(self) -> None:
        """Open the reader and read until it goes or the driver is closed."""
        reader = Pn532.open(self.path)
        try:
            self._connections += 1
            self._chip = reader.chip
            self._reading.forget()
            self._quality = None
            self._standing.tell("ready", f"{self.path}: {reader.chip}")
            self._ready.set()
            self._read(reader)
        finally:
            reader.close()

    def _read(self, reader: Pn532) -> None:
        read = reader.read_one if self._settings.targets == 1 else reader.read_two
        failures = good = 0
        while not self._stop.is_set():
            try:
                uids: tuple[str, ...] | None = read()
            except ReaderFailing as error:
                uids = None
                self._failed += 1
                failures, good = failures + 1, 0
                LOGGER.debug("%s", error)
                if failures >= self._timing.lost:
                    raise ReaderFailed(
                        f"{failures} reads in a row went wrong, the last: {error.what}", where=self.path
                    ) from error
                if failures == self._timing.degraded:
                    self._standing.fault("degraded", error)
            else:
                self._reads += 1
                self._good_at = self._monotonic()
                failures, good = 0, good + 1
                if self._standing.state == "degraded" and good >= self._timing.recovered:
                    self._standing.tell("ready")
            if self._ask.is_set():
                self._ask.clear()
                self._reading.ask()
            self._tell(self._reading.take(self._monotonic(), uids))
            self._stop.wait(self._timing.interval)

    def _tell(self, level: Level | None) -> None:
        if level is None:
            return
        self._quality = level.quality
        place = self._settings
        self._clock.publish(
            self._out,
            lambda t: Inventory(
                t=t,
                device=self.name,
                antenna=place.antenna,
                kind=place.kind,
                index=place.index,
                uids=level.uids,
                quality=level.quality,
                cycle=level.cycle,
            ),
        )
