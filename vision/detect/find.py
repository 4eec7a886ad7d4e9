"""Find the cards in one picture: candidates from outlines and the finder, judged by the readers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.detect.contours import contour_quads
from vision.detect.covered import covered_cards, own_index, paired_outlines
from vision.detect.finder import CARD_WIDTH, Index, search
from vision.detect.geometry import (
    CARD_HEIGHT_MM,
    Floats,
    area,
    card_size,
    card_sized,
    intersection,
    overlap,
    straighten,
)
from vision.detect.seen import Frame, Quad, SeenCard
from vision.detect.snap import snap_all
from vision.recognise.cards import TOLD, best, combined, tempered
from vision.recognise.deck import EnrolledDeck
from vision.recognise.reader import CROP, PATCH, read_crops, read_patches

Region = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""

IS_CARD: Final = 0.5
"""Least probability of being a face (or a back) with which an outline is kept."""
BARE_BACK: Final = 0.97
"""The same for a back that only contours show: a pip's field or a sheet of paper looks like one."""
UNREAD_FACE: Final = 0.95
"""Least probability of being a face for a card that cannot be named: a pale back may look like one."""
LEAST_SEEN: Final = 0.3
"""Of a face under others so much must show, or an index of its own: else its outline is one drawn across them."""
HALF_SEEN: Final = 0.5
HALF_SEEN_TOLD: Final = 0.97
"""A face of which less shows, and that no index of its own confirms, is told only when read so surely."""
FACE_OVER_PARTS: Final = 0.5
"""Least probability of its best reading for a face to be believed rather than what is found inside it."""
ENOUGH_SIZES: Final = 3
SIZES_APART: Final = 1.7
"""Cards in one picture differ in size by less (perspective); from so many surely read ones their size is known."""
VIEWS: Final = ((1.0, True), (1.03, True), (0.97, False))
"""Sizes and ends of a card's further readings."""
QUICK_WIDTH: Final = 52.0
"""Pixels that a card is wide for the finder in live pictures."""
SURE: Final = 0.97
"""In live pictures an outline that is read so surely is not read again."""
BACKED: Final = 0.3
"""In live pictures an index is not believed against a whole card that gives its reading less than this."""
SAME_PLACE: Final = 0.6
SPILLS: Final = 3.0
"""Pixels by which a whole card's outline may reach out of the part that was searched."""
SIZE_VARIES: Final = 0.06
USUAL_WIDTH_MM: Final = 60.2
WIDTH_VARIES: Final = 0.09
"""By so much (logarithm) a card's length, and its width between a bridge card's and a poker card's, may look other."""
MOST_OF_A_PLACE: Final = 3
INDEX_VIEWS: Final = (1.0, 0.9, 1.12)
MOST: Final = 400
"""Outlines judged in one picture, the likeliest first."""


@dataclass(slots=True, eq=False)
class _Candidate:
    """An outline with what the reader says of it."""

    quad: Quad
    face: bool
    sure: float
    table: Floats
    heat: float
    supported: bool = False
    misfit: float = 0.0

    @property
    def named(self) -> float:
        """Of its best reading, the probability that it is a face counted in."""
        return self.sure * float(self.table[:52].max()) if self.face else 0.0

    @property
    def score(self) -> float:
        read = self.sure * (float(self.table[:52].max()) ** 0.5 if self.face else 1.0)
        return read + 0.1 * self.heat - self.misfit


