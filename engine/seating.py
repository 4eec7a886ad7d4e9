"""Who has the button and the blinds next: the dead button, for the table and for the hub.

A table goes round its physical seats. What is kept from one hand to the next are three places:
the button, the small blind and the big blind. The big blind always moves on to the next player
and is never dead; small blind and button follow it and may fall on an empty place.

Sources: PPC 8.1, 8.2, 9; ROPTA dead button, heads-up; TDA 8-A, 10-A, 32, 34-B.
"""

from collections.abc import Collection, Iterable
from typing import Literal

from msgspec import Struct

from engine.errors import EngineError
from engine.events import HandStarted
from engine.vocabulary import MAX_SEAT

# Where a newcomer waits: strictly between button and small blind (TDA 8-A), or anywhere from
# behind the button up to and including the big blind until the button has passed him (PPC 9).
Entry = Literal["between_button_and_small_blind", "between_button_and_big_blind"]


class SeatingError(EngineError):
    """The next hand cannot be seated: too few players, or seats that no table has."""

    code = "seating"


class Positions(Struct, frozen=True):
    """Button and blinds of one hand as physical seats, and who is dealt in.

    ``button`` and ``small_blind`` may name an empty seat (dead button, dead small blind);
    ``players`` are dealt in, clockwise from the button's left with the button last; ``waiting``
    are the occupied seats that sit this hand out and post nothing.
    """

    button: int
    small_blind: int
    big_blind: int
    players: tuple[int, ...]
    waiting: tuple[int, ...] = ()

    @property
    def small_blind_seat(self) -> int | None:
        """The seat that posts the small blind, None when it is dead."""
        return self.small_blind if self.small_blind in self.players else None

    @property
    def dead_button(self) -> bool:
        """Whether the button lies before a place where nobody is dealt in."""
        return self.button not in self.players

    @property
    def heads_up(self) -> bool:
        """Whether two players are left: the small blind has the button."""
        return self.button == self.small_blind


def clockwise(start: int, seat: int) -> int:
    """Count the places from ``start`` clockwise to ``seat`` (0 when they are the same).

    >>> clockwise(9, 2), clockwise(2, 9), clockwise(4, 4)
    (3, 7, 0)
    """
    return (seat - start) % MAX_SEAT


def following(seat: int, among: Iterable[int]) -> int:
    """Give the first of ``among`` clockwise after ``seat``, ``seat`` itself last of all.

    >>> following(6, {1, 4, 6})
    1
    """
    return min(among, key=lambda other: (other - seat - 1) % MAX_SEAT)


def preceding(seat: int, among: Iterable[int]) -> int:
    """Give the last of ``among`` before ``seat``, ``seat`` itself last of all.

    >>> preceding(1, {1, 4, 6})
    6
    """
    return min(among, key=lambda other: (seat - other - 1) % MAX_SEAT)


def first_positions(button: int, occupied: Collection[int]) -> Positions:
    """Place button and blinds for a table's first hand, or after a new draw of the button.

    A button drawn for an empty place goes to the last player before it.

    >>> first_positions(3, {1, 3, 5, 8}).big_blind
    8
    >>> first_positions(3, {3, 8})
    Positions(button=3, small_blind=3, big_blind=8, players=(8, 3), waiting=())

    Raises:
        SeatingError: fewer than two players, or a place that no table has.
    """
    _check(occupied, (button,))
    if button not in occupied:
        button = preceding(button, occupied)
    if len(occupied) == 2:
        return _heads_up(following(button, occupied), occupied, ())
    small_blind = following(button, occupied)
    return _placed(button, small_blind, following(small_blind, occupied), occupied, ())


def next_positions(
    last: Positions,
    occupied: Collection[int],
    *,
    newcomers: Collection[int] = (),
    entry: Entry = "between_button_and_small_blind",
    misdealt: bool = False,
) -> Positions:
    """Move button and blinds on by one hand, with the dead button.

    Seats 1, 3 and 5 had button, small and big blind; seat 3 is out: the button is dead on 3, the
    old big blind pays the small blind and seat 8 the big blind.

    >>> last = Positions(button=1, small_blind=3, big_blind=5, players=(3, 5, 8, 1))
    >>> now = next_positions(last, {1, 5, 8})
    >>> now.button, now.dead_button, now.small_blind_seat, now.big_blind
    (3, True, 5, 8)

    Args:
        last: the hand before, as it was really played (a wrong button is not made good later).
        occupied: seats of entries that are in the tournament, present or not.
        newcomers: of these, the ones that came since the last hand.
        entry: where newcomers wait.
        misdealt: the last deal was a misdeal or the hand was void: everything stays.

    Raises:
        SeatingError: fewer than two players, or a place that no table has.
    """
    if misdealt:
        return last
    _check(occupied, newcomers)
    if entry == "between_button_and_big_blind":
        return _after_the_big_blind(last, occupied, newcomers)
    if len(occupied) == 2:
        return _heads_up(following(last.big_blind, occupied), occupied, ())
    button, small_blind, big_blind = _moved(last, occupied)
    waiting = [seat for seat in occupied if 0 < clockwise(button, seat) < clockwise(button, small_blind)]
    if len(occupied) - len(waiting) < 2:
        # One player alone was left of the last hand: the newcomers play, behind a live button.
        return _placed(_before(small_blind, big_blind, occupied), small_blind, big_blind, occupied, ())
    players = [seat for seat in occupied if seat not in waiting]
    return _placed(button, small_blind, big_blind, players, waiting)


