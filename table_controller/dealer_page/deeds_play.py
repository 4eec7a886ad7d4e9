"""Taps that say what happened in the hand: words of players, acts of the dealer, answers, irregularities."""

from __future__ import annotations

from typing import Final, get_args

import msgspec

from engine import events as ev
from engine.facts import FACTS
from engine.rulings import INCIDENTS
from engine.vocabulary import STREETS, Said
from table_controller import messages as m
from table_controller import notes
from table_controller.dealer_page import confirming
from table_controller.dealer_page.claiming import events_of
from table_controller.dealer_page.desk import Desk, Outcome, Refused, Wish
from table_controller.dealer_page.referee_says import Told, tell

_SAID: Final = frozenset(get_args(Said))
_ENDS: Final = ("misdeal", "hand_void")


def act(desk: Desk, wish: Wish) -> Outcome:
    """The player to act has spoken."""
    said = wish.fields.get("said", "")
    seat = wish.seat()
    if said not in _SAID:
        raise Refused("act")
    amount = None
    if said in ("bet", "raise") and desk.running.state.betting == "amounts":
        amount = wish.number("amount")
        if not amount:
            raise Refused("amount")
    event = ev.Acted(seat=seat, said=said, amount=amount)  # type: ignore[arg-type]
    desk.running.say_all((event,), wish.source)
    return Outcome()


def chips(desk: Desk, wish: Wish) -> Outcome:
    """The player to act has put chips forward and said nothing, or a word that does not fit them."""
    put = tuple(int(part) for part in wish.fields.get("chips", "").split(",") if part.isdigit())
    said = wish.fields.get("said") or None
    if not put or len(put) > 60 or sum(put) > 2**53 or (said is not None and said not in _SAID):
        raise Refused("amount")
    event = ev.Acted(
        seat=wish.seat(),
        chips=put,
        said=said,  # type: ignore[arg-type]
        amount=wish.number("amount") or None,
        word="before" if said else None,
    )
    desk.running.say_all((event,), wish.source)
    return Outcome()


def early(desk: Desk, wish: Wish) -> Outcome:
    """A player has spoken before his turn."""
    return act(desk, wish)


def done(desk: Desk, wish: Wish) -> Outcome:
    """The act that the page asks for is done."""
    picture = desk.picture()
    order = confirming.shown_act(picture.expects)
    if order is None:
        raise Refused("nothing_to_do")
    running = desk.running
    events = confirming.done(order, running.state, picture.cards_seen, running.fusion.hand)
    if events:
        running.say_all(events, wish.source)
    else:
        desk.see_to(order)
    return Outcome()


def close_round(desk: Desk, wish: Wish) -> Outcome:
    """The betting round is over."""
    events = confirming.closed(desk.running.state)
    if not events:
        raise Refused("nothing_to_do")
    desk.running.say_all(events, wish.source)
    return Outcome()


def shown(desk: Desk, wish: Wish) -> Outcome:
    """A hand was turned up at the showdown."""
    seat = wish.seat()
    event = ev.HandShown(seat=seat, to="table", cards=desk.running.fusion.hand(seat))
    desk.running.say_all((event,), wish.source)
    return Outcome()


def mucked(desk: Desk, wish: Wish) -> Outcome:
    """A player has thrown his hand away: a fold in turn, or instead of showing."""
    desk.running.say_all((ev.Acted(seat=wish.seat(), said="fold"),), wish.source)
    return Outcome()


def winners(desk: Desk, wish: Wish) -> Outcome:
    """People say who wins a pot."""
    seats = wish.seats()
    if not seats:
        raise Refused("seat")
    desk.running.say_all((ev.Winners(pot=wish.number("pot") or 0, seats=seats),), wish.source)
    return Outcome()


def pots(desk: Desk, wish: Wish) -> Outcome:
    """Everybody has taken what he has won: the hand is over."""
    if desk.running.state.phase != "showdown":
        raise Refused("nothing_to_do")
    desk.running.take_pots(wish.source)
    return Outcome()


def next_hand(desk: Desk, wish: Wish) -> Outcome:
    """The next hand begins."""
    running = desk.running
    before = running.state.hand, running.state.misdeals
    running.next_hand(wish.source)
    desk.seen_to = frozenset()
    if running.refused is None and (running.state.hand, running.state.misdeals) == before:
        raise Refused("hand_is_running")
    return Outcome()


