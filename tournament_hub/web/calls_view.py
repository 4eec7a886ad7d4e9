"""Calls of the floor as a director reads them: who calls where and since when, what is proposed, what else the books say.

Pure. What is proposed is what the table's own engine has on record: the ruling that somebody disputes, or, where the book
leaves it to the floor, what the books have for the incident.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from engine import referee, wording
from engine.rulings import INCIDENTS, RULINGS
from table_controller import messages as m
from table_controller.rulebook_files import hand_books
from tournament_hub.logic.state import State
from tournament_hub.tables import Tile
from tournament_hub.web.plan import Shown
from tournament_hub.web.referee import room_book

ALONE: Final = "-"
"""Stands in place of a tournament for a table that plays in none."""
CHOICES: Final = tuple(sorted(RULINGS - {"call_floor", "start_refused", "play_on"}))
"""Rulings that a director may give beside play on."""
NEEDS_SEAT: Final = frozenset(("hand_dead", "amount_corrected", "chips_forfeited", "penalty_reported"))
KINDS: Final = (
    "ruling",
    "pot_dispute",
    "count",
    "clock",
    "misdeal",
    "behaviour",
    "chips",
    "device_fault",
    "medical",
)


class Option(Struct, frozen=True):
    """One answer of a book: the ruling's name, what it says with its article, when, the steps, whose book (empty: ours)."""

    code: str
    text: str
    article: str
    condition: str = ""
    steps: tuple[str, ...] = ()
    books: str = ""


class CallView(Struct, frozen=True, kw_only=True):
    """A call that is not closed.

    Attributes:
        tournament: whose; ``-`` for a table that plays in none.
        call: its id. ``rev``: what two directors at once are kept apart by.
        origin: the table's own name of it; empty: a person on the floor noted it.
        seat: whose, with the ``name`` of who sits there.
        incident: what the engine calls it; empty: people have called.
        text: what the table says of it, in its own words.
        by: who is on his way.
        age: seconds since it was made; None: not known.
        book: the rulebook in force. ``ruling``: the newest ruling of the same hand.
        seats: who sits there, for the choice of whom it concerns.
        declared, counted: chips that were said and that were found, where it is about them.
    """

    tournament: str
    call: str
    rev: int
    table: str
    title: str
    kind: str
    device: bool = True
    origin: str = ""
    seat: int | None = None
    name: str = ""
    incident: str = ""
    text: tuple[str, str] | None = None
    state: str = "open"
    by: str = ""
    age: float | None = None
    hold: bool = False
    book: str = "standard"
    ruling: m.Ruling | None = None
    seats: tuple[tuple[int, str], ...] = ()
    declared: int | None = None
    counted: int | None = None

    @property
    def numbers(self) -> tuple[tuple[str, int], ...]:
        """What one tap may let stand: ``counted`` first, then ``declared``; each only where it is known."""
        told = (("counted", self.counted), ("declared", self.declared))
        return tuple((word, amount) for word, amount in told if amount is not None)


def calls_of(tiles: Sequence[Tile], tournaments: Sequence[Shown], now: float) -> list[CallView]:
    """Every call that is not closed, the oldest first; those whose age nobody knows at the end.

    Args:
        tiles: the tables that a program plays.
        tournaments: those that run.
        now: seconds on the hub's clock.
    """
    by_name = {tile.name: tile for tile in tiles}
    found = [view for shown in tournaments for view in _of_tournament(shown, by_name, now)]
    found.sort(key=lambda view: -(view.age or 0.0))
    played = {name for shown in tournaments for name in shown.state.tables}
    for tile in tiles:
        if tile.name not in played:
            found += _alone(tile)
    return found


