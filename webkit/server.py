"""One page server: uvicorn in a thread of its own, started and stopped by whoever owns it.

Loopback by default; port 0 takes a free one and ``port`` says which. ``close`` ends the live channels first, so that
the thread is joined at once however many screens look.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from webkit.errors import AddressInUse, AddressRefused, ServerDidNotStart, ServerDidNotStop

START_DEADLINE = 15.0
STOP_DEADLINE = 10.0
GRACE = 2
"""Seconds that requests under way get when the server stops."""
USER_TIMEOUT_MS = 15_000
"""A screen that takes no byte for this long (milliseconds) is cut off by the kernel: a closed laptop, a dead line."""


def is_loopback(host: str) -> bool:
    """Whether this address can only be reached from the machine itself.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("hub.local")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Uvicorn(uvicorn.Server):
    """uvicorn that says when it is ready and leaves no connection open."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()


class WebServer:
    """A page server that can be started once and closed once.

    Args:
        app: what answers.
        host: the address to listen on.
        port: 0 takes a free one.
        before_close: called first by ``close``, to end live channels.
        certificate: (certificate, key) files for TLS; None = plain HTTP.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        before_close: Callable[[], None] | None = None,
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        self._app = app
        self._host = host
        self._asked_port = port
        self._before_close = before_close
        self._certificate = certificate
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._server: _Uvicorn | None = None
        self._failure: BaseException | None = None
        self._port = port

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        shown = "127.0.0.1" if host == "0.0.0.0" else host
        return f"{'https' if self._certificate else 'http'}://{shown}:{self._port}"

    def start(self) -> None:
        """Listen; returns when the first request would be answered.

        Raises:
            AddressInUse: another program listens there.
            AddressRefused: not an address of this machine, or a port that needs more rights.
            ServerDidNotStart: not ready within the deadline.
        """
        listener = self._listen()
        self._port = listener.getsockname()[1]
        certificate, key = self._certificate or (None, None)
        config = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="off",
            http="h11",
            ws="none",
            loop="asyncio",
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        self._server = _Uvicorn(config, self._ready)
        self._thread = threading.Thread(
            target=self._run, args=(self._server, listener), name="web", daemon=True
        )
        self._thread.start()
        ready = self._ready.wait(START_DEADLINE)
        if self._failure is not None or not ready:
            failure = self._failure
            self.close()
            raise ServerDidNotStart(
                f"not ready after {START_DEADLINE:.0f} s"
                if failure is None
                else f"ended at once: {failure!r}",
                where=self.url,
                hint="see the cause above",
            ) from failure

    def close(self) -> None:
        """Stop listening, end every connection and join the thread. May be called twice.

        Raises:
            ServerDidNotStop: the thread still runs after the deadline.
        """
        if self._before_close is not None:
            self._before_close()
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(STOP_DEADLINE)
            if self._thread.is_alive():
                raise ServerDidNotStop(
                    f"still running after {STOP_DEADLINE:.0f} s", where=self.url, hint="end the process"
                )
            self._thread = None

    def _run(self, server: _Uvicorn, listener: socket.socket) -> None:
        try:
            server.run(sockets=[listener])
        except (Exception, SystemExit) as error:  # told to start(), which raises it in the caller's thread
            self._failure = error
        finally:
            listener.close()
            self._ready.set()

    def _listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)
            listener.bind((self._host, self._asked_port))
            listener.listen(128)
        except OSError as error:
            listener.close()
            where = f"{self._host}:{self._asked_port}"
            if error.errno == errno.EADDRINUSE:
                raise AddressInUse(
                    "another program listens there", where=where, hint="stop it or choose another port"
                ) from error
            raise AddressRefused(str(error), where=where, hint="check the address and the port") from error
        listener.setblocking(False)
        return listener
