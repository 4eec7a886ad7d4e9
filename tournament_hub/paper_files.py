"""The sheets as files in the data folder, written again at every change: what is there when the hub is not.

A thread of its own, so that neither disk nor drawing ever holds up the hub. Each file is written beside its place, put
on the disk and then put in the place of the old one: a reader finds a whole sheet, always. Written at most once a
second, and never for more than a tenth of the time.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Generic, TypeVar

ROOM: Final = "room.html"
ALL: Final = "all.html"
PAUSE_S: Final = 1.0
"""Seconds between two writings at least."""
SHARE: Final = 10.0
"""Writing takes one part in so many of the time."""
STOP_DEADLINE: Final = 10.0
_LOG = logging.getLogger("maldonne.hub.paper")
_T = TypeVar("_T")


class PaperWriter(Generic[_T]):
    """Keeps the sheets of every tournament on the disk.

    Args:
        folder: one folder a tournament is made in it.
        draw: file name → text, for a tournament as it was handed in; called on the writer's thread.
        tell: told once when writing fails, and with an empty text when it works again; any thread.
    """

    def __init__(
        self,
        folder: Path,
        draw: Callable[[_T], Mapping[str, str]],
        tell: Callable[[str], object] = lambda fault: None,
    ) -> None:
        self._folder = folder
        self._draw = draw
        self._tell = tell
        self._ready = threading.Condition()
        self._waiting: dict[str, _T] = {}
        self._written: dict[Path, str] = {}
        self._closing = False
        self._thread: threading.Thread | None = None
        self.fault = ""
        """Why the sheets on the disk are old; empty when they are not."""

    def put(self, tournament: str, shown: _T) -> None:
        """This is how a tournament stands now; returns at once."""
        with self._ready:
            if self._closing:
                return
            self._waiting[tournament] = shown
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="paper", daemon=True)
                self._thread.start()
            self._ready.notify()

    def close(self) -> None:
        """Write what waits, then end; may be called twice."""
        with self._ready:
            self._closing = True
            self._ready.notify()
            thread = self._thread
        if thread is not None:
            thread.join(STOP_DEADLINE)

    def _run(self) -> None:
        while True:
            with self._ready:
                while not self._waiting and not self._closing:
                    self._ready.wait()
                waiting, self._waiting = self._waiting, {}
                closing = self._closing
            began = time.monotonic()
            for tournament, shown in waiting.items():
                self._write(tournament, shown)
            if closing:
                return
            rest = max(PAUSE_S, SHARE * (time.monotonic() - began))
            with self._ready:
                self._ready.wait_for(lambda: self._closing, rest)

    def _write(self, tournament: str, shown: _T) -> None:
        try:
            files = self._draw(shown)
            folder = self._folder / tournament
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                self._replace(folder / name, text)
            for old in folder.glob("table-*.html"):
                if old.name not in files:  # a table that is gone must not be played on from paper
                    old.unlink(missing_ok=True)
                    self._written.pop(old, None)
        except OSError as error:
            self._say(f"{error.strerror or error}: {error.filename or self._folder}")
            return
        except Exception as error:  # a sheet that cannot be drawn must not end the others
            _LOG.exception("the paper sheets cannot be drawn")
            self._say(f"{type(error).__name__}")
            return
        self._say("")

    def _replace(self, path: Path, text: str) -> None:
        if self._written.get(path) == text and path.exists():
            return
        fresh = path.with_name(path.name + ".new")
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            fresh.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise
        self._written[path] = text

    def _say(self, fault: str) -> None:
        if fault != self.fault:
            self.fault = fault
            self._tell(fault)


_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)
