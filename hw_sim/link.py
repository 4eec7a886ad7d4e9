"""Frames with answers over the serial line, the microcontroller's side: sequence numbers, ACK, resending.

A frame leaves after the byte time of those before it (virtual time) and is sent again after 100 ms without an
answer (real time), three times; then the peer is lost until it says anything at all. An INVENTORY gives way
to a newer one of its antenna.

Does not model: byte time of what the Pi sends, a full transmit buffer (bytes wait, then are lost).
"""

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hw_sim import codec
from hw_sim.clock import Agenda, Due
from hw_sim.codec import UNANSWERED, Decoder, Fields, Frame, Refused
from hw_sim.faults import Faults
from hw_sim.line import Line

ANSWER_S: Final = 0.1  # real time
RESENDS: Final = 3
LATE_S: Final = (0.12, 0.6)  # real time
_REPLIES: Final = frozenset({"HELLO", "ACK", "NAK"})
PROBE_S: Final = 0.5  # real time
_DOWN: Final = frozenset(
    {"HELLO?", "SCAN", "INVENTORY?", "LAMP", "DISPLAY", "BUZZ", "FEED", "ARM", "ORDER", "ACK", "NAK"}
)


@dataclass
class _Waiting:
    """A frame that has no answer yet."""

    raw: bytes
    deadline: float
    antenna: int | None
    resent: int = 0


@dataclass
class Counts:
    """What went over the line, for tests and for the heartbeat."""

    sent: int = 0
    resent: int = 0
    lost: int = 0
    repeated: int = 0
    bad: int = 0
    given_way: int = 0
    naks_sent: list[tuple[int, int]] = field(default_factory=list)
    naks_got: list[tuple[int, int]] = field(default_factory=list)


