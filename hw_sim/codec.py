"""Frames of the serial line as the microcontroller writes and reads them.

`COBS(header | payload | CRC-32) 00`, little-endian; header = version, type, seq. Fields are plain
dictionaries by the names of the golden vectors; UIDs are uppercase hex. No I/O: bytes in, frames out.

Does not model: the UART itself (bit errors, start and stop bits); `hw_sim.faults` breaks frames instead.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hw_sim.errors import FrameError

VERSION: Final = 1
MAX_PAYLOAD: Final = 512
# 4 header + 512 + 4 CRC, one COBS code byte for each 254 begun
MAX_CANDIDATE: Final = 523
MAX_TEXT_LINE: Final = 40

Fields = dict[str, Any]


@dataclass(frozen=True)
class _Part:
    """One field of a payload: a number (struct letter), a text, a UID list or a list of items."""

    name: str
    form: str
    items: tuple["_Part", ...] = ()


def _n(name: str, form: str) -> _Part:
    return _Part(name, form)


def _many(name: str, *items: _Part) -> _Part:
    return _Part(name, "list", items)


_LAYOUTS: Final[dict[str, tuple[int, tuple[_Part, ...]]]] = {
    "HELLO": (
        0x01,
        (
            _n("protocol_min", "B"),
            _n("protocol_max", "B"),
            _n("firmware", "text"),
            _n("boot_id", "Q"),
            _n("serial", "text"),
            _n("capabilities", "I"),
            _many("antennas", _n("id", "B"), _n("kind", "B"), _n("index", "B")),
            _many("buttons", _n("", "B")),
            _many("lamps", _n("", "B")),
        ),
    ),
    "INVENTORY": (
        0x02,
        (
            _n("antenna", "B"),
            _n("part", "B"),
            _n("parts", "B"),
            _n("cycle", "I"),
            _n("ticks_ms", "I"),
            _n("quality", "B"),
            _many("uids", _n("", "uid")),
        ),
    ),
    "BUTTON": (0x03, (_n("id", "B"), _n("pressed", "bool"), _n("ticks_ms", "I"), _n("count", "H"))),
    "SHOE": (0x04, (_n("state", "B"), _n("cards_out", "H"), _n("target", "B"), _n("command_id", "I"))),
    "FAULT": (0x05, (_n("code", "H"), _n("argument", "I"))),
    "LOG": (0x06, (_n("text", "text"),)),
    "HEARTBEAT": (
        0x07,
        (
            _n("ticks_ms", "I"),
            _n("bad_crc", "I"),
            _n("resent", "I"),
            _n("lost", "I"),
            _n("supply_mv", "H"),
            _n("temperature", "b"),
        ),
    ),
    "DIGEST": (0x08, (_many("antennas", _n("antenna", "B"), _n("count", "B"), _n("crc", "I")),)),
    "ACK": (0x10, (_n("of", "H"),)),
    "NAK": (0x11, (_n("of", "H"), _n("code", "B"))),
    "HELLO?": (0x20, ()),
    "SCAN": (0x21, (_many("antennas", _n("antenna", "B"), _n("dwell_ms", "B")),)),
    "INVENTORY?": (0x22, (_n("antenna", "B"),)),
    "LAMP": (0x23, (_n("lamp", "B"), _n("colour", "B"), _n("pattern", "B"))),
    "DISPLAY": (0x24, (_n("line", "B"), _n("text", "text40"))),
    "BUZZ": (0x25, (_n("ms", "H"),)),
    "FEED": (0x26, (_n("target", "B"), _n("command_id", "I"))),
    "ARM": (0x27, (_n("armed", "bool"),)),
    "ORDER": (0x28, (_many("orders", _n("order", "B"), _n("place", "B"), _n("arg", "I")),)),
}
_NAMES: Final = {code: name for name, (code, _) in _LAYOUTS.items()}
# Frames that are never answered.
UNANSWERED: Final = frozenset({"HEARTBEAT", "LOG", "ACK", "NAK"})

NAK_UNKNOWN_TYPE: Final = 1
NAK_BAD_PAYLOAD: Final = 2
NAK_BUSY: Final = 3
NAK_NOT_ARMED: Final = 4
NAK_OUT_OF_RANGE: Final = 5


@dataclass(frozen=True)
class Frame:
    """One whole frame: its name in the table of the page, its sequence number and its fields."""

    kind: str
    seq: int
    fields: Fields


@dataclass(frozen=True)
class Refused:
    """A frame whose check sum is right and that still cannot be taken.

    `nak` is the code to answer with, None when there is nothing to answer (another version of the header).
    """

    seq: int
    code: int
    nak: int | None


class _Short(Exception):
    """The payload ends before its fields do, or says something that its field cannot mean."""


def cobs_encode(data: bytes) -> bytes:
    """Stuff bytes so that no 00 is left in them."""
    out = bytearray()
    start = 0
    while True:
        zero = data.find(0, start)
        end = len(data) if zero < 0 else zero
        while end - start >= 254:
            out.append(255)
            out += data[start : start + 254]
            start += 254
        if zero < 0 and start == end and start and data[end - 1] != 0:
            return bytes(out)  # a full last block stays open
        out.append(end - start + 1)
        out += data[start:end]
        if zero < 0:
            return bytes(out)
        start = zero + 1


def cobs_decode(data: bytes) -> bytes | None:
    """Undo the stuffing; None when the bytes are no COBS."""
    out = bytearray()
    at, size = 0, len(data)
    while at < size:
        code = data[at]
        end = at + code
        if code == 0 or end > size:
            return None
        block = data[at + 1 : end]
        if 0 in block:
            return None
        out += block
        at = end
        if code != 255 and at < size:
            out.append(0)
    return bytes(out)


def digest_of(uids: Iterable[str]) -> int:
    """Check sum of an antenna's present set: CRC-32 over the sorted UIDs, joined without lengths."""
    return zlib.crc32(b"".join(sorted(bytes.fromhex(uid) for uid in uids)))


