"""``maldonne look``: the cards in pictures, a video or what a camera sees now.

A picture gives one line of JSON, a video one for each picture looked at, a camera one for what it
shows when it is asked. ``--draw DIR`` writes the pictures with the cards drawn in.
"""

import argparse
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from maldonne.errors import CommandError, InputError
from maldonne.texts import chosen_language, say
from vision.calibration import Calibration, Plane, load
from vision.detect import SeenCard, draw, find_cards
from vision.errors import VisionError
from vision.frames import EndOfRecording, open_source
from vision.recognise import EnrolledDeck
from vision.zones import Zones

PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"})
WAIT: Final = 10.0
"""Seconds that a camera may take for its first picture."""

Image = npt.NDArray[np.uint8]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "sources", nargs="+", metavar="IMAGE|VIDEO|CAMERA", help="files, /dev/video0, http://…"
    )
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="the camera's calibration: names places"
    )
    parser.add_argument("--deck", type=Path, metavar="FILE", help="an enrolled deck")
    parser.add_argument("--draw", type=Path, metavar="DIR", help="write the pictures with the cards drawn in")
    parser.add_argument(
        "--every", type=float, default=0.5, metavar="S", help="a video: seconds between pictures"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON for a picture")


class _Table:
    """The calibrated table: millimetres, and the name of the place where a card lies."""

    def __init__(self, calibration: Calibration) -> None:
        self.plane: Plane = calibration.plane()
        self.zones: Zones = calibration.all_zones()
        self.size = calibration.size

    def scale_mm(self, image: Image, name: str) -> float:
        """Millimetres per pixel in the middle of the picture.

        Raises:
            InputError: The picture is not of the calibrated size.
        """
        height, width = image.shape[:2]
        if (width, height) != tuple(self.size):
            raise InputError(
                f"the picture is {width}×{height}, the calibration is for {self.size[0]}×{self.size[1]}",
                where=name,
            )
        return self.plane.mm_per_pixel(width / 2, height / 2)

    def place(self, card: SeenCard) -> str:
        """Name the zone under the middle of a card."""
        x, y = self.plane.to_mm(card.quad).mean(axis=0)
        return self.zones.at(float(x), float(y)).name


def run(options: argparse.Namespace) -> int:
    """Look at everything named.

    Raises:
        InputError: A file that is absent or no picture, a calibration or a deck that cannot be used.
    """
    if not options.every > 0:
        raise InputError("--every must be more than 0 seconds", where="--every")
    for source in options.sources:
        if not source.startswith(("http://", "https://", "/dev/", "pipe:")) and source != "rpicam":
            _must_be_file(source)
    table, deck = None, None
    try:
        if options.calibration is not None:
            table = _Table(load(options.calibration))
        if options.deck is not None:
            deck = EnrolledDeck.load(options.deck)
    except VisionError as error:
        raise InputError(error.what, where=error.where, hint=error.hint) from error
    if options.draw is not None:
        try:
            options.draw.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"no folder to draw into: {error.strerror}", where=str(options.draw)) from error
    language = chosen_language()
    for source in options.sources:
        for name, image in _pictures(source, options.every):
            scale = table.scale_mm(image, name) if table else None
            try:
                cards = find_cards(image, scale_mm=scale, deck=deck)
            except VisionError as error:
                raise CommandError(error.what, where=error.where, hint=error.hint) from error
            if options.json:
                print(
                    json.dumps(
                        {"file": name, "cards": [_record(card, table) for card in cards]}, ensure_ascii=False
                    )
                )
            else:
                _tell(name, cards, table, language)
            if options.draw is not None:
                _write(options.draw / f"{Path(name).stem}.png", draw(image, cards))
    return 0


def _must_be_file(source: str) -> None:
    """Refuse what is no readable file, before anything is done."""
    try:
        with Path(source).open("rb") as stream:
            if not stream.read(1):
                raise InputError("the file is empty", where=source)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=source) from error


def _pictures(source: str, every: float) -> Iterator[tuple[str, Image]]:
    """Give the pictures of a source, each with a name."""
    if Path(source).suffix.lower() in PICTURES:
        image = cv2.imdecode(np.fromfile(source, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise InputError("is no picture that can be read", where=source)
        yield source, image.astype(np.uint8)
        return
    try:
        with open_source(source) as pictures:
            if pictures.live:
                yield source, pictures.read(WAIT).image
                return
            due = 0.0
            with contextlib.suppress(EndOfRecording):
                while True:
                    frame = pictures.read(WAIT)
                    if frame.t >= due:
                        due = frame.t + every
                        yield f"{source}#{frame.t:.2f}", frame.image
    except VisionError as error:
        raise InputError(error.what, where=error.where or source, hint=error.hint) from error


def _record(card: SeenCard, table: _Table | None) -> dict[str, Any]:
    """Give a card in the command's form."""
    record: dict[str, Any] = {
        "card": card.card,
        "face": "up" if card.face else "down",
        "confidence": round(card.confidence, 4),
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad],
        "visible": round(card.visible, 3),
    }
    if table is not None:
        record["place"] = table.place(card)
    return record


def _tell(name: str, cards: tuple[SeenCard, ...], table: _Table | None, language: str) -> None:
    """Print what was found, for people."""
    print(say(language, "look.file", file=name, count=len(cards)))
    for card in cards:
        x, y = (round(float(value)) for value in card.quad.mean(axis=0))
        what = card.card or say(language, "look.unread" if card.face else "look.back")
        where = table.place(card) if table else ""
        print(f"  {what:<10} {card.confidence:4.2f}  {x:5d} {y:5d}  {where}".rstrip())


def _write(file: Path, image: Image) -> None:
    """Write a drawn picture."""
    done, data = cv2.imencode(".png", image)
    try:
        if not done:
            raise OSError(0, "the picture cannot be encoded")
        file.write_bytes(data.tobytes())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(file)) from error
