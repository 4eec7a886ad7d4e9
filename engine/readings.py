"""How a betting act may count when it is not clean: the closed set of ``read_as`` in a row.

A row of a rulebook that answers a betting incident says with ``read_as`` what the act is. A row
without it leaves the act to the director: nothing counts until the floor has decided.
"""

from typing import Final

READINGS: Final[dict[str, str]] = {
    "call": "a call of the full price; a check where there is nothing to call",
    "check": "a check",
    "fold": "a fold",
    "minimum_raise": "the least bet or raise allowed, or what was put in when that is more",
    "as_said": "the word counts, with its amount; the chips are made to fit",
    "by_pot": "an amount spoken in short is the highest it may stand for not above the pot, else the least",
    "as_put": "the chips count; of the word at most its kind (a bet, a raise) when it came in time",
    "chip_value": "what lies there after the motion is the player's total",
    "first_motion": "what he did first stands; this motion counts for nothing",
    "all_in": "everything that he has",
    "no_action": "nothing counts; it is still his turn",
    "call_or_fold": "nothing counts; it is still his turn and he may only call or fold",
    "complete_or_fold": "what he put forward stays in; he completes the call, or folds and leaves it",
    "kept": "it is kept until his turn comes",
    "bound": "it takes effect",
    "free": "it is taken back, he has every choice again",
    "director": "nothing counts until the floor has decided",
}
