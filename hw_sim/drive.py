"""What drives a simulated table: the wire, people, virtual time and real time, one step after the other.

Above speed 0 due things wait for their real time. At speed 0 time jumps to the next due thing as soon as every
frame is acknowledged and the people have nothing to do; while they wait for an order the controller is first
given a moment to speak. Nothing sleeps but on the wire, with a deadline.

Does not model: anything of the table; it only lets things happen.
"""

import os
import queue
import time
from collections.abc import Callable

from hw_sim.clock import Agenda, Pace
from hw_sim.crew import Crew
from hw_sim.errors import SimError
from hw_sim.line import Line
from hw_sim.link import Link

_PATIENCE_S = 0.1
_POLL_S = 0.0005


class Drive:
    """The loop of one table, step by step.

    Args:
        speed: Virtual seconds a real second, 0 as fast as the other end follows.
        settle_s: At speed 0: real seconds that the controller gets to speak before time jumps on.
        contact_s: Real seconds until somebody must have opened the line, or come back to it.
        settled: Where the caller can tell: whether the controller has worked off all it was sent.
        lost: Makes the error to raise, from what was waited for.
    """

    def __init__(
        self,
        agenda: Agenda,
        line: Line,
        link: Link,
        crew: Crew,
        *,
        speed: float,
        settle_s: float,
        contact_s: float,
        settled: Callable[[], bool] | None,
        lost: Callable[[str], SimError],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._agenda = agenda
        self._line = line
        self._link = link
        self._crew = crew
        self._settle_s = settle_s
        self._contact_s = contact_s
        self._settled = settled
        self._lost = lost
        self._monotonic = monotonic
        self._pace = Pace(speed, monotonic)
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._settled_at = -1
        self._lost_since: float | None = None
        self._wake_read, self._wake_write = os.pipe()

    def close(self) -> None:
        """Put the descriptors away. Closing twice is the same."""
        if self._wake_read >= 0:
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read = self._wake_write = -1

    def call(self, what: Callable[[], None]) -> None:
        """From another thread: let something happen in this one, at once."""
        self._calls.put(what)
        os.write(self._wake_write, b"!")

    def set_speed(self, speed: float) -> None:
        """Go on at another speed from this moment."""
        self._pace = Pace(speed, self._monotonic)
        self._pace.start(self._agenda.now)

    def meet(self, stopping: Callable[[], bool]) -> None:
        """Hold time until the controller has said its first word.

        Raises:
            SimulationStuck: Nobody opened the line in time.
        """
        deadline = self._monotonic() + self._contact_s
        while not self._link.contacted and not stopping():
            if self._monotonic() > deadline:
                raise self._lost(f"somebody to open {self._line.path} and speak")
            self._listen(deadline)
        self._pace.start(self._agenda.now)

    def turn(self) -> None:
        """One step: the next due thing, or a wait for the wire or for time to pass.

        Raises:
            SimulationStuck: The controller went away and did not come back in time.
        """
        self._attend()
        agenda, pace = self._agenda, self._pace
        due = agenda.next_time()
        if due is None:
            self._listen(self._monotonic() + _PATIENCE_S)
        elif pace.speed > 0:
            wait = pace.real_wait(due)
            if wait <= 0:
                agenda.run_next()
            else:
                self._listen(self._monotonic() + wait)
                agenda.now = max(agenda.now, min(pace.virtual(), due))
        elif due <= agenda.now:
            agenda.run_next()
        elif self._held():
            # nothing on the wire tells when bytes were read: look again soon
            self._listen(self._monotonic() + (_PATIENCE_S if self._link.waiting else _POLL_S))
        elif self._has_spoken():
            agenda.run_next()

    def _listen(self, until: float) -> bool:
        """Wait on the wire, at most until this real time; obey and resend what is due.

        Returns:
            Whether anything came.
        """
        due = self._link.next_deadline()
        wait = (until if due is None else min(due, until)) - self._monotonic()
        came = self._line.wait(wait, self._wake_read)
        self._attend()
        return came

    def _attend(self) -> None:
        """Take everything that the wire and other threads have brought by now."""
        link = self._link
        link.pump()
        due = link.next_deadline()
        if due is not None and self._monotonic() >= due:
            link.tend()
        while not self._calls.empty():
            os.read(self._wake_read, 1)
            self._calls.get()()
            self._crew.stir()
        self._crew.look()

    def _held(self) -> bool:
        """At speed 0: whether time must stand because a frame has no answer yet or was not even read."""
        link = self._link
        if not (link.open and link.peer_lost):
            self._lost_since = None
            return link.open and (link.waiting or self._line.unread > 0)
        now = self._monotonic()
        if self._lost_since is None:
            self._lost_since = now
        elif now - self._lost_since > self._contact_s:
            raise self._lost("the controller to come back to the line")
        return True

    def _has_spoken(self) -> bool:
        """At speed 0: give the controller its moment to answer what it was sent, if people wait for it."""
        sent = self._link.counts.sent
        if sent == self._settled_at or (self._settled is None and not self._crew.idle):
            # A controller that cannot be asked is only waited for while the people wait as well.
            return True
        if self._settled is not None:
            if not self._settled():
                self._listen(self._monotonic() + _POLL_S)
                return False
        elif self._listen(self._monotonic() + self._settle_s):
            return False
        self._settled_at = sent
        return True
