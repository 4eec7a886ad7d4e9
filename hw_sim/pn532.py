"""A PN532 card reader at the other end of a serial line, on a pseudo-terminal behind a stable path.

The program at the other end is the real nfcpy. The chip hears only what is sent at its own speed (the terminal's
setting says at which speed the host sends), everything else is noise. Faults come by shares with a seed, or one by
one with `provoke`. `unplug` pulls the cable, which is also the supply; when the host dies the chip stays as it was.

Does not model: parity and framing errors, a level shifter, USB adapters with their delays; wire and field take
time only with `timed`.
"""

import os
import queue
import random
import termios
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hw_sim.errors import ConfigError, SimError
from hw_sim.line import Line
from hw_sim.pn532_air import LINE_FAULTS, Air, Pad, ReaderFaults
from hw_sim.pn532_chip import Chip, Counts
from hw_sim.pn532_frames import ACK, ERROR, Ack, Command, Nack, Parser, encode

__all__ = ["Pad", "Pn532", "ReaderFaults"]

_SPEEDS: Final = {
    getattr(termios, f"B{baud}"): baud
    for baud in (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
    if hasattr(termios, f"B{baud}")
}
_ACK_S: Final = 0.001
_FIELD_S: Final = 0.005
_PER_TAG_S: Final = 0.004
_LIST: Final = 0x4A
_WAIT_S: Final = 5.0
_SHORT: Final = 3


class Pn532:
    """One reader with its line, in a thread of its own. A context manager.

    Args:
        path: The stable path of its serial line.
        tags: Gives the UIDs (hex) that lie on it; a `Pad`, or anything that knows.
        faults: What is broken; None for nothing.
        seed: Of its chances.
        timed: Let wire and field take their time (10 to 20 ms a read); else it answers at once.
        monotonic: Real seconds.
    """

    def __init__(
        self,
        path: Path,
        tags: Callable[[], Iterable[str]],
        *,
        faults: ReaderFaults | None = None,
        seed: str = "",
        timed: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.air = Air(tags, faults or ReaderFaults(), seed)
        self.chip = Chip(self.air)
        self._line = Line(path)
        self._parser = Parser()
        self._rng = random.Random(f"{seed}/line")
        self._timed = timed
        self._monotonic = monotonic
        self._provoked: list[tuple[str, int | None]] = []
        self._due: list[tuple[float, bytes]] = []
        self._last = b""
        self._stalled = False
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake_read = self._wake_write = -1
        self._stopping = False
        self._thread: threading.Thread | None = None

    # -- what a test or a person does ------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Where its line is plugged in."""
        return self._line.path

    @property
    def counts(self) -> Counts:
        """What it was asked so far."""
        return self.chip.counts

    @property
    def bad_frames(self) -> int:
        """Frames from the host that were none."""
        return self._parser.bad

    def start(self) -> None:
        """Plug it in and let it live."""
        if self._thread is not None:
            raise SimError("the reader is plugged in already", where=str(self.path))
        self._wake_read, self._wake_write = os.pipe()
        self._line.plug()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"pn532 {self.path.name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pull it out and end its thread. Closing twice is the same."""
        if self._thread is None:
            return
        self._stopping = True
        os.write(self._wake_write, b"!")
        self._thread.join(_WAIT_S)
        if self._thread.is_alive():
            raise SimError("the reader's thread did not end", where=str(self.path))
        self._thread = None
        self._line.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def unplug(self) -> None:
        """Pull the cable, and with it the supply."""

        def pull() -> None:
            self._line.unplug()
            self.chip.power_on()
            self._forget()

        self._call(pull)

    def plug(self) -> None:
        """Put the cable back: the same path, another terminal."""
        self._call(self._line.plug)

    def set_faults(self, faults: ReaderFaults) -> None:
        """Break it otherwise from now on, or mend it."""

        def change() -> None:
            self.air.faults = faults

        self._call(change)

    def provoke(self, name: str, times: int = 1, *, command: int | None = None) -> None:
        """Let a fault of the line hit the next so many commands (of one code), whatever the shares say.

        Raises:
            ConfigError: No fault of the line is called so.
        """
        if name not in LINE_FAULTS:
            raise ConfigError(f"no fault of a reader's line is called {name!r}", hint=", ".join(LINE_FAULTS))
        self._call(lambda: self._provoked.extend([(name, command)] * times))

    def _call(self, what: Callable[[], None]) -> None:
        """Let something happen in the reader's own thread, and wait until it has."""
        if self._thread is None:
            what()
            return
        done = threading.Event()

        def and_tell() -> None:
            what()
            done.set()

        self._calls.put(and_tell)
        os.write(self._wake_write, b"!")
        if not done.wait(_WAIT_S):
            raise SimError("the reader's thread does not answer", where=str(self.path))

    # -- its life -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping:
            wait = _WAIT_S if not self._due else self._due[0][0] - self._monotonic()
            self._line.wait(wait, self._wake_read)
            data = self._line.read()
            if data:
                self._take(data)
            self._send_due()
            while not self._calls.empty():
                os.read(self._wake_read, 1)
                self._calls.get()()

    def _forget(self) -> None:
        self._parser.clear()
        self._due.clear()
        self._last = b""
        self._stalled = False

    def _host_baud(self) -> int:
        # the settings of a pseudo-terminal are those of its other side
        return _SPEEDS.get(termios.tcgetattr(self._line.fileno())[5], 0)

    def _take(self, data: bytes) -> None:
        chip = self.chip
        host = self._host_baud()
        # an ACK that lets the speed change was sent at the old one, whatever the terminal says by now; and where a UART
        # would have sent it, a pseudo-terminal that is flushed has thrown it away
        if chip.next_baud is not None and host == chip.next_baud:
            chip.acknowledged()
        elif chip.next_baud is None and host != chip.baud:
            chip.counts.garbled += len(data)
            data = self._rng.randbytes(len(data))
        if chip.asleep:
            data = chip.wake(data)
        for frame in self._parser.feed(data, self._monotonic()):
            self._frame(frame)

    def _frame(self, frame: Command | Ack | Nack) -> None:
        chip = self.chip
        if isinstance(frame, Command):
            self._give_up()
            self._command(frame)
        elif isinstance(frame, Ack):
            chip.counts.acks += 1
            self._give_up()
            chip.acknowledged()
        else:
            chip.counts.nacks += 1
            self._say(self._last, 0.0)

    def _give_up(self) -> None:
        """Whatever is under way ends without an answer."""
        if self._stalled or self._due:
            self.chip.counts.aborted += 1
        self._stalled = False
        self._due.clear()

    def _command(self, command: Command) -> None:
        fault = self._fault(command.code)
        if fault is not None:
            self.chip.counts.faults[fault] += 1
        if fault == "no_ack":
            return
        self._say(ACK, _ACK_S)
        if fault == "stall":
            self._stalled = True
            return
        data = None if fault == "error_frame" else self.chip.obey(command)
        answer = ERROR if data is None else encode((command.code + 1) & 0xFF, data)
        if fault == "short_frame":
            answer = answer[:_SHORT]
        elif fault == "bad_checksum":
            answer = answer[:-2] + bytes((answer[-2] ^ 0x55,)) + answer[-1:]
        self._last = answer
        # before the host can know of it, so that nobody sees a chip that has answered and is still awake
        self.chip.answered()
        tags = data[0] if command.code == _LIST and data else 0
        self._say(answer, _ACK_S + (_FIELD_S + tags * _PER_TAG_S if command.code == _LIST else 0.0))

    def _fault(self, code: int) -> str | None:
        for at, (name, wanted) in enumerate(self._provoked):
            if wanted in (None, code):
                del self._provoked[at]
                return name
        for name in LINE_FAULTS:
            share = getattr(self.air.faults, name)
            if share and self._rng.random() < share:
                return name
        return None

    def _say(self, answer: bytes, after: float) -> None:
        if not self._timed:
            self._write(answer)
            return
        busy = self._due[-1][0] if self._due else self._monotonic()
        self._due.append((busy + after + len(answer) * 10 / self.chip.baud, answer))

    def _send_due(self) -> None:
        now = self._monotonic()
        while self._due and self._due[0][0] <= now:
            self._write(self._due.pop(0)[1])

    def _write(self, answer: bytes) -> None:
        if self._line.plugged and self._host_baud() != self.chip.baud:
            answer = self._rng.randbytes(len(answer))
        self._line.write(answer)
