"""What the people at the table have set by themselves, over the document in force: who is away or out, a pause.

It counts until the document itself says something else of the same entry, and survives a restart (``notes.HereSet``).
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from table_controller import level_clock
from table_controller import messages as m
from table_controller.level_clock import LevelClock, Stage

PAUSE: Final = "pause"
FLOOR: Final = "floor"
BREAK: Final = "break"


class SeatWord(Struct, frozen=True, omit_defaults=True):
    """What the table says of one entry.

    Attributes:
        entry: Who.
        seat: Where he sits.
        stack: Chips that he brings, where the table has none on record; None: not known.
        absent: Not at his seat; dealt in as the rulebook has it.
        penalty: Hands still to miss.
        out: He has left the game; he is not dealt in any more.
        over: What the document said of him then; None: it did not have him.
    """

    entry: str
    seat: int
    stack: int | None = None
    absent: bool = False
    penalty: int | None = None
    out: bool = False
    over: m.DesiredSeat | None = None


class Here(Struct, frozen=True, omit_defaults=True):
    """All that the people at the table have set.

    Attributes:
        rev: Counts the changes.
        seats: Words of entries, one each.
        clock: The level clock; None until it was started once.
        paused: No hand begins and the clock stands still.
        floor: Somebody has called the floor, and nothing is decided yet.
        floor_call: Names that call for the hub: ``f<number>``.
        button: Seat of the button of the next hand, where it was put right between hands.
        deals_for: On a self-dealt table: (seat whose turn it is to deal, seat that deals instead).
        croupier: Somebody who does not play deals (a self-dealt table is dealt for).
        decks_away: Decks that were put away: a marked card, a missing one, a dead tag.
    """

    rev: int = 0
    seats: tuple[SeatWord, ...] = ()
    clock: LevelClock | None = None
    paused: bool = False
    floor: bool = False
    floor_call: int = 0
    button: int | None = None
    deals_for: tuple[tuple[int, int], ...] = ()
    croupier: bool = False
    decks_away: tuple[str, ...] = ()

    @property
    def call(self) -> str | None:
        """The id under which the call of people at the table travels; None while none is open."""
        return f"f{self.floor_call}" if self.floor else None

    def word(self, entry: str) -> SeatWord | None:
        """What the table says of an entry."""
        return next((word for word in self.seats if word.entry == entry), None)


def say(here: Here, word: SeatWord) -> Here:
    """Take a word of an entry in place of the one before."""
    others = tuple(other for other in here.seats if other.entry != word.entry)
    return msgspec.structs.replace(here, seats=(*others, word))


def seat_word(here: Here, desired: m.Desired, entry: str) -> SeatWord | None:
    """What is said of an entry now, by the table or else by the document; None: nobody knows him."""
    known = here.word(entry)
    if known is not None:
        return known
    seat = next((seat for seat in desired.seats if seat.entry == entry), None)
    return (
        None if seat is None else SeatWord(entry, seat.seat, seat.stack, seat.absent, seat.penalty, over=seat)
    )


def renewed(here: Here, desired: m.Desired) -> Here:
    """A new document has come: words of entries of whom it says something new have had their time."""
    told = {seat.entry: seat for seat in desired.seats}
    kept = tuple(word for word in here.seats if told.get(word.entry) == word.over)
    return here if kept == here.seats else msgspec.structs.replace(here, seats=kept)


def served(here: Here, desired: m.Desired, seats: frozenset[str]) -> Here:
    """These entries have missed a hand: of penalties that the table itself counts, one less is left."""
    words = list(here.seats)
    for place, word in enumerate(words):
        if word.entry in seats and word.penalty:
            words[place] = msgspec.structs.replace(word, penalty=word.penalty - 1 or None)
    if desired.epoch == 0:
        # No hub counts: penalties of the table's own file are counted here too.
        for seat in desired.seats:
            if seat.entry in seats and seat.penalty and here.word(seat.entry) is None:
                left = seat.penalty - 1 or None
                words.append(SeatWord(seat.entry, seat.seat, seat.stack, seat.absent, left, over=seat))
    return here if tuple(words) == here.seats else msgspec.structs.replace(here, seats=tuple(words))


def over(desired: m.Desired, here: Here, stages: tuple[Stage, ...], t: float) -> m.Desired:
    """The document with what the table says over it: what the next hand is composed of.

    Args:
        desired: The document in force.
        here: What the people at the table have set.
        stages: The structure of the table's own file; used while no hub has a say.
        t: Table time (s).
    """
    seats = {seat.entry: seat for seat in desired.seats}
    for word in here.seats:
        before = seats.pop(word.entry, None)
        if word.out:
            continue
        stack = word.stack if word.stack is not None or before is None else before.stack
        seats[word.entry] = m.DesiredSeat(
            seat=word.seat, entry=word.entry, stack=stack, absent=word.absent, penalty=word.penalty
        )
    hold = [*desired.hold]
    if here.paused:
        hold.append(PAUSE)
    if here.floor:
        hold.append(FLOOR)
    level, following = desired.level, desired.next_level
    if stages and desired.epoch == 0:
        now = level_clock.read(stages, here.clock or level_clock.begin(stages), t)
        level = level_clock.level_at(stages, now.place) or level
        following = level_clock.next_level(stages, now.place)
        if stages[now.place].level is None and now.since is not None:
            hold.append(BREAK)
    return msgspec.structs.replace(
        desired,
        seats=tuple(sorted(seats.values(), key=lambda seat: seat.seat)),
        hold=tuple(dict.fromkeys(hold)),
        level=level,
        next_level=following,
    )
