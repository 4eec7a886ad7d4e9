"""The hardware that `app.Firmware` works on: made here from the settings, on an RP2040 under MicroPython.

`Ports` says what the firmware asks of them; `BoardPorts` is the board. On anything else `machine.Pin` is missing,
`ON_A_BOARD` is False, and other ports have to be given (`host` has such). Never tried on hardware.
"""

import gc
import os
import sys
import time

try:
    import machine

    ON_A_BOARD = hasattr(machine, "Pin")
except ImportError:
    machine = None
    ON_A_BOARD = False

from . import shoe as shoe_bits
from .readers import Mux, SpiPort

READ_AT_ONCE = 64
WRITE_AT_ONCE = 64
SERVO_HERTZ = 50
SERVO_FROM_NS, SERVO_TO_NS = 500_000, 2_500_000
SHOE_FILE = "/shoe"
GATE_BOUNCE_MS = 3  # a shorter passage is the edge of a card that trembles in the light


class Ticks:
    """Milliseconds since power-on that never go back, from a counter that wraps."""

    def __init__(self):
        self._last = time.ticks_ms()
        self._ms = 0

    def now(self):
        """The time (ms)."""
        last = time.ticks_ms()
        self._ms += time.ticks_diff(last, self._last)
        self._last = last
        return self._ms


class Ports:
    """What the firmware asks of its hardware; what is not fitted stays as it is here.

    Attributes:
        line: `read()` gives the bytes that have come, `write(data)` the number of bytes taken; neither waits.
        readers: A driver for each reader of the settings (see `readers`).
        chain: `write(colours)` of the lamps.
        glass: `start()` and `write(row, text)` of the display.
        mechanism, store: Of the shoe (see `shoe` and `shoe_memory`).
        boot_id: Another 64-bit number at each start.
    """

    line = None
    readers = ()
    chain = None
    glass = None
    mechanism = None
    store = None
    boot_id = 0

    def now(self):
        """Milliseconds since power-on, never going back."""
        raise NotImplementedError

    def button_bits(self):
        """Raw levels of the buttons, one bit each in the order of the settings, 1 = down."""
        return 0

    def buzz(self, on):
        """Sound the buzzer, or silence it."""

    def supply_mv(self):
        """The supply in millivolts; 0 where it is not measured."""
        return 0

    def temperature(self):
        """Degrees Celsius; 0 where they are not measured."""
        return 0

    def free_memory(self):
        """Bytes of heap that are left after a collection."""
        gc.collect()
        return gc.mem_free()


class UsbLine:
    """The board's USB serial port, which is also MicroPython's console: its Ctrl-C is switched off."""

    def __init__(self):
        import select

        import micropython

        micropython.kbd_intr(-1)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._out = select.poll()
        self._out.register(sys.stdout, select.POLLOUT)

    def read(self):
        """Bytes that have come; the console gives them one at a time."""
        data = bytearray()
        while len(data) < READ_AT_ONCE and self._poll.poll(0):
            data += sys.stdin.buffer.read(1)
        return bytes(data)

    def write(self, data):
        """Write a little, when the host takes it."""
        if not self._out.poll(0):
            return 0
        piece = data[:WRITE_AT_ONCE]
        sys.stdout.buffer.write(piece)
        return len(piece)


class UartLine:
    """A UART to the Pi."""

    def __init__(self, settings):
        self._uart = machine.UART(
            settings["id"],
            settings["baud"],
            tx=machine.Pin(settings["tx"]),
            rx=machine.Pin(settings["rx"]),
            rxbuf=4096,
            txbuf=1024,
            timeout=0,
        )

    def read(self):
        """Bytes that have come."""
        return self._uart.read(256) or b""

    def write(self, data):
        """Write what the buffer takes."""
        return self._uart.write(data[:WRITE_AT_ONCE]) or 0


class PinButtons:
    """A pin for each button, to ground when pressed."""

    def __init__(self, pins):
        self._pins = [machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in pins]

    def bits(self):
        """Raw levels, 1 = down."""
        bits = 0
        for at, pin in enumerate(self._pins):
            bits |= (1 - pin()) << at
        return bits


