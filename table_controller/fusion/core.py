"""All senses together: each observation to the sense that it is for, and one act after the other out."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Acted, CardMoved, HandEnded, HandShown, HandStarted, TableEvent
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import SEAT_PLACES, Card
from firmware_bridge.observations import Button, DeviceState, Inventory, Observation
from table_controller.config import Timing
from table_controller.fusion.cards import Cards
from table_controller.fusion.chips import Chips
from table_controller.fusion.coverage import CARD_KINDS, Coverage
from table_controller.fusion.offers import DoubtAt, Offer
from table_controller.fusion.presses import Press, Presses
from table_controller.fusion.sightings import CAMERA, Sighted, Sightings
from table_controller.fusion.words import Words
from table_controller.inventory import Tags


class Fusion:
    """The senses of one table.

    Attributes:
        now: Table time of the last observation (s).
        coverage: Which places are seen at all.
        asides: Doubts of others than the senses, shown with theirs: the dealing shoe's.
    """

    def __init__(
        self,
        tags: Tags,
        coverage: Coverage,
        timing: Timing,
        *,
        buttons: tuple[str, ...] = (),
        chips: bool = False,
    ) -> None:
        """Begin with nothing known of the table.

        Args:
            tags: The cards and chips that the club has taught.
            coverage: Which places are seen.
            timing: How long each sense waits before it believes.
            buttons: The buttons of the panel.
            chips: Whether tagged chips tell the bets.
        """
        self.now = 0.0
        self.coverage = coverage
        self.asides: tuple[DoubtAt, ...] = ()
        self._timing = timing
        self._named: set[int] = set()  # hands shown unread that were named later, once each
        self._cards = Cards(tags, coverage, timing)
        self._chips = Chips(tags, coverage.covers, timing) if chips else None
        self._eyes = Sightings(self._cards, coverage, timing)
        self._presses = Presses(buttons)
        self._words = Words(coverage, timing, chips=chips)
        self._lost: set[str] = set()
        self._last: tuple[int, str, float] | None = None

    # -- in ----------------------------------------------------------------------------------------------

    def feed(self, observation: Observation | Sighted) -> Press | None:
        """Take one observation; a press is given back, for the table to say whether it is of the game."""
        self.now = max(self.now, observation.t)
        if isinstance(observation, Inventory):
            places = self.coverage.places(observation)
            if not places:
                return None
            if places[0].rstrip("0123456789") in CARD_KINDS:
                self._cards.read(observation, places)
            elif self._chips is not None:
                self._chips.read(observation, places)
        elif isinstance(observation, Button):
            return self._presses.feed(observation)
        elif isinstance(observation, Sighted):
            self._eyes.read(observation)
        elif isinstance(observation, DeviceState) and observation.device == CAMERA:
            self._eyes.trouble(observation.state == "ready")
        elif isinstance(observation, DeviceState):
            if observation.state == "lost":
                self._lost.add(observation.device)
            elif observation.state == "ready":
                self._lost.discard(observation.device)
                self._presses.ready(observation.device, observation.t)
        return None

    def pressed(self, press: Press) -> None:
        """A press is of the game: a word, or "done" for the act shown."""
        self._words.pressed(press)

    @property
    def word_waits(self) -> bool:
        """Whether something pressed is not in any event yet."""
        return self._words.held

    # -- out ---------------------------------------------------------------------------------------------

    def next(self, state: HandState, expects: tuple[Order, ...]) -> Offer | None:
        """The next act that all that was seen supports in this state; None when there is none (yet).

        The offer must be accepted or denied before the next one is asked for.
        """
        now = self.now
        self._words.look(state, expects, now)
        offer: Offer | None = None
        if self._chips is not None:
            offer = self._chips.next(state, expects, now, self._words.said)
        if offer is None:
            ends = self._words.ends
            offer = self._cards.next(state, expects, now, quiet=not self._busy(state), ends=ends)
            if offer is not None:
                # None: the camera's word on this card is waited for
                return self._eyes.add(offer, state, now)
        if offer is None:
            offer = self._eyes.next(state, expects, now)
        if offer is None and self._words.ends and self._cards.street_unsure:
            return None  # what has come to burn or board just now is told before the pot is gone
        if offer is None:
            offer = self._words.next(state, expects, now, self._hand, self._moving, self._cards)
        if offer is None and any(order.for_ == "winners" for order in expects):
            offer = self._named_late(state)
        if offer is None and _over(state) and not any(self.balance(state, seat) > 0 for seat in state.order):
            # What nobody called goes back before the hand is over; the next hand's button ends it too.
            offer = Offer((HandEnded(),), "inferred")
        return offer

    def accept(self, offer: Offer) -> None:
        """The engine has taken the act."""
        self._cards.accept(offer)
        self._eyes.accept(offer)
        if self._chips is not None:
            self._chips.accept(offer)
        if offer.source != "antenna":
            return
        for event in offer.events:
            if isinstance(event, Acted):
                self._words.sensed(event.seat, "chips", self.now, offer.since)
            elif isinstance(event, CardMoved) and event.to == "muck" and event.from_ in SEAT_PLACES:
                self._words.sensed(SEAT_PLACES[event.from_], "fold", self.now, offer.since)

    def deny(self, offer: Offer) -> None:
        """People say that it was not so, or nobody confirmed it: what was read means nothing."""
        if self._eyes.deny(offer):
            return  # only what the camera added was denied
        self._cards.deny(offer)
        self._words.denied(offer)
        if self._chips is not None:
            self._chips.deny(offer)

    def took(self, event: TableEvent) -> None:
        """The engine took an event, from whatever source."""
        if self._chips is not None:
            self._chips.ledger.take(event)
        if isinstance(event, Acted) and event.said == "fold":
            self._cards.folded(event.seat, self.now)
        if isinstance(event, HandStarted):
            self._cards.hand_started()
            self._named.clear()
            self._eyes.hand_started()
            self._words.hand_started()
            if self._chips is not None:
                self._chips.hand_started()

    def withdraw(self, decks: frozenset[str]) -> None:
        """People have put these decks away, and no others: their cards are none of the deck in play."""
        self._cards.account.away = decks
        if self._cards.account.deck in decks:
            self._cards.account.shuffled()

    @property
    def deck_in_play(self) -> str | None:
        """The name of the deck that is being dealt; None until a card of it was read in this hand."""
        return self._cards.account.deck

    def replayed(self, events: Iterable[TableEvent]) -> None:
        """Something was undone: of chips only these events were told."""
        if self._chips is not None:
            self._chips.ledger.restore(events)

    def restarted(
        self,
        events: Iterable[TableEvent],
        state: HandState,
        words: tuple[Press, ...],
        passing: frozenset[int] = frozenset(),
    ) -> None:
        """The program starts again inside a hand: what the engine was told is known, the antennas are read anew.

        Args:
            events: The events of the running hand.
            state: The engine's state after them.
            words: What was pressed since the last of them.
            passing: Seats of which a card was passing the muck.
        """
        self._words.restarted(state, words)
        self._cards.restarted(state, passing)
        if self._chips is not None:
            self._chips.restarted(events)

    @property
    def reaction(self) -> float:
        """For how long a press can only be for what was shown before (s)."""
        return self._timing.reaction

    # -- what may be said --------------------------------------------------------------------------------

    @property
    def doubts(self) -> tuple[DoubtAt, ...]:
        """Places that the senses are not sure of."""
        found = {*self._cards.doubts, *self._eyes.doubts}
        if self._chips is not None:
            found.update(self._chips.doubts)
        found.update(
            DoubtAt(place, "device_lost") for device in self._lost for place in self.coverage.without(device)
        )
        return tuple(sorted(found.union(self.asides)))

    def notices(self) -> tuple[str, ...]:
        """What became of presses that meant nothing, since the last time; slugs for the display."""
        told = tuple(self._words.notices)
        self._words.notices.clear()
        return told

    @property
    def passing(self) -> frozenset[int]:
        """Seats of which a card has passed the muck, with nothing told of it yet."""
        return self._cards.passing

    def readable(self, seat: int) -> int | None:
        """How many cards of a seat are read now; None where nobody can see them."""
        return self._cards.readable(seat, self.now) if self.coverage.covers(f"seat{seat}") else None

    def hand(self, seat: int) -> tuple[Card | None, ...]:
        """The cards of a hand that is shown to the table now, as far as they are read; asked for at that moment only."""
        return self._hand(seat)

    def balance(self, state: HandState, seat: int) -> int:
        """Chips that a seat has put in beyond what counts (+) or still has to put in (-); 0 where none are sensed."""
        return self._chips.ledger.balance(state, seat) if self._chips is not None else 0

    # -- inside ------------------------------------------------------------------------------------------

    def _named_late(self, state: HandState) -> Offer | None:
        """A hand was shown of which a card was not read then; now it is, and who won hangs on it."""
        for seat, owner in sorted(state.seats.items()):
            if owner.shown and owner.live and not owner.hand and seat not in self._named:
                cards = self._hand(seat)
                if None not in cards:
                    self._named.add(seat)
                    event = HandShown(seat=seat, to="table", cards=cards)
                    return Offer((event,), "antenna", f"seat{seat}")
        return None

    def _busy(self, state: HandState) -> bool:
        seat = state.to_act
        return seat is not None and self._chips is not None and self._chips.under_way(seat, self.now)

    def _moving(self, seat: int) -> bool:
        return self._chips is not None and self._chips.moving_for(seat)

    def _hand(self, seat: int) -> tuple[Card | None, ...]:
        """The cards of a hand that is being shown: the one moment at which their names leave fusion."""
        cards = tuple(card.reveal() for card in self._cards.hand(seat))
        if len(cards) < 2:
            cards = tuple(dict.fromkeys((*cards, *self._eyes.faces(seat))))
        return cards if len(cards) == 2 else (None, None)


def _over(state: HandState) -> bool:
    return state.phase == "showdown" and not state.awards and (state.settled or state.pot == 0)
