"""The promises of the serial line, the board's side: every frame is answered, or sent again, or the Pi is lost.

No port and no thread: bytes in, bytes out, and the time (milliseconds, never going back) with each call. Whatever waits
is bounded: eight frames under way, a limited list behind them, and one bit for each of the last 1,024 numbers seen.
"""

from . import codec

ANSWER_MS = 100
RESENDS = 3
WINDOW = 8
PENDING_MAX = 160
SEEN_SPAN = 1024
PROBE_MS = 500
ANSWERS_MAX = 2048


class _Item:
    """A frame that wants to be sent, or was sent and has no answer yet."""

    def __init__(self, lane, kind, fields, alone):
        self.lane = lane
        self.kind = kind
        self.fields = fields
        self.alone = alone
        self.raw = b""
        self.due = 0
        self.tries = 0


class _Seen:
    """Which of the last numbers of the Pi have been taken; a resend may come after hundreds of other frames."""

    def __init__(self):
        self._bits = bytearray(SEEN_SPAN // 8)
        self.forget()

    def forget(self):
        """The Pi may have started its counter again."""
        self._newest = None

    def has(self, seq):
        """This number has been taken."""
        if self._newest is None or (self._newest - seq) & 0xFFFF >= SEEN_SPAN:
            return False
        at = seq % SEEN_SPAN
        return bool(self._bits[at >> 3] >> (at & 7) & 1)

    def add(self, seq):
        """This number is taken."""
        ahead = SEEN_SPAN if self._newest is None else (seq - self._newest) & 0xFFFF
        if SEEN_SPAN <= ahead <= 0x10000 - SEEN_SPAN:
            # no neighbour of what is known: begin again from here
            for at in range(len(self._bits)):
                self._bits[at] = 0
            self._newest = seq
        elif ahead < SEEN_SPAN:
            for between in range(self._newest + 1, self._newest + ahead):
                at = between % SEEN_SPAN
                self._bits[at >> 3] &= ~(1 << (at & 7))
            self._newest = seq
        at = seq % SEEN_SPAN
        self._bits[at >> 3] |= 1 << (at & 7)


class Link:
    """One conversation with the Pi.

    Args:
        obey: `obey(type, fields, now)` does what a frame asks; gives the code to refuse it with, None when done.
        hello: Gives the fields of HELLO.
        restate: Tells again what the Pi may have missed; called when a lost Pi is heard again.

    Attributes:
        resent, lost: Counters for the heartbeat.
        peer_lost: The Pi has left frames without an answer; only beats and HELLO go out until it says anything.
    """

    def __init__(self, obey, hello, restate):
        self.resent = 0
        self.lost = 0
        self.peer_lost = False
        self._obey = obey
        self._hello = hello
        self._restate = restate
        self._decoder = codec.Decoder()
        self._seq = 0
        self._seen = _Seen()
        self._pending = []
        self._under_way = {}
        self._answers = bytearray()
        self._greeted = False
        self._probe_at = 0
        self._probe_seq = None
        self._foreign_at = 0

    @property
    def bad(self):
        """Broken frames so far."""
        return self._decoder.bad

    @property
    def idle(self):
        """Nothing waits, nothing is under way."""
        return not self._pending and not self._under_way

    # -- what the board wants to say -----------------------------------------------------------------

    def put(self, lane, kind, fields):
        """Send a state: it takes the place of what waits in its lane; one frame of a lane is under way at a time."""
        for item in self._pending:
            if item.lane == lane:
                item.kind = kind
                item.fields = fields
                return
        self._append(_Item(lane, kind, fields, True))

    def queue(self, lane, kind, fields):
        """Send an event behind those of its lane; one frame of a lane is under way at a time."""
        self._append(_Item(lane, kind, fields, True))

    def waits(self, lane):
        """A frame of the lane is still to be sent."""
        return any(item.lane == lane for item in self._pending)

    def put_set(self, lane, frames):
        """Send the parts of a present set; an older set of the lane gives way, sent or not."""
        self._pending = [item for item in self._pending if item.lane != lane]
        for seq in [seq for seq, item in self._under_way.items() if item.lane == lane]:
            del self._under_way[seq]
        for fields in frames:
            self._append(_Item(lane, codec.INVENTORY, fields, False))

    def beat(self, kind, fields):
        """Send a frame that nobody answers, now."""
        self._answer(kind, fields)

    def _append(self, item):
        if self.peer_lost and item.kind != codec.HELLO:
            self.lost += 1
            return
        if len(self._pending) >= PENDING_MAX:
            self._pending.pop(0)
            self.lost += 1
        self._pending.append(item)

    # -- out -----------------------------------------------------------------------------------------

    def poll(self, now):
        """The bytes to write now: answers, what is overdue, then new frames as the window allows."""
        out, self._answers = self._answers, bytearray()
        if self.peer_lost:
            if now >= self._probe_at:
                self._probe_at = now + PROBE_MS
                self._probe_seq = self._next_seq()
                out += codec.encode(codec.HELLO, self._probe_seq, self._hello())
            return bytes(out)
        for item in list(self._under_way.values()):
            if now < item.due:
                continue
            if item.tries > RESENDS:
                self._lose(now)
                return bytes(out)
            out += self._send(item, now)
            self.resent += 1
        while len(self._under_way) < WINDOW:
            item = self._next()
            if item is None:
                break
            try:
                seq = self._next_seq()
                item.raw = codec.encode(item.kind, seq, item.fields)
            except codec.Unencodable:
                self.lost += 1
                continue
            item.fields = None
            self._under_way[seq] = item
            out += self._send(item, now)
        return bytes(out)

    def _send(self, item, now):
        item.tries += 1
        item.due = now + ANSWER_MS
        return item.raw

    def _next(self):
        """The oldest frame that may go now.

        Until the Pi has taken a HELLO of this start it still knows the numbers of the start before, and would take new
        frames for repeats of old ones: nothing else goes before.
        """
        for at, item in enumerate(self._pending):
            if not self._greeted and item.kind != codec.HELLO:
                continue
            if item.alone and any(other.lane == item.lane for other in self._under_way.values()):
                continue
            return self._pending.pop(at)
        return None

    def _next_seq(self):
        seq = self._seq
        self._seq = (seq + 1) & 0xFFFF
        return seq

    def _lose(self, now):
        self.lost += len(self._under_way) + len(self._pending)
        self._under_way.clear()
        self._pending = []
        self.peer_lost = True
        self._probe_at = now + PROBE_MS

    # -- in ------------------------------------------------------------------------------------------

    def feed(self, data, now):
        """Take bytes of the line, act on the frames in them and lay the answers out for the next `poll`."""
        frames = self._decoder.feed(data)
        heard_again = bool(frames) and self.peer_lost
        if heard_again:
            self.peer_lost = False
        for kind, seq, fields, nak in frames:
            if fields is not None:
                self._take(kind, seq, fields, now)
            elif nak is not None:
                self._refuse(seq, nak)
            elif now >= self._foreign_at:
                # a Pi of another version: it must see which versions this board speaks
                self._foreign_at = now + PROBE_MS
                self.put((codec.HELLO,), codec.HELLO, self._hello())
        if heard_again:
            if not self._greeted:
                self.put((codec.HELLO,), codec.HELLO, self._hello())
            self._restate()

    def _take(self, kind, seq, fields, now):
        if kind == codec.ACK or kind == codec.NAK:
            item = self._under_way.pop(fields["of"], None)
            if kind == codec.ACK:
                hello = item.kind == codec.HELLO if item is not None else fields["of"] == self._probe_seq
                self._greeted = self._greeted or hello
        elif kind == codec.HEARTBEAT or kind == codec.LOG:
            return
        elif kind < codec.HELLO_REQUEST:
            self._refuse(seq, codec.NAK_UNKNOWN_TYPE)
        else:
            if kind == codec.HELLO_REQUEST:
                # the Pi may have started its counter again
                self._seen.forget()
            elif self._seen.has(seq):
                self._answer(codec.ACK, {"of": seq})
                return
            nak = self._obey(kind, fields, now)
            if nak is None:
                self._seen.add(seq)
                self._answer(codec.ACK, {"of": seq})
            else:
                self._refuse(seq, nak)

    def _refuse(self, seq, code):
        self._answer(codec.NAK, {"of": seq, "code": code})

    def _answer(self, kind, fields):
        # a Pi that reads nothing must not fill the memory with answers; it will send again
        if len(self._answers) < ANSWERS_MAX:
            self._answers += codec.encode(kind, 0, fields)
