"""Cards dealt in rendered pictures over varied grounds, found and read by the real networks: what is told of them.

    python -m benchmarks.vision_events [--sequences N] [--first N] [--save F] [--merge F…] [--write]

Every sequence is a deal, a board and the fold of all hands at a simulated table, drawn at 1280×720 and packed as JPEG
as over the wire, fifteen pictures a second; every second one lies on a photo of a real table (its own cards painted
out) in place of the drawn one. Some cards are exposed, flashed on their way or dropped. What the real watcher tells
is held against the truth: a slip counts as found when a sighting of its kind lies where its card truly is; the
telling of a face where no card shows one, of a drop where nothing was dropped, or of a covered board is a false
alarm. The delay runs on the camera's clock, from the first picture that shows at least half of the face's area to the
picture after which it is told.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.camera_stage import Stage
from benchmarks.figures import write
from hw_sim.camera_place import CARD_MM, Pose, quad_area, seat_spot
from hw_sim.camera_scene import Light, Scene, TrueCard, dealer_hand, player_hand
from hw_sim.world import Card, World, make_chips, make_deck
from vision.detect import find_cards
from vision.frames import Image
from vision.sightings import Message, Sighting

ROOT: Final = Path(__file__).resolve().parent.parent
PHOTOS: Final = Path(os.environ.get("MALDONNE_PHOTOS", ROOT.parent / "shared" / "data" / "photos"))
MARK: Final = ("<!-- events -->", "<!-- /events -->")
FELTS: Final = ((70, 105, 30), (110, 60, 25), (40, 35, 120), (60, 60, 62), (120, 95, 80))
TOLD: Final = ("exposed_in_flight", "exposed_at_rest", "dropped", "turned", "covered")
KINDS: Final = {
    "exposed": ("exposed_in_flight", "exposed_at_rest"),
    "flashed": ("exposed_in_flight",),
    "dropped": ("dropped", "exposed_in_flight"),
}
_NEAR: Final = 70.0
_LATE: Final = 1.5


@dataclass
class Slip:
    """One slip: which card, when its move began and ended, when its face could first be seen, when it was told."""

    kind: str
    uid: str
    began: float
    ended: float = math.inf
    shown: float | None = None
    pictures: int = 0
    told: float | None = None
    dropped: float | None = None


@dataclass
class Result:
    """What one sequence gave.

    Attributes:
        false: Alarms about nothing, as told.
        off_rest, off_flight, off_beyond: How far sightings lay from the card (mm): at rest on felt and rail, on its
            way over them, and beyond the rail, where the simulated card falls 20 mm below the felt's plane.
        named: Identities told, and how many of them were wrong.
    """

    number: int
    ground: str
    dealt: int = 0
    pictures: int = 0
    seconds: float = 0.0
    slips: list[dict[str, Any]] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    off_rest: list[float] = field(default_factory=list)
    off_flight: list[float] = field(default_factory=list)
    off_beyond: list[float] = field(default_factory=list)
    named: int = 0
    misnamed: list[str] = field(default_factory=list)


def grounds() -> list[tuple[Path, list[Any]]]:
    """Photos of tables, each with the outlines of what must be painted out; none where there are no photos."""
    listing = PHOTOS / "labels.json"
    if not listing.is_file():
        return []
    found = []
    for entry in json.loads(listing.read_text(encoding="utf-8")):
        quads = [
            box.get("quad") or _corners(box["bbox"]) for box in entry["boxes"] if box.get("bbox") is not None
        ]
        if len(quads) == len(entry["boxes"]) and len(quads) >= len(entry["cards"]) + entry["face_down"]:
            found.append((PHOTOS / entry["file"], quads))
    return found


def _corners(box: Sequence[float]) -> list[list[float]]:
    x0, y0, x1, y1 = box
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def ground(path: Path, quads: Sequence[Any]) -> Image:
    """A photo without its cards, filling the camera's picture."""
    image = np.asarray(cv2.imread(str(path), cv2.IMREAD_COLOR), np.uint8)
    height, width = image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    for quad in quads:
        cv2.fillPoly(mask, [np.asarray(quad, np.int32)], 255)
    factor = max(1280 / width, 720 / height)
    size = (max(1280, round(width * factor)), max(720, round(height * factor)))
    image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    mask = np.asarray(cv2.resize(mask, size), np.uint8)
    mask = np.asarray(cv2.dilate(mask, np.ones((31, 31), np.uint8)), np.uint8)
    # painted out at a quarter of the size: what is left is soft, as cloth and wood are
    small = cv2.inpaint(
        cv2.resize(image, None, fx=0.25, fy=0.25),
        cv2.resize(mask, None, fx=0.25, fy=0.25),
        5,
        cv2.INPAINT_TELEA,
    )
    filled = cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)
    image = np.asarray(np.where(mask[..., None] > 0, filled, image), np.uint8)
    x, y = (size[0] - 1280) // 2, (size[1] - 720) // 2
    return np.asarray(image[y : y + 720, x : x + 1280], np.uint8)


