"""The frames of the serial line as typed structs, each with its payload; `framing` wraps them for the wire.

Attributes are named and ordered as in the page that describes the line. `MCU→Pi` frames carry the board's own clock in
`ticks_ms` (32 bits, wraps); only `firmware_bridge/clock.py` makes table time of it.
"""

import struct
from collections.abc import Sequence
from typing import ClassVar, Final, Self

import msgspec

DISPLAY_CHARACTERS: Final = 40
INVENTORY_HEAD: Final = struct.Struct("<BBBIIB")
_PAIR: Final = struct.Struct("<BB")
_TRIPLE: Final = struct.Struct("<BBB")
_BYTE_BYTE_WORD: Final = struct.Struct("<BBI")
_LONG: Final = struct.Struct("<Q")
_WORD: Final = struct.Struct("<I")


class BadPayload(Exception):
    """A payload does not follow the table of frames; never leaves the codec."""


class Cursor:
    """Reads a payload from front to back and refuses to run past its end."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._at = 0

    def raw(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._payload):
            raise BadPayload("cut short")
        piece = self._payload[self._at : end]
        self._at = end
        return piece

    def take(self, layout: struct.Struct) -> tuple[int, ...]:
        return layout.unpack(self.raw(layout.size))

    def byte(self) -> int:
        return self.raw(1)[0]

    def flag(self) -> bool:
        value = self.byte()
        if value > 1:
            raise BadPayload("a flag that is neither 0 nor 1")
        return value == 1

    def text(self) -> str:
        try:
            return self.raw(self.byte()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadPayload("text that is not UTF-8") from error

    def end(self) -> None:
        if self._at != len(self._payload):
            raise BadPayload("bytes left over")


def _text(words: str) -> bytes:
    raw = words.encode("utf-8")
    return bytes((len(raw),)) + raw


def _items(pieces: Sequence[bytes]) -> bytes:
    return bytes((len(pieces),)) + b"".join(pieces)


class _Frame(msgspec.Struct, frozen=True):
    """What every frame can do: become a payload, be read from one, and say what is wrong with itself."""

    kind: ClassVar[int]
    name: ClassVar[str]
    answered: ClassVar[bool] = True

    def payload(self) -> bytes:
        """The bytes between header and check sum."""
        raise NotImplementedError

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        """Read a payload of this kind."""
        raise NotImplementedError

    def flaw(self) -> str:
        """Why no peer may send this frame; empty when it may."""
        return ""


class _FixedFrame(_Frame, frozen=True):
    """A frame whose fields all have a fixed size, in the order of its attributes."""

    layout: ClassVar[struct.Struct]

    def payload(self) -> bytes:
        return self.layout.pack(*msgspec.structs.astuple(self))

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(*cursor.take(cls.layout))


class AntennaInfo(msgspec.Struct, frozen=True):
    """One antenna as the board describes it: its number, what it lies under, and which of those (seat 3: index 3)."""

    id: int
    kind: int
    index: int


class HelloFrame(_Frame, frozen=True):
    """The board says who it is; `boot_id` changes whenever it restarts."""

    kind = 0x01
    name = "HELLO"
    protocol_min: int
    protocol_max: int
    firmware: str
    boot_id: int
    serial: str
    capabilities: int
    antennas: tuple[AntennaInfo, ...]
    buttons: tuple[int, ...]
    lamps: tuple[int, ...]

    def payload(self) -> bytes:
        return b"".join(
            (
                _PAIR.pack(self.protocol_min, self.protocol_max),
                _text(self.firmware),
                _LONG.pack(self.boot_id),
                _text(self.serial),
                _WORD.pack(self.capabilities),
                _items([_TRIPLE.pack(a.id, a.kind, a.index) for a in self.antennas]),
                _items([bytes((button,)) for button in self.buttons]),
                _items([bytes((lamp,)) for lamp in self.lamps]),
            )
        )

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        low, high = cursor.take(_PAIR)
        firmware = cursor.text()
        (boot_id,) = cursor.take(_LONG)
        serial = cursor.text()
        (capabilities,) = cursor.take(_WORD)
        antennas = tuple(AntennaInfo(*cursor.take(_TRIPLE)) for _ in range(cursor.byte()))
        buttons = tuple(cursor.raw(cursor.byte()))
        lamps = tuple(cursor.raw(cursor.byte()))
        return cls(low, high, firmware, boot_id, serial, capabilities, antennas, buttons, lamps)


class InventoryFrame(_Frame, frozen=True):
    """One part of what lies on an antenna now; its `parts` together are the whole present set.

    Its text form leaves the UIDs out: with the deck's list they are the cards.
    """

    kind = 0x02
    name = "INVENTORY"
    antenna: int
    part: int
    parts: int
    cycle: int
    ticks_ms: int
    quality: int
    uids: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"InventoryFrame(antenna={self.antenna}, part={self.part}/{self.parts}, cycle={self.cycle}, "
            f"ticks_ms={self.ticks_ms}, quality={self.quality}, uids=<{len(self.uids)} tags>)"
        )

    def payload(self) -> bytes:
        head = INVENTORY_HEAD.pack(
            self.antenna, self.part, self.parts, self.cycle, self.ticks_ms, self.quality
        )
        raw = [bytes.fromhex(uid) for uid in self.uids]
        return head + _items([bytes((len(uid),)) + uid for uid in raw])

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        antenna, part, parts, cycle, ticks_ms, quality = cursor.take(INVENTORY_HEAD)
        uids = tuple(cursor.raw(cursor.byte()).hex().upper() for _ in range(cursor.byte()))
        return cls(antenna, part, parts, cycle, ticks_ms, quality, uids)

    def flaw(self) -> str:
        if self.part >= self.parts:
            return "a part beyond its parts"
        if self.quality > 100:
            return "a quality beyond 100"
        if not all(self.uids):
            return "a UID of no bytes"
        return ""


class ButtonFrame(_Frame, frozen=True):
    """A button's level, and how often its line has changed since the board started (modulo 65536)."""

    kind = 0x03
    name = "BUTTON"
    layout: ClassVar[struct.Struct] = struct.Struct("<IH")
    id: int
    pressed: bool
    ticks_ms: int
    count: int

    def payload(self) -> bytes:
        return _PAIR.pack(self.id, self.pressed) + self.layout.pack(self.ticks_ms, self.count)

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        button, pressed = cursor.byte(), cursor.flag()
        return cls(button, pressed, *cursor.take(cls.layout))


