"""`maldonne look`: what it prints, draws and refuses."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from maldonne.cli import main

BOARD = Path(__file__).parent / "pictures" / "board.jpg"


def test_json_is_one_line_a_picture_in_the_contracts_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["look", str(BOARD), "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert record["file"] == str(BOARD)
    assert {card["card"] for card in record["cards"]} == {"Ah", "Td", "Ks", "7c", "2h", "Qc", "9s", None}
    for card in record["cards"]:
        assert card["face"] == ("up" if card["card"] else "down")
        assert 0 <= card["confidence"] <= 1
        assert len(card["corners"]) == 4 and all(len(point) == 2 for point in card["corners"])


def test_text_and_the_drawn_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert main(["look", str(BOARD), "--draw", str(tmp_path / "drawn")]) == 0
    told = capsys.readouterr().out
    assert "8" in told.splitlines()[0] and "Ks" in told
    drawn = cv2.imread(str(tmp_path / "drawn" / "board.png"))
    plain = cv2.imread(str(BOARD))
    assert drawn.shape == plain.shape
    assert bool((drawn != plain).any())


def test_a_video_gives_a_line_for_each_picture_looked_at(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 10, (320, 240))
    for _ in range(11):
        writer.write(np.full((240, 320, 3), 80, np.uint8))
    writer.release()
    assert main(["look", str(file), "--json", "--every", "1"]) == 0
    names = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert names == [f"{file}#0.00", f"{file}#1.00"]


@pytest.mark.parametrize("kind", ["absent", "empty", "no picture", "calibration", "deck"])
def test_bad_input_is_one_line_and_nothing_is_done(
    kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "thing.jpg"
    options = [str(BOARD), str(file)]
    if kind == "empty":
        file.touch()
    elif kind == "no picture":
        file.write_text("uid,card", encoding="utf-8")
        options = [str(file)]
    elif kind == "calibration":
        options = [str(BOARD), "--calibration", str(file)]
    elif kind == "deck":
        options = [str(BOARD), "--deck", str(file)]
    assert main(["look", *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert str(file) in said.err
