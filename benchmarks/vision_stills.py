"""What the eyes read in still pictures: `make bench-vision`.

Measures every target of docs/vision.md that stills can measure, prints it with the number of cases
behind it, and writes the table into the document. The photos (`MALDONNE_PHOTOS`, by default
../shared/data/photos) are for measuring only; they are no part of the project.

A detection matches a label when the card is the same and, where the label has a box, the two boxes
share at least 30 % of the smaller one; each label is matched once.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.detect import SeenCard, find_cards
from vision.detect.find import UNREAD_FACE, VIEWS
from vision.detect.geometry import card_size, ordered, straighten
from vision.recognise import TOLD, Readings, read_crops
from vision.recognise.cards import best

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENT: Final = ROOT / "docs" / "vision.md"
PHOTOS: Final = Path(os.environ.get("MALDONNE_PHOTOS", ROOT.parent / "shared" / "data" / "photos"))
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
HELD_OUT: Final = Path("/usr/share/aisleriot/cards")
"""Debian's gnome-cards-data: decks that training never sees (GPL, measured with only)."""

Row = tuple[str, str, str, str]


def matches(card: SeenCard, label: dict[str, Any]) -> bool:
    """Say whether a detection is of the labelled card."""
    if card.card != label["card"]:
        return False
    if label["bbox"] is None:
        return True
    x0, y0, x1, y1 = label["bbox"]
    (a0, b0), (a1, b1) = card.quad.min(axis=0), card.quad.max(axis=0)
    shared = max(0.0, min(x1, a1) - max(x0, a0)) * max(0.0, min(y1, b1) - max(y0, b0))
    return bool(shared > 0.3 * min((x1 - x0) * (y1 - y0), (a1 - a0) * (b1 - b0)))


def count_photo(entry: dict[str, Any], cards: Sequence[SeenCard]) -> Counter[str]:
    """Count one photo: told, right, wanted, in full and in part; faces and backs."""
    counts: Counter[str] = Counter()
    left = [label for label in entry["boxes"] if label["face"] == "up"]
    for label in left:
        counts["wanted"] += 1
        counts["wanted_" + label["visible"]] += 1
    for card in cards:
        if card.card is None:
            counts["unread" if card.face else "backs"] += 1
            continue
        counts["told"] += 1
        hit = next((label for label in left if matches(card, label)), None)
        if hit is None:
            counts["wrong"] += 1
        else:
            left.remove(hit)
            counts["right"] += 1
            counts["right_" + hit["visible"]] += 1
    return counts


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "–"


def photos(labels: list[dict[str, Any]], step: int) -> tuple[list[Row], list[str]]:
    """Measure `find_cards` on the photos."""
    sets: dict[str, Counter[str]] = {}
    times = []
    for entry in labels[::step]:
        image = cv2.imread(str(PHOTOS / entry["file"]))
        begun = time.process_time()
        cards = find_cards(image)
        times.append(1000 * (time.process_time() - begun))
        sets.setdefault(entry["file"][:2], Counter()).update(count_photo(entry, cards))
    everything, known = Counter[str](), Counter[str]()
    for name, counts in sets.items():
        everything.update(counts)
        if name != "an":
            known.update(counts)
    number = len(labels[::step])
    jb, an = sets.get("jb", Counter()), sets.get("an", Counter())
    rows = [
        (
            "photos, precision, all",
            "≥ 0.99",
            _share(everything["right"], everything["told"]),
            f"{number} photos",
        ),
        (
            "photos, recall, fully visible (without `an`)",
            "≥ 0.97",
            _share(known["right_full"], known["wanted_full"]),
            "",
        ),
        ("photos, recall, all (without `an`)", "≥ 0.90", _share(known["right"], known["wanted"]), ""),
        ("overhead table `jb`, recall", "≥ 0.85", _share(jb["right"], jb["wanted"]), ""),
        ("overhead table `jb`, precision", "≥ 0.98", _share(jb["right"], jb["told"]), ""),
        (
            "unknown deck `an`, wrong identities told",
            "0",
            f"{an['wrong']} of {an['told']} told",
            f"{an['wanted']} cards",
        ),
        (
            "whole picture, four sizes, ms",
            "",
            f"median {statistics.median(times):.0f}, p95 {sorted(times)[int(0.95 * (len(times) - 1))]:.0f}",
            "processor time, this machine, other programs running",
        ),
    ]
    lines = [
        "| set | precision | recall | fully visible | partly | faces not read |",
        "|---|---|---|---|---|---|",
    ]
    for name, counts in sorted(sets.items()):
        lines.append(
            f"| `{name}` | {_share(counts['right'], counts['told'])} | {_share(counts['right'], counts['wanted'])} | "
            f"{_share(counts['right_full'], counts['wanted_full'])} | "
            f"{_share(counts['right_partial'], counts['wanted_partial'])} | {counts['unread']} |"
        )
    return rows, lines


