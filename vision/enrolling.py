"""A deck shown to the camera card by card: which picture of a card is taken, and when the next card may come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from vision.detect import SeenCard
from vision.detect.geometry import straighten
from vision.frames import Image
from vision.gate import Region
from vision.recognise import BACK, EnrolledDeck, Enrolment, read_crops
from vision.recognise.cards import Floats
from vision.watcher import Find

PICTURES: Final = 3
"""So many pictures of a card that lies still are taken."""
STILL: Final = 2.5
"""A corner of a card that lies still moves no further from picture to picture (pixels)."""
_WHOLE: Final = 0.9
_SURE: Final = 0.98
_SAME: Final = 0.97
_TWIN: Final = 0.995
_WIDE, _HIGH = 64, 96

Seen = Literal["nothing", "several", "side", "moving", "same", "reads_other", "twin", "taken"]


class Sitting:
    """One deck before the camera.

    Attributes:
        enrolment: What has been taken so far.
        other: The card that the reader reads instead, or that looks the same, after "reads_other" and "twin".
    """

    def __init__(
        self,
        name: str,
        find: Find,
        *,
        scale_mm: float | None = None,
        region: Region | None = None,
        begun: EnrolledDeck | None = None,
    ) -> None:
        """Begin a deck, or go on with it.

        Args:
            name: The deck's name, as in `deck.csv`.
            find: Finds cards in a picture.
            scale_mm: Millimetres per pixel where the cards are laid, when the camera is calibrated.
            region: The part of the picture where they are laid; None is the whole picture.
            begun: What was taken in a sitting before.
        """
        self.enrolment = Enrolment(name, begun)
        self.other = ""
        self._find = find
        self._scale = scale_mm
        self._region = region
        self._crops: list[Image] = []
        self._quad: Floats | None = None
        self._looked: Floats | None = None
        self._last: Floats | None = (
            None  # how the card looked that was taken last, as long as it may lie there
        )

    def look(self, image: Image, wanted: str, *, insist: bool = False) -> Seen:
        """Look at one picture for the card that should lie there.

        Args:
            image: The picture, blue-green-red.
            wanted: The card's name, or "back".
            insist: A person says that it is this card, whatever the reader reads.

        Returns:
            "taken" when the card has been taken with this picture; else why not (yet).
        """
        regions = None if self._region is None else [self._region]
        cards = [
            card for card in self._find(image, scale_mm=self._scale, regions=regions) if self._here(card)
        ]
        if len(cards) != 1:
            self._begin_again()
            if not cards:
                self._last = None
            return "several" if cards else "nothing"
        card = cards[0]
        if card.face is (wanted == BACK):
            self._begin_again()
            return "side"
        crop = straighten(image, card.quad, _WIDE, _HIGH)
        features = read_crops([crop, np.ascontiguousarray(crop[::-1, ::-1])]).features
        if self._last is not None and float((features @ self._last).max()) > _SAME:
            self._begin_again()
            return "same"
        if not insist and card.card not in (None, wanted) and card.confidence >= _SURE:
            self.other = card.card or ""
            return "reads_other"
        twin = self.enrolment.like(features[0], wanted, _TWIN)
        if twin is not None:
            self.other = twin
            return "twin"
        # the pictures of one card: it lies still, and no other came in its place
        if self._quad is not None and float(np.abs(card.quad - self._quad).max()) > STILL:
            self._crops.clear()
        if self._looked is not None and float((features @ self._looked).max()) < _SAME:
            self._crops.clear()
        self._quad, self._looked = card.quad, features[0]
        self._crops.append(crop)
        if len(self._crops) < PICTURES:
            return "moving"
        self.enrolment.add(wanted, self._crops)
        self._last = features[0]
        self._begin_again()
        return "taken"

    def _begin_again(self) -> None:
        self._crops.clear()
        self._quad = self._looked = None

    def _here(self, card: SeenCard) -> bool:
        """Whether a card lies whole where cards are shown."""
        if card.visible < _WHOLE:
            return False
        if self._region is None:
            return True
        left, top, width, height = self._region
        x, y = card.quad.mean(axis=0)
        return bool(left <= x < left + width and top <= y < top + height)


def joined(decks: Sequence[EnrolledDeck]) -> EnrolledDeck | None:
    """Several enrolled decks that take turns, read as one: a card is whichever of their faces it is most like."""
    if not decks:
        return None
    return EnrolledDeck(
        "+".join(deck.name for deck in decks),
        tuple(name for deck in decks for name in deck.names),
        np.concatenate([deck.features for deck in decks]),
        decks[0].reader,
    )
