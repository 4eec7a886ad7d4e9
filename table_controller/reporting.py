"""What the engine made of an event, as the public stream and snapshot of the MQTT wire say it.

Everything is told by the difference between the state before and after, so an act that a ruling or a waiting act brought
about is told as well. No body carries a card that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine import events as ev
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling, Summary
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, STREET_CARDS
from table_controller import messages as m

_KINDS: Final = {"k": "check", "C": "call", "B": "bet", "R": "raise", "A": "raise", "f": "fold"}
_LABEL: Final = 120
_TEXT: Final = 400


def order_of(order: Order) -> m.Order:
    """The engine's order in the form of the wire."""
    return m.Order(
        order=order.order,
        to=order.to,
        count=order.count,
        card=order.card,
        from_=order.from_,
        face=order.face,
        what=order.what,
        by_seat=order.by_seat,
        seat=order.seat,
        amount=order.amount,
        seconds=order.seconds,
        text=order.text[:_TEXT] if order.text is not None else None,
        options=tuple(option[:_LABEL] for option in order.options) if order.options is not None else None,
        call=order.call,
        min=order.min,
        max=order.max,
        fact=order.fact,
        for_=order.for_,
    )


def bodies(
    event: ev.TableEvent,
    before: HandState,
    after: HandState,
    rulings: Iterable[Ruling],
    *,
    level: m.Level | None = None,
    gate: int | None = None,
) -> list[m.EventBody]:
    """What the public learns of one event, in the order in which it took effect.

    Args:
        event: What happened.
        before: The engine's state before it.
        after: The state after it.
        rulings: The rulings on it.
        level: The level stamped on a hand that begins.
        gate: The hand-for-hand value that it uses.
    """
    found: list[m.EventBody] = []
    if isinstance(event, ev.HandStarted):
        found += _hand_start(event, after, level, gate)
    elif isinstance(event, ev.CardMoved):
        found += _card_moved(event, before, after)
    elif isinstance(event, ev.HandShown):
        found += _tabled(event, after)
    elif isinstance(event, ev.Counted):
        declared = before.seats[event.seat].stack if event.seat in before.seats else None
        found.append(
            m.Counted(seat=event.seat, declared=declared, counted=event.amount, by=event.by[:_LABEL])
        )
    if not isinstance(event, ev.HandStarted):
        found += _actions(event, before, after)
        found += _board(before, after)
    found += _rulings(rulings)
    if after.phase == "void" and before.phase != "void":
        incident = next((r.incident for r in rulings if r.ruling in ("misdeal", "hand_void")), "hand_void")
        found.append(m.Misdeal(reason=incident))
    found += _awards(before, after)
    if after.phase == "over" and before.phase != "over" and before.hand:
        found.append(_hand_end(after))
    return found


def _hand_start(
    event: ev.HandStarted, after: HandState, level: m.Level | None, gate: int | None
) -> list[m.EventBody]:
    stamped = level or m.Level(
        n=0,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        ante=m.Ante(kind=event.ante.kind, amount=event.ante.amount),
    )
    found: list[m.EventBody] = [
        m.HandStart(
            hand=event.hand,
            level=stamped,
            button=event.button,
            sb=after.small_blind_seat,
            bb=after.big_blind_seat,
            seats=tuple(m.SeatStack(seat=s.seat, entry=s.entry, stack=s.stack) for s in event.seats),
            gate=gate,
        )
    ]
    if after.betting != "amounts":
        return found
    straddles = {straddle.seat for straddle in after.straddles}
    for number in after.order:
        seat = after.seats[number]
        if seat.start is None or seat.stack is None:
            continue
        ante = seat.start - seat.stack - seat.bet
        if ante:
            found.append(m.Post(seat=number, kind="ante", amount=ante))
        if not seat.bet:
            continue
        if number == after.small_blind_seat:
            found.append(m.Post(seat=number, kind="small_blind", amount=seat.bet))
        elif number == after.big_blind_seat:
            found.append(m.Post(seat=number, kind="big_blind", amount=seat.bet))
        elif number in straddles:
            found.append(m.Post(seat=number, kind="straddle", amount=seat.bet))
    return found


