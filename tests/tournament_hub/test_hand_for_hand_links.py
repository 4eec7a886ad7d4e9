"""Hand-for-hand between real tables and the real room over links that lose, double, delay and reorder everything.

Tables are the controllers' own core (``Running``) with wood and tags before it, the room is the hub's own with its record;
only the wire between them is made up, and it does what wires and brokers do at their worst: what is retained comes late,
twice or in a wrong order, events come in any order and are sent again until they are acknowledged, commands are lost.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from table_controller import messages as m
from tests.table_controller.rig import Rig
from tournament_hub.config import parse_config
from tournament_hub.effects import Inbound
from tournament_hub.logic import events as ev
from tournament_hub.logic.state import Place
from tournament_hub.room import Room
from tournament_hub.store import Store

CLUB: Final = "test"
UTC: Final = "2024-05-01T20:00:00Z"
EVENINGS: Final = int(os.environ.get("MALDONNE_LINK_EVENINGS", "100"))
"""Evenings of the campaign."""
NAMES: Final = ("t1", "t2", "t3")
CONFIG: Final = """
[club]
id = "test"
[tournament.main]
rulebook = "tda2024"
tables = ["t1", "t2", "t3"]
seats = 2
places_paid = 5
automatic = ["round", "runout"]
levels = [{ minutes = 600, small_blind = 50, big_blind = 100 }]
"""
FACES: Final = (m.Board, m.Tabled)


class Wire:
    """One direction of a line: what is on its way comes in any order, more than once, or not at all."""

    def __init__(self, chance: random.Random, loss: float) -> None:
        self._chance = chance
        self._loss = loss
        self.flying: list[Any] = []

    def send(self, message: Any) -> None:
        """Something goes out."""
        for _ in range(self._chance.choice((1, 1, 1, 2, 3))):
            if self._chance.random() >= self._loss:
                self.flying.append(message)

    def take(self) -> Any | None:
        """Any of what is on its way, also an old one."""
        if not self.flying or self._chance.random() < 0.3:
            return None
        return self.flying.pop(self._chance.randrange(len(self.flying)))


class PlayedTable:
    """A table's controller and the people at it, who do what it shows and try to deal as soon as they can."""

    def __init__(self, name: str, number: int, chance: random.Random) -> None:
        self.name = name
        self.life = f"{number + 1:x}" * 32
        self.rig = Rig(2, book="tda2024")
        empty = msgspec.structs.replace(self.rig.desired, hold=("not_started",))
        self.rig.running.direct(empty)
        self._chance = chance
        self.version = (0, 0)
        self.sent: list[bytes] = []
        self.prev = m.GENESIS
        self.acked = self.rev = 0
        self.hands = 0
        self.gates: list[int | None] = []
        self.open_faces = 0
        self.waits = 0

    # -- the line ------------------------------------------------------------------------

    def obey(self, payload: bytes) -> None:
        desired = m.decode(payload, m.Desired)
        if desired.version > self.version:  # as the journal does: an older document is ignored
            self.version = desired.version
            self.rig.running.direct(desired)
            self.collect()

    def release(self, payload: bytes) -> None:
        self.rig.running.release(m.decode(payload, m.RunoutRelease).hand)

    def collect(self) -> None:
        """What the table has told goes into its outbox, and is looked at for faces that nobody may see yet."""
        self.rig.collect()
        for told in self.rig.public[len(self.sent) :]:
            event = m.Event(
                life=self.life, boot=1, seq=len(self.sent) + 1, hand=told.hand, t=told.t, utc=UTC,
                body=told.body, prev=self.prev,
            )  # fmt: skip
            payload = m.encode_event(event)
            self.prev = m.chain_hash(self.prev, payload)
            self.sent.append(payload)
            match told.body:
                case m.HandStart(gate=gate):
                    self.hands += 1
                    self.gates.append(gate)
                case body if isinstance(body, FACES) and self.rig.running.runout_held:
                    self.open_faces += 1

    def beat(self) -> bytes:
        return m.encode(
            m.Heartbeat(
                life=self.life, boot=1, conn=1, seq=len(self.sent), t=self.rig.t, synced=True, devices={},
                load=None, temperature=None, unacked=len(self.sent) - self.acked,
            )
        )  # fmt: skip

    def picture(self) -> bytes:
        """The retained picture, as far as faces and the gate go."""
        running = self.rig.running
        self.rev += 1
        return m.encode(
            m.TableState(
                rev=self.rev, seq=len(self.sent), hand=running.state.hand or None,
                phase="over" if not running.state.hand else running.state.phase, button=None, blinds=None,
                seats=(), stacks={}, bets={}, pots=(), board=tuple(running.state.board), to_act=None,
                expects=(), doubts=(), gate_used=running.last.gate_used, desired_rev=self.version[1],
                desired_epoch=self.version[0], hold=running.desired.hold, life=self.life, boot=1,
            )
        )  # fmt: skip

    # -- the people ---------------------------------------------------------------------------

    @property
    def between(self) -> bool:
        return self.rig.state.hand == 0 or self.rig.state.phase in ("over", "void")

    def play(self) -> None:
        """One thing that people do: deal if the table lets them, else what is next in the hand."""
        rig = self.rig
        if self.between:
            for lying in rig.lie.values():
                lying.clear()
            rig.start()
        elif rig.state.phase == "dealing":
            rig.deal(rig.running.started.positions.players if rig.running.started else None)
        elif rig.running.runout_held:
            self._peek()
        elif rig.state.to_act is not None:
            rig.press(self._chance.choice(("FOLD", "ALL_IN", "CALL", "CHECK")))
        else:
            self._finish()
        self.collect()

    def _peek(self) -> None:
        """Held: the table shows nothing but to wait, and no face is known to it."""
        assert [(order.order, order.for_) for order in self.rig.running.expects] == [("wait", "runout")]
        lying = len(self.rig.state.board)
        self.rig.wait(1.0)
        assert len(self.rig.state.board) == lying and self.rig.running.runout_held
        self.waits += 1

    def _finish(self) -> None:
        """Nobody acts any more: hands are shown, what is missing of the board is laid, the pot is taken."""
        rig = self.rig
        laid = len(rig.state.board)
        folded = len(rig.state.in_hand()) < 2
        if not folded and laid < 5:
            streets = {0: ("2c", "3c", "4c"), 3: ("5c",), 4: ("6c",)}
            rig.street(*streets[laid], burn={0: "Ks", 3: "Qs", 4: "Js"}[laid])
        else:
            rig.press("POT")


