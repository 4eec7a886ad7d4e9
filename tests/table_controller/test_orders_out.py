"""The next act for the panel: its code, a lamp for each seat, two lines that fit in both languages."""

from __future__ import annotations

from typing import Any

import pytest

from engine.rulings import ORDERS, Order
from engine.state import HandState, Seat
from firmware_bridge import codes
from table_controller.orders_out import MOST_ORDERS, WIDTH, acts, code_of, lamp_of, lines
from tests.engine.wording_cases import ALL_ORDERS, PLACES
from tests.table_controller.rig import Rig

LANGS = ("fr", "en")


def none_over(seat: int) -> int:
    return 0


# -- codes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "code"),
    [
        (Order("deal", to="seat3"), ("deal", "seat3", 0)),
        (Order("deal", to="seat10"), ("deal", "seat10", 0)),
        (Order("burn"), ("burn", "burn", 0)),
        (Order("board", count=3), ("board", "board", 3)),
        (Order("board", count=1), ("board", "board", 1)),
        (Order("move", card="Ah", from_="board", to="aside"), ("move", "aside", 0)),
        (Order("move", from_="seat2", to="muck"), ("move", "muck", 0)),
        (Order("move", from_="seat2", to="deck"), ("move", "deck", 0)),
        (Order("return_chips", to="stack4", seat=4, amount=250), ("return_chips", "seat4", 250)),
        (Order("post", seat=2, amount=100), ("post", "seat2", 100)),
        (Order("gather"), ("gather", "pot", 0)),
        (Order("push_pot", seat=5, amount=1200), ("push_pot", "seat5", 1200)),
        (Order("clock", seat=6, seconds=30), ("clock", "seat6", 30)),
        (Order("cut", by_seat=7), ("cut", "seat7", 0)),
        (Order("find", seat=8), ("find", "seat8", 0)),
        (Order("act", seat=3, options=("call", "fold"), call=100, min=200, max=900), ("act", "seat3", 100)),
        (Order("act", seat=3, options=("check",)), ("act", "seat3", 0)),
        (Order("wait", for_="floor"), ("wait", "none", 0)),
    ],
)
def test_an_act_as_the_line_has_it(order: Order, code: tuple[str, str, int]) -> None:
    name, place, argument = code
    assert code_of(order) == (codes.order_code(name), codes.place_code(place), argument)


def test_every_order_of_the_contract_fits_the_line() -> None:
    for order in ALL_ORDERS:
        number, place, argument = code_of(order)
        assert codes.ORDERS[number] == order.order == ORDERS[number]
        assert 0 <= place < len(codes.PLACES)
        assert 0 <= argument < 2**32


def test_an_amount_beyond_the_line_is_its_largest() -> None:
    assert code_of(Order("push_pot", seat=1, amount=2**40))[2] == 2**32 - 1


def test_no_code_says_a_card() -> None:
    shown = {code_of(Order("move", card=card, from_="board", to="aside")) for card in ("Ah", "2c", None)}
    assert len(shown) == 1


# -- the list of acts --------------------------------------------------------------------------------------


def state_of(**fields: Any) -> HandState:
    state = HandState(phase="preflop", hand=1, **fields)
    state.seats = {n: Seat(n, start=1000, stack=900) for n in (1, 2, 3)}
    state.order = (1, 2, 3)
    return state


def test_what_is_owed_comes_before_the_act_and_only_once_bets_are_over_goes_back() -> None:
    balance = {1: -50, 2: 200, 3: 0}
    act = Order("act", seat=3, options=("call",), call=100)
    shown = acts(state_of(to_act=3), (act,), lambda seat: balance[seat])
    assert [(order.order, order.seat, order.amount) for order in shown] == [("post", 1, 50), ("act", 3, None)]
    shown = acts(state_of(), (Order("burn"),), lambda seat: balance[seat])
    assert [order.order for order in shown] == ["post", "return_chips", "burn"]
    assert shown[1] == Order("return_chips", to="stack2", seat=2, amount=200)


def test_after_the_hand_nobody_owes() -> None:
    state = state_of()
    state.phase = "over"
    assert acts(state, (), lambda seat: -50) == ()


def test_where_chips_are_sensed_the_senses_say_what_is_owed() -> None:
    expects = (Order("post", seat=1, amount=50), Order("act", seat=3))
    assert acts(state_of(to_act=3, chips="sensed"), expects, none_over) == expects[1:]
    assert acts(state_of(to_act=3), expects, none_over) == expects