def _of_tournament(shown: Shown, tiles: dict[str, Tile], now: float) -> Iterable[CallView]:
    state = shown.state
    for call in state.calls.values():
        if call.state == "closed":
            continue
        table = call.table or ""
        tile = tiles.get(table)
        seats = _seats(state, table, shown)
        alert = None if tile is None else next((a for a in tile.alerts if a.id == call.origin), None)
        yield CallView(
            tournament=shown.id,
            call=call.id,
            rev=call.rev,
            table=table,
            title=tile.title if tile is not None else table,
            device=tile is not None,
            kind=call.kind,
            origin=call.origin,
            seat=call.seat,
            name=dict(seats).get(call.seat or 0, ""),
            incident=call.incident,
            text=None if alert is None else (alert.text.fr, alert.text.en),
            state=call.state,
            by=shown.coming.get(call.id, ""),
            age=max(0.0, now + shown.offset - call.opened_at),
            hold=call.hold,
            book=(alert.rulebook if alert is not None else None) or state.settings.rulebook,
            ruling=_ruling(tile, call.hand),
            seats=seats,
            declared=call.declared,
            counted=call.counted,
        )


def _seats(state: State, table: str, shown: Shown) -> tuple[tuple[int, str], ...]:
    held = state.tables.get(table)
    if held is None:
        return ()
    return tuple((seat, shown.names.get(entry, entry)) for seat, entry in sorted(held.seats.items()))


def _alone(tile: Tile) -> Iterable[CallView]:
    """Calls of a table that plays in no tournament: its alerts are all that there is."""
    state = tile.state
    seats = tuple((seat.seat, seat.entry or "") for seat in state.seats) if state is not None else ()
    numbers = {call: (declared, counted) for call, declared, counted in tile.numbers}
    for alert in tile.alerts:
        if alert.kind in ("protocol", "journal", "other"):
            continue
        declared, counted = numbers.get(alert.id, (None, None))
        yield CallView(
            tournament=ALONE,
            call=f"{tile.name}~{alert.id}",
            rev=alert.rev,
            table=tile.name,
            title=tile.title,
            kind=alert.kind,
            origin=alert.id,
            seat=alert.seat,
            name=dict(seats).get(alert.seat or 0, ""),
            incident=alert.incident or "",
            text=(alert.text.fr, alert.text.en),
            book=alert.rulebook or "standard",
            hold=alert.hold,
            ruling=_ruling(tile, alert.hand),
            seats=seats,
            declared=declared,
            counted=counted,
        )


def _ruling(tile: Tile | None, hand: int | None) -> m.Ruling | None:
    """The newest ruling on record of the hand in which somebody called."""
    held = None if tile is None else tile.picture.ruling
    if held is None or (hand is not None and held.hand != hand):
        return None
    return held.ruling


# -- what the books say ----------------------------------------------------------------------


@lru_cache(2000)
def options_of(incident: str, book: str, language: str) -> tuple[Option, ...]:
    """What the book in force has for an incident, then what the other books have; a call of the floor is no answer."""
    if incident not in INCIDENTS:
        return ()
    ours = room_book(book)
    answer = referee.ask(ours, incident, {}, others=hand_books(), left=0)
    if not isinstance(answer, referee.Answer):
        return ()
    said = wording.say_answer(answer, language, sa=wording.spoken_term(ours), books=hand_books())
    found = [
        Option(case.row.ruling[0], told.text, case.row.article, told.condition, told.steps)
        for case, told in zip(answer.cases, said.cases, strict=True)
        if case.row.ruling and case.row.ruling[0] != "call_floor"
    ]
    for other, elsewhere in zip(answer.others, said.others, strict=True):
        found += [
            Option(case.row.ruling[0], text, case.row.article, condition, (), elsewhere.books)
            for case, (condition, text) in zip(other.cases, elsewhere.told, strict=True)
            if case.row.ruling and case.row.ruling[0] != "call_floor"
        ]
    return tuple(found)


def proposed(view: CallView, language: str, upheld: str) -> Option | None:
    """What is proposed for a call; None: nothing, somebody must look.

    Args:
        view: the call.
        language: of the reader.
        upheld: the words before a ruling that is proposed to stand.
    """
    if view.incident:
        found = options_of(view.incident, view.book, language)
        ours = [option for option in found if not option.books]
        clear = [option for option in found if not option.condition]
        if clear or len(ours) == 1:
            return clear[0] if clear else ours[0]
    ruling = view.ruling
    if ruling is None or ruling.ruling == "call_floor" or view.kind not in ("ruling", "misdeal"):
        return None
    return Option("play_on", upheld, ruling.article)
