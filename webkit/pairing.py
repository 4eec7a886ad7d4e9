"""Who may look at a page and who may act on it: devices are let in once, with a role.

A director asks for an invitation; the new device opens its link (a QR code) or types its four digits, and from then on
carries a signed cookie. Nobody has a password. A device can be sent away again by name.

The signing secret and the list of devices lie in the server's own data folder, readable by its user only. Deadlines
are counted on the monotonic clock, so a wrong wall clock lets nobody in and keeps nobody out.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from webkit.errors import PairingRefused, SecretNotPrivate, TooManyTries

INVITATION_LIFETIME = 300.0
"""Seconds for which an invitation can be used."""
WRONG_CODES_ALLOWED = 5
"""Wrong codes within ``WRONG_CODES_WINDOW`` before the next one has to wait, all devices together."""
WRONG_CODES_WINDOW = 60.0
WRONG_CODES_PER_INVITATION = 10
"""Wrong codes after which the digits of an open invitation are void (its link still works)."""
MAX_INVITATIONS = 20
MAX_DEVICES = 500
_SECRET_FILE = "cookie.key"
_DEVICES_FILE = "devices.json"


class Role(Enum):
    """What a device may do; each may do all that the ones after it may."""

    DIRECTOR = "director"
    DEALER = "dealer"
    DISPLAY = "display"

    def may(self, needed: Role) -> bool:
        """Whether a device with this role may do what ``needed`` may.

        >>> Role.DIRECTOR.may(Role.DISPLAY), Role.DISPLAY.may(Role.DEALER)
        (True, False)
        """
        order = list(Role)
        return order.index(self) <= order.index(needed)


@dataclass(frozen=True)
class Device:
    """One device that was let in."""

    ident: str
    role: Role
    name: str


@dataclass(frozen=True)
class Invitation:
    """A chance to be let in, once.

    Attributes:
        token: for the link or QR code.
        digits: four digits to be typed.
        role: what the device will be.
    """

    token: str
    digits: str
    role: Role


@dataclass
class _Open:
    invitation: Invitation
    expires: float | None
    wrong: int = 0


class Pairing:
    """The doorkeeper of one server.

    Args:
        folder: the server's own data folder; made (for its user only) when missing.
        clock: seconds, monotonic.

    Raises:
        SecretNotPrivate: the secret or the list of devices is damaged or readable by others.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._secret = _load_secret(folder / _SECRET_FILE)
        self._devices = _load_devices(folder / _DEVICES_FILE)
        self._open: dict[str, _Open] = {}
        self._wrong: deque[float] = deque()
        self.cookie = "maldonne_" + hashlib.sha256(b"cookie name" + self._secret).hexdigest()[:8]
        """Name of the cookie: browsers share cookies between the ports of one machine, so each server has its own."""

    # -- letting in --------------------------------------------------------

    def invite(self, role: Role, *, lifetime: float | None = INVITATION_LIFETIME) -> Invitation:
        """Open the door once for a device of this role.

        Args:
            role: what the device will be.
            lifetime: seconds; None = until it is used or the server ends (for the first director).
        """
        with self._lock:
            self._forget_expired()
            while len(self._open) >= MAX_INVITATIONS:
                self._open.pop(next(iter(self._open)))
            taken = {held.invitation.digits for held in self._open.values()}
            digits = f"{secrets.randbelow(10_000):04d}"
            while digits in taken:
                digits = f"{secrets.randbelow(10_000):04d}"
            invitation = Invitation(secrets.token_urlsafe(24), digits, role)
            expires = None if lifetime is None else self._clock() + lifetime
            self._open[invitation.token] = _Open(invitation, expires)
            return invitation

    def invited(self, token: str) -> Role | None:
        """The role that this link would give, or None when it is wrong, used or too late. Uses nothing up."""
        with self._lock:
            self._forget_expired()
            held = self._find_token(token)
            return held.invitation.role if held else None

    def redeem_token(self, token: str, name: str) -> Device:
        """Let in the device that opened an invitation's link.

        Raises:
            PairingRefused: the link is wrong, used or too late.
        """
        with self._lock:
            self._forget_expired()
            held = self._find_token(token)
            if held is None:
                raise PairingRefused(
                    "the link is wrong, used or too late", where="pairing", hint="ask for a new one"
                )
            return self._admit(held, name)

    def redeem_digits(self, digits: str, name: str) -> Device:
        """Let in the device on which an invitation's four digits were typed.

        Raises:
            TooManyTries: too many wrong codes lately; this one was not looked at.
            PairingRefused: the digits are wrong, used or too late.
        """
        with self._lock:
            self._forget_expired()
            now = self._clock()
            while self._wrong and now - self._wrong[0] >= WRONG_CODES_WINDOW:
                self._wrong.popleft()
            if len(self._wrong) >= WRONG_CODES_ALLOWED:
                wait = WRONG_CODES_WINDOW - (now - self._wrong[0])
                raise TooManyTries(
                    "too many wrong codes", where="pairing", hint=f"wait {wait:.0f} s", wait=wait
                )
            found = None
            for held in self._open.values():  # all of them, so that the time taken tells nothing
                same = hmac.compare_digest(held.invitation.digits.encode(), digits.encode()[:16])
                if same and held.wrong < WRONG_CODES_PER_INVITATION:
                    found = held
            if found is None:
                self._wrong.append(now)
                for held in self._open.values():
                    held.wrong += 1
                raise PairingRefused(
                    "the code is wrong, used or too late", where="pairing", hint="ask for a new one"
                )
            return self._admit(found, name)

    def _find_token(self, token: str) -> _Open | None:
        found = None
        for held in self._open.values():
            if hmac.compare_digest(held.invitation.token.encode(), token.encode()[:64]):
                found = held
        return found

    def _forget_expired(self) -> None:
        now = self._clock()
        for token, held in list(self._open.items()):
            if held.expires is not None and now >= held.expires:
                del self._open[token]

    def _admit(self, held: _Open, name: str) -> Device:
        if len(self._devices) >= MAX_DEVICES:
            raise PairingRefused(
                "too many devices are let in", where="pairing", hint="send old ones away first"
            )
        clean = " ".join("".join(c if c.isprintable() else " " for c in name).split())[:40]
        device = Device(secrets.token_hex(8), held.invitation.role, clean or held.invitation.role.value)
        self._save({**self._devices, device.ident: device})
        del self._open[held.invitation.token]
        return device

    # -- being in ----------------------------------------------------------

    def cookie_value(self, device: Device) -> str:
        """What the device's cookie says: who it is, what it may do, and our signature."""
        return f"{device.ident}.{device.role.value}.{self._sign(device.ident, device.role.value)}"

    def recognise(self, cookie: str | None) -> Device | None:
        """The device that carries this cookie; None when it is not ours, altered, or sent away."""
        parts = (cookie or "").split(".")
        if len(parts) != 3:
            return None
        ident, role, signature = parts
        if not hmac.compare_digest(self._sign(ident, role).encode(), signature.encode("utf-8", "replace")):
            return None
        with self._lock:
            device = self._devices.get(ident)
        return device if device is not None and device.role.value == role else None

    def devices(self) -> list[Device]:
        """Every device that is let in."""
        with self._lock:
            return list(self._devices.values())

    def has(self, role: Role) -> bool:
        """Whether any device of this role is let in."""
        return any(device.role is role for device in self.devices())

    def send_away(self, ident: str) -> None:
        """This device is a stranger from now on. Unknown devices are strangers already."""
        with self._lock:
            if ident in self._devices:
                self._save({key: device for key, device in self._devices.items() if key != ident})

    def _sign(self, ident: str, role: str) -> str:
        message = f"maldonne device 1|{ident}|{role}".encode("utf-8", "replace")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def _save(self, devices: dict[str, Device]) -> None:
        rows = {ident: {"role": device.role.value, "name": device.name} for ident, device in devices.items()}
        _write_private(self._folder / _DEVICES_FILE, json.dumps(rows, indent=1).encode())
        self._devices = devices


def _load_secret(path: Path) -> bytes:
    if not path.exists():
        _write_private(path, secrets.token_bytes(32))
    _check_private(path)
    secret = path.read_bytes()
    if len(secret) != 32:
        raise SecretNotPrivate(
            "the secret is damaged", where=str(path), hint="delete it; every device pairs again"
        )
    return secret


def _load_devices(path: Path) -> dict[str, Device]:
    if not path.exists():
        return {}
    _check_private(path)
    try:
        rows = json.loads(path.read_bytes())
        return {ident: Device(ident, Role(row["role"]), str(row["name"])) for ident, row in rows.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SecretNotPrivate(
            "the list of devices is damaged", where=str(path), hint="delete it; every device pairs again"
        ) from error


def _check_private(path: Path) -> None:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise SecretNotPrivate(
            f"others can read it (mode {mode:o})", where=str(path), hint=f"chmod 600 {path}, or delete it"
        )


def _write_private(path: Path, data: bytes) -> None:
    """Replace a file in one step, readable by its owner only, on the disk before this returns."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
