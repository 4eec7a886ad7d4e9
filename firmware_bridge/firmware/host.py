"""The firmware without a board: scripted tags, buttons and a scripted shoe, for tests and for trying things out.

Not for the board: do not copy it there. It runs under MicroPython's unix port and under CPython:

    micropython firmware_bridge/firmware/host.py --line /dev/pts/7 --settings board.json --store /tmp/shoe-memory

The serial line is a terminal device (`--line`); `--down ID` closes a button from the beginning. Commands come on the
standard input, one a line; what the board does is told on the standard output, one a line. The end of the input
switches the board off.

Commands: `tags ANTENNA UID…` (all that lies there from now on) · `press ID` · `release ID` · `raw ID LEVELS` (one 0 or 1 a
poll: a bouncing contact) · `reader NUMBER silent|answers` · `display broken|works` · `supply MILLIVOLTS` ·
`temperature DEGREES` · `shoe load CARDS` · `shoe next jam|double|follow|stick|misaligned` · `door open|closed` · `crash`.

Told: `ready` · `pixels rrggbb…` · `row NUMBER TEXT` · `buzz 0|1` · `out TARGET` (a card has left the shoe) ·
`contact ID` (the levels of `raw` are at their end) · `done` (the command has been carried out).
"""

import select
import sys
import time

if __name__ == "__main__":
    # the folder above the package
    sys.path.insert(0, __file__.rsplit("/", 2)[0] if __file__.count("/") > 1 else "..")

from firmware import settings as board_settings
from firmware import shoe as bits
from firmware.app import Firmware
from firmware.ports import Ports, Ticks
from firmware.readers import ReaderSilent, wait_until
from firmware.shoe_memory import FileStore

MICROPYTHON = sys.implementation.name == "micropython"
IDLE_MS = 2
VMIN, VTIME = 6, 5


class HostReader:
    """A reader whose tags are scripted."""

    def __init__(self, tags, antennas, now):
        self.silent = False
        self._tags = tags
        self._numbers = {antenna["channel"]: antenna["id"] for antenna in antennas}
        self._now = now

    def start(self):
        """The chip answers, unless it is silent."""
        yield
        if self.silent:
            raise ReaderSilent("scripted")

    def inventory(self, channel, dwell_ms):
        """What lies on the antenna."""
        yield
        yield from wait_until(self._now, dwell_ms)
        if self.silent:
            raise ReaderSilent("scripted")
        return self._tags.get(self._numbers[channel], []), 100


