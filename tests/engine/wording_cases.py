"""The cases that the tests of the wording run through: every order, ruling and incident in all its forms."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import wording
from engine.facts import FACTS
from engine.locales.catalogue import TEXTS
from engine.rulings import INCIDENTS, RULINGS, Order, Ruling

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


def named_cards(text: str) -> bool:
    """Whether a text names a card."""
    return any(sign in text for sign in SIGNS)


def forms(lang: str) -> Iterator[tuple[str, str]]:
    """Every text of a language, plural forms one by one."""
    for key, text in TEXTS[lang].items():
        yield from ((key, form) for form in ((text,) if isinstance(text, str) else text))
