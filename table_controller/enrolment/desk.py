"""The antenna on which a person lays what is taught: the desk's reader, or an antenna of the table."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from firmware_bridge.card_reader import CardReader, ReaderTiming
from firmware_bridge.devices import Devices, open_devices
from firmware_bridge.errors import DEFINED
from firmware_bridge.observations import DeviceState, Inventory, Observation
from table_controller import equipment
from table_controller.config import TableConfig
from table_controller.errors import TableError
from table_controller.settings_text import nearest

READY_WITHIN: Final = 10.0
"""Real seconds that the device gets to answer."""
BRISK: Final = ReaderTiming(interval=0.02, window=0.12, repeat=0.1)
"""At the desk one card follows the other: the level is short and told often."""
ASK_EVERY: Final = 0.15
"""Real seconds from one question to an antenna of the table to the next."""


class DeskError(TableError):
    """There is nothing to teach on."""

    code = "enrolment_desk"
    default_hint = "run `maldonne doctor`: it names what is missing"


class Desk:
    """Gives the levels of one antenna.

    Attributes:
        name: What people call it.
    """

    def __init__(self, name: str, key: tuple[str, int], inbox: queue.SimpleQueue[Observation]) -> None:
        self.name = name
        self._key = key
        self._inbox = inbox
        self.devices: Devices | None = None

    def level(self, within: float) -> tuple[str, ...] | None:
        """What lies on it, as soon as it is told; None when nothing was told within so many real seconds.

        Raises:
            DeskError: The device went away.
        """
        if self.devices is not None:
            self.devices.request_inventory()
        try:
            seen = self._inbox.get(timeout=within)
        except queue.Empty:
            return None
        if isinstance(seen, DeviceState) and seen.device == self._key[0] and seen.state == "lost":
            row = DEFINED.get(seen.code)
            raise DeskError(seen.detail or "went away", where=self.name, hint=row.hint if row else "")
        if isinstance(seen, Inventory) and (seen.device, seen.antenna) == self._key:
            return seen.uids
        return None


@contextmanager
def open_desk(
    config: TableConfig, *, reader: str | None = None, antenna: str | None = None
) -> Iterator[Desk]:
    """Open the reader or the antenna on which is taught.

    Args:
        config: The table's file.
        reader: Name of a reader; None: the enrolment desk of the file.
        antenna: Number of an antenna of the table, or ``device:number``, instead of a reader.

    Raises:
        DeskError: The file has no such device.
        DeviceError: It does not answer, or another program has it.
    """
    inbox: queue.SimpleQueue[Observation] = queue.SimpleQueue()
    if antenna is not None:
        device, number = _antenna(config, antenna)
        if device in config.devices:
            desk = Desk(f"{device}:{number}", (device, number), inbox)
            boards = [board for board in equipment.boards(config.devices) if board.name == device]
            with open_devices(boards, inbox, host_time=False) as devices:
                devices.wait_ready(READY_WITHIN)
                desk.devices = devices
                yield desk
            return
        reader = device
    name = reader or next((name for name, each in config.readers.items() if each.desk), None)
    if name is None or name not in config.readers:
        known = list(config.readers)
        if name is None:
            hint = "add [readers.desk] with its path and desk = true, or name an antenna: --antenna 1"
        else:
            hint = nearest(name, known) if known else "the file has no [readers]"
        raise DeskError(
            "the file has no enrolment desk" if name is None else f"there is no reader {name!r}", hint=hint
        )
    settings = next(
        each
        for desk_reader in (False, True)
        for each in equipment.readers(config.readers, desk=desk_reader)
        if each.name == name
    )
    with CardReader(settings, inbox, timing=BRISK) as opened:
        opened.wait_ready(READY_WITHIN)
        yield Desk(name, (name, 0), inbox)


def _antenna(config: TableConfig, text: str) -> tuple[str, int]:
    device, _, number = text.rpartition(":")
    if not number.isdecimal():
        raise DeskError(f"{text!r} is no antenna", hint="a number, or device:number")
    if not device:
        boards = list(config.devices)
        if len(boards) != 1:
            raise DeskError(f"antenna {text}: on which board?", hint=f"one of {', '.join(boards) or 'none'}")
        device = boards[0]
    if device not in config.devices and device not in config.readers:
        raise DeskError(
            f"there is no device {device!r}", hint=nearest(device, (*config.devices, *config.readers))
        )
    return device, int(number)
