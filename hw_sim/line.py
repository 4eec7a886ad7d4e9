"""The serial line as a pseudo-terminal behind a stable path, like `/dev/serial/by-id`.

The slave side stays open here: without that the kernel gives EIO whenever the controller is away. Unplugging
closes both sides and takes the path away; replugging makes a new pseudo-terminal under the same path.

Does not model: baud rate and byte time (`hw_sim.mcu` adds them in virtual time), parity, RTS/CTS, break.
"""

import contextlib
import fcntl
import os
import select
import sys
import termios
import tty
from pathlib import Path

from hw_sim.errors import SimError

# What the kernel holds for a reader that does not read; beyond our own share bytes are lost, as on a UART.
_HELD_BYTES = 65536


class Line:
    """One end of a wire: non-blocking bytes, a path for the other end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lost_bytes = 0
        self._master = -1
        self._slave = -1
        self._out = bytearray()

    @property
    def plugged(self) -> bool:
        """Whether the cable is in."""
        return self._master >= 0

    def plug(self) -> None:
        """Make a new terminal and put the stable path on it.

        Raises:
            SimError: The path is taken by something that is not ours.
        """
        if self.plugged:
            return
        if self.path.exists() and not self.path.is_symlink():
            raise SimError("the path of the serial line is taken by a file", where=str(self.path))
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave, termios.TCSANOW)
        os.set_blocking(self._master, False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.path)

    def unplug(self) -> None:
        """Pull the cable: the other end sees the device vanish. Pulling it twice is the same."""
        if not self.plugged:
            return
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1
        self._out.clear()

    def close(self) -> None:
        """Put everything away."""
        self.unplug()

    def fileno(self) -> int:
        """The descriptor to wait on, -1 when unplugged."""
        return self._master

    def write(self, data: bytes) -> None:
        """Put bytes on the wire; what does not go at once goes later, what does not fit is lost."""
        if not self.plugged:
            return
        room = _HELD_BYTES - len(self._out)
        if len(data) > room:
            self.lost_bytes += len(data) - room
            data = data[:room]
        self._out += data
        self.flush()

    def flush(self) -> None:
        """Put on the wire what is still held."""
        while self._out and self.plugged:
            try:
                sent = os.write(self._master, self._out)
            except BlockingIOError:
                return
            del self._out[:sent]

    def read(self) -> bytes:
        """Take the bytes that have come, none when nothing has."""
        if not self.plugged:
            return b""
        try:
            return os.read(self._master, 65536)
        except BlockingIOError:
            return b""

    @property
    def unread(self) -> int:
        """Bytes on the wire that the other end has not taken yet."""
        if not self.plugged:
            return 0
        waiting = fcntl.ioctl(self._slave, termios.FIONREAD, b"\0\0\0\0")
        return len(self._out) + int.from_bytes(waiting, sys.byteorder)

    def wait(self, seconds: float, *others: int) -> bool:
        """Wait until bytes come, another descriptor is ready, or the time is over.

        Args:
            seconds: Real seconds, the deadline.
            others: Descriptors that end the wait as well.

        Returns:
            Whether something is ready.
        """
        poll = select.poll()
        for other in others:
            poll.register(other, select.POLLIN)
        if self.plugged:
            poll.register(self._master, select.POLLIN | (select.POLLOUT if self._out else 0))
        ready = False
        for descriptor, events in poll.poll(max(0.0, seconds) * 1000.0):
            if descriptor == self._master and events & select.POLLOUT:
                self.flush()
            ready = ready or bool(events & ~select.POLLOUT)
        return ready
