"""``maldonne demo``: broker, hub, page and simulated tables on nothing but the install.

Every simulated table is a process of its own with the real controller on a pseudo-terminal; broker, hub and page are
those of a club. What it prints is the floor's log in plain words.
"""

from __future__ import annotations

import argparse
import contextlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec

from maldonne import texts
from maldonne.broker import start_broker
from maldonne.demo_table import Again, Ended, Played, Report, Task, entry
from maldonne.errors import InputError
from table_controller import rulebook_files
from tournament_hub.config import AnteSetting as HubAnte
from tournament_hub.config import Broker, Club, Game, HubConfig, SeatSetting, TableSetting, Web
from tournament_hub.hub import Hub
from tournament_hub.wording import Line

CLUB: Final = "demo"
STACK: Final = 10_000
SMALL_BLIND: Final = 50
BIG_BLIND: Final = 100
_STOP_S: Final = 15.0
_MOST_TABLES: Final = 40
# Seats and equipment of the tables in turn: the three ways of fitting a table that a club meets.
_TABLES: Final = (
    ("chips+cards", (1, 2, 3, 4, 5, 6)),
    ("cards", (1, 2, 3, 4, 5, 6, 7, 8, 9)),
    ("seven", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--tables", type=int, default=3, metavar="N", help="simulated tables (default 3)")
    parser.add_argument("--hands", type=int, default=0, metavar="N", help="stop after N hands a table")
    parser.add_argument(
        "--speed",
        type=float,
        metavar="X",
        help="virtual seconds a second: default 10; 0, the default with --hands: as fast as can be",
    )
    parser.add_argument(
        "--rulebook", default="ropta", metavar="ID", help="rulebook of the tables (default ropta)"
    )
    parser.add_argument(
        "--errors",
        type=float,
        default=0.0,
        metavar="RATE",
        help="slips of dealer and players, a card (0 to 1)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another evening (default 1)")
    parser.add_argument("--no-web", action="store_true", help="no floor page")
    parser.add_argument(
        "--web-port", type=int, default=0, metavar="P", help="port of the page (default a free one)"
    )
    parser.add_argument(
        "--broker-port", type=int, default=0, metavar="P", help="port of the broker (default a free one)"
    )


def run(options: argparse.Namespace) -> int:
    """Run the demo until its hands are played or Ctrl-C.

    Raises:
        InputError: an option that cannot be.
    """
    if not 1 <= options.tables <= _MOST_TABLES:
        raise InputError(f"--tables {options.tables}: between 1 and {_MOST_TABLES}")
    for name in ("web_port", "broker_port"):
        if not 0 <= getattr(options, name) <= 65535:
            raise InputError(f"--{name.replace('_', '-')}: no such port: {getattr(options, name)}")
    speed = options.speed if options.speed is not None else (0.0 if options.hands else 10.0)
    if options.hands < 0 or speed < 0:
        raise InputError("--hands and --speed are not negative")
    if not 0 <= options.errors <= 1:
        raise InputError(f"{options.errors} is no rate", where="--errors", hint="between 0 and 1")
    rulebook_files.load_book(options.rulebook)
    with tempfile.TemporaryDirectory(prefix="maldonne-demo-") as directory:
        return _Demo(options, Path(directory), speed).run()


class _Demo:
    def __init__(self, options: argparse.Namespace, directory: Path, speed: float) -> None:
        self._options = options
        self._directory = directory
        self._speed = speed
        self._lang = texts.chosen_language()
        self._lines: queue.SimpleQueue[Line | Report | None] = queue.SimpleQueue()
        self._tables: list[_TableProcess] = []
        self._interrupted = threading.Event()
        self._hands: Counter[str] = Counter()
        self._wrong: Counter[str] = Counter()
        self._errors: list[str] = []
        self._rulings = 0

    def run(self) -> int:
        before = {
            number: signal.signal(number, self._interrupt) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            with contextlib.ExitStack() as closing:
                return self._play(closing)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _heard(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._lines.put(line)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._interrupted.set()
        self._lines.put(None)

    def _play(self, closing: contextlib.ExitStack) -> int:
        options = self._options
        broker = start_broker(options.broker_port)
        closing.callback(broker.stop)
        hub = Hub(self._hub_config(broker.port), on_lines=self._heard)
        closing.callback(hub.close)
        hub.start()
        self._print("demo.broker", kind=broker.kind, port=broker.port)
        if not options.no_web:
            self._print("demo.page", url=hub.url)
            link = hub.director_link()
            if link is not None:
                self._print("demo.director", url=link)
        self._print("demo.stop" if not options.hands else "demo.hands", hands=options.hands)
        begin = time.monotonic()
        for number in range(options.tables):
            table = _TableProcess(self._task(number, broker.port), self._lines)
            self._tables.append(table)
            closing.callback(table.close)
        status = self._follow(hub)
        for table in self._tables:
            table.ask_to_stop()
        spent = time.monotonic() - begin
        if options.hands and not self._interrupted.is_set():
            self._summary(spent)
        return status

    def _follow(self, hub: Hub) -> int:
        """Print what comes until all tables have ended."""
        ended = 0
        while ended < len(self._tables):
            item = self._lines.get()
            if item is None or self._interrupted.is_set():
                return 0
            if isinstance(item, Played):
                self._hands[item.table] += 1
                self._wrong[item.table] += not item.right
            elif isinstance(item, Again):
                self._print("demo.again", table=item.table, why=item.why)
            elif isinstance(item, Ended):
                ended += 1
                if item.error is not None:
                    self._errors.append(item.error)
                    self._print("demo.failed", table=item.table, error=item.error)
            else:
                self._show(hub, item)
        # The hub has acknowledged everything: its last lines are in the queue.
        while not self._lines.empty():
            item = self._lines.get()
            if isinstance(item, Line):
                self._show(hub, item)
        return 1 if self._errors or any(self._wrong.values()) else 0

    def _show(self, hub: Hub, line: Line) -> None:
        print(hub.wording.line(line, self._lang), flush=True)

    def _print(self, key: str, **values: object) -> None:
        print(texts.say(self._lang, key, None, **values), flush=True)

    def _summary(self, spent: float) -> None:
        hands = sum(self._hands.values())
        self._print(
            "demo.summary",
            tables=len(self._tables),
            hands=hands,
            seconds=round(spent, 1),
            rate=round(hands / spent, 1),
        )
        self._print("demo.right", right=hands - sum(self._wrong.values()), hands=hands)

    def _hub_config(self, port: int) -> HubConfig:
        options = self._options
        data = self._directory / "hub"
        data.mkdir()
        tables: dict[str, TableSetting] = {}
        for number in range(options.tables):
            title = texts.say(self._lang, "demo.table", number=number + 1)
            equipment, seats = _TABLES[number % len(_TABLES)]
            stack = STACK if equipment == "chips+cards" else None
            tables[_name(number)] = TableSetting(
                name=title,
                seats=tuple(
                    SeatSetting(seat=seat, entry=entry(_name(number), seat), stack=stack) for seat in seats
                ),
            )
        return HubConfig(
            club=Club(id=CLUB, name="maldonne", data=str(data)),
            broker=Broker(port=port),
            web=Web(port=options.web_port),
            game=Game(
                rulebook=options.rulebook,
                level=1,
                small_blind=SMALL_BLIND,
                big_blind=BIG_BLIND,
                ante=HubAnte(),
            ),
            tables=tables,
        )

    def _task(self, number: int, port: int) -> Task:
        options = self._options
        equipment, seats = _TABLES[number % len(_TABLES)]
        directory = self._directory / _name(number)
        directory.mkdir()
        return Task(
            directory=str(directory),
            table=_name(number),
            club=CLUB,
            port=port,
            seed=options.seed,
            hands=options.hands,
            speed=self._speed,
            rulebook=options.rulebook,
            lang=self._lang,
            seats=seats,
            stack=STACK,
            small_blind=SMALL_BLIND,
            big_blind=BIG_BLIND,
            ante=0,
            layout=equipment,
            errors=options.errors,
        )


def _name(number: int) -> str:
    return f"table-{number + 1}"


class _TableProcess:
    """A simulated table: a child that ends when its standard input does."""

    def __init__(self, task: Task, reports: queue.SimpleQueue[Line | Report | None]) -> None:
        self._task = task
        self._reports = reports
        self._process = subprocess.Popen(
            [sys.executable, "-m", "maldonne.demo_table", msgspec.json.encode(task).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name=task.table, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        decoder = msgspec.json.Decoder(Report)
        ended = False
        if self._process.stdout is not None:
            for line in self._process.stdout:
                report = decoder.decode(line)
                ended = ended or isinstance(report, Ended)
                self._reports.put(report)
        if not ended:
            self._reports.put(Ended(self._task.table, 0, "the table's process ended without a word"))

    def ask_to_stop(self) -> None:
        """Close its standard input: the table finishes what it writes, and ends."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def close(self) -> None:
        """End the process, by force if it does not."""
        self.ask_to_stop()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