def _moved(crop: np.ndarray, length: float, angle: float) -> np.ndarray:
    """Blur along a line of a length in pixels."""
    size = max(3, 2 * math.ceil(length / 2) + 1)
    kernel = np.zeros((size * 8, size * 8), np.float32)
    middle = size * 4
    reach = length * 4
    dx, dy = reach * math.cos(angle), reach * math.sin(angle)
    cv2.line(kernel, (int(middle - dx), int(middle - dy)), (int(middle + dx), int(middle + dy)), 1.0, 8)
    kernel = cv2.resize(kernel, (size, size), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.filter2D(crop, -1, kernel / kernel.sum()))


def outlines(labels: list[dict[str, Any]], step: int) -> list[Row]:
    """Measure the reader alone, on cards whose outline is known, at 32 pixels' width.

    Once as one reading of each card, once as `find_cards` reads a face: four times, averaged.
    """
    rng = np.random.default_rng(1)
    plain: list[list[np.ndarray]] = []
    moved: list[list[np.ndarray]] = []
    names: list[str] = []
    for entry in labels[::step]:
        quads = [
            label
            for label in entry["boxes"]
            if label["quad"] and label["face"] == "up" and label["visible"] == "full"
        ]
        if not quads:
            continue
        image = cv2.imread(str(PHOTOS / entry["file"]))
        for label in quads:
            quad = ordered(label["quad"])
            factor = 32 / card_size(quad)[0]
            small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
            # Pixels are areas: their centres move by half of what a pixel grows.
            there = ((quad + 0.5) * factor - 0.5).astype(np.float32)
            blurred = _moved(small, 4 / 63.5 * 32, float(rng.uniform(0, math.pi)))
            plain.append(_four(small.astype(np.uint8), there))
            moved.append(_four(blurred.astype(np.uint8), there))
            names.append(label["card"])
    rows = []
    for what, target, crops in (("32 px", "≥ 99.3 %", plain), ("32 px, 4 mm blur", "≥ 98.8 %", moved)):
        readings = [read_crops([views[number] for views in crops]) for number in range(1 + len(VIEWS))]
        for how, wanted, used in (("", target, readings[:1]), (", four readings", "–", readings)):
            tables = np.mean([reading.cards for reading in used], axis=0)
            guessed = [best(table) for table in tables]
            right = sum(guess == name for (guess, _), name in zip(guessed, names, strict=True))
            told = [
                (guess, name)
                for (guess, p), kind, name in zip(guessed, readings[0].kind, names, strict=True)
                if p * kind[1] >= TOLD
            ]
            wrong = sum(guess != name for guess, name in told)
            rows.append(
                (
                    f"reader, known outlines, {what}{how}",
                    wanted,
                    f"{100 * right / max(1, len(names)):.1f} %",
                    f"{len(names)} cards; told {len(told)}, {wrong} of them wrong",
                )
            )
    return rows


def _four(picture: np.ndarray, quad: np.ndarray) -> list[np.ndarray]:
    """Cut a card out as it is read: as it lies, and as it is looked at again."""
    centre = quad.mean(axis=0)
    views = [quad]
    for scale, turned in VIEWS:
        views.append(np.roll(centre + (quad - centre) * scale, 2 if turned else 0, axis=0))
    return [straighten(picture, np.ascontiguousarray(view, np.float32), 64, 96) for view in views]


