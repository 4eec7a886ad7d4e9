"""Table events: what happened at the table, the engine's only input.

One struct per event of the contract; the key ``event`` names the kind. Unknown fields are
refused. ``t`` is seconds on the table's monotonic clock; events of one scan cycle share a
``group`` and their order inside it is unknown.
"""

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.errors import MalformedEvent
from engine.rulings import INCIDENTS
from engine.vocabulary import (
    AnteKind,
    Betting,
    By,
    Card,
    CardPlace,
    ChipPlace,
    Chips,
    Face,
    Limit,
    Said,
    SeatNumber,
    SeenBy,
    Word,
)

# Claims in a dealer's words, beside the names of the incidents themselves.
CLAIMS = INCIDENTS | {"skipped", "card_seen", "foul_hand", "board_moved", "see_hand", "time"}


class Event(
    Struct,
    frozen=True,
    kw_only=True,
    tag_field="event",
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"from_": "from"},
):
    """What every event may carry."""

    t: float | None = None
    group: int | str | None = None


class SeatEntry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A seat that takes part in the hand; ``stack`` is None where betting is not recorded."""

    seat: SeatNumber
    stack: Chips | None
    absent: bool = False
    entry: str | None = None


class Ante(Struct, frozen=True, forbid_unknown_fields=True):
    """The ante of the level: who pays it and how much."""

    kind: AnteKind = "none"
    amount: Chips = 0


class Straddle(Struct, frozen=True, forbid_unknown_fields=True):
    """A voluntary blind posted before the cards (cash games)."""

    seat: SeatNumber
    amount: Chips


class HandStarted(Event, frozen=True, kw_only=True, tag="hand_started"):
    """A hand begins; blinds and antes are posted by it."""

    hand: int
    button: SeatNumber
    seats: tuple[SeatEntry, ...]
    small_blind: Chips
    big_blind: Chips
    ante: Ante = Ante()
    small_blind_seat: SeatNumber | None | msgspec.UnsetType = msgspec.UNSET
    big_blind_seat: SeatNumber | None = None
    straddles: tuple[Straddle, ...] = ()
    dealer_seat: SeatNumber | None = None
    dealer: str | None = None
    deck: str | None = None
    limit: Limit = "no_limit"
    smallest_chip: Chips = 1
    betting: Betting = "amounts"
    chips: Literal["declared", "sensed"] = "declared"
    rulebook: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no table can be: no seats, a seat twice, a chip of nothing."""
        numbers = [entry.seat for entry in self.seats]
        if not numbers:
            raise ValueError("seats is empty: name at least one seat")
        if len(set(numbers)) != len(numbers):
            raise ValueError("seats names a seat twice")
        if self.smallest_chip < 1:
            raise ValueError("smallest_chip must be at least 1")
        if self.big_blind_seat is not None and self.big_blind_seat not in numbers:
            raise ValueError(f"big_blind_seat {self.big_blind_seat} is not among seats")
        if isinstance(self.small_blind_seat, int) and self.small_blind_seat not in numbers:
            raise ValueError(f"small_blind_seat {self.small_blind_seat} is not among seats")
        if self.dealer_seat is not None and self.dealer_seat not in numbers:
            raise ValueError(f"dealer_seat {self.dealer_seat} is not among seats")
        for straddle in self.straddles:
            if straddle.seat not in numbers:
                raise ValueError(f"straddle of seat {straddle.seat}, which is not among seats")


class CardMoved(Event, frozen=True, kw_only=True, tag="card_moved"):
    """A card went from a place to a place; turned where it lies when both are the same."""

    card: Card | None
    from_: CardPlace
    to: CardPlace
    face: Face | None = None
    by: By = "dealer"
    deck: str | None = None


class CardExposed(Event, frozen=True, kw_only=True, tag="card_exposed"):
    """A card showed its face where it is or in passing (flashed, turned, boxed)."""

    card: Card | None
    at: CardPlace
    by: By = "unknown"
    seen_by: SeenBy = "all"


