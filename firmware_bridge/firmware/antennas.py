"""What lies on each antenna now: present sets, their cycles, and the sums that go into DIGEST."""

from . import codec

TAGS_PER_ANTENNA = 200
TAGS_IN_ALL = 1000
ANTENNAS_MAX = 64


class Antenna:
    """One antenna of the board: its number on the line, what it lies under, its channel behind the multiplexer.

    Attributes:
        known: It has been read since the board started (or since it came back into the scan plan).
        uids: The tags that lie on it, sorted.
    """

    def __init__(self, number, kind, index, channel):
        self.id = number
        self.kind = kind
        self.index = index
        self.channel = channel
        self.forget()

    def forget(self):
        """Nothing is known of it any more."""
        self.known = False
        self.uids = []
        self.crc = 0
        self.quality = 0
        self.cycle = 0
        self.ticks_ms = 0

    def frames(self):
        """The parts of its whole present set, as fields of INVENTORY."""
        parts = codec.inventory_parts(self.uids)
        return [
            {
                "antenna": self.id,
                "part": part,
                "parts": len(parts),
                "cycle": self.cycle,
                "ticks_ms": self.ticks_ms,
                "quality": self.quality,
                "uids": uids,
            }
            for part, uids in enumerate(parts)
        ]


class Antennas:
    """All antennas of the board, in the order of their numbers.

    Args:
        antennas: The antennas.
        full: `full(number)` is called when an antenna holds more tags than there is room for.
    """

    def __init__(self, antennas, full):
        self.all = sorted(antennas, key=lambda antenna: antenna.id)
        self.by_id = {antenna.id: antenna for antenna in self.all}
        self._full = full
        self._held = 0

    def take(self, antenna, uids, quality, cycle, ticks_ms):
        """Note what was read; True when the set is another one than before, or the first."""
        uids = sorted(set(uids))
        room = min(TAGS_PER_ANTENNA, TAGS_IN_ALL - self._held + len(antenna.uids))
        if len(uids) > room:
            uids = uids[:room]
            self._full(antenna.id)
        antenna.quality = quality
        antenna.cycle = cycle
        antenna.ticks_ms = ticks_ms
        if antenna.known and uids == antenna.uids:
            return False
        self._held += len(uids) - len(antenna.uids)
        antenna.known = True
        antenna.uids = uids
        antenna.crc = codec.digest(uids)
        return True

    def keep(self, numbers):
        """Forget what lies on the antennas that are not read any more."""
        for antenna in self.all:
            if antenna.id not in numbers and antenna.known:
                self._held -= len(antenna.uids)
                antenna.forget()

    def digest(self):
        """The fields of DIGEST."""
        return {
            "antennas": [
                {"antenna": antenna.id, "count": min(len(antenna.uids), 255), "crc": antenna.crc}
                for antenna in self.all
                if antenna.known
            ]
        }
