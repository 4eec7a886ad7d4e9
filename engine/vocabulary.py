"""Cards, places, seats and chips as the field names them: parse and refuse.

A card is rank and suit (``"Ah"``, ``"Td"``); ``None`` stands for a card that nobody has seen.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
DECK: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
DECK_SET: Final = frozenset(DECK)
MAX_SEAT: Final = 10

Card = Annotated[str, Meta(pattern=r"^[2-9TJQKA][shdc]$", description="rank and suit, such as Ah or Td")]
CardPlace = Annotated[
    str,
    Meta(
        pattern=r"^(deck|seat([1-9]|10)|board|burn|muck|aside|felt|off_table)$",
        description="deck, seat1…seat10, board, burn, muck, aside, felt or off_table",
    ),
]
ChipPlace = Annotated[
    str,
    Meta(
        pattern=r"^((bet|stack)([1-9]|10)|pot|bank)$",
        description="bet1…bet10, stack1…stack10, pot or bank",
    ),
]
SeatNumber = Annotated[int, Meta(ge=1, le=MAX_SEAT)]
Chips = Annotated[int, Meta(ge=0, le=2**53)]

By = Literal["dealer", "player", "deck", "unknown"]
SeenBy = Literal["all", "majority", "some"]
Face = Literal["down", "up"]
Said = Literal["fold", "check", "call", "bet", "raise", "all_in", "pot"]
Word = Literal["before", "with", "after"]
AnteKind = Literal["none", "classic", "big_blind", "button"]
Limit = Literal["no_limit", "pot_limit", "fixed_limit"]
Betting = Literal["amounts", "words", "rounds"]

STREETS: Final = ("preflop", "flop", "turn", "river")
STREET_CARDS: Final = {"flop": 3, "turn": 1, "river": 1}
NEXT_STREET: Final = {"preflop": "flop", "flop": "turn", "turn": "river"}

SEAT_PLACES: Final = {f"seat{n}": n for n in range(1, MAX_SEAT + 1)}


def is_card(text: str) -> bool:
    """Tell whether ``text`` names one of the 52 cards.

    >>> is_card("Td"), is_card("10d")
    (True, False)
    """
    return text in DECK_SET


def seat_of(place: str) -> int | None:
    """Give the seat whose cards lie at ``place``, or None elsewhere.

    >>> seat_of("seat10"), seat_of("muck")
    (10, None)
    """
    return SEAT_PLACES.get(place)


def seat_place(seat: int) -> str:
    """Name the place where the cards of ``seat`` lie.

    >>> seat_place(4)
    'seat4'
    """
    return f"seat{seat}"
