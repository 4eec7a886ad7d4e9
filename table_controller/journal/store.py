"""Writing a journal: one connection, one process, every batch whole and on the disk before anything leaves.

The connection belongs to the thread that opened it, the table's loop. `synchronous=FULL` in WAL mode means that a
commit returns after the disk has said that the log is written. Checkpoints run only when this class asks for one,
so that their failures are seen.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import msgspec

from table_controller.journal import schema
from table_controller.journal.draft import Draft
from table_controller.journal.errors import (
    JournalBehindHub,
    JournalClosed,
    JournalCorrupt,
    JournalError,
    JournalFull,
)
from table_controller.journal.files import connect, ready, sync_directory, take_lock, writing_failure
from table_controller.journal.reading import Reading
from table_controller.journal.records import Batch, Committed, HandRow, Header, OutboxRow, Recovery
from table_controller.journal.schema import Head, Seal, row_hash
from table_controller.messages import GENESIS

#: No new hand below this much free space: the hand that runs must be able to end.
RESERVE_BYTES: Final = 32 * 1024 * 1024
#: The log goes into the main file when it has grown to this many pages (4 KiB each).
CHECKPOINT_PAGES: Final = 1000
#: Acknowledged rows wait this many for the next commit, so that an acknowledgement costs no sync of its own.
ACKS_HELD: Final = 200


class Journal(Reading):
    """A table's journal, open for writing.

    After a `JournalFailed` it is closed and stays so. `JournalFull` and `JournalRefused` leave it open and unchanged.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, header: Header, lock: IO[str], seal: Seal) -> None:
        super().__init__(path, db, header)
        self._lock = lock
        self._seal = seal
        self._was_clean = seal.clean
        self._acked = seal.hub_ack
        self._open = True
        self._pages = 0

    @classmethod
    def open(
        cls, path: str | Path, *, club: str, table: str, utc: str, engine: str = "", software: str = ""
    ) -> Journal:
        """Opens the table's journal, or makes a new one with a life of its own, and counts a start.

        Args:
            path: The file; its directory is made when absent.
            club: The club's id.
            table: The table's id.
            utc: The wall clock as a label, ISO 8601.
            engine: Version of the rules engine; kept with the start, and with a new journal as its maker's.
            software: Version of this program, kept with the start.

        Raises:
            JournalBusy: Another program has it open for writing.
            JournalMismatch: The file is another table's, or no journal.
            JournalTooNew, JournalCorrupt, JournalFull, JournalFailed: See each.
        """
        path = Path(path)
        lock = take_lock(path)
        db: sqlite3.Connection | None = None
        try:
            db = connect(path)
            header, seal = ready(db, path, (club, table, engine, utc))
            journal = cls(path, db, header, lock, seal)
            journal._begin_boot(utc, software, engine)
            sync_directory(path)
            return journal
        except BaseException as error:
            if db is not None:
                db.close()
            lock.close()
            if isinstance(error, schema.STORE_ERRORS):
                raise writing_failure(error, path) from error
            raise

    # ------------------------------------------------------------------ what it knows

    @property
    def boot(self) -> int:
        """This start's number, from 1."""
        return self._seal.boots.count

    @property
    def last_idx(self) -> int:
        """The last entry's number; 0 when there is none."""
        return self._seal.entries.count

    @property
    def last_t(self) -> float:
        """Where the table's clock stood at the last entry, in seconds."""
        return self._seal.last_t

    @property
    def head_seq(self) -> int:
        """The last public event's number; 0 when there is none."""
        return self._seal.outbox.count

    @property
    def hub_ack(self) -> int:
        """Up to where the hub has committed the public events."""
        return self._acked

    @property
    def desired_version(self) -> tuple[int, int] | None:
        """The (epoch, rev) of the hub's document that the table holds."""
        return self._seal.desired_version

    @property
    def is_open(self) -> bool:
        """Whether it takes batches; False after `close` and after a failure."""
        return self._open

    def free_bytes(self) -> int:
        """Space left on the journal's disk."""
        return shutil.disk_usage(self.path.parent).free

    # ------------------------------------------------------------------ writing

    def commit(self, batch: Batch) -> Committed:
        """Writes one step of the table; when it returns, the step survives a power cut.

        Raises:
            JournalRefused: The batch cannot be true; nothing was written.
            JournalFull: No space; nothing was written, the same batch may come again.
            JournalFailed: The disk failed; the journal is closed now.
            MessageError: A public event is out of bounds; nothing was written.
        """
        self._require_open()
        self._checkpoint_when_due()
        with self._transaction() as draft:
            first = draft.seal.entries.count + 1
            for entry in batch.entries:
                draft.add_entry(entry)
            if batch.opening is not None:
                draft.open_hand(batch.opening, first, len(batch.entries))
            for ruling in batch.rulings:
                draft.add_ruling(ruling, first, len(batch.entries))
            rows = tuple([draft.add_event(event, self.life) for event in batch.events])
            if batch.desired is not None:
                draft.put_desired(batch.desired)
        return Committed(first=first, last=self._seal.entries.count, rows=rows)

    def ack(self, upto_seq: int) -> int:
        """The hub has committed the public events up to this one: they leave the outbox.

        They stay in the journal as the published stream. The change is written with the next commit: should the
        power go before, they are sent once more and the hub knows them already.

        Returns:
            How many rows left the outbox.

        Raises:
            JournalBehindHub: The hub knows an event that this journal never gave: an old copy was restored.
        """
        self._require_open()
        if upto_seq > self.head_seq:
            raise JournalBehindHub(
                f"the hub has events up to {upto_seq} of this journal, it holds {self.head_seq}",
                where=str(self.path),
            )
        cleared = max(0, upto_seq - self._acked)
        self._acked = max(self._acked, upto_seq)
        if self._acked - self._seal.hub_ack >= ACKS_HELD:
            self.flush()
        return cleared

    def flush(self) -> None:
        """Writes acknowledgements that still wait for a commit."""
        self._require_open()
        if self._acked > self._seal.hub_ack:
            with self._transaction():
                pass

    def checkpoint(self) -> bool:
        """Moves the log into the main file and empties it, so that a copy of the file alone is the whole journal.

        Between hands is the time for it. False: somebody reads the journal just now, the log stays as it is.

        Raises:
            JournalFailed: The disk failed; the journal is closed now.
        """
        self._require_open()
        return self._run_checkpoint("TRUNCATE")

    def close(self) -> None:
        """Marks a proper end, empties the log and lets the file go; may be called twice."""
        if not self._open:
            return
        try:
            with self._transaction() as draft:
                draft.seal = msgspec.structs.replace(draft.seal, clean=True)
            self.checkpoint()
        finally:
            self._let_go()

    # ------------------------------------------------------------------ reading back

    def outbox_after(self, seq: int, limit: int) -> list[OutboxRow]:
        """The next public events to send, at most `limit`, in order.

        Those that the hub has acknowledged are given too when `seq` lies before them: a hub that was set back to
        an older copy asks for them again.
        """
        self._require_open()
        return list(self.messages(seq, limit))

    def recover(self) -> Recovery:
        """What the table needs to go on: the last hand with all that came after it, the clock, the hub's document.

        Raises:
            JournalCorrupt: The last hand does not follow from what was before it; the journal is closed now.
        """
        self._require_open()
        last: HandRow | None = None
        sql = "SELECT start, hand, rulebook, text_hash FROM hands ORDER BY start DESC LIMIT 1"
        for row in self._rows(sql, ()):
            last = HandRow(start=row[0], hand=row[1], rulebook=row[2], text_hash=row[3])
        start = last.start if last is not None else 1
        entries = tuple(self.entries(start))
        prev = GENESIS
        if start > 1:
            prev = next((entry.hash for entry in self.entries(start - 1, start - 1)), "")
        for n, entry in enumerate(entries):
            fields = [entry.idx, entry.boot, entry.t, entry.utc, entry.hand, entry.kind]
            prev = row_hash(prev, fields, entry.body)
            if entry.idx != start + n or prev != entry.hash:
                raise self._give_up(JournalCorrupt(f"entry {entry.idx} was changed", where=str(self.path)))
        if start + len(entries) - 1 != self.last_idx or (entries and prev != self._seal.entries.hash):
            raise self._give_up(JournalCorrupt("the last entries are missing", where=str(self.path)))
        return Recovery(
            boot=self.boot,
            clean=self._was_clean,
            last_t=self.last_t,
            hand=last,
            rulebook_text=self.text(last.text_hash) if last is not None else None,
            entries=entries,
            rulings=tuple(self.rulings(start)),
            desired=self.stored_desired(),
            head_seq=self.head_seq,
            hub_ack=self.hub_ack,
        )

    # ------------------------------------------------------------------ inside

    def _begin_boot(self, utc: str, software: str, engine: str) -> None:
        with self._transaction() as draft:
            boot = draft.seal.boots.count + 1
            fields = [boot, utc, software, engine, draft.seal.entries.count + 1]
            digest = row_hash(draft.seal.boots.hash, fields)
            self._db.execute("INSERT INTO boots VALUES (?, ?, ?, ?, ?, ?)", (*fields, digest))
            draft.seal = msgspec.structs.replace(draft.seal, boots=Head(boot, digest), clean=False)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Draft]:
        """One transaction that ends with the seal; on any error nothing of it remains."""
        draft = Draft(self._db, self._seal, str(self.path))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield draft
            if self._acked > draft.seal.hub_ack:
                draft.clear_outbox(self._acked)
            schema.write_seal(self._db, self.life, draft.seal)
            self._db.execute("COMMIT")
        except schema.STORE_ERRORS as error:
            raise self._fail(error) from error
        except BaseException:
            if self._db.in_transaction:
                self._roll_back()
            else:  # interrupted between the commit and here: what is in memory is no longer what is on the disk
                self._let_go()
            raise
        self._seal = draft.seal
        self._pages += draft.pages

    def _roll_back(self) -> None:
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        except schema.STORE_ERRORS as error:
            raise self._give_up(writing_failure(error, self.path)) from error

    def _fail(self, error: Exception) -> JournalError:
        """What a failed write means. Only a full disk leaves the journal open, and only when nothing remains of it."""
        failure = writing_failure(error, self.path)
        if isinstance(failure, JournalFull):
            self._roll_back()
            return failure
        return self._give_up(failure)

    def _give_up(self, failure: JournalError) -> JournalError:
        self._let_go()
        return failure

    def _let_go(self) -> None:
        self._open = False
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        self._lock.close()

    def _require_open(self) -> None:
        if not self._open:
            raise JournalClosed("the journal is closed", where=str(self.path))

    def _checkpoint_when_due(self) -> None:
        """A passive checkpoint never waits for a reader; what it leaves is taken by the next one."""
        if self._pages >= CHECKPOINT_PAGES:
            self._run_checkpoint("PASSIVE")

    def _run_checkpoint(self, mode: str) -> bool:
        try:
            busy, _, _ = self._db.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        except schema.STORE_ERRORS as error:
            raise self._fail(error) from error
        self._pages = 0
        return not busy