class Link:
    """One conversation with the Pi.

    Args:
        obey: Does what a frame asks; gives the code to refuse it with, None when it was done.
        hello: Gives the fields of HELLO, with which a lost peer is called.
    """

    def __init__(
        self,
        agenda: Agenda,
        line: Line,
        *,
        baud: int,
        faults: Faults,
        seed: str,
        monotonic: Callable[[], float],
        obey: Callable[[Frame], int | None],
        hello: Callable[[], Fields],
    ) -> None:
        self.counts = Counts()
        self.contacted = False
        self.peer_lost = False
        self._agenda = agenda
        self._line = line
        self._baud = baud
        self.faults = faults
        self._noise = random.Random(f"{seed}/line")
        self._monotonic = monotonic
        self._obey = obey
        self._hello = hello
        self.open = False
        self.reset()

    def reset(self) -> None:
        """Forget everything under way: the microcontroller has lost its supply or started again."""
        for dues in getattr(self, "_queued", {}).values():
            for due in dues:
                due.cancel()
        self._decoder = Decoder()
        self._waiting: dict[int, _Waiting] = {}
        self._queued: dict[int | None, deque[Due]] = {}
        self._seq = 0
        self._seen: deque[int] = deque(maxlen=64)
        self._line_free = self._agenda.now
        self._probe_at = 0.0
        self._late: list[tuple[float, bytes]] = []
        self.peer_lost = False

    # -- sending -----------------------------------------------------------------------------------------

    def send(self, kind: str, fields: Fields, *, antenna: int | None = None) -> None:
        """Queue a frame behind those before it; while the peer is lost only beats go out."""
        if not self.open:
            return
        answered = kind not in UNANSWERED
        if answered and self.peer_lost:
            self.counts.lost += 1
            return
        raw, seq = self._encode(kind, fields)
        due = self._agenda.at(
            self._busy(raw), partial(self._deliver, raw, seq if answered else None, antenna)
        )
        queue = self._queued.setdefault(antenna, deque())
        while queue and queue[0].call is None:
            queue.popleft()
        queue.append(due)

    def send_now(self, kind: str, fields: Fields) -> None:
        """Put a frame on the wire at once, whatever virtual time does (HELLO at boot)."""
        raw, seq = self._encode(kind, fields)
        self._busy(raw)
        late = self.faults.late_reply
        if kind in _REPLIES and late and self._noise.random() < late:
            heapq.heappush(self._late, (self._monotonic() + self._noise.uniform(*LATE_S), raw))
            return
        self._deliver(raw, None if kind in UNANSWERED else seq, None)

    def break_off(self, kind: str, fields: Fields) -> None:
        """Half a frame goes out, and no more: the microcontroller dies in the middle of it."""
        raw, _ = self._encode(kind, fields)
        self._line.write(raw[: max(1, len(raw) // 2)])

    def give_way(self, antenna: int) -> None:
        """Drop what is still under way of an antenna's older present set."""
        for due in self._queued.pop(antenna, ()):
            if due.call is not None:
                due.cancel()
                self.counts.given_way += 1
        for seq in [seq for seq, frame in self._waiting.items() if frame.antenna == antenna]:
            del self._waiting[seq]
            self.counts.given_way += 1

    def _encode(self, kind: str, fields: Fields) -> tuple[bytes, int]:
        seq = self._seq
        if kind not in UNANSWERED:
            self._seq = (self._seq + 1) & 0xFFFF
        return codec.encode(kind, seq, fields), seq

    def _busy(self, raw: bytes) -> float:
        """When the last byte of this frame is out: ten bits a byte."""
        self._line_free = max(self._line_free, self._agenda.now) + len(raw) * 10.0 / self._baud
        return self._line_free

    def _deliver(self, raw: bytes, seq: int | None, antenna: int | None) -> None:
        self.counts.sent += 1
        if seq is not None:
            self._waiting[seq] = _Waiting(raw, self._monotonic() + ANSWER_S, antenna)
        self._put(raw)

    def _put(self, raw: bytes) -> None:
        faults, noise = self.faults, self._noise
        if faults.drop_frame and noise.random() < faults.drop_frame:
            return
        if faults.garbage and noise.random() < faults.garbage:
            self._line.write(noise.randbytes(noise.randint(1, 40)))
        if faults.crc_flip and noise.random() < faults.crc_flip:
            broken = bytearray(raw)
            broken[noise.randrange(len(raw) - 1)] ^= 1 << noise.randrange(8)
            self._line.write(bytes(broken))
            return
        self._line.write(raw)
        if faults.dup_frame and noise.random() < faults.dup_frame:
            self._line.write(raw)

    # -- waiting for answers -----------------------------------------------------------------------------

    @property
    def waiting(self) -> bool:
        """Whether a frame has been sent that nobody has answered yet."""
        return bool(self._waiting)

    def next_deadline(self) -> float | None:
        """Real time at which something must be sent again, None when nothing waits."""
        if not self.open:
            return None
        dues = [frame.deadline for frame in self._waiting.values()]
        if self.peer_lost:
            dues = [self._probe_at]
        if self._late:
            dues.append(self._late[0][0])
        return min(dues, default=None)

    def tend(self) -> None:
        """Send again what has had no answer in time; call a lost peer; give replies that are late."""
        now = self._monotonic()
        if not self.open:
            return
        while self._late and self._late[0][0] <= now:
            self.counts.sent += 1
            self._put(heapq.heappop(self._late)[1])
        if self.peer_lost:
            if now >= self._probe_at:
                self._probe_at = now + PROBE_S
                self._put(self._encode("HELLO", self._hello())[0])
            return
        for seq, frame in list(self._waiting.items()):
            if frame.deadline > now:
                continue
            if frame.resent >= RESENDS:
                self.counts.lost += len(self._waiting)
                self._waiting.clear()
                self.peer_lost = True
                self._probe_at = now + PROBE_S
                return
            frame.resent += 1
            frame.deadline = now + ANSWER_S
            self.counts.resent += 1
            if seq in self._waiting:
                self._put(frame.raw)

    # -- receiving -----------------------------------------------------------------------------------------

    def pump(self) -> bool:
        """Take and obey what has come from the Pi.

        Returns:
            Whether anything came.
        """
        came = False
        while data := self._line.read():
            came = True
            if not self.open:
                continue
            frames = self._decoder.feed(data)
            self.counts.bad += self._decoder.bad
            self._decoder.bad = 0
            for frame in frames:
                self.contacted = True
                self.peer_lost = False
                self._take(frame)
        return came

    def _take(self, frame: Frame | Refused) -> None:
        if isinstance(frame, Refused):
            if frame.nak is not None:
                self._refuse(frame.seq, frame.nak)
        elif frame.kind == "ACK":
            if self._noise.random() >= self.faults.drop_ack:
                self._waiting.pop(frame.fields["of"], None)
        elif frame.kind == "NAK":
            self._waiting.pop(frame.fields["of"], None)
            self.counts.naks_got.append((frame.fields["of"], frame.fields["code"]))
        elif frame.kind not in _DOWN:
            self._refuse(frame.seq, codec.NAK_UNKNOWN_TYPE)
        elif frame.kind != "HELLO?" and frame.seq in self._seen:
            self.counts.repeated += 1
            self._acknowledge(frame.seq)
        else:
            if frame.kind == "HELLO?":
                # the Pi may have started its counter again
                self._seen.clear()
            nak = self._obey(frame)
            if nak is None:
                self._seen.append(frame.seq)
                self._acknowledge(frame.seq)
            else:
                self._refuse(frame.seq, nak)

    def _acknowledge(self, seq: int) -> None:
        if self._noise.random() >= self.faults.drop_ack:
            self.send_now("ACK", {"of": seq})

    def _refuse(self, seq: int, code: int) -> None:
        self.counts.naks_sent.append((seq, code))
        self.send_now("NAK", {"of": seq, "code": code})
