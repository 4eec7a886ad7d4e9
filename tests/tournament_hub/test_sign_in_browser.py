"""The door in a real browser: three letters narrow the list, two taps are enough, two phones follow each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.chromium import PHONE, open_chromium
from tournament_hub.hub import Hub
from tournament_hub.store_people import Person, save_person

pytestmark = pytest.mark.system

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["t1", "t2"]
starting_stack = 20000
seed = 5
"""
CLUB = ("Léa Martin", "Marc Dupré", "Zoé Núñez", "Paul Durand", "Anne Marchand", "Jean-Marc Petit")


@pytest.fixture
def phones(tmp_path: Path) -> Iterator[Callable[[], webdriver.Chrome]]:
    """Makes phones, each with a profile of its own."""
    made: list[webdriver.Chrome] = []

    def make() -> webdriver.Chrome:
        chrome = open_chromium(tmp_path / f"profile{len(made)}", PHONE)
        made.append(chrome)
        return chrome

    yield make
    for chrome in made:
        chrome.quit()


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """A room with six people on the club's list."""
    hub = hubs(TOURNAMENT)
    wait(
        lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables are set up"
    )

    def enlist(room: object, now: float) -> None:
        for number, name in enumerate(CLUB):
            save_person(room.store, Person(f"p-{number}", name), room.utc)  # type: ignore[attr-defined]

    hub.decide(enlist).result(10)
    return hub


class Thumb:
    """One person with one phone; counts the taps."""

    def __init__(self, phone: webdriver.Chrome) -> None:
        self.phone = phone
        self.taps = 0

    def tap(self, selector: str) -> None:
        self.taps += 1
        self.phone.find_element(By.CSS_SELECTOR, selector).click()

    def type(self, text: str) -> None:
        self.phone.find_element(By.ID, "find").send_keys(text)

    def seen(self) -> list[str]:
        """The names that the list shows."""
        script = "return [...document.querySelectorAll('#people li[data-fold]')].filter(e => !e.hidden).map(e => e.querySelector('.who b').innerText)"
        return list(self.phone.execute_script(script))

    def reads(self, selector: str) -> str:
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
        return str(self.phone.execute_script(script, selector)).replace("\u00a0", " ")


def paired(phones: Callable, hub: Hub, link: str, wait: Callable) -> Thumb:
    thumb = Thumb(phones())
    thumb.phone.get(link)
    thumb.phone.find_element(By.NAME, "device").send_keys("Anne")
    thumb.phone.find_element(By.CSS_SELECTOR, "button.big").click()
    wait(lambda: thumb.phone.find_elements(By.ID, "plan"), "the phone is let in")
    thumb.phone.get(f"{hub.url}/sign-in/main?lang=fr")
    return thumb


