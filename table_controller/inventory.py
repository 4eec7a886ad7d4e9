"""Which tag is which card or chip, read from the club's files; and the cards seen since the last shuffle.

A card's identity lives in ``HiddenCard``, which does not print, format, pickle or serialise: it can only be
``reveal``\\ ed, and fusion does that for cards that the whole table may see.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NoReturn

from engine.vocabulary import DECK, is_card
from table_controller.errors import TableError

_UID_BYTES: Final = (4, 7, 8)
_LARGEST_FILE: Final = 4 << 20
_LARGEST_CHIP: Final = 10**12


class InventoryError(TableError):
    """The file of cards or chips cannot be used as it stands."""

    code = "table_inventory"
    default_hint = "correct the line, or teach the deck again with `maldonne enroll`"


class HiddenCard:
    """A card whose tag lies on the table: nothing that prints, logs or stores it shows which one it is."""

    __slots__ = ("_name", "deck")

    def __init__(self, name: str, deck: str) -> None:
        """Keep the card's name; ``deck`` is the name of its deck, which is no secret."""
        self._name = name
        self.deck = deck

    def reveal(self) -> str:
        """Give the card's name: only for a card that the table has seen or is shown."""
        return self._name

    def same_as(self, other: HiddenCard) -> bool:
        """Whether both are of one rank and suit, in whatever deck."""
        return self._name == other._name

    def __repr__(self) -> str:
        return "<card>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "<card>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a hidden card is not written anywhere")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a hidden card is not written anywhere")


class Tags:
    """The tags that the club has taught the table; any other tag is an ordinary stranger.

    Attributes:
        decks: Names of the decks in the order of the file; two of them are a pair that take turns.
    """

    def __init__(self, cards: Mapping[str, HiddenCard], chips: Mapping[str, int]) -> None:
        self._cards = dict(cards)
        self._chips = dict(chips)
        self.decks = tuple(dict.fromkeys(card.deck for card in cards.values()))

    @property
    def cards(self) -> Mapping[str, HiddenCard]:
        """Every card by its tag, as taught now."""
        return self._cards

    @property
    def chips(self) -> Mapping[str, int]:
        """Every chip by its tag."""
        return self._chips

    def take(self, cards: Tags) -> None:
        """Take over the cards of a file that was taught anew; chips stay. Everybody who knows these tags sees it."""
        self._cards = dict(cards.cards)
        self.decks = cards.decks

    @classmethod
    def load(cls, deck: Path | None, chips: Path | None) -> Tags:
        """Read the club's files; a table without one of them knows no tags of that sort.

        Raises:
            InventoryError: Naming file and line.
        """
        cards = read_deck(deck) if deck is not None else {}
        values = read_chips(chips) if chips is not None else {}
        both = next((uid for uid in values if uid in cards), None)
        if both is not None:
            raise InventoryError(
                "one tag is a card and a chip",
                where=f"{chips}:{_line_of(chips, both) if chips else 0}",
                hint="take it out of one of the files",
            )
        return cls(cards, values)

    def card(self, uid: str) -> HiddenCard | None:
        """The card of a tag, None for a chip or a stranger."""
        return self._cards.get(uid)

    def chip(self, uid: str) -> int | None:
        """What the chip of a tag is worth, None for a card or a stranger."""
        return self._chips.get(uid)

    def __repr__(self) -> str:
        return f"Tags(<{len(self._cards)} cards>, <{len(self._chips)} chips>)"


class CardAccount:
    """The cards of the deck in play that were read since its last shuffle: all that may be said of the deck.

    Piles cannot be read, so what is not in the account is unknown, not missing.

    Attributes:
        deck: The deck in play, once a card of it was read.
        away: Decks that people have put away: none of their cards plays.
    """

    def __init__(self) -> None:
        self.deck: str | None = None
        self.away: frozenset[str] = frozenset()
        self._seen: set[str] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def shuffled(self) -> None:
        """The deck was shuffled: nothing is known of it any more, not even which of the pair it is."""
        self.deck = None
        self._seen.clear()

    def saw(self, uid: str, card: HiddenCard) -> None:
        """A card of the deck in play was read somewhere."""
        if card.deck not in self.away:
            self.deck = self.deck or card.deck
        self._seen.add(uid)

    def plays(self, card: HiddenCard) -> bool:
        """Whether a card may be of the deck in play: the resting one of a pair is not, nor one that was put away."""
        return card.deck not in self.away and (self.deck is None or card.deck == self.deck)

    def __repr__(self) -> str:
        return f"CardAccount(deck={self.deck!r}, <{len(self._seen)} cards>)"


