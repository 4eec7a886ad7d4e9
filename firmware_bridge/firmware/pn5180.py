"""PN5180 (NXP): ISO 15693 cards and chips, many at a time, by inventories of 16 slots. Never tried on hardware.

Written from the public data sheet and from what is published about the chip's use. A slot in which two tags answer is
asked again with four more bits of the UID in the mask, until every tag has a slot to itself or the stack of masks is full
(then the reading is in doubt, and says so).
"""

from .readers import TAGS_A_ROUND, ReaderSilent, quality, wait_until

_WRITE_REGISTER = 0x00
_WRITE_REGISTER_OR = 0x01
_WRITE_REGISTER_AND = 0x02
_READ_REGISTER = 0x04
_READ_EEPROM = 0x07
_SEND_DATA = 0x09
_READ_DATA = 0x0A
_LOAD_RF_CONFIG = 0x11
_RF_ON = 0x16
_RF_OFF = 0x17

_SYSTEM_CONFIG = 0x00
_IRQ_STATUS = 0x02
_IRQ_CLEAR = 0x03
_RX_STATUS = 0x13
_TX_CONFIG = 0x18
_RF_STATUS = 0x1D

_IRQ_RX = 1 << 0
_IRQ_TX = 1 << 1
_IRQ_RF_OFF = 1 << 8
_IRQ_RF_ON = 1 << 9
_IRQ_SOF = 1 << 14
_IRQ_ALL = 0x000FFFFF
_RX_BYTES = 0x1FF
_RX_BROKEN = 3 << 16  # data integrity, protocol
_RX_COLLISION = 1 << 18
_WAIT_TRANSMIT = 1

_FIRMWARE_VERSION = 0x12  # in its EEPROM
_TX_ISO15693, _RX_ISO15693 = 0x0D, 0x8D  # 100 % ASK, 26 kbit/s
_EOF_ONLY = 0xFFFFFB3F  # clears bits 6, 7 and 10 of TX_CONFIG: the next SEND_DATA is an end of frame alone
_INVENTORY_FLAGS = 0x06  # high data rate, inventory, 16 slots
_INVENTORY = 0x01

_BUSY_MS = 10
_AIR_MS = 20
_SOF_MS = 2  # a tag begins to answer 0.32 ms after the slot does
_SLOT_MS = 8  # and has answered 4 ms later
_MASKS = 16
_LAST_MASK = 60


