"""A simulated Pi's pins under the real gpiozero and the real RPi.GPIO: a stand-in for the module `lgpio`.

`Pins(header)` puts the stand-in into `sys.modules` for as long as it is open, so that gpiozero's own LGPIOFactory
and rpi-lgpio's own RPi.GPIO run on it unchanged; it also says which Pi this is, where they would read it from the
device tree. Only tests and simulators do this; the program never knows.

Does not model: what gpiozero and rpi-lgpio never ask for (groups, waves, servo pulses, watchdogs, notification
pipes, SPI, I2C, serial, files, scripts: those names are absent), PWM as edges.
"""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from types import ModuleType, TracebackType
from typing import Any, Final, NoReturn, Self

from hw_sim.errors import SimError
from hw_sim.gpio_lines import Event, Header, Line, Model

__all__ = ["Header", "Model", "Pins"]

CONSTANTS: Final[Mapping[str, int]] = {
    "SET_ACTIVE_LOW": 4,
    "SET_OPEN_DRAIN": 8,
    "SET_OPEN_SOURCE": 16,
    "SET_PULL_UP": 32,
    "SET_PULL_DOWN": 64,
    "SET_PULL_NONE": 128,
    "RISING_EDGE": 1,
    "FALLING_EDGE": 2,
    "BOTH_EDGES": 3,
    "LOW": 0,
    "HIGH": 1,
    "TIMEOUT": 2,
    "OKAY": 0,
    "BAD_HANDLE": -5,
    "BAD_GPIO_NUMBER": -73,
    "CANNOT_OPEN_CHIP": -78,
    "GPIO_BUSY": -79,
    "GPIO_NOT_ALLOCATED": -80,
    "UNEGPECTED_ERROR": -85,
    "BAD_DEBOUNCE_MICS": -98,
    "BAD_PWM_FREQ": -102,
    "BAD_PWM_DUTY": -103,
    "GPIO_NOT_AN_OUTPUT": -104,
}
_TEXTS: Final[Mapping[int, str]] = {
    0: "No error",
    -5: "unknown handle",
    -73: "bad GPIO number",
    -78: "can not open gpiochip",
    -79: "GPIO busy",
    -80: "GPIO not allocated",
    -85: "unexpected error",
    -98: "bad debounce microseconds",
    -102: "bad PWM frequency",
    -103: "bad PWM dutycycle",
    -104: "GPIO not set as an output",
}
_MODES: Final = {"input": 0x100, "output": 0x200, "alert": 0x400}
_PULLS: Final = {"up": 0x20, "down": 0x40, "none": 0x80}
_KERNEL_INPUT: Final = 1 << 16
_EDGE_BITS: Final = 17
_MOST_DEBOUNCE_US: Final = 5_000_000
_MODULES: Final = ("lgpio", "gpiozero.pins.lgpio", "gpiozero.pins.rpigpio", "RPi", "RPi.GPIO")
_WAIT_S: Final = 5.0
_OURS: Final = "lg"

Callback = Callable[[int, int, int, int], None]


class _LgError(Exception):
    """What the module raises; it is its `error`."""

    def __init__(self, value: str) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)


class _Watcher:
    """What `lgpio.callback` gives: it can be cancelled."""

    def __init__(self, watchers: "list[_Watcher]", chip: int, gpio: int, call: Callback) -> None:
        self.chip = chip
        self.gpio = gpio
        self.call = call
        self._watchers = watchers
        watchers.append(self)

    def cancel(self) -> None:
        """Call it no more."""
        if self in self._watchers:
            self._watchers.remove(self)


