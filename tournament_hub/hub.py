"""The tournament room as one thing to start and to close, and the program ``maldonne hub``.

Three threads: paho's (only puts into the queue), the hub's own (everything that decides or writes), and the page
server's (only reads what the hub's thread has put on the ``Floor``).
"""

from __future__ import annotations

import datetime
import logging
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import msgspec

from tournament_hub.config import HubConfig, load_config
from tournament_hub.effects import Inbound
from tournament_hub.errors import HubDidNotStop, HubError, StoreFault
from tournament_hub.link import LineDown, LineUp, Link, LinkNews
from tournament_hub.room import HUB, Room
from tournament_hub.store import Store
from tournament_hub.store_people import people, retain
from tournament_hub.web.floor import Broker, Floor
from tournament_hub.web.pages import FloorPages
from tournament_hub.web.plan import shown
from tournament_hub.wording import Line, Wording
from webkit.pairing import Pairing, Role
from webkit.server import WebServer

BATCH = 256
"""Messages that share one transaction at most."""
TICK = 0.25
"""Seconds between two looks at what is missing or silent."""
STOP_DEADLINE = 15.0
CONFIG = "hub.toml"
SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy thread must let another one work."""
_LOG = logging.getLogger("maldonne.hub")
_T = TypeVar("_T")

Decide = Callable[[Room, float], Any]


def utc_now() -> str:
    """The wall clock as people read it; a label, never compared."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Job(msgspec.Struct, frozen=True):
    """Something that a person decided, to be done on the hub's thread."""

    decide: Decide
    answer: Future[Any]


class _Stop(msgspec.Struct, frozen=True):
    """The hub closes."""


