"""What each table is to be: the whole target, a new revision for every change, in the epoch of this start of the hub.

All of it inside the store's transaction.
"""

from __future__ import annotations

import msgspec

from table_controller import messages as m
from tournament_hub.config import HubConfig
from tournament_hub.effects import Notebook, outbound
from tournament_hub.errors import UnknownTable
from tournament_hub.store import Store
from tournament_hub.wording import Saying


class TableTargets:
    """The targets of all tables.

    Args:
        store: the record.
        notes: collects what is to be sent and said.
        config: the club's settings.
    """

    def __init__(self, store: Store, notes: Notebook, config: HubConfig) -> None:
        self._store = store
        self._notes = notes
        self._config = config

    def change(self, name: str, by: str, reason: str, **fields: object) -> m.Desired:
        """A new revision of a table's target.

        Args:
            name: the table.
            by: who wants it.
            reason: why, one word.
            fields: what is different (``level``, ``hold``, ``seats``, …).

        Raises:
            UnknownTable: the room has no target for such a table.
        """
        before = self._store.desired(name)
        if before is None:
            raise UnknownTable("no target is set for it", where=name, hint="name it in the configuration")
        fields |= {"epoch": self._store.epoch, "rev": before.rev + 1}
        document = msgspec.structs.replace(before, **fields)
        self._store.save_desired(name, document, by, reason)
        self._notes.send(outbound("desired", m.topics.desired(self._config.club.id, name), document))
        self._notes.touch(name)
        return document

    def hold(self, name: str, reason: str, by: str) -> None:
        """The table starts no hand until this reason is released."""
        before = self._store.desired(name)
        if before is None or reason not in before.hold:
            self.change(name, by, "hold", hold=(*(before.hold if before else ()), reason))
            self._notes.say(name, None, "warn", Saying("log.hold", {"by": by}))

    def release(self, name: str, reason: str, by: str) -> None:
        """One reason to hold is gone."""
        before = self._store.desired(name)
        if before is None or reason in before.hold:
            rest = tuple(held for held in before.hold if held != reason) if before else ()
            self.change(name, by, "release", hold=rest)
            self._notes.say(name, None, "good", Saying("log.release", {"by": by}))

    def target(self, name: str) -> m.Desired:
        """A table's present target; one that no file names begins with what the room plays."""
        found = self._store.desired(name)
        if found is None:
            rulebook = self._config.game.rulebook
            found = m.Desired(
                epoch=self._store.epoch, rev=0, tournament=None, rulebook=rulebook, level=None, seats=()
            )
            self._store.save_desired(name, found, "hub", "start")
        return found

    def take_over(self, name: str) -> None:
        """At each start: a new epoch of the target; the file's part of it only when the file has changed."""
        wanted = self._config.desired(name)
        before = self._store.desired(name)
        if before is None or self._store.configured(name) != wanted:
            kept = (
                {}
                if before is None
                else {"hold": before.hold, "gate": before.gate, "decisions": before.decisions}
            )
            document = msgspec.structs.replace(wanted, **kept)
            self._store.save_configured(name, wanted)
        else:
            document = before
        rev = 1 if before is None else before.rev + 1
        document = msgspec.structs.replace(document, epoch=self._store.epoch, rev=rev)
        self._store.save_desired(name, document, "hub", "start")

    def begin_epoch(self, name: str) -> None:
        """A tournament's table that no part of the file names: its target goes on in the new epoch."""
        before = self._store.desired(name)
        if before is not None and before.epoch < self._store.epoch:
            document = msgspec.structs.replace(before, epoch=self._store.epoch, rev=before.rev + 1)
            self._store.save_desired(name, document, "hub", "start")
