"""PN532 (NXP): ISO 14443A cards, at most two at a time, over SPI or its high-speed UART. Never tried on hardware.

Written from the public user manual (UM0701). The chip gives UIDs of 4, 7 or 10 bytes with the cascade tag taken out. With
two cards in the field it often answers with one of them and then the other: several rounds within the dwell time are
put together.
"""

from .readers import TAGS_A_ROUND, ReaderSilent, quality, wait_until

_SAM_CONFIGURATION = 0x14
_RF_CONFIGURATION = 0x32
_IN_LIST_PASSIVE_TARGET = 0x4A
_IN_RELEASE = 0x52
_ACK = b"\x00\x00\xff\x00\xff\x00"
_ANSWER_MS = 60
_ACK_MS = 20
_LONGEST = 64
_WAKE = b"\x55\x55" + bytes(14)


def frame(body):
    """A normal information frame around a command and its parameters."""
    body = b"\xd4" + body
    size = len(body)
    return b"\x00\x00\xff" + bytes((size, -size & 0xFF)) + body + bytes((-sum(body) & 0xFF, 0))


def answer(data):
    """What a normal information frame holds, without its direction byte; None while it is not whole.

    Raises:
        ReaderSilent: These bytes are no answer.
    """
    start = bytes(data).find(b"\x00\xff")
    if start < 0 or len(data) < start + 4:
        return None
    size = data[start + 2]
    if (size + data[start + 3]) & 0xFF:
        raise ReaderSilent("length of an answer")
    end = start + 4 + size
    if len(data) < end + 1:
        return None
    body = bytes(data[start + 4 : end])
    if (sum(body) + data[end]) & 0xFF or size < 2 or body[0] != 0xD5:
        raise ReaderSilent("an answer that is none")
    return body[1:]


def targets(body):
    """UIDs in the answer to InListPassiveTarget (106 kbit/s type A), and how many entries made no sense."""
    uids, doubts = [], 0
    at = 2
    try:
        for _ in range(body[1]):
            sel_res, size = body[at + 3], body[at + 4]
            uid = body[at + 5 : at + 5 + size]
            at += 5 + size
            if sel_res & 0x20:
                at += body[at]  # ATS; its length counts itself
            # a single-size UID never begins with the cascade tag: that one is a piece of a longer UID
            if len(uid) != size or size not in (4, 7, 10) or (size == 4 and uid[0] == 0x88):
                doubts += 1
            else:
                uids.append(uid)
    except IndexError:
        doubts += 1
    return uids, doubts


class SpiTransport:
    """The chip's SPI: mode 0, least significant bit first. An RP2040 cannot do that, so the bytes are turned here."""

    def __init__(self, port):
        self._port = port
        self._turned = bytes([int("".join(reversed(f"{value:08b}")), 2) for value in range(256)])

    def wake(self):
        """Take the chip out of its power-down: a select is enough."""
        self._port.begin()
        self._port.end()

    def send(self, data):
        """Send bytes of a frame."""
        self._port.write(self._turn(b"\x01" + data))

    def ready(self):
        """The chip has something to say."""
        self._port.begin()
        self._port.put(self._turn(b"\x02"))
        status = self._port.get(1)[0]
        self._port.end()
        return self._turned[status] & 1 == 1

    def receive(self, size):
        """What it has to say, read once; the bytes behind it mean nothing."""
        self._port.begin()
        self._port.put(self._turn(b"\x03"))
        data = self._port.get(size)
        self._port.end()
        return self._turn(data)

    def _turn(self, data):
        return bytes([self._turned[value] for value in data])


class UartTransport:
    """The chip's high-speed UART at 115,200 baud."""

    def __init__(self, uart):
        self._uart = uart
        self._held = b""

    def wake(self):
        """A long preamble wakes it."""
        self._held = b""
        self._uart.write(_WAKE)

    def send(self, data):
        """Send bytes of a frame."""
        self._held = b""
        self._uart.write(data)

    def ready(self):
        """Bytes have come."""
        return self._uart.any() > 0

    def receive(self, size):
        """All that has come since the last frame was sent, whatever size was expected."""
        self._held = (self._held + (self._uart.read() or b""))[: 2 * _LONGEST]
        return self._held


class Pn532:
    """The chip, behind the interface of `readers`.

    Args:
        transport: SPI or UART.
        mux: The multiplexer; None for a single antenna.
        reset: The reset pin, low resets; None when it is not wired.
        now: Gives the time in milliseconds.
    """

    def __init__(self, transport, mux, reset, now):
        self._transport = transport
        self._mux = mux
        self._reset = reset
        self._now = now

    def start(self):
        """Wake the chip; normal mode, short retries so that an empty antenna answers soon."""
        if self._reset is not None:
            self._reset(0)
            yield from wait_until(self._now, 2)
            self._reset(1)
            yield from wait_until(self._now, 10)
        self._transport.wake()
        yield from wait_until(self._now, 2)
        yield from self._call(bytes((_SAM_CONFIGURATION, 0x01, 0x14, 0x01)))
        # MxRtyATR, MxRtyPSL as delivered; one retry of the passive activation
        yield from self._call(bytes((_RF_CONFIGURATION, 0x05, 0xFF, 0x01, 0x01)))
        yield from self._field(0)

    def inventory(self, channel, dwell_ms):
        """Read one antenna; its field is on only meanwhile."""
        if self._mux is not None:
            yield from self._mux.select(channel)
        end = self._now() + dwell_ms
        found, doubts = [], 0
        while True:
            body = yield from self._call(bytes((_IN_LIST_PASSIVE_TARGET, 0x02, 0x00)))
            uids, strange = targets(body)
            doubts += strange
            for uid in uids:
                if uid not in found and len(found) < TAGS_A_ROUND:
                    found.append(uid)
            if uids:
                yield from self._call(bytes((_IN_RELEASE, 0x00)))
            # without a field for a moment, cards that were put to sleep answer again
            yield from self._field(0)
            if self._now() >= end:
                return found, quality(doubts)
            yield

    def _field(self, on):
        yield from self._call(bytes((_RF_CONFIGURATION, 0x01, on)))

    def _call(self, body):
        """Send a command, take its acknowledgement and its answer."""
        self._transport.send(frame(body))
        end = self._now() + _ACK_MS
        held = b""
        while len(held) < len(_ACK):
            yield from self._wait(end)
            held = self._transport.receive(len(_ACK))
        if held[: len(_ACK)] != _ACK:
            raise ReaderSilent("no acknowledgement")
        data = answer(held[len(_ACK) :])
        end = self._now() + _ANSWER_MS
        while data is None:
            yield from self._wait(end)
            held = self._transport.receive(_LONGEST)
            data = answer(held[len(_ACK) :] if held[: len(_ACK)] == _ACK else held)
        if data[0] != body[0] + 1:
            raise ReaderSilent("the answer to another command")
        return data

    def _wait(self, end):
        while not self._transport.ready():
            if self._now() >= end:
                raise ReaderSilent("nothing comes")
            yield
