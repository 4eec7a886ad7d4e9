"""From what people say happened to events: the cards and acts that the table has not been told of, or a claim. Pure.

On a table without antennas an irregularity of burn or board is first of all something that nobody has entered yet:
the flop lies there too early because it was dealt too early. So it is told as what it was, card by card, and the
engine recognises it by itself; where the cards are known already it is a claim.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from engine import cures
from engine.events import CardMoved, Claimed, TableEvent
from engine.facts import FACTS
from engine.incidents.claims import claim_facts
from engine.judging import Court
from engine.referee import VARIANTS
from engine.rulebook import Rulebook
from engine.state import HandState, substantial_action
from engine.vocabulary import STREET_CARDS, seat_place
from table_controller.dealer_page.confirming import unseen_deal

Value = bool | int | str

# Whom an incident is about must be said; all others concern deck, burn or board.
OF_A_SEAT: Final = frozenset(
    """
    card_exposed_in_deal first_card_exposed second_card_exposed card_flashed_in_deal card_dropped_by_dealer
    card_dropped_by_player card_to_wrong_seat wrong_card_count seat_skipped extra_card several_extra_cards
    dealer_short absent_dealt_in hand_touched_muck unprotected_hand_fouled unprotected_hand_killed
    hand_mixed hand_shown tabled_early left_table open_muck out_of_turn player_skipped time_expired
    conditional_word bet_before_card utg_posted below_minimum_raise oversized_chip several_chips
    smaller_chip word_against_chips string_bet call_without_bet check_facing_bet underbet undercall
    underraise short_all_in wrong_pot asked_to_see hidden_chips
    """.split()
)
# What a player put forward must be told before a rule can be applied to it: chip by chip.
CHIPS_FIRST: Final = frozenset(
    "below_minimum_raise oversized_chip several_chips smaller_chip underbet undercall underraise".split()
)
# A card of the deal that is neither its first nor its second.
_LATER_CARD: Final = 3
_STREETS: Final = ("flop", "turn", "river")


def known_facts(
    state: HandState, book: Rulebook, incident: str, seat: int | None, *, blind: bool
) -> dict[str, Value]:
    """What the table knows of an incident by itself, so that nobody is asked for it.

    Args:
        state: The engine's state.
        book: The rulebook in force.
        incident: What is said to have happened.
        seat: Whom it is about.
        blind: Nobody tells the table what happens in a hand: it knows nothing.
    """
    if blind:
        return {"notice": True}
    court = Court(book, state.events, cures.STEPS)
    event = Claimed(claim=incident, seat=seat)
    own = claim_facts(state, event, court, incident)
    general: dict[str, Value] = {
        "street": state.street(),
        "in_deal": state.phase == "dealing",
        "acted": bool(state.acts),
        "sa": substantial_action(state.acts, book),
        "heads_up": len(state.in_hand()) == 2,
        "limit": state.limit,
    }
    return general | own


def variant_facts(incident: str, ending: str) -> dict[str, Value]:
    """The facts that an incident is picked with (``no_burn.turn``)."""
    return dict(VARIANTS.get(incident, {}).get(ending, {}))


def events_of(
    incident: str,
    seat: int | None,
    facts: Mapping[str, Value],
    state: HandState,
    covered: Collection[str],
) -> tuple[TableEvent, ...]:
    """What the table is told.

    Args:
        incident: A name of ``engine.rulings.INCIDENTS``.
        seat: Whom it is about.
        facts: What people have answered.
        state: The engine's state.
        covered: Places whose cards are read by antennas.
    """
    told = _cards(incident, seat, state, covered)
    if told:
        return told
    given = {fact: value for fact, value in facts.items() if fact in FACTS}
    if incident == "card_exposed_in_deal" and "count" not in given and _unserved(state, seat):
        given["count"] = _LATER_CARD
    # What a person says is taken at his word, whatever the card account has: he brings a fact of his own.
    given.setdefault("notice", True)
    deal = _rest_of_deal(state, covered) if incident in _AFTER_DEAL else ()
    if incident in _SHOWN_IN_DEAL and seat is not None:
        deal = _deal_up_to(seat, state, covered)
    return (*deal, Claimed(claim=incident, seat=seat, facts=given))


# A card of the deal that showed itself: it was dealt, so it and those before it are told first.
_SHOWN_IN_DEAL: Final = frozenset(
    """
    card_exposed_in_deal first_card_exposed second_card_exposed card_flashed_in_deal card_dropped_by_dealer
    """.split()
)
_AFTER_DEAL: Final = frozenset({"extra_card", "several_extra_cards"})


def _unserved(state: HandState, seat: int | None) -> bool:
    return state.phase == "dealing" and seat in state.seats and not state.seats[seat].dealt


def _deal_up_to(seat: int, state: HandState, covered: Collection[str]) -> tuple[TableEvent, ...]:
    """The deal that nobody has told, up to the card of this seat that showed itself."""
    if state.phase != "dealing" or seat not in state.seats or seat_place(seat) in covered:
        return ()
    dead_before = sum(1 for number, _ in state.dead_exposed if number == seat)
    if state.seats[seat].dealt > dead_before:
        return ()
    unseen = unseen_deal(state, covered)
    served = unseen[: unseen.index(seat) + 1] if seat in unseen else ()
    return tuple(CardMoved(card=None, from_="deck", to=seat_place(one)) for one in served)


def _rest_of_deal(state: HandState, covered: Collection[str]) -> tuple[TableEvent, ...]:
    if state.phase != "dealing":
        return ()
    return tuple(
        CardMoved(card=None, from_="deck", to=seat_place(one)) for one in unseen_deal(state, covered)
    )


def _cards(
    incident: str, seat: int | None, state: HandState, covered: Collection[str]
) -> tuple[TableEvent, ...]:
    """The cards that an irregularity of the board or of the deal's end is made of, where nobody has told them."""
    if incident in _AFTER_DEAL and seat is not None and state.phase == "dealing" and not state.deal_judged:
        extra = 1 if incident == "extra_card" else 2
        more = tuple(CardMoved(card=None, from_="deck", to=seat_place(seat)) for _ in range(extra))
        return (*_rest_of_deal(state, covered), *more)
    coming = state.coming()
    if coming is None or "board" in covered or state.phase not in ("preflop", "flop", "turn"):
        return ()
    burns = max(state.burn_due - state.burned, 0) if "burn" not in covered else 0
    street = STREET_CARDS[coming] - state.street_laid
    if street <= 0:
        return ()
    if incident == f"premature_{coming}" and state.to_act is not None:
        return _dealt(burns, street)
    if state.to_act is not None:
        return ()
    if incident == "no_burn" and state.burned < state.burn_due:
        return _dealt(0, street)
    if incident == "double_burn" and state.burned <= state.burn_due:
        return _dealt(state.burn_due + 1 - state.burned, 0)
    if incident == "flop_too_many_cards" and coming == "flop":
        return _dealt(burns, street + 1)
    if incident == "street_too_many_cards" and coming != "flop":
        return _dealt(burns, street + 1)
    return ()


def _dealt(burns: int, cards: int) -> tuple[TableEvent, ...]:
    burned = tuple(CardMoved(card=None, from_="deck", to="burn") for _ in range(burns))
    laid = tuple(CardMoved(card=None, from_="deck", to="board", face="up") for _ in range(cards))
    return burned + laid
