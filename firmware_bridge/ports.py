"""Where a device is plugged in: waiting for its path, and finding it by its serial number when its name has changed.

The system gives a device that comes back the next free name (`/dev/ttyACM1` where it was `/dev/ttyACM0`), and its old name may
by then be another device's. The links of `/dev/serial/by-id` carry the serial number and follow the device.
"""

import re
import threading
import time
from pathlib import Path
from typing import Final

BY_ID: Final = Path("/dev/serial/by-id")
LOOK_AGAIN: Final = 0.1
"""A path that is not there is looked for so often (seconds); a look costs one call of the system."""
_SHORTEST_SERIAL: Final = 4
"""A shorter serial number could be part of any name."""


def wait_for_port(stop: threading.Event, path: str, seconds: float, by_id: Path = BY_ID) -> None:
    """Wait before a port is opened again: so long, or until something is plugged in that was not there.

    Args:
        stop: Ends the wait.
        path: The port.
        seconds: The most to wait (real time).
        by_id: Folder of the links by serial number, in which a new one ends the wait as well.
    """
    until = time.monotonic() + seconds
    before = _there(path, by_id)
    while (left := until - time.monotonic()) > 0:
        if stop.wait(min(LOOK_AGAIN, left)):
            return
        now = _there(path, by_id)
        if now - before:
            return
        # what is pulled out during the wait and put back has come as well
        before = now


def _there(path: str, by_id: Path) -> frozenset[str]:
    """What is plugged in, by the names that matter here."""
    try:
        links = {str(link) for link in by_id.iterdir()}
    except OSError:
        links = set()
    return frozenset(links | {path}) if Path(path).exists() else frozenset(links - {path})


def find_port(path: str, serial: str, by_id: Path = BY_ID) -> str:
    """The port of a board whose serial number is known: its own path, unless the board is plainly somewhere else.

    Args:
        path: The path of the configuration.
        serial: What the board last said its serial number is; empty when it never did.
        by_id: Folder of the links by serial number.
    """
    link = _link_of(serial, by_id)
    if link is None or (Path(path).exists() and Path(path).resolve() == link.resolve()):
        return path
    return str(link)


def _link_of(serial: str, by_id: Path) -> Path | None:
    """The link that carries this serial number; None where there is none, or more than one device has it."""
    # the system writes anything that is not plain as _
    wanted = re.sub(r"[^A-Za-z0-9#+\-.:=@_]", "_", serial)
    if len(wanted) < _SHORTEST_SERIAL:
        return None
    whole = re.compile(rf"(?:^|[_-]){re.escape(wanted)}(?:[_-]|$)")
    try:
        links = [link for link in sorted(by_id.iterdir()) if whole.search(link.name) and link.exists()]
    except OSError:
        return None
    return links[0] if len({link.resolve() for link in links}) == 1 else None
