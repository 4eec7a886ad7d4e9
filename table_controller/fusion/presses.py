"""Buttons of the panel: one press is one press, however its contact bounces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button

BOUNCE: Final = 0.05
"""A contact that closes again so soon after its last change has bounced (seconds)."""
AGAIN: Final = 0.25
"""No finger presses one button twice within so many seconds."""
STARTING: Final = 0.45
"""A board sends a press again for so long (seconds): the program that took it may have ended before it answered."""


class Press(Struct, frozen=True):
    """A button was pressed: which, and when on the table's clock."""

    button: str
    t: float


@dataclass(slots=True)
class _Line:
    down: bool = False
    changed: float = -1e9
    pressed: float = -1e9


class Presses:
    """All buttons of the table's panels."""

    def __init__(self, buttons: tuple[str, ...]) -> None:
        """Take the buttons that the configuration says the panel has; others are no buttons."""
        self._fitted = frozenset(buttons)
        self._lines: dict[tuple[str, int], _Line] = {}
        self._ready: dict[str, float] = {}
        self.missed = 0

    def ready(self, device: str, t: float) -> None:
        """A board is ready, for the first time since the program started: what was pressed before may come again."""
        self._ready.setdefault(device, t)

    def feed(self, seen: Button) -> Press | None:
        """Take what a button's line is now; give the press, if this is one."""
        name = BUTTONS.get(seen.id)
        if name is None or name not in self._fitted:
            return None
        line = self._lines.setdefault((seen.device, seen.id), _Line())
        before, line.down = line.down, seen.pressed
        changed, line.changed = line.changed, seen.t
        if seen.t - self._ready.get(seen.device, -1e9) < STARTING:
            return None
        if not seen.pressed:
            if seen.gap and not before:
                self.missed += 1
            return None
        if before and not seen.gap:
            return None
        if seen.t - changed < BOUNCE or seen.t - line.pressed < AGAIN:
            return None
        line.pressed = seen.t
        return Press(name, seen.t)
