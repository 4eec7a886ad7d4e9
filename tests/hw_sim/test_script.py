"""Records are read, the betting of a hand is known, random hands are legal."""

import json
from pathlib import Path
from typing import Any

import pytest

from hw_sim.betting import Betting, Game
from hw_sim.errors import ScriptError
from hw_sim.script import (
    HandScript,
    Pause,
    PhhHands,
    Positions,
    RandomHands,
    Stakes,
    TableView,
    phh_files,
    read_phh,
)
from hw_sim.world import CARD_NAMES

DATA = Path(__file__).parents[3] / "shared" / "data" / "phh"
HANDS = sorted((DATA / "hands").glob("*.phh"))
WRONG = sorted((DATA / "pokerkit_wrong").glob("*.phh"))
recorded = pytest.mark.skipif(not HANDS, reason="the recorded hands are not beside the project")

HEAD = """variant = 'NT'
antes = [{antes}]
blinds_or_straddles = [{blinds}]
min_bet = 100
starting_stacks = [{stacks}]
actions = {actions}
"""


def phh(
    tmp_path: Path,
    actions: list[str],
    *,
    stacks: tuple[int, ...] = (1000, 1000, 1000),
    blinds: tuple[int, ...] = (50, 100, 0),
    antes: tuple[int, ...] = (0, 0, 0),
) -> Path:
    def listed(values: tuple[int, ...]) -> str:
        return ", ".join(str(value) for value in values)

    path = tmp_path / "hand.phh"
    path.write_text(
        HEAD.format(antes=listed(antes), blinds=listed(blinds), stacks=listed(stacks), actions=actions)
    )
    return path


DEAL = ["d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 QhQd"]


@recorded
@pytest.mark.parametrize("path", HANDS, ids=lambda path: path.stem)
def test_a_record_ends_as_its_source_says(path: Path) -> None:
    entry = json.loads((DATA / "expected.json").read_text())["hands"][path.name]
    want = entry["finishing_stacks_source"]
    if want is None or any(stack != int(stack) for stack in want):
        want = entry["finishing_stacks_pokerkit"]
    script = read_phh(path, "1")
    after, _, _ = script.play_out()
    assert [after[seat] for seat in sorted(after)] == want
    assert list(script.board()[: len(entry["board"])]) == entry["board"]
    assert sorted(script.deck) == sorted(CARD_NAMES)


@recorded
@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_hands_that_the_oracle_gets_wrong_end_as_on_the_site(path: Path) -> None:
    entry = json.loads((DATA / "pokerkit_wrong" / "expected.json").read_text())[path.name]
    after, _, _ = read_phh(path, "1").play_out()
    assert [after[seat] for seat in sorted(after)] == entry["finishing_stacks_site"]


def test_places_of_a_record(tmp_path: Path) -> None:
    game = read_phh(phh(tmp_path, [*DEAL, "p3 f", "p1 f"]), "1").game
    assert (game.button, game.small_blind_seat, game.big_blind_seat) == (3, 1, 2)


@pytest.mark.parametrize("blinds", [(50, 100), (100, 50)])
def test_heads_up_player_1_is_the_big_blind(tmp_path: Path, blinds: tuple[int, ...]) -> None:
    lines = ["p2 cc", "p1 cc", "d db 2c3c4c", "p1 cbr 200", "p2 f"]
    path = phh(tmp_path, lines, stacks=(1000, 1000), blinds=blinds, antes=(0, 0))
    script = read_phh(path, "1")
    assert (script.game.button, script.game.small_blind_seat, script.game.big_blind_seat) == (2, 2, 1)
    assert (script.game.small_blind, script.game.big_blind) == (50, 100)
    assert script.play_out()[0] == {1: 1100, 2: 900}


@pytest.mark.parametrize(
    ("antes", "kind", "after"),
    [
        ((0, 100, 0), "big_blind", {1: 950, 2: 1050, 3: 1000}),
        ((10, 10, 10), "classic", {1: 940, 2: 1070, 3: 990}),
        ((0, 0, 100), "button", {1: 950, 2: 1150, 3: 900}),
        ((0, 0, 0), "none", {1: 950, 2: 1050, 3: 1000}),
    ],
)
def test_antes(tmp_path: Path, antes: tuple[int, ...], kind: str, after: dict[int, int]) -> None:
    script = read_phh(phh(tmp_path, [*DEAL, "p3 f", "p1 f"], antes=antes), "1")
    assert script.game.ante_kind == kind
    assert script.play_out()[0] == after


def test_unknown_cards_are_drawn_from_the_unused_by_the_seed(tmp_path: Path) -> None:
    path = phh(tmp_path, ["d dh p1 Ah??", "d dh p2 ????", "d dh p3 QhQd", "p3 f", "p1 f"])
    one, same, other = read_phh(path, "1"), read_phh(path, "1"), read_phh(path, "2")
    assert one.deck == same.deck != other.deck
    assert one.holes()[1][0] == "Ah"
    assert one.holes()[3] == ("Qh", "Qd")
    assert sorted(one.deck) == sorted(CARD_NAMES)