def find_cards(
    frame: Frame,
    *,
    scale_mm: float | None = None,
    regions: Sequence[Region] | None = None,
    deck: EnrolledDeck | None = None,
) -> tuple[SeenCard, ...]:
    """Find the cards in a picture, each with its outline, the side that is up and its identity.

    Args:
        frame: The picture, blue-green-red.
        scale_mm: Millimetres per pixel when the camera is calibrated: what is not card-sized is left
            out, and one size of the picture is searched instead of four.
        regions: The parts to search (left, top, width, height); None searches the whole picture. With
            `scale_mm` they are searched as live pictures are: in a fraction of the time, for the next
            picture will show what this one missed.
        deck: The enrolled deck in play, when there is one.

    Returns:
        Cards, the surest first. `card` is None where a face could not be read surely enough.

    Raises:
        ModelMissing: The networks are not installed.
    """
    height, width = frame.shape[:2]
    quick = scale_mm is not None and regions is not None
    found: list[_Candidate] = []
    indices: list[Index] = []
    for left, top, wide, high in regions if regions is not None else [(0, 0, width, height)]:
        x0, y0 = max(0, left), max(0, top)
        part = frame[y0 : min(height, top + high), x0 : min(width, left + wide)]
        if min(part.shape[:2], default=0) < 16:
            continue
        shift = np.array([x0, y0], np.float32)
        quads, marks = search(part, scale_mm, QUICK_WIDTH if quick else CARD_WIDTH)
        quads = _once(quads + paired_outlines(marks))
        if quick and scale_mm is not None:
            quads = [one for one in quads if card_sized(one[0], scale_mm)]
        snapped = snap_all(part, [quad for quad, _ in quads])
        quads += [
            (better, heat) for better, (_, heat) in zip(snapped, quads, strict=True) if better is not None
        ]
        quads += [(quad, 0.0) for quad in contour_quads(part, scale_mm, quick=quick)]
        placed = [((quad + shift).astype(np.float32), heat) for quad, heat in quads]
        if regions is not None:
            box = (x0, y0, x0 + part.shape[1], y0 + part.shape[0])
            placed = [one for one in placed if not _cut(one[0], box, (width, height))]
        found += (
            _judge_quickly(frame, placed, scale_mm, deck) if quick else _judge(frame, placed, scale_mm, deck)
        )
        indices += [Index(i.x + x0, i.y + y0, i.up_x, i.up_y, i.heat) for i in marks]
    kept = _without_doubles(_of_one_size(_whole_faces_first(found)))
    _look_again(frame, [card for card in kept if card.face and not (quick and card.named > SURE)], deck)
    tables = _read_indices(frame, indices, (1.0,) if quick else INDEX_VIEWS)
    free: list[tuple[Index, Floats]] = []
    for index, table in zip(indices, tables, strict=True):
        owner = next((one for one in kept if one.face and own_index(one.quad, index)), None)
        if owner is None:
            free.append((index, table))
        elif float(table[52]) < 0.5:
            owner.table = _joined(owner.table, table if deck is None else tempered(table), live=quick)
            owner.supported = True
    seen = [
        told
        for one in kept
        if ((told := _told(one, kept, (width, height))).card or not told.face or one.sure >= UNREAD_FACE)
        and (told.visible >= LEAST_SEEN or one.supported or not told.face)
    ]
    return tuple(sorted([*seen, *covered_cards(free, seen, scale_mm)], key=lambda card: -card.confidence))


def _cut(quad: Quad, box: Region, size: tuple[int, int]) -> bool:
    """Say whether an outline reaches out of the part that was searched: a card of which only a piece was there.

    Args:
        quad: The outline, pixels of the picture.
        box: Left, top, right, bottom of the part.
        size: Of the picture: what its own edge cuts may be a card.
    """
    (left, top), (right, bottom) = quad.min(axis=0), quad.max(axis=0)
    return bool(
        (box[0] > 0 and left < box[0] - SPILLS)
        or (box[1] > 0 and top < box[1] - SPILLS)
        or (box[2] < size[0] and right > box[2] + SPILLS)
        or (box[3] < size[1] and bottom > box[3] + SPILLS)
    )


def misfit(quad: Quad, scale_mm: float) -> float:
    """Say how far from a card's size an outline is: 0 for what perspective, height and motion make of one.

    Of two outlines that are read alike, the one of the right size lies on the card's edges.
    """
    width, height = card_size(quad)
    long = abs(math.log(height * scale_mm / CARD_HEIGHT_MM)) - SIZE_VARIES
    wide = abs(math.log(width * scale_mm / USUAL_WIDTH_MM)) - WIDTH_VARIES
    return min(0.5, 2 * max(0.0, long) + max(0.0, wide))


