"""The page "Paquets" in real Chromium, with the simulated table behind it."""

import os
from pathlib import Path
from typing import Any

import pytest

from engine.wording import say_card
from hw_sim.bench import Bench
from hw_sim.config import layout, random_table
from hw_sim.script import Stakes
from table_controller.config import load_config
from table_controller.enrolment.files import decks_of
from table_controller.table import Table
from tests.table_controller.dealer_page.conftest import wait_until

DEAD = "04FFEEDDCCBBAA"
pytestmark = pytest.mark.system


def test_a_deck_counted_and_a_dead_tag_replaced_in_a_browser(tmp_path: Path, browser: Any) -> None:
    config = random_table(
        tmp_path, seats={1: 500, 2: 500}, stakes=Stakes(5, 10, smallest_chip=5), seed="w", count=1,
        layout=layout("seven"), speed=40.0,
    )  # fmt: skip
    file = tmp_path / "table.toml"
    with Bench(config) as bench:
        bench.people.begin = lambda: None  # type: ignore[method-assign]
        deck = bench.world.decks["A"]
        taught = tmp_path / "deck.csv"
        taught.write_text(taught.read_text().replace(deck[7].uid, DEAD))
        file.write_text(file.read_text() + "\n[page]\non = true\nport = 0\n")
        table = Table(load_config(file), online=False)
        table.start()
        try:
            bench.start()
            table.devices.wait_ready(20.0)
            assert table.page is not None
            chrome = browser.chrome
            chrome.get(f"{table.page.url}/decks?lang=fr")
            picture(chrome, tmp_path, "decks")
            name = table.decks.view.rows[0].name
            tap(chrome, f"count-{name}")
            passed = [card for card in deck if card.uid != deck[7].uid]
            for at in range(0, len(passed), 3):
                for card in passed[at : at + 3]:
                    bench.world.move_card(card, "board", face="down")
                seen = min(at + 3, len(passed))
                wait_until(lambda seen=seen: number(chrome) >= seen, f"{seen} cards are counted")
                for card in passed[at : at + 3]:
                    bench.world.move_card(card, "deck", face="down")
            picture(chrome, tmp_path, "decks_count")
            tap(chrome, "missing")
            wait_until(lambda: "Non lues" in text(chrome), "the missing card is named")
            missing = chrome.find_element("css selector", ".missing .card").text
            picture(chrome, tmp_path, "decks_missing")
            tap(chrome, "conclude")
            wait_until(lambda: "51 cartes au lieu de 52" in text(chrome), "the count is told")
            # the card is there and its dead tag has been replaced by one that nobody has taught
            card = decks_of(tmp_path / "deck.csv")[DEAD][0]
            tap(chrome, f"replace-{name}-{card}")
            bench.world.move_card(deck[7], "board", face="down")
            tap(chrome, "right")
            wait_until(lambda: "est inscrite" in text(chrome), "the new tag is told")
            picture(chrome, tmp_path, "decks_replaced")
            rows = decks_of(tmp_path / "deck.csv")
            assert rows[deck[7].uid] == (card, name)
            assert DEAD not in rows
            assert browser.severe() == []
            assert missing == say_card(card, "fr")
        finally:
            table.close()
            bench.stop()


def tap(chrome: Any, name: str) -> None:
    wait_until(
        lambda: chrome.execute_script(
            "const e = document.querySelector(`[data-name='${arguments[0]}']`); if (!e) return false;"
            " const d = e.closest('details'); if (d) d.open = true; e.click(); return true",
            name,
        ),
        f"there is a button {name}",
    )


def text(chrome: Any) -> str:
    return str(chrome.execute_script("return document.getElementById('rows').innerText"))


def number(chrome: Any) -> int:
    return int(
        chrome.execute_script("const e = document.querySelector('.seen'); return e ? +e.innerText : 0")
    )


def picture(chrome: Any, folder: Path, name: str) -> None:
    target = Path(os.environ.get("MALDONNE_SCREENSHOTS", folder)) / f"{name}.png"
    chrome.save_screenshot(str(target))
    assert target.stat().st_size > 5000
