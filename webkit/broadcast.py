"""The live channel from a server to its screens (server-sent events).

A screen that connects gets every whole fragment, and after that each fragment that changed, whole again: there is
nothing to catch up on after a lost connection, so a screen left open for days cannot drift.

What waits for a screen is a set of fragment *names*, never their text: it cannot grow beyond the number of fragments,
however slow the screen is, and a slow screen skips to the newest text.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Sequence

from starlette.types import Message, Receive, Scope, Send

KEEP_ALIVE = 10.0
"""Seconds without news after which a screen gets a pulse: silence for three of them means that the line is dead."""
SEND_DEADLINE = 10.0
"""Seconds that one write may wait for a screen; then it is dropped and must connect again."""
PAUSE = 0.05
"""Seconds between two writes to one screen: changes in between become one."""
MAX_SCREENS = 250
RETRY_MS = 1000
"""What a browser waits before it connects again, in milliseconds."""


class Broadcast:
    """All the screens that look at one page, and what each has not been shown yet.

    ``changed`` may be called from any thread; everything else happens on the server's own loop.

    Args:
        render: (fragment, variant) -> HTML. Called on the server's loop, once per change and variant however many
            screens look; must be quick and must not block. Returning None takes the fragment off the list.
        whole: the fragments that a new screen gets, in order. A fragment outside this list (one tile of many) must be
            contained in one of these.
        keep_alive: seconds between pulses.
        send_deadline: seconds that a write may take.
        pause: seconds between writes to one screen.
        max_screens: more are turned away with 503.
    """

    def __init__(
        self,
        render: Callable[[str, str], str | None],
        *,
        whole: Sequence[str],
        keep_alive: float = KEEP_ALIVE,
        send_deadline: float = SEND_DEADLINE,
        pause: float = PAUSE,
        max_screens: int = MAX_SCREENS,
    ) -> None:
        self._render = render
        self._whole = tuple(whole)
        self._keep_alive = keep_alive
        self._send_deadline = send_deadline
        self._pause = pause
        self._max_screens = max_screens
        self._lock = threading.Lock()
        self._screens: set[_Screen] = set()
        self._versions: dict[str, int] = {}
        self._cache: dict[tuple[str, str], tuple[int, bytes]] = {}
        self._closed = False
        self.instance = secrets.token_hex(8)
        """Names this run of the server: a screen that sees another one loads its page afresh."""

    @property
    def screens(self) -> int:
        """How many screens are connected now."""
        with self._lock:
            return len(self._screens)

    def changed(self, *fragments: str) -> None:
        """These fragments now read differently: every screen will be shown their newest text."""
        with self._lock:
            for fragment in fragments:
                self._versions[fragment] = self._versions.get(fragment, 0) + 1
            for screen in self._screens:
                screen.owe(fragments)

    def close(self) -> None:
        """End every screen's stream and take no new one; returns at once and may be called twice."""
        with self._lock:
            self._closed = True
            for screen in self._screens:
                screen.end()

    def response(self, variant: str) -> Stream:
        """The endless answer to one screen that reads ``variant`` (a language)."""
        return Stream(self, variant)

    def enter(self, screen: _Screen) -> bool:
        """Let a screen in; False when the channel is closed or full."""
        with self._lock:
            if self._closed or len(self._screens) >= self._max_screens:
                return False
            self._screens.add(screen)
            for fragment in self._whole:  # written afresh: a kept text may tell an age of long ago
                self._versions[fragment] = self._versions.get(fragment, 0) + 1
            screen.owe(self._whole)
            return True

    def leave(self, screen: _Screen) -> None:
        """A screen is gone."""
        with self._lock:
            self._screens.discard(screen)
            if not self._screens:
                self._cache.clear()

    def event(self, fragment: str, variant: str) -> bytes:
        """One fragment as it goes over the line; empty when it no longer exists."""
        with self._lock:
            version = self._versions.get(fragment, 0)
        cached = self._cache.get((fragment, variant))
        if cached is not None and cached[0] == version:
            return cached[1]
        text = self._render(fragment, variant)
        data = b"" if text is None else encode_event(fragment, text)
        self._cache[(fragment, variant)] = (version, data)
        return data

    async def serve(self, screen: _Screen, variant: str, send: Send) -> None:
        """Write to one screen until it goes, is too slow, or the channel closes."""
        await self._write(send, f"retry: {RETRY_MS}\n\n".encode() + encode_event("pulse", self.instance))
        while True:
            try:
                await asyncio.wait_for(screen.news.wait(), self._keep_alive)
            except TimeoutError:
                await self._write(send, b": alive\n\n" + encode_event("pulse", self.instance))
                continue
            owed, ended = screen.take()
            if ended:
                return
            data = b"".join([self.event(fragment, variant) for fragment in owed])
            if data:
                await self._write(send, data)
            if self._pause:
                await asyncio.sleep(self._pause)

    async def _write(self, send: Send, data: bytes) -> None:
        message: Message = {"type": "http.response.body", "body": data, "more_body": True}
        await asyncio.wait_for(send(message), self._send_deadline)


class _Screen:
    """One connected screen: which fragments it is still owed."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._owed: dict[str, None] = {}
        self._ended = False
        self.news = asyncio.Event()

    def owe(self, fragments: Sequence[str]) -> None:
        with self._lock:
            asleep = not self._owed and not self._ended
            self._owed.update(dict.fromkeys(fragments))
        if asleep:
            self._wake()

    def end(self) -> None:
        with self._lock:
            self._ended = True
        self._wake()

    def take(self) -> tuple[list[str], bool]:
        """What is owed now (then nothing is), and whether the stream must end."""
        with self._lock:
            owed, ended = list(self._owed), self._ended
            self._owed.clear()
            self.news.clear()
            if ended:
                self.news.set()
            return owed, ended

    def _wake(self) -> None:
        # The loop is closed only when the server has stopped: then nobody is there to be woken.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.news.set)


class Stream:
    """The ASGI answer that carries one screen's channel."""

    def __init__(self, channel: Broadcast, variant: str) -> None:
        self._channel = channel
        self._variant = variant

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        screen = _Screen()
        if not self._channel.enter(screen):
            await _turn_away(send)
            return
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._until_gone(screen, receive, send)
        finally:
            self._channel.leave(screen)

    async def _until_gone(self, screen: _Screen, receive: Receive, send: Send) -> None:
        writing = asyncio.ensure_future(self._channel.serve(screen, self._variant, send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writing, leaving):
                task.cancel()
            results = await asyncio.gather(writing, leaving, return_exceptions=True)
        failure = results[0]
        if isinstance(failure, Exception) and not isinstance(failure, (TimeoutError, OSError)):
            raise failure
        if failure is None:  # the channel closed: say so, the connection ends in good order
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


async def _turn_away(send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"5")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b"too many screens\n"})


def encode_event(name: str, text: str) -> bytes:
    r"""One named event as it goes over the line.

    >>> encode_event("log", "a\nb")
    b'event: log\ndata: a\ndata: b\n\n'
    """
    told = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\ndata: ")
    return f"event: {name}\ndata: {told}\n\n".encode()
