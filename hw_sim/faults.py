"""Faults by name, each with a seed: what is broken at this table, and when.

`CATALOGUE` is the list. A fault is set from the command line, from the simulator's file, at a moment of a scenario and at run
time (`hw_sim.control`), always by the same words: `miss=0.05,metal@seat3,unplug`. Some take a place (`name@place=number`).

Does not model: broken cameras, GPIO chips, brokers or disks; a fault of the controller's own machine.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from hw_sim.antennas import Rates
from hw_sim.errors import ConfigError

Place = tuple[str, str, float]


@dataclass(frozen=True)
class Fault:
    """One row of the catalogue.

    Attributes:
        number: What its number means: a share of `reads`, `cards`, `piles`, `frames`, `replies` or `presses` (0 to 1),
            `seconds`, or `hour`: so many an hour of virtual time.
        bare: What the name without a number means; of what happens an hour, once.
        wire: What happens, as the other end of the wire gets to know it.
        placed: Whether it can be set for one place alone.
    """

    name: str
    number: str
    bare: float
    wire: str
    placed: bool = False

    @property
    def event(self) -> bool:
        """Whether it happens at a moment."""
        return self.number == "hour"

    @property
    def most(self) -> float:
        """The largest number that it can have."""
        return {"hour": 1000.0, "seconds": 60.0}.get(self.number, 1.0)


CATALOGUE: Final[tuple[Fault, ...]] = (
    # -- antennas ------------------------------------------------------------------------------------------
    Fault("miss", "reads", 0.01, "a tag that lies well is not read; misses come in runs", placed=True),
    Fault("burst", "seconds", 1.5, "mean length of a run of misses"),
    Fault("ghost", "reads", 0.0001, "a UID that no tag has, for one read"),
    Fault("bleed", "reads", 0.001, "a tag of a neighbouring antenna is read here as well"),
    Fault("merge", "reads", 0.01, "two tags of one antenna come as one UID that no tag has"),
    Fault("cut", "reads", 0.01, "a 7-byte UID is cut after its first cascade level: 88 and three bytes"),
    Fault("echo", "reads", 0.01, "an empty antenna repeats what the one before it read (a shared buffer)"),
    Fault("stacking", "reads", 0.05, "each of two cards that lie on one another at a seat is not read"),
    Fault(
        "edge", "cards", 0.1, "the card lies at the rim of the field: missed in 15 % of reads", placed=True
    ),
    Fault("metal", "cards", 0.2, "a card guard is put on the hand: missed in 95 % until slid", placed=True),
    Fault("hand", "cards", 0.2, "a hand rests on the card: missed in 5 % of reads", placed=True),
    Fault("flicker", "cards", 0.1, "the card is present every second read", placed=True),
    Fault("piles", "piles", 1.0, "a pile of three cards or more, or the deck, answers nothing at all"),
    # -- the line --------------------------------------------------------------------------------------------
    Fault("crc_flip", "frames", 0.001, "one bit of a frame to the Pi is wrong"),
    Fault("drop_frame", "frames", 0.01, "a frame to the Pi is lost whole"),
    Fault("dup_frame", "frames", 0.01, "a frame to the Pi comes twice"),
    Fault("garbage", "frames", 0.01, "1 to 40 bytes of noise before a frame to the Pi"),
    Fault("drop_ack", "replies", 0.01, "an acknowledgement is lost, in either direction"),
    Fault("late_reply", "replies", 0.01, "a reply to the Pi comes 0.12 to 0.6 s (real) late, after a resend"),
    # -- the panel ---------------------------------------------------------------------------------------------
    Fault("bounce", "presses", 0.2, "the contact opens and closes twice more within 9 ms"),
    Fault("chatter", "presses", 0.1, "the contact opens and closes a thousand times a second while pressed"),
    # -- moments -------------------------------------------------------------------------------------------------
    Fault("stall", "hour", 1.0, "one reader answers nothing; after 1 s FAULT 2"),
    Fault("reboot", "hour", 1.0, "the microcontroller starts again: new boot id, all forgotten"),
    Fault(
        "midframe", "hour", 1.0, "it starts again in the middle of a frame, with its start-up text after it"
    ),
    Fault("unplug", "hour", 1.0, "the cable is pulled, and put back under the same path"),
    Fault(
        "rename", "hour", 1.0, "the cable is pulled and comes back as another device; the stable path follows"
    ),
    Fault("opener", "hour", 1.0, "another program opens the port and asks for its lock; refused, it goes"),
    Fault("thief", "hour", 1.0, "another program opens the port without asking and reads bytes away"),
)
BY_NAME: Final = {fault.name: fault for fault in CATALOGUE}
EVENTS: Final = tuple(fault.name for fault in CATALOGUE if fault.event)
NAMES: Final = tuple(BY_NAME)
LIES: Final = ("edge", "metal", "hand", "flicker")
"""Faults of how a card comes to lie."""


@dataclass(frozen=True)
class Faults:
    """What is broken: numbers by the names of the catalogue, 0 for what is not.

    Attributes:
        once: Names of events that happen once, early in the play.
        at: Faults of single places: name, place, number.
    """

    miss: float = 0.0
    burst: float = 0.0
    ghost: float = 0.0
    bleed: float = 0.0
    merge: float = 0.0
    cut: float = 0.0
    echo: float = 0.0
    stacking: float = 0.0
    edge: float = 0.0
    metal: float = 0.0
    hand: float = 0.0
    flicker: float = 0.0
    piles: float = 0.0
    crc_flip: float = 0.0
    drop_frame: float = 0.0
    dup_frame: float = 0.0
    garbage: float = 0.0
    drop_ack: float = 0.0
    late_reply: float = 0.0
    bounce: float = 0.0
    chatter: float = 0.0
    stall: float = 0.0
    reboot: float = 0.0
    midframe: float = 0.0
    unplug: float = 0.0
    rename: float = 0.0
    opener: float = 0.0
    thief: float = 0.0
    once: tuple[str, ...] = ()
    at: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in BY_NAME:
                _check(field.name, getattr(self, field.name))
        for name, _, number in self.at:
            _check(name, number)
        for name in self.once:
            if name not in EVENTS:
                raise ConfigError(f"{name} is no fault that happens once", hint=", ".join(EVENTS))

    @classmethod
    def parse(cls, text: str) -> "Faults":
        """Read `miss=0.05,metal@seat3,unplug`; the empty text is no fault at all.

        Raises:
            ConfigError: An unknown name, or a number that is none or out of range.
        """
        return cls().changed(text)

    def changed(self, text: str) -> "Faults":
        """These faults with others set or mended (`miss=0`); what the text does not name stays.

        Raises:
            ConfigError: An unknown name, or a number that is none or out of range.
        """
        values: dict[str, Any] = {}
        once: list[str] = []
        at = {(name, place): number for name, place, number in self.at}
        for item in filter(None, (part.strip() for part in text.split(","))):
            word, equals, number = item.partition("=")
            name, _, place = word.strip().partition("@")
            fault = BY_NAME.get(name)
            if fault is None:
                raise ConfigError(f"no fault is called {name!r}", hint="known: " + ", ".join(NAMES))
            if place and not fault.placed:
                raise ConfigError(f"fault {name} is not of one place", hint=f"write {name} alone")
            if fault.event and not equals:
                once.append(name)
                continue
            try:
                # a place that is named without a number is always so
                value = float(number) if equals else (1.0 if place else fault.bare)
            except ValueError:
                raise ConfigError(f"fault {name}: {number!r} is no number") from None
            if place:
                at[name, place] = value
            else:
                values[name] = value
        placed = tuple((name, place, value) for (name, place), value in at.items() if value)
        return replace(self, once=tuple(once), at=placed, **values)

    def __str__(self) -> str:
        words = [f"{name}={getattr(self, name):g}" for name in NAMES if getattr(self, name)]
        words += [f"{name}@{place}={number:g}" for name, place, number in self.at]
        return ",".join([*words, *self.once])

    def of(self, name: str, place: str) -> float:
        """The number of a fault at one place."""
        for fault, where, number in self.at:
            if (fault, where) == (name, place):
                return number
        return float(getattr(self, name))

    def worsen(self, rates: Rates) -> Rates:
        """The antennas' rates with these faults on top (the worse of the two counts)."""
        usual = Rates.typical()

        def under(name: str) -> float:
            """How badly a card is read that lies so: as this table has it, else as is assumed of any."""
            lies = getattr(self, name) or any(fault == name for fault, _, _ in self.at)
            own: float = getattr(rates, name)
            return own or (getattr(usual, name) if lies else 0.0)

        weak = {place: number for name, place, number in self.at if name == "miss"}
        return replace(
            rates,
            centre=max(rates.centre, self.miss),
            edge=under("edge"),
            metal=under("metal"),
            hand=under("hand"),
            overlapped=max(rates.overlapped, self.stacking),
            burst_s=self.burst or rates.burst_s,
            ghost=max(rates.ghost, self.ghost),
            bleed=max(rates.bleed, self.bleed),
            merge=max(rates.merge, self.merge),
            cut=max(rates.cut, self.cut),
            echo=max(rates.echo, self.echo),
            piles=max(rates.piles, self.piles),
            by_place={**(rates.by_place or {}), **weak} or None,
        )

    def times(self, name: str, seed: str, since: float = 0.0) -> Iterator[float]:
        """Virtual seconds at which an event of this name happens from then on, for ever or once."""
        rng = random.Random(f"{seed}/fault/{name}" + (f"/{since}" if since else ""))
        if name in self.once:
            yield since + rng.uniform(15.0, 60.0)
        rate = getattr(self, name)
        t = since
        while rate:
            t += rng.expovariate(rate / 3600.0)
            yield t


def _check(name: str, value: float) -> None:
    most = BY_NAME[name].most
    if not 0.0 <= value <= most:
        raise ConfigError(f"fault {name}={value}", hint=f"0 to {most:g}")
