"""The simulated PN532: what a strict host hears from it byte by byte, and that the real nfcpy is content with it."""

import os
import random
import select
import termios
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import pytest

from hw_sim.errors import ConfigError, SimError
from hw_sim.pn532 import Pad, Pn532, ReaderFaults
from hw_sim.pn532_air import Air
from hw_sim.pn532_frames import ACK, ERROR, NACK, Ack, Command, Nack, Parser

A, B, FOUR, TEN = "04A1B2C3D4E5F6", "0411223344556677"[:14], "DEADBEEF", "04112233445566778899"
WAKE = b"\x55\x55\x00\x00\x00\x00\x00\x00"
SAM_NORMAL = b"\x14\x01\x00\x00"
LIST_TWO = b"\x4a\x02\x00"
DEADLINE = 10.0


def frame(body: bytes) -> bytes:
    """A command frame of the host, long form where it must be."""
    data = b"\xd4" + body
    if len(data) <= 255:
        head = bytes((len(data), -len(data) & 0xFF))
    else:
        size = len(data).to_bytes(2, "big")
        head = b"\xff\xff" + size + bytes((-sum(size) & 0xFF,))
    return b"\x00\x00\xff" + head + data + bytes((-sum(data) & 0xFF, 0))


class Host:
    """A host that counts every byte."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd, termios.TCSANOW)
        self.speed(115200)

    def speed(self, baud: int) -> None:
        settings = termios.tcgetattr(self.fd)
        settings[4] = settings[5] = getattr(termios, f"B{baud}")
        termios.tcsetattr(self.fd, termios.TCSANOW, settings)

    def write(self, data: bytes) -> None:
        os.write(self.fd, data)

    def read(self, size: int) -> bytes:
        """Exactly so many bytes."""
        data, until = b"", time.monotonic() + DEADLINE
        while len(data) < size:
            assert self.readable(until - time.monotonic()), f"only {data.hex()} came"
            data += os.read(self.fd, size - len(data))
        return data

    def readable(self, seconds: float) -> bool:
        return bool(select.select([self.fd], [], [], max(0.0, seconds))[0])

    def ask(self, body: bytes) -> bytes:
        """Send a command, take ACK and response; give the data of the response."""
        self.write(frame(body))
        assert self.read(6) == ACK
        return self.response(body[0])

    def response(self, code: int) -> bytes:
        head = self.read(5)
        assert head[:3] == b"\x00\x00\xff"
        size = head[3]
        if head[3:5] == b"\xff\xff":
            long = self.read(3)
            assert sum(long) & 0xFF == 0
            size = int.from_bytes(long[:2], "big")
        else:
            assert sum(head[3:5]) & 0xFF == 0
        body = self.read(size + 2)
        assert (sum(body[:-1]) & 0xFF, body[-1]) == (0, 0)
        assert body[:2] == bytes((0xD5, code + 1))
        return body[2:-2]

    def close(self) -> None:
        os.close(self.fd)


Make = Callable[..., Any]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes readers with a pad and a host; `ready` wakes the chip first."""
    made: list[tuple[Pn532, Host]] = []

    def make(*uids: str, ready: bool = True, **options: Any) -> Any:
        pad = Pad(*uids)
        chip = Pn532(tmp_path / f"reader{len(made)}", pad, seed="test", **options)
        chip.start()
        host = Host(chip.path)
        made.append((chip, host))
        if ready:
            host.write(WAKE)
            host.ask(SAM_NORMAL)
        return SimpleNamespace(pad=pad, chip=chip, host=host)

    yield make
    for chip, host in made:
        host.close()
        chip.close()


