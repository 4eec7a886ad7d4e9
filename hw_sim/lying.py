"""How cards come to lie on their antennas: at the rim, under a guard, under a hand, flickering; and who slides them.

Drawn for each card that lands, by a seed of its own; a guard or a hand comes a moment after the card, on the whole hand.
Everything is written into the truth.

Does not model: a guard that is taken off to look at the cards and put back; how far a card is slid.
"""

import random
from typing import Final

from hw_sim.clock import Agenda
from hw_sim.faults import LIES, Faults
from hw_sim.truth import TruthLog
from hw_sim.world import Card, Spot, World

# A guard or a hand comes so long after the card (virtual seconds).
_AFTER_S: Final = (0.6, 2.5)
_ON_TOP: Final = frozenset({"metal", "hand"})
_SPOTS: Final[dict[str, Spot]] = {"edge": "edge", "metal": "metal", "hand": "hand", "flicker": "flicker"}


class Lying:
    """Decides how each card of a world lies. It listens to the world from the moment it is made.

    Attributes:
        faults: What is broken now; may be changed at any time, and counts from the next card on.
    """

    def __init__(self, world: World, agenda: Agenda, truth: TruthLog, faults: Faults, seed: str) -> None:
        self.faults = faults
        self._world = world
        self._agenda = agenda
        self._truth = truth
        self._rng = random.Random(f"{seed}/lying")
        world.landed = self._landed

    def _landed(self, card: Card, place: str) -> None:
        for name in LIES:
            number = self.faults.of(name, place)
            if not number or (name in _ON_TOP and not place.startswith("seat")):
                continue
            if name == "metal" and any(self._world.spot(c.uid) == "metal" for c in self._world.cards(place)):
                # the guard lies on the hand already, and the new card goes under it
                self._later(card, place, name)
                return
            if self._rng.random() < number:
                if name in _ON_TOP:
                    self._later(card, place, name)
                else:
                    self._cover([card], place, name)
                return

    def _later(self, card: Card, place: str, name: str) -> None:
        def put() -> None:
            if self._world.where(card.uid) == place:
                bare = [c for c in self._world.cards(place) if self._world.spot(c.uid) != name]
                self._cover(bare, place, name)

        self._agenda.after(self._rng.uniform(*_AFTER_S), put)

    def _cover(self, cards: list[Card], place: str, name: str) -> None:
        for card in cards:
            self._world.cover(card.uid, _SPOTS[name])
            self._truth.add(self._agenda.now, "lies", card=card.name, deck=card.deck, at=place, how=name)

    def cover(self, place: str, spot: Spot) -> int:
        """Somebody puts all cards of a place so; how many they were."""
        cards = self._world.cards(place)
        for card in cards:
            self._world.cover(card.uid, spot)
            self._truth.add(self._agenda.now, "lies", card=card.name, deck=card.deck, at=place, how=spot)
        return len(cards)

    def slide(self, place: str) -> int:
        """Somebody slides the cards of a place into the middle of their antenna; how many lay otherwise."""
        return sum(
            self._slid(card) for card in self._world.cards(place) if self._world.spot(card.uid) != "centre"
        )

    def _slid(self, card: Card) -> bool:
        self._world.cover(card.uid, "centre")
        at = self._world.where(card.uid)
        self._truth.add(self._agenda.now, "slid", card=card.name, deck=card.deck, at=at)
        return True
