"""A hand in words, from its events as the table published them: who sat there, what happened street by street, how it ended.

Pure. Nothing is in here that was not said aloud at the table: cards are those of the board, those that lay open for all,
and hands that were shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec
from msgspec import Struct

from table_controller import messages as m
from tournament_hub.store_history import Ended, Found, Stretch
from tournament_hub.wording import Saying, say_event

STREETS = ("preflop", "flop", "turn", "river", "showdown")
_MARKS = (("button", "button"), ("sb", "small_blind"), ("bb", "big_blind"))


class Sat(Struct, frozen=True):
    """Who was dealt in: stack before and after (None: not known), what he showed, whether he is out after it."""

    seat: int
    entry: str | None
    name: str
    start: int | None
    end: int | None
    marks: tuple[str, ...]
    shown: tuple[str, ...]
    folded: bool
    won: bool
    out: bool

    @property
    def change(self) -> int | None:
        """What the hand brought him; None where stacks are not recorded."""
        return None if self.start is None or self.end is None else self.end - self.start


class Told(Struct, frozen=True):
    """One line: its tone as in the log, and what is said. ``gone``: it was undone afterwards."""

    tone: str
    saying: Saying
    gone: bool = False


class Ruled(Struct, frozen=True):
    """A ruling with its place in the hand. ``gone``: it was undone afterwards; ``by``: who decided, where a person did."""

    ruling: m.Ruling
    street: str
    gone: bool
    cause: str | None


class Street(Struct, frozen=True):
    """A part of the hand: its board cards, its lines."""

    name: str
    cards: tuple[str | None, ...]
    lines: tuple[Told, ...]


class HandView(Struct, frozen=True, kw_only=True):
    """One hand. ``misdeals``: deals that were taken back; ``began``: the label of the wall clock at its start."""

    table: str
    life: str
    number: int
    level: m.Level | None
    seats: tuple[Sat, ...]
    board: tuple[str | None, ...]
    streets: tuple[Street, ...]
    rulings: tuple[Ruled, ...]
    over: bool
    void: bool
    misdeals: int
    began: str


class Row(Struct, frozen=True, kw_only=True):
    """One hand in a list."""

    number: int
    life: str
    utc: str
    void: bool
    board: tuple[str | None, ...]
    winners: tuple[tuple[int, int | None], ...]
    rulings: int
    outs: tuple[str, ...]


def hand_view(found: Found, names: Mapping[str, str]) -> HandView:
    """Draw up one hand.

    Args:
        found: its events.
        names: entry → what people are called.
    """
    return view_of(found.table, found.life, found.hand, _events(found.payloads), names, over=found.over)


def view_of(
    table: str,
    life: str,
    number: int,
    events: Iterable[m.Event],
    names: Mapping[str, str],
    *,
    over: bool,
) -> HandView:
    """Draw up one hand from its events in order."""
    told = list(events)
    undone = {event.amends for event in told if isinstance(event.body, m.Annulled)}
    streets: dict[str, list[Told]] = {"preflop": []}
    cards: dict[str, tuple[str | None, ...]] = {}
    street, rulings, misdeals, began = "preflop", [], 0, ""
    start: m.HandStart | None = None
    end: m.HandEnd | None = None
    for event in told:
        body, gone = event.body, event.seq in undone
        match body:
            case m.HandStart():
                start, began = body, began or event.utc
            case m.Board():
                street = body.street
                told_before = street in cards
                cards[street] = body.cards
                if not told_before:
                    streets.setdefault(street, [])
                    continue  # the heading of the street shows its cards
            case m.Tabled() if street != "showdown":
                street = "showdown"
            case m.Award():
                street = "showdown"
            case m.Misdeal():
                misdeals, street, cards = misdeals + 1, "preflop", {}
            case m.HandEnd():
                street, end = "showdown", body
            case m.Ruling():
                rulings.append(Ruled(body, street, gone, event.cause))
        lines = streets.setdefault(street, [])
        lines += [Told(tone, saying, gone) for tone, saying in say_event(event)]
    laid = tuple(card for name in STREETS for card in cards.get(name, ()))
    return HandView(
        table=table,
        life=life,
        number=number,
        level=start.level if start is not None else None,
        seats=tuple(_seats(start, end, told, names)),
        board=laid,
        streets=tuple(
            Street(name, cards.get(name, ()), tuple(streets.get(name, ())))
            for name in STREETS
            if streets.get(name) or name in cards
        ),
        rulings=tuple(rulings),
        over=over,
        void=end.void if end is not None else False,
        misdeals=misdeals,
        began=began,
    )


def _seats(
    start: m.HandStart | None, end: m.HandEnd | None, events: list[m.Event], names: Mapping[str, str]
) -> Iterator[Sat]:
    if start is None:
        return
    bodies = [event.body for event in events]
    shown = {body.seat: body.cards for body in bodies if isinstance(body, m.Tabled)}
    folded = {body.seat for body in bodies if isinstance(body, m.Action) and body.kind == "fold"}
    won = {seat for body in bodies if isinstance(body, m.Award) for seat in body.seats}
    stacks = {held.seat: held.stack for held in end.stacks} if end is not None else {}
    busts = {bust.entry for bust in end.busts} if end is not None else set()
    for held in start.seats:
        marks = tuple(mark for field, mark in _MARKS if getattr(start, field) == held.seat)
        yield Sat(
            held.seat,
            held.entry,
            names.get(held.entry or "", held.entry or ""),
            held.stack,
            stacks.get(held.seat),
            marks,
            shown.get(held.seat, ()),
            held.seat in folded,
            held.seat in won,
            held.entry in busts,
        )


def rows_of(stretch: Stretch, names: Mapping[str, str]) -> list[Row]:
    """The hands of a page, newest first."""
    by_hand: dict[tuple[str, int], list[m.Event]] = {}
    for life, payloads in stretch.payloads.items():
        for event in _events(payloads):
            if event.hand is not None:
                by_hand.setdefault((life, event.hand), []).append(event)
    return [_row(each, by_hand.get((each.life, each.hand), []), names) for each in stretch.hands]


def _row(ended: Ended, events: list[m.Event], names: Mapping[str, str]) -> Row:
    board: dict[str, tuple[str | None, ...]] = {}
    winners: list[tuple[int, int | None]] = []
    rulings = 0
    undone = {event.amends for event in events if isinstance(event.body, m.Annulled)}
    for event in events:
        match event.body:
            case m.Board(street=street, cards=cards):
                board[street] = cards
            case m.Misdeal():
                board.clear()
            case m.Award(seats=seats, amounts=amounts):
                known = (*amounts, *[None] * len(seats))
                winners += zip(seats, known, strict=False)
            case m.Ruling() if event.seq not in undone:
                rulings += 1
    return Row(
        number=ended.hand,
        life=ended.life,
        utc=ended.utc,
        void=ended.void,
        board=tuple(card for name in STREETS for card in board.get(name, ())),
        winners=tuple(winners),
        rulings=rulings,
        outs=tuple(names.get(bust.entry, bust.entry) for bust in ended.result.busts),
    )


def _events(payloads: Iterable[bytes]) -> Iterator[m.Event]:
    """What can be read of them: an event that was blacked out is still an event."""
    for payload in payloads:
        try:
            yield m.decode_event(payload)
        except (m.MessageError, msgspec.MsgspecError):
            continue


def clock_time(utc: str) -> str:
    """The hour in the hall's own time zone, for people.

    >>> len(clock_time("2024-05-01T20:00:00Z")), clock_time("soon")
    (5, '')
    """
    try:
        return datetime.fromisoformat(utc).astimezone().strftime("%H:%M")
    except ValueError:
        return ""
