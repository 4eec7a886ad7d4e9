"""What the readers know of cards: their names, and probabilities over them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
CARDS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The fifty-two, in the order of every table of probabilities."""
TOLD: Final = 0.9
"""Below this probability a reader abstains."""


SMOOTHED: Final = 0.02
"""Share of every training label that was spread over all classes (`vision/training/learn.py`)."""


def honest(shares: Floats) -> Floats:
    """Take the spread label share out again: a network taught to say 0.98 at most means 1 by it."""
    classes = shares.shape[-1]
    raw = np.clip((shares - SMOOTHED / classes) / (1 - SMOOTHED), 1e-4, 1)
    cleared: Floats = (raw / raw.sum(axis=-1, keepdims=True)).astype(np.float32)
    return cleared


def softmax(logits: Floats) -> Floats:
    """Turn logits (last axis) into probabilities."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = (raised / raised.sum(axis=-1, keepdims=True)).astype(np.float32)
    return shares


def joint(rank: Floats, suit: Floats) -> Floats:
    """Give probabilities of the 52 cards and, as the 53rd, of none of them.

    Args:
        rank: n × 14, the last for an index that is none of the thirteen.
        suit: n × 5, the last for no suit.
    """
    both = rank[:, :13, None] * suit[:, None, :4]
    cards = both.reshape(len(rank), 52)
    none = np.clip(1 - cards.sum(axis=1, keepdims=True), 1e-6, 1)
    table: Floats = np.concatenate([cards, none], axis=1).astype(np.float32)
    return table


def combined(first: Floats, second: Floats) -> Floats:
    """Join two independent readings of the same card (53 probabilities each)."""
    product = np.clip(first, 1e-5, 1) * np.clip(second, 1e-5, 1)
    table: Floats = (product / product.sum()).astype(np.float32)
    return table


UNTAUGHT: Final = 0.3
"""What a network reads counts this power of its probability beside a deck's own faces: it has never seen that deck, and is
as sure of a mistake about a club's courts as of anything."""


def tempered(table: Floats) -> Floats:
    """Take a network's word less surely, where an enrolled deck speaks too."""
    softer: Floats = (np.clip(table, 1e-5, 1) ** UNTAUGHT).astype(np.float32)
    shares: Floats = (softer / softer.sum(axis=-1, keepdims=True)).astype(np.float32)
    return shares


def best(table: Floats) -> tuple[str | None, float]:
    """Give the most probable card and its probability; None when it is none of the 52."""
    place = int(table.argmax())
    return (CARDS[place] if place < 52 else None), float(table[place])
