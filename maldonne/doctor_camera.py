"""The camera under ``maldonne doctor``: whether it gives pictures, finds its table again and knows the club's decks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from table_controller.config import TableConfig
from vision.calibration import Calibration, Markers, load
from vision.errors import VisionError
from vision.frames import Image, NoFrame, SourceLost, open_source
from vision.recognise import EnrolledDeck
from vision.sightings import CameraState
from vision.watcher import Watcher

LOOKS: Final = 1.5
"""So long the camera is watched: what stands still or is blurred shows within a second (s)."""


class CameraFinding(Struct, frozen=True):
    """How the camera is.

    Attributes:
        source: Where its pictures come from.
        trouble: Empty when it is well; else one of the camera's own troubles, as ``lost``, ``black`` or ``moved``.
        detail: More about it, for a technician.
        width, height: Of its picture; 0 where none came, or the table has it.
        markers: How many of the calibrated markers are seen, and ``of`` how many.
        decks: Names of the decks whose faces it knows.
        wrong: Files that cannot be used: what, and what to do next.
    """

    source: str
    trouble: str = ""
    detail: str = ""
    width: int = 0
    height: int = 0
    markers: int = 0
    of: int = 0
    decks: tuple[str, ...] = ()
    wrong: tuple[tuple[str, str], ...] = ()

    @property
    def well(self) -> bool:
        """Whether nothing is to be done."""
        return not self.trouble and not self.wrong


def examine_camera(config: TableConfig, *, within: float, running: bool) -> CameraFinding | None:
    """Look at the table's camera; None where it has none.

    Args:
        config: The table's file.
        within: Seconds that the camera has for its first picture.
        running: The table runs and has the camera: only the files are looked at.
    """
    camera = config.camera
    if camera.source is None:
        return None
    wrong: list[tuple[str, str]] = []
    decks: list[str] = []
    for file in camera.decks:
        try:
            decks.append(EnrolledDeck.load(Path(file)).name)
        except VisionError as error:
            wrong.append((f"{error.what} ({file})", error.hint))
    calibration: Calibration | None = None
    trouble = ""
    if camera.calibration is None or not Path(camera.calibration).exists():
        trouble = "uncalibrated"
    else:
        try:
            calibration = load(Path(camera.calibration))
        except VisionError as error:
            wrong.append((f"{error.what} ({camera.calibration})", error.hint))
    found = CameraFinding(camera.source, trouble, decks=tuple(decks), wrong=tuple(wrong))
    if running:
        return found
    return _watched(found, config, calibration, within)


def _nothing(
    frame: Image,
    *,
    scale_mm: float | None = None,
    regions: Sequence[tuple[int, int, int, int]] | None = None,
) -> tuple[()]:
    """No cards are looked for: only the picture itself is judged."""
    return ()


def _watched(
    found: CameraFinding, config: TableConfig, calibration: Calibration | None, within: float
) -> CameraFinding:
    camera = config.camera
    size = (camera.width, camera.height)
    watcher = Watcher(calibration, _nothing)
    trouble, detail = found.trouble, ""
    image: Image | None = None
    until = time.monotonic() + within
    try:
        with open_source(
            found.source, size=size, fps=camera.fps, exposure=camera.exposure_ms / 1000
        ) as source:
            while (left := until - time.monotonic()) > 0:
                try:
                    frame = source.read(left)
                except NoFrame:
                    break
                if image is None:
                    until = time.monotonic() + LOOKS
                image = frame.image
                for message in watcher.feed(frame):
                    if isinstance(message, CameraState):
                        trouble, detail = message.trouble, message.detail
    except SourceLost as error:
        trouble, detail = "lost", error.what
    except VisionError as error:
        trouble, detail = "lost", str(error)
    if image is None:
        return replace(found, trouble="lost", detail=detail)
    seen = Markers().find(image)
    known = {marker.id for marker in calibration.markers} if calibration is not None else set()
    return replace(
        found,
        trouble=trouble,
        detail=detail,
        width=image.shape[1],
        height=image.shape[0],
        markers=len(known & set(seen)),
        of=len(known),
    )
