"""The tables of a whole evening: one with every sensor, tables with nothing but their page; the people at them obey the floor.

Hardware and people are the simulator's, controllers and pages the product's, joined to the hub by a real broker. People
come and go as the hub's document says: they hear it called out in the hall.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import urllib.parse
from dataclasses import replace
from pathlib import Path
from typing import Any

from hw_sim.bench import Bench
from hw_sim.betting import Game
from hw_sim.config import Mqtt, layout, random_table
from hw_sim.errors import SimError
from hw_sim.script import RandomHands, Stakes
from maldonne.director import Director, typed
from table_controller.config import load_config
from table_controller.running import Running
from table_controller.table import Table

CLUB = "evening"
SPEED = 12.0
"""Virtual seconds in a real one at the table with sensors."""
_FORM = re.compile(r'<form hx-post="/do/([a-z_]+)"[^>]*>(.*?)</form>', re.S)
_SHEET = re.compile(r'<form class="collect" hx-post="/do/([a-z_]+)"[^>]*>(.*?)</form>', re.S)
_FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
_NAME = re.compile(r'data-name="([^"]+)"')
_PRESET = re.compile(r'data-preset="(\d+)"')


class Seats:
    """Who sits at a table now, as the hub's document says."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def now(self) -> dict[int, tuple[str, int | None]]:
        """Seat to entry and stack."""

        def look(running: Running) -> dict[int, tuple[str, int | None]]:
            return {seat.seat: (seat.entry, seat.stack) for seat in running.effective.seats}

        return self._table.do(look).result(20)


class Thumb:
    """Somebody's thumb on a dealer's page: finds a button that is there and sends what its form sends."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.refused: list[str] = []

    def tap(self, name: str) -> bool:
        """Tap a button of the screen; False when it is not there."""
        line = self._line()
        try:
            line.request("GET", "/?lang=fr")
            form = self._form(line.getresponse().read().decode(), name)
            if form is None:
                return False
            deed, given = form
            self._send(line, deed, given)
        finally:
            line.close()
        return True

    def out(self, seat: int) -> None:
        """The button "out" of a seat's sheet."""
        line = self._line()
        try:
            self._send(line, "out", {"seat": str(seat), "turn": ""})
        finally:
            line.close()

    def people(self, otherwise: int) -> bool:
        """See to whoever leaves or comes; whether anybody did."""
        names = self.names()
        if "gone" in names:
            return self.tap("gone")
        came = next((name for name in names if name.startswith("came-")), None)
        if came is None:
            return False
        return self.tap(came) or self._came(came, otherwise)

    def _came(self, name: str, otherwise: int) -> bool:
        line = self._line()
        try:
            line.request("GET", "/?lang=fr")
            html = line.getresponse().read().decode()
        finally:
            line.close()
        found = re.search(rf'hx-get="/sheet/(came[^"]*)"[^>]*data-name="{name}"', html)
        return found is not None and self.count(found.group(1), otherwise)

    def count(self, sheet: str, otherwise: int) -> bool:
        """Fill in the one number of a sheet: what it offers, else what people count; False when there is no sheet."""
        line = self._line()
        try:
            line.request("GET", f"/sheet/{sheet}")
            html = line.getresponse().read().decode()
            found = _SHEET.search(html)
            if found is None:
                return False
            offered = _PRESET.search(found.group(2))
            given = dict(_FIELD.findall(found.group(2)))
            given["counted"] = offered.group(1) if offered else str(otherwise)
            self._send(line, found.group(1), given)
        finally:
            line.close()
        return True

    def names(self) -> list[str]:
        """The buttons of the screen."""
        line = self._line()
        try:
            line.request("GET", "/?lang=fr")
            return _NAME.findall(line.getresponse().read().decode())
        finally:
            line.close()

    def _line(self) -> http.client.HTTPConnection:
        page = self._table.page
        if page is None:
            raise RuntimeError("the table has no page")
        return http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)

    def _form(self, html: str, name: str) -> tuple[str, dict[str, str]] | None:
        for found in _FORM.finditer(html):
            if f'data-name="{name}"' in found.group(2):
                return found.group(1), dict(_FIELD.findall(found.group(2)))
        return None

    def _send(self, line: http.client.HTTPConnection, deed: str, fields: dict[str, str]) -> None:
        kind = {"content-type": "application/x-www-form-urlencoded"}
        line.request("POST", f"/do/{deed}", urllib.parse.urlencode(fields), kind)
        answer = line.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            self.refused.append(f"{deed}: {answer.status} {text[:200]}")


