"""What of the chips the engine has been told, hand by hand: who still has to put in, who gets back, what lies where.

The engine knows what must lie where (its stacks and bets); the ledger knows what was seen to be put there. Both are
made of the same events, so the ledger of a running hand is rebuilt from the journal.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Acted, ChipsMoved, Counted, HandStarted, PotTaken, TableEvent
from engine.state import HandState


class Ledger:
    """Chips of the running hand as the events told them, in whole chips."""

    def __init__(self) -> None:
        self._put_in: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self._zones: dict[str, int] = {}

    def restore(self, events: Iterable[TableEvent]) -> None:
        """Take all events of the running hand again."""
        for event in events:
            self.take(event)

    def take(self, event: TableEvent) -> None:
        """Keep what an event says of chips."""
        if isinstance(event, HandStarted):
            self._put_in.clear()
            self._taken.clear()
            self._zones.clear()
            for entry in event.seats:
                if entry.stack is not None:
                    self._zones[f"stack{entry.seat}"] = entry.stack
        elif isinstance(event, Acted):
            if event.chips:
                self._move(f"stack{event.seat}", f"bet{event.seat}", sum(event.chips))
        elif isinstance(event, ChipsMoved):
            self._move(event.from_, event.to, event.amount)
            if event.from_.startswith("bet") and event.to == "pot":
                self._gather()
        elif isinstance(event, PotTaken):
            self._taken[event.seat] = self._taken.get(event.seat, 0) + event.amount
            self._shift("pot", f"stack{event.seat}", event.amount)
        elif isinstance(event, Counted):
            self._zones[f"stack{event.seat}"] = event.amount

    def balance(self, state: HandState, seat: int) -> int:
        """What a seat has put in beyond what counts (+, to go back), or still has to put in (-)."""
        owner = state.seats.get(seat)
        if owner is None or owner.start is None or owner.stack is None:
            return 0
        counts = owner.start - owner.stack + self._taken.get(seat, 0)
        return self._put_in.get(seat, 0) - counts

    def lies(self, zone: str) -> int | None:
        """What should lie at a place by all that was told; None where that is not known."""
        if zone.startswith("stack"):
            return self._zones.get(zone)
        return max(0, self._zones.get(zone, 0))

    def bets(self) -> dict[str, int]:
        """What lies before the players by all that was told."""
        return {zone: amount for zone, amount in self._zones.items() if zone.startswith("bet") and amount > 0}

    def _gather(self) -> None:
        """Bets come in all together, whether each of their chips was read or not."""
        for zone in [zone for zone in self._zones if zone.startswith("bet")]:
            self._zones["pot"] = self._zones.get("pot", 0) + max(0, self._zones.pop(zone))

    def _move(self, origin: str, target: str, amount: int) -> None:
        if origin.startswith("stack") and not target.startswith("stack"):
            seat = int(origin[5:])
            self._put_in[seat] = self._put_in.get(seat, 0) + amount
        elif target.startswith("stack"):
            seat = int(target[5:])
            self._put_in[seat] = self._put_in.get(seat, 0) - amount
        self._shift(origin, target, amount)

    def _shift(self, origin: str, target: str, amount: int) -> None:
        if origin.startswith("bet") and self._zones.get(origin, 0) < amount:
            # it went by way of the pot
            rest = amount - max(0, self._zones.get(origin, 0))
            self._zones["pot"] = self._zones.get("pot", 0) - rest
            self._zones[origin] = 0
        elif origin in self._zones or not origin.startswith("stack"):
            self._zones[origin] = self._zones.get(origin, 0) - amount
        if target in self._zones or not target.startswith("stack"):
            self._zones[target] = self._zones.get(target, 0) + amount
