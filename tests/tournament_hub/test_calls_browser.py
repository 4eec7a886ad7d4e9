"""The director's phone in real Chromium: a call that appears by itself is taken and ruled, a player is out in two taps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import (
    MoveTargetOutOfBoundsException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from table_controller import messages as m
from tests.chromium import PHONE, open_chromium
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place, State
from tournament_hub.room import Room

pytestmark = pytest.mark.system

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
rulebook = "ropta"
tables = ["t1"]
without_device = ["2"]
seats = 6
starting_stack = 20000
"""
UTC = "2024-05-01T20:00:00Z"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    chrome = open_chromium(tmp_path / "profile", PHONE)
    yield chrome
    chrome.quit()


def text(browser: webdriver.Chrome, selector: str) -> str:
    """All that is shown there, read in one go."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
    return str(browser.execute_script(script, selector))


def thumb(
    browser: webdriver.Chrome, selector: str, wait: Callable, done: Callable[[], Any], what: str
) -> None:
    """A tap with a real pointer in the middle of what stands there; again, as people do, if the page moved under it."""

    def tapped() -> bool:
        try:
            element = browser.find_element(By.CSS_SELECTOR, selector)
            browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            webdriver.ActionChains(browser).move_to_element(element).click().perform()
        except (NoSuchElementException, StaleElementReferenceException, MoveTargetOutOfBoundsException):
            return bool(done())
        with contextlib.suppress(AssertionError):
            wait(done, what, 3.0)
            return True
        return False

    wait(tapped, what, 60.0)


def fits(browser: webdriver.Chrome) -> None:
    """Nothing is wider than the phone, and whatever is tapped is 44 points high."""
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    small = browser.execute_script(
        "return [...document.querySelectorAll('main button, main select, main a.choice, main summary, .roster li a, .seat a')]"
        ".filter(e => e.offsetParent && e.getBoundingClientRect().height < 43).map(e => e.innerText)"
    )
    assert small == []


def state(hub: Hub) -> State:
    found: State = hub.decide(lambda room, now: room.tournaments["main"].state).result(20)
    return found


def test_call_is_taken_and_ruled_and_a_player_is_out_in_two_taps(
    browser: webdriver.Chrome, hubs: Callable, voices: Callable, wait: Callable
) -> None:
    hub: Hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "set up")

    def begin(room: Room, now: float) -> None:
        seats = tuple(
            ev.Seating(f"e{n}", Place("t1" if n < 5 else "2", (n - 1) % 4 + 1)) for n in range(1, 9)
        )
        for event in (
            *(ev.Registered(entry=f"e{n}") for n in range(1, 9)),
            ev.Drawn(seats=seats),
            ev.ButtonSet(table="t1", button=1),
            ev.Passed(block="start", reason="test"),
            ev.Started(),
        ):
            room.tournaments["main"].say(event, "Anne", now, room.utc)

    hub.decide(begin).result(20)
    table = voices()
    table.say()
    table.beat()
    link = hub.director_link()
    assert link is not None
    browser.get(link)
    browser.find_element(By.NAME, "device").send_keys("Anne")
    browser.find_element(By.CSS_SELECTOR, "button.big").click()
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "#plan .plan"), "the phone is let in")
    browser.get(hub.url + "/?lang=fr")

    call(table)
    wait(lambda: "La table appelle" in text(browser, "#calls"), "the call appears without a reload")
    assert browser.title.startswith("(1) ")  # also seen on a tab that is behind
    fits(browser)
    thumb(
        browser,
        "#calls button.big",
        wait,
        lambda: "Anne arrive" in text(browser, "#calls"),
        "all see who comes",
    )
    thumb(browser, "#calls a.choice", wait, lambda: "/calls/" in browser.current_url, "the call is open")
    fits(browser)
    Select(browser.find_element(By.NAME, "code")).select_by_value("hand_dead")
    browser.find_element(By.NAME, "text").send_keys("Main sans protection")
    thumb(browser, "form > button.big", wait, lambda: table.desired[-1].decisions, "the table is told")
    decision = table.desired[-1].decisions[0]
    assert (decision.choice, decision.seats, decision.note) == ("hand_dead", (3,), "Main sans protection")
    table.publish("alert/f1", b"", retain=True)
    wait(lambda: text(browser, "#calls").strip() == "", "the list is empty")

    seat = ".tile.byhand .seat:nth-child(2) a"
    thumb(browser, seat, wait, lambda: "seat=2" in browser.current_url, "first tap: his seat")
    fits(browser)
    thumb(browser, "#out", wait, lambda: state(hub).entries["e6"].where == "out", "second tap: he is out")
    wait(lambda: "libre" in text(browser, ".roster li:nth-child(2)"), "his seat is free")
    browser.get(hub.url)
    fits(browser)
    undo = ".plan .done li:first-child button"
    thumb(browser, undo, wait, lambda: state(hub).entries["e6"].where == "seated", "one tap brings him back")
    severe = [row["message"] for row in browser.get_log("browser") if row["level"] == "SEVERE"]
    assert severe == []


def call(table: Any) -> None:
    """People at the table call the floor."""
    table.stream.hand = 5
    request = m.Request(tx="tx1", t=1.0, utc=UTC, seat=3, hand=5, call="f1", by="page")
    table.publish("request/floor", m.encode(request))
    words = m.Words(fr="La table appelle l'arbitre", en="The table calls the floor")
    alert = m.Alert(id="f1", kind="ruling", text=words, t=1.0, utc=UTC, hand=5, seat=3, rulebook="ropta")
    table.publish("alert/f1", m.encode(alert), retain=True)
