"""Board ticks to table time: wrap, restart, late frames, several boards, none at all."""

import queue
import threading

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import DeviceClock, HostTime, TableClock
from firmware_bridge.observations import Fault, Observation, Tick


class Table:
    """A table clock with its queue."""

    def __init__(self, start: float = 0.0) -> None:
        self.out: queue.SimpleQueue[Observation] = queue.SimpleQueue()
        self.clock = TableClock(start)

    def stamp(self, board: DeviceClock, ticks_ms: int) -> float:
        return self.clock.publish(
            self.out, lambda t: Fault(t=t, device="a", code="lamp", argument=0), board, ticks_ms
        )

    def said(self) -> list[Observation]:
        return [self.out.get_nowait() for _ in range(self.out.qsize())]

    def ticks(self) -> list[float]:
        return [said.t for said in self.said() if isinstance(said, Tick)]


def test_goes_on_where_the_journal_ended() -> None:
    """It should begin at the given time whatever the board's clock says."""
    table, board = Table(123.456), DeviceClock()
    assert table.stamp(board, 77_000) == 123.456
    assert table.stamp(board, 77_250) == 123.706


def test_ticks_come_before_what_passed_them() -> None:
    """It should tell each full tenth once, before the observation beyond it."""
    table, board = Table(), DeviceClock()
    for ticks_ms in (0, 99, 100, 101, 350):
        table.stamp(board, ticks_ms)
    assert [(type(said).__name__, said.t) for said in table.said()] == [
        ("Fault", 0.0),
        ("Fault", 0.099),
        ("Tick", 0.1),
        ("Fault", 0.1),
        ("Fault", 0.101),
        ("Tick", 0.2),
        ("Tick", 0.3),
        ("Fault", 0.35),
    ]


def test_leap_is_one_tick() -> None:
    """It should not flood the table with the ticks of an hour unplugged."""
    table, board = Table(), DeviceClock()
    table.stamp(board, 0)
    assert table.stamp(board, 3_600_050) == 3600.05
    assert table.ticks() == [3600.0]
    table.stamp(board, 3_660_000)
    assert len(table.ticks()) == 600


def test_restart_adds_nothing() -> None:
    """It should go on with the first stamp after a restart at the last time, and from there with the new ticks."""
    table, board = Table(), DeviceClock()
    table.stamp(board, 50_000)
    assert table.stamp(board, 51_000) == 1.0
    board.restarted()
    assert table.stamp(board, 30) == 1.0
    assert table.stamp(board, 130) == 1.1


def test_late_frame_does_not_turn_time_back() -> None:
    """It should give a frame that was sent again the last time, and not be led astray by it."""
    table, board = Table(), DeviceClock()
    table.stamp(board, 1000)
    assert table.stamp(board, 2000) == 1.0
    assert table.stamp(board, 1500) == 1.0
    assert table.stamp(board, 2100) == 1.1


def test_second_board_joins_the_time() -> None:
    """It should put a board that comes later on the same clock."""
    table, first, second = Table(), DeviceClock(), DeviceClock()
    table.stamp(first, 0)
    table.stamp(first, 10_000)
    assert table.stamp(second, 777) == 10.0
    assert table.stamp(second, 1777) == 11.0
    assert table.stamp(first, 10_500) == 11.0
    assert table.stamp(first, 11_250) == 11.25


def test_slow_crystal_is_led_back() -> None:
    """It should keep a board whose crystal is 200 ppm slow within a millisecond or two of the other for hours."""
    table, true, slow = Table(), DeviceClock(), DeviceClock()
    table.stamp(true, 0)
    table.stamp(slow, 0)
    for beat in range(1, 2 * 3600 * 2):
        ticks_ms = beat * 500
        t = table.stamp(true, ticks_ms)
        assert t == ticks_ms / 1000
        slow_ticks = round(ticks_ms * (1 - 200e-6))
        assert table.stamp(slow, slow_ticks) == t
        table.out = queue.SimpleQueue()
    assert table.stamp(slow, slow_ticks + 400) - t >= 0.39


