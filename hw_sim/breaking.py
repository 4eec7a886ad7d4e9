"""Breaks a running table by the catalogue of faults: from its start, at a moment, at run time; and writes it into the truth.

Does not model: faults that lead to one another (a supply that sinks before it fails).
"""

import random
from collections.abc import Iterator
from typing import Final

from hw_sim.antennas import Field, Rates
from hw_sim.clock import Agenda, Due
from hw_sim.errors import ConfigError
from hw_sim.faults import EVENTS, Faults
from hw_sim.intruder import Intruder
from hw_sim.lying import Lying
from hw_sim.mcu import Mcu
from hw_sim.truth import TruthLog

_STEALS_EVERY_S: Final = 0.02  # virtual time


class Breaker:
    """What is broken at one table, and the hand that breaks it. All calls in the table's own thread.

    Attributes:
        faults: What is broken now.
        intruder: The other program that was last at the port, if there was any.
    """

    def __init__(
        self,
        agenda: Agenda,
        mcu: Mcu,
        tags: Field,
        lying: Lying,
        truth: TruthLog,
        faults: Faults,
        rates: Rates,
        seed: str,
    ) -> None:
        """Take the table's parts; `rates` is how its antennas read with nothing broken."""
        self.faults = faults
        self.intruder: Intruder | None = None
        self._agenda = agenda
        self._mcu = mcu
        self._tags = tags
        self._lying = lying
        self._truth = truth
        self._rates = rates
        self._seed = seed
        self._due: dict[str, Due] = {}

    def begin(self) -> None:
        """Put the events of the faults on the agenda."""
        for name in EVENTS:
            self._next(name, self.faults.times(name, self._seed))

    def change(self, text: str) -> Faults:
        """Set or mend faults from now on, by the words of the catalogue; an event without a number strikes at once.

        Raises:
            ConfigError: An unknown fault, or a number out of range; nothing was changed.
        """
        before, now = self.faults, self._agenda.now
        changed = before.changed(text)
        struck = changed.once
        self.faults = faults = changed.changed("")
        self._mcu.set_faults(faults)
        self._tags.set_rates(faults.worsen(self._rates))
        self._lying.faults = faults
        self._truth.add(now, "faults", set=str(faults))
        for name in EVENTS:
            if getattr(faults, name) != getattr(before, name):
                due = self._due.pop(name, None)
                if due is not None:
                    due.cancel()
                self._next(name, faults.times(name, self._seed, now))
        for name in struck:
            self.strike(name)
        return faults

    def strike(self, name: str, seconds: float | None = None) -> None:
        """Let an event happen now.

        Args:
            name: An event of the catalogue.
            seconds: For how long, in virtual time; None for a time by the seed.

        Raises:
            ConfigError: No event is called so.
        """
        if name not in EVENTS:
            raise ConfigError(f"no fault called {name!r} happens at a moment", hint=", ".join(EVENTS))
        rng = random.Random(f"{self._seed}/{name}/{self._agenda.now}")
        drawn = rng.uniform(0.5, 5.0)
        lasts = drawn if seconds is None else seconds
        chips = any(a.reads_chips for a in self._tags.antennas.values()) and rng.random() < 0.5
        self._truth.add(self._agenda.now, "fault", name=name, seconds=round(lasts, 3))
        if name == "stall":
            self._mcu.stall(lasts, chips)
        elif name == "reboot":
            self._mcu.reboot()
        elif name == "midframe":
            self._mcu.die_in_frame()
        elif name in ("unplug", "rename"):
            self._mcu.unplug(lasts, renamed=name == "rename")
        else:
            self._intrude(name, lasts)

    def close(self) -> None:
        """Nobody else stays at the port."""
        if self.intruder is not None:
            self.intruder.close()

    def _next(self, name: str, times: Iterator[float]) -> None:
        t = next(times, None)
        if t is None:
            return

        def happen() -> None:
            self.strike(name)
            self._next(name, times)

        self._due[name] = self._agenda.at(t, happen)

    def _intrude(self, name: str, seconds: float) -> None:
        self.close()
        self.intruder = intruder = Intruder(self._mcu.line.path, polite=name == "opener")
        if intruder.refused:
            self._truth.add(self._agenda.now, "refused", name=name)
            return
        self._agenda.after(seconds, intruder.close)
        if name == "thief":
            self._steal(intruder)

    def _steal(self, intruder: Intruder) -> None:
        if intruder.there:
            intruder.steal()
            self._agenda.after(_STEALS_EVERY_S, lambda: self._steal(intruder))
