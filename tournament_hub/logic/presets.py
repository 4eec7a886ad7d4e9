"""What a rulebook decides of the tournament: its ``[tournament]`` part as one typed, frozen preset.

A setting is written like a term: ``balance_mover = { is = "next_big_blind", article = "TDA 11-A" }``. What a book lacks
comes from the book that it extends, in the end from ``standard``. A setting whose name begins with ``offence_`` is a
reason for a penalty: any number of them, each with what usually follows. Reading files is the caller's.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from engine.errors import MalformedRulebook
from engine.rulebook import Rulebook
from engine.seating import Entry

Count = Annotated[int, Meta(ge=0, le=1000)]
"""A small number: levels, minutes, tables, players."""

Mover = Literal["next_big_blind", "least_moved"]
TieRule = Literal["shared", "heads_up"]
AcrossTables = Literal["starting_stack", "tie", "all_share", "tie_outside_bubble"]
ColourUpRule = Literal["race_cards", "three_for_one", "round_half_up", "round_up"]
Step = Literal["warning", "penalty", "long_penalty", "disqualification", "exclusion"]
OFFENCE: Final = "offence_"


class Preset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting of the tournament, complete; ``articles`` says where each is written.

    Numbers are levels, minutes, tables, players or chips as their name says. 0 minutes of absence: no limit.
    """

    # Seats and start
    final_table_seats: Annotated[int, Meta(ge=2, le=10)]
    final_table_odd: bool
    final_table_redraw: bool
    start_players: Annotated[int, Meta(ge=2, le=10)]
    restart_players: Annotated[int, Meta(ge=2, le=10)]
    button_draw: Literal["drawn", "high_card", "first_seat"]
    newcomer_waits: Entry
    # Late entry and absence
    late_levels: Count
    late_stack: Literal["full", "less_passed_blinds", "blinded_off"]
    late_seat: Literal["drawn", "soonest_big_blind"]
    declared_leave: Literal["stack_removed", "blinded_off"]
    absence_minutes: Count
    # Balancing and breaking
    balance_mover: Mover
    balance_seat: Literal["worst_position", "same_position"]
    tolerance: Annotated[int, Meta(ge=1, le=5)]
    tolerance_many_tables: Annotated[int, Meta(ge=1, le=5)]
    many_tables_above: Count
    halt_short: Annotated[int, Meta(ge=2, le=9)]
    halt_short_few_tables: Annotated[int, Meta(ge=2, le=9)]
    few_tables_up_to: Count
    break_order: Literal["posted", "drawn"]
    # Hand for hand
    hand_for_hand_near: Literal["bubble", "bubble_or_final_table"]
    hand_for_hand_minutes_off: Count
    hand_for_hand_all_in: Literal["face_down", "face_up"]
    bubble_share_on_announce: bool
    # Ranking
    tie: TieRule
    tie_across_tables: AcrossTables
    # Chips
    colour_up: ColourUpRule
    colour_up_when: Literal["any", "break"]
    raced_out: Literal["never", "ante_chip"]
    ante_heads_up: bool
    ante_dead_button: Literal["none"]
    ante_short: Literal["all_in", "eliminated"]
    # Time
    hand_begins: Literal["pot_awarded", "first_riffle"]
    # Penalties
    penalty_degree: Literal["light", "normal", "heavy"]
    warnings_before_penalty: Count
    penalty_orbits_min: Annotated[int, Meta(ge=1, le=10)]
    penalty_orbits_max: Annotated[int, Meta(ge=1, le=10)]
    short_penalty: bool
    penalty_redeal: Literal["one_hand", "every_deal"]
    # The room
    same_decks: bool
    money: Literal["off", "on"]
    # Where it is written
    rulebook: str = ""
    articles: dict[str, Article] = {}
    offences: dict[str, Offence] = {}

    def article(self, name: str) -> str:
        """Where a setting is written: ``PPC 8.5``."""
        return self.articles[name].article


class Article(Struct, frozen=True):
    """Where a setting is written; ``own``: by the book itself, not one that it extends."""

    article: str
    own: bool = True
    reading: bool = False
    official: str | None = None


class Offence(Struct, frozen=True):
    """A reason for a penalty: what usually follows the warnings, and where it is written."""

    step: Step
    article: str


class _Written(Struct, frozen=True, forbid_unknown_fields=True):
    is_: str | int | bool = msgspec.field(name="is")
    article: Annotated[str, Meta(min_length=1)]
    reading: bool = False
    official: str | None = None


