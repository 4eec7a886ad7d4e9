"""What every test is held to: no thread and no file descriptor outlives it."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Threads and descriptors that belong to the runner, not to a test.
_RUNNER_THREADS = ("pytest-timeout", "pydevd", "asyncio_")
_GRACE_S = 2.0


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.name.startswith(_RUNNER_THREADS)}


def _descriptors() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if not target.startswith(("/dev/null", "/proc/", "anon_inode:[eventpoll]")):
            found[entry.name] = target
    return found


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    """Fail a test that leaves a thread or an open descriptor behind."""
    threads, descriptors = _threads(), _descriptors()
    yield
    deadline = time.monotonic() + _GRACE_S
    left = _threads() - threads
    while left and time.monotonic() < deadline:
        for thread in left:
            thread.join(0.05)
        left = _threads() - threads
    if left:
        pytest.fail(f"threads left running: {sorted(thread.name for thread in left)}")
    opened = {fd: target for fd, target in _descriptors().items() if descriptors.get(fd) != target}
    if opened:
        gc.collect()
        opened = {fd: target for fd, target in _descriptors().items() if descriptors.get(fd) != target}
    if opened:
        pytest.fail(f"descriptors left open: {opened}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded hands and scenarios; tests that need it skip where it is absent."""
    folder = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no shared data beside the project")
    return folder


@pytest.fixture
def closing() -> Iterator[list[Any]]:
    """What is to be closed at the end, last first."""
    things: list[Any] = []
    yield things
    while things:
        things.pop().close()
