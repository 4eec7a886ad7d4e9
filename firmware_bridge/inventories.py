"""Which tags lie on which antenna of one board: parts put together, and compared with the board's own sums."""

import msgspec

from firmware_bridge.frames import DigestEntry, InventoryFrame
from firmware_bridge.framing import digest_entry

_WRAP = 2**32


class PresentSet(msgspec.Struct, frozen=True):
    """Everything that lay on an antenna in one cycle; its text form leaves the UIDs out."""

    antenna: int
    cycle: int
    ticks_ms: int
    quality: int
    uids: tuple[str, ...]

    def __repr__(self) -> str:
        return f"PresentSet(antenna={self.antenna}, cycle={self.cycle}, uids=<{len(self.uids)} tags>)"


class _Gathering:
    """An antenna's set of which parts are still to come."""

    def __init__(self, frame: InventoryFrame) -> None:
        self.cycle = frame.cycle
        self.parts = frame.parts
        self.pieces: dict[int, InventoryFrame] = {}
        self.waited = False

    def add(self, frame: InventoryFrame) -> PresentSet | None:
        self.pieces[frame.part] = frame
        if len(self.pieces) < self.parts:
            return None
        uids = sorted({uid for piece in self.pieces.values() for uid in piece.uids})
        quality = min(piece.quality for piece in self.pieces.values())
        return PresentSet(frame.antenna, self.cycle, frame.ticks_ms, quality, tuple(uids))


class PresentSets:
    """The last whole set of every antenna of a board.

    A newer cycle takes the place of an older one, whole or not; an older one that comes late is ignored, unless it was asked
    for (the board may have begun to count again).
    """

    def __init__(self) -> None:
        self._last: dict[int, PresentSet] = {}
        self._gathering: dict[int, _Gathering] = {}
        self._asked: set[int] = set()

    def forget(self) -> None:
        """The board restarted, or the line was down: nothing is known any more."""
        self._last.clear()
        self._gathering.clear()
        self._asked.clear()

    def ask(self, antenna: int) -> None:
        """The next set of this antenna was asked for: it counts whatever its cycle."""
        self._asked.add(antenna)
        self._gathering.pop(antenna, None)

    def take(self, frame: InventoryFrame) -> PresentSet | None:
        """Add a part; give the whole set when it is complete."""
        antenna = frame.antenna
        last = self._last.get(antenna)
        if last is not None and antenna not in self._asked and _older(frame.cycle, last.cycle):
            return None
        gathering = self._gathering.get(antenna)
        if gathering is not None and _older(frame.cycle, gathering.cycle):
            return None
        if gathering is None or (gathering.cycle, gathering.parts) != (frame.cycle, frame.parts):
            gathering = self._gathering[antenna] = _Gathering(frame)
        whole = gathering.add(frame)
        if whole is not None:
            self._last[antenna] = whole
            self._asked.discard(antenna)
            del self._gathering[antenna]
        return whole

    def differs(self, entry: DigestEntry) -> bool:
        """The board's sum of an antenna is not that of the set known here.

        A set that is just coming in parts is given the time until the next digest.
        """
        last = self._last.get(entry.antenna)
        if last is not None and digest_entry(entry.antenna, last.uids) == entry:
            return False
        gathering = self._gathering.get(entry.antenna)
        if gathering is None or gathering.waited:
            return True
        gathering.waited = True
        return False


def _older(cycle: int, than: int) -> bool:
    return (cycle - than) % _WRAP >= _WRAP // 2
