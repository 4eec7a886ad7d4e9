"""The board's own ports on a stand-in for the microcontroller: names, pins and polarities, never timing."""

import json
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import fake_machine
import pytest
from chips import Pn5180Chip
from fake_machine import ADC, I2C, PWM, SPI, UART, Pin
from firmware import ports, settings, shoe
from firmware.app import Firmware
from firmware_package import FIRMWARE

from firmware_bridge import frames, framing

BOARD = settings.load(str(FIRMWARE / "board.json"))
UART_LINE = {"kind": "uart", "id": 0, "tx": 24, "rx": 25, "baud": 921_600}


class Chain:
    """MicroPython's `neopixel`."""

    shown: ClassVar[list[list[tuple[int, int, int]]]] = []

    def __init__(self, pin: Pin, pixels: int) -> None:
        self._pixels = [(0, 0, 0)] * pixels

    def __setitem__(self, at: int, colour: tuple[int, int, int]) -> None:
        self._pixels[at] = colour

    def write(self) -> None:
        self.shown.append(list(self._pixels))


class Clock:
    """The ticks of MicroPython, turned by the test; they wrap like those."""

    ms = 0

    def ticks_ms(self) -> int:
        return self.ms & 0x3FFFFFFF

    def ticks_diff(self, new: int, old: int) -> int:
        return (new - old + 0x20000000 & 0x3FFFFFFF) - 0x20000000

    def sleep_ms(self, ms: int) -> None:
        self.ms += ms


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The stand-in, put in place of the microcontroller."""
    fake_machine.forget()
    Chain.shown.clear()
    ticks = Clock()
    monkeypatch.setattr(ports, "machine", fake_machine)
    monkeypatch.setattr(ports, "time", ticks)
    monkeypatch.setitem(sys.modules, "neopixel", types.SimpleNamespace(NeoPixel=Chain))
    ADC.raw.update({28: 49_600, 4: 13_500})
    yield ticks
    fake_machine.forget()


def test_ticks_never_go_back(clock: Clock) -> None:
    clock.ms = 0x3FFFFFF0
    ticks = ports.Ticks()
    clock.ms += 5
    assert ticks.now() == 5
    clock.ms += 0x1FFFFFFF
    assert ticks.now() == 0x20000004
    clock.ms += 100
    assert ticks.now() == 0x20000068


def _board(changes: dict[str, Any] | None = None) -> Any:
    # the console is not to be had here; the other line is
    board = ports.BoardPorts({**BOARD, "line": UART_LINE, **(changes or {})})
    board.free_memory = lambda: 1 << 20
    return board


def _lay(tags: dict[int, list[bytes]]) -> Pn5180Chip:
    """A chip on the board's SPI, its antennas behind the select pins of the board."""

    def field() -> list[bytes]:
        channel = sum(int(Pin(pin)()) << bit for bit, pin in enumerate(BOARD["readers"][0]["mux"]["select"]))
        return tags.get(channel, [])

    chip = Pn5180Chip(field)
    SPI.slave = chip
    Pin.listeners[17] = chip.select
    Pin.levels[20] = lambda: chip.busy
    return chip


class Talk:
    """The Pi at the other end of the fake UART."""

    def __init__(self) -> None:
        self.decoder = framing.Decoder()
        self.heard: list[Any] = []
        self.seq = 0

    def listen(self) -> None:
        data, UART.outgoing = UART.outgoing, b""
        for seq, frame in self.decoder.feed(data):
            self.heard.append(frame)
            if not isinstance(
                frame, frames.AckFrame | frames.NakFrame | frames.HeartbeatFrame | frames.LogFrame
            ):
                UART.incoming += framing.encode(frames.AckFrame(seq), 0)

    def say(self, frame: frames.Frame) -> None:
        self.seq += 1
        UART.incoming += framing.encode(frame, self.seq)

    def of(self, kind: type[Any]) -> list[Any]:
        return [frame for frame in self.heard if isinstance(frame, kind)]


def _run(clock: Clock, firmware: Any, talk: Talk, ms: int) -> None:
    end = clock.ms + ms
    while clock.ms < end:
        firmware.turn()
        talk.listen()
        clock.ms += 1


