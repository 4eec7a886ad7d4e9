"""Lists at the door: whatever a spreadsheet writes is read, a bad line is named, and nothing is ever half done."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from html import unescape

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.lists import table_id
from tournament_hub.logic.state import Place
from tournament_hub.store_people import Person, people, save_person
from tournament_hub.web.sign_in_acts import folded
from tournament_hub.web.sign_in_lists import decoded, read, written
from webkit.guard import MAX_UPLOAD

TOURNAMENT = """
[tournament.main]
title = "Vendredi"
without_device = ["t1", "t2"]
starting_stack = 20000
[tournament.side]
title = "Sit & Go"
without_device = ["t3"]
"""
AT = "/sign-in/main/lists"


@pytest.fixture
def evening(hubs: Callable, wait: Callable) -> Hub:
    """A room with two tables and two people on the club's list."""
    hub = hubs(TOURNAMENT)
    wait(
        lambda: (shown := hub.floor.tournament("main")) and len(shown.state.tables) == 2, "tables are set up"
    )

    def enlist(room: object, now: float) -> None:
        save_person(room.store, Person("p-1", "Léa Martin", number="7"), room.utc)  # type: ignore[attr-defined]
        save_person(room.store, Person("p-2", "Paul Durand"), room.utc)  # type: ignore[attr-defined]

    hub.decide(enlist).result(10)
    return hub


@pytest.fixture
def director(evening: Hub) -> Iterator[httpx.Client]:
    link = evening.director_link()
    assert link is not None
    with httpx.Client(base_url=evening.url, timeout=15) as client:
        client.post(link.removeprefix(evening.url), data={"device": "Anne"})
        yield client


def give(client: httpx.Client, content: bytes | str, how: str, at: str = AT) -> tuple[int, str]:
    """Take a list in; status and what a person reads."""
    data = content if isinstance(content, bytes) else content.encode()
    answer = client.post(at, data={"how": how}, files={"file": ("list.csv", data, "text/csv")})
    text = unescape(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])).replace("\u00a0", " ")
    return answer.status_code, re.sub(r"\s+", " ", text)


def picture(hub: Hub) -> dict[str, tuple[str, Place | None, bool]]:
    """Name → where, place, absent."""
    names = {p.person: p.name for p in hub.decide(lambda room, now: people(room.store)).result(10)}
    shown = hub.floor.tournament("main")
    assert shown is not None
    return {names[e.player]: (e.where, e.place, e.absent) for e in shown.state.entries.values()}


def log_length(hub: Hub) -> int:
    return int(hub.decide(lambda room, now: len(room.tournaments["main"].log)).result(10))


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_list_is_read_however_a_spreadsheet_wrote_it(separator: str, encoding: str, ending: str) -> None:
    rows = [
        ["Nom", "Numéro", "Table", "Siège", "Tapis"],
        ["Zoé Núñez", "12", "Table 2", "3", "20 000"],
        ["Élodie", "", "", "", ""],
    ]
    text = ending.join(separator.join(row) for row in rows) + ending
    lines, faults = read(decoded(text.encode(encoding)))
    assert faults == ()
    assert [(r.line, r.name, r.number, r.table, r.seat, r.stack) for r in lines] == [
        (2, "Zoé Núñez", "12", "Table 2", 3, 20000),
        (3, "Élodie", "", "", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("First Name,Last Name\nAnne,Able\n", ["Anne Able"]),
        ("Prénom;Nom\nAnne;Able\n", ["Anne Able"]),
        ("Nickname,First Name,Last Name,Table,Seat\nAce,Anne,Able,1,2\nKing,,,1,3\n", ["Anne Able", "King"]),
        ('"Player Name","Table No."\n"Able, Anne",\n', ["Able, Anne"]),
        ("Name\n\n  \nAnne\n'-Bob\n", ["Anne", "-Bob"]),
    ],
)
def test_names_in_one_column_or_two(text: str, names: list[str]) -> None:
    lines, faults = read(text)
    assert faults == () and [row.name for row in lines] == names


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Table,Seat", '"Table 2","Seat 5"'),
        ("Table,Siège", "2,siège 5"),
        ("Location", '"Table 2, Seat 5"'),
        ("Seat", "2-5"),
        ("Table/Seat", "T2 S5"),
    ],
)
def test_a_place_is_read_as_other_programs_write_it(heading: str, cells: str) -> None:
    lines, faults = read(f"Player Name,{heading}\nAnne Able,{cells}\n")
    assert faults == () and [(table_id(row.table), row.seat) for row in lines] == [("t2", 5)]


