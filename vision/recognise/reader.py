"""Read straightened crops: whole cards, and corner indices."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.models import FOLDER, ModelMissing, run
from vision.recognise.cards import Floats, honest, joint, softmax

CROP: Final = (64, 96)
"""Width and height of a whole card's crop."""
PATCH: Final = (36, 48)
"""Width and height of an index's patch."""

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What the reader says of n whole-card crops.

    Attributes:
        kind: n × 3: not a card, face, back.
        cards: n × 53: the 52 cards, none of them; given that it is a face.
        features: n × 128, length one: what an enrolled deck is compared by.
    """

    kind: Floats
    cards: Floats
    features: Floats


@functools.cache
def reader_mark() -> str:
    """Give the mark of the reader in use: what one reader makes of a card means nothing to another.

    Raises:
        ModelMissing: The network's file is not there.
    """
    file = FOLDER / "reader.onnx"
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ModelMissing("the network 'reader' cannot be opened", where=str(file)) from error


def read_crops(crops: Sequence[Image]) -> Readings:
    """Read whole cards (64 × 96 each, either end up)."""
    if not crops:
        return Readings(
            np.zeros((0, 3), np.float32), np.zeros((0, 53), np.float32), np.zeros((0, 128), np.float32)
        )
    out = run("reader", np.stack(crops))
    features = out["features"]
    length = np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-6)
    return Readings(
        honest(softmax(out["kind"])),
        joint(honest(softmax(out["rank"])), honest(softmax(out["suit"]))),
        (features / length).astype(np.float32),
    )


def read_patches(patches: Sequence[Image]) -> Floats:
    """Read corner indices (36 × 48 each, upright): n × 53 probabilities, the last for no index."""
    if not patches:
        return np.zeros((0, 53), np.float32)
    out = run("index", np.stack(patches))
    return joint(honest(softmax(out["rank"])), honest(softmax(out["suit"])))
