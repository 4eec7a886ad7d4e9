"""Takes the pictures of the dealer's page: both languages, a tablet and a phone, also in grey.

    python docs/screenshots_dealer_page.py

A table without hub and without sensors is opened in a folder of its own and played by taps up to the moments shown.
"""

from __future__ import annotations

import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from engine.events import CardMoved
from table_controller.config import parse_config
from table_controller.table import Table

IMAGES = Path(__file__).parent / "images"
FLAGS = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
GREY = (("fr", "tablet"), ("en", "phone"))
SIZES = {"tablet": (1280, 800), "phone": (390, 844)}
CONFIG = """
[game]
rulebook = "ropta"
betting = "amounts"
smallest_chip = 25
seats = [%s]
button = 1
[page]
on = true
port = 0
[[levels]]
minutes = 20
small_blind = 50
big_blind = 100
ante = { kind = "big_blind", amount = 100 }
"""


def tap(table: Table, deed: str, **fields: str) -> None:
    """What a button of the page sends."""
    if table.page is None:
        raise SystemExit("the table has no page")
    fields["turn"] = table.page.picture.turn
    data = urllib.parse.urlencode(fields).encode()
    kind = {"content-type": "application/x-www-form-urlencoded"}
    request = urllib.request.Request(f"{table.page.url}/do/{deed}", data=data, headers=kind)
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


def play(table: Table) -> None:
    """Up to a raise on the flop."""
    tap(table, "next")
    tap(table, "done")
    for seat in (4, 5, 6, 7, 1, 2):
        tap(table, "act", seat=str(seat), said="fold" if seat in (5, 7) else "call")
    tap(table, "act", seat="3", said="check")
    tap(table, "done")
    tap(table, "done")
    for card in ("9h", "7s", "Td"):
        table.submit(CardMoved(card=card, from_="deck", to="board", face="up"), "pictures")
    tap(table, "understood")
    tap(table, "act", seat="2", said="check")
    tap(table, "act", seat="3", said="bet", amount="300")


def main() -> int:
    """Open a table, play it, take the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        seats = ", ".join(f'{{ seat = {n}, entry = "e{n}", stack = 10000 }}' for n in range(1, 8))
        table = Table(parse_config(CONFIG % seats, "table.toml", Path(folder)), online=False)
        table.start()
        options = Options()
        for flag in [*FLAGS.split(), "--hide-scrollbars", f"--user-data-dir={folder}/profile"]:
            options.add_argument(flag)
        chrome = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            play(table)
            _pictures(chrome, table)
        finally:
            chrome.quit()
            table.close()
    return 0


def _pictures(chrome: webdriver.Chrome, table: Table) -> None:
    if table.page is None:
        return
    for lang in ("fr", "en"):
        for name, (width, height) in SIZES.items():
            for colour in ("none", *(("achromatopsia",) if (lang, name) in GREY else ())):
                chrome.execute_cdp_cmd(
                    "Emulation.setDeviceMetricsOverride",
                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
                )
                chrome.execute_cdp_cmd("Emulation.setEmulatedVisionDeficiency", {"type": colour})
                chrome.get(f"{table.page.url}/?lang={lang}")
                WebDriverWait(chrome, 10).until(
                    lambda browser: browser.execute_script("return document.readyState") == "complete"
                )
                grey = "" if colour == "none" else "-grey"
                chrome.save_screenshot(str(IMAGES / f"dealer-page-{name}-{lang}{grey}.png"))


if __name__ == "__main__":
    sys.exit(main())
