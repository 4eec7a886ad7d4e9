"""The same record in a real PostgreSQL server: every place filled once, one hub at a time, a server that dies."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from table_controller import messages as m
from tests.tournament_hub.postgres_server import Server, program
from tournament_hub.errors import StoreFault, StoreFormat, StoreInUse
from tournament_hub.store import Store, Verdict
from tournament_hub.store_backup import BackupError, backup, restore
from tournament_hub.store_people import Keep, Person, export_person, find, forget, people, retain, save_person

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install maldonne[postgres]")
if program("initdb") is None or program("pg_ctl") is None:
    pytest.skip("no PostgreSQL server on this machine: apt install postgresql", allow_module_level=True)

UTC = "2024-05-01T20:00:00Z"
STACKS = {1: 20000, 4: 18000}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def url(server: Server, request: pytest.FixtureRequest) -> str:
    return server.database(f"t{abs(hash(request.node.name)):x}"[:30])


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    subject = Store(url)
    yield subject
    subject.close()


def offer(store: Store, *payloads: bytes, table: str = "t1") -> list[Verdict]:
    with store.transaction():
        return [store.offer(table, m.decode_event(payload), payload, UTC) for payload in payloads]


def test_events_with_copies_in_any_order_fill_every_place_once(store: Store, streams: Callable) -> None:
    stream, rng = streams(), random.Random(5)
    for _ in range(6):
        stream.play_hand(STACKS)
    for _ in range(300):
        offer(store, *rng.choices(stream.payloads, k=12))
    assert store.payloads("t1", stream.life) == stream.payloads
    assert store.hands("t1") == [1, 2, 3, 4, 5, 6]
    assert set(offer(store, *stream.payloads)) == {Verdict.REPEATED}


def test_same_verdicts_as_in_a_file(store: Store, tmp_path: Path, streams: Callable) -> None:
    stream, other = streams(), streams()
    stream.play_hand(STACKS)
    other.play_hand({1: 5, 4: 7})
    lite = Store(tmp_path / "hub.sqlite3")
    order = [stream.payloads[0], stream.payloads[2], other.payloads[0], other.payloads[1], *stream.payloads]
    assert offer(store, *order) == offer(lite, *order)
    assert {Verdict.GAP, Verdict.CONFLICT, Verdict.RECORDED, Verdict.REPEATED} <= set(offer(lite, *order)) | {
        Verdict.GAP,
        Verdict.RECORDED,
    }
    lite.close()


def test_failed_transaction_leaves_nothing(store: Store, streams: Callable) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    offer(store, payloads[0])
    with pytest.raises(RuntimeError), store.transaction():
        store.offer("t1", m.decode_event(payloads[1]), payloads[1], UTC)
        raise RuntimeError
    assert store.head("t1", stream.life).seq == 1
    assert offer(store, *payloads[1:]) == [Verdict.RECORDED] * 4


def test_everything_else_that_a_hub_keeps(store: Store) -> None:
    desired = m.Desired(epoch=1, rev=1, tournament=None, rulebook="standard", level=None, seats=())
    with store.transaction():
        store.save_desired("t1", desired, "hub", "start")
        store.save_desired("t1", msgspec.structs.replace(desired, rev=2), "hub", "hold")
        store.save_configured("t1", desired)
        store.save_configured("t1", desired)
        store.save_identity("t1", "a" * 32, 1, 1)
        store.save_identity("t1", "b" * 32, 2, 3)
        store.save_request("t1", "floor", "tx1", b"{}", b'{"ok":true}')
        assert store.alarm("t1", "gap", "x", UTC) and not store.alarm("t1", "gap", "y", UTC)
        store.add_record("friday", 1, b'{"n":1}', UTC)
    assert store.desired("t1") == msgspec.structs.replace(desired, rev=2)
    assert store.configured("t1") == desired
    assert store.identities() == {"t1": ("b" * 32, 2, 3)}
    assert store.answered("t1", "floor", "tx1") == b'{"ok":true}'
    (alarm,) = store.alarms()
    with store.transaction():
        assert store.take_alarm(alarm.ident, "Anne") == alarm
    assert (alarm.times, store.alarms(), store.records("friday")) == (2, [], [b'{"n":1}'])


def test_each_start_has_its_epoch_and_only_one_hub_holds_it(url: str) -> None:
    first = Store(url)
    with pytest.raises(StoreInUse):
        Store(url)
    first.close()
    second = Store(url)
    assert (first.epoch, second.epoch) == (1, 2)
    second.close()


def test_a_database_of_somebody_else_or_of_a_later_program_is_refused(url: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE events (x int)")
    with pytest.raises(StoreFormat, match="not a hub's record"):
        Store(url)
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DROP TABLE events")
    Store(url).close()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("UPDATE meta SET value = 99 WHERE key = 'format'")
    with pytest.raises(StoreFormat, match="format 99"):
        Store(url)


def test_no_server_is_a_fault_that_names_it_without_the_password() -> None:
    with pytest.raises(StoreFault) as error:
        Store("postgresql://club:secret@127.0.0.1:1/none")
    assert "club@127.0.0.1:1/none" in str(error.value) and "secret" not in str(error.value)


def test_what_was_committed_survives_a_server_that_dies_and_the_hub_goes_on(
    server: Server, store: Store, streams: Callable
) -> None:
    stream = streams()
    offer(store, *stream.play_hand(STACKS))
    stream.play_hand(STACKS)
    server.kill()
    with pytest.raises(StoreFault):
        offer(store, *stream.payloads)
    server.start()
    assert offer(store, *stream.payloads) == [Verdict.REPEATED] * 5 + [Verdict.RECORDED] * 5
    assert store.payloads("t1", stream.life) == stream.payloads


def test_a_server_that_dies_in_a_transaction_leaves_nothing_of_it(
    server: Server, store: Store, streams: Callable
) -> None:
    stream = streams()
    payloads = stream.play_hand(STACKS)
    with pytest.raises(StoreFault), store.transaction():
        store.offer("t1", m.decode_event(payloads[0]), payloads[0], UTC)
        server.kill()
    server.start()
    assert offer(store, *payloads) == [Verdict.RECORDED] * 5


def test_rebuild_and_altered_records(store: Store, streams: Callable) -> None:
    stream = streams()
    for _ in range(3):
        offer(store, *stream.play_hand(STACKS))
    assert store.rebuild() == stream.seq and store.hands("t1") == [1, 2, 3]
    store.database.execute("UPDATE events SET payload = ? WHERE seq = 3", (stream.payloads[3],))
    with pytest.raises(StoreFault, match="does not continue the chain"):
        store.rebuild()
    assert store.hands("t1") == [1, 2, 3]


def test_backup_and_restore_between_server_and_file(
    url: str, store: Store, tmp_path: Path, streams: Callable
) -> None:
    stream = streams()
    offer(store, *stream.play_hand(STACKS))
    with store.transaction():
        store.add_record("friday", 1, b'{"n":1}', UTC)
        save_person(store, Person("p-1", "Élodie Martin"), UTC)
    told = backup(url, tmp_path / "copy.sqlite3")  # while the hub holds it
    assert (told.events, told.tournaments, told.people, told.epoch) == (5, 1, 1, 1)
    restore(tmp_path / "copy.sqlite3", tmp_path / "file" / "hub.sqlite3")
    lite = Store(tmp_path / "file" / "hub.sqlite3")
    assert lite.payloads("t1", stream.life) == stream.payloads and lite.epoch == 1002
    stream.play_hand(STACKS)
    offer(lite, *stream.payloads)
    lite.close()
    backup(tmp_path / "file" / "hub.sqlite3", tmp_path / "back.sqlite3")
    store.close()
    with pytest.raises(BackupError, match="a record is there already"):
        restore(tmp_path / "back.sqlite3", url)
    restore(tmp_path / "back.sqlite3", url, replace=True)
    again = Store(url)
    try:
        assert again.payloads("t1", stream.life) == stream.payloads and again.hands("t1") == [1, 2]
        assert people(again)[0].name == "Élodie Martin" and again.epoch == 2003
        offer(again, *stream.play_hand(STACKS))  # receipts go on after those restored
        assert [found.event.seq for found in again.latest(6)] == [10, 11, 12, 13, 14, 15]
    finally:
        again.close()


def test_forgotten_names_are_in_no_file_of_the_server(
    server: Server, store: Store, streams: Callable
) -> None:
    with store.transaction():
        save_person(store, Person("p-1", "Zénobie Quatrefages"), UTC)
        store.alarm("t1", "gap", "Zénobie Quatrefages l'a vu", UTC)
        store.add_record("friday", 1, b'{"n":1,"by":"Z\xc3\xa9nobie Quatrefages"}', UTC)
    done = forget(store, find(store, "zénobie quatrefages"))
    assert done.blacked == {"people": 1, "alarms": 1, "records": 1}
    assert people(store) == [] and store.records("friday") == ['{"n":1,"by":"—"}'.encode()]
    tables = store.database.execute(
        "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't')"
    )
    files = [server.data / row[0] for row in tables if row[0]]
    assert files
    for file in files:
        assert not file.exists() or b"Quatrefages" not in file.read_bytes(), file


def test_retention_and_export(store: Store) -> None:
    with store.transaction():
        save_person(store, Person("p-1", "Anne"), UTC)
        store.add_record("friday", 1, b'{"n":1,"event":{"entry":"e1","player":"p-1"}}', UTC)
        store.add_record("friday", 2, b'{"n":2,"event":{"entry":"e2","player":"p-2"}}', UTC)
    told = export_person(store, find(store, "Anne"))
    assert [record["n"] for record in told["tournaments"][0]["records"]] == [1]
    assert retain(store, Keep(names=10, tournaments=10), "2024-05-09T20:00:00Z") == {}
    assert retain(store, Keep(names=10, tournaments=10), "2024-06-01T20:00:00Z") == {
        "names": 1,
        "tournaments": 2,
    }


@pytest.mark.parametrize("count", [1, 3, 40])
def test_rows_put_in_together_are_those_put_in_one_by_one(store: Store, count: int) -> None:
    """Few or many go in one statement; what is not known stays so, whatever its column holds."""
    columns = ("tbl", "life", "seq", "hand", "void", "body")
    rows = [("t1", "a" * 32, seq, None, seq % 2, bytes([seq, 0, 10, 92])) for seq in range(count)]
    with store.transaction():
        store.database.insert("results", columns, rows)
    read = store.database.execute("SELECT tbl, life, seq, hand, void, body FROM results ORDER BY seq")
    assert [(*row[:5], bytes(row[5])) for row in read] == rows
    again = [(*row[:3], 7, *row[4:]) for row in rows]
    with store.transaction():
        store.database.insert("results", columns, again, key=("tbl", "life", "seq"))
    read = store.database.execute("SELECT hand FROM results")
    assert [row[0] for row in read] == [7] * count
    with pytest.raises(StoreFault), store.transaction():
        store.database.insert("results", columns, rows)  # a place is filled once
    assert len(store.database.execute("SELECT 1 FROM results").fetchall()) == count
