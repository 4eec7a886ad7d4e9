"""A board for the real driver: the firmware under MicroPython, and between the two a wire that a test can disturb.

The driver has one pty, the firmware another; a thread carries the bytes between them, frame by frame, and asks the test
what to do with each. The second channel is the firmware's own: commands on its standard input, what it does on its
standard output.
"""

import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_package import FIRMWARE

from firmware_bridge import frames, framing
from firmware_bridge.link import Timing
from firmware_bridge.observations import Heartbeat, Observation, Tick

MICROPYTHON = Path(sys.executable).parent / "micropython"
HOST = FIRMWARE / "host.py"
DEADLINE = 20.0
PATIENT = Timing(degraded=60.0, lost=60.0, hello=10.0)
"""Real resends, but no silence counts: a busy machine is no fault of the board."""

SETTINGS: dict[str, Any] = {
    "serial": "T-1",
    "line": {"kind": "usb"},
    "i2c": {"id": 0, "sda": 4, "scl": 5},
    "spi": [{"id": 0, "sck": 18, "mosi": 19, "miso": 16}],
    "readers": [
        {
            "kind": "pn5180",
            "spi": 0,
            "nss": 17,
            "busy": 20,
            "mux": {"select": [10, 11]},
            "period_ms": 5,
            "antennas": [
                {"id": 1, "kind": 2, "index": 3, "channel": 0},
                {"id": 2, "kind": 3, "index": 0, "channel": 1},
                {"id": 9, "kind": 9, "index": 0, "channel": 2},
            ],
        }
    ],
    "buttons": {"kind": "hc165", "load": 6, "clock": 7, "data": 8, "ids": [1, 2, 16], "stuck_ms": 1000},
    "lamps": {
        "pin": 22,
        "pixels": 4,
        "lamps": {"1": 0, "2": 1},
        "places": {"3": 2, "11": 3},
        "brightness": 255,
    },
    "display": {"kind": "hd44780", "rows": 2, "columns": 20},
    "buzzer": {"pin": 14},
    "shoe": {
        "motor": 0,
        "carriage": 1,
        "gate": 2,
        "loaded": 3,
        "door": 9,
        "angles": {str(target): target * 14 for target in range(1, 13)},
        "pass_ms": 90,
        "memory": {"kind": "fram"},
    },
}
SCAN = [(1, 1), (2, 1), (9, 1)]

Frame = tuple[int, framing.Received]
Judge = Callable[[int, framing.Received, bytes], list[bytes]]


def carry(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
    """A wire without faults."""
    return [raw]


class Wire:
    """Carries frames between two descriptors; `up` and `down` decide what becomes of each (list of what goes on)."""

    def __init__(self, pi: int, board: int) -> None:
        self.up: Judge = carry
        self.down: Judge = carry
        self.seen: list[tuple[str, int, framing.Received]] = []
        self._board = board
        self._ends = {pi: (board, "down"), board: (pi, "up")}
        self._held = {pi: b"", board: b""}
        self._wake_out, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)
        self._thread.start()

    def inject(self, data: bytes) -> None:
        """Put bytes on the line to the board, as if the Pi had sent them; for use by `up` and `down`."""
        os.write(self._board, data)

    def close(self) -> None:
        """Stop; the descriptors stay open."""
        os.write(self._wake, b"x")
        self._thread.join(DEADLINE)
        os.close(self._wake)
        os.close(self._wake_out)

    def _run(self) -> None:
        while True:
            ready, _, _ = select.select([*self._ends, self._wake_out], [], [])
            if self._wake_out in ready:
                return
            for end in ready:
                self._carry(end)

    def _carry(self, end: int) -> None:
        to, way = self._ends[end]
        *whole, self._held[end] = (self._held[end] + os.read(end, 65536)).split(b"\0")
        for piece in whole:
            raw = piece + b"\0"
            found = framing.Decoder().feed(raw)
            out = [raw]
            for seq, frame in found:
                self.seen.append((way, seq, frame))
                out = (self.up if way == "up" else self.down)(seq, frame, raw)
            for data in out:
                os.write(to, data)


