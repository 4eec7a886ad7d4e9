"""One language at work: texts by slug, plurals, numbers, lists, cards."""

import difflib
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from engine.errors import EngineError
from engine.locales.catalogue import PLURALS, TEXTS
from engine.vocabulary import DECK

LANGUAGES: Final[tuple[str, ...]] = tuple(TEXTS)

_SUIT_SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
# Rank letters are the same in every language: cards are printed so, and panels have no room.
_SHORT_CARDS: Final = {card: card[0].replace("T", "10") + _SUIT_SIGNS[card[1]] for card in DECK}


class UnknownLanguage(EngineError):
    """A language that has no catalogue."""

    code = "unknown-language"


class NotWorded(EngineError):
    """A name that the engine does not use, so that no text exists for it."""

    code = "not-worded"


class Voice:
    """Says things in one language."""

    __slots__ = ("_plural", "_thousands", "lang", "texts")

    def __init__(self, lang: str) -> None:
        """Speak ``lang``, one of ``LANGUAGES``."""
        self.lang = lang
        self.texts = TEXTS[lang]
        self._plural = PLURALS[lang]
        self._thousands = str(self.texts["format.thousands"])

    def say(self, key: str, count: int = 1, /, **values: object) -> str:
        """Give a text with its places filled in; ``count`` chooses between singular and plural."""
        text = self.texts[key]
        if isinstance(text, tuple):
            text = text[self._plural[count if count < 200 else 100 + count % 100]]
        return text.format_map(values) if values else text

    def pick(self, base: str, suffixes: Sequence[str]) -> str:
        """Find the slug of the fullest text: ``base`` with as many of the suffixes as exist, in order.

        >>> VOICES["fr"].pick("order.push_pot", (".seat", ".amount"))
        'order.push_pot.seat.amount'
        >>> VOICES["fr"].pick("order.gather", (".seat",))
        'order.gather'
        """
        texts = self.texts
        for size in range(len(suffixes), 0, -1):
            for some in combinations(suffixes, size):
                key = base + "".join(some)
                if key in texts:
                    return key
        return base

    def amount(self, value: int) -> str:
        """Write whole chips the way the language groups digits."""
        return f"{value:,}".replace(",", self._thousands)

    def count(self, number: int) -> str:
        """Write a count of cards in words, as far as words are easier than digits."""
        return str(self.texts.get(f"count.{number}", number))

    def join(self, items: Sequence[str], last: str = "format.and") -> str:
        """Make a list of words: a, b and c.

        >>> VOICES["fr"].join(["4", "7", "9"])
        '4, 7 et 9'
        """
        if len(items) < 2:
            return "".join(items)
        return self.say(last, first=", ".join(items[:-1]), last=items[-1])

    def seats(self, seats: Iterable[int]) -> str:
        """List seat numbers."""
        return self.join([str(seat) for seat in seats])

    def cards(self, cards: Iterable[str]) -> str:
        """List cards by rank and suit sign."""
        return self.join([_SHORT_CARDS[card] for card in cards])

    def placed(self, prefix: str, place: str, other: str | None = None, count: int = 1) -> str:
        """Say a place: ``deck``, ``seat4``, ``bet2`` under the texts of ``prefix``."""
        kind = place.rstrip("0123456789")
        key = f"{prefix}.{kind}"
        if key not in self.texts:
            if other is None:
                raise NotWorded(f"no place {place!r}", hint="deck, seat4, board, burn, muck, bet4, pot …")
            key = other
        return self.say(key, count, seat=place[len(kind) :])


VOICES: Final = {lang: Voice(lang) for lang in LANGUAGES}


def voice(lang: str) -> Voice:
    """Find the voice of a language.

    Raises:
        UnknownLanguage: no catalogue has this code.
    """
    try:
        return VOICES[lang]
    except KeyError:
        raise UnknownLanguage(
            f"no texts in {lang!r}", where="lang", hint=f"one of {', '.join(LANGUAGES)}"
        ) from None


def refuse(kind: str, name: str, prefix: str, speaker: Voice) -> NotWorded:
    """Make the error for a name without a text, with the nearest that has one."""
    names = [key[len(prefix) :] for key in speaker.texts if key.startswith(prefix)]
    close = difflib.get_close_matches(name, names, n=1)
    return NotWorded(f"no {kind} {name!r}", hint=f"did you mean {close[0]}?" if close else "")


def say_card(card: str | None, lang: str, long: bool = False) -> str:
    """Name a card by rank and suit sign, or in words; ``None`` is a card that nobody has seen.

    >>> say_card("9h", "fr"), say_card("Td", "en"), say_card("As", "fr", long=True)
    ('9♥', '10♦', 'As de pique')

    Raises:
        NotWorded: no such card.
    """
    speaker = voice(lang)
    if card is None:
        return speaker.say("card.hidden")
    if card not in _SHORT_CARDS:
        raise NotWorded(f"no card {card!r}", hint="rank and suit, such as Ah or Td")
    if not long:
        return _SHORT_CARDS[card]
    rank, suit = speaker.say(f"card.rank.{card[0]}"), speaker.say(f"card.suit.{card[1]}")
    return speaker.say("card.long", rank=rank, suit=suit)


def say_amount(amount: int, lang: str) -> str:
    """Write whole chips with the language's groups of three.

    >>> say_amount(12500, "en"), say_amount(12500, "fr") == "12\\u202f500"
    ('12,500', True)
    """
    return voice(lang).amount(amount)


def say_substantial_action(term: str, lang: str) -> str:
    """Name substantial action with what it means under a book: the value of its term ``substantial_action``.

    >>> say_substantial_action("three_acted", "fr")
    'action substantielle (trois joueurs ont parlé)'

    Raises:
        NotWorded: no rulebook can have this value.
    """
    speaker = voice(lang)
    key = f"sa.{term}"
    if key not in speaker.texts:
        raise refuse("meaning of substantial action", term, "sa.", speaker)
    return speaker.say(key)
