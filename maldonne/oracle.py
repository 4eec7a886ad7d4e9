"""What PokerKit makes of a recorded hand, where it is installed: a second opinion, never a base."""

import contextlib
import warnings
from pathlib import Path


def pokerkit_stacks(path: Path) -> tuple[int, ...] | None:
    """Give the finishing stacks that PokerKit reaches, None where it is absent or refuses the hand.

    Stacks are in the file's player order, in whole chips.
    """
    try:
        from pokerkit import HandHistory
    except ImportError:
        return None
    # PokerKit warns and refuses by whatever its own checks raise; none of that is our business.
    with warnings.catch_warnings(), contextlib.suppress(ValueError, KeyError, IndexError, TypeError, OSError):
        warnings.simplefilter("ignore")
        with path.open("rb") as file:
            history = HandHistory.load(file)
        states = list(history)
        if not states or states[-1].status:
            return None
        return tuple(int(stack) for stack in states[-1].stacks)
    return None
