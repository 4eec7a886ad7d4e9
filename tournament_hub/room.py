"""The tournament room: its tables, what they are to be, the tournaments that run; no thread, no socket.

``feed`` takes one message, ``tick`` lets time pass; both must be called inside the store's transaction. What must be
sent, what became visible and what the log says is collected until ``take``, which the hub calls after the commit: so
nothing leaves before it is on the disk.
"""

from __future__ import annotations

from collections import deque

from table_controller import messages as m
from table_controller.rulebook_files import load_book
from tournament_hub.config import HubConfig, TournamentSetting
from tournament_hub.directing import Directing
from tournament_hub.effects import LOG_LENGTH, Effects, Inbound, Notebook, Outbound, Ways, outbound
from tournament_hub.errors import ConfigError, UnknownTable
from tournament_hub.listening import HUB, Listening
from tournament_hub.logic.presets import preset_of
from tournament_hub.store import Store
from tournament_hub.store_history import History
from tournament_hub.store_incidents import Incidents
from tournament_hub.streams import Streams
from tournament_hub.table_targets import TableTargets
from tournament_hub.tables import Identity, Table, Tile
from tournament_hub.wording import Line, Saying, Word

__all__ = ["HUB", "Room"]

ON_ITS_WAY_S = 2.0
"""Seconds that events may be behind a table's heartbeat before it is a gap (and asked for again): a busy table is always a little ahead."""


