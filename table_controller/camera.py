"""The camera as a device of the table: its process beside the loop, its words in the table's queue.

A sighting gets table time at its arrival and keeps its age. What the camera says of itself becomes a `DeviceState`
when it changes: `degraded` with what is wrong with the picture, `lost` when none comes; the table plays on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from firmware_bridge.clock import TableClock
from firmware_bridge.observations import DeviceState
from table_controller.config import Camera
from table_controller.fusion.sightings import CAMERA, Sighted
from vision.sightings import CameraState, Message, Sighting

if TYPE_CHECKING:
    from vision.process import CameraProcess

HINTS: Final = {
    "black": "take what covers the lens away, switch the light on",
    "overexposed": "turn the lamp away or shorten the exposure",
    "frozen": "unplug the camera and plug it in again",
    "blurred": "clean the lens, focus it",
    "moved": "leave the stand where it is: the table finds its markers again by itself",
    "stale": "look at the camera's cable",
    "lost": "plug the camera in again",
    "crashed": "the camera's program starts again by itself",
    "uncalibrated": "run `maldonne calibrate`",
    "decks": "show the deck again: `maldonne enroll --camera`",
}
_LOST: Final = frozenset({"lost", "crashed", "stale"})


class Out(Protocol):
    """The table's queue."""

    def put(self, item: Any, /) -> None:
        """Take one item."""


class Eye:
    """Hands on what the camera says.

    Args:
        clock: The table's clock.
        out: The table's queue.
    """

    def __init__(self, clock: TableClock, out: Out) -> None:
        self._clock = clock
        self._out = out
        self._trouble: str | None = None
        self._detailed = False

    def take(self, message: Message) -> None:
        """Take one message of the camera's process, in whatever thread."""
        if isinstance(message, Sighting):
            sighting = message
            self._clock.publish(
                self._out,
                lambda t: Sighted(t=t, device=CAMERA, sighting=sighting),  # type: ignore[arg-type,return-value]
            )
        elif message.trouble != self._trouble or (message.detail and message.trouble and not self._detailed):
            # why it is so may only be known a moment later: told once
            self._trouble, self._detailed = message.trouble, bool(message.detail)
            state = message
            self._clock.publish(self._out, lambda t: _state(state, t))


def _state(said: CameraState, t: float) -> DeviceState:
    if not said.trouble:
        return DeviceState(t=t, device=CAMERA, state="ready")
    return DeviceState(
        t=t,
        device=CAMERA,
        state="lost" if said.trouble in _LOST else "degraded",
        code=f"camera_{said.trouble}",
        hint=HINTS.get(said.trouble, ""),
        detail=said.detail,
    )


def open_camera(setting: Camera, clock: TableClock, out: Out) -> CameraProcess | None:
    """Start the camera's process; None where the table has no camera."""
    if setting.source is None:
        return None
    # A table without a camera does not carry OpenCV in its memory.
    from vision.process import CameraProcess, CameraSettings

    process = CameraProcess(
        CameraSettings(
            source=setting.source,
            calibration=setting.calibration
            if setting.calibration and Path(setting.calibration).exists()
            else None,
            size=(setting.width, setting.height),
            fps=setting.fps,
            exposure=setting.exposure_ms / 1000,
            decks=setting.decks,
        ),
        Eye(clock, out).take,
    )
    process.start()
    return process
