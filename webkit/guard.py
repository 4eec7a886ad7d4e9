"""The gate in front of every page: right host, same origin, security headers, and the visitor's rights.

A web page elsewhere must not be able to act here through a visitor's browser: names that are not this server's are
refused (DNS rebinding), and a form that another site sends is refused (its Origin is not ours).
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webkit.language import choose_language
from webkit.pairing import Device, Pairing, Role
from webkit.server import is_loopback

LANGUAGE_COOKIE = "maldonne_language"
MAX_BODY = 16_384
"""Bytes of the largest form that is read."""
MAX_UPLOAD = 1_048_576
"""Bytes of the largest form with a file in it; only pages that take a file read it."""

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


@dataclass(frozen=True)
class Visitor:
    """Who asks: a device that was let in, or somebody at the machine itself, or a stranger.

    Attributes:
        device: the paired device, if it is one.
        role: what the visitor may do; None = a stranger.
        language: what the visitor reads.
    """

    device: Device | None
    role: Role | None
    language: str

    def may(self, needed: Role) -> bool:
        """Whether the visitor may do what ``needed`` may."""
        return self.role is not None and self.role.may(needed)


class Gate:
    """Decides who a visitor is.

    Args:
        pairing: the doorkeeper.
        bound_to: the address that the server listens on.
        at_the_machine: what a browser on the machine itself may do without pairing while the server listens on
            loopback only; None = nothing.
    """

    def __init__(self, pairing: Pairing, bound_to: str, at_the_machine: Role | None) -> None:
        self.pairing = pairing
        self.bound_to = bound_to
        self._at_the_machine = at_the_machine if is_loopback(bound_to) else None

    def visitor(self, request: Request) -> Visitor:
        """Who asks, what he may do, what he reads."""
        device = self.pairing.recognise(request.cookies.get(self.pairing.cookie))
        role = device.role if device else (self._at_the_machine if self._is_at_the_machine(request) else None)
        language = choose_language(
            request.query_params.get("lang"),
            request.cookies.get(LANGUAGE_COOKIE),
            request.headers.get("accept-language"),
        )
        return Visitor(device, role, language)

    @staticmethod
    def _is_at_the_machine(request: Request) -> bool:
        """A browser here, not a proxy that speaks for somebody elsewhere."""
        forwarded = {"forwarded", "x-forwarded-for", "x-real-ip", "via"} & set(request.headers.keys())
        peer = request.client.host if request.client else ""
        return not forwarded and is_loopback(peer) and is_loopback(request.url.hostname or "")


class GuardMiddleware:
    """Refuses foreign hosts and foreign forms, and puts the security headers on every answer.

    Args:
        app: what is guarded.
        bound_to: the address that the server listens on.
        names: further host names under which the server is reached.
    """

    def __init__(self, app: ASGIApp, bound_to: str, names: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._loopback_only = is_loopback(bound_to)
        own = {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local", bound_to.lower()}
        self._names = own | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *SECURITY_HEADERS]}
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, send_guarded)
            return
        status, reason = refusal
        await send_guarded(
            {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]}
        )
        await send_guarded({"type": "http.response.body", "body": reason.encode() + b"\n"})

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        name = (urlsplit(f"//{host}").hostname or "") if host.isprintable() else ""
        if not self._is_ours(name):
            return 421, "this name is not this server's"
        if scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{host}":
            return 403, "a form of another site"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "a form of another site"
        length = headers.get("content-length", "")
        file = headers.get("content-type", "").startswith("multipart/form-data")
        if not length.isdigit() or int(length) > (MAX_UPLOAD if file else MAX_BODY):
            return 413, "too much, or of unknown length"
        return None

    def _is_ours(self, name: str) -> bool:
        if is_loopback(name) or name in self._names:
            return True
        if self._loopback_only:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def lan_address() -> str | None:
    """The address under which other devices of the room reach this machine; None without a network. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # an address of no one (RFC 5737); connecting UDP only picks the route
            return str(probe.getsockname()[0])
        except OSError:
            return None