def test_every_bad_line_is_named_at_once() -> None:
    text = (
        "Nom;Table;Siège;Tapis;Numéro\n"
        "Anne;1;1;;\n"
        ";1;2;;\n"  # 3
        "Bob;1;onze;;\n"  # 4
        "Cora;1;11;;\n"  # 5
        "Dan;1;;;\n"  # 6
        "Eve;;3;;\n"  # 7
        "Fay;1;4;beaucoup;\n"  # 8
        "anne;1;5;;\n"  # 9
        "Gil;Table 1;1;;\n"  # 10
        "Hal;;;;5\n"
        "Ida;;;;5\n"  # 12
    )
    _, faults = read(text)
    assert sorted((fault.line, fault.name) for fault in faults) == [
        (3, "no_name"),
        (4, "seat"),
        (5, "seat_range"),
        (6, "half_place"),
        (7, "half_place"),
        (8, "stack"),
        (9, "name_twice"),
        (10, "seat_twice"),
        (12, "number_twice"),
    ]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"Nom\n", "empty"),
        (b"Couleur;Taille\nrouge;3\n", "heading"),
        (b"Nom\n" + b"A\n" * 2001, "too_many"),
        (b'Nom\n"' + b"x" * 200_000 + b'"\n', "not_csv"),
    ],
)
def test_a_file_that_is_no_list_says_so(data: bytes, fault: str) -> None:
    assert [found.name for found in read(decoded(data))[1]][:1] == [fault]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_file_gives_lines_or_faults_and_never_anything_else(data: bytes) -> None:
    lines, faults = read(decoded(data))
    assert lines or faults
    for row in lines:
        assert row.name == row.name.strip() and row.seat in (None, *range(1, 11))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_what_is_written_is_read_as_it_was_and_no_cell_is_a_formula(cells: list[str]) -> None:
    clean = [cell.replace("\r", " ").replace("\n", " ").replace("\0", " ") for cell in cells]
    text = written(["a"] * len(clean), [clean], ";")
    (_, row) = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";")
    assert [cell[1:] if cell[:2] in ("'=", "'+", "'-", "'@") else cell for cell in row] == clean
    assert not any(cell[:1] in ("=", "+", "-", "@") for cell in row)


def test_the_clubs_list_is_taken_in_and_a_second_time_changes_nothing(
    director: httpx.Client, evening: Hub
) -> None:
    text = "Nom;Numéro\nlea martin;7\nPaul Durand;8\nZoé;9\n"
    assert "3 personnes lues, 1 nouvelle(s)" in give(director, text, "people")[1]
    assert "3 personnes lues, 0 nouvelle(s)" in give(director, text, "people")[1]
    held = evening.decide(lambda room, now: people(room.store)).result(10)
    assert [(p.name, p.number) for p in held] == [("Léa Martin", "7"), ("Paul Durand", "8"), ("Zoé", "9")]
    assert picture(evening) == {}


def test_a_draw_made_elsewhere_is_taken_in_and_taken_back_in_one_tap(
    director: httpx.Client, evening: Hub
) -> None:
    text = "First Name,Last Name,Table,Seat,Chips\nLéa,Martin,1,2,20000\nPaul,Durand,Table 1,5,20000\nZoé,Neuve,4,9,15000\n"
    status, said = give(director, text, "arrived")
    assert status == 200 and "3 personnes lues et arrivées, 1 nouvelle(s), 3 place(s) donnée(s)" in said
    assert picture(evening) == {
        "Léa Martin": ("seated", Place("t1", 2), False),
        "Paul Durand": ("seated", Place("t1", 5), False),
        "Zoé Neuve": ("seated", Place("t4", 9), False),
    }
    state = evening.floor.tournament("main").state  # type: ignore[union-attr]
    assert not state.tables["t4"].device and state.issued == 55000
    page = director.get("/sign-in/main").text
    assert "Liste\u00a0: 3 inscrits" in page
    cause = re.search(r'name="cause" value="([^"]+)"', page)
    assert cause is not None
    answer = director.post("/sign-in/main/act", data={"do": "undo", "cause": cause[1]})
    assert "Annulé" in answer.text and picture(evening) == {}


