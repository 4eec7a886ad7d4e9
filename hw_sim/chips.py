"""Which chips make which amount: breaking a stack down, paying exactly, making change.

Every denomination divides the next, so taking the largest first finds an exact payment whenever there is one.

Does not model: players who are bad at arithmetic, coloured-up stacks, chips of equal value in two colours.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import gcd
from typing import Final

from hw_sim.errors import WorldError
from hw_sim.world import Chip

DENOMINATIONS: Final = (1, 5, 25, 100, 500, 1000, 5000, 25000, 100000, 500000, 1000000, 5000000)
# A stack with more chips than this is coloured up between hands.
MANY: Final = 60


def denominations_for(amounts: Iterable[int]) -> tuple[int, ...]:
    """The denominations with which all these amounts can be put on the table.

    >>> denominations_for([10000, 50, 100])
    (25, 100, 500, 1000, 5000)
    """
    listed = [amount for amount in amounts if amount > 0]
    unit = gcd(*listed) if listed else 1
    smallest = max(d for d in DENOMINATIONS if unit % d == 0)
    most = max(listed, default=smallest)
    return tuple(d for d in DENOMINATIONS if smallest <= d <= max(smallest, most // 2))


def break_down(amount: int, denominations: Sequence[int]) -> list[int]:
    """Choose chips for a stack: some of each small value, so that exact bets stay possible.

    Raises:
        WorldError: The smallest denomination does not divide the amount.
    """
    values = sorted(denominations)
    if amount % values[0]:
        raise WorldError(f"{amount} cannot be made of chips of {values[0]} and more")
    chips: list[int] = []
    rest = amount
    for value, larger in pairwise(values):
        ratio = larger // value
        count = rest // value % ratio
        if (count + ratio) * value <= rest:
            count += ratio
        chips += [value] * count
        rest -= count * value
    chips += [values[-1]] * (rest // values[-1])
    return chips


def fewest(amount: int, denominations: Sequence[int]) -> list[int]:
    """The fewest chips that make an amount."""
    chips: list[int] = []
    for value in sorted(denominations, reverse=True):
        chips += [value] * (amount // value)
        amount %= value
    return chips


def exact(chips: Iterable[Chip], amount: int) -> list[Chip] | None:
    """Choose chips worth exactly this amount, large ones first; None when that cannot be done."""
    chosen: list[Chip] = []
    rest = amount
    for chip in sorted(chips, key=lambda c: -c.value):
        if chip.value <= rest:
            chosen.append(chip)
            rest -= chip.value
    return chosen if rest == 0 else None


def clear_raise(chips: Sequence[Chip], amount: int, bet: int, price: int) -> list[Chip] | None:
    """Choose chips for a silent raise that nobody can take for a call.

    One chip alone is a call, and so are several when without the smallest the rest no longer calls. None
    when these chips allow no such choice: then the raise has to be said.

    Args:
        chips: The player's stack.
        amount: What he adds.
        bet: What lies before him already.
        price: What a call would bring him to.
    """
    pool = sorted(chips, key=lambda chip: -chip.value)
    while (chosen := exact(pool, amount)) is not None:
        if is_clear(chosen, bet, price):
            return chosen
        pool.remove(chosen[0])  # do without this large chip
    return None


def is_clear(chosen: Sequence[Chip], bet: int, price: int) -> bool:
    """Whether these chips, put forward without a word, can only be a raise (or a bet, with nothing to call)."""
    if not price:
        return True
    total = sum(chip.value for chip in chosen)
    return len(chosen) > 1 and bet + total - min(chip.value for chip in chosen) >= price


def needs_tidying(chips: Sequence[Chip], denominations: Sequence[int]) -> bool:
    """Whether a stack has too few small chips for exact bets, or too many chips altogether."""
    have = Counter(chip.value for chip in chips)
    total = sum(chip.value for chip in chips)
    ideal = Counter(break_down(total, denominations))
    if len(chips) > MANY and len(chips) > 2 * sum(ideal.values()):
        return True
    values = sorted(denominations)
    return any(have[value] < min(ideal[value], larger // value - 1) for value, larger in pairwise(values))


def bank_supply(total: int, seats: int, denominations: Sequence[int]) -> dict[int, int]:
    """How many chips of each denomination a table needs in all, stacks and bank together."""
    values = sorted(denominations)
    supply = {value: 2 * seats * 2 * (larger // value) for value, larger in pairwise(values)}
    supply[values[-1]] = total // values[-1] + 2 * seats
    return supply
