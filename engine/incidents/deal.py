"""The initial deal: wrong seats, exposed, flashed, dropped and boxed cards, short and long hands."""

from typing import Final

from engine import dealing, plan
from engine.events import CardExposed, CardMoved
from engine.judging import Court
from engine.rulebook import Row
from engine.state import HandState, Incident
from engine.vocabulary import By, SeenBy, seat_of

# Answers that make an exposed card dead: a second one of this kind is "several exposed cards".
_KILLS_CARD: Final = frozenset({"card_replaced", "misdeal"})


def dealt(d: HandState, event: CardMoved, court: Court) -> None:
    """A card left the deck for a seat during the initial deal."""
    seat = seat_of(event.to)
    if seat is None:
        return
    if event.by == "deck" and event.face == "up":
        boxed(d, event.card, court, at=event.to, seat=seat)
        return
    took_top(d)
    d.off_deck += 1
    if seat not in d.seats:
        court.judge(d, Incident("card_to_wrong_seat", seat=seat, facts={"first_seat": False}))
        return
    if d.off_deck == 1:
        dealing.kill_absent(d, court, "first_card")
        if event.group is None and seat != d.order[0]:
            d.seats[seat].dealt += 1
            d.seats[seat].cards += (event.card if event.face == "up" else None,)
            d.deal_at = d.order.index(seat)
            court.judge(d, Incident("card_to_wrong_seat", seat=seat, facts={"first_seat": False}))
            return
    owner = d.seats[seat]
    replaced = seat in d.replacements and owner.dealt >= dealing.HOLE_CARDS
    if replaced or (owner.incomplete and owner.dealt >= 1):
        complete(d, seat, event, court)
    elif d.deal_judged or (dealing.served_all(d) and owner.dealt >= dealing.HOLE_CARDS):
        extra(d, seat, event, court)
    else:
        dealing.serve(d, seat)
        owner.cards += (event.card if event.face == "up" else None,)
        if event.face == "up":
            exposed(
                d,
                court,
                seat=seat,
                card=event.card,
                by=event.by,
                at=event.to,
                ordinal=_ordinal(d, event, seat),
            )
    if d.phase == "dealing":
        after_card(d, court)


def took_top(d: HandState) -> str | None:
    """A card left the deck: the known top card, if any, is gone with it."""
    if not d.on_top:
        return None
    top = d.on_top[-1]
    d.on_top = d.on_top[:-1]
    return top


def _ordinal(d: HandState, event: CardMoved, seat: int) -> int:
    """Place of the card in the deal; inside a scan cycle only the seat tells it."""
    if event.group is None:
        return d.off_deck
    return (d.seats[seat].dealt - 1) * len(d.order) + d.order.index(seat) + 1


def complete(d: HandState, seat: int, event: CardMoved, court: Court) -> None:
    """A replacement, or the card that the deal forgot, reached its seat."""
    owner = d.seats[seat]
    if seat in d.replacements:
        waiting = list(d.replacements)
        waiting.remove(seat)
        d.replacements = tuple(waiting)
    else:
        owner.incomplete = False
        owner.dealt += 1
    plan.drop(d, "deal", event.to)
    owner.cards += (event.card if event.face == "up" else None,)
    if event.face == "up" and event.by != "player":
        exposed(d, court, seat=seat, card=event.card, by=event.by, at=event.to, ordinal=d.off_deck)


def extra(d: HandState, seat: int, event: CardMoved, court: Court) -> None:
    """A card came to a hand that was complete, after the last seat was served (PN errors 7)."""
    owner = d.seats[seat]
    owner.dealt += 1
    owner.cards += (event.card if event.face == "up" else None,)
    d.extras += 1
    lying = sum(max(0, d.seats[n].dealt - dealing.HOLE_CARDS) for n in d.order)
    surplus = max(lying, d.extras)
    facts: dict[str, bool | int | str] = {"first_seat": seat == d.order[0], "count": surplus, "short": False}
    name = "extra_card" if surplus == 1 else "several_extra_cards"
    court.judge(d, Incident(name, seat=seat, facts=facts))


def exposed(
    d: HandState,
    court: Court,
    *,
    seat: int | None,
    card: str | None,
    by: By,
    at: str,
    ordinal: int,
    seen_by: SeenBy = "all",
    dropped: bool = False,
    notice: bool = False,
    flashed: bool = False,
) -> None:
    """A card showed its face during the deal: one incident, by place in the deal and by whom.

    An unknown hand is taken as the dealer's while the deal lasts (rules.md §2).
    """
    facts: dict[str, bool | int | str] = {
        "by": "dealer" if by == "unknown" else by,
        "seen_by": seen_by,
        "count": ordinal,
        "notice": notice,
    }
    name = "card_exposed_in_deal"
    if dropped:
        name = "card_dropped_by_dealer"
    elif ordinal == 1 and by != "player":
        name = "first_card_exposed"
    elif ordinal == 2 and by != "player":
        name = "second_card_exposed"
    if seen_by != "all" or flashed:
        name = "card_flashed_in_deal"
    incident = Incident(name, seat=seat, card=card, at=at, facts=facts)
    row = court.look_up(d, incident)
    if isinstance(row, Row) and d.dead_exposed and _KILLS_CARD & set(row.ruling):
        several = Incident(
            "several_cards_exposed_in_deal",
            seat=seat,
            card=card,
            at=at,
            facts=facts | {"count": len(d.dead_exposed) + 1},
        )
        court.judge(d, several)
    else:
        court.judge(d, incident)
    if isinstance(row, Row) and "call_floor" in row.ruling and seen_by == "all":
        d.exposed_in_deal += 1