def _card_moved(event: ev.CardMoved, before: HandState, after: HandState) -> list[m.EventBody]:
    seat = SEAT_PLACES.get(event.to)
    if seat is not None and seat in after.seats and after.phase != "over":
        count = len(after.seats[seat].cards)
        if event.from_ == "deck" or count != len(before.seats[seat].cards):
            return [m.Dealt(seat=seat, n=count)]
    if len(after.burns) > len(before.burns):
        return [m.Burned(n=len(after.burns))]
    return []


def _tabled(event: ev.HandShown, after: HandState) -> list[m.EventBody]:
    seat = after.seats.get(event.seat)
    cards = tuple(card for card in event.cards if card is not None)
    if seat is None or event.to != "table" or not cards:
        return []
    return [m.Tabled(seat=event.seat, cards=cards)]


def _actions(event: ev.TableEvent, before: HandState, after: HandState) -> list[m.EventBody]:
    """Acts that took effect: that of the event first, then those that had waited for their turn."""
    letters = after.acts[len(before.acts) :]
    if after.hand != before.hand or (not letters and after.seats.keys() == before.seats.keys()):
        letters = letters if after.hand == before.hand else ""
    actors = [
        number
        for number in after.order
        if number in before.seats and after.seats[number].acts > before.seats[number].acts
    ]
    first = getattr(event, "seat", None)
    if first is None and isinstance(event, ev.CardMoved):
        first = SEAT_PLACES.get(event.from_)
    if first in actors:
        place = actors.index(first)
        actors = actors[place:] + actors[:place]
    found: list[m.EventBody] = []
    for number, letter in zip(actors, letters, strict=False):
        now, then = after.seats[number], before.seats[number]
        total = then.bet + now.paid - then.paid if after.betting == "amounts" else None
        all_in = now.all_in and letter not in "fk"
        found.append(
            m.Action(
                seat=number,
                kind=_KINDS.get(letter, "call"),  # type: ignore[arg-type]
                to=None if letter == "f" else total,
                all_in=all_in,
            )
        )
    return found


def _board(before: HandState, after: HandState) -> list[m.EventBody]:
    """A street lies complete, or a card of one that lay there unread has a name now."""
    if after.hand != before.hand or after.board == before.board:
        return []
    found: list[m.EventBody] = []
    end = 0
    for street in ("flop", "turn", "river"):
        end += STREET_CARDS[street]
        start = end - STREET_CARDS[street]
        cards = after.board[start:end]
        if len(cards) == STREET_CARDS[street] and cards != before.board[start:end]:
            found.append(m.Board(street=street, cards=cards))
    return found


def _rulings(rulings: Iterable[Ruling]) -> list[m.EventBody]:
    found: list[m.EventBody] = []
    told: set[tuple[str, tuple[int, ...], tuple[str, ...]]] = set()
    for ruling in rulings:
        key = (ruling.incident, ruling.seats, ruling.cards)
        if key not in told:
            told.add(key)
            # What a check of the deck misses is for the people at the table, not for the hall.
            cards = () if ruling.incident == "missing_card" else ruling.cards
            found.append(m.Incident(incident=ruling.incident, seats=ruling.seats, cards=cards))
        found.append(
            m.Ruling(
                ruling=ruling.ruling,
                incident=ruling.incident,
                rulebook=ruling.rulebook[:_LABEL],
                article=ruling.article[:_LABEL],
                seats=ruling.seats,
                amounts=ruling.amounts,
                penalty=ruling.penalty,
                official=ruling.official,
                orders=tuple(order_of(order) for order in ruling.orders),
            )
        )
    return found


