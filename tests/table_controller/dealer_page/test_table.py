"""The page of a real table: level clock, pause, restart, what is written, who is let in."""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from table_controller.config import TableConfig, parse_config
from table_controller.journal import Journal
from table_controller.table import Table, utc_now

Make = Callable[..., Any]
CONFIG = """
[game]
betting = "amounts"
small_blind = 50
big_blind = 100
seats = [
    { seat = 1, entry = "e1", stack = 5000 },
    { seat = 2, entry = "e2", stack = 5000 },
    { seat = 3, entry = "e3", stack = 5000 },
]
[page]
on = true
port = 0
"""
LEVELS = """
[[levels]]
minutes = 20
small_blind = 50
big_blind = 100
[[levels]]
minutes = 10
[[levels]]
minutes = 20
small_blind = 100
big_blind = 200
ante = { kind = "big_blind", amount = 200 }
"""


def get(table: Table, path: str = "/") -> str:
    assert table.page is not None
    with urllib.request.urlopen(table.page.url + path, timeout=10) as answer:
        return answer.read().decode()


def post(table: Table, deed: str, **fields: str) -> str:
    assert table.page is not None
    fields.setdefault("turn", table.page.picture.turn)
    request = urllib.request.Request(
        f"{table.page.url}/do/{deed}",
        data=urlencode(fields).encode(),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def say(html: str) -> str:
    found = re.search(r'id="say">([^<]*)<', html)
    assert found
    return found[1]


def test_answer_to_a_tap_is_the_new_screen_and_is_in_the_journal(tables: Make) -> None:
    table = tables(players=3)
    assert say(get(table)) == "Préparez la main suivante"
    answer = post(table, "next")
    assert say(answer).startswith("Donnez deux cartes")
    for part in ("head", "now", "taps", "table", "menu"):
        assert f'id="{part}" hx-swap-oob="innerHTML"' in answer
    assert table.page.picture.state.hand == 1
    path = table.config.files.journal
    table.close()
    journal = Journal.open(path, club="club", table="t1", utc=utc_now(), software="x", engine="x")
    try:
        assert any(b'"hand_started"' in entry.body for entry in journal.recover().entries)
    finally:
        journal.close()


def test_refusal_is_said_in_words_and_changes_nothing(tables: Make) -> None:
    table = tables(players=3)
    assert "Il manque le tapis" in post(table, "arrived", seat="7")
    late = post(table, "next", turn="00000000")
    assert "alertdialog" not in late  # a tap for something that has passed is silently let go
    assert table.page.picture.state.hand == 0


def test_page_is_read_in_both_languages(tables: Make) -> None:
    table = tables(players=3, page='language = "en"')
    assert say(get(table)) == "Prepare the next hand"
    assert say(get(table, "/?lang=fr")) == "Préparez la main suivante"


def test_nothing_is_left_open_and_strangers_are_turned_away(tables: Make) -> None:
    table = tables(players=3)
    address = table.page.url.removeprefix("http://")
    line = http.client.HTTPConnection(address, timeout=10)
    try:
        line.request("GET", "/", headers={"X-Forwarded-For": "192.0.2.7", "Accept": "text/html"})
        answer = line.getresponse()
        answer.read()
        assert (answer.status, answer.getheader("location")) == (303, "/login")
        line.request(
            "POST",
            "/do/next",
            body="turn=x",
            headers={"X-Forwarded-For": "192.0.2.7", "content-type": "application/x-www-form-urlencoded"},
        )
        answer = line.getresponse()
        answer.read()
        assert answer.status == 401
        line.request("GET", "/", headers={"Host": "evil.example"})
        answer = line.getresponse()
        answer.read()
        assert answer.status == 421
    finally:
        line.close()
    for path in ("/sheet/nonsense", "/do/next"):
        with pytest.raises(urllib.error.HTTPError) as raised:
            get(table, path)
        assert raised.value.code in (404, 405)
        raised.value.close()


def test_tablet_is_let_in_by_the_link_that_the_program_prints(
    tables: Make, settings: Callable[..., TableConfig]
) -> None:
    config = settings(players=3)
    table = tables(replace(config, page=replace(config.page, host="0.0.0.0")))
    assert not table.page.only_here
    link = table.page.invitation()
    assert link is not None and "/pair/" in link
    with pytest.raises(urllib.error.HTTPError) as raised:
        get(table, "/live")  # nobody is let in by being near where the page is open to the hall
    assert raised.value.code == 401
    raised.value.close()


def test_level_clock_starts_with_the_first_hand_and_the_level_changes_between_hands(thumb: Make) -> None:
    subject = thumb(players=3, levels=LEVELS)
    view = subject.view()
    assert (view.level, view.left, view.runs) == ("Niveau 1 · 50/100", 1200, False)
    subject.tap("next")
    assert subject.view().runs
    subject.pass_time(60.0)
    assert subject.view().left == 1140
    subject.tap("done")
    subject.pass_time(1150.0)  # into the break
    assert subject.running.state.big_blind == 100  # the hand is played at the level at which it began
    for _ in range(2):
        subject.tap("fold")
    subject.tap("pots")
    view = subject.view()
    assert view.say == "Pause du tournoi"
    assert [tap.name for tap in view.taps] == ["counts", "level-on"]
    assert not subject.do("next").done or subject.running.state.phase == "over"
    subject.pass_time(600.0)
    assert subject.tap("next").done
    assert subject.running.state.big_blind == 200
    assert subject.view().level == "Niveau 2 · 100/200, ante 200"


def test_levels_can_be_moved_by_hand(thumb: Make) -> None:
    subject = thumb(players=3, levels=LEVELS)
    assert len(subject.sheet("levels").lines) == 3
    assert subject.do("level", {"by": "on"}).done
    assert subject.do("level", {"by": "on"}).done
    assert subject.view().level == "Niveau 2 · 100/200, ante 200"
    assert subject.do("level", {"by": "back"}).done
    assert subject.do("level", {"by": "back"}).done
    assert subject.view().level == "Niveau 1 · 50/100"
    assert thumb(players=3).do("level", {"by": "on"}).reason == "no_levels"


def test_pause_stops_the_clock_and_the_next_hand(thumb: Make) -> None:
    subject = thumb(players=3, levels=LEVELS)
    subject.tap("next")
    pause = next(tap for tap in subject.sheet("more").taps if tap.name == "pause")
    subject.pass_time(100.0)
    assert subject.do(pause.deed, dict(pause.fields)).done
    subject.pass_time(500.0)
    assert (subject.view().left, subject.view().runs) == (1100, False)
    subject.tap("done")
    for _ in range(2):
        subject.tap("fold")  # the running hand is played to its end
    subject.tap("pots")
    view = subject.view()
    assert (view.say, [tap.name for tap in view.taps]) == ("Pause", ["go-on"])
    subject.do("next")
    assert subject.running.state.hand == 1
    subject.tap("go-on")
    assert subject.view().runs
    assert subject.tap("next").done
    assert subject.running.state.hand == 2


def test_restart_within_a_hand_goes_on_where_the_screen_was(
    tables: Make, settings: Callable[..., TableConfig]
) -> None:
    config = settings(players=4, levels=LEVELS)
    first = tables(config)
    post(first, "absent", seat="3")
    post(first, "next")
    post(first, "done")
    post(first, "done")  # the absent player's hand to the muck
    post(first, "penalty", seat="2", reason="delay", hands="2")
    post(first, "act", seat="4", said="call")
    shown = say(get(first))
    first.close()
    second = tables(config)
    assert say(get(second)) == shown == "Siège 1\xa0: à lui de parler"
    picture = second.page.picture
    assert picture.here.word("e3").absent
    assert picture.here.word("e2").penalty == 2
    assert picture.clock is not None and picture.clock.since is not None
    post(second, "undo", of=_undo(second))
    # what no event tells of is asked for once more
    assert say(get(second)) == "Mettez la main du siège 3 à la défausse"
    post(second, "done")
    assert say(get(second)) == "Siège 4\xa0: à lui de parler"


def _undo(table: Table) -> str:
    found = re.search(r'name="of" value="([^"]*)"', get(table, "/sheet/undo"))
    assert found
    return found[1]


def test_restart_after_the_hand_was_put_right(tables: Make, settings: Callable[..., TableConfig]) -> None:
    config = settings(players=5)
    first = tables(config)
    post(first, "next")
    post(first, "done")
    post(first, "right", street="turn", button="3", pot="1500", **{"in": "2,4"})
    first.close()
    second = tables(config)
    state = second.page.picture.state
    assert (state.phase, state.button, state.in_hand(), len(state.board)) == ("turn", 3, [4, 2], 4)
    assert say(get(second)) == "Siège 4\xa0: à lui de parler"


def test_hand_for_hand_and_holds_of_a_hub_are_said(thumb: Make) -> None:
    subject = thumb(players=3)
    running = subject.running
    desired = replace(running.desired, epoch=1, rev=1, hold=("floor",))
    running.direct(desired)
    assert subject.view().say == "Table arrêtée\xa0: attendez l'arbitre"
    running.direct(replace(desired, rev=2, hold=(), gate=1))
    subject.tap("next")
    subject.tap("done")
    for _ in range(2):
        subject.tap("fold")
    subject.tap("pots")
    subject.do("next")
    assert subject.view().say == "Main par main\xa0: attendez le signal"


def test_word_of_the_table_stands_until_the_hub_says_something_new_of_him(thumb: Make) -> None:
    subject = thumb(players=3)
    running = subject.running
    hub = replace(running.desired, epoch=1, rev=1)
    running.direct(hub)
    subject.do("absent", {"seat": "2"})
    running.direct(replace(hub, rev=2, gate=None))  # says nothing new of seat 2
    assert running.here.word("e2").absent
    seats = tuple(replace(s, penalty=1) if s.seat == 2 else s for s in hub.seats)
    running.direct(replace(hub, rev=3, seats=seats))
    assert running.here.word("e2") is None
    assert next(s for s in running.effective.seats if s.seat == 2).penalty == 1


def test_hub_is_told_what_people_at_the_table_say(tmp_path: Path) -> None:
    text = CONFIG + '[mqtt]\nhost = "127.0.0.1"\nport = 9\n'
    table = Table(parse_config(text, "table.toml", tmp_path))
    table.start()
    try:
        post(table, "absent", seat="2")
        post(table, "next")
        post(table, "floor")
        waiting = [(p.kind, p.request.seat, p.request.entry) for p in table.link._requests.values()]
        assert waiting == [("absent", 2, "e2"), ("floor", None, None)]
        alerts = [topic for topic in table.link._documents._kept if re.search(r"/alert/f\d+$", topic)]
        assert len(alerts) == 1
    finally:
        table.close()
        table.check()


def test_full_disk_is_said_and_the_tap_is_not_done(tables: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from table_controller.journal import JournalFull

    table = tables(players=3)
    commit = Journal.commit

    def full(self: Journal, batch: object) -> object:
        raise JournalFull("no room", where="disk")

    monkeypatch.setattr(Journal, "commit", full)
    assert "le disque est plein" in post(table, "next")
    monkeypatch.setattr(Journal, "commit", commit)
    assert Path(table.config.files.journal).exists()
