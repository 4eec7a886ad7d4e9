"""What truly lies where on the table: two decks, chips, piles. The only place that knows.

Places of cards: deck, seat1…seat10, board, burn, muck, aside, felt, off_table, `hand` (the stub in the
dealer's hand), `air` (moving) and `rest` (the other deck being shuffled). Of chips: bet1…, stack1…, pot,
bank, air. What an antenna makes of it is `hw_sim.antennas`.

Does not model: positions in millimetres, which card covers which by how much, heat, wear, chips of two
values in one stack hiding each other; a lying card's position is one word (`Spot`).
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hw_sim.errors import WorldError

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
CARD_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
SEATS: Final = tuple(range(1, 11))
CARD_PLACES: Final = (
    "deck",
    *(f"seat{n}" for n in SEATS),
    "board",
    "burn",
    "muck",
    "aside",
    "felt",
    "off_table",
    "hand",
    "air",
    "rest",
)
CHIP_PLACES: Final = (
    *(f"bet{n}" for n in SEATS),
    *(f"stack{n}" for n in SEATS),
    "pot",
    "bank",
    "air",
)
# Places that no antenna can have.
NO_ANTENNA: Final = frozenset({"aside", "felt", "off_table", "hand", "air", "rest"})

Spot = Literal["centre", "edge", "metal", "hand", "flicker", "held"]
"""How a card lies at its place: centred, at the rim of the field, under metal, under a hand, where it is read every second time
only, or held up off the antenna."""


@dataclass(frozen=True, eq=False)
class Card:
    """One card of one deck and the tag in it. `uid` is uppercase hex."""

    uid: str
    name: str
    deck: str


@dataclass(frozen=True, eq=False)
class Chip:
    """One chip and the tag in it; `value` in whole chips, `uid` uppercase hex."""

    uid: str
    value: int


@dataclass(frozen=True)
class Flight:
    """A card on its way through the air, for whoever looks (no antenna does).

    Attributes:
        origin, to: Places; `index` is its place among the cards of the origin.
        began, lasts: Virtual seconds.
        face_before, face_after: Which way it lies: up or down.
        shows: Whether its face can be seen on the way.
    """

    origin: str
    index: int
    to: str
    began: float
    lasts: float
    face_before: str
    face_after: str
    shows: bool


@dataclass(frozen=True)
class Piles:
    """What can be read of cards that lie on one another. Assumptions to calibrate.

    Attributes:
        aligned: Of cards squared on one another at a seat or on the felt, how many are read at all.
        deck: Least and most UIDs that a squared deck answers; drawn each time it is put down.
        newest: How many of the newest cards a burn or muck pile shows.
    """

    aligned: int = 2
    deck: tuple[int, int] = (0, 2)
    newest: int = 2


def make_deck(name: str, uid_bytes: int, rng: random.Random) -> list[Card]:
    """Make 52 tagged cards: 7-byte UIDs start with 04 (ISO 14443A), 8-byte ones with E0 (ISO 15693)."""
    heads = {7: b"\x04", 8: b"\xe0\x04"}
    if uid_bytes not in heads:
        raise WorldError(f"deck {name}: UIDs of {uid_bytes} bytes", hint="7 or 8")
    uids: set[str] = set()
    while len(uids) < 52:
        head = heads[uid_bytes]
        uids.add((head + rng.randbytes(uid_bytes - len(head))).hex().upper())
    order = sorted(uids)
    rng.shuffle(order)
    return [Card(uid, card, name) for uid, card in zip(order, CARD_NAMES, strict=True)]


def make_chips(counts: dict[int, int], rng: random.Random) -> list[Chip]:
    """Make tagged chips, so many of each denomination (8-byte UIDs, ISO 15693)."""
    chips: list[Chip] = []
    seen: set[str] = set()
    for value in sorted(counts):
        for _ in range(counts[value]):
            uid = ""
            while not uid or uid in seen:
                uid = (b"\xe0\x07" + rng.randbytes(6)).hex().upper()
            seen.add(uid)
            chips.append(Chip(uid, value))
    return chips


class World:
    """Cards and chips and where they are. Every change counts up the version of the places it touches."""

    def __init__(
        self,
        decks: dict[str, list[Card]],
        chips: Sequence[Chip],
        *,
        piles: Piles = Piles(),
        seed: str = "",
    ) -> None:
        self.decks = decks
        self.piles = piles
        self.all_chips = tuple(chips)
        self.flights: dict[str, tuple[Card, Flight]] = {}
        self.moves = 0
        self.landed: Callable[[Card, str], None] | None = None
        self.versions: dict[str, int] = dict.fromkeys((*CARD_PLACES, *CHIP_PLACES), 0)
        self._rng = random.Random(f"{seed}/world")
        self._cards: dict[str, list[Card]] = {place: [] for place in CARD_PLACES}
        self._chips: dict[str, list[Chip]] = {place: [] for place in CHIP_PLACES}
        self._where: dict[str, str] = {}
        self._face_up: set[str] = set()
        self._spots: dict[str, Spot] = {}
        self._squared: set[str] = set()
        self._deck_shows: tuple[str, ...] = ()
        for deck in decks.values():
            for card in deck:
                self._cards["rest"].append(card)
                self._where[card.uid] = "rest"
        for chip in chips:
            self._chips["bank"].append(chip)
            self._where[chip.uid] = "bank"

    # -- looking ---------------------------------------------------------------------------------

    def cards(self, place: str) -> tuple[Card, ...]:
        """Cards at a place, the lowest (oldest) first; of a deck the top card is the last."""
        return tuple(self._cards[place])

    def chips(self, place: str) -> tuple[Chip, ...]:
        """Chips at a place, in the order in which they came."""
        return tuple(self._chips[place])

    def total(self, place: str) -> int:
        """What the chips at a place are worth."""
        return sum(chip.value for chip in self._chips[place])

    def where(self, uid: str) -> str:
        """Where a tag is.

        Raises:
            WorldError: No such tag was ever made.
        """
        try:
            return self._where[uid]
        except KeyError:
            raise WorldError(f"no tag {uid}") from None

    def card(self, deck: str, name: str) -> Card:
        """A card by deck and name."""
        for card in self.decks[deck]:
            if card.name == name:
                return card
        raise WorldError(f"deck {deck} has no {name}")

    def face(self, card: Card) -> str:
        """Which way a card lies: up or down."""
        return "up" if card.uid in self._face_up else "down"

    def spot(self, uid: str) -> Spot:
        """How a tag lies on its antenna."""
        return self._spots.get(uid, "centre")

    @property
    def spotted(self) -> bool:
        """Whether any tag lies otherwise than centred."""
        return bool(self._spots)

    def piled(self, place: str) -> bool:
        """Whether three cards or more lie squared on one another, or thrown on one another, here."""
        thrown = place in ("burn", "muck") or place in self._squared
        return thrown and len(self._cards.get(place, ())) > 2

    def places(self) -> dict[str, str]:
        """What lies where in plain words; the resting deck and the bank are left out."""
        said: dict[str, str] = {}
        for place, cards in self._cards.items():
            if cards and place not in ("rest", "air"):
                names = [c.name for c in cards]
                said[place] = " ".join(names) if len(names) <= 7 else f"{len(names)} cards"
        for place, chips in self._chips.items():
            if chips and place not in ("bank", "air"):
                said[place] = f"{self.total(place)} in {len(chips)} chips"
        moving = [c.name for c in self._cards["air"]]
        if moving or self._chips["air"]:
            said["air"] = " ".join([*moving, f"{self.total('air')} in chips"])
        return said

    # -- moving ----------------------------------------------------------------------------------

    def move_card(self, card: Card, to: str, *, face: str | None = None, bottom: bool = False) -> str:
        """Put a card somewhere, on top of what lies there; a face that is not given stays.

        Returns:
            Where it came from.

        Raises:
            WorldError: No cards can lie there.
        """
        if to not in self._cards:
            raise WorldError(f"no cards can lie at {to}")
        source = self._where[card.uid]
        self._cards[source].remove(card)
        if bottom:
            self._cards[to].insert(0, card)
        else:
            self._cards[to].append(card)
        self._where[card.uid] = to
        self._spots.pop(card.uid, None)
        if face is not None:
            self._set_face(card, face)
        if not self._cards[source]:
            self._squared.discard(source)
        self._touch(source, to)
        if self.landed is not None and to not in NO_ANTENNA:
            self.landed(card, to)
        return source

    def turn(self, card: Card, face: str) -> None:
        """Turn a card where it lies."""
        self._set_face(card, face)
        self._touch(self._where[card.uid])

    def cover(self, uid: str, spot: Spot) -> None:
        """Say how a tag lies: centred, at the edge, under metal (a coin, a protector), under a hand, held up."""
        if spot == "centre":
            self._spots.pop(uid, None)
        else:
            self._spots[uid] = spot
        self._touch(self.where(uid))

    def square(self, place: str, squared: bool = True) -> None:
        """Square the cards of a place on one another, or spread them again."""
        if squared:
            self._squared.add(place)
        else:
            self._squared.discard(place)
        self._touch(place)

    def move_chips(self, chips: Iterable[Chip], to: str) -> int:
        """Put chips somewhere in one motion.

        Returns:
            What they are worth.

        Raises:
            WorldError: No chips can lie there.
        """
        if to not in self._chips:
            raise WorldError(f"no chips can lie at {to}")
        total = 0
        touched = {to}
        for chip in tuple(chips):
            source = self._where[chip.uid]
            self._chips[source].remove(chip)
            self._chips[to].append(chip)
            self._where[chip.uid] = to
            touched.add(source)
            total += chip.value
        self._touch(*touched)
        return total

    def take_deck(self) -> None:
        """The dealer takes the stub in his hand: it is on no antenna now."""
        self._swap("deck", "hand")

    def put_deck(self) -> None:
        """The dealer puts the stub down, squared; which few tags it answers is drawn anew."""
        self._swap("hand", "deck")
        least, most = self.piles.deck
        count = self._rng.randint(least, most)
        # the lowest cards are next to the antenna
        self._deck_shows = tuple(card.uid for card in self._cards["deck"][:count])
        self._touch("deck")

    def stack_deck(self, deck: str, order: Sequence[str]) -> None:
        """Lay all cards of one deck in the dealer's hand in this order, the top card first.

        Raises:
            WorldError: The order is not the 52 cards, each once, or a card of that deck is still out.
        """
        if sorted(order) != sorted(CARD_NAMES):
            raise WorldError(f"deck {deck}: the order is not 52 different cards")
        by_name = {card.name: card for card in self.decks[deck]}
        for name in reversed(order):
            self.move_card(by_name[name], "hand", face="down")

    def rest_deck(self, deck: str) -> None:
        """Take all cards of a deck off the table, to be shuffled by somebody else."""
        for card in self.decks[deck]:
            self.move_card(card, "rest", face="down")

    def top(self) -> Card:
        """The next card that the dealer would deal.

        Raises:
            WorldError: The stub is not in his hand, or empty.
        """
        if not self._cards["hand"]:
            raise WorldError("there is no card in the dealer's hand")
        return self._cards["hand"][-1]

    def bring_up(self, card: Card) -> None:
        """Let a card of the stub in the dealer's hand be the next one: what the shuffle had laid there anyway.

        Raises:
            WorldError: It is not in his hand.
        """
        stub = self._cards["hand"]
        if card not in stub:
            raise WorldError(f"{card.name} is not in the dealer's hand")
        stub.remove(card)
        stub.append(card)

    def shuffle_stub(self, rng: random.Random) -> None:
        """Shuffle the stub in the dealer's hand."""
        rng.shuffle(self._cards["hand"])

    def bank_chips(self, values: Iterable[int]) -> list[Chip]:
        """Pick chips of these denominations out of the bank.

        Raises:
            WorldError: The bank has run out of a denomination.
        """
        free: dict[int, list[Chip]] = {}
        for chip in self._chips["bank"]:
            free.setdefault(chip.value, []).append(chip)
        picked: list[Chip] = []
        for value in values:
            pile = free.get(value)
            if not pile:
                raise WorldError(f"the bank has no chip of {value} left", hint="give the world more chips")
            picked.append(pile.pop())
        return picked

    # -- what is near enough to be read --------------------------------------------------------------

    def readable(self, place: str) -> tuple[str, ...]:
        """UIDs that an antenna under this place could read at its best: a pile hides most of itself."""
        if place in self._chips and place not in NO_ANTENNA:
            return tuple(chip.uid for chip in self._chips[place])
        if place in NO_ANTENNA:
            return ()
        cards = self._cards[place]
        if place == "deck":
            return tuple(uid for uid in self._deck_shows if self._where[uid] == "deck")
        if place in ("burn", "muck"):
            return tuple(card.uid for card in cards[-self.piles.newest :]) if self.piles.newest else ()
        if place in self._squared:
            return tuple(card.uid for card in cards[: self.piles.aligned])
        return tuple(card.uid for card in cards)

    def overlapped(self, place: str) -> bool:
        """Whether two cards lie on one another here, so that each hides the other at times."""
        return place.startswith("seat") and len(self._cards[place]) > 1

    # -- inside ------------------------------------------------------------------------------------

    def _set_face(self, card: Card, face: str) -> None:
        if face == "up":
            self._face_up.add(card.uid)
        elif face == "down":
            self._face_up.discard(card.uid)
        else:
            raise WorldError(f"a card lies up or down, not {face}")

    def _swap(self, source: str, to: str) -> None:
        cards = self._cards[source]
        for card in cards:
            self._where[card.uid] = to
        self._cards[to].extend(cards)
        self._cards[source] = []
        self._touch(source, to)

    def _touch(self, *places: str) -> None:
        self.moves += 1
        for place in places:
            self.versions[place] += 1
