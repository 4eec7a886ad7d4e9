"""The proof that a journal is whole: any row changed, missing, added or moved is found."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_controller import messages as m
from table_controller.journal import (
    Batch,
    HandOpening,
    Journal,
    JournalCorrupt,
    JournalError,
    NewEntry,
    NewEvent,
    NewRuling,
    Reading,
)

UTC = "2026-05-01T19:30:00Z"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three starts, four hands under two rulebooks, some events acknowledged, a document of the hub."""
    path = tmp_path_factory.mktemp("whole") / "journal.db"
    t = 0.0
    for start in range(3):
        with Journal.open(path, club="lyon", table="t1", utc=UTC, engine="1", software="1") as journal:
            for hand in range(start * 2, start * 2 + 2):
                for n in range(4):
                    t += 1.5
                    opening = HandOpening(hand=hand, rulebook="ropta", text=f"rules {hand % 2}")
                    journal.commit(
                        Batch(
                            entries=(
                                NewEntry(body=b'{"event":"acted","n":%d}' % n, t=t, utc=UTC, hand=hand),
                            ),
                            rulings=(NewRuling(body=b'{"ruling":"play_on","n":%d}' % n),),
                            events=(NewEvent(body=m.Dealt(seat=n + 1, n=1), t=t, utc=UTC, hand=hand),),
                            opening=opening if n == 0 else None,
                        )
                    )
            desired = m.Desired(epoch=1, rev=start, tournament=None, rulebook="ropta", level=None, seats=())
            journal.commit(Batch(desired=desired))
            journal.ack(journal.head_seq - 5)
    return path


def tampered(whole: Path, tmp_path: Path, *statements: str) -> Path:
    path = tmp_path / "tampered.db"
    shutil.copy(whole, path)
    db = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        assert db.execute(statement).rowcount != 0, f"changed nothing: {statement}"
    db.close()
    return path


def test_the_untouched_file_is_whole(whole: Path) -> None:
    with Reading.of(whole) as reader:
        assert reader.verify() == []


def _swap(table: str, key: str, a: int, b: int) -> tuple[str, ...]:
    return (
        f"UPDATE {table} SET {key} = -1 WHERE {key} = {a}",
        f"UPDATE {table} SET {key} = {a} WHERE {key} = {b}",
        f"UPDATE {table} SET {key} = {b} WHERE {key} = -1",
    )


TAMPERING: dict[str, tuple[str, ...]] = {
    "entry body": ("UPDATE entries SET body = x'7b7d' WHERE idx = 5",),
    "entry body as text": ("UPDATE entries SET body = CAST(body AS TEXT) WHERE idx = 5",),
    "entry t": ("UPDATE entries SET t = t + 0.25 WHERE idx = 5",),
    "entry utc": ("UPDATE entries SET utc = '2020-01-01T00:00:00Z' WHERE idx = 5",),
    "entry hand": ("UPDATE entries SET hand = NULL WHERE idx = 5",),
    "entry kind": ("UPDATE entries SET kind = 'note' WHERE idx = 5",),
    "entry boot": ("UPDATE entries SET boot = 2 WHERE idx = 5",),
    "entry hash": ("UPDATE entries SET hash = upper(hash) WHERE idx = 5",),
    "entry missing": ("DELETE FROM entries WHERE idx = 5",),
    "first entry missing": ("DELETE FROM entries WHERE idx = 1",),
    "last entry missing": ("DELETE FROM entries WHERE idx = (SELECT max(idx) FROM entries)",),
    "entries swapped": _swap("entries", "idx", 5, 6),
    "entry renumbered": ("UPDATE entries SET idx = 999 WHERE idx = (SELECT max(idx) FROM entries)",),
    "entry added": (
        "INSERT INTO entries SELECT idx + 24, boot, t + 99, utc, hand, kind, body, hash FROM entries",
    ),
    "ruling body": ("UPDATE rulings SET body = x'7b7d' WHERE n = 3",),
    "ruling moved to another entry": ("UPDATE rulings SET entry = 9 WHERE n = 3",),
    "ruling missing": ("DELETE FROM rulings WHERE n = 3",),
    "last ruling missing": ("DELETE FROM rulings WHERE n = (SELECT max(n) FROM rulings)",),
    "rulings swapped": _swap("rulings", "n", 3, 4),
    "all rulings missing": ("DELETE FROM rulings",),
    "hand number": ("UPDATE hands SET hand = 9 WHERE start = 5",),
    "hand rulebook": ("UPDATE hands SET rulebook = 'stars' WHERE start = 5",),
    "hand start": ("UPDATE hands SET start = 6 WHERE start = 5",),
    "hand missing": ("DELETE FROM hands WHERE start = 5",),
    "last hand missing": ("DELETE FROM hands WHERE start = (SELECT max(start) FROM hands)",),
    "text changed": ("UPDATE texts SET text = 'other rules'",),
    "text missing": ("DELETE FROM texts WHERE text = 'rules 1'",),
    "text added": ("INSERT INTO texts VALUES ('aa', 'bb')",),
    "boot utc": ("UPDATE boots SET utc = '2020-01-01T00:00:00Z' WHERE boot = 2",),
    "boot engine": ("UPDATE boots SET engine = '2' WHERE boot = 2",),
    "boot missing": ("DELETE FROM boots WHERE boot = 2",),
    "last boot missing": ("DELETE FROM boots WHERE boot = 3",),
    "outbox payload": ("UPDATE outbox SET payload = replace(CAST(payload AS TEXT), '\"n\":1', '\"n\":2')",),
    "outbox prev": ("UPDATE outbox SET prev = '00' WHERE seq = (SELECT max(seq) FROM outbox)",),
    "outbox topic": ("UPDATE outbox SET topic = 'state' WHERE seq = (SELECT max(seq) FROM outbox)",),
    "outbox missing": ("DELETE FROM outbox WHERE seq = (SELECT min(seq) FROM outbox)",),
    "last of outbox missing": ("DELETE FROM outbox WHERE seq = (SELECT max(seq) FROM outbox)",),
    "outbox emptied": ("DELETE FROM outbox",),
    "outbox marked as acknowledged": ("INSERT INTO published SELECT * FROM outbox", "DELETE FROM outbox"),
    "published payload": ("UPDATE published SET payload = x'7b7d' WHERE seq = 3",),
    "published missing": ("DELETE FROM published WHERE seq = 3",),
    "published swapped": _swap("published", "seq", 3, 4),
    "event in both": ("INSERT INTO outbox SELECT * FROM published WHERE seq = 3",),
    "hub document": ("UPDATE meta SET value = replace(CAST(value AS TEXT), '\"rev\":2', '\"rev\":3')",),
    "hub document missing": ("DELETE FROM meta",),
    "meta added": ("INSERT INTO meta VALUES ('other', x'00')",),
    "header table": ("UPDATE header SET value = 't2' WHERE key = 'table'",),
    "header life": ("UPDATE header SET value = substr(value, 2) || substr(value, 1, 1) WHERE key = 'life'",),
    "header line missing": ("DELETE FROM header WHERE key = 'created'",),
    "table added": ("CREATE TABLE other (x)",),
    "index dropped": ("DROP INDEX rulings_entry",),
    "seal changed": (
        "UPDATE seal SET document = replace(CAST(document AS TEXT), '\"clean\":true', '\"clean\":false')",
    ),
    "seal digest": ("UPDATE seal SET digest = '00'",),
    "seal missing": ("DELETE FROM seal",),
}


