"""Hands that move cards and chips: each motion takes human time, and the truth is written down as it lands.

Does not model: cards or chips that fall, slide or are put half on an antenna.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hw_sim.chips import exact, fewest
from hw_sim.clock import Agenda
from hw_sim.crew import Script
from hw_sim.errors import WorldError
from hw_sim.truth import TruthLog
from hw_sim.world import Card, Chip, Flight, World


@dataclass(frozen=True)
class Habits:
    """How long people take, as least and most seconds of virtual time.

    Attributes:
        deal: From one dealt card to the next.
        flight: How long a card is in the air.
        burn, board: Before a burn, before each board card.
        think: A player before he acts.
        post: A player before he posts his blind or ante.
        chips: Chips in the air.
        throw: Between two cards thrown in.
        crossing: A card that slides over the place of another seat.
        say: Before a button is pressed.
        shuffle, cut, gather, push, clear: The dealer's longer motions.
        confirm: How long the dealer waits before he confirms what no sensor sees.
        type: Before he has typed what happened on the page.
        lift: How long a player holds his cards up.
        again: How long he waits before he presses once more.
    """

    deal: tuple[float, float] = (0.3, 0.6)
    flight: tuple[float, float] = (0.15, 0.25)
    burn: tuple[float, float] = (0.5, 0.9)
    board: tuple[float, float] = (0.25, 0.45)
    think: tuple[float, float] = (0.8, 3.0)
    post: tuple[float, float] = (0.5, 2.5)
    chips: tuple[float, float] = (0.4, 0.8)
    throw: tuple[float, float] = (0.3, 0.5)
    crossing: tuple[float, float] = (0.1, 0.5)
    say: tuple[float, float] = (0.3, 0.7)
    shuffle: tuple[float, float] = (4.0, 7.0)
    cut: tuple[float, float] = (1.0, 2.0)
    gather: tuple[float, float] = (1.0, 2.0)
    push: tuple[float, float] = (1.0, 2.0)
    clear: tuple[float, float] = (2.5, 4.0)
    confirm: tuple[float, float] = (2.5, 3.5)
    type: tuple[float, float] = (1.5, 3.5)
    lift: tuple[float, float] = (0.5, 6.0)
    again: float = 8.0


class Motions:
    """The motions of one table. Times are drawn from a random source of its own for each person."""

    def __init__(
        self,
        agenda: Agenda,
        world: World,
        truth: TruthLog,
        habits: Habits,
        denominations: Sequence[int],
        seed: str,
    ) -> None:
        self.agenda = agenda
        self.world = world
        self.truth = truth
        self.habits = habits
        self.denominations = tuple(denominations)
        self.seed = seed
        self._rngs: dict[str, random.Random] = {}

    def rng(self, who: str) -> random.Random:
        """The random source of one person."""
        if who not in self._rngs:
            self._rngs[who] = random.Random(f"{self.seed}/people/{who}")
        return self._rngs[who]

    def time(self, who: str, span: tuple[float, float]) -> float:
        """How long this person takes this time."""
        return self.rng(who).uniform(*span)

    def note(self, what: str, **facts: object) -> None:
        """Write down that something truly happened now."""
        self.truth.add(self.agenda.now, what, **facts)

    # -- cards -------------------------------------------------------------------------------------------

    def card(self, who: str, card: Card, to: str, face: str, why: str, *, shows: bool = False) -> Script:
        """Move one card through the air; `shows`: its face can be seen on the way."""
        world, before = self.world, self.world.face(card)
        index = world.cards(world.where(card.uid)).index(card)
        source = world.move_card(card, "air")
        lasts = self.time(who, self.habits.flight)
        world.flights[card.uid] = (
            card,
            Flight(source, index, to, self.agenda.now, lasts, before, face, shows or "up" in (before, face)),
        )
        yield lasts
        world.flights.pop(card.uid, None)
        world.move_card(card, to, face=face)
        self.note("card", card=card.name, deck=card.deck, origin=source, to=to, face=face, by=who, why=why)

    def turn(self, who: str, cards: Iterable[Card], face: str) -> None:
        """Turn cards where they lie."""
        for card in cards:
            self.world.turn(card, face)
            self.note(
                "turned", card=card.name, deck=card.deck, at=self.world.where(card.uid), face=face, by=who
            )

    # -- chips -------------------------------------------------------------------------------------------

    def chips(self, who: str, chips: Sequence[Chip], to: str, why: str) -> Script:
        """Move chips from one place to another in one motion."""
        if not chips:
            return
        source = self.world.where(chips[0].uid)
        self.world.move_chips(chips, "air")
        yield self.time(who, self.habits.chips)
        amount = self.world.move_chips(chips, to)
        self.note(
            "chips", origin=source, to=to, amount=amount, chips=[c.value for c in chips], by=who, why=why
        )

    def payable(self, who: str, place: str, amount: int) -> Script:
        """See to it that the chips of a place can make an amount exactly: change from the bank if need be."""
        chips = self.world.chips(place)
        if exact(chips, amount) is not None:
            return
        rest = amount
        left: list[Chip] = []
        for chip in sorted(chips, key=lambda c: -c.value):
            if chip.value <= rest:
                rest -= chip.value
            else:
                left.append(chip)
        if not left:
            raise WorldError(f"{place} has {self.world.total(place)}, {amount} are wanted")
        large = left[-1]
        small = [*fewest(rest, self.denominations), *fewest(large.value - rest, self.denominations)]
        yield from self.exchange(who, place, [large], small)

    def exchange(self, who: str, place: str, out: Sequence[Chip], values: Sequence[int]) -> Script:
        """Swap chips of a place for others from the bank, worth the same, in one motion."""
        fresh = self.world.bank_chips(values)
        if sum(values) != sum(chip.value for chip in out):
            raise WorldError(f"change of {sum(values)} for {sum(chip.value for chip in out)}")
        self.world.move_chips([*out, *fresh], "air")
        yield self.time(who, self.habits.chips)
        self.world.move_chips(out, "bank")
        self.world.move_chips(fresh, place)
        self.note("change", at=place, out=[c.value for c in out], into=sorted(values), by=who)
