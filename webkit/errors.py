"""What can go wrong in a page server, each with a stable code and the next step."""

from __future__ import annotations


class WebkitError(Exception):
    """A page server cannot do what it was asked.

    Attributes:
        code: stable slug for logs, tests and the documentation.
        what: what happened.
        where: which file, address or device.
        hint: what to do next.
    """

    code = "web"

    def __init__(self, what: str, *, where: str, hint: str) -> None:
        super().__init__(f"{where}: {what} ({hint})")
        self.what = what
        self.where = where
        self.hint = hint


class AddressInUse(WebkitError):
    """Another program already listens where the page should be served."""

    code = "web-address-in-use"


class AddressRefused(WebkitError):
    """The machine does not have this address, or may not listen on this port."""

    code = "web-address-refused"


class ServerDidNotStart(WebkitError):
    """The page server was not ready within its deadline, or ended while starting."""

    code = "web-not-started"


class ServerDidNotStop(WebkitError):
    """The page server's thread was still running after its deadline."""

    code = "web-not-stopped"


class SecretNotPrivate(WebkitError):
    """The file that signs cookies can be read by others, or is damaged."""

    code = "web-secret-not-private"


class PairingRefused(WebkitError):
    """A code or link does not let this device in: wrong, used, or too late."""

    code = "web-pairing-refused"


class TooManyTries(PairingRefused):
    """Too many wrong codes: wait before the next one.

    Attributes:
        wait: seconds until the next try is looked at.
    """

    code = "web-too-many-tries"

    def __init__(self, what: str, *, where: str, hint: str, wait: float) -> None:
        super().__init__(what, where=where, hint=hint)
        self.wait = wait


class CatalogueFault(WebkitError):
    """A file of texts cannot be read, or lacks a text."""

    code = "web-catalogue"