def test_three_letters_one_tap_a_walk_in_and_the_draw(
    phones: Callable, evening: Hub, wait: Callable, tmp_path: Path
) -> None:
    link = evening.director_link()
    assert link is not None
    thumb = paired(phones, evening, link, wait)
    assert len(thumb.seen()) == 6
    for letters, left, person in (
        ("lea", ["Léa Martin"], 0),
        ("nun", ["Zoé Núñez"], 2),
        ("pet", ["Jean-Marc Petit"], 5),
    ):
        before = thumb.taps
        thumb.type(letters)
        assert thumb.seen() == left
        thumb.tap(f"#row-p-{person} button[value=arrive]")
        wait(lambda name=left[0]: f"{name} : arrivé" in thumb.reads("#notice"), "it is said")
        wait(lambda: len(thumb.seen()) == 6, "the list is whole again for the next name")
        assert thumb.taps - before == 1
    thumb.type("mar")
    assert thumb.seen() == ["Anne Marchand", "Jean-Marc Petit", "Léa Martin", "Marc Dupré"]
    thumb.phone.find_element(By.ID, "find").send_keys(Keys.ENTER)  # several: nothing is guessed
    thumb.type("c du")
    assert thumb.seen() == ["Marc Dupré"]
    thumb.phone.find_element(By.ID, "find").send_keys(Keys.ENTER)  # one is left: that one
    wait(lambda: "Marc Dupré : arrivé" in thumb.reads("#notice"), "Enter takes the only one")
    wait(lambda: len(thumb.seen()) == 6, "the list is whole again")
    thumb.type("Eve Neuve")
    assert thumb.seen() == [] and "Nouveau : Eve Neuve" in thumb.reads(".find .new")
    before = thumb.taps
    thumb.tap(".find .new")
    wait(lambda: "Eve Neuve : nouveau, arrivé" in thumb.reads("#notice"), "the walk-in is in")
    assert thumb.taps - before == 1
    wait(lambda: len(thumb.seen()) == 7, "and stands on the list")
    assert "5 arrivés" in thumb.reads("#head")
    before = thumb.taps
    thumb.tap('.tabs a[href$="/draw"]')
    thumb.tap("button[value=draw]")
    wait(lambda: "Annuler le tirage" in thumb.reads("main"), "the draw is done")
    assert thumb.taps - before == 2
    shown = evening.floor.tournament("main")
    assert shown is not None and all(entry.place for entry in shown.state.entries.values())
    club = tmp_path / "club.csv"
    club.write_bytes("Nom;Numéro\r\nLéa Martin;7\r\nGaël Çedille;8\r\n".encode("cp1252"))
    thumb.phone.get(f"{evening.url}/sign-in/main/lists?lang=fr")
    thumb.phone.find_element(By.NAME, "file").send_keys(str(club))
    thumb.tap("button[value=people]")
    wait(lambda: "2 personnes lues, 1 nouvelle(s)" in thumb.reads("main"), "the list is taken in")
    for at in ("", "/draw", "/seats", "/lists"):
        thumb.phone.get(f"{evening.url}/sign-in/main{at}")
        wide = thumb.phone.execute_script("return document.documentElement.scrollWidth")
        assert wide <= 390, f"{at} is wider than the phone"
        low = thumb.phone.execute_script(
            "return [...document.querySelectorAll('main button, main summary, .tabs a, main a.file')].filter(e => e.offsetParent)"
            ".filter(e => e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML)"
        )
        assert low == [], f"{at}: too low for a thumb"
    severe = [row["message"] for row in thumb.phone.get_log("browser") if row["level"] == "SEVERE"]
    assert severe == []


def test_two_phones_at_the_door_follow_each_other(phones: Callable, evening: Hub, wait: Callable) -> None:
    link = evening.director_link()
    assert link is not None
    one, two = paired(phones, evening, link, wait), Thumb(phones())
    cookie = one.phone.get_cookies()
    two.phone.get(evening.url + "/login")
    for held in cookie:
        two.phone.add_cookie({key: held[key] for key in ("name", "value", "path")})
    two.phone.get(f"{evening.url}/sign-in/main?lang=fr")
    wait(
        lambda: two.phone.execute_script("return !!document.querySelector('#people li')"), "the list is there"
    )
    two.type("zoe")
    one.type("zoe")
    one.tap("#row-p-2 button[value=arrive]")
    wait(lambda: "arrivé" in two.reads("#row-p-2 .standing"), "the other phone sees it by itself")
    assert two.seen() == ["Zoé Núñez"]  # and what was typed there still narrows the list
    two.tap("#row-p-2 button[value=arrive]")
    wait(lambda: "déjà noté par Anne" in two.reads("#notice"), "the second is told")
    shown = evening.floor.tournament("main")
    assert shown is not None and len(shown.state.entries) == 1
    one.tap(".undo-last button")
    wait(lambda: "Annulé" in one.reads("#notice"), "one tap takes it back")
    wait(lambda: two.reads("#row-p-2 .standing").strip() == "", "on both phones")
