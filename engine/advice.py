"""What the writer of a rulebook should look at again: the file can be used, but hardly means this."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from engine import cases, referee
from engine.rulebook import Row, Rulebook

# The steps that do what a ruling says: a row that rules it without any of them changes nothing at the table.
STEPS_OF: Final[dict[str, tuple[str, ...]]] = {
    "misdeal": ("void_deal",),
    "hand_void": ("void_deal",),
    "card_replaced": ("replace_at_end",),
    "burn_assigned": (
        "exposed_to_burn",
        "exposed_on_deck",
        "extra_on_deck",
        "first_board_card_burns",
        "second_burn_to_board",
        "second_burn_leads_flop",
        "last_board_card_burns_next",
        "mix_board_draw_burn",
        "mix_board_with_next",
    ),
    "burn_skipped": ("no_flop_burn",),
    "card_returned": ("extra_on_deck",),
    "card_set_aside": ("set_boxed_aside", "scrap_replaced"),
    "card_held_out": ("hold_out",),
    "street_redealt": ("street_back", "flop_redealt", "street_redealt", "other_deck_out"),
    "stub_rebuilt": ("rebuild_stub", "new_stub", "new_stub_with_mixed", "reshuffle_shown"),
    "hand_dead": ("kill_hand", "forfeit", "check_or_fold"),
    "bets_returned": ("refund_uncalled", "refund_all", "street_bets_back"),
    "chips_forfeited": ("forfeit",),
    "pot_split": ("split_pot",),
    "start_refused": ("refuse_deck",),
}


class Remark(Struct, frozen=True):
    """One remark: ``code`` is ``never-used``, ``no-step`` or ``many-questions``.

    ``line`` is that of the row in the book's own file; ``names`` what the remark names: the steps
    that would do it, or how many questions.
    """

    code: str
    incident: str
    line: int
    ruling: str = ""
    names: tuple[str, ...] = ()


def remarks(book: Rulebook) -> tuple[Remark, ...]:
    """Look through a book's own rows, in the order of the file."""
    found = [*_never_used(book), *_without_steps(book), *_many_questions(book)]
    return tuple(sorted(found, key=lambda remark: (remark.line, remark.code, remark.incident)))


def _own(book: Rulebook) -> Iterator[Row]:
    for rows in book.rows.values():
        yield from (row for row in rows if row.rulebook == book.id)


def _never_used(book: Rulebook) -> Iterator[Remark]:
    for row in cases.never_used(book):
        yield Remark("never-used", row.incident, row.line)


def _without_steps(book: Rulebook) -> Iterator[Remark]:
    for row in _own(book):
        for ruling in row.ruling:
            steps = STEPS_OF.get(ruling)
            # A betting act is worked by how it counts.
            if steps is not None and row.read_as is None and not set(steps) & set(row.do):
                yield Remark("no-step", row.incident, row.line, ruling, steps)


def _many_questions(book: Rulebook) -> Iterator[Remark]:
    own = {row.incident: row.line for row in reversed([*_own(book)])}
    for group in referee.GROUPS:
        for picked in referee.picks(group):
            incident = picked.partition(".")[0]
            needed = referee.deepest(book, picked) if incident in own else 0
            if needed > referee.QUESTIONS:
                yield Remark("many-questions", incident, own[incident], names=(str(needed),))
