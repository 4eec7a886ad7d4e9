"""When the tournament does not take a decision: what stands against it and what to do instead."""

from __future__ import annotations

from tournament_hub.errors import HubError


class Refused(HubError):
    """A decision that does not fit how things stand; nothing has changed.

    ``code`` is the reason, one of the slugs in ``docs/tournament.md``.
    """

    code = "tournament-refused"

    def __init__(self, code: str, what: str, *, where: str, hint: str) -> None:
        super().__init__(what, where=where, hint=hint)
        self.code = code
