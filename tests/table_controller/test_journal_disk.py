"""Bad disks: power cuts, a sync that fails, a write that fails, no space.

A layer is put under SQLite (its own VFS interface, through ctypes, on the very library that the sqlite3 module
uses). It sees every write, truncation, deletion and sync of the real program and can make any of them fail.

The model of a power cut: what was synced is there. Of everything written since a file's last sync, each write is
kept, lost or torn at random, in sectors of 512 bytes, whatever the order was; so are truncations and deletions.

Not in the model: a disk that says "synced" and lies; bits that rot later; a sector that is half old and half new;
names of new files (the journal syncs its directory); the shared-memory file, which SQLite makes anew.
"""

from __future__ import annotations

import ctypes
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller import messages as m
from table_controller.journal import (
    Batch,
    HandOpening,
    Journal,
    JournalClosed,
    JournalFailed,
    JournalFull,
    JournalIO,
    NewEntry,
    NewEvent,
    NewRuling,
    Reading,
    store,
)

UTC = "2026-05-01T19:30:00Z"
SECTOR = 512
SQLITE_OK, SQLITE_FULL = 0, 13
SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE = 778, 1034, 1546

# ------------------------------------------------------------------ the layer under SQLite

# SQLite keeps the pointer to the name as long as the file is open: it must go through as it came.
_OPEN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)
_DELETE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_CLOSE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("max_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", ctypes.c_void_p),
        ("delete", ctypes.c_void_p),
        ("others", ctypes.c_void_p * 14),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("close", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("write", ctypes.c_void_p),
        ("truncate", ctypes.c_void_p),
        ("sync", ctypes.c_void_p),
        ("others", ctypes.c_void_p * 13),
    )


Op = tuple[str, str, int, bytes]


def _sqlite_library() -> Any:
    """The library that the sqlite3 module itself has loaded; None when it is built in."""
    sqlite3.connect(":memory:").close()
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if "libsqlite3" in line:
            return ctypes.CDLL(line.split()[-1])
    return None


class Disk:
    """Every change that SQLite makes to a file, in order; and the faults it is told to have."""

    def __init__(self, library: Any) -> None:
        self.log: list[Op] = []
        self.fail: Callable[[str, str], int] = lambda what, path: SQLITE_OK
        self._library = library
        self._names: dict[int, str] = {}
        self._originals: dict[int, _Methods] = {}
        self._made: dict[int, _Methods] = {}
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        base = library.sqlite3_vfs_find(None).contents
        self._base_open, self._base_delete = _OPEN(base.open), _DELETE(base.delete)
        self._vfs = _Vfs.from_buffer_copy(base)
        self._vfs.name = b"watched"
        self._vfs.next = None
        self._calls = (
            _OPEN(self._open),
            _DELETE(self._delete),
            _CLOSE(self._close),
            _WRITE(self._write),
            _TRUNCATE(self._truncate),
            _SYNC(self._sync),
        )
        self._vfs.open = ctypes.cast(self._calls[0], ctypes.c_void_p)
        self._vfs.delete = ctypes.cast(self._calls[1], ctypes.c_void_p)
        assert library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1) == SQLITE_OK

    def remove(self) -> None:
        assert self._names == {}, "files are still open"
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs))

    def mark(self, word: str, number: int = 0) -> None:
        """Notes in the log what the program was told, for example that a batch is safe."""
        self.log.append((word, "", number, b""))

    def directory_synced(self) -> None:
        """From here on no deleted file comes back."""
        self.log.extend(("sync", path, 0, b"") for path in {op[1] for op in self.log if op[0] == "delete"})

    def _open(self, vfs: Any, name: int | None, file: int, flags: int, out: Any) -> int:
        result: int = self._base_open(vfs, name, file, flags, out)
        pointer = ctypes.cast(file, ctypes.POINTER(ctypes.c_void_p))
        address = pointer[0]
        if result != SQLITE_OK or not address or name is None:
            return result
        if address not in self._made:
            original = ctypes.cast(address, ctypes.POINTER(_Methods)).contents
            copy = _Methods.from_buffer_copy(original)
            for field, call in zip(("close", "write", "truncate", "sync"), self._calls[2:], strict=True):
                setattr(copy, field, ctypes.cast(call, ctypes.c_void_p))
            self._made[address] = copy
            self._originals[address] = original
        self._names[file] = (ctypes.string_at(name) if name else b"").decode()
        self._originals[file] = self._originals[address]
        pointer[0] = ctypes.addressof(self._made[address])
        return result

    def _faulty(self, what: str, file: int) -> int:
        return self.fail(what, self._names[file])

    def _write(self, file: int, data: int, length: int, offset: int) -> int:
        if fault := self._faulty("write", file):
            return fault
        self.log.append(("write", self._names[file], offset, ctypes.string_at(data, length)))
        return int(_WRITE(self._originals[file].write)(file, data, length, offset))

    def _truncate(self, file: int, size: int) -> int:
        if fault := self._faulty("truncate", file):
            return fault
        self.log.append(("truncate", self._names[file], size, b""))
        return int(_TRUNCATE(self._originals[file].truncate)(file, size))

    def _sync(self, file: int, flags: int) -> int:
        if fault := self._faulty("sync", file):
            return fault
        self.log.append(("sync", self._names[file], 0, b""))
        return SQLITE_OK  # the model keeps the promise; the test need not wait for the real disk

    def _close(self, file: int) -> int:
        self._names.pop(file)
        return int(_CLOSE(self._originals.pop(file).close)(file))

    def _delete(self, vfs: Any, name: bytes, sync_directory: int) -> int:
        self.log.append(("delete", name.decode(), 0, b""))
        if sync_directory:
            self.directory_synced()
        return int(self._base_delete(vfs, name, sync_directory))


