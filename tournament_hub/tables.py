"""One table as the hub sees it: who it is, what it said last, what of its stream is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from table_controller import messages as m
from table_controller.messages.vocabulary import LifeState
from tournament_hub.projection import LastRuling, Picture
from tournament_hub.store import Head

REPLAY_PATIENCE = 2.0
"""Seconds that events may be missing before the table is asked to send them again: most come by themselves."""
REPLAY_PAUSE = 5.0
REPLAY_PAUSE_MAX = 60.0
"""Seconds between two such questions: doubled while nothing comes of them."""
SILENCE = 3 * m.HEARTBEAT_S
"""Seconds without a heartbeat after which a table counts as silent."""


class Identity(NamedTuple):
    """Which database, start and connection of a table speaks."""

    life: str
    boot: int
    conn: int


@dataclass(frozen=True)
class Tile:
    """What the floor page shows of one table: made by the hub's thread, read by the server's.

    Attributes:
        name: id. title: what people call it.
        link: ``unheard online silent lost disconnected sleeping init fault``.
        heard_at: when its last heartbeat came, seconds on the hub's clock; None = not since the hub started.
        state: its last snapshot, if one came.
        picture: what its events say.
        missing: how many events are known to exist and are not here.
        broken: its stream does not continue the record.
        alerts: what it needs a person for.
        hold: why it must not start a hand.
        directed: whether the hub has a target for it.
        equipment: all its devices; ``devices`` are those that are not well. ``software``: its program.
        covered: seat → what it senses of it. ``beat``: its last heartbeat.
        numbers: of its own calls, what was declared and what was counted.
    """

    name: str
    title: str
    link: str
    heard_at: float | None
    state: m.TableState | None
    picture: Picture
    missing: int
    broken: bool
    alerts: tuple[m.Alert, ...]
    devices: tuple[m.Device, ...]
    hold: tuple[str, ...]
    level: m.Level | None
    directed: bool
    equipment: tuple[m.Device, ...] = ()
    software: str = ""
    covered: tuple[tuple[int, tuple[str, ...]], ...] = ()
    beat: m.Heartbeat | None = None
    numbers: tuple[tuple[str, int | None, int | None], ...] = ()

    @property
    def ruling(self) -> LastRuling | None:
        """The newest ruling, while its hand or the one after it is on the table."""
        held = self.picture.ruling
        if held is None or held.hand is None or self.picture.hand is None:
            return held
        return held if self.picture.hand - held.hand <= 1 else None


@dataclass
class Table:
    """What the hub remembers of one table while it runs."""

    name: str
    title: str
    identity: Identity | None = None
    former: set[str] = field(default_factory=set)
    status: LifeState | None = None
    birth: m.Birth | None = None
    state: m.TableState | None = None
    heartbeat: m.Heartbeat | None = None
    heard_at: float | None = None
    link: str = "unheard"
    alerts: dict[str, m.Alert] = field(default_factory=dict)
    numbers: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    heard_seq: int = 0
    held: dict[int, tuple[m.Event, bytes]] = field(default_factory=dict)
    gap_since: float | None = None
    asked_at: float | None = None
    asked_tx: str | None = None
    ask_pause: float = REPLAY_PAUSE
    adopt_at: int | None = None
    broken: bool = False

    def reborn(self) -> None:
        """The table has connected anew: what is missing may be asked for at once."""
        self.asked_at = None
        self.ask_pause = REPLAY_PAUSE

    def is_now(self, who: Identity) -> bool:
        """Whether this is the table's present connection, as far as it is known (0: not yet)."""
        held = self.identity
        return held is None or held == who or (held.conn == 0 and held[:2] == who[:2])

    def begin_life(self) -> None:
        """Another journal database speaks for this table: what was known of the old one no longer counts."""
        self.state = None
        self.birth = None
        self.heartbeat = None
        self.heard_seq = 0
        self.progressed()
        self.held.clear()

    def progressed(self) -> None:
        """The stream went on: nothing of it hangs."""
        self.gap_since = None
        self.asked_at = None
        self.ask_pause = REPLAY_PAUSE
        self.broken = False

    def missing_since(self, head: int, now: float) -> bool:
        """Note whether events are missing after ``head``; True when that is news."""
        before = self.gap_since
        if self.heard_seq > head:
            self.gap_since = now if before is None else before
        else:
            self.gap_since = None
        return (before is None) != (self.gap_since is None)

    def asked(self, now: float, tx: str) -> None:
        """The missing events were asked for."""
        if self.asked_at is not None:
            self.ask_pause = min(2 * self.ask_pause, REPLAY_PAUSE_MAX)
        self.asked_at = now
        self.asked_tx = tx

    def link_at(self, now: float) -> str:
        """How the line to the table stands, from the age of its heartbeat first."""
        if self.status in ("lost", "disconnected"):
            return self.status
        if self.heard_at is None:
            return "unheard"
        if now - self.heard_at > SILENCE:
            return "silent"
        return "online" if self.status in (None, "ready") else self.status

    def tile(self, head: Head, desired: m.Desired | None) -> Tile:
        """The picture of this moment."""
        devices = self.birth.devices if self.birth is not None else ()
        return Tile(
            name=self.name,
            title=self.title,
            link=self.link,
            heard_at=self.heard_at,
            state=self.state,
            picture=head.picture,
            missing=max(0, self.heard_seq - head.seq) if self.gap_since is not None else 0,
            broken=self.broken,
            alerts=tuple(self.alerts.values()),
            devices=tuple(device for device in devices if device.state not in ("ok", "absent")),
            hold=desired.hold if desired is not None else (),
            level=desired.level if desired is not None else None,
            directed=desired is not None,
            equipment=devices,
            beat=self.heartbeat,
            numbers=tuple((call, *told) for call, told in self.numbers.items() if call in self.alerts),
            software=self.birth.software if self.birth is not None else "",
            covered=tuple((seat.seat, seat.covered) for seat in self.birth.seats if seat.covered)
            if self.birth is not None
            else (),
        )
