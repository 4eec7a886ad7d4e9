"""Lists of players from files, as clubs have them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tournament_hub.logic.lists import imported, read_list, table_id
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import Place

FRENCH = "\ufeffPrénom;Nom;Table;Siège;Tapis\r\nAnne;Durand;Table 2;7;20 000\r\n;Bob;1;3;\r\n;;;;\r\n"
ENGLISH = 'Player Name,Table,Seat\n"Smith, Jo",1,1\n"Lee",1,2\n'


def test_french_list_with_seats() -> None:
    anne, bob = read_list(FRENCH)
    assert (anne.name, anne.place, anne.stack) == ("Anne Durand", Place("t2", 7), 20000)
    assert (bob.name, bob.place, bob.stack, bob.line) == ("Bob", Place("t1", 3), None, 3)


def test_english_list_with_quoted_names_and_a_list_without_seats() -> None:
    assert [(row.name, row.entry) for row in read_list(ENGLISH)] == [("Smith, Jo", "e1"), ("Lee", "e2")]
    assert [row.place for row in read_list("Joueur\nA\nB\n")] == [None, None]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", "", "empty"),
        ("a,b\n1,2\n", ":1", "no column"),
        ("Name,Table,Seat\nA,1,x\n", ":2", "no number"),
        ("Name,Table,Seat\nA,1,11\n", ":2", "no seat 11"),
        ("Name,Table,Seat\nA,1,2\nB,1,2\n", ":3", "line 2 already"),
        ("Id,Name\n7,A\n7,B\n", ":3", "e7 stands on line 2"),
    ],
)
def test_faults_of_a_list_name_their_line(text: str, line: str, what: str) -> None:
    with pytest.raises(Refused, match=what) as refused:
        read_list(text, "list.csv")
    assert refused.value.where == f"list.csv{line}"


def test_imported_list_is_a_seated_tournament_without_devices(halls: Callable) -> None:
    hall = halls()
    hall.say(*imported(hall.state, read_list(FRENCH)))
    assert {name: entry.place for name, entry in hall.state.entries.items()} == {
        "e1": Place("t2", 7),
        "e2": Place("t1", 3),
    }
    assert not hall.state.tables["t2"].device and hall.state.entries["e1"].stack == 20000


def test_table_names() -> None:
    assert [table_id(name) for name in ("12", "Table 03", "Feature")] == ["t12", "t3", "feature"]
