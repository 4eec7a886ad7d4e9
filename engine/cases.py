"""Which cases of an incident a rulebook tells apart: the values a fact may have, the rows that can answer.

The rows of a book are data, so everything that may come of an incident can be worked out in
advance: for the referee's questions, for the comparison of two books, for the check of a club's
file. Facts that depend on each other (a raise came between, the price is unchanged) are kept together.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from engine.facts import FACTS, holds
from engine.rulebook import Facts, Row, Rulebook

Value = bool | int | str
Span = tuple[int, int | None]

# Nothing that is counted at a table is less than nothing.
_LEAST: Final = 0
# "Nobody knows who" is no answer of a person that was there; a row may name it all the same.
_NOT_OFFERED: Final = {"by": ("unknown",)}

# If the first fact has this value (or a number from, to), the second has one of these.
_IMPLIED: Final[tuple[tuple[str, Value | Span, str, tuple[Value, ...]], ...]] = (
    ("acted_count", (3, None), "sa_since", (True,)),
    ("acted_count", (0, 0), "acted_since", (False,)),
    ("raised_between", True, "unchanged", (False,)),
    ("raised_between", False, "unchanged", (True,)),
    ("barred", True, "his_turn", (True,)),
    ("sa_since", True, "acted_since", (True,)),
    ("sa_since", True, "sa", (True,)),
    ("acted_since", True, "acted", (True,)),
    ("sa", True, "acted", (True,)),
    ("in_deal", True, "sa", (False,)),
    ("in_deal", True, "street", ("preflop",)),
    ("flop_turned", False, "street", ("preflop", "flop")),
    ("street", "preflop", "flop_turned", (False,)),
    ("opening", True, "facing_bet", (False,)),
    ("reaches_minimum", True, "half", (True,)),
    ("button_short", True, "short", (True,)),
    ("button_short", True, "on_button", (True,)),
    ("said", "nothing", "word", ("none",)),
    ("word", "none", "said", ("nothing",)),
)


# What the name of an incident says already: the values that a fact can have in it.
_IN_INCIDENT: Final[dict[str, dict[str, tuple[Value, ...]]]] = {
    "error_after_limit": {"sa": (True,)},
    "card_dropped_by_dealer": {"by": ("dealer",)},
    "card_dropped_by_player": {"by": ("player",)},
    "no_burn": {"street": ("flop", "turn", "river")},
    "double_burn": {"street": ("flop", "turn", "river")},
    "word_against_chips": {
        "word": ("before", "with", "after"),
        "said": ("check", "call", "bet", "raise", "all_in", "pot"),
    },
    "oversized_chip": {"said": ("nothing",)},
    "several_chips": {"said": ("nothing",)},
    "below_minimum_raise": {"said": ("nothing",)},
}


class Option(Struct, frozen=True):
    """One answer to a question of fact: all values between which the book makes no difference.

    ``values`` holds the words or flags that it covers, ``spans`` the numbers (from, to; no end =
    and more). ``value`` stands for them all.
    """

    value: Value
    values: tuple[bool | str, ...] = ()
    spans: tuple[Span, ...] = ()

    def covers(self, value: Value) -> bool:
        """Tell whether a value belongs to this answer."""
        if self.values:
            return any(type(own) is type(value) and own == value for own in self.values)
        return type(value) is int and any(
            low <= value and (high is None or value <= high) for low, high in self.spans
        )


def options(incident: str, fact: str, rows: Iterable[Row], known: Facts) -> tuple[Option, ...]:
    """Give the answers to a fact that these rows tell apart, as far as incident and facts allow them.

    Words that a row names come first, in the order of the rows.
    """
    conditions = [row.when[fact] for row in rows if fact in row.when]
    kind = FACTS[fact][0]
    if kind == "number":
        return _number_options(conditions)
    words: tuple[bool | str, ...] = (True, False) if isinstance(kind, str) else kind
    words = tuple(word for word in words if word in _IN_INCIDENT.get(incident, {}).get(fact, words))
    left = _NOT_OFFERED.get(fact, ())
    groups: dict[tuple[bool, ...], list[bool | str]] = {}
    for word in words:
        signature = tuple(holds(condition, word) for condition in conditions)
        if (word in left and not any(signature)) or not _allowed(fact, word, known):
            continue
        groups.setdefault(signature, []).append(word)
    ordered = sorted(groups, key=_first_true)
    if kind == "flag":
        ordered = sorted(groups, key=lambda signature: groups[signature] != [True])
    return tuple(Option(groups[signature][0], values=tuple(groups[signature])) for signature in ordered)


def _number_options(conditions: list[Any]) -> tuple[Option, ...]:
    bounds = {_LEAST}
    for condition in conditions:
        if isinstance(condition, dict):
            bounds |= {condition["min"]} if "min" in condition else set()
            bounds |= {condition["max"] + 1} if "max" in condition else set()
        else:
            for number in condition if isinstance(condition, (list, tuple)) else [condition]:
                bounds |= {number, number + 1}
    starts = sorted(bound for bound in bounds if bound >= _LEAST)
    groups: dict[tuple[bool, ...], list[Span]] = {}
    for place, low in enumerate(starts):
        high = starts[place + 1] - 1 if place + 1 < len(starts) else None
        signature = tuple(holds(condition, low) for condition in conditions)
        groups.setdefault(signature, []).append((low, high))
    ordered = sorted(groups, key=_first_true)
    # A number that no row names stands for its group best when it is next to one that is named.
    return tuple(Option(groups[signature][-1][0], spans=_joined(groups[signature])) for signature in ordered)


def _first_true(signature: tuple[bool, ...]) -> int:
    return signature.index(True) if True in signature else len(signature)


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Write neighbouring spans as one."""
    joined: list[Span] = []
    for low, high in spans:
        if joined and joined[-1][1] is not None and joined[-1][1] + 1 == low:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)


