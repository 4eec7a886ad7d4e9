"""Orders, rulings and questions in words: complete in both languages, idiomatic, never a leak."""

import ast
import doctest
import importlib
import itertools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine import wording
from engine.facts import FACTS
from engine.locales.catalogue import TEXTS
from engine.rulebook import TERMS
from engine.rulings import ASKABLE, INCIDENTS, ORDERS, RULINGS, Order, Ruling, Suggestion
from engine.wording import voice as voices

ENGINE = Path(wording.__file__).parent.parent
LANGS = wording.LANGUAGES
PLACES = ("deck", "seat4", "board", "burn", "muck", "aside", "felt", "off_table")
AMOUNTS = (None, 1, 1250, 125_000_000)
SEATS = (None, 1, 10)
CARDS = ("9h", "Td", "As")
SIGNS = "♠♥♦♣"


def product(name: str, **fields: tuple[Any, ...]) -> Iterator[Order]:
    """Every order of a name with every combination of these fields."""
    for values in itertools.product(*fields.values()):
        yield Order(name, **dict(zip(fields, values, strict=True)))  # type: ignore[arg-type]


THINGS = (
    None,
    "deck",
    "stub",
    "board",
    "flop",
    "turn",
    "river",
    "burn",
    "burns",
    "muck",
    "aside",
    "held_out",
)
MORE_THINGS = ("shown", "exposed", "mixed", "felt", "off_table", "card", "cards", "hands", "all", "seat7")
MIXTURES = ("stub_muck_burns", "board+stub", "held_out and stub", "stub,muck")
ANNOUNCED = sorted({key.split(".")[1] for key in TEXTS["fr"] if key.startswith("announce.")})
WAITED = sorted(
    key.removeprefix("wait.") for key in TEXTS["fr"] if key.startswith("wait.") and key != "wait.other"
)
ACTS: tuple[tuple[str, ...] | None, ...] = (
    None,
    ("fold", "call", "raise"),
    ("fold", "call"),
    ("fold", "call", "raise", "all_in"),
    ("fold", "all_in"),
    ("fold", "check", "bet"),
    ("check", "bet", "all_in"),
    ("check", "raise"),
    ("fold", "call", "raise", "pot"),
)
ANSWERS: dict[str, tuple[str, ...]] = {
    name: ("yes", "no") if kind == "flag" else ("0", "1", "2", "3") if kind == "number" else tuple(kind)
    for name, (kind, _) in FACTS.items()
}

