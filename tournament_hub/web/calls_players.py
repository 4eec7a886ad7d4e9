"""Directors who play: which device belongs to whom of the entries, so that nobody rules unnoticed at his own table.

The list lies beside the pairing's own, readable by the server's user only; it names devices and entries, no person.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tournament_hub.errors import ConfigError
from tournament_hub.web.plan import Shown
from webkit.pairing import Device, Role


class Plays(msgspec.Struct, frozen=True):
    """Whose a device is."""

    tournament: str
    entry: str


class Players:
    """Which devices belong to somebody who plays.

    Args:
        file: where it is kept.

    Raises:
        ConfigError: the file cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._plays: dict[str, Plays] = {}
        if file.exists():
            try:
                self._plays = msgspec.json.decode(file.read_bytes(), type=dict[str, Plays])
            except (msgspec.MsgspecError, OSError) as error:
                raise ConfigError(
                    f"cannot be read: {error}",
                    where=str(file),
                    hint="remove the file and say again who plays",
                ) from error

    def of(self, device: str) -> Plays | None:
        """Whose this device is; None: somebody who does not play."""
        with self._lock:
            return self._plays.get(device)

    def set(self, device: str, plays: Plays | None) -> None:
        """This device belongs to that entry; None: to nobody who plays."""
        with self._lock:
            kept = {name: held for name, held in self._plays.items() if name != device}
            if plays is not None:
                kept[device] = plays
            self._plays = kept
            fresh = self._file.with_name(self._file.name + ".part")
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, msgspec.json.encode(kept))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            fresh.replace(self._file)

    def table_of(self, device: str, tournaments: Sequence[Shown]) -> tuple[str, int] | None:
        """Table and seat at which the owner of a device plays now; he takes it along when he is moved."""
        plays = self.of(device)
        shown = next(
            (each for each in tournaments if plays is not None and each.id == plays.tournament), None
        )
        if plays is None or shown is None:
            return None
        entry = shown.state.entries.get(plays.entry)
        if entry is None or entry.where == "out" or entry.place is None:
            return None
        return entry.place.table, entry.place.seat

    def others(
        self, mine: str, table: str, devices: Sequence[Device], tournaments: Sequence[Shown]
    ) -> list[str]:
        """Directors who could rule at a table without playing there, by the names of their devices."""
        found = []
        for device in devices:
            seat = self.table_of(device.ident, tournaments)
            if device.role is Role.DIRECTOR and device.ident != mine and (seat is None or seat[0] != table):
                found.append(device.name)
        return found


def everybody(tournaments: Sequence[Shown]) -> list[tuple[str, str, Mapping[str, str]]]:
    """Who is in, for the choice of whose a device is: tournament, its title, entry → what people are called."""
    found: list[tuple[str, str, Mapping[str, str]]] = []
    for shown in tournaments:
        alive = {
            entry.id: shown.names.get(entry.id, entry.id)
            for entry in shown.state.entries.values()
            if entry.where != "out"
        }
        ordered = dict(sorted(alive.items(), key=lambda pair: pair[1].casefold()))
        found.append((shown.id, shown.state.settings.title or shown.id, ordered))
    return found
