"""Single reads made into levels: a card that flickers stays, and nothing is gone because of one read."""

import pytest

from firmware_bridge.reading import REPEAT, Level, Reading
from hw_sim.pn532 import Pad, ReaderFaults
from hw_sim.pn532_air import Air

A, B = "04A1B2C3D4E5F6", "04112233445566"
STEP = 0.0625


class Played:
    """Reads at an even pace on a clock of their own."""

    def __init__(self, window: float = 0.5) -> None:
        self.subject = Reading(window)
        self.now = 100.0
        self.levels: list[Level] = []

    def read(self, *uids: str) -> Level | None:
        return self._take(uids)

    def fail(self) -> Level | None:
        return self._take(None)

    def _take(self, uids: tuple[str, ...] | None) -> Level | None:
        level = self.subject.take(self.now, uids)
        self.now += STEP
        if level is not None:
            self.levels.append(level)
        return level


def test_a_new_tag_is_told_at_once() -> None:
    """It should tell a tag with the very read that saw it, at full quality."""
    played = Played()
    assert played.read(A) == Level((A,), 100, 0)
    assert played.read(B, A) == Level((B, A), 100, 0)


def test_an_empty_antenna_is_told_after_a_whole_window() -> None:
    """It should not call an antenna empty after one read."""
    played = Played()
    told = [played.read() for _ in range(20)]
    assert [n for n, level in enumerate(told) if level is not None] == [8]
    assert played.levels[0].uids == ()


def test_one_missed_read_changes_nothing() -> None:
    """It should keep a tag that was not read once, and say that it was read less well."""
    played = Played()
    played.read(A)
    for _ in range(8):
        played.read(A)
    missed = played.read()
    assert missed is not None
    assert (missed.uids, missed.quality) == ((A,), 89)
    for _ in range(30):
        played.read(A)
    assert {level.uids for level in played.levels} == {(A,)}
    assert played.levels[-1].quality == 100


def test_a_tag_is_gone_after_a_whole_window_without_it() -> None:
    """It should leave a tag out of the level when no read of the last window saw it, and not before."""
    played = Played()
    for _ in range(10):
        played.read(A)
    silent = 0
    while played.read() is None or played.levels[-1].uids:
        silent += 1
    assert silent == 8
    assert played.levels[-1].uids == ()


def test_every_second_read() -> None:
    """It should tell a tag that is read every second time as one that stays, of half quality."""
    played = Played()
    for _ in range(100):
        played.read(A)
        played.read()
    assert {level.uids for level in played.levels} == {(A,)}
    assert all(45 <= level.quality <= 65 for level in played.levels[3:])


def test_failed_reads_are_reads_without_anything() -> None:
    """It should count a read that went wrong against the quality, and tell nothing of a reader that only fails."""
    played = Played()
    assert [played.fail() for _ in range(60)] == [None] * 60
    played.read(A)
    for _ in range(100):
        played.fail()
        played.read(A)
    assert {level.uids for level in played.levels} == {(A,)}
    assert 45 <= played.levels[-1].quality <= 65


def test_the_level_is_told_again() -> None:
    """It should repeat an unchanged level, so that a lost one heals, and when it is asked for."""
    played = Played()
    for _ in range(100):
        played.read(A)
    assert len(played.levels) == pytest.approx(1 + 100 * STEP / REPEAT, abs=1)
    before = len(played.levels)
    played.read(A)
    played.subject.ask()
    assert played.read(A) is not None
    assert len(played.levels) == before + 1


def test_tags_of_one_window_have_one_cycle() -> None:
    """It should number windows, so that what came within one is known to have no order, and never number back."""
    played = Played()
    for _ in range(3):
        played.read()
    played.read(A)
    played.read(A, B)
    assert [level.cycle for level in played.levels] == [0, 0]
    for _ in range(200):
        played.read(A)
    last = played.levels[-1].cycle
    assert last > 10
    played.subject.forget()
    played.read(A)
    assert played.levels[-1].cycle > last


def test_after_the_reader_was_away_nothing_is_known() -> None:
    """It should not show what lay there before the reader went."""
    played = Played()
    played.read(A)
    played.subject.forget()
    told = [played.read() for _ in range(10)]
    assert [level.uids for level in told if level is not None] == [()]


def test_no_uid_in_its_text() -> None:
    """It should not print what it read."""
    assert A not in repr(Level((A,), 100, 0))


@pytest.mark.parametrize(
    ("faults", "tags", "field_off"),
    [
        (ReaderFaults(flicker=True), (A, B), True),
        (ReaderFaults(flicker=True), (A,), True),
        (ReaderFaults(), (A,), False),
        (ReaderFaults(halt=0.2), (A,), True),
        (ReaderFaults(miss=0.2), (A, B), True),
    ],
    ids=["2, 1, 0", "1, 0", "field left on", "left asleep by noise", "one in five missed"],
)
def test_still_cards_are_never_gone(faults: ReaderFaults, tags: tuple[str, ...], field_off: bool) -> None:
    """It should tell still cards as present in every level of 10,000 polls, whatever the chip makes of them."""
    air = Air(Pad(*tags), faults, "still")
    played = Played()
    single = 0
    for _ in range(10_000):
        if field_off:
            air.switch(False)
        found = [tag.uid.hex().upper() for tag in air.list(2)]
        single += len(found) == len(tags)
        played.read(*found)
    assert single < 9_000
    complete = [level for level in played.levels if set(level.uids) == set(tags)]
    first = played.levels.index(complete[0])
    assert played.levels[first:] == complete
    assert len(complete) > 300


def test_lifted_card_is_gone_and_comes_back_without_help() -> None:
    """It should follow a card that is really lifted, under the worst of the faults."""
    pad = Pad(A, B)
    air = Air(pad, ReaderFaults(flicker=True), "lifted")
    played = Played()

    def poll(times: int) -> tuple[str, ...]:
        for _ in range(times):
            air.switch(False)
            played.read(*[tag.uid.hex().upper() for tag in air.list(2)])
        return played.levels[-1].uids

    assert set(poll(20)) == {A, B}
    pad.take(B)
    assert poll(20) == (A,)
    pad.put(B)
    assert set(poll(20)) == {A, B}
