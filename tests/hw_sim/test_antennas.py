"""What antennas make of tags: clean by default, noisy by rates, reproducible by seed."""

import random
from typing import Any

import pytest

from hw_sim.antennas import Antenna, Field, Rates, inventory_seconds
from hw_sim.config import antennas_for
from hw_sim.errors import ConfigError
from hw_sim.faults import Faults
from hw_sim.world import CARD_NAMES, World, make_chips, make_deck


def field_of(rates: Rates, seed: str = "1", **more: Any) -> Field:
    rng = random.Random("antennas")
    world = World({"A": make_deck("A", 7, rng)}, make_chips({25: 10}, rng))
    world.stack_deck("A", CARD_NAMES)
    for seat in (1, 2, 3):
        world.move_card(world.top(), f"seat{seat}", face="down")
    return Field(world, more.get("antennas", antennas_for()), rates, seed)


def runs(reads: list[bool]) -> list[int]:
    """Lengths of the runs of True."""
    text = "".join("x" if read else " " for read in reads)
    return [len(run) for run in text.split()]


def missed(subject: Field, antenna: int, seconds: float, step: float = 0.1) -> list[bool]:
    return [not subject.read(antenna, n * step).uids for n in range(int(seconds / step))]


def test_inventory_times_are_those_of_the_page() -> None:
    assert [round(inventory_seconds(n) * 1000) for n in (0, 2, 5, 16)] == [10, 18, 30, 75]
    assert inventory_seconds(3) == pytest.approx(0.022)
    assert 0.2 < inventory_seconds(60) < 0.3


def test_a_clean_world_is_read_whole_every_time() -> None:
    subject = field_of(Rates())
    assert subject.rates.clean
    assert not any(missed(subject, 1, 100))
    assert subject.read(1, 1.0) is subject.read(1, 2.0)
    assert subject.read(1, 1.0).quality == 100
    assert subject.read(4, 1.0).uids == ()


def test_misses_come_at_their_rate_and_in_bursts() -> None:
    reads = missed(field_of(Rates(centre=0.1)), 1, 20000)
    assert sum(reads) / len(reads) == pytest.approx(0.1, abs=0.02)
    lengths = runs(reads)
    mean = sum(lengths) / len(lengths) * 0.1
    assert mean == pytest.approx(1.5, abs=0.3)


def test_a_tag_under_metal_or_at_the_edge_is_missed_more_often() -> None:
    subject = field_of(Rates.typical())
    uid = subject.world.cards("seat1")[0].uid
    share = {}
    for spot in ("centre", "edge", "metal"):
        subject.world.cover(uid, spot)  # type: ignore[arg-type]
        reads = missed(subject, 1, 8000)
        share[spot] = sum(reads) / len(reads)
    assert share["centre"] < 0.03 < share["edge"] < 0.3 < 0.85 < share["metal"]


def test_two_overlapped_cards_hide_each_other_at_times() -> None:
    subject = field_of(Rates(overlapped=0.05))
    assert not any(missed(subject, 1, 500))
    subject.world.move_card(subject.world.top(), "seat1", face="down")
    counts = [len(subject.read(1, n * 0.1).uids) for n in range(20000)]
    assert counts.count(2) / len(counts) == pytest.approx(0.9, abs=0.03)
    qualities = {subject.read(1, n * 0.1).quality for n in range(20000, 40000)}
    assert {50, 100} <= qualities


def test_a_weak_place_has_a_rate_of_its_own() -> None:
    subject = field_of(Rates(by_place={"seat2": 0.5}))
    assert not any(missed(subject, 1, 200))
    assert any(missed(subject, 2, 200))


def test_a_ghost_is_no_tag_that_exists() -> None:
    subject = field_of(Rates(ghost=0.05))
    known = {card.uid for card in subject.world.decks["A"]}
    ghosts = [uid for n in range(2000) for uid in subject.read(5, n * 0.4).uids]
    assert 50 < len(ghosts) < 150
    assert not set(ghosts) & known
    assert len(set(ghosts)) == len(ghosts)


def test_a_neighbours_tag_bleeds_over() -> None:
    subject = field_of(Rates(bleed=0.05))
    beside = subject.world.cards("seat3")[0].uid
    seen = [subject.read(4, n * 0.4).uids for n in range(2000)]
    assert {uid for uids in seen for uid in uids} == {beside}
    assert sum(bool(uids) for uids in seen) / 2000 == pytest.approx(0.05, abs=0.015)
    # seat 6 has empty neighbours, the board has none
    assert not any(subject.read(6, n * 0.4).uids for n in range(500))
    assert not any(subject.read(11, n * 0.4).uids for n in range(500))


def test_noise_depends_on_the_seed_and_not_on_who_else_is_asked() -> None:
    alone = missed(field_of(Rates(centre=0.2)), 2, 300)
    subject = field_of(Rates(centre=0.2))
    beside = []
    for n in range(3000):
        subject.read(1, n * 0.1)
        beside.append(not subject.read(2, n * 0.1).uids)
        subject.read(3, n * 0.1)
    assert alone == beside
    assert alone != missed(field_of(Rates(centre=0.2), seed="2"), 2, 300)


def test_antennas_that_make_no_sense_are_refused() -> None:
    for places in ((), ("hand",), ("seat1", "bet1"), ("seat11",)):
        with pytest.raises(ConfigError):
            Antenna(1, places)
    with pytest.raises(ConfigError):
        field_of(Rates(), antennas=(Antenna(1, ("seat1",)), Antenna(1, ("seat2",))))


def test_faults_are_read_by_name() -> None:
    subject = Faults.parse("miss=0.05, ghost=0.01,unplug,stall=2,crc_flip")
    assert (subject.miss, subject.ghost, subject.stall, subject.crc_flip) == (0.05, 0.01, 2.0, 0.001)
    assert subject.once == ("unplug",)
    assert Faults.parse("") == Faults()
    worse = subject.worsen(Rates(centre=0.01, ghost=0.1))
    assert (worse.centre, worse.ghost) == (0.05, 0.1)
    for wrong in ("mist=1", "miss=x", "miss=2", "reboot=-1"):
        with pytest.raises(ConfigError):
            Faults.parse(wrong)


def test_events_come_at_their_rate_or_once() -> None:
    once = list(Faults.parse("reboot").times("reboot", "1"))
    assert len(once) == 1
    assert 15.0 <= once[0] <= 60.0
    assert list(Faults().times("reboot", "1")) == []
    times = Faults.parse("stall=60").times("stall", "1")
    first = [next(times) for _ in range(600)]
    assert first == sorted(first)
    assert first[-1] == pytest.approx(36000, rel=0.2)
