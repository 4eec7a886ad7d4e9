"""The evening on paper: the sheets say how things stand, are whole on the disk at any moment, and come back as events."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.seating import Positions
from table_controller import messages as m
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.clock import Clock, Paused, Stage
from tournament_hub.logic.ranking import Bust, Group
from tournament_hub.logic.state import Entry, Move, Place, Settings, State, Table
from tournament_hub.paper_files import ALL, ROOM, PaperWriter
from tournament_hub.paper_view import paper
from tournament_hub.store import Store
from tournament_hub.store_people import Person, forget, save_person, scan

NINE = 21 * 3600.0
STAGES = (
    Stage(1200.0, m.Level(n=1, small_blind=100, big_blind=200)),
    Stage(600.0, None, (25,)),
    Stage(1200.0, m.Level(n=2, small_blind=200, big_blind=400)),
)
STATE = State(
    settings=Settings(tournament="main", title="Vendredi", stages=STAGES, places_paid=2),
    started=True,
    entries={
        "e1": Entry(id="e1", player="p1", where="seated", place=Place("1", 1), stack=25000, absent=True),
        "e2": Entry(id="e2", player="p2", where="seated", place=Place("1", 4), stack=35000, penalty=2),
        "e3": Entry(id="e3", player="p3", where="out", place=Place("1", 5), stack=0),
        "e4": Entry(id="e4", player="p4"),
    },
    tables={
        "1": Table(
            id="1",
            seats={1: "e1", 4: "e2"},
            positions=Positions(1, 4, 1, (4, 1)),
            hand=12,
            hold=("short",),
        ),
        "2": Table(id="2", status="closed"),
    },
    order=("1", "2"),
    clock=Clock(stage=0, remaining=600.0, running_since=100.0, started=True),
    groups=(Group("1#3", (Bust("e3", "1", 900),)),),
    moves={"m1": Move(id="m1", entry="e2", origin=Place("1", 4), target=Place("1", 9))},
    issued=80000,
)
NAMES = {"e1": "Anne", "e2": "Émile", "e3": "Zoé"}


def test_a_sheet_says_how_things_stand_and_when_levels_begin() -> None:
    held = paper(STATE, NAMES, 400.0, NINE, "01/05/2024")
    assert (held.at, held.left, held.ends) == ("21:00", "5", "21:05")
    assert [(row.begins, row.minutes) for row in held.coming] == [("21:05", "10"), ("21:15", "20")]
    assert (held.players, held.entries, held.chips, held.paid) == (3, 4, 80000, 2)
    assert [(row.place, row.name) for row in held.reached] == [(4, "Zoé")]
    assert held.blanks == (3, 2, 1)
    assert held.waiting == ("e4",)
    assert held.moves == (("Émile", "1-4", "1-9"),)
    (table,) = held.tables
    assert (table.players, table.button, table.hand, table.held, table.chips) == (2, 1, 12, True, 60000)
    lines = {line.seat: line for line in table.lines if line.name}
    assert lines[1].marks == ("button", "big_blind", "absent")
    assert (lines[4].marks, lines[4].penalty, lines[4].to) == (("small_blind",), 2, "1-9")
    assert len(table.lines) == 9


def test_a_stopped_clock_gives_no_hours_and_unknown_stacks_no_sum() -> None:
    from msgspec.structs import replace

    stopped = replace(STATE, clock=replace(STATE.clock, running_since=None))
    held = paper(stopped, {}, 400.0, NINE, "")
    assert (held.left, held.ends, held.coming[0].begins) == ("10", "", "")
    entries = {**STATE.entries, "e1": replace(STATE.entries["e1"], stack=None)}
    assert paper(replace(STATE, entries=entries), {}, 400.0, NINE, "").tables[0].chips is None


# -- files -----------------------------------------------------------------------------


def test_a_reader_always_finds_a_whole_sheet(tmp_path: Path, wait: Callable[..., Any]) -> None:
    """One thread reads while sheets of very different length are written: never half a one, never none."""
    drawn: list[int] = []

    def draw(number: int) -> dict[str, str]:
        drawn.append(number)
        return {ROOM: f"<html>{'x' * (number % 7) * 40_000}</html>"}

    writer: PaperWriter[int] = PaperWriter(tmp_path, draw)
    writer.put("main", 1)
    room = tmp_path / "main" / ROOM
    wait(room.exists, "the first sheet")
    broken: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            text = room.read_text(encoding="utf-8")
            if not (text.startswith("<html>") and text.endswith("</html>")):
                broken.append(text[:20])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for number in range(2, 400):
            writer.put("main", number)
        writer.close()
    finally:
        done.set()
        reader.join()
    assert broken == []
    assert drawn[-1] == 399
    assert len(drawn) < 50
    assert [path.name for path in (tmp_path / "main").iterdir()] == [ROOM]


def test_what_cannot_be_written_is_said_once_and_said_when_it_works_again(
    tmp_path: Path, wait: Callable[..., Any]
) -> None:
    told: list[str] = []
    (tmp_path / "main").write_text("a file where the folder should be")
    writer: PaperWriter[str] = PaperWriter(tmp_path, lambda text: {ROOM: text}, told.append)
    writer.put("main", "one")
    wait(lambda: told, "the fault is told")
    assert "main" in writer.fault
    (tmp_path / "main").unlink()
    writer.put("main", "two")
    writer.close()
    assert told[1:] == [""]
    assert (tmp_path / "main" / ROOM).read_text() == "two"


def test_a_sheet_that_cannot_be_drawn_is_said_and_the_next_one_is(
    tmp_path: Path, wait: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    def draw(text: str) -> dict[str, str]:
        if text == "bad":
            raise RuntimeError("no words")
        return {ROOM: text}

    writer: PaperWriter[str] = PaperWriter(tmp_path, draw)
    writer.put("main", "bad")
    wait(lambda: writer.fault == "RuntimeError", "the fault is told")
    writer.put("main", "good")
    writer.close()
    assert writer.fault == ""
    assert (tmp_path / "main" / ROOM).read_text() == "good"


# -- a whole evening ---------------------------------------------------------------------

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["1", "2"]
seats = 5
starting_stack = 20000
levels = [
  { minutes = 20, small_blind = 100, big_blind = 200 },
  { minutes = 20, small_blind = 200, big_blind = 400 },
]
"""