def test_one_bad_line_and_nothing_of_the_list_is_done(director: httpx.Client, evening: Hub) -> None:
    before = log_length(evening)
    text = "Nom;Table;Siège\nNeuve Zoé;1;2\nPaul Durand;1;douze\nAutre;2;3\n"
    status, said = give(director, text, "arrived")
    assert status == 409 and "1 ligne à corriger : rien n'a été pris" in said
    assert "Ligne 3 : Paul Durand : le siège « douze » n'est pas un nombre. Écrivez de 1 à 10." in said
    english = director.post(
        AT + "?lang=en", data={"how": "arrived"}, files={"file": ("l.csv", text.encode(), "text/csv")}
    )
    assert "1 line to correct: nothing was taken." in english.text
    assert picture(evening) == {} and log_length(evening) == before
    assert len(evening.decide(lambda room, now: people(room.store)).result(10)) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nom;Numéro\nPaul Durand;7\n", "le numéro 7 est celui de Léa Martin"),
        ("Nom;Table;Siège\nPaul Durand;1;1\n", "table 1, siège 1 est occupé"),
        ("Nom;Table;Siège\nPaul Durand;2;10\n", "la table 2 n'a que 9 sièges"),
        ("Nom;Table;Siège\nLéa Martin;2;4\n", "Léa Martin est déjà assis ailleurs"),
        ("Nom;Table;Siège\nPaul Durand;3;1\n", "la table 3 joue autre chose"),
        ("Nom\nBob\n", "2 personnes du club s'appellent Bob : ajoutez le numéro"),
    ],
)
def test_what_does_not_fit_the_evening_is_said_line_by_line(
    director: httpx.Client, evening: Hub, text: str, said: str
) -> None:
    def sit(room: object, now: float) -> None:
        tournament = room.tournaments["main"]  # type: ignore[attr-defined]
        tournament.say(ev.Registered(entry="e1", player="p-1"), "Anne", now, "")
        tournament.say(ev.Drawn(seats=(ev.Seating("e1", Place("t1", 1)),)), "Anne", now, "")
        for person in ("p-8", "p-9"):
            save_person(room.store, Person(person, "Bob"), room.utc)  # type: ignore[attr-defined]

    evening.decide(sit).result(10)
    before = log_length(evening)
    status, page = give(director, text, "expected")
    assert status == 409 and f"Ligne 2 : {said}" in page.replace("Paul Durand : ", "").replace("Bob : 2", "2")
    assert log_length(evening) == before


def test_after_the_start_lists_only_add_people(director: httpx.Client, evening: Hub) -> None:
    give(director, "Nom;Table;Siège\nA A;1;1\nB B;1;2\nC C;1;3\n", "arrived")
    director.post("/sign-in/main/draw", data={"do": "start"})
    status, said = give(director, "Nom\nTard Venu\n", "arrived")
    assert status == 409 and "inscrivez les retardataires à l'accueil" in said
    assert "1 personne lue, 1 nouvelle(s)" in give(director, "Nom\nTard Venu\n", "people")[1]
    assert len(picture(evening)) == 3


def test_entries_come_out_as_a_list_that_goes_in_again(director: httpx.Client, evening: Hub) -> None:
    give(director, "Nom;Numéro;Table;Siège\nLéa Martin;7;1;2\n=Zoé;9;2;1\nDanger;;2;2\n", "arrived")
    for language, separator, head in (
        ("fr", ";", "Nom;Numéro;État;Table;Siège;Tapis;Rang"),
        ("en", ",", "Name,Number,State,Table,Seat,Stack,Rank"),
    ):
        answer = director.get(f"/sign-in/main/entries.csv?lang={language}")
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.content.startswith(b"\xef\xbb\xbf")
        text = answer.content.decode("utf-8-sig")
        assert text.splitlines()[0] == head
        lines, faults = read(decoded(answer.content))
        assert faults == () and {(r.name, r.number, r.table, r.seat) for r in lines} == {
            ("Léa Martin", "7", "t1", 2),
            ("=Zoé", "9", "t2", 1),
            ("Danger", "", "t2", 2),
        }
        assert f"'=Zoé{separator}9" in text
    club = director.get("/sign-in/main/people.csv?lang=fr").content.decode("utf-8-sig")
    assert club.splitlines()[0] == "Nom;Numéro;À jour;Majeur" and len(club.splitlines()) == 5


def test_no_file_a_strange_form_and_a_file_too_long_are_refused(director: httpx.Client) -> None:
    assert give(director, b"", "people")[0] == 409
    assert give(director, b"Nom\nA\n", "guests")[0] == 400
    assert director.post(AT, data={"how": "people"}).status_code == 415
    broken = {"content-type": "multipart/form-data; boundary=x"}
    assert director.post(AT, content=b"no form at all", headers=broken).status_code in (400, 409)
    assert give(director, b"x" * (MAX_UPLOAD + 1), "people")[0] == 413


def test_names_are_compared_without_accents_and_capitals() -> None:
    assert folded("ZOÉ  d'Almeida-Nuñez") == folded("zoe d almeida nunez")
    assert folded("Jean (2)") != folded("Jean")