class Pn5180:
    """The chip, behind the interface of `readers`.

    Args:
        port: Its SPI (mode 0, most significant bit first, at most 7 Mbit/s).
        busy: Gives the level of its BUSY pin.
        reset: Its reset pin, low resets; None when it is not wired.
        mux: The multiplexer; None for a single antenna.
        now: Gives the time in milliseconds.
    """

    def __init__(self, port, busy, reset, mux, now):
        self._port = port
        self._busy = busy
        self._reset = reset
        self._mux = mux
        self._now = now

    def start(self):
        """Reset the chip and see that it answers."""
        if self._reset is not None:
            self._reset(0)
            yield from wait_until(self._now, 2)
            self._reset(1)
            yield from wait_until(self._now, 10)
        self._command(bytes((_READ_EEPROM, _FIRMWARE_VERSION, 2)))
        version = self._answer(2)
        if bytes(version) in (b"\x00\x00", b"\xff\xff"):
            raise ReaderSilent("no firmware version")
        yield from self._field(False)

    def inventory(self, channel, dwell_ms):
        """Read one antenna; its field is on only meanwhile."""
        if self._mux is not None:
            yield from self._mux.select(channel)
        end = self._now() + dwell_ms
        found, doubts = [], 0
        self._command(bytes((_LOAD_RF_CONFIG, _TX_ISO15693, _RX_ISO15693)))
        yield from self._field(True)
        while True:
            doubts += yield from self._round(found)
            if self._now() >= end:
                break
            yield
        yield from self._field(False)
        return found, quality(doubts)

    def _round(self, found):
        """Ask all tags once, and those that answered together again; gives how many doubts are left."""
        masks = [(0, 0)]
        doubts = 0
        while masks:
            mask, bits = masks.pop()
            # the configuration is loaded again because a round ends with data transmission switched off
            self._command(bytes((_LOAD_RF_CONFIG, _TX_ISO15693, _RX_ISO15693)))
            request = bytes((_INVENTORY_FLAGS, _INVENTORY, bits)) + mask.to_bytes((bits + 7) // 8, "little")
            for slot in range(16):
                if slot:
                    self._register(_WRITE_REGISTER_AND, _TX_CONFIG, _EOF_ONLY)
                yield from self._send(b"" if slot else request)
                uid, collided = yield from self._slot()
                if uid is not None:
                    if uid not in found:
                        if len(found) < TAGS_A_ROUND:
                            found.append(uid)
                        else:
                            doubts += 1
                elif collided is None:
                    doubts += 1
                elif collided:
                    if len(masks) < _MASKS and bits < _LAST_MASK:
                        masks.append((mask | slot << bits, bits + 4))
                    else:
                        doubts += 1
        return doubts

    def _send(self, data):
        """Begin a transmission and wait for its end."""
        self._register(_WRITE_REGISTER_AND, _SYSTEM_CONFIG, 0xFFFFFFF8)
        self._register(_WRITE_REGISTER_OR, _SYSTEM_CONFIG, 0x00000003)
        if self._read(_RF_STATUS) >> 24 & 7 != _WAIT_TRANSMIT:
            raise ReaderSilent("not ready to transmit")
        self._register(_WRITE_REGISTER, _IRQ_CLEAR, _IRQ_ALL)
        self._command(bytes((_SEND_DATA, 0x00)) + data)
        yield from self._await(_IRQ_TX, _AIR_MS)

    def _slot(self):
        """What answers in a slot: (UID, False), (None, collided), or (None, None) for an answer that makes no sense."""
        end = self._now() + _SOF_MS
        while not self._read(_IRQ_STATUS) & (_IRQ_SOF | _IRQ_RX):
            if self._now() >= end:
                return None, False
            yield
        end = self._now() + _SLOT_MS
        while not self._read(_IRQ_STATUS) & _IRQ_RX:
            if self._now() >= end:
                return None, None
            yield
        status = self._read(_RX_STATUS)
        if status & _RX_COLLISION:
            return None, True
        size = status & _RX_BYTES
        if status & _RX_BROKEN or size != 10:
            return None, None
        self._command(bytes((_READ_DATA, 0x00)))
        data = self._answer(size)
        uid = bytes(reversed(bytes(data[2:10])))
        # flags say "no error", and every ISO 15693 UID begins with E0
        if data[0] & 1 or uid[0] != 0xE0:
            return None, None
        return uid, False

    def _field(self, on):
        self._register(_WRITE_REGISTER, _IRQ_CLEAR, _IRQ_ALL)
        self._command(bytes((_RF_ON if on else _RF_OFF, 0x00)))
        yield from self._await(_IRQ_RF_ON if on else _IRQ_RF_OFF, _AIR_MS)

    def _await(self, irq, ms):
        end = self._now() + ms
        while not self._read(_IRQ_STATUS) & irq:
            if self._now() >= end:
                raise ReaderSilent("an event that does not come")
            yield

    # -- host interface ------------------------------------------------------------------------------

    def _register(self, command, register, value):
        self._command(bytes((command, register)) + value.to_bytes(4, "little"))

    def _read(self, register):
        self._command(bytes((_READ_REGISTER, register)))
        return int.from_bytes(self._answer(4), "little")

    def _command(self, data):
        """One SPI frame: BUSY rises when the chip has taken it and falls when it has been carried out."""
        self._level(0)
        self._port.begin()
        self._port.put(data)
        self._level(1)
        self._port.end()
        self._level(0)

    def _answer(self, size):
        self._port.begin()
        data = self._port.get(size)
        self._level(1)
        self._port.end()
        self._level(0)
        return data

    def _level(self, level):
        end = self._now() + _BUSY_MS
        while self._busy() != level:
            if self._now() >= end:
                self._port.end()
                raise ReaderSilent("BUSY does not move")
