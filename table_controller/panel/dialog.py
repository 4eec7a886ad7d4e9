"""Choosing on two lines: the sheets of the dealer's page, one sentence or one choice at a time. Pure but for its place.

A screen is its sentences, then its choices, then the way back. "Next" shows the next of them, "take" takes the choice
that is shown. A form is asked part by part; what must be held on the page is asked once more here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from table_controller.dealer_page.lines_hand import Text
from table_controller.dealer_page.screen import (
    ChipsPart,
    Choice,
    Form,
    Line,
    Pad,
    Part,
    Seats,
    Sheet,
    Tap,
)

_DIGITS: Final = 12
"""No number is longer."""


class Said(Struct, frozen=True):
    """A deed that was chosen, as a tap on the page would say it."""

    deed: str
    fields: dict[str, str]
    turn: str


class Item(Struct, frozen=True):
    """One thing that is shown: a sentence, or a choice with what it does.

    Attributes:
        text: What is read.
        tap: The tap of the page that it stands for.
        value: What it adds to a form's part.
        kind: ``sentence``, ``tap``, ``form``, ``value``, ``toggle``, ``number``, ``digit``, ``done``, ``less``,
            ``sure`` or ``back``.
    """

    text: str
    kind: str
    tap: Tap | None = None
    value: str = ""

    @property
    def chosen(self) -> bool:
        """Whether it can be taken."""
        return self.kind != "sentence"


@dataclass
class Screen:
    """One level of the dialog."""

    items: list[Item]
    turn: str
    at: int = 0
    form: Form | None = None
    part: int = 0
    given: dict[str, str] = field(default_factory=dict)
    typed: str = ""
    chosen: list[str] = field(default_factory=list)


class Dialog:
    """What is being chosen.

    Args:
        sheet_of: Makes a sheet of the page by its address, of the table as it is now; None when there is none.
        text: The page's texts, the panel's own among them.
    """

    def __init__(self, sheet_of: Callable[[str], Sheet | None], text: Text) -> None:
        self._sheet_of = sheet_of
        self._t = text
        self._stack: list[Screen] = []

    # -- what is shown ---------------------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether something is being chosen."""
        return bool(self._stack)

    @property
    def item(self) -> Item:
        """What is shown now."""
        screen = self._stack[-1]
        return screen.items[screen.at]

    # -- opened and closed -----------------------------------------------------------------------------------

    def choose(self, title: str, taps: Sequence[Tap], turn: str) -> None:
        """Begin with the choices of the moment."""
        items = [Item(title, "sentence")] if title else []
        items += [Item(tap.label, "tap", tap) for tap in taps if _can_be_said(tap)]
        self._stack = []
        self._push(Screen(items, turn))

    def sheet(self, address: str) -> None:
        """Lay a sheet over what is shown, if there is such a sheet."""
        sheet = self._sheet_of(address)
        if sheet is None:
            return
        items = [Item(text, "sentence") for text in (sheet.title, *sheet.lines) if text]
        items += [Item(tap.label, "tap", tap) for tap in sheet.taps if _can_be_said(tap)]
        form = sheet.form if sheet.form is not None and _can_be_filled(sheet.form) else None
        if form is not None and items and any(item.chosen for item in items):
            items.append(Item(form.submit, "form"))
            self._push(Screen(items, sheet.turn, form=form))
        elif form is not None:
            self._ask_part(Screen(items, sheet.turn, form=form), items)
        else:
            self._push(Screen(items, sheet.turn))

    def close(self) -> None:
        """Nothing is being chosen any more."""
        self._stack = []

    def _push(self, screen: Screen) -> None:
        screen.items.append(Item(self._t("panel.back"), "back"))
        self._stack.append(screen)

    # -- pressed -----------------------------------------------------------------------------------------------

    def next(self) -> None:
        """Show the next sentence or choice; after the last one the first choice again."""
        screen = self._stack[-1]
        screen.at += 1
        if screen.at >= len(screen.items):
            screen.at = next(place for place, item in enumerate(screen.items) if item.chosen)

    def before(self) -> None:
        """Show what was shown before; before the first one the last."""
        screen = self._stack[-1]
        screen.at = (screen.at or len(screen.items)) - 1

    def back(self) -> None:
        """Leave this level."""
        self._stack.pop()

    def take(self) -> Said | None:
        """Take what is shown: go on, go deeper, go back; or give the deed that it means."""
        screen, item = self._stack[-1], self.item
        match item.kind:
            case "sentence":
                self.next()
            case "back":
                self.back()
            case "tap" if item.tap is not None:
                return self._tap(item.tap, screen.turn)
            case "sure" if item.tap is not None:
                return Said(item.tap.deed, dict(item.tap.fields), screen.turn)
            case "number":
                self._push(Screen(self._digits(""), screen.turn, 0, screen.form, screen.part, screen.given))
            case "form":
                self._ask_part(screen, [])
            case _:
                return self._fill(screen, item)
        return None

    def _tap(self, tap: Tap, turn: str) -> Said | None:
        if tap.sheet:
            self.sheet(tap.sheet)
            return None
        if tap.hold:
            self._sure(tap, turn)
            return None
        return Said(tap.deed, dict(tap.fields), turn)

    def _sure(self, tap: Tap, turn: str) -> None:
        """What ends a hand or a player is asked once more."""
        self._push(Screen([Item(self._t("panel.sure", what=tap.label), "sure", tap)], turn))

    # -- forms -------------------------------------------------------------------------------------------------

    def _ask_part(self, screen: Screen, before: list[Item]) -> None:
        """Ask the next part of a form; ``before`` are sentences that stand in front of it."""
        form = screen.form
        if form is None:
            return
        part = form.parts[screen.part]
        items = [*before, Item(part.label, "sentence"), *self._choices(part)]
        chosen = [str(n) for n, on in part.seats if on] if isinstance(part, Seats) and not part.one else []
        self._push(Screen(items, screen.turn, 0, form, screen.part, screen.given, "", chosen))

    def _choices(self, part: Part) -> list[Item]:
        t = self._t
        if isinstance(part, Pad):
            items = [Item(label, "value", value=str(value)) for label, value in part.presets]
            if part.value:
                items.append(Item(part.value, "value", value=part.value))
            if items:
                return [*items, Item(t("panel.number"), "number")]
            return self._digits("")
        if isinstance(part, Choice):
            options = sorted(part.options, key=lambda option: not option[2])
            return [Item(label, "value", value=value) for value, label, _ in options]
        if isinstance(part, Seats) and part.one:
            seats = sorted(part.seats, key=lambda seat: not seat[1])
            return [Item(t("players.seat", seat=n), "value", value=str(n)) for n, _ in seats]
        if isinstance(part, Seats):
            items = [Item(self._toggled(n, on), "toggle", value=str(n)) for n, on in part.seats]
            return [Item(t("panel.as_shown"), "done"), *items]
        if isinstance(part, ChipsPart):
            items = [Item(label, "toggle", value=str(value)) for label, value in part.chips]
            return [*items, Item(t("panel.all_put"), "done")]
        return []

    def _toggled(self, seat: int, on: bool) -> str:
        return self._t("panel.seat_in" if on else "panel.seat_out", seat=seat)

    def _digits(self, typed: str) -> list[Item]:
        t = self._t
        items = [Item(t("panel.digit", digit=d, typed=typed), "digit", value=str(d)) for d in range(10)]
        items.append(Item(t("panel.digit", digit="00", typed=typed), "digit", value="00"))
        if typed:
            items.append(Item(t("panel.typed", typed=typed), "done"))
            items.append(Item(t("panel.delete", typed=typed), "less"))
        return items

    def _fill(self, screen: Screen, item: Item) -> Said | None:
        form = screen.form
        if form is None:
            return None
        part = form.parts[screen.part]
        if item.kind == "value":
            return self._filled(screen, form, part.name, item.value)
        if item.kind == "done":
            given = screen.typed if isinstance(part, Pad) else ",".join(screen.chosen)
            return self._filled(screen, form, part.name, given)
        if isinstance(part, Pad):
            screen.typed = (
                (screen.typed + item.value)[:_DIGITS] if item.kind == "digit" else screen.typed[:-1]
            )
            screen.items = [*self._digits(screen.typed), Item(self._t("panel.back"), "back")]
            # After a digit the whole number is shown first, then the digits again.
            screen.at = next((p for p, one in enumerate(screen.items) if one.kind == "done"), 0)
        elif isinstance(part, ChipsPart):
            screen.chosen.append(item.value)
            self._count_chips(screen)
        else:
            self._toggle(screen, item)
        return None

    def _toggle(self, screen: Screen, item: Item) -> None:
        if item.value in screen.chosen:
            screen.chosen.remove(item.value)
        else:
            screen.chosen.append(item.value)
        text = self._toggled(int(item.value), item.value in screen.chosen)
        screen.items[screen.at] = Item(text, "toggle", value=item.value)

    def _count_chips(self, screen: Screen) -> None:
        total = sum(int(value) for value in screen.chosen)
        last = next(place for place, item in enumerate(screen.items) if item.kind == "done")
        screen.items[last] = Item(self._t("panel.typed", typed=total), "done")

    def _filled(self, screen: Screen, form: Form, name: str, value: str) -> Said | None:
        """A part of the form is known: the next one, or the deed."""
        given = {**screen.given, name: value}
        if screen.part + 1 < len(form.parts):
            self._ask_part(Screen([], screen.turn, 0, form, screen.part + 1, given), [])
            return None
        fields = {**dict(form.fields), **given}
        if form.hold:
            self._sure(Tap(form.submit, form.deed, tuple(fields.items())), screen.turn)
            return None
        return Said(form.deed, fields, screen.turn)


def _can_be_said(tap: Tap) -> bool:
    """A line of free text cannot be written with buttons."""
    return not tap.sheet.startswith("decide?choice=note")


def _can_be_filled(form: Form) -> bool:
    return not any(isinstance(part, Line) for part in form.parts)
