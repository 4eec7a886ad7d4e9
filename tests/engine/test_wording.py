"""Orders in words: complete in both languages, idiomatic, within the panel's two lines, never a leak."""

import ast
import itertools
import re
from typing import Any

import pytest
from msgspec.structs import replace

from engine import wording
from engine.rulings import INCIDENTS, ORDERS, RULINGS, Order
from tests.engine.wording_cases import (
    ALL_ORDERS,
    CASES,
    ENGINE,
    LANGS,
    PLACES,
    named_cards,
    ruling,
    well_formed,
)

# Orders --------------------------------------------------------------------------------------------


def test_every_order_of_the_contract_is_among_the_cases() -> None:
    assert set(CASES) == set(ORDERS)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", ORDERS)
def test_every_order_in_every_combination_is_a_sentence(name: str, lang: str) -> None:
    for order in CASES[name]:
        text = wording.say_order(order, lang)
        well_formed(text)
        assert text[0].isupper(), text
        assert not text.endswith("."), text
        assert not wording.unworded(order), order


@pytest.mark.parametrize(
    ("order", "french", "english"),
    [
        (Order("deal", to="seat4"), "Donnez la carte du dessus au siège 4", "Deal the top card to seat 4"),
        (Order("burn"), "Brûlez une carte", "Burn a card"),
        (
            Order("board", count=3),
            "Retournez trois cartes au tableau (le flop)",
            "Turn three cards on the board (the flop)",
        ),
        (Order("board", count=1), "Retournez une carte au tableau", "Turn one card on the board"),
        (
            Order("move", card="9h", from_="seat4", to="deck", face="down"),
            "Posez la carte 9♥ du siège 4 sur le paquet, face cachée",
            "Put the 9♥ from seat 4 on top of the deck, face down",
        ),
        (
            Order("move", from_="burn", to="board", face="up"),
            "Posez la carte brûlée au tableau, face visible",
            "Put the card from the burns on the board, face up",
        ),
        (
            Order("move", from_="seat4", to="seat4", face="up"),
            "Retournez la carte du siège 4, face visible",
            "Turn the card from seat 4 face up",
        ),
        (
            Order("shuffle", what="shown"),
            "Mélangez les cartes vues avec le talon",
            "Shuffle the cards seen into the stub",
        ),
        (
            Order("mix", what="stub_muck_burns"),
            "Brassez le talon, la défausse et les brûlées sur la table, faces cachées",
            "Scramble the stub, the muck and the burns on the table, face down",
        ),
        (Order("cut", by_seat=6), "Faites couper par le siège 6", "Have seat 6 cut"),
        (Order("return_cards"), "Reprenez toutes les cartes", "Take all cards back"),
        (
            Order("return_chips", to="stack3", amount=1250),
            "Rendez 1\u202f250 au siège 3",
            "Give 1,250 back to seat 3",
        ),
        (Order("gather"), "Rassemblez les mises", "Gather the bets"),
        (Order("push_pot", seat=3, amount=1250), "Poussez 1\u202f250 au siège 3", "Push 1,250 to seat 3"),
        (
            Order("clock", seat=3, seconds=30),
            "Siège 3\u00a0: il lui reste 30 secondes pour parler",
            "Seat 3 has 30 seconds to act",
        ),
        (
            Order("announce", text="count_your_cards"),
            "Annoncez\u00a0: «\u00a0Comptez vos cartes\u00a0»",
            "Announce: “Please count your cards”",
        ),
        (
            Order("act", seat=5, options=("fold", "call", "raise"), call=200, min=400, max=5000),
            "Siège 5\u00a0: à lui de parler — payer 200, relancer de 400 à 5\u202f000",
            "Seat 5 to act — call 200, raise to between 400 and 5,000",
        ),
        (
            Order("act", seat=5, options=("fold", "call"), call=200),
            "Siège 5\u00a0: à lui de parler — payer 200 ou passer",
            "Seat 5 to act — call 200 or fold",
        ),
        (
            Order("ask", fact="seen_by", seat=4),
            "Siège 4\u00a0: qui a vu la carte\u202f? (tous / la plupart / quelques joueurs)",
            "Seat 4: who saw the card? (all / most / some players)",
        ),
        (
            Order("wait", for_="floor"),
            "Arrêtez le jeu et appelez l'arbitre",
            "Stop the game and call the floor",
        ),
    ],
    ids=lambda value: value.order if isinstance(value, Order) else "",
)
def test_a_dealer_is_told_the_act_in_the_fields_own_words(order: Order, french: str, english: str) -> None:
    assert wording.say_order(order, "fr") == french
    assert wording.say_order(order, "en") == english


