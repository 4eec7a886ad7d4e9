"""Faults by name, each with a seed: what is broken at this table, and when.

`miss`, `ghost` and `bleed` are shares of reads; `crc_flip`, `drop_ack` and `dup_frame` shares of frames;
`bounce` a share of presses. `stall`, `reboot` and `unplug` are events: a number is how many an hour of
virtual time, the bare name is one, early in the play.

Does not model: broken cameras, GPIO chips, brokers or disks; a fault of the controller's own machine.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

from hw_sim.antennas import Rates
from hw_sim.errors import ConfigError

# What a fault named without a number means.
_BARE: Final = {
    "miss": 0.01,
    "ghost": 0.0001,
    "bleed": 0.001,
    "crc_flip": 0.001,
    "drop_ack": 0.01,
    "dup_frame": 0.01,
    "bounce": 0.2,
}
EVENTS: Final = ("stall", "reboot", "unplug")
NAMES: Final = (*_BARE, *EVENTS)


@dataclass(frozen=True)
class Faults:
    """What is broken. Shares are 0 to 1; events are numbers an hour, or `once` by name."""

    miss: float = 0.0
    ghost: float = 0.0
    bleed: float = 0.0
    crc_flip: float = 0.0
    drop_ack: float = 0.0
    dup_frame: float = 0.0
    bounce: float = 0.0
    stall: float = 0.0
    reboot: float = 0.0
    unplug: float = 0.0
    once: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "once":
                continue
            most = 1000.0 if field.name in EVENTS else 1.0
            if not 0.0 <= value <= most:
                raise ConfigError(f"fault {field.name}={value}", hint=f"0 to {most:g}")
        for name in self.once:
            if name not in EVENTS:
                raise ConfigError(f"{name} is no fault that happens once", hint=", ".join(EVENTS))

    @classmethod
    def parse(cls, text: str) -> "Faults":
        """Read `miss=0.05,ghost=0.01,unplug`; the empty text is no fault at all.

        Raises:
            ConfigError: An unknown name, or a number that is none or out of range.
        """
        values: dict[str, float] = {}
        once: list[str] = []
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, equals, number = item.partition("=")
            if name not in NAMES:
                raise ConfigError(f"no fault is called {name!r}", hint="known: " + ", ".join(NAMES))
            if not equals:
                if name in EVENTS:
                    once.append(name)
                else:
                    values[name] = _BARE[name]
                continue
            try:
                values[name] = float(number)
            except ValueError:
                raise ConfigError(f"fault {name}: {number!r} is no number") from None
        return cls(once=tuple(once), **values)

    def worsen(self, rates: Rates) -> Rates:
        """The antennas' rates with these faults on top (the worse of the two counts)."""
        return replace(
            rates,
            centre=max(rates.centre, self.miss),
            ghost=max(rates.ghost, self.ghost),
            bleed=max(rates.bleed, self.bleed),
        )

    def times(self, name: str, seed: str) -> Iterator[float]:
        """Virtual seconds at which an event of this name happens, for ever or once."""
        rng = random.Random(f"{seed}/fault/{name}")
        if name in self.once:
            yield rng.uniform(15.0, 60.0)
        rate = getattr(self, name)
        t = 0.0
        while rate:
            t += rng.expovariate(rate / 3600.0)
            yield t