def normal_uid(text: str) -> str | None:
    """Give a UID in upper-case hex without separators; None when it can be none.

    >>> normal_uid("04:a1:b2:c3:d4:e5:f6"), normal_uid("04A1")
    ('04A1B2C3D4E5F6', None)
    """
    bare = re.sub(r"[\s:-]", "", text).upper()
    if len(bare) // 2 not in _UID_BYTES or len(bare) % 2 or not re.fullmatch(r"[0-9A-F]+", bare):
        return None
    return bare


def read_deck(path: Path) -> dict[str, HiddenCard]:
    """Read ``deck.csv`` (uid,card,deck): every deck has each of the 52 cards once.

    Raises:
        InventoryError: A tag or a card stands twice, a deck is not whole, or a line cannot be read.
    """
    cards: dict[str, HiddenCard] = {}
    lines: dict[str, int] = {}
    have: dict[str, dict[str, int]] = {}
    for line, (text, card, deck) in _rows(path, ("uid", "card", "deck")):
        where = f"{path}:{line}"
        uid = _uid(text, where, lines, line)
        if not is_card(card):
            raise InventoryError(f"{card!r} is no card", where=where, hint="such as Ah or Td")
        if not deck:
            raise InventoryError("the deck has no name", where=where)
        named = have.setdefault(deck, {})
        if card in named:
            raise InventoryError(f"deck {deck} has {card} twice, here and in line {named[card]}", where=where)
        named[card] = line
        cards[uid] = HiddenCard(card, deck)
    if not cards:
        raise InventoryError("names no card", where=str(path))
    for deck, named in have.items():
        missing = [card for card in DECK if card not in named]
        if missing:
            shown = ", ".join(missing[:4]) + ("…" if len(missing) > 4 else "")
            raise InventoryError(
                f"deck {deck} has {len(named)} cards of 52: {shown} not taught", where=str(path)
            )
    return cards


def read_chips(path: Path) -> dict[str, int]:
    """Read ``chips.csv`` (uid,denomination); a table without tagged chips may have an empty one.

    Raises:
        InventoryError: A tag stands twice or a denomination is no whole number above 0.
    """
    chips: dict[str, int] = {}
    lines: dict[str, int] = {}
    for line, (text, value) in _rows(path, ("uid", "denomination")):
        where = f"{path}:{line}"
        uid = _uid(text, where, lines, line)
        if not value.isdecimal() or not 0 < int(value) <= _LARGEST_CHIP:
            raise InventoryError(f"{value!r} is no denomination", where=where, hint="whole chips, at least 1")
        chips[uid] = int(value)
    return chips


def denominations(chips: Mapping[str, int]) -> dict[int, int]:
    """How many chips of each denomination a file names."""
    return dict(sorted(Counter(chips.values()).items()))


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Give the lines of a file below its heading, each with its number and its columns in this order."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InventoryError(
            f"cannot be read: {error.strerror}", where=str(path), hint="check the path in [files]"
        ) from error
    if len(raw) > _LARGEST_FILE:
        raise InventoryError("is larger than 4 MiB", where=str(path), hint="is this the right file?")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InventoryError("is not UTF-8 text", where=f"{path}:{line}") from None
    reader = csv.reader(text.splitlines())
    heading: list[str] | None = None
    try:
        for fields in reader:
            cells = [cell.strip() for cell in fields]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if heading is None:
                heading = [cell.lower() for cell in cells]
                if sorted(heading) != sorted(columns):
                    raise InventoryError(
                        f"the first line must name the columns {', '.join(columns)}",
                        where=f"{path}:{reader.line_num}",
                    )
                continue
            if len(cells) != len(columns):
                raise InventoryError(
                    f"{len(cells)} columns instead of {len(columns)}", where=f"{path}:{reader.line_num}"
                )
            yield reader.line_num, tuple(cells[heading.index(column)] for column in columns)
    except csv.Error as error:
        raise InventoryError(f"is no CSV: {error}", where=f"{path}:{reader.line_num}") from None


def _uid(text: str, where: str, lines: dict[str, int], line: int) -> str:
    uid = normal_uid(text)
    if uid is None:
        raise InventoryError(f"{text!r} is no UID", where=where, hint="4, 7 or 8 bytes in hex")
    if uid in lines:
        raise InventoryError(f"this tag stands in line {lines[uid]} already", where=where)
    lines[uid] = line
    return uid


def _line_of(path: Path, uid: str) -> int:
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if normal_uid(line.split(",")[0]) == uid:
            return number
    return 0
