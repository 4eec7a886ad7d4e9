"""The serial line's frames: bytes to typed frames and back, with no port, no thread and no clock.

A frame on the wire is `COBS(header | payload | CRC-32) 00`. Both directions encode and decode here, so that a test or
a tool can be either end. The golden vectors in `tests/golden/serial/` bind this codec to those of simulator and
firmware.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from cobs import cobs

from firmware_bridge.errors import FrameUnencodable
from firmware_bridge.frames import (
    FRAMES,
    INVENTORY_HEAD,
    BadPayload,
    Cursor,
    DigestEntry,
    Frame,
    HelloFrame,
    InventoryFrame,
)

VERSION: Final = 1
PAYLOAD_LIMIT: Final = 512
_HEADER: Final = struct.Struct("<BBH")
_CRC: Final = struct.Struct("<I")
_SHORTEST: Final = _HEADER.size + _CRC.size
_LONGEST: Final = _SHORTEST + PAYLOAD_LIMIT
_LONGEST_STUFFED: Final = _LONGEST + -(-_LONGEST // 254)


class UnknownFrame(msgspec.Struct, frozen=True):
    """A whole frame of a type that the table of frames does not have: answer NAK 1."""

    kind: int


class MalformedFrame(msgspec.Struct, frozen=True):
    """A whole frame whose payload does not follow the table: answer NAK 2."""

    kind: int
    reason: str


class ForeignFrame(msgspec.Struct, frozen=True):
    """A whole frame of another version of the line: its peer must be refused by its versions.

    `first` and `last` are the versions that the peer speaks, as far as the frame tells.
    """

    version: int
    kind: int
    first: int
    last: int


Received = Frame | UnknownFrame | MalformedFrame | ForeignFrame


def encode(frame: Frame, seq: int) -> bytes:
    """Turn a frame into the bytes of the wire, the closing 00 included.

    Raises:
        FrameUnencodable: A value is out of its range, or the payload is longer than 512 bytes.
    """
    flaw = frame.flaw()
    if flaw:
        raise FrameUnencodable(flaw, where=frame.name)
    try:
        payload = frame.payload()
        head = _HEADER.pack(VERSION, frame.kind, seq)
    except (struct.error, ValueError, UnicodeEncodeError) as error:
        raise FrameUnencodable(str(error), where=frame.name) from error
    if len(payload) > PAYLOAD_LIMIT:
        raise FrameUnencodable(
            f"a payload of {len(payload)} bytes, at most {PAYLOAD_LIMIT}", where=frame.name
        )
    body = head + payload
    return bytes(cobs.encode(body + _CRC.pack(zlib.crc32(body)))) + b"\x00"


class Decoder:
    """Finds the frames in the bytes of the line, however they are cut, and counts what is broken.

    It never keeps more than the longest frame, even on a line that sends no 00 at all.

    Attributes:
        bad: Candidates dropped so far because COBS, length or check sum were wrong.
    """

    def __init__(self) -> None:
        self.bad = 0
        self._held = bytearray()
        self._too_long = False

    @property
    def held(self) -> int:
        """Bytes kept for a frame that is not yet complete."""
        return len(self._held)

    def feed(self, data: bytes) -> list[tuple[int, Received]]:
        """Take bytes as they come and give the frames that they complete, with their seq."""
        found: list[tuple[int, Received]] = []
        *closed, rest = data.split(b"\x00")
        for piece in closed:
            self._hold(piece)
            frame = self._close()
            if frame is not None:
                found.append(frame)
        self._hold(rest)
        return found

    def _hold(self, piece: bytes) -> None:
        if self._too_long or len(self._held) + len(piece) > _LONGEST_STUFFED:
            self._too_long = True
            self._held.clear()
        else:
            self._held += piece

    def _close(self) -> tuple[int, Received] | None:
        stuffed, too_long = bytes(self._held), self._too_long
        self._held.clear()
        self._too_long = False
        if not stuffed and not too_long:
            return None
        try:
            body = b"" if too_long else bytes(cobs.decode(stuffed))
        except cobs.DecodeError:
            body = b""
        if not _SHORTEST <= len(body) <= _LONGEST or zlib.crc32(body[:-4]) != _CRC.unpack(body[-4:])[0]:
            self.bad += 1
            return None
        version, kind, seq = _HEADER.unpack_from(body)
        return seq, _read(version, kind, body[_HEADER.size : -_CRC.size])


def _read(version: int, kind: int, payload: bytes) -> Received:
    if version != VERSION:
        if kind == HelloFrame.kind and len(payload) >= 2:
            # whatever else a later version changes, HELLO begins with the versions
            return ForeignFrame(version, kind, payload[0], payload[1])
        return ForeignFrame(version, kind, version, version)
    known = FRAMES.get(kind)
    if known is None:
        return UnknownFrame(kind)
    cursor = Cursor(payload)
    try:
        frame = known.parse(cursor)
        cursor.end()
    except BadPayload as error:
        return MalformedFrame(kind, str(error))
    flaw = frame.flaw()
    return MalformedFrame(kind, flaw) if flaw else frame


def split_inventory(
    antenna: int, cycle: int, ticks_ms: int, quality: int, uids: Sequence[str]
) -> list[InventoryFrame]:
    """Cut an antenna's present set into as many frames as it needs; an empty set is one frame.

    Raises:
        FrameUnencodable: More than 255 parts would be needed.
    """
    room = PAYLOAD_LIMIT - INVENTORY_HEAD.size - 1
    parts: list[list[str]] = [[]]
    used = 0
    for uid in uids:
        size = 1 + len(uid) // 2
        if used + size > room or len(parts[-1]) == 255:
            parts.append([])
            used = 0
        parts[-1].append(uid)
        used += size
    if len(parts) > 255:
        raise FrameUnencodable(f"{len(parts)} parts, at most 255", where=InventoryFrame.name)
    return [
        InventoryFrame(antenna, part, len(parts), cycle, ticks_ms, quality, tuple(piece))
        for part, piece in enumerate(parts)
    ]


def digest_entry(antenna: int, uids: Iterable[str]) -> DigestEntry:
    """An antenna's line in a DIGEST: how many tags, and the check sum of their sorted UIDs."""
    raw = sorted(bytes.fromhex(uid) for uid in uids)
    return DigestEntry(antenna, min(len(raw), 255), zlib.crc32(b"".join(raw)))
