"""What a person does with a deck on the antennas, understood: a count of the deck, and a card that gets a new tag.

Pure: levels of antennas in, what they amount to out. Piles cannot be read, so a deck is counted by what passes; which
cards were missed is said only when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.vocabulary import DECK
from table_controller.inventory import HiddenCard

Antenna = tuple[str, int]
WHOLE = len(DECK)
SURE = 0.6
"""So many seconds an unknown tag must lie there: longer than one cycle of the card antennas."""


class _Lying:
    """Unknown tags that lie on antennas, each believed once one antenna has told it for a while: a ghost does not stay.

    A board tells a level once and then only what changes, so it is time that makes sure, not a second reading.
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._since: dict[Antenna, dict[str, float]] = {}

    def see(self, antenna: Antenna, uids: Sequence[str], t: float) -> None:
        """Take a level."""
        before = self._since.get(antenna, {})
        self._since[antenna] = {uid: before.get(uid, t) for uid in uids if uid not in self._known}

    def sure(self, now: float) -> frozenset[str]:
        """The tags that have lain long enough, and lie there still."""
        return frozenset(
            uid for each in self._since.values() for uid, since in each.items() if now - since >= SURE
        )


class Count:
    """One deck counted by passing its cards over the antennas, in any order and on any of them.

    Attributes:
        deck: Its name.
        strangers: Unknown tags that lay there: a card of nobody's deck, or a telephone.
    """

    def __init__(self, deck: str, cards: Mapping[str, HiddenCard], chips: Collection[str] = ()) -> None:
        """Begin with no card seen.

        Args:
            deck: Its name.
            cards: All cards that are taught, by tag.
            chips: Tags of chips, which mean nothing here.
        """
        self.deck = deck
        self.strangers: set[str] = set()
        self._cards = cards
        self._seen: set[str] = set()
        self._others: set[str] = set()
        self._lying = _Lying({*cards, *chips})

    def see(self, antenna: Antenna, uids: Sequence[str], t: float) -> None:
        """Take what lies on an antenna at a time."""
        for uid in uids:
            card = self._cards.get(uid)
            if card is not None:
                (self._seen if card.deck == self.deck else self._others).add(uid)
        self._lying.see(antenna, uids, t)

    def look(self, now: float) -> None:
        """Time has passed."""
        self.strangers.update(self._lying.sure(now))

    @property
    def seen(self) -> int:
        """How many of the 52 have passed."""
        return len(self._seen)

    @property
    def others(self) -> tuple[tuple[str, str], ...]:
        """Cards of other decks that were read, as (card, deck): people say whether they were among these."""
        return tuple(sorted((self._cards[uid].reveal(), self._cards[uid].deck) for uid in self._others))

    @property
    def clean(self) -> bool:
        """Whether all 52 have passed and nothing else."""
        return self.seen == WHOLE and not self._others and not self.strangers

    def missing(self) -> tuple[str, ...]:
        """The cards that have not passed, in the order of a new deck. Said when people ask for it."""
        passed = {self._cards[uid].reveal() for uid in self._seen}
        return tuple(card for card in DECK if card not in passed)


class NewTag:
    """A card of a deck gets a new tag: a spare card, or the same one with its dead tag replaced.

    Attributes:
        deck, card: Which card.
        found: The tag that lies there, once there is exactly one unknown one: a person says that it is the card.
        several: More than one unknown tag lies there.
    """

    def __init__(self, deck: str, card: str, known: Collection[str]) -> None:
        """Begin with nothing laid.

        Args:
            deck: The deck's name.
            card: The card, as ``Ah``.
            known: All tags of cards and chips that are taught.
        """
        self.deck = deck
        self.card = card
        self.found: str | None = None
        self.several = False
        self._lying = _Lying(known)
        self._refused: set[str] = set()

    def see(self, antenna: Antenna, uids: Sequence[str], t: float) -> None:
        """Take what lies on an antenna at a time."""
        self._lying.see(antenna, uids, t)

    def look(self, now: float) -> None:
        """Time has passed: a misread of the tag that was found does not take it away again, another beside it does."""
        lying = self._lying.sure(now) - self._refused
        self.several = len(lying) > 1
        if len(lying) == 1:
            self.found = next(iter(lying))
        elif self.several:
            self.found = None

    def not_this(self) -> None:
        """A person says that the tag which was found is no card of the deck: it is not looked at again."""
        if self.found is not None:
            self._refused.add(self.found)
            self.found = None
