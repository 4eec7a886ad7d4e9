"""The hall display: what it shows follows from the tournament alone, it counts down by itself, and speaks once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from selenium import webdriver

from table_controller import messages as m
from tests.chromium import WALL, open_chromium
from tournament_hub.logic.clock import Clock, Stage
from tournament_hub.logic.state import Entry, HandForHand, Move, Place, Settings, State, Table
from tournament_hub.web import hall
from tournament_hub.web.hall_view import hall_view
from tournament_hub.wording import Wording
from webkit.pages import Site
from webkit.pairing import Pairing
from webkit.server import WebServer


def level(n: int, small: int) -> Stage:
    ante = m.Ante(kind="big_blind", amount=2 * small)
    return Stage(1200.0, m.Level(n=n, small_blind=small, big_blind=2 * small, ante=ante))


STAGES = (level(1, 100), level(2, 200), Stage(600.0, None, (25,)), level(3, 300))
ENTRIES = {
    **{
        f"e{n}": Entry(id=f"e{n}", player=f"p{n}", where="seated", place=Place("1", n), stack=20000)
        for n in (1, 2, 3)
    },
    "e4": Entry(id="e4", player="p4", where="out"),
}
RUNNING = State(
    settings=Settings(tournament="open", title="Open de Lyon", stages=STAGES),
    started=True,
    entries=ENTRIES,
    tables={"1": Table(id="1", seats={1: "e1", 2: "e2", 3: "e3"}), "4": Table(id="4", status="breaking")},
    order=("4", "1"),
    clock=Clock(stage=1, remaining=754.0, running_since=100.0, started=True),
    moves={
        "m1": Move(id="m1", entry="e3", origin=Place("4", 2), target=Place("1", 3), state="done"),
        "m2": Move(id="m2", entry="e2", origin=Place("4", 5), target=Place("1", 2)),
        "m3": Move(id="m3", entry="e1", origin=Place("4", 6), target=Place("2", 1), state="cancelled"),
    },
)
NAMES = {"e2": "Marie D."}


def test_a_running_level_is_shown_with_what_comes_next() -> None:
    view = hall_view(RUNNING, NAMES, 110.0)
    assert (view.stands, view.counting, view.remaining) == ("running", True, 744.0)
    assert view.level is not None
    assert view.next is not None
    assert (view.level.small_blind, view.next.small_blind) == (200, 300)
    assert (view.left, view.entries, view.average) == (3, 4, 20000)
    assert view.to_break == 744.0
    assert view.breaking == ("4",)


def test_moves_under_way_stand_before_those_that_are_done_and_cancelled_ones_are_gone() -> None:
    moves = hall_view(RUNNING, NAMES, 110.0).moves
    assert [(move.name, move.done) for move in moves] == [("Marie D.", False), ("e3", True)]


def test_an_unrecorded_stack_gives_a_dash_and_never_an_average() -> None:
    entries = {**ENTRIES, "e1": replace(ENTRIES["e1"], stack=None)}
    view = hall_view(replace(RUNNING, entries=entries), NAMES, 110.0)
    assert view.average is None
    assert view.end is None


def test_a_break_shows_the_level_that_comes_and_the_chips_that_leave() -> None:
    clock = Clock(stage=2, remaining=600.0, running_since=100.0, started=True, pauses=("break",))
    view = hall_view(replace(RUNNING, clock=clock), NAMES, 160.0)
    assert (view.stands, view.level, view.remaining, view.colour_up) == ("break", None, 540.0, (25,))
    assert view.next is not None
    assert view.next.n == 3
    assert view.to_break is None


def test_hand_for_hand_stops_the_count_and_is_no_new_level() -> None:
    clock = Clock(stage=1, remaining=300.0, started=True, pauses=("hand_for_hand",))
    waiting = replace(RUNNING, clock=clock, hand_for_hand=HandForHand(round=2, gate=3, roster=("1",)))
    view = hall_view(waiting, NAMES, 500.0)
    assert (view.stands, view.counting, view.remaining, view.round) == ("paused", False, 300.0, 2)
    assert view.announcement == hall_view(RUNNING, NAMES, 500.0).announcement == "running.1"


def test_a_pause_and_its_end_announce_nothing_and_a_new_stage_does() -> None:
    stopped = replace(RUNNING, clock=replace(RUNNING.clock, running_since=None, pauses=("director",)))
    assert hall_view(stopped, NAMES, 110.0).announcement == hall_view(RUNNING, NAMES, 110.0).announcement
    rest = replace(RUNNING, clock=Clock(stage=2, remaining=600.0, running_since=100.0, started=True))
    later = replace(RUNNING, clock=Clock(stage=3, remaining=600.0, running_since=100.0, started=True))
    assert [hall_view(s, NAMES, 110.0).announcement for s in (rest, later)] == ["break.2", "running.3"]


def test_levels_made_shorter_are_seen_with_the_end_that_they_bring() -> None:
    view = hall_view(RUNNING, NAMES, 110.0)
    assert view.next_minutes == 20.0
    shorter = (*STAGES[:3], replace(STAGES[3], seconds=720.0))
    after = hall_view(replace(RUNNING, settings=replace(RUNNING.settings, stages=shorter)), NAMES, 110.0)
    assert after.next_minutes == 12.0
    assert view.end is not None and after.end is not None


def test_before_the_start_and_after_the_end_nothing_counts() -> None:
    before = replace(RUNNING, clock=Clock(), started=False)
    assert hall_view(before, NAMES, 5.0).remaining == 1200.0
    over = replace(RUNNING, over=True)
    view = hall_view(over, NAMES, 5.0)
    assert (view.stands, view.counting, view.remaining, view.end) == ("over", False, 0.0, None)


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[tuple[str, dict[str, State], hall.HallPages]]:
    """A server with one tournament's display, whose state the test changes."""
    states = {"open": RUNNING}
    wall = hall.HallPages(
        lambda: list(states),
        lambda name: hall_view(states[name], NAMES, 100.0) if name in states else None,
    )
    here = Path(hall.__file__).parent
    site = Site(
        Pairing(tmp_path / "web"),
        wall.pages(lambda: site),
        name="Club d'essai",
        templates=[here / "templates"],
        static=[here / "static"],
        catalogues=[Wording().catalogue],
    )
    server = WebServer(site.app, host="127.0.0.1", port=0, before_close=wall.close)
    server.start()
    yield server.url, states, wall
    server.close()


