"""Reader chips as their data sheets describe them, strict: whatever the sheet does not allow fails the test."""

from collections.abc import Callable
from typing import Any

LOADED_TX_CONFIG = 0x4C0


class Pn5180Chip:
    """A PN5180 behind SPI, BUSY and reset, with ISO 15693 tags in the field of the selected antenna.

    Does not model: time on the air, modulation, EEPROM beyond the firmware version.

    Attributes:
        field: `field()` gives the UIDs that lie on the antenna that is switched through now.
        broken: UIDs whose answers arrive with a bad check sum.
        dead: BUSY does not move any more.
    """

    def __init__(self, field: Callable[[], list[bytes]]) -> None:
        self.field = field
        self.broken: set[bytes] = set()
        self.dead = False
        self.rf = False
        self.selected = False
        self.busy = 0
        self.rounds = 0
        self._frame = b""
        self._answer: bytes | None = None
        self._registers = {0x00: 0, 0x02: 0, 0x13: 0, 0x18: 0}
        self._slot = 0
        self._mask = (0, 0)
        self._buffer = b""

    # -- pins and bus ----------------------------------------------------------------------------------

    def select(self, level: int) -> None:
        """NSS."""
        if level == 0:
            assert not self.selected
            assert self.busy == 0, "selected while busy"
            self.selected = True
            self._frame = b""
        elif self.selected:
            self.selected = False
            if self._frame:
                self._command(self._frame)
            self.busy = 1 if self.dead else 0

    def write(self, data: bytes) -> None:
        """MOSI."""
        assert self.selected
        self._frame += bytes(data)
        self.busy = 0 if self.dead else 1

    def readinto(self, buffer: bytearray, out: int) -> None:
        """MISO."""
        assert self.selected
        assert out == 0xFF
        assert self._answer is not None, "nothing to read"
        assert len(buffer) == len(self._answer)
        buffer[:] = self._answer
        self._answer = None
        self.busy = 0 if self.dead else 1

    # -- commands --------------------------------------------------------------------------------------

    def _command(self, frame: bytes) -> None:
        assert self._answer is None, "an answer was not read"
        code, rest = frame[0], frame[1:]
        if code in (0x00, 0x01, 0x02):
            assert len(rest) == 5
            self._write(code, rest[0], int.from_bytes(rest[1:], "little"))
        elif code == 0x04:
            self._answer = self._read(rest[0]).to_bytes(4, "little")
        elif code == 0x07:
            assert rest == bytes((0x12, 2))
            self._answer = b"\x05\x03"
        elif code == 0x09:
            self._send(rest)
        elif code == 0x0A:
            assert rest == b"\x00"
            self._answer = self._buffer
        elif code == 0x11:
            assert rest == bytes((0x0D, 0x8D))
            self._registers[0x18] = LOADED_TX_CONFIG
        elif code in (0x16, 0x17):
            assert rest == b"\x00"
            self.rf = code == 0x16
            self._registers[0x02] |= 1 << (9 if self.rf else 8)
        else:
            raise AssertionError(f"unknown command {code:02X}")

    def _write(self, how: int, register: int, value: int) -> None:
        if register == 0x03:
            assert how == 0
            self._registers[0x02] &= ~value
            return
        assert register in self._registers, f"register {register:02X}"
        before = self._registers[register]
        self._registers[register] = (value, before | value, before & value)[how]

    def _read(self, register: int) -> int:
        if register == 0x1D:
            return (1 if self._registers[0x00] & 7 == 3 else 0) << 24
        return self._registers[register]

    # -- air -------------------------------------------------------------------------------------------

    def _send(self, rest: bytes) -> None:
        assert rest[0] == 0
        assert self.rf, "no field"
        assert self._registers[0x00] & 7 == 3, "not in transceive"
        data = rest[1:]
        if self._registers[0x18] & 0x400:
            assert data[:2] == bytes((0x06, 0x01)), "not an inventory of 16 slots"
            bits = data[2]
            mask = data[3:]
            assert len(mask) == (bits + 7) // 8
            self._mask = (int.from_bytes(mask, "little"), bits)
            self._slot = 0
            self.rounds += 1
        else:
            assert data == b""
            self._slot += 1
            assert self._slot < 16
        self._registers[0x02] |= 1 << 1
        self._registers[0x13] = 0
        mask_value, bits = self._mask
        answering = []
        for uid in self.field():
            number = int.from_bytes(uid, "big")
            if number & ((1 << bits) - 1) == mask_value and number >> bits & 15 == self._slot:
                answering.append(uid)
        if not answering:
            return
        self._registers[0x02] |= 1 << 14 | 1
        self._registers[0x13] = 10
        self._buffer = b"\x00\x00" + bytes(reversed(answering[0]))
        if len(answering) > 1:
            self._registers[0x13] |= 1 << 18
        elif answering[0] in self.broken:
            self._registers[0x13] |= 1 << 16