def redeal(desk: Desk, wish: Wish) -> Outcome:
    """Everything went back, the deck is shuffled and cut: the hand is dealt again."""
    running = desk.running
    if running.state.phase != "void":
        raise Refused("nothing_to_do")
    running.say_all((ev.DeckShuffled(), ev.DeckCut()), wish.source)
    running.next_hand(wish.source)
    return Outcome()


def answer(desk: Desk, wish: Wish) -> Outcome:
    """A question of the engine is answered."""
    asked = next((order for order in desk.running.engine_expects if order.order == "ask"), None)
    fact, value = wish.fields.get("fact", ""), wish.fields.get("value", "")
    if asked is None or asked.fact != fact or value not in (asked.options or ()):
        raise Refused("changed")
    kind = FACTS[fact][0]
    told: bool | str = value == "yes" if kind == "flag" else value
    desk.running.say_all((ev.Answered(fact=fact, value=told, seat=asked.seat),), wish.source)
    return Outcome()


def sensed(desk: Desk, wish: Wish) -> Outcome:
    """A question of the sensors is answered: it was so, or not."""
    if desk.running.question is None:
        raise Refused("changed")
    desk.running.answer("yes" if wish.fields.get("value") == "yes" else "no", wish.source)
    return Outcome()


def claim(desk: Desk, wish: Wish) -> Outcome:
    """People say what happened; the rulebook in force answers."""
    name = wish.fields.get("incident", "")
    if name not in INCIDENTS:
        raise Refused("claim")
    seat = wish.seat() if wish.fields.get("seat") else None
    facts = _facts(wish.fields.get("facts", ""))
    picture = desk.picture()
    if picture.blind:
        _without_a_hand(desk, tell(picture.book, name, facts), seat, wish)
    else:
        covered = picture.cards_seen
        desk.running.say_all(events_of(name, seat, facts, picture.state, covered), wish.source)
    return Outcome()


def _facts(text: str) -> dict[str, bool | int | str]:
    """The facts of a claim, as the sheet has them.

    Raises:
        Refused: They are none.
    """
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, bool | int | str])
    except msgspec.DecodeError:
        raise Refused("claim") from None


def _without_a_hand(desk: Desk, told: Told, seat: int | None, wish: Wish) -> None:
    """Nobody follows the hand: what the book says is kept and told, and carried out as far as it ends something."""
    running = desk.running
    seats = (seat,) if seat is not None else ()
    running.note(notes.Consulted(incident=told.incident, seats=seats, facts=told.facts, article=told.article))
    running.tell(m.Incident(incident=told.incident, seats=seats, cards=()), wish.source)
    for ruling in told.rulings:
        running.tell(
            m.Ruling(
                ruling=ruling,
                incident=told.incident,
                rulebook=told.rulebook,
                article=told.article,
                seats=seats,
                orders=(),
            ),
            wish.source,
        )
        if ruling in _ENDS:
            running.say_all((ev.FloorDecided(choice=ruling, by=wish.by, note=told.article),), wish.source)
        elif ruling == "hand_dead" and seat is not None:
            running.say_all(
                (ev.FloorDecided(choice=ruling, by=wish.by, seats=seats, note=told.article),), wish.source
            )


def time(desk: Desk, wish: Wish) -> Outcome:
    """Somebody asks for the clock on the player to act."""
    seat = desk.running.state.to_act
    if seat is None:
        raise Refused("nobody_to_act")
    desk.running.say_all((ev.Claimed(claim="time", seat=seat),), wish.source)
    desk.ask_hub("clock", seat, None)
    return Outcome()


def expired(desk: Desk, wish: Wish) -> Outcome:
    """The time of the player to act has run out."""
    desk.running.say_all((ev.TimeExpired(seat=wish.seat()),), wish.source)
    return Outcome()


def undo(desk: Desk, wish: Wish) -> Outcome:
    """What was said last did not happen."""
    running = desk.running
    if wish.fields.get("of") != undo_key(running.undoable):
        raise Refused("changed")
    running.undo(wish.source)
    return Outcome()


def undo_key(events: tuple[ev.TableEvent, ...]) -> str:
    """Names what an undoing is of, so that it undoes nothing else.

    >>> undo_key(())
    ''
    """
    return ";".join(f"{type(event).__name__}@{event.t}:{getattr(event, 'seat', '')}" for event in events)


def understood(desk: Desk, wish: Wish) -> Outcome:
    """The last rulings have been read."""
    desk.put_away()
    return Outcome()


def count(desk: Desk, wish: Wish) -> Outcome:
    """The player to act asks for a count."""
    if desk.running.state.phase not in STREETS:
        raise Refused("nobody_to_act")
    desk.count()
    return Outcome()
