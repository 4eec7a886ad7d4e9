"""Readers and panels in ``table.toml``: what is refused with its line, and what the table makes of them."""

import math
import re
from pathlib import Path

import pytest

from firmware_bridge.observations import DeviceState
from table_controller import equipment
from table_controller.config import ConfigError, TableConfig, parse_config
from table_controller.fusion import Coverage, Fusion
from table_controller.inventory import Tags

GOOD = """
[antennas]
1 = "seat1"
"burn:0" = "burn"
[devices.board]
path = "/dev/board"
[readers.burn]
path = "/dev/reader"
targets = 2
[readers.desk]
path = "/dev/desk"
desk = true
[pins.front]
buttons = { FOLD = 17, YES = 27 }
lamps = { 1 = { red = 5, green = 6 }, 3 = { blue = 13 } }
buzzer = 12
"""


def read(text: str) -> TableConfig:
    return parse_config(text, "table.toml", Path("/club"))


def test_a_file_with_everything() -> None:
    config = read(GOOD)
    assert [board.path for board in equipment.boards(config.devices)] == ["/dev/board"]
    (reader,) = equipment.readers(config.readers)
    assert (reader.name, reader.path, reader.targets, reader.antenna) == ("burn", "/dev/reader", 2, 0)
    (desk,) = equipment.readers(config.readers, desk=True)
    assert (desk.name, desk.targets) == ("desk", 1)
    (panel,) = equipment.panels(config.pins)
    assert panel.buttons == {1: 17, 16: 27}
    assert panel.lamps[1].of(2) == (5, 6) and panel.lamps[3].of(4) == (13,)
    assert panel.buzzer == 12 and panel.pull_up and panel.active_high
    assert not config.shoe.on


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        ('[readers.a]\npath = "/dev/x"\n', 1, "lies under no place", "desk = true"),
        ('[readers.a]\npath = "/dev/x; reboot"\n', 2, "readers.a.path", "by-id"),
        ('[readers.a]\npath = "/dev/x"\ntargets = 3\n', 3, "targets", ""),
        ('[readers.a]\npath = "/dev/x"\ntarget = 1\n', 3, "readers.a.target", "targets"),
        (
            '[devices.a]\npath = "/dev/x"\n[readers.b]\npath = "/dev/x"\ndesk = true\n',
            4,
            "devices.a is at this port",
            "port of its own",
        ),
        (
            '[devices.a]\npath = "/dev/x"\n[readers.a]\npath = "/dev/y"\ndesk = true\n',
            3,
            "has this name",
            "rename",
        ),
        (
            '[readers.a]\npath = "/dev/x"\n[antennas]\n0 = "burn"\n',
            4,
            "on which reader",
            "write a:0",
        ),
        ('[readers.a]\npath = "/dev/x"\n[antennas]\n"a:1" = "burn"\n', 4, "one antenna", "a:0"),
        ('[readers.a]\npath = "/dev/x"\n[antennas]\n"b:0" = "burn"\n', 4, "no device 'b'", "one of a"),
        (
            '[readers.a]\npath = "/dev/x"\ndesk = true\n[antennas]\n"a:0" = "burn"\n',
            5,
            "enrolment desk",
            "readers.a.desk",
        ),
        ("[pins.p]\nbuttons = { FLOD = 4 }\n", 2, "'FLOD'", "'FOLD'"),
        ("[pins.p]\nbuttons = { FOLD = 28 }\n", 2, "pins.p.buttons", ""),
        ("[pins.p]\nbuttons = { FOLD = 4, CALL = 4 }\n", 1, "GPIO4 is given to FOLD and to CALL", "its own"),
        ("[pins.p]\nlamps = { 1 = { red = 4 } }\nbuzzer = 4\n", 1, "lamp 1 red and to buzzer", ""),
        ("[pins.p]\nlamps = { first = { red = 4 } }\n", 2, "number first", "seat"),
        ("[pins.p]\nbuzzer = 4\n[pins.q]\nbuzzer = 5\n", 1, "one panel", "into one"),
        ("[shoe]\non = true\n", 2, "no board", "[devices]"),
    ],
)
def test_what_no_table_can_have_is_refused_with_its_line(text: str, line: int, what: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert caught.value.where == f"table.toml:{line}"
    assert what in caught.value.what
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("device", "doubtful"),
    [("board", ["deck"]), ("burn", ["burn"]), ("front", []), ("desk", [])],
)
def test_what_is_in_doubt_while_a_device_is_away(device: str, doubtful: list[str]) -> None:
    config = read(GOOD)
    apart = equipment.apart(config.devices, config.readers, config.pins)
    fusion = Fusion(Tags({}, {}), Coverage(config.antennas, "board", apart=apart), config.timing)
    fusion.feed(DeviceState(t=1.0, device=device, state="lost", code="unplugged"))
    assert [doubt.place for doubt in fusion.doubts] == doubtful
    assert {doubt.reason for doubt in fusion.doubts} <= {"device_lost"}
    fusion.feed(DeviceState(t=2.0, device=device, state="ready"))
    assert fusion.doubts == ()


DOCUMENT = Path(__file__).parents[2] / "docs" / "building-a-table.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_what_the_document_shows_can_be_used(block: str) -> None:
    assert read(block) != TableConfig()


def test_the_drawing_is_there_and_every_seat_reaches_a_muck() -> None:
    drawing = (DOCUMENT.parent / "images" / "antennas.svg").read_text(encoding="utf-8")
    boxes = re.findall(
        r'<rect x="(-?\d+)" y="(-?\d+)" width="(\d+)" height="(\d+)" rx.*\n<text[^>]*>([^<]+)<', drawing
    )
    at = [(name, int(x) + int(w) / 2, int(y) + int(h) / 2) for x, y, w, h, name in boxes]
    mucks = [(x, y) for name, x, y in at if name == "défausse"]
    seats = [(x, y) for name, x, y in at if name.isdecimal()]
    assert (len(mucks), len(seats)) == (2, 10)
    assert max(min(math.dist(seat, muck) for muck in mucks) for seat in seats) <= 650
