"""The club's book of docs/rulebooks.md at work: what its file says happens at the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import advice
from table_controller.rulebook_files import load_book

CLUB = str(Path(__file__).resolve().parents[2] / "docs" / "examples" / "club.toml")
FLOP = "Td9h8c"


def without_burn(script):
    return script().deal().limp().board(FLOP)


def mixed(script, drawn):
    """A flop without a burn, mixed with the next card; the director draws one."""
    hand = without_burn(script).move("deck", "board")
    return hand.add("floor_decided", choice="burn_assigned", cards=drawn, by="TD")


def test_the_example_is_whole_and_nothing_in_it_is_odd():
    book = load_book(CLUB)
    assert book.lineage == ("club_quai_neuf", "ropta", "standard")
    assert advice.remarks(book) == ()


def test_a_flop_without_a_burn_is_mixed_with_the_next_card(script):
    result = without_burn(script).run(CLUB)
    assert result.cites == [("burn_assigned", "QN 7a")]
    assert result.rulings[0].cards == ()
    assert [order.order for order in result.rulings[0].orders] == ["move", "mix", "draw", "wait"]
    assert (result.rulings[0].orders[0].from_, result.rulings[0].orders[0].face) == ("deck", "down")
    assert result.summary.phase == "floor"


@pytest.mark.parametrize("drawn", ["Td", "9h", "8c"])
def test_the_card_drawn_is_the_burn_and_the_other_three_are_the_flop(script, drawn):
    hand = mixed(script, [drawn])
    result = hand.run(CLUB)
    assert result.summary.burns == (drawn,)
    assert set(result.summary.board) == {"Td", "9h", "8c", None} - {drawn}
    hand.move("board", "burn", drawn).add("card_exposed", card="2c", at="board")
    result = hand.run(CLUB)
    assert set(result.summary.board) == {"Td", "9h", "8c", "2c"} - {drawn}
    assert result.summary.phase == "flop"
    assert result.names == ["burn_assigned"]


@pytest.mark.parametrize(("drawn", "burns"), [(None, (None,)), ([], (None,)), (["2c"], ("2c",))])
def test_the_added_card_may_be_the_one_that_is_drawn(script, drawn, burns):
    result = mixed(script, drawn).move("board", "burn").run(CLUB)
    assert result.summary.board == ("Td", "9h", "8c")
    assert result.summary.burns == burns
    assert result.summary.phase == "flop"


def test_the_turn_has_a_burn_of_its_own_after_it(script):
    hand = mixed(script, ["9h"]).move("board", "burn", "9h").add("card_exposed", card="2c", at="board")
    result = hand.checked().run(CLUB)
    assert result.next.order == "burn"
    result = hand.burn().board("3c").run(CLUB)
    assert result.summary.phase == "turn"
    assert result.names == ["burn_assigned"]


def test_once_somebody_acted_the_flop_stands(script):
    hand = script().to_flop().act("1 check").claim("no_burn", facts={"identified": True})
    assert hand.run(CLUB).cites == [("play_on", "QN 7b")]


def raised_flop(script, chips):
    """Three left on the flop: seat 1 bets, seat 2 raises, seat 3 puts in too little."""
    hand = script(seats=3).deal().act("3 call, 1 call, 2 check").burn().board(FLOP)
    return hand.act("1 bet 300, 2 raise 900").add("acted", seat=3, chips=chips)


@pytest.mark.parametrize("chips", [[100, 100, 100, 100], [500]])
def test_an_undercall_stays_in_and_its_owner_completes_or_folds(script, chips):
    hand = raised_flop(script, chips)
    result = hand.run(CLUB)
    assert result.cites == [("chips_forfeited", "QN 11")]
    assert result.rulings[0].amounts == {"3": sum(chips)}
    assert result.summary.bets["3"] == sum(chips)
    assert result.summary.to_act == 3
    assert result.next.options == ("fold", "call")
    folded = hand.act("3 fold").run(CLUB)
    assert folded.summary.folded_seats == (3,)
    assert folded.summary.stacks["3"] == 9900 - sum(chips)
    assert folded.summary.to_act == 1


def test_an_undercall_that_is_completed_is_a_call(script):
    result = raised_flop(script, [100, 100]).act("3 call").run(CLUB)
    assert result.summary.bets == {"1": 300, "2": 900, "3": 900}
    assert result.summary.stacks["3"] == 9000
    assert result.summary.to_act == 1
    assert len(result.rulings) == 1


def test_an_undercall_may_not_become_a_raise(script):
    result = raised_flop(script, [100, 100]).act("3 raise 2000").run(CLUB)
    assert result.names[-2:] == ["action_refused", "amount_corrected"]
    assert result.summary.bets["3"] == 900


def test_an_undercall_with_sensed_chips_owes_nothing(script):
    hand = script(seats=3, chips="sensed").deal().act("3 call, 1 call, 2 check").burn().board(FLOP)
    for seat, chips in ((1, [100] * 3), (2, [100] * 9), (3, [100, 100])):
        hand.add("acted", seat=seat, chips=chips)
    result = hand.run(CLUB)
    assert result.names[-1] == "chips_forfeited"
    assert "3" not in result.summary.owed


def test_what_the_club_does_not_write_is_roptas(script):
    assert script().deal(up={1: "Ah"}, until=1).run(CLUB).cites == [("misdeal", "ROPTA misdeal a")]


def test_an_official_number_goes_with_the_clubs_article(script):
    result = script().deal(until=4).add("card_exposed", card="3c", at="deck", by="deck").run(CLUB)
    assert (result.rulings[0].article, result.rulings[0].official) == ("QN 5", "5.3")
