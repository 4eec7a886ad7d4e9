"""All devices of one table: started together, stopped together, asked together how they are."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

import msgspec

from firmware_bridge import codes
from firmware_bridge.card_reader import CardReader, ReaderHealth, ReaderSettings
from firmware_bridge.clock import HostTime, Sink, TableClock
from firmware_bridge.errors import BridgeError, CloseStalled, NameTaken
from firmware_bridge.link import Timing
from firmware_bridge.mcu import BAUD, Health, Mcu
from firmware_bridge.observations import CommandRefused
from firmware_bridge.panel import Panel, PanelHealth, PanelSettings

LOGGER: Final = logging.getLogger(__name__)
HOST_TICK: Final = 0.1
"""The host's clock is looked at so often (seconds of real time)."""
HOST_PATIENCE: Final = 1.5
"""Three missed heartbeats: from then on the host's clock carries the table's time."""
CLOSE_WITHIN: Final = 5.0


AnyHealth = Health | ReaderHealth | PanelHealth


class McuSettings(msgspec.Struct, frozen=True):
    """One table board in the table's configuration.

    Attributes:
        name: What people call it; the `device` of its observations.
        path: A stable path: `/dev/serial/by-id/…`.
        baud: Bits per second.
        scan: Scan plan as (antenna, dwell in ms); None for every antenna that the board has.
    """

    name: str
    path: str
    baud: int = BAUD
    scan: tuple[tuple[int, int], ...] | None = None


