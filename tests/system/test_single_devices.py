"""A whole hand at a table of three kinds of devices: a board, a burn zone on a PN532, a panel on the Pi's own pins.

The board's wire, the reader's and the pins are simulated; pyserial, nfcpy, gpiozero, senses, engine and journal are the
real ones. Time stands still until reader and pins have seen what people did.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import events as ev
from firmware_bridge.codes import BUTTONS
from hw_sim.bench import Bench
from hw_sim.config import Layout, antennas_for, random_table
from hw_sim.gpio import Header, Pins
from hw_sim.play import Manners
from hw_sim.pn532 import Pn532
from hw_sim.script import Stakes
from table_controller.config import load_config
from table_controller.journal import Reading
from table_controller.table import Table

PINS = {name: 4 + number for number, name in BUTTONS.items()}
LAMP = 26
SEATS = (1, 4, 6)
SEEN_AFTER = 0.6
"""Real seconds after which a reader has told what changed: its window and one read."""


class Fingers:
    """Presses buttons on the header one after the other, and says whether all of them were believed."""

    def __init__(self, header: Header, pressed: Callable[[], int]) -> None:
        self._header = header
        self._pressed = pressed
        self._given = 0
        self._rests_at = 0.0

    def press(self, name: str, held_s: float = 0.15) -> None:
        """As the board's own panel is pressed; the contact bounces."""
        self._given += 1
        pin = PINS[name]
        begin = max(0.0, self._rests_at - time.monotonic())
        steps = [(0.0, 0), (0.001, None), (0.002, 0), (0.08, None), (0.081, 0), (0.082, None)]
        self._header.play(pin, [(begin + after, level) for after, level in steps])
        self._rests_at = time.monotonic() + begin + 0.3

    @property
    def resting(self) -> bool:
        return self._pressed() >= self._given and time.monotonic() >= self._rests_at


class BurnZone:
    """The cards on the burn place, and whether the reader has had time to tell them."""

    def __init__(self, bench: Bench) -> None:
        self.reads: Callable[[], int] = lambda: 0
        self._world = bench.world
        self._version = -1
        self._since = 0.0
        self._reads = 0

    def lying(self) -> tuple[str, ...]:
        return tuple(self._world.readable("burn"))

    @property
    def told(self) -> bool:
        version = self._world.versions["burn"]
        if version != self._version:
            self._version, self._since, self._reads = version, time.monotonic(), self.reads()
        # a busy machine reads late: three whole reads as well as the window
        return time.monotonic() - self._since >= SEEN_AFTER and self.reads() >= self._reads + 3


@pytest.mark.system
def test_a_hand_with_a_reader_zone_and_a_panel_on_pins(tmp_path: Path) -> None:
    header = Header("pi5")
    waits: list[Callable[[], bool]] = []
    config = random_table(
        tmp_path,
        seats=dict.fromkeys(SEATS, 5000),
        stakes=Stakes(50, 100),
        seed="1",
        count=1,
        speed=0.0,
        layout=Layout(antennas_for(SEATS, chips=False), Manners(betting="words", chips=False)),
    )
    with (
        Pins(header),
        Bench(config, settled=lambda: all(ready() for ready in waits)) as bench,
    ):
        zone = BurnZone(bench)
        # the board's own burn antenna is not plugged in: a reader lies there instead
        covered = bench.tags.covered
        bench.tags.antennas = {key: a for key, a in bench.tags.antennas.items() if "burn" not in a.places}
        bench.tags.covered = lambda place: place == "burn" or covered(place)  # type: ignore[method-assign]
        file = tmp_path / "table.toml"
        text = file.read_text().replace('12 = "burn"\n', '"burn:0" = "burn"\n')
        pins = ", ".join(f"{name} = {pin}" for name, pin in PINS.items())
        text = "\n".join(line for line in text.splitlines() if not line.startswith(("host", "port")))
        text = text.replace("[mqtt]", "[mqtt]\nport = 1883").replace("[panel]", "[panel]\nlamps = true")
        text += f'\n[readers.burn]\npath = "{tmp_path}/reader"\n'
        text += f"[pins.front]\nbuttons = {{ {pins} }}\nlamps = {{ 4 = {{ green = {LAMP} }} }}\n"
        file.write_text(text)
        with Pn532(tmp_path / "reader", zone.lying):
            table = Table(load_config(file), online=False)
            fingers = Fingers(header, lambda: table.devices.panels["front"].health().presses)
            bench.mcu.press = fingers.press  # type: ignore[method-assign]
            lit = threading.Event()

            def settled() -> bool:
                if header.level(LAMP):
                    lit.set()
                return fingers.resting and zone.told and table.settled

            waits.append(settled)
            zone.reads = lambda: table.devices.readers["burn"].health().reads
            table.start()
            try:
                bench.start()
                table.devices.wait_ready(20.0)
                assert bench.wait(100.0), "the hand was not over in time"
                health = {each.name: each for each in table.devices.health()}
                presses = table.devices.panels["front"].health().presses
            finally:
                table.close()
        (result,) = bench.results
    assert {name: each.state for name, each in health.items()} == dict.fromkeys(
        ("mcu", "burn", "front"), "ready"
    )
    assert presses >= 3
    assert lit.is_set()
    with Reading.of(tmp_path / "journal.db") as journal:
        events = [ev.decode(entry.body) for entry in journal.entries() if entry.kind != "note"]
        rulings = list(journal.rulings())
    burns = [event for event in events if isinstance(event, ev.CardMoved) and event.to == "burn"]
    board = [event.card for event in events if isinstance(event, ev.CardMoved) and event.to == "board"]
    assert len(burns) == {0: 0, 3: 1, 4: 2, 5: 3}[len(result.board)]
    assert len(burns) >= 1
    assert all(burn.card is None for burn in burns)
    assert board == list(result.board)
    assert isinstance(events[-1], ev.HandEnded)
    assert rulings == []