def test_a_hand_mucked_at_the_showdown_is_drawn_to_lose(tmp_path: Path) -> None:
    acts = ["p3 f", "p1 cc", "p2 cc", "d db 2c7d9h", "p1 cc", "p2 cc", "d db 3s", "p1 cc", "p2 cc"]
    acts += ["d db Jd", "p1 cc", "p2 cc", "p2 sm 4cJc", "p1 sm"]
    path = phh(tmp_path, ["d dh p1 ????", "d dh p2 4cJc", "d dh p3 QhQd", *acts])
    for seed in range(20):
        assert read_phh(path, str(seed)).play_out()[0] == {1: 900, 2: 1100, 3: 1000}


def test_the_fold_of_an_all_in_player_kills_his_hand(tmp_path: Path) -> None:
    acts = ["p3 cc", "p1 cc", "p2 f", "d db 2c7d9h", "p1 cc", "p3 cc", "d db 3s", "p1 cc", "p3 cc"]
    acts += ["d db Jd", "p1 cc", "p3 cc", "p1 sm", "p3 sm"]
    path = phh(tmp_path, [*DEAL, *acts], stacks=(1000, 60, 1000))
    script = read_phh(path, "1")
    after, betting, _ = script.play_out()
    assert betting.live() == [1, 3]
    assert after == {1: 1160, 2: 0, 3: 900}


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ([*DEAL, "p1 f"], "p1 act, seat 3 is to act"),
        ([*DEAL, "p3 f"], "stops while seat 1"),
        ([*DEAL, "p3 cbr 5000"], "of a stack of 1000"),
        ([*DEAL, "p3 dance"], "no action"),
        ([*DEAL, "p3 cbr x"], "cannot be read"),
        ([*DEAL, "p3 cbr 250.5"], "not whole chips"),
        ([*DEAL, "p9 f"], "no player p9"),
        (["d dh p1 AhAx"], "'Ax' is no card"),
        (["d dh p1 AhAh", "p3 f", "p1 f"], "comes twice"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(tmp_path: Path, actions: list[str], reason: str) -> None:
    with pytest.raises(ScriptError, match=reason) as refused:
        read_phh(phh(tmp_path, actions), "1")
    assert "hand.phh" in refused.value.where


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'NT'", "'PO'", "variant PO"),
        ("min_bet", "x = [", "cannot be read"),
        ("antes", "aunts", "antes is missing"),
        ("[1000, 1000, 1000]", "[1000.5, 1000, 1000]", "not whole chips"),
        ("[50, 100, 0]", "[0, 0, 0]", "no blinds"),
    ],
)
def test_a_file_that_is_no_such_record_is_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    path = phh(tmp_path, [*DEAL, "p3 f", "p1 f"])
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ScriptError, match=reason):
        read_phh(path, "1")


def test_files_and_folders_are_listed(tmp_path: Path) -> None:
    path = phh(tmp_path, [*DEAL, "p3 f", "p1 f"])
    assert list(phh_files([tmp_path, path])) == [path, path]
    (tmp_path / "empty").mkdir()
    for wrong in (tmp_path / "empty", tmp_path / "nothing.phh"):
        with pytest.raises(ScriptError):
            list(phh_files([wrong]))


def test_amounts_of_all_records(tmp_path: Path) -> None:
    source = PhhHands([phh(tmp_path, [*DEAL, "p3 cbr 275", "p1 f", "p2 f"])], "1")
    assert {50, 100, 275, 950, 900, 1000, 1150} <= set(source.amounts)
    assert source.most_chips == 3000


# -- betting -----------------------------------------------------------------------------------------------


def betting_of(stacks: dict[int, int], **more: Any) -> Betting:
    places = {"button": 3, "small_blind_seat": 1, "big_blind_seat": 2} | more
    return Betting(stacks, Game(50, 100, **places))


def acts(subject: Betting, *lines: tuple[int, str] | tuple[int, str, int]) -> None:
    for seat, kind, *to in lines:
        subject.apply(subject.read(seat, kind, *to))


def test_side_pots_and_the_uncalled_bet() -> None:
    subject = betting_of({1: 200, 2: 500, 3: 1000})
    acts(subject, (3, "raise", 1000), (1, "call"), (2, "call"))
    assert subject.all_done
    assert subject.uncalled() == (3, 500)
    assert [(pot.amount, pot.seats) for pot in subject.pots()] == [(600, (1, 2, 3)), (600, (2, 3))]
    holes = {1: ("Ah", "As"), 2: ("Kh", "Ks"), 3: ("Qh", "Qs")}
    takes = subject.settle(holes, ("2c", "7d", "9h", "3s", "Jd"))
    assert takes == {1: 600, 2: 600, 3: 500}


def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    subject = betting_of({1: 1000, 2: 1000, 3: 1000, 4: 250}, button=4)
    acts(subject, (3, "raise", 200), (4, "raise", 250), (1, "fold"), (2, "fold"))
    assert subject.to_act == 3
    legal = subject.legal(3)
    assert (legal.call, legal.max_to) == (50, 0)