def _allowed(fact: str, value: Value, known: Facts) -> bool:
    """Whether a fact may have this value next to those that are known."""
    for first, is_, second, may_be in _IMPLIED:
        if (
            fact == first
            and _has(value, is_)
            and known.get(second) is not None
            and known[second] not in may_be
        ):
            return False
        if fact == second and value not in may_be and _has(known.get(first), is_):
            return False
    return True


def _has(value: Value | None, wanted: Value | Span) -> bool:
    if not isinstance(wanted, tuple):
        return value == wanted and type(value) is type(wanted)
    low, high = wanted
    return type(value) is int and low <= value and (high is None or value <= high)


def within_limit(book: Rulebook, incident: str) -> tuple[Row, ...]:
    """Give the rows for an incident as they come to be used: before a misdeal stands the book's limit.

    What makes a misdeal is played on once the hand is under way; the engine asks the book's rows for
    ``error_after_limit`` before it voids a deal, and so does everybody who looks a case up.
    """
    rows: list[Row] = []
    for row in book.candidates(incident):
        if "misdeal" in row.ruling:
            for limit in book.candidates("error_after_limit"):
                if all(row.when.get(fact, value) == value for fact, value in limit.when.items()):
                    when = {**row.when, **limit.when}
                    rows.append(msgspec.structs.replace(limit, incident=incident, when=when))
        rows.append(row)
    return tuple(rows)


def _open(rows: Iterable[Row], floor: Row, known: Facts) -> tuple[Row, ...]:
    """The rows that the facts do not exclude, down to the first that holds for certain, else the floor's call."""
    left: list[Row] = []
    for row in rows:
        missing = row.unknown(known)
        if missing is False:
            continue
        left.append(row)
        if missing is None:
            return tuple(left)
    return (*left, floor)