SETTINGS: Final[dict[str, Any]] = {
    field.name: field.type
    for field in msgspec.structs.fields(Preset)
    if field.name not in ("rulebook", "articles", "offences")
}
"""Every setting's name and form, in the order in which people read them."""


def preset_of(book: Rulebook, where: str = "") -> Preset:
    """Read the tournament part of a complete book.

    Args:
        book: with all that it inherits.
        where: how to call its file in a message; left out: the book's id.

    Raises:
        MalformedRulebook: a setting that does not exist, a value that it cannot have, a missing article: one line
            with file, line and the nearest name; or a setting that no book of the line has.
    """
    name = where or book.id
    own = _own_settings(book.text)
    values: dict[str, Any] = {}
    articles: dict[str, Article] = {}
    offences: dict[str, Offence] = {}
    for key, raw in book.tournament.items():
        place = f"{name}:{_line_of(book.text, key)}" if key in own else f"{name} (extended book)"
        written = _written(key, raw, place)
        if key.startswith(OFFENCE):
            offences[key.removeprefix(OFFENCE)] = Offence(
                _value(key, written.is_, Step, place), written.article
            )
        elif key in SETTINGS:
            values[key] = _value(key, written.is_, SETTINGS[key], place)
            articles[key] = Article(written.article, key in own, written.reading, written.official)
        else:
            raise MalformedRulebook(
                f"no such tournament setting: {key}", where=place, hint=_nearest(key, SETTINGS)
            )
    missing = [key for key in SETTINGS if key not in values]
    if missing:
        raise MalformedRulebook(
            f"the tournament part lacks {missing[0]}",
            where=name,
            hint="extend standard, or write it",
        )
    preset = Preset(**values, rulebook=book.id, articles=articles, offences=offences)
    if preset.penalty_orbits_min > preset.penalty_orbits_max:
        key = "penalty_orbits_min"
        raise MalformedRulebook(
            f"{key} is above penalty_orbits_max",
            where=f"{name}:{_line_of(book.text, key)}",
            hint="exchange them",
        )
    return preset


def different(one: Preset, two: Preset) -> list[str]:
    """Name the settings that two presets decide differently, articles apart."""
    return [name for name in SETTINGS if getattr(one, name) != getattr(two, name)]


def different_offences(one: Preset, two: Preset) -> list[str]:
    """Name the reasons for a penalty that only one has, or that lead to another step."""
    names = [*one.offences, *(name for name in two.offences if name not in one.offences)]
    steps = [
        [preset.offences[n].step if n in preset.offences else None for n in names] for preset in (one, two)
    ]
    return [name for name, left, right in zip(names, *steps, strict=True) if left != right]


def _own_settings(text: str) -> frozenset[str]:
    part = tomllib.loads(text).get("tournament", {})
    return frozenset(part) if isinstance(part, dict) else frozenset()


def _written(key: str, raw: Any, place: str) -> _Written:
    try:
        return msgspec.convert(raw, _Written)
    except msgspec.ValidationError as error:
        what = str(error).partition(" - at `$")[0]
        raise MalformedRulebook(
            f"{key}: {what}", where=place, hint='write { is = …, article = "…" }'
        ) from None


def _value(key: str, value: object, form: Any, place: str) -> Any:
    try:
        return msgspec.convert(value, form, strict=True)
    except msgspec.ValidationError as error:
        words = getattr(form, "__args__", ())
        if words and all(isinstance(word, str) for word in words):
            hint = _nearest(str(value), words) if isinstance(value, str) else ""
            raise MalformedRulebook(
                f"{key} is {value!r}, not one of {', '.join(words)}", where=place, hint=hint
            ) from None
        raise MalformedRulebook(f"{key} is {value!r}: {error}", where=place) from None


def _nearest(word: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else "see docs/tournament-records.md for the names"


def _line_of(text: str, key: str) -> int:
    """The line on which a key of ``[tournament]`` stands; that of the heading when it is not found."""
    heading = re.search(r"^\[tournament(\.[^\]]*)?\]", text, re.MULTILINE)
    start = heading.start() if heading else 0
    name = rf'"?{re.escape(key)}"?'
    pattern = rf"^[ \t]*{name}\s*[=.]|^\[tournament\.{name}\]|^[ \t]*tournament\.{name}"
    found = re.compile(pattern, re.MULTILINE).search(text, start)
    return text.count("\n", 0, found.start() if found else start) + 1
