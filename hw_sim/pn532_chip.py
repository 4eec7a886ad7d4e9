"""What a PN532 does with a command: versions, registers, baud rate, sleep, listing tags. No port, no time.

The chip wakes at 115,200 baud and keeps another rate until it is told or loses its supply, also when the host
has died: that is why a reader that was not closed does not answer the next program.

Does not model: data exchange with tags, target mode, SAM companion, GPIO, self-tests beyond the line test,
how long anything takes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hw_sim.pn532_air import Air
from hw_sim.pn532_frames import Command

FIRST_BAUD: Final = 115_200
BAUDS: Final = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1288000)
VERSION: Final = b"\x32\x01\x06\x07"  # PN532, version 1.6, types A, B and ISO 18092
WAKE_BYTES: Final = 5
FIFO_DATA: Final = 0x6339
RX_MODE: Final = 0x6303
SENS_REQ: Final = 0x26
_FIELD_ITEM: Final = 0x01
_RF_ITEMS: Final = {0x01: 1, 0x02: 3, 0x04: 1, 0x05: 3, 0x0A: 11, 0x0B: 8, 0x0C: 3, 0x0D: 9}
_OK: Final = b"\x00"


@dataclass
class Counts:
    """What a chip was asked and suffered, for tests."""

    commands: Counter[str] = field(default_factory=Counter)
    unknown: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    extended: int = 0
    aborted: int = 0
    acks: int = 0
    nacks: int = 0
    garbled: int = 0
    wakeups: int = 0
    faults: Counter[str] = field(default_factory=Counter)


class Chip:
    """The chip's own state; `obey` gives the data of the response, None where it sends its error frame.

    Attributes:
        baud: Speed of its line now.
        next_baud: Speed that it takes up once the host has acknowledged; None when no change is due.
        asleep: Powered down: only bytes on the line wake it.
    """

    def __init__(self, air: Air) -> None:
        self.air = air
        self.counts = Counts()
        self._commands: dict[int, tuple[str, Callable[[bytes], bytes | None]]] = {
            0x00: ("Diagnose", self._diagnose),
            0x02: ("GetFirmwareVersion", lambda data: VERSION if not data else None),
            0x04: ("GetGeneralStatus", lambda data: bytes((0, self.air.on, 0, 0)) if not data else None),
            0x06: ("ReadRegister", self._read),
            0x08: ("WriteRegister", self._write),
            0x10: ("SetSerialBaudrate", self._set_baud),
            0x12: ("SetParameters", lambda data: b"" if len(data) == 1 else None),
            0x14: ("SAMConfiguration", self._sam),
            0x16: ("PowerDown", self._power_down),
            0x32: ("RFConfiguration", self._rf),
            0x44: ("InDeselect", self._release),
            0x4A: ("InListPassiveTarget", self._list),
            0x52: ("InRelease", self._release),
        }
        self.power_on()

    def power_on(self) -> None:
        """Supply comes: everything that was set is forgotten, the chip waits for bytes that wake it."""
        self.baud = FIRST_BAUD
        self.next_baud: int | None = None
        self.asleep = True
        self._heard = 0
        self._normal_mode = False
        self._sleep_next = False
        self._registers: dict[int, int] = {RX_MODE: 0x80}
        self.air.switch(False)

    def wake(self, data: bytes) -> bytes:
        """Bytes on the line of a sleeping chip: it wakes with the fifth; gives those that it still hears."""
        used = min(WAKE_BYTES - self._heard, len(data))
        self._heard += used
        if self._heard >= WAKE_BYTES:
            self._heard = 0
            self.asleep = False
            self.counts.wakeups += 1
        return data[used:]

    def acknowledged(self) -> None:
        """The host has the response: a change of speed takes effect."""
        if self.next_baud is not None:
            self.baud, self.next_baud = self.next_baud, None

    def answered(self) -> None:
        """The response goes out: a chip that was told to sleep sleeps from now on."""
        if self._sleep_next:
            self._sleep_next = False
            self.asleep = True
            self.air.switch(False)

    def obey(self, command: Command) -> bytes | None:
        """Carry a command out."""
        self.next_baud = None
        known = self._commands.get(command.code)
        if known is None:
            self.counts.unknown.append(command.code)
            return None
        name, act = known
        self.counts.commands[name] += 1
        self.counts.extended += command.extended
        response = act(command.data)
        if response is None:
            self.counts.refused.append(name)
        return response

    def _diagnose(self, data: bytes) -> bytes | None:
        if data[:1] == b"\x00":
            return data
        return _OK if data in (b"\x01", b"\x02") else None

    def _read(self, data: bytes) -> bytes | None:
        if not data or len(data) % 2:
            return None
        pairs = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
        return bytes(self._registers.get(register, 0) for register in pairs)

    def _write(self, data: bytes) -> bytes | None:
        if not data or len(data) % 3:
            return None
        for at in range(0, len(data), 3):
            self._registers[int.from_bytes(data[at : at + 2], "big")] = data[at + 2]
        return b""

    def _set_baud(self, data: bytes) -> bytes | None:
        if len(data) != 1 or data[0] >= len(BAUDS):
            return None
        self.next_baud = BAUDS[data[0]]
        return b""

    def _sam(self, data: bytes) -> bytes | None:
        if not 1 <= len(data) <= 3 or not 1 <= data[0] <= 4:
            return None
        self._normal_mode = data[0] == 1
        return b""

    def _power_down(self, data: bytes) -> bytes | None:
        if not 1 <= len(data) <= 2:
            return None
        self._sleep_next = True
        return _OK

    def _rf(self, data: bytes) -> bytes | None:
        if not data or len(data) != 1 + _RF_ITEMS.get(data[0], -1):
            return None
        if data[0] == _FIELD_ITEM:
            self.air.switch(bool(data[1] & 1))
        return b""

    def _release(self, data: bytes) -> bytes | None:
        if len(data) != 1 or data[0] > 2:
            return None
        self.air.release()
        return _OK

    def _list(self, data: bytes) -> bytes | None:
        if len(data) < 2 or not 1 <= data[0] <= 2 or data[1] > 4:
            return None
        if not self._normal_mode:
            # before SAMConfiguration the chip does not touch its antenna
            return None
        if data[1] != 0:
            return b"\x00"
        found = self.air.list(data[0])
        self._registers[FIFO_DATA] = SENS_REQ if not found else 0x00
        return bytes((len(found),)) + b"".join(tag.target(n) for n, tag in enumerate(found, 1))