def _held_out_backs(scratch: Path) -> Iterator[np.ndarray]:
    """Draw the backs of decks that training never sees."""
    for file in sorted(HELD_OUT.glob("*.svgz")):
        target = scratch / f"{file.stem}.png"
        done = subprocess.run(
            ["rsvg-convert", "-i", "back", str(file), "-h", "280", "-o", str(target)],
            capture_output=True,
            timeout=60,
        )
        image = cv2.imread(str(target), cv2.IMREAD_UNCHANGED) if done.returncode == 0 else None
        if image is not None:
            yield cv2.resize(image, (200, 280), interpolation=cv2.INTER_AREA)


def _taken_for_faces(readings: Readings) -> int:
    """Count what `find_cards` would call a face: named, or surely a face."""
    named = readings.kind[:, 1] * readings.cards[:, :52].max(axis=1) >= TOLD
    return int((named | (readings.kind[:, 1] >= UNREAD_FACE)).sum())


def backs(folder: Path, labels: list[dict[str, Any]], number: int) -> list[Row]:
    """Measure how often a back is read as a face: own backs, other makers' and real ones, in scenes."""
    from vision.training.art import load
    from vision.training.decks import Deck, Side, make_back, make_deck
    from vision.training.scenes import make_scene

    rng = np.random.default_rng(987_654)
    art = load(folder)
    with tempfile.TemporaryDirectory() as name:
        foreign = [Side(image, None, ()) for image in _held_out_backs(Path(name)) if image.shape[2] == 4]
    crops = []
    base = make_deck(art, rng)
    sides = [make_back(art, rng) for _ in range(60)] + foreign
    decks = [Deck(dict.fromkeys(base.faces, side), (side,), side) for side in sides]
    while len(crops) < number:
        scene = make_scene(decks, rng)
        crops += [
            straighten(scene.image, card.quad, 64, 96)
            for card in scene.cards
            if card.visible > 0.7 and card_size(ordered(card.quad))[0] > 24
        ]
    readings = read_crops(crops)
    kinds = readings.kind
    as_face = _taken_for_faces(readings)
    rows: list[Row] = [
        (
            "backs, rendered, read as a face",
            "0",
            f"{as_face} of {len(crops)}",
            f"60 of our own (unseen seeds), {len(foreign)} of other makers; called a back: {int((kinds[:, 2] > 0.5).sum())}",
        )
    ]
    real = [
        straighten(cv2.imread(str(PHOTOS / entry["file"])).astype(np.uint8), ordered(_corners(label)), 64, 96)
        for entry in labels
        for label in entry["boxes"]
        if label["face"] == "down" and label["bbox"]
    ]
    if real:
        rows.append(
            (
                "backs, real, read as a face",
                "0",
                f"{_taken_for_faces(read_crops(real))} of {len(real)}",
                "boxes of pairs among them",
            )
        )
    return rows


def _corners(label: dict[str, Any]) -> Any:
    x0, y0, x1, y1 = label["bbox"]
    return label["quad"] or [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def main() -> None:
    """Measure, print, and write the table into the document."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vision_stills", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="every n-th photo only (then nothing is written)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "training", help="card art of `make train`"
    )
    parser.add_argument("--backs", type=int, default=600, help="rendered backs")
    options = parser.parse_args()
    rows: list[Row] = []
    lines: list[str] = []
    labels: list[dict[str, Any]] = []
    if (PHOTOS / "labels.json").exists():
        labels = json.loads((PHOTOS / "labels.json").read_text(encoding="utf-8"))
        rows, lines = photos(labels, options.step)
        rows += outlines(labels, options.step)
    else:
        print(f"no photos in {PHOTOS}: set MALDONNE_PHOTOS")
    rows += backs(options.folder, labels, options.backs)
    table = ["| what | target | measured | of what |", "|---|---|---|---|"]
    table += [f"| {what} | {target} | {measured} | {remark} |" for what, target, measured, remark in rows]
    text = "\n".join([*table, "", *lines])
    print(text)
    if options.step == 1 and lines and DOCUMENT.exists():
        document = DOCUMENT.read_text(encoding="utf-8")
        before, _, rest = document.partition(BEGIN)
        _, _, after = rest.partition(END)
        DOCUMENT.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
