"""Named conflicts of tags: states that cannot be, each shown with the place where somebody must look.

Nothing is concluded from a conflict, and none stops the hand: what is not clear is held until it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.rulings import Order
from table_controller.fusion.card_reads import CardReads
from table_controller.fusion.lying import Spot
from table_controller.fusion.offers import DoubtAt


class Conflicts:
    """What cannot be true of the tags of cards that are read now."""

    def __init__(self, cards: CardReads) -> None:
        self._cards = cards

    def now(self, expects: tuple[Order, ...], now: float) -> Iterator[DoubtAt]:
        """All conflicts that have lasted longer than a card is on its way, by place and reason.

        ``card_read_twice``: one tag at two places. ``same_card_twice``: two tags taught as one card of one deck.
        ``other_deck``: a card of the resting deck lies where the next card of the deck in play is due.

        Args:
            expects: What the engine expects next.
            now: Table time (s).
        """
        due = _due(expects)
        lying = self._cards.lying
        here = [spot for spot in lying.spots.values() if spot.here and spot.uid not in self._cards.stale]
        long = self._cards.timing.stranger
        for spot in here:
            old = [antenna for antenna, seen in spot.here.items() if now - seen.since >= long]
            if len({lying.places[antenna] for antenna in old}) > 1:
                yield from (DoubtAt(lying.places[antenna][0], "card_read_twice") for antenna in old)
            if not self._cards.plays(spot):
                yield from (
                    DoubtAt(place, "other_deck")
                    for antenna, seen in spot.here.items()
                    for place in lying.places[antenna]
                    if place in due and now - seen.since >= self._cards.timing.doubt_after
                )
        by_name: dict[str | None, list[Spot]] = {}
        for spot in here:
            by_name.setdefault(self._cards.name(spot), []).append(spot)
        for spots in by_name.values():
            for spot in spots:
                if any(other is not spot and self._cards.twins(spot, other) for other in spots):
                    yield from (
                        DoubtAt(lying.places[antenna][0], "same_card_twice")
                        for antenna, seen in spot.here.items()
                        if now - seen.since >= long
                    )


def _due(expects: tuple[Order, ...]) -> frozenset[str]:
    """Where the next card of the deck in play belongs."""
    return frozenset(
        order.to or "" if order.order == "deal" else order.order
        for order in expects[:1]
        if order.order in ("deal", "burn", "board")
    )