class Cases:
    """Everything that one book can say of one incident, worked out from its rows once.

    A fact's values are taken together where the rows make no difference between them, so there
    are few cases; their number is bounded by the facts that the rows name.
    """

    def __init__(self, book: Rulebook, incident: str, *, limit: bool = False) -> None:
        """Look at ``incident`` under ``book``; with ``limit`` as it is used, the limit of misdeals included."""
        self.book = book
        self.incident = incident
        self.rows = within_limit(book, incident) if limit else book.candidates(incident)
        self._outcomes: dict[tuple[tuple[str, Value], ...], tuple[Row, ...]] = {}

    def open(self, known: Facts) -> tuple[Row, ...]:
        """Give the rows that these facts do not exclude, the floor's call last where none holds for certain."""
        return _open(self.rows, self.book.floor, known)

    def complete(self, known: Facts) -> dict[str, Value | None]:
        """Add the facts that follow from those that are known."""
        facts: dict[str, Value | None] = dict(known)
        found = True
        while found:
            found = False
            rows = self.open(facts)
            for fact in _unknown(rows, facts):
                choices = options(self.incident, fact, rows, facts)
                if len(choices) == 1:
                    facts[fact] = choices[0].value
                    found = True
                    break
        return facts

    def outcomes(self, known: Facts) -> tuple[Row, ...]:
        """Give the rows that can still be the answer, in the book's order (the floor's call last)."""
        facts = self.complete(known)
        key = _key(facts)
        if key not in self._outcomes:
            rows = self.open(facts)
            unknown = _unknown(rows, facts)
            if not unknown:
                self._outcomes[key] = rows[:1]
            else:
                fact = unknown[0]
                found: list[Row] = []
                for option in options(self.incident, fact, rows, facts):
                    found += self.outcomes({**facts, fact: option.value})
                self._outcomes[key] = tuple(row for row in rows if any(row is other for other in found))
        return self._outcomes[key]

    def unknown(self, known: Facts) -> tuple[str, ...]:
        """Name the facts that rows still wait for, the earlier row's first."""
        facts = self.complete(known)
        return _unknown(self.open(facts), facts)

    def options(self, fact: str, known: Facts) -> tuple[Option, ...]:
        """Give the answers to ``fact`` that make a difference now."""
        facts = self.complete(known)
        return options(self.incident, fact, self.open(facts), facts)


def _unknown(rows: Iterable[Row], known: Facts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in row.when if known.get(name) is None))


def _key(facts: Mapping[str, Value | None]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted((name, value) for name, value in facts.items() if value is not None))


def answer(row: Row) -> tuple[object, ...]:
    """Give what a row answers: two rows with the same answer need no question between them."""
    return (
        row.ruling,
        row.do,
        row.read_as,
        row.penalty,
        row.article,
        row.rulebook,
        row.official,
        row.reading,
    )


def effective(book: Rulebook, incident: str) -> tuple[Row, ...]:
    """Give the rows of an incident that can ever answer, in the book's order."""
    return tuple(row for row in Cases(book, incident).outcomes({}) if row is not book.floor)


def never_used(book: Rulebook) -> Iterator[Row]:
    """Give the book's own rows that can never answer, because earlier rows always do."""
    for incident, rows in book.rows.items():
        used = effective(book, incident)
        yield from (
            row for row in rows if row.rulebook == book.id and not any(row is other for other in used)
        )


def same_answers(one: Rulebook, two: Rulebook, incident: str) -> bool:
    """Tell whether two books answer an incident alike in every case, whatever article they cite."""
    return _alike((Cases(one, incident), Cases(two, incident)), {})


def _alike(books: tuple[Cases, Cases], facts: dict[str, Value]) -> bool:
    rows = [book.open(facts) for book in books]
    unknown = _unknown([row for own in rows for row in own], facts)
    if not unknown:
        first, second = rows[0][0], rows[1][0]
        return (sorted(first.ruling), first.do, first.read_as, first.penalty) == (
            sorted(second.ruling),
            second.do,
            second.read_as,
            second.penalty,
        )
    fact = unknown[0]
    choices = options(books[0].incident, fact, [row for own in rows for row in own], facts)
    return all(_alike(books, {**facts, fact: option.value}) for option in choices)
