"""Rulebooks: what a club's book answers to each incident, as data with citations.

A rulebook is a TOML text. ``load`` reads and checks it; reading files is the caller's. Rows are
tried in the order in which they stand, the book's own before those that it inherits; the first
whose conditions all hold is the answer. A book that says nothing calls the floor.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from engine import facts as fact_set
from engine.errors import MalformedRulebook
from engine.readings import READINGS
from engine.rulings import INCIDENTS, RULINGS

Facts = Mapping[str, bool | int | str | None]

# Settings of a book that are no incident: name -> the words allowed, or int for a number.
TERMS: Final[dict[str, tuple[str, ...] | type[int]]] = {
    "substantial_action": ("two_with_chips_or_three", "three_acted"),
    "absent_from": ("first_card", "last_card"),
    "reopening": ("single_full_raise", "adds_up"),
    "minimum_raise": ("last_raise", "double"),
    "short_open_price": ("posted", "big_blind"),
    "showdown_order": ("last_aggressor", "left_of_button"),
    "odd_chip": ("left_of_button",),
    "short_big_blind_price": ("full", "posted"),
    "big_blind_ante_first": ("blind", "ante"),
    "raise_word_means": ("total",),
    "clock_grace_seconds": int,
    "clock_seconds": int,
    "clock_countdown_seconds": int,
    "raise_cap": int,
    "announce_winner": ("never", "tabled"),
}


class Term(Struct, frozen=True):
    """One setting of the book with the article that it rests on."""

    value: str | int
    article: str
    rulebook: str


class Row(Struct, frozen=True):
    """One answer: an incident under conditions, the rulings, the steps of the cure, the article.

    ``do`` names cure steps (``engine.cures``) in the order of the book; ``read_as`` is how a
    betting act counts; ``rulebook`` is the book that wrote the row, ``line`` where.
    """

    incident: str
    ruling: tuple[str, ...]
    article: str
    rulebook: str
    when: dict[str, Any] = {}
    do: tuple[str, ...] = ()
    read_as: str | None = None
    penalty: str | None = None
    official: str | None = None
    reading: bool = False
    line: int = 0

    def unknown(self, known: Facts) -> str | Literal[False] | None:
        """Compare the conditions with what is known.

        Returns:
            None when every condition holds, False when one does not, else the name of the
            first fact that is unknown while nothing speaks against the row.
        """
        missing: str | None = None
        for name, condition in self.when.items():
            value = known.get(name)
            if value is None:
                missing = missing or name
            elif not fact_set.holds(condition, value):
                return False
        return missing


class _RowText(Struct, frozen=True, forbid_unknown_fields=True):
    incident: str | list[str]
    ruling: str | list[str]
    article: str
    when: dict[str, Any] = {}
    do: list[str] = []
    read_as: str | None = None
    penalty: str | None = None
    official: str | None = None
    reading: bool = False


class _TermText(Struct, frozen=True, forbid_unknown_fields=True):
    is_: str | int = msgspec.field(name="is")
    article: str


class _FloorText(Struct, frozen=True, forbid_unknown_fields=True):
    article: str


class _BookText(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    version: str
    date: str
    source: str
    extends: str | None = None
    inherit: list[str] | None = None
    floor: _FloorText | None = None
    terms: dict[str, _TermText] = {}
    hand: list[_RowText] = []
    tournament: dict[str, Any] = {}


class Rulebook(Struct, frozen=True):
    """A club's book, complete: its own rows first, then those that it inherits."""

    id: str
    name: str
    version: str
    date: str
    source: str
    lineage: tuple[str, ...]
    floor: Row
    terms: dict[str, Term]
    rows: dict[str, tuple[Row, ...]]
    tournament: dict[str, Any]
    text: str
    others: tuple["Rulebook", ...] = ()

    def candidates(self, incident: str) -> tuple[Row, ...]:
        """Give the rows for an incident in the order in which they are tried."""
        return self.rows.get(incident, ())

    def find(self, incident: str, known: Facts) -> "Row | Unknown":
        """Give the row that answers, the fact to ask first, or the call of the floor.

        Returns:
            A row (``floor`` when the book is silent), or ``Unknown`` naming the fact that must
            be asked before this book can answer.
        """
        for row in self.rows.get(incident, ()):
            missing = row.unknown(known)
            if missing is None:
                return row
            if missing is not False and fact_set.may_be_asked(missing):
                return Unknown(missing)
        return self.floor

    def term(self, name: str) -> str | int | None:
        """Give a setting's value, None when no book of the line has it."""
        found = self.terms.get(name)
        return found.value if found else None


class Unknown(Struct, frozen=True):
    """The book needs a fact that nobody recorded."""

    fact: str


def _nearest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else "see docs/rulebooks.md for the names"


def _line_of(text: str, pattern: str, number: int = 0) -> int:
    """Give the line on which the ``number``-th match of ``pattern`` stands (1 when absent)."""
    for index, match in enumerate(re.finditer(pattern, text, re.MULTILINE)):
        if index == number:
            return text.count("\n", 0, match.start()) + 1
    return 1


def _line_in_row(text: str, start: int, word: str) -> int:
    """Give the line of a row (beginning on line ``start``) that has ``word`` in it."""
    lines = text.split("\n")
    for number in range(start, len(lines)):
        if re.match(r"\s*\[", lines[number]) and number > start:
            break
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", lines[number].partition("#")[0]):
            return number + 1
    return start


