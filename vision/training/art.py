"""Card art and glyphs that training renders: fetched and drawn at training time, never committed.

Faces are by Adrian Kennard (CC0), packaged on npm as `@heruka_urgyen/react-playing-cards` 0.5.0.
Index letters are drawn from whatever fonts of a list the machine has.
"""

from __future__ import annotations

import logging
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.errors import VisionError
from vision.training.names import OTHER_RANKS, RANKS, SUITS, Image, Mask

log = logging.getLogger(__name__)

PACKAGE = "@heruka_urgyen/react-playing-cards@0.5.0"
HEIGHT = 280
WIDTH = 200
"""Size in pixels of a rendered card; every deck is drawn at it."""

FONTS = (
    ("DejaVu Sans", "bold"),
    ("DejaVu Sans", "normal"),
    ("DejaVu Sans Condensed", "bold"),
    ("DejaVu Serif", "bold"),
    ("DejaVu Serif", "normal"),
    ("Liberation Sans", "bold"),
    ("Liberation Sans", "normal"),
    ("Liberation Sans Narrow", "bold"),
    ("Liberation Sans Narrow", "normal"),
    ("Liberation Serif", "bold"),
    ("Liberation Serif", "normal"),
    ("FreeSerif", "bold"),
    ("Nimbus Roman", "bold"),
    ("Nimbus Sans Narrow", "bold"),
    ("URW Bookman", "bold"),
    ("URW Gothic", "bold"),
    ("C059", "bold"),
    ("C059", "normal"),
    ("P052", "bold"),
    ("Roboto Condensed", "bold"),
    ("Roboto", "normal"),
    ("Bebas Neue", "bold"),
    ("Bebas Neue", "normal"),
    ("Lato", "bold"),
    ("Linux Libertine O", "bold"),
    ("Old Standard TT", "bold"),
    ("Old Standard TT", "normal"),
    ("EB Garamond", "bold"),
    ("Comfortaa", "bold"),
)
"""Families and weights; what is absent is replaced by another family of the machine."""

PIP_FONTS = ("DejaVu Sans", "FreeSerif", "FreeSans", "DejaVu Sans Mono")
PIP_PATHS = {
    "s": "M50 3C44 25 8 38 8 64C8 82 34 88 46 72C46 84 40 92 32 97H68C60 92 54 84 54 72C66 88 92 82 92 64C92 38 56 25 50 3Z",
    "h": "M50 96C42 72 6 56 6 28C6 2 42 -2 50 26C58 -2 94 2 94 28C94 56 58 72 50 96Z",
    "d": "M50 2C58 22 72 40 88 50C72 60 58 78 50 98C42 78 28 60 12 50C28 40 42 22 50 2Z",
    "c": "M50 4A21 21 0 0 1 62 42A21 21 0 1 1 54 70C54 84 60 92 68 97H32C40 92 46 84 46 70A21 21 0 1 1 38 42A21 21 0 0 1 50 4Z",
}
"""Suits of our own drawing, in a square of 100."""


@dataclass(frozen=True)
class Art:
    """Everything that decks are drawn from.

    Attributes:
        cards: By style ("2color", "2color-bf", …) and card: blue-green-red and opacity, 280 × 200.
        letters: By font, then rank name: a mask cut to its ink.
        pips: By drawing, then suit: a mask cut to its ink.
        back: The package's own back.
    """

    cards: dict[str, dict[str, Image]]
    letters: list[dict[str, Mask]]
    pips: list[dict[str, Mask]]
    back: Image


