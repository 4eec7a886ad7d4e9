"""table.toml: what is set is taken, what is mistyped is named with its line and the nearest word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from table_controller.config import BUTTONS, ConfigError, TableConfig, load_config, parse_config

FOLDER = Path("/srv/club")


def parsed(text: str) -> TableConfig:
    return parse_config(text, "table.toml", FOLDER)


def refused(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parsed(text)
    return caught.value


# -- what is taken -----------------------------------------------------------------------------------------


def test_the_example_of_the_module_is_a_good_file() -> None:
    import table_controller.config as module

    example = re.search(r"```toml\n(.*?)```", module.__doc__ or "", re.DOTALL)
    assert example is not None
    config = parsed(example[1])
    assert config.antennas == {"1": ("seat1",), "12": ("burn", "muck")}
    assert config.devices["board"].baud == 921_600
    assert [stage.level is None for stage in config.stages] == [False, True]
    assert config.stages[0].level is not None and config.stages[0].level.n == 1


def test_an_empty_file_is_a_table_in_light_mode_that_believes_its_boards() -> None:
    config = parsed("")
    assert config.antennas is None
    assert (config.game.betting, config.light) == ("rounds", True)
    assert config.panel.buttons == tuple(BUTTONS)
    assert config.game.sensors == "ask"


@pytest.mark.parametrize(
    ("game", "betting", "light"),
    [
        ("", "rounds", True),
        ('betting = "amounts"', "amounts", False),
        ('betting = "words"', "words", False),
        ('betting = "rounds"', "rounds", True),
        ("light = false", "amounts", False),
        ("light = true", "rounds", True),
        ('betting = "rounds"\nlight = false', "rounds", False),
        ('chips = "sensed"', "amounts", False),
    ],
)
def test_light_mode_where_nothing_tells_the_bets(game: str, betting: str, light: bool) -> None:
    config = parsed(f'[game]\n{game}\n[files]\nchips = "chips.csv"\n')
    assert (config.game.betting, config.light) == (betting, light)


def test_paths_are_taken_from_the_folder_of_the_file() -> None:
    config = parsed(
        '[game]\nrulebook = "club.toml"\n[files]\ndeck = "deck.csv"\njournal = "/var/t1.journal"\n'
        '[mqtt]\npassword_file = "secret"\ntls = { ca = "ca.pem", key = "../key.pem" }\n'
    )
    assert config.game.rulebook == "/srv/club/club.toml"
    assert config.files.deck == "/srv/club/deck.csv"
    assert config.files.journal == "/var/t1.journal"
    assert config.files.chips is None
    assert config.mqtt.password_file == "/srv/club/secret"
    assert config.mqtt.tls is not None
    assert config.mqtt.tls.ca == "/srv/club/ca.pem"
    assert config.mqtt.tls.certificate is None
    assert config.page.folder == "/srv/club/page"


def test_the_id_of_a_packaged_book_is_no_path() -> None:
    assert parsed('[game]\nrulebook = "ropta"\n').game.rulebook == "ropta"


def test_the_files_own_target_has_the_form_of_the_hubs() -> None:
    desired = parsed(
        '[game]\nlevel = 3\nsmall_blind = 100\nbig_blind = 200\nante = { kind = "big_blind", amount = 200 }\n'
        'smallest_chip = 25\nseats = [{ seat = 4, entry = "e4", stack = 9000, absent = true }]\n'
    ).desired()
    assert (desired.epoch, desired.rev) == (0, 0)
    assert desired.level is not None
    assert (desired.level.n, desired.level.small_blind, desired.level.big_blind) == (3, 100, 200)
    assert (desired.level.ante.kind, desired.level.ante.amount) == ("big_blind", 200)
    assert [(s.seat, s.entry, s.stack, s.absent) for s in desired.seats] == [(4, "e4", 9000, True)]
    assert desired.smallest_chip == 25


def test_without_blinds_there_is_no_level() -> None:
    assert parsed("[game]\nlevel = 3\n").desired().level is None


def test_levels_are_numbered_past_the_breaks() -> None:
    stages = parsed(
        "[[levels]]\nminutes = 20\nsmall_blind = 50\nbig_blind = 100\n[[levels]]\nminutes = 10\n"
        "[[levels]]\nminutes = 15\nsmall_blind = 100\nbig_blind = 200\n"
    ).stages
    assert [stage.level.n if stage.level else None for stage in stages] == [1, None, 2]
    assert [stage.minutes for stage in stages] == [20, 10, 15]


def test_one_place_may_stand_without_brackets_and_a_number_may_name_its_board() -> None:
    config = parsed(
        '[devices.a]\npath = "/dev/a"\n[devices.b]\npath = "/dev/b"\n'
        '[antennas]\n"a:0" = "seat1"\n"b:254" = ["burn", "muck"]\n'
    )
    assert config.antennas == {"a:0": ("seat1",), "b:254": ("burn", "muck")}


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "key", "near"),
    [
        ("[gaem]\nlevel = 1\n", 1, "gaem", "game"),
        ("[game]\nlevel = 1\nsmal_blind = 50\n", 3, "game.smal_blind", "small_blind"),
        ('[game]\n\nante = { kidn = "classic" }\n', 3, "game.ante.kidn", "kind"),
        ('[game]\n\nseats = [{ seat = 1, entri = "e1" }]\n', 3, "game.seats.entri", "entry"),
        ('[devices.board]\npath = "/dev/x"\nbuad = 9600\n', 3, "devices.board.buad", "baud"),
        ("[files]\n# a remark\ndek = 'deck.csv'\n", 3, "files.dek", "deck"),
        ('[mqtt]\nhost = "h"\nprot = 1883\n', 3, "mqtt.prot", "port"),
        ('[mqtt.tls]\nca = "c"\nkye = "k"\n', 3, "mqtt.tls.kye", "key"),
        ("[timing]\nrset = 1.5\n", 2, "timing.rset", "rest"),
        ("[page]\nrotat = 180\n", 2, "page.rotat", "rotate"),
        ("[[levels]]\nminuts = 20\n", 2, "levels.minuts", "minutes"),
    ],
)
def test_an_unknown_key_names_its_line_and_the_nearest_one(text: str, line: int, key: str, near: str) -> None:
    error = refused(text)
    assert error.where == f"table.toml:{line}"
    assert repr(key) in error.what
    assert error.hint == f"did you mean {near!r}?"
    assert error.code == "table_config"


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ('[game]\nlevel = 1\nbetting = "amount"\n', 3, "game.betting"),
        ('[game]\nsensors = "shout"\n', 2, "game.sensors"),
        ("[game]\nsmallest_chip = 0\n", 2, "game.smallest_chip"),
        ("[game]\nlevel = -1\n", 2, "game.level"),
        ("[game]\nsmall_blind = 0\nbig_blind = 0\n", 3, "game.big_blind"),
        ("[game]\nbutton = 11\n", 2, "game.button"),
        ('[game]\nlight = "yes"\n', 2, "game.light"),
        ("[page]\non = true\nport = 65536\n", 3, "page.port"),
        ("[page]\nrotate = 90\n", 2, "page.rotate"),
        ('[page]\nlanguage = "de"\n', 2, "page.language"),
        ('[mqtt]\nhost = ""\n', 2, "mqtt.host"),
        ("[mqtt]\nport = 0\n", 2, "mqtt.port"),
        ('[mqtt]\nalone = "sulk"\n', 2, "mqtt.alone"),
        ("[timing]\npatience = 1\nrest = 0\n", 3, "timing.rest"),
        ("[timing]\nrest = 61\n", 2, "timing.rest"),
        ("[timing]\nrest = nan\n", 2, "timing.rest"),
        ("[panel]\nlamps = 1\n", 2, "panel.lamps"),
    ],
)
def test_a_value_out_of_bounds_names_its_key_and_line(text: str, line: int, key: str) -> None:
    error = refused(text)
    assert error.what.startswith(f"{key}: ")
    assert error.where == f"table.toml:{line}"


@pytest.mark.parametrize(("key", "value"), [("path", '""'), ("baud", "300"), ("baud", "5000000")])
def test_a_board_out_of_bounds_is_refused(key: str, value: str) -> None:
    settings = {"path": '"/dev/x"', key: value}
    error = refused("[devices.board]\n" + "".join(f"{name} = {what}\n" for name, what in settings.items()))
    assert key in error.what and "devices" in error.what


@pytest.mark.parametrize(
    "text", ["[game]\nbutton = 10\n", "[page]\nport = 0\n", "[timing]\nrest = 60\n", "[mqtt]\nport = 65535\n"]
)
def test_the_bounds_themselves_are_taken(text: str) -> None:
    parsed(text)


@pytest.mark.parametrize(
    ("text", "line", "said", "hint"),
    [
        (
            '[game]\nlevel = 1\nseats = [{ seat = 1, entry = "a" }, { seat = 1, entry = "b" }]\n',
            3,
            "seat 1",
            "",
        ),
        ('[game]\nseats = [{ seat = 1, entry = "a" }, { seat = 2, entry = "a" }]\n', 2, "entry a", ""),
        ("[game]\nsmall_blind = 50\n", 1, "one blind without the other", ""),
        ("[game]\nsmall_blind = 200\nbig_blind = 100\n", 2, "above the big blind", ""),
        ("[game]\nlevel = 1\n[[levels]]\nminutes = 10\n", 3, "begins with a break", ""),
        ("[[levels]]\nminutes = 10\nsmall_blind = 5\n", 1, "levels", ""),
        ('[game]\nbetting = "words"\nlight = true\n', 3, "game.light", 'betting = "rounds"'),
        ('[game]\nbutton = 3\nseats = [{ seat = 1, entry = "a" }]\n', 2, "nobody sits there", ""),
        ('[game]\nlevel = 1\nchips = "sensed"\n', 3, "no file names the chips", "files.chips"),
        (
            '[game]\nbetting = "words"\nchips = "sensed"\n[files]\nchips = "c.csv"\n',
            2,
            "amounts are not recorded",
            'betting = "amounts"',
        ),
        ('[panel]\nlamps = true\nbuttons = ["FOLD", "CHEK"]\n', 3, "'CHEK'", "did you mean 'CHECK'?"),
        ('[mqtt]\nhost = "h"\nclub = "Lyon Sud"\n', 3, "'Lyon Sud' cannot stand in a topic", "a-z"),
        ('[mqtt]\ntable = "t/1"\n', 2, "'t/1' cannot stand in a topic", ""),
        ('[antennas]\n1 = "seat1"\n2 = "bord"\n', 3, "'bord'", "did you mean 'board'?"),
        ('[antennas]\n1 = "seat11"\n', 2, "'seat11'", "did you mean 'seat1'?"),
        ("[antennas]\n1 = []\n", 2, "names no place", ""),
        ('[antennas]\n1 = ["seat1", "bet1"]\n', 2, "cards or chips, not both", ""),
        ('[antennas]\n3 = "seat3"\n255 = "seat1"\n', 3, "no antenna has this number", "0 to 254"),
        ('[antennas]\nboard = "board"\n', 2, "no antenna has this number", ""),
        (
            '[devices.board]\npath = "/dev/x"\n[antennas]\n"bord:1" = "seat1"\n',
            4,
            "no device 'bord'",
            "did you mean 'board'?",
        ),
        (
            '[devices.a]\npath = "/dev/a"\n[devices.b]\npath = "/dev/b"\n[antennas]\n7 = "seat1"\n',
            6,
            "on which board?",
            "write a:7",
        ),
    ],
)
def test_what_no_single_field_can_say(text: str, line: int, said: str, hint: str) -> None:
    error = refused(text)
    assert said in error.what
    assert hint in error.hint
    assert error.where == f"table.toml:{line}"


def test_text_that_is_no_toml_names_the_line() -> None:
    error = refused("[game]\nlevel = 1\nsmall_blind 50\n")
    assert error.where == "table.toml:3"
    assert "not TOML" in error.what


# -- files -------------------------------------------------------------------------------------------------


def test_a_file_is_read_with_its_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('[files]\ndeck = "deck.csv"\n', encoding="utf-8")
    assert load_config(path).files.deck == str(tmp_path / "deck.csv")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tabel.toml"
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load_config(path)
    assert caught.value.where == str(path)
    assert caught.value.hint == "check the path"


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes('[mqtt]\nclub = "évry"\n'.encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8") as caught:
        load_config(path)
    assert caught.value.where == str(path)


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[game]\nlevl = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.where == f"{path}:2"
    assert str(path) in str(caught.value) and "did you mean 'level'?" in str(caught.value)
