"""Each source of pictures: the newest one, with an age, within a deadline, and a clear word when there is none."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_sim.camera import Camera, CameraServer
from hw_sim.camera_place import Mount
from hw_sim.camera_scene import Scene
from hw_sim.world import World, make_deck
from vision.frames import (
    EndOfRecording,
    HttpStream,
    MjpegParser,
    NoFrame,
    Pipe,
    SourceLost,
    SourceUnusable,
    Video,
    open_source,
    rpicam,
)

GREY = np.full((48, 64, 3), 90, np.uint8)


def camera() -> Camera:
    world = World({"red": make_deck("red", 7, random.Random(1))}, ())
    return Camera(Scene(world, mount=Mount(size=(320, 180))))


def test_a_stream_gives_the_newest_picture_with_the_cameras_own_clock() -> None:
    with CameraServer(camera(), fps=50) as server, open_source(server.url) as source:
        first = source.read(10.0)
        # a slow reader: what came meanwhile is left out, not queued
        until = time.monotonic() + 10.0
        while server.taken < 12 and time.monotonic() < until:
            second = source.read(10.0)
        assert first.image.shape == (180, 320, 3)
        assert second.t > first.t and second.seq > first.seq
        assert abs(second.t - second.arrived) < 5.0


def test_a_stream_that_stops_gives_no_frame_and_an_unplugged_one_is_lost() -> None:
    subject = camera()
    with CameraServer(subject, fps=50) as server, HttpStream(server.url) as source:
        source.read(10.0)
        subject.strike("unplugged")
        with pytest.raises(SourceLost):
            for _ in range(100):
                source.read(0.5)


def test_a_source_that_says_nothing_is_no_frame_in_time() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with Pipe(command, (64, 48)) as source, pytest.raises(NoFrame, match=r"within 0\.05 s"):
        source.read(0.05)


def test_an_address_that_is_no_stream_is_lost_with_its_answer() -> None:
    with (
        CameraServer(camera(), fps=5) as server,
        HttpStream(f"http://127.0.0.1:{server.port}/other") as source,
        pytest.raises(SourceLost, match="404"),
    ):
        source.read(10.0)


def test_a_pipe_gives_whole_yuv_pictures_and_ends_with_its_program() -> None:
    write = (
        "import sys; p = bytes([120]) * (64 * 48) + bytes([128]) * (64 * 48 // 2);"
        "sys.stdout.buffer.write(p + p[:100]); sys.stdout.flush()"
    )
    with Pipe([sys.executable, "-c", write], (64, 48)) as source:
        frame = source.read(10.0)
        assert frame.image.shape == (48, 64, 3) and abs(int(frame.image.mean()) - 121) < 5
        with pytest.raises(SourceLost):
            source.read(10.0)


def test_a_video_is_read_picture_by_picture_on_its_own_clock(tmp_path: Path) -> None:
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for _ in range(5):
        writer.write(GREY)
    writer.release()
    with Video(str(path)) as source:
        times = []
        with pytest.raises(EndOfRecording):
            while True:
                times.append(source.read(1.0).t)
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])


def test_a_picture_file_is_one_picture(tmp_path: Path) -> None:
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), GREY)
    with open_source(str(path)) as source:
        assert source.read(1.0).image.shape == GREY.shape and not source.live
        with pytest.raises(EndOfRecording):
            source.read(1.0)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("/dev/video-there-is-none", SourceLost),
        ("nowhere.mp4", SourceUnusable),
        ("pipe:", SourceUnusable),
        ("pipe:/no/such/program", SourceLost),
    ],
)
def test_a_setting_that_names_nothing_says_so(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        open_source(text)


def test_the_pis_camera_is_asked_for_raw_pictures() -> None:
    command = " ".join(rpicam((1280, 720), 15.0, 0.004))
    assert "--codec yuv420" in command and "--shutter 4000" in command and "--width 1280" in command


PARTS = st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=6)


@given(parts=PARTS, cuts=st.lists(st.integers(1, 200), min_size=1, max_size=60))
def test_a_stream_cut_anywhere_gives_the_same_pictures(parts: list[bytes], cuts: list[int]) -> None:
    wire = b"".join(
        b"--b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\nX-Timestamp: %d.5\r\n\r\n%s\r\n"
        % (len(p), n, p)
        for n, p in enumerate(parts)
    )
    parser = MjpegParser()
    found = []
    at = 0
    while at < len(wire):
        step = cuts[at % len(cuts)]
        found += parser.feed(wire[at : at + step])
        at += step
    assert found == [(p, n + 0.5) for n, p in enumerate(parts)]


@pytest.mark.parametrize(
    "noise",
    [b"\xff" * 9000, b"--b\r\nContent-Type: image/jpeg\r\n\r\n", b"--b\r\nContent-Length: -4\r\n\r\n"],
)
def test_what_is_no_mjpeg_is_refused(noise: bytes) -> None:
    with pytest.raises(SourceLost):
        MjpegParser().feed(noise)
