"""What goes over the pipe comes back as it was, and prints no card."""

from __future__ import annotations

import msgspec
import pytest

from vision.sightings import CameraState, Sighting, decode, encode

SIGHT = Sighting(
    kind="turned", track=3, at=1.5, x=1.0, y=2.0, zone="seat3", face="up", card="Ah", confidence=0.99
)


@pytest.mark.parametrize("message", [SIGHT, CameraState(trouble="black", at=2.0, fps=14.9, off_mm=0.2)])
def test_a_message_is_one_line_and_comes_back(message: Sighting | CameraState) -> None:
    line = encode(message)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert decode(line) == message


def test_a_sighting_does_not_print_its_card() -> None:
    assert "Ah" not in repr(SIGHT) and "seat3" in repr(SIGHT)


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type": "sighting"}', b'{"type": "camera", "trouble": 3}'])
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(line)
