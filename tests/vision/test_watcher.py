"""Whole pictures through the watcher: what lies on a printed marker."""

from __future__ import annotations

import random
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from benchmarks.camera_stage import calibrate, lens_of
from hw_sim.camera_scene import Scene
from hw_sim.world import World, make_deck
from vision.detect import SeenCard
from vision.frames import Frame, Image
from vision.sightings import Sighting
from vision.watcher import Watcher


@pytest.mark.parametrize(("covered", "told"), [(0.4, False), (1.0, True)])
def test_a_marker_partly_under_a_sleeve_is_no_back_and_a_back_on_a_marker_is_one(
    covered: float, told: bool
) -> None:
    """A card hides most of the marker that it lies on; of a marker under a sleeve the rest is as it was."""
    scene = Scene(World({"red": make_deck("red", 7, random.Random(1))}, ()))
    calibration = calibrate(scene, lens_of(scene))
    marker = next(one for one in calibration.markers if one.id == 7)
    half = np.array([31.5, 44.0])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + (marker.x, marker.y)
    quad = calibration.plane().to_pixels(corners).astype(np.float32)
    empty = scene.picture(0.0)
    changed = empty.copy()
    new = quad.copy()
    new[[1, 2]] = quad[[0, 3]] + (quad[[1, 2]] - quad[[0, 3]]) * covered
    cv2.fillConvexPoly(changed, np.round(new).astype(np.int32), (150, 60, 40), cv2.LINE_AA)
    there = False

    def find(
        frame: Image,
        *,
        scale_mm: float | None = None,
        regions: Sequence[tuple[int, int, int, int]] | None = None,
    ) -> tuple[SeenCard, ...]:
        """A reader to which whatever shows at the marker looks like a back."""
        return (
            (SeenCard(quad, face=False, card=None, confidence=0.99, visible=1.0, guess=None),)
            if there
            else ()
        )

    watcher = Watcher(calibration, find)
    said: list[str] = []
    for number in range(60):
        there = number >= 20
        image = (changed if there else empty).copy()
        image[:2] = number  # a picture in which nothing at all changes is a frozen one
        t = number / 15
        for message in watcher.feed(Frame(image, t, number, t)):
            if isinstance(message, Sighting):
                said.append(message.kind)
    assert ("dropped" in said) is told