@pytest.mark.parametrize("lang", LANGS)
def test_the_amounts_and_seats_of_an_order_are_all_said(lang: str) -> None:
    for name in ("push_pot", "return_chips", "post", "change"):
        for order in CASES[name]:
            text = wording.say_order(order, lang)
            if order.amount is not None:
                assert wording.say_amount(order.amount, lang) in text
            if order.seat is not None:
                assert re.search(rf"\b{order.seat}\b", text), text


@pytest.mark.parametrize("lang", LANGS)
def test_a_raise_that_can_only_be_one_amount_is_said_as_that_amount(lang: str) -> None:
    order = Order("act", seat=5, options=("call", "raise"), call=200, min=400, max=400)
    assert wording.say_order(order, lang).count("400") == 1


def test_words_unknown_to_the_catalogue_are_reported_and_still_said() -> None:
    odd = {
        Order("wait", for_="godot"): "godot",
        Order("shuffle", what="kitchen"): "kitchen",
        Order("announce", text="no_such_key"): "no_such_key",
        Order("move", from_="pocket", to="board"): "pocket",
        Order("move", from_="board", to="pocket"): "pocket",
        Order("act", seat=1, options=("dance",)): "dance",
        Order("ask", fact="weather"): "weather",
        Order("ask", fact="by", options=("nobody",)): "nobody",
        Order("post", seat=1, what="rent"): "rent",
        Order("count", what="sheep"): "sheep",
        Order("board", count=1, what="delta"): "delta",
    }
    for order, word in odd.items():
        assert wording.unworded(order) == (word,)
    for lang in LANGS:
        assert wording.say_order(Order("wait", for_="godot"), lang) == wording.say_order(Order("wait"), lang)
        assert "kitchen" not in wording.say_order(Order("shuffle", what="kitchen"), lang)
        assert "pocket" not in wording.say_order(Order("move", from_="pocket", to="pocket2", face="up"), lang)
        assert "dance" not in wording.say_order(Order("act", seat=1, options=("dance",)), lang)


def orders_in_source() -> list[tuple[str, Order]]:
    """Every ``Order(...)`` written in the engine, with those of its fields that are literals."""
    found = []
    for file in sorted(ENGINE.rglob("*.py")):
        if "wording" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Order":
                names = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                fields = {
                    keyword.arg: keyword.value.value
                    for keyword in node.keywords
                    if keyword.arg and isinstance(keyword.value, ast.Constant)
                }
                if names:
                    found.append((f"{file.name}:{node.lineno}", Order(*names, **fields)))  # type: ignore[arg-type]
    return found


def test_every_order_that_the_engine_writes_has_words() -> None:
    found = orders_in_source()
    assert len(found) > 5
    lacking = [(where, wording.unworded(order)) for where, order in found if wording.unworded(order)]
    assert not lacking


# Secrecy -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_card_is_named_only_where_it_lies_open(lang: str) -> None:
    for order in CASES["move"]:
        text = wording.say_order(order, lang)
        hidden = order.from_ == "muck" or (order.from_ in ("deck", "burn") and order.face != "up")
        assert named_cards(text) == (order.card is not None and not hidden), (order, text)


@pytest.mark.parametrize("lang", LANGS)
def test_no_other_order_names_a_card_by_accident(lang: str) -> None:
    for order in ALL_ORDERS:
        if order.order in ("move", "announce", "show"):
            continue
        with_card = replace(order, card="9h")
        assert not named_cards(wording.say_order(with_card, lang))
        assert wording.say_order(with_card, lang) == wording.say_order(replace(order, card=None), lang)


@pytest.mark.parametrize("lang", LANGS)
def test_a_ruling_names_only_cards_that_its_ruling_puts_in_sight(lang: str) -> None:
    open_rulings = {"card_replaced", "burn_assigned", "card_returned", "card_set_aside", "card_held_out"}
    for incident in sorted(INCIDENTS):
        for name in sorted(RULINGS - open_rulings - {"start_refused"}):
            text = wording.say_ruling(ruling(name, incident, seats=(4,), cards=("9h",)), lang)
            assert not named_cards(text), text
    drawn = ruling(
        "burn_assigned", "flop_too_many_cards", cards=("9h",), orders=(Order("draw", from_="board"),)
    )
    assert not named_cards(wording.say_ruling(drawn, lang))
    assert named_cards(wording.say_ruling(ruling("burn_assigned", "boxed_card", cards=("9h",)), lang))


