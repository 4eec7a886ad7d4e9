"""A table's panel and page with everything real around them: serial line, broker, tournament room.

The script sits at the other end of the serial wire: it presses buttons and reads lamps and two lines. The evening of
twenty hands that it leads alone is run at full size; in memory it runs with every test of the panel.
"""

from __future__ import annotations

import random
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from paho.mqtt import publish
from paho.mqtt.client import MQTTv5

from hw_sim.antennas import Field, Rates
from hw_sim.clock import Agenda
from hw_sim.config import antennas_for
from hw_sim.crew import Crew
from hw_sim.drive import Drive
from hw_sim.errors import SimError
from hw_sim.faults import Faults
from hw_sim.line import Line
from hw_sim.mcu import BUTTONS, Mcu
from hw_sim.mcu import Board as BoardKind
from hw_sim.world import World, make_deck
from maldonne.broker import Broker, find_mosquitto, start_broker
from table_controller import messages as m
from table_controller.config import parse_config
from table_controller.journal import Reading
from table_controller.report.gathering import incidents
from table_controller.table import Table
from tests.table_controller.panel.novice import Novice
from tournament_hub.config import parse_config as parse_hub
from tournament_hub.hub import Hub

pytestmark = pytest.mark.system
CLUB = "lyon"
COLOURS = ("off", "red", "amber", "green", "blue")
SEATS = ", ".join(f'{{ seat = {n}, entry = "e{n}", stack = 10000 }}' for n in (1, 2, 3, 4))


class WireBoard:
    """A table board on a pseudo-terminal, living in real time, and a person before its panel."""

    def __init__(self, folder: Path) -> None:
        self._agenda = Agenda()
        self._line = Line(folder / "board")
        world = World({"A": make_deck("A", 7, random.Random("panel"))}, [], seed="panel")
        self.mcu = Mcu(
            self._agenda,
            self._line,
            Field(world, antennas_for(), Rates(), "panel"),
            board=BoardKind(buttons=BUTTONS),
            faults=Faults(),
            seed="panel",
            monotonic=time.monotonic,
            on_orders=lambda orders: None,
        )
        self._drive = Drive(
            self._agenda,
            self._line,
            self.mcu.link,
            Crew(self._agenda),
            speed=1.0,
            settle_s=0.0,
            contact_s=60.0,
            settled=None,
            lost=lambda what: SimError(what),
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._live, name="board", daemon=True)
        self._line.plug()
        self._thread.start()

    @property
    def path(self) -> Path:
        return self._line.path

    def _live(self) -> None:
        self.mcu.power_on()
        self._drive.set_speed(1.0)
        while not self._stopping.is_set():
            self._drive.turn()

    def press(self, name: str, held: float = 0.12) -> None:
        self._drive.call(lambda: self.mcu.press(name, held))

    @property
    def lines(self) -> list[str]:
        return [self.mcu.panel.lines.get(number, "") for number in (0, 1)]

    @property
    def shown(self) -> str:
        return " ".join(" ".join(self.lines).split())

    def lamp(self, seat: int) -> tuple[str, bool]:
        colour, pattern = self.mcu.panel.lamps.get(seat, (0, 0))
        return COLOURS[colour], bool(pattern)

    def close(self) -> None:
        self._stopping.set()
        self._drive.call(lambda: None)
        self._thread.join(10)
        self._line.close()
        self._drive.close()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[WireBoard]:
    made = WireBoard(tmp_path)
    yield made
    made.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    if find_mosquitto() is None:
        pytest.skip("mosquitto is not installed (make system-packages)")
    with start_broker(kind="mosquitto", directory=tmp_path / "broker") as made:
        yield made


@pytest.fixture
def hub(tmp_path: Path, broker: Broker) -> Iterator[Hub]:
    text = f"""
[club]
id = "{CLUB}"
name = "Club"
data = "data"
[broker]
port = {broker.port}
[web]
port = 0
[game]
rulebook = "ropta"
small_blind = 50
big_blind = 100
[tables.t1]
name = "Table 1"
seats = [{SEATS}]
"""
    made = Hub(parse_hub(text, "hub.toml", tmp_path))
    made.start()
    yield made
    made.close()


