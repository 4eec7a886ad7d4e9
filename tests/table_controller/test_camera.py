"""A real table's loop with the camera's process beside it: what the camera sees is asked, and the loop never waits."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.camera_stage import calibrate, lens_of
from firmware_bridge.clock import TableClock
from firmware_bridge.observations import DeviceState, Tick
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.world import World, make_deck
from table_controller.camera import Eye
from table_controller.config import ConfigError, load_config, parse_config
from table_controller.fusion.sightings import Sighted
from table_controller.table import Table
from vision.calibration import save
from vision.sightings import CameraState, Sighting

DEADLINE = 40.0


class Box:
    """A queue that keeps what is put in."""

    def __init__(self) -> None:
        self.items: list[object] = []

    def put(self, item: object) -> None:
        self.items.append(item)


def test_what_the_camera_says_of_itself_is_told_when_it_changes() -> None:
    box = Box()
    eye = Eye(TableClock(5.0), box)
    for trouble in ("", "", "black", "black", "lost", "", "decks"):
        eye.take(CameraState(trouble=trouble))
    said = [item for item in box.items if isinstance(item, DeviceState)]
    assert [(s.state, s.code) for s in said] == [
        ("ready", ""),
        ("degraded", "camera_black"),
        ("lost", "camera_lost"),
        ("ready", ""),
        ("degraded", "camera_decks"),
    ]
    assert all(s.hint for s in said if s.code) and all(s.t == 5.0 for s in said)


def test_why_a_moved_camera_does_not_find_its_markers_is_told_once() -> None:
    box = Box()
    eye = Eye(TableClock(5.0), box)
    for detail in ("", "", "3 markers in a row", "2 markers seen", ""):
        eye.take(CameraState(trouble="moved", detail=detail))
    eye.take(CameraState(trouble=""))
    said = [(s.code, s.detail) for s in box.items if isinstance(s, DeviceState)]
    assert said == [("camera_moved", ""), ("camera_moved", "3 markers in a row"), ("", "")]


def test_a_sighting_gets_table_time_and_keeps_its_age() -> None:
    box = Box()
    clock = TableClock(5.0)
    Eye(clock, box).take(Sighting(kind="arrived", track=1, at=77.0, age=0.25, zone="seat3"))
    (seen,) = [item for item in box.items if not isinstance(item, Tick)]
    assert isinstance(seen, Sighted) and (seen.t, seen.seen_at) == (5.0, 4.75)


def test_the_file_names_the_camera() -> None:
    text = '[camera]\nsource = "http://127.0.0.1:8081/stream"\nfps = 10\n'
    config = parse_config(text, "table.toml", Path("/club"))
    assert config.camera.source == "http://127.0.0.1:8081/stream" and config.camera.fps == 10
    assert config.camera.calibration == "/club/camera.json"
    assert parse_config("", "table.toml", Path("/club")).camera.source is None
    with pytest.raises(ConfigError, match=r"table\.toml:2.*sorce"):
        parse_config('[camera]\nsorce = "/dev/video0"\n', "table.toml", Path("/club"))


def wait(until: Callable[[], bool]) -> bool:
    end = time.monotonic() + DEADLINE
    while not until() and time.monotonic() < end:
        threading.Event().wait(0.02)
    return until()


def test_the_table_runs_on_while_its_camera_goes_and_comes(tmp_path: Path) -> None:
    world = World({"red": make_deck("red", 7, random.Random(1))}, ())
    scene = Scene(world)
    save(calibrate(scene, lens_of(scene)), tmp_path / "camera.json")
    camera = Camera(scene)
    with CameraServer(camera, fps=8) as server:
        path = tmp_path / "table.toml"
        path.write_text(f'[camera]\nsource = "{server.url}"\nfps = 8\n')
        table = Table(load_config(path))
        states: list[str] = []
        table.start()
        try:

            def watch(running: object) -> None:
                table.watch(
                    lambda: (
                        states.append(table._showing._device_states["camera"].state)
                        if "camera" in table._showing._device_states
                        else None
                    )
                )

            table.do(watch).result(DEADLINE)
            assert wait(lambda: "ok" in states)
            camera.strike("unplugged")
            assert wait(lambda: "lost" in states)
            # the loop answers at once, camera or not
            assert table.do(lambda running: running.now).result(5.0) >= 0
            del states[:]
            camera.heal()
            assert wait(lambda: "ok" in states)
        finally:
            table.close()
    table.check()
