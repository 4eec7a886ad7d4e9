"""The microcontroller over a real pseudo-terminal, against a strict driver in the same thread."""

import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Driver

from hw_sim.antennas import Antenna, Field, Rates
from hw_sim.clock import Agenda
from hw_sim.codec import Frame, cobs_encode, encode
from hw_sim.config import antennas_for
from hw_sim.crew import Crew
from hw_sim.drive import Drive
from hw_sim.errors import ConfigError, SimulationStuck
from hw_sim.faults import Faults
from hw_sim.line import Line
from hw_sim.mcu import BUTTON_IDS, Board, Mcu
from hw_sim.world import World, make_chips, make_deck


class Clock:
    """Real time as the test lets it pass."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Rig:
    """A world, a microcontroller and a driver, stepped by hand."""

    path: Path
    antennas: tuple[Antenna, ...] = field(default_factory=antennas_for)
    board: Board = field(default_factory=Board)
    faults: Faults = field(default_factory=Faults)
    rates: Rates = field(default_factory=Rates)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        rng = random.Random("rig")
        self.agenda = Agenda()
        decks = {"A": make_deck("A", 7, rng), "B": make_deck("B", 8, rng)}
        self.world = World(decks, make_chips({25: 200, 100: 100}, rng), seed="rig")
        self.tags = Field(self.world, self.antennas, self.faults.worsen(self.rates), "rig")
        self.line = Line(self.path / "mcu")
        self.orders: list[Any] = []
        self.mcu = Mcu(
            self.agenda,
            self.line,
            self.tags,
            board=self.board,
            faults=self.faults,
            seed="rig",
            monotonic=self.clock,
            on_orders=self.orders.append,
        )
        self.drive = Drive(
            self.agenda,
            self.line,
            self.mcu.link,
            Crew(self.agenda),
            speed=0,
            settle_s=0.0,
            contact_s=2.0,
            settled=None,
            lost=lambda what: SimulationStuck(what, last_order="", places={}),
            monotonic=self.clock,
        )
        self.line.plug()
        self.mcu.power_on()
        self.driver = Driver(self.line.path, flush=False)

    def close(self) -> None:
        self.driver.close()
        self.line.close()
        self.drive.close()

    def meet(self) -> None:
        """First contact, and the whole table read once."""
        self.driver.send("HELLO?")
        self.driver.poll(1.0)
        self.run_for(4.0)

    def run_for(self, seconds: float) -> None:
        """Let virtual time pass, both ends talking."""
        end = self.agenda.now + seconds
        self.until(lambda: self.agenda.now >= end)

    def until(self, done: Callable[[], bool], virtual_s: float = 60.0) -> None:
        end = self.agenda.now + virtual_s
        while not done():
            assert self.agenda.now < end, "waited in vain"
            self.driver.poll(0)
            self.drive.turn()
        self.driver.poll(0)

    def settle(self) -> None:
        """Let what is on the wire arrive at both ends; no virtual time passes."""
        for _ in range(3):
            while self.driver.poll(0.01):
                pass
            self.mcu.link.pump()

    def card(self, name: str, to: str) -> str:
        card = self.world.card("A", name)
        self.world.move_card(card, to, face="down")
        return card.uid

    def last_inventory(self, antenna: int) -> Frame:
        return [f for f in self.driver.of("INVENTORY") if f.fields["antenna"] == antenna][-1]


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    rigs: list[Rig] = []

    def make(**more: Any) -> Rig:
        rigs.append(Rig(tmp_path, **more))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()


def test_hello_at_boot_and_on_request(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.settle()
    first = subject.driver.of("HELLO")[0].fields
    assert first["protocol_min"] == first["protocol_max"] == 1
    assert first["boot_id"] == subject.mcu.boot_id
    assert {"id": 4, "kind": 2, "index": 4} in first["antennas"]
    assert {"id": 30, "kind": 6, "index": 10} in first["antennas"]
    assert {"id": 13, "kind": 5, "index": 0} in first["antennas"]
    assert len(first["antennas"]) == 35
    assert first["buttons"] == list(range(1, 19))
    subject.driver.send("HELLO?")
    subject.run_for(0.1)
    assert subject.driver.of("HELLO")[-1].fields == first


def test_time_stands_until_somebody_speaks(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.clock.now += 5.0
    with pytest.raises(SimulationStuck, match="open"):
        ticking = iter(range(1000))

        def stopping() -> bool:
            subject.clock.now += next(ticking) * 0.1
            return False

        subject.drive.meet(stopping)
    assert subject.agenda.now == 0.0


def test_inventory_on_change_only_and_whole(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    before = len(subject.driver.of("INVENTORY"))
    assert before == 35
    subject.run_for(5.0)
    assert len(subject.driver.of("INVENTORY")) == before
    first = subject.card("Ah", "seat3")
    moved = subject.agenda.now
    subject.until(lambda: first in subject.driver.sets.get(3, ()))
    assert subject.agenda.now - moved <= 0.5
    second = subject.card("Kd", "seat3")
    subject.until(lambda: len(subject.driver.sets[3]) == 2)
    assert set(subject.driver.sets[3]) == {first, second}
    frame = subject.last_inventory(3)
    assert frame.fields["quality"] == 100
    assert moved * 1000 < frame.fields["ticks_ms"] <= subject.agenda.now * 1000
    subject.card("Ah", "air")
    subject.until(lambda: subject.driver.sets[3] == (second,))


def test_a_large_set_comes_in_parts(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    chips = subject.world.bank_chips([25] * 130)
    subject.world.move_chips(chips, "stack2")
    moved = subject.agenda.now
    subject.until(lambda: len(subject.driver.sets[32]) == 130)
    assert subject.agenda.now - moved <= 3.0
    frames = [f.fields for f in subject.driver.of("INVENTORY") if f.fields["antenna"] == 32][-3:]
    assert [f["part"] for f in frames] == [0, 1, 2]
    assert {f["parts"] for f in frames} == {3}
    assert len({(f["cycle"], f["ticks_ms"]) for f in frames}) == 1
    assert set(subject.driver.sets[32]) == {chip.uid for chip in chips}


def test_heartbeat_twice_and_digest_once_a_second(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    subject.card("2c", "board")
    subject.run_for(1.0)
    beats, digests = len(subject.driver.of("HEARTBEAT")), len(subject.driver.of("DIGEST"))
    subject.run_for(10.0)
    assert len(subject.driver.of("HEARTBEAT")) - beats == 20
    assert len(subject.driver.of("DIGEST")) - digests == 10
    entries = subject.driver.of("DIGEST")[-1].fields["antennas"]
    assert [entry["count"] for entry in entries if entry["antenna"] == 11] == [1]
    assert len(entries) == 35
    assert subject.driver.asked == 0  # every digest agreed with the sets that came as inventories
    ticks = [frame.fields["ticks_ms"] for frame in subject.driver.of("HEARTBEAT")]
    assert {late - early for early, late in pairwise(ticks)} == {500}


def test_an_unanswered_frame_is_sent_three_times_more_then_the_peer_is_lost(
    make_rig: Callable[..., Rig],
) -> None:
    subject = make_rig()
    subject.meet()
    link = subject.mcu.link
    subject.driver.withhold = lambda frame: frame.kind == "INVENTORY"
    subject.card("Ah", "seat5")
    subject.until(lambda: subject.last_inventory(5).fields["uids"] != [])
    subject.settle()
    asked = subject.last_inventory(5)
    for times in (1, 2, 3):
        subject.clock.now += 0.05
        link.tend()
        assert link.counts.resent == times - 1
        subject.clock.now += 0.06
        link.tend()
        subject.settle()
        assert link.counts.resent == times
        assert subject.driver.frames[-1] == asked
    assert not link.peer_lost
    subject.clock.now += 0.11
    link.tend()
    assert link.peer_lost
    assert link.counts.lost == 1
    # while the peer is lost only its name is called
    frames = len(subject.driver.frames)
    subject.clock.now += 0.6
    link.tend()
    subject.driver.withhold = lambda frame: False
    subject.settle()
    assert [frame.kind for frame in subject.driver.frames[frames:]] == ["HELLO"]
    assert not link.peer_lost
    # the digest tells what was lost, the Pi asks
    subject.run_for(1.5)
    assert subject.driver.asked == 1
    assert len(subject.driver.sets[5]) == 1


def test_an_inventory_gives_way_to_a_newer_one(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    link = subject.mcu.link
    subject.driver.withhold = lambda frame: frame.kind == "INVENTORY"
    first = subject.card("Ah", "seat5")
    subject.until(lambda: subject.last_inventory(5).fields["uids"] != [])
    subject.settle()
    assert link.waiting
    second = subject.card("Kh", "seat5")
    subject.mcu._sets[5] = subject.tags.read(5, subject.agenda.now)
    subject.mcu._inventory(5)
    assert not link.waiting
    assert link.counts.given_way == 1
    subject.driver.withhold = lambda frame: False
    subject.run_for(0.2)
    assert set(subject.driver.sets[5]) == {first, second}
    assert link.counts.resent == 0


def test_a_repeated_command_is_acknowledged_not_executed(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    for _ in range(3):
        subject.driver.acked.discard(77)
        subject.driver.send("BUZZ", {"ms": 100}, seq=77)
        subject.settle()
        assert 77 in subject.driver.acked
    assert subject.mcu.panel.buzzes == 1
    assert subject.mcu.link.counts.repeated == 2
    # a Pi that has started again begins its counter anew
    subject.driver.send("HELLO?", seq=76)
    subject.driver.send("BUZZ", {"ms": 100}, seq=77)
    subject.settle()
    assert subject.mcu.panel.buzzes == 2


def test_a_restart_has_a_new_boot_id_and_forgets(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    subject.driver.send("SCAN", {"antennas": [{"antenna": 3, "dwell_ms": 30}]})
    subject.driver.send("LAMP", {"lamp": 3, "colour": 3, "pattern": 0})
    subject.run_for(1.0)
    old = subject.mcu.boot_id
    uid = subject.card("Ah", "seat4")
    subject.run_for(2.0)
    assert subject.driver.sets[4] == ()  # not in the SCAN list
    subject.mcu.reboot()
    subject.driver.frames.clear()
    subject.until(lambda: bool(subject.driver.of("HELLO")))
    hello = subject.driver.of("HELLO")[0]
    assert hello.fields["boot_id"] == subject.mcu.boot_id != old
    assert hello.seq == 0
    assert subject.mcu.panel.lamps == {}
    subject.until(lambda: subject.driver.sets[4] == (uid,))
    subject.run_for(0.5)
    assert subject.driver.of("HEARTBEAT")[0].fields["ticks_ms"] == 500
    assert subject.mcu.boots == 2


def test_what_cannot_be_done_is_refused_with_its_code(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    refused = {
        subject.driver.send("FEED", {"target": 1, "command_id": 1}): 4,
        subject.driver.send("ARM", {"armed": True}): 4,
        subject.driver.send("SCAN", {"antennas": [{"antenna": 99, "dwell_ms": 1}]}): 5,
        subject.driver.send("INVENTORY?", {"antenna": 99}): 5,
        subject.driver.send("LAMP", {"lamp": 99, "colour": 1, "pattern": 0}): 5,
        subject.driver.send("LAMP", {"lamp": 1, "colour": 9, "pattern": 0}): 5,
        subject.driver.send("DISPLAY", {"line": 9, "text": "x"}): 5,
        subject.driver.send("SHOE", {"state": 0, "cards_out": 0, "target": 0, "command_id": 0}): 1,
    }
    vectors = {0x7E: 1, 0x24: 2}
    for seq, (kind, code) in enumerate(vectors.items(), 500):
        body = struct.pack("<BBH", 1, kind, seq) + b"\x00\x05ab"
        subject.driver.raw(cobs_encode(body + struct.pack("<I", zlib.crc32(body))) + b"\x00")
        refused[seq] = code
    subject.settle()
    assert subject.driver.naked == refused
    assert sorted(subject.mcu.link.counts.naks_sent) == sorted(refused.items())
    # a frame of another version is not answered
    body = struct.pack("<BBH", 2, 0x20, 600)
    subject.driver.raw(cobs_encode(body + struct.pack("<I", zlib.crc32(body))) + b"\x00")
    subject.settle()
    assert 600 not in subject.driver.naked
    assert 600 not in subject.driver.acked


def test_what_the_pi_shows_is_kept(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    subject.driver.send("LAMP", {"lamp": 4, "colour": 2, "pattern": 1})
    subject.driver.send("DISPLAY", {"line": 1, "text": "Brûlez une carte"})
    subject.driver.send("ORDER", {"orders": [{"order": 1, "place": 12, "arg": 0}]})
    subject.driver.send(
        "ORDER", {"orders": [{"order": 2, "place": 11, "arg": 3}, {"order": 21, "place": 4, "arg": 1500}]}
    )
    subject.settle()
    assert subject.mcu.panel.lamps == {4: (2, 1)}
    assert subject.mcu.panel.lines == {1: "Brûlez une carte"}
    assert subject.mcu.panel.orders == ((2, 11, 3), (21, 4, 1500))
    assert subject.orders == [((1, 12, 0),), ((2, 11, 3), (21, 4, 1500))]


def test_inventory_of_one_antenna_or_of_all(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig(antennas=antennas_for((1, 2), chips=False))
    subject.meet()
    uid = subject.card("9s", "seat2")
    subject.run_for(1.0)
    subject.driver.frames.clear()
    subject.driver.send("INVENTORY?", {"antenna": 2})
    subject.run_for(0.1)
    assert [f.fields["antenna"] for f in subject.driver.of("INVENTORY")] == [2]
    assert subject.driver.of("INVENTORY")[0].fields["uids"] == [uid]
    subject.driver.send("INVENTORY?", {"antenna": 255})
    subject.run_for(0.1)
    assert sorted(f.fields["antenna"] for f in subject.driver.of("INVENTORY")[1:]) == [0, 1, 2, 11, 12, 13]


def test_a_press_goes_down_and_up_and_is_counted(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    for _ in range(2):
        subject.mcu.press("CHECK")
        subject.run_for(0.5)
    said = [(f.fields["id"], f.fields["pressed"], f.fields["count"]) for f in subject.driver.of("BUTTON")]
    check = BUTTON_IDS["CHECK"]
    assert said == [(check, True, 1), (check, False, 2), (check, True, 3), (check, False, 4)]
    with pytest.raises(ConfigError, match="no button NOTHING"):
        subject.mcu.press("NOTHING")


def test_a_bouncing_contact_gives_several_edges(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig(faults=Faults(bounce=1.0))
    subject.meet()
    subject.mcu.press("YES")
    subject.run_for(0.5)
    frames = [f.fields for f in subject.driver.of("BUTTON")]
    assert [f["pressed"] for f in frames] == [True, False, True, False, True, False]
    assert [f["count"] for f in frames] == [1, 2, 3, 4, 5, 6]
    assert frames[4]["ticks_ms"] - frames[0]["ticks_ms"] < 20


def test_a_pulled_cable_comes_back_under_the_same_path(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    old_boot = subject.mcu.boot_id
    subject.mcu.unplug(2.0)
    assert not subject.line.path.is_symlink()
    with pytest.raises(OSError, match="Input/output error"):
        subject.driver.send("HELLO?")
    subject.driver.close()
    while not subject.mcu.link.open:
        subject.drive.turn()
    assert subject.agenda.now > 2.0
    again = Driver(subject.line.path, flush=False)
    subject.driver = again
    subject.meet()
    assert again.of("HELLO")[0].fields["boot_id"] != old_boot
    assert len(again.sets) == 35


def test_byte_time_delays_frames_by_the_baud_rate(make_rig: Callable[..., Rig]) -> None:
    arrivals = {}
    for baud in (115200, 921600):
        subject = make_rig(board=Board(baud=baud))
        subject.meet()
        chips = subject.world.bank_chips([100] * 50)
        subject.world.move_chips(chips, "stack1")
        subject.until(lambda subject=subject: len(subject.driver.sets[31]) == 50)  # type: ignore[misc]
        frame = subject.last_inventory(31)
        arrivals[baud] = subject.agenda.now - frame.fields["ticks_ms"] / 1000.0
        subject.close()
    size = len(encode(frame.kind, frame.seq, frame.fields))
    for baud, delay in arrivals.items():
        assert size * 10 / baud <= delay + 0.0005 < size * 10 / baud + 0.03
    assert arrivals[115200] > 3 * arrivals[921600]


def test_a_stalled_reader_says_nothing_and_is_reported(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig()
    subject.meet()
    subject.mcu.stall(3.0)
    began = subject.agenda.now
    uid = subject.card("Ah", "seat1")
    subject.until(lambda: uid in subject.driver.sets[1])
    assert subject.agenda.now - began >= 3.0
    assert subject.driver.of("FAULT")[0].fields == {"code": 2, "argument": 0}


def test_broken_frames_are_sent_again_until_they_arrive(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig(faults=Faults(crc_flip=0.3))
    subject.driver.send("HELLO?")
    subject.settle()
    subject.card("Ah", "seat1")

    def through() -> bool:
        subject.clock.now += 0.02
        return len(subject.driver.sets) == 35 and len(subject.driver.sets[1]) == 1

    subject.until(through, 120.0)
    assert subject.mcu.link.counts.resent > 0
    assert subject.driver.bad > 0


def test_the_tick_counter_wraps(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig(board=Board(first_ticks_ms=2**32 - 1200))
    subject.meet()
    ticks = [f.fields["ticks_ms"] for f in subject.driver.of("HEARTBEAT")[:4]]
    assert ticks == [2**32 - 700, 2**32 - 200, 300, 800]


def test_one_antenna_may_serve_two_seats(make_rig: Callable[..., Rig]) -> None:
    subject = make_rig(antennas=(Antenna(0, ("seat4", "seat5")), Antenna(1, ("muck",))))
    subject.meet()
    one, two = subject.card("Ah", "seat4"), subject.card("Kh", "seat5")
    subject.until(lambda: set(subject.driver.sets[0]) == {one, two})
    assert subject.driver.of("HELLO")[0].fields["antennas"][0] == {"id": 0, "kind": 2, "index": 4}
