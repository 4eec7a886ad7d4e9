"""Every fault of the catalogue, by its name, as the other end of the wire gets to know it."""

from __future__ import annotations

import fcntl
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Driver

from hw_sim.antennas import Antenna, Field, Rates
from hw_sim.breaking import Breaker
from hw_sim.clock import Agenda
from hw_sim.config import antennas_for
from hw_sim.crew import Crew
from hw_sim.drive import Drive
from hw_sim.errors import ConfigError, SimError
from hw_sim.faults import BY_NAME, CATALOGUE, EVENTS, LIES, Faults
from hw_sim.line import Line
from hw_sim.lying import Lying
from hw_sim.mcu import BUTTON_IDS, Board, Mcu
from hw_sim.truth import TruthLog
from hw_sim.world import CARD_NAMES, World, make_chips, make_deck

DOCUMENT = Path(__file__).parents[2] / "docs" / "simulator.md"


class Rig:
    """A table of cards and a strict driver of its line, on clocks of the test's own."""

    def __init__(self, path: Path, faults: str, antennas: tuple[Antenna, ...], shoe: bool) -> None:
        self.real = 100.0
        self.agenda = Agenda()
        self.world = World({"A": make_deck("A", 7, random.Random("faults"))}, [], seed="faults")
        self.world.stack_deck("A", CARD_NAMES)
        self.faults = Faults.parse(faults)
        self.tags = Field(self.world, antennas, self.faults.worsen(Rates()), "faults")
        self.line = Line(path / "by-id" / "usb-board", path / "ttyACM0")
        self.truth = TruthLog()
        self.mcu = Mcu(
            self.agenda,
            self.line,
            self.tags,
            board=Board(shoe=shoe),
            faults=self.faults,
            seed="faults",
            monotonic=lambda: self.real,
            on_orders=lambda orders: None,
        )
        self.lying = Lying(self.world, self.agenda, self.truth, self.faults, "faults")
        self.breaker = Breaker(
            self.agenda, self.mcu, self.tags, self.lying, self.truth, self.faults, Rates(), "faults"
        )
        self.drive = Drive(
            self.agenda,
            self.line,
            self.mcu.link,
            Crew(self.agenda),
            speed=0,
            settle_s=0.0,
            contact_s=600.0,
            settled=None,
            lost=lambda what: SimError(what),
            monotonic=lambda: self.real,
        )
        self.line.plug()
        self.mcu.power_on()
        self.driver = Driver(self.line.path, flush=False)

    def close(self) -> None:
        self.breaker.close()
        self.driver.close()
        self.line.close()
        self.drive.close()

    def meet(self) -> None:
        self.driver.send("HELLO?")
        self.run_for(1.5)

    def run_for(self, seconds: float, *, real: float = 0.0) -> None:
        """Let virtual time pass, and so much real time with every step."""
        end = self.agenda.now + seconds
        while self.agenda.now < end:
            self.step(real)
        self.driver.poll(0)

    def step(self, real: float = 0.0) -> None:
        self.driver.poll(0)
        self.drive.turn()
        self.real += real

    def deal(self, to: str) -> str:
        card = self.world.top()
        self.world.move_card(card, to, face="down")
        return card.uid

    def sets(self, antenna: int) -> list[tuple[str, ...]]:
        """Every present set of an antenna that came, in order."""
        return [
            tuple(f.fields["uids"]) for f in self.driver.of("INVENTORY") if f.fields["antenna"] == antenna
        ]

    def truths(self, what: str) -> list[dict[str, Any]]:
        return [line for line in self.truth.lines if line["what"] == what]


Make = Callable[..., Rig]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    rigs: list[Rig] = []

    def build(faults: str = "", *, antennas: tuple[Antenna, ...] | None = None, shoe: bool = False) -> Rig:
        usual = antennas_for((1, 2, 3), chips=False)
        rigs.append(Rig(tmp_path, faults, antennas or usual, shoe))
        return rigs[-1]

    yield build
    for rig in rigs:
        rig.close()


# -- the catalogue -----------------------------------------------------------------------------------------


