"""Hands out of a record that lies in a real PostgreSQL server: the same pages, the same hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_controller import messages as m
from tests.tournament_hub.postgres_server import Server, program
from tournament_hub.store import Store
from tournament_hub.store_history import PAGE, History

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install maldonne[postgres]")
if program("initdb") is None or program("pg_ctl") is None:
    pytest.skip("no PostgreSQL server on this machine: apt install postgresql", allow_module_level=True)

UTC = "2024-05-01T20:00:00Z"


@pytest.fixture
def store() -> Iterator[Store]:
    server = Server()
    try:
        subject = Store(server.database("history"))
        yield subject
        subject.close()
    finally:
        server.close()


def test_pages_and_hands_are_found_over_every_life(store: Store, streams: Callable) -> None:
    with store.transaction():
        for life in "ab":
            stream = streams(life * 32)
            for _ in range(30):
                for payload in stream.play_hand({1: 20000, 4: 18000}):
                    store.offer("t1", m.decode_event(payload), payload, UTC)
    history = History(store)
    with store.transaction():
        first = history.page("t1")
        second = history.page("t1", first.next)
        found = history.hand("t1", 5, "aaaaaaaa")
    assert [each.hand for each in first.hands] == list(range(30, 30 - PAGE, -1))
    assert [(each.life[0], each.hand) for each in second.hands][:7] == [
        *(("b", n) for n in range(5, 0, -1)),
        ("a", 30),
        ("a", 29),
    ]
    assert found is not None and (found.before, found.after, len(found.payloads)) == (4, 6, 5)
