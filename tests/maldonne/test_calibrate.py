"""``maldonne calibrate``: sheets at true size, a file from one picture, a table checked place by place."""

from __future__ import annotations

import random
import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.camera_stage import Stage
from hw_sim.camera_scene import Scene
from hw_sim.world import World, make_deck
from maldonne import calibrate
from maldonne.cli import main
from vision.calibration import Markers, load
from vision.frames import EndOfRecording, Frame
from vision.zones import Zones


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("camera") / "table.png"
    world = World({"red": make_deck("red", 7, random.Random(1))}, ())
    cv2.imwrite(str(path), Scene(world).picture(0.0))
    return path


def test_one_picture_of_the_markers_is_enough(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, drawn = tmp_path / "camera.json", tmp_path / "zones.png"
    assert main(["calibrate", str(picture), "--output", str(out), "--picture", str(drawn)]) == 0
    said = capsys.readouterr().out
    assert "Markers: 8" in said and "32 pixels" in said
    calibration = load(out)
    assert Zones(calibration.zones).at(0, 10).name == "board" and len(calibration.markers) == 8
    image, before = cv2.imread(str(drawn)), cv2.imread(str(picture))
    assert image.shape == before.shape and np.count_nonzero((image != before).any(axis=2)) > 5000


def test_a_picture_without_markers_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "dark.png"
    cv2.imwrite(str(path), np.zeros((720, 1280, 3), np.uint8))
    assert main(["calibrate", str(path), "--output", str(tmp_path / "camera.json")]) == 1
    said = capsys.readouterr().err
    assert "0 markers seen" in said and said.count("\n") == 1
    assert not (tmp_path / "camera.json").exists()


@pytest.mark.parametrize("words", [[], ["x.png", "--marker-mm", "5"], ["x.png", "--seats", "11"]])
def test_bad_options_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_sheet_is_a_pdf_with_every_marker_at_its_size(tmp_path: Path) -> None:
    path = tmp_path / "markers.pdf"
    assert main(["calibrate", "--sheet", str(path), "--markers", "10", "--marker-mm", "60"]) == 0
    data = path.read_bytes()
    assert data.startswith(b"%PDF-1.4") and data.rstrip().endswith(b"%%EOF")
    assert data.count(b"/Type /Page ") == 3
    sizes = re.findall(rb"q ([\d.]+) 0 0 ([\d.]+) ", data)
    assert [round(float(w) * 25.4 / 72, 1) for w, _ in sizes][:10] == [60.0] * 10
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    assert data[start : start + 4] == b"xref"
    for line in data[start:].splitlines()[3:]:
        if not line.endswith(b"n "):
            break
        assert re.match(rb"\d+ 0 obj", data[int(line[:10]) :])


class Replayed:
    """What a stage shows, as a source of pictures."""

    live = False

    def __init__(self, stage: Stage, places: list[str]) -> None:
        self.stage = stage
        self.places = list(places)
        self.left = 30

    def read(self, within: float) -> Frame:
        stage = self.stage
        if (
            stage.t > 0.8
            and self.places
            and len(stage.world.cards("air")) == 0
            and round(stage.t * 15) % 12 == 0
        ):
            place = self.places.pop(0)
            face = "up" if place == "board" else "down"
            stage.play(stage.motions.card("dealer", stage.world.top(), place, face, "test"))
        if not self.places:
            self.left -= 1
            if self.left < 0:
                raise EndOfRecording("over")
        stage.picture()
        return Frame(stage.camera.picture(stage.t), stage.t, 1, stage.t)


def test_table_ready_is_green_where_a_card_was_seen_and_red_elsewhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = Stage()
    stage.world.put_deck()
    stage.world.take_deck()
    source = Replayed(stage, ["seat1", "seat6", "board", "burn"])
    status = calibrate._ready(source, stage.calibration, "en", 60.0, stage.oracle)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    green = set(re.findall(r"GREEN +(\w+)", said))
    red = set(re.findall(r"RED +(\w+)", said))
    assert {"seat1", "seat6", "board", "burn"} <= green and "seat3" in red and not green & red
    assert status == 1
    assert len(Markers().find(stage.scene.picture(0.0))) == 8
