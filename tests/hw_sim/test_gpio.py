"""The simulated header under the real gpiozero and the real rpi-lgpio, as a Pi 4 and as a Pi 5."""

import ast
import importlib
import importlib.util
import inspect
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gpiozero
import pytest

from hw_sim.errors import ConfigError, SimError
from hw_sim.gpio import CONSTANTS, Header, Model, Pins

DEADLINE = 10.0


def rpi_lgpio() -> None:
    """Skip where the real rpi-lgpio is not installed."""
    try:
        importlib.metadata.version("rpi-lgpio")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("rpi-lgpio is not installed: pip install --no-deps 'rpi-lgpio>=0.6,<1'")


def wait_for(done: Callable[[], bool]) -> None:
    """Wait until something is so, or fail."""
    until = time.monotonic() + DEADLINE
    tick = queue.SimpleQueue[None]()
    while not done():
        assert time.monotonic() < until, "waited in vain"
        try:
            tick.get(timeout=0.002)
        except queue.Empty:
            continue


@pytest.fixture(params=["pi4", "pi5"])
def header(request: pytest.FixtureRequest) -> Header:
    """The pins of one model."""
    model: Model = request.param
    return Header(model)


@pytest.fixture
def lgpio(header: Header) -> Iterator[Any]:
    """The module in place of the real one."""
    with Pins(header) as pins:
        yield pins.lgpio


@pytest.fixture
def factory(header: Header) -> Iterator[Any]:
    """gpiozero's own factory on the header."""
    with Pins(header):
        module = importlib.import_module("gpiozero.pins.lgpio")
        factory = module.LGPIOFactory()
        yield factory
        factory.close()


