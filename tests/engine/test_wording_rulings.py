"""Rulings, facts and questions in words, and the catalogues they come from."""

import doctest
import importlib
import itertools
import re
import tomllib
from typing import Any

import pytest

from engine import wording
from engine.cases import Option
from engine.facts import FACTS
from engine.locales.catalogue import TEXTS
from engine.referee import Answer, Case, Pick
from engine.rulebook import TERMS, Row
from engine.rulings import ASKABLE, INCIDENTS, RULINGS, Order, Ruling, Suggestion
from engine.wording import voice as voices
from tests.engine.wording_cases import (
    ALL_ORDERS,
    ANSWERS,
    ENGINE,
    LANGS,
    every_ruling,
    forms,
    ruling,
    well_formed,
)

# Rulings -------------------------------------------------------------------------------------------


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
def test_every_ruling_has_a_name_of_its_own(lang: str) -> None:
    names = {wording.say_ruling_name(name, lang) for name in RULINGS}
    assert len(names) == len(RULINGS)
    for name in names:
        well_formed(name)
    with pytest.raises(wording.NotWorded, match="did you mean misdeal"):
        wording.say_ruling_name("misdeall", lang)


def test_the_card_that_becomes_the_burn_is_the_one_that_is_moved_there() -> None:
    cure = (Order("move", card="2h", from_="board", to="burn", face="down"), Order("board", count=1))
    given = ruling("burn_assigned", "no_burn", cards=("2h", "Td", "9c"), orders=cure)
    assert wording.say_ruling(given, "fr").startswith("La carte 2♥ devient la brûlée")
    hidden = (Order("move", card="2h", from_="deck", to="burn", face="down"),)
    assert "2♥" not in wording.say_ruling(ruling("burn_assigned", "no_burn", orders=hidden), "fr")


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


# Facts and questions -------------------------------------------------------------------------------


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


# The catalogues ------------------------------------------------------------------------------------

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
    wording.say_ruling_name("call_floor", "fr")
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
        elif prefix == "group":
            wording.say_group(name, "fr")
        elif prefix == "step":
            wording.say_step(name, "fr")
        elif prefix == "incident" and "." in name:
            wording.say_pick(name, "fr")
        elif prefix == "reading":
            reading = name.removesuffix(".do")
            wording.say_reading(reading, "fr")
            wording.say_row(
                Row("undercall", ("amount_corrected", "play_on"), "A 1", "club", read_as=reading), "fr"
            )
            wording.say_steps(Row("undercall", ("amount_corrected",), "A 1", "club", read_as=reading), "fr")
    for ruling_name in RULINGS:
        wording.say_steps(Row("wrong_pot", (ruling_name,), "A 1", "club"), "fr")
    wording.say_option("count", Option(0, spans=((0, 3), (5, None))), "fr")
    for group in (None, "burn"):
        wording.say_asked(Pick(group, ("burn",)), "fr")
    row = Row("wrong_pot", ("play_on",), "A 1", "club", reading=True)
    either = (Case(row, {"protected": True}), Case(row))
    wording.say_answer(Answer("wrong_pot", {}, either, ()), "fr")
    # Read once, when a voice is made.
    assert set(TEXTS["fr"]) - said == {"format.thousands"}


@pytest.mark.parametrize(
    "name", ["", ".orders", ".panel", ".play", ".questions", ".referee", ".rulings", ".voice"]
)
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"engine.wording{name}")
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0