def _pack(part: _Part, value: Any, out: bytearray) -> None:
    form = part.form
    if form == "list":
        if len(value) > 255:
            raise FrameError(f"{part.name}: {len(value)} items, at most 255")
        out.append(len(value))
        for item in value:
            for inner in part.items:
                _pack(inner, item[inner.name] if inner.name else item, out)
    elif form in ("text", "text40"):
        raw = str(value).encode()
        if len(raw) > 255 or (form == "text40" and len(value) > MAX_TEXT_LINE):
            raise FrameError(f"{part.name}: the text is too long ({len(value)} characters)")
        out.append(len(raw))
        out += raw
    elif form == "uid":
        raw = bytes.fromhex(value)
        out.append(len(raw))
        out += raw
    elif form == "bool":
        out.append(1 if value else 0)
    else:
        try:
            out += struct.pack("<" + form, value)
        except struct.error as error:
            raise FrameError(f"{part.name}: {value!r} does not fit ({error})") from error


def _take(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise _Short
    return data[at : at + size]


def _unpack(part: _Part, data: bytes, at: int) -> tuple[Any, int]:
    form = part.form
    if form == "list":
        count = _take(data, at, 1)[0]
        at += 1
        items: list[Any] = []
        for _ in range(count):
            if part.items[0].name:
                item: Fields = {}
                for inner in part.items:
                    item[inner.name], at = _unpack(inner, data, at)
                items.append(item)
            else:
                value, at = _unpack(part.items[0], data, at)
                items.append(value)
        return items, at
    if form in ("text", "text40", "uid"):
        size = _take(data, at, 1)[0]
        raw = _take(data, at + 1, size)
        at += 1 + size
        if form == "uid":
            if not raw:
                raise _Short
            return raw.hex().upper(), at
        try:
            words = raw.decode()
        except UnicodeDecodeError as error:
            raise _Short from error
        if form == "text40" and len(words) > MAX_TEXT_LINE:
            raise _Short
        return words, at
    if form == "bool":
        byte = _take(data, at, 1)[0]
        if byte > 1:
            raise _Short
        return byte == 1, at + 1
    size = struct.calcsize("<" + form)
    return struct.unpack("<" + form, _take(data, at, size))[0], at + size


def encode(kind: str, seq: int, fields: Fields) -> bytes:
    """Lay a frame out as it runs over the wire, the closing 00 included.

    Raises:
        FrameError: A value does not fit its field, or the payload is longer than 512 bytes.
    """
    if kind not in _LAYOUTS:
        raise FrameError(f"no frame is called {kind}")
    code, parts = _LAYOUTS[kind]
    payload = bytearray()
    for part in parts:
        _pack(part, fields[part.name], payload)
    if len(payload) > MAX_PAYLOAD:
        raise FrameError(f"{kind}: a payload of {len(payload)} bytes, at most {MAX_PAYLOAD}")
    body = struct.pack("<BBH", VERSION, code, seq) + payload
    return cobs_encode(body + struct.pack("<I", zlib.crc32(body))) + b"\x00"


def _fields(kind: str, payload: bytes) -> Fields:
    fields: Fields = {}
    at = 0
    for part in _LAYOUTS[kind][1]:
        fields[part.name], at = _unpack(part, payload, at)
    if at != len(payload):
        raise _Short
    if kind == "INVENTORY" and (fields["part"] >= fields["parts"] or fields["quality"] > 100):
        raise _Short
    return fields


class Decoder:
    """Bytes as they come from the line, in any pieces, turned into frames.

    Attributes:
        bad: Candidates between two 00 that were no frame (COBS, length or check sum).
    """

    def __init__(self) -> None:
        self.bad = 0
        self._held = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[Frame | Refused]:
        """Take the bytes of one read and give the frames that they complete."""
        found: list[Frame | Refused] = []
        pieces = data.split(b"\x00")
        for piece in pieces[:-1]:
            self._hold(piece)
            candidate, too_long = bytes(self._held), self._too_long
            self._held.clear()
            self._too_long = False
            if too_long:
                self.bad += 1
            elif candidate:
                frame = self._frame(candidate)
                if frame is None:
                    self.bad += 1
                else:
                    found.append(frame)
        self._hold(pieces[-1])
        return found

    def _hold(self, piece: bytes) -> None:
        if self._too_long:
            return
        if len(self._held) + len(piece) > MAX_CANDIDATE:
            self._too_long = True
            self._held.clear()
        else:
            self._held += piece

    def _frame(self, candidate: bytes) -> Frame | Refused | None:
        body = cobs_decode(candidate)
        if body is None or not 8 <= len(body) <= 8 + MAX_PAYLOAD:
            return None
        if zlib.crc32(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
            return None
        version, code, seq = struct.unpack("<BBH", body[:4])
        if version != VERSION:
            return Refused(seq, code, None)
        kind = _NAMES.get(code)
        if kind is None:
            return Refused(seq, code, NAK_UNKNOWN_TYPE)
        try:
            return Frame(kind, seq, _fields(kind, body[4:-4]))
        except _Short:
            return Refused(seq, code, NAK_BAD_PAYLOAD)


def inventory_parts(uids: Sequence[str]) -> list[list[str]]:
    """Share a present set out over as many INVENTORY frames as it needs (one when nothing is there)."""
    parts: list[list[str]] = [[]]
    room = MAX_PAYLOAD - 13
    for uid in uids:
        size = 1 + len(uid) // 2
        if size > room:
            parts.append([])
            room = MAX_PAYLOAD - 13
        parts[-1].append(uid)
        room -= size
    return parts
