"""What a director does about a call of the floor, on the hub's thread: comes, rules, closes, notes one himself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from table_controller import messages as m
from tournament_hub.directing import Directing
from tournament_hub.errors import UnknownTable
from tournament_hub.logic import events as ev
from tournament_hub.logic import penalties
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.refusal import Refused
from tournament_hub.logic.state import faults_of
from tournament_hub.room import Room
from tournament_hub.web.calls_view import ALONE, NEEDS_SEAT
from tournament_hub.web.deciding import tournament_of
from tournament_hub.web.table_page_acts import directing_of
from tournament_hub.wording import SUIT_SIGNS

Penalty = Literal["", "book", "warning", "hand", "orbit", "two_orbits", "three_orbits", "four_orbits", "out"]
PENALTIES: Final[tuple[Penalty, ...]] = (
    "book",
    "warning",
    "hand",
    "orbit",
    "two_orbits",
    "three_orbits",
    "four_orbits",
    "out",
)
ORBITS: Final[tuple[Penalty, ...]] = ("orbit", "two_orbits", "three_orbits", "four_orbits")
CARDS: Final = frozenset(rank + suit for rank in "23456789TJQKA" for suit in "shdc")
_SIGNS: Final = {sign: suit for suit, sign in SUIT_SIGNS.items()}
_LABEL: Final = 120
COUNTS: Final = frozenset(("count", "chips"))
"""Calls whose ruling with an amount says what somebody's stack is."""


class Ruling(Struct, frozen=True, kw_only=True):
    """What is ruled.

    Attributes:
        code: a ruling's name; empty: words alone, and play goes on.
        text: in the director's words. ``article``: what it rests on.
        seats: whom it concerns at the table. ``amount``: chips that count for the first of them; ``pot``: for the pot.
        to_act: who goes on. ``cards``: which cards it is about, as everybody has seen them.
        penalty: for the first of these seats; ``book``: what its book has for the ``offence``, after what there was.
    """

    code: str = ""
    text: str = ""
    article: str = ""
    seats: tuple[int, ...] = ()
    amount: int | None = None
    pot: bool = False
    to_act: int | None = None
    cards: tuple[str, ...] = ()
    penalty: Penalty = ""
    offence: str = ""


class _Sentence(Struct, frozen=True):
    """What a penalty does, and where it is written."""

    effects: tuple[ev.Event, ...] = ()
    article: str = ""


def penalties_of(preset: Preset) -> tuple[Penalty, ...]:
    """What a director may give by this book."""
    span = range(preset.penalty_orbits_min, preset.penalty_orbits_max + 1)
    orbits = tuple(name for number, name in enumerate(ORBITS, 1) if number in span)
    short: tuple[Penalty, ...] = ("hand",) if preset.short_penalty else ()
    return ("book", "warning", *short, *orbits, "out")


def come(room: Room, tournament: str, call: str, rev: int, by: str, now: float) -> None:
    """Somebody is on his way.

    Raises:
        Refused: somebody else was faster.
    """
    if tournament != ALONE:
        tournament_of(room, tournament).calls.come(call, rev, by, now, room.utc)


def rule(room: Room, tournament: str, call: str, rev: int, ruling: Ruling, by: str, now: float) -> None:
    """Rule and close a call; the table learns of it by its target.

    Raises:
        Refused: somebody else has answered it; a seat or an amount is missing; an effect does not fit.
    """
    if ruling.code in NEEDS_SEAT and not ruling.seats:
        raise Refused("seat-needed", "whom it concerns is missing", where=call, hint="choose a seat")
    if ruling.code == "amount_corrected" and ruling.amount is None:
        raise Refused("amount-needed", "the amount is missing", where=call, hint="type the amount")
    if tournament == ALONE:
        _rule_alone(room, call, ruling, by)
        return
    directing = tournament_of(room, tournament)
    held = directing.state.calls.get(call)
    table = held.table if held is not None else None
    counts = held is not None and held.kind in COUNTS
    sentence = _sentence(directing, table, ruling)
    directing.calls.answer_call(
        call,
        rev,
        by,
        now,
        room.utc,
        code=ruling.code,
        text=ruling.text,
        article=ruling.article or sentence.article,
        effects=(*_stack(directing, table, ruling, counts), *sentence.effects),
        seats=ruling.seats,
        cards=ruling.cards,
        amounts=_amounts(ruling),
        to_act=ruling.to_act,
    )


def cards_of(text: str) -> tuple[str, ...]:
    """Cards as a thumb types them.

    >>> cards_of("9H 10d,A♠")
    ('9h', 'Td', 'As')

    Raises:
        Refused: something in it is no card.
    """
    found = []
    for part in text.replace(",", " ").split():
        card = part.replace("10", "T")
        suit = _SIGNS.get(card[-1], card[-1].lower())
        named = card[:-1].upper() + suit
        if named not in CARDS:
            raise Refused("no-card", "this is no card", where=part, hint="write 9h or Td")
        found.append(named)
    return tuple(dict.fromkeys(found))


