"""What each sense finds of a dealer's slips: antennas alone, camera alone, both; written to docs/camera.md.

    python -m benchmarks.vision_stack [--hands N] [--finder oracle|real] [--save F] [--merge F…] [--write]

Every hand is dealt at a simulated table with one slip (or none). Antennas are read every 0.4 s with their misses, the
camera gives 15 pictures a second; both go through the real fusion, engine and table logic of three tables that differ
only in what they are fitted with. A slip counts as found when the table asks about it by its name; any other
question is a false alarm. The delay runs from the moment at which the card began to move.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.camera_stage import Stage
from benchmarks.figures import write
from firmware_bridge.codes import BUTTONS
from firmware_bridge.observations import Button, DeviceState, Inventory, Tick
from hw_sim.antennas import Field, Rates
from hw_sim.camera_place import lies_at
from hw_sim.camera_scene import Scene, dealer_hand, player_hand
from hw_sim.config import antennas_for
from hw_sim.world import Card
from table_controller import messages as m
from table_controller import notes
from table_controller.config import Timing
from table_controller.fusion import Coverage, Fusion
from table_controller.fusion.sightings import Sighted
from table_controller.hand_start import Way
from table_controller.inventory import HiddenCard, Tags
from table_controller.rulebook_files import resolve
from table_controller.running import Running
from vision.detect import find_cards
from vision.sightings import CameraState, Message, Sighting

SENSES: Final = ("antennas", "camera", "both")
NUMBERS: Final = {name: number for number, name in BUTTONS.items()}
PLAYERS: Final = 6
SLIPS: Final[dict[str, frozenset[str]]] = {
    "no slip": frozenset(),
    "first card exposed": frozenset({"first_card_exposed"}),
    "exposed in the deal": frozenset({"card_exposed_in_deal"}),
    "flashed": frozenset({"card_flashed_in_deal", "card_exposed_in_deal"}),
    "dropped by the dealer": frozenset({"card_dropped_by_dealer"}),
    "dropped by a player": frozenset({"card_dropped_by_player"}),
    "boxed": frozenset({"boxed_card"}),
    "turned by a player": frozenset({"card_exposed_in_deal"}),
    "premature flop": frozenset({"premature_flop"}),
    "four-card flop": frozenset({"flop_too_many_cards"}),
    "board covered": frozenset({"board_disturbed"}),
    "card of the other deck": frozenset({"wrong_deck", "duplicate_card"}),
}
MARKS: Final = {
    "oracle": ("<!-- figures -->", "<!-- /figures -->"),
    "real": ("<!-- figures: real finder -->", "<!-- /figures: real finder -->"),
}
DOCUMENT: Final = Path(__file__).resolve().parents[1] / "docs" / "camera.md"


@dataclass
class Fitted:
    """One table: what it is fitted with, and what it asked."""

    running: Running
    antennas: bool
    camera: bool
    asked: list[tuple[str, float]] = field(default_factory=list)

    def take(self, observation: Any) -> None:
        """Give it one observation; keep what it asks."""
        self.running.take(observation)
        for draft in self.running.take_drafts():
            for entry in draft.entries:
                note = notes.decode(entry.body) if entry.kind == "note" else None
                if isinstance(note, notes.Asked):
                    self.asked.append((note.incident, observation.t))


class Trial:
    """One hand at three tables."""

    def __init__(self, seed: int, *, real: bool, scene: Scene | None = None) -> None:
        self.stage = Stage(seed=seed, find=find_cards if real else None, wire=real, scene=scene)
        stage = self.stage
        cards = {
            card.uid: HiddenCard(card.name, deck)
            for deck, every in stage.world.decks.items()
            for card in every
        }
        fitted = antennas_for(range(1, PLAYERS + 1), chips=False)
        self.field = Field(stage.world, fitted, Rates.typical(), str(seed))
        self.tables = {
            "antennas": Fitted(_running(cards, {str(a.id): a.places for a in fitted}), True, False),
            "camera": Fitted(_running(cards, {}), False, True),
            "both": Fitted(_running(cards, {str(a.id): a.places for a in fitted}), True, True),
        }
        self.cycle = self.presses = self.dealt = 0
        self._read_at = self._ticked_at = 0.0
        self.slip_at: float | None = None
        self.expected: frozenset[str] = frozenset()
        stage.each = self._picture
        stage.world.put_deck()
        for table in self.tables.values():
            if table.camera:
                table.take(DeviceState(t=0.0, device="camera", state="ready"))
        stage.run(1.0)
        self.press("CUT")
        stage.world.take_deck()
        stage.run(0.5)

    # -- what the tables hear ----------------------------------------------------------------------------

    def _picture(self, new: list[Message]) -> None:
        t = self.stage.t
        for table in self.tables.values():
            if table.camera:
                for message in new:
                    if isinstance(message, Sighting):
                        table.take(Sighted(t=t, device="camera", sighting=message))
                    elif isinstance(message, CameraState) and message.trouble:
                        table.take(DeviceState(t=t, device="camera", state="degraded"))
        if t - self._read_at >= 0.4:
            self._read_at = t
            self._scan(t)
        while self._ticked_at + 0.1 <= t:
            self._ticked_at += 0.1
            for table in self.tables.values():
                table.take(Tick(t=t, device="table"))
                self._answer(table, t)

    def _scan(self, t: float) -> None:
        self.cycle += 1
        for number in self.field.antennas:
            reading = self.field.read(number, t)
            seen = Inventory(
                t=t,
                device="board",
                antenna=number,
                kind="unknown",
                index=0,
                uids=reading.uids,
                quality=reading.quality,
                cycle=self.cycle,
            )
            for table in self.tables.values():
                if table.antennas:
                    table.take(seen)

    def _answer(self, table: Fitted, t: float) -> None:
        question = table.running.question
        if question is not None:
            right = question.ruling.incident in self.expected and self.slip_at is not None
            self.press("YES" if right else "NO", only=table)

    def press(self, name: str, only: Fitted | None = None) -> None:
        """Somebody presses a button, at all tables or at one."""
        t = self.stage.t
        for down in (True, False):
            self.presses += 1
            seen = Button(
                t=t + (0 if down else 0.06),
                device="board",
                id=NUMBERS[name],
                pressed=down,
                count=self.presses,
                gap=False,
            )
            for table in self.tables.values():
                if only is None or table is only:
                    table.take(seen)

    # -- what people do ----------------------------------------------------------------------------------

    def move(
        self, card: Card, to: str, *, face: str = "down", shows: bool = False, who: str = "dealer"
    ) -> None:
        """Move a card and wait until it lies, the dealer's hand at the deck for a moment."""
        stage = self.stage
        stage.scene.hands.append(dealer_hand(150.0, 345.0, stage.t, stage.t + 0.15))
        self.dealt += 1
        stage.play(stage.motions.card(who, card, to, face, "stack", shows=shows))
        stage.run(stage.motions.time("dealer", (0.5, 0.75)))

    def top(self) -> Card:
        """The next card of the deck."""
        return self.stage.world.top()

    def slips(self, name: str) -> None:
        """The slip begins now."""
        self.expected, self.slip_at = SLIPS[name], self.stage.t

    def deal(self, slip: str, number: int) -> bool:
        """Two rounds; the slip at the card with this number. False when the deal ends there."""
        for turn in range(2 * PLAYERS):
            place = f"seat{turn % PLAYERS + 1}"
            if turn + 1 != number:
                self.move(self.top(), place)
                continue
            if slip in ("first card exposed", "exposed in the deal"):
                self.slips(slip)
                self.move(self.top(), place, face="up", shows=True)
                return False
            if slip == "flashed":
                self.slips(slip)
                self.move(self.top(), place, shows=True)
                return False
            if slip == "dropped by the dealer":
                self.slips(slip)
                self.move(self.top(), "off_table", face="up" if number % 2 else "down")
                return False
            if slip == "boxed":
                self.slips(slip)
                self.stage.world.turn(self.top(), "up")
                self.stage.run(0.9)
                return False
            if slip == "turned by a player":
                self.stage.run(0.6)
                self.slips(slip)
                seat = (number % PLAYERS) + 1
                card = self.stage.world.cards(f"seat{seat}")[0]
                self.stage.world.turn(card, "up")
                return False
            self.move(self.top(), place)
        self.stage.world.put_deck()
        self.stage.run(2.5)
        return True

    def street(self, slip: str) -> None:
        """The flop, and what may go wrong with it."""
        stage, world = self.stage, self.stage.world
        if slip != "premature flop":
            self.press("YES")
            stage.run(1.0)
        world.take_deck()
        if slip == "premature flop":
            self.slips(slip)
        self.move(self.top(), "burn")
        stage.run(0.4)
        for _ in range(3):
            self.move(self.top(), "board", face="up")
        if slip == "four-card flop":
            self.slips(slip)
            self.move(self.top(), "board", face="up")
        world.put_deck()
        stage.run(2.0)
        if slip == "board covered":
            self.slips(slip)
            pose = lies_at("board", 1, world.cards("board")[1].uid)
            if pose is not None:
                stage.scene.over.append((pose.x, pose.y, 50.0))
        elif slip == "card of the other deck":
            self.slips(slip)
            other = next(card for card in world.decks["blue"] if card.name == world.cards("board")[0].name)
            world.move_card(other, "hand")
            self.move(other, "board", face="up")

    def play(self, slip: str, number: int) -> None:
        """One hand as far as its slip."""
        if self.deal(slip, number):
            if slip == "dropped by a player":
                self.slips(slip)
                seat = number % PLAYERS + 1
                card = self.stage.world.cards(f"seat{seat}")[1]
                self.stage.scene.hands.append(
                    player_hand(seat, *_xy(card, seat), self.stage.t, self.stage.t + 0.2)
                )
                self.move(card, "off_table", who=f"seat{seat}", face="up" if number % 2 else "down")
            elif slip in (
                "no slip",
                "premature flop",
                "four-card flop",
                "board covered",
                "card of the other deck",
            ):
                self.street(slip)
        # an antenna's word on a card out of order comes after eight seconds
        self.stage.run(11.0 if self.expected else 4.0)