def load(
    text: str,
    name: str,
    *,
    parent: Callable[[str], Rulebook] | None = None,
    steps: frozenset[str] | None = None,
) -> Rulebook:
    """Read a rulebook and everything that it inherits.

    Args:
        text: the TOML text.
        name: the file's name, for messages.
        parent: gives the rulebook that ``extends`` names.
        steps: the cure steps that the engine knows; checked when given.

    Raises:
        MalformedRulebook: naming file, line, and the nearest name that exists.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        told = re.search(r"\(at line (\d+)", str(error))
        what = "tables are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise MalformedRulebook(what, where=f"{name}:{told.group(1) if told else 1}") from None
    try:
        book = msgspec.convert(data, _BookText)
    except msgspec.ValidationError as error:
        found = re.search(r"\$\.hand\[(\d+)\]", str(error))
        line = _line_of(text, r"^\[\[hand\]\]", int(found.group(1))) if found else 1
        raise MalformedRulebook(str(error), where=f"{name}:{line}") from None
    base: Rulebook | None = None
    if book.extends is not None:
        if parent is None:
            raise MalformedRulebook(f"extends {book.extends}, which was not given", where=name)
        base = parent(book.extends)
    rows = _own_rows(book, text, name, steps)
    terms = _own_terms(book, text, name)
    if base is not None:
        unknown = [n for n in book.inherit or () if n not in INCIDENTS]
        if unknown:
            line = _line_of(text, r"^inherit\b")
            raise MalformedRulebook(
                f"inherit names no incident: {unknown[0]}",
                where=f"{name}:{line}",
                hint=_nearest(unknown[0], INCIDENTS),
            )
        for incident, inherited in base.rows.items():
            if book.inherit is None or incident in book.inherit:
                own = rows.get(incident, [])
                taken = [row.when for row in own]
                rows[incident] = own + [row for row in inherited if row.when not in taken]
        terms = {**base.terms, **terms}
    if book.floor is not None:
        floor = Row("*", ("call_floor",), book.floor.article, book.id, line=_line_of(text, r"^\[floor\]"))
    elif base is not None:
        floor = base.floor
    else:
        raise MalformedRulebook(
            "no [floor] article: a book that extends nothing says who decides", where=f"{name}:1"
        )
    return Rulebook(
        id=book.id,
        name=book.name,
        version=book.version,
        date=book.date,
        source=book.source,
        lineage=(book.id, *(base.lineage if base else ())),
        floor=floor,
        terms=terms,
        rows={incident: tuple(found) for incident, found in rows.items()},
        tournament={**(base.tournament if base else {}), **book.tournament},
        text=text,
    )


def _own_rows(book: _BookText, text: str, name: str, steps: frozenset[str] | None) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for number, written in enumerate(book.hand):
        line = _line_of(text, r"^\[\[hand\]\]", number)
        where = f"{name}:{line}"
        incidents = [written.incident] if isinstance(written.incident, str) else written.incident
        rulings = [written.ruling] if isinstance(written.ruling, str) else written.ruling
        for kind, names, known in (
            ("incident", incidents, INCIDENTS),
            ("ruling", rulings, RULINGS),
            ("fact", list(written.when), frozenset(fact_set.FACTS)),
            ("step", written.do, steps),
            ("reading", [] if written.read_as is None else [written.read_as], frozenset(READINGS)),
        ):
            for given in names:
                if known is not None and given not in known:
                    raise MalformedRulebook(
                        f"no such {kind}: {given}",
                        where=f"{name}:{_line_in_row(text, line, given)}",
                        hint=_nearest(given, known),
                    )
        for fact, value in written.when.items():
            problem = fact_set.check(fact, value)
            if problem:
                raise MalformedRulebook(
                    f"when.{fact}: {problem}", where=f"{name}:{_line_in_row(text, line, fact)}"
                )
        if not rulings or not incidents:
            raise MalformedRulebook("a row needs an incident and a ruling", where=where)
        if written.read_as is not None and written.read_as not in READINGS:
            raise MalformedRulebook(
                f"no such reading: {written.read_as}", where=where, hint=_nearest(written.read_as, READINGS)
            )
        if not written.article.strip():
            raise MalformedRulebook(
                "article is empty: every row cites its source",
                where=f"{name}:{_line_in_row(text, line, 'article')}",
            )
        for incident in incidents:
            rows.setdefault(incident, []).append(
                Row(
                    incident=incident,
                    ruling=tuple(rulings),
                    article=written.article,
                    rulebook=book.id,
                    when=dict(written.when),
                    do=tuple(written.do),
                    read_as=written.read_as,
                    penalty=written.penalty,
                    official=written.official,
                    reading=written.reading,
                    line=line,
                )
            )
    return rows


def _own_terms(book: _BookText, text: str, name: str) -> dict[str, Term]:
    terms: dict[str, Term] = {}
    for key, written in book.terms.items():
        line = _line_of(text, rf"^{re.escape(key)}\b")
        where = f"{name}:{line}"
        allowed = TERMS.get(key)
        if allowed is None:
            raise MalformedRulebook(f"no such term: {key}", where=where, hint=_nearest(key, TERMS))
        if isinstance(allowed, tuple):
            if written.is_ not in allowed:
                raise MalformedRulebook(
                    f"{key} is {written.is_!r}, not one of {', '.join(allowed)}", where=where
                )
        elif type(written.is_) is not int or written.is_ < 0:
            raise MalformedRulebook(f"{key} takes a whole number, not {written.is_!r}", where=where)
        terms[key] = Term(written.is_, written.article, book.id)
    return terms
