"""What leaves the camera's process: what was seen of one card, and how the camera is. Never a picture.

One JSON object a line over a pipe. A sighting knows places in millimetres and zones by name; it knows no poker.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["exposed_in_flight", "exposed_at_rest", "dropped", "covered", "turned", "arrived", "left"]


class Sighting(msgspec.Struct, frozen=True, kw_only=True, tag="sighting"):
    """Something was seen of one card.

    Attributes:
        kind: `exposed_in_flight` (two face-up pictures of three on its way), `exposed_at_rest` (face up where no face
            may be), `dropped` (left the felt, or lies where no card may), `covered` (something that is no hand lies
            over it), `turned` (lies the other way up than before), `arrived` (came to rest where it may), `left`
            (is not where it lay).
        track: The card's number while it is followed.
        at: When, on the camera's clock (s).
        age: Seconds from the picture to this message.
        x, y: Its middle (mm).
        zone: Where that is.
        origin: The zone where it lay or was first seen before; empty when nobody knows.
        face: Which side is up.
        card: Which card it is, when enough pictures agree.
        confidence: That it is so (0–1).
        rested: How long it had lain still before (s).
        visible: The share of it that can be seen (0–1).
    """

    kind: Kind
    track: int
    at: float
    age: float = 0.0
    x: float = 0.0
    y: float = 0.0
    zone: str = "floor"
    origin: str = ""
    face: Literal["up", "down"] = "down"
    card: str | None = None
    confidence: float = 0.0
    rested: float = 0.0
    visible: float = 1.0

    def __repr__(self) -> str:
        known = "known" if self.card is not None else "unknown"
        return (
            f"Sighting({self.kind}, track={self.track}, zone={self.zone!r}, face={self.face}, card=<{known}>)"
        )


class CameraState(msgspec.Struct, frozen=True, kw_only=True, tag="camera"):
    """How the camera is, told when it changes and once a second.

    Attributes:
        trouble: Empty when it is well; else black, overexposed, frozen, blurred, moved, stale, lost, crashed, uncalibrated
            or decks (a deck that was shown to it cannot be used, everything else is well).
        at: On the camera's clock (s).
        fps: Pictures worked on in the last second.
        busy: Share of the time that a picture takes to work on.
        off_mm: How far the markers lie from where they should (mm); None without any.
        detail: For the technician.
    """

    trouble: str
    at: float = 0.0
    fps: float = 0.0
    busy: float = 0.0
    off_mm: float | None = None
    detail: str = ""


Message = Sighting | CameraState

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def encode(message: Message) -> bytes:
    """One line for the pipe."""
    return _ENCODER.encode(message) + b"\n"


def decode(line: bytes) -> Message:
    """Read one line of the pipe.

    Raises:
        msgspec.DecodeError: It is not one.
    """
    return _DECODER.decode(line)
