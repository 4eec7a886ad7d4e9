"""The dealing shoe at the table: the engine's orders drive it, antennas confirm, and no card is ever fed twice.

The shoe is the board's own program with its scripted mechanism; senses and engine are the real ones. Time is virtual.
"""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "firmware"))

import firmware_package  # noqa: F401  # makes the firmware importable, which the next needs
from rig import HOLES, SPARE, Rig, card_uid
from shoe_bench import Bench

from firmware_bridge.codes import REFUSALS, SHOE_STATES
from firmware_bridge.observations import CommandRefused, DeviceState
from firmware_bridge.observations import Shoe as ShoeSaid
from table_controller.equipment import ShoeSetting
from table_controller.shoe import Feeder, first_id

PLACES = {**{seat: f"seat{seat}" for seat in range(1, 11)}, 11: "board", 12: "burn"}


class Felt:
    """A table with a shoe: what leaves the shoe lies on the felt a moment later, with the next card's tag."""

    def __init__(self, players: int = 3, *, covered: bool = True) -> None:
        places = [f"seat{seat}" for seat in range(1, players + 1)] + ["burn", "muck", "deck"]
        self.rig = Rig(players, places=[*places, "board"] if covered else places)
        self.bench = Bench(timing=None)
        self.deck = [card_uid(card) for card in (*HOLES, *SPARE)]
        self.lands = True
        self.line = True
        self.alarms = 0
        self.commands: list[tuple[int, int]] = []
        self._came = self._reported = 0
        self._keep = False
        self._said: list[object] = []
        self.feeder = self.program(1)

    def program(self, boot: int) -> Feeder:
        """The table's program begins."""
        return Feeder(self, self.rig.running.fusion.coverage, ShoeSetting(on=True), first_id("life", boot))

    # -- what the program does to it -------------------------------------------------------------------

    def arm(self, armed: bool) -> None:
        self._keep = armed
        if self.line:
            self.bench.shoe.arm(armed, self.bench.ms)

    def feed(self, target: int, command_id: int) -> None:
        self.commands.append((target, command_id))
        nak = self.bench.feed(target, command_id) if self.line else None
        reason = REFUSALS[nak] if nak is not None else "" if self.line else "connection-lost"
        if reason:
            self._said.append(
                CommandRefused(
                    t=self.rig.t, device="board", command="FEED", reason=reason, command_id=command_id
                )
            )

    def buzz(self, duration_ms: int) -> None:
        self.alarms += 1

    # -- time ------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            if self._keep and self.line and self.bench.ms % 1000 == 0:
                self.bench.shoe.arm(True, self.bench.ms)
            self.bench.run(100)
            for target in self.bench.out[self._came :]:
                if self.lands:
                    self.land(target)
            self._came = len(self.bench.out)
            for state, out, target, command_id in self.bench.reports[self._reported :] if self.line else ():
                name = SHOE_STATES[state]
                self.feeder.hear(
                    ShoeSaid(
                        t=self.rig.t,
                        device="board",
                        state=name,
                        cards_out=out,
                        target=target,
                        command_id=command_id,
                    )
                )
            self._reported = len(self.bench.reports) if self.line else self._reported
            said, self._said = self._said, []
            for each in said:
                self.feeder.hear(each)
            self.rig.wait(0.1)
            for zone, lying in self.rig.lie.items():
                # the feeder hears the antennas as the table does
                self._hear_antenna(zone, lying)
            running = self.rig.running
            self.feeder.step(running.now, running.state, running.expects)
            running.fusion.asides = self.feeder.doubts

    def _hear_antenna(self, zone: str, lying: set[str]) -> None:
        from firmware_bridge.observations import Inventory

        number = [first for first, *_ in self.rig.zones].index(zone)
        self.feeder.hear(
            Inventory(
                t=self.rig.t,
                device="board",
                antenna=number,
                kind="unknown",
                index=0,
                uids=tuple(sorted(lying)),
                quality=100,
                cycle=1,
            )
        )

    def land(self, target: int) -> None:
        """The next card of the deck lies at a place."""
        self.rig.put([self.deck.pop(0)], PLACES[target])

    def begin(self) -> None:
        self.wait(3.0)
        self.rig.start()

    @property
    def reasons(self) -> list[str]:
        return [doubt.reason for doubt in self.feeder.doubts]

    def until(self, order: str, most: float = 60.0) -> None:
        """Let time pass until people are asked for something of this sort."""
        while self.rig.expected() != order:
            assert most > 0, (self.rig.running.expects, self.feeder.doubts)
            self.wait(0.5)
            most -= 0.5


def test_the_shoe_deals_a_hand_to_the_flop() -> None:
    felt = Felt()
    felt.wait(3.0)
    assert felt.commands == [], "nothing moves before a hand begins"
    felt.rig.start()
    felt.until("act")
    assert felt.bench.out == [1, 2, 3, 1, 2, 3]
    assert felt.rig.moves() == [("deck", f"seat{seat}") for seat in (1, 2, 3, 1, 2, 3)]
    felt.wait(3.0)
    assert felt.bench.shoe.state == 7, "while nothing is dealt the shoe is disarmed"
    for word in ("CALL", "CALL", "CHECK"):
        felt.rig.press(word)
    felt.until("act")
    assert felt.bench.out[6:] == [12, 11, 11, 11]
    assert felt.rig.moves()[6:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert felt.feeder.doubts == () and felt.alarms == 0
    ids = [command_id for _, command_id in felt.commands]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("fault", "reason"), [("jam", "shoe_jam"), ("misaligned", "shoe_misaligned"), ("stick", "shoe_jam")]
)
def test_a_card_that_does_not_come_is_dealt_by_hand(fault: str, reason: str) -> None:
    felt = Felt()
    felt.bench.mechanism.next = fault
    felt.begin()
    felt.wait(3.0)
    assert felt.reasons == [reason]
    assert felt.feeder.doubts[0].place == "seat1"
    assert felt.rig.running.doubts[0].reason == reason, "it is told as every doubt is"
    assert felt.alarms == 1
    felt.bench.mechanism.next = ""
    felt.bench.look_inside()
    felt.wait(10.0)
    assert len(felt.commands) == 1, "the shoe waits for the card that people deal"
    felt.land(1)
    felt.until("act")
    assert [target for target, _ in felt.commands] == [1, 2, 3, 1, 2, 3]
    assert felt.feeder.doubts == ()