def _awards(before: HandState, after: HandState) -> list[m.EventBody]:
    """Every pot as it is awarded: once, when all winners are known."""
    if after.hand != before.hand or not after.awards or before.awards:
        return []
    found: list[m.EventBody] = []
    known = after.betting == "amounts"
    for pot in sorted({number for number, _, _ in after.awards}):
        shares = [(seat, amount) for number, seat, amount in after.awards if number == pot]
        amounts = [amount for _, amount in shares]
        odd = shares[0][0] if known and len(shares) > 1 and max(amounts) != min(amounts) else None
        found.append(
            m.Award(
                pot=pot,
                seats=tuple(seat for seat, _ in shares),
                amounts=tuple(amount if known else None for amount in amounts),
                odd_chip_seat=odd,
            )
        )
    return found


def _hand_end(after: HandState) -> m.HandEnd:
    stacks = tuple(
        m.SeatStack(seat=number, entry=seat.entry, stack=seat.stack)
        for number, seat in sorted(after.seats.items())
    )
    busts = tuple(
        m.Bust(entry=seat.entry, start_stack=seat.start)
        for _, seat in sorted(after.seats.items())
        if seat.entry is not None and seat.stack == 0
    )
    return m.HandEnd(stacks=stacks, busts=busts)


def hand_void(after: HandState) -> m.HandEnd:
    """The end of a hand that does not count and is not dealt again."""
    return msgspec.structs.replace(_hand_end(after), busts=(), void=True)


def snapshot(
    state: HandState,
    summary: Summary,
    expects: Iterable[Order],
    *,
    rev: int,
    seq: int,
    level: m.Level | None,
    doubts: Iterable[m.DoubtAt],
    readable: Mapping[int, int | None],
    seated: Iterable[m.DesiredSeat],
    **more: object,
) -> m.TableState:
    """The table's full public snapshot.

    Args:
        state: The engine's state.
        summary: Its public summary.
        expects: The next acts.
        rev: Number of the snapshot.
        seq: The last public event in it.
        level: Level of the hand.
        doubts: What the sensors are not sure of.
        readable: Cards of each seat that are read now; None where nobody can see them.
        seated: Who sits at the table, dealt in or not.
        more: Further fields of `TableState`.
    """
    known = state.betting == "amounts"
    here = {seat.seat: seat for seat in seated}
    seats: list[m.StateSeat] = []
    for number in sorted({*state.seats, *here}):
        seat = state.seats.get(number)
        if seat is None:
            seats.append(
                m.StateSeat(seat=number, entry=here[number].entry, absent=here[number].absent, cards=None)
            )
            continue
        seats.append(
            m.StateSeat(
                seat=number,
                entry=seat.entry,
                absent=seat.absent,
                cards=len(seat.cards) if readable.get(number) is not None else None,
                folded=seat.folded,
                dead=seat.dead,
                all_in=seat.all_in,
            )
        )
    fields: dict[str, object] = {
        "rev": rev,
        "seq": seq,
        "hand": state.hand or None,
        "phase": summary.phase if state.hand else "idle",
        "button": state.button or None,
        "blinds": level,
        "seats": tuple(seats),
        "stacks": {number: seat.stack for number, seat in sorted(state.seats.items())},
        "bets": {number: seat.bet for number, seat in sorted(state.seats.items()) if seat.bet},
        "pots": tuple(m.Pot(amount=pot.amount if known else None, seats=pot.seats) for pot in summary.pots),
        "board": state.board,
        "to_act": state.to_act,
        "expects": tuple(order_of(order) for order in expects),
        "doubts": tuple(doubts),
    }
    return m.TableState(**fields, **more)  # type: ignore[arg-type]


def public_level(state: HandState, book: Rulebook, number: int) -> m.Level | None:
    """The level of the running hand, None before the first."""
    if not state.hand:
        return None
    return m.Level(
        n=number,
        small_blind=state.small_blind,
        big_blind=state.big_blind,
        ante=m.Ante(kind=state.ante.kind, amount=state.ante.amount),
    )