CASES: dict[str, list[Order]] = {
    "deal": [
        *product("deal", to=(None, "seat1", "seat10", "board", "burn", "muck", "aside"), count=(None, 1, 2)),
        *product("deal", seat=(3,), count=(None, 2)),
    ],
    "burn": [*product("burn", count=(None, 1, 2, 3, 4, 5, 6))],
    "board": [*product("board", count=(None, 1, 2, 3), what=(None, "flop", "turn", "river"))],
    "move": [
        *product(
            "move",
            card=(None, *CARDS),
            from_=(None, *PLACES),
            to=(None, *PLACES),
            face=(None, "up", "down"),
            count=(None,),
        ),
        *product("move", from_=(None, *PLACES), to=(None, *PLACES), face=(None, "up", "down"), count=(2, 3)),
    ],
    "shuffle": [
        *product("shuffle", what=(*THINGS, *MORE_THINGS, *MIXTURES)),
        *product("shuffle", what=(None, "deck", "stub", "board", "shown"), by_seat=(1, 10)),
    ],
    "mix": [*product("mix", what=(*THINGS, *MORE_THINGS, *MIXTURES))],
    "draw": [*product("draw", from_=(None, "deck", "stub", "board", "mixed", "seat3"), count=(None, 1, 2))],
    "cut": [*product("cut", by_seat=SEATS, what=(None, "deck", "stub"))],
    "return_cards": [
        *product("return_cards", what=(None, "board", "hands", "all", "muck"), seat=(None,)),
        *product("return_cards", from_=("seat4", "board"), seat=(None, 2)),
    ],
    "return_chips": [*product("return_chips", to=(None, "stack1", "stack10", "pot", "bank"), amount=AMOUNTS)],
    "post": [
        *product(
            "post",
            seat=SEATS,
            amount=AMOUNTS,
            what=(None, "small_blind", "big_blind", "ante", "straddle", "bet", "owed"),
        )
    ],
    "gather": [*product("gather", what=(None, "side_pots"))],
    "change": [*product("change", seat=SEATS, amount=AMOUNTS)],
    "button": [*product("button", seat=SEATS)],
    "count": [*product("count", seat=SEATS, what=(None, "stack", "cards", "bet", "pot", "deck"))],
    "clock": [*product("clock", seat=SEATS, seconds=(None, 1, 30))],
    "find": [*product("find", seat=SEATS)],
    "announce": [
        *product(
            "announce",
            text=(*ANNOUNCED, "Pause après cette main"),
            seat=(None, 4),
            amount=(None, 650),
            card=(None, "9h"),
            seconds=(None, 1, 30),
        )
    ],
    "show": [*product("show", seat=SEATS, what=(None, "second"), card=(None, "9h"))],
    "muck": [*product("muck", seat=SEATS)],
    "push_pot": [*product("push_pot", seat=SEATS, amount=AMOUNTS)],
    "act": [
        *product(
            "act",
            seat=SEATS,
            options=ACTS,
            call=(None, 200, 1_250_000),
            min=(None, 400),
            max=(None, 400, 125_000_000),
        )
    ],
    "ask": [
        *(
            Order("ask", fact=fact, seat=seat, card=card, options=options)
            for fact in sorted(FACTS)
            for seat in (None, 4, 10)
            for card in (None, "9h")
            for options in (None, ANSWERS[fact])
        )
    ],
    "wait": [*product("wait", for_=(None, *WAITED))],
}
ALL_ORDERS = [order for orders in CASES.values() for order in orders]


def ruling(name: str, incident: str, **fields: Any) -> Ruling:
    """A ruling of ropta with only what a test is about."""
    given: dict[str, Any] = {
        "rulebook": "ropta",
        "article": "ROPTA test",
        "seats": (),
        "cards": (),
        "orders": (),
    }
    return Ruling(ruling=name, incident=incident, event=3, **(given | fields))


def every_ruling() -> Iterator[Ruling]:
    """Every ruling on every incident, for nobody, one and several, with and without cards and amounts."""
    for name, incident in itertools.product(sorted(RULINGS), sorted(INCIDENTS)):
        for seats, cards in itertools.product(((), (4,), (4, 7, 9)), ((), ("9h",), ("9h", "Td"))):
            yield ruling(name, incident, seats=seats, cards=cards)
        yield ruling(name, incident, seats=(2,), amounts={"2": 650}, penalty="warning", official="4.2")
        yield ruling(name, incident, seats=(2,), amounts={"to": 650}, rulebook="standard")
        yield ruling(name, incident, amounts={"2": 650, "5": 1250}, official="4.2", rulebook="standard")


def well_formed(text: str) -> None:
    """Refuse texts with an open place, a slug, a None or stray spaces."""
    assert text
    assert text == text.strip()
    assert not re.search(r"[{}]|None|\w_\w|  | ,| \.", text), text
    assert text.count("«") == text.count("»")
    assert text.count("(") == text.count(")")


# Orders -------------------------------------------------------------------------------------------


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


# Secrecy ------------------------------------------------------------------------------------------


def named_cards(text: str) -> bool:
    """Whether a text names a card."""
    return any(sign in text for sign in SIGNS)


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


# The panel ----------------------------------------------------------------------------------------


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


