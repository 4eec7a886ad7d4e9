"""A whole simulated table: its files, its configuration, its life in a thread."""

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Controller

from hw_sim.bench import Bench, main
from hw_sim.config import antennas_for, layout, random_table, read_config
from hw_sim.errors import ConfigError, SimulationStuck
from hw_sim.play import Manners
from hw_sim.script import RandomHands, Stakes, TableView
from hw_sim.world import CARD_NAMES

SEATS = {1: 5000, 4: 5000, 6: 5000}


def config_of(directory: Path, **more: Any) -> Any:
    usual: dict[str, Any] = {"speed": 0, "settle_s": 0.0, "contact_s": 10.0, "count": 1}
    return random_table(directory, seats=SEATS, stakes=Stakes(50, 100), seed="b", **{**usual, **more})


def test_the_files_of_a_table(tmp_path: Path) -> None:
    with Bench(config_of(tmp_path, rulebook="ropta", entries={1: "e17"})) as bench:
        with (tmp_path / "deck.csv").open() as file:
            cards = list(csv.DictReader(file))
        assert {row["deck"] for row in cards} == {"A", "B"}
        assert sorted(row["card"] for row in cards if row["deck"] == "B") == sorted(CARD_NAMES)
        with (tmp_path / "chips.csv").open() as file:
            values = {row["uid"]: int(row["denomination"]) for row in csv.DictReader(file)}
        stack = [values[chip.uid] for chip in bench.world.chips("stack4")]
        assert sum(stack) == 5000
        table = tomllib.loads((tmp_path / "table.toml").read_text())
        game = table["game"]
        assert game["seats"][0] == {"seat": 1, "stack": 5000, "entry": "e17"}
        assert (game["button"], game["small_blind"], game["big_blind"]) == (6, 50, 100)
        assert game["ante"] == {"kind": "none", "amount": 0}
        assert (game["rulebook"], game["betting"], game["chips"]) == ("ropta", "amounts", "sensed")
        assert (game["sensors"], game["light"]) == ("ask", False)
        assert table["antennas"]["11"] == "board"
        assert table["antennas"]["34"] == "stack4"
        assert table["devices"]["mcu"] == {"path": str(tmp_path / "mcu"), "baud": 921600}
        assert table["files"] == {"deck": "deck.csv", "chips": "chips.csv", "journal": "journal.db"}
        assert table["panel"]["buttons"][15] == "YES"
        assert set(table["mqtt"]) == {"host", "port", "club", "table"}
        bench.write_files({"rulebook": "tda2024"})
        again = tomllib.loads((tmp_path / "table.toml").read_text())
        assert again["game"] == game | {"rulebook": "tda2024"}


def test_a_table_without_chips_says_so(tmp_path: Path) -> None:
    with Bench(config_of(tmp_path, layout=layout("seven"))):
        table = tomllib.loads((tmp_path / "table.toml").read_text())
    assert (table["game"]["betting"], table["game"]["chips"]) == ("words", "declared")
    assert "stack" not in table["game"]["seats"][0]
    assert "seat7" in table["antennas"].values()
    assert "seat8" not in table["antennas"].values()
    assert (tmp_path / "chips.csv").read_text() == "uid,denomination\n"


def test_without_chips_nobody_is_ever_out(tmp_path: Path) -> None:
    """A table that does not know its players' chips would deal to them for ever."""
    source = config_of(tmp_path, layout=layout("cards"), count=None).source
    again = source.next_hand(TableView(7, {1: 9000, 4: 0, 6: 0}))
    assert again.stacks == {1: 9000, 4: 5000, 6: 5000}
    source = config_of(tmp_path, count=None).source
    assert source.next_hand(TableView(7, {1: 9000, 4: 0, 6: 0})) is None


def test_antennas_of_a_whole_table() -> None:
    places = [place for antenna in antennas_for(bank=True) for place in antenna.places]
    assert len(places) == len(set(places)) == 10 * 3 + 6
    assert [a.places[0] for a in antennas_for(uncovered=("deck",)) if a.kind == 1] == []


def test_a_bench_in_a_thread_stays_on_until_it_is_stopped(tmp_path: Path) -> None:
    with Bench(config_of(tmp_path)) as bench:
        controller = Controller(bench, RandomHands("b", lambda: Stakes(50, 100), button=6, count=1))
        bench.start()
        controller.start()
        try:
            assert bench.wait(30.0)
            assert bench.results[0].ok
            assert bench.line.path.is_symlink()
            seen: list[float] = []
            bench.call(lambda: seen.append(bench.agenda.now))
            bench.stop()
            assert len(seen) == 1
        finally:
            controller.stop()
        assert not bench.line.path.exists()
    ended = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    last = next(line for line in ended if line["what"] == "hand_end")
    assert last["stacks"] == {str(seat): stack for seat, stack in bench.results[0].after.items()}
    assert set(last) >= {"board", "folds", "winners", "shown"}


