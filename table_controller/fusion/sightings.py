"""What the camera saw, set beside what the antennas read: exposures, drops, boards, and who it was.

The antennas say which card lies where; the camera says which way up, moving or not, and what lies where no antenna is.
Where both speak of one card it is one act that rests on both. Where they contradict one another the place is named as
a doubt, and the antenna's word counts. Either alone is enough for what it can sense.

Who did it is told from where and when: a card on its way from the deck is the dealer's, one that has lain still before
it turns is its player's; between the two nobody knows, and people are asked. A card on its way over the middle of the
table is seen by all, one that shows at the edge of a place by most, one of which only a corner shows by some.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as with_fields
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from engine.events import BoardDisturbed, CardExposed, CardMoved, DuplicateCard, ForeignCard, TableEvent
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, By, SeenBy, seat_place
from table_controller.config import Timing
from table_controller.fusion.cards import Cards
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.deal import coming, completes
from table_controller.fusion.offers import DoubtAt, Offer
from vision.sightings import Sighting

CAMERA: Final = "camera"
BOTH: Final = ("antenna", CAMERA)
ALONE: Final = (CAMERA,)

_LANDS: Final = 1.2
"""A card that was seen on its way lies after so long (s)."""
_HOLD: Final = 0.7
"""The card that ends the deal waits so long for the camera's word on its face (s)."""
_HIS: Final = 1.0
"""A card that lay still for so long before it turned was turned by its player (s)."""
_LANDING: Final = 0.5
_STAYS: Final = 1.0
_WENT: Final = 1.2
"""A card on the floor is the one that went from a seat if that was noticed so shortly before or after (s)."""
_PEEK: Final = 0.6
"""A player who looks at his cards shows less of them than this."""
_OUTSIDE: Final = ("floor", "rail")
_PLAYED: Final = ("preflop", "flop", "turn", "river")
_TWINS: Final = 1.5
"""Two cards of one name must be in sight together for so long (s)."""
_APART: Final = 50.0
_MIDDLE: Final = ("corridor", "board", "muck", "felt")


class Sighted(Struct, frozen=True, kw_only=True):
    """A sighting on its way through the table's queue.

    Attributes:
        t: Table time at its arrival (s).
        device: The camera's name.
        sighting: What was seen; its own clock is the camera's.
    """

    t: float
    device: str
    sighting: Sighting

    @property
    def seen_at(self) -> float:
        """Table time of the picture (s)."""
        return self.t - self.sighting.age


@dataclass
class _Note:
    """A sighting that is not yet explained."""

    number: int
    sight: Sighting
    t: float
    flight: Sighting | None = None  # the same card on its way, before


