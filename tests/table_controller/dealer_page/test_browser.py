"""The page in real Chromium: real taps, holds and strokes, every size, nothing refused by the content policy."""

from __future__ import annotations

import os
import random
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from table_controller.table import Table

pytestmark = pytest.mark.system

Make = Callable[..., Any]
SIZES = ((1280, 800), (390, 844), (1024, 600), (360, 640))
FULL = bool(os.environ.get("MALDONNE_FULL"))
DEADLINE = 20.0


def wait(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition; the test fails when it does not come."""
    end = time.monotonic() + DEADLINE
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {DEADLINE} s: {what}")
        pause.wait(0.02)


def post(table: Table, deed: str, **fields: str) -> None:
    """A tap on another screen."""
    assert table.page is not None
    fields.setdefault("turn", table.page.picture.turn)
    request = urllib.request.Request(
        f"{table.page.url}/do/{deed}",
        data=urlencode(fields).encode(),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        answer.read()


def picture(table: Table) -> Any:
    assert table.page is not None
    return table.page.picture


def test_clean_hand_from_start_to_pot_by_the_page_alone(browser: Any, tables: Make) -> None:
    table = tables(players=3)
    browser.open(table.page.url)
    browser.tap("next")
    assert browser.text("#say") == "Donnez deux cartes à chacun, une par une, le siège 2 d'abord"
    lines = []
    for _ in range(60):
        names = browser.names("#taps")
        lines.append(browser.text("#say"))
        if picture(table).state.phase == "over":
            break
        wanted = ("done", "check", "call", "shown", "wins-2", "pots")
        browser.tap(next(name for name in wanted if name in names), inside="#taps")
    assert picture(table).state.phase == "over"
    assert {n: s.stack for n, s in picture(table).state.seats.items()} == {1: 9900, 2: 10200, 3: 9900}
    assert "Retournez trois cartes au tableau (le flop)" in lines
    assert browser.text("#say") == "Préparez la main suivante"
    browser.tap("next")
    assert picture(table).state.hand == 2
    assert browser.severe() == []


def test_raise_on_the_pad_and_with_a_preset(browser: Any, tables: Make) -> None:
    table = tables(players=3)
    post(table, "next")
    post(table, "done")
    browser.open(table.page.url)
    browser.tap("raise")
    for digit in ("3", "00"):
        browser.chrome.find_element(By.CSS_SELECTOR, f"[data-digit='{digit}']").click()
    browser.tap("submit")
    assert picture(table).state.seats[1].bet == 300
    assert browser.text("#sheet") == ""
    browser.tap("raise")
    assert "Minimum 500" in browser.text("#sheet")
    browser.chrome.find_element(By.CSS_SELECTOR, "[data-preset='500']").click()
    browser.tap("submit")
    assert picture(table).state.seats[2].bet == 500
    browser.tap("silent")
    for chip in ("500", "25"):
        browser.chrome.find_element(By.CSS_SELECTOR, f"[data-chip='{chip}']").click()
    assert "= 525" in browser.text("#sheet .put")
    browser.tap("submit")
    assert "ROPTA" in browser.text("#now .why")


def test_what_ends_a_hand_must_be_held_for_a_second(browser: Any, tables: Make) -> None:
    table = tables(players=4, betting=None)
    browser.open(table.page.url)
    browser.tap("next")  # no hand runs: nothing is ended
    assert "maintenir une seconde" in browser.text("#taps")
    browser.tap("next", change=False)
    wait(lambda: browser.text("#hint") == "Gardez le doigt une seconde", "it says to hold")
    assert picture(table).state.hand == 1
    browser.tap("next", hold=True)
    assert picture(table).state.hand == 2


def test_every_screen_follows_a_tap_on_another_one(browser: Any, tables: Make) -> None:
    table = tables(players=3)
    browser.open(table.page.url)
    post(table, "next")
    wait(lambda: browser.text("#say").startswith("Donnez"), "the other screen follows")
    post(table, "done")
    wait(lambda: browser.text("#say") == "Siège 1\xa0: à lui de parler", "and goes on following")


def test_irregularity_is_found_confirmed_and_cured_by_taps(browser: Any, tables: Make) -> None:
    table = tables(players=4)
    browser.open(table.page.url)
    browser.tap("next")
    browser.tap("what")
    browser.tap("exposed_card", inside="#sheet")
    browser.tap("card_exposed_in_deal", inside="#sheet")
    browser.tap("seat-3", inside="#sheet")
    assert "ROPTA exposed" in browser.text("#sheet")
    browser.tap("apply", inside="#sheet")
    assert "morte" in browser.text("#now .why")
    assert "ROPTA exposed" in browser.text("#now .why")
    browser.tap("understood")
    assert browser.text("#now .why") == ""
    browser.tap("done")
    assert "Posez la carte du siège 3" in browser.text("#say")


def test_misdeal_needs_a_held_button_and_leads_back_to_the_same_hand(browser: Any, tables: Make) -> None:
    table = tables(players=4)
    browser.open(table.page.url, lang="en")
    browser.tap("next")
    browser.tap("what")
    browser.tap("wrong_deal", inside="#sheet")
    browser.tap("seat_skipped", inside="#sheet")
    browser.tap("seat-2", inside="#sheet")
    browser.tap("apply", inside="#sheet", hold=True)
    assert browser.text("#say") == "Take everything back and deal again"
    browser.tap("redeal")
    assert (picture(table).state.hand, picture(table).state.misdeals) == (1, 1)


def test_long_press_on_a_seat_opens_its_sheet_a_short_one_says_how(browser: Any, tables: Make) -> None:
    table = tables(players=4)
    browser.open(table.page.url)
    browser.tap("place-3", change=False)
    wait(lambda: browser.text("#hint") == "Siège\xa0: appuyez longuement", "it says to press on")
    browser.tap("place-3", hold=True)
    wait(lambda: "Siège 3" in browser.text("#sheet h2"), "the sheet of the seat is there")
    browser.tap("absent", inside="#sheet")
    wait(lambda: "absent" in browser.text("[data-name='place-3']"), "the seat says it")


def center(browser: Any, selector: str) -> tuple[int, int]:
    box = browser.chrome.execute_script(
        "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [r.left + r.width / 2, r.top + r.height / 2]",
        selector,
    )
    return round(box[0]), round(box[1])


def stroke(browser: Any, points: list[tuple[int, int]]) -> None:
    """One finger down, over these points, up."""
    browser.taps += 1
    action = ActionChains(browser.chrome, duration=30)
    pointer = action.w3c_actions.pointer_action
    pointer.move_to_location(*points[0])
    pointer.pointer_down()
    for point in points[1:]:
        pointer.move_to_location(*point)
    pointer.pointer_up()
    action.w3c_actions.perform()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_put_right_takes_at_most_five_taps(browser: Any, tables: Make, size: tuple[int, int]) -> None:
    table = tables(players=9)
    post(table, "next")
    post(table, "done")
    browser.open(table.page.url, size=size)
    post(table, "floor")
    post(table, "decide", note="x")
    browser.taps = 0
    browser.tap("more")
    browser.tap("right", inside="#sheet")
    group = "#sheet .pick:not(.one)"
    browser.chrome.execute_script("document.querySelector(arguments[0]).scrollIntoView()", group)
    out = [center(browser, f"{group} [data-seat='{seat}']") for seat in (1, 2, 3, 4, 5)]
    stroke(browser, out)  # one stroke over five neighbours: they are out
    chosen = browser.chrome.execute_script("return document.querySelector(\"#sheet input[name='in']\").value")
    assert chosen == "6,7,8,9"
    browser.chrome.find_element(By.CSS_SELECTOR, "#sheet [data-value='turn']").click()
    browser.taps += 1
    browser.tap("submit", inside="#sheet")
    assert browser.taps == 5
    state = picture(table).state
    assert (state.phase, state.in_hand()) == ("turn", [6, 7, 8, 9])


def test_cleaning_locks_the_screen_for_fifteen_seconds(browser: Any, tables: Make) -> None:
    table = tables(players=3)
    browser.open(table.page.url)
    # the page's clock is moved on by hand instead of waiting
    browser.chrome.execute_script(
        "const real = performance.now.bind(performance); window.moved = 0;"
        "performance.now = () => real() + window.moved;"
    )
    browser.chrome.find_element(By.ID, "lock-screen").click()
    assert browser.chrome.find_element(By.ID, "lock-count").text == "15"
    covered = "const r = document.querySelector(\"[data-name='next']\").getBoundingClientRect();" + (
        "return document.elementFromPoint(r.left + 5, r.top + 5).closest('#lock') !== null"
    )
    assert browser.chrome.execute_script(covered)
    browser.chrome.execute_script("window.moved = 14000")
    assert browser.chrome.execute_script(covered)
    browser.chrome.execute_script("window.moved = 15100")
    wait(lambda: not browser.chrome.execute_script(covered), "the screen answers again")
    browser.tap("next")
    assert picture(table).state.hand == 1


def test_screen_turns_by_180_degrees_and_still_answers(browser: Any, tables: Make) -> None:
    table = tables(players=3, page="self_dealt = true\nrotate = 180")
    browser.open(table.page.url)
    turned = "return getComputedStyle(document.body).transform"
    assert browser.chrome.execute_script(turned).startswith("matrix(-1")
    browser.tap("next")
    assert picture(table).state.hand == 1
    browser.chrome.find_element(By.ID, "turn-screen").click()
    assert browser.chrome.execute_script(turned) == "none"
    browser.chrome.refresh()
    wait(lambda: browser.text("#say"), "the page is there again")
    assert browser.chrome.execute_script(turned) == "none"  # as the table has turned it


def test_suits_have_four_colours_and_their_signs(browser: Any, tables: Make) -> None:
    from engine import events as ev

    table = tables(players=3)
    post(table, "next")
    post(table, "done")
    for seat in (1, 2, 3):
        post(table, "act", seat=str(seat), said="check" if seat == 3 else "call")
    post(table, "done")
    post(table, "done")
    for card in ("9h", "7s", "4c"):
        table.submit(ev.CardMoved(card=card, from_="deck", to="board", face="up"), "test")
    for seat in (2, 3, 1):
        wait(lambda: picture(table).state.phase == "flop", "the flop lies there")
        post(table, "act", seat=str(seat), said="check")
    post(table, "done")
    table.submit(ev.CardMoved(card="Td", from_="deck", to="board", face="up"), "test")
    browser.open(table.page.url)
    wait(lambda: "10♦" in browser.text("#table .board"), "the turn is drawn")
    assert browser.text("#table .board").split() == ["9♥", "7♠", "4♣", "10♦"]
    colours = browser.chrome.execute_script(
        "return [...document.querySelectorAll('.board .face:not(.none)')].map(e => getComputedStyle(e).color)"
    )
    assert len(set(colours)) == 4


def _tables_to_look_at(tables: Make) -> list[tuple[str, Any, str]]:
    """Screens of every kind: (what, table, the sheet to open)."""
    turn = tables(players=10, stack=1234500, levels=LEVELS)
    post(turn, "next")
    post(turn, "done")
    post(turn, "act", seat="4", said="fold")
    post(turn, "act", seat="5", said="raise", amount="123450")
    deal = tables(players=10)
    post(deal, "next")
    ruled = tables(players=6)
    post(ruled, "next")
    post(ruled, "claim", incident="card_exposed_in_deal", seat="3", facts="{}")
    void = tables(players=6)
    post(void, "next")
    post(void, "claim", incident="seat_skipped", seat="3", facts="{}")
    light = tables(players=10, betting=None)
    post(light, "next")
    return [
        ("deal", deal, ""),
        ("turn", turn, ""),
        ("raise", turn, "raise"),
        ("chips", turn, "silent"),
        ("what", turn, "what"),
        ("ruled", ruled, ""),
        ("void", void, ""),
        ("light", light, ""),
        ("more", light, "more"),
    ]


LEVELS = """
[[levels]]
minutes = 20
small_blind = 50
big_blind = 100
ante = { kind = "big_blind", amount = 100 }
"""


def test_every_screen_fits_and_the_instruction_is_larger_than_all_else(browser: Any, tables: Make) -> None:
    problems = []
    for what, table, sheet in _tables_to_look_at(tables):
        for lang in ("fr", "en"):
            browser.open(table.page.url, lang=lang, size=SIZES[0])
            if sheet:
                browser.tap(sheet)
            for size in SIZES:
                browser.resize(*size)
                found = browser.chrome.execute_script(LOOK)
                problems += [f"{what} {lang} {size}: {problem}" for problem in found]
    assert problems == []
    assert browser.severe() == []


LOOK = """
const found = [];
if (document.documentElement.scrollWidth > innerWidth + 1) found.push('wider than the screen');
const visible = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== 'hidden';
for (const e of document.querySelectorAll('button, .seat')) {
  if (!visible(e)) continue;
  const r = e.getBoundingClientRect();
  if (e.tagName === 'BUTTON' && (r.height < 38 || r.width < 38)) found.push('too small for a thumb: ' + e.innerText);
  if (e.scrollWidth > e.clientWidth + 2) found.push('text cut off: ' + e.innerText.replace(/\\n/g, ' '));
}
const say = document.getElementById('say');
const size = e => parseFloat(getComputedStyle(e).fontSize);
for (const e of document.querySelectorAll('main *')) {
  if (!visible(e) || e.closest('#sheet, #lock, .say') || !e.childNodes.length) continue;
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (own && size(e) >= size(say)) found.push('as large as the instruction: ' + e.innerText);
}
return found;
"""


def test_led_by_the_page_alone_whoever_knows_no_poker_deals_a_session(browser: Any, tables: Make) -> None:
    """Real Chromium, only what stands on the screen; irregularities found through "what has happened"."""
    hands, wrong = (20, {2, 6, 10, 14, 18}) if FULL else (2, {1})
    table = tables(players=4, stack=20000)
    browser.open(table.page.url)
    rng = random.Random(4)
    lines: list[str] = []
    for number in range(hands):
        browser.tap("next")
        assert picture(table).state.hand == number + 1, lines[-5:]
        moment = rng.randrange(1, 6)
        for step in range(120):
            if picture(table).state.phase == "over":
                break
            if number in wrong and step == moment:
                something_happens(browser, rng)
            lines.append(browser.text("#say"))
            one_tap(browser, rng)
        assert picture(table).state.phase == "over", lines[-12:]
        assert sum(seat.stack for seat in picture(table).state.seats.values()) == 80000
    assert browser.severe() == []


def one_tap(browser: Any, rng: random.Random) -> None:
    """The largest button, as a rule; where a sheet opens, the first preset or choice on it."""
    names = [name for name in browser.names("#taps") if name not in ("silent", "split")]
    main = browser.chrome.execute_script(
        "return [...document.querySelectorAll('#taps .tap.main')].map(e => e.dataset.name)"
    )
    usual = [name for name in names if name not in ("all_in", "expired")]
    name = rng.choice(main) if main and rng.random() < 0.8 else rng.choice(usual or names)
    hold = browser.chrome.execute_script(
        "return document.querySelector(arguments[0]).dataset.hold === '1'", f"#taps [data-name='{name}']"
    )
    browser.tap(name, inside="#taps", hold=hold)
    if browser.text("#sheet") == "":
        return
    presets = browser.chrome.find_elements(By.CSS_SELECTOR, "#sheet [data-preset]")
    if presets:
        presets[0].click()
        browser.tap("submit", inside="#sheet")
        return
    names = [one for one in browser.names("#sheet") if one not in ("close", "back")]
    browser.tap("submit" if "submit" in names else names[0], inside="#sheet")


def something_happens(browser: Any, rng: random.Random) -> None:
    """Something went wrong: the page asks what."""
    browser.tap("what", inside="#menu")
    for _ in range(8):
        names = [name for name in browser.names("#sheet") if name not in ("close", "back")]
        if "apply" in names:
            hold = browser.chrome.execute_script(
                "return document.querySelector(\"#sheet [data-name='apply']\").dataset.hold === '1'"
            )
            browser.tap("apply", inside="#sheet", hold=hold)
            return
        if "chips" in names or "submit" in names:
            browser.tap("close", inside="#sheet")
            return
        browser.tap(rng.choice(names), inside="#sheet")
    raise AssertionError("it asks for ever")