class Hall:
    """Three tables and the room."""

    def __init__(self, folder: Path, seed: int, loss: float) -> None:
        self.chance = random.Random(seed)
        self.store = Store(folder / "hub.sqlite3")
        self.room = Room(self.store, parse_config(CONFIG, "hub.toml", folder))
        self.now = 10.0
        self.tables = {name: PlayedTable(name, n, self.chance) for n, name in enumerate(NAMES)}
        self.down = {name: Wire(self.chance, loss) for name in NAMES}
        self.up = {name: Wire(self.chance, loss) for name in NAMES}
        self.retained: dict[str, bytes] = {}
        self.room.take()
        self.rounds = 0

    @property
    def state(self) -> Any:
        return self.room.tournaments["main"].state

    def say(self, *events: ev.Event) -> None:
        with self.store.transaction():
            self.room.tournaments["main"].say_all(events, "director", self.now, UTC)
            self.room.publish(self.now, UTC)
        self._out()

    def begin(self) -> None:
        self.tick()
        self.say(*[ev.Registered(entry=f"{name}e{seat}") for name in NAMES for seat in (1, 2)])
        seats = tuple(ev.Seating(f"{name}e{seat}", Place(name, seat)) for name in NAMES for seat in (1, 2))
        self.say(ev.Drawn(seats=seats, how="imported"))
        self.say(*[ev.ButtonSet(table=name, button=1) for name in NAMES])
        self.say(ev.Passed(block="start", reason="test"), ev.Started())

    def _out(self) -> None:
        for out in self.room.take().outbound:
            address = m.topics.parse(out.topic)
            if out.kind == "desired":
                self.retained[address.table] = out.payload
                self.down[address.table].send(("desired", out.payload))
            elif out.kind == "hub_ack":
                self.down[address.table].send(("ack", out.payload))
            elif out.kind == "command":
                self.down[address.table].send((address.leaf, out.payload))

    def tick(self) -> None:
        """The hub's time goes on."""
        self.now += 0.4
        with self.store.transaction():
            self.room.tick(self.now, UTC)
        self._out()

    def hear(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        with self.store.transaction():
            self.room.feed(Inbound(topic, payload, retain), self.now, UTC)
            self.room.publish(self.now, UTC)
        self._out()

    def deliver(self, name: str) -> None:
        """Whatever is on its way, both ways; what is unacknowledged is sent once more now and then."""
        table = self.tables[name]
        if self.chance.random() < 0.6:
            self.hear(m.topics.heartbeat(CLUB, name), table.beat())
        if self.chance.random() < 0.3:
            self.hear(m.topics.state(CLUB, name), table.picture(), retain=True)
        for payload in table.sent[table.acked :]:
            if self.chance.random() < 0.4:
                self.up[name].send(payload)
        while (event := self.up[name].take()) is not None:
            self.hear(m.topics.event(CLUB, name), event)
        if name in self.retained and self.chance.random() < 0.3:  # the line was made again
            self.down[name].send(("desired", self.retained[name]))
        while (message := self.down[name].take()) is not None:
            kind, payload = message
            match kind:
                case "desired":
                    table.obey(payload)
                case "ack":
                    ack = m.decode(payload, m.HubAck)
                    table.acked = max(table.acked, ack.upto_seq)
                case "runout_release":
                    table.release(payload)
                case "replay":
                    start = m.decode(payload, m.Replay).start
                    for event in table.sent[start - 1 :]:
                        self.up[name].send(event)

    def check(self) -> None:
        """No table is a hand ahead, no gate was used twice, no face was shown while a hand was held."""
        gated = {name: [g for g in table.gates if g is not None] for name, table in self.tables.items()}
        for name, table in self.tables.items():
            used = gated[name]
            assert used == sorted(set(used)), f"{name} used a gate twice: {used}"
            assert table.open_faces == 0
        newest = max((used[-1] for used in gated.values() if used), default=0)
        for name, table in self.tables.items():
            behind = newest > 0 and (not gated[name] or gated[name][-1] < newest)
            # somebody plays this gate: everybody else has finished his hand of the one before
            assert not behind or table.between, f"{name} still plays while another table is ahead"
        held = self.state.hand_for_hand
        assert held is None or newest <= held.gate
        self.rounds = max(self.rounds, newest)

    def turn(self) -> None:
        for name in NAMES:
            self.deliver(name)
            self.deliver(name)
            if self.chance.random() < 0.7:
                self.tables[name].play()
            self.check()
        self.tick()


def evening(folder: Path, seed: int, loss: float, turns: int) -> Hall:
    folder.mkdir(exist_ok=True)
    hall = Hall(folder, seed, loss)
    try:
        hall.begin()
        for number in range(turns):
            if number == 6:  # while hands run, and others have begun that the room has not heard of
                hall.say(ev.HandForHandAnnounced())
            hall.turn()
        assert "ahead" not in " ".join(hall.state.discrepancies)
        assert not {alarm.code for alarm in hall.store.alarms()} & {
            "gate_ahead",
            "chain_broken",
            "other_body",
        }
    finally:
        hall.store.close()
    return hall


def test_no_table_is_ever_a_hand_ahead_and_a_held_hand_shows_no_card(tmp_path: Path) -> None:
    halls = [evening(tmp_path / str(seed), seed, (0.0, 0.3, 0.6)[seed], 60) for seed in range(3)]
    assert all(hall.rounds >= 2 for hall in halls), "the rounds go on whatever the wire does"
    assert any(table.waits for hall in halls for table in hall.tables.values()), "some hand was held"


@pytest.mark.faults
@pytest.mark.timeout(7200)
def test_campaign_of_lossy_links(tmp_path: Path) -> None:
    waits = rounds = 0
    for seed in range(100, 100 + EVENINGS):
        hall = evening(tmp_path / str(seed), seed, (0.0, 0.2, 0.4, 0.6, 0.8)[seed % 5], 120)
        rounds += hall.rounds
        waits += sum(table.waits for table in hall.tables.values())
    assert rounds >= 3 * EVENINGS and waits > 0
