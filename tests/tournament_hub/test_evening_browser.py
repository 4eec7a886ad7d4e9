"""The director's phone in a real browser: the clock in his hand, and the evening typed back from paper with a keyboard."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.chromium import PHONE, open_chromium
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.clock import Released
from tournament_hub.logic.state import Place, State

pytestmark = pytest.mark.system

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["1", "2"]
seats = 5
starting_stack = 20000
levels = [
  { minutes = 20, small_blind = 100, big_blind = 200 },
  { minutes = 20, small_blind = 200, big_blind = 400 },
  { minutes = 20, small_blind = 4000, big_blind = 8000 },
]
"""
TOO_SMALL = """
return [...document.querySelectorAll('main button, main input:not([type=hidden]), main select, main summary, main a.act')]
  .filter(e => e.offsetParent && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 80));
"""


@pytest.fixture
def evening(hubs: Callable[..., Hub], wait: Callable[..., Any]) -> Hub:
    """Six at two tables, started."""
    hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables")

    def play(room: Any, now: float) -> None:
        tournament = room.tournaments["main"]
        for number in range(1, 7):
            tournament.say(ev.Registered(entry=f"e{number}"), "Anne", now, room.utc)
        seats = tuple(
            ev.Seating(f"e{n}", Place("1" if n <= 3 else "2", (n - 1) % 3 + 1)) for n in range(1, 7)
        )
        tournament.say(ev.Drawn(seats=seats), "Anne", now, room.utc)
        tournament.say(ev.Started(), "Anne", now, room.utc)

    hub.decide(play).result(10)
    return hub


@pytest.fixture
def phone(evening: Hub, tmp_path: Path, wait: Callable[..., Any]) -> Iterator[webdriver.Chrome]:
    """The director's phone, let in."""
    chrome = open_chromium(tmp_path / "profile", PHONE, mobile=True)
    link = evening.director_link()
    assert link is not None
    chrome.get(f"{link}?lang=fr")
    chrome.find_element(By.NAME, "device").send_keys("Anne")
    chrome.find_element(By.CSS_SELECTOR, "main form button").click()
    wait(lambda: chrome.find_elements(By.ID, "plan"), "the phone is let in")
    yield chrome
    chrome.quit()


def state(hub: Hub) -> State:
    found: State = hub.decide(lambda room, now: room.tournaments["main"].state).result(10)
    return found


def text(browser: webdriver.Chrome, selector: str) -> str:
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
    return str(browser.execute_script(script, selector))


def test_the_clock_is_stopped_and_shortened_with_a_thumb(
    evening: Hub, phone: webdriver.Chrome, wait: Callable[..., Any]
) -> None:
    phone.get(evening.url + "/clock/main")
    wait(lambda: text(phone, ".time").startswith("19:"), "it counts down by itself")
    assert phone.execute_script(TOO_SMALL) == []
    width = phone.execute_script("return document.documentElement.scrollWidth")
    assert width <= 390, "nothing sticks out of the phone"
    phone.find_element(By.CSS_SELECTOR, "form[action$='/stop'] button").click()
    wait(lambda: "Relancer" in text(phone, "#acts"), "the button says what it does now")

    def elsewhere(room: Any, now: float) -> None:
        tournament = room.tournaments["main"]
        tournament.say(ev.Clocked(act=Released("director")), "Zoé", now, room.utc)

    evening.decide(elsewhere).result(10)
    wait(lambda: "Arrêter" in text(phone, "#acts"), "what another phone does arrives by itself")
    assert "Zoé" in text(phone, "#acts .done")
    soon = datetime.datetime.now() + datetime.timedelta(minutes=45)
    phone.get(evening.url + f"/clock/main?at={soon:%H:%M}")
    phone.find_element(By.CSS_SELECTOR, ".offer button").click()
    wait(lambda: "Niveaux changés" in text(phone, "#acts .done"), "done, with its undo")


def test_the_evening_is_typed_back_row_by_row(
    evening: Hub, phone: webdriver.Chrome, wait: Callable[..., Any]
) -> None:
    phone.get(evening.url + "/paper/main/back")
    assert phone.execute_script(TOO_SMALL) == []

    def type_in(entry: str, part: str, typed: str) -> None:
        field = phone.find_element(By.CSS_SELECTOR, f"tr[data-entry='{entry}'] [data-part='{part}']")
        field.clear()
        field.send_keys(typed)

    for entry, out in (("e4", "1"), ("e5", "2"), ("e6", "4")):
        type_in(entry, "out", out)
    for entry, stack in (("e1", "60000"), ("e2", "40 000"), ("e3", "20.000")):
        type_in(entry, "stack", stack)
    phone.find_element(By.CSS_SELECTOR, "#back > button").click()
    wait(lambda: "le 3 manque" in text(phone, ".banner.bad"), "one line says what is wrong")
    assert state(evening).groups == ()
    type_in("e6", "out", "3")
    phone.find_element(By.CSS_SELECTOR, "[data-button='1']").send_keys("2")
    phone.find_element(By.CSS_SELECTOR, "#back > button").click()
    wait(lambda: "sortis 3" in text(phone, ".banner.done"), "taken")
    after = state(evening)
    assert [group.busts[0].entry for group in after.groups] == ["e4", "e5", "e6"]
    assert [after.entries[f"e{n}"].stack for n in (1, 2, 3)] == [60000, 40000, 20000]
    assert after.tables["1"].first_button == 2
    phone.find_element(By.CSS_SELECTOR, ".banner.done button").click()
    wait(lambda: state(evening).groups == (), "and one button undoes all of it")
    assert [line for line in phone.get_log("browser") if "422" not in line["message"]] == []