class ShoeFrame(_FixedFrame, frozen=True):
    """The dealing shoe's state, the cards that left it, and the last feed it knows of."""

    kind = 0x04
    name = "SHOE"
    layout = struct.Struct("<BHBI")
    state: int
    cards_out: int
    target: int
    command_id: int


class FaultFrame(_FixedFrame, frozen=True):
    """The board reports a fault of its own; `argument` names the antenna, lamp or millivolts."""

    kind = 0x05
    name = "FAULT"
    layout = struct.Struct("<HI")
    code: int
    argument: int


class LogFrame(_Frame, frozen=True):
    """A line for the technician."""

    kind = 0x06
    name = "LOG"
    answered = False
    text: str

    def payload(self) -> bytes:
        return _text(self.text)

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(cursor.text())


class HeartbeatFrame(_FixedFrame, frozen=True):
    """The board lives; its clock, its counters of trouble, its supply (mV) and temperature (°C)."""

    kind = 0x07
    name = "HEARTBEAT"
    answered = False
    layout = struct.Struct("<IIIIHb")
    ticks_ms: int
    bad_crc: int
    resent: int
    lost: int
    supply_mv: int
    temperature: int


class DigestEntry(msgspec.Struct, frozen=True):
    """How many tags an antenna holds, and the check sum of their UIDs."""

    antenna: int
    count: int
    crc: int


class DigestFrame(_Frame, frozen=True):
    """What the antennas hold, in short: a difference from what the Pi knows makes it ask."""

    kind = 0x08
    name = "DIGEST"
    antennas: tuple[DigestEntry, ...]

    def payload(self) -> bytes:
        return _items([_BYTE_BYTE_WORD.pack(e.antenna, e.count, e.crc) for e in self.antennas])

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(tuple(DigestEntry(*cursor.take(_BYTE_BYTE_WORD)) for _ in range(cursor.byte())))


class AckFrame(_FixedFrame, frozen=True):
    """The peer has taken the frame whose seq is `of`."""

    kind = 0x10
    name = "ACK"
    answered = False
    layout = struct.Struct("<H")
    of: int


