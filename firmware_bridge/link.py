"""The line's promises, with no port and no thread: every frame is answered, or sent again, or the peer is lost.

`Outbox` holds what the table wants to say, the newest of its kind only. `Link` sends it through a small window of
unanswered frames, answers the peer's frames, and hands each of them on once. Its time is real time (seconds of the
host's monotonic clock), given with each call.
"""

import threading
from collections import OrderedDict
from typing import Final

import msgspec

from firmware_bridge import codes
from firmware_bridge.errors import CommandQueueFull, PeerLost
from firmware_bridge.frames import AckFrame, Frame, HeartbeatFrame, HelloFrame, LogFrame, NakFrame
from firmware_bridge.framing import Decoder, ForeignFrame, MalformedFrame, Received, UnknownFrame, encode

SEEN_LIMIT: Final = 128
FEEDS_WAITING: Final = 32
ANSWERS_LIMIT: Final = 8192
FROM_BOARD: Final = frozenset(range(0x01, 0x09))
"""Types that a board may send besides ACK and NAK."""

Key = tuple[str, int]


class Timing(msgspec.Struct, frozen=True):
    """How long the driver waits (seconds of real time) and how often it tries.

    Attributes:
        resend: An unanswered frame is sent again after this.
        resends: So many times; after one more wait the peer is lost.
        busy: A frame answered "busy" is tried again for this long.
        window: Frames under way without an answer.
        hello: The board must have said who it is after this.
        degraded: Without a heartbeat for this long the board is degraded.
        lost: Without any frame for this long it is lost.
        noisy: So many frames broken or sent again, by either side, within `noisy_within`: the line is noisy.
        noisy_within: See `noisy`; with no more than one in it the line is well again.
        backoff_first: First wait before the port is opened again.
        backoff_most: The wait doubles up to this.
        read: The longest sleep in one read.
    """

    resend: float = 0.1
    resends: int = 3
    busy: float = 3.0
    window: int = 8
    hello: float = 2.0
    degraded: float = 1.5
    lost: float = 4.0
    noisy: int = 10
    noisy_within: float = 10.0
    backoff_first: float = 0.1
    backoff_most: float = 2.0
    read: float = 0.05


class Counters:
    """What the line has carried and suffered since the driver started."""

    def __init__(self) -> None:
        self.bad = 0
        self.received = 0
        self.duplicates = 0
        self.sent = 0
        self.resent = 0
        self.refused = 0
        self.refused_to_peer = 0


class Waiting(msgspec.Struct, frozen=True):
    """A frame that wants to be sent.

    Attributes:
        key: A newer frame of the same key takes its place.
        lane: At most one frame of a lane is under way, so that a lost one never overtakes its successor.
        frame: What to send.
    """

    key: Key
    lane: str
    frame: Frame


class Outbox:
    """What waits to be sent, one frame a key; any thread may put, the device's thread takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[Key, Waiting] = OrderedDict()
        self._out = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be sent and nothing that was sent waits for its answer."""
        with self._lock:
            return not self._waiting and not self._out

    def answered(self, count: int = 1) -> None:
        """So many frames that were taken are done with, one way or the other."""
        with self._lock:
            self._out = max(0, self._out - count)

    def put(self, key: Key, lane: str, frame: Frame) -> None:
        """Add a frame, or let it replace the waiting one of its key at that one's place."""
        with self._lock:
            self._waiting[key] = Waiting(key, lane, frame)

    def put_feed(self, command_id: int, frame: Frame) -> None:
        """Add a feed; feeds never replace each other, unless they are the same command.

        Raises:
            CommandQueueFull: 32 feeds wait already.
        """
        with self._lock:
            key = ("FEED", command_id)
            feeds = sum(1 for kind, _ in self._waiting if kind == "FEED")
            if key not in self._waiting and feeds >= FEEDS_WAITING:
                raise CommandQueueFull(f"{feeds} feeds wait", where=f"FEED {command_id}")
            self._waiting[key] = Waiting(key, "shoe", frame)

    def take(self, busy: set[str]) -> Waiting | None:
        """The oldest frame whose lane is free, taken out; None when there is none."""
        with self._lock:
            for key, waiting in self._waiting.items():
                if waiting.lane not in busy:
                    del self._waiting[key]
                    self._out += 1
                    return waiting
            return None

    def clear(self) -> list[Waiting]:
        """Take everything out."""
        with self._lock:
            dropped = list(self._waiting.values())
            self._waiting.clear()
            return dropped

    def __len__(self) -> int:
        return len(self._waiting)


class _UnderWay:
    """A frame that was sent and has no answer yet."""

    def __init__(self, waiting: Waiting, raw: bytes, now: float, busy_until: float) -> None:
        self.waiting = waiting
        self.raw = raw
        self.sent_at = now
        self.tries = 1
        self.busy_until = busy_until


