"""The firmware's side of the line's promises, spoken to by the driver's codec on a clock that the test turns."""

from typing import Any

import pytest
from firmware import codec, link
from firmware_package import ROOT

from firmware_bridge import frames, framing

assert ROOT.is_dir()


class Line:
    """A link, what it was asked to do, and what it has sent."""

    def __init__(self) -> None:
        self.ms = 0
        self.obeyed: list[tuple[int, Any]] = []
        self.nak: int | None = None
        self.restated = 0
        self.link = link.Link(self._obey, self._hello, self._restate)
        self.link.put((codec.HELLO,), codec.HELLO, self._hello())
        self._decoder = framing.Decoder()

    def _obey(self, kind: int, fields: Any, now: int) -> int | None:
        self.obeyed.append((kind, fields))
        return self.nak

    def _hello(self) -> dict[str, Any]:
        return {
            "protocol_min": 1,
            "protocol_max": 1,
            "firmware": "x",
            "boot_id": 7,
            "serial": "s",
            "capabilities": 0,
            "antennas": [],
            "buttons": [],
            "lamps": [],
        }

    def _restate(self) -> None:
        self.restated += 1

    def sent(self, after: int = 0) -> list[tuple[int, Any]]:
        """What it sends after so many milliseconds."""
        self.ms += after
        return self._decoder.feed(self.link.poll(self.ms))

    def say(self, frame: frames.Frame, seq: int = 0) -> None:
        """The Pi sends a frame."""
        self.link.feed(framing.encode(frame, seq), self.ms)

    def greet(self) -> None:
        """The Pi takes the HELLO."""
        [(seq, hello)] = self.sent()
        assert isinstance(hello, frames.HelloFrame)
        self.say(frames.AckFrame(seq))
        assert self.sent() == []

    def state(self, state: int) -> None:
        """Put a state on the line."""
        self.link.put(
            (codec.SHOE,),
            codec.SHOE,
            {"state": state, "cards_out": 0, "target": 0, "command_id": 0},
        )

    def press(self, count: int, button: int = 1) -> None:
        """Queue a press."""
        self.link.queue(
            (codec.BUTTON, button),
            codec.BUTTON,
            {"id": button, "pressed": count % 2 == 1, "ticks_ms": 0, "count": count},
        )

    def lay(self, *tags: bytes, cycle: int = 1) -> None:
        """Put a set on the line, one part a tag."""
        self.link.put_set(
            (codec.INVENTORY, 1),
            [
                {
                    "antenna": 1,
                    "part": part,
                    "parts": len(tags),
                    "cycle": cycle,
                    "ticks_ms": 0,
                    "quality": 100,
                    "uids": [tag],
                }
                for part, tag in enumerate(tags)
            ],
        )


def test_nothing_goes_before_the_pi_has_taken_the_hello() -> None:
    """It still knows the numbers of the start before, and would take new frames for old ones."""
    line = Line()
    line.state(7)
    [(seq, hello)] = line.sent()
    assert isinstance(hello, frames.HelloFrame)
    assert [frame for _, frame in line.sent(100)] == [hello]
    line.say(frames.AckFrame(seq))
    assert [frame for _, frame in line.sent()] == [frames.ShoeFrame(7, 0, 0, 0)]


def test_unanswered_frames_come_three_times_more_and_then_the_pi_is_called() -> None:
    line = Line()
    line.greet()
    line.state(7)
    [(seq, frame)] = line.sent()
    assert line.sent(99) == []
    for _ in range(3):
        assert line.sent(1) == [(seq, frame)]
        assert line.sent(99) == []
    assert line.sent(1) == []
    assert line.link.peer_lost is True
    assert (line.link.resent, line.link.lost) == (3, 1)
    assert line.sent(499) == []
    line.state(1)
    [(_, hello)] = line.sent(1)
    assert isinstance(hello, frames.HelloFrame)
    line.link.beat(codec.LOG, {"text": "still here"})
    assert line.sent() == [(0, frames.LogFrame("still here"))]
    assert line.restated == 0
    line.say(frames.LampFrame(1, 1, 0), 9)
    assert line.link.peer_lost is False
    assert line.restated == 1
    assert line.sent() == [(0, frames.AckFrame(9))]


