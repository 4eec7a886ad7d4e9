"""A whole table with antennas and a camera over it: simulated world, real drivers, real vision, real controller."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.camera_stage import calibrate, lens_of
from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button
from hw_sim.bench import Bench
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.config import BenchConfig, layout, random_table
from hw_sim.script import Stakes
from hw_sim.world import CARD_NAMES, World, make_deck
from table_controller import notes
from table_controller.config import load_config
from table_controller.journal import Reading
from table_controller.running import Running
from table_controller.table import Table
from vision.calibration import save

HAND_S = 240.0


def config(directory: Path) -> BenchConfig:
    return random_table(
        directory,
        seats={1: 1000, 4: 1000, 7: 1000},
        stakes=Stakes(50, 100),
        seed="7",
        count=1,
        speed=1.0,
        layout=layout("cards"),
    )


def test_the_simulated_table_names_its_camera_for_the_controller(tmp_path: Path) -> None:
    with Bench(replace(config(tmp_path), camera_port=0)) as bench:
        assert bench.camera is not None
        written = tomllib.loads((tmp_path / "table.toml").read_text())
        assert written["camera"] == {"source": bench.camera.url}
        assert load_config(tmp_path / "table.toml").camera.source == bench.camera.url


@pytest.mark.system
@pytest.mark.faults
@pytest.mark.timeout(400)
def test_a_clean_hand_under_the_camera_raises_no_question(tmp_path: Path) -> None:
    with Bench(replace(config(tmp_path), camera_port=0)) as bench:
        assert bench.camera is not None
        scene = bench.camera.camera.scene
        save(calibrate(scene, lens_of(scene)), tmp_path / "camera.json")
        table = Table(load_config(tmp_path / "table.toml"), online=False)
        table.start(30.0)
        try:
            bench.start()
            assert bench.wait(HAND_S)
        finally:
            table.close()
        table.check()
        assert [result.number for result in bench.results] == [1]
    with Reading.of(tmp_path / "journal.db") as journal:
        noted = [notes.decode(entry.body) for entry in journal.entries() if entry.kind == "note"]
        told = [row.payload for row in journal.messages()]
    assert [note for note in noted if isinstance(note, notes.Asked)] == []
    assert any(b'"camera"' in payload for payload in told)


class Dealt:
    """A real table that has nothing but a camera, and the world that the camera looks at."""

    def __init__(self, table: Table, world: World) -> None:
        self.table = table
        self.world = world
        self.presses = 0

    def press(self, name: str) -> None:
        """Somebody presses a button."""
        number = next(number for number, known in BUTTONS.items() if known == name)
        for down in (True, False):
            self.presses += 1
            count = self.presses

            def pressed(running: Running, down: bool = down, count: int = count) -> None:
                seen = Button(t=running.now, device="board", id=number, pressed=down, count=count, gap=False)
                running.take(seen)

            self.table.do(pressed).result(WITHIN)

    def well(self) -> bool:
        """Whether the camera's process has said that it is well."""
        states = self.table._showing._device_states
        return "camera" in states and states["camera"].state == "ok"

    def dealt(self) -> dict[int, int]:
        """How many cards the engine has at each seat."""
        found: dict[int, int] = self.table.do(
            lambda running: {seat: each.dealt for seat, each in running.state.seats.items()}
        ).result(WITHIN)
        return found

    def readable(self) -> bool:
        """Whether people have had the time to read what is asked: who presses before means something else."""
        read: bool = self.table.do(
            lambda running: running.now > running._asked[1] + running.fusion.reaction
        ).result(WITHIN)
        return read

    def question(self) -> str:
        """What the table asks now."""
        asked: str = self.table.do(
            lambda running: running.question.ruling.incident if running.question is not None else ""
        ).result(WITHIN)
        return asked


WITHIN = 60.0


@pytest.mark.timeout(180)
def test_an_exposed_card_in_the_deal_is_asked_and_ruled_by_the_camera_alone(
    tmp_path: Path, wait_until: Callable[..., None]
) -> None:
    rng = random.Random(11)
    world = World({"red": make_deck("red", 7, rng)}, ())
    scene = Scene(world, seed=11)
    save(calibrate(scene, lens_of(scene)), tmp_path / "camera.json")
    world.stack_deck("red", rng.sample(CARD_NAMES, 52))
    with CameraServer(Camera(scene), fps=8) as server:
        (tmp_path / "table.toml").write_text(
            '[game]\nrulebook = "ropta"\nsensors = "ask"\nbetting = "rounds"\nsmall_blind = 50\nbig_blind = 100\n'
            "level = 1\nsmallest_chip = 25\nbutton = 7\n"
            'seats = [{ seat = 1, entry = "e1" }, { seat = 4, entry = "e4" }, { seat = 7, entry = "e7" }]\n'
            f'[camera]\nsource = "{server.url}"\nfps = 8\n[files]\njournal = "table.journal"\n',
            encoding="utf-8",
        )
        table = Table(load_config(tmp_path / "table.toml"), online=False)
        table.start(30.0)
        try:
            at = Dealt(table, world)
            wait_until(at.well, "the camera is well")
            at.press("CUT")
            for number, seat in enumerate((1, 4, 7, 1)):
                world.move_card(world.top(), f"seat{seat}", face="down")
                wait_until(lambda n=number: sum(at.dealt().values()) > n, f"card {number + 1} is dealt")
            world.move_card(world.top(), "seat4", face="up")
            wait_until(lambda: at.question() != "", "the table asks")
            assert at.question() == "card_exposed_in_deal"
            wait_until(at.readable, "the question is read")
            at.press("YES")
            assert at.question() == ""
        finally:
            table.close()
        table.check()
    with Reading.of(tmp_path / "table.journal") as journal:
        noted = [notes.decode(entry.body) for entry in journal.entries() if entry.kind == "note"]
        told = b"".join(row.payload for row in journal.messages())
    (asked,) = [note for note in noted if isinstance(note, notes.Asked)]
    assert (asked.incident, asked.place, asked.evidence) == ("card_exposed_in_deal", "seat4", ("camera",))
    assert b'"incident":"card_exposed_in_deal"' in told