def test_every_fault_is_a_number_of_the_table_and_a_test_here() -> None:
    names = [fault.name for fault in CATALOGUE]
    assert len(set(names)) == len(names) == len(BY_NAME)
    for name in names:
        assert getattr(Faults(), name) == 0.0
        assert f"test_{name}" in globals()
        assert str(Faults.parse(name)) != ""


def test_the_document_has_the_catalogue() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for fault in CATALOGUE:
        bare = "once" if fault.event else f"{fault.bare:g}"
        number = "events an hour" if fault.event else fault.number
        assert f"| `{fault.name}` | {number} | {bare} | {fault.wire} |" in text


def test_faults_are_set_mended_and_placed_by_words() -> None:
    subject = Faults.parse("miss=0.05,metal@seat3,reboot=4,unplug")
    assert (subject.miss, subject.reboot, subject.once) == (0.05, 4.0, ("unplug",))
    assert (subject.of("metal", "seat3"), subject.of("metal", "seat4")) == (1.0, 0.0)
    mended = subject.changed("miss=0,metal@seat3=0,edge=0.2,edge@board=0.5")
    assert str(mended) == "edge=0.2,reboot=4,edge@board=0.5"
    assert Faults.parse(str(mended)) == mended
    assert Faults.parse("burst=3,miss").worsen(Rates()) == Rates(centre=0.01, burst_s=3.0)
    for wrong in ("mist", "miss=x", "miss=2", "reboot=-1", "bounce@seat1", "metal@seat1=7"):
        with pytest.raises(ConfigError):
            Faults.parse(wrong)


def test_one_seed_breaks_one_way(make: Make) -> None:
    runs = []
    for _ in range(2):
        subject = make("miss=0.3,edge=0.5,dup_frame=0.1,ghost=0.1")
        subject.meet()
        subject.deal("seat1")
        subject.run_for(20.0)
        runs.append([(frame.kind, frame.seq, frame.fields) for frame in subject.driver.frames])
        subject.close()
    assert runs[0] == runs[1]


# -- antennas --------------------------------------------------------------------------------------------------


def absent(subject: Rig, antenna: int, seconds: float) -> list[bool]:
    """Whether an antenna read nothing, poll by poll."""
    return [not subject.tags.read(antenna, n * 0.4).uids for n in range(int(seconds / 0.4))]


def test_miss(make: Make) -> None:
    subject = make("miss=0.3")
    uid = subject.deal("seat1")
    subject.meet()
    subject.run_for(60.0)
    told = subject.sets(1)
    assert {(), (uid,)} == set(told)
    # in runs: it goes and comes far less often than every second poll
    assert 5 < len(told) < 60
    assert sum(absent(subject, 1, 8000)) / 20000 == pytest.approx(0.3, abs=0.03)


def test_miss_of_one_place(make: Make) -> None:
    subject = make("miss@seat2")
    uid = subject.deal("seat1")
    subject.deal("seat2")
    subject.meet()
    subject.run_for(5.0)
    assert subject.driver.sets[1] == (uid,)
    assert sum(absent(subject, 2, 400)) > 900


def test_burst(make: Make) -> None:
    lengths = {}
    for mean in (1.5, 6.0):
        subject = make(f"miss=0.3,burst={mean}")
        subject.deal("seat1")
        runs = "".join("x" if gone else " " for gone in absent(subject, 1, 20000)).split()
        lengths[mean] = 0.4 * sum(map(len, runs)) / len(runs)
        subject.close()
    assert lengths[1.5] == pytest.approx(1.7, abs=0.4)
    assert lengths[6.0] == pytest.approx(6.2, abs=1.2)


def test_ghost(make: Make) -> None:
    subject = make("ghost=0.2")
    subject.meet()
    subject.run_for(20.0)
    known = {card.uid for card in subject.world.decks["A"]}
    ghosts = {uid for uids in subject.sets(3) for uid in uids}
    assert ghosts
    assert not ghosts & known
    assert all(len(uid) == 14 and uid.startswith("04") for uid in ghosts)


def test_bleed(make: Make) -> None:
    subject = make("bleed=0.2")
    uid = subject.deal("seat1")
    subject.meet()
    subject.run_for(20.0)
    assert {u for uids in subject.sets(2) for u in uids} == {uid}
    assert subject.driver.sets[1] == (uid,)