def test_what_breaks_in_the_thread_is_raised_by_wait(tmp_path: Path) -> None:
    with Bench(config_of(tmp_path, contact_s=0.05)) as bench:
        bench.start()
        with pytest.raises(SimulationStuck, match="open"):
            bench.wait(10.0)


def test_the_caller_can_tell_when_the_controller_has_settled(tmp_path: Path) -> None:
    asked: list[bool] = []

    def settled() -> bool:
        asked.append(len(asked) % 3 == 2)
        return asked[-1]

    with Bench(config_of(tmp_path), settled=settled) as bench:
        controller = Controller(bench, RandomHands("b", lambda: Stakes(50, 100), button=6, count=1))
        controller.start()
        try:
            bench.run()
        finally:
            controller.stop()
        assert bench.results[0].ok
        assert True in asked


CONFIG = """
seed = 7
speed = 0
contact_s = 10
directory = "t"
table = "cards"
faults = "drop_ack=0.001"
rulebook = "ropta"

[random]
players = 3
stack = 5000
count = 1

[mqtt]
port = 1999
"""


def written(tmp_path: Path, text: str = CONFIG) -> Path:
    path = tmp_path / "sim.toml"
    path.write_text(text)
    return path


def test_a_configuration_is_read(tmp_path: Path) -> None:
    config = read_config(written(tmp_path))
    assert config.directory == tmp_path / "t"
    assert config.stacks == {1: 5000, 2: 5000, 3: 5000}
    assert (config.seed, config.speed, config.rulebook) == ("7", 0.0, "ropta")
    assert config.layout.manners == Manners(betting="words", chips=False)
    assert config.faults.drop_ack == 0.001
    assert (config.mqtt.port, config.mqtt.club) == (1999, "demo")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("speed = 0", "sped = 0", "unknown key 'sped'.*did you mean speed"),
        ("speed = 0", "speed = true", "wrong type"),
        ("speed = 0", "speed = ", "cannot be read"),
        ('table = "cards"', 'table = "pool"', "no table is called 'pool'"),
        ("drop_ack=0.001", "dropack=1", "no fault is called"),
        ("players = 3", "players = 1", "players = 1"),
        ("players = 3", "seats = {12 = 100, 1 = 100}", "1 to 10"),
        ("players = 3", "small_blind = 30", "no multiple of the smallest chip"),
        ("players = 3", 'ante_kind = "some"', "ante_kind"),
        ("stack = 5000", "stack = 5010", "no multiple"),
        ("count = 1", "count = 1\nsmallest_chip = 0", "smallest_chip"),
        ("[random]", "phh = []\n[random]", "either phh or"),
        ("port = 1999", "prt = 1", "unknown key 'prt'"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    assert old in CONFIG
    with pytest.raises(ConfigError, match=reason) as refused:
        read_config(written(tmp_path, CONFIG.replace(old, new, 1)))
    assert refused.value.code == "sim_config"


def test_records_may_be_named_in_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "one.phh").write_text(
        "variant='NT'\nantes=[0,0]\nblinds_or_straddles=[100,50]\nmin_bet=100\nstarting_stacks=[900,1100]\n"
        "actions=['p2 cc','p1 cbr 300','p2 f']\n"
    )
    config = read_config(written(tmp_path, "phh = ['one.phh']\n"))
    assert config.stacks == {1: 900, 2: 1100}
    assert (config.game.big_blind_seat, config.game.button) == (1, 2)


def test_main_plays_and_tells(tmp_path: Path) -> None:
    said: list[str] = []
    controllers: list[Controller] = []

    def say(line: str) -> None:
        said.append(line)
        if not controllers:
            copy = read_config(tmp_path / "sim.toml")
            with Bench(copy) as twin:
                controllers.append(Controller(twin, copy.source))
            controllers[0].start()

    try:
        assert main(written(tmp_path), say) == 0
    finally:
        controllers[0].stop()
    assert "the microcontroller" in said[0]
    assert said[1].startswith("hand 1 1")
    assert said[-1] == "1 hands, 0 with wrong stacks"
