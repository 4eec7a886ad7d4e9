"""The slips that dealer and players make, and when: by name and place, or drawn at a rate from a seed.

Slips of the deal take the number of the card off the deck (`expose:7`), those of a street its name
(`double_burn:flop`), the others nothing (`extra`). A slip that the hand never comes to does not happen.

Does not model: slips of the betting (wrong amounts, string bets, words that are taken back), a wrong button, a deck
with a card too many.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hw_sim.errors import ConfigError

OF_THE_DEAL: Final = ("expose", "drop", "boxed", "skip")
# Of the deal too, but only by name: no rate draws them.
BY_NAME: Final = ("wrong_seat", "wrong_deck")
OF_A_STREET: Final = ("double_burn", "no_burn", "too_many", "premature", "show_burn", "drop_stub")
ALONE: Final = ("extra", "fold_early")
STREETS: Final = ("flop", "turn", "river")
# What no antenna notices: somebody must say it.
UNSEEN: Final = frozenset({"expose", "drop", "boxed", "show_burn", "drop_stub"})

# The incidents that a slip may be taken for; which of them a book rules depends on the moment.
INCIDENTS: Final[dict[str, frozenset[str]]] = {
    "expose": frozenset(
        {"first_card_exposed", "second_card_exposed", "card_exposed_in_deal", "several_cards_exposed_in_deal"}
    ),
    "drop": frozenset({"card_dropped_by_dealer", "several_cards_exposed_in_deal"}),
    "boxed": frozenset({"boxed_card", "several_boxed_cards"}),
    "skip": frozenset({"seat_skipped", "wrong_card_count", "card_to_wrong_seat"}),
    "wrong_seat": frozenset({"card_to_wrong_seat", "wrong_card_count"}),
    "wrong_deck": frozenset({"wrong_deck", "foreign_card"}),
    "extra": frozenset({"extra_card", "several_extra_cards", "wrong_card_count"}),
    "double_burn": frozenset({"double_burn"}),
    "no_burn": frozenset({"no_burn"}),
    "too_many": frozenset({"flop_too_many_cards", "street_too_many_cards"}),
    "premature": frozenset({"premature_flop", "premature_turn", "premature_river"}),
    "show_burn": frozenset({"burn_exposed"}),
    "drop_stub": frozenset({"stub_dropped"}),
    "fold_early": frozenset({"hand_touched_muck", "out_of_turn"}),
}


@dataclass(eq=False)
class Slip:
    """One slip of one hand.

    Attributes:
        number: The card off the deck at which it happens, 0 where it is none of the deal.
        street: The street that it spoils, empty where it spoils none.
        made: Whether it has happened.
        settled: Whether the table has ruled on it, or it has gone by.
    """

    name: str
    number: int = 0
    street: str = ""
    made: bool = False
    settled: bool = False

    def __str__(self) -> str:
        place = str(self.number) if self.number else self.street
        return f"{self.name}:{place}" if place else self.name


class Slips:
    """A plan of errors: a specification for every hand, or a rate drawn for each hand by its number and the seed.

    Args:
        spec: `expose:7,double_burn:flop`, a rate such as `0.02`, or nothing at all.
        seed: Draws them.
        tells: The share of slips that nobody could notice otherwise which the dealer tells of.

    Raises:
        ConfigError: An unknown slip, or one without its place.
    """

    def __init__(self, spec: str = "", seed: str = "", *, tells: float = 1.0) -> None:
        self.rate = 0.0
        self._named: tuple[tuple[str, int, str], ...] = ()
        self._seed = seed
        self.tells = tells
        if re.fullmatch(r"[01]?\.\d+|[01]", spec.strip()):
            self.rate = float(spec)
        elif spec.strip():
            self._named = tuple(_parse(word.strip()) for word in spec.split(","))
        if not 0 <= self.rate <= 1 or not 0 <= tells <= 1:
            raise ConfigError(f"slips {spec!r}: a rate is between 0 and 1")

    @property
    def none(self) -> bool:
        """Whether nobody ever slips."""
        return not self.rate and not self._named

    def of_hand(self, hand: int, players: int) -> list[Slip]:
        """The slips of one hand; a hand that is dealt again has none any more."""
        if not self.rate:
            return [Slip(*named) for named in self._named]
        rng = random.Random(f"{self._seed}/slips/{hand}")
        slips = [
            Slip(rng.choice(OF_THE_DEAL), number=number)
            for number in range(1, 2 * players + 1)
            if rng.random() < self.rate
        ]
        for street in STREETS:
            if rng.random() < self.rate:
                slips.append(Slip(rng.choice(OF_A_STREET), street=street))
        return slips + [Slip(name) for name in ALONE if rng.random() < self.rate]


def _parse(word: str) -> tuple[str, int, str]:
    name, _, place = word.partition(":")
    if name in (*OF_THE_DEAL, *BY_NAME) and place.isdecimal() and int(place) >= 1:
        return name, int(place), ""
    if name in OF_A_STREET and place in STREETS:
        return name, 0, place
    if name in ALONE and not place:
        return name, 0, ""
    known = (
        [f"{slip}:N" for slip in (*OF_THE_DEAL, *BY_NAME)]
        + [f"{slip}:STREET" for slip in OF_A_STREET]
        + list(ALONE)
    )
    raise ConfigError(f"{word!r} is no slip", hint="known: " + ", ".join(known))


def pending(slips: Sequence[Slip]) -> list[Slip]:
    """Those that were made and on which the table has not yet answered."""
    return [slip for slip in slips if slip.made and not slip.settled]
