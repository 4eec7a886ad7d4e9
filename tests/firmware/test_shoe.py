"""The dealing shoe by itself: armed or still, one card a command, every way in which a feed goes wrong."""

import pytest
from firmware import codec, shoe
from firmware.shoe_memory import SLOTS
from shoe_bench import STEP_MS, Bench, PowerCut


def test_one_command_is_one_card() -> None:
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 70) is None
    assert bench.shoe.state == shoe.FEEDING
    bench.run(500)
    assert bench.out == [3]
    assert bench.reports[-1] == (shoe.READY, 1, 3, 70)
    assert bench.states == [shoe.READY, shoe.FEEDING, shoe.READY]
    assert bench.mechanism.rolling is False


def test_nothing_moves_unless_armed() -> None:
    bench = Bench()
    bench.run(STEP_MS)
    assert bench.feed(3, 1) == codec.NAK_NOT_ARMED
    bench.ready()
    bench.run(1995)
    assert bench.shoe.state == shoe.READY
    bench.run(STEP_MS)
    assert bench.shoe.state == shoe.DISARMED
    assert bench.feed(3, 1) == codec.NAK_NOT_ARMED
    bench.ready()
    assert bench.shoe.arm(False, bench.ms) is None
    assert bench.feed(3, 1) == codec.NAK_NOT_ARMED
    bench.run(1000)
    assert bench.out == []
    # a command that was refused has not been spent
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == [3]


def test_a_feed_at_the_moment_at_which_arming_ends_is_refused() -> None:
    bench = Bench()
    bench.ready()
    bench.ms += shoe.ARM_MS
    assert bench.feed(3, 1) == codec.NAK_NOT_ARMED


def test_targets_and_a_busy_shoe() -> None:
    bench = Bench()
    bench.ready()
    assert bench.feed(13, 1) == codec.NAK_OUT_OF_RANGE
    assert bench.feed(12, 1) is None
    assert bench.feed(4, 2) == codec.NAK_BUSY
    bench.run(500)
    assert bench.feed(4, 2) is None
    bench.run(500)
    assert bench.out == [12, 4]


def test_the_same_id_never_moves_a_second_card() -> None:
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 9) is None
    assert bench.feed(3, 9) is None  # while it is under way
    bench.run(500)
    assert bench.feed(3, 9) is None  # afterwards
    bench.run(1000)
    assert bench.feed(3, 9) is None  # still armed or not
    bench.run(2000)
    assert bench.feed(3, 9) is None
    for command_id in range(10, 10 + shoe.KNOWN_IDS - 1):
        bench.ready()
        assert bench.feed(1, command_id) is None
        bench.run(500)
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.run(500)
    assert bench.out == [3] + [1] * (shoe.KNOWN_IDS - 1)


@pytest.mark.parametrize("cut_at", range(0, 300, STEP_MS))
def test_a_power_cut_at_any_moment_of_a_feed(cut_at: int) -> None:
    """The same id comes again after the restart: no second card, and a card that may be half out needs a person."""
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.run(cut_at)
    whole = bench.shoe.state == shoe.READY
    bench.restart()
    bench.run(STEP_MS)
    assert bench.shoe.fields()["command_id"] == 9
    assert bench.shoe.state == (shoe.DISARMED if whole else shoe.JAM)
    assert bench.feed(3, 9) is None
    bench.run(500, armed=True)
    bench.look_inside()
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.run(500)
    assert len(bench.out) <= 1
    bench.ready()
    before = len(bench.out)
    assert bench.feed(5, 10) is None
    bench.run(500)
    assert bench.out[before:] == [5]


@pytest.mark.parametrize("kept", range(17))
def test_a_power_cut_in_the_middle_of_writing_before_a_feed(kept: int) -> None:
    """Nothing has moved yet: the id may be fed once, or is spent, and the feed before it is still known."""
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.run(500)
    bench.store.cut_after = kept
    with pytest.raises(PowerCut):
        bench.feed(4, 10)
    bench.restart()
    bench.run(STEP_MS)
    assert bench.mechanism.rolling is False
    bench.look_inside()
    for command_id, target in ((9, 3), (10, 4), (10, 4)):
        bench.ready()
        assert bench.feed(target, command_id) in (None, codec.NAK_BUSY)
        bench.run(500)
    assert bench.out == ([3] if kept == 16 else [3, 4])


