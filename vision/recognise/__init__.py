"""Reading cards: crops and corner indices by trained networks, and enrolled decks."""

from vision.recognise.cards import CARDS, TOLD
from vision.recognise.deck import BACK, DeckUnusable, EnrolledDeck, Enrolment
from vision.recognise.reader import Readings, read_crops, read_patches

__all__ = [
    "BACK",
    "CARDS",
    "TOLD",
    "DeckUnusable",
    "EnrolledDeck",
    "Enrolment",
    "Readings",
    "read_crops",
    "read_patches",
]
