"""Which buttons a panel has, and which of them show and take what has no button of its own. Pure.

Any two of + − SIÈGE NON OUI are enough for everything: one shows the next choice, the other takes it. With one of
them alone a short press and a held one do the same.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct

HOLD: Final = 1.0
"""A button that is down for so long is held (seconds)."""
LABELS: Final[dict[str, dict[str, str]]] = {
    "fr": {
        "FOLD": "PASSE",
        "CHECK": "PAROLE",
        "CALL": "PAYÉ",
        "RAISE": "RELANCE",
        "ALL_IN": "TAPIS",
        "MINUS": "-",
        "PLUS": "+",
        "SEAT": "SIÈGE",
        "SEEN": "VUE",
        "CUT": "COUPE",
        "SHUFFLED": "MÉLANGE",
        "NEXT_HAND": "SUIVANTE",
        "POT": "POT",
        "CLOCK": "TEMPS",
        "FLOOR": "ARBITRE",
        "YES": "OUI",
        "NO": "NON",
        "UNDO": "ANNULER",
    },
    "en": {
        "FOLD": "FOLD",
        "CHECK": "CHECK",
        "CALL": "CALL",
        "RAISE": "RAISE",
        "ALL_IN": "ALL-IN",
        "MINUS": "-",
        "PLUS": "+",
        "SEAT": "SEAT",
        "SEEN": "SEEN",
        "CUT": "CUT",
        "SHUFFLED": "SHUFFLE",
        "NEXT_HAND": "NEXT",
        "POT": "POT",
        "CLOCK": "TIME",
        "FLOOR": "FLOOR",
        "YES": "YES",
        "NO": "NO",
        "UNDO": "UNDO",
    },
}
"""What stands on the buttons, and so on the display."""
WORDS: Final = ("FOLD", "CHECK", "CALL", "RAISE", "ALL_IN")
_NEXT: Final = ("PLUS", "SEAT", "MINUS", "NO")
_TAKE: Final = ("YES", "MINUS", "SEAT")
_INSTEAD: Final = ("NEXT_HAND", "POT", "CUT", "SHUFFLED")
"""Where none of the buttons above is fitted, these say that the act shown is done, in this order."""


class Gesture(Struct, frozen=True):
    """A button, pressed or held."""

    button: str
    held: bool = False


class Layout(Struct, frozen=True):
    """What a panel can say.

    Attributes:
        fitted: The buttons that it has.
        next: Shows the next choice; None: nothing can be chosen on the display.
        take: Takes what is shown, and says that the act shown is done.
        both: The one button that does both, by a short and a held press.
        start: The button that begins a hand.
    """

    fitted: frozenset[str]
    next: Gesture | None
    take: Gesture | None
    both: str = ""
    start: str = ""


def layout_of(buttons: Collection[str]) -> Layout:
    """Find out what a panel with these buttons can say.

    >>> layout_of(["PLUS", "YES"]).take
    Gesture(button='YES', held=False)
    >>> layout_of(["NO"]).take
    Gesture(button='NO', held=True)
    >>> layout_of(["FOLD", "CUT"]).take
    Gesture(button='CUT', held=False)
    """
    fitted = frozenset(buttons)
    start = next((name for name in ("NEXT_HAND", "CUT") if name in fitted), "")
    shows = next((name for name in _NEXT if name in fitted), "")
    takes = next((name for name in _TAKE if name in fitted and name != shows), "")
    if shows and takes:
        return Layout(fitted, Gesture(shows), Gesture(takes), start=start)
    if shows:
        return Layout(fitted, Gesture(shows), Gesture(shows, held=True), shows, start)
    if takes:
        return Layout(fitted, Gesture(takes, held=True), Gesture(takes), takes, start)
    instead = next((name for name in _INSTEAD if name in fitted), "")
    return Layout(fitted, None, Gesture(instead) if instead else None, start=start)


def lacks(layout: Layout, *, betting: str, light: bool, chips: bool, deal_seen: bool) -> tuple[str, ...]:
    """What this panel alone cannot say though a hand needs it, as slugs; empty: a hand can be led by it alone.

    Args:
        layout: The panel.
        betting: ``amounts``, ``words`` or ``rounds``.
        light: Nobody says what happens inside a hand.
        chips: Antennas tell the amounts.
        deal_seen: Antennas tell deal, burn and board.
    """
    found: list[str] = []
    if layout.start == "" and layout.take is None:
        found.append("start")
    if light:
        return tuple(found)
    if layout.take is None and not deal_seen:
        found.append("done")
    if betting != "rounds" and layout.next is None:
        missing = [name for name in WORDS if name not in layout.fitted]
        found += [f"word.{name}" for name in missing]
        if betting == "amounts" and not chips:
            found.append("amount")
    if layout.take is None and betting == "rounds":
        found.append("round")
    if layout.next is None and betting == "amounts":
        found.append("winner")
    return tuple(found)


def seldom(layout: Layout) -> tuple[str, ...]:
    """What this panel alone cannot say of things that happen seldom, as slugs."""
    if layout.next is not None:
        return ()
    missing = ["what"]
    missing += [slug for slug, name in (("floor", "FLOOR"), ("undo", "UNDO")) if name not in layout.fitted]
    return tuple(missing)


def spoken(gesture: Gesture, lang: str) -> str:
    """A gesture as the display says it.

    >>> spoken(Gesture("NO", held=True), "fr")
    'NON long'
    """
    long = {"fr": "long", "en": "held"}[lang]
    return f"{LABELS[lang][gesture.button]} {long}" if gesture.held else LABELS[lang][gesture.button]
