"""A table without a device and its page: in memory, over HTTP, and in a real browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By

from table_controller.config import TableConfig, parse_config
from table_controller.dealer_page import sheets
from table_controller.dealer_page.deeds import perform
from table_controller.dealer_page.desk import Desk, Outcome, Wish
from table_controller.dealer_page.picture import Picture
from table_controller.dealer_page.screen import Sheet, Tap, View
from table_controller.dealer_page.view import build
from table_controller.fusion import Coverage, Fusion
from table_controller.hand_start import Way
from table_controller.inventory import Tags
from table_controller.rulebook_files import resolve
from table_controller.running import Running
from table_controller.table import Table
from tests.chromium import open_chromium
from webkit.language import Catalogue

DEADLINE = 20.0
book_of = cache(resolve)
PAGE = Path(sheets.__file__).parent


def wait_until(condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
    """Wait for a condition; the test fails when it does not come."""
    end = time.monotonic() + deadline
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {deadline} s: {what}")
        pause.wait(0.02)


def config_text(
    *,
    players: int = 6,
    stack: int = 10000,
    betting: str | None = "amounts",
    book: str = "ropta",
    game: str = "",
    page: str = "",
    levels: str = "",
) -> str:
    """A table.toml of a table with nothing but its page."""
    seats = ", ".join(f'{{ seat = {n}, entry = "e{n}", stack = {stack} }}' for n in range(1, players + 1))
    said = f'betting = "{betting}"' if betting else ""
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
[page]
on = true
port = 0
{page}
{levels}
"""


LEVELS = """
[[levels]]
minutes = 20
small_blind = 50
big_blind = 100
[[levels]]
minutes = 10
[[levels]]
minutes = 20
small_blind = 100
big_blind = 200
"""


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., TableConfig]:
    """Makes the configuration of a table with nothing but its page."""

    made = count()

    def make(**parts: Any) -> TableConfig:
        folder = tmp_path / f"table{next(made)}"
        folder.mkdir()
        return parse_config(config_text(**parts), "table.toml", folder)

    return make


class Thumb:
    """One thumb on the page of a table in memory: sees what the screen shows, taps what stands there."""

    def __init__(self, config: TableConfig) -> None:
        game = config.game
        fusion = Fusion(Tags.load(None, None), Coverage(config.antennas or {}), config.timing)
        self.running = Running(
            fusion,
            book_of,
            config.desired(),
            Way(game.betting, game.chips, game.button, self_dealt=config.page.self_dealt),
            sensors=game.sensors,
            utc=lambda: "2024-05-01T20:00:00.000000Z",
            light=config.light,
            stages=config.stages,
        )
        self.desk = Desk(self.running, config, hub=False)
        self.asked: list[tuple[str, int | None]] = []
        self.desk.ask_hub = lambda kind, seat, entry: self.asked.append((kind, seat))
        self.taps = 0
        self._catalogue = Catalogue(PAGE / "locales")

    @property
    def picture(self) -> Picture:
        """The table as it is."""
        return self.desk.picture()

    def view(self, lang: str = "fr") -> View:
        """What the screen shows."""
        return build(self.picture, lang, self._text(lang))

    def _text(self, lang: str) -> Callable[..., str]:
        def text(name: str, count: int | None = None, **values: object) -> str:
            return self._catalogue.text(lang, name, count, **values)

        return text

    def sheet(self, address: str, lang: str = "fr") -> Sheet:
        """A sheet by its address."""
        name, _, query = address.partition("?")
        fields = dict(part.split("=", 1) for part in query.split("&") if part)
        made = sheets.make(
            name,
            self.picture,
            lang,
            self._text(lang),
            {k: v.replace("%2C", ",").replace("%2B", "+") for k, v in fields.items()},
        )
        assert made is not None, address
        return made

    def names(self) -> set[str]:
        """The buttons that are there."""
        view = self.view()
        return {tap.name for tap in (*view.taps, *view.menu)}

    def find(self, name: str) -> Tap:
        """A button of the screen."""
        view = self.view()
        for tap in (*view.taps, *view.menu):
            if tap.name == name:
                return tap
        raise AssertionError(f"no button {name!r} on {view.say!r}: {sorted(self.names())}")

    def tap(self, name: str, *through: str) -> Outcome:
        """Tap a button; ``through`` names the buttons of the sheets that it opens, the last one does the deed."""
        tap = self.find(name)
        self.taps += 1
        turn = self.picture.turn
        for step in through:
            assert tap.sheet, f"{tap.name} opens no sheet"
            sheet = self.sheet(tap.sheet)
            found = [each for each in sheet.taps if each.name == step]
            assert found, f"no {step!r} on {sheet.title!r}: {[each.name for each in sheet.taps]}"
            tap = found[0]
            self.taps += 1
        assert tap.deed, f"{tap.name} opens another sheet: {tap.sheet}"
        return self.do(tap.deed, dict(tap.fields), turn)

    def do(self, deed: str, fields: dict[str, str] | None = None, turn: str | None = None) -> Outcome:
        """Send what a form would send."""
        shown = self.picture.turn if turn is None else turn
        return perform(self.desk, Wish(deed, fields or {}, shown, "thumb"))

    def pass_time(self, seconds: float) -> None:
        """Table time goes by."""
        self.running.fusion.now += seconds


