"""What the shoe remembers over restarts and power cuts: its last feeds, written before anything moves.

A ring of slots is written in turn, each with a number that grows and a check sum: a write that is cut short spoils the
oldest record only. A feed is two writes, so the ring knows the last sixteen.
"""

import struct
from binascii import crc32
from errno import ENOENT

SIZE = 16
SLOTS = 32
_LAYOUT = "<IIHBB"  # number, command id, cards out, target, finished


class ShoeMemory:
    """The last feeds, in a store of slots.

    Args:
        store: `read(slot)` gives the bytes of a slot or less; `write(slot, data)`; both may raise OSError.

    Attributes:
        ids: Command ids found by `load`, in no order.
    """

    def __init__(self, store):
        self._store = store
        self.ids = []
        self._number = 0
        self._slot = 0
        self._last = None

    def load(self):
        """The last record as (command id, target, cards out, finished); None when there is none.

        A new memory holds anything but a record with a good check sum: it counts as empty.

        Raises:
            OSError: The store does not answer; nothing may move before it has.
        """
        best = None
        self.ids = []
        for slot in range(SLOTS):
            raw = self._store.read(slot)
            if len(raw) != SIZE or struct.unpack("<I", raw[12:])[0] != crc32(raw[:12]):
                continue
            record = struct.unpack(_LAYOUT, raw[:12])
            if record[1] not in self.ids:
                self.ids.append(record[1])
            if best is None or (record[0] - best[0]) & 0xFFFFFFFF < 0x80000000:
                best = record
                self._slot = slot
        if best is None:
            return None
        self._number, command_id, cards_out, target, finished = best
        self._last = (command_id, target)
        return command_id, target, cards_out, bool(finished)

    def begin(self, command_id, target, cards_out):
        """Write down that a feed is about to move.

        Raises:
            OSError: It cannot be written; then nothing may move.
        """
        self._write(command_id, target, cards_out, 0)
        self._last = (command_id, target)

    def finish(self, cards_out):
        """Write down how the feed ended.

        Raises:
            OSError: It cannot be written; the feed stays open.
        """
        if self._last is not None:
            self._write(self._last[0], self._last[1], cards_out, 1)

    def _write(self, command_id, target, cards_out, finished):
        number = (self._number + 1) & 0xFFFFFFFF
        raw = struct.pack(_LAYOUT, number, command_id, cards_out, target, finished)
        slot = (self._slot + 1) % SLOTS
        raw += struct.pack("<I", crc32(raw))
        self._store.write(slot, raw)
        if bytes(self._store.read(slot)) != raw:
            raise OSError("the shoe's memory does not keep what is written")
        self._number = number
        self._slot = slot


class FramStore:
    """An MB85RC or FM24 memory on I2C: ten thousand million writes, no wear to think of. Never tried on hardware."""

    def __init__(self, i2c, address):
        self._i2c = i2c
        self._address = address

    def read(self, slot):
        """The bytes of a slot."""
        return self._i2c.readfrom_mem(self._address, slot * SIZE, SIZE, addrsize=16)

    def write(self, slot, data):
        """Write a slot."""
        self._i2c.writeto_mem(self._address, slot * SIZE, data, addrsize=16)


class FileStore:
    """Small files: in the board's own flash (which wears), or on the host."""

    def __init__(self, path):
        self._path = path

    def read(self, slot):
        """The bytes of a slot; none before its first use."""
        try:
            with open(self._path + str(slot), "rb") as file:
                return file.read(SIZE + 1)
        except OSError as error:
            if error.errno == ENOENT:
                return b""
            raise

    def write(self, slot, data):
        """Write a slot."""
        with open(self._path + str(slot), "wb") as file:
            file.write(data)
