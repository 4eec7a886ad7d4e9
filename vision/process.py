"""The camera in a process of its own: a fault of OpenCV, of a driver or of a model degrades the table, never stops it.

    python -m vision.process SETTINGS      (JSON; sightings as lines on standard output)

The child ends when its standard input does. The parent starts it again when it ends or falls silent. No picture
leaves the child.
"""

from __future__ import annotations

import contextlib
import functools
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2
import msgspec

from vision.calibration import Calibration, CalibrationError, load
from vision.errors import VisionError
from vision.frames import EndOfRecording, NoFrame, Source, SourceLost, open_source
from vision.sightings import CameraState, Message, decode, encode
from vision.watcher import Find, Watcher

WAIT: Final = 0.2
"""A picture is waited for so long before the camera's health is looked at (s)."""
REOPEN: Final = 0.5
"""A lost camera is tried again so often (s)."""
SILENT: Final = 5.0
"""A child that says nothing for so long is started again (s); it speaks every second."""
STARTING: Final = 30.0
"""A child has so long for its first word: models are loaded."""
AGAIN: Final = (0.2, 1.0, 3.0, 10.0)
"""Pauses before a child is started again, the longer the more often it fell (s)."""
_STEADY: Final = 60.0
_CLOSE: Final = 3.0


class CameraSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the camera's process needs to know.

    Attributes:
        source: `/dev/video0`, `http://…`, `rpicam`, `pipe:COMMAND`, a video.
        calibration: The calibration file; None watches only the camera's health.
        size: Pixels to ask for.
        fps: Pictures a second.
        exposure: Seconds that the shutter is open.
        finder: Where the card finder is, as module:name.
        decks: Files of enrolled decks that take turns on this table.
    """

    source: str
    calibration: str | None = None
    size: tuple[int, int] = (1280, 720)
    fps: float = 15.0
    exposure: float = 0.004
    finder: str = "vision.detect:find_cards"
    decks: tuple[str, ...] = ()


# -- the child ------------------------------------------------------------------------------------------------


class Loop:
    """The child's work, a step at a time.

    Args:
        settings: What to watch.
        find: Finds cards.
        say: Takes each message.
        opening: Opens the source.
        monotonic: Real seconds.
        decks: What is wrong with the files of enrolled decks; empty: nothing.
    """

    def __init__(
        self,
        settings: CameraSettings,
        find: Find,
        say: Callable[[Message], None],
        *,
        opening: Callable[[], Source] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        decks: str = "",
    ) -> None:
        self._settings = settings
        self._say = say
        self._opening = opening or self._open
        self._monotonic = monotonic
        self._source: Source | None = None
        calibration, uncalibrated = _calibration(settings)
        self._detail, self._decks = uncalibrated, decks
        self._watcher = Watcher(calibration, find, exposure=settings.exposure)
        self._seen: tuple[float, float] | None = None  # camera's clock and arrival of the newest picture
        self._took = 0.0
        self._lost_told_at = -1e9

    def _open(self) -> Source:
        settings = self._settings
        return open_source(settings.source, size=settings.size, fps=settings.fps, exposure=settings.exposure)

    def step(self) -> float:
        """Work on one picture, or find out that there is none.

        Returns:
            Seconds to pause before the next step.

        Raises:
            EndOfRecording: A recording is over.
        """
        if self._source is None:
            try:
                self._source = self._opening()
            except SourceLost as error:
                self._lost(error)
                return REOPEN
        try:
            frame = self._source.read(WAIT)
        except NoFrame:
            if self._seen is not None:
                at, arrived = self._seen
                self._tell(self._watcher.idle(at + self._monotonic() - arrived))
            return 0.0
        except SourceLost as error:
            self._source.close()
            self._source = None
            self._lost(error)
            return REOPEN
        began = self._monotonic()
        if self._lost_told_at > 0:
            self._lost_told_at = -1e9
        self._seen = (frame.t, frame.arrived)
        messages = self._watcher.feed(frame, took=self._took)
        self._took = self._monotonic() - began
        age = self._monotonic() - frame.arrived
        self._tell(
            [
                msgspec.structs.replace(m, age=round(age, 4)) if not isinstance(m, CameraState) else m
                for m in messages
            ]
        )
        return 0.0

    def _lost(self, error: SourceLost) -> None:
        """Told when it happens, and once a second as long as it lasts."""
        now = self._monotonic()
        if now - self._lost_told_at >= 1.0:
            self._lost_told_at = now
            self._say(CameraState(trouble="lost", detail=error.what))
        self._watcher.lost()

    def _tell(self, messages: list[Message]) -> None:
        for message in messages:
            if isinstance(message, CameraState) and self._detail and not message.detail:
                message = msgspec.structs.replace(message, detail=self._detail)
            if isinstance(message, CameraState) and self._decks and not message.trouble:
                # it sees; a deck that was shown to it is read worse than it could be
                message = msgspec.structs.replace(message, trouble="decks", detail=self._decks)
            self._say(message)

    def close(self) -> None:
        """Put the source away."""
        if self._source is not None:
            self._source.close()
            self._source = None


def _calibration(settings: CameraSettings) -> tuple[Calibration | None, str]:
    """The calibration, or why there is none: the camera's health is watched all the same."""
    if settings.calibration is None:
        return None, "no calibration file is set"
    try:
        return load(Path(settings.calibration)), ""
    except CalibrationError as error:
        return None, str(error)


