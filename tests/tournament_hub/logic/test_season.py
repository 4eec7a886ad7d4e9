"""Seasons: points by table or formula, best n, attendance, ties, Sit & Gos, teams, CSV; and a formula that cannot do harm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament_hub.logic.formula import LARGEST, Formula, FormulaError
from tournament_hub.logic.season import (
    NAMES,
    Result,
    Season,
    SeasonError,
    load_rules,
    read_results,
    standings,
    write_results,
    write_standings,
)

TABLE = "name = 'Saison'\n[points]\ntable = [100, 60, 40]\nbeyond = 5\n"


def season(
    rules: str, *rows: str, head: str = "date,event,player,place,entries,table_size,knockouts,team"
) -> Season:
    return standings(load_rules(rules), read_results("\n".join([head, *rows])))


def totals(found: Season) -> dict[str, float]:
    return {row.player: row.total for row in found.players}


# -- points ------------------------------------------------------------------------------


def test_points_of_a_table_and_of_places_beyond_it() -> None:
    found = season(TABLE, *(f",T1,p{n},{n}" for n in range(1, 6)))
    assert totals(found) == {"p1": 100, "p2": 60, "p3": 40, "p4": 5, "p5": 5}


def test_a_tie_has_the_mean_of_its_places() -> None:
    found = season(TABLE, ",T1,a,1", ",T1,b,2", ",T1,c,2", ",T1,d,4")
    assert totals(found) == {"a": 100, "b": 50, "c": 50, "d": 5}


def test_points_of_a_formula() -> None:
    rules = "name='S'\ndecimals=1\n[points]\nformula='10 * sqrt(entries / place) + 2 * knockouts'\n"
    found = season(rules, ",T1,a,1,16,,3", ",T1,b,4,16,,0")
    assert totals(found) == {"a": 46.0, "b": 20.0}


def test_entries_are_the_rows_when_the_file_does_not_say() -> None:
    found = season("name='S'\n[points]\nformula='entries - place'\n", ",T1,a,1", ",T1,b,2", ",T1,c,3")
    assert totals(found) == {"a": 2, "b": 1, "c": 0}


def test_only_the_best_results_count_and_attendance_is_beside_them() -> None:
    rules = "best=2\nattendance=3\n" + TABLE
    found = season(rules, ",T1,a,3", ",T2,a,1", ",T3,a,2")
    (row,) = found.players
    assert (row.total, row.attendance, row.played, row.counted) == (100 + 60 + 9, 9, 3, 2)
    assert [(scored.result.event, scored.counts) for scored in row.results] == [
        ("T1", False),
        ("T2", True),
        ("T3", True),
    ]


def test_who_has_played_too_little_is_not_ranked() -> None:
    found = season("qualify=2\n" + TABLE, ",T1,a,1", ",T1,b,2", ",T2,b,3", head="date,event,player,place")
    assert [(row.player, row.rank) for row in found.players] == [("b", 1), ("a", None)]


def test_equal_totals_go_by_wins_then_best_place_then_share_the_rank() -> None:
    rules = "name='S'\n[points]\ntable=[10,5,5]\n"
    found = season(
        rules,
        ",T1,a,1",
        ",T1,b,2",
        ",T1,c,3",
        ",T2,b,2",
        ",T2,c,3",
        ",T3,b,4",
        ",T3,d,2",
        ",T4,d,2",
        head="date,event,player,place",
    )
    assert [(row.player, row.total, row.rank) for row in found.players] == [
        ("a", 10, 1),
        ("b", 10, 2),
        ("d", 10, 2),
        ("c", 10, 4),
    ]


# -- Sit & Go, teams ------------------------------------------------------------------------

SIT_AND_GO = """
name = "Sit & Go"
team_best = 2
[points]
table = [10, 6, 4]
[points.scale]
"6" = 0.5
"9" = 1.0
[kinds."Finale"]
table = [50, 30]
[teams]
Rouge = ["a", "b", "c"]
Bleu = ["d"]
"""


def test_several_sit_and_gos_are_scaled_by_table_size_and_a_final_has_points_of_its_own() -> None:
    found = season(
        SIT_AND_GO,
        ",SNG 1,a,1,,9",
        ",SNG 1,b,2,,9",
        ",SNG 2,a,1,,6",
        ",SNG 2,d,2,,6",
        ",SNG 3,c,3,,10",
        ",SNG 3,x,1,,10",
        ",Finale de mai,a,2,,9",
        ",Finale de mai,d,1,,9",
    )
    assert totals(found) == {"a": 10 + 5 + 30, "b": 6, "c": 4, "d": 3 + 50, "x": 10}


def test_team_totals_are_those_of_their_best_members() -> None:
    found = season(SIT_AND_GO, ",S,a,1,,9", ",S,b,2,,9", ",S,c,3,,9", ",T,d,1,,9", ",T,e,2,,9,,Vert")
    assert [(team.team, team.rank, team.total, team.counted) for team in found.teams] == [
        ("Rouge", 1, 16, 2),
        ("Bleu", 2, 10, 1),
        ("Vert", 3, 6, 1),
    ]
    assert found.teams[0].members == ("a", "b", "c")


# -- CSV -------------------------------------------------------------------------------------


def test_results_go_out_as_they_came_in() -> None:
    results = (
        Result("T1", "Élodie, dite « Z »", 1, "2026-05-01", 20, 9, 3, "Rouge"),
        Result("T1", "b", 2, "2026-05-01"),
    )
    again = read_results(write_results(results))
    assert [(r.event, r.player, r.place, r.date, r.entries, r.team) for r in again] == [
        (r.event, r.player, r.place, r.date, r.entries, r.team) for r in results
    ]


@pytest.mark.parametrize(
    "text", ["\ufeffevent;player;place\nT1;a;1\n", "Event\tPlayer\tPlace\tother\nT1\ta\t1\tx\n\n"]
)
def test_what_spreadsheets_write_is_read(text: str) -> None:
    assert read_results(text) == (Result("T1", "a", 1, line=2),)


def test_standings_as_csv() -> None:
    text = write_standings(season("best=1\nattendance=0.5\ndecimals=1\n" + TABLE, ",T1,a,1", ",T1,=b,2"))
    assert text.splitlines() == [
        "rank,player,team,total,attendance,played,counted,wins,best_place",
        "1,a,,100.5,0.5,1,1,1,1",
        "2,'=b,,60.5,0.5,1,1,0,2",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "r.csv:1: it is empty"),
        ("event,player\nT1,a\n", "r.csv:1: no column place"),
        ("event,player,place,place\n", "r.csv:1: two columns place"),
        ("event,player,place\nT1,a,1\nT1,b,x\n", "r.csv:3: place is 'x'"),
        ("event,player,place\nT1,a,0\n", "r.csv:2: place is '0'"),
        ("event,player,place\n,a,1\n", "r.csv:2: no event"),
        ("event,player,place\nT1,,1\n", "r.csv:2: no player"),
        ("event,player,place\nT1,a,1\n\nT1,a,2\n", "r.csv:4: a stands twice in T1, also on line 2"),
        ("date,event,player,place\n1/5/26,T1,a,1\n", "r.csv:2: date is '1/5/26'"),
        ("event,player,place,entries\nT1,a,1,-3\n", "r.csv:2: entries is '-3'"),
    ],
)
def test_a_wrong_file_is_answered_with_its_line(text: str, told: str) -> None:
    with pytest.raises(SeasonError) as error:
        read_results(text, "r.csv")
    assert str(error.value).startswith(told)


def test_a_place_beyond_the_entries_is_refused() -> None:
    with pytest.raises(SeasonError, match="line 2: a: place 5 of 3 in T1"):
        season(TABLE, ",T1,a,5,3")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = \n", "s.toml:1: not TOML"),
        ("name='S'\n", "s.toml:1: points: Object missing required field `points`"),
        ("name='S'\n\nbets=3\n[points]\ntable=[1]\n", "s.toml:3: bets: Object contains unknown field `bets`"),
        ("name='S'\nbest=-1\n[points]\ntable=[1]\n", "s.toml:2: best: Expected `int` >= 0"),
        ("name='S'\n[points]\n", "s.toml:2: points: either a table or a formula"),
        ("name='S'\n[points]\ntable=[1]\n[kinds.\"SNG\"]\nbeyond=1\n", 's.toml:4: kinds."SNG": either'),
        ("name='S'\n[points]\nformula='place +'\n", "s.toml:3: syntax: a number or a name is missing"),
        (
            "name='S'\n[points]\ntable=[1]\n[points.scale]\nsix=2\n",
            "s.toml:5: points.scale: 'six' is no number",
        ),
    ],
)
def test_wrong_settings_are_answered_with_their_line(text: str, told: str) -> None:
    with pytest.raises((SeasonError, FormulaError)) as error:
        load_rules(text, "s.toml")
    assert str(error.value).startswith(told)


# -- the formula -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-2 ** 2", -4),
        ("2 ** 3 ** 2", 512),
        ("2 ** -1", 0.5),
        ("7 // 2 + 7 % 4", 6),
        ("10 - 4 - 3", 3),
        ("place < 3", 1),
        ("if(place <= 3, 100 - 20 * place, 1 / 0)", 60),
        ("max(1, min(place, 9), 0.5)", 2),
        ("round(2.345, 2)", 2.35),
        ("sqrt(entries) + ln(1) + log10(100) + abs(-1) + ceil(0.1) + floor(0.9)", 9),
    ],
)
def test_a_formula_has_its_value(text: str, value: float) -> None:
    assert Formula(text, NAMES).value({"place": 2, "entries": 25, "table_size": 9, "knockouts": 0}) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "syntax"),
        ("1 +", "syntax"),
        ("(1", "syntax"),
        ("1 2", "syntax"),
        ("1 = 2", "syntax"),
        ("place.real", "syntax"),
        ("'a'", "syntax"),
        ("max(,1)", "syntax"),
        ("__import__", "unknown-name"),
        ("rank", "unknown-name"),
        ("eval(1)", "unknown-name"),
        ("sqrt()", "syntax"),
        ("sqrt(1, 2)", "arguments"),
        ("if(1, 2)", "arguments"),
        ("+".join("1" for _ in range(200)), "too-long"),
        ("(" * 40 + "1" + ")" * 40, "too-deep"),
        ("-" * 40 + "1", "too-deep"),
    ],
)
def test_what_is_no_formula_is_refused_when_read(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as error:
        Formula(text, NAMES, "s.toml:3")
    assert error.value.reason == reason and error.value.where == "s.toml:3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / (place - 1)", "division-by-zero"),
        ("1 % 0", "division-by-zero"),
        ("0 ** -1", "division-by-zero"),
        ("sqrt(0 - place)", "domain"),
        ("ln(0)", "domain"),
        ("(0 - 8) ** 0.5", "domain"),
        ("10 ** 300", "overflow"),
        ("9 ** 9 ** 9", "overflow"),
        ("999999999 * 999999999", "overflow"),
    ],
)
def test_a_formula_without_a_value_says_why(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as error:
        Formula(text, NAMES).value(dict.fromkeys(NAMES, 1))
    assert error.value.reason == reason


PIECES = st.sampled_from(
    [
        *"()+-*/%,<>",
        "**",
        "//",
        "<=",
        "1",
        "0.5",
        "9e9",
        "place",
        "entries",
        "sqrt",
        "max",
        "if",
        "round",
        " ",
    ]
)


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=40)),
    st.tuples(*[st.integers(0, 10**6)] * 4),
)
def test_every_text_is_refused_or_has_a_value_or_a_named_error(text: str, values: tuple[int, ...]) -> None:
    try:
        found = Formula(text, NAMES).value(dict(zip(NAMES, values, strict=True)))
    except FormulaError as error:
        assert error.reason and error.what.startswith(error.reason)
    else:
        assert -LARGEST <= found <= LARGEST


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=9), min_size=1, max_size=5),
    st.integers(0, 3),
)
def test_a_tie_gives_away_what_its_places_hold(events: list[list[int]], best: int) -> None:
    """However places are shared, the points of an event are those of its places."""
    rows: list[Any] = []
    for number, keys in enumerate(events):
        for player, key in enumerate(keys):
            rows.append(Result(f"T{number}", f"p{player}", 1 + sum(other < key for other in keys)))
    rules = load_rules(
        f"name='S'\nbest={best}\ndecimals=4\n[points]\ntable=[840,420,280,210,168,140,120,105,93]\n"
    )
    found = standings(rules, rows)
    given_away: dict[str, float] = {}
    for row in found.players:
        for scored in row.results:
            given_away[scored.result.event] = given_away.get(scored.result.event, 0) + scored.points
    for number, keys in enumerate(events):
        assert given_away[f"T{number}"] == pytest.approx(sum(rules.points.table[: len(keys)]), abs=0.01)
    ranks = [row.rank for row in found.players]
    assert ranks == sorted(rank for rank in ranks if rank is not None)
