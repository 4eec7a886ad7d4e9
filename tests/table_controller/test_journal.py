"""The table's journal: what is committed is there, whole, once, and in order."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from table_controller import messages as m
from table_controller.journal import (
    Batch,
    HandOpening,
    Journal,
    JournalBehindHub,
    JournalBusy,
    JournalClosed,
    JournalCorrupt,
    JournalFull,
    JournalMismatch,
    JournalRefused,
    JournalTooNew,
    NewEntry,
    NewEvent,
    NewRuling,
    Reading,
    schema,
)

UTC = "2026-05-01T19:30:00Z"


def entry(n: int, *, t: float | None = None, hand: int | None = 1) -> NewEntry:
    return NewEntry(
        body=b'{"event":"acted","seat":%d}' % n, t=float(n) if t is None else t, utc=UTC, hand=hand
    )


def dealt(n: int) -> NewEvent:
    return NewEvent(body=m.Dealt(seat=n % 10 + 1, n=1), t=float(n), utc=UTC, hand=1)


def step(n: int) -> Batch:
    return Batch(
        entries=(entry(n),), rulings=(NewRuling(body=b'{"ruling":"play_on","n":%d}' % n),), events=(dealt(n),)
    )


def open_journal(path: Path) -> Journal:
    return Journal.open(path, club="lyon", table="t1", utc=UTC, engine="1.0", software="maldonne 0.1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "journal.db"


@pytest.fixture
def subject(path: Path) -> Iterator[Journal]:
    journal = open_journal(path)
    yield journal
    journal.close()


def test_a_step_is_read_back_byte_for_byte_after_a_restart(path: Path) -> None:
    with open_journal(path) as first:
        written = first.commit(
            Batch(
                entries=(entry(1), entry(2)),
                rulings=(
                    NewRuling(body=b'{"ruling":"misdeal"}', of=0),
                    NewRuling(body=b'{"ruling":"play_on"}'),
                ),
                events=(dealt(1), dealt(2)),
                opening=HandOpening(hand=7, rulebook="ppc2011", text="[hand]\n"),
            )
        )
        life = first.life
    assert (written.first, written.last, [row.seq for row in written.rows]) == (1, 2, [1, 2])

    with open_journal(path) as second:
        found = second.recover()
        assert second.life == life
        assert [e.body for e in found.entries] == [entry(1).body, entry(2).body]
        assert [(r.entry, r.body) for r in found.rulings] == [
            (1, b'{"ruling":"misdeal"}'),
            (2, b'{"ruling":"play_on"}'),
        ]
        assert (found.boot, found.clean, found.last_t, found.head_seq, found.hub_ack) == (2, True, 2.0, 2, 0)
        assert found.hand is not None
        assert (found.hand.hand, found.hand.start, found.rulebook_text) == (7, 1, "[hand]\n")
        assert second.outbox_after(0, 10) == list(written.rows)
        assert second.verify() == []


def test_recovery_gives_the_last_hand_and_all_that_came_after_it(subject: Journal) -> None:
    for hand in (1, 2, 3):
        opening = HandOpening(hand=hand, rulebook="standard", text="same text")
        subject.commit(Batch(entries=(entry(hand * 10, hand=hand),), opening=opening))
        subject.commit(Batch(entries=(entry(hand * 10 + 1, hand=hand), entry(hand * 10 + 2, hand=hand))))
    subject.commit(Batch(entries=(NewEntry(body=b'{"note":"unanswered"}', t=40.0, utc=UTC, kind="note"),)))
    found = subject.recover()
    assert [e.idx for e in found.entries] == [7, 8, 9, 10]
    assert [e.kind for e in found.entries] == ["event", "event", "event", "note"]
    assert [(h.hand, h.start) for h in subject.hands()] == [(1, 1), (2, 4), (3, 7)]
    assert subject.verify() == [], "one text for three hands"


def test_a_new_journal_recovers_to_nothing(subject: Journal) -> None:
    found = subject.recover()
    assert (found.boot, found.hand, found.entries, found.last_t, found.desired) == (1, None, (), 0.0, None)
    assert subject.verify() == []


def test_every_public_event_is_chained_to_the_one_before(subject: Journal) -> None:
    for n in range(5):
        subject.commit(step(n))
    prev = m.GENESIS
    for seq, row in enumerate(subject.messages(), start=1):
        event = m.decode_event(row.payload)
        assert (event.seq, event.life, event.boot, event.prev, row.prev) == (seq, subject.life, 1, prev, prev)
        prev = m.event_hash(row.payload)
    assert seq == 5


def test_rows_leave_the_outbox_only_with_the_hubs_acknowledgement(subject: Journal) -> None:
    for n in range(6):
        subject.commit(step(n))
    assert [row.seq for row in subject.outbox_after(0, 4)] == [1, 2, 3, 4]
    assert subject.ack(4) == 4
    assert subject.ack(2) == 0, "an older acknowledgement takes nothing back"
    assert subject.hub_ack == 4
    subject.flush()
    held = sqlite3.connect(subject.path)
    try:
        assert held.execute("SELECT seq FROM outbox").fetchall() == [(5,), (6,)]
    finally:
        held.close()
    assert subject.verify() == []


def test_a_hub_that_was_set_back_gets_everything_again_as_it_was(subject: Journal) -> None:
    rows = [row for n in range(6) for row in subject.commit(step(n)).rows]
    subject.ack(5)
    subject.flush()
    assert subject.outbox_after(2, 100) == rows[2:]
    assert subject.outbox_after(2, 2) == rows[2:4]
    assert subject.outbox_after(4, 2) == rows[4:6], "over the border between published and outbox"


def test_an_acknowledgement_lost_with_the_power_costs_a_second_sending_and_nothing_else(path: Path) -> None:
    with open_journal(path) as first:
        first.commit(step(1))
        first.ack(1)
    with open_journal(path) as second:
        assert second.hub_ack == 1, "a proper close writes it"
        second.commit(step(2))
        second.ack(2)
        second._let_go()  # the process ends here without a close
    with open_journal(path) as third:
        assert third.hub_ack == 1
        assert not third.recover().clean
        assert [row.seq for row in third.outbox_after(third.hub_ack, 9)] == [2]


def test_many_acknowledged_rows_do_not_wait_for_a_commit(subject: Journal) -> None:
    subject.commit(Batch(events=tuple(dealt(n) for n in range(250))))
    subject.ack(250)
    reader = Reading.of(subject.path)
    try:
        assert [problem.what for problem in reader.verify()] == []
        assert reader._db.execute("SELECT count(*) FROM outbox").fetchone() == (0,)
    finally:
        reader.close()


def test_an_old_copy_of_the_file_is_noticed_when_the_hub_knows_more(subject: Journal) -> None:
    subject.commit(step(1))
    with pytest.raises(JournalBehindHub, match="up to 9"):
        subject.ack(9)
    assert subject.is_open


def test_the_hubs_document_is_kept_and_an_older_one_refused(path: Path) -> None:
    def desired(epoch: int, rev: int) -> m.Desired:
        return m.Desired(epoch=epoch, rev=rev, tournament="friday", rulebook="ppc2011", level=None, seats=())

    with open_journal(path) as first:
        first.commit(Batch(desired=desired(2, 5)))
        with pytest.raises(JournalRefused, match="older"):
            first.commit(Batch(entries=(entry(1),), desired=desired(1, 9)))
        assert first.last_idx == 0, "the entry of the refused batch is not there either"
    with open_journal(path) as second:
        assert second.desired_version == (2, 5)
        assert second.recover().desired == desired(2, 5)
        assert second.verify() == []


@pytest.mark.parametrize(
    ("batch", "reason"),
    [
        (Batch(entries=(entry(5), entry(5, t=4.0))), "time ran backwards"),
        (Batch(entries=(entry(1, t=float("nan")),)), "time ran backwards"),
        (Batch(entries=(NewEntry(body=b"{half", t=9.0, utc=UTC),)), "not JSON"),
        (Batch(entries=(NewEntry(body=b"[1]", t=9.0, utc=UTC),)), "one JSON object"),
        (Batch(entries=(entry(5),), rulings=(NewRuling(body=b"{}", of=1),)), "number 1 of 1"),
        (Batch(rulings=(NewRuling(body=b"{}"),)), "number -1 of 0"),
        (Batch(opening=HandOpening(hand=1, rulebook="x", text="")), "number 0 of 0"),
        (Batch(events=(NewEvent(body=m.Annulled(reason="undo"), t=5.0, utc=UTC, amends=99),)), "never given"),
    ],
)
def test_a_batch_that_cannot_be_true_leaves_nothing_behind(
    subject: Journal, batch: Batch, reason: str
) -> None:
    subject.commit(step(3))
    with pytest.raises(JournalRefused, match=reason):
        subject.commit(batch)
    assert (subject.last_idx, subject.head_seq, subject.last_t) == (1, 1, 3.0)
    subject.commit(step(4))
    assert subject.verify() == []


def test_a_public_event_out_of_bounds_takes_its_entry_with_it(subject: Journal) -> None:
    with pytest.raises(m.MessageMalformed):
        subject.commit(
            Batch(entries=(entry(1),), events=(NewEvent(body=m.Dealt(seat=11, n=1), t=1.0, utc=UTC),))
        )
    assert (subject.last_idx, subject.head_seq) == (0, 0)
    assert subject.verify() == []


def test_a_second_controller_on_the_same_file_is_refused_and_the_first_goes_on(
    subject: Journal, path: Path
) -> None:
    with pytest.raises(JournalBusy, match="has this journal open"):
        open_journal(path)
    code = (
        "import sys\nfrom table_controller.journal import Journal, JournalBusy\n"
        "try:\n    Journal.open(sys.argv[1], club='lyon', table='t1', utc='2026-05-01T19:30:00Z')\n"
        "except JournalBusy as error:\n    print(error.code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=30, check=True
    )
    assert run.stdout.strip() == "journal_busy"
    subject.commit(step(1))
    assert subject.verify() == []


def test_a_journal_of_another_table_is_refused(path: Path) -> None:
    open_journal(path).close()
    with pytest.raises(JournalMismatch, match="lyon/t1, not of lyon/t2"):
        Journal.open(path, club="lyon", table="t2", utc=UTC)
    open_journal(path).close()


def test_a_file_that_is_no_journal_is_refused_and_not_touched(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.commit()
    db.close()
    with pytest.raises(JournalMismatch, match="no journal"):
        open_journal(other)
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to be taken for one" * 100)
    with pytest.raises(JournalCorrupt):
        open_journal(text)
    with pytest.raises(JournalCorrupt):
        Reading.of(text)
    with pytest.raises(JournalMismatch, match="no such file"):
        Reading.of(tmp_path / "absent.db")


def test_a_file_of_a_later_program_is_refused(path: Path) -> None:
    open_journal(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {schema.FORMAT + 1}")
    db.close()
    with pytest.raises(JournalTooNew, match=f"format {schema.FORMAT + 1}"):
        open_journal(path)
    with pytest.raises(JournalTooNew):
        Reading.of(path)


def test_an_older_format_is_upgraded_in_the_file_by_the_table_and_in_memory_by_a_reader(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_journal(path) as journal:
        journal.commit(step(1))

    def add_table(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE later (x INTEGER)")

    old = schema.FORMAT
    monkeypatch.setattr(schema, "FORMAT", old + 1)
    monkeypatch.setattr(schema, "UPGRADES", {old: add_table})
    before = path.read_bytes()
    with Reading.of(path) as reader:
        assert reader._db.execute("SELECT count(*) FROM later").fetchone() == (0,)
        assert reader.verify() == []
    assert path.read_bytes() == before
    with open_journal(path) as journal:
        assert journal._db.execute("PRAGMA user_version").fetchone() == (old + 1,)
        assert [e.body for e in journal.entries()] == [entry(1).body]
        assert journal.verify() == []


@pytest.mark.parametrize("dump", sorted((Path(__file__).parent.parent / "golden" / "journals").glob("*.sql")))
def test_every_journal_ever_written_still_loads(dump: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    db = sqlite3.connect(path)
    db.executescript(dump.read_text(encoding="utf-8"))
    db.close()
    with Reading.of(path) as reader:
        assert reader.verify() == []
        entries = list(reader.entries())
        assert len(entries) > 0
        assert len(list(reader.messages())) > 0
        header = reader.header
    with Journal.open(path, club=header.club, table=header.table, utc=UTC) as journal:
        assert journal.recover().entries == tuple(
            e for e in entries if e.idx >= list(journal.hands())[-1].start
        )
        journal.commit(Batch(entries=(entry(1, t=journal.last_t),)))
        assert journal.verify() == []


def test_a_reader_sees_what_is_committed_while_the_table_plays(subject: Journal) -> None:
    subject.commit(step(1))
    with Reading.of(subject.path) as reader:
        assert [e.idx for e in reader.entries()] == [1]
        subject.commit(step(2))
        assert [e.idx for e in reader.entries()] == [1, 2]
        assert [r.n for r in reader.rulings(2)] == [2]
        assert [b.engine for b in reader.boots()] == ["1.0"]
        assert reader.verify() == []


def test_a_reader_that_lingers_does_not_stop_the_table(
    subject: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_controller.journal.store.CHECKPOINT_PAGES", 1)
    subject.commit(step(1))
    with Reading.of(subject.path) as reader:
        lingering = reader.entries()
        assert next(lingering).idx == 1
        for n in range(2, 6):
            subject.commit(step(n))
        lingering.close()
    assert subject.checkpoint()
    assert subject.verify() == []


def test_after_a_checkpoint_the_one_file_is_the_whole_journal(subject: Journal, tmp_path: Path) -> None:
    for n in range(30):
        subject.commit(step(n))
    assert subject.checkpoint()
    copy = tmp_path / "copy.db"
    copy.write_bytes(subject.path.read_bytes())
    with Reading.of(copy) as reader:
        assert len(list(reader.entries())) == 30
        assert reader.verify() == []


def test_a_closed_journal_says_so(path: Path) -> None:
    journal = open_journal(path)
    journal.close()
    journal.close()
    assert not journal.is_open
    for use in (
        lambda: journal.commit(step(1)),
        lambda: journal.ack(0),
        lambda: journal.outbox_after(0, 1),
        journal.flush,
    ):
        with pytest.raises(JournalClosed):
            use()


def test_a_full_file_is_named_and_leaves_nothing_half_written(subject: Journal) -> None:
    subject.commit(step(1))
    pages = subject._db.execute("PRAGMA page_count").fetchone()[0]
    subject._db.execute(f"PRAGMA max_page_count = {pages}")
    big = Batch(entries=tuple(entry(n) for n in range(2, 600)), events=(dealt(2),))
    with pytest.raises(JournalFull, match="ENOSPC"):
        subject.commit(big)
    assert (subject.last_idx, subject.head_seq) == (1, 1)
    assert subject.verify() == []
    subject._db.execute("PRAGMA max_page_count = 1000000")
    assert subject.commit(big).last == 599
    assert subject.verify() == []


_WRITER = """
import sys
from table_controller import messages as m
from table_controller.journal import Batch, Journal, NewEntry, NewEvent, store
store.CHECKPOINT_PAGES = 40
journal = Journal.open(sys.argv[1], club="lyon", table="t1", utc="2026-05-01T19:30:00Z")
n = journal.last_idx
while True:
    n += 1
    body = b'{"event":"acted","seat":%d}' % n
    entry = NewEntry(body=body, t=float(n), utc="2026-05-01T19:30:00Z", hand=1)
    event = NewEvent(body=m.Burned(n=n), t=float(n), utc="2026-05-01T19:30:00Z", hand=1)
    journal.commit(Batch(entries=(entry,), events=(event,)))
    if n % 7 == 0:
        journal.ack(n - 3)
    print(n, flush=True)
"""


def test_what_was_committed_survives_kill_9_and_numbers_stay_gapless(path: Path) -> None:
    """It should hold over twelve kills at different places, each start going on where the last one stopped."""
    told = 0
    for kill in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        try:
            assert child.stdout is not None
            for _ in range(3 + 5 * kill):
                told = int(child.stdout.readline())
        finally:
            child.send_signal(signal.SIGKILL)
            rest, _ = child.communicate(timeout=30)
        told = max([told, *(int(line) for line in rest.split("\n")[:-1])])
        with Reading.of(path) as reader:
            entries = list(reader.entries())
            assert len(entries) >= told
            assert [e.idx for e in entries] == list(range(1, len(entries) + 1))
            assert [msgspec.json.decode(e.body)["seat"] for e in entries] == list(range(1, len(entries) + 1))
            assert [row.seq for row in reader.messages()] == list(range(1, len(entries) + 1))
            assert reader.verify() == []