class Rig:
    """One board: its settings, its two ptys, its process."""

    def __init__(self, folder: Path, changes: dict[str, Any]) -> None:
        self.settings = {**SETTINGS, **changes}
        self.path = folder / "board"
        self.said: list[str] = []
        self.errors = folder / "errors.txt"
        self._file = folder / "board.json"
        self._file.write_text(json.dumps(self.settings))
        self._store = folder / "shoe-memory-"
        self._pi, self._pi_end = os.openpty()
        self._board, self._board_end = os.openpty()
        for descriptor in (self._pi_end, self._board_end):
            tty.setraw(descriptor)
        self.path.symlink_to(os.ttyname(self._pi_end))
        self.wire = Wire(self._pi, self._board)
        self._process: subprocess.Popen[bytes] | None = None
        self._tail = b""
        self._at = 0

    def power_on(self, down: int | None = None) -> None:
        """Start the firmware and wait until it runs; `down` is a button that is closed from the beginning.

        Its heap is about that of an RP2040, whose words are half as long.
        """
        with self.errors.open("ab") as errors:
            self._process = subprocess.Popen(
                [
                    MICROPYTHON,
                    "-X",
                    "heapsize=256K",
                    HOST,
                    "--line",
                    os.ttyname(self._board_end),
                    "--settings",
                    self._file,
                    "--store",
                    self._store,
                    *(["--down", str(down)] if down is not None else []),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.wait_said(lambda line: line == "ready")

    def cut(self) -> None:
        """Take the supply away, in the middle of whatever it does."""
        process = self._running()
        process.send_signal(signal.SIGKILL)
        self._end(process)

    def restart(self) -> None:
        """Supply away and back."""
        self.cut()
        self.power_on()

    def close(self) -> None:
        """Switch off; a firmware that failed fails the test."""
        self.wire.close()
        code = 0
        if self._process is not None:
            process = self._process
            if process.stdin is not None:
                process.stdin.close()
            code = process.wait(DEADLINE)
            self._end(process)
        for descriptor in (self._pi, self._pi_end, self._board, self._board_end):
            os.close(descriptor)
        trouble = self.errors.read_text() if self.errors.exists() else ""
        assert code == 0 and not trouble, f"exit code {code} {trouble}"

    def do(self, *commands: str) -> None:
        """Give commands to the scripted hardware; they have been carried out when this returns."""
        stdin = self._running().stdin
        assert stdin is not None
        for command in commands:
            at = len(self.said)
            stdin.write(command.encode() + b"\n")
            stdin.flush()
            self._find(at, lambda line: line == "done")

    def wait_said(self, wanted: Callable[[str], bool]) -> str:
        """Wait for a line of what the board does, after the one that was waited for last."""
        self._at = self._find(self._at, wanted) + 1
        return self.said[self._at - 1]

    def cards_out(self) -> list[str]:
        """Where cards went, in order; all that the board has told so far."""
        self.do("")
        return [line.split()[1] for line in self.said if line.startswith("out ")]

    def _find(self, at: int, wanted: Callable[[str], bool]) -> int:
        """The place of the first such line from there on; waits for it."""
        until = time.monotonic() + DEADLINE
        stdout = self._running().stdout
        assert stdout is not None
        while True:
            while at < len(self.said):
                if wanted(self.said[at]):
                    return at
                at += 1
            if not select.select([stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                raise AssertionError(f"the board did not say it, but {self.said}; {self.errors.read_text()}")
            data = os.read(stdout.fileno(), 65536)
            assert data, f"the board stopped: {self.errors.read_text()}"
            *lines, self._tail = (self._tail + data).split(b"\n")
            self.said += [line.decode() for line in lines]

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.wait(DEADLINE)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        self._process = None
        self._tail = b""


class Heard:
    """The table's queue, read with a deadline."""

    def __init__(self) -> None:
        self.out: queue.SimpleQueue[Observation] = queue.SimpleQueue()
        self.all: list[Observation] = []

    def next(self, what: type[Any], **fields: Any) -> Any:
        """The next observation of a kind with these fields; others before it are passed over."""
        until = time.monotonic() + DEADLINE
        while True:
            try:
                said = self.out.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                heard = [each for each in self.all if not isinstance(each, Tick | Heartbeat)]
                raise AssertionError(
                    f"no {what.__name__} with {str(fields)[:200]} came, but {heard}"
                ) from None
            self.all.append(said)
            if isinstance(said, what) and all(getattr(said, name) == value for name, value in fields.items()):
                return said

    def drain(self, kind: type[Any]) -> list[Any]:
        """Everything of a kind, heard so far or waiting now."""
        while True:
            try:
                self.all.append(self.out.get_nowait())
            except queue.Empty:
                return [said for said in self.all if isinstance(said, kind)]


def drop_first(kind: type[Any], times: int = 1, **fields: Any) -> tuple[Judge, list[int]]:
    """A wire that loses the first frames of a kind (with these fields); and the seqs that it has lost."""
    lost: list[int] = []

    def judge(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if (
            len(lost) < times
            and isinstance(frame, kind)
            and all(getattr(frame, name) == value for name, value in fields.items())
        ):
            lost.append(seq)
            return []
        return [raw]

    return judge, lost


def lose_answers_to(wire: Wire, kind: type[Any], times: int = 1) -> list[int]:
    """Let the board's ACKs of the Pi's next frames of a kind be lost; gives the list that fills with their seqs."""
    asked: set[int] = set()
    lost: list[int] = []

    def down(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if isinstance(frame, kind):
            asked.add(seq)
        return [raw]

    def up(seq: int, frame: framing.Received, raw: bytes) -> list[bytes]:
        if isinstance(frame, frames.AckFrame) and frame.of in asked and len(lost) < times:
            lost.append(frame.of)
            return []
        return [raw]

    wire.down, wire.up = down, up
    return lost
