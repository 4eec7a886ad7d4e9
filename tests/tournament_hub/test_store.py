"""The record: every place of a stream is filled once, in order, and never again."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from table_controller import messages as m
from tournament_hub.errors import StoreFault, StoreFormat, StoreInUse
from tournament_hub.store import Store, Verdict
from tournament_hub.store_events import _recorded

UTC = "2024-05-01T20:00:00Z"
STACKS = {1: 20000, 4: 18000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    subject = Store(tmp_path / "hub.sqlite3")
    yield subject
    subject.close()


def offer(store: Store, *payloads: bytes, table: str = "t1") -> list[Verdict]:
    with store.transaction():
        return [store.offer(table, m.decode_event(payload), payload, UTC) for payload in payloads]


def test_events_in_order_are_recorded(store: Store, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    assert offer(store, *payloads) == [Verdict.RECORDED] * 5
    head = store.head("t1", stream.life)
    assert (head.seq, head.hash) == (5, stream.prev)
    assert store.payloads("t1", stream.life) == payloads
    assert store.hands("t1") == [1]


def test_repeated_events_change_nothing(store: Store, streams: Callable) -> None:
    payloads = streams().play_hand(STACKS)
    offer(store, *payloads)
    assert set(offer(store, *payloads, *payloads[::-1])) == {Verdict.REPEATED}
    assert store.hands("t1") == [1]


def test_same_place_with_another_body_is_never_overwritten(store: Store, streams: Callable) -> None:
    stream, other = streams(), streams()
    payloads = stream.play_hand(STACKS)
    offer(store, *payloads)
    assert offer(store, *other.play_hand({1: 1, 4: 2})) == [
        Verdict.CONFLICT,
        Verdict.REPEATED,
        Verdict.REPEATED,
        Verdict.REPEATED,
        Verdict.CONFLICT,
    ] or set(offer(store, *other.payloads)) == {Verdict.CONFLICT}
    assert store.payloads("t1", stream.life) == payloads


def test_event_after_a_gap_is_not_taken(store: Store, streams: Callable) -> None:
    first, second, third, *_ = streams().play_hand(STACKS)
    assert offer(store, first, third) == [Verdict.RECORDED, Verdict.GAP]
    assert offer(store, second, third) == [Verdict.RECORDED, Verdict.RECORDED]


def test_next_event_that_does_not_continue_the_chain_is_not_taken(store: Store, streams: Callable) -> None:
    stream, other = streams(), streams()
    offer(store, stream.play_hand(STACKS)[0])
    forged = other.play_hand({1: 1, 4: 1})[1]  # number 2, but its predecessor is another event
    assert offer(store, forged) == [Verdict.BROKEN]
    assert store.head("t1", stream.life).seq == 1


def test_lives_and_tables_do_not_touch_each_other(store: Store, streams: Callable) -> None:
    one, two = streams("a" * 32), streams("b" * 32)
    offer(store, *one.play_hand(STACKS))
    offer(store, *two.play_hand(STACKS))
    offer(store, *one.payloads, table="t2")
    assert (
        store.head("t1", one.life).seq
        == store.head("t1", two.life).seq
        == store.head("t2", one.life).seq
        == 5
    )


def test_any_order_with_copies_gives_the_same_record(tmp_path: Path, streams: Callable) -> None:
    """What comes reordered is refused until its turn; offering all again and again fills every place once."""
    stream = streams()
    for _ in range(6):
        stream.play_hand(STACKS)
    for seed in range(5):
        store = Store(tmp_path / f"{seed}.sqlite3")
        rng = random.Random(seed)
        rounds = 0
        while store.head("t1", stream.life).seq < stream.seq:
            chosen = rng.choices(stream.payloads, k=40)
            offer(store, *chosen)
            rounds += 1
            assert rounds < 1000
        assert store.payloads("t1", stream.life) == stream.payloads
        assert store.hands("t1") == [1, 2, 3, 4, 5, 6]
        store.close()


def test_failed_transaction_leaves_nothing(store: Store, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    offer(store, payloads[0])
    with pytest.raises(RuntimeError), store.transaction():
        store.offer("t1", m.decode_event(payloads[1]), payloads[1], UTC)
        raise RuntimeError
    assert store.head("t1", stream.life).seq == 1
    assert offer(store, *payloads[1:]) == [Verdict.RECORDED] * 4


def test_full_disk_is_a_fault_and_nothing_of_it_happened(store: Store, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    offer(store, payloads[0])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFault):
        while True:
            offer(store, *stream.play_hand(STACKS), *stream.payloads)
    store._db.execute("PRAGMA max_page_count = 1000000")
    head = store.head("t1", stream.life).seq
    assert store.payloads("t1", stream.life) == stream.payloads[:head]
    offer(store, *stream.payloads)
    assert store.payloads("t1", stream.life) == stream.payloads


def test_record_survives_a_restart_and_each_start_has_its_epoch(tmp_path: Path, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    path = tmp_path / "hub.sqlite3"
    for epoch in (1, 2, 3):
        store = Store(path)
        assert store.epoch == epoch
        offer(store, *payloads[: 2 * epoch])
        store.close()
    store = Store(path)
    assert store.payloads("t1", stream.life) == payloads
    assert store.head("t1", stream.life).picture.hands == 1
    store.close()


def test_commits_reach_the_disk_before_they_are_told(store: Store) -> None:
    assert store._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert store._db.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_only_one_hub_has_the_record(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.sqlite3")
    with pytest.raises(StoreInUse):
        Store(tmp_path / "hub.sqlite3")
    store.close()
    Store(tmp_path / "hub.sqlite3").close()


def test_file_of_somebody_else_or_of_a_later_program_is_refused(tmp_path: Path) -> None:
    for name, sql in (("other", "CREATE TABLE x (y)"), ("later", "PRAGMA user_version = 99")):
        with sqlite3.connect(tmp_path / name) as db:
            db.execute(sql)
        db.close()
        with pytest.raises(StoreFormat):
            Store(tmp_path / name)
    (tmp_path / "text").write_text("not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreFault):
        Store(tmp_path / "text")


def test_rebuild_gives_the_same_pictures_and_results(store: Store, streams: Callable) -> None:
    stream = streams()
    for _ in range(4):
        offer(store, *stream.play_hand(STACKS))
    before = msgspec.json.encode(store.head("t1", stream.life))
    store._db.execute("DELETE FROM results")
    store._heads[("t1", stream.life)].seq = 3
    assert store.rebuild() == stream.seq
    assert msgspec.json.encode(store.head("t1", stream.life)) == before
    assert store.hands("t1") == [1, 2, 3, 4]


def test_rebuild_finds_an_altered_record(store: Store, streams: Callable) -> None:
    stream = streams()
    offer(store, *stream.play_hand(STACKS))
    altered = stream.payloads[2].replace(b'"fold"', b'"call"')
    assert altered != stream.payloads[2]
    store._db.execute("UPDATE events SET payload = ? WHERE seq = 3", (altered,))
    with pytest.raises(StoreFault):
        store.rebuild()
    assert store.hands("t1") == [1]


def test_corrected_result_counts_once(store: Store, streams: Callable) -> None:
    stream = streams()
    offer(store, *stream.play_hand(STACKS))
    seats = (m.SeatStack(seat=1, entry="e1", stack=1),)
    offer(store, stream.event(m.HandEnd(stacks=seats), amends=stream.seq))
    assert store.hands("t1") == [1]
    assert store.head("t1", stream.life).picture.hands == 1
    assert store.head("t1", stream.life).picture.seats == seats


def test_void_hand_is_no_result(store: Store, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)[:4]
    stream.seq, stream.prev = 4, m.decode_event(stream.payloads[4]).prev
    offer(store, *payloads, stream.event(m.HandEnd(stacks=(), void=True)))
    assert store.hands("t1") == []
    assert store.head("t1", stream.life).picture.voided == 1


def test_alarms_are_counted_and_taken_once(store: Store) -> None:
    with store.transaction():
        assert store.alarm("t1", "other_body", "x", UTC)
        assert not store.alarm("t1", "other_body", "y", UTC)
    (alarm,) = store.alarms()
    assert (alarm.times, alarm.detail) == (2, "x")
    with store.transaction():
        assert store.take_alarm(alarm.ident, "Anne") == alarm
        assert store.take_alarm(alarm.ident, "Bob") is None
    assert store.alarms() == []


def test_what_is_read_again_from_the_record_is_what_was_taken(store: Store, streams: Callable) -> None:
    """A rebuild does not look at the limits again; it must read the same, a type of a later program included."""
    stream = streams()
    stream.play_hand(STACKS)
    seats = (m.SeatStack(seat=1, entry="e1", stack=1),)
    stream.event(m.HandEnd(stacks=seats), amends=stream.seq)
    later = stream.payloads[1].replace(b'"type":"action"', b'"type":"of_later"')
    assert later != stream.payloads[1]
    for payload in (*stream.payloads, later):
        assert _recorded(payload) == m.decode_event(payload)
