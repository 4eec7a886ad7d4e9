"""A table's devices looked at one by one, without playing: what `maldonne doctor` reports."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from firmware_bridge.card_reader import CardReader, ReaderHealth
from firmware_bridge.devices import AnyHealth, Devices, open_devices
from firmware_bridge.errors import DEFINED, NotReady
from firmware_bridge.mcu import Health, Mcu
from firmware_bridge.observations import Observation
from firmware_bridge.panel import Panel
from table_controller import equipment
from table_controller.config import TableConfig
from table_controller.fusion.coverage import place_of

WITHIN: Final = 5.0
"""Real seconds that the devices get together to answer."""
LISTEN: Final = 1.0
"""Real seconds for which those that answered are listened to, to see how often they err."""
_STEP: Final = 0.05
MOST_ERRORS: Final = 0.02
"""A larger share of errors is worth a look at cable and supply."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """How one device is.

    Attributes:
        name: Its name in the table's file.
        kind: ``board``, ``reader``, ``desk`` or ``panel``.
        path: Where it is plugged in.
        state: ``ready``, ``degraded``, ``lost``, or ``found`` when it has not said who it is.
        code: Slug of the defined error, empty when all is well.
        version: What it said it is; empty when it said nothing.
        last_seen: Seconds since its last word; None when it never spoke.
        errors: Share of frames or reads that went wrong, 0 to 1; None where nothing was counted.
        out_of_order: Buttons that press nothing now.
        antennas: Number, kind and index of each antenna as the board says it.
    """

    name: str
    kind: str
    path: str
    state: str
    code: str
    version: str = ""
    last_seen: float | None = None
    errors: float | None = None
    out_of_order: tuple[int, ...] = ()
    antennas: tuple[tuple[int, str, int], ...] = ()

    @property
    def well(self) -> bool:
        """Whether nothing has to be done."""
        return self.state == "ready" and (self.errors is None or self.errors <= MOST_ERRORS)

    def next_step(self, lang: str) -> str:
        """What to do, empty when nothing has to be done and for a code that is not defined."""
        row = DEFINED.get(self.code)
        if row is None:
            return ""
        return row.hint_fr if lang == "fr" else row.hint

    def what(self, lang: str) -> str:
        """What is wrong, in one sentence."""
        row = DEFINED.get(self.code)
        if row is None:
            return self.code
        return row.what_fr if lang == "fr" else row.what


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The table's file and a board do not say the same of an antenna; the file counts.

    Attributes:
        antenna: ``device:number``.
        file: What the file says; empty when it does not name the antenna.
        board: What the board says; empty when it has no such antenna.
    """

    antenna: str
    file: tuple[str, ...]
    board: str


def of_health(
    health: AnyHealth, *, desk: bool = False, antennas: Iterable[tuple[int, str, int]] = ()
) -> Finding:
    """What a driver knows of its device, as a finding."""
    version, errors = "", None
    broken: tuple[int, ...] = ()
    kind = "panel"
    if isinstance(health, Health):
        kind, version = "board", " ".join(filter(None, (health.firmware, health.serial)))
        frames = health.received + health.sent
        bad = health.bad_frames + health.resends + health.peer_bad_frames + health.peer_resends
        errors = min(1.0, bad / frames) if frames else None
    elif isinstance(health, ReaderHealth):
        kind, version = "desk" if desk else "reader", health.firmware
        reads = health.reads + health.failed
        errors = health.failed / reads if reads else None
    else:
        broken = health.out_of_order
    return Finding(
        name=health.name,
        kind=kind,
        path=health.path,
        state=health.state,
        code=health.code,
        version=version,
        last_seen=health.last_seen,
        errors=errors,
        out_of_order=broken,
        antennas=tuple(antennas),
    )


def findings(devices: Devices, desks: frozenset[str] = frozenset()) -> list[Finding]:
    """Every device of an open table."""
    return [
        of_health(
            health,
            desk=health.name in desks,
            antennas=devices.mcus[health.name].antennas if health.name in devices.mcus else (),
        )
        for health in devices.health()
    ]


def examine(
    config: TableConfig,
    *,
    within: float = WITHIN,
    listen: float = LISTEN,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Finding]:
    """Open every device of the file, give each its time to answer, and close them again. Nothing moves.

    Args:
        config: The table's file.
        within: Real seconds for all of them together.
        listen: Real seconds of listening to those that answered.
        progress: Told the name of each device when it is looked at.
    """
    inbox: queue.SimpleQueue[Observation] = queue.SimpleQueue()
    desks = equipment.readers(config.readers, desk=True)
    with open_devices(
        equipment.boards(config.devices),
        inbox,
        readers=[*equipment.readers(config.readers), *desks],
        panels=equipment.panels(config.pins),
        host_time=False,
    ) as devices:
        until = time.monotonic() + within
        everything: list[Mcu | CardReader | Panel] = [*devices.mcus.values()]
        everything += [*devices.readers.values(), *devices.panels.values()]
        for device in everything:
            progress(device.name)
            with contextlib.suppress(NotReady):
                _patiently(device, until)
        if any(each.state == "ready" for each in devices.health()):
            threading.Event().wait(listen)
        return findings(devices, frozenset(each.name for each in desks))


def _patiently(device: Mcu | CardReader | Panel, until: float) -> None:
    """Wait until the device is ready; a port that is absent or taken is not waited for to the end.

    Raises:
        NotReady: It was not in time.
    """
    hopeless = ("port-absent", "port-denied", "port-busy", "gpio-library", "gpio-absent", "protocol-refused")
    while True:
        try:
            device.wait_ready(min(_STEP, max(0.0, until - time.monotonic())))
            return
        except NotReady:
            if time.monotonic() >= until or device.health().code in hopeless:
                raise


def unlike(config: TableConfig, found: Iterable[Finding]) -> list[Difference]:
    """Antennas of which the file and the board say different things."""
    if config.antennas is None:
        return []
    only = next(iter(config.devices)) if len(config.devices) == 1 else ""
    said: dict[str, Mapping[int, str]] = {
        each.name: {number: place_of(kind, index) for number, kind, index in each.antennas}
        for each in found
        if each.kind == "board" and each.antennas
    }
    differences: list[Difference] = []
    named: set[tuple[str, int]] = set()
    for key, places in config.antennas.items():
        device, _, number = key.rpartition(":")
        device = device or only
        named.add((device, int(number)))
        board = said.get(device)
        if board is None:
            continue
        place = board.get(int(number), "")
        if int(number) not in board or (place and place not in places):
            differences.append(Difference(antenna=f"{device}:{number}", file=tuple(places), board=place))
    for name, antennas in said.items():
        differences += [
            Difference(antenna=f"{name}:{antenna}", file=(), board=at or "?")
            for antenna, at in antennas.items()
            if (name, antenna) not in named
        ]
    return differences
