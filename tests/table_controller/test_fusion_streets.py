"""What antennas tell of burns and streets, in order and out of it."""

from __future__ import annotations

from engine import events as ev
from table_controller import messages as m
from tests.table_controller.rig import Rig, called_round, card_uid, dealt


def test_the_flop_in_one_cycle_is_three_cards_of_one_group() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.card("Ks", "burn", then=0.8)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board", then=0)
    rig.wait(0.8)
    flop = [event for event in rig.of(ev.CardMoved) if event.to == "board"]
    assert sorted(event.card or "" for event in flop) == ["2c", "3c", "4c"]
    assert {event.face for event in flop} == {"up"}
    assert len({event.group for event in flop}) == 1
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert rig.state.phase == "flop" and not rig.told(m.Incident)
    assert [body.street for body in rig.told(m.Board)] == ["flop"]


def test_burn_and_flop_in_one_cycle_are_taken_in_the_expected_order() -> None:
    rig = called_round(dealt(Rig(4)))
    for card, place in (("2c", "board"), ("3c", "board"), ("4c", "board"), ("Ks", "burn")):
        rig.card(card, place, then=0)
    rig.wait(1.0)
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert rig.state.phase == "flop" and not rig.told(m.Incident)


def test_without_a_burn_antenna_the_burn_is_inferred_from_the_street() -> None:
    rig = called_round(dealt(Rig(4, blind=("burn",))))
    rig.street("2c", "3c", "4c", burn="Ks")
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert rig.state.phase == "flop" and not rig.told(m.Incident)


def test_a_burn_that_is_read_late_is_no_irregularity() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.unread.add(card_uid("Ks"))
    rig.street("2c", "3c", "4c", burn="Ks")
    assert rig.moves()[8:] == [] and rig.running.question is None
    rig.unread.clear()
    rig.wait(1.0)
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert not rig.told(m.Incident)


def test_a_street_without_its_burn_is_asked_about_and_goes_on_when_denied() -> None:
    rig = called_round(dealt(Rig(4)))
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board")
    rig.wait(3.0)
    assert m.DoubtAt(place="burn", reason="card_not_read") in rig.running.doubts
    rig.wait(6.0)
    assert rig.running.question is not None
    rig.press("NO")
    assert rig.moves()[8:] == [("deck", "burn")] + [("deck", "board")] * 3
    assert rig.state.phase == "flop" and not rig.told(m.Incident)


def test_a_whole_board_street_by_street() -> None:
    rig = called_round(dealt(Rig(4)))
    for cards, burn in ((("2c", "3c", "4c"), "Ks"), (("5c",), "Qs"), (("6c",), "Js")):
        rig.street(*cards, burn=burn)
        while rig.state.to_act is not None:
            rig.press("CHECK")
    assert set(rig.state.board) == {"2c", "3c", "4c", "5c", "6c"}
    assert [body.street for body in rig.told(m.Board)] == ["flop", "turn", "river"]
    assert rig.state.phase == "showdown" and not rig.told(m.Incident)


def test_a_flop_read_card_by_card_is_one_flop() -> None:
    rig = called_round(dealt(Rig(4)))
    rig.card("Ks", "burn", then=0.8)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board", then=0.5)
    rig.wait(1.0)
    assert rig.state.board == ("2c", "3c", "4c") and rig.state.phase == "flop"


def test_two_burns_before_a_street_are_told_before_it() -> None:
    rig = called_round(dealt(Rig(4, sensors="ask")))
    rig.card("Ks", "burn", then=0.6)
    rig.card("Qs", "burn", then=0.6)
    for card in ("2c", "3c", "4c"):
        rig.card(card, "board")
    rig.wait(0.8)
    assert rig.running.question is not None and rig.running.question.ruling.incident == "double_burn"
    assert rig.state.board == ()
    rig.press("NO")
    assert rig.state.phase == "flop" and not rig.told(m.Incident)


def test_a_second_burn_read_after_the_street_is_no_burn_before_it() -> None:
    rig = called_round(dealt(Rig(4, sensors="ask")))
    rig.card("Ks", "burn", then=0.8)
    rig.card("2c", "board", then=0.0)
    rig.card("3c", "board", then=0.0)
    rig.card("4c", "board")
    rig.card("Qs", "burn", then=0.8)
    assert rig.state.phase == "flop" and rig.running.question is None


def river_dealt(rig: Rig) -> Rig:
    """Nobody bets; the river lies and everybody has checked."""
    called_round(dealt(rig))
    for cards, burn in ((("2c", "3c", "4c"), "Ks"), (("5c",), "Qs"), (("6c",), "Js")):
        rig.street(*cards, burn=burn)
        while rig.state.to_act is not None:
            rig.press("CHECK")
    for _ in rig.order:
        rig.press("YES")
    assert rig.state.awards
    return rig


def test_a_board_card_too_many_is_told_before_the_pot_is_gone() -> None:
    rig = river_dealt(Rig(4, sensors="ask"))
    rig.card("7c", "board", then=0.5)
    rig.press("POT", then=0.0)
    assert rig.state.phase == "showdown"  # one read does not say that it lies there
    rig.wait(1.0)
    assert rig.running.question is not None
    assert rig.running.question.ruling.incident == "street_too_many_cards"


def test_a_card_that_only_passes_the_board_does_not_hold_the_pot() -> None:
    rig = river_dealt(Rig(4, sensors="ask"))
    rig.card("7c", "board", then=0.5)
    rig.press("POT", then=0.0)
    assert rig.state.phase == "showdown"
    rig.card("7c", None, then=2.5)
    assert rig.state.phase == "over" and rig.running.question is None