# Rulings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_on_every_incident_is_a_sentence_with_its_article(lang: str) -> None:
    for given in every_ruling():
        text = wording.say_ruling(given, lang)
        well_formed(text)
        assert text[0].isupper() or text[0] in "«“1234567890AKQJ", text
        assert re.search(r"\(ROPTA test[^()]*\)$", text), text
        if given.official:
            assert given.official in text
        if given.rulebook == "standard":
            assert wording.say_book("standard", lang) in text


@pytest.mark.parametrize("lang", LANGS)
def test_rulings_on_one_incident_differ_from_each_other(lang: str) -> None:
    for incident in sorted(INCIDENTS):
        texts = {wording.say_ruling(ruling(name, incident, seats=(4,)), lang) for name in RULINGS}
        assert len(texts) == len(RULINGS)


@pytest.mark.parametrize("lang", LANGS)
def test_every_seat_concerned_is_named_where_it_matters(lang: str) -> None:
    for name in (
        "card_replaced",
        "hand_dead",
        "card_kept",
        "action_bound",
        "action_refused",
        "bets_returned",
    ):
        one = wording.say_ruling(ruling(name, "out_of_turn", seats=(7,)), lang)
        several = wording.say_ruling(ruling(name, "out_of_turn", seats=(2, 4, 7)), lang)
        assert re.search(r"\b7\b", one)
        assert all(re.search(rf"\b{seat}\b", several) for seat in (2, 4, 7))


@pytest.mark.parametrize(
    ("given", "french", "english"),
    [
        (
            ruling("misdeal", "several_cards_exposed_in_deal", cards=("9h", "2c"), article="ROPTA misdeal b"),
            "Fausse donne\u00a0: deux cartes retournées pendant la donne. (ROPTA misdeal b)",
            "Misdeal: two cards exposed in the deal. (ROPTA misdeal b)",
        ),
        (
            ruling(
                "card_replaced", "card_exposed_in_deal", seats=(4,), cards=("9h",), article="ROPTA exposed"
            ),
            "Carte 9♥ du siège 4 morte, remplacée à la fin de la donne\u00a0: "
            "carte retournée pendant la donne. (ROPTA exposed)",
            "9♥ of seat 4 dead, replaced at the end of the deal: card exposed in the deal. (ROPTA exposed)",
        ),
        (
            ruling("street_redealt", "premature_turn", article="PPC 4.8", rulebook="ppc2011"),
            "Turn redonnée\u00a0: turn prématurée. (PPC 4.8)",
            "Turn dealt again: premature turn. (PPC 4.8)",
        ),
        (
            ruling("amount_corrected", "underraise", seats=(2,), amounts={"2": 650}, article="ROPTA 9.24"),
            "La mise du siège 2 est de 650\u00a0: relance incomplète. (ROPTA 9.24)",
            "The bet of seat 2 is 650: incomplete raise. (ROPTA 9.24)",
        ),
        (
            ruling("misdeal", "seat_skipped", article="ROPTA misdeal d", rulebook="standard"),
            "Fausse donne\u00a0: joueur oublié pendant la donne. (ROPTA misdeal d, d'après le fonds commun)",
            "Misdeal: player left out of the deal. (ROPTA misdeal d, from the common rules)",
        ),
        (
            ruling("penalty_reported", "open_muck", seats=(3,), penalty="warning", article="ROPTA 9.22"),
            "Faute du siège 3 signalée à l'arbitre\u00a0: main jetée au lieu de dire parole\u202f; "
            "sanction\u00a0: avertissement. (ROPTA 9.22)",
            "Fault of seat 3 reported to the floor: hand thrown away instead of a check; "
            "penalty: warning. (ROPTA 9.22)",
        ),
        (
            ruling(
                "call_floor",
                "flop_too_many_cards",
                article="LTPQ doubt",
                rulebook="ltpq",
                suggestions=(Suggestion("pokernews", "PN errors 5", ("street_redealt",)),),
            ),
            "Le règlement ne dit rien\u00a0: appelez l'arbitre — flop de plus de trois cartes. (LTPQ doubt) "
            "PokerNews (PN errors 5) redonnerait le flop.",
            "The rulebook says nothing: call the floor — flop of more than three cards. (LTPQ doubt) "
            "PokerNews (PN errors 5) would deal the flop again.",
        ),
        (
            ruling("call_floor", "hidden_chips", article="ROPTA 9.23"),
            "Le règlement ne tranche pas\u00a0: appelez l'arbitre — jetons cachés ou oubliés. (ROPTA 9.23)",
            "The rulebook does not settle it: call the floor — hidden or forgotten chips. (ROPTA 9.23)",
        ),
    ],
    ids=lambda value: f"{value.ruling}-{value.incident}" if isinstance(value, Ruling) else "",
)
def test_a_ruling_says_what_for_whom_why_and_on_which_article(
    given: Ruling, french: str, english: str
) -> None:
    assert wording.say_ruling(given, "fr") == french
    assert wording.say_ruling(given, "en") == english