def _xy(card: Card, seat: int) -> tuple[float, float]:
    pose = lies_at(f"seat{seat}", 1, card.uid)
    return (pose.x, pose.y) if pose is not None else (0.0, 0.0)


def _running(cards: dict[str, HiddenCard], antennas: dict[str, tuple[str, ...]]) -> Running:
    timing = Timing()
    fusion = Fusion(Tags(cards, {}), Coverage(antennas, "board"), timing, buttons=tuple(NUMBERS))
    desired = m.Desired(
        epoch=0,
        rev=0,
        tournament=None,
        rulebook="ropta",
        level=m.Level(n=1, small_blind=50, big_blind=100, ante=m.Ante(kind="none", amount=0)),
        limit="no_limit",
        smallest_chip=25,
        seats=tuple(m.DesiredSeat(seat=n, entry=f"e{n}", stack=None) for n in range(1, PLAYERS + 1)),
    )
    way = Way("rounds", "declared", PLAYERS)
    return Running(fusion, resolve, desired, way, sensors="ask", utc=lambda: "2024-01-01T00:00:00Z")


@dataclass
class Score:
    """What one sense found of one slip."""

    hands: int = 0
    found: int = 0
    false: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Put another run's hands to these."""
        self.hands += other.hands
        self.found += other.found
        self.false += other.false
        self.delays += other.delays