class DeckShuffled(Event, frozen=True, kw_only=True, tag="deck_shuffled"):
    """The deck, or what is to be dealt from, was shuffled."""

    by_seat: SeatNumber | None = None


class DeckCut(Event, frozen=True, kw_only=True, tag="deck_cut"):
    """The deck was cut."""

    by_seat: SeatNumber | None = None


class DeckCounted(Event, frozen=True, kw_only=True, tag="deck_counted"):
    """The deck was checked by a spread or one by one."""

    missing: tuple[Card, ...] = ()
    extra: tuple[Card, ...] = ()
    deck: str | None = None


class ForeignCard(Event, frozen=True, kw_only=True, tag="foreign_card"):
    """A card that is not of the deck in play."""

    at: CardPlace
    uid: str | None = None
    card: Card | None = None
    kind: Literal["unknown", "joker", "other_deck", "other_back"] = "unknown"


class DuplicateCard(Event, frozen=True, kw_only=True, tag="duplicate_card"):
    """A second card of one rank and suit."""

    at: CardPlace
    uid: str | None = None
    card: Card | None = None
    kind: Literal["unknown", "joker", "other_deck", "other_back"] = "unknown"


class StubDropped(Event, frozen=True, kw_only=True, tag="stub_dropped"):
    """The stub fell."""

    order_known: bool | None = None
    mixed_with: tuple[Literal["muck", "burn"], ...] | None = None


class BoardDisturbed(Event, frozen=True, kw_only=True, tag="board_disturbed"):
    """The board was moved or mixed up."""

    readable: bool | None = None


class Acted(Event, frozen=True, kw_only=True, tag="acted"):
    """A player spoke or put chips forward; ``amount`` is his total of the round, as said."""

    seat: SeatNumber
    said: Said | None = None
    amount: Chips | None = None
    chips: tuple[Chips, ...] | None = None
    word: Word | None = None
    conditional: bool = False


class RoundClosed(Event, frozen=True, kw_only=True, tag="round_closed"):
    """The betting round is over (tables that record rounds only)."""


class ChipsMoved(Event, frozen=True, kw_only=True, tag="chips_moved"):
    """Chips went from a place to a place: never an act by itself."""

    from_: ChipPlace
    to: ChipPlace
    amount: Chips
    seat: SeatNumber | None = None


class Counted(Event, frozen=True, kw_only=True, tag="counted"):
    """A stack was counted by a person."""

    seat: SeatNumber
    amount: Chips
    by: str


