"""What fusion offers the table: one act as it was understood, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from engine.events import TableEvent


class DoubtAt(Struct, frozen=True, order=True):
    """A place that the sensors are not sure of, and why (a slug).

    Reasons: ``card_not_read`` (a card should lie there and is not read: slide it), ``card_read_twice``
    (one tag on two antennas), ``same_card_twice`` (two tags of one card), ``other_deck`` (a card of the resting deck
    where one of the deck in play is due), ``fold_not_seen`` (cards of unknown origin lie in the muck: who folds?),
    ``chips_not_read``, ``chips_missing`` (less is read there than was put there, for long), ``device_lost``,
    ``differs_from_record``, ``camera_contradicts`` (the camera reads another card than the antenna).
    """

    place: str
    reason: str


@dataclass(frozen=True)
class Offer:
    """One act: the events that belong together, in the expected order.

    Attributes:
        events: For the engine, in this order, all or none.
        source: What it rests on: ``antenna``, ``camera``, ``inferred`` (what must have come before it), or
            ``panel:<BUTTON>``.
        place: Where it was seen; empty for a word.
        cards: Tags of cards and the places where they lie now. Never leaves fusion.
        chips: Tags of chips and the places where they lie now.
        blind: If people deny the act: places whose card is taken as not readable.
        evidence: Which senses say so: ``antenna``, ``camera`` or both.
        sights: Numbers of the sightings that it explains.
        mixed: If people deny the act: the antennas' part of it stands.
        since: When it was seen first (s), where that is earlier than when it is believed.
        late: Chips that left the stack with the act before and were read nowhere until now: they are of that act.
    """

    events: tuple[TableEvent, ...]
    source: str
    place: str = ""
    cards: tuple[tuple[str, str], ...] = ()
    chips: tuple[tuple[str, str], ...] = ()
    blind: tuple[str, ...] = ()
    stranger: str = ""
    evidence: tuple[str, ...] = ()
    sights: tuple[int, ...] = ()
    mixed: bool = False
    since: float | None = None
    late: bool = False

    @property
    def sensed(self) -> bool:
        """Whether sensors alone say so, and no person."""
        return not self.source.startswith("panel:")

    def __repr__(self) -> str:
        return f"Offer({len(self.events)} events, source={self.source!r}, place={self.place!r})"