@pytest.mark.parametrize("lang", LANGS)
def test_every_ruling_of_another_book_can_be_suggested(lang: str) -> None:
    said = set()
    for name, incident in itertools.product(
        sorted(RULINGS), ("premature_flop", "premature_turn", "boxed_card")
    ):
        other = Suggestion("lyon2026", "CL 4", (name, "play_on"))
        text = wording.say_ruling(ruling("call_floor", incident, suggestions=(other, other)), lang)
        well_formed(text)
        assert text.count("Lyon2026 (CL 4)") == 2
        said.add(text)
    assert len(said) == 3 * len(RULINGS)


def test_a_misdeal_found_too_late_says_what_the_limit_is_under_the_book() -> None:
    late = ruling("play_on", "error_after_limit")
    for term in TERMS["substantial_action"]:  # type: ignore[union-attr]
        meaning = wording.say_substantial_action(term, "fr")
        assert meaning in wording.say_ruling(late, "fr", sa=term)
        assert wording.say_substantial_action(term, "en") in wording.say_ruling(late, "en", sa=term)
    assert "substantielle" not in wording.say_ruling(late, "fr")
    assert "substantial" not in wording.say_ruling(late, "en")


def test_a_missing_burn_names_its_street_only_when_it_is_known() -> None:
    assert "flop sans brûlée" in wording.say_ruling(
        ruling("play_on", "no_burn", cards=("9h", "2c", "Td")), "fr"
    )
    assert "tableau sans brûlée" in wording.say_ruling(ruling("play_on", "no_burn", cards=("9h",)), "fr")
    assert "river sans brûlée" in wording.say_ruling(ruling("play_on", "no_burn"), "fr", street="river")


@pytest.mark.parametrize("lang", LANGS)
def test_every_incident_has_a_short_name_of_its_own(lang: str) -> None:
    names = {incident: wording.say_incident(incident, lang) for incident in INCIDENTS}
    for name in names.values():
        well_formed(name)
        assert len(name) <= 44, name
        assert not name.endswith(".")
    assert len(set(names.values())) == len(INCIDENTS)
    assert wording.say_incident("no_such", lang) not in names.values()


def test_every_rulebook_and_penalty_in_the_tree_has_a_name() -> None:
    books = [
        tomllib.loads(file.read_text(encoding="utf-8")) for file in (ENGINE / "rulebooks").glob("*.toml")
    ]
    assert books
    for book, lang in itertools.product(books, LANGS):
        assert f"book.{book['id']}" in TEXTS[lang]
        for row in book.get("hand", ()):
            if "penalty" in row:
                assert f"penalty.{row['penalty'].replace(' ', '_')}" in TEXTS[lang]


