"""Enrolled decks: what each card of a club's own deck looks like under its own camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.errors import VisionError
from vision.recognise.cards import CARDS, Floats, combined, softmax, tempered
from vision.recognise.reader import read_crops, reader_mark

BACK: Final = "back"
FORM: Final = 2
SHARPNESS: Final = 0.03
"""Difference of similarity that makes one card e times as likely as another."""
FOREIGN: Final = 0.55
"""A face less similar than this to every enrolled one belongs to another deck."""

Image = npt.NDArray[np.uint8]


class DeckUnusable(VisionError):
    """A deck's file cannot be used, or its enrolment is not complete."""

    code = "deck-unusable"
    default_hint = "enrol the deck again under the camera"


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDeck:
    """A deck whose faces and back have been shown to the camera.

    Attributes:
        name: The deck's name, as in `deck.csv`.
        names: What each row of `features` is: a card or "back".
        features: n × 128, length one.
        reader: The mark of the network that gave them: another one's cannot be compared with them.
    """

    name: str
    names: tuple[str, ...]
    features: Floats
    reader: str

    def compare(self, features: Floats) -> tuple[Floats, float, bool]:
        """Compare one crop's features with the deck.

        Returns:
            Probabilities of the 52 cards and of none of them; the greatest similarity (−1 to 1); and
            whether the most similar row is the deck's back.
        """
        similar = self.features @ features
        cards = np.full(53, -1.0, np.float32)
        for name, value in zip(self.names, similar, strict=True):
            if name != BACK:
                place = CARDS.index(name)
                cards[place] = max(cards[place], value)
        cards[52] = FOREIGN
        top = int(similar.argmax())
        return softmax(cards / np.float32(SHARPNESS)), float(similar[top]), self.names[top] == BACK

    def read(self, table: Floats, features: Floats) -> Floats:
        """Join what the reader makes of a face (53 probabilities) with what the deck's own faces look like."""
        return combined(tempered(table), self.compare(features)[0])

    def save(self, file: Path) -> None:
        """Write the deck to a file (`.npz`), all or nothing."""
        unfinished = file.with_suffix(".part")
        with unfinished.open("wb") as stream:
            np.savez_compressed(
                stream,
                form=np.array([FORM]),
                name=np.array([self.name]),
                names=np.array(self.names),
                features=self.features,
                reader=np.array([self.reader]),
            )
        unfinished.replace(file)

    @staticmethod
    def load(file: Path) -> EnrolledDeck:
        """Read a deck.

        Raises:
            DeckUnusable: The file is absent, no deck, of another form, or enrolled with another reader.
        """
        try:
            with np.load(file, allow_pickle=False) as stored:
                form, name = int(stored["form"][0]), str(stored["name"][0])
                names = tuple(str(one) for one in stored["names"])
                features = stored["features"].astype(np.float32)
                reader = str(stored["reader"][0]) if "reader" in stored else ""
        except (OSError, KeyError, ValueError, IndexError) as error:
            raise DeckUnusable("this is no enrolled deck", where=str(file)) from error
        if form < FORM or reader != reader_mark():
            raise DeckUnusable("it was enrolled with another reader than the one installed", where=str(file))
        if form != FORM or features.ndim != 2 or len(names) != len(features):
            raise DeckUnusable(f"form {form} of an enrolled deck is not known here", where=str(file))
        if not set(names) <= {*CARDS, BACK}:
            raise DeckUnusable("it names cards that do not exist", where=str(file))
        return EnrolledDeck(name, names, features, reader)


class Enrolment:
    """Gathers a deck card by card; the name comes from the card's tag or from a person."""

    def __init__(self, name: str, begun: EnrolledDeck | None = None) -> None:
        """Begin the deck `name`, or go on with what was taken of it before."""
        self.name = name
        self._names: list[str] = list(begun.names) if begun else []
        self._features: list[Floats] = list(begun.features) if begun else []

    def add(self, card: str, crops: Sequence[Image]) -> None:
        """Take pictures of one card (64 × 96 crops, upright either way), or of the back.

        Raises:
            DeckUnusable: There is no such card, or a crop shows another side than named.
        """
        if card not in CARDS and card != BACK:
            raise DeckUnusable(
                f"there is no card {card!r}", hint='cards are named like "Ah"; the back is "back"'
            )
        both_ends = [turned for crop in crops for turned in (crop, np.ascontiguousarray(crop[::-1, ::-1]))]
        readings = read_crops(both_ends)
        for kind, features in zip(readings.kind, readings.features, strict=True):
            if (kind[2] > 0.95 and card != BACK) or (kind[1] > 0.95 and card == BACK):
                side = "back" if kind[2] > 0.5 else "face"
                raise DeckUnusable(
                    f"the picture of {card} shows a {side}", hint="turn the card and show it again"
                )
            self._names.append(card)
            self._features.append(features)

    def take_back(self, card: str) -> None:
        """Forget what was taken of a card."""
        kept = [pair for pair in zip(self._names, self._features, strict=True) if pair[0] != card]
        self._names, self._features = [name for name, _ in kept], [features for _, features in kept]

    def like(self, features: Floats, but: str, least: float) -> str | None:
        """The card of another name than `but` that looks so much alike; None where there is none."""
        for name, other in zip(self._names, self._features, strict=True):
            if name != but and float(other @ features) > least:
                return name
        return None

    @property
    def taken(self) -> int:
        """How many of the 52 cards and the back have been shown."""
        return len(CARDS) + 1 - len(self.missing)

    @property
    def missing(self) -> tuple[str, ...]:
        """Cards (and the back) that have not been shown yet."""
        return tuple(name for name in (*CARDS, BACK) if name not in self._names)

    def finish(self, *, partial: bool = False) -> EnrolledDeck:
        """Give the deck.

        Args:
            partial: Accept a deck of which cards are missing; they are read without its help.

        Raises:
            DeckUnusable: Cards are missing, or two of them look the same.
        """
        if not self._names or (self.missing and not partial):
            raise DeckUnusable(f"not shown yet: {' '.join(self.missing)}")
        features = np.stack(self._features)
        similar = features @ features.T
        for row, column in zip(*np.where(similar > 0.995), strict=True):
            if self._names[row] != self._names[column]:
                raise DeckUnusable(
                    f"{self._names[row]} and {self._names[column]} look the same",
                    hint="one of them was named wrongly; show both again",
                )
        return EnrolledDeck(self.name, tuple(self._names), features, reader_mark())
