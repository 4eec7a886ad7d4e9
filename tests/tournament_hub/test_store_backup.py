"""Backups: one consistent moment while the hub writes, proved when they are put back, never older than what tables obeyed."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from table_controller import messages as m
from tournament_hub.errors import StoreFault, StoreFormat, StoreInUse
from tournament_hub.store import Store
from tournament_hub.store_backup import BackupError, backup, restore
from tournament_hub.store_people import Person, people, save_person

UTC = "2024-05-01T20:00:00Z"
STACKS = {1: 20000, 4: 18000}


def fill(path: Path, stream: Callable, hands: int = 3) -> Store:
    store = Store(path)
    with store.transaction():
        for _ in range(hands):
            for payload in stream.play_hand(STACKS):
                store.offer("t1", m.decode_event(payload), payload, UTC)
        store.add_record("friday", 1, b'{"n":1}', UTC)
        save_person(store, Person("p-1", "Anne Nonyme"), UTC)
    return store


def test_a_backup_put_back_is_the_record(tmp_path: Path, streams: Callable) -> None:
    stream = streams()
    store = fill(tmp_path / "hub.sqlite3", stream)
    told = backup(tmp_path / "hub.sqlite3", tmp_path / "backups" / "a")
    assert (told.events, told.tournaments, told.people, told.epoch) == (15, 1, 1, 1)
    store.close()
    assert restore(tmp_path / "backups" / "a", tmp_path / "new" / "hub.sqlite3").events == 15
    again = Store(tmp_path / "new" / "hub.sqlite3")
    assert again.payloads("t1", stream.life) == stream.payloads
    assert again.hands("t1") == [1, 2, 3] and again.records("friday") == [b'{"n":1}']
    assert people(again)[0].name == "Anne Nonyme"
    again.close()


def test_a_backup_while_the_hub_writes_is_one_moment(tmp_path: Path, streams: Callable) -> None:
    """Every copy is a whole number of transactions, whenever it was taken."""
    stream = streams()
    path = tmp_path / "hub.sqlite3"
    store = fill(path, stream, 1)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with store.transaction():
                for payload in stream.play_hand(STACKS):
                    store.offer("t1", m.decode_event(payload), payload, UTC)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        sizes = [backup(path, tmp_path / f"copy{number}").events for number in range(6)]
    finally:
        stop.set()
        writer.join(30)
        store.close()
    assert all(size % 5 == 0 for size in sizes) and sizes == sorted(sizes)
    for number in range(6):
        restore(tmp_path / f"copy{number}", tmp_path / f"{number}" / "hub.sqlite3")


def test_a_restored_record_is_ahead_of_what_tables_have_obeyed(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    fill(path, streams()).close()
    backup(path, tmp_path / "old")
    for _ in range(5):
        Store(path).close()
    restore(tmp_path / "old", path, replace=True)
    store = Store(path)
    assert store.epoch > 6
    store.close()


def test_a_record_that_is_there_is_kept_beside(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    fill(path, streams()).close()
    backup(path, tmp_path / "old")
    with pytest.raises(BackupError, match="a record is there already"):
        restore(tmp_path / "old", path)
    restore(tmp_path / "old", path, replace=True)
    with sqlite3.connect(tmp_path / "hub.sqlite3.before") as before:
        assert before.execute("SELECT count(*) FROM events").fetchone()[0] == 15
    before.close()


def test_names_can_be_left_out(tmp_path: Path, streams: Callable) -> None:
    store = fill(tmp_path / "hub.sqlite3", streams())
    backup(tmp_path / "hub.sqlite3", tmp_path / "copy", names=False)
    store.close()
    assert b"Nonyme" not in (tmp_path / "copy").read_bytes()


def test_nothing_is_put_back_under_a_running_hub(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    store = fill(path, streams())
    backup(path, tmp_path / "old")
    with pytest.raises(StoreInUse):
        restore(tmp_path / "old", path, replace=True)
    store.close()


def test_what_is_no_backup_or_damaged_is_refused_and_the_record_stays(
    tmp_path: Path, streams: Callable
) -> None:
    path = tmp_path / "hub.sqlite3"
    fill(path, streams()).close()
    kept = path.read_bytes()
    backup(path, tmp_path / "good")
    (tmp_path / "text").write_text("no database, but long enough to be looked at " * 30)
    with sqlite3.connect(tmp_path / "other") as db:
        db.execute("CREATE TABLE x (y)")
    db.close()
    with sqlite3.connect(tmp_path / "later") as db:
        db.executescript("CREATE TABLE events (y); PRAGMA user_version = 99")
    db.close()
    cut = (tmp_path / "good").read_bytes()
    (tmp_path / "cut").write_bytes(cut[: len(cut) // 2])
    for name, fault in (
        ("text", StoreFault),
        ("other", StoreFormat),
        ("later", StoreFormat),
        ("cut", StoreFault),
    ):
        with pytest.raises(fault):
            restore(tmp_path / name, path, replace=True)
    with pytest.raises(BackupError, match="no such file"):
        restore(tmp_path / "none", path, replace=True)
    assert path.read_bytes() == kept


def test_an_altered_backup_does_not_pass_the_proof(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    stream = streams()
    fill(path, stream).close()
    backup(path, tmp_path / "copy")
    with sqlite3.connect(tmp_path / "copy") as db:
        db.execute("UPDATE events SET payload = ? WHERE seq = 2", (stream.payloads[6],))
    db.close()
    with pytest.raises(StoreFault, match="does not continue the chain"):
        restore(tmp_path / "copy", tmp_path / "new.sqlite3")


def test_a_backup_overwrites_nothing_and_needs_a_record(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    fill(path, streams()).close()
    (tmp_path / "there").write_text("mine")
    with pytest.raises(BackupError, match="exists already"):
        backup(path, tmp_path / "there")
    with pytest.raises(BackupError, match="no record yet"):
        backup(tmp_path / "nowhere.sqlite3", tmp_path / "copy")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["hub.sqlite3", "hub.sqlite3.lock", "there"]


def test_a_record_of_the_first_format_is_brought_up_to_date(tmp_path: Path, streams: Callable) -> None:
    """What an earlier program wrote loads, and so does its backup."""
    path = tmp_path / "hub.sqlite3"
    stream = streams()
    fill(path, stream).close()
    with sqlite3.connect(path) as db:
        db.executescript(
            "ALTER TABLE events DROP COLUMN redacted; ALTER TABLE desired DROP COLUMN utc;"
            "ALTER TABLE requests DROP COLUMN utc; DROP TABLE records; DROP TABLE people; PRAGMA user_version = 1"
        )
    db.close()
    backup(path, tmp_path / "old")
    store = Store(path)
    assert store.payloads("t1", stream.life) == stream.payloads and people(store) == []
    assert store.rebuild() == 15
    store.close()
    restore(tmp_path / "old", tmp_path / "new.sqlite3")


def test_a_record_of_the_second_format_gets_the_facts_about_people(tmp_path: Path, streams: Callable) -> None:
    path = tmp_path / "hub.sqlite3"
    fill(path, streams()).close()
    with sqlite3.connect(path) as db:
        db.executescript(
            "ALTER TABLE people DROP COLUMN number; ALTER TABLE people DROP COLUMN paid_up;"
            "ALTER TABLE people DROP COLUMN adult; PRAGMA user_version = 2"
        )
    db.close()
    store = Store(path)
    assert [(person.name, person.number, person.paid_up, person.adult) for person in people(store)] == [
        ("Anne Nonyme", "", "", False)
    ]
    with store.transaction():
        save_person(store, Person("p-1", "Anne Nonyme", number="12", paid_up="2026", adult=True), UTC)
    store.close()
    store = Store(path)
    assert [(person.number, person.paid_up, person.adult) for person in people(store)] == [
        ("12", "2026", True)
    ]
    store.close()