def recall(hand: HandStarted) -> Positions:
    """Give the positions of a recorded hand.

    A dead small blind's place is not in the record. It lay before the big blind: the place just
    before it is taken, so that the next button is dead too, as it would have been.

    >>> from engine.events import SeatEntry
    >>> seats = (SeatEntry(1, 900), SeatEntry(4, 900), SeatEntry(7, 900))
    >>> hand = HandStarted(hand=7, button=1, seats=seats, small_blind=5, big_blind=10,
    ...                    small_blind_seat=None, big_blind_seat=7)
    >>> recall(hand).small_blind, recall(hand).small_blind_seat
    (6, None)

    Raises:
        SeatingError: fewer than two seats.
    """
    occupied = {entry.seat for entry in hand.seats}
    _check(occupied, ())
    button, small_blind, big_blind = hand.button, hand.small_blind_seat, hand.big_blind_seat
    if small_blind is None:
        if big_blind is None:
            big_blind = following(button, occupied)
        place = (big_blind - 2) % MAX_SEAT + 1
        return _placed(button, place, big_blind, occupied, ())
    if len(occupied) == 2:
        button = preceding(button % MAX_SEAT + 1, occupied)
        return _heads_up(big_blind or following(button, occupied), occupied, ())
    posts = small_blind if isinstance(small_blind, int) else following(button, occupied)
    return _placed(button, posts, big_blind or following(posts, occupied), occupied, ())


def hands_to_big_blind(positions: Positions, seat: int) -> int:
    """Count the hands until ``seat`` pays the big blind if nobody comes or goes (0: this hand).

    >>> hands_to_big_blind(Positions(1, 3, 5, players=(3, 5, 8, 1)), 1)
    2
    """
    seats = {*positions.players, *positions.waiting, seat}
    return sum(0 < clockwise(positions.big_blind, s) <= clockwise(positions.big_blind, seat) for s in seats)


def _check(occupied: Collection[int], others: Iterable[int]) -> None:
    wrong = [seat for seat in (*occupied, *others) if not 1 <= seat <= MAX_SEAT]
    if wrong:
        raise SeatingError(f"seat {wrong[0]} does not exist", hint=f"seats are 1 to {MAX_SEAT}")
    if len(set(occupied)) < 2:
        raise SeatingError(
            f"{len(set(occupied))} players at the table", hint="a hand needs two: balance or break the table"
        )


def _moved(last: Positions, occupied: Collection[int]) -> tuple[int, int, int]:
    """Move the three places on by one hand (three players or more)."""
    big_blind = following(last.big_blind, occupied)
    small_blind = last.big_blind
    button = last.small_blind
    if not 0 < clockwise(button, small_blind) < clockwise(button, big_blind):
        # Somebody came in behind the old blinds: the textbook rule would put the button past them.
        button = _before(small_blind, big_blind, occupied)
    return button, small_blind, big_blind


def _before(small_blind: int, big_blind: int, occupied: Collection[int]) -> int:
    """Give the last player before the small blind who does not pay the big blind."""
    return preceding(small_blind, [seat for seat in occupied if seat != big_blind])


def _heads_up(big_blind: int, players: Collection[int], waiting: Collection[int]) -> Positions:
    button = following(big_blind, players)
    return Positions(button, button, big_blind, (big_blind, button), tuple(sorted(waiting)))


def _placed(
    button: int, small_blind: int, big_blind: int, players: Collection[int], waiting: Collection[int]
) -> Positions:
    order = sorted(players, key=lambda seat: (seat - button - 1) % MAX_SEAT)
    return Positions(button, small_blind, big_blind, tuple(order), tuple(sorted(waiting)))


def _after_the_big_blind(last: Positions, occupied: Collection[int], newcomers: Collection[int]) -> Positions:
    """Seat the hand under PPC 9.

    The blinds go round among those who are in already. A newcomer sits out while he is between
    the button and the big blind, that one's place included; who waited comes in when the button
    has passed him.
    """
    reach = clockwise(last.button, last.small_blind)
    held = [
        seat
        for seat in occupied
        if seat in newcomers or (seat in last.waiting and not 0 < clockwise(last.button, seat) < reach)
    ]
    settled = [seat for seat in occupied if seat not in held]
    if len(settled) < 2:
        # Nobody could play: those who wait are let in at once.
        held, settled = [], list(occupied)
    if len(settled) == 2:
        big_blind = following(last.big_blind, settled)
        button = following(big_blind, settled)
    else:
        button, _, big_blind = _moved(last, settled)
    reach = clockwise(button, big_blind)
    waiting = [
        seat
        for seat in held
        if clockwise(button, seat) <= reach and (seat != button or seat not in newcomers)
    ]
    players = [seat for seat in occupied if seat not in waiting]
    if len(players) == 2:
        return _heads_up(following(last.big_blind, players), players, waiting)
    return _placed(*_moved(last, players), players, waiting)