@pytest.mark.parametrize(
    "order", [Order("ask", fact="by", options=("dealer", "player")), Order("wait", for_="floor")]
)
def test_a_question_or_an_open_call_stands_alone(order: Order) -> None:
    assert acts(state_of(), (order,), lambda seat: -50) == (order,)


def test_where_nobody_can_tell_who_won_one_press_says_that_the_pot_is_taken() -> None:
    shown = acts(state_of(pot=None), (Order("wait", for_="winners"),), none_over)
    assert shown == (Order("push_pot"),)


def test_no_more_acts_than_a_frame_holds() -> None:
    assert len(acts(state_of(), (Order("burn"),) * 200, none_over)) == MOST_ORDERS


# -- lines -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_every_order_fits_two_lines_of_the_display(lang: str) -> None:
    for order in ALL_ORDERS:
        text = lines(order, lang)
        assert all(len(line) <= WIDTH for line in text), (order, text)
        assert text[0].strip(), order


def test_french_and_english_are_two_languages() -> None:
    same = [order for order in ALL_ORDERS if lines(order, "fr") == lines(order, "en") and order.text is None]
    assert same == []


@pytest.mark.parametrize(
    ("order", "french", "english"),
    [
        (Order("deal", to="seat3"), "siège 3", "seat 3"),
        (Order("burn"), "rûle", "urn"),
        (Order("act", seat=4, options=("check", "bet")), "siège 4", "seat 4"),
    ],
)
def test_the_words_of_an_act(order: Order, french: str, english: str) -> None:
    assert french in " ".join(lines(order, "fr")).lower()
    assert english in " ".join(lines(order, "en")).lower()


def test_what_stands_in_the_way_is_shown_instead_and_cut_to_fit() -> None:
    assert lines(Order("burn"), "fr", "Carte retournée au siège 4 ?") == ("Carte retournée au siège 4 ?", "")
    assert lines(None, "fr", "x" * 99) == ("x" * WIDTH, "")
    assert lines(None, "fr") == ("", "")


@pytest.mark.parametrize("lang", LANGS)
def test_all_that_a_hand_shows_fits(lang: str) -> None:
    rig = Rig(4, betting="amounts")
    shown: list[tuple[str, str]] = []

    def look() -> None:
        for order in acts(rig.state, rig.running.expects, none_over):
            shown.append(lines(order, lang))
            assert codes.ORDERS[code_of(order)[0]] == order.order

    rig.start()
    for place, seat in enumerate(rig.order * 2):
        look()
        rig.card(rig.holes(seat)[place // 4], f"seat{seat}")
    for word in ("RAISE", "CALL", "FOLD", "CALL"):
        look()
        rig.press(word)
    look()
    assert len(shown) > 10
    assert all(len(line) <= WIDTH for text in shown for line in text)
    assert not any(
        card in line for text in shown for line in text for seat in rig.seats for card in rig.holes(seat)
    )


# -- lamps -------------------------------------------------------------------------------------------------


def lamp(readable: int | None, *, doubt: bool = False, phase: str = "preflop", **seat: Any) -> str:
    state = HandState(phase=phase, hand=1)
    state.seats = {1: Seat(1, **{"cards": (None, None), **seat})}
    return lamp_of(state, 1, readable, doubt=doubt)


@pytest.mark.parametrize(
    ("readable", "colour"), [(0, "red"), (1, "amber"), (2, "green"), (3, "green"), (None, "off")]
)
def test_a_lamp_says_how_many_cards_are_read(readable: int | None, colour: str) -> None:
    assert lamp(readable) == colour


def test_a_doubt_is_amber_however_many_are_read() -> None:
    assert [lamp(n, doubt=True) for n in (0, 1, 2)] == ["amber"] * 3


def test_the_first_card_of_the_deal_is_all_that_there_is() -> None:
    assert lamp(1, phase="dealing", cards=(None,)) == "green"
    assert lamp(0, phase="dealing", cards=()) == "red"


@pytest.mark.parametrize("seat", [{"folded": True}, {"dead": True}])
def test_who_is_out_has_no_lamp(seat: dict[str, bool]) -> None:
    assert lamp(2, **seat) == "off"


@pytest.mark.parametrize("phase", ["over", "void"])
def test_between_hands_all_lamps_are_off(phase: str) -> None:
    assert lamp(2, phase=phase) == "off"


def test_an_empty_seat_has_no_lamp() -> None:
    assert lamp_of(HandState(phase="preflop"), 9, 2, doubt=True) == "off"


def test_the_places_of_the_wording_are_places_of_the_line() -> None:
    known = set(codes.PLACES)
    assert {place for place in PLACES if place in known} >= {"board", "burn", "muck", "deck", "aside"}