class Hub:
    """One tournament room: record, broker line, floor page.

    Args:
        config: the club's settings.
        clock: seconds, monotonic.
        utc: the wall clock as text.
        on_lines: told the new lines of the floor's log, on the hub's thread; must not block.

    Raises:
        HubError: the record cannot be opened, or a password cannot be read.
        WebkitError: the pairing secrets are damaged.
    """

    def __init__(
        self,
        config: HubConfig,
        *,
        clock: Callable[[], float] = time.monotonic,
        utc: Callable[[], str] = utc_now,
        on_lines: Callable[[Sequence[Line]], object] | None = None,
    ) -> None:
        self._config = config
        self._clock = clock
        self._utc = utc
        self._on_lines = on_lines
        self._inbox: queue.SimpleQueue[LinkNews | _Job | _Stop] = queue.SimpleQueue()
        folder = Path(config.club.data)
        self.wording = Wording()
        self._pairing = Pairing(folder / "web")
        self._store = Store(config.record)
        try:
            retain(self._store, config.keep, utc())
            self._room = Room(self._store, config)
            self._link = Link(config.broker, config.club.id, self._store.epoch, self._inbox, utc)
            self._floor = Floor(clock)
            self._pages = FloorPages(
                config, self._pairing, self._floor, self.wording, lambda decide: self.decide(decide)
            )
            web = config.web
            self._web = WebServer(
                self._pages.app,
                host=web.host,
                port=web.port,
                before_close=self._pages.close,
                certificate=(Path(web.certificate), Path(web.key)) if web.certificate and web.key else None,
            )
        except BaseException:
            self._store.close()
            raise
        self._thread = threading.Thread(target=self._run, name="hub", daemon=True)
        self._started = False
        self.failure: BaseException | None = None
        """What ended the hub's thread, if it was not ``close``."""
        self.ended = threading.Event()
        """Set when the hub has ended, for whatever reason, or when the program was asked to end it."""

    # -- for whoever owns it ---------------------------------------------------------

    def start(self) -> None:
        """Serve the page, begin to reach the broker; returns when the page answers. A broker is not needed.

        Raises:
            WebkitError: the page's address is taken or refused.
        """
        try:
            self._web.start()
        except BaseException:
            self.close()
            raise
        # Every statement of SQLite gives up the interpreter's lock; taking it back from a page that is being written
        # costs up to one switch interval: at the default 5 ms, a second for 200 events.
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
        self._started = True
        self._show(self._room.take().changed)
        self._thread.start()
        self._link.start()

    def close(self) -> None:
        """End everything and join every thread; what was acknowledged is on the disk. May be called twice.

        Raises:
            HubDidNotStop: the hub's thread still runs after its deadline.
        """
        self._web.close()
        self._link.close()
        if self._started:
            self._inbox.put(_Stop())
            self._thread.join(STOP_DEADLINE)
            if self._thread.is_alive():
                raise HubDidNotStop(
                    f"still running after {STOP_DEADLINE:.0f} s", where="hub", hint="end the process"
                )
        self._store.close()

    @property
    def url(self) -> str:
        """Where the floor page is."""
        return self._web.url

    @property
    def port(self) -> int:
        """The port of the floor page."""
        return self._web.port

    def director_link(self) -> str | None:
        """A link that makes the first device a director, good once; None when there is a director already."""
        if self._pairing.has(Role.DIRECTOR):
            return None
        return f"{self.url}/pair/{self._pairing.invite(Role.DIRECTOR, lifetime=None).token}"

    def decide(self, decide: Callable[[Room, float], _T]) -> Future[_T]:
        """Do something on the hub's thread, inside a transaction; the answer comes after the commit.

        Args:
            decide: called with the room and the time; a ``HubError`` from it is the answer.
        """
        answer: Future[_T] = Future()
        if self.ended.is_set():
            answer.set_exception(StoreFault("the hub is closed", where="hub", hint="start it again"))
        else:
            self._inbox.put(_Job(decide, answer))
        return answer

    @property
    def floor(self) -> Floor:
        """What the page shows now."""
        return self._floor

    # -- the hub's thread ---------------------------------------------------------------

    def _run(self) -> None:
        ticked = self._clock()
        try:
            while True:
                batch = self._gather()
                now = self._clock()
                due = now - ticked >= TICK
                if due:
                    ticked = now
                if not self._work(batch, now, due):
                    return
        except Exception as error:  # a bug, or a disk that is gone: said loudly, never half alive
            self.failure = error
            _LOG.exception("the hub's thread has ended")
        finally:
            self.ended.set()
            self._refuse_rest()

    def _gather(self) -> list[LinkNews | _Job | _Stop]:
        """What has come: all that is there up to one batch, or nothing after a tick."""
        batch: list[LinkNews | _Job | _Stop] = []
        try:
            batch.append(self._inbox.get(timeout=TICK))
            while len(batch) < BATCH:
                batch.append(self._inbox.get_nowait())
        except queue.Empty:
            pass
        return batch

    def _work(self, batch: list[LinkNews | _Job | _Stop], now: float, due: bool) -> bool:
        """One transaction and what follows from it; False when the hub is to stop."""
        answers: list[tuple[Future[Any], Any, HubError | None]] = []
        utc = self._utc()
        up = False
        self._room.begin(now, utc)
        try:
            if batch:
                with self._store.transaction():
                    for item in batch:
                        match item:
                            case Inbound():
                                self._room.feed(item, now, utc)
                            case _Job():
                                answers.append(self._do(item, now))
                            case LineUp():
                                up = True
                                self._floor.broker = Broker.UP
                            case LineDown():
                                up = False
                                self._down(item, utc)
                    self._count_dropped(utc)
                    self._room.publish(now, utc, whole=up)
            if due and self._room.tournaments:
                with self._store.transaction():
                    self._room.tick(now, utc)
            elif due:
                self._room.tick(now, utc)
        except StoreFault as fault:
            self._faulted(fault, batch)
            return not any(isinstance(item, _Stop) for item in batch)
        self._after_commit(batch, answers, up)
        return not any(isinstance(item, _Stop) for item in batch)

    def _after_commit(
        self,
        batch: list[LinkNews | _Job | _Stop],
        answers: list[tuple[Future[Any], Any, HubError | None]],
        up: bool,
    ) -> None:
        effects = self._room.take()
        self._link.send(self._room.connected() + effects.outbound if up else effects.outbound)
        for item in batch:
            if isinstance(item, Inbound):
                self._link.acknowledge(item)
        if self._floor.store_fault and batch:
            self._floor.store_fault = False
            self._link.subscribe()  # what is retained comes again, events are asked for
        if effects.alarms:
            self._floor.alarms = tuple(self._store.alarms())
        self._show(effects.changed)
        for answer, value, refused in answers:
            if refused is None:
                answer.set_result(value)
            else:
                answer.set_exception(refused)
        if self._on_lines is not None and effects.lines:
            self._on_lines(effects.lines)

    def _show(self, changed: dict[str, None]) -> None:
        """Put what changed on the floor page."""
        for name in changed:
            self._floor.put(self._room.tile(name))
        self._show_tournaments()
        self._floor.lines = tuple(self._room.lines)
        if not self._floor.alarms_known:
            self._floor.alarms = tuple(self._store.alarms())
        self._pages.changed(self._floor.take_changes())

    def _show_tournaments(self) -> None:
        """Put those that read differently on the floor page and on the walls."""
        for directing in self._room.tournaments.values():
            before = self._floor.tournament(directing.id)
            now = self._clock()  # some proposals come by time alone: an absence that has lasted long enough
            if (
                before is None
                or before.state is not directing.state
                or before.proposals != directing.proposals(now)
            ):
                names = {person.person: person.name for person in people(self._store)}
                self._floor.put_tournament(shown(directing, now, names))

    def _do(self, job: _Job, now: float) -> tuple[Future[Any], Any, HubError | None]:
        try:
            return job.answer, job.decide(self._room, now), None
        except StoreFault:
            raise
        except HubError as refused:
            return job.answer, None, refused

    def _down(self, item: LineDown, utc: str) -> None:
        self._floor.broker = Broker.REFUSED if item.refused else Broker.DOWN
        if "taken over" in item.reason.lower():
            self._room.alarm(HUB, "taken_over", item.reason, utc)

    def _count_dropped(self, utc: str) -> None:
        dropped = self._link.take_dropped()
        if dropped:
            self._room.alarm(HUB, "inbox_full", str(dropped), utc)

    def _faulted(self, fault: StoreFault, batch: list[LinkNews | _Job | _Stop]) -> None:
        """The disk failed: nothing of the batch happened, nobody is told that it did; tables send it again."""
        _LOG.error("%s", fault)
        self._room.forget()
        self._floor.store_fault = True
        for item in batch:
            if isinstance(item, _Job) and not item.answer.done():
                item.answer.set_exception(fault)
            elif isinstance(item, Inbound):  # else the broker's window stays full; the tables still hold it
                self._link.acknowledge(item)
        self._pages.changed(self._floor.take_changes())

    def _refuse_rest(self) -> None:
        while True:
            try:
                item = self._inbox.get_nowait()
            except queue.Empty:
                return
            if isinstance(item, _Job):
                item.answer.set_exception(StoreFault("the hub is closed", where="hub", hint="start it again"))


