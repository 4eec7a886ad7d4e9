"""The words that every message is made of: seats, chips, cards, ids, times.

Each is an annotated type, so that decoding refuses what is out of bounds and the JSON Schema says the bound.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

#: Major version of the protocol: it stands in the topic root and in every event as `v`.
MAJOR = 1
#: Minor version: goes up with every optional field or new event type; announced in the birth message.
SCHEMA_MINOR = 1


def _whole(pattern: str) -> str:
    """A pattern that must match the whole text; Python's `$` alone would let a trailing newline through."""
    return rf"^{pattern}$(?!\n)"


ID_PATTERN = "[a-z0-9][a-z0-9_-]{0,31}"

#: A club, table, alert, transaction or tournament id: it may stand in a topic.
Id = Annotated[str, Meta(pattern=_whole(ID_PATTERN), description="may stand in a topic")]
#: An entry of a tournament: never a person's name.
EntryId = Annotated[
    str, Meta(pattern=_whole("[A-Za-z0-9][A-Za-z0-9._-]{0,31}"), description="an entry id, never a name")
]
#: An open vocabulary (incident, ruling, reason, code): a later minor version may add words.
Slug = Annotated[str, Meta(pattern=_whole("[a-z][a-z0-9_]{0,47}"))]
#: The journal database's own id: 128 random bits, hex.
Life = Annotated[str, Meta(pattern=_whole("[0-9a-f]{32}"), description="made with the journal database")]
#: SHA-256, hex.
Hash = Annotated[str, Meta(pattern=_whole("[0-9a-f]{64}"))]
#: Starts of the table's program with this journal, from 1.
Boot = Annotated[int, Meta(ge=1, le=2**53 - 1)]
#: Connections since the program's start, from 1.
Conn = Annotated[int, Meta(ge=1, le=2**53 - 1)]
#: Place in the table's public event stream: from 1, gapless per life.
Seq = Annotated[int, Meta(ge=1, le=2**53 - 1)]
#: A count, a cursor, a revision: from 0.
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Seat = Annotated[int, Meta(ge=1, le=10)]
#: Whole chips.
Chips = Annotated[int, Meta(ge=0, le=2**53 - 1)]
#: A card that everybody may know: rank then suit.
Card = Annotated[
    str,
    Meta(pattern=_whole("[2-9TJQKA][shdc]"), description="rank then suit, only of cards seen by the table"),
]
#: A place of cards or chips: deck, seat3, board, burn, muck, bet3, pot, ...
Place = Annotated[str, Meta(pattern=_whole("[a-z][a-z_]{1,15}([1-9]|10)?"))]
#: Wall clock, ISO 8601 in UTC. A label for people: never ordered or subtracted between tables.
Utc = Annotated[str, Meta(pattern=_whole(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|\+00:00)"))]
#: Seconds on the table's monotonic clock.
Seconds = Annotated[float, Meta(ge=0, le=1e12)]
#: A line that a person reads.
Text = Annotated[str, Meta(max_length=400)]
#: A name of software, firmware, article or rulebook: short free text.
Label = Annotated[str, Meta(max_length=120)]

Phase = Literal["idle", "dealing", "preflop", "flop", "turn", "river", "showdown", "over", "void", "floor"]
Street = Literal["flop", "turn", "river"]
AnteKind = Literal["none", "classic", "big_blind", "button"]
Limit = Literal["no_limit", "pot_limit", "fixed_limit"]
LifeState = Literal["init", "ready", "fault", "sleeping", "disconnected", "lost"]
DeviceState = Literal["ok", "degraded", "stale", "lost", "absent"]