class Hc165Buttons:
    """A chain of 74HC165: inputs pulled up, to ground when pressed; the first bit shifted out is the first button."""

    def __init__(self, load, clock, data, count):
        self._load = machine.Pin(load, machine.Pin.OUT, value=1)
        self._clock = machine.Pin(clock, machine.Pin.OUT, value=0)
        self._data = machine.Pin(data, machine.Pin.IN)
        self._count = count

    def bits(self):
        """Raw levels, 1 = down."""
        self._load(0)
        self._load(1)
        bits = 0
        for at in range(self._count):
            bits |= (1 - self._data()) << at
            self._clock(1)
            self._clock(0)
        return bits


class BoardShoe:
    """Roller motor, carriage servo and sensors of a shoe. A broken wire reads as the fault, never as "all well".

    The gate's interrupt stops the motor when a card has left, and measures: it allocates nothing.
    """

    def __init__(self, settings, now):
        self._now = now
        self._aim_ms = settings["aim"]
        self._angles = settings["angles"]
        self._motor = machine.Pin(settings["motor"], machine.Pin.OUT, value=0)
        self._servo = None
        if settings["carriage"] is not None:
            self._servo = machine.PWM(machine.Pin(settings["carriage"]), freq=SERVO_HERTZ, duty_ns=0)
        self._aimed_at = 0
        self._inputs = []
        # high means: card in the gate, door open, too thick; low means: cards left, carriage at its place
        for name, bit, active in (
            ("gate", shoe_bits.GATE, 1),
            ("loaded", shoe_bits.LOADED, 0),
            ("door", shoe_bits.OPEN, 1),
            ("thick", shoe_bits.THICK, 1),
            ("aligned", shoe_bits.ALIGNED, 0),
        ):
            if settings[name] is not None:
                pin = machine.Pin(settings[name], machine.Pin.IN, machine.Pin.PULL_UP)
                self._inputs.append((pin, bit, active))
        self._sees_place = settings["aligned"] is not None
        self._passed = 0
        self._longest = 0
        self._entered = time.ticks_ms()
        self._gate = self._inputs[0][0]
        edges = machine.Pin.IRQ_RISING | machine.Pin.IRQ_FALLING
        self._gate.irq(handler=self._edge, trigger=edges, hard=True)

    def _edge(self, pin):
        if pin():
            self._entered = time.ticks_ms()
            return
        took = time.ticks_diff(time.ticks_ms(), self._entered)
        if took < GATE_BOUNCE_MS:
            return
        self._motor(0)
        self._passed += 1
        if took > self._longest:
            self._longest = took

    def sensors(self):
        """The sensors as bits; without a sensor of its place the carriage is there when its time is nearly over."""
        bits = 0
        for pin, bit, active in self._inputs:
            if pin() == active:
                bits |= bit
        if not self._sees_place and self._now() - self._aimed_at >= self._aim_ms * 3 // 4:
            bits |= shoe_bits.ALIGNED
        return bits

    def passed(self):
        """Cards that have left the gate since the rollers were started, and the longest time in it (ms)."""
        return self._passed, self._longest

    def aim(self, target):
        """Send the carriage to a target."""
        self._aimed_at = self._now()
        if self._servo is not None:
            angle = self._angles[target]
            self._servo.duty_ns(int(SERVO_FROM_NS + (SERVO_TO_NS - SERVO_FROM_NS) * angle / 180))

    def pull(self):
        """Turn the rollers until a card has left the gate."""
        self._passed = 0
        self._longest = 0
        self._motor(1)

    def stop(self):
        """Stop rollers and carriage at once."""
        self._motor(0)
        if self._servo is not None:
            self._servo.duty_ns(0)


