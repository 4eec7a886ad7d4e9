"""The lines of one simulated Raspberry Pi's header: levels, pulls, outputs, edges, and what is wired to them.

A line is held by what drives it from outside, else by its own output, else by its pull. Every change of a watched
line is an event with a time stamp in a queue of sixteen, as the kernel has it: when nobody reads, the oldest are lost.

Does not model: voltages, currents, drive strength, alternate functions, pulls that outlive a program, the Pi 5's own
quirks with pulls at boot.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from hw_sim.errors import ConfigError

KERNEL_QUEUE: Final = 16
Model = Literal["pi4", "pi5"]
Claim = Literal["", "input", "output", "alert"]


@dataclass(frozen=True)
class Board:
    """What a model is to the system.

    Attributes:
        revision: The revision code in the device tree.
        label: Of the chip with the header's lines.
        lines: How many lines that chip has.
        chips: Numbers under which it can be opened; newer kernels show the Pi 5's under both.
    """

    revision: int
    label: str
    lines: int
    chips: tuple[int, ...]


BOARDS: Final[dict[Model, Board]] = {
    "pi4": Board(0xC03114, "pinctrl-bcm2711", 58, (0,)),
    "pi5": Board(0xC04170, "pinctrl-rp1", 54, (0, 4)),
}


@dataclass(frozen=True)
class Event:
    """A line changed: its level then, and when (nanoseconds of the monotonic clock)."""

    gpio: int
    level: int
    stamp_ns: int


@dataclass
class Line:
    """One line of the header."""

    claim: Claim = ""
    holder: str = ""
    output: int = 0
    pull: Literal["none", "up", "down"] = "none"
    active_low: bool = False
    edges: int = 0
    debounce_us: int = 0
    outside: int | None = None
    floating: int = 0
    pwm: tuple[float, float] | None = None
    seen: int = 0
    mute: int = 0
    events: deque[Event] = field(default_factory=deque)

    @property
    def level(self) -> int:
        """The level that the line has now."""
        if self.outside is not None:
            return self.outside
        if self.claim == "output":
            return self.output
        if self.pull != "none":
            return int(self.pull == "up")
        return self.floating


@dataclass
class Counts:
    """What happened on the header, for tests."""

    events: int = 0
    lost_events: int = 0
    refused: list[str] = field(default_factory=list)


class Header:
    """The pins of one Pi, and the hands and wires around them. Any thread may move them.

    Args:
        model: `pi4` or `pi5`.
        monotonic_ns: The clock of the time stamps.
    """

    def __init__(self, model: Model, *, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.board = BOARDS[model]
        self.model = model
        self.counts = Counts()
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.gone = False
        self.held = False
        self._monotonic_ns = monotonic_ns
        self._lines = [Line() for _ in range(self.board.lines)]
        # the two pins with a resistor on the board
        for gpio in (2, 3):
            self._lines[gpio].floating = 1
        self._wires: dict[int, list[int]] = {}
        self._steps: list[tuple[float, int, int | None]] = []

    def line(self, gpio: int) -> Line:
        """One line by its BCM number.

        Raises:
            ConfigError: The header has no such line.
        """
        if not 0 <= gpio < len(self._lines):
            raise ConfigError(f"a {self.model} has no line {gpio}")
        return self._lines[gpio]

    # -- hands and wires -------------------------------------------------------------------------------------

    def drive(self, gpio: int, level: int | None, *, stamp_ns: int | None = None) -> None:
        """Put a level on a line from outside; None lets go of it. It happens now, unless it is stamped otherwise."""
        with self.lock:
            self.line(gpio).outside = level
            self.settle(gpio, stamp_ns)

    def press(self, gpio: int) -> None:
        """A finger closes the contact between the line and ground."""
        self.drive(gpio, 0)

    def release(self, gpio: int) -> None:
        """The contact opens; the line's pull takes it back."""
        self.drive(gpio, None)

    def chatter(self, gpio: int, levels: Sequence[int | None]) -> None:
        """Move a line through these levels with no time between them."""
        for level in levels:
            self.drive(gpio, level)

    def play(self, gpio: int, steps: Sequence[tuple[float, int | None]]) -> None:
        """Move a line in real time: pairs of seconds from now and level. Whoever runs the header plays them."""
        now = self._monotonic_ns() / 1e9
        with self.lock:
            self._steps.extend((now + after, gpio, level) for after, level in steps)
            self._steps.sort(key=lambda step: step[0])
            self.changed.notify_all()

    def wire(self, output: int, to: int) -> None:
        """Tie a line to another: its level drives that one from now on."""
        with self.lock:
            self._wires.setdefault(output, []).append(to)
            self.settle(output)

    def level(self, gpio: int) -> int:
        """What a meter on the line would show, 0 or 1."""
        with self.lock:
            return self.line(gpio).level

    # -- faults ----------------------------------------------------------------------------------------------

    def lose_edges(self, gpio: int, count: int) -> None:
        """The next so many changes of a line are told to nobody."""
        with self.lock:
            self.line(gpio).mute = count

    def hold(self) -> None:
        """Nobody reads the kernel's queues: the program's thread gets no time."""
        with self.lock:
            self.held = True

    def go_on(self) -> None:
        """The program reads again what is left in the queues."""
        with self.lock:
            self.held = False
            self.changed.notify_all()

    def occupy(self, gpio: int, by: str) -> None:
        """Something else on the Pi has the line."""
        with self.lock:
            line = self.line(gpio)
            line.claim, line.holder = "input", by

    def vanish(self) -> None:
        """The chip stops answering."""
        with self.lock:
            self.gone = True

    def come_back(self) -> None:
        """The chip answers again; what was claimed is not any more."""
        with self.lock:
            self.gone = False
            for line in self._lines:
                if line.holder == "lg":
                    line.claim, line.holder, line.edges = "", "", 0

    # -- what the system does with it --------------------------------------------------------------------------

    def settle(self, gpio: int, stamp_ns: int | None = None) -> None:
        """A line may have changed: write the event down, and move what is wired to it."""
        line = self.line(gpio)
        stamp = self._monotonic_ns() if stamp_ns is None else stamp_ns
        level = line.level
        for to in self._wires.get(gpio, ()):
            self._lines[to].outside = level
            self.settle(to, stamp)
        if level == line.seen:
            return
        line.seen = level
        if line.mute:
            line.mute -= 1
            return
        if line.debounce_us:
            self._steps.append((stamp / 1e9 + line.debounce_us / 1e6, gpio, -1 - level))
            self._steps.sort(key=lambda step: step[0])
            self.changed.notify_all()
        else:
            self._event(gpio, line, level, stamp)

    def run_steps(self) -> float | None:
        """Play what is due; seconds until the next step, None when there is none. Called with the lock held."""
        now = self._monotonic_ns() / 1e9
        while self._steps and self._steps[0][0] <= now:
            # late or not, each step happened when it was to happen
            at, gpio, level = self._steps.pop(0)
            if level is not None and level < 0:
                self._debounced(gpio, -1 - level, round(at * 1e9))
            else:
                self.drive(gpio, level, stamp_ns=round(at * 1e9))
        return self._steps[0][0] - now if self._steps else None

    def take_events(self) -> list[Event]:
        """Empty the kernel's queues, in the order of time; nothing while they are held. With the lock held."""
        if self.held:
            return []
        found: list[Event] = []
        for line in self._lines:
            found.extend(line.events)
            line.events.clear()
        return sorted(found, key=lambda event: event.stamp_ns)

    def _debounced(self, gpio: int, level: int, stamp_ns: int) -> None:
        line = self._lines[gpio]
        pending = any(at == gpio and step is not None and step < 0 for _, at, step in self._steps)
        # a later change of the line put another check on the list: this one was a bounce
        if line.seen == level and not pending:
            self._event(gpio, line, level, stamp_ns)

    def _event(self, gpio: int, line: Line, level: int, stamp_ns: int) -> None:
        shown = level ^ line.active_low
        if line.claim != "alert" or not line.edges & (1 if shown else 2):
            return
        self.counts.events += 1
        if len(line.events) >= KERNEL_QUEUE:
            line.events.popleft()
            self.counts.lost_events += 1
        line.events.append(Event(gpio, shown, stamp_ns))
        self.changed.notify_all()
