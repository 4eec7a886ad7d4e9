"""The state of one hand: where every card and chip is, who may do what, what is still to cure.

``HandState`` is a plain struct. ``step`` never changes the state that it is given: it works on
``thaw()``'s private copy. All containers inside are immutable except ``seats``, which the copy
has of its own.
"""

from copy import copy

from msgspec import Struct

from engine.events import Acted, Ante, Straddle
from engine.rulebook import Rulebook
from engine.rulings import Order
from engine.vocabulary import NEXT_STREET, STREET_CARDS, STREETS


class Seat(Struct):
    """One seat in the running hand; chips are whole chips, None where betting is not recorded."""

    seat: int
    entry: str | None = None
    start: int | None = None
    stack: int | None = None
    bet: int = 0  # in front of him in this round
    paid: int = 0  # put in during the hand, bets of this round and classic antes included
    cards: tuple[str | None, ...] = ()  # the hand at his place, None = unseen; dead cards left out
    dealt: int = 0  # cards served to him in the deal, dead ones included
    incomplete: bool = False  # is owed a card that the deal forgot
    absent: bool = False
    away: bool = False  # left the table during the hand
    folded: bool = False
    dead: bool = False  # killed by a ruling or by absence, not a fold
    all_in: bool = False
    acted: bool = False  # since the last full bet or raise of the round
    acted_at: int = -1  # the price when he last acted in this round, -1 = not yet
    barred: bool = False  # may call or fold only
    barred_as: str = ""  # the incident by which he may not
    shown: bool = False
    hand: tuple[str, ...] = ()  # tabled cards
    mucked: bool = False  # threw his hand away at the showdown
    early: Acted | None = None  # an act out of turn that waits for his turn
    early_as: str = ""  # the incident that it was
    early_price: int = 0  # what the round cost when he acted out of turn
    early_total: int = 0  # what it will cost if that act binds
    parked: Acted | None = None  # an act that waits for the director's reading
    owed: int = 0  # must still put in (+) or take back (-)
    acts: int = 0  # acts made in the hand

    @property
    def live(self) -> bool:
        """Whether the hand can still win: not folded, not killed."""
        return not self.folded and not self.dead


class Motion(Struct, frozen=True):
    """The last act of the round as it was before it, so that a second motion can correct it."""

    seat: int
    event: Acted
    bet: int
    owed: int
    price: int
    last_raise: int
    raises: int
    aggressor: int | None
    acted: tuple[int, ...]  # seats that had acted since the last full bet or raise
    had_acted: bool
    acted_at: int
    barred: bool
    acts: int


class FloorCall(Struct, frozen=True):
    """An open call of the floor: what it is about, where it came from."""

    incident: str
    seat: int | None
    card: str | None
    event: int
    pause: str = ""  # the step that goes on by the director's choice


class Question(Struct, frozen=True):
    """A fact asked of a person, and the incident that waits for it."""

    fact: str
    incident: "Incident"
    event: int


class Incident(Struct, frozen=True):
    """A difference between what was expected and what came."""

    name: str
    seat: int | None = None
    card: str | None = None
    at: str | None = None
    facts: dict[str, bool | int | str] = {}
    seats: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()