@pytest.fixture
def disk() -> Iterator[Disk]:
    library = _sqlite_library()
    if library is None:
        pytest.skip("this Python has SQLite built in: no layer can be put under it")
    subject = Disk(library)
    yield subject
    subject.remove()


# ------------------------------------------------------------------ power cuts


def _apply(image: bytearray, op: Op) -> None:
    kind, _, number, data = op
    if kind == "write":
        if len(image) < number:
            image.extend(bytes(number - len(image)))
        image[number : number + len(data)] = data
    elif kind == "truncate":
        del image[number:]
    elif kind == "delete":
        image.clear()


def _sectors(op: Op) -> Iterator[Op]:
    """A write cut at the borders of sectors."""
    kind, path, offset, data = op
    at = 0
    while at < len(data):
        end = min(len(data), at + SECTOR - (offset + at) % SECTOR)
        yield kind, path, offset + at, data[at:end]
        at = end


def after_the_cut(log: list[Op], at: int, chance: random.Random) -> dict[str, bytes]:
    """The files as they may be found when the power went right before `log[at]`."""
    images: dict[str, bytearray] = {}
    pending: dict[str, list[Op]] = {}
    for op in log[:at]:
        kind, path = op[0], op[1]
        if kind in ("write", "truncate", "delete"):
            images.setdefault(path, bytearray())
            pending.setdefault(path, []).append(op)
        elif kind == "sync":
            for late in pending.pop(path, []):
                _apply(images[path], late)
    style = chance.choice(("all lost", "all kept", "in order", "mixed", "mixed"))
    for path, ops in pending.items():
        if style == "in order":
            ops = ops[: chance.randint(0, len(ops))]
        for op in ops:
            if style == "all lost":
                continue
            if style != "mixed":
                _apply(images[path], op)
            elif op[0] == "write":
                parts = list(_sectors(op))
                keep = chance.choice((0.0, 0.5, 1.0))
                for part in parts:
                    if chance.random() < keep:
                        _apply(images[path], part)
            elif chance.random() < 0.5:
                _apply(images[path], op)
    return {path: bytes(image) for path, image in images.items() if image}


def play(journal: Journal, disk: Disk, batches: int) -> None:
    """Hands with rulings and public events, acknowledgements now and then, checkpoints; each promise is noted."""
    for n in range(1, batches + 1):
        opening = HandOpening(hand=n, rulebook="ppc2011", text=f"rules {n % 3}" * 50) if n % 5 == 1 else None
        journal.commit(
            Batch(
                entries=(NewEntry(body=b'{"event":"acted","n":%d}' % n, t=float(n), utc=UTC, hand=n),),
                rulings=(NewRuling(body=b'{"ruling":"play_on","n":%d}' % n),),
                events=(NewEvent(body=m.Burned(n=n), t=float(n), utc=UTC, hand=n),),
                opening=opening,
            )
        )
        disk.mark("committed", n)
        if n % 6 == 0:
            journal.ack(n - 2)
        if n % 17 == 0:
            journal.checkpoint()


