"""Rulings as one sentence: what is ruled, for whom, why, on which article of which book."""

import re
from collections.abc import Mapping
from typing import Final

from engine.rulings import RULINGS, Ruling, Suggestion
from engine.wording.orders import visible
from engine.wording.voice import Voice, refuse, voice

# What a card's ruling says of it may be said by name only where the card is out in the open.
_NAMES_CARD: Final = frozenset(
    "card_replaced burn_assigned card_returned card_set_aside card_held_out".split()
)
_STREET_OF: Final = {
    "flop_too_many_cards": "flop",
    "premature_flop": "flop",
    "premature_turn": "turn",
    "premature_river": "river",
}
# Incidents of the deal: a burn that they skip is the flop's.
_IN_DEAL: Final = frozenset(
    "first_card_exposed second_card_exposed card_exposed_in_deal card_flashed_in_deal "
    "card_dropped_by_dealer extra_card boxed_card".split()
)
# How a book begins its own articles, where that is not how its id begins.
_OWN_ARTICLES: Final = {"pokernews": "pn", "standard": "std"}
# The amount that counts, when amounts are named by what they are instead of by seat.
_AMOUNT_NAMES: Final = ("counts", "to", "total", "amount", "bet", "now", "returned")


def say_ruling(ruling: Ruling, lang: str, *, sa: str | None = None, street: str | None = None) -> str:
    """Say a ruling in one sentence with its article; what other books would do follows a call of the floor.

    Args:
        ruling: what the rulebook answered.
        lang: the language's code.
        sa: the term ``substantial_action`` of the rulebook in force; without it the limit is
            paraphrased, because the term is never used without its meaning.
        street: the street that it is about, where the incident does not tell.

    >>> say_ruling(Ruling(ruling="hand_dead", incident="hand_touched_muck", rulebook="ropta",
    ...     article="ROPTA muck", seats=(4,), cards=(), orders=(), event=7), "en")
    'Hand of seat 4 dead: hand touched the muck. (ROPTA muck)'
    """
    speaker = voice(lang)
    street = _STREET_OF.get(ruling.incident, street)
    cause = _cause(speaker, ruling, sa, street)
    cite = _cite(speaker, ruling)
    if ruling.ruling == "call_floor":
        key = "ruling.call_floor.silent" if ruling.suggestions else "ruling.call_floor"
        others = [_would(speaker, suggestion, street) for suggestion in ruling.suggestions or ()]
        return " ".join([speaker.say(key, cause=cause, cite=cite), *others])
    head = _head(speaker, ruling, street)
    if ruling.penalty:
        penalty = say_penalty(ruling.penalty, lang)
        return speaker.say("sentence.penalty", head=head, cause=cause, penalty=penalty, cite=cite)
    return speaker.say("sentence", head=head, cause=cause, cite=cite)


def say_ruling_name(name: str, lang: str) -> str:
    """Name a ruling by itself, without a case.

    >>> say_ruling_name("misdeal", "fr"), say_ruling_name("call_floor", "en")
    ('Fausse donne', 'The floor is called')

    Raises:
        NotWorded: no such ruling.
    """
    speaker = voice(lang)
    if name not in RULINGS:
        raise refuse("ruling", name, "would.", speaker)
    return speaker.say("ruling.call_floor.name" if name == "call_floor" else f"ruling.{name}")


def say_incident(name: str, lang: str, *, street: str | None = None) -> str:
    """Name an incident in a few words.

    >>> say_incident("no_burn", "fr"), say_incident("no_burn", "fr", street="turn")
    ('Flop sans brûlée', 'Turn sans brûlée')
    >>> say_incident("no_such_thing", "en")
    'Reported incident'
    """
    speaker = voice(lang)
    text = speaker.say(_incident_key(speaker, name, street))
    return _capital(text)


def say_penalty(penalty: str, lang: str) -> str:
    """Name a penalty; a club's own words stay as they are.

    >>> say_penalty("warning", "fr"), say_penalty("deux tours de table", "fr")
    ('avertissement', 'deux tours de table')
    """
    speaker = voice(lang)
    key = "penalty." + penalty.casefold().replace(" ", "_")
    if key in speaker.texts:
        return speaker.say(key)
    return penalty if not re.fullmatch(r"[a-z0-9_]+", penalty) else speaker.say("penalty.other")


def say_book(book: str, lang: str) -> str:
    """Name a rulebook; a club's own book goes by its id.

    >>> say_book("tda2024", "fr"), say_book("club_lyon", "fr")
    ('TDA 2024', 'club_lyon')
    """
    speaker = voice(lang)
    key = f"book.{book}"
    return speaker.say(key) if key in speaker.texts else book


def ruling_head(ruling: Ruling, lang: str, *, street: str | None = None) -> str:
    """Say what is ruled and for whom, without cause and article."""
    return _head(voice(lang), ruling, _STREET_OF.get(ruling.incident, street))


def ruling_cause(ruling: Ruling, lang: str, *, sa: str | None = None, street: str | None = None) -> str:
    """Say why something is ruled: the incident, as it stands inside a sentence."""
    return _cause(voice(lang), ruling, sa, _STREET_OF.get(ruling.incident, street))


