"""People play recorded and random hands by the orders of a controller that only knows the wire."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scripted_controller import Controller

from hw_sim.bench import Bench
from hw_sim.config import layout, random_table, recorded_table
from hw_sim.errors import ConfigError, SimulationStuck
from hw_sim.faults import Faults
from hw_sim.play import Manners
from hw_sim.script import HandSource, PhhHands, RandomHands, Stakes

DATA = Path(__file__).parents[3] / "shared" / "data" / "phh"
HANDS = sorted((DATA / "hands").glob("*.phh"))
recorded = pytest.mark.skipif(not HANDS, reason="the recorded hands are not beside the project")

QUICK: dict[str, Any] = {"speed": 0, "settle_s": 0.0, "contact_s": 10.0}


def play(bench: Bench, source: HandSource, *, noisy: bool = False, lists: bool = False) -> Controller:
    controller = Controller(bench, source, lists=lists)
    controller.start()
    try:
        bench.run()
    finally:
        controller.stop()
    if not noisy:
        controller.check()
    return controller


def stakes() -> Stakes:
    return Stakes(50, 100, "classic", 25, 25)


def random_bench(tmp_path: Path, seed: str, count: int, **more: Any) -> tuple[Bench, RandomHands]:
    seats = {2: 3000, 3: 10000, 5: 10000, 7: 5000, 9: 10000}
    config = random_table(tmp_path, seats=seats, stakes=stakes(), seed=seed, count=count, **{**QUICK, **more})
    return Bench(config), RandomHands(seed, stakes, button=9, count=count)


def expected_stacks(name: str) -> list[int]:
    """What the record says; where it halves a chip, the odd one goes to the first left of the button."""
    entry = json.loads((DATA / "expected.json").read_text())["hands"][name]
    source = entry["finishing_stacks_source"]
    if source is None or any(stack != int(stack) for stack in source):
        return list(entry["finishing_stacks_pokerkit"])
    return [int(stack) for stack in source]


@recorded
def test_all_recorded_hands_end_as_recorded(tmp_path: Path) -> None:
    with Bench(recorded_table(tmp_path, HANDS, seed="1", **QUICK)) as bench:
        play(bench, PhhHands(HANDS, "1"))
        got = {r.name: [r.after[seat] for seat in sorted(r.after)] for r in bench.results}
        assert got == {path.name: expected_stacks(path.name) for path in HANDS}
        assert all(result.ok for result in bench.results)
        assert not bench.world.total("pot")
        assert sum(chip.value for chip in bench.world.chips("bank")) + sum(
            bench.world.total(f"stack{seat}") for seat in range(1, 11)
        ) == sum(chip.value for chip in bench.world.all_chips)


@recorded
@pytest.mark.parametrize("table", ["cards", "seven"])
def test_hands_are_played_without_chips_and_with_uncovered_seats(tmp_path: Path, table: str) -> None:
    short_blind = "ps-204469397162.phh"  # its small blind is all-in before anybody acts
    paths = HANDS[:4] + [p for p in HANDS if p.name.startswith("ps-1") or p.name == short_blind][-9:]
    with Bench(recorded_table(tmp_path, paths, seed="1", layout=layout(table), **QUICK)) as bench:
        controller = play(bench, PhhHands(paths, "1"))
        assert [list(r.after.values()) for r in bench.results] == [
            expected_stacks(path.name) for path in paths
        ]
        assert {"CHECK", "CALL", "RAISE", "POT", "YES"} <= set(controller.presses)
        # folds go over the muck; who folds is pressed only where his seat has no antenna
        assert ("FOLD" in controller.presses) is (table == "seven")
        assert not [line for line in bench.truth.lines if line["what"] == "chips"]


@recorded
def test_acts_may_be_shown_many_at_once(tmp_path: Path) -> None:
    paths = [path for path in HANDS if "pluribus-91" in path.name or path.name.startswith("ps-12")]
    with Bench(recorded_table(tmp_path, paths, seed="1", **QUICK)) as bench:
        play(bench, PhhHands(paths, "1"), lists=True)
        assert len(bench.results) == len(paths) > 5
        assert all(result.ok for result in bench.results)


@recorded
def test_betting_by_rounds_needs_only_folds_and_a_word_at_the_end(tmp_path: Path) -> None:
    manners = Manners(betting="rounds", chips=False)
    paths = [path for path in HANDS if path.name.startswith("pluribus-1")][:8]
    config = recorded_table(tmp_path, paths, seed="1", layout=layout("cards", manners), **QUICK)
    with Bench(config) as bench:
        controller = play(bench, PhhHands(paths, "1"))
        assert [list(r.after.values()) for r in bench.results] == [expected_stacks(p.name) for p in paths]
        assert not {"CHECK", "CALL", "RAISE", "ALL_IN", "FOLD"} & set(controller.presses)


def test_random_hands_go_on_until_one_has_everything(tmp_path: Path) -> None:
    bench, copy = random_bench(tmp_path, "busts", 60)
    with bench:
        play(bench, copy)
        assert all(result.ok for result in bench.results)
        assert len(bench.results) > 5
        for before, after in pairwise(bench.results):
            assert after.before == {seat: n for seat, n in before.after.items() if n}
        assert sum(bench.table.stacks.values()) == 38000
        kinds = {line["kind"] for line in bench.truth.lines if line["what"] == "act"}
        assert kinds == {"fold", "check", "call", "bet", "raise", "all_in"}


def test_the_same_seed_gives_the_same_truth(tmp_path: Path) -> None:
    truths = []
    for number, seed in enumerate(("a", "a", "b")):
        directory = tmp_path / str(number)
        bench, copy = random_bench(directory, seed, 4)
        with bench:
            play(bench, copy)
        truths.append((directory / "truth.jsonl").read_bytes())
        assert b"hand_end" in truths[-1]
    assert truths[0] == truths[1]
    assert truths[0] != truths[2]


def test_noise_on_the_line_changes_nothing_but_the_time(tmp_path: Path) -> None:
    faults = Faults.parse("drop_ack=0.02,dup_frame=0.05,bounce=0.3")
    bench, copy = random_bench(tmp_path, "noise", 3, faults=faults)
    with bench:
        play(bench, copy, noisy=True)
        assert [result.ok for result in bench.results] == [True] * 3
        assert bench.mcu.link.counts.resent > 0


@pytest.mark.parametrize("fault", ["unplug", "rename", "reboot", "midframe", "stall"])
def test_play_goes_on_after_a_fault_in_the_middle(tmp_path: Path, fault: str) -> None:
    bench, copy = random_bench(tmp_path, "fault", 2, faults=Faults.parse(fault))
    with bench:
        controller = play(bench, copy, noisy=True)
        struck = [line for line in bench.truth.lines if line["what"] == "fault"]
        assert [line["name"] for line in struck] == [fault]
        assert bench.truth.lines[-1]["t"] > struck[0]["t"]
        assert [result.ok for result in bench.results] == [True, True]
        assert bench.mcu.boots == (1 if fault == "stall" else 2)
        assert controller.reopened == (1 if fault in ("unplug", "rename") else 0)


def test_a_press_that_the_table_does_not_answer_is_repeated(tmp_path: Path) -> None:
    bench, copy = random_bench(tmp_path, "a", 2)
    controller = Controller(bench, copy)
    deaf = [True]
    pressed = controller.pressed

    def deaf_once(name: str) -> Any:
        heard = pressed(name)

        def ready() -> bool:
            if name == "CHECK" and deaf[0] and heard():
                deaf[0] = False
                controller.presses.clear()
            return heard()

        return ready

    controller.pressed = deaf_once  # type: ignore[method-assign]
    controller.start()
    try:
        with bench:
            bench.run()
            assert all(result.ok for result in bench.results)
            said = [line["t"] for line in bench.truth.lines if line.get("button") == "CHECK"]
            acted = [line for line in bench.truth.lines if line.get("kind") == "check"]
            assert not deaf[0]
            assert len(said) > len(acted)
    finally:
        controller.stop()


def test_a_question_is_denied_and_a_hold_is_waited_out(tmp_path: Path) -> None:
    bench, copy = random_bench(tmp_path, "a", 1)
    controller = Controller(bench, copy)

    def hold() -> Any:
        # the hub holds the table: `wait` stays on the panel, the dealer asks again later
        yield controller.pressed("CUT")

    controller.prelude = hold
    turn = controller._turn

    def asking(*args: Any) -> Any:
        controller._turn = turn  # type: ignore[method-assign]
        controller.order(("ask", 3, 0))
        yield controller.pressed("NO")
        yield from turn(*args)

    controller._turn = asking  # type: ignore[method-assign]
    controller.start()
    try:
        with bench:
            bench.run()
            assert bench.results[0].ok
            pressed = [line["button"] for line in bench.truth.lines if line["what"] == "press"]
            assert pressed[:3] == ["SHUFFLED", "CUT", "CUT"]
            assert pressed.count("NO") == 1
    finally:
        controller.stop()


def test_a_table_short_of_players_waits_for_more(tmp_path: Path) -> None:
    quick = Manners(stuck_s=5.0, stuck_real_s=0.01)
    config = random_table(
        tmp_path,
        seats={2: 3000, 5: 3000},
        stakes=stakes(),
        seed="s",
        button=2,
        layout=layout("chips+cards", quick),
        **QUICK,
    )
    source = RandomHands("s", stakes, button=2, count=1, wait_for_players=True)
    with Bench(replace(config, source=source, most_chips=20000)) as bench:
        controller = Controller(bench, RandomHands("s", stakes, button=2, count=1))
        controller.stacks = {2: 3000, 9: 4000}
        bench.change_seat(5, 0)
        bench.agenda.at(60.0, lambda: bench.change_seat(9, 4000))
        controller.start()
        try:
            bench.run()
        finally:
            controller.stop()
        assert bench.results[0].ok
        assert bench.results[0].before == {2: 3000, 9: 4000}
        moves = [line for line in bench.truth.lines if line["what"] in ("arrived", "departed")]
        assert [(line["what"], line["seat"], line["stack"]) for line in moves] == [
            ("departed", 5, 0),
            ("arrived", 9, 4000),
        ]
        assert bench.world.total("stack5") == 0
        with pytest.raises(ConfigError, match="seat 11"):
            bench.table.change_seat(11, 100)


def test_virtual_time_runs_at_the_speed_that_is_asked_for(tmp_path: Path) -> None:
    bench, copy = random_bench(tmp_path, "a", 1, speed=100.0)
    with bench:
        play(bench, copy)
        assert bench.results[0].ok


def test_people_give_up_when_the_table_says_nothing(tmp_path: Path) -> None:
    quiet = Manners(stuck_s=20.0, stuck_real_s=0.05, hold_s=40.0, hold_real_s=0.05)
    bench, copy = random_bench(tmp_path, "a", 1, layout=layout("chips+cards", quiet))
    controller = Controller(bench, copy)
    controller._plan = iter(())
    controller.start()
    try:
        with bench, pytest.raises(SimulationStuck) as stuck:
            bench.run()
    finally:
        controller.stop()
    assert "order deal" in stuck.value.expected
    assert "wait" in stuck.value.last_order
    assert "hand" in stuck.value.places or "deck" in stuck.value.places


def test_people_give_up_when_nobody_opens_the_line(tmp_path: Path) -> None:
    bench, _ = random_bench(tmp_path, "a", 1, contact_s=0.1)
    with bench, pytest.raises(SimulationStuck, match="open"):
        bench.run()


def test_amounts_without_chips_are_refused() -> None:
    with pytest.raises(ConfigError, match="typed amounts"):
        Manners(betting="amounts", chips=False)
