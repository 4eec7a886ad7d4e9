"""MicroPython's `machine` for an RP2040, as far as the firmware uses it: pins that tests can look at and move.

It stands in for a chip, not for its timing: nothing here proves that the firmware works on a board. It proves that the
names, the pins and the polarities are those of `board.json` and of the wiring table.
"""

from collections.abc import Callable
from typing import Any, ClassVar


class Pin:
    """A pin; inputs follow `levels` or a function put there."""

    IN, OUT, PULL_UP = 0, 1, 2
    IRQ_RISING, IRQ_FALLING = 8, 4
    handlers: ClassVar[dict[int, tuple["Pin", Callable[["Pin"], None]]]] = {}
    levels: ClassVar[dict[int, int | Callable[[], int]]] = {}
    modes: ClassVar[dict[int, int]] = {}
    listeners: ClassVar[dict[int, Callable[[int], None]]] = {}

    def __init__(
        self, number: int, mode: int | None = None, pull: int | None = None, *, value: int | None = None
    ):
        self.number = number
        if mode is not None:
            self.modes[number] = mode
        if mode == self.IN and pull == self.PULL_UP:
            self.levels.setdefault(number, 1)
        if value is not None:
            self(value)

    def irq(self, *, handler: Callable[["Pin"], None], trigger: int, hard: bool) -> None:
        assert trigger == self.IRQ_RISING | self.IRQ_FALLING
        assert hard
        self.handlers[self.number] = (self, handler)

    @classmethod
    def edge(cls, number: int, level: int) -> None:
        """The level of an input changes, and its interrupt comes."""
        cls.levels[number] = level
        pin, handler = cls.handlers[number]
        handler(pin)

    def __call__(self, value: int | None = None) -> int:
        if value is None:
            level = self.levels.get(self.number, 0)
            return level if isinstance(level, int) else level()
        assert self.modes[self.number] == self.OUT
        self.levels[self.number] = value
        if self.number in self.listeners:
            self.listeners[self.number](value)
        return value


class SPI:
    """A bus; what hangs on it is the test's."""

    slave: Any = None
    made: ClassVar[dict[int, dict[str, Any]]] = {}

    def __init__(self, number: int, **options: Any) -> None:
        self.made[number] = {name: getattr(value, "number", value) for name, value in options.items()}

    def write(self, data: bytes) -> None:
        self.slave.write(data)

    def readinto(self, buffer: bytearray, out: int) -> None:
        self.slave.readinto(buffer, out)


class I2C:
    """A bus with an FRAM and a display that keeps what it is sent."""

    absent: ClassVar[set[int]] = set()
    memory = bytearray(1024)
    written: ClassVar[list[tuple[int, bytes]]] = []

    def __init__(self, number: int, *, sda: Pin, scl: Pin, freq: int) -> None:
        self.made = (number, sda.number, scl.number, freq)

    def _answer(self, address: int) -> None:
        if address in self.absent:
            raise OSError(5)

    def writeto(self, address: int, data: bytes) -> int:
        self._answer(address)
        self.written.append((address, bytes(data)))
        return len(data)

    def readfrom_mem(self, address: int, memory: int, size: int, *, addrsize: int = 8) -> bytes:
        self._answer(address)
        assert addrsize == 16
        return bytes(self.memory[memory : memory + size])

    def writeto_mem(self, address: int, memory: int, data: bytes, *, addrsize: int = 8) -> None:
        self._answer(address)
        assert addrsize == 16
        self.memory[memory : memory + len(data)] = data


class UART:
    """A serial port: what the test puts into `incoming` is read, what is written is kept."""

    incoming = b""
    outgoing = b""

    def __init__(self, number: int, baud: int, **options: Any) -> None:
        self.made = (number, baud)

    def any(self) -> int:
        return len(UART.incoming)

    def read(self, size: int = 256) -> bytes | None:
        data, UART.incoming = UART.incoming[:size], UART.incoming[size:]
        return data or None

    def write(self, data: bytes) -> int:
        UART.outgoing += bytes(data)
        return len(data)


class PWM:
    """A pulse: its settings are kept by pin."""

    made: ClassVar[dict[int, dict[str, int]]] = {}

    def __init__(self, pin: Pin, **options: int) -> None:
        self._pin = pin.number
        self.made[self._pin] = options

    def duty_u16(self, value: int) -> None:
        self.made[self._pin]["duty_u16"] = value

    def duty_ns(self, value: int) -> None:
        self.made[self._pin]["duty_ns"] = value


class ADC:
    """A converter: raw values by pin or channel."""

    raw: ClassVar[dict[int, int]] = {}

    def __init__(self, number: int) -> None:
        self._number = number

    def read_u16(self) -> int:
        return self.raw[self._number]


def forget() -> None:
    """Begin anew."""
    for held in (Pin.handlers, Pin.levels, Pin.modes, Pin.listeners, SPI.made, PWM.made, ADC.raw, I2C.absent):
        held.clear()
    I2C.written.clear()
    I2C.memory[:] = bytes(len(I2C.memory))
    UART.incoming = UART.outgoing = b""
    SPI.slave = None