def ruling_cite(ruling: Ruling, lang: str) -> str:
    """Cite a ruling's article, with the book where the article does not name it."""
    return _cite(voice(lang), ruling)


def _incident_key(speaker: Voice, name: str, street: str | None) -> str:
    key = f"incident.{name}"
    if street is not None and f"{key}.{street}" in speaker.texts:
        return f"{key}.{street}"
    return key if key in speaker.texts else "incident.other"


def _cause(speaker: Voice, ruling: Ruling, sa: str | None, street: str | None) -> str:
    name = ruling.incident
    if name == "several_cards_exposed_in_deal" and len(ruling.cards) > 1:
        return speaker.say(f"incident.{name}.n", n=speaker.count(len(ruling.cards)))
    if name == "error_after_limit" and sa is not None:
        return speaker.say(f"incident.{name}.sa", sa=speaker.say(f"sa.{sa}"))
    if name == "no_burn" and street is None and len(ruling.cards) != 3:
        street = "any"
    return speaker.say(_incident_key(speaker, name, street))


def _head(speaker: Voice, ruling: Ruling, street: str | None) -> str:
    base = f"ruling.{ruling.ruling}"
    if base not in speaker.texts:
        base = "ruling.other"
    amounts = _amounts(ruling)
    if len(amounts) > 1 and f"{base}.amounts" in speaker.texts:
        listed = ", ".join(
            speaker.say("format.seat_amount", seat=seat, amount=speaker.amount(amount))
            for seat, amount in amounts.items()
        )
        return speaker.say(f"{base}.amounts", amounts=listed)
    given = []
    if ruling.incident in _IN_DEAL:
        given.append(".deal")
    if street is not None:
        given.append(f".{street}")
    cards = _open_cards(ruling)
    if cards:
        given.append(".card")
    seats = ruling.seats
    if len(amounts) == 1 and (not seats or len(seats) == 1):
        seats = tuple(amounts)
    if seats:
        given.append(".seat")
    if len(amounts) == 1 and seats == tuple(amounts):
        given.append(".amount")
    amount = next(iter(amounts.values()), 0)
    return speaker.say(
        speaker.pick(base, given),
        len(seats),
        cards=speaker.cards(cards),
        seats=speaker.seats(seats),
        amount=speaker.amount(amount),
    )


def _open_cards(ruling: Ruling) -> tuple[str, ...]:
    """The cards that the sentence may name: those of the ruling, where all see which they are."""
    if ruling.ruling == "start_refused":
        return ruling.cards
    if ruling.ruling not in _NAMES_CARD:
        return ()
    if ruling.ruling == "burn_assigned":
        # Drawn from cards mixed face down: which one it is nobody knows yet.
        if any(order.order == "draw" for order in ruling.orders):
            return ()
        burned = [visible(order) for order in ruling.orders if order.order == "move" and order.to == "burn"]
        if len(burned) == 1 and burned[0] is not None:
            return (burned[0],)
    return ruling.cards if len(ruling.cards) == 1 else ()


def _amounts(ruling: Ruling) -> Mapping[int, int]:
    """The amounts by seat; an amount under a name belongs to the ruling's only seat."""
    given = ruling.amounts or {}
    by_seat = {int(key): amount for key, amount in given.items() if key.isdigit()}
    if by_seat or len(ruling.seats) != 1:
        return dict(sorted(by_seat.items()))
    named = next((given[name] for name in _AMOUNT_NAMES if name in given), None)
    return {ruling.seats[0]: named} if named is not None else {}


def _cite(speaker: Voice, ruling: Ruling) -> str:
    given = []
    if ruling.official:
        given.append(".official")
    if not _own_article(ruling.rulebook, ruling.article):
        given.append(".book")
    if not given:
        return ruling.article
    return speaker.say(
        "cite" + "".join(given),
        article=ruling.article,
        official=ruling.official,
        book=say_book(ruling.rulebook, speaker.lang),
    )


def _own_article(book: str, article: str) -> bool:
    """Whether the article names the book by itself, as ``ROPTA muck`` does and ``TDA 36`` in another book does not.

    >>> _own_article("ppc2011", "PPC 4.3"), _own_article("standard", "ROPTA muck")
    (True, False)
    """
    word = article.partition(" ")[0].casefold()
    return bool(word) and (book.casefold().startswith(word) or word == _OWN_ARTICLES.get(book))


def _would(speaker: Voice, suggestion: Suggestion, street: str | None) -> str:
    acts = []
    for ruling in suggestion.ruling:
        base = f"would.{ruling}" if f"would.{ruling}" in speaker.texts else "would.other"
        acts.append(speaker.say(speaker.pick(base, (f".{street}",) if street else ())))
    return speaker.say(
        "would",
        book=_capital(say_book(suggestion.rulebook, speaker.lang)),
        article=suggestion.article,
        acts=speaker.join(acts),
    )


def _capital(text: str) -> str:
    """Begin with a capital, also behind an opening quote: « payé » gives « Payé »."""
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text