@pytest.mark.parametrize("statements", TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_found(whole: Path, tmp_path: Path, statements: tuple[str, ...]) -> None:
    path = tampered(whole, tmp_path, *statements)
    try:
        with Reading.of(path) as reader:
            problems = reader.verify()
    except JournalError as error:
        assert error.code == "journal_corrupt"
    else:
        assert problems, "not found"
        assert all(str(problem) for problem in problems)


def test_one_changed_row_is_told_once_and_by_its_number(whole: Path, tmp_path: Path) -> None:
    path = tampered(whole, tmp_path, "UPDATE entries SET utc = '2020-01-01T00:00:00Z' WHERE idx = 5")
    with Reading.of(path) as reader:
        (problem,) = reader.verify()
    assert (problem.table, problem.where) == ("entries", "idx 5")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entries WHERE idx = (SELECT max(idx) FROM entries)",
        "DELETE FROM rulings WHERE n = (SELECT max(n) FROM rulings)",
        "DELETE FROM boots WHERE boot = 3",
        "DELETE FROM outbox WHERE seq = (SELECT max(seq) FROM outbox)",
        "DELETE FROM published WHERE seq = (SELECT max(seq) FROM published)",
        "UPDATE seal SET digest = '00'",
        "UPDATE header SET value = '9' WHERE key = 'engine'",
    ],
)
def test_a_table_does_not_start_on_a_file_whose_end_was_changed(
    whole: Path, tmp_path: Path, statement: str
) -> None:
    path = tampered(whole, tmp_path, statement)
    before = path.read_bytes()
    with pytest.raises(JournalCorrupt) as caught:
        Journal.open(path, club="lyon", table="t1", utc=UTC)
    assert "move the file away" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = x'7b7d' WHERE idx = 22",
        "DELETE FROM entries WHERE idx = 23",
        "UPDATE entries SET hash = upper(hash) WHERE idx = 20",
    ],
)
def test_a_table_does_not_play_on_when_its_last_hand_was_changed(
    whole: Path, tmp_path: Path, statement: str
) -> None:
    journal = Journal.open(tampered(whole, tmp_path, statement), club="lyon", table="t1", utc=UTC)
    with pytest.raises(JournalCorrupt):
        journal.recover()
    assert not journal.is_open


def _flip(data: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_anywhere_is_found_or_changes_nothing(
    whole: Path, tmp_path: Path, place: float, bit: int
) -> None:
    """It should never read other content than what was written and call it whole; free space may be anything."""
    data = whole.read_bytes()
    path = tmp_path / "flipped.db"
    path.write_bytes(_flip(data, int(place * len(data)), bit))
    for extra in ("-wal", "-shm"):
        Path(f"{path}{extra}").unlink(missing_ok=True)
    try:
        with Reading.of(path) as reader:
            if reader.verify() == []:
                assert _content(reader) == _content_of(whole)
    except JournalError:
        pass


def _content(reader: Reading) -> list[object]:
    parts: list[Callable[[], object]] = [
        lambda: list(reader.entries()),
        lambda: list(reader.rulings()),
        lambda: list(reader.hands()),
        lambda: list(reader.boots()),
        lambda: list(reader.messages()),
        lambda: reader.stored_desired(),
        lambda: reader.header,
    ]
    return [part() for part in parts]


def _content_of(path: Path) -> list[object]:
    with Reading.of(path) as reader:
        return _content(reader)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=6000), start=st.sampled_from([b"", b"SQLite format 3\x00"]))
def test_any_file_at_all_is_refused_with_a_named_error(tmp_path: Path, data: bytes, start: bytes) -> None:
    path = tmp_path / "any.db"
    path.write_bytes(start + data)
    with pytest.raises(JournalError):
        Reading.of(path)
