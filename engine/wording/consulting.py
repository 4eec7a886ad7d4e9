"""A consultation of the pocket referee in words: what is asked, what can be answered, what the books say.

The same sentences stand on a terminal and on a page; how they are laid out is the reader's business.
"""

from collections.abc import Iterable

from msgspec import Struct

from engine.facts import FACTS
from engine.referee import Answer, Case, Pick, Question, name_of
from engine.rulebook import Rulebook
from engine.wording.questions import question_text
from engine.wording.referee import (
    say_books,
    say_conditions,
    say_group,
    say_option,
    say_pick,
    say_row,
    say_rulings,
    say_steps,
)
from engine.wording.voice import voice

Asked = Pick | Question


class SaidCase(Struct, frozen=True):
    """A row that answers.

    Attributes:
        condition: when it does, empty when it is the only one.
        text: what it says, with its article.
        reading: said where the book does not say it word for word, else empty.
        steps: what the dealer does, in order.
    """

    condition: str
    text: str
    reading: str
    steps: tuple[str, ...]


class SaidElsewhere(Struct, frozen=True):
    """What other books answer: their names, then each condition (or an empty text) with what is ruled."""

    books: str
    told: tuple[tuple[str, str], ...]


class SaidAnswer(Struct, frozen=True):
    """The whole answer of a consultation."""

    cases: tuple[SaidCase, ...]
    others: tuple[SaidElsewhere, ...]


def say_asked(asked: Asked, lang: str, *, sa: str | None = None) -> str:
    """Word the question that is asked next.

    >>> say_asked(Pick(None, ("burn",)), "en")
    'What happened?'
    """
    if isinstance(asked, Question):
        return question_text(asked.fact, lang, sa=sa)
    return voice(lang).say("consult.what" if asked.group is None else "consult.which")


def say_choices(asked: Asked, lang: str) -> tuple[tuple[str, str], ...]:
    """Give the answers offered: name and label.

    >>> say_choices(Pick("burn", ("burn_exposed",)), "en")
    (('burn_exposed', 'Burn exposed'),)
    """
    if isinstance(asked, Question):
        return tuple(
            (name_of(asked.fact, option), say_option(asked.fact, option, lang)) for option in asked.options
        )
    label = say_group if asked.group is None else say_pick
    return tuple((name, label(name, lang)) for name in asked.choices)


def is_count(asked: Asked) -> bool:
    """Whether the answer is itself a number, so that no number can stand for a place in the list."""
    return isinstance(asked, Question) and FACTS[asked.fact][0] == "number"


def say_answer(
    answer: Answer, lang: str, *, sa: str | None = None, books: Iterable[Rulebook] = ()
) -> SaidAnswer:
    """Say what the book answers and what the others say of it.

    Args:
        answer: what ``referee.consult`` gave.
        lang: the language's code.
        sa: what the book in force calls substantial action.
        books: those that were compared, for their own terms.
    """
    terms = {book.id: spoken_term(book) for book in books}
    several = len(answer.cases) > 1
    speaker = voice(lang)
    cases = tuple(
        SaidCase(
            condition=_condition(case, lang, sa) if several else "",
            text=say_row(case.row, lang, picked=answer.incident, sa=sa),
            reading=speaker.say("consult.reading") if case.row.reading else "",
            steps=say_steps(case.row, lang),
        )
        for case in answer.cases
    )
    others = []
    for other in answer.others:
        term = terms.get(other.books[0])
        split = len(other.cases) > 1
        told = tuple(
            (_condition(case, lang, term) if split else "", _told(answer, case, lang)) for case in other.cases
        )
        names = say_books(other.books, lang)
        others.append(SaidElsewhere(names[:1].upper() + names[1:], told))
    return SaidAnswer(cases, tuple(others))


def spoken_term(book: Rulebook) -> str | None:
    """Give what the book calls substantial action, so that no text uses the word alone."""
    term = book.term("substantial_action")
    return term if isinstance(term, str) else None


def _told(answer: Answer, case: Case, lang: str) -> str:
    told = say_rulings(case.row, lang, picked=answer.incident)
    return told if case.row.incident == "*" else f"{told} ({case.row.article})"


def _condition(case: Case, lang: str, sa: str | None) -> str:
    speaker = voice(lang)
    if not case.when:
        return speaker.say("consult.otherwise")
    return speaker.say("consult.case", when=say_conditions(case.when, lang, sa=sa))
