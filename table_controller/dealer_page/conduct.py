"""Conduct for which a warning or penalty may be given, each with the article that it rests on."""

from typing import Final

REASONS: Final[dict[str, str]] = {
    "out_of_turn": "ROPTA out of turn",
    "comments": "PPC 11.1",
    "advice": "PPC 11.2",
    "revealing_cards": "PPC 11.4",
    "announcing_cards": "PPC 11.5",
    "conditional_word": "ROPTA 9.19",
    "open_muck": "ROPTA 9.22",
    "throwing_cards": "ROPTA penalties",
    "splashing": "PPC 6.4",
    "delay": "ROPTA ethics",
    "telephone": "ROPTA telephone",
    "touching": "ROPTA ethics",
    "hidden_chips": "ROPTA 9.23",
    "left_table": "ROPTA penalties",
    "misdeal_on_purpose": "ROPTA repetition",
    "one_player": "ROPTA penalties",
    "false_announcement": "ROPTA showdown",
    "collusion": "ROPTA collusion",
}
