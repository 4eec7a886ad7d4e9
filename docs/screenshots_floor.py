"""Takes the pictures of the tournament's pages: phone and wall, French and English, in colour and in grey.

    python docs/screenshots_floor.py [FOLDER]        (default: docs/images, and there only the two that are shown)

A hub of its own without a broker: people sign in, seats are drawn, a few are out, one is moved, the floor is called.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import httpx
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from tournament_hub.config import parse_config
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import State
from tournament_hub.room import Room

IMAGES = Path(__file__).parent / "images"
PAGES = {
    "floor": "/",
    "sign-in": "/sign-in/main",
    "draw": "/sign-in/main/draw",
    "seats": "/sign-in/main/seats",
    "lists": "/sign-in/main/lists",
    "clock": "/clock/main",
    "paper": "/paper/main",
    "paper-back": "/paper/main/back",
    "plots": "/plots/main",
    "hall": "/hall/main",
    "table": "/tables/2",
    "seat": "/tables/2?seat=1",
    "hands": "/tables/t1/hands",
    "referee": "/referee",
    "season": "/season",
    "devices": "/devices",
}
SHOWN = {"floor-phone-fr": "floor-phone.png", "hall-wall-fr": "hall.png"}
CONFIG = """
[club]
id = "club"
name = "Poker Club de Lyon"
data = "data"
[web]
port = 0
[tables.t1]
name = "Table 1"
[tournament.main]
title = "Tournoi du vendredi"
rulebook = "ropta"
tables = ["t1"]
without_device = ["2", "3", "4", "5"]
seats = 9
starting_stack = 20000
places_paid = 5
seed = 5
levels = [
  { minutes = 20, small_blind = 100, big_blind = 200 },
  { minutes = 20, small_blind = 150, big_blind = 300, ante = { kind = "big_blind", amount = 300 } },
  { minutes = 10, colour_up = [25] },
  { minutes = 20, small_blind = 200, big_blind = 400, ante = { kind = "big_blind", amount = 400 } },
  { minutes = 20, small_blind = 400, big_blind = 800, ante = { kind = "big_blind", amount = 800 } },
]
"""
FIRST = "Anne Bruno Chloé David Élodie Farid Gaëlle Hugo Inès Jules Karim Léa Marc Nadia Omar Paul Rosa Samir Théo Zoé".split()
LAST = ("Aubry", "Blanc")


def browser(profile: str) -> webdriver.Chrome:
    """A headless Chromium."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(flag)
    options.add_argument("--hide-scrollbars")
    options.add_argument(f"--user-data-dir={profile}")
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def prepare(hub: Hub, phone: httpx.Client) -> None:
    """Play the beginning of an evening."""
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    for name in names:
        phone.post("/sign-in/main/act", data={"do": "walk_in", "name": name})

    def state() -> State:
        return hub.decide(lambda room, now: room.tournaments["main"].state).result(20)

    def do(*events: ev.Event) -> None:
        def work(room: Room, now: float) -> None:
            for event in events:
                room.tournaments["main"].say(event, "Anne", now, room.utc)

        hub.decide(work).result(20)

    def proposals(*kinds: str) -> None:
        def work(room: Room, now: float) -> bool:
            tournament = room.tournaments["main"]
            found = next((p for p in tournament.proposals(now) if p.kind in kinds), None)
            if found is not None:
                tournament.do(found.id, "Anne", now, room.utc, None if found.effects else 0)
            return found is not None

        while hub.decide(work).result(20):
            pass

    proposals("draw")
    proposals("button")
    do(ev.Passed(block="start", reason="essai"), ev.Started())
    for table in ("2", "3", "3", "4"):
        seats = state().tables[table].seats
        do(ev.Busted(table=table, entries=(seats[min(seats)],)))
    seats = state().tables["5"].seats
    free = next(seat for seat in range(1, 10) if seat not in state().tables["3"].seats)
    place = ev.Place("3", free)
    do(ev.MovePlanned(move="m1", entry=seats[max(seats)], target=place, reason="balance"))
    do(ev.CallOpened(call="c1", kind="ruling", table="4", seat=6, hold=True))


def main() -> int:
    """Take them all."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(parse_config(CONFIG, "hub.toml", Path(folder)))
        hub.start()
        try:
            link = hub.director_link() or ""
            with httpx.Client(base_url=hub.url, timeout=30) as phone:
                phone.post(link.removeprefix(hub.url), data={"device": "Téléphone d'Anne"})
                prepare(hub, phone)
                cookies = dict(phone.cookies)
            take(hub.url, cookies, target, f"{folder}/profile")
        finally:
            hub.close()
    return 0


def take(url: str, cookies: dict[str, str], target: Path | None, profile: str) -> None:
    """Every page in every form; without a folder only those that the documentation shows."""
    driver = browser(profile)
    try:
        driver.get(f"{url}/referee")
        for name, value in cookies.items():
            driver.add_cookie({"name": name, "value": value})
        for page, path in PAGES.items():
            for form, (width, height) in {"phone": (390, 844), "wall": (1920, 1080)}.items():
                for language in ("fr", "en"):
                    for kind in ("none", "achromatopsia"):
                        grey = "-grey" if kind != "none" else ""
                        name = f"{page}-{form}-{language}"
                        if target is None and (grey or name not in SHOWN):
                            continue
                        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
                        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                        driver.execute_cdp_cmd("Emulation.setEmulatedVisionDeficiency", {"type": kind})
                        driver.get(f"{url}{path}{'&' if '?' in path else '?'}lang={language}")
                        time.sleep(0.4)
                        file = IMAGES / SHOWN[name] if target is None else target / f"{name}{grey}.png"
                        file.parent.mkdir(parents=True, exist_ok=True)
                        driver.save_screenshot(str(file))
    finally:
        driver.quit()


if __name__ == "__main__":
    sys.exit(main())