class TestLine:
    """Frames, acknowledgements, speeds, sleep."""

    def test_a_sleeping_chip_wants_to_be_woken(self, make: Make) -> None:
        """It should hear nothing but edges until five bytes have come."""
        rig = make(ready=False)
        rig.host.write(b"\x55" * 4)
        rig.host.write(b"\x00" + frame(b"\x02"))
        assert rig.host.read(6) == ACK
        assert rig.host.response(0x02) == b"\x32\x01\x06\x07"
        assert rig.chip.counts.wakeups == 1

    def test_line_test_in_long_frames(self, make: Make) -> None:
        """It should give 262 bytes back in an extended frame, as they were."""
        rig = make()
        data = b"\x00" + bytes(n & 0xFF for n in range(262))
        assert rig.host.ask(b"\x00" + data) == data
        assert rig.chip.counts.extended == 1

    def test_unknown_command_is_an_error_frame_and_counted(self, make: Make) -> None:
        """It should acknowledge what it does not know, refuse it, and remember it for the test."""
        rig = make()
        rig.host.write(frame(b"\x60\x01\x02"))
        assert rig.host.read(6 + 8) == ACK + ERROR
        assert rig.chip.counts.unknown == [0x60]

    @pytest.mark.parametrize(
        "body",
        "0201 0663 086301 1009 1405 16 320501 4a0300 4a0109 5207 0009 12 0400 327701".split(),
    )
    def test_command_that_makes_no_sense(self, make: Make, body: str) -> None:
        """It should answer wrong parameters with the error frame and go on."""
        rig = make()
        rig.host.write(frame(bytes.fromhex(body)))
        assert rig.host.read(6 + 8) == ACK + ERROR
        assert len(rig.chip.counts.refused) == 1
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"

    def test_broken_frame_is_not_even_acknowledged(self, make: Make) -> None:
        """It should count a wrong checksum and a wrong length, and answer the next whole frame."""
        rig = make()
        wrong = bytearray(frame(b"\x02"))
        wrong[-2] ^= 1
        rig.host.write(bytes(wrong))
        rig.host.write(b"\x00\x00\xff\x02\x33\xd4\x02")
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"
        assert rig.chip.bad_frames == 2

    def test_nack_repeats_the_last_response(self, make: Make) -> None:
        """It should send the same response again, with no ACK before it."""
        rig = make()
        first = rig.host.ask(b"\x02")
        rig.host.write(NACK)
        assert rig.host.response(0x02) == first
        assert rig.chip.counts.nacks == 1

    def test_ack_gives_a_command_up(self, make: Make) -> None:
        """It should end a command that never ends when the host sends ACK, and take the next one."""
        rig = make(A)
        rig.chip.provoke("stall", command=0x4A)
        rig.host.write(frame(LIST_TWO))
        assert rig.host.read(6) == ACK
        rig.host.write(ACK)
        assert rig.host.ask(LIST_TWO)[0] == 1
        assert rig.chip.counts.aborted == 1

    def test_speed_changes_with_the_acknowledgement(self, make: Make) -> None:
        """It should answer at the old speed, change with the ACK, and hear only noise at another."""
        rig = make()
        assert rig.host.ask(b"\x10\x07") == b""
        rig.host.write(ACK)
        rig.host.speed(921600)
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"
        rig.host.speed(115200)
        rig.host.write(b"\x00" * 10 + frame(b"\x02"))
        assert rig.chip.chip.baud == 921600
        rig.chip.provoke("stall")  # the reader has taken what was written by the time this returns
        assert rig.chip.counts.garbled == 19

    def test_speed_stays_without_the_acknowledgement(self, make: Make) -> None:
        """It should stay at its speed when the host never acknowledged the change."""
        rig = make()
        rig.host.ask(b"\x10\x07")
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"

    def test_power_down_and_wake(self, make: Make) -> None:
        """It should answer, sleep, and need waking before the next command."""
        rig = make()
        assert rig.host.ask(b"\x16\x30\x00") == b"\x00"
        rig.host.write(WAKE + frame(b"\x02"))
        assert rig.host.read(6) == ACK
        assert rig.host.response(0x02) == b"\x32\x01\x06\x07"
        assert rig.chip.counts.wakeups == 2

    def test_unplug_forgets_the_speed(self, make: Make) -> None:
        """It should hang up, and come back under the same path as it was made."""
        rig = make()
        rig.host.ask(b"\x10\x07")
        rig.host.write(ACK)
        rig.chip.unplug()
        assert not rig.chip.path.exists()
        assert rig.host.readable(DEADLINE)
        with pytest.raises(OSError, match="Input/output"):
            os.write(rig.host.fd, b"?")
        rig.chip.plug()
        again = Host(rig.chip.path)
        again.write(WAKE + frame(b"\x02"))
        assert again.read(6) == ACK
        again.close()

    def test_parser_finds_frames_in_any_pieces(self) -> None:
        """It should give the same frames however the bytes come, with noise between them."""
        rng = random.Random(7)
        wire = b"\x55\x55\x00" + frame(b"\x02") + b"\x12\x00" + ACK + frame(b"\x00" + bytes(300 - 40)) + NACK
        want = [Command(2, b"", False), Ack(), Command(0, bytes(260), True), Nack()]
        for _ in range(50):
            parser, found, at = Parser(), [], 0
            while at < len(wire):
                size = rng.randint(1, 40)
                found += parser.feed(wire[at : at + size], 0.0)
                at += size
            assert found == want
            assert parser.bad == 0

    def test_half_a_frame_is_forgotten(self) -> None:
        """It should not wait for ever for the rest of a frame whose host died."""
        parser = Parser()
        assert parser.feed(frame(b"\x02")[:6], 1.0) == []
        assert parser.feed(frame(b"\x02"), 1.5) == [Command(2, b"", False)]
        assert parser.bad == 1

    def test_time_that_a_read_takes(self, make: Make) -> None:
        """It should let the answer to a list wait for wire and field, and give it up when told to."""
        rig = make(A, timed=True)
        before = time.monotonic()
        assert rig.host.ask(LIST_TWO)[0] == 1
        # never less than the model says: 28 bytes at 115,200 baud and 9 ms of field
        assert time.monotonic() - before >= 0.011
        rig.host.write(frame(LIST_TWO) + ACK)
        rig.host.write(frame(b"\x02"))
        assert rig.host.read(6) == ACK
        assert rig.host.response(0x02) == b"\x32\x01\x06\x07"