def test_merge(make: Make) -> None:
    subject = make("merge=1")
    one, other = subject.deal("seat1"), subject.deal("seat1")
    subject.meet()
    [merged] = subject.driver.sets[1]
    assert int(merged, 16) == int(one, 16) | int(other, 16)
    assert len(merged) == 14


def test_cut(make: Make) -> None:
    subject = make("cut=1")
    uid = subject.deal("seat1")
    subject.meet()
    assert subject.driver.sets[1] == ("88" + uid[:6],)


def test_echo(make: Make) -> None:
    subject = make("echo=1")
    uid = subject.deal("seat1")
    subject.meet()
    subject.run_for(2.0)
    # seat 2 is read after seat 1 and repeats it, though nothing lies there
    assert subject.driver.sets[2] == (uid,)


def test_stacking(make: Make) -> None:
    subject = make("stacking=0.3")
    one = subject.deal("seat1")
    subject.meet()
    subject.run_for(20.0)
    assert subject.sets(1) == [(one,)]
    two = tuple(sorted((one, subject.deal("seat1"))))
    subject.run_for(60.0)
    assert {two, (two[0],), (two[1],)} <= set(subject.sets(1))


def test_edge(make: Make) -> None:
    subject = make("edge=1")
    uid = subject.deal("seat1")
    assert subject.truths("lies") == [
        {"t": 0.0, "what": "lies", "card": CARD_NAMES[0], "deck": "A", "at": "seat1", "how": "edge"}
    ]
    subject.meet()
    subject.run_for(60.0)
    assert set(subject.sets(1)) == {(), (uid,)}
    assert sum(absent(subject, 1, 8000)) / 20000 == pytest.approx(0.15, abs=0.03)


def test_metal(make: Make) -> None:
    subject = make("metal@seat1")
    subject.meet()
    first = subject.deal("seat1")
    subject.run_for(4.0)
    second = subject.deal("seat1")
    subject.run_for(4.0)
    # read when it came, gone when the guard came; the next card goes under it as well
    assert subject.sets(1)[:3] == [(), (first,), ()]
    assert [line["at"] for line in subject.truths("lies")] == ["seat1", "seat1"]
    assert sum(absent(subject, 1, 800)) / 2000 > 0.85
    assert subject.lying.slide("seat1") == 2
    assert len(subject.truths("slid")) == 2
    subject.run_for(1.0)
    assert set(subject.driver.sets[1]) == {first, second}
    other = subject.deal("seat2")
    subject.run_for(5.0)
    assert subject.driver.sets[2] == (other,)


def test_hand(make: Make) -> None:
    subject = make("hand=1")
    subject.deal("seat1")
    subject.deal("board")
    subject.meet()
    subject.run_for(4.0)
    assert [(line["at"], line["how"]) for line in subject.truths("lies")] == [("seat1", "hand")]
    assert sum(absent(subject, 1, 8000)) / 20000 == pytest.approx(0.05, abs=0.02)
    assert not any(absent(subject, 11, 400))


def test_flicker(make: Make) -> None:
    subject = make("flicker@board=1")
    uid = subject.deal("board")
    subject.meet()
    subject.run_for(10.0)
    assert absent(subject, 11, 4).count(True) == 5
    told = subject.sets(11)
    assert told[:4] == [(uid,), (), (uid,), ()]
    assert len(told) >= 20


def test_piles(make: Make) -> None:
    subject = make("piles=1")
    subject.deal("muck")
    pair = [subject.deal("muck"), subject.deal("muck")]
    subject.meet()
    assert subject.driver.sets[13] == ()
    third = subject.world.cards("muck")[0]
    subject.world.move_card(third, "board")
    subject.run_for(1.0)
    assert set(subject.driver.sets[13]) == set(pair)
    subject.world.put_deck()
    subject.run_for(5.0)
    assert set(subject.sets(0)) == {()}


def test_piles_of_chips_are_read() -> None:
    rng = random.Random("piles")
    world = World({"A": make_deck("A", 7, rng)}, make_chips({25: 12}, rng))
    world.move_chips(world.bank_chips([25] * 12), "stack1")
    subject = Field(world, (Antenna(31, ("stack1",)),), Faults.parse("piles").worsen(Rates()), "piles")
    assert len(subject.read(31, 1.0).uids) == 12