# Facts and questions ------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("fact", sorted(FACTS))
def test_every_fact_has_a_question_answers_and_clauses(fact: str, lang: str) -> None:
    kind = FACTS[fact][0]
    for term in (None, *TERMS["substantial_action"]):  # type: ignore[misc]
        question = wording.ask_text(fact, lang, seat=4, sa=term)
        well_formed(question)
        assert "?" in question
        assert question.startswith(("Siège 4", "Seat 4"))
        options = wording.ask_options(fact, lang)
        assert len({label for _, label in options}) == len(options)
        assert all(label in question for _, label in options)
        values: tuple[Any, ...] = (
            (True, False) if kind == "flag" else (1, 3) if kind == "number" else tuple(kind)
        )
        clauses = [wording.say_fact(fact, value, lang, sa=term) for value in values]
        for clause in clauses:
            well_formed(clause)
        assert len(set(clauses)) == len(values)
    assert bool(options) == (kind != "number")


@pytest.mark.parametrize("lang", LANGS)
def test_every_fact_that_may_be_asked_offers_the_answers_given(lang: str) -> None:
    assert set(FACTS) >= ASKABLE
    for fact in sorted(ASKABLE):
        given = ANSWERS[fact]
        assert [value for value, _ in wording.ask_options(fact, lang, given)] == list(given)
        text = wording.ask_text(fact, lang, options=given[:1])
        assert wording.ask_options(fact, lang, given)[0][1] in text


@pytest.mark.parametrize("lang", LANGS)
def test_conditions_of_a_rulebook_are_said_with_their_bounds_and_choices(lang: str) -> None:
    at_least = wording.say_fact("count", {"min": 2}, lang)
    at_most = wording.say_fact("count", {"max": 3}, lang)
    between = wording.say_fact("count", {"min": 2, "max": 3}, lang)
    assert "2" in at_least
    assert "3" in at_most
    assert "2" in between
    assert "3" in between
    assert len({at_least, at_most, between}) == 3
    several = wording.say_fact("street", ["turn", "river"], lang)
    assert "turn" in several
    assert "river" in several


# Names --------------------------------------------------------------------------------------------


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


# Refusals -----------------------------------------------------------------------------------------


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


# The catalogues -----------------------------------------------------------------------------------

ENGLISH = set(
    """
    the of to and from with by your his her its is are was were be been you he she they them this that these those
    at into onto out off up down not no yes who what when where which whose how may must can could should would
    card cards deck stub muck board burn burned dealer deal dealt dealing seat seats hand hands shuffle shuffled cut
    floor stack stacks chip chips pot-split split misdeal dead void player players clerk betting bets bettor raises
    raised raising calls called calling folds folded checks checked street streets preflop showdown blind blinds
    button small big side odd count clock time shown show seen turned dropped exposed boxed
    again back before after until aside wait ask find push gather draw mix take put give announce
    """.split()
)
TOLERATED = {"bet", "raise", "call", "fold", "check", "all-in", "flop", "turn", "river", "straddle", "ante"}


def forms(lang: str) -> Iterator[tuple[str, str]]:
    """Every text of a language, plural forms one by one."""
    for key, text in TEXTS[lang].items():
        yield from ((key, form) for form in ((text,) if isinstance(text, str) else text))


def test_the_french_texts_hold_no_english_word_but_those_that_the_rules_tolerate() -> None:
    refused = ENGLISH - TOLERATED
    found = {
        (key, word)
        for key, text in forms("fr")
        if not key.startswith("book.")
        for word in re.findall(r"[a-zà-öø-ÿœ-]+", re.sub(r"\{\w+\}", "", text).casefold())
        if word in refused
    }
    assert not found


def test_the_english_texts_hold_no_french_word() -> None:
    french = set(
        "le la les du des de une un siège carte cartes mise relance tapis talon brûlée donneur est et ou".split()
    )
    found = {
        (key, word)
        for key, text in forms("en")
        for word in re.findall(r"[\w-]+", text.casefold())
        if word in french
    }
    assert not found


