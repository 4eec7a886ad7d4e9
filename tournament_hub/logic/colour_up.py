"""Colour-up: chips of a value that nobody needs any more become chips of the next, by the preset's rule, table by table.

Equal value is exchanged first, always. What is left over at each seat, less than one higher chip, goes by the rule: a race
with cards (ROPTA colour-up, TDA 24), three for one (PPC 10.2, 10.3), or rounding. Nobody is raced out; total' = total +
rescued − removed at each table, and over all tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tournament_hub.logic.presets import Preset

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
"""Ties go to ♠, then ♥ ♦ ♣ (ROPTA colour-up)."""
THREE: Final = 3
"""PPC 10.3: three lower chips give one higher."""


class Stack(Struct, frozen=True):
    """An entry at a seat: its whole stack, and how many chips of the value that goes."""

    seat: int
    entry: str
    total: int
    chips: int


class Exchange(Struct, frozen=True):
    """What a seat gives and gets.

    Attributes:
        given: lower chips handed in, all of them.
        equal: higher chips for equal value.
        extra: one more by the race, the rule or because nobody is raced out.
        rescued, removed: chips of value that came into play here or left it.
        eliminated: the last chip's replacement is worth the ante (PPC 10.2, 8.4): nothing is given for it.
    """

    seat: int
    entry: str
    before: int
    after: int
    given: int
    equal: int
    extra: int
    rescued: int = 0
    removed: int = 0
    eliminated: bool = False


class TableLog(Struct, frozen=True):
    """The record of one table's colour-up: ``after = before + rescued − removed``."""

    table: str
    old: int
    new: int
    rule: str
    article: str
    before: int
    after: int
    rescued: int
    removed: int
    seats: tuple[Exchange, ...]


class Race(Struct, frozen=True):
    """Who races at a table: cards to be dealt to each seat, from seat 1 on, and how many higher chips there are to win."""

    cards: dict[int, int]
    prizes: int


def allowed(preset: Preset, *, in_break: bool) -> bool:
    """Whether chips may be coloured up now (PPC 2.1: only in breaks, by the organisers)."""
    return in_break or preset.colour_up_when == "any"


def race(old: int, new: int, stacks: Sequence[Stack]) -> Race:
    """The race that a table needs: one card a left-over chip; chips to win from 50 % of a higher one on.

    >>> race(25, 100, [Stack(1, "e1", 5075, 3), Stack(4, "e4", 900, 4), Stack(7, "e7", 2025, 1)]).prizes
    1

    Raises:
        ValueError: see ``colour_up``.
    """
    _check(old, new, stacks)
    ratio = new // old
    cards = {stack.seat: stack.chips % ratio for stack in _from_seat_one(stacks) if stack.chips % ratio}
    value = sum(cards.values()) * old
    return Race(cards, (2 * value + new) // (2 * new))


def winners(dealt: Mapping[int, Sequence[str]], prizes: int) -> tuple[int, ...]:
    """Seats that win a chip: highest card first, one chip a seat at most; equal ranks go ♠ ♥ ♦ ♣.

    >>> winners({1: ["Kd", "2c"], 4: ["Ks"], 7: ["Qs", "Js", "Ts"]}, 2)
    (4, 1)
    """
    best = {seat: max(map(_rank, cards)) for seat, cards in dealt.items() if cards}
    return tuple(sorted(best, key=lambda seat: best[seat], reverse=True)[:prizes])


def colour_up(
    preset: Preset,
    table: str,
    old: int,
    new: int,
    stacks: Sequence[Stack],
    *,
    dealt: Mapping[int, Sequence[str]] | None = None,
    ante: int = 0,
) -> TableLog:
    """Exchange one value at one table.

    Args:
        preset: its rule.
        table: whose log this is.
        old: value that goes.
        new: next higher value, a multiple of it.
        stacks: everybody at the table.
        dealt: for a race, the cards that each seat of ``race(...)`` was dealt, by a person.
        ante: of the coming level, for the exception of PPC 10.2.

    Raises:
        ValueError: ``new`` is no multiple, a stack is smaller than its chips, a seat is there twice; or the cards are
            not those of the race.
    """
    _check(old, new, stacks)
    ratio = new // old
    won: tuple[int, ...] = ()
    if preset.colour_up == "race_cards":
        asked = race(old, new, stacks)
        cards = dict(dealt or {})
        if {seat: len(held) for seat, held in cards.items()} != asked.cards:
            raise ValueError(f"the race deals {asked.cards} cards by seat")
        shown = [card for held in cards.values() for card in held]
        if len(set(shown)) != len(shown):
            raise ValueError("a card was dealt twice")
        won = winners(cards, asked.prizes)
    seats = []
    for stack in _from_seat_one(stacks):
        equal, left = divmod(stack.chips, ratio)
        extra = _extra(preset, ratio, left, stack.seat in won)
        eliminated = False
        if left and not extra and stack.total == left * old:  # these were his last chips
            extra = 1
        if preset.raced_out == "ante_chip" and stack.total == old and left == 1 and new == ante:
            extra, eliminated = 0, True
        after = stack.total - left * old + extra * new
        change = after - stack.total
        seats.append(
            Exchange(
                seat=stack.seat,
                entry=stack.entry,
                before=stack.total,
                after=after,
                given=stack.chips,
                equal=equal,
                extra=extra,
                rescued=max(0, change),
                removed=max(0, -change),
                eliminated=eliminated,
            )
        )
    return TableLog(
        table=table,
        old=old,
        new=new,
        rule=preset.colour_up,
        article=preset.article("colour_up"),
        before=sum(seat.before for seat in seats),
        after=sum(seat.after for seat in seats),
        rescued=sum(seat.rescued for seat in seats),
        removed=sum(seat.removed for seat in seats),
        seats=tuple(seats),
    )


def _extra(preset: Preset, ratio: int, left: int, won: bool) -> int:
    """Higher chips for what is left over at a seat."""
    match preset.colour_up:
        case "race_cards":
            return int(won)
        case "three_for_one":
            # PPC 10.3 from three on; PPC 10.2's own examples (25 by 50, 50 by 100): the odd one is rounded up.
            return int(left >= THREE or (ratio == 2 and left == 1))
        case "round_half_up":
            return int(2 * left >= ratio)
        case "round_up":
            return int(left > 0)


def _check(old: int, new: int, stacks: Sequence[Stack]) -> None:
    if old < 1 or new <= old or new % old:
        raise ValueError(f"{new} is no multiple of {old}")
    if len({stack.seat for stack in stacks}) != len(stacks):
        raise ValueError("a seat is there twice")
    for stack in stacks:
        if stack.chips < 0 or stack.total < stack.chips * old:
            raise ValueError(f"seat {stack.seat}: {stack.chips} chips of {old} in a stack of {stack.total}")


def _from_seat_one(stacks: Sequence[Stack]) -> list[Stack]:
    return sorted(stacks, key=lambda stack: stack.seat)


def _rank(card: str) -> tuple[int, int]:
    if len(card) != 2 or card[0] not in RANKS or card[1] not in SUITS:
        raise ValueError(f"{card!r} is no card")
    return RANKS.index(card[0]), SUITS.index(card[1])
