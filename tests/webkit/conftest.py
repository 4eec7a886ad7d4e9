"""A real page server on a free port, with a page for each role."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from webkit.broadcast import Broadcast
from webkit.pages import Page, Site, Visitor
from webkit.pairing import Pairing, Role
from webkit.server import WebServer

DEADLINE = 15.0


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition; the test fails when it does not come."""
    end = time.monotonic() + DEADLINE
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen: {what}")
        pause.wait(0.01)


class Clock:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pairing(tmp_path: Path, clock: Clock) -> Pairing:
    return Pairing(tmp_path / "web", clock=clock)


class Served:
    """One running site, and clients for it."""

    def __init__(self, pairing: Pairing, **options: Any) -> None:
        self.pairing = pairing
        self.texts: dict[str, str] = {"board": "0"}
        self.rendered: list[tuple[str, str]] = []
        self.channel = Broadcast(self._render, whole=["board"], keep_alive=0.2, pause=0.0, send_deadline=1.0)
        self.done: list[str] = []
        self.site = Site(
            pairing,
            [
                Page("/", self._hello, Role.DISPLAY),
                Page("/live", self._live, Role.DISPLAY),
                Page("/deal", self._do, Role.DEALER, ("POST",)),
                Page("/direct", self._do, Role.DIRECTOR, ("POST",)),
            ],
            name="Test",
            **options,
        )
        self.server = WebServer(
            self.site.app, host=options.get("bound_to", "127.0.0.1"), before_close=self.channel.close
        )

    def _render(self, fragment: str, variant: str) -> str | None:
        self.rendered.append((fragment, variant))
        return self.texts.get(fragment)

    async def _hello(self, request: Request, visitor: Visitor) -> Response:
        return PlainTextResponse(f"hello {visitor.language}")

    async def _live(self, request: Request, visitor: Visitor) -> ASGIApp:
        return self.channel.response(visitor.language)

    async def _do(self, request: Request, visitor: Visitor) -> Response:
        self.done.append(request.url.path)
        return PlainTextResponse("done")

    def client(self, role: Role | None = None) -> httpx.Client:
        """A browser; with a role, one that was let in."""
        client = httpx.Client(base_url=self.server.url, timeout=DEADLINE)
        if role is not None:
            device = self.pairing.redeem_token(self.pairing.invite(role).token, role.value)
            client.cookies.set(self.pairing.cookie, self.pairing.cookie_value(device))
        return client


@pytest.fixture
def serve(pairing: Pairing) -> Iterator[Callable[..., Served]]:
    """Starts sites; all are closed at the end."""
    made: list[Served] = []

    def make(**options: Any) -> Served:
        served = Served(pairing, **options)
        served.server.start()
        made.append(served)
        return served

    yield make
    for served in made:
        served.server.close()


@pytest.fixture
def wait() -> Callable[..., Any]:
    """Wait for a condition with a deadline."""
    return wait_until
