"""The whole stack: real processes, a real broker, the simulator at the other end of the wires."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

#: The full size of every campaign; the sample otherwise.
FULL = bool(os.environ.get("MALDONNE_FULL"))


def until(true: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    """Wait for a condition with a deadline; the test fails when it does not come."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not true():
        if time.monotonic() > end:
            pytest.fail(f"did not happen within {seconds:g} s: {what}")
        pause.wait(0.02)


class Program:
    """A ``maldonne`` command as a real process."""

    def __init__(self, *arguments: str, log: Path) -> None:
        self.log = log
        self._out = log.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "maldonne", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "LANG": "en_GB.UTF-8"},
        )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._out.close()

    def end(self, seconds: float = 20.0) -> int:
        """Ask it to end, as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(seconds)
        self._out.close()
        return status


@pytest.fixture
def full() -> bool:
    return FULL


@pytest.fixture
def wait_until() -> Callable[..., None]:
    return until


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    """Start programs; whatever still runs at the end of the test is killed."""
    started: list[Program] = []

    def start(*arguments: str, log: Path) -> Program:
        started.append(Program(*arguments, log=log))
        return started[-1]

    yield start
    for one in started:
        one.kill()
