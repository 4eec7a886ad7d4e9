"""Cards as whoever teaches a deck is asked for them."""

SIGNS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


def card_in(text: str) -> str:
    """A card as it is asked for."""
    return text[:-1].replace("10", "T") + SIGNS[text[-1]]