def test_board_that_fell_far_behind_is_taken_up_at_once() -> None:
    """It should not freeze the table's time while a board that ran slowly for a while catches up."""
    table, board = Table(), DeviceClock()
    table.stamp(board, 0)
    table.clock.advance(table.out, 60_000)
    assert table.stamp(board, 500) == 60.0
    assert table.stamp(board, 600) == 60.1


@given(
    start=st.integers(0, 10**7),
    first=st.integers(0, 2**32 - 1),
    steps=st.lists(st.integers(0, 2**30), max_size=50),
)
def test_any_forward_stamps(start: int, first: int, steps: list[int]) -> None:
    """It should add up every step exactly, through any number of wraps."""
    table, board = Table(start / 1000), DeviceClock()
    ticks_ms, expected = first, start
    assert table.stamp(board, ticks_ms) == expected / 1000
    for step in steps:
        ticks_ms = (ticks_ms + step) % 2**32
        expected += step
        assert table.stamp(board, ticks_ms) == expected / 1000


@given(
    stamps=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2**32 - 1), st.booleans()), min_size=1, max_size=40
    )
)
def test_time_never_goes_back(stamps: list[tuple[int, int, bool]]) -> None:
    """It should keep the queue in order whatever the boards stamp, and tell every tick once."""
    table, boards = Table(), [DeviceClock() for _ in range(3)]
    for board, ticks_ms, restarted in stamps:
        if restarted:
            boards[board].restarted()
        table.stamp(boards[board], ticks_ms)
    said = table.said()
    times = [each.t for each in said]
    assert times == sorted(times)
    ticks = [each.t for each in said if isinstance(each, Tick)]
    assert len(set(ticks)) == len(ticks)
    assert sum(1 for each in said if isinstance(each, Fault)) == len(stamps)


def test_many_threads_keep_the_order() -> None:
    """It should keep the queue in order of time when several devices speak at once."""
    table = Table()

    def speak() -> None:
        board = DeviceClock()
        for ticks_ms in range(0, 4000, 7):
            table.stamp(board, ticks_ms)

    threads = [threading.Thread(target=speak) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = [said.t for said in table.said()]
    assert times == sorted(times)
    assert len(times) > 4 * 570


def test_what_has_no_stamp_gets_the_last_time() -> None:
    """It should give a device without a clock the time last told."""
    table, board = Table(), DeviceClock()
    table.stamp(board, 0)
    table.stamp(board, 1234)
    assert table.clock.publish(table.out, lambda t: Fault(t=t, device="b", code="lamp", argument=0)) == 1.234


def test_host_stands_in_only_when_no_board_stamps() -> None:
    """It should carry the time on after the patience, and be silent again when a board speaks."""
    table, board = Table(100.0), DeviceClock()
    subject = HostTime(table.clock, patience=1.5)
    subject.feed(5000.0, table.out)
    table.stamp(board, 0)
    for tenth in range(1, 16):
        subject.feed(5000.0 + tenth / 10, table.out)
        table.stamp(board, tenth * 100)
    assert table.clock.now == 101.5
    for tenth in range(16, 31):
        subject.feed(5000.0 + tenth / 10, table.out)
    assert table.clock.now == 101.5
    for tenth in range(31, 41):
        subject.feed(5000.0 + tenth / 10, table.out)
    assert 102.4 <= table.clock.now <= 102.6
    before = table.clock.now
    table.stamp(board, 5000)
    assert table.clock.now == 105.0 > before


def test_host_alone_carries_a_table_without_boards() -> None:
    """It should tick by the host's clock, without losing the fractions of a millisecond."""
    table = Table(10.0)
    subject = HostTime(table.clock, patience=0.0)
    for step in range(1001):
        subject.feed(7.0 + step * 0.0503, table.out)
    assert abs(table.clock.now - (10.0 + 50.3)) <= 0.001
    assert table.ticks() == [(100 + n) / 10 for n in range(1, 504)]
