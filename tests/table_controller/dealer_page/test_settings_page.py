"""The page "Réglage" in real Chromium, with the simulated table behind it."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hw_sim.bench import Bench
from hw_sim.config import layout, random_table
from hw_sim.script import Stakes
from table_controller.config import load_config
from table_controller.table import Table

pytestmark = pytest.mark.system


def test_the_walk_in_a_browser(tmp_path: Path, browser: Any) -> None:
    config = random_table(
        tmp_path, seats={1: 500, 2: 500}, stakes=Stakes(5, 10, smallest_chip=5), seed="w", count=1,
        layout=layout("seven"), speed=20.0,
    )  # fmt: skip
    file = tmp_path / "table.toml"
    with Bench(config) as bench:
        bench.people.begin = lambda: None  # type: ignore[method-assign]
        for card in bench.world.decks["A"][:2]:
            bench.world.move_card(card, "seat1", face="down")
        file.write_text(file.read_text() + "\n[page]\non = true\nport = 0\n")
        table = Table(load_config(file), online=False)
        table.start()
        try:
            bench.start()
            table.devices.wait_ready(20.0)
            assert table.page is not None
            chrome = browser.chrome
            chrome.get(f"{table.page.url}/settings?lang=fr")
            row = "tr[data-antenna='mcu:1']"
            wait_for(lambda: text_of(chrome, f"{row} .present") == "2")
            assert "Réglage des antennes" in chrome.page_source
            # the share is that of the last ten seconds: none was read yet when the page opens early
            wait_for(lambda: text_of(chrome, f"{row} .rate").startswith("100"))
            chrome.find_element("css selector", f"{row} form:nth-of-type(2) button").click()
            wait_for(lambda: "2 cartes 0.0" in text_of(chrome, f"{row} .walk"))
            target = Path(os.environ.get("MALDONNE_SCREENSHOTS", tmp_path)) / "settings.png"
            chrome.save_screenshot(str(target))
            assert target.stat().st_size > 5000
            assert browser.severe() == []
            for card in bench.world.decks["A"][:2]:
                assert card.uid not in chrome.page_source
        finally:
            table.close()
            bench.stop()
    assert json.loads((tmp_path / "measured_rates.json").read_text())["measured"]["seat1"] == {"two": 0.0}


def text_of(chrome: Any, selector: str) -> str:
    found = chrome.execute_script(
        "const e = document.querySelector(arguments[0]); return e ? e.innerText.replace(/\\s+/g, ' ') : ''",
        selector,
    )
    return str(found)


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30.0
    while not condition():
        assert time.monotonic() < until
        threading.Event().wait(0.05)