class BoardPorts(Ports):
    """The board as its settings describe it."""

    def __init__(self, settings):
        self.now = Ticks().now
        self.boot_id = int.from_bytes(os.urandom(8), "little")
        line = settings["line"]
        self.line = UsbLine() if line["kind"] == "usb" else UartLine(line)
        self._buses = {bus["id"]: self._bus(bus) for bus in settings["spi"]}
        self._i2c = None
        bus = settings["i2c"]
        if bus is not None:
            sda, scl = machine.Pin(bus["sda"]), machine.Pin(bus["scl"])
            self._i2c = machine.I2C(bus["id"], sda=sda, scl=scl, freq=bus["khz"] * 1000)
        self.readers = [self._reader(reader) for reader in settings["readers"]]
        self._buttons = self._make_buttons(settings["buttons"])
        self._fit_panel(settings)
        shoe = settings["shoe"]
        if shoe is not None:
            self.mechanism = BoardShoe(shoe, self.now)
            self.store = self._make_store(shoe["memory"])
        self._supply = settings["supply"]
        self._supply_adc = machine.ADC(self._supply["adc"]) if self._supply is not None else None
        self._sensor = machine.ADC(4) if settings["temperature"] else None

    def button_bits(self):
        """Raw levels of the buttons."""
        return self._buttons.bits() if self._buttons is not None else 0

    def buzz(self, on):
        """Sound the buzzer, or silence it."""
        if self._buzzer is not None:
            self._buzzer.duty_u16(0x8000 if on else 0)

    def supply_mv(self):
        """The supply behind its divider, in millivolts."""
        if self._supply_adc is None:
            return 0
        return int(self._supply_adc.read_u16() * 3300 / 65535 * self._supply["ratio"])

    def temperature(self):
        """The RP2040's own sensor, in degrees Celsius."""
        if self._sensor is None:
            return 0
        return int(27 - (self._sensor.read_u16() * 3.3 / 65535 - 0.706) / 0.001721)

    def _reader(self, reader):
        mux, reset = reader["mux"], self._output(reader["reset"], 1)
        if mux is not None:
            mux = Mux([self._output(pin, 0) for pin in mux["select"]], mux["settle_ms"], self.now)
        if reader["kind"] == "pn5180":
            from .pn5180 import Pn5180

            return Pn5180(
                self._spi(reader), machine.Pin(reader["busy"], machine.Pin.IN), reset, mux, self.now
            )
        from .pn532 import Pn532, SpiTransport, UartTransport

        uart = reader["uart"]
        if uart is None:
            return Pn532(SpiTransport(self._spi(reader)), mux, reset, self.now)
        port = machine.UART(
            uart["id"], 115200, tx=machine.Pin(uart["tx"]), rx=machine.Pin(uart["rx"]), rxbuf=256
        )
        return Pn532(UartTransport(port), mux, reset, self.now)

    def _output(self, pin, value):
        return None if pin is None else machine.Pin(pin, machine.Pin.OUT, value=value)

    def _bus(self, bus):
        pins = {name: machine.Pin(bus[name]) for name in ("sck", "mosi", "miso")}
        return machine.SPI(bus["id"], baudrate=bus["khz"] * 1000, polarity=0, phase=0, **pins)

    def _spi(self, reader):
        return SpiPort(self._buses[reader["spi"]], self._output(reader["nss"], 1))

    def _make_buttons(self, panel):
        if panel is None:
            return None
        if panel["kind"] == "pins":
            return PinButtons(panel["pins"])
        return Hc165Buttons(panel["load"], panel["clock"], panel["data"], len(panel["ids"]))

    def _fit_panel(self, settings):
        lamps, display, buzzer = settings["lamps"], settings["display"], settings["buzzer"]
        if lamps is not None:
            from .lamps import Ws2812

            self.chain = Ws2812(machine.Pin(lamps["pin"]), lamps["pixels"])
        if display is not None:
            from .display import Hd44780, Ssd1306

            if display["kind"] == "hd44780":
                self.glass = Hd44780(self._i2c, display["address"], display["columns"], time.sleep_ms)
            else:
                self.glass = Ssd1306(self._i2c, display["address"], display["rows"])
        self._buzzer = None
        if buzzer is not None:
            self._buzzer = machine.PWM(machine.Pin(buzzer["pin"]), freq=buzzer["hertz"], duty_u16=0)

    def _make_store(self, memory):
        from .shoe_memory import FileStore, FramStore

        return FramStore(self._i2c, memory["address"]) if memory["kind"] == "fram" else FileStore(SHOE_FILE)
