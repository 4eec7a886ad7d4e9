"""Where pictures come from: a USB camera, the Pi's own, a network camera, a recording; each picture has an age.

Live sources are read in a thread of their own that keeps only the newest picture, so a slow reader never works off a
queue of old ones. No source is believed because it says that all is well: whoever reads gives a deadline, and a
picture that does not come in time is `NoFrame`, a source that has ended is `SourceLost`.

`t` is the camera's clock where the wire carries it (`X-Timestamp` of an MJPEG part), else the time of arrival.
"""

from __future__ import annotations

import contextlib
import http.client
import shlex
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self
from urllib.parse import urlsplit

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import VisionError

Image = npt.NDArray[np.uint8]

CLOSE_WITHIN: Final = 5.0
"""A source's thread must have ended so soon after it was closed (seconds)."""
_CONNECT_S: Final = 2.0
_SILENT_S: Final = 1.0
_LARGEST_PART: Final = 8 << 20
_LARGEST_HEAD: Final = 8192
_VIDEO: Final = frozenset({".mp4", ".avi", ".mkv", ".mov", ".webm", ".mjpg", ".mjpeg"})


class FrameError(VisionError):
    """No picture can be had."""

    code = "camera_frames"
    default_hint = "see docs/camera.md"


class NoFrame(FrameError):
    """The source lives, as far as anybody can tell, and gave no new picture in time."""

    code = "camera_no_frame"
    default_hint = "look at the camera's cable and at what else uses it"


class SourceLost(FrameError):
    """The source has ended: unplugged, switched off, its program gone."""

    code = "camera_lost"
    default_hint = "plug the camera in again; the table plays on meanwhile"


class SourceUnusable(FrameError):
    """The setting names nothing that pictures can come from."""

    code = "camera_source"
    default_hint = "/dev/video0, http://…, rpicam, a video or a picture; see docs/camera.md"


class EndOfRecording(FrameError):
    """A recording has no more pictures."""

    code = "camera_end"
    default_hint = ""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        image: Rows × columns × blue, green, red.
        t: When it was taken (s), on the camera's clock or by arrival.
        seq: Its number since the source was opened; a gap is pictures that nobody read.
        arrived: When it came, on this machine's monotonic clock (s).
    """

    image: Image
    t: float
    seq: int
    arrived: float


class Source(Protocol):
    """What pictures come from; a context manager."""

    live: bool

    def read(self, within: float) -> Frame:
        """The next picture that was not read yet.

        Args:
            within: Seconds of real time.

        Raises:
            NoFrame: None came in time.
            SourceLost: None will come any more.
            EndOfRecording: The recording is over.
        """

    def close(self) -> None:
        """Put everything away; a second call does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class _Base(ABC):
    live = True

    @abstractmethod
    def read(self, within: float) -> Frame:
        """The next picture."""

    @abstractmethod
    def close(self) -> None:
        """Put everything away."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Live(_Base):
    """A thread that reads; only the newest picture is kept, packed as it came until somebody wants it."""

    def __init__(self, where: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.where = where
        self._monotonic = monotonic
        self._news = threading.Condition()
        self._newest: tuple[Any, float, int, float] | None = None
        self._seq = 0
        self._given = 0
        self._ended: FrameError | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {where}", daemon=True)

    def _start(self) -> None:
        self._thread.start()

    @abstractmethod
    def _fill(self) -> None:
        """Read until `_closing`; raise what ends the source."""

    @abstractmethod
    def _unpack(self, packed: Any) -> Image | None:
        """Make a picture of what came; None when it is broken."""

    def _put(self, packed: Any, t: float | None) -> None:
        arrived = self._monotonic()
        with self._news:
            self._seq += 1
            self._newest = (packed, arrived if t is None else t, self._seq, arrived)
            self._news.notify_all()

    def _run(self) -> None:
        try:
            self._fill()
            ended: FrameError = SourceLost("the camera sends no more pictures", where=self.where)
        except FrameError as error:
            ended = error
        except (OSError, http.client.HTTPException, ValueError, cv2.error) as error:
            ended = SourceLost(f"the line broke: {error}", where=self.where)
        with self._news:
            self._ended = ended
            self._news.notify_all()

    def read(self, within: float) -> Frame:
        until = self._monotonic() + within
        while True:
            with self._news:
                self._news.wait_for(self._ready, timeout=max(0.0, until - self._monotonic()))
                newest = self._newest
                if newest is None or newest[2] <= self._given:
                    if self._ended is not None:
                        raise self._ended
                    raise NoFrame(f"no picture within {within:g} s", where=self.where)
                self._given = newest[2]
            packed, t, seq, arrived = newest
            image = self._unpack(packed)
            if image is not None:
                return Frame(image, t, seq, arrived)

    def _ready(self) -> bool:
        return self._ended is not None or (self._newest is not None and self._newest[2] > self._given)

    def close(self) -> None:
        self._closing.set()
        self._interrupt()
        if self._thread.is_alive():
            self._thread.join(CLOSE_WITHIN)

    def _interrupt(self) -> None:
        """Wake a thread that waits for the camera."""


class MjpegParser:
    """Cuts an MJPEG stream into its pictures, without any I/O.

    >>> parser = MjpegParser()
    >>> parser.feed(b"--b\\r\\nContent-Length: 3\\r\\nX-Timestamp: 1.5\\r\\n\\r\\nabc\\r\\n--b")
    [(b'abc', 1.5)]
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None
        self._t: float | None = None

    def feed(self, data: bytes) -> list[tuple[bytes, float | None]]:
        """Take bytes; give whole pictures, each with its stamp where it has one.

        Raises:
            SourceLost: This is no MJPEG stream.
        """
        self._data += data
        found: list[tuple[bytes, float | None]] = []
        while True:
            if self._length is None and not self._head():
                break
            if self._length is None or len(self._data) < self._length:
                break
            found.append((bytes(self._data[: self._length]), self._t))
            del self._data[: self._length]
            self._length = None
        return found

    def _head(self) -> bool:
        """Read the head of a part, when it is there whole."""
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            if len(self._data) > _LARGEST_HEAD:
                raise SourceLost("what comes is no MJPEG stream", where="part", hint="is the address right?")
            return False
        self._t = None
        length: int | None = None
        for line in bytes(self._data[:end]).decode("latin-1").split("\r\n"):
            name, _, value = line.partition(":")
            name = name.strip().lower()
            with contextlib.suppress(ValueError):
                if name == "content-length":
                    length = int(value)
                elif name == "x-timestamp":
                    self._t = float(value)
        if length is None or not 0 < length <= _LARGEST_PART:
            raise SourceLost(
                "a part of the stream does not say how long it is",
                where="Content-Length",
                hint="use a server that does, such as mjpg-streamer or µStreamer",
            )
        del self._data[: end + 4]
        self._length = length
        return True