def test_the_whole_board_reads_tags_and_buttons(clock: Clock) -> None:
    card, other = b"\xe0\x04\x01\x50\0\0\0\1", b"\xe0\x04\x01\x50\0\0\0\2"
    tags = {1: [card, other], 11: []}
    _lay(tags)
    down: set[int] = set()
    shift = {"at": 0}
    Pin.listeners[6] = lambda level: shift.update(at=0)
    Pin.listeners[7] = lambda level: shift.update(at=shift["at"] + level)
    Pin.levels[8] = lambda: 0 if BOARD["buttons"]["ids"][shift["at"]] in down else 1
    firmware, talk = Firmware(BOARD, _board()), Talk()
    _run(clock, firmware, talk, 600)
    hello = talk.of(frames.HelloFrame)[0]
    assert hello.capabilities == 0b11111
    assert hello.serial == "MT-0001"
    assert len(hello.antennas) == 14
    assert {(each.antenna, each.uids) for each in talk.of(frames.InventoryFrame)} >= {
        (1, (card.hex().upper(), other.hex().upper())),
        (11, ()),
    }
    beat = talk.of(frames.HeartbeatFrame)[0]
    assert (beat.supply_mv, beat.temperature) == (4995, 42)
    tags[11] = [card]
    down.add(9)
    _run(clock, firmware, talk, 600)
    assert talk.of(frames.InventoryFrame)[-1].antenna == 11
    assert [(each.id, each.pressed) for each in talk.of(frames.ButtonFrame)] == [(9, True)]
    assert SPI.made[0] == {
        "baudrate": 7_000_000,
        "polarity": 0,
        "phase": 0,
        "sck": 18,
        "mosi": 19,
        "miso": 16,
    }


def test_lamps_display_and_buzzer_of_the_board(clock: Clock) -> None:
    _lay({})
    firmware, talk = Firmware(BOARD, _board()), Talk()
    _run(clock, firmware, talk, 300)
    talk.say(frames.LampFrame(3, 3, 0))
    talk.say(frames.DisplayFrame(1, "Flop"))
    talk.say(frames.BuzzFrame(50))
    _run(clock, firmware, talk, 10)
    assert PWM.made[14] == {"freq": 2700, "duty_u16": 0x8000}
    _run(clock, firmware, talk, 100)
    assert PWM.made[14]["duty_u16"] == 0
    assert Chain.shown[-1][2] == (0, 64, 0)
    assert _letters(39) == "Flop" + " " * 16
    assert talk.of(frames.FaultFrame) == []


def _letters(address: int) -> str:
    """What the HD44780 was sent last for row 1: data nibbles after its address was set."""
    halves = [data[0] for to, data in I2C.written if to == address and len(data) == 2]
    values = [
        (high & 0xF0 | low >> 4, high & 1) for high, low in zip(halves[4::2], halves[5::2], strict=True)
    ]
    start = len(values) - 1 - values[::-1].index((0xC0, 0))
    return "".join(chr(value) for value, register in values[start + 1 :] if register)


def test_a_display_that_is_not_there_is_a_fault(clock: Clock) -> None:
    _lay({})
    I2C.absent.add(39)
    firmware, talk = Firmware(BOARD, _board()), Talk()
    _run(clock, firmware, talk, 300)
    assert talk.of(frames.FaultFrame) == [frames.FaultFrame(4, 0)]