class _Lgpio:
    """The functions of the module, over one header. What fails raises, as the module does by default."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._open: dict[int, int] = {}
        self._next = 0
        self.watchers: list[_Watcher] = []

    # -- chip ----------------------------------------------------------------------------------------------

    def gpiochip_open(self, gpiochip: int) -> int:
        """A handle of a chip."""
        with self._header.lock:
            if self._header.gone or gpiochip not in self._header.board.chips:
                self._fail("CANNOT_OPEN_CHIP", f"gpiochip{gpiochip}")
            handle = self._next | gpiochip << 16
            self._next += 1
            self._open[handle] = gpiochip
            return handle

    def gpiochip_close(self, handle: int) -> int:
        """Let go of a chip and of all its lines."""
        with self._header.lock:
            if handle not in self._open:
                self._fail("BAD_HANDLE", str(handle))
            del self._open[handle]
            for gpio in range(self._header.board.lines):
                line = self._header.line(gpio)
                if line.holder == _OURS:
                    self._let_go(gpio, line)
            return 0

    def gpio_get_chip_info(self, handle: int) -> list[Any]:
        """Status, number of lines, name, label."""
        self._line(handle, 0)
        return [0, self._header.board.lines, f"gpiochip{self._open[handle]}", self._header.board.label]

    def gpio_get_line_info(self, handle: int, gpio: int) -> list[Any]:
        """Status, number, flags, name, user."""
        line = self._line(handle, gpio)
        return [0, gpio, self.gpio_get_mode(handle, gpio), f"GPIO{gpio}", line.holder]

    def gpio_get_mode(self, handle: int, gpio: int) -> int:
        """The mode bits of a line."""
        line = self._line(handle, gpio)
        mode = 1 if line.claim else 0
        mode |= 2 if line.claim == "output" else _KERNEL_INPUT
        mode |= 4 if line.active_low else 0
        if line.claim:
            mode |= _PULLS[line.pull]
        if line.holder == _OURS:
            mode |= _MODES[line.claim]
        if line.claim == "alert":
            mode |= line.edges << _EDGE_BITS
        return mode

    # -- claims ---------------------------------------------------------------------------------------------

    def gpio_claim_input(self, handle: int, gpio: int, lFlags: int = 0) -> int:
        """Take a line for reading; the flags of one that was read already stay, as in the real library."""
        with self._header.lock:
            line = self._claimable(handle, gpio)
            if line.claim != "input":
                self._flags(line, lFlags)
            line.claim, line.holder, line.edges, line.pwm = "input", _OURS, 0, None
            self._quiet(gpio, line)
            return 0

    def gpio_claim_output(self, handle: int, gpio: int, level: int = 0, lFlags: int = 0) -> int:
        """Take a line for writing."""
        with self._header.lock:
            line = self._claimable(handle, gpio)
            self._flags(line, lFlags)
            line.claim, line.holder, line.edges = "output", _OURS, 0
            line.output = int(bool(level)) ^ line.active_low
            self._header.settle(gpio)
            return 0

    def gpio_claim_alert(
        self,
        handle: int,
        gpio: int,
        eFlags: int,
        lFlags: int = 0,
        notify_handle: int | None = None,
    ) -> int:
        """Take a line for watching."""
        with self._header.lock:
            line = self._claimable(handle, gpio)
            self._flags(line, lFlags)
            line.claim, line.holder, line.edges = "alert", _OURS, eFlags & 3
            self._quiet(gpio, line)
            return 0

    def gpio_free(self, handle: int, gpio: int) -> int:
        """Give a line back."""
        with self._header.lock:
            line = self._line(handle, gpio)
            if line.holder != _OURS:
                self._fail("GPIO_NOT_ALLOCATED", f"GPIO{gpio}")
            self._let_go(gpio, line)
            return 0

    # -- levels ----------------------------------------------------------------------------------------------

    def gpio_read(self, handle: int, gpio: int) -> int:
        """The level of a line; one that nobody has is taken for reading."""
        with self._header.lock:
            line = self._line(handle, gpio)
            if not line.claim:
                self.gpio_claim_input(handle, gpio)
            return line.level ^ line.active_low

    def gpio_write(self, handle: int, gpio: int, level: int) -> int:
        """Set the level of an output."""
        with self._header.lock:
            line = self._line(handle, gpio)
            if line.claim != "output":
                self._fail("GPIO_NOT_AN_OUTPUT", f"GPIO{gpio}")
            line.output, line.pwm = int(bool(level)) ^ line.active_low, None
            self._header.settle(gpio)
            return 0

    def tx_pwm(
        self,
        handle: int,
        gpio: int,
        pwm_frequency: float,
        pwm_duty_cycle: float,
        pulse_offset: int = 0,
        pulse_cycles: int = 0,
    ) -> int:
        """Pulse an output; kept as frequency and share of time, 0 stops."""
        with self._header.lock:
            line = self._line(handle, gpio)
            if line.claim != "output":
                self._fail("GPIO_NOT_AN_OUTPUT", f"GPIO{gpio}")
            if pwm_frequency and not 0.1 <= pwm_frequency <= 10_000:
                self._fail("BAD_PWM_FREQ", f"{pwm_frequency} Hz")
            if not 0 <= pwm_duty_cycle <= 100:
                self._fail("BAD_PWM_DUTY", f"{pwm_duty_cycle} %")
            line.pwm = (pwm_frequency, pwm_duty_cycle) if pwm_frequency else None
            return 0

    def gpio_set_debounce_micros(self, handle: int, gpio: int, debounce_micros: int) -> int:
        """Let the kernel keep changes back until the line was still for so long."""
        with self._header.lock:
            line = self._line(handle, gpio)
            if not 0 <= debounce_micros <= _MOST_DEBOUNCE_US:
                self._fail("BAD_DEBOUNCE_MICS", str(debounce_micros))
            line.debounce_us = debounce_micros
            return 0

    def callback(self, handle: int, gpio: int, edge: int = 1, func: Callback | None = None) -> _Watcher:
        """Call a function with chip, line, level and time stamp for every event of a watched line."""
        if func is None:
            raise SimError(
                "this stand-in counts no edges by itself", where="lgpio.callback", hint="give func"
            )
        with self._header.lock:
            return _Watcher(self.watchers, handle >> 16, gpio, func)

    def error_text(self, errnum: int) -> str:
        """What an error number means."""
        return _TEXTS.get(errnum, "unknown error")

    # -- inside ------------------------------------------------------------------------------------------------

    def deliver(self, event: Event) -> None:
        """Call those who watch a line."""
        for watcher in list(self.watchers):
            if watcher.gpio == event.gpio:
                watcher.call(watcher.chip, event.gpio, event.level, event.stamp_ns)

    def _fail(self, name: str, where: str) -> NoReturn:
        self._header.counts.refused.append(f"{name} {where}")
        raise _LgError(_TEXTS[CONSTANTS[name]])

    def _line(self, handle: int, gpio: int) -> Line:
        if handle not in self._open:
            self._fail("BAD_HANDLE", str(handle))
        if self._header.gone:
            self._fail("UNEGPECTED_ERROR", "the chip is gone")
        if not 0 <= gpio < self._header.board.lines:
            self._fail("BAD_GPIO_NUMBER", f"GPIO{gpio}")
        return self._header.line(gpio)

    def _claimable(self, handle: int, gpio: int) -> Line:
        line = self._line(handle, gpio)
        if line.holder not in ("", _OURS):
            self._fail("GPIO_BUSY", f"GPIO{gpio}, held by {line.holder}")
        return line

    def _flags(self, line: Line, flags: int) -> None:
        line.active_low = bool(flags & CONSTANTS["SET_ACTIVE_LOW"])
        if flags & CONSTANTS["SET_PULL_UP"]:
            line.pull = "up"
        elif flags & CONSTANTS["SET_PULL_DOWN"]:
            line.pull = "down"
        elif flags & CONSTANTS["SET_PULL_NONE"]:
            line.pull = "none"

    def _quiet(self, gpio: int, line: Line) -> None:
        """Begin to watch a line from the level that it has: what happened before is no event."""
        line.seen = line.level
        line.events.clear()

    def _let_go(self, gpio: int, line: Line) -> None:
        line.claim, line.holder, line.edges, line.pwm = "", "", 0, None
        line.pull, line.active_low, line.debounce_us = "none", False, 0
        line.events.clear()
        self._header.settle(gpio)


class Pins:
    """The stand-in while it is in place. A context manager; one at a time in a process.

    Attributes:
        lgpio: The module that gpiozero and rpi-lgpio import.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self._functions = _Lgpio(header)
        self.lgpio = self._module()
        self._before: dict[str, ModuleType] = {}
        self._revision: Callable[[], int] | None = None
        self._environment: dict[str, str | None] = {}
        self._stopping = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Put the stand-in into place and let the header live.

        Raises:
            SimError: Another one is in place.
        """
        import gpiozero.pins.local as local

        if isinstance(sys.modules.get("lgpio"), _Module):
            raise SimError("another simulated header is in place", hint="close it first")
        self._before = {name: sys.modules[name] for name in _MODULES if name in sys.modules}
        self._forget_modules()
        sys.modules["lgpio"] = self.lgpio
        self._revision = local.get_pi_revision
        local.get_pi_revision = lambda: self.header.board.revision
        wanted = {
            "RPI_LGPIO_REVISION": f"{self.header.board.revision:x}",
            "RPI_LGPIO_CHIP": str(self.header.board.chips[-1]),
        }
        self._environment = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="lgpio", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take the stand-in away and put back what was there. Closing twice is the same."""
        if self._thread is None:
            return
        import gpiozero.pins.local as local

        with self.header.lock:
            self._stopping = True
            self.header.changed.notify_all()
        self._thread.join(_WAIT_S)
        if self._thread.is_alive():
            raise SimError("the thread of the simulated pins did not end")
        self._thread = None
        local.get_pi_revision = self._revision
        self._forget_modules()
        for name, module in self._before.items():
            sys.modules[name] = module
            parent = sys.modules.get(name.rpartition(".")[0])
            if parent is not None:
                setattr(parent, name.rpartition(".")[2], module)
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _forget_modules(self) -> None:
        for name in _MODULES:
            module = sys.modules.pop(name, None)
            parent = sys.modules.get(name.rpartition(".")[0])
            if module is not None and parent is not None:
                vars(parent).pop(name.rpartition(".")[2], None)

    def _module(self) -> ModuleType:
        module = _Module("lgpio", "A simulated Pi's pins in the place of the real library.")
        vars(module).update(CONSTANTS)
        vars(module).update(error=_LgError, exceptions=True)
        for name in dir(self._functions):
            if name.startswith(("gpio", "tx_", "callback", "error_text")):
                setattr(module, name, getattr(self._functions, name))
        return module

    def _run(self) -> None:
        header = self.header
        while True:
            with header.lock:
                wait = header.run_steps()
                events = header.take_events()
                if self._stopping:
                    return
                if not events:
                    header.changed.wait(wait)
            for event in events:
                self._functions.deliver(event)


class _Module(ModuleType):
    """So that a stand-in knows another one."""
