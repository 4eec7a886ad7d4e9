"""A whole evening, unattended: sign-in, draw, levels, moves, breaks, hand-for-hand, the final table, the last place.

One table with every sensor, tables with nothing but their page, tables without any device; real broker, hub as a
process, real controllers. The scripted director uses nothing but the pages, in real Chromium. The whole size (80
entries, 1 + 2 + 6 tables) runs with MALDONNE_FULL=1 (`make test-system`), a small one otherwise.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import sqlite3
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

from maldonne.broker import start_broker
from tests.chromium import open_chromium
from tests.system.conftest import FULL
from tests.system.evening_director import Lost, PageDirector
from tests.system.evening_tables import CLUB, PageTable, SensedProcess, state_of

pytestmark = pytest.mark.system

PAGES, BARE, SEATS, ENTRIES, WALK_INS = (2, 6, 9, 80, 6) if FULL else (1, 1, 6, 18, 2)
LIMIT_S = 1500.0 if FULL else 420.0
STACK = 2000
AGAIN = 150
"""So often the same thing is asked in one evening, no more."""
BLINDS = ((50, 100), (100, 200), (150, 300), (200, 400), (300, 600), (500, 1000), (800, 1600), (1200, 2400))
FIRST = "Anne Bruno Chloé David Élodie Farid Gaëlle Hugo Inès Jules Karim Léa Marc Nadia Omar Paul Rosa Samir Théo Zoé".split()
LAST = "Aubry Blanc Caron Durand Étienne".split()


@pytest.fixture
def chrome(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    """The director's phone."""
    chrome = open_chromium(tmp_path / "profile", (430, 932), load_s=60)
    yield chrome
    chrome.quit()


def settings(folder: Path, port: int) -> Path:
    """The club's file."""
    pages = [f"page{n}" for n in range(1, PAGES + 1)]
    bare = [f"libre{n}" for n in range(1, BARE + 1)]
    minutes = 1.0 if FULL else 0.5
    levels = [f"{{ minutes = {minutes}, small_blind = {a}, big_blind = {b} }}" for a, b in BLINDS]
    levels.insert(3, "{ minutes = 0.2 }")
    file = folder / "hub.toml"
    tables = "".join(f'[tables.{name}]\nname = "{name}"\n' for name in ("capteurs", *pages))
    file.write_text(
        f"""
[club]
id = "{CLUB}"
name = "Club du vendredi"
data = "data"
[broker]
port = {port}
[web]
port = 0
{tables}
[tournament.main]
title = "Vendredi"
rulebook = "tda2024"
tables = {json.dumps([*pages, "capteurs"])}
without_device = {json.dumps(bare)}
seats = {SEATS}
starting_stack = {STACK}
smallest_chip = 25
places_paid = 3
seed = 11
levels = [{", ".join(levels)}]
""",
        encoding="utf-8",
    )
    return file


def people(folder: Path) -> tuple[Path, list[str]]:
    """The club's list."""
    names = [f"{first} {last}" for last in LAST for first in FIRST][: ENTRIES - WALK_INS]
    file = folder / "membres.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, delimiter=";")
        writer.writerow(["nom", "numéro"])
        writer.writerows([name, str(100 + n)] for n, name in enumerate(names))
    return file, names


