"""The line's promises on a virtual clock: window, lanes, resends, duplicates, bounded answers."""

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_board import HELLO

from firmware_bridge import frames, framing
from firmware_bridge.errors import PeerLost
from firmware_bridge.link import ANSWERS_LIMIT, Counters, Link, Outbox, Timing


class Line:
    """A link whose other end is the test."""

    def __init__(self, **timing: Any) -> None:
        self.outbox = Outbox()
        self.counters = Counters()
        self.subject = Link(self.outbox, Timing(**timing), self.counters, 0xFFFE)
        self.subject.known = True
        self.now = 0.0

    def lamp(self, lamp: int, colour: int) -> None:
        self.outbox.put(("LAMP", lamp), f"lamp {lamp}", frames.LampFrame(lamp, colour, 0))

    def sent(self, after: float = 0.0) -> list[tuple[int, Any]]:
        self.now += after
        return framing.Decoder().feed(self.subject.poll(self.now, "here"))

    def hear(self, *said: tuple[int, frames.Frame]) -> list[Any]:
        return self.subject.feed(b"".join(framing.encode(f, s) for s, f in said), self.now)

    def ack(self, *seqs: int) -> None:
        self.hear(*((0, frames.AckFrame(seq)) for seq in seqs))


def test_window_is_small_and_numbers_wrap() -> None:
    """It should have at most eight frames under way, numbered on through 65535."""
    line = Line()
    for lamp in range(10):
        line.lamp(lamp, 1)
    sent = line.sent()
    assert [seq for seq, _ in sent] == [0xFFFE, 0xFFFF, 0, 1, 2, 3, 4, 5]
    assert line.sent() == []
    line.ack(0xFFFF, 3)
    assert [frame.lamp for _, frame in line.sent()] == [8, 9]
    assert line.counters.sent == 10


def test_lost_frame_never_overtakes_its_successor() -> None:
    """It should hold a lamp's next colour back until the one under way is answered."""
    line = Line()
    line.lamp(1, 1)
    [(seq, _)] = line.sent()
    line.lamp(1, 2)
    line.lamp(2, 2)
    assert [frame.lamp for _, frame in line.sent()] == [2]
    assert [(s, f.colour) for s, f in line.sent(after=0.11) if f.lamp == 1] == [(seq, 1)]
    line.ack(seq)
    assert [(f.lamp, f.colour) for _, f in line.sent()] == [(1, 2)]


def test_resends_end() -> None:
    """It should send a frame four times in all, a tenth of a second apart, and then name what is lost."""
    line = Line()
    line.lamp(1, 1)
    times = []
    with pytest.raises(PeerLost, match="LAMP") as caught:
        for step in range(100):
            if line.sent(after=0.01):
                times.append(step)
    assert len(times) == 4
    assert all(later - earlier >= 10 for earlier, later in itertools.pairwise(times))
    assert caught.value.where == "here"
    assert line.counters.resent == 3


def test_long_sleep_of_the_driver_is_one_resend() -> None:
    """It should not lose the board because the Pi itself was busy for seconds."""
    line = Line()
    line.lamp(1, 1)
    line.sent()
    assert len(line.sent(after=30.0)) == 1
    assert line.sent(after=0.05) == []


def test_busy_ends_too() -> None:
    """It should try a busy board again for a while, and then report the refusal."""
    line = Line()
    line.lamp(1, 1)
    [(seq, _)] = line.sent()
    sendings = 0
    while not line.subject.refusals:
        line.hear((0, frames.NakFrame(seq, 3)))
        sendings += len(line.sent(after=0.11))
        assert line.now < 10
    [(waiting, code)] = line.subject.refusals
    assert (waiting.frame, code) == (frames.LampFrame(1, 1, 0), 3)
    assert 20 < sendings < 30


