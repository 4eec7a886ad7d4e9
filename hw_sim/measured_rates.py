"""The rates that a club has measured on its own table, read into the simulator's antennas.

The file is the one that the table's guided walk leaves, `measured_rates.json`: for each place the share of reads that
missed, by step of the walk (`one`, `two`, `three` cards, under `chips`, under `metal`, under a `hand`).

Does not model: three cards and chips on cards one by one (a third card is the simulator's pile, chips count as
overlapping), how long misses last, bleed and ghosts, which the walk does not measure.
"""

import json
from dataclasses import replace
from pathlib import Path

from hw_sim.antennas import Rates
from hw_sim.errors import ConfigError

STEPS = ("one", "two", "three", "chips", "metal", "hand")


def read_measured(path: Path, rates: Rates | None = None) -> Rates:
    """Give the rates of a measured table.

    Args:
        path: The file of the walk.
        rates: What holds for all that was not measured; None for the documentation's starting rates.

    Raises:
        ConfigError: The file cannot be read, or holds what is no share.
    """
    try:
        measured = json.loads(path.read_text(encoding="utf-8"))["measured"]
        shares = {
            str(place): {str(step): float(share) for step, share in steps.items()}
            for place, steps in measured.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"no measured rates: {error}", where=str(path), hint="walk the antennas again"
        ) from error
    for place, steps in shares.items():
        for step, share in steps.items():
            if step not in STEPS or not 0.0 <= share <= 1.0:
                raise ConfigError(f"{place}: {step} = {share}", where=str(path), hint="shares from 0 to 1")
    base = rates or Rates.typical()

    def mean(step: str, other: float) -> float:
        found = [steps[step] for steps in shares.values() if step in steps]
        return sum(found) / len(found) if found else other

    centre = mean("one", base.centre)
    two = [max(0.0, s["two"] - s["one"]) for s in shares.values() if "two" in s and "one" in s]
    by_place = {place: steps["one"] for place, steps in shares.items() if "one" in steps}
    return replace(
        base,
        centre=centre,
        metal=mean("metal", base.metal),
        hand=mean("hand", base.hand),
        overlapped=sum(two) / len(two) if two else base.overlapped,
        by_place={**(base.by_place or {}), **by_place} or None,
    )