class TestGpiozero:
    """The real LGPIOFactory, unchanged."""

    def test_which_pi_it_is(self, header: Header, factory: Any) -> None:
        """It should find the model that it would find in the device tree."""
        assert factory.board_info.model == {"pi4": "4B", "pi5": "5B"}[header.model]
        assert factory.chip == 0

    def test_button(self, header: Header, factory: Any) -> None:
        """It should see a contact to ground under a pull-up, with the edges told in order."""
        heard: queue.SimpleQueue[str] = queue.SimpleQueue()
        with gpiozero.Button(17, pin_factory=factory) as button:
            button.when_pressed = lambda: heard.put("pressed")
            button.when_released = lambda: heard.put("released")
            assert not button.is_pressed
            header.press(17)
            assert heard.get(timeout=DEADLINE) == "pressed"
            assert button.is_pressed
            header.release(17)
            assert heard.get(timeout=DEADLINE) == "released"

    def test_debounce_of_the_kernel(self, header: Header, factory: Any) -> None:
        """It should tell one press of five bounces when a bounce time is set, and six without."""
        heard: queue.SimpleQueue[int] = queue.SimpleQueue()
        for bounce_time, presses in ((0.05, 1), (None, 6)):
            with gpiozero.DigitalInputDevice(
                17, pull_up=True, bounce_time=bounce_time, pin_factory=factory
            ) as device:
                device.when_activated = lambda: heard.put(1)
                header.chatter(17, [0, None] * 5 + [0])
                for _ in range(presses):
                    heard.get(timeout=DEADLINE)
                wait_for(lambda: header.line(17).seen == 0 and not header.line(17).events)
                assert heard.empty()
                header.release(17)
                wait_for(lambda: not device.is_active)

    def test_output_and_pwm(self, header: Header, factory: Any) -> None:
        """It should drive lamps on and off, and show how bright a pulsed one is."""
        with gpiozero.LED(22, pin_factory=factory) as led:
            assert header.level(22) == 0
            led.on()
            assert header.level(22) == 1
        with gpiozero.LED(23, active_high=False, pin_factory=factory) as led:
            assert header.level(23) == 1
        with gpiozero.PWMLED(24, frequency=200, pin_factory=factory) as lamp:
            lamp.value = 0.25
            assert header.line(24).pwm == (200, 25)
        with (
            pytest.raises(gpiozero.PinFixedPull),
            gpiozero.InputDevice(2, pull_up=False, pin_factory=factory),
        ):
            pass

    def test_wire(self, header: Header, factory: Any) -> None:
        """It should see an output on the input that it is wired to."""
        header.wire(20, 21)
        with (
            gpiozero.OutputDevice(20, pin_factory=factory) as output,
            gpiozero.InputDevice(21, pull_up=True, pin_factory=factory) as device,
        ):
            output.on()
            assert not device.is_active
            output.off()
            assert device.is_active

    def test_pin_that_something_else_has(self, header: Header, factory: Any) -> None:
        """It should refuse a line that another program or the kernel holds, in the library's own words."""
        header.occupy(8, "spi0 CS0")
        with pytest.raises(Exception, match="GPIO busy"), gpiozero.InputDevice(8, pin_factory=factory):
            pass
        assert header.counts.refused == ["GPIO_BUSY GPIO8, held by spi0 CS0"]

    def test_kernel_keeps_sixteen_edges(self, header: Header, factory: Any) -> None:
        """It should lose the oldest of twenty edges that nobody reads, and tell the rest in order."""
        levels: queue.SimpleQueue[int] = queue.SimpleQueue()
        with gpiozero.InputDevice(17, pull_up=True, pin_factory=factory) as device:

            def changed(ticks: float, state: int) -> None:
                levels.put(state)

            device.pin.when_changed = changed
            header.hold()
            header.chatter(17, [0, None] * 10)
            assert levels.empty()
            header.go_on()
            assert [levels.get(timeout=DEADLINE) for _ in range(16)] == [0, 1] * 8
            assert header.counts.lost_events == 4

    def test_edges_that_nobody_is_told_of(self, header: Header, factory: Any) -> None:
        """It should change the level without an event."""
        levels: queue.SimpleQueue[int] = queue.SimpleQueue()
        with gpiozero.InputDevice(17, pull_up=True, pin_factory=factory) as device:

            def changed(ticks: float, state: int) -> None:
                levels.put(state)

            device.pin.when_changed = changed
            header.lose_edges(17, 1)
            header.press(17)
            assert device.is_active
            header.release(17)
            assert levels.get(timeout=DEADLINE) == 1

    def test_time_of_edges(self, header: Header, factory: Any) -> None:
        """It should stamp edges with their own time, not with that of the telling."""
        stamps: queue.SimpleQueue[float] = queue.SimpleQueue()
        with gpiozero.InputDevice(17, pull_up=True, pin_factory=factory) as device:

            def changed(ticks: float, state: int) -> None:
                stamps.put(ticks)

            device.pin.when_changed = changed
            header.play(17, [(0.0, 0), (0.01, None), (0.02, 0)])
            told = [stamps.get(timeout=DEADLINE) for _ in range(3)]
            assert [round(at - told[0], 6) for at in told] == [0.0, 0.01, 0.02]

    def test_chip_that_goes(self, header: Header) -> None:
        """It should fail in every call while the chip is gone, and work again afterwards."""
        with Pins(header) as pins:
            lgpio = pins.lgpio
            handle = lgpio.gpiochip_open(0)
            lgpio.gpio_claim_input(handle, 4)
            header.vanish()
            with pytest.raises(lgpio.error, match="unexpected"):
                lgpio.gpio_read(handle, 4)
            with pytest.raises(lgpio.error, match="can not open"):
                lgpio.gpiochip_open(0)
            header.come_back()
            assert lgpio.gpio_get_mode(handle, 4) & 1 == 0
            lgpio.gpiochip_close(handle)


