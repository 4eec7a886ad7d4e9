"""What the hub says of a tournament to tables and displays.

`tournament/<id>/...` carries entry ids only; the same parts under `public/...` may carry names, where a club shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from table_controller.messages.documents import TableSeat, Words
from table_controller.messages.parts import Level, Part
from table_controller.messages.vocabulary import Chips, Count, EntryId, Id, Label, Seat, Slug, Text, Utc

#: Money in the smallest unit of the currency.
Money = Annotated[int, Meta(ge=0, le=2**53 - 1, description="smallest unit of the currency")]


class Clock(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The tournament clock: only changes are published, everybody counts down by himself.

    `remaining_s` is what was left of the level at `running_since`, or now when that is null (stopped).
    `pauses` are the owners of the pause; each must release it.
    """

    epoch: Count
    rev: Count
    level: Level | None
    remaining_s: Annotated[float, Meta(ge=0, le=1e9)]
    running_since: Utc | None
    utc: Utc
    state: Literal["before", "running", "paused", "break", "over"]
    next_level: Level | None = None
    next_break_s: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    pauses: tuple[Slug, ...] = ()
    hand_for_hand: bool = False
    round: Count | None = None


class StructureLevel(Part, frozen=True, kw_only=True, omit_defaults=False):
    """A level and how long it is, in minutes; a break has no blinds."""

    minutes: Annotated[float, Meta(gt=0, le=100_000)]
    level: Level | None = None
    colour_up: tuple[Chips, ...] = ()


class Structure(Part, frozen=True, kw_only=True, omit_defaults=False):
    """All levels and breaks in order, and the last level of late entry."""

    levels: tuple[StructureLevel, ...]
    late_entry_until_level: Count | None = None


class Info(Part, frozen=True, kw_only=True, omit_defaults=False):
    """What the tournament is: name, rulebook, tables, how many play."""

    title: Label
    rulebook: Label
    tables: tuple[Id, ...]
    entries: Count
    alive: Count
    chips: Chips
    average: Chips | None = None
    money_line: bool | None = None
    places_paid: Count | None = None


class Standing(Part, frozen=True, kw_only=True, omit_defaults=False):
    """An entry's rank; `place` is null while it plays."""

    entry: EntryId
    place: Count | None = None
    stack: Chips | None = None
    table: Id | None = None
    seat: Seat | None = None


class PublicStanding(Standing, frozen=True, kw_only=True, omit_defaults=False):
    """The same for displays, with the name where the club shows names."""

    name: Label | None = None


class Standings(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Ranks, best first; at most 100 rows a message: `first` is the index of the first one, of `total`."""

    first: Count
    total: Count
    rows: Annotated[tuple[Standing, ...], Meta(max_length=100)]


class PublicStandings(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Ranks for displays."""

    first: Count
    total: Count
    rows: Annotated[tuple[PublicStanding, ...], Meta(max_length=100)]


class Move(Part, frozen=True, kw_only=True, omit_defaults=False):
    """An entry's way from one seat to another, and who has confirmed it."""

    move: Id
    entry: EntryId
    origin: TableSeat
    target: TableSeat | None
    state: Literal["planned", "called", "in_transit", "done", "cancelled"]
    stack: Chips | None = None
    utc: Utc | None = None


class PublicMove(Move, frozen=True, kw_only=True, omit_defaults=False):
    """The same for displays, with the name where the club shows names."""

    name: Label | None = None


class Moves(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Open and recent moves, newest first."""

    rows: Annotated[tuple[Move, ...], Meta(max_length=40)]


class PublicMoves(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Open and recent moves for displays."""

    rows: Annotated[tuple[PublicMove, ...], Meta(max_length=40)]


class Payout(Part, frozen=True, kw_only=True, omit_defaults=False):
    """The prize of a place, in the smallest unit of the currency."""

    place: Count
    amount: Money
    entry: EntryId | None = None


class PublicPayout(Payout, frozen=True, kw_only=True, omit_defaults=False):
    """The same for displays, with the name where the club shows names."""

    name: Label | None = None


class Payouts(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Prizes, first place first; their sum is the pool, always."""

    currency: Label
    pool: Money
    rows: Annotated[tuple[Payout, ...], Meta(max_length=150)]
    first: Count = 0
    total: Count | None = None


class PublicPayouts(Part, frozen=True, kw_only=True, omit_defaults=False):
    """Prizes for displays."""

    currency: Label
    pool: Money
    rows: Annotated[tuple[PublicPayout, ...], Meta(max_length=100)]
    first: Count = 0
    total: Count | None = None


class Announcement(Part, frozen=True, kw_only=True):
    """Something said to the room once."""

    id: Id
    text: Words
    utc: Utc
    kind: Slug = "info"
    table: Id | None = None
    detail: Text | None = None


#: The form of each part of `tournament/<id>/...`.
TOURNAMENT_FORMS: Final[Mapping[str, type[Part]]] = {
    "clock": Clock,
    "structure": Structure,
    "info": Info,
    "standings": Standings,
    "moves": Moves,
    "payouts": Payouts,
    "announce": Announcement,
}
#: The form of each part of `public/<tournament>/...`.
PUBLIC_FORMS: Final[Mapping[str, type[Part]]] = {
    **TOURNAMENT_FORMS,
    "standings": PublicStandings,
    "moves": PublicMoves,
    "payouts": PublicPayouts,
}