def test_late_answers_are_nothing() -> None:
    """It should take no notice of answers to frames that are not under way."""
    line = Line()
    line.ack(5)
    line.hear((0, frames.NakFrame(6, 1)))
    assert line.subject.refusals == []
    assert line.sent() == []


def test_duplicates_of_the_last_128() -> None:
    """It should acknowledge every repetition and act on none, also long afterwards."""
    line = Line()
    press = frames.BuzzFrame(1)
    fault = frames.FaultFrame(1, 1)
    assert line.hear(*((seq, fault) for seq in range(100))) == [fault] * 100
    line.sent()
    assert line.hear((0, fault), (50, fault), (99, fault)) == []
    assert [frame for _, frame in line.sent()] == [
        frames.AckFrame(0),
        frames.AckFrame(50),
        frames.AckFrame(99),
    ]
    assert line.hear((3, press)) == []
    assert line.counters.duplicates == 3
    assert line.hear((0, hello(9)), (50, fault)) == [hello(9), fault]


def test_frames_that_want_no_answer() -> None:
    """It should answer neither heartbeats nor log lines, and never take one for a repetition."""
    line = Line()
    beat, log = frames.HeartbeatFrame(1, 0, 0, 0, 5000, 20), frames.LogFrame("x")
    assert line.hear((0, beat), (0, log), (0, beat)) == [beat, log, beat]
    assert line.sent() == []


def test_answers_to_a_peer_that_does_not_read_are_bounded() -> None:
    """It should not keep answers for ever."""
    line = Line()
    for _ in range(20):
        line.hear(*((seq, frames.FaultFrame(1, 1)) for seq in range(100)))
    assert len(line.subject.poll(0.0, "here")) < ANSWERS_LIMIT + 20


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_lossy_line_shows_the_last_colour_in_the_end(data: st.DataObject) -> None:
    """It should bring the newest state of every lamp across a line that loses frames and answers either way."""
    line = Line(resends=10_000)
    wanted: dict[int, int] = {}
    shown: dict[int, int] = {}
    seen: set[int] = set()
    lose = data.draw(st.floats(0, 0.7))
    random = data.draw(st.randoms(use_true_random=False))
    for step in range(400):
        if step < 60:
            lamp, colour = random.randrange(4), random.randrange(5)
            wanted[lamp] = colour
            line.lamp(lamp, colour)
        for seq, frame in line.sent(after=0.04):
            if step < 300 and random.random() < lose:
                continue
            if seq not in seen:
                seen.add(seq)
                shown[frame.lamp] = frame.colour
            if step >= 300 or random.random() >= lose:
                line.ack(seq)
    assert shown == wanted


def hello(boot_id: int) -> frames.HelloFrame:
    return msgspec.structs.replace(HELLO, boot_id=boot_id)


def press(count: int, ticks_ms: int) -> frames.ButtonFrame:
    return frames.ButtonFrame(1, True, ticks_ms, count)


def test_press_in_the_same_breath_as_the_hello_of_a_restart() -> None:
    """It should not take what a restarted board says with its first numbers for repeats of what was said before."""
    line = Line()
    line.hear((0, hello(1)), (1, press(1, 500)), (2, press(3, 900)))
    told = line.hear((0, hello(2)), (1, press(1, 40)))
    assert told == [hello(2), press(1, 40)]
    assert line.hear((1, press(1, 40))) == [], "a repeat of it is one"
    assert line.counters.duplicates == 1


def test_press_after_a_hello_that_was_lost() -> None:
    """It should leave a number that comes with another content unanswered, and take it once the board has said who it is."""
    line = Line()
    line.hear((0, hello(1)), (1, press(1, 500)))
    line.sent()
    assert line.hear((1, press(1, 40))) == []
    assert line.sent() == [], "no answer: the board sends it again"
    assert line.subject.contradicted
    assert line.hear((0, hello(2)), (1, press(1, 40))) == [hello(2), press(1, 40)]
    assert [frame.of for _, frame in line.sent()] == [0, 1]
