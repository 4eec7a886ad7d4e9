"""What can be told to a simulated table: in its file, at moments of a scenario, at run time through the real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Controller, Driver

from benchmarks.memory_table import MemoryPlay
from hw_sim import control
from hw_sim.bench import Bench
from hw_sim.config import random_table, read_config
from hw_sim.control import Control, Cue, check, tell
from hw_sim.errors import ConfigError, SimError
from hw_sim.faults import Faults
from hw_sim.neglect import KINDS, Neglect
from hw_sim.script import RandomHands, Stakes

ROOT = Path(__file__).parents[2]
SEATS = {1: 5000, 4: 5000, 6: 5000}
CONFIG = """
seed = 7
speed = 20
contact_s = 60

[random]
players = 3
stack = 5000
count = 1
"""


def written(tmp_path: Path, more: str = "", top: str = "") -> Path:
    path = tmp_path / "sim.toml"
    path.write_text(top + CONFIG + more)
    return path


# -- the file ----------------------------------------------------------------------------------------------------


def test_the_file_says_what_is_broken_and_what_people_do(tmp_path: Path) -> None:
    more = """
[faults]
miss = 0.02
"metal@seat3" = 1
unplug = true

[slips]
rate = 0.005
tells = 0.5

[neglect]
usual = true
raked = 0
held_off = 0.25

[[scenario]]
at = 12.5
tell = "strike reboot"

