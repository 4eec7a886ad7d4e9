"""The table's virtual time: what is due when, and how it runs against real time.

`Agenda` holds what is due; `Pace` maps virtual seconds to real ones. Speed 1 is life, 10 is ten times
faster, 0 is "as fast as the other end of the wire follows": then only the bench decides when to jump.

Does not model: drift or jitter of the microcontroller's crystal.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from hw_sim.errors import ConfigError


@dataclass(order=True)
class Due:
    """One thing that happens at a virtual time; `cancel` makes it not happen."""

    t: float
    order: int
    call: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        """Strike it off."""
        self.call = None


class Agenda:
    """What is due, in virtual seconds since the table was switched on.

    Things due at one moment happen in the order in which they were written down.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[Due] = []
        self._count = 0

    def at(self, t: float, call: Callable[[], None]) -> Due:
        """Write down a thing for a time; a time that has passed means now."""
        self._count += 1
        due = Due(max(t, self.now), self._count, call)
        heapq.heappush(self._heap, due)
        return due

    def after(self, seconds: float, call: Callable[[], None]) -> Due:
        """Write down a thing for some seconds from now."""
        return self.at(self.now + seconds, call)

    def next_time(self) -> float | None:
        """When the next thing is due, None when nothing is."""
        while self._heap and self._heap[0].call is None:
            heapq.heappop(self._heap)
        return self._heap[0].t if self._heap else None

    def run_next(self) -> None:
        """Go to the next thing's time and let it happen."""
        if self.next_time() is None:
            return
        due = heapq.heappop(self._heap)
        self.now = max(self.now, due.t)
        call, due.call = due.call, None
        if call is not None:
            call()


class Pace:
    """How virtual seconds run against real ones: `speed` virtual seconds a real second, 0 unpaced."""

    def __init__(self, speed: float, monotonic: Callable[[], float]) -> None:
        if speed < 0:
            raise ConfigError(f"speed {speed} is negative", hint="0 is as fast as possible, 1 is real time")
        self.speed = speed
        self._monotonic = monotonic
        self._real = monotonic()
        self._virtual = 0.0

    def start(self, virtual: float) -> None:
        """Tie this virtual time to the present moment (first contact, or time that was held)."""
        self._real = self._monotonic()
        self._virtual = virtual

    def virtual(self) -> float:
        """The virtual time of this moment."""
        return self._virtual + (self._monotonic() - self._real) * self.speed

    def real_wait(self, t: float) -> float:
        """Real seconds until a virtual time, 0 when it has passed. Only for a speed above 0."""
        return max(0.0, (t - self.virtual()) / self.speed)
