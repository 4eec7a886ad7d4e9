"""``maldonne doctor`` on real drivers: a reader and pins that are there, a board that is not, a table that runs."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.camera_stage import calibrate, lens_of
from firmware_bridge.errors import DEFINED
from hw_sim.bench import Bench
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.config import layout, random_table
from hw_sim.gpio import Header, Pins
from hw_sim.pn532 import Pad, Pn532
from hw_sim.script import Stakes
from hw_sim.world import World, make_deck
from maldonne.cli import main
from table_controller.config import load_config, parse_config
from table_controller.doctor import Difference, Finding, read_health, unlike
from table_controller.doctor.health_file import path_of
from table_controller.table import Table
from vision.calibration import save


def write(folder: Path, text: str) -> str:
    file = folder / "table.toml"
    file.write_text(text)
    return str(file)


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    yield


def test_each_device_with_its_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], english: None
) -> None:
    file = write(
        tmp_path,
        f'[devices.felt]\npath = "{tmp_path}/none"\n'
        f'[readers.burn]\npath = "{tmp_path}/burn"\n[readers.desk]\npath = "{tmp_path}/gone"\ndesk = true\n'
        '[antennas]\n1 = "seat1"\n"burn:0" = "burn"\n[pins.front]\nbuttons = { YES = 17 }\n',
    )
    with Pins(Header("pi5")), Pn532(tmp_path / "burn", Pad("04A1B2C3D4E5F6")):
        assert main(["doctor", "--config", file, "--json", "--within", "5"]) == 1
        rows = {row["device"]["name"]: row["device"] for row in told(capsys)}
        assert {name: row["state"] for name, row in rows.items()} == {
            "felt": "lost",
            "burn": "ready",
            "desk": "lost",
            "front": "ready",
        }
        assert rows["felt"]["code"] == rows["desk"]["code"] == "port-absent"
        assert rows["felt"]["next"] == DEFINED["port-absent"].hint
        assert "PN532" in rows["burn"]["version"]
        assert rows["burn"]["errors"] == 0.0 and rows["burn"]["last_seen"] is not None
        assert [row["well"] for row in rows.values()] == [False, True, False, True]
        assert main(["doctor", "--config", file]) == 1
    text = capsys.readouterr().out
    assert "board felt: away" in text and "reader burn: ready" in text and "enrolment desk desk: away" in text
    assert f"  next: {DEFINED['port-absent'].hint}" in text
    assert text.splitlines()[-1] == "To look at: 2."


def test_a_table_where_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    file = write(tmp_path, f'[readers.burn]\npath = "{tmp_path}/burn"\n[antennas]\n"burn:0" = "burn"\n')
    with Pn532(tmp_path / "burn", Pad()):
        assert main(["doctor", "--config", file]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Tout va bien."
    assert main(["doctor", "--config", write(tmp_path, "")]) == 0
    assert "aucun appareil" in capsys.readouterr().out


def test_a_file_of_cards_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], english: None
) -> None:
    file = write(tmp_path, '[files]\ndeck = "deck.csv"\n')
    (tmp_path / "deck.csv").write_text("uid,card,deck\n04A1,Ah,red\n")
    assert main(["doctor", "--config", file]) == 1
    assert "deck.csv:2" in capsys.readouterr().out


@pytest.mark.parametrize("options", [("--within", "0"), ("--config", "none.toml")])
def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    assert main(["doctor", "--config", write(tmp_path, ""), *options]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_doctor_of_a_table_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], english: None
) -> None:
    config = random_table(
        tmp_path, seats={1: 500, 2: 500}, stakes=Stakes(5, 10, smallest_chip=5), seed="d", count=1,
        layout=layout("seven"),
    )  # fmt: skip
    file = tmp_path / "table.toml"
    with Bench(config) as bench:
        lines = file.read_text().splitlines()
        # the board says seat 3 where the file says the muck, and the file leaves one antenna out
        lines = ['3 = "muck"' if line == '3 = "seat3"' else line for line in lines if line != '4 = "seat4"']
        file.write_text("\n".join(lines))
        with Table(load_config(file), online=False) as table:
            bench.start()
            table.devices.wait_ready(20.0)
            journal = Path(table.config.files.journal)
            table._health._due = 0.0
            table.step(0.1)
            assert main(["doctor", "--config", str(file), "--json"]) == 1
            rows = told(capsys)
            bench.stop()
        assert read_health(journal) is None, "the file goes with the table"
    (board,) = [row["device"] for row in rows if "device" in row]
    assert (board["name"], board["state"], board["well"]) == ("mcu", "ready", True)
    differences = [row["difference"] for row in rows if "difference" in row]
    assert differences == [
        {"antenna": "mcu:3", "file": ["muck"], "board": "seat3"},
        {"antenna": "mcu:4", "file": [], "board": "seat4"},
    ]


def test_a_file_that_a_dead_program_left_is_not_believed(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert read_health(journal) is None
    path_of(journal).write_text(json.dumps({"pid": 2**22 - 1, "devices": []}))
    assert read_health(journal) is None
    path_of(journal).write_text(json.dumps({"pid": os.getpid(), "devices": []}))
    assert read_health(journal) == ()
    os.utime(path_of(journal), (1, 1))
    assert read_health(journal) is None
    path_of(journal).write_text("{")
    assert read_health(journal) is None


def test_every_defined_error_has_a_next_step_in_both_languages() -> None:
    for code in DEFINED:
        finding = Finding(name="x", kind="board", path="/dev/x", state="lost", code=code)
        for lang in ("fr", "en"):
            assert finding.what(lang) and finding.next_step(lang)
        assert finding.next_step("fr") != finding.next_step("en")


def test_many_errors_are_not_well() -> None:
    finding = Finding(name="x", kind="reader", path="/dev/x", state="ready", code="", errors=0.1)
    assert not finding.well


def test_antennas_of_a_board_that_said_nothing_are_no_difference(tmp_path: Path) -> None:
    config = parse_config('[devices.a]\npath = "/dev/a"\n[antennas]\n1 = "seat1"\n', "t", tmp_path)
    silent = Finding(name="a", kind="board", path="/dev/a", state="lost", code="port-absent")
    assert unlike(config, [silent]) == []
    spoke = Finding(name="a", kind="board", path="/dev/a", state="ready", code="", antennas=((2, "seat", 2),))
    assert unlike(config, [spoke]) == [
        Difference(antenna="a:1", file=("seat1",), board=""),
        Difference(antenna="a:2", file=(), board="seat2"),
    ]


# -- the camera ------------------------------------------------------------------------------------------------


@pytest.fixture
def filmed(tmp_path: Path) -> Iterator[tuple[Camera, str, str]]:
    """A table with nothing but a camera: the camera, its stream and the folder of its file."""
    scene = Scene(World({"red": make_deck("red", 7, random.Random(1))}, ()))
    save(calibrate(scene, lens_of(scene)), tmp_path / "camera.json")
    camera = Camera(scene)
    with CameraServer(camera, fps=10) as server:
        yield camera, server.url, write(tmp_path, f'[camera]\nsource = "{server.url}"\n')


def test_a_camera_that_sees_its_table_is_well(
    filmed: tuple[Camera, str, str], capsys: pytest.CaptureFixture[str], english: None
) -> None:
    _, url, file = filmed
    assert main(["doctor", "--config", file, "--json"]) == 0
    (row,) = told(capsys)
    camera = row["camera"]
    assert camera["well"] and (camera["width"], camera["height"]) == (1280, 720)
    assert camera["markers"] == camera["of"] >= 4
    assert main(["doctor", "--config", file]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"camera {url}: ready" and said[-1] == "All is well."


@pytest.mark.parametrize("fault", ["black", "overexposed", "defocused"])
def test_what_is_wrong_with_the_picture_and_what_to_do(
    fault: str, filmed: tuple[Camera, str, str], capsys: pytest.CaptureFixture[str], english: None
) -> None:
    camera, _, file = filmed
    camera.strike(fault)
    assert main(["doctor", "--config", file]) == 1
    said = capsys.readouterr().out
    assert f"camera_{'blurred' if fault == 'defocused' else fault}" in said and "the picture is" in said


def test_a_camera_that_is_not_there_a_table_it_does_not_know_and_a_deck_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], english: None
) -> None:
    (tmp_path / "red.npz").write_bytes(b"no deck")
    file = write(tmp_path, '[camera]\nsource = "http://127.0.0.1:9/"\ndecks = ["red.npz"]\n')
    assert main(["doctor", "--config", file, "--within", "1"]) == 1
    said = capsys.readouterr().out
    assert "lost" in said and "plug the camera in" in said
    assert "this is no enrolled deck" in said and str(tmp_path / "red.npz") in said
    assert "show" in said or "enrol" in said