def home_folder() -> Path:
    """Where a hub keeps everything that was given no file of its own."""
    return Path.home() / ".local" / "share" / "maldonne" / "hub"


def settings(config_path: Path | None) -> HubConfig:
    """A club's file; without one that of the first start in the user's own folder, else a room without tables there.

    Raises:
        ConfigError: the file cannot be used.
    """
    if config_path is not None:
        return load_config(config_path)
    home = home_folder()
    if (home / CONFIG).is_file():
        return load_config(home / CONFIG)
    config = HubConfig()
    return msgspec.structs.replace(config, club=msgspec.structs.replace(config.club, data=str(home)))


def run(
    config_path: Path | None, *, say: Callable[[str], object] | None = None, port: int | None = None
) -> int:
    """The program ``maldonne hub``: runs until SIGINT or SIGTERM.

    Args:
        config_path: the club's file; None = a room without tables, on this machine only.
        say: where to tell a person that the hub is ready, and the log's lines; None = standard output.
        port: of the pages, whatever the file says; None = as it says.

    Returns:
        0 when it was asked to stop, 1 when it failed by itself.

    Raises:
        HubError, WebkitError: it could not start.
    """
    config = settings(config_path)
    if port is not None:
        config = msgspec.structs.replace(config, web=msgspec.structs.replace(config.web, port=port))
    tell = say or _to_stdout
    language = config.club.language

    def told(lines: Sequence[Line]) -> None:
        tell("\n".join([hub.wording.line(line, language) for line in lines]))

    hub = Hub(config, on_lines=told)

    def stop(number: int, frame: FrameType | None) -> None:
        hub.ended.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        hub.start()
        tell(f"hub: {hub.url}")
        director = hub.director_link()
        if director is not None:
            tell(f"director: {director}")
        hub.ended.wait()
    finally:
        hub.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    return 1 if hub.failure is not None else 0


def _to_stdout(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