def test_two_cards_at_once_stop_the_shoe() -> None:
    felt = Felt()
    felt.bench.mechanism.next = "double"
    felt.begin()
    felt.wait(4.0)
    assert felt.bench.shoe.state == 2
    assert [target for target, _ in felt.commands] == [1]
    assert "shoe_double_feed" in felt.reasons or felt.rig.running.expects[0].order == "ask"
    felt.wait(10.0)
    assert [target for target, _ in felt.commands] == [1], "nothing is fed before somebody has looked"


def test_an_empty_shoe_waits_for_its_cards() -> None:
    felt = Felt()
    felt.bench.mechanism.load(2)
    felt.begin()
    felt.wait(8.0)
    assert felt.bench.out == [1, 2]
    assert felt.reasons == ["shoe_empty"]
    felt.bench.mechanism.load(50)
    felt.until("act")
    assert felt.bench.out == [1, 2, 3, 1, 2, 3]


def test_a_card_that_nobody_reads_is_asked_for_and_not_fed_again() -> None:
    felt = Felt()
    felt.lands = False
    felt.begin()
    felt.wait(12.0)
    assert felt.bench.out == [1]
    assert felt.reasons == ["shoe_not_arrived"]
    felt.lands = True
    felt.land(1)
    felt.until("act")
    assert felt.bench.out == [1, 2, 3, 1, 2, 3]


def test_a_board_without_an_antenna_is_fed_and_confirmed_by_people() -> None:
    felt = Felt(covered=False)
    felt.begin()
    felt.until("act")
    felt.wait(3.0)
    assert felt.feeder.doubts == ()
    for word in ("CALL", "CALL", "CHECK"):
        felt.rig.press(word)
    felt.wait(12.0)
    assert felt.bench.out[6:] == [12, 11, 11, 11]
    felt.rig.press("YES")
    felt.until("act")
    assert felt.bench.out[6:] == [12, 11, 11, 11]


def test_a_line_that_breaks_never_gives_a_second_card() -> None:
    felt = Felt()
    felt.lands = False
    felt.begin()
    while not felt.commands:
        felt.wait(0.1)
    felt.line = False
    felt.feeder.hear(DeviceState(t=felt.rig.t, device="board", state="lost", code="unplugged"))
    felt.wait(5.0)
    felt.line = True
    felt.wait(8.0)
    assert felt.reasons == ["shoe_silent"]
    assert [target for target, _ in felt.commands] == [1]
    felt.lands = True
    felt.land(1)
    felt.until("act")
    assert [target for target, _ in felt.commands] == [1, 2, 3, 1, 2, 3]


def test_a_program_that_restarts_leaves_the_card_of_that_moment_to_people() -> None:
    felt = Felt()
    felt.begin()
    while len(felt.bench.out) < 2:
        felt.wait(0.1)
    felt.lands = False
    felt.wait(2.0)
    fed = len(felt.bench.out)
    felt.feeder = felt.program(2)
    felt._reported = 0
    felt.wait(10.0)
    assert len(felt.bench.out) == fed
    assert felt.reasons == ["shoe_restart"]
    felt.lands = True
    for target in felt.bench.out[len(felt.rig.moves()) :]:
        felt.land(target)
    felt.until("act")
    assert felt.bench.out == [1, 2, 3, 1, 2, 3]


def test_an_undone_card_is_not_fed_again() -> None:
    felt = Felt()
    felt.begin()
    felt.until("act")
    fed = len(felt.commands)
    felt.rig.press("UNDO")
    felt.wait(5.0)
    assert len(felt.commands) == fed


def test_however_it_fails_every_place_gets_what_was_ordered() -> None:
    """Random faults at random feeds: the shoe is asked once for a card, and never by itself puts out two."""
    chance = random.Random(5)
    feeds = 0
    for _ in range(12):
        felt = Felt(players=4)
        felt.begin()
        for _ in range(400):
            if felt.rig.expected() == "act":
                break
            if not felt.bench.mechanism.next and chance.random() < 0.05:
                felt.bench.mechanism.next = chance.choice(("jam", "stick", "misaligned"))
            before = len(felt.bench.out)
            felt.wait(0.3)
            if felt.feeder.doubts and felt.feeder.doubts[0].reason in ("shoe_jam", "shoe_misaligned"):
                felt.bench.mechanism.next = ""
                felt.bench.look_inside()
                felt.wait(1.0)
                place = felt.feeder.doubts[0].place if felt.feeder.doubts else ""
                if place and len(felt.bench.out) == before:
                    felt.land(int(place.removeprefix("seat")))
                felt.wait(1.0)
        assert felt.rig.expected() == "act", (felt.feeder.doubts, felt.rig.running.expects)
        targets = [target for target, _ in felt.commands]
        assert sorted(targets) == sorted([1, 2, 3, 4] * 2)
        feeds += len(targets)
    assert feeds == 96
