"""The camera's process: it tells what it sees over a pipe, comes back after a fall, and its camera after an unplug."""

from __future__ import annotations

import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from benchmarks.camera_stage import calibrate, lens_of
from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_scene import Scene
from hw_sim.world import CARD_NAMES, World, make_deck
from vision.calibration import save
from vision.process import CameraProcess, CameraSettings
from vision.sightings import CameraState, Message, Sighting, decode

DEADLINE = 40.0
BACK = 5.0


def scene() -> Scene:
    world = World({"red": make_deck("red", 7, random.Random(1))}, ())
    world.stack_deck("red", CARD_NAMES)
    return Scene(world)


def until(said: queue.SimpleQueue[Message], wanted: Callable[[Message], bool]) -> Message:
    """Wait for a message."""
    end = time.monotonic() + DEADLINE
    while (left := end - time.monotonic()) > 0:
        message = said.get(timeout=left)
        if wanted(message):
            return message
    raise AssertionError("it was not said in time")


def trouble(name: str) -> Callable[[Message], bool]:
    return lambda message: isinstance(message, CameraState) and message.trouble == name


@pytest.fixture
def said() -> queue.SimpleQueue[Message]:
    return queue.SimpleQueue()


def test_the_camera_is_lost_and_back_and_the_child_falls_and_is_back(
    said: queue.SimpleQueue[Message], tmp_path: Path
) -> None:
    subject = scene()
    save(calibrate(subject, lens_of(subject)), tmp_path / "camera.json")
    camera = Camera(subject)
    with CameraServer(camera, fps=10) as server:
        settings = CameraSettings(source=server.url, calibration=str(tmp_path / "camera.json"))
        process = CameraProcess(settings, said.put)
        process.start()
        try:
            until(said, trouble(""))
            camera.strike("unplugged")
            lost = until(said, lambda m: isinstance(m, CameraState) and m.trouble in ("lost", "stale"))
            assert isinstance(lost, CameraState)
            camera.heal()
            until(said, trouble(""))
            first = process.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            until(said, trouble("crashed"))
            until(said, trouble(""))
            assert process.pid != first and process.started == 2
        finally:
            process.close()
    assert not [name for name in os.listdir(tmp_path) if name != "camera.json"]  # noqa: PTH208


def test_a_finder_that_crashes_is_a_fallen_camera_and_no_more(said: queue.SimpleQueue[Message]) -> None:
    process = CameraProcess(
        CameraSettings(source="http://127.0.0.1:9/", finder="vision.nowhere:find"), said.put
    )
    process.start()
    try:
        until(said, trouble("crashed"))
    finally:
        process.close()


def test_a_deck_that_cannot_be_used_is_told_as_soon_as_pictures_come(
    said: queue.SimpleQueue[Message], tmp_path: Path
) -> None:
    subject = scene()
    save(calibrate(subject, lens_of(subject)), tmp_path / "camera.json")
    (tmp_path / "red.npz").write_bytes(b"not a deck")
    with CameraServer(Camera(subject), fps=10) as server:
        settings = CameraSettings(
            source=server.url,
            calibration=str(tmp_path / "camera.json"),
            decks=(str(tmp_path / "red.npz"),),
        )
        process = CameraProcess(settings, said.put)
        process.start()
        try:
            told = until(said, trouble("decks"))
            assert isinstance(told, CameraState) and "red.npz" in told.detail
        finally:
            process.close()


@pytest.mark.faults
def test_the_camera_is_back_within_five_seconds_of_its_return_a_hundred_times(
    said: queue.SimpleQueue[Message], tmp_path: Path
) -> None:
    rounds = int(os.environ.get("MALDONNE_CAMERA_RETURNS", "100"))
    subject = scene()
    save(calibrate(subject, lens_of(subject)), tmp_path / "camera.json")
    camera = Camera(subject)
    late = 0
    with CameraServer(camera, fps=10) as server:
        process = CameraProcess(
            CameraSettings(source=server.url, calibration=str(tmp_path / "camera.json")), said.put
        )
        process.start()
        try:
            until(said, trouble(""))
            for _ in range(rounds):
                camera.strike("unplugged")
                until(said, lambda m: isinstance(m, CameraState) and m.trouble in ("lost", "stale"))
                camera.heal()
                began = time.monotonic()
                until(said, trouble(""))
                late += time.monotonic() - began > BACK
        finally:
            process.close()
    assert late == 0


def test_what_leaves_the_process_is_short_lines_and_nothing_is_written(tmp_path: Path) -> None:
    subject = scene()
    save(calibrate(subject, lens_of(subject)), tmp_path / "camera.json")
    subject.world.move_card(subject.world.top(), "seat4", face="down")
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    with CameraServer(Camera(subject), fps=10) as server:
        settings = CameraSettings(source=server.url, calibration=str(tmp_path / "camera.json"))
        child = subprocess.Popen(
            [sys.executable, "-m", "vision.process", msgspec.json.encode(settings).decode()],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        said: list[Message] = []
        watchdog = threading.Timer(DEADLINE, child.kill)
        watchdog.start()
        try:
            while not any(isinstance(message, Sighting) for message in said):
                line = child.stdout.readline()
                assert 0 < len(line) < 500, "it ended, or a line is longer than any message"
                said.append(decode(line))
                if any(trouble("")(message) for message in said) and len(said) < 3:
                    subject.world.move_card(subject.world.top(), "seat6", face="up")
            child.stdin.close()
            rest = child.stdout.read()
            assert child.wait(DEADLINE) == 0
            assert all(decode(each) for each in rest.splitlines())
            assert child.stderr.read() == b""
        finally:
            watchdog.cancel()
            watchdog.join()
            for stream in (child.stdin, child.stdout, child.stderr):
                stream.close()
            child.kill()
            child.wait()
    assert [each.name for each in tmp_path.iterdir()] == ["camera.json"]
