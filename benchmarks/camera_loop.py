"""Whether the camera makes the table's loop wait: how long a deed takes in it, without the camera, with it, and with
every fault of it one after the other and its process killed.

python -m benchmarks.camera_loop [--seconds N]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.camera_stage import calibrate, lens_of
from hw_sim.camera import FAULTS, Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.world import World, make_deck
from table_controller.config import load_config
from table_controller.table import Table
from vision.calibration import save


def break_it(camera: Camera | None, table: Table, over: threading.Event) -> None:
    """Every fault for two seconds, a second between them, and the camera's process killed, until it is over."""
    if camera is None:
        return
    for fault in (*FAULTS, "killed") * 100:
        if fault != "killed":
            camera.strike(fault)
        elif table.camera is not None and table.camera.pid is not None:
            os.kill(table.camera.pid, signal.SIGKILL)
        if over.wait(2.0):
            return
        camera.heal()
        if over.wait(1.0):
            return


def waits(folder: Path, text: str, seconds: float, broken: Camera | None = None) -> list[float]:
    """Milliseconds that deeds took in the loop, one every twentieth of a second."""
    folder.mkdir()
    (folder / "table.toml").write_text(text, encoding="utf-8")
    table = Table(load_config(folder / "table.toml"), online=False)
    table.start(30.0)
    took: list[float] = []
    pause, over = threading.Event(), threading.Event()
    breaker = threading.Thread(target=break_it, args=(broken, table, over))
    try:
        pause.wait(3.0)
        breaker.start()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.perf_counter()
            table.do(lambda running: running.now).result(30.0)
            took.append((time.perf_counter() - began) * 1000)
            pause.wait(0.05)
    finally:
        over.set()
        breaker.join()
        table.close()
    return took


def main() -> int:
    """Measure both, in one run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    world = World({"red": make_deck("red", 7, random.Random(1))}, ())
    scene = Scene(world)
    with tempfile.TemporaryDirectory() as directory, CameraServer(Camera(scene), fps=15) as server:
        folder = Path(directory)
        save(calibrate(scene, lens_of(scene)), folder / "camera.json")
        camera = f'[camera]\nsource = "{server.url}"\ncalibration = "{folder / "camera.json"}"\n'
        for name, text, broken in (
            ("without", "", None),
            ("with", camera, None),
            ("broken", camera, server.camera),
        ):
            took = sorted(waits(folder / name, text, options.seconds, broken))
            p99 = took[int(0.99 * (len(took) - 1))]
            print(
                f"{name:8} camera: {len(took)} deeds, median {statistics.median(took):.2f} ms, "
                f"p99 {p99:.1f} ms, longest {took[-1]:.1f} ms"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
