"""What a panel's lamps and buzzer shall be at any moment: kept while the pins are away, switched only where it changes."""

import threading
from collections.abc import Mapping

import msgspec

from firmware_bridge.pins import LampPins, Pins


class _Lamp(msgspec.Struct, frozen=True):
    """What a lamp shall show."""

    colour: int
    blink: bool


class Lights:
    """Lamps and buzzer of one panel. `set_lamp` and `buzz` are for any thread, the rest for the panel's own.

    Its time is real time (seconds), given with each call.
    """

    def __init__(self, lamps: Mapping[int, LampPins], buzzer: int | None, blink: float) -> None:
        """Take the pins of lamps and buzzer; a blinking lamp is on for `blink` seconds, then off for as long."""
        self._lamps = lamps
        self._buzzer = buzzer
        self._blink = blink
        self._lock = threading.Lock()
        self._shown: dict[int, _Lamp] = {}
        self._buzz_s: float | None = None
        self._buzz_until: float | None = None
        self._lit: dict[int, bool] = {}

    def set_lamp(self, lamp: int, colour: int, blink: bool) -> None:
        """Let a lamp show a colour from now on."""
        with self._lock:
            self._shown[lamp] = _Lamp(colour, blink)

    def buzz(self, seconds: float) -> None:
        """Sound the buzzer for so long; 0 ends it."""
        with self._lock:
            self._buzz_s = seconds

    def begin(self) -> None:
        """The pins were opened: all is dark; lamps come back with the next `show`, a buzz does not."""
        self._lit = dict.fromkeys((pin for lamp in self._lamps.values() for pin in lamp.pins()), False)
        if self._buzzer is not None:
            self._lit[self._buzzer] = False
        self._buzz_until = None
        with self._lock:
            self._buzz_s = None

    def due(self, now: float) -> float | None:
        """When something changes by itself: a blink, the end of a buzz."""
        dues = [] if self._buzz_until is None else [self._buzz_until]
        with self._lock:
            if any(lamp.blink and lamp.colour for lamp in self._shown.values()):
                dues.append((now // self._blink + 1) * self._blink)
        return min(dues, default=None)

    def show(self, pins: Pins, now: float) -> None:
        """Switch what has to be switched now.

        Raises:
            PinsFailed: The pins do not answer.
        """
        for pin, on in self._wanted(now).items():
            if self._lit[pin] != on:
                pins.switch(pin, on)
                self._lit[pin] = on

    def _wanted(self, now: float) -> dict[int, bool]:
        with self._lock:
            shown, buzz_s = dict(self._shown), self._buzz_s
            self._buzz_s = None
        # all blinking lamps blink together
        dark = int(now // self._blink) % 2 == 1
        wanted = dict.fromkeys(self._lit, False)
        for number, lamp in shown.items():
            if lamp.blink and dark:
                continue
            for pin in self._lamps[number].of(lamp.colour) or ():
                wanted[pin] = True
        if self._buzzer is not None:
            if buzz_s is not None:
                self._buzz_until = now + buzz_s
            if self._buzz_until is not None and now >= self._buzz_until:
                self._buzz_until = None
            wanted[self._buzzer] = self._buzz_until is not None
        return wanted