class Sightings:
    """The camera's word on one table.

    Attributes:
        doubts: Places of which camera and antennas say different things, or that nobody can see now.
    """

    def __init__(self, cards: Cards, coverage: Coverage, timing: Timing) -> None:
        self.doubts: tuple[DoubtAt, ...] = ()
        self._cards = cards
        self._coverage = coverage
        self._timing = timing
        self._number = 0
        self._notes: list[_Note] = []
        self._flights: dict[int, tuple[Sighting, float]] = {}
        self._faces: dict[int, Sighting] = {}  # cards that lie face up now, by track
        self._arrived: dict[str, set[int]] = {}  # tracks that came to rest at each place in this hand
        self._went: list[tuple[str, float]] = []  # seats of which a card is not where it lay, and when
        self._contradicted: set[str] = set()
        self._held: tuple[str, float] | None = None
        self._disturbed = False
        self._doubled: set[str] = set()
        self._well = False

    # -- in ----------------------------------------------------------------------------------------------

    def trouble(self, well: bool) -> None:
        """The camera is well, or is not: then nothing waits for its word."""
        self._well = well
        if not well:
            self._flights.clear()
            self._faces.clear()

    def read(self, seen: Sighted) -> None:
        """Take a sighting."""
        self._well = True
        sight, t = seen.sighting, seen.seen_at
        if sight.kind == "exposed_in_flight":
            self._flights[sight.track] = (sight, t)
            return
        if sight.kind == "left":
            self._faces.pop(sight.track, None)
            if sight.zone in SEAT_PLACES:
                self._went.append((sight.zone, t))
            return
        if sight.kind in ("arrived", "turned", "exposed_at_rest", "dropped"):
            self._lies(sight)
        flight = self._flights.pop(sight.track, None)
        self._number += 1
        self._notes.append(_Note(self._number, sight, t, flight[0] if flight is not None else None))

    def _lies(self, sight: Sighting) -> None:
        if sight.face == "up":
            self._faces[sight.track] = sight
        else:
            self._faces.pop(sight.track, None)
        for tracks in self._arrived.values():
            tracks.discard(sight.track)
        self._arrived.setdefault(sight.zone, set()).add(sight.track)

    def hand_started(self) -> None:
        """A new deal: what was seen before it means nothing for it."""
        self._notes.clear()
        self._flights.clear()
        self._faces.clear()
        self._arrived.clear()
        self._went.clear()
        self._contradicted.clear()
        self._doubled.clear()
        self._held = None
        self._disturbed = False
        self.doubts = ()

    # -- out ---------------------------------------------------------------------------------------------

    def add(self, offer: Offer, state: HandState, now: float) -> Offer | None:
        """An antenna's act with what the camera saw of it; None while the camera's word is waited for.

        Args:
            offer: The act as the antennas tell it.
            state: The engine's state.
            now: Table time (s).
        """
        event = offer.events[0]
        if len(offer.events) != 1 or not isinstance(event, CardMoved) or event.from_ != "deck":
            return offer
        seat = SEAT_PLACES.get(event.to)
        if event.to == "board":
            note = self._at("board", event.card)
            return self._agreed(offer, (note,)) if note is not None else offer
        if seat is None or state.phase != "dealing":
            return offer
        for note in self._notes:
            sight = note.sight
            if sight.zone != event.to or sight.kind not in ("arrived", "exposed_at_rest"):
                continue
            if sight.face == "up" and sight.visible >= _PEEK:
                up = replace(event, face="up", card=self._name(sight, event.to), by="dealer")
                return self._agreed(with_fields(offer, events=(up,)), (note,), mixed=True)
            if note.flight is None:
                return self._agreed(offer, (note,))
        return offer if not self._waits(offer, event.to, state, seat, now) else None

    def _waits(self, offer: Offer, place: str, state: HandState, seat: int, now: float) -> bool:
        """The card that ends the deal waits a moment: once the deal is over its face means something else."""
        if not self._well or not completes(state, seat):
            return False
        if self._held is None or self._held[0] != place:
            self._held = (place, now)
        return now - self._held[1] < _HOLD or any(now - t < _LANDS for _, t in self._flights.values())

    def next(self, state: HandState, expects: tuple[Order, ...], now: float) -> Offer | None:
        """The next act that the camera tells and no antenna has told; None when there is none (yet)."""
        self._flights = {key: value for key, value in self._flights.items() if now - value[1] < 3.0}
        if state.phase in ("over", "void"):
            self._notes.clear()
            return None
        for note in list(self._notes):
            offer = self._tell(note, state, expects, now)
            if offer is not None:
                return offer
        self.doubts = tuple(DoubtAt(place, "camera_contradicts") for place in sorted(self._contradicted))
        return None

    def accept(self, offer: Offer) -> None:
        """The engine has taken the act: what was seen of it is explained."""
        self._notes = [note for note in self._notes if note.number not in offer.sights]
        self._held = None

    def deny(self, offer: Offer) -> bool:
        """People say that it was not so.

        Returns:
            Whether the antennas' part of the act stands all the same.
        """
        self.accept(offer)
        return offer.mixed

    def faces(self, seat: int) -> tuple[str, ...]:
        """The cards that lie face up at a seat, as far as they are read: what everybody can see."""
        place = seat_place(seat)
        return tuple(
            sight.card for sight in self._faces.values() if sight.zone == place and sight.card is not None
        )

    # -- one sighting ----------------------------------------------------------------------------------------

    def _tell(self, note: _Note, state: HandState, expects: tuple[Order, ...], now: float) -> Offer | None:
        sight = note.sight
        seat = SEAT_PLACES.get(sight.zone)
        if sight.kind == "covered":
            return self._covered(note, state)
        if sight.kind == "dropped":
            return self._dropped(note, state, now)
        if self._twin(sight) and now - note.t < _TWINS:
            return None  # a card that was moved may still be known where it lay
        doubled = self._double(note)
        if doubled is not None:
            return doubled
        if seat is not None:
            return self._at_seat(note, state, expects, seat, now)
        if sight.zone == "board":
            return self._on_board(note, state, expects, now)
        if sight.zone == "deck":
            return self._on_deck(note, state)
        if sight.zone == "burn" and sight.kind == "arrived":
            return self._burned(note, expects, now)
        self._forget(note)
        return None

    def _at_seat(
        self, note: _Note, state: HandState, expects: tuple[Order, ...], seat: int, now: float
    ) -> Offer | None:
        sight, place = note.sight, seat_place(seat)
        owner = state.seats.get(seat)
        if state.phase == "dealing":
            count = len(self._arrived.get(place, ()))
            dealt = owner.dealt if owner is not None else 0
            here = dealt >= max(1, count) or sight.kind == "turned"
            if not here and sight.origin in ("deck", ""):
                covered = self._coverage.covers(place)
                if not covered or self._missed_by_antenna(note, state, seat, now):
                    return self._dealt(note, place)
            if not here:
                patience = self._timing.doubt_after
                if now - note.t > patience and dealt >= 1:
                    here = True
                elif now - note.t > patience:
                    self._forget(note)
                    return None
                else:
                    return None
            return self._shown_in_deal(note, state, place)
        if sight.face == "down" or sight.visible < _PEEK or owner is None:
            self._forget(note)
            return None
        if state.phase not in _PLAYED or any(order.order == "show" for order in expects):
            self._forget(note)  # hands are shown now
            return None
        if now - note.t < _STAYS:
            return None
        event = CardExposed(card=self._name(sight, place), at=place, by=self._who(note, state))
        return self._offer(note, (event,), place)

    def _missed_by_antenna(self, note: _Note, state: HandState, seat: int, now: float) -> bool:
        """Whether a card that came face down to the seat that is due is not read there: the camera's word stands for it.

        Else the deal would wait for it, and the first word of the betting be taken for its end.
        """
        sight = note.sight
        waited = now - note.t >= self._timing.patience
        return (
            waited and sight.kind == "arrived" and sight.face == "down" and next(coming(state), None) == seat
        )

    def _shown_in_deal(self, note: _Note, state: HandState, place: str) -> Offer | None:
        """A card that the engine has at a seat showed its face there, or on its way there."""
        sight = note.sight
        seen_by: SeenBy
        if sight.face == "up":
            seen_by = "all" if sight.visible >= _PEEK else "some"
        elif note.flight is not None:
            seen_by = "all" if note.flight.zone in _MIDDLE else "majority"
        else:
            self._forget(note)
            return None
        source = sight if sight.face == "up" else note.flight or sight
        card = self._name(source, place) if seen_by != "some" else None
        event = CardExposed(card=card, at=place, by=self._who(note, state), seen_by=seen_by)
        return self._offer(note, (event,), place)

    def _dealt(self, note: _Note, place: str) -> Offer:
        """A card came to a seat that no antenna covers, or where its antenna does not read it."""
        sight = note.sight
        up = sight.face == "up" and sight.visible >= _PEEK
        event = CardMoved(
            card=self._name(sight, place) if up else None,
            from_="deck",
            to=place,
            face="up" if up else None,
            by="dealer",
        )
        keep = not up and note.flight is not None  # its flash is told next
        return self._offer(note, (event,), place, explained=not keep)

    def _on_board(
        self, note: _Note, state: HandState, expects: tuple[Order, ...], now: float
    ) -> Offer | None:
        sight = note.sight
        if sight.face == "down":
            return self._covered(note, state) if sight.kind == "turned" else self._drop(note)
        if sight.card is not None and sight.card in state.board:
            return self._drop(note)
        if len(self._arrived.get("board", ())) <= len(state.board) and None not in state.board:
            return self._drop(note)  # all that lies there was told
        if self._coverage.covers("board"):
            if now - note.t < self._timing.patience:
                return None
            agreed = sight.card is not None and "board" in self._cards.lies(sight.card)
            if not agreed and self._cards.reads("board") > len(state.board):
                return None  # the antenna reads another one and waits for its order
        events: tuple[TableEvent, ...] = ()
        first = next((order.order for order in expects if order.order in ("burn", "board")), "")
        if first != "board" and now - note.t < 2.0:
            return None
        if first == "burn":
            seen = len(self._arrived.get("burn", ())) > len(state.burns)
            if seen or not self._coverage.covers("burn"):
                events = (CardMoved(card=None, from_="deck", to="burn"),)
            elif now - note.t < self._timing.doubt_after:
                return None  # the burn may only be read late
        event = CardMoved(card=self._name(sight, "board"), from_="deck", to="board", face="up")
        return self._offer(note, (*events, event), "board")

    def _burned(self, note: _Note, expects: tuple[Order, ...], now: float) -> Offer | None:
        if self._coverage.covers("burn"):
            return self._drop(note)
        if any(order.order == "burn" for order in expects[:1]):
            return self._offer(note, (CardMoved(card=None, from_="deck", to="burn"),), "burn")
        return None if now - note.t < self._timing.doubt_after else self._drop(note)

    def _on_deck(self, note: _Note, state: HandState) -> Offer | None:
        """A face on top of the deck: boxed while it is dealt from, else shown by the dealer."""
        sight = note.sight
        if sight.face != "up" or sight.visible < _PEEK:
            return self._drop(note)
        if state.phase == "dealing":
            event = CardExposed(card=sight.card, at="deck", by="deck")
        elif state.phase in _PLAYED:
            event = CardExposed(card=sight.card, at="deck", by="dealer")
        else:
            return self._drop(note)
        return self._offer(note, (event,), "deck")

    def _dropped(self, note: _Note, state: HandState, now: float) -> Offer | None:
        """A card off the felt, or face up where no card may lie."""
        sight = note.sight
        to = "off_table" if sight.zone in _OUTSIDE else "felt"
        face = sight.face
        if to == "felt" and face == "down":
            return self._drop(note)  # pushed on or short of the muck: seen every hand
        card = self._name(sight, to) if face == "up" else None
        origin = sight.origin if sight.origin in SEAT_PLACES else "deck"
        if state.phase == "dealing":
            event = CardMoved(card=card, from_=origin, to=to, face=face, by=self._who(note, state))
            return self._offer(note, (event,), to)
        if state.phase not in _PLAYED or now - note.t < _STAYS:
            return None if state.phase in _PLAYED else self._drop(note)
        if origin == "deck":
            origin = self._missed_at(note.t) or origin
        if origin == "deck" and to == "felt":
            return self._drop(note)
        by: By = "player" if origin in SEAT_PLACES else "dealer"
        return self._offer(note, (CardMoved(card=card, from_=origin, to=to, face=face, by=by),), to)

    def _missed_at(self, t: float) -> str | None:
        """The seat that misses one card since a moment: a card thrown fast is only seen where it lands.

        Two that went are a hand that was folded, and cards of two seats tell nothing.
        """
        went = [place for place, at in self._went if abs(at - t) <= _WENT]
        return went[0] if len(went) == 1 else None

    def _covered(self, note: _Note, state: HandState) -> Offer | None:
        """Something lies over the board: what was seen of it makes it readable (rules.md §4)."""
        if note.sight.zone != "board" or not state.board or self._disturbed:
            return self._drop(note)
        self._disturbed = True
        return self._offer(note, (BoardDisturbed(readable=None not in state.board),), "board")

    def _twin(self, sight: Sighting) -> bool:
        """Whether another card that lies face up in sight is read as the same."""
        return sight.card is not None and any(
            other.card == sight.card
            and (other.zone != sight.zone or math.hypot(other.x - sight.x, other.y - sight.y) > _APART)
            for track, other in self._faces.items()
            if track != sight.track
        )

    def _double(self, note: _Note) -> Offer | None:
        """A face that the table has elsewhere: the other deck's, a second one, or a reading that is wrong."""
        sight = note.sight
        card = sight.card
        if card is None or sight.face != "up" or card in self._doubled:
            return None
        place = sight.zone
        if card in self._cards.resting_deck(place):
            self._doubled.add(card)
            return self._offer(
                note, (ForeignCard(at=place, card=card, kind="other_deck"),), place, evidence=BOTH
            )
        if self._twin(sight):
            self._doubled.add(card)
            return self._offer(note, (DuplicateCard(at=place, card=card),), place)
        elsewhere = self._cards.lies(card)
        if elsewhere and place not in elsewhere and self._coverage.covers(place):
            self._contradicted.add(place)
        return None

    # -- inside ----------------------------------------------------------------------------------------------

    def _who(self, note: _Note, state: HandState) -> By:
        """Whose doing it was, from where and when."""
        sight = note.sight
        if note.flight is not None or sight.origin in ("deck", ""):
            return "dealer"
        if sight.kind == "turned" or sight.rested > 0:
            if sight.rested >= _HIS:
                return "player"
            if state.phase == "dealing" and sight.rested <= _LANDING:
                return "dealer"
            return "unknown"
        return "player" if sight.origin in SEAT_PLACES else "unknown"

    def _name(self, sight: Sighting, place: str) -> str | None:
        """The identity that the camera gives, unless the antennas have that card elsewhere."""
        if sight.card is None:
            return None
        elsewhere = self._cards.lies(sight.card)
        return None if elsewhere and place not in elsewhere else sight.card

    def _at(self, place: str, card: str | None) -> _Note | None:
        return next((n for n in self._notes if n.sight.zone == place and card and n.sight.card == card), None)

    def _drop(self, note: _Note) -> Offer | None:
        """It means nothing."""
        self._forget(note)
        return None

    def _forget(self, note: _Note) -> None:
        self._notes = [other for other in self._notes if other.number != note.number]

    def _offer(
        self,
        note: _Note,
        events: tuple[TableEvent, ...],
        place: str,
        *,
        evidence: tuple[str, ...] | None = None,
        explained: bool = True,
    ) -> Offer:
        both = place in SEAT_PLACES and self._coverage.covers(place) and bool(self._cards.reads(place))
        return Offer(
            events,
            CAMERA,
            place,
            evidence=evidence or (BOTH if both else ALONE),
            sights=(note.number,) if explained else (),
        )

    def _agreed(self, offer: Offer, notes: tuple[_Note, ...], *, mixed: bool = False) -> Offer:
        sights = tuple(note.number for note in notes)
        return with_fields(offer, evidence=BOTH, sights=sights, mixed=mixed)

    def __iter__(self) -> Iterator[Sighting]:
        """What is not explained yet."""
        return (note.sight for note in self._notes)