def test_a_board_that_was_never_heard_calls_until_it_is() -> None:
    line = Line()
    for _ in range(5):
        line.sent(100)
    assert line.link.peer_lost is True
    [(seq, _)] = line.sent(500)
    line.say(frames.AckFrame(seq))
    line.state(0)
    assert [type(frame) for _, frame in line.sent()] == [frames.ShoeFrame]
    line = Line()
    for _ in range(5):
        line.sent(100)
    line.say(frames.LampFrame(1, 1, 0), 9)
    sent = [type(frame) for _, frame in line.sent()]
    assert sent == [frames.AckFrame, frames.HelloFrame]


def test_what_a_pi_asks_when_it_comes_back_is_answered() -> None:
    line = Line()
    line.greet()
    line.state(7)
    for _ in range(5):
        line.sent(100)
    assert line.link.peer_lost is True
    real = line._obey

    def obey(kind: int, fields: Any, now: int) -> int | None:
        line.lay(b"\x20")
        return real(kind, fields, now)

    line.link._obey = obey
    line.say(frames.InventoryRequestFrame(1), 5)
    assert [type(frame) for _, frame in line.sent()] == [frames.AckFrame, frames.InventoryFrame]


def test_a_state_gives_way_to_the_next_and_an_event_does_not() -> None:
    line = Line()
    line.greet()
    line.state(7)
    for count in (1, 2, 3):
        line.press(count)
    first = line.sent()
    assert [type(frame) for _, frame in first] == [frames.ShoeFrame, frames.ButtonFrame]
    line.state(1)
    line.state(3)
    assert line.sent() == []
    line.say(frames.AckFrame(first[0][0]))
    assert [frame for _, frame in line.sent()] == [frames.ShoeFrame(3, 0, 0, 0)]
    line.say(frames.AckFrame(first[1][0]))
    [(seq, second)] = line.sent()
    assert second.count == 2
    line.press(1, button=2)
    assert [frame.id for _, frame in line.sent()] == [2]
    line.say(frames.AckFrame(seq))
    assert [frame.count for _, frame in line.sent()] == [3]


def test_a_set_gives_way_to_a_newer_one_sent_or_not() -> None:
    line = Line()
    line.greet()
    line.lay(*(bytes((tag,)) for tag in range(1, 13)))
    assert [frame.part for _, frame in line.sent()] == list(range(8))
    line.lay(b"\x20", b"\x21", cycle=2)
    sent = line.sent()
    assert [(frame.cycle, frame.part, frame.parts) for _, frame in sent] == [(2, 0, 2), (2, 1, 2)]
    assert line.sent(100) == sent
    for seq, _ in sent:
        line.say(frames.AckFrame(seq))
    assert line.link.idle


def test_a_repeat_is_acknowledged_and_not_carried_out() -> None:
    line = Line()
    for seq in (65_535, 0, 65_535, 0, 1):
        line.say(frames.BuzzFrame(5), seq)
    assert [kind for kind, _ in line.obeyed] == [codec.BUZZ] * 3
    assert [frame.of for _, frame in line.sent() if isinstance(frame, frames.AckFrame)] == [
        65_535,
        0,
        65_535,
        0,
        1,
    ]


def test_a_repeat_is_known_after_a_thousand_other_frames() -> None:
    line = Line()
    line.say(frames.BuzzFrame(5), 65_000)
    for seq in range(65_001, 66_000):
        line.say(frames.LampFrame(1, 1, 0), seq % 0x10000)
        if seq % 100 == 0:
            line.sent()
    line.say(frames.BuzzFrame(5), 65_000)
    assert [kind for kind, _ in line.obeyed].count(codec.BUZZ) == 1
    # a frame that was lost and comes late is no repeat
    line.say(frames.BuzzFrame(6), 64_999)
    assert line.obeyed[-1] == (codec.BUZZ, {"ms": 6})


