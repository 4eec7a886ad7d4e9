"""The simulated camera: its picture follows the world, its truth fits its picture, its faults are what they say."""

from __future__ import annotations

import http.client
import random
import time

import cv2
import numpy as np
import pytest

from hw_sim.camera import FAULTS, Camera, CameraServer
from hw_sim.camera_art import draw_face
from hw_sim.camera_place import Lens, Mount, card_corners, lies_at, markers, seat_spot
from hw_sim.camera_scene import Light, Scene, dealer_hand
from hw_sim.errors import ConfigError
from hw_sim.world import CARD_NAMES, Flight, World, make_chips, make_deck


def table(seed: int = 1) -> World:
    rng = random.Random(seed)
    world = World(
        {"red": make_deck("red", 7, rng), "blue": make_deck("blue", 7, rng)}, make_chips({100: 60}, rng)
    )
    world.stack_deck("red", CARD_NAMES)
    return world


@pytest.fixture(scope="module")
def subject() -> Scene:
    return Scene(table(), light=Light(noise=0.0))


def grey(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def test_every_marker_is_found_where_it_lies(subject: Scene) -> None:
    finder = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, numbers, _ = finder.detectMarkers(grey(subject.picture(0.0)))
    found = {int(n): c.reshape(4, 2).mean(axis=0) for n, c in zip(numbers.ravel(), corners, strict=True)}
    assert sorted(found) == [marker.id for marker in markers()]
    for marker in markers():
        true = subject.lens.pixels([[marker.x, marker.y, 0.0]])[0]
        assert np.hypot(*(found[marker.id] - true)) < 0.6


def test_seat_one_is_at_the_dealers_left_hand_and_the_next_clockwise() -> None:
    lens = Lens(Mount())
    (x1, y1), (x2, y2), (x10, _) = lens.pixels([[*seat_spot(n)[:2], 0.0] for n in (1, 2, 10)])
    assert x1 < 640 < x10 and y1 > 360 and x2 < x1 and y2 < y1


def test_a_card_turned_up_shows_its_face_and_the_truth_says_so(subject: Scene) -> None:
    world = subject.world
    card = world.top()
    world.move_card(card, "seat3", face="down")
    down = subject.picture(0.0)
    (before,) = [true for true in subject.truth(0.0) if true.uid == card.uid]
    world.turn(card, "up")
    up = subject.picture(0.0)
    (after,) = [true for true in subject.truth(0.0) if true.uid == card.uid]
    assert (before.face_up, after.face_up) == (False, True)
    assert np.allclose(before.quad, after.quad)
    x, y = after.quad.mean(axis=0).astype(int)
    patch = np.s_[y - 12 : y + 12, x - 12 : x + 12]
    assert grey(up)[patch].mean() > grey(down)[patch].mean() + 40
    world.move_card(card, "muck", face="down")


def test_the_truths_outline_is_the_cards_in_the_picture(subject: Scene) -> None:
    world = subject.world
    card = world.top()
    empty = subject.picture(0.0)
    world.move_card(card, "board", face="up")
    changed = cv2.absdiff(grey(subject.picture(0.0)), grey(empty)) > 60
    (true,) = [true for true in subject.truth(0.0) if true.uid == card.uid]
    rows, columns = np.nonzero(changed)
    assert abs(columns.mean() - true.quad[:, 0].mean()) < 2 and abs(rows.mean() - true.quad[:, 1].mean()) < 2
    world.move_card(card, "muck", face="down")


def test_a_card_in_the_air_is_on_its_way_and_turns_over(subject: Scene) -> None:
    world = subject.world
    card = world.top()
    world.move_card(card, "air")
    world.flights[card.uid] = (card, Flight("hand", 0, "seat6", 10.0, 0.3, "down", "up", True))
    seen = {t: next(true for true in subject.truth(t) if true.uid == card.uid) for t in (10.0, 10.15, 10.3)}
    assert [seen[t].face_up for t in seen] == [False, True, True]
    assert all(true.moving for true in seen.values())
    way = [np.hypot(true.x - seat_spot(6)[0], true.y - seat_spot(6)[1]) for true in seen.values()]
    assert way[0] > way[1] > way[2] and way[2] < 60
    world.flights.clear()
    world.move_card(card, "muck", face="down")


def test_a_longer_exposure_smears_a_flying_card() -> None:
    sharpness = []
    for exposure in (0.001, 0.02):
        world = table()
        scene = Scene(world, exposure=exposure, light=Light(noise=0.0))
        card = world.top()
        world.move_card(card, "air")
        world.turn(card, "up")
        world.flights[card.uid] = (card, Flight("seat1", 0, "seat6", 0.0, 0.4, "up", "up", True))
        (true,) = [true for true in scene.truth(0.2) if true.uid == card.uid]
        x, y = true.quad.mean(axis=0).astype(int)
        sharpness.append(
            cv2.Laplacian(grey(scene.picture(0.2))[y - 30 : y + 30, x - 30 : x + 30], cv2.CV_64F).var()
        )
    assert sharpness[1] < 0.5 * sharpness[0]


def test_a_hand_hides_what_it_lies_over(subject: Scene) -> None:
    world = subject.world
    card = world.top()
    world.move_card(card, "board", face="up")
    pose = lies_at("board", 0, card.uid)
    assert pose is not None
    subject.hands.append(dealer_hand(pose.x, pose.y, 20.0, 21.0))
    seen = {t: next(true.visible for true in subject.truth(t) if true.uid == card.uid) for t in (19.0, 20.5)}
    assert seen[19.0] > 0.9 and seen[20.5] < 0.3
    world.move_card(card, "muck", face="down")


def test_a_flipped_card_is_narrow_half_way() -> None:
    pose = lies_at("board", 2, "04AA")
    assert pose is not None
    lens = Lens(Mount())
    whole, edge = (np.ptp(lens.pixels(card_corners(pose, flip))[:, 0]) for flip in (0.0, 1.5))
    assert edge < 0.25 * whole


def test_every_face_differs_from_every_other() -> None:
    faces = [draw_face(name)[::8, ::8].astype(int) for name in CARD_NAMES]
    for number, face in enumerate(faces):
        assert all(np.abs(face - other).mean() > 0.5 for other in faces[:number])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_changes_the_picture_and_ends(fault: str) -> None:
    camera = Camera(Scene(table()))
    first = camera.shot(0.0)
    assert first is not None
    camera.strike(fault)
    shots = [camera.shot(0.1 * number) for number in range(1, 12)]
    pictures = [
        cv2.imdecode(np.frombuffer(s.jpeg, np.uint8), cv2.IMREAD_GRAYSCALE) for s in shots if s is not None
    ]
    good = cv2.imdecode(np.frombuffer(first.jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    if fault == "unplugged":
        assert not pictures
    elif fault == "dropped":
        assert len(pictures) < 6
    elif fault == "frozen":
        assert {s.jpeg for s in shots if s is not None} == {first.jpeg}
    elif fault == "black":
        assert pictures[0].mean() < 8
    elif fault == "overexposed":
        assert np.mean(pictures[0] > 250) > 0.5
    elif fault == "defocused":
        assert cv2.Laplacian(pictures[0], cv2.CV_64F).var() < 0.2 * cv2.Laplacian(good, cv2.CV_64F).var()
    else:
        (x, y), _ = cv2.phaseCorrelate(good.astype(np.float32), pictures[0].astype(np.float32))
        assert np.hypot(x, y) > 5
    camera.heal()
    after = camera.shot(2.0)
    assert after is not None and after.jpeg not in {s.jpeg for s in shots if s is not None}


def test_a_fault_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="black"):
        Camera(Scene(table())).strike("smoke")


def parts(link: http.client.HTTPConnection, count: int) -> list[tuple[float, bytes]]:
    """Read so many parts of a stream."""
    link.request("GET", "/stream")
    answer = link.getresponse()
    assert answer.status == 200 and "multipart/x-mixed-replace" in str(answer.getheader("Content-Type"))
    found: list[tuple[float, bytes]] = []
    while len(found) < count:
        head: dict[str, str] = {}
        while (line := answer.readline().decode().strip()) or not head:
            name, _, value = line.partition(":")
            if value:
                head[name] = value.strip()
        found.append((float(head["X-Timestamp"]), answer.read(int(head["Content-Length"]))))
        answer.readline()
    answer.close()
    return found


def test_the_stream_is_stamped_mjpeg_over_http() -> None:
    with CameraServer(Camera(Scene(table())), fps=60) as server:
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        found = parts(link, 4)
        link.close()
    times = [t for t, _ in found]
    assert times == sorted(times) and len(set(times)) == 4
    assert all(cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1).shape == (720, 1280, 3) for _, jpeg in found)


def test_an_unplugged_camera_cuts_its_viewers_and_comes_back_at_the_same_port() -> None:
    camera = Camera(Scene(table()))
    with CameraServer(camera, fps=60) as server:
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        parts(link, 1)
        link.close()
        camera.strike("unplugged")
        deadline = time.monotonic() + 10
        refused = False
        while not refused and time.monotonic() < deadline:
            try:
                again = http.client.HTTPConnection("127.0.0.1", server.port, timeout=1)
                again.request("GET", "/stream")
                again.getresponse().close()
            except OSError:
                refused = True
            finally:
                again.close()
        assert refused
        camera.heal()
        while True:
            try:
                back = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
                assert len(parts(back, 1)) == 1
                break
            except OSError:
                assert time.monotonic() < deadline
            finally:
                back.close()
