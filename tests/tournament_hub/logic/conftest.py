"""Tournaments to begin with: sat down, started, by any preset."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from engine.seating import Positions
from table_controller.rulebook_files import load_book
from tournament_hub.logic import events as ev
from tournament_hub.logic import machine
from tournament_hub.logic.presets import Preset, preset_of
from tournament_hub.logic.state import Place, Settings, State


@cache
def book(name: str) -> Preset:
    return preset_of(load_book(name))


class Hall:
    """A tournament and what a director and tables may do with it."""

    def __init__(self, name: str = "standard", **settings: object) -> None:
        self.preset = book(name)
        values = {"tournament": "t", "starting_stack": 1000, "capacity": 9, "seed": 3} | settings
        self.state: State = machine.start(Settings(**values))  # type: ignore[arg-type]
        self.at = 0.0
        self.log: list[ev.Event] = []

    def say(self, *events: ev.Event) -> State:
        for event in events:
            self.state = machine.apply(self.state, event, self.preset, self.at)
            self.log.append(event)
        return self.state

    def seat(self, sizes: dict[str, int], *, device: bool = True, start: bool = True) -> Hall:
        """Tables with so many players, on the seats from 1; entries are a1, a2, b1, … by table."""
        letters = dict(zip(sizes, "abcdefghijklmnop", strict=False))
        for table in sizes:
            self.say(ev.TableOpened(table=table, capacity=10, device=device))
        for table, count in sizes.items():
            for seat in range(1, count + 1):
                self.say(ev.Registered(entry=f"{letters[table]}{seat}"))
        pairs = tuple(
            ev.Seating(f"{letters[table]}{seat}", Place(table, seat))
            for table, count in sizes.items()
            for seat in range(1, count + 1)
        )
        self.say(ev.Drawn(seats=pairs, how="imported"))
        if start:
            self.say(ev.Passed(block="start", reason="test"), ev.Started())
        return self

    def button(self, table: str, button: int, small: int, big: int) -> Hall:
        """The last hand's button and blinds of a table."""
        seats = sorted(self.state.tables[table].seats, key=lambda s: (s - button - 1) % 10)
        self.say(ev.ButtonSet(table=table, positions=Positions(button, small, big, tuple(seats))))
        return self

    def hand(self, table: str, *out: str, gate: int | None = None, winner: str | None = None) -> State:
        """A hand: these are out and their chips are another's."""
        held = self.state.tables[table]
        self.say(ev.HandStarted(table=table, hand=held.hands + 1, gate=gate))
        stacks = {name: self.state.entries[name].stack for name in held.seats.values()}
        lost = {name: stacks.pop(name) for name in out}
        first = winner or next(iter(stacks))
        if stacks[first] is not None:
            stacks[first] = (stacks[first] or 0) + sum(chips or 0 for chips in lost.values())
        return self.say(ev.HandEnded(table=table, hand=held.hands + 1, stacks=stacks, busts=dict(lost)))


@pytest.fixture
def halls() -> Callable[..., Hall]:
    """Make a tournament by a preset."""
    return Hall