# -- the line ----------------------------------------------------------------------------------------------------


def through(subject: Rig) -> None:
    """Six cards get to the other end one after the other whatever the line does, each within virtual seconds."""
    link, uids = subject.mcu.link, set[str]()
    for _ in range(6):
        uids.add(subject.deal("board"))
        end = subject.agenda.now + 60.0
        while set(subject.driver.sets.get(11, ())) != uids:
            assert subject.agenda.now < end
            if not subject.driver.of("HELLO"):
                subject.driver.send("HELLO?")
            subject.driver.poll(0.001)
            link.pump()
            due = link.next_deadline()
            if due is None:
                subject.agenda.run_next()
            else:
                # nobody waits for a deadline: it is there
                subject.real = max(subject.real, due)
                link.tend()


def test_crc_flip(make: Make) -> None:
    subject = make("crc_flip=0.3")
    through(subject)
    assert subject.driver.bad > 0
    assert subject.mcu.link.counts.resent > 0


def test_drop_frame(make: Make) -> None:
    subject = make("drop_frame=0.3")
    through(subject)
    assert subject.driver.bad == 0
    assert subject.mcu.link.counts.resent > 0


def test_dup_frame(make: Make) -> None:
    subject = make("dup_frame=1")
    through(subject)

    def twice() -> bool:
        seqs = [frame.seq for frame in subject.driver.of("INVENTORY")]
        return len(seqs) >= 2 * len(set(seqs))

    # the second copy of the last frame may still be on its way when the first has told all there is
    subject.driver.until(twice)


def test_garbage(make: Make) -> None:
    subject = make("garbage=0.5")
    through(subject)
    assert subject.driver.bad > 0


def test_drop_ack(make: Make) -> None:
    subject = make()
    subject.meet()
    subject.breaker.change("drop_ack=1")
    seq = subject.driver.send("LAMP", {"lamp": 1, "colour": 1, "pattern": 0})
    subject.mcu.link.pump()
    subject.driver.poll(0.01)
    assert subject.mcu.panel.lamps == {1: (1, 0)}
    assert seq not in subject.driver.acked


def test_late_reply(make: Make) -> None:
    subject = make()
    subject.meet()
    subject.breaker.change("late_reply=1")
    seq = subject.driver.send("LAMP", {"lamp": 1, "colour": 1, "pattern": 0})
    subject.mcu.link.pump()
    subject.driver.poll(0.01)
    assert subject.mcu.panel.lamps == {1: (1, 0)}
    assert seq not in subject.driver.acked
    due = subject.mcu.link.next_deadline()
    assert due is not None
    assert 0.12 <= due - subject.real <= 0.6
    subject.real = due
    subject.mcu.link.tend()
    subject.driver.poll(0.5)
    assert seq in subject.driver.acked


# -- the panel ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bounce", "chatter"])
def test_contacts(make: Make, name: str) -> None:
    subject = make(f"{name}=1")
    subject.meet()
    subject.mcu.press("CHECK", 0.1)
    subject.run_for(0.5)
    edges = [(f.fields["pressed"], f.fields["ticks_ms"]) for f in subject.driver.of("BUTTON")]
    assert [down for down, _ in edges[:2]] == [True, False]
    assert edges[-1][0] is False
    assert {f.fields["id"] for f in subject.driver.of("BUTTON")} == {BUTTON_IDS["CHECK"]}
    if name == "bounce":
        assert len(edges) == 6
    else:
        # a thousand times a second for a tenth of one
        assert len(edges) == 200
        assert 95 <= edges[-1][1] - edges[0][1] <= 100


test_bounce = test_chatter = test_contacts


# -- moments -----------------------------------------------------------------------------------------------------


def test_events_strike_at_a_rate_and_at_once(make: Make) -> None:
    subject = make("stall=120")
    subject.meet()
    subject.breaker.begin()
    subject.run_for(300.0)
    assert 4 <= len(subject.truths("fault")) <= 20
    subject.breaker.change("stall=0,reboot")
    told = len(subject.truths("fault"))
    assert subject.truths("fault")[-1]["name"] == "reboot"
    assert subject.breaker.faults == Faults()
    subject.run_for(120.0)
    assert len(subject.truths("fault")) == told
    with pytest.raises(ConfigError, match="moment"):
        subject.breaker.strike("miss")


