"""Pages left open while the tournament's hub is killed and started again, in a real browser: right again each time.

At full size twenty restarts, each to be right within five seconds of the hub's own word that it is there; by default two.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from table_controller import messages as m
from tests.chromium import open_chromium
from tests.tournament_hub.conftest import Mosquitto, TableVoice, free_port
from tests.tournament_hub.conftest import wait_until as wait

pytestmark = pytest.mark.system
FULL = bool(os.environ.get("MALDONNE_FULL"))
RESTARTS = 20 if FULL else 2
RIGHT_AGAIN = 5.0 if FULL else 30.0
CONFIG = """
[club]
id = "test"
name = "Club d'essai"
data = "data"
[broker]
port = {broker}
[web]
port = {web}
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
tables = ["t1"]
without_device = ["2"]
seats = 6
starting_stack = 20000
"""


class HubProcess:
    """The real program in a process of its own; what it says goes into a file."""

    def __init__(self, folder: Path, number: int) -> None:
        self._said = folder / f"hub{number}.txt"
        with self._said.open("wb") as out:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "maldonne", "hub", "--config", str(folder / "hub.toml")],
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self.director = ""

    def ready(self) -> None:
        """It has said where its page is."""
        wait(
            lambda: "hub: http" in self._said.read_text(), f"the hub is there: {self._said.read_text()}", 60.0
        )

    def link(self) -> str:
        """The first director's link."""
        line = wait(
            lambda: [text for text in self._said.read_text().splitlines() if text.startswith("director: ")],
            "the director's link is said",
        )
        return str(line[0]).partition(" ")[2]

    def end(self, number: int) -> None:
        """Killed, or asked to stop, by turns."""
        self._child.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
        self._child.wait(30)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    made = Mosquitto(tmp_path / "mosquitto")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def chrome(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    made = open_chromium(tmp_path / "profile", load_s=60)
    yield made
    made.quit()


def text(chrome: webdriver.Chrome, selector: str) -> str:
    """All that is shown there, read in one go."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
    return str(chrome.execute_script(script, selector))


def lost(chrome: webdriver.Chrome) -> bool:
    """Whether the page says that the server is away."""
    return bool(
        chrome.execute_script("const e = document.getElementById('line-lost'); return e && !e.hidden")
    )


def say_hand(table: TableVoice) -> int:
    """The table plays a hand; its number comes back."""
    table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
    table.show(phase="flop", board=("9h", "7s", "4c"), seats=(m.StateSeat(seat=1), m.StateSeat(seat=4)))
    return table.stream.hand


def test_pages_left_open_over_restarts_of_the_hub_are_right_again(
    chrome: webdriver.Chrome, broker: Mosquitto, tmp_path: Path
) -> None:
    (tmp_path / "hub.toml").write_text(CONFIG.format(broker=broker.port, web=free_port()))
    hub = HubProcess(tmp_path, 0)
    table = TableVoice(broker.port, "t1")
    took: list[float] = []
    try:
        hub.ready()
        chrome.get(hub.link())
        chrome.find_element(By.NAME, "device").send_keys("Anne")
        chrome.find_element(By.CSS_SELECTOR, "button.big").click()
        WebDriverWait(chrome, 20).until(lambda phone: phone.find_elements(By.ID, "plan"))
        url = chrome.current_url.rstrip("/")
        table.say()
        table.beat()
        floor = chrome.current_window_handle
        chrome.switch_to.new_window("tab")
        tab = chrome.current_window_handle
        chrome.get(f"{url}/tables/t1?lang=fr")
        number = say_hand(table)
        wait(lambda: f"Main {number}" in text(chrome, "#record"), "the table's page follows")
        for restart in range(1, RESTARTS + 1):
            hub.end(restart)
            wait(lambda: lost(chrome), "the page says that the server is away")
            hub = HubProcess(tmp_path, restart)
            hub.ready()
            began = time.monotonic()
            number = say_hand(table)
            for handle, place in ((tab, "#record"), (floor, "#tables")):
                chrome.switch_to.window(handle)
                left = max(1.0, RIGHT_AGAIN - (time.monotonic() - began))
                wait(
                    lambda place=place, number=number: (
                        f"Main {number}" in text(chrome, place) and not lost(chrome)
                    ),  # type: ignore[misc]
                    f"{place} shows hand {number} after restart {restart}",
                    left,
                )
            took.append(time.monotonic() - began)
            assert chrome.find_elements(By.CSS_SELECTOR, "#table-t1 form button"), "still a director's page"
            chrome.switch_to.window(tab)
        sys.stdout.write(f"right again after at most {max(took):.2f} s in {RESTARTS} restarts\n")
        severe = [row["message"] for row in chrome.get_log("browser") if row["level"] == "SEVERE"]
        assert [line for line in severe if "Content Security" in line] == []
    finally:
        table.close()
        hub.end(1)
