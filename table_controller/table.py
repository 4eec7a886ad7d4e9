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
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import msgspec

from engine.events import TableEvent
from engine.rulebook import Rulebook
from firmware_bridge.devices import Devices, open_devices
from firmware_bridge.observations import DeviceState, Fault, Observation
from table_controller import equipment
from table_controller import messages as m
from table_controller.camera import open_camera
from table_controller.config import TableConfig
from table_controller.decks import DeckCare
from table_controller.doctor import HealthFile
from table_controller.doctor.rates import Measuring, path_beside
from table_controller.errors import TableError
from table_controller.fusion import Coverage, Fusion
from table_controller.fusion.sightings import Sighted
from table_controller.hand_start import Way
from table_controller.hub_side import HubSide
from table_controller.inbox import Inbox
from table_controller.inventory import Tags
from table_controller.journal import Journal, JournalBehindHub, JournalFull
from table_controller.mqtt_link import (
    CommandArrived,
    Connected,
    DesiredArrived,
    Disconnected,
    HeartbeatDue,
    HubAcked,
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
from table_controller.shoe import Feeder, first_id
from table_controller.showing import Showing

if TYPE_CHECKING:
    from table_controller.dealer_page.desk import Desk
    from table_controller.dealer_page.page import DealerPage
    from table_controller.panel.panel import Panel

LOGGER: Final = logging.getLogger(__name__)
SOFTWARE: Final = "maldonne 0.1.0"
_IDLE: Final = 0.5
"""The loop looks round at least this often (seconds of real time)."""
_BEHIND_HUB: Final = m.Words(
    fr="Le journal de cette table est une ancienne copie : le serveur en a déjà une suite et n'en prend plus rien. "
    "Mettez ce fichier de côté et repartez d'un journal neuf ; le serveur garde l'ancien.",
    en="This table's journal is an old copy: the hub has a later part already and takes nothing more of it. "
    "Put the file aside and start a new journal; the hub keeps the old one.",
)
_AT_ONCE: Final = 64
"""Things taken from the queue before what follows from them is written."""


class Said(msgspec.Struct, frozen=True):
    """A person said what happened, on the dealer's page: for the table's queue."""

    event: TableEvent
    source: str


class Deed(msgspec.Struct, frozen=True):
    """Something that a person does at the table beside saying what happened; the answer comes once it is written."""

    do: Callable[[Running], Any]
    answer: Future[Any]


class _Stop(msgspec.Struct, frozen=True):
    """End the loop."""


Item = Observation | Sighted | LinkNews | Said | Deed | _Stop
_T = TypeVar("_T")


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
        page: The dealer's page; None where the configuration has none.
        decks: The club's decks at this table: counted, put away, a card replaced.
        desk: What page and panel keep of the table beside the record; in the loop's thread.
        panel: What the panel's lines say and its buttons mean.
        hub: What the hub tells beside its document.
    """

    def __init__(
        self, config: TableConfig, *, lang: str = "fr", utc: Callable[[], str] = utc_now, online: bool = True
    ) -> None:
        """Describe the table; nothing is opened before `open`, `run` or `start`.

        Args:
            config: What the club has set.
            lang: Language of the display.
            utc: The wall clock.
            online: Connect to the broker of the configuration.
        """
        self.config = config
        self._lang = lang
        self._utc = utc
        self._online = online
        self._queue: Inbox[Item] = Inbox()
        self._opened = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._unwritten: list[Draft] = []
        self._behind = False
        self._answers: list[tuple[Future[Any], Any]] = []
        self._watchers: list[Callable[[], None]] = []
        self._closing = contextlib.ExitStack()

    # -- opening and closing -----------------------------------------------------------------------------

    def open(self) -> None:
        """Open the journal in this thread, go on where it ends, start the devices and the line.

        Raises:
            TableError: A file cannot be used, or the journal cannot be trusted.
            EngineError: The rulebook cannot be used.
        """
        config, files, game = self.config, self.config.files, self.config.game
        tags = Tags.load(Path(files.deck) if files.deck else None, Path(files.chips) if files.chips else None)
        only = next(iter(config.devices)) if len(config.devices) == 1 else ""
        fusion = Fusion(
            tags,
            Coverage(
                config.antennas,
                only,
                apart=equipment.apart(config.devices, config.readers, config.pins),
            ),
            config.timing,
            buttons=config.panel.buttons,
            chips=game.chips == "sensed",
        )
        self.running = Running(
            fusion,
            resolve,
            config.desired(),
            Way(game.betting, game.chips, game.button, self_dealt=config.page.self_dealt),
            sensors=game.sensors,
            utc=self._utc,
            light=config.light,
            stages=config.stages,
        )
        mqtt = config.mqtt
        self.journal = Journal.open(
            files.journal,
            club=mqtt.club,
            table=mqtt.table,
            utc=self._utc(),
            software=SOFTWARE,
            engine=SOFTWARE,
        )
        try:
            self._closing.callback(self.journal.close)
            found = self.journal.recover()
            self.running.recover(found, load_book_text)
            self.decks = DeckCare(self.running, tags, Path(files.deck) if files.deck else None)
            self.link = self._open_link() if self._online and mqtt.host is not None else None
            self.devices = self._open_devices(found.last_t)
            self.decks.ask_boards = self.devices.request_inventory
            self._open_shoe()
            self._health = HealthFile(Path(files.journal), self.devices)
            self._closing.callback(self._health.close)
            self.rates_file = path_beside(Path(files.journal))
            self.measuring = Measuring(fusion.coverage, self.rates_file)
        except BaseException:
            self._closing.close()
            raise
        self.hub = HubSide(self.running, self.link, self._utc)
        self._open_panel()
        self._showing = Showing(
            self.running,
            self.journal,
            self.devices,
            self.link,
            config,
            self._utc,
            self.panel,
        )
        self.hub.follow()
        if self.link is not None:
            self.link.start()
        self._showing.birth()
        self._after_step()
        try:
            self.page = self._open_page()
        except BaseException:
            self._closing.close()
            raise
        self._opened.set()

    def _open_panel(self) -> None:
        """The one lead that page and panel share, and the panel's own words for it."""
        from table_controller.dealer_page.desk import Desk
        from table_controller.panel.panel import Panel

        self.desk: Desk = Desk(self.running, self.config, hub=self.link is not None)
        self.desk.ask_hub = self.hub.ask
        self.desk.ask_move = self.hub.ask_move
        self.hub.move_answer = self.desk.move_answer
        self.desk.hub_clock = self.hub.clock
        self.hub.floor_answer = self.desk.floor_answer
        self.panel: Panel = Panel(self.desk, self.config, self._lang)
        self.running.lead = self.panel

    def _open_page(self) -> DealerPage | None:
        """Serve the dealer's page, where the table has one."""
        if not self.config.page.on:
            return None
        from table_controller.dealer_page.page import DealerPage

        page = DealerPage(self)
        self._closing.callback(page.close)
        page.start()
        return page

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
        config = self.config
        devices = open_devices(
            equipment.boards(config.devices),
            self._queue,
            readers=equipment.readers(config.readers),
            panels=equipment.panels(config.pins),
            start=start,
        )
        self._closing.callback(devices.close)
        self.camera = open_camera(config.camera, devices.clock, self._queue)
        if self.camera is not None:
            self._closing.callback(self.camera.close)
        return devices

    def _open_shoe(self) -> None:
        """The dealing shoe, where the configuration has one."""
        self._shoe: Feeder | None = None
        if self.config.shoe.on:
            first = first_id(self.journal.life, self.journal.boot)
            self._shoe = Feeder(self.devices, self.running.fusion.coverage, self.config.shoe, first)

    def close(self) -> None:
        """End the loop, close devices, line and journal (in the thread that opened them); may be called twice."""
        self.stop()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
            self._thread = None
        else:
            self._closing.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- the loop ----------------------------------------------------------------------------------------

    def start(self, within: float = 10.0) -> None:
        """Open the table and let its loop run in a thread of its own until `close`.

        Raises:
            TableError: It did not open, or not within so many seconds.
        """
        if self._thread is not None:
            return
        self._thread = threading.Thread(target=self._in_thread, name="table", daemon=True)
        self._thread.start()
        if not self._opened.wait(within) or self._error is not None:
            self.close()
            self.check()
            raise TableError(f"the table did not open within {within:g} s")

    def check(self) -> None:
        """Raise what ended the loop's thread, if anything did."""
        if self._error is not None:
            raise self._error

    @property
    def settled(self) -> bool:
        """Whether what came is worked off and shown at the boards (for a simulator that runs ahead of time)."""
        return self._queue.idle and self.devices.idle

    def submit(self, event: TableEvent, source: str) -> None:
        """From any thread: a person says what happened."""
        self._queue.put(Said(event, source))

    def do(self, work: Callable[[Running], _T]) -> Future[_T]:
        """From any thread: do something in the table's own; the answer comes once all that follows is written."""
        answer: Future[_T] = Future()
        self._queue.put(Deed(work, answer))
        return answer

    def watch(self, look: Callable[[], None]) -> None:
        """Call this in the table's thread after every step that was written. From that thread only."""
        self._watchers.append(look)

    def stop(self) -> None:
        """From any thread or signal handler: end the loop."""
        self._queue.put(_Stop())

    def _in_thread(self) -> None:
        try:
            with self:
                self.run()
        except BaseException as error:
            self._error = error
            LOGGER.exception("the table has stopped")
        finally:
            self._opened.set()

    def run(self) -> None:
        """Think until `stop`; the table must be open.

        Raises:
            JournalFailed: The record cannot be trusted any more: start the program again.
        """
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
        taken = 1
        try:
            go_on = self._take(item)
            while go_on and taken < _AT_ONCE and not self._queue.empty():
                item = self._queue.get()
                taken += 1
                go_on = self._take(item)
            self._after_step()
        finally:
            self._queue.worked_off(taken)
        return go_on

    def _take(self, item: Item) -> bool:
        if isinstance(item, _Stop):
            return False
        if isinstance(item, News):
            self._hear(item)
        elif isinstance(item, Said):
            self.running.say(item.event, item.source)
        elif isinstance(item, Deed):
            self._carry_out(item)
        else:
            if isinstance(item, (DeviceState, Fault)):
                self._showing.device(item)
            if self._shoe is not None:
                self._shoe.hear(item)
            if not isinstance(item, Sighted):
                self.measuring.hear(item)
            if not self.decks.hear(item):
                self.running.take(item)
        return True

    def _carry_out(self, deed: Deed) -> None:
        if not deed.answer.set_running_or_notify_cancel():
            return
        try:
            self._answers.append((deed.answer, deed.do(self.running)))
        except Exception as error:  # told to whoever asked: what a page does wrong must not stop the table
            LOGGER.exception("a deed failed")
            deed.answer.set_exception(error)

    def _hear(self, news: LinkNews) -> None:
        self.hub.hear(news)
        if isinstance(news, DesiredArrived):
            self.running.direct(news.desired)
            self.hub.follow()
        elif isinstance(news, HubAcked):
            self._acknowledged(news.upto_seq)
        elif isinstance(news, HeartbeatDue):
            self._showing.beat()
        elif isinstance(news, CommandArrived):
            self._showing.command(news)
        elif isinstance(news, LinkAlarm):
            LOGGER.warning("%s at %s: %s (%s)", news.code, news.where, news.what, news.hint)
        elif isinstance(news, (Connected, Disconnected)):
            self._showing.line(news)
        elif isinstance(news, OutboxWanted):
            pass  # the outbox is handed over after every step

    def _acknowledged(self, upto_seq: int) -> None:
        """The hub has so much of the record; more than there is means that an old copy of it was restored."""
        try:
            self.journal.ack(upto_seq)
        except JournalFull:
            pass  # it is sent once more
        except JournalBehindHub as error:
            self._behind_hub(error)

    def _behind_hub(self, error: JournalBehindHub) -> None:
        """Play goes on; people at hub and display must know that the hub will take nothing of it."""
        if self._behind:
            return
        self._behind = True
        LOGGER.error("%s at %s: %s (%s)", error.code, error.where, error.what, error.hint)
        if self.link is not None:
            self.link.set_alert(
                m.Alert(
                    id=error.code,
                    kind="journal",
                    text=_BEHIND_HUB,
                    t=self.running.now,
                    utc=self._utc(),
                    hand=self.running.state.hand or None,
                    code=error.code,
                )
            )

    def _after_step(self) -> None:
        """Write, then show and send: in this order, and nothing of a step whose writing failed."""
        self._unwritten += self.running.take_drafts()
        while self._unwritten:
            draft = self._unwritten[0]
            try:
                self.journal.commit(draft.batch())
            except JournalFull as error:
                self._showing.trouble(error)
                self._answer(error)
                return
            self._unwritten.pop(0)
        if self._shoe is not None:
            self._shoe.step(self.running.now, self.running.state, self.running.expects)
            self.running.fusion.asides = self._shoe.doubts
        self._health.tick()
        self.desk.refresh()
        self._showing.show()
        for look in self._watchers:
            look()
        self._answer(None)
        if self.link is not None:
            hand_over(self.link, self.journal)

    def _answer(self, error: JournalFull | None) -> None:
        """Tell those who did something that it is written, or that it cannot be now."""
        answers, self._answers = self._answers, []
        for answer, value in answers:
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)


def load_book_text(text: str) -> Rulebook:
    """A rulebook from the text that a journal keeps."""
    return load_resolved(text)
