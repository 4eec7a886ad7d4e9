"""A shoe on a clock that the test turns: the firmware's shoe, the scripted mechanism, a memory that can fail."""

from typing import Any

from firmware import shoe
from firmware.host import HostShoe
from firmware.shoe_memory import SIZE, SLOTS, ShoeMemory
from firmware_package import ROOT  # makes the firmware importable

assert ROOT.is_dir()
STEP_MS = 5


class PowerCut(BaseException):
    """The supply goes in the middle of a write: nothing of the program runs on."""


class Store:
    """The slots; `cut_after` bytes of the next write the supply goes, `broken` it does not answer."""

    def __init__(self) -> None:
        self.slots = [b""] * SLOTS
        self.cut_after: int | None = None
        self.broken = False
        self.writes = 0

    def read(self, slot: int) -> bytes:
        if self.broken:
            raise OSError("scripted")
        return self.slots[slot]

    def write(self, slot: int, data: bytes) -> None:
        if self.broken:
            raise OSError("scripted")
        self.writes += 1
        if self.cut_after is not None:
            kept, self.cut_after = self.cut_after, None
            self.slots[slot] = data[:kept] + self.slots[slot][kept:SIZE]
            raise PowerCut
        self.slots[slot] = data


class Bench:
    """One shoe and its world; `restart` makes a new program on the same mechanism and memory."""

    def __init__(self, *, cards: int = 52, timing: Any = None) -> None:
        self.ms = 0
        self.out: list[int] = []
        self.reports: list[tuple[int, int, int, int]] = []
        self.forgotten = 0
        self.store = Store()
        self.mechanism = HostShoe(lambda: self.ms, self.out.append)
        self.mechanism.load(cards)
        self.timing = timing or shoe.Timing(passing=90)
        self.restart()

    def restart(self) -> None:
        """The supply was away: the pins let go, the program begins again."""
        self.mechanism.stop()
        self.shoe = shoe.Shoe(
            self.mechanism, ShoeMemory(self.store), range(1, 13), self.timing, self._report, self._forgetful
        )

    def run(self, ms: int, *, armed: bool = False) -> None:
        """Let time pass; the Pi arms again every second if it does."""
        end = self.ms + ms
        while self.ms < end:
            if armed and self.ms % 1000 == 0:
                self.shoe.arm(True, self.ms)
            self.ms += STEP_MS
            self.shoe.step(self.ms)

    def arm(self) -> Any:
        """ARM."""
        return self.shoe.arm(True, self.ms)

    def feed(self, target: int, command_id: int) -> Any:
        """FEED."""
        return self.shoe.feed(target, command_id, self.ms)

    def ready(self) -> None:
        """Step once and arm."""
        self.run(STEP_MS)
        assert self.arm() is None
        assert self.shoe.state == shoe.READY

    def look_inside(self) -> None:
        """Somebody opens the door, takes out what is stuck, and closes it."""
        self.mechanism.open(True)
        self.run(200)
        self.mechanism.open(False)
        self.run(STEP_MS)

    @property
    def states(self) -> list[int]:
        """The states told, without repetitions."""
        states = [report[0] for report in self.reports]
        return [state for at, state in enumerate(states) if at == 0 or state != states[at - 1]]

    def _report(self) -> None:
        fields = self.shoe.fields()
        self.reports.append((fields["state"], fields["cards_out"], fields["target"], fields["command_id"]))

    def _forgetful(self) -> None:
        self.forgotten += 1