class TestTags:
    """What lies on the antenna, and what the chip makes of it."""

    def test_nothing_before_the_configuration(self, make: Make) -> None:
        """It should refuse to touch the antenna before SAMConfiguration."""
        rig = make(A, ready=False)
        rig.host.write(WAKE + frame(LIST_TWO))
        assert rig.host.read(6 + 8) == ACK + ERROR

    @pytest.mark.parametrize(
        ("uid", "entry"),
        [
            (FOUR, "000408" + "04" + FOUR),
            (A, "004400" + "07" + A),
            (TEN, "008400" + "0a" + TEN),
        ],
        ids=["4 bytes", "7 bytes", "10 bytes"],
    )
    def test_uids_of_all_lengths(self, make: Make, uid: str, entry: str) -> None:
        """It should list SENS_RES, SEL_RES, and the whole UID without cascade tags."""
        rig = make(uid)
        assert rig.host.ask(b"\x4a\x01\x00") == bytes.fromhex("0101" + entry)

    def test_two_tags_and_no_more(self, make: Make) -> None:
        """It should list two of three, and one when one is asked for."""
        rig = make(A, B, FOUR)
        answer = rig.host.ask(LIST_TWO)
        assert answer == bytes.fromhex("0201004400" + "07" + A + "02004400" + "07" + B)
        rig.host.ask(b"\x32\x01\x00")
        assert rig.host.ask(b"\x4a\x01\x00")[0] == 1

    def test_tags_of_the_other_standard_are_not_seen(self, make: Make) -> None:
        """It should see no tag of ISO 15693, and none of types B, F and 1."""
        rig = make("E004015011223344")
        assert rig.host.ask(LIST_TWO) == b"\x00"
        rig.pad.put(A)
        for kind in (1, 2, 3, 4):
            assert rig.host.ask(bytes((0x4A, 1, kind))) == b"\x00"

    def test_the_queue_says_whether_anything_answered(self, make: Make) -> None:
        """It should leave the call in its FIFO register when nothing answered, as drivers look there."""
        rig = make()
        rig.host.ask(LIST_TWO)
        assert rig.host.ask(b"\x06\x63\x39") == b"\x26"
        rig.pad.put(A)
        rig.host.ask(LIST_TWO)
        assert rig.host.ask(b"\x06\x63\x39\x63\x03") == b"\x00\x80"
        rig.host.ask(b"\x08\x63\x03\x00")
        assert rig.host.ask(b"\x06\x63\x03") == b"\x00"

    def test_still_tag_answers_every_second_call(self, make: Make) -> None:
        """It should not hear from a selected tag that is called again, unless the field was off."""
        rig = make(A)
        assert [rig.host.ask(LIST_TWO)[0] for _ in range(4)] == [1, 0, 1, 0]
        counts = []
        for _ in range(4):
            rig.host.ask(b"\x32\x01\x02")
            counts.append(rig.host.ask(LIST_TWO)[0])
        assert counts == [1, 1, 1, 1]

    def test_released_tag_sleeps_until_the_field_was_off(self, make: Make) -> None:
        """It should not hear again from a tag that InRelease put to sleep."""
        rig = make(A)
        rig.host.ask(LIST_TWO)
        assert rig.host.ask(b"\x52\x00") == b"\x00"
        assert [rig.host.ask(LIST_TWO)[0] for _ in range(3)] == [0, 0, 0]
        rig.host.ask(b"\x32\x01\x00")
        assert rig.host.ask(LIST_TWO)[0] == 1

    def test_tags_come_and_go(self, make: Make) -> None:
        """It should list what lies there now."""
        rig = make(A)
        rig.pad.put(A)
        rig.pad.take(A)
        rig.pad.take(B)
        assert rig.host.ask(LIST_TWO) == b"\x00"
        rig.pad.put(B.lower())
        assert rig.pad() == (B,)
        rig.pad.clear()
        assert rig.host.ask(LIST_TWO) == b"\x00"
        with pytest.raises(ConfigError, match="no UID"):
            rig.pad.put("no tag")