def _judge(
    frame: Frame, quads: list[tuple[Quad, float]], scale_mm: float | None, deck: EnrolledDeck | None
) -> list[_Candidate]:
    """Read every outline and keep those that are cards."""
    if scale_mm is not None:
        quads = [(quad, heat) for quad, heat in quads if card_sized(quad, scale_mm)]
    distinct: list[tuple[Quad, float]] = []
    for quad, heat in sorted(quads, key=lambda one: -one[1]):
        if len(distinct) < MOST and not any(np.abs(quad - other).max() < 1.5 for other, _ in distinct):
            distinct.append((quad, heat))
    # Seen at a slant a card can be as wide as it is high: read it both ways.
    for quad, heat in list(distinct):
        w, h = card_size(quad)
        if h < 1.15 * w:
            distinct.append((np.roll(quad, -1, axis=0).astype(np.float32), heat))
    readings = read_crops([straighten(frame, quad, *CROP) for quad, _ in distinct])
    kept = []
    for (quad, heat), kind, table, features in zip(
        distinct, readings.kind, readings.cards, readings.features, strict=True
    ):
        face = bool(kind[1] >= kind[2])
        if float(kind[1:].max()) < (IS_CARD if face or heat > 0 else BARE_BACK):
            continue
        if deck is not None:
            _, similar, is_back = deck.compare(features)
            if is_back and similar > 0.9:
                face = False
            elif face:
                table = deck.read(table, features)
        apart = misfit(quad, scale_mm) if scale_mm is not None else 0.0
        kept.append(_Candidate(quad, face, float(kind[1 if face else 2]), table, heat, misfit=apart))
    return kept


def _judge_quickly(
    frame: Frame, quads: list[tuple[Quad, float]], scale_mm: float | None, deck: EnrolledDeck | None
) -> list[_Candidate]:
    """Read one outline of each place, the others only where that one is not read surely.

    For live pictures: the next one comes soon, and reading is what costs.
    """
    places: list[list[tuple[Quad, float]]] = []
    for quad, heat in quads:
        if scale_mm is not None and not card_sized(quad, scale_mm):
            continue
        near = next((place for place in places if overlap(quad, place[0][0]) > SAME_PLACE), None)
        if near is None:
            places.append([(quad, heat)])
        else:
            near.append((quad, heat))
    # Of a place, the last outline is the nearest to its edges: drawn onto them, or a contour.
    found = _judge(frame, [place[-1] for place in places], scale_mm, deck)
    rest: list[tuple[Quad, float]] = []
    for place in places:
        read = [card for card in found if overlap(place[-1][0], card.quad) > SAME_PLACE]
        if any(not card.face or card.named > SURE for card in read):
            continue
        others = place[:-1][-MOST_OF_A_PLACE:]
        # Where that one is no card, another is hardly one: only what the finder itself drew is read then.
        rest += others if read else sorted(others, key=lambda one: -one[1])[:1]
    found += _judge(frame, rest, scale_mm, deck) if rest else []
    # Whether a face lies there is a question about the place: the outline that shows it best answers for all of it.
    faces = [(card.quad, card.sure) for card in found if card.face]
    for card in found:
        if card.face:
            card.sure = max(
                sure for quad, sure in faces if overlap(quad, card.quad) > SAME_PLACE or quad is card.quad
            )
    return found


def _look_again(frame: Frame, faces: list[_Candidate], deck: EnrolledDeck | None) -> None:
    """Read each face three more times, from its other end and a little larger and smaller, and average.

    Both ends print the same card: what one reading mistakes, the others seldom do.
    """
    views = []
    for card in faces:
        centre = card.quad.mean(axis=0)
        for scale, turned in VIEWS:
            quad = np.roll(centre + (card.quad - centre) * scale, 2 if turned else 0, axis=0)
            views.append(straighten(frame, np.ascontiguousarray(quad, np.float32), *CROP))
    readings = read_crops(views)
    for number, card in enumerate(faces):
        tables = list(readings.cards[number * len(VIEWS) : (number + 1) * len(VIEWS)])
        if deck is not None:
            features = readings.features[number * len(VIEWS) : (number + 1) * len(VIEWS)]
            tables = [deck.read(table, one) for table, one in zip(tables, features, strict=True)]
        card.table = np.mean([card.table, *tables], axis=0).astype(np.float32)


def _joined(card: Floats, index: Floats, *, live: bool) -> Floats:
    """Join what a whole card and its own corner index are read as.

    A whole card that is like none rather surely lets its index speak alone, and a few pixels of a Q are a 9: in live
    pictures, of which there are many and small ones, such a card stays unread.
    """
    both = combined(card, index)
    if live and float(card[int(both.argmax())]) < BACKED:
        return ((card + index) / np.float32(2)).astype(np.float32)
    return both


def _read_indices(frame: Frame, indices: list[Index], sizes: Sequence[float]) -> list[Floats]:
    """Read each index at several sizes of its patch, and average: where it ends is never known well."""
    patches = [straighten(frame, index.patch(size), *PATCH) for index in indices for size in sizes]
    tables = read_patches(patches).reshape(len(indices), len(sizes), 53)
    return [table.mean(axis=0).astype(np.float32) for table in tables]