@pytest.fixture
def thumb(settings: Callable[..., TableConfig]) -> Callable[..., Thumb]:
    """Makes a table in memory and a thumb on its page."""
    return lambda **parts: Thumb(settings(**parts))


@pytest.fixture
def tables(settings: Callable[..., TableConfig]) -> Iterator[Callable[..., Table]]:
    """Starts real tables with real pages; all are closed at the end."""
    opened: list[Table] = []

    def make(config: TableConfig | None = None, **parts: Any) -> Table:
        made = settings(**parts) if config is None else config
        made = replace(made, page=replace(made.page, port=0))
        table = Table(made, online=False)
        opened.append(table)
        table.start()
        return table

    yield make
    for table in reversed(opened):
        table.close()
        table.check()


class Browser:
    """A screen in real Chromium."""

    def __init__(self, chrome: webdriver.Chrome) -> None:
        self.chrome = chrome
        self.taps = 0

    def open(self, url: str, lang: str = "fr", size: tuple[int, int] = (1280, 800)) -> None:
        """Load the page."""
        self.resize(*size)
        self.chrome.get(f"{url}/?lang={lang}")
        wait_until(lambda: self.text("#say"), "the page is there")

    def resize(self, width: int, height: int, *, grey: bool = False) -> None:
        """Give the screen a size in pixels."""
        self.chrome.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        kind = "achromatopsia" if grey else "none"
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedVisionDeficiency", {"type": kind})

    def text(self, selector: str) -> str:
        """All that is shown there, read in one go."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
        return str(self.chrome.execute_script(script, selector))

    def names(self, inside: str = "") -> list[str]:
        """The buttons that are there."""
        script = (
            "return [...document.querySelectorAll(arguments[0] + ' [data-name]')].map(e => e.dataset.name)"
        )
        return [str(name) for name in self.chrome.execute_script(script, inside)]

    def state(self) -> str:
        """What the screen shows, to notice that it has changed."""
        return str(
            self.chrome.execute_script(
                "return ['now','taps','table','menu','sheet'].map(i => document.getElementById(i).innerHTML).join('|')"
            )
        )

    def tap(self, name: str, *, inside: str = "", hold: bool = False, change: bool = True) -> None:
        """Tap a button with a real pointer (held for more than a second where asked), and see the screen change."""
        selector = f"{inside} [data-name='{name}']"
        before = self.state()
        self.taps += 1

        def tapped() -> bool:
            try:
                element = self.chrome.find_element(By.CSS_SELECTOR, selector)
                if hold:
                    action = webdriver.ActionChains(self.chrome).move_to_element(element).click_and_hold()
                    action.pause(1.15).release().perform()
                else:
                    element.click()
            except (
                NoSuchElementException,
                StaleElementReferenceException,
                ElementClickInterceptedException,
            ):
                return False
            return True

        wait_until(tapped, f"there is a button {name!r}: {self.text('#now')} / {self.names()}")
        if change:
            wait_until(lambda: self.state() != before, f"the screen changes after {name!r}")
            wait_until(self.still, f"the screen is still after {name!r}")

    def still(self) -> bool:
        """Whether nothing is on its way to the screen."""
        script = "return !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')"
        return bool(self.chrome.execute_script(script))

    def severe(self) -> list[str]:
        """What the browser complains about, refusals of the content policy included."""
        return [row["message"] for row in self.chrome.get_log("browser") if row["level"] == "SEVERE"]


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One Chromium for all tests of the page."""
    chrome = open_chromium(tmp_path_factory.mktemp("profile"))
    yield chrome
    chrome.quit()


@pytest.fixture
def browser(chrome: webdriver.Chrome) -> Iterator[Browser]:
    """A fresh screen."""
    chrome.get_log("browser")
    yield Browser(chrome)
    chrome.get("about:blank")
    chrome.delete_all_cookies()
