"""Single reads of a reader made into the level of its antenna: what was read lately, and how well.

A PN532 with two tags gives 2, 1, 0, 2, 1, 0; a still tag may come every second time. What was read at least once in the
last window is present; how often it was read since it first came is its quality. So a card that flickers stays one
card of middling quality, and a card is gone from the level only when a whole window passed without it. That
it was not read proves nothing by itself; what its absence means is for the table to say.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

WINDOW: Final = 0.4
"""What was read within so many seconds is the level: one cycle of a card antenna."""
REPEAT: Final = 1.0
"""The level is told again after so many seconds, so that a lost one heals."""
STEP: Final = 10
"""A change of quality of so many points is told."""


class Level(msgspec.Struct, frozen=True):
    """What lies on an antenna; its text form leaves the UIDs out.

    Attributes:
        uids: Upper-case hex, sorted.
        quality: 0 to 100: in how many of the reads since it first came a tag was read, the mean of all tags; with no
            tag, in how many reads the reader answered.
        cycle: Number of the window; tags of one window have no order.
    """

    uids: tuple[str, ...]
    quality: int
    cycle: int

    def __repr__(self) -> str:
        return f"Level(uids=<{len(self.uids)} tags>, quality={self.quality}, cycle={self.cycle})"


class _Read(msgspec.Struct, frozen=True):
    at: float
    uids: frozenset[str] | None


class Reading:
    """The reads of one antenna within the last window. Its time is real time (seconds), given with each call."""

    def __init__(self, window: float = WINDOW, repeat: float = REPEAT) -> None:
        """Take what was read within `window` seconds for the level, and tell it at least every `repeat` seconds."""
        self._window = window
        self._repeat = repeat
        self._reads: deque[_Read] = deque()
        self._began: float | None = None
        self._told: Level | None = None
        self._told_at = 0.0
        self._asked = False
        self._last_cycle = 0
        self._first_cycle = 0

    def forget(self) -> None:
        """The reader was away: nothing is known any more."""
        self._reads.clear()
        self._began = None
        self._told = None
        self._first_cycle = self._last_cycle + 1

    def ask(self) -> None:
        """Tell the level with the next read, whether or not it is news."""
        self._asked = True

    def take(self, now: float, uids: Iterable[str] | None) -> Level | None:
        """One read: the UIDs read, None for a read that failed.

        Returns:
            The level, where there is something to tell: a tag more, a tag less, another quality, or the time is up. The
            first level without any tag is told after a whole window, not after one read.
        """
        if self._began is None:
            self._began = now
        self._reads.append(_Read(now, None if uids is None else frozenset(uids)))
        while self._reads[0].at < now - self._window:
            self._reads.popleft()
        level = self._level(now, self._began)
        if not self._news(level, now, self._began):
            return None
        self._told, self._told_at = level, now
        self._asked = False
        return level

    def _level(self, now: float, began: float) -> Level:
        self._last_cycle = cycle = (self._first_cycle + int((now - began) / self._window)) % 2**32
        seen: dict[str, int] = {}
        since: dict[str, int] = {}
        for place, read in enumerate(self._reads):
            for uid in read.uids or ():
                seen[uid] = seen.get(uid, 0) + 1
                since.setdefault(uid, place)
        reads = len(self._reads)
        if seen:
            shares = [count / (reads - since[uid]) for uid, count in seen.items()]
        else:
            shares = [sum(read.uids is not None for read in self._reads) / reads]
        return Level(tuple(sorted(seen)), round(100 * sum(shares) / len(shares)), cycle)

    def _news(self, level: Level, now: float, began: float) -> bool:
        told = self._told
        if told is None:
            # a window in which nothing but failures came tells nothing
            return bool(level.uids) or (now - began >= self._window and level.quality > 0)
        if self._asked or level.uids != told.uids:
            return True
        passed = now - self._told_at
        return passed >= self._repeat or (
            passed >= self._window and abs(level.quality - told.quality) >= STEP
        )
