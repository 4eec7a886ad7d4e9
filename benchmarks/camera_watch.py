"""How fast one picture after the other is watched: decoded, gated, searched, read, followed; written to docs/camera.md.

    python -m benchmarks.camera_watch [--pictures N] [--write]

The pictures of a deal are drawn and packed beforehand (1280×720, JPEG, 30 a second); what is measured is what the
camera's process does with each of them, in time of its processor (other programs on the machine do not count).
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks.camera_stage import Stage
from benchmarks.figures import write
from hw_sim.camera_scene import dealer_hand
from vision.calibration import Calibration
from vision.detect import find_cards
from vision.frames import Frame
from vision.watcher import Watcher

MARK: Final = ("<!-- watch -->", "<!-- /watch -->")
FPS: Final = 30.0


def recorded(count: int) -> tuple[Stage, list[tuple[float, bytes]]]:
    """A deal and what comes after it, as JPEG pictures with their times."""
    stage = Stage(seed=5, fps=FPS, find=lambda frame, **more: ())
    shots: list[tuple[float, bytes]] = []
    seats = itertools.cycle(range(1, 9))
    stage.run(0.5)
    waits = 0
    while len(shots) < count:
        if waits <= 0 and len(stage.world.cards("hand")) > 20:
            stage.scene.hands.append(dealer_hand(150.0, 345.0, stage.t, stage.t + 0.15))
            seat = next(seats)
            stage.play(stage.motions.card("dealer", stage.world.top(), f"seat{seat}", "down", "watch"))
            waits = 16
        waits -= 1
        stage.picture()
        done, packed = cv2.imencode(".jpg", stage.camera.picture(stage.t), [cv2.IMWRITE_JPEG_QUALITY, 88])
        if done:
            shots.append((stage.t, packed.tobytes()))
    return stage, shots


def measure(
    calibration: Calibration, shots: Sequence[tuple[float, bytes]]
) -> tuple[list[float], list[float]]:
    """Milliseconds of processor time and of real time that each picture took."""
    watcher = Watcher(calibration, find_cards)
    worked: list[float] = []
    passed: list[float] = []
    for number, (t, packed) in enumerate(shots):
        began, real = time.process_time(), time.perf_counter()
        image = np.asarray(cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        watcher.feed(Frame(image, t, number, t))
        worked.append(1000 * (time.process_time() - began))
        passed.append(1000 * (time.perf_counter() - real))
    return worked[1:], passed[1:]  # the first picture is searched whole


def lines(worked: list[float], passed: list[float], seldom: list[float]) -> Iterator[str]:
    """The table of docs/camera.md.

    Args:
        worked: Milliseconds of processor time of each picture, all of them watched.
        passed: The same in real time.
        seldom: Of processor time, every second one watched: 15 a second.
    """
    yield ""
    yield f"{len(worked)} pictures of 1280×720, 30 a second, while cards are dealt every half second; the first, searched whole, left out."
    yield ""
    yield "| what | target | processor time | real time (this machine, other programs running) |"
    yield "|---|---|---|---|"
    cells = []
    for values in (worked, passed):
        high = sorted(values)[int(0.95 * (len(values) - 1))]
        mean = statistics.fmean(values)
        cells.append(
            f"mean {mean:.0f} ms, median {statistics.median(values):.0f}, p95 {high:.0f}; {1000 / mean:.0f} a second"
        )
    yield f"| a picture | ≥ 30 a second, p95 < 66 ms | {cells[0]} | {cells[1]} |"
    share = statistics.fmean(seldom) * FPS / 2 / 1000
    yield f"| share of one core at 15 a second | ≤ 1 | {share:.2f} | – |"
    yield ""


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pictures", type=int, default=450)
    parser.add_argument("--write", action="store_true", help="write the figures into docs/camera.md")
    options = parser.parse_args()
    cv2.setNumThreads(1)  # as the camera's process does
    stage, shots = recorded(options.pictures)
    worked, passed = measure(stage.calibration, shots)
    seldom, _ = measure(stage.calibration, shots[::2])
    text = "\n".join(lines(worked, passed, seldom)) + "\n"
    print(text)
    if options.write:
        write(text, Path(__file__).resolve().parent.parent / "docs" / "camera.md", MARK)
    return 0


if __name__ == "__main__":
    sys.exit(main())
