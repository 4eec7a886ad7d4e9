"""The parts of ``table.toml`` that say which devices a table has: boards, single readers, panels on the Pi's own pins.

```toml
[devices.board]                  # a table board on a serial line
path = "/dev/serial/by-id/usb-maldonne"
baud = 921600

[readers.burn]                   # a PN532 of its own; in [antennas] it is "burn:0"
path = "/dev/serial/by-id/usb-reader-1"
targets = 2                      # cards that may lie on it: 1 or 2

[readers.desk]                   # the enrolment desk: the table leaves it to `maldonne enroll`
path = "/dev/serial/by-id/usb-reader-2"
desk = true

[pins.front]                     # a panel on the Pi's own pins (BCM numbers)
buttons = { FOLD = 17, CHECK = 27 }
lamps = { 1 = { red = 5, green = 6, blue = 13 } }
buzzer = 12

[shoe]                           # a dealing shoe on a board; without this part no shoe ever moves
on = true
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from firmware_bridge.card_reader import ReaderSettings
from firmware_bridge.codes import BUTTONS as BUTTON_NAMES
from firmware_bridge.device_errors import BadReaderPath
from firmware_bridge.devices import McuSettings
from firmware_bridge.panel import LampPins, PanelSettings
from firmware_bridge.pn532 import check_path
from table_controller.settings_text import nearest

Pin = Annotated[int, Meta(ge=0, le=27)]
BUTTON_IDS: Final = {name: number for number, name in BUTTON_NAMES.items()}
_LAST_LAMP: Final = 255
Refusal = tuple[str, str, tuple[str, ...]]
"""What is wrong, the next step, and the path of the setting."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the file: every key is known, every value bounded."""


class DeviceSetting(_Part, frozen=True, kw_only=True):
    """One table board: a stable path and the speed of its line, in bits per second."""

    path: Annotated[str, Meta(min_length=1)]
    baud: Annotated[int, Meta(ge=1200, le=4_000_000)] = 921_600


class ReaderSetting(_Part, frozen=True, kw_only=True):
    """One PN532 reader on a serial port of its own.

    Attributes:
        path: A stable path.
        targets: Cards that may lie on it: no PN532 reads more than two.
        desk: The enrolment desk: the table does not open it, so that cards can be taught while it plays.
    """

    path: Annotated[str, Meta(min_length=1)]
    targets: Annotated[int, Meta(ge=1, le=2)] = 1
    desk: bool = False


class LampSetting(_Part, frozen=True, kw_only=True):
    """The pins of one lamp's colours; amber is red and green."""

    red: Pin | None = None
    green: Pin | None = None
    blue: Pin | None = None


class PinsSetting(_Part, frozen=True, kw_only=True):
    """One panel wired to the Pi's own pins, by BCM numbers.

    Attributes:
        buttons: Pin by the button's name.
        lamps: Pins by the number of the seat whose lamp it is.
        buzzer: Pin of the buzzer.
        pull_up: Buttons close to ground; else to 3.3 V.
        active_high: Lamps and buzzer are on when their pin is high.
        library: Through which library of the Pi.
    """

    buttons: dict[str, Pin] = {}
    lamps: dict[str, LampSetting] = {}
    buzzer: Pin | None = None
    pull_up: bool = True
    active_high: bool = True
    library: Literal["lgpio", "rpigpio"] = "lgpio"


class ShoeSetting(_Part, frozen=True, kw_only=True):
    """The dealing shoe.

    Attributes:
        on: It feeds what the engine expects to be dealt. Off: nothing ever arms it and nothing speaks of it.
        arrive: A card that was fed must be read at its place within so many seconds of table time.
        answer: The shoe must have said what became of a feed within so many seconds of table time.
    """

    on: bool = False
    arrive: Annotated[float, Meta(gt=0, le=60)] = 6.0
    answer: Annotated[float, Meta(gt=0, le=60)] = 5.0