@dataclass
class Campaign:
    """Scores by slip and sense, and how many cards were dealt for them."""

    scores: dict[tuple[str, str], Score] = field(default_factory=dict)
    dealt: int = 0

    def score(self, slip: str, sense: str) -> Score:
        """The score of one slip and one sense."""
        return self.scores.setdefault((slip, sense), Score())

    def save(self, path: Path) -> None:
        """Keep it for `load`."""
        rows = [[slip, sense, asdict(score)] for (slip, sense), score in self.scores.items()]
        path.write_text(json.dumps({"dealt": self.dealt, "scores": rows}), encoding="utf-8")

    def load(self, path: Path) -> None:
        """Put a saved run's hands to these."""
        saved = json.loads(path.read_text(encoding="utf-8"))
        self.dealt += saved["dealt"]
        for slip, sense, score in saved["scores"]:
            self.score(slip, sense).add(Score(**score))


def play(campaign: Campaign, slip: str, number: int, *, real: bool, seed: int) -> None:
    """Play one hand of a slip at the three tables and score it."""
    expected = SLIPS[slip]
    trial = Trial(seed + 1000 * number + len(slip), real=real)
    at = 1 if slip == "first card exposed" else 3 + (5 * number + seed) % (2 * PLAYERS - 3)
    if slip == "turned by a player":
        at = max(at, PLAYERS + 2)
    trial.play(slip, at)
    campaign.dealt += trial.dealt
    for sense, table in trial.tables.items():
        score = campaign.score(slip, sense)
        score.hands += 1
        since = trial.slip_at
        right = [t for name, t in table.asked if name in expected and since is not None and t >= since]
        score.false += [name for name, t in table.asked if name not in expected]
        if right and since is not None:
            score.found += 1
            score.delays.append(right[0] - since)


