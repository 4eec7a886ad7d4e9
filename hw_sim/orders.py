"""What the panel shows the people to do next, and what of it they have done already.

The table shows a list of acts and takes an act off once it has sensed it. Between doing and sensing the list
is old: an act that was done stays marked while the list only moves on, so nobody does it twice.

Does not model: people who misread the panel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

ORDER_NAMES: Final = (
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
PLACE_NAMES: Final = (
    "",
    *(f"seat {n}" for n in range(1, 11)),
    "board",
    "burn",
    "muck",
    "deck",
    "pot",
    "aside",
)


@dataclass(frozen=True)
class Shown:
    """One act on the panel: its name, its place (1 to 10 a seat) and its number."""

    name: str
    place: int
    arg: int

    def __str__(self) -> str:
        place = PLACE_NAMES[self.place] if self.place < len(PLACE_NAMES) else str(self.place)
        return " ".join(word for word in (self.name, place, str(self.arg) if self.arg else "") if word)


@dataclass
class Done:
    """An act that was done while it was shown: when (virtual, real), and how to say it once more."""

    t: float
    real: float
    again: Callable[[], None] | None = None
    confirmed: bool = False


class OrderBoard:
    """The list of acts shown now, with marks on those that have been done."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.shown: tuple[Shown, ...] = ()
        self.lists = 0
        self._done: dict[int, Done] = {}
        self._monotonic = monotonic

    def receive(self, codes: tuple[tuple[int, int, int], ...]) -> None:
        """Take a list from the wire; marks move along with the acts that are still on it."""
        fresh = tuple(
            Shown(ORDER_NAMES[code] if code < len(ORDER_NAMES) else f"order {code}", place, arg)
            for code, place, arg in codes
        )
        self.lists += 1
        if fresh == self.shown:
            return
        old = self.shown
        gone = next((k for k in range(1, len(old) + 1) if old[k:] == fresh[: len(old) - k]), 0)
        moved = {at - gone: done for at, done in self._done.items() if at >= gone}
        kept = moved if gone < len(old) else self._pushed_back(old, fresh)
        self.shown, self._done = fresh, kept

    def _pushed_back(self, old: tuple[Shown, ...], fresh: tuple[Shown, ...]) -> dict[int, Done]:
        """Marks of acts before which something else was put; cards of the stub are always asked for anew."""
        kept: dict[int, Done] = {}
        for at, done in sorted(self._done.items()):
            if old[at].name not in ("deal", "burn", "board"):
                places = (i for i, act in enumerate(fresh) if act == old[at] and i not in kept)
                place = next(places, None)
                if place is not None:
                    kept[place] = done
        return kept

    def shows(self, name: str) -> Shown | None:
        """The first act of this name that is shown and not marked as done."""
        return next(
            (act for at, act in enumerate(self.shown) if act.name == name and at not in self._done), None
        )

    def head(self) -> Shown | None:
        """The first act shown."""
        return self.shown[0] if self.shown else None

    def next(self, finished: Callable[[Shown], bool]) -> Shown | None:
        """The first act that is neither marked as done nor visibly finished."""
        for at, act in enumerate(self.shown):
            if at not in self._done and not finished(act):
                return act
        return None

    def mark(self, act: Shown, t: float, again: Callable[[], None] | None = None) -> None:
        """Mark the first unmarked showing of an act as done."""
        for at, other in enumerate(self.shown):
            if other == act and at not in self._done:
                self._done[at] = Done(t, self._monotonic(), again)
                return

    def done(self, at: int = 0) -> Done | None:
        """The mark on an act of the list, None while it is to do."""
        return self._done.get(at)

    def __str__(self) -> str:
        if not self.shown:
            return "none"
        return ", ".join(f"{act}{' (done)' if at in self._done else ''}" for at, act in enumerate(self.shown))
