"""Five questions to a club that starts the hub for the first time, and the ``hub.toml`` that its answers make.

The questions: the club's name, how many tables, seats at each, starting stack and length of a level, the rulebook. Every
one has a default that works. Pure: whoever asks, a terminal or a page, shows the texts and hands in what was typed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from table_controller.rulebook_files import hand_books

Field = Literal["name", "tables", "seats", "pace", "rulebook"]
FIELDS: Final[tuple[Field, ...]] = ("name", "tables", "seats", "pace", "rulebook")
MOST_TABLES: Final = 200
MOST_LEVELS: Final = 30
BREAK_EVERY: Final = 4
BREAK_MINUTES: Final = 10
BIG_BLINDS: Final = 100
"""Starting stack in big blinds of the first level, about."""
END_BIG_BLINDS: Final = 20
"""The evening ends about where all chips are so many big blinds: levels go two beyond it."""
_STEPS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 60, 80, 120, 160, 240, 320, 400, 600, 800, 1200, 1600)
"""Small blinds of the levels, in first small blinds; after these every one is half as much again."""
_NICE: Final = (1, 2, 5, 10, 25, 50, 100, 200, 500)


class Answers(Struct, frozen=True, kw_only=True):
    """What a club says of itself. ``stack`` chips to begin with, ``minutes`` a level."""

    name: str = "Club de poker"
    tables: int = 2
    seats: int = 9
    stack: int = 20000
    minutes: int = 20
    rulebook: str = "standard"
    language: Literal["fr", "en"] = "fr"

    def shown(self, field: Field) -> str:
        """An answer as a person would type it."""
        return f"{self.stack} / {self.minutes}" if field == "pace" else str(getattr(self, field))


class NotAnAnswer(Exception):
    """What was typed is no answer; ``code`` is a slug of ``setup.wrong.…``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def defaults(language: Literal["fr", "en"]) -> Answers:
    """Sensible answers for a first evening."""
    return Answers(language=language, name="Club de poker" if language == "fr" else "Poker club")


def answered(answers: Answers, field: Field, typed: str) -> Answers:
    """The answers with one more; nothing typed leaves what was there.

    Raises:
        NotAnAnswer: it cannot be used.
    """
    text = " ".join(typed.split())
    if not text:
        return answers
    match field:
        case "name":
            if len(text) > 60 or not text.isprintable():
                raise NotAnAnswer("name")
            return replace(answers, name=text)
        case "tables":
            return replace(answers, tables=_whole(text, 1, MOST_TABLES, "tables"))
        case "seats":
            return replace(answers, seats=_whole(text, 2, 10, "seats"))
        case "pace":
            stack, slash, minutes = text.partition("/")
            found = _whole(stack, 20, 10**9, "pace")
            return replace(
                answers,
                stack=found,
                minutes=_whole(minutes, 1, 600, "pace") if slash else answers.minutes,
            )
        case "rulebook":
            books = [book.id for book in hand_books()]
            if text.isdigit() and 1 <= int(text) <= len(books):
                return replace(answers, rulebook=books[int(text) - 1])
            if text.casefold() not in books:
                raise NotAnAnswer("rulebook")
            return replace(answers, rulebook=text.casefold())


def _whole(text: str, least: int, most: int, code: str) -> int:
    digits = re.sub(r"[\s.,'\u00a0\u202f]", "", text)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 12 and least <= int(digits) <= most):
        raise NotAnAnswer(code)
    return int(digits)


def all_answered(typed: Mapping[str, str], start: Answers) -> tuple[Answers, dict[Field, str]]:
    """All five at once, as a form sends them: the answers, and what is wrong with each that cannot be used."""
    wrong: dict[Field, str] = {}
    answers = start
    for field in FIELDS:
        try:
            answers = answered(answers, field, typed.get(field, ""))
        except NotAnAnswer as error:
            wrong[field] = error.code
    return answers, wrong


# -- the levels ------------------------------------------------------------------------


def first_small_blind(stack: int) -> int:
    """A small blind that a club has chips for, about a two hundredth of the stack.

    >>> first_small_blind(20000), first_small_blind(10000), first_small_blind(1500), first_small_blind(30)
    (100, 50, 5, 1)
    """
    wanted = max(1, stack // (2 * BIG_BLINDS))
    ten = 1
    while ten * 1000 <= wanted:
        ten *= 1000
    return max(ten * step for step in _NICE if ten * step <= wanted)


def small_blinds(answers: Answers) -> list[int]:
    """The small blind of each level, until all chips in play are a few big blinds, and two levels more."""
    first = first_small_blind(answers.stack)
    chips = answers.stack * answers.tables * answers.seats
    found: list[int] = []
    beyond = 0
    while len(found) < MOST_LEVELS and beyond <= 2:
        place = len(found)
        step = _STEPS[place] if place < len(_STEPS) else _round(found[-1] / first * 1.5)
        found.append(first * step)
        beyond += chips <= END_BIG_BLINDS * 2 * found[-1]
    return found


def _round(number: float) -> int:
    """Two digits are enough for a blind."""
    ten: int = 10 ** max(0, len(str(int(number))) - 2)
    return round(number / ten) * ten


# -- the file ---------------------------------------------------------------------------


def club_id(name: str) -> str:
    """The club's name in topics.

    >>> club_id("Poker Club de l'Étang"), club_id("東京")
    ('poker-club-de-l-etang', 'club')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:32].strip("-") or "club"


def config_text(answers: Answers, *, seed: int, port: int | None = None) -> str:
    """The ``hub.toml`` of a club.

    Args:
        answers: what it said.
        seed: of every draw.
        port: of the pages; None: the usual one.
    """
    french = answers.language == "fr"
    title = "Tournoi" if french else "Tournament"
    rows = [
        "# Écrit au premier démarrage ; à changer librement."
        if french
        else "# Written at the first start; change it as you like.",
        "[club]",
        f"id = {_text(club_id(answers.name))}",
        f"name = {_text(answers.name)}",
        'data = "."',
        f"language = {_text(answers.language)}",
        "",
    ]
    if port is not None:
        rows += ["[web]", f"port = {port}", ""]
    rows += [
        "[game]",
        f"rulebook = {_text(answers.rulebook)}",
        "",
        "[tournament.main]",
        f"title = {_text(title)}",
        f"rulebook = {_text(answers.rulebook)}",
        f"without_device = [{', '.join(_text(str(n)) for n in range(1, answers.tables + 1))}]",
        f"seats = {answers.seats}",
        f"starting_stack = {answers.stack}",
        f"seed = {seed}",
        "levels = [",
    ]
    for count, small in enumerate(small_blinds(answers), 1):
        rows.append(f"  {{ minutes = {answers.minutes}, small_blind = {small}, big_blind = {2 * small} }},")
        if count % BREAK_EVERY == 0:
            rows.append(f"  {{ minutes = {BREAK_MINUTES} }},")
    return "\n".join([*rows, "]", ""])


def _text(value: Any) -> str:
    """A TOML string; JSON's escapes are TOML's too, but for the one character that TOML wants escaped."""
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
