"""What a person lays on the reader while a deck or chips are taught, understood. Pure: levels in, news out.

A tag counts when two readings in a row show it: a ghost does not stay. One tag at a time is taken; the one before may
still lie there. A tag that is known already is never taken again: it is the same card laid twice, a card of another
deck, or a chip, and each of them is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from engine.vocabulary import DECK

NewsKind = Literal["taken", "duplicate", "other_deck", "chip", "several", "right", "wrong"]


class News(Struct, frozen=True):
    """What came of a tag.

    Attributes:
        kind: ``taken``; ``duplicate`` (it is that card of this deck already), ``other_deck``, ``chip``;
            ``several`` new tags at once; in a check ``right`` or ``wrong``.
        uid: The tag; empty for several.
        card: The card that it is, or has become.
        deck: The deck of that card.
    """

    kind: NewsKind
    uid: str = ""
    card: str = ""
    deck: str = ""


class Watch:
    """Finds the tag that was newly laid in the levels of an antenna."""

    def __init__(self) -> None:
        self._before: frozenset[str] = frozenset()
        self._handled: frozenset[str] = frozenset()

    def see(self, uids: Sequence[str]) -> tuple[str, ...]:
        """Take a level; give the tags that lie there newly, once each, in two levels running."""
        now = frozenset(uids)
        sure = now & self._before
        self._before = now
        self._handled &= now
        fresh = sure - self._handled
        self._handled |= fresh
        return tuple(sorted(fresh))


class DeckTeaching:
    """One deck being taught, card by card.

    Attributes:
        deck: Its name.
        rows: Tags of it so far, UID to card.
        waiting: The cards still to come, the one asked for first.
    """

    def __init__(
        self,
        deck: str,
        known: Mapping[str, tuple[str, str]],
        chips: Mapping[str, int],
        *,
        done: Mapping[str, str] | None = None,
        wanted: Sequence[str] = DECK,
        by_hand: bool = False,
    ) -> None:
        """Begin, or go on.

        Args:
            deck: Its name.
            known: Cards that are taught already, of whatever deck: UID to card and deck.
            chips: Chips that are taught already.
            done: What of this deck was taught before.
            wanted: The cards to teach, in the order in which they are asked for.
            by_hand: Nothing is taken before a person has named it.
        """
        self.deck = deck
        self.rows: dict[str, str] = dict(done or {})
        taught = set(self.rows.values())
        self.waiting: list[str] = [card for card in wanted if card not in taught]
        self._known = known
        self._chips = chips
        self._watch = Watch()
        self._by_hand = by_hand
        self._named = False

    @property
    def next(self) -> str | None:
        """The card that is to be laid now; None when all are taught, or a person must name one first."""
        if not self.waiting or (self._by_hand and not self._named):
            return None
        return self.waiting[0]

    @property
    def complete(self) -> bool:
        """Whether nothing is left to teach."""
        return not self.waiting

    def name(self, card: str) -> bool:
        """A person says which card comes next; False where it is none that waits."""
        if card not in self.waiting:
            return False
        self.waiting.remove(card)
        self.waiting.insert(0, card)
        self._named = True
        return True

    def take_back(self) -> str | None:
        """The last card was wrong: it waits again; None where there is none."""
        if not self.rows:
            return None
        uid = next(reversed(self.rows))
        card = self.rows.pop(uid)
        self.waiting.insert(0, card)
        return card

    def see(self, uids: Sequence[str]) -> tuple[News, ...]:
        """Take what lies on the reader now."""
        fresh = self._watch.see(uids)
        strange = [uid for uid in fresh if self._known_as(uid) is None]
        if len(strange) > 1:
            return (News("several"),)
        told = [news for uid in fresh if (news := self._known_as(uid)) is not None]
        if strange and self.next is not None:
            card = self.waiting.pop(0)
            self.rows[strange[0]] = card
            self._named = False
            told.append(News("taken", strange[0], card, self.deck))
        return tuple(told)

    def _known_as(self, uid: str) -> News | None:
        if uid in self.rows:
            return News("duplicate", uid, self.rows[uid], self.deck)
        if uid in self._known:
            card, deck = self._known[uid]
            return News("duplicate" if deck == self.deck else "other_deck", uid, card, deck)
        if uid in self._chips:
            return News("chip", uid, str(self._chips[uid]))
        return None


class DeckCheck:
    """A few cards laid once more: if one was skipped while the deck was taught, the last ones are all wrong."""

    def __init__(self, rows: Mapping[str, str], wanted: Sequence[str]) -> None:
        self.waiting: list[str] = list(wanted)
        self._rows = rows
        self._watch = Watch()

    @property
    def next(self) -> str | None:
        """The card that is to be laid now; None when all are checked."""
        return self.waiting[0] if self.waiting else None

    def see(self, uids: Sequence[str]) -> tuple[News, ...]:
        """Take what lies on the reader now."""
        told: list[News] = []
        for uid in self._watch.see(uids):
            card = self._rows.get(uid, "")
            if card and card == self.next:
                self.waiting.pop(0)
                told.append(News("right", uid, card))
            elif self.waiting:
                told.append(News("wrong", uid, card))
        return tuple(told)


class ChipTeaching:
    """Chips of one denomination, one after the other or many at once.

    Attributes:
        rows: Tags taken so far.
    """

    def __init__(self, value: int, known: Mapping[str, int], cards: Mapping[str, tuple[str, str]]) -> None:
        self.rows: dict[str, int] = {}
        self._value = value
        self._known = known
        self._cards = cards
        self._watch = Watch()

    def see(self, uids: Sequence[str]) -> tuple[News, ...]:
        """Take what lies on the reader now."""
        told: list[News] = []
        for uid in self._watch.see(uids):
            if uid in self._cards:
                card, deck = self._cards[uid]
                told.append(News("other_deck", uid, card, deck))
            elif uid in self.rows or uid in self._known:
                worth = self.rows.get(uid) or self._known[uid]
                told.append(News("chip", uid, str(worth)))
            else:
                self.rows[uid] = self._value
                told.append(News("taken", uid, str(self._value)))
        return tuple(told)

    def take_back(self) -> None:
        """The last chip was wrong."""
        if self.rows:
            self.rows.popitem()
