"""``maldonne calibrate``: the camera learns its table.

maldonne calibrate --sheet markers.pdf            print the markers, lay them on the rail, 0 at the dealer's right
maldonne calibrate /dev/video0 --picture zones.png  write camera.json, draw the zones over the picture
maldonne calibrate /dev/video0 --ready            table ready? one card past each place
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import cv2
import msgspec
import numpy as np

from maldonne.calibrate_sheet import SQUARE_MM, write_sheet
from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language, say
from vision.calibration import (
    Calibration,
    CalibrationError,
    Lens,
    Markers,
    Plane,
    calibrate_lens,
    learn_layout,
    load,
    save,
)
from vision.detect import find_cards
from vision.errors import VisionError
from vision.frames import EndOfRecording, Frame, Image, NoFrame, Source, open_source
from vision.health import look_at
from vision.sightings import Sighting
from vision.watcher import Find, Watcher
from vision.zones import Zone, standard_zones

WAIT: Final = 10.0
"""A camera may take so long for its first picture (s)."""
_TRIES: Final = 30
_COLOURS: Final = {
    "seat": (220, 160, 40),
    "board": (60, 200, 60),
    "deck": (40, 40, 220),
    "burn": (40, 130, 230),
    "muck": (200, 60, 200),
    "rail": (160, 160, 160),
    "felt": (90, 200, 200),
    "corridor": (230, 230, 120),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("camera", nargs="?", help="/dev/video0, http://…, rpicam, a picture")
    parser.add_argument("--output", default="camera.json", metavar="F", help="the calibration file")
    parser.add_argument("--sheet", metavar="PDF", help="write the sheets to print, and nothing else")
    parser.add_argument(
        "--markers", type=int, default=8, metavar="N", help="how many markers on the sheet (4 to 50)"
    )
    parser.add_argument(
        "--marker-mm", type=float, default=70.0, metavar="MM", help="side of a marker's black square"
    )
    parser.add_argument("--length", type=float, default=1840.0, metavar="MM", help="of the felt")
    parser.add_argument("--width", type=float, default=940.0, metavar="MM", help="of the felt")
    parser.add_argument("--rail", type=float, default=110.0, metavar="MM", help="width of the rail")
    parser.add_argument("--seats", type=int, default=10, metavar="N", help="places beside the dealer's")
    parser.add_argument(
        "--lens", nargs="+", metavar="PICTURE", help="pictures of the printed board, for the lens"
    )
    parser.add_argument("--picture", metavar="PNG", help="write the picture with the zones drawn in")
    parser.add_argument("--ready", action="store_true", help="table ready? pass one card over each place")
    parser.add_argument("--seconds", type=float, default=120.0, metavar="S", help="how long --ready watches")


def run(options: argparse.Namespace) -> int:
    """Calibrate, print or check.

    Raises:
        InputError: An option that cannot be used.
        CommandError: The camera shows no table.
    """
    language = chosen_language()
    if not 20 <= options.marker_mm <= 200 or not 4 <= options.markers <= 50 or not 1 <= options.seats <= 10:
        raise InputError(
            "out of its range", where="--marker-mm, --markers, --seats", hint="20–200 mm, 4–50, 1–10"
        )
    if options.sheet is not None:
        write_sheet(Path(options.sheet), marker_mm=options.marker_mm, count=options.markers)
        print(say(language, "calibrate.sheet", path=options.sheet, size=f"{options.marker_mm:g}"))
        return 0
    if options.camera is None:
        raise InputError("which camera?", where="camera", hint="/dev/video0, http://…, rpicam or a picture")
    try:
        with open_source(options.camera) as source:
            if options.ready:
                return _ready(source, load(Path(options.output)), language, options.seconds, find_cards)
            return _calibrate(source, options, language)
    except VisionError as error:
        raise CommandError(error.what, where=error.where, hint=error.hint) from None


# -- calibrate ------------------------------------------------------------------------------------------------


def _calibrate(source: Source, options: argparse.Namespace, language: str) -> int:
    lens = _lens(options.lens, language) if options.lens else None
    frame, plane, calibration, error = _learn(source, lens, options)
    save(calibration, Path(options.output))
    middle = (frame.image.shape[1] / 2, frame.image.shape[0] / 2)
    card = 63.0 / plane.mm_per_pixel(*middle)
    print(
        say(
            language,
            "calibrate.done",
            path=options.output,
            markers=len(calibration.markers),
            error=f"{error:.1f}",
            card=f"{card:.0f}",
        )
    )
    if card < 28:
        print(say(language, "calibrate.far"))
    if options.picture is not None:
        cv2.imwrite(options.picture, draw_zones(frame.image, plane, calibration.zones))
        print(say(language, "calibrate.picture", path=options.picture))
    return 0


def _lens(paths: list[str], language: str) -> Lens:
    pictures: list[Image] = []
    for path in paths:
        read = cv2.imread(path, cv2.IMREAD_COLOR)
        if read is None:
            raise InputError("cannot be read as a picture", where=path)
        pictures.append(np.asarray(read, dtype=np.uint8))
    lens = calibrate_lens(pictures, SQUARE_MM)
    print(say(language, "calibrate.lens", error=f"{lens.error:.2f}"))
    return lens


def _learn(
    source: Source, lens: Lens | None, options: argparse.Namespace
) -> tuple[Frame, Plane, Calibration, float]:
    """The picture with most markers of some, and what it teaches."""
    markers = Markers()
    best: tuple[int, Frame] | None = None
    for frame in _frames(source, _TRIES):
        count = len(markers.find(frame.image))
        if best is None or count > best[0]:
            best = (count, frame)
    if best is None:
        raise CalibrationError("no picture came", hint="look at the camera's cable")
    frame = best[1]
    layout, plane, error = learn_layout(markers.find(frame.image), options.marker_mm, lens)
    height, width = frame.image.shape[:2]
    a, b, c, d, e, f, g, h, i = (float(v) for v in plane.homography.ravel())
    calibration = Calibration(
        size=(width, height),
        marker_mm=options.marker_mm,
        markers=layout,
        homography=(a, b, c, d, e, f, g, h, i),
        zones=standard_zones(options.length, options.width, seats=options.seats, rail=options.rail),
        lens=lens,
        sharpness=look_at(frame.image).sharpness,
        taken=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return frame, plane, calibration, error


def _frames(source: Source, count: int) -> Iterator[Frame]:
    for _ in range(count):
        try:
            yield source.read(WAIT)
        except EndOfRecording:
            return


def draw_zones(image: Image, plane: Plane, zones: tuple[Zone, ...]) -> Image:
    """The picture with every zone's outline and name."""
    drawn = image.copy()
    for zone in reversed(zones):
        if not zone.corners:
            continue
        points = np.round(plane.to_pixels(zone.corners)).astype(np.int32)
        colour = _COLOURS.get(zone.name.rstrip("0123456789"), (255, 255, 255))
        cv2.polylines(drawn, [points], True, colour, 2, cv2.LINE_AA)
        if zone.name not in ("felt", "rail", "corridor"):
            x, y = points.mean(axis=0)
            at = (int(x) - 5 * len(zone.name), int(y) + 5)
            cv2.putText(drawn, zone.name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)
    return drawn


# -- table ready? ---------------------------------------------------------------------------------------------


def _ready(source: Source, calibration: Calibration, language: str, seconds: float, find: Find) -> int:
    """One card past each place: green when the camera saw it there, red when not."""
    wanted = [zone.name for zone in calibration.zones if zone.card]
    seen: set[str] = set()
    watcher = Watcher(msgspec.structs.replace(calibration), find, live=source.live)
    print(say(language, "calibrate.pass", seconds=f"{seconds:g}"))
    until = time.monotonic() + seconds
    while time.monotonic() < until and not set(wanted) <= seen:
        try:
            frame = source.read(1.0)
        except NoFrame:
            continue
        except EndOfRecording:
            break
        for message in watcher.feed(frame):
            if isinstance(message, Sighting) and message.zone in wanted and message.zone not in seen:
                seen.add(message.zone)
                print(say(language, "calibrate.green", place=message.zone), flush=True)
    for place in wanted:
        if place not in seen:
            print(say(language, "calibrate.red", place=place))
    return 0 if set(wanted) <= seen else 1
