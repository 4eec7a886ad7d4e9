"""What a table board says, understood: frames in, observations and questions out, with no port and no thread.

It holds what is known of one board over all its comings and goings: who it is, its clock, what lies on its antennas.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final, Literal

from firmware_bridge import codes
from firmware_bridge.clock import DeviceClock, Sink, TableClock
from firmware_bridge.commands import Commands
from firmware_bridge.errors import DEFINED, DeviceError, HeartbeatMissing, HelloMissing, ProtocolRefused
from firmware_bridge.frames import (
    ButtonFrame,
    DigestFrame,
    FaultFrame,
    HeartbeatFrame,
    HelloFrame,
    InventoryFrame,
    LogFrame,
    ShoeFrame,
)
from firmware_bridge.framing import ForeignFrame, Received
from firmware_bridge.inventories import PresentSets
from firmware_bridge.link import Counters, Link, Timing
from firmware_bridge.observations import (
    Button,
    DeviceState,
    Fault,
    Heartbeat,
    Inventory,
    Observation,
    Shoe,
)

LOGGER: Final = logging.getLogger(__name__)
HELLO_AGAIN: Final = 0.5
"""The board is asked again who it is after so many seconds of real time."""
ASK_ALL_FROM: Final = 5
"""From so many antennas that differ on, one question for all of them is shorter."""
DISTRUST_AFTER: Final = 3
"""After so many digests in a row that differ the board is asked who it is: it may have restarted unheard."""

UNCHANGED_BY_REOPENING: Final = frozenset((HelloMissing.code, ProtocolRefused.code))
"""Why a board was lost that is still plugged in: finding it once more is no news until it says something else."""

LATE, NOISY = "heartbeat-late", "line-noisy"
NOISE_LOOK: Final = 0.5
"""The line's troubles are counted so often (seconds of real time)."""

State = Literal["found", "ready", "degraded", "lost"]


