"""The line of a setting in a TOML text: devices by name, lists over several lines, the second of several tables."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.config import ConfigError, parse_config
from table_controller.settings_text import find_line

FILE = """# a table
[game]  # "[mqtt]" in a remark is none
rulebook = "standard # not a remark"
ante = { kind = "classic", amount = 10 }
seats = [
  { seat = 1, entry = "e1", stack = 100 },
  # nobody at 2
  { seat = 3, entry = "e3",
    stack = 200 },
]

[devices.left]
path = "/dev/left"
[devices.right]
path = "/dev/right"
baud = 9600

[[levels]]
minutes = 20
[[levels]]
minutes = 10
small_blind = 5
[mqtt]
host = '''
[levels]
minutes = 3'''
port = 1883
tls.ca = "ca.pem"
[antennas]
"left:1" = "seat1"
2 = ["burn",
     "muck"]
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("game",), 2),
        (("game", "rulebook"), 3),
        (("game", "ante", "amount"), 4),
        (("game", "seats"), 5),
        (("game", "seats", 0, "stack"), 6),
        (("game", "seats", 1), 8),
        (("game", "seats", 1, "stack"), 9),
        (("game", "seats", 1, "absent"), 8),
        (("game", "seats", 7), 5),
        (("devices",), 12),
        (("devices", "left", "path"), 13),
        (("devices", "right"), 14),
        (("devices", "right", "baud"), 16),
        (("devices", "left", "baud"), 12),
        (("levels",), 18),
        (("levels", 0, "minutes"), 19),
        (("levels", 1), 20),
        (("levels", 1, "minutes"), 21),
        (("levels", 1, "small_blind"), 22),
        (("levels", 2), 18),
        (("mqtt", "host"), 24),
        (("mqtt", "port"), 27),
        (("mqtt", "tls", "ca"), 28),
        (("antennas", "left:1"), 30),
        (("antennas", "2", 1), 32),
        (("nothing",), 1),
        ((), 1),
    ],
)
def test_the_line_of_a_setting(path: tuple[str | int, ...], line: int) -> None:
    assert find_line(FILE, path) == line


def refused(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        parse_config(text, "table.toml", Path("/srv"))
    return raised.value


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (
            '[devices.a]\npath = "/dev/a"\nbaud = 9600\n[devices.b]\npath = "/dev/b"\nbaud = 300\n',
            6,
            "devices.b.baud",
        ),
        ('[devices.a]\npath = "/dev/a"\n[devices.b]\nbaud = 9600\n', 3, "devices.b"),
        ('[devices.a]\npath = "/dev/a"\n[devices.b]\npath = "/dev/b"\nbuad = 300\n', 5, "devices.b.buad"),
        (
            '[game]\nseats = [\n  { seat = 1, entry = "a" },\n  { seat = 12, entry = "b" },\n]\n',
            4,
            "game.seats.seat",
        ),
        (
            '[game]\nseats = [\n  { seat = 1, entry = "a" },\n  { seat = 2, entri = "b" },\n]\n',
            4,
            "game.seats.entri",
        ),
        (
            '[game]\nseats = [\n  { seat = 1, entry = "a" },\n  { seat = 1, entry = "b" },\n]\n',
            4,
            "seat 1 is given twice",
        ),
        (
            "[[levels]]\nminutes = 20\nsmall_blind = 5\nbig_blind = 10\n[[levels]]\nminutes = 0\n",
            6,
            "levels.minutes",
        ),
        (
            "[[levels]]\nminutes = 20\nsmall_blind = 5\nbig_blind = 10\n[[levels]]\nminuts = 10\n",
            6,
            "levels.minuts",
        ),
        (
            "[[levels]]\nminutes = 20\nsmall_blind = 5\nbig_blind = 10\n\n[[levels]]\nminutes = 10\nsmall_blind = 20\n",
            6,
            "small blind up to the big blind",
        ),
        ('[game]\nlevel = 1\n[antennas]\n1 = "seat1"\n2 = [\n  "burn",\n  7,\n]\n', 7, "antennas.2"),
    ],
)
def test_an_error_names_the_line_where_it_stands(text: str, line: int, what: str) -> None:
    error = refused(text)
    assert what in error.what
    assert error.where == f"table.toml:{line}"


NAMES = st.text("abc", min_size=1, max_size=2)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 9) | st.sampled_from(["x", "#", "[a]", "=", "'", "{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def written(value: Any, pad: str) -> str:
    if isinstance(value, list):
        return f"[{pad}" + f",{pad}".join(written(one, pad) for one in value) + f"{pad}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {written(one, pad)}" for key, one in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=3), st.booleans())
def test_every_setting_of_any_file_is_found_on_its_line(tables: dict[str, Any], spread: bool) -> None:
    pad = "\n  # [x] = 1\n  " if spread else ""
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, settings in tables.items():
        lines.append(f"[{table}]")
        for key, value in settings.items():
            expected[table, key] = len(lines) + 1
            lines += f"{key} = {written(value, pad)}".split("\n")
    text = "\n".join(lines)
    assert tomllib.loads(text).keys() == tables.keys()
    for path, line in expected.items():
        assert find_line(text, path) == line
