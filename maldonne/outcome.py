"""What a played hand came to, compared with its record; the same for every way of playing it."""

from collections.abc import Sequence

from msgspec import Struct

from engine.rulings import PotSummary, Ruling, Summary
from maldonne.phh import RecordedHand
from maldonne.texts import say

FLOP = 3


class WrongCard(Struct, frozen=True):
    """A card that the sensors took for another."""

    card: str
    sensed: str | None
    true: str


class Outcome(Struct, frozen=True):
    """One hand's result; stacks are in the file's player order, ``seats`` names their seats."""

    file: str
    ok: bool
    seats: tuple[int, ...]
    finishing_stacks: tuple[int | None, ...]
    expected_stacks: tuple[int, ...] | None
    board: tuple[str | None, ...]
    rulings: tuple[Ruling, ...]
    wrong_cards: tuple[WrongCard, ...]
    doubts: int
    differences: tuple[str, ...]


def lying_as(found: Sequence[str | None], true: Sequence[str | None]) -> tuple[str | None, ...]:
    """A board with the flop in the record's order: its three cards are turned together, an antenna knows no order of them.

    >>> lying_as(("9c", "Qd", "4d", "8d"), ("Qd", "4d", "9c", "8d"))
    ('Qd', '4d', '9c', '8d')
    """
    if None not in true[:FLOP] and sorted(map(str, found[:FLOP])) == sorted(map(str, true[:FLOP])):
        return (*true[:FLOP], *found[FLOP:])
    return tuple(found)


def compare(
    hand: RecordedHand,
    found: Summary,
    expected: Sequence[int] | None,
    language: str,
    *,
    rulings: tuple[Ruling, ...] = (),
    wrong_cards: tuple[WrongCard, ...] = (),
    doubts: int = 0,
    others: Sequence[str] = (),
) -> Outcome:
    """Set what came out beside what the record says.

    Args:
        hand: the record.
        found: the state when the hand was over.
        expected: the stacks that are due, in the file's player order; None when nobody knows.
        language: of the differences.
        rulings: all that were given in the hand.
        wrong_cards: what the sensors misread.
        doubts: how many doubts were shown to people.
        others: differences found elsewhere, in words.
    """
    stacks = tuple(found.stacks.get(str(seat)) for seat in hand.seats)
    differences = list(others)
    for seat, stack, due in zip(hand.seats, stacks, expected or (), strict=False):
        if stack is None:
            differences.append(say(language, "difference.stack_unknown", seat=seat, due=due))
        elif stack != due:
            differences.append(say(language, "difference.stack", seat=seat, found=stack, due=due))
    known = zip(lying_as(found.board, hand.board), hand.board, strict=False)
    if len(found.board) != len(hand.board) or any(due not in (None, card) for card, due in known):
        boards = [" ".join(card or "??" for card in board) or "–" for board in (found.board, hand.board)]
        differences.append(say(language, "difference.board", found=boards[0], due=boards[1]))
    for wrong in wrong_cards:
        differences.append(
            say(
                language,
                "difference.card",
                card=wrong.card,
                sensed=wrong.sensed or "–",
                true=wrong.true,
            )
        )
    return Outcome(
        file=hand.file,
        ok=not differences,
        seats=hand.seats,
        finishing_stacks=stacks,
        expected_stacks=tuple(expected) if expected is not None else None,
        board=found.board,
        rulings=rulings,
        wrong_cards=wrong_cards,
        doubts=doubts,
        differences=tuple(differences),
    )


def recorded_winners(hand: RecordedHand, found: Summary) -> dict[int, tuple[int, ...]]:
    """Find who won each pot from the record's finishing stacks, where cards were never shown.

    Gives pot number -> seats; empty when the record does not tell. A pot is won by those who can
    win it and whose gain it explains, the outermost pot first.
    """
    if hand.finishing_stacks is None:
        return {}
    gains: dict[int, int] = {}
    for seat, due in zip(hand.seats, hand.finishing_stacks, strict=True):
        stack = found.stacks.get(str(seat))
        if stack is None:
            return {}
        gains[seat] = due - stack
    order = list(hand.seats)
    return _explained(found.pots, gains, order) or {}


def _explained(
    pots: Sequence[PotSummary], gains: dict[int, int], order: list[int]
) -> dict[int, tuple[int, ...]] | None:
    """Explain the gains by the pots, trying the last pot's winners first; None when impossible."""
    if not pots:
        return {} if not any(gains.values()) else None
    *inner, pot = pots
    able = [seat for seat in order if seat in pot.seats and gains.get(seat, 0) > 0]
    for chosen in range(1, 1 << len(able)):
        winners = [seat for place, seat in enumerate(able) if chosen >> place & 1]
        each, odd = divmod(pot.amount, len(winners))
        left = dict(gains)
        for place, seat in enumerate(winners):
            left[seat] -= each + (place < odd)
        if min(left.values()) >= 0:
            found = _explained(inner, left, order)
            if found is not None:
                return {**found, len(inner): tuple(winners)}
    return None
