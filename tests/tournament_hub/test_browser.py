"""The floor page in a real browser: changes arrive by themselves, a lost server is said, a new one is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from selenium import webdriver
from selenium.webdriver.common.by import By

from table_controller import messages as m
from tests.chromium import open_chromium, resize
from tournament_hub.config import HubConfig
from tournament_hub.hub import Hub

pytestmark = pytest.mark.system


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chrome = open_chromium(tmp_path / "profile")
    yield chrome
    chrome.quit()


def text(browser: webdriver.Chrome, selector: str) -> str:
    """All that is shown there, read in one go: the page may change between two looks."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
    return str(browser.execute_script(script, selector))


def line_lost(browser: webdriver.Chrome) -> bool:
    """Whether the page says that the server is away."""
    return bool(
        browser.execute_script("const e = document.getElementById('line-lost'); return e && !e.hidden")
    )


def test_page_follows_the_table_and_survives_a_restart_of_the_hub(
    browser: webdriver.Chrome, mosquitto: Any, config: HubConfig, voices: Callable, wait: Callable
) -> None:
    settings = replace(config, broker=replace(config.broker, port=mosquitto.port))
    hub = Hub(settings)
    hub.start()
    try:
        table = voices()
        browser.get(hub.url + "/?lang=fr")
        wait(lambda: "pas encore entendue" in text(browser, "#table-t1"), "the tile is there")
        table.say()
        table.beat()
        wait(lambda: "en ligne" in text(browser, "#table-t1"), "the heartbeat arrives without a reload")
        table.send(*table.stream.play_hand({1: 20000, 4: 18000}))
        table.show(
            hand=1,
            phase="flop",
            seats=tuple(m.StateSeat(seat=seat) for seat in range(1, 11)),
            stacks=dict.fromkeys(range(1, 11), 123450),
            board=("9h", "7s", "4c"),
            button=3,
            to_act=4,
        )
        wait(lambda: "siège 1 relance à 650" in text(browser, "#log"), "the log follows")
        wait(lambda: "9♥" in text(browser, "#table-t1 .board"), "the board follows")
        assert len(browser.find_elements(By.CSS_SELECTOR, "#table-t1 .seat")) == 10
        for width, height in ((360, 640), (768, 1024), (1280, 800), (1920, 1080)):
            resize(browser, width, height)
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, f"the page is wider than a screen of {width}"
            cut = browser.execute_script(
                "return [...document.querySelectorAll('.seat .stack')]"
                ".filter(e => e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right + 1).length"
            )
            assert cut == 0, f"a stack does not fit its seat at {width}"
        severe = [row["message"] for row in browser.get_log("browser") if row["level"] == "SEVERE"]
        assert severe == []  # nothing that the content policy refused either
    finally:
        hub.close()
    wait(
        lambda: line_lost(browser),
        "the page says that the server is away",
    )
    assert "Liaison avec le serveur perdue" in text(browser, "#line-lost")
    second = Hub(replace(settings, web=replace(settings.web, port=hub.port)))
    second.start()
    try:
        wait(lambda: not line_lost(browser) and text(browser, "#table-t1"), "the page has found it again")
        table.beat()
        wait(lambda: "en ligne" in text(browser, "#table-t1"), "and follows again")
        wait(lambda: "siège 1 relance à 650" in text(browser, "#log"), "with the log from the record")
    finally:
        second.close()


def test_first_director_pairs_by_the_printed_link_and_holds_a_table(
    browser: webdriver.Chrome, hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub = hubs()
    table = voices()
    link = hub.director_link()
    assert link is not None
    browser.get(link)
    browser.find_element(By.NAME, "device").send_keys("PC du directeur")
    browser.find_element(By.CSS_SELECTOR, "button.big").click()
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "#table-t1 form button"), "the director sees buttons")
    browser.execute_script("document.querySelector('#table-t1 form button').click()")
    wait(lambda: table.desired and table.desired[-1].hold == ("floor",), "the table is held")
    wait(lambda: "by PC du directeur" in text(browser, "#log"), "the log names who did it")
    browser.get(hub.url + "/devices")
    browser.find_element(By.CSS_SELECTOR, "button[value=dealer]").click()
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, ".qr svg"), "the code is drawn")
    assert text(browser, ".code").isdigit()
