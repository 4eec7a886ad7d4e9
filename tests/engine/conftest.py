"""A dealer's shorthand for journals: what the tests of the engine are written in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from engine import events as ev
from engine import machine
from engine.rulings import Order, Ruling
from table_controller import rulebook_files

# A deck in a fixed order, none of whose first cards make a test depend on their rank.
STUB = [r + s for r in "23456789TJQKA" for s in "cdhs"]


class Script:
    """A hand told event by event; ``run`` puts it under a rulebook."""

    def __init__(self, seats: Iterable[int] | int = 6, button: int | None = None, **start: Any) -> None:
        numbers = list(range(1, seats + 1)) if isinstance(seats, int) else list(seats)
        self.button = button if button is not None else numbers[-1]
        absent = set(start.pop("absent", ()))
        stacks = start.pop("stacks", {})
        self.seats = sorted(numbers, key=lambda n: (n - self.button - 1) % 10)
        self.events: list[dict[str, Any]] = []
        self.start: dict[str, Any] = {
            "event": "hand_started",
            "hand": start.pop("hand", 1),
            "button": self.button,
            "small_blind": 50,
            "big_blind": 100,
            "ante": {"kind": "none", "amount": 0},
            "seats": [
                {"seat": n, "stack": stacks.get(n, 10000), **({"absent": True} if n in absent else {})}
                for n in numbers
            ],
            **start,
        }
        self.events.append(self.start)

    def add(self, event: str, **fields: Any) -> Script:
        if "from_" in fields:
            fields["from"] = fields.pop("from_")
        self.events.append({"event": event, **fields})
        return self

    def move(self, origin: str, to: str, card: str | None = None, face: str = "down", **more: Any) -> Script:
        return self.add("card_moved", card=card, from_=origin, to=to, face=face, **more)

    def card(self, seat: int, up: str | None = None, by: str = "dealer", **more: Any) -> Script:
        return self.move("deck", f"seat{seat}", up, "up" if up else "down", by=by, **more)

    def deal(
        self,
        *,
        up: dict[int, str] | None = None,
        by: str = "dealer",
        skip: Iterable[int] = (),
        until: int | None = None,
        start: int = 1,
    ) -> Script:
        """Deal two rounds; ``up`` names the cards (by place in the deal) that turn, ``skip`` those left out."""
        order = self.seats * 2
        for place, seat in enumerate(order, start=1):
            if place < start or place in set(skip):
                continue
            if until is not None and place > until:
                break
            turned = (up or {}).get(place)
            self.card(seat, turned, by=by if turned else "dealer")
        return self

    def act(self, words: str) -> Script:
        """``"3 call, 4 raise 300, 5 fold"``."""
        for item in words.split(","):
            seat, said, *amount = item.split()
            fields: dict[str, Any] = {"seat": int(seat), "said": said}
            if amount:
                fields["amount"] = int(amount[0])
            self.add("acted", **fields)
        return self

    def limp(self, *, but: int | None = None) -> Script:
        """Everybody calls before the flop, the big blind checks; ``but`` has not acted yet."""
        n = len(self.seats)
        order = [*self.seats[2:], *self.seats[:2]] if n > 2 else [self.seats[1], self.seats[0]]
        blind = self.seats[1] if n > 2 else self.seats[0]
        for seat in order:
            if seat == but:
                break
            self.act(f"{seat} check" if seat == blind else f"{seat} call")
        return self

    def checked(self, *, but: int | None = None) -> Script:
        for seat in self.seats:
            if seat == but:
                break
            self.act(f"{seat} check")
        return self

    def burn(self, card: str | None = None) -> Script:
        return self.move("deck", "burn", card)

    def board(self, cards: str, **more: Any) -> Script:
        for place in range(0, len(cards), 2):
            self.move("deck", "board", cards[place : place + 2], "up", **more)
        return self

    def to_flop(self, cards: str = "Td9h8c") -> Script:
        return self.deal().limp().burn().board(cards)

    def claim(self, claim: str, **fields: Any) -> Script:
        return self.add("claimed", claim=claim, **fields)

    def run(self, rulebook: str) -> Result:
        veil = ev.Veil()
        return Result([veil.hide(ev.convert(event)) for event in self.events], rulebook)


class Result:
    """What a script gave under a rulebook, step by step."""

    def __init__(self, events: list[ev.TableEvent], rulebook: str) -> None:
        self.book = rulebook_files.load_book(rulebook)
        self.state = machine.start()
        self.rulings: list[Ruling] = []
        self.expected: list[tuple[Order, ...]] = []
        for event in events:
            done = machine.step(self.state, event, self.book)
            self.state = done.state
            self.rulings += done.rulings
            self.expected.append(machine.expects(self.state, self.book))

    @property
    def names(self) -> list[str]:
        return [ruling.ruling for ruling in self.rulings]

    @property
    def cites(self) -> list[tuple[str, str]]:
        return [(ruling.ruling, ruling.article) for ruling in self.rulings]

    @property
    def incidents(self) -> list[str]:
        return list(dict.fromkeys(ruling.incident for ruling in self.rulings))

    @property
    def summary(self) -> Any:
        return machine.summary(self.state, self.book)

    @property
    def next(self) -> Order | None:
        return self.expected[-1][0] if self.expected[-1] else None


@pytest.fixture
def script() -> type[Script]:
    return Script
