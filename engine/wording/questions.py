"""Facts in words: the question to a person, its answers, and what is said of an answer."""

from collections.abc import Sequence
from typing import Final

from engine.facts import FACTS
from engine.wording.voice import Voice, refuse, voice

_YES_NO: Final = {"yes": True, "no": False, "true": True, "false": False}

Value = bool | int | str
# What a rulebook's condition may hold: a value, several values, or bounds of a number.
Condition = Value | Sequence[Value] | dict[str, int]


def ask_text(
    fact: str,
    lang: str,
    *,
    seat: int | None = None,
    options: Sequence[Value] | None = None,
    sa: str | None = None,
) -> str:
    """Ask a person for a fact, with the answers to choose from.

    The question names no card: who has seen it is often just what is asked.

    Args:
        fact: a name of ``engine.facts.FACTS``.
        lang: the language's code.
        seat: the seat that it is about.
        options: the answers offered, else all that the fact can have.
        sa: the book's term ``substantial_action``, so that the question can say what it means.

    >>> ask_text("seen_by", "en", seat=4)
    'Seat 4: who saw the card? (all / most / some players)'

    Raises:
        NotWorded: no such fact.
    """
    text = question_text(fact, lang, seat=seat, sa=sa)
    labels = [label for _, label in ask_options(fact, lang, options)]
    return voice(lang).say("format.asked", question=text, options=" / ".join(labels)) if labels else text


def question_text(fact: str, lang: str, *, seat: int | None = None, sa: str | None = None) -> str:
    """Ask for a fact without listing the answers."""
    speaker = voice(lang)
    key = _key(speaker, "ask", fact)
    text = speaker.say(key)
    if sa is not None and f"{key}.sa" in speaker.texts:
        text = speaker.say(f"{key}.sa", sa=speaker.say(f"sa.{sa}"))
    if seat is None:
        return text
    return speaker.say("format.seat_says", seat=seat, text=text[0].lower() + text[1:])


def ask_options(
    fact: str, lang: str, options: Sequence[Value] | None = None
) -> tuple[tuple[Value, str], ...]:
    """Give the answers to a question with their labels; none for a number that is free.

    >>> ask_options("protected", "fr")
    ((True, 'oui'), (False, 'non'))
    >>> ask_options("acted_count", "fr", ("2", "3"))
    (('2', '2'), ('3', '3'))

    Raises:
        NotWorded: no such fact, or an answer that the fact cannot have.
    """
    speaker = voice(lang)
    _key(speaker, "ask", fact)
    kind = FACTS[fact][0]
    if options is None:
        if kind == "number":
            return ()
        options = (True, False) if kind == "flag" else kind
    return tuple((option, _label(speaker, fact, option)) for option in options)


def say_fact(fact: str, value: Condition, lang: str, *, sa: str | None = None) -> str:
    """Say a fact, or a rulebook's condition on it, as a clause.

    >>> say_fact("seen_by", "majority", "fr"), say_fact("heads_up", True, "en")
    ('vue par la plupart', 'two players in the hand')
    >>> say_fact("count", {"min": 2}, "en"), say_fact("street", ["turn", "river"], "en")
    ('cards: at least 2', 'street: turn or river')

    Raises:
        NotWorded: no such fact, or a value that it cannot have.
    """
    speaker = voice(lang)
    _key(speaker, "ask", fact)
    if isinstance(value, dict):
        low, high = value.get("min"), value.get("max")
        bound = (
            "between" if low is not None and high is not None else "at_most" if low is None else "at_least"
        )
        return speaker.say(f"fact.{fact}", value=speaker.say(f"fact.{bound}", min=low, max=high))
    several = list(value) if isinstance(value, (list, tuple)) else [value]
    if FACTS[fact][0] == "flag":
        return speaker.join([_clause(speaker, fact, item, sa) for item in several], "format.or")
    labels = [_label(speaker, fact, item) for item in several]
    return speaker.say(f"fact.{fact}", value=speaker.join(labels, "format.or"))


def say_value(fact: str, value: Value, lang: str) -> str:
    """Label one value of a fact, as it stands on a button.

    >>> say_value("protected", True, "fr"), say_value("seen_by", "some", "en")
    ('oui', 'some players')

    Raises:
        NotWorded: no such fact, or a value that it cannot have.
    """
    speaker = voice(lang)
    _key(speaker, "ask", fact)
    return _label(speaker, fact, value)


def known_answer(fact: str, value: Value) -> bool:
    """Whether a value is one that the fact can have, written as itself, as yes/no or as digits."""
    kind = FACTS[fact][0] if fact in FACTS else None
    if kind == "flag":
        return isinstance(value, bool) or value in _YES_NO
    if kind == "number":
        return (isinstance(value, int) and not isinstance(value, bool)) or str(value).isdigit()
    return kind is not None and value in kind


def _key(speaker: Voice, prefix: str, fact: str) -> str:
    key = f"{prefix}.{fact}"
    if fact not in FACTS or key not in speaker.texts:
        raise refuse("fact", fact, "ask.", speaker)
    return key


def _flag(value: object) -> bool:
    return value if isinstance(value, bool) else _YES_NO[str(value)]


def _clause(speaker: Voice, fact: str, value: object, sa: str | None) -> str:
    if not known_answer(fact, value):  # type: ignore[arg-type]
        raise refuse(f"answer to {fact}", str(value), f"fact.{fact}.", speaker)
    key = f"fact.{fact}.{'yes' if _flag(value) else 'no'}"
    if sa is not None and f"{key}.sa" in speaker.texts:
        return speaker.say(f"{key}.sa", sa=speaker.say(f"sa.{sa}"))
    return speaker.say(key)


def _label(speaker: Voice, fact: str, value: object) -> str:
    kind = FACTS[fact][0]
    if not known_answer(fact, value):  # type: ignore[arg-type]
        raise refuse(f"answer to {fact}", str(value), f"fact.{fact}.", speaker)
    if kind == "flag":
        return speaker.say("ask.yes" if _flag(value) else "ask.no")
    if kind == "number":
        return speaker.amount(int(str(value)))
    return speaker.say(f"fact.{fact}.{value}")