class TestFaults:
    """Each fault by its name."""

    def test_misses(self) -> None:
        """It should miss a tag in the share of reads that was asked for."""
        air = Air(Pad(A), ReaderFaults(miss=0.2), "m")
        seen = 0
        for _ in range(2000):
            air.switch(False)
            seen += len(air.list(2))
        assert 1500 < seen < 1700

    def test_flicker(self, make: Make) -> None:
        """It should list two still tags as 2, 1, 0, and one as 1, 0."""
        rig = make(A, B, faults=ReaderFaults(flicker=True))
        counts = []
        for _ in range(6):
            rig.host.ask(b"\x32\x01\x02")
            counts.append(rig.host.ask(LIST_TWO)[0])
        assert counts == [2, 1, 0, 2, 1, 0]
        rig.pad.take(B)
        rig.host.ask(b"\x32\x01\x02")
        counts = []
        for _ in range(4):
            rig.host.ask(b"\x32\x01\x02")
            counts.append(rig.host.ask(LIST_TWO)[0])
        assert sorted(counts) == [0, 0, 1, 1]

    def test_merged_ghost(self, make: Make) -> None:
        """It should show two tags as one that is neither, without any error."""
        rig = make("04000000095D5F", "04000000095830", faults=ReaderFaults(merge=1.0))
        assert rig.host.ask(LIST_TWO) == bytes.fromhex("0101004400" + "07" + "04000000095D7F")

    def test_cut_uid(self, make: Make) -> None:
        """It should show only the first cascade level of a UID, which begins with 88."""
        rig = make(A, FOUR, faults=ReaderFaults(cut=1.0))
        answer = rig.host.ask(LIST_TWO)
        assert answer == bytes.fromhex("0201000408" + "04" + "8804A1B2" + "02000408" + "04" + FOUR)

    def test_noisy_answer_leaves_the_tag_asleep(self, make: Make) -> None:
        """It should hear nothing more from a tag whose answer was noise, until the field was off."""
        rig = make(A, faults=ReaderFaults(halt=1.0))
        assert rig.host.ask(LIST_TWO) == b"\x00"
        rig.chip.set_faults(ReaderFaults())
        assert [rig.host.ask(LIST_TWO)[0] for _ in range(3)] == [0, 0, 0]
        rig.host.ask(b"\x32\x01\x02")
        assert rig.host.ask(LIST_TWO)[0] == 1

    def test_no_ack(self, make: Make) -> None:
        """It should say nothing at all to one command, and answer the next."""
        rig = make()
        rig.chip.provoke("no_ack")
        rig.host.write(frame(b"\x12\x00"))
        rig.chip.set_faults(ReaderFaults())  # the reader has taken the command by the time this returns
        assert not rig.host.readable(0)
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"

    def test_short_frame(self, make: Make) -> None:
        """It should stop after three bytes of a response."""
        rig = make()
        rig.chip.provoke("short_frame", command=0x02)
        rig.host.ask(b"\x12\x00")
        rig.host.write(frame(b"\x02"))
        assert rig.host.read(6 + 3) == ACK + b"\x00\x00\xff"
        assert rig.host.ask(b"\x02") == b"\x32\x01\x06\x07"

    def test_bad_checksum(self, make: Make) -> None:
        """It should send one response whose checksum is wrong, and that one whole again on NACK... as it was."""
        rig = make()
        rig.chip.provoke("bad_checksum")
        rig.host.write(frame(b"\x02"))
        assert rig.host.read(6) == ACK
        answer = rig.host.read(13)
        assert sum(answer[5:-1]) & 0xFF != 0
        assert answer[5:11] == b"\xd5\x03\x32\x01\x06\x07"

    def test_error_frame(self, make: Make) -> None:
        """It should refuse a command that it knows."""
        rig = make()
        rig.chip.provoke("error_frame")
        rig.host.write(frame(b"\x02"))
        assert rig.host.read(6 + 8) == ACK + ERROR

    def test_shares_have_a_seed(self, make: Make) -> None:
        """It should let the same seed break the same commands."""
        runs = []
        for _ in range(2):
            rig = make(faults=ReaderFaults(error_frame=0.3), ready=False)
            rig.host.write(WAKE)
            rng = random.Random(3)
            answers = []
            for _ in range(40):
                rig.host.write(frame(bytes((0x12, rng.randrange(256)))))
                rig.host.read(6)
                head = rig.host.read(8)
                answers.append(head == ERROR)
                if head != ERROR:
                    rig.host.read(1)
            runs.append(answers)
            assert rig.chip.counts.faults["error_frame"] == sum(answers) > 0
        assert runs[0] == runs[1]

    def test_nonsense_is_refused(self, make: Make) -> None:
        """It should not take faults that are none."""
        with pytest.raises(ConfigError, match="miss"):
            ReaderFaults(miss=1.5)
        rig = make()
        with pytest.raises(ConfigError, match="melt"):
            rig.chip.provoke("melt")
        with pytest.raises(SimError, match="already"):
            rig.chip.start()
        rig.chip.close()
        rig.chip.close()