def judge(files: dict[str, bytes], source: Path, target: Path, promised: int) -> str:
    """What was promised and is not there, or is not whole; empty when all is well."""
    for old in target.iterdir():
        old.unlink()
    for path, data in files.items():
        (target / Path(path).name).write_bytes(data)
    with Journal.open(target / source.name, club="lyon", table="t1", utc=UTC) as journal:
        problems = journal.verify()
        if problems:
            return f"not whole: {problems[0]}"
        count = journal.last_idx
        if count < promised:
            return f"{promised} were promised, {count} are there"
        bodies = [entry.body for entry in journal.entries()]
        if bodies != [b'{"event":"acted","n":%d}' % n for n in range(1, count + 1)]:
            return "not what was written"
        if [row.seq for row in journal.outbox_after(0, 10_000)] != list(range(1, count + 1)):
            return "public events and entries do not agree"
        journal.recover()
    return ""


def cuts(disk: Disk, source: Path, target: Path, trials: int, seed: int) -> list[str]:
    """Cuts the power at random places and tells what went wrong."""
    chance = random.Random(seed)
    log = list(disk.log)
    found = []
    for _ in range(trials):
        at = chance.randint(1, len(log))
        promised = max([number for word, _, number, _ in log[:at] if word == "committed"], default=0)
        complaint = judge(after_the_cut(log, at, chance), source, target, promised)
        if complaint:
            found.append(f"cut {at} of {len(log)}, seed {seed}: {complaint}")
    return found


def watch_directory(disk: Disk, monkeypatch: pytest.MonkeyPatch, *, works: bool = True) -> None:
    """The journal syncs its directory itself, past SQLite; the model must hear of it."""
    really = store.sync_directory

    def watched(path: Path) -> None:
        really(path)
        if works:
            disk.directory_synced()

    monkeypatch.setattr(store, "sync_directory", watched)


def _campaign(
    disk: Disk,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trials: int,
    seed: int,
    *,
    synchronous: str = "FULL",
    directory: bool = True,
) -> list[str]:
    watch_directory(disk, monkeypatch, works=directory)
    monkeypatch.setattr(store, "CHECKPOINT_PAGES", 60)
    source, target = tmp_path / "played" / "journal.db", tmp_path / "found"
    target.mkdir()
    journal = Journal.open(source, club="lyon", table="t1", utc=UTC)
    journal._db.execute(f"PRAGMA synchronous = {synchronous}")
    play(journal, disk, 40)
    journal.close()
    return cuts(disk, source, target, trials, seed)