def test_the_page_reads_in_both_languages_and_says_which_tournament_does_not_exist(
    shown: tuple[str, dict[str, State], hall.HallPages],
) -> None:
    url, _, _ = shown
    french = httpx.get(url + "/hall").text
    for text in ("Open de Lyon", "En jeu", "Niveau 2", "200 / 400", "On casse la table 4", "Marie D."):
        assert text in french
    english = httpx.get(url + "/hall/open?lang=en").text
    for text in ("Playing", "Level 2", "big-blind ante 400", "Table 4 is breaking", "→ table 1, seat 2"):
        assert text in english
    assert httpx.get(url + "/hall/closed").status_code == 404
    assert httpx.get(url + "/hall/closed/live").status_code == 404


def test_the_wall_asks_nothing_of_the_world_outside(
    shown: tuple[str, dict[str, State], hall.HallPages],
) -> None:
    url, _, _ = shown
    page = httpx.get(url + "/hall").text
    wanted = re.findall(r'(?:src|href)="([^"?]+)', page)
    assert wanted and all(address[0] in "/#" and not address.startswith("//") for address in wanted)
    for address in wanted:
        if address.startswith("/static/"):
            text = httpx.get(url + address).text
            assert re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", text) is None


@pytest.fixture
def wall_browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    """A television of 1920 by 1080 that writes down what it would say."""
    browser = open_chromium(tmp_path / "profile", WALL)
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
    yield browser
    browser.quit()


LISTEN = """
window.said = []; window.tones = 0;
speechSynthesis.speak = function (words) { window.said.push(words.lang + " " + words.text); };
OscillatorNode.prototype.start = function () { window.tones += 1; };
OscillatorNode.prototype.stop = function () {};
"""
LEGIBLE = """
return [...document.querySelectorAll('.hall *')].filter(e => [...e.childNodes].some(
  n => n.nodeType === 3 && n.textContent.trim())).map(e => [parseFloat(getComputedStyle(e).fontSize), e.textContent.trim()]);
"""