class Claimed(Event, frozen=True, kw_only=True, tag="claimed"):
    """Somebody says what happened: any incident may come from panel or page alone."""

    claim: str
    seat: SeatNumber | None = None
    card: Card | None = None
    seen_by: SeenBy | None = None
    facts: dict[str, bool | int | str] | None = None

    def __post_init__(self) -> None:
        """Refuse a claim that names no incident."""
        if self.claim not in CLAIMS:
            close = difflib.get_close_matches(self.claim, sorted(CLAIMS), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ValueError(f"claim names no incident: {self.claim}{hint}")


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """The answer to a question of the engine."""

    fact: str
    value: bool | int | str
    seat: SeatNumber | None = None


class Presence(Event, frozen=True, kw_only=True, tag="presence"):
    """A player left his seat or came back to it."""

    seat: SeatNumber
    present: bool


class HandShown(Event, frozen=True, kw_only=True, tag="hand_shown"):
    """A player showed his hand to one person or to the table."""

    seat: SeatNumber
    to: Literal["one", "table"]
    cards: tuple[Card | None, ...]
    to_seat: SeatNumber | None = None


class TimeExpired(Event, frozen=True, kw_only=True, tag="time_expired"):
    """The clock on a player ran out."""

    seat: SeatNumber


class Conduct(Event, frozen=True, kw_only=True, tag="conduct"):
    """A person reports a player's conduct."""

    seat: SeatNumber
    reason: str
    article: str
    by: str


class FloorDecided(Event, frozen=True, kw_only=True, tag="floor_decided"):
    """The director's choice; it closes the oldest open call and may overrule any row."""

    choice: str
    by: str
    seats: tuple[SeatNumber, ...] | None = None
    cards: tuple[Card, ...] | None = None
    amounts: dict[str, Chips] | None = None
    to_act: SeatNumber | None = None
    note: str | None = None


class Winners(Event, frozen=True, kw_only=True, tag="winners"):
    """Who wins a pot, when the cards do not tell."""

    pot: Chips
    seats: tuple[SeatNumber, ...]


class PotTaken(Event, frozen=True, kw_only=True, tag="pot_taken"):
    """A winner took chips from the pot."""

    seat: SeatNumber
    amount: Chips


class Undone(Event, frozen=True, kw_only=True, tag="undone"):
    """The event at ``index`` did not happen; resolved by ``replay``."""

    index: int


class HandEnded(Event, frozen=True, kw_only=True, tag="hand_ended"):
    """All pots are taken."""


TableEvent = (
    HandStarted
    | CardMoved
    | CardExposed
    | DeckShuffled
    | DeckCut
    | DeckCounted
    | ForeignCard
    | DuplicateCard
    | StubDropped
    | BoardDisturbed
    | Acted
    | RoundClosed
    | ChipsMoved
    | Counted
    | Claimed
    | Answered
    | Presence
    | HandShown
    | TimeExpired
    | Conduct
    | FloorDecided
    | Winners
    | PotTaken
    | Undone
    | HandEnded
)

_decoder: msgspec.json.Decoder[TableEvent] = msgspec.json.Decoder(TableEvent)
_encoder = msgspec.json.Encoder(order="deterministic")


def decode(line: bytes | str, *, where: str = "") -> TableEvent:
    """Read one event of a journal line.

    Raises:
        MalformedEvent: the line is not an event of the contract.
    """
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedEvent(str(error), where=where, hint="see docs/schemas/events.json") from None


def encode(event: TableEvent) -> bytes:
    """Write one event as a journal line."""
    return _encoder.encode(event)


def convert(data: Any, *, where: str = "") -> TableEvent:
    """Read one event from plain data (a dict decoded elsewhere).

    Raises:
        MalformedEvent: the data is not an event of the contract.
    """
    try:
        event: TableEvent = msgspec.convert(data, TableEvent)
        return event
    except msgspec.ValidationError as error:
        raise MalformedEvent(str(error), where=where) from None


class Veil:
    """Hides the identity of every card that nobody at the table has seen.

    Scenarios and recorded hands may name face-down cards; the engine must never hold them. A
    card is seen once it was exposed, lay face up or was shown, until the next shuffle.
    """

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._seen: set[str] = set()

    def hide(self, event: TableEvent) -> TableEvent:
        """Give the event as the engine may know it."""
        if isinstance(event, CardMoved):
            if event.face == "up" or (event.to == "board" and event.face != "down"):
                if event.card is not None:
                    self._seen.add(event.card)
                return event
            unseen = event.from_ == "deck" or event.card not in self._seen
            if event.card is not None and unseen:
                return msgspec.structs.replace(event, card=None)
        elif isinstance(event, CardExposed):
            if event.card is not None:
                self._seen.add(event.card)
        elif isinstance(event, HandShown):
            self._seen.update(card for card in event.cards if card is not None)
        elif isinstance(event, (DeckShuffled, HandStarted)):
            self._seen.clear()
        return event


def read_lines(lines: Iterable[bytes | str], *, name: str = "events") -> Iterator[TableEvent]:
    """Read a whole journal, scenario or export, hiding what nobody has seen.

    Raises:
        MalformedEvent: naming the file and line.
    """
    veil = Veil()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield veil.hide(decode(line, where=f"{name}:{number}"))