class SensedTable:
    """A table with chips and cards that carry tags: the simulator's people play it, a real controller follows.

    Args:
        folder: Its files.
        name: The table.
        port: The broker's.
        seats: The first seats and stacks, as drawn.
        level: Blinds before the hub has told any.
    """

    def __init__(
        self, folder: Path, name: str, port: int, seats: dict[int, int], level: tuple[int, int], smallest: int
    ) -> None:
        folder.mkdir(parents=True)
        self.name = name
        self.failure: BaseException | None = None
        self._seated: dict[int, str] = {}
        self._stop = threading.Event()
        stakes = Stakes(*level, smallest_chip=smallest)
        total = sum(seats.values())
        config = random_table(
            folder, seats=seats, stakes=stakes, seed=f"evening/{name}", speed=SPEED, rulebook="tda2024",
            layout=layout("chips+cards"), mqtt=Mqtt(port=port, club=CLUB, table=name),
            most_chips=total * 12,
        )  # fmt: skip
        manners = replace(config.layout.manners, hold_real_s=3600.0, stuck_real_s=600.0, vain_real_s=600.0)
        source = RandomHands(config.seed, lambda: stakes, started=self._started, wait_for_players=True)
        config = replace(
            config,
            layout=replace(config.layout, manners=manners),
            source=source,
            page=lambda said: typed(self.table, said),
        )
        self.bench = Bench(config, settled=lambda: self.table.settled)
        file = folder / "table.toml"
        file.write_text(
            file.read_text(encoding="utf-8") + "\n[page]\non = true\nport = 0\n", encoding="utf-8"
        )
        self.table = Table(load_config(file))
        self.thumb = Thumb(self.table)
        self._stack = max(seats.values())
        self._people = threading.Thread(target=self._follow, name=f"{name}-people", daemon=True)

    def start(self) -> None:
        """Switch everything on."""
        self.table.start(30.0)
        self.table.do(lambda running: Director(self.table)).result(20)
        self.bench.start()
        self._people.start()

    def close(self) -> None:
        """Switch everything off."""
        self._stop.set()
        if self._people.is_alive():
            self._people.join(20)
        self.bench.stop()
        self.table.close()
        self.bench.close()

    @property
    def hands(self) -> int:
        """Hands played so far."""
        return len(self.bench.results)

    def _started(self) -> tuple[Game, list[int]] | None:
        """The hand that the table has just begun: level, button and players as the hub has them."""

        def look(running: Running) -> tuple[Game, list[int]] | None:
            made = running.started
            if made is None:
                return None
            event = made.event
            game = Game(
                event.small_blind,
                event.big_blind,
                event.button,
                event.small_blind_seat,
                event.big_blind_seat or event.button,
                event.ante.kind,
                event.ante.amount,
                smallest_chip=event.smallest_chip,
            )
            return game, [seat.seat for seat in event.seats]

        return look(self.table.running)

    def _follow(self) -> None:
        """People come with the stack that the floor has confirmed, and go when they are called away."""
        seats = Seats(self.table)
        self._seated = {
            seat: entry for seat, (entry, _) in seats.now().items() if seat in self.bench.table.stacks
        }
        try:
            while not self._stop.wait(0.2):
                self.thumb.people(self._stack)
                wanted = seats.now()
                for seat, entry in list(self._seated.items()):
                    if seat not in wanted or wanted[seat][0] != entry:
                        del self._seated[seat]
                        self.bench.change_seat(seat, 0)
                for seat, (entry, stack) in wanted.items():
                    if seat not in self._seated and stack:
                        self._seated[seat] = entry
                        self.bench.change_seat(seat, stack)
                if self.bench.error is not None:
                    raise self.bench.error
        except (SimError, OSError, RuntimeError, TimeoutError) as error:
            self.failure = error


