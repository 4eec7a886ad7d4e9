"""What people say happened: any incident from panel or page alone, and answers to questions."""

from typing import Final

from engine import betting, dealing
from engine.events import Answered, Claimed
from engine.facts import FACTS, STREET_WORDS
from engine.incidents import board, deal, hands
from engine.judging import Court
from engine.rulebook import Row
from engine.rulings import Order
from engine.state import HandState, Incident, Question
from engine.vocabulary import STREET_CARDS

ALIASES: Final = {
    "card_seen": "card_flashed_in_deal",
    "foul_hand": "unprotected_hand_fouled",
    "board_moved": "board_disturbed",
    "see_hand": "asked_to_see",
}
BOARD: Final = frozenset(
    "no_burn double_burn flop_too_many_cards street_too_many_cards premature_flop premature_turn "
    "premature_river stub_dropped stub_exposed board_disturbed burn_exposed".split()
)
COUNTS: Final = frozenset("wrong_card_count seat_skipped dealer_short extra_card several_extra_cards".split())
# What may still be said of a hand that is over.
AFTERWARDS: Final = frozenset(
    "duplicate_card foreign_card wrong_deck missing_card dealer_repeats shuffle_cut_one_person wrong_pot "
    "asked_to_see wrong_button hidden_chips".split()
)
_ANSWERS: Final = {
    "by": ("dealer", "player"),
    "seen_by": ("all", "majority", "some"),
    "mixed_with": ("none", "muck", "burn", "both"),
    "acted_count": ("0", "1", "2", "3"),
    "bet_called": ("nothing", "uncalled_bet", "uncalled_raise", "called"),
}


def question(asked: Question) -> Order:
    """Word a question as an order: which fact, about whom, with what answers."""
    incident = asked.incident
    return Order(
        "ask",
        fact=asked.fact,
        seat=incident.seat,
        card=incident.card,
        options=_ANSWERS.get(asked.fact, ("yes", "no")),
    )


def claimed(d: HandState, event: Claimed, court: Court) -> None:
    """Somebody gives notice of an incident."""
    name = ALIASES.get(event.claim, event.claim)
    if name == "time":
        if d.to_act is not None:
            d.plan += (betting.clock(d, event.seat or d.to_act, court.book),)
        return
    if name == "skipped":
        name = "seat_skipped" if d.phase == "dealing" else "player_skipped"
    facts = claim_facts(d, event, court, name)
    seat = event.seat
    cards: tuple[str, ...] = ()
    if name in BOARD and name not in ("stub_dropped", "stub_exposed", "burn_exposed", "board_disturbed"):
        cards = board.known(board.in_question(d))
        if event.card is not None:
            cards = (event.card,)
    if name == "asked_to_see" and facts.get("asker_called") is True:
        # Who called on the river asks for the hand of the last who bet or raised.
        seat = d.aggressor
    incident = Incident(name, seat=seat, card=event.card, at=_where(event), facts=facts, cards=cards)
    if (d.phase in ("over", "void") and name not in AFTERWARDS) or contradicted(d, event, name):
        court.call_floor(d, incident)
    elif name == "card_exposed_in_deal" or name == "card_flashed_in_deal":
        _exposure(d, event, court, name)
    elif name in COUNTS and seat is not None and seat in d.seats and d.phase == "dealing" and d.deal_at >= 0:
        d.passed_over = tuple(n for n in d.passed_over if n != seat)
        d.deal_judged = d.deal_judged or name != "seat_skipped"
        court.judge(d, incident)
    elif name in betting.INCIDENTS:
        betting.rule(d, incident, court)
    else:
        court.judge(d, incident)


def _where(event: Claimed) -> str | None:
    return f"seat{event.seat}" if event.seat is not None else None


def claim_facts(d: HandState, event: Claimed, court: Court, name: str) -> dict[str, bool | int | str]:
    """Give what the claim says, completed by what the state knows."""
    known: dict[str, bool | int | str] = {"notice": True}
    if event.seen_by is not None:
        known["seen_by"] = event.seen_by
    seat = event.seat
    if name in BOARD:
        known |= board.since(d, court, d.street_acts)
        known["flop_turned"] = len(d.board) >= STREET_CARDS["flop"]
        if name != "premature_flop" or d.burned >= d.burn_due or d.burns:
            known["identified"] = True
        known["street"] = (d.coming() or "river") if d.street_laid or d.burned else d.street()
        if name == "flop_too_many_cards":
            known["count"] = STREET_CARDS["flop"] + max(1, len(d.surplus))
    if seat is not None and seat in d.seats:
        owner = d.seats[seat]
        if name in COUNTS:
            known |= deal.count_facts(d, seat, notice=True)
            known["first_seat"] = bool(d.order) and seat == d.order[0]
        if name == "player_skipped":
            known |= hands.skipped_facts(d, court, seat)
        if name in ("hand_touched_muck", "unprotected_hand_killed", "unprotected_hand_fouled"):
            known["bet_called"] = hands.bet_called(d, seat)
        if name == "asked_to_see" and d.phase == "showdown":
            stayed = owner.live or owner.mucked
            known["asker_called"] = stayed and d.aggressor is not None and seat != d.aggressor
        known["all_in"] = owner.all_in
        known["facing_bet"] = d.price > owner.bet
    if name in ("duplicate_card", "foreign_card", "wrong_deck"):
        known["pot_taken"] = d.phase == "over"
        known["card_kind"] = {"duplicate_card": "duplicate", "wrong_deck": "other_deck"}.get(name, "unknown")
        if seat is not None:
            known["at"] = "seat"
    if name == "hand_shown":
        known["shown_to"] = "one"
    if name == "tabled_early":
        known["by"] = "player"
    if d.phase == "dealing" and name.startswith(("card_", "first_", "second_", "several_cards")):
        known["by"] = "dealer"
    known |= {fact: value for fact, value in (event.facts or {}).items() if fact in FACTS}
    if known.get("street") not in (*STREET_WORDS, None):
        del known["street"]
    return known