def config_text(board: Path, port: int | None) -> str:
    line = f'[mqtt]\nhost = "127.0.0.1"\nport = {port}\nclub = "{CLUB}"\ntable = "t1"\n' if port else ""
    return f"""
[game]
rulebook = "ropta"
betting = "words"
small_blind = 50
big_blind = 100
button = 1
seats = [{SEATS}]
[devices.board]
path = "{board}"
[antennas]
[page]
on = true
port = 0
{line}
"""


@pytest.fixture
def table_of(tmp_path: Path, board: WireBoard) -> Iterator[Callable[..., Table]]:
    opened: list[Table] = []

    def make(port: int | None = None) -> Table:
        table = Table(parse_config(config_text(board.path, port), "table.toml", tmp_path))
        opened.append(table)
        table.start()
        return table

    yield make
    for table in opened:
        table.close()
        table.check()


def led(board: WireBoard, wait_until: Callable[..., None]) -> None:
    """The panel leads, for longer than a press from before the start could still be under way."""
    wait_until(lambda: board.shown != "", "the panel leads")
    since = time.monotonic()
    wait_until(lambda: time.monotonic() - since > 0.6, "a person has read it")


def post(table: Table, deed: str, **fields: str) -> None:
    """A tap on the page."""
    assert table.page is not None
    fields.setdefault("turn", table.page.picture.turn)
    url = f"{table.page.url}/do/{deed}"
    headers = {"content-type": "application/x-www-form-urlencoded"}
    request = urllib.request.Request(url, data=urlencode(fields).encode(), headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


def picture(table: Table) -> Any:
    assert table.page is not None
    return table.page.picture


def alerts(hub: Hub) -> list[m.Alert]:
    return [alert for tile in hub.floor.tiles() if tile.name == "t1" for alert in tile.alerts]


def rule(hub: Hub, call: str, choice: str, note: str) -> None:
    """The director rules on a call, in the room."""
    decision = m.Decision(call=call, choice=choice, by="Mme Leroy", note=note)
    hub.decide(lambda room, now: room.change("t1", "Mme Leroy", "ruling", decisions=(decision,)))


def test_the_floor_is_called_by_page_and_panel_heard_and_ruled_and_both_show_it(
    broker: Broker,
    hub: Hub,
    board: WireBoard,
    table_of: Callable[..., Table],
    wait_until: Callable[..., None],
    tmp_path: Path,
) -> None:
    table = table_of(broker.port)
    wait_until(lambda: picture(table).desired.epoch > 0, "the hub's document is there")
    wait_until(lambda: "Préparez la main suivante" in board.shown, "the panel leads")
    led(board, wait_until)
    board.press("NEXT_HAND")
    wait_until(lambda: picture(table).state.phase == "dealing", "the hand has begun")

    post(table, "floor")
    wait_until(lambda: picture(table).floor == "heard", "the room has heard the page's call")
    wait_until(lambda: board.shown.startswith("Arbitre prévenu"), "the panel says so too")
    assert board.lamp(2) == ("blue", False)
    wait_until(lambda: len(alerts(hub)) == 1, "the room shows the call")
    call = alerts(hub)[0].id
    rule(hub, call, "play_on", "La donne est bonne.")
    wait_until(lambda: not picture(table).here.floor, "the ruling has closed the call")
    wait_until(lambda: not alerts(hub), "the room's call is closed")
    wait_until(lambda: board.shown.startswith("Donnez"), "the panel leads on")

    board.press("FLOOR")
    wait_until(lambda: picture(table).floor == "heard", "the room has heard the panel's call")
    wait_until(lambda: "retirer" in board.shown, "the panel says how to withdraw it")
    wait_until(lambda: len(alerts(hub)) == 1, "the room shows the second call")
    assert alerts(hub)[0].id != call
    led(board, wait_until)
    board.press("FLOOR", held=1.4)
    wait_until(lambda: not picture(table).here.floor, "it is withdrawn")
    wait_until(lambda: not alerts(hub), "the room sees that")
    wait_until(lambda: board.lamp(2) != ("blue", False), "the lamps are those of the hand again")

    table.close()
    with Reading.of(tmp_path / "table.journal") as journal:
        decided = [one.decision for one in incidents(journal, 1) if one.decision is not None]
    assert [(one.choice, one.by, one.note) for one in decided] == [
        ("play_on", "Mme Leroy", "La donne est bonne.")
    ]


def test_nobody_answers_a_call_and_people_are_told_to_call_by_voice(
    broker: Broker, board: WireBoard, table_of: Callable[..., Table], wait_until: Callable[..., None]
) -> None:
    table = table_of(broker.port)
    led(board, wait_until)
    board.press("FLOOR")
    wait_until(lambda: board.shown.startswith("Arbitre appelé, pas encore confirmé"), "it says what it knows")
    wait_until(lambda: board.lamp(1) == ("blue", True), "the lamps blink while nobody has heard")
    wait_until(lambda: picture(table).floor == "silent", "the deadline of the request has passed")
    wait_until(lambda: board.shown.startswith("Pas de réponse"), "the panel says so")


def test_the_hubs_clock_is_on_the_page_and_counts_on_without_it(
    broker: Broker, hub: Hub, table_of: Callable[..., Table], wait_until: Callable[..., None]
) -> None:
    table = table_of(broker.port)
    wait_until(lambda: picture(table).desired.epoch > 0, "the hub's document is there")
    hub.decide(lambda room, now: room.change("t1", "Mme Leroy", "start", tournament="sunday"))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    level = m.Level(n=4, small_blind=200, big_blind=400, ante=m.Ante(kind="none", amount=0))
    clock = m.Clock(
        epoch=1, rev=1, level=level, remaining_s=900.0, running_since=now, utc=now, state="running"
    )
    publish.single(
        m.topics.tournament(CLUB, "sunday", "clock"),
        m.encode(clock),
        qos=1,
        retain=True,
        port=broker.port,
        client_id="director",
        protocol=MQTTv5,
    )
    wait_until(lambda: picture(table).hub_clock is not None, "the clock has come")
    wait_until(lambda: picture(table).hub_clock.confirmed, "and the hub is there")
    shown = picture(table).hub_clock
    assert shown.level == level and 890.0 < shown.left <= 900.0 and shown.runs
    assert table.page is not None

    def head() -> str:
        with urllib.request.urlopen(f"{table.page.url}/?lang=fr", timeout=10) as answer:
            return str(answer.read().decode())

    assert "Niveau 4" in head() and "sans la salle" not in head()
    hub.close()
    wait_until(lambda: not picture(table).hub_clock.confirmed, "the hub has gone")
    assert "sans la salle" in head()
    before = picture(table).hub_clock.left
    wait_until(lambda: table.hub.clock().left < before, "the table counts on by itself")


class OverTheWire:
    """What `Novice` needs of a table: the far end of its serial line."""

    def __init__(self, table: Table, board: WireBoard, wait_until: Callable[..., None]) -> None:
        self.table = table
        self.board = board
        self._until = wait_until

    @property
    def state(self) -> Any:
        return picture(self.table).state

    @property
    def shown(self) -> str:
        return self.board.shown

    def press(self, name: str, *, held: float = 0.15) -> None:
        before = self.board.lines
        self.board.press(name, held)
        end = time.monotonic() + held + 0.7
        # A press that changes nothing on the display is told by nothing: it has its time, then one goes on.
        self._until(lambda: self.board.lines != before or time.monotonic() > end, "the panel answers")
        settled = time.monotonic() + 0.35
        self._until(lambda: time.monotonic() > settled, "the finger is off the button")

    def wait(self, seconds: float = 0.3) -> None:
        end = time.monotonic() + seconds
        self._until(lambda: time.monotonic() > end, "time passes")


@pytest.mark.timeout(1800)
def test_novice_leads_an_evening_over_the_wire(
    board: WireBoard, table_of: Callable[..., Table], wait_until: Callable[..., None], full: bool
) -> None:
    table = table_of()
    wait_until(lambda: "Préparez la main suivante" in board.shown, "the panel leads")
    subject = OverTheWire(table, board, wait_until)
    novice = Novice(subject, "wire")
    hands, wrong = (20, {2, 6, 10, 14, 18}) if full else (1, set())
    for number in range(hands):
        novice.hand(irregular=number in wrong)
        wait_until(lambda: "Préparez la main suivante" in board.shown, "the hand is over")
    assert picture(table).state.hand == hands
    assert novice.on_page == 0 and novice.applied >= len(wrong)
