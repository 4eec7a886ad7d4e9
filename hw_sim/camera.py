"""A network camera over the simulated table: its picture as an MJPEG stream over HTTP, and all that can go wrong with it.

`Camera.shot` gives the picture of any virtual time (for tests that run ahead of the clock); `CameraServer` streams the
same at its own pace to whoever asks for `/stream`, each part stamped with the camera's clock (`X-Timestamp`, as common
MJPEG servers do).

Faults: `black`, `frozen`, `moved`, `defocused`, `overexposed`, `dropped` (most pictures are lost), `unplugged`.

Does not model: compression that varies, a camera that answers other pages, passwords.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Final

import cv2
import numpy as np

from hw_sim.camera_art import Picture
from hw_sim.camera_scene import Scene
from hw_sim.errors import ConfigError, SimError

FAULTS: Final = ("black", "frozen", "moved", "defocused", "overexposed", "dropped", "unplugged")
_BOUNDARY: Final = "frame"
_JPEG_QUALITY: Final = 88
_PART_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True)
class Shot:
    """One picture: its number, when it was taken (virtual seconds), and the JPEG that goes over the wire."""

    number: int
    t: float
    jpeg: bytes


class Camera:
    """A camera and its faults; it has no pace of its own.

    Args:
        scene: What it looks at.
        shift: How far `moved` moves the picture, in pixels, and by how many degrees it turns it.
        seed: Which pictures are lost while `dropped`.
    """

    def __init__(
        self, scene: Scene, *, shift: tuple[float, float, float] = (9.0, -6.0, 0.4), seed: int = 1
    ) -> None:
        self.scene = scene
        self.faults: set[str] = set()
        self._shift = shift
        self._rng = np.random.default_rng(seed)
        self._last: bytes | None = None
        self._number = 0

    def strike(self, fault: str) -> None:
        """Let a fault begin.

        Raises:
            ConfigError: No fault is called so.
        """
        if fault not in FAULTS:
            raise ConfigError(f"no camera fault is called {fault!r}", hint=", ".join(FAULTS))
        self.faults.add(fault)

    def heal(self, fault: str | None = None) -> None:
        """Let a fault end, or all of them."""
        if fault is None:
            self.faults.clear()
        else:
            self.faults.discard(fault)

    def picture(self, t: float) -> Picture:
        """What the sensor gives at a virtual time, as far as its faults let it."""
        frame = self.scene.picture(t)
        faults = self.faults
        if "moved" in faults:
            height, width = frame.shape[:2]
            x, y, degrees = self._shift
            turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
            turn[:, 2] += np.array([x, y])
            frame = np.asarray(
                cv2.warpAffine(frame, turn, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8
            )
        if "defocused" in faults:
            frame = np.asarray(cv2.GaussianBlur(frame, (0, 0), 5.0), np.uint8)
        if "overexposed" in faults:
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=5.0, beta=90), np.uint8)
        if "black" in faults:
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=0.03, beta=0), np.uint8)
        return frame

    def shot(self, t: float) -> Shot | None:
        """The picture that goes over the wire, None when none goes."""
        faults = self.faults
        self._number += 1
        if "unplugged" in faults or ("dropped" in faults and self._rng.random() < 0.97):
            return None
        if "frozen" not in faults or self._last is None:
            done, data = cv2.imencode(".jpg", self.picture(t), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
            if not done:
                raise SimError("the picture could not be packed")
            self._last = data.tobytes()
        return Shot(self._number, t, self._last)


class CameraServer:
    """Streams a camera over HTTP until it is closed. A context manager.

    While `unplugged` its port is closed and every viewer's connection is cut.

    Args:
        camera: The camera.
        clock: The virtual time now.
        fps: Pictures a real second.
        port: 0 takes a free one and keeps it.
    """

    def __init__(
        self, camera: Camera, clock: Callable[[], float] = time.monotonic, *, fps: float = 15.0, port: int = 0
    ) -> None:
        self.camera = camera
        self.taken = 0
        self._clock = clock
        self._fps = fps
        self._news = threading.Condition()
        self._shot: Shot | None = None
        self._closing = False
        self._viewers: list[threading.Thread] = []
        self._plugged: socket.socket | None = self._listen(port)
        self.port = int(self._plugged.getsockname()[1])
        self._threads = [
            threading.Thread(target=self._take, name="camera sensor", daemon=True),
            threading.Thread(target=self._serve, name="camera port", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        """Where the stream is."""
        return f"http://127.0.0.1:{self.port}/stream"

    @staticmethod
    def _listen(port: int) -> socket.socket:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(4)
        listening.settimeout(0.1)
        return listening

    def close(self) -> None:
        """Switch it off. Closing twice is the same."""
        with self._news:
            self._closing = True
            self._news.notify_all()
        for thread in [*self._threads, *self._viewers]:
            thread.join()
        if self._plugged is not None:
            self._plugged.close()
            self._plugged = None

    def __enter__(self) -> "CameraServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- threads -----------------------------------------------------------------------------------------

    def _take(self) -> None:
        due = time.monotonic()
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closing, timeout=max(0.0, due - time.monotonic()))
                if self._closing:
                    return
            due = max(due + 1.0 / self._fps, time.monotonic() - 1.0)
            shot = self.camera.shot(self._clock())
            self.taken += 1
            with self._news:
                if shot is not None:
                    self._shot = shot
                self._news.notify_all()

    def _serve(self) -> None:
        while not self._closing:
            unplugged = "unplugged" in self.camera.faults
            if unplugged or self._plugged is None:
                if unplugged and self._plugged is not None:
                    self._plugged.close()
                    self._plugged = None
                elif not unplugged:
                    self._plugged = self._listen(self.port)
                with self._news:
                    self._news.wait_for(lambda: self._closing, timeout=0.02)
                continue
            try:
                link, _ = self._plugged.accept()
            except TimeoutError:
                continue
            viewer = threading.Thread(target=self._show, args=(link,), name="camera viewer", daemon=True)
            self._viewers = [each for each in self._viewers if each.is_alive()] + [viewer]
            viewer.start()

    def _show(self, link: socket.socket) -> None:
        with link, contextlib.suppress(OSError):
            link.settimeout(_PART_TIMEOUT_S)
            asked = link.recv(2048).split(b"\r\n")[0].split()
            if len(asked) < 2 or asked[1] != b"/stream":
                link.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            head = f"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary={_BOUNDARY}\r\n\r\n"
            link.sendall(head.encode())
            number = -1
            while True:
                with self._news:
                    self._news.wait_for(partial(self._over_or_new, number), timeout=1.0)
                    shot = self._shot
                    if self._over():
                        return
                if shot is None or shot.number == number:
                    continue
                number = shot.number
                part = (
                    f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(shot.jpeg)}\r\n"
                    f"X-Timestamp: {shot.t:.6f}\r\n\r\n"
                )
                link.sendall(part.encode() + shot.jpeg + b"\r\n")

    def _over(self) -> bool:
        return self._closing or "unplugged" in self.camera.faults

    def _over_or_new(self, number: int) -> bool:
        return self._over() or (self._shot is not None and self._shot.number != number)
