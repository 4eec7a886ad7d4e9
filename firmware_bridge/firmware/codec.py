"""Frames of the serial line, written from the page that describes it: bytes to fields and back, no port and no clock.

A frame on the wire is `COBS(header | payload | CRC-32) 00`, little-endian; the header is version, type, seq. Types are
their numbers, fields are dictionaries by the names of the page, UIDs are bytes. Nothing here grows with the traffic:
the decoder holds one candidate of 523 bytes and drops what is longer.
"""

import struct
from binascii import crc32

VERSION = 1
PAYLOAD_MAX = 512
CANDIDATE_MAX = 523  # 4 + 512 + 4 bytes and one code byte for every 254 begun
DISPLAY_MAX = 40
INVENTORY_ROOM = PAYLOAD_MAX - 13  # what head and count of an INVENTORY leave for UIDs

HELLO = 0x01
INVENTORY = 0x02
BUTTON = 0x03
SHOE = 0x04
FAULT = 0x05
LOG = 0x06
HEARTBEAT = 0x07
DIGEST = 0x08
ACK = 0x10
NAK = 0x11
HELLO_REQUEST = 0x20
SCAN = 0x21
INVENTORY_REQUEST = 0x22
LAMP = 0x23
DISPLAY = 0x24
BUZZ = 0x25
FEED = 0x26
ARM = 0x27
ORDER = 0x28

NAK_UNKNOWN_TYPE = 1
NAK_BAD_PAYLOAD = 2
NAK_BUSY = 3
NAK_NOT_ARMED = 4
NAK_OUT_OF_RANGE = 5

# Forms of a field: a letter of struct, "?" a flag, "t" a text, "d" a text of the display, "u" a UID, or a list of
# items; an item without names is the bare value.
_LAYOUTS = {
    HELLO: (
        ("protocol_min", "B"),
        ("protocol_max", "B"),
        ("firmware", "t"),
        ("boot_id", "Q"),
        ("serial", "t"),
        ("capabilities", "I"),
        ("antennas", (("id", "B"), ("kind", "B"), ("index", "B"))),
        ("buttons", (("", "B"),)),
        ("lamps", (("", "B"),)),
    ),
    INVENTORY: (
        ("antenna", "B"),
        ("part", "B"),
        ("parts", "B"),
        ("cycle", "I"),
        ("ticks_ms", "I"),
        ("quality", "B"),
        ("uids", (("", "u"),)),
    ),
    BUTTON: (("id", "B"), ("pressed", "?"), ("ticks_ms", "I"), ("count", "H")),
    SHOE: (("state", "B"), ("cards_out", "H"), ("target", "B"), ("command_id", "I")),
    FAULT: (("code", "H"), ("argument", "I")),
    LOG: (("text", "t"),),
    HEARTBEAT: (
        ("ticks_ms", "I"),
        ("bad_crc", "I"),
        ("resent", "I"),
        ("lost", "I"),
        ("supply_mv", "H"),
        ("temperature", "b"),
    ),
    DIGEST: (("antennas", (("antenna", "B"), ("count", "B"), ("crc", "I"))),),
    ACK: (("of", "H"),),
    NAK: (("of", "H"), ("code", "B")),
    HELLO_REQUEST: (),
    SCAN: (("antennas", (("antenna", "B"), ("dwell_ms", "B"))),),
    INVENTORY_REQUEST: (("antenna", "B"),),
    LAMP: (("lamp", "B"), ("colour", "B"), ("pattern", "B")),
    DISPLAY: (("line", "B"), ("text", "d")),
    BUZZ: (("ms", "H"),),
    FEED: (("target", "B"), ("command_id", "I")),
    ARM: (("armed", "?"),),
    ORDER: (("orders", (("order", "B"), ("place", "B"), ("arg", "I"))),),
}
# struct on a microcontroller wraps a number that does not fit instead of refusing it
_BITS = {"B": 8, "b": 7, "H": 16, "I": 32, "Q": 64}
_SIZES = {"B": 1, "b": 1, "H": 2, "I": 4, "Q": 8}


class Unencodable(ValueError):
    """A value does not fit its field, or the payload is longer than 512 bytes."""


def stuff(data):
    """COBS: the same bytes with no 00 in them; a full last block is left open."""
    data = bytes(data)
    out = bytearray()
    at, size = 0, len(data)
    while True:
        end = min(at + 254, size)
        zero = data.find(b"\x00", at, end)
        if zero >= 0:
            out.append(zero - at + 1)
            out += data[at:zero]
            at = zero + 1
        elif end - at == 254:
            out.append(255)
            out += data[at:end]
            at = end
            if at == size:
                return out
        else:
            out.append(end - at + 1)
            out += data[at:end]
            return out


def unstuff(data, size):
    """Undo the stuffing of the first `size` bytes, which hold no 00; None when they are no COBS."""
    out = bytearray()
    at = 0
    while at < size:
        code = data[at]
        end = at + code
        if end > size:
            return None
        out += data[at + 1 : end]
        at = end
        if code < 255 and at < size:
            out.append(0)
    return out


def digest(uids):
    """Check sum of an antenna's present set: CRC-32 over the sorted UIDs, joined without lengths."""
    crc = 0
    for uid in sorted(uids):
        crc = crc32(uid, crc)
    return crc


