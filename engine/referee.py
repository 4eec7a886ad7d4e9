"""The pocket referee: what happened, a few questions, what the book says.

Needs no hand and no device: the questions come from the conditions of the book's own rows, so a
club's file is asked about as well as ours. A person first picks a group, then an incident of it,
then answers at most ``QUESTIONS`` questions; they are asked in the order that needs fewest.

``consult`` is the whole of it: the answers given so far in, the next question or the answer out.
Nothing is kept between two calls, so a page may hold the answers in its address, and going back is
leaving out the last one.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from engine import cases
from engine.cases import Cases, Option, Value
from engine.errors import EngineError
from engine.facts import FACTS
from engine.rulebook import Facts, Row, Rulebook

# Twelve groups in the order in which a dealer meets them; every incident is in one.
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "exposed_card": (
        "card_exposed_in_deal",
        "first_card_exposed",
        "second_card_exposed",
        "several_cards_exposed_in_deal",
        "card_flashed_in_deal",
        "card_dropped_by_dealer",
        "card_dropped_by_player",
    ),
    "wrong_deal": (
        "wrong_card_count",
        "seat_skipped",
        "card_to_wrong_seat",
        "extra_card",
        "several_extra_cards",
        "dealer_short",
        "absent_dealt_in",
        "error_after_limit",
    ),
    "boxed_card": ("boxed_card", "several_boxed_cards"),
    "burn": ("no_burn", "double_burn", "burn_exposed"),
    "too_soon": ("premature_flop", "premature_turn", "premature_river"),
    "board": ("flop_too_many_cards", "street_too_many_cards", "board_disturbed"),
    "stub": ("stub_dropped", "stub_exposed", "shuffle_cut_one_person", "dealer_repeats"),
    "deck": ("duplicate_card", "foreign_card", "wrong_deck", "missing_card"),
    "hand": (
        "hand_touched_muck",
        "unprotected_hand_fouled",
        "unprotected_hand_killed",
        "hand_mixed",
        "hand_shown",
        "tabled_early",
        "left_table",
        "open_muck",
    ),
    "turn": (
        "out_of_turn",
        "player_skipped",
        "time_expired",
        "simultaneous",
        "conditional_word",
        "bet_before_card",
        "wrong_button",
        "utg_posted",
        "short_blind",
        "ante_eliminated",
    ),
    "amount": (
        "below_minimum_raise",
        "oversized_chip",
        "several_chips",
        "smaller_chip",
        "word_against_chips",
        "string_bet",
        "call_without_bet",
        "check_facing_bet",
        "underbet",
        "undercall",
        "underraise",
        "short_all_in",
        "reopened",
    ),
    "showdown": ("wrong_pot", "asked_to_see", "hidden_chips"),
}

# An incident that is picked with one more fact: the name's ending, and what it says. Where a street or a
# limit makes a different rule, people know it when they say what happened.
VARIANTS: Final[dict[str, dict[str, dict[str, Value]]]] = {
    "no_burn": {street: {"street": street} for street in ("flop", "turn", "river")},
    "double_burn": {street: {"street": street} for street in ("flop", "turn", "river")},
    "word_against_chips": {above: {"above": above} for above in ("none", "stack", "limit")},
}

# Questions of fact after group and incident: five answers in all are as many as a table waits for.
QUESTIONS: Final = 3
# With more open facts than this the best order is not searched for, the most wanted fact is asked.
_SEARCHED: Final = 6
# Facts that decide late in a dispute, or that hardly anybody thinks of: asked after the others.
_LATE: Final = frozenset({"barred", "change", "notice", "limit", "above", "his_turn_passed"})
OTHER: Final = "other"

_FLAGS: Final = {"yes": True, "true": True, "no": False, "false": False}


class BadAnswer(EngineError):
    """An answer that is none of those offered; ``place`` counts the answers from 0."""

    code = "bad-answer"

    def __init__(self, what: str, *, place: int, hint: str = "") -> None:
        """Keep which answer it is."""
        super().__init__(what, where=f"answer {place + 1}", hint=hint)
        self.place = place


class Pick(Struct, frozen=True):
    """The first two questions: which group (``group`` is None), then which incident of it.

    ``choices`` are names: of groups, or of incidents with their variant (``no_burn.turn``).
    """

    group: str | None
    choices: tuple[str, ...]


class Question(Struct, frozen=True):
    """A question of fact and its possible answers; ``incident`` as it was picked."""

    incident: str
    fact: str
    options: tuple[Option, ...]


class Case(Struct, frozen=True):
    """A row that answers, under the conditions that are still open (none: it is the answer)."""

    row: Row
    when: dict[str, object] = {}


class Elsewhere(Struct, frozen=True):
    """What other books say of the same case, those that say the same together."""

    books: tuple[str, ...]
    cases: tuple[Case, ...]


class Answer(Struct, frozen=True):
    """What the book says, and what others say.

    ``cases`` is one row that answers; several only where more questions than allowed would be
    needed, each then with the conditions that were not asked.
    """

    incident: str
    known: dict[str, Value]
    cases: tuple[Case, ...]
    others: tuple[Elsewhere, ...]


def group_of(incident: str) -> str | None:
    """Give the group that an incident is found under."""
    return next((name for name, members in GROUPS.items() if incident in members), None)


def picks(group: str) -> tuple[str, ...]:
    """Give what can be picked in a group: its incidents, with their variants.

    >>> picks("burn")[:3]
    ('no_burn.flop', 'no_burn.turn', 'no_burn.river')
    """
    return tuple(
        name
        for incident in GROUPS[group]
        for name in ([f"{incident}.{ending}" for ending in VARIANTS.get(incident, ())] or [incident])
    )


def consult(
    book: Rulebook, answers: Sequence[str], others: Iterable[Rulebook] | None = None
) -> Pick | Question | Answer:
    """Take the answers given so far and give the next question, or what the book says.

    Args:
        book: the book in force.
        answers: group, incident (``no_burn.turn``; ``no_burn`` alone leaves the street to be asked),
            then the answers to the questions, by name.
        others: the books to compare with; else those that the book was loaded with.

    Raises:
        BadAnswer: an answer is none of those offered, or one too many.
    """
    asked: Pick | Question = Pick(None, tuple(GROUPS))
    if not answers:
        return asked
    group = answers[0].strip().lower()
    if group not in GROUPS:
        raise BadAnswer(f"no such group: {answers[0]}", place=0, hint=_offer(GROUPS))
    if len(answers) == 1:
        return Pick(group, picks(group))
    picked = answers[1].strip().lower()
    incident, _, ending = picked.partition(".")
    if incident not in GROUPS[group] or (ending and ending not in VARIANTS.get(incident, {})):
        raise BadAnswer(f"no such incident in {group}: {answers[1]}", place=1, hint=_offer(picks(group)))
    given = VARIANTS[incident][ending] if ending else {}
    known: dict[str, Value] = dict(given)
    for place, text in enumerate(answers[2:], start=2):
        following = ask(book, incident, known, others=(), left=QUESTIONS + 2 - place)
        if isinstance(following, Answer):
            raise BadAnswer("the book has answered already", place=place, hint="leave it out")
        value = choose(following, text)
        if value is None:
            names = [name_of(following.fact, option) for option in following.options]
            raise BadAnswer(f"{following.fact} cannot be {text}", place=place, hint=_offer(names))
        known[following.fact] = value
    found = ask(book, incident, known, others=others, left=QUESTIONS + 2 - len(answers))
    return msgspec.structs.replace(found, incident=picked)


def _offer(names: Iterable[str]) -> str:
    return f"one of {', '.join(names)}"


def ask(
    book: Rulebook,
    incident: str,
    known: Facts,
    *,
    others: Iterable[Rulebook] | None = None,
    left: int = QUESTIONS,
) -> Question | Answer:
    """Give the next question about an incident, or the answer once nothing more can change it.

    Args:
        book: the book in force.
        incident: the name of the incident.
        known: the facts that are known so far, from answers or from the table.
        others: the books to compare with; else those that the book was loaded with.
        left: how many questions may still be asked.
    """
    found = Cases(book, incident, limit=True)
    if left > 0 and not _settled(found, known):
        fact = _best(found, known)
        return Question(incident, fact, found.options(fact, known))
    compared = book.others if others is None else others
    facts = found.complete(known)
    return Answer(
        incident,
        {name: value for name, value in known.items() if value is not None},
        _cases(found, known),
        _elsewhere(compared, book, incident, facts),
    )


def choose(question: Question, text: str) -> Value | None:
    """Read an answer by its name: ``yes``, a word of the fact, a number; None when it is none.

    >>> from engine.facts import FACTS
    >>> asked = Question("flop_too_many_cards", "count", (Option(4, spans=((4, 4),)), Option(5, spans=((0, 3), (5, None)))))
    >>> choose(asked, "4"), choose(asked, "other"), choose(asked, "many")
    (4, 5, None)
    """
    kind = FACTS[question.fact][0]
    typed = text.strip().lower()
    for option in question.options:
        if typed == name_of(question.fact, option):
            return option.value
    value: Value
    if kind == "flag":
        if typed not in _FLAGS:
            return None
        value = _FLAGS[typed]
    elif kind == "number":
        if not (typed.isascii() and typed.isdigit() and len(typed) < 10):
            return None
        value = int(typed)
    else:
        value = typed
    return value if any(option.covers(value) for option in question.options) else None


def name_of(fact: str, option: Option) -> str:
    """Give the name by which an answer is written: ``yes``, ``dealer``, ``3+``, ``other``.

    >>> name_of("protected", Option(False, values=(False,))), name_of("acted_count", Option(3, spans=((3, None),)))
    ('no', '3+')
    >>> name_of("count", Option(0, spans=((0, 2),))), name_of("said", Option("nothing", values=("nothing", "call")))
    ('0-2', 'nothing')
    """
    if option.spans:
        if len(option.spans) > 1:
            return OTHER
        low, high = option.spans[0]
        return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
    if isinstance(option.value, bool):
        return "yes" if option.value else "no"
    return str(option.value)


_Memo = dict[tuple[tuple[str, str], ...], tuple[int, int]]


def deepest(book: Rulebook, picked: str) -> int:
    """Count the questions of fact that the longest way to an answer needs, once ``picked`` is known.

    With so many open facts that the best order is not searched for, it is their number.
    """
    incident, _, ending = picked.partition(".")
    found = Cases(book, incident, limit=True)
    given = VARIANTS[incident][ending] if ending else {}
    open_facts = len(found.unknown(given))
    return open_facts if open_facts > _SEARCHED else _worst(found, given, {})[0]


def _settled(found: Cases, known: Facts) -> bool:
    return len({cases.answer(row) for row in found.outcomes(known)}) <= 1


def _cases(found: Cases, known: Facts) -> tuple[Case, ...]:
    """The rows that are left, each with its conditions that are not known to hold; one when all say the same."""
    rows = found.outcomes(known)
    if len({cases.answer(row) for row in rows}) == 1:
        return (Case(rows[0]),)
    facts = found.complete(known)
    return tuple(
        Case(row, {name: condition for name, condition in row.when.items() if facts.get(name) is None})
        for row in rows
    )


def _elsewhere(
    books: Iterable[Rulebook], asked: Rulebook, incident: str, known: Facts
) -> tuple[Elsewhere, ...]:
    """What the other books say: those that say the same together, those that call the floor last."""
    found: dict[str, tuple[list[str], tuple[Case, ...]]] = {}
    for book in books:
        if book.id == asked.id:
            continue
        told = _cases(Cases(book, incident, limit=True), known)
        silent = told[0].row is book.floor
        same = [
            (case.row.ruling, case.row.do, case.row.read_as, case.row.article, case.when) for case in told
        ]
        key = "floor" if silent else repr(same)
        found.setdefault(key, ([], told))[0].append(book.id)
    ordered = sorted(found, key=lambda key: key == "floor")
    return tuple(Elsewhere(tuple(found[key][0]), found[key][1]) for key in ordered)


def _best(found: Cases, known: Facts) -> str:
    """The fact to ask first: the one after which the longest way is shortest, then the earlier row's."""
    unknown = sorted(found.unknown(known), key=lambda fact: fact in _LATE)
    if len(unknown) > _SEARCHED:
        rows = found.outcomes(known)
        return max(unknown, key=lambda fact: sum(fact in row.when for row in rows))
    memo: _Memo = {}
    return min(unknown, key=lambda fact: _key(_after(found, known, fact, memo), fact))


def _key(ways: tuple[int, int], fact: str) -> tuple[int, bool, int]:
    """Order questions: the longest way first, then what is asked late, then all ways together."""
    return ways[0], fact in _LATE, ways[1]


def _worst(found: Cases, known: Facts, memo: _Memo) -> tuple[int, int]:
    """How many questions the longest way needs, and all ways together (to choose between equals)."""
    key = tuple(sorted((name, repr(value)) for name, value in found.complete(known).items()))
    if key not in memo:
        unknown = () if _settled(found, known) else found.unknown(known)
        memo[key] = min((_after(found, known, fact, memo) for fact in unknown), default=(0, 0))
    return memo[key]


def _after(found: Cases, known: Facts, fact: str, memo: _Memo) -> tuple[int, int]:
    ways = [_worst(found, {**known, fact: option.value}, memo) for option in found.options(fact, known)]
    return 1 + max(way[0] for way in ways), sum(1 + way[1] for way in ways)
