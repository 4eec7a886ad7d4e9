"""Feeds under faults, on a virtual clock: the whole firmware, the driver's own board, link and commands, a bad line.

Nothing here is told by the program under test: cards that left are counted by the mechanism, permission to move is read
off the line. Each command goes to another target than its neighbours, so that a stale one shows where its card lies.
"""

import random
from collections import deque
from typing import Any

from firmware import settings as board_settings
from firmware import shoe
from firmware.app import Firmware
from firmware.host import HostPorts, HostShoe
from shoe_bench import PowerCut, Store

from firmware_bridge import frames, framing
from firmware_bridge.board import Board
from firmware_bridge.clock import TableClock
from firmware_bridge.commands import Commands
from firmware_bridge.errors import DeviceError, PeerLost
from firmware_bridge.link import Counters, Link, Timing
from firmware_bridge.observations import CommandRefused, Observation, Shoe

STEP_MS = 5
TIMING = Timing()
TARGETS = 12
PATIENCE_MS = 1500
LATE = 0.001
"""How often the firmware's loop is late by up to 400 ms, for each turn of it."""
SETTINGS = board_settings.check(
    {
        "serial": "C-1",
        "line": {"kind": "usb"},
        "shoe": {
            "motor": 0,
            "gate": 2,
            "loaded": 3,
            "door": 9,
            "angles": {str(target): 0 for target in range(1, TARGETS + 1)},
            "pass_ms": 90,
            "memory": {"kind": "flash"},
        },
    }
)