def _once(quads: list[tuple[Quad, float]]) -> list[tuple[Quad, float]]:
    """Leave out what two sizes of the picture show alike; the warmer is kept."""
    kept: list[tuple[Quad, float]] = []
    for quad, heat in sorted(quads, key=lambda one: -one[1]):
        if not any(overlap(quad, other) > 0.88 for other, _ in kept):
            kept.append((quad, heat))
    return kept


def _whole_faces_first(cards: list[_Candidate]) -> list[_Candidate]:
    """Leave out what lies inside a face and is much smaller: a court's picture looks like a small back.

    A small face that is read more surely than the large one stays: then the large outline is no card's.
    """
    faces = [card for card in cards if card.face and card.named > FACE_OVER_PARTS]
    return [
        card
        for card in cards
        if not any(
            (not card.face or card.named < face.named)
            and (own := area(card.quad)) < 0.6 * area(face.quad)
            and intersection(card.quad, face.quad) > 0.75 * own
            for face in faces
        )
    ]


def _of_one_size(cards: list[_Candidate]) -> list[_Candidate]:
    """Leave out what is far from the size of the cards that are read surely, when there are some: chips, pieces."""
    sure = [card for card in cards if card.named >= TOLD]
    sizes = [float(np.sqrt(area(card.quad))) for card in _without_doubles(sure)]
    if len(sizes) < ENOUGH_SIZES:
        return cards
    usual = float(np.median(sizes))
    return [card for card in cards if usual / SIZES_APART < np.sqrt(area(card.quad)) < usual * SIZES_APART]


def _without_doubles(cards: list[_Candidate]) -> list[_Candidate]:
    """Keep the surest of outlines that are of the same card.

    Two cards of a fan overlap, too: an outline of another identity may share more with one that is kept.
    """
    kept: list[_Candidate] = []
    for card in sorted(cards, key=lambda one: -one.score):
        for other in kept:
            alike = overlap(card.quad, other.quad)
            smaller, larger = sorted((area(card.quad), area(other.quad)))
            nested = intersection(card.quad, other.quad) > 0.75 * smaller
            another = card.face and other.face and best(card.table)[0] != best(other.table)[0]
            sure = another and best(card.table)[1] > TOLD and smaller > 0.75 * larger
            if alike > (0.62 if sure else 0.35) or (nested and not sure):
                break
        else:
            kept.append(card)
    return kept


def _told(card: _Candidate, kept: list[_Candidate], frame_size: tuple[int, int]) -> SeenCard:
    """Say what is known of a kept outline."""
    frame = np.array([[0, 0], [frame_size[0], 0], frame_size, [0, frame_size[1]]], np.float32)
    whole = max(area(card.quad), 1.0)
    over = [
        intersection(card.quad, other.quad)
        for other in kept
        if other is not card and other.score > card.score
    ]
    visible = float(np.clip(intersection(card.quad, frame) / whole - sum(over) / whole, 0.05, 1.0))
    if not card.face:
        return SeenCard(card.quad, False, None, card.sure, visible)
    name, likely = best(card.table)
    confidence = likely * card.sure if not card.supported else likely * min(1.0, card.sure + 0.3)
    least = HALF_SEEN_TOLD if visible < HALF_SEEN and not card.supported else TOLD
    if name is not None and confidence >= least:
        return SeenCard(card.quad, True, name, confidence, visible, (name, confidence))
    return SeenCard(card.quad, True, None, card.sure, visible, (name, confidence) if name else None)


def draw(frame: Frame, cards: Sequence[SeenCard]) -> Frame:
    """Draw the cards onto a copy of the picture: green read, yellow not read, blue face down."""
    canvas = frame.copy()
    thick = max(1, round(max(frame.shape[:2]) / 500))
    for card in cards:
        colour = (255, 120, 0) if not card.face else (0, 190, 0) if card.card else (0, 200, 255)
        cv2.polylines(canvas, [np.round(card.quad).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
        words = f"{card.card or ('?' if card.face else 'back')} {card.confidence:.2f}"
        x, y = (int(value) for value in card.quad.mean(axis=0))
        at = (x - 12 * thick, y)
        cv2.putText(
            canvas, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4 * thick, (0, 0, 0), thick * 3, cv2.LINE_AA
        )
        cv2.putText(canvas, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4 * thick, colour, thick, cv2.LINE_AA)
    return canvas
