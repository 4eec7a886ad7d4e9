"""The plane from printed squares alone, from any three of them, the lens from a board; and the file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.camera_stage import Stage, calibrate, lens_of
from hw_sim.camera_place import MARKER_MM, Mount, markers
from hw_sim.camera_scene import Scene
from hw_sim.world import World
from vision.calibration import (
    CalibrationError,
    MarkerAt,
    Markers,
    calibrate_lens,
    charuco_board,
    in_a_row,
    learn_layout,
    load,
    save,
    solve_plane,
)
from vision.sightings import CameraState

POINTS = np.array([[0.0, 0.0], [700.0, 300.0], [-700.0, 300.0], [0.0, -400.0]])


def scene(**mount: float) -> Scene:
    return Scene(World({"red": []}, ()), mount=Mount(**mount))  # type: ignore[arg-type]


@pytest.mark.parametrize("mount", [{}, {"y": 600.0}, {"x": 300.0, "above": 2300.0}])
def test_markers_of_one_size_give_the_table_in_millimetres(mount: dict[str, float]) -> None:
    subject = scene(**mount)
    found = Markers().find(subject.picture(0.0))
    layout, plane, error = learn_layout(found, MARKER_MM, lens_of(subject))
    assert error < 1.0 and len(layout) == len(found)
    true = {marker.id: marker for marker in markers()}
    assert all(abs(m.x - true[m.id].x) < 3 and abs(m.y - true[m.id].y) < 3 for m in layout)
    seen = plane.to_mm(subject.lens.pixels(np.c_[POINTS, np.zeros(4)]))
    assert np.hypot(*(seen - POINTS).T).max() < 2.5
    assert np.abs(plane.to_mm(plane.to_pixels(POINTS)) - POINTS).max() < 0.1


def test_any_three_markers_not_in_a_row_hold_the_plane_within_five_millimetres() -> None:
    subject = scene()
    lens = lens_of(subject)
    found = Markers().find(subject.picture(0.0))
    layout, plane, _ = learn_layout(found, MARKER_MM, lens)
    pixels = plane.to_pixels(POINTS / 2)
    worst, rows = 0.0, []
    for three in combinations(sorted(found), 3):
        solved = solve_plane({number: found[number] for number in three}, layout, MARKER_MM, lens)
        if solved is None:
            rows.append(three)  # three in a row: what was known holds
            continue
        worst = max(worst, float(np.hypot(*(solved[0].to_mm(pixels) - plane.to_mm(pixels)).T).max()))
    assert worst < 5.0 and len(rows) <= 12, rows


def test_a_marker_that_was_shifted_is_outvoted() -> None:
    subject = scene()
    lens = lens_of(subject)
    found = Markers().find(subject.picture(0.0))
    layout, plane, _ = learn_layout(found, MARKER_MM, lens)
    wrong = dict(found) | {3: found[3] + 15.0}
    solved = solve_plane(wrong, layout, MARKER_MM, lens)
    assert solved is not None
    pixels = plane.to_pixels(POINTS)
    assert np.hypot(*(solved[0].to_mm(pixels) - POINTS).T).max() < 2.0


def row_of(layout: tuple[MarkerAt, ...]) -> tuple[int, ...]:
    """Three markers that lie in a row."""
    return next(tuple(each.id for each in three) for three in combinations(layout, 3) if in_a_row(three))


def test_markers_in_a_row_with_one_that_was_shifted_give_no_plane() -> None:
    subject = scene()
    lens = lens_of(subject)
    found = Markers().find(subject.picture(0.0))
    layout, _, _ = learn_layout(found, MARKER_MM, lens)
    row = row_of(layout)
    other = next(
        number
        for number in found
        if number not in row and not in_a_row([marker for marker in layout if marker.id in (*row, number)])
    )
    seen = {number: found[number] for number in row} | {other: found[other] + 40.0}
    assert solve_plane(seen, layout, MARKER_MM, lens) is None


def covered(stage: Stage, keep: tuple[int, ...]) -> None:
    """Lay an elbow on every marker but these."""
    stage.scene.over[:] = [(m.x, m.y, 75.0) for m in markers() if m.id not in keep]


@pytest.mark.parametrize("keep", [(0, 3, 6), (1, 2, 5), (4, 6, 7)])
def test_any_three_markers_hold_the_plane_and_make_it_anew_after_the_stand_was_moved(
    keep: tuple[int, ...],
) -> None:
    stage = Stage()
    stage.run(0.5)
    covered(stage, keep)
    before = stage.watcher.plane
    stage.run(2.0)
    assert stage.watcher.plane is before and stage.trouble == ""
    stage.camera.strike("moved")
    stage.run(3.0)
    anew = stage.watcher.plane
    assert stage.trouble == "" and anew is not before and anew is not None and before is not None
    stage.scene.over.clear()
    found = Markers().find(stage.camera.picture(stage.t))
    off = {m.id: anew.to_mm(found[m.id]).mean(axis=0) - (m.x, m.y) for m in stage.calibration.markers}
    assert (
        max(float(np.hypot(*each)) for each in off.values()) < 10.0
    )  # on the rail itself, the far end of it


def test_three_in_a_row_never_remake_the_plane_and_it_is_said_why() -> None:
    stage = Stage()
    stage.run(0.5)
    before = stage.watcher.plane
    covered(stage, row_of(stage.calibration.markers))
    stage.camera.strike("moved")
    stage.run(3.0)
    assert stage.watcher.plane is before and stage.trouble == "moved"
    said = [m.detail for m in stage.messages if isinstance(m, CameraState) and m.trouble == "moved"]
    assert "in a row" in said[-1]
    stage.scene.over.clear()
    stage.run(2.5)
    assert stage.watcher.plane is not before and stage.trouble == ""
    last = [m for m in stage.messages if isinstance(m, CameraState)][-1]
    assert last.detail == ""


def test_two_markers_are_too_few() -> None:
    subject = scene()
    found = Markers().find(subject.picture(0.0))
    layout, _, _ = learn_layout(found, MARKER_MM)
    assert solve_plane({number: found[number] for number in (1, 2)}, layout, MARKER_MM) is None


@pytest.mark.parametrize(("keep", "what"), [((0, 1, 2), "3 markers"), ((1, 2, 3, 4, 5), "marker 0")])
def test_what_cannot_be_learned_is_said(keep: tuple[int, ...], what: str) -> None:
    found = Markers().find(scene().picture(0.0))
    with pytest.raises(CalibrationError, match=what):
        learn_layout({number: found[number] for number in keep}, MARKER_MM)


def board_pictures(count: int, focal: float, bend: float) -> list[np.ndarray]:
    """The board held before a camera in different ways."""
    flat = charuco_board(30.0).generateImage((1400, 1000), marginSize=0)
    matrix = np.array([[focal, 0, 640], [0, focal, 360], [0, 0, 1.0]])
    rng = np.random.default_rng(1)
    columns, rows = np.meshgrid(np.arange(1280.0), np.arange(720.0))
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(pixels, matrix, np.array([bend, 0, 0, 0, 0.0])).reshape(-1, 2)
    made = []
    for _ in range(count):
        turn, _ = cv2.Rodrigues(rng.uniform(-0.45, 0.45, 3))
        shift = np.array([rng.uniform(-150, -60), rng.uniform(-110, -40), rng.uniform(260, 420)])
        # a pixel's ray meets the board's plane z = 0
        plane = np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], shift]))
        on = np.c_[rays, np.ones(len(rays))] @ plane.T
        x, y = (on[:, i] / on[:, 2] * 1400 / 210 for i in (0, 1))
        at = (x.reshape(720, 1280).astype(np.float32), y.reshape(720, 1280).astype(np.float32))
        grey = cv2.remap(flat, *at, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=200)
        made.append(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR))
    return made


def test_the_lens_from_pictures_of_the_board() -> None:
    lens = calibrate_lens(board_pictures(8, 1000.0, -0.12))
    assert lens.fx == pytest.approx(1000.0, rel=0.01) and lens.cx == pytest.approx(640.0, abs=8)
    assert lens.distortion[0] == pytest.approx(-0.12, abs=0.03) and lens.error < 0.5


def test_four_pictures_are_too_few_for_a_lens() -> None:
    with pytest.raises(CalibrationError, match="five are needed"):
        calibrate_lens(board_pictures(4, 1000.0, -0.1))


def test_the_file_comes_back_as_it_went(tmp_path: Path) -> None:
    calibration = calibrate(Stage().scene)
    path = tmp_path / "camera.json"
    save(calibration, path)
    assert load(path) == calibration
    assert [each.name for each in tmp_path.iterdir()] == ["camera.json"]


@pytest.mark.parametrize("text", ["", "{}", '{"version": 2}', '{"size": [1280, 720], "lens": 3}'])
def test_a_file_that_is_none_is_refused_with_the_next_step(tmp_path: Path, text: str) -> None:
    path = tmp_path / "camera.json"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=r"camera\.json.*maldonne calibrate"):
        load(path)
