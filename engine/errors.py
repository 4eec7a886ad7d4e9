"""Malformed input: the only thing that makes the engine raise."""


class EngineError(ValueError):
    """Input that is not in the contract's form; never a wrong deal, which is data."""

    code = "engine"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        """Keep what is wrong, where it stands (file:line, field) and what to do next."""
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(": ".join(part for part in (where, what) if part) + (f" ({hint})" if hint else ""))


class MalformedEvent(EngineError):
    """A line that is not a table event."""

    code = "malformed-event"


class MalformedRulebook(EngineError):
    """A rulebook file that cannot be used."""

    code = "malformed-rulebook"
