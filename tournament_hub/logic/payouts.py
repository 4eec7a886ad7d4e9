"""What a place brings: lots and points always; money only where a club has written ``money = on`` into its own book.

Money is whole minor units (cents). What goes out is what came in, to the unit: every function here conserves its sum.
Those who tie share the prizes of all the places that they fill, equally; units that cannot be split go one each to the
first of them by entry id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from table_controller.messages.tournament import Payout as PayoutRow
from table_controller.messages.tournament import Payouts as PayoutsMessage
from tournament_hub.errors import HubError
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.ranking import Place

MOST_ROWS: Final = 150
"""Rows of one message."""


class MoneyIsOff(HubError):
    """Money was asked for in a tournament that plays for none."""

    code = "hub-money-off"


class Price(Struct, frozen=True):
    """What an entry pays, in minor units: into the pool, to the organiser, on its own head."""

    prize: int = 0
    fee: int = 0
    bounty: int = 0


class Takings(Struct, frozen=True):
    """What came in: ``pool + fees + bounties`` is everything that was paid."""

    pool: int
    fees: int
    bounties: int


class Payout(Struct, frozen=True):
    """What an entry is paid."""

    entry: str
    place: int
    amount: int


class Lot(Struct, frozen=True):
    """What an entry wins that is no money; those who tie have the lots of all their places between them."""

    entry: str
    place: int
    texts: tuple[str, ...]


def require_money(preset: Preset) -> None:
    """Let nothing about money happen in a tournament that plays for none.

    Raises:
        MoneyIsOff: the preset does not say ``money = on``.
    """
    if preset.money != "on":
        raise MoneyIsOff(
            "this tournament plays for no money",
            where=preset.rulebook,
            hint='write money = { is = "on", article = "…" } into the club\'s book',
        )


def takings(preset: Preset, sold: Sequence[tuple[Price, int]]) -> Takings:
    """Add up what was paid: each price with how many paid it (entries, rebuys, add-ons).

    Raises:
        MoneyIsOff: see ``require_money``.
        ValueError: a negative price or number.
    """
    require_money(preset)
    if any(min(price.prize, price.fee, price.bounty, count) < 0 for price, count in sold):
        raise ValueError("a price or a number is negative")
    return Takings(
        pool=sum(price.prize * count for price, count in sold),
        fees=sum(price.fee * count for price, count in sold),
        bounties=sum(price.bounty * count for price, count in sold),
    )


def shares_for(paid: int) -> tuple[int, ...]:
    """Weights of the places when the club writes none: each place weighs the first divided by its number.

    >>> prizes(48300, shares_for(3))
    (26347, 13172, 8781)
    """
    return tuple(720720 // place for place in range(1, paid + 1))


def prizes(pool: int, weights: Sequence[int], unit: int = 1) -> tuple[int, ...]:
    """Share a pool by weights, best place first; the sum is the pool, always.

    Args:
        pool: minor units.
        weights: of each paid place, never rising.
        unit: prizes are multiples of it; what is left over goes to the first place.

    Raises:
        ValueError: nothing to weigh by, rising or negative weights, a unit below 1.
    """
    if not weights or sum(weights) <= 0 or min(weights) < 0 or pool < 0 or unit < 1:
        raise ValueError("weights, pool and unit are positive")
    if any(after > before for before, after in pairwise(weights)):
        raise ValueError("a later place weighs more than an earlier one")
    total = sum(weights)
    found = [pool * weight // total // unit * unit for weight in weights]
    found[0] += pool - sum(found)
    return tuple(found)


def equal_shares(amount: int, count: int) -> tuple[int, ...]:
    """Split an amount equally, the units left over one each from the first on.

    >>> equal_shares(48301, 2), equal_shares(5, 3)
    ((24151, 24150), (2, 2, 1))
    """
    whole, rest = divmod(amount, count)
    return tuple(whole + (number < rest) for number in range(count))


def payouts(preset: Preset, pool: int, table: Sequence[int], places: Sequence[Place]) -> tuple[Payout, ...]:
    """Pay the places that are known and decided, best first.

    Args:
        preset: must say that money is on.
        pool: what there is to pay.
        table: prize of each place.
        places: as ``ranking.places`` derives them; what is not decided yet is not paid yet.

    Raises:
        MoneyIsOff: see ``require_money``.
        ValueError: the table is not the pool.
    """
    require_money(preset)
    if sum(table) != pool:
        raise ValueError(f"prizes are {sum(table)}, the pool is {pool}")
    found = []
    for tied in _tied(places):
        if tied[0].open is None:
            amount = sum(table[tied[0].place - 1 : tied[0].last])
            found += [
                Payout(place.entry, place.place, share)
                for place, share in zip(tied, equal_shares(amount, len(tied)), strict=True)
                if amount
            ]
    return tuple(found)


def bounties(preset: Preset, bounty: int, knockouts: Sequence[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """What each entry has won for those whom it put out; several winners of one hand share.

    Args:
        preset: must say that money is on.
        bounty: on each head.
        knockouts: who went out, and who won his chips.

    Raises:
        MoneyIsOff: see ``require_money``.
        ValueError: nobody won a knockout.
    """
    require_money(preset)
    won: dict[str, int] = {}
    for out, winners in knockouts:
        if not winners:
            raise ValueError(f"nobody has put out {out}")
        for entry, share in zip(winners, equal_shares(bounty, len(winners)), strict=True):
            won[entry] = won.get(entry, 0) + share
    return won


def lots(texts: Mapping[int, str], places: Sequence[Place]) -> tuple[Lot, ...]:
    """Give the lots of the places that are known and decided; money is no matter here.

    >>> lots({1: "Coupe", 2: "Livre", 3: "Stylo"}, [Place("e4", 2, 3), Place("e9", 2, 3)])[0].texts
    ('Livre', 'Stylo')
    """
    found = []
    for tied in _tied(places):
        given = tuple(texts[n] for n in range(tied[0].place, tied[0].last + 1) if n in texts)
        if given and tied[0].open is None:
            found += [Lot(place.entry, place.place, given) for place in tied]
    return tuple(found)


def message(
    preset: Preset,
    currency: str,
    pool: int,
    table: Sequence[int],
    paid: Sequence[Payout],
    first: int = 0,
) -> PayoutsMessage | None:
    """What is published of prizes, from row ``first`` on: nothing at all where money is off.

    The rows are what each entry was paid, then the prizes of the places still open; together they are the pool.
    """
    if preset.money != "on":
        return None
    rows = [PayoutRow(place=payout.place, amount=payout.amount, entry=payout.entry) for payout in paid]
    filled = _filled(paid)
    rows += [
        PayoutRow(place=place, amount=amount)
        for place, amount in enumerate(table, 1)
        if place not in filled and amount
    ]
    rows.sort(key=lambda row: (row.place, row.entry or ""))
    return PayoutsMessage(
        currency=currency,
        pool=pool,
        rows=tuple(rows[first : first + MOST_ROWS]),
        first=first,
        total=len(rows),
    )


def _filled(paid: Sequence[Payout]) -> set[int]:
    """Places that those paid fill: one each, a tie as many as it has entries."""
    counts: dict[int, int] = {}
    for payout in paid:
        counts[payout.place] = counts.get(payout.place, 0) + 1
    return {place + number for place, count in counts.items() for number in range(count)}


def _tied(places: Sequence[Place]) -> list[list[Place]]:
    found: dict[int, list[Place]] = {}
    for place in places:
        found.setdefault(place.place, []).append(place)
    return [sorted(found[place], key=lambda held: held.entry) for place in sorted(found)]
