"""The first director's phone, let in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import httpx

from tournament_hub.hub import Hub


@contextlib.contextmanager
def phone(hub: Hub) -> Iterator[httpx.Client]:
    """The first director's phone."""
    link = hub.director_link()
    assert link is not None
    with httpx.Client(base_url=hub.url, timeout=15) as client:
        client.post(link.removeprefix(hub.url), data={"device": "Anne"})
        yield client
