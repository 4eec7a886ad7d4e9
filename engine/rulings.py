"""What the engine says: rulings, orders and the summary of the state."""

from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

RulingName = Literal[
    "misdeal",
    "hand_void",
    "card_replaced",
    "burn_assigned",
    "burn_skipped",
    "card_returned",
    "card_kept",
    "card_set_aside",
    "card_held_out",
    "street_redealt",
    "stub_rebuilt",
    "hand_dead",
    "bets_returned",
    "chips_forfeited",
    "pot_split",
    "amount_corrected",
    "action_bound",
    "action_refused",
    "penalty_reported",
    "play_on",
    "start_refused",
    "call_floor",
]
RULINGS: Final = frozenset(get_args(RulingName))

OrderName = Literal[
    "deal",
    "burn",
    "board",
    "move",
    "shuffle",
    "mix",
    "draw",
    "cut",
    "return_cards",
    "return_chips",
    "post",
    "gather",
    "change",
    "button",
    "count",
    "clock",
    "find",
    "announce",
    "show",
    "muck",
    "push_pot",
    "act",
    "ask",
    "wait",
]
# The place of a name in this tuple is its code on the serial line (ORDER frame).
ORDERS: Final[tuple[str, ...]] = get_args(OrderName)

ASKABLE: Final = frozenset(
    "by seen_by protected order_known readable on_purpose time_to_speak identified mixed_with "
    "acted_count bet_called".split()
)

INCIDENTS: Final = frozenset(
    """
    first_card_exposed second_card_exposed card_exposed_in_deal card_flashed_in_deal
    several_cards_exposed_in_deal card_dropped_by_dealer card_dropped_by_player card_to_wrong_seat
    absent_dealt_in seat_skipped wrong_card_count dealer_short extra_card several_extra_cards boxed_card
    several_boxed_cards error_after_limit dealer_repeats
    no_burn double_burn flop_too_many_cards premature_flop premature_turn premature_river stub_dropped
    stub_exposed board_disturbed burn_exposed street_too_many_cards
    duplicate_card foreign_card missing_card wrong_deck shuffle_cut_one_person
    hand_touched_muck unprotected_hand_fouled unprotected_hand_killed hand_mixed hand_shown tabled_early
    player_skipped time_expired left_table open_muck
    below_minimum_raise oversized_chip several_chips word_against_chips string_bet call_without_bet
    check_facing_bet underbet undercall underraise smaller_chip short_all_in reopened out_of_turn
    conditional_word bet_before_card simultaneous wrong_pot asked_to_see hidden_chips wrong_button
    utg_posted short_blind ante_eliminated
    """.split()
)


class Order(Struct, frozen=True, omit_defaults=True, rename={"from_": "from", "for_": "for"}):
    """The next physical act, for a dealer, a display or a shoe.

    ``order`` names the act; the other fields are those the act needs. An order never names a
    card that lies face down.
    """

    order: OrderName
    to: str | None = None
    count: int | None = None
    card: str | None = None
    from_: str | None = None
    face: str | None = None
    what: str | None = None
    by_seat: int | None = None
    seat: int | None = None
    amount: int | None = None
    seconds: int | None = None
    text: str | None = None
    options: tuple[str, ...] | None = None
    call: int | None = None
    min: int | None = None
    max: int | None = None
    fact: str | None = None
    for_: str | None = None


class Suggestion(Struct, frozen=True, omit_defaults=True):
    """What a row of another rulebook would answer; named as such, never applied."""

    rulebook: str
    article: str
    ruling: tuple[str, ...]


class Ruling(Struct, frozen=True, omit_defaults=True):
    """What the rulebook says of an incident, with its article.

    ``orders`` is the whole cure; ``event`` the index of the event that it answers.
    """

    ruling: str
    incident: str
    rulebook: str
    article: str
    seats: tuple[int, ...]
    cards: tuple[str, ...]
    orders: tuple[Order, ...]
    event: int
    official: str | None = None
    amounts: dict[str, int] | None = None
    penalty: str | None = None
    suggestions: tuple[Suggestion, ...] | None = None


class PotSummary(Struct, frozen=True):
    """One pot and the seats that can win it."""

    amount: int
    seats: tuple[int, ...]


class Summary(Struct, frozen=True):
    """The public state of a hand, in the contract's form."""

    phase: str
    board: tuple[str | None, ...]
    burns: tuple[str | None, ...]
    held_out: tuple[str, ...]
    dead_seats: tuple[int, ...]
    folded_seats: tuple[int, ...]
    pot: int | None
    pots: tuple[PotSummary, ...]
    stacks: dict[str, int | None]
    bets: dict[str, int]
    owed: dict[str, int]
    to_act: int | None
    substantial_action: bool
    misdeals: int


_encoder = msgspec.json.Encoder(order="deterministic")


def encode(thing: Ruling | Order | Summary) -> bytes:
    """Write a ruling, an order or a summary as JSON, always the same bytes for the same thing."""
    return _encoder.encode(thing)
