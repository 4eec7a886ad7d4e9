"""A typing error in the club's file is found, with its line and the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament_hub.config import HubConfig, load_config, parse_config
from tournament_hub.errors import ConfigError

GOOD = """[club]
id = "lyon"
name = "Poker Club de Lyon"
data = "data"

[broker]
host = "10.0.0.2"
port = 8883
user = "hub"
password_file = "secret"
tls = { ca = "ca.pem" }

[web]
port = 0

[game]
rulebook = "ropta"
small_blind = 100
big_blind = 200
ante = { kind = "big_blind", amount = 200 }

[tables.t1]
name = "Table 1"
seats = [{ seat = 1, entry = "e1", stack = 20000 },
  { seat = 2, entry = "e2" }]

[tables.t2]
small_blind = 50
big_blind = 100
level = 3
"""


def parse(text: str) -> HubConfig:
    return parse_config(text, "hub.toml", Path("/etc/maldonne"))


def test_reads_the_whole_file_and_takes_paths_from_its_folder() -> None:
    config = parse(GOOD)
    assert config.club.data == "/etc/maldonne/data"
    assert config.broker.password_file == "/etc/maldonne/secret"
    assert config.broker.tls is not None and config.broker.tls.ca == "/etc/maldonne/ca.pem"
    assert config.table_name("t1") == "Table 1" and config.table_name("t2") == "t2"


def test_target_of_a_table_takes_the_game_and_its_own_differences() -> None:
    config = parse(GOOD)
    first, second = config.desired("t1"), config.desired("t2")
    assert first.level is not None and (first.level.small_blind, first.level.big_blind) == (100, 200)
    assert first.level.ante.amount == 200 and first.rulebook == "ropta"
    assert [(seat.seat, seat.stack) for seat in first.seats] == [(1, 20000), (2, None)]
    assert second.level is not None
    assert (second.level.small_blind, second.level.big_blind, second.level.n) == (50, 100, 3)


def test_table_without_blinds_has_no_level() -> None:
    assert parse("[tables.t1]\n").desired("t1").level is None


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (("port = 8883", "prot = 8883"), 8, "did you mean 'port'?"),
        (("[game]", "[gaem]"), 16, "did you mean 'game'?"),
        (('entry = "e2"', 'entri = "e2"'), 25, "did you mean 'entry'?"),
        (("ca = ", "caa = "), 11, "did you mean 'ca'?"),
        (("port = 8883", "port = 99999"), 8, "broker.port"),
        (("port = 8883", 'port = "x"'), 8, "broker.port"),
        (("amount = 200", "amount = -1"), 20, "game.ante.amount"),
        (("level = 3", "level = 1.5"), 30, "tables.t2.level"),
        (("seat = 2", "seat = 11"), 25, "seat"),
        (("[tables.t2]", "[tables.T2]"), 27, "cannot stand in a topic"),
        (('id = "lyon"', 'id = "Lyon!"'), 2, "cannot stand in a topic"),
        (("seat = 2", "seat = 1"), 24, "seat 1 is given twice"),
        (('entry = "e2"', 'entry = "e1"'), 24, "entry e1 is given twice"),
        (("small_blind = 50", "small_blind = 500"), 16, "above the big blind"),
        (("[club]", "[club"), 1, "not TOML"),
    ],
)
def test_wrong_setting_is_named_with_its_line(change: tuple[str, str], line: int, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(GOOD.replace(*change))
    assert error.value.where == f"hub.toml:{line}"
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_half_a_pair_is_refused() -> None:
    for text in ('[web]\ncertificate = "c"\n', "[game]\nsmall_blind = 1\n[tables.t1]\n"):
        with pytest.raises(ConfigError):
            parse(text)


def test_file_that_cannot_be_read_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_config(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ConfigError):
        load_config(tmp_path / "latin.toml")
    (tmp_path / "good.toml").write_text(GOOD)
    assert load_config(tmp_path / "good.toml").club.data == str(tmp_path / "data")


def test_nothing_set_is_a_room_on_this_machine_only() -> None:
    config = parse("")
    assert config.web.host == config.broker.host == "127.0.0.1"
    assert config.tables == {}