def inventory_parts(uids):
    """Share a present set out over as many INVENTORY frames as it needs; one when nothing is there."""
    parts = [[]]
    used = 0
    for uid in uids:
        size = 1 + len(uid)
        if used + size > INVENTORY_ROOM:
            parts.append([])
            used = 0
        parts[-1].append(uid)
        used += size
    return parts


def encode(kind, seq, fields):
    """Lay a frame out as it runs over the wire, the closing 00 included.

    Raises:
        Unencodable: A value does not fit its field, or the payload is longer than 512 bytes.
    """
    body = bytearray(struct.pack("<BBH", VERSION, kind, seq))
    for part in _LAYOUTS[kind]:
        _pack(part[1], fields[part[0]], body)
    flaw = _flaw(kind, fields)
    if flaw:
        raise Unencodable(flaw)
    if len(body) > 4 + PAYLOAD_MAX:
        raise Unencodable(f"a payload of {len(body) - 4} bytes")
    body += struct.pack("<I", crc32(body))
    out = stuff(body)
    out.append(0)
    return bytes(out)


class Decoder:
    """Finds the frames in the bytes of the line, however they are cut.

    Attributes:
        bad: Candidates between two 00 that were no frame (COBS, length or check sum).
    """

    def __init__(self):
        self.bad = 0
        self._held = bytearray(CANDIDATE_MAX)
        self._size = 0  # -1: the candidate is too long, its bytes are not kept

    def feed(self, data):
        """Take the bytes of one read; give the frames that they complete.

        A frame is `(type, seq, fields, None)`; one that cannot be taken has no fields but the code of the NAK that it
        deserves, or neither when it is of another version of the line and gets no answer.
        """
        found = []
        start = 0
        while True:
            zero = data.find(b"\x00", start)
            self._hold(data[start:] if zero < 0 else data[start:zero])
            if zero < 0:
                return found
            start = zero + 1
            size, self._size = self._size, 0
            if size:
                frame = self._open(size)
                if frame is None:
                    self.bad += 1
                else:
                    found.append(frame)

    def _hold(self, piece):
        if self._size < 0:
            return
        end = self._size + len(piece)
        if end > CANDIDATE_MAX:
            self._size = -1
        else:
            self._held[self._size : end] = piece
            self._size = end

    def _open(self, size):
        body = unstuff(self._held, size) if size > 0 else None
        if body is None or not 8 <= len(body) <= 8 + PAYLOAD_MAX:
            return None
        body = bytes(body)
        if crc32(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
            return None
        version, kind, seq = struct.unpack("<BBH", body[:4])
        if version != VERSION:
            return kind, seq, None, None
        if kind not in _LAYOUTS:
            return kind, seq, None, NAK_UNKNOWN_TYPE
        try:
            return kind, seq, _fields(kind, body[4:-4]), None
        except ValueError:
            return kind, seq, None, NAK_BAD_PAYLOAD


def _flaw(kind, fields):
    """What no field alone can show."""
    if kind == INVENTORY:
        if fields["part"] >= fields["parts"]:
            return "a part beyond its parts"
        if fields["quality"] > 100:
            return "a quality beyond 100"
    return ""


def _pack(form, value, out):
    if isinstance(form, tuple):
        if len(value) > 255:
            raise Unencodable(f"a list of {len(value)} items")
        out.append(len(value))
        for item in value:
            for inner in form:
                _pack(inner[1], item[inner[0]] if inner[0] else item, out)
    elif form in "td":
        raw = value.encode()
        if len(raw) > 255 or (form == "d" and len(value) > DISPLAY_MAX):
            raise Unencodable(f"a text of {len(value)} characters")
        out.append(len(raw))
        out += raw
    elif form == "u":
        if not 0 < len(value) < 256:
            raise Unencodable(f"a UID of {len(value)} bytes")
        out.append(len(value))
        out += value
    elif form == "?":
        out.append(1 if value else 0)
    else:
        limit = 1 << _BITS[form]
        if not (-limit if form == "b" else 0) <= value < limit:
            raise Unencodable("a number out of its range")
        out += struct.pack("<" + form, value)


def _fields(kind, payload):
    fields = {}
    at = 0
    for name, form in _LAYOUTS[kind]:
        fields[name], at = _unpack(form, payload, at)
    if at != len(payload):
        raise ValueError("bytes left over")
    if _flaw(kind, fields):
        raise ValueError("fields that contradict each other")
    return fields


def _take(payload, at, size):
    if at + size > len(payload):
        raise ValueError("cut short")
    return payload[at : at + size]


def _unpack(form, payload, at):
    if isinstance(form, tuple):
        count = _take(payload, at, 1)[0]
        at += 1
        items = []
        for _ in range(count):
            item = {}
            for name, inner in form:
                item[name], at = _unpack(inner, payload, at)
            items.append(item if form[0][0] else item[""])
        return items, at
    if form in "tdu":
        size = _take(payload, at, 1)[0]
        raw = _take(payload, at + 1, size)
        at += 1 + size
        if form == "u":
            if not raw:
                raise ValueError("a UID of no bytes")
            return raw, at
        text = raw.decode()
        if form == "d" and len(text) > DISPLAY_MAX:
            raise ValueError("a text too long for the display")
        return text, at
    if form == "?":
        value = _take(payload, at, 1)[0]
        if value > 1:
            raise ValueError("a flag that is neither 0 nor 1")
        return value == 1, at + 1
    size = _SIZES[form]
    return struct.unpack("<" + form, _take(payload, at, size))[0], at + size
