"""A table in memory with nothing but its panel: what is on the wire to the board, and a finger on its buttons."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button, Tick
from table_controller.config import TableConfig, parse_config
from table_controller.dealer_page.desk import Desk
from table_controller.fusion import Coverage, Fusion
from table_controller.hand_start import Way
from table_controller.inventory import Tags
from table_controller.panel.panel import Panel
from table_controller.rulebook_files import resolve
from table_controller.running import Running
from table_controller.showing import Showing

NUMBERS = {name: number for number, name in BUTTONS.items()}
book_of = cache(resolve)


class Board:
    """The far end of the line: what it was told to show."""

    def __init__(self) -> None:
        self.lines = ["", ""]
        self.lamps: dict[int, tuple[str, bool]] = {}
        self.orders: tuple[Any, ...] = ()
        self.mcus: dict[str, Any] = {}

    def set_lamp(self, lamp: int, colour: str, *, blink: bool = False) -> None:
        self.lamps[lamp] = (colour, blink)

    def set_display(self, line: int, text: str) -> None:
        assert len(text) <= 40, text
        self.lines[line] = text

    def send_orders(self, orders: Any) -> None:
        self.orders = tuple(orders)


class Journal:
    """A journal as far as a table without a line asks for one."""

    boot, life, head_seq, hub_ack = 1, "0" * 32, 0, 0


class PanelTable:
    """A table whose people have two lines, lamps and buttons."""

    def __init__(self, config: TableConfig, lang: str = "fr") -> None:
        game = config.game
        self.config = config
        fusion = Fusion(
            Tags.load(None, None),
            Coverage(config.antennas or {}),
            config.timing,
            buttons=config.panel.buttons,
        )
        self.running = Running(
            fusion,
            book_of,
            config.desired(),
            Way(game.betting, game.chips, game.button),
            sensors=game.sensors,
            utc=lambda: "2024-05-01T20:00:00.000000Z",
            light=config.light,
            stages=config.stages,
        )
        self.desk = Desk(self.running, config, hub=False)
        self.asked: list[tuple[str, int | None]] = []
        self.desk.ask_hub = lambda kind, seat, entry: self.asked.append((kind, seat))
        self.panel = Panel(self.desk, config, lang)
        self.running.lead = self.panel
        self.board = Board()
        self.t = 10.0
        self.presses = 0
        self.drafts: list[Any] = []
        self._showing = Showing(
            self.running,
            Journal(),  # type: ignore[arg-type]
            self.board,  # type: ignore[arg-type]
            None,
            config,
            lambda: "2024-05-01T20:00:00.000000Z",
            self.panel,
        )
        self.show()

    def show(self) -> None:
        self.drafts += self.running.take_drafts()
        self.desk.refresh()
        self._showing.show()

    @property
    def shown(self) -> str:
        """Both lines of the display as one text."""
        return " ".join(" ".join(self.board.lines).split())

    @property
    def state(self) -> Any:
        return self.running.state

    def wait(self, seconds: float = 0.3) -> None:
        for _ in range(round(seconds * 10)):
            self.t = round(self.t + 0.1, 3)
            self.running.take(Tick(t=self.t, device="table"))
        self.show()

    def press(self, name: str, *, held: float = 0.15) -> None:
        """One finger on one button: down, some time, up."""
        self.presses += 1
        self._edge(name, True)
        self.wait(max(held, 0.1))
        self._edge(name, False)
        self.wait(0.4)

    def _edge(self, name: str, down: bool) -> None:
        count = 2 * self.presses + (not down)
        self.running.take(
            Button(t=self.t, device="board", id=NUMBERS[name], pressed=down, count=count, gap=False)
        )
        self.show()


def config_text(
    *,
    players: int = 4,
    stack: int = 5000,
    betting: str | None = "words",
    book: str = "ropta",
    buttons: tuple[str, ...] = tuple(NUMBERS),
    page: bool = False,
    game: str = "",
    more: str = "",
) -> str:
    """A table.toml of a table with nothing but its panel."""
    seats = ", ".join(f'{{ seat = {n}, entry = "e{n}", stack = {stack} }}' for n in range(1, players + 1))
    said = f'betting = "{betting}"' if betting else ""
    names = ", ".join(f'"{name}"' for name in buttons)
    return f"""
[game]
rulebook = "{book}"
{said}
small_blind = 50
big_blind = 100
smallest_chip = 25
button = 1
seats = [{seats}]
{game}
[panel]
buttons = [{names}]
[page]
on = {str(page).lower()}
{more}
"""


@pytest.fixture
def panel_table(tmp_path: Path) -> Callable[..., PanelTable]:
    """Makes a table in memory that has a panel and nothing else."""

    def make(lang: str = "fr", **parts: Any) -> PanelTable:
        return PanelTable(parse_config(config_text(**parts), "table.toml", tmp_path), lang)

    return make
