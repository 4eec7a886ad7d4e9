"""What the table can tell a board: lamps, display, buzzer, orders, scan plan, dealing shoe.

Every command may be given from any thread and returns at once. What is a state (a lamp's colour, a line of the display,
the orders, the scan plan) is remembered and shown again when the board comes back; the newest of its kind replaces
what has not been sent yet.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final

from firmware_bridge import codes
from firmware_bridge.clock import Sink, TableClock
from firmware_bridge.errors import BadCommand, FrameUnencodable
from firmware_bridge.frames import (
    ArmFrame,
    BuzzFrame,
    DisplayFrame,
    FeedFrame,
    Frame,
    HelloFrame,
    HelloRequestFrame,
    InventoryRequestFrame,
    LampFrame,
    OrderEntry,
    OrderFrame,
    ScanEntry,
    ScanFrame,
)
from firmware_bridge.framing import encode
from firmware_bridge.link import Key, Outbox, Waiting
from firmware_bridge.observations import CommandRefused

ARM_AGAIN: Final = 1.0
"""An armed shoe is armed again after so many seconds of table time; by itself it disarms after two."""
ARM_HOLD: Final = 10.0
"""One `arm(True)` holds for so many seconds of table time; the table repeats it while it wants the shoe to move."""
CARD_DWELL_MS: Final = 30
CHIP_DWELL_MS: Final = 75
_CHIP_KINDS: Final = range(6, 10)
_CAPABILITY: Final = {
    LampFrame.kind: codes.LAMPS_CAPABILITY,
    DisplayFrame.kind: codes.DISPLAY_CAPABILITY,
    BuzzFrame.kind: codes.BUZZER_CAPABILITY,
    FeedFrame.kind: codes.SHOE_CAPABILITY,
    ArmFrame.kind: codes.SHOE_CAPABILITY,
}


class Commands:
    """The commands of one board, and the state that it shall show."""

    def __init__(
        self,
        name: str,
        clock: TableClock,
        out: Sink,
        scan: Sequence[tuple[int, int]] | None,
        wake: Callable[[], None],
    ) -> None:
        """`scan` is the plan as (antenna, dwell in ms), None for every antenna that the board has.

        Raises:
            BadCommand: The scan plan does not fit into its frame.
        """
        self._name = name
        self._clock = clock
        self._out = out
        self._wake = wake
        self._lock = threading.RLock()
        self._shown: dict[Key, Waiting] = {}
        self._hello: HelloFrame | None = None
        self._unsupported: set[int] = set()
        self._armed_until: float | None = None
        self._armed_at = 0.0
        self.outbox = Outbox()
        if scan is not None:
            self.scan(scan)

    def set_lamp(self, lamp: int, colour: int | str, *, blink: bool = False) -> None:
        """Show a colour (`off`, `red`, `amber`, `green`, `blue`, or its code) on a lamp.

        Raises:
            BadCommand: There can be no such lamp or colour.
        """
        code = codes.colour_code(colour) if isinstance(colour, str) else colour
        self._show(("LAMP", lamp), f"lamp {lamp}", LampFrame(lamp, code, int(blink)))

    def set_display(self, line: int, text: str) -> None:
        """Show a text of at most 40 characters on a line of the display.

        Raises:
            BadCommand: The text is too long.
        """
        self._show(("DISPLAY", line), f"display {line}", DisplayFrame(line, text))

    def send_orders(self, orders: Sequence[tuple[int | str, int | str, int]]) -> None:
        """Show the next acts as (order, place, argument): names or codes; at most 85 of them.

        Raises:
            BadCommand: An order or place has no code, or an argument does not fit.
        """
        entries = [
            OrderEntry(
                codes.order_code(order) if isinstance(order, str) else order,
                codes.place_code(place) if isinstance(place, str) else place,
                arg,
            )
            for order, place, arg in orders
        ]
        self._show(("ORDER", 0), "order", OrderFrame(tuple(entries)), again=True)

    def scan(self, plan: Sequence[tuple[int, int]]) -> None:
        """Read these antennas, as (antenna, dwell in ms), in this order.

        Raises:
            BadCommand: A number does not fit.
        """
        entries = tuple(ScanEntry(antenna, dwell_ms) for antenna, dwell_ms in plan)
        self._show(("SCAN", 0), "scan", ScanFrame(entries))

    def buzz(self, duration_ms: int) -> None:
        """Sound the buzzer now; nothing is remembered for a board that is away.

        Raises:
            BadCommand: The duration is beyond 65,535 ms.
        """
        self._send(("BUZZ", 0), "buzz", BuzzFrame(duration_ms))

    def request_inventory(self, antenna: int = codes.EVERY_ANTENNA) -> None:
        """Ask what lies on an antenna, or on all.

        Raises:
            BadCommand: There can be no such antenna.
        """
        self._send(("INVENTORY?", antenna), f"ask {antenna}", InventoryRequestFrame(antenna))

    def request_hello(self) -> None:
        """Ask the board who it is, whether or not it is known."""
        self.outbox.put(("HELLO?", 0), "hello", HelloRequestFrame())
        self._wake()

    def arm(self, armed: bool) -> None:
        """Let the dealing shoe move, or stop it.

        Armed holds for 10 s of table time: the table repeats it as long as it deals, so that a table that has stopped
        thinking stops the shoe.
        """
        with self._lock:
            self._armed_until = self._clock.now + ARM_HOLD if armed else None
            self._armed_at = self._clock.now
            self._send(("ARM", 0), "shoe", ArmFrame(armed))

    def feed(self, target: int, command_id: int) -> None:
        """Let the shoe feed one card to a seat (1 to 10), the board (11) or the burn (12).

        The same command id again is the same card, never a second one. A feed that does not reach the shoe comes back as a
        `CommandRefused` observation and is not tried again.

        Raises:
            BadCommand: The target or the id is out of its range.
            CommandQueueFull: Too many feeds wait already.
        """
        if target not in codes.FEED_TARGETS:
            raise BadCommand(f"a shoe has no target {target}", where="FEED")
        frame = FeedFrame(target, command_id)
        self._check(frame)
        with self._lock:
            if self._hello is None:
                self._refuse(frame, "not-connected")
            elif not self._fitted(frame):
                self._refuse(frame, "not-fitted")
            else:
                self.outbox.put_feed(command_id, frame)
        self._wake()

    @property
    def present(self) -> bool:
        """The board is here and has said who it is."""
        return self._hello is not None

    def has(self, capability: int) -> bool:
        """The board is here and has said that it has this (a capability bit of `codes`)."""
        hello = self._hello
        return hello is not None and bool(hello.capabilities & capability)

    def connected(self, hello: HelloFrame) -> None:
        """The board is here, perhaps after a restart: show it everything that it shall show."""
        with self._lock:
            self._hello = hello
            self._unsupported.clear()
            self._armed_until = None
            if ("SCAN", 0) not in self._shown and hello.antennas:
                self.outbox.put(("SCAN", 0), "scan", _plan_of(hello))
            for waiting in self._shown.values():
                if self._fitted(waiting.frame):
                    self.outbox.put(waiting.key, waiting.lane, waiting.frame)

    def disconnected(self, under_way: Sequence[Waiting]) -> None:
        """The board is away: feeds are refused, what was shown is kept for its return.

        Args:
            under_way: What had been sent and has no answer.
        """
        with self._lock:
            self._hello = None
            self._armed_until = None
            waiting = self.outbox.clear()
            for item in under_way:
                self._refuse_feed(item.frame, "connection-lost")
            for item in waiting:
                self._refuse_feed(item.frame, "not-connected")

    def refused(self, waiting: Waiting, code: int) -> None:
        """The board will not carry a command out; a type that it does not know is not sent to it again."""
        with self._lock:
            first = waiting.frame.kind not in self._unsupported
            if code == codes.NAK_UNKNOWN_TYPE:
                self._unsupported.add(waiting.frame.kind)
            if first:
                self._refuse(waiting.frame, codes.REFUSALS.get(code, f"refused-{code}"))

    def keep_armed(self, t: float) -> None:
        """Arm the shoe again when it is time, or disarm it when the table has not asked for it any more."""
        with self._lock:
            if self._armed_until is None:
                return
            if t >= self._armed_until:
                self._armed_until = None
                self._send(("ARM", 0), "shoe", ArmFrame(False))
            elif t - self._armed_at >= ARM_AGAIN:
                self._armed_at = t
                self._send(("ARM", 0), "shoe", ArmFrame(True))

    def _show(self, key: Key, lane: str, frame: Frame, *, again: bool = False) -> None:
        self._check(frame)
        with self._lock:
            known = self._shown.get(key)
            self._shown[key] = Waiting(key, lane, frame)
            if again or known is None or known.frame != frame:
                self._send(key, lane, frame)

    def _send(self, key: Key, lane: str, frame: Frame) -> None:
        self._check(frame)
        with self._lock:
            if self._hello is None or not self._fitted(frame):
                return
            self.outbox.put(key, lane, frame)
        self._wake()

    def _check(self, frame: Frame) -> None:
        try:
            encode(frame, 0)
        except FrameUnencodable as error:
            raise BadCommand(error.what, where=f"{self._name}: {error.where}") from error

    def _fitted(self, frame: Frame) -> bool:
        hello = self._hello
        if hello is None or frame.kind in self._unsupported:
            return False
        needed = _CAPABILITY.get(frame.kind, 0)
        if needed and not hello.capabilities & needed:
            return False
        return not isinstance(frame, LampFrame) or frame.lamp in hello.lamps

    def _refuse_feed(self, frame: Frame, reason: str) -> None:
        if isinstance(frame, FeedFrame):
            self._refuse(frame, reason)

    def _refuse(self, frame: Frame, reason: str) -> None:
        command_id = frame.command_id if isinstance(frame, FeedFrame) else 0
        self._clock.publish(
            self._out,
            lambda t: CommandRefused(
                t=t, device=self._name, command=frame.name, reason=reason, command_id=command_id
            ),
        )


def _plan_of(hello: HelloFrame) -> ScanFrame:
    """Every antenna that the board has; chips lie in piles and take longer to read."""
    return ScanFrame(
        tuple(
            ScanEntry(antenna.id, CHIP_DWELL_MS if antenna.kind in _CHIP_KINDS else CARD_DWELL_MS)
            for antenna in hello.antennas
        )
    )
