"""A plan or a question that waits for the director, as data: what is said, what may be answered, what comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from tournament_hub.logic import events as ev


class Choice(Struct, frozen=True):
    """Something that a person may choose: text key, what fills it, what it does."""

    name: str
    values: Mapping[str, object] = {}
    events: tuple[ev.Event, ...] = ()


class Proposal(Struct, frozen=True, kw_only=True):
    """A plan or a question.

    Attributes:
        id: stays the same while the same thing is proposed.
        kind: ``break balance seat halt resume hand_for_hand round round_on runout end_hand_for_hand redraw button finish
            absence rebuy``, what people must see to (``decks colour_up_… ante_button ante_out ante_all_in ante_heads_up
            ante_not_heads_up``), or a question: ``next_big_blind unheard order hand_done lost stop restart count
            discrepancy mismatch``.
        values: what fills the text ``proposal.<kind>``.
        article: where it is written.
        effects: what "do" does; empty for a question.
        alternatives: "otherwise", or the answers to the question.
        question: whether it asks for a fact.
        later: somebody said "later".
    """

    id: str
    kind: str
    values: Mapping[str, object] = {}
    article: str = ""
    effects: tuple[ev.Event, ...] = ()
    alternatives: tuple[Choice, ...] = ()
    question: bool = False
    later: bool = False