class Link:
    """Both directions of one line: resends, answers, duplicates.

    Attributes:
        known: The peer has said who it is. Before that only its HELLO is taken and answered; whatever else it sends is
            left unanswered, and so comes again.
        contradicted: A number came again with another content: the peer has restarted and its HELLO was lost. Whoever looks
            takes it down again, and asks who is there.
        refusals: Frames that the peer refused for good, with the NAK's code; the driver takes them out.
    """

    def __init__(self, outbox: Outbox, timing: Timing, counters: Counters, first_seq: int) -> None:
        self.known = False
        self.contradicted = False
        self.refusals: list[tuple[Waiting, int]] = []
        self._outbox = outbox
        self._timing = timing
        self._counters = counters
        self._decoder = Decoder()
        self._seq = first_seq % 0x10000
        self._under_way: OrderedDict[int, _UnderWay] = OrderedDict()
        self._seen: OrderedDict[int, Frame | UnknownFrame | MalformedFrame] = OrderedDict()
        self._boot: int | None = None
        self._answers = bytearray()

    def drop_under_way(self) -> list[Waiting]:
        """Give up every frame that has no answer; the frames given up are returned."""
        dropped = [item.waiting for item in self._under_way.values()]
        self._under_way.clear()
        self._outbox.answered(len(dropped))
        return dropped

    def feed(self, data: bytes, now: float) -> list[Received]:
        """Take bytes of the line; give the frames to act on, each once.

        Answers are laid out for the next `poll`.
        """
        before = self._decoder.bad
        fresh: list[Received] = []
        for seq, frame in self._decoder.feed(data):
            self._counters.received += 1
            if isinstance(frame, AckFrame):
                if self._under_way.pop(frame.of, None) is not None:
                    self._outbox.answered()
            elif isinstance(frame, NakFrame):
                self._refused(frame, now)
            elif isinstance(frame, ForeignFrame) or self._is_fresh(seq, frame):
                fresh.append(frame)
        self._counters.bad += self._decoder.bad - before
        return fresh

    def poll(self, now: float, where: str) -> bytes:
        """The bytes to write now: answers, frames whose answer is overdue, new frames as the window allows.

        Args:
            now: Real time (seconds).
            where: Names the device in the error.

        Raises:
            PeerLost: A frame has been sent as often as allowed and has no answer.
        """
        out = bytearray(self._answers)
        self._answers.clear()
        for seq, item in list(self._under_way.items()):
            if now - item.sent_at < self._timing.resend:
                continue
            if item.tries > self._timing.resends:
                name = item.waiting.frame.name
                raise PeerLost(f"{name} (seq {seq}) unanswered after {item.tries} sendings", where=where)
            item.tries += 1
            item.sent_at = now
            self._counters.resent += 1
            out += item.raw
        while len(self._under_way) < self._timing.window:
            waiting = self._outbox.take({item.waiting.lane for item in self._under_way.values()})
            if waiting is None:
                break
            raw = encode(waiting.frame, self._seq)
            self._under_way[self._seq] = _UnderWay(waiting, raw, now, now + self._timing.busy)
            self._seq = (self._seq + 1) % 0x10000
            self._counters.sent += 1
            out += raw
        return bytes(out)

    def refuse(self, seq: int, code: int) -> None:
        """Answer a frame with a NAK."""
        self._counters.refused_to_peer += 1
        self._answer(NakFrame(seq, code))

    def _is_fresh(self, seq: int, frame: Frame | UnknownFrame | MalformedFrame) -> bool:
        """Answer the frame as it deserves; True when it has to be acted on."""
        if isinstance(frame, UnknownFrame | MalformedFrame):
            unknown = isinstance(frame, UnknownFrame)
            self.refuse(seq, codes.NAK_UNKNOWN_TYPE if unknown else codes.NAK_BAD_PAYLOAD)
            return False
        if frame.kind not in FROM_BOARD:
            self.refuse(seq, codes.NAK_UNKNOWN_TYPE)
            return False
        if isinstance(frame, HelloFrame):
            # never a duplicate: a board that restarted counts from its first number again, and what follows in the same
            # breath must not be taken for what had these numbers before
            if self._boot != frame.boot_id:
                self._boot = frame.boot_id
                self._seen.clear()
            self._keep(seq, frame)
            self._answer(AckFrame(seq))
            return True
        if not self.known:
            return False
        if isinstance(frame, HeartbeatFrame | LogFrame):
            return True
        before = self._seen.get(seq)
        if before is not None and before != frame:
            # left unanswered it comes again, after the HELLO that is asked for
            self.contradicted = True
            return False
        self._answer(AckFrame(seq))
        if before is not None:
            self._counters.duplicates += 1
            return False
        self._keep(seq, frame)
        return True

    def _keep(self, seq: int, frame: Frame | UnknownFrame | MalformedFrame) -> None:
        self._seen[seq] = frame
        self._seen.move_to_end(seq)
        if len(self._seen) > SEEN_LIMIT:
            self._seen.popitem(last=False)

    def _answer(self, frame: AckFrame | NakFrame) -> None:
        # a peer that reads nothing must not fill the memory with answers; it will send again
        if len(self._answers) < ANSWERS_LIMIT:
            self._answers += encode(frame, 0)

    def _refused(self, nak: NakFrame, now: float) -> None:
        item = self._under_way.get(nak.of)
        if item is None:
            return
        if nak.code == codes.NAK_BUSY and now < item.busy_until:
            item.sent_at = now
            item.tries = 1
            return
        del self._under_way[nak.of]
        self._outbox.answered()
        self._counters.refused += 1
        self.refusals.append((item.waiting, nak.code))