def boards(devices: Mapping[str, DeviceSetting]) -> list[McuSettings]:
    """The table boards, as the bridge takes them."""
    return [McuSettings(name=name, path=setting.path, baud=setting.baud) for name, setting in devices.items()]


def readers(settings: Mapping[str, ReaderSetting], *, desk: bool = False) -> list[ReaderSettings]:
    """The readers that the table opens, or those of the enrolment desk."""
    return [
        ReaderSettings(name=name, path=setting.path, targets=setting.targets)
        for name, setting in settings.items()
        if setting.desk is desk
    ]


def panels(settings: Mapping[str, PinsSetting]) -> list[PanelSettings]:
    """The panels on the Pi's own pins."""
    return [
        PanelSettings(
            name=name,
            buttons={BUTTON_IDS[button]: pin for button, pin in setting.buttons.items()},
            lamps={
                int(number): LampPins(red=lamp.red, green=lamp.green, blue=lamp.blue)
                for number, lamp in setting.lamps.items()
            },
            buzzer=setting.buzzer,
            pull_up=setting.pull_up,
            active_high=setting.active_high,
            library=setting.library,
        )
        for name, setting in settings.items()
    ]


def apart(
    devices: Mapping[str, Any], readers: Mapping[str, ReaderSetting], pins: Mapping[str, Any]
) -> frozenset[str]:
    """Devices whose loss says nothing of the deck: single readers and panels."""
    return frozenset((*readers, *pins)) - frozenset(devices)


def refusals(
    devices: Mapping[str, Any], readers: Mapping[str, ReaderSetting], pins: Mapping[str, PinsSetting]
) -> Iterator[Refusal]:
    """What no single setting can say, in the order of the file's parts."""
    taken = dict.fromkeys(devices, "devices")
    for part, names in (("readers", readers), ("pins", pins)):
        for name in names:
            if name in taken:
                yield f"{part}.{name}: a device of [{taken[name]}] has this name", "rename one", (part, name)
            taken[name] = part
    yield from _bad_paths(devices, readers)
    if len(pins) > 1:
        yield "pins: one program has the header for one panel", "put all pins into one panel", ("pins",)
    for name, setting in pins.items():
        yield from _bad_pins(name, setting)


def _bad_paths(devices: Mapping[str, Any], readers: Mapping[str, ReaderSetting]) -> Iterator[Refusal]:
    where = {setting.path: f"devices.{name}" for name, setting in devices.items()}
    for name, setting in readers.items():
        try:
            check_path(setting.path)
        except BadReaderPath as error:
            yield f"readers.{name}.path: {error.what}", error.hint, ("readers", name, "path")
        if setting.path in where:
            what = f"readers.{name}.path: {where[setting.path]} is at this port"
            yield what, "each device has a port of its own", ("readers", name, "path")
        where[setting.path] = f"readers.{name}"


def _bad_pins(name: str, setting: PinsSetting) -> Iterator[Refusal]:
    at = ("pins", name)
    for button in setting.buttons:
        if button not in BUTTON_IDS:
            what = f"pins.{name}.buttons: no button is called {button!r}"
            yield what, nearest(button, BUTTON_IDS), (*at, "buttons", button)
    for number in setting.lamps:
        if not number.isdecimal() or int(number) > _LAST_LAMP:
            yield (
                f"pins.{name}.lamps: no lamp has the number {number}",
                "the number of the seat",
                (*at, "lamps", number),
            )
    taken: dict[int, str] = {}
    for what, pin in _used(setting):
        if pin in taken:
            yield f"pins.{name}: GPIO{pin} is given to {taken[pin]} and to {what}", "each has its own", at
        taken[pin] = what


def _used(setting: PinsSetting) -> Iterator[tuple[str, int]]:
    yield from setting.buttons.items()
    for number, lamp in setting.lamps.items():
        for colour in ("red", "green", "blue"):
            pin = getattr(lamp, colour)
            if pin is not None:
                yield f"lamp {number} {colour}", pin
    if setting.buzzer is not None:
        yield "buzzer", setting.buzzer
