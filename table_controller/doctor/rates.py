"""How well each antenna reads: the last ten seconds of every one, and a guided walk whose results are kept.

Only numbers of tags leave this module, never which tags. Its time is the table's. What is heard comes from the table's
thread, what is asked from any.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.observations import Inventory, Observation
from table_controller.enrolment.files import write_whole
from table_controller.errors import TableError
from table_controller.fusion import Coverage

WINDOW: Final = 10.0
STEPS: Final = {"one": 1, "two": 2, "three": 3, "chips": 1, "metal": 1, "hand": 1}
"""The walk over one antenna, and how many cards lie there in each step."""

Key = tuple[str, int]


class RatesError(TableError):
    """A measurement cannot be made or kept."""

    code = "antenna_rates"
    default_hint = "lay the cards, then measure again"


class Row(msgspec.Struct, frozen=True):
    """One antenna as it reads now.

    Attributes:
        antenna: ``device:number``.
        places: What lies above it.
        present: Tags on it now.
        rate: Share of the last ten seconds in which the tags that lie there were read, 0 to 1; None without any.
        elsewhere: Places whose antenna reads one of its tags as well.
        quality: The reader's own judgement, 0 to 100.
        measured: Missed share by step of the walk, as far as it was gone.
        busy: The step that is being measured, empty for none.
        left: Seconds until it is measured.
    """

    antenna: str
    places: tuple[str, ...]
    present: int
    rate: float | None
    elsewhere: tuple[str, ...]
    quality: int
    measured: dict[str, float]
    busy: str = ""
    left: float = 0.0


class _Antenna:
    def __init__(self, places: tuple[str, ...]) -> None:
        self.places = places
        self.levels: deque[tuple[float, frozenset[str]]] = deque()
        self.quality = 100

    def take(self, t: float, uids: frozenset[str], quality: int) -> None:
        self.levels.append((t, uids))
        self.quality = quality
        while len(self.levels) > 1 and self.levels[1][0] <= t - 2 * WINDOW:
            self.levels.popleft()

    @property
    def now(self) -> frozenset[str]:
        return self.levels[-1][1] if self.levels else frozenset()

    def shares(self, since: float, now: float, *, whole: bool) -> list[float]:
        """For each tag read since then, the share of the time in which it was: from then on, or from its first read."""
        first: dict[str, float] = {}
        read: dict[str, float] = {}
        levels = list(self.levels)
        for at, (t, uids) in enumerate(levels):
            end = levels[at + 1][0] if at + 1 < len(levels) else now
            begin = max(t, since)
            if end <= since or end <= begin:
                continue
            for uid in uids:
                first.setdefault(uid, begin)
                read[uid] = read.get(uid, 0.0) + end - begin
        return sorted((read[uid] / (now - (since if whole else first[uid])) for uid in read), reverse=True)


class Measuring:
    """All antennas of one table."""

    def __init__(self, coverage: Coverage, path: Path, changed: Callable[[], None] = lambda: None) -> None:
        """Begin with what was measured before.

        Args:
            coverage: Which places lie above which antenna.
            path: Where the walk's results are kept.
            changed: Told when a step has been measured.
        """
        self._coverage = coverage
        self._path = path
        self._changed = changed
        self._lock = threading.Lock()
        self._now = 0.0
        self._antennas: dict[Key, _Antenna] = {}
        self._walk: tuple[Key, str, float] | None = None
        self._measured = _read(path)
        self.trouble: RatesError | None = None

    def hear(self, seen: Observation) -> None:
        """Take an observation of the table."""
        with self._lock:
            self._now = max(self._now, seen.t)
            if isinstance(seen, Inventory):
                places = self._coverage.places(seen)
                if places:
                    antenna = self._antennas.setdefault((seen.device, seen.antenna), _Antenna(places))
                    antenna.take(seen.t, frozenset(seen.uids), seen.quality)
            done = self._due()
        if done:
            self._changed()

    def measure(self, antenna: str, step: str) -> None:
        """Begin to measure a step of the walk on an antenna: ten seconds from now.

        Raises:
            RatesError: There is no such antenna or step, or another one is being measured.
        """
        device, _, number = antenna.rpartition(":")
        if step not in STEPS:
            raise RatesError(f"there is no step {step!r}", where=antenna, hint=", ".join(STEPS))
        with self._lock:
            key = (device, int(number) if number.isdecimal() else -1)
            if key not in self._antennas:
                raise RatesError("no antenna of this name has spoken", where=antenna)
            if self._walk is not None:
                raise RatesError("another step is being measured", where=antenna, hint="wait ten seconds")
            self._walk = (key, step, self._now)

    def rows(self) -> list[Row]:
        """Every antenna that has spoken, in the order of boards and numbers."""
        with self._lock:
            return [self._row(key) for key in sorted(self._antennas)]

    # -- inside, with the lock ------------------------------------------------------------------------------

    def _row(self, key: Key) -> Row:
        antenna = self._antennas[key]
        present = antenna.now
        shares = antenna.shares(self._now - WINDOW, self._now, whole=False)
        elsewhere = {
            place for other, each in self._antennas.items() if other != key and each.now & present
            for place in each.places
        }  # fmt: skip
        busy = self._walk if self._walk is not None and self._walk[0] == key else None
        return Row(
            antenna=f"{key[0]}:{key[1]}",
            places=antenna.places,
            present=len(present),
            rate=sum(shares) / len(shares) if shares else None,
            elsewhere=tuple(sorted(elsewhere)),
            quality=antenna.quality,
            measured=dict(self._measured.get(antenna.places[0], {})),
            busy=busy[1] if busy else "",
            left=max(0.0, busy[2] + WINDOW - self._now) if busy else 0.0,
        )

    def _due(self) -> bool:
        """Whether a step is measured now."""
        if self._walk is None or self._now < self._walk[2] + WINDOW:
            return False
        key, step, since = self._walk
        self._walk = None
        antenna, cards = self._antennas[key], STEPS[step]
        shares = antenna.shares(since, self._now, whole=True)[:cards]
        missed = round(max(0.0, 1.0 - sum(shares) / cards), 4)
        for place in antenna.places:
            self._measured.setdefault(place, {})[step] = missed
        try:
            write_whole(self._path, msgspec.json.format(msgspec.json.encode({"measured": self._measured})))
            self.trouble = None
        except TableError as error:
            self.trouble = RatesError(error.what, where=error.where, hint=error.hint)
        return True


class _File(msgspec.Struct, frozen=True):
    measured: dict[str, dict[str, float]]


def _read(path: Path) -> dict[str, dict[str, float]]:
    """What was measured before; a file that cannot be read is measured anew."""
    try:
        return dict(msgspec.json.decode(path.read_bytes(), type=_File).measured)
    except (OSError, msgspec.MsgspecError):
        return {}


def path_beside(journal: Path) -> Path:
    """Where the measured rates of a table lie."""
    return journal.with_name("measured_rates.json")