def exposed_at_place(d: HandState, event: CardExposed, court: Court) -> None:
    """``card_exposed`` during the deal: turned or flashed at a seat, boxed in the deck."""
    if event.at == "deck":
        if event.by == "deck":
            boxed(d, event.card, court, at="deck", seat=dealing.next_seat(d))
        else:
            target = dealing.next_seat(d)
            d.off_deck += 1
            exposed(
                d,
                court,
                seat=target,
                card=event.card,
                by=event.by,
                at="deck",
                ordinal=d.off_deck,
                seen_by=event.seen_by,
            )
            d.off_deck -= 1
        return
    seat = seat_of(event.at)
    if seat is None or seat not in d.seats:
        return
    owner = d.seats[seat]
    name_card(d, seat, event.card)
    if event.by == "player" and d.deal_judged and not d.replacements:
        return
    rounds = max(owner.dealt, 1)
    ordinal = (rounds - 1) * len(d.order) + d.order.index(seat) + 1
    exposed(
        d, court, seat=seat, card=event.card, by=event.by, at=event.at, ordinal=ordinal, seen_by=event.seen_by
    )


def name_card(d: HandState, seat: int, card: str | None) -> None:
    """A face at a seat became known: one of the unseen cards of the hand has a name now."""
    owner = d.seats[seat]
    if card is None or card in owner.cards or None not in owner.cards:
        return
    place = len(owner.cards) - 1 - owner.cards[::-1].index(None)
    owner.cards = (*owner.cards[:place], card, *owner.cards[place + 1 :])


def dropped(d: HandState, event: CardMoved, court: Court) -> None:
    """A card fell from the dealer's hand during the deal; it was meant for the next seat."""
    took_top(d)
    d.off_deck += 1
    if d.off_deck == 1:
        dealing.kill_absent(d, court, "first_card")
    seat = dealing.next_seat(d)
    if seat is None:
        return
    if seat in d.replacements and dealing.served_all(d):
        d.replacements = tuple(n for n in d.replacements if n != seat)
    else:
        dealing.serve(d, seat)
        d.seats[seat].cards += (event.card,)
    exposed(d, court, seat=seat, card=event.card, by=event.by, at=event.to, ordinal=d.off_deck, dropped=True)
    if d.phase == "dealing":
        after_card(d, court)


def boxed(d: HandState, card: str | None, court: Court, *, at: str, seat: int | None) -> None:
    """A card lay face up inside the deck: shown to all and set aside, or worse if several."""
    took_top(d)
    d.boxed += 1
    name = "boxed_card" if d.boxed == 1 else "several_boxed_cards"
    facts: dict[str, bool | int | str] = {"by": "deck", "count": d.boxed}
    court.judge(d, Incident(name, seat=seat, card=card, at=at, facts=facts))


def after_card(d: HandState, court: Court) -> None:
    """Judge the deal once the last seat was passed; open the betting when nothing is missing."""
    if not d.deal_judged and dealing.served_all(d):
        judge(d, court)
    if d.phase == "dealing" and d.deal_judged and not d.replacements:
        dealing.kill_absent(d, court, "last_card")
        dealing.finish(d, court)


def close(d: HandState, court: Court) -> None:
    """An act, a burn or a board card came: the deal is over, whatever is missing is judged."""
    if d.phase != "dealing" or not d.off_deck:
        return
    if not d.deal_judged:
        judge(d, court)
    if d.phase == "dealing":
        dealing.kill_absent(d, court, "last_card")
        dealing.finish(d, court)


def judge(d: HandState, court: Court) -> None:
    """Count what each seat was dealt: left out, short, long (contracts §2, reading 2)."""
    d.deal_judged = True
    for number in d.order:
        seat = d.seats[number]
        if d.phase != "dealing":
            return
        if seat.dealt == dealing.HOLE_CARDS:
            continue
        facts = count_facts(d, number)
        if seat.dealt < dealing.HOLE_CARDS:
            name = short_name(d, number)
        else:
            name = "wrong_card_count"
        court.judge(d, Incident(name, seat=number, facts=facts))


def short_name(d: HandState, number: int) -> str:
    """Name what a short hand is: its own dealer's, a seat left out, or a wrong count."""
    if number == d.dealer_seat and d.seats[number].dealt == 1:
        return "dealer_short"
    if number in d.passed_over or d.seats[number].dealt == 0:
        return "seat_skipped"
    return "wrong_card_count"


def count_facts(d: HandState, number: int, *, notice: bool = False) -> dict[str, bool | int | str]:
    """The facts of a hand with a wrong number of cards."""
    seat = d.seats[number]
    return {
        "count": seat.dealt,
        "short": seat.dealt < dealing.HOLE_CARDS,
        "player_dealer": number == d.dealer_seat,
        "on_button": number == d.button,
        "button_short": number == d.button and seat.dealt == dealing.HOLE_CARDS - 1,
        "his_turn_passed": seat.acts > 0,
        "notice": notice,
        "absent": seat.absent,
    }


def acted_incomplete(d: HandState, number: int, court: Court) -> None:
    """A player acted on a hand that still lacks a card: he played on with it (ROPTA, TDA 37)."""
    seat = d.seats[number]
    seat.incomplete = False
    plan.drop(d, "deal", f"seat{number}")
    name = "dealer_short" if number == d.dealer_seat else "wrong_card_count"
    court.judge(d, Incident(name, seat=number, facts=count_facts(d, number) | {"his_turn_passed": True}))