def test_french_punctuation_never_stands_alone_on_a_line() -> None:
    for key, text in forms("fr"):
        assert not re.search(r" [:;?!»]|« ", text), key
        assert not re.search(r"[^\s\u00a0\u202f][:;?!»]", text), key


@pytest.mark.parametrize("lang", LANGS)
def test_substantial_action_is_never_named_without_its_meaning(lang: str) -> None:
    for key, text in forms(lang):
        if re.search(r"substanti", text):
            assert key.startswith("sa.")
            assert re.search(r"substanti\w+( action)? \(.+\)$", text)


def test_both_languages_have_the_same_texts() -> None:
    assert list(TEXTS["fr"]) == list(TEXTS["en"])


class Recorder(dict[str, Any]):
    """Texts that remember which of them were said."""

    def __init__(self, texts: dict[str, Any], said: set[str]) -> None:
        super().__init__(texts)
        self.said = said

    def __getitem__(self, key: str) -> Any:
        self.said.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.said.add(key)
        return super().get(key, default)


def test_every_text_is_said_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    said: set[str] = set()
    monkeypatch.setattr(voices.VOICES["fr"], "texts", Recorder(TEXTS["fr"], said))
    for order in ALL_ORDERS:
        wording.say_order(order, "fr")
        wording.short_order(order, "fr")
    wording.say_order(Order("wait", for_="godot"), "fr")
    wording.say_order(Order("move", to="pocket"), "fr")
    wording.say_order(Order("act", seat=1, options=("dance",)), "fr")
    for given in every_ruling():
        wording.say_ruling(given, "fr")
        wording.say_ruling(given, "fr", sa="three_acted", street="turn")
    for name, incident in itertools.product(
        RULINGS, ("premature_flop", "premature_turn", "premature_river", "reopened")
    ):
        other = Suggestion("ropta", "ROPTA test", (name, "a_new_one"))
        wording.say_ruling(ruling("call_floor", incident, suggestions=(other,)), "fr")
    wording.say_ruling(ruling("a_new_one", "conduct"), "fr")
    for street in (None, "turn", "river"):
        wording.say_incident("no_burn", "fr", street=street)
    wording.say_incident("other", "fr")
    for fact, (kind, _) in FACTS.items():
        for value in (True, False) if kind == "flag" else (1,) if kind == "number" else kind:
            for term in (None, *TERMS["substantial_action"]):  # type: ignore[misc]
                wording.say_fact(fact, value, "fr", sa=term)
                wording.ask_text(fact, "fr", sa=term, seat=4)
    for bounds in ({"min": 1}, {"max": 1}, {"min": 1, "max": 2}):
        wording.say_fact("count", bounds, "fr")
    for card in ("2s", "3h", "4d", "5c", "6s", "7s", "8s", "9s", "Ts", "Js", "Qs", "Ks", "As"):
        wording.say_card(card, "fr", long=True)
    wording.say_card(None, "fr")
    for key in list(TEXTS["fr"]):
        prefix, _, name = key.partition(".")
        if prefix == "penalty":
            wording.say_penalty(name, "fr")
        elif prefix == "book":
            wording.say_book(name, "fr")
        elif prefix == "phase":
            wording.say_phase(name, "fr")
        elif prefix == "street":
            wording.say_street(name, "fr")
        elif prefix == "place":
            wording.say_place(name + ("4" if name in ("seat", "bet", "stack") else ""), "fr")
        elif prefix == "act" and name.split(".")[0] not in ("seat", "all_in_too"):
            wording.say_action(name.removesuffix(".amount"), 650 if name.endswith(".amount") else None, "fr")
            wording.say_action(name.removesuffix(".amount"), 650, "fr", seat=4, all_in=True)
    # Read once, when a voice is made.
    assert set(TEXTS["fr"]) - said == {"format.thousands"}


@pytest.mark.parametrize("name", ["", ".orders", ".panel", ".play", ".questions", ".rulings", ".voice"])
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"engine.wording{name}")
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0