def too_late(d: HandState, name: str) -> bool:
    """Whether the hand is over, or its pots are being taken: what was won is the floor's to undo."""
    won = d.phase == "showdown" and (d.settled or bool(d.awards))
    return name not in AFTERWARDS and (won or d.phase in ("over", "void"))


def _replaced_too_late(d: HandState, incident: Incident, court: Court) -> bool:
    """Whether the book would replace a card of the deal although board cards lie there by now."""
    if not d.board and d.phase in ("dealing", "preflop"):
        return False
    row = court.look_up(d, incident)
    return isinstance(row, Row) and "replace_at_end" in row.do


def contradicted(d: HandState, event: Claimed, name: str) -> bool:
    """Tell whether the card account says otherwise (contracts §2, reading 12).

    Only positive evidence contradicts: two cards counted at the seat, a burn that was seen, a
    street that does not lie there. A claim that brings facts of its own is taken at its word.
    """
    if name.startswith("premature_"):
        lies = d.coming() if d.street_laid else d.street()
        return name != f"premature_{lies}"
    if event.facts:
        return False
    if name in COUNTS and event.seat in d.seats:
        seat = d.seats[event.seat]
        return seat.dealt == dealing.HOLE_CARDS and not seat.incomplete
    if name == "no_burn":
        streets = len(d.board) - d.street_laid
        dealt = {0: 0, 3: 1, 4: 2, 5: 3}.get(streets, 1)
        return len(d.burns) >= max(dealt, 1)
    return False


def _exposure(d: HandState, event: Claimed, court: Court, name: str) -> None:
    """A card said to be exposed or flashed in the deal: its place in the deal decides which rule."""
    seat = event.seat
    facts = event.facts or {}
    by = facts.get("by", "dealer")
    ordinal = facts.get("count")
    if type(ordinal) is not int:
        ordinal = 99
        if seat in d.seats:
            rounds = max(d.seats[seat].dealt, 1)
            ordinal = (rounds - 1) * len(d.order) + d.order.index(seat) + 1
    if seat in d.seats:
        deal.name_card(d, seat, event.card)
    seen_by = event.seen_by or "all"
    if name == "card_flashed_in_deal" and event.seen_by is None:
        told = facts.get("seen_by")
        if told in ("all", "majority", "some"):
            seen_by = told  # type: ignore[assignment]
        else:
            incident = Incident(
                name,
                seat=seat,
                card=event.card,
                at=_where(event),
                facts={"by": "dealer", "notice": True, "count": ordinal},
            )
            court.judge(d, incident)
            return
    deal.exposed(
        d,
        court,
        seat=seat,
        card=event.card,
        by="player" if by == "player" else "dealer",
        at=_where(event) or "felt",
        ordinal=ordinal,
        seen_by=seen_by,
        notice=True,
        flashed=name == "card_flashed_in_deal",
    )


def answered(d: HandState, event: Answered, court: Court) -> None:
    """A person answered: the incident that waited for this fact is ruled now."""
    place = next((place for place, asked in enumerate(d.questions) if asked.fact == event.fact), None)
    if place is None:
        return
    asked = d.questions[place]
    d.questions = d.questions[:place] + d.questions[place + 1 :]
    value = event.value
    if isinstance(value, str) and value in ("yes", "no"):
        value = value == "yes"
    if asked.fact == "acted_count" and isinstance(value, str) and value.isdigit():
        value = int(value)
    incident = asked.incident
    seat = event.seat if incident.seat is None else incident.seat
    settled = Incident(
        incident.name,
        seat,
        incident.card,
        incident.at,
        {**incident.facts, asked.fact: value},
        incident.seats,
        incident.cards,
    )
    if too_late(d, settled.name):
        court.call_floor(d, settled)
    elif settled.name in betting.INCIDENTS:
        betting.rule(d, settled, court)
    else:
        court.judge(d, settled)


def unanswered(d: HandState, court: Court) -> None:
    """Play went on over an open question: the floor is called, nothing is guessed."""
    for asked in d.questions:
        court.call_floor(d, asked.incident)
    d.questions = ()