def scene_of(number: int) -> tuple[Scene, str]:
    """The table of a sequence, and what it lies on."""
    rng = random.Random(f"ground {number}")
    decks = {"red": make_deck("red", 7, rng), "blue": make_deck("blue", 7, rng)}
    world = World(decks, make_chips({100: 200}, rng), seed=str(number))
    spots = tuple(
        (rng.uniform(-800, 800), rng.uniform(-350, 350), rng.uniform(100, 300), rng.uniform(0.05, 0.25))
        for _ in range(rng.randrange(3))
    )
    light = Light(
        level=rng.uniform(0.75, 1.15),
        falloff=rng.uniform(0.1, 0.35),
        glare=spots,
        noise=rng.uniform(1.5, 5.0),
    )
    photos = grounds() if number % 2 else []
    if photos:
        path, quads = rng.choice(photos)
        return Scene(world, seed=number, light=light, backdrop=ground(path, quads)), path.stem
    return Scene(world, seed=number, light=light, felt=FELTS[number // 2 % len(FELTS)]), "drawn"


class Evening:
    """One deal, one board and the fold of all hands, with its slips."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(f"events {number}")
        scene, name = scene_of(number)
        self.stage = Stage(seed=number, find=find_cards, wire=True, scene=scene)
        self.result = Result(number, name)
        self.slips: list[Slip] = []
        self.stage.each = self._picture
        self._flat = CARD_MM[0] * CARD_MM[1] * scene.lens.pixels_per_mm() ** 2

    # -- the truth beside the telling ----------------------------------------------------------------------

    def _picture(self, new: list[Message]) -> None:
        t = self.stage.t
        self.result.pictures += 1
        true = self.stage.scene.truth(t)
        for slip in self.slips:
            if t > slip.ended + _LATE:
                continue
            for each in true:
                if each.uid == slip.uid and each.face_up and self._shows(each):
                    slip.pictures += 1
                    slip.shown = t if slip.shown is None else slip.shown
        for message in new:
            if isinstance(message, Sighting):
                self._judge(message, true)

    def _shows(self, card: TrueCard) -> bool:
        return card.visible >= 0.5 and quad_area(card.quad) >= 0.5 * self._flat

    def _judge(self, sight: Sighting, true: Sequence[TrueCard]) -> None:
        result = self.result
        near = sorted((math.hypot(each.x - sight.x, each.y - sight.y), each.uid) for each in true)
        about = [uid for off, uid in near if off < _NEAR]
        means_nothing = (sight.kind == "turned" and sight.face == "down") or (
            sight.kind == "covered" and sight.zone != "board"
        )
        if sight.kind in TOLD and not means_nothing:
            self._told(sight, true, near, about)
        if sight.card is not None and sight.kind != "left" and near and near[0][0] < _NEAR:
            names = {each.uid: each.card for each in true}
            result.named += 1
            if sight.card not in {names[uid] for uid in about}:
                result.misnamed.append(
                    f"{result.ground}: {names[near[0][1]]} told as {sight.card}, {sight.kind}"
                )

    def _told(
        self, sight: Sighting, true: Sequence[TrueCard], near: list[tuple[float, str]], about: Sequence[str]
    ) -> None:
        """A face or a drop was told: of a slip, of a card that truly shows its face, or of nothing."""
        result = self.result
        slips = {slip.uid: slip for slip in self.slips if sight.kind in (*KINDS[slip.kind], "turned")}
        for slip in [slips[uid] for uid in about if uid in slips]:
            if sight.kind == "dropped":
                slip.dropped = sight.at if slip.dropped is None else slip.dropped
            else:
                slip.told = sight.at if slip.told is None else slip.told
            off = next(off for off, uid in near if uid == slip.uid)
            flying = sight.kind == "exposed_in_flight"
            over = result.off_flight if flying else result.off_rest
            (result.off_beyond if sight.zone == "floor" else over).append(round(off, 2))
            return
        if sight.kind not in ("dropped", "covered") and any(
            each.uid in about and each.face_up for each in true
        ):
            return  # a board card on its way, a card exposed before
        result.false.append(
            f"{result.ground}: {sight.kind} {sight.zone} {sight.face} at {sight.x:.0f},{sight.y:.0f} "
            f"t {sight.at:.2f}, nearest card {near[0][0] if near else math.inf:.0f} mm"
        )

    # -- what people do --------------------------------------------------------------------------------------

    def move(
        self,
        card: Card,
        to: str,
        kind: str = "",
        *,
        face: str = "down",
        shows: bool = False,
        who: str = "dealer",
    ) -> None:
        """Move a card; a slip is written down."""
        stage = self.stage
        if who == "dealer":
            stage.scene.hands.append(dealer_hand(150.0, 345.0, stage.t, stage.t + 0.15))
        slip = Slip(kind, card.uid, stage.t)
        if kind:
            self.slips.append(slip)
        stage.play(stage.motions.card(who, card, to, face, "events", shows=shows))
        stage.run(stage.motions.time(who, (0.5, 0.75)))
        slip.ended = stage.t

    def deal_one(self, seat: int) -> None:
        """A card for a seat, or a slip in place of it."""
        rng, stage, card = self.rng, self.stage, self.stage.world.top()
        self.result.dealt += 1
        luck = rng.random()
        place = f"seat{seat}"
        if luck < 0.12:
            self.move(card, place, "exposed", face="up", shows=True)
        elif luck < 0.18:
            self.move(card, place, "flashed", shows=True)
        elif luck < 0.28:
            self.drop(card)
        else:
            self.move(card, place)
        if rng.random() < 0.2:
            stage.run(rng.uniform(0.1, 0.5))

    def drop(self, card: Card) -> None:
        """A card that lands on the floor, on the rail or in the middle; a hand takes it away again."""
        rng, stage = self.rng, self.stage
        side, far = rng.choice((-1, 1)), rng.choice((-1, 1))
        where = rng.random()
        if where < 0.4:
            pose, to = (
                Pose(side * rng.uniform(1010, 1080), far * rng.uniform(480, 560), rng.uniform(0, 3), -20.0),
                "off_table",
            )
        elif where < 0.55:
            pose, to = (
                Pose(side * rng.uniform(200, 420), -far * 0 - 525.0, rng.uniform(-0.2, 0.2), 10.0),
                "felt",
            )
        else:
            pose, to = Pose(side * rng.uniform(330, 620), rng.uniform(-170, 150), rng.uniform(0, 3)), "felt"
        stage.scene.lies[card.uid] = pose
        self.move(card, to, "dropped", face="up" if rng.random() < 0.5 else "down", shows=rng.random() < 0.5)
        stage.run(1.2)
        stage.scene.hands.append(dealer_hand(pose.x, pose.y, stage.t, stage.t + 0.4))
        stage.run(0.2)
        stage.world.move_card(card, "rest", face="down")
        stage.scene.lies.pop(card.uid)
        stage.run(0.5)

    def play(self) -> Result:
        """Play it and score it."""
        rng, stage, world = self.rng, self.stage, self.stage.world
        began = time.process_time()
        seats = sorted(rng.sample(range(1, 11), rng.randrange(5, 10)))
        for seat in seats:
            world.move_chips(world.bank_chips([100] * rng.randrange(4, 18)), f"stack{seat}")
        stage.run(1.5)
        for seat in seats * 2:
            self.deal_one(seat)
        stage.run(1.0)
        for count in (3, 1, 1):
            self.move(world.top(), "burn")
            for _ in range(count):
                self.result.dealt += 1
                self.move(world.top(), "board", face="up")
            seat = rng.choice(seats)
            x, y, _ = seat_spot(seat)
            stage.scene.hands.append(player_hand(seat, x, y, stage.t, stage.t + rng.uniform(0.5, 1.5)))
            if rng.random() < 0.5:
                world.move_chips(world.chips(f"stack{seat}")[:3], f"bet{seat}")
            stage.run(rng.uniform(1.0, 2.0))
        for seat in seats:
            for card in world.cards(f"seat{seat}"):
                self.move(card, "muck", who=f"seat{seat}")
        stage.run(1.5)
        self.result.slips = [asdict(slip) for slip in self.slips]
        self.result.seconds = time.process_time() - began
        return self.result


# -- figures -------------------------------------------------------------------------------------------------


def _share(found: int, of: int) -> str:
    return f"{found / of:.3f} ({found} of {of})" if of else "–"


def _high(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def lines(results: Sequence[Result]) -> Iterator[str]:
    """The table of docs/camera.md."""
    slips = [slip for result in results for slip in result.slips]
    dealt = sum(result.dealt for result in results)
    false = [alarm for result in results for alarm in result.false]
    photos = [result for result in results if result.ground != "drawn"]
    clean = dealt - len(slips)
    yield ""
    yield f"{len(results)} sequences ({len(photos)} over photos of real tables), {dealt} cards dealt, {clean} of them clean,"
    yield f"{sum(result.pictures for result in results)} pictures at 15 a second, the real finder and reader, a deck that no network was trained on."
    yield ""
    yield "| what | target | measured |"
    yield "|---|---|---|"
    exposed = [slip for slip in slips if slip["kind"] == "exposed"]
    flashed = [slip for slip in slips if slip["kind"] == "flashed"]
    twice = [slip for slip in flashed if slip["pictures"] >= 2]
    dropped = [slip for slip in slips if slip["kind"] == "dropped"]
    yield f"| exposed in the deal, recall | ≥ 0.98 | {_share(sum(s['told'] is not None for s in exposed), len(exposed))} |"
    yield f"| dropped, recall | ≥ 0.98 | {_share(sum(s['dropped'] is not None for s in dropped), len(dropped))} |"
    yield f"| flashed, face in two pictures or more, recall | – | {_share(sum(s['told'] is not None for s in twice), len(twice))} |"
    yield f"| flashed, all | – | {_share(sum(s['told'] is not None for s in flashed), len(flashed))} |"
    yield f"| false alarms, of cards dealt | ≤ 1 in 10,000 | {len(false)} of {dealt} |"
    late = [s["told"] - s["shown"] for s in exposed if s["told"] is not None and s["shown"] is not None]
    if late:
        within = sum(value <= 0.2 + 1e-6 for value in late)
        yield (
            f"| exposed, delay from the first picture of the face | ≤ 200 ms | median {1000 * statistics.median(late):.0f} ms, "
            f"p95 {1000 * _high(late, 0.95):.0f} ms; within 200 ms {_share(within, len(late))} |"
        )
    rest = [off for result in results for off in result.off_rest]
    flight = [off for result in results for off in result.off_flight]
    beyond = [off for result in results for off in result.off_beyond]
    for name, target, values in (
        ("at rest on felt or rail", "≤ 10 mm", rest),
        ("on its way", "≤ 10 mm", flight),
        ("beyond the rail, where it falls 20 mm lower than the felt", "–", beyond),
    ):
        if values:
            yield (
                f"| place error {name} | {target} | median {statistics.median(values):.1f} mm, p95 {_high(values, 0.95):.1f} mm, "
                f"largest {max(values):.1f} mm ({len(values)} sightings) |"
            )
    wrong = [name for result in results for name in result.misnamed]
    named = sum(result.named for result in results)
    yield f"| identities told that are wrong | – | {len(wrong)} of {named} |"
    yield ""


def load(paths: Sequence[Path]) -> list[Result]:
    """Results that were saved."""
    return [Result(**entry) for path in paths for entry in json.loads(path.read_text(encoding="utf-8"))]


def main() -> int:
    """Play, save, merge, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sequences", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="number of the first sequence")
    parser.add_argument("--save", type=Path, help="keep the results of every sequence in this file")
    parser.add_argument("--merge", type=Path, nargs="*", default=[], help="results saved before")
    parser.add_argument("--write", action="store_true", help="write the table into docs/camera.md")
    options = parser.parse_args()
    results = load(options.merge)
    for number in range(options.first, options.first + options.sequences):
        result = Evening(number).play()
        results.append(result)
        _tell(result)
        if options.save:
            options.save.write_text(json.dumps([asdict(each) for each in results]), encoding="utf-8")
    text = "\n".join(lines(results)) + "\n"
    print(text)
    for result in results:
        for alarm in [*result.false, *result.misnamed]:
            print(f"sequence {result.number}: {alarm}")
    if options.write:
        write(text, ROOT / "docs" / "camera.md", MARK)
    return 0


def _tell(result: Result) -> None:
    missed = [
        slip["kind"]
        for slip in result.slips
        if slip["dropped" if slip["kind"] == "dropped" else "told"] is None
    ]
    print(
        f"{result.number:4} {result.ground:8} {result.dealt} dealt, {len(result.slips)} slips, missed {missed}, "
        f"false {len(result.false)}, misnamed {len(result.misnamed)}, {1000 * result.seconds / result.pictures:.0f} ms a picture",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
