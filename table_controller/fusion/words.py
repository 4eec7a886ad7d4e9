"""What a press of the panel means: a word for the player to act, or "done" for the act that is shown.

A press belongs to the turn that was shown when it was pressed. A press and a sensed act of one seat within two
seconds are one act, whichever came first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from engine.betting import facing
from engine.events import (
    Acted,
    CardMoved,
    ChipsMoved,
    Claimed,
    DeckCut,
    DeckShuffled,
    HandEnded,
    HandShown,
    PotTaken,
    RoundClosed,
    TableEvent,
)
from engine.rulings import Order
from engine.state import HandState
from engine.vocabulary import STREETS, Card, Face, Said, seat_place
from table_controller.config import Timing
from table_controller.fusion.coverage import Coverage
from table_controller.fusion.deal import behind, coming, completes
from table_controller.fusion.offers import Offer
from table_controller.fusion.presses import Press

_SAID: Final[dict[str, Said]] = {
    "FOLD": "fold",
    "CHECK": "check",
    "CALL": "call",
    "RAISE": "raise",
    "ALL_IN": "all_in",
}
_CHIPS_FOLLOW: Final = frozenset({"call", "raise", "all_in"})
# A new turn is on the display for so long before anybody can have pressed for it (seconds).
_SEE: Final = 0.15
# So long after a sensed fold its own press hardly comes any more (seconds).
_LATE: Final = 1.2
# Cards that lie nowhere for so long are hardly just being looked at (seconds).
_LONG_GONE: Final = 10.0
# A word for chips that never come is let go after so long (seconds).
_FORGET: Final = 30.0

Hand = Callable[[int], tuple[Card | None, ...]]
Moving = Callable[[int], bool]


class Folds(Protocol):
    """What the antennas know of folds when somebody speaks of one."""

    @property
    def passing(self) -> frozenset[int]:
        """Seats of which a card has passed the muck, with nothing told of it yet."""

    def readable(self, seat: int, now: float) -> int:
        """How many cards of a seat are read now."""

    def others_folded(self, t: float, now: float) -> bool | None:
        """Whether cards of unknown origin came to the muck at about this time; None while they may still be read."""

    def others_told(self, now: float) -> None:
        """People are told of these cards: only further ones count again."""

    def gone(self, seat: int, now: float) -> float:
        """For how long the cards of a seat, which were read there, have lain nowhere (s); 0 where they lie."""


@dataclass(slots=True)
class _Turn:
    key: tuple[int | None, int, str] = (None, -1, "")
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class _Sensed:
    """An act that sensors told by themselves: when they were sure of it, and when it was seen first."""

    seat: int
    said: str
    t: float
    since: float


class Words:
    """Presses that wait for their meaning.

    Attributes:
        notices: Slugs of what became of presses that meant nothing, for the display; taken by the table.
    """

    def __init__(self, coverage: Coverage, timing: Timing, *, chips: bool) -> None:
        """``chips``: tagged chips lie on antennas, so a call or raise is word and chips together."""
        self.notices: list[str] = []
        self._coverage = coverage
        self._timing = timing
        self._chips = chips
        self._waiting: deque[Press] = deque()
        self._turn = _Turn()
        self._shown: tuple[tuple[Order, ...], float] = ((), 0.0)  # what is expected, and since when
        self._through: Press | None = None  # a word said before the table could know whose turn it is
        self._held: tuple[int, Said, float] | None = None  # (seat, word, when) for chips on their way
        self._sensed: _Sensed | None = None
        self._spoke: set[int] = set()  # who is in by his word in this hand
        # a word of this hand was refused, or a late FOLD taken for one that was sensed: the turn may be another's
        self._lost = False
        self._again: tuple[int, int] | None = None  # (seat, acts): its FOLD is to be said again
        # a word was understood late: the next turn began when it was said
        self._passed_at: float | None = None

    def pressed(self, press: Press) -> None:
        """Take a press that is of the game."""
        self._waiting.append(press)

    @property
    def held(self) -> bool:
        """Whether a word waits for its chips, or a press for its meaning."""
        return self._held is not None or bool(self._waiting)

    @property
    def ends(self) -> bool:
        """Whether the next press that waits gives the pot away: what is not told before it is told too late."""
        return bool(self._waiting) and self._waiting[0].button == "POT"

    def denied(self, offer: Offer) -> None:
        """People deny what must have come before a word (or nobody was asked): the word means nothing."""
        if offer.source == "inferred" and self._waiting and self._waiting[0] is self._through:
            self._waiting.popleft()
            self.notices.append("press_again")

    def hand_started(self) -> None:
        """What was pressed before the hand is of no meaning in it."""
        self._waiting.clear()
        self._held = None
        self._sensed = None
        self._spoke.clear()
        self._lost = False
        self._again = None

    def restarted(self, state: HandState, words: tuple[Press, ...]) -> None:
        """The program starts again: a word of the player to act still waits for its chips."""
        self._turn = _Turn((state.to_act, len(state.acts), state.phase))
        for press in words:
            said = _SAID.get(press.button)
            if state.to_act is not None and said in _CHIPS_FOLLOW:
                self._held = (state.to_act, said, press.t)
            elif said == "fold":
                self._waiting.append(press)
                self._through = press

    def said(self, seat: int) -> Said | None:
        """The word that this seat has for the chips on their way."""
        return self._held[1] if self._held is not None and self._held[0] == seat else None

    def look(self, state: HandState, expects: tuple[Order, ...], now: float) -> None:
        """Notice that the turn has passed, and that another act is shown."""
        if expects != self._shown[0]:
            self._shown = (expects, now)
        key = (state.to_act, len(state.acts), state.phase)
        if key != self._turn.key:
            self._turn.key = key
            self._turn.since = now if self._passed_at is None else self._passed_at
            self._passed_at = None
            if self._held is not None and self._held[0] != state.to_act:
                self._held = None

    def sensed(self, seat: int, said: str, t: float, since: float | None = None) -> None:
        """Sensors told an act by themselves: a press for it that comes now is the same act."""
        self._sensed = _Sensed(seat, said, t, t if since is None else since)
        if said == "fold":
            self._passed_at = since  # everybody saw it then

    def next(
        self,
        state: HandState,
        expects: tuple[Order, ...],
        now: float,
        hand: Hand,
        moving: Moving,
        folds: Folds,
    ) -> Offer | None:
        """The next act that people pressed, None when nothing pressed has a meaning (yet).

        Args:
            state: The engine's state.
            expects: What it expects next.
            now: Table time (s).
            hand: The cards of a seat, as far as they are read.
            moving: Whether chips of a seat are on their way.
            folds: What the antennas know of folds.
        """
        self.look(state, expects, now)
        while self._waiting:
            press = self._waiting[0]
            said = _SAID.get(press.button)
            if said is None:
                if press.button == "YES" and self._fold_first(press, state, now, folds):
                    break
                self._waiting.popleft()
                offer = self._done(press, state, expects, now, hand)
                if offer is not None:
                    return offer
                continue
            verdict = self._word(press, said, state, now, moving, folds)
            if verdict is None:
                break
            if isinstance(verdict, Offer):
                if verdict.source != "inferred":
                    self._waiting.popleft()
                return verdict
            self._waiting.popleft()
        return self._overdue(state, now, moving)

    def _fold_first(self, press: Press, state: HandState, now: float, folds: Folds) -> bool:
        """Whether YES, which would close the round, waits for a fold that is just being noticed: that came before it."""
        return state.to_act is not None and bool(folds.passing) and now - press.t < self._timing.patience

    # -- words of the player to act ----------------------------------------------------------------------

    def _word(
        self, press: Press, said: Said, state: HandState, now: float, moving: Moving, folds: Folds
    ) -> Offer | bool | None:
        """Read a word: an act, nothing (False), taken for the chips to come (True), or wait (None)."""
        same = self._same_act(press, said, state, now, folds)
        if same is not False:
            return None if same is None else False
        seat = state.to_act
        if seat is None or state.phase not in STREETS:
            unseen = list(coming(state))
            if unseen and all(not self._coverage.covers(seat_place(one)) for one in unseen):
                # who speaks has his cards: the word is the first player's
                self._through = press
                seats = _with_left_out(state, unseen)
                return Offer(_deals(seats), "inferred", seat_place(unseen[0]))
            if now - press.t < self._timing.patience:
                self._through = press  # a card of the deal is read late: who speaks has seen his
                return None
            return self._refused("nobody_to_act")
        if seat in folds.passing and now - press.t < self._timing.patience:
            self._through = (
                press  # his cards go to the muck: the word is the next player's, once that is sure
            )
            return None
        if press.t < self._turn.since + _SEE and press is not self._through:
            return self._refused("press_again")
        if press is self._through:
            self._passed_at = press.t
        covered = self._chips and self._coverage.covers(f"bet{seat}")
        if covered and moving(seat):
            if said in _CHIPS_FOLLOW:
                self._held = (seat, said, press.t)
                return True
            return None
        if covered and said in _CHIPS_FOLLOW:
            self._held = (seat, said, press.t)
            return True
        if said == "fold":
            return self._folds(press, seat, state, now, folds)
        self._spoke.add(seat)
        return self._acted(seat, said, state, press.button)

    def _folds(
        self, press: Press, seat: int, state: HandState, now: float, folds: Folds
    ) -> Offer | bool | None:
        """FOLD of the player to act, unless it may well be another's.

        Not believed of a player whose cards lie before him while cards of another went to the muck, nor of one whom no
        antenna sees while somebody has spoken whose cards lie nowhere (he may have folded, and each word since be the
        next player's) and other cards came; of neither while those have lain nowhere for long, nor of the first once a
        word of the hand was refused. Said again it counts.
        """
        there = bool(folds.readable(seat, now))
        live = [number for number in self._spoke if number != seat and state.seats[number].live]
        away = max((folds.gone(number, now) for number in live), default=0.0)
        doubtful = seat not in folds.passing if there else self._lost or away > 0
        others = folds.others_folded(press.t, now) if doubtful else False
        if others is None:
            return None
        turn = (seat, len(state.acts))
        shifted = away >= _LONG_GONE or (there and self._lost)  # words may have been taken for others'
        if others or (doubtful and shifted and turn != self._again):
            folds.others_told(now)
            self._again = turn
            self._waiting = deque([press, *(other for other in self._waiting if other.button not in _SAID)])
            return self._refused("fold_cards_there" if there else "fold_of_whom")
        self._passed_at = press.t
        return self._acted(seat, "fold", state, press.button)

    def _refused(self, notice: str) -> bool:
        """A word means nothing: who does not look at the display does not know it."""
        self._lost = True
        self.notices.append(notice)
        return False

    def _same_act(self, press: Press, said: Said, state: HandState, now: float, folds: Folds) -> bool | None:
        """Whether a press says what sensors have told already."""
        done = self._sensed
        if done is None or abs(press.t - done.t) > self._timing.same_act:
            return False
        seat, after = state.to_act, press.t - done.since
        if done.said == said == "fold" and seat is not None and not folds.readable(seat, now):
            others = folds.others_folded(press.t, now)
            if others is None:
                return None
            if others or after > self._timing.same_act:
                return False  # other cards, or those have been in the muck for long: the next player folds
            self._lost = self._lost or after > _LATE
        if said == "raise" and seat is not None and after > self._timing.same_act:
            return False  # "raise" is said before the chips: it is the next player's
        same = said == done.said if done.said != "chips" else _tells_chips(said, done.seat, state)
        if same:
            self._sensed = None
        return same

    def _acted(self, seat: int, said: Said, state: HandState, button: str) -> Offer:
        owner = state.seats[seat]
        if said == "raise" and not facing(state, owner) and not state.price:
            said = "bet"
        elif said == "check" and state.unknown_price and facing(state, owner):
            # the all-in before him was of unknown size: who checks says that there is nothing more to call
            said = "call"
        return Offer((Acted(seat=seat, said=said),), f"panel:{button}")

    def _overdue(self, state: HandState, now: float, moving: Moving) -> Offer | None:
        """A word whose chips do not come stands alone; a raise without an amount is none."""
        if self._held is None:
            return None
        seat, said, t = self._held
        if seat != state.to_act or moving(seat):
            return None
        if said != "raise" and now - t >= self._timing.doubt_after:
            self._held = None
            return self._acted(seat, said, state, said.upper())
        if now - t >= _FORGET:
            self._held = None
            self.notices.append("raise_without_chips")
        return None

    # -- "done" ------------------------------------------------------------------------------------------

    def _done(
        self, press: Press, state: HandState, expects: tuple[Order, ...], now: float, hand: Hand
    ) -> Offer | None:
        events: tuple[TableEvent, ...] = ()
        if press.button == "YES":
            if press.t < self._shown[1] + self._timing.reaction:
                # it was for the act shown before, which has been noticed meanwhile
                return None
            events = self._confirmed(state, expects, hand)
        elif press.button == "POT":
            events = _pots(state)
        elif press.button == "CLOCK" and state.to_act is not None:
            events = (Claimed(claim="time", seat=state.to_act),)
        elif press.button == "SEEN" and state.phase == "dealing" and state.deal_at >= 0:
            events = (Claimed(claim="card_seen", seat=state.order[state.deal_at]),)
        elif press.button == "SHUFFLED":
            events = (DeckShuffled(),)
        elif press.button == "CUT":
            events = (DeckCut(),)
        if not events:
            self.notices.append("press_means_nothing")
            return None
        return Offer(events, f"panel:{press.button}")

    def _confirmed(self, state: HandState, expects: tuple[Order, ...], hand: Hand) -> tuple[TableEvent, ...]:
        """YES with no question open: the first act shown that can be done was done."""
        for order in expects:
            events = self._done_as_shown(order, state, hand)
            if events:
                return events
        return ()

    def _done_as_shown(self, order: Order, state: HandState, hand: Hand) -> tuple[TableEvent, ...]:
        if order.order == "deal":
            return self._dealt(state, order)
        if order.order == "burn":
            return (CardMoved(card=None, from_="deck", to="burn"),)
        if order.order == "board":
            count = order.count or 1
            return tuple(CardMoved(card=None, from_="deck", to="board", face="up") for _ in range(count))
        if order.order == "show" and order.seat is not None:
            return (HandShown(seat=order.seat, to="table", cards=hand(order.seat)),)
        if order.order == "gather":
            return tuple(
                ChipsMoved(from_=f"bet{number}", to="pot", amount=seat.bet, seat=number)
                for number, seat in sorted(state.seats.items())
                if seat.bet
            )
        if order.order == "push_pot":
            return _pots(state)
        if order.order in ("act", "wait") and state.betting != "amounts" and state.to_act is not None:
            return (RoundClosed(),)
        return _cured(order)

    def _dealt(self, state: HandState, order: Order) -> tuple[TableEvent, ...]:
        """The cards of all seats that come next and cannot be read; else of the one seat shown.

        Who says that the last card is dealt says it of those as well whose card is not read.
        """
        seats: list[int] = []
        last = next(coming(state), None)
        if last is not None and completes(state, last):
            return _deals(_with_left_out(state, [last]))
        for seat in coming(state):
            if self._coverage.covers(seat_place(seat)):
                break
            seats.append(seat)
        if seats:
            return _deals(_with_left_out(state, seats))
        return (CardMoved(card=None, from_="deck", to=order.to or "felt"),)


def _tells_chips(said: Said, seat: int, state: HandState) -> bool:
    """Whether a word is what the chips that this seat just put in amounted to."""
    if said == "all_in":
        return seat in state.seats and state.seats[seat].stack == 0
    return said in _CHIPS_FOLLOW and (said == "raise") == (state.aggressor == seat)


def _with_left_out(state: HandState, seats: list[int]) -> list[int]:
    """These seats, and where the deal ends with them before them those that were passed over: nobody has read their card."""
    if len(seats) < len(list(coming(state))) and not completes(state, seats[0]):
        return seats
    return [*(seat for seat in state.order if seat not in seats and behind(state, seat)), *seats]


def _deals(seats: list[int]) -> tuple[TableEvent, ...]:
    return tuple(CardMoved(card=None, from_="deck", to=seat_place(seat)) for seat in seats)


def _pots(state: HandState) -> tuple[TableEvent, ...]:
    """One press takes all pots; where nobody can tell who won and no amounts are kept, the hand is over."""
    if state.awards:
        return tuple(PotTaken(seat=seat, amount=amount) for _, seat, amount in reversed(state.awards))
    if state.phase == "showdown" and state.pot is None:
        return (HandEnded(),)
    return ()


def _cured(order: Order) -> tuple[TableEvent, ...]:
    """The act of a cure was done."""
    if order.order == "move" and order.from_ is not None and order.to is not None:
        face: Face | None = "up" if order.face == "up" else "down" if order.face == "down" else None
        return (CardMoved(card=order.card, from_=order.from_, to=order.to, face=face),)
    if order.order == "shuffle":
        return (DeckShuffled(),)
    if order.order == "cut":
        return (DeckCut(by_seat=order.by_seat),)
    return ()
