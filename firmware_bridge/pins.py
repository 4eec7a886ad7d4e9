"""The panel's parts on the Pi's own pins, through gpiozero alone: contacts, lamps, buzzer.

gpiozero keeps all pins of a process in one place, so one panel at a time has the header. What goes wrong in it or in
the libraries below it becomes the errors of this package.
"""

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Literal

import gpiozero
import msgspec

from firmware_bridge.device_errors import BadPin, PinsAbsent, PinsBusy, PinsFailed, PinsLibraryMissing
from firmware_bridge.errors import DeviceError

LOGGER: Final = logging.getLogger(__name__)
Library = Literal["lgpio", "rpigpio"]
EdgeHeard = Callable[[int, bool, float], None]
"""Takes a button's number, whether it closed, and the edge's stamp (seconds on the pins' own clock)."""
_HEADER: Final = threading.Lock()
_WRONG_PIN: Final = (
    gpiozero.PinInvalidPin,
    gpiozero.PinInvalidFunction,
    gpiozero.PinInvalidPull,
    gpiozero.PinFixedPull,
    gpiozero.PinSetInput,
    gpiozero.PinPWMUnsupported,
)


class LampPins(msgspec.Struct, frozen=True):
    """The pins of one lamp's colours (BCM numbers); None for a colour that it has not. Amber is red and green."""

    red: int | None = None
    green: int | None = None
    blue: int | None = None

    def pins(self) -> tuple[int, ...]:
        """The pins that it has."""
        return tuple(pin for pin in (self.red, self.green, self.blue) if pin is not None)

    def of(self, colour: int) -> tuple[int, ...] | None:
        """The pins to switch on for a colour (0 off, 1 red, 2 amber, 3 green, 4 blue); None where one is missing."""
        wanted = ((), (self.red,), (self.red, self.green), (self.green,), (self.blue,))[colour]
        pins = tuple(pin for pin in wanted if pin is not None)
        return pins if len(pins) == len(wanted) else None


class _Button:
    """One contact; gpiozero keeps only a weak hold on who listens, this keeps it alive."""

    def __init__(self, number: int, device: Any, pull_up: bool, heard: EdgeHeard) -> None:
        self.number = number
        self.device = device
        self._pull_up = pull_up
        self._heard = heard
        device.pin.edges = "both"
        # the kernel's own debounce would hide short presses, and not every pin factory has one
        device.pin.bounce = None
        device.pin.when_changed = self._changed

    def closed(self) -> bool:
        return bool(self.device.pin.state) != self._pull_up

    def close(self) -> None:
        self.device.pin.when_changed = None

    def _changed(self, ticks: float, state: int) -> None:
        self._heard(self.number, bool(state) != self._pull_up, ticks)


