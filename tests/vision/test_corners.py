"""Corners of a printed square where the lines through its edges meet, whatever the lens makes of them."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.corners import refined

FINE = 16


def picture(turn: float, blur: float, side: float = 36.0) -> tuple[np.ndarray, np.ndarray]:
    """A black square on white paper as a camera sees it, and its true corners."""
    c, s = math.cos(turn), math.sin(turn)
    raw = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ np.array([[c, s], [-s, c]])
    true, paper = 60.3 + raw * side / 2, 60.3 + raw * side * 0.62
    large: np.ndarray = np.full((120 * FINE, 120 * FINE), 110, np.uint8)
    for corners, grey in ((paper, 235), (true, 25)):
        cv2.fillConvexPoly(large, np.round((corners + 0.5) * FINE - 0.5).astype(np.int32), grey)
    large = cv2.GaussianBlur(large, (0, 0), blur * FINE)
    return np.asarray(cv2.resize(large, (120, 120), interpolation=cv2.INTER_AREA), np.uint8), true


@pytest.mark.parametrize("turn", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("blur", [0.4, 0.8])
def test_a_corner_rounded_by_the_lens_is_found_where_it_is(turn: float, blur: float) -> None:
    image, true = picture(turn, blur)
    found = true - 0.25 * np.sign(
        true - true.mean(axis=0)
    )  # a quarter of a pixel inside, as a search for corners has it
    assert np.hypot(*(refined(image, found) - true).T).max() < 0.08


def test_where_no_edge_is_the_corners_stay_as_they_were_found() -> None:
    quad = np.array([[20.0, 20.0], [60.0, 20.0], [60.0, 60.0], [20.0, 60.0]])
    grey = np.full((100, 100), 90, np.uint8)
    assert refined(grey, quad) is quad
    image, true = picture(0.0, 0.6)
    far = true + 6.0
    assert refined(image, far) is far
