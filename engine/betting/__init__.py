"""Betting: what was said and put forward becomes an action; minimum raise, turn, reopening.

``acted`` takes an act; ``open_round`` and ``close_round`` begin and end a round; ``legal`` tells
what the player to act may do. The rest is what rulings and the director do with bets.
"""

from engine.betting.chips import (
    check_for,
    chips_moved,
    contributed,
    counted,
    kill,
    refund,
    set_bet,
    uncalled,
)
from engine.betting.claims import INCIDENTS, rule
from engine.betting.early import resume
from engine.betting.orders import clock, legal, to_gather
from engine.betting.round import facing, open_round
from engine.betting.taking import acted, decided
from engine.betting.words import close_round

__all__ = [
    "INCIDENTS",
    "acted",
    "check_for",
    "chips_moved",
    "clock",
    "close_round",
    "contributed",
    "counted",
    "decided",
    "facing",
    "kill",
    "legal",
    "open_round",
    "refund",
    "resume",
    "rule",
    "set_bet",
    "to_gather",
    "uncalled",
]