class HttpStream(_Live):
    """An MJPEG stream over HTTP: a network camera, or the simulator's."""

    def __init__(self, url: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin to read at once; an address that answers nothing shows in `read`."""
        super().__init__(url, monotonic)
        self._link: http.client.HTTPConnection | None = None
        self._start()

    def _fill(self) -> None:
        parts = urlsplit(self.where)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        link = kind(parts.hostname or "", parts.port, timeout=_CONNECT_S)
        self._link = link
        try:
            link.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
            if link.sock is not None:
                link.sock.settimeout(_SILENT_S)
            answer = link.getresponse()
            with answer:
                if answer.status != http.client.OK:
                    raise SourceLost(f"answers {answer.status} {answer.reason}", where=self.where)
                parser = MjpegParser()
                while not self._closing.is_set():
                    data = answer.read1(1 << 16)
                    if not data:
                        return
                    for jpeg, t in parser.feed(data):
                        self._put(jpeg, t)
        finally:
            link.close()

    def _unpack(self, packed: Any) -> Image | None:
        image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
        return None if image is None else np.asarray(image, dtype=np.uint8)


class UsbCamera(_Live):
    """A V4L2 (UVC) camera by its stable path, `/dev/v4l/by-id/…` or `/dev/video0`."""

    def __init__(self, path: str, size: tuple[int, int], fps: float) -> None:
        """Open it.

        Raises:
            SourceLost: It is not there or somebody else uses it.
        """
        super().__init__(path)
        if not Path(path).exists():
            raise SourceLost("no such camera", where=path)
        self._capture = cv2.VideoCapture(path, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            self._capture.release()
            raise SourceLost(
                "cannot be opened",
                where=path,
                hint="does another program use it? is the user in group video?",
            )
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._capture.set(cv2.CAP_PROP_FPS, fps)
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._start()

    def _fill(self) -> None:
        try:
            while not self._closing.is_set():
                done, image = self._capture.read()
                # OpenCV may report success for ever after an unplug: the device's name is gone then.
                if not done or not Path(self.where).exists():
                    return
                self._put(image, None)
        finally:
            self._capture.release()

    def _unpack(self, packed: Any) -> Image | None:
        return np.asarray(packed, dtype=np.uint8)


class Pipe(_Live):
    """A program that writes raw pictures (YUV 4:2:0, planar) to its standard output: `rpicam-vid --codec yuv420`."""

    def __init__(self, command: Sequence[str], size: tuple[int, int]) -> None:
        """Start the program.

        Raises:
            SourceLost: It cannot be started.
            SourceUnusable: The size is odd.
        """
        super().__init__(command[0])
        if size[0] % 2 or size[1] % 2:
            raise SourceUnusable(f"{size[0]}×{size[1]}: both must be even", where=command[0])
        self._size = size
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError as error:
            raise SourceLost(f"cannot be started: {error.strerror}", where=command[0]) from error
        self._start()

    def _fill(self) -> None:
        out = self._process.stdout
        length = self._size[0] * self._size[1] * 3 // 2
        while out is not None and not self._closing.is_set():
            data = bytearray()
            while len(data) < length:
                part = out.read(length - len(data))
                if not part:
                    return
                data += part
            self._put(data, None)

    def _unpack(self, packed: Any) -> Image | None:
        planes = np.frombuffer(packed, np.uint8).reshape(self._size[1] * 3 // 2, self._size[0])
        return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8)

    def _interrupt(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(2.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(2.0)

    def close(self) -> None:
        super().close()
        if self._process.stdout is not None:
            self._process.stdout.close()


class Video(_Base):
    """A recording; its clock is its own, and every picture of it is read."""

    live = False

    def __init__(self, path: str) -> None:
        """Open it.

        Raises:
            SourceUnusable: It cannot be read as a video.
        """
        self.where = path
        self._capture = cv2.VideoCapture(path)
        if not self._capture.isOpened():
            self._capture.release()
            raise SourceUnusable("cannot be read as a video", where=path)
        self._fps = self._capture.get(cv2.CAP_PROP_FPS) or 25.0
        self._seq = 0

    def read(self, within: float) -> Frame:
        done, image = self._capture.read()
        if not done:
            raise EndOfRecording("the video is over", where=self.where)
        self._seq += 1
        return Frame(
            np.asarray(image, dtype=np.uint8), (self._seq - 1) / self._fps, self._seq, time.monotonic()
        )

    def close(self) -> None:
        self._capture.release()


class Pictures(_Base):
    """Single pictures, one after the other, a second apart."""

    live = False

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._seq = 0

    def read(self, within: float) -> Frame:
        if self._seq >= len(self._paths):
            raise EndOfRecording("no more pictures", where=str(self._paths[-1]) if self._paths else "")
        path = self._paths[self._seq]
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise SourceUnusable("cannot be read as a picture", where=str(path))
        self._seq += 1
        return Frame(np.asarray(image, dtype=np.uint8), float(self._seq - 1), self._seq, time.monotonic())

    def close(self) -> None:
        return None


def rpicam(size: tuple[int, int], fps: float, exposure: float) -> tuple[str, ...]:
    """The command that lets the Pi's own camera write raw pictures; `exposure` in seconds."""
    return (
        *("rpicam-vid", "--nopreview", "--timeout", "0", "--codec", "yuv420", "--flush"),
        *("--width", str(size[0]), "--height", str(size[1]), "--framerate", f"{fps:g}"),
        *("--shutter", str(round(exposure * 1e6)), "--output", "-"),
    )


def open_source(
    text: str, *, size: tuple[int, int] = (1280, 720), fps: float = 15.0, exposure: float = 0.004
) -> Source:
    """Open what a setting names.

    Args:
        text: `/dev/video0`, `http://…`, `rpicam`, `pipe:COMMAND` (YUV 4:2:0 on its standard output), a video, a picture.
        size: Width and height to ask for, in pixels.
        fps: Pictures a second to ask for.
        exposure: Seconds that the shutter is open (the Pi's own camera).

    Raises:
        SourceUnusable: The text names nothing of the kind.
        SourceLost: The camera is not there now.
    """
    if text.startswith(("http://", "https://")):
        return HttpStream(text)
    if text == "rpicam":
        return Pipe(rpicam(size, fps, exposure), size)
    if text.startswith("pipe:"):
        command = shlex.split(text[5:])
        if not command:
            raise SourceUnusable("no command after pipe:", where=text)
        return Pipe(command, size)
    if text.startswith("/dev/"):
        return UsbCamera(text, size, fps)
    path = Path(text)
    if not path.is_file():
        raise SourceUnusable("there is no such file or camera", where=text)
    return Video(text) if path.suffix.lower() in _VIDEO else Pictures([path])