# The panel -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", ORDERS)
def test_every_order_fits_two_lines_of_the_panel(name: str, lang: str) -> None:
    for order in CASES[name]:
        lines = wording.short_order(order, lang)
        assert 1 <= len(lines) <= 2
        for line in lines:
            assert 0 < len(line) <= 40, line
            assert "…" not in line, (order, lines)
            assert "\u202f" not in line
            assert "\u00a0" not in line
            assert not re.search(r"[{}]|None|\w_\w", line), line


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [8, 16, 20])
def test_a_narrow_panel_shows_no_part_of_a_number(width: int, lang: str) -> None:
    for order in ALL_ORDERS:
        lines = wording.short_order(order, lang, width)
        assert 1 <= len(lines) <= 2
        assert all(len(line) <= width for line in lines)
        # Thousands are grouped: what stands on the display must be one of the order's own numbers.
        numbers = [n for n in (order.amount, order.call, order.min, order.max) if n is not None]
        whole = {
            wording.say_amount(number, lang).replace("\u202f", " ") for number in numbers if number >= 1000
        }
        for line in lines:
            for shown in re.findall(r"\d{1,3}(?:[ ,]\d{3})+", line):
                assert shown in whole, (order, lines)


def test_what_does_not_fit_ends_in_an_ellipsis() -> None:
    order = Order("announce", text="Le tournoi reprend dans dix minutes, " * 4)
    lines = wording.short_order(order, "fr")
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert wording.short_order(Order("act", seat=1, options=("call",), call=125_000_000), "fr", 8)[
        -1
    ].endswith("…")


# Names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_phases_streets_places_and_acts_have_names(lang: str) -> None:
    phases = "dealing preflop flop turn river showdown over void floor".split()
    assert len({wording.say_phase(phase, lang) for phase in phases}) == len(phases)
    for street in ("preflop", "flop", "turn", "river"):
        well_formed(wording.say_street(street, lang))
    places = [*PLACES, "bet10", "stack2", "pot", "bank"]
    assert len({wording.say_place(place, lang) for place in places}) == len(places)
    assert "10" in wording.say_place("bet10", lang)
    kinds = "fold check call bet raise all_in pot post small_blind big_blind ante straddle muck show".split()
    for kind, amount, seat, all_in in itertools.product(kinds, (None, 1250), (None, 4), (False, True)):
        well_formed(wording.say_action(kind, amount, lang, seat=seat, all_in=all_in))


def test_acts_read_like_a_log_of_the_hand() -> None:
    assert wording.say_action("raise", 650, "fr", seat=4) == "Siège 4 relance à 650"
    assert wording.say_action("check", None, "fr", seat=4) == "Siège 4 dit parole"
    assert (
        wording.say_action("call", 12500, "fr", seat=4, all_in=True)
        == "Siège 4 paie 12\u202f500 et est à tapis"
    )
    assert wording.say_action("all_in", 900, "en", seat=4, all_in=True) == "Seat 4 goes all-in for 900"


@pytest.mark.parametrize("lang", LANGS)
def test_all_cards_have_a_short_and_a_long_name(lang: str) -> None:
    cards = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    assert len({wording.say_card(card, lang) for card in cards}) == 52
    assert len({wording.say_card(card, lang, long=True) for card in cards}) == 52
    assert wording.say_card("Th", lang) == "10♥"
    assert not named_cards(wording.say_card(None, lang))
    assert wording.say_card("As", "fr", long=True) == "As de pique"


def test_amounts_are_grouped_the_way_each_language_does() -> None:
    assert wording.say_amount(1_234_567, "fr") == "1\u202f234\u202f567"
    assert wording.say_amount(1_234_567, "en") == "1,234,567"
    assert wording.say_amount(0, "fr") == "0"


# Refusals ------------------------------------------------------------------------------------------


def test_an_unknown_language_is_refused_with_those_that_exist() -> None:
    with pytest.raises(wording.UnknownLanguage) as caught:
        wording.say_order(Order("burn"), "de")
    assert caught.value.code == "unknown-language"
    assert "fr" in caught.value.hint


@pytest.mark.parametrize(
    "call",
    [
        lambda: wording.say_phase("afternoon", "fr"),
        lambda: wording.say_street("avenue", "fr"),
        lambda: wording.say_place("pocket", "fr"),
        lambda: wording.say_action("dance", None, "fr"),
        lambda: wording.say_card("1x", "fr"),
        lambda: wording.say_fact("weather", True, "fr"),
        lambda: wording.say_fact("by", "nobody", "fr"),
        lambda: wording.say_fact("protected", "maybe", "fr"),
        lambda: wording.ask_text("weather", "fr"),
        lambda: wording.say_substantial_action("never", "fr"),
    ],
)
def test_a_name_without_words_is_refused(call: Any) -> None:
    with pytest.raises(wording.NotWorded) as caught:
        call()
    assert caught.value.code == "not-worded"


def test_a_slip_in_a_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(wording.NotWorded, match="did you mean preflop"):
        wording.say_phase("preflopp", "en")
