"""Starting and stopping one page server."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from webkit.errors import AddressInUse, AddressRefused, WebkitError
from webkit.server import WebServer


def fds() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_starts_on_a_free_port_and_leaves_nothing(serve: Callable) -> None:
    served = serve()
    served.client().close()
    served.server.close()
    threads, files = threading.active_count(), fds()
    for _ in range(3):
        server = WebServer(PlainTextResponse("x"))
        server.start()
        assert server.port > 0 and server.url == f"http://127.0.0.1:{server.port}"
        with socket.create_connection(("127.0.0.1", server.port)) as idle:
            idle.sendall(b"GET / HTTP/1.1\r\n")  # a request that never ends
            server.close()
            server.close()
    assert threading.active_count() == threads
    assert fds() == files


def test_two_servers_cannot_share_a_port() -> None:
    first = WebServer(PlainTextResponse("x"))
    first.start()
    try:
        second = WebServer(PlainTextResponse("y"), port=first.port)
        with pytest.raises(AddressInUse) as error:
            second.start()
        assert str(first.port) in error.value.where and error.value.hint
        second.close()
    finally:
        first.close()


def test_address_of_another_machine_is_refused() -> None:
    server = WebServer(PlainTextResponse("x"), host="192.0.2.1")
    with pytest.raises(AddressRefused):
        server.start()
    server.close()


def test_errors_have_code_and_next_step() -> None:
    kinds = [WebkitError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    codes = [kind.code for kind in kinds]
    assert len(set(codes)) == len(codes) and all(code.startswith("web") for code in codes)


def test_listens_on_loopback_only() -> None:
    server = WebServer(PlainTextResponse("x"))
    server.start()
    try:
        rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
        listening = [row.split()[1] for row in rows if row.split()[3] == "0A"]
        mine = [address for address in listening if int(address.partition(":")[2], 16) == server.port]
        assert mine == [f"0100007F:{server.port:04X}"], os.uname()
    finally:
        server.close()
