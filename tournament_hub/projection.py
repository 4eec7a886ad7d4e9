"""What a table's events say, as one small picture: the hand, the seats, the last ruling, what it has finished.

Pure: the same events give the same picture, so it can be made again from the record at any time.
"""

from __future__ import annotations

import msgspec

from table_controller import messages as m
from table_controller.messages.vocabulary import Card, Chips, Count, EntryId, Seat


class LastRuling(msgspec.Struct, frozen=True, kw_only=True):
    """The newest ruling of a table; ``seq`` is its event, ``hand`` the hand in which it was given."""

    seq: int
    hand: int | None
    ruling: m.Ruling


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the hub knows of a table from its events alone.

    Attributes:
        hand: number of the hand that runs, or of the last one.
        running: whether a hand runs.
        level, button, small_blind_seat, big_blind_seat: as the hand's start said.
        seats: who sits where; the stack after the last hand, None where not known.
        board: faces on the board; None for one that no sensor could read.
        ruling: the newest ruling that stands.
        hands: hands that were finished and count.
        voided: hands that were finished and do not count.
        misdeals: deals that were taken back.
        busts: entries that ran out of chips here, in order.
        serial: number of events in the picture.
    """

    hand: Count | None = None
    running: bool = False
    level: m.Level | None = None
    button: Seat | None = None
    small_blind_seat: Seat | None = None
    big_blind_seat: Seat | None = None
    seats: tuple[m.SeatStack, ...] = ()
    board: tuple[Card | None, ...] = ()
    ruling: LastRuling | None = None
    hands: Count = 0
    voided: Count = 0
    misdeals: Count = 0
    busts: tuple[EntryId, ...] = ()
    serial: Count = 0


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a hand's end brings into the record of results."""

    hand: Count | None
    stacks: tuple[m.SeatStack, ...]
    busts: tuple[m.Bust, ...]
    void: bool
    amends: int | None


def reduce_event(picture: Picture, event: m.Event) -> Picture:
    """The picture after one more event."""
    change = _change(picture, event)
    return msgspec.structs.replace(picture, serial=picture.serial + 1, **change)


def result_of(event: m.Event) -> Result | None:
    """The result that an event brings, if it ends a hand."""
    body = event.body
    if not isinstance(body, m.HandEnd):
        return None
    return Result(hand=event.hand, stacks=body.stacks, busts=body.busts, void=body.void, amends=event.amends)


def _change(picture: Picture, event: m.Event) -> dict[str, object]:
    match event.body:
        case m.HandStart() as start:
            return {
                "hand": start.hand,
                "running": True,
                "level": start.level,
                "button": start.button,
                "small_blind_seat": start.sb,
                "big_blind_seat": start.bb,
                "seats": start.seats,
                "board": (),
            }
        case m.Board(street="flop", cards=cards):
            return {"board": cards}
        case m.Board(street=street, cards=cards):
            before = 3 if street == "turn" else 4
            return {"board": (*picture.board[:before], *cards)}
        case m.Ruling() as ruling:
            return {"ruling": LastRuling(seq=event.seq, hand=event.hand, ruling=ruling)}
        case m.Misdeal():
            return {"misdeals": picture.misdeals + 1, "board": ()}
        case m.HandEnd(stacks=stacks, busts=busts, void=void):
            known = {bust.entry for bust in busts} | set(picture.busts)
            new = tuple(
                bust.entry for bust in busts if bust.entry not in picture.busts and bust.entry in known
            )
            if event.amends is not None:  # a correction of a hand that is already counted
                return {"seats": stacks or picture.seats, "busts": (*picture.busts, *new)}
            return {
                "running": False,
                "seats": stacks or picture.seats,
                "busts": (*picture.busts, *new),
                "hands": picture.hands + (not void),
                "voided": picture.voided + void,
            }
        case m.Counted(seat=seat, counted=counted):
            return {"seats": _with_stack(picture.seats, seat, counted)}
        case m.Arrive(seat=int(seat), entry=entry, stack=stack):
            others = tuple(held for held in picture.seats if held.seat != seat)
            seats = (*others, m.SeatStack(seat=seat, entry=entry, stack=stack))
            return {"seats": tuple(sorted(seats, key=lambda held: held.seat))}
        case m.Depart(entry=entry):
            return {"seats": tuple(held for held in picture.seats if held.entry != entry)}
        case m.Annulled() if picture.ruling is not None and event.amends == picture.ruling.seq:
            return {"ruling": None}
        case _:
            return {}


def _with_stack(seats: tuple[m.SeatStack, ...], seat: Seat, stack: Chips) -> tuple[m.SeatStack, ...]:
    return tuple(
        m.SeatStack(seat=held.seat, entry=held.entry, stack=stack) if held.seat == seat else held
        for held in seats
    )
