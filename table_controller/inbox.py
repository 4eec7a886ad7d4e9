"""The table's queue, which also knows whether everything that came in has been worked off."""

from __future__ import annotations

import queue
import threading
from typing import TypeVar

_T = TypeVar("_T")


class Inbox(queue.SimpleQueue[_T]):
    """Observations and news on their way to the table's thread, counted from the putting to the end of the work."""

    def __init__(self) -> None:
        super().__init__()
        self._guard = threading.Lock()
        self._open = 0

    def put(self, item: _T, block: bool = True, timeout: float | None = None) -> None:
        """Add something, from any thread."""
        with self._guard:
            self._open += 1
        super().put(item, block, timeout)

    def worked_off(self, count: int) -> None:
        """What came of so many things taken is written and shown."""
        with self._guard:
            self._open -= count

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing taken is still being worked on."""
        with self._guard:
            return self._open == 0
