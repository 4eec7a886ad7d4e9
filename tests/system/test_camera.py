"""A whole table with antennas and a camera over it: simulated world, real drivers, real vision, real controller."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.camera_stage import calibrate, lens_of
from hw_sim.bench import Bench
from hw_sim.config import BenchConfig, layout, random_table
from hw_sim.script import Stakes
from table_controller import notes
from table_controller.config import load_config
from table_controller.journal import Reading
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