@pytest.mark.timeout(LIMIT_S + 300)
def test_an_evening_from_sign_in_to_the_last_place(
    tmp_path: Path, chrome: webdriver.Chrome, program: Callable[..., Any], wait_until: Callable[..., None]
) -> None:
    with start_broker() as broker:
        config = settings(tmp_path, broker.port)
        hub = program("hub", "--config", str(config), log=tmp_path / "hub.log")
        wait_until(lambda: "director: " in hub.said(), "the hub is there")
        url = re.search(r"hub: (\S+)", hub.said())[1]  # type: ignore[index]
        link = re.search(r"director: (\S+)", hub.said())[1]  # type: ignore[index]
        pages = [
            PageTable(
                tmp_path / f"page{n}", f"page{n}", broker.port, hand_s=1.0, seed=f"page{n}", risk=0.08 if FULL else 0.15
            )
            for n in range(1, PAGES + 1)
        ]  # fmt: skip
        sensed: SensedProcess | None = None
        try:
            for table in pages:
                table.start()
            director = PageDirector(chrome, url, link, "main")
            file, names = people(tmp_path)
            director.bring_list(file)
            director.at_the_door()
            most = max(director.sign_in(name) for name in names)
            for n in range(WALK_INS):
                director.walk_in(f"Visiteur {chr(65 + n)}")
            assert most <= 2, "somebody took more than two taps"
            assert director.players_left() == ENTRIES
            director.draw()
            seats = drawn(url, director, "capteurs")
            sensed = SensedProcess(
                tmp_path / "capteurs", "capteurs", broker.port, dict.fromkeys(seats, STACK), BLINDS[0], 25
            )
            play(director, sensed, pages, hub)
            finished(url, director, tmp_path / "data")
            assert director.severe() == []
            assert not [fault for table in pages for fault in table.thumb.refused]
            print(
                f"{ENTRIES} entries, {1 + PAGES + BARE} tables: {director.taps} taps, hands: {sensed.hands} sensed, "
                f"{sum(table.hands for table in pages)} told on pages"
            )
        finally:
            if sensed is not None:
                sensed.close()
            for table in pages:
                table.close()


def drawn(url: str, director: PageDirector, table: str) -> list[int]:
    """The seats that were drawn at a table, as its page shows them."""
    director.go(f"/tables/{table}")
    script = "return [...document.querySelectorAll('.roster li:not(.empty) .no')].map(e => +e.innerText)"
    seats = director.until(lambda: director.chrome.execute_script(script), "players sit at the table")
    return [int(seat) for seat in seats]


def play(director: PageDirector, sensed: SensedProcess, pages: list[PageTable], hub: Any) -> None:
    """The director does what the page asks for; somebody loses now and then where nobody else can tell."""
    lot = random.Random(5)
    own = {"capteurs", *(table.name for table in pages)}
    bare = [f"libre{n}" for n in range(1, BARE + 1)]
    end = time.monotonic() + LIMIT_S
    pause = threading.Event()
    since = 0
    asked: Counter[str] = Counter()
    while time.monotonic() < end:
        for table in (sensed, *pages):
            if table.failure is not None:
                raise table.failure
        assert hub.process.poll() is None, hub.said()[-2000:]
        done = director.next_thing(own)
        if done:
            asked[done] += 1
            if asked[done] > AGAIN:
                raise Lost(f"asked again and again: {done}; {stands(sensed, pages)}")
            since += 1
        else:
            since += 2
            pause.wait(0.2)
        if since < (16 if FULL else 6):
            continue
        left = director.players_left()
        if left == 1 and "Le tournoi est terminé" in director.text("#plan"):
            return
        if left > 1:  # hand for hand there is always something to do: they lose there as well
            director.out(lot.choice(bare), lot)
            since = 0
    raise Lost(
        f"the evening is not over; last: {director.said[-12:]}; page: {director.text('#plan')[:1500]}; {stands(sensed, pages)}"
    )


def stands(sensed: SensedProcess, pages: list[PageTable]) -> str:
    """How the tables stand, for a failure's text."""
    return f"{sensed.name}: {sensed.state} | " + " | ".join(
        f"{table.name}: {state_of(table)}" for table in pages
    )


def finished(url: str, director: PageDirector, data: Path) -> None:
    """Every entry has one place, and the record agrees with itself."""
    director.go("/sign-in/main/lists")
    cookies = "; ".join(f"{c['name']}={c['value']}" for c in director.chrome.get_cookies())
    request = urllib.request.Request(f"{url}/sign-in/main/entries.csv?lang=fr", headers={"cookie": cookies})
    with urllib.request.urlopen(request, timeout=20) as answer:
        text = answer.read().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text), delimiter=";"))
    places = Counter(row["Rang"] for row in rows)
    assert sum(places.values()) == ENTRIES, text[:500]
    assert "" not in places, text
    assert places["1"] == 1, places
    with sqlite3.connect(data / "hub.sqlite3") as store:
        (records,) = store.execute("SELECT count(*) FROM records").fetchone()
    assert records > ENTRIES
    if "MALDONNE_SCREENSHOTS" in os.environ:
        director.go("/")
        director.picture(Path(os.environ["MALDONNE_SCREENSHOTS"]) / "evening_end.png")
