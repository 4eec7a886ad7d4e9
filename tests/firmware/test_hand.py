"""A hand through everything but copper: firmware under MicroPython, the real driver, senses, engine, journal.

The engine's orders drive the shoe of the firmware; a card that leaves it lies on its antenna a moment later, people press
the firmware's buttons.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from firmware_rig import SETTINGS, Rig

from engine import events as ev
from engine.vocabulary import DECK
from firmware_bridge.codes import BUTTONS
from table_controller.config import load_config
from table_controller.enrolment.files import write_decks
from table_controller.journal import Reading
from table_controller.running import Running
from table_controller.table import Table

NUMBERS = {name: number for number, name in BUTTONS.items()}
ANTENNAS = {1: (2, 1, "seat1"), 2: (2, 2, "seat2"), 3: (4, 0, "burn"), 4: (3, 0, "board"), 5: (5, 0, "muck")}
OF_TARGET = {1: 1, 2: 2, 12: 3, 11: 4}
FITTED = ("FOLD", "CHECK", "CALL", "CUT", "YES", "NO")
DEADLINE = 30.0
CARDS = ("Ah", "Kd", "Ac", "Ks", "2c", "7h", "8d", "9s")

CONFIG = """
[game]
betting = "words"
light = false
small_blind = 50
big_blind = 100
button = 1
seats = [{{ seat = 1, entry = "e1" }}, {{ seat = 2, entry = "e2" }}]
[devices.felt]
path = "{path}"
[antennas]
{antennas}
[files]
deck = "deck.csv"
[panel]
buttons = {buttons}
[shoe]
on = true
[timing]
moved_after = 0.3
gone_after = 1.0
patience = 0.6
"""


def uid_of(card: str) -> str:
    return f"E0040150{DECK.index(card):08X}"


class Evening:
    """The table, its board, and what people do."""

    def __init__(self, rig: Rig, table: Table) -> None:
        self.rig = rig
        self.table = table
        self.lying: dict[int, list[str]] = {}
        self.dealt = 0

    def look(self, what: Callable[[Running], Any]) -> Any:
        return self.table.do(what).result(DEADLINE)

    def until(self, condition: Callable[[Running], bool], most: float = DEADLINE) -> bool:
        """Let the cards that leave the shoe fall onto their antennas until something is so."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            for target in self.rig.cards_out()[self.dealt :]:
                antenna = OF_TARGET[int(target)]
                self.lying.setdefault(antenna, []).append(uid_of(CARDS[self.dealt]))
                self.dealt += 1
                self.rig.do(f"tags {antenna} " + " ".join(self.lying[antenna]))
            if self.look(condition):
                return True
            threading.Event().wait(0.02)
        return False

    def press(self, button: str, then: Callable[[Running], bool]) -> None:
        """Press until it is understood; a press just as the turn changes is not taken."""
        for _ in range(5):
            self.rig.do(f"press {NUMBERS[button]}")
            self.until(then, 0.15)
            self.rig.do(f"release {NUMBERS[button]}")
            if self.until(then, 2.0):
                return
        pytest.fail(f"{button} was not understood: {self.look(lambda r: (r.expects, r.doubts, r.notices))}")


def acts(running: Running) -> int:
    return len(running.state.acts)


def test_a_hand_from_the_firmware_to_the_journal(make_rig: Callable[..., Rig], tmp_path: Path) -> None:
    reader = SETTINGS["readers"][0] | {
        "mux": {"select": [10, 11, 12]},
        "antennas": [
            {"id": number, "kind": kind, "index": index, "channel": number - 1}
            for number, (kind, index, _) in ANTENNAS.items()
        ],
    }
    buttons = SETTINGS["buttons"] | {"ids": [NUMBERS[name] for name in FITTED], "stuck_ms": 20000}
    rig = make_rig(readers=[reader], buttons=buttons)
    rig.do("shoe load 52")
    write_decks(tmp_path / "deck.csv", {uid_of(card): (card, "red") for card in DECK})
    file = tmp_path / "table.toml"
    lines = "\n".join(f'{number} = "{place}"' for number, (_, _, place) in ANTENNAS.items())
    file.write_text(CONFIG.format(path=rig.path, antennas=lines, buttons=list(FITTED)))
    table = Table(load_config(file), online=False)
    table.start()
    try:
        table.devices.wait_ready(20.0)
        evening = Evening(rig, table)
        assert evening.until(lambda r: r.now > 1.0)
        assert rig.cards_out() == [], "nothing moves before the hand begins"
        evening.press("CUT", lambda r: r.state.hand == 1)
        assert evening.until(lambda r: r.state.to_act == 1), evening.look(lambda r: (r.expects, r.doubts))
        assert rig.cards_out() == ["2", "1", "2", "1"]
        evening.press("CALL", lambda r: acts(r) == 1)
        evening.press("CHECK", lambda r: acts(r) == 2)
        assert evening.until(lambda r: len(r.state.board) == 3 and r.state.to_act == 2), evening.look(
            lambda r: (r.expects, r.doubts)
        )
        evening.press("CHECK", lambda r: acts(r) == 3)
        evening.press("FOLD", lambda r: acts(r) == 4)
        assert evening.look(lambda r: r.doubts) == ()
    finally:
        table.close()
    assert rig.cards_out() == ["2", "1", "2", "1", "12", "11", "11", "11"]
    with Reading.of(tmp_path / "table.journal") as journal:
        events = [ev.decode(entry.body) for entry in journal.entries() if entry.kind != "note"]
        ruled = [msgspec.json.decode(row.body)["incident"] for row in journal.rulings()]
    assert ruled == ["open_muck"], "a fold that a check would have cost nothing, and nothing else"
    moves = [(event.to, event.card) for event in events if isinstance(event, ev.CardMoved)]
    assert moves[:5] == [("seat2", None), ("seat1", None), ("seat2", None), ("seat1", None), ("burn", None)]
    assert sorted(card or "" for _, card in moves[5:8]) == sorted(CARDS[5:])
    assert [event.said for event in events if isinstance(event, ev.Acted)] == [
        "call",
        "check",
        "check",
        "fold",
    ]