def run(
    campaign: Campaign,
    numbers: range,
    *,
    real: bool,
    seed: int,
    only: str | None,
    tell: Callable[[str], None],
    save: Path | None,
) -> None:
    """Play these hands of every slip, one of each after the other."""
    for number in numbers:
        for slip in SLIPS:
            if only is not None and slip != only:
                continue
            play(campaign, slip, number, real=real, seed=seed)
            if save is not None:
                campaign.save(save)
            told = (campaign.score(slip, sense) for sense in SENSES)
            tell(f"{slip:24}" + " | ".join(f"{s.found}/{s.hands} false {s.false}" for s in told))


def lines(campaign: Campaign, finder: str) -> Iterator[str]:
    """The table of docs/camera.md."""
    hands = [campaign.score(slip, "both").hands for slip in SLIPS]
    least = f"{min(hands)}" if min(hands) == max(hands) else f"{min(hands)} to {max(hands)}"
    false = {sense: sum(len(campaign.score(slip, sense).false) for slip in SLIPS) for sense in SENSES}
    yield ""
    yield f"{least} hands of each row, {campaign.dealt} cards dealt in all, finder: {finder}, 15 pictures a second, antennas read"
    yield "every 0.4 s with the simulator's typical misses. Recall · false questions · median delay in seconds."
    yield ""
    yield "| slip | antennas alone | camera alone | both |"
    yield "|---|---|---|---|"
    for slip in SLIPS:
        cells = []
        for sense in SENSES:
            score = campaign.score(slip, sense)
            recall = "–" if not SLIPS[slip] else f"{score.found}/{score.hands}"
            delay = f"{statistics.median(score.delays):.1f}" if score.delays else "–"
            cells.append(f"{recall} · {len(score.false)} · {delay}")
        yield f"| {slip} | " + " | ".join(cells) + " |"
    cells = []
    for sense in SENSES:
        rows = [campaign.score(slip, sense) for slip in SLIPS if SLIPS[slip]]
        cells.append(f"{sum(s.found for s in rows)}/{sum(s.hands for s in rows)} · {false[sense]} · –")
    yield "| all | " + " | ".join(cells) + " |"
    yield ""


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hands", type=int, default=10, help="hands of every slip")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--finder", choices=("oracle", "real"), default="oracle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slip", choices=tuple(SLIPS))
    parser.add_argument("--save", type=Path, help="keep the scores in this file after every hand")
    parser.add_argument("--merge", type=Path, nargs="*", default=[], help="scores saved before")
    parser.add_argument("--write", action="store_true", help="write the table into docs/camera.md")
    options = parser.parse_args()
    began = time.monotonic()
    campaign = Campaign()
    for path in options.merge:
        campaign.load(path)
    run(
        campaign,
        range(options.first, options.first + options.hands),
        real=options.finder == "real",
        seed=options.seed,
        only=options.slip,
        tell=lambda text: print(text, flush=True),
        save=options.save,
    )
    text = "\n".join(lines(campaign, options.finder)) + "\n"
    print(text)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    if options.write:
        write(text, DOCUMENT, MARKS[options.finder])
    return 0


if __name__ == "__main__":
    sys.exit(main())
