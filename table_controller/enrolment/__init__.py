"""Teaching the table its decks and chips: which tag is which card, which chip is worth what."""