class Board:
    """One table board as the driver knows it.

    Attributes:
        hello: The board's last HELLO; None before its first.
        state: `lost` before it was ever found.
        code: Slug of the error behind the state.
        heartbeat: Its last heartbeat.
        restarts: New boot ids seen after the first.
    """

    def __init__(
        self,
        name: str,
        path: str,
        clock: TableClock,
        out: Sink,
        commands: Commands,
        timing: Timing,
        protocol: tuple[int, int],
        counters: Counters | None = None,
    ) -> None:
        self.hello: HelloFrame | None = None
        self.state: State = "lost"
        self.code = ""
        self.heartbeat: HeartbeatFrame | None = None
        self.restarts = 0
        self._told: tuple[State, str] | None = None
        self._name = name
        self._path = path
        self._clock = clock
        self._out = out
        self._commands = commands
        self._timing = timing
        self._protocol = protocol
        self._counters = counters or Counters()
        self._troubles: deque[tuple[float, int]] = deque()
        self._ticks = DeviceClock()
        self._sets = PresentSets()
        self._counts: dict[int, int] = {}
        self._differing: dict[int, int] = {}
        self._link: Link | None = None
        self._hello_until = 0.0
        self._hello_again = 0.0
        self._heard_at = 0.0
        self._beat_at = 0.0

    def begin(self, link: Link, now: float) -> None:
        """Something is at the port: ask who it is."""
        self._link = link
        link.known = False
        self._hello_until = now + self._timing.hello
        if self.code not in UNCHANGED_BY_REOPENING:
            self._tell("found")
        self.ask_hello(now)

    def ask_hello(self, now: float) -> None:
        """Ask the board who it is."""
        self._hello_again = now + HELLO_AGAIN
        self._commands.request_hello()

    def lost(self, error: DeviceError) -> None:
        """The board is away; what it was sent without an answer is given up."""
        under_way = self._link.drop_under_way() if self._link is not None else []
        self._commands.disconnected(under_way)
        self._tell("lost", error.code, error.hint, f"{error.where}: {error.what}")

    def heard(self, now: float) -> None:
        """A whole frame came from the board."""
        self._heard_at = now

    def watch(self, now: float) -> None:
        """Notice what has not come in time.

        Raises:
            HelloMissing: The board did not say who it is.
            HeartbeatMissing: The board has fallen silent.
        """
        if self._link is None:
            return
        if not self._link.known:
            if now >= self._hello_until:
                raise HelloMissing(where=self._path)
            if now >= self._hello_again:
                self.ask_hello(now)
            return
        silence = now - self._heard_at
        if silence >= self._timing.lost:
            raise HeartbeatMissing(f"nothing heard for {silence:.1f} s", where=self._path)
        if now - self._beat_at >= self._timing.degraded:
            if self.state == "ready":
                row = DEFINED[LATE]
                self._tell("degraded", row.code, row.hint, f"{self._path}: {row.what}")
        elif not self._troubles or now - self._troubles[-1][0] >= NOISE_LOOK:
            self._listen(now)

    def _listen(self, now: float) -> None:
        """Count the line's troubles: many of them in a short time come before a line breaks."""
        beat, counters, timing = self.heartbeat, self._counters, self._timing
        total = counters.bad + counters.resent + (beat.bad_crc + beat.resent if beat is not None else 0)
        troubles = self._troubles
        if troubles and total < troubles[-1][1]:
            # the board has begun to count again
            troubles.clear()
        troubles.append((now, total))
        while now - troubles[0][0] > timing.noisy_within:
            troubles.popleft()
        lately = total - troubles[0][1]
        if self.state == "ready" and lately >= timing.noisy:
            row = DEFINED[NOISY]
            detail = f"{self._path}: {lately} frames broken or sent again in {now - troubles[0][0]:.0f} s"
            self._tell("degraded", row.code, row.hint, detail)
        elif self.code == NOISY and lately <= 1 and now - troubles[0][0] > timing.noisy_within - 1.0:
            self._tell("ready")

    def take(self, frame: Received, now: float) -> None:
        """Understand one frame.

        Raises:
            ProtocolRefused: The board speaks no version of the line that this program speaks.
        """
        match frame:
            case InventoryFrame():
                self._inventory(frame)
            case HeartbeatFrame():
                self._beat(frame, now)
            case DigestFrame():
                self._digest(frame, now)
            case ButtonFrame():
                self._button(frame)
            case ShoeFrame():
                self._shoe(frame)
            case FaultFrame():
                self._fault(frame)
            case HelloFrame():
                self._greet(frame, now)
            case LogFrame():
                LOGGER.info("%s says %r", self._name, frame.text)
            case ForeignFrame():
                self._check_protocol(frame.first, frame.last, "of a later version")
            case _:
                LOGGER.debug("%s: %s is not for this side", self._name, type(frame).__name__)

    def _greet(self, hello: HelloFrame, now: float) -> None:
        self._check_protocol(hello.protocol_min, hello.protocol_max, repr(hello.firmware))
        link = self._link
        if link is None:
            return
        before = self.hello
        restarted = before is None or before.boot_id != hello.boot_id
        if link.known and not restarted:
            return
        self.hello = hello
        if restarted:
            self._ticks.restarted()
            self._counts.clear()
            self.restarts += before is not None
            if link.known:
                self._commands.disconnected(link.drop_under_way())
                self._tell("found", detail=f"{self._path}: the board restarted")
        link.known = True
        self._heard_at = self._beat_at = now
        self._sets.forget()
        self._differing.clear()
        self._troubles.clear()
        if restarted:
            self.heartbeat = None
        self._commands.connected(hello)
        if hello.antennas:
            self._ask(codes.EVERY_ANTENNA)
        self._tell("ready", detail=f"{self._path}: firmware {hello.firmware!r}, board {hello.serial!r}")

    def _check_protocol(self, first: int, last: int, firmware: str) -> None:
        low, high = self._protocol
        if max(first, low) <= min(last, high):
            return
        board = f"protocol {first}" if first == last else f"protocols {first} to {last}"
        program = f"protocol {low}" if low == high else f"protocols {low} to {high}"
        old_board = last < low
        raise ProtocolRefused(
            f"the board (firmware {firmware}) speaks {board}, this program speaks {program}",
            where=self._path,
            hint="update the board's firmware: it is the older"
            if old_board
            else "update maldonne: it is the older",
        )

    def _inventory(self, frame: InventoryFrame) -> None:
        whole = self._sets.take(frame)
        if whole is None:
            self._say(None, frame.ticks_ms)
            return
        kind, index = self._place_of(frame.antenna)
        self._say(
            lambda t: Inventory(
                t=t,
                device=self._name,
                antenna=whole.antenna,
                kind=kind,
                index=index,
                uids=whole.uids,
                quality=whole.quality,
                cycle=whole.cycle,
            ),
            whole.ticks_ms,
        )

    def _place_of(self, antenna: int) -> tuple[str, int]:
        for info in self.hello.antennas if self.hello is not None else ():
            if info.id == antenna:
                return codes.ANTENNA_KINDS.get(info.kind, "unknown"), info.index
        return "unknown", 0

    def _beat(self, frame: HeartbeatFrame, now: float) -> None:
        self.heartbeat = frame
        self._beat_at = now
        measured = self.hello is not None and self.hello.capabilities & codes.TEMPERATURE_CAPABILITY
        temperature = frame.temperature if measured else None
        self._say(
            lambda t: Heartbeat(
                t=t,
                device=self._name,
                bad_frames=frame.bad_crc,
                resent=frame.resent,
                lost=frame.lost,
                supply=frame.supply_mv / 1000,
                temperature=temperature,
            ),
            frame.ticks_ms,
        )
        if self.code == LATE:
            self._tell("ready")

    def _digest(self, frame: DigestFrame, now: float) -> None:
        differing = [entry.antenna for entry in frame.antennas if self._sets.differs(entry)]
        self._differing = {antenna: self._differing.get(antenna, 0) + 1 for antenna in differing}
        if any(times >= DISTRUST_AFTER for times in self._differing.values()):
            self._differing.clear()
            self.ask_hello(now)
        if len(differing) >= ASK_ALL_FROM:
            self._ask(codes.EVERY_ANTENNA)
        else:
            for antenna in differing:
                self._ask(antenna)

    def _ask(self, antenna: int) -> None:
        if antenna == codes.EVERY_ANTENNA:
            for info in self.hello.antennas if self.hello is not None else ():
                self._sets.ask(info.id)
        else:
            self._sets.ask(antenna)
        self._commands.request_inventory(antenna)

    def _button(self, frame: ButtonFrame) -> None:
        before = self._counts.get(frame.id)
        changes = 0 if before is None else (frame.count - before) % 0x10000
        if changes >= 0x8000:
            # sent again and overtaken by a later level of the same button
            self._say(None, frame.ticks_ms)
            return
        self._counts[frame.id] = frame.count
        self._say(
            lambda t: Button(
                t=t,
                device=self._name,
                id=frame.id,
                pressed=frame.pressed,
                count=frame.count,
                gap=changes > 1,
            ),
            frame.ticks_ms,
        )

    def _shoe(self, frame: ShoeFrame) -> None:
        known = frame.state < len(codes.SHOE_STATES)
        state = codes.SHOE_STATES[frame.state] if known else "unknown"
        self._say(
            lambda t: Shoe(
                t=t,
                device=self._name,
                state=state,
                cards_out=frame.cards_out,
                target=frame.target,
                command_id=frame.command_id,
            )
        )

    def _fault(self, frame: FaultFrame) -> None:
        code = codes.FAULTS.get(frame.code, f"fault_{frame.code}")
        self._say(lambda t: Fault(t=t, device=self._name, code=code, argument=frame.argument))

    def _say(self, build: Callable[[float], Observation] | None, ticks_ms: int | None = None) -> None:
        t = self._clock.publish(self._out, build, self._ticks, ticks_ms)
        if ticks_ms is not None:
            self._commands.keep_armed(t)

    def _tell(self, state: State, code: str = "", hint: str = "", detail: str = "") -> None:
        self.state, self.code = state, code
        if self._told == (state, code):
            return
        self._told = (state, code)
        LOGGER.info("%s is %s %s %s", self._name, state, code, detail)
        self._clock.publish(
            self._out,
            lambda t: DeviceState(t=t, device=self._name, state=state, code=code, hint=hint, detail=detail),
        )