class HostTicker:
    """Keeps table time moving by the host's clock while no board stamps it."""

    def __init__(
        self,
        clock: TableClock,
        out: Sink,
        patience: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Stand in after `patience` seconds without a stamp; 0 for a table without boards."""
        self._host = HostTime(clock, patience)
        self._out = out
        self._monotonic = monotonic
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="host ticker", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread; a second call does nothing.

        Raises:
            CloseStalled: It did not end within five seconds.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_WITHIN)
            if self._thread.is_alive():
                raise CloseStalled(where="host ticker")
            self._thread = None

    def _run(self) -> None:
        while not self._stop.is_set():
            self._host.feed(self._monotonic(), self._out)
            self._stop.wait(HOST_TICK)


class Devices:
    """The devices of one table, their common clock and their common queue.

    A command goes to every device that has what it needs; one that has not leaves it aside.

    Attributes:
        clock: The table's clock, for devices that have none of their own.
        mcus: The table boards by name.
        readers: The single readers by name.
        panels: The panels on the Pi's own pins by name.
    """

    def __init__(
        self,
        mcus: Sequence[Mcu],
        clock: TableClock,
        out: Sink,
        ticker: HostTicker | None,
        *,
        readers: Sequence[CardReader] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        self.clock = clock
        self.mcus = {mcu.name: mcu for mcu in mcus}
        self.readers = {reader.name: reader for reader in readers}
        self.panels = {panel.name: panel for panel in panels}
        self._out = out
        self._ticker = ticker

    @property
    def _all(self) -> tuple[Mcu | CardReader | Panel, ...]:
        return (*self.mcus.values(), *self.readers.values(), *self.panels.values())

    def start(self) -> None:
        """Start all of them; none has to be there yet."""
        for device in self._all:
            device.start()
        if self._ticker is not None:
            self._ticker.start()

    def close(self) -> None:
        """Stop all of them, even when one does not want to.

        Raises:
            CloseStalled: A thread did not end in time.
        """
        with ExitStack() as stack:
            if self._ticker is not None:
                stack.callback(self._ticker.close)
            for device in self._all:
                stack.callback(device.close)

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
    def names(self) -> list[str]:
        """The names of all devices, in the order of the configuration."""
        return [device.name for device in self._all]

    @property
    def idle(self) -> bool:
        """Whether every board has answered everything that it was told."""
        return all(mcu.idle for mcu in self.mcus.values())

    def health(self) -> list[AnyHealth]:
        """How each device is now."""
        return [device.health() for device in self._all]

    def wait_ready(self, within: float) -> None:
        """Wait until every board has said who it is, every reader answers, the panel's pins are open.

        Raises:
            NotReady: One was not ready within so many seconds.
        """
        until = time.monotonic() + within
        for device in self._all:
            device.wait_ready(max(0.0, until - time.monotonic()))

    def set_lamp(self, lamp: int, colour: int | str, *, blink: bool = False) -> None:
        """Show a colour on a lamp, on every board and panel that has it."""
        for mcu in self.mcus.values():
            mcu.set_lamp(lamp, colour, blink=blink)
        for panel in self.panels.values():
            panel.set_lamp(lamp, colour, blink=blink)

    def set_display(self, line: int, text: str) -> None:
        """Show a text of at most 40 characters on a line of every display."""
        for mcu in self.mcus.values():
            mcu.set_display(line, text)

    def send_orders(self, orders: Sequence[tuple[int | str, int | str, int]]) -> None:
        """Show the next acts as (order, place, argument) on every board."""
        for mcu in self.mcus.values():
            mcu.send_orders(orders)

    def buzz(self, duration_ms: int) -> None:
        """Sound every buzzer."""
        for mcu in self.mcus.values():
            mcu.buzz(duration_ms)
        for panel in self.panels.values():
            panel.buzz(duration_ms)

    def request_inventory(self) -> None:
        """Ask every board and reader what lies on its antennas."""
        for mcu in self.mcus.values():
            mcu.request_inventory()
        for reader in self.readers.values():
            reader.request_inventory()

    def arm(self, armed: bool) -> None:
        """Let the dealing shoe move for the next ten seconds of table time, or stop it."""
        for mcu in self.mcus.values():
            mcu.arm(armed)

    def feed(self, target: int, command_id: int) -> None:
        """Let the one dealing shoe feed one card.

        A table without a shoe answers with a `CommandRefused` observation.

        Raises:
            BadCommand: The target or the id is out of its range.
            CommandQueueFull: Too many feeds wait already.
        """
        shoes = [mcu for mcu in self.mcus.values() if mcu.has(codes.SHOE_CAPABILITY)]
        if shoes:
            # a second shoe is never fed as well: one command is one card
            shoes[0].feed(target, command_id)
            return
        # a board that is away may be the one with the shoe
        reason = "not-fitted" if all(mcu.present for mcu in self.mcus.values()) else "not-connected"
        self.clock.publish(
            self._out,
            lambda t: CommandRefused(
                t=t, device="table", command="FEED", reason=reason, command_id=command_id
            ),
        )


def open_devices(
    mcus: Sequence[McuSettings],
    out: Sink,
    *,
    readers: Sequence[ReaderSettings] = (),
    panels: Sequence[PanelSettings] = (),
    start: float = 0.0,
    timing: Timing | None = None,
    host_time: bool = True,
) -> Devices:
    """Start every device of a table; what is not plugged in is taken up when it comes.

    Args:
        mcus: The table boards.
        out: The table's queue: observations in order of `t`.
        readers: The single readers.
        panels: The panels on the Pi's own pins.
        start: Where the table's clock goes on: the last `t` of the journal, 0 for a new table.
        timing: Waits and numbers of tries, for all boards.
        host_time: Let the host's clock carry the table's time while no board stamps it.

    Raises:
        NameTaken: Two devices have one name; nothing was started.
        BadCommand: A setting that no such device can have; nothing was started.
    """
    everything: tuple[McuSettings | ReaderSettings | PanelSettings, ...] = (*mcus, *readers, *panels)
    names = [settings.name for settings in everything]
    for name in names:
        if names.count(name) > 1:
            raise NameTaken(where=name)
    clock = TableClock(start)
    boards = [
        Mcu(each.path, each.baud, each.name, out, clock=clock, scan=each.scan, timing=timing) for each in mcus
    ]
    ticker = HostTicker(clock, out, HOST_PATIENCE if boards else 0.0) if host_time else None
    devices = Devices(
        boards,
        clock,
        out,
        ticker,
        readers=[CardReader(each, out, clock=clock) for each in readers],
        panels=[Panel(each, out, clock=clock) for each in panels],
    )
    try:
        devices.start()
    except (BridgeError, RuntimeError):
        devices.close()
        raise
    return devices
