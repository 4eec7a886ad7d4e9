"""The pocket referee on the page: what is asked about an irregularity, what the book says of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine import referee
from engine.rulebook import Rulebook
from table_controller.dealer_page.claiming import Value, variant_facts


class Told(Struct, frozen=True):
    """What the book says: the rulings with their article."""

    incident: str
    facts: dict[str, Value]
    rulings: tuple[str, ...]
    article: str
    rulebook: str


class Consultation(Struct, frozen=True):
    """How far people have come: what is asked next, or the answer, and the facts that led there.

    ``facts`` are those that people have given: the table keeps the others by itself.
    """

    incident: str
    facts: dict[str, Value]
    next: referee.Question | referee.Answer


def consult(
    book: Rulebook, picked: str, known: Mapping[str, Value], answers: Sequence[str]
) -> Consultation | None:
    """Take the answers given so far.

    Args:
        book: The rulebook in force.
        picked: The incident with its variant, ``no_burn.turn``.
        known: What the table knows by itself.
        answers: What people have answered, by name, in the order in which they were asked.

    Returns:
        None when an answer is not among those that were offered.
    """
    incident, _, ending = picked.partition(".")
    given = variant_facts(incident, ending)
    for place, text in enumerate([*answers, None]):
        following = referee.ask(book, incident, {**known, **given}, others=(), left=referee.QUESTIONS - place)
        if text is None or isinstance(following, referee.Answer):
            return Consultation(incident, given, following)
        value = referee.choose(following, text)
        if value is None:
            return None
        given[following.fact] = value
    return None


def tell(book: Rulebook, incident: str, facts: Mapping[str, Value]) -> Told:
    """What the book says of an incident with these facts, nothing more being asked."""
    answer = referee.ask(book, incident, {"notice": True, **facts}, others=(), left=0)
    if isinstance(answer, referee.Question):
        row = book.floor
    else:
        row = answer.cases[0].row if len(answer.cases) == 1 else book.floor
    return Told(incident, dict(facts), row.ruling, row.article, row.rulebook)
