"""The season's page: out of the hub's own record and results from elsewhere, by the club's rules or the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tournament_hub.money_words import MONEY
from tournament_hub.config import SeasonSetting, parse_config
from tournament_hub.hub import Hub
from tournament_hub.logic import events as ev
from tournament_hub.logic.season import read_results
from tournament_hub.logic.state import Place
from tournament_hub.store_people import Person, save_person
from tournament_hub.web.season_results import Evening, results_of, season_name, sports_year

EVENINGS = """
[tournament.friday]
title = "Vendredi"
without_device = ["t1"]
[tournament.sunday]
title = "Sit & Go"
without_device = ["t2"]
"""
NAMES = {"p-1": "Léa", "p-2": "Paul", "p-3": "Zoé"}
RULES = """
name = "Saison 2026"
best = 1
attendance = 2
qualify = 2
[points]
table = [10, 6, 4]
[kinds."Sit & Go"]
table = [5, 3, 1]
[teams]
Rouge = ["Léa", "Paul"]
"""


def play(hub: Hub, tournament: str, table: str, out: list[str], utc: str, *, over: bool = True) -> None:
    """A whole evening: these go out in this order, the last one wins."""

    def evening(room: Any, now: float) -> None:
        directing = room.tournaments[tournament]
        for person, name in NAMES.items():
            save_person(room.store, Person(person, name), utc)
        for seat, person in enumerate(out, 1):
            directing.say(ev.Registered(entry=f"e{seat}", player=person), "Anne", now, utc)
        seats = tuple(ev.Seating(f"e{seat}", Place(table, seat)) for seat in range(1, len(out) + 1))
        directing.say(ev.Drawn(seats=seats), "Anne", now, utc)
        directing.say(ev.Started(), "Anne", now, utc)
        for seat in range(1, len(out)):
            directing.say(ev.Busted(table=table, entries=(f"e{seat}",)), "Anne", now, utc)
        if over:
            directing.say(ev.Finished(), "Anne", now, utc)

    hub.decide(evening).result(10)


@pytest.fixture
def season(hubs: Callable, wait: Callable, tmp_path: Path) -> Callable[[str], Hub]:
    """A room whose season has these settings."""

    def make(setting: str = "") -> Hub:
        (tmp_path / "season.toml").write_text(RULES, encoding="utf-8")
        (tmp_path / "earlier.csv").write_text(
            "date,event,player,place,entries\n2026-01-09,Janvier,Zoé,1,3\n2026-01-09,Janvier,Léa,2,3\n",
            encoding="utf-8",
        )
        hub = hubs(EVENINGS + setting)
        wait(
            lambda: all((s := hub.floor.tournament(t)) and s.state.tables for t in ("friday", "sunday")),
            "tables are set up",
        )
        return hub

    return make


WITH_RULES = '[season]\nrules = "season.toml"\nresults = ["earlier.csv"]\n'


def rows(hub: Hub) -> list[list[str]]:
    text = httpx.get(hub.url + "/season/standings.csv").content.decode("utf-8-sig")
    return [line.split(",") for line in text.splitlines()]


def test_a_season_without_rules_counts_who_was_left_behind(season: Callable) -> None:
    hub = season()
    assert "est encore terminé" in httpx.get(hub.url + "/season").text
    play(hub, "friday", "t1", ["p-3", "p-2", "p-1"], "2026-05-01T20:00:00Z")
    page = httpx.get(hub.url + "/season").text
    assert "Barème simple" in page and "2026-05-01 · Vendredi · 3 inscrits" in page
    assert [row[:4] for row in rows(hub)[1:]] == [
        ["1", "Léa", "", "3"],
        ["2", "Paul", "", "2"],
        ["3", "Zoé", "", "1"],
    ]


def test_best_results_attendance_teams_and_results_from_elsewhere(season: Callable) -> None:
    hub = season(WITH_RULES)
    play(hub, "friday", "t1", ["p-3", "p-2", "p-1"], "2026-05-01T20:00:00Z")
    play(hub, "sunday", "t2", ["p-1", "p-2", "p-3"], "2026-05-03T20:00:00Z")
    found = {row[1]: (row[0], float(row[3])) for row in rows(hub)[1:]}
    # Léa: 10, 6 and 1, the best counts, three times 2; Zoé: 10, 4, 5, two wins; Paul: 6 and 3, twice 2.
    assert found == {"Léa": ("2", 16.0), "Zoé": ("1", 16.0), "Paul": ("3", 10.0)}
    page = httpx.get(hub.url + "/season").text
    for text in (
        "Saison 2026",
        "Le meilleur résultat compte",
        "2 par participation",
        "Classé dès 2 participations",
        "Équipes",
    ):
        assert text in page, text
    assert "<td><b>26</b></td>" in page  # Rouge: Léa and Paul
    english = httpx.get(hub.url + "/season?lang=en").text
    assert "The best result counts." in english and "Standings (CSV)" in english
    results = read_results(httpx.get(hub.url + "/season/results.csv").content.decode("utf-8-sig"))
    assert len(results) == 8 and {r.event for r in results} == {"Janvier", "Vendredi", "Sit & Go"}
    for text in (page, english):
        assert not MONEY.search(text)


def test_what_is_not_over_does_not_count_and_an_end_taken_back_is_gone_again(season: Callable) -> None:
    hub = season()
    play(hub, "friday", "t1", ["p-3", "p-2", "p-1"], "2026-05-01T20:00:00Z", over=False)
    assert len(rows(hub)) == 1

    def end(room: Any, now: float) -> int:
        return int(room.tournaments["friday"].say(ev.Finished(), "Anne", now, room.utc).n)

    number = hub.decide(end).result(10)
    assert len(rows(hub)) == 4
    hub.decide(lambda room, now: room.tournaments["friday"].undo(number, "Anne", now, room.utc)).result(10)
    assert len(rows(hub)) == 1


def test_names_are_the_clubs_and_who_is_forgotten_is_a_pseudonym(season: Callable) -> None:
    hub = season()
    play(hub, "friday", "t1", ["p-3", "p-2", "p-1"], "2026-05-01T20:00:00Z")
    hub.decide(
        lambda room, now: room.store.database.execute("DELETE FROM people WHERE person = 'p-1'").rowcount
    ).result(10)
    assert [row[1] for row in rows(hub)[1:]] == ["p-1", "Paul", "Zoé"]


def test_rules_that_cannot_be_used_are_said_with_their_line(season: Callable, tmp_path: Path) -> None:
    hub = season(WITH_RULES)
    (tmp_path / "season.toml").write_text("name = 'S'\n[points]\nformula = 'place +'\n", encoding="utf-8")
    page = httpx.get(hub.url + "/season").text
    assert "season.toml:3" in page and "ne se calcule pas" in page
    (tmp_path / "season.toml").unlink()
    assert "season.toml" in httpx.get(hub.url + "/season").text
    assert httpx.get(hub.url + "/season/standings.csv").status_code == 409


def test_evenings_outside_the_season_do_not_count_and_equal_names_are_told_apart() -> None:
    evenings = [
        Evening("a", "2026-08-31", "Vendredi", 2, 9, {"p-1": 1, "p-2": 2}),
        Evening("b", "2026-09-04", "Vendredi", 2, 9, {"p-1": 1, "p-2": 2}),
        Evening("c", "2026-09-04", "Vendredi", 2, 6, {"p-1": 2, "p-2": 1}),
        Evening("d", "2027-09-01", "Vendredi", 2, 9, {"p-1": 1, "p-2": 2}),
    ]
    found = results_of(evenings, {"p-1": "Léa"}, SeasonSetting(since="2026-09-01", until="2027-08-31"))
    assert [(r.event, r.player, r.place, r.table_size) for r in found] == [
        ("Vendredi (b)", "Léa", 1, 9),
        ("Vendredi (b)", "p-2", 2, 9),
        ("Vendredi (c)", "p-2", 1, 6),
        ("Vendredi (c)", "Léa", 2, 6),
    ]


def test_the_season_has_its_rules_name_else_the_sports_year(tmp_path: Path) -> None:
    assert (sports_year("2026-08-31"), sports_year("2026-09-01")) == ("2025-2026", "2026-2027")
    assert season_name(SeasonSetting(), "2026-10-02") == "2026-2027"
    (tmp_path / "season.toml").write_text(RULES, encoding="utf-8")
    config = parse_config('[season]\nrules = "season.toml"\n', "hub.toml", tmp_path)
    assert season_name(config.season, "2026-10-02") == "Saison 2026"
    (tmp_path / "season.toml").unlink()
    assert season_name(config.season, "2026-10-02") == "2026-2027"
