"""The hub's record: every event of every table once, on the disk before anybody is told that it arrived.

One process, one connection, one thread; in an SQLite file (WAL, ``synchronous=FULL``) or in PostgreSQL by the same interface
(``store_database``). Many messages share one transaction; what is acknowledged is always committed.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from table_controller import messages as m
from tournament_hub.errors import StoreFault
from tournament_hub.store_events import EventStore, Head, Recorded, Verdict

__all__ = ["Alarm", "Head", "Recorded", "Store", "Verdict"]


class Alarm(msgspec.Struct, frozen=True):
    """Something that a person must look at; ``times`` it was seen. Taken away only by name."""

    ident: int
    table: str
    code: str
    detail: str
    times: int
    utc: str


class Store(EventStore):
    """One hub's record: the tables' streams, and what the hub itself has decided, asked and answered."""

    def __init__(self, place: Path | str, *, starting: bool = True) -> None:
        self._new_records: list[tuple[str, int, str, bytes]] = []
        self._record_ends: dict[str, int] = {}
        self._desired: dict[str, m.Desired | None] = {}
        super().__init__(place, starting=starting)

    def reload(self) -> None:
        """Read the ends of all streams again; after a transaction that failed."""
        self._new_records.clear()
        self._record_ends.clear()
        self._desired.clear()
        super().reload()

    def _flush(self) -> None:
        super()._flush()
        if self._new_records:
            self._db.insert("records", ("tournament", "n", "utc", "payload"), self._new_records)
            self._new_records.clear()

    # -- who the tables are ----------------------------------------------------

    def identities(self) -> dict[str, tuple[str, int, int]]:
        """The current (life, boot, conn) of every table that was ever heard."""
        return {
            row[0]: (row[1], row[2], row[3])
            for row in self._db.execute("SELECT tbl, life, boot, conn FROM tables")
        }

    def save_identity(self, table: str, life: str, boot: int, conn: int) -> None:
        """This is who the table is now; inside ``transaction``."""
        self._db.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?) ON CONFLICT (tbl) DO UPDATE SET"
            " life = excluded.life, boot = excluded.boot, conn = excluded.conn",
            (table, life, boot, conn),
        )

    # -- what the tables should be -----------------------------------------------

    def desired(self, table: str) -> m.Desired | None:
        """The newest target of a table."""
        if table in self._desired:  # every tile of the floor page asks for it
            return self._desired[table]
        row = self._db.execute(
            "SELECT document FROM desired WHERE tbl = ? ORDER BY id DESC LIMIT 1", (table,)
        ).fetchone()
        found = self._desired[table] = None if row is None else m.decode(row[0], m.Desired)
        return found

    def save_desired(self, table: str, document: m.Desired, by: str, reason: str) -> None:
        """Keep a new revision with who wanted it and why; inside ``transaction``. Earlier ones stay."""
        self._db.execute(
            "INSERT INTO desired (tbl, epoch, rev, document, said_by, reason, utc) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (table, document.epoch, document.rev, m.encode(document), by, reason, self._utc),
        )
        self._desired[table] = document

    def configured(self, table: str) -> m.Desired | None:
        """What the configuration file said of a table when it was last taken over."""
        row = self._db.execute("SELECT document FROM configured WHERE tbl = ?", (table,)).fetchone()
        return None if row is None else m.decode(row[0], m.Desired)

    def save_configured(self, table: str, document: m.Desired) -> None:
        """Remember what the configuration file says; inside ``transaction``."""
        self._db.execute(
            "INSERT INTO configured VALUES (?, ?) ON CONFLICT (tbl) DO UPDATE SET document = excluded.document",
            (table, m.encode(document)),
        )

    # -- what needs a person ---------------------------------------------------------

    def alarm(self, table: str, code: str, detail: str, utc: str) -> bool:
        """Something is wrong; inside ``transaction``. True when it is new; a known one is only counted."""
        self._utc = utc
        known = self._db.execute(
            "UPDATE alarms SET times = times + 1 WHERE tbl = ? AND code = ? AND taken_by IS NULL",
            (table, code),
        ).rowcount
        if known:
            return False
        self._db.execute(
            "INSERT INTO alarms (tbl, code, detail, times, utc) VALUES (?, ?, ?, 1, ?)",
            (table, code, detail, utc),
        )
        return True

    def alarms(self) -> list[Alarm]:
        """All that nobody has taken yet, oldest first."""
        rows = self._db.execute(
            "SELECT id, tbl, code, detail, times, utc FROM alarms WHERE taken_by IS NULL ORDER BY id"
        )
        return [Alarm(*row) for row in rows]

    def take_alarm(self, ident: int, by: str) -> Alarm | None:
        """A person takes an alarm; inside ``transaction``. None when somebody was faster."""
        for alarm in self.alarms():
            if alarm.ident == ident:
                self._db.execute("UPDATE alarms SET taken_by = ? WHERE id = ?", (by, ident))
                return alarm
        return None

    # -- what tables asked -------------------------------------------------------------

    def answered(self, table: str, kind: str, tx: str) -> bytes | None:
        """The response that this request already got."""
        row = self._db.execute(
            "SELECT response FROM requests WHERE tbl = ? AND kind = ? AND tx = ?", (table, kind, tx)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def save_request(self, table: str, kind: str, tx: str, payload: bytes, response: bytes) -> None:
        """Keep a request with its response, so that a copy of it is answered alike; inside ``transaction``."""
        self._db.execute(
            "INSERT INTO requests (tbl, kind, tx, payload, response, utc) VALUES (?, ?, ?, ?, ?, ?)",
            (table, kind, tx, payload, response, self._utc),
        )

    # -- what the tournaments are made of ---------------------------------------------------

    def add_record(self, tournament: str, n: int, payload: bytes, utc: str) -> None:
        """Keep the next record of a tournament's log; inside ``transaction``.

        Args:
            tournament: whose.
            n: its place, from 1, gapless.
            payload: as it will be replayed.
            utc: the hub's clock, a label for people.

        Raises:
            StoreFault: the place is filled already, or one before it is not.
        """
        last = self._record_ends.get(tournament)
        if last is None:
            row = self._db.execute(
                "SELECT max(n) FROM records WHERE tournament = ?", (tournament,)
            ).fetchone()
            last = (None if row is None else row[0]) or 0
        if n != last + 1:
            raise StoreFault(
                f"record {n} of {tournament} after {last}", where=self._db.where, hint="start the hub again"
            )
        self._utc = utc
        self._record_ends[tournament] = n
        self._new_records.append((tournament, n, utc, payload))

    def records(self, tournament: str) -> list[bytes]:
        """A tournament's log, in order."""
        self._flush()
        rows = self._db.execute("SELECT payload FROM records WHERE tournament = ? ORDER BY n", (tournament,))
        return [row[0] for row in rows]

    def tournaments(self) -> list[str]:
        """Every tournament that has a log."""
        self._flush()
        return [row[0] for row in self._db.execute("SELECT DISTINCT tournament FROM records ORDER BY 1")]