def test_no_power_cut_loses_or_changes_what_was_committed(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It should hold over 300 cuts (zero in 300 bounds the rate at 1 %; the long campaign makes 10,000)."""
    assert _campaign(disk, tmp_path, monkeypatch, 300, seed=20260501) == []


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_power_cuts(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    assert _campaign(disk, tmp_path, monkeypatch, 1000, seed) == []


def test_the_model_finds_a_journal_that_does_not_sync(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It should be a test that can fail: with synchronous=NORMAL committed steps are lost."""
    found = _campaign(disk, tmp_path, monkeypatch, 60, seed=1, synchronous="NORMAL")
    assert sum("were promised" in complaint for complaint in found) >= 10


def test_the_model_finds_a_journal_that_does_not_sync_its_directory(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It should see that a rollback journal of the first start may come back and undo everything."""
    found = _campaign(disk, tmp_path, monkeypatch, 60, seed=1, directory=False)
    assert sum("were promised, 0 are there" in complaint for complaint in found) >= 5


def test_a_cut_during_recovery_loses_nothing_either(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHECKPOINT_PAGES", 60)
    watch_directory(disk, monkeypatch)
    source, target = tmp_path / "played" / "journal.db", tmp_path / "found"
    target.mkdir()
    journal = Journal.open(source, club="lyon", table="t1", utc=UTC)
    play(journal, disk, 20)
    journal._let_go()  # the process ends; SQLite's own close is part of the log
    Journal.open(source, club="lyon", table="t1", utc=UTC).close()
    assert cuts(disk, source, target, 150, seed=7) == []


# ------------------------------------------------------------------ errors


def small(n: int) -> Batch:
    return Batch(
        entries=(NewEntry(body=b'{"event":"acted","n":%d}' % n, t=float(n), utc=UTC, hand=1),),
        events=(NewEvent(body=m.Burned(n=n), t=float(n), utc=UTC, hand=1),),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.mark.parametrize(
    ("what", "result"), [("sync", SQLITE_IOERR_FSYNC), ("write", SQLITE_IOERR_WRITE)], ids=["sync", "write"]
)
def test_after_a_failed_write_or_sync_the_journal_closes_itself(
    disk: Disk, path: Path, what: str, result: int
) -> None:
    subject = Journal.open(path, club="lyon", table="t1", utc=UTC)
    subject.commit(small(1))
    disk.fail = lambda op, name: result if op == what and name.endswith("-wal") else SQLITE_OK
    with pytest.raises(JournalIO) as caught:
        subject.commit(small(2))
    assert isinstance(caught.value, JournalFailed)
    assert caught.value.code == "journal_io"
    assert caught.value.where == str(path)
    assert "start the table again" in caught.value.hint
    disk.fail = lambda op, name: SQLITE_OK
    assert not subject.is_open
    with pytest.raises(JournalClosed):
        subject.commit(small(2))
    with Journal.open(path, club="lyon", table="t1", utc=UTC) as again:
        assert again.verify() == []
        assert again.last_idx in (1, 2), (
            "what was promised is there; the batch in hand is there whole or not at all"
        )
        assert again.head_seq == again.last_idx
        again.commit(small(3))


def test_a_failed_checkpoint_is_seen_and_costs_nothing_committed(
    disk: Disk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHECKPOINT_PAGES", 30)
    subject = Journal.open(path, club="lyon", table="t1", utc=UTC)
    disk.fail = lambda op, name: SQLITE_IOERR_WRITE if op == "write" and name.endswith(".db") else SQLITE_OK
    done = 0
    with pytest.raises(JournalIO):
        for n in range(1, 100):
            subject.commit(small(n))
            done = n
    disk.fail = lambda op, name: SQLITE_OK
    assert 0 < done < 99
    with Journal.open(path, club="lyon", table="t1", utc=UTC) as again:
        assert again.last_idx == done
        assert again.verify() == []


def test_a_full_disk_is_named_nothing_is_half_written_and_play_goes_on_when_there_is_space(
    disk: Disk, path: Path
) -> None:
    subject = Journal.open(path, club="lyon", table="t1", utc=UTC)
    subject.commit(small(1))
    room = 3

    def full(op: str, name: str) -> int:
        nonlocal room
        if op == "write":
            room -= 1
        return SQLITE_FULL if room < 0 else SQLITE_OK

    disk.fail = full
    for _ in range(3):
        with pytest.raises(JournalFull, match="ENOSPC") as caught:
            subject.commit(small(2))
    assert "free space" in caught.value.hint
    assert subject.is_open
    assert (subject.last_idx, subject.head_seq) == (1, 1)
    with Reading.of(path) as reader:
        assert [entry.idx for entry in reader.entries()] == [1]
    disk.fail = lambda op, name: SQLITE_OK
    assert subject.commit(small(2)).last == 2
    assert subject.verify() == []
    subject.close()


def test_a_full_disk_at_the_very_start_is_named(disk: Disk, path: Path) -> None:
    disk.fail = lambda op, name: SQLITE_FULL if op == "write" else SQLITE_OK
    with pytest.raises(JournalFull):
        Journal.open(path, club="lyon", table="t1", utc=UTC)
    disk.fail = lambda op, name: SQLITE_OK
    with Journal.open(path, club="lyon", table="t1", utc=UTC) as journal:
        assert journal.boot == 1
        assert journal.verify() == []


@pytest.mark.parametrize("result", [SQLITE_IOERR_WRITE, SQLITE_FULL, SQLITE_IOERR_FSYNC])
def test_an_error_at_every_single_place_leaves_a_whole_journal(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: int
) -> None:
    """It should keep what it promised whichever write, truncation or sync is the first to fail."""
    monkeypatch.setattr(store, "CHECKPOINT_PAGES", 25)
    for place in range(0, 120, 3):
        path = tmp_path / f"{place}.db"
        left = place

        def fail(op: str, name: str) -> int:
            nonlocal left
            left -= 1
            return result if left < 0 else SQLITE_OK

        promised = 0
        disk.fail = fail
        try:
            journal = Journal.open(path, club="lyon", table="t1", utc=UTC)
        except (JournalFailed, JournalFull):
            journal = None
        if journal is not None:
            try:
                for n in range(1, 12):
                    journal.commit(small(n))
                    promised = n
                    journal.ack(max(0, n - 2))
            except (JournalFailed, JournalFull):
                pass
            disk.fail = lambda op, name: SQLITE_OK
            if journal.is_open:
                journal.close()
        disk.fail = lambda op, name: SQLITE_OK
        with Journal.open(path, club="lyon", table="t1", utc=UTC) as again:
            assert again.verify() == []
            assert promised <= again.last_idx <= promised + 1
            assert again.head_seq == again.last_idx
