"""What the broker keeps for us: status, birth, state, alerts; each in its last form. Pure, without thread or socket."""

from __future__ import annotations

from typing import Final

import msgspec

from table_controller import messages as m

#: Documents under way at most, so that events are not held up by them.
IN_FLIGHT: Final = 4


class Documents:
    """The table's retained documents, and which of them the broker has not got yet.

    Args:
        club: Whose topics.
        table: Our id.
        life: The journal's id.
        boot: This start's number.
    """

    def __init__(self, club: str, table: str, life: str, boot: int) -> None:
        self.status_topic = m.topics.status(club, table)
        self._birth_topic = m.topics.birth(club, table)
        self._life, self._boot = life, boot
        self._standing: m.LifeState = "init"
        self._birth: m.Birth | None = None
        self._kept: dict[str, bytes] = {}
        self._due: dict[str, None] = {}
        self._in_flight: dict[int, tuple[str, bytes]] = {}

    @property
    def settled(self) -> bool:
        """Whether the broker has everything."""
        return not self._due and not self._in_flight

    def set_standing(self, state: m.LifeState) -> None:
        """How the table stands."""
        self._standing = state
        self._due[self.status_topic] = None

    def set_birth(self, birth: m.Birth) -> None:
        """Who the table is."""
        self._birth = birth
        self._due[self._birth_topic] = None

    def keep(self, topic: str, payload: bytes) -> None:
        """A document's new form; empty: the topic is to be emptied."""
        self._kept[topic] = payload
        self._due[topic] = None

    def contradict(self) -> None:
        """The status is to be said again."""
        self._due[self.status_topic] = None

    def sweep(self, topic: str) -> None:
        """The broker keeps a document that we do not have: it is of an earlier start and goes."""
        if topic not in self._kept:
            self.keep(topic, b"")

    def everything_again(self) -> None:
        """A new connection: birth first, then status, then the rest."""
        self._in_flight.clear()
        self._due = dict.fromkeys((self._birth_topic, self.status_topic, *self._kept))

    def next(self, conn: int, outbox: m.OutboxSpan) -> tuple[str, bytes] | None:
        """The next document to send, None when nothing is due or enough is under way."""
        while self._due and len(self._in_flight) < IN_FLIGHT:
            topic = next(iter(self._due))
            del self._due[topic]
            payload = self._payload(topic, conn, outbox)
            if payload is not None:
                return topic, payload
        return None

    def sent(self, mid: int, document: tuple[str, bytes]) -> None:
        """The document went out under this message id."""
        self._in_flight[mid] = document

    def confirmed(self, mid: int) -> bool:
        """The broker has one; whether it was a document. One that was emptied is forgotten now."""
        document = self._in_flight.pop(mid, None)
        if document is None:
            return False
        topic, payload = document
        if not payload and self._kept.get(topic) == b"":
            del self._kept[topic]
        return True

    def will(self, conn: int) -> bytes:
        """What the broker is to say when we vanish."""
        return m.encode(m.TableStatus(state="lost", life=self._life, boot=self._boot, conn=conn))

    def _payload(self, topic: str, conn: int, outbox: m.OutboxSpan) -> bytes | None:
        if topic == self.status_topic:
            return m.encode(m.TableStatus(state=self._standing, life=self._life, boot=self._boot, conn=conn))
        if topic == self._birth_topic:
            if self._birth is None:
                return None
            return m.encode(msgspec.structs.replace(self._birth, conn=conn, outbox=outbox))
        return self._kept.get(topic)
