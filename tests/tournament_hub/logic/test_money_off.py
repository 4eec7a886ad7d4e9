"""With money off, as every book is shipped, a whole tournament and season are told without a word of it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from maldonne import preset_table
from table_controller.rulebook_files import available, load_book
from tests.tournament_hub.money_words import MONEY
from tournament_hub.logic import colour_up, payouts, season
from tournament_hub.logic.events import (
    Event,
    HandEnded,
    PenaltySet,
    Record,
    Registered,
)
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.ranking import Bust, Group, added, places
from webkit.language import LANGUAGES

BOOKS = {name: load_book(name) for name in available()}
PRESETS = {name: preset_of(book) for name, book in BOOKS.items()}
LOTS = {1: "Coupe", 2: "Panier garni", 3: "Livre"}


def told(preset: Preset, outs: list[tuple[int, int]], chips: list[int]) -> str:
    """Everything that a room says, logs or exports of a tournament that went so."""
    groups: tuple[Group, ...] = ()
    log: list[Event] = [
        Registered(entry=f"e{number}", player=f"p{number}") for number in range(len(outs) + 1)
    ]
    for number, (key, stack) in enumerate(outs):
        groups = added(groups, f"g{key}", [Bust(f"e{number}", "t1", stack)])
        log.append(HandEnded(table="t1", hand=number, busts={f"e{number}": stack}))
    entries = [f"e{number}" for number in range(len(outs) + 1)]
    found = places(entries, groups, preset, over=True)
    results = tuple(season.Result("T1", place.entry, place.place) for place in found)
    rules = season.load_rules("name='Saison'\nattendance=1\n[points]\nformula='entries - place'\n")
    standings = season.standings(rules, results)
    stacks = [
        colour_up.Stack(seat, f"e{seat}", 500 + 25 * count, count) for seat, count in enumerate(chips, 1)
    ]
    rule = msgspec.structs.replace(preset, colour_up="round_up")
    log.append(PenaltySet(entry="e0", hands=9, offence="open_muck", article="ROPTA 9.22"))
    said: list[Any] = [
        found,
        payouts.lots(LOTS, found),
        payouts.message(preset, "EUR", 100_00, (100_00,), ()),
        standings,
        colour_up.colour_up(rule, "t1", 25, 100, stacks),
        [Record(n=n, at=0.0, event=event) for n, event in enumerate(log, 1)],
    ]
    return "\n".join(
        [
            *(msgspec.json.encode(part).decode() for part in said),
            season.write_results(results),
            season.write_standings(standings),
        ]
    )


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(PRESETS)),
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), max_size=9),
    st.lists(st.integers(0, 9), min_size=1, max_size=10),
)
def test_no_word_of_money_appears_anywhere(name: str, outs: list[tuple[int, int]], chips: list[int]) -> None:
    text = told(PRESETS[name], outs, chips)
    assert "Coupe" in text or not outs
    assert not MONEY.search(text.replace("_", " ")), MONEY.search(text.replace("_", " "))


def test_the_same_with_money_on_does_have_them() -> None:
    """The test above can fail."""
    on = msgspec.structs.replace(PRESETS["ropta"], money="on")
    text = msgspec.json.encode(payouts.message(on, "EUR", 100_00, (100_00,), ())).decode()
    assert '"pool":10000' in text and '"amount":10000' in text


def test_a_books_settings_name_money_once_to_say_that_it_is_off() -> None:
    for book in BOOKS.values():
        for language in LANGUAGES:
            lines = list(preset_table.settings(book, language, inherited="", reading=""))
            speaking = [line for line in lines if MONEY.search(line)]
            assert len(speaking) == 1 and re.search(
                r"(Argent : sans|Money : none) \(STD money\)", speaking[0]
            )


def test_columns_of_exports_have_no_word_of_money() -> None:
    rules = season.load_rules("name='S'\n[points]\ntable=[1]\n")
    standings = season.standings(rules, (season.Result("T", "a", 1),))
    for text in (season.write_results(()), season.write_standings(standings)):
        head = next(csv.reader(io.StringIO(text)))
        assert not any(MONEY.search(name.replace("_", " ")) for name in head)


def test_programs_of_the_room_do_not_write_such_a_word_into_a_text_themselves() -> None:
    """What is shown comes from the catalogues; templates and page programs hold no words of their own."""
    folder = Path(payouts.__file__).resolve().parents[1] / "web"
    checked = 0
    for file in [*folder.rglob("*.html"), *folder.rglob("*.js")]:
        if "htmx" in file.name:
            continue
        checked += 1
        # Comments are for programmers; what is between tags or in quotes is shown.
        text = re.sub(
            r"\{#.*?#\}|/\*.*?\*/|//[^\n]*|\$\{|\$\(", "", file.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        found = [word for word in MONEY.findall(text) if word != "$"]
        assert not found, (file.name, found)
    assert checked