class PageTable:
    """A table with nothing but its dealer's page: somebody taps "next hand", and "out" when a player has lost.

    Who loses is drawn by lot; with chips nobody records the hub knows no stacks here.

    Args:
        folder: Its files.
        name: The table.
        port: The broker's.
        hand_s: Real seconds that a hand takes.
        seed: Draws who loses.
        risk: How likely somebody busts in a hand.
    """

    def __init__(self, folder: Path, name: str, port: int, *, hand_s: float, seed: str, risk: float) -> None:
        folder.mkdir(parents=True)
        self.name = name
        self.hands = 0
        self.failure: BaseException | None = None
        self._hand_s = hand_s
        self._risk = risk
        self._random = random.Random(seed)
        self._stop = threading.Event()
        file = folder / "table.toml"
        file.write_text(
            f"""
[game]
rulebook = "tda2024"
small_blind = 50
big_blind = 100
seats = []
[files]
journal = "journal.db"
[page]
on = true
port = 0
[mqtt]
host = "127.0.0.1"
port = {port}
club = "{CLUB}"
table = "{name}"
""",
            encoding="utf-8",
        )
        self.table = Table(load_config(file))
        self.thumb = Thumb(self.table)
        self._dealer = threading.Thread(target=self._deal, name=f"{name}-dealer", daemon=True)

    def start(self) -> None:
        """Switch it on; the dealer sits down."""
        self.table.start(30.0)
        self._dealer.start()

    def close(self) -> None:
        """Switch it off."""
        self._stop.set()
        if self._dealer.is_alive():
            self._dealer.join(20)
        self.table.close()

    def _deal(self) -> None:
        seats = Seats(self.table)
        try:
            while not self._stop.wait(self._hand_s):
                if self.thumb.people(0):
                    continue
                before = self.table.running.state.hand
                self.thumb.tap("next")
                if self.table.running.state.hand == before:
                    continue
                self.hands += 1
                players = sorted(seats.now())
                loses = len(players) > 1 and self._random.random() < self._risk
                if loses and not self._stop.wait(self._hand_s / 2):
                    self.thumb.out(self._random.choice(players))
        except (OSError, http.client.HTTPException, RuntimeError, TimeoutError) as error:
            self.failure = error


class SensedProcess:
    """A table with every sensor in a process of its own, as the others are: it takes nobody's time.

    Attributes:
        state: What it last said of itself.
    """

    def __init__(
        self, folder: Path, name: str, port: int, seats: dict[int, int], level: tuple[int, int], smallest: int
    ) -> None:
        self.name = name
        self.state: dict[str, Any] = {}
        task = {
            "folder": str(folder), "name": name, "port": port, "seats": seats, "level": level, "smallest": smallest,
        }  # fmt: skip
        self._log = folder.with_suffix(".log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.system.evening_tables", json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self._reader = threading.Thread(target=self._read, name=f"{name}-state", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self.state = json.loads(line)

    @property
    def failure(self) -> BaseException | None:
        """What ended it, if anything has."""
        if self.state.get("failure"):
            return RuntimeError(self.state["failure"])
        if self._process.poll() is not None:
            return RuntimeError(f"{self.name} has ended: {self._process.returncode}")
        return None

    @property
    def hands(self) -> int:
        """Hands played so far."""
        return int(self.state.get("hands", 0))

    def close(self) -> None:
        """Switch it off."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)
        self._reader.join(20)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()


def state_of(table: SensedTable | PageTable) -> dict[str, Any]:
    """How a table stands, for a failure's text."""
    running = table.table.running
    return {
        "hands": table.hands,
        "hand": running.state.hand,
        "phase": running.state.phase,
        "expects": [order.order for order in running.expects],
        "refused": str(running.refused),
        "journal": [table.table.journal.hub_ack, table.table.journal.head_seq],
        "hold": running.desired.hold,
        "failure": repr(table.failure) if table.failure is not None else "",
    }


def main() -> int:
    """One sensed table until standard input closes; its state as a JSON line twice a second."""
    task = json.loads(sys.argv[1])
    table = SensedTable(
        Path(task["folder"]),
        task["name"],
        task["port"],
        {int(seat): stack for seat, stack in task["seats"].items()},
        tuple(task["level"]),
        task["smallest"],
    )
    alone = threading.Event()

    def until_alone() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        alone.set()

    threading.Thread(target=until_alone, name="parent", daemon=True).start()
    table.start()
    try:
        while not alone.wait(0.5):
            print(json.dumps(state_of(table), default=str), flush=True)
    finally:
        table.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
