"""What goes wrong by the people: the plan of slips, and how neglect is drawn."""

from __future__ import annotations

import json
import random

import msgspec
import pytest

from benchmarks.memory_table import MemoryPlay
from engine.rulings import Ruling
from hw_sim.betting import Betting, Game
from hw_sim.config import layout, random_table
from hw_sim.control import Cue
from hw_sim.errors import ConfigError, WorldError
from hw_sim.neglect import Neglect
from hw_sim.script import Stakes
from hw_sim.slips import INCIDENTS, Slips
from hw_sim.world import CARD_NAMES, World, make_deck
from table_controller.journal import Reading


def test_named_slips_come_in_every_hand():
    plan = Slips("expose:7, double_burn:flop, extra", "1")
    for hand in (1, 2):
        assert [str(slip) for slip in plan.of_hand(hand, 6)] == ["expose:7", "double_burn:flop", "extra"]
    assert not plan.none


def test_a_rate_draws_other_slips_for_each_hand_and_the_same_for_one_seed():
    one = [[str(s) for s in Slips("0.2", "a").of_hand(hand, 9)] for hand in range(1, 30)]
    again = [[str(s) for s in Slips("0.2", "a").of_hand(hand, 9)] for hand in range(1, 30)]
    other = [[str(s) for s in Slips("0.2", "b").of_hand(hand, 9)] for hand in range(1, 30)]
    assert one == again != other
    assert len({tuple(slips) for slips in one}) > 5
    assert {name.partition(":")[0] for slips in one for name in slips} <= set(INCIDENTS)


def test_nobody_slips_without_a_plan():
    assert Slips().none
    assert Slips("0").of_hand(1, 10) == []


@pytest.mark.parametrize(
    "spec", ["expose", "expose:flop", "double_burn:7", "extra:3", "sneeze:1", "1.5", "x"]
)
def test_a_plan_that_cannot_be_read_is_refused(spec):
    with pytest.raises(ConfigError):
        Slips(spec, "1")


def test_neglect_is_a_share():
    with pytest.raises(ConfigError):
        Neglect(lifted=1.5)
    assert Neglect.usual() != Neglect()


def test_a_killed_hand_passes_its_turn_on():
    game = Game(50, 100, button=3, small_blind_seat=1, big_blind_seat=2)
    betting = Betting({1: 1000, 2: 1000, 3: 1000}, game)
    assert betting.to_act == 3
    betting.kill(3)
    assert betting.to_act == 1
    betting.kill(2)
    assert betting.over
    assert betting.to_act is None
    assert betting.settle({}, ()) == {1: 150}


def test_the_stub_brings_the_card_that_was_laid_there():
    world = World({"A": make_deck("A", 7, random.Random(1))}, [])
    world.stack_deck("A", CARD_NAMES)
    card = world.card("A", "7c")
    world.bring_up(card)
    assert world.top() is card
    before = [c.name for c in world.cards("hand")]
    world.shuffle_stub(random.Random(2))
    assert sorted(c.name for c in world.cards("hand")) == sorted(before)
    world.move_card(card, "board", face="up")
    with pytest.raises(WorldError):
        world.bring_up(card)


@pytest.mark.parametrize("slip", ["wrong_seat:3", "wrong_deck:4"])
def test_a_card_that_goes_astray_is_taken_back_with_the_hand(tmp_path, slip):
    """What the antennas see of it is ruled, the cards come back, and the hand is dealt again."""
    config = random_table(
        tmp_path,
        seats=dict.fromkeys(range(1, 7), 10_000),
        stakes=Stakes(50, 100, smallest_chip=50),
        seed="astray",
        count=2,
        layout=layout("cards"),
        rulebook="ropta",
        scenario=(Cue(f"slip {slip}", hand=1),),
    )
    with MemoryPlay(config) as play:
        play.play()
        assert [result.ok for result in play.bench.results] == [True, True]
    with Reading.of(tmp_path / "journal.db") as journal:
        found = {msgspec.json.decode(row.body, type=Ruling).incident for row in journal.rulings()}
    truth = [json.loads(line) for line in (tmp_path / "truth.jsonl").read_text().splitlines()]
    assert [line["at"] for line in truth if line["what"] == "slip"] == [slip]
    assert found & INCIDENTS[slip.partition(":")[0]]
    assert any(line["what"] == "void" for line in truth)
    assert not any(name.startswith(("wrong_seat", "wrong_deck")) for name in drawn())


def drawn():
    """All slips that a rate draws in a hundred hands."""
    return {str(slip) for hand in range(100) for slip in Slips("0.3", "a").of_hand(hand, 9)}