class TestRpiGpio:
    """The real rpi-lgpio's RPi.GPIO, unchanged."""

    @pytest.fixture
    def gpio(self, header: Header) -> Iterator[Any]:
        rpi_lgpio()
        with Pins(header):
            module = importlib.import_module("RPi.GPIO")
            yield module
            module.setwarnings(False)
            module.cleanup()

    def test_which_pi_it_is(self, header: Header, gpio: Any) -> None:
        """It should know the model, the Pi 5 too."""
        want = {"pi4": ("Pi 4 Model B", "BCM2711"), "pi5": ("Pi 5 Model B", "BCM2712")}[header.model]
        assert (gpio.RPI_INFO["TYPE"], gpio.RPI_INFO["PROCESSOR"]) == want

    def test_in_out_and_events(self, header: Header, gpio: Any) -> None:
        """It should read, write, and call back on both edges."""
        gpio.setmode(gpio.BCM)
        gpio.setup(17, gpio.IN, gpio.PUD_UP)
        gpio.setup(22, gpio.OUT)
        assert (gpio.input(17), gpio.gpio_function(17), gpio.gpio_function(22)) == (1, gpio.IN, gpio.OUT)
        gpio.output(22, 1)
        assert header.level(22) == 1
        heard: queue.SimpleQueue[int] = queue.SimpleQueue()
        gpio.add_event_detect(17, gpio.BOTH, callback=heard.put)
        header.press(17)
        assert heard.get(timeout=DEADLINE) == 17
        assert gpio.input(17) == 0
        header.release(17)
        assert heard.get(timeout=DEADLINE) == 17
        assert gpio.event_detected(17)
        gpio.remove_event_detect(17)

    def test_debounce_and_pwm(self, header: Header, gpio: Any) -> None:
        """It should pass bounce times on to the kernel, and pulse a lamp."""
        gpio.setmode(gpio.BOARD)
        gpio.setup(11, gpio.IN, gpio.PUD_UP)  # GPIO17
        heard: queue.SimpleQueue[int] = queue.SimpleQueue()
        gpio.add_event_detect(11, gpio.FALLING, callback=heard.put, bouncetime=30)
        header.chatter(17, [0, None] * 4 + [0])
        assert heard.get(timeout=DEADLINE) == 11
        assert heard.empty()
        gpio.setup(15, gpio.OUT)  # GPIO22
        pwm = gpio.PWM(15, 50)
        pwm.start(10)
        assert header.line(22).pwm == (50.0, 10)
        pwm.stop()
        assert header.line(22).pwm is None

    def test_gpiozero_on_it(self, header: Header, gpio: Any) -> None:
        """It should carry gpiozero's RPiGPIOFactory as well."""
        factory = importlib.import_module("gpiozero.pins.rpigpio").RPiGPIOFactory()
        pressed: queue.SimpleQueue[int] = queue.SimpleQueue()
        with gpiozero.Button(17, pin_factory=factory) as button:
            button.when_pressed = lambda: pressed.put(1)
            header.press(17)
            assert pressed.get(timeout=DEADLINE) == 1
        factory.close()