class Pn532Chip:
    """A PN532: frames in, frames out, ISO 14443A cards in its field, two of them at a time.

    Does not model: other commands than a reader of UIDs needs, extended frames, time.

    Attributes:
        field: `field()` gives the UIDs that lie on the antenna that is switched through now.
        ats: These cards are of part 4 and add an ATS to their entry.
        mute: The chip does not answer at all.
        spoil: Turns each answer's bytes into others.
    """

    def __init__(self, field: Callable[[], list[bytes]]) -> None:
        self.field = field
        self.ats: set[bytes] = set()
        self.mute = False
        self.spoil: Callable[[bytes], bytes] = lambda data: data
        self.configured = False
        self.rf = False
        self.out: list[bytes] = []
        self._first = 0

    def take(self, data: bytes) -> None:
        """A frame of the host."""
        if self.mute:
            return
        assert data[:3] == b"\x00\x00\xff"
        size = data[3]
        assert (size + data[4]) & 0xFF == 0
        body = data[5 : 5 + size]
        assert len(data) == size + 7
        assert (sum(body) + data[5 + size]) & 0xFF == 0
        assert body[0] == 0xD4
        answer = b"\xd5" + bytes((body[1] + 1,)) + self._do(body[1], body[2:])
        frame = b"\x00\x00\xff" + bytes((len(answer), -len(answer) & 0xFF)) + answer
        self.out = [b"\x00\x00\xff\x00\xff\x00", self.spoil(frame + bytes((-sum(answer) & 0xFF, 0)))]

    def _do(self, command: int, rest: bytes) -> bytes:
        if command == 0x14:
            assert rest == bytes((0x01, 0x14, 0x01))
            self.configured = True
            return b""
        assert self.configured, "not configured"
        if command == 0x32:
            assert rest[0] in (0x01, 0x05)
            if rest[0] == 0x01:
                self.rf = rest[1] == 1
            return b""
        if command == 0x52:
            assert rest == b"\x00"
            return b"\x00"
        assert command == 0x4A, f"unknown command {command:02X}"
        assert rest == bytes((0x02, 0x00))
        self.rf = True
        cards = self.field()
        # with more than two the chip gives now these, now those
        turned = cards[self._first % len(cards) :] + cards[: self._first % len(cards)] if cards else []
        self._first += 1
        found = turned[:2]
        out = bytes((len(found),))
        for number, uid in enumerate(found, 1):
            part4 = uid in self.ats
            out += bytes((number, 0x00, 0x44, 0x20 if part4 else 0x00, len(uid))) + uid
            if part4:
                out += b"\x05\x78\x80\x70\x02"
        return out


TURNED = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


class Pn532Spi:
    """The chip's SPI, least significant bit first."""

    def __init__(self, chip: Pn532Chip) -> None:
        self._chip = chip
        self._first: int | None = None
        self._selected = False
        self._held = b""

    def select(self, level: int) -> None:
        """NSS."""
        if level == 1 and self._selected and self._first == 0x01:
            self._chip.take(self._held)
        self._selected = level == 0
        self._first = None
        self._held = b""

    def write(self, data: bytes) -> None:
        """MOSI."""
        assert self._selected
        plain = bytes(TURNED[value] for value in data)
        if self._first is None:
            self._first, plain = plain[0], plain[1:]
        self._held += plain

    def readinto(self, buffer: bytearray, out: int) -> None:
        """MISO."""
        assert self._selected
        if self._first == 0x02:
            data = bytes((1 if self._chip.out else 0,))
        else:
            assert self._first == 0x03
            data = self._chip.out.pop(0)
        data = data[: len(buffer)] + bytes(len(buffer) - len(data))
        buffer[:] = bytes(TURNED[value] for value in data)


class Pn532Uart:
    """The chip's UART; its bytes come a few at a time."""

    def __init__(self, chip: Pn532Chip) -> None:
        self._chip = chip
        self.awake = False
        self.piece = 3

    def write(self, data: bytes) -> int:
        """To the chip."""
        if data.startswith(b"\x55\x55"):
            self.awake = True
        else:
            assert self.awake, "not woken"
            self._chip.take(data)
            self._chip.out = [b"".join(self._chip.out)] if self._chip.out else []
        return len(data)

    def any(self) -> int:
        """Bytes that wait."""
        return sum(len(data) for data in self._chip.out)

    def read(self, size: Any = None) -> bytes | None:
        """A few of them."""
        if not self._chip.out:
            return None
        data = self._chip.out[0]
        self._chip.out = [data[self.piece :]] if len(data) > self.piece else []
        return data[: self.piece]
