"""The numbers of the serial line and the names that people give them.

The bridge knows no poker: these are labels of places, lamps and buttons, taken from the page of the line and from
the list of orders of the contracts, where a code is a place in the list.
"""

from typing import Final

from firmware_bridge.errors import BadCommand

ORDERS: Final = (
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
)
PLACES: Final = (
    "none",
    *(f"seat{seat}" for seat in range(1, 11)),
    "board",
    "burn",
    "muck",
    "deck",
    "pot",
    "aside",
)
COLOURS: Final = ("off", "red", "amber", "green", "blue")
PATTERNS: Final = ("steady", "blink")
SHOE_STATES: Final = ("ready", "feeding", "double_feed", "jam", "empty", "door", "misaligned", "disarmed")
ANTENNA_KINDS: Final = {
    1: "deck",
    2: "seat",
    3: "board",
    4: "burn",
    5: "muck",
    6: "bet",
    7: "stack",
    8: "pot",
    9: "bank",
}
FAULTS: Final = {
    1: "antenna_open",
    2: "reader_silent",
    3: "supply_low",
    4: "display",
    5: "lamp",
    6: "button_stuck",
    7: "memory",
}
BUTTONS: Final = {
    1: "FOLD",
    2: "CHECK",
    3: "CALL",
    4: "RAISE",
    5: "ALL_IN",
    6: "MINUS",
    7: "PLUS",
    8: "SEAT",
    9: "SEEN",
    10: "CUT",
    11: "SHUFFLED",
    12: "NEXT_HAND",
    13: "POT",
    14: "CLOCK",
    15: "FLOOR",
    16: "YES",
    17: "NO",
    18: "UNDO",
}

DISPLAY_CAPABILITY: Final = 1
LAMPS_CAPABILITY: Final = 2
BUZZER_CAPABILITY: Final = 4
SHOE_CAPABILITY: Final = 8
TEMPERATURE_CAPABILITY: Final = 16

NAK_UNKNOWN_TYPE: Final = 1
NAK_BAD_PAYLOAD: Final = 2
NAK_BUSY: Final = 3
NAK_NOT_ARMED: Final = 4
NAK_OUT_OF_RANGE: Final = 5
REFUSALS: Final = {
    NAK_UNKNOWN_TYPE: "unknown-type",
    NAK_BAD_PAYLOAD: "bad-payload",
    NAK_BUSY: "busy",
    NAK_NOT_ARMED: "not-armed",
    NAK_OUT_OF_RANGE: "out-of-range",
}

EVERY_ANTENNA: Final = 0xFF
FEED_TARGETS: Final = range(1, 13)


def order_code(name: str) -> int:
    """The number of an order on the line: `deal` is 0, `wait` is 23.

    Raises:
        BadCommand: There is no order of that name.
    """
    return _position(ORDERS, name, "order")


def place_code(name: str) -> int:
    """The number of a place on the line: `none` is 0, `seat3` is 3, `board` is 11.

    Raises:
        BadCommand: There is no place of that name.
    """
    return _position(PLACES, name, "place")


def colour_code(name: str) -> int:
    """The number of a lamp's colour: `off` is 0, `green` is 3.

    Raises:
        BadCommand: No lamp has that colour.
    """
    return _position(COLOURS, name, "colour")


def _position(names: tuple[str, ...], name: str, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise BadCommand(f"no {what} is called {name!r}", where=what) from None
