"""The live channel: everything at connect, every change after it, and an end when the server closes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import httpx
import pytest

from webkit.broadcast import encode_event
from webkit.pairing import Role


def events(stream: httpx.Response) -> Iterator[tuple[str, str]]:
    """The named events of a stream, without the pulses."""
    name, data = "", []
    for line in stream.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            data.append(line[6:])
        elif not line and name:
            if name != "pulse":
                yield name, "\n".join(data)
            name, data = "", []


def test_every_screen_gets_the_whole_at_connect_and_each_change(serve: Callable, wait: Callable) -> None:
    served = serve()
    with (
        served.client() as one,
        served.client() as two,
        one.stream("GET", "/live") as a,
        two.stream("GET", "/live") as b,
    ):
        first, second = events(a), events(b)
        assert next(first) == ("board", "0")
        assert next(second) == ("board", "0")
        served.texts["board"] = "1\n2"
        served.channel.changed("board")
        assert next(first) == ("board", "1\n2")
        assert next(second) == ("board", "1\n2")
        assert served.channel.screens == 2
    wait(lambda: served.channel.screens == 0, "both screens left")


def test_screen_that_connects_again_gets_the_whole_again(serve: Callable) -> None:
    served = serve()
    for text in ("a", "b"):
        served.texts["board"] = text
        with served.client() as client, client.stream("GET", "/live") as stream:
            assert next(events(stream)) == ("board", text)


def test_changes_between_two_writes_become_one(serve: Callable) -> None:
    served = serve()
    with served.client() as client, client.stream("GET", "/live") as stream:
        found = events(stream)
        next(found)
        served.texts["board"] = "1"
        served.texts["tile"] = "t"
        served.channel.changed("board", "tile")
        assert {next(found), next(found)} == {("board", "1"), ("tile", "t")}
        for number in range(200):
            served.texts["board"] = f"last {number}"
            served.channel.changed("board")
        seen = [next(found)[1]]
        while seen[-1] != "last 199":
            seen.append(next(found)[1])
        assert len(seen) <= 200


def test_a_fragment_is_written_once_per_language_however_many_look(serve: Callable, wait: Callable) -> None:
    served = serve()
    clients = [served.client() for _ in range(4)]
    streams = [client.stream("GET", "/live") for client in clients]
    opened = [stream.__enter__() for stream in streams]
    found = [events(stream) for stream in opened]
    for one in found:
        next(one)
    served.rendered.clear()
    served.texts["board"] = "new"
    served.channel.changed("board")
    assert [next(one) for one in found] == [("board", "new")] * 4
    assert served.rendered == [("board", "fr")]
    for stream, client in zip(streams, clients, strict=True):
        stream.__exit__(None, None, None)
        client.close()


def test_unknown_fragment_is_left_out(serve: Callable) -> None:
    served = serve()
    with served.client() as client, client.stream("GET", "/live") as stream:
        found = events(stream)
        next(found)
        served.texts["board"] = "after"
        served.channel.changed("gone", "board")
        assert next(found) == ("board", "after")


def test_silence_is_filled_with_pulses_that_name_the_run(serve: Callable) -> None:
    served = serve()
    with served.client() as client, client.stream("GET", "/live") as stream:
        lines = stream.iter_lines()
        pulses = 0
        for line in lines:
            pulses += line == f"data: {served.channel.instance}"
            if pulses == 3:
                break
        assert pulses == 3


def test_closing_ends_every_stream_in_good_order(serve: Callable) -> None:
    served = serve()
    before = threading.active_count()
    with served.client() as client, client.stream("GET", "/live") as stream:
        found = events(stream)
        next(found)
        served.server.close()
        assert list(found) == []  # ended, not broken off
    assert threading.active_count() < before


def test_slow_screen_is_dropped_and_others_go_on(serve: Callable, wait: Callable) -> None:
    served = serve()
    slow = socket.create_connection(("127.0.0.1", served.server.port))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sendall(b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    wait(lambda: served.channel.screens == 1, "the slow screen is in")
    served.texts["board"] = "x" * 8_000_000
    served.channel.changed("board")
    wait(lambda: served.channel.screens == 0, "the slow screen is dropped")
    slow.close()
    served.texts["board"] = "small"
    with served.client() as client, client.stream("GET", "/live") as stream:
        assert next(events(stream)) == ("board", "small")


def test_too_many_screens_are_turned_away(serve: Callable) -> None:
    served = serve()
    served.channel._max_screens = 1
    with served.client() as one, served.client() as two, one.stream("GET", "/live") as stream:
        found = events(stream)
        next(found)
        assert two.get("/live").status_code == 503
        found.close()


def test_channel_needs_the_role_of_its_page(serve: Callable) -> None:
    served = serve(at_the_machine=None)
    with served.client() as stranger:
        assert stranger.get("/live").status_code == 401
    with served.client(Role.DISPLAY) as screen, screen.stream("GET", "/live") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(("text", "lines"), [("", 1), ("a\r\nb\rc", 3), ("a\n\nb", 3)])
def test_no_line_break_can_end_an_event_early(text: str, lines: int) -> None:
    encoded = encode_event("x", text).decode()
    assert encoded.count("data: ") == lines
    assert encoded.endswith("\n\n") and "\n\n" not in encoded[:-2] and "\r" not in encoded