@pytest.fixture
def evening(hubs: Callable[..., Hub], wait: Callable[..., Any]) -> Hub:
    """Ten at two tables; the first is out when the hub is left."""
    hub = hubs(TOURNAMENT)
    wait(lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables")

    def play(room: Any, now: float) -> None:
        tournament = room.tournaments["main"]
        for number in range(1, 11):
            tournament.say(ev.Registered(entry=f"e{number}", player=f"p{number}"), "Anne", now, room.utc)
        seats = tuple(
            ev.Seating(f"e{n}", Place("1" if n <= 5 else "2", (n - 1) % 5 + 1)) for n in range(1, 11)
        )
        tournament.say(ev.Drawn(seats=seats), "Anne", now, room.utc)
        tournament.say(ev.Started(), "Anne", now, room.utc)
        tournament.say(ev.Busted(table="1", entries=("e5",)), "Anne", now, room.utc)
        tournament.say(ev.Counted(entry="e1", stack=40000), "Anne", now, room.utc)

    hub.decide(play).result(10)
    return hub


@contextlib.contextmanager
def enter(hub: Hub) -> Iterator[httpx.Client]:
    """A director's phone, let in."""
    link = hub.director_link()
    assert link is not None
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        client.post(link.removeprefix(hub.url), data={"device": "Anne"})
        yield client


@pytest.fixture
def director(evening: Hub) -> Iterator[httpx.Client]:
    with enter(evening) as client:
        yield client


def state(hub: Hub) -> State:
    found: State = hub.decide(lambda room, now: room.tournaments["main"].state).result(10)
    return found


def test_the_sheets_are_a_page_to_print_and_files_that_stand_alone(
    evening: Hub, director: httpx.Client, tmp_path: Path, wait: Callable[..., Any]
) -> None:
    page = director.get("/paper/main").text
    assert page.count('<article class="page">') == 3
    assert "Imprimer 3 feuilles" in page
    english = director.get("/paper/main?lang=en").text
    assert "seat 1" not in english
    for text in ("The room", "Out from here on", "9 players of 10", "Chips in play: 200,000"):
        assert text in english
    folder = tmp_path / "data" / "paper" / "main"
    wait(lambda: "e5" in (folder / ROOM).read_text(encoding="utf-8"), "the last place is on the disk")
    wait(lambda: len(list(folder.iterdir())) == 4, "all sheets")
    whole = (folder / ALL).read_text(encoding="utf-8")
    assert whole.count('<article class="page">') == 3
    table = (folder / "table-1.html").read_text(encoding="utf-8")
    assert "40\u202f000" in table and "Places déjà prises" not in table
    for text in (whole, table):
        assert re.search(r'(src|href)="', text) is None and "@import" not in text and "url(" not in text
    assert director.get("/paper/other").status_code == 404


def test_only_sheets_of_tables_that_changed_are_drawn_again(
    evening: Hub, tmp_path: Path, wait: Callable[..., Any]
) -> None:
    folder = tmp_path / "data" / "paper" / "main"

    def stop(room: Any, now: float) -> None:
        room.tournaments["main"].say(ev.Clocked(act=Paused("director")), "Anne", now, room.utc)

    evening.decide(stop).result(10)  # the hour of the level's end stands still with the clock
    first = folder / "table-1.html"

    def stands() -> bool:
        text = first.read_text(encoding="utf-8") if first.exists() else ""
        return "40\u202f000" in text and "finit à" not in text and (folder / "table-2.html").exists()

    wait(stands, "the clock stands on paper")
    other = (folder / "table-2.html").stat()

    def count(room: Any, now: float) -> None:
        room.tournaments["main"].say(ev.Counted(entry="e2", stack=31000), "Anne", now, room.utc)

    evening.decide(count).result(10)
    wait(lambda: "31\u202f000" in (folder / ALL).read_text(encoding="utf-8"), "the new count")
    assert "31\u202f000" in first.read_text(encoding="utf-8")
    assert (folder / "table-2.html").stat().st_ino == other.st_ino


def test_a_table_that_is_gone_has_no_sheet_any_more(
    evening: Hub, tmp_path: Path, wait: Callable[..., Any]
) -> None:
    folder = tmp_path / "data" / "paper" / "main"
    wait((folder / "table-2.html").exists, "the sheet of the second table")

    def leave(room: Any, now: float) -> None:
        tournament = room.tournaments["main"]
        for number in range(6, 11):
            tournament.say(ev.Busted(table="2", entries=(f"e{number}",)), "Anne", now, room.utc)
        tournament.say(ev.TableClosed(table="2"), "Anne", now, room.utc)

    evening.decide(leave).result(10)
    wait(lambda: not (folder / "table-2.html").exists(), "its sheet is taken away")
    assert (folder / "table-1.html").exists()


ROWS = """
e1 ;   ; 1-1 ; 90 000
e2 ; 3 ;     ;
e3 ;   ; 1-3 ; 60.000
e4 ; 1 ; 1-4 ; 5000
e6 ;   ; 1-5 ; 50000
e7 ; 4 ; 2-2 ; 1000
e8 ; 4 ; 2-3 ; 9000
e9 ; 2 ;     ;
e10 ; 5 ;    ;
= 1 ; 3
"""


def test_the_rest_of_the_evening_is_typed_back_after_the_hub_was_off(
    evening: Hub, hubs: Callable[..., Hub], tmp_path: Path
) -> None:
    evening.close()
    sheet = (tmp_path / "data" / "paper" / "main" / ROOM).read_text(encoding="utf-8")
    assert "e5" in sheet, "what the hub knew at its end is on paper"
    again = hubs(TOURNAMENT)
    with enter(again) as client:
        form = client.get("/paper/main/back").text
        assert 'data-entry="e5"' not in form and 'data-entry="e10"' in form
        wrong = ROWS.replace("50000", "40000").replace("e9 ; 2", "e9 ; 7")
        answer = client.post(
            "/paper/main/back", data={"rows": wrong, "stage": "1", "left": "7:30"}, follow_redirects=False
        )
        assert answer.status_code == 422
        said = answer.text.replace("\u202f", " ").replace("\u00a0", " ")
        assert "190 000 comptés, 200 000 en jeu, il manque 10 000" in said
        assert "le 2 manque, il y a un 3" in said
        assert 'data-part="stack" inputmode="numeric" size="8" value="40000"' in answer.text
        before = state(again)
        assert len(before.groups) == 1, "nothing is half done"

        answer = client.post("/paper/main/back", data={"rows": ROWS, "stage": "1", "left": "7:30"})
        assert answer.status_code == 303
        done = client.get(answer.headers["location"]).text
        assert "sortis 6, déplacés 1" in done
        after = state(again)
        places = client.get("/paper/main").text
        order = re.findall(r"<li><b>(\d+)</b> (e\d+)</li>", places)
        assert order == [
            ("4", "e10"),
            ("5", "e8"),
            ("6", "e7"),
            ("7", "e2"),
            ("8", "e9"),
            ("9", "e4"),
            ("10", "e5"),
        ]
        assert {e: after.entries[e].stack for e in ("e1", "e3", "e6")} == {
            "e1": 90000,
            "e3": 60000,
            "e6": 50000,
        }
        assert after.entries["e6"].place == Place("1", 5)
        assert after.tables["2"].status == "closed" and after.tables["1"].first_button == 3
        assert after.clock.stage == 1 and 440 < after.clock.remaining <= 450
        assert after.discrepancies == {} and after.ledger == ()

        cause = re.search(r'name="cause" value="([^"]+)"', done)
        assert cause is not None
        assert client.post("/paper/main/back/undo", data={"cause": cause[1]}).status_code == 303
        back = state(again)
        assert back.groups == before.groups
        assert {e: h.place for e, h in back.entries.items()} == {
            e: h.place for e, h in before.entries.items()
        }
        assert client.post("/paper/main/back/undo", data={"cause": cause[1]}).status_code == 409
        assert client.post("/paper/main/back/undo", data={"cause": "draw"}).status_code == 409


MISTAKES = [
    ("e1 ; x ; 1-1 ;", "Ligne 1 pas comprise"),
    ("e1 ; 0 ; 1-1 ;", "Ligne 1 pas comprise"),
    ("e1 ; ; 1 ;", "Ligne 1 pas comprise"),
    ("e1 ; ; 1-1 ; -5", "Ligne 1 pas comprise"),
    ("e1 ; ; 1-1 ; 5 ; 6", "Ligne 1 pas comprise"),
    ("= 1 ; x", "Ligne 1 pas comprise"),
    ("\ne77 ; 1", "e77 : pas inscrit"),
    ("e5 ; 1", "e5 : déjà sorti"),
    ("e1 ; ; 1-2 ;", "la place 1-2 est aussi celle de e1"),
    ("<b>x</b> ; 1", "&lt;b&gt;x&lt;/b&gt; : pas inscrit"),
]


def test_one_clear_line_a_mistake(director: httpx.Client) -> None:
    for row, word in MISTAKES:
        answer = director.post("/paper/main/back", data={"rows": row, "stage": "0", "left": ""})
        assert answer.status_code == 422, row
        assert word in answer.text.replace("\u00a0", " "), row
    answer = director.post("/paper/main/back", data={"rows": "", "left": "soon"})
    assert "écrire des minutes" in answer.text


def test_paper_is_the_directors_alone(evening: Hub) -> None:
    for path in ("/paper/main", "/paper/main/back"):
        assert httpx.get(evening.url + path).status_code == 403
    assert httpx.post(evening.url + "/paper/main/back", data={"rows": ""}).status_code == 403


def test_who_is_forgotten_is_on_no_sheet(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    sheets = folder / "paper" / "main"
    sheets.mkdir(parents=True)
    (sheets / ROOM).write_text("<b>Éloïse Testard</b>", encoding="utf-8")
    (sheets / ALL).write_text("<b>Anne</b>", encoding="utf-8")
    store = Store(folder / "hub.sqlite3")
    try:
        person = Person("p-1", "Éloïse Testard")
        with store.transaction():
            save_person(store, person, "2024-05-01T20:00:00Z")
        done = forget(store, person, folder)
    finally:
        store.close()
    assert done.files == (str(sheets / ROOM),)
    assert scan(folder, ["Éloïse Testard"]) == []
    assert (sheets / ALL).exists()
