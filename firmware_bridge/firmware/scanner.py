"""One reader visits its antennas in turn; a reader that does not answer is reported and started again.

A reader's work is a generator that is advanced by one step on each turn of the main loop, so that buttons, lamps, shoe
and line never wait for the air.
"""

SILENT_MS = 1000
START_AGAIN_MS = 1000


class ReaderSilent(OSError):
    """A reader chip does not answer as its data sheet says."""


class Scanner:
    """The round of one reader over its antennas.

    Args:
        reader: The chip's driver: `start()` and `inventory(channel, dwell_ms)` are generators; the first ends when the
            chip is configured, the second with `(uids, quality)`. Both raise OSError when the chip does not answer.
        antennas: Its antennas.
        period_ms: Least time of one round.
        read: `read(antenna, uids, quality, cycle)` is told what was read.
        silent: `silent(antenna)` is told, once, that the reader has answered nothing for a second.
    """

    def __init__(self, reader, antennas, period_ms, read, silent):
        self.reader = reader
        self.antennas = antennas
        self._period_ms = period_ms
        self._read = read
        self._silent = silent
        self._plan = [(antenna, 0) for antenna in antennas]
        self._at = 0
        self._cycle = 0
        self._round_ends = 0
        self._running = None  # the antenna at work; None while the chip is being started
        self._task = None
        self._started = False
        self._failing_since = None
        self._told = False
        self._again_at = 0

    def plan(self, visits):
        """Read these antennas from now on, as (antenna, dwell in ms) in this order; others' antennas are left out."""
        self._plan = [(antenna, dwell_ms) for antenna, dwell_ms in visits if antenna in self.antennas]
        self._at = 0

    def step(self, now):
        """Go on by one small step."""
        if self._task is None and not self._begin(now):
            return
        try:
            next(self._task)
        except StopIteration as end:
            self._task = None
            self._failing_since = None
            self._told = False
            if self._running is None:
                self._started = True
            else:
                uids, quality = end.value
                self._read(self._running, uids, quality, self._cycle)
        except OSError:
            self._task = None
            self._failed(now)

    def _begin(self, now):
        if not self._started:
            if now < self._again_at:
                return False
            self._running = None
            self._task = self.reader.start()
            return True
        if self._at >= len(self._plan):
            if now < self._round_ends:
                return False
            self._at = 0
        if not self._plan:
            return False
        if self._at == 0:
            self._cycle = (self._cycle + 1) & 0xFFFFFFFF
            self._round_ends = now + self._period_ms
        self._running, dwell_ms = self._plan[self._at]
        self._at += 1
        self._task = self.reader.inventory(self._running.channel, dwell_ms)
        return True

    def _failed(self, now):
        """One miss may be a bad contact; a second of nothing is a silent reader, to be started again and again."""
        if self._failing_since is None:
            self._failing_since = now
        self._started = False
        self._again_at = now
        if now - self._failing_since >= SILENT_MS:
            self._again_at = now + START_AGAIN_MS
            if not self._told:
                self._told = True
                self._silent(self._running or self.antennas[0])