class HandState(Struct):
    """Everything that the engine knows of the table during one hand."""

    phase: str = "over"
    last_street: str = "preflop"  # the round reached, also once the hand is over or void
    hand: int = 0
    events: int = 0  # events taken so far: the index of the next one
    button: int = 0
    small_blind_seat: int | None = None
    big_blind_seat: int | None = None
    small_blind: int = 0
    big_blind: int = 0
    ante: Ante = Ante()
    straddles: tuple[Straddle, ...] = ()
    dealer_seat: int | None = None
    dealer: str | None = None
    deck: str | None = None
    limit: str = "no_limit"
    smallest_chip: int = 1
    betting: str = "amounts"
    chips: str = "declared"
    rulebook: str | None = None
    seats: dict[int, Seat] = {}
    order: tuple[int, ...] = ()  # clockwise from the button's left, the button (if occupied) last

    # the deal
    off_deck: int = 0  # cards that left the deck in the initial deal
    deal_round: int = 1
    deal_at: int = -1  # place in `order` of the seat served last
    passed_over: tuple[int, ...] = ()  # seats left out in the round being dealt or before
    deal_judged: bool = False
    dead_exposed: tuple[tuple[int, str | None], ...] = ()  # (seat, card) replaced in this deal
    exposed_in_deal: int = 0
    extras: int = 0  # cards given too many once all had their hands, also those that went back
    boxed: int = 0
    replacements: tuple[int, ...] = ()  # seats that get one more card when the last was served
    on_top: tuple[str | None, ...] = ()  # cards known to lie on top of the deck, last is the top

    # board and burns
    board: tuple[str | None, ...] = ()  # None: lies there, nobody could read it yet
    street_laid: int = 0  # cards of the coming street that lie on the board already
    board_group: int | str | None = None  # scan cycle of the last board card
    street_ordered: bool = True  # the order of the coming street's cards is known
    burns: tuple[str | None, ...] = ()
    burned: int = 0  # burns since the last street was complete
    burn_due: int = 1  # burns that the coming street needs
    held_out: tuple[str, ...] = ()
    aside: tuple[str | None, ...] = ()
    muck: int = 0  # cards that went to the muck
    mucked_by: tuple[tuple[int, int], ...] = ()  # (seat, cards) in the muck, not yet a fold
    street_acts: int = 0  # len(acts) when the last street was completed (an error counts from here)
    off_table: int = 0  # cards that fell from the deck in play
    stub_shown: int = 0

    # betting
    to_act: int | None = None
    price: int = 0  # what the round costs so far, per seat
    last_raise: int = 0  # size of the last full bet or raise of the round
    raises: int = 0  # full bets and raises of the round
    aggressor: int | None = None  # who bet or raised last in this round
    last_actor: int | None = None
    acts: str = ""  # one letter an act since the hand's first: upper case put chips in
    pot: int | None = 0  # gathered, without bets
    dead_money: int = 0  # in the main pot without a claim: antes paid for the table, forfeits
    motion: Motion | None = None  # the last act of the round, while nobody acted after it
    returned: tuple[int, int] | None = None  # (seat, amount) given back uncalled by the last act
    skipped_acts: str = ""  # acts made behind the player whose turn it is, as in `acts`
    act_group: int | str | None = None  # scan cycle of the last act
    unknown_price: bool = False  # an all-in of unknown size: nobody can say when the round ends

    # rulings at work
    plan: tuple[Order, ...] = ()  # the cure's acts still to be done
    later: tuple[tuple[str, Order], ...] = ()  # acts that wait: ("deal" or a street, order)
    no_burn_before: tuple[str, ...] = ()  # streets that come without a burn by a ruling
    surplus_laid: int = 0  # how many such cards were laid on this street
    surplus: tuple[str | None, ...] = ()  # cards on the board beyond the street's
    calls: tuple[FloorCall, ...] = ()
    questions: tuple[Question, ...] = ()
    awards: tuple[tuple[int, int, int], ...] = ()  # (pot number, seat, amount) not yet taken
    winners: tuple[tuple[int, tuple[int, ...]], ...] = ()  # (pot number, seats) named by people
    settled: bool = False  # every pot was taken
    split_pot: bool = False  # the board could not be read: all in the hand share
    misdeals: int = 0
    dealer_misdeals: tuple[tuple[str, int], ...] = ()
    foul: bool = False
    shuffled_by: int | None = None

    def thaw(self) -> "HandState":
        """Give a private copy on which one step may work."""
        draft = copy(self)
        draft.seats = {number: copy(seat) for number, seat in self.seats.items()}
        return draft

    def in_hand(self) -> list[int]:
        """Seats whose hand is live, clockwise from the button's left."""
        seats = self.seats
        return [n for n in self.order if not seats[n].folded and not seats[n].dead]

    def can_bet(self) -> list[int]:
        """Seats that are live and not all-in."""
        seats = self.seats
        return [n for n in self.order if seats[n].live and not seats[n].all_in]

    def street(self) -> str:
        """The betting round being played: preflop, flop, turn or river."""
        return (
            self.phase
            if self.phase in STREETS
            else ("preflop" if self.phase == "dealing" else self.last_street)
        )

    def coming(self) -> str | None:
        """The street that comes next, None when the board is complete."""
        return NEXT_STREET.get(self.street())

    def cards_due(self) -> int:
        """How many board cards the coming street still needs."""
        coming = self.coming()
        return STREET_CARDS[coming] - self.street_laid if coming else 0

    def round_open(self) -> bool:
        """Whether somebody has yet to act in this round."""
        return self.to_act is not None


def substantial_action(acts: str, book: Rulebook) -> bool:
    """Tell whether these acts amount to substantial action under the book.

    ``acts`` holds one letter an act, upper case when it put chips in the pot.
    Sources: PPC 4.6; TDA 36.
    """
    if len(acts) >= 3:
        return True
    if book.term("substantial_action") == "three_acted":
        return False
    return len(acts) >= 2 and any(letter.isupper() for letter in acts)