def test_stall(make: Make) -> None:
    subject = make()
    subject.meet()
    subject.breaker.strike("stall", 3.0)
    uid = subject.deal("seat1")
    subject.run_for(2.5)
    assert subject.driver.sets[1] == ()
    assert subject.driver.of("FAULT")[0].fields["code"] == 2
    subject.run_for(2.0)
    assert subject.driver.sets[1] == (uid,)


def test_reboot(make: Make) -> None:
    subject = make()
    subject.meet()
    subject.breaker.strike("reboot")
    subject.run_for(3.0)
    assert len({frame.fields["boot_id"] for frame in subject.driver.of("HELLO")}) == 2


def test_midframe(make: Make) -> None:
    subject = make()
    subject.meet()
    subject.breaker.strike("midframe")
    subject.run_for(3.0, real=0.05)
    hellos = [frame.fields["boot_id"] for frame in subject.driver.of("HELLO")]
    assert len(set(hellos)) == 2
    # half a frame and the text of the ROM, closed by whatever 00 came first
    assert subject.driver.bad >= 1
    assert subject.driver.of("LOG") == []


@pytest.mark.parametrize("name", ["unplug", "rename"])
def test_cables(make: Make, name: str) -> None:
    subject = make()
    subject.meet()
    terminal, device = subject.line.terminal, subject.line.device
    assert device is not None
    subject.breaker.strike(name, 2.0)
    assert not subject.line.path.is_symlink()
    assert not device.is_symlink()
    with pytest.raises(OSError, match="error"):
        subject.driver.send("HELLO?")
    subject.driver.close()
    while not subject.line.plugged:
        subject.drive.turn()
    assert subject.agenda.now >= 3.4
    subject.driver = Driver(subject.line.path, flush=False)
    subject.meet()
    assert subject.driver.of("HELLO")[0].fields["serial"] == "SIM-0001"
    if name == "rename":
        assert subject.line.terminal != terminal
        assert subject.line.device == device.with_name("ttyACM1")
        assert not device.is_symlink()
    links = subject.line.path, subject.line.device
    assert [str(link.readlink()) for link in links if link is not None] == [subject.line.terminal] * 2


test_unplug = test_rename = test_cables


def test_opener(make: Make) -> None:
    subject = make()
    fcntl.flock(subject.driver.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    subject.meet()
    subject.breaker.strike("opener", 2.0)
    assert subject.breaker.intruder is not None
    assert subject.breaker.intruder.refused
    assert subject.truths("refused") == [
        {"t": round(subject.agenda.now, 4), "what": "refused", "name": "opener"}
    ]
    fcntl.flock(subject.driver.fd, fcntl.LOCK_UN)
    subject.breaker.strike("opener", 2.0)
    with pytest.raises(BlockingIOError):
        fcntl.flock(subject.driver.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    subject.run_for(3.0)
    fcntl.flock(subject.driver.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_thief(make: Make) -> None:
    subject = make()
    fcntl.flock(subject.driver.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    subject.meet()
    subject.breaker.strike("thief", 20.0)
    thief = subject.breaker.intruder
    assert thief is not None
    assert thief.there
    subject.driver.poll(0.01)
    subject.mcu.link.send_now("LOG", {"text": "read away"})
    thief.steal()
    subject.driver.poll(0.01)
    assert thief.stolen > len("read away")
    assert subject.driver.of("LOG") == []
    thief.close()
    subject.mcu.link.send_now("LOG", {"text": "there again"})
    subject.driver.until(lambda: bool(subject.driver.of("LOG")))
    assert subject.driver.of("LOG")[0].fields["text"] == "there again"


# -- names that go together -------------------------------------------------------------------------------------


def test_how_a_card_lies_ends_when_it_moves(make: Make) -> None:
    subject = make("edge=1")
    uid = subject.deal("seat1")
    assert subject.world.spot(uid) == "edge"
    subject.lying.faults = Faults()
    subject.world.move_card(subject.world.cards("seat1")[0], "muck")
    assert subject.world.spot(uid) == "centre"
    assert set(LIES) <= set(BY_NAME)
    assert set(EVENTS) <= set(BY_NAME)