def test_a_counter_that_began_again_is_followed() -> None:
    line = Line()
    for seq in (10, 40_000, 10, 12, 40_000):
        line.say(frames.BuzzFrame(5), seq)
    assert len(line.obeyed) == 5
    line.say(frames.HelloRequestFrame(), 40_000)
    line.say(frames.BuzzFrame(5), 39_999)
    line.say(frames.BuzzFrame(5), 39_999)
    assert len(line.obeyed) == 7


def test_a_refused_frame_may_come_again() -> None:
    line = Line()
    line.nak = codec.NAK_BUSY
    line.say(frames.FeedFrame(1, 5), 3)
    line.nak = None
    line.say(frames.FeedFrame(1, 5), 3)
    line.say(frames.FeedFrame(1, 5), 3)
    assert len(line.obeyed) == 2
    answers = [frame for _, frame in line.sent() if not isinstance(frame, frames.HelloFrame)]
    assert answers == [frames.NakFrame(3, 3), frames.AckFrame(3), frames.AckFrame(3)]


@pytest.mark.parametrize(
    ("kind", "payload", "code"), [(0x7E, b"", 1), (0x27, b"\x02", 2), (0x24, b"\x00\x05abc", 2)]
)
def test_what_cannot_be_read_is_refused(kind: int, payload: bytes, code: int) -> None:
    import struct
    import zlib

    line = Line()
    body = struct.pack("<BBH", 1, kind, 77) + payload
    line.link.feed(bytes(codec.stuff(body + struct.pack("<I", zlib.crc32(body)))) + b"\0", 0)
    answers = [frame for _, frame in line.sent() if isinstance(frame, frames.NakFrame)]
    assert answers == [frames.NakFrame(77, code)]
    assert line.obeyed == []


def test_a_pi_of_another_version_is_told_which_versions_there_are() -> None:
    import struct
    import zlib

    line = Line()
    line.greet()
    body = struct.pack("<BBH", 2, 0x23, 5) + b"\1\1\1"
    raw = bytes(codec.stuff(body + struct.pack("<I", zlib.crc32(body)))) + b"\0"
    for _ in range(3):
        line.link.feed(raw, line.ms)
    assert [type(frame) for _, frame in line.sent()] == [frames.HelloFrame]
    assert line.link.bad == 0


def test_frames_of_the_wrong_direction() -> None:
    line = Line()
    line.say(frames.ShoeFrame(0, 0, 0, 0), 4)
    line.say(frames.HeartbeatFrame(0, 0, 0, 0, 0, 0), 5)
    line.say(frames.LogFrame("x"), 6)
    assert [frame for _, frame in line.sent() if isinstance(frame, frames.NakFrame)] == [
        frames.NakFrame(4, 1)
    ]
    assert line.obeyed == []


def test_a_pi_that_reads_nothing_fills_no_memory() -> None:
    line = Line()
    line.greet()
    for count in range(1000):
        line.press(count, button=count % 20)
        line.say(frames.LampFrame(1, 1, 0), count)
    assert len(line.link._pending) <= link.PENDING_MAX
    assert len(line.link._answers) <= link.ANSWERS_MAX + 16
    assert line.link.lost == 1000 - link.PENDING_MAX


def test_a_value_that_fits_no_frame_is_left_out_and_counted() -> None:
    line = Line()
    line.greet()
    line.link.queue((codec.FAULT,), codec.FAULT, {"code": 1 << 20, "argument": 0})
    line.state(0)
    assert [type(frame) for _, frame in line.sent()] == [frames.ShoeFrame]
    assert line.link.lost == 1