@pytest.mark.system
def test_the_wall_speaks_when_something_changes_and_only_then(
    shown: tuple[str, dict[str, State], hall.HallPages], wall_browser: webdriver.Chrome, wait: Callable
) -> None:
    url, states, wall = shown
    browser = wall_browser
    browser.get(url + "/hall/open?lang=fr")

    def said() -> list[str]:
        return [text.replace("\u00a0", " ") for text in browser.execute_script("return window.said")]

    def becomes(**changes: object) -> None:
        states["open"] = replace(states["open"], **changes)  # type: ignore[arg-type]
        wall.changed("open")

    browser.find_element("id", "sound").click()
    wait(lambda: said() == ["fr Son activé"], "the button sounds")
    stopped = replace(RUNNING.clock, running_since=None, pauses=("director",))
    becomes(clock=stopped)
    wait(lambda: browser.find_elements("css selector", ".hall.paused"), "the clock stands")
    becomes(clock=RUNNING.clock)
    wait(lambda: browser.find_elements("css selector", ".hall.running"), "and goes on")
    becomes(clock=replace(RUNNING.clock, remaining=30.0))
    wait(lambda: said()[1:] == ["fr Dernière minute du niveau."], "the last minute; a pause says nothing")
    becomes(clock=Clock(stage=2, remaining=600.0, running_since=100.0, started=True))
    wait(lambda: said()[2:] == ["fr Pause de 10 minutes."], "the break")
    becomes(clock=Clock(stage=2, remaining=50.0, running_since=100.0, started=True))
    wait(lambda: len(said()) == 4 and "une minute" in said()[3], "the end of the break comes")
    becomes(clock=Clock(stage=3, remaining=1200.0, running_since=100.0, started=True))
    wait(lambda: len(said()) == 5 and "300" in said()[4], "a new level")
    becomes(hand_for_hand=HandForHand(round=1, gate=1, roster=("1",)))
    wait(lambda: len(said()) == 6 and "Main par main" in said()[5], "hand-for-hand")
    becomes(hand_for_hand=HandForHand(round=2, gate=2, roster=("1",)))
    wait(lambda: len(said()) == 7, "each round")
    becomes(hand_for_hand=None)
    wait(lambda: len(said()) == 8 and "Fin du main par main" in said()[7], "and its end, without a new level")
    assert browser.execute_script("return window.tones") == 8, "where no voice is installed a tone is heard"
    assert browser.get_log("browser") == []


@pytest.mark.system
def test_everything_on_a_wall_is_large_enough_for_ten_metres(
    shown: tuple[str, dict[str, State], hall.HallPages], wall_browser: webdriver.Chrome, wait: Callable
) -> None:
    """On a screen 68 cm high (55 inches) a letter of 36 px is 17 mm high: five minutes of arc at ten metres are 15."""
    url, states, _ = shown
    browser = wall_browser
    banner = HandForHand(round=2, gate=3, roster=("1",))
    moves = {
        f"m{n}": Move(id=f"m{n}", entry=f"e{n}", origin=Place("4", n), target=Place("12", n))
        for n in range(1, 11)
    }
    dear = replace(RUNNING.settings, stages=(level(1, 12000), level(2, 15000), *STAGES[2:3], level(3, 20000)))
    broken = replace(RUNNING, moves=moves, settings=dear, hand_for_hand=banner)
    for language in ("fr", "en"):
        for state in (
            RUNNING,
            replace(RUNNING, moves={}, tables={"1": RUNNING.tables["1"]}, order=("1",)),
            replace(RUNNING, hand_for_hand=banner),
            broken,
            replace(RUNNING, clock=Clock(stage=2, remaining=600.0, running_since=100.0, started=True)),
        ):
            states["open"] = state
            browser.get(f"{url}/hall/open?lang={language}")
            wait(
                lambda: (
                    browser.execute_script("return document.querySelector('.time').textContent") != "--:--"
                ),
                "it counts",
            )
            height, width = browser.execute_script(
                "const e = document.documentElement; return [e.scrollHeight, e.scrollWidth]"
            )
            assert height <= 1080 and width <= 1920, "a wall has nobody who scrolls"
            sizes = browser.execute_script(LEGIBLE)
            small = [(px, text) for px, text in sizes if px < 36]
            assert small == [], small
            time = next(px for px, text in sizes if re.fullmatch(r"[\d:]+", text))
            assert time >= 270


@pytest.mark.system
def test_the_wall_counts_down_and_takes_a_new_level_by_itself(
    shown: tuple[str, dict[str, State], hall.HallPages], wait: Callable, tmp_path: Path
) -> None:
    url, states, wall = shown
    browser = open_chromium(tmp_path / "profile", (1280, 720))
    try:
        browser.get(url + "/hall/open?lang=fr")

        def time_left() -> str:
            return str(browser.execute_script("return document.querySelector('.time').textContent"))

        wait(lambda: time_left() == "12:33", "the wall counts by itself")
        fits = "return document.documentElement.scrollHeight <= innerHeight"
        assert browser.execute_script(fits), "a wall has nobody who scrolls"
        states["open"] = replace(
            RUNNING, clock=Clock(stage=1, remaining=50.0, running_since=100.0, started=True)
        )
        wall.changed("open")
        last = "return document.querySelector('.time').classList.contains('last')"
        wait(lambda: browser.execute_script(last), "the last minute is marked")
        assert browser.get_log("browser") == []
    finally:
        browser.quit()
