"""How a running table's devices are, in a small file beside its journal: for a doctor that may not open them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.devices import Devices
from table_controller.doctor.examination import Finding, findings

EVERY: Final = 2.0
"""Real seconds from one writing to the next."""
FRESH: Final = 15.0
"""A file of a living program that is older is not believed: its loop stands still."""


class _Report(msgspec.Struct, frozen=True):
    pid: int
    devices: tuple[Finding, ...]


class HealthFile:
    """Writes the file while the table runs; it is gone when the table has ended in order."""

    def __init__(
        self, journal: Path, devices: Devices, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path_of(journal)
        self._devices = devices
        self._monotonic = monotonic
        self._due = 0.0

    def tick(self) -> None:
        """Write it if it is time. A disk that does not take it is no matter: this is no record."""
        now = self._monotonic()
        if now < self._due:
            return
        self._due = now + EVERY
        report = _Report(os.getpid(), tuple(findings(self._devices)))
        beside = self._path.with_name(self._path.name + ".new")
        with contextlib.suppress(OSError):
            beside.write_bytes(msgspec.json.encode(report))
            beside.replace(self._path)

    def close(self) -> None:
        """The table ends."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def path_of(journal: Path) -> Path:
    """Where the file of a table lies."""
    return journal.with_name(journal.name + ".devices")


def read_health(journal: Path) -> tuple[Finding, ...] | None:
    """How the devices of the running table are; None when no table of this journal runs.

    A program that was killed leaves its file: its number is asked whether it lives, and the file must be young.
    """
    path = path_of(journal)
    try:
        age = time.time() - path.stat().st_mtime
        report = msgspec.json.decode(path.read_bytes(), type=_Report)
        os.kill(report.pid, 0)
    except PermissionError:
        return report.devices if age < FRESH else None
    except (OSError, msgspec.MsgspecError):
        return None
    return report.devices if age < FRESH else None
