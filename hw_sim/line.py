"""The serial line as a pseudo-terminal behind a stable path, like `/dev/serial/by-id`.

The slave side stays open here: without that the kernel gives EIO whenever the controller is away. Unplugging
closes both sides and takes the path away; replugging makes a new pseudo-terminal under the same path. The name that the kernel
gives a device (`/dev/ttyACM0`) is another link, and changes when the device comes back renamed.

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
    """One end of a wire: non-blocking bytes, a path for the other end.

    Attributes:
        path: The stable path, as the system makes it of the device's serial number.
        device: The kernel's own name for it, which ends in a number; None where nobody asks for one.
        terminal: The pseudo-terminal behind both, empty before it was ever plugged in.
    """

    def __init__(self, path: Path, device: Path | None = None) -> None:
        self.path = path
        self.device = device
        self.terminal = ""
        self.lost_bytes = 0
        self._master = -1
        self._slave = -1
        self._left = ""
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
        for link in self._links():
            if link.exists() and not link.is_symlink():
                raise SimError("the path of the serial line is taken by a file", where=str(link))
        self._master, self._slave = os.openpty()
        if os.ttyname(self._slave) == self._left:
            # the system would give the number that has just become free: a renamed device must have another
            taken = self._master, self._slave
            self._master, self._slave = os.openpty()
            for descriptor in taken:
                os.close(descriptor)
        self._left = ""
        self.terminal = os.ttyname(self._slave)
        tty.setraw(self._slave, termios.TCSANOW)
        os.set_blocking(self._master, False)
        for link in self._links():
            link.parent.mkdir(parents=True, exist_ok=True)
            fresh = link.with_name(f".{link.name}.{os.getpid()}.new")
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
            fresh.symlink_to(self.terminal)
            fresh.replace(link)

    def rename(self) -> None:
        """The next time it is plugged in it is another device: another terminal, the kernel's next number.

        Raises:
            SimError: It is plugged in.
        """
        if self.plugged:
            raise SimError("a device is renamed while it is away", where=str(self.path))
        self._left = self.terminal
        if self.device is not None:
            stem = self.device.name.rstrip("0123456789")
            number = int(self.device.name[len(stem) :] or 0) + 1
            self.device = self.device.with_name(f"{stem}{number}")

    def _links(self) -> tuple[Path, ...]:
        return (self.path,) if self.device is None else (self.path, self.device)

    def unplug(self) -> None:
        """Pull the cable: the other end sees the device vanish. Pulling it twice is the same."""
        if not self.plugged:
            return
        for link in self._links():
            with contextlib.suppress(FileNotFoundError):
                link.unlink()
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
