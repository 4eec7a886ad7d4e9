"""What can go wrong in the tournament room, each with a stable code and the next step."""

from __future__ import annotations


class HubError(Exception):
    """The hub cannot do what it was asked.

    Attributes:
        code: stable slug for logs, tests and the documentation.
        what: what happened.
        where: which file, table or address.
        hint: what to do next.
    """

    code = "hub"

    def __init__(self, what: str, *, where: str, hint: str) -> None:
        super().__init__(f"{where}: {what} ({hint})")
        self.what = what
        self.where = where
        self.hint = hint


class ConfigError(HubError):
    """The configuration is wrong; ``where`` names file and line, ``what`` the key."""

    code = "hub-config"


class StoreFault(HubError):
    """The record cannot be read or written: nothing was acknowledged."""

    code = "hub-store"


class StoreFormat(StoreFault):
    """The record was written by a newer program, or is none of ours."""

    code = "hub-store-format"


class StoreInUse(StoreFault):
    """Another hub has this record open."""

    code = "hub-store-in-use"


class UnknownTable(HubError):
    """No such table in this room."""

    code = "hub-unknown-table"


class UnknownTournament(HubError):
    """No such tournament in this room."""

    code = "hub-unknown-tournament"


class HubDidNotStop(HubError):
    """The hub's thread was still running after its deadline."""

    code = "hub-not-stopped"