def main(arguments: list[str]) -> int:
    """The child's program."""
    settings = msgspec.json.decode(arguments[0], type=CameraSettings)
    # More threads of OpenCV's gain nothing with pieces so small, and take the core that the table's program needs.
    cv2.setNumThreads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us says when to end, by our standard input
    gone = threading.Event()
    threading.Thread(target=_until_alone, args=(gone,), name="parent", daemon=True).start()
    out = sys.stdout.buffer

    def say(message: Message) -> None:
        out.write(encode(message))
        out.flush()

    try:
        find, wrong = with_decks(finder(settings.finder), settings.decks)
        loop = Loop(settings, find, say, decks=wrong)
        try:
            while not gone.is_set():
                pause = loop.step()
                if pause:
                    gone.wait(pause)
        finally:
            loop.close()
    except EndOfRecording:
        return 0
    except BrokenPipeError:
        return 0
    except VisionError as error:
        with contextlib.suppress(OSError):
            say(CameraState(trouble="crashed", detail=str(error)))
        return 1
    return 0


def finder(text: str) -> Find:
    """The card finder by module:name."""
    import importlib

    module, _, name = text.partition(":")
    found: Find = getattr(importlib.import_module(module), name)
    return found


def with_decks(find: Find, files: Sequence[str]) -> tuple[Find, str]:
    """The finder with the table's enrolled decks, and what is wrong with those that cannot be used: it reads without them."""
    if not files:
        return find, ""
    from vision.enrolling import joined
    from vision.recognise import DeckUnusable, EnrolledDeck

    decks: list[EnrolledDeck] = []
    wrong: list[str] = []
    for file in files:
        try:
            decks.append(EnrolledDeck.load(Path(file)))
        except DeckUnusable as error:
            wrong.append(str(error))
    deck = joined(decks)
    # what is set as finder beside decks knows decks
    bound: Find = find if deck is None else functools.partial(find, deck=deck)  # type: ignore[call-arg]
    return bound, "; ".join(wrong)


def _until_alone(gone: threading.Event) -> None:
    while os.read(0, 1024):
        pass
    gone.set()


# -- the parent -----------------------------------------------------------------------------------------------


class CameraProcess:
    """Keeps the child alive and hands on what it says.

    Args:
        settings: What it is to watch.
        out: Takes each message, in a thread of its own; never blocking for long.
    """

    def __init__(self, settings: CameraSettings, out: Callable[[Message], None]) -> None:
        self._settings = settings
        self._out = out
        self._closing = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="camera process", daemon=True)
        self.started = 0

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The child's process, for tests and for the doctor."""
        return self._child.pid if self._child is not None else None

    def close(self) -> None:
        """End the child; a second call does nothing.

        Raises:
            VisionError: The thread did not end in time.
        """
        self._closing.set()
        child = self._child
        if child is not None and child.stdin is not None:
            with contextlib.suppress(OSError):
                child.stdin.close()
        if self._thread.is_alive():
            self._thread.join(2 * _CLOSE + 2.0)
            if self._thread.is_alive():
                raise VisionError("the camera's process does not end", where=self._settings.source)

    def _run(self) -> None:
        fallen = 0
        while not self._closing.is_set():
            began = time.monotonic()
            why = self._watch_one()
            if self._closing.is_set():
                return
            fallen = 0 if time.monotonic() - began > _STEADY else fallen + 1
            self._out(CameraState(trouble="crashed", detail=why))
            self._closing.wait(AGAIN[min(fallen, len(AGAIN)) - 1])

    def _watch_one(self) -> str:
        """One child's life; why it ended."""
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", "vision.process", msgspec.json.encode(self._settings).decode()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            return f"the process cannot be started: {error.strerror}"
        self._child = child
        self.started += 1
        try:
            return self._listen(child)
        finally:
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._end(child)

    def _listen(self, child: subprocess.Popen[bytes]) -> str:
        if child.stdout is None:
            return "no pipe"
        rest = b""
        patience = STARTING
        with selectors.DefaultSelector() as waiting:
            waiting.register(child.stdout, selectors.EVENT_READ)
            heard = time.monotonic()
            while not self._closing.is_set():
                if not waiting.select(0.25):
                    if time.monotonic() - heard > patience:
                        return f"it said nothing for {patience:g} s"
                    continue
                data = os.read(child.stdout.fileno(), 1 << 16)
                if not data:
                    return f"it ended (status {self._status(child)})"
                heard, patience = time.monotonic(), SILENT
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    try:
                        message = decode(line)
                    except msgspec.DecodeError:
                        return "it said something that is no message"
                    self._out(message)
        return "closed"

    @staticmethod
    def _status(child: subprocess.Popen[bytes]) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(_CLOSE)
        return None

    @staticmethod
    def _end(child: subprocess.Popen[bytes]) -> None:
        for how in ("wait", "terminate", "kill"):
            if how == "terminate":
                child.terminate()
            elif how == "kill":
                child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_CLOSE / 2)
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
