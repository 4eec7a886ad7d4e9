"""What the table writes into its journal beside the events: what it must remember over a restart, and questions.

A note is no input of the engine. Each is one JSON object that begins with its kind.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from engine.seating import Positions
from table_controller import messages as m
from table_controller.hand_start import LastHand
from table_controller.here import Here


class Note(Struct, frozen=True, kw_only=True, tag_field="note", omit_defaults=True):
    """What all notes share: the key ``note`` names the kind."""


class HandBegins(Note, frozen=True, kw_only=True, tag="hand_begins"):
    """Stands before a hand: all that the table needs to go on from here after a restart.

    Attributes:
        events: Engine events before this hand: the index of its first.
        phase, last_hand, misdeals, dealer_misdeals, shuffled_by: What the engine carries over.
        last: What the hand before left.
        positions, level, gate: What this one was composed of.
        present: Entries at the table, by seat.
        here: What the people at the table have set.
    """

    events: int
    phase: str
    last_hand: int
    misdeals: int
    dealer_misdeals: tuple[tuple[str, int], ...]
    shuffled_by: int | None
    last: LastHand
    positions: Positions
    level: m.Level
    gate: int | None
    present: dict[str, int]
    here: Here = Here()


class Asked(Note, frozen=True, kw_only=True, tag="asked"):
    """A sensed irregularity was put to people, or kept quiet; ``place`` is where it was seen.

    ``evidence`` names the senses that it rests on: ``antenna``, ``camera`` or both.
    """

    incident: str
    place: str
    question: str
    evidence: tuple[str, ...] = ()


class AskedEnd(Note, frozen=True, kw_only=True, tag="asked_end"):
    """What became of a question: ``yes``, ``no``, ``unanswered`` (play went on) or ``silent``; ``by``: who answered."""

    incident: str
    answer: str
    by: str = ""


class Read(Struct, frozen=True):
    """What an antenna had read last: how many tags, and how many seconds before; ``age`` None: nothing yet."""

    place: str
    cards: int
    age: float | None


class Sensed(Note, frozen=True, kw_only=True, tag="sensed"):
    """What the antennas had read of the places of an irregularity when it was ruled on or asked about."""

    incident: str
    reads: tuple[Read, ...]


class Passing(Note, frozen=True, kw_only=True, tag="passing"):
    """A card of a seat passed the muck, and it is not yet sure what of: a fold is not lost with the program."""

    seat: int


class Word(Note, frozen=True, kw_only=True, tag="word"):
    """A word was pressed whose chips are still to come."""

    button: str
    t: float


class HereSet(Note, frozen=True, kw_only=True, tag="here"):
    """The people at the table have set something: all of what they have set."""

    here: Here
    source: str = ""


class PutRight(Note, frozen=True, kw_only=True, tag="put_right"):
    """The table was out of step; what follows is the hand as people say that it stands."""

    source: str
    street: str
    seats: tuple[int, ...]
    button: int
    pot: int | None = None


class Consulted(Note, frozen=True, kw_only=True, tag="consulted"):
    """In light mode: people said what happened, and this is where the book answers it."""

    incident: str
    seats: tuple[int, ...]
    facts: dict[str, bool | int | str]
    article: str


AnyNote = HandBegins | Passing | Asked | AskedEnd | Sensed | Word | HereSet | PutRight | Consulted

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[AnyNote] = msgspec.json.Decoder(AnyNote)


def encode(note: AnyNote) -> bytes:
    """Write a note as one JSON object."""
    return _encoder.encode(note)


def decode(body: bytes) -> AnyNote | None:
    """Read a note; None for one of a later version."""
    try:
        return _decoder.decode(body)
    except msgspec.MsgspecError:
        return None
