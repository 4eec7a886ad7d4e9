"""Plays a recorded hand with a dealer who slips, and who then does what the engine orders.

The players are those of the record. The deck is arranged so that, where the rulebook's cure
allows it, everybody still gets his recorded cards: a card that a slip spoils is a spare one.
A slip that the hand never comes to (a premature turn in a hand that ends on the flop) does not
happen.
"""

import random
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from engine import dealing, machine
from engine import events as ev
from engine.rulebook import Rulebook
from engine.rulings import Order, Ruling
from engine.state import HandState
from engine.vocabulary import DECK, STREET_CARDS, STREETS, By, Said
from maldonne.errors import InputError
from maldonne.outcome import recorded_winners
from maldonne.phh import RecordedAct, RecordedHand, complete
from maldonne.recorded import Course, hand_started

# Slips of the deal take the number of the card off the deck, those of a street its name.
OF_THE_DEAL: Final = ("expose", "drop", "boxed", "skip")
OF_A_STREET: Final = ("double_burn", "no_burn", "too_many", "premature", "show_burn", "drop_stub")
ALONE: Final = ("extra",)
# Which faces a slip turns up: the record's next cards, spare ones, or a spare one before or after.
ARRANGEMENTS: Final = ("due", "spare", "spare_first", "spare_last")

_MOST_EVENTS: Final = 600
_BETTING: Final = ("fold", "call", "raise")


class Slip(Struct, frozen=True):
    """One slip of the dealer's: ``expose`` of the card ``number``, ``double_burn`` before ``street``."""

    name: str
    number: int = 0
    street: str = ""


class Played(Struct, frozen=True):
    """A hand that was played: its end, its rulings, and what was still wanted if it hangs."""

    state: HandState
    rulings: tuple[Ruling, ...]
    wanted: tuple[Order, ...]


def parse_slips(text: str, hand: RecordedHand, seed: int) -> tuple[Slip, ...]:
    """Read ``expose:7,double_burn:flop`` or a rate such as ``0.02`` (drawn by the seed for this hand).

    >>> from maldonne.phh import parse
    >>> hand = parse('variant="NT"\\nantes=[0,0]\\nblinds_or_straddles=[1,2]\\nmin_bet=2\\n'
    ...              'starting_stacks=[9,9]\\nactions=[]', "x")
    >>> parse_slips("expose:3", hand, 1)
    (Slip(name='expose', number=3, street=''),)

    Raises:
        InputError: an unknown slip, or one without its place.
    """
    if re.fullmatch(r"[01]?\.\d+|[01]", text):
        if not 0 <= float(text) <= 1:
            raise InputError(f"{text} is no rate", where="--errors", hint="between 0 and 1")
        return _drawn(float(text), hand, seed)
    return tuple(_slip(word.strip(), 2 * len(hand.seats)) for word in text.split(","))


def _slip(word: str, cards: int) -> Slip:
    name, _, place = word.partition(":")
    if name in OF_THE_DEAL and place.isdecimal() and 1 <= int(place) <= cards:
        return Slip(name, number=int(place))
    if name in OF_A_STREET and place in STREET_CARDS:
        return Slip(name, street=place)
    if name in ALONE and not place:
        return Slip(name)
    known = [f"{slip}:N" for slip in OF_THE_DEAL] + [f"{slip}:STREET" for slip in OF_A_STREET] + list(ALONE)
    hint = f"N is 1 to {cards}" if name in OF_THE_DEAL else "known are " + ", ".join(known)
    raise InputError(f"{word!r} is no slip", where="--errors", hint=hint)


def _drawn(rate: float, hand: RecordedHand, seed: int) -> tuple[Slip, ...]:
    """Draw the slips of one hand: each card of the deal and each street may go wrong."""
    luck = random.Random(f"{seed} {hand.hand} {hand.file}")
    slips = [
        Slip(luck.choice(OF_THE_DEAL), number=number)
        for number in range(1, 2 * len(hand.seats) + 1)
        if luck.random() < rate
    ]
    slips += [
        Slip(luck.choice(OF_A_STREET), street=street) for street in STREET_CARDS if luck.random() < rate
    ]
    return tuple(slips)


