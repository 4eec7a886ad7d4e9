"""The club's decks at one table: counted, put away, taken again, one card given a new tag."""

from table_controller.decks.care import DeckCare, DeckRefused, DeckRow, DecksView, Work

__all__ = ["DeckCare", "DeckRefused", "DeckRow", "DecksView", "Work"]