class Line:
    """One direction: bytes in order, some frames lost, broken, doubled or late."""

    def __init__(self, rng: random.Random, rate: float) -> None:
        self.faults = 0
        self._rng = rng
        self._rate = rate
        self._queue: deque[tuple[int, bytes]] = deque()
        self._free_at = 0
        self._half = b""

    def put(self, data: bytes, now: int) -> None:
        """Take what one end writes; faults strike whole frames."""
        *whole, self._half = (self._half + data).split(b"\0")
        for piece in whole:
            self._frame(piece + b"\0", now)

    def _frame(self, raw: bytes, now: int) -> None:
        rng = self._rng
        out = [raw]
        if rng.random() < self._rate:
            self.faults += 1
            kind = rng.randrange(4)
            if kind == 0:
                out = []
            elif kind == 1:
                broken = bytearray(raw)
                broken[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
                out = [bytes(broken)]
            elif kind == 2:
                out = [raw, raw]
            else:
                self._free_at = now + rng.randrange(20, 400)
        self._free_at = max(self._free_at, now)
        for data in out:
            self._queue.append((self._free_at, data))

    def take(self, now: int) -> bytes:
        """What has arrived."""
        data = b""
        while self._queue and self._queue[0][0] <= now:
            data += self._queue.popleft()[1]
        return data

    def cut(self) -> None:
        """What was on the way is gone."""
        self._queue.clear()


class Pi:
    """The driver without its thread and its port, driven step by step."""

    def __init__(self, seq: int) -> None:
        self.heard: deque[Observation] = deque()
        clock = TableClock()
        self.commands = Commands("felt", clock, self, None, lambda: None)
        self._counters = Counters()
        self._board = Board("felt", "/dev/table", clock, self, self.commands, TIMING, (1, 1))
        self._seq = seq
        self._link: Link | None = None
        self._open_at = 0.0

    def put(self, item: Observation, /) -> None:
        """Be the table's queue."""
        if isinstance(item, Shoe | CommandRefused):
            self.heard.append(item)

    def step(self, data: bytes, now: float) -> bytes:
        """One pass of the driver's conversation."""
        if self._link is None:
            if now < self._open_at:
                return b""
            self._link = Link(self.commands.outbox, TIMING, self._counters, self._seq)
            self._board.begin(self._link, now)
        link = self._link
        try:
            before = self._counters.received
            for frame in link.feed(data, now):
                self._board.take(frame, now)
            if self._counters.received > before:
                self._board.heard(now)
            refusals, link.refusals = link.refusals, []
            for waiting, code in refusals:
                self.commands.refused(waiting, code)
            self._board.watch(now)
            return link.poll(now, "/dev/table")
        except PeerLost as error:
            if link.known:
                self._board.lost(error)
                self._board.begin(link, now)
            else:
                link.drop_under_way()
                self._board.ask_hello(now)
        except DeviceError as error:
            self._board.lost(error)
            self._link = None
            self._open_at = now + 0.1
        return b""


class BoardLine:
    """The firmware's end of the two lines."""

    def __init__(self) -> None:
        self.incoming = b""
        self.outgoing = b""

    def read(self) -> bytes:
        data, self.incoming = self.incoming[:256], self.incoming[256:]
        return data

    def write(self, data: bytes) -> int:
        self.outgoing += data
        return len(data)


class Campaign:
    """So many feeds, one after the other, each asked for again under its id until the table knows what became of it.

    Attributes:
        cards: Cards that really left the shoe, by command id.
        excess: Command ids for which more cards left than one feed can explain.
        unarmed: Moments at which rollers turned without permission (but for those at which the loop was late).
        restarts, cuts, pi_restarts, repeats, echoes, lates: What the campaign has done to it.
    """

    def __init__(
        self, seed: int, *, line_faults: float, restarts: float, mishaps: float, echoes: float = 0.05
    ) -> None:
        self.rng = random.Random(seed)
        self.now = 0
        self.cards: dict[int, int] = {}
        self.excess: list[int] = []
        self.unarmed: list[int] = []
        self.restarts = self.cuts = self.pi_restarts = self.repeats = 0
        self.mishaps = self.echoes = self.lates = 0
        self.known = 0
        self._restart_rate = restarts
        self._mishap_rate = mishaps
        self._echo_rate = echoes
        self._boots = 0
        self._asked: dict[int, tuple[int, int]] = {}
        self._extra: dict[int, int] = {}
        self._armed_at: int | None = None
        self._listen = framing.Decoder()
        self._store = Store()
        self._mechanism = HostShoe(lambda: self.now, self._left)
        self._mechanism.load(52)
        self._down = Line(random.Random(seed + 1), line_faults)
        self._up = Line(random.Random(seed + 2), line_faults)
        self._firmware: Any = None
        self._line = BoardLine()
        self._restart_at: int | None = None
        self._cut_at: int | None = None
        self._late_until = 0
        self._pi = Pi(self.rng.randrange(0x10000))
        self._state: Shoe | None = None
        self._boot()
        while self._state is None:
            self._run(STEP_MS, -1)

    @property
    def faults(self) -> int:
        """Frames on which a fault struck."""
        return self._down.faults + self._up.faults

    def feed(self, command_id: int) -> None:
        """One command, until the table has been told what became of it."""
        target = command_id % TARGETS + 1
        self._settle_account(target)
        self._asked[target] = (command_id, 0)
        if self.rng.random() < self._mishap_rate:
            self.mishaps += 1
            self._mechanism.next = self.rng.choice(("jam", "double", "follow", "stick", "misaligned"))
            self._extra[command_id] = 1 if self._mechanism.next in ("double", "follow") else 0
        self._plan_faults()
        self._pi.commands.arm(True)
        asked_at = None
        deadline = self.now + 120_000
        while not self._resolved(command_id):
            assert self.now < deadline, (command_id, self._state, self.now)
            if asked_at is None or self.now - asked_at >= PATIENCE_MS:
                self.repeats += asked_at is not None
                asked_at = self.now
                self._pi.commands.arm(True)
                self._pi.commands.feed(target, command_id)
            if self._run(STEP_MS, command_id):
                # refused: again, once it may be ready
                asked_at = self.now - PATIENCE_MS + 100
            self._help()
        self.known += 1
        self._mechanism.next = ""
        if self.rng.random() < self._echo_rate:
            self._echo(max(1, command_id - self.rng.choice((0, 0, 0, 1, 2, 8))))

    def finish(self) -> None:
        """Let everything that is still on the line arrive, and close the accounts."""
        self._run(3000, -1)
        for target in list(self._asked):
            self._settle_account(target)

    def _echo(self, command_id: int) -> None:
        """A table that came back from its journal gives a command again that has long been carried out."""
        self.echoes += 1
        self._pi.commands.arm(True)
        self._run(50, command_id)
        self._pi.commands.feed(command_id % TARGETS + 1, command_id)
        self._run(400, command_id)
        self._help()

    # -- the world -----------------------------------------------------------------------------------

    def _left(self, target: int) -> None:
        command_id, count = self._asked.get(target, (-1, 0))
        self._asked[target] = (command_id, count + 1)

    def _settle_account(self, target: int) -> None:
        if target in self._asked:
            command_id, count = self._asked.pop(target)
            self.cards[command_id] = count
            if command_id < 0 or count > 1 + self._extra.get(command_id, 0):
                self.excess.append(command_id)

    def _plan_faults(self) -> None:
        if self.rng.random() >= self._restart_rate:
            return
        kind = self.rng.randrange(4)
        if kind == 0:
            self._store.cut_after = self.rng.randrange(17)
        elif kind == 1:
            self.pi_restarts += 1
            self._pi = Pi(self.rng.randrange(0x10000))
            self._state = None
        else:
            self._cut_at = self.now + self.rng.randrange(400)

    def _help(self) -> None:
        """A person at the table: fills the shoe, looks into it when it asks for that."""
        state = self._state
        if state is None:
            return
        if state.state == "empty" and self._mechanism.cards < 2:
            self._mechanism.load(52)
        elif state.state in ("jam", "double_feed", "misaligned") and self.rng.random() < 0.1:
            self._mechanism.open(True)
            self._run(100, -1)
            self._mechanism.open(False)

    def _boot(self) -> None:
        self._boots += 1
        self._armed_at = None
        self._line = BoardLine()
        self._listen = framing.Decoder()
        ports = HostPorts(
            SETTINGS,
            self._line,
            lambda: self.now,
            self._boots,
            lambda text: None,
            self._store,
            self._mechanism,
        )
        self._firmware = Firmware(SETTINGS, ports)

    def _die(self) -> None:
        """The supply goes; the pins let go and the rollers stand. Some restarts are as short as a watchdog's."""
        self.restarts += 1
        self._cut_at = None
        self._firmware = None
        self._mechanism.stop()
        self._restart_at = self.now + self.rng.choice((5, 5, 60, 300, 900))
        if self.rng.random() < 0.5:
            self._down.cut()

    # -- time ----------------------------------------------------------------------------------------

    def _run(self, ms: int, command_id: int) -> bool:
        refused = False
        end = self.now + max(ms, STEP_MS)
        while self.now < end:
            self.now += STEP_MS
            refused = self._step(command_id) or refused
        return refused

    def _step(self, command_id: int) -> bool:
        now = self.now
        if self._restart_at is not None and now >= self._restart_at:
            self._restart_at = None
            self._boot()
        data = self._down.take(now)
        if self._firmware is not None:
            self._note_arming(data)
            self._line.incoming += data
        if self._firmware is not None and now >= self._late_until:
            if self.rng.random() < LATE:
                self.lates += 1
                self._late_until = now + self.rng.randrange(20, 400)
            try:
                self._firmware.turn()
            except PowerCut:
                self.cuts += 1
                self._die()
            else:
                self._up.put(self._line.outgoing, now)
                self._line.outgoing = b""
                if self._cut_at is not None and now >= self._cut_at:
                    self._die()
        permitted = self._armed_at is not None and now - self._armed_at <= shoe.ARM_MS
        if self._mechanism.rolling and not permitted and now >= self._late_until:
            self.unarmed.append(now)
        self._down.put(self._pi.step(self._up.take(now), now / 1000), now)
        return self._listen_to_table(command_id)

    def _note_arming(self, data: bytes) -> None:
        for _, frame in self._listen.feed(data):
            if isinstance(frame, frames.ArmFrame):
                self._armed_at = self.now if frame.armed else None

    def _listen_to_table(self, command_id: int) -> bool:
        refused = False
        while self._pi.heard:
            said = self._pi.heard.popleft()
            if isinstance(said, Shoe):
                self._state = said
            elif (
                isinstance(said, CommandRefused) and said.command == "FEED" and said.command_id == command_id
            ):
                refused = True
        return refused

    def _resolved(self, command_id: int) -> bool:
        state = self._state
        return (
            state is not None
            and state.command_id == command_id
            and state.state in ("ready", "disarmed", "empty")
        )
