"""What comes of messages and decisions: to be sent, shown and said, but only after it is on the disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from table_controller import messages as m
from table_controller.messages.topics import Kind
from tournament_hub.store import Store
from tournament_hub.tables import Table
from tournament_hub.wording import Line, Saying, Word, say_event

LOG_LENGTH = 200


@dataclass(frozen=True)
class Inbound:
    """A message as it came; ``conn`` and ``mid`` are for its acknowledgement at the broker."""

    topic: str
    payload: bytes
    retain: bool = False
    qos: int = 1
    mid: int = 0
    conn: int = 0


@dataclass(frozen=True)
class Outbound:
    """A message to be sent; how it travels follows from its kind. ``once``: it is not kept by the broker."""

    topic: str
    payload: bytes
    kind: Kind
    once: bool = False


@dataclass
class Effects:
    """What came of some messages: to be sent and shown after the commit."""

    outbound: list[Outbound] = field(default_factory=list)
    changed: dict[str, None] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    alarms: bool = False


class Notebook:
    """Collects effects until they are taken.

    Args:
        store: where alarms are kept.
        club: whose topics.
        tables: all tables, for their names.
    """

    def __init__(self, store: Store, club: str, tables: dict[str, Table]) -> None:
        self._store = store
        self._club = club
        self._tables = tables
        self._effects = Effects()
        self._acks: dict[str, str] = {}
        self._lines_said = 0
        self.lines: deque[Line] = deque(maxlen=LOG_LENGTH)

    def take(self) -> Effects:
        """What is to be sent and shown now; call it after the commit."""
        effects, self._effects = self._effects, Effects()
        for name, life in self._acks.items():
            ack = m.HubAck(life=life, upto_seq=self._store.head(name, life).seq)
            # Both values were read from a checked event: encoded without the check that every other message gets.
            topic = m.topics.hub_ack(self._club, name)
            effects.outbound.append(Outbound(topic, msgspec.json.encode(ack), "hub_ack"))
        self._acks.clear()
        return effects

    def begin(self) -> None:
        """Nothing was said yet in this run: the log's past is shown, not told again."""
        self._effects = Effects(changed=dict.fromkeys(self._tables), alarms=True)

    def forget(self) -> None:
        """The transaction failed: nothing of it is sent, shown or said."""
        self._lines_said -= len(self._effects.lines)
        for _ in self._effects.lines:
            self.lines.pop()
        self._effects = Effects(changed=dict.fromkeys(self._tables))
        self._acks.clear()

    def acknowledge(self, name: str, life: str) -> None:
        """Tell the table, once per commit, up to where its stream is recorded."""
        self._acks[name] = life

    def send(self, outbound: Outbound) -> None:
        """This goes out."""
        self._effects.outbound.append(outbound)

    def touch(self, name: str) -> None:
        """This table's tile reads differently."""
        self._effects.changed[name] = None

    def alarms_changed(self) -> None:
        """The list of alarms reads differently."""
        self._effects.alarms = True

    def alarm(self, name: str, code: str, detail: str, utc: str) -> None:
        """Something needs a person: kept until somebody takes it by name; inside ``transaction``."""
        self._effects.alarms = True
        if self._store.alarm(name, code, detail, utc):
            self.say(
                name, None, "bad", Saying("log.alarm", {"alarm": Word(f"alarm.{code}"), "detail": detail})
            )
        if name in self._tables:
            self.touch(name)

    def say_event(self, name: str, event: m.Event) -> None:
        """What the log says of an event."""
        for tone, saying in say_event(event):
            self.say(name, event.hand, tone, saying)

    def say(self, name: str, hand: int | None, tone: str, saying: Saying) -> None:
        """One more line of the log."""
        self._lines_said += 1
        title = self._tables[name].title if name in self._tables else name
        line = Line(number=self._lines_said, table=name, title=title, hand=hand, tone=tone, saying=saying)
        self.lines.append(line)
        self._effects.lines.append(line)


@dataclass(frozen=True)
class Ways:
    """What a tournament reaches of its room.

    Attributes:
        store: the record.
        notes: collects what is to be sent and said.
        club: whose topics.
        change: makes a new revision of a table's target.
        target: the present target of a table.
    """

    store: Store
    notes: Notebook
    club: str
    change: Callable[..., object]
    target: Callable[[str], m.Desired]


def outbound(kind: Kind, topic: str, message: msgspec.Struct, *, once: bool = False) -> Outbound:
    """A message of ours, checked as its receiver will check it."""
    return Outbound(topic, m.encode(message), kind, once)