@pytest.mark.parametrize("kept", range(17))
def test_a_power_cut_in_the_middle_of_writing_after_a_feed(kept: int) -> None:
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.store.cut_after = kept
    with pytest.raises(PowerCut):
        bench.run(500)
    bench.restart()
    bench.run(STEP_MS)
    assert bench.shoe.state == (shoe.DISARMED if kept == 16 else shoe.JAM)
    bench.look_inside()
    bench.ready()
    assert bench.feed(3, 9) is None
    bench.run(500)
    assert bench.out == [3]


def test_many_ids_are_known_after_a_restart() -> None:
    bench = Bench()
    for command_id in range(100, 140):
        bench.ready()
        assert bench.feed(1 + command_id % 10, command_id) is None
        bench.run(500)
    assert len(bench.out) == 40
    bench.restart()
    for command_id in range(140 - SLOTS // 2, 140):
        bench.ready()
        assert bench.feed(1 + command_id % 10, command_id) is None
        bench.run(500)
    assert len(bench.out) == 40


def test_cards_out_goes_on_after_a_restart() -> None:
    bench = Bench()
    for command_id in range(3):
        bench.ready()
        bench.feed(1, command_id)
        bench.run(500)
    bench.restart()
    bench.run(STEP_MS)
    assert bench.shoe.fields() == {"state": shoe.DISARMED, "cards_out": 3, "target": 1, "command_id": 2}


def test_without_its_memory_it_does_not_move() -> None:
    bench = Bench()
    bench.ready()
    bench.store.broken = True
    assert bench.feed(3, 1) == codec.NAK_BUSY
    assert bench.forgotten == 1
    bench.run(500)
    assert bench.out == []
    bench.restart()
    bench.run(STEP_MS)
    assert bench.arm() == codec.NAK_NOT_ARMED
    bench.store.broken = False
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == [3]


def test_silence_stops_the_rollers_with_a_card_in_the_gate() -> None:
    bench = Bench()
    bench.ready()
    bench.run(1930)
    assert bench.feed(3, 1) is None
    bench.run(65)
    assert bench.mechanism.rolling is True
    bench.run(STEP_MS)
    assert bench.mechanism.rolling is False
    assert bench.shoe.state == shoe.JAM
    bench.run(3000)
    assert bench.out == []
    assert bench.arm() == codec.NAK_NOT_ARMED
    bench.look_inside()
    assert bench.shoe.state == shoe.DISARMED


def test_silence_before_the_card_moved_spends_the_command() -> None:
    bench = Bench()
    bench.ready()
    bench.run(1980)
    assert bench.feed(3, 1) is None
    bench.run(20)
    assert bench.shoe.state == shoe.DISARMED
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == []
    assert bench.shoe.fields() == {"state": shoe.READY, "cards_out": 0, "target": 3, "command_id": 1}


def test_silence_after_the_card_left_changes_nothing() -> None:
    bench = Bench()
    bench.ready()
    bench.run(1890)
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == [3]
    assert bench.reports[-1] == (shoe.DISARMED, 1, 3, 1)


@pytest.mark.parametrize(
    ("trouble", "state", "cards_out"),
    [
        ("jam", shoe.JAM, 0),
        ("stick", shoe.JAM, 0),
        ("double", shoe.DOUBLE_FEED, 2),
        ("follow", shoe.DOUBLE_FEED, 2),
        ("misaligned", shoe.MISALIGNED, 0),
    ],
)
def test_trouble_stops_the_shoe_until_somebody_looked(trouble: str, state: int, cards_out: int) -> None:
    bench = Bench()
    bench.mechanism.next = trouble
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(1900)
    assert bench.reports[-1] == (state, cards_out, 3, 1)
    assert bench.mechanism.rolling is False
    assert len(bench.out) == cards_out
    assert bench.arm() == codec.NAK_NOT_ARMED
    assert bench.feed(3, 2) == codec.NAK_NOT_ARMED
    assert bench.feed(3, 1) is None
    bench.run(1000)
    bench.look_inside()
    assert bench.shoe.state == shoe.DISARMED
    before = len(bench.out)
    bench.ready()
    assert bench.feed(6, 2) is None
    bench.run(500)
    assert bench.out[before:] == [6]


@pytest.mark.parametrize("late", [30, 70, 150, 400, 1500])
@pytest.mark.parametrize("at", range(0, 200, 10))
def test_a_loop_that_is_late_pulls_no_second_card(at: int, late: int) -> None:
    """The gate stops the rollers by itself, and remembers what passed it."""
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(at)
    bench.ms += late
    bench.run(1000)
    assert bench.out in ([], [3])
    assert bench.shoe.fields()["cards_out"] == len(bench.out)
    assert bench.shoe.state in (shoe.READY, shoe.DISARMED, shoe.MISALIGNED)


@pytest.mark.parametrize("late", [70, 200])
def test_a_loop_that_is_late_still_sees_a_second_card(late: int) -> None:
    bench = Bench()
    bench.mechanism.next = "follow"
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(60)
    bench.ms += late
    bench.run(1000)
    assert bench.out == [3, 3]
    assert bench.reports[-1] == (shoe.DOUBLE_FEED, 2, 3, 1)


@pytest.mark.parametrize(("passing", "seen"), [(60, True), (90, False)])
def test_two_cards_that_overlap_take_longer_through_the_gate(passing: int, seen: bool) -> None:
    """Without a thickness sensor their time in the gate is all there is, and its limit has to be measured."""
    bench = Bench(timing=shoe.Timing(passing=passing))
    bench.mechanism.next = "double"
    plain = bench.mechanism.sensors
    bench.mechanism.sensors = lambda: plain() & ~shoe.THICK
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == [3, 3]
    assert bench.reports[-1] == ((shoe.DOUBLE_FEED, 2, 3, 1) if seen else (shoe.READY, 1, 3, 1))


def test_an_empty_shoe_says_so_and_is_filled() -> None:
    bench = Bench(cards=1)
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.reports[-1] == (shoe.EMPTY, 1, 3, 1)
    assert bench.arm() == codec.NAK_NOT_ARMED
    assert bench.feed(3, 2) == codec.NAK_NOT_ARMED
    bench.mechanism.load(52)
    bench.run(STEP_MS)
    assert bench.shoe.state == shoe.DISARMED
    bench.ready()
    assert bench.feed(3, 2) is None
    bench.run(500)
    assert bench.out == [3, 3]


def test_an_open_door_stops_everything_at_once() -> None:
    bench = Bench()
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(70)
    assert bench.mechanism.rolling is True
    bench.mechanism.open(True)
    bench.run(STEP_MS)
    assert bench.mechanism.rolling is False
    assert bench.shoe.state == shoe.DOOR
    assert bench.arm() == codec.NAK_NOT_ARMED
    bench.mechanism.open(False)
    bench.run(STEP_MS)
    assert bench.shoe.state == shoe.DISARMED
    bench.ready()
    assert bench.feed(3, 1) is None
    bench.run(500)
    assert bench.out == []


def test_a_card_left_in_the_gate_is_a_jam_after_the_door_too() -> None:
    bench = Bench()
    bench.ready()
    real = bench.mechanism.sensors
    bench.mechanism.sensors = lambda: real() | shoe.GATE
    bench.run(STEP_MS)
    assert bench.shoe.state == shoe.JAM
    bench.look_inside()
    assert bench.shoe.state == shoe.JAM
    bench.mechanism.sensors = real
    bench.look_inside()
    assert bench.shoe.state == shoe.DISARMED