class TestModule:
    """The stand-in against the real module, and how it is put into place."""

    def test_refusals(self, header: Header, lgpio: Any) -> None:
        """It should refuse what the real library refuses, by its own error, and count it."""
        handle = lgpio.gpiochip_open(0)
        cases: list[tuple[str, Callable[[], Any]]] = [
            ("can not open gpiochip", lambda: lgpio.gpiochip_open(7)),
            ("unknown handle", lambda: lgpio.gpio_read(99, 4)),
            ("unknown handle", lambda: lgpio.gpiochip_close(99)),
            ("bad GPIO number", lambda: lgpio.gpio_read(handle, 99)),
            ("GPIO not allocated", lambda: lgpio.gpio_free(handle, 4)),
            ("GPIO not set as an output", lambda: lgpio.gpio_write(handle, 4, 1)),
            ("GPIO not set as an output", lambda: lgpio.tx_pwm(handle, 4, 10, 10)),
            ("bad debounce", lambda: lgpio.gpio_set_debounce_micros(handle, 4, -1)),
        ]
        for words, call in cases:
            with pytest.raises(lgpio.error, match=words):
                call()
        lgpio.gpio_claim_output(handle, 5, 1)
        for words, frequency, duty in (("frequency", 0.01, 10), ("dutycycle", 10, 101)):
            with pytest.raises(lgpio.error, match=words):
                lgpio.tx_pwm(handle, 5, frequency, duty)
        assert len(header.counts.refused) == len(cases) + 2
        with pytest.raises(SimError):
            lgpio.callback(handle, 4)
        assert not hasattr(lgpio, "i2c_open")
        lgpio.gpiochip_close(handle)
        assert lgpio.error_text(-79) == "GPIO busy"
        assert lgpio.error_text(-4711) == "unknown error"

    def test_modes(self, header: Header, lgpio: Any) -> None:
        """It should tell claim, direction, pull and edges in the mode bits, and the chip's name and lines."""
        handle = lgpio.gpiochip_open(header.board.chips[-1])
        assert lgpio.gpio_get_mode(handle, 4) == 1 << 16
        lgpio.gpio_claim_input(handle, 4, lgpio.SET_PULL_UP)
        assert lgpio.gpio_get_mode(handle, 4) == 1 | 0x20 | 0x100 | 1 << 16
        # as the real one: the flags of an input stay until it was freed
        lgpio.gpio_claim_input(handle, 4, lgpio.SET_PULL_DOWN)
        assert lgpio.gpio_read(handle, 4) == 1
        lgpio.gpio_free(handle, 4)
        lgpio.gpio_claim_input(handle, 4, lgpio.SET_PULL_DOWN | lgpio.SET_ACTIVE_LOW)
        assert lgpio.gpio_read(handle, 4) == 1
        lgpio.gpio_claim_alert(handle, 4, lgpio.RISING_EDGE, lgpio.SET_PULL_NONE)
        assert lgpio.gpio_get_mode(handle, 4) & (0x400 | 3 << 17) == 0x400 | 1 << 17
        lgpio.gpio_claim_output(handle, 5, 1, lgpio.SET_PULL_NONE)
        assert lgpio.gpio_get_mode(handle, 5) == 1 | 2 | 0x80 | 0x200
        status, lines, name, label = lgpio.gpio_get_chip_info(handle)
        assert (status, lines) == (0, {"pi4": 58, "pi5": 54}[header.model])
        assert (name, label) == (f"gpiochip{header.board.chips[-1]}", header.board.label)
        assert lgpio.gpio_get_line_info(handle, 5)[3:] == ["GPIO5", "lg"]
        lgpio.gpiochip_close(handle)
        assert header.line(5).claim == ""

    def test_only_what_changes_after_the_claim_is_told(self, header: Header, lgpio: Any) -> None:
        """It should tell rising edges to one who wants them, once, and nothing after the cancel."""
        handle = lgpio.gpiochip_open(0)
        header.press(4)
        lgpio.gpio_claim_alert(handle, 4, lgpio.RISING_EDGE, lgpio.SET_PULL_UP)
        heard: queue.SimpleQueue[tuple[int, int, int]] = queue.SimpleQueue()
        callback = lgpio.callback(
            handle, 4, lgpio.BOTH_EDGES, lambda chip, g, level, t: heard.put((chip, g, level))
        )
        header.chatter(4, [None, 0, None])
        assert [heard.get(timeout=DEADLINE) for _ in range(2)] == [(0, 4, 1)] * 2
        callback.cancel()
        callback.cancel()
        header.chatter(4, [0, None])
        wait_for(lambda: not header.line(4).events)
        assert heard.empty()
        lgpio.gpiochip_close(handle)

    def test_everything_is_put_back(self, header: Header) -> None:
        """It should leave modules, environment and gpiozero as they were."""
        import gpiozero.pins.local as local

        before = (sys.modules.get("lgpio"), dict(os.environ), local.get_pi_revision)
        with Pins(header) as pins:
            assert sys.modules["lgpio"] is pins.lgpio
            importlib.import_module("gpiozero.pins.lgpio")
            with pytest.raises(SimError, match="another"):
                Pins(header).start()
        pins.close()
        assert (sys.modules.get("lgpio"), dict(os.environ), local.get_pi_revision) == before
        assert "gpiozero.pins.lgpio" not in sys.modules

    def test_lines_that_are_none(self, header: Header) -> None:
        """It should refuse hands on lines that the header has not."""
        with pytest.raises(ConfigError, match="no line 99"):
            header.press(99)

    def test_same_as_the_real_module(self, lgpio: Any) -> None:
        """It should have the real module's numbers, and its parameters in the same order."""
        path = _real_lgpio()
        if path is None:
            pytest.skip("lgpio is not installed, nothing to compare with")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        numbers = {
            target.id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id in CONSTANTS
        }
        assert numbers == dict(CONSTANTS)
        compared = 0
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and hasattr(lgpio, node.name):
                want = [argument.arg for argument in node.args.args]
                assert list(inspect.signature(getattr(lgpio, node.name)).parameters) == want
                compared += 1
        assert compared == 15


def _real_lgpio() -> Path | None:
    """The source of the real module, found without importing it: that would start its thread."""
    for folder in map(Path, sys.path):
        if (folder / "lgpio.py").is_file():
            return folder / "lgpio.py"
    return None
