"""A panel wired to the Pi's own pins: buttons in, lamps and buzzer out, one thread.

Presses come out once each, however their contacts bounce; a button that is stuck, shorted or chattering presses nothing
and is told of. Lamps keep what they shall show while the pins are away. There is no stamp on these wires: `t` is the table's
time when the press was believed.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Final, Self

import msgspec

from firmware_bridge import codes
from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.debounce import Change, Contact, ContactTiming, Cured, News
from firmware_bridge.device_errors import ButtonStuck
from firmware_bridge.errors import DEFINED, BadCommand, CloseStalled, DeviceError, DriverFailed, NotReady
from firmware_bridge.lights import Lights
from firmware_bridge.observations import Button, CommandRefused, Fault, Observation
from firmware_bridge.pins import LampPins, Library, Pins
from firmware_bridge.standing import Standing

__all__ = ["LampPins", "Panel", "PanelHealth", "PanelSettings", "PanelTiming"]

LOGGER: Final = logging.getLogger(__name__)
CLOSE_WITHIN: Final = 5.0
_BUZZ_MOST_MS: Final = 0xFFFF
_PINS: Final = range(28)
"""The lines of the 40-pin header (BCM numbers)."""


class PanelTiming(msgspec.Struct, frozen=True):
    """Waits of a panel (seconds of real time).

    Attributes:
        contact: When a button's contact is believed.
        reread: All levels are read again so often, so that a lost edge heals.
        blink: A blinking lamp is on for so long, then off for as long.
        backoff_first: First wait before the pins are opened again.
        backoff_most: The wait doubles up to this.
    """

    contact: ContactTiming = ContactTiming()
    reread: float = 0.1
    blink: float = 0.5
    backoff_first: float = 0.1
    backoff_most: float = 5.0


class PanelSettings(msgspec.Struct, frozen=True):
    """One panel in the table's configuration. Pins are BCM numbers.

    Attributes:
        name: What people call it; the `device` of its observations.
        buttons: Number of each button (1 FOLD … 18 UNDO) and its pin.
        lamps: Number of each lamp and its pins.
        buzzer: The buzzer's pin.
        pull_up: Buttons close to ground; else to 3.3 V.
        active_high: Lamps and buzzer are on when their pin is high.
        library: Through which library of the Pi: `lgpio`, or `rpigpio` for RPi.GPIO.
    """

    name: str
    buttons: Mapping[int, int] = {}
    lamps: Mapping[int, LampPins] = {}
    buzzer: int | None = None
    pull_up: bool = True
    active_high: bool = True
    library: Library = "lgpio"


class PanelHealth(msgspec.Struct, frozen=True):
    """How a panel is, for `doctor`, the dealer's page and metrics.

    Attributes:
        name: Its name in the table's configuration.
        path: How its pins are reached.
        state: `found`, `ready`, `degraded` or `lost`.
        code: Slug of the defined error behind the state, empty when there is none.
        last_seen: Seconds (real) since its pins were read; None when they never were.
        connections: How often its pins were opened.
        presses: Presses told.
        out_of_order: Buttons that press nothing now.
    """

    name: str
    path: str
    state: str
    code: str
    last_seen: float | None
    connections: int
    presses: int
    out_of_order: tuple[int, ...]


class Panel:
    """One panel: start it, read the queue, give it commands, close it. Commands may come from any thread."""

    def __init__(
        self,
        settings: PanelSettings,
        out: Sink,
        *,
        clock: TableClock | None = None,
        timing: PanelTiming | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Describe the panel; no pin is touched before `start`.

        Args:
            settings: Name and pins.
            out: The table's queue.
            clock: The table's clock, which gives `t`; None for a clock that stands at 0.
            timing: Waits.
            monotonic: Real time in seconds.

        Raises:
            BadCommand: A button, lamp or pin that cannot be, or a pin given twice.
        """
        _check(settings)
        self.name = settings.name
        self.path = f"{settings.library} pins"
        self._settings = settings
        self._out = out
        self._clock = clock or TableClock()
        self._timing = timing or PanelTiming()
        self._monotonic = monotonic
        self._standing = Standing(settings.name, self._clock, out)
        self._contacts = {number: Contact(self._timing.contact) for number in settings.buttons}
        self._lights = Lights(settings.lamps, settings.buzzer, self._timing.blink)
        self._wake: queue.SimpleQueue[tuple[int, bool, float, float] | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._connections = 0
        self._presses = 0
        self._read_at: float | None = None

    # -- for the table ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to open the pins; returns at once, whether or not they are there."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"panel {self.name}", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Switch everything off, let go of the pins and end the thread; a second call does nothing.

        Raises:
            CloseStalled: The thread did not end within five seconds.
        """
        self._stop.set()
        self._wake.put(None)
        if self._thread is not None:
            self._thread.join(CLOSE_WITHIN)
            if self._thread.is_alive():
                raise CloseStalled(where=self.name)
            self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def wait_ready(self, within: float) -> None:
        """Wait until the pins are open.

        Raises:
            NotReady: They were not within so many seconds; says what stood in the way.
        """
        if not self._ready.wait(within):
            row = DEFINED.get(self._standing.code)
            reason = f" ({row.code}: {row.what})" if row is not None else ""
            raise NotReady(
                f"not ready within {within:g} s{reason}", where=self.name, hint=row.hint if row else ""
            )

    def health(self) -> PanelHealth:
        """How the panel is now."""
        read_at = self._read_at
        return PanelHealth(
            name=self.name,
            path=self.path,
            state=self._standing.state,
            code=self._standing.code,
            last_seen=None if read_at is None else max(0.0, self._monotonic() - read_at),
            connections=self._connections,
            presses=self._presses,
            out_of_order=tuple(self._troubled()),
        )

    def set_lamp(self, lamp: int, colour: int | str, *, blink: bool = False) -> None:
        """Show a colour (`off`, `red`, `amber`, `green`, `blue`, or its code) on a lamp; one it has not is left aside.

        A colour for which the lamp has no pin is refused with a `CommandRefused` observation.

        Raises:
            BadCommand: There can be no such lamp or colour.
        """
        code = codes.colour_code(colour) if isinstance(colour, str) else colour
        if not 0 <= lamp <= 0xFF or not 0 <= code < len(codes.COLOURS):
            raise BadCommand(f"lamp {lamp} cannot be colour {colour}", where=self.name)
        pins = self._settings.lamps.get(lamp)
        if pins is None:
            return
        if pins.of(code) is None:
            self._publish(
                lambda t: CommandRefused(
                    t=t, device=self.name, command="LAMP", reason="not-fitted", command_id=0
                )
            )
            return
        self._lights.set_lamp(lamp, code, blink)
        self._wake.put(None)

    def buzz(self, duration_ms: int) -> None:
        """Sound the buzzer now; nothing is remembered for pins that are away.

        Raises:
            BadCommand: The duration is negative or beyond 65,535 ms.
        """
        if not 0 <= duration_ms <= _BUZZ_MOST_MS:
            raise BadCommand(f"a buzz of {duration_ms} ms", where=self.name, hint=f"0 to {_BUZZ_MOST_MS}")
        if self._settings.buzzer is not None:
            self._lights.buzz(duration_ms / 1000)
            self._wake.put(None)

    # -- its thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        wait = self._timing.backoff_first
        while not self._stop.is_set():
            try:
                self._serve()
            except DeviceError as error:
                self._standing.fault("lost", error)
            except Exception as error:
                # a fault of ours: the table must learn that the panel is gone before the thread ends loudly
                self._standing.fault(
                    "lost", DriverFailed(f"{type(error).__name__}: {error}", where=self.name)
                )
                raise
            finally:
                was_ready = self._ready.is_set()
                self._ready.clear()
            wait = self._timing.backoff_first if was_ready else min(wait * 2, self._timing.backoff_most)
            self._stop.wait(wait)

    def _serve(self) -> None:
        """Open the pins and watch them until they go or the panel is closed."""
        settings = self._settings
        pins = Pins(
            settings.name,
            settings.library,
            settings.buttons,
            settings.lamps,
            settings.buzzer,
            pull_up=settings.pull_up,
            active_high=settings.active_high,
            heard=self._heard,
        )
        try:
            self._connections += 1
            self._lights.begin()
            self._begin(pins)
            self._ready.set()
            reread_at = self._monotonic()
            while not self._stop.is_set():
                reread_at = self._turn(pins, reread_at)
        finally:
            pins.close()

    def _begin(self, pins: Pins) -> None:
        now = self._monotonic()
        news = {number: contact.begin(now, pins.closed(number)) for number, contact in self._contacts.items()}
        self._standing.tell("ready", f"{self.name}: {len(self._contacts)} buttons, {self.path}")
        for number, items in news.items():
            self._tell(number, items)

    def _turn(self, pins: Pins, reread_at: float) -> float:
        """Wait for an edge, a command or the next thing that is due, and do it."""
        self._listen(self._next(reread_at))
        now = self._monotonic()
        reread = now >= reread_at
        for number, contact in self._contacts.items():
            due = contact.due()
            if reread or (due is not None and now >= due):
                self._tell(number, contact.look(now, pins.closed(number)))
        if reread:
            self._read_at = now
        self._lights.show(pins, now)
        return now + self._timing.reread if reread else reread_at

    def _heard(self, number: int, closed: bool, stamp: float) -> None:
        """gpiozero's thread tells an edge."""
        self._wake.put((number, closed, stamp, self._monotonic()))

    def _listen(self, until: float) -> None:
        try:
            item = self._wake.get(timeout=max(0.0, until - self._monotonic()))
            while True:
                if item is not None:
                    number, closed, stamp, heard_at = item
                    self._contacts[number].edge(heard_at, closed, stamp)
                item = self._wake.get_nowait()
        except queue.Empty:
            return

    def _next(self, reread_at: float) -> float:
        dues = [self._lights.due(self._monotonic()), *(each.due() for each in self._contacts.values())]
        return min([reread_at, *(due for due in dues if due is not None)])

    # -- what it says -----------------------------------------------------------------------------------------------

    def _tell(self, number: int, news: list[News]) -> None:
        for item in news:
            if isinstance(item, Change):
                self._presses += item.pressed
                self._publish(_button(self.name, number, item))
            elif isinstance(item, Cured):
                self._stand()
            else:
                self._publish(lambda t: Fault(t=t, device=self.name, code="button_stuck", argument=number))
                self._stand()

    def _troubled(self) -> list[int]:
        return [number for number, contact in self._contacts.items() if contact.trouble is not None]

    def _stand(self) -> None:
        """Ready, or degraded by the buttons that are out of order."""
        named = []
        for number, contact in self._contacts.items():
            if contact.trouble is not None:
                what = "chatters" if contact.trouble.what == "chatter" else "is held or shorted"
                named.append(f"button {number} {codes.BUTTONS[number]} {what}")
        if named:
            self._standing.fault("degraded", ButtonStuck("; ".join(named), where=self.name))
        else:
            self._standing.tell("ready")

    def _publish(self, build: Callable[[float], Observation]) -> None:
        self._clock.publish(self._out, build)


def _button(device: str, number: int, change: Change) -> Callable[[float], Observation]:
    return lambda t: Button(
        t=t, device=device, id=number, pressed=change.pressed, count=change.count, gap=change.gap
    )


def _outputs(settings: PanelSettings) -> Iterator[int]:
    for lamp in settings.lamps.values():
        yield from lamp.pins()
    if settings.buzzer is not None:
        yield settings.buzzer


def _check(settings: PanelSettings) -> None:
    """Refuse what no panel can be."""
    where = settings.name
    for number in settings.buttons:
        if number not in codes.BUTTONS:
            raise BadCommand(f"there is no button {number}", where=where, hint="1 (FOLD) to 18 (UNDO)")
    for number in settings.lamps:
        if not 0 <= number <= 0xFF:
            raise BadCommand(f"there is no lamp {number}", where=where, hint="0 to 255")
    taken: set[int] = set()
    for pin in (*settings.buttons.values(), *_outputs(settings)):
        if pin not in _PINS:
            raise BadCommand(f"the header has no pin GPIO{pin}", where=where, hint="BCM numbers, 0 to 27")
        if pin in taken:
            raise BadCommand(f"GPIO{pin} is given twice", where=where, hint="each part has its own pin")
        taken.add(pin)