def test_callers_of_a_short_big_blind_pay_the_whole_one() -> None:
    subject = betting_of({1: 1000, 2: 60, 3: 1000})
    assert subject.legal(3).call == 100
    assert subject.legal(3).min_to == 200
    # alone against him nobody pays more than he has put in
    acts(subject, (3, "fold"))
    assert subject.legal(1).call == 10


def test_the_odd_chip_goes_to_the_first_left_of_the_button() -> None:
    subject = betting_of({1: 1000, 2: 1000, 3: 1000}, smallest_chip=25)
    acts(subject, (3, "raise", 225), (1, "call"), (2, "fold"))
    same = {1: ("Ah", "Kh"), 3: ("As", "Ks")}
    takes = subject.settle(same, ("2c", "7d", "9h", "3s", "Jd"))
    assert takes == {1: 275, 3: 275}
    subject = betting_of({1: 1000, 2: 1000, 3: 1000}, smallest_chip=25, ante_kind="big_blind", ante=25)
    acts(subject, (3, "raise", 225), (1, "call"), (2, "fold"))
    assert subject.settle(same, ("2c", "7d", "9h", "3s", "Jd")) == {1: 300, 3: 275}


def test_turns_go_round_from_the_left_of_the_big_blind() -> None:
    subject = betting_of({1: 1000, 2: 1000, 3: 1000})
    assert subject.to_act == 3
    with pytest.raises(ScriptError, match="seat 3 is to act"):
        subject.apply(subject.read(1, "call"))
    acts(subject, (3, "call"), (1, "call"))
    assert subject.to_act == 2  # the option
    acts(subject, (2, "call"))
    assert subject.to_act is None
    subject.next_street()
    assert subject.to_act == 1
    with pytest.raises(ScriptError, match="not over"):
        subject.next_street()


# -- random hands ------------------------------------------------------------------------------------------


def test_the_dead_button_goes_round() -> None:
    subject = Positions(1)
    assert subject.next([1, 3, 5]) == (1, 3, 5)
    # seat 3 is out: the button is dead on 3, the old big blind pays the small one
    assert subject.next([1, 5, 8]) == (3, 5, 8)
    # seat 5 is out: it has the button, the small blind is dead on nobody
    assert subject.next([1, 8, 9]) == (5, 8, 9)
    # seat 9 is out: dead small blind
    assert subject.next([1, 8, 2]) == (8, None, 1)
    # two are left: the small blind has the button
    assert subject.next([1, 2]) == (1, 1, 2)
    assert subject.next([1, 2]) == (2, 2, 1)


def test_random_hands_are_legal_and_reproducible() -> None:
    def stakes() -> Stakes:
        return Stakes(50, 100, "big_blind", 100, 25)

    played = []
    for _ in range(2):
        source = RandomHands("x", stakes, count=300)
        stacks = {1: 5000, 2: 5000, 4: 5000, 7: 2000, 8: 12000, 9: 5000, 10: 5000}
        hands = []
        for number in range(1, 301):
            script = source.next_hand(TableView(number, stacks))
            if not isinstance(script, HandScript):
                break
            after, betting, _ = script.play_out()
            stacks = stacks | after
            hands.append((after, [(a.seat, a.kind, a.to) for a in betting.acts]))
            assert sum(stacks.values()) == 39000
            assert all(stack % 25 == 0 and stack >= 0 for stack in after.values())
        played.append(hands)
    assert played[0] == played[1]
    kinds = {kind for _, said in played[0] for _, kind, _ in said}
    assert kinds == {"fold", "check", "call", "bet", "raise", "all_in"}
    assert len(played[0]) > 10


def test_the_callers_game_wins_over_the_sources_own() -> None:
    game = Game(100, 200, 4, None, 2, smallest_chip=25)
    source = RandomHands("x", lambda: Stakes(50, 100), started=lambda: (game, (2, 4)))
    view = TableView(1, {1: 1000, 2: 1000, 4: 1000})
    script = source.next_hand(view)
    assert isinstance(script, HandScript)
    assert set(script.stacks) == {1, 2, 4}
    real = source.at_start(script, view)
    assert real.game == game
    assert set(real.stacks) == {2, 4}
    assert real.deck == script.deck


def test_play_is_over_when_one_has_everything_or_the_count_is_reached() -> None:
    source = RandomHands("x", lambda: Stakes(50, 100), count=2)
    assert source.next_hand(TableView(1, {1: 3000, 2: 0})) is None
    assert source.next_hand(TableView(3, {1: 3000, 2: 3000})) is None
    source = RandomHands("x", lambda: Stakes(50, 100), rebuy=2000)
    again = source.next_hand(TableView(1, {1: 3000, 2: 0}))
    assert isinstance(again, HandScript)
    assert again.stacks == {1: 3000, 2: 2000}
    source = RandomHands("x", lambda: Stakes(50, 100), wait_for_players=True)
    assert source.next_hand(TableView(1, {1: 3000})) is Pause.SHORT_OF_PLAYERS
