"""The firmware's codec on the golden vectors, under CPython and under real MicroPython, both ways."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from firmware_package import ROOT
from firmware_rig import MICROPYTHON

RUN = Path(__file__).with_name("golden_run.py")
GOLDEN = ROOT / "tests" / "golden" / "serial" / "frames.jsonl"
INTERPRETERS = [
    pytest.param([sys.executable, "-B"], id="cpython"),
    pytest.param([MICROPYTHON], id="micropython"),
]


def _run(interpreter: list[str | Path], vectors: Path) -> dict[str, str]:
    done = subprocess.run(
        [*interpreter, RUN, ROOT / "firmware_bridge", vectors], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_golden_vector(interpreter: list[str | Path]) -> None:
    names = [json.loads(line)["name"] for line in GOLDEN.read_text().splitlines()]
    results = _run(interpreter, GOLDEN)
    assert list(results) == names
    assert {name: result for name, result in results.items() if result != "ok"} == {}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_wrong_vector_is_noticed(interpreter: list[str | Path], tmp_path: Path) -> None:
    vectors = {}
    for line in GOLDEN.read_text().splitlines():
        vector = json.loads(line)
        vectors.setdefault(vector["kind"], vector)
    vectors["frame"]["seq"] += 1
    vectors["stream"]["bad"] += 1
    vectors["refused"]["nak"] = 2
    vectors["unencodable"]["fields"] = {"line": 0, "text": "short"}
    vectors["digest"]["crc"] = 1
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("".join(json.dumps(vector) + "\n" for vector in vectors.values()))
    results = _run(interpreter, wrong)
    assert len(results) == 5
    assert "ok" not in results.values()
