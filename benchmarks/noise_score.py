"""Scores a play under noise: what the table believed, hand by hand, beside what truly lay and happened there."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.memory_table import MemoryPlay
from engine.events import Acted, CardMoved
from engine.vocabulary import SEAT_PLACES, seat_place
from hw_sim.play import HandResult
from hw_sim.slips import INCIDENTS
from table_controller.journal import Reading

LONG_S: Final = 5.0
"""A question that stands longer than this holds the game up."""
_MISDEALS: Final = frozenset({"misdeal", "hand_void"})
# Rulings on these say how a clean act counts: no irregularity.
_CALM: Final = frozenset(
    "absent_dealt_in short_all_in short_blind oversized_chip several_chips ante_eliminated reopened".split()
)


@dataclass
class Score:
    """What a campaign has counted. Hands that nobody slipped in are clean, whatever the sensors made of them."""

    hands: int = 0
    clean_hands: int = 0
    wrong_cards: int = 0
    invented_folds: int = 0
    pressed_folds: int = 0
    false_misdeals: int = 0
    false_rulings: int = 0
    asked_hands: int = 0
    questions: int = 0
    long_questions: int = 0
    held_hands: int = 0
    wrong_stacks: int = 0
    slips: int = 0
    slips_ruled: int = 0
    slips_asked: int = 0
    slips_left: int = 0
    slips_untold: int = 0
    slips_void: int = 0
    slips_missed: int = 0
    slips_wrong: int = 0
    beside_slips: int = 0
    neglects: int = 0
    doubts: int = 0
    long_doubts: int = 0
    hours: float = 0.0
    seconds: float = 0.0
    findings: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Put another table's score to this one."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name and value of everything that is counted."""
        thousand = 1000 * self.false_misdeals / self.clean_hands if self.clean_hands else 0.0
        yield "hands", str(self.hands)
        yield "wrong card-to-seat", str(self.wrong_cards)
        yield "invented folds", str(self.invented_folds)
        yield "folds pressed for another than the one shown", str(self.pressed_folds)
        yield "false fausse donne per 1,000 clean hands", f"{thousand:.2f} ({self.clean_hands} clean hands)"
        yield "other false rulings in clean hands", str(self.false_rulings)
        yield "clean hands in which something was asked", str(self.asked_hands)
        yield f"questions longer than {LONG_S:g} s in clean hands", str(self.long_questions)
        yield "hints to slide a card or mind a chip", str(self.doubts)
        yield f"  of which stood longer than {LONG_S:g} s", str(self.long_doubts)
        yield "hours of play", f"{self.hours:.1f}"
        yield (
            "questions and hints an hour",
            f"{(self.questions + self.doubts) / self.hours if self.hours else 0:.2f}",
        )
        yield "held hands (nobody could go on)", str(self.held_hands)
        yield "hands with a wrong stack in the table's record", str(self.wrong_stacks)
        yield "slips", str(self.slips)
        yield "  ruled as in a clean log", str(self.slips_ruled)
        yield "  of which asked first", str(self.slips_asked)
        yield "  asked about, and nobody said yes", str(self.slips_left)
        yield "  neither seen nor told, not ruled", str(self.slips_untold)
        yield "  of a hand that another slip made a misdeal before", str(self.slips_void)
        yield "  seen or told, not ruled", str(self.slips_missed)
        yield "  ruled as something else", str(self.slips_wrong)
        yield "hands with a slip and another ruling beside", str(self.beside_slips)
        yield "acts of neglect", str(self.neglects)

    def plotted(self) -> Counter[str]:
        """What the plot shows."""
        folds = self.invented_folds + self.pressed_folds
        wrong = self.wrong_cards + folds + self.false_misdeals + self.wrong_stacks
        return Counter(hands=self.hands, wrong=wrong, asked=self.asked_hands, held=self.held_hands)