def _amounts(ruling: Ruling) -> dict[str, int] | None:
    if ruling.amount is None or not (ruling.seats or ruling.pot):
        return None
    return {str(ruling.seats[0]) if ruling.seats else "pot": ruling.amount}


def _stack(directing: Directing, table: str | None, ruling: Ruling, counts: bool) -> Iterator[ev.Event]:
    """Where no device says it, a ruled count is the stack; a table with one tells its own, also after a ruling."""
    held = directing.state.tables.get(table or "")
    if not counts or held is None or held.device or ruling.amount is None or not ruling.seats:
        return
    entry = held.seats.get(ruling.seats[0])
    if entry is not None and directing.state.entries[entry].stack is not None:
        yield ev.Counted(entry=entry, stack=ruling.amount)


def _sentence(directing: Directing, table: str | None, ruling: Ruling) -> _Sentence:
    """What a penalty does in the tournament, within what the book knows; an offence of it is remembered.

    Raises:
        Refused: nobody is named, or the book has no such penalty.
    """
    if not ruling.penalty and not ruling.offence:
        return _Sentence()
    preset, held = directing.preset, directing.state.tables.get(table or "")
    entry_id = held.seats.get(ruling.seats[0]) if held is not None and ruling.seats else None
    if held is None or entry_id is None:
        raise Refused("seat-needed", "a penalty is somebody's", where=table or "", hint="choose a seat")
    entry = directing.state.entries[entry_id]
    what, article = ruling.penalty, ruling.article
    if what in ("", "book"):
        if ruling.offence not in preset.offences:
            raise Refused(
                "offence-needed", "the book is asked for nothing", where=entry_id, hint="choose a reason"
            )
        book = penalties.proposed(preset, ruling.offence, faults_of(directing.state, entry))
        what, article = _as_penalty(book), article or f"{book.article}; {book.scale}"
    told = ruling.offence or ruling.text or ruling.code
    if what == "out":
        return _Sentence((ev.Disqualified(entry=entry_id, reason=told),), article)
    players = len(held.seats)
    kind: penalties.Kind = "warning" if what == "warning" else "hands" if what == "hand" else "orbits"
    try:
        hands = 0
        if kind == "hands":
            hands = penalties.short_hands(preset, players, 1)
        elif kind == "orbits":
            hands = penalties.missed_hands(preset, players, 1 + ORBITS.index(what))
    except ValueError as error:
        raise Refused("penalty-book", str(error), where=entry_id, hint="choose another penalty") from error
    given = ev.PenaltySet(
        entry=entry_id,
        hands=entry.penalty + hands,
        warnings=entry.warnings + (kind == "warning"),
        offence=told,
        article=article,
        kind=kind,
    )
    return _Sentence((given,), article)


def _as_penalty(book: penalties.Proposed) -> Penalty:
    match book.kind:
        case "warning":
            return "warning"
        case "hands":
            return "hand"
        case "orbits":
            return ORBITS[min(book.orbits[0], len(ORBITS)) - 1]
        case "disqualification":
            return "out"


def _rule_alone(room: Room, call: str, ruling: Ruling, by: str) -> None:
    """A table that plays in no tournament: its alert is the call, the decision goes into its target all the same."""
    name, _, alert = call.partition("~")
    table, before = room.tables.get(name), room.store.desired(name)
    if table is None or before is None:
        raise UnknownTable("the room has no target for it", where=name, hint="name it in the configuration")
    if alert not in table.alerts or any(held.call == alert for held in before.decisions):
        raise Refused("call-changed", "it is answered by now", where=call, hint="look at it again")
    if not ruling.code and not ruling.text:
        raise Refused("no-ruling", "nothing is ruled", where=call, hint="choose a ruling or write one")
    note = "; ".join(part for part in (ruling.text, ruling.article) if part)
    decision = m.Decision(
        call=alert,
        choice=ruling.code or "play_on",
        by=by[:_LABEL],
        seats=ruling.seats,
        cards=ruling.cards,
        amounts=_amounts(ruling),
        to_act=ruling.to_act,
        note=note[:400] or None,
    )
    kept = tuple(held for held in before.decisions if held.call in table.alerts)
    room.change(name, by, "ruling", decisions=(*kept, decision))


def note_call(
    room: Room, table: str, kind: str, seat: int | None, hold: bool, by: str, now: float
) -> tuple[str, str]:
    """A person on the floor notes a call himself, for a table with or without a device; tournament and call come back."""
    directing = directing_of(room, table)
    call = directing.calls.make(kind, by, now, room.utc, table=table, seat=seat, hold=hold)
    return directing.id, call