class HostShoe:
    """A shoe with rollers, a gate and a carriage, in milliseconds of their turning.

    A card reaches the gate after 24 ms and has left it after 60; then the rollers are stopped by the gate itself. It knows
    what really left it: that is what a firmware is judged by.

    Attributes:
        cards: Left in the shoe.
        rolling: The rollers turn.
        door: Open.
        next: What goes wrong with the next card: `jam`, `double`, `follow`, `stick`, `misaligned`; empty for nothing.
    """

    REACH, LEAVE, THICK_LEAVE, AIM, FOLLOWS = 24, 60, 100, 30, 20

    def __init__(self, now, out):
        self.cards = 0
        self.rolling = False
        self.door = False
        self.next = ""
        self._now = now
        self._out = out
        self._last = now()
        self._turned = 0
        self._follows = None
        self._target = 0
        self._there_at = None
        self._at_place = True
        self._passed = 0
        self._longest = 0

    def sensors(self):
        """What the firmware can see."""
        self._advance()
        seen = bits.LOADED if self.cards else 0
        seen |= bits.OPEN if self.door else 0
        seen |= bits.ALIGNED if self._at_place else 0
        if self._turned >= self.REACH or (self._follows is not None and self._now() >= self._follows):
            seen |= bits.GATE
            seen |= bits.THICK if self.next == "double" else 0
        return seen

    def passed(self):
        """Cards that have left the gate since the rollers were started, and the longest time in it (ms)."""
        self._advance()
        return self._passed, self._longest

    def aim(self, target):
        """The carriage sets off."""
        self._advance()
        self._target = target
        self._at_place = False
        self._there_at = None if self.next == "misaligned" else self._now() + self.AIM

    def pull(self):
        """The rollers turn until a card has left the gate."""
        self._advance()
        self._passed = 0
        self._longest = 0
        self.rolling = True

    def stop(self):
        """Everything stands."""
        self._advance()
        self.rolling = False
        self._there_at = None

    def load(self, cards):
        """Somebody puts cards in."""
        self.cards = cards

    def open(self, door):
        """Somebody opens the door, takes out what is stuck, or closes it."""
        self._advance()
        if door and self._turned > 0:
            self.cards = max(0, self.cards - 1)
            self._turned = 0
        if door:
            self.next = ""
        self.door = door

    def _advance(self):
        now = self._now()
        passed, self._last = now - self._last, now
        if self._there_at is not None and now >= self._there_at:
            self._there_at = None
            self._at_place = True
        while self.rolling and passed > 0 and self.cards > 0 and not self.door:
            passed -= 1
            if self.next == "stick" or (self.next == "jam" and self._turned > self.REACH):
                continue
            self._turned += 1
            leave = self.THICK_LEAVE if self.next == "double" else self.LEAVE
            if self._turned >= leave:
                self._left(leave - self.REACH, now - passed)
        if self._follows is not None and now >= self._follows + self.LEAVE - self.REACH:
            self._follows = None
            self._leave(self.LEAVE - self.REACH)

    def _left(self, took, at):
        """The gate is free again: the rollers stop, whatever the firmware is doing."""
        self.rolling = False
        self._turned = 0
        self._leave(took)
        if self.cards and self.next == "double":
            self.cards -= 1
            self._out(self._target)
        elif self.cards and self.next == "follow":
            self._follows = at + self.FOLLOWS
        self.next = ""

    def _leave(self, took):
        self.cards -= 1
        self._passed += 1
        self._longest = max(self._longest, took)
        self._out(self._target)


class HostPorts(Ports):
    """Everything scripted; one object for the whole board.

    Args:
        settings: The board's settings.
        line: See `Ports`.
        now: Gives the time in milliseconds.
        boot_id: Of this start.
        tell: `tell(text)` takes what the board does.
        store: Memory of the shoe.
        mechanism: Of the shoe; None for one of its own.
    """

    def __init__(self, settings, line, now, boot_id, tell, store, mechanism=None):
        self.line = line
        self.now = now
        self.boot_id = boot_id
        self.store = store
        self.tell = tell
        self.tags = {}
        self.readers = [HostReader(self.tags, reader["antennas"], now) for reader in settings["readers"]]
        self.mechanism = mechanism or HostShoe(now, lambda target: tell(f"out {target}"))
        self.glass = self
        self.chain = HostChain(tell)
        self._buttons = settings["buttons"]["ids"] if settings["buttons"] is not None else []
        self._bits = 0
        self._raw = {}
        self._supply = 5000
        self._degrees = 30
        self._broken = False

    # -- what the firmware sees and does ---------------------------------------------------------------

    def button_bits(self):
        """Raw levels; a scripted contact gives one level a poll."""
        for number in list(self._raw):
            levels = self._raw[number]
            self._level(number, levels[0] == "1")
            self._raw[number] = levels[1:]
            if len(levels) == 1:
                del self._raw[number]
                self.tell(f"contact {number}")
        return self._bits

    def supply_mv(self):
        """The scripted supply."""
        return self._supply

    def temperature(self):
        """The scripted temperature."""
        return self._degrees

    def free_memory(self):
        """The heap's own count where there is one."""
        return Ports.free_memory(self) if MICROPYTHON else 1 << 20

    def buzz(self, on):
        """Tell it."""
        self.tell(f"buzz {1 if on else 0}")

    def start(self):
        """The display comes up, unless it is broken."""
        if self._broken:
            raise OSError("scripted")

    def write(self, row, text):
        """Tell what a row shows."""
        if self._broken:
            raise OSError("scripted")
        self.tell(f"row {row} {text}")

    # -- the script --------------------------------------------------------------------------------------

    def do(self, command):
        """Carry one command of the script out.

        Raises:
            ValueError: There is no such command.
        """
        words = command.split()
        if not words:
            return
        name, rest = words[0], words[1:]
        if name == "tags":
            self.tags[int(rest[0])] = [bytes.fromhex(uid) for uid in rest[1:]]
        elif name in ("press", "release"):
            self._level(int(rest[0]), name == "press")
        elif name == "raw":
            self._raw[int(rest[0])] = rest[1]
        elif name == "reader":
            self.readers[int(rest[0])].silent = rest[1] == "silent"
        elif name == "display":
            self._broken = rest[0] == "broken"
        elif name == "supply":
            self._supply = int(rest[0])
        elif name == "temperature":
            self._degrees = int(rest[0])
        elif name == "door":
            self.mechanism.open(rest[0] == "open")
        elif name == "shoe" and rest[0] == "load":
            self.mechanism.load(int(rest[1]))
        elif name == "shoe" and rest[0] == "next":
            self.mechanism.next = rest[1]
        elif name == "crash":
            raise MemoryError("scripted")
        else:
            raise ValueError(f"no such command: {command}")

    def _level(self, number, down):
        bit = 1 << self._buttons.index(number)
        self._bits = self._bits | bit if down else self._bits & ~bit