[[scenario]]
hand = 2
tell = "slip extra"
"""
    config = read_config(written(tmp_path, more))
    assert config.faults == Faults.parse("miss=0.02,metal@seat3,unplug")
    assert (config.slips.rate, config.slips.tells) == (0.005, 0.5)
    assert config.neglect == Neglect.usual().changed("raked=0,held_off=0.25")
    assert config.scenario == (Cue("strike reboot", at=12.5), Cue("slip extra", hand=2))


def test_the_file_takes_the_words_of_the_command_line_too(tmp_path: Path) -> None:
    top = 'faults = "edge=0.1"\nslips = "expose:7"\nneglect = "lifted=0.3"\n'
    config = read_config(written(tmp_path, top=top))
    assert config.faults == Faults(edge=0.1)
    assert [str(slip) for slip in config.slips.of_hand(1, 3)] == ["expose:7"]
    assert config.neglect == Neglect(lifted=0.3)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("[faults]\nmist = 1", "no fault is called 'mist'"),
        ('[faults]\nmiss = "much"', "wrong type"),
        ("[neglect]\nlifting = 1", "did you mean lifted"),
        ("[neglect]\nlifted = 2", "0 to 1"),
        ("[slips]\nrat = 1", "did you mean rate"),
        ('[slips]\nplan = "expose"', "is no slip"),
        ('[slips]\nplan = "extra"\nrate = 0.1', "either a plan or a rate"),
        ('[[scenario]]\ntell = "strike reboot"', "no moment"),
        ('[[scenario]]\nat = 1\nhand = 1\ntell = "strike reboot"', "no moment"),
        ('[[scenario]]\nat = 1\ntell = "strike lightning"', "no event"),
        ('[[scenario]]\nwhen = 1\ntell = "status"', "unknown key 'when'"),
    ],
)
def test_what_makes_no_sense_in_the_file_is_refused(tmp_path: Path, more: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        read_config(written(tmp_path, more))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "dance",
        "fault",
        "fault mist=1",
        "fault miss = 1",
        "strike",
        "strike unplug soon",
        "strike unplug 1 2",
        "slip 0.5",
        "slip sneeze",
        "slips expose",
        "neglect lifted",
        "neglect raking=1",
        "cover seat3",
        "cover seat3 wood",
        "cover hand metal",
        "slide bet1",
    ],
)
def test_what_nobody_can_be_told(line: str) -> None:
    with pytest.raises(ConfigError):
        check(line)


# -- run time ------------------------------------------------------------------------------------------------------


def played(tmp_path: Path, lines: tuple[Cue, ...], count: int = 1, **more: Any) -> list[dict[str, Any]]:
    """Play random hands with this scenario; give the truth."""
    config = random_table(
        tmp_path,
        seats=SEATS,
        stakes=Stakes(50, 100),
        seed="c",
        count=count,
        speed=0,
        settle_s=0.0,
        contact_s=20.0,
        scenario=lines,
        **more,
    )
    with Bench(config) as bench:
        controller = Controller(bench, RandomHands("c", lambda: Stakes(50, 100), button=6, count=count))
        controller.start()
        try:
            bench.run()
        finally:
            controller.stop()
        assert all(result.ok for result in bench.results)
    return [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]


def test_a_scenario_is_told_at_its_moments_and_is_in_the_truth(tmp_path: Path) -> None:
    cues = (
        Cue("neglect lifted=1", at=0.0),
        Cue("fault dup_frame=0.2", at=3.0),
        Cue("strike stall 1.5", hand=2),
        Cue("neglect none", hand=2),
    )
    truth = played(tmp_path, cues, count=2)
    second = next(line["t"] for line in truth if line["what"] == "hand_begin" and line["hand"] == 2)
    assert {line["t"] <= second for line in truth if line["what"] == "neglect"} == {True}
    assert [line["t"] for line in truth if line["what"] == "faults"] == [3.0]
    [stall] = [line for line in truth if line["what"] == "fault"]
    assert (stall["name"], stall["seconds"], stall["t"]) == ("stall", 1.5, second)


@pytest.mark.parametrize("kind", KINDS)
def test_every_neglect_is_in_the_truth_with_its_place(tmp_path: Path, kind: str) -> None:
    config = random_table(
        tmp_path,
        seats=SEATS,
        stakes=Stakes(50, 100),
        seed="c",
        count=2,
        neglect=Neglect(**{kind: 1.0 if kind in ("blind", "flying") else 0.5}),
    )
    with MemoryPlay(config) as play:
        play.play()
        assert len(play.bench.results) == 2
    truth = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    told = [line for line in truth if line["what"] == "neglect"]
    begun = [line for line in truth if line["what"] == "hand_begin"]
    if kind == "held_stub":
        assert True in {line["held_stub"] for line in begun}
        assert {line["held_by"] in SEATS for line in begun if line["held_stub"]} == {True}
    elif kind == "blind":
        assert [line["blind"] for line in begun] == [True, True]
    else:
        assert {line["kind"] for line in told} == {kind}
        assert all("seat" in line or "street" in line for line in told)


def test_cards_held_off_are_on_no_antenna_until_they_are_thrown_in_or_shown(tmp_path: Path) -> None:
    seen: list[tuple[bool, int, int]] = []
    config = random_table(
        tmp_path,
        seats=SEATS,
        stakes=Stakes(50, 100),
        seed="c",
        count=3,
        speed=0,
        settle_s=0.0,
        contact_s=20.0,
        neglect=Neglect(held_off=1.0),
    )
    with Bench(config) as bench:

        def look() -> None:
            hand = bench.table.hand
            for seat in hand.off if hand is not None else ():
                cards = bench.world.cards(f"seat{seat}")
                read = bench.tags.read(seat, bench.agenda.now).uids
                seen.append((seat in (hand.shown if hand is not None else ()), len(cards), len(read)))
            bench.agenda.after(0.5, look)

        bench.agenda.after(0.5, look)
        controller = Controller(bench, RandomHands("c", lambda: Stakes(50, 100), button=6, count=3))
        controller.start()
        try:
            bench.run()
        finally:
            controller.stop()
        assert all(result.ok for result in bench.results)
    held = [read for shown, cards, read in seen if not shown and cards]
    assert held
    assert set(held) == {0}


def wait_for(done: Callable[[], bool], seconds: float = 20.0) -> None:
    pause = threading.Event()
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "waited in vain"
        pause.wait(0.02)


def test_a_deep_directory_has_a_control_too(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90) / ("e" * 90)
    deep.mkdir(parents=True)
    with Control(deep / control.NAME, lambda line: line.upper()):
        assert tell(deep / control.NAME, "fault miss=1") == "FAULT MISS=1"
    with pytest.raises(OSError, match="No such file"):
        Control(deep / "none" / control.NAME, str)
    with pytest.raises(SimError, match="no simulated table listens"):
        tell(deep / control.NAME, "status")


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[tuple[Path, Driver]]:
    """The real simulator's process, and a driver that has opened its line."""
    path = written(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "maldonne", "sim", "--config", str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            wait_for(lambda: (tmp_path / "sim" / "mcu").is_symlink() and process.poll() is None)
            driver = Driver(tmp_path / "sim" / "mcu")
            try:
                driver.send("HELLO?")
                driver.until(lambda: bool(driver.of("HELLO")) and len(driver.sets) > 30)
                yield path, driver
            finally:
                driver.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def test_the_running_process_is_told_faults(simulator: tuple[Path, Driver], capsys: Any) -> None:
    from maldonne.cli import main

    path, driver = simulator

    def said(line: str) -> str:
        assert main(["sim", "--config", str(path), "--tell", line]) == 0
        return str(capsys.readouterr().out).strip()

    assert said("faults") == "none"
    assert said("fault ghost=1") == "ghost=1"
    driver.until(lambda: any(driver.sets[antenna] for antenna in range(1, 11)))
    assert said("fault ghost=0") == "none"
    boots = len(driver.of("HELLO"))
    assert said("strike reboot") == "reboot"
    driver.until(lambda: len(driver.of("HELLO")) > boots)
    assert said("neglect lifted=0.3") == "lifted=0.3"
    assert said("slip extra") == "extra"
    assert said("cover board metal") == "0 cards"
    assert "faults: none" in said("status")
    assert main(["sim", "--config", str(path), "--tell", "fault mist=1"]) != 0
    assert "mist" in capsys.readouterr().err
