"""Frames of the PN532 on its serial line, the chip's side: normal and extended ones, ACK, NACK, error.

`Parser` takes bytes as they come and gives whole frames; what is no frame is counted and skipped. A frame
that stops half-way is forgotten after a moment, as the chip does.

Does not model: the TFI of other chips of the family, frames longer than 265 bytes of data.
"""

from dataclasses import dataclass
from typing import Final

ACK: Final = b"\x00\x00\xff\x00\xff\x00"
NACK: Final = b"\x00\x00\xff\xff\x00\x00"
ERROR: Final = b"\x00\x00\xff\x01\xff\x7f\x81\x00"
MOST_DATA: Final = 265  # TFI and command included
HALF_FRAME_S: Final = 0.05
_START: Final = b"\x00\xff"
_TO_CHIP: Final = 0xD4
_FROM_CHIP: Final = 0xD5


@dataclass(frozen=True)
class Command:
    """A whole command frame from the host; `extended` when it used the long length field."""

    code: int
    data: bytes
    extended: bool


@dataclass(frozen=True)
class Ack:
    """The host has taken the response, or gives up the command under way."""


@dataclass(frozen=True)
class Nack:
    """The host wants the last response again."""


def encode(code: int, data: bytes) -> bytes:
    """The frame of a response (`code` is the command's own plus one); extended when it is long."""
    body = bytes((_FROM_CHIP, code)) + data
    if len(body) <= 255:
        head = bytes((len(body), -len(body) & 0xFF))
    else:
        length = len(body).to_bytes(2, "big")
        head = b"\xff\xff" + length + bytes((-sum(length) & 0xFF,))
    return b"\x00\x00\xff" + head + body + bytes((-sum(body) & 0xFF, 0x00))


class Parser:
    """Bytes of the host in, frames out.

    Attributes:
        bad: Frames with a wrong length or checksum, or not meant for this chip, since the start.
    """

    def __init__(self) -> None:
        self.bad = 0
        self._held = bytearray()
        self._fed_at = 0.0

    def clear(self) -> None:
        """Forget what has come of a frame."""
        self._held.clear()

    def feed(self, data: bytes, now: float) -> list[Command | Ack | Nack]:
        """Take bytes that came at this real time (seconds); give the frames that are whole."""
        if self._held and now - self._fed_at > HALF_FRAME_S:
            if _START in self._held:
                self.bad += 1
            self._held.clear()
        self._fed_at = now
        self._held += data
        found: list[Command | Ack | Nack] = []
        while True:
            at = self._held.find(_START)
            if at < 0:
                # a last 00 may be the first half of a start code
                del self._held[: len(self._held) - self._held.endswith(b"\x00")]
                return found
            del self._held[:at]
            used, frame = self._first()
            if not used:
                return found
            if frame is None:
                self.bad += 1
            else:
                found.append(frame)
            del self._held[:used]

    def _first(self) -> tuple[int, Command | Ack | Nack | None]:
        """The frame at the start code: how many bytes it took (0: not whole yet), and what it is."""
        held = self._held
        if len(held) < 4:
            return 0, None
        head = bytes(held[2:4])
        if head == b"\x00\xff":
            return 4, Ack()
        if head == b"\xff\x00":
            return 4, Nack()
        extended = head == b"\xff\xff"
        if extended:
            if len(held) < 7:
                return 0, None
            length, check, begin = int.from_bytes(held[4:6], "big"), sum(held[4:7]), 7
        else:
            length, check, begin = held[2], sum(held[2:4]), 4
        if check & 0xFF or not 2 <= length <= MOST_DATA:
            return len(_START), None
        if len(held) < begin + length + 1:
            return 0, None
        body = bytes(held[begin : begin + length])
        if (sum(body) + held[begin + length]) & 0xFF or body[0] != _TO_CHIP:
            return len(_START), None
        return begin + length + 1, Command(body[1], body[2:], extended)
