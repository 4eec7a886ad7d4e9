"""The parts of a screen and of a sheet, ready to be put into HTML."""

from __future__ import annotations

from msgspec import Struct


class Tap(Struct, frozen=True):
    """A button: a deed with its fields, or a sheet that it opens.

    Attributes:
        label: What stands on it.
        deed: What it does; empty where it opens a sheet.
        fields: What goes with the deed.
        sheet: The sheet that it opens, with its query.
        look: ``main``, ``plain``, ``quiet`` or ``grave``.
        hold: It must be held for a second: it ends a hand or a player.
        name: For scripts and tests.
    """

    label: str
    deed: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    sheet: str = ""
    look: str = "plain"
    hold: bool = False
    name: str = ""


class SeatView(Struct, frozen=True):
    """One seat as the screen shows it; ``words`` say its state, ``mark`` its button or blind."""

    seat: int
    taken: bool
    words: tuple[str, ...] = ()
    mark: str = ""
    turn: bool = False
    out: bool = False
    stack: str = ""
    bet: str = ""
    deals: bool = False


class View(Struct, frozen=True):
    """One screen.

    Attributes:
        say: The one instruction.
        then: What follows it, or what belongs to it.
        why: Rulings that people have not put away, each a sentence with its article.
        taps: Buttons of what is due.
        menu: Buttons that are always there.
        seats: All seats.
        board: Five places: a card, ``?`` for one that nobody could read, or empty.
        hands: Hands that lie open: (seat, cards).
        pot: All chips in the middle; empty where it is not known or not to be shown.
        hand: Which hand.
        level: Blinds and ante.
        left: Seconds left of the level; None without a running clock.
        runs: Whether the clock runs.
        clock: What the clock is of beside a level that runs (a break, a pause), and that nobody confirms it.
        seconds: Seconds left of a player's time; None while nobody's runs.
        remarks: Doubts of the sensors and what became of taps, in words.
        tone: ``calm``, ``ask``, ``grave`` or ``still``: the frame of the line, said by a sign too.
        turn: What is due now; a tap brings it back.
    """

    say: str
    then: str
    why: tuple[str, ...]
    taps: tuple[Tap, ...]
    menu: tuple[Tap, ...]
    seats: tuple[SeatView, ...]
    board: tuple[str, ...]
    hands: tuple[tuple[int, tuple[str, ...]], ...]
    pot: str
    hand: str
    level: str
    left: int | None
    runs: bool
    seconds: int | None
    remarks: tuple[str, ...]
    tone: str
    turn: str
    clock: str = ""


class Pad(Struct, frozen=True):
    """A number to be typed with the thumb; ``presets`` are (label, value)."""

    name: str
    label: str
    value: str = ""
    presets: tuple[tuple[str, int], ...] = ()


class Seats(Struct, frozen=True):
    """Seats to be chosen, one of them or any: (seat, chosen), and what stands under it."""

    name: str
    label: str
    seats: tuple[tuple[int, bool], ...]
    one: bool = False


class Choice(Struct, frozen=True):
    """One word of several: (value, label, chosen)."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...]


class ChipsPart(Struct, frozen=True):
    """Chips to be put together, one tap each: (label, value)."""

    name: str
    label: str
    chips: tuple[tuple[str, int], ...]


class Line(Struct, frozen=True):
    """A line of free text."""

    name: str
    label: str


Part = Pad | Seats | Choice | ChipsPart | Line


class Form(Struct, frozen=True):
    """What a sheet collects before it does something."""

    deed: str
    submit: str
    parts: tuple[Part, ...]
    fields: tuple[tuple[str, str], ...] = ()
    hold: bool = False


class Sheet(Struct, frozen=True):
    """A page laid over the screen: a title, sentences, buttons, at most one form.

    Attributes:
        title: What it is about.
        lines: Sentences.
        taps: Buttons.
        form: What it collects.
        back: The sheet before it; empty: the screen.
        turn: What was due when it was opened.
    """

    title: str
    lines: tuple[str, ...] = ()
    taps: tuple[Tap, ...] = ()
    form: Form | None = None
    back: str = ""
    turn: str = ""
