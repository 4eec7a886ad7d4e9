"""One table's program: a queue of observations and news, one thread that thinks, nothing shown before it is written.

    with Table(load_config(path)) as table:
        table.run()

Observation -> fusion -> engine -> journal (synced) -> panel, lamps, MQTT. Losing a device or the broker degrades the
table and never stops it; only a journal that cannot be trusted does.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from engine.events import TableEvent
from engine.rulebook import Rulebook
from firmware_bridge.devices import Devices, McuSettings, open_devices
from firmware_bridge.observations import DeviceState, Fault, Observation
from table_controller.config import TableConfig
from table_controller.fusion import Coverage, Fusion
from table_controller.hand_start import Way
from table_controller.inventory import Tags
from table_controller.journal import Journal, JournalError, JournalFull
from table_controller.mqtt_link import (
    CommandArrived,
    Connected,
    DesiredArrived,
    Disconnected,
    HeartbeatDue,
    HubAcked,
    HubSeen,
    LinkAlarm,
    LinkNews,
    LinkSettings,
    MqttLink,
    OutboxWanted,
    TlsFiles,
    hand_over,
)
from table_controller.mqtt_link.news import News
from table_controller.rulebook_files import load_resolved, resolve
from table_controller.running import Draft, Running
from table_controller.showing import Showing

LOGGER: Final = logging.getLogger(__name__)
SOFTWARE: Final = "maldonne 0.1.0"
_IDLE: Final = 0.5
"""The loop looks round at least this often (seconds of real time)."""
_AT_ONCE: Final = 64
"""Things taken from the queue before what follows from them is written."""


class Said(msgspec.Struct, frozen=True):
    """A person said what happened, on the dealer's page: for the table's queue."""

    event: TableEvent
    source: str


class _Stop(msgspec.Struct, frozen=True):
    """End the loop."""


Item = Observation | LinkNews | Said | _Stop


def utc_now() -> str:
    """The wall clock as a label for people."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Table:
    """The program of one table.

    Attributes:
        running: The hand as it is played, for the dealer's page (read it in the loop's thread only).
        journal: The table's record.
        devices: The table boards.
        link: The line to hub and displays; None without a broker in the configuration.
    """

    def __init__(
        self, config: TableConfig, *, lang: str = "fr", utc: Callable[[], str] = utc_now, online: bool = True
    ) -> None:
        """Open the journal, go on where it ends, start the devices and the line.

        Args:
            config: What the club has set.
            lang: Language of the display.
            utc: The wall clock.
            online: Connect to the broker of the configuration.

        Raises:
            TableError: A file cannot be used, or the journal cannot be trusted.
            EngineError: The rulebook cannot be used.
        """
        self.config = config
        self._utc = utc
        self._queue: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._busy = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._unwritten: list[Draft] = []
        self._hub_online = False
        self._closing = contextlib.ExitStack()
        files = config.files
        tags = Tags.load(Path(files.deck) if files.deck else None, Path(files.chips) if files.chips else None)
        fusion = Fusion(
            tags,
            Coverage(config.antennas, next(iter(config.devices), "") if len(config.devices) == 1 else ""),
            config.timing,
            buttons=config.panel.buttons,
            chips=config.game.chips == "sensed",
        )
        game = config.game
        self.running = Running(
            fusion,
            resolve,
            config.desired(),
            Way(betting=game.betting, chips=game.chips, button=game.button),
            sensors=game.sensors,
            utc=utc,
        )
        mqtt = config.mqtt
        self.journal = Journal.open(
            files.journal, club=mqtt.club, table=mqtt.table, utc=utc(), software=SOFTWARE, engine=SOFTWARE
        )
        try:
            self._closing.callback(self.journal.close)
            found = self.journal.recover()
            self.running.recover(found, load_book_text)
            self.link = self._open_link() if online and mqtt.host is not None else None
            self.devices = self._open_devices(found.last_t)
            self._showing = Showing(self.running, self.journal, self.devices, self.link, config, lang, utc)
        except BaseException:
            self._closing.close()
            raise

    # -- opening and closing -----------------------------------------------------------------------------

    def _open_link(self) -> MqttLink:
        mqtt = self.config.mqtt
        tls = None
        if mqtt.tls is not None:
            key = Path(mqtt.tls.key) if mqtt.tls.key else None
            certificate = Path(mqtt.tls.certificate) if mqtt.tls.certificate else None
            tls = TlsFiles(ca=Path(mqtt.tls.ca), certificate=certificate, key=key)
        password = None
        if mqtt.password_file is not None:
            password = Path(mqtt.password_file).read_text(encoding="utf-8").splitlines()[0]
        link = MqttLink(
            LinkSettings(
                host=mqtt.host or "",
                port=mqtt.port,
                club=mqtt.club,
                table=mqtt.table,
                username=mqtt.user,
                password=password,
                tls=tls,
            ),
            life=self.journal.life,
            boot=self.journal.boot,
            incoming=self._queue,
            acked=self.journal.hub_ack,
            head=self.journal.head_seq,
            desired_version=self.journal.desired_version,
        )
        self._closing.callback(link.close)
        return link

    def _open_devices(self, start: float) -> Devices:
        settings = [
            McuSettings(name=name, path=device.path, baud=device.baud)
            for name, device in self.config.devices.items()
        ]
        devices = open_devices(settings, self._queue, start=start)
        self._closing.callback(devices.close)
        return devices

    def close(self) -> None:
        """Stop thinking, close devices, line and journal; may be called twice."""
        self._queue.put(_Stop())
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._closing.close()

    def abandon(self) -> None:
        """Stop as a power cut would: devices and line end, the journal is left as it is on the disk."""
        self._closing.pop_all().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- the loop ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Let the loop run in a thread of its own until `close`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._in_thread, name="table", daemon=True)
            self._thread.start()

    def check(self) -> None:
        """Raise what ended the loop's thread, if anything did."""
        if self._error is not None:
            raise self._error

    @property
    def settled(self) -> bool:
        """Whether everything that came has been worked off (for a simulator that runs ahead of time)."""
        return not self._busy.is_set() and self._queue.empty()

    def submit(self, event: TableEvent, source: str) -> None:
        """From any thread: a person says what happened."""
        self._queue.put(Said(event, source))

    def stop(self) -> None:
        """From any thread or signal handler: end the loop."""
        self._queue.put(_Stop())

    def _in_thread(self) -> None:
        try:
            self.run()
        except BaseException as error:
            self._error = error
            LOGGER.exception("the table has stopped")

    def run(self) -> None:
        """Think until `stop`.

        Raises:
            JournalFailed: The record cannot be trusted any more: start the program again.
        """
        if self.link is not None:
            self.link.start()
        self._showing.birth()
        self._after_step()
        while self.step():
            pass

    def step(self, wait: float = _IDLE) -> bool:
        """Take what has come, write what follows, show it.

        Returns:
            Whether to go on: False once `stop` was called.
        """
        try:
            item = self._queue.get(timeout=wait)
        except queue.Empty:
            return True
        self._busy.set()
        try:
            go_on = self._take(item)
            for _ in range(_AT_ONCE):
                if not go_on or self._queue.empty():
                    break
                go_on = self._take(self._queue.get())
            self._after_step()
        finally:
            self._busy.clear()
        return go_on

    def _take(self, item: Item) -> bool:
        if isinstance(item, _Stop):
            return False
        if isinstance(item, News):
            self._hear(item)
        elif isinstance(item, Said):
            self.running.say(item.event, item.source)
        else:
            if isinstance(item, (DeviceState, Fault)):
                self._showing.device(item)
            self.running.take(item)
        return True

    def _hear(self, news: LinkNews) -> None:
        if isinstance(news, DesiredArrived):
            self.running.direct(news.desired)
        elif isinstance(news, HubAcked):
            with contextlib.suppress(JournalFull):
                self.journal.ack(news.upto_seq)
        elif isinstance(news, HeartbeatDue):
            self._showing.beat()
        elif isinstance(news, CommandArrived):
            self._showing.command(news)
        elif isinstance(news, HubSeen):
            self._hub_online = news.status.online
        elif isinstance(news, LinkAlarm):
            LOGGER.warning("%s at %s: %s (%s)", news.code, news.where, news.what, news.hint)
        elif isinstance(news, (Connected, Disconnected)):
            self._showing.line(news)
        elif isinstance(news, OutboxWanted):
            pass  # the outbox is handed over after every step

    def _after_step(self) -> None:
        """Write, then show and send: in this order, and nothing of a step whose writing failed."""
        self._unwritten += self.running.take_drafts()
        while self._unwritten:
            draft = self._unwritten[0]
            try:
                self.journal.commit(draft.batch())
            except JournalFull as error:
                self._showing.trouble(error)
                return
            self._unwritten.pop(0)
        self._showing.show()
        if self.link is not None:
            hand_over(self.link, self.journal)


def load_book_text(text: str) -> Rulebook:
    """A rulebook from the text that a journal keeps."""
    return load_resolved(text)


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    """Wait for something that another thread brings about; real time, with a deadline."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


__all__ = ["JournalError", "Said", "Table", "utc_now", "wait_until"]