class HostChain:
    """Lamps that are told."""

    def __init__(self, tell):
        self._tell = tell

    def write(self, colours):
        """Tell the whole chain in hexadecimal."""
        self._tell("pixels " + " ".join(f"{red:02x}{green:02x}{blue:02x}" for red, green, blue in colours))


class TerminalLine:
    """The serial line on a terminal device, never waiting."""

    def __init__(self, path):
        import termios

        self.file = open(path, "r+b", buffering=0)
        descriptor = self.file.fileno()
        if MICROPYTHON:
            termios.setraw(descriptor)
        else:
            import tty

            tty.setraw(descriptor)
        attributes = termios.tcgetattr(descriptor)
        attributes[6][VMIN] = attributes[6][VTIME] = 0
        termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
        self._out = select.poll()
        self._out.register(self.file, select.POLLOUT)

    def read(self):
        """Bytes that have come."""
        return self.file.read(256) or b""

    def write(self, data):
        """Write what the terminal takes."""
        return self.file.write(data[:256]) or 0 if self._out.poll(0) else 0


def _arguments():
    found = {}
    words = sys.argv[1:]
    while len(words) >= 2 and words[0].startswith("--"):
        found[words[0][2:]] = words[1]
        words = words[2:]
    if words or "line" not in found or "settings" not in found or "store" not in found:
        raise SystemExit("usage: host.py --line DEVICE --settings FILE --store PATH")
    return found


def _clock():
    if MICROPYTHON:
        return Ticks().now
    start = time.monotonic_ns()
    return lambda: (time.monotonic_ns() - start) // 1_000_000


def main():
    """Run until the standard input ends."""
    from os import urandom

    given = _arguments()
    chosen = board_settings.load(given["settings"])
    out = open(1, "wb", buffering=0)
    line = TerminalLine(given["line"])
    boot_id = int.from_bytes(urandom(8), "little")
    ports = HostPorts(
        chosen,
        line,
        _clock(),
        boot_id,
        lambda text: out.write(text.encode() + b"\n"),
        FileStore(given["store"]),
    )
    if "down" in given:
        ports.do("press " + given["down"])
    firmware = Firmware(chosen, ports)
    script = open(0, "rb", buffering=0)
    commands = select.poll()
    commands.register(script, select.POLLIN)
    both = select.poll()
    both.register(script, select.POLLIN)
    both.register(line.file, select.POLLIN)
    ports.tell("ready")
    while True:
        firmware.turn()
        while commands.poll(0):
            command = script.readline()
            if not command:
                return
            ports.do(command.decode().strip())
            ports.tell("done")
        both.poll(IDLE_MS)


if __name__ == "__main__":
    main()
