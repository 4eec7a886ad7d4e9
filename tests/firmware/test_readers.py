"""The reader drivers against chips written from their data sheets. No such driver has met a real chip yet."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chips import Pn532Chip, Pn532Spi, Pn532Uart, Pn5180Chip
from firmware import pn532, pn5180, readers
from firmware.scanner import ReaderSilent
from hypothesis import given
from hypothesis import strategies as st


class Clock:
    """Milliseconds that pass one a step of the loop."""

    def __init__(self) -> None:
        self.ms = 0

    def now(self) -> int:
        return self.ms

    def run(self, work: Iterator[None]) -> Any:
        """Advance a driver to its end."""
        for _ in range(20_000):
            try:
                next(work)
            except StopIteration as end:
                return end.value
            self.ms += 1
        raise AssertionError("it does not end")


class Impatient(Clock):
    """A clock that moves at every look, for waits that do not give the loop its turn."""

    def now(self) -> int:
        self.ms += 1
        return self.ms


class Table:
    """Antennas behind select pins; moving a pin while the field is on is a fault."""

    def __init__(self) -> None:
        self.lying: dict[int, list[bytes]] = {}
        self.channel = 0
        self.chip: Any = None
        self.pins = [self._pin(bit) for bit in range(4)]

    def field(self) -> list[bytes]:
        """What lies on the antenna that is switched through."""
        return self.lying.get(self.channel, [])

    def _pin(self, bit: int) -> Callable[[int], None]:
        def move(level: int) -> None:
            assert not self.chip.rf, "switched under power"
            self.channel = self.channel & ~(1 << bit) | level << bit

        return move


def uids15693(count: int, seed: int) -> list[bytes]:
    """UIDs as ICODE chips have them."""
    rng = random.Random(seed)
    return [b"\xe0\x04\x01\x50" + rng.randbytes(4) for _ in range(count)]


@pytest.fixture
def table() -> Table:
    return Table()


def make_5180(table: Table, clock: Clock, reset: list[int] | None = None) -> tuple[Any, Pn5180Chip]:
    chip = Pn5180Chip(table.field)
    table.chip = chip
    mux = readers.Mux(table.pins, 2, clock.now)
    pin = reset.append if reset is not None else None
    return pn5180.Pn5180(readers.SpiPort(chip, chip.select), lambda: chip.busy, pin, mux, clock.now), chip


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16, 40])
def test_pn5180_finds_every_tag(table: Table, count: int) -> None:
    clock = Clock()
    reader, chip = make_5180(table, clock)
    clock.run(reader.start())
    table.lying[3] = uids15693(count, count)
    uids, quality = clock.run(reader.inventory(3, 0))
    assert sorted(uids) == sorted(table.lying[3])
    assert quality == 100
    assert chip.rf is False
    assert chip.rounds >= 1 + (count > 20)


def test_pn5180_tells_tags_apart_that_differ_in_their_last_nibble_only(table: Table) -> None:
    clock = Clock()
    reader, chip = make_5180(table, clock)
    low = 0x0123456789AB
    table.lying[0] = [(0xE0 << 56 | high << 52 | low).to_bytes(8, "big") for high in (1, 2)]
    uids, quality = clock.run(reader.inventory(0, 0))
    assert sorted(uids) == sorted(table.lying[0])
    assert quality == 100
    assert chip.rounds == 14


def test_pn5180_two_tags_of_one_uid_stay_a_doubt(table: Table) -> None:
    """They answer together whatever is asked: the reading ends all the same, and says that it is not sure."""
    clock = Clock()
    reader, _ = make_5180(table, clock)
    [one] = uids15693(1, 1)
    table.lying[0] = [one, one]
    uids, quality = clock.run(reader.inventory(0, 0))
    assert uids == []
    assert quality == 80


def test_pn5180_leaves_broken_and_foreign_answers_out(table: Table) -> None:
    clock = Clock()
    reader, chip = make_5180(table, clock)
    # in three different slots
    good, bad, foreign = b"\xe0\x04\x01\x50\0\0\0\1", b"\xe0\x04\x01\x50\0\0\0\2", b"\x04\x04\x01\x50\0\0\0\3"
    table.lying[0] = [good, bad, foreign]
    chip.broken.add(bad)
    assert clock.run(reader.inventory(0, 0)) == ([good], 60)


def test_pn5180_reads_again_until_the_dwell_time_is_over(table: Table) -> None:
    clock = Clock()
    reader, chip = make_5180(table, clock)
    table.lying[0] = uids15693(3, 1)
    began = clock.ms
    clock.run(reader.inventory(0, 200))
    assert clock.ms - began >= 200
    assert chip.rounds > 2


def test_pn5180_visits_antennas_with_the_field_off(table: Table) -> None:
    clock = Clock()
    reset: list[int] = []
    reader, _ = make_5180(table, clock, reset)
    clock.run(reader.start())
    assert reset == [0, 1]
    for channel in (5, 9, 0, 15):
        table.lying[channel] = uids15693(1, channel)
    for channel in (5, 9, 0, 15, 15, 1):
        uids, _ = clock.run(reader.inventory(channel, 0))
        assert uids == table.lying.get(channel, [])


@pytest.mark.parametrize("work", ["start", "inventory"])
def test_a_dead_pn5180_is_noticed(table: Table, work: str) -> None:
    clock = Impatient()
    reader, chip = make_5180(table, clock)
    chip.dead = True
    with pytest.raises(ReaderSilent):
        clock.run(reader.start() if work == "start" else reader.inventory(0, 0))
    assert chip.selected is False
    assert clock.ms < 2000


BUSES = ["spi", "uart"]


def make_532(table: Table, clock: Clock, bus: str) -> tuple[Any, Pn532Chip]:
    chip = Pn532Chip(table.field)
    table.chip = chip
    transport: Any
    if bus == "spi":
        wires = Pn532Spi(chip)
        transport = pn532.SpiTransport(readers.SpiPort(wires, wires.select))
    else:
        transport = pn532.UartTransport(Pn532Uart(chip))
    return pn532.Pn532(transport, readers.Mux(table.pins, 2, clock.now), None, clock.now), chip


CARD, OTHER, SHORT, LONG = (
    bytes.fromhex(uid) for uid in ("04A1B2C3D4E5F6", "0400112233445F", "1A2B3C4D", "04112233445566778899")
)


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("cards", [[], [CARD], [CARD, OTHER], [SHORT], [LONG, SHORT]])
def test_pn532_reads_up_to_two_cards(table: Table, bus: str, cards: list[bytes]) -> None:
    clock = Clock()
    reader, chip = make_532(table, clock, bus)
    clock.run(reader.start())
    table.lying[2] = cards
    uids, quality = clock.run(reader.inventory(2, 0))
    assert sorted(uids) == sorted(cards)
    assert quality == 100
    assert chip.rf is False
    assert clock.run(reader.inventory(1, 0)) == ([], 100)


@pytest.mark.parametrize("bus", BUSES)
def test_pn532_puts_several_rounds_together(table: Table, bus: str) -> None:
    clock = Clock()
    reader, _ = make_532(table, clock, bus)
    clock.run(reader.start())
    table.lying[0] = [CARD, OTHER, LONG]
    uids, _ = clock.run(reader.inventory(0, 200))
    assert sorted(uids) == sorted(table.lying[0])


@pytest.mark.parametrize("bus", BUSES)
def test_pn532_steps_over_what_cards_of_part_4_add(table: Table, bus: str) -> None:
    clock = Clock()
    reader, chip = make_532(table, clock, bus)
    clock.run(reader.start())
    chip.ats.add(CARD)
    table.lying[0] = [CARD, OTHER]
    assert sorted(clock.run(reader.inventory(0, 0))[0]) == sorted([CARD, OTHER])


def test_pn532_a_piece_of_a_uid_is_not_a_uid(table: Table) -> None:
    clock = Clock()
    reader, _ = make_532(table, clock, "spi")
    clock.run(reader.start())
    table.lying[0] = [bytes.fromhex("8804A1B2"), CARD]
    assert clock.run(reader.inventory(0, 0)) == ([CARD], 80)


@pytest.mark.parametrize("bus", BUSES)
def test_a_mute_pn532_is_noticed(table: Table, bus: str) -> None:
    clock = Clock()
    reader, chip = make_532(table, clock, bus)
    chip.mute = True
    with pytest.raises(ReaderSilent):
        clock.run(reader.start())
    chip.mute = False
    clock.run(reader.start())
    chip.mute = True
    with pytest.raises(ReaderSilent):
        clock.run(reader.inventory(0, 0))
    assert clock.ms < 1000


@pytest.mark.parametrize("bus", BUSES)
def test_a_broken_answer_of_a_pn532_is_no_answer(table: Table, bus: str) -> None:
    clock = Clock()
    reader, chip = make_532(table, clock, bus)
    clock.run(reader.start())
    table.lying[0] = [CARD]
    chip.spoil = lambda data: data[:-3] + bytes((data[-3] ^ 1,)) + data[-2:]
    with pytest.raises(ReaderSilent):
        clock.run(reader.inventory(0, 0))


@given(st.binary(max_size=80))
def test_no_bytes_of_a_pn532_do_harm(data: bytes) -> None:
    try:
        body = pn532.answer(data)
    except ReaderSilent:
        return
    assert body is None or len(body) >= 1


@given(st.binary(min_size=2, max_size=60))
def test_no_answer_of_a_pn532_does_harm(body: bytes) -> None:
    uids, doubts = pn532.targets(body)
    assert all(len(uid) in (4, 7, 10) for uid in uids)
    assert len(uids) + doubts <= body[1] + 1
