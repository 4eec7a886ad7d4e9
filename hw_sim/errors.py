"""What can go wrong in the simulator, each with a stable slug and the next step.

Does not model: the product's own errors; those come out of the product.
"""

from typing import Any


class SimError(Exception):
    """The simulated table cannot go on: what happened, where, and what to do about it."""

    code = "sim_error"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        parts = [f"{where}: {what}" if where else what]
        if hint:
            parts.append(hint)
        super().__init__(" — ".join(parts))


class FrameError(SimError):
    """These fields cannot be put on the wire."""

    code = "sim_frame"


class ScriptError(SimError):
    """A recorded hand that cannot be played: file, line of the record, reason."""

    code = "sim_script"


class ConfigError(SimError):
    """A setting of the simulated table that makes no sense."""

    code = "sim_config"


class WorldError(SimError):
    """Somebody reached for a card or chip that is not there: a fault in the people, not in the product."""

    code = "sim_world"


class SimulationStuck(SimError):
    """The people waited for the table to say something, and it did not.

    Attributes:
        expected: What they were waiting for.
        last_order: The acts shown last, as text.
        places: What lies where, truly.
    """

    code = "sim_stuck"

    def __init__(self, expected: str, *, last_order: str, places: dict[str, Any], where: str = "") -> None:
        self.expected = expected
        self.last_order = last_order
        self.places = places
        lying = "; ".join(f"{place}: {things}" for place, things in sorted(places.items()))
        super().__init__(
            f"nothing happened while the people waited for {expected}; last ORDER: {last_order}; on the table: {lying}",
            where=where,
            hint="compare the controller's log with truth.jsonl at this moment",
        )
