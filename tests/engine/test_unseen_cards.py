"""No card that nobody has seen may change one byte of what the engine says."""

import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from engine import machine
from engine.events import read_lines
from engine.rulings import encode
from engine.vocabulary import DECK
from table_controller.rulebook_files import available, load_book

SCENARIOS = Path(__file__).resolve().parents[3] / "shared" / "data" / "scenarios"
FILES = sorted(SCENARIOS.glob("*.jsonl"))


def moved(card: str, origin: str, to: str, face: str = "down", by: str = "dealer") -> dict[str, object]:
    return {"event": "card_moved", "card": card, "from": origin, "to": to, "face": face, "by": by}


def eventful_hand() -> list[dict[str, object]]:
    """A hand in which hidden cards go everywhere: seats, burns, muck, aside, felt and deck."""
    start = {
        "event": "hand_started",
        "hand": 1,
        "button": 3,
        "small_blind": 50,
        "big_blind": 100,
        "seats": [{"seat": seat, "stack": 5000} for seat in (1, 2, 3)],
    }
    hidden = ["2s", "3s", "4s", "5s", "6s", "7s"]
    deal = [moved(card, "deck", f"seat{1 + place % 3}") for place, card in enumerate(hidden)]
    return [
        start,
        *deal,
        {"event": "acted", "seat": 3, "said": "call"},
        {"event": "acted", "seat": 1, "said": "call"},
        {"event": "acted", "seat": 2, "said": "check"},
        moved("8s", "deck", "burn"),
        moved("Ah", "deck", "board", "up"),
        moved("Kh", "deck", "board", "up"),
        moved("Qh", "deck", "board", "up"),
        moved("2s", "seat1", "off_table", by="player"),
        moved("2s", "off_table", "seat1", by="player"),
        {"event": "acted", "seat": 1, "said": "fold"},
        moved("2s", "seat1", "muck"),
        moved("5s", "seat1", "muck"),
        moved("3s", "seat2", "muck", by="player"),
        {"event": "card_moved", "card": "9s", "from": "deck", "to": "aside", "face": "down"},
        {"event": "board_disturbed", "readable": True},
        moved("Ts", "deck", "burn"),
        moved("Jh", "deck", "board", "up"),
        {"event": "stub_dropped", "order_known": False, "mixed_with": []},
    ]


def lines(events: Iterable[dict[str, object]]) -> list[str]:
    return [json.dumps(event) for event in events]


def said(written: list[str], book_id: str) -> bytes:
    """Everything that the engine says about a journal, as bytes."""
    book = load_book(book_id)
    state, spoken = machine.start(), []
    for event in read_lines(written):
        step = machine.step(state, event, book)
        state = step.state
        spoken += [encode(thing) for thing in (*step.rulings, *step.orders, *machine.expects(state, book))]
    return b"\n".join([*spoken, encode(machine.summary(state, book))])


def unseen(events: list[dict[str, object]]) -> set[str]:
    """The cards of a journal that no face, board, exposure or showing ever gave away."""
    named = {str(e["card"]) for e in events if e.get("card")}
    for event in events:
        open_move = event["event"] == "card_moved" and (event.get("face") == "up" or event["to"] == "board")
        if open_move or event["event"] in ("card_exposed", "claimed"):
            named.discard(str(event.get("card")))
        named -= set(map(str, event.get("cards", ())))
    return named


def changed(events: list[dict[str, object]], seed: int) -> list[dict[str, object]]:
    """The same journal with other cards where nobody saw them."""
    hidden = sorted(unseen(events))
    used = {str(e["card"]) for e in events if e.get("card")}
    spare = hidden + [card for card in DECK if card not in used]
    drawn = random.Random(seed).sample(spare, len(hidden))
    other = dict(zip(hidden, drawn, strict=True))
    return [{**e, "card": other.get(str(e["card"]), e["card"])} if e.get("card") else e for e in events]


@pytest.mark.parametrize("book_id", available())
def test_an_eventful_hand_says_the_same_whatever_the_hidden_cards(book_id: str) -> None:
    events = eventful_hand()
    assert len(unseen(events)) >= 9
    first = said(lines(events), book_id)
    for seed in range(5):
        other = changed(events, seed)
        assert other != events
        assert said(lines(other), book_id) == first


@pytest.mark.skipif(not FILES, reason="the shared scenarios are not here")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scenarios_say_the_same_whatever_the_hidden_cards(file: Path) -> None:
    events = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    assert unseen(events)
    for book_id in ("ropta", "tda2024"):
        first = said(lines(events), book_id)
        assert said(lines(changed(events, 1)), book_id) == first


def test_the_comparison_would_notice_a_card_that_is_seen() -> None:
    """The same change to a board card does change what is said."""
    events = eventful_hand()
    other = [{**e, "card": "2c"} if e.get("card") == "Ah" else e for e in events]
    assert said(lines(other), "standard") != said(lines(events), "standard")


def test_nothing_said_names_a_hidden_card() -> None:
    events = eventful_hand()
    text = said(lines(events), "standard").decode()
    assert not [card for card in unseen(events) if f'"{card}"' in text]
