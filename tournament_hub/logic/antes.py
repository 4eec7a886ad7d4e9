"""Antes: who owes one in a hand, what a short stack pays first, and who is out because he cannot play on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct

from table_controller import messages as m
from tournament_hub.logic.presets import Preset


class Posted(Struct, frozen=True):
    """What a seat puts in before the cards, in chips; ``eliminated``: it cannot play on after its ante (PPC 8.4)."""

    blind: int = 0
    ante: int = 0
    eliminated: bool = False

    @property
    def all(self) -> int:
        """Everything that it puts in."""
        return self.blind + self.ante


def owed(
    preset: Preset,
    ante: m.Ante,
    players: Collection[int],
    *,
    button: int,
    big_blind: int,
) -> dict[int, int]:
    """Which seats owe an ante, and how much each.

    Heads-up it is due as well (ROPTA antes). With a dead button there is no button ante.

    Args:
        preset: the tournament's.
        ante: of the level.
        players: seats that are dealt in, absent ones too.
        button: its seat; not among ``players`` when it is dead.
        big_blind: its seat.
    """
    if not ante.amount or (len(players) == 2 and not preset.ante_heads_up):
        return {}
    match ante.kind:
        case "none":
            return {}
        case "classic":
            return dict.fromkeys(sorted(players), ante.amount)
        case "big_blind":
            return {big_blind: ante.amount}
        case "button":
            dead = button not in players
            return {} if dead and preset.ante_dead_button == "none" else {button: ante.amount}


def posted(
    preset: Preset,
    level: m.Level,
    stacks: Mapping[int, int],
    *,
    button: int,
    small_blind: int | None,
    big_blind: int,
    first: Literal["blind", "ante"] = "blind",
) -> dict[int, Posted]:
    """What each seat puts in before the cards.

    A stack too short for both pays its big blind before the big-blind ante (ROPTA antes, TDA RP-11), or the ante first
    where the book says so; a classic ante is always first, it belongs to no blind. Where a short stack is eliminated
    (PPC 8.4), who cannot pay the ante, or has not one chip left to bet, is out; his chips go to the main pot.

    Args:
        preset: the tournament's.
        level: blinds and ante.
        stacks: seats that are dealt in, with their chips.
        button: its seat.
        small_blind: its seat, None when it is dead.
        big_blind: its seat.
        first: the book's term ``big_blind_ante_first``.
    """
    antes = owed(preset, level.ante, stacks, button=button, big_blind=big_blind)
    blinds = {big_blind: level.big_blind}
    if small_blind is not None and small_blind in stacks:
        blinds[small_blind] = level.small_blind
    found = {}
    for seat, stack in sorted(stacks.items()):
        ante, blind = antes.get(seat, 0), blinds.get(seat, 0)
        if not ante and not blind:
            continue
        if level.ante.kind == "big_blind" and first == "blind":
            paid_blind = min(stack, blind)
            paid_ante = min(stack - paid_blind, ante)
        else:
            paid_ante = min(stack, ante)
            paid_blind = min(stack - paid_ante, blind)
        out = preset.ante_short == "eliminated" and level.ante.kind == "classic" and 0 < stack <= ante
        found[seat] = Posted(paid_blind, paid_ante, out)
    return found


def suggested(kind: str, big_blind: int, smallest_chip: int = 1) -> m.Ante:
    """The usual ante of a level: the whole big blind from one seat, or about a tenth of it from everyone.

    >>> suggested("classic", 800, 25).amount, suggested("big_blind", 800).amount
    (75, 800)
    """
    match kind:
        case "big_blind" | "button":
            return m.Ante(kind=kind, amount=big_blind)
        case "classic":
            whole = big_blind // 10 // smallest_chip * smallest_chip
            return m.Ante(kind="classic", amount=max(whole, smallest_chip))
        case _:
            return m.Ante()