class Pins:
    """The header while a panel has it. Reading and switching is for one thread; edges come from gpiozero's."""

    def __init__(
        self,
        where: str,
        library: Library,
        buttons: Mapping[int, int],
        lamps: Mapping[int, LampPins],
        buzzer: int | None,
        *,
        pull_up: bool,
        active_high: bool,
        heard: EdgeHeard,
    ) -> None:
        """Take the pins; all lamps are off.

        Args:
            where: The panel, for errors.
            library: Through which library of the Pi: `lgpio`, or `rpigpio` for RPi.GPIO.
            buttons: Number of each button and its pin.
            lamps: Number of each lamp and its pins.
            buzzer: Its pin.
            pull_up: Buttons close to ground; else to 3.3 V.
            active_high: Lamps and buzzer are on when their pin is high.
            heard: Called for every edge of a button, in gpiozero's thread.

        Raises:
            PinsLibraryMissing: The library is not installed.
            PinsAbsent: No such pins here, or they may not be opened.
            PinsBusy: The header or a pin is used by something else.
            BadPin: A pin cannot do this.
        """
        self._where = where
        self._outputs: dict[int, Any] = {}
        self._buttons: dict[int, _Button] = {}
        self._stack = ExitStack()
        if not _HEADER.acquire(blocking=False):
            raise PinsBusy("another panel of this program has the pins", where=where)
        self._stack.callback(_HEADER.release)
        try:
            with self._explained(PinsAbsent):
                factory = _open(library)
            self._stack.callback(_close, factory)
            for number, pin in buttons.items():
                with self._explained(PinsFailed, pin):
                    device = gpiozero.InputDevice(pin, pull_up=pull_up, pin_factory=factory)
                    self._stack.callback(_shut, device)
                    button = _Button(number, device, pull_up, heard)
                    self._stack.callback(button.close)
                    self._buttons[number] = button
            for pin in [*(pin for lamp in lamps.values() for pin in lamp.pins()), *_one(buzzer)]:
                with self._explained(PinsFailed, pin):
                    output = gpiozero.OutputDevice(pin, active_high=active_high, pin_factory=factory)
                    self._stack.callback(_shut, output)
                    self._outputs[pin] = output
        except BaseException:
            self.close()
            raise

    def closed(self, number: int) -> bool:
        """Whether a button's contact is closed now.

        Raises:
            PinsFailed: The pins do not answer.
        """
        with self._explained(PinsFailed):
            return self._buttons[number].closed()

    def switch(self, pin: int, on: bool) -> None:
        """Switch a lamp's colour or the buzzer.

        Raises:
            PinsFailed: The pins do not answer.
        """
        with self._explained(PinsFailed):
            self._outputs[pin].value = on

    def close(self) -> None:
        """Switch everything off and let go of the pins, whatever state they are in."""
        try:
            # goes on after an error, to the end
            self._stack.close()
        except _pin_errors() as error:
            LOGGER.debug("%s: closing: %s", self._where, error)

    @contextmanager
    def _explained(self, otherwise: type[DeviceError], pin: int | None = None) -> Iterator[None]:
        try:
            yield
        except _pin_errors() as error:
            raise _explain(error, self._where, otherwise, pin) from error


def _one(pin: int | None) -> tuple[int, ...]:
    return () if pin is None else (pin,)


def _open(library: Library) -> Any:
    # the default factory of gpiozero falls back from one library to the next, down to one that has no pins
    if library == "lgpio":
        from gpiozero.pins.lgpio import LGPIOFactory as Factory
    else:
        from gpiozero.pins.rpigpio import RPiGPIOFactory as Factory
    factory = Factory()
    # a device whose closing failed is closed again when it is collected, which can be while gpiozero holds this lock in
    # the very same thread: its own lock would then wait for itself for ever
    factory._res_lock = threading.RLock()
    return factory


def _pin_errors() -> tuple[type[Exception], ...]:
    """What gpiozero and the libraries below it throw; lgpio has a kind of its own, known once it is loaded."""
    lgpio = sys.modules.get("lgpio")
    own = getattr(lgpio, "error", None)
    known = (gpiozero.GPIOZeroError, ImportError, OSError, RuntimeError)
    return (*known, own) if isinstance(own, type) and issubclass(own, Exception) else known


def _explain(error: Exception, where: str, otherwise: type[DeviceError], pin: int | None) -> DeviceError:
    at = where if pin is None else f"{where}, GPIO{pin}"
    what = str(error).strip("'\"") or type(error).__name__
    if isinstance(error, ImportError):
        return PinsLibraryMissing(what, where=at)
    if isinstance(error, gpiozero.GPIOPinInUse) or "busy" in what.lower():
        return PinsBusy(what, where=at)
    if isinstance(error, gpiozero.PinUnknownPi):
        return PinsAbsent(what, where=at)
    if isinstance(error, _WRONG_PIN):
        return BadPin(what, where=at)
    return otherwise(what, where=at)


def _shut(device: Any) -> None:
    """Close one of gpiozero's devices; one whose pin does not answer must not try again when it is collected."""
    try:
        device.close()
    except _pin_errors():
        device._pin = None
        raise


def _close(factory: Any) -> None:
    """Close gpiozero's factory; where its pins do not answer any more it forgets them and closes the chip alone."""
    try:
        factory.close()
    except _pin_errors():
        factory.pins.clear()
        factory.close()
    finally:
        # a device that failed while it was made stays reserved for as long as its traceback lives
        factory._reservations.clear()
