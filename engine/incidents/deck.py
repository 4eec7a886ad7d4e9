"""The deck itself: foreign and double cards, the other deck, a check that does not come to 52,
a dropped or shown stub, one person who shuffles and cuts."""

from engine.events import (
    CardExposed,
    CardMoved,
    DeckCounted,
    DeckCut,
    DuplicateCard,
    ForeignCard,
    StubDropped,
)
from engine.incidents import board
from engine.judging import Court
from engine.state import HandState, Incident
from engine.vocabulary import seat_of


def place_kind(place: str) -> str:
    """Give the kind of a place: all seats are ``seat``."""
    return "seat" if place.startswith("seat") else place


def foreign(d: HandState, event: ForeignCard, court: Court) -> None:
    """A card that is not of the deck in play; one of the table's other deck is a matter of its own."""
    name = "wrong_deck" if event.kind == "other_deck" else "foreign_card"
    _wrong_card(d, name, event.kind, event.at, event.card, court)


def duplicate(d: HandState, event: DuplicateCard, court: Court) -> None:
    """A second card of one rank and suit."""
    _wrong_card(d, "duplicate_card", "duplicate", event.at, event.card, court)


def _wrong_card(d: HandState, name: str, kind: str, at: str, card: str | None, court: Court) -> None:
    facts: dict[str, bool | int | str] = {
        "card_kind": kind,
        "at": place_kind(at),
        "pot_taken": d.phase == "over",
    }
    if at == "board" and d.street_laid:
        facts["street"] = d.coming() or d.street()
    if d.phase == "void" or (d.phase == "over" and not d.hand):
        return
    court.judge(d, Incident(name, seat=seat_of(at), card=card, at=at, facts=facts))


def counted(d: HandState, event: DeckCounted, court: Court) -> None:
    """A check of the deck: what is missing or too many keeps it out of play."""
    if not event.missing and not event.extra:
        return
    facts: dict[str, bool | int | str] = {"count": 52 - len(event.missing) + len(event.extra)}
    cards = (*event.missing, *event.extra)
    court.judge(d, Incident("missing_card", cards=cards, facts=facts))


def cut(d: HandState, event: DeckCut, court: Court) -> None:
    """The deck was cut: not by the person who shuffled it (ROPTA shuffle/cut)."""
    if event.by_seat is not None and event.by_seat == d.shuffled_by:
        court.judge(d, Incident("shuffle_cut_one_person", seat=event.by_seat))
    d.shuffled_by = None


def stub_card_off_table(d: HandState, event: CardMoved, court: Court) -> None:
    """A card left the deck for the floor in play: from the second on the stub was dropped."""
    d.off_table += 1
    if d.off_table == 2:
        stub_dropped(d, StubDropped(), court)


def stub_dropped(d: HandState, event: StubDropped, court: Court) -> None:
    """The stub fell: can its order be rebuilt, and did it mix with muck or burns?"""
    facts: dict[str, bool | int | str] = {**board.since(d, court, len(d.acts))}
    if event.order_known is not None:
        facts["order_known"] = event.order_known
    if event.mixed_with is not None:
        kinds = set(event.mixed_with)
        facts["mixed_with"] = "both" if len(kinds) == 2 else next(iter(kinds), "none")
    court.judge(d, Incident("stub_dropped", facts=facts))


def stub_card_shown(d: HandState, event: CardExposed, court: Court) -> None:
    """The dealer showed a card of the stub in play: two or more are an incident."""
    d.stub_shown += 1
    if d.stub_shown >= 2:
        court.judge(
            d,
            Incident(
                "stub_exposed", card=event.card, at="deck", facts={"count": d.stub_shown, "by": "dealer"}
            ),
        )
