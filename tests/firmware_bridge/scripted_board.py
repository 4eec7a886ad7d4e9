"""A strict scripted board at the other end of a real pty: whatever it did not expect fails the test."""

import os
import queue
import select
import time
import tty
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge import frames, framing
from firmware_bridge.link import Timing
from firmware_bridge.mcu import Mcu
from firmware_bridge.observations import Observation, Tick

DEADLINE = 20.0
PATIENT = Timing(degraded=60.0, lost=60.0, hello=10.0)
"""Real resends, but no silence counts: a busy machine is no fault of the board."""

HELLO = frames.HelloFrame(
    protocol_min=1,
    protocol_max=1,
    firmware="scripted 1",
    boot_id=11,
    serial="S-1",
    capabilities=0b11111,
    antennas=(
        frames.AntennaInfo(1, 2, 3),
        frames.AntennaInfo(2, 3, 0),
        frames.AntennaInfo(3, 8, 0),
    ),
    buttons=(1, 2, 16),
    lamps=(1, 2, 3),
)

RESTARTED = msgspec.structs.replace(HELLO, boot_id=12)
A, B, C = "04A1B2C3D4E5F6", "0400112233445F", "E004015011223344"
MakeMcu = Callable[..., Mcu]
GOLDEN = Path(__file__).parent.parent / "golden" / "serial" / "frames.jsonl"


def golden_lines() -> list[dict[str, Any]]:
    """The golden vectors of the line."""
    return [msgspec.json.decode(line) for line in GOLDEN.read_bytes().splitlines()]


