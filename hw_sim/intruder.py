"""Another program at the port: one that asks for the lock as it should, and one that just reads.

Does not model: a program that writes, or one of another user whom the system turns away.
"""

import contextlib
import fcntl
import os
from pathlib import Path


class Intruder:
    """A second opener of the serial port, at the Pi's own end.

    Attributes:
        refused: It was told that the port is taken, and has gone.
        stolen: Bytes that it has read away.
    """

    def __init__(self, path: Path, *, polite: bool) -> None:
        """Open the port; a polite one asks for the lock that serial programs share."""
        self.refused = False
        self.stolen = 0
        self._fd = -1
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            if polite:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.refused = True
            self.close()

    @property
    def there(self) -> bool:
        """Whether it has the port open."""
        return self._fd >= 0

    def steal(self) -> None:
        """Read away what is there for the Pi just now."""
        if self.there:
            with contextlib.suppress(OSError):
                self.stolen += len(os.read(self._fd, 4096))

    def close(self) -> None:
        """Go. Going twice is the same."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