def test_the_pixel_display_puts_rows_on_pages(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    from firmware.display import Ssd1306

    class Page:
        def __init__(self, buffer: bytearray, *_: int) -> None:
            self._buffer = buffer

        def fill(self, _: int) -> None:
            self._buffer[:] = bytes(128)

        def text(self, text: str, *_: int) -> None:
            self._buffer[: len(text)] = text.encode()

    framebuf = types.SimpleNamespace(FrameBuffer=Page, MONO_VLSB=0)
    monkeypatch.setitem(sys.modules, "framebuf", framebuf)
    glass = Ssd1306(I2C(0, sda=Pin(4), scl=Pin(5), freq=1), 60, 4)
    glass.start()
    I2C.written.clear()
    glass.write(3, "Tournant")
    assert [data for _, data in I2C.written[:6]] == [
        bytes((0x80, code)) for code in (0x21, 0, 127, 0x22, 6, 6)
    ]
    assert I2C.written[6] == (60, b"\x40Tournant" + bytes(120))


def test_the_shoe_of_the_board(clock: Clock) -> None:
    """A broken wire of any sensor reads as trouble; motor and carriage are on their pins; the FRAM remembers."""
    _lay({})
    board = _board()
    mechanism = board.mechanism
    assert mechanism.sensors() == shoe.GATE | shoe.OPEN | shoe.THICK
    for pin in (2, 3, 9, 15, 26):
        Pin.levels[pin] = 0
    assert mechanism.sensors() == shoe.LOADED | shoe.ALIGNED
    firmware, talk = Firmware(BOARD, board), Talk()
    _run(clock, firmware, talk, 300)
    talk.say(frames.ArmFrame(True))
    talk.say(frames.FeedFrame(6, 77))
    _run(clock, firmware, talk, 20)
    assert Pin.levels[0] == 1
    assert PWM.made[1]["duty_ns"] == 1_500_000
    Pin.edge(2, 1)
    _run(clock, firmware, talk, 2)
    Pin.edge(2, 0)
    assert Pin.levels[0] == 1  # an edge that trembles is no card
    Pin.edge(2, 1)
    clock.ms += 60
    Pin.edge(2, 0)
    # the loop has not turned meanwhile
    assert Pin.levels[0] == 0
    _run(clock, firmware, talk, 200)
    assert talk.of(frames.ShoeFrame)[-1] == frames.ShoeFrame(shoe.READY, 1, 6, 77)
    again = Firmware(BOARD, _board())
    assert again.shoe.fields()["command_id"] == 77
    assert again.shoe.feed(6, 77, clock.ms) is None
    I2C.absent.add(80)
    assert Firmware(BOARD, _board()).shoe.arm(True, clock.ms) == 4


def test_a_shoe_without_a_place_sensor_waits(clock: Clock) -> None:
    _lay({})
    board = _board({"shoe": {**BOARD["shoe"], "aligned": None, "thick": None, "carriage": None}})
    Pin.levels.update({2: 0, 3: 0, 9: 0})
    clock.ms = 1000
    board.mechanism.aim(3)
    assert board.mechanism.sensors() == shoe.LOADED
    clock.ms += 450
    assert board.mechanism.sensors() == shoe.LOADED | shoe.ALIGNED


def test_buttons_on_pins_of_their_own(clock: Clock) -> None:
    panel = {"kind": "pins", "ids": [1, 2], "pins": [6, 7], "debounce_ms": 10, "stuck_ms": 20_000}
    board = _board({"buttons": panel})
    assert board.button_bits() == 0
    Pin.levels[7] = 0
    assert board.button_bits() == 2


def test_a_pn532_on_either_bus(clock: Clock) -> None:
    reader = {**BOARD["readers"][0], "kind": "pn532", "uart": None}
    assert type(_board({"readers": [reader]}).readers[0]).__name__ == "Pn532"
    reader["uart"] = {"id": 1, "tx": 8, "rx": 9}
    assert type(_board({"readers": [reader]}).readers[0]).__name__ == "Pn532"


def test_the_flash_can_be_the_memory(clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "SHOE_FILE", str(tmp_path / "shoe"))
    board = _board({"shoe": {**BOARD["shoe"], "memory": {"kind": "flash", "address": 0}}})
    assert board.store.read(0) == b""
    board.store.write(0, b"x" * 16)
    assert board.store.read(0) == b"x" * 16


def test_the_console_gives_and_takes_bytes(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """MicroPython's console: one byte a read, a poll before each, no Ctrl-C."""
    waiting, written, keys = bytearray(b"ab\x03\0c"), [], []
    stdin = types.SimpleNamespace(
        buffer=types.SimpleNamespace(read=lambda size: bytes([waiting.pop(0) for _ in range(size)]))
    )
    stdout = types.SimpleNamespace(buffer=types.SimpleNamespace(write=written.append))
    room = [True, True, False]

    class Poll:
        def register(self, stream: Any, _: int) -> None:
            self._in = stream is stdin

        def poll(self, _: int) -> list[int]:
            return [1] if (waiting if self._in else room.pop(0)) else []

    monkeypatch.setitem(sys.modules, "micropython", types.SimpleNamespace(kbd_intr=keys.append))
    monkeypatch.setitem(sys.modules, "select", types.SimpleNamespace(poll=Poll, POLLIN=1, POLLOUT=4))
    monkeypatch.setattr(ports, "sys", types.SimpleNamespace(stdin=stdin, stdout=stdout))
    line = ports.UsbLine()
    assert keys == [-1]
    assert line.read() == b"ab\x03\0c"
    assert line.read() == b""
    data = bytes(100)
    assert [line.write(data), line.write(data[64:]), line.write(data)] == [64, 36, 0]
    assert b"".join(written) == data


class Stopped(BaseException):
    """Ends the loop of `main`."""


def _main(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Any, list[str]]:
    from firmware import main

    done: list[str] = []
    monkeypatch.setattr(main, "SETTINGS", str(tmp_path / "board.json"))
    monkeypatch.setattr(main, "CRASH", str(tmp_path / "crash.txt"))
    monkeypatch.setitem(sys.modules, "machine", fake_machine)

    class Dog:
        def __init__(self, timeout: int) -> None:
            done.append(f"watchdog {timeout}")

        def feed(self) -> None:
            done.append("fed")
            if done.count("fed") == 3:
                raise Stopped

    def reset() -> None:
        done.append("reset")
        raise Stopped

    monkeypatch.setattr(fake_machine, "WDT", Dog, raising=False)
    monkeypatch.setattr(fake_machine, "reset", reset, raising=False)
    monkeypatch.setattr(
        sys, "print_exception", lambda error, file: file.write(f"trace of {error!r}\n"), raising=False
    )
    monkeypatch.setattr(main.ports, "UsbLine", lambda: types.SimpleNamespace(read=lambda: b"", write=len))
    monkeypatch.setattr(main.ports.Ports, "free_memory", lambda self: 1 << 20)
    return main, done


def test_main_starts_the_loop_under_a_watchdog(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    main, done = _main(monkeypatch, tmp_path)
    (tmp_path / "board.json").write_text((FIRMWARE / "board.json").read_text())
    _lay({})
    with pytest.raises(Stopped):
        main.run()
    assert done == ["watchdog 1000", "fed", "fed", "fed"]


def test_main_leaves_the_console_free_with_the_jumper(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    main, done = _main(monkeypatch, tmp_path)
    (tmp_path / "board.json").write_text((FIRMWARE / "board.json").read_text())
    Pin.levels[27] = 0
    main.run()
    assert done == []


def test_main_stops_the_shoe_and_restarts_after_an_error(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    main, done = _main(monkeypatch, tmp_path)
    (tmp_path / "board.json").write_text((FIRMWARE / "board.json").read_text())
    _lay({})
    real = main.Firmware.turn

    def turn(self: Any) -> None:
        if done.count("fed") == 1:
            Pin.levels[0] = 1
            raise MemoryError("scripted")
        real(self)

    monkeypatch.setattr(main.Firmware, "turn", turn)
    with pytest.raises(Stopped):
        main.run()
    assert done[-1] == "reset"
    assert Pin.levels[0] == 0
    assert main.last_crash() == "restarted after MemoryError('scripted')"
    assert main.last_crash() == ""


def test_main_says_why_settings_cannot_be_used(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    main, _ = _main(monkeypatch, tmp_path)
    (tmp_path / "board.json").write_text('{"serial": 5}')
    chosen, complaint = main.read_settings()
    assert chosen["serial"] == "unset"
    firmware, talk = Firmware(chosen, _board({**chosen, "line": UART_LINE}), complaint), Talk()
    _run(clock, firmware, talk, 25_000)
    texts = [frame.text for frame in talk.of(frames.LogFrame)]
    assert texts == ["board.json.serial: must be a text of at most 64 bytes"] * 3
    assert talk.of(frames.HelloFrame)[0].antennas == ()


def test_the_wiring_table_is_that_of_the_example_settings() -> None:
    """README and board.json name the same pins for the same things."""
    table: dict[int, str] = {}
    for line in (FIRMWARE / "README.md").read_text().splitlines():
        row = re.match(r"\| GP(\d+) \| `([^`]+)`", line)
        if row:
            table[int(row[1])] = row[2]
    pins: dict[int, str] = {}

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, f"{path}.{key}" if path else key)
        elif isinstance(value, list) and path.endswith("select"):
            for at, pin in enumerate(value):
                pins[pin] = f"{path}[{at}]"
        elif isinstance(value, list):
            for at, inner in enumerate(value):
                walk(inner, f"{path}[{at}]")
        elif path.rsplit(".", 1)[-1] in PIN_KEYS:
            pins[value] = path

    walk(json.loads((FIRMWARE / "board.json").read_text()), "")
    assert table == pins


PIN_KEYS = {
    *("sda", "scl", "sck", "mosi", "miso", "nss", "busy", "reset", "load", "clock", "data", "pin"),
    *("motor", "carriage", "gate", "loaded", "door", "thick", "aligned", "adc", "maintenance"),
}


def test_nothing_of_a_board_is_here() -> None:
    assert ports.ON_A_BOARD is False