def open_files() -> int:
    """File descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def beat(ticks_ms: int) -> frames.HeartbeatFrame:
    """A heartbeat of a board with some trouble behind it."""
    return frames.HeartbeatFrame(ticks_ms, 1, 2, 3, 5021, -7)


def whole(antenna: int, cycle: int, ticks_ms: int, *uids: str) -> frames.InventoryFrame:
    """A present set that fits into one frame."""
    [frame] = framing.split_inventory(antenna, cycle, ticks_ms, 90, uids)
    return frame


class Peer:
    """A board played by the test, step by step.

    `expect` takes the next frame that the driver sends, acknowledges it unless told otherwise, and fails on any other.
    Repeats of a frame already taken are acknowledged again and counted. `finish` fails on anything left over.
    """

    def __init__(self, link: Path) -> None:
        self.link = link
        self.repeats = 0
        self.acked: list[int] = []
        self.naked: list[tuple[int, int]] = []
        self.seq = 100
        self._waiting: deque[tuple[int, framing.Received]] = deque()
        self._taken: set[int] = set()
        self.silent_on: set[int] = set()
        self.plug()

    def plug(self) -> None:
        """Be there: a new pty behind the stable path."""
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._decoder = framing.Decoder()
        self._taken.clear()
        fresh = self.link.with_suffix(".new")
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.link)

    def unplug(self) -> None:
        """Be gone, with the path."""
        self.link.unlink()
        os.close(self._slave)
        os.close(self.master)
        self.master = -1

    def first_byte(self) -> bytes:
        """Read one byte as it is."""
        assert self._readable(DEADLINE)
        return os.read(self.master, 1)

    def restart_numbers(self) -> None:
        """Forget everything, as a board does that restarts."""
        self._taken.clear()
        self.seq = 100

    def raw(self, data: bytes) -> None:
        """Put bytes on the line as they are."""
        while data:
            data = data[os.write(self.master, data) :]

    def send(self, frame: frames.Frame, seq: int | None = None) -> int:
        """Send a frame; its seq is returned."""
        if seq is None:
            self.seq = seq = (self.seq + 1) % 0x10000
        self.raw(framing.encode(frame, seq))
        return seq

    def tell(self, frame: frames.Frame) -> int:
        """Send a frame and wait until it is acknowledged."""
        seq = self.send(frame)
        self.wait_ack(seq)
        return seq

    def wait_ack(self, seq: int) -> None:
        """Wait until the driver acknowledges a seq."""
        self._pump_until(lambda: seq in self.acked, f"ACK of {seq}")
        self.acked.remove(seq)

    def wait_nak(self, seq: int, code: int) -> None:
        """Wait until the driver refuses a seq with this code."""
        self._pump_until(lambda: (seq, code) in self.naked, f"NAK {code} of {seq}")
        self.naked.remove((seq, code))

    def expect(self, wanted: frames.Frame | type[frames.Frame], *, answer: bool = True) -> tuple[int, Any]:
        """Take the next frame of the driver, which must be this one (or of this kind)."""
        self._pump_until(lambda: bool(self._waiting), f"a frame ({wanted})")
        seq, frame = self._waiting.popleft()
        if isinstance(wanted, type):
            assert type(frame) is wanted
        else:
            assert frame == wanted
        self._taken.add(seq)
        if answer:
            self.ack(seq)
        else:
            self.silent_on.add(seq)
        return seq, frame

    def expect_repeat(self, seq: int, times: int = 1) -> None:
        """Wait until a frame left without an answer has come again."""
        until = self.repeats + times
        self._pump_until(lambda: self.repeats >= until, f"seq {seq} again")

    def ack(self, seq: int) -> None:
        """Acknowledge, and answer repeats from now on."""
        self.silent_on.discard(seq)
        self.raw(framing.encode(frames.AckFrame(seq), 0))

    def nak(self, seq: int, code: int) -> None:
        """Refuse a frame."""
        self.silent_on.discard(seq)
        self.raw(framing.encode(frames.NakFrame(seq, code), 0))

    def greet(self, hello: frames.HelloFrame = HELLO, *, shown: tuple[frames.Frame, ...] = ()) -> None:
        """Be asked, say who this is, and take what every greeting brings."""
        self.expect(frames.HelloRequestFrame())
        self.tell(hello)
        self.welcome(shown=shown)

    def welcome(self, *, shown: tuple[frames.Frame, ...] = ()) -> None:
        """Take scan plan, what is shown, and the question for all inventories."""
        self.expect(
            frames.ScanFrame(
                (frames.ScanEntry(1, 30), frames.ScanEntry(2, 30), frames.ScanEntry(3, 75)),
            )
        )
        for frame in shown:
            self.expect(frame)
        self.expect(frames.InventoryRequestFrame(255))

    def finish(self) -> None:
        """Fail on anything that was not expected."""
        if self.master < 0:
            return
        while self._readable(0.0):
            self._read()
        left = [frame for _, frame in self._waiting]
        os.close(self.master)
        os.close(self._slave)
        self.master = -1
        assert left == []

    def _readable(self, wait: float) -> bool:
        return bool(select.select([self.master], [], [], wait)[0])

    def _read(self) -> None:
        for seq, frame in self._decoder.feed(os.read(self.master, 65536)):
            if isinstance(frame, frames.AckFrame):
                self.acked.append(frame.of)
            elif isinstance(frame, frames.NakFrame):
                self.naked.append((frame.of, frame.code))
            elif seq in self._taken:
                self.repeats += 1
                if seq not in self.silent_on:
                    self.raw(framing.encode(frames.AckFrame(seq), 0))
            elif (seq, frame) not in self._waiting:
                self._waiting.append((seq, frame))

    def _pump_until(self, done: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + DEADLINE
        while not done():
            if not self._readable(max(0.0, until - time.monotonic())):
                raise AssertionError(f"the driver sent nothing more; waiting for {what}")
            self._read()


class Heard:
    """The table's queue, read with a deadline; it keeps everything for later questions."""

    def __init__(self) -> None:
        self.out: queue.SimpleQueue[Observation] = queue.SimpleQueue()
        self.all: list[Observation] = []

    def next(self, kind: type[Any], **fields: Any) -> Any:
        """The next observation of a kind with these fields; ticks and others before it are passed over."""
        until = time.monotonic() + DEADLINE
        while True:
            try:
                said = self.out.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {kind.__name__} with {fields} came, but {self.all}") from None
            self.all.append(said)
            if isinstance(said, kind) and all(getattr(said, name) == value for name, value in fields.items()):
                return said

    def drain(self) -> list[Observation]:
        """Everything that waits now, ticks left out."""
        found = []
        while True:
            try:
                said = self.out.get_nowait()
            except queue.Empty:
                return found
            self.all.append(said)
            if not isinstance(said, Tick):
                found.append(said)

    def check_order(self) -> None:
        """The queue was in order of table time."""
        times = [said.t for said in self.all]
        assert times == sorted(times)