def _render(svg: str | Path, height: int, scratch: Path) -> Image:
    """Draw an SVG (its text, or a file) with rsvg-convert."""
    source = scratch / "in.svg" if isinstance(svg, str) else svg
    if isinstance(svg, str):
        source.write_text(svg, encoding="utf-8")
    target = scratch / "out.png"
    subprocess.run(
        ["rsvg-convert", "-h", str(height), str(source), "-o", str(target)], check=True, timeout=60
    )
    image = cv2.imread(str(target), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise VisionError("rsvg-convert wrote no picture", where=str(source), hint="install librsvg2-bin")
    return image.astype(np.uint8)


def fetch(folder: Path) -> Path:
    """Get the art package through npm.

    Returns:
        The folder of its pictures.

    Raises:
        VisionError: npm is absent or cannot reach its registry.
    """
    images = folder / "package" / "src" / "images"
    if images.is_dir():
        return images
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=300, capture_output=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise VisionError("the card art could not be fetched", where=PACKAGE, hint="needs npm") from error
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    return images


def _cut(mask: Mask) -> Mask:
    """Cut a mask to its ink."""
    rows, columns = np.where(mask > 40)
    if not len(rows):
        return mask
    return mask[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def _letters(names: Sequence[str], family: str, weight: str, scratch: Path) -> dict[str, Mask]:
    """Draw each rank's name in one font."""
    masks = {}
    for name in names:
        word = "10" if name == "T" else name
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 140"><text x="200" y="105" '
            f'text-anchor="middle" font-family="{family}" font-weight="{weight}" font-size="100">{word}</text></svg>'
        )
        masks[name] = _cut(_render(svg, 100, scratch)[..., 3])
    return masks


def _pips(family: str | None, scratch: Path) -> dict[str, Mask]:
    """Draw the four suits from a font, or our own."""
    masks = {}
    for suit, sign in zip("shdc", "♠♥♦♣", strict=True):
        if family is None:
            body = f'<path d="{PIP_PATHS[suit]}"/>'
        else:
            body = f'<text x="50" y="88" text-anchor="middle" font-family="{family}" font-size="100">{sign}</text>'
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-20 -20 140 140">{body}</svg>'
        masks[suit] = _cut(_render(svg, 140, scratch)[..., 3])
    return masks


def load(folder: Path) -> Art:
    """Give the art, from the cache in `folder` when it has been drawn before."""
    cache = folder / "art.npz"
    if not cache.exists():
        _draw(folder, cache)
    cards: dict[str, dict[str, Image]] = {}
    letters: dict[int, dict[str, Mask]] = {}
    pips: dict[int, dict[str, Mask]] = {}
    back = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    with np.load(cache) as stored:
        for key in stored.files:
            kind, group, name = key.split("|")
            if kind == "card":
                cards.setdefault(group, {})[name] = stored[key]
            elif kind == "letter":
                letters.setdefault(int(group), {})[name] = stored[key]
            elif kind == "pip":
                pips.setdefault(int(group), {})[name] = stored[key]
            else:
                back = stored[key]
    return Art(cards, [letters[i] for i in sorted(letters)], [pips[i] for i in sorted(pips)], back)


def _draw(folder: Path, cache: Path) -> None:
    """Draw everything once and keep it."""
    images = fetch(folder)
    log.info("drawing the card art and %d fonts", len(FONTS))
    drawn: dict[str, Image] = {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for style in ("2color", "4color", "2color-bf", "4color-bf"):
            for card in (*(rank + suit for rank in RANKS for suit in SUITS), "2j"):
                file = images / style / f"{card[0]}{card[1].upper()}.svg"
                drawn[f"card|{style}|{card}"] = _sized(_render(file, HEIGHT * 2, scratch))
        drawn["back|0|0"] = _sized(_render(images / "back.svg", HEIGHT * 2, scratch))
        for number, (family, weight) in enumerate(FONTS):
            for letter, mask in _letters((*RANKS, *OTHER_RANKS), family, weight, scratch).items():
                drawn[f"letter|{number}|{letter}"] = mask
        for number, font in enumerate((None, *PIP_FONTS)):
            for suit, mask in _pips(font, scratch).items():
                drawn[f"pip|{number}|{suit}"] = mask
    np.savez_compressed(cache, **drawn)  # type: ignore[arg-type]


def _sized(image: Image) -> Image:
    return cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA).astype(np.uint8)
