"""Names and numbers of what the networks say, shared by rendering, training and measuring."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Image: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float32]
Generator: TypeAlias = np.random.Generator

RANKS = "23456789TJQKA"
SUITS = "shdc"
OTHER_RANKS = ("B", "D", "V", "R", "E", "1", "11", "12", "O", "U", "C", "Z", "P", "X", "14")
"""Indices of decks that this reader must not guess: foreign court letters, numbers, trumps."""

OTHER = 13
"""Class of a rank that is none of the thirteen."""
NO_SUIT = 4
"""Class of a card without a suit (joker, blank)."""
NOT_A_CARD, FACE, BACK = 0, 1, 2
"""Kinds of a whole crop."""
IGNORED = -1
"""Label that a loss leaves out."""


def rank_class(card: str) -> int:
    """Give a card's rank class, 13 for what is none of ours."""
    place = RANKS.find(card[0]) if len(card) == 2 else -1
    return place if place >= 0 else OTHER


def suit_class(card: str) -> int:
    """Give a card's suit class, 4 for none."""
    place = SUITS.find(card[-1])
    return place if place >= 0 else NO_SUIT