class Watch:
    """Looks at table and world side by side while they play."""

    def __init__(self) -> None:
        self._state: object = None
        self._wrong_cards: set[tuple[int, int, str]] = set()
        self._folds: set[tuple[int, int]] = set()
        self._pressed: set[tuple[int, int]] = set()
        self._started: int | None = None
        self._stacks: dict[int, dict[int, int | None]] = {}
        self._phase = ""
        self._doubts: dict[tuple[str, str], float] = {}
        self._told: list[tuple[str, str, float]] = []

    def look(self, play: MemoryPlay) -> None:
        """Compare, whenever the engine's state is another."""
        state = play.table.running.state
        self._mind(play)
        if state is self._state:
            return
        self._state = state
        hand, world = play.bench.table.hand, play.bench.world
        if state.phase == "over" and state.hand and self._phase != "over":
            self._stacks[state.hand] = {number: seat.stack for number, seat in state.seats.items()}
        self._phase = state.phase
        if hand is None or hand.number != state.hand or state.phase in ("over", "void"):
            return
        for number, seat in state.seats.items():
            for card in play.table.running.fusion._cards.hand(number):
                name = card.reveal()
                if name in hand.holes.get(number, ()):
                    continue  # his, though it may slide over another place on its way to the muck
                where = {world.where(c.uid) for c in world.decks[hand.deck] if c.name == name}
                if any(place in SEAT_PLACES and place != seat_place(number) for place in where):
                    self._wrong_cards.add((state.hand, number, name))
            player = hand.betting.players.get(number)
            if seat.folded and player is not None and not player.folded and not self._thrown(play, number):
                folds = self._pressed if self._said(play, number) else self._folds
                folds.add((state.hand, number))

    @staticmethod
    def _said(play: MemoryPlay, seat: int) -> bool:
        """Whether a fold rests on the button alone: pressed for another while this seat was shown."""
        own = (
            event
            for event in reversed(play.table.running._events)
            if (isinstance(event, Acted) and event.seat == seat)
            or (isinstance(event, CardMoved) and event.from_ == seat_place(seat))
        )
        return isinstance(next(own, None), Acted)

    def _mind(self, play: MemoryPlay) -> None:
        """Keep for how long each doubt stands."""
        now = {(doubt.place, doubt.reason) for doubt in play.table.running.doubts}
        for doubt in now - set(self._doubts):
            self._doubts[doubt] = play.now
        for doubt in set(self._doubts) - now:
            self._told.append((*doubt, play.now - self._doubts.pop(doubt)))

    @staticmethod
    def _thrown(play: MemoryPlay, seat: int) -> bool:
        """Whether a card of a seat is gone from it: it is being thrown in, whatever the players' own book says yet."""
        return len(play.bench.world.cards(seat_place(seat))) < 2

    def score(
        self, directory: Path, results: Sequence[HandResult], stuck: str, number: int, seed: str
    ) -> Score:
        """Read journal and truth, and count."""
        score = Score()
        truth: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        hand = 0
        for line in (directory / "truth.jsonl").read_text(encoding="utf-8").splitlines():
            fact = json.loads(line)
            hand = fact["hand"] if fact["what"] == "hand_begin" else hand
            truth[hand].append(fact)
        rulings, asked = _read(directory / "journal.db")
        by_number = {result.number: result for result in results}
        for at in range(1, number + 1):
            result = by_number.get(at)
            slips = [fact for fact in truth[at] if fact["what"] == "slip"]
            score.neglects += sum(fact["what"] == "neglect" for fact in truth[at])
            score.hands += 1
            where = f"seed {seed} hand {at}"
            if result is None:
                score.held_hands += 1
                score.findings.append(f"{where}: held: {stuck}")
            else:
                self._stacks_of(score, result, where)
            if slips:
                self._slips(score, slips, rulings[at], asked[at], where)
            elif result is not None:
                self._clean(score, rulings[at], asked[at], where)
        score.doubts = len(self._told) + len(self._doubts)
        score.long_doubts = len(self._doubts) + sum(stood > LONG_S for _, _, stood in self._told)
        score.wrong_cards = len(self._wrong_cards)
        score.invented_folds = len(self._folds)
        score.pressed_folds = len(self._pressed)
        score.findings += [
            f"seed {seed} hand {h}: {c} told at seat {s}, lies at another" for h, s, c in self._wrong_cards
        ]
        score.findings += [f"seed {seed} hand {h}: invented fold of seat {s}" for h, s in self._folds]
        score.findings += [
            f"seed {seed} hand {h}: FOLD pressed for another, taken of seat {s}" for h, s in self._pressed
        ]
        return score

    def _stacks_of(self, score: Score, result: HandResult, where: str) -> None:
        told = self._stacks.get(result.number, {})
        wrong = {seat: (told.get(seat), due) for seat, due in result.after.items() if told.get(seat) != due}
        if any(stack is not None for stack, _ in wrong.values()):
            score.wrong_stacks += 1
            score.findings.append(f"{where}: stacks recorded and true: {wrong}")

    @staticmethod
    def _clean(score: Score, rulings: Sequence[tuple[str, str]], asked: Sequence[_Asked], where: str) -> None:
        score.clean_hands += 1
        false = [ruling for ruling in rulings if ruling[0] not in _CALM]
        score.false_misdeals += any(name in _MISDEALS for _, name in false)
        score.false_rulings += any(name not in _MISDEALS for _, name in false)
        score.asked_hands += bool(asked)
        score.questions += len(asked)
        score.long_questions += sum(question.seconds > LONG_S for question in asked)
        if false:
            score.findings.append(f"{where}: clean, yet ruled {false}")
        elif asked:
            score.findings.append(f"{where}: clean, yet asked {sorted({q.incident for q in asked})}")

    @staticmethod
    def _slips(
        score: Score,
        slips: Sequence[Mapping[str, Any]],
        rulings: Sequence[tuple[str, str]],
        asked: Sequence[_Asked],
        where: str,
    ) -> None:
        explained = _CALM.union(*(INCIDENTS[slip["name"]] for slip in slips))
        ruled = {incident for incident, _ in rulings}
        other = sorted(ruled - explained)
        wrong = False
        for slip in slips:
            own = INCIDENTS[slip["name"]]
            score.slips += 1
            if own & ruled:
                score.slips_ruled += 1
                score.slips_asked += any(question.incident in own for question in asked)
            elif other:
                score.slips_wrong += 1
                wrong = True
                score.findings.append(f"{where}: {slip['at']} ruled as {other}")
            elif any(question.incident in own for question in asked):
                score.slips_left += 1
                score.findings.append(f"{where}: {slip['at']} was asked about, not ruled ({asked})")
            elif not slip["told"]:
                score.slips_untold += 1
            elif any(incident in explained - _CALM and name in _MISDEALS for incident, name in rulings):
                score.slips_void += 1
            else:
                score.slips_missed += 1
                score.findings.append(f"{where}: {slip['at']} was not ruled (asked {asked}, ruled {ruled})")
        if other and not wrong:
            score.beside_slips += 1
            score.findings.append(f"{where}: with {[slip['at'] for slip in slips]} also ruled {other}")


@dataclass(frozen=True)
class _Asked:
    """One question and how long it stood."""

    incident: str
    answer: str
    seconds: float


def _read(path: Path) -> tuple[dict[int, list[tuple[str, str]]], dict[int, list[_Asked]]]:
    """Rulings and questions of every hand in a journal."""
    rulings: dict[int, list[tuple[str, str]]] = defaultdict(list)
    asked: dict[int, list[_Asked]] = defaultdict(list)
    with Reading.of(path) as journal:
        entries = {entry.idx: entry for entry in journal.entries()}
        since: dict[str, float] = {}
        for entry in entries.values():
            if entry.kind != "note":
                continue
            note = json.loads(entry.body)
            if note["note"] == "asked":
                since[note["incident"]] = entry.t
            elif note["note"] == "asked_end":
                began = since.pop(note["incident"], entry.t)
                asked[entry.hand or 0].append(_Asked(note["incident"], note["answer"], entry.t - began))
        for row in journal.rulings():
            ruling = json.loads(row.body)
            hand = entries[row.entry].hand or 0
            rulings[hand].append((ruling["incident"], ruling["ruling"]))
    return rulings, asked
