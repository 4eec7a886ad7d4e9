"""What several messages are made of: a level, a seat, the next physical act."""

from __future__ import annotations

import msgspec

from table_controller.messages.vocabulary import (
    AnteKind,
    Card,
    Chips,
    Count,
    EntryId,
    Label,
    Place,
    Seat,
    Slug,
    Text,
)


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frozen record of a message; a field left at its default does not travel."""


class Ante(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The ante of a level: who pays it, and how many chips."""

    kind: AnteKind = "none"
    amount: Chips = 0


class Level(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A level of the structure: its number (0 without a tournament), blinds and ante, in chips."""

    n: Count
    small_blind: Chips
    big_blind: Chips
    ante: Ante = Ante()


class Order(Part, frozen=True, kw_only=True, rename={"from_": "from", "for_": "for"}):
    """The next physical act of a dealer; never names a face-down card.

    `order` is the verb of `contracts.md` section 3; the other fields are its arguments.
    """

    order: Slug
    to: Place | None = None
    count: Count | None = None
    card: Card | None = None
    from_: Place | None = None
    face: Slug | None = None
    what: Label | None = None
    by_seat: Seat | None = None
    seat: Seat | None = None
    amount: Chips | None = None
    seconds: Count | None = None
    text: Text | None = None
    options: tuple[Label, ...] | None = None
    call: Chips | None = None
    min: Chips | None = None
    max: Chips | None = None
    fact: Slug | None = None
    for_: Label | None = None


class SeatStack(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Who sits at a seat with how many chips; null where the table does not know the stack."""

    seat: Seat
    entry: EntryId | None
    stack: Chips | None