class Room:
    """All the tables of one club.

    Args:
        store: the record.
        config: the club's settings.

    Raises:
        ConfigError: a tournament plays for money and its rulebook does not.
    """

    def __init__(self, store: Store, config: HubConfig) -> None:
        self._store = store
        self._config = config
        self._club = config.club.id
        self.tables: dict[str, Table] = {}
        self.history = History(store)
        self.incidents = Incidents(store)
        """Every hand of the record."""
        self._notes = Notebook(store, self._club, self.tables)
        self._streams = Streams(store, self._notes, self._club, self._told)
        self._targets = TableTargets(store, self._notes, config)
        self.tournaments: dict[str, Directing] = {}
        self._listening = Listening(
            store, self._notes, self._club, self._streams, self._table, self.tournaments
        )
        for name in config.tables:
            self._table(name)
        for name, identity in store.identities().items():
            self._table(name).identity = Identity(*identity)
        with store.transaction():
            for name in config.tables:
                self._targets.take_over(name)
            for setting in config.tournament.values():
                for name in setting.tables:
                    self._targets.begin_epoch(name)
        for recorded in store.latest(LOG_LENGTH):
            self._notes.say_event(recorded.table, recorded.event)
        self._now = 0.0
        self.utc = ""
        """The wall clock of what is being worked on: a label for decisions."""
        for ident, setting in config.tournament.items():
            self.tournaments[ident] = self._directing(ident, setting)
        self._notes.begin()

    @property
    def store(self) -> Store:
        """The record, for what a person decides or asks; only on the hub's thread, inside ``transaction``."""
        return self._store

    @property
    def lines(self) -> deque[Line]:
        """The log's newest lines, oldest of them first."""
        return self._notes.lines

    # -- the hub's thread ---------------------------------------------------------

    def take(self) -> Effects:
        """What is to be sent and shown now; call it after the commit."""
        return self._notes.take()

    def forget(self) -> None:
        """The transaction failed: nothing of it is sent or shown. What was not recorded will be asked for again."""
        self._notes.forget()
        for table in self.tables.values():
            table.held.clear()
        for tournament in self.tournaments.values():
            tournament.reload()

    def connected(self) -> list[Outbound]:
        """The broker is reached (again): everything that it should keep, whole."""
        found = []
        for name, table in self.tables.items():
            document = self._store.desired(name)
            if document is not None:
                found.append(outbound("desired", m.topics.desired(self._club, name), document))
            if table.identity is not None:
                head = self._store.head(name, table.identity.life)
                ack = m.HubAck(life=table.identity.life, upto_seq=head.seq)
                found.append(outbound("hub_ack", m.topics.hub_ack(self._club, name), ack))
        return found

    def begin(self, now: float, utc: str) -> None:
        """Whatever comes next, comes now."""
        self._now, self.utc = now, utc

    def feed(self, message: Inbound, now: float, utc: str) -> None:
        """One message of a table.

        Args:
            message: as it came.
            now: seconds, monotonic.
            utc: wall clock, a label for people.
        """
        self.begin(now, utc)
        self._listening.feed(message, now, utc)

    def alarm(self, name: str, code: str, detail: str, utc: str) -> None:
        """Something needs a person: kept until somebody takes it by name; inside ``transaction``."""
        self._notes.alarm(name, code, detail, utc)

    def tick(self, now: float, utc: str = "") -> None:
        """Time passes: missing events are asked for, silent tables are noticed, tournaments go on.

        With a tournament it must be called inside ``transaction``.
        """
        self.begin(now, utc)
        for table in self.tables.values():
            if self._streams.ask(table, now):
                self._notes.touch(table.name)
            self._listening.follow_link(table, now)
        for tournament in self.tournaments.values():
            tournament.tick(now, utc, lambda name: self.heard(name, now))

    def publish(self, now: float, utc: str, *, whole: bool = False) -> None:
        """Tournaments tell what has changed; inside ``transaction``, after the messages of a batch."""
        for tournament in self.tournaments.values():
            tournament.publish(now, utc, whole=whole)

    def heard(self, name: str, now: float) -> bool:
        """Whether a table is on the line and all that it said is here, but for what has been on its way for a moment."""
        table = self.tables.get(name)
        if table is None or table.link_at(now) != "online":
            return False
        late = table.gap_since
        on_its_way = late is not None and not table.broken and now - late < ON_ITS_WAY_S
        return self.trusted(name) or on_its_way

    # -- decisions of people ---------------------------------------------------------

    def change(self, name: str, by: str, reason: str, **fields: object) -> m.Desired:
        """A new revision of a table's target; inside ``transaction``.

        Args:
            name: the table.
            by: who wants it.
            reason: why, one word.
            fields: what is different (``level``, ``hold``, ``seats``, …).

        Raises:
            UnknownTable: the room has no target for such a table.
        """
        return self._targets.change(name, by, reason, **fields)

    def hold(self, name: str, reason: str, by: str) -> None:
        """The table starts no hand until this reason is released; inside ``transaction``."""
        self._targets.hold(name, reason, by)

    def release(self, name: str, reason: str, by: str) -> None:
        """One reason to hold is gone; inside ``transaction``."""
        self._targets.release(name, reason, by)

    def take_alarm(self, ident: int, by: str) -> bool:
        """A person has looked at an alarm; inside ``transaction``. False when somebody was faster."""
        alarm = self._store.take_alarm(ident, by)
        if alarm is not None:
            word = Word(f"alarm.{alarm.code}")
            self._notes.say(alarm.table, None, "plain", Saying("log.alarm_taken", {"alarm": word, "by": by}))
            self._notes.alarms_changed()
            if alarm.table in self.tables:
                self._notes.touch(alarm.table)
        return alarm is not None

    def accept_chain(self, name: str, by: str, now: float) -> bool:
        """A person accepts that the table's record does not continue ours; it is taken from there on.

        Returns:
            False when the chain is not broken.

        Raises:
            UnknownTable: no such table.
        """
        table = self.tables.get(name)
        if table is None:
            raise UnknownTable("the room has no such table", where=name, hint="look at the floor page")
        if not self._streams.accept(table, now):
            return False
        self._notes.say(name, None, "warn", Saying("log.chain_accepted", {"by": by}))
        self._notes.touch(name)
        return True

    def trusted(self, name: str) -> bool:
        """Whether a decision may rest on this table: it was heard, and nothing of it is missing or in doubt."""
        table = self.tables.get(name)
        if table is None or table.identity is None or table.heard_at is None or table.broken:
            return False
        return table.heard_seq <= self._store.head(name, table.identity.life).seq

    def tile(self, name: str) -> Tile:
        """What the floor page shows of a table; never changes afterwards."""
        table = self.tables[name]
        life = table.identity.life if table.identity else ""
        return table.tile(self._store.head(name, life), self._store.desired(name))

    # -- tournaments and tables ------------------------------------------------------------

    def _told(self, name: str, event: m.Event) -> None:
        for tournament in self.tournaments.values():
            tournament.reports.event(name, event, self._now, self.utc)

    def _directing(self, ident: str, setting: TournamentSetting) -> Directing:
        for name in setting.tables:
            self._table(name)
        preset = preset_of(load_book(setting.rulebook))
        if setting.money is not None and preset.money != "on":
            raise ConfigError(
                f"tournament.{ident}.money: {setting.rulebook} plays for none",
                where="hub.toml",
                hint='write money = { is = "on", article = "…" } into the club\'s own book',
            )
        ways = Ways(self._store, self._notes, self._club, self._targets.change, self._targets.target)
        return Directing(ident, setting, preset, ways)

    def _table(self, name: str) -> Table:
        table = self.tables.get(name)
        if table is None:
            table = self.tables[name] = Table(name, self._config.table_name(name))
            self._notes.touch(name)
        return table
