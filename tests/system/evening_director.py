"""The director of a simulated evening: he knows nothing but what the pages show, in a real browser, and only taps."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

DEADLINE = 60.0
_GONE = (NoSuchElementException, StaleElementReferenceException, ElementNotInteractableException)


class Lost(AssertionError):
    """The pages do not show what a director needs."""


class PageDirector:
    """One phone in one hand.

    Attributes:
        taps: How often something was tapped or a name typed.
        said: What was done, for a failure's text.
    """

    def __init__(self, chrome: webdriver.Chrome, url: str, link: str, tournament: str) -> None:
        """Pair the phone by the link that the hub prints."""
        self.chrome = chrome
        self.url = url
        self.tournament = tournament
        self.taps = 0
        self.said: list[str] = []
        chrome.get(link)
        self._find("input[name=device]").send_keys("Téléphone du directeur")
        self._find("button.big").click()
        self.until(lambda: self.text("#plan") != "", "the floor page is there")

    # -- at the door -----------------------------------------------------------------------------------------

    def bring_list(self, file: Path) -> None:
        """The club's list of people goes in."""
        self.go(f"/sign-in/{self.tournament}/lists")
        self._find("input[type=file]").send_keys(str(file))
        self._tap("button[name=how][value=people]")
        self._loaded()
        self.until(lambda: "✓" in self.text(".notice"), "the list is taken in")

    def at_the_door(self) -> None:
        """The page on which people sign in."""
        self.go(f"/sign-in/{self.tournament}")
        self.until(lambda: self._all("#people li"), "the people are shown")

    def sign_in(self, name: str) -> int:
        """Three letters of the first name and of the last, one tap; how many taps beside the typing."""
        before = self.taps
        field = self._find("#find")
        field.send_keys(" ".join(part[:4] for part in name.split()))
        script = (
            "return [...document.querySelectorAll('#people li[data-fold]')].filter(e => !e.hidden"
            " && e.innerText.includes(arguments[0])).map(e => e.id)"
        )
        found = self.until(lambda: self.chrome.execute_script(script, name), f"{name} is found")
        row = found[0]
        self._tap(f"#{row} button[value=arrive]")
        pressed = f"#{row} button[value=arrive][aria-pressed=true]"
        self.until(lambda: self._all(pressed), f"{name} has arrived")
        self.until(lambda: self._find("#find").get_attribute("value") == "", "the field is ready")
        return self.taps - before

    def walk_in(self, name: str) -> None:
        """Somebody whom nobody knows: a name and Enter."""
        self._find("#find").send_keys(name, Keys.ENTER)
        self.taps += 1
        self.until(lambda: name in self.text("#people"), f"{name} is in")

    def draw(self) -> None:
        """Seats, buttons, start."""
        for button in ("draw", "buttons", "start"):
            self.go(f"/sign-in/{self.tournament}/draw")
            self._tap(f"button[name=do][value={button}]")
            self._loaded()
            self.said.append(button)

    # -- on the floor ----------------------------------------------------------------------------------------

    def floor(self) -> None:
        """Go to the floor page, if not there."""
        if self.chrome.execute_script("return location.pathname") != "/":
            self.go("/")

    def next_thing(self, quiet: set[str]) -> str:
        """Do the first thing that the floor page asks for; what it was, empty when nothing waits.

        Args:
            quiet: Tables whose moves their own dealers tell.
        """
        self.floor()
        for look in (self._call, self._proposal, lambda: self._move(quiet)):
            done = look()
            if done:
                self.said.append(done)
                return done
        return ""

    def _proposal(self) -> str:
        script = (
            "const e = document.querySelector('#plan .proposal form[action$=\"/do\"] button');"
            "if (!e) return ''; const t = e.closest('.proposal').querySelector('p').innerText + ' → ' + e.innerText;"
            "e.click(); return t"
        )
        return self._clicked(script)

    def _move(self, quiet: set[str]) -> str:
        script = (
            "for (const li of document.querySelectorAll('#plan .moving li')) {"
            " const [from, to] = li.querySelector('.way').innerText.split('→').map(s => s.split('·')[0].trim());"
            " const at = li.classList.contains('planned') ? from : to;"
            " const b = li.querySelector('button.big');"
            " if (!b || b.disabled || arguments[0].includes(at)) continue;"
            " const t = li.querySelector('p').innerText + ' → ' + b.innerText; b.click(); return t } return ''"
        )
        return self._clicked(script, sorted(quiet))

    def _call(self) -> str:
        """A call of the floor: let the hand be settled as the book says, else close it."""
        script = "const a = document.querySelector('#calls a[href^=\"/calls/\"]'); return a ? a.getAttribute('href') : ''"
        where = str(self.chrome.execute_script(script))
        if not where:
            return ""
        self.go(where)
        script = (
            "const e = [...document.querySelectorAll('form[action$=\"/rule\"] button')]"
            ".sort((a, b) => b.classList.contains('big') - a.classList.contains('big'))[0];"
            "if (!e) return ''; const t = document.querySelector('h2').innerText + ' → ' + e.innerText; e.click(); return t"
        )
        return self._clicked(script) or f"{where}: nothing to tap"

    def _clicked(self, script: str, *arguments: Any) -> str:
        """Tap by script (which one tap of a thumb is) and wait for the page that follows."""
        self.chrome.execute_script("document.documentElement.dataset.old = '1'")
        done = str(self.chrome.execute_script(script, *arguments))
        if done:
            self.taps += 1
            self._loaded()
        return " ".join(done.split())

    def out(self, table: str, draw: random.Random) -> str:
        """Somebody at a table without a device has lost: his seat, "out". Two taps. His name, empty for none."""
        self.go(f"/tables/{table}")
        script = "return [...document.querySelectorAll('.roster li:not(.empty) a')].map(a => a.getAttribute('href'))"
        seats = list(self.chrome.execute_script(script))
        if len(seats) < 2:
            return ""
        before = self.taps
        seat = draw.choice(seats)
        name = self._clicked(
            "const e = document.querySelector(`a[href='${arguments[0]}']`); e.click(); return e.innerText",
            seat,
        )
        if not self._all("#out"):
            return ""
        self._tap("#out")
        self._loaded()
        if self.taps - before != 2:
            raise Lost("a player out takes two taps")
        self.said.append(f"out at {table}: {name}")
        return name

    def players_left(self) -> int:
        """How many are in, as the floor page says."""
        self.floor()
        script = "const e = document.querySelector('#plan h2 .dim'); return e ? e.innerText : ''"
        numbers = [int(part) for part in str(self.chrome.execute_script(script)).split() if part.isdigit()]
        return numbers[0] if numbers else -1

    # -- a browser's page ------------------------------------------------------------------------------------

    def go(self, path: str) -> None:
        """Open a page of the hub."""
        self.chrome.get(f"{self.url}{path}{'&' if '?' in path else '?'}lang=fr")

    def text(self, selector: str) -> str:
        """All that is shown there."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(' ')"
        return str(self.chrome.execute_script(script, selector))

    def severe(self) -> list[str]:
        """What the browser complains about, refused requests apart (a dealer may have been faster)."""
        rows = self.chrome.get_log("browser")
        return [
            row["message"]
            for row in rows
            if row["level"] == "SEVERE" and "status of 40" not in row["message"]
        ]

    def picture(self, target: Path) -> None:
        """Take a picture of the screen."""
        self.chrome.save_screenshot(str(target))

    def until(self, condition: Any, what: str, seconds: float = DEADLINE) -> Any:
        """Wait for a condition.

        Raises:
            Lost: It does not come.
        """
        end = time.monotonic() + seconds
        pause = threading.Event()
        while True:
            try:
                value = condition()
            except _GONE:
                value = None
            if value:
                return value
            if time.monotonic() > end:
                raise Lost(f"not within {seconds:g} s: {what}; the page says: {self.text('main')[:600]}")
            pause.wait(0.02)

    def _find(self, selector: str) -> Any:
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def _all(self, selector: str) -> list[Any]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def _tap(self, selector: str) -> None:
        """Tap a button, once it is there."""
        self.chrome.execute_script("document.documentElement.dataset.old = '1'")

        def tapped() -> bool:
            self._find(selector).click()
            return True

        self.until(tapped, f"there is {selector}")
        self.taps += 1

    def _loaded(self) -> None:
        """The page that follows a form is there."""

        def fresh() -> bool:
            try:
                return bool(
                    self.chrome.execute_script(
                        "return document.readyState === 'complete' && !document.documentElement.dataset.old"
                    )
                )
            except WebDriverException:
                return False

        self.until(fresh, "the next page is there")
