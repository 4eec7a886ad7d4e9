"""What the plots show, out of a tournament's log: who was left when, stacks, hands and incidents by table and by dealer.

Pure; meant for a thread of its own: a long evening has tens of thousands of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tournament_hub.logic import events as ev
from tournament_hub.logic import machine
from tournament_hub.logic.presets import Preset
from tournament_hub.logic.state import Settings, State, alive, chips_found
from tournament_hub.store_incidents import Told

POINTS: Final = 240
"""Points of a curve at most."""
STACKS_SHOWN: Final = 6
LEAST_S: Final = 300.0
"""Hands an hour are told once a table has played this long (seconds)."""


class Curve(Struct, frozen=True):
    """One line: hours since the start, and what was there; None: not known at that moment."""

    name: str
    points: tuple[tuple[float, float | None], ...]


class Count(Struct, frozen=True):
    """A table or a dealer: hands dealt, hours over which, incidents."""

    name: str
    hands: int
    hours: float
    incidents: int

    @property
    def hourly(self) -> float | None:
        """Hands an hour; None: played too short a time to say."""
        return self.hands / self.hours if 3600 * self.hours >= LEAST_S else None

    @property
    def per_hundred(self) -> float | None:
        """Incidents in a hundred hands; None: no hand yet."""
        return 100 * self.incidents / self.hands if self.hands else None


class Plots(Struct, frozen=True):
    """All of it. ``stacks``: of the largest now; ``average``: of all; empty where stacks are not recorded."""

    players: Curve
    stacks: tuple[Curve, ...]
    average: Curve | None
    tables: tuple[Count, ...]
    dealers: tuple[Count, ...]
    hours: float


def plots(
    settings: Settings,
    log: Sequence[ev.Record],
    preset: Preset,
    names: Mapping[str, str],
    incidents: Sequence[Told],
    at: float,
) -> Plots:
    """Draw up the data.

    Args:
        settings: as the log begins with.
        log: the tournament's records.
        preset: what its rulebook decides.
        names: entry → what people are called.
        incidents: of its tables.
        at: seconds on the tournament's clock, now.
    """
    start = ev.beginning(log)
    if start is None:
        return Plots(Curve("", ()), (), None, (), (), 0.0)
    began = start.at
    moments = list(_moments(settings, log, preset, began, at))
    last = moments[-1][1]
    largest = sorted(
        (entry for entry in last.entries.values() if entry.where != "out" and entry.stack),
        key=lambda entry: (-(entry.stack or 0), entry.id),
    )[:STACKS_SHOWN]
    stacks = tuple(
        Curve(
            names.get(entry.id, entry.id),
            tuple((hour, _stack(state, entry.id)) for hour, state in moments if entry.id in state.entries),
        )
        for entry in largest
    )
    averages = tuple((hour, _average(state)) for hour, state in moments)
    players = tuple((hour, float(alive(state))) for hour, state in moments)
    hours = max(0.0, at - began) / 3600
    return Plots(
        Curve("", players),
        stacks,
        Curve("", averages) if any(value is not None for _, value in averages) else None,
        *_counts(log, incidents, at),
        hours,
    )


def _moments(
    settings: Settings, log: Sequence[ev.Record], preset: Preset, began: float, at: float
) -> list[tuple[float, State]]:
    """The tournament at some moments since its start, the last one now; every moment at which somebody went out."""
    state = machine.start(settings)
    step = max(1, len(log) // POINTS)
    found: list[tuple[float, State]] = []
    first = 0
    for place, record in enumerate(log, 1):
        telling = isinstance(record.event, ev.Busted | ev.Returned | ev.Started) or (
            isinstance(record.event, ev.HandEnded) and bool(record.event.busts)
        )
        if place - first >= step or telling or place == len(log):
            state = machine.replay(settings, log[first:place], preset, state)
            first = place
            if state.started and record.at >= began:
                found.append(((record.at - began) / 3600, state))
    found.append((max(0.0, at - began) / 3600, state))
    return found


def _stack(state: State, entry: str) -> float | None:
    stack = state.entries[entry].stack
    return None if stack is None else float(stack)


def _average(state: State) -> float | None:
    chips, left = chips_found(state), alive(state)
    return chips / left if chips and left else None


def _counts(
    log: Sequence[ev.Record], incidents: Sequence[Told], at: float
) -> tuple[tuple[Count, ...], tuple[Count, ...]]:
    """By table, and by dealer where somebody said who deals."""
    dealing: dict[str, str] = {}
    since: dict[str, float] = {}
    by_hand: dict[tuple[str, int], str] = {}
    table: dict[str, list[float]] = {}
    dealer: dict[str, list[float]] = {}

    def sits(who: str, until: float, where: str) -> None:
        dealer.setdefault(who, [0.0, 0.0, 0.0])[1] += max(0.0, until - since[where])

    for record in log:
        match record.event:
            case ev.DealerTold(table=where, dealer=who):
                if dealing.get(where):
                    sits(dealing[where], record.at, where)
                dealing[where], since[where] = who, record.at
            case ev.HandStarted(table=where, hand=hand):
                by_hand[(where, hand)] = dealing.get(where, "")
            case ev.HandEnded(table=where, void=False, amends=False):
                held = table.setdefault(where, [0.0, record.at, record.at])
                held[0] += 1
                held[2] = record.at
                if dealing.get(where):
                    dealer.setdefault(dealing[where], [0.0, 0.0, 0.0])[0] += 1
            case ev.TableClosed(table=where) if dealing.get(where):
                sits(dealing.pop(where), record.at, where)
            case ev.Finished(again=False):
                for name in [name for name, who in dealing.items() if who]:
                    sits(dealing.pop(name), record.at, name)
    for where, who in dealing.items():
        if who:
            sits(who, at, where)
    told: dict[str, int] = {}
    for incident in incidents:
        if incident.hand is not None and (incident.table, incident.hand) in by_hand:
            told[incident.table] = told.get(incident.table, 0) + 1
            who = by_hand[(incident.table, incident.hand)]
            if who:
                dealer.setdefault(who, [0.0, 0.0, 0.0])[2] += 1
    tables = tuple(
        Count(name, int(held[0]), _span(log, name, held), told.get(name, 0))
        for name, held in sorted(table.items(), key=lambda pair: _natural(pair[0]))
    )
    dealers = tuple(
        Count(name, int(held[0]), held[1] / 3600, int(held[2]))
        for name, held in sorted(dealer.items(), key=lambda pair: pair[0].casefold())
    )
    return tables, dealers


def _span(log: Sequence[ev.Record], table: str, held: Sequence[float]) -> float:
    """Hours from a table's first hand, or the start where nobody told its beginning, to the end of its last."""
    start = ev.beginning(log)
    began = next(
        (r.at for r in log if isinstance(r.event, ev.HandStarted) and r.event.table == table),
        held[1] if start is None else start.at,
    )
    return max(0.0, held[2] - began) / 3600


def _natural(name: str) -> tuple[int, str]:
    digits = "".join(sign for sign in name if sign.isdigit())
    return (int(digits) if digits else 0, name)