class TestRealDriver:
    """The real nfcpy, unchanged, from opening to closing."""

    @pytest.mark.parametrize("timed", [False, True], ids=["at once", "timed"])
    def test_nfcpy_from_open_to_close(self, tmp_path: Path, timed: bool) -> None:
        """It should be a whole PN532 to it: speed raised, line test passed, tags sensed, put to sleep."""
        pad = Pad(A)
        with Pn532(tmp_path / "reader", pad, timed=timed) as chip:
            device = nfc.clf.pn532.init(nfc.clf.transport.TTY(str(chip.path)))
            frontend = nfc.ContactlessFrontend()
            frontend.device = device
            assert device.chipset_name == "PN532v1.6"
            assert chip.chip.baud == 921600
            wanted = nfc.clf.RemoteTarget("106A")
            assert frontend.sense(wanted, iterations=1).sdd_res.hex().upper() == A
            pad.put(FOUR)
            device.mute()
            assert device.chipset.command(0x4A, b"\x02\x00", 1.0)[0] == 2
            pad.clear()
            assert frontend.sense(wanted, iterations=1) is None
            frontend.close()
            counts = chip.counts
            assert (counts.unknown, counts.refused, chip.bad_frames, counts.garbled) == ([], [], 0, 0)
            assert (counts.extended, chip.chip.asleep, chip.chip.baud) == (1, True, 115200)