class SlippingDealer:
    """Deals one recorded hand by the engine's orders, with the slips that he is given."""

    def __init__(self, hand: RecordedHand, book: Rulebook, slips: Sequence[Slip], arrangement: str) -> None:
        """Take the hand, the book, the slips, and how the faces lie that a slip turns up."""
        self._hand = hand
        self._book = book
        self._left = list(slips)
        self._arrangement = arrangement
        self._state = machine.start()
        self._rulings: list[Ruling] = []
        known = {card for pair in hand.hole for card in pair} | set(hand.board)
        self._spare = [card for card in DECK if card not in known]
        self._acts = [act for act in hand.acts if act.kind in _BETTING]
        self._next = 0
        self._last_of = _last_acts(hand)
        self._named = False
        self._buried: set[int] = set()

    def play(self) -> Played:
        """Play the hand to its end, dealing again after a misdeal."""
        self._start()
        for _ in range(_MOST_EVENTS):
            if self._state.phase == "void":
                self._next = 0
                self._buried.clear()
                self._take(ev.DeckShuffled())
                self._start()
            if self._state.phase == "over":
                return Played(self._state, tuple(self._rulings), ())
            orders = machine.expects(self._state, self._book)
            if not orders:
                self._take(ev.HandEnded())
            elif not any(self._do(order) for order in (*orders, *dealing.expected(self._state))):
                break
        return Played(self._state, tuple(self._rulings), machine.expects(self._state, self._book))

    def _start(self) -> None:
        self._take(hand_started(self._hand, Course(self._hand, complete(self._hand, 0)).absent))

    def _take(self, event: ev.TableEvent) -> None:
        step = machine.step(self._state, event, self._book)
        self._state = step.state
        self._rulings += step.rulings

    # what is ordered

    def _do(self, order: Order) -> bool:
        """Do one order; False when nothing that anybody does answers it."""
        name = order.order
        if name == "deal" and order.to is not None:
            self._deal(order.to)
        elif name == "burn":
            self._burn()
        elif name == "board":
            self._lay(self._due())
        elif name == "move" and order.to is not None and order.from_ is not None:
            self._move(order)
        elif name == "shuffle":
            self._take(ev.DeckShuffled())
        elif name == "cut":
            self._take(ev.DeckCut(by_seat=order.by_seat))
        elif name == "gather":
            self._gather()
        elif name == "act" and order.seat is not None:
            self._act(order, order.seat)
        elif name == "show" and order.seat is not None:
            return self._show(order.seat)
        elif name == "muck" and order.seat is not None:
            return self._bury(order.seat)
        elif name == "push_pot" and order.seat is not None:
            self._take(ev.PotTaken(seat=order.seat, amount=order.amount or 0))
        elif name == "ask" and order.fact is not None:
            self._take(ev.Answered(fact=order.fact, value=_answer(order), seat=order.seat))
        elif name == "wait":
            return self._wait(order)
        else:
            return False
        return True

    def _slips(self, street: str, *names: str) -> str:
        """Take the first slip that happens now: its name, or nothing."""
        for slip in self._left:
            if slip.name in names and slip.street == street:
                self._left.remove(slip)
                return slip.name
        return ""

    def _deal(self, place: str) -> None:
        number = self._state.off_deck + 1
        slip = next((s for s in self._left if s.number == number), None)
        if slip is None:
            self._take(ev.CardMoved(card=None, from_="deck", to=place, face="down"))
            return
        self._left.remove(slip)
        if slip.name == "expose":
            self._take(ev.CardMoved(card=self._spare.pop(), from_="deck", to=place, face="up"))
        elif slip.name == "drop":
            self._take(ev.CardMoved(card=self._spare.pop(), from_="deck", to="off_table", face="up"))
        elif slip.name == "boxed":
            self._take(ev.CardExposed(card=self._spare.pop(), at="deck", by="deck"))
        else:
            order = self._state.order
            seat = order[(order.index(int(place.removeprefix("seat"))) + 1) % len(order)]
            self._take(ev.CardMoved(card=None, from_="deck", to=f"seat{seat}", face="down"))

    def _burn(self) -> None:
        street = self._state.coming() or ""
        if self._slips(street, "drop_stub"):
            self._take(ev.StubDropped(order_known=False, mixed_with=()))
            return
        if self._slips(street, "no_burn"):
            self._turn(street, self._faces(street, STREET_CARDS[street]))
            return
        burn = ev.CardMoved(card=None, from_="deck", to="burn", face="down")
        self._take(burn)
        if self._slips(street, "double_burn"):
            self._take(burn)
        elif self._slips(street, "show_burn"):
            self._take(ev.CardExposed(card=self._spare.pop(), at="burn", by="dealer"))
        elif self._slips(street, "too_many"):
            self._turn(street, self._faces(street, STREET_CARDS[street] + 1))

    def _due(self) -> str:
        """The record's next board card, or a spare one where the record has none."""
        place = len(self._state.board)
        known = self._hand.board[place : place + 1]
        if known and known[0] is not None and known[0] not in self._state.board:
            return known[0]
        return self._spare.pop()

    def _faces(self, street: str, count: int) -> list[str]:
        """The faces that a slip turns up."""
        first = {"flop": 0, "turn": 3, "river": 4}[street]
        due = [card for card in self._hand.board[first : first + STREET_CARDS[street]] if card is not None]
        spare = [self._spare.pop() for _ in range(count)]
        wish = {
            "due": due + spare,
            "spare": spare,
            "spare_first": spare[:1] + due + spare[1:],
            "spare_last": due[: count - 1] + spare,
        }
        return wish[self._arrangement][:count]

    def _turn(self, street: str, faces: list[str]) -> None:
        """Lay board cards as long as the table lets the slip go on."""
        for card in faces:
            if self._state.phase in ("over", "void"):
                return
            self._lay(card)

    def _lay(self, card: str) -> None:
        self._take(ev.CardMoved(card=card, from_="deck", to="board", face="up"))

    def _move(self, order: Order) -> None:
        card = order.card
        up = order.face == "up" or order.to == "board"
        if card is None and order.to == "board":
            card = self._due()
        if order.to == "deck" and card is not None:
            # It can come again later; those that are in the record will.
            self._spare[:0] = [card] if card not in self._hand.board else []
        self._take(
            ev.CardMoved(
                card=card, from_=order.from_ or "deck", to=order.to or "deck", face="up" if up else "down"
            )
        )

    def _gather(self) -> None:
        for number, seat in sorted(self._state.seats.items()):
            if seat.bet:
                self._take(ev.ChipsMoved(from_=f"bet{number}", to="pot", amount=seat.bet, seat=number))

    # what the players do

    def _act(self, order: Order, seat: int) -> None:
        street = self._state.coming()
        if self._state.phase == "preflop" and not self._state.acts and self._slips("", "extra"):
            self._take(ev.CardMoved(card=None, from_="deck", to=f"seat{self._state.order[0]}", face="down"))
            return
        act = self._recorded(seat)
        if (
            street
            and act is not None
            and self._last_of.get(street) is act
            and self._slips(street, "premature")
        ):
            self._take(ev.CardMoved(card=None, from_="deck", to="burn", face="down"))
            self._turn(street, self._faces(street, STREET_CARDS[street]))
            return
        options = order.options or ()
        if act is None:
            said = ev.Acted(seat=seat, said="check" if "check" in options else "fold")
        else:
            self._next += 1
            if act.kind == "fold":
                said = ev.Acted(seat=seat, said="fold")
            elif act.kind == "call":
                said = ev.Acted(seat=seat, said="check" if "check" in options else "call")
            else:
                everything = self._state.seats[seat].bet + (self._state.seats[seat].stack or 0)
                word: Said = "all_in" if act.amount >= everything else "raise" if self._state.price else "bet"
                said = ev.Acted(seat=seat, said=word, amount=act.amount)
        self._take(said)

    def _recorded(self, seat: int) -> RecordedAct | None:
        """The record's next act when it is this seat's; acts of hands that are dead are passed over."""
        while self._next < len(self._acts):
            act = self._acts[self._next]
            actor = self._hand.seats[act.player]
            if actor == seat:
                return act
            if self._state.seats[actor].live and not self._state.seats[actor].all_in:
                return None
            self._next += 1
        return None

    def _show(self, seat: int) -> bool:
        player = self._hand.seats.index(seat)
        for act in self._hand.acts:
            if act.player == player and act.kind == "show" and None not in act.cards:
                self._take(ev.HandShown(seat=seat, to="table", cards=act.cards))
                return True
            if act.player == player and act.kind == "muck" and self._state.phase == "showdown":
                self._to_muck(seat, "player")
                return True
        return self._winners() or self._give_up(seat)

    def _give_up(self, seat: int) -> bool:
        """Throw away a hand that the record does not know, when another one lies open."""
        others = [other for other in self._state.seats.values() if other.live and other.seat != seat]
        if self._state.phase != "showdown" or not any(other.shown for other in others):
            return False
        return self._bury(seat)

    def _bury(self, seat: int) -> bool:
        """Put a dead hand in the muck, once: it cannot be done again."""
        if seat in self._buried:
            return False
        self._buried.add(seat)
        self._to_muck(seat, "dealer")
        return True

    def _to_muck(self, seat: int, by: By) -> None:
        for _ in range(2):
            self._take(ev.CardMoved(card=None, from_=f"seat{seat}", to="muck", face="down", by=by))

    def _winners(self) -> bool:
        """Name the winners by the record, once, where the cards do not tell."""
        if self._named or self._state.phase != "showdown":
            return False
        self._named = True
        winners = recorded_winners(self._hand, machine.summary(self._state, self._book))
        for pot, seats in sorted(winners.items()):
            self._take(ev.Winners(pot=pot, seats=seats))
        return bool(winners)

    def _wait(self, order: Order) -> bool:
        """The director follows the first suggestion of another book, else lets play go on."""
        if order.for_ == "winners":
            return self._winners()
        if not self._state.calls:
            return False
        asked = next((r for r in reversed(self._rulings) if r.ruling == "call_floor"), None)
        choice = asked.suggestions[0].ruling[0] if asked is not None and asked.suggestions else "play_on"
        drawn = [r for r in self._rulings[-1:] if r.ruling == "burn_assigned"]
        cards: tuple[str, ...] | None = None
        if drawn or choice == "burn_assigned":
            choice = "burn_assigned"
            board = [card for card in (*self._state.board, *self._state.surplus) if card is not None]
            spare = [card for card in board if card not in self._hand.board]
            cards = tuple((spare or board)[:1])
        seat = self._state.calls[0].seat
        self._take(
            ev.FloorDecided(
                choice=choice, by="record", cards=cards, seats=(seat,) if seat is not None else None
            )
        )
        return True


def _answer(order: Order) -> bool | int | str:
    """The first answer that the question offers."""
    first = order.options[0] if order.options else "yes"
    return {"yes": True, "true": True, "no": False, "false": False}.get(first, first)


def _last_acts(hand: RecordedHand) -> dict[str, RecordedAct]:
    """The last act before each street that the record comes to."""
    found: dict[str, RecordedAct] = {}
    streets = iter(STREETS[1:])
    last: RecordedAct | None = None
    for act in hand.acts:
        if act.kind in _BETTING:
            last = act
        elif act.kind == "board":
            street = next(streets, "")
            if last is not None:
                found[street] = last
            last = None
    return found