class NakFrame(_FixedFrame, frozen=True):
    """The peer will not take the frame whose seq is `of`, and says why."""

    kind = 0x11
    name = "NAK"
    answered = False
    layout = struct.Struct("<HB")
    of: int
    code: int


class HelloRequestFrame(_Frame, frozen=True):
    """The Pi asks the board who it is."""

    kind = 0x20
    name = "HELLO?"

    def payload(self) -> bytes:
        return b""

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls()


class ScanEntry(msgspec.Struct, frozen=True):
    """One antenna of the scan plan and how long its field stays on (ms)."""

    antenna: int
    dwell_ms: int


class ScanFrame(_Frame, frozen=True):
    """Which antennas the board reads, in which order."""

    kind = 0x21
    name = "SCAN"
    antennas: tuple[ScanEntry, ...]

    def payload(self) -> bytes:
        return _items([_PAIR.pack(entry.antenna, entry.dwell_ms) for entry in self.antennas])

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(tuple(ScanEntry(*cursor.take(_PAIR)) for _ in range(cursor.byte())))


class InventoryRequestFrame(_FixedFrame, frozen=True):
    """The Pi asks what lies on an antenna (255: on all of them)."""

    kind = 0x22
    name = "INVENTORY?"
    layout = struct.Struct("<B")
    antenna: int


class LampFrame(_FixedFrame, frozen=True):
    """A lamp shows a colour, steady or blinking."""

    kind = 0x23
    name = "LAMP"
    layout = struct.Struct("<BBB")
    lamp: int
    colour: int
    pattern: int


class DisplayFrame(_Frame, frozen=True):
    """A line of the display shows a text of at most 40 characters."""

    kind = 0x24
    name = "DISPLAY"
    line: int
    text: str

    def payload(self) -> bytes:
        return bytes((self.line,)) + _text(self.text)

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(cursor.byte(), cursor.text())

    def flaw(self) -> str:
        return "a text of more than 40 characters" if len(self.text) > DISPLAY_CHARACTERS else ""


class BuzzFrame(_FixedFrame, frozen=True):
    """The buzzer sounds for so many milliseconds."""

    kind = 0x25
    name = "BUZZ"
    layout = struct.Struct("<H")
    ms: int


class FeedFrame(_FixedFrame, frozen=True):
    """The shoe feeds one card; the same command id again is the same card."""

    kind = 0x26
    name = "FEED"
    layout = struct.Struct("<BI")
    target: int
    command_id: int


class ArmFrame(_Frame, frozen=True):
    """The shoe may move, or may not."""

    kind = 0x27
    name = "ARM"
    armed: bool

    def payload(self) -> bytes:
        return bytes((self.armed,))

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(cursor.flag())


class OrderEntry(msgspec.Struct, frozen=True):
    """One next act as codes: which act, where, and its count, amount or seconds."""

    order: int
    place: int
    arg: int


class OrderFrame(_Frame, frozen=True):
    """The next acts, for a panel that need not read text."""

    kind = 0x28
    name = "ORDER"
    orders: tuple[OrderEntry, ...]

    def payload(self) -> bytes:
        return _items([_BYTE_BYTE_WORD.pack(o.order, o.place, o.arg) for o in self.orders])

    @classmethod
    def parse(cls, cursor: Cursor) -> Self:
        return cls(tuple(OrderEntry(*cursor.take(_BYTE_BYTE_WORD)) for _ in range(cursor.byte())))


Frame = (
    HelloFrame
    | InventoryFrame
    | ButtonFrame
    | ShoeFrame
    | FaultFrame
    | LogFrame
    | HeartbeatFrame
    | DigestFrame
    | AckFrame
    | NakFrame
    | HelloRequestFrame
    | ScanFrame
    | InventoryRequestFrame
    | LampFrame
    | DisplayFrame
    | BuzzFrame
    | FeedFrame
    | ArmFrame
    | OrderFrame
)


FRAMES: Final[dict[int, type[Frame]]] = {
    kind.kind: kind
    for kind in (
        HelloFrame,
        InventoryFrame,
        ButtonFrame,
        ShoeFrame,
        FaultFrame,
        LogFrame,
        HeartbeatFrame,
        DigestFrame,
        AckFrame,
        NakFrame,
        HelloRequestFrame,
        ScanFrame,
        InventoryRequestFrame,
        LampFrame,
        DisplayFrame,
        BuzzFrame,
        FeedFrame,
        ArmFrame,
        OrderFrame,
    )
}
