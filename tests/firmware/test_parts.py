"""Buttons, lamps, display, scanner and settings by themselves, on a clock that the test turns."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firmware import antennas, display, lamps, scanner, settings
from firmware.buttons import AT_BOOT_MS, CHATTER_CHANGES, QUIET_MS, Buttons
from firmware_package import FIRMWARE


class Panel:
    """Three buttons whose contacts the test moves; polled every two milliseconds."""

    def __init__(self, bits: int = 0) -> None:
        self.ms = 0
        self.bits = bits
        self.told: list[tuple[int, bool, int]] = []
        self.stuck: list[int] = []
        self.buttons = Buttons(
            [4, 5, 6],
            10,
            20_000,
            lambda *told: self.told.append(told),
            lambda number: self.stuck.append(number),
        )

    def run(self, ms: int) -> None:
        end = self.ms + ms
        while self.ms < end:
            self.buttons.poll(self.bits, self.ms)
            self.ms += 2

    def set(self, bit: int, down: bool) -> None:
        self.bits = self.bits | 1 << bit if down else self.bits & ~(1 << bit)


def test_a_level_counts_when_it_has_stood() -> None:
    panel = Panel()
    panel.run(20)
    panel.set(1, True)
    panel.run(8)
    assert panel.told == []
    panel.run(6)
    assert panel.told == [(5, True, 1)]
    for _ in range(5):
        panel.set(1, False)
        panel.run(4)
        panel.set(1, True)
        panel.run(4)
    panel.run(50)
    assert panel.told == [(5, True, 1)]
    panel.set(1, False)
    panel.run(20)
    assert panel.told == [(5, True, 1), (5, False, 2)]
    assert panel.buttons.levels() == [(5, False, 2)]


def test_chatter_is_no_press_and_is_told_once() -> None:
    panel = Panel()
    panel.run(20)
    for _ in range(2000):
        panel.bits ^= 1
        panel.run(2)
    assert panel.told == []
    assert panel.stuck == [4]
    panel.set(0, False)
    panel.run(QUIET_MS + 20)
    panel.set(0, True)
    panel.run(20)
    assert panel.told == [(4, True, 1)]


def test_a_slow_chatter_ends_too() -> None:
    panel = Panel()
    panel.run(20)
    for _ in range(100):
        panel.bits ^= 4
        panel.run(20)
    assert panel.stuck == [6]
    assert len(panel.told) == CHATTER_CHANGES


def test_a_button_held_for_ever() -> None:
    panel = Panel()
    panel.run(20)
    panel.set(0, True)
    panel.run(19_000)
    assert panel.stuck == []
    panel.run(2000)
    assert panel.stuck == [4]
    panel.run(60_000)
    assert (panel.stuck, len(panel.told)) == ([4], 1)
    panel.set(0, False)
    panel.run(QUIET_MS - 100)
    assert len(panel.told) == 1
    panel.run(200)
    assert panel.told == [(4, True, 1), (4, False, 2)]


def test_a_button_down_at_the_start() -> None:
    panel = Panel(bits=0b011)
    panel.run(500)
    panel.set(1, False)  # a finger that happened to lie there
    panel.run(AT_BOOT_MS)
    assert panel.told == []
    assert panel.stuck == [4]
    panel.set(1, True)
    panel.run(20)
    assert panel.told == [(5, True, 1)]


def test_lamps_show_colour_pattern_and_next_place() -> None:
    shown: list[Any] = []
    chain = type("Chain", (), {"write": staticmethod(shown.append)})
    strip = lamps.Lamps(chain, 4, {1: 0, 2: 3}, {3: 1, 11: 2}, 128)
    strip.step(0)
    assert shown == [[(0, 0, 0)] * 4]
    strip.set(1, lamps.RED, lamps.STEADY)
    strip.set(2, lamps.GREEN, lamps.BLINK)
    strip.order(11)
    strip.step(10)
    assert shown[-1] == [(128, 0, 0), (0, 0, 0), (0, 0, 128), (0, 128, 0)]
    strip.step(20)
    assert len(shown) == 2
    strip.step(510)
    assert shown[-1] == [(128, 0, 0), (0, 0, 0), (0, 0, 128), (0, 0, 0)]
    strip.order(3)
    strip.set(1, lamps.OFF, lamps.STEADY)
    strip.step(1010)
    assert shown[-1] == [(0, 0, 0), (0, 0, 128), (0, 0, 0), (0, 128, 0)]
    strip.order(14)
    strip.step(1020)
    assert shown[-1][1:3] == [(0, 0, 0), (0, 0, 0)]


class Glass:
    """A display of two rows that can break."""

    def __init__(self) -> None:
        self.rows = ["", ""]
        self.starts = 0
        self.broken = False

    def start(self) -> None:
        if self.broken:
            raise OSError("scripted")
        self.starts += 1
        self.rows = ["", ""]

    def write(self, row: int, text: str) -> None:
        if self.broken:
            raise OSError("scripted")
        assert len(text) == 10
        self.rows[row] = text


def test_short_lines_stand_and_long_ones_wander() -> None:
    glass, broken = Glass(), []
    panel = display.Display(glass, 2, 10, lambda: broken.append(1))
    panel.show(0, "Brûlée", 0)
    panel.show(1, "0123456789abc", 0)
    seen = []
    for ms in range(0, 12_000, 10):
        panel.step(ms)
        if not seen or seen[-1] != glass.rows[1]:
            seen.append(glass.rows[1])
    assert glass.rows[0] == "Brulee    "
    seen = [text for text in seen if text]
    assert seen[:3] == ["0123456789", "123456789a", "23456789ab"]
    assert "bc   01234" in seen
    assert seen[16] == seen[0]
    assert broken == []


def test_a_broken_display_is_told_once_and_tried_again() -> None:
    glass, broken = Glass(), []
    panel = display.Display(glass, 2, 10, lambda: broken.append(1))
    panel.show(0, "before", 0)
    for ms in range(0, 100, 10):
        panel.step(ms)
    glass.broken = True
    panel.show(0, "meanwhile", 100)
    for ms in range(100, 20_000, 10):
        panel.step(ms)
    assert broken == [1]
    glass.broken = False
    for ms in range(20_000, 26_000, 10):
        panel.step(ms)
    assert glass.rows[0] == "meanwhile "
    assert glass.starts == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Siège n°3", "Siege n?3"), ("À l’œil", "A l'oeil"), ("« 5 € »", '" 5 E "'), ("a\u00a0b", "a b")],
)
def test_letters_that_no_display_has(text: str, shown: str) -> None:
    assert display.plain(text) == shown


class Chip:
    """A reader that takes three steps for an inventory, or answers nothing."""

    def __init__(self) -> None:
        self.silent = False
        self.starts = 0
        self.visits: list[tuple[int, int]] = []

    def start(self) -> Iterator[None]:
        yield
        self.starts += 1
        if self.silent:
            raise OSError("scripted")

    def inventory(self, channel: int, dwell_ms: int) -> Iterator[None]:
        yield
        if self.silent:
            raise scanner.ReaderSilent("scripted")
        yield
        self.visits.append((channel, dwell_ms))
        return [bytes((channel,))], 100  # type: ignore[return-value]


def test_a_round_keeps_its_order_and_its_time() -> None:
    chip, read, silent = Chip(), [], []
    three = [antennas.Antenna(number, 2, number, channel) for number, channel in ((1, 5), (2, 6), (3, 7))]
    work = scanner.Scanner(chip, three, 50, lambda *said: read.append(said), silent.append)
    for ms in range(100):
        work.step(ms)
    assert [each[0].id for each in read] == [1, 2, 3, 1, 2, 3]
    assert [each[3] for each in read] == [1, 1, 1, 2, 2, 2]
    work.plan([(three[2], 20), (three[0], 10), (antennas.Antenna(9, 1, 0, 0), 1)])
    chip.visits.clear()
    for ms in range(100, 200):
        work.step(ms)
    assert chip.visits[-4:] == [(7, 20), (5, 10)] * 2
    assert silent == []


def test_a_silent_chip_is_started_again_and_told_once() -> None:
    chip, read, silent = Chip(), [], []
    only = antennas.Antenna(4, 2, 4, 0)
    work = scanner.Scanner(chip, [only], 10, lambda *said: read.append(said), silent.append)
    for ms in range(100):
        work.step(ms)
    chip.silent = True
    for ms in range(100, 5000):
        work.step(ms)
    assert [antenna.id for antenna in silent] == [4]
    starts, before = chip.starts, len(read)
    chip.silent = False
    for ms in range(5000, 7000):
        work.step(ms)
    assert chip.starts == starts + 1
    assert len(read) > before
    chip.silent = True
    for ms in range(7000, 9000):
        work.step(ms)
    assert len(silent) == 2


def test_sets_have_room_for_so_many_tags() -> None:
    full: list[int] = []
    field = [antennas.Antenna(number, 9, 0, number) for number in range(7)]
    every = antennas.Antennas(field, full.append)
    tags = [number.to_bytes(8, "big") for number in range(250)]
    for antenna in field[:4]:
        assert every.take(antenna, tags[:199], 100, 1, 0) is True
        assert every.take(antenna, tags[:199], 100, 2, 5) is False
    assert every.take(field[4], tags, 100, 1, 0) is True
    assert len(field[4].uids) == antennas.TAGS_PER_ANTENNA
    assert every.take(field[5], tags[:100], 100, 1, 0) is True
    assert len(field[5].uids) == antennas.TAGS_IN_ALL - 4 * 199 - 200
    assert full == [4, 5]
    every.keep([0])
    assert [entry["antenna"] for entry in every.digest()["antennas"]] == [0]
    assert every.take(field[6], tags[:200], 100, 1, 0) is True
    assert len(field[6].uids) == 200


# -- settings ------------------------------------------------------------------------------------------

BOARD = json.loads((FIRMWARE / "board.json").read_text())


def test_the_example_settings_are_good() -> None:
    checked = settings.load(str(FIRMWARE / "board.json"))
    assert checked["serial"] == "MT-0001"
    assert len(checked["readers"][0]["antennas"]) == 14
    assert checked["shoe"]["angles"][12] == 178
    assert settings.bare()["readers"] == []


def _without(path: str) -> Any:
    return _with(path, ...)


def _with(path: str, value: Any) -> Any:
    data = copy.deepcopy(BOARD)
    at: Any = data
    *steps, last = path.split(".")
    for step in steps:
        at = at[int(step)] if isinstance(at, list) else at[step]
    if value is ...:
        del at[last]
    elif isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
    return data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_without("serial"), "serial is missing"),
        (_with("serial", 7), "board.json.serial: must be a text"),
        (_with("line.kind", "radio"), "must be one of usb, uart"),
        (_with("lamp", {}), "there is no setting called lamp"),
        (_with("buzzer.pin", 22), "pin 22 is already board.json.lamps.pin"),
        (_with("buzzer.pin", 30), "must be a pin from 0 to 29"),
        (_with("buzzer.pin", True), "must be a pin"),
        (_with("readers.0.antennas.1.id", 0), "two have the antenna number 0"),
        (_with("readers.0.antennas.1.channel", 16), "channel: must be a number from 0 to 15"),
        (_with("readers.0.antennas", []), "a reader without antennas"),
        (_with("readers.0.spi", 1), "there is no spi bus 1"),
        (_with("readers.0.kind", "pn533"), "must be one of pn532, pn5180"),
        (_with("readers.0.mux.enable", 1), "there is no setting called enable"),
        (_with("buttons.ids.3", 1), "two have the button number 1"),
        (_with("buttons.stuck_ms", 5), "must be a number from 1000"),
        (_with("lamps.lamps.1", 10), "lamps.1: must be a number from 0 to 9"),
        (_with("lamps.lamps.x", 1), "the key must be a number"),
        (_without("shoe.door"), "door is missing"),
        (_with("shoe.angles.13", 5), "the key must be a number from 1 to 12"),
        (_with("shoe.memory", {"kind": "none"}), "must be one of fram, flash"),
        (_with("supply.adc", 2.0), "must be a pin"),
        (_without("i2c"), "i2c is missing"),
        (_with("temperature", 1), "must be true or false"),
        ([], "must be an object"),
    ],
)
def test_settings_that_cannot_be(data: Any, words: str) -> None:
    with pytest.raises(settings.SettingsError) as caught:
        settings.check(data)
    assert words in str(caught.value)
    assert caught.value.code == "bad-settings"
    assert "board.json" in caught.value.hint


def test_a_pn532_needs_a_slow_bus() -> None:
    data = _with("readers.0.kind", "pn532")
    del data["readers"][0]["busy"]
    with pytest.raises(settings.SettingsError, match="at most 5000"):
        settings.check(data)
    data["spi"][0]["khz"] = 5000
    assert settings.check(data)["readers"][0]["reset"] == 21


def test_a_settings_file_that_is_not_there_or_is_no_json(tmp_path: Path) -> None:
    with pytest.raises(settings.SettingsError, match="not there"):
        settings.load(str(tmp_path / "none.json"))
    file = tmp_path / "board.json"
    file.write_text('{"serial": }')
    with pytest.raises(settings.SettingsError, match="not JSON"):
        settings.load(str(file))
