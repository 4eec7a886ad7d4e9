"""Hands in play: thrown, fouled, killed, shown, left; who is asked what he did."""

from engine import betting, showdown
from engine.events import Acted, CardExposed, CardMoved, HandShown, Presence, TimeExpired
from engine.incidents import board, deal
from engine.judging import Court
from engine.state import HandState, Incident
from engine.vocabulary import seat_of

PLAYED = ("preflop", "flop", "turn", "river")


def thrown(d: HandState, event: CardMoved, court: Court) -> None:
    """A card went from a seat over the muck: two of them in turn are a fold."""
    number = seat_of(event.from_)
    d.muck += 1
    if number is None or number not in d.seats:
        return
    seat = d.seats[number]
    in_muck = sum(1 for n, _ in d.mucked_by if n == number) + 1
    d.mucked_by += ((number, in_muck),)
    if not seat.live and d.plan:
        d.plan = tuple(order for order in d.plan if order.order != "muck" or order.seat != number)
    if not seat.live or d.phase not in (*PLAYED, "showdown", "dealing"):
        return
    hand = max(len(seat.cards), 2)
    if in_muck < min(hand, 2):
        return
    if d.phase == "showdown":
        showdown.mucked(d, number, court)
        return
    if len(d.in_hand()) == 1:
        return
    # Where nobody records whose turn it is, cards over the muck are a fold.
    unordered = d.betting == "rounds" or d.unknown_price
    if (d.to_act == number or (unordered and d.phase in PLAYED)) and not seat.incomplete:
        betting.acted(d, Acted(seat=number, said="fold"), court)
    else:
        touched_muck(d, number, court, by="owner" if event.by == "player" else event.by)


def touched_muck(d: HandState, number: int, court: Court, *, by: str, notice: bool = False) -> None:
    """A hand that was not to be folded now touched the muck."""
    facts: dict[str, bool | int | str] = {
        "thrown_by": by if by in ("owner", "dealer", "player") else "unknown",
        "all_in": d.seats[number].all_in,
        "notice": notice,
        "bet_called": bet_called(d, number),
    }
    if not notice:
        # The muck's antenna names the cards that touched it last.
        facts["identified"] = True
    court.judge(d, Incident("hand_touched_muck", seat=number, facts=facts))


def bet_called(d: HandState, number: int) -> str:
    """What became of the player's last action: nothing put in, uncalled bet or raise, called."""
    seat = d.seats[number]
    if d.aggressor != number or not seat.bet:
        return "nothing" if not seat.bet or d.aggressor is None else "called"
    others = max((d.seats[n].bet for n in d.order if n != number), default=0)
    if others >= seat.bet:
        return "called"
    return "uncalled_raise" if d.raises > 1 or d.street() == "preflop" else "uncalled_bet"


def turned_at_seat(d: HandState, event: CardMoved | CardExposed, court: Court) -> None:
    """A card of a hand in play shows its face after the deal."""
    place = event.to if isinstance(event, CardMoved) else event.at
    number = seat_of(place)
    if number is None or number not in d.seats:
        return
    deal.name_card(d, number, event.card)
    seat = d.seats[number]
    if not seat.live or d.phase not in PLAYED:
        if d.phase == "showdown" and seat.live and None not in seat.cards and len(seat.cards) == 2:
            cards = tuple(card for card in seat.cards if card is not None)
            showdown.shown(d, HandShown(seat=number, to="table", cards=cards), court)
        return
    if len(d.in_hand()) == 1 or (d.to_act is None and len(d.can_bet()) <= 1):
        return
    facts: dict[str, bool | int | str] = {"shown_to": "table", "in_deal": False}
    if event.by != "unknown":
        facts["by"] = event.by
    court.judge(d, Incident("tabled_early", seat=number, card=event.card, at=place, facts=facts))


def shown(d: HandState, event: HandShown, court: Court) -> None:
    """A hand was shown: at the showdown, to all before its time, or to one person."""
    if event.seat not in d.seats:
        return
    seat = d.seats[event.seat]
    for card in event.cards:
        deal.name_card(d, event.seat, card)
    if d.plan:
        d.plan = tuple(order for order in d.plan if order.order != "show" or order.seat != event.seat)
    decided = d.phase == "showdown" or len(d.in_hand()) == 1
    no_more_betting = d.to_act is None and len(d.can_bet()) <= 1 and d.phase in PLAYED
    if event.to == "table" and (decided or no_more_betting or not seat.live):
        showdown.shown(d, event, court)
        return
    if d.phase not in (*PLAYED, "dealing") or decided:
        return
    if event.to == "one":
        in_hand = event.to_seat is not None and event.to_seat in d.seats and d.seats[event.to_seat].live
        facts: dict[str, bool | int | str] = {
            "shown_to": "player_in_hand" if in_hand else "one",
            "on_purpose": True,
        }
        court.judge(d, Incident("hand_shown", seat=event.seat, facts=facts))
        return
    facts = {"shown_to": "table", "facing_bet": d.price > seat.bet, "by": "player"}
    court.judge(d, Incident("tabled_early", seat=event.seat, facts=facts))


def dropped_by_player(d: HandState, event: CardMoved, court: Court) -> None:
    """A card fell from a player's hand or seat."""
    number = seat_of(event.from_)
    if number is None or number not in d.seats or not d.seats[number].live:
        return
    if d.phase not in (*PLAYED, "dealing"):
        return
    if event.by == "dealer" and d.phase == "dealing" and not d.deal_judged:
        ordinal = (max(d.seats[number].dealt, 1) - 1) * len(d.order) + d.order.index(number) + 1
        deal.exposed(
            d, court, seat=number, card=event.card, by="dealer", at=event.to, ordinal=ordinal, dropped=True
        )
        return
    if event.face == "up":
        deal.name_card(d, number, event.card)
    facts: dict[str, bool | int | str] = {"by": "player"}
    court.judge(d, Incident("card_dropped_by_player", seat=number, card=event.card, at=event.to, facts=facts))


def presence(d: HandState, event: Presence, court: Court) -> None:
    """A player left his seat or came back."""
    if event.seat not in d.seats:
        return
    seat = d.seats[event.seat]
    if event.present:
        seat.away = False
        if d.phase == "dealing" and not seat.dead:
            seat.absent = False
        return
    seat.away = True
    if (d.phase == "dealing" and not d.off_deck) or (
        d.phase == "dealing" and court.book.term("absent_from") == "last_card"
    ):
        seat.absent = True
    elif d.phase in (*PLAYED, "dealing") and seat.live and len(d.in_hand()) > 1:
        court.judge(d, Incident("left_table", seat=event.seat, facts={"all_in": seat.all_in}))


def time_expired(d: HandState, event: TimeExpired, court: Court) -> None:
    """The clock on a player ran out."""
    if event.seat not in d.seats or d.to_act != event.seat:
        return
    seat = d.seats[event.seat]
    facing = betting.facing(d, seat)
    court.judge(d, Incident("time_expired", seat=event.seat, facts={"facing_bet": facing}))


def skipped_facts(d: HandState, court: Court, number: int) -> dict[str, bool | int | str]:
    """What was done after a player without him."""
    return {"facing_bet": d.price > d.seats[number].bet, **board.since(d, court, d.street_acts)}
