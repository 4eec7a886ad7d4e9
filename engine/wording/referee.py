"""The referee's words: groups, picks, answers, and what a row of a rulebook says."""

from collections.abc import Sequence
from typing import Final

from engine.cases import Option
from engine.cures import STEP_NAMES
from engine.readings import READINGS
from engine.referee import GROUPS
from engine.rulebook import Row
from engine.rulings import Ruling
from engine.wording.questions import say_fact, say_value
from engine.wording.rulings import (
    ruling_cause,
    ruling_cite,
    ruling_head,
    say_book,
    say_incident,
    say_penalty,
    say_ruling_name,
)
from engine.wording.voice import refuse, voice

# More words than this are "another" on a button.
_LISTED: Final = 3
# Rulings that, where the row has no step, are what the dealer does.
_DONE: Final = frozenset({"play_on", "card_kept", "action_refused", "amount_corrected"})


def say_group(group: str, lang: str) -> str:
    """Name a group of incidents.

    >>> say_group("boxed_card", "fr"), say_group("showdown", "en")
    ("Une carte à l'envers dans le paquet", 'The showdown and the pot')

    Raises:
        NotWorded: no such group.
    """
    speaker = voice(lang)
    if group not in GROUPS:
        raise refuse("group", group, "group.", speaker)
    return speaker.say(f"group.{group}")


def say_pick(picked: str, lang: str) -> str:
    """Name an incident as it is picked: with its street or limit where it has one.

    >>> say_pick("no_burn.turn", "fr"), say_pick("double_burn.flop", "en"), say_pick("undercall", "en")
    ('Turn sans brûlée', 'Two burns before the flop', 'Fewer chips than the call')
    """
    incident, _, ending = picked.partition(".")
    return say_incident(incident, lang, street=ending or None)


def say_step(step: str, lang: str) -> str:
    """Tell the dealer one step of a cure.

    >>> say_step("replace_at_end", "fr")
    'Finissez la donne, puis donnez à ce joueur une carte de remplacement'

    Raises:
        NotWorded: the engine has no such step.
    """
    speaker = voice(lang)
    if step not in STEP_NAMES:
        raise refuse("step", step, "step.", speaker)
    return speaker.say(f"step.{step}")


def say_reading(reading: str, lang: str) -> str:
    """Say in two or three words how a betting act counts.

    >>> say_reading("call", "fr"), say_reading("first_motion", "en")
    ('compte comme payé', 'only the first motion counts')

    Raises:
        NotWorded: no such reading.
    """
    speaker = voice(lang)
    if reading not in READINGS:
        raise refuse("reading", reading, "reading.", speaker)
    return speaker.say(f"reading.{reading}")


def say_option(fact: str, option: Option, lang: str) -> str:
    """Label one answer to a question of fact.

    >>> say_option("by", Option("dealer", values=("dealer", "deck")), "en")
    'the dealer or the deck (boxed card)'
    >>> say_option("acted_count", Option(3, spans=((3, None),)), "fr")
    'au moins 3'
    """
    speaker = voice(lang)
    if not option.spans:
        if len(option.values) > _LISTED:
            return speaker.say("ask.other")
        return speaker.join([say_value(fact, value, lang) for value in option.values], "format.or")
    if len(option.spans) > 1:
        return speaker.say("ask.other")
    low, high = option.spans[0]
    if low == high:
        return speaker.amount(low)
    bound = "at_least" if high is None else "at_most" if low == 0 else "between"
    return speaker.say(f"fact.{bound}", min=low, max=high)


def say_row(row: Row, lang: str, *, picked: str | None = None, sa: str | None = None) -> str:
    """Say what a row answers in one sentence, with its cause and its article.

    Args:
        row: the row, or a book's call of the floor.
        lang: the language's code.
        picked: the incident with its variant, else the row's own.
        sa: the term ``substantial_action`` of the book in force.

    >>> row = Row("wrong_card_count", ("hand_dead", "play_on"), "TDA 35-D", "tda2024")
    >>> say_row(row, "en")
    'Hand dead; play goes on: wrong number of cards. (TDA 35-D)'
    """
    speaker = voice(lang)
    incident, _, ending = (picked or row.incident).partition(".")
    cause = ruling_cause(_ruling(row, incident, row.ruling[0]), lang, sa=sa, street=ending or None)
    cite = ruling_cite(_ruling(row, incident, row.ruling[0]), lang)
    if row.ruling == ("call_floor",):
        key = "ruling.call_floor.silent" if row.incident == "*" else "ruling.call_floor"
        return speaker.say(key, cause=cause, cite=cite)
    head = say_rulings(row, lang, picked=picked)
    if row.penalty:
        penalty = say_penalty(row.penalty, lang)
        return speaker.say("sentence.penalty", head=head, cause=cause, penalty=penalty, cite=cite)
    return speaker.say("sentence", head=head, cause=cause, cite=cite)


def say_rulings(row: Row, lang: str, *, picked: str | None = None) -> str:
    """Say only what a row rules, without cause and article.

    >>> row = Row("undercall", ("amount_corrected",), "TDA 51-B", "tda2024", read_as="call")
    >>> say_rulings(row, "fr")
    'Montant corrigé (compte comme payé)'
    """
    speaker = voice(lang)
    incident, _, ending = (picked or row.incident).partition(".")
    heads = [
        say_ruling_name(name, lang)
        if name == "call_floor"
        else ruling_head(_ruling(row, incident, name), lang, street=ending or None)
        for name in row.ruling
    ]
    head = heads[0]
    for following in heads[1:]:
        head = speaker.say("format.then", first=head, last=following[0].lower() + following[1:])
    if row.read_as:
        return speaker.say("format.reading", head=head, reading=say_reading(row.read_as, lang))
    return head


def say_steps(row: Row, lang: str) -> tuple[str, ...]:
    """Tell the dealer what to do under a row, in the book's order, one line each.

    >>> say_steps(Row("wrong_pot", ("play_on",), "PPC 11.3", "ppc2011"), "en")
    ('Play on without any change',)
    """
    speaker = voice(lang)
    lines = [say_step(step, lang) for step in row.do]
    if row.read_as:
        lines.append(speaker.say(f"reading.{row.read_as}.do"))
    told = bool(lines)
    for ruling in row.ruling:
        if ruling == "call_floor" and row.read_as != "director":
            lines.append(speaker.say("do.call_floor"))
        elif ruling == "penalty_reported" and "penalty_later" not in row.do:
            lines.append(speaker.say("do.penalty_reported"))
        elif not told and ruling in _DONE:
            lines.append(speaker.say(f"do.{ruling}"))
    return tuple(lines) or (speaker.say("do.other"),)


def say_conditions(when: dict[str, object], lang: str, *, sa: str | None = None) -> str:
    """Say under which conditions a row answers, empty when under none.

    >>> say_conditions({"protected": True, "street": ["turn", "river"]}, "en")
    'hand protected, street: turn or river'
    """
    return ", ".join(say_fact(fact, value, lang, sa=sa) for fact, value in when.items())  # type: ignore[arg-type]


def say_books(books: Sequence[str], lang: str) -> str:
    """List rulebooks by name."""
    return voice(lang).join([say_book(book, lang) for book in books])


def _ruling(row: Row, incident: str, name: str) -> Ruling:
    return Ruling(
        ruling=name,
        incident=incident,
        rulebook=row.rulebook,
        article=row.article,
        seats=(),
        cards=(),
        orders=(),
        event=0,
        official=row.official,
    )
