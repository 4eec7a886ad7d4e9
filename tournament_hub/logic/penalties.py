"""Penalties: what a book proposes for a fault, and how many hands are missed.

A person decides; the hub only proposes, counts and remembers. A penalty travels with the entry: each hand that is dealt at
whichever table it sits takes one off. The player who misses hands is dealt in, posts, and his cards are killed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from tournament_hub.logic.presets import Preset

Kind = Literal["warning", "hands", "orbits", "disqualification"]


class Fault(Struct, frozen=True):
    """What an entry was reported for, wherever it sat: the reason's name, and what came of it."""

    offence: str
    kind: Kind


class Proposed(Struct, frozen=True):
    """What the book proposes for a fault.

    Attributes:
        kind: ``warning``, ``hands`` (less than an orbit, the player stays at the table), ``orbits`` (he goes away),
            ``disqualification`` (the director alone; chips out of play).
        orbits: the least and the most of them that the book knows; (0, 0) for the other kinds.
        article: where the fault is named.
        scale: where what follows is written.
    """

    kind: Kind
    article: str
    scale: str
    orbits: tuple[int, int] = (0, 0)


def proposed(preset: Preset, offence: str, before: Sequence[Fault]) -> Proposed:
    """Say what the book has for a fault of an entry that was reported before.

    Warnings count whatever they were for (PPC 12.2). The degree is the tournament's (ROPTA degrees): ``light`` warns and
    explains, ``heavy`` warns nobody. What a book names with a disqualification is never less.

    Args:
        preset: the tournament's.
        offence: one of ``preset.offences``.
        before: earlier faults of this entry at all tables, oldest first.

    Raises:
        KeyError: the book has no such reason; the director gives his own.
    """
    named = preset.offences[offence]
    if named.step in ("disqualification", "exclusion"):
        return Proposed("disqualification", named.article, named.article)
    warnings = sum(fault.kind == "warning" for fault in before)
    punished = sum(fault.kind in ("hands", "orbits") for fault in before)
    needed = {
        "light": warnings + 1,  # never by itself
        "normal": preset.warnings_before_penalty,
        "heavy": 0,
    }[preset.penalty_degree]
    scale = preset.article("warnings_before_penalty")
    if preset.penalty_degree != "normal":
        scale = preset.article("penalty_degree")
    if warnings < needed and not punished:
        return Proposed("warning", named.article, scale)
    if preset.short_penalty and not punished and named.step != "long_penalty":
        return Proposed("hands", named.article, preset.article("short_penalty"))
    low = min(preset.penalty_orbits_min + punished, preset.penalty_orbits_max)
    return Proposed(
        "orbits", named.article, preset.article("penalty_orbits_max"), (low, preset.penalty_orbits_max)
    )


def missed_hands(preset: Preset, players: int, orbits: int) -> int:
    """Hands that are missed: players at the table when it is given, times orbits (ROPTA penalties, TDA 71).

    Raises:
        ValueError: more or fewer orbits than the book knows.
    """
    if not preset.penalty_orbits_min <= orbits <= preset.penalty_orbits_max:
        raise ValueError(
            f"{orbits} orbits; {preset.penalty_orbits_min} to {preset.penalty_orbits_max}"
            f" ({preset.article('penalty_orbits_max')})"
        )
    return players * orbits


def short_hands(preset: Preset, players: int, hands: int) -> int:
    """Hands of a short penalty: fewer than an orbit.

    Raises:
        ValueError: the book knows no short penalty, or that would be an orbit.
    """
    if not preset.short_penalty:
        raise ValueError(f"no short penalty ({preset.article('short_penalty')})")
    if not 0 < hands < players:
        raise ValueError(f"{hands} hands; fewer than an orbit of {players}")
    return hands


def left_after_hand(preset: Preset, left: int, *, void: bool = False) -> int:
    """Hands still to miss after one was dealt at the table where the entry sits.

    A hand that is dealt again counts once, with the deal that stands (TDA 35-C), unless the book counts every deal.
    """
    if void and preset.penalty_redeal == "one_hand":
        return left
    return max(0, left - 1)


def absence_over(preset: Preset, since: float, now: float) -> bool:
    """Whether an undeclared absence has lasted as long as the book lets blinds go on: the stack leaves (PPC 3.4).

    Args:
        preset: ``absence_minutes`` 0 is without end (STARS absent).
        since: when the organisers noted it, seconds on the hub's clock.
        now: seconds on the hub's clock.
    """
    return preset.absence_minutes > 0 and now - since >= 60.0 * preset.absence_minutes
