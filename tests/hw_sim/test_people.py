"""People play recorded and random hands by the orders of a controller that only knows the wire."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Controller

from hw_sim.bench import Bench
from hw_sim.config import layout, recorded_table

HANDS = Path(__file__).parents[3] / "shared" / "data" / "phh"
EXPECTED: dict[str, Any] = (
    json.loads((HANDS / "expected.json").read_text())["hands"] if (HANDS / "expected.json").exists() else {}
)


def bench_of(tmp_path: Path, paths: list[Path], table: str = "chips+cards", **more: Any) -> Bench:
    return Bench(
        recorded_table(
            tmp_path, paths, seed="1", layout=layout(table), speed=0, settle_s=0.0, contact_s=10.0, **more
        )
    )


def play(bench: Bench) -> Controller:
    controller = Controller(bench, bench.config.source.scripts)
    controller.start()
    try:
        bench.run()
    finally:
        controller.stop()
    return controller


@pytest.mark.skipif(not EXPECTED, reason="recorded hands are not here")
def test_all_recorded_hands_end_as_recorded(tmp_path: Path) -> None:
    paths = sorted((HANDS / "hands").glob("*.phh"))
    with bench_of(tmp_path, paths) as bench:
        play(bench)
        assert len(bench.results) == len(paths) == 66
